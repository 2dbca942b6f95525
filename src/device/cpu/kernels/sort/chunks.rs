//! Partitions many keys on several threads. The split into chunks depends on the number of keys only, so the result does not depend on
//! the number of threads.
//!
//! ```text
//! partition each chunk, in parallel:      < < < >= >= | < < >= >= >= | < < < < >=
//! the boundary after all smaller keys:                           |
//! swap runs of keys that are on the wrong side of it, in parallel
//! ```

use super::parallel::PARALLEL_PARTITION_LEN;
use crate::device::cpu::loops::threads::join;

/// Number of chunks.
const CHUNKS: usize = 16;

/// Two runs of `len` keys to be swapped. One run is before the boundary, and its first key has index `low`. The other run is after the
/// boundary, and its first key has index `high`, counted from the boundary.
#[derive(Debug, Clone, Copy, Default)]
struct Swap {
    low: usize,
    high: usize,
    len: usize,
}

/// Partitions each chunk of `x` by `partition`, which moves some keys of a slice to its front and returns their number. Then moves these
/// keys of all chunks to the front of `x`, and returns their total number. There must be at least [`PARALLEL_PARTITION_LEN`] keys.
pub(super) fn partition<T: Send>(x: &mut [T], partition: &(dyn Fn(&mut [T]) -> usize + Sync)) -> usize {
    let n = x.len();
    assert!(n >= PARALLEL_PARTITION_LEN);
    let chunk = n.div_ceil(CHUNKS);
    let mut counts = [0; CHUNKS];
    partition_each(x, chunk, &mut counts, partition);
    let boundary = counts.iter().sum();
    let (swaps, found) = swaps(&counts, chunk, boundary);
    let (low, high) = x.split_at_mut(boundary);
    swap_each(&swaps[..found], low, high, [0, 0]);
    boundary
}

/// Partitions each chunk, in parallel, and writes the number of keys that were moved to its front to `counts`.
fn partition_each<T: Send>(
    x: &mut [T],
    chunk: usize,
    counts: &mut [usize],
    partition: &(dyn Fn(&mut [T]) -> usize + Sync),
) {
    if let [count] = counts {
        *count = partition(x);
        return;
    }
    let half = counts.len() / 2;
    let (low, high) = x.split_at_mut(half * chunk);
    let (low_counts, high_counts) = counts.split_at_mut(half);
    join(
        || partition_each(low, chunk, low_counts, partition),
        || partition_each(high, chunk, high_counts, partition),
    );
}

/// Returns the swaps that move all front keys to indices below `boundary`, and the number of swaps. The front keys of chunk `i` are its
/// first `counts[i]` keys.
fn swaps(counts: &[usize; CHUNKS], chunk: usize, boundary: usize) -> ([Swap; 2 * CHUNKS], usize) {
    let (mut swaps, mut found) = ([Swap::default(); 2 * CHUNKS], 0);
    // For each chunk, `misplaced_low` yields the run of keys before the boundary that are not front keys. `misplaced_high` yields the run
    // of front keys after the boundary.
    let mut misplaced_low = (0..CHUNKS)
        .map(|i| (i * chunk + counts[i], ((i + 1) * chunk).min(boundary)))
        .filter(|(from, to)| from < to);
    let mut misplaced_high = (0..CHUNKS)
        .map(|i| ((i * chunk).max(boundary), i * chunk + counts[i]))
        .filter(|(from, to)| from < to);
    let (mut low, mut high) = (misplaced_low.next(), misplaced_high.next());
    while let (Some((a, a_end)), Some((b, b_end))) = (low, high) {
        let len = (a_end - a).min(b_end - b);
        swaps[found] = Swap { low: a, high: b - boundary, len };
        found += 1;
        low = if a + len < a_end { Some((a + len, a_end)) } else { misplaced_low.next() };
        high = if b + len < b_end { Some((b + len, b_end)) } else { misplaced_high.next() };
    }
    (swaps, found)
}

/// Swaps pairs of runs, in parallel. The indices of the runs ascend, both before and after the boundary. `low` begins at index `first[0]`
/// of the keys before the boundary, and `high` at index `first[1]` of the keys after it.
fn swap_each<T: Send>(swaps: &[Swap], low: &mut [T], high: &mut [T], first: [usize; 2]) {
    match swaps {
        [] => {}
        &[Swap { low: a, high: b, len }] => {
            let (a, b) = (a - first[0], b - first[1]);
            low[a..a + len].swap_with_slice(&mut high[b..b + len]);
        }
        _ => {
            let (swaps, others) = swaps.split_at(swaps.len() / 2);
            let middle = [others[0].low, others[0].high];
            let (low, other_low) = low.split_at_mut(middle[0] - first[0]);
            let (high, other_high) = high.split_at_mut(middle[1] - first[1]);
            join(|| swap_each(swaps, low, high, first), || swap_each(others, other_low, other_high, middle));
        }
    }
}
