//! Large blocks of memory, kept when they are freed and handed out again.
//!
//! The system hands out fresh memory page by page, at the first touch, and zeroes each page: for a large elementwise operation that
//! takes several times as long as the operation. A block that was in use a moment ago has its pages, and may still be in a cache.

use super::system;
use crate::device::{Cpu, Device};
use crate::error::Error;
use core::alloc::Layout;
use core::cmp::Reverse;
use core::ptr::NonNull;
use std::alloc::{alloc, alloc_zeroed, dealloc};
use std::io::Write;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Results of this many bytes and more live in blocks that are kept. Smaller ones the global allocator serves well.
///
/// No result is that large in the build for memory checkers (`--cfg vierbein_exact_memory`): each one then has an allocation of
/// its own, of exactly its bytes, so that AddressSanitizer reports every access outside it.
pub(in crate::device::cpu) const MIN_POOLED_BYTES: usize =
    if cfg!(vierbein_exact_memory) { isize::MAX as usize + 1 } else { 128 << 10 };

/// Where the elements of a large block begin: a page. All large results lie at the same place in their pages then, and those of
/// a plain `Vec`, which begins some bytes behind a page's beginning, further on: where elements were written a few bytes *ahead*
/// of where others are read next, but for the page, the processor would wait for the one before it does the other.
pub(in crate::device::cpu) const LARGE_ALIGNMENT: usize = 4096;

/// Large blocks are multiples of this: of every element's size, so that a block may become a `Vec` of any elements.
const BLOCK_GRANULE_BYTES: usize = 4096;

/// So many blocks are kept at most: all of them are looked at when one is wanted.
const MAX_POOL_BLOCKS: usize = 256;

/// What fresh memory is to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device::cpu) enum Fill {
    Anything,
    Zeros,
}

/// Memory from the global allocator, which nobody else owns; none where the layout is of zero bytes.
#[derive(Debug)]
pub(in crate::device::cpu) struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a block is owned memory, and any thread may give it back to the global allocator.
unsafe impl Send for Block {}
// SAFETY: a shared block gives its address and its layout, no more.
unsafe impl Sync for Block {}

impl Block {
    /// # Safety
    /// `start` is memory of the global allocator of just this layout, and the caller's to give away; or the layout has no bytes.
    #[inline]
    pub(in crate::device::cpu) unsafe fn from_raw(start: NonNull<u8>, layout: Layout) -> Block {
        Block { start, layout }
    }

    /// The address and the bytes. The memory is the caller's from now on, who knows the alignment.
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

    /// Fresh memory of just this layout. Before it gives up, what is kept is given back.
    #[inline]
    pub(in crate::device::cpu) fn fresh(layout: Layout, fill: Fill) -> Option<Block> {
        if layout.size() == 0 {
            // Of any address that is aligned.
            return Some(Block { start: layout.dangling_ptr(), layout });
        }
        let start = match fill {
            // SAFETY: the layout is not empty.
            Fill::Anything => unsafe { alloc(layout) },
            // SAFETY: as above.
            Fill::Zeros => unsafe { alloc_zeroed(layout) },
        };
        match NonNull::new(start) {
            Some(start) => Some(Block { start, layout }),
            None => Block::fresh_after_trim(layout, fill),
        }
    }

    #[cold]
    fn fresh_after_trim(layout: Layout, fill: Fill) -> Option<Block> {
        // Each time there is less that is kept.
        if KEPT.trim() > 0 { Block::fresh(layout, fill) } else { None }
    }

    /// A fresh block for `wanted` at a page, to be kept when it is freed.
    pub(in crate::device::cpu) fn fresh_large(wanted: Layout, fill: Fill) -> Option<Block> {
        let bytes =
            wanted.size().checked_add(LARGE_ALIGNMENT)?.checked_next_multiple_of(BLOCK_GRANULE_BYTES)?;
        let block = Block::fresh(Layout::from_size_align(bytes, wanted.align()).ok()?, fill)?;
        system::use_huge_pages(block.start().as_ptr(), bytes);
        Some(block)
    }

    /// A kept block for `wanted` at a page, if there is one.
    pub(in crate::device::cpu) fn recycled(wanted: Layout) -> Option<Block> {
        KEPT.take(wanted)
    }

    /// Whether it is one of those that are kept.
    #[inline]
    pub(in crate::device::cpu) fn is_large(&self) -> bool {
        self.bytes() >= MIN_POOLED_BYTES && self.bytes().is_multiple_of(BLOCK_GRANULE_BYTES)
    }

    /// Keeps it for others, or frees it.
    #[inline(never)]
    pub(in crate::device::cpu) fn recycle(self) {
        debug_assert!(self.is_large());
        KEPT.put(self);
    }

    /// Whether it is large enough for `wanted` at a page and not much larger: at most a quarter of what is in use is waste.
    fn serves(&self, wanted: Layout) -> bool {
        let (bytes, needed) = (self.bytes(), wanted.size());
        self.layout.align() == wanted.align()
            && bytes >= needed.saturating_add(LARGE_ALIGNMENT)
            && bytes - needed <= needed / 4
    }
}

impl Drop for Block {
    #[inline]
    fn drop(&mut self) {
        if self.layout.size() > 0 {
            // SAFETY: a block of some bytes is the global allocator's, of this layout, and nobody else's.
            unsafe { dealloc(self.start.as_ptr(), self.layout) };
        }
    }
}

/// Makes room for so many more elements, or says that there is none.
pub(crate) fn reserve<T>(to: &mut Vec<T>, more: usize) -> Result<(), Error> {
    if has_room(to, more) {
        return Ok(());
    }
    Err(Error::OutOfMemory { device: Cpu.name(), bytes: more.saturating_mul(size_of::<T>()) })
}

/// [`reserve`] for whoever can do without. Before it gives up, what is kept is given back.
pub(in crate::device::cpu) fn has_room<T>(to: &mut Vec<T>, more: usize) -> bool {
    while to.try_reserve_exact(more).is_err() {
        // What no machine has is not worth what is kept.
        if more > isize::MAX as usize / size_of::<T>().max(1) || KEPT.trim() == 0 {
            return false;
        }
    }
    true
}

/// Blocks that nobody uses.
struct Pool(Mutex<Held>);

struct Held {
    /// The one that was freed first comes first.
    blocks: Vec<Block>,
    /// In all of them.
    bytes: usize,
    /// `None` until somebody sets it: the default.
    limit: Option<usize>,
}

static KEPT: Pool = Pool::new(None);

// Memory goes back to the allocator after the lock is released: that can take the system a while.
impl Pool {
    const fn new(limit: Option<usize>) -> Pool {
        Pool(Mutex::new(Held { blocks: Vec::new(), bytes: 0, limit }))
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        // Nothing under the lock leaves it half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The smallest that serves, of several the one that was freed last: it is the likeliest to be in a cache.
    fn take(&self, wanted: Layout) -> Option<Block> {
        let mut held = self.lock();
        let serving = held.blocks.iter().enumerate().filter(|(_, block)| block.serves(wanted));
        let (at, _) = serving.min_by_key(|(at, block)| (block.bytes(), Reverse(*at)))?;
        Some(held.remove(at))
    }

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

    fn trim(&self) -> usize {
        let mut held = self.lock();
        let (blocks, bytes) = (core::mem::take(&mut held.blocks), core::mem::take(&mut held.bytes));
        drop(held);
        drop(blocks);
        bytes
    }
}

impl Held {
    fn limit(&self) -> usize {
        self.limit.unwrap_or_else(default_limit)
    }

    fn remove(&mut self, at: usize) -> Block {
        let block = self.blocks.remove(at);
        self.bytes -= block.bytes();
        block
    }
}

/// The environment variable that sets the limit of a process.
const VARIABLE: &str = "VIERBEIN_RECYCLE_BYTES";

fn default_limit() -> usize {
    static DEFAULT: OnceLock<usize> = OnceLock::new();
    *DEFAULT.get_or_init(|| {
        let usual = || usual_limit(system::memory(), usize::BITS) as usize;
        let Some(text) = std::env::var_os(VARIABLE) else { return usual() };
        text.to_str().and_then(parse).unwrap_or_else(|| {
            // A buffer may be on its way out of a program that has closed this: no reason to panic.
            let _ = writeln!(
                std::io::stderr(),
                "vierbein: {VARIABLE} is {text:?}, which is no number of bytes: ignored"
            );
            usual()
        })
    })
}

/// The limit for a machine with these bytes of memory, if that is known, and with pointers of these bits. It fits in `usize`.
fn usual_limit(memory: Option<u64>, pointer_bits: u32) -> u64 {
    let most = if pointer_bits > 32 { 4 << 30 } else { 1 << 30 };
    memory.map_or(256 << 20, |bytes| bytes / 8).min(most)
}

fn parse(text: &str) -> Option<usize> {
    text.trim().parse().ok()
}

/// # Memory that is used again
///
/// The system hands out memory page by page, when it is first touched, and zeroes each page. For a large `&a + &b` that takes
/// longer than the sum. So the memory of a large result (128 KiB and more) is not given back when a tensor is dropped, but kept
/// for the next result of about its size (at most a quarter larger than needed) whose elements have the same alignment.
///
/// What is kept is bounded, by default by an eighth of the machine's memory (or of its container's) and by 4 GiB (1 GiB on a
/// 32-bit machine), whichever is less: enough for the temporaries of a few large expressions, and a small part of what a program with such tensors uses
/// anyway. What has been kept longest is given back first. The bound is set for the process by [`Cpu::set_recycling_limit`] or,
/// before it starts, by the environment variable `VIERBEIN_RECYCLE_BYTES`; 0 switches recycling off. Where memory runs out,
/// what is kept is given back before an operation fails.
///
/// Large results begin at a page, and on Linux ask for huge pages as far as those fit in (from 2 MiB on).
impl Cpu {
    /// Sets how many bytes of freed memory the process keeps for later results, and gives back at once what is kept above that.
    /// With 0 nothing is kept, now or later.
    ///
    /// ```
    /// use vierbein::{Cpu, Tensor};
    /// Cpu::set_recycling_limit(0);
    /// drop(Tensor::<f64, _>::ones([1000, 1000]));
    /// assert_eq!(Cpu::recycled_bytes(), 0);
    ///
    /// Cpu::set_recycling_limit(64 << 20);
    /// drop(Tensor::<f64, _>::ones([1000, 1000]));
    /// assert!(Cpu::recycled_bytes() >= 8_000_000);
    /// ```
    pub fn set_recycling_limit(bytes: usize) {
        KEPT.set_limit(bytes);
    }

    /// How many bytes of freed memory the process keeps at most: what was set last, or else `VIERBEIN_RECYCLE_BYTES` as it was
    /// when it was first needed, or else an eighth of the memory and at most 4 GiB (1 GiB on a 32-bit machine).
    ///
    /// ```
    /// use vierbein::Cpu;
    /// let before = Cpu::recycling_limit();
    /// Cpu::set_recycling_limit(before / 2);
    /// assert_eq!(Cpu::recycling_limit(), before / 2);
    /// ```
    pub fn recycling_limit() -> usize {
        KEPT.lock().limit()
    }

    /// How many bytes are kept now, in use by no tensor.
    ///
    /// ```
    /// use vierbein::{Cpu, Tensor};
    /// let x = Tensor::<f64, _>::ones([1000, 1000]);
    /// let before = Cpu::recycled_bytes();
    /// drop(x);
    /// assert!(Cpu::recycled_bytes() > before);
    /// ```
    pub fn recycled_bytes() -> usize {
        KEPT.lock().bytes
    }

    /// Gives back all that is kept, and says how many bytes that was. Memory is kept again from then on: to be called where a
    /// program has done its large work and goes on for long.
    ///
    /// ```
    /// use vierbein::{Cpu, Tensor};
    /// drop(Tensor::<f64, _>::ones([1000, 1000]));
    /// assert!(Cpu::trim() >= 8_000_000);
    /// assert_eq!(Cpu::recycled_bytes(), 0);
    /// ```
    pub fn trim() -> usize {
        KEPT.trim()
    }
}

#[cfg(test)]
mod tests {
    use super::super::CpuBuffer;
    use super::*;
    use crate::element::{Element, c64};

    fn layout(bytes: usize, align: usize) -> Layout {
        Layout::from_size_align(bytes, align).unwrap()
    }

    #[test]
    fn usual_limit_is_an_eighth_of_the_memory_and_bounded() {
        const GIB: u64 = 1 << 30;
        for (memory, bits, expected) in [
            (Some(8 * GIB), 64, GIB),
            (Some(1024 * GIB), 64, 4 * GIB),
            (None, 64, GIB / 4),
            (Some(2 * GIB), 32, GIB / 4),
            // More than pointers of 32 bits address.
            (Some(64 * GIB), 32, GIB),
            (None, 32, GIB / 4),
        ] {
            assert_eq!(usual_limit(memory, bits), expected, "{memory:?}, {bits} bits");
        }
        assert!(usize::try_from(usual_limit(Some(u64::MAX), usize::BITS)).is_ok());
    }

    fn block(bytes: usize, align: usize) -> Block {
        Block::fresh(layout(bytes, align), Fill::Anything).unwrap()
    }

    const KIB: usize = 1024;

    #[test]
    fn the_best_fit_of_its_alignment_is_taken() {
        let pool = Pool::new(Some(usize::MAX));
        for (bytes, align) in [(1000, 8), (800, 8), (900, 8), (900, 4), (800, 8), (600, 8)] {
            pool.put(block(bytes * KIB, align));
        }
        let starts: Vec<_> = pool.lock().blocks.iter().map(Block::start).collect();
        let taken = [(); 5].map(|()| pool.take(layout(780 * KIB, 8)));
        let at = |k: usize| Some(starts[k]);
        assert_eq!(taken.each_ref().map(|b| b.as_ref().map(Block::start)), [at(4), at(1), at(2), None, None]);
        assert_eq!(pool.lock().bytes, 2500 * KIB);
        // No block is filled to the last byte: elements have to begin at a boundary.
        assert!(pool.take(layout(600 * KIB, 8)).is_none());
        assert!(pool.take(layout(600 * KIB - LARGE_ALIGNMENT, 8)).is_some());
        assert!(pool.take(layout(usize::MAX / 2 - 4, 4)).is_none());
        assert_eq!(pool.trim(), 1900 * KIB);
    }

    #[test]
    fn blocks_are_bounded_in_bytes_and_in_number() {
        let pool = Pool::new(Some(10 * KIB));
        for bytes in [1, 2, 3, 4, 5, 11] {
            pool.put(block(bytes * KIB, 8));
            assert!(pool.lock().bytes <= 10 * KIB);
        }
        let sizes = |pool: &Pool| pool.lock().blocks.iter().map(|b| b.bytes() / KIB).collect::<Vec<_>>();
        assert_eq!(sizes(&pool), [4, 5]);
        pool.set_limit(8 * KIB);
        assert_eq!(sizes(&pool), [5]);
        pool.set_limit(usize::MAX);
        for _ in 0..MAX_POOL_BLOCKS {
            pool.put(block(KIB, 8));
        }
        assert_eq!(sizes(&pool), vec![1; MAX_POOL_BLOCKS]);
    }

    #[test]
    fn a_panic_under_the_lock_leaves_it_usable() {
        let pool = Pool::new(Some(10 * KIB));
        let panicked = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let _held = pool.lock();
                std::panic::resume_unwind(Box::new(()));
            });
            thread.join()
        });
        assert!(panicked.is_err() && pool.0.is_poisoned());
        pool.put(block(KIB, 8));
        assert_eq!(pool.trim(), KIB);
    }

    #[test]
    fn a_limit_is_a_number_of_bytes() {
        assert_eq!(parse("0"), Some(0));
        assert_eq!(parse(" 1048576\n"), Some(1 << 20));
        assert_eq!(["", "-1", "1M", "1e9"].map(parse), [None; 4]);
    }

    /// A buffer that is filled with a value and read again later: were its memory another's at the same time, it would differ.
    struct Marked<T: Element> {
        buffer: CpuBuffer<T>,
        mark: T,
    }

    impl<T: Element> Marked<T> {
        fn new(len: usize, mark: T) -> Self {
            let mut buffer = CpuBuffer::any(len).unwrap();
            buffer.as_mut_slice().fill(mark);
            Marked { buffer, mark }
        }

        fn check(&self) {
            assert!(self.buffer.as_slice().iter().all(|&value| value == self.mark));
        }

        fn free(self, how: usize) {
            self.check();
            match how % 4 {
                0 => {
                    let data = self.buffer.into_vec().unwrap();
                    assert!(data.iter().all(|&value| value == self.mark));
                    Marked { buffer: CpuBuffer::from_vec(data), mark: self.mark }.check();
                }
                1 => drop(self.buffer.into_vec().unwrap()),
                _ => drop(self.buffer),
            }
        }
    }

    #[test]
    #[cfg_attr(vierbein_exact_memory, ignore = "no memory is kept for reuse in this build")]
    fn nobody_gets_memory_that_is_in_use() {
        const THREADS: usize = 8;
        const ROUNDS: usize = if cfg!(miri) { 4 } else { 300 };
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    // A generator of Knuth's; each thread has its own sequence.
                    let mut state = thread as u64 + 1;
                    let mut random = |below: usize| {
                        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                        (state >> 33) as usize % below
                    };
                    let (mut bytes, mut wide) = (Vec::new(), Vec::new());
                    for round in 0..ROUNDS {
                        let len = (MIN_POOLED_BYTES << random(3)) + random(MIN_POOLED_BYTES / 4);
                        bytes.push(Marked::new(len, (thread * 31 + round) as u8));
                        wide.push(Marked::new(len / 16, c64::new(thread as f64, round as f64)));
                        if bytes.len() > random(6) {
                            bytes.swap_remove(random(bytes.len())).free(round);
                            wide.swap_remove(random(wide.len())).free(round + 1);
                        }
                        if thread == 0 && round % 64 == 63 {
                            KEPT.trim();
                        }
                    }
                    bytes.into_iter().for_each(|marked| marked.free(2));
                    wide.into_iter().for_each(|marked| marked.free(3));
                });
            }
        });
    }
}
