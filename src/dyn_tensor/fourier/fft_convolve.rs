//! Convolutions and correlations of dynamic tensors that are computed by Fourier transforms.

use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::engine::gemm::convolve::{ConvolutionMode, Variant};
use crate::error::Error;

impl<S: DynData> DynTensor<S> {
    /// Returns the convolution with a kernel of the same rank, computed by Fourier transforms: see
    /// [`Tensor::fft_convolve`](crate::Tensor::fft_convolve).
    ///
    /// # Errors
    /// * If the tensors differ in rank, element type, order or device, or their elements are not floating-point or complex numbers.
    /// * If an operand has zero elements, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{ConvolutionMode, DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1.0, 2.0, 3.0]);
    /// let sums = x.fft_convolve(&tensor![1.0, 1.0], ConvolutionMode::Valid)?.downcast::<f64, vierbein::Rank<1>, _, _>()?;
    /// assert!(sums.all_close(&tensor![3.0, 5.0], 0.0, 1e-14));
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn fft_convolve<'k>(
        &self,
        kernel: impl Into<DynView<'k>>,
        mode: ConvolutionMode,
    ) -> Result<DynTensor, Error> {
        typed!(Variant::Convolution.name(), FftElement, (x = self.look(), kernel = kernel.into(); mode: ConvolutionMode = mode) => {
            x.try_fft_convolve(kernel, mode)
        })
    }

    /// Returns the cross-correlation with a kernel of the same rank, computed by Fourier transforms: see
    /// [`Tensor::fft_correlate`](crate::Tensor::fft_correlate).
    ///
    /// # Errors
    /// Those of [`fft_convolve`](DynTensor::fft_convolve).
    pub fn fft_correlate<'k>(
        &self,
        kernel: impl Into<DynView<'k>>,
        mode: ConvolutionMode,
    ) -> Result<DynTensor, Error> {
        typed!(Variant::Correlation.name(), FftElement, (x = self.look(), kernel = kernel.into(); mode: ConvolutionMode = mode) => {
            x.try_fft_correlate(kernel, mode)
        })
    }
}
