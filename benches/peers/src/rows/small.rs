//! Views, single elements and operations on few elements. Their cost determines the speed of a program's loops
//! over rows, lattice sites or grid points.

use super::Entry;
use crate::implementation::Library::{Limit, Nalgebra, Ndarray, Vierbein};
use crate::limit::Strided;
use crate::{Problem, Row};
use nalgebra::{DMatrix, DVector};
use ndarray::{Array1, Array2, Axis, Ix1, Ix2};
use std::hint::black_box;
use vierbein::{Rank, Tensor, einsum};

/// Number of rows of the matrix whose rows are iterated over.
const ROWS: usize = 10_000;
/// Extent of both axes of the grid to which the stencil is applied.
const SIDE: usize = 512;

pub(super) fn all() -> Vec<Entry<f64>> {
    vec![
        Entry::new("axis_iter [10⁴, 4]: r[[0]]", first_elements),
        Entry::new("axis_iter [10⁴, 4]: iter().sum()", iterated_sums),
        Entry::new("axis_iter [10⁴, 4]: sum().item()", sums),
        Entry::new("axis_iter [10⁴, 4]: mean().item()", means),
        Entry::new("axis_iter [10⁴, 4]: to.assign(r)", assigned),
        Entry::new("axis_iter [10⁴, 4]: to += r", added),
        Entry::new("t().iter().sum() 512²", transposed_sum),
        Entry::new("stencil by x[[i, j]] 512²", stencil),
        Entry::new("sum().item() 4", sum),
        Entry::new("trace().item() 4²", trace),
        Entry::new("dot().item() 4", dot),
        Entry::new("matmul 2²·2²", || product(2)),
        Entry::new("matmul 4²·4²", || product(4)),
        Entry::new("einsum! ij,jk->ik 4²·4²", einsum_product),
        Entry::new("matmul 4²·4", matrix_vector),
        Entry::new("&a + &b 10", sum_of_two),
        Entry::new("&a + 1.0 10", scalar_added),
        Entry::new("&m + &v 4² + 4", broadcast),
        Entry::new("&m + &m.t() 4²", transposed),
        Entry::new("sum_axis(0) 4²", || sum_axis(0)),
        Entry::new("sum_axis(1) 4²", || sum_axis(1)),
    ]
}

fn nalgebra_matrix(x: &Array2<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(x.nrows(), x.ncols(), |i, j| x[[i, j]])
}

fn nalgebra_vector(x: &Array1<f64>) -> DVector<f64> {
    DVector::from_fn(x.len(), |i, _| x[i])
}

fn strided_matrix(x: &Array2<f64>) -> Strided<2> {
    Strided::matrix(x.iter().copied().collect(), [x.nrows(), x.ncols()])
}

fn strided_vector(x: &Array1<f64>) -> Strided<1> {
    Strided::vector(x.to_vec())
}

/// Returns a matrix with many short rows, as a tensor and as an array of ndarray.
fn short_rows() -> (Tensor<f64, Rank<2>>, Array2<f64>) {
    let problem = Problem::<f64>::new("ij->", &[('i', ROWS), ('j', 4)]);
    (problem.tensor(0), problem.array::<Ix2>(0))
}

/// Returns the sum of numbers, and the sum of their magnitudes.
fn total(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers.fold((0.0, 0.0), |(sum, all), x| (sum + x, all + x.abs()))
}

fn first_elements() -> Row<f64> {
    let (x, y) = short_rows();
    let expected = total(y.column(0).iter().copied());
    Row::new(Problem::defined([], move |_| expected))
        .fresh(Vierbein, move || x.axis_iter(0).fold(0.0, |sum, row| sum + row[[0]]))
        .fresh(Ndarray, move || y.axis_iter(Axis(0)).fold(0.0, |sum, row| sum + row[[0]]))
}

fn iterated_sums() -> Row<f64> {
    let (x, y) = short_rows();
    let expected = total(y.iter().copied());
    Row::new(Problem::defined([], move |_| expected))
        .fresh(Vierbein, move || x.axis_iter(0).fold(0.0, |sum, row| sum + row.iter().sum::<f64>()))
        .fresh(Ndarray, move || y.axis_iter(Axis(0)).fold(0.0, |sum, row| sum + row.iter().sum::<f64>()))
}

fn sums() -> Row<f64> {
    let (x, y) = short_rows();
    let expected = total(y.iter().copied());
    Row::new(Problem::defined([], move |_| expected))
        .fresh(Vierbein, move || x.axis_iter(0).fold(0.0, |sum, row| sum + row.sum().item()))
        .fresh(Ndarray, move || y.axis_iter(Axis(0)).fold(0.0, |sum, row| sum + row.sum()))
}

fn means() -> Row<f64> {
    let (x, y) = short_rows();
    let expected = total(y.iter().map(|x| x / 4.0));
    Row::new(Problem::defined([], move |_| expected))
        .fresh(Vierbein, move || x.axis_iter(0).fold(0.0, |sum, row| sum + row.mean().item()))
        .fresh(Ndarray, move || {
            y.axis_iter(Axis(0)).fold(0.0, |sum, row| sum + row.mean().expect("a row is not empty"))
        })
}

fn assigned() -> Row<f64> {
    let (x, y) = short_rows();
    let last: Vec<f64> = y.row(ROWS - 1).to_vec();
    Row::new(Problem::defined([4], move |index| (last[index[0]], 0.0)))
        .over(Vierbein, Tensor::<f64, Rank<1>>::zeros([4]), move |to| {
            x.axis_iter(0).for_each(|row| black_box(&mut *to).assign(&row));
        })
        .over(Ndarray, Array1::zeros(4), move |to| {
            y.axis_iter(Axis(0)).for_each(|row| black_box(&mut *to).assign(&row));
        })
}

fn added() -> Row<f64> {
    let (x, y) = short_rows();
    let sums: Vec<(f64, f64)> = (0..4).map(|j| total(y.column(j).iter().copied())).collect();
    Row::new(Problem::defined([4], move |index| sums[index[0]]))
        .in_place(
            Vierbein,
            Tensor::<f64, Rank<1>>::zeros([4]),
            |to| to.fill(0.0),
            move |to| x.axis_iter(0).for_each(|row| *to += &row),
        )
        .in_place(
            Ndarray,
            Array1::zeros(4),
            |to| to.fill(0.0),
            move |to| y.axis_iter(Axis(0)).for_each(|row| *to += &row),
        )
}

fn transposed_sum() -> Row<f64> {
    let problem = Problem::<f64>::new("ij->", &[('i', SIDE), ('j', SIDE)]);
    let (x, y) = (problem.tensor::<2>(0), problem.array::<Ix2>(0));
    Row::new(problem)
        .fresh(Vierbein, move || x.t().iter().sum::<f64>())
        .fresh(Ndarray, move || y.t().iter().sum::<f64>())
}

/// Returns the benchmark of a five-point Laplacian that accesses single elements by index.
fn stencil() -> Row<f64> {
    let problem = Problem::<f64>::new("ij->", &[('i', SIDE), ('j', SIDE)]);
    let (x, y) = (problem.tensor::<2>(0), problem.array::<Ix2>(0));
    macro_rules! laplacian {
        ($from:expr, $to:expr) => {
            for i in 1..SIDE - 1 {
                for j in 1..SIDE - 1 {
                    $to[[i, j]] =
                        $from[[i - 1, j]] + $from[[i + 1, j]] + $from[[i, j - 1]] + $from[[i, j + 1]]
                            - 4.0 * $from[[i, j]];
                }
            }
        };
    }
    let z = y.clone();
    let expected = move |index: &[usize]| {
        let [i, j] = [index[0], index[1]];
        if i.min(j) == 0 || i.max(j) == SIDE - 1 {
            return (0.0, 0.0);
        }
        let near = [z[[i - 1, j]], z[[i + 1, j]], z[[i, j - 1]], z[[i, j + 1]], -4.0 * z[[i, j]]];
        total(near.into_iter())
    };
    Row::new(Problem::defined([SIDE, SIDE], expected))
        .over(Vierbein, Tensor::<f64, Rank<2>>::zeros([SIDE, SIDE]), move |to| laplacian!(x, to))
        .over(Ndarray, Array2::zeros([SIDE, SIDE]), move |to| laplacian!(y, to))
}

fn sum() -> Row<f64> {
    let problem = Problem::<f64>::new("i->", &[('i', 4)]);
    let (x, y) = (problem.tensor::<1>(0), problem.array::<Ix1>(0));
    let z = nalgebra_vector(&y);
    Row::new(problem)
        .fresh(Vierbein, move || black_box(&x).sum().item())
        .fresh(Ndarray, move || black_box(&y).sum())
        .fresh(Nalgebra, move || black_box(&z).sum())
}

fn trace() -> Row<f64> {
    let problem = Problem::<f64>::new("ii->", &[('i', 4)]);
    let (x, y) = (problem.tensor::<2>(0), problem.array::<Ix2>(0));
    let (z, u) = (nalgebra_matrix(&y), strided_matrix(&y));
    Row::new(problem)
        .fresh(Limit, move || black_box(&u).trace())
        .fresh(Vierbein, move || black_box(&x).trace(0, 1).item())
        .fresh(Ndarray, move || black_box(&y).diag().sum())
        .fresh(Nalgebra, move || black_box(&z).trace())
}

fn dot() -> Row<f64> {
    let problem = Problem::<f64>::new("i,i->", &[('i', 4)]);
    let (a, b) = (problem.tensor::<1>(0), problem.tensor::<1>(1));
    let (c, d) = (problem.array::<Ix1>(0), problem.array::<Ix1>(1));
    let (e, f) = (nalgebra_vector(&c), nalgebra_vector(&d));
    let (u, v) = (strided_vector(&c), strided_vector(&d));
    Row::new(problem)
        .fresh(Limit, move || black_box(&u).dot(black_box(&v)))
        .fresh(Vierbein, move || black_box(&a).dot(black_box(&b)).item())
        .fresh(Ndarray, move || black_box(&c).dot(black_box(&d)))
        .fresh(Nalgebra, move || black_box(&e).dot(black_box(&f)))
}

fn product(n: usize) -> Row<f64> {
    let problem = Problem::<f64>::new("ij,jk->ik", &[('i', n), ('j', n), ('k', n)]);
    let (a, b) = (problem.tensor::<2>(0), problem.tensor::<2>(1));
    let (c, d) = (problem.array::<Ix2>(0), problem.array::<Ix2>(1));
    let (e, f) = (nalgebra_matrix(&c), nalgebra_matrix(&d));
    let (u, v) = (strided_matrix(&c), strided_matrix(&d));
    Row::new(problem)
        .fresh(Limit, move || black_box(&u).times(black_box(&v)))
        .fresh(Vierbein, move || black_box(&a).matmul(black_box(&b)))
        .fresh(Ndarray, move || black_box(&c).dot(black_box(&d)))
        .fresh(Nalgebra, move || black_box(&e) * black_box(&f))
}

fn einsum_product() -> Row<f64> {
    let problem = Problem::<f64>::new("ij,jk->ik", &[('i', 4), ('j', 4), ('k', 4)]);
    let (a, b) = (problem.tensor::<2>(0), problem.tensor::<2>(1));
    let (c, d) = (problem.array::<Ix2>(0), problem.array::<Ix2>(1));
    let (e, f) = (nalgebra_matrix(&c), nalgebra_matrix(&d));
    let (u, v) = (strided_matrix(&c), strided_matrix(&d));
    Row::new(problem)
        .fresh(Limit, move || black_box(&u).times(black_box(&v)))
        .fresh(Vierbein, move || einsum!("ij,jk->ik", black_box(&a), black_box(&b)))
        .fresh(Ndarray, move || black_box(&c).dot(black_box(&d)))
        .fresh(Nalgebra, move || black_box(&e) * black_box(&f))
}

fn matrix_vector() -> Row<f64> {
    let problem = Problem::<f64>::new("ij,j->i", &[('i', 4), ('j', 4)]);
    let (a, b) = (problem.tensor::<2>(0), problem.tensor::<1>(1));
    let (c, d) = (problem.array::<Ix2>(0), problem.array::<Ix1>(1));
    let (e, f) = (nalgebra_matrix(&c), nalgebra_vector(&d));
    let (u, v) = (strided_matrix(&c), strided_vector(&d));
    Row::new(problem)
        .fresh(Limit, move || black_box(&u).times_vector(black_box(&v)))
        .fresh(Vierbein, move || black_box(&a).matmul(black_box(&b)))
        .fresh(Ndarray, move || black_box(&c).dot(black_box(&d)))
        .fresh(Nalgebra, move || black_box(&e) * black_box(&f))
}

fn sum_of_two() -> Row<f64> {
    let problem = Problem::<f64>::new("i,i->i", &[('i', 10)]);
    let (a, b) = (problem.tensor::<1>(0), problem.tensor::<1>(1));
    let (c, d) = (problem.array::<Ix1>(0), problem.array::<Ix1>(1));
    let (e, f) = (nalgebra_vector(&c), nalgebra_vector(&d));
    let (u, v) = (strided_vector(&c), strided_vector(&d));
    let expected = (&c + &d).to_vec();
    Row::new(Problem::defined([10], move |index| (expected[index[0]], 0.0)))
        .fresh(Limit, move || black_box(&u).add(black_box(&v)))
        .fresh(Vierbein, move || black_box(&a) + black_box(&b))
        .fresh(Ndarray, move || black_box(&c) + black_box(&d))
        .fresh(Nalgebra, move || black_box(&e) + black_box(&f))
}

fn scalar_added() -> Row<f64> {
    let problem = Problem::<f64>::new("i->i", &[('i', 10)]);
    let (a, c) = (problem.tensor::<1>(0), problem.array::<Ix1>(0));
    let e = nalgebra_vector(&c);
    let expected: Vec<f64> = c.iter().map(|x| x + 1.0).collect();
    Row::new(Problem::defined([10], move |index| (expected[index[0]], 0.0)))
        .fresh(Vierbein, move || black_box(&a) + 1.0)
        .fresh(Ndarray, move || black_box(&c) + 1.0)
        .fresh(Nalgebra, move || black_box(&e).add_scalar(1.0))
}

fn broadcast() -> Row<f64> {
    let problem = Problem::<f64>::new("ij,j->ij", &[('i', 4), ('j', 4)]);
    let (a, b) = (problem.tensor::<2>(0), problem.tensor::<1>(1));
    let (c, d) = (problem.array::<Ix2>(0), problem.array::<Ix1>(1));
    let expected: Vec<f64> = (0..16).map(|k| c[[k / 4, k % 4]] + d[k % 4]).collect();
    Row::new(Problem::defined([4, 4], move |index| (expected[index[0] * 4 + index[1]], 0.0)))
        .fresh(Vierbein, move || black_box(&a) + black_box(&b))
        .fresh(Ndarray, move || black_box(&c) + black_box(&d))
}

fn transposed() -> Row<f64> {
    let problem = Problem::<f64>::new("ij->ij", &[('i', 4), ('j', 4)]);
    let (a, c) = (problem.tensor::<2>(0), problem.array::<Ix2>(0));
    let expected: Vec<f64> = (0..16).map(|k| c[[k / 4, k % 4]] + c[[k % 4, k / 4]]).collect();
    Row::new(Problem::defined([4, 4], move |index| (expected[index[0] * 4 + index[1]], 0.0)))
        .fresh(Vierbein, move || black_box(&a) + &black_box(&a).t())
        .fresh(Ndarray, move || black_box(&c) + &black_box(&c).t())
}

fn sum_axis(axis: usize) -> Row<f64> {
    let problem = Problem::<f64>::new(["ij->j", "ij->i"][axis], &[('i', 4), ('j', 4)]);
    let (a, c) = (problem.tensor::<2>(0), problem.array::<Ix2>(0));
    let u = strided_matrix(&c.view().permuted_axes([1 - axis, axis]).to_owned());
    Row::new(problem)
        .fresh(Limit, move || black_box(&u).row_sums())
        .fresh(Vierbein, move || black_box(&a).sum_axis(axis))
        .fresh(Ndarray, move || black_box(&c).sum_axis(Axis(axis)))
}
