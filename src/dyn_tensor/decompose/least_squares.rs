//! Least-squares solutions of linear systems, by singular value decompositions.

use super::results::Erase;
use super::solve::system;
use super::{on_stack, with_merged_batch};
use crate::device::Gemm;
use crate::device::family::decompose::LinalgElement;
use crate::dispatch;
use crate::dyn_tensor::operand::{allocate_with, device_of, elements, lacking, needs, on_device};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::engine::decompose::{Matrices, in_terms_of, multiply_sides, side_axis};
use crate::engine::same_instance;
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::decompose::stacks;
use crate::order::{ColMajor, RowMajor};
use crate::rank::Rank;

// This function instantiates kernels for several element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn lstsq(
    (op, negligible): (&'static str, stacks::Negligible),
    a: DynView<'_>,
    b: DynView<'_>,
) -> Result<DynTensor, Error> {
    let solution = system(op, a, b)?;
    if b.is_finite()?.all()?.item()? != true.into() {
        let reason =
            "the right-hand sides have an element that is NaN or infinite; find it with `.is_finite()`";
        return Err(Error::Argument { op, reason: reason.into() });
    }
    let (left, right) = on_stack!(op, a, |a: T| stacks::pseudo_inverse_factors(a, negligible))?;
    on_device!(op, a, Dev => dispatch!(
        a.dtype(),
        T: Inexact => applied::<T, Dev>(op, [left.look(), right.look()], b, solution),
        else => Err(lacking(op, a.dtype(), needs::FACTORISATIONS))
    ))
}

/// Returns `left · (right · b)`.
fn applied<T: LinalgElement, Dev: Gemm<T>>(
    op: &'static str,
    [left, right]: [DynView<'_>; 2],
    b: DynView<'_>,
    solution: Layout,
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&left);
    same_instance(op, device, device_of(&b))?;
    let (order, vectors) = (left.order(), b.rank() == 1);
    let row_major = order.is_row_major();
    let mut inner = solution.shape().to_vec();
    inner[side_axis(row_major, solution.rank(), vectors)] = Matrices::new(row_major, right.shape()).m;
    let product = |a: DynView<'_>, b: DynView<'_>, layout: Layout| {
        allocate_with(device, layout, order, &mut |out| {
            multiply_sides(row_major, device, elements::<T, Dev>(&a), elements(&b), vectors, out)
        })
    };
    let inner = product(right, b, Layout::contiguous(&inner, row_major))?;
    product(left, inner.look(), solution)
}

impl<S: DynData> DynTensor<S> {
    /// Returns the `x` for which the norm of `a · x − b` is least: see [`Tensor::lstsq`](crate::Tensor::lstsq).
    ///
    /// # Errors
    /// * Those of [`solve`](DynTensor::solve), except that the matrices need not be square and may be singular.
    /// * If the iteration for the singular values does not converge.
    pub fn lstsq<'b>(&self, b: impl Into<DynView<'b>>) -> Result<DynTensor, Error> {
        lstsq(stacks::LSTSQ, self.look(), b.into())
    }

    /// Returns the `x` for which the norm of `a · x − b` is least, with singular values of at most `relative` times the largest one counted
    /// as 0: see [`Tensor::lstsq_with`](crate::Tensor::lstsq_with).
    ///
    /// # Errors
    /// Those of [`lstsq`](DynTensor::lstsq), and if `relative` is negative or NaN.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let a = DynTensor::from(tensor![[1.0, 0.0], [0.0, 1e-6]]);
    /// assert_eq!(a.lstsq_with(&tensor![2.0, 3.0], 1e-3)?.downcast_ref()?, tensor![2.0, 0.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn lstsq_with<'b>(&self, b: impl Into<DynView<'b>>, relative: f64) -> Result<DynTensor, Error> {
        lstsq(stacks::lstsq_with(relative)?, self.look(), b.into())
    }
}
