//! The arguments of Fourier transforms.

/// Which direction of a Fourier transform divides by the number of elements `n`, as in NumPy.
///
/// Without a division, transforming an input and transforming the result back gives `n` times the input. `n` is the product of the lengths
/// along the transformed axes.
///
/// ```
/// use vierbein::fft::{Fft, Norm};
/// use vierbein::tensor;
/// let ones = tensor![1.0_f64, 1.0, 1.0, 1.0];
/// let first = |norm: Norm| ones.fft_with(0, Fft::new().norm(norm))[[0]].re;
/// assert_eq!((first(Norm::Backward), first(Norm::Ortho), first(Norm::Forward)), (4.0, 2.0, 1.0));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Norm {
    /// The inverse transform divides by `n`. This is the default.
    #[default]
    Backward,
    /// Both transforms divide by `√n`, so they preserve the Euclidean norm.
    Ortho,
    /// The forward transform divides by `n`.
    Forward,
}

/// The arguments of a Fourier transform on a device, apart from its operands: see [`Fourier::fft`](crate::device::Fourier::fft).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transform {
    /// The number of transformed axes: the last axes of both operands.
    pub axes: usize,
    /// The length of the transform along the last axis. In transforms between real and complex numbers, it is the number of real
    /// elements.
    pub len: usize,
    /// Whether this is the inverse transform.
    pub inverse: bool,
    /// Which direction divides by the number of elements.
    pub norm: Norm,
}

impl Transform {
    /// Returns the factor by which a transform of length `n` along one axis is multiplied. The factor of a transform along several axes is
    /// the product of the factors of the axes.
    #[must_use]
    pub fn factor(&self, n: usize) -> f64 {
        match (self.norm, self.inverse) {
            (Norm::Backward, false) | (Norm::Forward, true) => 1.0,
            (Norm::Ortho, _) => 1.0 / (n as f64).sqrt(),
            (Norm::Backward, true) | (Norm::Forward, false) => 1.0 / n as f64,
        }
    }
}
