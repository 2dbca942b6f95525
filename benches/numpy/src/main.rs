//! Runs the operations of vierbein for the script `compare.py`, which compares vierbein with NumPy. The script starts this program,
//! writes requests to its standard input, and reads one line of output for each request:
//!
//! ```text
//! list                     →  the names of all benchmarks
//! check ROW N              →  some elements of the result, as numbers
//! time ROW N REPEATS       →  the seconds that REPEATS calls take
//! ```
//!
//! `N` is the number of elements of an operand. The program and the script use the same operands: see [`number`].

mod catalogue;

use num_complex::Complex;
use rand::SeedableRng;
use rand::distr::{Distribution, StandardUniform};
use rand::rngs::SmallRng;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;
use vierbein::{Cpu, Dim, Element, Rank, Storage, Tensor, concatenate, s};

type Vector<T> = Tensor<T, Rank<1>>;
type Matrix<T> = Tensor<T, Rank<2>>;

/// Returns element `k` of operand `operand`: a pseudo-random number between −73 and 73, never 0.
fn number(k: usize, operand: usize) -> f64 {
    ((k as u64 + 977 * operand as u64) * 2_654_435_761 % 2027) as f64 / 14.0 - 72.03
}

/// Returns a vector of [`number`]s. The numbers are copied to memory that vierbein allocates, because this memory has huge pages,
/// as NumPy's arrays have. A tensor made from a `Vec` would use the memory of the `Vec`.
fn vector(n: usize, operand: usize) -> Vector<f64> {
    Tensor::from_slice([n], &(0..n).map(|k| number(k, operand)).collect::<Vec<_>>())
}

fn complex(n: usize, operand: usize) -> Vector<Complex<f64>> {
    let element = |k| Complex::new(number(k, operand), number(k, operand + 10));
    Tensor::from_slice([n], &(0..n).map(element).collect::<Vec<_>>())
}

/// Returns a matrix of [`number`]s. The number of columns is a power of ten near the square root of `n`: the shape is `[200, 100]`
/// for 20 000 elements, and `[4000, 1000]` for 4 million.
fn matrix(n: usize, operand: usize) -> Matrix<f64> {
    vector(n, operand).reshape([n / columns(n), columns(n)])
}

/// Returns the number of columns of a matrix of `n` elements.
fn columns(n: usize) -> usize {
    10usize.pow((n.ilog10() + 1) / 2)
}

/// A benchmark: the call to time, and a function that returns some elements of its result.
struct Job {
    call: Box<dyn FnMut()>,
    look: Box<dyn FnMut() -> Vec<f64>>,
}

/// Results that can be compared.
trait Look {
    /// Returns up to 12 elements, at about equal distances in the result.
    fn look(&self) -> Vec<f64>;
}

impl<T: Element + Part, D: Dim, S: Storage<T, Cpu>> Look for Tensor<T, D, vierbein::RowMajor, Cpu, S> {
    fn look(&self) -> Vec<f64> {
        let all = self.to_vec();
        (0..12).map(|k| k * all.len() / 12).filter(|&k| k < all.len()).map(|k| all[k].part()).collect()
    }
}

/// Elements that convert to one number: for complex types, the sum of the real and the imaginary part.
trait Part {
    fn part(self) -> f64;
}
macro_rules! part { ($($T:ty),*) => { $(impl Part for $T { fn part(self) -> f64 { self as f64 } })* } }
part!(f64, f32, i64, i32, u64, u8);
impl Part for bool {
    fn part(self) -> f64 {
        self.into()
    }
}
impl<T: Part> Part for Complex<T> {
    fn part(self) -> f64 {
        self.re.part() + self.im.part()
    }
}

/// Returns random numbers of 64 bits, by the generator splitmix64.
fn random_bits(n: usize) -> impl Iterator<Item = u64> {
    (1..=n as u64).map(|k| {
        let z = k.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    })
}

/// An element type with a conversion from random bits.
trait Random: Element {
    fn of(bits: u64) -> Self;
}
macro_rules! random { ($($T:ty: |$bits:ident| $number:expr;)*) => { $(impl Random for $T { fn of($bits: u64) -> $T { $number } })* } }
random! {
    f64: |bits| (bits >> 11) as f64 / (1_u64 << 53) as f64;
    f32: |bits| (bits >> 40) as f32 / (1 << 24) as f32;
    i64: |bits| bits.cast_signed();
    i32: |bits| ((bits >> 32) as u32).cast_signed();
}

fn random<T: Random>(n: usize) -> Vector<T> {
    Tensor::from_slice([n], &random_bits(n).map(T::of).collect::<Vec<_>>())
}

fn job<R: Look + 'static>(f: impl Fn() -> R + Clone + 'static) -> Job {
    let again = f.clone();
    Job {
        call: Box::new(move || {
            black_box(f());
        }),
        look: Box::new(move || again().look()),
    }
}

/// Returns a benchmark with one operand.
fn one<R: Look + 'static>(f: fn(&Vector<f64>) -> R) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let x = std::rc::Rc::new(vector(n, 0));
        job(move || f(&x))
    })
}

/// Returns a benchmark with one operand whose elements are converted from `f64`.
fn one_of<T: Element, R: Look + 'static>(
    convert: fn(f64) -> T,
    f: fn(&Vector<T>) -> R,
) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let x = std::rc::Rc::new(vector(n, 0).map(convert));
        job(move || f(&x))
    })
}

/// Returns a benchmark with one operand of random numbers.
fn of_random<T: Random, R: Look + 'static>(f: fn(&Vector<T>) -> R) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let x = std::rc::Rc::new(random::<T>(n));
        job(move || f(&x))
    })
}

/// Returns a benchmark with one operand of random numbers that have four values, so that many elements are equal.
fn of_few_values<R: Look + 'static>(f: fn(&Vector<f64>) -> R) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let x = std::rc::Rc::new((random::<f64>(n) * 4.0).floor());
        job(move || f(&x))
    })
}

fn two<R: Look + 'static>(f: fn(&Vector<f64>, &Vector<f64>) -> R) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let x = std::rc::Rc::new((vector(n, 0), vector(n, 1)));
        job(move || f(&x.0, &x.1))
    })
}

/// Returns a benchmark with two operands of the same type, whose elements are converted from `f64`.
fn two_of<T: Element, R: Look + 'static>(
    convert: fn(f64) -> T,
    convert_right: fn(f64) -> T,
    f: fn(&Vector<T>, &Vector<T>) -> R,
) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let x = std::rc::Rc::new((vector(n, 0).map(convert), vector(n, 1).map(convert_right)));
        job(move || f(&x.0, &x.1))
    })
}

fn of_matrix<R: Look + 'static>(f: fn(&Matrix<f64>) -> R) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let x = std::rc::Rc::new(matrix(n, 0));
        job(move || f(&x))
    })
}

fn of_matrices<R: Look + 'static>(f: fn(&Matrix<f64>, &Matrix<f64>) -> R) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let x = std::rc::Rc::new((matrix(n, 0), matrix(n, 1)));
        job(move || f(&x.0, &x.1))
    })
}

fn of_complex<R: Look + 'static>(
    f: fn(&Vector<Complex<f64>>, &Vector<Complex<f64>>) -> R,
) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let x = std::rc::Rc::new((complex(n, 0), complex(n, 1)));
        job(move || f(&x.0, &x.1))
    })
}

fn of_narrow_complex<R: Look + 'static>(f: fn(&Vector<Complex<f32>>) -> R) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let z = std::rc::Rc::new(complex(n, 0).cast::<Complex<f32>>());
        job(move || f(&z))
    })
}

/// Of a pair of results, such as those of a decomposition, only the first is compared.
impl<A: Look, B> Look for (A, B) {
    fn look(&self) -> Vec<f64> {
        self.0.look()
    }
}

/// Returns a square matrix of random numbers, with about `n` elements.
fn square(n: usize) -> Matrix<f64> {
    let extent = n.isqrt();
    (random::<f64>(extent * extent) - 0.5).reshape([extent, extent])
}

/// [`square`] with complex numbers.
fn complex_square(n: usize) -> Matrix<Complex<f64>> {
    let extent = n.isqrt();
    let part = |bits: u64| bits as f64 / (1_u64 << 53) as f64 - 0.5;
    let elements =
        random_bits(extent * extent).map(|bits| Complex::new(part(bits >> 11), part(bits & ((1 << 53) - 1))));
    Tensor::from_slice([extent, extent], &elements.collect::<Vec<_>>())
}

/// Returns a benchmark of linear algebra: `f` gets the matrix that `build` returns.
fn of_square<T: Element, R: Look + 'static>(
    build: fn(usize) -> Matrix<T>,
    f: fn(&Matrix<T>) -> R,
) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let x = std::rc::Rc::new(build(n));
        job(move || f(&x))
    })
}

/// Adds the benchmarks of linear algebra for one element type to `$rows`.
macro_rules! linear_algebra {
    ($rows:ident, $build:ident, $T:ty, $($name:literal),*) => {
        let [svd, eigh, qr, solve] = [$($name),*];
        $rows.push((svd, of_square($build, |x| {
            let svd = x.svd();
            (svd.s, (svd.u, svd.vh))
        })));
        $rows.push((eigh, of_square(|n| { let x = $build(n); &x + &x.adjoint() }, |x| x.eigh())));
        $rows.push((qr, of_square($build, |x| {
            let (q, r) = x.qr();
            (r.diagonal(0, 1).abs(), (q, r))
        })));
        $rows.push((solve, of_square($build, |x| x.solve(&Vector::<$T>::ones([x.shape()[0]])))));
    };
}

/// Returns a benchmark with random results. Only their mean is compared, multiplied by 20 and rounded.
fn samples<Di: Distribution<f64> + Copy + 'static>(distribution: Di) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let mut rng = SmallRng::seed_from_u64(1);
        Job {
            call: Box::new(move || {
                drop(black_box(Vector::<f64>::random([n], distribution, &mut rng)));
            }),
            look: Box::new(move || {
                let mut rng = SmallRng::seed_from_u64(2);
                vec![(Vector::<f64>::random([n], distribution, &mut rng).mean().item() * 20.0).round()]
            }),
        }
    })
}

/// Returns the path of the temporary file for benchmarks that read or write.
fn path() -> std::path::PathBuf {
    std::env::temp_dir().join(format!("vierbein-numpy-rows-{}.npy", std::process::id()))
}

fn read_file(n: usize) -> Job {
    vector(n, 0).write_npy(path()).expect("a file can be written");
    job(|| Vector::<f64>::read_npy(path()).expect("the file is there"))
}

fn write_file(n: usize) -> Job {
    let x = vector(n, 0);
    let sample = x.look();
    Job {
        call: Box::new(move || x.write_npy(path()).expect("a file can be written")),
        look: Box::new(move || sample.clone()),
    }
}

/// Returns a benchmark that creates a file and writes to it. Like NumPy's `save`, it does not wait until the data are on disk.
fn write_to_file(n: usize) -> Job {
    let x = vector(n, 0);
    let sample = x.look();
    Job {
        call: Box::new(move || {
            let file = std::fs::File::create(path()).expect("a file can be created");
            x.write_npy_to(file).expect("a file can be written");
        }),
        look: Box::new(move || sample.clone()),
    }
}

/// Returns the path of the temporary file for benchmarks of CSV.
fn csv_path() -> std::path::PathBuf {
    path().with_extension("csv")
}

const NAMES: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

fn read_csv(n: usize) -> Job {
    random::<f64>(n).reshape([n / 10, 10]).write_csv(csv_path(), &NAMES).expect("a file can be written");
    job(|| Matrix::<f64>::read_csv(csv_path()).expect("the file is there").1)
}

/// Returns a benchmark that reads numbers with five decimals.
fn read_short_csv(n: usize) -> Job {
    let mut text = NAMES.join(",") + "\n";
    for k in 0..n {
        text += &format!("{:.5}{}", number(k, 0), if k % 10 == 9 { "\n" } else { "," });
    }
    std::fs::write(csv_path(), text).expect("a file can be written");
    job(|| Matrix::<f64>::read_csv(csv_path()).expect("the file is there").1)
}

/// Returns a benchmark that creates a CSV file and writes to it. Like `to_csv` of pandas, it does not wait until the data are on
/// disk.
fn write_csv(n: usize) -> Job {
    let x = random::<f64>(n).reshape([n / 10, 10]);
    // `to_csv` of pandas returns nothing, so `compare.py` compares elements of this vector instead of results.
    let sample = vector(n, 0).look();
    Job {
        call: Box::new(move || {
            let file = std::fs::File::create(csv_path()).expect("a file can be created");
            x.write_csv_to(file, &NAMES).expect("a file can be written");
        }),
        look: Box::new(move || sample.clone()),
    }
}

/// Returns a benchmark with a vector and random positions along it.
fn at_positions<R: Look + 'static>(f: fn(&Vector<f64>, &Vector<i64>) -> R) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let at: Vec<i64> = random_bits(n).map(|bits| (bits % n as u64).cast_signed()).collect();
        let x = std::rc::Rc::new((vector(n, 0), Tensor::from_slice([n], &at)));
        job(move || f(&x.0, &x.1))
    })
}

fn masked(n: usize) -> Job {
    let mask: Vec<bool> = random_bits(n).map(|bits| bits % 2 == 0).collect();
    let x = std::rc::Rc::new((vector(n, 0), Tensor::from_slice([n], &mask)));
    job(move || x.0.masked(&x.1))
}

/// Returns a benchmark with a complex matrix of the shape of [`matrix`].
fn of_complex_matrix<R: Look + 'static>(f: fn(&Matrix<Complex<f64>>) -> R) -> Box<dyn Fn(usize) -> Job> {
    Box::new(move |n| {
        let columns = matrix(n, 0).shape()[1];
        let x = std::rc::Rc::new(complex(n, 0).reshape([n / columns, columns]));
        job(move || f(&x))
    })
}

/// Benchmarks of sorting and selection for each element type.
macro_rules! ordering {
    ($($T:ident)*) => {
        vec![$(
            (concat!("sort of random ", stringify!($T)), of_random::<$T, _>(|x| x.sort(0))),
            (concat!("argsort of random ", stringify!($T)), of_random::<$T, _>(|x| x.argsort(0))),
            (concat!("stable argsort of random ", stringify!($T)), of_random::<$T, _>(|x| x.argsort(0))),
            (concat!("partition of random ", stringify!($T)), of_random::<$T, _>(|x| {
                let k = x.len() / 3;
                x.partition(0, k).slice(s![k..k + 1]).to_owned()
            })),
            (concat!("median of random ", stringify!($T)), of_random::<$T, _>(|x| x.median())),
            (concat!("top_k 100 of random ", stringify!($T)), of_random::<$T, _>(|x| x.top_k(0, 100).0)),
            (concat!("unique of random ", stringify!($T)), of_random::<$T, _>(|x| x.unique())),
            (concat!("sort of lines of 8 ", stringify!($T)), of_random::<$T, _>(|x| x.as_shape([x.len() / 8, 8]).sort(1))),
            (concat!("sort of 8 rows of ", stringify!($T)), of_random::<$T, _>(|x| x.as_shape([8, x.len() / 8]).sort(0))),
            (concat!("sort of lines of 100 ", stringify!($T)), of_random::<$T, _>(|x| x.as_shape([x.len() / 100, 100]).sort(1))),
            (concat!("argsort of lines of 8 ", stringify!($T)), of_random::<$T, _>(|x| x.as_shape([x.len() / 8, 8]).argsort(1))),
            (concat!("argsort of 8 rows of ", stringify!($T)), of_random::<$T, _>(|x| x.as_shape([8, x.len() / 8]).argsort(0))),
            (concat!("argsort of lines of 100 ", stringify!($T)), of_random::<$T, _>(|x| x.as_shape([x.len() / 100, 100]).argsort(1))),
        )*]
    };
}

fn everyday() -> Vec<Named> {
    let mut rows: Vec<Named> = ordering![f64 f32 i64 i32];
    rows.extend([
        ("sort of few values", of_few_values(|x| x.sort(0))),
        ("argsort of few values", of_few_values(|x| x.argsort(0))),
        (
            "partition of few values",
            of_few_values(|x| {
                let k = x.len() / 3;
                x.partition(0, k).slice(s![k..k + 1]).to_owned()
            }),
        ),
        ("median of few values", of_few_values(|x| x.median())),
        ("top_k 100 of few values", of_few_values(|x| x.top_k(0, 100).0)),
        ("concatenate", two(|x, y| concatenate(0, [x, y]))),
        ("roll", one(|x| x.roll(0, 1234))),
        ("take at random positions", at_positions(|x, at| x.take(0, at))),
        (
            "scatter_add at random positions",
            at_positions(|x, at| {
                let mut sums = Vector::<f64>::zeros([x.len()]);
                sums.scatter_add(0, at, x);
                sums
            }),
        ),
        ("masked", Box::new(masked)),
        ("fft over axis 1", of_complex_matrix(|x| x.fft(1))),
        ("fft over axis 0", of_complex_matrix(|x| x.fft(0))),
        ("fft of f64 over axis 0", of_matrix(|x| x.fft(0))),
        ("rfft over axis 1", of_matrix(|x| x.rfft(1))),
        ("rfft over axis 0", of_matrix(|x| x.rfft(0))),
        ("irfft over axis 0", of_complex_matrix(|x| x.irfft(0, 2 * x.shape()[0] - 2))),
        ("read_csv", Box::new(read_csv)),
        ("read_csv of 5 decimals", Box::new(read_short_csv)),
        ("write_csv_to a file", Box::new(write_csv)),
    ]);
    rows
}

// Functions that map a number to an argument of an elementary function: any number, a positive number, a number of magnitude
// below 1, or a number of at least 1.

fn any(x: f64) -> f64 {
    x
}
fn positive(x: f64) -> f64 {
    x.abs()
}
fn unit(x: f64) -> f64 {
    x / 73.0
}
/// The numbers between about -3 and 3, where the error function changes.
fn central(x: f64) -> f64 {
    x / 24.0
}
fn beyond_1(x: f64) -> f64 {
    x.abs() + 1.0
}

/// A benchmark with `f64` and one with `f32` for each elementary function.
macro_rules! elementary {
    ($($name:literal: $method:ident($($argument:literal)?) of $domain:ident,)*) => {
        vec![$(
            ($name, one_of($domain, |x| x.$method($($argument)?))),
            (concat!($name, " of f32"), one_of(|x| $domain(x) as f32, |x| x.$method($($argument)?))),
        )*]
    };
}

/// A benchmark with `c64` and one with `c32` for each elementary function of complex numbers.
macro_rules! complex_functions {
    ($($name:literal: $method:ident($($argument:literal)?),)*) => {
        vec![$(
            (concat!($name, " of c64"), of_complex(|z, _| z.$method($($argument)?))),
            (concat!($name, " of c32"), of_narrow_complex(|z| z.$method($($argument)?))),
        )*]
    };
}

fn functions() -> Vec<Named> {
    let mut rows: Vec<Named> = complex_functions![
        "exp": exp(),
        "log": ln(),
        "sqrt": sqrt(),
        "sin": sin(),
        "cos": cos(),
        "tan": tan(),
        "sinh": sinh(),
        "cosh": cosh(),
        "tanh": tanh(),
        "arcsin": asin(),
        "arccos": acos(),
        "arctan": atan(),
        "arcsinh": asinh(),
        "arccosh": acosh(),
        "arctanh": atanh(),
        "power 1.7": powf(1.7),
        "angle": arg(),
    ];
    rows.push(("power 1+0.5i of c64", of_complex(|z, _| z.pow(Complex::new(1.0, 0.5)))));
    rows.push(("power 1+0.5i of c32", of_narrow_complex(|z| z.pow(Complex::new(1.0, 0.5)))));
    rows.extend(real_functions());
    rows.push(("arctan2", two(|x, y| x.atan2(y))));
    rows.push(("hypot", two(|x, y| x.hypot(y))));
    linear_algebra!(rows, square, f64, "svd of f64", "eigh of f64", "qr of f64", "solve of f64");
    linear_algebra!(
        rows,
        complex_square,
        Complex<f64>,
        "svd of c64",
        "eigh of c64",
        "qr of c64",
        "solve of c64"
    );
    rows
}

fn real_functions() -> Vec<Named> {
    elementary![
        "exp": exp() of any,
        "exp2": exp2() of any,
        "expm1": exp_m1() of any,
        "log": ln() of positive,
        "log2": log2() of positive,
        "log10": log10() of positive,
        "log1p": ln_1p() of positive,
        "sin": sin() of any,
        "cos": cos() of any,
        "tan": tan() of any,
        "arcsin": asin() of unit,
        "arccos": acos() of unit,
        "arctan": atan() of any,
        "sinh": sinh() of any,
        "cosh": cosh() of any,
        "tanh": tanh() of unit,
        "arcsinh": asinh() of any,
        "arccosh": acosh() of beyond_1,
        "arctanh": atanh() of unit,
        "cbrt": cbrt() of any,
        "power 1.7": powf(1.7) of positive,
        "erf": erf() of central,
        "erfc": erfc() of central,
    ]
}

type Named = (&'static str, Box<dyn Fn(usize) -> Job>);

fn rows() -> Vec<Named> {
    let mut rows: Vec<Named> = vec![
        ("x + y", two(|x, y| x + y)),
        ("x - 1.5", one(|x| x - 1.5)),
        ("x / y", two(|x, y| x / y)),
        ("abs", one(|x| x.abs())),
        ("sqrt(x + 73)", one(|x| (x + 73.0).sqrt())),
        ("clamp", one(|x| x.clamp(-10.0, 10.0))),
        ("maximum", two(|x, y| x.maximum(y))),
        ("less than a scalar", one(|x| x.lt(3.0))),
        ("lt", two(|x, y| x.lt(y))),
        ("select", two(|x, y| x.lt(3.0).select(x, y))),
        ("i32 / 7", one_of(|x| x as i32, |x| x / 7)),
        ("i64 / 7", one_of(|x| x as i64, |x| x / 7)),
        ("i32 / -10", one_of(|x| x as i32, |x| x / -10)),
        ("u8 / 7", one_of(|x| x.abs() as u8, |x| x / 7)),
        ("i32 % 7", one_of(|x| x as i32, |x| x % 7)),
        ("x % 3.7", one(|x| x % 3.7)),
        ("i64 * i64", one_of(|x| x as i64, |x| x * x)),
        ("i32 to f64", one_of(|x| x as i32, |x| x.cast::<f64>())),
        ("u8 + u8", one_of(|x| x.abs() as u8, |x| x + x)),
        ("i32 / i32", two_of(|x| x as i32, |y| y.abs() as i32 + 1, |x, y| x / y)),
        ("i32 % i32", two_of(|x| x as i32, |y| y.abs() as i32 + 1, |x, y| x % y)),
        ("u8 / u8", two_of(|x| x.abs() as u8, |y| y.abs() as u8 + 1, |x, y| x / y)),
        ("abs of i32", one_of(|x| x as i32, |x| x.abs())),
        ("abs of i64", one_of(|x| x as i64, |x| x.abs())),
        ("power 2", one(|x| x.powi(2))),
        ("power 6", one(|x| x.powi(6))),
        ("power 3 of i64", one_of(|x| x as i64, |x| x.powi(3))),
        ("f64 to i32", one(|x| x.cast::<i32>())),
        ("f64 to u8", one_of(f64::abs, |x| x.cast::<u8>())),
        ("f64 to i64", one(|x| x.cast::<i64>())),
        ("f32 to i32", one_of(|x| x as f32, |x| x.cast::<i32>())),
        ("i64 to f64", one_of(|x| x as i64, |x| x.cast::<f64>())),
        ("i64 to i32", one_of(|x| x as i64, |x| x.cast::<i32>())),
        ("neg of c64", of_complex(|x, _| -x)),
        ("conj of c64", of_complex(|x, _| x.conj())),
        ("conj of c32", of_narrow_complex(|x| x.conj())),
        ("c64 == c64", of_complex(|x, y| x.equal(y))),
        ("vdot of c64", of_complex(|x, y| x.vdot(y))),
        ("abs of c32", of_narrow_complex(|x| x.abs())),
        ("c64 * c64", of_complex(|x, y| x * y)),
        ("c64 / c64", of_complex(|x, y| x / y)),
        ("abs of c64", of_complex(|x, _| x.abs())),
        ("sum", one(|x| x.sum())),
        ("max", one(|x| x.max())),
        ("prod", one(|x| x.prod())),
        ("var", one(|x| x.var(0))),
        ("cumsum", one(|x| x.cumsum(0))),
        ("argmax", one(|x| x.argmax())),
        ("sum over axis 0", of_matrix(|x| x.sum_axis(0))),
        ("sum over axis 1", of_matrix(|x| x.sum_axis(1))),
        ("argmax over axis 0", of_matrix(|x| x.argmax_axis(0))),
        ("argmax over axis 1", of_matrix(|x| x.argmax_axis(1))),
        ("max over axis 0", of_matrix(|x| x.max_axis(0))),
        ("copy of [.., ..;-1]", of_matrix(|x| x.slice(s![.., ..;-1]).to_owned())),
        ("copy of [.., ..;2]", of_matrix(|x| x.slice(s![.., ..;2]).to_owned())),
        ("copy of [..;-1, ..]", of_matrix(|x| x.slice(s![..;-1, ..]).to_owned())),
        ("copy of the transpose", of_matrix(|x| x.t().to_owned())),
        ("matrix + row", of_matrices(|x, y| x + y.slice(s![0, ..]))),
        ("uniform random numbers", samples(StandardUniform)),
        ("read_npy", Box::new(read_file)),
        ("write_npy", Box::new(write_file)),
        ("write_npy_to a file", Box::new(write_to_file)),
    ];
    rows.extend(functions());
    rows.extend(everyday());
    rows.extend(catalogue::rows());
    rows
}

fn main() {
    let rows = rows();
    let find = |name: &str| &rows.iter().find(|row| row.0 == name).expect("a row of this name").1;
    let mut current: Option<(String, Job)> = None;
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("requests are text");
        let words: Vec<&str> = line.split('\t').collect();
        let answer = match words[..] {
            ["list"] => rows.iter().map(|row| row.0).collect::<Vec<_>>().join("\t"),
            ["check" | "time", name, n, ..] => {
                let key = format!("{name} {n}");
                let kept = current.take().filter(|(last, _)| *last == key);
                let job = &mut current
                    .insert(
                        kept.unwrap_or_else(|| (key, find(name)(n.parse().expect("a number of elements")))),
                    )
                    .1;
                match words[3..] {
                    [] => (job.look)().iter().map(f64::to_string).collect::<Vec<_>>().join("\t"),
                    [repeats] => {
                        let repeats: usize = repeats.parse().expect("a number of calls");
                        let start = Instant::now();
                        (0..repeats).for_each(|_| (job.call)());
                        start.elapsed().as_secs_f64().to_string()
                    }
                    _ => panic!("not a request: {line}"),
                }
            }
            _ => panic!("not a request: {line}"),
        };
        println!("{answer}");
        std::io::stdout().flush().expect("standard output is open");
    }
    std::fs::remove_file(path()).ok();
    std::fs::remove_file(csv_path()).ok();
}
