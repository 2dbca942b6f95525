//! Products of floating and complex numbers by matrixmultiply: processors without our own kernels.

use super::product::{Matrix, MatrixProduct, Product, same};
use crate::device::HostPtr;
use crate::device::cpu::threads::join;
use crate::element::{DType, Scalar};
use crate::error::Error;
use crate::layout::walk::Walk;
use matrixmultiply::CGemmOption;

/// Multiplications that pay for another thread.
const WORK: usize = 1 << 20;

/// By the crate matrixmultiply, which takes strides of any sign and size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

impl<T: Scalar> MatrixProduct<T> for Portable {
    unsafe fn multiply(&self, product: &Product<T>) -> Result<(), Error> {
        // matrixmultiply does not conjugate: it gets a copy.
        let [mut copy_a, mut copy_b] = [Vec::new(), Vec::new()];
        let mut product = *product;
        if T::COMPLEX && product.conjugate[0] {
            // SAFETY: the caller's.
            product.a = unsafe { conjugated(product.a, product.m, product.k, &mut copy_a) };
        }
        if T::COMPLEX && product.conjugate[1] {
            // SAFETY: the caller's.
            product.b = unsafe { conjugated(product.b, product.k, product.n, &mut copy_b) };
        }
        // SAFETY: the caller's; copies live on.
        unsafe { in_parts(product) };
        Ok(())
    }
}

/// The longer side of the result is cut, so the parts are the same whatever the number of threads.
///
/// # Safety
/// As [`MatrixProduct::multiply`]; nothing is conjugated.
unsafe fn in_parts<T: Scalar>(product: Product<T>) {
    if product.n > product.m {
        // SAFETY: the same elements.
        return unsafe { in_parts(product.transposed()) };
    }
    if product.work() >= 2 * WORK && product.m >= 16 {
        let (low, high) = product.split_rows((product.m / 2).next_multiple_of(8));
        // SAFETY: the parts write different rows of `c`.
        join(|| unsafe { in_parts(low) }, || unsafe { in_parts(high) });
        return;
    }
    // SAFETY: the caller's.
    unsafe { part(product) };
}

/// # Safety
/// As [`in_parts`].
unsafe fn part<T: Scalar>(product: Product<T>) {
    let Product { m, k, n, a, b, c, alpha, beta, .. } = product;
    macro_rules! real {
        ($gemm:ident, $t:ty) => {{
            let (alpha, beta) = (same::<T, $t>(alpha), same::<T, $t>(beta));
            let (pa, pb, pc) = (a.ptr.get().cast(), b.ptr.get().cast(), c.ptr.get().cast());
            // SAFETY: `T` is this type, and the caller vouches for the matrices.
            unsafe {
                matrixmultiply::$gemm(
                    m, k, n, alpha, pa, a.down, a.right, pb, b.down, b.right, beta, pc, c.down, c.right,
                )
            }
        }};
    }
    macro_rules! complex {
        ($gemm:ident, $t:ty) => {{
            const PLAIN: CGemmOption = CGemmOption::Standard;
            let (alpha, beta) = (same::<T, [$t; 2]>(alpha), same::<T, [$t; 2]>(beta));
            let (pa, pb, pc) = (a.ptr.get().cast(), b.ptr.get().cast(), c.ptr.get().cast());
            // SAFETY: `T` is this type's `Complex`, which is two of it (`repr(C)`), and the caller vouches for the matrices.
            unsafe {
                matrixmultiply::$gemm(
                    PLAIN, PLAIN, m, k, n, alpha, pa, a.down, a.right, pb, b.down, b.right, beta, pc, c.down, c.right,
                )
            }
        }};
    }
    match T::DTYPE {
        DType::F32 => real!(sgemm, f32),
        DType::F64 => real!(dgemm, f64),
        DType::C32 => complex!(cgemm, f32),
        DType::C64 => complex!(zgemm, f64),
        other => unreachable!("no floating numbers: {}", other.name()),
    }
}

/// A conjugated copy, row by row.
///
/// # Safety
/// `x` may be read at all indices of `rows` by `columns`.
unsafe fn conjugated<T: Scalar>(x: Matrix<T>, rows: usize, columns: usize, to: &mut Vec<T>) -> Matrix<T> {
    let shape = [rows, columns];
    let mut walk = Walk::row_major(&shape, [&[x.down, x.right]]);
    to.extend((0..rows * columns).map(|_| {
        let from = x.moved(walk.offsets()[0]).ptr.get();
        walk.advance();
        // SAFETY: an index of `x`.
        unsafe { *from }.conj()
    }));
    Matrix::new(HostPtr::new(to.as_mut_ptr()), [columns as isize, 1])
}
