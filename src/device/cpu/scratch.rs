//! Memory to work in, kept by each thread from one call to the next.

use core::cell::Cell;

/// More than this is given back at once: a thread keeps at most four times these bytes.
const KEPT: usize = 8 << 20;

/// A cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Line(#[allow(dead_code)] [u8; 64]);

/// Which of a thread's pieces of memory: what is packed of `a` and of `b`, which are in use together, sums on their way, and
/// operands that are transposed for an elementwise operation.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cpu) enum Side {
    A,
    B,
    Sums,
    Blocks,
}

thread_local! {
    static SCRATCH: [Cell<Vec<Line>>; 4] = const { [const { Cell::new(Vec::new()) }; 4] };
}

/// Calls `f` with the address of `len` uninitialised values, at the beginning of a cache line, that are its alone.
///
/// While `f` runs, the thread's memory is taken: a call within a call, as when a thread that waits takes up other work,
/// allocates its own.
pub(in crate::device::cpu) fn with_scratch<R, Out>(
    side: Side,
    len: usize,
    f: impl FnOnce(*mut R) -> Out,
) -> Out {
    const { assert!(align_of::<R>() <= align_of::<Line>()) };
    if len == 0 {
        return f(core::ptr::dangling_mut());
    }
    let lines = len
        .checked_mul(size_of::<R>())
        .expect("what is worked on fits in memory")
        .div_ceil(size_of::<Line>());
    let mut memory = SCRATCH.with(|all| all[side as usize].take());
    if memory.capacity() < lines {
        // The old memory goes first; nothing of it is to be copied.
        drop(memory);
        memory = Vec::with_capacity(lines);
    }
    let out = f(memory.as_mut_ptr().cast());
    if memory.capacity() * size_of::<Line>() <= KEPT {
        SCRATCH.with(|all| all[side as usize].set(memory));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_aligned_kept_and_not_shared() {
        let first = with_scratch(Side::A, 100, |p: *mut f64| {
            let inner = with_scratch(Side::A, 10, |q: *mut f64| q as usize);
            assert_eq!(inner % 64, 0);
            assert_ne!(inner, p as usize);
            p as usize
        });
        assert_eq!(first % 64, 0);
        let [one, other] = [0, 0].map(|_| with_scratch(Side::A, 10, |p: *mut f32| p as usize));
        assert_eq!(one, other);
    }
}
