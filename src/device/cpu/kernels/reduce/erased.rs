//! Reducers and accumulators whose types are erased, so that the loops of `outputs` and `sweep` are compiled once, and not for each
//! reduction and element type. They call the kernels of a [`Reducer`] through the trait object [`ErasedReducer`], once for each block or row.

use super::reducer::{Limits, Reducer, output_and_operands};
use crate::device::cpu::memory::pool::{Block, Fill};
use crate::device::cpu::memory::scratch::{Side, guaranteed_of, with_memory};
use crate::layout::plan::Plan;
use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// Size of the accumulators that [`with_accs`] has on the stack, in bytes.
pub(super) const STACK_BYTES: usize = 4 << 10;

/// Memory on the stack for accumulators.
#[repr(align(64))]
struct Stack([MaybeUninit<u8>; STACK_BYTES]);

/// Exclusive access to consecutive accumulators of a [`Reducer`], whose type is not known here.
pub(in crate::device::cpu::kernels) struct Accs<'a> {
    start: *mut u8,
    len: usize,
    /// The size of an accumulator, in bytes.
    size: usize,
    borrowed: PhantomData<&'a mut [u8]>,
}

// SAFETY: the accumulators are of a type `Reducer::Acc`, which is `Send`, and `Accs` has exclusive access to them.
unsafe impl Send for Accs<'_> {}

impl Accs<'_> {
    /// # Safety
    /// The caller must ensure exclusive access, as long as the result is used, to memory for `len` accumulators of the layout `acc`,
    /// aligned for them.
    #[inline]
    pub(super) unsafe fn new(start: *mut u8, len: usize, acc: Layout) -> Self {
        Accs { start, len, size: acc.size(), borrowed: PhantomData }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the first `n` accumulators.
    #[inline]
    pub(super) fn first(&mut self, n: usize) -> Accs<'_> {
        self.split_at(n).0
    }

    /// Returns the first `n` accumulators, and the others.
    #[inline]
    pub(super) fn split_at(&mut self, n: usize) -> (Accs<'_>, Accs<'_>) {
        assert!(n <= self.len, "there are as many accumulators");
        let (start, size) = (self.start, self.size);
        let others =
            Accs { start: start.wrapping_add(n * size), len: self.len - n, size, borrowed: PhantomData };
        (Accs { start, len: n, size, borrowed: PhantomData }, others)
    }

    /// Returns the accumulators.
    ///
    /// # Safety
    /// The caller must ensure that they are values of the type `A`: the memory has accumulators of this type, or `A` is `MaybeUninit` of it.
    #[inline]
    unsafe fn values<A>(&mut self) -> &mut [A] {
        debug_assert_eq!(self.size, size_of::<A>());
        // SAFETY: `Accs::new` and `split_at` ensure that there are `len` accumulators from `start` on, to which access is exclusive as long
        // as `self` is borrowed. The caller ensures that they are values of type `A`.
        unsafe { core::slice::from_raw_parts_mut(self.start.cast(), self.len) }
    }
}

/// A [`Reducer`] as a trait object. `K`, `at`, `steps` and `strides` are those of [`Reducer`].
///
/// Memory is *for* accumulators of a reducer if it has their layout, [`Limits::acc`]. It *has* accumulators as soon as a function of this
/// trait has written all of them.
pub(in crate::device::cpu::kernels) trait ErasedReducer<const K: usize>:
    Sync
{
    fn limits(&self) -> &'static Limits;
    /// See [`Reducer::weight`].
    fn weight(&self, kept: [isize; K], reduced: [isize; K]) -> usize;
    /// Writes the identity to all accumulators.
    ///
    /// # Safety
    /// The memory of `accs` is for accumulators of this reducer.
    unsafe fn reset(&self, accs: &mut Accs<'_>);
    /// Combines each accumulator with the one at the same index of `others`.
    ///
    /// # Safety
    /// `accs` and `others` are accumulators of this reducer.
    unsafe fn combine_all(&self, accs: &mut Accs<'_>, others: &mut Accs<'_>);
    /// Replaces an accumulator by the identity, combined with the results of several lines of `n` elements, one after the other. `index` is
    /// the index of the first element.
    ///
    /// # Safety
    /// The memory of `acc` is for one accumulator of this reducer. The elements of each line are readable, and `n` is not zero.
    unsafe fn fold_each(
        &self,
        acc: &mut Accs<'_>,
        lines: &[[isize; K]],
        n: usize,
        strides: [isize; K],
        index: usize,
    );
    /// # Safety
    /// `accs` are accumulators of this reducer. The other conditions are those of [`Reducer::fold_lines`].
    unsafe fn fold_lines(
        &self,
        accs: &mut Accs<'_>,
        at: [isize; K],
        lengths: [usize; 2],
        steps: [isize; K],
        strides: [isize; K],
    );
    /// # Safety
    /// `accs` are accumulators of this reducer. The other conditions are those of [`Reducer::fold_rows`].
    unsafe fn fold_rows(
        &self,
        accs: &mut Accs<'_>,
        at: [isize; K],
        steps: [isize; K],
        strides: [isize; K],
        rows: [usize; 2],
    );
    /// # Safety
    /// `accs` are accumulators of this reducer. The other conditions are those of [`Reducer::put_row`].
    unsafe fn put_row(&self, at: isize, step: isize, accs: &mut Accs<'_>);
}

impl<const K: usize, R: Reducer<K>> ErasedReducer<K> for R {
    fn limits(&self) -> &'static Limits {
        const { &R::LIMITS }
    }

    fn weight(&self, kept: [isize; K], reduced: [isize; K]) -> usize {
        Reducer::weight(self, kept, reduced)
    }

    unsafe fn reset(&self, accs: &mut Accs<'_>) {
        let identity = self.identity();
        // SAFETY: the caller ensures that the memory is for accumulators of this reducer. They may be uninitialised, because the slice is
        // of `MaybeUninit`.
        unsafe { accs.values::<MaybeUninit<R::Acc>>() }.fill(MaybeUninit::new(identity));
    }

    unsafe fn combine_all(&self, accs: &mut Accs<'_>, others: &mut Accs<'_>) {
        // SAFETY: the caller ensures that these are accumulators of this reducer.
        let accs = unsafe { accs.values::<R::Acc>() };
        // SAFETY: as for `accs`.
        for (acc, &mut other) in accs.iter_mut().zip(unsafe { others.values::<R::Acc>() }) {
            *acc = self.combine(*acc, other);
        }
    }

    unsafe fn fold_each(
        &self,
        acc: &mut Accs<'_>,
        lines: &[[isize; K]],
        n: usize,
        strides: [isize; K],
        mut index: usize,
    ) {
        // SAFETY: the caller ensures that this is an accumulator of this reducer.
        let [to] = (unsafe { acc.values::<MaybeUninit<R::Acc>>() }) else { return };
        let mut acc = self.identity();
        for &at in lines {
            // SAFETY: the caller ensures that the elements of this line are readable.
            acc = self.combine(acc, unsafe { Reducer::fold_line(self, at, n, strides, index) });
            index += n;
        }
        to.write(acc);
    }

    unsafe fn fold_lines(
        &self,
        accs: &mut Accs<'_>,
        at: [isize; K],
        lengths: [usize; 2],
        steps: [isize; K],
        strides: [isize; K],
    ) {
        // SAFETY: the caller ensures that these are accumulators of this reducer.
        let accs = unsafe { accs.values() };
        // SAFETY: the caller ensures the conditions of `Reducer::fold_lines`.
        unsafe { Reducer::fold_lines(self, accs, at, lengths, steps, strides) }
    }

    unsafe fn fold_rows(
        &self,
        accs: &mut Accs<'_>,
        at: [isize; K],
        steps: [isize; K],
        strides: [isize; K],
        rows: [usize; 2],
    ) {
        // SAFETY: the caller ensures that these are accumulators of this reducer.
        let accs = unsafe { accs.values() };
        // SAFETY: the caller ensures the conditions of `Reducer::fold_rows`.
        unsafe { Reducer::fold_rows(self, accs, at, steps, strides, rows) }
    }

    unsafe fn put_row(&self, at: isize, step: isize, accs: &mut Accs<'_>) {
        // SAFETY: the caller ensures that these are accumulators of this reducer.
        let accs = unsafe { accs.values() };
        match step {
            // The stride is passed as a constant, so that the compiler vectorises the loop.
            // SAFETY: the caller ensures exclusive access to these outputs, whose stride is 1.
            1 => unsafe { Reducer::put_row(self, at, 1, accs) },
            // SAFETY: the caller ensures exclusive access to these outputs.
            _ => unsafe { Reducer::put_row(self, at, step, accs) },
        }
    }
}

/// Calls `f` with memory for `len` accumulators, on the stack if they have at most [`STACK_BYTES`] and the alignment of a cache line.
pub(super) fn with_accs<const K: usize>(
    reducer: &dyn ErasedReducer<K>,
    len: usize,
    f: &mut dyn FnMut(&mut Accs<'_>),
) {
    let acc = reducer.limits().acc;
    let mut call = |start: *mut u8| {
        // SAFETY: the memory at `start` is aligned, has space for `len` accumulators, and nothing else accesses it.
        f(&mut unsafe { Accs::new(start, len, acc) });
    };
    if len * acc.size() <= STACK_BYTES && acc.align() <= align_of::<Stack>() {
        let mut memory = Stack([MaybeUninit::uninit(); STACK_BYTES]);
        return call(memory.0.as_mut_ptr().cast());
    }
    debug_assert!(len <= guaranteed_of(acc));
    with_memory(Side::Sums, acc, len, len, &mut |start, _| call(start));
}

/// Memory for accumulators of another thread.
pub(super) struct OwnedAccs {
    block: Block,
    len: usize,
    acc: Layout,
}

impl OwnedAccs {
    /// Allocates memory for `len` accumulators. Returns `None` if the allocation fails. The allocation takes little time compared to the
    /// thread's work.
    pub(super) fn new<const K: usize>(reducer: &dyn ErasedReducer<K>, len: usize) -> Option<OwnedAccs> {
        let acc = reducer.limits().acc;
        let layout = Layout::from_size_align(acc.size().checked_mul(len)?, acc.align().max(64)).ok()?;
        Some(OwnedAccs { block: Block::fresh(layout, Fill::Anything)?, len, acc })
    }

    pub(super) fn borrow(&mut self) -> Accs<'_> {
        // SAFETY: the block was allocated for `len` accumulators, and access is exclusive as long as `self` is borrowed.
        unsafe { Accs::new(self.block.start().as_ptr(), self.len, self.acc) }
    }
}

/// Returns [`Reducer::weight`] for the inner strides of two plans.
pub(super) fn weight<const P: usize, const K: usize>(
    reducer: &dyn ErasedReducer<K>,
    kept: &Plan<P>,
    reduced: &Plan<K>,
) -> usize {
    reducer.weight(output_and_operands(kept.inner_strides()).1, reduced.inner_strides())
}
