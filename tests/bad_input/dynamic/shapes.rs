//! Rows of the bad-input table (see `bad_input/mod.rs`): operations of `DynTensor` that return views, which permute axes, select a slice,
//! or change the shape or the memory order.

use super::array::{
    Array, Outcome, broadcast, copy, cut, diagonal_offset, in_bounds, index_axis, insert, line, permute,
    reject, remove, reshape, split,
};
use super::axes::on_diagonal;
use super::driver::{Call, Numbers, Row, done};
use super::hazards::{one, square};
use super::operand::{LONG, Place, ToArray};
use super::{ONE, all_axes, changed, methods, with};
use vierbein::MemoryOrder;
use vierbein::dyn_tensor::SliceItem;

fn reversed(x: &Array) -> Outcome {
    permute(x, &(0..x.shape.len()).rev().collect::<Vec<_>>())
}

/// Calls of view methods, each followed by a call of the mutable variant on a copy.
macro_rules! views {
    ($([$name:ident $name_mut:ident] $verb:literal $operands:ident $numbers:ident, |$x:ident, $n:ident| ($($arg:expr),*), $expected:expr;)*) => {
        vec![$(
            Call {
                names: methods![$name],
                verb: $verb,
                operands: $operands,
                numbers: Numbers::$numbers,
                run: |o, $n| { let _ = $n; with(&o[0], |$x| done!(try $x.$name($($arg),*))) },
                expected: |a, n| ($expected)(&a[0], n),
                ..Call::NOTHING
            }.into(),
            Call {
                names: methods![$name_mut],
                verb: $verb,
                operands: |hazard| $operands(hazard).into_iter().filter(|x| !matches!(x[0].place, Place::Windows)).collect(),
                numbers: Numbers::$numbers,
                run: |o, $n| { let _ = $n; Some(done!(try changed(&o[0], |mut $x| Ok($x.$name_mut($($arg),*)?.array())))) },
                expected: |a, n| ($expected)(&Array { step: Some(1), ..copy(&a[0])? }, n),
                ..Call::NOTHING
            }.into(),
        )*]
    };
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = views! {
        [permute permute_mut] "permute" one Permutation, |x, n| (n), |x: &Array, n: &[usize]| permute(x, n);
        [swap_axes swap_axes_mut] "swap axes" one Pair, |x, n| (n[0], n[1]), |x: &Array, n: &[usize]| {
            let mut permutation = all_axes(x);
            if n.iter().any(|&axis| axis >= permutation.len()) {
                return reject("AxisOutOfRange");
            }
            permutation.swap(n[0], n[1]);
            permute(x, &permutation)
        };
        [reverse_axes reverse_axes_mut] "" one None, |x, n| (), |x: &Array, _: &[usize]| reversed(x);
        [t t_mut] "transpose" one None, |x, n| (),
            |x: &Array, _: &[usize]| if x.shape.len() == 2 { reversed(x) } else { reject("UnsupportedRank") };
        [insert_axis insert_axis_mut] "insert an axis" one Place, |x, n| (n[0]),
            |x: &Array, n: &[usize]| if x.shape.len() == 16 { reject("UnsupportedRank") } else { insert(x, n[0]) };
        [remove_axis remove_axis_mut] "remove" one Axis, |x, n| (n[0]), |x: &Array, n: &[usize]| remove(x, n[0]);
        [index_axis index_axis_mut] "index" one Position, |x, n| (n[0], n[1]), |x: &Array, n: &[usize]| index_axis(x, n[0], n[1]);
        [diagonal diagonal_mut] "take the diagonal" square Pair, |x, n| (n[0], n[1]), |x: &Array, n: &[usize]| on_diagonal(x, n);
        [diagonal_offset diagonal_offset_mut] "take the diagonal" square Pair, |x, n| (n[0], n[1], 1), |x: &Array, n: &[usize]| {
            if x.shape.len() < 2 { reject("UnsupportedRank") } else { diagonal_offset(x, n[0], n[1], 1) }
        };
        [slice slice_mut] "slice" one Span, |x, n| (items(x.rank(), n)), |x: &Array, n: &[usize]| sliced(x, n);
        [as_shape as_shape_mut] "reshape" one Shape, |x, n| (n), |x: &Array, n: &[usize]| {
            let reshaped = reshape(x, n)?;
            if x.step.is_none() && x.shape[..] != *n { reject("NotContiguous") } else { Ok(reshaped) }
        };
    };
    let calls = [
        Call {
            names: methods![split_at],
            verb: "split",
            operands: one,
            numbers: Numbers::Position,
            run: |o, n| {
                with(
                    &o[0],
                    |x| done!(try x.split_at(n[0], n[1]).map(|(low, high)| low.array().and(&high.array()))),
                )
            },
            expected: |a, n| split(&a[0], n[0], n[1]),
            ..Call::NOTHING
        },
        Call {
            names: methods![broadcast_to],
            operands: one,
            numbers: Numbers::Shape,
            run: |o, n| with(&o[0], |x| done!(try x.broadcast_to(n))),
            expected: |a, n| {
                in_bounds(n, 8)?;
                if a[0].shape.len() > n.len() { reject("BroadcastShape") } else { broadcast(&a[0], n) }
            },
            ..Call::NOTHING
        },
        Call {
            names: methods![reshape],
            operands: one,
            numbers: Numbers::Shape,
            run: |o, n| with(&o[0], |x| done!(try x.reshape(n))),
            expected: |a, n| copy(&reshape(&a[0], n)?),
            ..Call::NOTHING
        },
        Call {
            names: methods![flatten],
            run: |o, _| with(&o[0], |x| done!(try x.flatten())),
            expected: |a, _| line(&a[0]),
            ..ONE
        },
        Call {
            names: methods![as_order],
            run: |o, _| with(&o[0], |x| done!(panics x.as_order(MemoryOrder::ColMajor))),
            expected: |a, _| Ok(a[0].clone()),
            ..ONE
        },
        Call {
            names: methods![flip_order],
            run: |o, _| with(&o[0], |x| done!(panics x.flip_order())),
            expected: |a, _| reversed(&a[0]),
            ..ONE
        },
    ];
    rows.extend(calls.into_iter().map(Row::from));
    rows
}

/// Returns slice arguments for `rank` axes: step -2 over the range `n` of the first axis, and all indices of the other axes.
fn items(rank: usize, n: &[usize]) -> Vec<SliceItem> {
    let all = SliceItem::Span { start: 0, end: None, inclusive: false, step: 1 };
    let mut items = vec![all; rank];
    if let (Some(first), [from, to]) = (items.first_mut(), n) {
        let position = |n: usize| isize::try_from(n).unwrap_or(isize::MAX);
        *first =
            SliceItem::Span { start: position(*from), end: Some(position(*to)), inclusive: false, step: -2 };
    }
    items
}

fn sliced(x: &Array, n: &[usize]) -> Outcome {
    match *n {
        [from, to] if to <= x.shape[0] && from <= to && to - from > LONG => {
            let mut shape = x.shape.clone();
            shape[0] = (to - from).div_ceil(2);
            Ok(Array { shape, step: None, ..x.clone() })
        }
        [from, to] => cut(x, 0, from, to, -2),
        _ => Ok(x.clone()),
    }
}
