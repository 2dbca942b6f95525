//! Computes functions whose sums left the range of numbers again, from scaled elements.

use crate::device::op::binary::Mul;
use crate::device::op::reduction::AllFinite;
use crate::device::op::scalar::WithRight;
use crate::device::{BinaryOp, CudaSource, Elementwise, Reduce};
use crate::element::Inexact;
use crate::error::Error;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::StorageMut;
use crate::tensor::Tensor;

/// `b` if it is finite and `a` is not, otherwise `a`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finite;

impl<T: Inexact> BinaryOp<T, T> for Finite {
    type Output = T;
    const NAME: &'static str = "select from";
    const CUDA: CudaSource = CudaSource::builtin("is_finite(b) && !is_finite(a) ? b : a");
    fn apply(&self, a: T, b: T) -> T {
        if b.all_finite() & !a.all_finite() { b } else { a }
    }
}

/// Replaces the results that are not finite of a function `f` that is linear, such as a weighted mean. `scaled(s)` must return
/// `f(s · x)`. It is called for `s` = 2⁻⁶⁴ if a result is not finite.
///
/// # Errors
/// Those of `scaled`, and if an allocation fails.
pub(crate) fn keep_in_range<
    T: Inexact,
    R: Dim,
    O: Order,
    Dev: Elementwise<T> + Reduce<T>,
    S: StorageMut<T, Dev>,
>(
    results: &mut Tensor<T, R, O, Dev, S>,
    scaled: impl FnOnce(T) -> Result<Tensor<T, R, O, Dev>, Error>,
) -> Result<(), Error> {
    if results.reduced_whole(AllFinite)?.try_item()? {
        return Ok(());
    }
    let scale = |n: i32| T::from_f64(2f64.powi(n));
    let mut again = scaled(scale(-64))?;
    again.try_apply_inplace(WithRight { op: Mul, right: scale(64) })?;
    results.try_apply2_inplace(Finite, &again)
}
