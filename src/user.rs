//! The user that this process acts for.

/// Returns the ID of the effective user, as [`MetadataExt::uid`](std::os::unix::fs::MetadataExt::uid) has it.
pub(crate) fn effective() -> u32 {
    // `libc` is a dependency on Linux only, and the standard library has no such function.
    // SAFETY: POSIX specifies `uid_t geteuid(void)`, which reads an attribute of the process and always succeeds. `uid_t` has
    // 32 bits on every Unix that Rust supports. The standard library links the C library that defines it.
    unsafe extern "C" {
        safe fn geteuid() -> u32;
    }
    geteuid()
}
