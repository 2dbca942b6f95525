//! The device type `Cuda`, which signatures can name in every build, with or without a GPU.
//!
//! With the feature `cuda`, the module [`runtime`] is the implementation. Without the feature, [`runtime`] is `stub.rs`. There,
//! initialising a GPU returns an error, and the other functions can never be called.

#[cfg(not(feature = "cuda"))]
#[path = "stub.rs"]
pub(in crate::device) mod runtime;
#[cfg(feature = "cuda")]
pub(in crate::device) mod runtime;

use super::{Copies, Device, ForeignMemory, Operand, Output, via_host};
use crate::element::Element;
use crate::error::Error;
use core::marker::PhantomData;
use runtime::{Context, Memory};

/// An NVIDIA GPU, given by its ordinal. `Cuda<0>` and `Cuda<1>` are different types, so mixing two GPUs does not compile.
///
/// The type exists in every build. Whether the GPU exists is checked at run time. Without the feature `cuda`, or without NVIDIA's
/// driver, a GPU or the run-time compiler, [`Cuda::new`] and every allocation return [`Error::DeviceUnavailable`]. If a library is
/// missing, the error names the library and where it was searched for. A build needs neither the driver, nor a GPU, nor the
/// run-time compiler.
///
/// ```
/// use vierbein::prelude::*;
/// # use vierbein::Error;
/// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
/// match x.to_device::<Cuda>() {
///     Ok(x) => assert_eq!((&x + &x).sum().to_device::<Cpu>()?.item(), 20.0),
///     Err(error) => assert!(error.to_string().starts_with("Cuda<0> is not available: ")),
/// }
/// # Ok::<(), Error>(())
/// ```
///
/// All work is queued on one stream, and runs in the order in which it was queued. Copies to the host wait until the copied data is
/// complete. Operations that check positions, or that check integers for overflow or division by zero, wait for the result of the check.
/// The stream is CUDA's null stream. So the work of this crate is also ordered with the work that other libraries queue on this GPU, except
/// on non-blocking streams. An operation makes the GPU's primary context current in the calling thread, and leaves it current.
///
/// Freed memory is kept for later allocations, in two pools. A buffer pool of this crate keeps blocks of up to 64 MiB. Their sizes
/// are rounded up by at most an eighth, and to at least 256 bytes. If the GPU supports memory pools, all other freed memory is in
/// the device's default pool, which is configured to keep it. [`trim_pool`](Cuda::trim_pool) returns the memory of both pools to
/// the system.
///
/// Arithmetic rounds as on the CPU. Elementary functions are those of CUDA; the CUDA C++ Programming Guide lists their maximum errors.
/// Floating-point sums, products, cumulative sums and cumulative products are combined from partial results in another order than on the
/// CPU. So their rounding errors differ from those of the CPU. The order is the same from run to run. A partial result may overflow,
/// underflow or combine an infinity with a zero, even if this does not happen when the elements are combined one by one. cuBLAS multiplies
/// by the scaling factors of a product even if they are 1, so infinite complex numbers may become NaN.
///
/// Using an operation without a CUDA source on `Cuda` is a compile error, and the message says what to write:
///
/// ```compile_fail,E0080
/// use vierbein::device::{CudaSource, UnaryOp};
/// use vierbein::prelude::*;
/// #[derive(Clone, Copy)]
/// struct Twice;
/// impl UnaryOp<f64> for Twice {
///     type Output = f64;
///     const NAME: &'static str = "double";
///     fn apply(&self, a: f64) -> f64 { 2.0 * a }
///     // SAFETY: an expression of the operand's value: it accesses no memory.
///     // const CUDA: CudaSource = unsafe { CudaSource::new("2.0 * a") };
/// }
/// let x = tensor![1.0].to_device::<Cuda>()?;
/// let y = x.apply(Twice);
/// # Ok::<(), vierbein::Error>(())
/// ```
///
/// # Environment
/// * `VIERBEIN_CUDA_LIB_DIR`: a directory with `libnvrtc`, `libcublas`, `libcufft` and `libcusolver`. The files in this directory are
///   loaded instead of the libraries that the system's loader finds.
/// * `VIERBEIN_CUDA_CACHE_DIR`: the directory of compiled kernels. By default it is `vierbein/cuda` in `$XDG_CACHE_HOME` or
///   `~/.cache`. If the value is empty, kernels are not kept. A missing directory is created with mode `0700`. On Unix, the
///   directory and its files must belong to the effective user or to root, and only their owner may have permission to write.
///   Otherwise the kernels in them are not used, and each process compiles these kernels itself.
/// * `VIERBEIN_CUDA_POOL_BYTES`: the maximum number of bytes in the buffer pool of this crate, by default 256 MiB. With 0, only the
///   driver's pool keeps memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cuda<const ORDINAL: usize = 0> {
    _private: (),
}

impl<const ORDINAL: usize> Cuda<ORDINAL> {
    /// Returns the device, if it is available.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`], with the reason.
    pub fn new() -> Result<Self, Error> {
        runtime::context(ORDINAL)?;
        Ok(Cuda { _private: () })
    }

    /// Waits until all queued work is done.
    ///
    /// # Errors
    /// If there is no such device, or if any of the queued work failed.
    pub fn synchronize(&self) -> Result<(), Error> {
        runtime::context(ORDINAL)?.synchronize()
    }

    /// Waits until all queued work is done. Then returns the memory of both pools, this crate's buffer pool and the device's memory pool,
    /// to the system.
    ///
    /// # Errors
    /// See [`synchronize`](Cuda::synchronize).
    pub fn trim_pool(&self) -> Result<(), Error> {
        runtime::context(ORDINAL)?.trim()
    }

    /// Counts the GPUs of this machine.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] if there is no driver, or no GPU that the driver can use.
    ///
    /// ```
    /// use vierbein::Cuda;
    /// match Cuda::<0>::count() {
    ///     Ok(count) => assert!(count > 0),
    ///     Err(error) => println!("{error}"),
    /// }
    /// ```
    pub fn count() -> Result<usize, Error> {
        runtime::count()
    }

    /// Returns the free and the total memory of the GPU, in bytes. Freed memory that the library keeps for reuse counts as used.
    ///
    /// # Errors
    /// See [`synchronize`](Cuda::synchronize).
    pub fn memory(&self) -> Result<(usize, usize), Error> {
        runtime::context(ORDINAL)?.memory()
    }

    /// Allocates page-locked host memory for `len` elements, all zero.
    ///
    /// A GPU copies from and to page-locked memory directly, at the speed of the bus. Copies from and to other host memory pass
    /// through an additional buffer. The system has little page-locked memory, so use it for data that is copied repeatedly.
    ///
    /// # Errors
    /// See [`new`](Cuda::new). [`Error::OutOfMemory`] if the allocation fails.
    ///
    /// ```no_run
    /// use vierbein::prelude::*;
    /// let gpu = Cuda::<0>::new()?;
    /// let mut there = Tensor::<f32, _, RowMajor, Cuda>::ones([1000, 1000]);
    /// let mut here = Tensor::<f32, _>::from_buffer([1000, 1000], gpu.pinned(1_000_000)?);
    /// for _ in 0..10 {
    ///     there += 1.0;
    ///     here.copy_from(&there)?;
    /// }
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn pinned<T: Element>(&self, len: usize) -> Result<PinnedMemory<T>, Error> {
        let context = runtime::context(ORDINAL)?;
        let bytes = crate::layout::element_count(&[len], size_of::<T>())? * size_of::<T>();
        Ok(PinnedMemory { memory: runtime::Pinned::new(context, bytes)?, len, elements: PhantomData })
    }
}

/// Page-locked host memory, which a GPU copies from and to directly: see [`Cuda::pinned`].
#[derive(Debug)]
pub struct PinnedMemory<T> {
    memory: runtime::Pinned,
    len: usize,
    elements: PhantomData<T>,
}

// SAFETY: `Cuda::pinned` allocated memory for `len` elements, and `len` never changes. The memory stays at one address until this
// value, its only owner, is dropped. Only the slice that `elements` returns gives access to the memory.
#[diagnostic::do_not_recommend]
unsafe impl<T: Element> ForeignMemory<T> for PinnedMemory<T> {
    fn elements(&mut self) -> &mut [T] {
        // SAFETY: `Cuda::pinned` allocated `len` elements by `Pinned::new`, which sets all bytes to zero, a valid `T`. The driver
        // aligns the memory for every element type; for 0 bytes, `Pinned::new` returns an aligned dangling pointer. `self` is
        // borrowed mutably, so nothing else accesses the elements.
        unsafe { core::slice::from_raw_parts_mut(self.memory.start().cast::<T>().as_ptr(), self.len) }
    }
}

/// Waits until all work that is queued on a GPU is done.
pub(crate) fn finish(ordinal: usize) -> Result<(), Error> {
    runtime::context(ordinal)?.synchronize()
}

/// Initialises the GPU with this ordinal. Returns an error if it is not available.
pub(crate) fn find(ordinal: usize) -> Result<(), Error> {
    runtime::context(ordinal).map(|_| ())
}

impl<const ORDINAL: usize> Cuda<ORDINAL> {
    /// The device, without a check that it is available.
    pub(crate) const UNCHECKED: Self = Cuda { _private: () };

    /// Returns the name of the device type with this ordinal, such as `Cuda<0>`.
    pub(crate) fn name_of(ordinal: usize) -> String {
        runtime::name_of(ordinal)
    }

    /// Wraps memory of another library. Dropping the buffer waits for all queued work and then drops the owner of the memory.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * the device is available;
    /// * `first` points to `len` contiguous elements on this device, aligned to the size of an element;
    /// * until the owner is dropped, the elements stay at this address, and nothing else reads or writes them.
    pub(crate) unsafe fn foreign<T: Element>(
        first: CudaPtr<T>,
        len: usize,
        owner: Box<dyn Send + Sync>,
    ) -> CudaBuffer<T> {
        let context = runtime::context(ORDINAL).expect("a GPU with allocated memory was initialised");
        let bytes = len * size_of::<T>();
        CudaBuffer {
            memory: Memory::foreign(context, first.address, bytes, owner),
            len,
            elements: PhantomData,
        }
    }
}

/// Memory on a GPU.
#[derive(Debug)]
pub struct CudaBuffer<T> {
    memory: Memory,
    len: usize,
    elements: PhantomData<T>,
}

// A panic leaves buffers valid: their memory is freed as usual.
impl<T> core::panic::UnwindSafe for CudaBuffer<T> {}
impl<T> core::panic::RefUnwindSafe for CudaBuffer<T> {}

/// An address on a GPU. The host cannot dereference it.
#[derive(Debug, Clone, Copy)]
pub struct CudaPtr<T> {
    address: u64,
    elements: PhantomData<T>,
}

impl<T> CudaPtr<T> {
    pub(crate) fn new(address: u64) -> Self {
        CudaPtr { address, elements: PhantomData }
    }

    /// Returns the address as an integer, like the driver's type `CUdeviceptr`.
    #[must_use]
    pub fn address(self) -> u64 {
        self.address
    }
}

fn buffer<T: Element>(context: &'static Context, len: usize) -> Result<CudaBuffer<T>, Error> {
    let bytes = crate::layout::element_count(&[len], size_of::<T>())? * size_of::<T>();
    Ok(CudaBuffer { memory: context.alloc(bytes)?, len, elements: PhantomData })
}

// SAFETY: a buffer's `Memory` has room for its `len` contiguous elements until the buffer is dropped. Any bytes are a valid number,
// and `read` converts any byte to a valid `bool`. `offset` multiplies the number of elements by their size. `read` and `write`
// access only the given range. The ordinal is part of the type, so all values of the type are the same device.
unsafe impl<const ORDINAL: usize> Device for Cuda<ORDINAL> {
    type Buffer<T: Element> = CudaBuffer<T>;
    type Ptr<T: Element> = CudaPtr<T>;

    fn name(&self) -> String {
        runtime::name_of(ORDINAL)
    }
    fn alloc<T: Element>(&self, len: usize) -> Result<CudaBuffer<T>, Error> {
        self.alloc_zeroed(len)
    }
    unsafe fn alloc_for_overwrite<T: Element>(&self, len: usize) -> Result<CudaBuffer<T>, Error> {
        buffer(runtime::context(ORDINAL)?, len)
    }
    fn len<T: Element>(buffer: &CudaBuffer<T>) -> usize {
        buffer.len
    }
    fn ptr<T: Element>(buffer: &CudaBuffer<T>) -> CudaPtr<T> {
        CudaPtr::new(buffer.memory.address())
    }
    fn ptr_mut<T: Element>(buffer: &mut CudaBuffer<T>) -> CudaPtr<T> {
        CudaPtr::new(buffer.memory.address())
    }
    fn offset<T: Element>(ptr: CudaPtr<T>, elements: isize) -> CudaPtr<T> {
        CudaPtr::new(ptr.address.wrapping_add_signed(elements as i64 * size_of::<T>() as i64))
    }
    fn real_part<T: Element>(ptr: CudaPtr<T>) -> Option<CudaPtr<T::Part>> {
        Some(CudaPtr::new(ptr.address))
    }
    unsafe fn read<T: Element>(&self, from: CudaPtr<T>, to: &mut [T]) -> Result<(), Error> {
        // SAFETY: `from` points to `to.len()` elements of a live buffer that nothing writes to, as the caller ensures.
        unsafe { runtime::read(runtime::context(ORDINAL)?, from.address, to) }
    }
    unsafe fn write<T: Element>(&self, from: &[T], to: CudaPtr<T>) -> Result<(), Error> {
        // SAFETY: `to` points to `from.len()` elements of a live buffer that nothing else accesses, as the caller ensures.
        unsafe { runtime::write(runtime::context(ORDINAL)?, from, to.address) }
    }
    fn alloc_zeroed<T: Element>(&self, len: usize) -> Result<CudaBuffer<T>, Error> {
        let context = runtime::context(ORDINAL)?;
        let buffer = buffer(context, len)?;
        // SAFETY: the new buffer has `len` elements, and nothing else has its address.
        unsafe { context.zero(buffer.memory.address(), len * size_of::<T>())? };
        Ok(buffer)
    }
    fn duplicate<T: Element>(&self, from: &CudaBuffer<T>) -> Result<CudaBuffer<T>, Error> {
        let context = runtime::context(ORDINAL)?;
        let buffer: CudaBuffer<T> = buffer(context, from.len)?;
        let (from, to) = (from.memory.address(), buffer.memory.address());
        // SAFETY: both buffers have `buffer.len` elements. The buffer at `to` is new, so it does not overlap the one at `from`, and
        // nothing else accesses it.
        unsafe { context.copy(from, to, buffer.len * size_of::<T>())? };
        Ok(buffer)
    }
    fn gather<T: Element>(&self, from: Operand<'_, T, Self>) -> Result<Vec<T>, Error> {
        runtime::gather(runtime::context(ORDINAL)?, from)
    }
    fn copies<T: Element>() -> Option<Copies<Self, T>> {
        Some(Copies::new())
    }
    fn compact<T: Element>(&self, from: Operand<'_, T, Self>) -> Result<CudaBuffer<T>, Error> {
        let len = from.shape().iter().product();
        Ok(CudaBuffer {
            memory: runtime::compact(runtime::context(ORDINAL)?, from)?,
            len,
            elements: PhantomData,
        })
    }
    fn adopt<T: Element>(&self, data: Vec<T>) -> Result<CudaBuffer<T>, Error> {
        let [value] = data[..] else { return via_host::upload(self, &data) };
        // A single value is passed as a kernel argument. A copy would make the host wait for all work that was queued before.
        let context = runtime::context(ORDINAL)?;
        let mut buffer = buffer(context, 1)?;
        // SAFETY: the new buffer has one element, and nothing else has its address.
        let out: Output<'_, T, Self> = unsafe { Output::from_raw(Self::ptr_mut(&mut buffer), &[], &[]) };
        runtime::put(context, value, out)?;
        Ok(buffer)
    }
}

/// Calls the function of [`runtime`] that computes a method of a family. Without the feature `cuda`, there is no context to call it with.
#[cfg(feature = "cuda")]
macro_rules! launch {
    ($ordinal:ident, $name:ident $(::<$($generic:ident),*>)? ($($arg:ident),*)) => {
        $crate::device::cuda::runtime::$name $(::<$($generic),*>)? (
            $crate::device::cuda::runtime::context($ordinal)?, $($arg),*
        )
    };
}
#[cfg(not(feature = "cuda"))]
macro_rules! launch {
    ($ordinal:ident, $name:ident $(::<$($generic:ident),*>)? ($($arg:ident),*)) => {{
        let _ = ($($arg,)*);
        match *$crate::device::cuda::runtime::context($ordinal)? {}
    }};
}
pub(in crate::device) use launch;
