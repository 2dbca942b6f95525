//! The capability families: traits for the operations that a device implements, in one file each. The types of their methods contain neither
//! rank nor memory order. The methods are safe to call, because [`Operand`] guarantees readable elements, and [`Output`] exclusive access.
//!
//! [`family!`] declares a trait: a row for each method. From a row, it defines
//!
//! * the method of the trait, whose default body is the host fallback: it copies the operands to the host and computes there;
//! * the method of [`Cuda`](super::Cuda), which calls the function of the same name in `cuda/runtime`.
//!
//! The kernels of the CPU implement the traits for [`Cpu`](super::Cpu).

mod copy;
#[cfg(feature = "linalg")]
pub(crate) mod decompose;
mod elementwise;
pub(crate) mod fourier;
mod gemm;
mod reduce;
mod select;
pub(crate) mod sort;

pub use copy::Copy;
#[cfg(feature = "linalg")]
pub use decompose::{Decompose, Structure};
pub use elementwise::Elementwise;
pub use fourier::Fourier;
pub use gemm::Gemm;
pub use reduce::Reduce;
pub use select::Select;
pub use sort::Sort;

use crate::element::Scalar;

/// Declares a family: the trait, the host fallbacks of its methods, and its implementation for `Cuda`. An argument of a row is written
/// `name: kind[type]`. The kinds are those of [`argument!`], and decide what the host fallback does with the argument.
///
/// * `on the host` has the rows of methods that `Cuda` does not override.
/// * `trait items` has further items of the trait, and `cuda items` those of the implementation for `Cuda`.
/// * `requires` is a check at compile time, for calls on `Cuda`.
macro_rules! family {
    (
        $(#[$attribute:meta])*
        pub trait $Family:ident<$T:ident: $Bound:ident> {
            $(
                $(#[$doc:meta])*
                fn $name:ident $([$($generics:tt)*])? ($($arg:ident: $kind:ident[$($of:tt)*]),* $(,)?)
                $(where $Where:ident: $Required:ident)? $(requires $check:expr)?;
            )*
        }
        on the host {
            $(
                $(#[$host_doc:meta])*
                fn $host_name:ident ($($host_arg:ident: $host_kind:ident[$($host_of:tt)*]),* $(,)?)
                $(where $HostWhere:ident: $HostRequired:ident)?;
            )*
        }
        trait items { $($item:tt)* }
        cuda items { $($cuda_item:tt)* }
    ) => {
        $(#[$attribute])*
        pub trait $Family<$T: $Bound>: $crate::device::Device {
            $(
                $(#[$doc])*
                fn $name $(<$($generics)*>)? (
                    &self,
                    $($arg: $crate::device::family::argument!($kind [$($of)*] Self)),*
                ) -> Result<(), $crate::error::Error>
                $(where $Where: $Required)?
                {
                    $crate::device::family::on_host!(
                        self, $Family::<$T>::$name(&$crate::device::Cpu, $($arg),*); $($arg: $kind,)*
                    )
                }
            )*
            $(
                $(#[$host_doc])*
                fn $host_name(
                    &self,
                    $($host_arg: $crate::device::family::argument!($host_kind [$($host_of)*] Self)),*
                ) -> Result<(), $crate::error::Error>
                $(where $HostWhere: $HostRequired)?
                {
                    $crate::device::family::on_host!(
                        self, $Family::<$T>::$host_name(&$crate::device::Cpu, $($host_arg),*); $($host_arg: $host_kind,)*
                    )
                }
            )*
            $($item)*
        }

        #[diagnostic::do_not_recommend]
        impl<$T: $Bound, const ORDINAL: usize> $Family<$T> for $crate::device::Cuda<ORDINAL> {
            $(
                fn $name $(<$($generics)*>)? (
                    &self,
                    $($arg: $crate::device::family::argument!($kind [$($of)*] Self)),*
                ) -> Result<(), $crate::error::Error>
                $(where $Where: $Required)?
                {
                    $(const { $check };)?
                    $crate::device::cuda::launch!(ORDINAL, $name($($arg),*))
                }
            )*
            $($cuda_item)*
        }
    };
}

/// The type of an argument, by its kind:
///
/// * `read`: an operand. `matrix`: a matrix operand.
/// * `write`: an output that is overwritten. `update`: an output that is read and written. `optional`: an output that is overwritten if it is
///   given. `pair`: two such outputs.
/// * `product`: the arguments of a sum of products.
/// * `value`: an argument that is not in the memory of the device.
macro_rules! argument {
    (read [$T:ty] $Dev:ty) => { $crate::device::Operand<'_, $T, $Dev> };
    (matrix [$T:ty] $Dev:ty) => { $crate::device::MatrixOperand<'_, $T, $Dev> };
    (write [$T:ty] $Dev:ty) => { $crate::device::Output<'_, $T, $Dev> };
    (update [$T:ty] $Dev:ty) => { $crate::device::Output<'_, $T, $Dev> };
    (optional [$T:ty] $Dev:ty) => { Option<$crate::device::Output<'_, $T, $Dev>> };
    (pair [$T:ty] $Dev:ty) => { Option<[$crate::device::Output<'_, $T, $Dev>; 2]> };
    (product [$T:ty] $Dev:ty) => { $crate::device::ProductArgs<'_, $T, $Dev> };
    (value [$T:ty] $Dev:ty) => { $T };
}

/// The host fallback: evaluates a call of the CPU's method with the arguments in host memory, and copies the outputs back.
macro_rules! on_host {
    ($device:expr, $call:expr;) => { $call };
    ($device:expr, $call:expr; $arg:ident: value, $($rest:tt)*) => {
        $crate::device::family::on_host!($device, $call; $($rest)*)
    };
    ($device:expr, $call:expr; $arg:ident: read, $($rest:tt)*) => {{
        let fetched = $crate::device::via_host::fetch($device, $arg)?;
        let $arg = fetched.operand();
        $crate::device::family::on_host!($device, $call; $($rest)*)
    }};
    ($device:expr, $call:expr; $arg:ident: matrix, $($rest:tt)*) => {{
        let fetched = $crate::device::via_host::fetch($device, $arg.operand)?;
        let $arg = $crate::device::MatrixOperand { operand: fetched.operand(), conjugate: $arg.conjugate };
        $crate::device::family::on_host!($device, $call; $($rest)*)
    }};
    ($device:expr, $call:expr; $arg:ident: write, $($rest:tt)*) => {
        $crate::device::via_host::write_with($device, $arg, |$arg| {
            $crate::device::family::on_host!($device, $call; $($rest)*)
        })
    };
    ($device:expr, $call:expr; $arg:ident: update, $($rest:tt)*) => {
        $crate::device::via_host::update_with($device, $arg, |$arg| {
            $crate::device::family::on_host!($device, $call; $($rest)*)
        })
    };
    ($device:expr, $call:expr; $arg:ident: optional, $($rest:tt)*) => {
        $crate::device::via_host::write_optional($device, $arg, |$arg| {
            $crate::device::family::on_host!($device, $call; $($rest)*)
        })
    };
    ($device:expr, $call:expr; $arg:ident: pair, $($rest:tt)*) => {
        $crate::device::via_host::write_pair($device, $arg, |$arg| {
            $crate::device::family::on_host!($device, $call; $($rest)*)
        })
    };
    ($device:expr, $call:expr; $arg:ident: product, $($rest:tt)*) => {
        $crate::device::via_host::products($device, $arg, |$arg| {
            $crate::device::family::on_host!($device, $call; $($rest)*)
        })
    };
}
pub(crate) use {argument, family, on_host};

/// Defines a trait whose supertraits are the listed families, and implements it for every device that has all of them.
macro_rules! umbrella {
    ($(#[$attribute:meta])* $Name:ident<$T:ident>: $($Family:ident<$Of:ty>),+ $(,)?) => {
        $(#[$attribute])*
        pub trait $Name<$T: Scalar>: $($Family<$Of> +)+ {}

        #[diagnostic::do_not_recommend]
        impl<$T: Scalar, Dev: $($Family<$Of> +)+> $Name<$T> for Dev {}
    };
}

umbrella! {
    /// The families that contractions need: [`Elementwise`], [`Copy`], [`Reduce`] and [`Gemm`] for `T`.
    #[diagnostic::on_unimplemented(
        message = "the device `{Self}` cannot contract tensors of `{T}`",
        label = "a capability family is missing on this device",
        note = "contract on the host: `.to_device::<Cpu>()?`; or implement the missing ones of `Elementwise<{T}>`, `Copy<{T}>`, `Reduce<{T}>` and `Gemm<{T}>`",
        note = "in generic code, bound the device: `Dev: Backend<T>`"
    )]
    Contract<T>: Elementwise<T>, Copy<T>, Reduce<T>, Gemm<T>
}

umbrella! {
    /// All families that generic numeric code over `T` needs, for `T` and for the types derived from it: real parts, quotients,
    /// magnitudes, masks and indices.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// fn centred<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    ///     x: TensorView<'_, T, D, O, Dev>,
    /// ) -> Tensor<T, D, O, Dev> {
    ///     x - x.mean().cast::<T>()
    /// }
    /// assert_eq!(centred(tensor![1.0, 2.0, 6.0].view()), tensor![-2.0, -1.0, 3.0]);
    /// ```
    #[diagnostic::on_unimplemented(
        message = "the device `{Self}` does not implement all capability families for `{T}`",
        label = "a capability family is missing on this device",
        note = "compute on the host: `.to_device::<Cpu>()?`; or implement the missing ones of `Elementwise`, `Copy`, `Select`, `Reduce`, `Sort`, `Fourier` and `Gemm`",
        note = "generic code that needs only one of them can bound that one: `Dev: Elementwise<T>`"
    )]
    Backend<T>:
        Contract<T>,
        Elementwise<T>, Elementwise<T::Real>, Elementwise<T::Float>, Elementwise<T::Magnitude>,
        Elementwise<bool>, Elementwise<i64>,
        Copy<T>, Copy<T::Real>, Copy<T::Float>, Copy<T::Magnitude>, Copy<bool>, Copy<i64>,
        Select<T>, Select<T::Real>, Select<T::Float>, Select<T::Magnitude>, Select<bool>, Select<i64>,
        Reduce<T>, Reduce<T::Real>, Reduce<T::Float>, Reduce<T::Magnitude>, Reduce<bool>, Reduce<i64>,
        Sort<T>, Sort<T::Real>, Sort<T::Float>, Sort<T::Magnitude>, Sort<bool>, Sort<i64>,
        Fourier<T>, Fourier<T::Real>, Fourier<T::Float>, Fourier<T::Magnitude>,
        Gemm<T>, Gemm<T::Real>, Gemm<T::Float>, Gemm<T::Magnitude>,
}
