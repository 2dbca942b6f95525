//! Memory on the host.

use super::{Cpu, Device};
use crate::element::{DType, Element};
use crate::error::Error;
use core::fmt;
use std::alloc::{Layout, alloc, alloc_zeroed};

/// Elements in the host's memory; a `Vec` in all but name, so that `from_vec` and `into_vec` copy nothing.
pub struct CpuBuffer<T>(Vec<T>);

impl<T> fmt::Debug for CpuBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuBuffer({} elements)", self.0.len())
    }
}

impl<T: Element> CpuBuffer<T> {
    /// Zeroed memory, which large allocations get from the system without touching it.
    pub(crate) fn zeroed(len: usize) -> Result<Self, Error> {
        // SAFETY: `allocate` calls it with a layout that is not empty.
        CpuBuffer::allocate(len, |layout| unsafe { alloc_zeroed(layout) })
    }

    /// Memory for a result: some values, whatever was there. To zero what will be overwritten costs a pass over memory.
    pub(crate) fn any(len: usize) -> Result<Self, Error> {
        // Not every byte is a `bool`.
        if T::DTYPE == DType::Bool || !CAN_SETTLE {
            return CpuBuffer::zeroed(len);
        }
        CpuBuffer::allocate(len, |layout| {
            // SAFETY: `allocate` calls it with a layout that is not empty.
            let memory = unsafe { alloc(layout) };
            settle(memory);
            memory
        })
    }

    /// `allocate` is called with a layout that is not empty. What it returns is null, or memory of that layout from the global
    /// allocator, each byte of which has a value.
    fn allocate(len: usize, allocate: impl Fn(Layout) -> *mut u8) -> Result<Self, Error> {
        let overflow = || Error::Overflow { shape: vec![len], element_bytes: size_of::<T>() };
        let layout = Layout::array::<T>(len).map_err(|_| overflow())?;
        if layout.size() == 0 {
            return Ok(CpuBuffer(Vec::new()));
        }
        let memory = allocate(layout).cast::<T>();
        if memory.is_null() {
            return Err(Error::OutOfMemory { device: Cpu.name(), bytes: layout.size() });
        }
        // SAFETY: `memory` comes from the global allocator with the layout of `len` elements of `T`. All bytes zero is a valid
        // `T`: `Element` is sealed, and says so. Any bytes at all are valid numbers, and `any` hands out no others.
        Ok(CpuBuffer(unsafe { Vec::from_raw_parts(memory, len, len) }))
    }
}

/// Whether this machine's compiler can be told that memory has some value.
const CAN_SETTLE: bool = cfg!(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")));

/// Fresh memory holds whatever it holds, but to the compiler it has no value yet, and to read it would be undefined. An empty
/// piece of assembly that is given the address may have written there, as far as the compiler knows: from here on each byte has
/// some value.
#[inline]
fn settle(memory: *mut u8) {
    #[cfg(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
    // SAFETY: no instruction is executed.
    unsafe {
        core::arch::asm!("/* {0} */", in(reg) memory, options(nostack, preserves_flags));
    }
    #[cfg(not(all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = memory;
}

impl<T> CpuBuffer<T> {
    pub(crate) fn from_vec(data: Vec<T>) -> Self {
        CpuBuffer(data)
    }
    pub(crate) fn into_vec(self) -> Vec<T> {
        self.0
    }
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.0
    }
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.0
    }
}
