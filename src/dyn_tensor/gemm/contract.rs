//! Contractions by a specification that is known at run time only, and matrix products.

use crate::device::Contract;
use crate::dispatch;
use crate::dyn_tensor::operand::{
    allocate_with, common_order, device_of, elements, lacking, needs, on_device, same_device,
};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::{DType, Scalar};
use crate::engine::contract::{ContractionPath, Einsum, PathCache, Spec};
use crate::engine::gemm::matmul;
use crate::engine::same_instance;
use crate::error::Error;
use crate::layout::Layout;
use crate::ops::Constant;
use crate::order::MemoryOrder;
use crate::rank::MAX_RANK;

/// A cache for the most recent contraction path. All contractions of dynamic tensors share it.
static PATHS: PathCache = PathCache::new();

/// Parses a specification for these operands.
///
/// # Errors
/// If the specification is invalid, or does not match the ranks of the operands.
fn parse<'s>(text: &'s str, operands: &[DynView<'_>]) -> Result<Spec<'s>, Error> {
    let spec =
        Spec::parse(text, operands.len()).map_err(|error| Error::Spec { reason: error.to_string() })?;
    if operands.is_empty() {
        return Err(Error::Spec { reason: format!("einsum \"{text}\": there are no operands") });
    }
    spec.check_ranks(operands.iter().map(|operand| operand.rank()))?;
    Ok(spec)
}

/// Checks that operands agree in element type, memory order and device. Returns the order of the first operand of rank 2 or more.
/// If there is none, returns the order of the first operand.
fn agree(op: &'static str, operands: &[DynView<'_>]) -> Result<MemoryOrder, Error> {
    let Some((&first, others)) = operands.split_first() else { return Ok(MemoryOrder::RowMajor) };
    let mut leading = first;
    for &other in others {
        if other.dtype() != first.dtype() {
            return Err(Error::DTypeMismatch { op, left: first.dtype(), right: other.dtype() });
        }
        common_order(op, leading, other)?;
        same_device(op, first, other)?;
        if leading.rank() < 2 && other.rank() >= 2 {
            leading = other;
        }
    }
    Ok(leading.order())
}

/// Contracts operands. The caller must have checked them with [`agree`]; they have element type `T` and are on `Dev`.
fn compute<T: Scalar, Dev: Contract<T>>(
    op: &'static str,
    spec: &Spec<'_>,
    order: MemoryOrder,
    operands: &[DynView<'_>],
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&operands[0]);
    operands.iter().try_for_each(|x| same_instance(op, device, device_of(x)))?;
    let operands: Vec<_> = operands.iter().map(|x| elements::<T, Dev>(x).into()).collect();
    let row_major = order.is_row_major();
    let einsum = Einsum { spec, row_major, device, operands: &operands, limit: None, cache: &PATHS };
    let bound = einsum.bind()?;
    let labels = bound.result();
    let shape: Vec<usize> = labels.iter().map(|&label| bound.extents().of(label)).collect();
    allocate_with(device, Layout::contiguous(&shape, row_major), order, &mut |mut out| {
        if labels.repeat() {
            // If the result repeats a label, its elements off the diagonal are zero, and `write` does not write them.
            device.generate(&Constant(T::zero()), out.reborrow())?;
        }
        einsum.write(&bound, out)
    })
}

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
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

/// Contracts up to 16 tensors in Einstein notation, by a specification that is known at run time only.
///
/// The notation, the contraction order and the kernels are those of [`einsum!`](crate::einsum!). An invalid specification gives the
/// same message as at compile time. All operands and the result have the same element type, memory order and device.
///
/// # Errors
/// * If the specification is invalid, or does not match the ranks of the operands.
/// * If the operands differ in element type, order or device, or their elements are not numbers.
/// * If axes of one label differ in extent.
/// * If an integer result overflows (of 64 bits: only in builds with debug assertions).
/// * If the device allocation fails.
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
    let spec = parse(spec, &operands)?;
    let order = agree("einsum", &operands)?;
    contract("einsum", &spec, order, &operands)
}

/// Returns the contraction order that [`einsum`] would choose, to be inspected or printed.
///
/// # Errors
/// * If the specification is invalid, or does not match the ranks of the operands.
/// * If the operands differ in element type, order or device.
/// * If axes of one label differ in extent.
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
    let spec = parse(spec, &operands)?;
    let row_major = agree("einsum", &operands)?.is_row_major();
    ContractionPath::new(&spec, row_major, operands.iter().map(DynTensor::shape), None)
}

// ------------------------------------------------------------------ matrix products

fn multiply<T: Scalar, Dev: Contract<T>>(
    left: DynView<'_>,
    right: DynView<'_>,
    order: MemoryOrder,
) -> Result<DynTensor, Error> {
    let (device, row_major) = (device_of::<Dev>(&left), order.is_row_major());
    same_instance("matmul", device, device_of(&right))?;
    let (mut shape, rank) = ([0; MAX_RANK], matmul::rank(left.rank(), right.rank())?);
    matmul::shape(row_major, left.shape(), right.shape(), &mut shape[..rank])?;
    let (a, b) = (elements::<T, Dev>(&left).into(), elements::<T, Dev>(&right).into());
    allocate_with(device, Layout::contiguous(&shape[..rank], row_major), order, &mut |out| {
        matmul::write(row_major, device, a, b, out)
    })
}

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn matmul(left: DynView<'_>, right: DynView<'_>) -> Result<DynTensor, Error> {
    let order = crate::dyn_tensor::operand::agree("matmul", left, right)?;
    matmul::rank(left.rank(), right.rank())?;
    on_device!("matmul", left, Dev => dispatch!(
        left.dtype(),
        T: Scalar => multiply::<T, Dev>(left, right, order),
        else => Err(lacking("matmul", DType::Bool, needs::NUMBERS))
    ))
}

impl<S: DynData> DynTensor<S> {
    /// Multiplies matrices, vectors and batches of matrices. The memory order determines which axes are those of the matrices: see
    /// [`Tensor::matmul`](crate::Tensor::matmul).
    ///
    /// # Errors
    /// * If an operand has rank 0.
    /// * If the operands differ in element type, order or device, or their elements are not numbers.
    /// * If the summed axes differ in extent, or if the batch axes do not broadcast.
    /// * If an integer result overflows (of 64 bits: only in builds with debug assertions).
    /// * If the device allocation fails.
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
