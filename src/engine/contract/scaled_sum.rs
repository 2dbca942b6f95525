//! The elementwise operation with which `execute.rs` accumulates a contraction into an output: `beta · old + alpha · new`.

use crate::device::{BinaryOp, CudaSource, Scalars};
use crate::element::Scalar;

/// The operation `beta · old + alpha · new`. As in BLAS, an operand whose factor is zero is ignored, so a NaN in this operand does not
/// propagate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScaledSum<T> {
    pub(crate) beta: T,
    pub(crate) alpha: T,
    /// Whether to use the complex conjugate of the new value.
    pub(crate) conjugate: bool,
}

impl<T: Scalar> ScaledSum<T> {
    /// Returns `beta · old + alpha · new`, and whether it was computed without overflow and is representable in `T`.
    fn value(&self, old: T, new: T) -> (T, bool) {
        let new = if self.conjugate { new.conj() } else { new };
        let scaled = |factor: T, x: T| {
            if factor.is_zero() {
                (T::zero().widen(), false)
            } else if factor.is_one() {
                (x.widen(), false)
            } else {
                T::acc_mul(factor.widen(), x.widen())
            }
        };
        let (kept, kept_overflows) = scaled(self.beta, old);
        let (added, added_overflows) = scaled(self.alpha, new);
        // A term with a zero factor is not added, because adding 0 would change a floating-point −0 to 0.
        let (sum, carry) = match (self.beta.is_zero(), self.alpha.is_zero()) {
            (true, _) => (added, 0),
            (false, true) => (kept, 0),
            (false, false) => (T::acc_add(kept, added), T::acc_add_carry(kept, added)),
        };
        let (value, fits) = T::narrow(sum);
        (value, fits && !kept_overflows && !added_overflows && carry == 0)
    }
}

impl<T: Scalar> BinaryOp<T, T> for ScaledSum<T> {
    type Output = T;
    const NAME: &'static str = "accumulate";
    const CUDA: CudaSource = CudaSource::builtin("blend(beta, a, alpha, conjugate ? conj(b) : b)");
    const CUDA_DEFINED: CudaSource = CudaSource::builtin("fits_blend(beta, a, alpha, b)");
    const CHECKED: bool = T::SUMS_CHECKED;
    fn apply(&self, old: T, new: T) -> T {
        self.value(old, new).0
    }
    fn is_defined(&self, old: T, new: T) -> bool {
        self.value(old, new).1
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("beta", self.beta);
        bind.scalar("alpha", self.alpha);
        bind.scalar("conjugate", self.conjugate);
    }
}
