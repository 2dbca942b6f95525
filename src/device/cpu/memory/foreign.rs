//! Memory that other libraries made, and free.

/// Elements in somebody else's memory, which becomes a tensor's without a copy: see
/// [`Tensor::from_buffer`](crate::Tensor::from_buffer).
///
/// Dropping the value frees the memory; a tensor does so once, at its own end. That may be on any thread.
///
/// ```
/// use std::alloc::{Layout, alloc_zeroed, dealloc};
/// use std::slice;
/// use vierbein::Tensor;
/// use vierbein::device::ForeignMemory;
///
/// /// Memory that begins at a page.
/// struct Page { data: *mut f64 }
///
/// impl Page {
///     fn layout() -> Layout { Layout::from_size_align(4096, 4096).unwrap() }
///
///     fn new() -> Page {
///         // SAFETY: it is some bytes long.
///         let data = unsafe { alloc_zeroed(Page::layout()) };
///         assert!(!data.is_null());
///         Page { data: data.cast() }
///     }
/// }
/// impl Drop for Page {
///     fn drop(&mut self) {
///         // SAFETY: it was allocated like this.
///         unsafe { dealloc(self.data.cast(), Page::layout()) }
///     }
/// }
/// // SAFETY: any thread may free it.
/// unsafe impl Send for Page {}
/// // SAFETY: the page stays where it is until it is freed, and nobody else knows it.
/// unsafe impl ForeignMemory<f64> for Page {
///     fn elements(&mut self) -> &mut [f64] {
///         // SAFETY: a page has room for so many, and zeros are numbers.
///         unsafe { slice::from_raw_parts_mut(self.data, 512) }
///     }
/// }
///
/// let page = Page::new();
/// let address = page.data.cast_const();
/// let mut x = Tensor::<f64, _>::from_buffer([2, 256], page);
/// x[[1, 0]] = 7.0;
/// assert_eq!(x.sum().item(), 7.0);
/// assert_eq!(x.as_ptr(), address);
/// ```
///
/// Memory that is shared, such as an `Arc<[T]>`, cannot be a tensor's, which may be written to; a view of it can be made:
///
/// ```compile_fail,E0277
/// use std::sync::Arc;
/// let shared: Arc<[f64]> = Arc::from([1.0, 2.0]);
/// let x = vierbein::Tensor::<f64, _>::from_buffer([2], shared);
/// ```
///
/// # Safety
/// The slice that [`elements`](ForeignMemory::elements) gives stays alive, where it is and as long as it is, until the owner is
/// dropped, although the borrow ends; until then nothing else reads or writes it, the owner itself included, not even while
/// another thread uses the tensor. The owner may be asked several times, and moved in between; each time it gives as many elements.
/// After the last time it is not moved, until it is dropped; or it is given back to whoever offered it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not own elements `{T}` that a tensor could take over",
    label = "not memory that is its owner's alone",
    note = "`Vec<{T}>`, `Box<[{T}]>` and `&'static mut [{T}]` are; for others, implement `ForeignMemory<{T}>`",
    note = "memory that is shared can be viewed: `TensorView::from_slice_strided(..)`, or copied: `Tensor::from_slice(..)`"
)]
pub unsafe trait ForeignMemory<T>: Send + 'static {
    /// The elements.
    fn elements(&mut self) -> &mut [T];
}

// SAFETY: the elements of a `Vec` are its own, and stay where they are while nobody touches it.
#[diagnostic::do_not_recommend]
unsafe impl<T: Send + 'static> ForeignMemory<T> for Vec<T> {
    fn elements(&mut self) -> &mut [T] {
        self
    }
}

// SAFETY: as for a `Vec`.
#[diagnostic::do_not_recommend]
unsafe impl<T: Send + 'static> ForeignMemory<T> for Box<[T]> {
    fn elements(&mut self) -> &mut [T] {
        self
    }
}

// SAFETY: as for a `Vec`.
#[diagnostic::do_not_recommend]
unsafe impl<T: Send + 'static, const N: usize> ForeignMemory<T> for Box<[T; N]> {
    fn elements(&mut self) -> &mut [T] {
        &mut **self
    }
}

// SAFETY: the elements are borrowed for ever, by the owner of this reference alone.
#[diagnostic::do_not_recommend]
unsafe impl<T: Send + 'static> ForeignMemory<T> for &'static mut [T] {
    fn elements(&mut self) -> &mut [T] {
        self
    }
}
