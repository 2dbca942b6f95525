//! Factorisations of tensors whose axes have labels. The specification with the labels is a string that is known at run time only.

use super::DynDiscarded;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::engine::decompose::truncation::Truncation;
use crate::engine::factorise::{FactorSpec, Factorisation};
use crate::error::Error;
use crate::factorise::Factors;

/// Parses a specification that is known at run time only.
fn parse(factorisation: Factorisation, text: &str) -> Result<FactorSpec<'_>, Error> {
    FactorSpec::parse(factorisation, text).map_err(|error| Error::Spec { reason: error.to_string() })
}

/// Calls a method of [`Factors`] with an operand and a specification that is known at run time only.
macro_rules! factors {
    ($factorisation:ident, $spec:expr, $x:expr, $method:ident($($arg:ident: $t:ty)?) -> $Out:ty) => {{
        let spec = parse(Factorisation::$factorisation, $spec)?;
        typed!(
            Factorisation::$factorisation.name(), LinalgElement -> $Out,
            (x = $x.into(); spec: &FactorSpec<'_> = &spec $(, $arg: $t = $arg)?) => Factors::of_any_rank(spec, &x).$method($($arg)?)
        )
    }};
}

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
    factors!(Svd, spec, x, try_svd_truncated(truncation: Truncation) -> (DynTensor, DynTensor, DynTensor, DynDiscarded))
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
    factors!(Qr, spec, x, try_qr() -> (DynTensor, DynTensor))
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
    factors!(Lq, spec, x, try_lq() -> (DynTensor, DynTensor))
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
    factors!(Eigh, spec, h, try_eigh() -> (DynTensor, DynTensor))
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
    factors!(Polar, spec, x, try_polar() -> (DynTensor, DynTensor))
}
