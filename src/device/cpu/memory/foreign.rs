//! [`ForeignMemory`]: the trait for memory that another library allocates and frees, and that a tensor can own.

/// Elements in memory of another library. [`Tensor::from_buffer`](crate::Tensor::from_buffer) takes ownership of a value of this
/// type, and does not copy its elements.
///
/// Dropping the value frees the memory. A tensor drops the value when the tensor itself is dropped. Any thread may drop the tensor,
/// and the value is dropped on the same thread.
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
///         // SAFETY: `new` allocated the memory with this layout.
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
/// A tensor cannot own shared memory, such as an `Arc<[T]>`, because a tensor may write to its elements. So the following code
/// does not compile. Create a view of the shared memory instead:
///
/// ```compile_fail,E0277
/// use std::sync::Arc;
/// let shared: Arc<[f64]> = Arc::from([1.0, 2.0]);
/// let x = vierbein::Tensor::<f64, _>::from_buffer([2], shared);
/// ```
///
/// # Safety
/// The implementation must ensure:
/// * The slice that [`elements`](ForeignMemory::elements) returns stays valid until the value is dropped, although its borrow
///   ends earlier. The address and the length of the slice do not change.
/// * Until the value is dropped, nothing accesses the elements except through this slice. The value itself does not access them
///   either, because another thread may be using the tensor.
/// * `elements` may be called several times, and the value may be moved between the calls. Each call returns the same number of
///   elements.
///
/// This crate guarantees that it does not move the value after the last call of `elements`. Afterwards it either drops the value,
/// or returns it to the caller that passed it in.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the buffer of a tensor of `{T}`",
    label = "expected exclusively owned memory",
    note = "`Vec<{T}>`, `Box<[{T}]>` and `&'static mut [{T}]` are supported; for other types, implement `ForeignMemory<{T}>`",
    note = "shared memory can be viewed with `TensorView::from_slice_strided(..)` or copied with `Tensor::from_slice(..)`"
)]
pub unsafe trait ForeignMemory<T>: Send + 'static {
    /// Returns all elements that the memory holds.
    fn elements(&mut self) -> &mut [T];
}

// SAFETY: a `Vec` owns its elements, which are on the heap and do not move with the `Vec`. The `Vec` accesses or moves them only
// in its methods, and none is called until it is dropped.
#[diagnostic::do_not_recommend]
unsafe impl<T: Send + 'static> ForeignMemory<T> for Vec<T> {
    fn elements(&mut self) -> &mut [T] {
        self
    }
}

// SAFETY: a `Box` owns its elements, which are on the heap and do not move with the `Box`. The `Box` does not access them by
// itself.
#[diagnostic::do_not_recommend]
unsafe impl<T: Send + 'static> ForeignMemory<T> for Box<[T]> {
    fn elements(&mut self) -> &mut [T] {
        self
    }
}

// SAFETY: a `Box` owns its elements, which are on the heap and do not move with the `Box`. The `Box` does not access them by
// itself.
#[diagnostic::do_not_recommend]
unsafe impl<T: Send + 'static, const N: usize> ForeignMemory<T> for Box<[T; N]> {
    fn elements(&mut self) -> &mut [T] {
        &mut **self
    }
}

// SAFETY: this reference borrows the elements exclusively, for `'static`. So they stay valid, and nothing else accesses them.
#[diagnostic::do_not_recommend]
unsafe impl<T: Send + 'static> ForeignMemory<T> for &'static mut [T] {
    fn elements(&mut self) -> &mut [T] {
        self
    }
}
