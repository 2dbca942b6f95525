//! The operands and the expected shapes of decompositions and linear systems. The bad-input tables of typed and of dynamic tensors use
//! them.

use super::array::{Array, Outcome, Rejection};
use super::driver::Hazard::{self, *};
use super::operand::{HUGE, Operand, ToArray};
use vierbein::prelude::*;

/// The shapes of results, concatenated.
pub(crate) struct Shapes(pub(crate) Vec<usize>);

impl ToArray for Shapes {
    fn array(&self) -> Array {
        Array::line(self.0.iter().map(|&n| n as f64).collect())
    }
}

/// Calls `f` with views of vectors for a hazard. Returns the number of elements of each view, and the result.
pub(crate) fn with_vectors<R>(
    hazard: Hazard,
    f: impl Fn(TensorView<'_, f64, Rank<1>>) -> R,
) -> Result<Vec<(usize, R)>, &'static str> {
    let vectors = match hazard {
        WrongShape | Aliasing => vec![tensor![2.0]],
        ZeroExtents => vec![Tensor::zeros([0])],
        HugeExtents => return Err("the elements are copied to the host first, as by `to_vec`"),
        NotFinite => vec![tensor![1.0, f64::NAN, 2.0], tensor![f64::INFINITY, 1.0, 3.0]],
        NegativeStrides => vec![tensor![1.0, -3.0, 2.0, 5.0]],
        Rank0 | Rank16 => return Err("does not compile: the rank is 1"),
    };
    let call = |x: &Tensor<f64, Rank<1>>| match hazard {
        NegativeStrides => (x.len(), f(x.slice(s![..;-1]))),
        Aliasing => (3, f(x.broadcast_to([3]))),
        _ => (x.len(), f(x.view())),
    };
    Ok(vectors.iter().map(call).collect())
}

/// The expected shape of the roots of a polynomial with `len` coefficients, none of which is 0, or the expected error.
pub(crate) fn outcome_of_roots(hazard: Hazard, len: usize) -> Outcome {
    match hazard {
        NotFinite => Err(Rejection::Error("Argument")),
        _ => Ok(Shapes(vec![len.saturating_sub(1)]).array()),
    }
}

/// The expected shape of the polynomial of degree 1 that fits `len` points, or the expected error.
pub(crate) fn outcome_of_fit(hazard: Hazard, len: usize) -> Outcome {
    match hazard {
        NotFinite => Err(Rejection::Error("Argument")),
        _ if len == 0 => Err(Rejection::Error("Argument")),
        _ => Ok(Shapes(vec![2]).array()),
    }
}

/// What a method requires of its matrices.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Needs {
    /// Nothing: the method only copies elements to other indices.
    Nothing,
    /// Finite elements.
    Finite,
    /// Finite elements, and at least one row and one column.
    Elements,
    Square,
    /// A positive definite matrix. In these tests, only operands with zero elements are positive definite.
    Definite,
}

/// Returns the operands for a hazard (a kind of bad input): matrices and batches of matrices.
pub(crate) fn operands(hazard: Hazard) -> Result<Vec<Operand>, &'static str> {
    let of = |shapes: &[&[usize]]| shapes.iter().map(|shape| Operand::contiguous(shape)).collect();
    let mut sixteen = [1; 16];
    (sixteen[3], sixteen[14], sixteen[15]) = (2, 2, 2);
    let not_finite = |place: usize, x: f64| {
        let mut operand = Operand::contiguous(&[2, 3, 3]);
        operand.floats[place] = x;
        operand
    };
    Ok(match hazard {
        WrongShape => of(&[&[2, 3], &[3, 2], &[2, 1, 3]]),
        ZeroExtents => of(&[&[0, 0], &[0, 3], &[3, 0], &[0, 2, 2], &[2, 0, 0], &[0, 0, 0]]),
        HugeExtents => {
            let side = 1 << (usize::BITS / 2 - 3);
            vec![Operand::repeated(&[side, side], 0), Operand::repeated(&[HUGE / 8, 2, 2], 0)]
        }
        NotFinite => {
            vec![not_finite(4, f64::NAN), not_finite(8, f64::INFINITY), not_finite(2, f64::NEG_INFINITY)]
        }
        NegativeStrides => vec![Operand::reversed(&[4, 4]), Operand::reversed(&[3, 2, 2])],
        Aliasing => vec![Operand::windows(3, 3), Operand::repeated(&[3, 2, 2], 2)],
        Rank0 => return Err("does not compile: there is no matrix"),
        Rank16 => vec![Operand::contiguous(&sixteen)],
    })
}

/// Returns the expected shapes of the results, or the expected error. For matrices of `m` × `n`, `own(m, n)` returns the shape of each
/// result without the batch.
pub(crate) fn outcome(
    hazard: Hazard,
    needs: Needs,
    shape: &[usize],
    own: fn(usize, usize) -> Vec<Vec<usize>>,
) -> Outcome {
    let [batch @ .., m, n] = shape else { unreachable!("the rank is at least 2") };
    let error = |name| Err(Rejection::Error(name));
    let empty = shape.contains(&0);
    match (needs, hazard) {
        (Needs::Square | Needs::Definite, _) if m != n => return error("Argument"),
        (Needs::Elements, _) if m.min(n) == &0 => return error("Argument"),
        (_, HugeExtents) => return error("OutOfMemory"),
        (Needs::Nothing, _) => {}
        (_, NotFinite) => return error("NotFinite"),
        (Needs::Definite, _) if !empty => return error("NotPositiveDefinite"),
        _ => {}
    }
    let shapes = own(*m, *n).into_iter().flat_map(|own| [batch.to_vec(), own].concat());
    Ok(Shapes(shapes.collect()).array())
}

/// The outcome of a factorisation by labels, with an ellipsis for the axes of the batch.
pub(crate) fn labelled_outcome(
    hazard: Hazard,
    needs: Needs,
    shape: &[usize],
    own: fn(usize, usize) -> Vec<Vec<usize>>,
) -> Outcome {
    let [.., m, n] = shape else { unreachable!("the rank is at least 2") };
    // An ellipsis stands for at most 12 axes. The labels of the matrix stand for two more.
    let rejected = shape.len() > 14 || needs == Needs::Square && m != n;
    if rejected { Err(Rejection::Error("Contraction")) } else { outcome(hazard, needs, shape, own) }
}
