//! Square roots and logarithms of matrices, from the Schur decomposition `a = z · t · zᴴ`: N. J. Higham, "Functions of
//! Matrices" (2008), algorithms 6.3 (square roots of triangular matrices) and 11.9 (logarithms by square roots and Padé approximants).

use super::balance::{exponent, scaled};
use super::stack::{Stack, StackExtents, StackView, adjoint, extents, matrix_axes, stack_shape, stacked};
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Backend, Copy, Device};
use crate::element::{CastTo, Element, FloatFunction, Scalar};
use crate::error::{Error, fallible};
use crate::order::Order;
use crate::rank::{Dim, MatrixStack};
use crate::storage::Storage;
use crate::tensor::Tensor;
use num_traits::ToPrimitive;

/// A square complex matrix on the host, stored row by row. All such matrices are upper triangular, except for the Schur form of a real
/// matrix before [`triangularise`], and the unitary factor `z`.
#[derive(Clone)]
struct Triangular<C> {
    n: usize,
    elements: Vec<C>,
}

impl<C: LinalgElement> Triangular<C> {
    fn at(&self, i: usize, j: usize) -> C {
        self.elements[i * self.n + j]
    }

    fn set(&mut self, i: usize, j: usize, x: C) {
        self.elements[i * self.n + j] = x;
    }

    /// Returns the sum of `self[i, k] · other[k, j]` over the `k` between `i` and `j`, both excluded.
    fn inner(&self, other: &Triangular<C>, i: usize, j: usize) -> C {
        (i + 1..j).fold(C::zero(), |sum, k| sum + self.at(i, k) * other.at(k, j))
    }

    /// Returns an even exponent of a power of two by which the matrix can be divided so that no element is near the limits of its type. It
    /// lies in the middle between the largest element and the least diagonal element, so that the least eigenvalue does not become 0.
    fn middle_exponent(&self) -> i32 {
        let exponents = |elements: &mut dyn Iterator<Item = C>| -> Vec<i32> {
            elements.filter(|&x| x != C::zero()).map(exponent).collect()
        };
        let all = exponents(&mut self.elements.iter().copied());
        let diagonal = exponents(&mut (0..self.n).map(|j| self.at(j, j)));
        let largest = all.into_iter().max().unwrap_or(0);
        (largest + diagonal.into_iter().min().unwrap_or(largest)) / 4 * 2
    }

    /// Returns the matrix times a power of two.
    fn times_power(&self, exponent: i32) -> Triangular<C> {
        Triangular { n: self.n, elements: self.elements.iter().map(|&x| scaled(x, exponent)).collect() }
    }

    /// Returns the principal square root. Returns `None` if there is none, which happens only if 0 is an eigenvalue more than once.
    fn square_root(&self) -> Option<Triangular<C>> {
        let mut root = Triangular { n: self.n, elements: vec![C::zero(); self.n * self.n] };
        for j in 0..self.n {
            root.set(j, j, self.at(j, j).function(FloatFunction::Sqrt));
            for i in (0..j).rev() {
                let (rest, sum) = (self.at(i, j) - root.inner(&root, i, j), root.at(i, i) + root.at(j, j));
                if sum != C::zero() {
                    root.set(i, j, rest.quotient(sum));
                } else if rest != C::zero() {
                    return None;
                }
            }
        }
        Some(root)
    }

    /// Subtracts 1 from the diagonal.
    fn minus_one(mut self) -> Triangular<C> {
        for j in 0..self.n {
            self.set(j, j, self.at(j, j) - C::one());
        }
        self
    }

    /// Returns the 1-norm: the largest sum of magnitudes over a column.
    fn norm(&self) -> f64 {
        let size = |x: C| CastTo::<C::Magnitude>::cast_to(x.modulus()).to_f64().unwrap_or(f64::NAN);
        (0..self.n).map(|j| (0..=j).map(|i| size(self.at(i, j))).sum()).fold(0.0, f64::max)
    }

    /// Adds `weight · (1 + node · x)⁻¹ · x` to `self`.
    fn add_fraction(&mut self, x: &Triangular<C>, weight: f64, node: f64) {
        let (weight, node) = (C::from_f64(weight), C::from_f64(node));
        let mut solution = Triangular { n: self.n, elements: vec![C::zero(); self.n * self.n] };
        for j in 0..self.n {
            for i in (0..=j).rev() {
                let known = (i + 1..=j).fold(C::zero(), |sum, k| sum + node * x.at(i, k) * solution.at(k, j));
                solution.set(i, j, (x.at(i, j) - known).quotient(C::one() + node * x.at(i, i)));
                self.set(i, j, self.at(i, j) + weight * solution.at(i, j));
            }
        }
    }

    /// Returns the principal logarithm of the matrix times `2^exponent`. The diagonal must not contain 0.
    fn logarithm(&self, exponent: i32) -> Option<Triangular<C>> {
        // The factor changes only the diagonal of the logarithm.
        let (mut root, mut squarings) = (self.clone(), 0);
        // Repeated square roots tend to the identity. If the 1-norm of the difference from the identity is at most 0.264, the Padé
        // approximant of degree 7 has the accuracy of double precision.
        loop {
            let distance = root.clone().minus_one().norm();
            if distance <= 0.264 {
                break;
            }
            if distance.is_nan() || squarings == MOST_ROOTS {
                return None;
            }
            root = root.square_root()?;
            squarings += 1;
        }
        let x = root.minus_one();
        let mut sum = Triangular { n: self.n, elements: vec![C::zero(); self.n * self.n] };
        for (node, weight) in NODES {
            sum.add_fraction(&x, weight, node);
        }
        let factor = C::from_f64(2f64.powi(squarings));
        sum.elements.iter_mut().for_each(|x| *x *= factor);
        // Computes the diagonal again, as logarithms of numbers: in the approximation above, the differences `root - 1` have lost digits.
        for j in 0..self.n {
            sum.set(j, j, scaled(self.at(j, j), exponent).function(FloatFunction::Ln));
        }
        Some(sum)
    }
}

/// Maximum number of repeated square roots. Repeated square roots of every finite number are close to 1 after fewer steps.
const MOST_ROOTS: i32 = 100;

/// The nodes and weights of Gauss–Legendre quadrature on [0, 1]. With them, the diagonal Padé approximant of `ln(1 + x)` of degree 7 is the
/// sum of the fractions `weight · x / (1 + node · x)`.
const NODES: [(f64, f64); 7] = [
    (0.0254460438286207, 0.06474248308443487),
    (0.12923440720030277, 0.13985269574463843),
    (0.2970774243113014, 0.19091502525255935),
    (0.5, 0.20897959183673465),
    (0.7029225756886985, 0.19091502525255935),
    (0.8707655927996972, 0.13985269574463843),
    (0.9745539561713793, 0.06474248308443487),
];

/// Makes the Schur form `t` of a real matrix triangular: applies a unitary transformation to the two rows and columns of each 2 × 2 block,
/// and to the columns of `z`. Real eigenvalues do not change: a negative one gets no imaginary part from rounding, so it stays on a defined
/// side of the branch cut of the square root and the logarithm.
fn triangularise<C: LinalgElement>(t: &mut Triangular<C>, z: &mut Triangular<C>) {
    let root = |x: C| x.function(FloatFunction::Sqrt);
    for k in 0..t.n.saturating_sub(1) {
        let (b, c) = (t.at(k, k + 1), t.at(k + 1, k));
        if c == C::zero() {
            continue;
        }
        // The block is [[p, b], [c, p]] with b · c < 0, so its eigenvectors are multiples of (b, ±√(b · c)).
        let norm = root(b) * root(b - c);
        let (first, second) = (b.quotient(norm), (root(b) * root(c)).quotient(norm));
        let rotated = |[x, y]: [C; 2]| [x * first + y * second, y * first.conj() - x * second.conj()];
        for i in 0..t.n {
            for m in [&mut *t, &mut *z] {
                let [x, y] = rotated([m.at(i, k), m.at(i, k + 1)]);
                m.set(i, k, x);
                m.set(i, k + 1, y);
            }
        }
        for j in k..t.n {
            let (x, y) = (t.at(k, j), t.at(k + 1, j));
            t.set(k, j, first.conj() * x + second.conj() * y);
            t.set(k + 1, j, first * y - second * x);
        }
        t.set(k + 1, k, C::zero());
    }
}

/// Copies the matrices of a stack to the host, as complex matrices.
fn on_host<T: LinalgElement, O: Order, Dev: Copy<T>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Vec<Triangular<T::Complex>>, Error> {
    let [batch, n, _] = extents::<O>(a.shape());
    let [rows, columns] = matrix_axes::<O>();
    // The elements are listed row by row for each matrix, whatever the memory order of the tensor.
    let elements =
        if O::ROW_MAJOR { a.try_to_vec()? } else { a.try_swap_axes(rows, columns)?.try_to_vec()? };
    let matrix = |j: usize| Triangular {
        n,
        elements: elements[j * n * n..(j + 1) * n * n].iter().map(|x| x.to_complex()).collect(),
    };
    Ok((0..batch).map(matrix).collect())
}

/// Copies matrices to a stack on the device.
fn on_device<C: LinalgElement, O: Order, Dev: Copy<C>>(
    matrices: Vec<Triangular<C>>,
    n: usize,
    device: &Dev,
) -> Result<Stack<C, O, Dev>, Error> {
    let shape = stack_shape::<O>([matrices.len(), n, n]);
    let elements = matrices.into_iter().flat_map(|matrix| matrix.elements).collect();
    let stack = Stack::<C, O, Dev>::try_from_vec_in(shape, elements, device)?;
    if O::ROW_MAJOR {
        return Ok(stack);
    }
    let [rows, columns] = matrix_axes::<O>();
    stack.try_swap_axes(rows, columns)?.try_to_owned()
}

/// Applies a function of matrices, such as the square root, to each matrix of a stack. `f` gets an upper triangular matrix and an even
/// exponent, and computes the function of the matrix times two to the power of this exponent.
fn of_triangular<T: LinalgElement, O: Order, Dev: Decompose<T> + Copy<T> + Backend<T::Complex>>(
    a: &StackView<'_, T, O, Dev>,
    op: &'static str,
    f: impl Fn(&Triangular<T::Complex>, i32) -> Option<Triangular<T::Complex>>,
) -> Result<Stack<T::Complex, O, Dev>, Error> {
    let [batch, n, _] = extents::<O>(a.shape());
    let (t, z) = super::eig::schur(a)?;
    let (t, mut z) = (on_host(&t.view())?, on_host(&z.view())?);
    let mut results = Vec::with_capacity(batch);
    for (j, (t, z)) in t.into_iter().zip(&mut z).enumerate() {
        let exponent = t.middle_exponent();
        let mut t = t.times_power(-exponent);
        triangularise(&mut t, z);
        let Some(result) = f(&t, exponent) else {
            let which = if batch == 1 { "the matrix".into() } else { format!("matrix {j} of the batch") };
            let reason = format!(
                "{which} has an eigenvalue that is 0, or so close to 0 that there is no finite result; look at its \
                 eigenvalues with `.eigvals()`"
            );
            return Err(Error::Argument { op, reason });
        };
        results.push(result);
    }
    let z = on_device::<T::Complex, O, Dev>(z, n, a.device())?;
    z.try_matmul(&on_device(results, n, a.device())?)?.try_matmul(&adjoint(&z.view())?)
}

fn sqrtm<T: LinalgElement, O: Order, Dev: Decompose<T> + Copy<T> + Backend<T::Complex>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Stack<T::Complex, O, Dev>, Error> {
    of_triangular(a, "sqrtm", |t, exponent| Some(t.square_root()?.times_power(exponent / 2)))
}

fn logm<T: LinalgElement, O: Order, Dev: Decompose<T> + Copy<T> + Backend<T::Complex>>(
    a: &StackView<'_, T, O, Dev>,
) -> Result<Stack<T::Complex, O, Dev>, Error> {
    of_triangular(a, "logm", |t, exponent| {
        let singular = (0..t.n).any(|j| t.at(j, j) == Scalar::from_f64(0.0));
        if singular { None } else { t.logarithm(exponent) }
    })
}

macro_rules! complex_results {
    ($(
        $(#[$doc:meta])*
        $name:ident;
    )*) => {
        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {$(
            $(#[$doc])*
            #[fallible]
            pub fn $name(&self) -> Tensor<T::Complex, D, O, Dev>
            where
                T: LinalgElement,
                D: MatrixStack,
                Dev: Decompose<T> + Copy<T> + Backend<T::Complex>,
            {
                stacked(self, stringify!($name), StackExtents::Square, |a| $name(&a))
            }
        )*}
    };
}

complex_results! {
    /// Returns the principal square root of a square matrix, or of each matrix of a batch: the matrix `x` with `x · x = a` whose
    /// eigenvalues have no negative real part. It is complex, even for a real matrix; [`re`](Tensor::re) returns the real part.
    ///
    /// For Hermitian matrices without negative eigenvalues, [`hermitian_map`](Tensor::hermitian_map) is faster.
    ///
    /// # Errors
    /// * If the matrix is not square, or an element is NaN or infinite.
    /// * If the matrix has no square root. This is possible only if 0 is an eigenvalue.
    /// * If the iteration does not converge, or an allocation fails.
    ///
    /// ```
    /// use vierbein::{Complex, tensor};
    /// let root = tensor![[1.0, 3.0], [0.0, 4.0]].sqrtm();
    /// assert!(root.re().all_close(&tensor![[1.0, 1.0], [0.0, 2.0]], 1e-14, 1e-14));
    /// assert_eq!(tensor![[-4.0]].sqrtm(), tensor![[Complex::new(0.0, 2.0)]]);
    /// ```
    sqrtm;

    /// Returns the principal logarithm of a square matrix, or of each matrix of a batch: the matrix whose [exponential](Tensor::expm) is
    /// `a`, and whose eigenvalues have imaginary parts from −π to π. It is complex, even for a real matrix; [`re`](Tensor::re) returns the
    /// real part.
    ///
    /// # Errors
    /// * If the matrix is not square, it has an eigenvalue of 0, or an element is NaN or infinite.
    /// * If the iteration does not converge, or an allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let rotation = tensor![[0.0, -1.0], [1.0, 0.0]];
    /// let quarter = std::f64::consts::FRAC_PI_2;
    /// assert!(rotation.logm().re().all_close(&(rotation * quarter), 1e-14, 1e-14));
    /// ```
    logm;
}
