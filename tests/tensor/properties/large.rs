//! Compares operations on tensors that are large enough for several threads with plain loops over vectors.

use super::number::{Exact, Z};
use vierbein::{ColMajor, Complex, Element, Order, Rank, RowMajor, Tensor, s};

/// Numbers of rows and columns of the matrices, which have more than 150 000 elements. The numbers are no multiples of tile sizes.
const ROWS: usize = 367;
const COLUMNS: usize = 421;

/// Returns the integer at flat index `k`: from -99 to 99, in a pattern without a short period.
fn number(k: usize) -> i64 {
    ((k as u64).wrapping_mul(2_654_435_761) >> 7) as i64 % 199 - 99
}

/// A matrix, and the same values in a vector.
struct Matrix<O: Order> {
    tensor: Tensor<f64, Rank<2>, O>,
    values: Vec<f64>,
}

impl<O: Order> Matrix<O> {
    fn new(offset: usize, scale: f64) -> Self {
        let values: Vec<f64> = (0..ROWS * COLUMNS).map(|k| number(k + offset) as f64 * scale).collect();
        Matrix { tensor: Tensor::from_vec([ROWS, COLUMNS], values.clone()), values }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.values[if O::ROW_MAJOR { i * COLUMNS + j } else { j * ROWS + i }]
    }

    /// Returns the result of a function of each row, and that of each column.
    fn lines<T>(&self, f: impl Fn(&[f64]) -> T) -> (Vec<T>, Vec<T>) {
        let line = |n: usize, at: &dyn Fn(usize) -> f64| -> T {
            let mut line = Vec::with_capacity(n);
            (0..n).for_each(|k| line.push(at(k)));
            f(&line)
        };
        let rows = (0..ROWS).map(|i| line(COLUMNS, &|j| self.at(i, j))).collect();
        let columns = (0..COLUMNS).map(|j| line(ROWS, &|i| self.at(i, j))).collect();
        (rows, columns)
    }
}

/// Asserts that every element of an owned matrix equals a function of its indices.
// Compares lines that are contiguous in memory: without optimisation, indexing each element takes many times as long.
#[track_caller]
fn assert_all<T: Element, O: Order>(x: &Tensor<T, Rank<2>, O>, expected: impl Fn(usize, usize) -> T) {
    let [rows, columns] = x.shape();
    let (lines, length) = if O::ROW_MAJOR { (rows, columns) } else { (columns, rows) };
    let mut line = Vec::with_capacity(length);
    for (outer, found) in x.as_slice().chunks_exact(length).enumerate() {
        line.clear();
        let mut inner = 0;
        while inner < length {
            line.push(if O::ROW_MAJOR { expected(outer, inner) } else { expected(inner, outer) });
            inner += 1;
        }
        assert_line(found, &line, outer);
    }
    assert_eq!(x.len(), lines * length);
}

/// Asserts that a line of a matrix has the expected elements.
#[track_caller]
fn assert_line<T: Element>(found: &[T], expected: &[T], line: usize) {
    if found != expected {
        let k = (0..found.len()).find(|&k| found[k] != expected[k]).expect("the lengths are equal");
        panic!("{} instead of {} at {k} of line {line}", found[k], expected[k]);
    }
}

fn elementwise<O: Order>() {
    let (a, b) = (Matrix::<O>::new(0, 0.25), Matrix::<O>::new(9, 0.5));
    let (x, y) = (&a.tensor, &b.tensor);
    assert_all(&(x + y), |i, j| a.at(i, j) + b.at(i, j));
    // Transposed, sliced and reversed operands on both sides of an operator.
    let square = s![..ROWS, ..ROWS];
    assert_all(&(&x.slice(square) - &y.slice(square).t()), |i, j| a.at(i, j) - b.at(j, i));
    assert_all(&(&x.t() * &y.t()), |i, j| a.at(j, i) * b.at(j, i));
    let (back, every) = (x.slice(s![..;-1, ..]), y.slice(s![.., ..;-1]));
    assert_all(&(&back + &every), |i, j| a.at(ROWS - 1 - i, j) + b.at(i, COLUMNS - 1 - j));
    assert_all(&(&x.as_order::<O::Transposed>() + &y.as_order()), |i, j| a.at(i, j) + b.at(i, j));
    assert_all(&x.map(|v| v * v), |i, j| a.at(i, j) * a.at(i, j));
    assert_all(&x.lt(y), |i, j| a.at(i, j) < b.at(i, j));
    assert_all(&x.lt(y).select(x, &y.slice(s![..;-1, ..])), |i, j| {
        if a.at(i, j) < b.at(i, j) { a.at(i, j) } else { b.at(ROWS - 1 - i, j) }
    });
    let (row, column) = (x.slice(s![0..1, ..]), y.slice(s![.., 0..1]));
    assert_all(&(&row + &column), |i, j| a.at(0, j) + b.at(i, 0));
    let mut z = x.clone();
    z.slice_mut(s![.., ..;-1]).add_scaled(2.0, y);
    assert_all(&z, |i, j| a.at(i, j) + 2.0 * b.at(i, COLUMNS - 1 - j));
    z.t().to_owned().assign(&y.t());
    z.slice_mut(s![..;2, ..]).fill(7.0);
    z.slice_mut(s![1..;2, ..]).assign(&y.slice(s![1..;2, ..]));
    assert_all(&z, |i, j| if i % 2 == 0 { 7.0 } else { b.at(i, j) });
    // An integer overflow must be detected before an element is written.
    let whole = x.cast::<i32>();
    assert_all(&(&whole * &whole.slice(s![..;-1, ..])), |i, j| {
        a.at(i, j) as i32 * a.at(ROWS - 1 - i, j) as i32
    });
    let mut most = Tensor::<i32, Rank<2>, O>::full([ROWS, COLUMNS], i32::MAX - 100);
    assert!((&most + &whole).shape() == [ROWS, COLUMNS]);
    most[[ROWS - 1, COLUMNS - 2]] = i32::MAX;
    most -= 1;
    if cfg!(debug_assertions) {
        assert!(most.try_add_assign(&whole.abs().slice(s![.., ..]).map(|v| v + 2)).is_err());
        assert_eq!(most[[0, 0]], i32::MAX - 101);
    }
}

fn reductions<O: Order>() {
    let a = Matrix::<O>::new(5, 1.0);
    let x = &a.tensor;
    let total: f64 = a.values.iter().sum();
    assert_eq!(x.sum().item(), total);
    assert_eq!(x.t().sum().item(), total);
    assert_eq!(x.slice(s![..;-1, ..]).sum().item(), total);
    let (by_row, by_column) = a.lines(|line| line.iter().sum::<f64>());
    assert_eq!(x.sum_axis(0).to_vec(), by_column);
    assert_eq!(x.sum_axis(1).to_vec(), by_row);
    assert_eq!(x.t().sum_axis(1).to_vec(), by_column);
    assert_eq!(x.cast::<i64>().sum_axis(0).to_vec(), by_column.iter().map(|&v| v as i64).collect::<Vec<_>>());
    assert_eq!(x.cast::<Complex<f64>>().sum().item(), Complex::new(total, 0.0));

    // Several elements are the extremum. The result must be the first index.
    let largest = a.values.iter().copied().fold(f64::MIN, f64::max);
    assert_eq!(x.max().item(), largest);
    let first = a.values.iter().position(|&v| v == largest).expect("it is there");
    assert_eq!(x.argmax().item(), first as i64);
    let last_row = x.slice(s![..;-1, ..]).to_owned();
    let (flat, least) = (last_row.to_vec(), a.values.iter().copied().fold(f64::MAX, f64::min));
    assert_eq!(x.min().item(), least);
    assert_eq!(last_row.argmin().item(), flat.iter().position(|&v| v == least).expect("there") as i64);
    let (_, columns) = a.lines(|line| {
        let best = line.iter().copied().fold(f64::MIN, f64::max);
        line.iter().position(|&v| v == best).expect("it is there") as i64
    });
    assert_eq!(x.argmax_axis(0).to_vec(), columns);
    let mut with_nan = x.clone();
    with_nan[[ROWS - 3, 4]] = f64::NAN;
    with_nan[[ROWS - 2, 4]] = f64::NAN;
    assert!(with_nan.max().item().is_nan() && with_nan.min_axis(0)[[4]].is_nan());
    let at = if O::ROW_MAJOR { (ROWS - 3) * COLUMNS + 4 } else { 4 * ROWS + ROWS - 3 };
    assert_eq!(with_nan.argmin().item(), at as i64);

    // The expected moments: the elements are small integers, so their sums and sums of squares are exact.
    let n = a.values.len() as f64;
    let squares: f64 = a.values.iter().map(|v| v * v).sum();
    let variance = (squares - total * total / n) / n;
    assert!((x.var(0).item() / variance - 1.0).abs() < 1e-13);
    assert_eq!(x.norm().item(), squares.sqrt());
    assert_eq!(x.mean().item(), total / n);

    // The matrix is broadcast along a third axis. A trace of this tensor over axes 0 and 2 is the sum of each column.
    let cube = x.insert_axis(2).to_owned();
    let repeated = cube.broadcast_to([ROWS, COLUMNS, ROWS]);
    assert_eq!(repeated.trace(0, 2).to_vec(), by_column);
    let diagonal: f64 = (0..ROWS).map(|i| a.at(i, i)).sum();
    assert_eq!(x.slice(s![.., ..ROWS]).trace(0, 1).item(), diagonal);

    let sums = x.cumsum(1);
    for i in [0, 1, ROWS / 2, ROWS - 1] {
        let mut sum = 0.0;
        for j in 0..COLUMNS {
            sum += a.at(i, j);
            assert_eq!(sums[[i, j]], sum);
        }
    }
}

/// Returns the real and imaginary parts of a matrix of small integers, row by row.
fn parts<T: Exact>(x: &Tensor<T, Rank<2>>) -> Vec<Vec<[i64; 2]>> {
    let part = |z: i128| i64::try_from(z).expect("a small integer");
    let parts = |i: usize| (0..x.shape()[1]).map(move |j| x[[i, j]].take()).map(|z| [part(z.re), part(z.im)]);
    (0..x.shape()[0]).map(|i| parts(i).collect()).collect()
}

/// Returns the sum of products of small integers.
fn dot<T: Exact>(a: &[[i64; 2]], b: &[[i64; 2]]) -> T {
    let (mut re, mut im) = (0, 0);
    for (&[x, xi], &[y, yi]) in a.iter().zip(b) {
        re += x * y - xi * yi;
        im += x * yi + xi * y;
    }
    T::put(Z { re: re.into(), im: im.into() }).expect("it fits")
}

fn products<T: super::number::Number>(n: usize) {
    let make = |offset: usize, columns: usize| {
        Tensor::<T, Rank<2>>::from_fn([n, columns], |[i, j]| {
            let k = 50 * i + j + offset;
            let im = if <T as Exact>::COMPLEX { i128::from(number(k + 1) % 10) } else { 0 };
            T::put(Z { re: i128::from(number(k) % 10), im }).expect("it fits")
        })
    };
    // `a` is square, and `b` has three more columns than rows.
    let (a, b) = (make(0, n), make(77, n + 3));
    let (product, turned) = (a.matmul(&b), b.t().matmul(a.t()));
    let (rows, of_b) = (parts(&a), parts(&b));
    let columns: Vec<Vec<[i64; 2]>> = (0..n + 3).map(|j| of_b.iter().map(|row| row[j]).collect()).collect();
    for (i, j) in (0..n).flat_map(|i| (0..n + 3).map(move |j| (i, j))) {
        let expected: T = dot(&rows[i], &columns[j]);
        assert_eq!((product[[i, j]], turned[[j, i]]), (expected, expected), "[{i}, {j}]");
    }
    let columns = a.to_order::<ColMajor>().matmul(b.to_order::<ColMajor>());
    assert!(columns.as_order::<RowMajor>() == product);
}

fn batches() {
    let a = Tensor::<f64, Rank<3>>::from_fn([40, 50, 60], |[l, i, j]| number(l * 3000 + i * 60 + j) as f64);
    let b =
        Tensor::<f64, Rank<3>>::from_fn([40, 60, 30], |[l, i, j]| number(l * 1800 + i * 30 + j + 5) as f64);
    let (product, mirrored) = (a.matmul(&b), b.flip_order().matmul(a.flip_order()));
    assert_eq!(product.shape(), [40, 50, 30]);
    let (left, right) = (a.as_slice(), b.as_slice());
    let mut expected = Vec::with_capacity(product.len());
    for l in 0..40 {
        for i in 0..50 {
            let row = &left[(l * 50 + i) * 60..][..60];
            for j in 0..30 {
                let (mut sum, mut k) = (0.0, 0);
                while k < 60 {
                    sum += row[k] * right[(l * 60 + k) * 30 + j];
                    k += 1;
                }
                assert_eq!(mirrored[[j, i, l]], sum);
                expected.push(sum);
            }
        }
    }
    assert_eq!(product.as_slice(), expected);
}

/// Checks transposed copies of a square matrix and of its slices. The tests call this function with an element type of each size.
fn transposes<T: Element + Exact>(n: usize) {
    let values: Vec<T> = (0..120).map(|k| T::put(Z::real(k)).expect("it fits")).collect();
    // The element at [i, j] is values[(7 i + 13 j) % 120]. Rows and columns repeat after 120, so that each is computed once.
    let lines = |step: usize, other: usize| -> Vec<Vec<T>> {
        let line = |start: usize| (0..n).map(|k| values[(start * other + k * step) % 120]).collect();
        (0..120).map(line).collect()
    };
    let (rows, columns) = (lines(13, 7), lines(7, 13));
    let mut elements = Vec::with_capacity(n * n);
    (0..n).for_each(|i| elements.extend_from_slice(&rows[i % 120]));
    let x = Tensor::<T, Rank<2>>::from_vec([n, n], elements);
    let y = x.to_order::<ColMajor>();
    assert_eq!((y.shape(), y.strides()), ([n, n], [1, n as isize]));
    let z = x.t().to_owned();
    assert_eq!((z.shape(), z.strides()), ([n, n], [n as isize, 1]));
    for copy in [y.as_slice(), z.as_slice()] {
        for (j, found) in copy.chunks_exact(n).enumerate() {
            assert_line(found, &columns[j % 120], j);
        }
    }
    let part = x.slice(s![3.., ..n - 5]).to_order::<ColMajor>();
    assert_eq!(part.shape(), [n - 3, n - 5]);
    for (j, found) in part.as_slice().chunks_exact(n - 3).enumerate() {
        assert_line(found, &columns[j % 120][3..], j);
    }
    let x = x.reshape([n / 4, 4, n]).permute([2, 0, 1]).to_owned();
    assert_eq!(x.shape(), [n, n / 4, 4]);
    for (k, found) in x.as_slice().chunks_exact(n).enumerate() {
        assert_line(found, &columns[k % 120], k);
    }
}

#[test]
fn elementwise_in_both_orders() {
    elementwise::<RowMajor>();
    elementwise::<ColMajor>();
}

#[test]
fn reductions_in_both_orders() {
    reductions::<RowMajor>();
    reductions::<ColMajor>();
}

#[test]
fn products_of_matrices() {
    products::<f64>(200);
    products::<f32>(130);
    products::<Complex<f64>>(130);
    products::<Complex<f32>>(130);
    products::<i32>(130);
    batches();
}

#[test]
fn transposed_copies() {
    for n in [1000, 1024] {
        transposes::<f64>(n);
        transposes::<f32>(n);
    }
    transposes::<Complex<f64>>(1000);
    transposes::<u8>(1024);
}
