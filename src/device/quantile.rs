//! The methods of computing a quantile.

/// How a quantile is computed from sorted elements: the nine methods of Hyndman and Fan (The American Statistician 50, 1996), with
/// NumPy's names.
///
/// The first three methods return an element, or the mean of two. The other methods compute, from the level `q`, a position `h` among the
/// `n` sorted elements. Positions are counted from 0, and `h` is limited to the range from 0 to `n - 1`. If `h` is not an integer, these
/// methods interpolate linearly between the two elements next to position `h`. Between a number and an infinity, the result is this
/// infinity; between infinities of both signs, it is NaN. (NumPy also returns NaN for some quantiles between a number and an infinity, and
/// for those between equal infinities.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Quantile {
    /// The smallest element `x` such that at least `q · n` elements are not greater than `x`.
    InvertedCdf,
    /// The element of `InvertedCdf`. If `q · n` is an integer other than 0 and `n`, the mean of this element and the next one.
    AveragedInvertedCdf,
    /// The element closest to position `q · n - 1`. If two elements are equally close, the element at the odd position. Positions are
    /// counted from 0.
    ClosestObservation,
    /// `h = q · n - 1`.
    InterpolatedInvertedCdf,
    /// `h = q · n - 1/2`.
    Hazen,
    /// `h = q · (n + 1) - 1`.
    Weibull,
    /// `h = q · (n - 1)`: the default of NumPy.
    #[default]
    Linear,
    /// `h = q · (n + 1/3) - 2/3`: approximately median-unbiased for every distribution.
    MedianUnbiased,
    /// `h = q · (n + 1/4) - 5/8`: approximately unbiased for normal distributions.
    NormalUnbiased,
}

impl Quantile {
    /// Returns `(k, weight)`: among `n` sorted elements, the quantile is between elements `k` and `k + 1`, and `weight` is the weight of
    /// element `k + 1`. If `weight` is not 0, `k + 1` is less than `n`.
    pub(crate) fn place(self, n: usize, level: f64) -> (usize, f64) {
        let count = n as f64;
        let position = |alpha: f64, beta: f64| count * level + (alpha + level * (1.0 - alpha - beta)) - 1.0;
        let h = match self {
            Quantile::Linear => level * (count - 1.0),
            Quantile::InvertedCdf | Quantile::AveragedInvertedCdf => count * level - 1.0,
            Quantile::ClosestObservation => count * level - 1.5,
            Quantile::InterpolatedInvertedCdf => position(0.0, 1.0),
            Quantile::Hazen => position(0.5, 0.5),
            Quantile::Weibull => position(0.0, 0.0),
            Quantile::MedianUnbiased => position(1.0 / 3.0, 1.0 / 3.0),
            Quantile::NormalUnbiased => position(3.0 / 8.0, 3.0 / 8.0),
        };
        let low = h.floor();
        let part = h - low;
        let weight = match self {
            Quantile::InvertedCdf => f64::from(part > 0.0),
            Quantile::AveragedInvertedCdf if part == 0.0 => 0.5,
            Quantile::AveragedInvertedCdf => 1.0,
            Quantile::ClosestObservation => f64::from(part > 0.0 || low.rem_euclid(2.0) == 0.0),
            _ => part,
        };
        if weight == 1.0 {
            return (if low < -1.0 { 0 } else { (low + 1.0) as usize }.min(n - 1), 0.0);
        }
        if h < 0.0 {
            (0, 0.0)
        } else if h >= count - 1.0 {
            (n - 1, 0.0)
        } else {
            (low as usize, weight)
        }
    }
}
