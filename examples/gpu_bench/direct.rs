//! Measures what the benchmarks are compared with: a copy by the driver, and cuBLAS called directly.

use crate::Bench;
use cudarc::cublas::{result::CublasError, sys};
use cudarc::driver::result;
use std::error::Error;
use vierbein::{Complex, Cuda, Rank, RowMajor, Tensor};

type OnGpu<T, const N: usize> = Tensor<T, Rank<N>, RowMajor, Cuda>;

/// Returns the bytes per second that the driver's copy reads and writes, for buffers that are much larger than the caches.
pub(crate) fn copy(bench: &Bench) -> Result<f64, Box<dyn Error>> {
    let n = bench.size(100_000_000);
    let (from, mut to) = (OnGpu::<f64, 1>::ones([n]), OnGpu::<f64, 1>::zeros([n]));
    let (source, target, bytes) = (from.device_ptr().address(), to.device_ptr_mut().address(), 8 * n);
    // SAFETY: both buffers have `bytes` bytes of GPU memory and do not overlap. They live until `bench.time` has waited for the
    // copies, and nothing else accesses them before that.
    let run = || unsafe {
        result::memcpy_dtod_async(target, source, bytes, result::stream::null()).expect("a copy")
    };
    let [median, _] = bench.time(run)?;
    Ok(2.0 * bytes as f64 / median)
}

/// Elements of results, which are compared up to a tolerance.
pub(crate) trait Near: Sized {
    /// The relative tolerance of a result, which allows for another summation order.
    const TOLERANCE: f64;
    /// Returns the absolute value.
    fn size(self) -> f64;
}

impl Near for i64 {
    const TOLERANCE: f64 = 0.0;
    fn size(self) -> f64 {
        self as f64
    }
}

/// Element types that cuBLAS supports.
pub(crate) trait Blas: Near {
    /// Computes `c = a · b` for square column-major matrices at these addresses.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * `handle` is a valid handle of cuBLAS.
    /// * Each address is that of `n * n` elements in memory of the GPU, which live until the product has been computed.
    /// * The elements of `c` do not overlap those of `a` and `b`. Until the product has been computed, nothing else accesses the
    ///   elements of `c`.
    unsafe fn gemm(handle: sys::cublasHandle_t, n: i64, addresses: [u64; 3]) -> sys::cublasStatus_t;
}

macro_rules! blas {
    ($($t:ty, $f:ident, $scalar:ty, $one:expr, $zero:expr, $tolerance:expr, |$x:ident| $size:expr;)*) => {$(
        impl Near for $t {
            const TOLERANCE: f64 = $tolerance;
            fn size(self) -> f64 {
                let $x = self;
                $size
            }
        }
        impl Blas for $t {
            unsafe fn gemm(handle: sys::cublasHandle_t, n: i64, [a, b, c]: [u64; 3]) -> sys::cublasStatus_t {
                let (one, zero): ($scalar, $scalar) = ($one, $zero);
                let plain = sys::cublasOperation_t::CUBLAS_OP_N;
                // SAFETY: the caller ensures that the handle is valid, that the matrices have `n * n` elements, and that access to
                // `c` is exclusive. cuBLAS reads both scalars from host memory during the call.
                unsafe {
                    sys::$f(handle, plain, plain, n, n, n, &raw const one, a as _, n, b as _, n, &raw const zero, c as _, n)
                }
            }
        }
    )*};
}
blas! {
    f32, cublasSgemm_v2_64, f32, 1.0, 0.0, 1e-4, |x| f64::from(x.abs());
    f64, cublasDgemm_v2_64, f64, 1.0, 0.0, 1e-12, |x| x.abs();
    Complex<f64>, cublasZgemm_v2_64, sys::cuDoubleComplex, sys::cuDoubleComplex { x: 1.0, y: 0.0 }, sys::cuDoubleComplex { x: 0.0, y: 0.0 }, 1e-12, |x| x.norm();
}

/// Returns the time in seconds that cuBLAS takes for a product of two square matrices.
pub(crate) fn gemm<T: Blas + vierbein::Scalar>(
    bench: &Bench,
    a: &OnGpu<T, 2>,
    b: &OnGpu<T, 2>,
    c: &mut OnGpu<T, 2>,
) -> Result<f64, Box<dyn Error>> {
    let n = a.shape()[0] as i64;
    let addresses = [a.device_ptr().address(), b.device_ptr().address(), c.device_ptr_mut().address()];
    let mut handle = std::ptr::null_mut();
    // SAFETY: `handle` is a local variable, and the call writes only to it.
    unsafe { sys::cublasCreate_v2(&raw mut handle) }.result()?;
    let run = || {
        // SAFETY: `handle` is valid until it is destroyed below. The matrices have `n * n` elements, and live until `bench.time`
        // has waited for the products. `c` is mutably borrowed, so nothing else accesses it.
        let done: Result<(), CublasError> = unsafe { T::gemm(handle, n, addresses) }.result();
        done.expect("a product");
    };
    let [median, _] = bench.time(run)?;
    // SAFETY: the handle was created above, `bench.time` has waited for its products, and it is not used after this.
    unsafe { sys::cublasDestroy_v2(handle) }.result()?;
    Ok(median)
}
