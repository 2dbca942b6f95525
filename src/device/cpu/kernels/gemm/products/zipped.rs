//! The operands of an inner loop, with strides that the compiler knows if they are 0 or 1.

use crate::device::cpu::HostPtr;

/// One operand of an inner loop: its first element and its stride. `STEP` is the stride if it is known at compile time, otherwise
/// [`ANY_STRIDE`].
#[derive(Debug, Clone, Copy)]
struct StridedElements<T, const STEP: isize> {
    ptr: *const T,
    step: isize,
}

/// Both operands of an inner loop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Zipped<T, const A: isize, const B: isize>(StridedElements<T, A>, StridedElements<T, B>);

/// Unit stride.
pub(super) const CONTIGUOUS: isize = 1;
/// Stride 0: one element is repeated.
pub(super) const REPEATED: isize = 0;
/// Stands for a stride that is known only at run time.
pub(super) const ANY_STRIDE: isize = isize::MAX;

impl<T: Copy, const STEP: isize> StridedElements<T, STEP> {
    #[inline(always)]
    fn new(ptr: HostPtr<T>, step: isize) -> Self {
        debug_assert!(STEP == ANY_STRIDE || STEP == step);
        StridedElements { ptr: ptr.get(), step: if STEP == ANY_STRIDE { step } else { STEP } }
    }

    /// Returns element `i`.
    ///
    /// # Safety
    /// The caller must ensure that elements `0..=i` are within one allocation, and that element `i` is readable.
    #[inline(always)]
    unsafe fn at(self, i: usize) -> T {
        let step = if STEP == ANY_STRIDE { self.step } else { STEP };
        // With `wrapping_offset`, the compiler would not vectorise the loop.
        // SAFETY: the caller ensures that the first element and element `i` are in one allocation, so the offset stays within it
        // and does not overflow.
        let element = unsafe { self.ptr.offset(i as isize * step) };
        // SAFETY: the caller ensures that element `i` is readable.
        unsafe { *element }
    }
}

impl<T: Copy, const A: isize, const B: isize> Zipped<T, A, B> {
    #[inline(always)]
    pub(super) fn new(a: HostPtr<T>, b: HostPtr<T>, steps: [isize; 2]) -> Self {
        Zipped(StridedElements::new(a, steps[0]), StridedElements::new(b, steps[1]))
    }

    /// Returns element `i` of both operands.
    ///
    /// # Safety
    /// The contract of `at` of [`StridedElements`], for element `i` of both operands.
    #[inline(always)]
    pub(super) unsafe fn at(self, i: usize) -> (T, T) {
        // SAFETY: the caller ensures the contract of `StridedElements::at` for element `i` of the first operand.
        let x = unsafe { self.0.at(i) };
        // SAFETY: the caller ensures the contract of `StridedElements::at` for element `i` of the second operand.
        (x, unsafe { self.1.at(i) })
    }
}

/// The rows of both operands of a loop over rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<T> {
    pub(super) a: HostPtr<T>,
    pub(super) b: HostPtr<T>,
    /// The strides from one element of a row to the next.
    pub(super) steps: [isize; 2],
    /// The strides from one row to the next.
    pub(super) strides: [isize; 2],
}

impl<T: Copy> Rows<T> {
    /// Returns the rows from row `first` on.
    #[inline(always)]
    pub(super) fn from(self, first: usize) -> Self {
        let first = first as isize;
        Rows { a: self.a.offset(first * self.strides[0]), b: self.b.offset(first * self.strides[1]), ..self }
    }

    /// Returns the first `COUNT` rows.
    #[inline(always)]
    pub(super) fn first<const A: isize, const B: isize, const COUNT: usize>(
        self,
    ) -> [Zipped<T, A, B>; COUNT] {
        let mut rows = [Zipped::new(self.a, self.b, self.steps); COUNT];
        for (r, row) in rows.iter_mut().enumerate() {
            let Rows { a, b, steps, .. } = self.from(r);
            *row = Zipped::new(a, b, steps);
        }
        rows
    }

    /// Returns element `j` of row `r` of both operands.
    ///
    /// # Safety
    /// The contract of [`Zipped::at`], for element `j` of row `r`.
    #[inline(always)]
    pub(super) unsafe fn at(self, r: usize, j: usize) -> (T, T) {
        let [row]: [Zipped<T, ANY_STRIDE, ANY_STRIDE>; 1] = self.from(r).first();
        // SAFETY: the caller ensures the contract of `Zipped::at` for this row.
        unsafe { row.at(j) }
    }
}
