//! Products of floating-point and complex matrices by cuBLAS. [`gemm`](super) calls [`multiply`]. cuBLAS supports matrices
//! with contiguous columns, transposes of such matrices, and batches with a constant stride between matrices. Other operands are
//! copied first.

use super::products::{PackedScaling, ProductBatch, ProductOperand};
use crate::device::cuda::runtime::codegen::operation::RawOperand;
use crate::device::cuda::runtime::driver::context::{Context, Memory};
use crate::device::cuda::runtime::kernels::copy;
use crate::device::cuda::runtime::libraries;
use crate::element::DType;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::layout::{Layout, element_count};
use crate::rank::MAX_RANK;
use cudarc::cublas::result::CublasError;
use cudarc::cublas::sys::{self, cublasOperation_t as Op};
use std::sync::{Mutex, PoisonError};

const NAME: &str = "multiply matrices";
/// Maximum number of cuBLAS calls for one batch. If the strides require more calls, the matrices are copied, because a copy and one
/// call take less time.
const MAX_CALLS: usize = 16;

// ------------------------------------------------------------------ handles

/// The cuBLAS handle of one GPU.
#[derive(Debug, Clone, Copy)]
struct Handle(sys::cublasHandle_t);

// SAFETY: any thread may use a handle, if no other thread uses it at the same time. Handles are kept in `HANDLES`, whose lock is
// held during every call.
unsafe impl Send for Handle {}

/// The ordinal and the handle of each GPU. A handle is created at its first use, which takes milliseconds. The lock is held while
/// calls are queued.
static HANDLES: Mutex<Vec<(usize, Handle)>> = Mutex::new(Vec::new());

/// Calls `call` with the GPU's handle. `op` is the name of the operation, for errors.
pub(in crate::device::cuda::runtime) fn with_handle<R>(
    context: &Context,
    op: &'static str,
    call: impl FnOnce(sys::cublasHandle_t) -> Result<R, CublasError>,
) -> Result<R, Error> {
    libraries::blas().map_err(|reason| Error::DeviceUnavailable { device: context.name(), reason })?;
    context.enter().map_err(|error| context.failure(op, error))?;
    let failed = |error: CublasError| Error::DeviceFailed {
        op,
        device: context.name(),
        reason: format!("cuBLAS: {:?}", error.0),
    };
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    let known = handles.iter().find(|(ordinal, _)| *ordinal == context.ordinal()).map(|(_, handle)| *handle);
    let handle = match known {
        Some(handle) => handle,
        None => {
            let handle = Handle::new(context).map_err(failed)?;
            handles.push((context.ordinal(), handle));
            handle
        }
    };
    call(handle.0).map_err(failed)
}

impl Handle {
    fn new(context: &Context) -> Result<Handle, CublasError> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: `with_handle` made the context current. The call writes only to the local variable `handle`.
        unsafe { sys::cublasCreate_v2(&raw mut handle) }.result()?;
        // SAFETY: `handle` was created above in the current context. `context.stream()` is the null stream, which always exists.
        unsafe { sys::cublasSetStream_v2(handle, context.stream().cast()) }.result()?;
        Ok(Handle(handle))
    }
}

// ------------------------------------------------------------------ matrices

/// The extents and strides of a matrix, and whether to conjugate it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct BlasMatrix {
    rows: usize,
    columns: usize,
    /// The strides from row to row and from column to column, in elements.
    strides: [isize; 2],
    conjugate: bool,
}

/// How a matrix is passed to cuBLAS: the operation (none, transpose, conjugate transpose) and the leading dimension.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Form {
    op: Op,
    leading: i64,
}

impl BlasMatrix {
    fn transposed(self) -> BlasMatrix {
        let [row, column] = self.strides;
        BlasMatrix { rows: self.columns, columns: self.rows, strides: [column, row], ..self }
    }

    /// Returns the leading dimension, the stride from column to column, if the elements of each column are contiguous. Returns
    /// `None` otherwise. The stride along an axis with extent 1 is ignored.
    fn leading(&self) -> Option<i64> {
        let [row, column] = self.strides;
        let least = self.rows.max(1) as i64;
        let leading = if self.columns <= 1 { least } else { column as i64 };
        ((self.rows <= 1 || row == 1) && leading >= least).then_some(leading)
    }

    fn form(&self) -> Option<Form> {
        let as_it_is = || {
            self.leading().filter(|_| !self.conjugate).map(|leading| Form { op: Op::CUBLAS_OP_N, leading })
        };
        let op = if self.conjugate { Op::CUBLAS_OP_C } else { Op::CUBLAS_OP_T };
        as_it_is().or_else(|| self.transposed().leading().map(|leading| Form { op, leading }))
    }
}

/// The batch of matrices of one operand.
#[derive(Debug, Clone, Copy)]
struct BlasOperand<'a> {
    matrix: BlasMatrix,
    elements: RawOperand<'a>,
}

impl<'a> BlasOperand<'a> {
    fn new(rows: usize, columns: usize, elements: RawOperand<'a>, conjugate: bool) -> Self {
        let (_, &[row, column]) = elements.strides.split_last_chunk().expect("a matrix has two axes");
        // Real numbers are their own conjugates.
        let conjugate = conjugate && matches!(elements.dtype, DType::C32 | DType::C64);
        BlasOperand { matrix: BlasMatrix { rows, columns, strides: [row, column], conjugate }, elements }
    }

    fn view(&self, flip: bool) -> BlasMatrix {
        if flip { self.matrix.transposed() } else { self.matrix }
    }

    fn batch_strides(&self) -> &'a [isize] {
        &self.elements.strides[..self.elements.strides.len() - 2]
    }
}

/// A contiguous batch of matrices in its own memory: a copy of an operand, or results that are then copied to the output.
struct OwnedBatch {
    memory: Memory,
    shape: Vec<usize>,
    strides: Vec<isize>,
    dtype: DType,
}

impl OwnedBatch {
    /// Allocates the batch. The rows of each matrix are contiguous if `by_rows`, otherwise the columns.
    fn new(
        context: &'static Context,
        batch: &[usize],
        [rows, columns]: [usize; 2],
        by_rows: bool,
        dtype: DType,
    ) -> Result<OwnedBatch, Error> {
        let shape = [batch, &[rows, columns]].concat();
        let bytes = element_count(&shape, dtype.size())? * dtype.size();
        let in_memory = if by_rows { shape.clone() } else { [batch, &[columns, rows]].concat() };
        let mut strides = Layout::contiguous(&in_memory, true).strides().to_vec();
        if !by_rows {
            strides.swap(batch.len(), batch.len() + 1);
        }
        Ok(OwnedBatch { memory: context.alloc(bytes)?, shape, strides, dtype })
    }

    fn elements(&self) -> RawOperand<'_> {
        RawOperand { address: self.memory.address(), dtype: self.dtype, strides: &self.strides }
    }
}

// ------------------------------------------------------------------ products

/// Computes `out = alpha · a · b + beta · out` for each matrix of a batch. `out` must not be empty.
///
/// # Safety
/// The same as for [`gemm::multiply`](super::multiply).
pub(in crate::device::cuda::runtime) unsafe fn multiply(
    context: &'static Context,
    weights: &PackedScaling,
    batch: ProductBatch<'_>,
    out: RawOperand<'_>,
    [a, b]: [ProductOperand<'_>; 2],
) -> Result<(), Error> {
    let ProductBatch { shape, m, k, n } = batch;
    let a = BlasOperand::new(m, k, a.elements, a.conjugate);
    let b = BlasOperand::new(k, n, b.elements, b.conjugate);
    let c = BlasOperand::new(m, n, out, false);
    let many = Calls::new(shape, [&c, &a, &b]).count > MAX_CALLS;
    let (straight, flipped) = (c.matrix.leading().is_some(), c.matrix.transposed().leading().is_some());
    let copied = many || !(straight || flipped);
    // cuBLAS writes contiguous columns. If the rows of the result are contiguous, compute its transpose instead: (A·B)ᵀ = Bᵀ·Aᵀ.
    let flip = copied || !straight;
    // SAFETY: the caller ensures that the elements of `a` are allocated.
    let copied_a = unsafe { copy_of(context, shape, &a, flip, many) }?;
    // SAFETY: the caller ensures that the elements of `b` are allocated.
    let copied_b = unsafe { copy_of(context, shape, &b, flip, many) }?;
    let a = copied_a.as_ref().map_or(a, |copy| BlasOperand::new(m, k, copy.elements(), a.matrix.conjugate));
    let b = copied_b.as_ref().map_or(b, |copy| BlasOperand::new(k, n, copy.elements(), b.matrix.conjugate));
    if !copied {
        // SAFETY: the caller ensures that all elements are allocated, and exclusive access to `out`. Copies have the extents of their
        // originals. cuBLAS supports the strides of `a` and `b` because of `copy_of`, and those of `c` because `copied` is `false`.
        return unsafe { calls(context, weights, shape, [c, a, b], flip) };
    }
    let copy = OwnedBatch::new(context, shape, [m, n], true, out.dtype)?;
    if !weights.beta_is_zero {
        // SAFETY: the caller ensures that the elements of `out` are allocated. `copy` has memory for all of them, which nothing else
        // accesses.
        unsafe { copy::copy(context, &copy.shape, copy.elements(), out) }?;
    }
    let c = BlasOperand::new(m, n, copy.elements(), false);
    // SAFETY: the caller ensures that the elements of `a` and `b` are allocated. `copy_of` replaced them by copies if cuBLAS did not
    // support their strides. `c` is a copy of the result in memory that nothing else accesses. cuBLAS supports its contiguous rows, because
    // `flip` is `true`.
    unsafe { calls(context, weights, shape, [c, a, b], flip) }?;
    // SAFETY: the caller ensures that the elements of `out` are allocated, and exclusive access to them. `copy` has the same shape as
    // `out`, and `calls` wrote all its elements.
    unsafe { copy::copy(context, &copy.shape, out, copy.elements()) }
}

/// Copies the matrices of an operand if cuBLAS does not support their strides, or if `many` calls would be needed. Otherwise
/// returns `None`. The copy is stored so that cuBLAS transposes it: cuBLAS conjugates only matrices that it also transposes.
///
/// # Safety
/// The caller must ensure that the operand's elements are allocated on `context`'s GPU.
unsafe fn copy_of(
    context: &'static Context,
    batch: &[usize],
    operand: &BlasOperand<'_>,
    flip: bool,
    many: bool,
) -> Result<Option<OwnedBatch>, Error> {
    let repeated = operand.batch_strides().iter().all(|&stride| stride == 0);
    if operand.view(flip).form().is_some() && (!many || repeated) {
        return Ok(None);
    }
    let BlasMatrix { rows, columns, .. } = operand.matrix;
    // If all batch strides are 0, the batch repeats one matrix, which is copied once.
    let ones = [1; MAX_RANK];
    let lengths = if repeated { &ones[..batch.len()] } else { batch };
    let mut copy = OwnedBatch::new(context, lengths, [rows, columns], !flip, operand.elements.dtype)?;
    // SAFETY: the caller ensures that the operand's elements are allocated. `copy` was just allocated, with memory for all elements of its
    // shape, and nothing else accesses it.
    unsafe { copy::copy(context, &copy.shape, copy.elements(), operand.elements)? };
    if repeated {
        copy.strides[..batch.len()].fill(0);
    }
    Ok(Some(copy))
}

/// How a batch is divided into cuBLAS calls. The axes of the batch are fused into loops. Each call computes all matrices of one loop: the
/// longest one without negative strides.
struct Calls {
    plan: Plan<3>,
    /// Number of matrices per call.
    together: usize,
    strides: [isize; 3],
    count: usize,
}

impl Calls {
    fn new(batch: &[usize], operands: [&BlasOperand<'_>; 3]) -> Calls {
        let plan = Plan::unordered(batch, operands.map(BlasOperand::batch_strides));
        let forwards =
            |&(_, _, strides): &(usize, usize, [isize; 3])| strides.iter().all(|&stride| stride >= 0);
        let axes = plan.shape().iter().zip(plan.strides()).enumerate();
        let longest =
            axes.map(|(axis, (&n, &strides))| (axis, n, strides)).filter(forwards).max_by_key(|&(_, n, _)| n);
        match longest {
            Some((axis, n, strides)) => {
                Calls { plan: plan.without(axis), together: n, strides, count: plan.len() / n.max(1) }
            }
            None => Calls { plan, together: 1, strides: [0; 3], count: plan.len() },
        }
    }
}

/// Queues the calls for all matrices of a batch.
///
/// # Safety
/// The same as for [`multiply`]. In addition, cuBLAS must support the strides of all three matrices, or of their transposes if
/// `flip` is `true`. It must support the output's strides without transposition or conjugation.
unsafe fn calls(
    context: &Context,
    weights: &PackedScaling,
    batch: &[usize],
    [c, a, b]: [BlasOperand<'_>; 3],
    flip: bool,
) -> Result<(), Error> {
    let divided = Calls::new(batch, [&c, &a, &b]);
    let (x, y) = if flip { (b.view(true), a.view(true)) } else { (a.view(false), b.view(false)) };
    let (Some(leading), Some(form_x), Some(form_y)) = (c.view(flip).leading(), x.form(), y.form()) else {
        unreachable!("matrices with unsupported strides were copied");
    };
    let mut gemm = Gemm {
        dtype: weights.dtype,
        m: x.rows as i64,
        n: y.columns as i64,
        k: x.columns as i64,
        forms: [form_x, form_y],
        leading,
        strides: [0; 3],
        count: divided.together as i64,
    };
    let [sc, sa, sb] = divided.strides.map(|stride| stride as i64);
    gemm.strides = if flip { [sc, sb, sa] } else { [sc, sa, sb] };
    let mut walk = Odometer::over(divided.plan.shape(), divided.plan.strides(), divided.plan.offsets());
    with_handle(context, NAME, |handle| {
        for _ in 0..divided.count {
            let [oc, oa, ob] = walk.offsets();
            walk.advance();
            let at = |operand: &BlasOperand<'_>, offset: isize| {
                crate::device::cuda::runtime::kernels::reduce::address(operand.elements, offset)
            };
            let [c, a, b] = [at(&c, oc), at(&a, oa), at(&b, ob)];
            let (x, y) = if flip { (b, a) } else { (a, b) };
            // SAFETY: the caller ensures that the matrices are allocated on the GPU, and exclusive access to the output. `gemm` has the
            // forms, leading dimensions and batch strides of these matrices.
            unsafe { gemm.call(handle, weights, [c, x, y])? };
        }
        Ok(())
    })
}

/// The arguments of a call of cuBLAS, except the addresses and the scaling factors.
struct Gemm {
    dtype: DType,
    m: i64,
    n: i64,
    k: i64,
    /// For each operand, whether cuBLAS transposes or conjugates it, and its leading dimension.
    forms: [Form; 2],
    /// The leading dimension of the result.
    leading: i64,
    /// Strides from one matrix of a batch to the next: of the result, then of the two operands.
    strides: [i64; 3],
    count: i64,
}

impl Gemm {
    /// Queues the call. `at` contains the addresses of the result and of the two operands.
    ///
    /// # Safety
    /// The caller must ensure that matrices with these extents and strides are allocated on the GPU of `handle`. Nothing else may
    /// access the elements of the result.
    unsafe fn call(
        &self,
        handle: sys::cublasHandle_t,
        weights: &PackedScaling,
        at: [u64; 3],
    ) -> Result<(), CublasError> {
        let Gemm { m, n, k, forms: [x, y], leading, strides: [sc, sx, sy], count, .. } = *self;
        let (alpha, beta) = (&raw const weights.alpha, &raw const weights.beta);
        macro_rules! call {
            ($one:ident, $many:ident) => {{
                let [c, a, b] = at;
                // SAFETY: the caller ensures that the matrices are allocated on the GPU of `handle`, and exclusive access to the result.
                // `dtype`, which selects the function, is the element type of the matrices and of the scaling factors. The call reads the
                // scaling factors before it returns.
                unsafe {
                    if count == 1 {
                        sys::$one(
                            handle,
                            x.op,
                            y.op,
                            m,
                            n,
                            k,
                            alpha.cast(),
                            a as *const _,
                            x.leading,
                            b as *const _,
                            y.leading,
                            beta.cast(),
                            c as *mut _,
                            leading,
                        )
                    } else {
                        sys::$many(
                            handle,
                            x.op,
                            y.op,
                            m,
                            n,
                            k,
                            alpha.cast(),
                            a as *const _,
                            x.leading,
                            sx,
                            b as *const _,
                            y.leading,
                            sy,
                            beta.cast(),
                            c as *mut _,
                            leading,
                            sc,
                            count,
                        )
                    }
                }
            }};
        }
        let status = match self.dtype {
            DType::F32 => call!(cublasSgemm_v2_64, cublasSgemmStridedBatched_64),
            DType::F64 => call!(cublasDgemm_v2_64, cublasDgemmStridedBatched_64),
            DType::C32 => call!(cublasCgemm_v2_64, cublasCgemmStridedBatched_64),
            DType::C64 => call!(cublasZgemm_v2_64, cublasZgemmStridedBatched_64),
            other => unreachable!("cuBLAS does not support {other}"),
        };
        status.result()
    }
}
