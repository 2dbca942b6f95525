//! Every operation, for every element type that has it.

use super::program::Program;
use super::samples::Sample;
use crate::device::{BinaryOp, CudaSource, UnaryOp};
use crate::dyn_tensor::texts::{Share, Slow};
use crate::element::{Bits, CastTo, Function, Inexact, RealFloat, RealScalar, Scalar, c32, c64};
use crate::engine::contract::Blend;
use crate::ops::op::*;
use crate::ops::texts::{Between, Cast, Constant, Flipped, Identity, Ramp, WithLeft, WithRight};
use core::marker::PhantomData;
use num_traits::One;

/// In groups, so that no program is large.
pub(super) const GROUPS: [fn(&mut Program); 5] = [small_integers, large_integers, casts, floats, complexes];

/// The program of a group.
pub(super) fn program(group: usize) -> Program {
    let mut program = Program::default();
    GROUPS[group](&mut program);
    program
}

fn small_integers(p: &mut Program) {
    bits::<bool>(p);
    integer::<i8>(p);
    integer::<i16>(p);
    integer::<u8>(p);
    integer::<u16>(p);
}

fn large_integers(p: &mut Program) {
    integer::<i32>(p);
    integer::<u32>(p);
    integer::<i64>(p);
    integer::<u64>(p);
}

fn floats(p: &mut Program) {
    floating::<f32>(p);
    floating::<f64>(p);
    p.unary(Gelu);
    p.binary(Apart);
}

fn complexes(p: &mut Program) {
    complex::<c32>(p);
    complex::<c64>(p);
    p.unary(Literals);
}

fn bits<T: Sample + Bits>(p: &mut Program) {
    p.binary::<T, T, _>(BitAnd);
    p.binary::<T, T, _>(BitOr);
    p.binary::<T, T, _>(BitXor);
    p.unary::<T, _>(Not);
    any::<T>(p);
}

fn any<T: Sample>(p: &mut Program) {
    p.binary::<T, T, _>(Equal);
    p.binary::<T, T, _>(NotEqual);
    p.ternary::<bool, T, T, _>(Select);
    p.generator::<T, _>(Constant(T::special()[1]));
}

fn integer<T: Sample + Bits + RealScalar + RealSample>(p: &mut Program) {
    bits::<T>(p);
    real::<T>(p);
    // With these, a sum of two products may overflow even what holds each product, and then look as if it fitted.
    p.binary::<T, T, _>(Blend { beta: T::HIGHEST, alpha: T::from_usize(3), conjugate: false });
    p.binary::<T, T, _>(Blend { beta: T::LOWEST, alpha: T::LOWEST, conjugate: false });
}

fn number<T: Sample + Scalar<Real: Sample>>(p: &mut Program) {
    p.binary::<T, T, _>(Add);
    p.binary::<T, T, _>(Sub);
    p.binary::<T, T, _>(Mul);
    p.binary::<T, T, _>(Div);
    p.binary::<T, T, _>(Rem);
    p.unary::<T, _>(Abs);
    p.unary::<T, _>(Conj);
    p.unary::<T, _>(Re);
    p.unary::<T, _>(Im);
    p.unary::<T, _>(Square);
    for n in [0, 1, 2, 3, 7, 12, i32::MAX, -1, -2, -5, i32::MIN] {
        p.unary::<T, _>(Powi(n));
    }
    let [zero, one] = [T::zero(), T::one()];
    let two = one + one;
    let third = T::all().into_iter().next_back().expect("there are samples");
    for alpha in [one, two, third] {
        p.binary::<T, T, _>(AddScaled(alpha));
    }
    for beta in [zero, one, third] {
        for alpha in [zero, one, two, third] {
            for conjugate in [false, true] {
                p.binary::<T, T, _>(Blend { beta, alpha, conjugate });
            }
        }
    }
    for right in [two, third] {
        p.unary::<T, _>(WithRight { op: Sub, right });
        p.unary::<T, _>(WithRight { op: Div, right });
        p.unary::<T, _>(WithRight { op: Blend { beta: two, alpha: two, conjugate: false }, right });
        p.unary::<T, _>(WithLeft { op: Sub, left: right });
        p.unary::<T, _>(WithLeft { op: Rem, left: right });
    }
    p.binary::<T, T, _>(Flipped(Sub));
    p.binary::<T, T, _>(Flipped(Div));
    p.binary::<T, T, _>(Flipped(AddScaled(two)));
    p.binary::<T, T, _>(Flipped(Flipped(Sub)));
    p.generator::<T, _>(Identity { n: 6 });
    p.generator::<T, _>(Identity { n: (1 << 36) - 2 });
}

fn signed<T: Sample + Scalar + core::ops::Neg<Output = T>>(p: &mut Program) {
    p.unary::<T, _>(Neg);
}

fn real<T: Sample + RealScalar + RealSample>(p: &mut Program) {
    number::<T>(p);
    T::negated(p);
    p.binary::<T, T, _>(Less);
    p.binary::<T, T, _>(LessEqual);
    p.binary::<T, T, _>(Greater);
    p.binary::<T, T, _>(GreaterEqual);
    p.binary::<T, T, _>(Maximum);
    p.binary::<T, T, _>(Minimum);
    p.unary::<T, _>(Signum);
    p.unary::<T, _>(Clamp(T::zero(), T::HIGHEST));
    p.unary::<T, _>(Clamp(T::one(), T::from_usize(100)));
    let last = T::all().into_iter().next_back().expect("there are samples");
    for step in [T::one(), last] {
        p.generator::<T, _>(Ramp { start: T::from_usize(3), step });
    }
}

/// Real numbers, of which some can be negated.
trait RealSample: Sample {
    fn negated(_: &mut Program) {}
}
macro_rules! real_samples {
    ($($t:ident)*; $($unsigned:ident)*) => {
        $(impl RealSample for $t {
            fn negated(p: &mut Program) {
                signed::<$t>(p);
            }
        })*
        $(impl RealSample for $unsigned {})*
    };
}
real_samples!(i8 i16 i32 i64 f32 f64; u8 u16 u32 u64);

const FUNCTIONS: [Function; 18] = [
    Function::Sqrt,
    Function::Exp,
    Function::Exp2,
    Function::Ln,
    Function::Log2,
    Function::Log10,
    Function::Sin,
    Function::Cos,
    Function::Tan,
    Function::Asin,
    Function::Acos,
    Function::Atan,
    Function::Sinh,
    Function::Cosh,
    Function::Tanh,
    Function::Asinh,
    Function::Acosh,
    Function::Atanh,
];

fn inexact<T: Sample + Inexact<Magnitude: Sample>>(p: &mut Program) {
    p.unary::<T, _>(Sqrt);
    p.unary::<T, _>(Exp);
    p.unary::<T, _>(Exp2);
    p.unary::<T, _>(Ln);
    p.unary::<T, _>(Log2);
    p.unary::<T, _>(Log10);
    p.unary::<T, _>(Sin);
    p.unary::<T, _>(Cos);
    p.unary::<T, _>(Tan);
    p.unary::<T, _>(Asin);
    p.unary::<T, _>(Acos);
    p.unary::<T, _>(Atan);
    p.unary::<T, _>(Sinh);
    p.unary::<T, _>(Cosh);
    p.unary::<T, _>(Tanh);
    p.unary::<T, _>(Recip);
    p.unary::<T, _>(Arg);
    p.unary::<T, _>(IsNan);
    p.unary::<T, _>(IsFinite);
    p.unary::<T, _>(IsInfinite);
    for n in [0, 1, 3] {
        for sign in [T::Magnitude::one(), -T::Magnitude::one()] {
            let half = T::Magnitude::from_usize(n) / T::Magnitude::from_usize(2);
            p.unary::<T, _>(Powf(sign * half));
        }
    }
    p.unary::<T, _>(Share(7));
    p.unary::<T, _>(Share(0));
}

fn floating<T: Sample + RealFloat + RealSample>(p: &mut Program) {
    any::<T>(p);
    real::<T>(p);
    inexact::<T>(p);
    // Mathematical libraries differ in the last place.
    p.unary_close::<T, _>(Cbrt, 2.0, |_| true);
    p.unary::<T, _>(ExpM1);
    p.unary::<T, _>(Ln1p);
    p.unary::<T, _>(Floor);
    p.unary::<T, _>(Ceil);
    p.unary::<T, _>(Round);
    p.unary::<T, _>(Trunc);
    p.unary::<T, _>(Fract);
    p.binary::<T, T, _>(Atan2);
    p.binary::<T, T, _>(Hypot);
    // C has inverse hyperbolic functions of its own; Rust's are made of logarithms, which overflow first.
    let fits = |x: T| !x.is_finite() || x.abs() <= T::max_value() / T::from_usize(4);
    // And near −1 there, a difference has lost most of its digits.
    let near = |x: T| x.is_nan() || x >= -T::one() / T::from_usize(2) || x <= -T::one();
    p.unary_close::<T, _>(Asinh, 4.0, fits);
    p.unary_close::<T, _>(Acosh, 4.0, fits);
    p.unary_close::<T, _>(Atanh, 4.0, near);
    for f in FUNCTIONS {
        match f {
            Function::Asinh | Function::Acosh => p.unary_close::<T, _>(Slow(f), 4.0, fits),
            Function::Atanh => p.unary_close::<T, _>(Slow(f), 4.0, near),
            _ => p.unary::<T, _>(Slow(f)),
        }
    }
    let (start, end) = (T::from_usize(1) / T::from_usize(3), T::from_usize(7));
    for last in [0, 1, 6, (1 << 33) + 1] {
        p.generator::<T, _>(Between { start, end, last });
    }
}

fn complex<T: Sample + Inexact<Magnitude: Sample>>(p: &mut Program)
where
    T::Real: Sample,
{
    any::<T>(p);
    number::<T>(p);
    signed::<T>(p);
    inexact::<T>(p);
    p.unary::<T, _>(Asinh);
    p.unary::<T, _>(Acosh);
    p.unary::<T, _>(Atanh);
    for f in FUNCTIONS {
        p.unary::<T, _>(Slow(f));
    }
}

fn casts(p: &mut Program) {
    macro_rules! from {
        ($($from:ident)*) => {$(
            cast::<$from, i8>(p);
            cast::<$from, i16>(p);
            cast::<$from, i32>(p);
            cast::<$from, i64>(p);
            cast::<$from, u8>(p);
            cast::<$from, u16>(p);
            cast::<$from, u32>(p);
            cast::<$from, u64>(p);
            cast::<$from, f32>(p);
            cast::<$from, f64>(p);
            cast::<$from, c32>(p);
            cast::<$from, c64>(p);
        )*};
    }
    from!(bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
    cast::<bool, bool>(p);
    cast::<c32, c32>(p);
    cast::<c32, c64>(p);
    cast::<c64, c32>(p);
    cast::<c64, c64>(p);
}

fn cast<A: Sample + CastTo<B>, B: Sample>(p: &mut Program) {
    p.unary::<A, _>(Cast::<B>(PhantomData));
}

/// The example of [`UnaryOp`].
#[derive(Clone, Copy)]
struct Gelu;
impl UnaryOp<f64> for Gelu {
    type Output = f64;
    const NAME: &'static str = "apply gelu to";
    const CUDA: CudaSource =
        CudaSource::builtin("0.5 * a * (1.0 + tanh(0.7978845608028654 * (a + 0.044715 * a * a * a)))");
    fn apply(&self, x: f64) -> f64 {
        0.5 * x * (1.0 + (0.797_884_560_802_865_4 * (x + 0.044_715 * x * x * x)).tanh())
    }
}

/// The example of [`BinaryOp`].
#[derive(Clone, Copy)]
struct Apart;
impl BinaryOp<f64, f64> for Apart {
    type Output = f64;
    const NAME: &'static str = "compare the angles of";
    const CUDA: CudaSource = CudaSource::builtin(
        "[&] { A d = fmod(a - b, 360.0); if (d < 0.0) d = d + 360.0; return fmin(d, 360.0 - d); }()",
    );
    fn apply(&self, a: f64, b: f64) -> f64 {
        let d = (a - b).rem_euclid(360.0);
        d.min(360.0 - d)
    }
}

/// Complex numbers beside real ones.
#[derive(Clone, Copy)]
struct Literals;
impl UnaryOp<c32> for Literals {
    type Output = c32;
    const NAME: &'static str = "compute with literals";
    const CUDA: CudaSource = CudaSource::builtin(
        "(1.5 + a) / 3 + (a + 2) * (a - 0.1f) - 2.5 / (0.1f - a) * (3.0 * a) % (a * 0.5)",
    );
    fn apply(&self, a: c32) -> c32 {
        (1.5 + a) / 3.0 + (a + 2.0) * (a - 0.1) - 2.5 / (0.1 - a) * (3.0 * a) % (a * 0.5)
    }
}
