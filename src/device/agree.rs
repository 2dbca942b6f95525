//! Marker traits that require two type parameters to be equal. They are used in place of a single type parameter, because a mismatch then
//! reports the trait's `on_unimplemented` text. Each trait has one impl, for two equal types. So the compiler can infer one type from the
//! other, as in `&a + &Tensor::zeros([2, 3])`. In generic code, however, the compiler does not know that the two parameters are the same
//! type. The hidden methods convert values from `Other` to `Self`, and return their argument unchanged.

use super::Device;
use crate::element::Element;
use crate::order::Order;

/// Makes the traits of this module sealed. An `impl` for two different types in another crate would make the identity casts wrong.
mod sealed {
    pub trait Same<Other> {}
    impl<T> Same<T> for T {}
}

/// The operands have the same memory order.
#[diagnostic::on_unimplemented(
    message = "cannot combine a `{Self}` tensor with a `{Other}` tensor",
    label = "the operands differ in memory order",
    note = "convert one of them first: `.as_order::<{Self}>()` is a free view, `.to_order::<{Self}>()` copies"
)]
pub trait SameOrder<Other>: sealed::Same<Other> {}
impl<O: Order> SameOrder<O> for O {}

/// The operands have the same element type.
#[diagnostic::on_unimplemented(
    message = "cannot combine a tensor of `{Self}` with a tensor of `{Other}`",
    label = "the operands differ in element type",
    note = "convert the operand of the narrower type to the wider one, with `.cast::<{Self}>()` or `.cast::<{Other}>()`"
)]
pub trait SameDtype<Other: Element>: Element + sealed::Same<Other> {
    #[doc(hidden)]
    fn same_ptr<Dev: Device>(x: Dev::Ptr<Other>) -> Dev::Ptr<Self>;
    #[doc(hidden)]
    fn same_buffer<Dev: Device>(x: Dev::Buffer<Other>) -> Dev::Buffer<Self>;
}
impl<T: Element> SameDtype<T> for T {
    fn same_ptr<Dev: Device>(x: Dev::Ptr<T>) -> Dev::Ptr<T> {
        x
    }
    fn same_buffer<Dev: Device>(x: Dev::Buffer<T>) -> Dev::Buffer<T> {
        x
    }
}

/// The operands are on devices of the same type.
#[diagnostic::on_unimplemented(
    message = "cannot combine a tensor on `{Self}` with a tensor on `{Other}`",
    label = "the operands are on different devices",
    note = "move one of them first, e.g. with `.to_device::<{Self}>()?`"
)]
pub trait SameDevice<Other: Device>: Device + sealed::Same<Other> {
    #[doc(hidden)]
    fn same_device(x: Other) -> Self;
    #[doc(hidden)]
    fn same_device_ref(x: &Other) -> &Self;
    #[doc(hidden)]
    fn same_ptr<T: Element>(x: Other::Ptr<T>) -> Self::Ptr<T>;
    #[doc(hidden)]
    fn same_buffer<T: Element>(x: Other::Buffer<T>) -> Self::Buffer<T>;
}
impl<Dev: Device> SameDevice<Dev> for Dev {
    fn same_device(x: Dev) -> Dev {
        x
    }
    fn same_device_ref(x: &Dev) -> &Dev {
        x
    }
    fn same_ptr<T: Element>(x: Dev::Ptr<T>) -> Dev::Ptr<T> {
        x
    }
    fn same_buffer<T: Element>(x: Dev::Buffer<T>) -> Dev::Buffer<T> {
        x
    }
}
