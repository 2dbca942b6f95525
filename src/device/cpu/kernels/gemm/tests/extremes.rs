//! Products of matrices with infinite elements and NaN.

use super::*;
use crate::device::cpu::bytes;

/// Returns an infinity, a NaN or an ordinary number, chosen at random.
fn extreme<R: Copy>(
    values: &mut Values,
    [infinity, nan]: [R; 2],
    ordinary: impl Fn(i64) -> R,
    minus: R,
) -> R {
    match values.next() {
        6 => infinity,
        7 => minus,
        8 if values.next() > 5 => nan,
        other => ordinary(other),
    }
}

/// A number whose parts can be compared even if they are NaN.
trait Extreme: Made {
    fn extreme(values: &mut Values) -> Self;
    /// Returns the real and the imaginary part, with `None` instead of NaN.
    fn parts(self) -> [Option<f64>; 2];
}
macro_rules! extreme {
    ($($real:ident $complex:ident)*) => {$(
        impl Extreme for $real {
            fn extreme(values: &mut Values) -> $real {
                let minus = $real::NEG_INFINITY;
                extreme(values, [$real::INFINITY, $real::NAN], |x| x as $real / 2.0, minus)
            }
            fn parts(self) -> [Option<f64>; 2] {
                [Some(self.into()).filter(|x: &f64| !x.is_nan()), Some(0.0)]
            }
        }
        impl Extreme for $complex {
            fn extreme(values: &mut Values) -> $complex {
                $complex::new($real::extreme(values), $real::extreme(values))
            }
            fn parts(self) -> [Option<f64>; 2] {
                [self.re.parts()[0], self.im.parts()[0]]
            }
        }
    )*};
}
extreme!(f32 c32 f64 c64);

/// Variant of [`check`] in which some elements are infinite or NaN. The expected results are computed without multiplications by
/// scaling factors of 1. Returns the number of finite elements of the result, and the number of infinite elements.
fn check_extremes<T: Extreme>(ways: &[&dyn MatrixProduct<T>], case: Case<T>) -> [usize; 2] {
    let Case { size: [m, k, n], lies, alpha, beta, conjugate } = case;
    let values = &mut Values((m * 1000 + k * 100 + n) as u64);
    // An infinity in A makes a whole row of the result infinite or NaN, and one in B a whole column. So only few elements of A and B are
    // infinite.
    let mut every = 0;
    let mut few = |values: &mut Values| {
        every += 1;
        if every % 397 < 2 { T::extreme(values) } else { T::random(values) }
    };
    let mut a = Held::new(m, k, lies[0], || few(values));
    let mut b = Held::new(k, n, lies[1], || few(values));
    let before = Held::new(m, n, lies[2], || T::extreme(values));
    let times = |factor: T, x: T| if factor.is_one() { x } else { factor * x };
    let mut expected = before.clone();
    let mut counts = [0; 2];
    for (at, sum) in sums(&a, &b, case.size, conjugate).into_iter().enumerate() {
        let place = expected.place(at / n, at % n);
        let old = if beta.is_zero() { T::zero() } else { times(beta, expected.data[place]) };
        expected.data[place] = times(alpha, sum) + old;
        let all = expected.data[place].parts().map(|part| part.map(f64::is_finite));
        counts[0] += usize::from(all == [Some(true); 2]);
        counts[1] += usize::from(all.contains(&Some(false)));
    }
    for (way, by) in ways.iter().enumerate() {
        let mut c = before.clone();
        let product =
            Product { m, k, n, a: a.matrix(), b: b.matrix(), c: c.matrix(), alpha, beta, conjugate };
        // SAFETY: the buffers are local variables that outlive the call. `c` has distinct elements, and nothing else accesses its
        // buffer.
        unsafe { by.multiply(&product) }.unwrap();
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let (found, expected) = (c.at(i, j), expected.at(i, j));
            // The parts are compared only if the bytes differ, as that of NaN can.
            let same = bytes(&[found]) == bytes(&[expected]) || found.parts() == expected.parts();
            assert!(
                same,
                "{} {case:?} at {i}, {j} by implementation {way}: {found}, not {expected}",
                T::DTYPE.name()
            );
        }
    }
    counts
}

/// Kernels do not multiply by a scaling factor of 1, and do not read C if `beta` is 0. A complex multiplication of an infinity by 1 + 0i
/// would give NaN.
#[test]
fn factors_of_one_and_zero_preserve_infinities() {
    fn check_all<T: Extreme>() {
        let minus = T::zero() - T::one();
        let mut counts = [0; 2];
        for size in [[2, 2, 2], [6, 5, 7], [40, 30, 50], [70, 20, 80], [10, 600, 20]] {
            for lies in [[Row; 3], [Column, Row, Gaps], [Gaps, Backwards, Column]] {
                for (alpha, beta) in [(T::one(), T::zero()), (T::one(), T::one()), (minus, T::zero())] {
                    // Other complex scaling factors can turn infinities into NaN.
                    if T::COMPLEX && !alpha.is_one() {
                        continue;
                    }
                    for conjugate in [[false; 2], [true, false]] {
                        let case = Case { size, lies, alpha, beta, conjugate };
                        for (all, some) in counts.iter_mut().zip(check_extremes(&all_ways(), case)) {
                            *all += some;
                        }
                    }
                }
            }
        }
        assert!(counts[0] > 1000 && counts[1] > 1000, "{counts:?} finite and infinite elements");
    }
    check_all::<f32>();
    check_all::<f64>();
    check_all::<c32>();
    check_all::<c64>();
}
