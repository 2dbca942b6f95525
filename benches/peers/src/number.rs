//! The element types of the benchmarks. They implement the numeric traits of all libraries.

use num_complex::{Complex, ComplexFloat};
use rstsr_core::prelude::{DeviceFaer, TensorView};
use rstsr_core::prelude_dev::IxD;
use strided_opteinsum::EinsumScalar;
use vierbein::{Dim, RealScalar, Tensor};

/// An element type that every library supports.
pub trait Number:
    vierbein::Scalar
    + ndarray::LinalgScalar
    + strided_kernel::MaybeSimdOps
    + faer::traits::ComplexField
    + std::iter::Sum
    + rstsr_core::prelude_dev::DTypeCastAPI<Self>
{
    const NAME: &'static str;
    /// Maximum error of a sum, relative to the sum of the magnitudes of its terms.
    const TOLERANCE: f64;
    /// Returns the number with this real part and, for complex types, this imaginary part.
    fn sample(re: f64, im: f64) -> Self;
    fn magnitude(self) -> f64;
    /// Returns `|x|²` in the element type, by the expression that a user would write to compute a norm.
    fn square(self) -> Self;
    /// Returns vierbein's norm, converted to the element type.
    fn norm_of<D: Dim>(x: &Tensor<Self, D>) -> Self;
    fn rstsr_norm_of(x: &TensorView<'_, Self, DeviceFaer, IxD>) -> Self;
    fn faer_norm_of(x: faer::MatRef<'_, Self>) -> Self;
}

/// An element type that strided-opteinsum also supports, so that contractions can be compared.
pub trait Contracted: Number + EinsumScalar {}
impl Contracted for f64 {}
impl Contracted for Complex<f64> {}

/// An ordered element type.
pub trait Real: Number + RealScalar + PartialOrd {}
impl Real for f32 {}
impl Real for f64 {}

macro_rules! numbers {
    ($($T:ty, $name:literal, $tolerance:literal, |$re:ident, $im:ident| $sample:expr, |$norm:ident| $from_norm:expr;)*) => {$(
        impl Number for $T {
            const NAME: &'static str = $name;
            const TOLERANCE: f64 = $tolerance;
            fn sample($re: f64, $im: f64) -> $T {
                $sample
            }
            fn magnitude(self) -> f64 {
                ComplexFloat::abs(self).into()
            }
            #[inline(always)]
            fn square(self) -> $T {
                self * ComplexFloat::conj(self)
            }
            fn norm_of<D: Dim>(x: &Tensor<$T, D>) -> $T {
                let $norm = x.norm().item();
                $from_norm
            }
            fn rstsr_norm_of(x: &TensorView<'_, $T, DeviceFaer, IxD>) -> $T {
                let $norm = x.l2_norm_all();
                $from_norm
            }
            fn faer_norm_of(x: faer::MatRef<'_, $T>) -> $T {
                let $norm = x.norm_l2();
                $from_norm
            }
        }
    )*};
}
numbers! {
    f32, "f32", 1e-4, |re, _im| re as f32, |norm| norm;
    f64, "f64", 1e-10, |re, _im| re, |norm| norm;
    Complex<f64>, "c64", 1e-10, |re, im| Complex::new(re, im), |norm| Complex::new(norm, 0.0);
}

/// A pseudo-random number generator (linear congruential) with a given state. It gives the same numbers in every run.
pub struct Generator(pub u64);

impl Generator {
    /// Returns a number from 0 to `end - 1`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * end as u128) >> 64) as usize
    }
    /// Returns an element whose parts are from -1 to below 1.
    pub fn number<T: Number>(&mut self) -> T {
        let mut part = || self.below(1 << 24) as f64 / f64::from(1 << 23) - 1.0;
        T::sample(part(), part())
    }
}
