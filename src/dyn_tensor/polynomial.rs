//! Polynomials of dynamic tensors.

use super::convolve::{numbers, zeros};
use super::operand::agree;
#[cfg(feature = "linalg")]
use super::operand::{device_of, lacking, needs, on_device};
use super::storage::DynData;
use super::tensor::{DynTensor, DynView};
#[cfg(feature = "linalg")]
use crate::device::Cpu;
#[cfg(feature = "linalg")]
use crate::dispatch;
#[cfg(feature = "linalg")]
use crate::element::Element;
use crate::error::Error;
#[cfg(feature = "linalg")]
use crate::ops::linalg::stacks;

// This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn polyval(coefficients: DynView<'_>, x: DynView<'_>) -> Result<DynTensor, Error> {
    const NAME: &str = "polyval";
    agree(NAME, coefficients, x)?;
    if coefficients.rank() != 1 {
        let reason =
            format!("expected coefficients as a vector, found a tensor of shape {:?}", coefficients.shape());
        return Err(Error::UnsupportedRank { op: NAME, reason });
    }
    let coefficients = numbers(NAME, coefficients)?;
    let mut values = zeros(NAME, x, x.shape(), x.dtype())?;
    let Some((&first, rest)) = coefficients.split_first() else { return Ok(values) };
    values.fill(first)?;
    for &coefficient in rest {
        values.try_mul_assign(x)?;
        values.try_add_assign(coefficient)?;
    }
    Ok(values)
}

/// Checks that a tensor is a vector.
///
/// # Errors
/// [`Error::UnsupportedRank`].
#[cfg(feature = "linalg")]
fn check_vector(op: &'static str, what: &str, x: DynView<'_>) -> Result<(), Error> {
    if x.rank() == 1 {
        return Ok(());
    }
    let reason = format!("expected {what} as a vector, found a tensor of shape {:?}", x.shape());
    Err(Error::UnsupportedRank { op, reason })
}

/// Copies a vector to the device of `x`.
#[cfg(feature = "linalg")]
fn placed<T: Element>(op: &'static str, x: DynView<'_>, elements: Vec<T>) -> Result<DynTensor, Error> {
    let on_host = DynTensor::from_vec(&[elements.len()], elements, x.order())?;
    if x.device::<Cpu>().is_some() {
        return Ok(on_host);
    }
    on_device!(op, x, Dev => on_host.to_device_in(device_of::<Dev>(&x)))
}

// This function is compiled for several element types. With `inline`, the calling crate compiles it; with the feature `precompiled-dyn`,
// this crate does.
#[cfg(feature = "linalg")]
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn roots(coefficients: DynView<'_>) -> Result<DynTensor, Error> {
    const NAME: &str = "roots";
    check_vector(NAME, "coefficients", coefficients)?;
    dispatch!(
        coefficients.dtype(),
        T: Inexact => placed(NAME, coefficients, stacks::roots(&coefficients.to_vec::<T>()?)?),
        else => Err(lacking(NAME, coefficients.dtype(), needs::FACTORISATIONS))
    )
}

// This function is compiled for several element types. With `inline`, the calling crate compiles it; with the feature `precompiled-dyn`,
// this crate does.
#[cfg(feature = "linalg")]
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn polyfit(x: DynView<'_>, y: DynView<'_>, degree: usize) -> Result<DynTensor, Error> {
    const NAME: &str = "polyfit";
    agree(NAME, x, y)?;
    check_vector(NAME, "positions", x)?;
    check_vector(NAME, "values", y)?;
    dispatch!(
        x.dtype(),
        T: Inexact => placed(NAME, x, stacks::polyfit(&x.to_vec::<T>()?, &y.to_vec::<T>()?, degree)?),
        else => Err(lacking(NAME, x.dtype(), needs::FACTORISATIONS))
    )
}

#[cfg(feature = "linalg")]
impl<S: DynData> DynTensor<S> {
    /// Returns the roots of the polynomial whose coefficients are `self`, highest power first, as complex numbers: see
    /// [`Tensor::roots`](crate::Tensor::roots).
    ///
    /// # Errors
    /// * If `self` is not a vector of floating-point or complex numbers, or an element is NaN or infinite.
    /// * If a quotient of coefficients exceeds the limits of its type, the iteration does not converge, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let roots = DynTensor::from(tensor![1.0, 0.0, 4.0]).roots()?;
    /// assert_eq!(roots.im()?.abs()?.downcast_ref()?, tensor![2.0, 2.0]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn roots(&self) -> Result<DynTensor, Error> {
        roots(self.look())
    }

    /// Returns the coefficients, highest power first, of the polynomial of this degree that fits `y` at the positions `self` best: see
    /// [`Tensor::polyfit`](crate::Tensor::polyfit).
    ///
    /// # Errors
    /// * If `self` and `y` are not vectors of the same length, element type, memory order and device, or have no elements.
    /// * If the elements are not floating-point or complex numbers, or an element is NaN or infinite.
    /// * If the iteration for singular values does not converge, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, Rank, Tensor, tensor};
    /// let x = DynTensor::from(tensor![0.0, 1.0, 2.0]);
    /// let line: Tensor<f64, Rank<1>> = x.polyfit(&tensor![1.0, 3.0, 5.0], 1)?.downcast()?;
    /// assert!(line.all_close(&tensor![2.0, 1.0], 1e-14, 0.0));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn polyfit<'y>(&self, y: impl Into<DynView<'y>>, degree: usize) -> Result<DynTensor, Error> {
        polyfit(self.look(), y.into(), degree)
    }
}

impl<S: DynData> DynTensor<S> {
    /// Returns, for each element of `x`, the value of the polynomial whose coefficients are `self`, highest power first: see
    /// [`Tensor::polyval`](crate::Tensor::polyval).
    ///
    /// # Errors
    /// * If `self` is not a vector.
    /// * If the tensors differ in element type or device, or their elements are not numbers.
    /// * If an integer result overflows in a build with debug assertions, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let p = DynTensor::from(tensor![2, 0, -3]); // 2 x² − 3
    /// assert_eq!(p.polyval(&tensor![0, 1, 2])?.downcast_ref()?, tensor![-3, -1, 5]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn polyval<'x>(&self, x: impl Into<DynView<'x>>) -> Result<DynTensor, Error> {
        polyval(self.look(), x.into())
    }
}
