use super::Quotient;
use crate::elementary::{Elementary, PairFunction, numbers32, numbers64};
use crate::simd::tests::at_each_level;
use num_complex::Complex;

macro_rules! loops_have_the_bits_of_the_function {
    ($name:ident: $F:ident, $Bits:ident, $numbers:ident) => {
        #[test]
        fn $name() {
            let mut state = 1u64;
            let mut random = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                state ^ (state >> 31)
            };
            let special =
                [0.0, -0.0, 1.0, $F::INFINITY, $F::NAN, $F::MAX, $F::MIN_POSITIVE, $F::from_bits(1)];
            let mut part = |ordinary: bool| match random() % 16 {
                0 if !ordinary => special[(random() % 8) as usize],
                1 => 0.0,
                2..9 if !ordinary => $F::from_bits(random() as $Bits),
                _ => (random() % 1000) as $F / 7.0 - 70.0,
            };
            // Half of the chunks have ordinary operands only.
            let mut number = |k: usize| Complex::new(part(k / 512 % 2 == 0), part(k / 512 % 2 == 0));
            type Pair = Complex<$F>;
            for n in [1, 3, 4, 7, 16, 700, 2100] {
                let a: Vec<Pair> = (0..n).map(&mut number).collect();
                let b: Vec<Pair> = (0..n).map(&mut number).collect();
                let expected = |a: &[Pair], b: &[Pair]| -> Vec<Pair> {
                    a.iter().zip(b).map(|(&a, &b)| <$F as Quotient>::quotient(a, b)).collect()
                };
                let check = |found: &[Pair], a: &[Pair], b: &[Pair]| {
                    for (k, (x, y)) in found.iter().zip(expected(a, b)).enumerate() {
                        let same = |x: $F, y: $F| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
                        assert!(same(x.re, y.re) && same(x.im, y.im), "{} / {}: {x}, not {y}", a[k], b[k]);
                    }
                };
                at_each_level(|| {
                    let mut to = vec![Pair::default(); n];
                    // SAFETY: the three vectors have `n` elements and do not overlap.
                    if !unsafe {
                        $numbers::map_quotients::<false, false>(a.as_ptr(), b.as_ptr(), to.as_mut_ptr(), n)
                    } {
                        return;
                    }
                    check(&to, &a, &b);
                    let mut to = a.clone();
                    // SAFETY: both vectors have `n` elements and do not overlap. The result is the left operand.
                    unsafe {
                        $numbers::map_quotients::<false, false>(to.as_ptr(), b.as_ptr(), to.as_mut_ptr(), n)
                    };
                    check(&to, &a, &b);
                    let mut to = b.clone();
                    // SAFETY: both vectors have `n` elements and do not overlap. The result is the right operand.
                    unsafe {
                        $numbers::map_quotients::<false, false>(a.as_ptr(), to.as_ptr(), to.as_mut_ptr(), n)
                    };
                    check(&to, &a, &b);
                    let scalar = Pair::new(3.0, -0.5);
                    let wide = Complex::new(3.0, -0.5);
                    let mut to = a.clone();
                    let by = Elementary::PairWith(PairFunction::Div, wide);
                    // SAFETY: the vector has `n` elements. The result is the operand.
                    unsafe { $numbers::map_complex(by, to.as_ptr(), to.as_mut_ptr(), n) };
                    check(&to, &a, &vec![scalar; n]);
                    let mut to = b.clone();
                    // SAFETY: the vector has `n` elements. The result is the operand.
                    unsafe {
                        $numbers::map_complex(Elementary::QuotientOf(wide), to.as_ptr(), to.as_mut_ptr(), n)
                    };
                    check(&to, &vec![scalar; n], &b);
                });
                // For ordinary operands, both formulas have the same bits.
                for (&a, &b) in a.iter().zip(&b).filter(|(a, b)| !$F::is_far(**a, **b) && a.re.abs() > 1e-9) {
                    let parts = [a.re, a.im, b.re, b.im];
                    if parts.iter().all(|part| part.abs() < 1e9 && (*part == 0.0 || part.abs() > 1e-9)) {
                        let (x, y) = ($F::near(a, b), $F::far(a, b));
                        assert!(x == y || x.re.is_nan(), "{a} / {b}: {x} and {y}");
                    }
                }
            }
        }
    };
}
loops_have_the_bits_of_the_function!(double: f64, u64, numbers64);
loops_have_the_bits_of_the_function!(single: f32, u32, numbers32);
