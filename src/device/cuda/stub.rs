//! Stubs for builds without the `cuda` feature. `context` and `count` return an error. The types are empty enums, so
//! every function with an argument of such a type compiles, but can never be called.

use super::Cuda;
use crate::device::{Operand, Output};
use crate::element::Element;
use crate::error::Error;

/// A type without values.
#[derive(Debug)]
pub(in crate::device) enum Context {}

/// A type without values.
#[derive(Debug)]
pub(super) enum Memory {}

/// A type without values.
#[derive(Debug)]
pub(super) enum Pinned {}

impl Pinned {
    pub(super) fn new(context: &'static Context, _: usize) -> Result<Pinned, Error> {
        match *context {}
    }
    pub(super) fn start(&self) -> core::ptr::NonNull<core::ffi::c_void> {
        match *self {}
    }
}

pub(in crate::device) fn context(ordinal: usize) -> Result<&'static Context, Error> {
    Err(Error::DeviceUnavailable {
        device: name_of(ordinal),
        reason:
            "this build of vierbein does not support CUDA; enable the feature `cuda`, or compute on `Cpu`"
                .into(),
    })
}

pub(super) fn count() -> Result<usize, Error> {
    context(0).map(|_| 1)
}

pub(super) fn name_of(ordinal: usize) -> String {
    format!("Cuda<{ordinal}>")
}

impl Memory {
    pub(super) fn foreign(context: &'static Context, _: u64, _: usize, _: Box<dyn Send + Sync>) -> Memory {
        match *context {}
    }
    pub(super) fn address(&self) -> u64 {
        match *self {}
    }
}

impl Context {
    pub(super) fn alloc(&'static self, _: usize) -> Result<Memory, Error> {
        match *self {}
    }
    pub(super) fn synchronize(&self) -> Result<(), Error> {
        match *self {}
    }
    pub(super) fn trim(&self) -> Result<(), Error> {
        match *self {}
    }
    pub(super) fn memory(&self) -> Result<(usize, usize), Error> {
        match *self {}
    }
    /// # Safety
    /// No conditions: the function cannot be called, as `Context` has no values.
    pub(super) unsafe fn zero(&self, _: u64, _: usize) -> Result<(), Error> {
        match *self {}
    }
    /// # Safety
    /// No conditions: the function cannot be called, as `Context` has no values.
    pub(super) unsafe fn copy(&self, _: u64, _: u64, _: usize) -> Result<(), Error> {
        match *self {}
    }
}

/// # Safety
/// No conditions: the function cannot be called, as `Context` has no values.
pub(super) unsafe fn read<T: Element>(context: &Context, _: u64, _: &mut [T]) -> Result<(), Error> {
    match *context {}
}
/// # Safety
/// No conditions: the function cannot be called, as `Context` has no values.
pub(super) unsafe fn write<T: Element>(context: &Context, _: &[T], _: u64) -> Result<(), Error> {
    match *context {}
}

pub(super) fn gather<T: Element, const N: usize>(
    context: &Context,
    _: Operand<'_, T, Cuda<N>>,
) -> Result<Vec<T>, Error> {
    match *context {}
}
pub(super) fn compact<T: Element, const N: usize>(
    context: &Context,
    _: Operand<'_, T, Cuda<N>>,
) -> Result<Memory, Error> {
    match *context {}
}
pub(super) fn put<T: Element, const N: usize>(
    context: &Context,
    _: T,
    _: Output<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    match *context {}
}
