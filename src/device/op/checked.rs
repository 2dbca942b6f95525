//! Sums and products of two elements that detect overflow whenever sums of many elements do. Scans and contractions use them.

use super::BinaryOp;
use crate::device::CudaSource;
use crate::element::{Arithmetic, Scalar};

/// The sum of two elements. In contrast to [`Add`](super::binary::Add), an overflow is detected whenever sums of many elements detect it: see
/// [`Scalar::SUMS_CHECKED`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckedAdd;

impl<T: Scalar> BinaryOp<T, T> for CheckedAdd {
    type Output = T;
    const NAME: &'static str = "accumulate";
    const CUDA: CudaSource = CudaSource::builtin("wrapping_add(a, b)");
    const CUDA_DEFINED: CudaSource = CudaSource::builtin("fits_add(a, b)");
    const CHECKED: bool = T::SUMS_CHECKED;
    const ASSOCIATIVE: bool = true;
    #[inline]
    fn apply(&self, a: T, b: T) -> T {
        T::wrapping(Arithmetic::Add, a, b)
    }
    #[inline]
    fn is_defined(&self, a: T, b: T) -> bool {
        T::fits(Arithmetic::Add, a, b)
    }
    fn operands(&self, a: T, b: T) -> String {
        format!("{a} + {b}")
    }
}

/// The product of two elements, with the checks of [`CheckedAdd`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckedMul;

impl<T: Scalar> BinaryOp<T, T> for CheckedMul {
    type Output = T;
    const NAME: &'static str = "accumulate";
    const CUDA: CudaSource = CudaSource::builtin("wrapping_mul(a, b)");
    const CUDA_DEFINED: CudaSource = CudaSource::builtin("fits_mul(a, b)");
    const CHECKED: bool = T::SUMS_CHECKED;
    const ASSOCIATIVE: bool = true;
    const MULTIPLIES: bool = true;
    #[inline]
    fn apply(&self, a: T, b: T) -> T {
        T::wrapping(Arithmetic::Mul, a, b)
    }
    #[inline]
    fn is_defined(&self, a: T, b: T) -> bool {
        T::fits(Arithmetic::Mul, a, b)
    }
    fn operands(&self, a: T, b: T) -> String {
        format!("{a} · {b}")
    }
}
