//! The matrix exponential, by the method of A. H. Al-Mohy and N. J. Higham, "A new scaling and squaring algorithm for the matrix
//! exponential", SIAM J. Matrix Anal. Appl. 31, 970 (2009).
//!
//! The exponential of `a / 2^s` is approximated by a Padé approximant `p(a) / p(−a)`, and squared `s` times. The bounds on the backward
//! error contain norms of powers of `a` instead of powers of the norm of `a`. For matrices that are far from normal, these norms are
//! smaller and so is `s`.
//!
//! Parts of the exponential that are known from the structure of the matrix, such as the diagonal of a triangular one, replace the computed
//! ones before and after each squaring (`conserved.rs`). Otherwise the rounding errors of the first approximation would double with each
//! squaring.
//!
//! If the fourth power of an element exceeds the limits of its type, a diagonal similarity makes the elements smaller first. Even for such
//! elements the exponential can be finite: that of `[[0, x], [0, 0]]` is `[[1, x], [0, 1]]`.

use super::balance::{exponents, scaled};
use super::conserved::{Conserved, Matrix, of_small_generator};
use super::stack::{Stack, StackExtents, StackView, dense, each_matrix, stacked};
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Device};
use crate::element::{CastTo, Element};
use crate::error::Error;
use crate::ops::op::{Add, Mul, Sub};
use crate::order::Order;
use crate::rank::{Dim, MatrixStack, Rank};
use crate::storage::Storage;
use crate::tensor::{Tensor, TensorView};
use num_traits::{Float, ToPrimitive};

fn expm<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Stack<T, O, Dev>, Error> {
    each_matrix(a, |a| exponential(&a))
}

/// The degrees of the approximants, and for each degree the largest norm of a matrix for which the backward error is less than the unit
/// roundoff.
const DOUBLE: [(usize, f64); 5] = [
    (3, 1.495585217958292e-2),
    (5, 2.53939833006323e-1),
    (7, 9.504178996162932e-1),
    (9, 2.097847961257068),
    (13, 4.25),
];
const SINGLE: [(usize, f64); 3] = [(3, 4.258730016922831e-1), (5, 1.880152677804762), (7, 3.92572478313866)];

fn exponential<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &TensorView<'_, T, Rank<2>, O, Dev>,
) -> Result<Matrix<T, O, Dev>, Error> {
    let (n, elements) = (a.shape()[0], a.try_to_vec()?);
    if !elements.iter().all(|x| x.all_finite()) {
        return Err(Error::NotFinite { op: "expm", shape: a.shape().to_vec(), matrix: vec![] });
    }
    let conserved = Conserved::new(n, |i, j| elements[if O::ROW_MAJOR { i * n + j } else { j * n + i }]);
    if let Some(shift) = conserved.generator_shift() {
        // The norm of the shifted matrix is `shift`.
        let squarings = squarings_for(2.0 * shift);
        let small = a.try_apply2(Mul, T::from_f64(0.5f64.powi(squarings)))?;
        let result = of_small_generator(&small, T::from_f64(shift * 0.5f64.powi(squarings)))?;
        return squared(result, squarings, &conserved);
    }
    let magnitudes = Magnitudes::new(a)?;
    let limit = <T::Magnitude as Float>::max_value().to_f64().expect("a float converts to `f64`");
    if largest(&magnitudes.elements) <= limit.sqrt().sqrt() {
        return by_squaring(a, &magnitudes, &conserved);
    }
    let exponents = exponents(magnitudes.n, |i, j| magnitudes.element(i, j));
    let small = times_powers(a, |i, j| exponents[j] - exponents[i])?;
    let elements = small.try_to_vec()?;
    let conserved = Conserved::new(n, |i, j| elements[if O::ROW_MAJOR { i * n + j } else { j * n + i }]);
    let result = by_squaring(&small.view(), &Magnitudes::new(&small.view())?, &conserved)?;
    times_powers(&result.view(), |i, j| exponents[i] - exponents[j])
}

/// Multiplies each element `[i, j]` by `2^exponent(i, j)`, on the host.
fn times_powers<T: LinalgElement, O: Order, Dev: Backend<T>>(
    a: &TensorView<'_, T, Rank<2>, O, Dev>,
    exponent: impl Fn(usize, usize) -> i32,
) -> Result<Matrix<T, O, Dev>, Error> {
    let n = a.shape()[0];
    let mut elements = a.try_to_vec()?;
    for (k, x) in elements.iter_mut().enumerate() {
        let (i, j) = if O::ROW_MAJOR { (k / n, k % n) } else { (k % n, k / n) };
        *x = scaled(*x, exponent(i, j));
    }
    Tensor::try_from_vec_in([n, n], elements, a.device())
}

/// Returns the exponential by scaling and squaring.
fn by_squaring<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>>(
    a: &TensorView<'_, T, Rank<2>, O, Dev>,
    magnitudes: &Magnitudes,
    conserved: &Conserved<T>,
) -> Result<Matrix<T, O, Dev>, Error> {
    let unit = <T::Magnitude as Float>::epsilon().to_f64().expect("a float converts to `f64`") / 2.0;
    let levels: &[_] = if unit < 1e-10 { &DOUBLE } else { &SINGLE };
    let mut powers = Powers { a: a.try_to_owned()?, even: vec![] };
    let (&(highest, largest), lower) = levels.split_last().expect("there are approximants");
    for &(degree, bound) in lower {
        let [first, second] = if degree < 7 { [4, 6] } else { [6, 8] };
        let norm = powers.root_of_norm(first)?.max(powers.root_of_norm(second)?);
        if norm <= bound && magnitudes.more_squarings(1.0, degree, unit) == 0 {
            return squared(powers.approximant(degree, conserved)?, 0, conserved);
        }
    }
    let mut norm = powers.root_of_norm(6)?.max(powers.root_of_norm(8)?);
    if highest == 13 {
        norm = norm.min(powers.root_of_norm(8)?.max(powers.root_of_norm(10)?));
    }
    // A power may overflow even if the matrix is finite.
    let norm = if norm.is_finite() { norm } else { magnitudes.norm() };
    let mut squarings = squarings_for(norm / largest);
    squarings += magnitudes.more_squarings(0.5f64.powi(squarings), highest, unit);
    powers.scale(squarings)?;
    squared(powers.approximant(highest, conserved)?, squarings, conserved)
}

/// Squares an approximation of the exponential of a matrix that was divided by `2^squarings`.
fn squared<T: LinalgElement, O: Order, Dev: Backend<T>>(
    mut result: Matrix<T, O, Dev>,
    squarings: i32,
    conserved: &Conserved<T>,
) -> Result<Matrix<T, O, Dev>, Error> {
    conserved.restore(&mut result, squarings)?;
    for halvings in (0..squarings).rev() {
        result = result.try_matmul(&result)?;
        conserved.restore(&mut result, halvings)?;
    }
    Ok(result)
}

/// Returns the least number of halvings that make `ratio` at most 1.
fn squarings_for(ratio: f64) -> i32 {
    if ratio > 1.0 { ratio.log2().ceil() as i32 } else { 0 }
}

/// The even powers of a matrix, which are computed when they are needed.
struct Powers<T: Element, O: Order, Dev: Device> {
    a: Matrix<T, O, Dev>,
    /// The powers 2, 4, 6, ..
    even: Vec<Matrix<T, O, Dev>>,
}

impl<T: LinalgElement, O: Order, Dev: Decompose<T> + Backend<T>> Powers<T, O, Dev> {
    /// Returns an even power.
    fn power(&mut self, exponent: usize) -> Result<&Matrix<T, O, Dev>, Error> {
        while self.even.len() < exponent / 2 {
            let k = self.even.len() + 1;
            let next = match k {
                1 => self.a.try_matmul(&self.a)?,
                _ => self.even[k / 2 - 1].try_matmul(&self.even[k - k / 2 - 1])?,
            };
            self.even.push(next);
        }
        Ok(&self.even[exponent / 2 - 1])
    }

    /// Returns `‖aᵏ‖^(1/k)` for an even exponent `k`.
    fn root_of_norm(&mut self, exponent: usize) -> Result<f64, Error> {
        let norm = Magnitudes::new(&self.power(exponent)?.view())?.norm();
        Ok(norm.powf(1.0 / exponent as f64))
    }

    /// Divides the matrix by a power of two.
    fn scale(&mut self, halvings: i32) -> Result<(), Error> {
        if halvings > 0 {
            self.a = self.a.try_apply2(Mul, T::from_f64(0.5f64.powi(halvings)))?;
            // Powers that have overflowed cannot be scaled, so all powers are computed again when they are needed.
            self.even.clear();
        }
        Ok(())
    }

    /// Returns the Padé approximant of this degree.
    fn approximant(&mut self, degree: usize, conserved: &Conserved<T>) -> Result<Matrix<T, O, Dev>, Error> {
        let coefficients = coefficients(degree);
        let n = self.a.shape()[0];
        let identity = Matrix::<T, O, Dev>::try_eye_in(n, self.a.device())?;
        let combine = |this: &mut Self, terms: &[(usize, f64)]| -> Result<Matrix<T, O, Dev>, Error> {
            let mut sum = Matrix::<T, O, Dev>::try_zeros_in([n, n], this.a.device())?;
            for &(exponent, coefficient) in terms {
                let coefficient = T::from_f64(coefficient);
                let term = match exponent {
                    0 => identity.try_apply2(Mul, coefficient)?,
                    _ => this.power(exponent)?.try_apply2(Mul, coefficient)?,
                };
                sum = sum.try_apply2(Add, &term)?;
            }
            Ok(sum)
        };
        let c = |k: usize| coefficients[k];
        let (odd, even) = if degree == 13 {
            // Factors the sixth power out of the high powers: two matrix products instead of three for the powers 8, 10 and 12.
            let high = combine(self, &[(6, c(13)), (4, c(11)), (2, c(9))])?;
            let low = combine(self, &[(6, c(7)), (4, c(5)), (2, c(3)), (0, c(1))])?;
            let odd = self.power(6)?.try_matmul(&high)?.try_apply2(Add, &low)?;
            let high = combine(self, &[(6, c(12)), (4, c(10)), (2, c(8))])?;
            let low = combine(self, &[(6, c(6)), (4, c(4)), (2, c(2)), (0, c(0))])?;
            (odd, self.power(6)?.try_matmul(&high)?.try_apply2(Add, &low)?)
        } else {
            let terms =
                |first: usize| (first..=degree).step_by(2).map(|k| (k - first, c(k))).collect::<Vec<_>>();
            (combine(self, &terms(1))?, combine(self, &terms(0))?)
        };
        let odd = self.a.try_matmul(&odd)?;
        let (numerator, denominator) = (even.try_apply2(Add, &odd)?, even.try_apply2(Sub, &odd)?);
        denominator.solved("expm", conserved.structure(), numerator.view())
    }
}

/// Returns the coefficients of the numerator of the Padé approximant of this degree, as integers. For degree `m`, the coefficient of `xᵏ`
/// is `(2m − k)! · m! / ((m − k)! · k!)`, divided by the common factor `m!`.
fn coefficients(degree: usize) -> Vec<f64> {
    let falling = |from: usize, to: usize| ((to + 1)..=from).map(|x| x as f64).product::<f64>();
    (0..=degree).map(|k| falling(2 * degree - k, degree - k) / falling(k, 0)).collect()
}

/// The magnitudes of the elements of a matrix, on the host.
struct Magnitudes {
    n: usize,
    /// The magnitudes, row by row if `row_major`, otherwise column by column.
    elements: Vec<f64>,
    row_major: bool,
}

impl Magnitudes {
    fn new<T: LinalgElement, O: Order, Dev: Backend<T>>(
        a: &TensorView<'_, T, Rank<2>, O, Dev>,
    ) -> Result<Magnitudes, Error> {
        let magnitude =
            |x: &T| CastTo::<T::Magnitude>::cast_to(x.modulus()).to_f64().expect("a float converts to `f64`");
        let elements = a.try_to_vec()?.iter().map(magnitude).collect();
        Ok(Magnitudes { n: a.shape()[0], elements, row_major: O::ROW_MAJOR })
    }

    /// Returns the magnitude of an element.
    fn element(&self, i: usize, j: usize) -> f64 {
        self.elements[if self.row_major { i * self.n + j } else { j * self.n + i }]
    }

    /// Returns the row vector `x` times the matrix. If `x` consists of ones, these are the sums over each column.
    fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.n];
        for first in 0..self.n {
            let line = &self.elements[first * self.n..(first + 1) * self.n];
            if self.row_major {
                y.iter_mut().zip(line).for_each(|(y, a)| *y += x[first] * a);
            } else {
                y[first] = line.iter().zip(x).map(|(a, x)| a * x).sum();
            }
        }
        y
    }

    /// Returns the 1-norm of the matrix: the largest sum over a column. It is NaN if an element is NaN.
    fn norm(&self) -> f64 {
        largest(&self.times(&vec![1.0; self.n]))
    }

    /// Returns how many more squarings the approximant of this degree needs for the matrix times `scale`. This is the function `ℓₘ` of
    /// Al-Mohy and Higham. It estimates the backward error of the approximant from the magnitudes of the elements, so that terms of
    /// opposite sign do not cancel in the estimate.
    fn more_squarings(&self, scale: f64, degree: usize, unit: f64) -> i32 {
        let norm = self.norm() * scale;
        if norm == 0.0 {
            return 0;
        }
        // The sums over the columns of the power 2 · degree + 1 of the matrix of magnitudes. The largest sum is the 1-norm of this power,
        // because no element is negative.
        let mut sums = vec![1.0; self.n];
        for _ in 0..2 * degree + 1 {
            sums = self.times(&sums).iter().map(|x| x * scale).collect();
        }
        // The ratio contains the factor 1 / (B · (2m + 1)!), where m is the degree and B = (2m)! / (m!)².
        let product = |from: usize, to: usize| (from..=to).map(|x| x as f64).product::<f64>();
        let binomial = product(degree + 1, 2 * degree) / product(1, degree);
        let ratio = largest(&sums) / (norm * binomial * product(1, 2 * degree + 1) * unit);
        if ratio > 1.0 && ratio.is_finite() { (ratio.log2() / (2 * degree) as f64).ceil() as i32 } else { 0 }
    }
}

/// Returns the largest of the numbers and 0, or NaN if one of them is NaN.
fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest: f64, &x| if x > largest || x.is_nan() { x } else { largest })
}

dense! {
    /// Returns the exponential of a square matrix, or of each matrix of a batch: `1 + a + a²/2 + ..`, by a Padé approximant, scaling and
    /// squaring (Al-Mohy and Higham, 2009). For Hermitian matrices, [`hermitian_map`](Tensor::hermitian_map) computes any function.
    ///
    /// Elements of the result that exceed the limits of their type are infinite or NaN. Elements of the matrix can be near these limits, as
    /// in `[[0, 1e300], [0, 0]]`, whose exponential is `[[1, 1e300], [0, 1]]`.
    ///
    /// Rates of very different sizes keep their precision in two cases. If the matrix is triangular, the diagonal of the result and the one
    /// next to it are computed directly. If the matrix is the generator of a Markov process, with rows (or columns) whose sum is 0 except
    /// for rounding errors and whose elements off the diagonal are not negative, the rows (or columns) of the result have the sum 1.
    ///
    /// # Errors
    /// If the matrix is not square, an element is NaN or infinite, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let rotation = tensor![[0.0, -1.0], [1.0, 0.0]] * std::f64::consts::FRAC_PI_2;
    /// assert!(rotation.expm().all_close(&tensor![[0.0, -1.0], [1.0, 0.0]], 1e-14, 1e-14));
    /// let shear = tensor![[0.0, 3.0], [0.0, 0.0]];
    /// assert!(shear.expm().all_close(&tensor![[1.0, 3.0], [0.0, 1.0]], 1e-14, 1e-14));
    /// let fast_and_slow = tensor![[-1.0, 0.0], [1.0, -1e10]];
    /// assert_eq!(fast_and_slow.expm()[[0, 0]], (-1f64).exp());
    /// ```
    expm() -> Tensor<T, D, O, Dev>, Square expm;
}
