//! Runs work on several threads, if it is enough to be faster there.
//!
//! How sums are split never depends on the number of threads, so neither do results.

use crate::layout::plan::Plan;

/// Sums of fewer elements than this are not split.
pub(in crate::device::cpu) const PARALLEL_SUM_LEN: usize = 1 << 16;

// Work is counted in bytes that could be copied in the same time: some hundred in a nanosecond.

/// Less work than this is not split among threads that are awake: to hand over half of it takes a microsecond or two.
pub(in crate::device::cpu) const PARALLEL_BYTES: usize = 1 << 20;

/// Minimum work to enter the pool from a thread outside it. Waking the pool, and the caller afterwards, takes tens of
/// microseconds each.
#[cfg(feature = "rayon")]
const PARALLEL_ENTRY_BYTES: usize = 24 << 20;

/// Calls `f`, in the thread pool if `work` bytes are enough to enter it. [`join`] runs in parallel only in the pool.
#[cfg(feature = "rayon")]
pub(in crate::device::cpu) fn enter<R: Send>(work: usize, f: impl FnOnce() -> R + Send) -> R {
    if work < PARALLEL_ENTRY_BYTES
        || rayon::current_thread_index().is_some()
        || rayon::current_num_threads() == 1
    {
        f()
    } else {
        in_pool(f, || ()).0
    }
}

/// Calls `f` on this thread: the feature `rayon` is off.
#[cfg(not(feature = "rayon"))]
pub(in crate::device::cpu) fn enter<R: Send>(_: usize, f: impl FnOnce() -> R + Send) -> R {
    f()
}

/// Returns the number of threads that [`join`] can use here: 1 outside the pool.
pub(in crate::device::cpu) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads());
    #[cfg(not(feature = "rayon"))]
    1
}

/// Calls both functions, in parallel if there are several [`threads`].
#[cfg(feature = "rayon")]
pub(in crate::device::cpu) fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    // In a pool of one thread, handing work over and waiting for it gains nothing.
    if threads() == 1 { (a(), b()) } else { in_pool(a, b) }
}

/// Calls both functions with rayon. Rayon instantiates some sixty functions for each pair of closures: it gets pointers, so that
/// these are compiled once.
#[cfg(feature = "rayon")]
fn in_pool<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    #[inline(never)]
    fn join(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        rayon::join(a, b);
    }
    let (mut a, mut b, mut of_a, mut of_b) = (Some(a), Some(b), None, None);
    join(&mut || of_a = a.take().map(|a| a()), &mut || of_b = b.take().map(|b| b()));
    (of_a.expect("`join` calls both"), of_b.expect("`join` calls both"))
}

/// Calls both functions, one after the other: the feature `rayon` is off.
#[cfg(not(feature = "rayon"))]
pub(in crate::device::cpu) fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    (a(), b())
}

// The loops below call a kernel through a pointer once for each part. So the code that hands over work is compiled once and not
// for every operation and element type.

/// Calls `f` on parts that make up the whole plan. Loops are split at multiples of `grain`, depending on the number of threads:
/// only for results that do not depend on the split. The work of each element is `work` bytes.
pub(in crate::device::cpu) fn over_parts<const K: usize>(
    plan: &Plan<K>,
    work: usize,
    grain: &(dyn Fn(usize) -> usize + Sync),
    f: &(dyn Fn(&Plan<K>) + Sync),
) {
    fn halves<const K: usize>(
        plan: &Plan<K>,
        enough: usize,
        grain: &(dyn Fn(usize) -> usize + Sync),
        f: &(dyn Fn(&Plan<K>) + Sync),
    ) {
        if plan.len() >= enough
            && let Some((low, high)) = plan.halves_by(grain)
        {
            join(|| halves(&low, enough, grain, f), || halves(&high, enough, grain, f));
        } else {
            f(plan);
        }
    }
    enter(plan.len().saturating_mul(work), || match threads() {
        1 => f(plan),
        // Long parts are read and written faster; a few for each thread keep all of them busy.
        threads => halves(plan, (PARALLEL_BYTES / work.max(1)).max(plan.len() / (4 * threads)), grain, f),
    });
}

/// Calls `f` on parts that make up the whole plan `kept` of outputs, each of which reduces `reads` elements. A part that reads
/// `enough` elements or more is split, at a multiple of `grain` if there is only one loop.
pub(in crate::device::cpu) fn over_outputs<const K: usize>(
    kept: &Plan<K>,
    reads: usize,
    enough: usize,
    grain: usize,
    f: &(dyn Fn(&Plan<K>) + Sync),
) {
    if kept.len().saturating_mul(reads) >= enough
        && let Some((low, high)) = kept.halves_at(grain)
    {
        join(|| over_outputs(&low, reads, enough, grain, f), || over_outputs(&high, reads, enough, grain, f));
    } else {
        f(kept);
    }
}
