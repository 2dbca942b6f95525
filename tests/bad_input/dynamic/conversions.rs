//! Rows of the bad-input table (see `bad_input/mod.rs`): conversions of `DynTensor` from and to other types, copies, access to single
//! elements, equality, and products.

use super::array::{Array, Outcome, Rejection, allocated, copy, einsum, in_bounds, line, reject};
use super::driver::{ByHand, Call, Hazard, Hazard::*, Numbers, Row, done};
use super::hazards::{HARD, countable, one, product, sixteen, two};
use super::operand::{HUGE, Place, ToArray};
use super::{ONE, changed, methods, with, with_two};
use vierbein::dyn_tensor::{einsum as contract, einsum_path, promote};
use vierbein::prelude::*;
use vierbein::{DType, DynTensor, Error, MemoryOrder};

const NO_VIEW: &[(Hazard, &str)] = &[(NegativeStrides, "no view goes in"), (Aliasing, "no view goes in")];

/// Labels of the 14 batch axes of operands of rank 16.
const BATCH: &str = "abcdefghijklmn";

pub(crate) fn rows() -> Vec<Row> {
    let calls = [
        Call {
            names: methods![to_owned into_owned],
            run: |o, _| with(&o[0], |x| done!(try x.to_owned().and_then(|_| x.into_owned()))),
            expected: |a, _| copy(&a[0]),
            ..ONE
        },
        Call {
            names: methods![try_clone clone clone_from],
            operands: countable,
            run: |o, _| {
                with(&o[0], |x| {
                    let x = x.to_owned().expect("it is small");
                    done!(try x.try_clone(), panics {
                        let mut y = x.clone();
                        y.clone_from(&x);
                        y
                    })
                })
            },
            expected: |a, _| copy(&a[0]),
            ..ONE
        },
        Call {
            names: methods![to_order],
            run: |o, _| with(&o[0], |x| done!(try x.to_order(MemoryOrder::ColMajor))),
            expected: |a, _| copy(&a[0]),
            ..ONE
        },
        Call {
            names: methods![to_device to_device_in],
            run: |o, _| with(&o[0], |x| done!(try x.to_device::<Cpu>().and_then(|_| x.to_device_in(&Cpu)))),
            expected: |a, _| copy(&a[0]),
            ..ONE
        },
        Call {
            names: methods![to_vec],
            run: |o, _| with(&o[0], |x| done!(try x.to_vec::<f64>())),
            expected: |a, _| line(&a[0]),
            ..ONE
        },
        Call {
            names: methods![downcast cast_into try_from],
            verb: "rank",
            operands: countable,
            // All three methods convert to `Rank<2>`, so they must fail for operands of any other rank.
            run: |o, _| {
                with(&o[0], |x| {
                    let x = x.to_owned().expect("it is small");
                    done!(
                        try {
                            let cast: Result<Tensor<f64, Rank<2>>, _> = x.clone().cast_into();
                            let downcast =
                                x.clone().downcast::<f64, Rank<2>, RowMajor, Cpu>().map_err(Error::from);
                            assert_eq!(cast.is_ok(), downcast.is_ok());
                            assert_eq!(Tensor::<f64, Rank<2>>::try_from(x.clone()).is_ok(), downcast.is_ok());
                            downcast
                        }
                    )
                })
            },
            expected: |a, _| if a[0].shape.len() == 2 { copy(&a[0]) } else { reject("Downcast") },
            ..ONE
        },
        Call {
            names: methods![downcast_view downcast_ref],
            verb: "rank",
            run: |o, _| {
                with(&o[0], |x| {
                    done!(
                        try {
                            let found = x.downcast_view::<f64, Rank<2>, RowMajor, Cpu>();
                            assert_eq!(
                                found.is_ok(),
                                x.downcast_ref::<f64, Rank<2>, RowMajor, Cpu>().is_ok()
                            );
                            found
                        }
                    )
                })
            },
            expected: |a, _| if a[0].shape.len() == 2 { Ok(a[0].clone()) } else { reject("Downcast") },
            ..ONE
        },
        Call {
            names: methods![downcast_mut],
            verb: "rank",
            operands: |hazard| {
                countable(hazard).into_iter().filter(|x| !matches!(x[0].place, Place::Windows)).collect()
            },
            run: |o, _| {
                Some(
                    done!(try changed(&o[0], |mut x| Ok(x.downcast_mut::<f64, Rank<2>, RowMajor, Cpu>()?.array()))),
                )
            },
            expected: |a, _| if a[0].shape.len() == 2 { copy(&a[0]) } else { reject("Downcast") },
            ..ONE
        },
        Call {
            names: methods![from_vec],
            verb: "make a tensor",
            operands: one,
            numbers: Numbers::Shape,
            run: |o, n| Some(done!(try DynTensor::from_vec(n, o[0].array().data, MemoryOrder::RowMajor))),
            expected: |a, n| {
                in_bounds(n, 8)?;
                let len = if n.contains(&0) { 0 } else { n.iter().product() };
                if len != a[0].data.len() {
                    reject("LengthMismatch")
                } else {
                    Ok(Array { shape: n.to_vec(), ..a[0].clone() })
                }
            },
            cannot: NO_VIEW,
        },
        Call {
            names: methods![from_rows],
            verb: "make a matrix of rows",
            operands: countable,
            run: |o, _| {
                let data = o[0].array().data;
                let rows: Vec<&[f64]> = data.chunks(2).collect();
                Some(done!(try DynTensor::from_rows(&rows, MemoryOrder::ColMajor)))
            },
            expected: |a, _| {
                let rows: Vec<&[f64]> = a[0].data.chunks(2).collect();
                let columns = rows.first().map_or(0, |row| row.len());
                if rows.iter().any(|row| row.len() != columns) {
                    return reject("Argument");
                }
                Ok(Array::from_fn(&[rows.len(), columns], |index| rows[index[0]][index[1]]))
            },
            cannot: NO_VIEW,
            ..Call::NOTHING
        },
        Call {
            names: methods![zeros],
            operands: one,
            numbers: Numbers::Shape,
            run: |_, n| Some(done!(try DynTensor::zeros(n, DType::F64, MemoryOrder::RowMajor))),
            expected: |_, n| {
                allocated(n, 8)?;
                Ok(Array::from_fn(n, |_| 0.0))
            },
            cannot: &[
                (NotFinite, "no numbers go in"),
                (NegativeStrides, "no view goes in"),
                (Aliasing, "no view goes in"),
            ],
            ..Call::NOTHING
        },
        Call {
            names: methods![get],
            verb: "index",
            operands: one,
            numbers: Numbers::Index,
            run: |o, n| with(&o[0], |x| done!(try x.get(n))),
            expected: |a, n| element(&a[0], n),
            ..Call::NOTHING
        },
        Call {
            names: methods![set],
            verb: "index",
            operands: |hazard| {
                one(hazard).into_iter().filter(|x| !matches!(x[0].place, Place::Windows)).collect()
            },
            numbers: Numbers::Index,
            run: |o, n| {
                Some(done!(try changed(&o[0], |mut x| { x.set(n, 7.0)?; x.get(n).map(|x| x.array()) })))
            },
            expected: |a, n| element(&copy(&a[0])?, n).map(|_| Array::scalar(7.0)),
            ..Call::NOTHING
        },
        Call {
            names: methods![item],
            verb: "item",
            run: |o, _| with(&o[0], |x| done!(try x.item())),
            expected: |a, _| if a[0].shape.is_empty() { Ok(a[0].clone()) } else { reject("UnsupportedRank") },
            ..ONE
        },
        Call {
            names: methods![eq ne],
            operands: two,
            run: |o, _| {
                with_two(o, |x, y| {
                    assert_ne!(x == y, x != y);
                    done!(panics x == y)
                })
            },
            expected: |a, _| {
                let same = a[0].shape == a[1].shape;
                if same && a[0].len() > 1 << 24 {
                    return Err(Rejection::Untried);
                }
                Ok(Array::scalar(f64::from(same && a[0].data == a[1].data)))
            },
            ..Call::NOTHING
        },
        Call {
            names: methods![matmul],
            verb: "matmul",
            operands: product,
            run: |o, _| with_two(o, |x, y| done!(try x.matmul(y))),
            expected: |a, _| match (a[0].shape.len(), a[1].shape.len()) {
                (0, _) | (_, 0) => reject("UnsupportedRank"),
                (1, 1) => einsum(&[(&a[0], "a"), (&a[1], "a")], "", "Matmul"),
                (2, 1) => einsum(&[(&a[0], "ab"), (&a[1], "b")], "a", "Matmul"),
                (1, 2) => einsum(&[(&a[0], "a"), (&a[1], "ab")], "b", "Matmul"),
                (2, 2) => einsum(&[(&a[0], "ab"), (&a[1], "bc")], "ac", "Matmul"),
                (_, rank) => {
                    let batch = if rank == 16 { BATCH } else { "" };
                    let labels = [format!("{BATCH}op"), format!("{batch}pq"), format!("{BATCH}oq")];
                    einsum(&[(&a[0], &labels[0]), (&a[1], &labels[1])], &labels[2], "Matmul")
                }
            },
            ..Call::NOTHING
        },
    ];
    let mut rows: Vec<Row> = calls.into_iter().map(Row::from).collect();
    rows.push(
        Call {
            names: &["dyn_tensor::einsum", "dyn_tensor::einsum_path"],
            verb: "einsum",
            operands: product,
            run: |o, _| {
                // An ellipsis stands for at most twelve axes. Operands of rank 16 have 14 batch axes, which need labels.
                let batch = if o[0].rank() == 16 { BATCH } else { "..." };
                let spec = format!("{batch}op,pq->{batch}oq");
                with_two(o, |x, y| {
                    done!(
                        try {
                            let path = einsum_path(&spec, &[x, y]);
                            let found = contract(&spec, &[x, y]);
                            assert!(path.is_ok() || found.is_err());
                            found
                        }
                    )
                })
            },
            expected: |a, _| match (a[0].shape.len(), a[1].shape.len()) {
                (2, 2) => einsum(&[(&a[0], "ij"), (&a[1], "jk")], "ik", "Contraction"),
                (16, 2) => {
                    let (x, result) = (format!("{BATCH}op"), format!("{BATCH}oq"));
                    einsum(&[(&a[0], &x), (&a[1], "pq")], &result, "Contraction")
                }
                _ => reject("Spec"),
            },
            ..Call::NOTHING
        }
        .into(),
    );
    rows.push(Row::by_hand(methods![scalar], "", scalar));
    rows.push(Row::by_hand(&["dyn_tensor::promote"], "", promoted));
    #[cfg(feature = "npy")]
    rows.push(files());
    rows
}

fn element(x: &Array, index: &[usize]) -> Outcome {
    if index.iter().zip(&x.shape).any(|(i, n)| i >= n) {
        reject("IndexOutOfBounds")
    } else {
        Ok(Array::scalar(x.at(index)))
    }
}

fn scalar(hazard: Hazard) -> ByHand {
    match hazard {
        NotFinite | Rank0 => {
            let outcome = |&x: &f64| (done!(panics DynTensor::scalar(x)), Ok(Array::scalar(x)));
            Ok(HARD.iter().map(outcome).collect())
        }
        _ => Err("one number, of rank 0"),
    }
}

/// Promotes two tensors to a common type. Their values must stay unchanged.
fn promoted(hazard: Hazard) -> ByHand {
    let shapes: Vec<Vec<usize>> = match hazard {
        WrongShape => vec![vec![2, 3], vec![4]],
        ZeroExtents => vec![vec![0, 3], vec![0, HUGE / 4]],
        HugeExtents => vec![vec![0, HUGE / 4]],
        NotFinite => return Err("of integers and floating numbers, which the conversions' tests have"),
        NegativeStrides | Aliasing => return Err("owned tensors go in"),
        Rank0 => vec![vec![]],
        Rank16 => vec![sixteen()],
    };
    let outcome = |shape: Vec<usize>| {
        let whole = DynTensor::zeros(&shape, DType::I32, MemoryOrder::RowMajor).expect("it is small");
        let float = DynTensor::scalar(1.0);
        let done = done!(try promote(whole.clone(), float.clone()));
        (done, Ok(Array::from_fn(&shape, |_| 0.0).and(&Array::scalar(1.0))))
    };
    Ok(shapes.into_iter().map(outcome).collect())
}

/// Writes a tensor to a stream and reads it again.
#[cfg(feature = "npy")]
fn files() -> Row {
    Call {
        names: methods![read_npy read_npy_from write_npy write_npy_to],
        operands: countable,
        run: |o, _| {
            with(&o[0], |x| {
                done!(
                    try {
                        let mut bytes = Vec::new();
                        x.write_npy_to(&mut bytes)?;
                        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("dynamic.npy");
                        x.write_npy(&path)?;
                        let read = DynTensor::read_npy(&path)?;
                        assert!(read.array().is(&x.array()));
                        DynTensor::read_npy_from(&bytes[..])
                    }
                )
            })
        },
        expected: |a, _| copy(&a[0]),
        ..ONE
    }
    .into()
}
