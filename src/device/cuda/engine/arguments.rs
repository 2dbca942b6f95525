//! The arguments of a kernel: values that the driver copies when the kernel is queued.

use std::ffi::c_void;
use std::marker::PhantomData;

/// Largest number of kernel arguments.
const MAX_ARGUMENTS: usize = 16;

/// Pointers to the arguments of a kernel, which stay borrowed until it is queued.
#[derive(Debug)]
pub(super) struct Arguments<'a> {
    pointers: [*mut c_void; MAX_ARGUMENTS],
    count: usize,
    borrowed: PhantomData<&'a ()>,
}

/// What may be handed to a kernel by value.
///
/// # Safety
/// The type is laid out as C does it, and as the kernel declares it.
pub(super) unsafe trait Argument {}

// SAFETY: the same in C.
unsafe impl Argument for u32 {}
// SAFETY: the same in C; an address is a pointer to the kernel.
unsafe impl Argument for u64 {}
// SAFETY: the same in C.
unsafe impl Argument for i64 {}

impl<'a> Arguments<'a> {
    pub(super) fn new() -> Self {
        Arguments { pointers: [std::ptr::null_mut(); MAX_ARGUMENTS], count: 0, borrowed: PhantomData }
    }

    pub(super) fn with<T: Argument>(mut self, value: &'a T) -> Self {
        self.push((&raw const *value).cast());
        self
    }

    /// A structure as bytes, aligned to 16: the scalars of an operation.
    pub(super) fn with_bytes(mut self, bytes: &'a super::program::Packed) -> Self {
        self.push((&raw const *bytes).cast());
        self
    }

    fn push(&mut self, pointer: *const c_void) {
        self.pointers[self.count] = pointer.cast_mut();
        self.count += 1;
    }

    pub(super) fn pointers(&mut self) -> &mut [*mut c_void] {
        &mut self.pointers[..self.count]
    }
}
