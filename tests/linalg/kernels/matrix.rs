//! Matrices of `Complex<f64>` with naive products, and matrices that are hard to decompose.

use vierbein::Complex;
use vierbein::linalg::LinalgElement;

/// Conversions of an element, and constants of its type.
pub(super) trait Value: Copy {
    const IS_COMPLEX: bool;
    /// The relative rounding error of the type.
    const UNIT: f64;
    fn rounded(x: Complex<f64>) -> Self;
    fn wide(self) -> Complex<f64>;
    fn bits(self) -> [u64; 2];
    /// Multiplies by `2^k` in several steps, because `2^k` itself may not be representable.
    fn shift(self, k: i32) -> Self;
}

/// The element types.
pub(super) trait Number: Value + LinalgElement<Magnitude: Value, Complex: Value> {}
impl<T: Value + LinalgElement<Magnitude: Value, Complex: Value>> Number for T {}

pub(super) fn power(k: i32) -> impl Iterator<Item = f64> {
    let parts = k.abs() / 100 + 1;
    (0..parts).map(move |i| 2.0f64.powi(k * (i + 1) / parts - k * i / parts))
}

macro_rules! numbers {
    ($($R:ident)*) => {$(
        impl Value for $R {
            const IS_COMPLEX: bool = false;
            const UNIT: f64 = $R::EPSILON as f64 / 2.0;
            fn rounded(x: Complex<f64>) -> Self {
                x.re as $R
            }
            fn wide(self) -> Complex<f64> {
                Complex::new(f64::from(self), 0.0)
            }
            fn bits(self) -> [u64; 2] {
                [u64::from(self.to_bits()), 0]
            }
            fn shift(self, k: i32) -> Self {
                power(k).fold(self, |x, factor| x * factor as $R)
            }
        }
        impl Value for Complex<$R> {
            const IS_COMPLEX: bool = true;
            const UNIT: f64 = $R::EPSILON as f64 / 2.0;
            fn rounded(x: Complex<f64>) -> Self {
                Complex::new(x.re as $R, x.im as $R)
            }
            fn wide(self) -> Complex<f64> {
                Complex::new(f64::from(self.re), f64::from(self.im))
            }
            fn bits(self) -> [u64; 2] {
                [u64::from(self.re.to_bits()), u64::from(self.im.to_bits())]
            }
            fn shift(self, k: i32) -> Self {
                Complex::new(self.re.shift(k), self.im.shift(k))
            }
        }
    )*};
}
numbers!(f32 f64);

/// A matrix of an element type, in row-major order.
#[derive(Debug, Clone)]
pub(super) struct Matrix<T> {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) elements: Vec<T>,
}

impl<T: Copy> Matrix<T> {
    pub(super) fn from_fn(m: usize, n: usize, f: impl Fn(usize, usize) -> T) -> Self {
        let mut elements = Vec::with_capacity(m * n);
        for i in 0..m {
            for j in 0..n {
                elements.push(f(i, j));
            }
        }
        Matrix { m, n, elements }
    }
    pub(super) fn at(&self, i: usize, j: usize) -> T {
        self.elements[i * self.n + j]
    }
    pub(super) fn transposed(&self) -> Self {
        Matrix::from_fn(self.n, self.m, |i, j| self.at(j, i))
    }
    pub(super) fn map<R: Copy>(&self, f: impl Fn(T) -> R) -> Matrix<R> {
        Matrix { m: self.m, n: self.n, elements: self.elements.iter().map(|&x| f(x)).collect() }
    }
    pub(super) fn columns(&self, n: usize) -> Self {
        Matrix::from_fn(self.m, n, |i, j| self.at(i, j))
    }
}

impl<T: Value + PartialEq> Matrix<T> {
    pub(super) fn wide(&self) -> Wide {
        self.map(Value::wide)
    }
    pub(super) fn bits(&self) -> Vec<[u64; 2]> {
        // Zeros of both signs get the same bits, because the sign of a zero may depend on the layout.
        self.elements
            .iter()
            .map(|&x| if x == T::rounded(Complex::ZERO) { [0; 2] } else { x.bits() })
            .collect()
    }
}

pub(super) type Wide = Matrix<Complex<f64>>;

impl Wide {
    pub(super) fn identity(n: usize) -> Self {
        Matrix::from_fn(n, n, |i, j| Complex::from(f64::from(u8::from(i == j))))
    }
    pub(super) fn conj(&self) -> Self {
        self.map(|x| Complex::new(x.re, -x.im))
    }
    pub(super) fn adjoint(&self) -> Self {
        Matrix::from_fn(self.n, self.m, |i, j| {
            let x = self.elements[j * self.n + i];
            Complex::new(x.re, -x.im)
        })
    }
    pub(super) fn times(&self, other: &Self) -> Self {
        assert_eq!(self.n, other.m);
        let mut product = Matrix::from_fn(self.m, other.n, |_, _| Complex::ZERO);
        // Products of real matrices have no imaginary parts. NaN as an imaginary part is not equal to 0.
        let real = self.is_real() && other.is_real();
        for (row, to) in self.elements.chunks(self.n.max(1)).zip(product.elements.chunks_mut(other.n.max(1)))
        {
            for (&x, row) in row.iter().zip(other.elements.chunks(other.n.max(1))) {
                // Without iterators and operators of `Complex`, which are slow in builds without optimisation.
                let mut j = 0;
                if real {
                    while j < row.len() {
                        to[j].re += x.re * row[j].re;
                        j += 1;
                    }
                }
                while j < row.len() {
                    let y = row[j];
                    to[j].re += x.re * y.re - x.im * y.im;
                    to[j].im += x.re * y.im + x.im * y.re;
                    j += 1;
                }
            }
        }
        product
    }
    /// Returns the norm of `aᴴ · a − 1`, which is 0 if the columns are orthonormal. The matrix is Hermitian, so its upper triangle
    /// determines the norm.
    pub(super) fn distance_from_orthonormal(&self) -> f64 {
        let (n, real) = (self.n, self.is_real());
        let mut gram = vec![Complex::<f64>::ZERO; n * n];
        for row in self.elements.chunks(n.max(1)) {
            for (i, to) in gram.chunks_mut(n).enumerate() {
                let (x, mut j) = (row[i], i);
                if real {
                    while j < n {
                        to[j].re += x.re * row[j].re;
                        j += 1;
                    }
                }
                while j < n {
                    let y = row[j];
                    to[j].re += x.re * y.re + x.im * y.im;
                    to[j].im += x.re * y.im - x.im * y.re;
                    j += 1;
                }
            }
        }
        let mut square = 0.0;
        for i in 0..n {
            square += (gram[i * n + i].re - 1.0).powi(2) + gram[i * n + i].im.powi(2);
            for x in &gram[i * n + i + 1..(i + 1) * n] {
                square += 2.0 * (x.re * x.re + x.im * x.im);
            }
        }
        square.sqrt()
    }
    fn is_real(&self) -> bool {
        self.elements.iter().all(|x| x.im == 0.0)
    }
    pub(super) fn scaled_columns(&self, by: &[Complex<f64>]) -> Self {
        Matrix::from_fn(self.m, self.n, |i, j| self.at(i, j) * by[j])
    }
    pub(super) fn minus(&self, other: &Self) -> Self {
        assert_eq!((self.m, self.n), (other.m, other.n));
        Matrix::from_fn(self.m, self.n, |i, j| {
            let (x, y) = (self.at(i, j), other.at(i, j));
            Complex::new(x.re - y.re, x.im - y.im)
        })
    }
    pub(super) fn norm(&self) -> f64 {
        self.elements.iter().fold(0.0, |sum, x| sum + (x.re * x.re + x.im * x.im)).sqrt()
    }
}

/// Numbers between −1 and 1 (Knuth's linear congruential generator).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn real(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 40) as f64 / (1u64 << 23) as f64 - 1.0
    }
    pub(super) fn matrix(&mut self, m: usize, n: usize) -> Wide {
        Matrix { m, n, elements: (0..m * n).map(|_| Complex::new(self.real(), self.real())).collect() }
    }
}

/// Returns a unitary matrix, real if `real`: a product of two reflections.
fn unitary(n: usize, random: &mut Random, real: bool) -> Wide {
    let mut reflection = || {
        let mut v = random.matrix(n, 1);
        if real {
            v = v.map(|x| Complex::from(x.re));
        }
        let square = v.norm().powi(2);
        Wide::identity(n).minus(&v.times(&v.adjoint()).map(|x| x * (2.0 / square)))
    };
    reflection().times(&reflection())
}

/// Returns matrices of these extents that are hard to decompose, with names. If `real` is `true`, the matrices are real.
pub(super) fn cases(m: usize, n: usize, real: bool) -> Vec<(&'static str, Wide)> {
    let (k, mut random) = (m.min(n), Random(1 + (m * 1000 + n) as u64));
    let mut general = |m, n| {
        let a = random.matrix(m, n);
        if real { a.map(|x| Complex::from(x.re)) } else { a }
    };
    let one = Complex::from(1.0);
    let dense = general(m, n);
    let deficient = general(m, k / 2).times(&general(k / 2, n));
    let mut random = Random(99);
    let mut with_values = |f: &dyn Fn(usize) -> f64| {
        let values: Vec<_> = (0..k).map(|j| Complex::from(f(j))).collect();
        let (u, v) = (unitary(m, &mut random, real), unitary(n, &mut random, real));
        u.columns(k).scaled_columns(&values).times(&v.columns(k).adjoint())
    };
    vec![
        ("rank k / 2", deficient),
        ("zero", dense.map(|_| Complex::ZERO)),
        ("identity", Matrix::from_fn(m, n, |i, j| if i == j { one } else { Complex::ZERO })),
        ("ones", dense.map(|_| one)),
        (
            "graded columns",
            Matrix::from_fn(m, n, |i, j| dense.at(i, j) * 10f64.powi(-((20 * j / n.max(1)) as i32))),
        ),
        (
            "graded rows",
            Matrix::from_fn(m, n, |i, j| dense.at(i, j) * 10f64.powi(-((20 * i / m.max(1)) as i32))),
        ),
        ("geometric values", with_values(&|j| 10f64.powi(-((16 * j / k.max(1)) as i32)))),
        ("twofold values", with_values(&|j| 1.0 + (j / 2) as f64)),
        ("clustered values", with_values(&|j| 1.0 + 1e-14 * j as f64)),
        ("Hilbert", Matrix::from_fn(m, n, |i, j| one / (i + j + 1) as f64)),
        (
            "one large element",
            Matrix::from_fn(m, n, |i, j| dense.at(i, j) * if i + j == 1 { 1e20 } else { 1.0 }),
        ),
        ("random", dense),
    ]
}
