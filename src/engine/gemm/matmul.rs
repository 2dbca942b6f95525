//! The products of `matmul`: of vectors, matrices and batches of matrices. The memory order determines which axes are the matrix.
//! In row-major order, these are the last two axes; in column-major order, the first two. The other axes are the batch.
//!
//! A column-major product is computed as a row-major product: the axes of all operands are reversed, and A and B are exchanged. For
//! matrices, this is the identity (A·B)ᵀ = Bᵀ·Aᵀ.

use crate::device::wide::{MAX_LOOPS, Nest};
use crate::device::{Gemm, MatrixOperand, Operand, Output, ProductArgs, Scaling};
use crate::element::Scalar;
use crate::engine::contract::{Elements, Factor, LabelExtents, Labelled, Labels, RealProducts};
use crate::error::Error;
use crate::layout::Layout;
use crate::layout::axes::Axes;
use crate::layout::broadcast::common_shape;
use crate::rank::MAX_RANK;

/// Returns the rank of the product of an operand of rank `a` and an operand of rank `b`.
///
/// # Errors
/// [`Error::UnsupportedRank`] if a rank is 0.
#[inline]
pub(crate) fn rank(a: usize, b: usize) -> Result<usize, Error> {
    if a == 0 || b == 0 {
        return Err(no_matrices(a, b));
    }
    // A vector has no batch axes, and adds no axis to the product.
    Ok(a.saturating_sub(2).max(b.saturating_sub(2)) + usize::from(a > 1) + usize::from(b > 1))
}

#[cold]
fn no_matrices(a: usize, b: usize) -> Error {
    let reason = format!(
        "cannot multiply a tensor of `Rank<{a}>` with a tensor of `Rank<{b}>` as matrices: \
         expected vectors, matrices or batches of matrices; a rank-0 tensor scales with `*`"
    );
    Error::UnsupportedRank { op: "matmul", reason }
}

/// Writes the shape of the product to `to`, whose length is the [`rank`] of the product.
///
/// # Errors
/// [`Error::Matmul`] if the summed axes differ in extent, or if the batch axes do not broadcast.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn shape(row_major: bool, a: &[usize], b: &[usize], to: &mut [usize]) -> Result<(), Error> {
    let (of_a, of_b) = (
        OperandExtents::new(row_major, a, OperandSide::Left),
        OperandExtents::new(row_major, b, OperandSide::Right),
    );
    if of_a.summed != of_b.summed {
        return Err(lengths_differ(row_major, a, b, [of_a.summed, of_b.summed]));
    }
    // In row-major order, the batch axes come first; in column-major order, they come last.
    let kept = usize::from(of_a.kept.is_some()) + usize::from(of_b.kept.is_some());
    let (batch, matrix) = if row_major {
        to.split_at_mut(to.len() - kept)
    } else {
        let (matrix, batch) = to.split_at_mut(kept);
        (batch, matrix)
    };
    if !batch.is_empty() && !common_shape(of_a.batch, of_b.batch, row_major, batch) {
        return Err(batches_differ(row_major, a, b));
    }
    matrix.iter_mut().zip([of_a.kept, of_b.kept].into_iter().flatten()).for_each(|(to, extent)| *to = extent);
    Ok(())
}

/// Computes the product of `a` and `b`, and writes it to `out`, which has the [`shape`] of the product.
///
/// # Errors
/// * [`Error::Arithmetic`], with the shapes of the operands, if an integer result overflows (of 64 bits: only in builds with debug assertions).
/// * Another error of the device.
// Always inlined: with ranks known at compile time, products of small matrices are much faster.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn write<T: Scalar, Dev: Gemm<T>>(
    row_major: bool,
    device: &Dev,
    a: MatrixOperand<'_, T, Dev>,
    b: Factor<'_, T, Dev>,
    out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    let b = match b.0 {
        Elements::Same(b) => b,
        Elements::Real(b, products) => return write_by_real(row_major, device, a, (b, products), out),
    };
    let done = if a.operand.shape().len() <= 2 && b.operand.shape().len() <= 2 {
        one_product(row_major, device, a, b, out)
    } else {
        batch(row_major, device, a, b, out)
    };
    done.map_err(|error| named(error, a.operand.shape(), b.operand.shape()))
}

/// Number of elements of a real matrix up to which it is converted to complex numbers. A contraction would need more time for its labels.
const MAX_CONVERTED: usize = 256;

/// Variant of [`write`] for complex numbers and real ones.
#[inline(never)]
fn write_by_real<T: Scalar, Dev: Gemm<T>>(
    row_major: bool,
    device: &Dev,
    a: MatrixOperand<'_, T, Dev>,
    (b, products): (Operand<'_, T::Part, Dev>, &RealProducts<T, Dev>),
    out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    if b.shape().len() == 1 || b.shape().iter().product::<usize>() <= MAX_CONVERTED {
        let layout = Layout::contiguous(b.shape(), true);
        let b = (products.widened)(device, b)?;
        return write(row_major, device, a, b.operand(&layout).into(), out);
    }
    let (of_a, of_b, of_out) = (a.operand.axes(), b.axes(), out.axes());
    // The batch axes have labels from 0, beginning beside the matrix.
    const ROW: u8 = MAX_RANK as u8;
    const SUMMED: u8 = ROW + 1;
    const COLUMN: u8 = ROW + 2;
    let labels = |matrix: &[u8], rank: usize| -> Labels {
        let (batch, matrix) = (0..(rank - matrix.len()) as u8, matrix.iter().copied());
        if row_major { batch.rev().chain(matrix).collect() } else { matrix.chain(batch).collect() }
    };
    let (left, right): (&[u8], &[u8]) = (
        if of_a.rank() == 1 { &[SUMMED] } else { &[ROW, SUMMED] },
        if of_b.rank() == 1 { &[SUMMED] } else { &[SUMMED, COLUMN] },
    );
    let kept: Labels = left.iter().chain(right).copied().filter(|&label| label != SUMMED).collect();
    let (left, right, result) =
        (labels(left, of_a.rank()), labels(right, of_b.rank()), labels(&kept, of_out.rank()));
    let mut extents = LabelExtents::new();
    // The result comes last, because batch axes of extent 1 broadcast to its extents.
    for (labels, axes) in [(left, of_a), (result, of_out)] {
        labels.iter().zip(axes.shape()).for_each(|(&label, &extent)| extents.set(label, extent));
    }
    let labelled = |axes, labels: Labels| Labelled::new(axes, &labels, &extents);
    let (a, b, c) = ((a, labelled(of_a, left)), (b, labelled(of_b, right)), labelled(of_out, result));
    products.write(device, a, b, (out, c), &extents)
}

/// Variant of [`write`] for operands with more than 16 axes: a loop over batches with fewer axes.
///
/// # Errors
/// Those of [`write`]. Some batches may have been written.
#[cold]
#[inline(never)]
pub(crate) fn write_wide<T: Scalar, Dev: Gemm<T>>(
    row_major: bool,
    device: &Dev,
    a: MatrixOperand<'_, T, Dev>,
    b: Factor<'_, T, Dev>,
    mut out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    // Splits axes into those of the batch and those of the matrix.
    let split = |axes: Axes<'_>, matrix: usize| {
        let at = if row_major { axes.rank() - matrix } else { matrix };
        let ((a, b), (c, d)) = (axes.shape().split_at(at), axes.strides().split_at(at));
        let (first, last) = ((a.to_vec(), c.to_vec()), (b.to_vec(), d.to_vec()));
        if row_major { (first, last) } else { (last, first) }
    };
    let (of_a, of_b) = (a.operand.axes(), b.axes());
    let [in_a, in_b] = [of_a, of_b].map(|axes| axes.rank().min(2));
    let (batch, of_out) = split(out.axes(), in_a + in_b - 2);
    let batch_of = |axes: Axes<'_>, matrix: usize| {
        let ((shape, strides), matrix) = split(axes, matrix);
        let mut repeated = vec![0; batch.0.len()];
        let broadcast = Axes::new(&shape, &strides).broadcast_to(&batch.0, row_major, &mut repeated);
        broadcast.expect("the batches were found to broadcast");
        (repeated, matrix)
    };
    let ((batch_a, of_a), (batch_b, of_b)) = (batch_of(of_a, in_a), batch_of(of_b, in_b));
    let mut nest = Nest::new(Axes::new(&batch.0, &batch.1));
    nest.push(Axes::new(&batch.0, &batch_a));
    nest.push(Axes::new(&batch.0, &batch_b));
    let shapes = [a.operand.shape(), b.axes().shape()];
    nest.unordered()
        .for_parts(MAX_LOOPS - 2, |shape, strides, offsets| {
            let part = |(extents, steps): &(Vec<usize>, Vec<isize>), k: usize| match row_major {
                true => ([shape, extents].concat(), [strides[k], steps].concat()),
                false => ([extents, shape].concat(), [steps, strides[k]].concat()),
            };
            // A vector has no batch axes, not even repeated ones: with them, it would be a matrix.
            let operand = |matrix: &(Vec<usize>, Vec<isize>), k, axes| match axes {
                1 => matrix.clone(),
                _ => part(matrix, k),
            };
            let (to, x, y) = (part(&of_out, 0), operand(&of_a, 1, in_a), operand(&of_b, 2, in_b));
            let to = out.reborrow().with_axes(Axes::new(&to.0, &to.1), offsets[0]);
            let conjugate = a.conjugate;
            let x =
                MatrixOperand { operand: a.operand.with_axes(Axes::new(&x.0, &x.1), offsets[1]), conjugate };
            write(row_major, device, x, b.with_axes(Axes::new(&y.0, &y.1), offsets[2]), to)
        })
        .map_err(|error| named(error, shapes[0], shapes[1]))
}

#[derive(Clone, Copy, PartialEq)]
enum OperandSide {
    Left,
    Right,
}

/// The extents of an operand's axes, by the role that an axis has in the product.
struct OperandExtents<'a> {
    batch: &'a [usize],
    summed: usize,
    /// The number of rows of a left matrix, or of columns of a right matrix; `None` for a vector.
    kept: Option<usize>,
}

impl<'a> OperandExtents<'a> {
    #[inline]
    fn new(row_major: bool, shape: &'a [usize], side: OperandSide) -> OperandExtents<'a> {
        let (batch, matrix) = match shape {
            &[summed] => return OperandExtents { batch: &[], summed, kept: None },
            _ if row_major => shape.split_at(shape.len() - 2),
            _ => {
                let (matrix, batch) = shape.split_at(2);
                (batch, matrix)
            }
        };
        let [kept, summed] =
            if side == OperandSide::Left { [matrix[0], matrix[1]] } else { [matrix[1], matrix[0]] };
        OperandExtents { batch, summed, kept: Some(kept) }
    }
}

/// Returns the left and the right operand of the product that is computed. They are exchanged if the memory order is column-major.
#[inline]
fn in_order<V>(row_major: bool, left: V, right: V) -> (V, V) {
    if row_major { (left, right) } else { (right, left) }
}

/// Multiplies operands that are matrices or vectors. Small arrays for extents and strides suffice, without the [`Layout`]s of
/// [`batch`].
#[cfg_attr(not(debug_assertions), inline(always))]
fn one_product<T: Scalar, Dev: Gemm<T>>(
    row_major: bool,
    device: &Dev,
    a: MatrixOperand<'_, T, Dev>,
    b: MatrixOperand<'_, T, Dev>,
    out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    let (a, b) = in_order(row_major, a, b);
    let (a_is_vector, b_is_vector) = (a.operand.shape().len() == 1, b.operand.shape().len() == 1);
    let ([m, k], of_a) = matrix(row_major, a.operand.axes(), [None, Some(0)]);
    let ([_, n], of_b) = matrix(row_major, b.operand.axes(), [Some(0), None]);
    let (_, of_c) = match (a_is_vector, b_is_vector) {
        (false, false) => matrix(row_major, out.axes(), [None, None]),
        (true, false) => matrix(row_major, out.axes(), [None, Some(0)]),
        (false, true) => matrix(row_major, out.axes(), [Some(0), None]),
        (true, true) => ([1, 1], [0, 0]),
    };
    // If the product is a single row or column, `sum_products` is faster than `gemm`, which computes tiles.
    let (shape, of_a, of_b, kept, to) = if n == 1 {
        ([m, k], of_a, [0, of_b[0]], m, of_c[0])
    } else if m == 1 {
        ([n, k], [0, of_a[1]], [of_b[1], of_b[0]], n, of_c[1])
    } else {
        let (left, right, product) = ([m, k], [k, n], [m, n]);
        let (x, y) = (a.with_axes(Axes::new(&left, &of_a)), b.with_axes(Axes::new(&right, &of_b)));
        let out = out.with_axes(Axes::new(&product, &of_c), 0);
        return device.gemm(ProductArgs { scaling: Scaling::overwrite(), a: x, b: y, out });
    };
    let (x, y) = (a.with_axes(Axes::new(&shape, &of_a)), b.with_axes(Axes::new(&shape, &of_b)));
    let (kept, to) = ([kept], [to]);
    let out = out.with_axes(Axes::new(&kept, &to), 0);
    device.sum_products(ProductArgs { scaling: Scaling::overwrite(), a: x, b: y, out })
}

/// Returns the extents and strides of a matrix or vector as those of a row-major matrix. The axes of a column-major matrix are
/// reversed.
///
/// `other` is for vectors only: it contains the stride of the added axis, whose extent is 1. A vector becomes a column if
/// `other[0]` is `Some`, and otherwise a row, with the stride in `other[1]`.
#[inline]
fn matrix(row_major: bool, axes: Axes<'_>, other: [Option<isize>; 2]) -> ([usize; 2], [isize; 2]) {
    match (axes.shape(), axes.strides(), other) {
        (&[m, n], &[s, t], _) if row_major => ([m, n], [s, t]),
        (&[m, n], &[s, t], _) => ([n, m], [t, s]),
        (&[n], &[s], [Some(other), _]) => ([n, 1], [s, other]),
        (&[n], &[s], [_, Some(other)]) => ([1, n], [other, s]),
        _ => unreachable!("a matrix or a vector"),
    }
}

/// Multiplies batches of matrices. At least one operand has a rank above 2; the other operand may be a vector or a single matrix.
#[inline(never)]
fn batch<T: Scalar, Dev: Gemm<T>>(
    row_major: bool,
    device: &Dev,
    a: MatrixOperand<'_, T, Dev>,
    b: MatrixOperand<'_, T, Dev>,
    out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    let enumeration = |axes: Axes<'_>| {
        let layout = Layout::new(axes.shape(), axes.strides());
        if row_major { layout } else { layout.reverse_axes() }
    };
    let (x, y) = in_order(row_major, a, b);
    let (mut of_x, mut of_y) = (enumeration(x.operand.axes()), enumeration(y.operand.axes()));
    let mut of_out = enumeration(out.axes());
    let (x_is_vector, y_is_vector) = (of_x.rank() == 1, of_y.rank() == 1);
    let rank = of_out.rank() - usize::from(!x_is_vector) - usize::from(!y_is_vector);
    if x_is_vector {
        of_x = of_x.insert_axis(0)?;
        of_out = of_out.insert_axis(rank)?;
    }
    if y_is_vector {
        of_y = of_y.insert_axis(1)?;
        of_out = of_out.insert_axis(rank + 1)?;
    }
    let last = |layout: &Layout, back: usize| layout.shape()[layout.rank() - back];
    let [m, k, n] = [last(&of_x, 2), last(&of_x, 1), last(&of_y, 1)];
    let mut shape = [0; MAX_RANK];
    shape[..rank].copy_from_slice(&of_out.shape()[..rank]);
    let mut repeat = |layout: Layout, rows: usize, columns: usize| {
        (shape[rank], shape[rank + 1]) = (rows, columns);
        layout.broadcast_to(&shape[..rank + 2], true).expect("the batches were found to broadcast")
    };
    (of_x, of_y) = (repeat(of_x, m, k), repeat(of_y, k, n));
    // If the product is a single row or column, `sum_products` is faster than `gemm`, which computes tiles.
    if n == 1 {
        let column = of_y.without(rank + 1).insert_axis(rank)?;
        of_y = column.broadcast_to(of_x.shape(), true).expect("one column repeats");
        of_out = of_out.without(rank + 1);
    } else if m == 1 {
        of_y = of_y.swap_axes(rank, rank + 1)?;
        of_x = of_x.broadcast_to(of_y.shape(), true).expect("one row repeats");
        of_out = of_out.without(rank);
    }
    let (x, y) = (x.with_axes(of_x.axes()), y.with_axes(of_y.axes()));
    let out = out.in_layout(&of_out);
    let args = ProductArgs { scaling: Scaling::overwrite(), a: x, b: y, out };
    if m == 1 || n == 1 { device.sum_products(args) } else { device.gemm(args) }
}

#[cold]
fn lengths_differ(row_major: bool, a: &[usize], b: &[usize], [of_a, of_b]: [usize; 2]) -> Error {
    let reason = format!("the summed axes have extents {of_a} and {of_b}");
    Error::Matmul { left: a.to_vec(), right: b.to_vec(), row_major, reason }
}

#[cold]
fn batches_differ(row_major: bool, a: &[usize], b: &[usize]) -> Error {
    let reason = "the batch axes do not broadcast".into();
    Error::Matmul { left: a.to_vec(), right: b.to_vec(), row_major, reason }
}

/// Adds the name of the operation and the shapes of the operands to an arithmetic error of a kernel. Returns other errors
/// unchanged.
#[cold]
fn named(error: Error, left: &[usize], right: &[usize]) -> Error {
    match error {
        Error::Arithmetic { dtype, .. } => {
            Error::Arithmetic { op: "matmul", dtype, values: format!("shapes {left:?} and {right:?}") }
        }
        other => other,
    }
}
