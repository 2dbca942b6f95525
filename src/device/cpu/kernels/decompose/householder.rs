//! Computes the matrix of a product of Householder reflections.

use super::Field;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::householder::{
    apply_block_householder_on_the_left_in_place_scratch as apply_scratch,
    apply_block_householder_on_the_left_in_place_with_conj as apply,
};
use faer::{Conj, MatMut, MatRef, Par};

/// Applies the reflections of `basis` to the diagonal matrix `to`, in blocks of `factor.nrows()` reflections.
///
/// The blocks are applied from the last to the first. The block whose first reflection is `j` changes only the rows from `j` on. In these
/// rows, the columns before `j` are still 0, because all blocks applied before this one begin at later columns. So each block is applied
/// only to the columns from `j` on, as in LAPACK's `dorgqr`. For a square matrix, this takes two thirds of the operations that all columns
/// would take.
pub(super) fn reflect_diagonal<T: Field>(
    basis: MatRef<'_, T>,
    factor: MatRef<'_, T>,
    mut to: MatMut<'_, T>,
    par: Par,
    stack: &mut MemStack,
) {
    let (block, k) = (factor.nrows(), factor.ncols());
    for j in (0..k).step_by(block).rev() {
        let len = block.min(k - j);
        let (basis, factor) = (basis.get(j.., j..j + len), factor.subcols(j, len).subrows(0, len));
        apply(basis, factor, Conj::No, to.as_mut().get_mut(j.., j..), par, stack);
    }
}

/// Returns the size of the workspace that [`reflect_diagonal`] needs for a matrix of these extents.
pub(super) fn reflect_scratch<T: Field>(rows: usize, block: usize, columns: usize) -> StackReq {
    apply_scratch::<T>(rows, block, columns)
}
