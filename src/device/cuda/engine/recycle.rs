//! Small blocks that were given back, for the next ones who ask. Everything happens on one stream: who gets a block writes to it
//! after all that was asked of it before is done, so nobody has to wait, and the driver not to be asked.

use std::sync::{Mutex, OnceLock, PoisonError};

/// The exponents of the smallest and the largest blocks' sizes.
const SMALLEST: u32 = 8;
const LARGEST: u32 = 20;
/// As many bytes are kept, if the environment does not say otherwise.
const LIMIT: usize = 64 << 20;
const VARIABLE: &str = "VIERBEIN_CUDA_RECYCLE_BYTES";

/// Addresses of blocks, by their sizes.
#[derive(Debug, Default)]
pub(super) struct Recycled(Mutex<Blocks>);

#[derive(Debug, Default)]
struct Blocks {
    addresses: [Vec<u64>; (LARGEST - SMALLEST + 1) as usize],
    bytes: usize,
}

fn limit() -> usize {
    static FOUND: OnceLock<usize> = OnceLock::new();
    *FOUND.get_or_init(|| std::env::var(VARIABLE).ok().and_then(|bytes| bytes.parse().ok()).unwrap_or(LIMIT))
}

/// Which blocks hold so many bytes; none are kept of more, or where nothing is kept.
fn class(bytes: usize, limit: usize) -> Option<usize> {
    let exponent = bytes.next_power_of_two().trailing_zeros().max(SMALLEST);
    (limit > 0 && exponent <= LARGEST).then_some((exponent - SMALLEST) as usize)
}

fn size(class: usize) -> usize {
    1 << (class as u32 + SMALLEST)
}

/// How large a block for so many bytes is.
pub(super) fn rounded(bytes: usize) -> usize {
    class(bytes, limit()).map_or(bytes, size)
}

impl Recycled {
    /// A block for so many bytes, if one is kept.
    pub(super) fn take(&self, bytes: usize) -> Option<u64> {
        let class = class(bytes, limit())?;
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let address = blocks.addresses[class].pop()?;
        blocks.bytes -= size(class);
        Some(address)
    }

    /// Keeps a block that was made for so many bytes. One that there is no room for comes back.
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

    /// All blocks, to be given back to the driver.
    pub(super) fn drain(&self) -> Vec<u64> {
        let blocks = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        blocks.addresses.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{class, size};

    #[test]
    fn blocks_hold_what_was_asked_for() {
        for bytes in [1, 8, 255, 256, 257, 1000, 4096, 65_537, (1 << 20) - 1, 1 << 20] {
            let size = size(class(bytes, 1).unwrap());
            assert!(size >= bytes && (size < 2 * bytes || size == 256), "{size} for {bytes}");
        }
        assert_eq!(class((1 << 20) + 1, 1), None);
        assert_eq!(class(8, 0), None);
    }
}
