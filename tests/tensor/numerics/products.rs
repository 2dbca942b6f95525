//! Measures how the rounding errors of matrix products grow with `k`, the extent of the summed axis.
//!
//! Blocks of up to 512 terms are summed in a register, term by term, and the blocks are added one by one. The depth of this tree of
//! additions, and so the error bound, is `512 + k / 512`. At the level `portable`, blocks have 256 terms, and the depth
//! `256 + k / 256` is below the bound for all `k` here.

use super::data::{Kind, numbers};
use super::exact::Exact;
use super::growth::{Table, U, U32, absolute};
use vierbein::{Rank, Tensor, c64, einsum};

const ROWS: usize = 5;
const COLUMNS: usize = 7;

#[test]
fn products_of_long_rows() {
    let mut table = Table::default();
    for k in [10, 100, 1000, 10_000, 100_000] {
        let bound = k.min(512) as f64 + k as f64 / 512.0 + 2.0;
        let b = numbers(Kind::OneSign, k * COLUMNS, 53, 2);
        for kind in Kind::ALL {
            let a = numbers(kind, ROWS * k, 53, 1);
            let (x, y) =
                (Tensor::<f64, Rank<2>>::from_slice([ROWS, k], &a), Tensor::from_slice([k, COLUMNS], &b));
            let (narrow_x, narrow_y) = (x.cast::<f32>(), y.cast::<f32>());
            let (z, w) = (x.map(|x| c64::new(x, -x)), y.map(|y| c64::new(y, y)));
            let (real, complex) = (x.matmul(&y), z.matmul(&w));
            let (narrow, contracted) = (narrow_x.matmul(&narrow_y), einsum!("ik,kj->ji", &x, &y));
            for (i, j) in [(0, 0), (2, 3), (4, 6)] {
                let pairs = || (0..k).map(|t| (a[i * k + t], b[t * COLUMNS + j]));
                let exact = Exact::dot(pairs());
                let sizes = absolute(pairs().map(|(x, y)| x * y));
                let off = |found: f64| exact.distance(found) / (U * sizes);
                table.note("matmul", k, off(real[[i, j]]), bound);
                table.note("einsum", k, off(contracted[[j, i]]), bound);
                // (x − ix)(y + iy) = 2xy. The real part of a complex sum has twice as many terms as a real sum.
                table.note("matmul of c64", k, off(complex[[i, j]].re / 2.0), 2.0 * bound);
                let plain = pairs().fold(0.0, |sum, (x, y)| sum + x * y);
                table.note("a plain loop", k, off(plain), k as f64 + 1.0);
                let pairs = || (0..k).map(|t| (f64::from(narrow_x[[i, t]]), f64::from(narrow_y[[t, j]])));
                let exact = Exact::dot(pairs());
                let sizes = absolute(pairs().map(|(x, y)| x * y));
                table.note("matmul of f32", k, exact.distance(narrow[[i, j]].into()) / (U32 * sizes), bound);
            }
        }
    }
    table.print("matrix products");
}
