//! Devices: who owns memory, and what can be computed where.
//!
//! [`Device`] is open. A third party implements it (allocation and plain copies to and from the host) and then each
//! capability family that the device has: [`Elementwise`], [`Permute`], [`Reduce`], [`Gemm`]. Families have default bodies
//! that go through the host, so `impl Elementwise<f32> for MyDevice {}` is a beginning. [`Backend`] is their umbrella.

mod agree;
mod capability;
pub(crate) mod cpu;
pub(crate) mod cuda;
mod cuda_source;
mod family;
pub(crate) mod function;
pub(crate) mod lanes;
mod op;
mod operand;
mod scalars;
pub(crate) mod via_host;

pub use agree::{SameDevice, SameDtype, SameOrder};
pub use capability::{Copies, OnHost};
pub use cpu::{Cpu, CpuBuffer, ForeignMemory, HostPtr, RawMemory};
pub use cuda::{Cuda, CudaBuffer, CudaPtr, PinnedMemory};
pub use cuda_source::CudaSource;
pub use family::{Backend, Contract, Elementwise, Gemm, Permute, Reduce};
pub use function::{Arguments, ElementTuple, Function, Visit};
pub use op::{BinaryOp, Generator, Reduction, TernaryOp, UnaryOp};
pub use operand::{MatrixOperand, Operand, Output, ProductArgs, Scaling};
pub use scalars::Scalars;

use crate::element::Element;
use crate::error::Error;
use core::fmt::Debug;

/// Where tensors live: memory, pointers into it, and plain copies to and from the host.
///
/// A tensor stores its device like an allocator; [`Cpu`] and [`Cuda`] take no space. Buffers know nothing of shapes.
///
/// ```
/// use vierbein::prelude::*;
/// use vierbein::device::{Device, Elementwise, Permute};
/// use vierbein::Error;
///
/// /// A device that counts in someone else's memory: here, plain vectors reached by address.
/// #[derive(Debug, Clone, Default)]
/// struct Remote;
///
/// // SAFETY: buffers are vectors, and pointers are their addresses.
/// unsafe impl Device for Remote {
///     type Buffer<T: Element> = Vec<T>;
///     type Ptr<T: Element> = usize; // an address that the host must not touch
///     fn name(&self) -> String { "Remote".into() }
///     fn alloc<T: Element>(&self, len: usize) -> Result<Vec<T>, Error> { Ok(vec![T::default(); len]) }
///     fn len<T: Element>(buffer: &Vec<T>) -> usize { buffer.len() }
///     fn ptr<T: Element>(buffer: &Vec<T>) -> usize { buffer.as_ptr() as usize }
///     fn ptr_mut<T: Element>(buffer: &mut Vec<T>) -> usize { buffer.as_mut_ptr() as usize }
///     fn offset<T: Element>(ptr: usize, elements: isize) -> usize {
///         ptr.wrapping_add_signed(elements * size_of::<T>() as isize)
///     }
///     unsafe fn read<T: Element>(&self, from: usize, to: &mut [T]) -> Result<(), Error> {
///         // SAFETY: the caller vouches for the range.
///         unsafe { core::ptr::copy_nonoverlapping(from as *const T, to.as_mut_ptr(), to.len()) };
///         Ok(())
///     }
///     unsafe fn write<T: Element>(&self, from: &[T], to: usize) -> Result<(), Error> {
///         // SAFETY: the caller vouches for the range.
///         unsafe { core::ptr::copy_nonoverlapping(from.as_ptr(), to as *mut T, from.len()) };
///         Ok(())
///     }
/// }
/// impl Elementwise<f64> for Remote {}
/// impl Permute<f64> for Remote {}
///
/// let a = Tensor::<f64, _, RowMajor, Remote>::full([2, 2], 1.5);
/// let b = (&a + &a).to_device::<Cpu>()?;
/// assert_eq!(b, tensor![[3.0, 3.0], [3.0, 3.0]]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Safety
/// * A buffer has as many elements as [`len`](Device::len) returns, all of them initialised, until it is dropped.
/// * [`ptr`](Device::ptr), [`ptr_mut`](Device::ptr_mut) and [`offset`](Device::offset) address them contiguously.
/// * [`read`](Device::read) and [`write`](Device::write) access the range that they are given and nothing else.
/// * A [clone](Clone) of a device is the same instance, and [`same_instance`](Device::same_instance) is `true` only for devices
///   whose pointers are valid on each other.
///
/// Kernels and copies between devices rely on it. They rely on no other method: what `alloc`, `adopt`, `gather` and the others
/// return is checked, and a device whose methods return too few elements causes a panic.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a device",
    label = "not a device",
    note = "the devices of this crate are `Cpu` and `Cuda`; others implement the `Device` trait"
)]
pub unsafe trait Device: Clone + Debug + Send + Sync + 'static {
    /// Memory for elements of one type; freed when dropped.
    type Buffer<T: Element>: Debug + Send + Sync;
    /// Where an element lies. A host pointer, or an address that only the device understands.
    type Ptr<T: Element>: Copy + Debug + Send + Sync;

    /// As it is written in messages and on the type line of a printed tensor.
    fn name(&self) -> String;

    /// Whether pointers of the other one are pointers of this one: operands must live on the same instance. A device that
    /// carries data says so itself; one that does not has one instance.
    fn same_instance(&self, _: &Self) -> bool {
        size_of::<Self>() == 0
    }

    /// Allocates a buffer of `len` elements, each of them some valid value (not necessarily zero). Safe code can read them, so they
    /// are nothing secret: not the contents of memory that something else has freed. [`Cpu`] and [`Cuda`] give zeros.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::DeviceUnavailable`], or [`Error::Overflow`] if `len` elements have more than
    /// `isize::MAX` bytes.
    fn alloc<T: Element>(&self, len: usize) -> Result<Self::Buffer<T>, Error>;

    /// Allocates a buffer of `len` elements that the caller overwrites: [`alloc`](Device::alloc) without the time to initialise
    /// them. The operations of this crate allocate their results with it.
    ///
    /// # Errors
    /// As [`alloc`](Device::alloc).
    ///
    /// # Safety
    /// The caller writes each element before it is read: until then its value is unspecified and may be what another tensor left in
    /// freed memory.
    unsafe fn alloc_for_overwrite<T: Element>(&self, len: usize) -> Result<Self::Buffer<T>, Error> {
        self.alloc(len)
    }

    /// The number of elements.
    fn len<T: Element>(buffer: &Self::Buffer<T>) -> usize;

    /// The first element, to read from.
    fn ptr<T: Element>(buffer: &Self::Buffer<T>) -> Self::Ptr<T>;

    /// The first element, to write to.
    fn ptr_mut<T: Element>(buffer: &mut Self::Buffer<T>) -> Self::Ptr<T>;

    /// The pointer moved by a number of elements. Nothing is read.
    fn offset<T: Element>(ptr: Self::Ptr<T>, elements: isize) -> Self::Ptr<T>;

    /// Copies `to.len()` elements that lie side by side to the host.
    ///
    /// # Safety
    /// `from` points to at least `to.len()` elements of a live buffer of this device that nothing writes to meanwhile.
    ///
    /// # Errors
    /// Whatever the device can fail with.
    unsafe fn read<T: Element>(&self, from: Self::Ptr<T>, to: &mut [T]) -> Result<(), Error>;

    /// Copies elements from the host to where they lie side by side.
    ///
    /// # Safety
    /// `to` points to at least `from.len()` elements of a live buffer of this device that nothing else accesses meanwhile.
    ///
    /// # Errors
    /// Whatever the device can fail with.
    unsafe fn write<T: Element>(&self, from: &[T], to: Self::Ptr<T>) -> Result<(), Error>;

    /// Allocates a buffer of `len` elements that are all zero (`false`).
    ///
    /// # Errors
    /// As [`alloc`](Device::alloc).
    fn alloc_zeroed<T: Element>(&self, len: usize) -> Result<Self::Buffer<T>, Error> {
        via_host::upload(self, &via_host::zeros(len)?)
    }

    /// The operand's elements in row-major enumeration of its shape, copied to the host.
    ///
    /// # Errors
    /// Where the host has no memory left, or whatever the device can fail with.
    fn gather<T: Element>(&self, from: Operand<'_, T, Self>) -> Result<Vec<T>, Error> {
        via_host::fetch(self, from).map(via_host::Fetched::into_vec)
    }

    /// The operand's elements in row-major enumeration of its shape, side by side in a new buffer.
    ///
    /// # Errors
    /// As [`alloc`](Device::alloc), or whatever the device can fail with.
    fn compact<T: Element>(&self, from: Operand<'_, T, Self>) -> Result<Self::Buffer<T>, Error> {
        self.adopt(self.gather(from)?)
    }

    /// A buffer with the elements of a `Vec`; on the host, the `Vec`'s own memory.
    ///
    /// # Errors
    /// As [`alloc`](Device::alloc).
    fn adopt<T: Element>(&self, data: Vec<T>) -> Result<Self::Buffer<T>, Error> {
        via_host::upload(self, &data)
    }

    /// The elements of a buffer as a `Vec`; on the host, the buffer's own memory.
    ///
    /// # Errors
    /// Where the host has no memory left, or whatever the device can fail with.
    fn release<T: Element>(&self, buffer: Self::Buffer<T>) -> Result<Vec<T>, Error> {
        via_host::download(self, &buffer)
    }

    /// A buffer of one element, which `write` writes. The host computes the element first and then allocates.
    ///
    /// # Safety
    /// `write` writes the element, or returns an error.
    ///
    /// # Errors
    /// As [`alloc`](Device::alloc), or the error of `write`.
    unsafe fn one<T: Element>(
        &self,
        write: impl FnOnce(Output<'_, T, Self>) -> Result<(), Error>,
    ) -> Result<Self::Buffer<T>, Error> {
        // SAFETY: the caller ensures that `write` writes the element before the buffer is returned.
        let mut buffer = unsafe { self.alloc_for_overwrite(1)? };
        assert_eq!(Self::len(&buffer), 1, "a device allocates as many elements as it was asked for");
        // SAFETY: the buffer has one element, and nothing else knows it.
        write(unsafe { Output::from_raw(Self::ptr_mut(&mut buffer), &[], &[]) })?;
        Ok(buffer)
    }

    /// Whether elements are in the memory of the host: `Some(OnHost::new())` for a device that gives [`HostAccess`]. Transfers to and
    /// from other devices then read and write contiguous elements where they are.
    fn on_host<T: Element>() -> Option<OnHost<Self, T>> {
        None
    }

    /// Whether the device copies strided operands without the host: `Some(Copies::new())` for a device that implements
    /// [`Permute::copy`]. A transfer to strided elements then goes through contiguous memory of the device.
    fn copies<T: Element>() -> Option<Copies<Self, T>> {
        None
    }

    /// Another buffer with the same elements.
    ///
    /// # Errors
    /// As [`alloc`](Device::alloc).
    fn duplicate<T: Element>(&self, buffer: &Self::Buffer<T>) -> Result<Self::Buffer<T>, Error> {
        via_host::upload(self, &via_host::download(self, buffer)?)
    }
}

/// A device whose elements the host can reach: the ground for `x[[i, j]]`, slices and iterators.
///
/// # Safety
/// The elements of a buffer stay where they are as long as it lives. For every pointer made by [`Device::ptr`], [`Device::ptr_mut`] and [`Device::offset`], `host_ptr` is the host address
/// of that element: aligned, side by side with its neighbours, and valid to read (and, from `ptr_mut`, to write). It is never
/// null, also where a buffer is empty.
#[diagnostic::on_unimplemented(
    message = "the host cannot reach the elements of a tensor on `{Self}`",
    label = "elements on `{Self}` are out of the host's reach",
    note = "copy the tensor to the host first: `.to_device::<Cpu>()?`"
)]
pub unsafe trait HostAccess: Device {
    /// The element's address in the host's memory.
    fn host_ptr<T: Element>(ptr: Self::Ptr<T>) -> *mut T;
}

/// A device on which Rust closures run: one that the host can reach.
#[diagnostic::on_unimplemented(
    message = "a Rust closure cannot run on `{Self}`",
    label = "closures run on the host only",
    note = "write the function as an operation (`impl UnaryOp<T> for MyOp`, with a `const CUDA: CudaSource` for GPUs) and call `.apply(MyOp)`, or copy the tensor to the host first: `.to_device::<Cpu>()?`"
)]
pub trait RunsClosures: HostAccess {}
impl<Dev: HostAccess> RunsClosures for Dev {}
