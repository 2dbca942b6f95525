//! Copies of views.

use super::family;
use crate::element::Element;

family! {
    /// Copies: permutations, order conversions, and contiguous copies of views.
    #[diagnostic::on_unimplemented(
        message = "the device `{Self}` cannot copy views of `{T}`",
        label = "unsupported on this device",
        note = "compute on the host: `.to_device::<Cpu>()?`; or implement `Copy<{T}>` for the device",
        note = "in generic code, bound the device: `Dev: Backend<T>`"
    )]
    pub trait Copy<T: Element> {
        /// Copies `a` to `out`, which has the same shape.
        ///
        /// # Errors
        /// If the device reports an error.
        fn copy(out: write[T], a: read[T]);
    }
    on the host {}
    trait items {}
    cuda items {}
}
