//! [`ForeignMemory`]: memory that other libraries allocate and free.

/// Elements in memory of another library. [`Tensor::from_buffer`](crate::Tensor::from_buffer) takes ownership of them without a
/// copy.
///
/// Dropping a value of this type frees the memory. A tensor owns the value and drops it on the thread on which the tensor itself is
/// dropped, which may be any thread.
///
/// ```
/// use std::alloc::{Layout, alloc_zeroed, dealloc};
/// use std::slice;
/// use vierbein::Tensor;
/// use vierbein::device::ForeignMemory;
///
/// /// Memory that begins at a page boundary.
/// struct Page { data: *mut f64 }
///
/// impl Page {
///     fn layout() -> Layout { Layout::from_size_align(4096, 4096).unwrap() }
///
///     fn new() -> Page {
///         // SAFETY: the layout's size is not zero.
///         let data = unsafe { alloc_zeroed(Page::layout()) };
///         assert!(!data.is_null());
///         Page { data: data.cast() }
///     }
/// }
/// impl Drop for Page {
///     fn drop(&mut self) {
///         // SAFETY: `new` allocated it with this layout.
///         unsafe { dealloc(self.data.cast(), Page::layout()) }
///     }
/// }
/// // SAFETY: any thread may free the memory, and no other code has its address.
/// unsafe impl Send for Page {}
/// // SAFETY: the page does not move until `drop` frees it, and no other code accesses it.
/// unsafe impl ForeignMemory<f64> for Page {
///     fn elements(&mut self) -> &mut [f64] {
///         // SAFETY: a page has 4096 bytes, which are 512 numbers; all of them were initialised to zero.
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
/// A tensor cannot own shared memory, such as an `Arc<[T]>`, because a tensor may be written to. So this does not compile; create a
/// view of the shared memory instead:
///
/// ```compile_fail,E0277
/// use std::sync::Arc;
/// let shared: Arc<[f64]> = Arc::from([1.0, 2.0]);
/// let x = vierbein::Tensor::<f64, _>::from_buffer([2], shared);
/// ```
///
/// # Safety
/// The implementation must ensure:
/// * The slice that [`elements`](ForeignMemory::elements) returns stays valid until the owner is dropped, although the borrow
///   ends. Its address and length do not change.
/// * Until the owner is dropped, the elements are accessed only through this slice. The owner itself does not access them either,
///   even while another thread uses the tensor.
/// * `elements` may be called several times, and the owner may be moved between calls. Each call returns the same number of
///   elements.
///
/// This crate guarantees that it does not move the owner after the last call of `elements`. It then either drops the owner, or returns
/// it to the caller that passed it in.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the buffer of a tensor of `{T}`",
    label = "expected exclusively owned memory",
    note = "`Vec<{T}>`, `Box<[{T}]>` and `&'static mut [{T}]` are supported; for other types, implement `ForeignMemory<{T}>`",
    note = "shared memory can be viewed with `TensorView::from_slice_strided(..)` or copied with `Tensor::from_slice(..)`"
)]
pub unsafe trait ForeignMemory<T>: Send + 'static {
    /// Returns the elements.
    fn elements(&mut self) -> &mut [T];
}

// SAFETY: a `Vec` owns its elements. Until one of its methods is called, they do not move, and the `Vec` does not access them.
#[diagnostic::do_not_recommend]
unsafe impl<T: Send + 'static> ForeignMemory<T> for Vec<T> {
    fn elements(&mut self) -> &mut [T] {
        self
    }
}

// SAFETY: a `Box` owns its elements. They do not move with the `Box`, and it does not access them by itself.
#[diagnostic::do_not_recommend]
unsafe impl<T: Send + 'static> ForeignMemory<T> for Box<[T]> {
    fn elements(&mut self) -> &mut [T] {
        self
    }
}

// SAFETY: a `Box` owns its elements. They do not move with the `Box`, and it does not access them by itself.
#[diagnostic::do_not_recommend]
unsafe impl<T: Send + 'static, const N: usize> ForeignMemory<T> for Box<[T; N]> {
    fn elements(&mut self) -> &mut [T] {
        &mut **self
    }
}

// SAFETY: the elements are borrowed for `'static`, exclusively by this reference, so they stay valid and nothing else accesses
// them.
#[diagnostic::do_not_recommend]
unsafe impl<T: Send + 'static> ForeignMemory<T> for &'static mut [T] {
    fn elements(&mut self) -> &mut [T] {
        self
    }
}
