//! Fourier transforms of contiguous lines by cuFFT. No code in this file is generic over element types.

use crate::device::cuda::runtime::driver::context::Context;
use crate::device::cuda::runtime::libraries;
use crate::error::Error;
use cudarc::cufft::result::CufftError;
use cudarc::cufft::sys::{self, cufftType as Type};
use std::sync::{Mutex, PoisonError};

const NAME: &str = "compute a Fourier transform";
/// Maximum number of plans that are kept for each GPU.
const MAX_PLANS: usize = 32;
const FORWARD: i32 = -1;
const INVERSE: i32 = 1;

/// The types of the numbers that a transform reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device::cuda::runtime) enum Kind {
    Complex,
    FromReal,
    ToReal,
}

/// Transforms of contiguous lines, each of which begins where the one before it ends. A line has `len` elements. In a transform from or to
/// real numbers, however, a line of complex numbers has only the first `len / 2 + 1` of `len` elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device::cuda::runtime) struct TransformLines {
    pub(in crate::device::cuda::runtime) kind: Kind,
    /// Whether real numbers and the parts of complex numbers are `f64`. Otherwise, they are `f32`.
    pub(in crate::device::cuda::runtime) double: bool,
    pub(in crate::device::cuda::runtime) len: usize,
    pub(in crate::device::cuda::runtime) count: usize,
}

/// A plan of cuFFT, and the size of the workspace that it needs, in bytes.
#[derive(Debug, Clone, Copy)]
struct LibraryPlan {
    handle: sys::cufftHandle,
    workspace: usize,
}

/// The ordinal of each plan's GPU, the lines that it transforms, and the plan. The plan that was used last is at the end. Only one thread
/// at a time can use a plan, so the lock is held while a transform is queued.
static PLANS: Mutex<Vec<(usize, TransformLines, LibraryPlan)>> = Mutex::new(Vec::new());

/// Returns whether cuFFT is available.
pub(in crate::device::cuda::runtime) fn is_available() -> bool {
    libraries::fft()
}

impl TransformLines {
    fn plan(&self, context: &Context) -> Result<LibraryPlan, CufftError> {
        let (mut handle, mut workspace) = (0, 0);
        // SAFETY: `run`, which calls this method, made the context current. `cufftCreate` writes to `handle`, which is a local variable.
        unsafe { sys::cufftCreate(&raw mut handle) }.result()?;
        let plan = |workspace: &mut usize| {
            // SAFETY: `handle` was created above in the current context. Its workspace is set before each transform.
            unsafe { sys::cufftSetAutoAllocation(handle, 0) }.result()?;
            let (mut len, count) = (self.len as i64, self.count as i64);
            // Null pointers select contiguous lines, and then the strides and distances are ignored.
            let (none, kind) = (std::ptr::null_mut(), self.kind());
            // SAFETY: `handle` was created above. The call reads `len`, the extent of the only axis, and writes to `workspace`. Both are
            // valid during the call.
            unsafe {
                sys::cufftMakePlanMany64(
                    handle,
                    1,
                    &raw mut len,
                    none,
                    1,
                    0,
                    none,
                    1,
                    0,
                    kind,
                    count,
                    workspace,
                )
            }
            .result()?;
            // SAFETY: `handle` was created above in the current context, and the null stream always exists.
            unsafe { sys::cufftSetStream(handle, context.stream().cast()) }.result()
        };
        match plan(&mut workspace) {
            Ok(()) => Ok(LibraryPlan { handle, workspace }),
            Err(error) => {
                // SAFETY: `handle` was created above and is not used after this.
                let _ = unsafe { sys::cufftDestroy(handle) };
                Err(error)
            }
        }
    }

    fn kind(&self) -> Type {
        match (self.kind, self.double) {
            (Kind::Complex, false) => Type::CUFFT_C2C,
            (Kind::Complex, true) => Type::CUFFT_Z2Z,
            (Kind::FromReal, false) => Type::CUFFT_R2C,
            (Kind::FromReal, true) => Type::CUFFT_D2Z,
            (Kind::ToReal, false) => Type::CUFFT_C2R,
            (Kind::ToReal, true) => Type::CUFFT_Z2D,
        }
    }

    /// Transforms the lines at `from`, and writes the results to `to`. Complex transforms can be in place; transforms to real numbers
    /// overwrite `from`. The results are not scaled. If the results are real, the imaginary parts at frequency 0 and, if the length is
    /// even, at the highest frequency, must be zero.
    ///
    /// # Safety
    /// The caller must ensure that cuFFT is available, and that the lines at both addresses are allocated on `context`'s GPU. Nothing else
    /// may access them. If the addresses differ, the lines must not overlap.
    pub(in crate::device::cuda::runtime) unsafe fn run(
        &self,
        context: &'static Context,
        inverse: bool,
        from: u64,
        to: u64,
    ) -> Result<(), Error> {
        context.enter().map_err(|error| context.failure(NAME, error))?;
        let failed = |error: CufftError| Error::DeviceFailed {
            op: NAME,
            device: context.name(),
            reason: format!("cuFFT: {:?}", error.0),
        };
        let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
        let known = plans.iter().position(|(at, lines, _)| *at == context.ordinal() && lines == self);
        let plan = match known {
            Some(k) => plans.remove(k).2,
            None => self.plan(context).map_err(failed)?,
        };
        plans.push((context.ordinal(), *self, plan));
        let mut own = (0..plans.len()).filter(|&k| plans[k].0 == context.ordinal());
        if let Some(oldest) = own.next()
            && own.count() >= MAX_PLANS
        {
            // The plan's queued transforms must be complete before it is destroyed.
            context.synchronize()?;
            let (.., oldest) = plans.remove(oldest);
            // SAFETY: `oldest` was created for this GPU by `Self::plan`. None of its transforms is queued any more, and it is not used after
            // this.
            let _ = unsafe { sys::cufftDestroy(oldest.handle) };
        }
        // The workspace is reused only by work that is queued later, so it may be freed while the transform is queued.
        let workspace = context.alloc(plan.workspace)?;
        // SAFETY: `workspace` has the `plan.workspace` bytes that the plan needs. Nothing else accesses them until the transform is
        // complete.
        unsafe { sys::cufftSetWorkArea(plan.handle, workspace.address() as *mut _) }
            .result()
            .map_err(failed)?;
        let direction = if inverse { INVERSE } else { FORWARD };
        let (handle, from, to) = (plan.handle, from as *mut u8, to as *mut u8);
        let done = match (self.kind, self.double) {
            // SAFETY: the caller ensures that `from` and `to` address lines on this GPU that nothing else accesses. The plan was made for
            // this type of transform.
            (Kind::Complex, false) => unsafe { sys::cufftExecC2C(handle, from.cast(), to.cast(), direction) },
            // SAFETY: the caller ensures that `from` and `to` address lines on this GPU that nothing else accesses. The plan was made for
            // this type of transform.
            (Kind::Complex, true) => unsafe { sys::cufftExecZ2Z(handle, from.cast(), to.cast(), direction) },
            // SAFETY: the caller ensures that `from` and `to` address lines on this GPU that nothing else accesses. The plan was made for
            // this type of transform.
            (Kind::FromReal, false) => unsafe { sys::cufftExecR2C(handle, from.cast(), to.cast()) },
            // SAFETY: the caller ensures that `from` and `to` address lines on this GPU that nothing else accesses. The plan was made for
            // this type of transform.
            (Kind::FromReal, true) => unsafe { sys::cufftExecD2Z(handle, from.cast(), to.cast()) },
            // SAFETY: the caller ensures that `from` and `to` address lines on this GPU that nothing else accesses. The plan was made for
            // this type of transform.
            (Kind::ToReal, false) => unsafe { sys::cufftExecC2R(handle, from.cast(), to.cast()) },
            // SAFETY: the caller ensures that `from` and `to` address lines on this GPU that nothing else accesses. The plan was made for
            // this type of transform.
            (Kind::ToReal, true) => unsafe { sys::cufftExecZ2D(handle, from.cast(), to.cast()) },
        };
        done.result().map_err(failed)
    }
}
