//! The size of the last cache before memory, which kernels compare with the size of their results.

use std::sync::OnceLock;

/// Returns the size of the L3 cache in bytes, which cores usually share. Returns `None` if the processor has none, or does not tell.
/// Detected once.
pub(in crate::device::cpu) fn l3_bytes() -> Option<usize> {
    static FOUND: OnceLock<Option<usize>> = OnceLock::new();
    *FOUND.get_or_init(detected)
}

/// Asks the processor by the instruction `cpuid`: leaf 4 on Intel's processors, leaf 8000_001D on AMD's. Both have the same format, with
/// one subleaf for each cache (Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2A; AMD64 Architecture Programmer's
/// Manual, vol. 3).
#[cfg(target_arch = "x86_64")]
fn detected() -> Option<usize> {
    use core::arch::x86_64::{__cpuid, __cpuid_count};
    if cfg!(miri) {
        return None;
    }
    let caches = |leaf: u32| {
        let there = __cpuid(leaf & 0x8000_0000).eax >= leaf;
        // A processor has four or five caches. The limit is for emulators that answer each subleaf with a cache.
        let subleaves = if there { 0..16 } else { 0..0 };
        subleaves
            .map(move |subleaf| __cpuid_count(leaf, subleaf))
            .map(|found| [found.eax, found.ebx, found.ecx])
    };
    l3_of(caches(4)).or_else(|| l3_of(caches(0x8000_001d)))
}

#[cfg(not(target_arch = "x86_64"))]
fn detected() -> Option<usize> {
    None
}

/// Returns the size of the L3 cache among `caches`, which are the registers `eax`, `ebx` and `ecx` of the subleaves. A subleaf of type 0
/// ends the list.
#[cfg(any(test, target_arch = "x86_64"))]
fn l3_of(caches: impl IntoIterator<Item = [u32; 3]>) -> Option<usize> {
    let kind = |eax: u32| eax & 0x1f;
    let level = |eax: u32| eax >> 5 & 7;
    let mut listed = caches.into_iter().take_while(|&[eax, ..]| kind(eax) != 0);
    let [_, ebx, ecx] = listed.find(|&[eax, ..]| level(eax) == 3)?;
    let (ways, partitions, line) = (ebx >> 22, ebx >> 12 & 0x3ff, ebx & 0xfff);
    [ways, partitions, line, ecx].iter().try_fold(1usize, |bytes, &n| bytes.checked_mul(n as usize + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_known_processors() {
        let subleaf = |eax, ways: u32, line: u32, sets: u32| [eax, (ways - 1) << 22 | (line - 1), sets - 1];
        // AMD Zen 3: 32 KiB of L1 data and instructions, 512 KiB of L2, 32 MiB of L3.
        let zen = [
            subleaf(0x121, 8, 64, 64),
            subleaf(0x122, 8, 64, 64),
            subleaf(0x143, 8, 64, 1024),
            subleaf(0x1c163, 16, 64, 32768),
            [0; 3],
        ];
        assert_eq!(l3_of(zen), Some(32 << 20));
        // Processors without L3: the list ends, or another cache follows the end.
        assert_eq!(l3_of([zen[0], zen[2]]), None);
        assert_eq!(l3_of([zen[0], [0; 3], zen[3]]), None);
        // On Intel's processors, the number of ways need not be a power of two: 11 ways of 20480 sets are 13.75 MiB.
        assert_eq!(l3_of([subleaf(0x163, 11, 64, 20480)]), Some(11 * 64 * 20480));
        // More bytes than there are addresses.
        assert_eq!(l3_of([[0x163, u32::MAX, u32::MAX]]), None);
    }

    #[test]
    fn this_processor() {
        // 256 KiB to 1 TiB.
        assert!(l3_bytes().is_none_or(|bytes| (18..40).contains(&bytes.ilog2())), "{:?}", l3_bytes());
    }
}
