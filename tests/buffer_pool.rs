//! Tests of the CPU's buffer pool: its limit, which buffers it reuses, and when it frees them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use vierbein::prelude::*;

/// Empties the buffer pool and sets its limit. The pool is global to the process, so the returned guard excludes other tests.
fn limit_pool_to(bytes: usize) -> MutexGuard<'static, ()> {
    static LIMIT: Mutex<()> = Mutex::new(());
    let guard = LIMIT.lock().unwrap_or_else(PoisonError::into_inner);
    Cpu::trim_pool();
    Cpu::set_pool_limit(bytes);
    assert_eq!(Cpu::pool_limit(), bytes);
    assert_eq!(Cpu::pooled_bytes(), 0);
    guard
}

const MIB: usize = 1 << 20;

fn ones(elements: usize) -> Tensor<u8, Rank<1>> {
    Tensor::ones([elements])
}

/// Returns whether two large results can be in the same block, given the addresses of their first elements. The elements begin within the
/// first page of a block.
fn are_in_one_block<T>(x: *const T, y: *const T) -> bool {
    x.addr().abs_diff(y.addr()) < 4096
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "no memory is kept for reuse in this build")]
fn pool_keeps_and_reuses_buffers() {
    let _kept = limit_pool_to(64 * MIB);
    let x = ones(3 * MIB);
    let address = x.as_slice().as_ptr();
    drop(x);
    let kept = Cpu::pooled_bytes();
    assert!((3 * MIB..3 * MIB + 8192).contains(&kept), "{kept}");
    let y = Tensor::<i8, _>::full([3, 1000, 1000], -5);
    assert!(are_in_one_block(y.as_slice().as_ptr(), address.cast()));
    assert_eq!(Cpu::pooled_bytes(), 0);
    assert!(y.as_slice().iter().all(|&value| value == -5));
}

#[test]
fn zeroed_results_are_zero_with_pool() {
    let _kept = limit_pool_to(64 * MIB);
    let dirty = || drop(Tensor::<u8, _>::full([2 * MIB], 0xff));
    dirty();
    let zeros = Tensor::<i8, _>::zeros([2 * MIB]);
    assert_eq!(Cpu::pooled_bytes(), 0);
    assert!(zeros.as_slice().iter().all(|&x| x == 0));
    drop(zeros);
    dirty();
    let none = Tensor::<bool, _>::full([2 * MIB], false);
    assert_eq!(Cpu::pooled_bytes(), 0);
    assert!(none.as_slice().iter().all(|&x| !x));
}

/// The safe functions `alloc` and `alloc_zeroed` return zeros, never the old contents of a reused buffer.
#[test]
fn alloc_and_release_return_zeros() {
    let _kept = limit_pool_to(64 * MIB);
    for len in [1, 8192, 2 * MIB] {
        drop(Tensor::<u64, _>::full([len], u64::MAX));
        let shown = Cpu.release(Cpu.alloc::<u64>(len).unwrap()).unwrap();
        assert_eq!(shown.len(), len);
        assert!(shown.iter().all(|&value| value == 0), "{len} elements");
        drop(vec![u64::MAX; len]);
        let shown = Cpu.release(Cpu.alloc_zeroed::<u64>(len).unwrap()).unwrap();
        assert!(shown.iter().all(|&value| value == 0), "{len} elements");
    }
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "no memory is kept for reuse in this build")]
fn trim_frees_all_buffers() {
    let _kept = limit_pool_to(64 * MIB);
    let (x, y) = (ones(MIB), ones(2 * MIB));
    assert_eq!(Cpu::trim_pool(), 0);
    drop((x, y));
    let kept = Cpu::pooled_bytes();
    assert!(kept >= 3 * MIB);
    assert_eq!(Cpu::trim_pool(), kept);
    assert_eq!((Cpu::pooled_bytes(), Cpu::trim_pool()), (0, 0));
    // After `trim_pool`, the pool still accepts freed buffers.
    drop(ones(MIB));
    assert!(Cpu::pooled_bytes() >= MIB);
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "no memory is kept for reuse in this build")]
fn pool_respects_limit_and_evicts_oldest() {
    let _kept = limit_pool_to(8 * MIB);
    let all: [_; 12] = core::array::from_fn(|_| ones(MIB));
    let addresses: Vec<_> = all.iter().map(|x| x.as_slice().as_ptr()).collect();
    for x in all {
        drop(x);
        assert!(Cpu::pooled_bytes() <= 8 * MIB);
    }
    let kept = Cpu::pooled_bytes();
    assert!(kept > 6 * MIB);
    // The most recently freed buffers are reused, the last one first.
    let again: Vec<_> = (0..6).map(|_| ones(MIB)).collect();
    for (x, &address) in again.iter().zip(addresses.iter().rev()) {
        assert!(are_in_one_block(x.as_slice().as_ptr(), address));
    }
    drop(again);
    // A buffer larger than the limit is not kept, and evicts no others.
    let kept = Cpu::pooled_bytes();
    drop(ones(9 * MIB));
    assert_eq!(Cpu::pooled_bytes(), kept);
    Cpu::set_pool_limit(3 * MIB);
    let kept = Cpu::pooled_bytes();
    assert!((MIB..=3 * MIB).contains(&kept), "{kept}");
    Cpu::set_pool_limit(0);
    assert_eq!(Cpu::pooled_bytes(), 0);
    drop(ones(MIB));
    assert_eq!(Cpu::pooled_bytes(), 0);
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "no memory is kept for reuse in this build")]
fn buffers_are_reused_for_similar_sizes() {
    let _kept = limit_pool_to(64 * MIB);
    drop(ones(4 * MIB));
    let kept = Cpu::pooled_bytes();
    let small = ones(3 * MIB);
    assert_eq!(Cpu::pooled_bytes(), kept);
    let large = ones(5 * MIB);
    assert_eq!(Cpu::pooled_bytes(), kept);
    // The pooled block was allocated with the alignment of `u8`. A result of `f64` needs a block that was allocated with the alignment of
    // `f64`, so the pooled block is not reused.
    let other = Tensor::<f64, _>::ones([MIB / 2]);
    assert_eq!(Cpu::pooled_bytes(), kept);
    let fits = ones(4 * MIB - 100_000);
    assert_eq!(Cpu::pooled_bytes(), 0);
    drop((small, large, other, fits));
    // The pool reuses the smallest buffer that is large enough.
    let kept = Cpu::pooled_bytes();
    let fits = ones(4 * MIB - 200_000);
    assert!(kept - Cpu::pooled_bytes() < 4 * MIB + 8192);
    drop(fits);
}

#[test]
fn a_pooled_result_becomes_a_vec() {
    let _kept = limit_pool_to(64 * MIB);
    for round in 0..3 {
        let x = Tensor::<u32, _>::from_fn([500, 700], |[i, j]| (i * 700 + j + round) as u32);
        let at = x.as_slice().as_ptr() as usize;
        let mut data = x.into_vec();
        // `into_vec` keeps the buffer. It moves the elements by less than a page, to the start of the allocation.
        assert!((data.as_ptr() as usize..data.as_ptr() as usize + 4096).contains(&at));
        assert_eq!(data.len(), 350_000);
        assert!(data.iter().enumerate().all(|(k, &value)| value as usize == k + round));
        let (pointer, spare) = (data.as_ptr(), data.capacity() - data.len());
        data.extend(core::iter::repeat_n(7, spare));
        assert_eq!(data.as_ptr(), pointer);
        assert!(data[350_000..].iter().all(|&value| value == 7));
        // The `Vec` can be resized, and the global allocator can free it.
        data.push(8);
        data.shrink_to_fit();
        assert_eq!((data[0], data[349_999], data.last()), (round as u32, 349_999 + round as u32, Some(&8)));
        // Returns a buffer to the pool, so that the next round starts with a reused buffer.
        drop(Tensor::<u32, _>::ones([500, 700]));
    }
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "a `Vec` loses its spare capacity in this build")]
fn tensor_from_vec_returns_same_vec() {
    assert_eq!(Tensor::<i64, _>::from(Vec::with_capacity(5)).into_vec().capacity(), 5);
    for elements in [1, 1000, 1_000_000] {
        let mut data = vec![3i64; elements];
        data.reserve_exact(10);
        let (pointer, capacity) = (data.as_ptr(), data.capacity());
        let x = Tensor::<i64, _>::from(data);
        assert_eq!(x.as_slice().as_ptr(), pointer);
        let data = x.into_vec();
        assert_eq!((data.as_ptr(), data.len(), data.capacity()), (pointer, elements, capacity));
        assert!(data.iter().all(|&value| value == 3));
    }
}

#[test]
fn a_copy_to_a_vec_is_not_moved() {
    let _kept = limit_pool_to(64 * MIB);
    for _ in 0..2 {
        let x = Tensor::<f32, _>::from_fn([300, 400], |[i, j]| (i * 400 + j) as f32);
        let data = x.t().to_vec();
        assert_eq!((data[1], data[300], data.len()), (400.0, 1.0, 120_000));
        drop(x.t().to_owned());
    }
}

#[test]
#[cfg_attr(
    vierbein_exact_memory,
    ignore = "large results have the alignment of their elements in this build"
)]
fn large_results_are_aligned_to_cache_lines() {
    let _kept = limit_pool_to(64 * MIB);
    fn check<T: Scalar>() {
        let zero_length = Tensor::<T, _>::ones([3, 0]);
        assert!(zero_length.as_slice().is_empty());
        assert_eq!(zero_length.into_vec(), []);
        for elements in [1, 10_000, 131_072, 131_073, 200_001, 3_000_000] {
            for _ in 0..2 {
                let x = Tensor::<T, _>::ones([elements]);
                let bytes = elements * size_of::<T>();
                if bytes >= 128 << 10 {
                    assert_eq!(x.as_slice().as_ptr() as usize % 64, 0, "{bytes} bytes");
                }
                // Another owner of this memory would write more than a few elements of it.
                let sum = &x + &x;
                assert!(sum.as_slice().iter().step_by(7).all(|&value| value == T::one() + T::one()));
                assert!(x.into_vec().iter().step_by(7).all(|&value| value == T::one()));
            }
        }
    }
    check::<f32>();
    check::<f64>();
    check::<Complex<f32>>();
    check::<Complex<f64>>();
    check::<i8>();
    check::<i16>();
    check::<i32>();
    check::<i64>();
    check::<u8>();
    check::<u16>();
    check::<u32>();
    check::<u64>();
    for elements in [0, 1, 131_072, 1_000_000] {
        let x = Tensor::<u8, _>::from_fn([elements], |[i]| (i % 3) as u8);
        let odd = x.equal(1);
        assert!(elements < 128 << 10 || (odd.as_slice().as_ptr() as usize).is_multiple_of(64));
        assert!(odd.as_slice().iter().enumerate().all(|(i, &is)| is == (i % 3 == 1)));
        assert!(odd.into_vec().iter().enumerate().all(|(i, &is)| is == (i % 3 == 1)));
    }
}

/// Loops over tensors that begin at the same page offset are slow on some processors, so consecutive results begin at different ones.
#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "results begin where their memory begins in this build")]
fn consecutive_large_results_begin_at_different_page_offsets() {
    let _kept = limit_pool_to(64 * MIB);
    let apart = |x: &Tensor<u8, Rank<1>>, y: &Tensor<u8, Rank<1>>| {
        let distance = x.as_slice().as_ptr().addr().wrapping_sub(y.as_slice().as_ptr().addr()) % 4096;
        (512..=4096 - 512).contains(&distance)
    };
    // Results of other tests may be allocated in between, so one success is enough.
    let found = (0..100).any(|_| {
        let (a, b) = (ones(MIB), ones(MIB));
        let c = &a + &b;
        apart(&a, &b) && apart(&a, &c) && apart(&b, &c)
    });
    assert!(found);
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "no memory is kept for reuse in this build")]
fn pool_is_freed_if_allocation_fails() {
    let _kept = limit_pool_to(64 * MIB);
    // On a 32-bit system, one allocation of this size can succeed. `_half` is such an allocation, so that a second one fails for lack of
    // address space.
    let _half =
        cfg!(target_pointer_width = "32").then(|| Tensor::<u8, _>::try_zeros([isize::MAX as usize - 8192]));
    drop(ones(2 * MIB));
    assert!(Cpu::pooled_bytes() > 0);
    let error = Tensor::<u8, _>::try_zeros([isize::MAX as usize - 8192]).unwrap_err();
    assert!(matches!(error, vierbein::Error::OutOfMemory { .. }), "{error}");
    assert_eq!(Cpu::pooled_bytes(), 0);
    // This size is so close to the limit of an allocation that adding an alignment or a header would overflow.
    let error = Tensor::<u8, _>::try_zeros([isize::MAX as usize]).unwrap_err();
    assert!(matches!(error, vierbein::Error::OutOfMemory { .. }), "{error}");
}
