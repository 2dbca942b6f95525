// The functions that other modules call: each chooses the loop of an elementary function and runs it, for many numbers or for one.
//
// The modules `numbers32` and `numbers64` include this source after `bodies.rs`.

use crate::elementary::integer_power::LONGEST;
use crate::elementary::loops::{map_apart, map_function, map_with};
use crate::elementary::{Elementary, FloatFunction, PairFunction, Quotient, RealFunction};
pub(crate) use functions::{complex_power, real_power};

/// Computes `to[i] = f(from[i])` for `n` elements. Writes nothing and returns false if the processor has no FMA, if the
/// build has no code for it, or if the `match` below has no loop for `f`.
///
/// # Safety
/// The caller must ensure:
/// * `n` elements from `from` on are readable.
/// * `n` elements from `to` on may be written, and nothing else accesses them.
/// * `to` is equal to `from`, or the elements from `to` on do not overlap those from `from` on.
pub(crate) unsafe fn map(f: Elementary, from: *const Float, to: *mut Float, n: usize) -> bool {
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
        Elementary::Power(n) => map!(Power(n as Float)),
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
            map_with(right.re as Float, from, to, n, |left, right, to, count| {
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
pub(crate) unsafe fn map_complex(f: Elementary, from: *const Pair, to: *mut Pair, n: usize) -> bool {
    macro_rules! map {
        ($f:expr) => {
            // SAFETY: the caller ensures `n` readable arguments and exclusive access to `n`
            // results, which are the arguments or do not overlap them.
            unsafe { map_function($f, from, to, n) }
        };
    }
    let to_power = |exponent: Complex<f64>| {
        let exponent = Pair::new(exponent.re as Float, exponent.im as Float);
        map_with(exponent, from, to, n, |left, right, to, count| {
            // SAFETY: `map_with` passes pointers for which the contract of `map` implies that of `map_powers`.
            unsafe { map_powers(left, right, to, count) }
        })
    };
    let narrow = |z: Complex<f64>| Pair::new(z.re as Float, z.im as Float);
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
        Elementary::Real(_) | Elementary::Arg | Elementary::Pair(_) | Elementary::PairWith(..) => false,
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
pub(crate) unsafe fn map_arg(from: *const Pair, to: *mut Float, n: usize) -> bool {
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
    left: *const Float,
    right: *const Float,
    to: *mut Float,
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
pub(crate) unsafe fn map_powers(left: *const Pair, right: *const Pair, to: *mut Pair, n: usize) -> bool {
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
    {
        use crate::elementary::quotient::QuotientLoop;
        use crate::simd::{avx2::Avx2, avx512::Avx512, vector::Isa};
        let in_place = left == to.cast_const() || right == to.cast_const();
        let apart = size_of::<Float>() == 8 && !LEFT && !RIGHT && !in_place;
        if Avx2::new().is_some() && !(apart && Avx512::new().is_some()) {
            // SAFETY: the processor has AVX2, as there is a token. The other conditions are those of `map_quotients`.
            unsafe { Float::all::<LEFT, RIGHT>(left, right, to, n) };
            return true;
        }
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
pub(crate) fn one(f: Elementary, x: Float) -> Option<Float> {
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
pub(crate) fn one_arg(z: Pair) -> Option<Float> {
    let mut x = 0.0;
    // SAFETY: both pointers are to local variables of one element each, which do not overlap.
    unsafe { map_arg(&raw const z, &raw mut x, 1) }.then_some(x)
}

/// Returns `f(x, y)`, with the same bits as [`map_pairs`]; `None` if [`map_pairs`] returns false.
pub(crate) fn one_of_pair(f: PairFunction, x: Float, y: Float) -> Option<Float> {
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
        RealFunction::Ln1p => functions::complex_ln_1p(z),
        _ => unreachable!("{f:?} is a function of real numbers"),
    }
}

/// Computes an inverse hyperbolic function with FMA in software, which is slow. Returns `None` for all other functions. This
/// function is used nevertheless, because the standard library's inverse hyperbolic functions overflow for some arguments whose
/// results are finite, and lose half of the digits near 1.
#[cold]
pub(crate) fn inverse_hyperbolic(f: FloatFunction, x: Float) -> Option<Float> {
    match f {
        FloatFunction::Asinh => Some(functions::asinh(x)),
        FloatFunction::Acosh => Some(functions::acosh(x)),
        FloatFunction::Atanh => Some(functions::atanh(x)),
        _ => None,
    }
}
