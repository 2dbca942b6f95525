//! Products that are summed: contractions by a specification that is known at run time, and matrix products.

use super::operand::{common_order, device_of, elements, erase, lacking, needs, on_device, same_device};
use super::storage::DynData;
use super::tensor::{DynTensor, DynView};
use crate::device::Contract;
use crate::dispatch;
use crate::einsum::{ContractionPath, Spec, erased};
use crate::element::{DType, Scalar};
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::same_instance;
use crate::order::MemoryOrder;

/// Operands agree in element type, order and device; the order is that of one with two axes or more.
fn agree(op: &'static str, operands: &[DynView<'_>]) -> Result<MemoryOrder, Error> {
    let Some((&first, others)) = operands.split_first() else { return Ok(MemoryOrder::RowMajor) };
    let mut leading = first;
    for &other in others {
        if other.dtype() != first.dtype() {
            return Err(Error::ElementTypes { op, left: first.dtype(), right: other.dtype() });
        }
        common_order(op, leading, other)?;
        same_device(op, first, other)?;
        if leading.rank() < 2 {
            leading = other;
        }
    }
    Ok(leading.order())
}

/// The operands were found to agree and to be of `T` on `Dev`.
fn compute<T: Scalar, Dev: Contract<T>>(
    op: &'static str,
    spec: &Spec<'_>,
    order: MemoryOrder,
    operands: &[DynView<'_>],
) -> Result<DynTensor, Error> {
    let operands: Vec<_> = operands.iter().map(|&x| elements::<T, Dev>(x)).collect();
    let device = device_of(&operands[0]);
    operands.iter().try_for_each(|x| same_instance(op, device, device_of(x)))?;
    Ok(erase(erased::contract(spec, order, device, &operands)?, order))
}

// Kernels for all element types: compiled where it is used, unless the feature says otherwise.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn contract(
    op: &'static str,
    spec: &Spec<'_>,
    order: MemoryOrder,
    operands: &[DynView<'_>],
) -> Result<DynTensor, Error> {
    let first = operands[0];
    on_device!(op, first, Dev => dispatch!(
        first.dtype(),
        T: Scalar => compute::<T, Dev>(op, spec, order, operands),
        else => Err(lacking(op, DType::Bool, needs::NUMBERS))
    ))
}

/// Contracts up to 16 tensors in Einstein's notation, by a specification that is known at run time only.
///
/// It is the notation, the sequence of pairs and the kernels of [`einsum!`](crate::einsum!), and the message where it is wrong is
/// the compiler's. All operands have one element type, order and device; the result has, too.
///
/// # Errors
/// Where the specification is not one or does not fit the operands, the operands differ in element type, order or device or are no
/// numbers, axes of one label differ in length, integers have no such result, or the device has no memory left.
///
/// ```
/// use vierbein::dyn_tensor::einsum;
/// use vierbein::{DynTensor, tensor};
///
/// let (a, b) = (DynTensor::from(tensor![[1, 2], [3, 4]]), DynTensor::from(tensor![[5, 6], [7, 8]]));
/// let spec = ["ij", "jk"].join(",") + "->ik";
/// assert_eq!(einsum(&spec, &[&a, &b])?.downcast_ref()?, tensor![[19, 22], [43, 50]]);
/// assert_eq!(
///     einsum("ij,jk->iz", &[&a, &b]).unwrap_err().to_string(),
///     "einsum \"ij,jk->iz\": the result's label `z` is not a label of any operand"
/// );
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn einsum<'a, X: Copy + Into<DynView<'a>>>(spec: &str, operands: &[X]) -> Result<DynTensor, Error> {
    let operands: Vec<DynView<'a>> = operands.iter().map(|&x| x.into()).collect();
    let layouts: Vec<&Layout> = operands.iter().map(DynTensor::layout).collect();
    let spec = erased::parse(spec, &layouts)?;
    let order = agree("einsum", &operands)?;
    contract("einsum", &spec, order, &operands)
}

/// The sequence of pairs in which [`einsum`] would contract, to be read or printed.
///
/// # Errors
/// Where the specification is not one or does not fit the operands, the operands differ in order, or axes of one label differ in
/// length.
///
/// ```
/// use vierbein::dyn_tensor::einsum_path;
/// use vierbein::{DynTensor, Tensor};
/// let [a, b, c] = [[10, 100], [100, 5], [5, 50]].map(|shape| DynTensor::from(Tensor::<f64, _>::zeros(shape)));
/// assert_eq!(einsum_path("ij,jk,kl->il", &[&a, &b, &c])?.multiplications(), 7_500.0);
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn einsum_path<'a, X: Copy + Into<DynView<'a>>>(
    spec: &str,
    operands: &[X],
) -> Result<ContractionPath, Error> {
    let operands: Vec<DynView<'a>> = operands.iter().map(|&x| x.into()).collect();
    let layouts: Vec<&Layout> = operands.iter().map(DynTensor::layout).collect();
    let spec = erased::parse(spec, &layouts)?;
    erased::path(&spec, agree("einsum", &operands)?, &layouts)
}

// ------------------------------------------------------------------ matrix products

const LETTERS: &str = "abcdefghijklmnop";

/// A product of matrices by the order's rule, as a contraction: its specification, and the operands with their batch axes repeated
/// to the common ones.
fn product(
    left: DynView<'_>,
    right: DynView<'_>,
    order: MemoryOrder,
) -> Result<(String, [Layout; 2]), Error> {
    let row_major = order.is_row_major();
    let (a, b) = (left.shape(), right.shape());
    let disagree = |why: String| Error::Matmul { left: a.to_vec(), right: b.to_vec(), row_major, why };
    if a.is_empty() || b.is_empty() {
        let why = format!(
            "cannot multiply a tensor of `Rank<{}>` with a tensor of `Rank<{}>` as matrices: \
             `matmul` takes vectors, matrices and batches of matrices; a rank-0 tensor scales with `*`",
            a.len(),
            b.len()
        );
        return Err(Error::NotForRank { op: "matmul", why });
    }
    // The batch leads in row-major order and trails in column-major order; a vector has none.
    let split = |shape: &[usize]| -> ([Vec<usize>; 2], usize) {
        let matrix = shape.len().min(2);
        let batch = shape.len() - matrix;
        let (batch, matrix) = if row_major {
            (shape[..batch].to_vec(), shape[batch..].to_vec())
        } else {
            (shape[matrix..].to_vec(), shape[..matrix].to_vec())
        };
        let rank = batch.len();
        ([batch, matrix], rank)
    };
    let ([batch_a, matrix_a], rank_a) = split(a);
    let ([batch_b, matrix_b], rank_b) = split(b);
    let (k_a, k_b) = (matrix_a[matrix_a.len() - 1], matrix_b[0]);
    if k_a != k_b {
        return Err(disagree(format!("the summed axes have lengths {k_a} and {k_b}")));
    }
    let batch = super::operand::broadcast("matmul", &batch_a, &batch_b, order)
        .map_err(|_| disagree("the batch axes do not broadcast".into()))?;
    // Labels of the batch are `a`, `b`, ..; those of the matrices `X`, `Y`, `Z`. Vectors broadcast along no batch.
    let names = &LETTERS[..batch.rank()];
    let operand = |x: DynView<'_>, matrix: &[usize], rank: usize, letters: &str| {
        if rank == 0 {
            return (letters.to_string(), *x.layout());
        }
        let shape =
            if row_major { [batch.shape(), matrix].concat() } else { [matrix, batch.shape()].concat() };
        let layout = x.layout().broadcast_to(&shape, row_major).expect("the batches were found to broadcast");
        let labels = if row_major { format!("{names}{letters}") } else { format!("{letters}{names}") };
        (labels, layout)
    };
    let (left_letters, right_letters) =
        (if matrix_a.len() == 2 { "XY" } else { "Y" }, if matrix_b.len() == 2 { "YZ" } else { "Y" });
    let (of_a, layout_a) = operand(left, &matrix_a, rank_a, left_letters);
    let (of_b, layout_b) = operand(right, &matrix_b, rank_b, right_letters);
    let kept = [(matrix_a.len() == 2, "X"), (matrix_b.len() == 2, "Z")];
    let kept: String = kept.iter().filter(|(is_matrix, _)| *is_matrix).map(|(_, letter)| *letter).collect();
    let result = if row_major { format!("{names}{kept}") } else { format!("{kept}{names}") };
    Ok((format!("{of_a},{of_b}->{result}"), [layout_a, layout_b]))
}

// Kernels for all element types: compiled where it is used, unless the feature says otherwise.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn matmul(left: DynView<'_>, right: DynView<'_>) -> Result<DynTensor, Error> {
    let order = super::operand::agree("matmul", left, right)?;
    let (text, layouts) = product(left, right, order)?;
    let spec = Spec::new(&text, 2);
    let operands = [left.behind(layouts[0]), right.behind(layouts[1])];
    contract("matmul", &spec, order, &operands).map_err(|error| match error {
        Error::Contraction { .. } => Error::Arithmetic {
            op: "matmul",
            dtype: left.dtype().name(),
            values: format!("shapes {:?} and {:?}", left.shape(), right.shape()),
        },
        other => other,
    })
}

impl<S: DynData> DynTensor<S> {
    /// The product of matrices, vectors and batches of matrices, by the order's rule: as [`Tensor::matmul`](crate::Tensor::matmul).
    ///
    /// # Errors
    /// Where the operands differ in element type, order or device or are no numbers, the summed axes differ in length, batches do
    /// not broadcast, integers have no such result, or the device has no memory left.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let a = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// assert_eq!(a.matmul(&a.t()?)?.downcast_ref()?, tensor![[5, 11], [11, 25]]);
    /// assert_eq!(a.matmul(&tensor![1, 1])?.downcast_ref()?, tensor![3, 7]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn matmul<'b>(&self, right: impl Into<DynView<'b>>) -> Result<DynTensor, Error> {
        matmul(self.look(), right.into())
    }
}
