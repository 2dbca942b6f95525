//! Rows of the bad-input table (see `bad_input/mod.rs`): iterators over elements, over the views along an axis, and over lanes.

use super::array::{Array, Outcome, Rejection, index_axis, line, reject};
use super::driver::{Call, Hazard::*, Numbers, Row};
use super::hazards::{countable, one};
use super::joined::lanes;
use super::operand::ToArray;
use super::{at_rank, done, elementwise::ONE};

/// Returns the elements of all views, concatenated in the order of the views.
fn all<V: ToArray>(views: impl IntoIterator<Item = V>) -> Array {
    Array::line(views.into_iter().flat_map(|view| view.array().data).collect())
}

/// Returns what `axis_iter` must yield: the elements at index 0 along `axis`, then those at index 1, and so on.
fn positions(x: &Array, axis: usize) -> Outcome {
    if axis >= x.shape.len() {
        return reject("AxisOutOfRange");
    }
    if x.shape[axis] > 1 << 24 || x.len() > 1 << 24 {
        return Err(Rejection::Untried);
    }
    let each = |k| index_axis(x, axis, k).expect("the position is there").data;
    Ok(Array::line((0..x.shape[axis]).flat_map(each).collect()))
}

const ALONG: Call = Call {
    operands: one,
    numbers: Numbers::Axis,
    cannot: &[(Rank0, "does not compile: there is no axis")],
    ..Call::NOTHING
};

/// Runs `$tried` and `$panics` on a mutable view of the operand's elements.
macro_rules! through {
    ($o:ident, $x:ident, [$($rank:literal)*], $tried:expr, $panics:expr) => {
        match $o[0].rank() {
            $($rank => Some(done!(
                try $o[0].changed::<$rank>(&|mut $x| { let $x = &mut $x; $tried }),
                panics $o[0].changed::<$rank>(&|mut $x| { let $x = &mut $x; Ok($panics) })
                    .unwrap_or_else(|error| panic!("{error}"))
            )),)*
            _ => None,
        }
    };
}

pub(crate) fn rows() -> Vec<Row> {
    let mut calls = vec![
        Call {
            names: &["iter", "indexed_iter", "into_iter"],
            operands: countable,
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done!(panics {
                    let values: Vec<f64> = x.iter().copied().collect();
                    let bits = |x: &f64| x.to_bits();
                    assert!(x.indexed_iter().map(|(index, _)| bits(&x[index])).eq(values.iter().map(bits)));
                    assert!(x.into_iter().map(bits).eq(values.iter().map(bits)));
                    values
                }))
            },
            expected: |a, _| line(&a[0]),
            ..ONE
        },
        Call {
            names: &["iter_mut"],
            operands: countable,
            run: |o, _| {
                through!(o, x, [0 1 2 16],
                Ok(Array::line(x.iter_mut().map(|x| *x).collect())), Array::line(x.iter_mut().map(|x| *x).collect()))
            },
            expected: |a, _| line(&a[0]),
            ..ONE
        },
        Call {
            names: &["axis_iter", "try_axis_iter"],
            verb: "iterate",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_axis_iter(n[0]).map(all), panics all(x.axis_iter(n[0])))),
            expected: |a, n| positions(&a[0], n[0]),
            ..ALONG
        },
        Call {
            names: &["axis_iter_mut", "try_axis_iter_mut"],
            verb: "iterate",
            run: |o, n| through!(o, x, [1 2 16], x.try_axis_iter_mut(n[0]).map(all), all(x.axis_iter_mut(n[0]))),
            expected: |a, n| positions(&a[0], n[0]),
            ..ALONG
        },
        Call {
            names: &["lanes", "try_lanes"],
            verb: "take lanes",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_lanes(n[0]).map(all), panics all(x.lanes(n[0])))),
            expected: |a, n| lanes(&a[0], n[0]),
            ..ALONG
        },
        Call {
            names: &["lanes_mut", "try_lanes_mut"],
            verb: "take lanes",
            run: |o, n| through!(o, x, [1 2 16], x.try_lanes_mut(n[0]).map(all), all(x.lanes_mut(n[0]))),
            expected: |a, n| lanes(&a[0], n[0]),
            ..ALONG
        },
    ];
    calls.extend(in_parallel());
    calls.into_iter().map(Row::from).collect()
}

#[cfg(not(feature = "rayon"))]
fn in_parallel() -> [Call; 0] {
    []
}

#[cfg(feature = "rayon")]
fn in_parallel() -> [Call; 2] {
    use rayon::iter::ParallelIterator;
    fn gathered<V: ToArray + Send>(views: impl ParallelIterator<Item = V>) -> Array {
        all(views.map(|view| view.array()).collect::<Vec<Array>>())
    }
    [
        Call {
            names: &["par_axis_iter"],
            verb: "iterate",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(panics gathered(x.par_axis_iter(n[0])))),
            expected: |a, n| positions(&a[0], n[0]),
            ..ALONG
        },
        Call {
            names: &["par_axis_iter_mut"],
            verb: "iterate",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(panics gathered(x.to_owned().par_axis_iter_mut(n[0])))),
            expected: |a, n| positions(&a[0], n[0]),
            ..ALONG
        },
    ]
}
