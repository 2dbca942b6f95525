//! Calls of faer.

use super::super::workspace::{request, take};
use super::Eigen;
use crate::element::{Scalar, c32, c64};
use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::{ComputeEigenvectors, evd_cplx, evd_real, evd_scratch};
use faer::mat::AsMatMut;
use faer::traits::RealField;
use faer::{MatMut, MatRef, Par};
use num_complex::Complex;
use num_traits::{Float, Zero};

fn which(vectors: bool) -> ComputeEigenvectors {
    if vectors { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No }
}

macro_rules! eigen {
    ($($R:ident $C:ident)*) => {$(
        impl Eigen for $R {
            fn scratch(n: usize, vectors: bool) -> StackReq {
                StackReq::new::<$R>(n).array(2).and(request::<$R>(&[[n, if vectors { n } else { 0 }]])).and(
                    evd_scratch::<$R>(n, ComputeEigenvectors::No, which(vectors), Par::Seq, Default::default()),
                )
            }
            fn eigen(w: &mut [$C], v: Option<MatMut<'_, $C>>, a: MatRef<'_, $R>, stack: &mut MemStack) {
                of_real(w, v, stack, |re, im, v, stack| {
                    let [re, im] = [re, im].map(|x| DiagMut::from_slice_mut(x).as_dyn_stride_mut());
                    // The error is ignored, because the caller checks the result.
                    let _ = evd_real::<$R>(a, re, im, None, v, Par::Seq, stack, Default::default());
                });
            }
        }
        impl Eigen for $C {
            fn scratch(n: usize, vectors: bool) -> StackReq {
                evd_scratch::<$C>(n, ComputeEigenvectors::No, which(vectors), Par::Seq, Default::default())
            }
            fn eigen(w: &mut [$C], v: Option<MatMut<'_, $C>>, a: MatRef<'_, $C>, stack: &mut MemStack) {
                of_complex(w, v, a, stack);
            }
        }
    )*};
}
eigen!(f32 c32 f64 c64);

/// Computes the eigenvalues of a real matrix and, if `v` is passed, its eigenvectors. Both may be complex.
///
/// `call` must pass its arguments to faer, which writes the real parts of the eigenvalues to the first argument, their imaginary
/// parts to the second, and the eigenvectors to the third. The last argument is workspace.
fn of_real<T: Eigen>(
    w: &mut [T::Complex],
    v: Option<MatMut<'_, T::Complex>>,
    stack: &mut MemStack,
    call: impl FnOnce(&mut [T], &mut [T], Option<MatMut<'_, T>>, &mut MemStack),
) {
    let n = w.len();
    let (mut re, stack) = stack.make_with(n, |_| T::zero_impl());
    let (mut im, stack) = stack.make_with(n, |_| T::zero_impl());
    let (mut packed, stack) = take::<T>([n, if v.is_some() { n } else { 0 }], stack);
    let mut packed = packed.as_mat_mut();
    call(&mut re, &mut im, v.is_some().then(|| packed.as_mut()), stack);
    let (part, zero) = (T::real_part_impl, <T::Magnitude as Zero>::zero());
    let mut v = v;
    let mut k = 0;
    while k < n {
        let (p, q) = (part(&re[k]), Float::abs(part(&im[k])));
        let pair = q != zero && k + 1 < n;
        w[k] = T::complex(p, q);
        if pair {
            w[k + 1] = T::complex(p, -q);
        }
        if let Some(v) = v.as_mut() {
            // For a pair of conjugate eigenvalues, faer writes two columns: the real and the imaginary part of the eigenvector of
            // the first eigenvalue.
            for i in 0..n {
                let im = if pair { part(&packed[(i, k + 1)]) } else { zero };
                v[(i, k)] = T::complex(part(&packed[(i, k)]), im);
                if pair {
                    v[(i, k + 1)] = Scalar::conj(v[(i, k)]);
                }
            }
        }
        k += if pair { 2 } else { 1 };
    }
}

fn of_complex<R: RealField>(
    w: &mut [Complex<R>],
    v: Option<MatMut<'_, Complex<R>>>,
    a: MatRef<'_, Complex<R>>,
    stack: &mut MemStack,
) {
    let w = DiagMut::from_slice_mut(w).as_dyn_stride_mut();
    // The error is ignored, because the caller checks the result.
    let _ = evd_cplx(a, w, None, v, Par::Seq, stack, Default::default());
}
