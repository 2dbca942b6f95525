//! `+ - * / %` and negation, with tensors and scalars on either side, owned or borrowed, and in place.

use super::operands::{Aligned, Operands, WithLeft, WithRight, binary_assign, combine};
use crate::device::{BinaryOp, Device, Elementwise, SameDevice, SameDtype, SameOrder, UnaryOp};
use crate::element::{Arithmetic, Element, Scalar, c32, c64};
use crate::error::{Error, expect};
use crate::order::Order;
use crate::rank::{Broadcast, BroadcastTo, Common, Dim};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;
use core::ops;

/// One of the five operations, whose kernel exists for numbers only.
#[doc(hidden)]
pub trait Operation {
    type For<T: Scalar>: BinaryOp<T, T, Output = T> + Default;
}

/// The right operand has arithmetic with the left one.
///
/// It is asked of the right element type, which the compiler looks at last: only then does it show this text.
#[diagnostic::on_unimplemented(
    message = "tensors of `{Self}` have no arithmetic",
    label = "`{Self}` is not a number",
    note = "turn `bool` into numbers with `.cast::<u8>()`, combine masks with `&`, `|`, `^` and `!`, choose with `.select(&a, &b)`"
)]
pub trait NumericWith<T: Element>: Element {
    #[doc(hidden)]
    fn combine<Op, D, E, O, P, Dev, Dev2, S, S2>(
        op: Op,
        left: Tensor<T, D, O, Dev, S>,
        right: Tensor<Self, E, P, Dev2, S2>,
    ) -> Result<Tensor<T, Common<D, E>, O, Dev>, Error>
    where
        T: SameDtype<Self>,
        Op: Operation,
        D: Dim + Broadcast<E>,
        E: Dim,
        O: Order + SameOrder<P>,
        P: Order,
        Dev: Elementwise<T> + SameDevice<Dev2>,
        Dev2: Device,
        S: Storage<T, Dev>,
        S2: Storage<Self, Dev2>;

    #[doc(hidden)]
    fn assign<Op, D, E, O, P, Dev, Dev2, S, S2>(
        op: Op,
        left: &mut Tensor<T, D, O, Dev, S>,
        right: &Tensor<Self, E, P, Dev2, S2>,
    ) -> Result<(), Error>
    where
        T: SameDtype<Self>,
        Op: Operation,
        D: Dim,
        E: BroadcastTo<D>,
        O: Order + SameOrder<P>,
        P: Order,
        Dev: Elementwise<T> + SameDevice<Dev2>,
        Dev2: Device,
        S: StorageMut<T, Dev>,
        S2: Storage<Self, Dev2>;
}

#[diagnostic::do_not_recommend]
impl<T: Scalar, U: Scalar> NumericWith<T> for U {
    fn combine<Op, D, E, O, P, Dev, Dev2, S, S2>(
        _: Op,
        left: Tensor<T, D, O, Dev, S>,
        right: Tensor<U, E, P, Dev2, S2>,
    ) -> Result<Tensor<T, Common<D, E>, O, Dev>, Error>
    where
        T: SameDtype<U>,
        Op: Operation,
        D: Dim + Broadcast<E>,
        E: Dim,
        O: Order + SameOrder<P>,
        P: Order,
        Dev: Elementwise<T> + SameDevice<Dev2>,
        Dev2: Device,
        S: Storage<T, Dev>,
        S2: Storage<U, Dev2>,
    {
        let op = Op::For::<T>::default();
        match right.into_agreed::<T, O, Dev>() {
            Ok(right) => combine(op, left, right),
            Err(right) => combine(op, left, right.agree::<T, O, Dev>()),
        }
    }

    fn assign<Op, D, E, O, P, Dev, Dev2, S, S2>(
        _: Op,
        left: &mut Tensor<T, D, O, Dev, S>,
        right: &Tensor<U, E, P, Dev2, S2>,
    ) -> Result<(), Error>
    where
        T: SameDtype<U>,
        Op: Operation,
        D: Dim,
        E: BroadcastTo<D>,
        O: Order + SameOrder<P>,
        P: Order,
        Dev: Elementwise<T> + SameDevice<Dev2>,
        Dev2: Device,
        S: StorageMut<T, Dev>,
        S2: Storage<U, Dev2>,
    {
        binary_assign(Op::For::<T>::default(), left, &right.agree::<T, O, Dev>())
    }
}

macro_rules! operators {
    ($(
        $Op:ident, $method:ident, $Assign:ident, $assign:ident, $try_method:ident, $try_assign:ident,
        $symbol:literal, $verb:literal, $checked:expr;
    )*) => {$(
        #[doc = concat!("`a ", $symbol, " b`, as an operation.")]
        #[derive(Debug, Clone, Copy, Default)]
        pub struct $Op;

        impl Operation for $Op {
            type For<T: Scalar> = $Op;
        }

        impl<T: Scalar> BinaryOp<T, T> for $Op {
            type Output = T;
            const NAME: &'static str = $verb;
            const CHECKED: bool = T::INTEGER && $checked;
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

        impl<T: Element, D: Dim, O: Order, Dev: Device, S: StorageMut<T, Dev>>
            Tensor<T, D, O, Dev, S>
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
                B: Aligned<O, Dev, Dim: BroadcastTo<D>>,
                T: Scalar + SameDtype<B::Element>,
                Dev: Elementwise<T>,
            {
                binary_assign($Op, self, &right.aligned().agree::<T, O, Dev>())
            }
        }

        operators!(@tensors $Op $method; &'l Tensor<T, D, O, Dev, S>, &'r Tensor<U, E, P, Dev2, S2>; 'l, 'r,; |left, right|
            NumericWith::combine($Op, left.view(), right.view()));
        operators!(@tensors $Op $method; Tensor<T, D, O, Dev, S>, &'r Tensor<U, E, P, Dev2, S2>; 'r,; |left, right|
            NumericWith::combine($Op, left, right.view()));
        operators!(@tensors $Op $method; &'l Tensor<T, D, O, Dev, S>, Tensor<U, E, P, Dev2, S2>; 'l,; |left, right|
            NumericWith::combine($Op, left.view(), right));
        operators!(@tensors $Op $method; Tensor<T, D, O, Dev, S>, Tensor<U, E, P, Dev2, S2>; ; |left, right|
            NumericWith::combine($Op, left, right));

        impl<T: Scalar, D: Dim, O: Order, Dev: Elementwise<T>, S: Storage<T, Dev>> ops::$Op<T>
            for &Tensor<T, D, O, Dev, S>
        {
            type Output = Tensor<T, D, O, Dev>;
            #[track_caller]
            fn $method(self, right: T) -> Self::Output {
                expect(self.try_apply(WithRight { op: $Op, right }))
            }
        }
        impl<T: Scalar, D: Dim, O: Order, Dev: Elementwise<T>, S: Storage<T, Dev>> ops::$Op<T>
            for Tensor<T, D, O, Dev, S>
        {
            type Output = Tensor<T, D, O, Dev>;
            #[track_caller]
            fn $method(self, right: T) -> Self::Output {
                expect(unary_given(WithRight { op: $Op, right }, self))
            }
        }

        impl<T, U, D, E, O, P, Dev, Dev2, S, S2> ops::$Assign<&Tensor<U, E, P, Dev2, S2>>
            for Tensor<T, D, O, Dev, S>
        where
            T: Element + SameDtype<U>,
            U: NumericWith<T>,
            D: Dim,
            E: BroadcastTo<D>,
            O: Order + SameOrder<P>,
            P: Order,
            Dev: Elementwise<T> + SameDevice<Dev2>,
            Dev2: Device,
            S: StorageMut<T, Dev>,
            S2: Storage<U, Dev2>,
        {
            #[track_caller]
            fn $assign(&mut self, right: &Tensor<U, E, P, Dev2, S2>) {
                expect(<U as NumericWith<T>>::assign($Op, self, right));
            }
        }
        impl<T, U, D, E, O, P, Dev, Dev2, S, S2> ops::$Assign<Tensor<U, E, P, Dev2, S2>>
            for Tensor<T, D, O, Dev, S>
        where
            T: Element + SameDtype<U>,
            U: NumericWith<T>,
            D: Dim,
            E: BroadcastTo<D>,
            O: Order + SameOrder<P>,
            P: Order,
            Dev: Elementwise<T> + SameDevice<Dev2>,
            Dev2: Device,
            S: StorageMut<T, Dev>,
            S2: Storage<U, Dev2>,
        {
            #[track_caller]
            fn $assign(&mut self, right: Tensor<U, E, P, Dev2, S2>) {
                expect(<U as NumericWith<T>>::assign($Op, self, &right));
            }
        }
        impl<T: Scalar, D: Dim, O: Order, Dev: Elementwise<T>, S: StorageMut<T, Dev>> ops::$Assign<T>
            for Tensor<T, D, O, Dev, S>
        {
            #[track_caller]
            fn $assign(&mut self, right: T) {
                expect(self.try_apply_inplace(WithRight { op: $Op, right }));
            }
        }

        operators!(@scalars $Op $method; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c32 c64);
    )*};

    (@tensors $Op:ident $method:ident; $Left:ty, $Right:ty; $($life:lifetime,)*; |$left:ident, $right:ident| $body:expr) => {
        impl<$($life,)* T, U, D, E, O, P, Dev, Dev2, S, S2> ops::$Op<$Right> for $Left
        where
            T: Element + SameDtype<U>,
            U: NumericWith<T>,
            D: Dim + Broadcast<E>,
            E: Dim,
            O: Order + SameOrder<P>,
            P: Order,
            Dev: Elementwise<T> + SameDevice<Dev2>,
            Dev2: Device,
            S: Storage<T, Dev>,
            S2: Storage<U, Dev2>,
        {
            type Output = Tensor<T, Common<D, E>, O, Dev>;
            #[track_caller]
            fn $method(self, $right: $Right) -> Self::Output {
                let $left = self;
                expect($body)
            }
        }
    };

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
    Add, add, AddAssign, add_assign, try_add, try_add_assign, "+", "add", cfg!(debug_assertions);
    Sub, sub, SubAssign, sub_assign, try_sub, try_sub_assign, "-", "subtract", cfg!(debug_assertions);
    Mul, mul, MulAssign, mul_assign, try_mul, try_mul_assign, "*", "multiply", cfg!(debug_assertions);
    Div, div, DivAssign, div_assign, try_div, try_div_assign, "/", "divide", true;
    Rem, rem, RemAssign, rem_assign, try_rem, try_rem_assign, "%", "take the remainder of", true;
}

/// `op(x)` in the buffer of `x` where it is owned, else in a new one.
fn unary_given<T, D, O, Dev, S, F>(op: F, x: Tensor<T, D, O, Dev, S>) -> Result<Tensor<T, D, O, Dev>, Error>
where
    T: Element,
    D: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    F: UnaryOp<T, Output = T>,
{
    let shape = x.shape();
    match x.into_result::<D>(&shape) {
        Ok(mut out) => out.try_apply_inplace(op).map(|()| out),
        Err(x) => x.try_apply(op),
    }
}

/// `-a`, as an operation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Neg;

impl<T: Scalar + ops::Neg<Output = T>> UnaryOp<T> for Neg {
    type Output = T;
    const NAME: &'static str = "negate";
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
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: StorageMut<T, Dev>> Tensor<T, D, O, Dev, S> {
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
        B: Aligned<O, Dev, Dim: BroadcastTo<D>>,
        T: Scalar + SameDtype<B::Element>,
        Dev: Elementwise<T>,
    {
        expect(self.try_add_scaled(alpha, right));
    }

    /// [`add_scaled`](Tensor::add_scaled) with a `Result`.
    ///
    /// # Errors
    /// Where `right` does not broadcast to the shape of `self`; nothing is changed then.
    pub fn try_add_scaled<B>(&mut self, alpha: T, right: B) -> Result<(), Error>
    where
        B: Aligned<O, Dev, Dim: BroadcastTo<D>>,
        T: Scalar + SameDtype<B::Element>,
        Dev: Elementwise<T>,
    {
        binary_assign(AddScaled(alpha), self, &right.aligned().agree::<T, O, Dev>())
    }
}
