//! The bridge from tensors to elementwise kernels: broadcasting, output, reuse of owned operands. And closures on the host.

use crate::device::{
    BinaryOp, Device, Elementwise, RunsClosures, SameDevice, SameDtype, SameOrder, TernaryOp, UnaryOp,
};
use crate::element::{CastTo, Element, RealScalar, Scalar};
use crate::error::{Error, expect};
use crate::layout::Layout;
use crate::layout::broadcast::{binary_shape, common_shape};
use crate::order::Order;
use crate::rank::{Broadcast, Common, Dim};
use crate::tensor::{Storage, StorageMut, Tensor};

/// An operation with its right operand fixed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WithRight<F, B> {
    pub(crate) op: F,
    pub(crate) right: B,
}

impl<A: Element, B: Element, F: BinaryOp<A, B>> UnaryOp<A> for WithRight<F, B> {
    type Output = F::Output;
    const NAME: &'static str = F::NAME;
    const CHECKED: bool = F::CHECKED;
    fn apply(&self, a: A) -> F::Output {
        self.op.apply(a, self.right)
    }
    fn defined(&self, a: A) -> bool {
        self.op.defined(a, self.right)
    }
    fn operands(&self, a: A) -> String {
        self.op.operands(a, self.right)
    }
}

/// An operation with its left operand fixed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WithLeft<F, A> {
    pub(crate) op: F,
    pub(crate) left: A,
}

impl<A: Element, B: Element, F: BinaryOp<A, B>> UnaryOp<B> for WithLeft<F, A> {
    type Output = F::Output;
    const NAME: &'static str = F::NAME;
    const CHECKED: bool = F::CHECKED;
    fn apply(&self, b: B) -> F::Output {
        self.op.apply(self.left, b)
    }
    fn defined(&self, b: B) -> bool {
        self.op.defined(self.left, b)
    }
    fn operands(&self, b: B) -> String {
        self.op.operands(self.left, b)
    }
}

/// A tensor's layout, repeated to a shape that it is known to broadcast to.
pub(crate) fn spread<T, D, O, Dev, S>(x: &Tensor<T, D, O, Dev, S>, shape: &[usize]) -> Layout
where
    T: Element,
    D: Dim,
    O: Order,
    Dev: Device,
    S: Storage<T, Dev>,
{
    x.layout().broadcast_to(shape, O::ROW_MAJOR).expect("the shapes were found to broadcast")
}

/// A new tensor of `op(left, right)`, with broadcasting.
pub(crate) fn binary<T, U, D, E, O, Dev, S, S2, F>(
    op: F,
    left: &Tensor<T, D, O, Dev, S>,
    right: &Tensor<U, E, O, Dev, S2>,
) -> Result<Tensor<F::Output, Common<D, E>, O, Dev>, Error>
where
    T: Element,
    U: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    S2: Storage<U, Dev>,
    F: BinaryOp<T, U>,
{
    let (a, b) = (left.shape(), right.shape());
    let shape = binary_shape::<Common<D, E>>(F::NAME, a.as_ref(), b.as_ref(), O::ROW_MAJOR)?;
    let (a, b) = (spread(left, shape.as_ref()), spread(right, shape.as_ref()));
    let mut out = Tensor::<_, Common<D, E>, O, Dev>::allocate(shape, left.device().clone())?;
    let (output, device) = out.output();
    device.binary(&op, output, left.operand_in(&a), right.operand_in(&b))?;
    Ok(out)
}

/// `target = op(target, right)`; the right operand is repeated to the target's shape.
pub(crate) fn binary_assign<T, U, D, E, O, Dev, S, S2, F>(
    op: F,
    target: &mut Tensor<T, D, O, Dev, S>,
    right: &Tensor<U, E, O, Dev, S2>,
) -> Result<(), Error>
where
    T: Element,
    U: Element,
    D: Dim,
    E: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: StorageMut<T, Dev>,
    S2: Storage<U, Dev>,
    F: BinaryOp<T, U, Output = T>,
{
    let repeated = repeat_to(F::NAME, right, target.shape().as_ref())?;
    let (output, device) = target.output();
    device.binary_assign(&op, output, right.operand_in(&repeated))
}

/// The layout of what is written to a target, repeated to the target's shape.
pub(crate) fn repeat_to<T, D, O, Dev, S>(
    op: &'static str,
    x: &Tensor<T, D, O, Dev, S>,
    target: &[usize],
) -> Result<Layout, Error>
where
    T: Element,
    D: Dim,
    O: Order,
    Dev: Device,
    S: Storage<T, Dev>,
{
    x.layout().broadcast_to(target, O::ROW_MAJOR).ok_or_else(|| Error::AssignTo {
        op,
        to: target.to_vec(),
        from: x.shape().as_ref().to_vec(),
        row_major: O::ROW_MAJOR,
    })
}

/// `op(left, right)` in the buffer of an operand that is given away and has the result's shape, else in a new one.
pub(crate) fn combine<T, D, E, O, Dev, S, S2, F>(
    op: F,
    left: Tensor<T, D, O, Dev, S>,
    right: Tensor<T, E, O, Dev, S2>,
) -> Result<Tensor<T, Common<D, E>, O, Dev>, Error>
where
    T: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    S2: Storage<T, Dev>,
    F: BinaryOp<T, T, Output = T>,
{
    let (a, b) = (left.shape(), right.shape());
    let shape = binary_shape::<Common<D, E>>(F::NAME, a.as_ref(), b.as_ref(), O::ROW_MAJOR)?;
    let left = match left.into_result::<Common<D, E>>(&shape) {
        Ok(mut out) => return binary_assign(op, &mut out, &right).map(|()| out),
        Err(left) => left,
    };
    match right.into_result::<Common<D, E>>(&shape) {
        Ok(mut out) => binary_assign(Flipped(op), &mut out, &left).map(|()| out),
        Err(right) => binary(op, &left, &right),
    }
}

/// An operation with its operands exchanged.
#[derive(Debug, Clone, Copy)]
struct Flipped<F>(F);

impl<A: Element, B: Element, F: BinaryOp<A, B>> BinaryOp<B, A> for Flipped<F> {
    type Output = F::Output;
    const NAME: &'static str = F::NAME;
    const CHECKED: bool = F::CHECKED;
    fn apply(&self, b: B, a: A) -> F::Output {
        self.0.apply(a, b)
    }
    fn defined(&self, b: B, a: A) -> bool {
        self.0.defined(a, b)
    }
    fn operands(&self, b: B, a: A) -> String {
        self.0.operands(a, b)
    }
}

/// What stands on the right of `maximum`, `less`, `atan2`, ..: a tensor to broadcast with, or a scalar.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be combined with a `{O}` tensor of `{T}` on `{Dev}`",
    label = "expected `&tensor` or a scalar, of element type `{T}`",
    note = "element types convert with `.cast::<{T}>()`, orders with `.to_order::<{O}>()`, devices with `.to_device::<{Dev}>()?`"
)]
pub trait Operands<T: Element, D: Dim, O: Order, Dev: Device>: Sized {
    /// The rank of the result.
    type Common: Dim;
    #[doc(hidden)]
    fn combine<F: BinaryOp<T, T>, S: Storage<T, Dev>>(
        self,
        op: F,
        left: &Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<F::Output, Self::Common, O, Dev>, Error>;
}

impl<T, D, O, Dev, U, E, P, Dev2, S2> Operands<T, D, O, Dev> for &Tensor<U, E, P, Dev2, S2>
where
    T: Element + SameDtype<U>,
    U: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order + SameOrder<P>,
    P: Order,
    Dev: Elementwise<T> + SameDevice<Dev2>,
    Dev2: Device,
    S2: Storage<U, Dev2>,
{
    type Common = Common<D, E>;
    fn combine<F: BinaryOp<T, T>, S: Storage<T, Dev>>(
        self,
        op: F,
        left: &Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<F::Output, Self::Common, O, Dev>, Error> {
        binary(op, left, &self.agree::<T, O, Dev>())
    }
}

impl<T: Scalar, D: Dim, O: Order, Dev: Elementwise<T>> Operands<T, D, O, Dev> for T {
    type Common = D;
    fn combine<F: BinaryOp<T, T>, S: Storage<T, Dev>>(
        self,
        op: F,
        left: &Tensor<T, D, O, Dev, S>,
    ) -> Result<Tensor<F::Output, D, O, Dev>, Error> {
        left.try_apply(WithRight { op, right: self })
    }
}

// ------------------------------------------------------------------ operations as values

impl<T: Element, D: Dim, O: Order, Dev: Elementwise<T>, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
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
    pub fn apply<F: UnaryOp<T>>(&self, op: F) -> Tensor<F::Output, D, O, Dev> {
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
    pub fn try_apply<F: UnaryOp<T>>(&self, op: F) -> Result<Tensor<F::Output, D, O, Dev>, Error> {
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
        T: CastTo<U>,
    {
        self.try_apply(Cast(core::marker::PhantomData::<U>))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Elementwise<T>, S: StorageMut<T, Dev>> Tensor<T, D, O, Dev, S> {
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
    pub fn apply_inplace<F: UnaryOp<T, Output = T>>(&mut self, op: F) {
        expect(self.try_apply_inplace(op));
    }

    /// [`apply_inplace`](Tensor::apply_inplace) with a `Result`.
    ///
    /// # Errors
    /// Where the operation is not defined; nothing is changed then.
    pub fn try_apply_inplace<F: UnaryOp<T, Output = T>>(&mut self, op: F) -> Result<(), Error> {
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

/// The value, no less than the first and no more than the second.
#[derive(Debug, Clone, Copy)]
struct Clamp<T>(T, T);

impl<T: RealScalar> UnaryOp<T> for Clamp<T> {
    type Output = T;
    const NAME: &'static str = "clamp";
    fn apply(&self, x: T) -> T {
        if x < self.0 {
            self.0
        } else if x > self.1 {
            self.1
        } else {
            x
        }
    }
}

impl<T: RealScalar, D: Dim, O: Order, Dev: Elementwise<T>, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Each element, no less than `low` and no more than `high`; NaN stays NaN.
    ///
    /// # Panics
    /// If `low > high`, or one of them is NaN.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![-3, 0, 9].clamp(-1, 5), tensor![-1, 0, 5]);
    /// ```
    #[track_caller]
    pub fn clamp(&self, low: T, high: T) -> Tensor<T, D, O, Dev> {
        expect(self.try_clamp(low, high))
    }

    /// [`clamp`](Tensor::clamp) with a `Result`.
    ///
    /// # Errors
    /// If `low > high`, or one of them is NaN.
    pub fn try_clamp(&self, low: T, high: T) -> Result<Tensor<T, D, O, Dev>, Error> {
        if low <= high {
            return self.try_apply(Clamp(low, high));
        }
        let why = format!("the lower bound {low} is not at most the upper bound {high}");
        Err(Error::Argument { op: "clamp", why })
    }
}

/// The first where the mask holds, the second elsewhere.
#[derive(Debug, Clone, Copy)]
struct Select;

impl<T: Element> TernaryOp<bool, T, T> for Select {
    type Output = T;
    const NAME: &'static str = "select from";
    fn apply(&self, mask: bool, a: T, b: T) -> T {
        if mask { a } else { b }
    }
}

impl<D: Dim, O: Order, Dev: Elementwise<bool>, S: Storage<bool, Dev>> Tensor<bool, D, O, Dev, S> {
    /// Elements of `on_true` where the mask holds, of `on_false` elsewhere; all three broadcast.
    ///
    /// # Panics
    /// Where the shapes do not broadcast, or the device has no memory left.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let x = tensor![-1.0, 2.0, -3.0];
    /// assert_eq!(x.less(0.0).select(&Tensor::scalar(0.0), &x), tensor![0.0, 2.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn select<T, E, G, C, P, Q, S1, S2>(
        &self,
        on_true: &Tensor<T, E, P, Dev, S1>,
        on_false: &Tensor<T, G, Q, Dev, S2>,
    ) -> Tensor<T, Common<C, G>, O, Dev>
    where
        T: Element,
        E: Dim,
        G: Dim,
        C: Dim + Broadcast<G>,
        D: Broadcast<E, Common = C>,
        O: SameOrder<P> + SameOrder<Q>,
        P: Order,
        Q: Order,
        S1: Storage<T, Dev>,
        S2: Storage<T, Dev>,
    {
        expect(self.try_select(on_true, on_false))
    }

    /// [`select`](Tensor::select) with a `Result`.
    ///
    /// # Errors
    /// Where the shapes do not broadcast, or the device has no memory left.
    pub fn try_select<T, E, G, C, P, Q, S1, S2>(
        &self,
        on_true: &Tensor<T, E, P, Dev, S1>,
        on_false: &Tensor<T, G, Q, Dev, S2>,
    ) -> Result<Tensor<T, Common<C, G>, O, Dev>, Error>
    where
        T: Element,
        E: Dim,
        G: Dim,
        C: Dim + Broadcast<G>,
        D: Broadcast<E, Common = C>,
        O: SameOrder<P> + SameOrder<Q>,
        P: Order,
        Q: Order,
        S1: Storage<T, Dev>,
        S2: Storage<T, Dev>,
    {
        let shapes = (self.shape(), on_true.shape(), on_false.shape());
        let (mask, a, b) = (shapes.0.as_ref(), shapes.1.as_ref(), shapes.2.as_ref());
        let first = binary_shape::<C>("select from", mask, a, O::ROW_MAJOR)?;
        binary_shape::<Common<C, G>>("select from", first.as_ref(), b, O::ROW_MAJOR)?;
        let shape = common_shape::<Common<C, G>>(&[mask, a, b], O::ROW_MAJOR)
            .expect("two steps found a common shape");
        let to = shape.as_ref();
        let (mask, a, b) = (spread(self, to), spread(on_true, to), spread(on_false, to));
        let mut out = Tensor::<_, Common<C, G>, O, Dev>::allocate(shape, self.device().clone())?;
        let (output, device) = out.output();
        device.ternary(
            &Select,
            output,
            self.operand_in(&mask),
            on_true.operand_in(&a),
            on_false.operand_in(&b),
        )?;
        Ok(out)
    }
}

// ------------------------------------------------------------------ closures on the host

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
        expect(self.try_apply(Closure(&f)))
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
    pub fn zip_map<U, V, E, P, Dev2, S2, F>(
        &self,
        other: &Tensor<U, E, P, Dev2, S2>,
        f: F,
    ) -> Tensor<V, Common<D, E>, O, Dev>
    where
        U: Element,
        V: Element,
        D: Broadcast<E>,
        E: Dim,
        O: SameOrder<P>,
        P: Order,
        Dev: RunsClosures + Elementwise<T> + SameDevice<Dev2>,
        Dev2: Device,
        S2: Storage<U, Dev2>,
        F: Fn(T, U) -> V + Sync,
    {
        expect(binary(Closure(&f), self, &other.agree::<U, O, Dev>()))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: StorageMut<T, Dev>> Tensor<T, D, O, Dev, S> {
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
    {
        expect(self.try_apply_inplace(Closure(&f)));
    }
}
