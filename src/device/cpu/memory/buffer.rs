//! [`CpuBuffer`]: the buffer of a tensor in host memory.

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

/// Elements in host memory. The memory is from the global allocator, as for a `Vec`, or from [another library](ForeignMemory).
///
/// A large result (128 KiB and more) begins at a page boundary within a somewhat larger block. The block is
/// [reused](Cpu#memory-that-is-used-again) after the buffer is dropped.
///
/// The cost of converting a buffer into a `Vec` depends on its memory:
///
/// * A small buffer, or one made from a `Vec`: free.
/// * A large result: one pass over memory and no allocation. The elements move to the beginning of the block, by less than a page,
///   and the `Vec` has spare capacity.
/// * Memory of another library: a copy.
pub struct CpuBuffer<T> {
    /// The first element.
    first: NonNull<T>,
    len: usize,
    /// The start of the [`Block`] that contains the elements. The block's alignment is that of `T`, so it is not stored. If `bytes`
    /// is [`FOREIGN`], `start` points to the [`Owner`] of the foreign elements instead.
    start: NonNull<T>,
    /// The size of the block, or [`FOREIGN`].
    bytes: usize,
    owns: PhantomData<T>,
}

/// Small tensors are created and moved often, so the buffer has to be small.
const _: () = assert!(size_of::<CpuBuffer<f64>>() == 4 * size_of::<usize>());

/// Stored in place of a block's size for foreign elements. A block is always smaller.
const FOREIGN: usize = usize::MAX;

/// The owner that frees foreign elements. The buffer has a thin pointer to this `Box`, which is itself a fat pointer.
type Owner<T> = Box<dyn ForeignMemory<T>>;

/// The memory of a tensor that was split into raw parts. [`Tensor::from_raw_parts`](crate::Tensor::from_raw_parts) needs it, in
/// addition to the address of the elements, to free the memory.
///
/// It consists of two words, so that foreign code can store it. It does not record where in the memory the elements begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct RawMemory {
    start: *mut c_void,
    bytes: usize,
}

// SAFETY: the address alone gives no access. Only `from_raw`, which is unsafe, makes a buffer of it. The buffer may be on another
// thread, because the elements are `Send` and `Sync`, and the owner of foreign memory is `Send`.
unsafe impl Send for RawMemory {}
// SAFETY: the address alone gives no access, as for `Send`.
unsafe impl Sync for RawMemory {}

// SAFETY: the buffer owns its block exclusively, as a `Vec` does, and the block holds only elements, which are `Send`. The owner
// of foreign memory is `Send`, because `ForeignMemory` requires it.
unsafe impl<T: Send> Send for CpuBuffer<T> {}
// SAFETY: a shared buffer gives shared access to its elements, as a `Vec` does, and they are `Sync`. It gives no access to the
// owner of foreign memory.
unsafe impl<T: Sync> Sync for CpuBuffer<T> {}

impl<T> fmt::Debug for CpuBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuBuffer({} elements)", self.len)
    }
}

impl<T> CpuBuffer<T> {
    /// Creates a buffer of elements within a block.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * `first` is aligned, and `len` initialised elements from `first` on are within the block; or `len` is 0.
    /// * The block has the alignment of `T`, and the size of `T` divides its bytes.
    #[inline]
    unsafe fn within(block: Block, first: NonNull<T>, len: usize) -> Self {
        let (start, bytes) = block.into_raw();
        CpuBuffer { first, len, start: start.cast(), bytes, owns: PhantomData }
    }

    /// Returns the block that the buffer owns.
    ///
    /// # Safety
    /// The caller must ensure that the buffer is not foreign, and that it is neither used nor dropped afterwards.
    #[inline]
    unsafe fn take_block(&mut self) -> Block {
        // SAFETY: `bytes` is the size of the block's layout, and its alignment is that of `T`, as `within` requires. So this is
        // the block's layout, which is valid.
        let layout = unsafe { Layout::from_size_align_unchecked(self.bytes, align_of::<T>()) };
        // SAFETY: `start` and `layout` are those of the block that `within` took apart. The buffer is not used again, so there is
        // no second owner.
        unsafe { Block::from_raw(self.start.cast(), layout) }
    }
}

// Elements are numbers or `bool`, which have no destructor.
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
            // SAFETY: `bytes` is `FOREIGN`, so `start` is the address of a box that `from_foreign` leaked. Only this buffer has the
            // address, and it is not used again.
            drop(unsafe { Box::from_raw(self.start.cast::<Owner<T>>().as_ptr()) });
            return;
        }
        // SAFETY: `bytes` is not `FOREIGN`, and the caller ensures that the buffer is not used again.
        let block = unsafe { self.take_block() };
        if block.is_large() {
            block.free_to_pool();
        }
    }
}

/// The position in a large block at which its elements begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    /// At the first page boundary.
    AtPage,
    /// At the beginning of the block, as a `Vec` requires.
    AtBlock,
}

impl<T: Element> CpuBuffer<T> {
    /// Creates a buffer of foreign elements. Dropping the buffer drops their owner.
    pub(crate) fn from_foreign(owner: impl ForeignMemory<T>) -> Self {
        let mut owner: Box<Owner<T>> = Box::new(Box::new(owner));
        let elements = owner.elements();
        let (first, len) = (NonNull::from(&mut *elements).cast(), elements.len());
        // From here on the owner is neither moved nor accessed until it is dropped, as `ForeignMemory` guarantees to its
        // implementations.
        let start = NonNull::from(Box::leak(owner)).cast();
        CpuBuffer { first, len, start, bytes: FOREIGN, owns: PhantomData }
    }

    /// Splits the buffer into the address of its elements and the memory that contains them. Does not free the memory.
    pub(crate) fn into_raw(self) -> (NonNull<T>, RawMemory) {
        let from = ManuallyDrop::new(self);
        (from.first, RawMemory { start: from.start.as_ptr().cast(), bytes: from.bytes })
    }

    /// Creates the buffer that [`into_raw`](Self::into_raw) split.
    ///
    /// # Safety
    /// The caller must ensure that `first` and `memory` are from one call of [`into_raw`](Self::into_raw), of a buffer with `len`
    /// elements `T`, and that they are passed to this function only once.
    pub(crate) unsafe fn from_raw(first: NonNull<T>, len: usize, memory: RawMemory) -> Self {
        // SAFETY: `memory` is from `into_raw`, whose `start` was a `NonNull`.
        let start = unsafe { NonNull::new_unchecked(memory.start.cast()) };
        CpuBuffer { first, len, start, bytes: memory.bytes, owns: PhantomData }
    }

    /// Creates a zeroed buffer. If it is large and not from the pool, the system zeroes each page at the first access to it.
    #[inline]
    pub(crate) fn zeroed(len: usize) -> Result<Self, Error> {
        CpuBuffer::allocate(len, Fill::Zeros, Begin::AtPage)
    }

    /// Creates a buffer of unspecified values, for a result that overwrites them. Zeroing them would cost a pass over memory.
    #[inline(always)]
    pub(crate) fn any(len: usize) -> Result<Self, Error> {
        CpuBuffer::allocate(len, Self::whatever(), Begin::AtPage)
    }

    /// [`any`](Self::any) for a buffer that is converted into a `Vec`. The conversion then does not move the elements.
    pub(crate) fn any_for_vec(len: usize) -> Result<Self, Error> {
        CpuBuffer::allocate(len, Self::whatever(), Begin::AtBlock)
    }

    /// Returns the fill for [`any`](Self::any): zeros if unspecified bytes could be invalid values or uninitialised.
    #[inline]
    fn whatever() -> Fill {
        // Not every byte is a valid `bool`.
        if T::DTYPE == DType::Bool || !CAN_SETTLE { Fill::Zeros } else { Fill::Anything }
    }

    // Always inlined: the parts of a returned `Result` would be stored separately and loaded together, which prevents store
    // forwarding and stalls the processor.
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
        // SAFETY: `len` elements from `first` on are within the block, and `first` is aligned. The block has either this layout, or
        // its alignment and a multiple of 4096 bytes, which the size of `T` divides. With `Zeros`, the elements are valid, because
        // the sealed trait `Element` requires that zero bytes are. `whatever` returns `Anything` only for numbers, for which all
        // bytes are valid, and only if `settle` initialises them.
        Ok(unsafe { CpuBuffer::within(block, first.cast(), len) })
    }

    /// Creates a buffer of one element. If the element is read and the buffer dropped at once, the compiler can remove the
    /// allocation. To allow this, a failed allocation is not retried after freeing the pool.
    #[inline(always)]
    pub(crate) fn of(value: T) -> Result<Self, Error> {
        let layout = Layout::new::<T>();
        // SAFETY: the layout's size is not zero: no `Element` is zero-sized.
        let memory = unsafe { std::alloc::alloc(layout) };
        let Some(first) = NonNull::new(memory.cast::<T>()) else { return Err(no_memory::<T>(1)) };
        // SAFETY: the memory was just allocated for one `T`, so it is aligned and valid for this write.
        unsafe { first.write(value) };
        // SAFETY: the global allocator returned this memory for this layout, and there is no other owner.
        let block = unsafe { Block::from_raw(first.cast(), layout) };
        // SAFETY: the block has the layout of `T`, and its only element was just written.
        Ok(unsafe { CpuBuffer::within(block, first, 1) })
    }

    /// Converts a `Vec` into a buffer, without a copy.
    pub(crate) fn from_vec(mut data: Vec<T>) -> Self {
        if cfg!(vierbein_exact_memory) {
            data.shrink_to_fit();
        }
        let mut data = ManuallyDrop::new(data);
        let layout = Layout::array::<T>(data.capacity()).expect("the layout of a `Vec` is valid");
        let (first, len) =
            (NonNull::new(data.as_mut_ptr()).expect("the pointer of a `Vec` is not null"), data.len());
        // SAFETY: the memory of a `Vec` is from the global allocator, with the layout of `capacity` elements, or has zero bytes.
        // Ownership moves to the block, because `ManuallyDrop` keeps the `Vec` from freeing it.
        let block = unsafe { Block::from_raw(first.cast(), layout) };
        // SAFETY: the `Vec`'s `len` initialised elements are at the beginning of the block, an array of `T`.
        unsafe { CpuBuffer::within(block, first, len) }
    }

    /// Converts the buffer into a `Vec`. Foreign elements are copied.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the copy of foreign elements cannot be allocated.
    pub(crate) fn into_vec(self) -> Result<Vec<T>, Error> {
        if self.bytes == FOREIGN {
            let mut copy = CpuBuffer::any_for_vec(self.len)?;
            copy.as_mut_slice().copy_from_slice(self.as_slice());
            return copy.into_vec();
        }
        // The buffer is not dropped, because the `Vec` takes ownership of the memory.
        let from = ManuallyDrop::new(self);
        if from.start != from.first {
            // SAFETY: both ranges are within the block, which `self` owns exclusively, and are aligned: `start` by the block's
            // layout, `first` by `within`.
            unsafe { core::ptr::copy(from.first.as_ptr(), from.start.as_ptr(), from.len) };
        }
        // SAFETY: the memory is from the global allocator and `self` owned it. By the contract of `within`, it has the alignment
        // of `T`, and the size of `T` divides its bytes, so its layout is that of `bytes / size` elements. With zero bytes, any
        // aligned address is valid. The first `len` elements are initialised.
        Ok(unsafe { Vec::from_raw_parts(from.start.as_ptr(), from.len, from.bytes / size_of::<T>()) })
    }
}

/// Returns the error for a failed allocation of `len` elements. Out of line, so that `allocate` is small enough to be inlined.
#[cold]
fn no_memory<T>(len: usize) -> Error {
    match Layout::array::<T>(len) {
        Ok(layout) => Error::OutOfMemory { device: Cpu.name(), bytes: layout.size() },
        Err(_) => Error::Overflow { shape: vec![len], element_bytes: size_of::<T>() },
    }
}

/// Returns the address at which the elements of `layout` begin, and the large block that contains them, from the pool or newly
/// allocated. Returns `None` if the allocation fails.
#[inline(never)]
fn large(layout: Layout, fill: Fill, begin: Begin) -> Option<(NonNull<u8>, Block)> {
    let pooled = Block::from_pool(layout);
    let used = pooled.is_some();
    let block = pooled.or_else(|| Block::fresh_large(layout, fill))?;
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

/// Whether [`settle`] works on this architecture.
const CAN_SETTLE: bool = cfg!(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")));

/// Makes the compiler treat the memory as initialised with unspecified bytes.
///
/// To the compiler, newly allocated memory is uninitialised, and reading it is undefined behaviour. But the compiler has to assume
/// that inline assembly that receives the address writes to the memory. So after the assembly, each byte has some value. The same
/// holds for a reused block, which still contains the bytes of its previous owner.
#[inline]
fn settle(memory: *mut u8) {
    #[cfg(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
    // SAFETY: the assembly is a comment. It has no instructions, so it changes no register, no flag and no memory.
    unsafe {
        core::arch::asm!("/* {0} */", in(reg) memory, options(nostack, preserves_flags));
    }
    #[cfg(not(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = memory;
}

impl<T> CpuBuffer<T> {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        // SAFETY: `first` points to `len` initialised elements. They are in a block that lives as long as `self`, or in foreign
        // memory that stays valid and is not accessed by its owner for as long, by the contract of `ForeignMemory`.
        unsafe { core::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
    #[inline]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: `first` points to `len` initialised elements that live as long as `self`, as for `as_slice`. `self` is borrowed
        // mutably, so access is exclusive.
        unsafe { core::slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }
}
