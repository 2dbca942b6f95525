//! Reductions and cumulative operations.

use super::family;
use crate::device::cuda_source::{has_source, has_sources};
use crate::device::{BinaryOp, Reduction};
use crate::element::Element;

family! {
    /// Reductions and scans (cumulative sums and products). A trace is computed as a reduction of a diagonal view.
    #[diagnostic::on_unimplemented(
        message = "the device `{Self}` has no reductions of tensors of `{T}`",
        label = "unsupported on this device",
        note = "compute on the host: `.to_device::<Cpu>()?`; or implement `Reduce<{T}>` for the device",
        note = "in generic code, bound the device: `Dev: Backend<T>`"
    )]
    pub trait Reduce<T: Element> {
        /// Reduces the trailing axes of `a`. The leading axes of `a` are the axes of `out`.
        ///
        /// # Errors
        /// [`Error::Arithmetic`](crate::Error::Arithmetic) if a result is not representable in the output type, or the error of the device.
        fn reduce[R: Reduction<T>](op: value[&R], out: write[R::Output], a: read[T]) requires has_source(R::CUDA);

        /// Writes the scan along the last axis: each result combines an element and all elements before it, by `op`.
        ///
        /// # Errors
        /// [`Error::Arithmetic`](crate::Error::Arithmetic) if `op` is undefined for some elements, or the error of the device.
        fn scan[F: BinaryOp<T, T, Output = T>](op: value[&F], out: write[T], a: read[T])
        requires has_sources(F::CUDA, F::CHECKED, F::CUDA_DEFINED);
    }
    on the host {}
    trait items {}
    cuda items {}
}
