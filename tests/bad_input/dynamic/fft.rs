//! Rows of the bad-input table (see `bad_input/mod.rs`): Fourier transforms of `DynTensor`.

use super::array::{Array, allocated, doubled, reject};
use super::driver::{ByHand, Call, Hazard, Hazard::*, Numbers, Row, done};
use super::hazards::one;
use super::operand::{HUGE, ToArray};
use super::spectra::{
    Kind, countable_spectral, imaginary, parts, real_parts, shift, spectral, summed_pairs, transform,
};
use super::{methods, viewed, with};
use vierbein::fft::{Fft, Norm};
use vierbein::{Complex, ConvolutionMode, DType, DynTensor, Error, MemoryOrder};

/// The length that the options give to a transform.
const LEN: usize = 5;

/// A complex result, which is compared by its real and imaginary parts.
struct Spectrum(DynTensor);

impl ToArray for Spectrum {
    fn array(&self) -> super::Array {
        parts(&self.0.re().expect("it is complex").array(), &self.0.im().expect("it is complex").array())
    }
}

/// A real result, which is compared like a complex one.
struct Signal(DynTensor);

impl ToArray for Signal {
    fn array(&self) -> super::Array {
        real_parts(&self.0.array())
    }
}

const AXIS: Call = Call { operands: spectral, numbers: Numbers::Axis, ..Call::NOTHING };
const TO_REAL: Call = Call {
    operands: countable_spectral,
    cannot: &[(HugeExtents, "operands are copies; `errors/fft.rs` has views of complex numbers")],
    ..AXIS
};

macro_rules! transforms {
    ($($verb:literal $name:ident $with:ident, $kind:ident;)*) => {
        vec![$(
            Call {
                names: methods![$name],
                verb: $verb,
                run: |o, n| with(&o[0], |x| done!(try x.$name(n[0]).map(Spectrum))),
                expected: |a, n| transform(&a[0], Kind::$kind(None), n, 1.0),
                ..AXIS
            }.into(),
            Call {
                names: methods![$with],
                verb: $verb,
                run: |o, n| with(&o[0], |x| done!(try x.$with(n[0], Fft::new().len(LEN)).map(Spectrum))),
                expected: |a, n| transform(&a[0], Kind::$kind(Some(LEN)), n, 1.0),
                ..AXIS
            }.into(),
        )*]
    };
}

/// Returns the outcomes of a constructor of frequencies. For a transform of length `n`, there are `len(n)` frequencies. Those from index
/// `negative(n)` on are negative.
fn frequencies(
    hazard: Hazard,
    make: fn(usize, f64, DType) -> Result<DynTensor, Error>,
    len: fn(usize) -> usize,
    negative: fn(usize) -> usize,
) -> ByHand {
    let calls: &[(usize, f64)] = match hazard {
        WrongShape => &[(5, 0.0), (6, -0.0)],
        ZeroExtents => &[(0, 1.0)],
        HugeExtents => &[(usize::MAX, 1.0), (HUGE, 1.0), (HUGE / 2, -1.0)],
        NotFinite => &[(3, f64::NAN), (3, f64::INFINITY), (3, f64::MAX / 4.0)],
        NegativeStrides | Aliasing => return Err("no view goes in"),
        Rank0 | Rank16 => return Err("the rank is 1"),
    };
    let outcome = |&(n, spacing): &(usize, f64)| {
        let expected = match n == 0 || spacing == 0.0 || !spacing.is_finite() {
            true => reject("Argument"),
            false => allocated(&[len(n)], 8).map(|()| {
                Array::from_fn(&[len(n)], |k| {
                    let k = k[0] as f64 - if k[0] < negative(n) { 0.0 } else { n as f64 };
                    k / (n as f64 * spacing)
                })
            }),
        };
        (done!(try make(n, spacing, DType::F64)), expected)
    };
    Ok(calls.iter().map(outcome).collect())
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = transforms! {
        "fft" fft fft_with, Forward;
        "ifft" ifft ifft_with, Inverse;
        "rfft" rfft rfft_with, FromReal;
    };
    let calls = [
        Call {
            names: methods![irfft],
            verb: "irfft",
            run: |o, n| {
                let data: Vec<_> = o[0].floats.iter().map(|&re| Complex::new(re, imaginary(re))).collect();
                viewed(&o[0], &data, |z| done!(try z.irfft(n[0], 4).map(Signal)))
            },
            expected: |a, n| transform(&a[0], Kind::ToReal(4), n, 1.0),
            ..TO_REAL
        },
        Call {
            names: methods![irfft_with],
            verb: "irfft",
            run: |o, n| {
                let data: Vec<_> = o[0].floats.iter().map(|&re| Complex::new(re, imaginary(re))).collect();
                let forward = Fft::new().len(LEN).norm(Norm::Forward);
                viewed(&o[0], &data, |z| done!(try z.irfft_with(n[0], forward).map(Signal)))
            },
            expected: |a, n| transform(&a[0], Kind::ToReal(LEN), n, LEN as f64),
            ..TO_REAL
        },
        Call {
            names: methods![fft_convolve],
            verb: "convolve",
            run: |o, _| {
                with(&o[0], |x| {
                    let mut shape = vec![1; x.rank()];
                    shape[0] = 2;
                    let kernel = DynTensor::from_vec(&shape, vec![2.0; 2], MemoryOrder::RowMajor)
                        .expect("two elements");
                    done!(try x.fft_convolve(&kernel, ConvolutionMode::Full).map(Signal))
                })
            },
            expected: |a, _| summed_pairs(&a[0]).map(|y| real_parts(&y)),
            numbers: Numbers::None,
            cannot: &[
                (WrongShape, "operands of any shape"),
                (Rank0, "see `fft_correlate`: without axes, nothing is transformed"),
            ],
            ..AXIS
        },
        Call {
            names: methods![fft_correlate],
            verb: "correlate",
            operands: one,
            run: |o, _| {
                with(&o[0], |x| {
                    let kernel = DynTensor::from_vec(&vec![1; x.rank()], vec![2.0], MemoryOrder::RowMajor)
                        .expect("one element");
                    done!(try x.fft_correlate(&kernel, ConvolutionMode::Same))
                })
            },
            expected: |a, _| doubled(&a[0]),
            numbers: Numbers::None,
            cannot: &[(WrongShape, "operands of any shape")],
        },
        Call {
            names: methods![fftshift],
            verb: "fftshift",
            operands: one,
            run: |o, n| with(&o[0], |x| done!(try x.fftshift(n[0]))),
            expected: |a, n| shift(&a[0], n[0], false),
            ..AXIS
        },
        Call {
            names: methods![ifftshift],
            verb: "ifftshift",
            operands: one,
            run: |o, n| with(&o[0], |x| done!(try x.ifftshift(n[0]))),
            expected: |a, n| shift(&a[0], n[0], true),
            ..AXIS
        },
    ];
    rows.extend(calls.into_iter().map(Row::from));
    rows.push(Row::by_hand(methods![fftfreq], "create frequencies", |hazard| {
        frequencies(hazard, DynTensor::fftfreq, |n| n, |n| n.div_ceil(2))
    }));
    rows.push(Row::by_hand(methods![rfftfreq], "create frequencies", |hazard| {
        frequencies(hazard, DynTensor::rfftfreq, |n| n / 2 + 1, |_| usize::MAX)
    }));
    rows
}
