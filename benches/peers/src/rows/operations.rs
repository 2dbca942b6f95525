//! Benchmark rows of `operations`: kinds of operations that the other groups do not have, namely arithmetic of integers and complex
//! numbers, comparisons, casts, closures, extremes, copies of views, random numbers and files. Operands of the smaller size fit in the
//! caches, those of the larger size do not. All results are allocated in each call.

use super::Entry;
use crate::implementation::Library::{Limit, Ndarray, Std, Vierbein};
use crate::implementation::Outcome;
use crate::number::{Generator, Number};
use crate::{Problem, Row, parallel};
use ndarray::{Array1, Array2, ArrayView1, Axis, Zip};
use num_complex::Complex;
use rand::distr::StandardUniform;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use vierbein::{Element, Rank, Tensor, s};

type C64 = Complex<f64>;
type Vector<T> = Tensor<T, Rank<1>>;
type Matrix = Tensor<f64, Rank<2>>;

/// Numbers of elements, as integers and as text for the name of a row.
const SIZES: [(usize, &str); 2] = [(20_000, "2·10⁴"), (4_000_000, "4·10⁶")];

/// Returns random numbers from −73 to 73.
fn numbers(seed: u64, n: usize) -> Vec<f64> {
    let mut numbers = Generator(seed);
    (0..n).map(|_| numbers.number::<f64>() * 73.0).collect()
}

fn pair(n: usize) -> [Vec<f64>; 2] {
    [1, 2].map(|seed| numbers(seed, n))
}

fn complex_numbers(seed: u64, n: usize) -> Vec<C64> {
    let mut numbers = Generator(seed);
    (0..n).map(|_| numbers.number::<C64>() * 73.0).collect()
}

/// Returns the same elements in memory of each library. vierbein requests huge pages for its large memory, the other libraries do not.
fn operands<T: Element>(elements: &[T]) -> (Vector<T>, Array1<T>, Vec<T>) {
    (Tensor::from_slice([elements.len()], elements), Array1::from_vec(elements.to_vec()), elements.to_vec())
}

/// Returns the benchmark of a function of one element. `exact` computes the expected result.
fn one<T: Element, R: Element, N: Number>(
    x: Vec<T>,
    exact: impl Fn(T) -> N + Send + 'static,
    own: impl Fn(&Vector<T>) -> Vector<R> + Send + 'static,
    element: impl Fn(T) -> R + Copy + Send + Sync + 'static,
) -> Row<N>
where
    Vector<R>: Outcome<N>,
    Vec<R>: Outcome<N>,
{
    let (a, b, c) = operands(&x);
    let definition = move |i: &[usize]| {
        let value = exact(x[i[0]]);
        (value, value.magnitude())
    };
    Row::new(Problem::defined([a.len()], definition))
        .fresh(Vierbein, move || own(&a))
        .fresh(Ndarray, move || {
            elements(if parallel() {
                Zip::from(&b).par_map_collect(|&x| element(x))
            } else {
                b.map(|&x| element(x))
            })
        })
        .fresh(Std, move || c.iter().map(|&x| element(x)).collect::<Vec<R>>())
}

/// Returns the benchmark of a function of two elements. `exact` computes the expected result.
fn two<T: Element, R: Element, N: Number>(
    [x, y]: [Vec<T>; 2],
    exact: impl Fn(T, T) -> N + Send + 'static,
    own: impl Fn(&Vector<T>, &Vector<T>) -> Vector<R> + Send + 'static,
    element: impl Fn(T, T) -> R + Copy + Send + Sync + 'static,
) -> Row<N>
where
    Vector<R>: Outcome<N>,
    Vec<R>: Outcome<N>,
{
    let ((a, b, c), (d, e, f)) = (operands(&x), operands(&y));
    let definition = move |i: &[usize]| {
        let value = exact(x[i[0]], y[i[0]]);
        (value, value.magnitude())
    };
    Row::new(Problem::defined([a.len()], definition))
        .fresh(Vierbein, move || own(&a, &d))
        .fresh(Ndarray, move || {
            let pairs = Zip::from(&b).and(&e);
            elements(if parallel() {
                pairs.par_map_collect(|&x, &y| element(x, y))
            } else {
                pairs.map_collect(|&x, &y| element(x, y))
            })
        })
        .fresh(Std, move || c.iter().zip(&f).map(|(&x, &y)| element(x, y)).collect::<Vec<R>>())
}

/// Returns the elements of an array without a copy.
fn elements<T>(array: Array1<T>) -> Vec<T> {
    array.into_raw_vec_and_offset().0
}

/// The number of columns is a power of ten near the square root of `n`: the shape is `[200, 100]` or `[4000, 1000]`.
fn matrix(n: usize) -> ([usize; 2], Matrix, Array2<f64>, Vec<f64>) {
    let columns = 10usize.pow((n.ilog10() + 1) / 2);
    let shape = [n / columns, columns];
    let x = numbers(1, n);
    let array = Array2::from_shape_vec(shape, x.clone()).expect("as many numbers as the shape says");
    (shape, Tensor::from_slice([n], &x).reshape(shape), array, x)
}

/// Returns the benchmark of choosing between the elements of two operands by a mask.
fn select(n: usize) -> Row<f64> {
    let [x, y] = pair(n);
    let mask: Vec<bool> = x.iter().map(|&x| x < 3.0).collect();
    let ((m, k, l), (a, b, c), (d, e, f)) = (operands(&mask), operands(&x), operands(&y));
    let choose = |&chosen: &bool, &x: &f64, &y: &f64| if chosen { x } else { y };
    Row::new(Problem::defined([n], move |i| (choose(&mask[i[0]], &x[i[0]], &y[i[0]]), 0.0)))
        .fresh(Vierbein, move || m.select(&a, &d))
        .fresh(Ndarray, move || {
            let all = Zip::from(&k).and(&b).and(&e);
            elements(if parallel() { all.par_map_collect(choose) } else { all.map_collect(choose) })
        })
        .fresh(Std, move || l.iter().zip(&c).zip(&f).map(|((m, x), y)| choose(m, x, y)).collect::<Vec<_>>())
}

/// Returns the benchmark of a matrix whose elements are computed from their indices.
fn from_fn(n: usize) -> Row<f64> {
    let ([rows, columns], ..) = matrix(n);
    let element = |i: usize, k: usize| (7 * i + k) as f64;
    Row::new(Problem::defined([rows, columns], move |i| (element(i[0], i[1]), 0.0)))
        .fresh(Vierbein, move || Matrix::from_fn([rows, columns], |[i, k]| element(i, k)))
        .fresh(Ndarray, move || Array2::from_shape_fn([rows, columns], |(i, k)| element(i, k)))
        .fresh(Std, move || {
            let mut out = Vec::with_capacity(n);
            for i in 0..rows {
                out.extend((0..columns).map(|k| element(i, k)));
            }
            out
        })
}

/// Returns the benchmark of the largest element, which an iterator finds.
fn fold_maximum(n: usize) -> Row<f64> {
    let x = numbers(1, n);
    let (a, b, c) = operands(&x);
    let largest = x.into_iter().max_by(f64::total_cmp).expect("numbers");
    Row::new(Problem::defined([], move |_| (largest, 0.0)))
        .fresh(Vierbein, move || a.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        .fresh(Ndarray, move || b.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        .fresh(Std, move || c.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

fn maximum_of_all(n: usize) -> Row<f64> {
    let x = numbers(1, n);
    let (a, b, c) = operands(&x);
    let largest = x.into_iter().max_by(f64::total_cmp).expect("numbers");
    Row::new(Problem::defined([], move |_| (largest, 0.0)))
        .fresh(Vierbein, move || a.max().item())
        .fresh(Ndarray, move || b.fold(f64::NEG_INFINITY, |largest, &x| largest.max(x)))
        .fresh(Std, move || c.iter().fold(f64::NEG_INFINITY, |largest, &x| largest.max(x)))
}

/// Returns the position of the largest element.
fn position(lane: ArrayView1<'_, f64>) -> i64 {
    let larger = |(at, largest), (k, &x)| if x > largest { (k, x) } else { (at, largest) };
    lane.iter().enumerate().fold((0, f64::NEG_INFINITY), larger).0 as i64
}

fn argmax_axis(n: usize, axis: usize) -> Row<f64> {
    let ([rows, columns], a, b, x) = matrix(n);
    let definition = move |i: &[usize]| {
        let (count, at): (_, Box<dyn Fn(usize) -> usize>) = match axis {
            0 => (rows, Box::new(|k| k * columns + i[0])),
            _ => (columns, Box::new(|k| i[0] * columns + k)),
        };
        let found = (0..count).max_by(|&k, &l| x[at(k)].total_cmp(&x[at(l)]).then(l.cmp(&k)));
        (found.expect("a lane with elements") as f64, 0.0)
    };
    Row::new(Problem::defined([if axis == 0 { columns } else { rows }], definition))
        .fresh(Vierbein, move || a.argmax_axis(axis))
        .fresh(Ndarray, move || elements(b.map_axis(Axis(axis), position)))
}

/// Returns the benchmark of a contiguous copy of a view.
fn copy(n: usize, reversed: bool) -> Row<f64> {
    let ([rows, columns], a, b, x) = matrix(n);
    let kept = if reversed { columns } else { columns / 2 };
    let column = move |k| if reversed { columns - 1 - k } else { 2 * k };
    let y = x.clone();
    Row::new(Problem::defined([rows, kept], move |i| (x[i[0] * columns + column(i[1])], 0.0)))
        .fresh(Vierbein, move || match reversed {
            true => a.slice(s![.., ..;-1]).to_owned(),
            false => a.slice(s![.., ..;2]).to_owned(),
        })
        .fresh(Ndarray, move || match reversed {
            true => b.slice(ndarray::s![.., ..;-1]).as_standard_layout().into_owned(),
            false => b.slice(ndarray::s![.., ..;2]).as_standard_layout().into_owned(),
        })
        .fresh(Std, move || {
            let mut out = Vec::<f64>::with_capacity(rows * kept);
            for row in y.chunks_exact(columns) {
                match reversed {
                    true => out.extend(row.iter().rev()),
                    false => out.extend(row.iter().step_by(2)),
                }
            }
            out
        })
}

/// Returns the benchmark of uniform random numbers. Its check accepts all numbers from 0 to 1.
fn uniform(n: usize) -> Row<f64> {
    let [mut first, mut second, mut third] = [1, 2, 3].map(SmallRng::seed_from_u64);
    Row::new(Problem::defined([n], |_| (0.5, 0.5 / f64::TOLERANCE)))
        .fresh(Vierbein, move || Vector::<f64>::random([n], StandardUniform, &mut first))
        .fresh(Ndarray, move || Array1::from_shape_simple_fn(n, || second.random::<f64>()))
        .fresh(Std, move || (0..n).map(|_| third.random::<f64>()).collect::<Vec<_>>())
}

/// A temporary file in npy format, which is removed when the benchmark ends.
struct Npy(PathBuf);

impl Npy {
    fn new() -> Npy {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name =
            format!("vierbein-peers-{}-{}.npy", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Npy(std::env::temp_dir().join(name))
    }
    fn read(&self) -> Bytes {
        Bytes(std::fs::read(&self.0).expect("the file is there"))
    }
    fn write(&self, bytes: &[u8]) -> File {
        let mut file = File::create(&self.0).expect("a file can be created");
        file.write_all(bytes).expect("a file can be written");
        file
    }
}

impl Drop for Npy {
    fn drop(&mut self) {
        // An error only leaves a file in the temporary directory.
        std::fs::remove_file(&self.0).ok();
    }
}

/// The bytes of a file in npy format with elements of `f64`.
struct Bytes(Vec<u8>);

impl Bytes {
    /// Returns the elements' bytes, after the header, whose length is in the bytes 8 and 9.
    fn data(&self) -> &[u8] {
        &self.0[10 + usize::from(u16::from_le_bytes([self.0[8], self.0[9]]))..]
    }
}

impl Outcome<f64> for Bytes {
    fn size(&self) -> usize {
        self.data().len() / 8
    }
    fn at(&self, position: usize) -> f64 {
        f64::from_le_bytes(self.data().as_chunks().0[position])
    }
}

impl Outcome<f64> for Npy {
    fn size(&self) -> usize {
        self.read().size()
    }
    fn at(&self, position: usize) -> f64 {
        self.read().at(position)
    }
}

/// Returns the benchmark of reading a file, which the system holds in memory. The limit is reading its bytes.
fn read_npy(n: usize) -> Row<f64> {
    let x = numbers(1, n);
    let (own, other) = (Npy::new(), Npy::new());
    for file in [&own, &other] {
        Vector::from_slice([n], &x).write_npy(&file.0).expect("a file can be written");
    }
    Row::new(Problem::defined([n], move |i| (x[i[0]], 0.0)))
        .fresh(Vierbein, move || Vector::<f64>::read_npy(&own.0).expect("the file is there"))
        .fresh(Limit, move || other.read())
}

/// Returns the benchmark of overwriting a file. The limit is writing the same bytes. If `durable`, the call returns when they are on
/// the disk.
fn write_npy(n: usize, durable: bool) -> Row<f64> {
    let x = numbers(1, n);
    let a = Vector::from_slice([n], &x);
    let mut bytes = Vec::new();
    a.write_npy_to(&mut bytes).expect("memory grows");
    Row::new(Problem::defined([n], move |i| (x[i[0]], 0.0)))
        .over(Vierbein, Npy::new(), move |file| {
            match durable {
                true => a.write_npy(&file.0),
                false => a.write_npy_to(File::create(&file.0).expect("a file can be created")),
            }
            .expect("a file can be written");
        })
        .over(Limit, Npy::new(), move |file| {
            let written = file.write(&bytes);
            if durable {
                written.sync_all().expect("a file can be synchronised");
            }
        })
}

/// The benchmarks whose results are compared as `f64`.
pub(super) fn of_reals() -> Vec<Entry<f64>> {
    fn integers<T>(n: usize, of: fn(f64) -> T) -> Vec<T> {
        numbers(1, n).into_iter().map(of).collect()
    }
    let mut rows = Vec::new();
    let mut row = |name: &str, of: &'static str, build: fn(usize) -> Row<f64>| {
        for (n, size) in SIZES {
            rows.push(Entry::new(format!("{name} {size}"), move || build(n)).of(of));
        }
    };
    row("a / b", "f64", |n| two(pair(n), |x, y| x / y, |a, b| a / b, |x, y| x / y));
    row("abs", "f64", |n| one(numbers(1, n), f64::abs, |a| a.abs(), f64::abs));
    row("clamp", "f64", |n| {
        one(numbers(1, n), |x| x.clamp(-10.0, 10.0), |a| a.clamp(-10.0, 10.0), |x| x.clamp(-10.0, 10.0))
    });
    row("maximum", "f64", |n| two(pair(n), f64::max, |a, b| a.maximum(b), |x, y| if x > y { x } else { y }));
    row("a < 3", "f64", |n| one(numbers(1, n), |x| f64::from(u8::from(x < 3.0)), |a| a.lt(3.0), |x| x < 3.0));
    row("select", "f64", select);
    row("from_fn", "f64", from_fn);
    row("a.map(closure)", "f64", |n| {
        one(numbers(1, n), |x| 2.0 * x + 1.0, |a| a.map(|x| 2.0 * x + 1.0), |x| 2.0 * x + 1.0)
    });
    row("iter().fold max", "f64", fold_maximum);
    row("a / 7", "i32", |n| {
        one(integers(n, |x| x as i32), |x| (f64::from(x) / 7.0).trunc(), |a| a / 7, |x| x / 7)
    });
    row("a · a", "i64", |n| one(integers(n, |x| x as i64), |x| (x as f64).powi(2), |a| a * a, |x| x * x));
    row("i32 to f64", "i32", |n| one(integers(n, |x| x as i32), f64::from, |a| a.cast(), f64::from));
    row("abs", "c64", |n| one(complex_numbers(1, n), |z| z.norm(), |a| a.abs(), |z| z.norm()));
    row("max", "f64", maximum_of_all);
    row("argmax axis 0", "f64", |n| argmax_axis(n, 0));
    row("argmax axis 1", "f64", |n| argmax_axis(n, 1));
    row("copy a[:, ::-1]", "f64", |n| copy(n, true));
    row("copy a[:, ::2]", "f64", |n| copy(n, false));
    row("uniform random numbers", "f64", uniform);
    row("read_npy", "f64", read_npy);
    row("write_npy", "f64", |n| write_npy(n, true));
    row("write_npy_to", "f64", |n| write_npy(n, false));
    rows
}

pub(super) fn of_c64() -> Vec<Entry<C64>> {
    let product =
        |n| two([complex_numbers(1, n), complex_numbers(2, n)], |x, y| x * y, |a, b| a * b, |x, y| x * y);
    SIZES.map(|(n, size)| Entry::new(format!("a · b {size}"), move || product(n))).into()
}
