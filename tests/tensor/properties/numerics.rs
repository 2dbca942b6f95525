//! Tests of rounding errors, by comparison with exact results in 128-bit integers, and of norms at the limits of the range.

use super::check::cases;
use proptest::prelude::*;
use vierbein::{CastTo, ColMajor, Complex, Rank, RealFloat, Tensor, s};

/// Numbers `mantissa · 2^exponent` whose sums are exact in 128 bits.
struct Exact {
    /// The numbers in units of `2^LOWEST`.
    units: Vec<i128>,
    /// Their sum.
    sum: i128,
    /// The sum of their absolute values, which is not in units.
    sizes: f64,
}

const LOWEST: i32 = -20;

impl Exact {
    /// Returns `n` numbers of `digits` binary digits with exponents from -20 to 20. If `signs` is `true`, their signs are random.
    fn new(seed: u64, n: usize, digits: u32, signs: bool) -> Self {
        let mut x = seed | 1;
        let mut next = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x
        };
        let mut one = || {
            let (mantissa, exponent, sign) = (next() >> (64 - digits), next() % 41, next() % 2);
            let size = i128::from(mantissa) << exponent;
            if signs && sign == 0 { -size } else { size }
        };
        let (mut units, mut sum, mut sizes) = (Vec::with_capacity(n), 0, 0);
        for _ in 0..n {
            let unit = one();
            units.push(unit);
            sum += unit;
            sizes += unit.unsigned_abs();
        }
        Exact { units, sum, sizes: sizes as f64 * 2f64.powi(LOWEST) }
    }

    /// Returns the numbers as `f64`, without rounding.
    fn values(&self) -> Vec<f64> {
        let unit = 2f64.powi(LOWEST);
        self.units.iter().map(|&u| u as f64 * unit).collect()
    }

    /// Returns the error of a sum in units of `ε · Σ|x|`.
    fn error(&self, sum: f64, epsilon: f64) -> f64 {
        // Converts `sum` to units. The result is an integer, because `sum` is a rounded sum of multiples of one unit.
        let found = sum * 2f64.powi(-LOWEST);
        let difference =
            if found.abs() < 2f64.powi(120) { (found as i128 - self.sum) as f64 } else { f64::INFINITY };
        difference.abs() * 2f64.powi(LOWEST) / (epsilon * self.sizes).max(f64::MIN_POSITIVE)
    }
}

/// Returns sums of the same elements in different layouts: contiguous, reversed, strided, and as rows and columns of matrices in
/// both memory orders.
fn sums<T: RealFloat + CastTo<f64>>(values: &[T]) -> Vec<(&'static str, f64)> {
    let n = values.len();
    let x = Tensor::<T, Rank<1>>::from_slice([n], values);
    let rows = x.broadcast_to([3, n]).to_owned();
    let columns = rows.t().to_owned();
    let mut spread = Tensor::<T, Rank<2>>::full([n, 2], T::nan());
    spread.index_axis_mut(1, 0).assign(&x);
    let halves = n.is_multiple_of(2).then(|| x.as_shape([2, n / 2]).sum());
    let all = [
        ("whole", Some(x.sum())),
        ("backwards", Some(x.slice(s![..;-1]).sum())),
        ("every second", Some(spread.index_axis(1, 0).sum())),
        ("a row", Some(rows.sum_axis(1).slice(s![1]).to_owned())),
        ("a column", Some(columns.sum_axis(0).slice(s![2]).to_owned())),
        ("a column of a view", Some(spread.slice(s![.., 0..1]).sum_axis(0).slice(s![0]).to_owned())),
        ("a row, by columns", Some(rows.t().sum_axis(0).slice(s![0]).to_owned())),
        (
            "column-major",
            Some(rows.to_order::<ColMajor>().sum_axis(1).into_flipped().slice(s![1]).to_owned()),
        ),
        ("two axes", halves),
    ];
    all.into_iter().filter_map(|(name, sum)| Some((name, sum?.item().cast_to()))).collect()
}

fn sums_are_near(seed: u64, n: usize, signs: bool) {
    let bound = 1.0 + 2.0 * (n as f64).log2();
    let (wide, narrow) = (Exact::new(seed, n, 53, signs), Exact::new(seed, n, 24, signs));
    for (name, sum) in sums(&wide.values()) {
        let error = wide.error(sum, f64::EPSILON);
        assert!(error <= bound, "{name} of {n}: {error} roundings");
    }
    for (name, sum) in sums(&narrow.values().iter().map(|&v| v as f32).collect::<Vec<_>>()) {
        let error = narrow.error(sum, f32::EPSILON.into());
        assert!(error <= bound, "{name} of {n} in f32: {error} roundings");
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn sums_of_some(seed in any::<u64>(), n in 1usize..2000, signs in any::<bool>()) {
        sums_are_near(seed, n, signs);
    }

    /// Tests the variance of data whose mean is much larger than their standard deviation. The relative error may be proportional to
    /// the ratio of mean to standard deviation, but not to the square of this ratio.
    #[test]
    fn variance_far_from_zero(
        offset in prop_oneof![Just(0i64), Just(1_000), Just(1_000_000_000), Just(1_000_000_000_000)],
        noise in prop::collection::vec(-1000i64..1000, 2..400),
    ) {
        let n = noise.len() as i128;
        // The numbers are multiples of 1/1024, which are exact as integers and as `f64`.
        let units: Vec<i128> = noise.iter().map(|&v| i128::from(offset * 1024 + v)).collect();
        let (sum, squares) = (units.iter().sum::<i128>(), units.iter().map(|u| u * u).sum::<i128>());
        let exact = (n * squares - sum * sum) as f64 / (n * n) as f64 / 1024f64.powi(2);
        let values: Vec<f64> = units.iter().map(|&u| u as f64 / 1024.0).collect();
        let x = Tensor::<f64, Rank<1>>::from(values);
        let ratio = 1.0 + offset as f64 / exact.sqrt().max(1e-300);
        let bound = (8.0 + (n as f64).log2()) * f64::EPSILON * (ratio * exact).max(offset as f64 * 1e-3 * f64::EPSILON);
        let column = x.insert_axis(1).broadcast_to([x.len(), 5]).to_owned();
        for found in [x.var(0).item(), column.var_axis(0, 0)[[3]]] {
            assert!((found - exact).abs() <= bound, "{found} instead of {exact}");
        }
        let z = x.map(|v| Complex::new(v, -v));
        assert!((z.var(0).item() - 2.0 * exact).abs() <= 2.0 * bound);
    }

    /// If all elements are multiplied by a power of two, only the exponent of their norm changes. The powers cover the whole range
    /// of `f64`.
    #[test]
    fn norms_of_all_sizes(
        values in prop::collection::vec(prop_oneof![4 => -8.0..8.0, 1 => Just(0.0)], 1..300),
        exponent in -1060i32..1010,
    ) {
        let scale = |v: f64| v * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
        let scaled: Vec<f64> = values.iter().copied().map(scale).collect();
        let x = Tensor::<f64, Rank<1>>::from(scaled.clone());
        // Computes the expected norm from the elements scaled back, not from `values`. Subnormal elements were rounded when they were
        // scaled.
        let back: Vec<f64> = scaled.iter().map(|v| v * 2f64.powi(-exponent / 2) * 2f64.powi(exponent / 2 - exponent)).collect();
        let expected = back.iter().map(|v| v * v).sum::<f64>().sqrt();
        let found = x.norm().item();
        let found = found * 2f64.powi(-exponent / 2) * 2f64.powi(exponent / 2 - exponent);
        // A subnormal norm is rounded to a multiple of the smallest positive number.
        let granule = 5e-324 * 2f64.powi(-exponent / 2) * 2f64.powi(exponent / 2 - exponent);
        assert!((found - expected).abs() <= 1e-14 * expected + granule, "{found} instead of {expected}");
        let z = x.map(|v| Complex::new(0.0, v));
        assert_eq!(z.norm().item(), x.norm().item());
    }

    /// Norms of `f32` numbers of all magnitudes. The reference uses `f64`, in which their squares neither overflow nor underflow.
    #[test]
    fn norms_of_mixed_sizes(bits in prop::collection::vec(any::<u32>(), 1..60)) {
        let values: Vec<f32> = bits.iter().map(|&b| f32::from_bits(b)).map(|v| if v.is_finite() { v } else { 1.0 }).collect();
        let exact = values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
        let found = Tensor::<f32, Rank<1>>::from(values).norm().item();
        if exact > f64::from(f32::MAX) * (1.0 - 1e-7) {
            assert!(found.is_infinite() || found > f32::MAX * 0.999_999);
        } else {
            let bound = 1e-6 * exact + f64::from(f32::from_bits(1));
            assert!((f64::from(found) - exact).abs() <= bound, "{found} instead of {exact}");
        }
    }
}

#[test]
fn sums_of_many() {
    // From 4 MiB on, which are 2^19 elements of `f64`, sums are split between threads.
    for n in [1 << 17, 525_001] {
        sums_are_near(n as u64, n, true);
    }
    sums_are_near(3, 1 << 18, false);
}

#[test]
fn sums_that_cancel() {
    for (large, n) in [(1e16, 1022usize), (1e17, 4000)] {
        let mut values = vec![1.0; n + 2];
        (values[0], values[n + 1]) = (large, -large);
        let sum = Tensor::<f64, Rank<1>>::from(values).sum().item();
        assert!((sum - n as f64).abs() <= large * f64::EPSILON * 16.0, "{sum}");
    }
    for n in [1, 7, 8, 9, 15, 128, 129, 137, 1024, 1_000_000] {
        assert_eq!(Tensor::<f32, _>::ones([n]).sum().item(), n as f32);
    }
}

#[test]
fn norms_of_special_numbers() {
    let norm = |values: &[f64]| Tensor::<f64, Rank<1>>::from_slice([values.len()], values).norm().item();
    let (inf, nan, tiny) = (f64::INFINITY, f64::NAN, f64::from_bits(1));
    assert_eq!(norm(&[]), 0.0);
    assert_eq!(norm(&[-0.0]), 0.0);
    assert_eq!(norm(&[f64::MAX]), f64::MAX);
    assert_eq!(norm(&[f64::MAX, 0.0, tiny]), f64::MAX);
    assert_eq!(norm(&[f64::MAX, f64::MAX]), inf);
    assert!((norm(&[f64::MAX / 2.0; 4]) / f64::MAX - 1.0).abs() < 1e-15);
    assert_eq!(norm(&[3e-320, 4e-320]), 5e-320);
    assert_eq!(norm(&[tiny]), tiny);
    assert_eq!(norm(&[tiny; 4]), 2.0 * tiny);
    for exponent in [-900, -600, -1, 600, 900] {
        let unit = 2f64.powi(exponent);
        assert_eq!(norm(&[3.0 * unit, 4.0 * unit]), 5.0 * unit);
    }
    assert_eq!(norm(&[1.0, 1e-200]), 1.0);
    assert_eq!(norm(&[1e-200, 1e200]), 1e200);
    for values in [[inf, 1.0], [-inf, tiny], [inf, f64::MAX], [inf, -inf], [inf, 0.0]] {
        assert_eq!(norm(&values), inf, "{values:?}");
    }
    for values in [[nan, 1.0], [nan, tiny], [nan, 1e300], [nan, inf], [nan, 0.0]] {
        assert!(norm(&values).is_nan(), "{values:?}");
        assert!(norm(&[values[1], values[0]]).is_nan(), "{values:?}");
    }
    let z = Tensor::<Complex<f32>, Rank<1>>::from(vec![Complex::new(3e38, 0.0), Complex::new(0.0, 1e-38)]);
    assert_eq!(z.norm().item(), 3e38);
}

/// Integer sums have wide accumulators. A sum is correct if it is representable, even if partial sums are not.
#[test]
fn intermediate_integer_overflow_is_no_error() {
    let most = i64::MAX;
    assert_eq!(Tensor::<_, Rank<1>>::from(vec![most, most, -most, 5, -most]).sum().item(), 5);
    assert_eq!(Tensor::<_, Rank<1>>::from(vec![100i8, 100, -100, -50]).sum().item(), 50);
    assert_eq!(Tensor::<_, Rank<1>>::from(vec![u64::MAX, u64::MAX]).mean().item(), u64::MAX as f64);
    for zero_at in [0, 5, 40] {
        let mut values = vec![i32::MAX; 41];
        values[zero_at] = 0;
        assert_eq!(Tensor::<_, Rank<1>>::from(values).prod().item(), 0);
    }
    let x = Tensor::<_, Rank<1>>::from(vec![1u32 << 31; 4]);
    assert!(x.try_matmul(&x).is_err(), "2^64 is not 0");
    if cfg!(debug_assertions) {
        assert!(Tensor::<_, Rank<1>>::from(vec![i64::MAX; 5]).try_sum().is_err());
    }
}
