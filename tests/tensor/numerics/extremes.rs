//! Tests of reductions and products with extreme operands: very large and very small numbers, nearly equal numbers, infinities and
//! NaN.

use vierbein::{Rank, Tensor, c64, einsum, s};

type V = Tensor<f64, Rank<1>>;
type M = Tensor<f64, Rank<2>>;

const INF: f64 = f64::INFINITY;
const MAX: f64 = f64::MAX;
/// The smallest number that is not 0.
const TINY: f64 = 5e-324;

/// Lengths of test vectors: below and above the lengths at which sums are split into lanes, blocks and chunks for threads. Most reductions
/// are split from 2^19 elements on.
const LENGTHS: [usize; 8] = [1, 2, 7, 64, 129, 5000, 140_001, 525_001];

fn filled(n: usize, value: f64) -> V {
    V::full([n], value)
}

/// Copies a vector to each of the 70 columns of a matrix. Reductions over the rows process most columns in vector registers, and
/// the remaining ones separately.
fn columns(x: &V) -> M {
    x.insert_axis(1).broadcast_to([x.len(), 70]).to_owned()
}

/// Returns the result of `whole`, a reduction of the vector `x`. If `x` is short, `of_columns` also reduces the matrix `columns(x)` along
/// axis 0. Two of its results are appended: for a column that is processed in vector registers, and for one of the remaining columns.
fn each_way(x: &V, whole: impl Fn(&V) -> f64, of_columns: impl Fn(&M) -> V) -> Vec<f64> {
    let mut found = vec![whole(x)];
    if x.len() <= 5000 {
        let columns = of_columns(&columns(x));
        found.extend([columns[[1]], columns[[69]]]);
    }
    found
}

/// A sum overflows, but the mean does not.
#[test]
fn means_of_large_numbers() {
    for n in LENGTHS {
        let most = MAX / n.next_power_of_two() as f64;
        for most in [most, -most] {
            let mean = filled(n, most).mean().item();
            assert!((mean / most - 1.0).abs() < 1e-15, "{mean} is the mean of {n} times {most}");
        }
        let mean = filled(n, MAX).mean().item();
        assert!((mean / MAX - 1.0).abs() < 1e-15, "{mean} is the mean of {n} times {MAX}");
        assert_eq!(filled(n, MAX).sum().item(), if n == 1 { MAX } else { INF });
        assert_eq!(filled(n, TINY).sum().item(), n as f64 * TINY);
        assert_eq!(filled(n, TINY).mean().item(), TINY);
    }
    assert_eq!(V::from(vec![MAX, -MAX]).mean().item(), 0.0);
    assert!(V::zeros([0]).mean().item().is_nan());
    // The mean of integers does not overflow, because the sum is accumulated in a wider type.
    assert_eq!(Tensor::<i64, Rank<1>>::full([5000], i64::MAX).mean().item(), i64::MAX as f64);
}

/// The variance of equal numbers is almost zero, even if the numbers are very large. If the variance is not representable, the
/// variance and the standard deviation are infinite.
#[test]
fn variances_of_large_and_small_numbers() {
    for n in LENGTHS {
        for value in [MAX, -MAX, 1e300, 0.1, TINY] {
            let x = filled(n, value);
            // The computed mean of equal numbers may differ from them in the last place, so the variance may be this large.
            let most = (value * 2f64.powi(-51)).powi(2);
            for found in each_way(&x, |x| x.var(0).item(), |x| x.var_axis(0, 0)) {
                assert!(found <= most, "the variance of {n} times {value} is {found}");
            }
        }
    }
    let two = |a: f64, b: f64| V::from(vec![a, b]);
    assert_eq!(two(2f64.powi(500), 3.0 * 2f64.powi(500)).var(0).item(), 2f64.powi(1000));
    assert_eq!(two(1e200, 3e200).var(0).item(), INF);
    assert_eq!(two(1e200, 3e200).std(0).item(), 1e200);
    assert_eq!(two(1e-200, 3e-200).std(0).item(), 1e-200);
    assert_eq!(two(-MAX, MAX).std(0).item(), MAX);
    assert_eq!(two(-MAX, MAX).var(0).item(), INF);
    assert_eq!(two(0.0, 2.0 * TINY).var(0).item(), 0.0);
    assert!(two(0.0, INF).var(0).item().is_nan());
}

/// Variances of numbers near a billion. The formula with the mean of squares minus the square of the mean would lose all digits.
#[test]
fn variances_far_from_zero() {
    for n in [4, 100, 3000, 140_000, 525_004] {
        // The textbook example 1e9 + {4, 7, 13, 16}, repeated. The differences from the mean are −6, −3, 3 and 6, so the variance
        // is 22.5.
        let x = V::from_fn([n], |[i]| 1e9 + [4.0, 7.0, 13.0, 16.0][i % 4]);
        let naive = {
            let (sum, squares) = x.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
            (squares - sum * sum / n as f64) / n as f64
        };
        assert!((naive - 22.5).abs() > 1.0, "a sum of squares would do: {naive}");
        for found in each_way(&x, |x| x.var(0).item(), |x| x.var_axis(0, 0)) {
            assert!((found - 22.5).abs() < 1e-6, "{found} instead of 22.5, of {n}");
        }
        assert!((x.std(0).item() - 22.5f64.sqrt()).abs() < 1e-6);
        let z = x.map(|x| c64::new(x, -x));
        assert!((z.var(0).item() - 45.0).abs() < 2e-6);
    }
}

/// Norms of vectors with one number whose square overflows or underflows, at different indices.
#[test]
fn norms_of_large_and_small_numbers() {
    for n in LENGTHS {
        for (i, at) in [0, n / 3, n - 1].into_iter().enumerate() {
            let values = [(1e300, 0.0), (1e300, 1.0), (1e-300, 0.0), (TINY, 0.0), (MAX, TINY)];
            for (k, (value, rest)) in values.into_iter().enumerate() {
                // In builds with debug assertions, which are slow, long vectors have each value at one of the indices.
                if cfg!(debug_assertions) && n > 129 && k % 3 != i {
                    continue;
                }
                let mut x = filled(n, rest);
                x[[at]] = value;
                for norm in each_way(&x, |x| x.norm().item(), |x| x.norm_axis(0)) {
                    assert!((norm - value).abs() <= value * 1e-15, "{norm} instead of {value}: {at} of {n}");
                }
            }
        }
        // The norm of `n` equal numbers is √n times the number.
        for value in [1e200, 1e-200, 2f64.powi(-1060)] {
            let (norm, expected) = (filled(n, value).norm().item(), (n as f64).sqrt() * value);
            assert!((norm - expected).abs() <= expected * 1e-14 + TINY, "{norm} instead of {expected}");
        }
    }
}

/// A NaN or an infinity in an operand must be visible in every result that depends on it, and in no other result.
#[test]
fn what_is_not_finite_shows() {
    for n in LENGTHS {
        for at in [0, n / 2, n - 1] {
            let with = |value: f64| {
                let mut x = filled(n, 1.5);
                x[[at]] = value;
                x
            };
            let x = with(f64::NAN);
            let results = [
                x.sum(),
                x.prod(),
                x.mean(),
                x.var(0),
                x.std(0),
                x.norm(),
                x.max(),
                x.min(),
                x.dot(&x),
                x.slice(s![..;-1]).sum(),
            ];
            for (k, result) in results.iter().enumerate() {
                assert!(result.item().is_nan(), "result {k} of NaN at {at} of {n}");
            }
            assert_eq!((x.argmax().item(), x.argmin().item()), (at as i64, at as i64));
            let (up, down) = (with(INF), with(-INF));
            assert_eq!(
                (up.sum().item(), up.mean().item(), up.norm().item(), up.max().item()),
                (INF, INF, INF, INF)
            );
            assert_eq!(
                (down.sum().item(), down.mean().item(), down.norm().item(), down.min().item()),
                (-INF, -INF, INF, -INF)
            );
            assert!(up.var(0).item().is_nan() && up.dot(&filled(n, 0.0)).item().is_nan());
            assert_eq!(up.dot(&filled(n, 2.0)).item(), INF);
            let mut both = up.clone();
            both[[n - 1 - at]] = -INF;
            if n - 1 - at != at {
                assert!(both.sum().item().is_nan() && both.mean().item().is_nan());
                assert_eq!(both.norm().item(), INF);
            }
            let sums = x.cumsum(0);
            assert!((0..n).step_by(1 + n / 100).chain([at, n - 1]).all(|i| sums[[i]].is_nan() == (i >= at)));
        }
    }
}

/// A NaN or an infinity in a factor of a matrix product changes only the row or column that depends on it. Some sizes are multiples
/// of the register tile, others are not.
#[test]
fn what_is_not_a_number_stays_in_its_row() {
    for size in [1, 2, 3, 4, 5, 8, 17, 33, 100, 130] {
        let (row, column) = (size / 2, size / 3);
        let mut a = M::from_fn([size, size + 1], |[i, j]| (i + j) as f64);
        a[[row, size]] = f64::NAN;
        let b = M::from_fn([size + 1, size + 2], |[i, j]| (i * j) as f64);
        let product = a.matmul(&b);
        let sums = a.sum_axis(1);
        for i in 0..size {
            assert!((0..size + 2).all(|j| product[[i, j]].is_nan() == (i == row)), "row {i} of {size}");
            assert_eq!(sums[[i]].is_nan(), i == row);
        }
        let columns = a.sum_axis(0);
        assert!((0..=size).all(|j| columns[[j]].is_nan() == (j == size)));
        // Infinity times zero is NaN. The kernels must not skip products with a zero factor.
        let mut b = M::zeros([size, size + 1]);
        b[[0, column]] = INF;
        for product in [M::eye(size).matmul(&b), einsum!("ij,jk->ik", M::eye(size).t(), &b)] {
            for i in 0..size {
                for j in 0..=size {
                    let expected = if j != column {
                        0.0
                    } else if i == 0 {
                        INF
                    } else {
                        f64::NAN
                    };
                    let found = product[[i, j]];
                    assert!(
                        found == expected || (found.is_nan() && expected.is_nan()),
                        "{found} at {i}, {j} of {size}"
                    );
                }
            }
        }
    }
}
