//! Rows of the bad-input table (see `bad_input/mod.rs`): operations that return views (permuted axes, slices, reshapes and broadcasts).

use super::array::{
    Array, Outcome, broadcast, copy, cut, diagonal, diagonal_offset, index_axis, insert, line, permute,
    reject, remove, reshape, split,
};
use super::driver::{Call, Hazard::*, Numbers, Row};
use super::hazards::{one, square};
use super::operand::{LONG, ToArray};
use super::{at_rank, cut_mut, done, elementwise::ONE};
use vierbein::prelude::*;

const NO_AXIS: &str = "does not compile: there is no axis";
const OF_AXES: Call = Call { operands: one, cannot: &[(Rank0, NO_AXIS)], ..Call::NOTHING };
const OF_SQUARE: Call =
    Call { operands: square, numbers: Numbers::Pair, cannot: &[(Rank0, NO_AXIS)], ..Call::NOTHING };

/// Runs the fallible and the panicking variant of a method that consumes a mutable view of the operand's elements.
macro_rules! by_value {
    ($o:ident, $n:ident, $x:ident, [$($rank:literal)*], $tried:expr, $panics:expr) => {
        match $o[0].rank() {
            $($rank => Some(done!(
                try $o[0].changed::<$rank>(&|$x| Ok($tried?.array())),
                panics $o[0].changed::<$rank>(&|$x| Ok($panics.array())).unwrap_or_else(|error| panic!("{error}"))
            )),)*
            _ => None,
        }
    };
}

/// Applies `f` to a copy of `x`. If the copy does not fit in memory, returns `OutOfMemory` without calling `f`.
pub(crate) fn of_copy(x: &Array, f: impl Fn(&Array) -> Outcome) -> Outcome {
    f(&copy(x)?)
}

pub(crate) fn reversed(x: &Array) -> Outcome {
    permute(x, &(0..x.shape.len()).rev().collect::<Vec<_>>())
}

pub(crate) fn index_array<const N: usize>(n: &[usize]) -> [usize; N] {
    n.try_into().expect("one number for each axis")
}

/// Returns the rows of methods that permute, insert and remove axes.
fn axes() -> Vec<Row> {
    let calls = [
        Call {
            names: &["permute", "try_permute"],
            verb: "permute",
            numbers: Numbers::Permutation,
            run: |o, n| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_permute(index_array(n)), panics x.permute(index_array(n)))),
            expected: |a, n| permute(&a[0], n),
            cannot: &[],
            ..OF_AXES
        },
        Call {
            names: &["permute_mut", "try_permute_mut"],
            verb: "permute",
            numbers: Numbers::Permutation,
            run: |o, n| cut_mut!(o, n, x, [0 1 2 16], x.try_permute_mut(index_array(n)), x.permute_mut(index_array(n))),
            expected: |a, n| of_copy(&a[0], |x| permute(x, n)),
            cannot: &[],
            ..OF_AXES
        },
        Call {
            names: &["swap_axes", "try_swap_axes"],
            verb: "swap axes",
            numbers: Numbers::Pair,
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_swap_axes(n[0], n[1]), panics x.swap_axes(n[0], n[1]))),
            expected: |a, n| {
                let mut permutation: Vec<usize> = (0..a[0].shape.len()).collect();
                if n.iter().any(|&axis| axis >= permutation.len()) {
                    return reject("AxisOutOfRange");
                }
                permutation.swap(n[0], n[1]);
                permute(&a[0], &permutation)
            },
            ..OF_AXES
        },
        Call {
            names: &["reverse_axes"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(panics x.reverse_axes())),
            expected: |a, _| reversed(&a[0]),
            ..ONE
        },
        Call {
            names: &["reverse_axes_mut"],
            run: |o, _| cut_mut!(o, n, x, [0 1 2 16], Ok::<_, vierbein::Error>(x.reverse_axes_mut()), x.reverse_axes_mut()),
            expected: |a, _| of_copy(&a[0], reversed),
            ..ONE
        },
        Call {
            names: &["t", "try_t"],
            run: |o, _| at_rank!(o, x: view, [2], done!(try x.try_t(), panics x.t())),
            expected: |a, _| reversed(&a[0]),
            cannot: &[
                (WrongShape, "every matrix has a transpose"),
                (Rank0, "does not compile: no matrix"),
                (Rank16, "does not compile: no matrix"),
            ],
            ..ONE
        },
        Call {
            names: &["flip_order"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(panics x.flip_order())),
            expected: |a, _| reversed(&a[0]),
            ..ONE
        },
        Call {
            names: &["into_flipped"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(panics x.to_owned().into_flipped())),
            expected: |a, _| of_copy(&a[0], reversed),
            ..ONE
        },
        Call {
            names: &["into_any_rank"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(panics x.view().into_any_rank())),
            expected: |a, _| Ok(a[0].clone()),
            ..ONE
        },
        Call {
            names: &["into_rank", "try_into_rank"],
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let x = x.view().into_any_rank();
                    done!(try Ok(x.try_into_rank::<AnyRank>()?), panics x.into_rank::<AnyRank>())
                })
            },
            expected: |a, _| Ok(a[0].clone()),
            ..ONE
        },
        Call {
            names: &["insert_axis", "try_insert_axis"],
            verb: "insert an axis",
            numbers: Numbers::Place,
            run: |o, n| at_rank!(o, x: view, [0 1 2], done!(try x.try_insert_axis(n[0]), panics x.insert_axis(n[0]))),
            expected: |a, n| insert(&a[0], n[0]),
            cannot: &[(Rank16, "does not compile: there is no rank 17")],
            ..OF_AXES
        },
        Call {
            names: &["remove_axis", "try_remove_axis"],
            verb: "remove",
            numbers: Numbers::Axis,
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_remove_axis(n[0]), panics x.remove_axis(n[0]))),
            expected: |a, n| remove(&a[0], n[0]),
            ..OF_AXES
        },
        Call {
            names: &["diagonal", "try_diagonal"],
            verb: "take the diagonal",
            run: |o, n| at_rank!(o, x: view, [2 16], done!(try x.try_diagonal(n[0], n[1]), panics x.diagonal(n[0], n[1]))),
            expected: |a, n| diagonal(&a[0], n[0], n[1]),
            ..OF_SQUARE
        },
        Call {
            names: &["diagonal_offset", "try_diagonal_offset"],
            verb: "take the diagonal",
            run: |o, n| {
                at_rank!(o, x: view, [2 16],
                done!(try x.try_diagonal_offset(n[0], n[1], 1), panics x.diagonal_offset(n[0], n[1], 1)))
            },
            expected: |a, n| diagonal_offset(&a[0], n[0], n[1], 1),
            ..OF_SQUARE
        },
        Call {
            names: &["diagonal_mut", "try_diagonal_mut"],
            verb: "take the diagonal",
            run: |o, n| cut_mut!(o, n, x, [2 16], x.try_diagonal_mut(n[0], n[1]), x.diagonal_mut(n[0], n[1])),
            expected: |a, n| of_copy(&a[0], |x| diagonal(x, n[0], n[1])),
            ..OF_SQUARE
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

/// Returns the rows of methods that slice tensors or take other parts of them.
fn parts() -> Vec<Row> {
    let calls = [
        Call {
            names: &["index_axis", "try_index_axis"],
            verb: "index",
            numbers: Numbers::Position,
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_index_axis(n[0], n[1]), panics x.index_axis(n[0], n[1]))),
            expected: |a, n| index_axis(&a[0], n[0], n[1]),
            ..OF_AXES
        },
        Call {
            names: &["index_axis_mut", "try_index_axis_mut"],
            verb: "index",
            numbers: Numbers::Position,
            run: |o, n| cut_mut!(o, n, x, [1 2 16], x.try_index_axis_mut(n[0], n[1]), x.index_axis_mut(n[0], n[1])),
            expected: |a, n| of_copy(&a[0], |x| index_axis(x, n[0], n[1])),
            ..OF_AXES
        },
        Call {
            names: &["into_index_axis", "try_into_index_axis"],
            verb: "index",
            numbers: Numbers::Position,
            run: |o, n| by_value!(o, n, x, [1 2 16], x.try_into_index_axis(n[0], n[1]), x.into_index_axis(n[0], n[1])),
            expected: |a, n| of_copy(&a[0], |x| index_axis(x, n[0], n[1])),
            ..OF_AXES
        },
        Call {
            names: &["split_at", "try_split_at"],
            verb: "split",
            numbers: Numbers::Position,
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_split_at(n[0], n[1]), panics x.split_at(n[0], n[1]))),
            expected: |a, n| split(&a[0], n[0], n[1]),
            ..OF_AXES
        },
        Call {
            names: &["split_at_mut", "try_split_at_mut"],
            verb: "split",
            numbers: Numbers::Position,
            run: |o, n| cut_mut!(o, n, x, [1 2 16], x.try_split_at_mut(n[0], n[1]), x.split_at_mut(n[0], n[1])),
            expected: |a, n| of_copy(&a[0], |x| split(x, n[0], n[1])),
            ..OF_AXES
        },
        Call {
            names: &["into_split_at", "try_into_split_at"],
            verb: "split",
            numbers: Numbers::Position,
            run: |o, n| by_value!(o, n, x, [1 2 16], x.try_into_split_at(n[0], n[1]), x.into_split_at(n[0], n[1])),
            expected: |a, n| of_copy(&a[0], |x| split(x, n[0], n[1])),
            ..OF_AXES
        },
        Call {
            names: &["slice", "try_slice", "s!"],
            verb: "slice",
            numbers: Numbers::Span,
            run: |o, n| match o[0].rank() {
                1 => {
                    let x = &o[0].view::<1>();
                    Some(done!(try x.try_slice(s![n[0]..n[1]; -2]), panics x.slice(s![n[0]..n[1]; -2])))
                }
                2 => {
                    let x = &o[0].view::<2>();
                    Some(
                        done!(try x.try_slice(s![n[0]..n[1]; -2, ..]), panics x.slice(s![n[0]..n[1]; -2, ..])),
                    )
                }
                16 => {
                    let x = &o[0].view::<16>();
                    let cut =
                        || s![n[0]..n[1]; -2, .., .., .., .., .., .., .., .., .., .., .., .., .., .., ..];
                    Some(done!(try x.try_slice(cut()), panics x.slice(cut())))
                }
                _ => None,
            },
            expected: |a, n| counted_cut(&a[0], n),
            ..OF_AXES
        },
        Call {
            names: &["slice_mut", "try_slice_mut"],
            verb: "slice",
            numbers: Numbers::Span,
            run: |o, n| match o[0].rank() {
                1 => cut_mut!(
                    o,
                    n,
                    x,
                    [1],
                    x.try_slice_mut(s![n[0]..n[1]; -2]),
                    x.slice_mut(s![n[0]..n[1]; -2])
                ),
                2 => cut_mut!(
                    o,
                    n,
                    x,
                    [2],
                    x.try_slice_mut(s![n[0]..n[1]; -2, ..]),
                    x.slice_mut(s![n[0]..n[1]; -2, ..])
                ),
                16 => {
                    let cut =
                        || s![n[0]..n[1]; -2, .., .., .., .., .., .., .., .., .., .., .., .., .., .., ..];
                    cut_mut!(o, n, x, [16], x.try_slice_mut(cut()), x.slice_mut(cut()))
                }
                _ => None,
            },
            expected: |a, n| of_copy(&a[0], |x| counted_cut(x, n)),
            ..OF_AXES
        },
        Call {
            names: &["into_slice", "try_into_slice"],
            verb: "slice",
            numbers: Numbers::Span,
            run: |o, n| match o[0].rank() {
                1 => by_value!(
                    o,
                    n,
                    x,
                    [1],
                    x.try_into_slice(s![n[0]..n[1]; -2]),
                    x.into_slice(s![n[0]..n[1]; -2])
                ),
                2 => by_value!(
                    o,
                    n,
                    x,
                    [2],
                    x.try_into_slice(s![n[0]..n[1]; -2, ..]),
                    x.into_slice(s![n[0]..n[1]; -2, ..])
                ),
                16 => {
                    let cut =
                        || s![n[0]..n[1]; -2, .., .., .., .., .., .., .., .., .., .., .., .., .., .., ..];
                    by_value!(o, n, x, [16], x.try_into_slice(cut()), x.into_slice(cut()))
                }
                _ => None,
            },
            expected: |a, n| of_copy(&a[0], |x| counted_cut(x, n)),
            ..OF_AXES
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

/// Slices the first axis with step -2. A huge axis has stride 0, so its slice has the same single element.
fn counted_cut(x: &Array, n: &[usize]) -> Outcome {
    match *n {
        [from, to] if to <= x.shape[0] && from <= to && to - from > LONG => {
            let mut shape = x.shape.clone();
            shape[0] = (to - from).div_ceil(2);
            let data = x.data.clone();
            Ok(Array { shape, data, step: None })
        }
        [from, to] => cut(x, 0, from, to, -2),
        _ => Ok(x.clone()),
    }
}

/// Reshapes and broadcasts.
fn reshapes() -> Vec<Row> {
    let calls = [
        Call {
            names: &["broadcast_to", "try_broadcast_to"],
            numbers: Numbers::Shape,
            run: |o, n| match (o[0].rank(), n.len()) {
                (0, 1) => broadcast_line::<0>(o, n),
                (0, 2) => broadcast_matrix::<0>(o, n),
                (1, 1) => broadcast_line::<1>(o, n),
                (1, 2) => broadcast_matrix::<1>(o, n),
                (2, 2) => broadcast_matrix::<2>(o, n),
                (16, _) => {
                    let x = &o[0].view::<16>();
                    let mut shape = [n[0]; 16];
                    shape[1..].copy_from_slice(&x.shape()[1..]);
                    Some(done!(try x.try_broadcast_to(shape), panics x.broadcast_to(shape)))
                }
                _ => None,
            },
            expected: |a, n| {
                if a[0].shape.len() == 16 {
                    return broadcast(&a[0], &[&n[..1], &a[0].shape[1..]].concat());
                }
                broadcast(&a[0], n)
            },
            operands: one,
            ..Call::NOTHING
        },
        Call {
            names: &["as_shape", "try_as_shape"],
            verb: "reshape",
            numbers: Numbers::Shape,
            operands: one,
            run: |o, n| match n.len() {
                1 => {
                    at_rank!(o, x: view, [0 1 2 16], done!(try x.try_as_shape([n[0]]), panics x.as_shape([n[0]])))
                }
                _ => {
                    at_rank!(o, x: view, [0 1 2 16], done!(try x.try_as_shape([n[0], n[1]]), panics x.as_shape([n[0], n[1]])))
                }
            },
            expected: |a, n| {
                let reshaped = reshape(&a[0], n)?;
                if a[0].step.is_none() && a[0].shape[..] != *n {
                    reject("NotContiguous")
                } else {
                    Ok(reshaped)
                }
            },
            ..Call::NOTHING
        },
        Call {
            names: &["as_shape_mut", "try_as_shape_mut"],
            verb: "reshape",
            numbers: Numbers::Shape,
            operands: one,
            run: |o, n| match n.len() {
                1 => cut_mut!(o, n, x, [0 1 2 16], x.try_as_shape_mut([n[0]]), x.as_shape_mut([n[0]])),
                _ => {
                    cut_mut!(o, n, x, [0 1 2 16], x.try_as_shape_mut([n[0], n[1]]), x.as_shape_mut([n[0], n[1]]))
                }
            },
            expected: |a, n| of_copy(&a[0], |x| reshape(x, n)),
            ..Call::NOTHING
        },
        Call {
            names: &["reshape", "try_reshape"],
            numbers: Numbers::Shape,
            operands: one,
            run: |o, n| match n.len() {
                1 => {
                    at_rank!(o, x: view, [0 1 2 16], done!(try x.try_reshape([n[0]]), panics x.reshape([n[0]])))
                }
                _ => {
                    at_rank!(o, x: view, [0 1 2 16], done!(try x.try_reshape([n[0], n[1]]), panics x.reshape([n[0], n[1]])))
                }
            },
            expected: |a, n| copy(&reshape(&a[0], n)?),
            ..Call::NOTHING
        },
        Call {
            names: &["flatten", "try_flatten"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_flatten(), panics x.flatten())),
            expected: |a, _| line(&a[0]),
            ..ONE
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

fn broadcast_line<const N: usize>(o: &[super::operand::Operand], n: &[usize]) -> Option<super::driver::Done>
where
    Rank<N>: Dim<Shape = [usize; N], Strides = [isize; N]> + vierbein::BroadcastTo<Rank<1>>,
{
    let x = &o[0].view::<N>();
    Some(done!(try x.try_broadcast_to([n[0]]), panics x.broadcast_to([n[0]])))
}

fn broadcast_matrix<const N: usize>(o: &[super::operand::Operand], n: &[usize]) -> Option<super::driver::Done>
where
    Rank<N>: Dim<Shape = [usize; N], Strides = [isize; N]> + vierbein::BroadcastTo<Rank<2>>,
{
    let x = &o[0].view::<N>();
    Some(done!(try x.try_broadcast_to([n[0], n[1]]), panics x.broadcast_to([n[0], n[1]])))
}

pub(crate) fn rows() -> Vec<Row> {
    [axes(), parts(), reshapes()].into_iter().flatten().collect()
}
