//! Rows of the bad-input table (see `bad_input/mod.rs`): operations on elements at positions and under masks.

use super::array::{
    Array, Outcome, allocated, check_axes, evens, firsts, masked, nonzero, put_first, reject, replaced,
    scattered, taken, twice,
};
use super::driver::{Call, Hazard, Hazard::*, Numbers, Row};
use super::hazards::{one, two};
use super::operand::{Operand, ToArray};
use super::{at_rank, at_ranks, done};
use vierbein::prelude::*;

/// Positions that are valid for any axis with extent 1 or more.
const AT: [i64; 3] = [0, -1, 0];

const AXIS: Call = Call {
    operands: one,
    numbers: Numbers::Axis,
    cannot: &[(Rank0, "does not compile: there is no axis")],
    ..Call::NOTHING
};

/// Returns the operands of [`one`] whose elements fit in memory.
fn small(hazard: Hazard) -> Vec<Vec<Operand>> {
    one(hazard).into_iter().filter(|x| !x[0].is_huge()).collect()
}

/// Runs the fallible and the panicking variant of an operation on a mutable view of the first operand. `$mask` is the mask that is created
/// from the last operand.
macro_rules! written {
    ($o:ident, $out:ident, $mask:ident, [$($rank:literal)*], $tried:expr, $panics:expr) => {
        match $o[0].rank() {
            $($rank if $o.iter().all(|x| x.rank() == $rank) => {
                let $mask = &$o[$o.len() - 1].mask::<$rank>();
                Some(done!(
                    try $o[0].changed::<$rank>(&|mut $out| { $tried?; Ok($out.array()) }),
                    panics $o[0].changed::<$rank>(&|mut $out| { $panics; Ok($out.array()) })
                        .unwrap_or_else(|error| panic!("{error}"))
                ))
            })*
            _ => None,
        }
    };
}

/// Returns positions that are all 0, as a broadcast view of the given shape.
fn zeros<D: Dim>(zero: &Tensor<i64, Rank<0>>, shape: D::Shape) -> TensorView<'_, i64, D>
where
    Rank<0>: vierbein::BroadcastTo<D>,
{
    zero.broadcast_to(shape)
}

/// Returns the vector 0, 1, 2, .., with one element for each `true` in the mask.
fn values<D: Dim>(mask: &TensorView<'_, bool, D>) -> Tensor<f64, Rank<1>> {
    Tensor::from_fn([mask.count().item() as usize], |[k]| k as f64)
}

/// Returns a mask that is `true` at the even indices of an axis.
fn even<D: Dim>(x: &TensorView<'_, f64, D>, axis: usize) -> Tensor<bool, Rank<1>> {
    Tensor::from_fn([x.shape().as_ref().get(axis).copied().unwrap_or(1)], |[k]| k % 2 == 0)
}

/// Exchanges the elements at an index and at the last index along an axis.
fn swapped(x: &Array, axis: usize, at: usize) -> Outcome {
    allocated(&x.shape, 8)?;
    check_axes(x.shape.len(), &[axis])?;
    let n = x.shape[axis];
    if at >= n {
        return reject("IndexOutOfBounds");
    }
    Ok(Array::from_fn(&x.shape, |index| {
        let mut index = index.to_vec();
        index[axis] = match index[axis] {
            k if k == at => n - 1,
            k if k == n - 1 => at,
            k => k,
        };
        x.at(&index)
    }))
}

/// Returns the number of an element in row-major order.
fn flat(x: &Array, index: &[usize]) -> Outcome {
    match index.iter().zip(&x.shape).all(|(k, n)| k < n) {
        true => Ok(Array::scalar(index.iter().zip(&x.shape).fold(0, |flat, (k, n)| flat * n + k) as f64)),
        false => reject("IndexOutOfBounds"),
    }
}

fn at_positions() -> Vec<Row> {
    let calls = [
        Call {
            names: &["take", "try_take"],
            verb: "take",
            run: |o, n| at_rank!(o, x: view, [1 2 16], done!(try x.try_take(n[0], AT), panics x.take(n[0], AT))),
            expected: |a, n| taken(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: &["take_into", "try_take_into"],
            verb: "take",
            operands: small,
            run: |o, n| {
                at_rank!(o, x: view, [1 2 16], {
                    let out = || {
                        let mut shape = x.shape();
                        shape.iter_mut().skip(n[0]).take(1).for_each(|extent| *extent = 3);
                        Tensor::zeros(shape)
                    };
                    done!(
                        try { let mut out = out(); x.try_take_into(n[0], AT, &mut out).map(|()| out) },
                        panics { let mut out = out(); x.take_into(n[0], AT, &mut out); out }
                    )
                })
            },
            expected: |a, n| taken(&a[0], n[0]),
            cannot: &[
                (Rank0, "does not compile: there is no axis"),
                (HugeExtents, "memory does not hold such an output"),
            ],
            ..AXIS
        },
        Call {
            names: &["take_along_axis", "try_take_along_axis"],
            verb: "take along an axis",
            run: |o, n| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let zero = Tensor::scalar(0i64);
                    let at = zeros(&zero, x.shape());
                    done!(try x.try_take_along_axis(n[0], at), panics x.take_along_axis(n[0], at))
                })
            },
            expected: |a, n| firsts(&a[0], n[0]),
            cannot: &[],
            ..AXIS
        },
        Call {
            names: &["take_along_axis_into", "try_take_along_axis_into"],
            verb: "take along an axis",
            operands: small,
            run: |o, n| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let zero = Tensor::scalar(0i64);
                    let (at, out) = (zeros(&zero, x.shape()), || Tensor::zeros(x.shape()));
                    done!(
                        try { let mut out = out(); x.try_take_along_axis_into(n[0], at, &mut out).map(|()| out) },
                        panics { let mut out = out(); x.take_along_axis_into(n[0], at, &mut out); out }
                    )
                })
            },
            expected: |a, n| firsts(&a[0], n[0]),
            cannot: &[(HugeExtents, "memory does not hold such an output")],
            ..AXIS
        },
        Call {
            names: &["put_along_axis", "try_put_along_axis"],
            verb: "put along an axis",
            run: |o, n| {
                let (zero, seven) = (Tensor::scalar(0i64), Tensor::scalar(7.0));
                written!(o, out, _mask, [0 1 2 16],
                    out.try_put_along_axis(n[0], zeros(&zero, out.shape()), &seven),
                    out.put_along_axis(n[0], zeros(&zero, out.shape()), &seven))
            },
            expected: |a, n| put_first(&a[0], n[0]),
            cannot: &[],
            ..AXIS
        },
        Call {
            names: &["scatter_add", "try_scatter_add"],
            verb: "scatter-add",
            run: |o, n| {
                let one = Tensor::scalar(1.0);
                written!(o, out, _mask, [1 2 16], out.try_scatter_add(n[0], AT, &one), out.scatter_add(n[0], AT, &one))
            },
            expected: |a, n| scattered(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: &["swap_indices", "try_swap_indices"],
            verb: "index",
            numbers: Numbers::Position,
            run: |o, n| {
                written!(o, out, _mask, [1 2 16],
                    out.try_swap_indices(n[0], n[1], -1),
                    out.swap_indices(n[0], n[1], -1))
            },
            expected: |a, n| swapped(&a[0], n[0], n[1]),
            ..AXIS
        },
        Call {
            names: &["swap_with", "try_swap_with"],
            verb: "swap",
            operands: one,
            run: |o, _| {
                written!(o, out, _mask, [0 1 2 16],
                    { let other = &mut Tensor::zeros(out.shape()); out.try_swap_with(other) },
                    { let other = &mut Tensor::zeros(out.shape()); out.swap_with(other) })
            },
            expected: |a, _| {
                allocated(&a[0].shape, 8)?;
                Ok(Array::from_fn(&a[0].shape, |_| 0.0))
            },
            cannot: &[(WrongShape, "see `rejected_swaps`")],
            ..Call::NOTHING
        },
        Call {
            names: &["ravel_index", "try_ravel_index", "unravel_index", "try_unravel_index"],
            verb: "ravel",
            operands: one,
            numbers: Numbers::Index,
            run: |o, n| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let mut index = x.shape();
                    index.copy_from_slice(n);
                    done!(
                        try {
                            let flat = x.try_ravel_index(index)?;
                            assert_eq!(x.try_unravel_index(flat)?, index);
                            Ok(Tensor::<f64, _>::scalar(flat as f64))
                        },
                        panics {
                            let flat = x.ravel_index(index);
                            assert_eq!(x.unravel_index(flat), index);
                            Tensor::<f64, _>::scalar(flat as f64)
                        }
                    )
                })
            },
            expected: |a, n| flat(&a[0], n),
            ..Call::NOTHING
        },
        Call {
            names: &["at", "try_at"],
            verb: "take elements",
            operands: one,
            numbers: Numbers::Index,
            run: |o, n| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let mut index = x.shape();
                    index.copy_from_slice(n);
                    done!(try x.try_at([index; 2]), panics x.at([index; 2]))
                })
            },
            expected: |a, n| twice(&a[0], n),
            ..Call::NOTHING
        },
        Call {
            names: &["at_into", "try_at_into"],
            verb: "take elements",
            operands: one,
            numbers: Numbers::Index,
            run: |o, n| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let mut index = x.shape();
                    index.copy_from_slice(n);
                    let out = || Tensor::<f64, Rank<1>>::zeros([2]);
                    done!(
                        try { let mut out = out(); x.try_at_into([index; 2], &mut out).map(|()| out) },
                        panics { let mut out = out(); x.at_into([index; 2], &mut out); out }
                    )
                })
            },
            expected: |a, n| twice(&a[0], n),
            ..Call::NOTHING
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

fn under_masks() -> Vec<Row> {
    let calls = [
        Call {
            names: &["compress", "try_compress"],
            verb: "compress",
            operands: small,
            run: |o, n| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let mask = even(x, n[0]);
                    done!(try x.try_compress(n[0], &mask), panics x.compress(n[0], &mask))
                })
            },
            expected: |a, n| evens(&a[0], n[0]),
            cannot: &[(HugeExtents, "memory does not hold such a mask")],
            ..AXIS
        },
        Call {
            names: &["compress_into", "try_compress_into"],
            verb: "compress",
            operands: small,
            run: |o, n| {
                at_rank!(o, x: view, [0 1 2 16], {
                    let mask = even(x, n[0]);
                    let out = || {
                        let mut shape = x.shape();
                        shape.iter_mut().skip(n[0]).take(1).for_each(|extent| *extent = extent.div_ceil(2));
                        Tensor::zeros(shape)
                    };
                    done!(
                        try { let mut out = out(); x.try_compress_into(n[0], &mask, &mut out).map(|()| out) },
                        panics { let mut out = out(); x.compress_into(n[0], &mask, &mut out); out }
                    )
                })
            },
            expected: |a, n| evens(&a[0], n[0]),
            cannot: &[(HugeExtents, "memory does not hold such a mask")],
            ..AXIS
        },
        Call {
            names: &["masked", "try_masked"],
            verb: "mask",
            operands: two,
            run: |o, _| {
                at_ranks!(o, x: view, mask: mask, [0 0, 1 1, 2 2, 16 16],
                    done!(try x.try_masked(mask), panics x.masked(mask)))
            },
            expected: |a, _| masked(&a[0], &a[1]),
            ..Call::NOTHING
        },
        Call {
            names: &["masked_into", "try_masked_into"],
            verb: "mask",
            operands: |hazard| two(hazard).into_iter().filter(|o| !o[1].is_huge()).collect(),
            run: |o, _| {
                at_ranks!(o, x: view, mask: mask, [0 0, 1 1, 2 2, 16 16], {
                    let out = || Tensor::<f64, Rank<1>>::zeros([mask.count().item() as usize]);
                    done!(
                        try { let mut out = out(); x.try_masked_into(mask, &mut out).map(|()| out) },
                        panics { let mut out = out(); x.masked_into(mask, &mut out); out }
                    )
                })
            },
            expected: |a, _| masked(&a[0], &a[1]),
            cannot: &[(HugeExtents, "memory does not hold such an output")],
            ..Call::NOTHING
        },
        Call {
            names: &["masked_fill", "try_masked_fill"],
            verb: "mask",
            operands: two,
            run: |o, _| written!(o, out, mask, [0 1 2 16], out.try_masked_fill(mask, 7.0), out.masked_fill(mask, 7.0)),
            expected: |a, _| replaced(&a[0], &a[1], |_| 7.0),
            ..Call::NOTHING
        },
        Call {
            names: &["masked_assign", "try_masked_assign"],
            verb: "mask",
            operands: two,
            run: |o, _| {
                written!(o, out, mask, [0 1 2 16],
                    out.try_masked_assign(mask, values(mask)), out.masked_assign(mask, values(mask)))
            },
            expected: |a, _| replaced(&a[0], &a[1], |k| k as f64),
            ..Call::NOTHING
        },
        Call {
            names: &["nonzero", "try_nonzero"],
            operands: one,
            run: |o, _| at_rank!(o, x: view, [0 1 2 16], done!(try x.try_nonzero(), panics x.nonzero())),
            expected: |a, _| nonzero(&a[0]),
            cannot: &[(WrongShape, "one operand, of any shape")],
            ..Call::NOTHING
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

pub(crate) fn rows() -> Vec<Row> {
    [at_positions(), under_masks()].into_iter().flatten().collect()
}

#[test]
fn rejected_swaps() {
    let (mut x, mut y) = (tensor![[1, 2], [3, 4]], tensor![[5], [6]]);
    let error = x.try_swap_with(&mut y).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot swap: the shapes [2, 2] and [2, 1] differ; pass tensors or views of the same shape"
    );
    assert_eq!(
        x.try_unravel_index(4).unwrap_err().to_string(),
        "cannot unravel: index 4 is out of bounds for axis 0 of shape [4], whose extent is 4"
    );
    assert_eq!(x.unravel_index(-1), [1, 1]);
    assert_eq!((x, y), (tensor![[1, 2], [3, 4]], tensor![[5], [6]]));
    // In column-major order, the first index varies fastest, as in the result of `argmax`.
    let x: Tensor<i32, Rank<2>, ColMajor> = Tensor::from([[1, 9, 2], [3, 4, 5]]);
    let flat = x.argmax().item();
    assert_eq!((flat, x.unravel_index(flat), x.ravel_index([0, 1])), (2, [0, 1], 2));
}
