//! Rows of the bad-input table (see `bad_input/mod.rs`): operations that join, cut, repeat and rearrange tensors.

use super::array::{Array, Outcome, Rejection, allocated};
use super::driver::{Call, Hazard::*, Numbers, Row};
use super::hazards::countable;
use super::joined::{
    all, chunked, concatenated, differences, flipped, halves, padded, picked, repeated, rolled, rotated,
    split_at_one, stacked, tiled, tiles, triangle, windows,
};
use super::operand::ToArray;
use super::writing::shape_of;
use super::{at_rank, cut_mut, done, done_into};
use vierbein::prelude::*;
use vierbein::{
    Pad, concatenate, concatenate_into, meshgrid, stack, stack_into, try_concatenate, try_concatenate_into,
    try_meshgrid, try_stack, try_stack_into,
};

const NO_AXIS: &str = "does not compile: there is no axis";
const AXIS: Call =
    Call { numbers: Numbers::Axis, operands: countable, cannot: &[(Rank0, NO_AXIS)], ..Call::NOTHING };

/// Returns one `Array` with the shapes of all parts, one after the other, and all their elements.
fn parts<X: ToArray>(parts: impl IntoIterator<Item = X>) -> Array {
    all(parts.into_iter().map(|part| part.array()).collect())
}

/// Returns the differences of all pairs of elements.
fn outer_differences(x: &Array) -> Outcome {
    let (shape, rank) = ([&x.shape[..], &x.shape].concat(), x.shape.len());
    allocated(&shape, 8)?;
    Ok(Array::from_fn(&shape, |index| x.at(&index[..rank]) - x.at(&index[rank..])))
}

/// Returns a shape whose extents are changed: `change` gets the number of the axis and its extent. The tests change only extents that are
/// not huge.
fn changed<const N: usize>(shape: [usize; N], change: impl Fn(usize, usize) -> usize) -> [usize; N] {
    let mut k = 0;
    shape.map(|extent| {
        k += 1;
        change(k - 1, extent)
    })
}

fn views() -> Vec<Row> {
    let calls = [
        Call {
            names: &["flip", "try_flip"],
            verb: "flip",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_flip(n[0]), panics x.flip(n[0]))),
            expected: |a, n| flipped(&a[0], n[0]),
            cannot: &[(Rank0, "asserted as an axis that is out of range")],
            ..AXIS
        },
        Call {
            names: &["rot90", "try_rot90"],
            verb: "rotate",
            numbers: Numbers::Pair,
            run: |o, n| at_rank!(o, x: view, [2 16], done!(try x.try_rot90(1, n[0], n[1]), panics x.rot90(1, n[0], n[1]))),
            expected: |a, n| rotated(&a[0], n[0], n[1]),
            cannot: &[(Rank0, "asserted as axes that are out of range")],
            ..AXIS
        },
        Call {
            names: &["windows", "try_windows"],
            verb: "take windows",
            run: |o, n| at_rank!(o, x: view, [1 2], done!(try x.try_windows([n[0]], [2]), panics x.windows([n[0]], [2]))),
            expected: |a, n| windows(&a[0], n[0]),
            cannot: &[
                (Rank0, "asserted as an axis that is out of range"),
                (Rank16, "does not compile: the rank would be 17"),
            ],
            ..AXIS
        },
        Call {
            names: &["split", "try_split"],
            verb: "split",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_split(n[0], 2).map(parts), panics parts(x.split(n[0], 2)))),
            expected: |a, n| halves(&a[0], n[0]),
            cannot: &[(Rank0, "asserted as an axis that is out of range")],
            ..AXIS
        },
        Call {
            names: &["split_at_each", "try_split_at_each"],
            verb: "split",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], done!(
                    try x.try_split_at_each(n[0], &[1]).map(parts),
                    panics parts(x.split_at_each(n[0], &[1]))
                ))
            },
            expected: |a, n| split_at_one(&a[0], n[0]),
            cannot: &[(Rank0, "asserted as an axis that is out of range")],
            ..AXIS
        },
        Call {
            names: &["chunks", "try_chunks"],
            verb: "cut into chunks",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_chunks(n[0], 2).map(parts), panics parts(x.chunks(n[0], 2)))),
            expected: |a, n| chunked(&a[0], n[0], 2),
            cannot: &[
                (Rank0, "asserted as an axis that is out of range"),
                (HugeExtents, "a huge axis has too many chunks to collect"),
            ],
            ..AXIS
        },
        Call {
            names: &["chunks_mut", "try_chunks_mut"],
            verb: "cut into chunks",
            run: |o, n| cut_mut!(o, n, x, [1 2 16], x.try_chunks_mut(n[0], 2).map(parts), parts(x.chunks_mut(n[0], 2))),
            expected: |a, n| chunked(&a[0], n[0], 2),
            cannot: &[
                (Rank0, "asserted as an axis that is out of range"),
                (HugeExtents, "a huge axis has too many chunks to collect"),
            ],
            ..AXIS
        },
        #[cfg(feature = "rayon")]
        Call {
            names: &["par_chunks"],
            verb: "cut into chunks",
            run: |o, n| {
                use rayon::iter::ParallelIterator;
                at_rank!(o, x: view, [1 2 16], done!(panics parts(x.par_chunks(n[0], 2).collect::<Vec<_>>())))
            },
            expected: |a, n| chunked(&a[0], n[0], 2),
            cannot: &[
                (Rank0, "asserted as an axis that is out of range"),
                (HugeExtents, "a huge axis has too many chunks to collect"),
            ],
            ..AXIS
        },
        #[cfg(feature = "rayon")]
        Call {
            names: &["par_chunks_mut"],
            verb: "cut into chunks",
            run: |o, n| {
                use rayon::iter::ParallelIterator;
                match o[0].rank() {
                    2 => Some(done!(
                        panics o[0]
                            .changed::<2>(&|mut x| Ok(parts(x.par_chunks_mut(n[0], 2).collect::<Vec<_>>())))
                            .unwrap_or_else(|error| panic!("{error}"))
                    )),
                    _ => None,
                }
            },
            expected: |a, n| chunked(&a[0], n[0], 2),
            cannot: &[
                (Rank0, "asserted as an axis that is out of range"),
                (Rank16, "asserted for rank 2"),
                (HugeExtents, "a huge axis has too many chunks to collect"),
            ],
            ..AXIS
        },
    ];
    calls.map(Row::from).into()
}

fn copies() -> Vec<Row> {
    let calls = [
        Call {
            names: &["roll", "try_roll", "roll_axes", "try_roll_axes"],
            verb: "roll",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let _ = || (x.try_roll_axes([0], [1]), x.roll_axes([0], [1]));
                    done!(try x.try_roll(n[0], 1), panics x.roll_axes([n[0]], [1]))
                })
            },
            expected: |a, n| rolled(&a[0], n[0]),
            cannot: &[(Rank0, "asserted as an axis that is out of range")],
            ..AXIS
        },
        Call {
            names: &["roll_into", "try_roll_into", "roll_axes_into", "try_roll_axes_into"],
            verb: "roll",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let _ = |out: &mut Tensor<f64, _>| (x.roll_into(0, 1, out), x.try_roll_axes_into([0], [1], out));
                    done_into!(x.shape(), f64::NAN, out, x.try_roll_into(n[0], 1, &mut out), x.roll_axes_into([n[0]], [1], &mut out))
                })
            },
            expected: |a, n| rolled(&a[0], n[0]),
            cannot: &[(Rank0, "asserted as an axis that is out of range")],
            ..AXIS
        },
        Call {
            names: &["tile", "try_tile"],
            verb: "tile",
            numbers: Numbers::None,
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let counts = changed(x.shape(), |axis, _| tiles(axis));
                    done!(try x.try_tile(counts), panics x.tile(counts))
                })
            },
            expected: |a, _| tiled(&a[0]),
            cannot: &[(WrongShape, "every shape can be tiled")],
            ..AXIS
        },
        Call {
            names: &["tile_into", "try_tile_into"],
            verb: "tile",
            numbers: Numbers::None,
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], {
                    if x.shape().iter().any(|&n| n > 1 << 20) {
                        return None;
                    }
                    let counts = changed(x.shape(), |axis, _| tiles(axis));
                    let to = changed(x.shape(), |axis, n| tiles(axis) * n);
                    done_into!(to, f64::NAN, out, x.try_tile_into(counts, &mut out), x.tile_into(counts, &mut out))
                })
            },
            expected: |a, _| tiled(&a[0]),
            cannot: &[(WrongShape, "every shape can be tiled"), (HugeExtents, "the output cannot be made")],
            ..AXIS
        },
        Call {
            names: &["repeat", "try_repeat"],
            verb: "repeat",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_repeat(n[0], 2), panics x.repeat(n[0], 2))),
            expected: |a, n| repeated(&a[0], n[0]),
            cannot: &[(Rank0, "asserted as an axis that is out of range")],
            ..AXIS
        },
        Call {
            names: &["repeat_into", "try_repeat_into"],
            verb: "repeat",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    if x.shape().iter().any(|&n| n > 1 << 20) {
                        return None;
                    }
                    let to = changed(x.shape(), |axis, extent| if axis == n[0] { 2 * extent } else { extent });
                    done_into!(to, f64::NAN, out, x.try_repeat_into(n[0], 2, &mut out), x.repeat_into(n[0], 2, &mut out))
                })
            },
            expected: |a, n| repeated(&a[0], n[0]),
            cannot: &[
                (Rank0, "asserted as an axis that is out of range"),
                (HugeExtents, "the output cannot be made"),
            ],
            ..AXIS
        },
        Call {
            names: &["pad", "try_pad"],
            verb: "pad",
            numbers: Numbers::None,
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2], {
                    done!(try x.try_pad((1, 0), Pad::Constant(7.0)), panics x.pad((1, 0), Pad::Constant(7.0)))
                })
            },
            expected: |a, _| padded(&a[0]),
            cannot: &[
                (WrongShape, "every shape can be padded with a constant"),
                (Rank16, "padding 16 axes would give too many elements"),
            ],
            ..AXIS
        },
        Call {
            names: &["pad_into", "try_pad_into"],
            verb: "pad",
            numbers: Numbers::None,
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2], {
                    if x.shape().iter().any(|&n| n > 1 << 20) {
                        return None;
                    }
                    let to = changed(x.shape(), |_, n| n + 1);
                    let seven = Pad::Constant(7.0);
                    done_into!(to, f64::NAN, out, x.try_pad_into((1, 0), seven, &mut out), x.pad_into((1, 0), seven, &mut out))
                })
            },
            expected: |a, _| padded(&a[0]),
            cannot: &[
                (WrongShape, "every shape can be padded with a constant"),
                (HugeExtents, "the output cannot be made"),
                (Rank16, "padding 16 axes would give too many elements"),
            ],
            ..AXIS
        },
        Call {
            names: &["tril", "try_tril", "triu", "try_triu"],
            verb: "tril",
            numbers: Numbers::None,
            run: |o, _| {
                at_rank!(o, x: view, [2 16], {
                    let both = |low: Tensor<f64, _>, high: Tensor<f64, _>| (low, high);
                    done!(
                        try x.try_tril(0).and_then(|low| Ok(both(low, x.try_triu(1)?))),
                        panics both(x.tril(0), x.triu(1))
                    )
                })
            },
            expected: |a, _| Ok(triangle(&a[0], |i, j| j <= i)?.and(&triangle(&a[0], |i, j| j > i)?)),
            cannot: &[
                (WrongShape, "every shape has triangles"),
                (Rank0, "does not compile: there are no matrices"),
            ],
            ..AXIS
        },
        Call {
            names: &["tril_into", "try_tril_into", "triu_into", "try_triu_into"],
            verb: "tril",
            numbers: Numbers::None,
            run: |o, _| {
                at_rank!(o, x: view, [2 16], {
                    let _ = |out: &mut Tensor<f64, _>| (x.triu_into(0, out), x.try_triu_into(0, out));
                    done_into!(x.shape(), f64::NAN, out, x.try_tril_into(0, &mut out), x.tril_into(0, &mut out))
                })
            },
            expected: |a, _| triangle(&a[0], |i, j| j <= i),
            cannot: &[
                (WrongShape, "every shape has triangles"),
                (Rank0, "does not compile: there are no matrices"),
            ],
            ..AXIS
        },
        Call {
            names: &["diff", "try_diff"],
            verb: "differences",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_diff(n[0], 1), panics x.diff(n[0], 1))),
            expected: |a, n| differences(&a[0], n[0]),
            cannot: &[(Rank0, "asserted as an axis that is out of range")],
            ..AXIS
        },
        Call {
            names: &["diff_into", "try_diff_into"],
            verb: "differences",
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let to = changed(x.shape(), |axis, extent| extent.saturating_sub(usize::from(axis == n[0])));
                    done_into!(to, f64::NAN, out, x.try_diff_into(n[0], 1, &mut out), x.diff_into(n[0], 1, &mut out))
                })
            },
            expected: |a, n| differences(&a[0], n[0]),
            cannot: &[(Rank0, "asserted as an axis that is out of range")],
            ..AXIS
        },
    ];
    calls.map(Row::from).into()
}

fn joined() -> Vec<Row> {
    let calls = [
        Call {
            names: &["concatenate", "try_concatenate"],
            verb: "concatenate",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try try_concatenate(n[0], [x, x]), panics concatenate(n[0], [x, x]))),
            expected: |a, n| concatenated(&a[0], n[0]),
            cannot: &[(Rank0, "asserted as an axis that is out of range")],
            ..AXIS
        },
        Call {
            names: &["concatenate_into", "try_concatenate_into"],
            verb: "concatenate",
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    if x.shape().iter().any(|&n| n > 1 << 20) {
                        return None;
                    }
                    let to = changed(x.shape(), |axis, extent| if axis == n[0] { 2 * extent } else { extent });
                    done_into!(
                        to, f64::NAN, out,
                        try_concatenate_into(n[0], [x, x], &mut out),
                        concatenate_into(n[0], [x, x], &mut out)
                    )
                })
            },
            expected: |a, n| concatenated(&a[0], n[0]),
            cannot: &[
                (Rank0, "asserted as an axis that is out of range"),
                (HugeExtents, "the output cannot be made"),
            ],
            ..AXIS
        },
        Call {
            names: &["stack", "try_stack"],
            verb: "stack",
            numbers: Numbers::Place,
            run: |o, n| at_rank!(o, x: view, [0 1 2], done!(try try_stack(n[0], [x, x]), panics stack(n[0], [x, x]))),
            expected: |a, n| stacked(&a[0], n[0]),
            cannot: &[(Rank16, "does not compile: the rank would be 17")],
            ..AXIS
        },
        Call {
            names: &["stack_into", "try_stack_into"],
            verb: "stack",
            numbers: Numbers::Place,
            operands: countable,
            run: |o, n| {
                at_rank!(o, x: view, [0 1 2], {
                    let to = shape_of(try_stack(n[0], [x, x]));
                    done_into!(to, f64::NAN, out, try_stack_into(n[0], [x, x], &mut out), stack_into(n[0], [x, x], &mut out))
                })
            },
            expected: |a, n| stacked(&a[0], n[0]),
            cannot: &[
                (HugeExtents, "the output cannot be made"),
                (Rank16, "does not compile: the rank would be 17"),
            ],
        },
        Call {
            names: &["meshgrid", "try_meshgrid"],
            verb: "",
            numbers: Numbers::None,
            run: |o, _| {
                at_rank!(o, x: view, [1], {
                    let pair = |[a, b]: [TensorView<'_, f64, Rank<2>>; 2]| a.array().and(&b.array());
                    done!(try try_meshgrid([x, x]).map(pair), panics pair(meshgrid([x, x])))
                })
            },
            expected: |a, _| {
                if a[0].shape.len() != 1 {
                    return Err(Rejection::Untried);
                }
                let shape = vec![a[0].shape[0]; 2];
                let row = picked(&a[0], shape.clone(), 0.0, |index| Some(vec![index[0]]))?;
                Ok(row.and(&picked(&a[0], shape, 0.0, |index| Some(vec![index[1]]))?))
            },
            cannot: &[
                (WrongShape, "vectors of all lengths span a grid"),
                (HugeExtents, "asserted by a unit test: a grid is a view, which needs no memory"),
                (Rank0, "does not compile: axes are vectors"),
                (Rank16, "does not compile: axes are vectors"),
            ],
            ..AXIS
        },
        Call {
            names: &["outer_map", "try_outer_map"],
            verb: "map",
            numbers: Numbers::None,
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2], {
                    done!(try x.try_outer_map(x, |a, b| a - b), panics x.outer_map(x, |a, b| a - b))
                })
            },
            expected: |a, _| outer_differences(&a[0]),
            cannot: &[
                (WrongShape, "all shapes have an outer product"),
                (Rank16, "does not compile: the rank would be 32"),
            ],
            ..AXIS
        },
        Call {
            names: &["outer_map_into", "try_outer_map_into"],
            verb: "map",
            numbers: Numbers::None,
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2], done_into!(
                    shape_of(x.try_outer_map(x, |a, b| a - b)), f64::NAN, out,
                    x.try_outer_map_into(x, |a, b| a - b, &mut out),
                    x.outer_map_into(x, |a, b| a - b, &mut out)
                ))
            },
            expected: |a, _| outer_differences(&a[0]),
            cannot: &[
                (WrongShape, "all shapes have an outer product"),
                (HugeExtents, "the output cannot be made"),
                (Rank16, "does not compile: the rank would be 32"),
            ],
            ..AXIS
        },
    ];
    calls.map(Row::from).into()
}

pub(crate) fn rows() -> Vec<Row> {
    [views(), copies(), joined()].into_iter().flatten().collect()
}
