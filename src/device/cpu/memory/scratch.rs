//! Thread-local scratch buffers for packing, partial sums and transposes, reused between calls. The kernels call this module.
//!
//! ```text
//! take the thread's buffer for the purpose       (empty if a nested call uses it)
//! if it is too small: free it and allocate `len` values
//! if that fails: allocate `least` values
//! if that fails: use an array on the stack
//! call the kernel
//! put the buffer back, unless it is larger than MAX_KEPT_BYTES
//! ```

use super::pool::{Block, Fill, try_reserve};
use core::alloc::Layout;
use core::cell::Cell;
use core::mem::MaybeUninit;

/// Maximum size of a scratch buffer that is kept after use, in bytes. A thread keeps at most four buffers.
const MAX_KEPT_BYTES: usize = 8 << 20;

/// A cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Line(#[allow(dead_code)] [u8; 64]);

/// The purpose of a scratch buffer. A thread has one buffer for each, because they may be in use at the same time.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cpu) enum Side {
    /// Packed panels of the operand A of a matrix product, or its partial results.
    A,
    /// Packed panels of the operand B.
    B,
    /// Accumulators of a reduction.
    Sums,
    /// Strips and tiles of the operands of an elementwise loop.
    Blocks,
}

thread_local! {
    static SCRATCH: [Cell<Vec<Line>>; 4] = const { [const { Cell::new(Vec::new()) }; 4] };
}

/// Bytes of stack scratch, used if the heap allocation fails. The minimum workspace of every kernel fits in it.
const STACK_BYTES: usize = 256 << 10;

/// Returns the bytes that are added to a request so that the first value can be aligned. 0, unless the alignment of `R` is larger
/// than a cache line.
const fn alignment_bytes<R>() -> usize {
    align_of::<R>().saturating_sub(align_of::<Line>())
}

/// Returns the number of values that [`with_scratch`] provides even if every allocation fails. `least` must not exceed it.
pub(in crate::device::cpu) const fn guaranteed<R>() -> usize {
    match size_of::<R>() {
        0 => usize::MAX,
        size => STACK_BYTES.saturating_sub(alignment_bytes::<R>()) / size,
    }
}

/// Calls `f` with the address and the number of uninitialised values to which `f` has exclusive access. There are `len` values, or
/// `least` if the allocation of `len` values fails. The first value is aligned to a cache line, or to the alignment of `R` if that
/// is larger.
///
/// A failed allocation is never an error: an operation that has begun is completed with less memory, more slowly.
///
/// While `f` runs, the thread's buffer is in use. A nested call, as when a thread waiting in `join` runs another task, allocates a
/// new one.
pub(in crate::device::cpu) fn with_scratch<R, Out>(
    side: Side,
    len: usize,
    least: usize,
    f: impl FnOnce(*mut R, usize) -> Out,
) -> Out {
    debug_assert!(least <= len && least <= guaranteed::<R>());
    let lines = |len: usize| {
        let bytes =
            len.checked_mul(size_of::<R>()).and_then(|bytes| bytes.checked_add(alignment_bytes::<R>()));
        bytes.expect("the workspace size fits in usize").div_ceil(size_of::<Line>())
    };
    if len == 0 || size_of::<R>() == 0 {
        return f(core::ptr::dangling_mut(), len);
    }
    if cfg!(vierbein_exact_memory) {
        return with_exact_scratch(len, least, f);
    }
    // `try_with`, because a thread that is ending may have dropped its buffers already.
    let mut memory = SCRATCH.try_with(|all| all[side as usize].take()).unwrap_or_default();
    let mut granted = len;
    if memory.capacity() < lines(len) {
        // Free the old buffer first; its contents are not needed.
        drop(memory);
        memory = fresh(lines(len)).unwrap_or_else(|| {
            granted = least;
            fresh(lines(least)).unwrap_or_default()
        });
    }
    let out = if memory.capacity() < lines(granted) {
        on_stack(lines(granted), |start| f(aligned(start), granted))
    } else {
        f(aligned(memory.as_mut_ptr()), granted)
    };
    if memory.capacity() * size_of::<Line>() <= MAX_KEPT_BYTES {
        let _ = SCRATCH.try_with(|all| all[side as usize].set(memory));
    }
    out
}

/// [`with_scratch`] in the build for memory checkers. A block of exactly the requested bytes is allocated for this call and freed
/// after it, so that AddressSanitizer reports every access outside it.
#[inline(never)]
fn with_exact_scratch<R, Out>(len: usize, least: usize, f: impl FnOnce(*mut R, usize) -> Out) -> Out {
    let exact = |len: usize| {
        let layout = Layout::array::<R>(len).and_then(|layout| layout.align_to(align_of::<Line>())).ok()?;
        Some((Block::fresh(layout, Fill::Anything)?, len))
    };
    match exact(len).or_else(|| exact(least)) {
        Some((block, granted)) => f(block.start().as_ptr().cast(), granted),
        None => on_stack(STACK_BYTES / size_of::<Line>(), |start| f(aligned(start), least)),
    }
}

/// Calls `f` with one buffer for each operand and with whether the allocation succeeded. The buffers have the sizes `bytes`, or
/// `least` if the allocation fails. Each buffer that is not empty is aligned to a cache line.
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
    let lines = |bytes: [usize; K]| bytes.map(|bytes| bytes.next_multiple_of(size_of::<Line>()));
    let total = |bytes: [usize; K]| lines(bytes).iter().sum::<usize>();
    with_scratch(side, total(bytes), total(least), |start: *mut u8, granted| {
        let all = granted == total(bytes);
        let mut at = 0;
        f(
            lines(if all { bytes } else { least }).map(|bytes| {
                at += bytes;
                start.wrapping_add(at - bytes)
            }),
            all,
        )
    })
}

/// Allocates a separate block of exactly these bytes for each buffer, so that an access past the end of one is not within the
/// next.
#[inline(never)]
fn exact_buffers<const K: usize>(bytes: [usize; K]) -> Option<[Block; K]> {
    let blocks = bytes.map(|bytes| {
        let layout = Layout::from_size_align(bytes, align_of::<Line>()).ok()?;
        Block::fresh(layout, Fill::Anything)
    });
    blocks.iter().all(Option::is_some).then(|| blocks.map(|block| block.expect("it was allocated")))
}

/// Returns the first address from `start` on that is aligned for `R`.
#[inline(always)]
fn aligned<R>(start: *mut Line) -> *mut R {
    match alignment_bytes::<R>() {
        0 => start.cast(),
        _ => start.cast::<R>().map_addr(|address| address.next_multiple_of(align_of::<R>())),
    }
}

/// Allocates this many bytes and frees them; returns whether that succeeded. Called before foreign code that aborts the process if it
/// cannot allocate.
pub(in crate::device::cpu) fn can_allocate(bytes: usize) -> bool {
    // One more line, for any alignment. Without `black_box`, the compiler may remove the allocation.
    core::hint::black_box(fresh(bytes.div_ceil(size_of::<Line>()) + 1)).is_some()
}

/// Allocates at least this many lines, or returns `None` if the allocation fails.
fn fresh(lines: usize) -> Option<Vec<Line>> {
    let mut memory = Vec::new();
    try_reserve(&mut memory, lines).then_some(memory)
}

/// Calls `f` with the address of this many lines on the stack.
fn on_stack<Out>(lines: usize, f: impl FnOnce(*mut Line) -> Out) -> Out {
    // Out of line: only this path needs the 256 KiB stack frame.
    #[cold]
    #[inline(never)]
    fn call(f: &mut dyn FnMut(*mut Line)) {
        let mut memory = [const { MaybeUninit::<Line>::uninit() }; STACK_BYTES / size_of::<Line>()];
        f(memory.as_mut_ptr().cast());
    }
    assert!(lines <= STACK_BYTES / size_of::<Line>(), "the minimum workspace fits on the stack");
    let (mut f, mut out) = (Some(f), None);
    call(&mut |start| out = f.take().map(|f| f(start)));
    out.expect("the closure was called")
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
                // SAFETY: `p` is aligned and valid for writes of `granted` values.
                unsafe { p.write_bytes(7, granted) };
            });
            with_scratch(Side::Sums, len, len, |p: *mut Empty, granted| {
                assert_eq!((p as usize % 4096, granted), (0, len));
            });
        }
        let too_many = isize::MAX as usize / 128 + 1;
        with_scratch(Side::Sums, too_many, guaranteed::<Pair>(), |p: *mut Pair, granted| {
            assert_eq!((p as usize % 128, granted), (0, guaranteed::<Pair>()));
            // SAFETY: `p` is aligned and valid for writes of `granted` values.
            unsafe { p.write_bytes(7, granted) };
        });
        on_stack(STACK_BYTES / 64, |start| assert_eq!(aligned::<Pair>(start) as usize % 128, 0));
    }

    #[test]
    fn buffers_are_aligned_and_apart() {
        let check = |bytes: [usize; 3], granted: [*mut u8; 3]| {
            for (k, (&start, bytes)) in granted.iter().zip(bytes).enumerate() {
                assert!(bytes == 0 || (start as usize).is_multiple_of(64));
                // SAFETY: each buffer is valid for writes of its bytes.
                unsafe { start.write_bytes(k as u8, bytes) };
            }
            for (k, (start, bytes)) in granted.into_iter().zip(bytes).enumerate() {
                // SAFETY: all bytes of the buffer were just written.
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
        // Rounded up to cache lines, they have more bytes than a layout can have, so no allocator has them on any machine.
        let too_many = isize::MAX as usize / 8;
        let granted = with_scratch(Side::Sums, too_many, 1000, |p: *mut f64, len| {
            assert_eq!(p as usize % 64, 0);
            // SAFETY: `p` is valid for writes of `len` values.
            unsafe { p.write_bytes(0xff, len) };
            len
        });
        assert_eq!(granted, 1000);
        let last = on_stack(STACK_BYTES / 64, |p| {
            assert_eq!(p as usize % 64, 0);
            // SAFETY: the stack buffer has `STACK_BYTES` bytes.
            unsafe { p.cast::<[u8; STACK_BYTES]>().write([7; STACK_BYTES]) };
            // SAFETY: all of its bytes were just written.
            let bytes = unsafe { p.cast::<[u8; STACK_BYTES]>().read() };
            bytes[STACK_BYTES - 1]
        });
        assert_eq!(last, 7);
    }
}
