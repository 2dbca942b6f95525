//! [`HostPtr`]: a pointer to host memory that can be sent to other threads.

/// The address of an element in host memory.
///
/// The pointer itself does not guarantee that the element is alive. An `Operand` or `Output` that contains the pointer guarantees
/// this.
#[derive(Debug)]
pub struct HostPtr<T>(*mut T);

impl<T> Clone for HostPtr<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for HostPtr<T> {}

// SAFETY: a pointer alone gives no access. Each dereference is in an `unsafe` block, which must show that the element is alive,
// and that access to it is exclusive or read-only. The elements themselves are `Send`.
unsafe impl<T: Send> Send for HostPtr<T> {}
// SAFETY: as for `Send`, a pointer alone gives no access. The elements themselves are `Sync`.
unsafe impl<T: Sync> Sync for HostPtr<T> {}

impl<T> HostPtr<T> {
    /// Wraps a raw pointer.
    #[must_use]
    pub fn new(ptr: *mut T) -> Self {
        HostPtr(ptr)
    }

    /// Returns the raw pointer.
    #[inline]
    #[must_use]
    pub fn get(self) -> *mut T {
        self.0
    }

    /// Returns the pointer advanced by a number of elements, which may be negative. Does not access memory.
    #[inline]
    #[must_use]
    pub fn offset(self, elements: isize) -> Self {
        HostPtr(self.0.wrapping_offset(elements))
    }
}
