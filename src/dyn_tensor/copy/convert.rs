//! Creates dynamic tensors, converts their memory order, device and ownership, and accesses single elements.

use crate::device::{Cpu, Device};
use crate::dispatch;
use crate::dyn_tensor::downcast::typed_data;
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::{DynData, DynDataMut, DynStorage};
use crate::dyn_tensor::tensor::{DynTensor, DynView, DynViewMut, DynViewOf};
use crate::element::{DType, Element};
use crate::error::Error;
use crate::layout::{Layout, element_count};
use crate::order::{ColMajor, MemoryOrder, Order, RowMajor};
use crate::rank::{Dim, IndexNumber, MAX_RANK, Rank, from_start};
use crate::storage::OwnedData;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device> From<Tensor<T, D, O, Dev>> for DynTensor {
    /// Converts a typed tensor without a copy. Free.
    fn from(tensor: Tensor<T, D, O, Dev>) -> DynTensor {
        let layout = tensor.layout();
        DynTensor::of(Box::new(tensor.into_data()), layout, O::MEMORY_ORDER)
    }
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> From<&'a Tensor<T, D, O, Dev>> for DynView<'a> {
    /// Returns a view of a typed tensor. Free.
    fn from(tensor: &'a Tensor<T, D, O, Dev>) -> DynView<'a> {
        DynTensor::of(tensor.data(), tensor.layout(), O::MEMORY_ORDER)
    }
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> From<&'a mut Tensor<T, D, O, Dev>> for DynViewMut<'a> {
    /// Returns a mutable view of a typed tensor. Free.
    fn from(tensor: &'a mut Tensor<T, D, O, Dev>) -> DynViewMut<'a> {
        let layout = tensor.layout();
        DynTensor::of(tensor.data_mut(), layout, O::MEMORY_ORDER)
    }
}

impl<'a, S: DynData> From<&'a DynTensor<S>> for DynView<'a> {
    fn from(tensor: &'a DynTensor<S>) -> DynView<'a> {
        tensor.look()
    }
}

impl DynTensor {
    /// Creates a tensor on the host from a `Vec` of elements in memory order. Free.
    ///
    /// # Errors
    /// If the number of elements differs from the shape's, or if the shape has more than 16 axes or exceeds the address space.
    ///
    /// ```
    /// use vierbein::{ColMajor, DynTensor, MemoryOrder, Tensor};
    /// let x = DynTensor::from_vec(&[2, 3], vec![1, 2, 3, 4, 5, 6], MemoryOrder::ColMajor)?;
    /// assert_eq!(x.downcast_ref()?, Tensor::<_, _, ColMajor>::from([[1, 3, 5], [2, 4, 6]]));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn from_vec<T: Element>(
        shape: &[usize],
        data: Vec<T>,
        order: MemoryOrder,
    ) -> Result<DynTensor, Error> {
        check_rank("make a tensor", shape.len())?;
        if element_count(shape, size_of::<T>())? != data.len() {
            return Err(Error::LengthMismatch {
                op: "make a tensor",
                shape: shape.to_vec(),
                found: data.len(),
            });
        }
        Ok(DynTensor::contiguous(OwnedData::of_vec(data, &Cpu)?, shape, order))
    }

    /// Creates a matrix on the host with the given rows, such as the vectors of a `Vec<Vec<f64>>`: see
    /// [`Tensor::from_rows`](crate::Tensor::from_rows).
    ///
    /// # Errors
    /// If the rows differ in length, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, MemoryOrder, tensor};
    /// let rows = vec![vec![1, 2, 3], vec![4, 5, 6]];
    /// let x = DynTensor::from_rows(&rows, MemoryOrder::RowMajor)?;
    /// assert_eq!(x.downcast_ref()?, tensor![[1, 2, 3], [4, 5, 6]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn from_rows<T: Element, R: AsRef<[T]>>(rows: &[R], order: MemoryOrder) -> Result<DynTensor, Error> {
        Ok(match order {
            MemoryOrder::RowMajor => Tensor::<T, Rank<2>, RowMajor>::try_from_rows(rows)?.into(),
            MemoryOrder::ColMajor => Tensor::<T, Rank<2>, ColMajor>::try_from_rows(rows)?.into(),
        })
    }

    /// Creates a tensor on the host whose elements are all zero (or `false`).
    ///
    /// # Errors
    /// If the shape has more than 16 axes or exceeds the address space, or if the allocation fails.
    ///
    /// ```
    /// use vierbein::{DType, DynTensor, MemoryOrder, tensor};
    /// let x = DynTensor::zeros(&[2], DType::I16, MemoryOrder::RowMajor)?;
    /// assert_eq!(x.downcast_ref()?, tensor![0_i16, 0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    // Instantiated for all element types. Marked inline, so that only crates that call this function compile the instances.
    #[inline]
    pub fn zeros(shape: &[usize], dtype: DType, order: MemoryOrder) -> Result<DynTensor, Error> {
        check_rank("make a tensor", shape.len())?;
        dispatch!(dtype, T => {
            let buffer = Cpu.alloc_zeroed::<T>(element_count(shape, size_of::<T>())?)?;
            Ok(DynTensor::contiguous(OwnedData { buffer, device: Cpu }, shape, order))
        })
    }

    /// Creates a tensor of rank 0 on the host.
    ///
    /// ```
    /// use vierbein::DynTensor;
    /// assert_eq!(DynTensor::scalar(2.5).item()?, 2.5.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    // Instantiated for all element types. Marked inline, so that only crates that call this function compile the instances.
    #[inline]
    pub fn scalar(value: impl Into<DynScalar>) -> DynTensor {
        let value = value.into();
        let made = dispatch!(value.dtype(), T => {
            let value = value.get::<T>().expect("the scalar has this type");
            DynTensor::from_vec(&[], vec![value], MemoryOrder::RowMajor)
        });
        made.expect("a `Vec` of one element is a tensor of rank 0")
    }
}

/// Checks that a rank that is known at run time only is at most [`MAX_RANK`].
pub(crate) fn check_rank(op: &'static str, rank: usize) -> Result<(), Error> {
    if rank <= MAX_RANK {
        return Ok(());
    }
    Err(Error::UnsupportedRank {
        op,
        reason: format!(
            "`Rank<{rank}>` is not a supported tensor rank: ranks run from `Rank<0>` to `Rank<16>`; merge axes, or keep an array of tensors of smaller rank"
        ),
    })
}

impl<S: DynData> DynTensor<S> {
    /// Copies the elements to an owned tensor on the same device, contiguous in memory order.
    ///
    /// # Errors
    /// If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// assert!(!x.t()?.is_contiguous());
    /// assert!(x.t()?.to_owned()?.is_contiguous());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[allow(clippy::should_implement_trait, reason = "it fails if the device allocation fails")]
    pub fn to_owned(&self) -> Result<DynTensor, Error> {
        self.to_order(self.order())
    }

    /// Converts into an owned tensor. An owned tensor is returned unchanged; a view is copied.
    ///
    /// # Errors
    /// If the device allocation of a copy fails.
    pub fn into_owned(self) -> Result<DynTensor, Error> {
        if !S::OWNED {
            return self.to_owned();
        }
        let (layout, order) = (*self.layout(), self.order());
        let storage = self.into_storage().into_owned().expect("an owned tensor owns its memory");
        Ok(DynTensor::of(storage, layout, order))
    }

    /// Copies the elements to a tensor that is contiguous in the memory order `order`. Each element keeps its index.
    ///
    /// # Errors
    /// If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, MemoryOrder, tensor};
    /// let x = DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]).to_order(MemoryOrder::ColMajor)?;
    /// assert_eq!((x.strides(), x.get(&[1, 2])?), (&[1, 2][..], 6.into()));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn to_order(&self, order: MemoryOrder) -> Result<DynTensor, Error> {
        self.gathered(order, |data, layout| data.gathered(layout))
    }

    /// Copies the elements, in the memory order `order`, to a new tensor. `gather` allocates the memory of that tensor
    /// and copies the elements.
    fn gathered(
        &self,
        order: MemoryOrder,
        gather: impl FnOnce(&dyn DynStorage, &Layout) -> Result<Box<dyn DynStorage>, Error>,
    ) -> Result<DynTensor, Error> {
        let in_order = self.as_order(order);
        let storage = gather(self.storage().data(), &in_order.enumeration())?;
        Ok(DynTensor::of(storage, Layout::contiguous(self.shape(), order.is_row_major()), order))
    }

    /// Returns a view with the given memory order. Each element keeps its index; only the iteration order changes. Free.
    ///
    /// ```
    /// use vierbein::{DynTensor, MemoryOrder, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// let y = x.as_order(MemoryOrder::ColMajor);
    /// assert_eq!(y.to_vec::<i32>()?, [1, 3, 2, 4]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn as_order(&self, order: MemoryOrder) -> DynViewOf<'_, S> {
        DynTensor::of(self.storage().share(), *self.layout(), order)
    }

    /// Returns a view with the axes reversed and the other memory order. If the tensor is contiguous, so is the view. Free.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2, 3], [4, 5, 6]]);
    /// let y = x.flip_order();
    /// assert_eq!((y.shape(), y.is_contiguous()), (&[3, 2][..], true));
    /// ```
    pub fn flip_order(&self) -> DynViewOf<'_, S> {
        DynTensor::of(self.storage().share(), self.layout().reverse_axes(), self.order().transposed())
    }

    /// Copies the elements to a tensor on a device, contiguous in memory order. A copy between two devices goes through host
    /// memory; a copy on one device does not.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] if there is no such device; another error if an allocation or a transfer fails.
    ///
    /// ```
    /// use vierbein::{Cpu, Cuda, DynTensor, Error, tensor};
    /// let x = DynTensor::from(tensor![1.0, 2.0]);
    /// assert_eq!(x.to_device::<Cpu>()?.device_name(), "Cpu");
    /// match x.to_device::<Cuda>() {
    ///     Ok(y) => assert_eq!((y.device_name(), y.to_device::<Cpu>()?), ("Cuda<0>".into(), x)),
    ///     Err(error) => assert!(matches!(error, Error::DeviceUnavailable { .. })),
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_device<Dev: Device + Default>(&self) -> Result<DynTensor, Error> {
        self.to_device_in(&Dev::default())
    }

    /// Variant of [`to_device`](DynTensor::to_device) that takes the device as a value.
    ///
    /// # Errors
    /// Those of [`to_device`](DynTensor::to_device).
    pub fn to_device_in<Dev: Device>(&self, device: &Dev) -> Result<DynTensor, Error> {
        if self.device::<Dev>().is_some_and(|own| own.same_instance(device)) {
            return self.to_owned();
        }
        let on_host = self.gathered(self.order(), |data, layout| data.gathered_on_host(layout))?;
        let (layout, order) = (*on_host.layout(), on_host.order());
        let storage = on_host.into_storage();
        dispatch!(storage.dtype(), T => {
            let data: OwnedData<T, Cpu> = typed_data(storage);
            let moved = OwnedData::of_vec(Cpu.release(data.buffer)?, device)?;
            Ok(DynTensor::of(Box::new(moved), layout, order))
        })
    }

    /// Copies the elements, in memory order, to a `Vec`.
    ///
    /// # Errors
    /// If the element type is not `T`, or if the host allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// assert_eq!(x.t()?.to_vec::<i32>()?, [1, 3, 2, 4]);
    /// assert!(x.to_vec::<i64>().is_err());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, Error> {
        if self.dtype() != T::DTYPE {
            return Err(crate::dyn_tensor::downcast::not_of_type(
                &self.look(),
                T::DTYPE,
                format!("Vec<{}>", T::DTYPE),
            ));
        }
        let data: OwnedData<T, Cpu> =
            typed_data(self.storage().data().gathered_on_host(&self.enumeration())?);
        Cpu.release(data.buffer)
    }

    /// Returns the element at an index. Negative numbers count from the end.
    ///
    /// # Errors
    /// If the index is out of bounds or does not have one number for each axis, or if the device reports an error.
    ///
    /// ```
    /// use vierbein::{DynScalar, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.get(&[1, 0])?, DynScalar::F64(3.0));
    /// assert_eq!(x.get(&[-1, -2])?, DynScalar::F64(3.0));
    /// assert!(x.get(&[2, 0]).is_err() && x.get(&[0]).is_err());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn get(&self, index: &[impl IndexNumber]) -> Result<DynScalar, Error> {
        self.storage().data().element(&self.layout_at(index)?)
    }

    /// Returns the value of a tensor of rank 0.
    ///
    /// # Errors
    /// If the rank is not 0, or if the device reports an error.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 3]);
    /// assert_eq!(x.sum()?.item()?, 6.into());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn item(&self) -> Result<DynScalar, Error> {
        if self.rank() != 0 {
            let reason = format!(
                "a tensor of `Rank<{}>` is not known to have exactly one element: expected `Rank<0>`; read one element with \
                `x.get(&[i, j])`, or sum all elements with `.sum()?.item()`",
                self.rank()
            );
            return Err(Error::UnsupportedRank { op: "item", reason });
        }
        self.get(&[0; 0])
    }

    /// Returns the layout of the element at an index. The layout has rank 0.
    ///
    /// # Errors
    /// If the index is out of bounds or does not have one number for each axis.
    fn layout_at(&self, index: &[impl IndexNumber]) -> Result<Layout, Error> {
        if index.len() != self.rank() {
            let reason = format!(
                "a tensor of `Rank<{}>` cannot be indexed with {} indices: expected one index for each axis",
                self.rank(),
                index.len()
            );
            return Err(Error::UnsupportedRank { op: "index", reason });
        }
        let mut at = Layout::point(self.layout().offset());
        for (axis, &number) in index.iter().enumerate() {
            let index = from_start(number, self.shape()[axis]);
            if index >= self.shape()[axis] {
                return Err(Error::IndexOutOfBounds {
                    op: "index",
                    index: number.number(),
                    axis,
                    shape: self.shape().to_vec(),
                });
            }
            at = at.moved(index as isize * self.strides()[axis]);
        }
        Ok(at)
    }

    /// Overwrites the element at an index. Negative numbers count from the end.
    ///
    /// # Errors
    /// * If the index is out of bounds, or does not have one number for each axis.
    /// * If the value is not of the element type.
    /// * If the device reports an error.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut x = DynTensor::from(tensor![1, 2, 3]);
    /// x.set(&[1], 7)?;
    /// assert_eq!(x.downcast_ref()?, tensor![1, 7, 3]);
    /// assert!(x.set(&[1], 7.0).is_err());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn set(&mut self, index: &[impl IndexNumber], value: impl Into<DynScalar>) -> Result<(), Error>
    where
        S: DynDataMut,
    {
        let (at, value) = (self.layout_at(index)?, value.into());
        if value.dtype() != self.dtype() {
            return Err(Error::ScalarType { op: "assign", tensor: self.dtype(), scalar: value.dtype() });
        }
        self.storage_mut().data_mut().set_element(&at, value)
    }
}
