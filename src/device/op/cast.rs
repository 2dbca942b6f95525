//! Casts.

use super::UnaryOp;
use crate::device::CudaSource;
use crate::element::{CastTo, Element};

/// The function that converts an element to `U`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cast<U>(pub(crate) core::marker::PhantomData<U>);

impl<T: CastTo<U>, U: Element> UnaryOp<T> for Cast<U> {
    type Output = U;
    const NAME: &'static str = "cast";
    const CUDA: CudaSource = CudaSource::builtin("cast<R>(a)");
    fn apply(&self, a: T) -> U {
        a.cast_to()
    }
}
