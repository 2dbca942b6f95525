//! Scaling of matrices by powers of two, and the check that all elements are finite.

use super::matrices::{Mask, Matrices, SCALE, SCALE_INSIDE, TriangleSide, builtin, real};
use crate::device::CudaSource;
use crate::device::cpu::decompose::moderate_exponent;
use crate::device::cuda::runtime::codegen::operation::RawOperand;
use crate::device::cuda::runtime::driver::context::{Context, Memory};
use crate::device::cuda::runtime::kernels::reduce::Reducing;
use crate::device::cuda::runtime::{operation, read, write};
use crate::element::{DType, exponent_of};
use crate::error::Error;

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

impl Matrices {
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
