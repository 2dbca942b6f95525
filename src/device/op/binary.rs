//! Functions of two elements.

use super::BinaryOp;
use super::catalogue::{binary, verb};
use super::unary::{DIVISION, INTEGER_DIVISION, QUOTIENT_OF_BYTES, RECIPROCAL, SLOW};
use crate::device::CudaSource;
use crate::element::{
    Arithmetic, Bits, Element, Elementary, Integer, Ordered, PairFunction, RealFloat, RealScalar, Scalar, c64,
};
use num_traits::Zero;

/// Converts a number to `c64`, which [`Elementary::PairWith`] has.
fn in_c64<T: Scalar>(x: T) -> c64 {
    c64::new(x.re().in_f64(), x.im().in_f64())
}

/// Expands to the operation of a function of the catalogue: a type in the module `op`.
macro_rules! operation {
    ($Name:ident) => {
        $crate::device::op::binary::$Name
    };
    ($Name:ident $Operator:ident) => {
        $crate::device::op::binary::$Operator
    };
}
pub(crate) use operation;

macro_rules! operations {
    ($($Name:ident: $method:ident $(, $try_method:ident)? {
        doc: $doc:literal, $(alias: $alias:literal,)?
        $(symbol: $symbol:literal, operator: $Operator:ident,)?
        $(verb: $verb:literal,)?
        elements: $bound:ident, gives: $Output:ty, example: $left:literal, $right:literal => $expected:literal,
        $(pair_function: $pair_function:ident,)?
        $(host: |$a:ident, $b:ident| $host:expr,)? $(host_by_scalar: |$e:ident, $f:ident| $host_by_scalar:expr, always_defined: |$g:ident| $always_defined:expr,)? cuda: $cuda:literal,
        $(defined: |$c:ident, $d:ident| $defined:expr, cuda_defined: $cuda_defined:expr, checked: $checked:expr,)?
        $(elementary: $elementary:ident,)?
        $(cost: $cost:expr,)?
        $(cost_by_scalar: $cost_by_scalar:expr,)?
        $(associative: $associative:literal,)?
        $(multiplies: $multiplies:literal,)?
    })*) => {$(
        operations!(@type $Name $($Operator)?, concat!($doc, ", as an operation" $(, ": `a ", $symbol, " b`")?, "."));

        impl<T: $bound> BinaryOp<T, T> for operation!($Name $($Operator)?) {
            type Output = $Output;
            const NAME: &'static str = verb!($method $($verb)?);
            const CUDA: CudaSource = CudaSource::builtin($cuda);
            $(
                const CUDA_DEFINED: CudaSource = CudaSource::builtin($cuda_defined);
                const CHECKED: bool = T::INTEGER && $checked;
                fn is_defined(&self, $c: T, $d: T) -> bool {
                    $defined
                }
            )?
            $(const COST: usize = $cost;)?
            $(const COST_WITH_SCALAR: usize = $cost_by_scalar;)?
            $(const ASSOCIATIVE: bool = $associative;)?
            $(const MULTIPLIES: bool = $multiplies;)?
            $(
                #[inline]
                fn apply(&self, $a: T, $b: T) -> $Output {
                    $host
                }
            )?
            $(
                const COST: usize = SLOW;
                fn apply(&self, a: T, b: T) -> $Output {
                    a.pair_function(PairFunction::$pair_function, b)
                }
                fn elementary(&self) -> Option<Elementary> {
                    Some(Elementary::Pair(PairFunction::$pair_function))
                }
                fn elementary_with_scalar(&self, b: T) -> Option<Elementary> {
                    Some(Elementary::PairWith(PairFunction::$pair_function, in_c64(b)))
                }
            )?
            $(
                #[inline]
                fn elementary(&self) -> Option<Elementary> {
                    const F: PairFunction = PairFunction::$elementary;
                    F.has_loop(T::COMPLEX).then_some(Elementary::Pair(F))
                }
                #[inline]
                fn elementary_with_scalar(&self, b: T) -> Option<Elementary> {
                    const F: PairFunction = PairFunction::$elementary;
                    F.has_loop(T::COMPLEX).then(|| Elementary::PairWith(F, in_c64(b)))
                }
                #[inline]
                fn elementary_with_left_scalar(&self, a: T) -> Option<Elementary> {
                    const IS_QUOTIENT: bool = matches!(PairFunction::$elementary, PairFunction::Div);
                    (IS_QUOTIENT && T::COMPLEX).then(|| Elementary::QuotientOf(in_c64(a)))
                }
            )?
            $(
                #[inline]
                fn apply_with_scalar(&self, $e: T, $f: T) -> $Output {
                    $host_by_scalar
                }
                fn always_defined_with_scalar(&self, $g: T) -> bool {
                    $always_defined
                }
            )?
        }
    )*};
    (@type $Name:ident $Operator:ident, $doc:expr) => {
        operations!(@type $Operator, $doc);
    };
    (@type $Name:ident, $doc:expr) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Name;
    };
}
// Calls the macro `operations` with the list of all functions, which is in `catalogue/binary.rs`.
binary!(operations);

/// Returns the larger value, or NaN if either value is NaN.
#[inline]
#[expect(clippy::eq_op, reason = "only NaN differs from itself")]
pub(crate) fn larger<T: Ordered>(a: T, b: T) -> T {
    if b > a || b != b { b } else { a }
}

/// Returns the smaller value, or NaN if either value is NaN.
#[inline]
#[expect(clippy::eq_op, reason = "only NaN differs from itself")]
pub(crate) fn smaller<T: Ordered>(a: T, b: T) -> T {
    if b < a || b != b { b } else { a }
}
