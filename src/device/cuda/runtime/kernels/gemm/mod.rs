//! Matrix products on a GPU: chooses the implementation, and launches the integer kernel of `gemm.cu`. No code in this file is generic over
//! element types. The first matching row of this table applies; the row `any` matches only batches of at most 13 axes:
//!
//! | elements | computed by |
//! |---|---|
//! | any, if there is one row, one column or at most one product to sum, or if `alpha` is 0 | [`products`](self::products) |
//! | floating-point and complex | [`blas`]: cuBLAS, without copies if it supports the strides |
//! | integers | a kernel of tiles in shared memory |

pub(in crate::device::cuda::runtime) mod blas;
pub(in crate::device::cuda::runtime) mod products;

use super::loops::Loops;
use super::reduce::{ACCUMULATE, REDUCE, address, loops};
use super::shares::BLOCK;
use crate::device::cuda::runtime::codegen::arguments::Argument;
use crate::device::cuda::runtime::codegen::operation::RawOperand;
use crate::device::cuda::runtime::codegen::program::{Program, Template};
use crate::device::cuda::runtime::driver::context::Context;
use crate::device::cuda::runtime::driver::flag::Flag;
use crate::element::DType;
use crate::error::Error;
use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;
use products::{PRODUCTS, PackedScaling, ProductBatch, ProductOperand, begin};

const NAME: &str = "multiply matrices";
pub(in crate::device::cuda::runtime) static TILES: Template = Template {
    files: &[ACCUMULATE, REDUCE, PRODUCTS, include_str!("../../codegen/sources/gemm.cu")],
    entry: tiles_entry,
};

/// Computes `out = alpha · a · b + beta · out` for each matrix of a batch. Returns `false` if an integer overflow was detected.
///
/// # Safety
/// The caller must ensure that all elements of the matrices are allocated on `context`'s GPU. Nothing else may access the elements
/// of `out`.
pub(in crate::device::cuda::runtime) unsafe fn multiply(
    context: &'static Context,
    weights: &PackedScaling,
    batch: ProductBatch<'_>,
    out: RawOperand<'_>,
    [a, b]: [ProductOperand<'_>; 2],
) -> Result<bool, Error> {
    let ProductBatch { shape, m, k, n } = batch;
    if m == 0 || n == 0 || shape.contains(&0) {
        return Ok(true);
    }
    let rank = shape.len();
    let as_sums = weights.alpha_is_zero || k <= 1 || m == 1 || n == 1;
    if as_sums && rank + 3 <= MAX_RANK {
        // The axes of the sum of products: the batch axes, rows, columns, and the summed axis.
        let (mut lengths, mut x, mut y) = ([0; MAX_RANK], [0; MAX_RANK], [0; MAX_RANK]);
        lengths[..rank].copy_from_slice(shape);
        lengths[rank..rank + 3].copy_from_slice(&[m, n, k]);
        let (of_a, of_b) = (a.elements.strides, b.elements.strides);
        x[..rank].copy_from_slice(&of_a[..rank]);
        y[..rank].copy_from_slice(&of_b[..rank]);
        x[rank..rank + 3].copy_from_slice(&[of_a[rank], 0, of_a[rank + 1]]);
        y[rank..rank + 3].copy_from_slice(&[0, of_b[rank + 1], of_b[rank]]);
        let (x, y) = (&x[..rank + 3], &y[..rank + 3]);
        let factors = [with_strides(a, x), with_strides(b, y)];
        // SAFETY: the caller ensures that all elements are allocated on `context`'s GPU, and that nothing else accesses those of `out`.
        // The strides `x` and `y` visit the same elements as before: `a` has stride 0 along axis `n`, and `b` along axis `m`.
        return unsafe { products::sum(context, weights, &lengths[..rank + 3], out, factors) };
    }
    if matches!(weights.dtype, DType::F32 | DType::F64 | DType::C32 | DType::C64) {
        // SAFETY: `blas::multiply` needs the conditions of `multiply` for the same operands. The caller ensures these.
        unsafe { blas::multiply(context, weights, batch, out, [a, b])? };
        return Ok(true);
    }
    // SAFETY: `tiles` needs the conditions of `multiply` for the same operands. The caller ensures these.
    unsafe { tiles(context, weights, batch, out, [a, b]) }
}

/// Returns the same operand with other strides.
fn with_strides<'a>(factor: ProductOperand<'_>, strides: &'a [isize]) -> ProductOperand<'a> {
    let RawOperand { address, dtype, .. } = factor.elements;
    ProductOperand { elements: RawOperand { address, dtype, strides }, conjugate: factor.conjugate }
}

/// The strides of rows and columns of a matrix. Mirrors the struct `Matrix` of `gemm.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct KernelMatrix {
    row: i64,
    column: i64,
}

/// The extents of the matrices, and their number. Mirrors the struct `MatrixExtents` of `gemm.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct MatrixExtents {
    m: u64,
    k: u64,
    n: u64,
    batch: u64,
}

// SAFETY: `KernelMatrix` is `repr(C)` and has the members of the struct `Matrix` in `gemm.cu`. So both have the same layout.
unsafe impl Argument for KernelMatrix {}
// SAFETY: `MatrixExtents` is `repr(C)` and has the members of the struct `MatrixExtents` in `gemm.cu`. So both have the same layout.
unsafe impl Argument for MatrixExtents {}

/// Multiplies matrices of integers, in tiles in shared memory.
///
/// # Safety
/// The same as for [`multiply`].
unsafe fn tiles(
    context: &'static Context,
    weights: &PackedScaling,
    ProductBatch { shape, m, k, n }: ProductBatch<'_>,
    out: RawOperand<'_>,
    [a, b]: [ProductOperand<'_>; 2],
) -> Result<bool, Error> {
    let rank = shape.len();
    let operands = [out, a.elements, b.elements];
    let plan = Plan::unordered(shape, operands.map(|of| &of.strides[..rank]));
    let batch: Loops<3> = loops(&plan);
    let mut matrices = [KernelMatrix { row: 0, column: 0 }; 3];
    for (matrix, of) in matrices.iter_mut().zip(operands) {
        *matrix = KernelMatrix { row: of.strides[rank] as i64, column: of.strides[rank + 1] as i64 };
    }
    let mut at = [0; 3];
    for ((at, of), offset) in at.iter_mut().zip(operands).zip(plan.offsets()) {
        *at = address(of, offset);
    }
    let extents = MatrixExtents { m: m as u64, k: k as u64, n: n as u64, batch: plan.len() as u64 };
    // Use the smaller tiles if overflow is checked, because wide accumulators need more registers. Use them also for a small
    // result, so that there are more thread blocks.
    let side = if weights.checked || m.min(n) <= 32 { 32 } else { 64 };
    let blocks = m.div_ceil(side).saturating_mul(n.div_ceil(side));
    let Ok(blocks) = i32::try_from(blocks) else {
        return Err(Error::DeviceFailed {
            op: NAME,
            device: context.name(),
            reason: format!("{blocks} tiles of a result exceed the maximum grid size"),
        });
    };
    let flag = weights.flag(context)?;
    let failed = flag.as_ref().map_or(0, Flag::address);
    let flags = weights.flags([a.conjugate, b.conjugate]);
    let variant = [u32::from(weights.checked), side as u32, 0, 0, 0, 0];
    let program = products::program(&TILES, NAME, weights.dtype, variant);
    let [to, x, y] = &at;
    let [of_out, of_a, of_b] = &matrices;
    let mut arguments = begin(weights, &flags)
        .with(&extents)
        .with(&batch)
        .with(of_out)
        .with(of_a)
        .with(of_b)
        .with(x)
        .with(y)
        .with(to)
        .with(&failed);
    let grid = [blocks as u32, plan.len().min(usize::from(u16::MAX)) as u32, 1];
    // SAFETY: the caller ensures that the elements of the matrices are allocated on `context`'s GPU, and that nothing else accesses
    // those of `out`. The kernel visits only these elements and the flag. The arguments have the types and the order of the parameters
    // in `tiles_entry`.
    unsafe { context.launch(&program, grid, BLOCK, &mut arguments)? };
    Ok(!flag.map_or(Ok(false), |flag| flag.raised())?)
}

fn tiles_entry(program: &Program) -> String {
    let [checked, side, ..] = program.variant;
    format!(
        "{}extern \"C\" __global__ void __launch_bounds__(BLOCK)\n\
         entry(R alpha, R beta, u32 flags, const __grid_constant__ MatrixExtents extents, const __grid_constant__ Loops<3> batch,\n      \
         Matrix out_is, Matrix a_is, Matrix b_is, const R *__restrict__ a, const R *__restrict__ b, R *__restrict__ out,\n      \
         u32 *failed) {{\n    \
         multiply<{checked}, {side}>(alpha, beta, flags, extents, batch, out_is, a_is, b_is, a, b, out, failed);\n}}\n",
        program.typedefs(),
    )
}
