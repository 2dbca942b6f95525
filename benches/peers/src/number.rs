//! The element types: numbers to all libraries at once.

use num_complex::Complex;

/// An element type of every library.
pub trait Number:
    vierbein::Scalar + ndarray::LinalgScalar + strided_opteinsum::EinsumScalar + faer::traits::ComplexField
{
    const NAME: &'static str;
    /// From two numbers in `-1..1`.
    fn sample(re: f64, im: f64) -> Self;
    fn magnitude(self) -> f64;
}

impl Number for f64 {
    const NAME: &'static str = "f64";
    fn sample(re: f64, _: f64) -> f64 {
        re
    }
    fn magnitude(self) -> f64 {
        f64::abs(self)
    }
}

impl Number for Complex<f64> {
    const NAME: &'static str = "c64";
    fn sample(re: f64, im: f64) -> Complex<f64> {
        Complex::new(re, im)
    }
    fn magnitude(self) -> f64 {
        self.norm()
    }
}

/// The same numbers on every run.
pub struct Sequence(pub u64);

impl Sequence {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * end as u128) >> 64) as usize
    }
    pub fn number<T: Number>(&mut self) -> T {
        let mut part = || self.below(1 << 24) as f64 / f64::from(1 << 23) - 1.0;
        T::sample(part(), part())
    }
}
