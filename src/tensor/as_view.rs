//! The trait of everything that can be viewed as a tensor: tensors and views, owned or borrowed. Methods that have a tensor as an argument
//! require this trait of it.

use super::{Tensor, TensorView};
use crate::device::Device;
use crate::element::Element;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;

/// A tensor, a view of one, or a reference to either: whatever [`view`](Tensor::view) can be called on.
///
/// Methods that read a second tensor take it with this bound, so `a.matmul(&b)`, `a.matmul(b.t())` and `a.matmul(b)` all compile. Use
/// it in the same way for functions of your own:
///
/// ```
/// use vierbein::prelude::*;
///
/// fn energy(spins: impl AsView<Element = f64, Dim = Rank<2>, Order = RowMajor, Device = Cpu>) -> f64 {
///     let spins = spins.as_view();
///     -spins.slice(s![1.., ..]).dot(spins.slice(s![..-1, ..])).item()
/// }
///
/// let spins = tensor![[1.0, -1.0], [1.0, 1.0]];
/// assert_eq!(energy(&spins), 0.0);
/// assert_eq!(energy(spins.slice(s![.., ..1])), -1.0);
/// assert_eq!(energy(spins), 0.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tensor",
    label = "expected `&x`, a view such as `x.t()`, or a tensor",
    note = "a scalar as a tensor is `Tensor::scalar(2.0)`, an array `Tensor::from([1.0, 2.0])`"
)]
pub trait AsView {
    /// The element type.
    type Element: Element;
    /// The rank.
    type Dim: Dim;
    /// The memory order.
    type Order: Order;
    /// The device.
    type Device: Device;
    /// Returns a view of the elements.
    fn as_view(&self) -> TensorView<'_, Self::Element, Self::Dim, Self::Order, Self::Device>;
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> AsView for Tensor<T, D, O, Dev, S> {
    type Element = T;
    type Dim = D;
    type Order = O;
    type Device = Dev;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn as_view(&self) -> TensorView<'_, T, D, O, Dev> {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<X: AsView> AsView for &X {
    type Element = X::Element;
    type Dim = X::Dim;
    type Order = X::Order;
    type Device = X::Device;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn as_view(&self) -> TensorView<'_, X::Element, X::Dim, X::Order, X::Device> {
        (**self).as_view()
    }
}
