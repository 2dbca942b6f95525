//! Operators of dynamic tensors. If the fallible variant of an operator returns an error, the operator panics with its message.

use super::{binary, unary};
use crate::device::BinaryOp;
use crate::dyn_tensor::copy::assign;
use crate::dyn_tensor::operand::{DynOperand, scalar_for};
use crate::dyn_tensor::storage::{DynData, DynDataMut};
use crate::dyn_tensor::tensor::DynTensor;
use crate::element::{c32, c64};
use crate::error::unwrap_or_panic;
use crate::ops::op;
use core::ops;

macro_rules! operators {
    ($($Op:ident, $method:ident, $function:ident;)*) => {$(
        operators!(@tensors $Op $method $function);
        operators!(@scalars $Op $method $function; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c32 c64);
    )*};
    (@tensors $Op:ident $method:ident $function:ident) => {
        impl<'b, S: DynData, R: Into<DynOperand<'b>>> ops::$Op<R> for &DynTensor<S> {
            type Output = DynTensor;
            #[track_caller]
            fn $method(self, right: R) -> DynTensor {
                unwrap_or_panic(binary::$function(self.look(), right.into()))
            }
        }
        impl<'b, S: DynData, R: Into<DynOperand<'b>>> ops::$Op<R> for DynTensor<S> {
            type Output = DynTensor;
            #[track_caller]
            fn $method(self, right: R) -> DynTensor {
                unwrap_or_panic(binary::$function(self.look(), right.into()))
            }
        }
    };
    (@scalars $Op:ident $method:ident $function:ident; $($t:ty)*) => {$(
        impl<S: DynData> ops::$Op<&DynTensor<S>> for $t {
            type Output = DynTensor;
            #[track_caller]
            fn $method(self, right: &DynTensor<S>) -> DynTensor {
                const NAME: &str = <op::$Op as BinaryOp<f64, f64>>::NAME;
                let left = scalar_for(NAME, right.look(), self.into());
                unwrap_or_panic(left.and_then(|left| binary::$function(left.look(), right.into())))
            }
        }
    )*};
}
operators! {
    Add, add, try_add;
    Sub, sub, try_sub;
    Mul, mul, try_mul;
    Div, div, try_div;
    Rem, rem, try_rem;
}

macro_rules! logic {
    ($($Op:ident, $method:ident, $function:ident;)*) => {$(
        operators!(@tensors $Op $method $function);
    )*};
}
logic! {
    BitAnd, bitand, try_and;
    BitOr, bitor, try_or;
    BitXor, bitxor, try_xor;
    Shl, shl, try_shl;
    Shr, shr, try_shr;
}

macro_rules! assigning {
    ($($Op:ident, $method:ident, $function:ident;)*) => {$(
        impl<'b, S: DynDataMut, R: Into<DynOperand<'b>>> ops::$Op<R> for DynTensor<S> {
            #[track_caller]
            fn $method(&mut self, right: R) {
                unwrap_or_panic(assign::$function(self.view_mut(), right.into()));
            }
        }
    )*};
}
assigning! {
    AddAssign, add_assign, try_add_assign;
    SubAssign, sub_assign, try_sub_assign;
    MulAssign, mul_assign, try_mul_assign;
    DivAssign, div_assign, try_div_assign;
    RemAssign, rem_assign, try_rem_assign;
}

macro_rules! prefixes {
    ($($Op:ident, $method:ident, $function:ident;)*) => {$(
        impl<S: DynData> ops::$Op for &DynTensor<S> {
            type Output = DynTensor;
            #[track_caller]
            fn $method(self) -> DynTensor {
                unwrap_or_panic(unary::$function(self.look()))
            }
        }
        impl<S: DynData> ops::$Op for DynTensor<S> {
            type Output = DynTensor;
            #[track_caller]
            fn $method(self) -> DynTensor {
                unwrap_or_panic(unary::$function(self.look()))
            }
        }
    )*};
}
prefixes! {
    Neg, neg, try_neg;
    Not, not, try_not;
}
