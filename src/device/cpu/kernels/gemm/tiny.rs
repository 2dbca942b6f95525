//! Products of square matrices with side 2, 3 or 4, by unrolled loops. For such small products, the setup of another kernel would
//! take longer than the product. `Cpu::gemm` calls [`multiply`] before anything else, and the floating-point implementations call it
//! for the products of a batch.

use super::product::Product;
use crate::element::Scalar;

/// Computes the product if `m`, `k` and `n` are equal and are 2, 3 or 4; for complex numbers, only if they are 2. Returns whether
/// it computed the product.
///
/// # Safety
/// The caller must ensure the conditions of [`MatrixProduct::multiply`](super::product::MatrixProduct::multiply).
#[inline]
pub(super) unsafe fn multiply<T: Scalar>(product: &Product<T>) -> bool {
    match (product.m, product.k, product.n) {
        // SAFETY: `square` has the conditions of `MatrixProduct::multiply`, which the caller ensures. `m`, `k` and `n` are 2.
        (2, 2, 2) => unsafe { square::<T, 2>(product) },
        // For complex numbers, the SIMD kernels are faster with sides of 3 and 4.
        // SAFETY: `square` has the conditions of `MatrixProduct::multiply`, which the caller ensures. `m`, `k` and `n` are 3.
        (3, 3, 3) if !T::COMPLEX => unsafe { square::<T, 3>(product) },
        // SAFETY: `square` has the conditions of `MatrixProduct::multiply`, which the caller ensures. `m`, `k` and `n` are 4.
        (4, 4, 4) if !T::COMPLEX => unsafe { square::<T, 4>(product) },
        _ => return false,
    }
    true
}

/// Returns `factor · x`. Does not multiply if `factor` is 1. A complex 1 has a zero imaginary part, and infinity times zero is
/// NaN.
fn times<T: Scalar>(factor: T, x: T) -> T {
    if factor.is_one() { x } else { factor * x }
}

/// Computes a product of square matrices with side `N`.
///
/// # Safety
/// The caller must ensure the conditions of [`multiply`], and that `m`, `k` and `n` are `N`.
unsafe fn square<T: Scalar, const N: usize>(product: &Product<T>) {
    let Product { a, b, c, alpha, beta, conjugate, .. } = *product;
    let scaled = !alpha.is_one() || !beta.is_zero();
    let conj = |x: T, yes: bool| if T::COMPLEX && yes { x.conj() } else { x };
    let mut y = [[T::zero(); N]; N];
    for (p, row) in y.iter_mut().enumerate() {
        for (j, y) in row.iter_mut().enumerate() {
            // SAFETY: `p < N` and `j < N`, so this is an element of `b`. The caller ensures that it may be read.
            *y = conj(unsafe { *b.from(p, j).ptr.get() }, conjugate[1]);
        }
    }
    for i in 0..N {
        let mut sums = [T::zero(); N];
        for (p, row) in y.iter().enumerate() {
            // SAFETY: `i < N` and `p < N`, so this is an element of `a`. The caller ensures that it may be read.
            let x = conj(unsafe { *a.from(i, p).ptr.get() }, conjugate[0]);
            for (sum, &y) in sums.iter_mut().zip(row) {
                *sum += x * y;
            }
        }
        for (j, &sum) in sums.iter().enumerate() {
            let to = c.from(i, j).ptr.get();
            let mut value = if scaled { times(alpha, sum) } else { sum };
            if scaled && !beta.is_zero() {
                // SAFETY: `i < N` and `j < N`, so this is an element of `c`. The caller ensures exclusive access to it.
                value += times(beta, unsafe { *to });
            }
            // SAFETY: `i < N` and `j < N`, so this is an element of `c`. The caller ensures exclusive access to it.
            unsafe { *to = value };
        }
    }
}
