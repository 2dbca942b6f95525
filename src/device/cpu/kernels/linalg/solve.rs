//! Solutions of linear systems.

use super::batch::{Batch, Results, assert_extents, square_extent};
use super::lu::THRESHOLDS;
use super::parallel::Threads;
use super::scale::{PowerOfTwo, Used, check_finite, moderate};
use super::workspace::{check_extents, make_diagonal_real, request, store, take_loaded, with_stack};
use super::{Failure, Field, cholesky, ldl};
use crate::device::cpu::Cpu;
use crate::device::decompose::Structure;
use crate::device::{MatrixOperand, Operand, Output};
use crate::error::Error;
use crate::layout::axes::Axes;
use faer::diag::DiagRef;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::cholesky::{lblt, llt};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::solve as lu_solve;
use faer::linalg::triangular_solve;
use faer::mat::AsMatMut;
use faer::perm::PermRef;
use faer::{Conj, MatMut, MatRef, Par};

/// Computes [`Decompose::solve`](crate::device::Decompose::solve).
pub(in crate::device) fn solve<T: Field>(
    structure: Structure,
    b: Output<'_, T, Cpu>,
    a: MatrixOperand<'_, T, Cpu>,
) -> Result<(), Error> {
    let rank = a.operand.shape().len() - 2;
    let n = square_extent(&a.operand);
    let p = *b.shape().last().expect("`b` consists of matrices");
    assert_extents(&b, &a.operand, &[n, p]);
    let threads = match structure {
        // The LDLᴴ factorisation runs on one thread only.
        Structure::Hermitian => Threads::One,
        _ => THRESHOLDS.threads(T::COMPLEX, n),
    };
    let batch = Batch::new("solve", a.operand, threads);
    let operations = n.saturating_mul(n).saturating_mul(n / 3 + p);
    let b = Results::new(b, rank);
    if b.is_empty() {
        return Ok(());
    }
    let memory = scratch::<T>(threads.par(), structure, [n, p]);
    batch.for_each([b.strides()], operations, &|a_k, [at_b]| {
        // SAFETY: `for_each` calls this closure once for each matrix. `at_b` is the offset of that matrix's result in `b`, so no
        // other call uses this result.
        let b = unsafe { b.at(at_b) };
        one(threads.par(), structure, memory?, b, a_k, a.conjugate)
    })
}

/// Returns the size of the memory for solving one system.
fn scratch<T: Field>(par: Par, structure: Structure, [n, p]: [usize; 2]) -> Result<StackReq, Failure> {
    check_extents::<T>([n, n.max(p)])?;
    let of_factors = match structure {
        Structure::General => StackReq::new::<usize>(n).array(2).and(
            lu_in_place_scratch::<usize, T>(n, n, par, Default::default())
                .or(lu_solve::solve_in_place_scratch::<usize, T>(n, p, par))
                .or(lu_solve::solve_transpose_in_place_scratch::<usize, T>(n, p, par)),
        ),
        Structure::PositiveDefinite => {
            llt::factor::cholesky_in_place_scratch::<T>(n, par, Default::default())
                .or(llt::solve::solve_in_place_scratch::<T>(n, p, par))
        }
        Structure::Hermitian => ldl::scratch::<T>(n)
            .and(StackReq::new::<usize>(n))
            .and(lblt::solve::solve_in_place_scratch::<usize, T>(n, p, par)),
        Structure::Lower { .. } | Structure::Upper { .. } => StackReq::EMPTY,
    };
    Ok(request::<T>(&[[n, n], [n, p]]).and(StackReq::new::<PowerOfTwo>(p)).and(of_factors))
}

/// Solves one system.
fn one<T: Field>(
    par: Par,
    structure: Structure,
    memory: StackReq,
    b: Output<'_, T, Cpu>,
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
) -> Result<(), Failure> {
    let [n, p] = [b.shape()[0], b.shape()[1]];
    with_stack(memory, |stack| {
        // A row-major matrix is loaded as its transpose, so that contiguous rows are copied.
        let transposed =
            structure == Structure::General && a.strides()[1].unsigned_abs() < a.strides()[0].unsigned_abs();
        let (shape, strides) = ([n, n], [a.strides()[1], a.strides()[0]]);
        let a = if transposed { a.with_axes(Axes::new(&shape, &strides), 0) } else { a };
        let (mut a_copy, stack) = take_loaded(a, conjugated, stack);
        let (mut x, stack) = take_loaded(b.as_operand(), false, stack);
        let (mut of_b, stack) = stack.make_with(p, |_| PowerOfTwo::ONE);
        let (mut a_copy, mut x) = (a_copy.as_mat_mut(), x.as_mat_mut());
        let of_a = match structure {
            // The elements of the diagonal, which are 1, are not stored, so the matrix cannot be scaled.
            Structure::Lower { unit: true } | Structure::Upper { unit: true } => {
                check_finite(a_copy.as_mut())?;
                PowerOfTwo::ONE
            }
            Structure::General => moderate(a_copy.as_mut(), Used::All)?,
            Structure::PositiveDefinite => moderate(a_copy.as_mut(), Used::Lower)?,
            Structure::Hermitian => {
                make_diagonal_real(a_copy.as_mut());
                moderate(a_copy.as_mut(), Used::Lower)?
            }
            Structure::Lower { unit: false } => moderate(a_copy.as_mut(), Used::Lower)?,
            Structure::Upper { unit: false } => moderate(a_copy.as_mut(), Used::Upper)?,
        };
        for (j, of_column) in of_b.iter_mut().enumerate() {
            *of_column = moderate(x.as_mut().subcols_mut(j, 1), Used::All)?;
        }
        match structure {
            Structure::General => general(par, transposed, a_copy.as_mut(), x.as_mut(), stack)?,
            Structure::PositiveDefinite => {
                cholesky::factor(par, a_copy.as_mut(), stack)?;
                llt::solve::solve_in_place_with_conj(a_copy.as_ref(), Conj::No, x.as_mut(), par, stack);
            }
            Structure::Hermitian => hermitian(par, a_copy.as_mut(), x.as_mut(), stack)?,
            Structure::Lower { unit } => {
                check_diagonal(a_copy.as_ref(), unit)?;
                let solve = if unit {
                    triangular_solve::solve_unit_lower_triangular_in_place_with_conj
                } else {
                    triangular_solve::solve_lower_triangular_in_place_with_conj
                };
                solve(a_copy.as_ref(), Conj::No, x.as_mut(), par);
            }
            Structure::Upper { unit } => {
                check_diagonal(a_copy.as_ref(), unit)?;
                let solve = if unit {
                    triangular_solve::solve_unit_upper_triangular_in_place_with_conj
                } else {
                    triangular_solve::solve_upper_triangular_in_place_with_conj
                };
                solve(a_copy.as_ref(), Conj::No, x.as_mut(), par);
            }
        }
        // The scaled system a' · x' = b' was solved, with a = of_a · a' and b = of_b · b'. So x = (of_b / of_a) · x'.
        for (j, of_column) in of_b.iter().enumerate() {
            of_column.divided_by(of_a).scale(x.as_mut().subcols_mut(j, 1));
        }
        store(b, x.as_ref());
        Ok(())
    })
}

/// Solves `a · x = b` by an LU decomposition. On entry, `x` has `b`; on return, it has the solution. Overwrites `a`. If
/// `transposed`, the system is `aᵀ · x = b`.
fn general<T: Field>(
    par: Par,
    transposed: bool,
    mut a: MatMut<'_, T>,
    x: MatMut<'_, T>,
    stack: &mut MemStack,
) -> Result<(), Failure> {
    let n = a.nrows();
    let (mut permutation, stack) = stack.make_with(n, |_| 0usize);
    let (mut inverse, stack) = stack.make_with(n, |_| 0usize);
    let (_, rows) = lu_in_place(a.as_mut(), &mut permutation, &mut inverse, par, stack, Default::default());
    check_diagonal(a.as_ref(), false)?;
    let solve = if transposed {
        lu_solve::solve_transpose_in_place_with_conj
    } else {
        lu_solve::solve_in_place_with_conj
    };
    solve(a.as_ref(), a.as_ref(), rows, Conj::No, x, par, stack);
    Ok(())
}

/// Solves `a · x = b` by an LDLᴴ decomposition. On entry, `x` has `b`; on return, it has the solution. `a` must have a real
/// diagonal, and is overwritten.
fn hermitian<T: Field>(
    par: Par,
    mut a: MatMut<'_, T>,
    x: MatMut<'_, T>,
    stack: &mut MemStack,
) -> Result<(), Failure> {
    let (n, zero) = (a.nrows(), T::zero_impl());
    let (mut below, stack) = stack.make_with(n, |_| zero);
    let (mut rows, stack) = stack.make_with(n, |_| 0usize);
    let (mut inverse, stack) = stack.make_with(n, |_| 0usize);
    ldl::factor(a.as_mut(), &mut below, &mut rows, stack);
    rows.iter().enumerate().for_each(|(i, &row)| inverse[row] = i);
    // 2 × 2 pivots are never singular, so only 1 × 1 pivots are checked. The first row of a 2 × 2 pivot has an element in `below`
    // that is not 0.
    let alone = |j: usize| below[j] == zero && (j == 0 || below[j - 1] == zero);
    if let Some(pivot) = (0..n).find(|&j| a[(j, j)] == zero && alone(j)) {
        return Err(Failure::Singular(pivot));
    }
    let (a, below) = (a.as_ref(), DiagRef::from_slice(&below).as_dyn_stride());
    let rows = PermRef::new_checked(&rows, &inverse, n);
    lblt::solve::solve_in_place_with_conj(a, a.diagonal(), below, Conj::No, rows, x, par, stack);
    Ok(())
}

/// Checks that no diagonal element is 0. If `unit`, the elements of the diagonal are 1 and not stored, so nothing is checked.
fn check_diagonal<T: Field>(a: MatRef<'_, T>, unit: bool) -> Result<(), Failure> {
    if unit {
        return Ok(());
    }
    match (0..a.nrows()).find(|&j| a[(j, j)] == T::zero_impl()) {
        Some(pivot) => Err(Failure::Singular(pivot)),
        None => Ok(()),
    }
}
