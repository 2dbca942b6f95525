//! Roots of polynomials, and polynomials that fit points.

use super::balance::{Scaled, exponent, exponents, scaled};
use crate::device::family::decompose::LinalgElement;
use crate::device::{Copy, Device};
use crate::element::{CastTo, Element};
use crate::engine::same_instance;
use crate::error::{Error, fallible};
use crate::order::Order;
use crate::rank::{HasRank, Rank, RemoveAxes, check_has_rank};
use crate::storage::Storage;
use crate::tensor::{AsView, Tensor};
use num_traits::{ToPrimitive, Zero};

/// Returns the roots of the polynomial with these coefficients, highest power first.
pub(crate) fn roots<T: LinalgElement>(coefficients: &[T]) -> Result<Vec<T::Complex>, Error> {
    const OP: &str = "roots";
    if !coefficients.iter().all(|x| x.all_finite()) {
        let reason = "a coefficient is NaN or infinite; find it with `.is_finite()`".into();
        return Err(Error::Argument { op: OP, reason });
    }
    let is_zero = |x: &&T| **x == T::zero();
    let leading = coefficients.iter().take_while(is_zero).count();
    // A root at 0 for each of these, unless all coefficients are 0.
    let trailing = coefficients[leading..].iter().rev().take_while(is_zero).count();
    let coefficients = &coefficients[leading..coefficients.len() - trailing];
    let n = coefficients.len().saturating_sub(1);
    let mut roots = Vec::with_capacity(n + trailing);
    if n > 0 {
        // With x = 2^unit · y, the product of the roots y has a modulus of about 1, so no coefficient of y is near the limits of its type
        // only because of the unit of x.
        let unit = (exponent(coefficients[n]) - exponent(coefficients[0])).div_euclid(n as i32);
        let first = Scaled::new(coefficients[0], 0);
        let quotient = |k: usize| {
            let x = Scaled::new(coefficients[k], 0);
            let power = x.exponent - first.exponent - unit * k as i32;
            Scaled::new(-x.mantissa / first.mantissa, power).value()
        };
        let companion = |i: usize, j: usize| match (i, j) {
            (0, _) => quotient(j + 1),
            _ if i == j + 1 => T::one(),
            _ => T::zero(),
        };
        let matrix = Tensor::<T, Rank<2>>::try_from_fn([n, n], |[i, j]| companion(i, j))?;
        let size = |x: T| CastTo::<T::Magnitude>::cast_to(x.modulus()).to_f64().unwrap_or(f64::NAN);
        let d = exponents(n, |i, j| size(matrix[[i, j]]));
        let balanced =
            Tensor::<T, Rank<2>>::try_from_fn([n, n], |[i, j]| scaled(matrix[[i, j]], d[j] - d[i]))?;
        let values = balanced.try_eigvals().map_err(|error| match error {
            Error::NotFinite { .. } => {
                let reason =
                    "the quotient of a coefficient and the first one exceeds the range of its type".into();
                Error::Argument { op: OP, reason }
            }
            other => other,
        })?;
        roots.extend(values.iter().map(|&y| scaled(y, unit)));
    }
    roots.resize(n + trailing, T::Complex::zero());
    Ok(roots)
}

/// Values at points: the elements of a tensor, in its memory order. Axis 0 numbers the points; the other axes are columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Columns<'a, T> {
    pub(crate) elements: &'a [T],
    pub(crate) shape: &'a [usize],
    pub(crate) row_major: bool,
}

impl<T> Columns<'_, T> {
    /// Returns the number of columns.
    fn count(&self) -> usize {
        self.shape[1..].iter().product()
    }

    /// Returns the index of an element among those of a tensor with `rows` rows and the columns of this one.
    fn index(&self, rows: usize, [row, column]: [usize; 2]) -> usize {
        if self.row_major { row * self.count() + column } else { row + rows * column }
    }
}

/// Returns the coefficients, highest power first, of the polynomials of this degree for which the sum of the squares of the differences from
/// the columns of `y` at `x` is least. The coefficients of a column are a column of the result.
pub(crate) fn polyfit<T: LinalgElement>(x: &[T], y: Columns<'_, T>, degree: usize) -> Result<Vec<T>, Error> {
    const OP: &str = "polyfit";
    let argument = |reason: String| Err(Error::Argument { op: OP, reason });
    if x.len() != y.shape[0] || x.is_empty() {
        let rows = if y.shape.len() == 1 { "" } else { " rows" };
        return argument(format!(
            "`x` has {} elements and `y` has {}{rows}; pass at least one point, and as many elements of `x` as{rows} of `y`",
            x.len(),
            y.shape[0]
        ));
    }
    if !x.iter().chain(y.elements).all(|x| x.all_finite()) {
        return argument("an element of `x` or `y` is NaN or infinite; find it with `.is_finite()`".into());
    }
    // In this unit, the largest element of `x` is about 1, so its powers are in range.
    let unit = x.iter().filter(|&&x| x != T::zero()).map(|&x| exponent(x)).max().unwrap_or(0);
    let (points, columns) = (x.len(), degree.saturating_add(1));
    let mut matrix = Tensor::<T, Rank<2>>::try_from_fn([points, columns], |_| T::one())?;
    for (i, &x) in x.iter().enumerate() {
        let x = scaled(x, -unit);
        for j in (0..degree).rev() {
            matrix[[i, j]] = matrix[[i, j + 1]] * x;
        }
    }
    // Columns of norm 1 make small singular values comparable, as in NumPy.
    let norms = matrix.try_norm_axis(0)?;
    let divisors: Vec<T> = norms
        .iter()
        .map(|&norm| if norm > T::Magnitude::zero() { T::from_magnitude(norm) } else { T::one() })
        .collect();
    let divided =
        Tensor::<T, Rank<2>>::try_from_fn([points, columns], |[i, j]| matrix[[i, j]] / divisors[j])?;
    let values =
        Tensor::<T, Rank<2>>::try_from_fn([points, y.count()], |at| y.elements[y.index(points, at)])?;
    let solution = divided.try_lstsq(&values)?;
    let mut coefficients = vec![T::zero(); solution.len()];
    for (j, &divisor) in divisors.iter().enumerate() {
        let power = (degree - j).min(i32::MAX as usize) as i32;
        for k in 0..y.count() {
            coefficients[y.index(columns, [j, k])] =
                scaled(solution[[j, k]] / divisor, unit.saturating_mul(-power));
        }
    }
    Ok(coefficients)
}

impl<T: Element, D: HasRank<1>, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the roots of the polynomial whose coefficients are `self`, highest power first. They are complex, also those of a polynomial
    /// with real coefficients. Their order is not specified; a multiple root occurs several times.
    ///
    /// The roots are the eigenvalues of the companion matrix, after a diagonal scaling: see A. Edelman and H. Murakami, Math. Comp. 64, 763
    /// (1995). They are computed on the host. Leading coefficients that are 0 are ignored, and a polynomial that is zero everywhere has no
    /// roots, as in NumPy.
    ///
    /// # Errors
    /// * If a coefficient is NaN or infinite, or its quotient by the first coefficient exceeds the limits of its type.
    /// * If the iteration does not converge, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Complex, tensor};
    /// // x² − 3 x + 2
    /// let mut roots = tensor![1.0, -3.0, 2.0].roots().re().to_vec();
    /// roots.sort_by(f64::total_cmp);
    /// assert!((roots[0] - 1.0).abs() < 1e-14 && (roots[1] - 2.0).abs() < 1e-14);
    /// assert_eq!(tensor![1.0, 0.0, 4.0].roots().im().abs(), tensor![2.0, 2.0]);
    /// ```
    #[fallible]
    pub fn roots(&self) -> Tensor<T::Complex, Rank<1>, O, Dev>
    where
        T: LinalgElement,
        Dev: Copy<T>,
    {
        check_has_rank::<1>("find the roots of a polynomial", self.shape().as_ref())?;
        let found = roots(&self.try_to_vec()?)?;
        Tensor::try_from_vec_in([found.len()], found, self.device())
    }

    /// Returns the coefficients, highest power first, of the polynomial of this degree that fits the points best: the sum of the squares of
    /// its differences from `y` at the positions `self` is least. [`polyval`](Tensor::polyval) evaluates it.
    ///
    /// If `y` is a matrix, each of its columns has a polynomial, whose coefficients are a column of the result. More generally, axis 0 of `y`
    /// numbers the points, and axis 0 of the result the coefficients; the other axes of both are the same.
    ///
    /// The system is solved by [`lstsq`](Tensor::lstsq), with columns scaled to norm 1, as in NumPy, on the host. If the points do not
    /// determine the polynomial, the result is one of those that fit best.
    ///
    /// # Errors
    /// * If there are no points, axis 0 of `y` has another extent than `self`, or an element is NaN or infinite.
    /// * If the iteration for singular values does not converge, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![0.0, 1.0, 2.0, 3.0];
    /// let y = tensor![1.0, 3.0, 7.0, 13.0];
    /// // x² + x + 1
    /// assert!(x.polyfit(&y, 2).all_close(&tensor![1.0, 1.0, 1.0], 1e-13, 1e-13));
    /// // The lines 2 x + 1 and 5 − x.
    /// let lines = tensor![[1.0, 5.0], [3.0, 4.0], [5.0, 3.0], [7.0, 2.0]];
    /// assert!(x.polyfit(&lines, 1).all_close(&tensor![[2.0, -1.0], [1.0, 5.0]], 1e-13, 1e-13));
    /// ```
    #[fallible]
    pub fn polyfit<Y>(&self, y: Y, degree: usize) -> Tensor<T, Y::Dim, O, Dev>
    where
        T: LinalgElement,
        Dev: Copy<T>,
        Y: AsView<Element = T, Dim: RemoveAxes<1>, Order = O, Device = Dev>,
    {
        check_has_rank::<1>("polyfit", self.shape().as_ref())?;
        let y = y.as_view();
        y.axes().check_axis("polyfit", 0)?;
        same_instance("polyfit", self.device(), y.device())?;
        let (mut shape, elements) = (y.shape(), y.try_to_vec()?);
        let columns = Columns { elements: &elements, shape: shape.as_ref(), row_major: O::ROW_MAJOR };
        let found = polyfit(&self.try_to_vec()?, columns, degree)?;
        shape.as_mut()[0] = degree.saturating_add(1);
        Tensor::try_from_vec_in(shape, found, self.device())
    }
}
