//! Polynomials of dynamic tensors.

use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::error::Error;

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
        typed!("roots", LinalgElement, (x = self.look()) => x.try_roots())
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
        typed!("polyfit", LinalgElement, (x = self.look(), y = y.into(); degree: usize = degree) => {
            x.try_polyfit(y, degree)
        })
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
        typed!("polyval", Scalar, (p = self.look(), x = x.into()) => p.try_polyval(x))
    }
}
