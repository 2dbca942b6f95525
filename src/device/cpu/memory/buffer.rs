//! [`CpuBuffer`]: the buffer of a tensor in host memory.

#[cfg(test)]
use super::failing::FailingSystem as System;
use super::foreign::ForeignMemory;
use super::pool::{Block, Fill, MIN_POOLED_BYTES, PAGE_BYTES, next_page_offset};
use crate::device::cpu::memory::stream::copy_elements;
use crate::device::{Cpu, Device};
use crate::element::{DType, Element};
use crate::error::Error;
use core::alloc::Layout;
use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;
use std::alloc::GlobalAlloc;
#[cfg(not(test))]
use std::alloc::System;

/// Elements in host memory. The memory comes from the global allocator, as for a `Vec`, or from [another
/// library](ForeignMemory). The one element of a result of rank 0 is in memory from the system's allocator (`Slot`).
///
/// The elements of a large result (128 KiB and more) begin at a multiple of 64 bytes, within a memory block that is somewhat larger.
/// After the buffer is dropped, a later result may [reuse](Cpu#buffer-reuse) the block.
///
/// The cost of converting a buffer into a `Vec` depends on its memory:
///
/// * A small buffer, or one made from a `Vec`: free.
/// * A large result: one pass over memory and no allocation. The elements move by less than a page, to the beginning of the
///   block. The `Vec` has spare capacity.
/// * A result of rank 0, or memory of another library: a copy.
pub struct CpuBuffer<T> {
    /// Points to the first element.
    first: NonNull<T>,
    len: usize,
    /// The start of the [`Block`] that contains the elements. The block's alignment is that of `T`, so it is not stored. For
    /// foreign elements, points to their [`Owner`] instead; `bytes` is then [`FOREIGN`]. For an element from a [`Slot`], points to the
    /// element; `bytes` is then [`SLOT`].
    start: NonNull<T>,
    /// The size of the block in bytes, or [`FOREIGN`], or [`SLOT`].
    bytes: usize,
    owns: PhantomData<T>,
}

/// Small tensors are created and moved often, so the buffer must be small.
const _: () = assert!(size_of::<CpuBuffer<f64>>() == 4 * size_of::<usize>());

/// Value of `bytes` that marks foreign elements. No block has this size.
const FOREIGN: usize = usize::MAX;

/// Value of `bytes` that marks one element in memory from a [`Slot`]. No block has this size.
const SLOT: usize = usize::MAX - 1;

/// The owner of foreign elements: dropping it frees them. A `Box<dyn ..>` is a fat pointer, so the buffer stores a thin pointer
/// to a box that contains the `Owner`.
type Owner<T> = Box<dyn ForeignMemory<T>>;

/// The memory of a tensor that was split into raw parts. To free this memory,
/// [`Tensor::from_raw_parts`](crate::Tensor::from_raw_parts) needs this value in addition to the address of the elements.
///
/// The value consists of two words, so that foreign code can store it. It does not record the position of the elements in the
/// memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct RawMemory {
    start: *mut c_void,
    bytes: usize,
}

// SAFETY: a `RawMemory` gives no access to the memory. Only `CpuBuffer::from_raw`, an unsafe function, converts it into a buffer.
// That buffer may be on another thread, because the elements are `Send` and `Sync`, and the owner of foreign memory is `Send`.
unsafe impl Send for RawMemory {}
// SAFETY: threads that share a `RawMemory` can only copy and compare it, which does not access the memory.
unsafe impl Sync for RawMemory {}

// SAFETY: the buffer is the only owner of its elements, as a `Vec` is, and the elements are `Send`. The owner of foreign memory is
// `Send`, because `ForeignMemory` requires it.
unsafe impl<T: Send> Send for CpuBuffer<T> {}
// SAFETY: a shared buffer gives shared access to its elements, as a `Vec` does, and the elements are `Sync`. It gives no access
// to the owner of foreign memory.
unsafe impl<T: Sync> Sync for CpuBuffer<T> {}

impl<T> fmt::Debug for CpuBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuBuffer({} elements)", self.len)
    }
}

impl<T> CpuBuffer<T> {
    /// Creates a buffer that owns `block`, with `len` elements from `first` on.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * `len` is 0, or `first` is aligned and `len` initialised elements from `first` on are within the block.
    /// * The block has the alignment of `T`, and its size is a multiple of the size of `T`.
    #[inline]
    unsafe fn within(block: Block, first: NonNull<T>, len: usize) -> Self {
        let (start, bytes) = block.into_raw();
        CpuBuffer { first, len, start: start.cast(), bytes, owns: PhantomData }
    }

    /// Returns the block that the buffer owns, and transfers ownership of it to the caller.
    ///
    /// # Safety
    /// The caller must ensure that the buffer owns a block, and that it is neither used nor dropped afterwards.
    #[inline]
    unsafe fn take_block(&mut self) -> Block {
        // SAFETY: the caller ensures that the buffer owns a block, and that it is neither used nor dropped again.
        unsafe { block_of(self.start, self.bytes) }
    }
}

// The elements are not dropped: they are numbers or `bool`, which have no destructor.
impl<T> Drop for CpuBuffer<T> {
    #[inline]
    fn drop(&mut self) {
        if self.bytes < MIN_POOLED_BYTES {
            // SAFETY: `bytes` is less than `MIN_POOLED_BYTES`, so it is neither `FOREIGN` nor `SLOT`, and the buffer owns a block. The
            // buffer is neither used nor dropped after this block, because `drop` runs only once.
            drop(unsafe { self.take_block() });
        } else if self.bytes == SLOT {
            drop(Slot(self.start));
        } else {
            // SAFETY: `bytes` is not `SLOT`. The buffer is neither used nor dropped after this call, because `drop` runs only once.
            unsafe { free_large(self.start, self.bytes) }
        }
    }
}

/// Returns the block of a buffer with these fields.
///
/// # Safety
/// The caller must ensure that the buffer owns a block, and that it is neither used nor dropped afterwards.
#[inline]
unsafe fn block_of<T>(start: NonNull<T>, bytes: usize) -> Block {
    // SAFETY: `CpuBuffer::within` took `bytes` from the layout of a block, and requires that the block has the alignment of `T`. So
    // this size and this alignment are those of an existing block, whose layout is valid.
    let layout = unsafe { Layout::from_size_align_unchecked(bytes, align_of::<T>()) };
    // SAFETY: `start` and `layout` are those of the block that `CpuBuffer::within` split into fields. The caller ensures that the
    // buffer is neither used nor dropped again, so the new block is the only owner of the memory.
    unsafe { Block::from_raw(start.cast(), layout) }
}

/// Frees the large block of a buffer with these fields, or returns it to the pool. For foreign elements, drops their owner.
///
/// Takes the fields by value: with a reference to the buffer, the compiler would store the fields of every buffer in memory, instead of
/// keeping them in registers.
///
/// # Safety
/// The caller must ensure that `bytes` is not [`SLOT`], and that the buffer is neither used nor dropped afterwards.
#[inline(never)]
unsafe fn free_large<T>(start: NonNull<T>, bytes: usize) {
    if bytes == FOREIGN {
        // SAFETY: `bytes` is `FOREIGN`, so `start` is the address of a box that `CpuBuffer::from_foreign` leaked. Only this buffer
        // has this address. The caller ensures that the buffer is not used again, so nothing else frees the box.
        drop(unsafe { Box::from_raw(start.cast::<Owner<T>>().as_ptr()) });
        return;
    }
    // SAFETY: `bytes` is not `FOREIGN`, and the caller ensures that it is not `SLOT`, so the buffer owns a block. The caller ensures
    // that the buffer is neither used nor dropped again.
    let block = unsafe { block_of(start, bytes) };
    if block.is_large() {
        block.free_to_pool();
    }
}

/// The position of the elements in a large block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    /// The elements begin at another page offset than those of the previous large result, see [`next_page_offset`].
    Apart,
    /// The elements begin where the block begins, as in a `Vec`.
    AtBlock,
}

impl<T: Element> CpuBuffer<T> {
    /// Creates a buffer of foreign elements. Dropping the buffer drops their owner.
    pub(crate) fn from_foreign(owner: impl ForeignMemory<T>) -> Self {
        let mut owner: Box<Owner<T>> = Box::new(Box::new(owner));
        let elements = owner.elements();
        let (first, len) = (NonNull::from(&mut *elements).cast(), elements.len());
        // `ForeignMemory` guarantees to implementations that their value does not move after the last call of `elements`. From
        // here on, the owner is neither moved nor accessed until it is dropped.
        let start = NonNull::from(Box::leak(owner)).cast();
        CpuBuffer { first, len, start, bytes: FOREIGN, owns: PhantomData }
    }

    /// Splits the buffer into the address of its elements and the memory that contains them. The memory is not freed.
    pub(crate) fn into_raw(self) -> (NonNull<T>, RawMemory) {
        let from = ManuallyDrop::new(self);
        (from.first, RawMemory { start: from.start.as_ptr().cast(), bytes: from.bytes })
    }

    /// Recreates a buffer from the parts into which [`into_raw`](Self::into_raw) split it.
    ///
    /// # Safety
    /// The caller must ensure that `first` and `memory` are the results of one call of [`into_raw`](Self::into_raw), for a buffer
    /// with `len` elements of type `T`. They must be passed to this function only once.
    pub(crate) unsafe fn from_raw(first: NonNull<T>, len: usize, memory: RawMemory) -> Self {
        // SAFETY: the caller ensures that `into_raw` returned `memory`. `into_raw` sets `memory.start` from a `NonNull`, so it is
        // not null.
        let start = unsafe { NonNull::new_unchecked(memory.start.cast()) };
        CpuBuffer { first, len, start, bytes: memory.bytes, owns: PhantomData }
    }

    /// Creates a buffer of zeros. If the buffer is large and newly allocated, the system zeroes each page at the first access to
    /// it.
    #[inline]
    pub(crate) fn zeroed(len: usize) -> Result<Self, Error> {
        CpuBuffer::allocate(len, Fill::Zeros, Begin::Apart)
    }

    /// Creates a buffer with unspecified values, for a result that overwrites them. Writing zeros would cost a pass over memory.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn any(len: usize) -> Result<Self, Error> {
        CpuBuffer::allocate(len, Self::whatever(), Begin::Apart)
    }

    /// Variant of [`any`](Self::any) for a buffer that is later converted into a `Vec`. The elements are at the beginning of the
    /// block, so the conversion does not move them.
    pub(crate) fn any_for_vec(len: usize) -> Result<Self, Error> {
        CpuBuffer::allocate(len, Self::whatever(), Begin::AtBlock)
    }

    /// Returns how [`any`](Self::any) fills a new buffer. The bytes are zeros if some bytes are invalid values of `T`, or if [`settle`] does
    /// nothing on this platform, so that other bytes would count as uninitialised. Otherwise, the bytes are unspecified.
    #[inline]
    fn whatever() -> Fill {
        // For `bool`, only the bytes 0 and 1 are valid.
        if T::DTYPE == DType::Bool || !CAN_SETTLE { Fill::Zeros } else { Fill::Anything }
    }

    // Always inlined. A function that is not inlined returns the parts of its `Result` through memory, with separate stores and
    // one load of all parts. Such a load cannot be forwarded from the stores, and stalls the processor.
    #[cfg_attr(not(debug_assertions), inline(always))]
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
        // SAFETY:
        // * `len` elements from `first` on are within the block, and `first` is aligned for `T`.
        // * The block's layout is `layout`, or that of a large block, which has the alignment of `layout` and a multiple of 4096
        //   bytes. The size of `T` divides 4096, so it divides the size of the block.
        // * With `Zeros`, the elements are valid, because the sealed trait `Element` requires that zero bytes are a valid
        //   element.
        // * With `Anything`, `settle` has initialised the bytes. `CpuBuffer::whatever`, which chooses `Anything`, does so only
        //   for numbers, for which all bytes are valid.
        Ok(unsafe { CpuBuffer::within(block, first.cast(), len) })
    }

    /// Converts a `Vec` into a buffer without copying elements.
    pub(crate) fn from_vec(mut data: Vec<T>) -> Self {
        if cfg!(vierbein_exact_memory) {
            data.shrink_to_fit();
        }
        let mut data = ManuallyDrop::new(data);
        let layout = Layout::array::<T>(data.capacity()).expect("the layout of a `Vec` is valid");
        let (first, len) =
            (NonNull::new(data.as_mut_ptr()).expect("the pointer of a `Vec` is not null"), data.len());
        // SAFETY: if `layout` has zero bytes, `Block::from_raw` accepts any address. Otherwise the global allocator allocated the
        // memory of the `Vec` with this layout. `ManuallyDrop` keeps the `Vec` from freeing the memory, so ownership moves to the
        // block.
        let block = unsafe { Block::from_raw(first.cast(), layout) };
        // SAFETY: the `len` initialised elements of the `Vec` are at the beginning of the block. The block has the layout of an
        // array of `T`, so its alignment is that of `T`, and its size is a multiple of that of `T`.
        unsafe { CpuBuffer::within(block, first, len) }
    }

    /// Converts the buffer into a `Vec`. Elements that are not in memory of the global allocator are copied.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the copy cannot be allocated.
    pub(crate) fn into_vec(self) -> Result<Vec<T>, Error> {
        if self.bytes == FOREIGN || self.bytes == SLOT {
            let mut copy = CpuBuffer::any_for_vec(self.len)?;
            copy_elements(self.as_slice(), copy.as_mut_slice());
            return copy.into_vec();
        }
        // The buffer must not be dropped, because the `Vec` takes ownership of its memory.
        let from = ManuallyDrop::new(self);
        if from.start != from.first {
            // SAFETY: both ranges have `len` elements and are within the block, which only this buffer owns. `start` is aligned for
            // `T`, because the block has the alignment of `T`. `first` is aligned, because `CpuBuffer::within` requires it.
            unsafe { core::ptr::copy(from.first.as_ptr(), from.start.as_ptr(), from.len) };
        }
        // SAFETY: the memory is from the global allocator, and only this buffer owned it. `CpuBuffer::within` requires that it has
        // the alignment of `T`, and that its size is a multiple of that of `T`. So its layout is that of an array of
        // `bytes / size_of::<T>()` elements. With zero bytes, any aligned address is valid. The first `len` elements are initialised.
        Ok(unsafe { Vec::from_raw_parts(from.start.as_ptr(), from.len, from.bytes / size_of::<T>()) })
    }
}

/// Memory for one element, which becomes the buffer of a result of rank 0.
///
/// If the element is read and the buffer is then dropped at once, the compiler can remove the allocation. Three decisions serve this case:
///
/// * The memory comes from the system's allocator, not from the global one. An allocation from the global allocator also calls a function
///   of the standard library that the compiler cannot remove, and values that are computed before this call pass through memory.
/// * If the allocation fails, `new` does not empty the buffer pool and try again. With this side effect, the compiler could not remove the
///   allocation.
/// * The memory is allocated before the element is computed. If the allocation stays, an element that was computed before it would be
///   saved to the stack for the duration of the call.
pub(crate) struct Slot<T>(NonNull<T>);

impl<T: Element> Slot<T> {
    /// Allocates the memory.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the allocation fails.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new() -> Result<Slot<T>, Error> {
        // SAFETY: the layout's size is not zero, because no `Element` is zero-sized.
        let memory = unsafe { System.alloc(Layout::new::<T>()) };
        NonNull::new(memory.cast()).map(Slot).ok_or_else(|| no_memory::<T>(1))
    }

    /// Writes the element, and returns the buffer.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn fill(self, value: T) -> CpuBuffer<T> {
        let first = ManuallyDrop::new(self).0;
        // SAFETY: `new` allocated the memory for one `T`, so it is aligned and valid for this write.
        unsafe { first.write(value) };
        CpuBuffer { first, len: 1, start: first, bytes: SLOT, owns: PhantomData }
    }
}

// The memory contains no value that must be dropped: see the destructor of `CpuBuffer`.
impl<T> Drop for Slot<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: `Slot::new` allocated this memory from `System` with this layout. The slot owns it, because `fill` forgets the slot whose
        // memory it gives to a buffer, and the destructor of that buffer, which runs only once, creates the slot again.
        unsafe { System.dealloc(self.0.cast().as_ptr(), Layout::new::<T>()) };
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

/// Returns a large block, from the pool or newly allocated, and the address in it at which elements with `layout` begin. Returns
/// `None` if the allocation fails.
#[inline(never)]
fn large(layout: Layout, fill: Fill, begin: Begin) -> Option<(NonNull<u8>, Block)> {
    let pooled = Block::from_pool(layout);
    let used = pooled.is_some();
    let block = pooled.or_else(|| Block::fresh_large(layout, fill))?;
    let offset = match begin {
        Begin::Apart => next_page_offset().wrapping_sub(block.start().addr().get()) % PAGE_BYTES,
        Begin::AtBlock => 0,
    };
    // Large blocks have `PAGE_BYTES` bytes more than the elements need, so the elements fit at this offset.
    assert!(offset + layout.size() <= block.bytes());
    // SAFETY: the assertion ensures that `offset` is within the block.
    let first = unsafe { block.start().add(offset) };
    if used && fill == Fill::Zeros {
        // SAFETY: the assertion ensures that `layout.size()` bytes from `first` on are within the block. `block` owns them
        // exclusively.
        unsafe { first.write_bytes(0, layout.size()) };
    }
    Some((first, block))
}

/// Whether [`settle`] works on this architecture.
const CAN_SETTLE: bool = cfg!(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")));

/// Makes the compiler treat memory as initialised with unspecified bytes.
///
/// The compiler treats newly allocated memory as uninitialised, and reading it is undefined behaviour. But the compiler must
/// assume that inline assembly writes to memory whose address it receives. So after the assembly, each byte has some value. The
/// same holds for a reused block, which still contains the bytes of its previous use.
#[inline]
fn settle(memory: *mut u8) {
    #[cfg(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
    // SAFETY: the assembly consists of a comment. It has no instructions, so it changes no register, no flag and no memory.
    unsafe {
        core::arch::asm!("/* {0} */", in(reg) memory, options(nostack, preserves_flags));
    }
    #[cfg(not(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = memory;
}

/// Initialises memory with unspecified values, at no cost if the architecture allows.
///
/// # Safety
/// The caller must ensure exclusive access to `len` values at `start`, which is aligned.
#[cfg(feature = "fft")]
#[inline]
pub(in crate::device::cpu) unsafe fn initialise<T: Element>(start: *mut T, len: usize) {
    match CpuBuffer::<T>::whatever() {
        // SAFETY: the caller ensures exclusive access to `len` values. Zero bytes are a valid value of every element type.
        Fill::Zeros => unsafe { start.write_bytes(0, len) },
        Fill::Anything => settle(start.cast()),
    }
}

impl<T> CpuBuffer<T> {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        // SAFETY: `first` points to `len` initialised elements. They are in a block that lives as long as `self`, or in foreign
        // memory. By the contract of `ForeignMemory`, foreign memory stays valid, and its owner does not access it, for as long
        // as `self` exists.
        unsafe { core::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
    #[inline]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as for `as_slice`, `first` points to `len` initialised elements that live as long as `self`. `self` is borrowed
        // mutably, so access is exclusive.
        unsafe { core::slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }
}
