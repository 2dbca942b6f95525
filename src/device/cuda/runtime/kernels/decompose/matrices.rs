//! Batches of matrices in new memory, in the order that cuSOLVER needs: each matrix contiguous in column-major order.

use super::Input;
use crate::device::CudaSource;
use crate::device::cuda::runtime::codegen::operation::{Operation, RawOperand};
use crate::device::cuda::runtime::driver::context::{Context, Memory};
use crate::device::cuda::runtime::kernels::copy;
use crate::device::cuda::runtime::{operation, read};
use crate::element::DType;
use crate::error::Error;
use crate::layout::{Layout, element_count};

// Sources of elementwise operations on matrices. `b` is a mask (`ZERO_OUTSIDE`, `CHECK_OUTSIDE`, `SCALE_INSIDE`) or the factor of a column
// or matrix (`TURN`, `TURN_BACK`, `SCALE`). In `SCALE_INSIDE`, `c` is the factor.
pub(in crate::device::cuda::runtime) const ZERO_OUTSIDE: &str = "b ? a : R()";
pub(in crate::device::cuda::runtime) const CHECK_OUTSIDE: &str = "b ? a : a - a";
pub(in crate::device::cuda::runtime) const REAL_PART: &str = "R{a.re, a.im - a.im}";
pub(in crate::device::cuda::runtime) const IS_ZERO: &str = "a == A()";
pub(in crate::device::cuda::runtime) const TURN: &str = "a * b";
pub(in crate::device::cuda::runtime) const TURN_BACK: &str = "a * conj(b)";
pub(in crate::device::cuda::runtime) const SCALE: &str = "a * b";
pub(in crate::device::cuda::runtime) const SCALE_INSIDE: &str = "b ? a * c : a";

/// A batch of matrices of `rows` rows and `columns` columns.
#[derive(Debug)]
pub(super) struct Matrices {
    memory: Memory,
    pub(super) dtype: DType,
    batch: Vec<usize>,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// A triangle of a matrix, with the diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device::cuda::runtime) enum TriangleSide {
    Lower,
    Upper,
}

/// What becomes of the elements outside a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outside {
    /// They become 0.
    Zero,
    /// They become 0 if they are finite, otherwise NaN.
    ZeroIfFinite,
}

/// Returns the type of the real and imaginary parts.
pub(super) fn real(dtype: DType) -> DType {
    match dtype {
        DType::F32 | DType::C32 => DType::F32,
        DType::F64 | DType::C64 => DType::F64,
        other => unreachable!("matrices of {other} have no decompositions"),
    }
}

pub(super) fn is_complex(dtype: DType) -> bool {
    dtype != real(dtype)
}

pub(super) fn builtin(name: &'static str, text: &'static str) -> Operation {
    operation(name, CudaSource::builtin(text), |_| ())
}

impl Matrices {
    /// Allocates matrices with unspecified elements.
    pub(super) fn new(
        context: &'static Context,
        dtype: DType,
        batch: &[usize],
        [rows, columns]: [usize; 2],
    ) -> Result<Matrices, Error> {
        let shape = [batch, &[rows, columns]].concat();
        let bytes = element_count(&shape, dtype.size())? * dtype.size();
        Ok(Matrices { memory: context.alloc(bytes)?, dtype, batch: batch.to_vec(), rows, columns })
    }

    /// Copies the matrices of an operand.
    ///
    /// # Safety
    /// The caller must ensure that the elements of the operand are allocated on `context`'s GPU.
    pub(super) unsafe fn load(context: &'static Context, a: &Input<'_>) -> Result<Matrices, Error> {
        let to = Matrices::new(context, a.elements.dtype, a.batch(), [a.rows(), a.columns()])?;
        let strides = to.strides();
        let out = to.elements(&strides);
        if a.conjugate && is_complex(to.dtype) {
            // SAFETY: the caller ensures that the elements of `a` are allocated on the GPU. The new memory of `to` has room for all of
            // them, and nothing else has its address.
            unsafe { builtin("conjugate", "conj(a)").run(context, a.shape, &[out, a.elements])? };
        } else {
            // SAFETY: the caller ensures that the elements of `a` are allocated on the GPU. The new memory of `to` has room for all of
            // them, and nothing else has its address.
            unsafe { copy::copy(context, a.shape, out, a.elements)? };
        }
        Ok(to)
    }

    pub(super) fn batch(&self) -> &[usize] {
        &self.batch
    }

    /// Returns the number of matrices.
    pub(super) fn count(&self) -> usize {
        self.batch.iter().product()
    }

    pub(super) fn len(&self) -> usize {
        self.rows * self.columns
    }

    /// Returns the address of matrix `matrix` of the batch, counted in row-major order.
    pub(super) fn at(&self, matrix: usize) -> u64 {
        self.memory.address() + (matrix * self.len() * self.dtype.size()) as u64
    }

    /// Returns the strides of all axes, those of the batch first.
    fn strides(&self) -> Vec<isize> {
        let contiguous = Layout::contiguous(&self.batch, true);
        let batch = contiguous.strides().iter().map(|stride| stride * self.len() as isize);
        batch.chain([1, self.rows as isize]).collect()
    }

    pub(super) fn elements<'a>(&self, strides: &'a [isize]) -> RawOperand<'a> {
        RawOperand { address: self.memory.address(), dtype: self.dtype, strides }
    }

    /// Returns the strides if all batch axes are fused into one axis: those of this axis, of the rows and of the columns.
    pub(super) fn flat_strides(&self) -> [isize; 3] {
        [self.len() as isize, 1, self.rows as isize]
    }

    /// Copies the first `rows` rows and `columns` columns of each matrix to an output.
    ///
    /// # Safety
    /// The caller must ensure that the output has matrices of these extents, and exclusive access to its elements.
    pub(super) unsafe fn store(
        &self,
        context: &'static Context,
        [rows, columns]: [usize; 2],
        out: RawOperand<'_>,
    ) -> Result<(), Error> {
        let (shape, strides) = ([&self.batch[..], &[rows, columns]].concat(), self.strides());
        // SAFETY: the caller ensures that `out` has shape `shape`, and exclusive access to its elements. The matrices of `self` have at
        // least `rows` rows and `columns` columns.
        unsafe { copy::copy(context, &shape, out, self.elements(&strides)) }
    }

    /// Copies the conjugate transposes of the first `columns` columns of each matrix to an output.
    ///
    /// # Safety
    /// The caller must ensure that the output has matrices of these extents, transposed, and exclusive access to its elements.
    pub(super) unsafe fn store_adjoint(
        &self,
        context: &'static Context,
        columns: usize,
        out: RawOperand<'_>,
    ) -> Result<(), Error> {
        let (shape, mut strides) = ([&self.batch[..], &[columns, self.rows]].concat(), self.strides());
        let last = strides.len() - 1;
        strides.swap(last - 1, last);
        let from = self.elements(&strides);
        match is_complex(self.dtype) {
            // SAFETY: the caller ensures that `out` has shape `shape`, and exclusive access to its elements. The matrices of `self` have at
            // least `columns` columns.
            true => unsafe { builtin("conjugate", "conj(a)").run(context, &shape, &[out, from]) },
            // SAFETY: the caller ensures that `out` has shape `shape`, and exclusive access to its elements. The matrices of `self` have at
            // least `columns` columns.
            false => unsafe { copy::copy(context, &shape, out, from) },
        }
    }

    /// Copies matrices of one column to an output of vectors, which has one axis less.
    ///
    /// # Safety
    /// The caller must ensure that the output has the axes of the batch, followed by an axis of extent `rows`, and exclusive access to its
    /// elements.
    pub(super) unsafe fn store_vectors(
        &self,
        context: &'static Context,
        out: RawOperand<'_>,
    ) -> Result<(), Error> {
        let (shape, mut strides) = ([&self.batch[..], &[self.rows]].concat(), self.strides());
        strides.pop();
        // SAFETY: the caller ensures that `out` has shape `shape`, and exclusive access to its elements. The matrices of `self` have `rows`
        // rows and one column.
        unsafe { copy::copy(context, &shape, out, self.elements(&strides)) }
    }

    /// Copies the first `columns` columns of `from` to those of `self`, and sets the other columns of `self` to 0. `from` and `self` have
    /// the same number of rows.
    pub(super) fn copy_columns(
        &self,
        context: &'static Context,
        from: &Matrices,
        columns: usize,
    ) -> Result<(), Error> {
        debug_assert!(self.rows == from.rows && columns <= self.columns.min(from.columns));
        if columns < self.columns {
            // SAFETY: the memory is that of `self`, and nothing else accesses it.
            unsafe { context.zero(self.memory.address(), self.memory.bytes())? };
        }
        let shape = [self.count(), self.rows, columns];
        let (to, strides) = (self.flat_strides(), from.flat_strides());
        // SAFETY: `self` and `from` both have at least `columns` columns of `rows` elements, in different allocations. Nothing else
        // accesses the memory of `self`.
        unsafe { copy::copy(context, &shape, self.elements(&to), from.elements(&strides)) }
    }

    // ------------------------------------------------------------------ parts

    /// Replaces the elements outside a triangle. `outside` selects the new values: see [`Outside`].
    pub(super) fn keep(
        &self,
        context: &'static Context,
        triangle: TriangleSide,
        outside: Outside,
    ) -> Result<(), Error> {
        let mask = Mask::new(context, triangle, [self.rows, self.columns])?;
        let text = match outside {
            Outside::Zero => ZERO_OUTSIDE,
            Outside::ZeroIfFinite => CHECK_OUTSIDE,
        };
        let (shape, strides) = ([self.count(), self.rows, self.columns], self.flat_strides());
        let (all, mask) = (self.elements(&strides), mask.elements());
        // SAFETY: `all` addresses the elements of these matrices, whose memory nothing else accesses. It may be both the result and an
        // operand, with the same strides. The mask has an element for each element of a matrix.
        unsafe { builtin("take a triangle of", text).run(context, &shape, &[all, all, mask]) }
    }

    /// Sets the imaginary parts of the elements on the diagonals to 0, or to NaN if they are not finite.
    pub(super) fn make_diagonal_real(&self, context: &'static Context) -> Result<(), Error> {
        if !is_complex(self.dtype) {
            return Ok(());
        }
        let shape = [self.count(), self.rows.min(self.columns)];
        let strides = [self.len() as isize, self.rows as isize + 1];
        let diagonal = self.elements(&strides);
        let operation = builtin("take the real part of", REAL_PART);
        // SAFETY: `diagonal` addresses elements of these matrices, whose memory nothing else accesses. The operand may consist of the same
        // elements as the result, because both have the same strides.
        unsafe { operation.run(context, &shape, &[diagonal, diagonal]) }
    }

    /// Returns for each matrix the number of the first element of the diagonal that is 0, counted from 1, or 0 if there is none. The
    /// matrices must be square.
    pub(super) fn zeros_on_diagonal(&self, context: &'static Context) -> Result<Vec<i32>, Error> {
        let (shape, strides) = ([self.count(), self.rows], [self.len() as isize, self.rows as isize + 1]);
        let mut are_zero = vec![false; self.count() * self.rows];
        let memory = context.alloc(are_zero.len())?;
        let to =
            RawOperand { address: memory.address(), dtype: DType::Bool, strides: &[self.rows as isize, 1] };
        let operation = builtin("find zeros of", IS_ZERO);
        // SAFETY: the operand consists of the diagonals of these matrices, whose memory nothing else accesses. The new memory at `to` has
        // one byte for each element of the diagonals.
        unsafe { operation.run(context, &shape, &[to, self.elements(&strides)])? };
        // SAFETY: the operation above wrote `are_zero.len()` elements of type `Bool` to `memory`, and nothing else accesses it.
        unsafe { read(context, memory.address(), &mut are_zero)? };
        let first = |diagonal: &[bool]| diagonal.iter().position(|&is| is).map_or(0, |j| j as i32 + 1);
        Ok(are_zero.chunks(self.rows).map(first).collect())
    }

    /// Multiplies column `j` by element `j` of a vector or, if `conjugated`, by the conjugate of this element. Columns for which the vector
    /// has no element are unchanged.
    pub(super) fn multiply_columns(
        &self,
        context: &'static Context,
        by: &Matrices,
        conjugated: bool,
    ) -> Result<(), Error> {
        debug_assert!(by.rows <= self.columns && by.count() == self.count());
        let (shape, strides) = ([self.count(), self.rows, by.rows], self.flat_strides());
        let by_strides = [by.rows as isize, 0, 1];
        let columns = self.elements(&strides);
        let text = if conjugated { TURN_BACK } else { TURN };
        // SAFETY: `columns` addresses elements of these matrices, whose memory nothing else accesses. It may be both the result and an
        // operand, with the same strides. Each vector in `by` has one element for each of the `by.rows` columns.
        unsafe {
            builtin("turn vectors", text).run(context, &shape, &[columns, columns, by.elements(&by_strides)])
        }
    }
}

/// Returns the operation that computes a mask: a matrix with `rows` rows that is `true` in the triangle, and `false` elsewhere.
pub(in crate::device::cuda::runtime) fn mask(triangle: TriangleSide, rows: usize) -> Operation {
    let text = match triangle {
        TriangleSide::Lower => "k % rows >= k / rows",
        TriangleSide::Upper => "k % rows <= k / rows",
    };
    operation("make a mask of", CudaSource::builtin(text), |bind| bind.scalar("rows", rows as u64))
}

/// A matrix of `bool` that is `true` in a triangle, contiguous in column-major order.
pub(super) struct Mask {
    memory: Memory,
    strides: [isize; 3],
}

impl Mask {
    pub(super) fn new(
        context: &'static Context,
        triangle: TriangleSide,
        [rows, columns]: [usize; 2],
    ) -> Result<Mask, Error> {
        let memory = context.alloc(rows * columns)?;
        let operation = mask(triangle, rows);
        let to = RawOperand { address: memory.address(), dtype: DType::Bool, strides: &[1] };
        // SAFETY: the new memory has one byte for each element, and nothing else has its address.
        unsafe { operation.run(context, &[rows * columns], &[to])? };
        Ok(Mask { memory, strides: [0, 1, rows as isize] })
    }

    pub(super) fn elements(&self) -> RawOperand<'_> {
        RawOperand { address: self.memory.address(), dtype: DType::Bool, strides: &self.strides }
    }
}
