//! Casts between tensor types whose parameters are equal, as bounds of the caller require.

use super::{Tensor, TensorView, TensorViewMut};
use crate::device::{Device, SameDevice, SameDtype, SameOrder};
use crate::element::Element;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::{Storage, View, ViewMut};
use core::marker::PhantomData;

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TensorView<'a, T, D, O, Dev> {
    /// Casts the view to the type parameters `T2`, `O2` and `Dev2`, which the bounds require to equal `T`, `O` and `Dev`.
    pub(crate) fn into_agreeing<T2: SameDtype<T>, O2: Order + SameOrder<O>, Dev2: SameDevice<Dev>>(
        self,
    ) -> TensorView<'a, T2, D, O2, Dev2> {
        let View { ptr, device, .. } = self.storage;
        let ptr = T2::same_ptr::<Dev2>(Dev2::same_ptr(ptr));
        Tensor {
            storage: View { ptr, device: Dev2::same_device_ref(device), data: PhantomData },
            shape: self.shape,
            strides: self.strides,
            marker: PhantomData,
        }
    }
}

impl<'a, T: Element, D: Dim, O: Order, Dev: Device> TensorViewMut<'a, T, D, O, Dev> {
    /// Casts the view to the type parameters `T2`, `O2` and `Dev2`, which the bounds require to equal `T`, `O` and `Dev`.
    pub(crate) fn into_agreeing<T2: SameDtype<T>, O2: Order + SameOrder<O>, Dev2: SameDevice<Dev>>(
        self,
    ) -> TensorViewMut<'a, T2, D, O2, Dev2> {
        let ViewMut { ptr, device, .. } = self.storage;
        let ptr = T2::same_ptr::<Dev2>(Dev2::same_ptr(ptr));
        Tensor {
            storage: ViewMut { ptr, device: Dev2::same_device_ref(device), data: PhantomData },
            shape: self.shape,
            strides: self.strides,
            marker: PhantomData,
        }
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns a view with the type parameters `T2`, `O2` and `Dev2`, which the bounds require to equal `T`, `O` and `Dev`.
    pub(crate) fn agree<T2: SameDtype<T>, O2: Order + SameOrder<O>, Dev2: SameDevice<Dev>>(
        &self,
    ) -> TensorView<'_, T2, D, O2, Dev2> {
        let storage = View { ptr: self.storage.ptr(), device: self.device(), data: PhantomData };
        let view: TensorView<'_, T, D, O, Dev> =
            Tensor { storage, shape: self.shape, strides: self.strides, marker: PhantomData };
        view.into_agreeing()
    }

    /// Casts an owned tensor to the type parameters `T2`, `O2` and `Dev2`, which the bounds require to equal `T`, `O` and `Dev`. Returns
    /// a view unchanged, as `Err`.
    pub(crate) fn into_agreed<T2: SameDtype<T>, O2: Order + SameOrder<O>, Dev2: SameDevice<Dev>>(
        self,
    ) -> Result<Tensor<T2, D, O2, Dev2>, Self> {
        if !S::OWNED {
            return Err(self);
        }
        let (buffer, device) = self.storage.into_buffer().expect("an owned tensor has a buffer");
        let buffer = T2::same_buffer::<Dev2>(Dev2::same_buffer(buffer));
        Ok(Tensor::contiguous(buffer, self.shape, Dev2::same_device(device)))
    }

    /// Returns the tensor if it is owned and has exactly this shape, so that its buffer can be reused for a result. Otherwise returns
    /// the tensor unchanged, as `Err`.
    pub(crate) fn into_result<C: Dim>(self, shape: &C::Shape) -> Result<Tensor<T, C, O, Dev>, Self> {
        if !S::OWNED || self.shape.as_ref() != shape.as_ref() {
            return Err(self);
        }
        let (buffer, device) = self.storage.into_buffer().expect("an owned tensor has a buffer");
        Ok(Tensor::contiguous(buffer, *shape, device))
    }
}
