//! Work on several threads, where it is enough to pay for them.
//!
//! How work is cut never depends on the number of threads, so neither do results.

use crate::layout::plan::Plan;

/// Fewer elements than this stay on one thread. Handing over half of the work costs some microseconds; a memory-bound loop
/// over this many elements takes tens.
pub(super) const GRAIN: usize = 1 << 16;

/// Both, at the same time where there are threads.
#[cfg(feature = "rayon")]
pub(super) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    // To hand work to a pool of one thread, and wait for it, gains nothing.
    if rayon::current_num_threads() == 1 { (a(), b()) } else { rayon::join(a, b) }
}

/// Both, one after the other: the feature `rayon` is off.
#[cfg(not(feature = "rayon"))]
pub(super) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    (a(), b())
}

// The loops below call a kernel through a pointer once for each part, so that handing over work is compiled once and not for
// every operation and element type.

/// Calls `f` on parts that make up the whole plan.
pub(super) fn over_parts<const K: usize>(plan: &Plan<K>, f: &(dyn Fn(&Plan<K>) + Sync)) {
    if plan.len() >= 2 * GRAIN
        && let Some((low, high)) = plan.halves()
    {
        join(|| over_parts(&low, f), || over_parts(&high, f));
    } else {
        f(plan);
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
        over_parts(kept, f);
    } else {
        f(kept);
    }
}
