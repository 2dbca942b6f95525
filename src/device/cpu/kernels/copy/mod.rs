//! Copies between any two layouts of one shape: implements [`Copy`] for [`Cpu`]. Assignments, order conversions, contractions
//! and transfers call it.
//!
//! ```text
//! at most two axes, and a few elements: a loop without a plan               (Copy::copy)
//! few bytes, and both contiguous in one memory order: one loop              (copy)
//! at most MAX_UNPLANNED_LEN elements: one loop per axis                     (small)
//! few bytes along one axis, contiguous in source or result: one loop        (copy)
//! a small matrix to transpose: the tile kernel, without a plan              (tile::transpose)
//! otherwise, by the loops that layout::tiling chooses:
//!     split in half, recursively, for threads                               (CopyTask::run)
//!         the result has a few copies of each element of a contiguous row:  (repeated)
//!         source and result are contiguous along different axes:            (tiles)
//!             for each band of rows
//!                 for each index of the outer loops
//!                     transpose a tile of all columns and these rows        (module loops::tile)
//!         the result has long contiguous rows, the source is strided:       (gathered)
//!             for each row of the result: gather it
//!         otherwise:                                                        (pieces)
//!             for each run of `unit` contiguous bytes: copy it
//! ```
//!
//! [`layout::tiling`](crate::layout::tiling) chooses rows, columns and the loops around them, without access to the data. The
//! kernels copy untyped bytes: they take the size of an element, and not its type. Large results are written with non-temporal
//! stores if that is faster.

mod repeat;
mod task;

use crate::device::cpu::loops::few::Few;
use crate::device::cpu::loops::pack;
use crate::device::cpu::loops::threads::{PARALLEL_BYTES, enter};
use crate::device::cpu::loops::tile;
use crate::device::cpu::memory::stream;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::{Copy, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::layout::is_contiguous;
use crate::layout::plan::Plan;
use crate::layout::tiling::Blocks;
use task::CopyTask;
pub(super) use task::MIN_STREAMED_BYTES;

/// Maximum number of elements that [`small`] copies, without a plan. For more elements, planning pays off.
const MAX_UNPLANNED_LEN: usize = 32;
/// Size in bytes below which a matrix is transposed without a plan.
const MAX_UNPLANNED_MATRIX_BYTES: usize = 256 << 10;
/// Minimum size of a result, in bytes, for a second thread. For smaller results, a second thread makes the copy slower.
const PARALLEL_COPY_BYTES: usize = PARALLEL_BYTES / 2;

#[diagnostic::do_not_recommend]
impl<T: Element> Copy<T> for Cpu {
    // Always inlined: if the rank is known at compile time, the compiler removes most of the code. Passing the operands to a
    // function would take longer than a small copy.
    #[inline(always)]
    fn copy(&self, out: Output<'_, T, Cpu>, a: Operand<'_, T, Cpu>) -> Result<(), Error> {
        assert!(same(out.shape(), a.shape()), "the operands must have the same shape");
        if let Some(few) = Few::new(out.shape(), &[out.strides(), a.strides()]) {
            if let Some(len) = few.contiguous_len() {
                // SAFETY: `a` and `out` have `len` contiguous elements each. `Operand` guarantees that those of `a` may be read.
                // `Output` guarantees exclusive access to those of `out`.
                unsafe { copy_short(a.ptr(), out.ptr(), len) };
                return Ok(());
            }
            few.for_each(|[o, x]| {
                // SAFETY: `x` is the offset of an element of `a`, and `Operand` guarantees that its elements may be read.
                let value = unsafe { a.ptr().offset(x).get().read() };
                // SAFETY: `o` is the offset of the element of `out` at the same index. `Output` guarantees exclusive access to it.
                unsafe { out.ptr().offset(o).get().write(value) };
            });
            return Ok(());
        }
        copy_part(&out, &a, 0);
        Ok(())
    }
}

/// Copies a tensor, as a part of a result of `whole` bytes that several calls write. The stores are those of a copy of `whole` bytes:
/// non-temporal if that is large. 0 if the copy is not a part of a larger one.
#[inline(always)]
pub(super) fn copy_part<T: Element>(out: &Output<'_, T, Cpu>, a: &Operand<'_, T, Cpu>, whole: usize) {
    assert!(same(out.shape(), a.shape()), "the operands must have the same shape");
    let (to, from) = (HostPtr::new(out.ptr().get().cast()), HostPtr::new(a.ptr().get().cast()));
    // SAFETY: `a` and `out` both have the shape `out.shape()`. `Operand` guarantees that the elements of `a` may be read. `Output`
    // guarantees exclusive access to those of `out`, so they do not overlap the elements of `a`.
    unsafe { copy(size_of::<T>(), out.shape(), [to, from], [out.strides(), a.strides()], whole) };
}

/// Copies a few contiguous elements with inlined loops, which are faster than a call of `memcpy`.
///
/// # Safety
/// The caller must ensure that `len` elements from `from` are readable, and exclusive access to `len` elements from `to`.
#[inline(always)]
unsafe fn copy_short<T: Element>(from: HostPtr<T>, to: HostPtr<T>, len: usize) {
    const STEP: usize = 4;
    let whole = len - len % STEP;
    for i in (0..whole).step_by(STEP) {
        // All elements of a step are read before any is written, so the compiler vectorises without an overlap check.
        // SAFETY: `i + STEP <= len`, and the caller ensures that these elements are readable.
        let elements = unsafe { from.offset(i as isize).get().cast::<[T; STEP]>().read() };
        // SAFETY: `i + STEP <= len`, and the caller ensures exclusive access to these elements.
        unsafe { to.offset(i as isize).get().cast::<[T; STEP]>().write(elements) };
    }
    for i in whole..len {
        // SAFETY: `i < len`, and the caller ensures that this element is readable.
        let element = unsafe { from.offset(i as isize).get().read() };
        // SAFETY: `i < len`, and the caller ensures exclusive access to this element.
        unsafe { to.offset(i as isize).get().write(element) };
    }
}

/// Copies elements of `size` bytes from the source `from` to the result `to`. Strides count elements. Pointers need no alignment. If the
/// copy has fewer bytes than `whole`, the stores are those of a copy of `whole` bytes.
///
/// # Safety
/// The caller must ensure, for the elements that `shape` and the strides describe:
/// * All elements of the source may be read.
/// * The caller has exclusive access to all elements of the result, which do not overlap those of the source.
unsafe fn copy(
    size: usize,
    shape: &[usize],
    [to, from]: [HostPtr<u8>; 2],
    strides: [&[isize]; 2],
    whole: usize,
) {
    if shape.contains(&0) {
        return;
    }
    let len: usize = shape.iter().product();
    let contiguous = |row_major| strides.iter().all(|strides| is_contiguous(shape, strides, row_major));
    if len * size < PARALLEL_COPY_BYTES && (contiguous(true) || contiguous(false)) {
        // SAFETY: source and result are contiguous in the same memory order, so each is one range of `len · size` bytes. The caller ensures
        // that the source may be read, and exclusive access to the result. The two do not overlap.
        unsafe { stream::copy_bytes(from.get().cast_const(), to.get(), len * size) };
    } else if len <= MAX_UNPLANNED_LEN {
        macro_rules! small {
            ($size:literal) => {
                // SAFETY: `small` has the contract of `copy`, which the caller ensures. It also needs a type of `size` bytes for which
                // the pointers are aligned. The array has `size` bytes and alignment 1.
                unsafe {
                    small::<[u8; $size]>(
                        shape,
                        to.get().cast(),
                        strides[0],
                        from.get().cast_const().cast(),
                        strides[1],
                    )
                }
            };
        }
        match size {
            1 => small!(1),
            2 => small!(2),
            4 => small!(4),
            8 => small!(8),
            16 => small!(16),
            _ => unreachable!("unsupported element size: {size} bytes"),
        }
    } else if len * size < PARALLEL_COPY_BYTES
        && let Some(axis) = only_axis(shape)
        && strides.iter().any(|strides| strides[axis] == 1)
    {
        let (to, from) = (to.get(), from.get().cast_const());
        match strides.map(|strides| strides[axis]) {
            // SAFETY: all elements are along one axis, contiguous in the result. The caller ensures that those of the source may be read,
            // and exclusive access to those of the result. The two do not overlap.
            [1, stride] => unsafe { pack::gather(size, from, stride, to, len) },
            // The result runs backwards. Its last element has the smallest address.
            // SAFETY: all elements are along one axis, contiguous in source and result. The caller ensures that those of the source may be
            // read, and exclusive access to those of the result. The two do not overlap.
            [-1, 1] => unsafe {
                pack::gather_reversed(size, from, 1, to.wrapping_sub((len - 1) * size), len);
            },
            // SAFETY: all elements are along one axis, contiguous in the source. The caller ensures that those of the source may be read,
            // and exclusive access to those of the result. The two do not overlap.
            [stride, _] => unsafe { pack::scatter(size, from, to, stride, len) },
        }
    } else if let (&[rows, columns], [&[to_row, 1], &[1, from_column]]) = (shape, strides)
        && len * size < MAX_UNPLANNED_MATRIX_BYTES
    {
        // The result is contiguous along rows, and the source along columns. The tile kernel transposes such a matrix without a
        // plan.
        let (from_column, to_row) = (from_column * size as isize, to_row * size as isize);
        // SAFETY: `transpose` needs a readable source and exclusive access to a result that does not overlap it. The caller ensures
        // this. The elements are the same; only the strides are in bytes.
        unsafe { tile::transpose(size, from.get(), from_column, to.get(), to_row, rows, columns) };
    } else {
        let blocks = Blocks::new(&Plan::unordered_by(shape, strides, 0), size);
        let job = CopyTask { to, from, bytes: blocks.bytes().max(whole) };
        // SAFETY: `job.run` needs a readable source and exclusive access to a result that does not overlap it. `blocks` visits the
        // elements that `shape` and `strides` describe, for which the caller ensures this.
        enter(2 * blocks.bytes(), || unsafe { job.run(&blocks) });
    }
}

/// Returns the axis with several indices, or `None` if there are several such axes.
fn only_axis(shape: &[usize]) -> Option<usize> {
    let axis = shape.iter().position(|&n| n > 1)?;
    shape[axis + 1..].iter().all(|&n| n == 1).then_some(axis)
}

/// Copies elements of the size of `P` with one loop per axis. The last axis is the innermost loop.
///
/// # Safety
/// The contract of [`copy`], for elements of the size of `P`. Pointers must be aligned for `P`.
unsafe fn small<P: core::marker::Copy>(
    shape: &[usize],
    to: *mut P,
    to_strides: &[isize],
    from: *const P,
    from_strides: &[isize],
) {
    let (Some((&extent, shape)), Some((&t, to_strides)), Some((&f, from_strides))) =
        (shape.split_first(), to_strides.split_first(), from_strides.split_first())
    else {
        // SAFETY: without axes, `from` and `to` point to one element each. The caller ensures that the element at `from` may be read,
        // and exclusive access to the element at `to`. The two do not overlap.
        unsafe { to.copy_from_nonoverlapping(from, 1) };
        return;
    };
    for i in 0..extent as isize {
        let (to, from) = (to.wrapping_offset(i * t), from.wrapping_offset(i * f));
        if shape.is_empty() {
            // SAFETY: `i < extent`, so `from` and `to` point to elements of the operands. The caller ensures that the element at `from`
            // may be read, and exclusive access to the element at `to`. The two do not overlap.
            unsafe { to.copy_from_nonoverlapping(from, 1) };
        } else {
            // SAFETY: `i < extent`, so at index `i` the remaining axes visit only elements of the operands. The caller ensures the
            // conditions of `small` for all elements of the operands.
            unsafe { small(shape, to, to_strides, from, from_strides) };
        }
    }
}

#[cfg(test)]
mod tests;
