//! The buffer pool: keeps large blocks of memory when buffers are dropped, and reuses the blocks for later results.
//! [`CpuBuffer`](super::CpuBuffer) and the workspace of kernels call this module.
//!
//! The system provides new memory page by page, at the first access to each page, and zeroes it. For a large elementwise
//! operation, these page faults take several times as long as the operation. The pages of a reused block are already mapped, and
//! may still be in cache.
//!
//! ```text
//! allocate                                                                  (buffer::large)
//!     take the smallest block of the pool that has the alignment, is large
//!     enough, and is at most a quarter larger than needed                   (Pool::take)
//!     if there is none: allocate a block                                    (Block::fresh_large)
//! free                                                                      (Block::free_to_pool)
//!     free the oldest blocks until the new block is within the limits,
//!     then add it                                                           (Pool::put)
//! if an allocation fails: free the whole pool and retry                     (Block::fresh, try_reserve, zeroed)
//! ```

use super::system;
use crate::device::{Cpu, Device};
use crate::element::Element;
use crate::error::Error;
use core::alloc::Layout;
use core::cmp::Reverse;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::alloc::{alloc, alloc_zeroed, dealloc};
use std::io::Write;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Minimum size of a result, in bytes, whose block returns to the pool. For smaller results, the global allocator is fast enough.
///
/// In the build for memory checkers (`--cfg vierbein_exact_memory`), no result is as large as this. Each result then has an
/// allocation of its own, of exactly its bytes, so that AddressSanitizer reports every access outside it.
pub(in crate::device::cpu) const MIN_POOLED_BYTES: usize =
    if cfg!(vierbein_exact_memory) { isize::MAX as usize + 1 } else { 128 << 10 };

/// Bytes of a page: the first element of a large result is at most this far from the beginning of its block.
pub(in crate::device::cpu) const PAGE_BYTES: usize = 4096;

/// Distance, in bytes, between the page offsets at which consecutive large results begin. The page offset is the address modulo the
/// size of a page. `a + b` in L2 and L3 is slower if two of the three tensors begin at page offsets that are less than 256
/// bytes apart.
const PAGE_OFFSET_STEP: usize = 512;

/// Returns the page offset at which the next large result begins: [`PAGE_OFFSET_STEP`] before that of the previous result.
///
/// The offsets decrease, because a result is usually allocated after its operands. A load stalls after a store to almost the same page
/// offset (4 KiB aliasing). If the result begins at a smaller page offset than an operand, the loads of the operand are ahead of the
/// stores, so they do not stall.
pub(in crate::device::cpu) fn next_page_offset() -> usize {
    static PREVIOUS: AtomicUsize = AtomicUsize::new(0);
    PREVIOUS.fetch_sub(PAGE_OFFSET_STEP, Ordering::Relaxed).wrapping_sub(PAGE_OFFSET_STEP) % PAGE_BYTES
}

/// The size of a large block is a multiple of this number of bytes. The size of every element type divides it, so a block can
/// become a `Vec` of any element type.
const BLOCK_GRANULE_BYTES: usize = 4096;

/// Maximum number of blocks in the pool. The number is small, because each request searches all blocks.
const MAX_POOL_BLOCKS: usize = 256;

/// The contents that newly allocated memory must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device::cpu) enum Fill {
    Anything,
    Zeros,
}

/// Exclusively owned memory from the global allocator. A block of zero bytes owns no memory.
#[derive(Debug)]
pub(in crate::device::cpu) struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a block owns its memory exclusively. Any thread may return memory to the global allocator.
unsafe impl Send for Block {}
// SAFETY: through a shared reference, a block gives only its address and size. It does not access its memory.
unsafe impl Sync for Block {}

impl Block {
    /// Creates a block from its address and its layout.
    ///
    /// # Safety
    /// The caller must ensure that one of these conditions holds:
    /// * The global allocator allocated `start` with exactly this layout, and ownership of the memory moves to the block.
    /// * The layout has zero bytes.
    #[inline]
    pub(in crate::device::cpu) unsafe fn from_raw(start: NonNull<u8>, layout: Layout) -> Block {
        Block { start, layout }
    }

    /// Returns the address and the size of the block, and transfers ownership of the memory to the caller. To free the memory,
    /// the caller also needs its alignment.
    #[inline]
    pub(in crate::device::cpu) fn into_raw(self) -> (NonNull<u8>, usize) {
        let raw = (self.start, self.bytes());
        core::mem::forget(self);
        raw
    }

    #[inline]
    pub(in crate::device::cpu) fn start(&self) -> NonNull<u8> {
        self.start
    }

    #[inline]
    pub(in crate::device::cpu) fn bytes(&self) -> usize {
        self.layout.size()
    }

    /// Allocates memory with exactly this layout. If the allocation fails, frees the pool and retries. Returns `None` if the
    /// retry fails too.
    #[inline]
    pub(in crate::device::cpu) fn fresh(layout: Layout, fill: Fill) -> Option<Block> {
        if layout.size() == 0 {
            // Any aligned address is valid for zero bytes.
            return Some(Block { start: layout.dangling_ptr(), layout });
        }
        let start = match fill {
            // SAFETY: the layout's size is not zero.
            Fill::Anything => unsafe { alloc(layout) },
            // SAFETY: the layout's size is not zero.
            Fill::Zeros => unsafe { alloc_zeroed(layout) },
        };
        match NonNull::new(start) {
            Some(start) => Some(Block { start, layout }),
            None => Block::fresh_after_trim(layout, fill),
        }
    }

    /// Frees the pool and retries an allocation that failed.
    #[cold]
    fn fresh_after_trim(layout: Layout, fill: Fill) -> Option<Block> {
        // `fresh` may call this function again. The recursion ends as soon as the pool is empty.
        if KEPT.trim() > 0 { Block::fresh(layout, fill) } else { None }
    }

    /// Allocates a block with space for `wanted` from any page offset on. The block returns to the pool when it is freed.
    pub(in crate::device::cpu) fn fresh_large(wanted: Layout, fill: Fill) -> Option<Block> {
        let bytes = wanted.size().checked_add(PAGE_BYTES)?.checked_next_multiple_of(BLOCK_GRANULE_BYTES)?;
        let block = Block::fresh(Layout::from_size_align(bytes, wanted.align()).ok()?, fill)?;
        system::use_huge_pages(block.start().as_ptr(), bytes);
        Some(block)
    }

    /// Removes from the pool a block with space for `wanted` from any page offset on. Returns `None` if the pool has no such block.
    pub(in crate::device::cpu) fn from_pool(wanted: Layout) -> Option<Block> {
        KEPT.take(wanted)
    }

    /// Returns whether the block goes to the pool when it is freed. This depends on its size only, so the memory of a `Vec` can go to the
    /// pool too.
    #[inline]
    pub(in crate::device::cpu) fn is_large(&self) -> bool {
        self.bytes() >= MIN_POOLED_BYTES && self.bytes().is_multiple_of(BLOCK_GRANULE_BYTES)
    }

    /// Adds the block to the pool, or frees it if it is larger than the pool's limit.
    #[inline(never)]
    pub(in crate::device::cpu) fn free_to_pool(self) {
        debug_assert!(self.is_large());
        KEPT.put(self);
    }

    /// Returns whether the block can be used for `wanted`: it has the same alignment, is at most a quarter larger, and has enough bytes
    /// from any page offset on.
    fn fits(&self, wanted: Layout) -> bool {
        let (bytes, needed) = (self.bytes(), wanted.size());
        self.layout.align() == wanted.align()
            && bytes >= needed.saturating_add(PAGE_BYTES)
            && bytes - needed <= needed / 4
    }
}

impl Drop for Block {
    #[inline]
    fn drop(&mut self) {
        if self.layout.size() > 0 {
            // SAFETY: the size is not zero. So the global allocator allocated this memory with this layout, as the Safety section of
            // `Block::from_raw` requires. The block is the only owner, and is not used after `drop`.
            unsafe { dealloc(self.start.as_ptr(), self.layout) };
        }
    }
}

/// Reserves capacity for `more` additional elements.
///
/// # Errors
/// [`Error::OutOfMemory`] if the allocation fails, even after the pool was freed.
pub(crate) fn reserve<T>(to: &mut Vec<T>, more: usize) -> Result<(), Error> {
    if try_reserve(to, more) {
        return Ok(());
    }
    Err(Error::OutOfMemory { device: Cpu.name(), bytes: more.saturating_mul(size_of::<T>()) })
}

/// Reserves capacity for `more` additional elements. If the allocation fails, frees the pool and retries. Returns `false` if the
/// retry fails too.
pub(in crate::device::cpu) fn try_reserve<T>(to: &mut Vec<T>, more: usize) -> bool {
    while to.try_reserve_exact(more).is_err() {
        // The pool is not freed for a request that exceeds the address space, because the retry would fail too.
        if more > isize::MAX as usize / size_of::<T>().max(1) || KEPT.trim() == 0 {
            return false;
        }
    }
    // Huge pages are requested as for large blocks, because the vector may become the memory of a large buffer.
    if more >= MIN_POOLED_BYTES / size_of::<T>().max(1) {
        system::use_huge_pages(to.spare_capacity_mut().as_mut_ptr().cast(), more * size_of::<T>());
    }
    true
}

/// Returns `len` zeros, or `None` if the allocation fails. The system has already zeroed memory that is new to the process, so
/// such memory is not zeroed again.
pub(crate) fn zeroed<T: Element>(len: usize) -> Option<Vec<T>> {
    let layout = Layout::array::<T>(len).ok()?;
    if layout.size() == 0 {
        return Some(Vec::new());
    }
    loop {
        // SAFETY: the layout's size is not zero, as was checked.
        let start = unsafe { alloc_zeroed(layout) };
        if !start.is_null() {
            if layout.size() >= MIN_POOLED_BYTES {
                system::use_huge_pages(start, layout.size());
            }
            // SAFETY: the global allocator allocated the memory with the layout of an array of `len` elements. Zero bytes are a
            // valid element of every type: `false`, or the number zero.
            return Some(unsafe { Vec::from_raw_parts(start.cast(), len, len) });
        }
        if KEPT.trim() == 0 {
            return None;
        }
    }
}

/// A pool of freed blocks.
struct Pool(Mutex<PooledBlocks>);

/// The contents of a pool.
struct PooledBlocks {
    /// The blocks, in the order in which they were added.
    blocks: Vec<Block>,
    /// Total size of the blocks.
    bytes: usize,
    /// The maximum of `bytes`, or `None` for the default limit.
    limit: Option<usize>,
}

static KEPT: Pool = Pool::new(None);

// Methods free blocks after they release the lock, because returning memory to the system can take long.
impl Pool {
    const fn new(limit: Option<usize>) -> Pool {
        Pool(Mutex::new(PooledBlocks { blocks: Vec::new(), bytes: 0, limit }))
    }

    fn lock(&self) -> MutexGuard<'_, PooledBlocks> {
        // If a thread panics while it holds the lock, the pool is still consistent. So the lock may be used although it is
        // poisoned.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the smallest block that [`fits`](Block::fits) the layout. If several blocks have this size, takes the block that was
    /// added last, because it is most likely in cache.
    fn take(&self, wanted: Layout) -> Option<Block> {
        let mut held = self.lock();
        let serving = held.blocks.iter().enumerate().filter(|(_, block)| block.fits(wanted));
        let (at, _) = serving.min_by_key(|(at, block)| (block.bytes(), Reverse(*at)))?;
        Some(held.remove(at))
    }

    /// Adds a block. If there is not enough space, frees the oldest blocks first. If the block alone exceeds the limit, frees it
    /// instead.
    fn put(&self, block: Block) {
        loop {
            let mut held = self.lock();
            let room = MAX_POOL_BLOCKS - held.blocks.len();
            if block.bytes() > held.limit() || held.blocks.try_reserve_exact(room).is_err() {
                return;
            }
            if held.blocks.len() < MAX_POOL_BLOCKS && block.bytes() <= held.limit().saturating_sub(held.bytes)
            {
                held.bytes += block.bytes();
                held.blocks.push(block);
                return;
            }
            let oldest = held.remove(0);
            drop(held);
            drop(oldest);
        }
    }

    /// Sets the limit, and frees the oldest blocks until the pool is within the limit.
    fn set_limit(&self, bytes: usize) {
        let mut held = self.lock();
        held.limit = Some(bytes);
        while held.bytes > bytes {
            let oldest = held.remove(0);
            drop(held);
            drop(oldest);
            held = self.lock();
        }
    }

    /// Frees all blocks. Returns their total size.
    fn trim(&self) -> usize {
        let mut held = self.lock();
        let (blocks, bytes) = (core::mem::take(&mut held.blocks), core::mem::take(&mut held.bytes));
        drop(held);
        drop(blocks);
        bytes
    }
}

impl PooledBlocks {
    fn limit(&self) -> usize {
        self.limit.unwrap_or_else(default_limit)
    }

    fn remove(&mut self, at: usize) -> Block {
        let block = self.blocks.remove(at);
        self.bytes -= block.bytes();
        block
    }
}

/// The environment variable that replaces the default limit. It is read once, when the limit is first needed.
const VARIABLE: &str = "VIERBEIN_POOL_BYTES";

fn default_limit() -> usize {
    static DEFAULT: OnceLock<usize> = OnceLock::new();
    *DEFAULT.get_or_init(|| {
        let usual = || usual_limit(system::memory(), usize::BITS) as usize;
        limit_from_environment(VARIABLE).unwrap_or_else(usual)
    })
}

/// Returns the default limit in bytes, for a machine with `memory` bytes and with pointers of `pointer_bits` bits. `memory` is
/// `None` if it is not known. The limit fits in `usize`.
fn usual_limit(memory: Option<u64>, pointer_bits: u32) -> u64 {
    let most = if pointer_bits > 32 { 4 << 30 } else { 1 << 30 };
    memory.map_or(256 << 20, |bytes| bytes / 8).min(most)
}

/// Returns the number of bytes that an environment variable specifies, or `None` if the variable is not set. If its value is not a number,
/// prints a warning and returns `None`.
pub(in crate::device) fn limit_from_environment(variable: &str) -> Option<usize> {
    let text = std::env::var_os(variable)?;
    let limit = text.to_str().and_then(parse);
    if limit.is_none() {
        // Errors of writing are ignored: a buffer may be dropped while the program exits, when standard error is closed.
        let _ = writeln!(std::io::stderr(), "vierbein: ignoring {variable}={text:?}: not a number of bytes");
    }
    limit
}

fn parse(text: &str) -> Option<usize> {
    text.trim().parse().ok()
}

/// # Buffer reuse
///
/// The system provides memory page by page, at the first access to each page, and zeroes it. For a large `&a + &b`, that takes
/// longer than the addition. So when a tensor of 128 KiB or more is dropped, its buffer returns to a pool. A later result reuses a
/// buffer of the pool if the buffer has the alignment of the result's elements, is large enough, and is at most a quarter larger
/// than needed.
///
/// The size of the pool is limited. The default limit is an eighth of the memory of the machine (or of its container), but at
/// most 4 GiB (1 GiB on a 32-bit machine). If the size of the memory is not known, as on systems other than Linux, the default
/// limit is 256 MiB. If the pool is full, the blocks that have been in it longest are freed first.
///
/// [`Cpu::set_pool_limit`] sets the limit for the process. The environment variable `VIERBEIN_POOL_BYTES` replaces the default
/// limit. With a limit of 0, no memory is kept. If an allocation fails, the pool is freed and the allocation is retried before
/// the operation returns an error. The allocation of a computed result of rank 0, such as a sum, is not retried.
///
/// The elements of a large result begin at a multiple of 64 bytes. On Linux, huge pages of 2 MiB are requested for the part of the
/// result that consists of whole huge pages.
impl Cpu {
    /// Sets the maximum number of bytes of freed memory that the process keeps for later results. Frees the excess at once. With
    /// 0, the process keeps no memory.
    ///
    /// ```
    /// use vierbein::{Cpu, Tensor};
    /// Cpu::set_pool_limit(0);
    /// drop(Tensor::<f64, _>::ones([1000, 1000]));
    /// assert_eq!(Cpu::pooled_bytes(), 0);
    ///
    /// Cpu::set_pool_limit(64 << 20);
    /// drop(Tensor::<f64, _>::ones([1000, 1000]));
    /// assert!(Cpu::pooled_bytes() >= 8_000_000);
    /// ```
    pub fn set_pool_limit(bytes: usize) {
        KEPT.set_limit(bytes);
    }

    /// Returns the maximum number of bytes of freed memory that the process keeps. This is the first of these numbers that
    /// exists:
    ///
    /// 1. the limit that [`Cpu::set_pool_limit`] set last;
    /// 2. the value of `VIERBEIN_POOL_BYTES` when the limit was first needed;
    /// 3. an eighth of the memory, at most 4 GiB (1 GiB on a 32-bit machine), or 256 MiB if the size of the memory is not known.
    ///
    /// ```
    /// use vierbein::Cpu;
    /// let before = Cpu::pool_limit();
    /// Cpu::set_pool_limit(before / 2);
    /// assert_eq!(Cpu::pool_limit(), before / 2);
    /// ```
    #[must_use]
    pub fn pool_limit() -> usize {
        KEPT.lock().limit()
    }

    /// Returns the number of bytes of freed memory that the process keeps now. No tensor uses this memory.
    ///
    /// ```
    /// use vierbein::{Cpu, Tensor};
    /// let x = Tensor::<f64, _>::ones([1000, 1000]);
    /// let before = Cpu::pooled_bytes();
    /// drop(x);
    /// assert!(Cpu::pooled_bytes() > before);
    /// ```
    #[must_use]
    pub fn pooled_bytes() -> usize {
        KEPT.lock().bytes
    }

    /// Frees all memory that the process keeps for later results. Returns the number of freed bytes. The limit does not change,
    /// so the memory of tensors that are dropped later is kept again. Call this if a program has finished its large operations
    /// and continues to run.
    ///
    /// ```
    /// use vierbein::{Cpu, Tensor};
    /// drop(Tensor::<f64, _>::ones([1000, 1000]));
    /// assert!(Cpu::trim_pool() >= 8_000_000);
    /// assert_eq!(Cpu::pooled_bytes(), 0);
    /// ```
    pub fn trim_pool() -> usize {
        KEPT.trim()
    }
}

#[cfg(test)]
mod tests;
