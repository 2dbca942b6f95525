//! Elements under masks: compression to a vector, expansion of a vector, and the indices of elements that are not zero.
//!
//! A compression handles its input in chunks. If the output has space for a whole chunk, the loop over the chunk has no branch that depends
//! on the mask. It writes each element to the next place of the output, and then advances by the mask's element, 0 or 1:
//!
//! ```text
//! for each i:  out[to] = a[i];  to += mask[i]
//! ```
//!
//! A loop with a branch is slower, because the processor mispredicts the branch if the mask is irregular.

use super::by_size;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::{Operand, Output};
use crate::element::Element;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;

/// Number of elements that a loop without a branch handles between two checks of the vector's length.
const CHUNK_LEN: usize = 64;

/// A vector of `len` elements, of which the first `next` have been written or read.
struct MaskedLine<U> {
    ptr: HostPtr<U>,
    stride: isize,
    len: usize,
    next: usize,
}

impl<U: Copy> MaskedLine<U> {
    #[inline(always)]
    fn at(&self, k: usize) -> *mut U {
        self.ptr.offset(k as isize * self.stride).get()
    }

    /// Writes `value(i)` for each `i < n` with `chosen(i)`, up to the end of the vector. Returns the number of values that did not fit.
    ///
    /// # Safety
    /// The caller must ensure exclusive access to the vector.
    #[inline(always)]
    unsafe fn append(
        &mut self,
        n: usize,
        chosen: impl Fn(isize) -> bool,
        value: impl Fn(isize) -> U,
    ) -> usize {
        let mut lost = 0;
        for first in (0..n).step_by(CHUNK_LEN) {
            let chunk = first..n.min(first + CHUNK_LEN);
            let fits = self.len - self.next >= chunk.len();
            for i in chunk {
                let chosen = chosen(i as isize);
                if fits {
                    // SAFETY: at the start of the chunk, the vector had space for all values of the chunk, and each of them increases
                    // `next` by at most 1. So `next < len`. The caller ensures exclusive access to the vector.
                    unsafe { *self.at(self.next) = value(i as isize) };
                    self.next += usize::from(chosen);
                } else if chosen && self.next < self.len {
                    // SAFETY: `next < len`, and the caller ensures exclusive access to the vector.
                    unsafe { *self.at(self.next) = value(i as isize) };
                    self.next += 1;
                } else {
                    lost += usize::from(chosen);
                }
            }
        }
        lost
    }
}

/// The elements of one inner loop: `n` elements and their mask, with the strides of both.
struct Row<U> {
    elements: HostPtr<U>,
    mask: HostPtr<bool>,
    strides: [isize; 2],
    n: usize,
}

impl<U: Copy> Row<U> {
    /// Copies the elements at which the mask is `true` to the vector, up to its end. Returns the number of `true` elements that did not
    /// fit.
    ///
    /// # Safety
    /// The caller must ensure that the row's elements and mask are readable, and exclusive access to the vector.
    #[inline(always)]
    unsafe fn compress(&self, [a, m]: [isize; 2], to: &mut MaskedLine<U>) -> usize {
        // SAFETY: `append` calls this for `i < n` only, so the caller ensures that this element of the mask is readable.
        let chosen = |i: isize| unsafe { *self.mask.offset(i * m).get() };
        // SAFETY: `append` calls this for `i < n` only, so the caller ensures that this element of the row is readable.
        let element = |i: isize| unsafe { *self.elements.offset(i * a).get() };
        // SAFETY: the caller ensures exclusive access to the vector.
        unsafe { to.append(self.n, chosen, element) }
    }

    /// Copies elements of the vector to those elements of the row at which the mask is `true`. Returns the number of `true` elements for
    /// which the vector had no element. Works in chunks of the row: as long as the vector has an element for each element of a chunk, the
    /// whole chunk is stored. An element at which the mask is `false` is stored unchanged.
    ///
    /// # Safety
    /// The caller must ensure that the mask and the vector are readable, and exclusive access to the row's elements.
    #[inline(always)]
    unsafe fn expand(&self, [a, m]: [isize; 2], from: &mut MaskedLine<U>) -> usize {
        let mut lost = 0;
        for first in (0..self.n).step_by(CHUNK_LEN) {
            let chunk = first..self.n.min(first + CHUNK_LEN);
            let fits = from.len - from.next >= chunk.len();
            for i in chunk {
                let i = i as isize;
                // SAFETY: `i < n`, so the caller ensures that this element of the mask is readable.
                let chosen = unsafe { *self.mask.offset(i * m).get() };
                let to = self.elements.offset(i * a).get();
                if fits {
                    // SAFETY: at the start of the chunk, the vector had at least as many unread elements as the chunk has elements.
                    // Each element of the chunk reads at most one, so `next < len`, and the caller ensures that this element is
                    // readable.
                    let new = unsafe { *from.at(from.next) };
                    // SAFETY: `i < n`, so `to` points to an element of the row. The caller ensures exclusive access to it.
                    let old = unsafe { *to };
                    // SAFETY: `i < n`, so `to` points to an element of the row. The caller ensures exclusive access to it.
                    unsafe { *to = if chosen { new } else { old } };
                    from.next += usize::from(chosen);
                } else if chosen && from.next < from.len {
                    // SAFETY: `next < len`, so the caller ensures that this element of the vector is readable.
                    let new = unsafe { *from.at(from.next) };
                    // SAFETY: `i < n`, so `to` points to an element of the row. The caller ensures exclusive access to it.
                    unsafe { *to = new };
                    from.next += 1;
                } else {
                    lost += usize::from(chosen);
                }
            }
        }
        lost
    }
}

/// Whether elements are copied to the vector or from it.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Compress,
    Expand,
}

/// Copies elements of `size` bytes in row-major order. Compiled once for all element types.
///
/// # Safety
/// The caller must ensure that the mask is readable at each index of `shape`, and that the vector has `len` elements. For
/// [`Way::Compress`], the elements must be readable, and access to the vector exclusive. For [`Way::Expand`], the vector must be readable,
/// and access to the elements exclusive.
unsafe fn copy(
    way: Way,
    size: usize,
    shape: &[usize],
    [a, m]: [&[isize]; 2],
    elements: HostPtr<u8>,
    mask: HostPtr<bool>,
    (vector, stride, len): (HostPtr<u8>, isize, usize),
) {
    let plan = Plan::ordered(shape, [a, m]);
    by_size!(size, U => {
        let mut line = MaskedLine::<U> { ptr: HostPtr::new(vector.get().cast()), stride, len, next: 0 };
        let mut lost = 0;
        let mut walk = Odometer::outer(&plan);
        for _ in 0..plan.outer_shape().iter().product() {
            let [at, mask_at] = walk.offsets();
            walk.advance();
            let row = Row::<U> {
                elements: HostPtr::new(elements.get().cast::<U>()).offset(at),
                mask: mask.offset(mask_at),
                strides: plan.inner_strides(),
                n: plan.inner_len(),
            };
            lost += match (way, row.strides, line.stride) {
                // The strides are passed as constants, so that the compiler removes the multiplications.
                // SAFETY: `row` is a part of `elements` and `mask`, which the caller of `copy` ensures may be read. The caller also ensures
                // exclusive access to the vector, which `line` addresses.
                (Way::Compress, [1, 1], 1) => unsafe { row.compress([1, 1], &mut line) },
                // SAFETY: `row` is a part of `elements` and `mask`, which the caller of `copy` ensures may be read. The caller also ensures
                // exclusive access to the vector, which `line` addresses.
                (Way::Compress, strides, _) => unsafe { row.compress(strides, &mut line) },
                // SAFETY: `row` is a part of `elements` and `mask`. The caller of `copy` ensures exclusive access to `elements`. It also
                // ensures that `mask` and the vector, which `line` addresses, may be read.
                (Way::Expand, [1, 1], 1) => unsafe { row.expand([1, 1], &mut line) },
                // SAFETY: `row` is a part of `elements` and `mask`. The caller of `copy` ensures exclusive access to `elements`. It also
                // ensures that `mask` and the vector, which `line` addresses, may be read.
                (Way::Expand, strides, _) => unsafe { row.expand(strides, &mut line) },
            };
        }
        assert!(lost == 0 && line.next == len, "the vector must have an element for each `true` element");
    });
}

/// Returns the pointer to a vector, cast to bytes, and the vector's stride and extent, both in elements.
fn vector<T>(ptr: HostPtr<T>, shape: &[usize], strides: &[isize]) -> (HostPtr<u8>, isize, usize) {
    let (&[len], &[stride]) = (shape, strides) else { panic!("expected a vector") };
    (HostPtr::new(ptr.get().cast()), stride, len)
}

/// Implements [`Select::compress`](crate::device::Select::compress).
pub(in super::super) fn compress<T: Element>(
    out: &Output<'_, T, Cpu>,
    a: &Operand<'_, T, Cpu>,
    mask: &Operand<'_, bool, Cpu>,
) {
    assert_eq!(a.shape(), mask.shape(), "the mask must have the shape of the operand");
    let to = vector(out.ptr(), out.shape(), out.strides());
    let from = HostPtr::new(a.ptr().get().cast());
    let strides = [a.strides(), mask.strides()];
    // SAFETY: `a` and `mask` have the same shape, as was asserted, and `Operand` guarantees that their elements may be read. `Output`
    // guarantees exclusive access to the elements of the vector `out`.
    unsafe { copy(Way::Compress, size_of::<T>(), a.shape(), strides, from, mask.ptr(), to) }
}

/// Implements [`Select::expand`](crate::device::Select::expand).
pub(in super::super) fn expand<T: Element>(
    out: &Output<'_, T, Cpu>,
    mask: &Operand<'_, bool, Cpu>,
    a: &Operand<'_, T, Cpu>,
) {
    assert_eq!(out.shape(), mask.shape(), "the mask must have the shape of the output");
    let from = vector(a.ptr(), a.shape(), a.strides());
    let to = HostPtr::new(out.ptr().get().cast());
    let strides = [out.strides(), mask.strides()];
    // SAFETY: `out` and `mask` have the same shape, as was asserted. `Operand` guarantees that the elements of `mask` and of the vector `a`
    // may be read. `Output` guarantees exclusive access to the elements of `out`.
    unsafe { copy(Way::Expand, size_of::<T>(), out.shape(), strides, to, mask.ptr(), from) }
}

/// Writes the indices of the elements that are not zero to the vector, up to its end. `a` is the first of `n` elements. Returns the number
/// of indices that did not fit.
///
/// # Safety
/// The caller must ensure that the elements are readable, and exclusive access to the vector.
#[inline(always)]
unsafe fn write_indices<T: Element>(
    a: HostPtr<T>,
    stride: isize,
    n: usize,
    to: &mut MaskedLine<i64>,
) -> usize {
    // SAFETY: `append` calls this for `i < n` only, so the caller ensures that this element is readable.
    let chosen = |i: isize| unsafe { *a.offset(i * stride).get() } != T::default();
    // SAFETY: the caller ensures exclusive access to the vector.
    unsafe { to.append(n, chosen, |i| i as i64) }
}

/// Implements [`Select::nonzero`](crate::device::Select::nonzero).
pub(in super::super) fn nonzero<T: Element>(out: &Output<'_, i64, Cpu>, a: &Operand<'_, T, Cpu>) {
    let (&[rows, columns], &[row_stride, col_stride]) = (out.shape(), out.strides()) else {
        panic!("the output must be a matrix")
    };
    assert_eq!(columns, a.shape().len(), "there must be a column for each axis");
    let Some((&n, outer)) = a.shape().split_last() else {
        // SAFETY: a tensor of rank 0 has one element. `Operand` guarantees that it may be read.
        let chosen = unsafe { *a.ptr().get() } != T::default();
        return assert_eq!(
            usize::from(chosen),
            rows,
            "the output must have a row for each element that is not zero"
        );
    };
    let (&stride, strides) = a.strides().split_last().expect("each axis has a stride");
    // The odometer iterates over all axes but the last. The indices along the last axis are in the last column.
    let mut walk = Odometer::row_major(outer, [strides]);
    let ptr = out.ptr().offset((columns - 1) as isize * col_stride);
    let mut last = MaskedLine { ptr, stride: row_stride, len: rows, next: 0 };
    let mut lost = 0;
    let lines: usize = if n == 0 { 0 } else { outer.iter().product() };
    for _ in 0..lines {
        let ([at], begin) = (walk.offsets(), last.next);
        lost += match (stride, row_stride) {
            // The stride is passed as a constant, so that the compiler removes the multiplication.
            // SAFETY: the elements are those of a line of `a`, which `Operand` guarantees may be read. `last` addresses a column of `out`,
            // to which `Output` guarantees exclusive access.
            (1, 1) => unsafe { write_indices(a.ptr().offset(at), 1, n, &mut last) },
            // SAFETY: the elements are those of a line of `a`, which `Operand` guarantees may be read. `last` addresses a column of `out`,
            // to which `Output` guarantees exclusive access.
            _ => unsafe { write_indices(a.ptr().offset(at), stride, n, &mut last) },
        };
        for (column, &index) in walk.index().iter().enumerate() {
            for row in begin..last.next {
                // SAFETY: `row < rows` and `column < columns`. `Output` guarantees exclusive access to this element of `out`.
                unsafe {
                    *out.ptr().offset(row as isize * row_stride + column as isize * col_stride).get() =
                        index as i64
                };
            }
        }
        walk.advance();
    }
    assert!(lost == 0 && last.next == rows, "the output must have a row for each element that is not zero");
}
