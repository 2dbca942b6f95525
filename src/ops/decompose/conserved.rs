//! Properties of a matrix that its exponential has too, and that rounding errors destroy if the exponential is squared many times.
//!
//! * The exponential of a triangular matrix is triangular. Its diagonal and the diagonal next to it have closed forms: A. H. Al-Mohy and
//!   N. J. Higham, SIAM J. Matrix Anal. Appl. 31, 970 (2009), code fragment 2.1.
//! * A generator of a Markov process has real elements, none of which is negative except on the diagonal, and rows with the sum 0, or
//!   columns with the sum 0. The rows or columns of its exponential have the sum 1.

use crate::device::Backend;
use crate::device::family::decompose::{LinalgElement, Structure};
use crate::element::{CastTo, FloatFunction, Scalar};
use crate::error::Error;
use crate::ops::op::{Add, Div, Mul};
use crate::order::Order;
use crate::rank::Rank;
use crate::tensor::Tensor;
use num_traits::{Float, ToPrimitive, Zero};

pub(super) type Matrix<T, O, Dev> = Tensor<T, Rank<2>, O, Dev>;

/// The properties of a matrix.
pub(super) struct Conserved<T> {
    triangle: Option<LargestTriangle<T>>,
    generator: Option<Generator>,
}

/// A generator of a Markov process.
struct Generator {
    /// The axis along which the elements have the sum 0: 1 if the sums are those of rows.
    axis: usize,
    /// The largest magnitude on the diagonal.
    shift: f64,
}

/// A triangular matrix.
struct LargestTriangle<T> {
    upper: bool,
    diagonal: Vec<T>,
    /// The elements next to the diagonal, in the triangle.
    next: Vec<T>,
}

impl<T: LinalgElement> Conserved<T> {
    /// Examines a matrix of `n` rows and columns. `element` returns an element of given indices.
    pub(super) fn new(n: usize, element: impl Fn(usize, usize) -> T) -> Conserved<T> {
        let is_zero = |upper: bool| {
            (0..n).all(|i| (0..i).all(|j| if upper { element(i, j) } else { element(j, i) } == T::zero()))
        };
        let triangle = [true, false].into_iter().find(|&upper| is_zero(upper)).map(|upper| LargestTriangle {
            upper,
            diagonal: (0..n).map(|i| element(i, i)).collect(),
            next: (1..n).map(|i| if upper { element(i - 1, i) } else { element(i, i - 1) }).collect(),
        });
        let real = |x: T| {
            let re: T::Magnitude = x.re().cast_to();
            re.to_f64().expect("a float converts to `f64`")
        };
        let not_negative =
            |i: usize, j: usize| i == j || element(i, j).im().is_zero() && real(element(i, j)) >= 0.0;
        // The sum of a line may differ from 0 by rounding errors of this size, relative to the element on the diagonal.
        let rounding = n as f64 * <T::Magnitude as Float>::epsilon().to_f64().unwrap_or(0.0) / 2.0;
        let is_generator = |axis: usize| {
            (0..n).all(|i| {
                let line = |j: usize| if axis == 1 { (i, j) } else { (j, i) };
                let off: f64 = (0..n).filter(|&j| j != i).map(line).map(|(i, j)| real(element(i, j))).sum();
                let diagonal = element(i, i);
                diagonal.im().is_zero() && (off + real(diagonal)).abs() <= rounding * real(diagonal).abs()
            })
        };
        let possible = n > 1 && (0..n).all(|i| (0..n).all(|j| not_negative(i, j)));
        let shift = (0..n).map(|i| -real(element(i, i))).fold(0.0, f64::max);
        let axis = [1, 0].into_iter().find(|&axis| possible && is_generator(axis));
        Conserved { triangle, generator: axis.map(|axis| Generator { axis, shift }) }
    }

    /// Returns the number that makes all elements of a generator non-negative if it is added to its diagonal. Returns `None` if the matrix
    /// is not a generator.
    pub(super) fn generator_shift(&self) -> Option<f64> {
        self.generator.as_ref().map(|generator| generator.shift)
    }

    /// Returns the structure of the matrix, and of its powers.
    pub(super) fn structure(&self) -> Structure {
        match &self.triangle {
            None => Structure::General,
            Some(LargestTriangle { upper: true, .. }) => Structure::Upper { unit: false },
            Some(LargestTriangle { upper: false, .. }) => Structure::Lower { unit: false },
        }
    }

    /// Corrects an approximation of the exponential of the matrix divided by `2^halvings`.
    pub(super) fn restore<O, Dev>(&self, x: &mut Matrix<T, O, Dev>, halvings: i32) -> Result<(), Error>
    where
        O: Order,
        Dev: Backend<T>,
    {
        if let Some(Generator { axis, .. }) = self.generator {
            let sums = x.try_sum_axis(axis)?;
            x.try_apply2_inplace(Div, &sums.try_insert_axis(axis)?)?;
        }
        let Some(LargestTriangle { upper, diagonal, next }) = &self.triangle else { return Ok(()) };
        let factor = T::from_f64(0.5f64.powi(halvings));
        let diagonal: Vec<T> = diagonal.iter().map(|&x| x * factor).collect();
        let differences = diagonal.windows(2).zip(next);
        let next = differences.map(|(pair, &x)| of_pair(pair[0], pair[1], x * factor)).collect();
        set_diagonal(x, [0, 0], diagonal.iter().map(|x| x.function(FloatFunction::Exp)).collect())?;
        set_diagonal(x, if *upper { [0, 1] } else { [1, 0] }, next)
    }
}

/// Writes the elements to the diagonal that begins at the indices `from`.
fn set_diagonal<T: LinalgElement, O: Order, Dev: Backend<T>>(
    x: &mut Matrix<T, O, Dev>,
    from: [usize; 2],
    elements: Vec<T>,
) -> Result<(), Error> {
    let len = elements.len();
    if len == 0 {
        return Ok(());
    }
    let elements = Tensor::<T, Rank<1>, O, Dev>::try_from_vec_in([len], elements, x.device())?;
    let [i, j] = from;
    let part = x.layout().range(0, i..i + len).range(1, j..j + len).diagonal("expm", 0, 1)?;
    let (to, device) = x.output_in(&part);
    device.copy(to, elements.operand())
}

/// Returns the element off the diagonal of the exponential of `[[x, t], [0, y]]`: `t · (exp(y) − exp(x)) / (y − x)`.
fn of_pair<T: LinalgElement>(x: T, y: T, t: T) -> T {
    let re = |x: T| -> T::Magnitude { x.re().cast_to() };
    let (x, y) = if re(x) < re(y) { (y, x) } else { (x, y) };
    // One factor `exp(x)` could be 0 although the product with a large `t` is not.
    let root = (x * T::from_f64(0.5)).function(FloatFunction::Exp);
    root * (t * mean_of_exponential(y - x)) * root
}

/// Returns `(exp(z) − 1) / z`, the mean of the exponential from 0 to `z`. The real part of `z` must not be positive.
fn mean_of_exponential<T: LinalgElement>(z: T) -> T {
    if z == T::zero() {
        return T::one();
    }
    let (x, y): (T::Magnitude, T::Magnitude) = (z.re().cast_to(), z.im().cast_to());
    let (two, sine) = (<T::Magnitude as Scalar>::from_f64(2.0), Float::sin(y));
    let of_half = Float::sin(y / two);
    let re = Float::exp_m1(x) * Float::cos(y) - two * of_half * of_half;
    let im = Float::exp(x) * sine;
    T::from_complex(T::complex(re, im)) / z
}

/// Returns a multiple of the exponential of a generator, by its Taylor polynomial of degree 16.
///
/// `shift` is added to the diagonal, and must make all its elements non-negative. It is at most 1/2, and is the norm of the shifted matrix,
/// so the first term that is left out is at most 0.5¹⁷ / 17!, about 2e-20. No term is negative, so no element loses digits by
/// cancellation, and small rates keep their relative precision next to large ones.
pub(super) fn of_small_generator<T: LinalgElement, O: Order, Dev: Backend<T>>(
    a: &Matrix<T, O, Dev>,
    shift: T,
) -> Result<Matrix<T, O, Dev>, Error> {
    let identity = Matrix::<T, O, Dev>::try_eye_in(a.shape()[0], a.device())?;
    let first = a.try_apply2(Add, &identity.try_apply2(Mul, shift)?)?;
    let second = first.try_matmul(&first)?;
    let powers = [identity, first.try_clone()?, second.try_clone()?, second.try_matmul(&first)?];
    let fourth = second.try_matmul(&second)?;
    // The terms of degree 16, 12 to 15, .., 0 to 3, by Horner's scheme in the fourth power.
    let mut factorial = 1.0;
    let coefficients: Vec<f64> = (1..=17)
        .map(|k| {
            let coefficient = 1.0 / factorial;
            factorial *= f64::from(k);
            coefficient
        })
        .collect();
    let mut sum = powers[0].try_apply2(Mul, T::from_f64(coefficients[16]))?;
    for block in (0..4).rev() {
        sum = sum.try_matmul(&fourth)?;
        for (k, power) in powers.iter().enumerate() {
            sum = sum.try_apply2(Add, &power.try_apply2(Mul, T::from_f64(coefficients[4 * block + k]))?)?;
        }
    }
    Ok(sum)
}
