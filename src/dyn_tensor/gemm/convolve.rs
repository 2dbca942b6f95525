//! Convolutions and correlations of dynamic tensors.

use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::engine::gemm::convolve::{ConvolutionMode, Variant};
use crate::error::Error;

impl<S: DynData> DynTensor<S> {
    /// Returns the discrete convolution with a kernel of the same rank: see [`Tensor::convolve`](crate::Tensor::convolve).
    ///
    /// # Errors
    /// * If the tensors differ in rank, element type, order or device, or their elements are not numbers.
    /// * If an operand has zero elements.
    /// * If an integer result overflows in a build with debug assertions, or the device allocation fails.
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 3]);
    /// let sums = x.convolve(&tensor![1, 1], ConvolutionMode::Same)?;
    /// assert_eq!(sums.downcast_ref()?, tensor![1, 3, 5]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn convolve<'k>(
        &self,
        kernel: impl Into<DynView<'k>>,
        mode: ConvolutionMode,
    ) -> Result<DynTensor, Error> {
        const NAME: &str = Variant::Convolution.name();
        typed!(NAME, Scalar, (x = self.look(), kernel = kernel.into(); mode: ConvolutionMode = mode) => {
            x.try_convolve(kernel, mode)
        })
    }

    /// Returns the cross-correlation with a kernel of the same rank: see [`Tensor::correlate`](crate::Tensor::correlate).
    ///
    /// # Errors
    /// Those of [`convolve`](DynTensor::convolve).
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1, 2, 4, 7]);
    /// let differences = x.correlate(&tensor![-1, 1], ConvolutionMode::Valid)?;
    /// assert_eq!(differences.downcast_ref()?, tensor![1, 2, 3]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn correlate<'k>(
        &self,
        kernel: impl Into<DynView<'k>>,
        mode: ConvolutionMode,
    ) -> Result<DynTensor, Error> {
        const NAME: &str = Variant::Correlation.name();
        typed!(NAME, Scalar, (x = self.look(), kernel = kernel.into(); mode: ConvolutionMode = mode) => {
            x.try_correlate(kernel, mode)
        })
    }
}
