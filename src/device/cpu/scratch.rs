//! Memory to work in, kept by each thread from one call to the next.

use super::recycle::has_room;
use core::cell::Cell;
use core::mem::MaybeUninit;

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

/// Room on the stack for whoever is refused all else: what a kernel needs at least is less.
const SURE: usize = 256 << 10;

/// Calls `f` with the address of `len` uninitialised values, at the beginning of a cache line, that are its alone; or, where
/// there is no memory for so many, of `least`. How many they are is the second argument. That is never an error: an operation
/// that has begun is to be finished, and that takes longer with less memory, and no more.
///
/// While `f` runs, the thread's memory is taken: a call within a call, as when a thread that waits takes up other work,
/// allocates its own.
pub(in crate::device::cpu) fn with_scratch<R, Out>(
    side: Side,
    len: usize,
    least: usize,
    f: impl FnOnce(*mut R, usize) -> Out,
) -> Out {
    const { assert!(align_of::<R>() <= align_of::<Line>()) };
    debug_assert!(least <= len && least * size_of::<R>() <= SURE);
    let lines = |len: usize| {
        len.checked_mul(size_of::<R>()).expect("what is worked on fits in memory").div_ceil(size_of::<Line>())
    };
    if len == 0 {
        return f(core::ptr::dangling_mut(), 0);
    }
    // A thread that is ending has none any more.
    let mut memory = SCRATCH.try_with(|all| all[side as usize].take()).unwrap_or_default();
    let mut granted = len;
    if memory.capacity() < lines(len) {
        // The old memory goes first; nothing of it is to be copied.
        drop(memory);
        memory = fresh(lines(len)).unwrap_or_else(|| {
            granted = least;
            fresh(lines(least)).unwrap_or_default()
        });
    }
    let mut f = Some(f);
    let mut out = None;
    let mut call = |room: *mut Line| out = f.take().map(|f| f(room.cast(), granted));
    if memory.capacity() < lines(granted) {
        assert!(
            lines(granted) <= SURE / size_of::<Line>(),
            "what a kernel needs at least has room on the stack"
        );
        on_stack(&mut call);
    } else {
        call(memory.as_mut_ptr());
    }
    if memory.capacity() * size_of::<Line>() <= KEPT {
        let _ = SCRATCH.try_with(|all| all[side as usize].set(memory));
    }
    out.expect("it was called")
}

/// Returns whether this many bytes can be allocated, and frees them: for foreign code that aborts if it cannot allocate.
pub(in crate::device::cpu) fn can_allocate(bytes: usize) -> bool {
    // One line more, for any alignment. Without `black_box` the compiler may remove the allocation.
    core::hint::black_box(fresh(bytes.div_ceil(size_of::<Line>()) + 1)).is_some()
}

fn fresh(lines: usize) -> Option<Vec<Line>> {
    let mut memory = Vec::new();
    has_room(&mut memory, lines).then_some(memory)
}

// A function of its own, so that nobody else pays for its room.
#[cold]
#[inline(never)]
fn on_stack(f: &mut dyn FnMut(*mut Line)) {
    let mut memory = [const { MaybeUninit::<Line>::uninit() }; SURE / size_of::<Line>()];
    f(memory.as_mut_ptr().cast());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
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
    fn where_there_is_no_memory_there_is_the_least() {
        let too_many = isize::MAX as usize / 8 - 100;
        let granted = with_scratch(Side::Sums, too_many, 1000, |p: *mut f64, len| {
            assert_eq!(p as usize % 64, 0);
            // SAFETY: so many may be written.
            unsafe { p.write_bytes(0xff, len) };
            len
        });
        assert_eq!(granted, 1000);
        let sum = |p: &mut dyn FnMut(*mut Line)| on_stack(p);
        let mut last = 0;
        sum(&mut |p| {
            assert_eq!(p as usize % 64, 0);
            // SAFETY: the room is of so many bytes.
            unsafe { p.cast::<[u8; SURE]>().write([7; SURE]) };
            // SAFETY: as above, and they have a value.
            last = unsafe { p.cast::<[u8; SURE]>().read() }[SURE - 1];
        });
        assert_eq!(last, 7);
    }
}
