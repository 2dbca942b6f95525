//! Elements at which a mask is `true`: `masked`, `masked_fill`, `masked_assign`; and `nonzero`.

use crate::device::op::binary::NotEqual;
use crate::device::op::reduction::Count;
use crate::device::op::scalar::WithRight;
use crate::device::{BinaryOp, CudaSource, Device, Elementwise, Reduce, Scalars, Select, wide};
use crate::element::Element;
use crate::engine::{same_instance, select};
use crate::error::{Error, fallible};
use crate::ops::elementwise::compute::check_out;
use crate::ops::elementwise::mixed::ScalarFor;
use crate::ops::elementwise::operands::MatchingOperand;
use crate::order::Order;
use crate::rank::{AnyRank, Dim, HasRank, Rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorView};

/// A mask of rank `D`: a tensor of `bool`, owned, borrowed or a view, as [`gt`](Tensor::gt) and other comparisons return. A mask of rank 1
/// can also be a tensor of [`AnyRank`], whose rank is checked at run time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a mask of `{D}` for a `{O}` tensor on `{Dev}`",
    label = "expected a tensor of `bool` of `{D}`",
    note = "compare first, e.g. `x.gt(0.0)`; a mask of fewer axes is broadcast with `.broadcast_to(x.shape())`",
    note = "`.compress(axis, mask)` takes a vector, one element for each index along the axis"
)]
pub trait Mask<D: Dim, O: Order, Dev: Device> {
    /// Returns a view of the mask. `op` is the name of the operation in errors.
    #[doc(hidden)]
    fn mask(&self, op: &'static str) -> Result<TensorView<'_, bool, D, O, Dev>, Error>;
}

#[diagnostic::do_not_recommend]
impl<D: Dim, O: Order, Dev: Device, S: Storage<bool, Dev>> Mask<D, O, Dev> for Tensor<bool, D, O, Dev, S> {
    fn mask(&self, _: &'static str) -> Result<TensorView<'_, bool, D, O, Dev>, Error> {
        Ok(self.agree())
    }
}

#[diagnostic::do_not_recommend]
impl<D: Dim, O: Order, Dev: Device, S: Storage<bool, Dev>> Mask<D, O, Dev> for &Tensor<bool, D, O, Dev, S> {
    fn mask(&self, _: &'static str) -> Result<TensorView<'_, bool, D, O, Dev>, Error> {
        Ok(self.agree())
    }
}

macro_rules! vectors_of_any_rank {
    ($($Vector:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<O: Order, Dev: Device, S: Storage<bool, Dev>, const MAX: usize> Mask<Rank<1>, O, Dev> for $Vector {
            fn mask(&self, op: &'static str) -> Result<TensorView<'_, bool, Rank<1>, O, Dev>, Error> {
                self.agree::<bool, O, Dev>().try_into_rank().map_err(|_| {
                    let reason = format!("expected a vector as the mask, found a tensor of `Rank<{}>`", self.rank());
                    Error::UnsupportedRank { op, reason }
                })
            }
        }
    )*};
}
vectors_of_any_rank!(Tensor<bool, AnyRank<MAX>, O, Dev, S>, &Tensor<bool, AnyRank<MAX>, O, Dev, S>);

/// The function of [`Tensor::masked_fill`]. Returns the value in its field if the second argument, an element of the mask, is `true`, and
/// otherwise the first argument.
#[derive(Debug, Clone, Copy)]
pub struct FillMasked<T>(pub T);

impl<T: Element> BinaryOp<T, bool> for FillMasked<T> {
    type Output = T;
    const NAME: &'static str = "fill under a mask";
    const CUDA: CudaSource = CudaSource::builtin("b ? value : a");
    fn apply(&self, x: T, mask: bool) -> T {
        if mask { self.0 } else { x }
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("value", self.0);
    }
}

pub(crate) const MASKED: &str = "choose under a mask";
pub(crate) const ASSIGN: &str = "assign under a mask";

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns a vector of the elements at which a mask of the same shape is `true`, in memory order.
    ///
    /// # Errors
    /// If the mask has another shape, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1.0, -2.0], [-3.0, 4.0]];
    /// assert_eq!(x.masked(x.gt(0.0)), tensor![1.0, 4.0]);
    /// ```
    #[fallible]
    #[doc(alias = "filter")]
    pub fn masked<M>(&self, mask: M) -> Tensor<T, Rank<1>, O, Dev>
    where
        M: Mask<D, O, Dev>,
        Dev: Select<T> + Reduce<bool>,
    {
        let (mask, shape) = (mask.mask(MASKED)?, self.shape());
        select::check_mask(MASKED, (self.device(), shape.as_ref()), (mask.device(), mask.shape().as_ref()))?;
        let count = counted(&mask)?;
        Tensor::allocate_with([count], self.device().clone(), |out, device| {
            select::compress(device, O::MEMORY_ORDER, out, self.operand(), mask.operand())
        })
    }

    /// [`masked`](Tensor::masked) into a preallocated vector or mutable view with one element for each `true` element of the mask.
    ///
    /// # Errors
    /// * If the mask has another shape, or `out` does not have one element for each `true` element of the mask: `out` is unchanged.
    /// * If the mask or `out` is on another instance of the device: `out` is unchanged.
    /// * If the device reports an error.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let (x, mut out) = (tensor![[1, -2], [-3, 4]], Tensor::zeros([2]));
    /// x.masked_into(x.gt(0), &mut out);
    /// assert_eq!(out, tensor![1, 4]);
    /// ```
    #[fallible]
    pub fn masked_into<M, S2>(&self, mask: M, out: &mut Tensor<T, Rank<1>, O, Dev, S2>)
    where
        M: Mask<D, O, Dev>,
        Dev: Select<T> + Reduce<bool>,
        S2: StorageMut<T, Dev>,
    {
        let (mask, shape) = (mask.mask(MASKED)?, self.shape());
        select::check_mask(MASKED, (self.device(), shape.as_ref()), (mask.device(), mask.shape().as_ref()))?;
        check_out(MASKED, &[counted(&mask)?], self.device(), out)?;
        let (output, device) = out.output();
        select::compress(device, O::MEMORY_ORDER, output, self.operand(), mask.operand())
    }

    /// Overwrites the elements at which a mask of the same shape is `true` with one value. A complex tensor takes a real value, too.
    ///
    /// # Errors
    /// * If the mask has another shape or is on another instance of the device: `self` is unchanged.
    /// * If the device reports an error.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let mut x = tensor![1.0, f64::NAN, 3.0];
    /// x.masked_fill(x.is_nan(), 0.0);
    /// assert_eq!(x, tensor![1.0, 0.0, 3.0]);
    /// ```
    #[fallible]
    pub fn masked_fill<M, V>(&mut self, mask: M, value: V)
    where
        V: ScalarFor<T>,
        M: Mask<D, O, Dev>,
        S: StorageMut<T, Dev>,
        Dev: Elementwise<T>,
    {
        let (op, shape) = (FillMasked(value.into_element()), self.shape());
        let name = <FillMasked<T> as BinaryOp<T, bool>>::NAME;
        let mask = mask.mask(name)?;
        select::check_mask(name, (self.device(), shape.as_ref()), (mask.device(), mask.shape().as_ref()))?;
        let (output, device) = self.output();
        wide::update::<D, (T, bool), _, _>(&op, device, output, (mask.operand(),))
    }

    /// Overwrites the elements at which a mask of the same shape is `true`, in memory order, with the elements of a vector.
    ///
    /// # Errors
    /// * If the mask has another shape, or the number of values is not the number of `true` elements of the mask: `self` is unchanged.
    /// * If the mask or `values` is on another instance of the device: `self` is unchanged.
    /// * If the device reports an error.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let mut x = tensor![[1, -2], [-3, 4]];
    /// x.masked_assign(x.lt(0), tensor![20, 30]);
    /// assert_eq!(x, tensor![[1, 20], [30, 4]]);
    /// ```
    ///
    /// ```
    /// use vierbein::tensor;
    /// let mut x = tensor![1, -2, 3];
    /// let error = x.try_masked_assign(x.gt(0), tensor![7]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "cannot assign under a mask: the mask of shape [3] has 2 `true` elements, and there are 1 values; pass one value for each, \
    ///      or call `.masked_fill(..)` with a single one"
    /// );
    /// ```
    #[fallible]
    pub fn masked_assign<M, B>(&mut self, mask: M, values: B)
    where
        M: Mask<D, O, Dev>,
        B: MatchingOperand<T, O, Dev, Dim: HasRank<1>>,
        S: StorageMut<T, Dev>,
        Dev: Select<T> + Reduce<bool>,
    {
        let (mask, values, shape) = (mask.mask(ASSIGN)?, values.agreed(), self.shape());
        if values.rank() != 1 {
            let reason = format!("expected a vector of values, found a tensor of `Rank<{}>`", values.rank());
            return Err(Error::UnsupportedRank { op: ASSIGN, reason });
        }
        select::check_mask(ASSIGN, (self.device(), shape.as_ref()), (mask.device(), mask.shape().as_ref()))?;
        same_instance(ASSIGN, self.device(), values.device())?;
        select::check_values(ASSIGN, shape.as_ref(), counted(&mask)?, values.len())?;
        let (output, device) = self.output();
        select::expand(device, O::MEMORY_ORDER, output, mask.operand(), values.operand())
    }

    /// Returns the indices of all elements that are not zero, in memory order, as the rows of a matrix. In a mask, these are the elements
    /// that are `true`.
    ///
    /// Column `k` of the result has the components of these indices along axis `k`. The result can be passed to [`at`](Tensor::at). −0.0
    /// counts as zero, and NaN does not.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[0.0, 2.0], [3.0, 0.0]];
    /// assert_eq!(x.nonzero(), tensor![[0_i64, 1], [1, 0]]);
    /// assert_eq!(x.gt(5.0).nonzero().shape(), [0, 2]);
    /// ```
    #[fallible]
    #[doc(alias = "argwhere")]
    pub fn nonzero(&self) -> Tensor<i64, Rank<2>, O, Dev>
    where
        Dev: Elementwise<T> + Select<bool> + Reduce<bool>,
    {
        let mask = self.try_apply(WithRight { op: NotEqual, right: T::default() })?;
        let shape = [counted(&mask)?, self.rank()];
        Tensor::allocate_with(shape, self.device().clone(), |out, device| {
            select::nonzero(device, O::MEMORY_ORDER, out, mask.operand())
        })
    }
}

/// Counts the elements of a mask that are `true`.
fn counted<D: Dim, O: Order, Dev: Reduce<bool>, S: Storage<bool, Dev>>(
    mask: &Tensor<bool, D, O, Dev, S>,
) -> Result<usize, Error> {
    let count: Tensor<i64, Rank<0>, O, Dev> = mask.try_reduce(Count)?;
    Ok(count.try_item()? as usize)
}
