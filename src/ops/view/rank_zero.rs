//! Rank-0 tensors on the host as numbers: comparison with a scalar, and conversion to one.

#![forbid(unsafe_code)]

use crate::device::HostAccess;
use crate::element::{Element, RealScalar, c32, c64};
use crate::order::Order;
use crate::rank::Rank;
use crate::storage::Storage;
use crate::tensor::Tensor;
use core::cmp::Ordering;
use core::ops;

/// Compares the element of a rank-0 tensor with a scalar: `x.sum() == 2.0`.
impl<T: Element, O: Order, Dev: HostAccess, S: Storage<T, Dev>> PartialEq<T>
    for Tensor<T, Rank<0>, O, Dev, S>
{
    fn eq(&self, scalar: &T) -> bool {
        self[[]] == *scalar
    }
}

/// Compares the element of a rank-0 tensor with a scalar: `x.sum() > 2.0`.
impl<T: RealScalar, O: Order, Dev: HostAccess, S: Storage<T, Dev>> PartialOrd<T>
    for Tensor<T, Rank<0>, O, Dev, S>
{
    fn partial_cmp(&self, scalar: &T) -> Option<Ordering> {
        self[[]].partial_cmp(scalar)
    }
}

/// Implements the compound assignments of a number and a rank-0 tensor: `total += x.sum()`.
macro_rules! number_and_rank_zero {
    ($($t:ty)*) => {$(
        number_and_rank_zero! {
            $t;
            AddAssign, add_assign;
            SubAssign, sub_assign;
            MulAssign, mul_assign;
            DivAssign, div_assign;
        }
    )*};
    ($t:ty; $($Assign:ident, $assign:ident;)*) => {$(
        /// Combines the number with the element of the tensor.
        impl<O: Order, Dev: HostAccess, S: Storage<$t, Dev>> ops::$Assign<Tensor<$t, Rank<0>, O, Dev, S>> for $t {
            #[track_caller]
            fn $assign(&mut self, right: Tensor<$t, Rank<0>, O, Dev, S>) {
                ops::$Assign::$assign(self, right[[]]);
            }
        }
    )*};
}
number_and_rank_zero!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c32 c64);

macro_rules! from_rank_zero {
    ($($t:ty)*) => {$(
        /// Returns the element, as [`item`](Tensor::item) does.
        impl<O: Order, Dev: HostAccess, S: Storage<$t, Dev>> From<Tensor<$t, Rank<0>, O, Dev, S>> for $t {
            fn from(x: Tensor<$t, Rank<0>, O, Dev, S>) -> $t {
                x[[]]
            }
        }
    )*};
}
from_rank_zero!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c32 c64 bool);
