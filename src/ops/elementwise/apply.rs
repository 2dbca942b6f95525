//! Methods that apply a function given as a value, such as `op::Sqrt`, and casts. They write to new tensors, to preallocated outputs, or in
//! place.

use super::compute::{binary_assign, ternary, ternary_into, unary_into};
use super::operands::{MatchingOperand, Operands, SameOrderOperand};
use crate::device::op::cast::Cast;
use crate::device::{BinaryOp, Device, Elementwise, TernaryOp, UnaryOp, wide};
use crate::element::{CastTo, Element};
use crate::error::fallible;
use crate::order::Order;
use crate::rank::{Broadcast, BroadcastTo, Common, Dim};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Applies a built-in or user-defined function to each element, on any device.
    ///
    /// # Errors
    /// If the function is undefined for an element, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// use vierbein::device::UnaryOp;
    /// #[derive(Clone, Copy)]
    /// struct Cube;
    /// impl UnaryOp<i32> for Cube {
    ///     type Output = i32;
    ///     const NAME: &'static str = "cube";
    ///     fn apply(&self, x: i32) -> i32 { x * x * x }
    /// }
    /// assert_eq!(tensor![1, 2, 3].apply(Cube), tensor![1, 8, 27]);
    /// ```
    ///
    /// ```
    /// use vierbein::{op, tensor};
    /// assert_eq!(tensor![4.0, 9.0].try_apply(op::Sqrt)?, tensor![2.0, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[fallible]
    #[inline]
    pub fn apply<F: UnaryOp<T>>(&self, op: F) -> Tensor<F::Output, D, O, Dev>
    where
        Dev: Elementwise<T>,
    {
        let operand = self.operand();
        Tensor::allocate_with(self.shape(), self.device().clone(), |out, device| {
            wide::map::<D, (T,), _, _>(&op, device, out, (operand,))
        })
    }

    /// Broadcasts two tensors, and applies a built-in or user-defined function to each pair of elements, on any device.
    ///
    /// # Errors
    /// If the shapes do not broadcast, the function is undefined for an element, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{op, tensor};
    /// assert_eq!(tensor![3.0, 5.0].apply2(op::Hypot, &tensor![4.0, 12.0]), tensor![5.0, 13.0]);
    /// ```
    #[fallible]
    pub fn apply2<R, F>(&self, op: F, right: R) -> Tensor<F::Output, R::Common, O, Dev>
    where
        Dev: Elementwise<T>,
        R: Operands<T, D, O, Dev>,
        F: BinaryOp<T, T>,
    {
        right.combine(op, self)
    }

    /// Broadcasts three tensors, and applies a built-in or user-defined function at each index, on any device.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or the allocation fails.
    ///
    /// ```
    /// use vierbein::{op, tensor};
    /// let (mask, a, b) = (tensor![true, false], tensor![1, 2], tensor![10, 20]);
    /// assert_eq!(mask.apply3(op::Select, &a, &b), tensor![1, 20]);
    /// ```
    #[fallible]
    pub fn apply3<B, C, E, F>(&self, op: F, b: B, c: C) -> Tensor<F::Output, Common<E, C::Dim>, O, Dev>
    where
        B: SameOrderOperand<O, Dev>,
        C: SameOrderOperand<O, Dev>,
        D: Broadcast<B::Dim, Common = E>,
        E: Dim + Broadcast<C::Dim>,
        Dev: Elementwise<T>,
        F: TernaryOp<T, B::Element, C::Element>,
    {
        ternary(op, self, &b.aligned(), &c.aligned())
    }

    /// Converts each element to another type, with the rules of `as`.
    ///
    /// * Floating-point to integer truncates and saturates; NaN becomes 0.
    /// * Integer to integer wraps.
    /// * `bool` becomes 0 or 1.
    /// * A real number becomes a complex number with imaginary part 0.
    ///
    /// Conversions from complex to real numbers, and from numbers to `bool`, do not compile.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1.7, -2.7].cast::<i32>(), tensor![1, -2]);
    /// ```
    ///
    /// In generic code, a tensor of constants casts to every number type:
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// fn smooth<T: Scalar>(x: &Tensor<T, Rank<1>>) -> Tensor<T, Rank<0>> {
    ///     x.dot(tensor![0.25, 0.5, 0.25].cast::<T>())
    /// }
    /// assert_eq!(smooth(&tensor![Complex::new(2.0, 8.0), Complex::from(4.0), Complex::from(6.0)]), Complex::new(4.0, 2.0));
    /// ```
    #[fallible]
    #[doc(alias = "astype")]
    pub fn cast<U: Element>(&self) -> Tensor<U, D, O, Dev>
    where
        Dev: Elementwise<T>,
        T: CastTo<U>,
    {
        self.try_apply(Cast(core::marker::PhantomData::<U>))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Variant of [`apply`](Tensor::apply) that overwrites each element with the function's result.
    ///
    /// # Errors
    /// If the function is undefined for an element. `self` is unchanged then.
    ///
    /// ```
    /// use vierbein::{op, tensor};
    /// let mut x = tensor![4.0, 9.0];
    /// x.apply_inplace(op::Sqrt);
    /// assert_eq!(x, tensor![2.0, 3.0]);
    /// ```
    #[fallible]
    pub fn apply_inplace<F: UnaryOp<T, Output = T>>(&mut self, op: F)
    where
        Dev: Elementwise<T>,
        S: StorageMut<T, Dev>,
    {
        let (output, device) = self.output();
        wide::update::<D, (T,), _, _>(&op, device, output, ())
    }
}

// ------------------------------------------------------------------ preallocated outputs

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// [`apply`](Tensor::apply) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// `op` can be any function of one operand: `x.apply_into(op::Sqrt, &mut out)`.
    ///
    /// # Errors
    /// If `out` does not have the result's shape, or the function is undefined for an element. Nothing is written then.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// use vierbein::op;
    /// let mut out = Tensor::zeros([2]);
    /// tensor![4.0, 9.0].apply_into(op::Sqrt, &mut out);
    /// assert_eq!(out, tensor![2.0, 3.0]);
    /// ```
    #[fallible]
    pub fn apply_into<F, S2>(&self, op: F, out: &mut Tensor<F::Output, D, O, Dev, S2>)
    where
        Dev: Elementwise<T>,
        F: UnaryOp<T>,
        S2: StorageMut<F::Output, Dev>,
    {
        unary_into(op, self, out)
    }

    /// [`apply2`](Tensor::apply2) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// `op` can be any operator or function of two operands: `a.apply2_into(op::Add, &b, &mut out)` computes `out = a + b`.
    ///
    /// # Errors
    /// If the shapes do not broadcast, `out` does not have the result's shape, or the function is undefined for an element. Nothing
    /// is written then.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// use vierbein::op;
    /// let mut out = Tensor::zeros([2, 2]);
    /// let a = tensor![[1, 2], [3, 4]];
    /// a.apply2_into(op::Add, &tensor![10, 20], &mut out);
    /// assert_eq!(out, tensor![[11, 22], [13, 24]]);
    /// a.index_axis(0, 1).apply2_into(op::Mul, 5, &mut out.index_axis_mut(0, 0));
    /// assert_eq!(out, tensor![[15, 20], [13, 24]]);
    /// ```
    ///
    /// ```
    /// use vierbein::{Tensor, op, tensor};
    /// let mut out = Tensor::<i32, _>::zeros([3]);
    /// let error = tensor![1, 2].try_apply2_into(op::Add, &tensor![1, 2], &mut out).unwrap_err();
    /// assert!(error.to_string().starts_with("cannot add into shape [3]: the result has shape [2]"));
    /// ```
    #[fallible]
    pub fn apply2_into<R, F, S2>(&self, op: F, right: R, out: &mut Tensor<F::Output, R::Common, O, Dev, S2>)
    where
        Dev: Elementwise<T>,
        R: Operands<T, D, O, Dev>,
        F: BinaryOp<T, T>,
        S2: StorageMut<F::Output, Dev>,
    {
        right.combine_into(op, self, out)
    }

    /// [`apply3`](Tensor::apply3) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or `out` does not have the result's shape. Nothing is written then.
    ///
    /// ```
    /// use vierbein::{Tensor, op, tensor};
    /// let mut out = Tensor::zeros([2]);
    /// tensor![true, false].apply3_into(op::Select, &tensor![1, 2], &Tensor::scalar(0), &mut out);
    /// assert_eq!(out, tensor![1, 0]);
    /// ```
    #[fallible]
    pub fn apply3_into<B, C, E, F, S2>(
        &self,
        op: F,
        b: B,
        c: C,
        out: &mut Tensor<F::Output, Common<E, C::Dim>, O, Dev, S2>,
    ) where
        B: SameOrderOperand<O, Dev>,
        C: SameOrderOperand<O, Dev>,
        D: Broadcast<B::Dim, Common = E>,
        E: Dim + Broadcast<C::Dim>,
        Dev: Elementwise<T>,
        F: TernaryOp<T, B::Element, C::Element>,
        S2: StorageMut<F::Output, Dev>,
    {
        ternary_into(op, self, &b.aligned(), &c.aligned(), out)
    }

    /// [`cast`](Tensor::cast) into a preallocated tensor or mutable view of the same shape.
    ///
    /// # Errors
    /// If `out` has another shape.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::<i32, _>::zeros([2]);
    /// tensor![1.7, -2.7].cast_into(&mut out);
    /// assert_eq!(out, tensor![1, -2]);
    /// ```
    #[fallible]
    pub fn cast_into<U: Element, S2>(&self, out: &mut Tensor<U, D, O, Dev, S2>)
    where
        Dev: Elementwise<T>,
        T: CastTo<U>,
        S2: StorageMut<U, Dev>,
    {
        self.try_apply_into(Cast(core::marker::PhantomData::<U>), out)
    }
}

// ------------------------------------------------------------------ in place

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Variant of [`apply2`](Tensor::apply2) that overwrites the left operand, `self`. `right` broadcasts to the shape of `self`.
    ///
    /// # Errors
    /// If `right` does not broadcast to the shape of `self`, or the function is undefined for an element. `self` is unchanged then.
    ///
    /// ```
    /// use vierbein::{op, tensor};
    /// let mut x = tensor![[1, 5], [7, 2]];
    /// x.apply2_inplace(op::Maximum, &tensor![4, 3]);
    /// assert_eq!(x, tensor![[4, 5], [7, 3]]);
    /// ```
    #[fallible]
    pub fn apply2_inplace<B, F>(&mut self, op: F, right: B)
    where
        B: MatchingOperand<T, O, Dev, Dim: BroadcastTo<D>>,
        Dev: Elementwise<T>,
        F: BinaryOp<T, T, Output = T>,
        S: StorageMut<T, Dev>,
    {
        binary_assign(op, self, &right.agreed())
    }
}
