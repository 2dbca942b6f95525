//! The operands and the expected shapes of decompositions and linear systems. The bad-input tables of typed and of dynamic tensors use
//! them.

use super::array::{Array, Outcome, Rejection};
use super::driver::Hazard::{self, *};
use super::operand::{HUGE, Operand, ToArray};

/// The shapes of results, concatenated.
pub(crate) struct Shapes(pub(crate) Vec<usize>);

impl ToArray for Shapes {
    fn array(&self) -> Array {
        Array::line(self.0.iter().map(|&n| n as f64).collect())
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
