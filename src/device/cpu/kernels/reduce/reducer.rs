//! The interface between the loops of reductions and their operands: the trait [`Reducer`].

use core::alloc::Layout;

/// How the loops of a [`Reducer`] are split.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cpu::kernels) struct Limits {
    /// The layout of [`Reducer::Acc`].
    pub(crate) acc: Layout,
    /// Minimum number of elements that are split between two threads.
    pub(crate) parallel_len: usize,
    /// The time to fold one element, as the number of bytes that could be copied in that time.
    pub(crate) element_cost_bytes: usize,
    /// The elements of a single loop are split between threads at multiples of this number.
    pub(crate) block_len: usize,
    /// Maximum number of outputs that are computed together. Longer rows take less time per element, but their accumulators must stay in
    /// cache.
    pub(crate) max_swept_outputs: usize,
    /// Maximum number of rows that are folded into one set of accumulators. This set is then combined with the set of the adjacent rows.
    pub(crate) leaf_rows: usize,
    /// The same if the inner loop over rows is short, so that [`fold_rows`](Reducer::fold_rows) gets only a few at a time.
    pub(crate) short_leaf_rows: usize,
    /// Whether combining partial results rounds. Exact results need no pairwise combination, so all rows are folded into one set of
    /// accumulators.
    pub(crate) rounds: bool,
}

/// The `K` operands of a reduction, its output, and the kernels that fold elements. The modules `outputs` and `sweep` have the loops
/// around these kernels, which are the same for all operands: for a single one ([`ReduceTask`](super::task::ReduceTask)), and for pairs
/// whose elements are multiplied (`gemm::products`). They use it as a trait object ([`ErasedReducer`](super::erased::ErasedReducer)), so they are compiled once.
///
/// The *element* of a reduction at an index consists of the elements of all operands at that index. `at` is the offset of an element in
/// each operand. In all conditions below, the *elements of a line* are those at the offsets `at[k] + i * strides[k]` of operand `k`,
/// with `i < n`.
pub(in crate::device::cpu::kernels) trait Reducer<const K: usize>:
    Sync
{
    /// A partial result.
    type Acc: Copy + Send + Sync;
    /// How the loops are split.
    const LIMITS: Limits;

    /// Returns the neutral element of [`combine`](Reducer::combine).
    fn identity(&self) -> Self::Acc;
    /// Combines two partial results. The elements of `a` come before those of `b`.
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc;

    /// Returns the cost of reading an element, relative to an element that is contiguous with the one before. `kept` and `reduced` are the
    /// inner strides of the loops over outputs and over the elements of one output.
    fn weight(&self, _kept: [isize; K], _reduced: [isize; K]) -> usize {
        1
    }

    /// Folds the elements of a line. `index` is the index of the first element.
    ///
    /// # Safety
    /// The caller must ensure that the elements of the line are readable.
    unsafe fn fold_line(&self, at: [isize; K], n: usize, strides: [isize; K], index: usize) -> Self::Acc;

    /// Folds each of `accs.len()` lines into its own accumulator. `steps` are the strides from line to line. `lengths` are the length `n` of the
    /// lines, and the index of the first element of each line.
    ///
    /// # Safety
    /// The caller must ensure that the elements of these lines are readable, and that `n` is not zero.
    unsafe fn fold_lines(
        &self,
        accs: &mut [Self::Acc],
        at: [isize; K],
        lengths: [usize; 2],
        steps: [isize; K],
        strides: [isize; K],
    );

    /// Folds rows into accumulators: element `j` of each row into `accs[j]`. `steps` are the strides within a row, and `strides` those from
    /// row to row. `rows` are the number of rows, and the index of the first row.
    ///
    /// # Safety
    /// The caller must ensure that the `accs.len()` elements of each of these rows are readable.
    unsafe fn fold_rows(
        &self,
        accs: &mut [Self::Acc],
        at: [isize; K],
        steps: [isize; K],
        strides: [isize; K],
        rows: [usize; 2],
    );

    /// Writes the results for several accumulators. The first output is at offset `at`, and `step` is the stride between outputs.
    ///
    /// # Safety
    /// The caller must ensure exclusive access to these `accs.len()` outputs.
    unsafe fn put_row(&self, at: isize, step: isize, accs: &[Self::Acc]);
}

/// Returns the offsets of element `i` of a line that begins at `at`.
#[inline(always)]
pub(in crate::device::cpu::kernels) fn advanced<const K: usize>(
    mut at: [isize; K],
    i: usize,
    strides: [isize; K],
) -> [isize; K] {
    for k in 0..K {
        at[k] += i as isize * strides[k];
    }
    at
}

/// Returns the sums of two offsets in each operand.
#[inline(always)]
pub(super) fn sum_of<const K: usize>(mut at: [isize; K], other: [isize; K]) -> [isize; K] {
    for k in 0..K {
        at[k] += other[k];
    }
    at
}

/// Splits the strides or offsets of a plan over outputs: those of the output, and those of the `K = P - 1` operands.
#[inline(always)]
pub(super) fn output_and_operands<const P: usize, const K: usize>(all: [isize; P]) -> (isize, [isize; K]) {
    const { assert!(P == K + 1) };
    let mut operands = [0; K];
    operands.copy_from_slice(&all[1..]);
    (all[0], operands)
}
