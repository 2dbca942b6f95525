//! Elementary functions of `f32` and `f64`: exponentials, logarithms, trigonometric and hyperbolic functions, roots, powers and
//! remainders.
//!
//! The elementwise kernels of the CPU, and the scalar methods of the element types, call the functions of [`numbers32`] and
//! [`numbers64`]. Both types share their sources, which modules include:
//!
//! | source | contents | included by |
//! |---|---|---|
//! | `functions.rs`, `complex.rs` | functions of one element, without branches | [`single`], [`double`] |
//! | `bodies.rs` | a type for each function, the body of a loop | [`numbers32`], [`numbers64`] |
//! | `calls.rs` | the choice of the loop, called from outside of this module | [`numbers32`], [`numbers64`] |
//!
//! The functions have no branches, so the compiler vectorises loops over them ([`loops`]):
//!
//! ```text
//! for each chunk of CHUNK elements                                  (map_function, map_chunks)
//!     in place: copy the arguments to a buffer
//!     compute all                                                   (compute_all, vectorised)
//!     if any argument is far, that is, outside of the range of the formula:
//!         either compute all again by a general formula, and the    (compute_all for General, vectorised)
//!         next chunks by this formula only, until one has no far arguments
//!         or compute the results of the far arguments again         (compute_far, scalar)
//! ```
//!
//! The functions require fused multiply-add (FMA): on x86-64 from the level [`Avx2`](crate::simd::Level) on, and on every 64-bit
//! ARM. With FMA, the result for an element does not depend on its index, on the number of threads, or on the width of the
//! registers. On other processors, and on x86-64 in builds with debug assertions, the callers use the C library instead, and
//! `num-complex` for complex numbers. Inverse hyperbolic functions of real numbers, and complex functions for which `num-complex` is
//! inaccurate, are exceptions: there, too, this module computes them, with FMA in software.
//!
//! The scalar functions call the same loops with one element.

mod coefficients;
mod double;
mod integer_power;
mod loops;
mod quotient;
mod single;
#[cfg(test)]
mod tests;
mod truncate;

use num_complex::Complex;
pub(crate) use quotient::Quotient;
pub(crate) use truncate::Truncate;

/// An elementary function.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub enum Elementary {
    /// A function of real or complex numbers.
    Float(FloatFunction),
    Real(RealFunction),
    /// The power with this exponent, of real or complex numbers.
    Power(f64),
    /// The power with this exponent, of real or complex numbers.
    IntegerPower(i32),
    /// The argument of a complex number.
    Arg,
    /// A function of two numbers.
    Pair(PairFunction),
    /// A function of two numbers with this second argument, which is a real number if the first one is.
    PairWith(PairFunction, Complex<f64>),
    /// The quotient of this number by a complex number.
    QuotientOf(Complex<f64>),
}

/// A function of two floating-point numbers, or of two complex numbers.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum PairFunction {
    Atan2,
    Hypot,
    Pow,
    /// The remainder of a division, with the sign of the dividend.
    Rem,
    Div,
    /// The quotient of the second number by the first one.
    DivInto,
}

impl PairFunction {
    /// Returns whether there are loops for complex numbers or, if not `complex`, for floating-point numbers. Quotients of real numbers are
    /// ordinary arithmetic.
    pub(crate) const fn has_loop(self, complex: bool) -> bool {
        match self {
            PairFunction::Atan2 | PairFunction::Hypot | PairFunction::Rem => !complex,
            PairFunction::Pow => true,
            PairFunction::Div | PairFunction::DivInto => complex,
        }
    }
}

/// An elementary function of floating-point and complex numbers. CUDA sources select a function by the discriminant of its variant.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FloatFunction {
    Sqrt,
    Exp,
    Exp2,
    Ln,
    Log2,
    Log10,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
}

/// An elementary function of floating-point numbers. Of complex numbers, only [`ExpM1`](RealFunction::ExpM1) and
/// [`Ln1p`](RealFunction::Ln1p) exist.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RealFunction {
    Cbrt,
    ExpM1,
    Ln1p,
    Sigmoid,
    Erf,
    Erfc,
}

/// The functions of `f32` and `Complex<f32>`.
pub(crate) mod numbers32 {
    use super::single as functions;
    use num_complex::Complex;

    type Float = f32;

    include!("bodies.rs");
    include!("calls.rs");
}

/// The functions of `f64` and `Complex<f64>`.
pub(crate) mod numbers64 {
    use super::double as functions;
    use num_complex::Complex;

    type Float = f64;

    include!("bodies.rs");
    include!("calls.rs");
}
