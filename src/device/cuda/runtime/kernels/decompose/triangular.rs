//! Solutions of triangular systems on a GPU, by cuBLAS.

use super::Input;
use super::matrices::{Matrices, Outside, TriangleSide};
use super::scaling::Scaling;
use crate::device::cpu::decompose::Failure;
use crate::device::cuda::runtime::codegen::operation::RawOperand;
use crate::device::cuda::runtime::driver::context::Context;
use crate::device::cuda::runtime::kernels::gemm::blas::with_handle;
use crate::device::cuda::runtime::libraries;
use crate::element::DType;
use crate::error::Error;
use cudarc::cublas::sys::{
    self, cublasDiagType_t as Diagonal, cublasFillMode_t as Fill, cublasOperation_t as Op,
    cublasSideMode_t as Side,
};

/// Returns whether cuBLAS is available.
pub(in crate::device::cuda::runtime) fn is_available() -> bool {
    libraries::blas().is_ok()
}

/// Computes [`Decompose::solve`](crate::device::Decompose::solve) for triangular matrices. If `unit`, their diagonals consist of ones that
/// are not stored. `b` has the shape `shape`. Returns `false`, and leaves `b` as it was, if the solution is not finite.
///
/// # Safety
/// The caller must ensure:
/// * the elements of the operand and of `b` are allocated on `context`'s GPU;
/// * `b` has as many rows as the operand, and nothing else accesses its elements;
/// * cuBLAS is available.
pub(in crate::device::cuda::runtime) unsafe fn run(
    context: &'static Context,
    triangle: TriangleSide,
    unit: bool,
    b: RawOperand<'_>,
    shape: &[usize],
    input: &Input<'_>,
) -> Result<bool, Error> {
    // SAFETY: the caller ensures that the operand's elements are allocated on `context`'s GPU.
    let a = unsafe { Matrices::load(context, input)? };
    a.keep(context, triangle, Outside::ZeroIfFinite)?;
    // The ones of the diagonal are not stored, so they cannot be scaled.
    let of_a = a.scale_down(context, if unit { Scaling::None } else { Scaling::Moderate })?;
    let right = Input { op: input.op, shape, elements: b, conjugate: false };
    // SAFETY: the caller ensures that the elements of `b` are allocated on `context`'s GPU.
    let x = unsafe { Matrices::load(context, &right)? };
    let of_b = x.scale_columns_down(context, Scaling::Moderate)?;
    let count = of_a.finite.min(of_b.finite);
    let pivots = if unit { vec![0; count] } else { a.zeros_on_diagonal(context)? };
    input.check(&pivots[..count], a.count(), |pivot| Failure::Singular(pivot - 1))?;
    // SAFETY: the caller ensures that cuBLAS is available, and that `b`, and so its copy `x`, has as many rows as the square matrices `a`.
    // `a` and `x` are in new memory, which nothing else accesses.
    unsafe { solve(context, triangle, unit, &a, &x)? };
    let exponents: Vec<i32> =
        of_b.exponents.iter().enumerate().map(|(k, e)| e - of_a.exponents[k / x.columns]).collect();
    x.scale_parts(context, &exponents, None)?;
    if !x.are_finite(context)? {
        return Ok(false);
    }
    // SAFETY: the caller ensures exclusive access to `b`, and `x` has the extents of `b`.
    unsafe { x.store(context, [x.rows, x.columns], b)? };
    Ok(true)
}

/// Overwrites `x` by the solutions of `a · solution = x`.
///
/// # Safety
/// The caller must ensure that cuBLAS is available, that the matrices `a` are square with as many rows as `x`, and that nothing else
/// accesses their memory.
unsafe fn solve(
    context: &'static Context,
    triangle: TriangleSide,
    unit: bool,
    a: &Matrices,
    x: &Matrices,
) -> Result<(), Error> {
    let fill = match triangle {
        TriangleSide::Lower => Fill::CUBLAS_FILL_MODE_LOWER,
        TriangleSide::Upper => Fill::CUBLAS_FILL_MODE_UPPER,
    };
    let diagonal = if unit { Diagonal::CUBLAS_DIAG_UNIT } else { Diagonal::CUBLAS_DIAG_NON_UNIT };
    let (n, p) = (a.rows as i64, x.columns as i64);
    // The factor 1 in single and in double precision. For real matrices, cuBLAS reads only the first number. For complex matrices, it also
    // reads the imaginary part 0.
    let (single, double) = ([1f32, 0.0], [1f64, 0.0]);
    with_handle(context, "solve", |handle| {
        for k in 0..a.count() {
            let (side, op) = (Side::CUBLAS_SIDE_LEFT, Op::CUBLAS_OP_N);
            macro_rules! call {
                ($function:ident, $one:expr) => {{
                    let (one, a, x) = ((&raw const $one).cast(), a.at(k) as *const _, x.at(k) as *mut _);
                    // SAFETY: `with_handle` locked the handle, and made its context current. The caller ensures that `a` is square with as
                    // many rows as `x`, and that nothing else accesses their memory. cuBLAS reads the factor `one` during the call.
                    unsafe { sys::$function(handle, side, fill, op, diagonal, n, p, one, a, n, x, n) }
                }};
            }
            let status = match a.dtype {
                DType::F32 => call!(cublasStrsm_v2_64, single),
                DType::F64 => call!(cublasDtrsm_v2_64, double),
                DType::C32 => call!(cublasCtrsm_v2_64, single),
                DType::C64 => call!(cublasZtrsm_v2_64, double),
                other => unreachable!("cuBLAS does not support {other}"),
            };
            status.result()?;
        }
        Ok(())
    })
}
