//! The devices whose memory can be shared through DLPack: their DLPack type and number, and the conversion of addresses to device
//! pointers and buffers.

use super::abi::DLDevice;
use crate::device::{Cpu, CpuBuffer, Cuda, CudaBuffer, CudaPtr, Device, ForeignMemory, HostPtr, cuda};
use crate::dispatch;
use crate::element::{DType, Element};
use crate::error::Error;
use core::ptr::{NonNull, without_provenance_mut};

/// DLPack's device type for host memory.
const CPU: i32 = 1;
/// DLPack's device type for the memory of a CUDA device.
const CUDA: i32 = 2;
/// DLPack's device type for pinned host memory, which a CUDA device can access, too.
const PINNED: i32 = 3;

mod sealed {
    use crate::device::{Cpu, Cuda};
    pub trait Sealed {}
    impl Sealed for Cpu {}
    impl<const ORDINAL: usize> Sealed for Cuda<ORDINAL> {}
}

/// A device whose memory can be shared through DLPack: [`Cpu`] or a [`Cuda`]. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` memory cannot be exchanged through DLPack",
    label = "expected `Cpu` or `Cuda<N>`",
    note = "copy the tensor to the host first: `.to_device::<Cpu>()?`"
)]
pub trait SharedDevice: Device + Default + sealed::Sealed {
    /// DLPack's type and number of the device.
    #[doc(hidden)]
    const PLACE: DLDevice;
    #[doc(hidden)]
    fn get() -> &'static Self;
    /// Converts the address of an imported element to a device pointer.
    #[doc(hidden)]
    fn pointer<T: Element>(first: NonNull<T>) -> Self::Ptr<T>;
    /// Converts a device pointer to an address for export.
    #[doc(hidden)]
    fn address<T: Element>(ptr: Self::Ptr<T>) -> *mut T;
    /// Creates a buffer that drops `owner` to free the memory.
    ///
    /// # Safety
    /// * The device must be available.
    /// * `first` must be aligned, and followed by `len` initialised contiguous elements on this device.
    /// * Until `owner` is dropped, the elements must remain valid, and all access to them must go through the buffer.
    #[doc(hidden)]
    unsafe fn buffer<T: Element>(
        first: NonNull<T>,
        len: usize,
        owner: impl Send + Sync + 'static,
    ) -> Self::Buffer<T>;
}

/// Elements in host memory, and their owner. Dropping the owner frees the memory.
struct SharedOwner<T, W> {
    first: NonNull<T>,
    len: usize,
    _owner: W,
}

// SAFETY: elements are plain numbers, which any thread may access, and `SharedOwner` accesses them only through `&mut self`. `W` is `Send`.
unsafe impl<T: Element, W: Send> Send for SharedOwner<T, W> {}
// SAFETY: only `SharedDevice::buffer` creates a `SharedOwner`. The caller of `buffer` ensures that, until the owner is dropped, the
// elements remain valid and are accessed only through this `SharedOwner`.
unsafe impl<T: Element, W: Send + 'static> ForeignMemory<T> for SharedOwner<T, W> {
    fn elements(&mut self) -> &mut [T] {
        // SAFETY: the caller of `SharedDevice::buffer` ensured that `len` initialised, aligned elements follow `first`. They are
        // accessed only through `self`, which is borrowed mutably.
        unsafe { core::slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }
}

impl SharedDevice for Cpu {
    const PLACE: DLDevice = DLDevice { device_type: CPU, device_id: 0 };
    fn get() -> &'static Cpu {
        &Cpu
    }
    fn pointer<T: Element>(first: NonNull<T>) -> HostPtr<T> {
        HostPtr::new(first.as_ptr())
    }
    fn address<T: Element>(ptr: HostPtr<T>) -> *mut T {
        ptr.get()
    }
    unsafe fn buffer<T: Element>(
        first: NonNull<T>,
        len: usize,
        owner: impl Send + Sync + 'static,
    ) -> CpuBuffer<T> {
        CpuBuffer::from_foreign(SharedOwner { first, len, _owner: owner })
    }
}

impl<const ORDINAL: usize> SharedDevice for Cuda<ORDINAL> {
    const PLACE: DLDevice = DLDevice {
        device_type: CUDA,
        // No GPU has an ordinal that exceeds `i32`, so -1 stands for such an ordinal. No imported tensor has the device number -1, because
        // `check` rejects negative numbers.
        device_id: if ORDINAL <= i32::MAX as usize { ORDINAL as i32 } else { -1 },
    };
    fn get() -> &'static Self {
        const { &Cuda::UNCHECKED }
    }
    fn pointer<T: Element>(first: NonNull<T>) -> CudaPtr<T> {
        CudaPtr::new(first.addr().get() as u64)
    }
    fn address<T: Element>(ptr: CudaPtr<T>) -> *mut T {
        // The host never dereferences this pointer, so it needs no provenance.
        without_provenance_mut(ptr.address() as usize)
    }
    unsafe fn buffer<T: Element>(
        first: NonNull<T>,
        len: usize,
        owner: impl Send + Sync + 'static,
    ) -> CudaBuffer<T> {
        // SAFETY: the caller ensures the conditions of `Cuda::foreign`: the GPU is available, and `len` aligned elements follow
        // `first`. Until `owner` is dropped, the elements are valid and accessed only through the buffer.
        unsafe { Cuda::<ORDINAL>::foreign(Self::pointer(first), len, Box::new(owner)) }
    }
}

/// Returns the name of the device type, such as `Cpu` or `Cuda<0>`.
pub(super) fn name_of(device: DLDevice) -> String {
    match device.device_type {
        CUDA => Cuda::<0>::name_of(device.device_id as usize),
        _ => Cpu.name(),
    }
}

/// Returns whether `device` is `Dev`.
pub(super) fn is_on<Dev: SharedDevice>(device: DLDevice) -> bool {
    match device.device_type {
        CUDA => device == Dev::PLACE,
        // All host memory is memory of `Cpu`, whatever the `device_id`.
        _ => Dev::PLACE.device_type == CPU,
    }
}

/// Returns the required alignment of elements, in bytes. On the host, complex numbers have the alignment of their parts. On a GPU,
/// elements are loaded and stored as a whole, so their alignment is their size.
pub(super) fn alignment(device: DLDevice, dtype: DType) -> usize {
    match device.device_type {
        CUDA => dtype.size(),
        _ => dispatch!(dtype, T => align_of::<T>()),
    }
}

/// Waits until queued work that uses memory of the device is complete.
pub(super) fn finish(device: DLDevice) -> Result<(), Error> {
    match device.device_type {
        CUDA => cuda::finish(device.device_id as usize),
        _ => Ok(()),
    }
}

/// Checks that tensors of this crate can be in memory of `device`. Returns an error message if they cannot.
pub(super) fn check(device: DLDevice) -> Result<(), String> {
    let DLDevice { device_type, device_id } = device;
    let name = match device_type {
        CPU | PINNED => return Ok(()),
        CUDA => {
            let reason = match usize::try_from(device_id).map(cuda::find) {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(error)) => error.to_string(),
                Err(_) => "this is not a valid GPU number".into(),
            };
            return Err(format!("it is in CUDA memory (device type 2, number {device_id}), but {reason}"));
        }
        10 => "ROCm",
        13 => {
            return Err(format!(
                "it is in CUDA managed memory (device type 13, number {device_id}), which is not tied to one device: it is \
                 unknown which device's stream wrote it; copy it to the memory of one device or of the host"
            ));
        }
        _ => "another device's",
    };
    Err(format!(
        "it is in {name} memory (device type {device_type}, number {device_id}), but only host memory (type 1, or 3 if \
         pinned) and CUDA memory (type 2) can be imported; copy it to the host first"
    ))
}
