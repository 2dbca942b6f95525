//! Elementary functions of `f32` and `f64`: exponentials, logarithms, trigonometric and hyperbolic functions, roots and powers.
//!
//! `functions.rs`, which [`double`] and [`single`] include, is one text for both types, without branches, so that the compiler vectorises
//! a loop over it. It needs fused products and sums (FMA): on x86-64 from the level [`Avx2`](crate::simd::Level) on, and on every 64-bit ARM. There, an element's
//! result does not depend on its position, on the number of threads, or on the width of the registers. Other processors, and builds
//! with debug assertions, use the functions of the C library; only inverse hyperbolic functions are these, with FMA in software.
//!
//! A function of one number is the loop over many of them with one element.

mod coefficients;
mod double;
mod single;
#[cfg(test)]
mod tests;

use crate::simd::kernel;

/// An elementary function, as a value.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub enum Elementary {
    /// One that complex numbers have, too.
    Float(FloatFunction),
    Real(RealFunction),
    /// A power with this exponent.
    Power(f64),
}

/// Functions that floating and complex numbers share, as a value. Kernels know them by their position here.
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

/// Elementary functions that floating-point numbers have and complex numbers do not.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RealFunction {
    Cbrt,
    ExpM1,
    Ln1p,
}

/// A function of numbers `F`, without branches.
trait Branchless<F>: Copy {
    /// Whether there are arguments that [`compute`](Branchless::compute) is not for.
    const HAS_FAR: bool = false;
    /// The function, except of [far](Branchless::is_far) arguments.
    fn compute(self, x: F) -> F;
    /// Whether an argument is so far from 0 that it takes more than [`compute`](Branchless::compute).
    fn is_far(self, _: F) -> bool {
        false
    }
    /// The function of a far argument.
    fn far(self, x: F) -> F {
        self.compute(x)
    }
}

kernel! {
    /// Computes `to[i] = f(from[i])`, as if no argument were far.
    ///
    /// # Safety
    /// The caller must ensure that `n` elements from `from` are readable and `n` from `to` writable, that nothing else accesses those, and
    /// that the two are the same elements or do not overlap.
    fused unsafe fn compute_all[F: Copy, R: Branchless<F>][F, R](f: R, from: *const F, to: *mut F, n: usize) -> () {
        let mut i = 0;
        while i < n {
            // SAFETY: `i < n`, and the caller ensures that this element is readable.
            let x = unsafe { *from.wrapping_add(i) };
            // SAFETY: as for `from`, and the caller ensures exclusive access.
            unsafe { *to.wrapping_add(i) = f.compute(x) };
            i += 1;
        }
    }
}

kernel! {
    /// Returns whether an argument is far.
    ///
    /// # Safety
    /// The caller must ensure that `n` elements from `from` are readable.
    fused unsafe fn any_far[F: Copy, R: Branchless<F>][F, R](f: R, from: *const F, n: usize) -> bool {
        let (mut any, mut i) = (false, 0);
        while i < n {
            // SAFETY: `i < n`, and the caller ensures that this element is readable.
            any |= f.is_far(unsafe { *from.wrapping_add(i) });
            i += 1;
        }
        any
    }
}

/// Arguments that are looked through for far ones before they are computed: few enough to stay in the first-level cache.
const CHUNK: usize = 512;

/// Computes `to[i] = f(from[i])`. Returns whether it did: if the processor has no FMA, nothing was written.
///
/// # Safety
/// As [`compute_all`].
unsafe fn map_function<F: Copy + Default, R: Branchless<F>>(
    f: R,
    from: *const F,
    to: *mut F,
    n: usize,
) -> bool {
    if !R::HAS_FAR {
        // SAFETY: this function has the contract of `compute_all`.
        return unsafe { compute_all::<F, R>(f, from, to, n) }.is_some();
    }
    let mut at = 0;
    while at < n {
        let count = CHUNK.min(n - at);
        let (from, to) = (from.wrapping_add(at), to.wrapping_add(at));
        at += count;
        // SAFETY: `count` of the elements that the caller ensures are readable.
        let Some(far) = (unsafe { any_far::<F, R>(f, from, count) }) else { return false };
        if far {
            // SAFETY: `count` of the elements of this function's contract, at the same place on both sides.
            unsafe { compute_with_far(f, from, to, count) };
        } else {
            // SAFETY: as for far arguments.
            unsafe { compute_all::<F, R>(f, from, to, count) };
        }
    }
    true
}

/// [`compute_all`] of at most [`CHUNK`] arguments, of which some are far. Those are computed a second time.
///
/// # Safety
/// As [`compute_all`].
#[cold]
unsafe fn compute_with_far<F: Copy + Default, R: Branchless<F>>(f: R, from: *const F, to: *mut F, n: usize) {
    // The results may take the arguments' place.
    let mut arguments = [F::default(); CHUNK];
    let arguments = &mut arguments[..n];
    // SAFETY: the caller ensures that `n` elements are readable; `arguments` is a local variable with as many.
    unsafe { core::ptr::copy_nonoverlapping(from, arguments.as_mut_ptr(), n) };
    // SAFETY: this function has the contract of `compute_all`.
    unsafe { compute_all::<F, R>(f, from, to, n) };
    for (i, &x) in arguments.iter().enumerate().filter(|(_, x)| f.is_far(**x)) {
        // SAFETY: `i < n`: one of the elements that the caller ensures are writable.
        unsafe { *to.wrapping_add(i) = f.far(x) };
    }
}

/// The functions of one floating-point type, each as a type, so that a loop is compiled for each.
macro_rules! functions {
    ($numbers:ident: $F:ident, $module:ident) => {
        pub(crate) mod $numbers {
            use super::$module as text;
            use super::{Branchless, Elementary, FloatFunction, RealFunction, map_function};

            macro_rules! near {
                ($Name:ident, $function:ident) => {
                    near!($Name, |x| text::$function(x));
                };
                ($Name:ident, |$x:ident| $value:expr) => {
                    #[derive(Clone, Copy)]
                    struct $Name;
                    impl Branchless<$F> for $Name {
                        #[inline(always)]
                        fn compute(self, $x: $F) -> $F {
                            $value
                        }
                    }
                };
                ($Name:ident, $function:ident, $far:ident) => {
                    #[derive(Clone, Copy)]
                    struct $Name;
                    impl Branchless<$F> for $Name {
                        const HAS_FAR: bool = true;
                        #[inline(always)]
                        fn compute(self, x: $F) -> $F {
                            text::$function(x)
                        }
                        #[inline(always)]
                        fn is_far(self, x: $F) -> bool {
                            text::is_far(x)
                        }
                        fn far(self, x: $F) -> $F {
                            text::$far(x)
                        }
                    }
                };
            }
            near!(Exp, exp);
            near!(Exp2, exp2);
            near!(ExpM1, exp_m1);
            near!(Ln, ln);
            near!(Log2, log2);
            near!(Log10, log10);
            near!(Ln1p, ln_1p);
            near!(Sin, sin, sin_far);
            near!(Cos, cos, cos_far);
            near!(Tan, tan, tan_far);
            near!(Asin, asin);
            near!(Acos, acos);
            near!(Atan, atan);
            near!(Sinh, sinh);
            near!(Cosh, cosh);
            near!(Tanh, tanh);
            near!(Asinh, asinh);
            near!(Acosh, acosh);
            near!(Atanh, atanh);
            near!(Cbrt, cbrt);

            #[derive(Clone, Copy)]
            struct Power($F);
            impl Branchless<$F> for Power {
                #[inline(always)]
                fn compute(self, x: $F) -> $F {
                    text::powf(x, self.0)
                }
            }

            // Powers that are one operation, which rounds once.
            near!(First, |x| x);
            near!(Square, |x| x * x);
            near!(Reciprocal, |x| 1.0 / x);
            // Other than the root, the power of -0 is 0, and that of an infinity is positive.
            near!(Root, |x| if x == $F::NEG_INFINITY { $F::INFINITY } else { (x + 0.0).sqrt() });

            /// Computes `to[i] = f(from[i])` for `n` elements. Returns whether it did: if the processor has no FMA, nothing was written.
            ///
            /// # Safety
            /// The caller must ensure that `n` elements are readable from `from` and writable from `to`, that nothing else accesses the
            /// latter, and that the two are the same elements or do not overlap.
            pub(crate) unsafe fn map(f: Elementary, from: *const $F, to: *mut $F, n: usize) -> bool {
                macro_rules! map {
                    ($f:expr) => {
                        // SAFETY: this function has the contract of `map_function`.
                        unsafe { map_function($f, from, to, n) }
                    };
                }
                match f {
                    Elementary::Power(1.0) => map!(First),
                    Elementary::Power(2.0) => map!(Square),
                    Elementary::Power(-1.0) => map!(Reciprocal),
                    Elementary::Power(0.5) => map!(Root),
                    Elementary::Power(n) => map!(Power(n as $F)),
                    Elementary::Real(RealFunction::Cbrt) => map!(Cbrt),
                    Elementary::Real(RealFunction::ExpM1) => map!(ExpM1),
                    Elementary::Real(RealFunction::Ln1p) => map!(Ln1p),
                    Elementary::Float(f) => match f {
                        // An instruction of its own, which the loop of other functions has.
                        FloatFunction::Sqrt => false,
                        FloatFunction::Exp => map!(Exp),
                        FloatFunction::Exp2 => map!(Exp2),
                        FloatFunction::Ln => map!(Ln),
                        FloatFunction::Log2 => map!(Log2),
                        FloatFunction::Log10 => map!(Log10),
                        FloatFunction::Sin => map!(Sin),
                        FloatFunction::Cos => map!(Cos),
                        FloatFunction::Tan => map!(Tan),
                        FloatFunction::Asin => map!(Asin),
                        FloatFunction::Acos => map!(Acos),
                        FloatFunction::Atan => map!(Atan),
                        FloatFunction::Sinh => map!(Sinh),
                        FloatFunction::Cosh => map!(Cosh),
                        FloatFunction::Tanh => map!(Tanh),
                        FloatFunction::Asinh => map!(Asinh),
                        FloatFunction::Acosh => map!(Acosh),
                        FloatFunction::Atanh => map!(Atanh),
                    },
                }
            }

            /// Returns the function of one number, with the same bits as [`map`]; `None` if the processor has no FMA.
            pub(crate) fn one(f: Elementary, x: $F) -> Option<$F> {
                let mut y = x;
                // SAFETY: one element on each side, in two variables.
                unsafe { map(f, &raw const x, &raw mut y, 1) }.then_some(y)
            }

            /// Returns an inverse hyperbolic function without FMA instructions, which takes long; `None` of other functions. Those of the
            /// standard library overflow before their results do, and lose half of the digits next to 1.
            #[cold]
            pub(crate) fn inverse_hyperbolic(f: FloatFunction, x: $F) -> Option<$F> {
                match f {
                    FloatFunction::Asinh => Some(text::asinh(x)),
                    FloatFunction::Acosh => Some(text::acosh(x)),
                    FloatFunction::Atanh => Some(text::atanh(x)),
                    _ => None,
                }
            }
        }
    };
}
functions!(numbers32: f32, single);
functions!(numbers64: f64, double);
