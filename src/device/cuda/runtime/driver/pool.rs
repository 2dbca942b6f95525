//! Buffer pool: freed blocks of device memory, reused for later allocations. All work runs on one stream. So the work of a block's
//! next owner runs after the queued work of its previous owner. Reusing a block needs no synchronisation and no call of the driver.

use crate::device::cpu::limit_from_environment;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Binary logarithms of the sizes of the smallest and the largest blocks: 256 bytes and 64 MiB.
const SMALLEST: u32 = 8;
const LARGEST: u32 = 26;
/// Number of size classes per power of two. So a block of more than 256 bytes is at most an eighth larger than requested.
const STEPS: usize = 8;
/// Maximum number of bytes in the pool, unless the environment variable [`VARIABLE`] contains another number.
const LIMIT: usize = 256 << 20;
const VARIABLE: &str = "VIERBEIN_CUDA_POOL_BYTES";

/// The pool of one GPU: the addresses of the free blocks, by size class.
#[derive(Debug, Default)]
pub(super) struct Pooled(Mutex<Blocks>);

#[derive(Debug)]
struct Blocks {
    addresses: [Vec<u64>; (LARGEST - SMALLEST) as usize * STEPS + 1],
    bytes: usize,
}

impl Default for Blocks {
    fn default() -> Self {
        Blocks { addresses: [const { Vec::new() }; _], bytes: 0 }
    }
}

fn limit() -> usize {
    static FOUND: OnceLock<usize> = OnceLock::new();
    *FOUND.get_or_init(|| limit_from_environment(VARIABLE).unwrap_or(LIMIT))
}

/// Returns the size class of `bytes` bytes. Returns `None` if blocks of this size are not kept, or if `limit` is 0.
fn class(bytes: usize, limit: usize) -> Option<usize> {
    if limit == 0 || bytes > 1 << LARGEST {
        return None;
    }
    let bytes = bytes.max(1 << SMALLEST);
    // Round up to a multiple of an eighth of the largest power of two that is at most `bytes`.
    let eighth = (1 << bytes.ilog2()) / STEPS;
    let rounded = bytes.next_multiple_of(eighth);
    let exponent = rounded.ilog2();
    let step = rounded / ((1 << exponent) / STEPS) - STEPS;
    Some((exponent - SMALLEST) as usize * STEPS + step)
}

/// Returns the size of the blocks of a size class, in bytes.
fn size(class: usize) -> usize {
    (STEPS + class % STEPS) * ((1 << (class / STEPS + SMALLEST as usize)) / STEPS)
}

/// Returns the size of the block to allocate for `bytes` bytes.
pub(super) fn rounded(bytes: usize) -> usize {
    class(bytes, limit()).map_or(bytes, size)
}

impl Pooled {
    /// Takes a block for `bytes` bytes from the pool, if the pool has one.
    pub(super) fn take(&self, bytes: usize) -> Option<u64> {
        let class = class(bytes, limit())?;
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let address = blocks.addresses[class].pop()?;
        blocks.bytes -= size(class);
        Some(address)
    }

    /// Adds a block that was allocated for `bytes` bytes to the pool. Returns its address if the pool cannot keep it.
    pub(super) fn put(&self, address: u64, bytes: usize) -> Option<u64> {
        let Some(class) = class(bytes, limit()) else { return Some(address) };
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if blocks.bytes + size(class) > limit() {
            return Some(address);
        }
        blocks.bytes += size(class);
        blocks.addresses[class].push(address);
        None
    }

    /// Removes all blocks from the pool. Returns their addresses, so that the caller returns them to the driver.
    pub(super) fn drain(&self) -> Vec<u64> {
        let blocks = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        blocks.addresses.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{class, size};

    #[test]
    fn blocks_hold_requested_bytes() {
        for bytes in
            (1..5000).chain([65_537, 1_000_000, (1 << 20) - 1, 1 << 20, 8_000_000, (1 << 26) - 1, 1 << 26])
        {
            let class = class(bytes, 1).unwrap();
            let size = size(class);
            assert!(size >= bytes && (size <= bytes + bytes / 8 || size == 256), "{size} for {bytes}");
            assert_eq!(super::class(size, 1), Some(class), "a block's own size");
            assert!(class < super::Blocks::default().addresses.len());
        }
        assert_eq!(class((1 << 26) + 1, 1), None);
        assert_eq!(class(8, 0), None);
    }
}
