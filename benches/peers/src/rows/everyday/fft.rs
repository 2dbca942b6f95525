//! Benchmark rows of `fft`: Fourier transforms of complex numbers along one axis. rustfft transforms contiguous lines only. If the axis is
//! not the last one, rustfft's time includes a permuted copy before the transform and another one after it.

use super::super::Entry;
use crate::implementation::Library;
use crate::memory::{Operand, operand};
use crate::{Problem, Row, parallel};
use num_complex::Complex;
use rayon::prelude::*;
use rustfft::{Fft, FftPlanner};
use std::f64::consts::TAU;
use std::sync::{Arc, Mutex};
use vierbein::{Rank, Tensor};

/// Numbers and lengths of contiguous lines. Most have 2²⁰ elements, so operand and output have 16 MiB each. If these just fit in the
/// last-level cache, the times depend on the place of the output in memory: the same transform of 16384 lines takes between 0.9 and 1.5 ms
/// (measured on a Zen 5 with 32 MiB of L3). So both libraries transform into the same output; for results that vierbein allocates, the
/// times still vary. 4096 lines always fit. 131072 lines of 64 and 32 lines of 262144 never fit.
const SHAPES: [[usize; 2]; 10] = [
    [4096, 64],
    [16384, 64],
    [131_072, 64],
    [10486, 100],
    [1024, 1024],
    [1049, 1000],
    [1040, 1009],
    [16, 65536],
    [4, 262_144],
    [32, 262_144],
];

pub(crate) fn all() -> Vec<Entry<Complex<f64>>> {
    let mut rows = Vec::new();
    for shape in SHAPES {
        let [lines, n] = shape;
        rows.push(Entry::new(format!("fft {lines} lines of {n}"), move || contiguous(shape, false)));
        rows.push(Entry::new(format!("fft {lines} lines of {n} into"), move || contiguous(shape, true)));
    }
    for shape in [[1, 64, 16384], [1, 1000, 1000], [1, 1024, 1024], [128, 128, 128], [1, 65536, 16]] {
        let [outer, n, inner] = shape;
        rows.push(Entry::new(format!("fft axis 1 {outer}×{n}×{inner}"), move || strided(shape)));
    }
    rows
}

/// Returns a function that computes an element of the transform along axis 1 by its definition, and the sum of the magnitudes of its terms.
fn definition(
    a: Operand<Complex<f64>, Rank<3>>,
    n: usize,
) -> impl Fn(&[usize]) -> (Complex<f64>, f64) + Send + 'static {
    let roots: Vec<_> = (0..n).map(|k| Complex::from_polar(1.0, -TAU * k as f64 / n as f64)).collect();
    move |i| {
        let (mut sum, mut magnitudes) = (Complex::new(0.0, 0.0), 0.0);
        for k in 0..n {
            let x = a.at(&[i[0], k, i[2]]);
            sum += x * roots[(k * i[1]) % n];
            magnitudes += x.norm();
        }
        (sum, magnitudes)
    }
}

/// Transforms contiguous lines with rustfft, out of place.
fn lines_into(
    fft: &dyn Fft<f64>,
    from: &[Complex<f64>],
    to: &mut [Complex<f64>],
    scratch: &mut Vec<Complex<f64>>,
) {
    let (n, len) = (fft.len(), fft.get_immutable_scratch_len());
    if parallel() {
        let part = (to.len() / n / rayon::current_num_threads()).max(1) * n;
        to.par_chunks_mut(part).zip(from.par_chunks(part)).for_each_init(
            || vec![Complex::default(); len],
            |scratch, (to, from)| fft.process_immutable_with_scratch(from, to, scratch),
        );
    } else {
        scratch.resize(len, Complex::default());
        fft.process_immutable_with_scratch(from, to, scratch);
    }
}

/// Returns a row of contiguous lines. rustfft always reuses its output; vierbein does so if `into`.
fn contiguous([lines, n]: [usize; 2], into: bool) -> Row<Complex<f64>> {
    let a = operand::<Complex<f64>, _>(1, [lines, n, 1]);
    let (u, x) = (a.slice(), a.tensor());
    let problem = definition(a, n);
    let fft = FftPlanner::new().plan_fft_forward(n);
    let mut scratch = Vec::new();
    let row = Row::new(Problem::defined([lines, n], move |i| problem(&[i[0], i[1], 0])));
    let out = Arc::new(Mutex::new(Tensor::<Complex<f64>, _>::zeros([lines, n])));
    let row = if into {
        row.over(Library::Vierbein, out.clone(), move |out| {
            x.as_shape([lines, n]).fft_into(1, &mut *out.lock().expect("no implementation has panicked"))
        })
    } else {
        row.fresh(Library::Vierbein, move || x.as_shape([lines, n]).fft(1))
    };
    row.over(Library::Rustfft, out, move |out| {
        let mut out = out.lock().expect("no implementation has panicked");
        lines_into(&*fft, *u, out.as_mut_slice(), &mut scratch);
    })
}

fn strided([outer, n, inner]: [usize; 3]) -> Row<Complex<f64>> {
    let a = operand::<Complex<f64>, _>(1, [outer, n, inner]);
    let (x, y) = (a.tensor(), a.tensor());
    let fft: Arc<dyn Fft<f64>> = FftPlanner::new().plan_fft_forward(n);
    let mut lines = Tensor::<Complex<f64>, _>::zeros([outer, inner, n]);
    let mut transformed = Tensor::<Complex<f64>, _>::zeros([outer, inner, n]);
    let mut scratch = Vec::new();
    Row::new(Problem::defined([outer, n, inner], definition(a, n)))
        .fresh(Library::Vierbein, move || x.fft(1))
        .over(Library::Rustfft, Tensor::<Complex<f64>, _>::zeros([outer, n, inner]), move |out| {
            lines.assign(&y.permute([0, 2, 1]));
            lines_into(&*fft, lines.as_slice(), transformed.as_mut_slice(), &mut scratch);
            out.assign(&transformed.permute([0, 2, 1]));
        })
}
