//! Quantiles of elements with weights.

use crate::device::{Device, Operand, Output, via_host};
use crate::element::{RealScalar, Scalar};
use crate::engine::reduce::weights::scale_of;
use crate::error::Error;

pub(crate) const WEIGHTED_QUANTILE: &str = "compute a weighted quantile";

/// Checks the weights of the indices along an axis.
///
/// # Errors
/// If the number of weights differs from the extent of the axis, a weight is negative or not finite, or all are zero.
pub(crate) fn check_weights(shape: &[usize], axis: usize, weights: &[f64]) -> Result<(), Error> {
    let error = |reason| Err(Error::Argument { op: WEIGHTED_QUANTILE, reason });
    if weights.len() != shape[axis] {
        return error(format!(
            "there are {} weights for axis {axis} of shape {shape:?}; give one for each of its {} indices",
            weights.len(),
            shape[axis]
        ));
    }
    if let Some((i, weight)) =
        weights.iter().enumerate().find(|(_, weight)| !(0.0..f64::INFINITY).contains(*weight))
    {
        return error(format!("weight {i} is {weight}; give weights that are finite and not negative"));
    }
    if !weights.is_empty() && weights.iter().all(|&weight| weight == 0.0) {
        return error(format!("all {} weights are zero; give at least one positive weight", weights.len()));
    }
    Ok(())
}

/// Writes weighted quantiles of the elements along the last axis of `a`. The axes of `out` are the other axes of `a`, and a last axis for
/// `levels`, which must be from 0 to 1. The weights must have been checked. A quantile of elements that include NaN is NaN.
///
/// The quantile of level `q` is the smallest element such that the weights of the elements up to it have at least the share `q` of the sum
/// of all weights. Elements of weight 0 are ignored.
///
/// # Errors
/// If an allocation fails, or the device reports an error.
pub(crate) fn weighted_quantile<T: RealScalar, Dev: Device>(
    device: &Dev,
    out: Output<'_, T::Float, Dev>,
    a: Operand<'_, T, Dev>,
    levels: &[f64],
    weights: &[f64],
) -> Result<(), Error> {
    let n = weights.len();
    let (lines, _) = out.shape().split_at(out.shape().len() - 1);
    let lines: usize = lines.iter().product();
    if out.shape().contains(&0) {
        return Ok(());
    }
    // The sum of the scaled weights is in range. The scale is a power of two, so they are not rounded.
    let by = scale_of(weights).unwrap_or(1.0);
    let data = device.gather(a)?;
    let mut results = via_host::zeros::<T::Float>(lines * levels.len())?;
    let mut order: Vec<u64> = via_host::zeros(n)?;
    let mut shares: Vec<f64> = via_host::zeros(n)?;
    for (line, results) in data.chunks_exact(n).zip(results.chunks_exact_mut(levels.len())) {
        if line.iter().any(|x| x.in_f64().is_nan()) {
            results.fill(T::Float::from_f64(f64::NAN));
            continue;
        }
        (0..).zip(&mut order).for_each(|(i, to)| *to = i);
        order.sort_by(|&i, &j| line[i as usize].partial_cmp(&line[j as usize]).expect("no element is NaN"));
        let mut sum = 0.0;
        for (share, &i) in shares.iter_mut().zip(&order) {
            sum += weights[i as usize] / by;
            *share = sum;
        }
        for (result, &level) in results.iter_mut().zip(levels) {
            // Not 0, because elements of weight 0 are ignored.
            let least = |share: f64| share > 0.0 && share / sum >= level;
            let k = shares.partition_point(|&share| !least(share)).min(n - 1);
            *result = line[order[k] as usize].cast_to();
        }
    }
    let results = via_host::Fetched::of_vec(results, out.shape());
    via_host::store(device, &results, out)
}
