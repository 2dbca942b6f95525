//! Rows of the bad-input table (see `bad_input/mod.rs`): operations of `DynTensor` that join, cut, repeat and rearrange.

use super::array::{Array, Outcome, check_axes, index_axis, reject};
use super::driver::{Call, Hazard::*, Numbers, Row, done};
use super::hazards::countable;
use super::joined::{
    all, chunked, concatenated, differences, flipped, halves, lanes, padded, picked, repeated, rolled,
    rotated, split_at_one, stacked, tiled, tiles, triangle, windows,
};
use super::operand::{Place, ToArray};
use super::{changed, methods, with};
use vierbein::dyn_tensor::{DynData, concatenate, meshgrid, stack};
use vierbein::{DynTensor, DynViewMut, Pad};

const ANY_SHAPE: &[(super::driver::Hazard, &str)] = &[(WrongShape, "every shape is valid")];
const AXIS: Call = Call { numbers: Numbers::Axis, operands: countable, ..Call::NOTHING };
const WHOLE: Call = Call { operands: countable, cannot: ANY_SHAPE, ..Call::NOTHING };

/// Concatenates the shapes and the elements of several parts.
fn parts<S: DynData>(parts: impl IntoIterator<Item = DynTensor<S>>) -> Array {
    all(parts.into_iter().map(|part| part.array()).collect())
}

/// Returns `result`, or the expected error if the operand has rank 16, because the result would have rank 17.
fn below_maximum(x: &Array, result: Outcome) -> Outcome {
    if x.shape.len() == 16 { reject("UnsupportedRank") } else { result }
}

/// Returns the result, or the expected error if the operand has fewer than two axes and therefore no matrices.
fn of_matrices(x: &Array, result: impl FnOnce() -> Outcome) -> Outcome {
    if x.shape.len() < 2 { reject("UnsupportedRank") } else { result() }
}

pub(crate) fn rows() -> Vec<Row> {
    let calls = [
        Call {
            names: methods![flip],
            verb: "flip",
            run: |o, n| with(&o[0], |x| done!(try x.flip(&[n[0]]))),
            expected: |a, n| flipped(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: methods![flip_mut],
            verb: "flip",
            operands: |hazard| {
                countable(hazard).into_iter().filter(|x| !matches!(x[0].place, Place::Windows)).collect()
            },
            run: |o, n| Some(done!(try changed(&o[0], |mut x| Ok(x.flip_mut(&[n[0]])?.array())))),
            expected: |a, n| flipped(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: methods![rot90],
            verb: "rotate",
            numbers: Numbers::Pair,
            run: |o, n| with(&o[0], |x| done!(try x.rot90(1, n[0], n[1]))),
            expected: |a, n| rotated(&a[0], n[0], n[1]),
            ..AXIS
        },
        Call {
            names: methods![rot90_mut],
            verb: "rotate",
            numbers: Numbers::Pair,
            operands: |hazard| {
                countable(hazard).into_iter().filter(|x| !matches!(x[0].place, Place::Windows)).collect()
            },
            run: |o, n| Some(done!(try changed(&o[0], |mut x| Ok(x.rot90_mut(1, n[0], n[1])?.array())))),
            expected: |a, n| rotated(&a[0], n[0], n[1]),
            ..AXIS
        },
        Call {
            names: methods![windows],
            verb: "",
            run: |o, n| with(&o[0], |x| done!(try x.windows(&[n[0]], &[2]))),
            expected: |a, n| below_maximum(&a[0], windows(&a[0], n[0])),
            ..AXIS
        },
        Call {
            names: methods![split],
            verb: "split",
            run: |o, n| with(&o[0], |x| done!(try x.split(n[0], 2).map(parts))),
            expected: |a, n| halves(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: methods![split_at_each],
            verb: "split",
            run: |o, n| with(&o[0], |x| done!(try x.split_at_each(n[0], &[1]).map(parts))),
            expected: |a, n| split_at_one(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: methods![chunks],
            verb: "cut into chunks",
            run: |o, n| with(&o[0], |x| done!(try x.chunks(n[0], 2).map(parts))),
            expected: |a, n| chunked(&a[0], n[0], 2),
            cannot: &[(HugeExtents, "a huge axis has too many chunks to collect")],
            ..AXIS
        },
        Call {
            names: methods![for_each_chunk_mut],
            verb: "cut into chunks",
            operands: |hazard| {
                countable(hazard).into_iter().filter(|x| !matches!(x[0].place, Place::Windows)).collect()
            },
            run: |o, n| {
                let cut = |mut x: DynViewMut<'_>| {
                    let mut chunks = Vec::new();
                    x.for_each_chunk_mut(n[0], 2, |chunk| {
                        chunks.push(chunk.array());
                        Ok(())
                    })?;
                    Ok(all(chunks))
                };
                Some(done!(try changed(&o[0], cut)))
            },
            expected: |a, n| chunked(&a[0], n[0], 2),
            cannot: &[(HugeExtents, "a huge axis has too many chunks to collect")],
            ..AXIS
        },
        Call {
            names: methods![axis_iter],
            verb: "iterate",
            run: |o, n| with(&o[0], |x| done!(try x.axis_iter(n[0]).map(parts))),
            expected: |a, n| {
                check_axes(a[0].shape.len(), &[n[0]])?;
                let indices = 0..a[0].shape[n[0]];
                Ok(all(indices.map(|k| index_axis(&a[0], n[0], k)).collect::<Result<_, _>>()?))
            },
            cannot: &[(HugeExtents, "a huge axis has too many views to collect")],
            ..AXIS
        },
        Call {
            names: methods![lanes],
            verb: "take lanes",
            run: |o, n| {
                with(
                    &o[0],
                    |x| done!(try x.lanes(n[0]).map(|lanes| Array::line(lanes.flat_map(|x| x.array().data).collect()))),
                )
            },
            expected: |a, n| lanes(&a[0], n[0]),
            cannot: &[(HugeExtents, "a huge axis has too many lanes to collect")],
            ..AXIS
        },
        Call {
            names: methods![roll],
            verb: "roll",
            run: |o, n| with(&o[0], |x| done!(try x.roll(&[n[0]], &[1]))),
            expected: |a, n| rolled(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: methods![tile],
            verb: "tile",
            run: |o, _| {
                with(&o[0], |x| {
                    let counts: Vec<usize> = (0..x.rank()).map(tiles).collect();
                    done!(try x.tile(&counts))
                })
            },
            expected: |a, _| tiled(&a[0]),
            ..WHOLE
        },
        Call {
            names: methods![repeat],
            verb: "repeat",
            run: |o, n| with(&o[0], |x| done!(try x.repeat(n[0], 2))),
            expected: |a, n| repeated(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: methods![repeat_each],
            verb: "repeat",
            run: |o, n| {
                with(&o[0], |x| {
                    let extent = x.shape().get(n[0]).copied().unwrap_or(0);
                    done!(try x.repeat_each(n[0], &vec![2; extent.min(1 << 20)]))
                })
            },
            expected: |a, n| repeated(&a[0], n[0]),
            cannot: &[(HugeExtents, "as many counts as indices")],
            ..AXIS
        },
        Call {
            names: methods![pad],
            verb: "pad",
            run: |o, _| with(&o[0], |x| done!(try x.pad(&vec![(1, 0); x.rank()], Pad::Constant(7.0.into())))),
            expected: |a, _| padded(&a[0]),
            cannot: &[
                (WrongShape, "every shape is valid"),
                (Rank16, "padding 16 axes would give too many elements"),
            ],
            operands: |hazard| countable(hazard).into_iter().filter(|x| x[0].rank() < 16).collect(),
            ..WHOLE
        },
        Call {
            names: methods![tril],
            verb: "tril",
            run: |o, _| with(&o[0], |x| done!(try x.tril(0))),
            expected: |a, _| of_matrices(&a[0], || triangle(&a[0], |i, j| j <= i)),
            ..WHOLE
        },
        Call {
            names: methods![triu],
            verb: "triu",
            run: |o, _| with(&o[0], |x| done!(try x.triu(1))),
            expected: |a, _| of_matrices(&a[0], || triangle(&a[0], |i, j| j > i)),
            ..WHOLE
        },
        Call {
            names: methods![diff],
            verb: "differences",
            run: |o, n| with(&o[0], |x| done!(try x.diff(n[0], 1))),
            expected: |a, n| differences(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: &["dyn_tensor::meshgrid"],
            verb: "make a grid",
            numbers: Numbers::None,
            run: |o, _| {
                with(
                    &o[0],
                    |x| done!(try meshgrid(&[x, x]).map(|pair| pair[0].array().and(&pair[1].array()))),
                )
            },
            expected: |a, _| {
                let &[extent] = &a[0].shape[..] else { return reject("UnsupportedRank") };
                let axis = |k: usize| picked(&a[0], vec![extent; 2], 0.0, move |index| Some(vec![index[k]]));
                Ok(axis(0)?.and(&axis(1)?))
            },
            ..AXIS
        },
        Call {
            names: &["dyn_tensor::concatenate"],
            verb: "concatenate",
            run: |o, n| with(&o[0], |x| done!(try concatenate(n[0], &[x, x]))),
            expected: |a, n| concatenated(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: &["dyn_tensor::stack"],
            verb: "",
            numbers: Numbers::Place,
            run: |o, n| with(&o[0], |x| done!(try stack(n[0], &[x, x]))),
            expected: |a, n| below_maximum(&a[0], stacked(&a[0], n[0])),
            ..AXIS
        },
    ];
    calls.map(Row::from).into()
}
