//! A GPU as this process uses it: its primary context, the null stream, on which everything happens in sequence, and the
//! driver's memory pool. Nothing here knows of element types or ordinals at compile time.
//!
//! Work is queued and done later. Memory is given back in the stream's sequence too, so a buffer may be dropped while a kernel
//! that reads it is still waiting its turn; only copies to the host wait.

use super::arguments::Arguments;
use super::libraries;
use super::program::Program;
use super::recycle::{self, Recycled};
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
pub(in crate::device::cuda) struct Context {
    ordinal: usize,
    context: sys::CUcontext,
    /// Where memory comes from; none where the device has no pools.
    pool: Option<sys::CUmemoryPool>,
    recycled: Recycled,
    /// Bytes of the whole device.
    total: usize,
    arch: u32,
    kernels: RwLock<HashMap<Program, Kernel>>,
}

// SAFETY: the driver's handles may be used by every thread; the driver locks what must be locked.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// A kernel of a module that stays loaded.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda) struct Kernel(sys::CUfunction);

// SAFETY: a handle that the driver may be given by every thread.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

/// Upper bound of the ordinals of GPUs.
const MAX_DEVICES: usize = 64;

/// The GPU of an ordinal, put into use at the first call.
pub(in crate::device::cuda) fn context(ordinal: usize) -> Result<&'static Context, Error> {
    static CONTEXTS: [OnceLock<Context>; MAX_DEVICES] = [const { OnceLock::new() }; MAX_DEVICES];
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let unavailable = |why| Error::DeviceUnavailable { device: name_of(ordinal), why };
    let Some(slot) = CONTEXTS.get(ordinal) else {
        return Err(unavailable(devices().map_or_else(|why| why, |count| no_such(ordinal, count))));
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

/// As the type is written.
pub(in crate::device::cuda) fn name_of(ordinal: usize) -> String {
    format!("Cuda<{ordinal}>")
}

/// How many GPUs there are.
fn devices() -> Result<usize, String> {
    libraries::driver()?;
    let none = "there is a driver, but no GPU that it can use; compute on `Cpu`";
    let failed = |error: DriverError| match error.0 {
        CUresult::CUDA_ERROR_NO_DEVICE => none.to_string(),
        _ => format!("the driver did not start: {}; compute on `Cpu`", describe(error)),
    };
    result::init().map_err(failed)?;
    match result::device::get_count().map_err(failed)? {
        count if count > 0 => Ok(count as usize),
        _ => Err(none.into()),
    }
}

/// The same, as an error of the whole.
pub(in crate::device::cuda) fn count() -> Result<usize, Error> {
    devices().map_err(|why| Error::DeviceUnavailable { device: "Cuda".into(), why })
}

fn no_such(ordinal: usize, count: usize) -> String {
    let there = match count {
        1 => "only `Cuda<0>`".to_string(),
        2 => "`Cuda<0>` and `Cuda<1>`".to_string(),
        _ => format!("`Cuda<0>` to `Cuda<{}>`", count - 1),
    };
    format!("there is no GPU {ordinal} here, {there}")
}

/// The driver's words; asked for only where the driver was found.
fn describe(error: DriverError) -> String {
    let text = error.error_string().map_or("unknown error".into(), |text| text.to_string_lossy());
    format!("{text} (CUDA error {})", error.0 as u32)
}

impl Context {
    fn new(ordinal: usize) -> Result<Context, String> {
        let count = devices()?;
        if ordinal >= count {
            return Err(no_such(ordinal, count));
        }
        libraries::compiler()?;
        let failed = |error| format!("it cannot be used: {}", describe(error));
        let device = result::device::get(ordinal as i32).map_err(failed)?;
        // SAFETY: `device` comes from the driver.
        let attribute = |of| unsafe { result::device::get_attribute(device, of) }.map_err(failed);
        // SAFETY: as above; the context is kept for as long as the process lives.
        let context = unsafe { result::primary_ctx::retain(device) }.map_err(failed)?;
        let pools = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? != 0;
        // SAFETY: as above.
        let pool = if pools { Some(unsafe { keeping_pool(device) }.map_err(failed)?) } else { None };
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Ok(Context {
            ordinal,
            context,
            pool,
            arch: (major * 10 + minor) as u32,
            recycled: Recycled::default(),
            // SAFETY: `device` comes from the driver.
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

    /// The stream that everything happens on: the null stream, which waits for other libraries' work, and they for ours.
    pub(in crate::device::cuda) fn stream(&self) -> sys::CUstream {
        result::stream::null()
    }

    /// What the driver refused. A kernel that failed shows at a later call.
    pub(in crate::device::cuda) fn failure(&self, op: &'static str, error: DriverError) -> Error {
        Error::DeviceFailed { op, device: self.name(), why: describe(error) }
    }

    /// Makes this the GPU that the driver's next calls in this thread are for.
    pub(in crate::device::cuda) fn enter(&self) -> Result<(), DriverError> {
        // SAFETY: the context is retained for as long as the process lives.
        unsafe { result::ctx::set_current(self.context) }
    }

    // ------------------------------------------------------------------ memory

    /// Memory whose contents are left over from before.
    pub(in crate::device::cuda) fn alloc(&'static self, bytes: usize) -> Result<Memory, Error> {
        let address =
            if bytes == 0 { Ok(0) } else { self.recycled.take(bytes).map_or_else(|| self.fresh(bytes), Ok) }?;
        let memory = Memory { address, bytes, context: self, holder: Holder::Pool };
        if poisons() {
            // SAFETY: the memory is ours.
            unsafe { self.fill(memory.address, 0xff, bytes)? };
        }
        Ok(memory)
    }

    fn fresh(&self, bytes: usize) -> Result<u64, Error> {
        if bytes > self.total {
            return Err(Error::OutOfMemory { device: self.name(), bytes });
        }
        let rounded = recycle::rounded(bytes);
        let address = match self.try_alloc(rounded) {
            Err(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                // What was given back may still be waiting its turn, or lie in the pool in pieces.
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
            // SAFETY: the stream is the null stream, on which all of this memory's life takes place.
            Some(_) => unsafe { result::malloc_async(self.stream(), bytes) },
            // SAFETY: asks for memory.
            None => unsafe { result::malloc_sync(bytes) },
        }
    }

    /// # Safety
    /// The address comes from [`try_alloc`](Context::try_alloc) of this context, is freed once, and no work that is queued later
    /// uses the memory.
    unsafe fn free(&self, address: u64) -> Result<(), DriverError> {
        self.enter()?;
        match self.pool {
            // SAFETY: an allocation of this context, as the caller ensures; work that was queued before comes before.
            Some(_) => unsafe { result::free_async(address, self.stream()) },
            // SAFETY: an allocation of this context, as the caller ensures; the driver waits for work that uses it.
            None => unsafe { result::free_sync(address) },
        }
    }

    /// Gives back to the driver what no tensor uses.
    pub(in crate::device::cuda) fn trim(&self) -> Result<(), Error> {
        let kept = self.recycled.drain().into_iter();
        // SAFETY: what is kept was allocated by this context and has no owner; each address is taken out once.
        let freed: Vec<_> = kept.map(|address| unsafe { self.free(address) }).collect();
        self.synchronize()?;
        freed
            .into_iter()
            .collect::<Result<(), _>>()
            .map_err(|error| self.failure("give back memory", error))?;
        if let Some(pool) = self.pool {
            // SAFETY: the pool is the device's own.
            unsafe { result::mem_pool::trim_to(pool, 0) }
                .map_err(|error| self.failure("give back memory", error))?;
        }
        Ok(())
    }

    /// Free and total memory of the device, in bytes.
    pub(in crate::device::cuda) fn memory(&self) -> Result<(usize, usize), Error> {
        let ask = || {
            self.enter()?;
            result::mem_get_info()
        };
        ask().map_err(|error| self.failure("ask for memory", error))
    }

    /// Waits until everything that was asked for is done.
    pub(in crate::device::cuda) fn synchronize(&self) -> Result<(), Error> {
        let wait = || {
            self.enter()?;
            // SAFETY: the null stream always exists.
            unsafe { result::stream::synchronize(self.stream()) }
        };
        wait().map_err(|error| self.failure("wait", error))
    }

    /// Copies bytes to the host, after all that was asked for before.
    ///
    /// # Safety
    /// `from` is the address of at least as many bytes.
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
            // SAFETY: the caller's for `from`; `to` is ours, and the copy is over when the call returns.
            unsafe { sys::cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), from, to.len()) }.result()
        };
        copy().map_err(|error| self.failure("read", error))
    }

    /// Copies bytes from the host, after all that was asked for before. They are not looked at after the call.
    ///
    /// # Safety
    /// `to` is the address of at least as many bytes, which nothing else uses.
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
            // SAFETY: the caller's for `to`; the call has read `from` when it returns.
            unsafe { sys::cuMemcpyHtoD_v2(to, from.as_ptr().cast(), from.len()) }.result()
        };
        copy().map_err(|error| self.failure("write", error))
    }

    /// Copies bytes within the device.
    ///
    /// # Safety
    /// Both are addresses of at least as many bytes, which do not overlap; nothing else uses those at `to`.
    pub(in crate::device::cuda) unsafe fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        let copy = || {
            self.enter()?;
            // SAFETY: the caller's.
            unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream()) }
        };
        copy().map_err(|error| self.failure("copy", error))
    }

    /// Writes zeros.
    ///
    /// # Safety
    /// `to` is the address of at least as many bytes, which nothing else uses.
    pub(in crate::device::cuda) unsafe fn zero(&self, to: u64, bytes: usize) -> Result<(), Error> {
        // SAFETY: the caller's.
        unsafe { self.fill(to, 0, bytes) }
    }

    /// Writes a byte everywhere.
    ///
    /// # Safety
    /// As [`zero`](Context::zero).
    unsafe fn fill(&self, to: u64, byte: u8, bytes: usize) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        let set = || {
            self.enter()?;
            // SAFETY: the caller's.
            unsafe { result::memset_d8_async(to, byte, bytes, self.stream()) }
        };
        set().map_err(|error| self.failure("fill", error))
    }

    // ------------------------------------------------------------------ kernels

    /// Queues a kernel, which is compiled if it was never used before. A grid without blocks is none.
    ///
    /// # Safety
    /// The arguments are those of the program's `entry`, and the kernel accesses nothing but what they let it.
    pub(super) unsafe fn launch(
        &self,
        program: &Program,
        grid: [u32; 3],
        block: u32,
        arguments: &mut Arguments<'_>,
    ) -> Result<(), Error> {
        if grid.contains(&0) {
            return Ok(());
        }
        let kernel = self.kernel(program)?;
        let mut launch = || {
            self.enter()?;
            let ([x, y, z], shared) = (grid, 0);
            // SAFETY: the caller's.
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

    fn kernel(&self, program: &Program) -> Result<Kernel, Error> {
        if let Some(&kernel) = self.kernels.read().unwrap_or_else(PoisonError::into_inner).get(program) {
            return Ok(kernel);
        }
        // Two threads may compile the same kernel; the first one to be done is kept.
        let kernel = self.load(program)?;
        Ok(*self.kernels.write().unwrap_or_else(PoisonError::into_inner).entry(*program).or_insert(kernel))
    }

    fn load(&self, program: &Program) -> Result<Kernel, Error> {
        let source = program.source();
        let image = super::cache::compiled(&source, self.arch).map_err(|why| Error::DeviceFailed {
            op: program.name,
            device: self.name(),
            why,
        })?;
        let load = || {
            self.enter()?;
            // SAFETY: the image is what the compiler made, whole.
            let module = unsafe { result::module::load_data(image.as_ptr().cast::<c_void>()) }?;
            // SAFETY: the module stays loaded.
            unsafe { result::module::get_function(module, c"entry".into()) }.map(Kernel)
        };
        load().map_err(|error| self.failure(program.name, error))
    }
}

/// Whether all memory is to be NaN before it is used, so that tests on a GPU find what a kernel does not write: set by hand
/// (`CONTRIBUTING.md`). The emulator's memory always is.
fn poisons() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| std::env::var_os("VIERBEIN_CUDA_POISON").is_some_and(|value| value == "1"))
}

/// The device's own pool, told to keep what is given back for the next allocation.
///
/// # Safety
/// `device` comes from the driver.
unsafe fn keeping_pool(device: sys::CUdevice) -> Result<sys::CUmemoryPool, DriverError> {
    let mut all = u64::MAX;
    // SAFETY: the caller's.
    let pool = unsafe { result::device::get_default_mem_pool(device) }?;
    let threshold = PoolAttribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: the pool is the device's; the attribute is a `u64`, which is read during the call.
    unsafe { result::mem_pool::set_attribute(pool, threshold, (&raw mut all).cast()) }?;
    Ok(pool)
}

/// Memory of a GPU, given back when it is dropped, in the sequence of the stream.
#[derive(Debug)]
pub(in crate::device::cuda) struct Memory {
    address: u64,
    bytes: usize,
    context: &'static Context,
    holder: Holder,
}

/// Whose memory it is.
enum Holder {
    Pool,
    /// Someone else's; dropping what holds it tells them.
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
    /// Memory of someone else, who is told of its end by the owner's `Drop`.
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

    pub(in crate::device::cuda) fn context(&self) -> &'static Context {
        self.context
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        match self.holder {
            Holder::Pool if self.address == 0 => {}
            // What fails here, such as a driver that is already gone at the end of the process, is nobody's to know.
            Holder::Pool => {
                if let Some(address) = self.context.recycled.put(self.address, self.bytes) {
                    // SAFETY: this is the end of the memory that this context allocated.
                    let _ = unsafe { self.context.free(address) };
                }
            }
            // The owner may reuse it at once, and does not know our stream.
            Holder::Foreign { .. } => drop(self.context.synchronize()),
        }
    }
}
