//! `+ - * / %` and negation, with tensors and scalars on either side, owned or borrowed, and in place.

use super::compute::{binary_assign, unary_given};
use super::operands::{Agrees, AssignOperand, Operands, RightOperand, WithLeft};
use crate::device::{BinaryOp, CudaSource, Device, Elementwise, Scalars, UnaryOp};
use crate::element::{Arithmetic, Element, Scalar, c32, c64};
use crate::error::{Error, expect};
use crate::order::Order;
use crate::rank::{BroadcastTo, Dim};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;
use core::ops;

macro_rules! operators {
    ($(
        $Op:ident, $method:ident, $Assign:ident, $assign:ident, $try_method:ident, $try_assign:ident,
        $symbol:literal, $verb:literal, $checked:expr, $cuda:literal, $cuda_defined:literal;
    )*) => {$(
        #[doc = concat!("`a ", $symbol, " b`, as an operation.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;

        impl<T: Scalar> BinaryOp<T, T> for $Op {
            type Output = T;
            const NAME: &'static str = $verb;
            const CUDA: CudaSource = CudaSource::builtin($cuda);
            const CUDA_DEFINED: CudaSource = CudaSource::builtin($cuda_defined);
            const CHECKED: bool = T::INTEGER && $checked;
            const ASSOCIATIVE: bool = matches!(Arithmetic::$Op, Arithmetic::Add | Arithmetic::Mul);
            #[inline]
            fn apply(&self, a: T, b: T) -> T {
                T::wrapping(Arithmetic::$Op, a, b)
            }
            fn defined(&self, a: T, b: T) -> bool {
                T::fits(Arithmetic::$Op, a, b)
            }
        }

        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
            #[doc = concat!("`self ", $symbol, " right` with a `Result`; `right` is a tensor to broadcast with, or a scalar.")]
            ///
            /// # Errors
            /// Where the shapes do not broadcast, the device has no memory left, or integers have no such result.
            ///
            /// ```
            /// use vierbein::tensor;
            #[doc = concat!("assert_eq!(tensor![7, 5].", stringify!($try_method), "(&tensor![2, 5])?, tensor![7 ", $symbol, " 2, 5 ", $symbol, " 5]);")]
            /// # Ok::<(), vierbein::Error>(())
            /// ```
            pub fn $try_method<R: Operands<T, D, O, Dev>>(
                &self,
                right: R,
            ) -> Result<Tensor<T, R::Common, O, Dev>, Error>
            where
                T: Scalar,
                Dev: Elementwise<T>,
            {
                right.combine($Op, self)
            }
        }

        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S>
        {
            #[doc = concat!("`self ", $symbol, "= right` with a `Result`; the tensor `right` is repeated to the shape of `self`.")]
            ///
            /// # Errors
            /// Where `right` does not broadcast to the shape of `self`, or integers have no such result; nothing is changed then.
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
                B: Agrees<T, O, Dev, Dim: BroadcastTo<D>>,
                Dev: Elementwise<T>,
                S: StorageMut<T, Dev>,
            {
                binary_assign($Op, self, &right.agreed())
            }
        }

        impl<T, D, O, Dev, S, R> ops::$Op<R> for &Tensor<T, D, O, Dev, S>
        where
            T: Element,
            D: Dim,
            O: Order,
            Dev: Device,
            S: Storage<T, Dev>,
            R: RightOperand<$Op, T, D, O, Dev>,
        {
            type Output = Tensor<T, R::Common, O, Dev>;
            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                expect(right.operate($Op, self.view()))
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
            type Output = Tensor<T, R::Common, O, Dev>;
            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                expect(right.operate($Op, self))
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
                expect(right.operate_on($Op, self));
            }
        }

        operators!(@scalars $Op $method; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c32 c64);
    )*};

    (@scalars $Op:ident $method:ident; $($t:ty)*) => {$(
        impl<D: Dim, O: Order, Dev: Elementwise<$t>, S: Storage<$t, Dev>>
            ops::$Op<&Tensor<$t, D, O, Dev, S>> for $t
        {
            type Output = Tensor<$t, D, O, Dev>;
            #[track_caller]
            fn $method(self, right: &Tensor<$t, D, O, Dev, S>) -> Self::Output {
                expect(right.try_apply(WithLeft { op: $Op, left: self }))
            }
        }
        impl<D: Dim, O: Order, Dev: Elementwise<$t>, S: Storage<$t, Dev>>
            ops::$Op<Tensor<$t, D, O, Dev, S>> for $t
        {
            type Output = Tensor<$t, D, O, Dev>;
            #[track_caller]
            fn $method(self, right: Tensor<$t, D, O, Dev, S>) -> Self::Output {
                expect(unary_given(WithLeft { op: $Op, left: self }, right))
            }
        }
    )*};
}

// Dividing integers by zero is an error always; an overflow is one where Rust's own operators would panic.
operators! {
    Add, add, AddAssign, add_assign, try_add, try_add_assign, "+", "add", cfg!(debug_assertions), "wrapping_add(a, b)", "fits_add(a, b)";
    Sub, sub, SubAssign, sub_assign, try_sub, try_sub_assign, "-", "subtract", cfg!(debug_assertions), "wrapping_sub(a, b)", "fits_sub(a, b)";
    Mul, mul, MulAssign, mul_assign, try_mul, try_mul_assign, "*", "multiply", cfg!(debug_assertions), "wrapping_mul(a, b)", "fits_mul(a, b)";
    Div, div, DivAssign, div_assign, try_div, try_div_assign, "/", "divide", true, "wrapping_div(a, b)", "fits_div(a, b)";
    Rem, rem, RemAssign, rem_assign, try_rem, try_rem_assign, "%", "take the remainder of", true, "wrapping_rem(a, b)", "fits_div(a, b)";
}

/// `-a`, as an operation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Neg;

impl<T: Scalar + ops::Neg<Output = T>> UnaryOp<T> for Neg {
    type Output = T;
    const NAME: &'static str = "negate";
    const CUDA: CudaSource = CudaSource::builtin("wrapping_neg(a)");
    const CUDA_DEFINED: CudaSource = CudaSource::builtin("fits_neg(a)");
    const CHECKED: bool = T::INTEGER && cfg!(debug_assertions);
    #[inline]
    fn apply(&self, a: T) -> T {
        a.wrapping_neg()
    }
    fn defined(&self, a: T) -> bool {
        a.neg_fits()
    }
}

impl<T, D, O, Dev, S> ops::Neg for &Tensor<T, D, O, Dev, S>
where
    T: Scalar + ops::Neg<Output = T>,
    D: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
{
    type Output = Tensor<T, D, O, Dev>;
    #[track_caller]
    fn neg(self) -> Self::Output {
        expect(self.try_apply(Neg))
    }
}

impl<T, D, O, Dev, S> ops::Neg for Tensor<T, D, O, Dev, S>
where
    T: Scalar + ops::Neg<Output = T>,
    D: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
{
    type Output = Tensor<T, D, O, Dev>;
    #[track_caller]
    fn neg(self) -> Self::Output {
        expect(unary_given(Neg, self))
    }
}

/// `a + alpha · b`, as an operation.
#[derive(Debug, Clone, Copy)]
pub struct AddScaled<T>(pub T);

impl<T: Scalar> BinaryOp<T, T> for AddScaled<T> {
    type Output = T;
    const NAME: &'static str = "add";
    const CUDA: CudaSource = CudaSource::builtin("wrapping_add(a, wrapping_mul(alpha, b))");
    const CUDA_DEFINED: CudaSource =
        CudaSource::builtin("fits_mul(alpha, b) && fits_add(a, wrapping_mul(alpha, b))");
    const CHECKED: bool = T::INTEGER && cfg!(debug_assertions);
    #[inline]
    fn apply(&self, a: T, b: T) -> T {
        T::wrapping(Arithmetic::Add, a, T::wrapping(Arithmetic::Mul, self.0, b))
    }
    fn defined(&self, a: T, b: T) -> bool {
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
    /// `self += alpha · right` in one pass (BLAS's axpy); `right` is repeated to the shape of `self`.
    ///
    /// # Panics
    /// Where `right` does not broadcast to the shape of `self`.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let mut x = tensor![1.0, 2.0];
    /// x.add_scaled(10.0, &tensor![3.0, 4.0]);
    /// assert_eq!(x, tensor![31.0, 42.0]);
    /// ```
    #[track_caller]
    pub fn add_scaled<B>(&mut self, alpha: T, right: B)
    where
        T: Scalar,
        B: Agrees<T, O, Dev, Dim: BroadcastTo<D>>,
        Dev: Elementwise<T>,
        S: StorageMut<T, Dev>,
    {
        expect(self.try_add_scaled(alpha, right));
    }

    /// [`add_scaled`](Tensor::add_scaled) with a `Result`.
    ///
    /// # Errors
    /// Where `right` does not broadcast to the shape of `self`; nothing is changed then.
    pub fn try_add_scaled<B>(&mut self, alpha: T, right: B) -> Result<(), Error>
    where
        T: Scalar,
        B: Agrees<T, O, Dev, Dim: BroadcastTo<D>>,
        Dev: Elementwise<T>,
        S: StorageMut<T, Dev>,
    {
        binary_assign(AddScaled(alpha), self, &right.agreed())
    }
}
