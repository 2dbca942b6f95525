//! The Arnoldi decomposition: W. Arnoldi, Quart. Appl. Math. 9, 17 (1951).

use super::basis::Basis;
use super::lanczos::check_start;
use super::methods::methods;
use super::operator::{Operator, given, on_vectors};
use super::projected::Small;
use super::vector::{Vector, divide, modulus, shaped, times_power, zeros};
use crate::device::family::decompose::LinalgElement;
use crate::device::{Backend, Device};
use crate::element::Scalar;
use crate::error::Error;
use crate::ops::decompose::balance::scaled;
use crate::order::Order;
use crate::rank::{Dim, Rank};
use crate::tensor::{Tensor, TensorView};
use num_traits::{Float, Zero};

/// The projection of an operator `A` on a Krylov space: `A·v[j] = Σ v[i]·h[i, j]`, plus `rest` if `j` is the last index. The result of
/// [`arnoldi`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Arnoldi<T: Scalar, D: Dim, O: Order, Dev: Device> {
    /// The basis of the Krylov space, which is orthonormal. The first tensor is `start`, divided by its norm.
    pub v: Vec<Tensor<T, D, O, Dev>>,
    /// The projected operator, on the host. It is upper Hessenberg: elements with `i > j + 1` are 0.
    pub h: Tensor<T, Rank<2>, O>,
    /// The part of `A·v` outside of the space, for the last tensor `v`. Zero if the space is invariant.
    pub rest: Tensor<T, D, O, Dev>,
    /// Whether the space is invariant under the operator. The eigenvalues of `h` are then eigenvalues of the operator.
    pub invariant: bool,
}

methods! {
    /// Projects an operator onto the Krylov space of `start`, with a basis of at most `vectors` tensors. The operator is a closure.
    ///
    /// The operator gets a view of a tensor with the shape of `start`, and returns the operator times this tensor, of the same shape. It is
    /// called once for each tensor of the basis. The basis has fewer tensors if their space is invariant under the operator. The
    /// eigenvalues of `h` approximate eigenvalues of the operator; those at the border of its spectrum converge first. An eigenvector `y`
    /// of `h` gives the approximate eigenvector `Σ v[i]·y[i]`. The norm of its residual is the norm of `rest` times the modulus of the last
    /// element of `y`. [`eigs`](super::eigs) computes eigenpairs to a given accuracy.
    ///
    /// # Errors
    /// * [`Error::Argument`] if `start` is zero or not finite, if the operator returns another shape or an element that is NaN or infinite,
    ///   or if `vectors` is 0.
    /// * [`Error::OutOfMemory`], or the error of the device.
    ///
    /// ```
    /// use vierbein::linalg::arnoldi;
    /// use vierbein::tensor;
    /// let a = tensor![[0.0, -1.0, 5.0], [1.0, 0.0, 5.0], [0.0, 0.0, 2.0]];
    /// let found = arnoldi(|x| a.matmul(&x), &tensor![3.0, 0.0, 0.0], 3)?;
    /// // The first two axes are an invariant space.
    /// assert!(found.invariant);
    /// assert_eq!(found.h, tensor![[0.0, -1.0], [1.0, 0.0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    arnoldi, try_arnoldi, arnoldi_into(apply(); start: &Tensor<T, D, O, Dev>, vectors: usize) -> Arnoldi<T, D, O, Dev> {
        const OP: &str = "project by `arnoldi`";
        if vectors == 0 {
            let reason = "the basis has 0 vectors; use at least 1".into();
            return Err(Error::Argument { op: OP, reason });
        }
        let shape = start.shape();
        let (mut v, size) = given(OP, "the start tensor", start)?;
        check_start::<T>(OP, size)?;
        divide(&mut v, size)?;
        let mut apply = on_vectors(OP, "operator", shape, apply);
        let mut operator = Operator::new(OP, usize::MAX, &mut apply);
        let (basis, columns, mut rest) = projected(&mut operator, v, vectors)?;
        let exponent = operator.exponent();
        if let Some(rest) = &mut rest {
            times_power(rest, exponent)?;
        }
        let element = |[i, j]: [usize; 2]| columns[j].get(i).map_or_else(T::zero, |&h| scaled(h, exponent));
        let k = basis.len();
        let tensors = (0..k).map(|j| Ok(shaped(basis.vector(j)?, shape)));
        let zeros = || Tensor::try_zeros_in(shape, start.device());
        Ok(Arnoldi {
            v: tensors.collect::<Result<_, Error>>()?,
            h: Small::<T>::try_from_fn([k, k], element)?.try_to_order::<O>()?,
            invariant: rest.is_none(),
            rest: rest.map_or_else(zeros, |rest| Ok(shaped(rest, shape)))?,
        })
    }
}

/// Returns an orthonormal basis of the Krylov space of `start`, which has norm 1; the columns of the projected operator; and the part of
/// `A·v` outside of the space for the last basis vector `v`, or `None` if the space is invariant.
fn projected<T: LinalgElement, Dev: Backend<T>>(
    operator: &mut Operator<'_, T, Dev>,
    start: Vector<T, Dev>,
    vectors: usize,
) -> Result<(Basis<T, Dev>, Vec<Vec<T>>, Option<Vector<T, Dev>>), Error> {
    let n = start.len();
    let capacity = vectors.min(n);
    let mut basis = Basis::new(capacity, n, &start.device().clone())?;
    let mut columns: Vec<Vec<T>> = Vec::with_capacity(capacity);
    let mut scale = T::Magnitude::zero();
    let mut spare = zeros(n, start.device())?;
    let mut v = start;
    loop {
        basis.push(&v)?;
        let [last, mut w] = operator.apply([v, spare])?;
        spare = last;
        let (mut column, outside) = basis.orthogonalise(&mut w)?;
        let size = column.iter().fold(outside, |size, &h| Float::hypot(size, modulus(h)));
        operator.check_finite(size)?;
        scale = Float::max(scale, size);
        let len = basis.len();
        if len == n || outside <= T::Magnitude::from_f64(10.0) * T::Magnitude::epsilon() * scale {
            columns.push(column);
            return Ok((basis, columns, None));
        }
        if len == capacity {
            columns.push(column);
            return Ok((basis, columns, Some(w)));
        }
        column.push(T::from_magnitude(outside));
        columns.push(column);
        divide(&mut w, outside)?;
        v = w;
    }
}
