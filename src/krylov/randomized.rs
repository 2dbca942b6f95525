//! The randomised singular value decomposition: N. Halko, P. Martinsson and J. Tropp, SIAM Rev. 53, 217 (2011).

use super::basis::Basis;
use super::operator::Scale;
use super::projected::Small;
use super::vector::{Vector, divide, flat, norm, random, shaped, times_power};
use crate::device::family::decompose::LinalgElement;
use crate::device::{Backend, Device};
use crate::element::Scalar;
use crate::engine::same_instance;
use crate::error::Error;
use crate::ops::decompose::balance::scaled;
use crate::order::Order;
use crate::rank::{Dim, IntoShape};
use crate::tensor::{Tensor, TensorView};
use num_traits::Float;
use std::cell::Cell;

const OP: &str = "decompose by `randomized_svd`";

/// The number of singular triplets, and the accuracy: the options of [`randomized_svd`].
#[derive(Debug, Clone, Copy)]
#[must_use = "options do nothing until a function gets them"]
pub struct RandomizedSvd {
    rank: usize,
    oversampling: usize,
    power: usize,
    seed: u64,
}

impl RandomizedSvd {
    /// Requests the `rank` largest singular values.
    pub fn rank(rank: usize) -> RandomizedSvd {
        RandomizedSvd { rank, oversampling: 10, power: 2, seed: 0 }
    }

    /// Sets the number of random tensors in addition to the rank. The default is 10.
    pub fn oversampling(self, tensors: usize) -> RandomizedSvd {
        RandomizedSvd { oversampling: tensors, ..self }
    }

    /// Sets the number of power steps. Each step applies the operator and its adjoint to each tensor once more, and makes the result more
    /// accurate if the singular values decrease slowly. The default is 2: the error is then usually within 1 % of the least possible one.
    pub fn power(self, steps: usize) -> RandomizedSvd {
        RandomizedSvd { power: steps, ..self }
    }

    /// Sets the seed of the random numbers. Equal seeds give equal results. The default is 0.
    pub fn seed(self, seed: u64) -> RandomizedSvd {
        RandomizedSvd { seed, ..self }
    }
}

/// The largest singular values of an operator and their vectors: the result of [`randomized_svd`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SingularTriplets<T: Scalar, D: Dim, E: Dim, O: Order, Dev: Device> {
    /// The left singular vectors, which are orthonormal. They have the shape of the operator's results.
    pub u: Vec<Tensor<T, E, O, Dev>>,
    /// The singular values, in descending order. There can be fewer than requested if the operator's rank is lower.
    pub s: Vec<T::Magnitude>,
    /// The right singular vectors, which are orthonormal. They have the shape of the operator's arguments.
    pub v: Vec<Tensor<T, D, O, Dev>>,
    /// The number of applications of the operator plus the number of applications of its adjoint.
    pub applications: usize,
}

/// Computes approximations of the largest singular values of an operator, and of their vectors, from random samples of its range.
///
/// `apply` gets a view of a tensor of `shape`, and returns the operator times this tensor, which can have another shape and another rank.
/// `adjoint` is the conjugate transpose: it maps tensors of that other shape to tensors of `shape`. Each closure is called at most
/// `(rank + oversampling) · (power + 1)` times. For a matrix that fits into memory, [`svd`](Tensor::svd) is exact.
///
/// The result is accurate if the singular values beyond the rank are small or decrease fast. Whether `adjoint` is the adjoint of `apply` is
/// not checked.
///
/// [`try_randomized_svd`] takes closures that return a `Result`.
///
/// # Errors
/// * [`Error::Argument`] if the rank is 0, or if a closure returns a tensor of another shape or with a NaN or infinite element.
/// * [`Error::OutOfMemory`], or the error of the device.
///
/// ```
/// use vierbein::linalg::{RandomizedSvd, randomized_svd};
/// use vierbein::prelude::*;
/// // A Hilbert matrix, whose singular values decrease fast.
/// let a = Tensor::<f64, _>::from_fn([80, 60], |[i, j]| 1.0 / (i + j + 1) as f64);
/// let apply = |x: TensorView<f64, Rank<1>>| a.matmul(&x);
/// let adjoint = |y: TensorView<f64, Rank<1>>| a.t().matmul(&y);
/// let found = randomized_svd(apply, adjoint, [60], &Cpu, RandomizedSvd::rank(5))?;
/// let exact = a.singular_values();
/// for (k, s) in found.s.iter().enumerate() {
///     assert!((s - exact[[k]]).abs() < 1e-12);
/// }
/// # Ok::<(), vierbein::Error>(())
/// ```
pub fn randomized_svd<T, D, E, O, Dev>(
    mut apply: impl FnMut(TensorView<'_, T, D, O, Dev>) -> Tensor<T, E, O, Dev>,
    mut adjoint: impl FnMut(TensorView<'_, T, E, O, Dev>) -> Tensor<T, D, O, Dev>,
    shape: impl IntoShape<Dim = D>,
    device: &Dev,
    how: RandomizedSvd,
) -> Result<SingularTriplets<T, D, E, O, Dev>, Error>
where
    T: LinalgElement,
    D: Dim,
    E: Dim,
    O: Order,
    Dev: Backend<T>,
{
    try_randomized_svd(|x| Ok(apply(x)), |y| Ok(adjoint(y)), shape, device, how)
}

/// [`randomized_svd`] for operators that can fail. An error of an operator is returned.
///
/// # Errors
/// Those of the operators and of [`randomized_svd`].
pub fn try_randomized_svd<T, D, E, O, Dev>(
    mut apply: impl FnMut(TensorView<'_, T, D, O, Dev>) -> Result<Tensor<T, E, O, Dev>, Error>,
    mut adjoint: impl FnMut(TensorView<'_, T, E, O, Dev>) -> Result<Tensor<T, D, O, Dev>, Error>,
    shape: impl IntoShape<Dim = D>,
    device: &Dev,
    how: RandomizedSvd,
) -> Result<SingularTriplets<T, D, E, O, Dev>, Error>
where
    T: LinalgElement,
    D: Dim,
    E: Dim,
    O: Order,
    Dev: Backend<T>,
{
    if how.rank == 0 {
        let reason = "the rank is 0; request at least 1 singular value".into();
        return Err(Error::Argument { op: OP, reason });
    }
    let from = shape.into_shape()?;
    // The shape of the operator's results is known after its first application.
    let to: Cell<Option<E::Shape>> = Cell::new(None);
    let applications = Cell::new(0);
    // The power of two by which the operator and its adjoint are divided.
    let scale = Cell::new(Scale::default());
    let mut forward = |x| {
        let y = apply(shaped::<T, D, O, Dev>(x, from).view())?;
        let expected = to.get().unwrap_or(y.shape());
        to.set(Some(expected));
        applications.set(applications.get() + 1);
        let mut y = checked(y, expected, "the operator", device)?;
        let mut of_operator = scale.get();
        of_operator.divide(&mut y)?;
        scale.set(of_operator);
        Ok(y)
    };
    let mut backward = |y| {
        let shape = to.get().expect("the operator is applied before its adjoint");
        let x = adjoint(shaped::<T, E, O, Dev>(y, shape).view())?;
        applications.set(applications.get() + 1);
        let mut x = checked(x, from, "the adjoint of the operator", device)?;
        times_power(&mut x, -scale.get().exponent())?;
        Ok(x)
    };
    let columns = from.as_ref().iter().product();
    let found = triplets(&mut forward, &mut backward, columns, device, &how)?;
    let to = to.get().unwrap_or_else(|| E::shape(E::NDIM.unwrap_or(0)));
    Ok(SingularTriplets {
        u: found.u.into_iter().map(|u| shaped(u, to)).collect(),
        s: found.s.into_iter().map(|s| scaled(s, scale.get().exponent())).collect(),
        v: found.v.into_iter().map(|v| shaped(v, from)).collect(),
        applications: applications.get(),
    })
}

/// Returns the elements of a closure's result.
///
/// # Errors
/// [`Error::Argument`] if the result has another shape, or an element that is NaN or infinite.
fn checked<T: LinalgElement, D: Dim, O: Order, Dev: Backend<T>>(
    x: Tensor<T, D, O, Dev>,
    expected: D::Shape,
    what: &str,
    device: &Dev,
) -> Result<Vector<T, Dev>, Error> {
    same_instance(OP, device, x.device())?;
    let shape = x.shape();
    let x = flat(x);
    let reason = if shape != expected {
        let (shape, expected) = (shape.as_ref(), expected.as_ref());
        format!("{what} returned a tensor of shape {shape:?}, and shape {expected:?} is expected")
    } else if !Float::is_finite(norm(&x)?) {
        format!("{what} returned a tensor with a NaN or infinite element; check it with `.is_finite()`")
    } else {
        return Ok(x);
    };
    Err(Error::Argument { op: OP, reason })
}

/// Singular triplets of an operator on vectors.
struct Triplets<T: Scalar, Dev: Device> {
    u: Vec<Vector<T, Dev>>,
    s: Vec<T::Magnitude>,
    v: Vec<Vector<T, Dev>>,
}

/// An operator on vectors.
type Map<'a, T, Dev> = dyn FnMut(Vector<T, Dev>) -> Result<Vector<T, Dev>, Error> + 'a;

fn triplets<T: LinalgElement, Dev: Backend<T>>(
    forward: &mut Map<'_, T, Dev>,
    backward: &mut Map<'_, T, Dev>,
    columns: usize,
    device: &Dev,
    how: &RandomizedSvd,
) -> Result<Triplets<T, Dev>, Error> {
    let samples = how.rank.saturating_add(how.oversampling).min(columns);
    let images = (0..samples).map(|k| forward(random(columns, how.seed.wrapping_add(k as u64), device)?));
    let (mut range, _) = orthonormal(images.collect::<Result<_, _>>()?, device)?;
    for _ in 0..how.power {
        let (domain, _) = orthonormal(mapped(&range, backward)?, device)?;
        (range, _) = orthonormal(mapped(&domain, forward)?, device)?;
    }
    // The columns of Q are `range`, those of P are `domain`: Aᴴ·Q = P·R, so A ≈ Q·Qᴴ·A = Q·Rᴴ·Pᴴ.
    let (domain, r) = orthonormal(mapped(&range, backward)?, device)?;
    let (mut u, mut v) = (Vec::new(), Vec::new());
    if domain.len() == 0 {
        return Ok(Triplets { u, s: Vec::new(), v });
    }
    let adjoint = Small::<T>::try_from_fn([range.len(), domain.len()], |[i, j]| {
        r[i].get(j).map_or_else(T::zero, |x| x.conj())
    })?;
    let svd = adjoint.try_svd()?;
    let count = how.rank.min(svd.s.len());
    for k in 0..count {
        let left: Vec<T> = (0..range.len()).map(|i| svd.u[[i, k]]).collect();
        let right: Vec<T> = (0..domain.len()).map(|j| svd.vh[[k, j]].conj()).collect();
        u.push(range.combine(&left)?);
        v.push(domain.combine(&right)?);
    }
    let mut s = svd.s.into_vec();
    s.truncate(count);
    Ok(Triplets { u, s, v })
}

/// Applies an operator to each vector of a basis.
fn mapped<T: LinalgElement, Dev: Backend<T>>(
    basis: &Basis<T, Dev>,
    map: &mut Map<'_, T, Dev>,
) -> Result<Vec<Vector<T, Dev>>, Error> {
    (0..basis.len()).map(|k| map(basis.vector(k)?)).collect()
}

/// Returns an orthonormal basis of the space that the vectors span, and the coefficients of each vector.
fn orthonormal<T: LinalgElement, Dev: Backend<T>>(
    vectors: Vec<Vector<T, Dev>>,
    device: &Dev,
) -> Result<(Basis<T, Dev>, Vec<Vec<T>>), Error> {
    let n = vectors.first().map_or(0, Tensor::len);
    let mut basis = Basis::new(vectors.len(), n, device)?;
    let mut coefficients = Vec::with_capacity(vectors.len());
    for mut vector in vectors {
        let size = norm(&vector)?;
        let (mut column, rest) = basis.orthogonalise(&mut vector)?;
        // If a vector depends linearly on the basis, only rounding errors remain of it. They are not added to the basis.
        if rest > T::Magnitude::from_f64(10.0) * T::Magnitude::epsilon() * size && basis.len() < n {
            divide(&mut vector, rest)?;
            basis.push(&vector)?;
            column.push(T::from_magnitude(rest));
        }
        coefficients.push(column);
    }
    Ok((basis, coefficients))
}
