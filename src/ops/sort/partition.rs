//! Selection along an axis: partitions (`partition`), the greatest elements (`top_k`) and the smallest ones (`bottom_k`).

use crate::axis::AxisArg;
use crate::device::{Copy, Device, Sort};
use crate::element::{Element, Ordered};
use crate::error::{Error, fallible};
use crate::layout::axes::{Axes, AxesMut};
use crate::ops::elementwise::compute::check_out;
use crate::order::Order;
use crate::rank::{Dim, IndexNumber, as_given, check_axis_count, from_start};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

pub(crate) const PARTITION: &str = "partition";
pub(crate) const TOP_K: &str = "find the greatest elements";
pub(crate) const BOTTOM_K: &str = "find the smallest elements";

/// Checks the axis and the index `k` along it. Returns `k` as an index from the start. A negative `k` counts from the end.
///
/// # Errors
/// If the axis is out of range, or `k` is out of range for its extent.
pub(crate) fn check_kth(axes: Axes<'_>, axis: usize, k: impl IndexNumber) -> Result<usize, Error> {
    axes.check_axis(PARTITION, axis)?;
    let shape = axes.shape();
    let k = from_start(k, shape[axis]);
    if k < shape[axis] {
        return Ok(k);
    }
    Err(Error::IndexOutOfBounds { op: PARTITION, index: as_given(k), axis, shape: shape.to_vec() })
}

/// Checks the axis, and that its extent is at least `k`.
///
/// # Errors
/// If the axis is out of range, or its extent is less than `k`.
pub(crate) fn check_top(op: &'static str, axes: Axes<'_>, axis: usize, k: usize) -> Result<(), Error> {
    axes.check_axis(op, axis)?;
    let shape = axes.shape();
    if k <= shape[axis] {
        return Ok(());
    }
    let reason = format!(
        "{k} elements were requested, but axis {axis} of shape {shape:?} has {}; request fewer",
        shape[axis]
    );
    Err(Error::Argument { op, reason })
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the elements, partitioned along an axis: the element at index `k` is the one that [`sort`](Tensor::sort) would put there. No
    /// element before it is greater, and no element after it is less. The order of the elements on each side is unspecified.
    ///
    /// NaN is last. A partition is faster than a sort.
    ///
    /// # Errors
    /// If the axis is out of range, `k` is not an index along it, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![40, 10, 30, 20].partition(0, 1);
    /// assert_eq!(x[[1]], 20);
    /// assert_eq!(x[[0]], 10);
    /// ```
    #[fallible]
    pub fn partition<A: AxisArg<D>>(&self, axis: A, k: impl IndexNumber) -> Tensor<T, D, O, Dev>
    where
        T: Ordered,
        Dev: Copy<T> + Sort<T>,
    {
        let k = check_kth(self.axes(), axis.index(self.rank()), k)?;
        let mut out = self.try_to_owned()?;
        out.partition_lines(axis.index(self.rank()), k)?;
        Ok(out)
    }

    /// [`partition`](Tensor::partition) into a preallocated tensor or mutable view of exactly the shape of `self`.
    ///
    /// # Errors
    /// * If `out` has another shape or is on another instance of the device: `out` is unchanged.
    /// * If the axis is out of range, or `k` is not an index along it: `out` is unchanged.
    /// * If the allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([4]);
    /// tensor![40, 10, 30, 20].partition_into(0, 1, &mut out);
    /// assert_eq!((out[[0]], out[[1]]), (10, 20));
    /// ```
    #[fallible]
    pub fn partition_into<A: AxisArg<D>, S2>(
        &self,
        axis: A,
        k: impl IndexNumber,
        out: &mut Tensor<T, D, O, Dev, S2>,
    ) where
        T: Ordered,
        Dev: Copy<T> + Sort<T>,
        S2: StorageMut<T, Dev>,
    {
        check_axis_count(PARTITION, self.axes().shape())?;
        let k = check_kth(self.axes(), axis.index(self.rank()), k)?;
        check_out(PARTITION, self.shape().as_ref(), self.device(), out)?;
        let (output, device) = out.output();
        Copy::copy(device, output, self.operand())?;
        out.partition_lines(axis.index(self.rank()), k)
    }

    /// Partitions the elements along an axis in place. `k` must be an index along this axis.
    fn partition_lines(&mut self, axis: usize, k: usize) -> Result<(), Error>
    where
        T: Ordered,
        Dev: Sort<T>,
        S: StorageMut<T, Dev>,
    {
        check_axis_count(PARTITION, self.axes().shape())?;
        let (mut shape, mut strides) = (D::shape(self.rank()), D::strides(self.rank()));
        let to = AxesMut::new(shape.as_mut(), strides.as_mut());
        self.axes().move_last(PARTITION, &[axis], O::ROW_MAJOR, to)?;
        let (output, device) = self.output_with_axes(Axes::new(shape.as_ref(), strides.as_ref()), 0);
        device.partition(output, k)
    }
}

/// Defines the methods that select some of the greatest or of the smallest elements.
macro_rules! selections {
    ($(
        $name:ident, $into:ident, $try_into:ident, $op:ident, descending $descending:literal,
        $which:literal, $input:literal, $values:literal, $indices:literal;
    )*) => {$(
        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
            #[doc = concat!("Returns the `k` ", $which, " elements along an axis, the ", $which, " first, and their indices along the axis.")]
            ///
            /// Equal elements are in ascending order of their indices. NaN is last: it is among the results only if there are fewer than
            /// `k` other elements.
            ///
            /// # Errors
            /// If the axis is out of range or has fewer than `k` elements, or the allocation fails.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("let (values, indices) = tensor!", $input, ".", stringify!($name), "(1, 2);")]
            #[doc = concat!("assert_eq!(values, tensor!", $values, ");")]
            #[doc = concat!("assert_eq!(indices, tensor!", $indices, ");")]
            /// ```
            #[fallible]
            #[allow(clippy::type_complexity)]
            pub fn $name<A: AxisArg<D>>(
                &self,
                axis: A,
                k: usize,
            ) -> (Tensor<T, D, O, Dev>, Tensor<i64, D, O, Dev>)
            where
                T: Ordered,
                Dev: Sort<T>,
            {
                check_top($op, self.axes(), axis.index(self.rank()), k)?;
                let mut shape = self.shape();
                shape.as_mut()[axis.index(self.rank())] = k;
                let mut values = Tensor::<T, D, O, Dev>::allocate(shape, self.device().clone())?;
                let mut indices = Tensor::<i64, D, O, Dev>::allocate(shape, self.device().clone())?;
                self.$try_into(axis, &mut values, &mut indices)?;
                Ok((values, indices))
            }

            #[doc = concat!("[`", stringify!($name), "`](Tensor::", stringify!($name), ") into two preallocated tensors or mutable views: the values and their indices.")]
            ///
            /// Both have the shape of `self`, except for the extent of the axis, which is the number `k` of elements to find.
            ///
            /// # Errors
            /// * If an output has another shape or is on another instance of the device: the outputs are unchanged.
            /// * If the axis is out of range or has fewer than `k` elements: the outputs are unchanged.
            /// * If the allocation fails: the outputs may be partly written.
            ///
            /// ```
            /// use vierbein::{Tensor, tensor};
            /// let (mut values, mut indices) = (Tensor::zeros([2, 2]), Tensor::zeros([2, 2]));
            #[doc = concat!("tensor!", $input, ".", stringify!($into), "(1, &mut values, &mut indices);")]
            #[doc = concat!("assert_eq!(values, tensor!", $values, ");")]
            #[doc = concat!("assert_eq!(indices, tensor!", $indices, ");")]
            /// ```
            #[fallible]
            pub fn $into<A: AxisArg<D>, S2, S3>(
                &self,
                axis: A,
                values: &mut Tensor<T, D, O, Dev, S2>,
                indices: &mut Tensor<i64, D, O, Dev, S3>,
            )
            where
                T: Ordered,
                Dev: Sort<T>,
                S2: StorageMut<T, Dev>,
                S3: StorageMut<i64, Dev>,
            {
                self.select_lines($op, axis.index(self.rank()), $descending, values, indices)
            }
        }
    )*};
}
selections! {
    top_k, top_k_into, try_top_k_into, TOP_K, descending true,
    "greatest", "[[10, 40, 30], [70, 50, 70]]", "[[40, 30], [70, 70]]", "[[1, 2], [0, 2]]";
    bottom_k, bottom_k_into, try_bottom_k_into, BOTTOM_K, descending false,
    "smallest", "[[10, 40, 30], [70, 50, 70]]", "[[10, 30], [50, 70]]", "[[0, 2], [1, 0]]";
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Writes the greatest elements along an axis, if `descending`, or the smallest ones, and their indices. `op` is the name in messages.
    fn select_lines<S2: StorageMut<T, Dev>, S3: StorageMut<i64, Dev>>(
        &self,
        op: &'static str,
        axis: usize,
        descending: bool,
        values: &mut Tensor<T, D, O, Dev, S2>,
        indices: &mut Tensor<i64, D, O, Dev, S3>,
    ) -> Result<(), Error>
    where
        T: Ordered,
        Dev: Sort<T>,
    {
        check_axis_count(op, self.axes().shape())?;
        self.axes().check_axis(op, axis)?;
        let k = values.shape().as_ref()[axis];
        check_top(op, self.axes(), axis, k)?;
        let mut expected = self.shape();
        expected.as_mut()[axis] = k;
        check_out(op, expected.as_ref(), self.device(), values)?;
        check_out(op, expected.as_ref(), self.device(), indices)?;
        let (mut from_shape, mut from) = (D::shape(self.rank()), D::strides(self.rank()));
        let (mut to_shape, mut to) = (D::shape(self.rank()), D::strides(self.rank()));
        let mut to_indices = D::strides(self.rank());
        let last = |axes: Axes<'_>, shape: &mut [usize], strides: &mut [isize]| {
            axes.move_last(op, &[axis], O::ROW_MAJOR, AxesMut::new(shape, strides))
        };
        last(self.axes(), from_shape.as_mut(), from.as_mut())?;
        last(indices.axes(), to_shape.as_mut(), to_indices.as_mut())?;
        last(values.axes(), to_shape.as_mut(), to.as_mut())?;
        let (to_indices, _) = indices.output_with_axes(Axes::new(to_shape.as_ref(), to_indices.as_ref()), 0);
        let (to_values, device) = values.output_with_axes(Axes::new(to_shape.as_ref(), to.as_ref()), 0);
        let operand = self.operand_with_axes(Axes::new(from_shape.as_ref(), from.as_ref()), 0);
        device.top_k(to_values, to_indices, operand, descending)
    }
}
