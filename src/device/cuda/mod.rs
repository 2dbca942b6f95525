//! The marker `Cuda`: a type that signatures can name everywhere, with or without a GPU.

#[cfg(test)]
mod texts;

use super::{Device, Elementwise, Gemm, Permute, Reduce};
use crate::element::{Element, c32, c64};
use crate::error::Error;
use core::convert::Infallible;
use core::marker::PhantomData;

/// An NVIDIA GPU, by its ordinal. `Cuda<0>` and `Cuda<1>` are different types, so mixing two GPUs does not compile.
///
/// The type always exists; whether there is such a device shows at run time: [`Cuda::new`] and every allocation return
/// [`Error::DeviceUnavailable`] where there is none. This version of the crate has no kernels for it yet, so that is always.
///
/// ```
/// use vierbein::{Cuda, Error, Tensor};
/// assert!(matches!(Cuda::<0>::new(), Err(Error::DeviceUnavailable { .. })));
/// let x = Tensor::<f64, _>::eye(2);
/// assert!(x.to_device::<Cuda>().is_err());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cuda<const ORDINAL: usize = 0> {
    _private: (),
}

impl<const ORDINAL: usize> Cuda<ORDINAL> {
    /// The device, if it is there.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`], which says what was looked for.
    pub fn new() -> Result<Self, Error> {
        Err(unavailable(ORDINAL))
    }
}

fn unavailable(ordinal: usize) -> Error {
    Error::DeviceUnavailable {
        device: format!("Cuda<{ordinal}>"),
        why: "this build of vierbein has no CUDA kernels; compute on `Cpu` instead".into(),
    }
}

/// Memory on a GPU. No value of this type exists in a build without CUDA kernels.
#[derive(Debug)]
pub struct CudaBuffer<T> {
    never: Infallible,
    elements: PhantomData<T>,
}

/// An address on a GPU; the host cannot look behind it. No value of this type exists in a build without CUDA kernels.
#[derive(Debug, Clone, Copy)]
pub struct CudaPtr<T> {
    never: Infallible,
    elements: PhantomData<T>,
}

// SAFETY: there are no buffers and no pointers to address wrongly.
unsafe impl<const ORDINAL: usize> Device for Cuda<ORDINAL> {
    type Buffer<T: Element> = CudaBuffer<T>;
    type Ptr<T: Element> = CudaPtr<T>;

    fn name(&self) -> String {
        format!("Cuda<{ORDINAL}>")
    }
    fn alloc<T: Element>(&self, _: usize) -> Result<CudaBuffer<T>, Error> {
        Err(unavailable(ORDINAL))
    }
    fn len<T: Element>(buffer: &CudaBuffer<T>) -> usize {
        match buffer.never {}
    }
    fn ptr<T: Element>(buffer: &CudaBuffer<T>) -> CudaPtr<T> {
        match buffer.never {}
    }
    fn ptr_mut<T: Element>(buffer: &mut CudaBuffer<T>) -> CudaPtr<T> {
        match buffer.never {}
    }
    fn offset<T: Element>(ptr: CudaPtr<T>, _: isize) -> CudaPtr<T> {
        match ptr.never {}
    }
    unsafe fn read<T: Element>(&self, from: CudaPtr<T>, _: &mut [T]) -> Result<(), Error> {
        match from.never {}
    }
    unsafe fn write<T: Element>(&self, _: &[T], to: CudaPtr<T>) -> Result<(), Error> {
        match to.never {}
    }
    fn alloc_zeroed<T: Element>(&self, _: usize) -> Result<CudaBuffer<T>, Error> {
        Err(unavailable(ORDINAL))
    }
    fn duplicate<T: Element>(&self, buffer: &CudaBuffer<T>) -> Result<CudaBuffer<T>, Error> {
        match buffer.never {}
    }
}

/// The families that the device will have, for the element types that it will have them for.
macro_rules! families {
    ($($t:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<const ORDINAL: usize> Elementwise<$t> for Cuda<ORDINAL> {}
        #[diagnostic::do_not_recommend]
        impl<const ORDINAL: usize> Permute<$t> for Cuda<ORDINAL> {}
        #[diagnostic::do_not_recommend]
        impl<const ORDINAL: usize> Reduce<$t> for Cuda<ORDINAL> {}
    )*};
}
families!(bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c32 c64);

macro_rules! gemm {
    ($($t:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<const ORDINAL: usize> Gemm<$t> for Cuda<ORDINAL> {}
    )*};
}
gemm!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c32 c64);
