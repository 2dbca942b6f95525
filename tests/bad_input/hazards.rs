//! The operands for each [`Hazard`], such as zero extents or negative strides. There is one function for each kind of operation, such as
//! operations on two operands that broadcast.

use super::driver::Hazard::{self, *};
use super::operand::{HUGE, Operand};

/// Values at which errors are likely: NaN, infinities, zero, a negative number, fractions, and the largest and the smallest positive normal
/// number.
pub(crate) const HARD: [f64; 9] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 0.5, 2.5, f64::MAX, f64::MIN_POSITIVE];

/// A shape of rank 16 with few elements.
pub(crate) fn sixteen() -> Vec<usize> {
    let mut shape = vec![1; 16];
    (shape[0], shape[7], shape[15]) = (2, 3, 2);
    shape
}

fn hard(shape: &[usize]) -> Operand {
    Operand::of(shape, |k| HARD[k % HARD.len()])
}

/// Returns the operands for operations on one tensor.
pub(crate) fn one(hazard: Hazard) -> Vec<Vec<Operand>> {
    let rank16 = sixteen();
    let zeros = |at: usize| {
        let mut shape = sixteen();
        shape[at] = 0;
        shape
    };
    let operands = match hazard {
        WrongShape => vec![Operand::contiguous(&[2, 3])],
        ZeroExtents => vec![
            Operand::contiguous(&[0]),
            Operand::contiguous(&[0, 3]),
            Operand::contiguous(&[3, 0]),
            Operand::contiguous(&[0, 0]),
            Operand::contiguous(&zeros(7)),
            Operand::contiguous(&zeros(15)),
        ],
        HugeExtents => vec![
            Operand::repeated(&[HUGE], 0),
            Operand::repeated(&[HUGE, 1], 0),
            Operand::repeated(&[HUGE / 3, 3], 0),
            Operand::repeated(&[2, HUGE / 2], 0),
            Operand::repeated(&[0, HUGE], 0),
            Operand::repeated(&[HUGE, 0], 0),
        ],
        NotFinite => vec![hard(&[9]), hard(&[3, 3]), hard(&[9, 4])],
        NegativeStrides => vec![
            Operand::reversed(&[5]),
            Operand::reversed(&[3, 4]),
            Operand::reversed(&[4, 4]),
            Operand::reversed(&rank16),
        ],
        Aliasing => vec![
            Operand::repeated(&[4], 0),
            Operand::repeated(&[4, 3], 1),
            Operand::repeated(&[3, 3], 0),
            Operand::windows(4, 4),
        ],
        Rank0 => vec![Operand::contiguous(&[])],
        Rank16 => vec![Operand::contiguous(&rank16), Operand::reversed(&rank16)],
    };
    operands.into_iter().map(|x| vec![x]).collect()
}

/// Returns operands whose first two axes have equal extents. For `WrongShape`, the extents differ.
pub(crate) fn square(hazard: Hazard) -> Vec<Vec<Operand>> {
    match hazard {
        WrongShape => vec![vec![Operand::contiguous(&[2, 3])]],
        ZeroExtents => vec![vec![Operand::contiguous(&[0, 0])], vec![Operand::contiguous(&[0; 16])]],
        HugeExtents => {
            let mut nothing = [1; 16];
            (nothing[0], nothing[1], nothing[2], nothing[15]) = (0, 0, HUGE, 0);
            let side = 1 << (usize::BITS / 2 - 3);
            vec![vec![Operand::repeated(&[side, side], 0)], vec![Operand::repeated(&nothing, 0)]]
        }
        NotFinite => vec![vec![hard(&[3, 3])]],
        Rank16 => {
            let mut shape = sixteen();
            (shape[1], shape[15]) = (2, 2);
            vec![vec![Operand::contiguous(&shape)]]
        }
        _ => one(hazard).into_iter().filter(|x| x[0].rank() != 2 || x[0].shape[0] == x[0].shape[1]).collect(),
    }
}

/// Returns the operands of [`one`] without those that have too many elements to visit.
pub(crate) fn countable(hazard: Hazard) -> Vec<Vec<Operand>> {
    one(hazard).into_iter().filter(|x| !x[0].is_huge() || x[0].shape.contains(&0)).collect()
}

/// Returns the operands of [`one`] without those that have a huge axis: the tests need one weight for each index of an axis.
pub(crate) fn weighable(hazard: Hazard) -> Vec<Vec<Operand>> {
    one(hazard).into_iter().filter(|x| !x[0].is_huge()).collect()
}

/// Returns pairs of operands that broadcast. For `WrongShape`, they do not.
pub(crate) fn two(hazard: Hazard) -> Vec<Vec<Operand>> {
    let contiguous =
        |a: &[usize], b: &[usize]| vec![Operand::contiguous(a), Operand::contiguous(b).shifted()];
    match hazard {
        WrongShape => vec![
            contiguous(&[2, 3], &[2, 4]),
            contiguous(&[2, 3], &[3, 2]),
            contiguous(&[3], &[4]),
            contiguous(&[2, 3], &[2]),
            contiguous(&[2], &[2, 3]),
        ],
        ZeroExtents => vec![
            contiguous(&[0], &[0]),
            contiguous(&[0], &[1]),
            contiguous(&[0], &[3]),
            contiguous(&[2, 0], &[2, 1]),
            contiguous(&[0, 3], &[3]),
            contiguous(&[0, 3], &[2, 3]),
        ],
        HugeExtents => vec![
            vec![Operand::repeated(&[HUGE], 0), Operand::repeated(&[HUGE], 0)],
            vec![Operand::repeated(&[HUGE], 0), Operand::contiguous(&[1])],
            vec![Operand::repeated(&[HUGE / 2, 1], 0), Operand::repeated(&[1, HUGE / 2], 0)],
            vec![Operand::repeated(&[0, HUGE], 0), Operand::repeated(&[HUGE], 0)],
            vec![Operand::repeated(&[0, HUGE], 0), Operand::repeated(&[0, HUGE], 0)],
            vec![Operand::repeated(&[HUGE], 0), Operand::contiguous(&[])],
        ],
        NotFinite => vec![
            vec![hard(&[9, 1]), hard(&[9])],
            vec![hard(&[9]), hard(&[9])],
            vec![hard(&[9, 9]), hard(&[9])],
        ],
        NegativeStrides => vec![
            vec![Operand::reversed(&[5]), Operand::contiguous(&[5]).shifted()],
            vec![Operand::contiguous(&[3, 4]), Operand::reversed(&[3, 4]).shifted()],
            vec![Operand::reversed(&[3, 4]), Operand::reversed(&[4]).shifted()],
        ],
        Aliasing => vec![
            vec![Operand::contiguous(&[5]); 2],
            vec![Operand::windows(4, 3); 2],
            vec![Operand::windows(4, 3), Operand::repeated(&[4, 3], 1).shifted()],
            vec![Operand::repeated(&[4, 3], 0), Operand::repeated(&[4, 3], 1)],
        ],
        Rank0 => vec![contiguous(&[], &[]), contiguous(&[2, 3], &[]), contiguous(&[], &[2, 3])],
        Rank16 => vec![contiguous(&sixteen(), &sixteen()), contiguous(&sixteen(), &[2])],
    }
}

/// Returns pairs of operands whose last axes have three elements, and which broadcast.
pub(crate) fn vectors(hazard: Hazard) -> Vec<Vec<Operand>> {
    let contiguous =
        |a: &[usize], b: &[usize]| vec![Operand::contiguous(a), Operand::contiguous(b).shifted()];
    let mut sixteen = sixteen();
    sixteen[15] = 3;
    match hazard {
        WrongShape => vec![
            contiguous(&[2], &[2]),
            contiguous(&[3], &[4]),
            contiguous(&[3], &[1]),
            contiguous(&[2, 3], &[4, 3]),
            contiguous(&[3, 2], &[3, 2]),
        ],
        ZeroExtents => vec![
            contiguous(&[0], &[0]),
            contiguous(&[0, 3], &[3]),
            contiguous(&[0, 3], &[0, 3]),
            contiguous(&[3, 0], &[3, 0]),
        ],
        HugeExtents => vec![
            vec![Operand::repeated(&[HUGE / 3, 3], 0), Operand::contiguous(&[3])],
            vec![Operand::repeated(&[HUGE / 3, 3], 0); 2],
            vec![Operand::repeated(&[HUGE, 1], 0), Operand::contiguous(&[1])],
        ],
        NotFinite => vec![vec![hard(&[3, 3]), hard(&[3])], vec![hard(&[9, 3]), hard(&[9, 3])]],
        NegativeStrides => vec![
            vec![Operand::reversed(&[3]), Operand::contiguous(&[3]).shifted()],
            vec![Operand::contiguous(&[4, 3]), Operand::reversed(&[4, 3]).shifted()],
        ],
        Aliasing => vec![
            vec![Operand::contiguous(&[3]); 2],
            vec![Operand::windows(4, 3); 2],
            vec![Operand::repeated(&[4, 3], 1), Operand::contiguous(&[3]).shifted()],
        ],
        Rank0 => vec![contiguous(&[], &[]), contiguous(&[3], &[])],
        Rank16 => vec![contiguous(&sixteen, &sixteen), contiguous(&sixteen, &[3])],
    }
}

/// Returns pairs of operands of a matrix product, which sums over the last axis of the first operand and the last but one of the
/// second.
pub(crate) fn product(hazard: Hazard) -> Vec<Vec<Operand>> {
    let contiguous =
        |a: &[usize], b: &[usize]| vec![Operand::contiguous(a), Operand::contiguous(b).shifted()];
    let sixteen = |rows: usize, columns: usize| {
        let mut shape = sixteen();
        (shape[14], shape[15]) = (rows, columns);
        shape
    };
    match hazard {
        WrongShape => vec![
            contiguous(&[2, 3], &[2, 4]),
            contiguous(&[3], &[4]),
            contiguous(&[2, 3], &[2]),
            contiguous(&[2], &[3, 2]),
            contiguous(&[0, 3], &[2, 0]),
        ],
        ZeroExtents => vec![
            contiguous(&[2, 0], &[0, 3]),
            contiguous(&[0, 3], &[3, 2]),
            contiguous(&[0], &[0]),
            contiguous(&[2, 3], &[3, 0]),
            contiguous(&[2, 0], &[0]),
            contiguous(&[0, 0], &[0, 0]),
        ],
        HugeExtents => vec![
            vec![Operand::repeated(&[HUGE, 1], 0), Operand::contiguous(&[1])],
            vec![Operand::repeated(&[HUGE], 0), Operand::contiguous(&[])],
            vec![Operand::repeated(&[HUGE / 2, 1], 0), Operand::repeated(&[1, HUGE / 2], 0)],
            vec![Operand::repeated(&[HUGE, 0], 0), Operand::contiguous(&[0])],
            vec![Operand::repeated(&[0, HUGE], 0), Operand::repeated(&[HUGE], 0)],
            vec![Operand::repeated(&[0, HUGE], 0), Operand::repeated(&[0, HUGE], 0)],
            vec![Operand::repeated(&[HUGE, 0], 0), Operand::repeated(&[0, HUGE], 0)],
        ],
        NotFinite => vec![
            vec![hard(&[3, 3]), hard(&[3, 3])],
            vec![hard(&[9, 1]), hard(&[1, 9])],
            vec![hard(&[9]), hard(&[9])],
        ],
        NegativeStrides => vec![
            vec![Operand::reversed(&[3, 4]), Operand::contiguous(&[4, 2]).shifted()],
            vec![Operand::contiguous(&[4, 4]), Operand::reversed(&[4, 4]).shifted()],
            vec![Operand::reversed(&[5]), Operand::reversed(&[5]).shifted()],
        ],
        Aliasing => vec![
            vec![Operand::contiguous(&[4, 4]); 2],
            vec![Operand::windows(4, 4); 2],
            vec![Operand::repeated(&[3, 4], 1), Operand::windows(4, 3)],
            vec![Operand::contiguous(&[5]); 2],
        ],
        Rank0 => vec![contiguous(&[], &[]), contiguous(&[3], &[]), contiguous(&[2, 3], &[])],
        Rank16 => vec![
            contiguous(&sixteen(2, 3), &sixteen(3, 2)),
            contiguous(&sixteen(2, 3), &sixteen(2, 3)),
            contiguous(&sixteen(2, 3), &[3, 2]),
            contiguous(&sixteen(2, 3), &[]),
        ],
    }
}
