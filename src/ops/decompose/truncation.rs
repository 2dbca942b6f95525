//! Truncated singular value decompositions.

use super::stack::{
    StackExtents, StackView, Stacked, dense, each_vector, extents, matrix_axes, numbers, stacked,
};
use super::svd::{Svd, svd};
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Device};
use crate::element::{Element, Scalar};
use crate::engine::decompose::truncation::{Truncation, discarded};
use crate::error::Error;
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Rank, Removed};
use crate::storage::Storage;
use crate::tensor::Tensor;
use num_traits::ToPrimitive;

/// What a truncated decomposition has discarded, for each matrix of a batch.
#[derive(Debug, Clone)]
pub struct Discarded<T: LinalgElement, D: MatrixStack, O: Order, Dev: Device> {
    /// The sum of the squares of the discarded singular values: the square of the norm of the error.
    pub weight: Tensor<T::Magnitude, Removed<D, 2>, O, Dev>,
    /// The discarded weight divided by the sum of the squares of all singular values; 0 for a matrix of zeros.
    pub share: Tensor<T::Magnitude, Removed<D, 2>, O, Dev>,
}

impl<T: LinalgElement, O: Order, Dev: Device> Stacked for Discarded<T, Rank<3>, O, Dev> {
    type Typed<D: MatrixStack> = Discarded<T, D, O, Dev>;
    fn typed<D: MatrixStack>(self, shape: &[usize]) -> Discarded<T, D, O, Dev> {
        Discarded { weight: self.weight.typed::<D>(shape), share: self.share.typed::<D>(shape) }
    }
}

/// A truncated decomposition of a stack: matrices with a single batch axis.
type Truncated<T, O, Dev> = (Svd<T, Rank<3>, O, Dev>, Discarded<T, Rank<3>, O, Dev>);

fn svd_truncated<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
    how: Truncation,
) -> Result<Truncated<T, O, Dev>, Error> {
    how.check("svd_truncated")?;
    let Svd { mut u, mut s, mut vh } = svd(a)?;
    let values: Vec<Vec<f64>> =
        each_vector(&s, |_, s| s.iter().map(|x| x.to_f64().expect("a float converts to `f64`")).collect())?;
    let [_, m, n] = extents::<O>(a.shape());
    // All matrices of a batch keep the same number of values: the largest number that one of them needs.
    let kept = values.iter().map(|s| how.kept(s)).max().unwrap_or(m.min(n));
    let (mut weights, mut shares) = (vec![], vec![]);
    for s in &values {
        let [weight, share] = discarded(s, kept).map(<T::Magnitude as Scalar>::from_f64);
        weights.push(weight);
        shares.push(share);
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
    /// Returns the singular value decomposition of a matrix, or of each matrix of a batch, with the largest singular values only, and the
    /// weight of the discarded singular values. If `r` values are kept, the product of the factors is the best approximation of the matrix
    /// by a matrix of rank `r`.
    ///
    /// The shapes are `[m, r]`, `[r]` and `[r, n]`. All matrices of a batch keep the same number of values: the largest number that one of
    /// them needs. The kept values are not rescaled.
    ///
    /// # Errors
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
    svd_truncated(how: Truncation) -> (Svd<T, D, O, Dev>, Discarded<T, D, O, Dev>), Any svd_truncated;
}
