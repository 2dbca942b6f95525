//! Rows of the bad-input table (see `bad_input/mod.rs`): Fourier transforms and their frequencies.

use super::array::{Array, Rejection, allocated, doubled};
use super::driver::{ByHand, Call, Hazard, Hazard::*, Numbers, Row};
use super::hazards::{countable, one};
use super::operand::{HUGE, ToArray};
use super::spectra::{
    Kind, countable_spectral, imaginary, parts, real_parts, shift, spectral, summed_pairs, transform,
};
use super::writing::{preallocated, shape_of};
use super::{at_rank, done, done_into};
use vierbein::ConvolutionMode;
use vierbein::fft::{Fft, Norm};
use vierbein::prelude::*;

const AXIS: Call = Call {
    operands: spectral,
    numbers: Numbers::Axis,
    cannot: &[(Rank0, "does not compile: there is no axis")],
    ..Call::NOTHING
};
const AXES: Call =
    Call { numbers: Numbers::Pair, cannot: &[(Rank0, "does not compile: there are no two axes")], ..AXIS };
const TO_REAL: Call = Call {
    operands: countable_spectral,
    cannot: &[
        (HugeExtents, "operands are copies; `errors/fft.rs` has views of complex numbers"),
        (Rank0, "does not compile: there is no axis"),
    ],
    ..AXIS
};
const INTO: Call = Call {
    cannot: &[
        (HugeExtents, "no output has the shape of the result"),
        (Rank0, "does not compile: there is no axis, or there are no two axes"),
    ],
    ..TO_REAL
};

impl<D: Dim> ToArray for (Tensor<Complex<f64>, D>,) {
    fn array(&self) -> Array {
        parts(&self.0.re().array(), &self.0.im().array())
    }
}

impl<D: Dim> ToArray for (Tensor<f64, D>,) {
    fn array(&self) -> Array {
        real_parts(&self.0.array())
    }
}

/// The length that the options give to a transform.
const LEN: usize = 5;

fn options() -> Fft {
    Fft::new().len(LEN)
}

/// Evaluates to the outcome of a transform into an output. If the result has no shape, the output has that of the operand.
macro_rules! into {
    ($x:ident, $try_name:ident $into:ident $try_into:ident ($($argument:expr),*)) => {{
        let out = || {
            let zeros = |shape| Tensor::zeros(shape);
            $x.$try_name($($argument),*).map_or_else(|_| zeros($x.shape()), |y| zeros(y.shape()))
        };
        done!(
            try { let mut out = out(); $x.$try_into($($argument,)* &mut out).map(|()| (out,)) },
            panics { let mut out = out(); $x.$into($($argument,)* &mut out); (out,) }
        )
    }};
}

macro_rules! transforms {
    ($(
        $verb:literal [
            $name:ident $try_name:ident $axes:ident $try_axes:ident $with:ident $try_with:ident
            $into:ident $try_into:ident $axes_into:ident $try_axes_into:ident $with_into:ident $try_with_into:ident
        ], $kind:ident;
    )*) => {
        vec![$(
            Call {
                names: &[stringify!($name), stringify!($try_name)],
                verb: $verb,
                run: |o, n| at_rank!(o, x: view, [1 2 16],
                    done!(try x.$try_name(n[0]).map(|y| (y,)), panics (x.$name(n[0]),))),
                expected: |a, n| transform(&a[0], Kind::$kind(None), n, 1.0),
                ..AXIS
            }.into(),
            Call {
                names: &[stringify!($axes), stringify!($try_axes)],
                verb: $verb,
                run: |o, n| at_rank!(o, x: view, [2 16],
                    done!(try x.$try_axes([n[0], n[1]]).map(|y| (y,)), panics (x.$axes([n[0], n[1]]),))),
                expected: |a, n| transform(&a[0], Kind::$kind(None), n, 1.0),
                ..AXES
            }.into(),
            Call {
                names: &[stringify!($with), stringify!($try_with)],
                verb: $verb,
                run: |o, n| at_rank!(o, x: view, [1 2 16],
                    done!(try x.$try_with(n[0], options()).map(|y| (y,)), panics (x.$with(n[0], options()),))),
                expected: |a, n| transform(&a[0], Kind::$kind(Some(LEN)), n, 1.0),
                ..AXIS
            }.into(),
            Call {
                names: &[stringify!($into), stringify!($try_into)],
                verb: $verb,
                run: |o, n| at_rank!(o, x: view, [1 2 16], into!(x, $try_name $into $try_into (n[0]))),
                expected: |a, n| transform(&a[0], Kind::$kind(None), n, 1.0),
                ..INTO
            }.into(),
            Call {
                names: &[stringify!($axes_into), stringify!($try_axes_into)],
                verb: $verb,
                numbers: Numbers::Pair,
                run: |o, n| at_rank!(o, x: view, [2 16],
                    into!(x, $try_axes $axes_into $try_axes_into ([n[0], n[1]]))),
                expected: |a, n| transform(&a[0], Kind::$kind(None), n, 1.0),
                ..INTO
            }.into(),
            Call {
                names: &[stringify!($with_into), stringify!($try_with_into)],
                verb: $verb,
                run: |o, n| at_rank!(o, x: view, [1 2 16],
                    into!(x, $try_with $with_into $try_with_into (n[0], options()))),
                expected: |a, n| transform(&a[0], Kind::$kind(Some(LEN)), n, 1.0),
                ..INTO
            }.into(),
        )*]
    };
}

fn to_real() -> [Call; 6] {
    [
        Call {
            names: &["irfft", "try_irfft"],
            verb: "irfft",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let z = x.map(|re| Complex::new(re, imaginary(re)));
                    done!(try z.try_irfft(n[0], 4).map(|y| (y,)), panics (z.irfft(n[0], 4),))
                })
            },
            expected: |a, n| transform(&a[0], Kind::ToReal(4), n, 1.0),
            ..TO_REAL
        },
        Call {
            names: &["irfft_axes", "try_irfft_axes"],
            verb: "irfft",
            numbers: Numbers::Pair,
            run: |o, n| {
                at_rank!(o, x: view, [2 16], {
                    let z = x.map(|re| Complex::new(re, imaginary(re)));
                    let axes = [n[0], n[1]];
                    done!(try z.try_irfft_axes(axes, 3).map(|y| (y,)), panics (z.irfft_axes(axes, 3),))
                })
            },
            expected: |a, n| transform(&a[0], Kind::ToReal(3), n, 1.0),
            ..TO_REAL
        },
        Call {
            names: &["irfft_with", "try_irfft_with"],
            verb: "irfft",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let z = x.map(|re| Complex::new(re, imaginary(re)));
                    let forward = options().norm(Norm::Forward);
                    done!(try z.try_irfft_with(n[0], forward).map(|y| (y,)), panics (z.irfft_with(n[0], forward),))
                })
            },
            expected: |a, n| transform(&a[0], Kind::ToReal(LEN), n, LEN as f64),
            ..TO_REAL
        },
        Call {
            names: &["irfft_into", "try_irfft_into"],
            verb: "irfft",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let z = x.map(|re| Complex::new(re, imaginary(re)));
                    into!(z, try_irfft irfft_into try_irfft_into (n[0], 4))
                })
            },
            expected: |a, n| transform(&a[0], Kind::ToReal(4), n, 1.0),
            ..INTO
        },
        Call {
            names: &["irfft_axes_into", "try_irfft_axes_into"],
            verb: "irfft",
            numbers: Numbers::Pair,
            run: |o, n| {
                at_rank!(o, x: view, [2 16], {
                    let z = x.map(|re| Complex::new(re, imaginary(re)));
                    into!(z, try_irfft_axes irfft_axes_into try_irfft_axes_into ([n[0], n[1]], 3))
                })
            },
            expected: |a, n| transform(&a[0], Kind::ToReal(3), n, 1.0),
            ..INTO
        },
        Call {
            names: &["irfft_with_into", "try_irfft_with_into"],
            verb: "irfft",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let z = x.map(|re| Complex::new(re, imaginary(re)));
                    let forward = options().norm(Norm::Forward);
                    into!(z, try_irfft_with irfft_with_into try_irfft_with_into (n[0], forward))
                })
            },
            expected: |a, n| transform(&a[0], Kind::ToReal(LEN), n, LEN as f64),
            ..INTO
        },
    ]
}

fn convolutions() -> [Call; 4] {
    [
        Call {
            names: &["fft_convolve", "try_fft_convolve"],
            verb: "convolve",
            operands: spectral,
            run: |o, _| {
                at_rank!(o, x: view, [1 2 16], {
                    let mut shape = x.shape().map(|_| 1);
                    shape[0] = 2;
                    let (k, full) = (Tensor::full(shape, 2.0), ConvolutionMode::Full);
                    done!(try x.try_fft_convolve(&k, full).map(|y| (y,)), panics (x.fft_convolve(&k, full),))
                })
            },
            expected: |a, _| summed_pairs(&a[0]).map(|y| real_parts(&y)),
            cannot: &[
                (WrongShape, "operands of any shape"),
                (Rank0, "see `fft_correlate`: without axes, nothing is transformed"),
            ],
            ..Call::NOTHING
        },
        Call {
            names: &["fft_correlate", "try_fft_correlate"],
            verb: "correlate",
            operands: one,
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let (k, same) = (Tensor::full(x.shape().map(|_| 1), 2.0), ConvolutionMode::Same);
                    done!(try x.try_fft_correlate(&k, same), panics x.fft_correlate(&k, same))
                })
            },
            expected: |a, _| doubled(&a[0]),
            cannot: &[(WrongShape, "operands of any shape")],
            ..Call::NOTHING
        },
        Call {
            names: &["fft_convolve_into", "try_fft_convolve_into"],
            verb: "convolve",
            operands: spectral,
            run: |o, _| {
                at_rank!(o, x: view, [1 2 16], {
                    let mut shape = x.shape().map(|_| 1);
                    shape[0] = 2;
                    let (k, full) = (Tensor::full(shape, 2.0), ConvolutionMode::Full);
                    let out = || Tensor::full(shape_of(x.try_fft_convolve(&k, full)), f64::NAN);
                    done!(
                        try { let mut out = out(); x.try_fft_convolve_into(&k, full, &mut out).map(|()| (out,)) },
                        panics { let mut out = out(); x.fft_convolve_into(&k, full, &mut out); (out,) }
                    )
                })
            },
            expected: |a, _| preallocated(summed_pairs(&a[0]).map(|y| real_parts(&y))),
            cannot: &[
                (WrongShape, "operands of any shape"),
                (Rank0, "see `fft_correlate`: without axes, nothing is transformed"),
            ],
            ..Call::NOTHING
        },
        Call {
            names: &["fft_correlate_into", "try_fft_correlate_into"],
            verb: "correlate",
            operands: countable,
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let (k, same) = (Tensor::full(x.shape().map(|_| 1), 2.0), ConvolutionMode::Same);
                    done_into!(
                        x.shape(), f64::NAN, out,
                        x.try_fft_correlate_into(&k, same, &mut out),
                        x.fft_correlate_into(&k, same, &mut out)
                    )
                })
            },
            expected: |a, _| doubled(&a[0]),
            cannot: &[(WrongShape, "operands of any shape")],
            ..Call::NOTHING
        },
    ]
}

fn shifts() -> [Call; 2] {
    [
        Call {
            names: &["fftshift", "try_fftshift"],
            verb: "fftshift",
            operands: one,
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_fftshift(n[0]), panics x.fftshift(n[0]))),
            expected: |a, n| shift(&a[0], n[0], false),
            ..AXIS
        },
        Call {
            names: &["ifftshift", "try_ifftshift"],
            verb: "ifftshift",
            operands: one,
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_ifftshift(n[0]), panics x.ifftshift(n[0]))),
            expected: |a, n| shift(&a[0], n[0], true),
            ..AXIS
        },
    ]
}

/// Evaluates to the outcomes of `fftfreq` or `rfftfreq` for `$hazard`, a kind of bad input. For a transform of length `n`, there are
/// `$len(n)` frequencies. Those from index `$negative(n)` on are negative.
macro_rules! frequencies {
    ($hazard:ident, $name:ident $try_name:ident $try_in:ident, $len:expr, $negative:expr) => {{
        type T = Tensor<f64, Rank<1>>;
        let call = |n: usize, spacing: f64| {
            let (len, negative) = ($len(n), $negative(n));
            let expected = match n == 0 || spacing == 0.0 || !spacing.is_finite() {
                true => Err(Rejection::Error("Argument")),
                false => allocated(&[len], 8).map(|()| {
                    Array::from_fn(&[len], |k| {
                        let k = k[0] as f64 - if k[0] < negative { 0.0 } else { n as f64 };
                        k / (n as f64 * spacing)
                    })
                }),
            };
            let done = done!(
                try {
                    let there = T::$try_in(n, spacing, &Cpu);
                    let here = T::$try_name(n, spacing);
                    assert_eq!(format!("{here:?}"), format!("{there:?}"));
                    here
                },
                panics T::$name(n, spacing)
            );
            (done, expected)
        };
        match $hazard {
            WrongShape => Ok(vec![call(5, 0.0), call(6, -0.0)]),
            ZeroExtents => Ok(vec![call(0, 1.0)]),
            HugeExtents => Ok(vec![call(usize::MAX, 1.0), call(HUGE, 1.0), call(HUGE / 2, -1.0)]),
            NotFinite => Ok(vec![call(3, f64::NAN), call(3, f64::INFINITY), call(3, f64::MAX / 4.0)]),
            NegativeStrides | Aliasing => Err("no view goes in"),
            Rank0 | Rank16 => Err("the rank is 1"),
        }
    }};
}

fn fftfreq(hazard: Hazard) -> ByHand {
    frequencies!(hazard, fftfreq try_fftfreq try_fftfreq_in, |n: usize| n, |n: usize| n.div_ceil(2))
}

fn rfftfreq(hazard: Hazard) -> ByHand {
    frequencies!(hazard, rfftfreq try_rfftfreq try_rfftfreq_in, |n: usize| n / 2 + 1, |_| usize::MAX)
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = transforms! {
        "fft" [fft try_fft fft_axes try_fft_axes fft_with try_fft_with
            fft_into try_fft_into fft_axes_into try_fft_axes_into fft_with_into try_fft_with_into], Forward;
        "ifft" [ifft try_ifft ifft_axes try_ifft_axes ifft_with try_ifft_with
            ifft_into try_ifft_into ifft_axes_into try_ifft_axes_into ifft_with_into try_ifft_with_into], Inverse;
        "rfft" [rfft try_rfft rfft_axes try_rfft_axes rfft_with try_rfft_with
            rfft_into try_rfft_into rfft_axes_into try_rfft_axes_into rfft_with_into try_rfft_with_into], FromReal;
    };
    rows.extend(to_real().into_iter().chain(shifts()).chain(convolutions()).map(Row::from));
    rows.push(Row::by_hand(&["fftfreq", "try_fftfreq", "try_fftfreq_in"], "create frequencies", fftfreq));
    rows.push(Row::by_hand(&["rfftfreq", "try_rfftfreq", "try_rfftfreq_in"], "create frequencies", rfftfreq));
    rows
}
