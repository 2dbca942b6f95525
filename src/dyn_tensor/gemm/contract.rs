//! Contractions by a specification that is known at run time only, and matrix products.

use crate::dyn_tensor::operand::agree_all;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::einsum::contract_any;
use crate::engine::contract::{ContractionPath, Einsum, PathCache, Spec};
use crate::engine::same_instance;
use crate::error::Error;
use crate::order::Order;
use crate::rank::AnyRank;

/// A cache for the most recent contraction paths. All contractions of dynamic tensors share it.
static PATHS: PathCache = PathCache::with_capacity(64);

const EINSUM: &str = "einsum";

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
    typed!(EINSUM, Scalar, ([operands] = &operands; spec: &Spec<'_> = &spec) => {
        let device = operands[0].device();
        operands.iter().try_for_each(|x| same_instance(EINSUM, device, x.device()))?;
        let operands: Vec<_> = operands.iter().map(|x| x.operand().into()).collect();
        let einsum =
            Einsum { spec, row_major: O::ROW_MAJOR, device, operands: &operands, limit: None, cache: &PATHS };
        contract_any::<T, AnyRank, O, Dev>(&einsum)
    })
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
    let row_major = agree_all(EINSUM, &operands)?.order().is_row_major();
    ContractionPath::new(&spec, row_major, operands.iter().map(DynTensor::shape), None)
}

// ------------------------------------------------------------------ matrix products

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
        typed!("matmul", Scalar, (x = self.look(), y = right.into()) => x.try_matmul(y))
    }
}
