//! A word on the device that a kernel raises where something has no value.

use super::context::{Context, Memory};
use crate::error::Error;
use std::mem::MaybeUninit;

#[derive(Debug)]
pub(super) struct Flag(Memory);

impl Flag {
    /// Not raised.
    pub(super) fn new(context: &'static Context) -> Result<Flag, Error> {
        let memory = context.alloc(size_of::<u32>())?;
        // SAFETY: the memory is ours and has as many bytes.
        unsafe { context.zero(memory.address(), memory.bytes())? };
        Ok(Flag(memory))
    }

    pub(super) fn address(&self) -> u64 {
        self.0.address()
    }

    /// Waits for the kernels that may raise it.
    pub(super) fn raised(&self) -> Result<bool, Error> {
        let mut word = [MaybeUninit::new(0u8); size_of::<u32>()];
        // SAFETY: the memory has as many bytes.
        unsafe { self.0.context().read(self.0.address(), &mut word)? };
        // SAFETY: all of them had a value before.
        Ok(word.iter().any(|byte| unsafe { byte.assume_init() } != 0))
    }
}
