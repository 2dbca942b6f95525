//! Rows of the bad-input table (see `bad_input/mod.rs`): constructors from shapes and from values.

use super::array::{Array, Outcome, Rejection, allocated, in_bounds, reject};
use super::done;
use super::driver::{ByHand, Call, Hazard, Hazard::*, Numbers, Row};
use super::hazards::{HARD, one};
use super::operand::HUGE;
use vierbein::prelude::*;

const NO_NUMBERS: &str = "no numbers go in";
const NO_OPERAND: &str = "no view goes in";

const MADE: Call = Call {
    operands: one,
    numbers: Numbers::Shape,
    cannot: &[(NegativeStrides, NO_OPERAND), (Aliasing, NO_OPERAND)],
    ..Call::NOTHING
};

/// Returns the shape of a constructor call: the numbers `n`, or the shape of the operand if its rank is 0 or 16.
fn shape_of<'a>(shape: &'a [usize], n: &'a [usize]) -> &'a [usize] {
    if matches!(shape.len(), 0 | 16) { shape } else { n }
}

/// Evaluates `$body` with the result of `shape_of` as an array whose length is known at compile time.
macro_rules! of_shape {
    ($o:ident, $n:ident, $shape:ident, $body:expr) => {
        match ($o[0].rank(), $n.len()) {
            (0, _) => {
                let $shape: [usize; 0] = [];
                Some($body)
            }
            (16, _) => {
                let $shape: [usize; 16] = $o[0].shape[..].try_into().expect("sixteen axes");
                Some($body)
            }
            (_, 1) => {
                let $shape = [$n[0]];
                Some($body)
            }
            _ => {
                let $shape = [$n[0], $n[1]];
                Some($body)
            }
        }
    };
}

fn constant(a: &[Array], n: &[usize], value: f64) -> Outcome {
    let shape = shape_of(&a[0].shape, n);
    allocated(shape, 8)?;
    Ok(Array::from_fn(shape, |_| value))
}

/// Returns the operand's values in the given shape, or an error if the shape has another number of elements.
fn of_values(a: &[Array], n: &[usize]) -> Outcome {
    let shape = shape_of(&a[0].shape, n);
    in_bounds(shape, 8)?;
    let len = if shape.contains(&0) { 0 } else { shape.iter().product() };
    if len != a[0].data.len() {
        return reject("LengthMismatch");
    }
    Ok(Array { shape: shape.to_vec(), ..a[0].clone() })
}

fn of_shapes() -> Vec<Row> {
    let nothing_in: &'static [(Hazard, &'static str)] =
        &[(NegativeStrides, NO_OPERAND), (Aliasing, NO_OPERAND), (NotFinite, NO_NUMBERS)];
    let calls = [
        Call {
            names: &["zeros", "try_zeros"],
            run: |o, n| {
                of_shape!(
                    o,
                    n,
                    shape,
                    done!(try Tensor::<f64, _>::try_zeros(shape), panics Tensor::<f64, _>::zeros(shape))
                )
            },
            expected: |a, n| constant(a, n, 0.0),
            cannot: nothing_in,
            ..MADE
        },
        Call {
            names: &["zeros_in", "try_zeros_in"],
            run: |o, n| {
                of_shape!(
                    o,
                    n,
                    shape,
                    done!(try Tensor::<f64, _>::try_zeros_in(shape, &Cpu), panics Tensor::<f64, _>::zeros_in(shape, &Cpu))
                )
            },
            expected: |a, n| constant(a, n, 0.0),
            cannot: nothing_in,
            ..MADE
        },
        Call {
            names: &["ones", "try_ones"],
            run: |o, n| {
                of_shape!(
                    o,
                    n,
                    shape,
                    done!(try Tensor::<f64, _>::try_ones(shape), panics Tensor::<f64, _>::ones(shape))
                )
            },
            expected: |a, n| constant(a, n, 1.0),
            cannot: nothing_in,
            ..MADE
        },
        Call {
            names: &["ones_in", "try_ones_in"],
            run: |o, n| {
                of_shape!(
                    o,
                    n,
                    shape,
                    done!(try Tensor::<f64, _>::try_ones_in(shape, &Cpu), panics Tensor::<f64, _>::ones_in(shape, &Cpu))
                )
            },
            expected: |a, n| constant(a, n, 1.0),
            cannot: nothing_in,
            ..MADE
        },
        Call {
            names: &["full", "try_full"],
            run: |o, n| {
                of_shape!(
                    o,
                    n,
                    shape,
                    done!(try Tensor::<f64, _>::try_full(shape, f64::NAN), panics Tensor::<f64, _>::full(shape, f64::NAN))
                )
            },
            expected: |a, n| constant(a, n, f64::NAN),
            ..MADE
        },
        Call {
            names: &["full_in", "try_full_in"],
            run: |o, n| {
                of_shape!(
                    o,
                    n,
                    shape,
                    done!(
                        try Tensor::<f64, _>::try_full_in(shape, f64::INFINITY, &Cpu),
                        panics Tensor::<f64, _>::full_in(shape, f64::INFINITY, &Cpu))
                )
            },
            expected: |a, n| constant(a, n, f64::INFINITY),
            ..MADE
        },
        Call {
            names: &["from_fn", "try_from_fn", "try_from_fn_in"],
            run: |o, n| {
                of_shape!(
                    o,
                    n,
                    shape,
                    done!(
                        try Tensor::<f64, _>::try_from_fn(shape, |index| index.iter().sum::<usize>() as f64)
                            .and(Tensor::<f64, _>::try_from_fn_in(shape, |index| index.iter().sum::<usize>() as f64, &Cpu)),
                        panics Tensor::<f64, _>::from_fn(shape, |index| index.iter().sum::<usize>() as f64)
                    )
                )
            },
            expected: |a, n| {
                let shape = shape_of(&a[0].shape, n);
                allocated(shape, 8)?;
                Ok(Array::from_fn(shape, |index| index.iter().sum::<usize>() as f64))
            },
            cannot: nothing_in,
            ..MADE
        },
        Call {
            names: &["from_vec", "try_from_vec"],
            verb: "make a tensor",
            run: |o, n| {
                of_shape!(o, n, shape, {
                    let data = || o[0].array().data;
                    done!(try Tensor::<f64, _>::try_from_vec(shape, data()), panics Tensor::<f64, _>::from_vec(shape, data()))
                })
            },
            expected: of_values,
            ..MADE
        },
        Call {
            names: &["from_vec_in", "try_from_vec_in"],
            verb: "make a tensor",
            run: |o, n| {
                of_shape!(o, n, shape, {
                    let data = || o[0].array().data;
                    done!(
                        try Tensor::<f64, _>::try_from_vec_in(shape, data(), &Cpu),
                        panics Tensor::<f64, _>::from_vec_in(shape, data(), &Cpu))
                })
            },
            expected: of_values,
            ..MADE
        },
        Call {
            names: &["from_rows", "try_from_rows"],
            verb: "make a matrix of rows",
            run: |o, _| {
                let data = o[0].array().data;
                let rows: Vec<&[f64]> = data.chunks(2).collect();
                Some(
                    done!(try Tensor::<f64, _>::try_from_rows(&rows), panics Tensor::<f64, _>::from_rows(&rows)),
                )
            },
            expected: |a, _| {
                let rows: Vec<&[f64]> = a[0].data.chunks(2).collect();
                let columns = rows.first().map_or(0, |row| row.len());
                if rows.iter().any(|row| row.len() != columns) {
                    return reject("Argument");
                }
                Ok(Array::from_fn(&[rows.len(), columns], |index| rows[index[0]][index[1]]))
            },
            ..MADE
        },
        Call {
            names: &["from_slice", "try_from_slice"],
            verb: "make a tensor",
            run: |o, n| {
                of_shape!(o, n, shape, {
                    let data = &o[0].array().data;
                    done!(try Tensor::<f64, _>::try_from_slice(shape, data), panics Tensor::<f64, _>::from_slice(shape, data))
                })
            },
            expected: of_values,
            ..MADE
        },
        Call {
            names: &["from_slice_in", "try_from_slice_in"],
            verb: "make a tensor",
            run: |o, n| {
                of_shape!(o, n, shape, {
                    let data = &o[0].array().data;
                    done!(
                        try Tensor::<f64, _>::try_from_slice_in(shape, data, &Cpu),
                        panics Tensor::<f64, _>::from_slice_in(shape, data, &Cpu))
                })
            },
            expected: of_values,
            ..MADE
        },
        Call {
            names: &["from_buffer", "try_from_buffer"],
            verb: "make a tensor",
            run: |o, n| {
                of_shape!(o, n, shape, {
                    let data = || o[0].array().data.into_boxed_slice();
                    done!(
                        try Tensor::<f64, _>::try_from_buffer(shape, data()).map_err(|rejected| rejected.error),
                        panics Tensor::<f64, _>::from_buffer(shape, data())
                    )
                })
            },
            expected: of_values,
            ..MADE
        },
        Call {
            names: &["from_diagonal_offset", "try_from_diagonal_offset"],
            numbers: Numbers::None,
            run: |o, _| match o[0].rank() {
                1 => {
                    let x = &o[0].view::<1>();
                    Some(done!(
                        try Tensor::<f64, Rank<2>>::try_from_diagonal_offset(x, -1),
                        panics Tensor::<f64, Rank<2>>::from_diagonal_offset(x, -1)
                    ))
                }
                _ => None,
            },
            expected: |a, _| {
                let [n] = a[0].shape[..] else { return Err(Rejection::Untried) };
                let shape = [n.saturating_add(1); 2];
                allocated(&shape, 8)?;
                Ok(Array::from_fn(
                    &shape,
                    |index| if index[0] == index[1] + 1 { a[0].at(&index[1..]) } else { 0.0 },
                ))
            },
            cannot: &[
                (WrongShape, "does not compile: a vector goes in"),
                (Rank0, "does not compile: a vector goes in"),
                (Rank16, "does not compile: a vector goes in"),
            ],
            ..MADE
        },
        Call {
            names: &["from_diagonal", "try_from_diagonal"],
            numbers: Numbers::None,
            run: |o, _| match o[0].rank() {
                1 => {
                    let x = &o[0].view::<1>();
                    Some(
                        done!(try Tensor::<f64, Rank<2>>::try_from_diagonal(x), panics Tensor::<f64, Rank<2>>::from_diagonal(x)),
                    )
                }
                _ => None,
            },
            expected: |a, _| {
                let [n] = a[0].shape[..] else { return Err(Rejection::Untried) };
                allocated(&[n, n], 8)?;
                Ok(Array::from_fn(
                    &[n, n],
                    |index| if index[0] == index[1] { a[0].at(&index[..1]) } else { 0.0 },
                ))
            },
            cannot: &[
                (WrongShape, "does not compile: a vector goes in"),
                (Rank0, "does not compile: a vector goes in"),
                (Rank16, "does not compile: a vector goes in"),
            ],
            ..MADE
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

const ONE_RANK: &str = "the rank is always the same";

fn line(values: impl IntoIterator<Item = f64>) -> Outcome {
    Ok(Array::line(values.into_iter().collect()))
}

/// The identity matrix.
fn eye(hazard: Hazard) -> ByHand {
    let sizes = match hazard {
        WrongShape => return Err("there is one number, the size"),
        ZeroExtents => vec![0],
        HugeExtents => vec![usize::MAX, HUGE, 1 << (usize::BITS / 2 - 3)],
        NotFinite => return Err(NO_NUMBERS),
        NegativeStrides | Aliasing => return Err(NO_OPERAND),
        Rank0 | Rank16 => return Err(ONE_RANK),
    };
    let outcome = |n: usize| {
        let done = done!(
            try alike(Tensor::<f64, Rank<2>>::try_eye(n), Tensor::try_eye_in(n, &Cpu)),
            panics Tensor::<f64, Rank<2>>::eye(n)
        );
        let expected = allocated(&[n, n], 8)
            .map(|()| Array::from_fn(&[n, n], |index| f64::from(u8::from(index[0] == index[1]))));
        (done, expected)
    };
    Ok(sizes.into_iter().map(outcome).collect())
}

fn eye_offset(hazard: Hazard) -> ByHand {
    let shapes = match hazard {
        WrongShape => vec![[2, 3], [3, 1]],
        ZeroExtents => vec![[0, 0], [0, 2], [2, 0]],
        HugeExtents => vec![[usize::MAX, 1], [HUGE, HUGE]],
        NotFinite => return Err(NO_NUMBERS),
        NegativeStrides | Aliasing => return Err(NO_OPERAND),
        Rank0 | Rank16 => return Err(ONE_RANK),
    };
    let outcome = |shape: [usize; 2]| {
        let done = done!(
            try Tensor::<f64, Rank<2>>::try_eye_offset(shape, 1),
            panics Tensor::<f64, Rank<2>>::eye_offset(shape, 1)
        );
        let expected = allocated(&shape, 8)
            .map(|()| Array::from_fn(&shape, |index| f64::from(u8::from(index[0] + 1 == index[1]))));
        (done, expected)
    };
    Ok(shapes.into_iter().map(outcome).collect())
}

/// Asserts that a constructor returns the same elements, or the same error, with the default device and with an explicit device. Returns
/// the result with the explicit device.
fn alike<D: Dim>(
    default: Result<Tensor<f64, D>, vierbein::Error>,
    given: Result<Tensor<f64, D>, vierbein::Error>,
) -> Result<Tensor<f64, D>, vierbein::Error> {
    // Compares bits, because NaN does not equal itself.
    let bits = |x: &Tensor<f64, D>| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    match (&default, &given) {
        (Ok(default), Ok(given)) => {
            assert_eq!((default.shape(), bits(default)), (given.shape(), bits(given)))
        }
        (default, given) => assert_eq!(default.as_ref().err(), given.as_ref().err()),
    }
    given
}

/// Calls of `arange`, which returns `start, start + step, ..` up to `end`, which is excluded.
fn arange(hazard: Hazard) -> ByHand {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let cases: Vec<(f64, f64, f64, Outcome)> = match hazard {
        WrongShape => {
            vec![(0.0, 4.0, 0.0, reject("Argument")), (4.0, 0.0, 1.0, line([])), (0.0, 4.0, -1.0, line([]))]
        }
        ZeroExtents => vec![(2.0, 2.0, 1.0, line([])), (2.0, 2.0, -1.0, line([]))],
        HugeExtents => vec![
            (0.0, 1e300, 1.0, reject("Argument")),
            (0.0, 1.0, f64::MIN_POSITIVE, reject("Argument")),
            (0.0, 2f64.powi(usize::BITS as i32 - 3), 1.0, reject("Overflow")),
            (0.0, 2f64.powi(usize::BITS as i32 - 5), 1.0, reject("OutOfMemory")),
        ],
        NotFinite => vec![
            (nan, 1.0, 1.0, reject("Argument")),
            (0.0, nan, 1.0, reject("Argument")),
            (0.0, 1.0, nan, reject("Argument")),
            (0.0, inf, 1.0, reject("Argument")),
            (-inf, 0.0, 1.0, reject("Argument")),
            // As documented, the number of elements is ⌈(1 − 0) / ∞⌉ = 0.
            (0.0, 1.0, inf, line([])),
        ],
        NegativeStrides => vec![(3.0, 0.0, -1.0, line([3.0, 2.0, 1.0]))],
        Aliasing => return Err(NO_OPERAND),
        Rank0 | Rank16 => return Err(ONE_RANK),
    };
    let outcome = |(start, end, step, expected)| {
        let twin = || match step {
            1.0 => Tensor::<f64, Rank<1>>::try_arange(start..end),
            _ => Tensor::try_arange_step(start, end, step),
        };
        let done = done!(
            try alike(twin(), Tensor::try_arange_in(start, end, step, &Cpu)),
            panics if step == 1.0 {
                Tensor::<f64, Rank<1>>::arange(start..end)
            } else {
                Tensor::<f64, Rank<1>>::arange_step(start, end, step)
            }
        );
        (done, expected)
    };
    Ok(cases.into_iter().map(outcome).collect())
}

/// Calls of `linspace`, which returns `n` equally spaced numbers, including both ends.
fn linspace(hazard: Hazard) -> ByHand {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let cases: Vec<(f64, f64, usize, Outcome)> = match hazard {
        WrongShape => return Err("every count of elements will do"),
        ZeroExtents => vec![(0.0, 1.0, 0, line([])), (0.5, 1.0, 1, line([0.5]))],
        HugeExtents => vec![
            (0.0, 1.0, usize::MAX, reject("Overflow")),
            (0.0, 1.0, HUGE + 1, reject("Overflow")),
            (0.0, 1.0, HUGE, reject("OutOfMemory")),
        ],
        NotFinite => vec![(nan, 1.0, 2, line([nan, 1.0])), (0.0, inf, 3, line([nan, inf, inf]))],
        NegativeStrides => vec![(1.0, 0.0, 3, line([1.0, 0.5, 0.0]))],
        Aliasing => return Err(NO_OPERAND),
        Rank0 | Rank16 => return Err(ONE_RANK),
    };
    let outcome = |(start, end, n, expected)| {
        let done = done!(
            try alike(Tensor::<f64, Rank<1>>::try_linspace(start, end, n), Tensor::try_linspace_in(start, end, n, &Cpu)),
            panics Tensor::<f64, Rank<1>>::linspace(start, end, n)
        );
        (done, expected)
    };
    Ok(cases.into_iter().map(outcome).collect())
}

/// Calls of constructors of rank-0 tensors.
fn scalar(hazard: Hazard) -> ByHand {
    match hazard {
        NotFinite | Rank0 => {
            let outcome = |&x: &f64| {
                let done = done!(
                    try alike(Tensor::<f64, Rank<0>>::try_scalar(x), Tensor::try_scalar_in(x, &Cpu)),
                    panics Tensor::<f64, Rank<0>>::scalar(x)
                );
                (done, Ok(Array::scalar(x)))
            };
            Ok(HARD.iter().map(outcome).collect())
        }
        NegativeStrides | Aliasing => Err(NO_OPERAND),
        _ => Err("the rank is always 0"),
    }
}

/// Calls of constructors that fail only if memory is exhausted: from nested arrays, from iterators, and of empty tensors.
fn literals(hazard: Hazard) -> ByHand {
    let empty = || Array { shape: vec![], data: vec![], step: Some(1) };
    let shaped = |shape: &[usize]| Array { shape: shape.to_vec(), ..empty() };
    Ok(match hazard {
        WrongShape => return Err("does not compile: the lists are of one length"),
        ZeroExtents => vec![
            (done!(panics Tensor::<f64, Rank<2>>::from([[0.0; 0]; 3])), Ok(shaped(&[3, 0]))),
            (done!(panics Tensor::<f64, Rank<1>>::from(Vec::new())), Ok(shaped(&[0]))),
            (done!(panics std::iter::empty::<f64>().collect::<Tensor<f64, Rank<1>>>()), Ok(shaped(&[0]))),
            (done!(panics Tensor::<f64, Rank<2>>::default()), Ok(shaped(&[0, 0]))),
        ],
        HugeExtents => return Err("the existing elements fit in memory"),
        NotFinite => vec![
            (done!(panics tensor![f64::NAN, f64::INFINITY]), line([f64::NAN, f64::INFINITY])),
            (done!(panics HARD.into_iter().collect::<Tensor<f64, Rank<1>>>()), line(HARD)),
        ],
        NegativeStrides | Aliasing => return Err(NO_OPERAND),
        Rank0 => vec![(done!(panics Tensor::<f64, Rank<0>>::default()), Ok(Array::scalar(0.0)))],
        Rank16 => vec![(done!(panics Tensor::<f64, Rank<16>>::default()), Ok(shaped(&[0; 16])))],
    })
}

/// Calls of `random` with a distribution that has a single value, and of `randn`, whose samples are replaced by 1.
#[cfg(feature = "rand")]
fn random(hazard: Hazard) -> ByHand {
    use rand::{SeedableRng, distr::Uniform, rngs::StdRng};
    macro_rules! of {
        ($($shape:expr),*) => {vec![$({
            let (shape, ones) = ($shape, Uniform::new_inclusive(1.0, 1.0).expect("a range"));
            let done = done!(
                try {
                    let rng = || StdRng::seed_from_u64(1);
                    alike(
                        alike(
                            Tensor::<f64, _>::try_random(shape, ones, &mut rng()),
                            Tensor::try_random_in(shape, ones, &mut rng(), &Cpu),
                        ),
                        Tensor::<f64, _>::try_randn(shape, &mut rng()).map(normal_as_one),
                    )
                },
                panics {
                    let rng = || StdRng::seed_from_u64(1);
                    let ones = Tensor::<f64, _>::random(shape, ones, &mut rng());
                    assert_eq!(ones, normal_as_one(Tensor::<f64, _>::randn(shape, &mut rng())));
                    ones
                }
            );
            (done, allocated(&shape, 8).map(|()| Array::from_fn(&shape, |_| 1.0)))
        }),*]};
    }
    Ok(match hazard {
        WrongShape => return Err("every shape will do"),
        ZeroExtents => of!([0, 3], [3, 0]),
        HugeExtents => of!([usize::MAX, 2], [HUGE, 1], [0, usize::MAX]),
        NotFinite => return Err("a distribution's business"),
        NegativeStrides | Aliasing => return Err(NO_OPERAND),
        Rank0 => of!([0usize; 0]),
        Rank16 => of!([1; 16]),
    })
}

/// Replaces samples of the standard normal distribution by 1, if they are not impossibly large.
#[cfg(feature = "rand")]
fn normal_as_one<D: Dim>(x: Tensor<f64, D>) -> Tensor<f64, D> {
    x.map(|x| f64::from(u8::from(x.abs() < 40.0)))
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = of_shapes();
    rows.extend([
        Row::by_hand(&["eye", "try_eye", "try_eye_in"], "", eye),
        Row::by_hand(&["eye_offset", "try_eye_offset"], "", eye_offset),
        Row::by_hand(
            &["arange", "try_arange", "arange_step", "try_arange_step", "try_arange_in"],
            "create a range",
            arange,
        ),
        Row::by_hand(&["linspace", "try_linspace", "try_linspace_in"], "", linspace),
        Row::by_hand(&["scalar", "try_scalar", "try_scalar_in"], "", scalar),
        Row::by_hand(&["tensor!", "from", "from_iter", "default"], "", literals),
    ]);
    #[cfg(feature = "rand")]
    rows.push(Row::by_hand(&["random", "try_random", "try_random_in", "randn", "try_randn"], "", random));
    rows
}
