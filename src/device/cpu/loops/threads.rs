//! Work on several threads, where it is enough to pay for them.
//!
//! How sums are cut never depends on the number of threads, so neither do results.

use crate::layout::plan::Plan;

/// Fewer elements than this are not cut where they are summed.
pub(in crate::device::cpu) const PARALLEL_SUM_LEN: usize = 1 << 16;

// Work is counted in bytes that could be copied in the same time: some hundred in a nanosecond.

/// Less work is not shared among threads that are awake: to hand over half of it takes a microsecond or two.
pub(in crate::device::cpu) const PARALLEL_BYTES: usize = 1 << 20;

/// Less work stays on a thread that is not of the pool: the pool is to be woken, and then wakes the caller, each of which takes
/// tens of microseconds.
#[cfg(feature = "rayon")]
const PARALLEL_ENTRY_BYTES: usize = 24 << 20;

/// Does so much work in the pool of threads, where it pays to go there. Only there it is shared by [`join`].
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

/// Does the work: the feature `rayon` is off.
#[cfg(not(feature = "rayon"))]
pub(in crate::device::cpu) fn enter<R: Send>(_: usize, f: impl FnOnce() -> R + Send) -> R {
    f()
}

/// How many threads share work here.
pub(in crate::device::cpu) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads());
    #[cfg(not(feature = "rayon"))]
    1
}

/// Both, at the same time where there are threads.
#[cfg(feature = "rayon")]
pub(in crate::device::cpu) fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    // To hand work to a pool of one thread, and wait for it, gains nothing.
    if threads() == 1 { (a(), b()) } else { in_pool(a, b) }
}

/// Both, by rayon. Rayon makes some sixty functions of each pair of closures: it gets pointers, so that they are compiled once.
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

/// Both, one after the other: the feature `rayon` is off.
#[cfg(not(feature = "rayon"))]
pub(in crate::device::cpu) fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    (a(), b())
}

// The loops below call a kernel through a pointer once for each part, so that handing over work is compiled once and not for
// every operation and element type.

/// Calls `f` on parts that make up the whole plan, whose loops are cut at multiples of `grain`; for results that do not depend
/// on the cut, as it does on the number of threads. Each position is so much work.
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
        // Long parts are read and written faster; some for each thread keep all of them at work.
        threads => halves(plan, (PARALLEL_BYTES / work.max(1)).max(plan.len() / (4 * threads)), grain, f),
    });
}

/// Calls `f` on parts that make up the whole plan of outputs that are made of `reads` elements each: parts that read `enough`
/// elements are cut, at a multiple of `grain` where there is one loop only.
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
