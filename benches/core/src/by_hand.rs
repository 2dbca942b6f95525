//! Hand-written copy and triad loops that measure the memory bandwidth, split into one chunk per thread.

use rayon::prelude::*;

/// Suffix of the names of these kernels.
pub(super) const NAME: &str = "by hand";

/// Returns the length of a thread's chunk in elements: a multiple of a cache line.
fn part(length: usize) -> usize {
    length.div_ceil(rayon::current_num_threads()).next_multiple_of(8)
}

/// Computes `to = from`.
pub(super) fn copy(to: &mut [f64], from: &[f64]) {
    let part = part(to.len());
    to.par_chunks_mut(part).zip(from.par_chunks(part)).for_each(|(to, from)| to.copy_from_slice(from));
}

/// Computes `a = b + 2c`.
pub(super) fn triad(a: &mut [f64], b: &[f64], c: &[f64]) {
    let part = part(a.len());
    let parts = a.par_chunks_mut(part).zip(b.par_chunks(part)).zip(c.par_chunks(part));
    parts.for_each(|((a, b), c)| triad_part(a, b, c));
}

fn triad_part(a: &mut [f64], b: &[f64], c: &[f64]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the machine has AVX-512 F, as was just checked.
        return unsafe { avx512(a, b, c) };
    } else if is_x86_feature_detected!("avx") {
        // SAFETY: the machine has AVX, as was just checked.
        return unsafe { avx(a, b, c) };
    }
    plain(a, b, c);
}

fn plain(a: &mut [f64], b: &[f64], c: &[f64]) {
    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
        *a = b + 2.0 * c;
    }
}

/// Defines the triad loop with non-temporal stores. From the first aligned element of `a` on, it computes `$lanes` elements at a
/// time. A scalar loop computes the elements before and after.
#[cfg(target_arch = "x86_64")]
macro_rules! streamed {
    ($name:ident, $feature:literal, $lanes:literal, $load:ident, $add:ident, $stream:ident) => {
        #[target_feature(enable = $feature)]
        fn $name(a: &mut [f64], b: &[f64], c: &[f64]) {
            use std::arch::x86_64::*;
            assert!(a.len() == b.len() && b.len() == c.len());
            let head = a.as_ptr().align_offset(8 * $lanes).min(a.len());
            plain(&mut a[..head], &b[..head], &c[..head]);
            let mut i = head;
            while a.len() - i >= $lanes {
                // SAFETY: all three slices have the same length, at least `i + $lanes`, and `a` is aligned at `i`.
                unsafe {
                    let (b, c) = ($load(b.as_ptr().add(i)), $load(c.as_ptr().add(i)));
                    $stream(a.as_mut_ptr().add(i), $add(b, $add(c, c)));
                }
                i += $lanes;
            }
            _mm_sfence();
            plain(&mut a[i..], &b[i..], &c[i..]);
        }
    };
}
#[cfg(target_arch = "x86_64")]
streamed!(avx512, "avx512f", 8, _mm512_loadu_pd, _mm512_add_pd, _mm512_stream_pd);
#[cfg(target_arch = "x86_64")]
streamed!(avx, "avx", 4, _mm256_loadu_pd, _mm256_add_pd, _mm256_stream_pd);
