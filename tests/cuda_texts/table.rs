//! The elementwise operations whose CUDA sources are compared with the Rust functions, for every element type that supports them: the
//! functions of the catalogue (`device/op/catalogue/`), and the operations that are written by hand.

use super::program::Program;
use super::samples::Sample;
use crate::device::op::binary::operation;
use crate::device::op::cast::Cast;
use crate::device::op::catalogue::{binary, unary};
use crate::device::op::checked::{CheckedAdd, CheckedMul};
use crate::device::op::scalar::{WithLeft, WithRight};
use crate::device::{BinaryOp, CudaSource, UnaryOp};
use crate::dyn_tensor::texts::Dispatched;
use crate::element::{CastTo, DType, FloatFunction, Inexact, RealFloat, RealScalar, Scalar, c32, c64};
use crate::engine::contract::ScaledSum;
use crate::ops::op::*;
use crate::ops::reduce::statistics::ClampParts;
use crate::ops::texts::{Between, Constant, EdgeSlope, Finite, Flipped, Horner, Ramp, Slope};
use core::marker::PhantomData;
use num_traits::One;

/// [`dispatch!`](crate::dispatch!) over the element types of a function: those that the field `elements` of the catalogue names.
macro_rules! dispatch_elements {
    ([Scalar + $neg:path], $dtype:expr, $T:ident => $body:expr, else => $other:expr) => {
        $crate::dispatch!(
            $dtype,
            $T in [i8, i16, i32, i64, f32, f64, $crate::c32, $crate::c64] => $body,
            else => $other
        )
    };
    ([$bound:ident], $dtype:expr, $T:ident => $body:expr, else => $other:expr) => {
        $crate::dispatch!($dtype, $T: $bound => $body, else => $other)
    };
}

/// Functions that add operations to a program. The operations are divided into these groups, so that each program is small.
pub(super) const GROUPS: [fn(&mut Program); 5] = [small_integers, large_integers, casts, floats, complexes];

/// Returns the program of a group.
pub(super) fn program(group: usize) -> Program {
    let mut program = Program::default();
    GROUPS[group](&mut program);
    program
}

fn small_integers(p: &mut Program) {
    any::<bool>(p);
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
    // The operators with a complex and a real operand.
    macro_rules! mixed {
        ($($Op:ident)*) => {$(
            p.binary::<c32, f32, _>($Op);
            p.binary::<f32, c32, _>($Op);
            p.binary::<c64, f64, _>($Op);
            p.binary::<f64, c64, _>($Op);
        )*};
    }
    mixed!(Add Sub Mul Div Rem);
    p.unary(Literals);
}

/// Adds the functions of the catalogue (`device/op/catalogue/`) that support `dtype`.
fn catalogue(p: &mut Program, dtype: DType) {
    unary_rows(p, dtype);
    binary_rows(p, dtype);
}

macro_rules! unary_rows {
    ($($Name:ident: $method:ident $(, $try_method:ident)? {
        doc: $doc:literal,
        $(symbol: $symbol:literal,)?
        $(verb: $verb:literal,)?
        elements: $bound:ident $(+ $also:path)?, gives: $Output:ty, example: $input:literal => $expected:literal,
        $(function: $function:ident,)?
        $(real_function: $real_function:ident,)?
        $(host: |$x:ident| $host:expr,)?
        cuda: $cuda:literal,
        $($rest:tt)*
    })*) => {
        fn unary_rows(p: &mut Program, dtype: DType) {
            $(
                dispatch_elements!(
                    [$bound $(+ $also)?], dtype,
                    T => {
                        let (close, some) = T::accuracy(stringify!($Name));
                        p.unary_close::<T, _>($Name, close, some);
                        $(p.unary_close::<T, _>(Dispatched(FloatFunction::$function), close, some);)?
                    },
                    else => ()
                );
            )*
        }
    };
}
unary!(unary_rows);

macro_rules! binary_rows {
    ($($Name:ident: $method:ident $(, $try_method:ident)? {
        doc: $doc:literal, $(alias: $alias:literal,)?
        $(symbol: $symbol:literal, operator: $Operator:ident,)?
        $(verb: $verb:literal,)?
        elements: $bound:ident, $($rest:tt)*
    })*) => {
        fn binary_rows(p: &mut Program, dtype: DType) {
            $(
                dispatch_elements!(
                    [$bound], dtype,
                    T => p.binary::<T, T, _>(operation!($Name $($Operator)?)),
                    else => ()
                );
            )*
        }
    };
}
binary!(binary_rows);

/// The accuracy to which a function is tested: the largest allowed difference of results, in units of rounding, and a function that
/// returns whether to test an element.
type Accuracy<T> = (f64, fn(T) -> bool);

trait Accurate: Sample {
    fn accuracy(_: &str) -> Accuracy<Self> {
        (0.0, |_| true)
    }
}
macro_rules! accurate {
    ($($t:ident)*; $($complex:ident)*; $($float:ident)*) => {
        $(impl Accurate for $t {})*
        $(impl Accurate for $complex {
            fn accuracy(name: &str) -> Accuracy<$complex> {
                match name {
                    // The host scales the parts and takes the root of the sum of squares; C++ calls `hypot` of its library. Their results
                    // differ by a few units of rounding.
                    "Abs" => (2.0, |_| true),
                    // The host computes with FMA, and with functions of this crate.
                    "Sqrt" | "Exp" | "Exp2" | "ExpM1" | "Ln" | "Log2" | "Log10" | "Ln1p" | "Sin" | "Cos" | "Tan" | "Asin" | "Acos"
                    | "Atan" | "Sinh" | "Cosh" | "Tanh" | "Asinh" | "Acosh" | "Atanh" => (8.0, |_| true),
                    _ => (0.0, |_| true),
                }
            }
        })*
        $(impl Accurate for $float {
            fn accuracy(name: &str) -> Accuracy<$float> {
                match name {
                    // The host may use the functions of this crate, C++ uses those of its library. Their results differ by a few
                    // units of rounding.
                    "Exp" | "Exp2" | "ExpM1" | "Ln" | "Log2" | "Log10" | "Ln1p" | "Sin" | "Cos" | "Tan" | "Asin" | "Acos"
                    | "Atan" | "Sinh" | "Cosh" | "Tanh" | "Asinh" | "Acosh" | "Atanh" | "Cbrt"
                    | "Sigmoid" | "Erf" | "Erfc" | "Powf" => (2.0, |_| true),
                    _ => (0.0, |_| true),
                }
            }
        })*
    };
}
accurate!(bool i8 i16 i32 i64 u8 u16 u32 u64; c32 c64; f32 f64);

fn any<T: Sample>(p: &mut Program) {
    catalogue(p, T::DTYPE);
    p.ternary::<bool, T, T, _>(Select);
    p.binary::<T, bool, _>(FillMasked(T::special()[1]));
    p.generator::<T, _>(Constant(T::special()[1]));
}

fn integer<T: Sample + RealScalar>(p: &mut Program) {
    any::<T>(p);
    real::<T>(p);
    p.binary::<T, T, _>(CheckedAdd);
    p.binary::<T, T, _>(CheckedMul);
    // With these factors, the sum of two products may overflow even the type that holds each product. The wrapped sum may then fit the
    // element type, although the exact sum does not, and the overflow must be found nevertheless.
    p.binary::<T, T, _>(ScaledSum { beta: T::HIGHEST, alpha: T::from_usize(3), conjugate: false });
    p.binary::<T, T, _>(ScaledSum { beta: T::LOWEST, alpha: T::LOWEST, conjugate: false });
}

fn number<T: Sample + Scalar<Real: Sample>>(p: &mut Program) {
    for n in [0, 1, 2, 3, 7, 12, i32::MAX, -1, -2, -5, i32::MIN] {
        p.unary::<T, _>(Powi(n));
        if ShortPowi::fits::<T>(n) {
            p.unary::<T, _>(ShortPowi(n));
        }
    }
    let [zero, one] = [T::zero(), T::one()];
    let two = one + one;
    let third = T::all().into_iter().next_back().expect("there are samples");
    for alpha in [one, two, third] {
        p.binary::<T, T, _>(AddScaled(alpha));
        p.binary::<T, T, _>(Horner(alpha));
    }
    let [quarter, small] = [0.25, 1e-7].map(<T::Magnitude as Scalar>::from_f64);
    p.binary::<T, T, _>(IsClose { relative: quarter, absolute: small });
    p.binary::<T, T, _>(IsClose { relative: small, absolute: quarter + quarter });
    for beta in [zero, one, third] {
        for alpha in [zero, one, two, third] {
            for conjugate in [false, true] {
                p.binary::<T, T, _>(ScaledSum { beta, alpha, conjugate });
            }
        }
    }
    for right in [two, third] {
        p.unary::<T, _>(WithRight { op: Sub, right });
        p.unary::<T, _>(WithRight { op: Div, right });
        p.unary::<T, _>(WithRight { op: ScaledSum { beta: two, alpha: two, conjugate: false }, right });
        p.unary::<T, _>(WithLeft { op: Sub, left: right });
        p.unary::<T, _>(WithLeft { op: Rem, left: right });
    }
    p.binary::<T, T, _>(Flipped(Sub));
    p.binary::<T, T, _>(Flipped(Div));
    p.binary::<T, T, _>(Flipped(AddScaled(two)));
    p.binary::<T, T, _>(Flipped(Flipped(Sub)));
}

fn real<T: Sample + RealScalar>(p: &mut Program) {
    number::<T>(p);
    p.unary::<T, _>(Clamp(T::zero(), T::HIGHEST));
    p.unary::<T, _>(Clamp(T::one(), T::from_usize(100)));
    let last = T::all().into_iter().next_back().expect("there are samples");
    for step in [T::one(), last] {
        p.generator::<T, _>(Ramp { start: T::from_usize(3), step });
    }
}

fn inexact<T: Accurate + Inexact<Magnitude: Sample>>(p: &mut Program) {
    p.binary::<T, T, _>(Finite);
    p.binary::<T, T, _>(Slope { half: <T::Magnitude as Scalar>::from_f64(0.75) });
    p.ternary::<T, T, T, _>(EdgeSlope {
        half: <T::Magnitude as Scalar>::from_f64(0.75),
        half_next: <T::Magnitude as Scalar>::from_f64(0.5),
    });
    p.unary::<T, _>(ClampParts);
    for n in [0, 1, 3] {
        for sign in [T::Magnitude::one(), -T::Magnitude::one()] {
            let half = T::Magnitude::from_usize(n) / T::Magnitude::from_usize(2);
            let (close, some) = T::accuracy("Powf");
            p.unary_close::<T, _>(Powf(sign * half), close, some);
        }
    }
    // `unary_rows` adds the functions whose row in `catalogue/unary.rs` has a field `function`. The row `Sqrt` has none, so it is added here.
    let (close, some) = T::accuracy("Sqrt");
    p.unary_close::<T, _>(Dispatched(FloatFunction::Sqrt), close, some);
}

fn floating<T: Accurate + RealFloat>(p: &mut Program) {
    any::<T>(p);
    real::<T>(p);
    inexact::<T>(p);
    for decimals in [0, 2, 30, 400, -3, -400] {
        p.unary::<T, _>(RoundTo::new(decimals));
    }
    p.unary::<T, _>(NanToNumWith { nan: T::zero(), positive: T::from_usize(7), negative: -T::infinity() });
    let (start, end) = (T::from_usize(1) / T::from_usize(3), T::from_usize(7));
    for last in [0, 1, 6, (1 << 33) + 1] {
        p.generator::<T, _>(Between { start, end, last });
    }
}

fn complex<T: Accurate + Inexact<Magnitude: Sample>>(p: &mut Program)
where
    T::Real: Sample,
{
    any::<T>(p);
    number::<T>(p);
    inexact::<T>(p);
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

/// An operation that combines a complex number with real literals of different types.
#[derive(Clone, Copy)]
struct Literals;
impl UnaryOp<c32> for Literals {
    type Output = c32;
    const NAME: &'static str = "compute with literals";
    const CUDA: CudaSource = CudaSource::builtin(
        "(1.5 + a) / 3 + (a + 2) * (a - 0.1f) - 2.5 / (0.1f - a) * (3.0 * a) % (a * 0.5)",
    );
    fn apply(&self, a: c32) -> c32 {
        let quotient = c32::from(2.5).quotient(0.1 - a);
        (1.5 + a) / 3.0 + (a + 2.0) * (a - 0.1) - Inexact::remainder(quotient * (3.0 * a), a * 0.5)
    }
}
