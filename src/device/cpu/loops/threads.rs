//! Runs work on several threads, if there is enough of it. The kernels of the CPU call this module.
//!
//! The split of a sum never depends on the number of threads, so the results are the same for any number of threads.

use crate::layout::plan::Plan;

/// Elements of a sum below which a second thread is slower.
pub(in crate::device::cpu) const PARALLEL_SUM_LEN: usize = 1 << 16;

// Work is measured in the bytes that could be copied in the same time. In one nanosecond, about a hundred bytes can be copied.

/// Work below which threads of the pool do not split it. Handing over half of it to another thread takes one or two microseconds.
pub(in crate::device::cpu) const PARALLEL_BYTES: usize = 1 << 20;

/// Minimum work to enter the pool from a thread outside it. Waking the pool, and the caller afterwards, takes tens of
/// microseconds each.
#[cfg(feature = "rayon")]
const PARALLEL_ENTRY_BYTES: usize = 24 << 20;

/// Calls `f`: in the thread pool if there is enough `work`, in bytes, otherwise on this thread. [`join`] runs in parallel only in
/// the pool.
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

/// Calls `f` on this thread, because the feature `rayon` is off.
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
    // With one thread, rayon's scheduling would only cost time.
    if threads() == 1 { (a(), b()) } else { in_pool(a, b) }
}

/// Calls both functions with rayon. For each pair of closure types, rayon instantiates about sixty functions. The closures are passed
/// to rayon as trait objects, so that these functions are compiled only once.
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

/// Calls both functions, one after the other, because the feature `rayon` is off.
#[cfg(not(feature = "rayon"))]
pub(in crate::device::cpu) fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    (a(), b())
}

// The functions below call a kernel through a trait object, once for each part. So they are compiled once, and not for each
// function and element type.

/// Calls `f` on parts that together make up the plan. Axis `i` is split at multiples of `grain(i)`. The split depends on the number
/// of threads, so this function is only for results that do not depend on the split. `work` is the work per element, in bytes.
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
        // At most about four parts per thread: several parts balance the load, and long parts are read and written faster.
        threads => halves(plan, (PARALLEL_BYTES / work.max(1)).max(plan.len() / (4 * threads)), grain, f),
    });
}

/// Calls `f` on parts that together make up `kept`, a plan of outputs. Computing one output reads `reads` elements. A part that reads
/// at least `enough` elements is split; if it has only one loop, at a multiple of `grain`. The split does not depend on the number of
/// threads.
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
