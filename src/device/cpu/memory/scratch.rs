//! Thread-local scratch buffers for packing, partial sums and transposes, reused between calls. The kernels call this module.
//!
//! ```text
//! take the thread's buffer for the purpose       (it is empty if an enclosing call uses the buffer)
//! if it is too small: free it and allocate `len` values
//! if that allocation fails: allocate `least` values
//! if that allocation fails too: use an array on the stack
//! call the kernel
//! keep the buffer for the next call, unless it is larger than MAX_KEPT_BYTES
//! ```

use super::pool::{Block, Fill, try_reserve};
use core::alloc::Layout;
use core::cell::Cell;
use core::mem::MaybeUninit;

/// Maximum size of a scratch buffer, in bytes, that is kept after use. A thread keeps at most one buffer for each [`Side`].
pub(in crate::device::cpu) const MAX_KEPT_BYTES: usize = 8 << 20;

/// The bytes of a cache line. The alignment of this type is that of the scratch buffers.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct CacheLine(#[allow(dead_code)] [u8; 64]);

/// The purpose of a scratch buffer. A thread has one buffer for each purpose, because they may be in use at the same time.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cpu) enum Side {
    /// Packed panels of the operand A of a matrix product, or partial results of the product.
    A,
    /// Packed panels of the operand B of a matrix product.
    B,
    /// Accumulators of a reduction.
    Sums,
    /// Contiguous copies of parts of the operands of an elementwise loop.
    Blocks,
    /// Matrices and the workspace of a factorisation.
    #[cfg(feature = "linalg")]
    Factorisation,
}

/// Number of variants of [`Side`].
const SIDES: usize = if cfg!(feature = "linalg") { 5 } else { 4 };

thread_local! {
    static SCRATCH: [Cell<Vec<CacheLine>>; SIDES] = const { [const { Cell::new(Vec::new()) }; SIDES] };
}

/// Size of the scratch array on the stack, in bytes. It is used if heap allocations fail, and holds the minimum workspace of
/// every kernel.
const STACK_BYTES: usize = 256 << 10;

/// Returns the number of bytes that are added to a request, so that the first value can be aligned. This number is 0 unless the
/// alignment is larger than a cache line.
const fn alignment_bytes(align: usize) -> usize {
    align.saturating_sub(align_of::<CacheLine>())
}

/// Returns the number of values that [`with_scratch`] provides even if every allocation fails: the maximum of its argument `least`.
#[cfg(feature = "fft")]
pub(in crate::device::cpu) const fn guaranteed<R>() -> usize {
    guaranteed_of(Layout::new::<R>())
}

/// [`guaranteed`] for values with the layout `value`.
pub(in crate::device::cpu) const fn guaranteed_of(value: Layout) -> usize {
    match value.size() {
        0 => usize::MAX,
        size => STACK_BYTES.saturating_sub(alignment_bytes(value.align())) / size,
    }
}

/// Calls `f` with the address of uninitialised values and their number. `f` has exclusive access to these values. There are `len`
/// values, or `least` values if the allocation of `len` values fails. The first value is aligned to a cache line, or to the
/// alignment of `R` if that is larger. If there are zero values, or if `R` is zero-sized, the address is aligned for `R` only.
///
/// A failed allocation is never an error: the kernel runs with less memory, and takes longer. So an operation that has begun to
/// write its result can be completed.
///
/// While `f` runs, the thread's buffer is in use. A nested call with the same `side` allocates a new buffer. For example, a
/// thread that waits in `join` may run another task, whose kernel needs a buffer too.
pub(in crate::device::cpu) fn with_scratch<R, Out>(
    side: Side,
    len: usize,
    least: usize,
    f: impl FnOnce(*mut R, usize) -> Out,
) -> Out {
    let (mut f, mut out) = (Some(f), None);
    with_memory(side, Layout::new::<R>(), len, least, &mut |start, room| {
        out = f.take().map(|f| f(start.cast(), room));
    });
    out.expect("`with_memory` calls the function")
}

/// [`with_scratch`] for values with the layout `value`. Not generic, so it is compiled once.
pub(in crate::device::cpu) fn with_memory(
    side: Side,
    value: Layout,
    len: usize,
    least: usize,
    f: &mut dyn FnMut(*mut u8, usize),
) {
    debug_assert!(least <= len && least <= guaranteed_of(value));
    if len == 0 || value.size() == 0 {
        return f(core::ptr::without_provenance_mut(value.align()), len);
    }
    let extra = alignment_bytes(value.align());
    let bytes = |len: usize| {
        let bytes = len.checked_mul(value.size()).and_then(|bytes| bytes.checked_add(extra));
        bytes.expect("the workspace size fits in usize")
    };
    provide(side, bytes(len), bytes(least), &mut |start, all| {
        let start = match extra {
            0 => start.cast(),
            _ => start.cast::<u8>().map_addr(|address| address.next_multiple_of(value.align())),
        };
        f(start, if all { len } else { least });
    });
}

/// Calls `f` with the address of `bytes` bytes and `true`. If their allocation fails, calls `f` with the address of `least` bytes and
/// `false`. Not generic, so it is compiled once.
fn provide(side: Side, bytes: usize, least: usize, f: &mut dyn FnMut(*mut CacheLine, bool)) {
    if cfg!(vierbein_exact_memory) {
        return provide_exactly(bytes, least, f);
    }
    let lines = |bytes: usize| bytes.div_ceil(size_of::<CacheLine>());
    // `try_with`, because a thread that is ending may have dropped its buffers already. The new buffer is then not kept.
    let mut memory = SCRATCH.try_with(|all| all[side as usize].take()).unwrap_or_default();
    let mut all = true;
    if memory.capacity() < lines(bytes) {
        // The contents of the old buffer are not needed, so it is freed before the allocation.
        drop(memory);
        memory = fresh(lines(bytes)).unwrap_or_else(|| {
            all = false;
            fresh(lines(least)).unwrap_or_default()
        });
    }
    if memory.capacity() < lines(if all { bytes } else { least }) {
        on_stack(lines(least), f);
    } else {
        f(memory.as_mut_ptr(), all);
    }
    if memory.capacity() * size_of::<CacheLine>() <= MAX_KEPT_BYTES {
        let _ = SCRATCH.try_with(|all| all[side as usize].set(memory));
    }
}

/// Variant of [`provide`] for the build for memory checkers. Allocates a block of exactly the requested bytes for this call, and frees it
/// afterwards. So AddressSanitizer reports every access outside the block.
#[inline(never)]
fn provide_exactly(bytes: usize, least: usize, f: &mut dyn FnMut(*mut CacheLine, bool)) {
    let exact = |bytes: usize| {
        Block::fresh(Layout::from_size_align(bytes, align_of::<CacheLine>()).ok()?, Fill::Anything)
    };
    let whole = exact(bytes);
    let all = whole.is_some();
    match whole.or_else(|| exact(least)) {
        Some(block) => f(block.start().as_ptr().cast(), all),
        None => on_stack(STACK_BYTES / size_of::<CacheLine>(), f),
    }
}

/// Calls `f` with one buffer for each operand and `true`. The buffers have the sizes `bytes`. If their allocation fails, calls `f`
/// with buffers of the sizes `least` and `false`. Sizes are in bytes. Each buffer that is not empty is aligned to a cache line.
pub(in crate::device::cpu) fn with_buffers<const K: usize, Out>(
    side: Side,
    bytes: [usize; K],
    least: [usize; K],
    f: impl FnOnce([*mut u8; K], bool) -> Out,
) -> Out {
    if cfg!(vierbein_exact_memory)
        && let Some(blocks) = exact_buffers(bytes)
    {
        return f(blocks.each_ref().map(|block| block.start().as_ptr()), true);
    }
    let all = offsets(bytes).1;
    with_scratch(side, all, offsets(least).1, |start: *mut u8, granted| {
        let (offsets, _) = offsets(if granted == all { bytes } else { least });
        f(offsets.map(|offset| start.wrapping_add(offset)), granted == all)
    })
}

/// Returns the offsets of buffers of the sizes `bytes` in one block, each aligned to a cache line, and the size of the block.
fn offsets<const K: usize>(bytes: [usize; K]) -> ([usize; K], usize) {
    let mut total = 0;
    let offsets = bytes.map(|bytes| {
        let offset = total;
        total += bytes.next_multiple_of(size_of::<CacheLine>());
        offset
    });
    (offsets, total)
}

/// Allocates a separate block of exactly the requested bytes for each buffer. So an access past the end of a buffer is not within
/// the next buffer. Returns `None` if an allocation fails.
#[inline(never)]
fn exact_buffers<const K: usize>(bytes: [usize; K]) -> Option<[Block; K]> {
    let blocks = bytes.map(|bytes| {
        let layout = Layout::from_size_align(bytes, align_of::<CacheLine>()).ok()?;
        Block::fresh(layout, Fill::Anything)
    });
    blocks.iter().all(Option::is_some).then(|| blocks.map(|block| block.expect("it was allocated")))
}

/// Allocates at least `bytes` bytes and frees them at once. Returns whether the allocation succeeded. Used before calls of foreign
/// code that aborts the process if it cannot allocate.
pub(in crate::device::cpu) fn can_allocate(bytes: usize) -> bool {
    // One more `CacheLine` is allocated, because the foreign code may need space for alignment. Without `black_box`, the compiler may
    // remove the allocation.
    core::hint::black_box(fresh(bytes.div_ceil(size_of::<CacheLine>()) + 1)).is_some()
}

/// Allocates at least `lines` values of [`CacheLine`]. Returns `None` if the allocation fails.
fn fresh(lines: usize) -> Option<Vec<CacheLine>> {
    let mut memory = Vec::new();
    try_reserve(&mut memory, lines).then_some(memory)
}

/// Calls `f` with the address of at least `lines` values of [`CacheLine`] on the stack, and `false`: `f` gets only its minimum workspace. Out of
/// line, because only this path needs the stack frame of 256 KiB.
#[cold]
#[inline(never)]
fn on_stack(lines: usize, f: &mut dyn FnMut(*mut CacheLine, bool)) {
    assert!(lines <= STACK_BYTES / size_of::<CacheLine>(), "the minimum workspace fits on the stack");
    let mut memory = [const { MaybeUninit::<CacheLine>::uninit() }; STACK_BYTES / size_of::<CacheLine>()];
    f(memory.as_mut_ptr().cast(), false);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(vierbein_exact_memory, ignore = "this build keeps no workspace between calls")]
    fn is_aligned_kept_and_not_shared() {
        let first = with_scratch(Side::A, 100, 0, |p: *mut f64, _| {
            let inner = with_scratch(Side::A, 10, 0, |q: *mut f64, _| q as usize);
            assert_eq!(inner % 64, 0);
            assert_ne!(inner, p as usize);
            p as usize
        });
        assert_eq!(first % 64, 0);
        let [one, other] = [0, 0].map(|_| with_scratch(Side::A, 10, 0, |p: *mut f32, _| p as usize));
        assert_eq!(one, other);
    }

    #[test]
    fn every_alignment_is_kept() {
        #[repr(align(128))]
        #[derive(Clone, Copy)]
        struct Pair(#[allow(dead_code, reason = "only its size matters")] [u64; 16]);
        #[repr(align(4096))]
        struct Empty;
        for len in [1, 3, 100] {
            with_scratch(Side::Sums, len, 1, |p: *mut Pair, granted| {
                assert_eq!((p as usize % 128, granted), (0, len));
                // SAFETY: `with_scratch` provides exclusive access to `granted` aligned values at `p`.
                unsafe { p.write_bytes(7, granted) };
            });
            with_scratch(Side::Sums, len, len, |p: *mut Empty, granted| {
                assert_eq!((p as usize % 4096, granted), (0, len));
            });
        }
        let too_many = isize::MAX as usize / 128 + 1;
        with_scratch(Side::Sums, too_many, guaranteed_of(Layout::new::<Pair>()), |p: *mut Pair, granted| {
            assert_eq!((p as usize % 128, granted), (0, guaranteed_of(Layout::new::<Pair>())));
            // SAFETY: `with_scratch` provides exclusive access to `granted` aligned values at `p`.
            unsafe { p.write_bytes(7, granted) };
        });
    }

    #[test]
    fn buffers_are_aligned_and_apart() {
        let check = |bytes: [usize; 3], granted: [*mut u8; 3]| {
            for (k, (&start, bytes)) in granted.iter().zip(bytes).enumerate() {
                assert!(bytes == 0 || (start as usize).is_multiple_of(64));
                // SAFETY: `with_buffers` provides exclusive access to `bytes` bytes at `start`.
                unsafe { start.write_bytes(k as u8, bytes) };
            }
            for (k, (start, bytes)) in granted.into_iter().zip(bytes).enumerate() {
                // SAFETY: the loop above has written all `bytes` bytes at `start`, and nothing else accesses them.
                let buffer = unsafe { core::slice::from_raw_parts(start, bytes) };
                assert!(buffer.iter().all(|&byte| byte == k as u8));
            }
        };
        for bytes in [[100, 0, 64], [0, 0, 0], [1, 1, 1]] {
            with_buffers(Side::Blocks, bytes, bytes, |buffers, all| {
                assert!(all);
                check(bytes, buffers);
            });
        }
        let least = [1, 65, 7];
        with_buffers(Side::Blocks, [1, isize::MAX as usize, 1], least, |buffers, all| {
            assert!(!all);
            check(least, buffers);
        });
    }

    #[test]
    fn falls_back_to_minimum_if_allocation_fails() {
        // This number of values, rounded up to cache lines, has more bytes than a `Layout` can have. So the allocation fails on
        // every machine.
        let too_many = isize::MAX as usize / 8;
        let granted = with_scratch(Side::Sums, too_many, 1000, |p: *mut f64, len| {
            assert_eq!(p as usize % 64, 0);
            // SAFETY: `with_scratch` provides exclusive access to `len` aligned values at `p`.
            unsafe { p.write_bytes(0xff, len) };
            len
        });
        assert_eq!(granted, 1000);
        let mut last = 0;
        on_stack(STACK_BYTES / 64, &mut |p, _| {
            assert_eq!(p as usize % 64, 0);
            // SAFETY: `on_stack` provides exclusive access to `STACK_BYTES` bytes at `p`.
            unsafe { p.cast::<[u8; STACK_BYTES]>().write([7; STACK_BYTES]) };
            // SAFETY: all `STACK_BYTES` bytes at `p` were just written.
            let bytes = unsafe { p.cast::<[u8; STACK_BYTES]>().read() };
            last = bytes[STACK_BYTES - 1];
        });
        assert_eq!(last, 7);
    }
}
