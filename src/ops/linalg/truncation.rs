//! Truncated singular value decompositions.

use super::stack::{Extents, StackView, dense, each_vector, extents, matrix_axes, numbers, stacked};
use super::svd::Svd;
use crate::device::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Device};
use crate::element::{Element, Scalar};
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Rank, Removed};
use crate::storage::Storage;
use crate::tensor::Tensor;
use num_traits::ToPrimitive;

/// Which singular values a truncated decomposition keeps. `cutoff` is a bound on the discarded weight, the sum of the squares of the
/// discarded values: a cutoff of `1e-12` is a relative error of `1e-6` in the norm of the matrix.
///
/// A value is discarded if any of the conditions discards it. The largest value is always kept.
///
/// ```
/// use vierbein::linalg::Truncation;
/// use vierbein::tensor;
/// let a = tensor![[4.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.5]];
/// let (svd, discarded) = a.svd_truncated(Truncation::rank(2));
/// assert_eq!(svd.s, tensor![4.0, 3.0]);
/// assert_eq!(discarded.weight.item(), 0.25);
/// assert_eq!(discarded.share.item(), 0.25 / 25.25);
/// let (svd, _) = a.svd_truncated(Truncation::new().cutoff(0.01).below(1e-8));
/// assert_eq!(svd.s.len(), 2);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Truncation {
    max_rank: Option<usize>,
    cutoff: Option<f64>,
    below: Option<f64>,
    relative: Option<f64>,
}

impl Truncation {
    /// Keeps all singular values, until a condition is added.
    pub const fn new() -> Truncation {
        Truncation { max_rank: None, cutoff: None, below: None, relative: None }
    }

    /// Keeps at most `rank` singular values, those that are largest. The same as `Truncation::new().max_rank(rank)`.
    pub const fn rank(rank: usize) -> Truncation {
        Truncation::new().max_rank(rank)
    }

    /// Keeps at most `rank` singular values, those that are largest.
    #[must_use]
    pub const fn max_rank(self, rank: usize) -> Truncation {
        Truncation { max_rank: Some(rank), ..self }
    }

    /// Discards as many of the smallest singular values as possible, such that the sum of their squares is at most `weight` times the sum of
    /// the squares of all singular values.
    #[must_use]
    pub const fn cutoff(self, weight: f64) -> Truncation {
        Truncation { cutoff: Some(weight), ..self }
    }

    /// Discards singular values that are at most `value`.
    #[must_use]
    pub const fn below(self, value: f64) -> Truncation {
        Truncation { below: Some(value), ..self }
    }

    /// Discards singular values that are at most `ratio` times the largest one.
    #[must_use]
    pub const fn relative(self, ratio: f64) -> Truncation {
        Truncation { relative: Some(ratio), ..self }
    }

    /// Checks that the conditions are numbers that are not negative.
    ///
    /// # Errors
    /// [`Error::Argument`].
    pub(crate) fn check(&self, op: &'static str) -> Result<(), Error> {
        if self.max_rank == Some(0) {
            let reason = "a rank of 0 keeps no singular value; keep at least one".into();
            return Err(Error::Argument { op, reason });
        }
        for (name, value) in [("cutoff", self.cutoff), ("below", self.below), ("relative", self.relative)] {
            if let Some(value) = value
                && (value.is_nan() || value < 0.0)
            {
                let reason = format!("`{name}` is {value}, and must be a number that is at least 0");
                return Err(Error::Argument { op, reason });
            }
        }
        Ok(())
    }

    /// Returns how many of these singular values are kept, which are in descending order.
    pub(crate) fn kept(&self, s: &[f64]) -> usize {
        let Some(&largest) = s.first() else { return 0 };
        let mut kept = s.len().min(self.max_rank.unwrap_or(usize::MAX));
        let bound = self.below.unwrap_or(-1.0).max(self.relative.map_or(-1.0, |ratio| ratio * largest));
        kept = kept.min(s.iter().take_while(|&&x| x > bound).count());
        if let Some(cutoff) = self.cutoff {
            let allowed = cutoff * weight(s, largest);
            let mut discarded = 0.0;
            // From the smallest value on: small squares would be lost in a sum that is already large.
            let more = s.iter().rev().take_while(|&&x| {
                discarded += square(x, largest);
                discarded <= allowed
            });
            kept = kept.min(s.len() - more.count());
        }
        kept.max(1)
    }
}

/// Returns the square of a singular value in units of the square of the largest one, which does not overflow.
fn square(x: f64, largest: f64) -> f64 {
    if largest > 0.0 { (x / largest) * (x / largest) } else { 0.0 }
}

/// Returns the sum of squares, from the smallest value on, in units of the square of the largest one.
fn weight(s: &[f64], largest: f64) -> f64 {
    s.iter().rev().map(|&x| square(x, largest)).sum()
}

/// What a truncated decomposition has discarded, for each matrix of a batch.
#[derive(Debug, Clone)]
pub struct Discarded<T: LinalgElement, D: MatrixStack, O: Order, Dev: Device> {
    /// The sum of the squares of the discarded singular values: the square of the norm of the error.
    pub weight: Tensor<T::Magnitude, Removed<D, 2>, O, Dev>,
    /// The discarded weight divided by the sum of the squares of all singular values; 0 for a matrix of zeros.
    pub share: Tensor<T::Magnitude, Removed<D, 2>, O, Dev>,
}

/// A truncated decomposition of stacks.
type Truncated<T, O, Dev> = (Svd<T, Rank<3>, O, Dev>, Discarded<T, Rank<3>, O, Dev>);

pub(crate) fn svd_truncated<T, O, Dev>(
    a: &StackView<'_, T, O, Dev>,
    how: Truncation,
) -> Result<Truncated<T, O, Dev>, Error>
where
    T: LinalgElement,
    O: Order,
    Dev: Decompose<T> + Backend<T>,
{
    how.check("svd_truncated")?;
    let Svd { mut u, mut s, mut vh } = a.try_svd()?;
    let values: Vec<Vec<f64>> =
        each_vector(&s, |_, s| s.iter().map(|x| x.to_f64().expect("a float converts to `f64`")).collect())?;
    let [_, m, n] = extents::<O>(a.shape());
    // A batch keeps as many values as the matrix that needs most.
    let kept = values.iter().map(|s| how.kept(s)).max().unwrap_or(m.min(n));
    let (mut weights, mut shares) = (vec![], vec![]);
    for s in &values {
        let largest = s.first().copied().unwrap_or(0.0);
        let (all, discarded) = (weight(s, largest), weight(&s[kept.min(s.len())..], largest));
        weights.push(<T::Magnitude as Scalar>::from_f64(discarded * largest * largest));
        shares.push(<T::Magnitude as Scalar>::from_f64(if all > 0.0 { discarded / all } else { 0.0 }));
    }
    if kept < m.min(n) {
        let [rows, columns] = matrix_axes::<O>();
        u = u.range(columns, 0..kept).try_to_owned()?;
        s = s.range(rows, 0..kept).try_to_owned()?;
        vh = vh.range(rows, 0..kept).try_to_owned()?;
    }
    let discarded = Discarded { weight: numbers(weights, a.device())?, share: numbers(shares, a.device())? };
    Ok((Svd { u, s, vh }, discarded))
}

dense! {
    /// Returns the singular value decomposition of a matrix, or of each matrix of a batch, with the largest singular values only, and what
    /// was discarded. The product of the factors is the best approximation of this rank.
    ///
    /// With `r` kept values, the shapes are `[m, r]`, `[r]` and `[r, n]`. All matrices of a batch keep the same number of values, that of
    /// the matrix that needs most. The kept values are not rescaled.
    ///
    /// # Panics
    /// For the reasons for which [`svd`](Tensor::svd) panics, or if the truncation has a negative number, a NaN, or a rank of 0.
    ///
    /// ```
    /// use vierbein::linalg::Truncation;
    /// use vierbein::tensor;
    /// let a = tensor![[2.0, 2.0], [2.0, 2.0]];
    /// let (svd, discarded) = a.svd_truncated(Truncation::new().cutoff(1e-20));
    /// assert_eq!(svd.s.shape(), [1]);
    /// assert!((&svd.u * &svd.s).matmul(&svd.vh).all_close(&a, 1e-14, 0.0));
    /// assert!(discarded.share.item() < 1e-20);
    /// ```
    svd_truncated, try_svd_truncated(how: Truncation) -> (Svd<T, D, O, Dev>, Discarded<T, D, O, Dev>), Any svd_truncated;
}
