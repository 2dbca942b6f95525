//! The expected results of elementwise functions for each element type, computed with Rust's operators and scalar functions.

use crate::bad_input::array::{erf, erfc};
use vierbein::dyn_tensor::{Binary, Unary};
use vierbein::{Complex, DynScalar, Element, c32, c64};

/// An element type, with test values and with the expected results of elementwise functions.
pub(crate) trait Value: Element + Into<DynScalar> {
    /// Returns a small non-zero number, so that sums and products of two such numbers fit in every type. For `bool`, both values occur.
    fn small(k: usize) -> Self;
    /// Returns a number that is larger than every number that `small` returns for the type; for complex types, its real part is larger. For
    /// `bool`, returns both values, as `small` does.
    fn larger(k: usize) -> Self;
    /// Returns the expected result of a function of two values, or `None` if the type does not support the function.
    fn binary(op: Binary, a: Self, b: Self) -> Option<DynScalar>;
    fn unary(op: Unary, a: Self) -> Option<DynScalar>;
    /// Converts to `Complex<f64>`, in which the tests compute sums and products. Returns `None` for `bool`.
    fn wide(self) -> Option<c64>;
    /// Converts from `Complex<f64>`, the type that `wide` returns.
    fn narrow(z: c64) -> Self;
    /// Returns element `k` of the right operand of powers and shifts, whose results then fit integers.
    fn exponent(k: usize) -> Self {
        Self::small(k)
    }
    const ORDERED: bool;
}

macro_rules! comparisons {
    ($op:expr, $a:expr, $b:expr) => {
        match $op {
            Binary::Equal => Some(($a == $b).into()),
            Binary::NotEqual => Some(($a != $b).into()),
            Binary::Lt => Some(($a < $b).into()),
            Binary::Le => Some(($a <= $b).into()),
            Binary::Gt => Some(($a > $b).into()),
            Binary::Ge => Some(($a >= $b).into()),
            Binary::Maximum => Some(if $a > $b { $a } else { $b }.into()),
            Binary::Minimum => Some(if $a < $b { $a } else { $b }.into()),
            _ => None,
        }
    };
}
macro_rules! arithmetic {
    ($op:expr, $a:expr, $b:expr) => {
        match $op {
            Binary::Add => Some(($a + $b).into()),
            Binary::Sub => Some(($a - $b).into()),
            Binary::Mul => Some(($a * $b).into()),
            Binary::Div => Some(($a / $b).into()),
            Binary::Rem => Some(($a % $b).into()),
            _ => None,
        }
    };
}
macro_rules! logic {
    ($op:expr, $a:expr, $b:expr) => {
        match $op {
            Binary::And => Some(($a & $b).into()),
            Binary::Or => Some(($a | $b).into()),
            Binary::Xor => Some(($a ^ $b).into()),
            _ => None,
        }
    };
}

impl Value for bool {
    fn small(k: usize) -> bool {
        k % 3 == 1
    }
    fn larger(k: usize) -> bool {
        k.is_multiple_of(2)
    }
    fn binary(op: Binary, a: bool, b: bool) -> Option<DynScalar> {
        match op {
            Binary::Equal => Some((a == b).into()),
            Binary::NotEqual => Some((a != b).into()),
            _ => logic!(op, a, b),
        }
    }
    fn unary(op: Unary, a: bool) -> Option<DynScalar> {
        (op == Unary::Not).then(|| (!a).into())
    }
    fn wide(self) -> Option<c64> {
        None
    }
    fn narrow(_: c64) -> bool {
        unreachable!("there are no sums of `bool`")
    }
    const ORDERED: bool = false;
}

macro_rules! integers {
    ($($t:ident $negative:literal $abs:expr, $neg:expr;)*) => {$(
        impl Value for $t {
            fn small(k: usize) -> $t {
                let x = ((7 * k + 3) % 5 + 1) as $t;
                if $negative && k % 3 == 0 { (0 as $t).wrapping_sub(x) } else { x }
            }
            fn larger(k: usize) -> $t {
                (3 * k % 5 + 6) as $t
            }
            fn binary(op: Binary, a: $t, b: $t) -> Option<DynScalar> {
                match op {
                    Binary::Pow => Some(a.pow(b as u32).into()),
                    Binary::Shl => Some((a << b).into()),
                    Binary::Shr => Some((a >> b).into()),
                    _ => arithmetic!(op, a, b).or(logic!(op, a, b)).or(comparisons!(op, a, b)),
                }
            }
            fn exponent(k: usize) -> $t {
                (k % 3) as $t
            }
            fn unary(op: Unary, a: $t) -> Option<DynScalar> {
                let (abs, neg): (fn($t) -> $t, fn($t) -> Option<$t>) = ($abs, $neg);
                match op {
                    Unary::Neg => neg(a).map(Into::into),
                    Unary::Not => Some((!a).into()),
                    Unary::Abs => Some(abs(a).into()),
                    Unary::Conj | Unary::Re => Some(a.into()),
                    Unary::Im => Some((0 as $t).into()),
                    Unary::Square => Some((a * a).into()),
                    Unary::Cube => Some(a.wrapping_mul(a).wrapping_mul(a).into()),
                    Unary::Relu => Some(a.max(0).into()),
                    Unary::Signum => Some(if a > 0 { 1 } else if a == 0 { 0 } else { (0 as $t).wrapping_sub(1) }.into()),
                    _ => None,
                }
            }
            fn wide(self) -> Option<c64> {
                Some(Complex::new(self as f64, 0.0))
            }
            fn narrow(z: c64) -> $t {
                z.re as $t
            }
            const ORDERED: bool = true;
        }
    )*};
}
integers! {
    i8 true |x| x.abs(), |x| Some(-x);
    i16 true |x| x.abs(), |x| Some(-x);
    i32 true |x| x.abs(), |x| Some(-x);
    i64 true |x| x.abs(), |x| Some(-x);
    u8 false |x| x, |_| None;
    u16 false |x| x, |_| None;
    u32 false |x| x, |_| None;
    u64 false |x| x, |_| None;
}

/// Evaluates a function that has the same name for real and for complex floating-point numbers. Other functions yield `None`.
macro_rules! functions {
    ($op:expr, $x:expr) => {
        match $op {
            Unary::Sqrt => Some($x.sqrt().into()),
            Unary::Exp => Some($x.exp().into()),
            Unary::Exp2 => Some($x.exp2().into()),
            Unary::Ln => Some($x.ln().into()),
            Unary::Log2 => Some($x.log2().into()),
            Unary::Log10 => Some($x.log10().into()),
            Unary::Sin => Some($x.sin().into()),
            Unary::Cos => Some($x.cos().into()),
            Unary::Tan => Some($x.tan().into()),
            Unary::Asin => Some($x.asin().into()),
            Unary::Acos => Some($x.acos().into()),
            Unary::Atan => Some($x.atan().into()),
            Unary::Sinh => Some($x.sinh().into()),
            Unary::Cosh => Some($x.cosh().into()),
            Unary::Tanh => Some($x.tanh().into()),
            Unary::Asinh => Some(Inverse::asinh($x).into()),
            Unary::Acosh => Some(Inverse::acosh($x).into()),
            Unary::Atanh => Some(Inverse::atanh($x).into()),
            Unary::Neg => Some((-$x).into()),
            Unary::Conj => Some($x.conj().into()),
            Unary::Square => Some(($x * $x).into()),
            Unary::Cube => Some(($x * $x * $x).into()),
            _ => None,
        }
    };
}

/// The inverse hyperbolic functions. Those of the standard library overflow for large arguments and are inaccurate near 1.
trait Inverse {
    fn asinh(self) -> Self;
    fn acosh(self) -> Self;
    fn atanh(self) -> Self;
}
impl Inverse for f64 {
    fn asinh(self) -> f64 {
        let large = (self.abs().ln() + std::f64::consts::LN_2).copysign(self);
        if self.abs() > 1e100 { large } else { f64::asinh(self) }
    }
    fn acosh(self) -> f64 {
        let t = self - 1.0;
        let near = (t + (t * (t + 2.0)).sqrt()).ln_1p();
        if self > 1e100 {
            self.ln() + std::f64::consts::LN_2
        } else if t < 0.0 {
            f64::NAN
        } else {
            near
        }
    }
    fn atanh(self) -> f64 {
        let difference = 0.5 * (self.ln_1p() - (-self).ln_1p());
        if self.abs() < 1e-9 { self } else { difference }
    }
}
impl Inverse for f32 {
    fn asinh(self) -> f32 {
        Inverse::asinh(f64::from(self)) as f32
    }
    fn acosh(self) -> f32 {
        Inverse::acosh(f64::from(self)) as f32
    }
    fn atanh(self) -> f32 {
        Inverse::atanh(f64::from(self)) as f32
    }
}
macro_rules! complex_inverse {
    ($($t:ty)*) => {$(
        impl Inverse for $t {
            fn asinh(self) -> $t {
                <$t>::asinh(self)
            }
            fn acosh(self) -> $t {
                <$t>::acosh(self)
            }
            fn atanh(self) -> $t {
                <$t>::atanh(self)
            }
        }
    )*};
}
complex_inverse!(c32 c64);

/// Gives real numbers a method `conj`, so that the macro `functions` can call it for both real and complex numbers.
/// Returns the number itself.
trait RealConj {
    fn conj(self) -> Self;
}
impl RealConj for f32 {
    fn conj(self) -> f32 {
        self
    }
}
impl RealConj for f64 {
    fn conj(self) -> f64 {
        self
    }
}

macro_rules! floats {
    ($($t:ident)*) => {$(
        impl Value for $t {
            fn small(k: usize) -> $t {
                [0.5, -1.25, 0.125, 2.0, -0.75, 3.0, -2.0][k % 7]
            }
            fn larger(k: usize) -> $t {
                [4.5, 7.0, 5.25][k % 3]
            }
            fn binary(op: Binary, a: $t, b: $t) -> Option<DynScalar> {
                match op {
                    Binary::Atan2 => Some(a.atan2(b).into()),
                    Binary::Hypot => Some(a.hypot(b).into()),
                    Binary::Pow => Some(a.powf(b).into()),
                    Binary::Copysign => Some(a.copysign(b).into()),
                    _ => arithmetic!(op, a, b).or(comparisons!(op, a, b)),
                }
            }
            fn unary(op: Unary, a: $t) -> Option<DynScalar> {
                functions!(op, a).or_else(|| match op {
                    Unary::Abs => Some(a.abs().into()),
                    Unary::Re => Some(a.into()),
                    Unary::Im => Some((0.0 as $t).into()),
                    Unary::Signum => Some(a.signum().into()),
                    Unary::Recip => Some((1.0 / a).into()),
                    Unary::Arg => Some((0.0 as $t).atan2(a).into()),
                    Unary::Cbrt => Some(a.cbrt().into()),
                    Unary::ExpM1 => Some(a.exp_m1().into()),
                    Unary::Ln1p => Some(a.ln_1p().into()),
                    Unary::Relu => Some(a.max(0.0).into()),
                    Unary::Sigmoid => Some((0.5 + 0.5 * (a / 2.0).tanh()).into()),
                    Unary::Erf => Some((erf(a.into()) as $t).into()),
                    Unary::Erfc => Some((erfc(a.into()) as $t).into()),
                    Unary::Floor => Some(a.floor().into()),
                    Unary::Ceil => Some(a.ceil().into()),
                    Unary::Round => Some(a.round().into()),
                    Unary::Trunc => Some(a.trunc().into()),
                    Unary::Fract => Some(a.fract().into()),
                    Unary::IsNan => Some(a.is_nan().into()),
                    Unary::IsFinite => Some(a.is_finite().into()),
                    Unary::IsInfinite => Some(a.is_infinite().into()),
                    // The operands are finite.
                    Unary::NanToNum => Some(a.into()),
                    _ => None,
                })
            }
            fn wide(self) -> Option<c64> {
                Some(Complex::new(self.into(), 0.0))
            }
            fn narrow(z: c64) -> $t {
                z.re as $t
            }
            const ORDERED: bool = true;
        }
    )*};
}
floats!(f32 f64);

macro_rules! complexes {
    ($($t:ident $real:ident)*) => {$(
        impl Value for $t {
            fn small(k: usize) -> $t {
                Complex::new($real::small(k), $real::small(k + 3))
            }
            fn larger(k: usize) -> $t {
                Complex::new($real::larger(k), $real::small(k))
            }
            fn binary(op: Binary, a: $t, b: $t) -> Option<DynScalar> {
                match op {
                    Binary::Equal => Some((a == b).into()),
                    Binary::NotEqual => Some((a != b).into()),
                    Binary::Pow => Some(a.powc(b).into()),
                    _ => arithmetic!(op, a, b),
                }
            }
            fn unary(op: Unary, a: $t) -> Option<DynScalar> {
                functions!(op, a).or_else(|| match op {
                    // The operands are not near 0.
                    Unary::ExpM1 => Some((a.exp() - 1.0).into()),
                    Unary::Ln1p => Some((a + 1.0).ln().into()),
                    Unary::Abs => Some(a.re.hypot(a.im).into()),
                    Unary::Re => Some(a.re.into()),
                    Unary::Im => Some(a.im.into()),
                    Unary::Recip => Some((1.0 / a).into()),
                    Unary::Arg => Some(a.im.atan2(a.re).into()),
                    Unary::IsNan => Some((a.re.is_nan() || a.im.is_nan()).into()),
                    Unary::IsFinite => Some((a.re.is_finite() && a.im.is_finite()).into()),
                    Unary::IsInfinite => Some((a.re.is_infinite() || a.im.is_infinite()).into()),
                    _ => None,
                })
            }
            fn wide(self) -> Option<c64> {
                Some(Complex::new(self.re.into(), self.im.into()))
            }
            fn narrow(z: c64) -> $t {
                Complex::new(z.re as $real, z.im as $real)
            }
            const ORDERED: bool = false;
        }
    )*};
}
complexes!(c32 f32 c64 f64);

/// Calls a generic function with each element type.
macro_rules! for_each_type {
    ($f:ident($($arg:expr),*)) => {
        $f::<bool>($($arg),*);
        $f::<i8>($($arg),*);
        $f::<i16>($($arg),*);
        $f::<i32>($($arg),*);
        $f::<i64>($($arg),*);
        $f::<u8>($($arg),*);
        $f::<u16>($($arg),*);
        $f::<u32>($($arg),*);
        $f::<u64>($($arg),*);
        $f::<f32>($($arg),*);
        $f::<f64>($($arg),*);
        $f::<vierbein::c32>($($arg),*);
        $f::<vierbein::c64>($($arg),*);
    };
}
pub(crate) use for_each_type;
