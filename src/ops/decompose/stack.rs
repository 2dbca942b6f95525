//! Stacks: matrices with one axis for the batch. Methods merge the axes of a batch into one, and call functions that take stacks.
//! So each of these functions is compiled once for an element type, memory order and device, not for each rank.

use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Copy, Device, MatrixOperand, Output};
use crate::element::Element;
use crate::engine::decompose::{Matrices, batch_first, in_terms_of, merged_shape, result_shape};
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::op::Mul;
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Rank, Removed, check_matrices};
use crate::storage::Storage;
use crate::tensor::{Tensor, TensorView};

/// Matrices of shape `[batch, m, n]` in row-major order, `[m, n, batch]` in column-major order.
pub(crate) type Stack<T, O, Dev> = Tensor<T, Rank<3>, O, Dev>;
/// A view of matrices of shape `[batch, m, n]` in row-major order, `[m, n, batch]` in column-major order.
pub(crate) type StackView<'a, T, O, Dev> = TensorView<'a, T, Rank<3>, O, Dev>;
/// One vector for each matrix: shape `[batch, k]` in row-major order, `[k, batch]` in column-major order.
pub(crate) type Vectors<T, O, Dev> = Tensor<T, Rank<2>, O, Dev>;
/// One number for each matrix.
pub(crate) type Numbers<T, O, Dev> = Tensor<T, Rank<1>, O, Dev>;

/// The axes of the rows and of the columns of a stack.
pub(super) fn matrix_axes<O: Order>() -> [usize; 2] {
    if O::ROW_MAJOR { [1, 2] } else { [0, 1] }
}

/// The axis of the batch of a stack.
pub(super) fn batch_axis<O: Order>() -> usize {
    if O::ROW_MAJOR { 0 } else { 2 }
}

/// Returns `[batch, m, n]` for the shape of a stack of `batch` matrices with `m` rows and `n` columns.
pub(super) fn extents<O: Order>(shape: [usize; 3]) -> [usize; 3] {
    let [rows, columns] = matrix_axes::<O>();
    [shape[batch_axis::<O>()], shape[rows], shape[columns]]
}

/// Returns the shape of a stack of `batch` matrices with `m` rows and `n` columns.
pub(super) fn stack_shape<O: Order>([batch, m, n]: [usize; 3]) -> [usize; 3] {
    if O::ROW_MAJOR { [batch, m, n] } else { [m, n, batch] }
}

/// Returns the shape of `batch` vectors of length `k`.
pub(super) fn vectors_shape<O: Order>(batch: usize, k: usize) -> [usize; 2] {
    if O::ROW_MAJOR { [batch, k] } else { [k, batch] }
}

/// Returns the axes of a stack (`kept` is 2) or of vectors (`kept` is 1) in the order that devices expect.
pub(super) fn arranged<O: Order>(layout: Layout, kept: usize) -> Layout {
    batch_first(O::ROW_MAJOR, layout, kept)
}

/// A result that a device writes: a stack or vectors, with its axes in the order that devices expect.
pub(super) struct NewStack<T: Element, N: Dim, O: Order, Dev: Device> {
    pub(super) tensor: Tensor<T, N, O, Dev>,
    axes: Layout,
}

impl<T: Element, O: Order, Dev: Device> NewStack<T, Rank<3>, O, Dev> {
    /// Allocates a matrix with `m` rows and `n` columns for each matrix of `a`.
    pub(super) fn stack<U: Element>(a: &StackView<'_, U, O, Dev>, [m, n]: [usize; 2]) -> Result<Self, Error> {
        let [batch, ..] = extents::<O>(a.shape());
        let tensor = Stack::allocate(stack_shape::<O>([batch, m, n]), a.device().clone())?;
        Ok(NewStack { axes: arranged::<O>(tensor.layout(), 2), tensor })
    }
}

impl<T: Element, O: Order, Dev: Device> NewStack<T, Rank<2>, O, Dev> {
    /// Allocates a vector of length `k` for each matrix of `a`.
    pub(super) fn vectors<U: Element>(a: &StackView<'_, U, O, Dev>, k: usize) -> Result<Self, Error> {
        let [batch, ..] = extents::<O>(a.shape());
        let tensor = Vectors::allocate(vectors_shape::<O>(batch, k), a.device().clone())?;
        Ok(NewStack { axes: arranged::<O>(tensor.layout(), 1), tensor })
    }
}

impl<T: Element, N: Dim, O: Order, Dev: Device> NewStack<T, N, O, Dev> {
    pub(super) fn output(&mut self) -> Output<'_, T, Dev> {
        self.tensor.output_in(&self.axes).0
    }
}

/// Calls `f` with the matrices as an operand for a device.
pub(super) fn with_operand<T: Element, O: Order, Dev: Device, R>(
    a: &StackView<'_, T, O, Dev>,
    f: impl FnOnce(&Dev, MatrixOperand<'_, T, Dev>) -> R,
) -> R {
    let axes = arranged::<O>(a.layout(), 2);
    f(a.device(), a.operand_in(&axes).into())
}

/// The result of a function of stacks. Methods of tensors of rank `D` convert it to `Typed<D>`, in which the batch has its own axes again.
pub(crate) trait Stacked {
    /// The result for a tensor of rank `D`.
    type Typed<D: MatrixStack>;
    /// Splits the axis of the batch into the batch axes of a tensor of shape `shape`.
    fn typed<D: MatrixStack>(self, shape: &[usize]) -> Self::Typed<D>;
}

/// Splits the merged batch axis of `x` into the batch axes of a tensor of shape `shape`.
fn unmerged<T: Element, N: Dim, D: Dim, O: Order, Dev: Device>(
    x: Tensor<T, N, O, Dev>,
    shape: &[usize],
) -> Tensor<T, D, O, Dev> {
    let merged = x.shape();
    let own = own_extents::<O>(merged.as_ref());
    let mut to = D::shape(shape.len() - 2 + own.len());
    result_shape(O::ROW_MAJOR, shape, own, to.as_mut());
    let (buffer, device) = x.into_parts();
    Tensor::contiguous(buffer, to, device)
}

/// Returns the extents of one matrix or vector of a result with shape `merged`, without the axis into which the axes of the batch were
/// merged: the first axis in row-major order, otherwise the last.
fn own_extents<O: Order>(merged: &[usize]) -> &[usize] {
    if O::ROW_MAJOR { &merged[1..] } else { &merged[..merged.len() - 1] }
}

impl<T: Element, O: Order, Dev: Device> Stacked for Tensor<T, Rank<3>, O, Dev> {
    type Typed<D: MatrixStack> = Tensor<T, D, O, Dev>;
    fn typed<D: MatrixStack>(self, shape: &[usize]) -> Tensor<T, D, O, Dev> {
        unmerged(self, shape)
    }
}

impl<T: Element, O: Order, Dev: Device> Stacked for Tensor<T, Rank<2>, O, Dev> {
    type Typed<D: MatrixStack> = Tensor<T, Removed<D, 1>, O, Dev>;
    fn typed<D: MatrixStack>(self, shape: &[usize]) -> Tensor<T, Removed<D, 1>, O, Dev> {
        unmerged(self, shape)
    }
}

impl<T: Element, O: Order, Dev: Device> Stacked for Tensor<T, Rank<1>, O, Dev> {
    type Typed<D: MatrixStack> = Tensor<T, Removed<D, 2>, O, Dev>;
    fn typed<D: MatrixStack>(self, shape: &[usize]) -> Tensor<T, Removed<D, 2>, O, Dev> {
        unmerged(self, shape)
    }
}

impl<A: Stacked, B: Stacked> Stacked for (A, B) {
    type Typed<D: MatrixStack> = (A::Typed<D>, B::Typed<D>);
    fn typed<D: MatrixStack>(self, shape: &[usize]) -> Self::Typed<D> {
        (self.0.typed::<D>(shape), self.1.typed::<D>(shape))
    }
}

/// The matrices for which an operation is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StackExtents {
    Any,
    Square,
}

/// Calls `f` with the matrices of `x` as a stack: all axes of the batch are merged into one. The matrices are copied if the strides of `x`
/// do not permit a view.
///
/// # Errors
/// If the matrices do not have the required extents, a copy fails, or `f` fails. An error of `f` is returned with the shape of the tensor.
pub(super) fn stacked<T: Element, D: MatrixStack, O: Order, Dev: Copy<T>, S: Storage<T, Dev>, R: Stacked>(
    x: &Tensor<T, D, O, Dev, S>,
    op: &'static str,
    required: StackExtents,
    f: impl FnOnce(StackView<'_, T, O, Dev>) -> Result<R, Error>,
) -> Result<R::Typed<D>, Error> {
    let shape = x.shape();
    check_matrices(op, x.rank())?;
    if required == StackExtents::Square {
        Matrices::new(O::ROW_MAJOR, shape.as_ref()).check_square(op, shape.as_ref())?;
    }
    let merged = merged_shape(O::ROW_MAJOR, shape.as_ref());
    let result = match x.try_as_shape(merged) {
        Ok(view) => f((&view).into()),
        Err(_) => f(x.try_to_owned()?.try_reshape(merged)?.view()),
    };
    result
        .map(|result| result.typed::<D>(shape.as_ref()))
        .map_err(|error| in_terms_of(error, op, O::ROW_MAJOR, shape.as_ref()))
}

/// Checks that all elements of a stack are finite.
///
/// # Errors
/// [`Error::NotFinite`] with the index of the first matrix that has a NaN or infinite element.
pub(super) fn check_finite<T: LinalgElement, O: Order, Dev: Backend<T>>(
    op: &'static str,
    a: &StackView<'_, T, O, Dev>,
) -> Result<(), Error> {
    let finite = a.try_is_finite()?.try_all_axes(matrix_axes::<O>())?.try_to_vec()?;
    match finite.iter().position(|finite| !finite) {
        Some(j) => Err(Error::NotFinite { op, shape: a.shape().to_vec(), matrix: vec![j] }),
        None => Ok(()),
    }
}

/// Returns the conjugate transposes.
pub(super) fn adjoint<T: LinalgElement, O: Order, Dev: Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Stack<T, O, Dev>, Error> {
    let [rows, columns] = matrix_axes::<O>();
    a.try_swap_axes(rows, columns)?.try_conj()
}

/// Multiplies column `j` of each matrix by element `j` of its vector.
pub(super) fn scale_columns<T: LinalgElement, O: Order, Dev: Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
    by: &Vectors<T, O, Dev>,
) -> Result<Stack<T, O, Dev>, Error> {
    a.try_apply2(Mul, &by.try_insert_axis(matrix_axes::<O>()[0])?)
}

/// Copies the vectors to the host, and calls `f` with the index of each matrix of the stack and its vector. Returns the results.
pub(super) fn each_vector<T: Element, O: Order, Dev: Copy<T>, R>(
    x: &Vectors<T, O, Dev>,
    mut f: impl FnMut(usize, &[T]) -> R,
) -> Result<Vec<R>, Error> {
    let (elements, [first, second]) = (x.try_to_vec()?, x.shape());
    let (batch, k) = if O::ROW_MAJOR { (first, second) } else { (second, first) };
    Ok((0..batch).map(|j| f(j, &elements[j * k..(j + 1) * k])).collect())
}

/// Copies vectors to the device. `elements` has one vector after the other.
pub(super) fn vectors<T: Element, O: Order, Dev: Device>(
    elements: Vec<T>,
    batch: usize,
    k: usize,
    device: &Dev,
) -> Result<Vectors<T, O, Dev>, Error> {
    Tensor::try_from_vec_in(vectors_shape::<O>(batch, k), elements, device)
}

/// Copies numbers, one for each matrix, to the device.
pub(super) fn numbers<T: Element, O: Order, Dev: Device>(
    elements: Vec<T>,
    device: &Dev,
) -> Result<Numbers<T, O, Dev>, Error> {
    Tensor::try_from_vec_in([elements.len()], elements, device)
}

/// Returns the results of `f` for each matrix. All results have `n` rows and columns.
pub(super) fn each_matrix<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
    f: impl Fn(TensorView<'_, T, Rank<2>, O, Dev>) -> Result<Tensor<T, Rank<2>, O, Dev>, Error>,
) -> Result<Stack<T, O, Dev>, Error> {
    let mut out = Stack::<T, O, Dev>::allocate(a.shape(), a.device().clone())?;
    let axis = batch_axis::<O>();
    for j in 0..a.shape()[axis] {
        let matrix = a.try_index_axis(axis, j)?;
        let result = f(matrix).map_err(|error| at_matrix(error, j))?;
        out.try_index_axis_mut(axis, j)?.try_assign(&result)?;
    }
    Ok(out)
}

/// Returns an error with the index of the matrix set to `j`, if the error has such an index.
fn at_matrix(mut error: Error, j: usize) -> Error {
    if let Error::NotFinite { matrix, .. }
    | Error::NotConverged { matrix, .. }
    | Error::OutOfRange { matrix, .. }
    | Error::Singular { matrix, .. }
    | Error::NotPositiveDefinite { matrix, .. } = &mut error
    {
        *matrix = vec![j];
    }
    error
}

/// Defines methods of matrices and batches of matrices from functions of stacks.
macro_rules! dense {
    ($(
        $(#[$doc:meta])*
        $name:ident($($arg:ident: $Arg:ty),*) -> $Out:ty, $StackExtents:ident $f:expr;
    )*) => {
        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {$(
            $(#[$doc])*
            #[crate::error::fallible]
            pub fn $name(&self $(, $arg: $Arg)*) -> $Out
            where
                T: LinalgElement,
                D: MatrixStack,
                Dev: Decompose<T> + Backend<T>,
            {
                stacked(self, stringify!($name), StackExtents::$StackExtents, |a| $f(&a $(, $arg)*))
            }
        )*}
    };
}
pub(super) use dense;
