//! The macro [`precompiled!`]. With it, kernels that are generic over the element type alone are compiled once, in this crate.
//!
//! Rust compiles a generic function in each crate that instantiates it. Without the macro, a user's crate with a matrix product
//! would compile all kernels of products, for every instruction set.

/// Expands to a pointer to a function that calls a generic function with the scalar type `T`. The macro defines one such non-generic
/// function for each scalar type, and selects the one for `T`. `$pointer` is an alias of the pointer's type. In the types of the
/// arguments, write `S` for the scalar type.
///
/// ```ignore
/// type Compute<T> = unsafe fn(&Product<T>) -> bool;
/// let function: Compute<T> = precompiled!(T, Compute, unsafe fn compute(product: &Product<S>) -> bool);
/// ```
///
/// `T: Inexact` instead of `T` limits the types to floating-point and complex numbers.
macro_rules! precompiled {
    ($T:ident: $Bound:ident, $pointer:ident, fn $generic:ident ($($name:ident: $of:ty),* $(,)?) -> $result:ty) => {
        $crate::device::cpu::precompiled::precompiled!(@of $T: $Bound, $pointer, [] $generic [$($name: $of),*] $result)
    };
    ($T:ident: $Bound:ident, $pointer:ident, unsafe fn $generic:ident ($($name:ident: $of:ty),* $(,)?) -> $result:ty) => {
        $crate::device::cpu::precompiled::precompiled!(@of $T: $Bound, $pointer, [unsafe] $generic [$($name: $of),*] $result)
    };
    ($T:ident, $pointer:ident, fn $generic:ident ($($name:ident: $of:ty),* $(,)?) -> $result:ty) => {
        $crate::device::cpu::precompiled::precompiled!(@of $T: Scalar, $pointer, [] $generic [$($name: $of),*] $result)
    };
    ($T:ident, $pointer:ident, unsafe fn $generic:ident ($($name:ident: $of:ty),* $(,)?) -> $result:ty) => {
        $crate::device::cpu::precompiled::precompiled!(@of $T: Scalar, $pointer, [unsafe] $generic [$($name: $of),*] $result)
    };
    (@of $T:ident: $Bound:ident, $pointer:ident, $qualifier:tt $generic:ident $arguments:tt $result:ty) => {
        // `DTYPE` is a constant, so the compiler keeps only the branch for `T`.
        $crate::dispatch!($T::DTYPE, S: $Bound => {
            $crate::device::cpu::precompiled::precompiled!(@define $qualifier $generic $arguments $result);
            let instance: $pointer<S> = instance;
            let found = (&instance as &dyn core::any::Any).downcast_ref::<$pointer<$T>>();
            *found.expect("`S` is `T`, as their `DTYPE`s are equal")
        }, else => unreachable!("no instance for {}", $T::DTYPE.name()))
    };
    (@define [] $generic:ident [$($name:ident: $of:ty),*] $result:ty) => {
        #[inline(never)]
        fn instance($($name: $of),*) -> $result {
            $generic($($name),*)
        }
    };
    (@define [unsafe] $generic:ident [$($name:ident: $of:ty),*] $result:ty) => {
        #[inline(never)]
        unsafe fn instance($($name: $of),*) -> $result {
            // SAFETY: `$generic` is called with the arguments of `instance`. The caller of `instance` ensures the conditions of `$generic`
            // for them.
            unsafe { $generic($($name),*) }
        }
    };
}
pub(super) use precompiled;
