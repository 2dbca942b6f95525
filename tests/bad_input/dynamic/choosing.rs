//! Rows of the bad-input table (see `bad_input/mod.rs`): operations of `DynTensor` on elements at positions and under masks.

use super::array::{
    Array, Outcome, evens, firsts, masked, nonzero, put_first, reject, replaced, scattered, taken, twice,
};
use super::driver::{Call, Hazard, Hazard::*, Numbers, Row, done};
use super::hazards::{one, two};
use super::operand::{Operand, Place, ToArray};
use super::{ONE, changed, methods, with, with_mask};
use vierbein::{DynTensor, DynView, Error, MemoryOrder};

const AXIS: Call = Call { operands: one, numbers: Numbers::Axis, ..Call::NOTHING };

/// Returns the flat index of an element in row-major order.
fn flat(x: &Array, index: &[usize]) -> Outcome {
    match index.iter().zip(&x.shape).all(|(k, n)| k < n) {
        true => Ok(Array::scalar(index.iter().zip(&x.shape).fold(0, |flat, (k, n)| flat * n + k) as f64)),
        false => reject("IndexOutOfBounds"),
    }
}

/// Exchanges the elements at an index along an axis with those at the last index.
fn swapped(x: &Array, axis: usize, at: usize) -> Outcome {
    if axis >= x.shape.len() {
        return reject("AxisOutOfRange");
    }
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

fn vector<T: vierbein::Element>(elements: Vec<T>) -> DynTensor {
    DynTensor::from_vec(&[elements.len()], elements, MemoryOrder::RowMajor).expect("a vector")
}

/// Returns positions that are valid for any axis with extent 1 or more.
fn at() -> DynTensor {
    vector(vec![0i64, -1, 0])
}

/// Returns positions that are all 0, with the given shape.
fn zeros(shape: &[usize]) -> Result<DynTensor, Error> {
    DynTensor::from_vec(&[], vec![0i64], MemoryOrder::RowMajor)?.broadcast_to(shape)?.to_owned()
}

/// Returns the vector 0, 1, 2, .., with one element for each `true` in the mask.
fn values(mask: DynView<'_>) -> Result<DynTensor, Error> {
    let count = mask.count()?.item()?.get::<i64>().expect("a count");
    Ok(vector((0..count).map(|k| k as f64).collect()))
}

fn even(shape: &[usize], axis: usize) -> DynTensor {
    vector((0..shape.get(axis).copied().unwrap_or(1)).map(|k| k % 2 == 0).collect())
}

/// Returns the operands of [`one`] whose elements fit in memory.
fn small(hazard: Hazard) -> Vec<Vec<Operand>> {
    one(hazard).into_iter().filter(|x| !x[0].is_huge()).collect()
}

fn writable(all: Vec<Vec<Operand>>) -> Vec<Vec<Operand>> {
    all.into_iter().filter(|x| !matches!(x[0].place, Place::Windows)).collect()
}

fn same_rank(hazard: Hazard) -> Vec<Vec<Operand>> {
    two(hazard).into_iter().filter(|x| x[0].rank() == x[1].rank()).collect()
}

const HUGE_POSITIONS: &[(Hazard, &str)] = &[(HugeExtents, "memory does not hold such positions")];

pub(crate) fn rows() -> Vec<Row> {
    let calls = [
        Call {
            names: methods![take],
            verb: "take",
            run: |o, n| with(&o[0], |x| done!(try x.take(n[0], &at()))),
            expected: |a, n| taken(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: methods![take_along_axis],
            verb: "take along an axis",
            operands: small,
            run: |o, n| with(&o[0], |x| done!(try x.take_along_axis(n[0], &zeros(x.shape())?))),
            expected: |a, n| firsts(&a[0], n[0]),
            cannot: HUGE_POSITIONS,
            ..AXIS
        },
        Call {
            names: methods![put_along_axis],
            verb: "put along an axis",
            operands: |hazard| writable(small(hazard)),
            run: |o, n| {
                Some(done!(try changed(&o[0], |mut x| {
                    let at = zeros(x.shape())?;
                    x.put_along_axis(n[0], &at, 7.0)?;
                    Ok(x.array())
                })))
            },
            expected: |a, n| put_first(&a[0], n[0]),
            cannot: HUGE_POSITIONS,
            ..AXIS
        },
        Call {
            names: methods![scatter_add],
            verb: "scatter-add",
            operands: |hazard| writable(one(hazard)),
            run: |o, n| {
                Some(done!(try changed(&o[0], |mut x| {
                    x.scatter_add(n[0], &at(), 1.0)?;
                    Ok(x.array())
                })))
            },
            expected: |a, n| scattered(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: methods![ravel_index unravel_index],
            verb: "ravel",
            operands: one,
            numbers: Numbers::Index,
            run: |o, n| {
                with(&o[0], |x| {
                    done!(try x.ravel_index(n).and_then(|flat| {
                        assert_eq!(x.unravel_index(flat)?, n);
                        Ok(vierbein::DynScalar::from(flat as f64))
                    }))
                })
            },
            expected: |a, n| flat(&a[0], n),
            ..Call::NOTHING
        },
        Call {
            names: methods![swap_indices],
            verb: "index",
            operands: |hazard| writable(small(hazard)),
            numbers: Numbers::Position,
            run: |o, n| {
                Some(done!(try changed(&o[0], |mut x| { x.swap_indices(n[0], n[1], -1)?; Ok(x.array()) })))
            },
            expected: |a, n| swapped(&a[0], n[0], n[1]),
            cannot: &[(HugeExtents, "memory does not hold such a tensor")],
        },
        Call {
            names: methods![swap_with],
            verb: "swap",
            operands: |hazard| writable(small(hazard)),
            run: |o, _| {
                Some(done!(try changed(&o[0], |mut x| {
                    let zeros = vec![0.0; x.len()];
                    let mut other = DynTensor::from_vec(x.shape(), zeros, MemoryOrder::RowMajor)?;
                    x.swap_with(other.view_mut())?;
                    Ok(x.array())
                })))
            },
            expected: |a, _| Ok(Array::from_fn(&a[0].shape, |_| 0.0)),
            cannot: &[
                (WrongShape, "see `tests/tensor/dyn_tensor/choosing.rs`"),
                (HugeExtents, "memory does not hold such a tensor"),
            ],
            ..Call::NOTHING
        },
        Call {
            names: methods![at],
            verb: "take elements",
            operands: one,
            numbers: Numbers::Index,
            run: |o, n| {
                with(&o[0], |x| {
                    let rows =
                        [n, n].concat().iter().map(|&i| i64::try_from(i).unwrap_or(i64::MAX)).collect();
                    let rows = DynTensor::from_vec(&[2, n.len()], rows, MemoryOrder::RowMajor)
                        .expect("it holds its shape");
                    done!(try x.at(&rows))
                })
            },
            expected: |a, n| twice(&a[0], n),
            ..Call::NOTHING
        },
        Call {
            names: methods![compress],
            verb: "compress",
            operands: small,
            run: |o, n| with(&o[0], |x| done!(try x.compress(n[0], &even(x.shape(), n[0])))),
            expected: |a, n| evens(&a[0], n[0]),
            cannot: &[(HugeExtents, "memory does not hold such a mask")],
            ..AXIS
        },
        Call {
            names: methods![masked],
            verb: "mask",
            operands: same_rank,
            run: |o, _| {
                let mut done = None;
                with(&o[0], |x| {
                    done = with_mask(&o[1], |mask| done!(try x.masked(mask)));
                    super::Done { tried: None, panicking: None }
                })?;
                done
            },
            expected: |a, _| masked(&a[0], &a[1]),
            ..Call::NOTHING
        },
        Call {
            names: methods![masked_fill],
            verb: "mask",
            operands: |hazard| writable(same_rank(hazard)),
            run: |o, _| {
                with_mask(
                    &o[1],
                    |mask| done!(try changed(&o[0], |mut x| { x.masked_fill(mask, 7.0)?; Ok(x.array()) })),
                )
            },
            expected: |a, _| replaced(&a[0], &a[1], |_| 7.0),
            ..Call::NOTHING
        },
        Call {
            names: methods![masked_assign],
            verb: "mask",
            operands: |hazard| writable(same_rank(hazard)),
            run: |o, _| {
                with_mask(
                    &o[1],
                    |mask| done!(try changed(&o[0], |mut x| { x.masked_assign(mask, &values(mask)?)?; Ok(x.array()) })),
                )
            },
            expected: |a, _| replaced(&a[0], &a[1], |k| k as f64),
            ..Call::NOTHING
        },
        Call {
            names: methods![nonzero],
            run: |o, _| with(&o[0], |x| done!(try x.nonzero())),
            expected: |a, _| nonzero(&a[0]),
            ..ONE
        },
    ];
    calls.into_iter().map(Row::from).collect()
}
