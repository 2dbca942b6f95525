//! Polynomials of dynamic tensors.

#[cfg(feature = "linalg")]
use crate::dispatch;
use crate::dyn_tensor::gemm::convolve::{numbers, zeros};
use crate::dyn_tensor::operand::agree;
#[cfg(feature = "linalg")]
use crate::dyn_tensor::operand::{lacking, needs, placed};
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
#[cfg(feature = "linalg")]
use crate::element::Element;
use crate::error::Error;
#[cfg(feature = "linalg")]
use crate::ops::decompose::{Columns, stacks};

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

/// Copies elements to the device of `x`, as a tensor of rank 1.
#[cfg(feature = "linalg")]
fn vector<T: Element>(op: &'static str, x: DynView<'_>, elements: Vec<T>) -> Result<DynTensor, Error> {
    placed(op, x, DynTensor::from_vec(&[elements.len()], elements, x.order())?)
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
        T: Inexact => vector(NAME, coefficients, stacks::roots(&coefficients.to_vec::<T>()?)?),
        else => Err(lacking(NAME, coefficients.dtype(), needs::FACTORISATIONS))
    )
}

// This function is compiled for several element types. With `inline`, the calling crate compiles it; with the feature `precompiled-dyn`,
// this crate does.
#[cfg(feature = "linalg")]
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn polyfit(x: DynView<'_>, y: DynView<'_>, degree: usize) -> Result<DynTensor, Error> {
    const NAME: &str = "polyfit";
    let order = agree(NAME, x, y)?;
    check_vector(NAME, "positions", x)?;
    if y.rank() == 0 {
        let reason =
            format!("expected values as a vector, or as columns, found a tensor of shape {:?}", y.shape());
        return Err(Error::UnsupportedRank { op: NAME, reason });
    }
    let mut shape = y.shape().to_vec();
    shape[0] = degree.saturating_add(1);
    dispatch!(
        x.dtype(),
        T: Inexact => {
            let y = Columns { elements: &y.to_vec::<T>()?, shape: y.shape(), row_major: y.order().is_row_major() };
            let found = stacks::polyfit(&x.to_vec::<T>()?, y, degree)?;
            placed(NAME, x, DynTensor::from_vec(&shape, found, order)?)
        },
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

    /// Returns the coefficients, highest power first, of the polynomial of this degree that fits `y` at the positions `self` best, or of one
    /// polynomial for each column of `y`: see [`Tensor::polyfit`](crate::Tensor::polyfit).
    ///
    /// # Errors
    /// * If `self` is not a vector, axis 0 of `y` has another extent, or they have no points.
    /// * If `self` and `y` differ in element type, memory order or device.
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
