//! Results computed from singular values: pseudo-inverses, ranks, null spaces, condition numbers and norms.

use super::balance::{exponent, scaled};
use super::stack::{
    Numbers, Stack, StackExtents, StackView, adjoint, dense, each_vector, extents, matrix_axes, numbers,
    scale_columns, stacked, vectors,
};
use super::svd::{Svd, singular_values, svd, svd_full};
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Device};
use crate::element::{CastTo, Element, RealFloat};
use crate::error::Error;
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Removed};
use crate::storage::Storage;
use crate::tensor::Tensor;
use core::ops::Range;
use num_traits::{Float, One, Zero};

/// Which singular values of a matrix count as 0.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Negligible {
    /// Those of at most `max(m, n) · ε` times the largest one, where `ε` is the machine epsilon. This is the tolerance of NumPy's
    /// `matrix_rank`.
    Rounding,
    /// Those of at most this number times the largest one.
    Relative(f64),
    /// Those of at most this number.
    Absolute(f64),
}

impl Negligible {
    /// Counts singular values of at most `relative` times the largest one as 0.
    ///
    /// # Errors
    /// [`Error::Argument`] if `relative` is negative or NaN. The message names `default`, the method without this argument.
    pub(crate) fn relative(
        op: &'static str,
        default: &'static str,
        relative: f64,
    ) -> Result<Negligible, Error> {
        if relative >= 0.0 {
            return Ok(Negligible::Relative(relative));
        }
        let reason = format!(
            "`relative` is {relative:?}, and must be a number that is at least 0; `{default}` has a default, which depends on the extents \
             and the element type"
        );
        Err(Error::Argument { op, reason })
    }

    /// Returns how many of the singular values `s` of an `m` × `n` matrix are not negligible. `s` is in descending order.
    fn rank_of<R: RealFloat>(self, s: &[R], [m, n]: [usize; 2]) -> usize {
        let Some(&largest) = s.first() else { return 0 };
        // Numbers near the limits of their type are compared after a division by a power of two, so that the tolerance is in range.
        let power = exponent(largest);
        let small = |&x: &R| scaled(x, -power);
        let float = |x: R| x.to_f64().expect("a float converts to `f64`");
        match self {
            Negligible::Rounding => {
                let tolerance = small(&largest) * R::from_usize(m.max(n)) * <R as Float>::epsilon();
                s.iter().map(small).take_while(|&x| x > tolerance).count()
            }
            Negligible::Relative(ratio) => {
                // In `f64`, so that the ratio is not rounded to the element type.
                let tolerance = float(small(&largest)) * ratio;
                s.iter().map(small).take_while(|&x| float(x) > tolerance).count()
            }
            Negligible::Absolute(size) => s.iter().take_while(|&&x| float(x) > size).count(),
        }
    }
}

/// Returns `v / s` and `uᴴ`, whose product is the pseudo-inverse. Negligible singular values and their vectors are left out. If `1 / s` is
/// near the limits of its type, both factors have a part of it: they are multiplied by powers of two.
pub(super) fn pseudo_inverse_factors<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
    negligible: Negligible,
) -> Result<(Stack<T, O, Dev>, Stack<T, O, Dev>), Error> {
    let [batch, m, n] = extents::<O>(a.shape());
    let Svd { u, s, vh } = svd(a)?;
    let (zero, one) = (<T::Magnitude as Zero>::zero(), <T::Magnitude as One>::one());
    let limit = exponent(<T::Magnitude as Float>::max_value());
    let mut halves = vec![];
    let inverses = each_vector(&s, |_, s| {
        let rank = negligible.rank_of(s, [m, n]);
        let power = s.first().map_or(0, |&largest| exponent(largest));
        let power = if power.abs() > limit / 4 * 3 { power } else { 0 };
        halves.push(-(power / 2));
        let inverse = |(k, &x): (usize, &T::Magnitude)| {
            let inverse = if k < rank { one / scaled(x, -power) } else { zero };
            CastTo::<T>::cast_to(scaled(inverse, power / 2 - power))
        };
        s.iter().enumerate().map(inverse).collect::<Vec<T>>()
    })?;
    let inverses = vectors(inverses.concat(), batch, m.min(n), a.device())?;
    let (left, mut right) = (scale_columns(&adjoint(&vh.view())?.view(), &inverses)?, adjoint(&u.view())?);
    if halves.iter().any(|&half| half != 0) {
        let of_rows = halves.iter().flat_map(|&half| vec![scaled(T::one(), half); m]).collect();
        right = scale_columns(&right.view(), &vectors(of_rows, batch, m, a.device())?)?;
    }
    Ok((left, right))
}

fn pseudo_inverse<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
    negligible: Negligible,
) -> Result<Stack<T, O, Dev>, Error> {
    let (left, right) = pseudo_inverse_factors(a, negligible)?;
    left.try_matmul(&right)
}

fn rank<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
    negligible: Negligible,
) -> Result<Numbers<i64, O, Dev>, Error> {
    let [_, m, n] = extents::<O>(a.shape());
    numbers(each_vector(&singular_values(a)?, |_, s| negligible.rank_of(s, [m, n]) as i64)?, a.device())
}

/// Returns the common rank of the matrices of a batch.
///
/// # Errors
/// [`Error::Argument`] if the ranks differ: the results would differ in shape.
fn common_rank<T: LinalgElement, O: Order, Dev: Backend<T>>(
    op: &'static str,
    negligible: Negligible,
    s: &super::stack::Vectors<T::Magnitude, O, Dev>,
    [m, n]: [usize; 2],
) -> Result<usize, Error> {
    let ranks = each_vector(s, |_, s| negligible.rank_of(s, [m, n]))?;
    let first = ranks.first().copied().unwrap_or(m.min(n));
    if let Some(other) = ranks.iter().find(|&&rank| rank != first) {
        let reason = format!(
            "the matrices of the batch have ranks {first} and {other}, so that the results differ in shape; pass one matrix at a time"
        );
        return Err(Error::Argument { op, reason });
    }
    Ok(first)
}

/// Returns the rows `indices` of `vh`, conjugated and as columns: the right singular vectors.
fn columns_of_v<T: LinalgElement, O: Order, Dev: Backend<T>>(
    vh: &StackView<'_, T, O, Dev>,
    indices: Range<usize>,
) -> Result<Stack<T, O, Dev>, Error> {
    adjoint(&(&vh.range(matrix_axes::<O>()[0], indices)).into())
}

fn null_basis<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    op: &'static str,
    a: &StackView<'_, T, O, Dev>,
    negligible: Negligible,
) -> Result<Stack<T, O, Dev>, Error> {
    let [_, m, n] = extents::<O>(a.shape());
    let Svd { s, vh, .. } = svd_full(a)?;
    let rank = common_rank::<T, O, Dev>(op, negligible, &s, [m, n])?;
    columns_of_v(&vh.view(), rank..n)
}

fn range_basis<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    op: &'static str,
    a: &StackView<'_, T, O, Dev>,
    negligible: Negligible,
) -> Result<Stack<T, O, Dev>, Error> {
    let [_, m, n] = extents::<O>(a.shape());
    let Svd { u, s, .. } = svd(a)?;
    let rank = common_rank::<T, O, Dev>(op, negligible, &s, [m, n])?;
    u.range(matrix_axes::<O>()[1], 0..rank).try_to_owned()
}

/// Defines functions of batches of matrices. Each also has a variant with an argument that says which singular values count as 0.
macro_rules! with_default {
    ($($name:ident, $name_with:ident -> $Out:ty, |$a:ident, $op:ident, $negligible:ident| $body:expr;)*) => {$(
        pub(crate) fn $name<T, O, Dev>($a: &StackView<'_, T, O, Dev>) -> Result<$Out, Error>
        where
            T: LinalgElement,
            O: Order,
            Dev: Decompose<T> + Backend<T>,
        {
            let ($op, $negligible) = (stringify!($name), Negligible::Rounding);
            $body
        }

        pub(crate) fn $name_with<T, O, Dev>(
            $a: &StackView<'_, T, O, Dev>,
            relative: f64,
        ) -> Result<$Out, Error>
        where
            T: LinalgElement,
            O: Order,
            Dev: Decompose<T> + Backend<T>,
        {
            let default = concat!(".", stringify!($name), "()");
            let $negligible = Negligible::relative(stringify!($name_with), default, relative)?;
            let $op = stringify!($name_with);
            $body
        }
    )*};
}

with_default! {
    pinv, pinv_with -> Stack<T, O, Dev>, |a, _op, negligible| pseudo_inverse(a, negligible);
    matrix_rank, matrix_rank_with -> Numbers<i64, O, Dev>, |a, _op, negligible| rank(a, negligible);
    null_space, null_space_with -> Stack<T, O, Dev>, |a, op, negligible| null_basis(op, a, negligible);
    orth, orth_with -> Stack<T, O, Dev>, |a, op, negligible| range_basis(op, a, negligible);
}

fn matrix_rank_above<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
    size: f64,
) -> Result<Numbers<i64, O, Dev>, Error> {
    if size.is_nan() || size < 0.0 {
        let reason = format!("`size` is {size:?}, and must be a number that is at least 0");
        return Err(Error::Argument { op: "matrix_rank_above", reason });
    }
    rank(a, Negligible::Absolute(size))
}

/// Returns a number for each matrix, which `f` computes from its singular values.
fn from_singular_values<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
    f: impl Fn(&[T::Magnitude]) -> T::Magnitude,
) -> Result<Numbers<T::Magnitude, O, Dev>, Error> {
    numbers(each_vector(&singular_values(a)?, |_, s| f(s))?, a.device())
}

fn cond<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Numbers<T::Magnitude, O, Dev>, Error> {
    let [_, m, n] = extents::<O>(a.shape());
    if m.min(n) == 0 {
        let reason = format!("a matrix with {m} rows and {n} columns has no singular values");
        return Err(Error::Argument { op: "cond", reason });
    }
    from_singular_values(a, |s| {
        let zero = <T::Magnitude as Zero>::zero();
        match (s.first(), s.last()) {
            // For a matrix of zeros the result is infinite, as for other singular matrices.
            (Some(&largest), Some(&least)) if least != zero => largest / least,
            _ => <T::Magnitude as Float>::infinity(),
        }
    })
}

fn nuclear_norm<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Numbers<T::Magnitude, O, Dev>, Error> {
    // Adds the smallest values first, which makes rounding errors smaller.
    from_singular_values(a, |s| s.iter().rev().fold(<T::Magnitude as Zero>::zero(), |sum, &x| sum + x))
}

fn spectral_norm<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Numbers<T::Magnitude, O, Dev>, Error> {
    from_singular_values(a, |s| s.first().copied().unwrap_or(<T::Magnitude as Zero>::zero()))
}

dense! {
    /// Returns the Moore–Penrose pseudo-inverse of a matrix, or of each matrix of a batch. For a matrix of shape `[m, n]` it has shape
    /// `[n, m]`.
    ///
    /// Singular values of at most `max(m, n) · ε` times the largest one count as 0, where `ε` is the machine epsilon. To choose
    /// another factor, use [`pinv_with`](Tensor::pinv_with).
    ///
    /// # Errors
    /// For the reasons for which [`svd`](Tensor::svd) panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[2.0, 0.0], [0.0, 0.0], [0.0, 0.5]];
    /// assert_eq!(a.pinv(), tensor![[0.5, 0.0, 0.0], [0.0, 0.0, 2.0]]);
    /// ```
    pinv() -> Tensor<T, D, O, Dev>, Any pinv;

    /// Variant of [`pinv`](Tensor::pinv) that counts a singular value as 0 if it is at most `relative` times the largest one.
    ///
    /// # Errors
    /// For the reasons for which [`svd`](Tensor::svd) panics, or if `relative` is negative or NaN.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[2.0, 0.0], [0.0, 0.5]];
    /// assert_eq!(a.pinv_with(0.1), tensor![[0.5, 0.0], [0.0, 2.0]]);
    /// assert_eq!(a.pinv_with(0.3), tensor![[0.5, 0.0], [0.0, 0.0]]);
    /// ```
    pinv_with(relative: f64) -> Tensor<T, D, O, Dev>, Any pinv_with;

    /// Returns the rank of a matrix, or of each matrix of a batch: the number of singular values that are larger than `max(m, n) · ε` times
    /// the largest one, where `ε` is the machine epsilon. To choose another factor, use
    /// [`matrix_rank_with`](Tensor::matrix_rank_with).
    ///
    /// # Errors
    /// For the reasons for which [`svd`](Tensor::svd) panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1.0, 2.0], [2.0, 4.0]].matrix_rank().item(), 1);
    /// ```
    matrix_rank() -> Tensor<i64, Removed<D, 2>, O, Dev>, Any matrix_rank;

    /// Returns the number of singular values that are larger than `relative` times the largest one, for a matrix or each matrix of a batch.
    ///
    /// # Errors
    /// For the reasons for which [`svd`](Tensor::svd) panics, or if `relative` is negative or NaN.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[2.0, 0.0], [0.0, 0.5]];
    /// assert_eq!([0.1, 0.3].map(|relative| a.matrix_rank_with(relative).item()), [2, 1]);
    /// ```
    matrix_rank_with(relative: f64) -> Tensor<i64, Removed<D, 2>, O, Dev>, Any matrix_rank_with;

    /// Returns the number of singular values that are larger than `size`, for a matrix or each matrix of a batch. If the errors of the
    /// elements have a known norm, pass this norm: smaller singular values are only errors.
    ///
    /// # Errors
    /// For the reasons for which [`svd`](Tensor::svd) panics, or if `size` is negative or NaN.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[2.0, 0.0], [0.0, 0.5]];
    /// assert_eq!([0.1, 0.5].map(|size| a.matrix_rank_above(size).item()), [2, 1]);
    /// ```
    matrix_rank_above(size: f64) -> Tensor<i64, Removed<D, 2>, O, Dev>, Any matrix_rank_above;

    /// Returns an orthonormal basis, as columns, of the null space of a matrix: the vectors `x` with `a · x = 0`. The number of vectors is
    /// the number of columns of the matrix minus its [rank](Tensor::matrix_rank). To choose which singular values count as 0, use
    /// [`null_space_with`](Tensor::null_space_with).
    ///
    /// # Errors
    /// For the reasons for which [`svd`](Tensor::svd) panics, or if the matrices of a batch differ in rank.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let basis = tensor![[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]].null_space();
    /// assert_eq!(basis, tensor![[0.0], [0.0], [1.0]]);
    /// ```
    null_space() -> Tensor<T, D, O, Dev>, Any null_space;

    /// Variant of [`null_space`](Tensor::null_space) that counts a singular value as 0 if it is at most `relative` times the largest one.
    /// Returns, as columns, an orthonormal basis of the vectors `x` for which `a · x` is 0 or small.
    ///
    /// # Errors
    /// For the reasons for which [`svd`](Tensor::svd) panics, if the matrices of a batch differ in rank, or if `relative` is negative or
    /// NaN.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[2.0, 0.0], [0.0, 0.5]];
    /// assert_eq!(a.null_space_with(0.3), tensor![[0.0], [1.0]]);
    /// assert_eq!(a.null_space_with(0.1).shape(), [2, 0]);
    /// ```
    null_space_with(relative: f64) -> Tensor<T, D, O, Dev>, Any null_space_with;

    /// Returns an orthonormal basis, as columns, of the space that the columns of a matrix span. The number of vectors is the
    /// [rank](Tensor::matrix_rank). To choose which singular values count as 0, use [`orth_with`](Tensor::orth_with). To orthogonalise the
    /// columns in their order, use [`qr`](Tensor::qr).
    ///
    /// # Errors
    /// For the reasons for which [`svd`](Tensor::svd) panics, or if the matrices of a batch differ in rank.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let basis = tensor![[0.0, 0.0], [3.0, 6.0]].orth();
    /// assert_eq!(basis, tensor![[0.0], [1.0]]);
    /// ```
    orth() -> Tensor<T, D, O, Dev>, Any orth;

    /// Variant of [`orth`](Tensor::orth) that counts a singular value as 0 if it is at most `relative` times the largest one.
    ///
    /// # Errors
    /// For the reasons for which [`svd`](Tensor::svd) panics, if the matrices of a batch differ in rank, or if `relative` is negative or
    /// NaN.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[2.0, 0.0], [0.0, 0.5]];
    /// assert_eq!(a.orth_with(0.3), tensor![[1.0], [0.0]]);
    /// assert_eq!(a.orth_with(0.1).shape(), [2, 2]);
    /// ```
    orth_with(relative: f64) -> Tensor<T, D, O, Dev>, Any orth_with;

    /// Returns the condition number of a matrix, or of each matrix of a batch: the largest singular value divided by the smallest one. It
    /// is infinite for a matrix whose smallest singular value is 0.
    ///
    /// # Errors
    /// For the reasons for which [`svd`](Tensor::svd) panics, or if the matrix has no rows or no columns.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[0.0, 2.0], [8.0, 0.0]].cond().item(), 4.0);
    /// ```
    cond() -> Tensor<T::Magnitude, Removed<D, 2>, O, Dev>, Any cond;

    /// Returns the nuclear norm of a matrix, or of each matrix of a batch: the sum of its singular values. The Frobenius norm is
    /// [`norm`](Tensor::norm).
    ///
    /// # Errors
    /// For the reasons for which [`svd`](Tensor::svd) panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[0.0, 2.0], [8.0, 0.0]].nuclear_norm().item(), 10.0);
    /// ```
    nuclear_norm() -> Tensor<T::Magnitude, Removed<D, 2>, O, Dev>, Any nuclear_norm;

    /// Returns the spectral norm of a matrix, or of each matrix of a batch: its largest singular value. The Frobenius norm is
    /// [`norm`](Tensor::norm).
    ///
    /// # Errors
    /// For the reasons for which [`svd`](Tensor::svd) panics.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[0.0, 2.0], [8.0, 0.0]].spectral_norm().item(), 8.0);
    /// ```
    spectral_norm() -> Tensor<T::Magnitude, Removed<D, 2>, O, Dev>, Any spectral_norm;
}
