//! The Schur decomposition. faer's public interface does not have one. So faer computes the Hessenberg form, and this crate's QR
//! algorithm transforms it further.

mod complex;
mod deflation;
mod real;
mod standard;

use super::batch::{MatrixBatch, Results, assert_extents, square_extent};
use super::householder::{reflect_diagonal, reflect_scratch};
use super::parallel::Threads;
use super::scale::{Used, normalise};
use super::square::Square;
use super::workspace::{check_extents, request, store, take, take_loaded, with_stack};
use super::{Failure, Field, gauge};
use crate::device::cpu::Cpu;
use crate::device::{MatrixOperand, Operand, Output};
use crate::element::{Scalar, c32, c64};
use crate::error::Error;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::hessenberg::{hessenberg_in_place, hessenberg_in_place_scratch};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::mat::AsMatMut;
use faer::{MatMut, Par};

/// Element types with a QR algorithm for Hessenberg matrices.
pub(in crate::device) trait Triangularise: Field {
    /// Transforms the Hessenberg matrix `h` into a quasi-triangular matrix, and multiplies `z` by the unitary transformation.
    fn triangularise(h: &mut Square<'_, Self>, z: &mut Square<'_, Self>) -> Result<(), Failure>;
}

macro_rules! triangularise {
    ($($T:ident by $algorithm:ident)*) => {$(
        impl Triangularise for $T {
            fn triangularise(h: &mut Square<'_, $T>, z: &mut Square<'_, $T>) -> Result<(), Failure> {
                $algorithm::triangularise(h, z)
            }
        }
    )*};
}
triangularise!(f32 by real f64 by real c32 by complex c64 by complex);

/// Computes [`Decompose::schur`](crate::device::Decompose::schur).
pub(in crate::device) fn schur<T: Triangularise>(
    t: Output<'_, T, Cpu>,
    z: Output<'_, T, Cpu>,
    a: MatrixOperand<'_, T, Cpu>,
) -> Result<(), Error> {
    let rank = a.operand.shape().len() - 2;
    let n = square_extent(&a.operand);
    assert_extents(&t, &a.operand, &[n, n]);
    assert_extents(&z, &a.operand, &[n, n]);
    let batch = MatrixBatch::new("schur", a.operand, Threads::One);
    let operations = n.saturating_mul(n).saturating_mul(n).saturating_mul(10);
    let (t, z) = (Results::new(t, rank), Results::new(z, rank));
    if t.is_empty() {
        return Ok(());
    }
    batch.for_each([t.strides(), z.strides()], operations, &|a_k, [at_t, at_z]| {
        // SAFETY: `for_each` calls this closure once for each matrix of the batch. So `at_t` is the offset of a matrix of `t` that no other
        // call uses.
        let t = unsafe { t.at(at_t) };
        // SAFETY: `for_each` calls this closure once for each matrix of the batch. So `at_z` is the offset of a matrix of `z` that no other
        // call uses.
        let z = unsafe { z.at(at_z) };
        one(t, z, a_k, a.conjugate)
    })
}

/// Decomposes one matrix.
fn one<T: Triangularise>(
    t: Output<'_, T, Cpu>,
    z: Output<'_, T, Cpu>,
    a: Operand<'_, T, Cpu>,
    conjugated: bool,
) -> Result<(), Failure> {
    let n = a.shape()[0];
    check_extents::<T>([n, n])?;
    let memory = request::<T>(&[[n, n]]).and(scratch::<T>(n));
    with_stack(memory, |stack| {
        let (mut a_copy, stack) = take_loaded(a, conjugated, stack);
        let mut a_copy = a_copy.as_mat_mut();
        let scale = normalise(a_copy.as_mut(), Used::All)?;
        decompose(a_copy, stack, |mut h, mut vectors, _| {
            for j in 0..n {
                let by = gauge::fix_slice(vectors.column_mut(j));
                if by != T::one_impl() {
                    h.column_mut(j).iter_mut().for_each(|x| *x *= by);
                    h.for_rows(j, 0, |[x]| *x *= Scalar::conj(by));
                }
            }
            let mut t_copy = h.as_mat_mut();
            scale.scale(t_copy.as_mut());
            store(t, t_copy.as_ref());
            store(z, vectors.as_mat_mut().as_ref());
            Ok(())
        })
    })
}

/// Returns the size of the workspace that [`decompose`] needs.
pub(super) fn scratch<T: Field>(n: usize) -> StackReq {
    let below = n.saturating_sub(1);
    let block = recommended_block_size::<T>(below, below);
    StackReq::new::<T>(n * n).array(2).and(request::<T>(&[[block, below]])).and(
        hessenberg_in_place_scratch::<T>(n, block, Par::Seq, Default::default())
            .or(reflect_scratch::<T>(below, block, below)),
    )
}

/// Computes the Schur decomposition `a = z · t · zᴴ` of a normalised square matrix of the workspace, which has at least one row.
/// Calls `f` with `t`, `z` and the rest of the workspace.
///
/// # Errors
/// [`Failure::NotConverged`], and the error of `f`.
pub(super) fn decompose<T: Triangularise, R>(
    mut a: MatMut<'_, T>,
    stack: &mut MemStack,
    f: impl FnOnce(Square<'_, T>, Square<'_, T>, &mut MemStack) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let n = a.nrows();
    let zero = T::zero_impl();
    let (mut h, stack) = stack.make_with(n * n, |_| zero);
    let (mut z, stack) = stack.make_with(n * n, |k| if k % (n + 1) == 0 { T::one_impl() } else { zero });
    let (mut h, mut z) = (Square::new(n, &mut h), Square::new(n, &mut z));
    if n > 2 {
        let block = recommended_block_size::<T>(n - 1, n - 1);
        let (mut factor, stack) = take::<T>([block, n - 1], stack);
        let mut factor = factor.as_mat_mut();
        hessenberg_in_place(a.as_mut(), factor.as_mut(), Par::Seq, stack, Default::default());
        reflect_diagonal(
            a.as_ref().submatrix(1, 0, n - 1, n - 1),
            factor.as_ref(),
            z.as_mat_mut().submatrix_mut(1, 1, n - 1, n - 1),
            Par::Seq,
            stack,
        );
    }
    for j in 0..n {
        for i in 0..n.min(j + 2) {
            h[(i, j)] = a[(i, j)];
        }
    }
    T::triangularise(&mut h, &mut z)?;
    f(h, z, stack)
}
