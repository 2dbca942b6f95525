//! `map`, `zip_map` and their variants: they call closures on elements, on the host, in unspecified order, possibly on several threads.

use super::compute::{binary, binary_into, ternary, ternary_into};
use super::operands::SameOrderOperand;
use crate::device::{BinaryOp, Device, Elementwise, RunsClosures, TernaryOp, UnaryOp};
use crate::element::Element;
use crate::error::{fallible, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Broadcast, Common, Dim};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

/// The [`COST`](UnaryOp::COST) of a closure is unknown; this is a guess for a cheap closure.
const UNKNOWN: usize = 16;

/// A closure as an element-by-element function.
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
    const COST: usize = UNKNOWN;
    fn apply(&self, a: A) -> B {
        (self.0)(a)
    }
}

impl<A: Element, B: Element, R: Element, F: Fn(A, B) -> R + Sync> BinaryOp<A, B> for Closure<'_, F> {
    type Output = R;
    const NAME: &'static str = "zip";
    const COST: usize = UNKNOWN;
    fn apply(&self, a: A, b: B) -> R {
        (self.0)(a, b)
    }
}

impl<A: Element, B: Element, C: Element, R: Element, F: Fn(A, B, C) -> R + Sync> TernaryOp<A, B, C>
    for Closure<'_, F>
{
    type Output = R;
    const NAME: &'static str = "zip";
    const COST: usize = UNKNOWN;
    fn apply(&self, a: A, b: B, c: C) -> R {
        (self.0)(a, b, c)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Calls a closure on each element, on the host, in unspecified order and possibly on several threads.
    ///
    /// If the order matters, use [`iter`](Tensor::iter); to run on every device, use [`apply`](Tensor::apply).
    ///
    /// # Errors
    /// If an allocation on the host fails.
    ///
    /// # Panics
    /// If the closure panics. The unfinished result is dropped then.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2, 3].map(|x| f64::from(x) / 2.0), tensor![0.5, 1.0, 1.5]);
    /// ```
    #[fallible]
    pub fn map<U: Element, F>(&self, f: F) -> Tensor<U, D, O, Dev>
    where
        Dev: RunsClosures + Elementwise<T>,
        F: Fn(T) -> U + Sync,
    {
        self.try_apply(Closure(&f))
    }

    /// Broadcasts two tensors and calls a closure on each pair of elements, on the host, in unspecified order.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or an allocation on the host fails.
    ///
    /// # Panics
    /// If the closure panics. The unfinished result is dropped then.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let names = tensor![1u8, 2, 3].zip_map(&tensor![true, false, true], |x, keep| if keep { x } else { 0 });
    /// assert_eq!(names, tensor![1, 0, 3]);
    /// ```
    #[fallible]
    pub fn zip_map<V, B, F>(&self, other: B, f: F) -> Tensor<V, Common<D, B::Dim>, O, Dev>
    where
        V: Element,
        B: SameOrderOperand<O, Dev>,
        D: Broadcast<B::Dim>,
        Dev: RunsClosures + Elementwise<T>,
        F: Fn(T, B::Element) -> V + Sync,
    {
        binary(Closure(&f), self, &other.aligned())
    }

    /// Broadcasts three tensors and calls a closure on the elements at each index, on the host, in unspecified order.
    ///
    /// One pass over memory replaces several elementwise operations.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or an allocation on the host fails.
    ///
    /// # Panics
    /// If the closure panics. The unfinished result is dropped then.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let (a, b, c) = (tensor![1.0, 2.0], tensor![3.0, 4.0], tensor![0.5, 0.25]);
    /// assert_eq!(a.zip_map3(&b, &c, |a, b, c| a * b + c * 2.0), tensor![4.0, 8.5]);
    /// ```
    #[fallible]
    pub fn zip_map3<V, B, C, E, F>(&self, b: B, c: C, f: F) -> Tensor<V, Common<E, C::Dim>, O, Dev>
    where
        V: Element,
        B: SameOrderOperand<O, Dev>,
        C: SameOrderOperand<O, Dev>,
        D: Broadcast<B::Dim, Common = E>,
        E: Dim + Broadcast<C::Dim>,
        Dev: RunsClosures + Elementwise<T>,
        F: Fn(T, B::Element, C::Element) -> V + Sync,
    {
        ternary(Closure(&f), self, &b.aligned(), &c.aligned())
    }
}

// ------------------------------------------------------------------ preallocated outputs

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// [`map`](Tensor::map) into a preallocated tensor or mutable view of exactly the same shape.
    ///
    /// # Errors
    /// If `out` has another shape; nothing is written then.
    ///
    /// # Panics
    /// If the closure panics. `out` may be partly written then.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([3]);
    /// tensor![1, 2, 3].map_into(|x| f64::from(x) / 2.0, &mut out);
    /// assert_eq!(out, tensor![0.5, 1.0, 1.5]);
    /// ```
    #[fallible]
    pub fn map_into<U, F, S2>(&self, f: F, out: &mut Tensor<U, D, O, Dev, S2>)
    where
        U: Element,
        Dev: RunsClosures + Elementwise<T>,
        F: Fn(T) -> U + Sync,
        S2: StorageMut<U, Dev>,
    {
        self.try_apply_into(Closure(&f), out)
    }

    /// [`zip_map`](Tensor::zip_map) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or `out` does not have the result's shape. Nothing is written then.
    ///
    /// # Panics
    /// If the closure panics. `out` may be partly written then.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2]);
    /// tensor![1, 2].zip_map_into(&tensor![true, false], |x, keep| if keep { x } else { -x }, &mut out);
    /// assert_eq!(out, tensor![1, -2]);
    /// ```
    #[fallible]
    pub fn zip_map_into<V, B, F, S2>(
        &self,
        other: B,
        f: F,
        out: &mut Tensor<V, Common<D, B::Dim>, O, Dev, S2>,
    ) where
        V: Element,
        B: SameOrderOperand<O, Dev>,
        D: Broadcast<B::Dim>,
        Dev: RunsClosures + Elementwise<T>,
        F: Fn(T, B::Element) -> V + Sync,
        S2: StorageMut<V, Dev>,
    {
        binary_into(Closure(&f), self, &other.aligned(), out)
    }

    /// [`zip_map3`](Tensor::zip_map3) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// If the shapes do not broadcast, or `out` does not have the result's shape. Nothing is written then.
    ///
    /// # Panics
    /// If the closure panics. `out` may be partly written then.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let (a, b, c) = (tensor![1.0, 2.0], tensor![3.0, 4.0], tensor![0.5, 0.25]);
    /// let mut out = Tensor::zeros([2]);
    /// a.zip_map3_into(&b, &c, |a, b, c| a * b + c * 2.0, &mut out);
    /// assert_eq!(out, tensor![4.0, 8.5]);
    /// ```
    #[fallible]
    pub fn zip_map3_into<V, B, C, E, F, S2>(
        &self,
        b: B,
        c: C,
        f: F,
        out: &mut Tensor<V, Common<E, C::Dim>, O, Dev, S2>,
    ) where
        V: Element,
        B: SameOrderOperand<O, Dev>,
        C: SameOrderOperand<O, Dev>,
        D: Broadcast<B::Dim, Common = E>,
        E: Dim + Broadcast<C::Dim>,
        Dev: RunsClosures + Elementwise<T>,
        F: Fn(T, B::Element, C::Element) -> V + Sync,
        S2: StorageMut<V, Dev>,
    {
        ternary_into(Closure(&f), self, &b.aligned(), &c.aligned(), out)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Replaces each element by the result of a closure, on the host, in unspecified order.
    ///
    /// # Panics
    /// If the closure panics. Some elements may have been overwritten by then.
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
        unwrap_or_panic(self.try_apply_inplace(Closure(&f)));
    }
}
