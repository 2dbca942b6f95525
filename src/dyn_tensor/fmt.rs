//! Printing of dynamic tensors, in the same form as typed ones.

use super::storage::DynData;
use super::tensor::DynTensor;
use crate::fmt::Shown;
use crate::layout::Layout;
use crate::layout::axes::Axes;
use core::fmt;

impl<S: DynData> DynTensor<S> {
    fn show(&self, print: impl FnOnce(Shown<'_>) -> fmt::Result) -> fmt::Result {
        let fetch = |part: Axes<'_>, offset| {
            let part = Layout::new(part.shape(), part.strides()).moved(self.layout().offset() + offset);
            self.storage().data().printed(&part)
        };
        print(Shown {
            dtype: self.dtype(),
            axes: self.layout().axes(),
            order: self.order().name(),
            device: self.device_name(),
            fetch: &fetch,
        })
    }
}

/// Prints the elements in nested brackets, then a line with element type, shape, memory order and device, like a typed tensor.
///
/// ```
/// use vierbein::{DynTensor, tensor};
/// let x = DynTensor::from(tensor![[1.5, -2.0], [0.25, 10.0]]);
/// assert_eq!(x.to_string(), "\
/// [[ 1.50, -2.00],
///  [ 0.25, 10.00]]
/// f64 [2, 2] row-major on Cpu");
/// ```
impl<S: DynData> fmt::Display for DynTensor<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(|shown| shown.display(f))
    }
}

/// Prints the text of `Display` with its last line first.
impl<S: DynData> fmt::Debug for DynTensor<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(|shown| shown.debug(f))
    }
}
