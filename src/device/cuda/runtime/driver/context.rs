//! A GPU in use by this process: its primary context, the null stream, its memory and its kernels. All work runs on the null
//! stream, in the order in which it was queued. No code in this file is generic over element types or ordinals.
//!
//! Kernels are queued and run later. Memory is freed in stream order, too, after the work that was queued before. So a buffer may
//! be dropped while a kernel that reads it is still queued.

use super::devices::{describe, devices, name_of, no_such};
use super::pool::{self, Pooled};
use crate::device::cuda::runtime::codegen::arguments::KernelArguments;
use crate::device::cuda::runtime::codegen::cache;
use crate::device::cuda::runtime::codegen::program::Program;
use crate::device::cuda::runtime::libraries;
use crate::error::Error;
use cudarc::driver::sys::{
    CUdevice_attribute_enum as Attribute, CUmemPool_attribute_enum as PoolAttribute, CUresult,
};
use cudarc::driver::{DriverError, result, sys};
use std::collections::HashMap;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

/// A GPU in use.
#[derive(Debug)]
pub(in crate::device) struct Context {
    ordinal: usize,
    context: sys::CUcontext,
    /// The device's default memory pool, from which the driver allocates; `None` if the device does not support memory pools.
    pool: Option<sys::CUmemoryPool>,
    pooled: Pooled,
    /// Total memory of the device, in bytes.
    total: usize,
    arch: u32,
    kernels: RwLock<HashMap<Program, LoadedKernel>>,
}

// SAFETY: every thread may use the driver's handles, as the driver synchronises access; locks guard the other mutable fields.
unsafe impl Send for Context {}
// SAFETY: several threads may share a context, as the driver synchronises access to its handles, and locks guard the other mutable fields.
unsafe impl Sync for Context {}

/// A kernel of a module that stays loaded.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda) struct LoadedKernel(sys::CUfunction);

// SAFETY: every thread may pass the handle to the driver; its module is never unloaded.
unsafe impl Send for LoadedKernel {}
// SAFETY: a shared handle is only copied and passed to the driver, which synchronises access.
unsafe impl Sync for LoadedKernel {}

/// Maximum number of GPUs that are supported. Ordinals are less than this.
const MAX_DEVICES: usize = 64;

/// Returns the GPU with this ordinal. The first call initialises the GPU.
pub(in crate::device) fn context(ordinal: usize) -> Result<&'static Context, Error> {
    static CONTEXTS: [OnceLock<Context>; MAX_DEVICES] = [const { OnceLock::new() }; MAX_DEVICES];
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let unavailable = |reason| Error::DeviceUnavailable { device: name_of(ordinal), reason };
    let Some(slot) = CONTEXTS.get(ordinal) else {
        return Err(unavailable(devices().map_or_else(|reason| reason, |count| no_such(ordinal, count))));
    };
    if let Some(context) = slot.get() {
        return Ok(context);
    }
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if slot.get().is_none() {
        let context = Context::new(ordinal).map_err(unavailable)?;
        let _ = slot.set(context);
    }
    Ok(slot.get().expect("it was just set"))
}

impl Context {
    fn new(ordinal: usize) -> Result<Context, String> {
        let count = devices()?;
        if ordinal >= count {
            return Err(no_such(ordinal, count));
        }
        libraries::compiler()?;
        let failed = |error| format!("the driver returned an error: {}; compute on `Cpu`", describe(error));
        let device = result::device::get(ordinal as i32).map_err(failed)?;
        // SAFETY: the driver returned `device`.
        let attribute = |of| unsafe { result::device::get_attribute(device, of) }.map_err(failed);
        // SAFETY: the driver returned `device`; the context is not released for as long as the process lives.
        let context = unsafe { result::primary_ctx::retain(device) }.map_err(failed)?;
        let pools = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? != 0;
        // SAFETY: the driver returned `device`.
        let pool = if pools { Some(unsafe { keeping_pool(device) }.map_err(failed)?) } else { None };
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Ok(Context {
            ordinal,
            context,
            pool,
            arch: (major * 10 + minor) as u32,
            pooled: Pooled::default(),
            // SAFETY: the driver returned `device`.
            total: unsafe { result::device::total_mem(device) }.map_err(failed)?,
            kernels: RwLock::default(),
        })
    }

    pub(in crate::device::cuda) fn name(&self) -> String {
        name_of(self.ordinal)
    }

    pub(in crate::device::cuda) fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// Returns the null stream, on which this crate queues all its work. The work runs after work that other libraries queued earlier on
    /// blocking streams. Work that other libraries queue later on blocking streams runs after the work of this crate.
    pub(in crate::device::cuda) fn stream(&self) -> sys::CUstream {
        result::stream::null()
    }

    /// Returns the error for a failed call of the driver. The error of a failed kernel is returned by a later call of the driver,
    /// so `op` may name another operation.
    pub(in crate::device::cuda) fn failure(&self, op: &'static str, error: DriverError) -> Error {
        Error::DeviceFailed { op, device: self.name(), reason: describe(error) }
    }

    /// Makes this GPU's context current: the driver's next calls in this thread use this GPU.
    pub(in crate::device::cuda) fn enter(&self) -> Result<(), DriverError> {
        // SAFETY: `Context::new` retained the context, and it is never released.
        unsafe { result::ctx::set_current(self.context) }
    }

    // ------------------------------------------------------------------ memory

    /// Allocates memory with unspecified contents.
    pub(in crate::device::cuda) fn alloc(&'static self, bytes: usize) -> Result<Memory, Error> {
        let address =
            if bytes == 0 { Ok(0) } else { self.pooled.take(bytes).map_or_else(|| self.fresh(bytes), Ok) }?;
        let memory = Memory { address, bytes, context: self, holder: Holder::Pool };
        if poisons() {
            // SAFETY: the memory was just allocated with at least `bytes` bytes, and nothing else has its address.
            unsafe { self.fill(memory.address, 0xff, bytes)? };
        }
        Ok(memory)
    }

    fn fresh(&self, bytes: usize) -> Result<u64, Error> {
        if bytes > self.total {
            return Err(Error::OutOfMemory { device: self.name(), bytes });
        }
        let rounded = pool::rounded(bytes);
        let address = match self.try_alloc(rounded) {
            Err(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                // The buffer pool and the driver's pool may keep freed memory that does not fit this request. Release it, and try again.
                let _ = self.trim();
                self.try_alloc(rounded)
            }
            result => result,
        };
        address.map_err(|error| match error.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Error::OutOfMemory { device: self.name(), bytes },
            _ => self.failure("allocate", error),
        })
    }

    fn try_alloc(&self, bytes: usize) -> Result<u64, DriverError> {
        self.enter()?;
        match self.pool {
            // SAFETY: `enter` made the context current, and the null stream always exists. All work that uses or frees the memory is queued
            // on the same stream.
            Some(_) => unsafe { result::malloc_async(self.stream(), bytes) },
            // SAFETY: `enter` made the context current. No caller assumes values of the new memory.
            None => unsafe { result::malloc_sync(bytes) },
        }
    }

    /// Frees memory.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * the address comes from [`try_alloc`](Context::try_alloc) of this context;
    /// * it is freed once;
    /// * no work that is queued later uses the memory.
    unsafe fn free(&self, address: u64) -> Result<(), DriverError> {
        self.enter()?;
        match self.pool {
            // SAFETY: the caller ensures that `address` is an allocation of this context, which is freed once and not used by later work.
            // The stream frees it after all work that was queued earlier.
            Some(_) => unsafe { result::free_async(address, self.stream()) },
            // SAFETY: the caller ensures that `address` is an allocation of this context, which is freed once and not used by later work.
            // The driver waits for queued work that uses it.
            None => unsafe { result::free_sync(address) },
        }
    }

    /// Returns the blocks of the buffer pool to the driver. Waits until all queued work is done, and then returns the memory of the
    /// driver's pool to the system.
    pub(in crate::device::cuda) fn trim(&self) -> Result<(), Error> {
        let kept = self.pooled.drain().into_iter();
        // SAFETY: this context allocated the blocks of its pool. The `Memory` of each block was dropped, and `drain` returns each
        // address once.
        let freed: Vec<_> = kept.map(|address| unsafe { self.free(address) }).collect();
        self.synchronize()?;
        freed.into_iter().collect::<Result<(), _>>().map_err(|error| self.failure("free memory", error))?;
        if let Some(pool) = self.pool {
            // SAFETY: `pool` is the device's default pool, which is never destroyed.
            unsafe { result::mem_pool::trim_to(pool, 0) }
                .map_err(|error| self.failure("free memory", error))?;
        }
        Ok(())
    }

    /// Returns the free and total memory of the device, in bytes.
    pub(in crate::device::cuda) fn memory(&self) -> Result<(usize, usize), Error> {
        let ask = || {
            self.enter()?;
            result::mem_get_info()
        };
        ask().map_err(|error| self.failure("query free memory", error))
    }

    /// Waits until all queued work is done.
    pub(in crate::device::cuda) fn synchronize(&self) -> Result<(), Error> {
        let wait = || {
            self.enter()?;
            // SAFETY: the null stream always exists.
            unsafe { result::stream::synchronize(self.stream()) }
        };
        wait().map_err(|error| self.failure("wait", error))
    }

    /// Copies bytes to the host, after all work that was queued before this call. Waits until the copy is complete.
    ///
    /// # Safety
    /// The caller must ensure that `from` is the address of at least `to.len()` bytes of live memory of this GPU.
    pub(in crate::device::cuda) unsafe fn read(
        &self,
        from: u64,
        to: &mut [MaybeUninit<u8>],
    ) -> Result<(), Error> {
        if to.is_empty() {
            return Ok(());
        }
        let mut copy = || {
            self.enter()?;
            // SAFETY: the caller ensures that `from` is the address of `to.len()` bytes of live memory. `to` is mutably borrowed, and the
            // copy is complete when the call returns.
            unsafe { sys::cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), from, to.len()) }.result()
        };
        copy().map_err(|error| self.failure("read", error))
    }

    /// Copies bytes from the host, after all work that was queued before this call. `from` is not read after the call returns.
    ///
    /// # Safety
    /// The caller must ensure that `to` is the address of at least `from.len()` bytes of live memory of this GPU that nothing
    /// else accesses.
    pub(in crate::device::cuda) unsafe fn write(
        &self,
        from: &[MaybeUninit<u8>],
        to: u64,
    ) -> Result<(), Error> {
        if from.is_empty() {
            return Ok(());
        }
        let copy = || {
            self.enter()?;
            // SAFETY: the caller ensures that `to` is the address of `from.len()` bytes, and exclusive access to them. The call returns
            // when it has read `from`, which is borrowed until then.
            unsafe { sys::cuMemcpyHtoD_v2(to, from.as_ptr().cast(), from.len()) }.result()
        };
        copy().map_err(|error| self.failure("write", error))
    }

    /// Copies `bytes` bytes within the device.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * `from` and `to` are addresses of at least `bytes` bytes of live memory of this GPU, which do not overlap;
    /// * nothing else accesses the bytes at `to`.
    pub(in crate::device::cuda) unsafe fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        let copy = || {
            self.enter()?;
            // SAFETY: the caller ensures that `from` and `to` are addresses of `bytes` bytes of live memory, which do not overlap. The
            // caller also ensures exclusive access to the bytes at `to`.
            unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream()) }
        };
        copy().map_err(|error| self.failure("copy", error))
    }

    /// Sets `bytes` bytes at address `to` to zero.
    ///
    /// # Safety
    /// The caller must ensure that `to` is the address of at least `bytes` bytes of live memory of this GPU that nothing else
    /// accesses.
    pub(in crate::device::cuda) unsafe fn zero(&self, to: u64, bytes: usize) -> Result<(), Error> {
        // SAFETY: `fill` requires that `to` is the address of `bytes` bytes of live memory that nothing else accesses. The caller of `zero`
        // ensures this.
        unsafe { self.fill(to, 0, bytes) }
    }

    /// Sets `bytes` bytes at address `to` to the value `byte`.
    ///
    /// # Safety
    /// The same as for [`zero`](Context::zero).
    unsafe fn fill(&self, to: u64, byte: u8, bytes: usize) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        let set = || {
            self.enter()?;
            // SAFETY: the caller ensures that `to` is the address of `bytes` bytes of live memory, and exclusive access to them.
            unsafe { result::memset_d8_async(to, byte, bytes, self.stream()) }
        };
        set().map_err(|error| self.failure("fill", error))
    }

    // ------------------------------------------------------------------ kernels

    /// Returns the number of thread blocks for `len` elements, with `block` elements per thread block. Returns an error if there are
    /// more blocks than a grid can have.
    pub(in crate::device::cuda::runtime) fn blocks(&self, len: usize, block: usize) -> Result<u32, Error> {
        let most = i32::MAX as usize;
        let count = len.div_ceil(block);
        if count <= most {
            return Ok(count as u32);
        }
        Err(Error::DeviceFailed {
            op: "compute",
            device: self.name(),
            reason: format!("{len} elements exceed the maximum grid size"),
        })
    }

    /// Queues a kernel. Compiles the kernel first if this process has not used it before. Does nothing if the grid has no blocks.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * `arguments` have the types and the order of the parameters of the program's `entry`;
    /// * with these arguments, the kernel reads only live memory of this GPU, and writes only to memory that nothing else
    ///   accesses.
    pub(in crate::device::cuda::runtime) unsafe fn launch(
        &self,
        program: &Program,
        grid: [u32; 3],
        block: u32,
        arguments: &mut KernelArguments<'_>,
    ) -> Result<(), Error> {
        if grid.contains(&0) {
            return Ok(());
        }
        let kernel = self.kernel(program)?;
        let mut launch = || {
            self.enter()?;
            let ([x, y, z], shared) = (grid, 0);
            // SAFETY: the caller ensures that `arguments` match the parameters of the program's function `entry`, and that the kernel's
            // accesses are valid. The driver copies the arguments during the call.
            unsafe {
                result::launch_kernel(
                    kernel.0,
                    (x, y, z),
                    (block, 1, 1),
                    shared,
                    self.stream(),
                    arguments.pointers(),
                )
            }
        };
        launch().map_err(|error| self.failure(program.name, error))
    }

    fn kernel(&self, program: &Program) -> Result<LoadedKernel, Error> {
        if let Some(&kernel) = self.kernels.read().unwrap_or_else(PoisonError::into_inner).get(program) {
            return Ok(kernel);
        }
        // Two threads may compile the same kernel. The kernel of the first thread to finish is kept.
        let kernel = self.load(program)?;
        Ok(*self.kernels.write().unwrap_or_else(PoisonError::into_inner).entry(*program).or_insert(kernel))
    }

    fn load(&self, program: &Program) -> Result<LoadedKernel, Error> {
        let source = program.source();
        let image = cache::compiled(&source, self.arch).map_err(|reason| Error::DeviceFailed {
            op: program.name,
            device: self.name(),
            reason,
        })?;
        let load = || {
            self.enter()?;
            // SAFETY: `image` is what the compiler returned: complete machine code, or PTX with its final NUL. It stays borrowed
            // during the call.
            let module = unsafe { result::module::load_data(image.as_ptr().cast::<c_void>()) }?;
            // SAFETY: the module was loaded above and is never unloaded.
            unsafe { result::module::get_function(module, c"entry".into()) }.map(LoadedKernel)
        };
        load().map_err(|error| self.failure(program.name, error))
    }
}

/// Returns whether to fill new memory with bytes 0xff, which are NaN in floating-point types. Then tests on a GPU find elements
/// that a kernel should write and does not. The environment variable `VIERBEIN_CUDA_POISON=1` requests it (see `CONTRIBUTING.md`).
/// The emulator always fills its memory.
fn poisons() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| std::env::var_os("VIERBEIN_CUDA_POISON").is_some_and(|value| value == "1"))
}

/// Returns the device's default pool, configured to keep freed memory for later allocations.
///
/// # Safety
/// The caller must ensure that the driver returned `device`.
unsafe fn keeping_pool(device: sys::CUdevice) -> Result<sys::CUmemoryPool, DriverError> {
    let mut all = u64::MAX;
    // SAFETY: the driver returned `device`, as the caller ensures.
    let pool = unsafe { result::device::get_default_mem_pool(device) }?;
    let threshold = PoolAttribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: the driver returned `pool`. This attribute is a `u64`, and the driver reads `all` during the call only.
    unsafe { result::mem_pool::set_attribute(pool, threshold, (&raw mut all).cast()) }?;
    Ok(pool)
}

/// Memory of a GPU. Dropping it returns the memory to the buffer pool, to the driver in stream order, or to the library that owns
/// it.
#[derive(Debug)]
pub(in crate::device::cuda) struct Memory {
    address: u64,
    bytes: usize,
    context: &'static Context,
    holder: Holder,
}

/// The owner of the memory.
enum Holder {
    Pool,
    /// Memory of another library. Dropping `_owner` tells the library that the memory is no longer used.
    Foreign {
        _owner: Box<dyn Send + Sync>,
    },
}

impl std::fmt::Debug for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if matches!(self, Holder::Pool) { "Pool" } else { "Foreign" })
    }
}

impl Memory {
    /// Wraps memory of another library. Dropping `owner` tells the library that the memory is no longer used.
    pub(in crate::device::cuda) fn foreign(
        context: &'static Context,
        address: u64,
        bytes: usize,
        owner: Box<dyn Send + Sync>,
    ) -> Memory {
        Memory { address, bytes, context, holder: Holder::Foreign { _owner: owner } }
    }

    pub(in crate::device::cuda) fn address(&self) -> u64 {
        self.address
    }

    pub(in crate::device::cuda) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(in crate::device) fn context(&self) -> &'static Context {
        self.context
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        match self.holder {
            Holder::Pool if self.address == 0 => {}
            // An error of `free` cannot be reported from `drop`. It occurs, for example, if the driver is already unloaded at the
            // end of the process.
            Holder::Pool => {
                if let Some(address) = self.context.pooled.put(self.address, self.bytes) {
                    // SAFETY: this context allocated the address, and `put` did not keep it. This `Memory` is its only owner and is
                    // being dropped, so the address is freed once and no later work uses it.
                    let _ = unsafe { self.context.free(address) };
                }
            }
            // Waits for all queued work. Once `_owner` is dropped, the other library may reuse the memory at once, on another stream.
            Holder::Foreign { .. } => drop(self.context.synchronize()),
        }
    }
}
