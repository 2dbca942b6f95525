//! Medians and quantiles of lines.

use super::key::{Key, least, specials};
use super::line;
use super::lines::{Tile, gather, over_lines, scratch};
use super::{AnyOperand, AnyOutput};
use crate::device::{Cpu, Operand, Output};
use crate::dispatch;
use crate::element::{RealScalar, Scalar};
use crate::error::Error;
use crate::ops::Quantile;

/// Minimum number of quantiles for which a line is sorted. Fewer quantiles are selected one by one.
const SORT_MIN: usize = 4;

/// Writes quantiles of the elements along the trailing axes of `a`. The axes of `out` are the leading axes of `a`, and a last axis for
/// `levels`. If `method` is `None`, each level gives the median.
///
/// The caller must ensure that the levels are from 0 to 1.
pub(in crate::device::cpu::kernels) fn quantile(
    out: AnyOutput<'_>,
    a: AnyOperand<'_>,
    levels: &[f64],
    method: Option<Quantile>,
) -> Result<(), Error> {
    dispatch!(
        a.dtype(),
        T in [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64] => lines::<T>(out.typed(), a.typed(), levels, method),
        else => unreachable!("the elements are real numbers")
    )
}

fn lines<T: Key + RealScalar>(
    out: Output<'_, T::Float, Cpu>,
    a: Operand<'_, T, Cpu>,
    levels: &[f64],
    method: Option<Quantile>,
) -> Result<(), Error> {
    let leading = out.shape().len() - 1;
    assert!(out.shape()[..leading] == a.shape()[..leading] && out.shape()[leading] == levels.len());
    let (to, from, level_stride) = (out.ptr(), a.ptr(), out.strides()[leading]);
    let (shape, strides) = (&a.shape()[leading..], &a.strides()[leading..]);
    let n: usize = shape.iter().product();
    assert!(n > 0 || out.shape().contains(&0), "quantiles of zero elements are undefined");
    let of_lines = [&out.strides()[..leading], &a.strides()[..leading]];
    let bytes = n.saturating_mul(size_of::<T>());
    over_lines(&a.shape()[..leading], of_lines, bytes, n, &|Tile { count, offsets, strides: steps }| {
        let mut copy = scratch(count, n)?;
        // SAFETY: a tile consists of lines of the operand, which are readable.
        unsafe { gather(from.offset(offsets[1]), count, steps[1], shape, strides, &mut copy)? };
        let mut results = scratch(1, levels.len())?;
        for (k, x) in copy.chunks_exact_mut(n).enumerate() {
            of_line(x, levels, method, &mut results)?;
            for (j, &result) in results.iter().enumerate() {
                let at = to.offset(offsets[0] + k as isize * steps[0] + j as isize * level_stride);
                // SAFETY: `k` is a line of the tile and `j` is less than the extent of the last axis, so this is an element of the
                // output, to which access is exclusive.
                unsafe { *at.get() = result };
            }
        }
        Ok(())
    })
}

fn of_line<T: Key + RealScalar>(
    x: &mut [T],
    levels: &[f64],
    method: Option<Quantile>,
    results: &mut [T::Float],
) -> Result<(), Error> {
    let n = x.len();
    if specials(x).0 {
        results.fill(Scalar::from_f64(f64::NAN));
        return Ok(());
    }
    let sorted = levels.len() >= SORT_MIN;
    if sorted {
        line::sort(x, false)?;
    }
    for (result, &level) in results.iter_mut().zip(levels) {
        let (k, weight) =
            method.map_or(((n - 1) / 2, if n.is_multiple_of(2) { 0.5 } else { 0.0 }), |m| m.place(n, level));
        if !sorted {
            T::select(x, k);
        }
        let low = x[k];
        let mut value = low.in_f64();
        if weight != 0.0 {
            let above = &x[k + 1..];
            let high = if sorted { above[0] } else { least(above) };
            value = if method.is_some() {
                lerp(value, high.in_f64(), weight)
            } else {
                mean(value, high.in_f64())
            };
        }
        *result = Scalar::from_f64(value);
    }
    Ok(())
}

/// Returns the mean, without intermediate overflow.
fn mean(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if sum.is_infinite() && a.is_finite() && b.is_finite() { a / 2.0 + b / 2.0 } else { sum / 2.0 }
}

/// Interpolates between `a` and `b`, monotonically in `t`, and without intermediate overflow.
fn lerp(a: f64, b: f64, t: f64) -> f64 {
    let span = b - a;
    if a == b {
        a
    } else if span.is_infinite() && a.is_finite() && b.is_finite() {
        a * (1.0 - t) + b * t
    } else if t < 0.5 {
        a + span * t
    } else {
        b - span * (1.0 - t)
    }
}
