//! Divides the work of reductions and sums of products among threads. The division depends on shapes, strides and the size of an
//! element only. It does not depend on the number of multiprocessors, so results are the same on every GPU.

use crate::device::cuda::runtime::codegen::arguments::Argument;

/// Number of threads per block. The same as `BLOCK` in the kernels' sources.
pub(super) const BLOCK: u32 = 256;
/// Number of threads whose loads saturate the memory bandwidth of a large GPU.
const BUSY_THREADS: u64 = 1 << 17;
/// Number of threads to aim for if the items of an output are split among blocks. It is several times [`BUSY_THREADS`], so the last
/// wave, in which the GPU is not fully busy, is a small part of the work.
const SPLIT_THREADS: u64 = 1 << 19;
/// Number of loads that a thread has in flight together.
const LOADS_IN_FLIGHT: u64 = 4;
/// Maximum number of items of one thread. After every 64 rounds of loads (`CHAIN` in `reduce.cu`), a thread combines its accumulators into
/// a partial sum. It adds these partial sums sequentially: at most 64 of them with four loads per round, and at most 256 with one.
const MAX_ITEMS: u64 = 64 * 64 * LOADS_IN_FLIGHT;
/// Size of a memory sector, the smallest unit that the GPU loads from memory, in bytes.
const SECTOR_BYTES: u64 = 32;
/// Size of a cache line, in bytes.
const CACHE_LINE_BYTES: u64 = 128;

/// How outputs and their items are divided among threads. Mirrors the struct `Shares` of `reduce.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shares {
    pub(super) outputs: u64,
    /// Number of items of each output. An item is an element or a vector of elements.
    pub(super) items: u64,
    /// Number of elements that are reduced to each output.
    pub(super) count: u64,
    /// Binary logarithm of the number of adjacent outputs that are computed by adjacent threads, one by each.
    pub(super) lanes: u32,
    /// Binary logarithm of the number of threads of a block that share the items of one output.
    pub(super) threads: u32,
    /// Number of blocks that share the items of one output. Each writes a partial result if there are several.
    pub(super) splits: u32,
    unused: u32,
}

/// Properties of the loops over outputs and items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loads {
    pub(super) outputs: u64,
    pub(super) items: u64,
    pub(super) count: u64,
    /// The extent of the innermost loop over outputs.
    pub(super) inner_outputs: u64,
    /// Distance from an item to the same item of the next output, in bytes.
    pub(super) next_output: u64,
    /// Distance from an item to the next item of the same output, in bytes.
    pub(super) next_item: u64,
    /// Size of an item, in bytes.
    pub(super) bytes: u64,
}

// SAFETY: this struct is `repr(C)`, and has the members of the struct `Shares` in `reduce.cu`, in the same order.
unsafe impl Argument for Shares {}

impl Shares {
    pub(super) fn choose(loads: &Loads) -> Shares {
        let Loads { outputs, items, count, inner_outputs, next_output, next_item, bytes } = *loads;
        // Adjacent threads compute adjacent outputs (`lanes`) if the items of adjacent outputs share a cache line and are closer
        // together than the items of one output.
        let down =
            outputs > 1 && next_output < CACHE_LINE_BYTES && (next_item == 0 || next_output < next_item);
        let (mut lanes, least_lanes, mut threads) = if down {
            let most = logarithm(inner_outputs).min(5);
            (most, logarithm(2 * SECTOR_BYTES / bytes.max(1)).min(most), 0)
        } else {
            // Adjacent threads share the items of one output, and read contiguous items.
            let together = if next_item <= bytes { logarithm(2 * SECTOR_BYTES / bytes.max(1)) } else { 0 };
            (0, 0, together.min(logarithm(items)))
        };
        let room = logarithm(u64::from(BLOCK));
        while (outputs << threads < BUSY_THREADS && items >> (threads + 1) >= LOADS_IN_FLIGHT)
            || items >> threads > MAX_ITEMS / 4
        {
            if lanes + threads < room {
                threads += 1;
            } else if lanes > least_lanes {
                (lanes, threads) = (lanes - 1, threads + 1);
            } else {
                break;
            }
        }
        let needed = items.div_ceil(MAX_ITEMS << threads);
        let wanted = SPLIT_THREADS.div_ceil((outputs << threads).max(1)).min(items >> (threads + 4));
        let splits = if outputs << threads < BUSY_THREADS { wanted.max(needed) } else { needed };
        let splits = splits.clamp(1, u64::from(u16::MAX)) as u32;
        Shares { outputs, items, count, lanes, threads, splits, unused: 0 }
    }

    /// Returns the division of work of the second kernel, which combines the partial results of the splits. These are its items.
    pub(super) fn of_parts(&self) -> Shares {
        let items = u64::from(self.splits);
        let lanes = logarithm(self.outputs).min(5);
        let room = logarithm(u64::from(BLOCK)) - lanes;
        let threads = logarithm(items.div_ceil(LOADS_IN_FLIGHT)).min(room);
        Shares { items, lanes, threads, splits: 1, ..*self }
    }

    /// Returns the grid, or `None` if there are more blocks than a grid can have.
    pub(super) fn grid(&self) -> Option<[u32; 3]> {
        let blocks = self.outputs.div_ceil(u64::from(BLOCK >> self.threads));
        Some([i32::try_from(blocks).ok()? as u32, self.splits, 1])
    }

    /// Returns whether the indices of outputs or elements need 64-bit arithmetic.
    pub(super) fn is_wide(&self) -> bool {
        self.outputs.max(self.count) >= 1 << 31
    }
}

/// Returns the exponent of the smallest power of two that is at least `n`.
fn logarithm(n: u64) -> u32 {
    n.max(1).next_power_of_two().ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the loads of a reduction of the rows or, if `columns`, of the columns of a matrix. The items of a row are contiguous. For
    /// columns, the items of adjacent outputs at the same index are contiguous.
    fn loads(outputs: u64, items: u64, bytes: u64, columns: bool) -> Loads {
        let (next_output, next_item) =
            if columns { (bytes, bytes * outputs) } else { (bytes * items, bytes) };
        Loads { outputs, items, count: items, inner_outputs: outputs, next_output, next_item, bytes }
    }

    /// Counts how often each item of each output is loaded. Computes the indices as the kernels' threads do.
    fn taken(shares: &Shares) -> Vec<u32> {
        let [blocks, splits, _] = shares.grid().unwrap();
        let mut times = vec![0; (shares.outputs * shares.items) as usize];
        for (block, split) in (0..blocks).flat_map(|block| (0..splits).map(move |split| (block, split))) {
            for index in 0..BLOCK {
                let lane = index & ((1 << shares.lanes) - 1);
                let thread = index >> shares.lanes & ((1 << shares.threads) - 1);
                let tile = index >> (shares.lanes + shares.threads);
                let output = u64::from(block * (BLOCK >> shares.threads) + (tile << shares.lanes) + lane);
                let (rank, sharing) = ((split << shares.threads) + thread, splits << shares.threads);
                if output < shares.outputs {
                    for item in (u64::from(rank)..shares.items).step_by(sharing as usize) {
                        times[(output * shares.items + item) as usize] += 1;
                    }
                }
            }
        }
        times
    }

    #[test]
    fn every_item_is_taken_once() {
        for (outputs, items) in [
            (1, 1),
            (1, 100_000),
            (3, 7),
            (3, 70_000),
            (33, 0),
            (40, 6000),
            (257, 100),
            (100_000, 3),
            (1000, 1),
        ] {
            for bytes in [1, 4, 8, 16] {
                for columns in [false, true] {
                    let shares = Shares::choose(&loads(outputs, items, bytes, columns));
                    assert!(taken(&shares).iter().all(|&times| times == 1), "{shares:?}");
                    let parts = shares.of_parts();
                    assert_eq!(parts.items, u64::from(shares.splits));
                    assert!(taken(&parts).iter().all(|&times| times == 1), "{parts:?}");
                }
            }
        }
    }

    #[test]
    fn elements_per_thread_are_limited() {
        for exponent in 0..35 {
            let items = 1 << exponent;
            for outputs in [1, 100, 1 << 20] {
                for columns in [false, true] {
                    let shares = Shares::choose(&loads(outputs, items, 8, columns));
                    assert!(shares.lanes + shares.threads <= 8, "{shares:?}");
                    let sharing = u64::from(shares.splits) << shares.threads;
                    assert!(items.div_ceil(sharing) <= MAX_ITEMS, "{shares:?}");
                }
            }
        }
    }

    #[test]
    fn few_outputs_are_split() {
        let splits = |outputs, items, columns| Shares::choose(&loads(outputs, items, 8, columns)).splits;
        assert!(splits(1, 10_000_000, false) > 500);
        assert!(splits(16, 1_000_000, true) > 50);
        assert_eq!((splits(1, 4096, false), splits(100_000, 1000, true), splits(1, 0, false)), (1, 1, 1));
    }
}
