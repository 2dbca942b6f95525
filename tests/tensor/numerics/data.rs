//! Random numbers for the tests of rounding errors. They use the full precision, so their sums round at almost every step.

use crate::random::Random;

/// Kinds of numbers that differ in the rounding errors of their sums.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// All numbers are positive, so partial sums and their rounding errors are as large as possible.
    OneSign,
    /// The signs are random, so partial sums stay small.
    Mixed,
    /// The negative of each number is at another index, up to small perturbations. So the sum is almost zero.
    Cancelling,
    /// All numbers are equal. A plain loop rounds many partial sums in the same direction, so its errors add up.
    Same,
}

impl Kind {
    pub(super) const ALL: [Kind; 4] = [Kind::OneSign, Kind::Mixed, Kind::Cancelling, Kind::Same];
}

/// Returns a random number between 1 and 16 with `digits` binary digits.
fn size(random: &mut Random, digits: u32) -> f64 {
    let bits = random.bits();
    let mantissa = (bits >> (64 - digits)) | 1 << (digits - 1);
    mantissa as f64 * 2f64.powi((bits % 4) as i32 + 1 - digits as i32)
}

/// Returns `n` numbers with `digits` binary digits: 53 for `f64`, 24 for `f32`.
pub(super) fn numbers(kind: Kind, n: usize, digits: u32, seed: u64) -> Vec<f64> {
    let mut random = Random(seed);
    let mut values: Vec<f64> = (0..n).map(|_| size(&mut random, digits)).collect();
    match kind {
        Kind::OneSign => {}
        Kind::Same => {
            let one = values[0];
            values.fill(one);
        }
        Kind::Mixed => values.iter_mut().for_each(|x| *x = if random.bits() & 1 == 0 { *x } else { -*x }),
        Kind::Cancelling => {
            let (low, high) = values.split_at_mut(n.div_ceil(2));
            for (k, x) in high.iter_mut().enumerate() {
                // Steps of 7 visit each number of `low` once, unless the length of `low` is a multiple of 7.
                *x = -low[k * 7 % low.len()];
            }
            low.iter_mut().step_by(5).for_each(|x| *x += 2f64.powi(7 - digits as i32));
            if digits == 24 {
                values.iter_mut().for_each(|x| *x = f64::from(*x as f32));
            }
        }
    }
    values
}
