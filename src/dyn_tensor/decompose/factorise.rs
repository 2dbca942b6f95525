//! Factorisations of tensors whose axes have labels. The specification with the labels is a string that is known at run time only.

use super::DynDiscarded;
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Copy, Device, Gemm};
use crate::dispatch;
use crate::dyn_tensor::operand::{device_of, elements, lacking, needs, on_device};
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::element::Element;
use crate::engine::decompose::truncation::Truncation;
use crate::engine::factorise::{FactorSpec, Factorisation, Factorise, NewFactor};
use crate::error::Error;
use crate::order::MemoryOrder;

/// Parses a specification for this operand.
///
/// # Errors
/// If the specification is invalid, or does not match the rank of the operand.
fn parse<'s>(factorisation: Factorisation, text: &'s str, x: DynView<'_>) -> Result<FactorSpec<'s>, Error> {
    let spec =
        FactorSpec::parse(factorisation, text).map_err(|error| Error::Spec { reason: error.to_string() })?;
    spec.check_rank(x.rank())?;
    Ok(spec)
}

/// The results of a factorisation: the first factor, the singular values or eigenvalues, the second factor, and the discarded weights and
/// shares. Results that the factorisation does not have are `None`.
type Results = [Option<DynTensor>; 5];

fn tensor<T: Element, Dev: Device>(made: NewFactor<T, Dev>, order: MemoryOrder) -> Option<DynTensor> {
    Some(DynTensor::contiguous(made.data, made.layout.shape(), order))
}

fn compute<T: LinalgElement, Dev: Decompose<T> + Copy<T> + Gemm<T>>(
    spec: &FactorSpec<'_>,
    x: DynView<'_>,
    truncation: Truncation,
) -> Result<Results, Error> {
    let (order, device) = (x.order(), device_of::<Dev>(&x));
    let operand = elements::<T, Dev>(&x).into();
    let of = Factorise { spec, row_major: order.is_row_major(), device, operand };
    Ok(match spec.factorisation() {
        Factorisation::Svd => {
            let ((u, s, vh), [weight, share]) = of.svd_truncated(truncation)?;
            let [weight, share] = [weight, share].map(|numbers| tensor(numbers, order));
            [tensor(u, order), tensor(s, order), tensor(vh, order), weight, share]
        }
        Factorisation::Qr => {
            let [q, r] = of.qr()?;
            [tensor(q, order), None, tensor(r, order), None, None]
        }
        Factorisation::Lq => {
            let [l, q] = of.lq()?;
            [tensor(l, order), None, tensor(q, order), None, None]
        }
        Factorisation::Eigh => {
            let (w, v) = of.eigh()?;
            [tensor(v, order), tensor(w, order), None, None, None]
        }
        Factorisation::Polar => {
            let [u, p] = of.polar()?;
            [tensor(u, order), None, tensor(p, order), None, None]
        }
    })
}

// This function instantiates kernels for several element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn factorise(
    factorisation: Factorisation,
    text: &str,
    x: DynView<'_>,
    truncation: Truncation,
) -> Result<Results, Error> {
    let spec = parse(factorisation, text, x)?;
    on_device!(factorisation.name(), x, Dev => dispatch!(
        x.dtype(),
        T: Inexact => compute::<T, Dev>(&spec, x, truncation),
        else => Err(lacking(factorisation.name(), x.dtype(), needs::FACTORISATIONS))
    ))
}

/// The panic message if a result of [`compute`] is missing, which cannot happen.
const MADE: &str = "each factorisation has its results";

/// Returns the singular value decomposition `(u, s, vh)` of a tensor whose axes have labels, by a specification that is known at run time
/// only: see [`svd!`](crate::svd!).
///
/// An invalid specification gives the same message as at compile time.
///
/// # Errors
/// * If the specification is invalid, or does not match the rank of the operand.
/// * If the elements are not floating-point or complex numbers.
/// * If the truncation has a negative number, a NaN, or a rank of 0.
/// * If an element is NaN or infinite, the iteration does not converge, or an allocation fails.
/// * If the ellipsis stands for more than 12 axes.
///
/// ```
/// use vierbein::linalg::Truncation;
/// use vierbein::{DynTensor, Tensor, dyn_tensor};
///
/// let x = DynTensor::from(Tensor::<f64, _>::ones([2, 3, 4]));
/// let (u, s, vh) = dyn_tensor::svd("aib -> aik, kb", &x, Truncation::new().cutoff(1e-20))?;
/// assert_eq!((u.shape(), s.shape(), vh.shape()), (&[2, 3, 1][..], &[1][..], &[1, 4][..]));
/// assert_eq!(
///     dyn_tensor::svd("aib -> aik, b", &x, Truncation::new()).unwrap_err().to_string(),
///     "svd \"aib -> aik, b\": label `k` of the first factor is neither in the operand nor in the second factor; the new \
///      label, the bond, is in both factors"
/// );
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn svd<'a>(
    spec: &str,
    x: impl Into<DynView<'a>>,
    truncation: Truncation,
) -> Result<(DynTensor, DynTensor, DynTensor), Error> {
    let (u, s, vh, _) = svd_truncated(spec, x, truncation)?;
    Ok((u, s, vh))
}

/// Variant of [`svd`] that also returns what the truncation discards: see [`svd_truncated!`](crate::svd_truncated!).
///
/// # Errors
/// Those of [`svd`].
///
/// ```
/// use vierbein::linalg::Truncation;
/// use vierbein::{DynTensor, dyn_tensor, tensor};
///
/// // The singular values are 4, 2 and 1.
/// let x = DynTensor::from(tensor![[0.0, 4.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
/// let (_, s, _, discarded) = dyn_tensor::svd_truncated("ij -> ik, kj", &x, Truncation::rank(2))?;
/// assert_eq!(s.downcast_ref()?, tensor![4.0, 2.0]);
/// assert_eq!(discarded.weight.item()?, 1.0.into());
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn svd_truncated<'a>(
    spec: &str,
    x: impl Into<DynView<'a>>,
    truncation: Truncation,
) -> Result<(DynTensor, DynTensor, DynTensor, DynDiscarded), Error> {
    let [u, s, vh, weight, share] = factorise(Factorisation::Svd, spec, x.into(), truncation)?;
    let discarded = DynDiscarded { weight: weight.expect(MADE), share: share.expect(MADE) };
    Ok((u.expect(MADE), s.expect(MADE), vh.expect(MADE), discarded))
}

/// Returns the reduced QR decomposition `(q, r)` of a tensor whose axes have labels, by a specification that is known at run time only: see
/// [`qr!`](crate::qr!).
///
/// # Errors
/// * If the specification is invalid, or does not match the rank of the operand.
/// * If the elements are not floating-point or complex numbers.
/// * If an element is NaN or infinite, or an allocation fails.
/// * If the ellipsis stands for more than 12 axes.
///
/// ```
/// use vierbein::{DynTensor, Tensor, dyn_tensor};
///
/// let x = DynTensor::from(Tensor::<f64, _>::ones([2, 3, 4]));
/// let (q, r) = dyn_tensor::qr("aib -> aik, kb", &x)?;
/// assert_eq!((q.shape(), r.shape()), (&[2, 3, 4][..], &[4, 4][..]));
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn qr<'a>(spec: &str, x: impl Into<DynView<'a>>) -> Result<(DynTensor, DynTensor), Error> {
    let [q, _, r, ..] = factorise(Factorisation::Qr, spec, x.into(), Truncation::new())?;
    Ok((q.expect(MADE), r.expect(MADE)))
}

/// Returns the reduced LQ decomposition `(l, q)` of a tensor whose axes have labels, by a specification that is known at run time only: see
/// [`lq!`](crate::lq!).
///
/// # Errors
/// Those of [`qr`].
///
/// ```
/// use vierbein::{DynTensor, Tensor, dyn_tensor};
///
/// let x = DynTensor::from(Tensor::<f64, _>::ones([2, 3, 4]));
/// let (l, q) = dyn_tensor::lq("aib -> ak, kib", &x)?;
/// assert_eq!((l.shape(), q.shape()), (&[2, 2][..], &[2, 3, 4][..]));
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn lq<'a>(spec: &str, x: impl Into<DynView<'a>>) -> Result<(DynTensor, DynTensor), Error> {
    let [l, _, q, ..] = factorise(Factorisation::Lq, spec, x.into(), Truncation::new())?;
    Ok((l.expect(MADE), q.expect(MADE)))
}

/// Returns the eigenvalues and eigenvectors `(w, v)` of a Hermitian tensor whose axes have labels, by a specification that is known at run
/// time only: see [`eigh!`](crate::eigh!).
///
/// # Errors
/// * If the specification is invalid, or does not match the rank of the operand.
/// * If the extents of a row label and its column label differ.
/// * If the elements are not floating-point or complex numbers.
/// * If an element is NaN or infinite, the iteration does not converge, or an allocation fails.
/// * If the ellipsis stands for more than 12 axes.
///
/// ```
/// use vierbein::{DynTensor, dyn_tensor, tensor};
///
/// let h = DynTensor::from(tensor![[3.0, 0.0], [0.0, 2.0]]);
/// let (w, v) = dyn_tensor::eigh("ij -> in, nj", &h)?;
/// assert_eq!(w.downcast_ref()?, tensor![2.0, 3.0]);
/// assert_eq!(v.downcast_ref()?, tensor![[0.0, 1.0], [1.0, 0.0]]);
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn eigh<'a>(spec: &str, h: impl Into<DynView<'a>>) -> Result<(DynTensor, DynTensor), Error> {
    let [v, w, ..] = factorise(Factorisation::Eigh, spec, h.into(), Truncation::new())?;
    Ok((w.expect(MADE), v.expect(MADE)))
}

/// Returns the polar decomposition `(u, p)` of a tensor whose axes have labels, by a specification that is known at run time only: see
/// [`polar!`](crate::polar!).
///
/// # Errors
/// * If the specification is invalid, or does not match the rank of the operand.
/// * If the elements are not floating-point or complex numbers.
/// * If an element is NaN or infinite, the iteration does not converge, or an allocation fails.
/// * If the ellipsis stands for more than 12 axes.
///
/// ```
/// use vierbein::{DynTensor, Tensor, dyn_tensor};
///
/// let x = DynTensor::from(Tensor::<f64, _>::ones([2, 3, 4]));
/// let (u, p) = dyn_tensor::polar("aib -> aix, xb", &x)?;
/// assert_eq!((u.shape(), p.shape()), (&[2, 3, 4][..], &[4, 4][..]));
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn polar<'a>(spec: &str, x: impl Into<DynView<'a>>) -> Result<(DynTensor, DynTensor), Error> {
    let [u, _, p, ..] = factorise(Factorisation::Polar, spec, x.into(), Truncation::new())?;
    Ok((u.expect(MADE), p.expect(MADE)))
}
