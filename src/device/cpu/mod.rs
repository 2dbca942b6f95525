//! The CPU device: its memory, loops, kernels and threads.

mod kernels;
mod loops;
mod memory;
mod precompiled;

#[cfg(all(feature = "linalg", feature = "cuda"))]
pub(super) use kernels::decompose;
#[cfg(feature = "fft")]
pub(super) use kernels::fourier;
#[cfg(test)]
pub(crate) use kernels::sort::tests as sort_tests;
#[cfg(feature = "csv")]
pub(crate) use loops::threads::{enter, join, threads};
use memory::Slot;
#[cfg(any(feature = "npy", feature = "safetensors", feature = "serde"))]
pub(crate) use memory::bytes::bytes;
#[cfg(feature = "npy")]
pub(crate) use memory::bytes::bytes_mut;
#[cfg(test)]
pub(crate) use memory::failing;
#[cfg(feature = "cuda")]
pub(super) use memory::pool::limit_from_environment;
pub(crate) use memory::pool::{reserve, zeroed};
use memory::stream::{copy_bytes, copy_elements};
pub use memory::{CpuBuffer, ForeignMemory, HostPtr, RawMemory};

use super::{Copy, Device, HostAccess, IntoOutput, OnHost, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::{Layout, element_count};

/// The host's memory and processors. A zero-sized type.
///
/// ```
/// use vierbein::{Cpu, Rank, RowMajor, Tensor};
/// let x: Tensor<f64, Rank<2>, RowMajor, Cpu> = Tensor::ones([2, 3]);
/// assert_eq!(x.sum().item(), 6.0);
/// ```
///
/// # Threads
/// With the feature `rayon`, operations of about ten microseconds and more run in parallel on the threads of the current pool. A
/// thread outside any pool, such as that of `main`, uses rayon's global pool (`RAYON_NUM_THREADS`). Because waking this pool takes
/// time, such a thread uses it only for operations of about a quarter of a millisecond and more. To run smaller operations in
/// parallel, enter the pool once, around all of them:
///
/// ```
/// # #[cfg(feature = "rayon")] {
/// use vierbein::Tensor;
/// let x = Tensor::<f64, _>::ones([300, 300]);
/// let y = rayon::scope(|_| (0..10).fold(x.clone(), |y, _| y + &x));
/// assert_eq!(y[[1, 2]], 11.0);
/// # }
/// ```
///
/// # Results
/// Results are bitwise identical on any number of threads, inside and outside of a pool, and from run to run. For this, the order
/// of a summation depends on shapes and strides only. Each operation rounds as IEEE 754 specifies: except as listed here,
/// operations are not reordered or fused, and results are not flushed to zero. The bits of the following results may differ:
///
/// * Products of floating-point matrices, and contractions that use them, on processors with different vector instructions, or at
///   different levels of `VIERBEIN_SIMD`. If the processor has fused multiply-add instructions, a product and a sum are rounded
///   once, not twice. At the level `portable`, this depends on the processor, too: the crate `matrixmultiply` computes these
///   products and selects its kernels at run time. On one processor, at one level, bits are equal on any number of threads and from
///   run to run.
/// * Elementary functions (`exp`, `sin`, `powf`, `atan2`, ..) on processors without fused multiply-add instructions, and on x86-64
///   at the level `portable` or in builds with debug assertions. In these cases, the C library computes the functions of real
///   numbers, and `num-complex` powers, exponentials, sines and cosines of complex numbers. The C library's results differ between systems and may depend on the
///   processor. In all other cases, this crate computes the functions itself. Then the results are the same on every x86-64
///   processor with AVX2 and on every 64-bit ARM.
/// * Fourier transforms: on processors with different vector instructions, at different levels of `VIERBEIN_SIMD`, or of the same elements
///   with different strides. They use fused multiply-add instructions, too.
/// * Sums of the same elements with different strides: the summation order may differ. The order may also change in a new release
///   of this crate.
/// * NaNs: their bits are unspecified.
/// * Matrix products and contractions with the feature `blas`: the BLAS decides whether bits depend on the number of threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cpu;

impl Cpu {
    pub(crate) fn slice_ptr<T>(data: &[T]) -> HostPtr<T> {
        HostPtr::new(data.as_ptr().cast_mut())
    }
    pub(crate) fn slice_ptr_mut<T>(data: &mut [T]) -> HostPtr<T> {
        HostPtr::new(data.as_mut_ptr())
    }
}

// SAFETY: a buffer has `len` initialised, contiguous elements until it is dropped, and its pointer is the address of the first
// element. `read` and `write` access exactly the range that they are given. `Cpu` has one instance, whose pointers are valid in the
// whole process.
unsafe impl Device for Cpu {
    type Buffer<T: Element> = CpuBuffer<T>;
    type Ptr<T: Element> = HostPtr<T>;

    fn name(&self) -> String {
        "Cpu".into()
    }
    fn alloc<T: Element>(&self, len: usize) -> Result<CpuBuffer<T>, Error> {
        CpuBuffer::zeroed(len)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn alloc_for_overwrite<T: Element>(&self, len: usize) -> Result<CpuBuffer<T>, Error> {
        CpuBuffer::any(len)
    }
    fn alloc_zeroed<T: Element>(&self, len: usize) -> Result<CpuBuffer<T>, Error> {
        CpuBuffer::zeroed(len)
    }
    #[inline]
    fn len<T: Element>(buffer: &CpuBuffer<T>) -> usize {
        buffer.as_slice().len()
    }
    #[inline]
    fn ptr<T: Element>(buffer: &CpuBuffer<T>) -> HostPtr<T> {
        Cpu::slice_ptr(buffer.as_slice())
    }
    #[inline]
    fn ptr_mut<T: Element>(buffer: &mut CpuBuffer<T>) -> HostPtr<T> {
        Cpu::slice_ptr_mut(buffer.as_mut_slice())
    }
    #[inline]
    fn offset<T: Element>(ptr: HostPtr<T>, elements: isize) -> HostPtr<T> {
        ptr.offset(elements)
    }
    fn real_part<T: Element>(ptr: HostPtr<T>) -> Option<HostPtr<T::Part>> {
        Some(HostPtr::new(ptr.get().cast()))
    }
    unsafe fn read<T: Element>(&self, from: HostPtr<T>, to: &mut [T]) -> Result<(), Error> {
        // SAFETY: the caller ensures that `to.len()` elements from `from` are readable and not written to; `to` is a mutable
        // borrow, so the ranges do not overlap.
        unsafe { copy_bytes(from.get().cast(), to.as_mut_ptr().cast(), size_of_val(to)) };
        Ok(())
    }
    unsafe fn write<T: Element>(&self, from: &[T], to: HostPtr<T>) -> Result<(), Error> {
        // SAFETY: the caller ensures that `from.len()` elements, starting at `to`, may be written, and that nothing else accesses
        // them. So the ranges do not overlap.
        unsafe { copy_bytes(from.as_ptr().cast(), to.get().cast(), size_of_val(from)) };
        Ok(())
    }
    fn gather<T: Element>(&self, from: Operand<'_, T, Cpu>) -> Result<Vec<T>, Error> {
        let mut to = CpuBuffer::any_for_vec(element_count(from.shape(), size_of::<T>())?)?;
        let layout = Layout::contiguous(from.shape(), true);
        // SAFETY: the new buffer has one element for each index of the contiguous layout, and no other reference to it exists.
        let out = unsafe { Output::from_raw(Cpu::ptr_mut(&mut to), layout.shape(), layout.strides()) };
        self.copy(out, from)?;
        to.into_vec()
    }
    fn adopt<T: Element>(&self, data: Vec<T>) -> Result<CpuBuffer<T>, Error> {
        Ok(CpuBuffer::from_vec(data))
    }
    fn adopt_buffer<T: Element>(&self, data: CpuBuffer<T>) -> Result<CpuBuffer<T>, Error> {
        Ok(data)
    }
    fn release<T: Element>(&self, buffer: CpuBuffer<T>) -> Result<Vec<T>, Error> {
        buffer.into_vec()
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn one<T: Element>(&self, work: impl IntoOutput<T, Cpu>) -> Result<CpuBuffer<T>, Error> {
        let slot = Slot::new()?;
        // The kernel writes to a local variable, and never has the address of the buffer. So if the element is read and the tensor
        // dropped at once, as in `x.sum().item()`, the compiler can remove the buffer.
        let mut value = T::default();
        // SAFETY: the empty index, the only index of shape `[]`, addresses `value`. Nothing else accesses `value` until `work`
        // returns.
        work.write(unsafe { Output::from_raw(HostPtr::new(&raw mut value), &[], &[]) }, self)?;
        Ok(slot.fill(value))
    }
    #[inline]
    fn on_host<T: Element>() -> Option<OnHost<Cpu, T>> {
        Some(OnHost::new())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn duplicate<T: Element>(&self, buffer: &CpuBuffer<T>) -> Result<CpuBuffer<T>, Error> {
        let mut copy = CpuBuffer::any(buffer.as_slice().len())?;
        copy_elements(buffer.as_slice(), copy.as_mut_slice());
        Ok(copy)
    }
}

// SAFETY: a `HostPtr` is the host address of its element. The elements of a `CpuBuffer` do not move until the buffer is dropped,
// and are contiguous. Its address is that of a slice, so it is aligned and not null, even if the buffer is empty.
#[diagnostic::do_not_recommend]
unsafe impl HostAccess for Cpu {
    #[inline]
    fn host_ptr<T: Element>(ptr: HostPtr<T>) -> *mut T {
        ptr.get()
    }
}
