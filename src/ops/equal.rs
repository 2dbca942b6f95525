//! Equality: the same shape, and the same elements at each index.

#![forbid(unsafe_code)]

use crate::device::HostAccess;
use crate::element::Element;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;

impl<T, D, O, Dev, S, S2> PartialEq<Tensor<T, D, O, Dev, S2>> for Tensor<T, D, O, Dev, S>
where
    T: Element,
    D: Dim,
    O: Order,
    Dev: HostAccess,
    S: Storage<T, Dev>,
    S2: Storage<T, Dev>,
{
    /// Whether both have the same shape and the same elements at each index. NaN equals nothing.
    fn eq(&self, other: &Tensor<T, D, O, Dev, S2>) -> bool {
        self.shape() == other.shape() && self.iter().eq(other.iter())
    }
}
