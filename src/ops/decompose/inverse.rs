//! Inverses, powers and determinants.

use super::balance::{Scaled, exponent, scaled};
use super::lu::packed_lu;
use super::stack::{
    Numbers, Stack, StackExtents, StackView, dense, each_vector, extents, matrix_axes, numbers, stack_shape,
    stacked,
};
use crate::device::family::decompose::{Decompose, LinalgElement, Structure};
use crate::device::{Backend, Device};
use crate::element::{CastTo, Element, Scalar};
use crate::error::Error;
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Rank, Removed};
use crate::storage::Storage;
use crate::tensor::{Tensor, TensorView};
use core::f64::consts::LN_2;
use num_traits::{Float, Zero};

/// Calls `f` with a stack of identity matrices that has the shape of `a`: a view that repeats one matrix.
fn with_identity<T: LinalgElement, O: Order, Dev: Backend<T>, R>(
    a: &StackView<'_, T, O, Dev>,
    f: impl FnOnce(&TensorView<'_, T, Rank<3>, O, Dev>) -> Result<R, Error>,
) -> Result<R, Error> {
    let [batch, n, _] = extents::<O>(a.shape());
    let identity = Tensor::<T, Rank<2>, O, Dev>::try_eye_in(n, a.device())?;
    let identity = identity.try_broadcast_to(stack_shape::<O>([batch, n, n]))?;
    f(&(&identity).into())
}

fn inv<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Stack<T, O, Dev>, Error> {
    with_identity(a, |identity| a.solved("inv", Structure::General, identity.view()))
}

fn matrix_power<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
    n: i32,
) -> Result<Stack<T, O, Dev>, Error> {
    if n < 0 {
        let inverse = inv(a)?;
        return power(&inverse.view(), n.unsigned_abs());
    }
    power(a, n.unsigned_abs())
}

/// Returns a power by squaring.
fn power<T: LinalgElement, O: Order, Dev: Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
    mut n: u32,
) -> Result<Stack<T, O, Dev>, Error> {
    if n == 0 {
        return with_identity(a, |identity| identity.try_to_owned());
    }
    let mut square = a.try_to_owned()?;
    while n.is_multiple_of(2) {
        square = square.try_matmul(&square)?;
        n /= 2;
    }
    let mut result = square.try_clone()?;
    while n > 1 {
        square = square.try_matmul(&square)?;
        n /= 2;
        if n % 2 == 1 {
            result = result.try_matmul(&square)?;
        }
    }
    Ok(result)
}

/// Computes the LU decomposition of each matrix. Calls `f` with the pivots, which are the diagonal of `u`, and with `true` if the number of
/// row exchanges is odd. Returns the results of `f`.
fn pivots<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>, R>(
    a: &StackView<'_, T, O, Dev>,
    mut f: impl FnMut(&[Scaled<T>], bool) -> R,
) -> Result<Vec<R>, Error> {
    // Pivots can overflow, and if rows differ much in size, quotients of their elements can become 0.
    let limit = exponent(<T::Magnitude as Float>::max_value()) / 4;
    let moderate = |pivot: &T| pivot.all_finite() && exponent(*pivot).abs() <= limit;
    let diagonals = decomposed(a)?;
    if diagonals.iter().all(|(pivots, _)| pivots.iter().all(moderate)) {
        let unscaled = |pivots: &[T]| pivots.iter().map(|&x| Scaled::new(x, 0)).collect::<Vec<_>>();
        return Ok(diagonals.iter().map(|(pivots, odd)| f(&unscaled(pivots), *odd)).collect());
    }
    let (a, exponents) = with_equal_rows(a)?;
    let results = decomposed(&a.view())?.into_iter().zip(exponents).map(|((pivots, odd), exponents)| {
        // The factor of a row is assigned to some pivot: only the product of all pivots matters.
        let scaled = pivots.iter().zip(exponents).map(|(&x, exponent)| Scaled::new(x, exponent));
        f(&scaled.collect::<Vec<_>>(), odd)
    });
    Ok(results.collect())
}

/// Divides each row by a power of two, so that its largest element is about 1. Also returns the exponents of the powers.
fn with_equal_rows<T: LinalgElement, O: Order, Dev: Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<(Stack<T, O, Dev>, Vec<Vec<i32>>), Error> {
    let [batch, n, _] = extents::<O>(a.shape());
    let mut elements = a.try_to_vec()?;
    let mut exponents = vec![vec![0; n]; batch];
    for (matrix, exponents) in elements.chunks_mut((n * n).max(1)).zip(&mut exponents) {
        let at = |i: usize, j: usize| if O::ROW_MAJOR { i * n + j } else { j * n + i };
        for (i, of_row) in exponents.iter_mut().enumerate() {
            let row = (0..n).map(|j| matrix[at(i, j)]).filter(|&x| x != T::zero());
            *of_row = row.map(exponent).max().unwrap_or(0);
            (0..n).for_each(|j| matrix[at(i, j)] = scaled(matrix[at(i, j)], -*of_row));
        }
    }
    Ok((Tensor::try_from_vec_in(a.shape(), elements, a.device())?, exponents))
}

/// Returns for each matrix the diagonal of the factor `u` of its LU decomposition, and whether the number of row exchanges is odd.
fn decomposed<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Vec<(Vec<T>, bool)>, Error> {
    let (lu, rows) = packed_lu(a)?;
    let odd = each_vector(&rows, |_, rows| is_odd(rows))?;
    let [of_rows, of_columns] = matrix_axes::<O>();
    // `try_diagonal` appends the diagonal as the last axis.
    let diagonal = lu.try_diagonal(of_rows, of_columns)?;
    let diagonal =
        if O::ROW_MAJOR { diagonal.try_to_owned()? } else { diagonal.reverse_axes().try_to_owned()? };
    each_vector(&diagonal, |j, diagonal| (diagonal.to_vec(), odd[j]))
}

/// Returns whether a permutation is a product of an odd number of exchanges.
fn is_odd(permutation: &[i64]) -> bool {
    let mut seen = vec![false; permutation.len()];
    let mut odd = false;
    for start in 0..permutation.len() {
        // A cycle of length n is a product of n − 1 exchanges.
        let (mut at, mut exchanges) = (start, 0usize);
        while !seen[at] {
            seen[at] = true;
            at = permutation[at] as usize;
            exchanges += 1;
        }
        odd ^= exchanges > 0 && exchanges % 2 == 0;
    }
    odd
}

fn det<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Numbers<T, O, Dev>, Error> {
    let determinants = pivots(a, |pivots, odd| {
        let one = Scaled::new(if odd { -T::one() } else { T::one() }, 0);
        pivots.iter().fold(one, |product, &x| product.times(x)).value()
    })?;
    numbers(determinants, a.device())
}

/// The phase of the determinants, and the logarithm of their magnitudes.
type LogDeterminants<T, O, Dev> = (Numbers<T, O, Dev>, Numbers<<T as Scalar>::Magnitude, O, Dev>);

fn slogdet<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<LogDeterminants<T, O, Dev>, Error> {
    let mut logarithms = vec![];
    let phases = pivots(a, |pivots, odd| {
        let mut phase = if odd { -T::one() } else { T::one() };
        let (mut logarithm, mut exponent) = (<T::Magnitude as Zero>::zero(), 0);
        for &Scaled { mantissa: x, exponent: of_x } in pivots {
            let magnitude: T::Magnitude = x.modulus().cast_to();
            phase = if x == T::zero() { T::zero() } else { phase * x.unscale(magnitude) };
            logarithm += Float::ln(magnitude);
            exponent += i64::from(of_x);
        }
        logarithms.push(logarithm + <T::Magnitude as Scalar>::from_f64(exponent as f64 * LN_2));
        phase
    })?;
    Ok((numbers(phases, a.device())?, numbers(logarithms, a.device())?))
}

dense! {
    /// Returns the inverse of a matrix, or of each matrix of a batch. To solve linear systems, use [`solve`](Tensor::solve), which is
    /// faster and more accurate.
    ///
    /// # Errors
    /// * If the matrix is not square, or an element is NaN or infinite.
    /// * If the matrix is singular, which means that a pivot is exactly 0.
    /// * If an element of the inverse exceeds the limits of its type, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[2.0, 0.0], [1.0, 0.5]].inv(), tensor![[0.5, 0.0], [-1.0, 2.0]]);
    /// ```
    inv() -> Tensor<T, D, O, Dev>, Square inv;

    /// Returns the determinant of a matrix, or of each matrix of a batch. Only a determinant that itself exceeds the limits of its type is
    /// infinite or 0; products of some of the pivots may exceed them. See also [`slogdet`](Tensor::slogdet).
    ///
    /// # Errors
    /// If the matrix is not square, an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[0.0, 2.0], [3.0, 1.0]].det().item(), -6.0);
    /// ```
    det() -> Tensor<T, Removed<D, 2>, O, Dev>, Square det;

    /// Returns the sign (for complex numbers, the phase) and the logarithm of the magnitude of the determinant of a matrix, or of each
    /// matrix of a batch. The determinant is `sign · exp(logarithm)`. For a singular matrix, the sign is 0 and the logarithm −∞.
    ///
    /// # Errors
    /// If the matrix is not square, an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let (sign, logarithm) = (Tensor::<f64, _>::eye(1000) * -10.0).slogdet();
    /// assert_eq!(sign.item(), 1.0);
    /// assert!((logarithm.item() - 1000.0 * 10f64.ln()).abs() < 1e-9);
    /// ```
    slogdet()
        -> (Tensor<T, Removed<D, 2>, O, Dev>, Tensor<T::Magnitude, Removed<D, 2>, O, Dev>), Square slogdet;

    /// Returns the power of a matrix, or of each matrix of a batch, with an integer exponent. A negative exponent takes the power of the
    /// [inverse](Tensor::inv).
    ///
    /// # Errors
    /// * If the matrix is not square, or an allocation fails.
    /// * If the exponent is negative, and the matrix is singular or has an element that is NaN or infinite.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[1.0, 1.0], [0.0, 1.0]];
    /// assert_eq!(a.matrix_power(5), tensor![[1.0, 5.0], [0.0, 1.0]]);
    /// assert_eq!(a.matrix_power(-2), tensor![[1.0, -2.0], [0.0, 1.0]]);
    /// ```
    matrix_power(n: i32) -> Tensor<T, D, O, Dev>, Square matrix_power;
}
