//! Compares the kernels with the standard library's stable sort, to the bit, at each SIMD level and for several threads.

use super::erased::AnySlice;
use super::key::Key;
use super::search::{self, Find};
use super::words::Bounds;
use super::{argsort, argsort_short_keys};
use crate::device::cpu::bytes;
use crate::simd::tests::at_each_level;
use core::cmp::Ordering;
use core::fmt::Debug;

/// An element type. The order and the bits of its elements are computed without the kernels.
#[allow(private_bounds, reason = "the tests in `tests/kernels` need no method of `Key`")]
pub(crate) trait Sample: Key {
    type Bits: Ord + Debug + Send;
    fn bits(self) -> Self::Bits;
    fn compare(self, other: Self) -> Ordering;
    /// Converts an integer to an element. Larger integers give larger elements, unless the conversion wraps.
    fn of(x: i64) -> Self;
    /// Returns elements at which kernels can fail: extrema and, for floating-point types, NaN and both zeros.
    fn special() -> Vec<Self>;
}

macro_rules! integers {
    ($($T:ty)*) => {$(
        impl Sample for $T {
            type Bits = $T;
            fn bits(self) -> $T { self }
            fn compare(self, other: $T) -> Ordering { self.cmp(&other) }
            fn of(x: i64) -> $T { x as $T }
            fn special() -> Vec<$T> { vec![<$T>::MIN, <$T>::MAX, 0, 1, <$T>::MAX - 1, <$T>::MIN + 1] }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($T:ident $Bits:ty;)*) => {$(
        impl Sample for $T {
            type Bits = $Bits;
            fn bits(self) -> $Bits { self.to_bits() }
            fn compare(self, other: $T) -> Ordering {
                match (self.is_nan(), other.is_nan()) {
                    (false, false) => self.partial_cmp(&other).unwrap(),
                    (a, b) => a.cmp(&b),
                }
            }
            fn of(x: i64) -> $T { x as $T / 16.0 }
            fn special() -> Vec<$T> {
                let other_nan = $T::from_bits($T::NAN.to_bits() | 5);
                vec![0.0, -0.0, $T::NAN, other_nan, -$T::NAN, $T::INFINITY, $T::NEG_INFINITY, $T::MIN_POSITIVE / 4.0,
                    -$T::MIN_POSITIVE / 4.0, $T::MAX, $T::MIN, 1.0, 1.0 + $T::EPSILON]
            }
        }
    )*};
}
floats! { f32 u32; f64 u64; }

/// Returns pseudo-random numbers.
pub(crate) fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

/// Returns lines of `n` elements with different patterns.
fn lines<T: Sample>(n: usize) -> Vec<Vec<T>> {
    let mut next = random(n as u64 + 99);
    let special = T::special();
    let count = n as i64;
    let mut lines: Vec<Vec<T>> = vec![
        (0..n).map(|_| T::of(next() as i64)).collect(),
        (0..count).map(T::of).collect(),
        (0..count).rev().map(T::of).collect(),
        (0..n).map(|_| T::of(7)).collect(),
        (0..n).map(|_| T::of((next() % 2) as i64)).collect(),
        (0..n).map(|_| T::of((next() % 10) as i64)).collect(),
        (0..n).map(|_| T::of((next() % 100) as i64 - 50)).collect(),
        (0..count).map(|i| T::of(i.min(count - i))).collect(),
        (0..n).map(|_| special[next() as usize % special.len()]).collect(),
        (0..n).map(|_| special[next() as usize % 2]).collect(),
        (0..n).map(|_| special[2 % special.len()]).collect(),
        // Great elements at regular distances, where `top` samples a line.
        (0..n)
            .map(|i| T::of(if i % (n / 64).max(1) == 0 { 100 + i as i64 % 20 } else { i as i64 % 7 }))
            .collect(),
    ];
    let mut one = lines[0].clone();
    if let Some(x) = one.get_mut(n / 3) {
        *x = special[2 % special.len()];
    }
    lines.push(one);
    lines
}

/// Returns the indices that a stable sort gives, with NaN last in both directions.
pub(crate) fn sorted_indices<T: Sample>(x: &[T], descending: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    if descending {
        order.sort_by(|&a, &b| x[b].compare(x[a]));
        // `compare` puts NaN last, so all NaN are first now.
        let nans = order.iter().take_while(|&&i| T::has_nan(&[x[i]])).count();
        order.rotate_left(nans);
    } else {
        order.sort_by(|&a, &b| x[a].compare(x[b]));
    }
    order
}

/// Variant of [`sorted_indices`] that returns the element type of the results of `argsort`.
fn sorted_i64<T: Sample>(x: &[T], descending: bool) -> Vec<i64> {
    sorted_indices(x, descending).into_iter().map(|i| i as i64).collect()
}

fn any<T: Sample>(x: &[T]) -> AnySlice<'_> {
    AnySlice::from_bits(T::DTYPE, x)
}

pub(crate) fn bits<T: Sample>(x: &[T]) -> Vec<T::Bits> {
    x.iter().map(|x| x.bits()).collect()
}

/// Checks all operations at each SIMD level. The expected results, which take longer in builds without optimisation, are computed once.
/// These builds also partition at every other `k` only, and test `top` there in one direction. Both alternate with `round`.
fn check<T: Sample>(x: &[T], round: usize) {
    let orders = [sorted_i64(x, false), sorted_i64(x, true)];
    let [ascending, descending] =
        orders.each_ref().map(|order| order.iter().map(|&i| x[i as usize]).collect::<Vec<T>>());
    // The elements as a multiset. Longer lines are not compared with it.
    let multiset = |x: &[T]| {
        let mut bits = bits(x);
        bits.sort_unstable();
        bits
    };
    let all = (x.len() <= 300).then(|| multiset(x));
    let mut distinct = ascending.clone();
    distinct.dedup_by(|a, b| a.compare(*b).is_eq());
    let expected = [&ascending, &descending];
    let wanted: Vec<T> = T::special().into_iter().chain(x.iter().copied().take(50)).collect();
    let count = |f: fn(Ordering) -> bool| -> Vec<i64> {
        wanted.iter().map(|&x| ascending.partition_point(|y| f(y.compare(x))) as i64).collect()
    };
    let less = count(Ordering::is_lt);
    // The first element that is not less than `x` is `x`, if it is found. NaN is never found.
    let contained = wanted.iter().zip(&less).map(|(x, &i)| i64::from(ascending.get(i as usize) == Some(x)));
    let contained = contained.collect();
    let found = [(Find::Less, less), (Find::LessOrEqual, count(Ordering::is_le)), (Find::Equal, contained)];
    at_each_level(|| {
        for (find, expected) in &found {
            let mut results = vec![-1; wanted.len()];
            search::find(&ascending, &wanted, *find, &mut results);
            assert!(results == *expected, "{find:?}: {wanted:?} in {ascending:?} gave {results:?}");
        }
        for (down, (expected, order)) in [false, true].into_iter().zip(expected.iter().zip(&orders)) {
            let mut sorted = x.to_vec();
            T::sort(&mut sorted, down).unwrap();
            assert!(bytes(&sorted) == bytes(expected), "{x:?}\ngave {sorted:?}\ninstead of {expected:?}");
            let mut indices = vec![-1; x.len()];
            argsort::argsort(any(x), &mut indices, down, &mut argsort_short_keys::Buffers::default())
                .unwrap();
            assert!(indices == *order, "argsort of {x:?} gave {indices:?}");
        }
        let ends = [0, x.len() / 40, x.len() / 5, x.len() / 2, x.len().saturating_sub(1), x.len()];
        for (i, k) in ends.into_iter().enumerate() {
            if cfg!(debug_assertions) && (i + round).is_multiple_of(2) {
                continue;
            }
            let mut parts = x.to_vec();
            if k < x.len() {
                T::partition(&mut parts, k).unwrap();
                let kth = ascending[k];
                assert_eq!(parts[k].compare(kth), Ordering::Equal, "{k} of {x:?}");
                assert!(parts[..k].iter().all(|x| x.compare(kth).is_le()), "{k} of {x:?}");
                assert!(parts[k..].iter().all(|x| x.compare(kth).is_ge()), "{k} of {x:?}");
                assert!(all.as_ref().is_none_or(|all| multiset(&parts) == *all), "{k} of {x:?}");
            }
            let mut indices = vec![-1; k];
            for (descending, order) in [false, true].into_iter().zip(&orders) {
                if cfg!(debug_assertions) && (round / 2 + i / 2).is_multiple_of(2) == descending {
                    continue;
                }
                argsort::top(any(x), &mut indices, descending).unwrap();
                assert!(indices == order[..k], "{k} of {x:?}, descending {descending}");
            }
        }
        let mut unique = x.to_vec();
        T::sort(&mut unique, false).unwrap();
        let n = T::remove_repeated(&mut unique);
        assert_eq!(bits(&unique[..n]), bits(&distinct));
    });
}

fn check_lengths<T: Sample>(lengths: impl Iterator<Item = usize>) {
    for (i, n) in lengths.enumerate() {
        for (j, x) in lines::<T>(n).iter().enumerate() {
            check(x, i + j);
        }
    }
}

/// Returns lengths near multiples of the number of elements of a register, and of those that a partition processes in one step. Builds
/// without optimisation sort slowly, so they test fewer lengths.
fn few() -> impl Iterator<Item = usize> {
    let all = (0..20).chain([31, 32, 33, 63, 64, 65, 127, 128, 129, 130, 191, 255, 256, 257, 258, 300, 1000]);
    let fewer =
        |n: &usize| !cfg!(debug_assertions) || [0, 1, 2, 3, 7, 8, 9, 17, 33, 65, 129, 257, 1000].contains(n);
    all.filter(fewer)
}

#[test]
fn short_lines_sort_like_std() {
    let step = if cfg!(debug_assertions) { 13 } else { 3 };
    check_lengths::<f64>((0..=300).step_by(step));
    check_lengths::<f32>((1..=300).step_by(step));
}

#[test]
fn integers_sort_like_std() {
    check_lengths::<i32>(few());
    check_lengths::<i64>(few());
    check_lengths::<u32>(few());
    check_lengths::<u64>(few());
}

#[test]
fn small_types_sort_like_std() {
    check_lengths::<i8>(few());
    check_lengths::<u8>(few());
    check_lengths::<i16>(few());
    check_lengths::<u16>(few().chain([5000]));
}

#[test]
fn long_lines_sort_like_std() {
    let long = if cfg!(debug_assertions) { 3000 } else { 5000 };
    check_lengths::<f64>([2047, 2048, long].into_iter());
    check_lengths::<f32>([2047, 2048, long].into_iter());
    check_lengths::<i64>([long].into_iter());
    check_lengths::<i32>([long].into_iter());
}

#[test]
fn argsort_distinguishes_keys_by_any_bit() {
    // `argsort` sorts words of 63 bits, each of which holds an index of 16 or 17 bits and bits of a key. If not all bits of the keys fit,
    // the lowest are left out, and a second sort compares them.
    for n in [1 << 16, (1 << 16) + 1] {
        let mut next = random(n);
        let lowest: Vec<u64> = (0..n).map(|_| (5 << 60) | (next() % 2)).collect();
        let both: Vec<u64> = (0..n).map(|_| ((next() % 4) << 62) | (next() % 3)).collect();
        let highest: Vec<i64> = (0..n).map(|_| (next() % 2) as i64 * i64::MIN).collect();
        let floats: Vec<f64> = (0..n).map(|_| f64::from_bits(next())).collect();
        if cfg!(debug_assertions) {
            // Builds without optimisation sort slowly, so they sort in one direction for each length.
            let odd = n % 2 == 1;
            argsort_like_std(&lowest, odd);
            argsort_like_std(&both, !odd);
            argsort_like_std(&highest, odd);
            argsort_like_std(&floats, !odd);
            continue;
        }
        check_argsort(&lowest);
        check_argsort(&both);
        check_argsort(&highest);
        check_argsort(&floats);
    }
}

/// Compares `argsort` with the standard library's stable sort, in both directions.
fn check_argsort<T: Sample>(x: &[T]) {
    argsort_like_std(x, false);
    argsort_like_std(x, true);
}

fn argsort_like_std<T: Sample>(x: &[T], descending: bool) {
    let expected = sorted_i64(x, descending);
    at_each_level(|| {
        let mut indices = vec![-1; x.len()];
        argsort::argsort(any(x), &mut indices, descending, &mut argsort_short_keys::Buffers::default())
            .unwrap();
        assert!(indices == expected);
    });
}

#[test]
fn argsort_by_positions() {
    fn has_few_repeated_positions<T: Sample>(x: &[T]) -> bool {
        let mut keys: Vec<u64> = x.iter().map(|x| x.key()).collect();
        let bounds = Bounds::of(&keys);
        let index_bits = usize::BITS - (x.len() - 1).leading_zeros();
        let buffers = &mut argsort_short_keys::Buffers::default();
        argsort_short_keys::sort(T::DTYPE, &mut keys, bounds, index_bits, buffers, &|_| ()).unwrap()
    }
    fn check<T: Sample>(x: &[T]) {
        // Without SIMD, short lines are not sorted by positions.
        assert!(x.len() <= 2048 || has_few_repeated_positions(x));
        // Builds without optimisation sort slowly, so they sort the longest lines in one direction. It depends on the bits of an element.
        if cfg!(debug_assertions) && x.len() > 5001 {
            argsort_like_std(x, x[7].key().is_multiple_of(2));
        } else {
            check_argsort(x);
        }
    }
    // With one bin, with several, and with the maximum number.
    for n in [400, 2048, 2049, 5001, (1 << 16) - 1] {
        let mut next = random(n as u64);
        let mut uniform = || (next() >> 11) as f64 / (1u64 << 53) as f64;
        let normal: Vec<f64> = (0..n).map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0).collect();
        check(&normal);
        check(&normal.iter().map(|&x| x as f32).collect::<Vec<_>>());
        check(&normal.iter().map(|&x| (x / 2.0).exp()).collect::<Vec<_>>());
        // Different elements with the same position, in any order, and zeros of both signs.
        let mut close = normal.clone();
        for i in (0..n - 2).step_by(100) {
            close[i + 1] = close[i].next_down();
            close[i + 2] = close[i].next_up();
        }
        (close[3], close[4], close[n - 2], close[n - 1]) = (0.0, -0.0, 0.0, -0.0);
        check(&close);
        // One in 23 elements is in a bin, which therefore has more than 2048 of the longest line.
        let x: Vec<f64> = (0..n).map(|i| uniform() * if i % 23 == 0 { 1e-5 } else { 1.0 }).collect();
        check(&x);
        // Builds without optimisation sort slowly.
        if cfg!(debug_assertions) && n > 5001 {
            continue;
        }
        let mut next = random(n as u64 + 1);
        check(&(0..n).map(|_| next() as i64).collect::<Vec<_>>());
        check(&(0..n).map(|_| next()).collect::<Vec<_>>());
        check(&(0..n).map(|_| (1 << 62) + next() % (1 << 40)).collect::<Vec<u64>>());
        check(&(0..n).map(|_| next() as i32).collect::<Vec<_>>());
        // Lines with elements that have no position, or mostly the same one.
        let others = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -f64::MAX, 1e9];
        for other in others {
            let mut x = normal.clone();
            (x[n / 3], x[n / 2]) = (other, 0.0);
            assert!(!has_few_repeated_positions(&x), "{other}");
            check_argsort(&x);
        }
        let small: Vec<f64> = normal.iter().map(|x| (x * 8.0).round() * f64::from_bits(1)).collect();
        // Equal elements have equal positions, but need no further sort.
        for x in [small, normal.iter().map(|x| (x * 8.0).round()).collect()] {
            check_argsort(&x);
        }
    }
}

#[test]
#[cfg(feature = "rayon")]
fn threads_do_not_change_results() {
    fn on_threads<T: Sample>(x: &[T]) {
        let order = sorted_i64(x, false);
        let expected: Vec<T> = order.iter().map(|&i| x[i as usize]).collect();
        let k = x.len() / 3;
        let mut arrangements: Vec<Vec<Vec<T>>> = Vec::new();
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let of_levels = pool.install(|| {
                at_each_level(|| {
                    let mut sorted = x.to_vec();
                    T::sort(&mut sorted, false).unwrap();
                    assert!(bytes(&sorted) == bytes(&expected), "{threads} threads");
                    let mut indices = vec![-1; x.len()];
                    argsort::argsort(
                        any(x),
                        &mut indices,
                        false,
                        &mut argsort_short_keys::Buffers::default(),
                    )
                    .unwrap();
                    assert!(indices == order, "{threads} threads");
                    let mut parts = x.to_vec();
                    T::partition(&mut parts, k).unwrap();
                    parts
                })
            });
            arrangements.push(of_levels);
        }
        let [one, three] = &mut arrangements[..] else { panic!("two numbers of threads") };
        for (parts, of_three) in one.iter_mut().zip(three) {
            assert!(bytes(parts) == bytes(of_three));
            assert!(parts[k].compare(expected[k]).is_eq());
            assert!(parts[..k].iter().all(|x| x.compare(expected[k]).is_le()));
            assert!(parts[k..].iter().all(|x| x.compare(expected[k]).is_ge()));
            T::sort(parts, false).unwrap();
            assert!(bytes(parts) == bytes(&expected), "a partition loses elements");
        }
    }
    // Enough elements for several threads. The last chunk of a partition is shorter than the others.
    let n = (1 << 16) + 1009;
    let patterns = lines::<f64>(n);
    for pattern in [0, 7, 8, 9] {
        on_threads(&patterns[pattern]);
    }
    let mut next = random(7);
    on_threads::<f32>(&(0..n).map(|_| f32::of((next() % 100_000) as i64 - 50_000)).collect::<Vec<_>>());
    on_threads::<i64>(&(0..n).map(|_| (next() % 5) as i64).collect::<Vec<_>>());
}
