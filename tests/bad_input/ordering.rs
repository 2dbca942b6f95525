//! Rows of the bad-input table (see `bad_input/mod.rs`): sorting, selection and search.

use super::array::{Array, Outcome, Rejection, reduce, reject};
use super::driver::{ByHand, Call, Hazard, Hazard::*, Numbers, Row};
use super::hazards::{countable, one, sixteen, two, weighable};
use super::operand::Operand;
use super::ordered::{
    along, compare, greatest, isin, labels, least, lexsort, median, nan_maximum, nan_median, one_hot, places,
    positive, set_difference, set_intersection, set_union, smallest, sorted, two_bins, two_densities, unique,
    unique_slices,
};
use super::writing::{preallocated, shape_of};
use super::{at_rank, at_ranks, done, done_into};
use vierbein::prelude::*;
use vierbein::{Quantile, Side};

const AXIS: Call = Call {
    operands: one,
    numbers: Numbers::Axis,
    cannot: &[(Rank0, "does not compile: there is no axis")],
    ..Call::NOTHING
};
const WHOLE: Call =
    Call { operands: one, cannot: &[(WrongShape, "over all elements of any shape")], ..Call::NOTHING };

/// Rows of the bad-input table for one sorting direction: sorted elements and sorted indices, each in a new tensor and in a preallocated
/// output, and sorting in place.
macro_rules! sorts {
    ($descending:literal, $sort:ident $try_sort:ident $sort_into:ident $try_sort_into:ident $inplace:ident $try_inplace:ident
     $argsort:ident $try_argsort:ident $into:ident $try_into:ident) => {
        [
            Call {
                names: &[stringify!($sort), stringify!($try_sort)],
                verb: "sort",
                run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.$try_sort(n[0]), panics x.$sort(n[0]))),
                expected: |a, n| along(&a[0], n[0], |line| sorted(line, $descending)),
                ..AXIS
            },
            Call {
                names: &[stringify!($sort_into), stringify!($try_sort_into)],
                verb: "sort",
                operands: countable,
                run: |o, n| {
                    at_rank!(o, x: view, [1 2 16], {
                        let out = || Tensor::zeros(x.shape());
                        done!(
                            try { let mut out = out(); x.$try_sort_into(n[0], &mut out).map(|()| out) },
                            panics { let mut out = out(); x.$sort_into(n[0], &mut out); out }
                        )
                    })
                },
                expected: |a, n| along(&a[0], n[0], |line| sorted(line, $descending)),
                ..AXIS
            },
            Call {
                names: &[stringify!($inplace), stringify!($try_inplace)],
                verb: "sort",
                operands: countable,
                run: |o, n| {
                    at_rank!(o, x: view, [1 2 16], done!(
                        try { let mut x = x.to_owned(); x.$try_inplace(n[0]).map(|()| x) },
                        panics { let mut x = x.to_owned(); x.$inplace(n[0]); x }
                    ))
                },
                expected: |a, n| along(&a[0], n[0], |line| sorted(line, $descending)),
                ..AXIS
            },
            Call {
                names: &[stringify!($argsort), stringify!($try_argsort)],
                verb: "argsort",
                run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.$try_argsort(n[0]), panics x.$argsort(n[0]))),
                expected: |a, n| along(&a[0], n[0], |line| places(line, $descending)),
                ..AXIS
            },
            Call {
                names: &[stringify!($into), stringify!($try_into)],
                verb: "argsort",
                operands: countable,
                run: |o, n| {
                    at_rank!(o, x: view, [1 2 16], {
                        let out = || Tensor::zeros(x.shape());
                        done!(
                            try { let mut out = out(); x.$try_into(n[0], &mut out).map(|()| out) },
                            panics { let mut out = out(); x.$into(n[0], &mut out); out }
                        )
                    })
                },
                expected: |a, n| along(&a[0], n[0], |line| places(line, $descending)),
                ..AXIS
            },
        ]
    };
}

/// Returns the operands with which `searchsorted` and the like are tested for `hazard`: pairs of a sorted operand of rank 1 and the values
/// to look up in it.
fn searches(hazard: Hazard) -> Result<Vec<[Operand; 2]>, &'static str> {
    let edges = || Operand::of(&[3], |k| k as f64 + 1.0);
    Ok(match hazard {
        WrongShape => {
            return Err("values have any shape; the rank of the first operand is checked at compile time");
        }
        ZeroExtents => vec![
            [Operand::contiguous(&[0]), Operand::contiguous(&[2, 3])],
            [edges(), Operand::contiguous(&[0, 3])],
        ],
        HugeExtents => return Err("a huge result cannot be allocated: see `isin`"),
        NotFinite => vec![[
            Operand::of(&[4], |k| [f64::NEG_INFINITY, 0.0, 1.0, f64::INFINITY][k]),
            Operand::of(&[2, 3], |k| [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 1.0, 1e300][k]),
        ]],
        NegativeStrides => vec![[edges(), Operand::reversed(&[3, 4])]],
        Aliasing => vec![[Operand::repeated(&[4], 0), Operand::windows(4, 4)], [edges(), edges()]],
        Rank0 => vec![[edges(), Operand::contiguous(&[])]],
        Rank16 => vec![[edges(), Operand::contiguous(&sixteen())]],
    })
}

/// Returns the number of elements of a line that are less than `x` or, if `after_equal`, less than or equal to `x`.
fn place(line: &[f64], x: f64, after_equal: bool) -> f64 {
    let before = |y: &&f64| compare(**y, x).is_lt() || after_equal && compare(**y, x).is_eq();
    line.iter().filter(before).count() as f64
}

fn searched(hazard: Hazard) -> ByHand {
    let pairs = searches(hazard)?;
    let mut found = Vec::new();
    for o in &pairs {
        let expected = |side: Side| -> Outcome {
            let line = o[0].array().data;
            let x = o[1].array();
            Ok(Array::from_fn(&x.shape, |at| place(&line, x.at(at), side == Side::Right)))
        };
        for side in [Side::Left, Side::Right] {
            let done = at_ranks!(o, a: view, b: view, [1 0, 1 1, 1 2, 1 16], done!(
                try a.try_searchsorted(b, side),
                panics a.searchsorted(b, side)
            ));
            found.push((done.expect("these ranks compile"), expected(side)));
            let done = at_ranks!(o, a: view, b: view, [1 0, 1 1, 1 2, 1 16], done_into!(
                b.shape(), -1, out, a.try_searchsorted_into(b, side, &mut out), a.searchsorted_into(b, side, &mut out)
            ));
            found.push((done.expect("these ranks compile"), expected(side)));
        }
    }
    Ok(found)
}

fn digitized(hazard: Hazard) -> ByHand {
    if hazard == WrongShape {
        let edges = tensor![2.0, 1.0];
        let x = tensor![1.5];
        let done = done!(try x.try_digitize(&edges, Side::Left), panics x.digitize(&edges, Side::Left));
        return Ok(vec![(done, reject("Argument"))]);
    }
    let pairs = searches(hazard)?;
    let mut found = Vec::new();
    for o in &pairs {
        let (line, x) = (o[0].array().data, o[1].array());
        for closed in [Side::Left, Side::Right] {
            let expected = Array::from_fn(&x.shape, |at| place(&line, x.at(at), closed == Side::Left));
            let done = at_ranks!(o, a: view, b: view, [1 0, 1 1, 1 2, 1 16], done!(
                try b.try_digitize(a, closed),
                panics b.digitize(a, closed)
            ));
            found.push((done.expect("these ranks compile"), Ok(expected.clone())));
            let done = at_ranks!(o, a: view, b: view, [1 0, 1 1, 1 2, 1 16], done_into!(
                b.shape(), -1, out, b.try_digitize_into(a, closed, &mut out), b.digitize_into(a, closed, &mut out)
            ));
            found.push((done.expect("these ranks compile"), Ok(expected)));
        }
    }
    Ok(found)
}

/// Runs the fallible and the panicking variant of `one_hot_into`, with an output of the result's shape.
macro_rules! encoded_into {
    ($x:expr, $classes:ident) => {{
        let to = shape_of($x.try_one_hot::<f64>($classes));
        done_into!(
            to,
            -1.0,
            out,
            $x.try_one_hot_into($classes, &mut out),
            $x.one_hot_into($classes, &mut out)
        )
    }};
}

fn encoded(hazard: Hazard) -> ByHand {
    let of = |(from, classes): (Array, usize)| {
        let expected = one_hot(&from, classes);
        let data: Vec<i64> = from.data.iter().map(|&label| label as i64).collect();
        let (done, done_into) = match (&from.shape[..], hazard) {
            ([], _) => {
                let x = Tensor::<i64, Rank<0>>::from_vec([], data);
                let done = done!(try x.try_one_hot::<f64>(classes), panics x.one_hot::<f64>(classes));
                (done, encoded_into!(x, classes))
            }
            (&[rows, columns], _) => {
                let x = Tensor::<i64, Rank<2>>::from_vec([rows, columns], data);
                let done = done!(try x.try_one_hot::<f64>(classes), panics x.one_hot::<f64>(classes));
                (done, encoded_into!(x, classes))
            }
            (_, NegativeStrides) => {
                let x = Tensor::<i64, Rank<1>>::from(data).flip(0).to_owned();
                let x = x.flip(0);
                let done = done!(try x.try_one_hot::<f64>(classes), panics x.one_hot::<f64>(classes));
                (done, encoded_into!(x, classes))
            }
            (_, Aliasing) => {
                let x = Tensor::<i64, Rank<1>>::from(data);
                let twice = x.broadcast_to([2, x.len()]);
                let done = done!(
                    try twice.try_one_hot::<f64>(classes).map(|y| y.index_axis(0, 1).to_owned()),
                    panics twice.one_hot::<f64>(classes).index_axis(0, 0).to_owned()
                );
                (done, encoded_into!(x, classes))
            }
            _ => {
                let x = Tensor::<i64, Rank<1>>::from(data);
                let done = done!(try x.try_one_hot::<f64>(classes), panics x.one_hot::<f64>(classes));
                (done, encoded_into!(x, classes))
            }
        };
        let expected_into = preallocated(expected.clone());
        [(done, expected), (done_into, expected_into)]
    };
    Ok(labels(hazard)?.into_iter().flat_map(of).collect())
}

/// Returns the quantile of level 1: the maximum, or NaN if the line contains NaN. Returns `None` for an empty line.
fn maximum(line: &[f64]) -> Option<f64> {
    (!line.is_empty()).then(|| sorted(line, false)[line.len() - 1])
}

/// Rows of random orders. The results are sorted, because sorted lines do not depend on the order.
#[cfg(feature = "rand")]
fn random_orders() -> [Call; 2] {
    use rand::{SeedableRng, rngs::StdRng};
    [
        Call {
            names: &["permutation", "try_permutation", "choice", "try_choice"],
            verb: "choose",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let rng = &mut StdRng::seed_from_u64(1);
                    let rng = std::cell::RefCell::new(rng);
                    let extent = x.shape().get(n[0]).copied().unwrap_or(0);
                    done!(
                        try {
                            let _ = x.try_choice(n[0], extent, &mut **rng.borrow_mut())?;
                            x.try_permutation(n[0], &mut **rng.borrow_mut()).map(|x| x.sort(n[0]))
                        },
                        panics {
                            let _ = x.choice(n[0], extent, &mut **rng.borrow_mut());
                            x.permutation(n[0], &mut **rng.borrow_mut()).sort(n[0])
                        }
                    )
                })
            },
            expected: |a, n| along(&a[0], n[0], |line| sorted(line, false)),
            cannot: &[
                (Rank0, "does not compile: there is no axis"),
                (HugeExtents, "memory does not hold the positions"),
            ],
            ..AXIS
        },
        Call {
            names: &["shuffle", "try_shuffle"],
            verb: "choose",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let rng = || StdRng::seed_from_u64(1);
                    done!(
                        try { let mut x = x.to_owned(); x.try_shuffle(n[0], &mut rng()).map(|()| x.sort(n[0])) },
                        panics { let mut x = x.to_owned(); x.shuffle(n[0], &mut rng()); x.sort(n[0]) }
                    )
                })
            },
            expected: |a, n| along(&a[0], n[0], |line| sorted(line, false)),
            cannot: &[
                (Rank0, "does not compile: there is no axis"),
                (HugeExtents, "memory does not hold the positions"),
            ],
            ..AXIS
        },
    ]
}

pub(crate) fn rows() -> Vec<Row> {
    let ascending = sorts!(false, sort try_sort sort_into try_sort_into sort_inplace try_sort_inplace argsort try_argsort argsort_into try_argsort_into);
    let descending = sorts!(true, sort_descending try_sort_descending sort_descending_into try_sort_descending_into sort_descending_inplace try_sort_descending_inplace
        argsort_descending try_argsort_descending argsort_descending_into try_argsort_descending_into);
    let others = [
        Call {
            names: &["partition", "try_partition"],
            verb: "partition",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], done!(
                    try x.try_partition(n[0], 0).map(|parts| parts.index_axis(n[0], 0).to_owned()),
                    panics x.partition(n[0], 0).index_axis(n[0], 0).to_owned()
                ))
            },
            expected: |a, n| least(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: &["partition_into", "try_partition_into"],
            verb: "partition",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let out = || Tensor::zeros(x.shape());
                    done!(
                        try {
                            let mut out = out();
                            x.try_partition_into(n[0], 0, &mut out).map(|()| out.index_axis(n[0], 0).to_owned())
                        },
                        panics {
                            let mut out = out();
                            x.partition_into(n[0], 0, &mut out);
                            out.index_axis(n[0], 0).to_owned()
                        }
                    )
                })
            },
            expected: |a, n| least(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: &["top_k_into", "try_top_k_into"],
            verb: "greatest",
            operands: weighable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let out = || {
                        let mut shape = x.shape();
                        if let Some(n) = shape.get_mut(n[0]) {
                            *n = 1;
                        }
                        (Tensor::<f64, _>::zeros(shape), Tensor::<i64, _>::zeros(shape))
                    };
                    done!(
                        try { let (mut a, mut b) = out(); x.try_top_k_into(n[0], &mut a, &mut b).map(|()| (a, b)) },
                        panics { let (mut a, mut b) = out(); x.top_k_into(n[0], &mut a, &mut b); (a, b) }
                    )
                })
            },
            expected: |a, n| greatest(&a[0], n[0]),
            cannot: &[
                (Rank0, "does not compile: there is no axis"),
                (HugeExtents, "the outputs cannot be allocated"),
            ],
            ..AXIS
        },
        Call {
            names: &["top_k", "try_top_k"],
            verb: "greatest",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_top_k(n[0], 1), panics x.top_k(n[0], 1))),
            expected: |a, n| greatest(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: &["bottom_k_into", "try_bottom_k_into"],
            verb: "smallest",
            operands: weighable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let out = || {
                        let mut shape = x.shape();
                        if let Some(n) = shape.get_mut(n[0]) {
                            *n = 1;
                        }
                        (Tensor::<f64, _>::zeros(shape), Tensor::<i64, _>::zeros(shape))
                    };
                    done!(
                        try { let (mut a, mut b) = out(); x.try_bottom_k_into(n[0], &mut a, &mut b).map(|()| (a, b)) },
                        panics { let (mut a, mut b) = out(); x.bottom_k_into(n[0], &mut a, &mut b); (a, b) }
                    )
                })
            },
            expected: |a, n| smallest(&a[0], n[0]),
            cannot: &[
                (Rank0, "does not compile: there is no axis"),
                (HugeExtents, "the outputs cannot be allocated"),
            ],
            ..AXIS
        },
        Call {
            names: &["bottom_k", "try_bottom_k"],
            verb: "smallest",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_bottom_k(n[0], 1), panics x.bottom_k(n[0], 1))),
            expected: |a, n| smallest(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: &["quantile_weighted", "try_quantile_weighted"],
            verb: "weighted quantile",
            operands: weighable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let weights = Tensor::<f64, Rank<1>>::ones([x.shape().get(n[0]).copied().unwrap_or(1)]);
                    done!(
                        try x.try_quantile_weighted(n[0], 1.0, &weights),
                        panics x.quantile_weighted(n[0], 1.0, &weights)
                    )
                })
            },
            expected: |a, n| reduce(&a[0], n, false, 8, maximum),
            cannot: &[
                (HugeExtents, "the weights of such an axis are too many"),
                (Rank0, "does not compile: there is no axis"),
            ],
            ..AXIS
        },
        Call {
            names: &["quantile_weighted_into", "try_quantile_weighted_into"],
            verb: "weighted quantile",
            operands: weighable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let weights = Tensor::<f64, Rank<1>>::ones([x.shape().get(n[0]).copied().unwrap_or(1)]);
                    done_into!(
                        shape_of(x.try_quantile_weighted(n[0], [1.0], &weights)), f64::NAN, out,
                        x.try_quantile_weighted_into(n[0], [1.0], &weights, &mut out),
                        x.quantile_weighted_into(n[0], [1.0], &weights, &mut out)
                    )
                })
            },
            expected: |a, n| reduce(&a[0], n, true, 8, maximum),
            cannot: &[
                (HugeExtents, "the weights of such an axis are too many"),
                (Rank0, "does not compile: there is no axis"),
            ],
            ..AXIS
        },
        Call {
            names: &["median", "try_median"],
            verb: "median",
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_median(), panics x.median())),
            expected: |a, _| {
                let all: Vec<usize> = (0..a[0].shape.len()).collect();
                match a[0].shape.contains(&0) {
                    true => reject("Empty"),
                    false => reduce(&a[0], &all, false, 8, median),
                }
            },
            ..WHOLE
        },
        Call {
            names: &["median_axis", "try_median_axis"],
            verb: "median",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_median_axis(n[0]), panics x.median_axis(n[0]))),
            expected: |a, n| reduce(&a[0], n, false, 8, median),
            ..AXIS
        },
        Call {
            names: &["median_into", "try_median_into"],
            verb: "median",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], done_into!(
                    shape_of(x.try_median_axis(n[0])), -1.0, out,
                    x.try_median_into(n[0], &mut out),
                    x.median_into(n[0], &mut out)
                ))
            },
            expected: |a, n| reduce(&a[0], n, false, 8, median),
            ..AXIS
        },
        Call {
            names: &["quantile", "try_quantile"],
            verb: "quantile",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], done!(
                    try x.try_quantile(n[0], 1.0, Quantile::Linear),
                    panics x.quantile(n[0], 1.0, Quantile::Linear)
                ))
            },
            expected: |a, n| reduce(&a[0], n, false, 8, maximum),
            ..AXIS
        },
        Call {
            names: &["quantile_into", "try_quantile_into"],
            verb: "quantile",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let (to, by) = (shape_of(x.try_quantile(n[0], [1.0], Quantile::Linear)), Quantile::Linear);
                    done_into!(
                        to, f64::NAN, out,
                        x.try_quantile_into(n[0], [1.0], by, &mut out),
                        x.quantile_into(n[0], [1.0], by, &mut out)
                    )
                })
            },
            expected: |a, n| reduce(&a[0], n, true, 8, maximum),
            ..AXIS
        },
        Call {
            names: &["nan_median", "try_nan_median"],
            verb: "median without NaN",
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_nan_median(), panics x.nan_median())),
            expected: |a, _| {
                let all: Vec<usize> = (0..a[0].shape.len()).collect();
                match a[0].shape.contains(&0) {
                    true => reject("Empty"),
                    false => reduce(&a[0], &all, false, 8, nan_median),
                }
            },
            ..WHOLE
        },
        Call {
            names: &["nan_median_axis", "try_nan_median_axis"],
            verb: "median without NaN",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_nan_median_axis(n[0]), panics x.nan_median_axis(n[0]))),
            expected: |a, n| reduce(&a[0], n, false, 8, nan_median),
            ..AXIS
        },
        Call {
            names: &["nan_median_into", "try_nan_median_into"],
            verb: "median without NaN",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], done_into!(
                    shape_of(x.try_nan_median_axis(n[0])), -1.0, out,
                    x.try_nan_median_into(n[0], &mut out),
                    x.nan_median_into(n[0], &mut out)
                ))
            },
            expected: |a, n| reduce(&a[0], n, false, 8, nan_median),
            ..AXIS
        },
        Call {
            names: &["nan_quantile", "try_nan_quantile"],
            verb: "quantile without NaN",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], done!(
                    try x.try_nan_quantile(n[0], 1.0, Quantile::Linear),
                    panics x.nan_quantile(n[0], 1.0, Quantile::Linear)
                ))
            },
            expected: |a, n| reduce(&a[0], n, false, 8, nan_maximum),
            ..AXIS
        },
        Call {
            names: &["nan_quantile_into", "try_nan_quantile_into"],
            verb: "quantile without NaN",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let (to, by) = (shape_of(x.try_nan_quantile(n[0], [1.0], Quantile::Linear)), Quantile::Linear);
                    done_into!(
                        to, 7.0, out,
                        x.try_nan_quantile_into(n[0], [1.0], by, &mut out),
                        x.nan_quantile_into(n[0], [1.0], by, &mut out)
                    )
                })
            },
            expected: |a, n| reduce(&a[0], n, true, 8, nan_maximum),
            ..AXIS
        },
        Call {
            names: &["unique_slices", "try_unique_slices"],
            verb: "different slices",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_unique_slices(n[0]), panics x.unique_slices(n[0]))),
            expected: |a, n| unique_slices(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: &["unique_slices_with", "try_unique_slices_with"],
            verb: "different slices",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], done!(
                    try x.try_unique_slices_with(n[0]).map(|found| found.values),
                    panics x.unique_slices_with(n[0]).values
                ))
            },
            expected: |a, n| unique_slices(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: &["unique", "try_unique"],
            verb: "different",
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_unique(), panics x.unique())),
            expected: |a, _| unique(&a[0]),
            ..WHOLE
        },
        Call {
            names: &["unique_counts", "try_unique_counts"],
            verb: "different",
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done!(
                    try x.try_unique_counts().map(|found| found.0),
                    panics x.unique_counts().0
                ))
            },
            expected: |a, _| unique(&a[0]),
            ..WHOLE
        },
        Call {
            names: &["unique_with", "try_unique_with"],
            verb: "different",
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done!(
                    try x.try_unique_with().map(|found| found.values),
                    panics x.unique_with().values
                ))
            },
            expected: |a, _| unique(&a[0]),
            ..WHOLE
        },
        Call {
            names: &["set_union", "try_set_union"],
            verb: "look up",
            operands: two,
            run: |o, _| at_ranks!(o, x: view, y: view, [0 0, 0 2, 2 0, 1 1, 2 1, 2 2, 16 16], done!(try x.try_set_union(y), panics x.set_union(y))),
            expected: |a, _| set_union(&a[0], &a[1]),
            cannot: &[(WrongShape, "operands of any shapes")],
            ..Call::NOTHING
        },
        Call {
            names: &["set_intersection", "try_set_intersection"],
            verb: "look up",
            operands: two,
            run: |o, _| at_ranks!(o, x: view, y: view, [0 0, 0 2, 2 0, 1 1, 2 1, 2 2, 16 16], done!(try x.try_set_intersection(y), panics x.set_intersection(y))),
            expected: |a, _| set_intersection(&a[0], &a[1]),
            cannot: &[(WrongShape, "operands of any shapes")],
            ..Call::NOTHING
        },
        Call {
            names: &["set_difference", "try_set_difference"],
            verb: "look up",
            operands: two,
            run: |o, _| at_ranks!(o, x: view, y: view, [0 0, 0 2, 2 0, 1 1, 2 1, 2 2, 16 16], done!(try x.try_set_difference(y), panics x.set_difference(y))),
            expected: |a, _| set_difference(&a[0], &a[1]),
            cannot: &[(WrongShape, "operands of any shapes")],
            ..Call::NOTHING
        },
        Call {
            names: &["isin", "try_isin"],
            verb: "look up",
            operands: two,
            run: |o, _| at_ranks!(o, x: view, y: view, [0 0, 0 2, 2 0, 1 1, 2 1, 2 2, 16 16], done!(try x.try_isin(y), panics x.isin(y))),
            expected: |a, _| isin(&a[0], &a[1]),
            cannot: &[(WrongShape, "operands of any shapes")],
            ..Call::NOTHING
        },
        Call {
            names: &["isin_into", "try_isin_into"],
            verb: "look up",
            operands: two,
            run: |o, _| {
                at_ranks!(o, x: view, y: view, [0 0, 0 2, 2 0, 1 1, 2 1, 2 2, 16 16], {
                    done_into!(x.shape(), true, out, x.try_isin_into(y, &mut out), x.isin_into(y, &mut out))
                })
            },
            expected: |a, _| isin(&a[0], &a[1]),
            cannot: &[(WrongShape, "operands of any shapes"), (HugeExtents, "the output cannot be made")],
            ..Call::NOTHING
        },
        Call {
            names: &["lexsort", "try_lexsort"],
            verb: "lexsort",
            run: |o, _| at_rank!(o, x: view, [2], done!(try x.try_lexsort(), panics x.lexsort())),
            expected: |a, _| match a[0].shape.len() {
                2 => lexsort(&a[0]),
                _ => Err(Rejection::Error("does not compile")),
            },
            cannot: &[
                (WrongShape, "over any matrix"),
                (Rank0, "does not compile: it is not a matrix"),
                (Rank16, "does not compile: it is not a matrix"),
            ],
            ..WHOLE
        },
        Call {
            names: &["histogram", "try_histogram"],
            verb: "histogram",
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done!(
                    try x.try_histogram((2, -1.0..=1.0)).map(|found| found.0),
                    panics x.histogram((2, -1.0..=1.0)).0
                ))
            },
            expected: |a, _| two_bins(&a[0], false),
            ..WHOLE
        },
        Call {
            names: &["histogram_into", "try_histogram_into"],
            verb: "histogram",
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done_into!(
                    [2], -1, out,
                    x.try_histogram_into((2, -1.0..=1.0), &mut out),
                    x.histogram_into((2, -1.0..=1.0), &mut out)
                ))
            },
            expected: |a, _| two_bins(&a[0], false),
            ..WHOLE
        },
        Call {
            names: &["histogram_density", "try_histogram_density"],
            verb: "histogram",
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done!(
                    try x.try_histogram_density((2, -1.0..=1.0)).map(|found| found.0),
                    panics x.histogram_density((2, -1.0..=1.0)).0
                ))
            },
            expected: |a, _| two_densities(&a[0]),
            ..WHOLE
        },
        Call {
            names: &["histogram_density_into", "try_histogram_density_into"],
            verb: "histogram",
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done_into!(
                    [2], -1.0, out,
                    x.try_histogram_density_into((2, -1.0..=1.0), &mut out),
                    x.histogram_density_into((2, -1.0..=1.0), &mut out)
                ))
            },
            expected: |a, _| two_densities(&a[0]),
            ..WHOLE
        },
        Call {
            names: &["histogram_weighted", "try_histogram_weighted"],
            verb: "histogram",
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done!(
                    try x.try_histogram_weighted(&[-1.0, 0.0, 1.0], x).map(|found| found.0),
                    panics x.histogram_weighted(&[-1.0, 0.0, 1.0], x).0
                ))
            },
            expected: |a, _| two_bins(&a[0], true),
            cannot: &[(WrongShape, "see `arguments_of_histograms`")],
            ..WHOLE
        },
        Call {
            names: &["histogram_weighted_into", "try_histogram_weighted_into"],
            verb: "histogram",
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done_into!(
                    [2], f64::NAN, out,
                    x.try_histogram_weighted_into(&[-1.0, 0.0, 1.0], x, &mut out),
                    x.histogram_weighted_into(&[-1.0, 0.0, 1.0], x, &mut out)
                ))
            },
            expected: |a, _| two_bins(&a[0], true),
            cannot: &[(WrongShape, "see `arguments_of_histograms`")],
            ..WHOLE
        },
        Call {
            names: &["bincount", "try_bincount"],
            verb: "count",
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done!(
                    try x.try_gt(0.0).and_then(|x| x.try_cast::<i64>()).and_then(|x| x.try_bincount(3)),
                    panics x.gt(0.0).cast::<i64>().bincount(3)
                ))
            },
            expected: |a, _| positive(&a[0]),
            ..WHOLE
        },
        Call {
            names: &["bincount_weighted", "try_bincount_weighted"],
            verb: "count",
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done!(
                    try x.try_gt(0.0).and_then(|x| x.try_cast::<i64>()).and_then(|x| {
                        x.try_bincount_weighted(3, Tensor::ones(x.shape()))
                    }),
                    panics {
                        let x = x.gt(0.0).cast::<i64>();
                        x.bincount_weighted(3, Tensor::ones(x.shape()))
                    }
                ))
            },
            expected: |a, _| positive(&a[0]),
            cannot: &[(WrongShape, "see `arguments_of_histograms`")],
            ..WHOLE
        },
    ];
    let by_hand = [
        Row::by_hand(
            &["one_hot", "try_one_hot", "one_hot_into", "try_one_hot_into"],
            "encode labels",
            encoded,
        ),
        Row::by_hand(
            &["searchsorted", "try_searchsorted", "searchsorted_into", "try_searchsorted_into"],
            "search",
            searched,
        ),
        Row::by_hand(&["digitize", "try_digitize", "digitize_into", "try_digitize_into"], "bins", digitized),
    ];
    let calls = ascending.into_iter().chain(descending).chain(others);
    #[cfg(feature = "rand")]
    let calls = calls.chain(random_orders());
    calls.map(Row::from).chain(by_hand).collect()
}

#[test]
fn arguments_of_selections() {
    let x = tensor![[1.0, 2.0, 3.0]];
    let message = |error: vierbein::Error| error.to_string();
    assert_eq!(
        message(x.try_top_k(1, 4).unwrap_err()),
        "cannot find the greatest elements: 4 elements were requested, but axis 1 of shape [1, 3] has 3; request fewer"
    );
    assert_eq!(
        message(x.try_partition(1, -4).unwrap_err()),
        "cannot partition: index -4 is out of bounds for axis 1 of shape [1, 3], whose extent is 3"
    );
    assert_eq!(
        message(x.try_quantile(1, 50.0, Quantile::Linear).unwrap_err()),
        "cannot compute a quantile: the level 50 is not from 0 to 1; divide percentages by 100"
    );
    assert!(x.try_quantile(1, [0.5, f64::NAN], Quantile::Linear).is_err());
    assert_eq!(
        message(x.try_bottom_k(1, 4).unwrap_err()),
        "cannot find the smallest elements: 4 elements were requested, but axis 1 of shape [1, 3] has 3; request fewer"
    );
    for (weights, reason) in [
        (tensor![1.0], "there are 1 weights for axis 1 of shape [1, 3]; give one for each of its 3 indices"),
        (tensor![1.0, -1.0, 2.0], "weight 1 is -1; give weights that are finite and not negative"),
        (tensor![1.0, 1.0, f64::NAN], "weight 2 is NaN; give weights that are finite and not negative"),
        (tensor![0.0, 0.0, 0.0], "all 3 weights are zero; give at least one positive weight"),
    ] {
        let expected = format!("cannot compute a weighted quantile: {reason}");
        assert_eq!(message(x.try_quantile_weighted(1, 0.5, &weights).unwrap_err()), expected);
        assert_eq!(
            message(vierbein::DynTensor::from(x.clone()).quantile_weighted(1, 0.5, &weights).unwrap_err()),
            expected
        );
    }
    assert!(x.try_quantile_weighted(1, 1.5, tensor![1.0, 1.0, 1.0]).is_err());
    assert!(x.try_nan_quantile(1, [0.5, f64::NAN], Quantile::Linear).is_err());
    assert_eq!(
        message(tensor![1.0].try_digitize(tensor![f64::NAN], Side::Left).unwrap_err()),
        "cannot find bins: edge 0 is NaN; edges must be numbers that can be ordered"
    );
    assert!(tensor![1.0].try_digitize(tensor![1.0, f64::NAN], Side::Left).is_err());
    assert_eq!(
        message(tensor![1.0].try_digitize(tensor![1.0, 3.0, 2.0], Side::Left).unwrap_err()),
        "cannot find bins: edge 2 is 2, after 3; the edges must be in ascending order; sort them first"
    );
    if cfg!(debug_assertions) {
        assert_eq!(
            message(tensor![2, 1].try_searchsorted(tensor![1], Side::Left).unwrap_err()),
            "cannot search sorted elements: the tensor to search is not sorted: element 1 is 1, after 2; sort it first"
        );
    }
    let mut out = tensor![7_i64, 7];
    assert!(matches!(
        tensor![1, 2, 3].try_argsort_into(0, &mut out),
        Err(vierbein::Error::OutputShape { .. })
    ));
    assert!(matches!(
        tensor![1_i64, 2, 3].try_sort_into(0, &mut out),
        Err(vierbein::Error::OutputShape { .. })
    ));
    assert!(matches!(
        tensor![1_i64, 2, 3].try_partition_into(0, 1, &mut out),
        Err(vierbein::Error::OutputShape { .. })
    ));
    assert_eq!(out, tensor![7, 7]);
    // The extent of `out` determines how many elements are requested; `indices` must have the shape of `out`.
    let mut indices = tensor![7_i64, 7, 7];
    assert!(matches!(
        tensor![1_i64, 2, 3].try_top_k_into(0, &mut out, &mut indices),
        Err(vierbein::Error::OutputShape { .. })
    ));
    assert!(matches!(
        tensor![1_i64].try_top_k_into(0, &mut out, &mut indices),
        Err(vierbein::Error::Argument { .. })
    ));
    assert_eq!((out, indices), (tensor![7, 7], tensor![7, 7, 7]));
}

#[test]
fn arguments_of_histograms() {
    let message = |result: Result<_, vierbein::Error>| -> String {
        let _: &(Tensor<_, _>, Tensor<_, _>) = match &result {
            Ok(found) => found,
            Err(error) => return error.to_string(),
        };
        panic!("the histogram was computed");
    };
    let x = tensor![1.0, 2.0];
    let nan = tensor![1.0, f64::NAN];
    for (found, expected) in [
        (message(x.try_histogram(0)), "0 bins were requested; request at least one"),
        (message(nan.try_histogram(2)), "NaN is among the elements; pass a range or edges"),
        (
            message(Tensor::<f64, Rank<1>>::zeros([0]).try_histogram(2)),
            "there are no elements to take a range from; pass a range or edges",
        ),
        (
            message(x.try_histogram((2, 1.0..=0.0))),
            "the range from 1 to 0 must be finite and must not end below its start",
        ),
        (message(x.try_histogram(&[1.0])), "1 edges enclose no bin; pass at least two"),
        (
            message(x.try_histogram(&[1.0, 3.0, 2.0])),
            "edge 2 is 2, after 3; the edges must be in ascending order; sort them first",
        ),
        (
            message(x.try_histogram((2, 1.0..=1.0 + f64::EPSILON))),
            "2 bins from 1 to 1.0000000000000002 do not have edges that are distinct and finite; choose fewer bins or another range",
        ),
    ] {
        assert_eq!(found, format!("cannot compute a histogram: {expected}"));
    }
    assert_eq!(x.histogram((2, -1e308..=1e308)), (tensor![0, 2], tensor![-1e308, 0.0, 1e308]));
    assert!(x.try_histogram(usize::MAX).is_err());
    assert_eq!(
        x.try_histogram_weighted(2, tensor![1.0]).unwrap_err().to_string(),
        "cannot compute a histogram: the weights have shape [1], the elements [2]; pass a weight for each element"
    );
    assert_eq!(
        tensor![1, -3].try_bincount(0).unwrap_err().to_string(),
        "cannot count integers: element 1 is -3; the elements must not be negative"
    );
    assert!(tensor![u64::MAX].try_bincount(0).is_err());
    assert!(matches!(
        tensor![[1]].try_bincount_weighted(0, tensor![[1.0, 2.0]]),
        Err(vierbein::Error::Argument { .. })
    ));
}
