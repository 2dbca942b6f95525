//! Optional capabilities of a device, as values. [`OnHost`] and [`Copies`] can be constructed only for a device that implements the
//! corresponding trait, so their methods need no further check.

use super::{Copy, Device, HostAccess, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use core::any::Any;
use core::fmt;
use core::marker::PhantomData;

/// Proof that the elements of tensors of `T` on `Dev` are in the memory of the host. See [`Device::on_host`].
pub struct OnHost<Dev: Device, T: Element> {
    address: fn(Dev::Ptr<T>) -> *mut T,
}

impl<Dev: HostAccess, T: Element> OnHost<Dev, T> {
    /// Creates the capability of a device that implements [`HostAccess`].
    #[inline]
    #[allow(clippy::new_without_default, reason = "a capability is stated, not assumed")]
    #[must_use]
    pub const fn new() -> Self {
        OnHost { address: Dev::host_ptr::<T> }
    }
}

impl<Dev: Device, T: Element> OnHost<Dev, T> {
    /// Returns the elements of an operand, or `None` if they are not contiguous in this memory order.
    #[inline]
    pub(crate) fn slice<'a>(self, operand: Operand<'a, T, Dev>, row_major: bool) -> Option<&'a [T]> {
        operand.at_address(self.address).into_slice(row_major)
    }

    /// Returns the elements of an output, or `None` if they are not contiguous in row-major order.
    #[inline]
    pub(crate) fn slice_mut<'a>(self, output: Output<'a, T, Dev>) -> Option<&'a mut [T]> {
        output.at_address(self.address).into_mut_slice(true)
    }
}

impl<Dev: Device, T: Element> fmt::Debug for OnHost<Dev, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnHost")
    }
}

/// Proof that `Dev` copies between strided operands of `T` without the host. See [`Device::copies`].
pub struct Copies<Dev, T: Element>
where
    Dev: Device,
{
    copy: for<'o, 'a> fn(&Dev, Output<'o, T, Dev>, Operand<'a, T, Dev>) -> Result<(), Error>,
}

impl<Dev: Copy<T>, T: Element> Copies<Dev, T> {
    /// Creates the capability of a device whose [`Copy::copy`] does not use the host fallback.
    #[allow(clippy::new_without_default, reason = "a capability is stated, not assumed")]
    #[must_use]
    pub const fn new() -> Self {
        Copies { copy: Dev::copy }
    }
}

impl<Dev: Device, T: Element> Copies<Dev, T> {
    /// Copies `from` to `out`, which has the same shape.
    pub(crate) fn copy(
        self,
        device: &Dev,
        out: Output<'_, T, Dev>,
        from: Operand<'_, T, Dev>,
    ) -> Result<(), Error> {
        (self.copy)(device, out, from)
    }
}

impl<Dev: Device, T: Element> fmt::Debug for Copies<Dev, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Copies")
    }
}

/// Proof that `A` and `B` are the same device type, and that a device `A` and a device `B` are the same instance. So buffers and
/// pointers of one device are valid on the other.
pub(crate) struct Same<A, B>(PhantomData<fn(A) -> B>);

impl<A: Device, B: Device> Same<A, B> {
    /// Returns the proof, or `None` if the devices differ in type or instance.
    pub(crate) fn of(a: &A, b: &B) -> Option<Self> {
        let b = (b as &dyn Any).downcast_ref::<A>()?;
        a.same_instance(b).then_some(Same(PhantomData))
    }

    pub(crate) fn buffer<T: Element>(&self, buffer: A::Buffer<T>) -> B::Buffer<T> {
        let mut buffer = Some(buffer);
        let same = (&mut buffer as &mut dyn Any).downcast_mut::<Option<B::Buffer<T>>>();
        same.and_then(Option::take).expect("the buffers of one device have one type")
    }

    pub(crate) fn ptr<T: Element>(&self, ptr: A::Ptr<T>) -> B::Ptr<T> {
        *(&ptr as &dyn Any).downcast_ref().expect("the pointers of one device have one type")
    }

    pub(crate) fn operand<'a, T: Element>(&self, operand: Operand<'a, T, A>) -> Operand<'a, T, B> {
        let ptr = self.ptr(operand.ptr());
        // SAFETY: the pointer, shape and strides are those of `operand`, whose elements are readable during `'a`. `Same::of`
        // checked that pointers of device `A` are valid on device `B`.
        unsafe { Operand::from_raw(ptr, operand.shape(), operand.strides()) }
    }
}
