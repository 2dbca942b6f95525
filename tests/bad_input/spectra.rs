//! Naive reference implementations of Fourier transforms, by the definition. The bad-input tables of typed and of dynamic tensors use
//! them.

use super::array::{Array, Outcome, allocated, check_axes, indices, reject};
use super::driver::Hazard::{self, NotFinite};
use super::hazards::one;
use super::operand::Operand;
use std::f64::consts::PI;
use vierbein::Complex;

/// Returns the imaginary part of an element with real part `re`. The rows of the bad-input table use this function to create complex
/// operands of `irfft` from real operands.
pub(crate) fn imaginary(re: f64) -> f64 {
    re * re - 1.0
}

/// The kind of a transform, and its length along the last of its axes. `None` stands for the extent of the operand.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Forward(Option<usize>),
    Inverse(Option<usize>),
    FromReal(Option<usize>),
    ToReal(usize),
}

/// Returns the operands for a hazard (a kind of bad input). For `NotFinite`, only the elements with flat indices 2 and 5 are not finite.
/// For the other hazards, the operands are those of [`one`].
pub(crate) fn spectral(hazard: Hazard) -> Vec<Vec<Operand>> {
    let value = |k: usize| match k {
        2 => f64::NAN,
        5 => f64::INFINITY,
        _ => k as f64 - 1.5,
    };
    match hazard {
        NotFinite => vec![vec![Operand::of(&[4], value)], vec![Operand::of(&[4, 3], value)]],
        _ => one(hazard),
    }
}

/// Variant of [`spectral`] without operands that are too large to copy.
pub(crate) fn countable_spectral(hazard: Hazard) -> Vec<Vec<Operand>> {
    spectral(hazard).into_iter().filter(|x| !x[0].is_huge()).collect()
}

/// Returns the convolution along axis 0 with the kernel [2, 2], as Fourier transforms compute it: if an element is not finite, all results
/// at its indices of the other axes are NaN.
pub(crate) fn summed_pairs(x: &Array) -> Outcome {
    if x.shape.contains(&0) {
        return reject("Argument");
    }
    let mut shape = x.shape.clone();
    shape[0] = shape[0].saturating_add(1);
    allocated(&shape, 8)?;
    Ok(Array::from_fn(&shape, |index| {
        let at = |k: usize| {
            let mut index = index.to_vec();
            index[0] = k;
            x.at(&index)
        };
        if (0..x.shape[0]).any(|k| !at(k).is_finite()) {
            return f64::NAN;
        }
        let (k, n) = (index[0], x.shape[0]);
        2.0 * (if k < n { at(k) } else { 0.0 } + if k > 0 { at(k - 1) } else { 0.0 })
    }))
}

/// Returns the real and imaginary parts of a result for comparison. If a part of an element is not finite, both parts are replaced by NaN.
/// Otherwise 1000 is added to each part. The rounding errors of a transform are relative to the largest of the elements that are
/// transformed together, but [`Array::is`] compares relative to each element. Without the 1000, small elements would differ by more than
/// the tolerance of [`Array::is`].
pub(crate) fn parts(re: &Array, im: &Array) -> Array {
    let settled = |x: &Array, y: &Array| {
        let data = x.data.iter().zip(&y.data);
        let data = data.map(|(x, y)| if x.is_finite() && y.is_finite() { x + 1e3 } else { f64::NAN });
        Array { data: data.collect(), ..x.clone() }
    };
    settled(re, im).and(&settled(im, re))
}

/// Variant of [`parts`] for a real result.
pub(crate) fn real_parts(x: &Array) -> Array {
    parts(x, &Array { data: vec![0.0; x.data.len()], ..x.clone() })
}

/// A complex array. Its elements are in row-major order.
struct Waves {
    shape: Vec<usize>,
    data: Vec<Complex<f64>>,
}

impl Waves {
    /// Replaces each line, the elements along `axis` at one index of the other axes, by `extent` elements. `line(x, k)` returns element `k`
    /// of the replacement for the line `x`.
    fn along(
        &self,
        axis: usize,
        extent: usize,
        line: impl Fn(&[Complex<f64>], usize) -> Complex<f64>,
    ) -> Waves {
        let mut shape = self.shape.clone();
        shape[axis] = extent;
        let element = |index: &Vec<usize>| {
            let at = |k: usize| {
                let place = index.iter().enumerate().map(|(a, &i)| if a == axis { k } else { i });
                self.data[place.zip(&self.shape).fold(0, |at, (i, &n)| at * n + i)]
            };
            line(&(0..self.shape[axis]).map(at).collect::<Vec<_>>(), index[axis])
        };
        Waves { data: indices(&shape).iter().map(element).collect(), shape }
    }
}

/// Returns `Σ xⱼ · exp(sign · 2πi·jk/n)` over the elements of the line.
fn sum(line: &[Complex<f64>], n: usize, k: usize, sign: f64) -> Complex<f64> {
    let term =
        |(j, x): (usize, &Complex<f64>)| x * Complex::cis(sign * 2.0 * PI * (j * k % n) as f64 / n as f64);
    line.iter().enumerate().map(term).sum()
}

/// Transforms along `axes`. Along the last of these axes, the transform has the length in `kind`. The result is multiplied by `factor`.
pub(crate) fn transform(x: &Array, kind: Kind, axes: &[usize], factor: f64) -> Outcome {
    check_axes(x.shape.len(), axes)?;
    let (&last, others) = axes.split_last().expect("every row names an axis");
    let n = match kind {
        Kind::Forward(n) | Kind::Inverse(n) | Kind::FromReal(n) => n.unwrap_or(x.shape[last]),
        Kind::ToReal(n) => n,
    };
    if n == 0 || others.iter().any(|&axis| x.shape[axis] == 0) {
        return reject("Argument");
    }
    let mut shape = x.shape.clone();
    let (sign, extent, bytes) = match kind {
        Kind::Forward(_) => (-1.0, n, 16),
        Kind::FromReal(_) => (-1.0, n / 2 + 1, 16),
        Kind::Inverse(_) => (1.0, n, 16),
        Kind::ToReal(_) => (1.0, n, 8),
    };
    shape[last] = extent;
    allocated(&shape, bytes)?;
    let imaginary = |re: f64| if matches!(kind, Kind::ToReal(_)) { imaginary(re) } else { 0.0 };
    // The part of the operand that is read: shorter along the last axis if the transform is shorter than the operand.
    let mut region = x.shape.clone();
    region[last] = region[last].min(if bytes == 8 { n / 2 + 1 } else { n });
    let elements = indices(&region).iter().map(|i| Complex::new(x.at(i), imaginary(x.at(i)))).collect();
    let mut y = Waves { shape: region, data: elements };
    for &axis in others {
        let n = y.shape[axis];
        let scale = if sign > 0.0 { 1.0 / n as f64 } else { 1.0 };
        y = y.along(axis, n, |line, k| sum(line, n, k, sign) * scale);
    }
    y = y.along(last, extent, |line, k| match kind {
        Kind::ToReal(_) => {
            let half = |k: usize| line.get(k).copied().unwrap_or_default();
            // The elements of frequency 0 and, if `n` is even, of frequency n / 2 are real: their imaginary parts are ignored.
            let whole = (0..n).map(|k| match 2 * k {
                0 => Complex::from(half(0).re),
                twice if twice == n => Complex::from(half(k).re),
                twice if twice < n => half(k),
                _ => half(n - k).conj(),
            });
            sum(&whole.collect::<Vec<_>>(), n, k, sign) / n as f64
        }
        Kind::Inverse(_) => sum(line, n, k, sign) / n as f64,
        _ => sum(line, n, k, sign),
    });
    let part = |part: fn(&Complex<f64>) -> f64| Array {
        shape: y.shape.clone(),
        data: y.data.iter().map(|z| part(z) * factor).collect(),
        step: None,
    };
    Ok(match kind {
        Kind::ToReal(_) => real_parts(&part(|z| if z.is_finite() { z.re } else { f64::NAN })),
        _ => parts(&part(|z| z.re), &part(|z| z.im)),
    })
}

/// Rotates along an axis of extent `n`: the element at index 0 moves to index `n / 2`. If `back` is true, undoes this rotation.
pub(crate) fn shift(x: &Array, axis: usize, back: bool) -> Outcome {
    check_axes(x.shape.len(), &[axis])?;
    allocated(&x.shape, 8)?;
    let n = x.shape[axis];
    let by = if back { n / 2 } else { n.div_ceil(2) };
    Ok(Array::from_fn(&x.shape, |index| {
        let mut from = index.to_vec();
        from[axis] = (index[axis] + by) % n;
        x.at(&from)
    }))
}
