//! Kernels that are compiled twice: for every processor of the architecture, and for those with wide registers (in builds
//! without debug assertions, and in this crate's own tests).

/// Whether this machine has the registers that [`kernel!`] compiles for a second time. The standard library asks the machine
/// once and remembers.
#[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
#[inline]
pub(super) fn has_wide_registers() -> bool {
    #[cfg(test)]
    if tests::NARROW.get() {
        return false;
    }
    std::is_x86_feature_detected!("avx2")
}

/// A kernel that is compiled for wide registers too, which is called where the machine has them. Results are the same:
/// nothing is fused or put in another sequence.
macro_rules! kernel {
    (
        $(#[$doc:meta])*
        unsafe fn $name:ident[$($bounds:tt)*][$($generic:tt),*]($($argument:ident: $type:ty),* $(,)?) -> $result:ty $body:block
    ) => {
        $(#[$doc])*
        #[inline]
        unsafe fn $name<$($bounds)*>($($argument: $type),*) -> $result {
            #[inline(always)]
            unsafe fn body<$($bounds)*>($($argument: $type),*) -> $result $body

            // Not in builds with debug assertions: they would take twice as long to make, and are not made to be fast.
            #[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
            {
                #[target_feature(enable = "avx2")]
                unsafe fn wide<$($bounds)*>($($argument: $type),*) -> $result {
                    // SAFETY: the caller's.
                    unsafe { body::<$($generic),*>($($argument),*) }
                }
                if $crate::device::cpu::simd::has_wide_registers() {
                    // SAFETY: the machine has what `wide` is compiled for; the rest is the caller's.
                    return unsafe { wide::<$($generic),*>($($argument),*) };
                }
            }
            // SAFETY: the caller's.
            unsafe { body::<$($generic),*>($($argument),*) }
        }
    };
}
pub(super) use kernel;

#[cfg(test)]
pub(super) mod tests {
    use core::cell::Cell;

    thread_local! {
        pub(super) static NARROW: Cell<bool> = const { Cell::new(false) };
    }

    /// What `f` computes on this thread with wide registers, and without.
    pub(in crate::device::cpu) fn wide_and_narrow<A>(f: impl Fn() -> A) -> [A; 2] {
        let wide = f();
        NARROW.set(true);
        let narrow = f();
        NARROW.set(false);
        [wide, narrow]
    }
}
