//! Tests of `pool.rs`.

use super::super::CpuBuffer;
use super::*;
use crate::element::{Element, c64};

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).unwrap()
}

#[test]
fn usual_limit_is_an_eighth_of_the_memory_and_bounded() {
    const GIB: u64 = 1 << 30;
    for (memory, bits, expected) in [
        (Some(8 * GIB), 64, GIB),
        (Some(1024 * GIB), 64, 4 * GIB),
        (None, 64, GIB / 4),
        (Some(2 * GIB), 32, GIB / 4),
        // This machine has more memory than 32-bit pointers can address.
        (Some(64 * GIB), 32, GIB),
        (None, 32, GIB / 4),
    ] {
        assert_eq!(usual_limit(memory, bits), expected, "{memory:?}, {bits} bits");
    }
    assert!(usize::try_from(usual_limit(Some(u64::MAX), usize::BITS)).is_ok());
}

fn block(bytes: usize, align: usize) -> Block {
    Block::fresh(layout(bytes, align), Fill::Anything).unwrap()
}

const KIB: usize = 1024;

#[test]
fn the_best_fit_of_its_alignment_is_taken() {
    let pool = Pool::new(Some(usize::MAX));
    for (bytes, align) in [(1000, 8), (800, 8), (900, 8), (900, 4), (800, 8), (600, 8)] {
        pool.put(block(bytes * KIB, align));
    }
    let starts: Vec<_> = pool.lock().blocks.iter().map(Block::start).collect();
    let taken = [(); 5].map(|()| pool.take(layout(780 * KIB, 8)));
    let at = |k: usize| Some(starts[k]);
    assert_eq!(taken.each_ref().map(|b| b.as_ref().map(Block::start)), [at(4), at(1), at(2), None, None]);
    assert_eq!(pool.lock().bytes, 2500 * KIB);
    // A block needs space in addition to the elements, so that they can begin at any page offset.
    assert!(pool.take(layout(600 * KIB, 8)).is_none());
    assert!(pool.take(layout(600 * KIB - PAGE_BYTES, 8)).is_some());
    assert!(pool.take(layout(usize::MAX / 2 - 4, 4)).is_none());
    assert_eq!(pool.trim(), 1900 * KIB);
}

#[test]
fn blocks_are_bounded_in_bytes_and_in_number() {
    let pool = Pool::new(Some(10 * KIB));
    for bytes in [1, 2, 3, 4, 5, 11] {
        pool.put(block(bytes * KIB, 8));
        assert!(pool.lock().bytes <= 10 * KIB);
    }
    let sizes = |pool: &Pool| pool.lock().blocks.iter().map(|b| b.bytes() / KIB).collect::<Vec<_>>();
    assert_eq!(sizes(&pool), [4, 5]);
    pool.set_limit(8 * KIB);
    assert_eq!(sizes(&pool), [5]);
    pool.set_limit(usize::MAX);
    for _ in 0..MAX_POOL_BLOCKS {
        pool.put(block(KIB, 8));
    }
    assert_eq!(sizes(&pool), vec![1; MAX_POOL_BLOCKS]);
}

#[test]
fn a_panic_under_the_lock_leaves_it_usable() {
    let pool = Pool::new(Some(10 * KIB));
    let panicked = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let _held = pool.lock();
            std::panic::resume_unwind(Box::new(()));
        });
        thread.join()
    });
    assert!(panicked.is_err() && pool.0.is_poisoned());
    pool.put(block(KIB, 8));
    assert_eq!(pool.trim(), KIB);
}

#[test]
fn a_limit_is_a_number_of_bytes() {
    assert_eq!(parse("0"), Some(0));
    assert_eq!(parse(" 1048576\n"), Some(1 << 20));
    assert_eq!(["", "-1", "1M", "1e9"].map(parse), [None; 4]);
}

/// A buffer that is filled with the value `mark`. `check` asserts later that all elements are still equal to `mark`. If another buffer
/// used the same memory, they would not be.
struct Marked<T: Element> {
    buffer: CpuBuffer<T>,
    mark: T,
}

/// Compares each element with the one before it. For bytes, this is a single comparison of memory, which is fast in builds without
/// optimisation, too.
fn all_equal<T: Element>(data: &[T], mark: T) -> bool {
    data.first().is_none_or(|&first| first == mark && data[1..] == data[..data.len() - 1])
}

impl<T: Element> Marked<T> {
    fn new(len: usize, mark: T) -> Self {
        let mut buffer = CpuBuffer::any(len).unwrap();
        buffer.as_mut_slice().fill(mark);
        Marked { buffer, mark }
    }

    fn check(&self) {
        assert!(all_equal(self.buffer.as_slice(), self.mark));
    }

    fn free(self, how: usize) {
        self.check();
        match how % 4 {
            0 => {
                let data = self.buffer.into_vec().unwrap();
                assert!(all_equal(&data, self.mark));
                Marked { buffer: CpuBuffer::from_vec(data), mark: self.mark }.check();
            }
            1 => drop(self.buffer.into_vec().unwrap()),
            _ => drop(self.buffer),
        }
    }
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "no memory is kept for reuse in this build")]
fn memory_in_use_is_not_handed_out() {
    const THREADS: usize = 8;
    const ROUNDS: usize = if cfg!(miri) { 4 } else { 300 };
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                // Knuth's linear congruential generator; each thread has its own seed.
                let mut state = thread as u64 + 1;
                let mut random = |below: usize| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (state >> 33) as usize % below
                };
                let (mut bytes, mut wide) = (Vec::new(), Vec::new());
                for round in 0..ROUNDS {
                    let len = (MIN_POOLED_BYTES << random(3)) + random(MIN_POOLED_BYTES / 4);
                    bytes.push(Marked::new(len, (thread * 31 + round) as u8));
                    wide.push(Marked::new(len / 16, c64::new(thread as f64, round as f64)));
                    if bytes.len() > random(6) {
                        bytes.swap_remove(random(bytes.len())).free(round);
                        wide.swap_remove(random(wide.len())).free(round + 1);
                    }
                    if thread == 0 && round % 64 == 63 {
                        KEPT.trim();
                    }
                }
                bytes.into_iter().for_each(|marked| marked.free(2));
                wide.into_iter().for_each(|marked| marked.free(3));
            });
        }
    });
}
