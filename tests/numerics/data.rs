//! Numbers with all their digits: sums of them round at almost every step.

use super::random::Random;

/// What numbers do to their sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// All are positive: a partial sum is as large as the sum of sizes, and so are its roundings.
    OneSign,
    /// Both signs: they cancel by chance.
    Mixed,
    /// For each its opposite, elsewhere, and something small beside: almost all cancels.
    Cancelling,
    /// One number again and again: a plain loop rounds the same way for long, and its errors add up.
    Same,
}

impl Kind {
    pub(super) const ALL: [Kind; 4] = [Kind::OneSign, Kind::Mixed, Kind::Cancelling, Kind::Same];
}

/// Between 1 and 16, with so many binary digits.
fn size(random: &mut Random, digits: u32) -> f64 {
    let bits = random.bits();
    let mantissa = (bits >> (64 - digits)) | 1 << (digits - 1);
    mantissa as f64 * 2f64.powi((bits % 4) as i32 + 1 - digits as i32)
}

/// `n` numbers of so many binary digits: 53 for `f64`, 24 for `f32`.
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
                // 7 has a place for each number of the other half, unless that has a multiple of 7.
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
