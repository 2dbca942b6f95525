//! Batches of matrices in new memory, in the order that cuSOLVER needs: each matrix contiguous in column-major order.

use super::Input;
use crate::device::CudaSource;
use crate::device::cpu::decompose::moderate_exponent;
use crate::device::cuda::runtime::codegen::operation::{Operation, RawOperand};
use crate::device::cuda::runtime::driver::context::{Context, Memory};
use crate::device::cuda::runtime::kernels::copy;
use crate::device::cuda::runtime::kernels::reduce::Reducing;
use crate::device::cuda::runtime::{operation, read, write};
use crate::element::{DType, exponent_of};
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

/// The powers of two by which matrices or columns are divided before they are decomposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scaling {
    /// 1.
    None,
    /// The power that brings the largest magnitude of a real or imaginary part between 1 and 2.
    Normalise,
    /// If the largest magnitude is near a limit of its type: a power of two, with an even exponent, near this magnitude. Otherwise 1.
    Moderate,
}

/// The exponents of the powers of two by which matrices were divided. The exponents of matrices with elements that are not finite are 0.
#[derive(Debug)]
pub(super) struct Scaled {
    pub(super) exponents: Vec<i32>,
    /// The number of matrices before the first one that has an element that is not finite.
    pub(super) finite: usize,
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

fn builtin(name: &'static str, text: &'static str) -> Operation {
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

    fn len(&self) -> usize {
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

    // ------------------------------------------------------------------ scaling

    /// Divides each matrix by a power of two. Elements that are not finite are not an error here; the result tells which matrix is
    /// the first one with such an element.
    pub(super) fn scale_down(&self, context: &'static Context, how: Scaling) -> Result<Scaled, Error> {
        self.scale_down_parts(context, how, self.count(), self.len())
    }

    /// Divides each column by a power of two. In the result, `exponents` has one element for each column, but `finite` is a number of
    /// matrices.
    pub(super) fn scale_columns_down(
        &self,
        context: &'static Context,
        how: Scaling,
    ) -> Result<Scaled, Error> {
        let scaled = self.scale_down_parts(context, how, self.count() * self.columns, self.rows)?;
        Ok(Scaled { finite: scaled.finite / self.columns, ..scaled })
    }

    /// Returns whether all elements of all matrices are finite.
    pub(super) fn are_finite(&self, context: &'static Context) -> Result<bool, Error> {
        Ok(self.largest(context, self.count(), self.len())?.iter().all(|x| x.is_finite()))
    }

    /// Splits the elements into `count` ranges of `len` contiguous elements. Returns, for each range, the largest magnitude of the real
    /// and imaginary parts, or NaN if an element is not finite.
    fn largest(&self, context: &'static Context, count: usize, len: usize) -> Result<Vec<f64>, Error> {
        let real = real(self.dtype);
        let largest = context.alloc(count * real.size())?;
        let (shape, strides) = ([count, len], [len as isize, 1]);
        let to = RawOperand { address: largest.address(), dtype: real, strides: &[1] };
        // SAFETY: the `count` ranges together are the elements of the matrices, which nothing else accesses. `largest` has room for one
        // number per range.
        unsafe { largest_part().run(context, &shape, to, self.elements(&strides))? };
        // SAFETY: the reduction above wrote `count` numbers of type `real` to `largest`, and nothing else accesses it.
        unsafe { read_reals(context, largest.address(), count, real) }
    }

    /// Divides each of `count` parts by a power of two. A part is `len` contiguous elements.
    fn scale_down_parts(
        &self,
        context: &'static Context,
        how: Scaling,
        count: usize,
        len: usize,
    ) -> Result<Scaled, Error> {
        let largest = self.largest(context, count, len)?;
        let finite = largest.iter().position(|x| !x.is_finite()).unwrap_or(count);
        let limit =
            if real(self.dtype) == DType::F32 { exponent_of(f32::MAX) } else { exponent_of(f64::MAX) };
        let exponent = |&x: &f64| match how {
            _ if x == 0.0 || !x.is_finite() => 0,
            Scaling::None => 0,
            Scaling::Normalise => exponent_of(x),
            Scaling::Moderate => moderate_exponent(exponent_of(x), limit),
        };
        let exponents: Vec<i32> = largest.iter().map(exponent).collect();
        let inverse: Vec<i32> = exponents.iter().map(|e| -e).collect();
        self.scale_parts(context, &inverse, None)?;
        Ok(Scaled { exponents, finite })
    }

    /// Multiplies each part by two to the power of its exponent. A part is a matrix or a column, depending on the number of exponents. If a
    /// triangle is given, only its elements are multiplied.
    pub(super) fn scale_parts(
        &self,
        context: &'static Context,
        exponents: &[i32],
        only: Option<TriangleSide>,
    ) -> Result<(), Error> {
        if exponents.iter().all(|&e| e == 0) {
            return Ok(());
        }
        let (shape, strides) = ([self.count(), self.rows, self.columns], self.flat_strides());
        let per_matrix = exponents.len() / self.count();
        let by_strides = [per_matrix as isize, 0, isize::from(per_matrix > 1)];
        let (all, real) = (self.elements(&strides), real(self.dtype));
        let mask = match only {
            Some(triangle) => Some(Mask::new(context, triangle, [self.rows, self.columns])?),
            None => None,
        };
        // The power itself can be out of range. So the matrices are multiplied by several smaller factors, whose product is the power.
        let limit = if real == DType::F32 { f32::MAX_EXP } else { f64::MAX_EXP } - 2;
        let factors = exponents.iter().map(|e| e.abs() / limit + 1).max().unwrap_or(1);
        for part in 0..factors {
            let exponents = exponents.iter().map(|e| e * (part + 1) / factors - e * part / factors);
            let factors: Vec<f64> = exponents.map(|e| f64::powi(2.0, e)).collect();
            let factors = upload_reals(context, real, &factors)?;
            let by = RawOperand { address: factors.address(), dtype: real, strides: &by_strides };
            match &mask {
                // SAFETY: `all` addresses the elements of these matrices, whose memory nothing else accesses. It may be both the result and
                // an operand, with the same strides. `by` has one factor for each exponent.
                None => unsafe { builtin("scale", SCALE).run(context, &shape, &[all, all, by])? },
                Some(mask) => {
                    let scale = builtin("scale", SCALE_INSIDE);
                    // SAFETY: `all` addresses the elements of these matrices, whose memory nothing else accesses. It may be both the result
                    // and an operand, with the same strides. `by` has one factor for each exponent, and `mask` has an element for each
                    // element of a matrix.
                    unsafe { scale.run(context, &shape, &[all, all, mask.elements(), by])? }
                }
            }
        }
        Ok(())
    }
}

/// The reduction to the largest magnitude of real and imaginary parts; NaN if a number is not finite.
pub(in crate::device::cuda::runtime) fn largest_part() -> Reducing {
    let text = CudaSource::builtin(
        "
        struct Acc { R largest, check; };
        DEV Acc identity() const { return {0, 0}; }
        DEV void add(Acc &acc, R x) const {
            R size = x < 0 ? -x : x;
            if (size > acc.largest) acc.largest = size;
            acc.check += x - x;
        }
        DEV void add_parts(Acc &acc, R x) const { add(acc, x); }
        DEV void add_parts(Acc &acc, Complex<R> x) const { add(acc, x.re); add(acc, x.im); }
        DEV Acc fold(Acc acc, A x, u64) const { add_parts(acc, x); return acc; }
        DEV Acc combine(Acc a, Acc b) const {
            return {a.largest < b.largest ? b.largest : a.largest, a.check + b.check};
        }
        DEV bool finish(Acc acc, u64, R &result) const { result = acc.largest + acc.check; return true; }",
    );
    Reducing {
        operation: operation("find the largest element of", text, |_| ()),
        ordered: false,
        defined_on_empty: true,
        fallible: false,
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
struct Mask {
    memory: Memory,
    strides: [isize; 3],
}

impl Mask {
    fn new(
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

    fn elements(&self) -> RawOperand<'_> {
        RawOperand { address: self.memory.address(), dtype: DType::Bool, strides: &self.strides }
    }
}

/// Copies real numbers to the host.
///
/// # Safety
/// The caller must ensure that `len` numbers of this type are allocated at the address, and that nothing writes to them.
unsafe fn read_reals(context: &Context, from: u64, len: usize, dtype: DType) -> Result<Vec<f64>, Error> {
    if dtype == DType::F32 {
        let mut to = vec![0f32; len];
        // SAFETY: the caller ensures that `len` numbers of this type are allocated at `from`, and that nothing writes to them.
        unsafe { read(context, from, &mut to)? };
        return Ok(to.into_iter().map(f64::from).collect());
    }
    let mut to = vec![0f64; len];
    // SAFETY: the caller ensures that `len` numbers of this type are allocated at `from`, and that nothing writes to them.
    unsafe { read(context, from, &mut to)? };
    Ok(to)
}

/// Copies real numbers to newly allocated GPU memory, as elements of type `dtype`, which can represent all of them.
fn upload_reals(context: &'static Context, dtype: DType, from: &[f64]) -> Result<Memory, Error> {
    let to = context.alloc(from.len() * dtype.size())?;
    if dtype == DType::F32 {
        let from: Vec<f32> = from.iter().map(|&x| x as f32).collect();
        // SAFETY: the new memory has room for these numbers, and nothing else has its address.
        unsafe { write(context, &from, to.address())? };
    } else {
        // SAFETY: the new memory has room for these numbers, and nothing else has its address.
        unsafe { write(context, from, to.address())? };
    }
    Ok(to)
}
