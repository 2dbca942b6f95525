//! Export of tensors to DLPack: moves a tensor's buffer into an allocation that begins with the C structure.

use super::abi::{DLDataType, DLManagedTensorVersioned, DLTensor, Managed};
use super::device::SharedDevice;
use super::import::{Dlpack, Extents};
use crate::element::Element;
use crate::order::Order;
use crate::rank::Dim;
use crate::tensor::Tensor;
use core::ptr::{NonNull, null_mut};

/// An exported tensor: the C structure, the arrays that it points to, and the buffer, in one allocation.
struct Exported<T: Element, Dev: SharedDevice, M> {
    managed: M,
    shape: Box<[i64]>,
    strides: Box<[i64]>,
    /// The elements. The field is never read; dropping it frees the elements.
    _buffer: Dev::Buffer<T>,
}

/// Frees an exported tensor: the deleter of the structures that [`exported`] creates.
///
/// # Safety
/// `this` must be the structure of an `Exported<T, Dev, M>` that `exported` returned. It must not be used afterwards.
unsafe extern "C" fn delete<T: Element, Dev: SharedDevice, M: Managed>(this: *mut M) {
    // SAFETY: the caller ensures that `this` is the structure of an `Exported`. Only this function drops an `Exported`, so the structure is
    // still valid.
    let context = unsafe { &*this }.context();
    // SAFETY: `exported` has set the context to the address that `Box::into_raw` returned. The caller ensures that the structure is
    // not used after this call, so the box is created once.
    drop(unsafe { Box::from_raw(context.cast::<Exported<T, Dev, M>>()) });
}

/// Exports a buffer. `layout` must be contiguous in one of the memory orders.
pub(super) fn exported<T: Element, Dev: SharedDevice, M: Managed>(
    mut buffer: Dev::Buffer<T>,
    layout: Extents,
) -> Dlpack<M> {
    let empty = Dev::len(&buffer) == 0;
    // `first` is derived from the same borrow as `data`: a second mutable borrow would invalidate `data`.
    let data = if empty { null_mut() } else { Dev::address(Dev::ptr_mut(&mut buffer)) };
    let first = NonNull::new(data).unwrap_or(NonNull::dangling());
    let axes = layout.axes();
    // Extents and strides fit in `isize`, so they also fit in `i64`.
    let shape: Box<[i64]> = axes.shape().iter().map(|&n| n as i64).collect();
    let strides: Box<[i64]> = axes.strides().iter().map(|&stride| stride as i64).collect();
    let tensor = DLTensor {
        data: data.cast(),
        device: Dev::PLACE,
        ndim: axes.rank() as i32,
        dtype: DLDataType::of(T::DTYPE),
        shape: null_mut(),
        strides: null_mut(),
        byte_offset: 0,
    };
    let managed = M::assemble(tensor, null_mut(), delete::<T, Dev, M>);
    let this = Box::into_raw(Box::new(Exported::<T, Dev, M> { managed, shape, strides, _buffer: buffer }));
    // SAFETY: `this` was just returned by `Box::into_raw`, and there is no other reference. The allocation does not move, so the
    // structure may store its own address and those of its arrays.
    let exported = unsafe { &mut *this };
    let (shape, strides) = (exported.shape.as_mut_ptr(), exported.strides.as_mut_ptr());
    let tensor = DLTensor { shape, strides, ..tensor };
    exported.managed = M::assemble(tensor, this.cast(), delete::<T, Dev, M>);
    Dlpack::new(NonNull::from(&mut exported.managed), T::DTYPE, layout, first.cast())
}

impl<T: Element, D: Dim, O: Order, Dev: SharedDevice, M: Managed> From<Tensor<T, D, O, Dev>> for Dlpack<M> {
    /// Exports the tensor's memory, with its strides.
    fn from(x: Tensor<T, D, O, Dev>) -> Self {
        let layout = Extents::new(x.axes());
        exported::<T, Dev, M>(x.into_parts().0, layout)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: SharedDevice> Tensor<T, D, O, Dev> {
    /// Exports the tensor's memory, on the host or on a GPU, in the structure of DLPack 1. Does not copy the elements. See
    /// [`interop::dlpack`](crate::interop::dlpack). For libraries that only support the older structure without a version, use
    /// `Dlpack::<DLManagedTensor>::from(x)`.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let raw = tensor![[1, 2, 3]].into_dlpack().into_raw();
    /// // SAFETY: the consumer reads the structure, and calls the deleter once, at the end.
    /// unsafe {
    ///     assert_eq!((*raw).dl_tensor.ndim, 2);
    ///     assert_eq!(*(*raw).dl_tensor.shape.add(1), 3);
    ///     (*raw).deleter.unwrap()(raw);
    /// }
    /// ```
    pub fn into_dlpack(self) -> Dlpack<DLManagedTensorVersioned> {
        self.into()
    }
}
