//! What the operating system is asked about memory: how much there is, and for large pages.

/// Asks for huge pages behind the part of a new block that can have them: one fault for 2 MiB instead of 512, and one entry of
/// the TLB. A hint, so that it does not matter whether the system follows.
#[cfg(target_os = "linux")]
pub(in crate::device::cpu) fn use_huge_pages(start: *mut u8, bytes: usize) {
    const HUGE: usize = 2 << 20;
    let offset = start.addr().wrapping_neg() % HUGE;
    let inside = bytes.saturating_sub(offset) & !(HUGE - 1);
    if inside > 0 && !cfg!(miri) {
        // SAFETY: advice about page sizes changes nothing that can be read or written, in whatever range; an unmapped one is an error.
        unsafe { libc::madvise(start.wrapping_add(offset).cast(), inside, libc::MADV_HUGEPAGE) };
    }
}

/// Other systems choose pages themselves.
#[cfg(not(target_os = "linux"))]
pub(in crate::device::cpu) fn use_huge_pages(_start: *mut u8, _bytes: usize) {}

/// The bytes of memory that this machine has, or that its container may use; `None` where that is not known.
#[cfg(target_os = "linux")]
pub(in crate::device::cpu) fn memory() -> Option<u64> {
    if cfg!(miri) {
        return None;
    }
    // A 32-bit machine may have more bytes than `usize` counts.
    // SAFETY: it only asks.
    let ask = |what| u64::try_from(unsafe { libc::sysconf(what) }).ok();
    let machine = ask(libc::_SC_PHYS_PAGES)?.checked_mul(ask(libc::_SC_PAGESIZE)?)?;
    // "max" where there is no limit.
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    Some(container.and_then(|text| text.trim().parse().ok()).map_or(machine, |limit| machine.min(limit)))
}

/// Nobody is asked on other systems.
#[cfg(not(target_os = "linux"))]
pub(in crate::device::cpu) fn memory() -> Option<u64> {
    None
}
