//! A host pointer that threads may share.

/// The address of an element in the host's memory.
///
/// It does not guarantee that the element is alive; an `Operand` or `Output` that holds it does.
#[derive(Debug)]
pub struct HostPtr<T>(*mut T);

impl<T> Clone for HostPtr<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for HostPtr<T> {}

// SAFETY: an address alone gives no access. Every dereference is an `unsafe` block, which has to show that the element is alive
// and is either accessed exclusively or only read. The elements themselves are `Send`.
unsafe impl<T: Send> Send for HostPtr<T> {}
// SAFETY: an address alone gives no access, as for `Send`. The elements themselves are `Sync`.
unsafe impl<T: Sync> Sync for HostPtr<T> {}

impl<T> HostPtr<T> {
    /// Wraps a raw pointer.
    pub fn new(ptr: *mut T) -> Self {
        HostPtr(ptr)
    }

    /// Returns the raw pointer.
    #[inline]
    pub fn get(self) -> *mut T {
        self.0
    }

    /// Returns the pointer moved by a number of elements. Does not access memory.
    #[inline]
    pub fn offset(self, elements: isize) -> Self {
        HostPtr(self.0.wrapping_offset(elements))
    }
}
