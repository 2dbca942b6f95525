//! Which singular values a truncated decomposition keeps.

use crate::error::Error;

/// Which singular values a truncated decomposition keeps. `cutoff` is a bound on the discarded weight: the sum of the squares of the
/// discarded values, divided by that of all values. A cutoff of `1e-12` allows a relative error of `1e-6` in the norm of the matrix.
///
/// A value is discarded if any of the conditions discards it. The largest value is always kept.
///
/// ```
/// use vierbein::linalg::Truncation;
/// use vierbein::{svd, tensor};
/// let a = tensor![[4.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.5]];
/// assert_eq!(svd!("ij -> ik, kj", &a; max_rank = 2).1, tensor![4.0, 3.0]);
/// assert_eq!(svd!("ij -> ik, kj", &a; cutoff = 0.01, below = 1e-8).1, tensor![4.0, 3.0]);
/// assert_eq!(Truncation::rank(2), Truncation::new().max_rank(2));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[must_use = "options do nothing until a method gets them"]
pub struct Truncation {
    max_rank: Option<usize>,
    cutoff: Option<f64>,
    below: Option<f64>,
    relative: Option<f64>,
    multiplets: Option<f64>,
}

impl Truncation {
    /// Keeps all singular values, until a condition is added.
    pub const fn new() -> Truncation {
        Truncation { max_rank: None, cutoff: None, below: None, relative: None, multiplets: None }
    }

    /// Keeps at most `rank` singular values, those that are largest. The same as `Truncation::new().max_rank(rank)`.
    pub const fn rank(rank: usize) -> Truncation {
        Truncation::new().max_rank(rank)
    }

    /// Keeps at most `rank` singular values, those that are largest.
    pub const fn max_rank(self, rank: usize) -> Truncation {
        Truncation { max_rank: Some(rank), ..self }
    }

    /// Discards as many of the smallest singular values as possible, such that the sum of their squares is at most `weight` times the sum
    /// of the squares of all singular values.
    pub const fn cutoff(self, weight: f64) -> Truncation {
        Truncation { cutoff: Some(weight), ..self }
    }

    /// Discards singular values that are at most `value`.
    pub const fn below(self, value: f64) -> Truncation {
        Truncation { below: Some(value), ..self }
    }

    /// Discards singular values that are at most `ratio` times the largest one.
    pub const fn relative(self, ratio: f64) -> Truncation {
        Truncation { relative: Some(ratio), ..self }
    }

    /// Keeps or discards equal singular values together: a truncation does not separate two adjacent values whose relative difference is at
    /// most `tolerance`. The vectors of equal singular values are determined only together, so a multiplet that is cut in two breaks the
    /// symmetry that it belongs to.
    ///
    /// A multiplet that the other conditions would cut is discarded. Only the multiplet of the largest value is always kept, even if it has
    /// more values than the maximum rank. In a batch, this holds for the matrix that needs most values.
    ///
    /// ```
    /// use vierbein::linalg::Truncation;
    /// use vierbein::{svd, tensor};
    /// let a = tensor![[4.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// assert_eq!(svd!("ij -> ik, kj", &a; max_rank = 2).1, tensor![4.0, 1.0]);
    /// assert_eq!(svd!("ij -> ik, kj", &a; max_rank = 2, multiplets = 1e-8).1, tensor![4.0]);
    /// ```
    pub const fn multiplets(self, tolerance: f64) -> Truncation {
        Truncation { multiplets: Some(tolerance), ..self }
    }

    /// Checks that the maximum rank is at least 1, and that the other conditions are numbers that are not negative.
    ///
    /// # Errors
    /// [`Error::Argument`] if they are not.
    pub(crate) fn check(&self, op: &'static str) -> Result<(), Error> {
        if self.max_rank == Some(0) {
            let reason = "a rank of 0 keeps no singular value; keep at least one".into();
            return Err(Error::Argument { op, reason });
        }
        let numbers = [
            ("cutoff", self.cutoff),
            ("below", self.below),
            ("relative", self.relative),
            ("multiplets", self.multiplets),
        ];
        for (name, value) in numbers {
            if let Some(value) = value
                && (value.is_nan() || value < 0.0)
            {
                let reason = format!("`{name}` is {value:?}, and must be a number that is at least 0");
                return Err(Error::Argument { op, reason });
            }
        }
        Ok(())
    }

    /// Returns how many of the singular values `s`, which are in descending order, are kept.
    pub(crate) fn kept(&self, s: &[f64]) -> usize {
        let Some(&largest) = s.first() else { return 0 };
        let mut kept = s.len().min(self.max_rank.unwrap_or(usize::MAX));
        let bound = self.below.unwrap_or(-1.0).max(self.relative.map_or(-1.0, |ratio| ratio * largest));
        kept = kept.min(s.iter().take_while(|&&x| x > bound).count());
        if let Some(cutoff) = self.cutoff {
            let allowed = cutoff * weight(s, largest);
            let mut discarded = 0.0;
            // Adds the squares from the smallest value on: small squares would be lost in a sum that is already large.
            let more = s.iter().rev().take_while(|&&x| {
                discarded += square(x, largest);
                discarded <= allowed
            });
            kept = kept.min(s.len() - more.count());
        }
        self.whole(s, kept.max(1))
    }

    /// Returns the number of values to keep so that no multiplet is cut, if `kept` values are to be kept.
    fn whole(&self, s: &[f64], kept: usize) -> usize {
        let Some(tolerance) = self.multiplets else { return kept };
        let cuts = |k: usize| k < s.len() && s[k - 1] - s[k] <= tolerance * s[k - 1];
        let fewer = (1..=kept).rev().find(|&k| !cuts(k));
        fewer.unwrap_or_else(|| (kept..s.len()).find(|&k| !cuts(k)).unwrap_or(s.len()))
    }
}

/// Returns the square of a singular value in units of the square of the largest one, which does not overflow.
fn square(x: f64, largest: f64) -> f64 {
    if largest > 0.0 { (x / largest) * (x / largest) } else { 0.0 }
}

/// Returns the discarded weight if `kept` of the singular values `s` are kept, and its share of the weight of all values; see
/// [`Discarded`](crate::linalg::Discarded).
pub(crate) fn discarded(s: &[f64], kept: usize) -> [f64; 2] {
    let rest = &s[kept.min(s.len())..];
    let [largest, next] = [s, rest].map(|s| s.first().copied().unwrap_or(0.0));
    // In units of the square of the largest discarded value, squares do not become 0.
    let (all, discarded) = (weight(s, largest), weight(rest, next));
    let ratio = if largest > 0.0 { next / largest } else { 0.0 };
    [discarded * next * next, if all > 0.0 { discarded / all * ratio * ratio } else { 0.0 }]
}

/// Returns the sum of the squares of singular values, added from the smallest one on, in units of the square of the largest one.
fn weight(s: &[f64], largest: f64) -> f64 {
    s.iter().rev().map(|&x| square(x, largest)).sum()
}
