//! Elementary functions of `f32` and `f64`: exponentials, logarithms, trigonometric and hyperbolic functions, roots, powers and
//! remainders.
//!
//! The elementwise kernels of the CPU, and the scalar methods of the element types, call these functions. [`double`] and [`single`]
//! include `functions.rs`, one source for both types. Its functions have no branches, so the compiler vectorises loops over them:
//!
//! ```text
//! for each chunk of CHUNK elements                                  (map_function, map_chunks)
//!     in place: copy the arguments to a buffer
//!     compute all                                                   (compute_all, vectorised)
//!     if any argument is outside of the range of the formula:
//!         compute all again by another formula, and by this formula (compute_all for General, vectorised)
//!         alone in the next chunks, until no argument is outside
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
mod quotient;
mod single;
#[cfg(test)]
mod tests;
mod truncate;

use crate::simd::kernel;
use core::mem::MaybeUninit;
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

/// A function that is computed without branches, of an argument of type `A`.
trait Branchless<A>: Copy {
    type Output: Copy;
    /// Whether the loop of [`compute`](Branchless::compute) is also compiled for registers of 64 bytes.
    const WIDE: bool = true;
    /// How the results of [far](Branchless::is_far) arguments are computed.
    const FAR: Far = Far::None;
    /// Computes the function. The result is meaningless if the argument is [far](Branchless::is_far).
    fn compute(self, x: A) -> Self::Output;
    /// Returns whether an argument is *far*: the result of [`compute`](Branchless::compute) is invalid, usually because the argument is
    /// far from 0. Infinity, NaN and, for logarithms, zero and negative numbers are also far.
    fn is_far(self, _: A) -> bool {
        false
    }
    /// Computes the function of a far argument.
    fn far(self, x: A) -> Self::Output {
        self.compute(x)
    }
}

/// How the results of [far](Branchless::is_far) arguments are computed.
enum Far {
    /// The function has no far arguments.
    None,
    /// [`far`](Branchless::far) computes them, one after the other.
    Scalar,
    /// [`far`](Branchless::far) has no branches. If a chunk has a far argument, a loop of `far` computes all results of the chunk, with the
    /// same bits as [`compute`](Branchless::compute) for arguments that are not far.
    Narrow,
    /// As for `Narrow`, with a loop that is also compiled for registers of 64 bytes. For functions that are often called with far
    /// arguments, such as 0 and infinity. For other functions, this loop would not be worth the time to compile it.
    Wide,
}

/// The function [`Branchless::far`] of a function, for all arguments.
#[derive(Clone, Copy)]
struct General<R>(R);

impl<A, R: Branchless<A>> Branchless<A> for General<R> {
    type Output = R::Output;
    const WIDE: bool = matches!(R::FAR, Far::Wide);
    #[inline(always)]
    fn compute(self, x: A) -> R::Output {
        self.0.far(x)
    }
    #[inline(always)]
    fn is_far(self, x: A) -> bool {
        self.0.is_far(x)
    }
}

/// The arguments of a loop: a pointer to numbers, or two such pointers.
trait Arguments: Copy {
    type Element: Copy + Default;
    type Argument: Copy;
    /// Reads argument `i`.
    ///
    /// # Safety
    /// The caller must ensure that element `i` from each pointer is readable.
    unsafe fn read(self, i: usize) -> Self::Argument;
    /// Returns pointers to the arguments from index `count` on.
    fn skip(self, count: usize) -> Self;
    /// Returns the first pointer.
    fn first(self) -> *const Self::Element;
    /// Replaces the first pointer.
    fn with_first(self, first: *const Self::Element) -> Self;
}

impl<F: Copy + Default> Arguments for *const F {
    type Element = F;
    type Argument = F;
    #[inline(always)]
    unsafe fn read(self, i: usize) -> F {
        // SAFETY: the caller ensures that element `i` from this pointer is readable.
        unsafe { *self.wrapping_add(i) }
    }
    fn skip(self, count: usize) -> Self {
        self.wrapping_add(count)
    }
    fn first(self) -> *const F {
        self
    }
    fn with_first(self, first: *const F) -> Self {
        first
    }
}

impl<F: Copy + Default> Arguments for [*const F; 2] {
    type Element = F;
    type Argument = [F; 2];
    #[inline(always)]
    unsafe fn read(self, i: usize) -> [F; 2] {
        // SAFETY: the caller ensures that element `i` from each pointer is readable.
        let x = unsafe { *self[0].wrapping_add(i) };
        // SAFETY: the caller ensures that element `i` from each pointer is readable, so also from the second one.
        let y = unsafe { *self[1].wrapping_add(i) };
        [x, y]
    }
    fn skip(self, count: usize) -> Self {
        self.map(|from| from.wrapping_add(count))
    }
    fn first(self) -> *const F {
        self[0]
    }
    fn with_first(self, first: *const F) -> Self {
        [first, self[1]]
    }
}

kernel! {
    /// Computes `to[i] = f(from[i])` for `n` elements. Returns whether any argument is [far](Branchless::is_far); the results of such
    /// arguments are meaningless.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * `n` elements from each pointer of `from` on are readable.
    /// * `n` elements from `to` on may be written. These results do not overlap the arguments, and nothing else accesses the
    ///   results.
    fused if (R::WIDE) unsafe fn compute_all[P: Arguments, R: Branchless<P::Argument>][P, R](
        f: R,
        from: P,
        to: *mut R::Output,
        n: usize,
    ) -> bool {
        let (mut any_far, mut i) = (false, 0);
        while i < n {
            // SAFETY: `i < n`, and the caller ensures that `n` elements from each pointer of `from` on are readable.
            let x = unsafe { from.read(i) };
            any_far |= f.is_far(x);
            // SAFETY: `i < n`, and the caller ensures exclusive access to `n` elements from `to` on.
            unsafe { *to.wrapping_add(i) = f.compute(x) };
            i += 1;
        }
        any_far
    }
}

/// Number of arguments in a chunk. A chunk is so small that it stays in L1 until the results of far arguments are computed.
const CHUNK: usize = 512;

/// Computes `to[i] = f(from[i])` for `n` elements. If the processor has no FMA, or the build has no code for it, writes nothing and
/// returns false.
///
/// # Safety
/// The contract of [`compute_all`], except that `to` may be equal to the first pointer of `from`.
unsafe fn map_function<P: Arguments, R: Branchless<P::Argument>>(
    f: R,
    from: P,
    to: *mut R::Output,
    n: usize,
) -> bool {
    if from.first().cast() != to.cast_const() {
        // SAFETY: the caller ensures the contract of `map_chunks`, except that `to` may be equal to the first pointer of `from`. Here, the
        // two pointers differ.
        return unsafe { map_chunks(f, from, to, n, &mut false) };
    }
    // In place, the arguments are copied: the compiler vectorises only loops whose results do not overlap their arguments.
    let mut buffer = [P::Element::default(); CHUNK];
    let (mut at, mut far) = (0, false);
    while at < n {
        let count = CHUNK.min(n - at);
        let (part, to) = (from.skip(at), to.wrapping_add(at));
        // SAFETY: `at + count <= n`, so the caller ensures that `count` elements from `part.first()` on are readable. `buffer` is a local
        // variable of `CHUNK >= count` elements, so it does not overlap them.
        unsafe { core::ptr::copy_nonoverlapping(part.first(), buffer.as_mut_ptr(), count) };
        // SAFETY: the caller ensures exclusive access to the results. If `part` has a second pointer, the caller ensures that `count`
        // elements from it on are readable, and do not overlap the results. `buffer` replaces the first pointer: it holds the same `count`
        // elements, and does not overlap the results.
        if !unsafe { map_chunks(f, part.with_first(buffer.as_ptr()), to, count, &mut far) } {
            return false;
        }
        at += count;
    }
    true
}

/// [`map_function`] for arguments that do not overlap the results. `far` is whether the chunk before had far arguments, and then whether the
/// last chunk had: often, the next one also has.
///
/// # Safety
/// The contract of [`compute_all`].
unsafe fn map_chunks<P: Arguments, R: Branchless<P::Argument>>(
    f: R,
    from: P,
    to: *mut R::Output,
    n: usize,
    far: &mut bool,
) -> bool {
    if const { matches!(R::FAR, Far::None) } {
        // SAFETY: `compute_all` has the same contract as `map_chunks`, and the caller ensures it for the same arguments.
        return unsafe { compute_all::<P, R>(f, from, to, n) }.is_some();
    }
    let mut at = 0;
    while at < n {
        let count = CHUNK.min(n - at);
        let (from, to) = (from.skip(at), to.wrapping_add(at));
        at += count;
        if !(*far && const { matches!(R::FAR, Far::Narrow | Far::Wide) }) {
            // SAFETY: `from` and `to` now point to `count` of the `n` arguments and results. The caller ensures the contract of `compute_all`
            // for all `n`.
            let Some(any) = (unsafe { compute_all::<P, R>(f, from, to, count) }) else { return false };
            *far = any;
        }
        if *far && const { matches!(R::FAR, Far::Narrow | Far::Wide) } {
            // SAFETY: the caller ensures the contract of `compute_all` for `n` elements, and these are `count` of them.
            let Some(any) = (unsafe { compute_all::<P, General<R>>(General(f), from, to, count) }) else {
                return false;
            };
            *far = any;
        } else if *far {
            // SAFETY: `compute_far` has the contract of `compute_all`. The caller ensures it for `n` elements, and these are `count` of
            // them.
            unsafe { compute_far(f, from, to, count) };
        }
    }
    true
}

/// Computes a function of two arguments, of which the second is always `right`. Calls `map` for each chunk, with pointers to the first
/// arguments, to as many copies of `right`, and to the results, and with their number. Returns false if `map` does.
///
/// `map` may assume that the copies of `right` are readable and do not overlap the results. The pointers to the first arguments and to the
/// results are `from` and `to`, increased by the same number. The elements from them on are among the first `n`.
fn map_with<F: Copy>(
    right: F,
    from: *const F,
    to: *mut F,
    n: usize,
    map: impl Fn(*const F, *const F, *mut F, usize) -> bool,
) -> bool {
    let mut rights = [MaybeUninit::<F>::uninit(); CHUNK];
    rights[..CHUNK.min(n)].fill(MaybeUninit::new(right));
    (0..n)
        .step_by(CHUNK)
        .all(|at| map(from.wrapping_add(at), rights.as_ptr().cast(), to.wrapping_add(at), CHUNK.min(n - at)))
}

/// Calls `map` for each chunk of two arguments, with pointers to the arguments and to the results, and with their number. An argument with
/// `single` is the same for all results. `map` gets copies of it, and of arguments that are the results, too. Returns false if `map` does.
///
/// # Safety
/// The caller must ensure that `n` elements from each argument on are readable, or one if it is `single`. `to` may be equal to an argument.
unsafe fn map_apart<F: Copy>(
    arguments: [*const F; 2],
    single: [bool; 2],
    to: *mut F,
    n: usize,
    map: impl Fn(*const F, *const F, *mut F, usize) -> bool,
) -> bool {
    let mut copies = [[MaybeUninit::<F>::uninit(); CHUNK]; 2];
    (0..n).step_by(CHUNK).all(|at| {
        let (count, to) = (CHUNK.min(n - at), to.wrapping_add(at));
        let mut parts = arguments;
        for k in 0..2 {
            if single[k] {
                // SAFETY: the caller ensures that one element from this argument on is readable.
                copies[k][..count].fill(MaybeUninit::new(unsafe { *arguments[k] }));
                parts[k] = copies[k].as_ptr().cast();
                continue;
            }
            parts[k] = arguments[k].wrapping_add(at);
            if parts[k] == to.cast_const() {
                // SAFETY: `at + count <= n`, so the caller ensures that `count` elements from this pointer on are readable. `copies` is a
                // local variable of `CHUNK >= count` elements.
                unsafe { core::ptr::copy_nonoverlapping(parts[k], copies[k].as_mut_ptr().cast(), count) };
                parts[k] = copies[k].as_ptr().cast();
            }
        }
        map(parts[0], parts[1], to, count)
    })
}

/// Computes the results of [far](Branchless::is_far) arguments, and overwrites the meaningless results that [`compute_all`] has written
/// for them.
///
/// # Safety
/// The contract of [`compute_all`].
#[cold]
unsafe fn compute_far<P: Arguments, R: Branchless<P::Argument>>(f: R, from: P, to: *mut R::Output, n: usize) {
    for i in 0..n {
        // SAFETY: `i < n`, and the caller ensures that `n` elements from each pointer of `from` on are readable.
        let x = unsafe { from.read(i) };
        if f.is_far(x) {
            // SAFETY: `i < n`, and the caller ensures exclusive access to `n` elements from `to` on.
            unsafe { *to.wrapping_add(i) = f.far(x) };
        }
    }
}

/// Defines a type that implements [`Branchless`] for a function. The loops are generic over this type, so each function is compiled into
/// a loop of its own.
macro_rules! branchless {
    ($Name:ident, |$x:ident: $Argument:ty| -> $Output:ty $value:block) => {
        branchless!(@type $Name, $x: $Argument, $Output, $value,);
    };
    // `$Far` is a variant of `Far`. The last two expressions are a predicate and a function of far arguments.
    ($Name:ident, |$x:ident: $Argument:ty| -> $Output:ty $value:block, $is_far:expr, $Far:ident $far:expr) => {
        branchless! { @type $Name, $x: $Argument, $Output, $value,
            const FAR: Far = Far::$Far;
            #[inline(always)]
            fn is_far(self, x: $Argument) -> bool {
                $is_far(x)
            }
            #[inline(always)]
            fn far(self, x: $Argument) -> $Output {
                $far(x)
            }
        }
    };
    (@type $Name:ident, $x:ident: $Argument:ty, $Output:ty, $value:block, $($far:tt)*) => {
        #[derive(Clone, Copy)]
        struct $Name;
        impl Branchless<$Argument> for $Name {
            type Output = $Output;
            #[inline(always)]
            fn compute(self, $x: $Argument) -> $Output $value
            $($far)*
        }
    };
}

/// Defines the module with the functions of one floating-point type and of its complex numbers.
macro_rules! functions {
    ($numbers:ident: $F:ident, $module:ident) => {
        pub(crate) mod $numbers {
            use super::$module as text;
            use super::{
                Branchless, Complex, Elementary, Far, FloatFunction, PairFunction, Quotient, RealFunction, map_apart, map_function,
                map_with,
            };
            use crate::elementary::integer_power::LONGEST;
            use text::complex;
            pub(crate) use text::{complex_power, real_power};

            type Pair = Complex<$F>;

            macro_rules! real {
                ($Name:ident, $function:ident) => {
                    branchless!($Name, |x: $F| -> $F { text::$function(x) });
                };
                ($Name:ident, $function:ident, $is_far:ident, $Far:ident $far:ident) => {
                    branchless!($Name, |x: $F| -> $F { text::$function(x) }, text::$is_far, $Far text::$far);
                };
            }
            real!(Exp, exp_ordinary, exp_is_far, Wide exp);
            real!(Exp2, exp2_ordinary, exp2_is_far, Wide exp2);
            real!(ExpM1, exp_m1_ordinary, exp_is_far, Narrow exp_m1);
            real!(Ln, ln_normal, is_not_normal, Wide ln);
            real!(Log2, log2_normal, is_not_normal, Wide log2);
            real!(Log10, log10_normal, is_not_normal, Wide log10);
            real!(Ln1p, ln_1p_ordinary, ln_1p_is_far, Wide ln_1p);
            real!(Tan, tan, is_far, Scalar tan_far);
            real!(Asin, asin);
            real!(Acos, acos);
            real!(Atan, atan);
            real!(Sinh, sinh_ordinary, exp_is_far, Narrow sinh);
            real!(Cosh, cosh_ordinary, exp_is_far, Narrow cosh);
            real!(Tanh, tanh);
            real!(Asinh, asinh_ordinary, asinh_is_far, Narrow asinh);
            real!(Acosh, acosh_ordinary, acosh_is_far, Narrow acosh);
            real!(Atanh, atanh_ordinary, atanh_is_far, Narrow atanh);
            real!(Cbrt, cbrt_ordinary, cbrt_is_far, Wide cbrt);
            real!(Sigmoid, sigmoid_ordinary, exp_is_far, Narrow sigmoid);

            /// Computes the sine or, if `cosine`, the cosine. A flag selects the function at run time, because each loop takes time to
            /// compile.
            #[derive(Clone, Copy)]
            struct Sin {
                cosine: bool,
            }
            impl Branchless<$F> for Sin {
                type Output = $F;
                const FAR: Far = Far::Scalar;
                #[inline(always)]
                fn compute(self, x: $F) -> $F {
                    text::sin_or_cos(self.cosine, x)
                }
                #[inline(always)]
                fn is_far(self, x: $F) -> bool {
                    text::is_far(x)
                }
                fn far(self, x: $F) -> $F {
                    if self.cosine { text::cos_far(x) } else { text::sin_far(x) }
                }
            }

            /// Computes the error function or, if `complement`, its complement.
            #[derive(Clone, Copy)]
            struct Erf {
                complement: bool,
            }
            impl Branchless<$F> for Erf {
                type Output = $F;
                #[inline(always)]
                fn compute(self, x: $F) -> $F {
                    text::erf_or_erfc(self.complement, x)
                }
            }

            #[derive(Clone, Copy)]
            struct Power($F);
            impl Branchless<$F> for Power {
                type Output = $F;
                const FAR: Far = Far::Wide;
                #[inline(always)]
                fn compute(self, x: $F) -> $F {
                    text::powf_ordinary(x, self.0)
                }
                #[inline(always)]
                fn is_far(self, x: $F) -> bool {
                    text::powf_is_far(x, self.0)
                }
                #[inline(always)]
                fn far(self, x: $F) -> $F {
                    text::powf(x, self.0)
                }
            }

            // Powers with the exponents 1, 2, -1 and 1/2. Each takes at most one operation that rounds.
            branchless!(First, |x: $F| -> $F { x });
            branchless!(Square, |x: $F| -> $F { x * x });
            branchless!(Reciprocal, |x: $F| -> $F { 1.0 / x });
            // Unlike the square root, the power 1/2 of -0 is 0, and the power 1/2 of negative infinity is infinity.
            branchless!(Root, |x: $F| -> $F {
                if x == $F::NEG_INFINITY { $F::INFINITY } else { (x + 0.0).sqrt() }
            });

            /// A power with this exponent, which has at most `BITS` bits.
            #[derive(Clone, Copy)]
            struct ShortPower<const BITS: u32>(u32);
            impl<const BITS: u32> Branchless<$F> for ShortPower<BITS> {
                type Output = $F;
                #[inline(always)]
                fn compute(self, x: $F) -> $F {
                    text::short_power::<BITS>(x, self.0)
                }
            }

            /// The reciprocal of a power with this exponent, which has at most four bits.
            #[derive(Clone, Copy)]
            struct ShortInverse(u32);
            impl Branchless<$F> for ShortInverse {
                type Output = $F;
                const FAR: Far = Far::Scalar;
                #[inline(always)]
                fn compute(self, x: $F) -> $F {
                    text::short_inverse::<4>(x, self.0)
                }
                #[inline(always)]
                fn is_far(self, x: $F) -> bool {
                    text::short_inverse_is_far::<4>(x, self.0)
                }
                fn far(self, x: $F) -> $F {
                    text::real_power(x, -(self.0 as i32))
                }
            }

            /// A power with any exponent.
            #[derive(Clone, Copy)]
            struct LongPower(i32);
            impl Branchless<$F> for LongPower {
                type Output = $F;
                const WIDE: bool = false;
                #[inline(always)]
                fn compute(self, x: $F) -> $F {
                    text::real_power(x, self.0)
                }
            }
            impl Branchless<Pair> for LongPower {
                type Output = Pair;
                const WIDE: bool = false;
                #[inline(always)]
                fn compute(self, z: Pair) -> Pair {
                    text::complex_power(z, self.0)
                }
            }

            #[derive(Clone, Copy)]
            struct ShortComplexPower(i32);
            impl Branchless<Pair> for ShortComplexPower {
                type Output = Pair;
                const FAR: Far = Far::Scalar;
                #[inline(always)]
                fn compute(self, z: Pair) -> Pair {
                    text::short_complex_power(z, self.0.unsigned_abs(), self.0 < 0)
                }
                #[inline(always)]
                fn is_far(self, z: Pair) -> bool {
                    !complex::is_finite(z)
                }
                fn far(self, z: Pair) -> Pair {
                    text::complex_power(z, self.0)
                }
            }

            branchless!(Atan2, |x: [$F; 2]| -> $F { text::atan2(x[0], x[1]) });
            branchless!(Hypot, |x: [$F; 2]| -> $F { text::hypot(x[0], x[1]) });
            branchless!(
                Pow,
                |x: [$F; 2]| -> $F { text::powf_ordinary(x[0], x[1]) },
                |x: [$F; 2]| text::powf_is_far(x[0], x[1]),
                Wide |x: [$F; 2]| text::powf(x[0], x[1])
            );
            branchless!(
                Rem,
                |x: [$F; 2]| -> $F { text::remainder(x[0], x[1]) },
                |x: [$F; 2]| text::remainder_is_far(x[0], x[1]),
                Scalar |x: [$F; 2]| x[0] % x[1]
            );

            macro_rules! complex {
                ($Name:ident, $function:ident) => {
                    branchless!($Name, |z: Pair| -> Pair { complex::$function(z) });
                };
                ($Name:ident, $function:ident, $is_far:ident, $far:ident) => {
                    branchless!(
                        $Name,
                        |z: Pair| -> Pair { complex::$function(z) },
                        complex::$is_far,
                        Scalar complex::$far
                    );
                };
            }
            complex!(ComplexSqrt, sqrt, sqrt_is_far, sqrt_far);
            complex!(ComplexExp, exp, exp_is_far, exp_far);
            complex!(ComplexExp2, exp2, exp_is_far, exp2_far);
            complex!(ComplexExpM1, exp_m1, exp_is_far, exp_m1_far);
            branchless!(ComplexLn1p, |z: Pair| -> Pair { text::complex_ln_1p(z) });

            #[derive(Clone, Copy)]
            struct ComplexLog(complex::Base);
            impl Branchless<Pair> for ComplexLog {
                type Output = Pair;
                #[inline(always)]
                fn compute(self, z: Pair) -> Pair {
                    complex::log(self.0, z)
                }
            }

            // Circular functions of z are hyperbolic functions of i z, and the same holds for their inverses: sin z = -i sinh(i z). As in
            // `Sin`, flags select the function at run time.

            /// Computes sinh z or, if `even`, cosh z. If `turned`, computes sin z = -i sinh(i z) or cos z = cosh(i z).
            #[derive(Clone, Copy)]
            struct ComplexSinh {
                even: bool,
                turned: bool,
            }
            impl ComplexSinh {
                #[inline(always)]
                fn argument(self, z: Pair) -> Pair {
                    complex::times_i_if(self.turned, z)
                }
                #[inline(always)]
                fn result(self, _: Pair, w: Pair) -> Pair {
                    complex::over_i_if(self.turned & !self.even, w)
                }
            }

            /// Computes asin z or, if `acos`, acos z. If `hyperbolic`, computes asinh z = -i asin(i z) or acosh z.
            #[derive(Clone, Copy)]
            struct ComplexAsin {
                acos: bool,
                hyperbolic: bool,
            }
            impl ComplexAsin {
                #[inline(always)]
                fn argument(self, z: Pair) -> Pair {
                    complex::times_i_if(self.hyperbolic & !self.acos, z)
                }
                #[inline(always)]
                fn result(self, z: Pair, w: Pair) -> Pair {
                    let w = complex::over_i_if(self.hyperbolic & !self.acos, w);
                    complex::select_pair(self.hyperbolic & self.acos, complex::acosh(z, w), w)
                }
            }

            // Computes tanh z or, if `turned`, tan z = -i tanh(i z). The same for the inverse functions.
            macro_rules! turned {
                ($Name:ident) => {
                    #[derive(Clone, Copy)]
                    struct $Name {
                        turned: bool,
                    }
                    impl $Name {
                        #[inline(always)]
                        fn argument(self, z: Pair) -> Pair {
                            complex::times_i_if(self.turned, z)
                        }
                        #[inline(always)]
                        fn result(self, _: Pair, w: Pair) -> Pair {
                            complex::over_i_if(self.turned, w)
                        }
                    }
                };
            }
            turned!(ComplexTanh);
            turned!(ComplexAtanh);

            // `$function` and `$far` are expressions in `$f`, the value of the type, and `$z`, what its method `argument` returns. They are
            // not passed to a function as parameters: the compiler would not inline the calls of such parameters, so it would not vectorise
            // the loops. `scripts/check-inlining.sh` checks that it inlines all calls.
            macro_rules! selected {
                ($Name:ident, |$f:ident, $z:ident| $function:expr, $is_far:ident, $far:expr) => {
                    impl Branchless<Pair> for $Name {
                        type Output = Pair;
                        const FAR: Far = Far::Scalar;
                        #[inline(always)]
                        fn compute(self, z: Pair) -> Pair {
                            let ($f, $z) = (self, self.argument(z));
                            self.result(z, $function)
                        }
                        #[inline(always)]
                        fn is_far(self, z: Pair) -> bool {
                            complex::$is_far(self.argument(z))
                        }
                        fn far(self, z: Pair) -> Pair {
                            let ($f, $z) = (self, self.argument(z));
                            self.result(z, $far)
                        }
                    }
                };
            }
            selected!(
                ComplexSinh,
                |f, z| complex::sinh_or_cosh(f.even, z),
                hyperbolic_is_far,
                complex::sinh_or_cosh_far(f.even, z)
            );
            selected!(ComplexTanh, |_f, z| complex::tanh(z), tanh_is_far, complex::tanh_far(z));
            selected!(
                ComplexAsin,
                |f, z| complex::asin_or_acos(f.acos, z),
                is_large,
                complex::asin_or_acos_far(f.acos, z)
            );
            selected!(ComplexAtanh, |_f, z| complex::atanh(z), atanh_is_far, complex::atanh_far(z));
            branchless!(Arg, |z: Pair| -> $F { complex::arg(z) });
            branchless!(ComplexSquare, |z: Pair| -> Pair { z * z });
            branchless!(
                ComplexQuotient,
                |z: [Pair; 2]| -> Pair { $F::near(z[0], z[1]) },
                |z: [Pair; 2]| $F::is_far(z[0], z[1]),
                Scalar |z: [Pair; 2]| $F::far(z[0], z[1])
            );

            #[derive(Clone, Copy)]
            struct ComplexPow;
            impl Branchless<[Pair; 2]> for ComplexPow {
                type Output = Pair;
                const FAR: Far = Far::Scalar;
                #[inline(always)]
                fn compute(self, z: [Pair; 2]) -> Pair {
                    text::powc(z[0], z[1])
                }
                #[inline(always)]
                fn is_far(self, z: [Pair; 2]) -> bool {
                    text::powc_is_far(z[0], z[1])
                }
                fn far(self, z: [Pair; 2]) -> Pair {
                    text::powc_far(z[0], z[1])
                }
            }

            /// Computes `to[i] = f(from[i])` for `n` elements. Writes nothing and returns false if the processor has no FMA, if the
            /// build has no code for it, or if the `match` below has no loop for `f`.
            ///
            /// # Safety
            /// The caller must ensure:
            /// * `n` elements from `from` on are readable.
            /// * `n` elements from `to` on may be written, and nothing else accesses them.
            /// * `to` is equal to `from`, or the elements from `to` on do not overlap those from `from` on.
            pub(crate) unsafe fn map(f: Elementary, from: *const $F, to: *mut $F, n: usize) -> bool {
                macro_rules! map {
                    ($f:expr) => {
                        // SAFETY: the caller ensures `n` readable arguments and exclusive access to `n`
                        // results, which are the arguments or do not overlap them.
                        unsafe { map_function($f, from, to, n) }
                    };
                }
                match f {
                    Elementary::Power(1.0) => map!(First),
                    Elementary::Power(2.0) => map!(Square),
                    Elementary::Power(-1.0) => map!(Reciprocal),
                    Elementary::Power(0.5) => map!(Root),
                    Elementary::Power(n) => map!(Power(n as $F)),
                    Elementary::IntegerPower(-1) => map!(Reciprocal),
                    Elementary::IntegerPower(n @ -15..0) => map!(ShortInverse(n.unsigned_abs())),
                    Elementary::IntegerPower(2) => map!(Square),
                    Elementary::IntegerPower(n @ 0..4) => map!(ShortPower::<2>(n as u32)),
                    Elementary::IntegerPower(n @ 4..8) => map!(ShortPower::<3>(n as u32)),
                    Elementary::IntegerPower(n @ 8..16) => map!(ShortPower::<4>(n as u32)),
                    Elementary::IntegerPower(n) => map!(LongPower(n)),
                    Elementary::Real(RealFunction::Cbrt) => map!(Cbrt),
                    Elementary::Real(RealFunction::ExpM1) => map!(ExpM1),
                    Elementary::Real(RealFunction::Ln1p) => map!(Ln1p),
                    Elementary::Real(RealFunction::Sigmoid) => map!(Sigmoid),
                    Elementary::Real(RealFunction::Erf) => map!(Erf { complement: false }),
                    Elementary::Real(RealFunction::Erfc) => map!(Erf { complement: true }),
                    Elementary::PairWith(f, right) => {
                        map_with(right.re as $F, from, to, n, |left, right, to, count| {
                            // SAFETY: `map_with` passes pointers for which the contract of `map` implies that of `map_pairs`.
                            unsafe { map_pairs(f, left, right, to, count) }
                        })
                    }
                    Elementary::Arg | Elementary::Pair(_) | Elementary::QuotientOf(_) => false,
                    Elementary::Float(f) => match f {
                        // Processors have vector instructions for square roots, so the caller's loop for ordinary elementwise functions is
                        // vectorised, and no loop is needed here.
                        FloatFunction::Sqrt => false,
                        FloatFunction::Exp => map!(Exp),
                        FloatFunction::Exp2 => map!(Exp2),
                        FloatFunction::Ln => map!(Ln),
                        FloatFunction::Log2 => map!(Log2),
                        FloatFunction::Log10 => map!(Log10),
                        FloatFunction::Sin => map!(Sin { cosine: false }),
                        FloatFunction::Cos => map!(Sin { cosine: true }),
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

            /// [`map`] for complex numbers.
            ///
            /// # Safety
            /// The contract of [`map`].
            pub(crate) unsafe fn map_complex(
                f: Elementary,
                from: *const Pair,
                to: *mut Pair,
                n: usize,
            ) -> bool {
                macro_rules! map {
                    ($f:expr) => {
                        // SAFETY: the caller ensures `n` readable arguments and exclusive access to `n`
                        // results, which are the arguments or do not overlap them.
                        unsafe { map_function($f, from, to, n) }
                    };
                }
                let to_power = |exponent: Complex<f64>| {
                    let exponent = Pair::new(exponent.re as $F, exponent.im as $F);
                    map_with(exponent, from, to, n, |left, right, to, count| {
                        // SAFETY: `map_with` passes pointers for which the contract of `map` implies that of `map_powers`.
                        unsafe { map_powers(left, right, to, count) }
                    })
                };
                let narrow = |z: Complex<f64>| Pair::new(z.re as $F, z.im as $F);
                let quotients_of = |dividend: Complex<f64>| {
                    let dividend = narrow(dividend);
                    // SAFETY: the only dividend is a local variable. The caller ensures the other conditions.
                    unsafe { map_quotients::<true, false>(&raw const dividend, from, to, n) }
                };
                match f {
                    Elementary::Power(2.0) => map!(ComplexSquare),
                    Elementary::Power(0.5) => map!(ComplexSqrt),
                    Elementary::Power(-1.0) => quotients_of(Complex::new(1.0, 0.0)),
                    Elementary::IntegerPower(-1) => quotients_of(Complex::new(1.0, 0.0)),
                    Elementary::IntegerPower(n) if n.unsigned_abs() <= LONGEST => map!(ShortComplexPower(n)),
                    Elementary::IntegerPower(n) => map!(LongPower(n)),
                    Elementary::QuotientOf(dividend) => quotients_of(dividend),
                    Elementary::PairWith(PairFunction::Div, divisor) => {
                        let divisor = narrow(divisor);
                        // SAFETY: the only divisor is a local variable. The caller ensures the other conditions.
                        unsafe { map_quotients::<false, true>(from, &raw const divisor, to, n) }
                    }
                    Elementary::Power(exponent) => to_power(exponent.into()),
                    Elementary::PairWith(PairFunction::Pow, exponent) => to_power(exponent),
                    Elementary::Real(RealFunction::ExpM1) => map!(ComplexExpM1),
                    Elementary::Real(RealFunction::Ln1p) => map!(ComplexLn1p),
                    Elementary::Real(_)
                    | Elementary::Arg
                    | Elementary::Pair(_)
                    | Elementary::PairWith(..) => false,
                    Elementary::Float(f) => match f {
                        FloatFunction::Sqrt => map!(ComplexSqrt),
                        FloatFunction::Exp => map!(ComplexExp),
                        FloatFunction::Exp2 => map!(ComplexExp2),
                        FloatFunction::Ln => map!(ComplexLog(complex::BASE_E)),
                        FloatFunction::Log2 => map!(ComplexLog(complex::BASE_2)),
                        FloatFunction::Log10 => map!(ComplexLog(complex::BASE_10)),
                        FloatFunction::Sin => map!(ComplexSinh { even: false, turned: true }),
                        FloatFunction::Cos => map!(ComplexSinh { even: true, turned: true }),
                        FloatFunction::Tan => map!(ComplexTanh { turned: true }),
                        FloatFunction::Asin => map!(ComplexAsin { acos: false, hyperbolic: false }),
                        FloatFunction::Acos => map!(ComplexAsin { acos: true, hyperbolic: false }),
                        FloatFunction::Atan => map!(ComplexAtanh { turned: true }),
                        FloatFunction::Sinh => map!(ComplexSinh { even: false, turned: false }),
                        FloatFunction::Cosh => map!(ComplexSinh { even: true, turned: false }),
                        FloatFunction::Tanh => map!(ComplexTanh { turned: false }),
                        FloatFunction::Asinh => map!(ComplexAsin { acos: false, hyperbolic: true }),
                        FloatFunction::Acosh => map!(ComplexAsin { acos: true, hyperbolic: true }),
                        FloatFunction::Atanh => map!(ComplexAtanh { turned: false }),
                    },
                }
            }

            /// Computes `to[i]`, the argument of the complex number `from[i]`, for `n` elements. Writes nothing and returns false if the
            /// processor has no FMA or the build has no code for it.
            ///
            /// # Safety
            /// The contract of [`map`]. In addition, the elements of `from` and `to` must not overlap.
            pub(crate) unsafe fn map_arg(from: *const Pair, to: *mut $F, n: usize) -> bool {
                // SAFETY: `map_function` requires `n` readable arguments, and exclusive access to `n` results that do not overlap them. The
                // caller ensures this.
                unsafe { map_function(Arg, from, to, n) }
            }

            /// Computes `to[i] = f(left[i], right[i])` for `n` elements. Writes nothing and returns false if the processor has no FMA or
            /// the build has no code for it.
            ///
            /// # Safety
            /// The contract of [`map`], with `left` as `from`. In addition, `n` elements from `right` on must be readable, and must
            /// not overlap those from `to` on.
            pub(crate) unsafe fn map_pairs(
                f: PairFunction,
                left: *const $F,
                right: *const $F,
                to: *mut $F,
                n: usize,
            ) -> bool {
                match f {
                    // SAFETY: `map_function` requires `n` readable elements from `left` and from `right` on, and exclusive access to `n`
                    // results. They must not overlap, but `to` may be equal to `left`. The caller ensures this.
                    PairFunction::Atan2 => unsafe { map_function(Atan2, [left, right], to, n) },
                    // SAFETY: `map_function` requires `n` readable elements from `left` and from `right` on, and exclusive access to `n`
                    // results. They must not overlap, but `to` may be equal to `left`. The caller ensures this.
                    PairFunction::Hypot => unsafe { map_function(Hypot, [left, right], to, n) },
                    // SAFETY: `map_function` requires `n` readable elements from `left` and from `right` on, and exclusive access to `n`
                    // results. They must not overlap, but `to` may be equal to `left`. The caller ensures this.
                    PairFunction::Pow => unsafe { map_function(Pow, [left, right], to, n) },
                    // SAFETY: `map_function` requires `n` readable elements from `left` and from `right` on, and exclusive access to `n`
                    // results. They must not overlap, but `to` may be equal to `left`. The caller ensures this.
                    PairFunction::Rem => unsafe { map_function(Rem, [left, right], to, n) },
                    PairFunction::Div | PairFunction::DivInto => false,
                }
            }

            /// Computes `to[i]`, the complex number `left[i]` to the power `right[i]`, for `n` elements. Writes nothing and returns false if
            /// the processor has no FMA or the build has no code for it.
            ///
            /// # Safety
            /// The contract of [`map_pairs`].
            pub(crate) unsafe fn map_powers(
                left: *const Pair,
                right: *const Pair,
                to: *mut Pair,
                n: usize,
            ) -> bool {
                // SAFETY: `map_function` requires `n` readable elements from `left` and from `right` on, and exclusive access to `n`
                // results. They must not overlap, but `to` may be equal to `left`. The caller ensures this.
                unsafe { map_function(ComplexPow, [left, right], to, n) }
            }

            /// Computes `to[i]`, the quotient of the complex numbers `left[i]` and `right[i]`, for `n` elements, with the bits of
            /// [`Quotient::quotient`]. If `LEFT` or `RIGHT`, there is only one dividend or divisor. Writes nothing and returns false if the
            /// processor has no FMA or the build has no code for it.
            ///
            /// # Safety
            /// The caller must ensure:
            /// * `n` elements from `left` and from `right` on are readable, or one if it is the only dividend or divisor.
            /// * `n` elements from `to` on may be written, and nothing else accesses them.
            /// * `to` is equal to an operand of `n` elements, or its elements do not overlap those of the operand.
            pub(crate) unsafe fn map_quotients<const LEFT: bool, const RIGHT: bool>(
                left: *const Pair,
                right: *const Pair,
                to: *mut Pair,
                n: usize,
            ) -> bool {
                // At the level AVX-512, a plain loop over two operands of `c64` and a separate result is faster.
                #[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
                if match crate::simd::Level::get() {
                    crate::simd::Level::Portable => false,
                    crate::simd::Level::Avx2 => true,
                    crate::simd::Level::Avx512 => {
                        let result = to.cast_const();
                        size_of::<$F>() == 4 || LEFT || RIGHT || left == result || right == result
                    }
                } {
                    use crate::elementary::quotient::QuotientLoop;
                    // SAFETY: `Level::get` guarantees AVX2. The other conditions are those of `map_quotients`.
                    unsafe { $F::all::<LEFT, RIGHT>(left, right, to, n) };
                    return true;
                }
                let map = |left, right, to, count| {
                    // SAFETY: `map_apart` passes pointers to `count` operands, which the caller ensures to be readable, and to `count`
                    // results, to which the caller ensures exclusive access. They do not overlap.
                    unsafe { map_function(ComplexQuotient, [left, right], to, count) }
                };
                // SAFETY: the caller ensures that the operands are readable.
                unsafe { map_apart([left, right], [LEFT, RIGHT], to, n, map) }
            }

            /// Returns `f(x)`, with the same bits as [`map`]; `None` if [`map`] returns false.
            pub(crate) fn one(f: Elementary, x: $F) -> Option<$F> {
                let mut y = x;
                // SAFETY: both pointers are to local variables of one element each, which do not overlap.
                unsafe { map(f, &raw const x, &raw mut y, 1) }.then_some(y)
            }

            /// [`one`] for a complex number.
            pub(crate) fn one_complex(f: Elementary, z: Pair) -> Option<Pair> {
                let mut w = z;
                // SAFETY: both pointers are to local variables of one element each, which do not overlap.
                unsafe { map_complex(f, &raw const z, &raw mut w, 1) }.then_some(w)
            }

            /// Returns the argument of a complex number, with the same bits as [`map_arg`]; `None` if [`map_arg`] returns false.
            pub(crate) fn one_arg(z: Pair) -> Option<$F> {
                let mut x = 0.0;
                // SAFETY: both pointers are to local variables of one element each, which do not overlap.
                unsafe { map_arg(&raw const z, &raw mut x, 1) }.then_some(x)
            }

            /// Returns `f(x, y)`, with the same bits as [`map_pairs`]; `None` if [`map_pairs`] returns false.
            pub(crate) fn one_of_pair(f: PairFunction, x: $F, y: $F) -> Option<$F> {
                let mut z = x;
                // SAFETY: the three pointers are to local variables of one element each, which do not overlap.
                unsafe { map_pairs(f, &raw const x, &raw const y, &raw mut z, 1) }.then_some(z)
            }

            /// Returns `z` to the power `w`, with the same bits as [`map_powers`]; `None` if [`map_powers`] returns false.
            pub(crate) fn one_power(z: Pair, w: Pair) -> Option<Pair> {
                let mut power = z;
                // SAFETY: the three pointers are to local variables of one element each, which do not overlap.
                unsafe { map_powers(&raw const z, &raw const w, &raw mut power, 1) }.then_some(power)
            }

            /// Computes a function with FMA in software, which is slow. Returns `None` if the formula of `num-complex` is accurate: for
            /// exponentials, and for circular and hyperbolic sines and cosines, of moderate arguments. Its other formulas lose digits, or
            /// all of them, for large and for small arguments.
            #[cold]
            pub(crate) fn wide_ranging(f: FloatFunction, z: Pair) -> Option<Pair> {
                fn computed<F: Branchless<Pair, Output = Pair>>(f: F, z: Pair) -> Option<Pair> {
                    Some(if f.is_far(z) { f.far(z) } else { f.compute(z) })
                }
                fn computed_far<F: Branchless<Pair, Output = Pair>>(f: F, z: Pair) -> Option<Pair> {
                    f.is_far(z).then(|| f.far(z))
                }
                match f {
                    FloatFunction::Sqrt => computed(ComplexSqrt, z),
                    FloatFunction::Exp => computed_far(ComplexExp, z),
                    FloatFunction::Exp2 => computed(ComplexExp2, z),
                    FloatFunction::Ln => computed(ComplexLog(complex::BASE_E), z),
                    FloatFunction::Log2 => computed(ComplexLog(complex::BASE_2), z),
                    FloatFunction::Log10 => computed(ComplexLog(complex::BASE_10), z),
                    FloatFunction::Sin => computed_far(ComplexSinh { even: false, turned: true }, z),
                    FloatFunction::Cos => computed_far(ComplexSinh { even: true, turned: true }, z),
                    FloatFunction::Tan => computed(ComplexTanh { turned: true }, z),
                    FloatFunction::Asin => computed(ComplexAsin { acos: false, hyperbolic: false }, z),
                    FloatFunction::Acos => computed(ComplexAsin { acos: true, hyperbolic: false }, z),
                    FloatFunction::Atan => computed(ComplexAtanh { turned: true }, z),
                    FloatFunction::Sinh => computed_far(ComplexSinh { even: false, turned: false }, z),
                    FloatFunction::Cosh => computed_far(ComplexSinh { even: true, turned: false }, z),
                    FloatFunction::Tanh => computed(ComplexTanh { turned: false }, z),
                    FloatFunction::Asinh => computed(ComplexAsin { acos: false, hyperbolic: true }, z),
                    FloatFunction::Acosh => computed(ComplexAsin { acos: true, hyperbolic: true }, z),
                    FloatFunction::Atanh => computed(ComplexAtanh { turned: false }, z),
                }
            }

            /// Computes e^z - 1 or ln(1 + z) with FMA in software.
            ///
            /// # Panics
            /// If `f` is another function, which exists only for real numbers.
            #[cold]
            pub(crate) fn near_zero(f: RealFunction, z: Pair) -> Pair {
                match f {
                    RealFunction::ExpM1 if complex::exp_is_far(z) => complex::exp_m1_far(z),
                    RealFunction::ExpM1 => complex::exp_m1(z),
                    RealFunction::Ln1p => text::complex_ln_1p(z),
                    _ => unreachable!("{f:?} is a function of real numbers"),
                }
            }

            /// Computes an inverse hyperbolic function with FMA in software, which is slow. Returns `None` for all other functions. This
            /// function is used nevertheless, because the standard library's inverse hyperbolic functions overflow for some arguments whose
            /// results are finite, and lose half of the digits near 1.
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
