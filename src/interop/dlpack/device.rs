//! The devices whose memory passes: how DLPack says where they are, and how an address becomes a pointer or memory of theirs.

use super::abi::DLDevice;
use crate::device::{Cpu, CpuBuffer, Cuda, CudaBuffer, CudaPtr, Device, ForeignMemory, HostPtr, cuda};
use crate::dispatch;
use crate::element::{DType, Element};
use crate::error::Error;
use core::ptr::{NonNull, without_provenance_mut};

/// The host's memory.
const CPU: i32 = 1;
/// That of a CUDA device.
const CUDA: i32 = 2;
/// The host's, which a CUDA device reaches, too.
const PINNED: i32 = 3;

mod sealed {
    use crate::device::{Cpu, Cuda};
    pub trait Sealed {}
    impl Sealed for Cpu {}
    impl<const ORDINAL: usize> Sealed for Cuda<ORDINAL> {}
}

/// A device whose memory passes from one library to another: [`Cpu`] or a [`Cuda`]. Sealed.
#[diagnostic::on_unimplemented(
    message = "memory of `{Self}` does not pass through DLPack",
    label = "neither `Cpu` nor a `Cuda`",
    note = "copy the tensor to the host first: `.to_device::<Cpu>()?`"
)]
pub trait SharedDevice: Device + Default + sealed::Sealed {
    /// As DLPack says it.
    #[doc(hidden)]
    const PLACE: DLDevice;
    #[doc(hidden)]
    fn get() -> &'static Self;
    /// Where an element from outside lies.
    #[doc(hidden)]
    fn pointer<T: Element>(first: NonNull<T>) -> Self::Ptr<T>;
    /// Where an element of a buffer lies, for others.
    #[doc(hidden)]
    fn address<T: Element>(ptr: Self::Ptr<T>) -> *mut T;
    /// Memory that is freed by dropping its owner.
    ///
    /// # Safety
    /// The device is there. `len` elements lie side by side at `first`, on this device, aligned; until the owner is dropped they
    /// stay there, and nobody else reads or writes them.
    #[doc(hidden)]
    unsafe fn buffer<T: Element>(
        first: NonNull<T>,
        len: usize,
        owner: impl Send + Sync + 'static,
    ) -> Self::Buffer<T>;
}

/// Elements of the host's, and who frees them.
struct Held<T, W> {
    first: NonNull<T>,
    len: usize,
    _owner: W,
}

// SAFETY: elements are numbers, and an address alone gives access to nothing.
unsafe impl<T: Element, W: Send> Send for Held<T, W> {}
// SAFETY: whoever made it says that the elements stay there, and are used by nobody else, until the owner is dropped.
unsafe impl<T: Element, W: Send + 'static> ForeignMemory<T> for Held<T, W> {
    fn elements(&mut self) -> &mut [T] {
        // SAFETY: as above; they are borrowed mutably with `self`.
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
        CpuBuffer::from_foreign(Held { first, len, _owner: owner })
    }
}

impl<const ORDINAL: usize> SharedDevice for Cuda<ORDINAL> {
    const PLACE: DLDevice = DLDevice {
        device_type: CUDA,
        // There are not as many GPUs as this cannot say.
        device_id: if ORDINAL <= i32::MAX as usize { ORDINAL as i32 } else { -1 },
    };
    fn get() -> &'static Self {
        const { &Cuda::UNCHECKED }
    }
    fn pointer<T: Element>(first: NonNull<T>) -> CudaPtr<T> {
        CudaPtr::new(first.addr().get() as u64)
    }
    fn address<T: Element>(ptr: CudaPtr<T>) -> *mut T {
        // Nobody on the host looks behind it.
        without_provenance_mut(ptr.address() as usize)
    }
    unsafe fn buffer<T: Element>(
        first: NonNull<T>,
        len: usize,
        owner: impl Send + Sync + 'static,
    ) -> CudaBuffer<T> {
        // SAFETY: the caller's.
        unsafe { Cuda::<ORDINAL>::foreign(Self::pointer(first), len, Box::new(owner)) }
    }
}

/// The device's name.
pub(super) fn name_of(device: DLDevice) -> String {
    match device.device_type {
        CUDA => Cuda::<0>::name_of(device.device_id as usize),
        _ => Cpu.name(),
    }
}

/// Whether memory is that of a device.
pub(super) fn is_on<Dev: SharedDevice>(device: DLDevice) -> bool {
    match device.device_type {
        CUDA => device == Dev::PLACE,
        // Of the host's memory, there is no more than one.
        _ => Dev::PLACE.device_type == CPU,
    }
}

/// What addresses of elements are multiples of, in bytes. The host has complex numbers aligned as their parts; a GPU loads and
/// stores them whole.
pub(super) fn alignment(device: DLDevice, dtype: DType) -> usize {
    match device.device_type {
        CUDA => dtype.size(),
        _ => dispatch!(dtype, T => align_of::<T>()),
    }
}

/// Waits until work that uses memory of a device is done.
pub(super) fn finish(device: DLDevice) -> Result<(), Error> {
    match device.device_type {
        CUDA => cuda::finish(device.device_id as usize),
        _ => Ok(()),
    }
}

/// That memory is somewhere that a tensor of this crate can be.
pub(super) fn check(device: DLDevice) -> Result<(), String> {
    let DLDevice { device_type, device_id } = device;
    let name = match device_type {
        CPU | PINNED => return Ok(()),
        CUDA => {
            let why = match usize::try_from(device_id).map(cuda::find) {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(error)) => error.to_string(),
                Err(_) => "no GPU has such a number".into(),
            };
            return Err(format!("it is in CUDA memory (device type 2, number {device_id}), but {why}"));
        }
        10 => "ROCm",
        13 => {
            return Err(format!(
                "it is in CUDA managed memory (device type 13, number {device_id}), which belongs to no one device: nothing says \
                 whose stream has written it; copy it into memory of one device, or of the host"
            ));
        }
        _ => "another device's",
    };
    Err(format!(
        "it is in {name} memory (device type {device_type}, number {device_id}), and only the host's (type 1, or 3 where it is \
         pinned) and that of CUDA devices (type 2) can be imported; copy it to the host first"
    ))
}
