//! Calls of cuSOLVER for batches of matrices. Each method queues the calls for the first `count` matrices of a batch. It uses one of two
//! kinds of functions. Functions for one matrix are called for one matrix after the other, with the same workspace. Functions for batches
//! are called once for many matrices. For each matrix, both kinds write a status code, `info`, which is 0 after a success.

use super::matrices::Matrices;
use crate::device::cuda::runtime::driver::context::{Context, Memory};
use crate::device::cuda::runtime::libraries;
use crate::device::cuda::runtime::{read, write};
use crate::element::DType;
use crate::error::Error;
use cudarc::cusolver::sys::{
    self, cublasFillMode_t as Fill, cublasOperation_t as Op, cusolverEigMode_t as Vectors,
    cusolverStatus_t as Status,
};
use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

/// Maximum extent of matrices for which cuSOLVER's functions for batches are used. Those for singular value decompositions do not accept
/// larger matrices, and the other ones are meant for small matrices, too.
const LARGEST_BATCHED: usize = 32;
/// Maximum number of matrices per call of a function for batches, so that its workspace is not too large.
const MAX_BATCH: usize = 1 << 16;
/// Maximum number of elements of a matrix. cuSOLVER's functions take extents, and sizes of workspace, as `int`.
const MAX_ELEMENTS: usize = c_int::MAX as usize;

/// Returns whether cuSOLVER is available.
pub(in crate::device::cuda::runtime) fn is_available() -> bool {
    libraries::solver()
}

/// Returns whether cuSOLVER accepts matrices with these extents.
pub(in crate::device::cuda::runtime) fn supports([rows, columns]: [usize; 2]) -> bool {
    rows.checked_mul(columns).is_some_and(|elements| elements <= MAX_ELEMENTS)
}

// ------------------------------------------------------------------ handles

/// The handle of one GPU, and the parameters of cuSOLVER's Jacobi methods.
#[derive(Debug, Clone, Copy)]
struct Handle {
    solver: sys::cusolverDnHandle_t,
    eigh: sys::syevjInfo_t,
    svd: sys::gesvdjInfo_t,
}

// SAFETY: any thread may use a handle, if no other thread uses it at the same time. Handles are kept in `HANDLES`, whose lock is
// held during every call.
unsafe impl Send for Handle {}

/// The ordinal and the handle of each GPU. A handle is created at its first use, which takes milliseconds. The lock is held while
/// calls are queued.
static HANDLES: Mutex<Vec<(usize, Handle)>> = Mutex::new(Vec::new());

impl Handle {
    fn new(context: &Context) -> Result<Handle, Status> {
        let mut handle = Handle { solver: null_mut(), eigh: null_mut(), svd: null_mut() };
        let create = |handle: &mut Handle| {
            // SAFETY: `with_solver` made the context current. `handle.solver` is borrowed mutably, so cuSOLVER may write to it.
            succeeded(unsafe { sys::cusolverDnCreate(&raw mut handle.solver) })?;
            // SAFETY: the handle was created above in the current context. `context.stream()` is the null stream, which always exists.
            succeeded(unsafe { sys::cusolverDnSetStream(handle.solver, context.stream().cast()) })?;
            // SAFETY: `handle.eigh` is borrowed mutably, so cuSOLVER may write to it.
            succeeded(unsafe { sys::cusolverDnCreateSyevjInfo(&raw mut handle.eigh) })?;
            // SAFETY: `handle.svd` is borrowed mutably, so cuSOLVER may write to it.
            succeeded(unsafe { sys::cusolverDnCreateGesvdjInfo(&raw mut handle.svd) })
        };
        create(&mut handle).inspect_err(|_| handle.destroy())?;
        Ok(handle)
    }

    /// Destroys those parts that [`new`](Handle::new) has created. The handle must not be used after this.
    fn destroy(self) {
        if !self.eigh.is_null() {
            // SAFETY: `self.eigh` is not null, so `Handle::new` created it. It is not used after this call.
            let _ = unsafe { sys::cusolverDnDestroySyevjInfo(self.eigh) };
        }
        if !self.solver.is_null() {
            // SAFETY: `self.solver` is not null, so `Handle::new` created it. It is not used after this call.
            let _ = unsafe { sys::cusolverDnDestroy(self.solver) };
        }
    }
}

fn succeeded(status: Status) -> Result<(), Status> {
    if status == Status::CUSOLVER_STATUS_SUCCESS { Ok(()) } else { Err(status) }
}

/// The handle of a GPU while it is locked, and the name of the operation, for errors.
pub(super) struct Solver {
    context: &'static Context,
    op: &'static str,
    handle: Handle,
}

/// Calls `calls` with the GPU's handle. cuSOLVER must be available.
pub(super) fn with_solver<R>(
    context: &'static Context,
    op: &'static str,
    calls: impl FnOnce(&Solver) -> Result<R, Error>,
) -> Result<R, Error> {
    debug_assert!(is_available());
    context.enter().map_err(|error| context.failure(op, error))?;
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    let known = handles.iter().find(|(ordinal, _)| *ordinal == context.ordinal()).map(|(_, handle)| *handle);
    let handle = match known {
        Some(handle) => handle,
        None => {
            let handle = Handle::new(context).map_err(|status| failure(context, op, status))?;
            handles.push((context.ordinal(), handle));
            handle
        }
    };
    calls(&Solver { context, op, handle })
}

fn failure(context: &Context, op: &'static str, status: Status) -> Error {
    Error::DeviceFailed { op, device: context.name(), reason: format!("cuSOLVER: {status:?}") }
}

// ------------------------------------------------------------------ status codes

/// The status codes that cuSOLVER's functions write for the matrices of a batch: their output `info`. They are on the device, initially 0.
/// If several calls process the same matrix, each call has its own status code.
pub(super) struct Infos {
    memory: Memory,
    count: usize,
}

impl Infos {
    /// Allocates the status codes of `calls` calls for each of `count` matrices.
    pub(super) fn new(context: &'static Context, count: usize, calls: usize) -> Result<Infos, Error> {
        let memory = context.alloc(calls * count * size_of::<c_int>())?;
        // SAFETY: `memory` was just allocated with `memory.bytes()` bytes, and nothing else has its address.
        unsafe { context.zero(memory.address(), memory.bytes())? };
        Ok(Infos { memory, count })
    }

    fn at(&self, call: usize, matrix: usize) -> u64 {
        self.memory.address() + ((call * self.count + matrix) * size_of::<c_int>()) as u64
    }

    /// Waits for the calls, and returns the status codes of the first call for each matrix.
    ///
    /// # Errors
    /// If a call had an invalid argument, or if a call after the first one has a status code other than 0.
    pub(super) fn read(&self, op: &'static str) -> Result<Vec<i32>, Error> {
        let context = self.memory.context();
        let mut infos = vec![0i32; self.memory.bytes() / size_of::<c_int>()];
        // SAFETY: `self.memory` has `infos.len()` numbers, which `Infos::new` set to 0. The function `read`
        // copies them after the queued calls of cuSOLVER, which write them, are complete.
        unsafe { read(context, self.memory.address(), &mut infos)? };
        let invalid = |(k, &info): (usize, &i32)| info < 0 || (k >= self.count && info != 0);
        if let Some((_, info)) = infos.iter().enumerate().find(|&at| invalid(at)) {
            let reason = format!("cuSOLVER: unexpected info {info}");
            return Err(Error::DeviceFailed { op, device: context.name(), reason });
        }
        infos.truncate(self.count);
        Ok(infos)
    }
}

// ------------------------------------------------------------------ calls

/// Calls one of four cuSOLVER functions, the one for the element type `$dtype`, and returns an error if it fails. The functions have
/// different pointer types, so callers cast addresses by `as *mut _`.
macro_rules! call {
    ($solver:expr, $dtype:expr, $single:ident $double:ident $complex:ident $double_complex:ident $arguments:tt) => {{
        let status = match $dtype {
            DType::F32 => call!(@ $single $arguments),
            DType::F64 => call!(@ $double $arguments),
            DType::C32 => call!(@ $complex $arguments),
            DType::C64 => call!(@ $double_complex $arguments),
            other => unreachable!("cuSOLVER does not support {other}"),
        };
        succeeded(status).map_err(|status| failure($solver.context, $solver.op, status))
    }};
    (@ $function:ident ($($argument:expr),* $(,)?)) => {{
        // SAFETY: `with_solver` made the context current, and holds the lock of `HANDLES`, so no other thread uses the handle. The
        // methods of `Solver` pass matrices and vectors with the extents that `$function` expects. These are allocated on the GPU,
        // and nothing else accesses them. A workspace has the size that cuSOLVER returned for these extents. Memory is freed in
        // stream order, after the call is complete.
        unsafe { sys::$function($($argument),*) }
    }};
}

/// Returns cuSOLVER's constant for computing values and vectors if vectors are `wanted`, otherwise the constant for values only.
fn vectors(wanted: bool) -> Vectors {
    if wanted { Vectors::CUSOLVER_EIG_MODE_VECTOR } else { Vectors::CUSOLVER_EIG_MODE_NOVECTOR }
}

impl Solver {
    /// Allocates workspace of `len` elements, or of one element if `len` is 0.
    fn workspace(&self, dtype: DType, len: c_int) -> Result<Memory, Error> {
        self.context.alloc(len.max(1) as usize * dtype.size())
    }

    /// Decomposes `a = p · l · u`, and overwrites `a` with the factors. Writes to `pivots`, for each row, the row that it was exchanged
    /// with, counted from 1.
    pub(super) fn getrf(
        &self,
        a: &Matrices,
        count: usize,
        pivots: &Matrices,
        infos: &Infos,
    ) -> Result<(), Error> {
        let (solver, dtype) = (self.handle.solver, a.dtype);
        let (m, n) = (a.rows as c_int, a.columns as c_int);
        let mut len = 0;
        call!(
            self, dtype,
            cusolverDnSgetrf_bufferSize cusolverDnDgetrf_bufferSize cusolverDnCgetrf_bufferSize cusolverDnZgetrf_bufferSize
            (solver, m, n, a.at(0) as *mut _, m, &raw mut len)
        )?;
        let work = self.workspace(dtype, len)?;
        for k in 0..count {
            call!(
                self, dtype, cusolverDnSgetrf cusolverDnDgetrf cusolverDnCgetrf cusolverDnZgetrf
                (
                    solver, m, n, a.at(k) as *mut _, m, work.address() as *mut _, pivots.at(k) as *mut _,
                    infos.at(0, k) as *mut _,
                )
            )?;
        }
        Ok(())
    }

    /// Solves `a · x = b` with the results of [`getrf`](Solver::getrf), and overwrites `b` with `x`. In `infos`, this is the second call
    /// for each matrix: its status codes are separate from those of `getrf`.
    pub(super) fn getrs(
        &self,
        a: &Matrices,
        count: usize,
        pivots: &Matrices,
        b: &Matrices,
        infos: &Infos,
    ) -> Result<(), Error> {
        let (solver, n, p) = (self.handle.solver, a.rows as c_int, b.columns as c_int);
        for k in 0..count {
            call!(
                self, a.dtype, cusolverDnSgetrs cusolverDnDgetrs cusolverDnCgetrs cusolverDnZgetrs
                (
                    solver, Op::CUBLAS_OP_N, n, p, a.at(k) as *const _, n, pivots.at(k) as *const _, b.at(k) as *mut _, n,
                    infos.at(1, k) as *mut _,
                )
            )?;
        }
        Ok(())
    }

    /// Decomposes `a = l · lᴴ`, and overwrites the lower triangle with `l`.
    pub(super) fn potrf(&self, a: &Matrices, count: usize, infos: &Infos) -> Result<(), Error> {
        let (solver, dtype, n) = (self.handle.solver, a.dtype, a.rows as c_int);
        let lower = Fill::CUBLAS_FILL_MODE_LOWER;
        if is_batched([a.rows, a.columns], count) {
            let addresses: Vec<u64> = (0..count).map(|k| a.at(k)).collect();
            let list = self.context.alloc(size_of_val(&addresses[..]))?;
            // SAFETY: the memory `list` is new and has room for `addresses`, and nothing else has its address.
            unsafe { write(self.context, &addresses, list.address())? };
            for (first, together) in batches(count) {
                let list = list.address() + (first * size_of::<u64>()) as u64;
                call!(
                    self, dtype,
                    cusolverDnSpotrfBatched cusolverDnDpotrfBatched cusolverDnCpotrfBatched cusolverDnZpotrfBatched
                    (solver, lower, n, list as *mut _, n, infos.at(0, first) as *mut _, together)
                )?;
            }
            return Ok(());
        }
        let mut len = 0;
        call!(
            self, dtype,
            cusolverDnSpotrf_bufferSize cusolverDnDpotrf_bufferSize cusolverDnCpotrf_bufferSize cusolverDnZpotrf_bufferSize
            (solver, lower, n, a.at(0) as *mut _, n, &raw mut len)
        )?;
        let work = self.workspace(dtype, len)?;
        for k in 0..count {
            call!(
                self, dtype, cusolverDnSpotrf cusolverDnDpotrf cusolverDnCpotrf cusolverDnZpotrf
                (
                    solver, lower, n, a.at(k) as *mut _, n, work.address() as *mut _, len, infos.at(0, k) as *mut _,
                )
            )?;
        }
        Ok(())
    }

    /// Solves `a · x = b` with the results of [`potrf`](Solver::potrf), and overwrites `b` with `x`. In `infos`, this is the second call
    /// for each matrix: its status codes are separate from those of `potrf`.
    pub(super) fn potrs(&self, a: &Matrices, count: usize, b: &Matrices, infos: &Infos) -> Result<(), Error> {
        let (solver, n, p) = (self.handle.solver, a.rows as c_int, b.columns as c_int);
        let lower = Fill::CUBLAS_FILL_MODE_LOWER;
        for k in 0..count {
            call!(
                self, a.dtype, cusolverDnSpotrs cusolverDnDpotrs cusolverDnCpotrs cusolverDnZpotrs
                (
                    solver, lower, n, p, a.at(k) as *const _, n, b.at(k) as *mut _, n, infos.at(1, k) as *mut _,
                )
            )?;
        }
        Ok(())
    }

    /// Decomposes `a = q · r`. Overwrites the upper triangle of `a` with `r`, and the elements below it with the vectors of the Householder
    /// reflections. Writes the factors of the reflections to `factors`.
    pub(super) fn geqrf(
        &self,
        a: &Matrices,
        count: usize,
        factors: &Matrices,
        infos: &Infos,
    ) -> Result<(), Error> {
        let (solver, dtype) = (self.handle.solver, a.dtype);
        let (m, n) = (a.rows as c_int, a.columns as c_int);
        let mut len = 0;
        call!(
            self, dtype,
            cusolverDnSgeqrf_bufferSize cusolverDnDgeqrf_bufferSize cusolverDnCgeqrf_bufferSize cusolverDnZgeqrf_bufferSize
            (solver, m, n, a.at(0) as *mut _, m, &raw mut len)
        )?;
        let work = self.workspace(dtype, len)?;
        for k in 0..count {
            call!(
                self, dtype, cusolverDnSgeqrf cusolverDnDgeqrf cusolverDnCgeqrf cusolverDnZgeqrf
                (
                    solver, m, n, a.at(k) as *mut _, m, factors.at(k) as *mut _, work.address() as *mut _, len,
                    infos.at(0, k) as *mut _,
                )
            )?;
        }
        Ok(())
    }

    /// Overwrites `q` with the first columns of the product of the reflections. Before the call, the first `factors.rows` columns of `q`
    /// must be the results of [`geqrf`](Solver::geqrf). In `infos`, this is the second call for each matrix: its status codes are separate
    /// from those of `geqrf`.
    pub(super) fn orgqr(
        &self,
        q: &Matrices,
        count: usize,
        factors: &Matrices,
        infos: &Infos,
    ) -> Result<(), Error> {
        let (solver, dtype) = (self.handle.solver, q.dtype);
        let (m, n, k) = (q.rows as c_int, q.columns as c_int, factors.rows as c_int);
        let mut len = 0;
        call!(
            self, dtype,
            cusolverDnSorgqr_bufferSize cusolverDnDorgqr_bufferSize cusolverDnCungqr_bufferSize cusolverDnZungqr_bufferSize
            (solver, m, n, k, q.at(0) as *const _, m, factors.at(0) as *const _, &raw mut len)
        )?;
        let work = self.workspace(dtype, len)?;
        for matrix in 0..count {
            call!(
                self, dtype, cusolverDnSorgqr cusolverDnDorgqr cusolverDnCungqr cusolverDnZungqr
                (
                    solver, m, n, k, q.at(matrix) as *mut _, m, factors.at(matrix) as *const _,
                    work.address() as *mut _, len, infos.at(1, matrix) as *mut _,
                )
            )?;
        }
        Ok(())
    }

    /// Computes the eigenvalues of Hermitian matrices from their lower triangles, in ascending order. Overwrites `a` with the eigenvectors
    /// if they are `wanted`, otherwise with unspecified elements.
    pub(super) fn eigh(
        &self,
        a: &Matrices,
        count: usize,
        values: &Matrices,
        wanted: bool,
        infos: &Infos,
    ) -> Result<(), Error> {
        let (solver, parameters, dtype) = (self.handle.solver, self.handle.eigh, a.dtype);
        let (n, lower, which) = (a.rows as c_int, Fill::CUBLAS_FILL_MODE_LOWER, vectors(wanted));
        let mut len = 0;
        if is_batched([a.rows, a.columns], count) {
            let most = count.min(MAX_BATCH) as c_int;
            call!(
                self, dtype,
                cusolverDnSsyevjBatched_bufferSize cusolverDnDsyevjBatched_bufferSize
                cusolverDnCheevjBatched_bufferSize cusolverDnZheevjBatched_bufferSize
                (
                    solver, which, lower, n, a.at(0) as *const _, n, values.at(0) as *const _, &raw mut len, parameters, most,
                )
            )?;
            let work = self.workspace(dtype, len)?;
            for (first, together) in batches(count) {
                call!(
                    self, dtype,
                    cusolverDnSsyevjBatched cusolverDnDsyevjBatched cusolverDnCheevjBatched cusolverDnZheevjBatched
                    (
                        solver, which, lower, n, a.at(first) as *mut _, n, values.at(first) as *mut _,
                        work.address() as *mut _, len, infos.at(0, first) as *mut _, parameters, together,
                    )
                )?;
            }
            return Ok(());
        }
        call!(
            self, dtype,
            cusolverDnSsyevd_bufferSize cusolverDnDsyevd_bufferSize cusolverDnCheevd_bufferSize cusolverDnZheevd_bufferSize
            (solver, which, lower, n, a.at(0) as *const _, n, values.at(0) as *const _, &raw mut len)
        )?;
        let work = self.workspace(dtype, len)?;
        for k in 0..count {
            call!(
                self, dtype, cusolverDnSsyevd cusolverDnDsyevd cusolverDnCheevd cusolverDnZheevd
                (
                    solver, which, lower, n, a.at(k) as *mut _, n, values.at(k) as *mut _, work.address() as *mut _, len,
                    infos.at(0, k) as *mut _,
                )
            )?;
        }
        Ok(())
    }

    /// Computes singular values, in descending order. If `wanted`, also computes the singular vectors, as columns of `u` and `v`.
    /// Overwrites `a` with unspecified elements. `u` and `v` must have the numbers of columns that [`svd_columns`] returns, even if the
    /// vectors are not wanted.
    pub(super) fn svd(
        &self,
        a: &Matrices,
        count: usize,
        values: &Matrices,
        [u, v]: [&Matrices; 2],
        wanted: bool,
        infos: &Infos,
    ) -> Result<(), Error> {
        let (solver, parameters, dtype) = (self.handle.solver, self.handle.svd, a.dtype);
        let (m, n, which) = (a.rows as c_int, a.columns as c_int, vectors(wanted));
        let (to_s, to_u, to_v) = (values.at(0), u.at(0), v.at(0));
        let mut len = 0;
        if count == 0 {
            return Ok(());
        }
        if is_batched([a.rows, a.columns], a.count()) {
            let most = count.min(MAX_BATCH) as c_int;
            call!(
                self, dtype,
                cusolverDnSgesvdjBatched_bufferSize cusolverDnDgesvdjBatched_bufferSize
                cusolverDnCgesvdjBatched_bufferSize cusolverDnZgesvdjBatched_bufferSize
                (
                    solver, which, m, n, a.at(0) as *const _, m, to_s as *const _, to_u as *const _, m, to_v as *const _, n,
                    &raw mut len, parameters, most,
                )
            )?;
            let work = self.workspace(dtype, len)?;
            for (k, together) in batches(count) {
                call!(
                    self, dtype,
                    cusolverDnSgesvdjBatched cusolverDnDgesvdjBatched cusolverDnCgesvdjBatched cusolverDnZgesvdjBatched
                    (
                        solver, which, m, n, a.at(k) as *mut _, m, values.at(k) as *mut _, u.at(k) as *mut _, m,
                        v.at(k) as *mut _, n, work.address() as *mut _, len, infos.at(0, k) as *mut _, parameters, together,
                    )
                )?;
            }
            return Ok(());
        }
        let thin = c_int::from(u.columns == a.rows.min(a.columns) && v.columns == u.columns);
        call!(
            self, dtype,
            cusolverDnSgesvdj_bufferSize cusolverDnDgesvdj_bufferSize cusolverDnCgesvdj_bufferSize cusolverDnZgesvdj_bufferSize
            (
                solver, which, thin, m, n, a.at(0) as *const _, m, to_s as *const _, to_u as *const _, m, to_v as *const _, n,
                &raw mut len, parameters,
            )
        )?;
        let work = self.workspace(dtype, len)?;
        for k in 0..count {
            call!(
                self, dtype, cusolverDnSgesvdj cusolverDnDgesvdj cusolverDnCgesvdj cusolverDnZgesvdj
                (
                    solver, which, thin, m, n, a.at(k) as *mut _, m, values.at(k) as *mut _, u.at(k) as *mut _, m,
                    v.at(k) as *mut _, n, work.address() as *mut _, len, infos.at(0, k) as *mut _, parameters,
                )
            )?;
        }
        Ok(())
    }
}

/// Returns whether the matrices of a batch are decomposed by functions for batches.
fn is_batched([m, n]: [usize; 2], count: usize) -> bool {
    count > 1 && m.max(n) <= LARGEST_BATCHED
}

/// Returns the first matrix and the number of matrices of each call.
fn batches(count: usize) -> impl Iterator<Item = (usize, c_int)> {
    (0..count).step_by(MAX_BATCH).map(move |first| (first, MAX_BATCH.min(count - first) as c_int))
}

/// Returns the number of columns of `u` and `v` that [`Solver::svd`] needs for a batch of `count` matrices. Functions for batches always
/// compute full matrices.
pub(super) fn svd_columns([m, n]: [usize; 2], count: usize, full: bool) -> [usize; 2] {
    if full || is_batched([m, n], count) { [m, n] } else { [m.min(n); 2] }
}
