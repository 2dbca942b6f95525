//! Stubs for builds without the `cuda` feature. `context` and `count` return an error. The types are empty enums, so
//! every function with an argument of such a type compiles, but can never be called.

use super::Cuda;
#[cfg(feature = "linalg")]
use crate::device::MatrixOperand;
#[cfg(feature = "linalg")]
use crate::device::decompose::{LinalgElement, Structure};
#[cfg(feature = "fft")]
use crate::device::fft::{FftComplex, FftElement, FftReal, Transform};
use crate::device::quantile::Quantile;
use crate::device::{
    Arguments, BinaryOp, ElementTuple, Function, Generator, Operand, Output, ProductArgs, Reduction,
};
use crate::element::{Element, Ordered, RealScalar, Scalar};
use crate::error::Error;

/// A type without values.
#[derive(Debug)]
pub(super) enum Context {}

/// A type without values.
#[derive(Debug)]
pub(super) enum Memory {}

/// A type without values.
#[derive(Debug)]
pub(super) enum Pinned {}

impl Pinned {
    pub(super) fn new(context: &'static Context, _: usize) -> Result<Pinned, Error> {
        match *context {}
    }
    pub(super) fn start(&self) -> core::ptr::NonNull<core::ffi::c_void> {
        match *self {}
    }
}

pub(super) fn context(ordinal: usize) -> Result<&'static Context, Error> {
    Err(Error::DeviceUnavailable {
        device: name_of(ordinal),
        reason:
            "this build of vierbein does not support CUDA; enable the feature `cuda`, or compute on `Cpu`"
                .into(),
    })
}

pub(super) fn count() -> Result<usize, Error> {
    context(0).map(|_| 1)
}

pub(super) fn name_of(ordinal: usize) -> String {
    format!("Cuda<{ordinal}>")
}

impl Memory {
    pub(super) fn foreign(context: &'static Context, _: u64, _: usize, _: Box<dyn Send + Sync>) -> Memory {
        match *context {}
    }
    pub(super) fn address(&self) -> u64 {
        match *self {}
    }
}

impl Context {
    pub(super) fn alloc(&'static self, _: usize) -> Result<Memory, Error> {
        match *self {}
    }
    pub(super) fn synchronize(&self) -> Result<(), Error> {
        match *self {}
    }
    pub(super) fn trim(&self) -> Result<(), Error> {
        match *self {}
    }
    pub(super) fn memory(&self) -> Result<(usize, usize), Error> {
        match *self {}
    }
    /// # Safety
    /// No conditions: the function cannot be called, as `Context` has no values.
    pub(super) unsafe fn zero(&self, _: u64, _: usize) -> Result<(), Error> {
        match *self {}
    }
    /// # Safety
    /// No conditions: the function cannot be called, as `Context` has no values.
    pub(super) unsafe fn copy(&self, _: u64, _: u64, _: usize) -> Result<(), Error> {
        match *self {}
    }
}

/// Defines stubs of the functions that `cuda/mod.rs` calls for the device families. Each has a `Context` as argument,
/// so it can never be called.
macro_rules! never {
    ($($(#[$attribute:meta])* fn $name:ident[$($generics:tt)*]($($argument:ty),*) $(-> $result:ty)?;)*) => {$(
        $(#[$attribute])*
        #[allow(clippy::extra_unused_type_parameters, reason = "the other build has a use for them")]
        pub(super) fn $name<$($generics)*>(context: &'static Context, $(_: $argument),*) -> Result<never!(@ $($result)?), Error> {
            match *context {}
        }
    )*};
    (@) => { () };
    (@ $result:ty) => { $result };
}

/// # Safety
/// No conditions: the function cannot be called, as `Context` has no values.
pub(super) unsafe fn read<T: Element>(context: &Context, _: u64, _: &mut [T]) -> Result<(), Error> {
    match *context {}
}
/// # Safety
/// No conditions: the function cannot be called, as `Context` has no values.
pub(super) unsafe fn write<T: Element>(context: &Context, _: &[T], _: u64) -> Result<(), Error> {
    match *context {}
}

never! {
    fn gather[T: Element, const N: usize](Operand<'_, T, Cuda<N>>) -> Vec<T>;
    fn compact[T: Element, const N: usize](Operand<'_, T, Cuda<N>>) -> Memory;
    fn put[T: Element, const N: usize](T, Output<'_, T, Cuda<N>>);
    fn generate[T: Element, F: Generator<T>, const N: usize](&F, Output<'_, T, Cuda<N>>);
    fn map[A: Arguments, F: Function<A>, const N: usize](
        &F, Output<'_, F::Output, Cuda<N>>, A::Operands<'_, Cuda<N>>
    );
    fn update[A: Arguments, F: Function<A, Output = A::First>, const N: usize](
        &F, Output<'_, A::First, Cuda<N>>, <A::Rest as ElementTuple>::Operands<'_, Cuda<N>>
    );
    fn copy[T: Element, const N: usize](Output<'_, T, Cuda<N>>, Operand<'_, T, Cuda<N>>);
    fn reduce[T: Element, R: Reduction<T>, const N: usize](&R, Output<'_, R::Output, Cuda<N>>, Operand<'_, T, Cuda<N>>);
    fn scan[T: Element, F: BinaryOp<T, T, Output = T>, const N: usize](
        &F, Output<'_, T, Cuda<N>>, Operand<'_, T, Cuda<N>>
    );
    fn check_positions[const N: usize](&'static str, Operand<'_, i64, Cuda<N>>, usize);
    fn take[T: Element, const N: usize](Output<'_, T, Cuda<N>>, Operand<'_, T, Cuda<N>>, Operand<'_, i64, Cuda<N>>);
    fn pick[T: Element, const N: usize](Output<'_, T, Cuda<N>>, Operand<'_, T, Cuda<N>>, Operand<'_, i64, Cuda<N>>);
    fn scatter[T: Element, const N: usize](Output<'_, T, Cuda<N>>, Operand<'_, i64, Cuda<N>>, Operand<'_, T, Cuda<N>>);
    fn scatter_with[T: Element, F: BinaryOp<T, T, Output = T>, const N: usize](
        &F, Output<'_, T, Cuda<N>>, Operand<'_, i64, Cuda<N>>, Operand<'_, T, Cuda<N>>
    );
    fn compress[T: Element, const N: usize](
        Output<'_, T, Cuda<N>>, Operand<'_, T, Cuda<N>>, Operand<'_, bool, Cuda<N>>
    );
    fn expand[T: Element, const N: usize](
        Output<'_, T, Cuda<N>>, Operand<'_, bool, Cuda<N>>, Operand<'_, T, Cuda<N>>
    );
    fn nonzero[T: Element, const N: usize](Output<'_, i64, Cuda<N>>, Operand<'_, T, Cuda<N>>);
    fn sort[T: Element, const N: usize](Output<'_, T, Cuda<N>>, bool);
    fn argsort[T: Element, const N: usize](Output<'_, i64, Cuda<N>>, Operand<'_, T, Cuda<N>>, bool);
    fn top_k[T: Element, const N: usize](
        Output<'_, T, Cuda<N>>, Output<'_, i64, Cuda<N>>, Operand<'_, T, Cuda<N>>, bool
    );
    fn lexsort[T: Element, const N: usize](Output<'_, i64, Cuda<N>>, Operand<'_, T, Cuda<N>>);
    fn search[T: Ordered, const N: usize](
        Output<'_, i64, Cuda<N>>, Operand<'_, T, Cuda<N>>, Operand<'_, T, Cuda<N>>, bool
    );
    fn contains[T: Element, const N: usize](
        Output<'_, bool, Cuda<N>>, Operand<'_, T, Cuda<N>>, Operand<'_, T, Cuda<N>>
    );
    fn quantile[T: RealScalar, const N: usize](
        Output<'_, T::Float, Cuda<N>>, Operand<'_, T, Cuda<N>>, &[f64], Option<Quantile>
    );
    fn unique_with[T: Element, const N: usize](Operand<'_, T, Cuda<N>>) -> (Memory, usize, [Memory; 3]);
    fn unique[T: Element, const N: usize](Operand<'_, T, Cuda<N>>) -> (Memory, usize);
    #[cfg(feature = "fft")]
    fn fft[T: FftElement, const N: usize](Transform, Output<'_, T::Complex, Cuda<N>>, Operand<'_, T, Cuda<N>>);
    #[cfg(feature = "fft")]
    fn rfft[T: FftReal, const N: usize](Transform, Output<'_, T::Complex, Cuda<N>>, Operand<'_, T, Cuda<N>>);
    #[cfg(feature = "fft")]
    fn irfft[T: FftComplex, const N: usize](Transform, Output<'_, T::Magnitude, Cuda<N>>, Operand<'_, T, Cuda<N>>);
    #[cfg(feature = "linalg")]
    fn svd[T: LinalgElement, const N: usize](
        Output<'_, T::Magnitude, Cuda<N>>, Option<[Output<'_, T, Cuda<N>>; 2]>, MatrixOperand<'_, T, Cuda<N>>
    );
    #[cfg(feature = "linalg")]
    fn eigh[T: LinalgElement, const N: usize](
        Output<'_, T::Magnitude, Cuda<N>>, Option<Output<'_, T, Cuda<N>>>, MatrixOperand<'_, T, Cuda<N>>
    );
    #[cfg(feature = "linalg")]
    fn qr[T: LinalgElement, const N: usize](
        Option<Output<'_, T, Cuda<N>>>, Output<'_, T, Cuda<N>>, MatrixOperand<'_, T, Cuda<N>>
    );
    #[cfg(feature = "linalg")]
    fn lu[T: LinalgElement, const N: usize](
        Output<'_, T, Cuda<N>>, Output<'_, i64, Cuda<N>>, MatrixOperand<'_, T, Cuda<N>>
    );
    #[cfg(feature = "linalg")]
    fn cholesky[T: LinalgElement, const N: usize](Output<'_, T, Cuda<N>>, MatrixOperand<'_, T, Cuda<N>>);
    #[cfg(feature = "linalg")]
    fn solve[T: LinalgElement, const N: usize](
        Structure, Output<'_, T, Cuda<N>>, MatrixOperand<'_, T, Cuda<N>>
    );
    fn gemm[T: Scalar, const N: usize](ProductArgs<'_, T, Cuda<N>>);
    fn sum_products[T: Scalar, const N: usize](ProductArgs<'_, T, Cuda<N>>);
}
