//! Linear interpolation between points, computed on the host.

use crate::device::via_host;
use crate::element::RealFloat;
use crate::error::Error;

pub(crate) const INTERPOLATE: &str = "interpolate";

/// The options of an interpolation: the values outside of the positions, or a period.
///
/// ```
/// use vierbein::{Interpolation, tensor};
/// let (xp, fp) = (tensor![0.0, 1.0, 3.0], tensor![0.0, 10.0, 50.0]);
/// let x = tensor![-1.0, 2.0, 9.0];
/// assert_eq!(x.interp_with(&xp, &fp, Interpolation::new().left(-1.0).right(99.0)), tensor![-1.0, 30.0, 99.0]);
/// assert_eq!(x.interp_with(&xp, &fp, Interpolation::new().period(4.0)), tensor![50.0, 30.0, 10.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use = "options do nothing until a method gets them"]
pub struct Interpolation<T> {
    left: Option<T>,
    right: Option<T>,
    period: Option<T>,
}

impl<T> Default for Interpolation<T> {
    fn default() -> Self {
        Interpolation { left: None, right: None, period: None }
    }
}

impl<T> Interpolation<T> {
    /// Returns the default options: outside of the positions, the value is that of the first or of the last point.
    pub fn new() -> Self {
        Interpolation::default()
    }
    /// Sets the value below the first position.
    pub fn left(self, value: T) -> Self {
        Interpolation { left: Some(value), ..self }
    }
    /// Sets the value above the last position.
    pub fn right(self, value: T) -> Self {
        Interpolation { right: Some(value), ..self }
    }
    /// Sets the period of the function. Positions and elements are taken modulo the period, so the positions need not be in ascending order,
    /// and the values [`left`](Interpolation::left) and [`right`](Interpolation::right) are not used. The sign of the period is ignored.
    pub fn period(self, period: T) -> Self {
        Interpolation { period: Some(period), ..self }
    }
    /// Returns the options with each number converted by `f`.
    pub(crate) fn map<U>(self, f: impl Fn(T) -> U) -> Interpolation<U> {
        Interpolation { left: self.left.map(&f), right: self.right.map(&f), period: self.period.map(&f) }
    }
}

fn error<R>(reason: String) -> Result<R, Error> {
    Err(Error::Argument { op: INTERPOLATE, reason })
}

/// Replaces each element `x` of `values` by `f(x)`, where `f` is the piecewise linear function through the points `(xp[k], fp[k])`.
///
/// # Errors
/// * If `xp` and `fp` differ in length or are empty, or `xp` does not increase strictly or contains NaN.
/// * If the period is zero or not finite, or two positions are equal modulo the period.
pub(crate) fn interpolate<T: RealFloat>(
    values: &mut [T],
    xp: &[T],
    fp: &[T],
    options: Interpolation<T>,
) -> Result<(), Error> {
    if xp.len() != fp.len() {
        return error(format!(
            "there are {} positions and {} values; each point has both",
            xp.len(),
            fp.len()
        ));
    }
    if xp.is_empty() {
        return error("there are no points; give at least one position and value".to_owned());
    }
    match options.period {
        None => through(values, xp, fp, options),
        Some(period) => periodic(values, xp, fp, period.abs()),
    }
}

/// Interpolates a function with a period.
fn periodic<T: RealFloat>(values: &mut [T], xp: &[T], fp: &[T], period: T) -> Result<(), Error> {
    if !(period > T::zero() && period.is_finite()) {
        return error(format!("the period is {period}; give a number that is finite and not zero"));
    }
    if let Some(x) = xp.iter().find(|x| !x.is_finite()) {
        return error(format!("the position {x} has no place in a period; leave the point out"));
    }
    // The remainder is at least zero and less than the period; rounding can make it equal to the period.
    let place = |x: T| {
        let rest = x % period;
        let rest = if rest < T::zero() { rest + period } else { rest };
        if rest == period { T::zero() } else { rest }
    };
    let n = xp.len();
    let mut order: Vec<u64> = via_host::zeros(n)?;
    (0..).zip(&mut order).for_each(|(k, to)| *to = k);
    let places = |k: u64| place(xp[k as usize]);
    order.sort_by(|&a, &b| places(a).partial_cmp(&places(b)).expect("the positions are finite"));
    // Between the last point of the period before and the first point of the period after.
    let (mut x, mut f) = (via_host::zeros::<T>(n + 2)?, via_host::zeros::<T>(n + 2)?);
    for (i, &k) in order.iter().enumerate() {
        (x[i + 1], f[i + 1]) = (places(k), fp[k as usize]);
    }
    (x[0], f[0]) = (x[n] - period, f[n]);
    (x[n + 1], f[n + 1]) = (x[1] + period, f[1]);
    if let Some(pair) = x[1..=n].windows(2).find(|pair| pair[0] == pair[1]) {
        return error(format!(
            "two positions are equal to {} modulo the period {period}; leave one of the points out",
            pair[0]
        ));
    }
    values.iter_mut().for_each(|x| *x = place(*x));
    through(values, &x, &f, Interpolation::default())
}

/// Interpolates between points, of which there must be at least one.
fn through<T: RealFloat>(
    values: &mut [T],
    xp: &[T],
    fp: &[T],
    options: Interpolation<T>,
) -> Result<(), Error> {
    let (first, last) = (options.left.unwrap_or(fp[0]), options.right.unwrap_or(fp[fp.len() - 1]));
    // A comparison with NaN is false, so this rejects NaN too, except as the position of a single point.
    if let Some(k) = xp.windows(2).position(|pair| !matches!(pair, [a, b] if a < b)) {
        return error(format!(
            "positions must increase strictly, but those with indices {k} and {} are {} and {}; sort the points first",
            k + 1,
            xp[k],
            xp[k + 1]
        ));
    }
    if xp[0].is_nan() {
        return error("a position is NaN; leave the point out".to_owned());
    }
    for x in values {
        // The number of positions that are not greater than `x`.
        let k = xp.partition_point(|p| *p <= *x);
        *x = match k {
            _ if x.is_nan() => *x,
            0 => first,
            k if k == xp.len() && *x > xp[k - 1] => last,
            k if k == xp.len() => fp[k - 1],
            k => between(*x, [xp[k - 1], xp[k]], [fp[k - 1], fp[k]]),
        };
    }
    Ok(())
}

/// Returns the value at `x` of the line through two points. `x` is at least `x0` and less than `x1`.
fn between<T: RealFloat>(x: T, [x0, x1]: [T; 2], [f0, f1]: [T; 2]) -> T {
    if x == x0 {
        return f0;
    }
    let slope = (f1 - f0) / (x1 - x0);
    let finite = x0.is_finite() & x1.is_finite() & f0.is_finite() & f1.is_finite();
    if finite & (f0 != f1) & !slope.is_normal() {
        return between_far(x, [x0, x1], [f0, f1]);
    }
    let from_left = slope * (x - x0) + f0;
    if finite & !from_left.is_finite() {
        return between_far(x, [x0, x1], [f0, f1]);
    }
    if !from_left.is_nan() {
        return from_left;
    }
    // With infinite positions or values, the formula can give NaN from the left point and a number from the right one.
    let from_right = slope * (x - x1) + f1;
    if from_right.is_nan() && f0 == f1 { f0 } else { from_right }
}

/// [`between`] for points whose differences, or the slope between them, leave the range of numbers.
#[cold]
fn between_far<T: RealFloat>(x: T, [x0, x1]: [T; 2], [f0, f1]: [T; 2]) -> T {
    let half = T::from_f64(0.5);
    let share = if (x1 - x0).is_finite() {
        (x - x0) / (x1 - x0)
    } else {
        (x * half - x0 * half) / (x1 * half - x0 * half)
    };
    let span = f1 - f0;
    if span.is_finite() { f0 + span * share } else { f0 * (T::one() - share) + f1 * share }
}
