//! Rows of the bad-input table (see `bad_input/mod.rs`): sorting, selection and search of `DynTensor`.

use super::array::{Array, reduce};
use super::driver::{ByHand, Call, Hazard, Hazard::*, Numbers, Row, done};
use super::hazards::{one, two, weighable};
use super::ordered::{
    along, greatest, isin, labels, least, lexsort, median, nan_maximum, nan_median, one_hot, places,
    positive, set_difference, set_intersection, set_union, smallest, sorted, two_bins, two_densities, unique,
    unique_slices,
};
use super::{changed, methods, with, with_two};
use vierbein::{DType, DynTensor, Error, MemoryOrder, Quantile, Side};

const AXIS: Call = Call { operands: one, numbers: Numbers::Axis, ..Call::NOTHING };
const WHOLE: Call =
    Call { operands: one, cannot: &[(WrongShape, "over all elements of any shape")], ..Call::NOTHING };

/// Rows of the bad-input table for one sorting direction: sorting into a new tensor, sorting in place, and the indices that sort.
macro_rules! sorts {
    ($descending:literal, $sort:ident $inplace:ident $argsort:ident) => {
        [
            Call {
                names: methods![$sort],
                verb: "sort",
                run: |o, n| with(&o[0], |x| done!(try x.$sort(n[0]))),
                expected: |a, n| along(&a[0], n[0], |line| sorted(line, $descending)),
                ..AXIS
            },
            Call {
                names: methods![$inplace],
                verb: "sort",
                operands: |hazard| super::hazards::countable(hazard),
                run: |o, n| {
                    Some(done!(try changed(&o[0], |mut x| {
                        x.$inplace(n[0])?;
                        Ok(super::operand::ToArray::array(&x))
                    })))
                },
                expected: |a, n| along(&a[0], n[0], |line| sorted(line, $descending)),
                cannot: &[(Aliasing, "a view of elements that several indices share cannot be mutable")],
                ..AXIS
            },
            Call {
                names: methods![$argsort],
                verb: "argsort",
                run: |o, n| with(&o[0], |x| done!(try x.$argsort(n[0]))),
                expected: |a, n| along(&a[0], n[0], |line| places(line, $descending)),
                ..AXIS
            },
        ]
    };
}

/// Rows of random orders. The results are sorted, because sorted lines do not depend on the order.
#[cfg(feature = "rand")]
fn random_orders() -> [Call; 2] {
    use rand::{SeedableRng, rngs::StdRng};
    const MANY: (Hazard, &str) = (HugeExtents, "memory does not hold the positions");
    [
        Call {
            names: methods![permutation choice],
            verb: "choose",
            operands: |hazard| super::hazards::countable(hazard),
            run: |o, n| {
                with(&o[0], |x| {
                    let rng = || StdRng::seed_from_u64(1);
                    let extent = x.shape().get(n[0]).copied().unwrap_or(0);
                    done!(try x.choice(n[0], extent, &mut rng()).and_then(|_| x.permutation(n[0], &mut rng())?.sort(n[0])))
                })
            },
            expected: |a, n| along(&a[0], n[0], |line| sorted(line, false)),
            cannot: &[MANY],
            ..AXIS
        },
        Call {
            names: methods![shuffle],
            verb: "choose",
            operands: |hazard| super::hazards::countable(hazard),
            run: |o, n| {
                Some(done!(try changed(&o[0], |mut x| {
                    x.shuffle(n[0], &mut StdRng::seed_from_u64(1))?;
                    Ok(super::operand::ToArray::array(&x.sort(n[0])?))
                })))
            },
            expected: |a, n| along(&a[0], n[0], |line| sorted(line, false)),
            cannot: &[MANY, (Aliasing, "a view of elements that several indices share cannot be mutable")],
            ..AXIS
        },
    ]
}

fn maximum(line: &[f64]) -> Option<f64> {
    (!line.is_empty()).then(|| sorted(line, false)[line.len() - 1])
}

fn encoded(hazard: Hazard) -> ByHand {
    let of = |(from, classes): (Array, usize)| {
        let data: Vec<i64> = from.data.iter().map(|&label| label as i64).collect();
        let x = DynTensor::from_vec(&from.shape, data, MemoryOrder::RowMajor).expect("one each");
        let done = match hazard {
            NegativeStrides => {
                let x = x.flip(&[0]).expect("there is an axis").to_owned().expect("few elements");
                done!(try x.flip(&[0]).and_then(|x| x.one_hot(classes, DType::F64)))
            }
            Aliasing => {
                let twice = x.broadcast_to(&[2, x.len()]).expect("a longer shape");
                done!(try twice.one_hot(classes, DType::F64).and_then(|y| y.index_axis(0, 1)?.to_owned()))
            }
            _ => done!(try x.one_hot(classes, DType::F64)),
        };
        (done, one_hot(&from, classes))
    };
    Ok(labels(hazard)?.into_iter().map(of).collect())
}

pub(crate) fn rows() -> Vec<Row> {
    let ascending = sorts!(false, sort sort_inplace argsort);
    let descending = sorts!(true, sort_descending sort_descending_inplace argsort_descending);
    let others = [
        Call {
            names: methods![partition],
            verb: "partition",
            run: |o, n| {
                with(
                    &o[0],
                    |x| done!(try x.partition(n[0], 0).and_then(|parts| parts.index_axis(n[0], 0)?.to_owned())),
                )
            },
            expected: |a, n| least(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: methods![top_k],
            verb: "greatest",
            run: |o, n| with(&o[0], |x| done!(try x.top_k(n[0], 1))),
            expected: |a, n| greatest(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: methods![bottom_k],
            verb: "smallest",
            run: |o, n| with(&o[0], |x| done!(try x.bottom_k(n[0], 1))),
            expected: |a, n| smallest(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: methods![quantile_weighted quantiles_weighted],
            verb: "weighted quantile",
            operands: weighable,
            run: |o, n| {
                with(&o[0], |x| {
                    let extent = x.shape().get(n[0]).copied().unwrap_or(1);
                    let weights = vierbein::Tensor::<f64, vierbein::Rank<1>>::ones([extent]);
                    done!(try x.quantile_weighted(n[0], 1.0, &weights).and_then(|one| {
                        let two = x.quantiles_weighted(n[0], &[1.0, 0.0], &weights)?;
                        assert!(super::operand::ToArray::array(&two.index_axis(n[0], 0)?).is(&super::operand::ToArray::array(&one)));
                        Ok::<_, Error>(one)
                    }))
                })
            },
            expected: |a, n| reduce(&a[0], n, false, 8, maximum),
            cannot: &[(HugeExtents, "the weights of such an axis are too many")],
            ..AXIS
        },
        Call {
            names: methods![median_axis],
            verb: "median",
            run: |o, n| with(&o[0], |x| done!(try x.median_axis(n[0]))),
            expected: |a, n| reduce(&a[0], n, false, 8, median),
            ..AXIS
        },
        Call {
            names: methods![quantile quantiles],
            verb: "quantile",
            run: |o, n| {
                with(&o[0], |x| {
                    done!(try x.quantile(n[0], 1.0, Quantile::Linear).and_then(|one| {
                        let two = x.quantiles(n[0], &[1.0, 0.0], Quantile::Linear)?;
                        assert!(super::operand::ToArray::array(&two.index_axis(n[0], 0)?).is(&super::operand::ToArray::array(&one)));
                        Ok::<_, Error>(one)
                    }))
                })
            },
            expected: |a, n| reduce(&a[0], n, false, 8, maximum),
            ..AXIS
        },
        Call {
            names: methods![nan_median],
            verb: "median without NaN",
            run: |o, _| with(&o[0], |x| done!(try x.nan_median())),
            expected: |a, _| {
                let all: Vec<usize> = (0..a[0].shape.len()).collect();
                match a[0].shape.contains(&0) {
                    true => super::array::reject("Empty"),
                    false => reduce(&a[0], &all, false, 8, nan_median),
                }
            },
            ..WHOLE
        },
        Call {
            names: methods![nan_median_axis],
            verb: "median without NaN",
            run: |o, n| with(&o[0], |x| done!(try x.nan_median_axis(n[0]))),
            expected: |a, n| reduce(&a[0], n, false, 8, nan_median),
            ..AXIS
        },
        Call {
            names: methods![nan_quantile nan_quantiles],
            verb: "quantile without NaN",
            run: |o, n| {
                with(&o[0], |x| {
                    done!(try x.nan_quantile(n[0], 1.0, Quantile::Linear).and_then(|one| {
                        let two = x.nan_quantiles(n[0], &[1.0, 0.0], Quantile::Linear)?;
                        assert!(super::operand::ToArray::array(&two.index_axis(n[0], 0)?).is(&super::operand::ToArray::array(&one)));
                        Ok::<_, Error>(one)
                    }))
                })
            },
            expected: |a, n| reduce(&a[0], n, false, 8, nan_maximum),
            ..AXIS
        },
        Call {
            names: methods![unique_slices unique_slices_with],
            verb: "different slices",
            run: |o, n| {
                with(&o[0], |x| {
                    done!(try x.unique_slices(n[0]).and_then(|values| {
                        let found = x.unique_slices_with(n[0])?;
                        assert!(super::operand::ToArray::array(&found.values).is(&super::operand::ToArray::array(&values)));
                        assert_eq!(found.inverse.len(), x.shape()[n[0]]);
                        assert_eq!((found.first.len(), found.counts.len()), (values.shape()[n[0]], values.shape()[n[0]]));
                        Ok::<_, Error>(values)
                    }))
                })
            },
            expected: |a, n| unique_slices(&a[0], n[0]),
            ..AXIS
        },
        Call {
            names: methods![unique unique_counts unique_with],
            verb: "different",
            run: |o, _| {
                with(&o[0], |x| {
                    done!(try x.unique().and_then(|values| {
                        let (found, counts) = x.unique_counts()?;
                        assert!(super::operand::ToArray::array(&found).is(&super::operand::ToArray::array(&values)));
                        assert_eq!(counts.len(), values.len());
                        let found = x.unique_with()?;
                        assert!(super::operand::ToArray::array(&found.values).is(&super::operand::ToArray::array(&values)));
                        assert_eq!(found.inverse.len(), x.len());
                        assert_eq!((found.first.len(), found.counts.len()), (values.len(), values.len()));
                        Ok::<_, Error>(values)
                    }))
                })
            },
            expected: |a, _| unique(&a[0]),
            ..WHOLE
        },
        Call {
            names: methods![set_union],
            verb: "look up",
            operands: two,
            run: |o, _| with_two(o, |x, y| done!(try x.set_union(y))),
            expected: |a, _| set_union(&a[0], &a[1]),
            cannot: &[(WrongShape, "operands of any shapes")],
            ..Call::NOTHING
        },
        Call {
            names: methods![set_intersection],
            verb: "look up",
            operands: two,
            run: |o, _| with_two(o, |x, y| done!(try x.set_intersection(y))),
            expected: |a, _| set_intersection(&a[0], &a[1]),
            cannot: &[(WrongShape, "operands of any shapes")],
            ..Call::NOTHING
        },
        Call {
            names: methods![set_difference],
            verb: "look up",
            operands: two,
            run: |o, _| with_two(o, |x, y| done!(try x.set_difference(y))),
            expected: |a, _| set_difference(&a[0], &a[1]),
            cannot: &[(WrongShape, "operands of any shapes")],
            ..Call::NOTHING
        },
        Call {
            names: methods![isin],
            verb: "look up",
            operands: two,
            run: |o, _| with_two(o, |x, y| done!(try x.isin(y))),
            expected: |a, _| isin(&a[0], &a[1]),
            cannot: &[(WrongShape, "operands of any shapes")],
            ..Call::NOTHING
        },
        Call {
            names: methods![lexsort],
            verb: "lexsort",
            run: |o, _| with(&o[0], |x| done!(try x.lexsort())),
            expected: |a, _| lexsort(&a[0]),
            ..WHOLE
        },
        Call {
            names: methods![searchsorted digitize],
            verb: "",
            run: |o, _| {
                with(&o[0], |x| {
                    done!(
                        try {
                            let edges = vierbein::tensor![1.0, 2.0];
                            let edges = vierbein::DynView::from(&edges);
                            edges.searchsorted(x, Side::Right).and_then(|found| {
                                let bins = x.digitize(edges, Side::Left)?;
                                assert!(
                                    super::operand::ToArray::array(&bins)
                                        .is(&super::operand::ToArray::array(&found))
                                );
                                Ok::<_, Error>(found)
                            })
                        }
                    )
                })
            },
            expected: |a, _| {
                super::array::allocated(&a[0].shape, 8)?;
                Ok(super::Array::from_fn(&a[0].shape, |at| {
                    let x = a[0].at(at);
                    // NaN is greater than both edges.
                    [1.0, 2.0].iter().filter(|edge| x.is_nan() || x >= **edge).count() as f64
                }))
            },
            ..WHOLE
        },
        Call {
            names: methods![median],
            verb: "median",
            run: |o, _| with(&o[0], |x| done!(try x.median())),
            expected: |a, _| {
                let all: Vec<usize> = (0..a[0].shape.len()).collect();
                match a[0].shape.contains(&0) {
                    true => super::array::reject("Empty"),
                    false => reduce(&a[0], &all, false, 8, median),
                }
            },
            ..WHOLE
        },
        Call {
            names: methods![histogram],
            verb: "histogram",
            run: |o, _| with(&o[0], |x| done!(try x.histogram((2, -1.0..=1.0)).map(|found| found.0))),
            expected: |a, _| two_bins(&a[0], false),
            ..WHOLE
        },
        Call {
            names: methods![histogram_density],
            verb: "histogram",
            run: |o, _| with(&o[0], |x| done!(try x.histogram_density((2, -1.0..=1.0)).map(|found| found.0))),
            expected: |a, _| two_densities(&a[0]),
            ..WHOLE
        },
        Call {
            names: methods![histogram_weighted],
            verb: "histogram",
            run: |o, _| {
                with(&o[0], |x| done!(try x.histogram_weighted(&[-1.0, 0.0, 1.0], x).map(|found| found.0)))
            },
            expected: |a, _| two_bins(&a[0], true),
            cannot: &[(WrongShape, "see `arguments_of_counts`")],
            ..WHOLE
        },
        Call {
            names: methods![bincount bincount_weighted],
            verb: "count",
            run: |o, _| {
                with(&o[0], |x| {
                    done!(try x.gt(0.0).and_then(|x| x.to_dtype(DType::I64)).and_then(|x| {
                        let counts = x.bincount(3)?;
                        let ones = x.equal(&x)?.to_dtype(DType::F64)?;
                        let sums = x.bincount_weighted(3, &ones)?;
                        assert!(super::operand::ToArray::array(&sums).is(&super::operand::ToArray::array(&counts)));
                        Ok::<_, Error>(counts)
                    }))
                })
            },
            expected: |a, _| positive(&a[0]),
            ..WHOLE
        },
    ];
    let calls = ascending.into_iter().chain(descending).chain(others);
    #[cfg(feature = "rand")]
    let calls = calls.chain(random_orders());
    calls.map(Row::from).chain([Row::by_hand(methods![one_hot], "encode labels", encoded)]).collect()
}

#[test]
fn searches_need_rank_1_and_ordered_elements() {
    let x = vierbein::DynTensor::from(vierbein::tensor![[1, 2]]);
    let text = |error: Error| error.to_string();
    assert_eq!(
        text(x.searchsorted(&vierbein::tensor![1], Side::Left).unwrap_err()),
        "search sorted elements: the tensor of shape [1, 2] has rank 2, not 1; `.reshape(..)`, `.flatten()`, `.insert_axis(..)` and \
         `.index_axis(..)` change the rank"
    );
    let z = vierbein::DynTensor::from(vierbein::tensor![vierbein::Complex::new(1.0, 2.0)]);
    assert_eq!(
        text(z.sort(0).unwrap_err()),
        "sort: `Complex<f64>` is not an ordered element type: expected integers, real \
         floating-point numbers or `bool`; compare complex numbers by `.abs()`, `.re()` or `.im()`"
    );
    assert!(matches!(z.unique().unwrap_err(), Error::UnsupportedDType { .. }));
    assert!(matches!(x.quantile(1, 1.5, Quantile::Linear).unwrap_err(), Error::Argument { .. }));
}

#[test]
fn arguments_of_counts() {
    let x = vierbein::DynTensor::from(vierbein::tensor![1.0, 2.0]);
    let text = |error: Error| error.to_string();
    assert_eq!(
        text(x.bincount(0).unwrap_err()),
        "count integers: `f64` is not an integer type: convert the elements first, e.g. with `.to_dtype(DType::I64)`"
    );
    assert_eq!(
        text(x.histogram_weighted(2, &vierbein::tensor![1, 2]).unwrap_err()),
        "compute a histogram: `i32` is not the element type of weights: convert them with `.to_dtype(DType::F64)`"
    );
    assert_eq!(
        text(x.histogram_weighted(2, &vierbein::tensor![1.0]).unwrap_err()),
        "cannot compute a histogram: the weights have shape [1], the elements [2]; pass a weight for each element"
    );
    assert!(matches!(x.histogram(0).unwrap_err(), Error::Argument { .. }));
}
