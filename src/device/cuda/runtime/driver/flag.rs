//! A 32-bit word on the device, which a kernel sets to 1 if a result is undefined.

use super::context::{Context, Memory};
use crate::error::Error;
use std::mem::MaybeUninit;

#[derive(Debug)]
pub(in crate::device::cuda::runtime) struct Flag(Memory);

impl Flag {
    /// Allocates a flag that is not raised: its word is 0.
    pub(in crate::device::cuda::runtime) fn new(context: &'static Context) -> Result<Flag, Error> {
        let memory = context.alloc(size_of::<u32>())?;
        // SAFETY: `memory` was just allocated and has `memory.bytes()` bytes. Nothing else has its address, so nothing else accesses
        // it.
        unsafe { context.zero(memory.address(), memory.bytes())? };
        Ok(Flag(memory))
    }

    pub(in crate::device::cuda::runtime) fn address(&self) -> u64 {
        self.0.address()
    }

    /// Waits for the kernels that may raise the flag. Returns whether one of them raised it.
    pub(in crate::device::cuda::runtime) fn raised(&self) -> Result<bool, Error> {
        let mut word = [MaybeUninit::new(0u8); size_of::<u32>()];
        // SAFETY: `self.0` owns `size_of::<u32>()` bytes of live memory at this address. `word` has the same size.
        unsafe { self.0.context().read(self.0.address(), &mut word)? };
        // SAFETY: `word` was initialised with zeros.
        Ok(word.iter().any(|byte| unsafe { byte.assume_init() } != 0))
    }
}
