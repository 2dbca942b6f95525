//! Calls of the operating system: queries the size of the memory, and requests huge pages. The buffer pool calls this module.

/// Requests huge pages for the part of a new block that consists of whole, aligned huge pages. 2 MiB then need one page fault and
/// one TLB entry instead of 512. The request is a hint: correctness does not depend on whether the system follows it.
#[cfg(target_os = "linux")]
pub(in crate::device::cpu) fn use_huge_pages(start: *mut u8, bytes: usize) {
    const HUGE: usize = 2 << 20;
    let offset = start.addr().wrapping_neg() % HUGE;
    let inside = bytes.saturating_sub(offset) & !(HUGE - 1);
    if inside > 0 && !cfg!(miri) {
        // SAFETY: for any range, `MADV_HUGEPAGE` changes neither the contents nor the validity of memory. If the range is not
        // mapped, the call fails.
        unsafe { libc::madvise(start.wrapping_add(offset).cast(), inside, libc::MADV_HUGEPAGE) };
    }
}

/// Does nothing. Other systems choose the page size themselves.
#[cfg(not(target_os = "linux"))]
pub(in crate::device::cpu) fn use_huge_pages(_start: *mut u8, _bytes: usize) {}

/// Returns the number of bytes of this machine's memory, or the limit of its container (cgroup, version 2) if that is less.
/// Returns `None` if the size of the memory is not known.
#[cfg(target_os = "linux")]
pub(in crate::device::cpu) fn memory() -> Option<u64> {
    if cfg!(miri) {
        return None;
    }
    // The result is `u64`, because a 32-bit machine may have more bytes than fit in `usize`.
    // SAFETY: `sysconf` accepts any number, and returns -1 for an unknown one. It does not access memory of the program.
    let ask = |what| u64::try_from(unsafe { libc::sysconf(what) }).ok();
    let machine = ask(libc::_SC_PHYS_PAGES)?.checked_mul(ask(libc::_SC_PAGESIZE)?)?;
    // If there is no limit, the file contains the word "max", which is not a number.
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    Some(container.and_then(|text| text.trim().parse().ok()).map_or(machine, |limit| machine.min(limit)))
}

/// Returns `None`, because the size of the memory is not queried on other systems.
#[cfg(not(target_os = "linux"))]
pub(in crate::device::cpu) fn memory() -> Option<u64> {
    None
}
