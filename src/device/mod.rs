//! Devices: memory, and the operations on it.
//!
//! Other crates can implement [`Device`]: allocation, and plain copies to and from the host. They can then implement each
//! capability family that the device supports: [`Elementwise`], [`Copy`], [`Select`], [`Reduce`], [`Sort`], [`Fourier`] and [`Gemm`]. A family is a trait for a
//! group of operations. The operands of its methods have at most 16 axes ([`MAX_RANK`](crate::MAX_RANK)). The default bodies of its methods
//! compute on the host, so `impl Elementwise<f32> for MyDevice {}` is enough to begin with. [`Backend`] requires all of these families.

mod agree;
pub(crate) mod capability;
pub(crate) mod cpu;
pub(crate) mod cuda;
mod cuda_source;
pub(crate) mod family;
pub(crate) mod function;
pub(crate) mod into_output;
pub(crate) mod op;
mod operand;
pub(crate) mod positions;
pub(crate) mod quantile;
mod scalars;
pub(crate) mod via_host;
pub(crate) mod wide;

pub use agree::{SameDevice, SameDtype, SameOrder};
pub use capability::{Copies, OnHost};
pub use cpu::{Cpu, CpuBuffer, ForeignMemory, HostPtr, RawMemory};
pub use cuda::{Cuda, CudaBuffer, CudaPtr, PinnedMemory};
pub use cuda_source::CudaSource;
pub use family::{Backend, Contract, Copy, Elementwise, Fourier, Gemm, Reduce, Select, Sort};
#[cfg(feature = "linalg")]
pub use family::{Decompose, Structure};
pub use function::{Arguments, ElementTuple, Function, Visit};
pub use into_output::IntoOutput;
pub(crate) use op::no_result;
pub use op::{BinaryOp, Generator, Reduction, TernaryOp, UnaryOp};
pub(crate) use operand::OnDevice;
pub use operand::{MatrixOperand, Operand, Output, ProductArgs, Scaling};
pub use scalars::Scalars;

use crate::element::Element;
use crate::error::Error;
use core::fmt::Debug;

/// The memory of tensors: buffers, pointers into them, and plain copies to and from the host.
///
/// A tensor stores its device as a collection stores its allocator; [`Cpu`] and [`Cuda`] take no space. Buffers have no shape.
///
/// ```
/// use vierbein::prelude::*;
/// use vierbein::device::{Copy, Device, Elementwise};
/// use vierbein::Error;
///
/// /// A device with its own memory: here, plain vectors accessed by address.
/// #[derive(Debug, Clone, Default)]
/// struct Remote;
///
/// // SAFETY: buffers are vectors, with `len` initialised elements. Pointers are addresses of their contiguous elements. `read`
/// // and `write` access exactly the given range. All instances use the same memory.
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
///         // SAFETY: the caller ensures that `to.len()` elements at `from` are readable; `to` is an exclusive borrow.
///         unsafe { core::ptr::copy_nonoverlapping(from as *const T, to.as_mut_ptr(), to.len()) };
///         Ok(())
///     }
///     unsafe fn write<T: Element>(&self, from: &[T], to: usize) -> Result<(), Error> {
///         // SAFETY: the caller ensures that nothing else accesses the `from.len()` elements at `to`.
///         unsafe { core::ptr::copy_nonoverlapping(from.as_ptr(), to as *mut T, from.len()) };
///         Ok(())
///     }
/// }
/// impl Elementwise<f64> for Remote {}
/// impl Copy<f64> for Remote {}
///
/// let a = Tensor::<f64, _, RowMajor, Remote>::full([2, 2], 1.5);
/// let b = (&a + &a).to_device::<Cpu>()?;
/// assert_eq!(b, tensor![[3.0, 3.0], [3.0, 3.0]]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Safety
/// * A buffer has [`len`](Device::len) initialised elements until it is dropped.
/// * [`ptr`](Device::ptr), [`ptr_mut`](Device::ptr_mut) and [`offset`](Device::offset) address them contiguously.
/// * If [`real_part`](Device::real_part) returns a pointer, the real and imaginary parts of contiguous elements are contiguous elements, in
///   turn.
/// * [`read`](Device::read) and [`write`](Device::write) access only the given range.
/// * A [clone](Clone) of a device is the same instance, and [`same_instance`](Device::same_instance) is `true` only for devices
///   whose pointers are valid on each other.
///
/// Kernels and copies between devices rely on these conditions only. They check the lengths of what `alloc`, `adopt`, `gather` and
/// other methods return, and panic if there are too few elements.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a device",
    label = "not a device",
    note = "the devices of this crate are `Cpu` and `Cuda`; others implement the `Device` trait"
)]
pub unsafe trait Device: Clone + Debug + Send + Sync + 'static {
    /// Memory for elements of one type; freed when dropped.
    type Buffer<T: Element>: Debug + Send + Sync;
    /// A pointer to an element: a host pointer, or an address that is valid on the device only.
    type Ptr<T: Element>: core::marker::Copy + Debug + Send + Sync;

    /// Returns the name that messages and the type line of a printed tensor show.
    fn name(&self) -> String;

    /// Returns whether pointers of the other device are valid on this one. All operands of an operation must be on the same
    /// instance. The default returns `true` for zero-sized device types, which have one instance, and `false` for others. A device
    /// type with data must therefore override it.
    fn same_instance(&self, _: &Self) -> bool {
        size_of::<Self>() == 0
    }

    /// Allocates a buffer of `len` elements, each of them some valid value (not necessarily zero). Safe code can read them, so
    /// they must not expose the contents of freed memory. [`Cpu`] and [`Cuda`] return zeros.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::DeviceUnavailable`], or [`Error::Overflow`] if `len` elements have more than
    /// `isize::MAX` bytes.
    fn alloc<T: Element>(&self, len: usize) -> Result<Self::Buffer<T>, Error>;

    /// Allocates a buffer of `len` elements that the caller overwrites. Unlike [`alloc`](Device::alloc), this method need not spend time on
    /// initialising the elements. The operations of this crate allocate their results with it.
    ///
    /// # Errors
    /// The errors of [`alloc`](Device::alloc).
    ///
    /// # Safety
    /// The caller must ensure that each element is written before it is read: until then its value is unspecified, and may be
    /// what another tensor left in freed memory.
    unsafe fn alloc_for_overwrite<T: Element>(&self, len: usize) -> Result<Self::Buffer<T>, Error> {
        self.alloc(len)
    }

    /// Returns the number of elements.
    fn len<T: Element>(buffer: &Self::Buffer<T>) -> usize;

    /// Returns a pointer to the first element, for reading.
    fn ptr<T: Element>(buffer: &Self::Buffer<T>) -> Self::Ptr<T>;

    /// Returns a pointer to the first element, for writing.
    fn ptr_mut<T: Element>(buffer: &mut Self::Buffer<T>) -> Self::Ptr<T>;

    /// Returns the pointer moved by a number of elements. Does not access memory.
    fn offset<T: Element>(ptr: Self::Ptr<T>, elements: isize) -> Self::Ptr<T>;

    /// Returns a pointer to the real part of a complex element, if the imaginary part is at [`offset`](Device::offset) 1 from it. Products of
    /// complex and real numbers then use real products of the parts. The default returns `None`: such a product converts the real operand
    /// to complex numbers first.
    fn real_part<T: Element>(ptr: Self::Ptr<T>) -> Option<Self::Ptr<T::Part>> {
        let _ = ptr;
        None
    }

    /// Copies `to.len()` contiguous elements to the host.
    ///
    /// # Safety
    /// The caller must ensure that `from` points to at least `to.len()` elements of a live buffer of this device, and that
    /// nothing writes to them during the call.
    ///
    /// # Errors
    /// If the device reports an error.
    unsafe fn read<T: Element>(&self, from: Self::Ptr<T>, to: &mut [T]) -> Result<(), Error>;

    /// Copies elements from the host to contiguous elements of the device.
    ///
    /// # Safety
    /// The caller must ensure that `to` points to at least `from.len()` elements of a live buffer of this device, and that
    /// nothing else accesses them during the call.
    ///
    /// # Errors
    /// If the device reports an error.
    unsafe fn write<T: Element>(&self, from: &[T], to: Self::Ptr<T>) -> Result<(), Error>;

    /// Allocates a buffer of `len` elements that are all zero (`false`).
    ///
    /// # Errors
    /// The errors of [`alloc`](Device::alloc).
    fn alloc_zeroed<T: Element>(&self, len: usize) -> Result<Self::Buffer<T>, Error> {
        via_host::upload(self, &via_host::zeros(len)?)
    }

    /// Copies the operand's elements to the host, in row-major order of its shape.
    ///
    /// # Errors
    /// If the allocation on the host fails, or the device reports an error.
    fn gather<T: Element>(&self, from: Operand<'_, T, Self>) -> Result<Vec<T>, Error> {
        via_host::fetch(self, from).map(via_host::Fetched::into_vec)
    }

    /// Copies the operand's elements to a new buffer, contiguous in row-major order of its shape.
    ///
    /// # Errors
    /// The errors of [`alloc`](Device::alloc), or another error of the device.
    fn compact<T: Element>(&self, from: Operand<'_, T, Self>) -> Result<Self::Buffer<T>, Error> {
        self.adopt(self.gather(from)?)
    }

    /// Converts a `Vec` into a buffer. [`Cpu`] does this without copying the elements.
    ///
    /// # Errors
    /// The errors of [`alloc`](Device::alloc).
    fn adopt<T: Element>(&self, data: Vec<T>) -> Result<Self::Buffer<T>, Error> {
        via_host::upload(self, &data)
    }

    /// Converts a buffer of the host into a buffer of this device. [`Cpu`] returns it unchanged.
    ///
    /// # Errors
    /// The errors of [`alloc`](Device::alloc).
    #[doc(hidden)]
    fn adopt_buffer<T: Element>(&self, data: CpuBuffer<T>) -> Result<Self::Buffer<T>, Error> {
        via_host::upload(self, data.as_slice())
    }

    /// Converts a buffer into a `Vec`. On [`Cpu`], the `Vec` takes ownership of the buffer's memory; in a large buffer, the
    /// elements may be moved to the beginning of this memory. If another library allocated the memory, the elements are copied.
    ///
    /// # Errors
    /// If the allocation on the host fails, or the device reports an error.
    fn release<T: Element>(&self, buffer: Self::Buffer<T>) -> Result<Vec<T>, Error> {
        via_host::download(self, &buffer)
    }

    /// Returns a buffer of one element, the result of `work`. [`Cpu`] calls `work` with the address of a local variable.
    ///
    /// # Safety
    /// The caller must ensure that `work` writes the element or returns an error.
    ///
    /// # Errors
    /// The errors of [`alloc`](Device::alloc), or the error of `work`.
    unsafe fn one<T: Element>(&self, work: impl IntoOutput<T, Self>) -> Result<Self::Buffer<T>, Error> {
        // SAFETY: the caller ensures that `work` writes the element or returns an error. If it returns an error, this function does
        // not return the buffer.
        let mut buffer = unsafe { self.alloc_for_overwrite(1)? };
        assert_eq!(
            Self::len(&buffer),
            1,
            "the buffer of a device must have the requested number of elements"
        );
        // SAFETY: the buffer has one element, which the empty index addresses. The buffer is a local variable, so nothing else
        // accesses the element.
        work.write(unsafe { Output::from_raw(Self::ptr_mut(&mut buffer), &[], &[]) }, self)?;
        Ok(buffer)
    }

    /// Returns `Some(OnHost::new())` if elements are in host memory, which requires [`HostAccess`]. Transfers to and from other
    /// devices then read and write contiguous elements directly. The default returns `None`.
    fn on_host<T: Element>() -> Option<OnHost<Self, T>> {
        None
    }

    /// Returns `Some(Copies::new())` if the device's own [`Copy::copy`] copies strided operands without the host. A transfer
    /// from the host to strided elements is then one upload to a contiguous buffer of the device and one copy on the device. The
    /// default returns `None`: each contiguous run of elements is written separately.
    fn copies<T: Element>() -> Option<Copies<Self, T>> {
        None
    }

    /// Copies a buffer.
    ///
    /// # Errors
    /// The errors of [`alloc`](Device::alloc).
    fn duplicate<T: Element>(&self, buffer: &Self::Buffer<T>) -> Result<Self::Buffer<T>, Error> {
        via_host::upload(self, &via_host::download(self, buffer)?)
    }
}

/// A device whose elements the host can access: required for `x[[i, j]]`, slices and iterators.
///
/// # Safety
/// * The elements of a buffer do not move until it is dropped.
/// * For every pointer made by [`Device::ptr`], [`Device::ptr_mut`] and [`Device::offset`], `host_ptr` returns the host address of
///   that element. The address is aligned and valid for reads; if the pointer is from `ptr_mut`, also for writes. Adjacent elements
///   of a buffer have adjacent addresses.
/// * The address is never null, even if the buffer is empty.
#[diagnostic::on_unimplemented(
    message = "tensors on `{Self}` are not accessible from the host",
    label = "`{Self}` memory is not host-accessible",
    note = "copy the tensor to the host first: `.to_device::<Cpu>()?`"
)]
pub unsafe trait HostAccess: Device {
    /// Returns the element's address in host memory.
    fn host_ptr<T: Element>(ptr: Self::Ptr<T>) -> *mut T;
}

/// A device on which Rust closures run: one with [`HostAccess`].
#[diagnostic::on_unimplemented(
    message = "a Rust closure cannot run on `{Self}`",
    label = "closures run on the host only",
    note = "write the function as an operation (`impl UnaryOp<T> for MyOp`, with a `const CUDA: CudaSource` for GPUs) and call `.apply(MyOp)`, or copy the tensor to the host first: `.to_device::<Cpu>()?`"
)]
pub trait RunsClosures: HostAccess {}
impl<Dev: HostAccess> RunsClosures for Dev {}
