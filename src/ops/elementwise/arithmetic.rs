//! The operators `+ - * / %`, `& | ^`, unary `-` and `!`, and the compound assignments. A binary operator takes a tensor or a scalar on
//! either side; tensors are owned or borrowed.

use super::compute::{binary_assign, unary_given};
use super::operands::{AssignOperand, MatchingOperand, RightOperand};
use crate::device::op::scalar::WithLeft;
use crate::device::{BinaryOp, CudaSource, Device, Elementwise, Scalars};
use crate::element::{Arithmetic, Bits, Element, Scalar, c32, c64};
use crate::error::{Error, fallible, unwrap_or_panic};
use crate::ops::op::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};
use crate::order::Order;
use crate::rank::{BroadcastTo, Dim};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;
use core::ops;

macro_rules! infix {
    ($($Op:ident, $method:ident;)*) => {$(
        impl<T, D, O, Dev, S, R> ops::$Op<R> for &Tensor<T, D, O, Dev, S>
        where
            T: Element,
            D: Dim,
            O: Order,
            Dev: Device,
            S: Storage<T, Dev>,
            R: RightOperand<$Op, T, D, O, Dev>,
        {
            type Output = Tensor<R::Element, R::Common, O, Dev>;
            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                unwrap_or_panic(right.operate($Op, self.view()))
            }
        }
        impl<T, D, O, Dev, S, R> ops::$Op<R> for Tensor<T, D, O, Dev, S>
        where
            T: Element,
            D: Dim,
            O: Order,
            Dev: Device,
            S: Storage<T, Dev>,
            R: RightOperand<$Op, T, D, O, Dev>,
        {
            type Output = Tensor<R::Element, R::Common, O, Dev>;
            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                unwrap_or_panic(right.operate($Op, self))
            }
        }
    )*};
}
infix! {
    Add, add;
    Sub, sub;
    Mul, mul;
    Div, div;
    Rem, rem;
    BitAnd, bitand;
    BitOr, bitor;
    BitXor, bitxor;
    Shl, shl;
    Shr, shr;
}

/// Implements the compound assignments (`+=`), and the binary operators with a scalar on the left.
macro_rules! arithmetic {
    ($($Op:ident, $method:ident, $Assign:ident, $assign:ident, $try_assign:ident, $symbol:literal;)*) => {$(
        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S>
        {
            #[doc = concat!("Fallible variant of `self ", $symbol, "= right`; the tensor `right` broadcasts to the shape of `self`.")]
            ///
            /// # Errors
            /// If `right` does not broadcast to the shape of `self`, an integer is divided by zero, or an integer result overflows. An
            /// overflow of `+ - *` is an error only in builds with debug assertions. `self` is unchanged if there is an error.
            ///
            /// ```
            /// use vierbein::tensor;
            /// let mut x = tensor![7, 5];
            #[doc = concat!("x.", stringify!($try_assign), "(&tensor![2, 5])?;")]
            #[doc = concat!("assert_eq!(x, tensor![7 ", $symbol, " 2, 5 ", $symbol, " 5]);")]
            /// # Ok::<(), vierbein::Error>(())
            /// ```
            pub fn $try_assign<B>(&mut self, right: B) -> Result<(), Error>
            where
                T: Scalar,
                B: MatchingOperand<T, O, Dev, Dim: BroadcastTo<D>>,
                Dev: Elementwise<T>,
                S: StorageMut<T, Dev>,
            {
                binary_assign($Op, self, &right.agreed())
            }
        }

        impl<T, D, O, Dev, S, R> ops::$Assign<R> for Tensor<T, D, O, Dev, S>
        where
            T: Element,
            D: Dim,
            O: Order,
            Dev: Device,
            S: Storage<T, Dev>,
            R: AssignOperand<$Op, Self>,
        {
            #[track_caller]
            fn $assign(&mut self, right: R) {
                unwrap_or_panic(right.operate_on($Op, self));
            }
        }

        arithmetic!(@scalars $Op $method; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c32 c64);
        // A real scalar and a complex tensor.
        arithmetic!(@left $Op $method; f32 beside c32, f64 beside c64);
        arithmetic!(@complex $Op $method; c32 beside f32, c64 beside f64);
    )*};

    (@scalars $Op:ident $method:ident; $($t:ident)*) => {
        arithmetic!(@left $Op $method; $($t beside $t),*);
    };

    (@left $Op:ident $method:ident; $($t:ident beside $u:ident),*) => {$(
        impl<D: Dim, O: Order, Dev: Elementwise<$u>, S: Storage<$u, Dev>>
            ops::$Op<&Tensor<$u, D, O, Dev, S>> for $t
        {
            type Output = Tensor<$u, D, O, Dev>;
            #[track_caller]
            fn $method(self, right: &Tensor<$u, D, O, Dev, S>) -> Self::Output {
                unwrap_or_panic(right.try_apply(WithLeft { op: $Op, left: self }))
            }
        }
        impl<D: Dim, O: Order, Dev: Elementwise<$u>, S: Storage<$u, Dev>>
            ops::$Op<Tensor<$u, D, O, Dev, S>> for $t
        {
            type Output = Tensor<$u, D, O, Dev>;
            #[track_caller]
            fn $method(self, right: Tensor<$u, D, O, Dev, S>) -> Self::Output {
                unwrap_or_panic(unary_given(WithLeft { op: $Op, left: self }, right))
            }
        }
    )*};

    // A complex scalar and a real tensor.
    (@complex $Op:ident $method:ident; $($t:ident beside $u:ident),*) => {$(
        impl<D: Dim, O: Order, Dev: Elementwise<$u>, S: Storage<$u, Dev>>
            ops::$Op<&Tensor<$u, D, O, Dev, S>> for $t
        {
            type Output = Tensor<$t, D, O, Dev>;
            #[track_caller]
            fn $method(self, right: &Tensor<$u, D, O, Dev, S>) -> Self::Output {
                unwrap_or_panic(right.try_apply(WithLeft { op: $Op, left: self }))
            }
        }
        impl<D: Dim, O: Order, Dev: Elementwise<$u>, S: Storage<$u, Dev>>
            ops::$Op<Tensor<$u, D, O, Dev, S>> for $t
        {
            type Output = Tensor<$t, D, O, Dev>;
            #[track_caller]
            fn $method(self, right: Tensor<$u, D, O, Dev, S>) -> Self::Output {
                ops::$Op::$method(self, &right)
            }
        }
    )*};
}

arithmetic! {
    Add, add, AddAssign, add_assign, try_add_assign, "+";
    Sub, sub, SubAssign, sub_assign, try_sub_assign, "-";
    Mul, mul, MulAssign, mul_assign, try_mul_assign, "*";
    Div, div, DivAssign, div_assign, try_div_assign, "/";
    Rem, rem, RemAssign, rem_assign, try_rem_assign, "%";
}

macro_rules! prefix {
    ($($Op:ident, $method:ident, [$($bound:tt)*];)*) => {$(
        impl<T, D, O, Dev, S> ops::$Op for &Tensor<T, D, O, Dev, S>
        where
            T: $($bound)*,
            D: Dim,
            O: Order,
            Dev: Elementwise<T>,
            S: Storage<T, Dev>,
        {
            type Output = Tensor<T, D, O, Dev>;
            #[track_caller]
            fn $method(self) -> Self::Output {
                self.apply($Op)
            }
        }
        impl<T, D, O, Dev, S> ops::$Op for Tensor<T, D, O, Dev, S>
        where
            T: $($bound)*,
            D: Dim,
            O: Order,
            Dev: Elementwise<T>,
            S: Storage<T, Dev>,
        {
            type Output = Tensor<T, D, O, Dev>;
            #[track_caller]
            fn $method(self) -> Self::Output {
                unwrap_or_panic(unary_given($Op, self))
            }
        }
    )*};
}
prefix! {
    Neg, neg, [Scalar + ops::Neg<Output = T>];
    Not, not, [Bits];
}

/// The function `a + alpha · b` of two elements. The field is `alpha`.
#[derive(Debug, Clone, Copy)]
pub struct AddScaled<T>(pub T);

impl<T: Scalar> BinaryOp<T, T> for AddScaled<T> {
    type Output = T;
    const NAME: &'static str = "add";
    const CUDA: CudaSource = CudaSource::builtin("wrapping_add(a, wrapping_mul(alpha, b))");
    const CUDA_DEFINED: CudaSource =
        CudaSource::builtin("fits_mul(alpha, b) && fits_add(a, wrapping_mul(alpha, b))");
    const CHECKED: bool = T::INTEGER && cfg!(debug_assertions);
    const MULTIPLIES: bool = true;
    #[inline]
    fn apply(&self, a: T, b: T) -> T {
        T::wrapping(Arithmetic::Add, a, T::wrapping(Arithmetic::Mul, self.0, b))
    }
    fn is_defined(&self, a: T, b: T) -> bool {
        T::fits(Arithmetic::Mul, self.0, b)
            && T::fits(Arithmetic::Add, a, T::wrapping(Arithmetic::Mul, self.0, b))
    }
    fn operands(&self, a: T, b: T) -> String {
        format!("{a} and {} · {b}", self.0)
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("alpha", self.0);
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Computes `self += alpha · right` in one pass (BLAS's axpy); `right` broadcasts to the shape of `self`.
    ///
    /// # Errors
    /// If `right` does not broadcast to the shape of `self`, or an integer result overflows in a build with debug assertions. `self` is
    /// unchanged then.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let mut x = tensor![1.0, 2.0];
    /// x.add_scaled(10.0, &tensor![3.0, 4.0]);
    /// assert_eq!(x, tensor![31.0, 42.0]);
    /// ```
    #[fallible]
    pub fn add_scaled<B>(&mut self, alpha: T, right: B)
    where
        T: Scalar,
        B: MatchingOperand<T, O, Dev, Dim: BroadcastTo<D>>,
        Dev: Elementwise<T>,
        S: StorageMut<T, Dev>,
    {
        binary_assign(AddScaled(alpha), self, &right.agreed())
    }
}
