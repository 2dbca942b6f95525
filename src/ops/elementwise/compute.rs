//! Applies elementwise functions to typed tensors. The functions of this module check that the operands broadcast to a common shape. They
//! write the result to a new tensor, to the buffer of an owned operand, to a preallocated output, or to the left operand (`+=`).

use crate::device::{BinaryOp, CudaSource, Device, Elementwise, Scalars, TernaryOp, UnaryOp, wide};
use crate::element::{Element, Elementary, PairFunction};
use crate::engine::{elementwise, same_instance};
use crate::error::Error;
use crate::layout::broadcast::{binary_shape, same};
use crate::order::Order;
use crate::rank::{Broadcast, Common, Dim};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

/// Returns the common shape of two operands on one device.
fn common_shape<
    T: Element,
    U: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order,
    Dev: Device,
    S: Storage<T, Dev>,
    S2: Storage<U, Dev>,
>(
    op: &'static str,
    left: &Tensor<T, D, O, Dev, S>,
    right: &Tensor<U, E, O, Dev, S2>,
) -> Result<<Common<D, E> as Dim>::Shape, Error> {
    same_instance(op, left.device(), right.device())?;
    let mut shape = Common::<D, E>::shape(left.rank().max(right.rank()));
    binary_shape(op, left.shape().as_ref(), right.shape().as_ref(), O::ROW_MAJOR, shape.as_mut())?;
    Ok(shape)
}

/// Returns a new tensor with `op(left, right)`, with broadcasting.
// Always inlined, because a call would return the `Result` through memory: see `Tensor::allocate`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn binary<
    T: Element,
    U: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    S2: Storage<U, Dev>,
    F: BinaryOp<T, U>,
>(
    op: F,
    left: &Tensor<T, D, O, Dev, S>,
    right: &Tensor<U, E, O, Dev, S2>,
) -> Result<Tensor<F::Output, Common<D, E>, O, Dev>, Error> {
    let shape = common_shape(F::NAME, left, right)?;
    let operands = (left.operand(), right.operand());
    Tensor::allocate_with(shape, left.device().clone(), |out, device| {
        elementwise::map::<Common<D, E>, (T, U), _, _>(&op, O::ROW_MAJOR, device, out, operands)
    })
}

/// Writes `op(left, right)`, with broadcasting, to `out`, which must have exactly the result's shape.
pub(crate) fn binary_into<
    T: Element,
    U: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    S2: Storage<U, Dev>,
    S3: StorageMut<F::Output, Dev>,
    F: BinaryOp<T, U>,
>(
    op: F,
    left: &Tensor<T, D, O, Dev, S>,
    right: &Tensor<U, E, O, Dev, S2>,
    out: &mut Tensor<F::Output, Common<D, E>, O, Dev, S3>,
) -> Result<(), Error> {
    let shape = common_shape(F::NAME, left, right)?;
    check_out(F::NAME, shape.as_ref(), left.device(), out)?;
    let (output, device) = out.output();
    elementwise::map::<Common<D, E>, (T, U), _, _>(
        &op,
        O::ROW_MAJOR,
        device,
        output,
        (left.operand(), right.operand()),
    )
}

/// Checks that a preallocated output has the result's shape and is on the operands' instance of the device.
pub(crate) fn check_out<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>>(
    op: &'static str,
    result: &[usize],
    device: &Dev,
    out: &Tensor<T, D, O, Dev, S>,
) -> Result<(), Error> {
    same_instance(op, device, out.device())?;
    if same(out.shape().as_ref(), result) {
        return Ok(());
    }
    Err(Error::OutputShape { op, result: result.to_vec(), out: out.shape().as_ref().to_vec() })
}

/// Computes `target = op(target, right)`; the right operand broadcasts to the target's shape.
pub(crate) fn binary_assign<
    T: Element,
    U: Element,
    D: Dim,
    E: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: StorageMut<T, Dev>,
    S2: Storage<U, Dev>,
    F: BinaryOp<T, U, Output = T>,
>(
    op: F,
    target: &mut Tensor<T, D, O, Dev, S>,
    right: &Tensor<U, E, O, Dev, S2>,
) -> Result<(), Error> {
    same_instance(F::NAME, target.device(), right.device())?;
    // Equal shapes need no broadcasting, so they skip `binary_assign_repeated`. For a few elements, calling it takes longer than the
    // computation.
    if same(target.shape().as_ref(), right.shape().as_ref()) {
        let (output, device) = target.output();
        return wide::update::<D, (T, U), _, _>(&op, device, output, (right.operand(),));
    }
    // Passes a view instead of `right` itself. A reference to `right` would force it into memory, even if it could stay in registers.
    binary_assign_repeated(op, target, &right.view())
}

#[inline(never)]
fn binary_assign_repeated<
    T: Element,
    U: Element,
    D: Dim,
    E: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: StorageMut<T, Dev>,
    S2: Storage<U, Dev>,
    F: BinaryOp<T, U, Output = T>,
>(
    op: F,
    target: &mut Tensor<T, D, O, Dev, S>,
    right: &Tensor<U, E, O, Dev, S2>,
) -> Result<(), Error> {
    let (output, device) = target.output();
    let shape = output.axes().shape();
    elementwise::repeated::<D, _, _>(F::NAME, O::ROW_MAJOR, shape, right.operand(), |right| {
        wide::update::<D, (T, U), _, _>(&op, device, output, (right,))
    })
}

/// Returns `op(left, right)` in the buffer of an owned operand that has the result's shape, otherwise in a new buffer.
// Always inlined, because a call would return the `Result` through memory: see `Tensor::allocate`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn combine<
    T: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    S2: Storage<T, Dev>,
    F: BinaryOp<T, T, Output = T>,
>(
    op: F,
    left: Tensor<T, D, O, Dev, S>,
    right: Tensor<T, E, O, Dev, S2>,
) -> Result<Tensor<T, Common<D, E>, O, Dev>, Error> {
    if !S::OWNED && !S2::OWNED {
        return binary(op, &left, &right);
    }
    let shape = common_shape(F::NAME, &left, &right)?;
    let left = match left.into_result::<Common<D, E>>(&shape) {
        Ok(mut out) => return binary_assign(op, &mut out, &right).map(|()| out),
        Err(left) => left,
    };
    match right.into_result::<Common<D, E>>(&shape) {
        Ok(mut out) => binary_assign(Flipped(op), &mut out, &left).map(|()| out),
        Err(right) => binary(op, &left, &right),
    }
}

/// Returns `op(left, right)`, which has the element type of `left`, in the buffer of `left` if it is owned and has the result's shape,
/// otherwise in a new buffer.
pub(crate) fn combine_to_left<
    T: Element,
    U: Element,
    D: Dim + Broadcast<E>,
    E: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    S2: Storage<U, Dev>,
    F: BinaryOp<T, U, Output = T>,
>(
    op: F,
    left: Tensor<T, D, O, Dev, S>,
    right: Tensor<U, E, O, Dev, S2>,
) -> Result<Tensor<T, Common<D, E>, O, Dev>, Error> {
    let shape = common_shape(F::NAME, &left, &right)?;
    match left.into_result::<Common<D, E>>(&shape) {
        Ok(mut out) => binary_assign(op, &mut out, &right).map(|()| out),
        Err(left) => binary(op, &left, &right),
    }
}

/// A function with its operands exchanged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flipped<F>(pub(crate) F);

impl<A: Element, B: Element, F: BinaryOp<A, B>> BinaryOp<B, A> for Flipped<F> {
    type Output = F::Output;
    const NAME: &'static str = F::NAME;
    const CUDA: CudaSource = F::CUDA;
    const CUDA_DEFINED: CudaSource = F::CUDA_DEFINED;
    const CHECKED: bool = F::CHECKED;
    const COST: usize = F::COST;
    const MULTIPLIES: bool = F::MULTIPLIES;
    fn apply(&self, b: B, a: A) -> F::Output {
        self.0.apply(a, b)
    }
    fn elementary(&self) -> Option<Elementary> {
        match self.0.elementary() {
            Some(Elementary::Pair(PairFunction::Div)) => Some(Elementary::Pair(PairFunction::DivInto)),
            _ => None,
        }
    }
    fn is_defined(&self, b: B, a: A) -> bool {
        self.0.is_defined(a, b)
    }
    fn operands(&self, b: B, a: A) -> String {
        self.0.operands(a, b)
    }
    fn scalars(&self, bind: &mut Scalars) {
        self.0.scalars(bind);
        bind.swap_operands();
    }
}

/// Writes `op(x)` to `out`, which must have exactly the shape of `x`.
pub(crate) fn unary_into<
    T: Element,
    D: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    S2: StorageMut<F::Output, Dev>,
    F: UnaryOp<T>,
>(
    op: F,
    x: &Tensor<T, D, O, Dev, S>,
    out: &mut Tensor<F::Output, D, O, Dev, S2>,
) -> Result<(), Error> {
    check_out(F::NAME, x.shape().as_ref(), x.device(), out)?;
    let (output, device) = out.output();
    wide::map::<D, (T,), _, _>(&op, device, output, (x.operand(),))
}

/// Returns `op(x)` in the buffer of `x` if `x` is owned, otherwise in a new buffer.
// Always inlined, because a call would return the `Result` through memory: see `Tensor::allocate`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn unary_given<
    T: Element,
    D: Dim,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    F: UnaryOp<T, Output = T>,
>(
    op: F,
    x: Tensor<T, D, O, Dev, S>,
) -> Result<Tensor<T, D, O, Dev>, Error> {
    let shape = x.shape();
    match x.into_result::<D>(&shape) {
        Ok(mut out) => out.try_apply_inplace(op).map(|()| out),
        Err(x) => x.try_apply(op),
    }
}

/// Returns a new tensor with `op(a, b, c)`, with broadcasting.
pub(crate) fn ternary<
    T: Element,
    U: Element,
    V: Element,
    D: Dim + Broadcast<E, Common = C>,
    E: Dim,
    G: Dim,
    C: Dim + Broadcast<G>,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    S2: Storage<U, Dev>,
    S3: Storage<V, Dev>,
    F: TernaryOp<T, U, V>,
>(
    op: F,
    a: &Tensor<T, D, O, Dev, S>,
    b: &Tensor<U, E, O, Dev, S2>,
    c: &Tensor<V, G, O, Dev, S3>,
) -> Result<Tensor<F::Output, Common<C, G>, O, Dev>, Error> {
    let shape = common_shape3(F::NAME, a, b, c)?;
    let operands = (a.operand(), b.operand(), c.operand());
    Tensor::allocate_with(shape, a.device().clone(), |out, device| {
        elementwise::map::<Common<C, G>, (T, U, V), _, _>(&op, O::ROW_MAJOR, device, out, operands)
    })
}

/// Writes `op(a, b, c)`, with broadcasting, to `out`, which must have exactly the result's shape.
pub(crate) fn ternary_into<
    T: Element,
    U: Element,
    V: Element,
    D: Dim + Broadcast<E, Common = C>,
    E: Dim,
    G: Dim,
    C: Dim + Broadcast<G>,
    O: Order,
    Dev: Elementwise<T>,
    S: Storage<T, Dev>,
    S2: Storage<U, Dev>,
    S3: Storage<V, Dev>,
    S4: StorageMut<F::Output, Dev>,
    F: TernaryOp<T, U, V>,
>(
    op: F,
    a: &Tensor<T, D, O, Dev, S>,
    b: &Tensor<U, E, O, Dev, S2>,
    c: &Tensor<V, G, O, Dev, S3>,
    out: &mut Tensor<F::Output, Common<C, G>, O, Dev, S4>,
) -> Result<(), Error> {
    let shape = common_shape3(F::NAME, a, b, c)?;
    check_out(F::NAME, shape.as_ref(), a.device(), out)?;
    let (output, device) = out.output();
    let operands = (a.operand(), b.operand(), c.operand());
    elementwise::map::<Common<C, G>, (T, U, V), _, _>(&op, O::ROW_MAJOR, device, output, operands)
}

/// Returns the shape of `op(a, b, c)` for operands on one device: broadcasts `a` and `b`, then their common shape and `c`.
fn common_shape3<
    T: Element,
    U: Element,
    V: Element,
    D: Dim + Broadcast<E, Common = C>,
    E: Dim,
    G: Dim,
    C: Dim + Broadcast<G>,
    O: Order,
    Dev: Device,
    S: Storage<T, Dev>,
    S2: Storage<U, Dev>,
    S3: Storage<V, Dev>,
>(
    op: &'static str,
    a: &Tensor<T, D, O, Dev, S>,
    b: &Tensor<U, E, O, Dev, S2>,
    c: &Tensor<V, G, O, Dev, S3>,
) -> Result<<Common<C, G> as Dim>::Shape, Error> {
    let first = common_shape(op, a, b)?;
    same_instance(op, a.device(), c.device())?;
    let mut shape = Common::<C, G>::shape(first.as_ref().len().max(c.rank()));
    binary_shape(op, first.as_ref(), c.shape().as_ref(), O::ROW_MAJOR, shape.as_mut())?;
    Ok(shape)
}
