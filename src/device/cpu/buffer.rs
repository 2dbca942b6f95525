//! Memory on the host.

use super::{Cpu, Device};
use crate::element::Element;
use crate::error::Error;
use core::fmt;
use std::alloc::{Layout, alloc_zeroed};

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
        let overflow = || Error::Overflow { shape: vec![len], element_bytes: size_of::<T>() };
        let layout = Layout::array::<T>(len).map_err(|_| overflow())?;
        if layout.size() == 0 {
            return Ok(CpuBuffer(Vec::new()));
        }
        // SAFETY: the layout's size is not zero.
        let memory = unsafe { alloc_zeroed(layout) }.cast::<T>();
        if memory.is_null() {
            return Err(Error::OutOfMemory { device: Cpu.name(), bytes: layout.size() });
        }
        // SAFETY: `memory` comes from the global allocator with the layout of `len` elements of `T`, and all bytes zero is
        // a valid `T`: `Element` is sealed, and says so.
        Ok(CpuBuffer(unsafe { Vec::from_raw_parts(memory, len, len) }))
    }
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
