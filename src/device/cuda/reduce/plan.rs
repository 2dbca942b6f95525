//! How a reduction is shared out: pure functions of shapes, strides and the size of an element. No count of
//! multiprocessors enters, so that results are the same on every GPU.

#![forbid(unsafe_code)]

use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;

/// Threads of a block; `BLOCK` of the kernels.
pub(in crate::device::cuda) const BLOCK: u32 = 256;
/// As many threads keep the memory of a large GPU busy: enough loads are on their way.
const BUSY: u64 = 1 << 17;
/// As many are shared out where outputs are split: several times those, so that the last ones to finish are few.
const SPLIT: u64 = 1 << 19;
/// Items whose loads a thread has in flight together.
const FLIGHT: u64 = 4;
/// At most so many items for one thread: its accumulators are combined after some 64 rounds of loads, and at most as many
/// such sums are added one after the other.
const MOST: u64 = 64 * 64 * FLIGHT;
/// What memory is read in, at least, in bytes; and what it is read in best.
const SECTOR: u64 = 32;
const LINE: u64 = 128;

/// How outputs and their items are shared out; the kernels' twin.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device::cuda) struct Shares {
    pub(in crate::device::cuda) outputs: u64,
    /// Of each output: elements, or vectors of them.
    pub(in crate::device::cuda) items: u64,
    /// Elements of each output.
    pub(in crate::device::cuda) count: u64,
    /// Logarithms: threads side by side along the outputs, and threads that share the items of one.
    pub(in crate::device::cuda) lanes: u32,
    pub(in crate::device::cuda) threads: u32,
    pub(in crate::device::cuda) splits: u32,
    unused: u32,
}

/// What is known of the loops over outputs and items.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda) struct Loads {
    pub(in crate::device::cuda) outputs: u64,
    pub(in crate::device::cuda) items: u64,
    pub(in crate::device::cuda) count: u64,
    /// The length of the innermost loop over outputs.
    pub(in crate::device::cuda) inner_outputs: u64,
    /// How many bytes further the next output's item lies, and the next item of an output.
    pub(in crate::device::cuda) next_output: u64,
    pub(in crate::device::cuda) next_item: u64,
    /// The bytes of an item.
    pub(in crate::device::cuda) bytes: u64,
}

impl Shares {
    pub(in crate::device::cuda) fn choose(loads: &Loads) -> Shares {
        let Loads { outputs, items, count, inner_outputs, next_output, next_item, bytes } = *loads;
        // Down columns where outputs lie closer together than the items of one, and close enough to be read together.
        let down = outputs > 1 && next_output < LINE && (next_item == 0 || next_output < next_item);
        let (mut lanes, least_lanes, mut threads) = if down {
            let most = logarithm(inner_outputs).min(5);
            (most, logarithm(2 * SECTOR / bytes.max(1)).min(most), 0)
        } else {
            // Neighbouring threads read what lies side by side.
            let together = if next_item <= bytes { logarithm(2 * SECTOR / bytes.max(1)) } else { 0 };
            (0, 0, together.min(logarithm(items)))
        };
        let room = logarithm(u64::from(BLOCK));
        while (outputs << threads < BUSY && items >> (threads + 1) >= FLIGHT) || items >> threads > MOST / 4 {
            if lanes + threads < room {
                threads += 1;
            } else if lanes > least_lanes {
                (lanes, threads) = (lanes - 1, threads + 1);
            } else {
                break;
            }
        }
        let needed = items.div_ceil(MOST << threads);
        let wanted = SPLIT.div_ceil((outputs << threads).max(1)).min(items >> (threads + 4));
        let splits = if outputs << threads < BUSY { wanted.max(needed) } else { needed };
        let splits = splits.clamp(1, u64::from(u16::MAX)) as u32;
        Shares { outputs, items, count, lanes, threads, splits, unused: 0 }
    }

    /// How the parts that splits have left are shared out.
    pub(in crate::device::cuda) fn of_parts(&self) -> Shares {
        let items = u64::from(self.splits);
        let lanes = logarithm(self.outputs).min(5);
        let room = logarithm(u64::from(BLOCK)) - lanes;
        let threads = logarithm(items.div_ceil(FLIGHT)).min(room);
        Shares { items, lanes, threads, splits: 1, ..*self }
    }

    /// The grid, or nothing where there are more blocks than a grid can have.
    pub(in crate::device::cuda) fn grid(&self) -> Option<[u32; 3]> {
        let blocks = self.outputs.div_ceil(u64::from(BLOCK >> self.threads));
        Some([i32::try_from(blocks).ok()? as u32, self.splits, 1])
    }

    /// Whether counts do not fit the arithmetic of 32 bits.
    pub(in crate::device::cuda) fn is_wide(&self) -> bool {
        self.outputs.max(self.count) >= 1 << 31
    }
}

/// The exponent of the smallest power of two that is not less.
fn logarithm(n: u64) -> u32 {
    n.max(1).next_power_of_two().ilog2()
}

/// The loops of a reduction, and how it reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reduction {
    /// Over outputs: strides of the output and of the operand.
    pub(super) kept: Plan<2>,
    /// Over what is reduced; in vectors where the elements that are read at once are several, but not along a line.
    pub(super) reduced: Plan<1>,
    /// Elements that are read at once.
    pub(super) vector: usize,
    /// Whether what is reduced is one line.
    pub(super) line: bool,
    pub(super) shares: Shares,
    /// Where output and operand begin, in elements.
    pub(super) offsets: [isize; 2],
}

impl Reduction {
    /// The reduction of the trailing axes of an operand at an address, of elements of so many bytes.
    pub(super) fn new(
        shape: &[usize],
        [out, a]: [&[isize]; 2],
        address: u64,
        bytes: usize,
        ordered: bool,
    ) -> Reduction {
        let rank = out.len();
        let (kept_shape, shape) = shape.split_at(rank);
        let (kept_strides, strides) = a.split_at(rank);
        let (mut to, mut from) = ([0; MAX_RANK], [0; MAX_RANK]);
        let (to, from) = (&mut to[..rank], &mut from[..rank]);
        to.copy_from_slice(out);
        from.copy_from_slice(kept_strides);
        let mut offsets = read_forwards(kept_shape, to, from);
        let kept = Plan::unordered_by(kept_shape, [to, from], 1);
        let mut reduced =
            if ordered { Plan::ordered(shape, [strides]) } else { Plan::unordered(shape, [strides]) };
        let [to, from] = kept.offsets();
        offsets = [offsets[0] + to, offsets[1] + from + reduced.offsets()[0]];

        let count = reduced.len();
        let loads = |vector: usize, reduced: &Plan<1>| Loads {
            outputs: kept.len() as u64,
            items: count.div_ceil(vector) as u64,
            count: count as u64,
            inner_outputs: kept.inner_len() as u64,
            next_output: (kept.inner_strides()[1].unsigned_abs() * bytes) as u64,
            next_item: (reduced.inner_strides()[0].unsigned_abs() * bytes) as u64,
            bytes: (vector * bytes) as u64,
        };
        let line = reduced.outer_shape().is_empty();
        let mut vector = 1;
        let mut shares = Shares::choose(&loads(1, &reduced));
        let full = 16 / bytes;
        if shares.lanes == 0 && full > 1 && reduced.inner_strides() == [1] && count >= 4 * full {
            if line {
                vector = full;
                shares = Shares::choose(&loads(full, &reduced));
            } else if let Some(vectors) = in_vectors(&reduced, full)
                && kept.strides().iter().all(|[_, from]| from.unsigned_abs().is_multiple_of(full))
                && address.wrapping_add_signed((offsets[1] * bytes as isize) as i64).is_multiple_of(16)
            {
                (vector, reduced) = (full, vectors);
                shares = Shares::choose(&loads(full, &reduced));
            }
        }
        Reduction { kept, reduced, vector, line, shares, offsets }
    }
}

/// Walks kept axes along which what is reduced lies backwards from their other end: where output and operand begin then.
fn read_forwards(shape: &[usize], to: &mut [isize], from: &mut [isize]) -> [isize; 2] {
    let mut offsets = [0; 2];
    for ((&n, to), from) in shape.iter().zip(to).zip(from) {
        if *from < 0 && n > 0 {
            let last = n as isize - 1;
            offsets = [offsets[0] + *to * last, offsets[1] + *from * last];
            (*to, *from) = (-*to, -*from);
        }
    }
    offsets
}

/// The same loops over vectors of elements, where all of these begin at a multiple of their length.
fn in_vectors(plan: &Plan<1>, vector: usize) -> Option<Plan<1>> {
    let whole = plan.inner_len().is_multiple_of(vector)
        && plan.outer_strides().iter().all(|[stride]| stride.unsigned_abs().is_multiple_of(vector));
    whole.then(|| plan.with_inner(plan.inner_len() / vector, [vector as isize]))
}
