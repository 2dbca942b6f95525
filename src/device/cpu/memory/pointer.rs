//! A host pointer that threads may share.

/// The address of an element in the host's memory.
///
/// It says nothing of the element's life; an `Operand` or `Output` around it does.
#[derive(Debug)]
pub struct HostPtr<T>(*mut T);

impl<T> Clone for HostPtr<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for HostPtr<T> {}

// SAFETY: an address alone gives access to nothing; every dereference is an `unsafe` block of its own that proves the
// element alive and unshared (or shared for reading only). Elements are `Send + Sync`.
unsafe impl<T: Send> Send for HostPtr<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: Sync> Sync for HostPtr<T> {}

impl<T> HostPtr<T> {
    /// From a raw pointer.
    pub fn new(ptr: *mut T) -> Self {
        HostPtr(ptr)
    }

    /// The raw pointer.
    #[inline]
    pub fn get(self) -> *mut T {
        self.0
    }

    /// Moved by a number of elements. Nothing is read.
    #[inline]
    pub fn offset(self, elements: isize) -> Self {
        HostPtr(self.0.wrapping_offset(elements))
    }
}
