//! The arguments of a kernel. The driver copies their values when the kernel is queued.

use std::ffi::c_void;
use std::marker::PhantomData;

/// Largest number of kernel arguments.
const MAX_ARGUMENTS: usize = 16;

/// Pointers to the arguments of a kernel. The arguments stay borrowed until the kernel is queued.
#[derive(Debug)]
pub(in crate::device::cuda::runtime) struct KernelArguments<'a> {
    pointers: [*mut c_void; MAX_ARGUMENTS],
    count: usize,
    borrowed: PhantomData<&'a ()>,
}

/// A type that may be passed to a kernel by value.
///
/// # Safety
/// The type must have the layout that C defines for the type of the parameter in the kernel's declaration.
pub(in crate::device::cuda::runtime) unsafe trait Argument {}

// SAFETY: kernels declare the parameter as `u32`, a type with the same layout in CUDA C++.
unsafe impl Argument for u32 {}
// SAFETY: kernels declare the parameter as `u64` or, for an address, as a pointer, which has 64 bits. Both have the
// same layout in CUDA C++.
unsafe impl Argument for u64 {}
// SAFETY: kernels declare the parameter as `i64`, a type with the same layout in CUDA C++.
unsafe impl Argument for i64 {}

impl<'a> KernelArguments<'a> {
    pub(in crate::device::cuda::runtime) fn new() -> Self {
        KernelArguments { pointers: [std::ptr::null_mut(); MAX_ARGUMENTS], count: 0, borrowed: PhantomData }
    }

    pub(in crate::device::cuda::runtime) fn with<T: Argument>(mut self, value: &'a T) -> Self {
        self.push((&raw const *value).cast());
        self
    }

    /// Adds one argument that holds all scalars of an operation: the bytes of a structure with an alignment of at most 16.
    pub(in crate::device::cuda::runtime) fn with_bytes(mut self, bytes: &'a super::program::Packed) -> Self {
        self.push((&raw const *bytes).cast());
        self
    }

    fn push(&mut self, pointer: *const c_void) {
        self.pointers[self.count] = pointer.cast_mut();
        self.count += 1;
    }

    pub(in crate::device::cuda::runtime) fn pointers(&mut self) -> &mut [*mut c_void] {
        &mut self.pointers[..self.count]
    }
}
