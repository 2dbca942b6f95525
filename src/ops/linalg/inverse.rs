//! Inverses, powers and determinants.

use super::lu::packed_lu;
use super::stack::{
    Extents, Numbers, Stack, StackView, dense, each_vector, extents, matrix_axes, numbers, stack_shape,
    stacked,
};
use crate::device::decompose::{Decompose, LinalgElement, Structure};
use crate::device::{Backend, Device};
use crate::element::{CastTo, Element, Scalar};
use crate::error::{Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Rank, Removed};
use crate::storage::Storage;
use crate::tensor::{Tensor, TensorView};
use num_traits::{Float, Zero};

/// Calls `f` with a stack of identity matrices that has the shape of `a`: a view that repeats one matrix.
fn with_identity<T, O, Dev, R>(
    a: &StackView<'_, T, O, Dev>,
    f: impl FnOnce(&TensorView<'_, T, Rank<3>, O, Dev>) -> Result<R, Error>,
) -> Result<R, Error>
where
    T: LinalgElement,
    O: Order,
    Dev: Backend<T>,
{
    let [batch, n, _] = extents::<O>(a.shape());
    let identity = Tensor::<T, Rank<2>, O, Dev>::try_eye_in(n, a.device())?;
    let identity = identity.try_broadcast_to(stack_shape::<O>([batch, n, n]))?;
    f(&(&identity).into())
}

pub(crate) fn inv<T, O, Dev>(a: &StackView<'_, T, O, Dev>) -> Result<Stack<T, O, Dev>, Error>
where
    T: LinalgElement,
    O: Order,
    Dev: Decompose<T> + Backend<T>,
{
    with_identity(a, |identity| a.solved("inv", Structure::General, identity.view()))
}

pub(crate) fn matrix_power<T, O, Dev>(a: &StackView<'_, T, O, Dev>, n: i32) -> Result<Stack<T, O, Dev>, Error>
where
    T: LinalgElement,
    O: Order,
    Dev: Decompose<T> + Backend<T>,
{
    if n < 0 {
        let inverse = inv(a)?;
        return power(&inverse.view(), n.unsigned_abs());
    }
    power(a, n.unsigned_abs())
}

/// Returns a power by squaring.
fn power<T, O, Dev>(a: &StackView<'_, T, O, Dev>, mut n: u32) -> Result<Stack<T, O, Dev>, Error>
where
    T: LinalgElement,
    O: Order,
    Dev: Backend<T>,
{
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

/// Computes the LU decomposition of each matrix. Calls `f` with the diagonal of `u`, and with `true` if the number of row exchanges is odd.
/// Returns the results of `f`.
fn pivots<T, O, Dev, R>(
    a: &StackView<'_, T, O, Dev>,
    mut f: impl FnMut(&[T], bool) -> R,
) -> Result<Vec<R>, Error>
where
    T: LinalgElement,
    O: Order,
    Dev: Decompose<T> + Backend<T>,
{
    let (lu, rows) = packed_lu(a)?;
    let odd = each_vector(&rows, |_, rows| is_odd(rows))?;
    let [of_rows, of_columns] = matrix_axes::<O>();
    // `try_diagonal` appends the diagonal as the last axis.
    let diagonal = lu.try_diagonal(of_rows, of_columns)?;
    let diagonal =
        if O::ROW_MAJOR { diagonal.try_to_owned()? } else { diagonal.reverse_axes().try_to_owned()? };
    each_vector(&diagonal, |j, diagonal| f(diagonal, odd[j]))
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

pub(crate) fn det<T, O, Dev>(a: &StackView<'_, T, O, Dev>) -> Result<Numbers<T, O, Dev>, Error>
where
    T: LinalgElement,
    O: Order,
    Dev: Decompose<T> + Backend<T>,
{
    let determinants = pivots(a, |diagonal, odd| {
        let product = diagonal.iter().fold(T::one(), |product, &x| product * x);
        if odd { -product } else { product }
    })?;
    numbers(determinants, a.device())
}

/// The phase of the determinants, and the logarithm of their magnitudes.
type LogDeterminants<T, O, Dev> = (Numbers<T, O, Dev>, Numbers<<T as Scalar>::Magnitude, O, Dev>);

pub(crate) fn slogdet<T, O, Dev>(a: &StackView<'_, T, O, Dev>) -> Result<LogDeterminants<T, O, Dev>, Error>
where
    T: LinalgElement,
    O: Order,
    Dev: Decompose<T> + Backend<T>,
{
    let mut logarithms = vec![];
    let phases = pivots(a, |diagonal, odd| {
        let mut phase = if odd { -T::one() } else { T::one() };
        let mut logarithm = <T::Magnitude as Zero>::zero();
        for &x in diagonal {
            let magnitude: T::Magnitude = x.modulus().cast_to();
            phase = if x == T::zero() { T::zero() } else { phase * x.unscale(magnitude) };
            logarithm += Float::ln(magnitude);
        }
        logarithms.push(logarithm);
        phase
    })?;
    Ok((numbers(phases, a.device())?, numbers(logarithms, a.device())?))
}

dense! {
    /// Returns the inverse of a matrix, or of each matrix of a batch. To solve linear systems, use [`solve`](Tensor::solve), which is
    /// faster and more accurate.
    ///
    /// # Panics
    /// * If the matrix is not square, or an element is NaN or infinite.
    /// * If the matrix is singular, which means that a pivot is exactly 0.
    /// * If an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[2.0, 0.0], [1.0, 0.5]].inv(), tensor![[0.5, 0.0], [-1.0, 2.0]]);
    /// ```
    inv, try_inv() -> Tensor<T, D, O, Dev>, Square inv;

    /// Returns the determinant of a matrix, or of each matrix of a batch. A determinant that exceeds the limits of the type is infinite or
    /// 0: see [`slogdet`](Tensor::slogdet).
    ///
    /// # Panics
    /// If the matrix is not square, an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[0.0, 2.0], [3.0, 1.0]].det().item(), -6.0);
    /// ```
    det, try_det() -> Tensor<T, Removed<D, 2>, O, Dev>, Square det;

    /// Returns the sign (for complex numbers, the phase) and the logarithm of the magnitude of the determinant of a matrix, or of each
    /// matrix of a batch. The determinant is `sign · exp(logarithm)`. For a singular matrix, the sign is 0 and the logarithm −∞.
    ///
    /// # Panics
    /// If the matrix is not square, an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let (sign, logarithm) = (Tensor::<f64, _>::eye(1000) * -10.0).slogdet();
    /// assert_eq!(sign.item(), 1.0);
    /// assert!((logarithm.item() - 1000.0 * 10f64.ln()).abs() < 1e-9);
    /// ```
    slogdet, try_slogdet()
        -> (Tensor<T, Removed<D, 2>, O, Dev>, Tensor<T::Magnitude, Removed<D, 2>, O, Dev>), Square slogdet;

    /// Returns the power of a matrix, or of each matrix of a batch, with an integer exponent. A negative exponent takes the power of the
    /// [inverse](Tensor::inv).
    ///
    /// # Panics
    /// * If the matrix is not square, or an allocation fails.
    /// * If the exponent is negative, and the matrix is singular or has an element that is NaN or infinite.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[1.0, 1.0], [0.0, 1.0]];
    /// assert_eq!(a.matrix_power(5), tensor![[1.0, 5.0], [0.0, 1.0]]);
    /// assert_eq!(a.matrix_power(-2), tensor![[1.0, -2.0], [0.0, 1.0]]);
    /// ```
    matrix_power, try_matrix_power(n: i32) -> Tensor<T, D, O, Dev>, Square matrix_power;
}
