//! Operations as values on tensors, conversions of elements, and closures on the host.

use super::operands::{Aligned, Operands, binary};
use crate::device::{BinaryOp, Device, Elementwise, RunsClosures, UnaryOp};
use crate::element::{CastTo, Element};
use crate::error::{Error, expect};
use crate::order::Order;
use crate::rank::{Broadcast, Common, Dim};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// An operation of one's own on each element, on any device.
    ///
    /// # Panics
    /// Where the operation is not defined, or the device has no memory left.
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
    #[track_caller]
    pub fn apply<F: UnaryOp<T>>(&self, op: F) -> Tensor<F::Output, D, O, Dev>
    where
        Dev: Elementwise<T>,
    {
        expect(self.try_apply(op))
    }

    /// [`apply`](Tensor::apply) with a `Result`. It serves every function of one operand: `x.try_apply(op::Sqrt)`.
    ///
    /// # Errors
    /// Where the operation is not defined, or the device has no memory left.
    ///
    /// ```
    /// use vierbein::{op, tensor};
    /// assert_eq!(tensor![4.0, 9.0].try_apply(op::Sqrt)?, tensor![2.0, 3.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn try_apply<F: UnaryOp<T>>(&self, op: F) -> Result<Tensor<F::Output, D, O, Dev>, Error>
    where
        Dev: Elementwise<T>,
    {
        let mut out = Tensor::allocate(self.shape(), self.device().clone())?;
        let (output, device) = out.output();
        device.unary(&op, output, self.operand())?;
        Ok(out)
    }

    /// An operation of one's own on two tensors, which broadcast; on any device.
    ///
    /// # Panics
    /// Where the shapes do not broadcast, the operation is not defined, or the device has no memory left.
    ///
    /// ```
    /// use vierbein::{op, tensor};
    /// assert_eq!(tensor![3.0, 5.0].apply2(op::Hypot, &tensor![4.0, 12.0]), tensor![5.0, 13.0]);
    /// ```
    #[track_caller]
    pub fn apply2<R, F>(&self, op: F, right: R) -> Tensor<F::Output, R::Common, O, Dev>
    where
        Dev: Elementwise<T>,
        R: Operands<T, D, O, Dev>,
        F: BinaryOp<T, T>,
    {
        expect(self.try_apply2(op, right))
    }

    /// [`apply2`](Tensor::apply2) with a `Result`. It serves every function of two operands: `x.try_apply2(op::Maximum, &y)`.
    ///
    /// # Errors
    /// Where the shapes do not broadcast, the operation is not defined, or the device has no memory left.
    pub fn try_apply2<R, F>(&self, op: F, right: R) -> Result<Tensor<F::Output, R::Common, O, Dev>, Error>
    where
        Dev: Elementwise<T>,
        R: Operands<T, D, O, Dev>,
        F: BinaryOp<T, T>,
    {
        right.combine(op, self)
    }

    /// Each element as another type, as `as` converts: floating to integer truncates and saturates, integer to integer
    /// wraps, `bool` becomes 0 and 1, real becomes complex. What would lose a part does not compile.
    ///
    /// # Panics
    /// Where the device has no memory left.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1.7, -2.7].cast::<i32>(), tensor![1, -2]);
    /// ```
    #[track_caller]
    pub fn cast<U: Element>(&self) -> Tensor<U, D, O, Dev>
    where
        Dev: Elementwise<T>,
        T: CastTo<U>,
    {
        expect(self.try_cast())
    }

    /// [`cast`](Tensor::cast) with a `Result`.
    ///
    /// # Errors
    /// Where the device has no memory left.
    pub fn try_cast<U: Element>(&self) -> Result<Tensor<U, D, O, Dev>, Error>
    where
        Dev: Elementwise<T>,
        T: CastTo<U>,
    {
        self.try_apply(Cast(core::marker::PhantomData::<U>))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// [`apply`](Tensor::apply) in place.
    ///
    /// # Panics
    /// Where the operation is not defined; nothing is changed then.
    ///
    /// ```
    /// use vierbein::{op, tensor};
    /// let mut x = tensor![4.0, 9.0];
    /// x.apply_inplace(op::Sqrt);
    /// assert_eq!(x, tensor![2.0, 3.0]);
    /// ```
    #[track_caller]
    pub fn apply_inplace<F: UnaryOp<T, Output = T>>(&mut self, op: F)
    where
        Dev: Elementwise<T>,
        S: StorageMut<T, Dev>,
    {
        expect(self.try_apply_inplace(op));
    }

    /// [`apply_inplace`](Tensor::apply_inplace) with a `Result`.
    ///
    /// # Errors
    /// Where the operation is not defined; nothing is changed then.
    pub fn try_apply_inplace<F: UnaryOp<T, Output = T>>(&mut self, op: F) -> Result<(), Error>
    where
        Dev: Elementwise<T>,
        S: StorageMut<T, Dev>,
    {
        let (output, device) = self.output();
        device.unary_assign(&op, output)
    }
}

/// Conversion to `U`.
#[derive(Debug, Clone, Copy)]
struct Cast<U>(core::marker::PhantomData<U>);

impl<T: CastTo<U>, U: Element> UnaryOp<T> for Cast<U> {
    type Output = U;
    const NAME: &'static str = "cast";
    fn apply(&self, a: T) -> U {
        a.cast_to()
    }
}

/// A closure as an operation.
struct Closure<'f, F>(&'f F);

impl<F> Clone for Closure<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<F> Copy for Closure<'_, F> {}

impl<A: Element, B: Element, F: Fn(A) -> B + Sync> UnaryOp<A> for Closure<'_, F> {
    type Output = B;
    const NAME: &'static str = "map";
    fn apply(&self, a: A) -> B {
        (self.0)(a)
    }
}

impl<A: Element, B: Element, R: Element, F: Fn(A, B) -> R + Sync> BinaryOp<A, B> for Closure<'_, F> {
    type Output = R;
    const NAME: &'static str = "zip";
    fn apply(&self, a: A, b: B) -> R {
        (self.0)(a, b)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// A closure on each element, on the host, in no particular sequence and perhaps on several threads. What depends on the
    /// sequence uses [`iter`](Tensor::iter); what runs on every device uses [`apply`](Tensor::apply).
    ///
    /// # Panics
    /// Where the host has no memory left, or the closure panics; nothing is lost then but the unfinished result.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2, 3].map(|x| f64::from(x) / 2.0), tensor![0.5, 1.0, 1.5]);
    /// ```
    #[track_caller]
    pub fn map<U: Element, F>(&self, f: F) -> Tensor<U, D, O, Dev>
    where
        Dev: RunsClosures + Elementwise<T>,
        F: Fn(T) -> U + Sync,
    {
        expect(self.try_map(f))
    }

    /// [`map`](Tensor::map) with a `Result`.
    ///
    /// # Errors
    /// Where the host has no memory left.
    pub fn try_map<U: Element, F>(&self, f: F) -> Result<Tensor<U, D, O, Dev>, Error>
    where
        Dev: RunsClosures + Elementwise<T>,
        F: Fn(T) -> U + Sync,
    {
        self.try_apply(Closure(&f))
    }

    /// A closure on each pair of elements of two tensors, which broadcast; on the host, in no particular sequence.
    ///
    /// # Panics
    /// Where the shapes do not broadcast, the host has no memory left, or the closure panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let names = tensor![1u8, 2, 3].zip_map(&tensor![true, false, true], |x, keep| if keep { x } else { 0 });
    /// assert_eq!(names, tensor![1, 0, 3]);
    /// ```
    #[track_caller]
    pub fn zip_map<V, B, F>(&self, other: B, f: F) -> Tensor<V, Common<D, B::Dim>, O, Dev>
    where
        V: Element,
        B: Aligned<O, Dev>,
        D: Broadcast<B::Dim>,
        Dev: RunsClosures + Elementwise<T>,
        F: Fn(T, B::Element) -> V + Sync,
    {
        expect(self.try_zip_map(other, f))
    }

    /// [`zip_map`](Tensor::zip_map) with a `Result`.
    ///
    /// # Errors
    /// Where the shapes do not broadcast, or the host has no memory left.
    pub fn try_zip_map<V, B, F>(&self, other: B, f: F) -> Result<Tensor<V, Common<D, B::Dim>, O, Dev>, Error>
    where
        V: Element,
        B: Aligned<O, Dev>,
        D: Broadcast<B::Dim>,
        Dev: RunsClosures + Elementwise<T>,
        F: Fn(T, B::Element) -> V + Sync,
    {
        binary(Closure(&f), self, &other.aligned())
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// A closure on each element, in place; on the host, in no particular sequence.
    ///
    /// # Panics
    /// Where the closure panics; elements are then partly the old and partly the new ones.
    ///
    /// ```
    /// let mut x = vierbein::tensor![1, 2, 3];
    /// x.mapv_inplace(|x| x * x);
    /// assert_eq!(x, vierbein::tensor![1, 4, 9]);
    /// ```
    #[track_caller]
    pub fn mapv_inplace<F>(&mut self, f: F)
    where
        Dev: RunsClosures + Elementwise<T>,
        F: Fn(T) -> T + Sync,
        S: StorageMut<T, Dev>,
    {
        expect(self.try_apply_inplace(Closure(&f)));
    }
}
