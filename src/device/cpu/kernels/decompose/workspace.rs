//! The workspace of factorisations. Also copies matrices from operands to the workspace, and from the workspace to outputs.

use super::{Failure, Field};
use crate::device::cpu::memory::scratch::{MAX_KEPT_BYTES, Side, with_scratch};
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::{Copy, Device, Operand, Output};
use crate::element::{Element, Scalar};
use crate::layout::axes::Axes;
use core::mem::MaybeUninit;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::{temp_mat_scratch, temp_mat_uninit, temp_mat_zeroed};
use faer::mat::AsMatMut;
use faer::{MatMut, MatRef};
use num_traits::Zero;

/// Calls `f` with memory of the requested size. The memory is kept for the next call.
///
/// # Errors
/// If the allocation fails, or `f` returns an error.
pub(super) fn with_stack<R>(
    request: StackReq,
    f: impl FnOnce(&mut MemStack) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let bytes = request.unaligned_bytes_required();
    if bytes > MAX_KEPT_BYTES {
        // Threads do not keep scratch buffers of this size. So the memory comes from the buffer pool, and returns to it after this call.
        // SAFETY: nothing reads the elements: the memory is only used as uninitialised memory.
        let buffer = unsafe { Cpu.alloc_for_overwrite::<f64>(bytes.div_ceil(size_of::<f64>())) };
        let mut buffer = buffer.map_err(|_| Failure::OutOfMemory(bytes))?;
        let start = Cpu::ptr_mut(&mut buffer).get().cast::<MaybeUninit<u8>>();
        // SAFETY: the buffer has at least `bytes` bytes, which need not be initialised. It is a local variable, so access is exclusive.
        let memory = unsafe { core::slice::from_raw_parts_mut(start, bytes) };
        return f(MemStack::new(memory));
    }
    with_scratch(Side::Factorisation, bytes, 0, |start: *mut MaybeUninit<u8>, granted| {
        if granted < bytes {
            return Err(Failure::OutOfMemory(bytes));
        }
        // SAFETY: `with_scratch` provides exclusive access to `granted` values of this type, which need not be initialised.
        let memory = unsafe { core::slice::from_raw_parts_mut(start, granted) };
        f(MemStack::new(memory))
    })
}

/// Checks that the workspace for a matrix of these extents has a size that fits in `usize`. faer panics if it does not.
///
/// # Errors
/// [`Failure::OutOfMemory`].
pub(super) fn check_extents<T>(extents: [usize; 2]) -> Result<(), Failure> {
    // Upper bounds: the workspace of a factorisation has at most `MATRICES` matrices, each with at most `PADDING` more rows and columns
    // than the operand.
    const MATRICES: usize = 64;
    const PADDING: usize = 256;
    let [m, n] = extents.map(|extent| extent.saturating_add(PADDING));
    let bytes = m.checked_mul(n).and_then(|len| len.checked_mul(MATRICES * size_of::<T>()));
    match bytes {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(()),
        _ => Err(Failure::OutOfMemory(isize::MAX as usize)),
    }
}

/// Returns the size of workspace for matrices of these extents.
pub(super) fn request<T: Field>(extents: &[[usize; 2]]) -> StackReq {
    extents.iter().fold(StackReq::EMPTY, |sum, &[m, n]| sum.and(temp_mat_scratch::<T>(m, n)))
}

/// Takes a matrix of zeros, in column-major order, from the workspace.
pub(super) fn take<T: Field>(
    [m, n]: [usize; 2],
    stack: &mut MemStack,
) -> (impl AsMatMut<T = T, Rows = usize, Cols = usize>, &mut MemStack) {
    temp_mat_zeroed::<T, _, _>(m, n, stack)
}

/// Takes a matrix from the workspace, and copies a matrix of an operand to it.
pub(super) fn take_loaded<'a, T: Field>(
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
    stack: &'a mut MemStack,
) -> (impl AsMatMut<T = T, Rows = usize, Cols = usize> + 'a, &'a mut MemStack) {
    let (m, n) = (a.shape()[0], a.shape()[1]);
    // SAFETY: `load` writes all elements of the matrix before they are read.
    let (mut matrix, stack) = unsafe { temp_mat_uninit::<T, _, _>(m, n, stack) };
    load(matrix.as_mat_mut(), a, conjugated);
    (matrix, stack)
}

/// Returns a column of a matrix of the workspace, as a slice.
pub(super) fn column<T>(a: MatMut<'_, T>, j: usize) -> &mut [T] {
    a.col_mut(j).try_as_col_major_mut().expect("the matrix is column-major").as_slice_mut()
}

/// Copies a matrix of an operand to the workspace.
pub(super) fn load<T: Field>(to: MatMut<'_, T>, a: Operand<'_, T, Cpu>, conjugated: bool) {
    let (shape, strides) = ([to.nrows(), to.ncols()], [to.row_stride(), to.col_stride()]);
    // SAFETY: `to` is an exclusive reference to a matrix of these extents and strides, whose elements are distinct.
    let out = unsafe { Output::from_raw(HostPtr::new(to.as_ptr_mut()), &shape, &strides) };
    copy(out, a);
    if conjugated {
        conjugate(to);
    }
}

/// Replaces each element of a matrix of the workspace by its complex conjugate.
pub(super) fn conjugate<T: Field>(mut a: MatMut<'_, T>) {
    if T::COMPLEX {
        for j in 0..a.ncols() {
            column(a.as_mut(), j).iter_mut().for_each(|x| *x = Scalar::conj(*x));
        }
    }
}

/// Replaces the diagonal elements by their real parts. In Hermitian matrices, the imaginary parts of the diagonal are 0 by definition, but
/// faer would use stored values that are not 0. An element whose imaginary part is not finite becomes NaN.
pub(super) fn make_diagonal_real<T: Field>(mut a: MatMut<'_, T>) {
    if T::COMPLEX {
        for j in 0..a.ncols() {
            let (re, im) = (T::real_part_impl(&a[(j, j)]), T::imag_part_impl(&a[(j, j)]));
            a[(j, j)] = T::from_real_impl(&(re + im * T::Magnitude::zero()));
        }
    }
}

/// Copies a matrix of the workspace to an output of the same extents.
pub(super) fn store<T: Element>(out: Output<'_, T, Cpu>, from: MatRef<'_, T>) {
    let (shape, strides) = ([from.nrows(), from.ncols()], [from.row_stride(), from.col_stride()]);
    // SAFETY: `from` is a reference to a matrix of these extents and strides, and nothing writes to it while it is borrowed.
    let a = unsafe { Operand::from_raw(HostPtr::new(from.as_ptr().cast_mut()), &shape, &strides) };
    copy(out, a);
}

/// Copies a matrix. For small matrices, plain loops take less time than choosing a fast kernel.
fn copy<T: Element>(out: Output<'_, T, Cpu>, a: Operand<'_, T, Cpu>) {
    const SMALL: usize = 256;
    const SMALL_IN_COLUMNS: usize = 1024;
    let (&[m, n], &[of_m, of_n]) = (a.shape(), out.shape()) else { panic!("copies are of matrices") };
    assert!((m, n) == (of_m, of_n), "copies are of matrices of the same extents");
    let (&[by_row, by_column], &[to_row, to_column]) = (a.strides(), out.strides()) else {
        unreachable!("there are two axes")
    };
    let len = m.saturating_mul(n);
    if len == 0 {
        return;
    }
    if by_row == 1 && to_row == 1 && len <= SMALL_IN_COLUMNS {
        for j in 0..n as isize {
            let from = a.ptr().offset(j * by_column).get();
            let to = out.ptr().offset(j * to_column).get();
            // SAFETY: column `j` has `m` contiguous elements in `a` and in `out`. `Operand` guarantees that those of `a` are readable.
            // `Output` guarantees exclusive access to those of `out`, so the two columns do not overlap.
            unsafe { core::ptr::copy_nonoverlapping(from, to, m) };
        }
        return;
    }
    if len > SMALL {
        return Cpu.copy(out, a).expect("copies on the host do not fail");
    }
    // The inner loop is along contiguous elements of a row, if there are any: the workspace, whose columns are contiguous, is in L1, but the
    // tensor may not be.
    let rows = (m, by_row, to_row);
    let columns = (n, by_column, to_column);
    let (outer, inner) = if by_column == 1 || to_column == 1 { (rows, columns) } else { (columns, rows) };
    for j in 0..outer.0 as isize {
        let (from, to) = (a.ptr().offset(j * outer.1), out.ptr().offset(j * outer.2));
        for i in 0..inner.0 as isize {
            // SAFETY: `i` and `j` are an index within the shape, so `Operand` guarantees that its element is readable.
            let x = unsafe { from.offset(i * inner.1).get().read() };
            // SAFETY: the index is within the shape, which is that of the output, so `Output` guarantees exclusive access to its element.
            unsafe { to.offset(i * inner.2).get().write(x) };
        }
    }
}

/// Copies numbers to an output of rank 1 and of the same length.
pub(super) fn store_vector<T: Element>(out: Output<'_, T, Cpu>, from: &[T]) {
    let (shape, strides) = ([from.len(), 1], [out.strides()[0], 1]);
    // SAFETY: the indices within the shape address the elements of the slice, to which nothing writes while it is borrowed.
    let a = unsafe { Operand::from_raw(Cpu::slice_ptr(from), &shape, &[1, 1]) };
    copy(out.with_axes(Axes::new(&shape, &strides), 0), a);
}
