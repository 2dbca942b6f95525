//! The loop over the matrices of a batch.

use super::lanes::{self, MAX_LANES};
use super::parallel::Threads;
use super::{Failure, Field};
use crate::device::cpu::loops::threads::{PARALLEL_BYTES, enter, join};
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::{Device, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::axes::Axes;
use crate::layout::odometer::Odometer;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// The matrices of an output, which a batch writes one after the other, or several at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Results<'a, T> {
    first: HostPtr<T>,
    /// The number of elements in all matrices.
    count: usize,
    batch: &'a [isize],
    axes: Axes<'a>,
}

impl<'a, T: Element> Results<'a, T> {
    /// Splits `out` into matrices. Its first `batch` axes are the axes of the batch. The other axes are the axes of a matrix.
    pub(super) fn new(out: Output<'a, T, Cpu>, batch: usize) -> Self {
        let (shape, strides) = (out.shape(), out.strides());
        let (of_batch, of_matrix) = strides.split_at(batch);
        let count = if shape.contains(&0) { 0 } else { shape.iter().product() };
        Results { first: out.ptr(), count, batch: of_batch, axes: Axes::new(&shape[batch..], of_matrix) }
    }

    /// Returns the strides of the axes of the batch.
    pub(super) fn strides(&self) -> &'a [isize] {
        self.batch
    }

    /// Returns whether there are no elements to write.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the matrix at this offset.
    ///
    /// # Safety
    /// The caller must ensure that the offset is that of a matrix of the batch, and that no other reference to this matrix is used while
    /// the result is in use.
    pub(super) unsafe fn at(&self, offset: isize) -> Output<'a, T, Cpu> {
        // SAFETY: the output that was passed to `new` has exclusive access to all its elements during `'a`, and different indices address
        // different elements. The caller ensures that no other reference to the matrix at `offset` is used.
        unsafe { Output::from_raw(Cpu::offset(self.first, offset), self.axes.shape(), self.axes.strides()) }
    }
}

/// Asserts that an output has the axes of the batch of `a`, and after them axes of these extents. The kernels rely on it: user-defined
/// devices call them with any shapes.
#[track_caller]
pub(super) fn assert_extents<T: Element, U: Element>(
    out: &Output<'_, T, Cpu>,
    a: &Operand<'_, U, Cpu>,
    extents: &[usize],
) {
    let batch = a.shape().len().checked_sub(2).expect("a factorisation needs matrices");
    let fits =
        out.shape().split_at_checked(batch).is_some_and(|split| split == (&a.shape()[..batch], extents));
    assert!(
        fits,
        "an output of shape {:?} does not fit matrices of shape {:?}: after the axes of the batch, it must have extents {extents:?}",
        out.shape(),
        a.shape()
    );
}

/// Returns the extent of square matrices.
///
/// # Panics
/// If the matrices are not square.
#[track_caller]
pub(super) fn square_extent<T: Element>(a: &Operand<'_, T, Cpu>) -> usize {
    match *a.shape() {
        [.., m, n] if m == n => n,
        ref shape => panic!("the matrices must be square, but have shape {shape:?}"),
    }
}

/// The matrices of an operand, and the name of the operation for messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatrixBatch<'a, T: Field> {
    op: &'static str,
    operand: Operand<'a, T, Cpu>,
    threads: Threads,
}

impl<'a, T: Field> MatrixBatch<'a, T> {
    pub(super) fn new(op: &'static str, operand: Operand<'a, T, Cpu>, threads: Threads) -> Self {
        assert!(operand.shape().len() >= 2, "a factorisation needs matrices");
        MatrixBatch { op, operand, threads }
    }

    /// Returns the number of axes of the batch.
    pub(super) fn rank(&self) -> usize {
        self.operand.shape().len() - 2
    }

    /// Returns the number of matrices.
    pub(super) fn count(&self) -> usize {
        // The product does not overflow. The callers return early if the outputs have no elements. So an output has at least one element
        // for each matrix, and its number of elements fits in `usize`.
        self.operand.shape()[..self.rank()].iter().product()
    }

    /// Calls `f` once for each index of the batch. The arguments of `f` are the matrix of the operand, and the offset of the result in each
    /// of the `K` outputs. `outputs` has the strides of each output along the axes of the batch.
    ///
    /// Splits the matrices between threads if there is enough work. Threads without a matrix help with the large matrices of other threads.
    /// `operations` is the approximate number of multiplications for one matrix. At least one output must have elements.
    ///
    /// # Errors
    /// The error of the first matrix, by its index, for which `f` returns one.
    pub(super) fn for_each<const K: usize>(
        &self,
        outputs: [&[isize]; K],
        operations: usize,
        f: &(dyn Fn(Operand<'_, T, Cpu>, [isize; K]) -> Result<(), Failure> + Sync),
    ) -> Result<(), Error> {
        let one = |matrices: &[Matrix<'_, T, K>]| {
            matrices.iter().enumerate().try_for_each(|(k, &(a, to))| f(a, to).map_err(|why| (k, why)))
        };
        self.for_each_group(outputs, operations, 1, &one)
    }

    /// [`for_each`](MatrixBatch::for_each), where a function `small` decomposes several matrices at once. It is called with at most
    /// [`lanes::count`] matrices, and for each of them sets a `bool` if it has written the results. `f` is called for the others.
    ///
    /// # Errors
    /// An error of `small`, or the error of the first matrix, by its index, for which `f` returns one.
    pub(super) fn for_each_small<const K: usize>(
        &self,
        outputs: [&[isize]; K],
        operations: usize,
        method: SmallMethod,
        small: &(dyn Fn(&[Matrix<'_, T, K>], &mut [bool]) -> Result<(), Failure> + Sync),
        f: &(dyn Fn(Operand<'_, T, Cpu>, [isize; K]) -> Result<(), Failure> + Sync),
    ) -> Result<(), Error> {
        if method == SmallMethod::None {
            return self.for_each(outputs, operations, f);
        }
        self.for_each_group(outputs, operations, lanes::count::<T>(), &|matrices| {
            let mut done = [false; MAX_LANES];
            let len = method.len::<T>(matrices.len());
            for (matrices, done) in matrices.chunks(len).zip(done.chunks_mut(len)) {
                small(matrices, done).map_err(|why| (0, why))?;
            }
            let mut others = matrices.iter().enumerate().filter(|(k, _)| !done[*k]);
            others.try_for_each(|(k, &(a, to))| f(a, to).map_err(|why| (k, why)))
        })
    }

    /// [`for_each`](MatrixBatch::for_each) for a function of several matrices. `f` is called with at most `group` matrices, and with each matrix
    /// once. Its error is the position in this group and the reason of the first matrix without a result.
    ///
    /// # Panics
    /// If `group` is 0 or more than [`MAX_LANES`].
    fn for_each_group<const K: usize>(
        &self,
        outputs: [&[isize]; K],
        operations: usize,
        group: usize,
        f: &(dyn Fn(&[Matrix<'_, T, K>]) -> Result<(), (usize, Failure)> + Sync),
    ) -> Result<(), Error> {
        let rank = self.rank();
        let shape = &self.operand.shape()[..rank];
        if rank == 0 {
            let only = [(self.operand, [0; K])];
            return self.threads.run(|| f(&only)).map_err(|(_, why)| self.error(Vec::new(), why));
        }
        let count = self.count();
        let (of_operand, of_outputs) = (
            Odometer::row_major(shape, [&self.operand.strides()[..rank]]),
            Odometer::row_major(shape, outputs),
        );
        let axes = Axes::new(&self.operand.shape()[rank..], &self.operand.strides()[rank..]);
        let (first_failed, failure) = (AtomicUsize::new(usize::MAX), Mutex::new(None));
        let run = |groups: Range<usize>| {
            let mut range = groups.start * group..count.min(groups.end * group);
            let (mut from, mut to) = (of_operand.at(range.start), of_outputs.at(range.start));
            let mut matrices = [(self.operand, [0; K]); MAX_LANES];
            while !range.is_empty() {
                // Only the error of the first failed matrix is returned, so the matrices after it need not be computed.
                if range.start > first_failed.load(Ordering::Relaxed) {
                    return;
                }
                let matrices = &mut matrices[..group.min(range.len())];
                for matrix in &mut *matrices {
                    let [offset] = from.offsets();
                    *matrix = (self.operand.with_axes(axes, offset), to.offsets());
                    from.advance();
                    to.advance();
                }
                if let Err((k, why)) = f(matrices) {
                    let k = range.start + k;
                    let mut failure = failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    if k < first_failed.fetch_min(k, Ordering::Relaxed) {
                        *failure = Some((of_operand.at(k).index().to_vec(), why));
                    }
                    return;
                }
                range.start += matrices.len();
            }
        };
        let work = operations.saturating_mul(BYTES_PER_OPERATION).max(1);
        let enough = PARALLEL_BYTES.div_ceil(work).div_ceil(group);
        let split = || halves(0..count.div_ceil(group), enough, &run);
        match self.threads {
            Threads::One => enter(work.saturating_mul(count), split),
            Threads::Several => self.threads.run(split),
        }
        match failure.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            None => Ok(()),
            Some((index, why)) => Err(self.error(index, why)),
        }
    }

    fn error(&self, matrix: Vec<usize>, why: Failure) -> Error {
        why.error(self.op, self.operand.shape().to_vec(), matrix)
    }
}

/// Returns the largest extent of matrices for which a Jacobi method, applied to several of them at once, takes less time than faer.
/// Chosen by the rows `svd 1000 ×` and `eigh 1000 ×` of `benches/peers/src/rows/linalg.rs`.
const fn largest<T: Field>() -> usize {
    match (T::COMPLEX, lanes::count::<T>()) {
        (false, 16) => 24,
        (false, _) => 20,
        (true, 16) => 20,
        (true, _) => 16,
    }
}

/// Whether a method for small matrices decomposes the matrices of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SmallMethod {
    None,
    /// Several at once. The batch has at least as many matrices as there are lanes.
    Several,
    /// Several at once, or one by one. The results are the same.
    SeveralOrOne,
}

impl SmallMethod {
    /// Returns the choice for a number of matrices of this extent. `largest_of_one` is the largest extent for which one matrix takes less time
    /// than with faer.
    pub(super) fn new<T: Field>(largest_of_one: usize, extent: usize, matrices: usize) -> Self {
        if extent <= largest_of_one {
            SmallMethod::SeveralOrOne
        } else if extent <= largest::<T>() && matrices >= lanes::count::<T>() {
            SmallMethod::Several
        } else {
            SmallMethod::None
        }
    }

    /// Returns how many of these matrices to decompose at once. One or two take less time one by one.
    fn len<T: Field>(self, matrices: usize) -> usize {
        if self == SmallMethod::SeveralOrOne && matrices < 3 { 1 } else { lanes::count::<T>() }
    }
}

/// A matrix of the operand, and the offset of its result in each of `K` outputs.
pub(super) type Matrix<'a, T, const K: usize> = (Operand<'a, T, Cpu>, [isize; K]);

/// Work of one multiplication of a factorisation, as the number of bytes that could be copied in the same time. In small matrices, each
/// multiplication takes about a nanosecond.
const BYTES_PER_OPERATION: usize = 100;

/// Calls `f` on parts that together make up the range. A part of at least `2 · enough` numbers is split.
fn halves(range: Range<usize>, enough: usize, f: &(dyn Fn(Range<usize>) + Sync)) {
    if range.len() < 2 * enough {
        return f(range);
    }
    let middle = range.start + range.len() / 2;
    join(|| halves(range.start..middle, enough, f), || halves(middle..range.end, enough, f));
}
