//! The lengths of the transforms that compute a convolution.

use super::fft::{Fft, Kind, Request};
use crate::engine::gemm::convolve::Taps;
use crate::rank::MAX_RANK;

/// The axes that are transformed, and the lengths of the transforms. Along every other axis, at least one operand has extent 1, so the
/// spectra broadcast when they are multiplied.
#[derive(Debug)]
pub(crate) struct Transforms {
    op: &'static str,
    axes: [usize; MAX_RANK],
    lens: [usize; MAX_RANK],
    count: usize,
    is_real: bool,
}

impl Transforms {
    /// Returns the transforms for operands of shapes `x` and `kernel`, or `None` if no axis needs one. The last of the axes is the one that
    /// varies fastest in memory order: the forward transform begins with it. If `is_real`, the length along this axis is even.
    pub(crate) fn new(
        op: &'static str,
        taps: &Taps<'_>,
        x: &[usize],
        kernel: &[usize],
        row_major: bool,
        is_real: bool,
    ) -> Option<Transforms> {
        let (mut axes, mut lens, mut count) = ([0; MAX_RANK], [0; MAX_RANK], 0);
        let rank = x.len();
        for step in 0..rank {
            let axis = if row_major { step } else { rank - 1 - step };
            let (n, m) = (x[axis], kernel[axis]);
            if n == 1 || m == 1 {
                continue;
            }
            // If the transform is shorter than the full convolution, the convolution is circular: its elements past the end of the
            // transform are added to its first elements. `needed` is the smallest length with two properties: the transform contains the
            // whole result, and these additions change only elements before the result.
            let (start, extent) = (taps.start()[axis], taps.shape()[axis]);
            let needed = (n.saturating_add(m - 1) - start).max(start.saturating_add(extent));
            (axes[count], lens[count]) = (axis, needed);
            count += 1;
        }
        let last = count.checked_sub(1)?;
        for (k, len) in lens[..count].iter_mut().enumerate() {
            let even = is_real && k == last;
            *len = if even { 2 * fast(len.div_ceil(2)) } else { fast(*len) };
        }
        Some(Transforms { op, axes, lens, count, is_real })
    }

    /// Returns the transform of an operand, or the inverse transform of a product of spectra.
    pub(crate) fn request(&self, inverse: bool) -> Request<'_> {
        let kind = match (self.is_real, inverse) {
            (false, _) => Kind::Complex,
            (true, false) => Kind::FromReal,
            (true, true) => Kind::ToReal,
        };
        Request { op: self.op, kind, inverse, axes: self.axes(), options: self.options() }
    }

    fn axes(&self) -> &[usize] {
        &self.axes[..self.count]
    }

    fn options(&self) -> Fft {
        Fft::new().lens(&self.lens[..self.count])
    }
}

/// Returns the smallest number that is at least `n` and has no prime factors other than 2, 3 and 5. Returns `n` itself if it is too large
/// for a tensor.
fn fast(n: usize) -> usize {
    const LIMIT: usize = isize::MAX as usize / 16;
    if n > LIMIT {
        return n;
    }
    let mut best = n.next_power_of_two();
    let mut fives = 1;
    while fives < best {
        let mut odd = fives;
        while odd < best {
            best = best.min(odd * n.div_ceil(odd).next_power_of_two());
            odd *= 3;
        }
        fives *= 5;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::fast;

    #[test]
    fn fast_lengths_have_small_prime_factors() {
        let smooth = |n: usize| {
            let rest = [2, 3, 5].into_iter().fold(n, |mut n, prime| {
                while n % prime == 0 {
                    n /= prime;
                }
                n
            });
            rest == 1
        };
        for n in 1..3000 {
            assert_eq!(fast(n), (n..).find(|&m| smooth(m)).unwrap());
        }
        assert_eq!(fast(1_000_001), 1_012_500);
        assert_eq!(fast(usize::MAX), usize::MAX);
    }
}
