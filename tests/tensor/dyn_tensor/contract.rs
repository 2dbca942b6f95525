//! Tests of contractions with specifications that are parsed at run time. The expected results of random contractions come from loops
//! over all labels. Those of other contractions come from a table that NumPy computed. Also tests error messages.

use super::naive::{Naive, cases, check, indices};
use super::values::Value;
use super::values::for_each_type;
use vierbein::dyn_tensor::{einsum, einsum_path};
use vierbein::{DynScalar, DynTensor, DynView, Error, MemoryOrder, c64};

const ORDERS: [MemoryOrder; 2] = [MemoryOrder::RowMajor, MemoryOrder::ColMajor];

/// A linear congruential generator with Knuth's constants and a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// Computes the expected result by a loop over all combinations of the labels' values. `terms` has the labels of each operand, and
/// `extents` has the extent of each label.
fn brute_force<T: Value>(
    terms: &[Vec<usize>],
    result: &[usize],
    extents: &[usize],
    operands: &[Naive<T>],
) -> Naive<DynScalar> {
    let used: Vec<usize> = (0..extents.len()).filter(|l| terms.iter().any(|term| term.contains(l))).collect();
    let ranges: Vec<usize> = used.iter().map(|&l| extents[l]).collect();
    let shape: Vec<usize> = result.iter().map(|&l| extents[l]).collect();
    let mut sums = Naive::new(&shape, |_| c64::new(0.0, 0.0));
    for values in indices(&ranges) {
        let of = |label: usize| values[used.iter().position(|&l| l == label).unwrap()];
        let index = |term: &[usize]| term.iter().map(|&l| of(l)).collect::<Vec<_>>();
        let product: c64 =
            terms.iter().zip(operands).map(|(term, x)| x.at(&index(term)).wide().unwrap()).product();
        let flat = result.iter().fold(0, |flat, &l| flat * extents[l] + of(l));
        sums.elements[flat] += product;
    }
    sums.map(|sum| T::narrow(sum).into())
}

/// Returns 1 or 2, so that sums of products fit in every type.
fn tame<T: Value>(k: usize) -> T {
    T::narrow(c64::new((k % 2 + 1) as f64, 0.0))
}

fn random_of<T: Value>(count: usize) {
    if T::small(0).wide().is_none() {
        return;
    }
    let mut random = Random(42);
    for _ in 0..count {
        let extents: Vec<usize> = (0..5).map(|_| 1 + random.below(3)).collect();
        let operands = 1 + random.below(3);
        let terms: Vec<Vec<usize>> =
            (0..operands).map(|_| (0..random.below(4)).map(|_| random.below(5)).collect()).collect();
        let mut labels: Vec<usize> = terms.concat();
        labels.sort_unstable();
        labels.dedup();
        let mut result = Vec::new();
        while !labels.is_empty() && random.below(3) > 0 {
            result.push(labels.swap_remove(random.below(labels.len())));
        }
        let summed: usize = labels.iter().map(|&l| extents[l]).product();
        // Each sum has `summed` terms, which are at most 2 to the power of `operands`. Skips sums that might not fit in eight bits.
        if summed << operands > 100 {
            continue;
        }
        let written = |term: &Vec<usize>| term.iter().map(|&l| (b'a' + l as u8) as char).collect::<String>();
        let spec = terms.iter().map(written).collect::<Vec<_>>().join(",") + "->" + &written(&result);
        let order = ORDERS[random.below(2)];
        let chosen: Vec<_> = terms
            .iter()
            .map(|term| {
                let shape: Vec<usize> = term.iter().map(|&l| extents[l]).collect();
                let mut all = cases(&shape, order, tame::<T>);
                let k = random.below(all.len());
                all.swap_remove(k)
            })
            .collect();
        let views: Vec<DynView<'_>> = chosen.iter().map(|case| case.view()).collect();
        let naive: Vec<Naive<T>> = chosen.iter().map(|case| case.naive.clone()).collect();
        let expected = brute_force(&terms, &result, &extents, &naive);
        check(&einsum(&spec, &views).unwrap(), &expected, order, (&spec, T::DTYPE, order));
    }
}

#[test]
fn random_specifications() {
    for_each_type!(random_of(40));
    random_of::<f64>(400);
    random_of::<i64>(200);
}

/// Compares results with the fingerprints in `tests/data/einsum.tsv`, as `tests/tensor/oracle/einsum.rs` does for typed tensors.
#[test]
fn results_equal_table() {
    let reals = |shape: &[usize], order| {
        let n: usize = shape.iter().product();
        DynTensor::from_vec(shape, (0..n).map(|k| (k as f64 + 0.2).cos()).collect(), order).unwrap()
    };
    let integers = |shape: &[usize], order| {
        let n = shape.iter().product::<usize>() as i64;
        DynTensor::from_vec(shape, (0..n).map(|k| (7 * k + 3) % 11 - 5).collect(), order).unwrap()
    };
    let shape = |text: &str| -> Vec<usize> {
        if text == "()" { vec![] } else { text.split('x').map(|extent| extent.parse().unwrap()).collect() }
    };
    for line in include_str!("../../data/einsum.tsv").lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let shapes: Vec<Vec<usize>> = columns[1].split(" , ").map(shape).collect();
        for (k, order) in ORDERS.into_iter().enumerate() {
            let real: Vec<DynTensor> = shapes.iter().map(|shape| reals(shape, order)).collect();
            let found = einsum(columns[0], &real.iter().collect::<Vec<_>>()).unwrap();
            assert_eq!(found.shape(), shape(columns[2]), "{columns:?}");
            let print: f64 = columns[3 + k].parse().unwrap();
            let sum: f64 =
                found.to_vec::<f64>().unwrap().iter().enumerate().map(|(k, x)| (k as f64).cos() * x).sum();
            assert!((sum - print).abs() < 1e-11 * (1.0 + print.abs()), "{columns:?}: {sum}");
            let integer: Vec<DynTensor> = shapes.iter().map(|shape| integers(shape, order)).collect();
            let found = einsum(columns[0], &integer.iter().collect::<Vec<_>>()).unwrap();
            let sum: i64 =
                found.to_vec::<i64>().unwrap().iter().zip(0..).map(|(x, k)| (k % 13 + 1) * x).sum();
            assert_eq!(sum, columns[5 + k].parse::<i64>().unwrap(), "{columns:?}");
        }
    }
}

#[test]
fn ellipses_broadcast_by_memory_order() {
    for order in ORDERS {
        let shapes: [(&str, &[usize], &[usize], &[usize]); 2] = match order {
            MemoryOrder::RowMajor => [
                ("...ij,...jk->...ik", &[2, 1, 2, 3], &[4, 3, 2], &[2, 4, 2, 2]),
                ("...i->...", &[2, 3], &[], &[2]),
            ],
            MemoryOrder::ColMajor => [
                ("ij...,jk...->ik...", &[2, 3, 1, 2], &[3, 2, 4], &[2, 2, 4, 2]),
                ("i...->...", &[3, 2], &[], &[2]),
            ],
        };
        let (spec, a, b, result) = shapes[0];
        let (x, y) = (&cases(a, order, |k| k as i64)[0], &cases(b, order, |k| 2 * k as i64 + 1)[0]);
        let expected = Naive::new(result, |i| {
            let mut sum = 0;
            for j in 0..3 {
                sum += match order {
                    MemoryOrder::RowMajor => x.naive.at(&[i[0], 0, i[2], j]) * y.naive.at(&[i[1], j, i[3]]),
                    MemoryOrder::ColMajor => x.naive.at(&[i[0], j, 0, i[3]]) * y.naive.at(&[j, i[1], i[2]]),
                };
            }
            DynScalar::from(sum)
        });
        check(&einsum(spec, &[x.view(), y.view()]).unwrap(), &expected, order, spec);
        let (spec, a, ..) = shapes[1];
        let x = &cases(a, order, |k| k as i64)[1];
        let expected = match order {
            MemoryOrder::RowMajor => x.view().sum_axis(1).unwrap(),
            MemoryOrder::ColMajor => x.view().sum_axis(0).unwrap(),
        };
        assert_eq!(einsum(spec, &[x.view()]).unwrap(), expected);
    }
}

// ------------------------------------------------------------------ matrix products

fn products_of<T: Value>() {
    if T::small(0).wide().is_none() {
        return;
    }
    // The shapes of the left operand, the right operand and the result in row-major order. The column-major products below reverse
    // each shape and exchange the operands.
    let shapes: [(&[usize], &[usize], &[usize]); 10] = [
        (&[3], &[3], &[]),
        (&[2, 3], &[3], &[2]),
        (&[3], &[3, 2], &[2]),
        (&[2, 3], &[3, 4], &[2, 4]),
        (&[1, 3], &[3, 1], &[1, 1]),
        (&[5, 2, 3], &[3, 2], &[5, 2, 2]),
        (&[2, 3], &[5, 3, 2], &[5, 2, 2]),
        (&[4, 1, 2, 3], &[5, 3, 2], &[4, 5, 2, 2]),
        (&[3], &[2, 3, 2], &[2, 2]),
        (&[2, 0], &[0, 3], &[2, 3]),
    ];
    for (a, b, c) in shapes {
        let (lefts, rights) = (cases(a, ORDERS[0], tame::<T>), cases(b, ORDERS[0], tame::<T>));
        for (k, left) in lefts.iter().enumerate() {
            let right = &rights[(k + 1) % rights.len()];
            let expected = Naive::new(c, |i| {
                let (is_vector_a, is_vector_b) = (a.len() == 1, b.len() == 1);
                let batch = c.len() - usize::from(!is_vector_a) - usize::from(!is_vector_b);
                let (row, column) = (i.get(batch).copied(), i.last().copied());
                let at = |x: &Naive<T>, matrix: &[usize]| {
                    let own = x.shape.len() - matrix.len();
                    let index: Vec<usize> = (0..own)
                        .map(|axis| if x.shape[axis] == 1 { 0 } else { i[batch - own + axis] })
                        .chain(matrix.iter().copied())
                        .collect();
                    x.at(&index).wide().unwrap()
                };
                let sum: c64 = (0..a[a.len() - 1])
                    .map(|j| {
                        let x = if is_vector_a {
                            at(&left.naive, &[j])
                        } else {
                            at(&left.naive, &[row.unwrap(), j])
                        };
                        let y = if is_vector_b {
                            at(&right.naive, &[j])
                        } else {
                            at(&right.naive, &[j, column.unwrap()])
                        };
                        x * y
                    })
                    .sum();
                T::narrow(sum).into()
            });
            let found = left.view().matmul(right.view()).unwrap();
            check(&found, &expected, ORDERS[0], (T::DTYPE, a, b, k));
            // Let ᵀ reverse all axes. Then (A·B)ᵀ = Bᵀ·Aᵀ, where the right-hand product is column-major.
            let (x, y) = (left.view(), right.view());
            let found = y.flip_order().matmul(x.flip_order()).unwrap();
            let mirrored: Vec<usize> = c.iter().rev().copied().collect();
            let expected =
                Naive::new(&mirrored, |i| expected.at(&i.iter().rev().copied().collect::<Vec<_>>()));
            check(&found, &expected, ORDERS[1], (T::DTYPE, a, b, k, "mirrored"));
        }
    }
}

#[test]
fn matrix_products() {
    for_each_type!(products_of());
    // 14 batch axes are the maximum, because tensors have at most 16 axes.
    let deep: Vec<usize> = vec![1; 14];
    let x = DynTensor::from_vec(&[&deep[..], &[2, 2]].concat(), vec![1, 2, 3, 4], ORDERS[0]).unwrap();
    assert_eq!(x.matmul(&x).unwrap().to_vec::<i32>().unwrap(), [7, 10, 15, 22]);
}

// ------------------------------------------------------------------ messages

#[track_caller]
fn rejected(tried: Result<DynTensor, Error>, text: &str) {
    assert_eq!(tried.unwrap_err().to_string(), text);
}

/// The compiler's messages for the same specifications in `einsum!` are in `ui-tests/fail/einsum_*.stderr`.
#[test]
fn invalid_specifications_are_errors() {
    let (a, b) = (
        DynTensor::from_vec(&[2, 2], vec![1, 2, 3, 4], ORDERS[0]).unwrap(),
        DynTensor::from_vec(&[2, 3], vec![1, 2, 3, 4, 5, 6], ORDERS[0]).unwrap(),
    );
    for (spec, why) in [
        ("ij,jk->iz", "the result's label `z` is not a label of any operand"),
        ("ij->ij", "it names 1 operand, but there are 2"),
        ("ij,jk,kl->il", "it names 3 operands, but there are 2"),
        ("ij,jk->ik,", "there is only one result, so no `,` may follow `->`"),
        ("ij,jk=>ik", "`=` is not a label; labels are the letters a to z and A to Z"),
        ("ij,jk-ik", "one `->` separates the operands from the result"),
        ("..ij,jk->ik", "an ellipsis is three dots, `...`"),
        (
            "...ij,jk->ik",
            "an operand has an ellipsis, but the result has none; its axes cannot be summed: give them labels",
        ),
        ("ij,jk->...ik", "the result has an ellipsis, but no operand has one"),
    ] {
        rejected(einsum(spec, &[&a, &b]), &format!("einsum \"{spec}\": {why}"));
        // `einsum!` parses its specification at compile time by `Spec::parse`, so the compiler's message is the same.
        let compiled = vierbein::einsum::Spec::parse(spec, 2).unwrap_err().to_string();
        assert_eq!(compiled, format!("einsum \"{spec}\": {why}"));
    }
    rejected(
        einsum("ij,j->i", &[&a, &b]),
        "einsum \"ij,j->i\": the specification has 1 labels for an operand that is a tensor of `Rank<2>`: \
         an operand has one label for each axis; write a letter for each axis; `...` stands for any number of them",
    );
    rejected(
        einsum("ij,...ijk->...k", &[&a, &b]),
        "einsum \"ij,...ijk->...k\": the specification has 3 labels for an operand that is a tensor of `Rank<2>`: \
         an operand has one label for each axis; write a letter for each axis; `...` stands for any number of them",
    );
    rejected(
        einsum("ij,kj->ik", &[&a, &b]),
        "cannot einsum \"ij,kj->ik\" over shapes [2, 2] and [2, 3]: label `j` has extent 2 in operand 1 and 3 in operand 2",
    );
    let none: [&DynTensor; 0] = [];
    assert!(matches!(einsum("", &none), Err(Error::Spec { .. })));
    assert!(einsum("abcdefghijklmnopq->a", &[&a]).is_err());
    let deep = DynTensor::from_vec(&[1; 12], vec![1], ORDERS[0]).unwrap();
    rejected(
        einsum("...,abcdef->...abcdef", &[&deep, &DynTensor::from_vec(&[1; 6], vec![1], ORDERS[0]).unwrap()]),
        "einsum \"...,abcdef->...abcdef\": the result cannot have 6 labels in addition to an ellipsis of `Rank<12>`: \
         ranks run from `Rank<0>` to `Rank<16>`",
    );
}

#[test]
fn mismatched_product_shapes_are_errors() {
    let (a, b) = (
        DynTensor::from_vec(&[2, 2], vec![1.0; 4], ORDERS[0]).unwrap(),
        DynTensor::from_vec(&[3, 2], vec![1.0; 6], ORDERS[0]).unwrap(),
    );
    let rule = "(row-major: the last two axes are the matrix, batches lead)";
    rejected(
        a.matmul(&b),
        &format!("cannot matmul shapes [2, 2] and [3, 2]: the summed axes have extents 2 and 3 {rule}"),
    );
    let (a, b) = (
        DynTensor::from_vec(&[2, 1, 1], vec![1.0; 2], ORDERS[0]).unwrap(),
        DynTensor::from_vec(&[3, 1, 1], vec![1.0; 3], ORDERS[0]).unwrap(),
    );
    rejected(
        a.matmul(&b),
        &format!("cannot matmul shapes [2, 1, 1] and [3, 1, 1]: the batch axes do not broadcast {rule}"),
    );
    let big = DynTensor::from_vec(&[2, 2], vec![100i8; 4], ORDERS[0]).unwrap();
    rejected(
        big.matmul(&big),
        "cannot matmul tensors of i8: there is no i8 result for shapes [2, 2] and [2, 2]; \
         convert them first, e.g. with `.cast::<i64>()`",
    );
}

#[test]
fn paths() {
    let [a, b, c] = [[10, 100], [100, 5], [5, 50]]
        .map(|shape| DynTensor::from_vec(&shape, vec![0.0; shape[0] * shape[1]], ORDERS[0]).unwrap());
    let path = einsum_path("ij,jk,kl->il", &[&a, &b, &c]).unwrap();
    assert_eq!((path.steps()[0].spec.as_str(), path.multiplications()), ("ij,jk->ik", 7_500.0));
}

/// Vectors match both memory orders. The product of two vectors has the memory order of the first vector.
#[test]
fn products_of_vectors_have_the_order_of_the_first() {
    for order in ORDERS {
        let other = if order == ORDERS[0] { ORDERS[1] } else { ORDERS[0] };
        let x = DynTensor::from_vec(&[2], vec![1i64, 2], order).unwrap();
        let y = DynTensor::from_vec(&[3], vec![3i64, 4, 5], other).unwrap();
        let product = einsum("i,j->ij", &[x.view(), y.view()]).unwrap();
        assert_eq!(product.order(), order);
        assert_eq!(product.get(&[1, 2]).unwrap(), 10i64.into());
    }
}
