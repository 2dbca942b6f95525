//! Solutions of linear systems.

use super::batch::{MatrixBatch, Results, assert_extents, square_extent};
use super::lu::{THRESHOLDS, factor_by_division, is_invertible};
use super::parallel::Threads;
use super::scale::{
    PowerOfTwo, Used, check_finite, equilibrate, moderate, moderate_extreme_columns, normalise,
};
use super::workspace::{
    check_extents, column, load, make_diagonal_real, request, store, take_loaded, with_stack,
};
use super::{Failure, Field, cholesky, ldl};
use crate::device::cpu::Cpu;
use crate::device::family::decompose::Structure;
use crate::device::{MatrixOperand, Operand, Output};
use crate::element::{Inexact, Scalar};
use crate::error::Error;
use crate::layout::axes::Axes;
use core::ops::Range;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::cholesky::llt;
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::solve as lu_solve;
use faer::linalg::triangular_solve;
use faer::mat::AsMatMut;
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
    let batch = MatrixBatch::new("solve", a.operand, threads);
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
        Structure::Hermitian => {
            ldl::scratch::<T>(n).and(StackReq::new::<usize>(n)).and(StackReq::new::<T>(n))
        }
        Structure::Lower { .. } | Structure::Upper { .. } => StackReq::EMPTY,
    };
    let by_division = StackReq::new::<usize>(n).and(StackReq::new::<T>(n));
    Ok(request::<T>(&[[n, n], [n, p]])
        .and(StackReq::new::<PowerOfTwo>(p))
        .and(StackReq::new::<PowerOfTwo>(n).array(2))
        .and(of_factors.or(by_division)))
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
        let loaded = if transposed { a.with_axes(Axes::new(&shape, &strides), 0) } else { a };
        let (mut a_copy, stack) = take_loaded(loaded, conjugated, stack);
        let (mut x, stack) = take_loaded(b.as_operand(), false, stack);
        let (mut of_b, stack) = stack.make_with(p, |_| PowerOfTwo::ONE);
        let (mut of_rows, stack) = stack.make_with(n, |_| PowerOfTwo::ONE);
        let (mut of_columns, stack) = stack.make_with(n, |_| PowerOfTwo::ONE);
        let (mut a_copy, mut x) = (a_copy.as_mat_mut(), x.as_mat_mut());
        let of_a = match structure {
            // The elements of the diagonal, which are 1, are not stored, so the matrix cannot be scaled.
            Structure::Lower { unit: true } | Structure::Upper { unit: true } => {
                check_finite(a_copy.as_mut())?;
                PowerOfTwo::ONE
            }
            Structure::General => {
                // The columns of the loaded matrix are the rows of `a` if it was transposed.
                let powers = if transposed { &mut of_rows } else { &mut of_columns };
                moderate_extreme_columns(a_copy.as_mut(), powers)?;
                PowerOfTwo::ONE
            }
            Structure::PositiveDefinite => moderate(a_copy.as_mut(), Used::Lower)?,
            Structure::Hermitian => {
                make_diagonal_real(a_copy.as_mut());
                moderate(a_copy.as_mut(), Used::Lower)?
            }
            Structure::Lower { unit: false } => moderate(a_copy.as_mut(), Used::Lower)?,
            Structure::Upper { unit: false } => moderate(a_copy.as_mut(), Used::Upper)?,
        };
        if of_rows.iter().any(|of_row| !of_row.is_one()) {
            check_finite(x.as_mut())?;
            divide_rows(x.as_mut(), &of_rows);
            // If a row of `b` overflows, so does the solution.
            check_finite(x.as_mut()).map_err(|_| Failure::OutOfRange)?;
        }
        for (j, of_column) in of_b.iter_mut().enumerate() {
            *of_column = moderate(x.as_mut().subcols_mut(j, 1), Used::All)?;
        }
        let precise = match structure {
            Structure::General => general(par, transposed, a_copy.as_mut(), x.as_mut(), stack)?,
            Structure::PositiveDefinite => {
                cholesky::factor(par, a_copy.as_mut(), stack)?;
                llt::solve::solve_in_place_with_conj(a_copy.as_ref(), Conj::No, x.as_mut(), par, stack);
                true
            }
            Structure::Hermitian => {
                hermitian(par, a_copy.as_mut(), x.as_mut(), stack)?;
                true
            }
            Structure::Lower { unit } => {
                let solve = if unit {
                    triangular_solve::solve_unit_lower_triangular_in_place_with_conj
                } else {
                    triangular_solve::solve_lower_triangular_in_place_with_conj
                };
                let precise = unit || has_invertible_diagonal(a_copy.as_ref())?;
                solve(a_copy.as_ref(), Conj::No, x.as_mut(), par);
                precise
            }
            Structure::Upper { unit } => {
                let solve = if unit {
                    triangular_solve::solve_unit_upper_triangular_in_place_with_conj
                } else {
                    triangular_solve::solve_upper_triangular_in_place_with_conj
                };
                let precise = unit || has_invertible_diagonal(a_copy.as_ref())?;
                solve(a_copy.as_ref(), Conj::No, x.as_mut(), par);
                precise
            }
        };
        if precise {
            of_b.iter_mut().for_each(|of_column| *of_column = of_column.divided_by(of_a));
        } else {
            load(a_copy.as_mut(), a, conjugated);
            load(x.as_mut(), b.as_operand(), false);
            by_division(
                structure,
                a_copy.as_mut(),
                x.as_mut(),
                [&mut of_rows, &mut of_columns],
                &mut of_b,
                stack,
            )?;
        }
        // The scaled system a' · x' = b' was solved, with a = of_rows · a' · of_columns and b = of_rows · b' · of_b. So
        // x = x' · of_b / of_columns.
        for (j, of_column) in of_b.iter().enumerate() {
            if of_columns.iter().all(|of_a| of_a.is_one()) {
                of_column.scale(x.as_mut().subcols_mut(j, 1));
                continue;
            }
            for (x, of_a) in column(x.as_mut(), j).iter_mut().zip(&*of_columns) {
                *x = of_column.divided_by(*of_a).times(*x);
            }
        }
        check_finite(x.as_mut()).map_err(|_| Failure::OutOfRange)?;
        store(b, x.as_ref());
        Ok(())
    })
}

/// Divides each row by a power of two.
fn divide_rows<T: Field>(mut x: MatMut<'_, T>, by: &[PowerOfTwo]) {
    for j in 0..x.ncols() {
        for (x, by) in column(x.as_mut(), j).iter_mut().zip(by) {
            *x = PowerOfTwo::ONE.divided_by(*by).times(*x);
        }
    }
}

/// Solves `a · x = b` by an LU decomposition. On entry, `x` has `b`; on return, it has the solution. Overwrites `a`. If
/// `transposed`, the system is `aᵀ · x = b`. Returns `false` without a solution if a pivot is so small that its inverse overflows.
fn general<T: Field>(
    par: Par,
    transposed: bool,
    mut a: MatMut<'_, T>,
    x: MatMut<'_, T>,
    stack: &mut MemStack,
) -> Result<bool, Failure> {
    let n = a.nrows();
    let (mut permutation, stack) = stack.make_with(n, |_| 0usize);
    let (mut inverse, stack) = stack.make_with(n, |_| 0usize);
    let (_, rows) = lu_in_place(a.as_mut(), &mut permutation, &mut inverse, par, stack, Default::default());
    if !has_invertible_diagonal(a.as_ref())? {
        return Ok(false);
    }
    let solve = if transposed {
        lu_solve::solve_transpose_in_place_with_conj
    } else {
        lu_solve::solve_in_place_with_conj
    };
    solve(a.as_ref(), a.as_ref(), rows, Conj::No, x, par, stack);
    Ok(true)
}

/// Solves `a · x = b` for a general or a triangular matrix with pivots near the lower limit of the type, whose inverses overflow. On entry,
/// `x` has `b`. On return, it has the solution of the scaled system. Writes the powers of two by which rows and columns of the matrix and
/// columns of `b` were divided.
fn by_division<T: Field>(
    structure: Structure,
    mut a: MatMut<'_, T>,
    mut x: MatMut<'_, T>,
    [of_rows, of_columns]: [&mut [PowerOfTwo]; 2],
    of_b: &mut [PowerOfTwo],
    stack: &mut MemStack,
) -> Result<(), Failure> {
    let n = a.nrows();
    let (mut permutation, stack) = stack.make_with(n, |i| i);
    let (mut permuted, _) = stack.make_with(n, |_| T::zero_impl());
    let used = match structure {
        Structure::Lower { .. } => Used::Lower,
        Structure::Upper { .. } => Used::Upper,
        _ => Used::All,
    };
    equilibrate(a.as_mut(), used, of_rows, of_columns);
    divide_rows(x.as_mut(), of_rows);
    for (j, of_column) in of_b.iter_mut().enumerate() {
        let scaled = normalise(x.as_mut().subcols_mut(j, 1), Used::All);
        // If a row of `b` overflows, so does the solution.
        *of_column = scaled.map_err(|_| Failure::OutOfRange)?;
    }
    if used == Used::All {
        factor_by_division(a.as_mut(), &mut permutation);
    }
    if let Some(pivot) = (0..n).find(|&j| a[(j, j)] == T::zero_impl()) {
        return Err(Failure::Singular(pivot));
    }
    for k in 0..x.ncols() {
        let x = column(x.as_mut(), k);
        permuted.iter_mut().zip(&*permutation).for_each(|(to, &row)| *to = x[row]);
        x.copy_from_slice(&permuted);
        let eliminate = |x: &mut [T], j: usize, rows: Range<usize>| {
            let by = x[j];
            rows.for_each(|i| x[i] -= a[(i, j)] * by);
        };
        if used != Used::Upper {
            for j in 0..n {
                if used == Used::Lower {
                    x[j] /= a[(j, j)];
                }
                eliminate(x, j, j + 1..n);
            }
        }
        if used != Used::Lower {
            for j in (0..n).rev() {
                x[j] /= a[(j, j)];
                eliminate(x, j, 0..j);
            }
        }
    }
    Ok(())
}

/// Solves `a · x = b` by an LDLᴴ decomposition. On entry, `x` has `b`; on return, it has the solution. `a` must have a real
/// diagonal, and is overwritten.
///
/// Divides by the pivots. faer's function multiplies by their inverses, which can overflow.
fn hermitian<T: Field>(
    par: Par,
    mut a: MatMut<'_, T>,
    mut x: MatMut<'_, T>,
    stack: &mut MemStack,
) -> Result<(), Failure> {
    let (n, zero) = (a.nrows(), T::zero_impl());
    let (mut below, stack) = stack.make_with(n, |_| zero);
    let (mut rows, stack) = stack.make_with(n, |_| 0usize);
    let (mut permuted, stack) = stack.make_with(n, |_| zero);
    ldl::factor(a.as_mut(), &mut below, &mut rows, stack);
    // 2 × 2 pivots are never singular, so only 1 × 1 pivots are checked. The first row of a 2 × 2 pivot has an element in `below`
    // that is not 0.
    let alone = |j: usize| below[j] == zero && (j == 0 || below[j - 1] == zero);
    if let Some(pivot) = (0..n).find(|&j| a[(j, j)] == zero && alone(j)) {
        return Err(Failure::Singular(pivot));
    }
    for k in 0..x.ncols() {
        let x = column(x.as_mut(), k);
        permuted.iter_mut().zip(&*rows).for_each(|(to, &row)| *to = x[row]);
        x.copy_from_slice(&permuted);
    }
    triangular_solve::solve_unit_lower_triangular_in_place_with_conj(a.as_ref(), Conj::No, x.as_mut(), par);
    for k in 0..x.ncols() {
        divide_by_pivots(a.as_ref(), &below, column(x.as_mut(), k));
    }
    triangular_solve::solve_unit_upper_triangular_in_place_with_conj(
        a.as_ref().transpose(),
        Conj::Yes,
        x.as_mut(),
        par,
    );
    for k in 0..x.ncols() {
        let x = column(x.as_mut(), k);
        rows.iter().zip(&*x).for_each(|(&row, &from)| permuted[row] = from);
        x.copy_from_slice(&permuted);
    }
    Ok(())
}

/// Replaces `x` by the solution of `d · solution = x` for the factor `d` of an LDLᴴ decomposition. The diagonal of `d` is that of `a`, and
/// `below` has the elements below it.
fn divide_by_pivots<T: Field>(a: MatRef<'_, T>, below: &[T], x: &mut [T]) {
    let mut k = 0;
    while k < x.len() {
        let real = |k: usize| T::real_part_impl(&a[(k, k)]);
        if below[k] == T::zero_impl() {
            x[k] = Inexact::unscale(x[k], real(k));
            k += 1;
            continue;
        }
        // Divided by the absolute value of the element below its diagonal, the block is [[a, conj(u)], [u, b]] with |u| = 1.
        let size = T::abs_impl(&below[k]);
        let (a, b, u) = (real(k) / size, real(k + 1) / size, Inexact::unscale(below[k], size));
        let determinant = a * b - T::real_part_impl(&T::one_impl());
        let [y, z] = [x[k], x[k + 1]].map(|x| Inexact::unscale(x, size));
        x[k] = Inexact::unscale(T::mul_real_impl(&y, &b) - z * Scalar::conj(u), determinant);
        x[k + 1] = Inexact::unscale(T::mul_real_impl(&z, &a) - y * u, determinant);
        k += 2;
    }
}

/// Returns whether the inverses of all diagonal elements are finite.
///
/// # Errors
/// [`Failure::Singular`] if a diagonal element is 0, and those before it have finite inverses.
fn has_invertible_diagonal<T: Field>(a: MatRef<'_, T>) -> Result<bool, Failure> {
    match (0..a.nrows()).find(|&j| !is_invertible(a[(j, j)])) {
        Some(pivot) if a[(pivot, pivot)] == T::zero_impl() => Err(Failure::Singular(pivot)),
        other => Ok(other.is_none()),
    }
}
