// The bodies of the loops: a type for each function, which implements `Branchless`.
//
// The modules `numbers32` and `numbers64` include this source, after defining `Float` and importing the functions of this type as `functions`.

use crate::elementary::loops::{Branchless, Far, branchless};
use functions::complex;

type Pair = Complex<Float>;

/// Defines the type of a function of one real number, with the function for most arguments. After `if`: the predicate of far arguments, how
/// their results are computed (a variant of [`Far`]), and the function for them.
macro_rules! real {
    ($Name:ident: $function:ident) => {
        branchless!($Name, |x: Float| -> Float { functions::$function(x) });
    };
    ($Name:ident: $function:ident, if $is_far:ident: $Far:ident $far:ident) => {
        branchless!($Name, |x: Float| -> Float { functions::$function(x) }, functions::$is_far, $Far functions::$far);
    };
}
real!(Exp: exp_ordinary, if exp_is_far: Wide exp);
real!(Exp2: exp2_ordinary, if exp2_is_far: Wide exp2);
real!(ExpM1: exp_m1_ordinary, if exp_is_far: Narrow exp_m1);
real!(Ln: ln_normal, if is_not_normal: Wide ln);
real!(Log2: log2_normal, if is_not_normal: Wide log2);
real!(Log10: log10_normal, if is_not_normal: Wide log10);
real!(Ln1p: ln_1p_ordinary, if ln_1p_is_far: Wide ln_1p);
real!(Tan: tan, if is_far: Scalar tan_far);
real!(Asin: asin);
real!(Acos: acos);
real!(Atan: atan);
real!(Sinh: sinh_ordinary, if exp_is_far: Narrow sinh);
real!(Cosh: cosh_ordinary, if exp_is_far: Narrow cosh);
real!(Tanh: tanh);
real!(Asinh: asinh_ordinary, if asinh_is_far: Narrow asinh);
real!(Acosh: acosh_ordinary, if acosh_is_far: Narrow acosh);
real!(Atanh: atanh_ordinary, if atanh_is_far: Narrow atanh);
real!(Cbrt: cbrt_ordinary, if cbrt_is_far: Wide cbrt);
real!(Sigmoid: sigmoid_ordinary, if exp_is_far: Narrow sigmoid);

/// Computes the sine or, if `cosine`, the cosine. A flag selects the function at run time, because each loop takes time to
/// compile.
#[derive(Clone, Copy)]
struct Sin {
    cosine: bool,
}
impl Branchless<Float> for Sin {
    type Output = Float;
    const FAR: Far = Far::Scalar;
    #[inline(always)]
    fn compute(self, x: Float) -> Float {
        functions::sin_or_cos(self.cosine, x)
    }
    #[inline(always)]
    fn is_far(self, x: Float) -> bool {
        functions::is_far(x)
    }
    fn far(self, x: Float) -> Float {
        if self.cosine { functions::cos_far(x) } else { functions::sin_far(x) }
    }
}

/// Computes the error function or, if `complement`, its complement.
#[derive(Clone, Copy)]
struct Erf {
    complement: bool,
}
impl Branchless<Float> for Erf {
    type Output = Float;
    #[inline(always)]
    fn compute(self, x: Float) -> Float {
        functions::erf_or_erfc(self.complement, x)
    }
}

#[derive(Clone, Copy)]
struct Power(Float);
impl Branchless<Float> for Power {
    type Output = Float;
    const FAR: Far = Far::Wide;
    #[inline(always)]
    fn compute(self, x: Float) -> Float {
        functions::powf_ordinary(x, self.0)
    }
    #[inline(always)]
    fn is_far(self, x: Float) -> bool {
        functions::powf_is_far(x, self.0)
    }
    #[inline(always)]
    fn far(self, x: Float) -> Float {
        functions::powf(x, self.0)
    }
}

// Powers with the exponents 1, 2, -1 and 1/2. Each takes at most one operation that rounds.
branchless!(First, |x: Float| -> Float { x });
branchless!(Square, |x: Float| -> Float { x * x });
branchless!(Reciprocal, |x: Float| -> Float { 1.0 / x });
// Unlike the square root, the power 1/2 of -0 is 0, and the power 1/2 of negative infinity is infinity.
branchless!(Root, |x: Float| -> Float {
    if x == Float::NEG_INFINITY { Float::INFINITY } else { (x + 0.0).sqrt() }
});

/// A power with this exponent, which has at most `BITS` bits.
#[derive(Clone, Copy)]
struct ShortPower<const BITS: u32>(u32);
impl<const BITS: u32> Branchless<Float> for ShortPower<BITS> {
    type Output = Float;
    #[inline(always)]
    fn compute(self, x: Float) -> Float {
        functions::short_power::<BITS>(x, self.0)
    }
}

/// The reciprocal of a power with this exponent, which has at most four bits.
#[derive(Clone, Copy)]
struct ShortInverse(u32);
impl Branchless<Float> for ShortInverse {
    type Output = Float;
    const FAR: Far = Far::Scalar;
    #[inline(always)]
    fn compute(self, x: Float) -> Float {
        functions::short_inverse::<4>(x, self.0)
    }
    #[inline(always)]
    fn is_far(self, x: Float) -> bool {
        functions::short_inverse_is_far::<4>(x, self.0)
    }
    fn far(self, x: Float) -> Float {
        functions::real_power(x, -(self.0 as i32))
    }
}

/// A power with any exponent.
#[derive(Clone, Copy)]
struct LongPower(i32);
impl Branchless<Float> for LongPower {
    type Output = Float;
    const WIDE: bool = false;
    #[inline(always)]
    fn compute(self, x: Float) -> Float {
        functions::real_power(x, self.0)
    }
}
impl Branchless<Pair> for LongPower {
    type Output = Pair;
    const WIDE: bool = false;
    #[inline(always)]
    fn compute(self, z: Pair) -> Pair {
        functions::complex_power(z, self.0)
    }
}

#[derive(Clone, Copy)]
struct ShortComplexPower(i32);
impl Branchless<Pair> for ShortComplexPower {
    type Output = Pair;
    const FAR: Far = Far::Scalar;
    #[inline(always)]
    fn compute(self, z: Pair) -> Pair {
        functions::short_complex_power(z, self.0.unsigned_abs(), self.0 < 0)
    }
    #[inline(always)]
    fn is_far(self, z: Pair) -> bool {
        !complex::is_finite(z)
    }
    fn far(self, z: Pair) -> Pair {
        functions::complex_power(z, self.0)
    }
}

branchless!(Atan2, |x: [Float; 2]| -> Float { functions::atan2(x[0], x[1]) });
branchless!(Hypot, |x: [Float; 2]| -> Float { functions::hypot(x[0], x[1]) });
branchless!(
    Pow,
    |x: [Float; 2]| -> Float { functions::powf_ordinary(x[0], x[1]) },
    |x: [Float; 2]| functions::powf_is_far(x[0], x[1]),
    Wide |x: [Float; 2]| functions::powf(x[0], x[1])
);
branchless!(
    Rem,
    |x: [Float; 2]| -> Float { functions::remainder(x[0], x[1]) },
    |x: [Float; 2]| functions::remainder_is_far(x[0], x[1]),
    Scalar |x: [Float; 2]| x[0] % x[1]
);

/// Defines the type of a function of one complex number, with the function for most arguments. After `if`: the predicate of far arguments,
/// and the function for them.
macro_rules! complex {
    ($Name:ident: $function:ident) => {
        branchless!($Name, |z: Pair| -> Pair { complex::$function(z) });
    };
    ($Name:ident: $function:ident, if $is_far:ident: $far:ident) => {
        branchless!(
            $Name,
            |z: Pair| -> Pair { complex::$function(z) },
            complex::$is_far,
            Scalar complex::$far
        );
    };
}
complex!(ComplexSqrt: sqrt, if sqrt_is_far: sqrt_far);
complex!(ComplexExp: exp, if exp_is_far: exp_far);
complex!(ComplexExp2: exp2, if exp_is_far: exp2_far);
complex!(ComplexExpM1: exp_m1, if exp_is_far: exp_m1_far);
branchless!(ComplexLn1p, |z: Pair| -> Pair { functions::complex_ln_1p(z) });

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
branchless!(Arg, |z: Pair| -> Float { complex::arg(z) });
branchless!(ComplexSquare, |z: Pair| -> Pair { z * z });
branchless!(
    ComplexQuotient,
    |z: [Pair; 2]| -> Pair { Float::near(z[0], z[1]) },
    |z: [Pair; 2]| Float::is_far(z[0], z[1]),
    Scalar |z: [Pair; 2]| Float::far(z[0], z[1])
);

#[derive(Clone, Copy)]
struct ComplexPow;
impl Branchless<[Pair; 2]> for ComplexPow {
    type Output = Pair;
    const FAR: Far = Far::Scalar;
    #[inline(always)]
    fn compute(self, z: [Pair; 2]) -> Pair {
        functions::powc(z[0], z[1])
    }
    #[inline(always)]
    fn is_far(self, z: [Pair; 2]) -> bool {
        functions::powc_is_far(z[0], z[1])
    }
    fn far(self, z: [Pair; 2]) -> Pair {
        functions::powc_far(z[0], z[1])
    }
}
