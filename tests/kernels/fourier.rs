//! Transforms along an axis whose lines are adjacent in memory, which have their own kernels on x86-64.

use crate::fft::{Fft, FftComplex, FftReal, Norm};
use crate::prelude::*;
use crate::simd::tests::at_each_level;
use crate::{CastTo, c32, c64};

/// Compares transforms along axis 0 with those of contiguous lines, which rustfft computes, to `limit` times the largest result.
fn check_complex<T: FftComplex + CastTo<c64>>(n: usize, lines: usize, limit: f64)
where
    c64: CastTo<T>,
    T::Complex: CastTo<c64>,
{
    let x = Tensor::<c64, Rank<2>>::from_fn([n, lines], |[i, k]| {
        let re = (i * 7919 + k * 31) % 1009;
        Complex::new(re as f64 - 500.0, ((i * i + 7 * k) % 101) as f64 - 50.0)
    });
    let x = x.cast::<T>();
    for norm in [Norm::Backward, Norm::Ortho] {
        let with = Fft::new().norm(norm);
        let contiguous = x.t().to_owned();
        let expected = [contiguous.fft_with(1, with), contiguous.ifft_with(1, with)];
        at_each_level(|| {
            for (found, expected) in [x.fft_with(0, with), x.ifft_with(0, with)].iter().zip(&expected) {
                let (found, expected) = (found.cast::<c64>(), expected.cast::<c64>());
                let largest = expected.abs().max().item();
                let error = (found - expected.t()).abs().max().item();
                assert!(error <= limit * largest, "{n} elements, {lines} lines: {error}");
            }
        });
    }
}

#[test]
fn columns_are_transformed_like_contiguous_lines() {
    let lengths = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 25, 27, 30, 49, 60, 77, 91, 98, 100];
    let lengths = lengths.into_iter().chain([121, 125, 169, 243, 360, 527, 667, 1001, 1024]);
    for (n, lines) in lengths.zip([32, 33, 70, 40, 31, 8, 9, 10].into_iter().cycle()) {
        check_complex::<c64>(n, lines, 4e-16 * n.ilog2() as f64);
        check_complex::<c32>(n, lines, 2e-7 * n.ilog2() as f64);
    }
    // Each prime number above 13 among the radices, and some multiples of them.
    for n in (17_usize..=101).filter(|&n| (2..n).all(|k| !n.is_multiple_of(k))) {
        check_complex::<c64>(n, 4 + n % 7, 4e-15);
    }
    for n in [2 * 37, 4 * 73, 3 * 79, 2 * 101] {
        check_complex::<c64>(n, 9, 4e-15);
        check_complex::<c32>(n, 17, 2e-6);
    }
    // Two blocks.
    check_complex::<c64>(1100, 40, 4e-15);
    // Few lines, which are transformed with AVX2 at both levels, and less than a register of AVX-512.
    check_complex::<c64>(60, 2, 4e-15);
    check_complex::<c32>(60, 3, 2e-6);
    check_complex::<c64>(60, 3, 4e-15);
    check_complex::<c32>(60, 5, 2e-6);
    // Large results are written with non-temporal stores. The rows of the second one begin at any multiple of the size of an element.
    check_complex::<c64>(64, 8448, 4e-15);
    check_complex::<c32>(50, 21_001, 2e-6);
}

#[test]
fn long_lines_and_passes_in_place() {
    let x = Tensor::<c64, Rank<2>>::from_fn([36_000, 26], |[i, k]| {
        Complex::new(((i * 7919 + k * 31) % 1009) as f64, ((i + 7 * k) % 101) as f64)
    });
    // Blocks of 24 lines and 2.
    let expected = x.t().to_owned().fft(1);
    let error = (x.fft(0) - expected.t()).abs().max().item();
    assert!(error < 1e-14 * expected.abs().max().item(), "{error}");
    // The second pass is in place.
    let x = x.slice(s![..1100, ..]);
    let expected = x.fft(1).fft(0);
    let error = (x.fft_axes([0, 1]) - &expected).abs().max().item();
    assert!(error < 1e-14 * expected.abs().max().item(), "{error}");
}

/// Compares transforms along axis 0 with those of contiguous lines, which rustfft and realfft compute, to `limit` times the largest
/// result.
fn check_real<R: FftReal + CastTo<f64>>(n: usize, lines: usize, limit: f64)
where
    f64: CastTo<R>,
    c64: CastTo<R::Complex>,
    R::Complex: FftComplex<Magnitude = R> + CastTo<c64>,
{
    let reals = Tensor::<f64, Rank<2>>::from_fn([n, lines], |[i, k]| {
        ((i * i * 7919 + i * k * 31) % 1009) as f64 - 500.0
    });
    let reals = reals.cast::<R>();
    // The imaginary parts of the elements at frequency 0 and at the highest frequency are not 0, and must be ignored.
    let spectra = Tensor::<c64, Rank<2>>::from_fn([n / 2 + 1, lines], |[i, k]| {
        Complex::new(((i * 7919 + k * 31) % 1009) as f64 - 500.0, ((i * i + 7 * k) % 101) as f64 - 50.0)
    });
    let spectra = spectra.cast::<R::Complex>();
    let (contiguous, contiguous_spectra) = (reals.t().to_owned(), spectra.t().to_owned());
    for (norm, len) in
        [(Norm::Backward, n), (Norm::Ortho, n), (Norm::Backward, n + n / 3), (Norm::Forward, n - n / 3)]
    {
        let with = Fft::new().norm(norm).lens([len]);
        let expected = [
            contiguous.fft_with(1, with).cast::<c64>(),
            contiguous.ifft_with(1, with).cast::<c64>(),
            contiguous.rfft_with(1, with).cast::<c64>(),
            contiguous_spectra.irfft_with(1, with).cast::<f64>().cast::<c64>(),
        ];
        at_each_level(|| {
            let found = [
                reals.fft_with(0, with).cast::<c64>(),
                reals.ifft_with(0, with).cast::<c64>(),
                reals.rfft_with(0, with).cast::<c64>(),
                spectra.irfft_with(0, with).cast::<f64>().cast::<c64>(),
            ];
            for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let largest = expected.abs().max().item();
                let error = (found - expected.t()).abs().max().item();
                assert!(
                    error <= limit * largest,
                    "transform {k} of {lines} lines of {n}: {error}, {largest}"
                );
            }
        });
    }
}

#[test]
fn columns_of_real_numbers_are_transformed_like_contiguous_lines() {
    let lengths = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 22, 25, 27, 49, 58, 100, 111, 128, 202, 243];
    for (n, lines) in lengths.into_iter().zip([32, 33, 70, 40, 31, 8, 9, 10, 17].into_iter().cycle()) {
        check_real::<f64>(n, lines, 4e-16 * (2 * n).ilog2() as f64);
        check_real::<f32>(n, lines, 2e-7 * (2 * n).ilog2() as f64);
    }
    // Few lines, which are transformed with AVX2 at both levels.
    check_real::<f64>(60, 2, 4e-15);
    check_real::<f32>(60, 3, 2e-6);
    // Two blocks.
    check_real::<f64>(2200, 40, 4e-15);
}

#[test]
fn lines_do_not_affect_each_other() {
    for n in [30, 16, 15] {
        let x = Tensor::<f64, Rank<2>>::from_fn([n, 20], |[i, k]| match k {
            3 if i == 7 => f64::NAN,
            8 if i == 2 => f64::INFINITY,
            5 => (i * i) as f64 * 1e-200,
            _ => (i * (k + 1) % 11) as f64 * 1e50,
        });
        at_each_level(|| {
            let (spectra, back) = (x.rfft(0), x.rfft(0).irfft(0, n));
            for k in 0..20 {
                let (spectrum, line) = (spectra.index_axis(1, k), x.index_axis(1, k));
                let expected = line.rfft(0);
                let largest = expected.abs().max().item();
                if [3, 8].contains(&k) {
                    // The sum is not finite, but real.
                    let sum = spectrum[[0]];
                    assert!(!sum.re.is_finite() && sum.im == 0.0, "{n}, {k}: {sum}");
                    continue;
                }
                assert!((spectrum - &expected).abs().max().item() <= 1e-14 * largest, "{n}, {k}");
                let error = (back.index_axis(1, k) - line).abs().max().item();
                assert!(error <= 1e-14 * largest, "{n}, {k}");
                // Real elements have the imaginary part 0, not -0.
                assert_eq!(spectrum[[0]].im.to_bits(), 0, "{n}, {k}");
                assert!(n % 2 == 1 || spectrum[[n / 2]].im.to_bits() == 0, "{n}, {k}");
            }
        });
    }
}

#[test]
fn strided_operands_and_outputs() {
    for n in [30, 45] {
        // Lines that run backwards, of a batch. The lines of an index of the batch are two blocks.
        let wide = Tensor::<f64, Rank<3>>::from_fn([2, n, 50], |[b, i, k]| {
            ((b * 57 + i * i * 7919 + i * k * 31) % 1009) as f64
        });
        let x = wide.slice(s![.., ..;-1, 3..43]);
        let expected = [x.to_owned().permute([0, 2, 1]).to_owned()].map(|x| (x.fft(2), x.rfft(2)));
        let [(whole, half)] = &expected;
        at_each_level(|| {
            let close = |a: TensorView<'_, c64, Rank<3>>, b: &Tensor<c64, Rank<3>>| {
                a.permute([0, 2, 1]).all_close(b, 0.0, 1e-8)
            };
            let mut out = Tensor::<c64, Rank<3>>::zeros([2, n, 47]);
            x.fft_into(1, &mut out.slice_mut(s![.., .., 2..42]));
            assert!(close(out.slice(s![.., .., 2..42]), whole), "{n}");
            assert!(
                out.slice(s![.., .., ..2])
                    .iter()
                    .chain(out.slice(s![.., .., 42..]).iter())
                    .all(|x| x.norm() == 0.0)
            );
            let mut out = Tensor::<c64, Rank<3>>::zeros([2, n / 2 + 1, 47]);
            x.rfft_into(1, &mut out.slice_mut(s![.., ..;-1, 2..42]));
            assert!(close(out.slice(s![.., ..;-1, 2..42]), half), "{n}");
            let mut back = Tensor::<f64, Rank<3>>::zeros([2, n, 50]);
            out.slice(s![.., ..;-1, 2..42]).irfft_into(1, n, &mut back.slice_mut(s![.., ..;-1, 3..43]));
            assert!(back.slice(s![.., ..;-1, 3..43]).all_close(&x, 0.0, 1e-10), "{n}");
            assert!(
                back.slice(s![.., .., ..3])
                    .iter()
                    .chain(back.slice(s![.., .., 43..]).iter())
                    .all(|&x| x == 0.0)
            );
        });
    }
}

#[test]
fn blocks_with_less_workspace() {
    let x = Tensor::<f64, Rank<2>>::from_fn([90_000, 26], |[i, k]| ((i * 7919 + k * 31) % 1009) as f64);
    // Blocks of 16 lines and 10.
    let expected = x.t().to_owned().rfft(1);
    let found = x.rfft(0);
    let error = (&found - expected.t()).abs().max().item();
    assert!(error < 1e-14 * expected.abs().max().item(), "{error}");
    assert!((found.irfft(0, 90_000) - x).abs().max().item() < 1e-11);
}
