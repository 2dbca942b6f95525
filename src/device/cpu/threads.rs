//! Work on several threads, where it is enough to pay for them.
//!
//! How sums are cut never depends on the number of threads, so neither do results.

use crate::layout::plan::Plan;

/// Fewer elements than this stay on one thread. Handing over half of the work costs some microseconds; a memory-bound loop
/// over this many elements takes tens.
pub(super) const GRAIN: usize = 1 << 16;

/// How many threads there are to work on.
pub(super) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Both, at the same time where there are threads.
#[cfg(feature = "rayon")]
pub(super) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    // To hand work to a pool of one thread, and wait for it, gains nothing.
    if threads() == 1 { (a(), b()) } else { rayon::join(a, b) }
}

/// Both, one after the other: the feature `rayon` is off.
#[cfg(not(feature = "rayon"))]
pub(super) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    (a(), b())
}

// The loops below call a kernel through a pointer once for each part, so that handing over work is compiled once and not for
// every operation and element type.

/// Calls `f` on parts that make up the whole plan, whose loops are cut at multiples of `grain`; for results that do not depend
/// on the cut, as it does on the number of threads.
pub(super) fn over_parts<const K: usize>(
    plan: &Plan<K>,
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
    match threads() {
        1 => f(plan),
        // Long parts are read and written faster; some for each thread keep all of them at work.
        threads => halves(plan, (2 * GRAIN).max(plan.len() / (4 * threads)), grain, f),
    }
}

/// The same for outputs that are made of `reads` elements each: parts that read `enough` elements are cut, at a multiple of
/// `grain` where there is one loop only.
pub(super) fn over_outputs<const K: usize>(
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
    } else if reads == 1 {
        over_parts(kept, &|_| 1, f);
    } else {
        f(kept);
    }
}
