//! Memory on the host.

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
/// What began as a `Vec`, and what is small, becomes a `Vec` without a copy. A large result (128 KiB and more) begins at a cache
/// line within a block that is somewhat larger and is [used again](Cpu#memory-that-is-used-again) when the buffer is dropped.
/// To become a `Vec` its elements move to the beginning of the block, by less than a page: a pass over memory, but no second
/// piece of it. That `Vec` has some capacity to spare. What another library owns is copied to become a `Vec`.
pub struct CpuBuffer<T> {
    /// The first element.
    first: NonNull<T>,
    len: usize,
    /// The [`Block`] that the elements are in, whose alignment is that of `T`, in as few words as possible; or else the
    /// [`Owner`] of foreign elements, where `bytes` says so.
    start: NonNull<T>,
    bytes: usize,
    owns: PhantomData<T>,
}

/// Small tensors are made and moved often.
const _: () = assert!(size_of::<CpuBuffer<f64>>() == 4 * size_of::<usize>());

/// In place of a block's bytes, of which there are never so many.
const FOREIGN: usize = usize::MAX;

/// Who frees foreign elements, behind a pointer of one word: a `Box` of this.
type Owner<T> = Box<dyn ForeignMemory<T>>;

/// Memory of a tensor that was taken apart: what [`Tensor::from_raw_parts`](crate::Tensor::from_raw_parts) needs besides the
/// address of the elements to free it.
///
/// Two words for foreign code to keep. They say nothing of where the elements are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct RawMemory {
    start: *mut c_void,
    bytes: usize,
}

// SAFETY: as for a `Vec` (the elements of a tensor are `Send` and `Sync`) and for the owner of foreign memory, which is `Send`: an
// address alone gives access to nothing.
unsafe impl Send for RawMemory {}
// SAFETY: as for `Send`.
unsafe impl Sync for RawMemory {}

// SAFETY: as for a `Vec`: the block is memory that nobody else owns, and all that is in it are elements. An owner is `Send`.
unsafe impl<T: Send> Send for CpuBuffer<T> {}
// SAFETY: as for a `Vec`: a shared buffer gives shared elements. It gives no access to an owner.
unsafe impl<T: Sync> Sync for CpuBuffer<T> {}

impl<T> fmt::Debug for CpuBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuBuffer({} elements)", self.len)
    }
}

impl<T> CpuBuffer<T> {
    /// # Safety
    /// `first` is in the block, with `len` elements, all of which have values, or `len` is 0. The block has the alignment of `T`,
    /// and the size of `T` divides its bytes.
    #[inline]
    unsafe fn within(block: Block, first: NonNull<T>, len: usize) -> Self {
        let (start, bytes) = block.into_raw();
        CpuBuffer { first, len, start: start.cast(), bytes, owns: PhantomData }
    }

    /// # Safety
    /// The buffer is not used again, and not foreign.
    #[inline]
    unsafe fn take_block(&mut self) -> Block {
        // SAFETY: it was the layout of the block that `within` took apart.
        let layout = unsafe { Layout::from_size_align_unchecked(self.bytes, align_of::<T>()) };
        // SAFETY: it is that block.
        unsafe { Block::from_raw(self.start.cast(), layout) }
    }
}

// Elements are numbers: there is nothing to drop in them.
impl<T> Drop for CpuBuffer<T> {
    #[inline]
    fn drop(&mut self) {
        if self.bytes >= MIN_POOLED_BYTES {
            // SAFETY: this is the end of the buffer.
            unsafe { self.free_large() }
        } else {
            // SAFETY: as above; a foreign one has more bytes.
            drop(unsafe { self.take_block() });
        }
    }
}

impl<T> CpuBuffer<T> {
    /// Frees what is not a small block.
    ///
    /// # Safety
    /// The buffer is not used again.
    #[inline(never)]
    unsafe fn free_large(&mut self) {
        if self.bytes == FOREIGN {
            // SAFETY: `from_foreign` made it of such a box, which nobody else has.
            drop(unsafe { Box::from_raw(self.start.cast::<Owner<T>>().as_ptr()) });
            return;
        }
        // SAFETY: it is not foreign, and not used again.
        let block = unsafe { self.take_block() };
        if block.is_large() {
            block.recycle();
        }
    }
}

/// Where in a large block elements begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    AtPage,
    /// As a `Vec` has to.
    AtBlock,
}

impl<T: Element> CpuBuffer<T> {
    /// The owner's elements, until the buffer is dropped, and the owner with it.
    pub(crate) fn from_foreign(owner: impl ForeignMemory<T>) -> Self {
        let mut owner: Box<Owner<T>> = Box::new(Box::new(owner));
        let elements = owner.elements();
        let (first, len) = (NonNull::from(&mut *elements).cast(), elements.len());
        // The owner itself does not move any more: it stays alone with its elements.
        let start = NonNull::from(Box::leak(owner)).cast();
        CpuBuffer { first, len, start, bytes: FOREIGN, owns: PhantomData }
    }

    /// The address of the elements, and what frees them.
    pub(crate) fn into_raw(self) -> (NonNull<T>, RawMemory) {
        let from = ManuallyDrop::new(self);
        (from.first, RawMemory { start: from.start.as_ptr().cast(), bytes: from.bytes })
    }

    /// # Safety
    /// `first` and `memory` are of [`into_raw`](Self::into_raw) of a buffer with `len` elements `T`, and become one again once.
    pub(crate) unsafe fn from_raw(first: NonNull<T>, len: usize, memory: RawMemory) -> Self {
        // SAFETY: no buffer begins at null.
        let start = unsafe { NonNull::new_unchecked(memory.start.cast()) };
        CpuBuffer { first, len, start, bytes: memory.bytes, owns: PhantomData }
    }

    /// Zeroed memory. What is not recycled, large allocations get from the system without touching it.
    #[inline]
    pub(crate) fn zeroed(len: usize) -> Result<Self, Error> {
        CpuBuffer::allocate(len, Fill::Zeros, Begin::AtPage)
    }

    /// Memory for a result: some values, whatever was there. To zero what will be overwritten costs a pass over memory.
    #[inline(always)]
    pub(crate) fn any(len: usize) -> Result<Self, Error> {
        CpuBuffer::allocate(len, Self::whatever(), Begin::AtPage)
    }

    /// [`any`](Self::any) for what is to become a `Vec`, without a move.
    pub(crate) fn any_for_vec(len: usize) -> Result<Self, Error> {
        CpuBuffer::allocate(len, Self::whatever(), Begin::AtBlock)
    }

    /// What a result may hold before it is written.
    #[inline]
    fn whatever() -> Fill {
        // Not every byte is a `bool`.
        if T::DTYPE == DType::Bool || !CAN_SETTLE { Fill::Zeros } else { Fill::Anything }
    }

    // Always: the parts of a returned `Result` are stored apart and loaded together, for which the processor waits.
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
            let bytes = size_of::<T>() * len;
            if bytes <= MAX_ZEROED_BYTES {
                // SAFETY: the block has these bytes.
                unsafe { first.write_bytes(0, bytes) };
            } else {
                settle(first.as_ptr());
            }
        }
        // SAFETY: there is room for the elements. All bytes zero is a valid `T`: `Element` is sealed, and says so. Any bytes at all
        // are valid numbers, and `whatever` gives no others.
        Ok(unsafe { CpuBuffer::within(block, first.cast(), len) })
    }

    /// One element. The compiler can leave out the allocation if the element is read and the buffer dropped at once. For that it is
    /// the only one that is tried: pooled blocks are not freed for a second one.
    #[inline(always)]
    pub(crate) fn of(value: T) -> Result<Self, Error> {
        let layout = Layout::new::<T>();
        // SAFETY: elements have a size.
        let memory = unsafe { std::alloc::alloc(layout) };
        let Some(first) = NonNull::new(memory.cast::<T>()) else { return Err(no_memory::<T>(1)) };
        // SAFETY: the new memory is for one element.
        unsafe { first.write(value) };
        // SAFETY: it is a block of the layout of `T`, and holds the element.
        let block = unsafe { Block::from_raw(first.cast(), layout) };
        // SAFETY: as above.
        Ok(unsafe { CpuBuffer::within(block, first, 1) })
    }

    pub(crate) fn from_vec(mut data: Vec<T>) -> Self {
        if cfg!(vierbein_exact_memory) {
            data.shrink_to_fit();
        }
        let mut data = ManuallyDrop::new(data);
        let layout = Layout::array::<T>(data.capacity()).expect("a `Vec` has allocated it");
        let (first, len) = (NonNull::new(data.as_mut_ptr()).expect("a `Vec` has an address"), data.len());
        // SAFETY: a `Vec` has its elements in memory of the global allocator for `capacity` of them, and gives it up; without
        // capacity it has none.
        let block = unsafe { Block::from_raw(first.cast(), layout) };
        // SAFETY: the elements are the `Vec`'s, from the beginning of its memory.
        unsafe { CpuBuffer::within(block, first, len) }
    }

    pub(crate) fn into_vec(self) -> Result<Vec<T>, Error> {
        if self.bytes == FOREIGN {
            let mut copy = CpuBuffer::any_for_vec(self.len)?;
            copy.as_mut_slice().copy_from_slice(self.as_slice());
            return copy.into_vec();
        }
        // Nothing is dropped: the memory is the `Vec`'s.
        let from = ManuallyDrop::new(self);
        if from.start != from.first {
            // SAFETY: both ranges lie within the block, which is ours alone, and begin at a multiple of the element's alignment.
            unsafe { core::ptr::copy(from.first.as_ptr(), from.start.as_ptr(), from.len) };
        }
        // SAFETY: the memory is the global allocator's, ours, of the alignment of `T`, and of bytes that the size of `T` divides:
        // those of a `Vec<T>`, of `len` elements, or of a large block; without any bytes, the address is as good as any. The first
        // `len` elements have values.
        Ok(unsafe { Vec::from_raw_parts(from.start.as_ptr(), from.len, from.bytes / size_of::<T>()) })
    }
}

/// Results of no more bytes are zeroed rather than [settled](settle): the compiler can then leave out the allocation of a result that
/// is read and dropped at once, as in `x.sum().item()`.
const MAX_ZEROED_BYTES: usize = 16;

/// The error of an allocation of `len` elements. Out of line, so that allocations are small enough to be inlined.
#[cold]
fn no_memory<T>(len: usize) -> Error {
    match Layout::array::<T>(len) {
        Ok(layout) => Error::OutOfMemory { device: Cpu.name(), bytes: layout.size() },
        Err(_) => Error::Overflow { shape: vec![len], element_bytes: size_of::<T>() },
    }
}

/// A large block for `layout`, used before or fresh, and where in it the elements begin.
#[inline(never)]
fn large(layout: Layout, fill: Fill, begin: Begin) -> Option<(NonNull<u8>, Block)> {
    let recycled = Block::recycled(layout);
    let used = recycled.is_some();
    let block = recycled.or_else(|| Block::fresh_large(layout, fill))?;
    let offset = match begin {
        Begin::AtPage => block.start().addr().get().wrapping_neg() % LARGE_ALIGNMENT,
        Begin::AtBlock => 0,
    };
    // Blocks have room for what lies before a boundary.
    assert!(offset + layout.size() <= block.bytes());
    // SAFETY: the elements lie within the block, which is ours alone.
    let first = unsafe { block.start().add(offset) };
    if used && fill == Fill::Zeros {
        // SAFETY: as above.
        unsafe { first.write_bytes(0, layout.size()) };
    }
    Some((first, block))
}

/// Whether this machine's compiler can be told that memory has some value.
const CAN_SETTLE: bool = cfg!(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")));

/// Fresh memory holds whatever it holds, but to the compiler it has no value yet, and to read it would be undefined. An empty
/// piece of assembly that is given the address may have written there, as far as the compiler knows: from here on each byte has
/// some value. So it is with what the owner before left of a recycled block.
#[inline]
fn settle(memory: *mut u8) {
    #[cfg(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
    // SAFETY: no instruction is executed.
    unsafe {
        core::arch::asm!("/* {0} */", in(reg) memory, options(nostack, preserves_flags));
    }
    #[cfg(not(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = memory;
}

impl<T> CpuBuffer<T> {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        // SAFETY: `len` elements with values lie behind `first`, in a block that lives as long as `self`, or in memory that its
        // owner leaves alone for as long.
        unsafe { core::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
    #[inline]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as above, and `self` is borrowed mutably.
        unsafe { core::slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }
}
