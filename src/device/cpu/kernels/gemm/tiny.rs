//! Square matrices of two, three or four: unrolled, by the elements' own arithmetic. To set up anything else would take
//! longer than the product.

use super::product::Product;
use crate::element::Scalar;

/// Computes a product if it is that small, and says whether.
///
/// # Safety
/// As [`MatrixProduct::multiply`](super::product::MatrixProduct::multiply).
#[inline]
pub(super) unsafe fn multiply<T: Scalar>(product: &Product<T>) -> bool {
    match (product.m, product.k, product.n) {
        // SAFETY: the caller's; the sizes are the product's.
        (2, 2, 2) => unsafe { square::<T, 2>(product) },
        // So many complex products are faster as vectors.
        // SAFETY: as above.
        (3, 3, 3) if !T::COMPLEX => unsafe { square::<T, 3>(product) },
        // SAFETY: as above.
        (4, 4, 4) if !T::COMPLEX => unsafe { square::<T, 4>(product) },
        _ => return false,
    }
    true
}

/// `factor · x`. A complex one is not multiplied by: infinity times its imaginary part is NaN.
fn times<T: Scalar>(factor: T, x: T) -> T {
    if factor.is_one() { x } else { factor * x }
}

/// # Safety
/// As [`multiply`]; all sides are `N`.
unsafe fn square<T: Scalar, const N: usize>(product: &Product<T>) {
    let Product { a, b, c, alpha, beta, conjugate, .. } = *product;
    let conj = |x: T, yes: bool| if T::COMPLEX && yes { x.conj() } else { x };
    let mut y = [[T::zero(); N]; N];
    for (p, row) in y.iter_mut().enumerate() {
        for (j, y) in row.iter_mut().enumerate() {
            // SAFETY: an index of `b`.
            *y = conj(unsafe { *b.from(p, j).ptr.get() }, conjugate[1]);
        }
    }
    for i in 0..N {
        let mut sums = [T::zero(); N];
        for (p, row) in y.iter().enumerate() {
            // SAFETY: an index of `a`.
            let x = conj(unsafe { *a.from(i, p).ptr.get() }, conjugate[0]);
            for (sum, &y) in sums.iter_mut().zip(row) {
                *sum += x * y;
            }
        }
        for (j, &sum) in sums.iter().enumerate() {
            let to = c.from(i, j).ptr.get();
            let mut value = times(alpha, sum);
            if !beta.is_zero() {
                // SAFETY: an index of `c`.
                value += times(beta, unsafe { *to });
            }
            // SAFETY: an index of `c`, which is ours alone.
            unsafe { *to = value };
        }
    }
}
