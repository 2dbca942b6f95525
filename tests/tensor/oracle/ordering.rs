//! Compares quantiles and histograms with NumPy's, and results for special values (NaN, infinities, signed zeros) with known ones.

use super::{Matrix, both_orders, listed};
use vierbein::{Bins, Cpu, DynTensor, Error, MemoryOrder, Order, Quantile, Rank, Side, Tensor, s, tensor};

pub(crate) const METHODS: [(&str, Quantile); 9] = [
    ("inverted_cdf", Quantile::InvertedCdf),
    ("averaged_inverted_cdf", Quantile::AveragedInvertedCdf),
    ("closest_observation", Quantile::ClosestObservation),
    ("interpolated_inverted_cdf", Quantile::InterpolatedInvertedCdf),
    ("hazen", Quantile::Hazen),
    ("weibull", Quantile::Weibull),
    ("linear", Quantile::Linear),
    ("median_unbiased", Quantile::MedianUnbiased),
    ("normal_unbiased", Quantile::NormalUnbiased),
];

#[test]
fn quantiles_are_those_of_numpy() {
    let table = include_str!("../../data/ordering.tsv");
    let mut rows = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [name, level, elements, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let method = METHODS.iter().find(|(known, _)| *known == name).expect("a method").1;
        let elements: Vec<f64> = elements.split(' ').map(|x| x.parse().unwrap()).collect();
        let (level, expected): (f64, f64) = (level.parse().unwrap(), expected.parse().unwrap());
        let x = Tensor::<f64, Rank<1>>::from_vec([elements.len()], elements);
        let found = x.quantile(0, level, method).item();
        assert!((found - expected).abs() <= 1e-15 * expected.abs(), "{line}: {found}");
        // For several levels at once, the kernel sorts each line instead of selecting elements. The results must be the same.
        let several = x.quantile(0, [level, 0.0, 1.0, 0.5, 0.1], method);
        assert_eq!(several[[0]].to_bits(), found.to_bits(), "{line}");
        rows += 1;
    }
    assert_eq!(rows, 9 * 6 * 12);
}

#[test]
fn quantiles_without_nan_are_those_of_numpy() {
    let table = include_str!("../../data/nan_quantiles.tsv");
    let same = |found: &[f64], expected: &[f64]| {
        found.len() == expected.len()
            && found
                .iter()
                .zip(expected)
                .all(|(a, b)| a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-15 * b.abs())
    };
    let mut rows = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [name, level, elements, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let (level, expected): (f64, _) = (level.parse().expect("a level"), numbers(expected));
        let x = Tensor::<f64, Rank<2>>::from_vec([expected.len(), 6], numbers(elements));
        let found = match METHODS.iter().find(|(known, _)| *known == name) {
            Some(&(_, method)) => {
                let several = x.t().nan_quantile(0, [1.0, level], method);
                let found = x.nan_quantile(1, level, method);
                assert!(same(&listed(&several.index_axis(0, 1).to_owned()), &expected), "{line}");
                found
            }
            None => {
                // Also computes the median of each row with `nan_median`, which reduces all elements of a tensor.
                let each = (0..expected.len()).map(|k| x.index_axis(0, k).nan_median().item());
                assert!(same(&each.collect::<Vec<_>>(), &expected), "{line}");
                x.nan_median_axis(1)
            }
        };
        assert!(same(&listed(&found), &expected), "{line}: {found:?}");
        rows += 1;
    }
    assert_eq!(rows, 9 * 12 + 1);
}

#[test]
fn distinct_slices_are_those_of_numpy() {
    let table = include_str!("../../data/unique_slices.tsv");
    let mut rows = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<Vec<i64>> = line
            .split('\t')
            .map(|field| field.split(' ').map(|x| x.parse().expect("an integer")).collect())
            .collect();
        let [axis, shape, elements, expected @ ..] = &fields[..] else { panic!("{line}") };
        let mut shape: Vec<usize> = shape.iter().map(|&n| n as usize).collect();
        let mut axis = axis[0] as usize;
        for order in [MemoryOrder::RowMajor, MemoryOrder::ColMajor] {
            let x = DynTensor::from_vec(&shape, elements.clone(), order).expect("one element each");
            let found = x.unique_slices_with(axis).expect("an axis");
            // The results are compared in memory order. The column-major tensor has the reversed shape, so it has the same elements in
            // memory as the row-major tensor.
            let lists = [&found.values, &found.first, &found.inverse, &found.counts]
                .map(|x| x.to_vec::<i64>().expect("integers"));
            assert_eq!(&lists[..], expected, "{line} {order:?}");
            shape.reverse();
            axis = shape.len() - 1 - axis;
        }
        rows += 1;
    }
    assert_eq!(rows, 14);
}

#[test]
fn distinct_slices_of_special_values() {
    let nan = f64::NAN;
    let x = tensor![[nan, 1.0], [0.0, nan], [-0.0, 1.0], [nan, 1.0], [0.0, 1.0], [-0.0, nan]];
    let found = x.unique_slices_with(0);
    assert_eq!(format!("{:?}", listed(&found.values)), "[-0.0, 1.0, 0.0, NaN, NaN, 1.0]");
    assert_eq!(listed(&found.first), [2, 1, 0]);
    assert_eq!(listed(&found.inverse), [2, 1, 0, 2, 0, 1]);
    assert_eq!(listed(&found.counts), [2, 2, 2]);
    // Slices without elements are equal.
    let empty = Tensor::<f64, Rank<2>>::zeros([3, 0]).unique_slices_with(0);
    assert_eq!((empty.values.shape(), listed(&empty.counts)), ([1, 0], vec![3]));
    assert_eq!(Tensor::<f64, Rank<2>>::zeros([0, 3]).unique_slices(0).shape(), [0, 3]);
    assert_eq!(tensor![[true, false], [false, true]].unique_slices(1), tensor![[false, true], [true, false]]);
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(' ').map(|x| x.parse().expect("a number")).collect()
}

fn counts_of(counts: &Tensor<i64, Rank<1>>) -> Vec<f64> {
    listed(counts).into_iter().map(|count| count as f64).collect()
}

#[test]
fn histograms_are_those_of_numpy() {
    let table = include_str!("../../data/histograms.tsv");
    let mut rows = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [kind, bins, elements, weights, counts, sums, edges] = line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let (bins, elements) = (numbers(bins), numbers(elements));
        let bins = match kind {
            "count" => Bins::from(bins[0] as usize),
            "range" => Bins::from((bins[0] as usize, bins[1]..=bins[2])),
            _ => Bins::from(&bins[..]),
        };
        let x = Tensor::<f64, Rank<1>>::from_vec([elements.len()], elements);
        let weights = Tensor::from_vec(x.shape(), numbers(weights));
        let (found, found_edges) = x.histogram(bins.clone());
        assert_eq!(counts_of(&found), numbers(counts), "{line}");
        let expected = numbers(edges);
        assert_eq!(found_edges.len(), expected.len(), "{line}");
        for (found, expected) in listed(&found_edges).into_iter().zip(expected) {
            assert!((found - expected).abs() <= 4e-16 * expected.abs().max(1.0), "{line}: {found}");
        }
        assert_eq!(listed(&x.histogram_weighted(bins, &weights).0), numbers(sums), "{line}");
        rows += 1;
    }
    assert_eq!(rows, 5 * 10);
}

#[test]
fn counts_of_integers() {
    let x = tensor![[3_u8, 0], [1, 3]];
    assert_eq!(x.bincount(0), tensor![1, 1, 0, 2]);
    assert_eq!(x.bincount(6), tensor![1, 1, 0, 2, 0, 0]);
    assert_eq!(x.t().bincount_weighted(0, tensor![[0.5, 0.25], [2.0, 4.0]]), tensor![2.0, 0.25, 0.0, 4.5]);
    assert_eq!(Tensor::<i64, Rank<1>>::zeros([0]).bincount(0).shape(), [0]);
    assert_eq!(Tensor::<i64, Rank<1>>::zeros([0]).bincount(2), tensor![0, 0]);
    // Weights belong to the elements with the same index, whatever the strides.
    let (y, weights) = (tensor![[0.5, 2.5], [1.5, 0.5]], tensor![[1.0, 2.0], [4.0, 8.0]]);
    let edges = [0.0, 1.0, 2.0, 3.0];
    let transposed = weights.t().to_owned();
    assert_eq!(y.t().histogram_weighted(&edges, &transposed).0, tensor![9.0, 4.0, 2.0]);
    let columns = y.to_order::<vierbein::ColMajor>();
    assert_eq!(
        columns.histogram_weighted(&edges, weights.to_order::<vierbein::ColMajor>()).0,
        tensor![9.0, 4.0, 2.0].to_order()
    );
    // NaN and elements outside of all bins are not counted. Extreme integers do not overflow.
    let nan = f64::NAN;
    assert_eq!(tensor![nan, -1.0, 0.5, 3.0].histogram(&[0.0, 1.0, 2.0]).0, tensor![1, 0]);
    assert_eq!(tensor![i64::MIN, i64::MAX, 0].histogram(2).0, tensor![1, 2]);
}

#[test]
fn members_of_few_and_many_elements() {
    // Few elements are compared with each element of the operand; among many, it is searched for. The elements of `of` are the first `n`
    // even numbers, in descending order.
    macro_rules! check {
        ($($T:ty),*) => {$(
            for n in [0, 1, 3, 4, 5, 63, 64, 65, 100] {
                let of: Vec<$T> = (0..n).rev().map(|i| (2 * i) as $T).collect();
                let of = Tensor::<$T, Rank<1>>::from(of);
                let x = Tensor::<$T, Rank<2>>::from_fn([3, 41], |[i, j]| (i * 41 + j) as $T);
                let member = |k: usize| k % 2 == 0 && k < 2 * n;
                assert_eq!(x.isin(&of), Tensor::from_fn([3, 41], |[i, j]| member(i * 41 + j)), "{n}");
                let reversed = x.t().slice(s![..;-1, ..]).isin(&of);
                assert_eq!(reversed, Tensor::from_fn([41, 3], |[j, i]| member(i * 41 + 40 - j)), "{n}");
            }
        )*};
    }
    check!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);
    for n in [1_i32, 64, 65] {
        let of: Vec<f64> = (0..n).map(|i| if i == 0 { -0.0 } else { f64::NAN }).collect();
        let found = tensor![0.0, -0.0, f64::NAN, 1.0].isin(Tensor::<f64, Rank<1>>::from(of));
        assert_eq!(found, tensor![true, true, false, false]);
    }
    assert_eq!(tensor![true, false].isin(tensor![false, false]), tensor![false, true]);
}

both_orders! { special_values positions_in_memory_order empty_tensors sets labels }

fn special_values<O: Order>() {
    let nan = f64::NAN;
    let x = Matrix::<f64, O>::from([[nan, 0.0, -0.0, nan], [-0.0, f64::INFINITY, 0.0, f64::NEG_INFINITY]]);
    assert_eq!(format!("{:?}", listed(&x.sort(1))), "[0.0, -0.0, NaN, NaN, -inf, -0.0, 0.0, inf]");
    assert_eq!(format!("{:?}", listed(&x.sort_descending(1))), "[0.0, -0.0, NaN, NaN, inf, -0.0, 0.0, -inf]");
    assert_eq!(listed(&x.argsort(1)), [1, 2, 0, 3, 3, 0, 2, 1]);
    assert_eq!(listed(&x.argsort_descending(1)), [1, 2, 0, 3, 1, 0, 2, 3]);
    let (values, indices) = x.top_k(1, 3);
    assert_eq!(format!("{:?}", listed(&values)), "[0.0, -0.0, NaN, inf, -0.0, 0.0]");
    assert_eq!(listed(&indices), [1, 2, 0, 1, 0, 2]);
    assert!(x.median().item().is_nan());
    assert!(x.median_axis(1)[[0]].is_nan());
    assert_eq!(x.median_axis(1)[[1]], 0.0);
    // Which of several zeros is the median depends on their order, which is that of the memory: the mirror law holds to the bit.
    for signs in 0..64 {
        let zeros = Tensor::<f64, Rank<2>, O>::from_vec(
            [3, 3],
            (0..9).map(|k| [0.0, -0.0][signs >> k & 1]).collect(),
        );
        let line = Tensor::<f64, Rank<1>>::from(zeros.to_vec());
        let median = line.median().item().to_bits();
        assert_eq!(zeros.median().item().to_bits(), median, "{signs}");
        assert_eq!(zeros.nan_median().item().to_bits(), median, "{signs}");
        let dynamic = DynTensor::from(zeros);
        for found in [dynamic.median().unwrap(), dynamic.nan_median().unwrap()] {
            let found: Tensor<f64, Rank<0>, O> = found.downcast().unwrap();
            assert_eq!(found.item().to_bits(), median, "{signs}");
        }
    }
    let unique = x.unique();
    assert_eq!(unique.shape(), [4]);
    assert_eq!((unique[[0]], unique[[1]], unique[[2]]), (f64::NEG_INFINITY, 0.0, f64::INFINITY));
    assert!(unique[[3]].is_nan());
    assert_eq!(listed(&x.unique_counts().1), [1, 4, 1, 2]);
    // In NumPy, the next three results are 4, 1 and `False`, too.
    assert_eq!(tensor![1.0, 2.0, 2.0, 3.0].searchsorted(tensor![nan], Side::Left).item_at(0), 4);
    assert_eq!(tensor![1.0, nan].searchsorted(tensor![nan], Side::Left).item_at(0), 1);
    assert!(!tensor![nan].isin(tensor![nan])[[0]]);
    assert_eq!(tensor![nan].digitize(tensor![1.0, 2.0], Side::Left)[[0]], 2);
    // Intermediate results do not overflow.
    assert_eq!(tensor![1e308, 1.5e308].median().item(), 1.25e308);
    assert_eq!(tensor![-1e308, 1e308].quantile(0, 0.5, Quantile::Linear).item(), 0.0);
    assert!(tensor![f64::NEG_INFINITY, f64::INFINITY].median().item().is_nan());
    assert_eq!(tensor![i64::MIN, i64::MAX, 0].sort(0), tensor![i64::MIN, 0, i64::MAX]);
    assert_eq!(tensor![3.0f32, 1.0, 2.0, 4.0].median().item(), 2.5f32);
    assert_eq!(tensor![true, false, true].sort(0), tensor![false, true, true]);
}

/// Returns an element of a tensor of rank 1.
trait ItemAt {
    fn item_at(&self, k: usize) -> i64;
}
impl ItemAt for Tensor<i64, Rank<1>> {
    fn item_at(&self, k: usize) -> i64 {
        self[[k]]
    }
}

fn positions_in_memory_order<O: Order>() {
    let x = Matrix::<i32, O>::from([[1, 2], [2, 3]]).unique_with();
    let row_major = O::ROW_MAJOR;
    assert_eq!(listed(&x.values), [1, 2, 3]);
    assert_eq!(listed(&x.first), [0, 1, 3]);
    assert_eq!(listed(&x.inverse), [0, 1, 1, 2]);
    let y = Matrix::<i32, O>::from([[5, 7], [6, 5]]).unique_with();
    assert_eq!(listed(&y.first), if row_major { [0, 2, 1] } else { [0, 1, 2] });
    assert_eq!(listed(&y.inverse), if row_major { [0, 2, 1, 0] } else { [0, 1, 2, 0] });
    // `lexsort` sorts columns by rows in both memory orders.
    assert_eq!(listed(&Matrix::<i32, O>::from([[2, 1, 3, 1], [7, 5, 5, 5]]).lexsort()), [1, 3, 2, 0]);
}

fn empty_tensors<O: Order>() {
    let x = Matrix::<f64, O>::zeros([0, 3]);
    assert_eq!(x.sort(0).shape(), [0, 3]);
    assert_eq!(x.argsort(1).shape(), [0, 3]);
    assert_eq!(x.top_k(1, 2).0.shape(), [0, 2]);
    assert_eq!(x.top_k(0, 0).1.shape(), [0, 3]);
    assert_eq!(x.unique().shape(), [0]);
    assert_eq!(x.unique_with().counts.shape(), [0]);
    assert_eq!(x.median_axis(1).shape(), [0]);
    assert!(matches!(x.try_median(), Err(Error::Empty { op: "median", .. })));
    assert!(matches!(x.try_quantile(0, 0.5, Quantile::Linear), Err(Error::Empty { op: "quantile", .. })));
    assert_eq!(x.quantile(1, [0.5, 0.1], Quantile::Linear).shape(), [0, 2]);
    assert_eq!(Matrix::<f64, O>::zeros([2, 3]).quantile(1, [0.0; 0], Quantile::Linear).shape(), [2, 0]);
    assert_eq!(x.lexsort(), Tensor::<i64, Rank<1>, O>::from_vec([3], vec![0, 1, 2]));
    assert_eq!(Matrix::<f64, O>::zeros([3, 0]).lexsort().shape(), [0]);
}

fn sets<O: Order>() {
    let nan = f64::NAN;
    let x = Matrix::<f64, O>::from([[3.0, nan, -0.0], [1.0, 3.0, nan]]);
    let y = Tensor::<f64, Rank<1>, O>::from([0.0, 5.0, 3.0, nan, f64::NEG_INFINITY]);
    let text = |x: Tensor<f64, Rank<1>, O>| format!("{:?}", x.to_vec());
    // A zero in the result has the sign of the zero in the first operand.
    assert_eq!(text(x.set_union(&y)), "[-inf, -0.0, 1.0, 3.0, 5.0, NaN]");
    assert_eq!(text(y.set_union(&x)), "[-inf, 0.0, 1.0, 3.0, 5.0, NaN]");
    assert_eq!(text(x.set_intersection(&y)), "[-0.0, 3.0]");
    assert_eq!(text(x.set_difference(&y)), "[1.0, NaN]");
    let (a, b) = (DynTensor::from(x.clone()), DynTensor::from(y.clone()));
    let same = |found: Result<DynTensor, Error>, typed: Tensor<f64, Rank<1>, O>| {
        assert_eq!(format!("{:?}", found.unwrap().to_vec::<f64>().unwrap()), text(typed));
    };
    same(a.set_union(&b), x.set_union(&y));
    same(a.set_intersection(&b), x.set_intersection(&y));
    same(a.set_difference(&b), x.set_difference(&y));
    let none = Matrix::<f64, O>::zeros([0, 2]);
    assert_eq!(none.set_union(x.t()).len(), 4);
    assert_eq!(x.set_intersection(&none).len(), 0);
    assert_eq!(x.set_difference(&none).len(), 4);
    assert_eq!(tensor![true, false].set_difference(tensor![false]), tensor![true]);
    assert!(a.set_union(&tensor![1, 2]).is_err());
    // NumPy's results, for residues: `np.union1d(a, b)`, `np.intersect1d(a, b)` and `np.setdiff1d(a, b)`.
    let residues =
        |step: i32| Tensor::<i32, Rank<2>, O>::from_fn([4, 5], |[i, j]| (step * (5 * i + j) as i32) % 23);
    let (a, b) = (residues(3), residues(7));
    assert_eq!(a.set_union(&b).to_vec(), (0..23).collect::<Vec<_>>());
    assert_eq!(a.set_intersection(&b).to_vec(), [0, 1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 15, 18, 19, 21, 22]);
    assert_eq!(a.set_difference(&b).to_vec(), [2, 9, 16]);
}

fn labels<O: Order>() {
    let labels = Matrix::<i64, O>::from([[2, 0], [1, 1], [0, 2]]);
    let expected = |[i, j, k]: [usize; 3]| if labels[[i, j]] == k as i64 { 1 } else { 0 };
    assert_eq!(labels.one_hot::<u8>(4), Tensor::<u8, Rank<3>, O>::from_fn([3, 2, 4], expected));
    assert_eq!(labels.flip([0, 1]).one_hot::<u8>(3), labels.one_hot::<u8>(3).flip([0, 1]));
    let any = DynTensor::from(labels.clone()).one_hot(3, vierbein::DType::C32).unwrap();
    assert_eq!(any.downcast::<vierbein::c32, Rank<3>, O, Cpu>().unwrap(), labels.one_hot(3));
    let message = "cannot encode labels: label 2 is not the number of one of 2 classes, which are counted from 0; \
                   pass a larger number of classes, or replace the label";
    assert_eq!(labels.try_one_hot::<f32>(2).unwrap_err().to_string(), message);
    let errors = [
        DynTensor::from(labels.clone()).one_hot(2, vierbein::DType::F32),
        DynTensor::from(labels.clone()).one_hot(3, vierbein::DType::Bool),
        DynTensor::from(tensor![1]).one_hot(2, vierbein::DType::F32),
    ]
    .map(|found| found.unwrap_err().to_string());
    assert_eq!(errors[0], message);
    assert!(errors[1].contains("bool") && errors[2].contains("i32"), "{errors:?}");
}
