//! Sums of products: dot products, products of a matrix and a vector, accumulated elementwise products.

use super::{Cpu, HostPtr};
use crate::device::{Factor, Output};
use crate::element::Scalar;
use crate::error::Error;
use crate::layout::walk::Walk;

/// `out = alpha · Σ a · b + beta · out` over the trailing axes of `a` and `b`.
pub(super) fn sum_products<T: Scalar>(
    alpha: T,
    a: Factor<'_, T, Cpu>,
    b: Factor<'_, T, Cpu>,
    beta: T,
    out: Output<'_, T, Cpu>,
) -> Result<(), Error> {
    let kept = out.shape().len();
    let shape = a.operand.shape();
    assert_eq!(shape, b.operand.shape(), "factors of one shape");
    assert_eq!(out.shape(), &shape[..kept], "the leading axes are the output's");
    let (sa, sb) = (a.operand.strides(), b.operand.strides());
    let mut places = Walk::row_major(out.shape(), [out.strides(), &sa[..kept], &sb[..kept]]);
    let terms: usize = shape[kept..].iter().product();
    for _ in 0..out.shape().iter().product() {
        let [o, i, j] = places.offsets();
        places.advance();
        let mut sum = T::zero().widen();
        let mut walk = Walk::row_major(&shape[kept..], [&sa[kept..], &sb[kept..]]);
        for _ in 0..terms {
            let [p, q] = walk.offsets();
            walk.advance();
            // SAFETY: indices of the factors.
            let (x, y) =
                unsafe { (*a.operand.ptr().offset(i + p).get(), *b.operand.ptr().offset(j + q).get()) };
            let x = if a.conjugate { x.conj() } else { x };
            let y = if b.conjugate { y.conj() } else { y };
            sum = T::acc_add(sum, T::acc_mul(x.widen(), y.widen()).0);
        }
        let to: HostPtr<T> = out.ptr().offset(o);
        let scaled = T::acc_mul(alpha.widen(), sum).0;
        let sum = if beta.is_zero() {
            scaled
        } else {
            // SAFETY: an index of the output.
            T::acc_add(scaled, T::acc_mul(beta.widen(), unsafe { *to.get() }.widen()).0)
        };
        // SAFETY: as above; it is ours alone to write.
        unsafe { *to.get() = T::narrow(sum).0 };
    }
    Ok(())
}
