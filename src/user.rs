//! The user that this process acts for.

/// Returns the ID of the effective user, for comparison with the owner of a file,
/// [`MetadataExt::uid`](std::os::unix::fs::MetadataExt::uid).
pub(crate) fn effective() -> u32 {
    // The standard library has no function for this, and `libc` is a dependency on Linux only.
    // SAFETY: POSIX specifies `uid_t geteuid(void)`, which reads an attribute of the process and always succeeds. `uid_t` has
    // 32 bits on the systems that this crate supports (Linux, macOS, the BSDs). The C library, which the standard library links,
    // defines `geteuid`.
    unsafe extern "C" {
        safe fn geteuid() -> u32;
    }
    geteuid()
}
