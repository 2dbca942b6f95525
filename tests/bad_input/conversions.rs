//! Rows of the bad-input table (see `bad_input/mod.rs`): conversions (copies, memory orders, devices, `Vec`s, slices), access to single
//! elements, and equality.

use super::array::{Array, Outcome, Rejection, copy, line, reject};
use super::driver::{Call, Hazard::*, Numbers, Row};
use super::hazards::{countable, one, two};
use super::operand::ToArray;
use super::shapes::{index_array, of_copy};
use super::{at_rank, at_ranks, cut_mut, done, elementwise::ONE};
use vierbein::prelude::*;

/// Returns the rows of copies, and of conversions to memory orders, devices, `Vec`s and slices.
fn conversions() -> Vec<Row> {
    let calls = [
        Call {
            names: &["to_owned", "try_to_owned"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_to_owned(), panics x.to_owned())),
            expected: |a, _| copy(&a[0]),
            ..ONE
        },
        Call {
            names: &["copy_of", "try_copy_of"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try Tensor::try_copy_of(*x), panics Tensor::copy_of(*x))),
            expected: |a, _| copy(&a[0]),
            ..ONE
        },
        Call {
            names: &["clone", "try_clone", "clone_from"],
            operands: countable,
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let x = x.to_owned();
                    done!(try x.try_clone(), panics { let mut y = x.clone(); y.clone_from(&x); y })
                })
            },
            expected: |a, _| copy(&a[0]),
            ..ONE
        },
        Call {
            names: &["to_order", "try_to_order"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_to_order::<ColMajor>(), panics x.to_order::<ColMajor>())),
            expected: |a, _| copy(&a[0]),
            ..ONE
        },
        Call {
            names: &["as_order"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(panics x.as_order::<ColMajor>())),
            expected: |a, _| Ok(a[0].clone()),
            ..ONE
        },
        Call {
            names: &["as_order_mut"],
            run: |o, _| {
                cut_mut!(o, n, x, [0 1 2 16],
                Ok::<_, vierbein::Error>(x.as_order_mut::<ColMajor>()), x.as_order_mut::<ColMajor>())
            },
            expected: |a, _| copy(&a[0]),
            ..ONE
        },
        Call {
            names: &["into_order"],
            run: |o, _| at_rank!(o, x: view, [0 1], done!(panics x.to_owned().into_order::<ColMajor>())),
            expected: |a, _| copy(&a[0]),
            cannot: &[
                (WrongShape, "one operand, of any shape"),
                (Rank16, "does not compile: the orders are the same up to rank 1"),
            ],
            ..ONE
        },
        Call {
            names: &["to_device", "to_device_in"],
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], done!(
                try x.to_device_in(&Cpu),
                panics x.to_device::<Cpu>().unwrap_or_else(|e| panic!("{e}"))))
            },
            expected: |a, _| copy(&a[0]),
            ..ONE
        },
        Call {
            names: &["to_vec", "try_to_vec"],
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_to_vec(), panics x.to_vec())),
            expected: |a, _| line(&a[0]),
            ..ONE
        },
        Call {
            names: &["into_vec", "try_into_vec"],
            operands: countable,
            run: |o, _| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let x = x.to_owned();
                    done!(try x.clone().try_into_vec(), panics x.clone().into_vec())
                })
            },
            expected: |a, _| line(&a[0]),
            ..ONE
        },
        Call {
            names: &["as_slice", "try_as_slice"],
            verb: "borrow a slice",
            operands: countable,
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_as_slice(), panics x.as_slice())),
            expected: |a, _| if a[0].step == Some(1) { line(&a[0]) } else { reject("NotContiguous") },
            ..ONE
        },
        Call {
            names: &["as_mut_slice", "try_as_mut_slice"],
            verb: "borrow a slice",
            operands: countable,
            run: |o, _| match o[0].rank() {
                0 => Some(done!(
                    try o[0].changed::<0>(&|mut x| Ok((&*x.try_as_mut_slice()?).array())),
                    panics o[0].changed::<0>(&|mut x| Ok((&*x.as_mut_slice()).array())).unwrap())),
                1 => Some(done!(
                    try o[0].changed::<1>(&|mut x| Ok((&*x.try_as_mut_slice()?).array())),
                    panics o[0].changed::<1>(&|mut x| Ok((&*x.as_mut_slice()).array())).unwrap())),
                2 => Some(done!(
                    try o[0].changed::<2>(&|mut x| Ok((&*x.try_as_mut_slice()?).array())),
                    panics o[0].changed::<2>(&|mut x| Ok((&*x.as_mut_slice()).array())).unwrap())),
                16 => Some(done!(
                    try o[0].changed::<16>(&|mut x| Ok((&*x.try_as_mut_slice()?).array())),
                    panics o[0].changed::<16>(&|mut x| Ok((&*x.as_mut_slice()).array())).unwrap())),
                _ => None,
            },
            // `changed` replaces a view with stride 0 by a contiguous copy, because a mutable view must not have stride 0.
            expected: |a, _| match a[0].step {
                Some(..=-1) => reject("NotContiguous"),
                _ => line(&a[0]),
            },
            ..ONE
        },
        Call {
            names: &["item", "try_item"],
            operands: countable,
            run: |o, _| at_rank!(o, x: view, [0], done!(try x.try_item(), panics x.item())),
            expected: |a, _| copy(&a[0]),
            cannot: &[
                (WrongShape, "does not compile: only rank 0 has one item"),
                (ZeroExtents, "does not compile: only rank 0 has one item"),
                (HugeExtents, "does not compile: only rank 0 has one item"),
                (NotFinite, "does not compile: only rank 0 has one item"),
                (NegativeStrides, "does not compile: only rank 0 has one item"),
                (Aliasing, "does not compile: only rank 0 has one item"),
                (Rank16, "does not compile: only rank 0 has one item"),
            ],
            ..ONE
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

/// Returns the element at an index, or `IndexOutOfBounds`.
fn element(x: &Array, index: &[usize]) -> Outcome {
    if index.iter().zip(&x.shape).any(|(i, n)| i >= n) {
        return reject("IndexOutOfBounds");
    }
    Ok(Array::scalar(x.at(index)))
}

/// Returns the error whose message is the panic message of `x[index]`. `x.get(index)` returns `None` for the same index.
fn outside(index: &[usize], shape: &[usize]) -> vierbein::Error {
    let axis = index.iter().zip(shape).position(|(i, n)| i >= n).expect("an index is outside");
    let index = isize::try_from(index[axis]).unwrap_or(isize::MAX);
    vierbein::Error::IndexOutOfBounds { op: "index", index, axis, shape: shape.to_vec() }
}

fn elements() -> Vec<Row> {
    let calls = [
        Call {
            names: &["get", "index"],
            verb: "index",
            numbers: Numbers::Index,
            operands: one,
            run: |o, n| {
                at_rank!(o, x: view, [0 1 2 16], done!(
                    try x.get(index_array(n)).copied().ok_or_else(|| outside(n, &o[0].shape)),
                    panics x[index_array(n)]
                ))
            },
            expected: |a, n| element(&a[0], n),
            ..Call::NOTHING
        },
        Call {
            names: &["get_mut", "index_mut"],
            verb: "index",
            numbers: Numbers::Index,
            operands: one,
            run: |o, n| {
                cut_mut!(o, n, x, [0 1 2 16],
                x.get_mut(index_array(n)).map(|x| *x).ok_or_else(|| outside(n, &o[0].shape)),
                { let x: &mut f64 = &mut x[index_array(n)]; *x })
            },
            expected: |a, n| of_copy(&a[0], |x| element(x, n)),
            ..Call::NOTHING
        },
        Call {
            names: &["eq", "ne"],
            operands: two,
            run: |o, _| {
                at_ranks!(o, x: view, y: view, [0 0, 1 1, 2 2, 16 16], {
                    assert_ne!(x == y, x != y);
                    done!(panics x == y)
                })
            },
            expected: |a, _| compared(a, |x, y| x == y),
            ..Call::NOTHING
        },
        Call {
            names: &["all_close"],
            operands: two,
            run: |o, _| at_ranks!(o, x: view, y: view, [0 0, 1 1, 2 2, 16 16], done!(panics x.all_close(y, 0.5, 0.25))),
            expected: |a, _| {
                compared(a, |x, y| x == y || y.is_finite() && (x - y).abs() <= 0.25 + 0.5 * y.abs())
            },
            ..Call::NOTHING
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

/// Returns 1 if the shapes are equal and `holds` is true for each pair of elements, else 0.
fn compared(a: &[Array], holds: fn(f64, f64) -> bool) -> Outcome {
    let same = a[0].shape == a[1].shape;
    if same && a[0].len() > 1 << 24 {
        return Err(Rejection::Untried);
    }
    Ok(Array::scalar(f64::from(same && a[0].data.iter().zip(&a[1].data).all(|(&x, &y)| holds(x, y)))))
}

pub(crate) fn rows() -> Vec<Row> {
    [conversions(), elements()].into_iter().flatten().collect()
}
