//! Buffers in the memory of the host.

use super::foreign::ForeignMemory;
use super::pool::{Block, Fill, LARGE_ALIGNMENT, MIN_POOLED_BYTES};
use crate::device::{Cpu, Device};
use crate::element::{DType, Element};
use crate::error::Error;
use core::alloc::Layout;
use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

/// Elements in the host's memory, which comes from the global allocator as for a `Vec`, or from [another
/// library](ForeignMemory).
///
/// A buffer made from a `Vec`, or a small one, becomes a `Vec` without a copy. A large result (128 KiB and more) begins at a
/// page boundary within a somewhat larger block, which is [reused](Cpu#memory-that-is-used-again) after the buffer is dropped.
/// When it becomes a `Vec`, its elements move to the beginning of the block, by less than a page: one pass over memory, no
/// allocation. That `Vec` has spare capacity. The elements of another library are copied to become a `Vec`.
pub struct CpuBuffer<T> {
    /// The first element.
    first: NonNull<T>,
    len: usize,
    /// The start of the [`Block`] that the elements are in, whose alignment is that of `T` and is not stored; or, if `bytes` is
    /// [`FOREIGN`], the [`Owner`] of foreign elements.
    start: NonNull<T>,
    bytes: usize,
    owns: PhantomData<T>,
}

/// Small tensors are created and moved often, so the buffer has to be small.
const _: () = assert!(size_of::<CpuBuffer<f64>>() == 4 * size_of::<usize>());

/// Stored instead of a block's bytes, which are always fewer.
const FOREIGN: usize = usize::MAX;

/// The owner that frees foreign elements. In a `Box` of its own, so that the buffer's pointer to it is one word.
type Owner<T> = Box<dyn ForeignMemory<T>>;

/// The memory of a tensor that was split into raw parts. [`Tensor::from_raw_parts`](crate::Tensor::from_raw_parts) needs it, in
/// addition to the address of the elements, to free the memory.
///
/// Two words for foreign code to keep. They do not tell where the elements are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct RawMemory {
    start: *mut c_void,
    bytes: usize,
}

// SAFETY: the address alone gives no access. `from_raw`, which is unsafe, makes a buffer of it; that buffer may be on another
// thread because the elements are `Send` and `Sync` and the owner of foreign memory is `Send`.
unsafe impl Send for RawMemory {}
// SAFETY: as for `Send`: the address alone gives no access.
unsafe impl Sync for RawMemory {}

// SAFETY: as for a `Vec`: the buffer owns its block exclusively, and the block holds only elements, which are `Send`. The owner
// of foreign memory is `Send`, as `ForeignMemory` requires it.
unsafe impl<T: Send> Send for CpuBuffer<T> {}
// SAFETY: as for a `Vec`: a shared buffer gives shared access to its elements only, which are `Sync`; none to an owner.
unsafe impl<T: Sync> Sync for CpuBuffer<T> {}

impl<T> fmt::Debug for CpuBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuBuffer({} elements)", self.len)
    }
}

impl<T> CpuBuffer<T> {
    /// # Safety
    /// * `first` is aligned, and `len` initialised elements from `first` on are within the block; or `len` is 0.
    /// * The block has the alignment of `T`, and the size of `T` divides its bytes.
    #[inline]
    unsafe fn within(block: Block, first: NonNull<T>, len: usize) -> Self {
        let (start, bytes) = block.into_raw();
        CpuBuffer { first, len, start: start.cast(), bytes, owns: PhantomData }
    }

    /// # Safety
    /// The caller must ensure that the buffer is not foreign, and that it is neither used nor dropped afterwards.
    #[inline]
    unsafe fn take_block(&mut self) -> Block {
        // SAFETY: `bytes` are those of the block's layout, whose alignment is that of `T`, as `within` requires.
        let layout = unsafe { Layout::from_size_align_unchecked(self.bytes, align_of::<T>()) };
        // SAFETY: `start` and `layout` are those of the block that `within` split; as the buffer is not used again, there is no
        // second owner.
        unsafe { Block::from_raw(self.start.cast(), layout) }
    }
}

// Elements are numbers, which need no drop.
impl<T> Drop for CpuBuffer<T> {
    #[inline]
    fn drop(&mut self) {
        if self.bytes >= MIN_POOLED_BYTES {
            // SAFETY: `drop` runs once, and the buffer is not used after it.
            unsafe { self.free_large() }
        } else {
            // SAFETY: the buffer is not used after `drop`, and not foreign: `bytes` is less than `FOREIGN`.
            drop(unsafe { self.take_block() });
        }
    }
}

impl<T> CpuBuffer<T> {
    /// Frees a large block, or returns it to the pool, or drops the owner of foreign elements.
    ///
    /// # Safety
    /// The caller must ensure that the buffer is neither used nor dropped afterwards.
    #[inline(never)]
    unsafe fn free_large(&mut self) {
        if self.bytes == FOREIGN {
            // SAFETY: `bytes` is `FOREIGN`, so `start` is from `from_foreign`, which leaked such a box; only this buffer has its
            // address, and it is not used again.
            drop(unsafe { Box::from_raw(self.start.cast::<Owner<T>>().as_ptr()) });
            return;
        }
        // SAFETY: `bytes` is not `FOREIGN`, and the caller ensures that the buffer is not used again.
        let block = unsafe { self.take_block() };
        if block.is_large() {
            block.recycle();
        }
    }
}

/// The place in a large block at which its elements begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    AtPage,
    /// As a `Vec` requires.
    AtBlock,
}

impl<T: Element> CpuBuffer<T> {
    /// Creates a buffer of the owner's elements. Dropping the buffer drops the owner.
    pub(crate) fn from_foreign(owner: impl ForeignMemory<T>) -> Self {
        let mut owner: Box<Owner<T>> = Box::new(Box::new(owner));
        let elements = owner.elements();
        let (first, len) = (NonNull::from(&mut *elements).cast(), elements.len());
        // From here on the owner is neither moved nor accessed until it is dropped, as `ForeignMemory` promises.
        let start = NonNull::from(Box::leak(owner)).cast();
        CpuBuffer { first, len, start, bytes: FOREIGN, owns: PhantomData }
    }

    /// Returns the address of the elements, and the memory that they are in, which is not freed.
    pub(crate) fn into_raw(self) -> (NonNull<T>, RawMemory) {
        let from = ManuallyDrop::new(self);
        (from.first, RawMemory { start: from.start.as_ptr().cast(), bytes: from.bytes })
    }

    /// # Safety
    /// The caller must ensure that `first` and `memory` are from one call of [`into_raw`](Self::into_raw), of a buffer with `len`
    /// elements `T`, and that they are passed to this function only once.
    pub(crate) unsafe fn from_raw(first: NonNull<T>, len: usize, memory: RawMemory) -> Self {
        // SAFETY: `memory` is from `into_raw`, whose `start` was a `NonNull`.
        let start = unsafe { NonNull::new_unchecked(memory.start.cast()) };
        CpuBuffer { first, len, start, bytes: memory.bytes, owns: PhantomData }
    }

    /// Creates a zeroed buffer. Large ones that do not come from the pool are zeroed by the system, at the first access to each
    /// page.
    #[inline]
    pub(crate) fn zeroed(len: usize) -> Result<Self, Error> {
        CpuBuffer::allocate(len, Fill::Zeros, Begin::AtPage)
    }

    /// Creates a buffer of unspecified values, for a result. Zeroing elements that will be overwritten would cost a pass over
    /// memory.
    #[inline(always)]
    pub(crate) fn any(len: usize) -> Result<Self, Error> {
        CpuBuffer::allocate(len, Self::whatever(), Begin::AtPage)
    }

    /// [`any`](Self::any) for a buffer that becomes a `Vec` without moving its elements.
    pub(crate) fn any_for_vec(len: usize) -> Result<Self, Error> {
        CpuBuffer::allocate(len, Self::whatever(), Begin::AtBlock)
    }

    /// Returns the fill of a result before it is written.
    #[inline]
    fn whatever() -> Fill {
        // Not every byte is a valid `bool`.
        if T::DTYPE == DType::Bool || !CAN_SETTLE { Fill::Zeros } else { Fill::Anything }
    }

    // Always inlined: the parts of a returned `Result` are stored separately and loaded together, which stalls the processor.
    #[inline(always)]
    fn allocate(len: usize, fill: Fill, begin: Begin) -> Result<Self, Error> {
        let found = match Layout::array::<T>(len) {
            Ok(layout) if layout.size() < MIN_POOLED_BYTES => {
                Block::fresh(layout, fill).map(|block| (block.start(), block))
            }
            Ok(layout) => large(layout, fill, begin),
            Err(_) => None,
        };
        let Some((first, block)) = found else { return Err(no_memory::<T>(len)) };
        if fill == Fill::Anything {
            settle(first.as_ptr());
        }
        // SAFETY: `len` elements from `first` on are within the block, which was allocated for this layout or has its alignment
        // and a multiple of 4096 bytes. Zero bytes are a valid `T`, as the sealed trait `Element` requires. `whatever` returns
        // `Anything` only for numbers, for which all bytes are valid, and only if they are initialised above.
        Ok(unsafe { CpuBuffer::within(block, first.cast(), len) })
    }

    /// Creates a buffer of one element. The compiler can leave out the allocation if the element is read and the buffer dropped
    /// at once. To allow this, a failed allocation is not retried after freeing the pooled blocks.
    #[inline(always)]
    pub(crate) fn of(value: T) -> Result<Self, Error> {
        let layout = Layout::new::<T>();
        // SAFETY: the layout's size is not zero: no `Element` is zero-sized.
        let memory = unsafe { std::alloc::alloc(layout) };
        let Some(first) = NonNull::new(memory.cast::<T>()) else { return Err(no_memory::<T>(1)) };
        // SAFETY: the memory was just allocated for one `T`, so it is aligned and valid for this write.
        unsafe { first.write(value) };
        // SAFETY: the global allocator returned it for this layout, and there is no other owner.
        let block = unsafe { Block::from_raw(first.cast(), layout) };
        // SAFETY: the block has the layout of `T`, and its only element was just written.
        Ok(unsafe { CpuBuffer::within(block, first, 1) })
    }

    pub(crate) fn from_vec(mut data: Vec<T>) -> Self {
        if cfg!(vierbein_exact_memory) {
            data.shrink_to_fit();
        }
        let mut data = ManuallyDrop::new(data);
        let layout = Layout::array::<T>(data.capacity()).expect("a `Vec` has allocated it");
        let (first, len) = (NonNull::new(data.as_mut_ptr()).expect("a `Vec` has an address"), data.len());
        // SAFETY: the memory of a `Vec` is from the global allocator, with the layout of `capacity` elements, or has zero bytes;
        // `ManuallyDrop` gives up the `Vec`'s ownership.
        let block = unsafe { Block::from_raw(first.cast(), layout) };
        // SAFETY: the `Vec`'s `len` initialised elements are at the beginning of the block, an array of `T`.
        unsafe { CpuBuffer::within(block, first, len) }
    }

    pub(crate) fn into_vec(self) -> Result<Vec<T>, Error> {
        if self.bytes == FOREIGN {
            let mut copy = CpuBuffer::any_for_vec(self.len)?;
            copy.as_mut_slice().copy_from_slice(self.as_slice());
            return copy.into_vec();
        }
        // Not dropped: the `Vec` takes ownership of the memory.
        let from = ManuallyDrop::new(self);
        if from.start != from.first {
            // SAFETY: both ranges are within the block, which `self` owns exclusively, and are aligned: `start` by the block's
            // layout, `first` by `within`.
            unsafe { core::ptr::copy(from.first.as_ptr(), from.start.as_ptr(), from.len) };
        }
        // SAFETY: the memory is from the global allocator, owned by `self`, with the alignment of `T` and a number of bytes that
        // the size of `T` divides, so its layout is that of `bytes / size` elements; with zero bytes, any aligned address is
        // valid. The first `len` elements are initialised.
        Ok(unsafe { Vec::from_raw_parts(from.start.as_ptr(), from.len, from.bytes / size_of::<T>()) })
    }
}

/// Returns the error of an allocation of `len` elements. Out of line, so that allocations are small enough to be inlined.
#[cold]
fn no_memory<T>(len: usize) -> Error {
    match Layout::array::<T>(len) {
        Ok(layout) => Error::OutOfMemory { device: Cpu.name(), bytes: layout.size() },
        Err(_) => Error::Overflow { shape: vec![len], element_bytes: size_of::<T>() },
    }
}

/// Returns a large block for `layout`, from the pool or newly allocated, after the address in it at which the elements begin.
#[inline(never)]
fn large(layout: Layout, fill: Fill, begin: Begin) -> Option<(NonNull<u8>, Block)> {
    let recycled = Block::recycled(layout);
    let used = recycled.is_some();
    let block = recycled.or_else(|| Block::fresh_large(layout, fill))?;
    let offset = match begin {
        Begin::AtPage => block.start().addr().get().wrapping_neg() % LARGE_ALIGNMENT,
        Begin::AtBlock => 0,
    };
    // Large blocks have `LARGE_ALIGNMENT` bytes more than the elements need.
    assert!(offset + layout.size() <= block.bytes());
    // SAFETY: `offset` is within the block, as just checked.
    let first = unsafe { block.start().add(offset) };
    if used && fill == Fill::Zeros {
        // SAFETY: `layout.size()` bytes from `first` on are within the block, as just checked, and `block` owns them exclusively.
        unsafe { first.write_bytes(0, layout.size()) };
    }
    Some((first, block))
}

/// Whether the compiler can be told on this architecture that memory is initialised: see [`settle`].
const CAN_SETTLE: bool = cfg!(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")));

/// Makes the compiler treat the memory as initialised with unspecified bytes. To the compiler, newly allocated memory is
/// uninitialised, and reading it is undefined behaviour. Empty inline assembly that receives the address may have written to the
/// memory, as far as the compiler knows, so from here on each byte has some value. The same holds for the bytes that an earlier
/// owner left in a reused block.
#[inline]
fn settle(memory: *mut u8) {
    #[cfg(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
    // SAFETY: the assembly is a comment: it has no instructions, so it changes no register, stack or memory.
    unsafe {
        core::arch::asm!("/* {0} */", in(reg) memory, options(nostack, preserves_flags));
    }
    #[cfg(not(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = memory;
}

impl<T> CpuBuffer<T> {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        // SAFETY: `first` points to `len` initialised elements: in a block that lives as long as `self`, or in foreign memory
        // that, by the contract of `ForeignMemory`, stays valid and is not accessed by its owner for as long.
        unsafe { core::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
    #[inline]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as for `as_slice`, `first` points to `len` initialised elements; `self` is borrowed mutably, so access is
        // exclusive.
        unsafe { core::slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }
}
