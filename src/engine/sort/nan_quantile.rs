//! Medians and quantiles of the elements that are not NaN.
//!
//! A line consists of the elements whose quantiles are computed together. The kernel of quantiles needs lines of equal length. So the
//! elements are copied to the host, and in each line the elements that are not NaN are moved to the front, in their order. Consecutive
//! lines with the same number of such elements are passed to the kernel together.

use crate::device::quantile::Quantile;
use crate::device::{Cpu, Device, Operand, Output, Sort, via_host};
use crate::element::{RealFloat, Scalar};
use crate::error::Error;
use crate::layout::axes::Axes;

/// Writes quantiles of the elements that are not NaN along the trailing axes of `a`. The axes of `out` are the leading axes of `a`, and a
/// last axis for `levels`, which are from 0 to 1. If `method` is `None`, each level gives the median. If all elements of a line are NaN,
/// its quantiles are NaN.
///
/// # Errors
/// If an allocation fails, or the device reports an error.
pub(crate) fn nan_quantile<T: RealFloat, Dev: Device>(
    device: &Dev,
    out: Output<'_, <T as Scalar>::Float, Dev>,
    a: Operand<'_, T, Dev>,
    levels: &[f64],
    method: Option<Quantile>,
) -> Result<(), Error> {
    let leading = out.shape().len() - 1;
    let lines: usize = out.shape()[..leading].iter().product();
    let n: usize = a.shape()[leading..].iter().product();
    if out.shape().contains(&0) {
        return Ok(());
    }
    let mut data = device.gather(a)?;
    let mut counts = via_host::zeros::<u64>(lines)?;
    for (line, count) in data.chunks_exact_mut(n).zip(&mut counts) {
        *count = move_numbers_first(line) as u64;
    }
    let numbers = via_host::Fetched::of_vec(data, &[lines * n]);
    let nan = <T as Scalar>::Float::from_f64(f64::NAN);
    let mut results = via_host::zeros(lines * levels.len())?;
    results.fill(nan);
    let mut results = via_host::Fetched::of_vec(results, &[lines * levels.len()]);
    let mut first = 0;
    for run in counts.chunk_by(|a, b| a == b) {
        let count = run[0] as usize;
        if count > 0 {
            let to = [run.len(), levels.len()];
            let strides = [levels.len() as isize, 1];
            let to = results.output().with_axes(Axes::new(&to, &strides), (first * levels.len()) as isize);
            let (from, strides) = ([run.len(), count], [n as isize, 1]);
            let from = numbers.operand().with_axes(Axes::new(&from, &strides), (first * n) as isize);
            Sort::<T>::quantile(&Cpu, to, from, levels, method)?;
        }
        first += run.len();
    }
    via_host::store(device, &results.with_shape(out.shape()), out)
}

/// Moves the elements that are not NaN to the front, in their order, and returns their number.
fn move_numbers_first<T: RealFloat>(line: &mut [T]) -> usize {
    let mut count = 0;
    for i in 0..line.len() {
        // `count <= i`, so this overwrites no element that is still to be read. There is no branch that depends on the elements.
        let x = line[i];
        line[count] = x;
        count += usize::from(!x.is_nan());
    }
    count
}
