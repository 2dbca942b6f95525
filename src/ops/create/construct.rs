//! Constructors of tensors.

use crate::device::{CpuBuffer, CudaSource, Device, Elementwise, Generator, Scalars, via_host, wide};
use crate::element::{Element, Scalar};
use crate::error::{Error, fallible};
use crate::layout::element_count;
use crate::layout::odometer::advance;
use crate::order::Order;
use crate::rank::{Dim, IntoShape, Rank};
use crate::tensor::Tensor;

/// The same value for every element.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Constant<T>(pub(crate) T);

impl<T: Element> Generator<T> for Constant<T> {
    const CUDA: CudaSource = CudaSource::builtin("value");
    fn apply(&self, _: usize) -> T {
        self.0
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("value", self.0);
    }
}

/// Defines four forms of a constructor: on the default device or a given one, panicking or fallible.
macro_rules! constructors {
    ($(
        $(#[$doc:meta])*
        $name:ident, $name_in:ident, $try_name_in:ident ($($arg:ident: $ty:ty),*) where [$($bound:tt)*]
        |$device:ident| $body:expr;
    )*) => {$(
        impl<T: Element, D: Dim, O: Order, Dev: Device> Tensor<T, D, O, Dev> {
            $(#[$doc])*
            #[fallible]
            pub fn $name<Sh: IntoShape<Dim = D>>(shape: Sh $(, $arg: $ty)*) -> Self
            where
                Dev: Default,
                $($bound)*
            {
                Self::$try_name_in(shape $(, $arg)*, &Dev::default())
            }

            #[doc = concat!("[`", stringify!($name), "`](Tensor::", stringify!($name), ") on a given device.")]
            ///
            /// # Errors
            /// For the reasons for which that method panics.
            #[fallible]
            pub fn $name_in<Sh: IntoShape<Dim = D>>(shape: Sh $(, $arg: $ty)*, $device: &Dev) -> Self
            where
                $($bound)*
            {
                let shape = shape.into_shape()?;
                let make: fn(D::Shape $(, $ty)*, &Dev) -> Result<Self, Error> = $body;
                make(shape $(, $arg)*, $device)
            }
        }
    )*};
}

constructors! {
    /// Returns a tensor of zeros (`false` for `bool`).
    ///
    /// The rank follows from the shape; memory order and device are inferred from the context. `Tensor::<f64, _>::zeros(..)` uses
    /// the defaults.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::Tensor;
    /// assert_eq!(Tensor::<f64, _>::zeros([2, 3]).sum().item(), 0.0);
    /// ```
    zeros, zeros_in, try_zeros_in() where [] |device| |shape, device| {
        let len = element_count(shape.as_ref(), size_of::<T>())?;
        Ok(Tensor::contiguous(device.alloc_zeroed(len)?, shape, device.clone()))
    };

    /// Returns a tensor of ones.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::Tensor;
    /// assert_eq!(Tensor::<i32, _>::ones([2, 3]).sum().item(), 6);
    /// ```
    ones, ones_in, try_ones_in() where [T: Scalar, Dev: Elementwise<T>]
    |device| |shape, device| Tensor::generate(shape, Constant(T::one()), device);

    /// Returns a tensor whose elements all have the same value.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// assert_eq!(Tensor::<bool, _>::full([2], true), tensor![true, true]);
    /// ```
    full, full_in, try_full_in(value: T) where [Dev: Elementwise<T>]
    |device| |shape, value, device| Tensor::generate(shape, Constant(value), device);

    /// Returns a tensor with the elements of a `Vec`, which are in memory order: the index along the last axis varies fastest if
    /// row-major, along the first if column-major.
    ///
    /// On the host, the tensor takes ownership of the `Vec`'s buffer. Other devices copy the elements.
    ///
    /// # Errors
    /// If the `Vec` and the shape differ in their number of elements, the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let x = Tensor::<i32, _>::from_vec([2, 2], vec![1, 2, 3, 4]);
    /// assert_eq!(x, tensor![[1, 2], [3, 4]]);
    /// ```
    from_vec, from_vec_in, try_from_vec_in(data: Vec<T>) where []
    |device| |shape, data, device| {
        check_len("make a tensor", shape.as_ref(), data.len(), size_of::<T>())?;
        Ok(Tensor::contiguous(device.adopt(data)?, shape, device.clone()))
    };

    /// Copies a slice, whose elements are in memory order, to a tensor.
    ///
    /// # Errors
    /// If the slice and the shape differ in their number of elements, the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{ColMajor, Tensor, tensor};
    /// let x = Tensor::<i32, _, ColMajor>::from_slice([2, 2], &[1, 2, 3, 4]);
    /// assert_eq!(x[[0, 1]], 3);
    /// ```
    from_slice, from_slice_in, try_from_slice_in(data: &[T]) where []
    |device| |shape, data, device| {
        check_len("make a tensor", shape.as_ref(), data.len(), size_of::<T>())?;
        Ok(Tensor::contiguous(via_host::upload(device, data)?, shape, device.clone()))
    };
}

fn check_len(op: &'static str, shape: &[usize], found: usize, bytes: usize) -> Result<(), Error> {
    if element_count(shape, bytes)? != found {
        return Err(Error::LengthMismatch { op, shape: shape.to_vec(), found });
    }
    Ok(())
}

impl<T: Element, D: Dim, O: Order, Dev: Device> Tensor<T, D, O, Dev> {
    pub(crate) fn generate<F: Generator<T>>(shape: D::Shape, op: F, device: &Dev) -> Result<Self, Error>
    where
        Dev: Elementwise<T>,
    {
        let mut out = Tensor::allocate(shape, device.clone())?;
        let (output, device) = out.output();
        wide::generate::<D, _, _, _>(&op, device, output)?;
        Ok(out)
    }

    /// Returns a tensor whose element at each index is `f(index)`.
    ///
    /// Calls `f` on the host, once for each index, in memory order.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let x = Tensor::<_, _>::from_fn([2, 3], |[i, j]| 10 * i as i32 + j as i32);
    /// assert_eq!(x, tensor![[0, 1, 2], [10, 11, 12]]);
    /// ```
    #[fallible]
    pub fn from_fn<Sh: IntoShape<Dim = D>>(shape: Sh, f: impl FnMut(D::Shape) -> T) -> Self
    where
        Dev: Default,
    {
        Self::try_from_fn_in(shape, f, &Dev::default())
    }

    /// Fallible variant of [`from_fn`](Tensor::from_fn) on a given device.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    pub fn try_from_fn_in<Sh: IntoShape<Dim = D>>(
        shape: Sh,
        mut f: impl FnMut(D::Shape) -> T,
        device: &Dev,
    ) -> Result<Self, Error> {
        let shape = shape.into_shape()?;
        let rank = shape.as_ref().len();
        let fastest = if O::ROW_MAJOR { rank.saturating_sub(1) } else { 0 };
        let length = shape.as_ref().get(fastest).map_or(1, |&extent| extent.max(1));
        let write = |data: &mut [T]| {
            let mut index = D::shape(rank);
            for line in data.chunks_exact_mut(length) {
                for (k, value) in line.iter_mut().enumerate() {
                    if let Some(axis) = index.as_mut().get_mut(fastest) {
                        *axis = k;
                    }
                    *value = f(index);
                }
                advance(index.as_mut(), shape.as_ref(), O::ROW_MAJOR);
            }
        };
        Self::written_on_host(shape, write, device)
    }

    /// Returns a tensor whose elements `write` has written on the host, in memory order. The memory that `write` gets contains unspecified
    /// values.
    pub(crate) fn written_on_host(
        shape: D::Shape,
        write: impl FnOnce(&mut [T]),
        device: &Dev,
    ) -> Result<Self, Error> {
        let mut data = CpuBuffer::any(element_count(shape.as_ref(), size_of::<T>())?)?;
        write(data.as_mut_slice());
        Ok(Tensor::contiguous(device.adopt_buffer(data)?, shape, device.clone()))
    }
}

impl<T: Element, O: Order, Dev: Device> Tensor<T, Rank<0>, O, Dev> {
    /// Returns a tensor of rank 0 with the given value. It broadcasts with every shape.
    ///
    /// # Panics
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let two = Tensor::scalar(2.0);
    /// assert_eq!(&tensor![1.0, 2.0] * &two, tensor![2.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn scalar(value: T) -> Self
    where
        Dev: Default,
    {
        Tensor::from_slice([], &[value])
    }

    /// Fallible variant of [`scalar`](Tensor::scalar).
    ///
    /// # Errors
    /// If the allocation fails.
    pub fn try_scalar(value: T) -> Result<Self, Error>
    where
        Dev: Default,
    {
        Self::try_scalar_in(value, &Dev::default())
    }

    /// Fallible variant of [`scalar`](Tensor::scalar) on a given device.
    ///
    /// # Errors
    /// If the allocation fails.
    pub fn try_scalar_in(value: T, device: &Dev) -> Result<Self, Error> {
        Tensor::try_from_slice_in([], &[value], device)
    }
}

impl<T: Element, O: Order, Dev: Device> Tensor<T, Rank<2>, O, Dev> {
    /// Returns the matrix with the given rows, such as the vectors of a `Vec<Vec<f64>>`.
    ///
    /// See [`stack`](crate::stack) for rows that are tensors.
    ///
    /// # Errors
    /// If the rows differ in length, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let rows: Vec<Vec<f64>> = ["1 2 3", "4 5 6"].map(|line| line.split(' ').map(|x| x.parse().unwrap()).collect()).into();
    /// assert_eq!(Tensor::from_rows(&rows), tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// ```
    #[fallible]
    pub fn from_rows<R: AsRef<[T]>>(rows: &[R]) -> Self
    where
        Dev: Default,
    {
        let op = "make a matrix of rows";
        let columns = rows.first().map_or(0, |row| row.as_ref().len());
        if let Some((k, row)) = rows.iter().enumerate().find(|(_, row)| row.as_ref().len() != columns) {
            let found = row.as_ref().len();
            let reason = format!(
                "row {k} has {found} elements, row 0 has {columns}: all rows of a matrix have the same length"
            );
            return Err(Error::Argument { op, reason });
        }
        Tensor::try_from_fn([rows.len(), columns], |[i, j]| rows[i].as_ref()[j])
    }

    /// Returns the identity matrix with `n` rows and columns.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// assert_eq!(Tensor::eye(2), tensor![[1, 0], [0, 1]]);
    /// ```
    #[fallible]
    pub fn eye(n: usize) -> Self
    where
        T: Scalar,
        Dev: Elementwise<T>,
        Dev: Default,
    {
        Self::try_eye_in(n, &Dev::default())
    }

    /// Fallible variant of [`eye`](Tensor::eye) on a given device.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    pub fn try_eye_in(n: usize, device: &Dev) -> Result<Self, Error>
    where
        T: Scalar,
        Dev: Elementwise<T>,
    {
        let mut identity = Self::try_zeros_in([n, n], device)?;
        identity.try_diagonal_mut(0, 1)?.try_fill(T::one())?;
        Ok(identity)
    }

    /// Returns the matrix with ones on diagonal `k`, and zeros elsewhere. Diagonals are numbered as by
    /// [`diagonal_offset`](Tensor::diagonal_offset). If the diagonal is outside of the matrix, all elements are zero.
    ///
    /// # Errors
    /// If the shape exceeds the address space, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// assert_eq!(Tensor::eye_offset([2, 3], 1), tensor![[0, 1, 0], [0, 0, 1]]);
    /// ```
    #[fallible]
    pub fn eye_offset(shape: [usize; 2], k: isize) -> Self
    where
        T: Scalar,
        Dev: Elementwise<T>,
        Dev: Default,
    {
        let mut ones = Self::try_zeros_in(shape, &Dev::default())?;
        ones.cut_mut::<Rank<1>>(1, |from, to| from.diagonal_offset("write the diagonal", [0, 1], k, to))?
            .try_fill(T::one())?;
        Ok(ones)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device + Default> Default for Tensor<T, D, O, Dev> {
    /// Returns an empty tensor whose extents are all zero. For rank 0, returns one element: zero, or `false` for `bool`.
    /// For [`AnyRank`](crate::AnyRank), returns a vector.
    fn default() -> Self {
        Tensor::zeros(D::shape(D::NDIM.unwrap_or(1)))
    }
}
