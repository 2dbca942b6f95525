//! Medians and quantiles of lines. A line consists of the elements that are reduced to one median or to one set of quantiles.

use super::erased::{AnyOperand, AnyOutput, AnySlice, AnySliceMut, for_sizes, with_elements};
use super::key::Key;
use super::lines::{LineTile, gather, over_lines, reuse, scatter, scratch, select_work, sort_work};
use crate::device::quantile::Quantile;
use crate::device::{Cpu, HostPtr, Operand};
use crate::element::{DType, Element, RealScalar};
use crate::error::Error;
use crate::simd::kernel;

/// Minimum number of quantiles for which a line is sorted. Fewer quantiles are selected one by one.
const SORT_MIN: usize = 4;

/// A pointer to the first element of the output. The elements, `f32` or `f64`, are written as bits.
#[derive(Debug, Clone, Copy)]
enum First {
    F32(HostPtr<u32>),
    F64(HostPtr<u64>),
}

/// Writes quantiles of the elements along the trailing axes of `a`. The axes of `out` are the leading axes of `a`, and a last axis for
/// `levels`. If `method` is `None`, writes the median for each level.
///
/// The caller must ensure that the levels are from 0 to 1.
pub(in crate::device::cpu::kernels) fn quantile(
    out: AnyOutput<'_>,
    a: AnyOperand<'_>,
    levels: &[f64],
    method: Option<Quantile>,
) -> Result<(), Error> {
    let dtype = a.dtype();
    for_sizes!(dtype, U => of_lines::<U>(out, a.bits(), levels, &|x, results| {
        of_line(AnySliceMut::from_bits(dtype, x), levels, method, results)
    }))
}

fn of_lines<T: Element>(
    out: AnyOutput<'_>,
    a: Operand<'_, T, Cpu>,
    levels: &[f64],
    of_line: &(dyn Fn(&mut [T], &mut [f64]) -> Result<(), Error> + Sync),
) -> Result<(), Error> {
    let (to_shape, to_strides) = (out.shape(), out.strides());
    let leading = to_shape.len() - 1;
    let found = levels.len();
    assert!(to_shape[..leading] == a.shape()[..leading] && to_shape[leading] == found);
    let (shape, strides) = (&a.shape()[leading..], &a.strides()[leading..]);
    let n: usize = shape.iter().product();
    assert!(n > 0 || to_shape.contains(&0), "quantiles of zero elements are undefined");
    if found == 0 {
        return Ok(());
    }
    let first =
        if out.dtype() == DType::F32 { First::F32(out.first_bits()) } else { First::F64(out.first_bits()) };
    let (from, stride) = (a.ptr(), to_strides[leading]);
    let of_leading = [&to_strides[..leading], &a.strides()[..leading]];
    let bytes = n.saturating_mul(size_of::<T>());
    let work = if found < SORT_MIN { select_work(n) } else { sort_work(n) };
    over_lines(&a.shape()[..leading], of_leading, bytes, work, &|tiles| {
        let mut buffer = Vec::new();
        for LineTile { count, offsets, strides: steps } in tiles {
            let (copy, mut results) = (reuse(&mut buffer, count, n)?, scratch(count, found)?);
            // SAFETY: the tile consists of `count` lines of the operand `a`. `Operand` guarantees that their elements are readable, and
            // that nothing writes to them.
            unsafe { gather(from.offset(offsets[1]), count, steps[1], shape, strides, copy)? };
            for (x, results) in copy.chunks_exact_mut(n).zip(results.chunks_exact_mut(found)) {
                of_line(x, results)?;
            }
            let [at, step] = [offsets[0], steps[0]];
            match first {
                First::F32(first) => {
                    let mut rounded = scratch(count, found)?;
                    rounded.iter_mut().zip(results).for_each(|(to, x)| *to = (x as f32).to_bits());
                    // SAFETY: the tile consists of `count` lines of the output, to which access is exclusive. Different indices of an
                    // output address different elements.
                    unsafe { scatter(first.offset(at), count, step, found, stride, &rounded)? }
                }
                First::F64(first) => {
                    let mut bits = scratch(count, found)?;
                    bits.iter_mut().zip(results).for_each(|(to, x): (&mut u64, f64)| *to = x.to_bits());
                    // SAFETY: the tile consists of `count` lines of the output, to which access is exclusive. Different indices of an
                    // output address different elements.
                    unsafe { scatter(first.offset(at), count, step, found, stride, &bits)? }
                }
            }
        }
        Ok(())
    })
}

fn of_line(
    mut x: AnySliceMut<'_>,
    levels: &[f64],
    method: Option<Quantile>,
    results: &mut [f64],
) -> Result<(), Error> {
    let n = x.as_slice().len();
    if x.as_slice().has_nan() {
        results.fill(f64::NAN);
        return Ok(());
    }
    let sorted = levels.len() >= SORT_MIN;
    if sorted {
        x.sort(false)?;
    }
    for (result, &level) in results.iter_mut().zip(levels) {
        let (k, weight) =
            method.map_or(((n - 1) / 2, if n.is_multiple_of(2) { 0.5 } else { 0.0 }), |m| m.place(n, level));
        if !sorted {
            x.select(k);
        }
        let x = x.as_slice();
        let low = x.in_f64(k);
        *result = low;
        if weight != 0.0 {
            let high = if sorted { x.in_f64(k + 1) } else { least(x.part(k + 1, n - k - 1)) };
            *result = if method.is_some() { lerp(low, high, weight) } else { mean(low, high) };
        }
    }
    Ok(())
}

kernel! {
    /// Returns the least element, or `first` if that is less. No element may be NaN.
    wide fn least_of[T: Key][T](x: &[T], first: T) -> T {
        // Several minima, because each update of a minimum waits for the previous one.
        let mut least = [first; 32];
        let chunks = x.chunks_exact(32);
        for &x in chunks.remainder() {
            least[0] = if x < least[0] { x } else { least[0] };
        }
        for chunk in chunks {
            for (least, &x) in least.iter_mut().zip(chunk) {
                *least = if x < *least { x } else { *least };
            }
        }
        least.into_iter().fold(first, |a, b| if b < a { b } else { a })
    }
}

/// Returns the least element, rounded to `f64`. No element may be NaN.
///
/// # Panics
/// If there are no elements.
fn least(x: AnySlice<'_>) -> f64 {
    with_elements!(x, x => least_of(x, x[0]).in_f64())
}

/// Returns the mean, without intermediate overflow.
fn mean(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if sum.is_infinite() && a.is_finite() && b.is_finite() { a / 2.0 + b / 2.0 } else { sum / 2.0 }
}

/// Interpolates between `a` and `b`, monotonically in `t`, and without intermediate overflow. `t` is between 0 and 1. A result between a
/// number and an infinity is this infinity.
fn lerp(a: f64, b: f64, t: f64) -> f64 {
    let span = b - a;
    if a == b {
        a
    } else if span.is_infinite() {
        a * (1.0 - t) + b * t
    } else if t < 0.5 {
        a + span * t
    } else {
        b - span * (1.0 - t)
    }
}
