//! Runs work on several threads if there is enough of it. The kernels of the CPU call this module.
//!
//! How a sum is split never depends on the number of threads, so its bits are the same for any number of threads.

use crate::layout::plan::Plan;

/// Minimum number of elements in a thread's part of a sum. With smaller parts, a second thread makes the sum slower, because handing over
/// work takes time.
pub(in crate::device::cpu) const PARALLEL_SUM_LEN: usize = 1 << 16;

// The unit of work is the byte: work of `n` bytes takes as long as copying `n` bytes. About a hundred bytes can be copied in one
// nanosecond.

/// Minimum work, in bytes, that a thread of the pool splits. Handing over half of the work to another thread takes one or two
/// microseconds.
pub(in crate::device::cpu) const PARALLEL_BYTES: usize = 1 << 20;

/// Minimum work, in bytes, for which a thread outside the pool enters the pool. Waking the pool, and then waking the calling
/// thread, takes tens of microseconds each.
#[cfg(feature = "rayon")]
const PARALLEL_ENTRY_BYTES: usize = 24 << 20;

/// Calls `f`, which may call [`join`]. `join` runs its functions in parallel only on a thread of the pool. So if there is enough
/// `work`, in bytes, `f` is called in the pool, otherwise on the current thread.
pub(crate) fn enter<R: Send>(work: usize, f: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "rayon")]
    if work >= PARALLEL_ENTRY_BYTES && rayon::current_num_threads() > 1 {
        return on_pool_thread(f);
    }
    #[cfg(not(feature = "rayon"))]
    let _ = work;
    f()
}

/// Calls `f` on a thread of the pool. If `f` calls functions of another crate that use the pool, each of these calls is then cheap; from a
/// thread outside the pool, each would wake the pool.
#[cfg(any(feature = "rayon", feature = "linalg"))]
pub(in crate::device::cpu) fn on_pool_thread<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "rayon")]
    if rayon::current_thread_index().is_none() {
        let (mut f, mut result) = (Some(f), None);
        in_pool(&mut || result = f.take().map(|f| f()), &mut || ());
        return result.expect("the function was called");
    }
    f()
}

/// Returns the number of threads that [`join`] can use on the current thread. Outside the pool, this is 1.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads());
    #[cfg(not(feature = "rayon"))]
    1
}

/// Calls both functions, in parallel if [`threads`] is more than 1.
pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut a, mut b, mut of_a, mut of_b) = (Some(a), Some(b), None, None);
    both(&mut || of_a = a.take().map(|a| a()), &mut || of_b = b.take().map(|b| b()));
    (of_a.expect("`both` calls both"), of_b.expect("`both` calls both"))
}

// The arguments of the functions below are trait objects, so that these functions are compiled once, and not for each pair of closures.

/// Variant of [`join`] for functions without results.
fn both(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    // With one thread, nothing runs in parallel, and rayon's scheduling would only take time.
    #[cfg(feature = "rayon")]
    if threads() > 1 {
        return in_pool(a, b);
    }
    a();
    b();
}

#[cfg(feature = "rayon")]
fn in_pool(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}

// The functions below call a kernel through a trait object, once for each part. So each of them is compiled once for each `K`,
// and not for each kernel and element type.

/// Calls `f` on parts that together make up the plan. Splits loop `i` of the plan at multiples of `grain(i)` iterations. The split depends
/// on the number of threads, so the results of `f` must not depend on the split. `work` is the cost of one element: the number of bytes
/// that can be copied in the same time.
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
        // Each thread gets about four to eight parts if there is enough work. Several parts balance the load, but longer parts are
        // read and written faster.
        threads => halves(plan, (PARALLEL_BYTES / work.max(1)).max(plan.len() / (4 * threads)), grain, f),
    });
}

/// Calls `f` on parts that together make up `kept`, the loops over the outputs. `reads` is the number of elements that are read to compute
/// one output. A part that reads at least `enough` elements is split. If the part has only one loop, it is split at a multiple of `grain`
/// iterations. The split does not depend on the number of threads.
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
