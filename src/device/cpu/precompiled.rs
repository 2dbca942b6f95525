//! Kernels that depend on the element type alone, compiled once, in this crate.
//!
//! Rust compiles a generic function in each crate that uses it. The first matrix product in a user's program would otherwise
//! compile all kernels of products, for every instruction set.

/// Expands to a function pointer: the instance of a generic function for the scalar type `T`, taken from one non-generic function
/// per scalar type. `$pointer` is an alias of the pointer's type, and `S` names the element type in the arguments' types.
///
/// ```ignore
/// type Compute<T> = unsafe fn(&Product<T>) -> bool;
/// let function: Compute<T> = precompiled!(T, Compute, unsafe fn compute(product: &Product<S>) -> bool);
/// ```
macro_rules! precompiled {
    ($T:ident, $pointer:ident, fn $generic:ident ($($name:ident: $of:ty),* $(,)?) -> $result:ty) => {
        $crate::device::cpu::precompiled::precompiled!(
            @types i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c32 c64;
            $T, $pointer, [] $generic [$($name: $of),*] $result
        )
    };
    ($T:ident, $pointer:ident, unsafe fn $generic:ident ($($name:ident: $of:ty),* $(,)?) -> $result:ty) => {
        $crate::device::cpu::precompiled::precompiled!(
            @types i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c32 c64;
            $T, $pointer, [unsafe] $generic [$($name: $of),*] $result
        )
    };
    (@types $($t:ident)*; $T:ident, $pointer:ident, $qualifier:tt $generic:ident $arguments:tt $result:ty) => {{
        #[allow(unused_imports, reason = "two of the names are not in the prelude")]
        use $crate::{c32, c64};
        $({
            type S = $t;
            $crate::device::cpu::precompiled::precompiled!(@define $qualifier $generic $arguments $result);
            // A comparison of constants: one branch is left for each `T`.
            let instance: $pointer<S> = instance;
            if let Some(&found) = (&instance as &dyn core::any::Any).downcast_ref::<$pointer<$T>>() {
                return found;
            }
        })*
        unreachable!("no scalar type: {}", $T::DTYPE.name())
    }};
    (@define [] $generic:ident [$($name:ident: $of:ty),*] $result:ty) => {
        #[inline(never)]
        fn instance($($name: $of),*) -> $result {
            $generic($($name),*)
        }
    };
    (@define [unsafe] $generic:ident [$($name:ident: $of:ty),*] $result:ty) => {
        #[inline(never)]
        unsafe fn instance($($name: $of),*) -> $result {
            // SAFETY: the caller keeps the contract of the generic function.
            unsafe { $generic($($name),*) }
        }
    };
}
pub(super) use precompiled;
