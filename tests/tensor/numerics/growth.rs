//! Measures how the rounding errors of reductions grow with the number of elements.
//!
//! A sum by any tree of additions of depth `d` has an error of at most `d · u · Σ|x|`, to first order in the unit roundoff
//! `u = ε/2` (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., 2002, section 4.2). The depth is `n − 1` for a
//! plain loop, `log₂ n` for pairwise summation, and `log₂ n` plus a constant for blocks that are combined pairwise. Errors are in
//! units of `u · Σ|x|`.

use super::data::{Kind, numbers};
use super::exact::Exact;
use crate::random::Random;
use std::collections::BTreeMap;
use vierbein::{ColMajor, Rank, Tensor, c64, s};

type V<T> = Tensor<T, Rank<1>>;

/// The unit roundoff of `f64`.
pub(super) const U: f64 = f64::EPSILON / 2.0;
pub(super) const U32: f64 = f32::EPSILON as f64 / 2.0;

/// Returns the documented error bound of `sum` for `n` elements, in units of `u · Σ|x|`.
pub(super) fn promised(n: usize) -> f64 {
    (n as f64).log2() + 45.0
}

/// The largest errors so far, by operation and number of terms. The units are those of the module documentation.
#[derive(Default)]
pub(super) struct Table {
    errors: BTreeMap<&'static str, BTreeMap<usize, f64>>,
    checks: usize,
}

impl Table {
    /// Records an error of the operation `what` for `n` terms.
    ///
    /// # Panics
    /// If the error exceeds `bound`.
    #[track_caller]
    pub(super) fn note(&mut self, what: &'static str, n: usize, error: f64, bound: f64) {
        assert!(error <= bound, "{what} of {n}: {error} units of rounding, more than {bound}");
        let largest = self.errors.entry(what).or_default().entry(n).or_default();
        *largest = largest.max(error);
        self.checks += 1;
    }

    pub(super) fn of(&self, what: &str, n: usize) -> f64 {
        self.errors[what][&n]
    }

    pub(super) fn print(&self, title: &str) {
        let sizes: std::collections::BTreeSet<_> = self.errors.values().flat_map(|row| row.keys()).collect();
        print!("\n{title}: {} checked, the largest errors in units of rounding\n{:24}", self.checks, "n");
        sizes.iter().for_each(|n| print!("{n:>10}"));
        for (what, row) in &self.errors {
            print!("\n{what:24}");
            for n in &sizes {
                match row.get(n) {
                    Some(error) if *error >= 1000.0 => print!("{error:>10.0}"),
                    Some(error) => print!("{error:>10.3}"),
                    None => print!("{:>10}", ""),
                }
            }
        }
        println!();
    }
}

/// The largest number of elements. Builds without optimisation are slow, so they use fewer; `scripts/check-numerics.sh` runs optimised
/// builds.
const LARGEST: usize = if cfg!(debug_assertions) { 1_000_000 } else { 10_000_000 };

/// Returns pairs of a size and a seed. Sizes are powers of ten; larger sizes have fewer seeds.
fn sizes() -> impl Iterator<Item = (usize, u64)> {
    (1..=LARGEST.ilog10())
        .map(|e| 10usize.pow(e))
        .flat_map(|n| (0..(1000 / n).clamp(1, 20) as u64).map(move |seed| (n, seed)))
}

/// Returns the sum of absolute values, by a plain loop. It is the unit of errors, so its own relative error of at most 1e-9 does not
/// matter.
pub(super) fn absolute(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let mut sum = 0.0;
    for x in numbers {
        sum += x.abs();
    }
    sum
}

fn narrow(values: &[f64]) -> V<f32> {
    values.iter().map(|&x| x as f32).collect::<Vec<_>>().into()
}

/// Returns sums of the elements of a vector, which are copied to or viewed with different layouts. The gaps between strided
/// elements contain NaN, so that a sum that reads them is noticed.
fn sums(x: &V<f64>) -> Vec<(&'static str, f64)> {
    let n = x.len();
    let mut sums = vec![("sum", x.sum().item()), ("sum, backwards", x.slice(s![..;-1]).sum().item())];
    // Each row of the broadcast view is the vector, so the diagonal has the same elements. On 32-bit systems, the view
    // of a long vector would have more elements than a tensor may have.
    if usize::BITS == 64 || n < 10_000 {
        sums.push(("trace", x.broadcast_to([n, n]).trace(0, 1).item()));
        sums.push(("trace, batched", x.broadcast_to([n, 3, n]).trace(0, 2)[[1]]));
    }
    // Sums over both axes of a matrix with these elements.
    let side = 10usize.pow(n.ilog10() / 2);
    let matrix = x.as_shape([n / side, side]);
    sums.push(("sum, row-major", matrix.sum().item()));
    sums.push(("sum, transposed", matrix.t().sum().item()));
    if n == LARGEST {
        return sums;
    }
    sums.push(("sum, column-major", matrix.to_order::<ColMajor>().sum().item()));
    for gap in [2, 9] {
        let mut apart = Tensor::<f64, Rank<2>>::full([n, gap], f64::NAN);
        apart.slice_mut(s![.., 1]).assign(x);
        sums.push(("sum, strided", apart.slice(s![.., 1]).sum().item()));
    }
    let columns = x.insert_axis(1).broadcast_to([n, 3]).to_owned();
    sums.push(("sum, first axis", columns.sum_axis(0)[[2]]));
    sums.push(("sum, last axis", columns.t().to_owned().sum_axis(1)[[1]]));
    sums.push(("sum, middle axis", columns.broadcast_to([2, n, 3]).to_owned().sum_axis(1)[[1, 1]]));
    sums.push((
        "sum, two axes",
        matrix.insert_axis(1).broadcast_to([n / side, 2, side]).to_owned().sum_axes([0, 2])[[1]],
    ));
    if n <= 1000 {
        let mut square = Tensor::<f64, Rank<2>>::full([n, n], f64::NAN);
        (0..n).for_each(|i| square[[i, i]] = x[[i]]);
        sums.push(("trace", square.trace(0, 1).item()));
    }
    sums
}

#[test]
fn sums_grow_with_the_logarithm() {
    let mut table = Table::default();
    for (n, seed) in sizes() {
        for kind in Kind::ALL {
            // The largest size takes seconds. It is tested only with the kind of numbers that is worst for a plain loop.
            if n == LARGEST && kind != Kind::Same {
                continue;
            }
            let values = numbers(kind, n, 53, seed);
            let (exact, sizes) = (Exact::sum(values.iter().copied()), absolute(values.iter().copied()));
            let x = V::<f64>::from(values);
            for (what, sum) in sums(&x) {
                table.note(what, n, exact.distance(sum) / (U * sizes), promised(n));
            }
            let looped = x.as_slice().iter().fold(0.0, |sum, x| sum + x);
            table.note("a plain loop", n, exact.distance(looped) / (U * sizes), n as f64);
            // A mean has the rounding errors of the sum and of a division.
            let mut apart = exact.clone();
            apart.add_product(x.mean().item(), -(n as f64));
            table.note("mean", n, apart.distance(0.0) / (U * sizes), promised(n) + 2.0);
            // The real and the imaginary part of a sum of complex numbers are sums of real numbers.
            let z = x.map(|x| c64::new(-x, x));
            let sum = z.sum().item();
            table.note("sum of c64", n, exact.distance(sum.im) / (U * sizes), promised(n));
            assert_eq!(sum.re, -sum.im);
            // A cumulative sum adds the elements in order, as a plain loop does, so the bits are equal.
            if n < LARGEST {
                assert_eq!(x.cumsum(0)[[n - 1]], looped);
            }

            let values = numbers(kind, n, 24, seed);
            let (exact, sizes) = (Exact::sum(values.iter().copied()), absolute(values.iter().copied()));
            let x = narrow(&values);
            table.note("sum of f32", n, exact.distance(x.sum().item().into()) / (U32 * sizes), promised(n));
            let columns = x.insert_axis(1).broadcast_to([n, 2]).to_owned().sum_axis(0)[[1]];
            table.note(
                "sum of f32, first axis",
                n,
                exact.distance(columns.into()) / (U32 * sizes),
                promised(n),
            );
            let looped = x.as_slice().iter().fold(0.0, |sum, x| sum + x);
            table.note("a plain loop of f32", n, exact.distance(looped.into()) / (U32 * sizes), n as f64);
        }
    }
    table.print("sums");
    for n in [LARGEST / 10, LARGEST] {
        for (what, plain) in [("sum", "a plain loop"), ("sum of f32", "a plain loop of f32")] {
            assert!(10.0 * table.of(what, n) < table.of(plain, n), "{what} of {n} is no better than a loop");
        }
    }
}

#[test]
fn norms_and_dot_products_grow_with_the_logarithm() {
    let mut table = Table::default();
    for (n, seed) in sizes() {
        for kinds in [(Kind::OneSign, Kind::Mixed), (Kind::Same, Kind::Same)] {
            if n < LARGEST || kinds.0 == Kind::Same {
                products(&mut table, numbers(kinds.0, n, 53, seed), numbers(kinds.1, n, 53, !seed));
            }
        }
    }
    table.print("dot products and norms");
    for (what, plain) in [("dot", "a plain loop"), ("norm", "a plain loop's norm")] {
        assert!(10.0 * table.of(what, LARGEST) < table.of(plain, LARGEST), "{what} is no better than a loop");
    }
}

/// Records the errors of the dot product of two vectors, and of the norm of the second one.
fn products(table: &mut Table, left: Vec<f64>, right: Vec<f64>) {
    let n = left.len();
    let pairs = || left.iter().copied().zip(right.iter().copied());
    let (exact, sizes) = (Exact::dot(pairs()), absolute(pairs().map(|(x, y)| x * y)));
    let squares = Exact::dot(right.iter().map(|&x| (x, x)));
    let (x, y) = (V::<f64>::from(left.clone()), V::<f64>::from(right.clone()));
    // In addition to the sum, each product is rounded once.
    let bound = promised(n) + 1.0;
    table.note("dot", n, exact.distance(x.dot(&y).item()) / (U * sizes), bound);
    let plain = pairs().fold(0.0, |sum, (x, y)| sum + x * y);
    table.note("a plain loop", n, exact.distance(plain) / (U * sizes), n as f64 + 1.0);
    // The relative error of a norm is half the relative error of the sum of squares, plus the rounding error of the square root.
    let norm_off = |norm: f64| {
        let mut square = squares.clone();
        square.add_product(norm, -norm);
        square.value().abs() / (2.0 * U * squares.value())
    };
    table.note("norm", n, norm_off(y.norm().item()), bound / 2.0 + 2.0);
    let plain = right.iter().fold(0.0, |sum, x| sum + x * x).sqrt();
    table.note("a plain loop's norm", n, norm_off(plain), n as f64 / 2.0 + 2.0);
    if n < LARGEST {
        // (x + iy) · (y − ix): the real part is twice the dot product.
        let (z, w) = (x.zip_map(&y, c64::new), x.zip_map(&y, |x, y| c64::new(y, -x)));
        let off = exact.distance(z.dot(&w).item().re / 2.0) / (U * sizes);
        table.note("dot of c64", n, off, bound + 2.0);
        let columns = y.insert_axis(1).broadcast_to([n, 3]).to_owned();
        table.note("norm, first axis", n, norm_off(columns.norm_axis(0)[[1]]), bound / 2.0 + 2.0);
        let by_columns = vierbein::einsum!("ij,i->j", &columns, &x)[[2]];
        table.note("dot, first axis", n, exact.distance(by_columns) / (U * sizes), bound);
        let apart = columns.slice(s![.., 1]).dot(x.view()).item();
        table.note("dot, strided", n, exact.distance(apart) / (U * sizes), bound);
    }
    let (x, y) = (narrow(&left), narrow(&right));
    let pairs = || x.iter().zip(y.iter()).map(|(&x, &y)| (f64::from(x), f64::from(y)));
    let (exact, sizes) = (Exact::dot(pairs()), absolute(pairs().map(|(x, y)| x * y)));
    table.note("dot of f32", n, exact.distance(x.dot(&y).item().into()) / (U32 * sizes), bound);
}

/// The exact variance of integers `x` is `(n Σx² − (Σx)²) / n²`. The error is proportional to the condition number
/// `κ = √(1 + mean² / variance)` (Chan, Golub and LeVeque, Am. Stat. 37, 1983).
#[test]
fn variances_grow_with_the_logarithm() {
    let mut table = Table::default();
    for (n, seed) in sizes() {
        let mut random = Random(seed);
        for (what, digits, offset) in
            [("var", 30, 0), ("var, far from zero", 20, 1i64 << 40), ("var of f32", 22, 0)]
        {
            let whole: Vec<i64> = (0..n).map(|_| offset + (random.bits() >> (64 - digits)) as i64).collect();
            // Differences from the offset have the same variance, and their squares fit in an `i128`.
            let near = || whole.iter().map(|&x| i128::from(x - offset));
            let (sum, squares) = (near().sum::<i128>(), near().map(|x| x * x).sum::<i128>());
            let count = n as i128;
            let exact = count * squares - sum * sum;
            let variance = exact as f64 / (n as f64).powi(2);
            let mean = offset as f64 + sum as f64 / n as f64;
            let condition = (1.0 + mean * mean / variance).sqrt();
            // |found · n² − exact| in units of u · condition · exact.
            let off = |found: f64, u: f64| {
                let mut apart = Exact::zero();
                apart.add_product(found, (n as f64).powi(2));
                apart.add_whole(-exact, 0);
                apart.value().abs() / (u * condition * exact as f64)
            };
            // For each element, four operations round: a difference, its square, a quotient and a sum.
            let bound = 4.0 * promised(n);
            if what == "var of f32" {
                let x = V::<f32>::from(whole.iter().map(|&x| x as f32).collect::<Vec<_>>());
                table.note(what, n, off(x.var(0).item().into(), U32), bound);
                continue;
            }
            let x = V::<f64>::from(whole.iter().map(|&x| x as f64).collect::<Vec<_>>());
            table.note(what, n, off(x.var(0).item(), U), bound);
            if n < LARGEST {
                let columns = x.insert_axis(1).broadcast_to([n, 3]).to_owned();
                table.note("var, first axis", n, off(columns.var_axis(0, 0)[[1]], U), bound);
                table.note("var, strided", n, off(columns.slice(s![.., 2]).var(0).item(), U), bound);
            }
        }
    }
    table.print("variances, in units of κ besides");
}
