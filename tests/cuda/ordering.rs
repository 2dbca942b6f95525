//! Compares sorting, selection and search on the GPU with the host, for short and long lines, equal elements, NaN, zeros of both signs,
//! and views.

use crate::bits::{Bits, same_bits};
use crate::data::{contiguous, extent, operand, output, scrambled};
use crate::gpu::there;
use vierbein::device::{Device, Sort};
use vierbein::prelude::*;
use vierbein::{Cuda, Ordered, Quantile, Side};

/// Returns shapes of tensors to sort along the last axis. Among the lengths of the lines are some around 8 (one thread sorts 8 elements),
/// some around 2048 (the length of a tile), and some of several tiles.
fn shapes() -> Vec<Vec<usize>> {
    let lengths = [0, 1, 2, 7, 8, 9, 100, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 5000, 8193, 17_000];
    let mut shapes: Vec<Vec<usize>> = lengths.into_iter().map(|n| vec![n]).collect();
    shapes.extend([
        vec![300, 3],
        vec![5, 7, 20],
        vec![3, 2500],
        vec![2, 1500],
        vec![0, 4],
        vec![4, 0],
        vec![700, 1],
    ]);
    shapes
}

/// Returns the strides of a row-major tensor or, if `turned`, of a column-major tensor with gaps.
fn strides(shape: &[usize], turned: bool) -> Vec<isize> {
    if !turned {
        return contiguous(shape);
    }
    let reversed: Vec<usize> = shape.iter().rev().copied().collect();
    contiguous(&reversed).into_iter().rev().map(|stride| 2 * stride).collect()
}

/// The sorted elements, the indices that sort them (as `argsort` returns), the greatest elements, and the indices of these.
type Sorted<T> = (Vec<T>, Vec<i64>, Vec<T>, Vec<i64>);

fn sorted<T: Ordered, Dev: Device + Default + Sort<T>>(
    shape: &[usize],
    turned: bool,
    descending: bool,
    data: &[T],
) -> Sorted<T> {
    let device = Dev::default();
    let strides = strides(shape, turned);
    let mut a = device.adopt(data.to_vec()).unwrap();
    let mut order = device.adopt(vec![-1i64; data.len()]).unwrap();
    // SAFETY: the strides are those of a contiguous tensor, or twice as large, so different indices address different elements.
    let to = unsafe { output(&mut order, 0, shape, &strides) };
    device.argsort(to, operand(&a, 0, shape, &strides), descending).unwrap();
    let (mut best, k) = (shape.to_vec(), shape[shape.len() - 1].min(5));
    *best.last_mut().unwrap() = k;
    let of_best = contiguous(&best);
    let mut values = device.adopt(vec![T::default(); extent(&best, &of_best)]).unwrap();
    let mut places = device.adopt(vec![-1i64; extent(&best, &of_best)]).unwrap();
    // SAFETY: different indices of a contiguous tensor address different elements.
    let to = unsafe { output(&mut values, 0, &best, &of_best) };
    // SAFETY: different indices of a contiguous tensor address different elements.
    let to_places = unsafe { output(&mut places, 0, &best, &of_best) };
    device.top_k(to, to_places, operand(&a, 0, shape, &strides), descending).unwrap();
    // SAFETY: the strides are those of a contiguous tensor, or twice as large, so different indices address different elements.
    device.sort(unsafe { output(&mut a, 0, shape, &strides) }, descending).unwrap();
    let release = |x| device.release(x).unwrap();
    (device.release(a).unwrap(), release(order), device.release(values).unwrap(), release(places))
}

/// Asserts that sorting has the same results on the GPU as on the host. Compares the bits of sorted elements, so −0.0 and 0.0 differ.
fn compare<T: Ordered + Bits>(value: impl Fn(usize) -> T)
where
    Cuda: Sort<T>,
    Cpu: Sort<T>,
{
    for shape in shapes() {
        for turned in [false, true] {
            for descending in [false, true] {
                let data: Vec<T> = (0..extent(&shape, &strides(&shape, turned))).map(&value).collect();
                let host = sorted::<T, Cpu>(&shape, turned, descending, &data);
                let gpu = sorted::<T, Cuda>(&shape, turned, descending, &data);
                let what = format!("{} {shape:?} {turned} {descending}", T::DTYPE);
                assert_eq!(host.1, gpu.1, "argsort of {what}");
                assert!(same_bits(&host.2, &gpu.2) && host.3 == gpu.3, "top_k of {what}");
                assert!(same_bits(&host.0, &gpu.0), "sort of {what}");
            }
        }
    }
}

fn float(k: usize) -> f64 {
    match scrambled(k) % 20 {
        0 => f64::NAN,
        1 => -0.0,
        2 => 0.0,
        3 => f64::INFINITY,
        4 => f64::NEG_INFINITY,
        5 => -1.5,
        other => (scrambled(k + 9) % (100 * other)) as f64 - 300.0,
    }
}

#[test]
fn lines_are_sorted_as_on_the_host() {
    if !there() {
        return;
    }
    compare(float);
    compare(|k| float(k) as f32);
    compare(|k| scrambled(k) as i8);
    compare(|k| (scrambled(k) % 1000) as u16);
    compare(|k| scrambled(k) as i64);
    compare(|k| scrambled(k).is_multiple_of(3));
}

/// Sorting is stable: NaN with different bits keep their order, and so do zeros of different signs.
#[test]
fn sorting_is_stable() {
    if !there() {
        return;
    }
    let n = 5000;
    let of = |k: usize| match scrambled(k) % 3 {
        0 => f64::from_bits(0x7ff8_0000_0000_0000 | k as u64),
        1 => f64::from_bits((scrambled(k + 1) % 2) << 63),
        _ => (scrambled(k) % 7) as f64 - 3.0,
    };
    let data: Vec<f64> = (0..n).map(of).collect();
    for descending in [false, true] {
        let (sorted, order, ..) = sorted::<f64, Cuda>(&[n], false, descending, &data);
        for (k, &i) in order.iter().enumerate() {
            assert_eq!(sorted[k].to_bits(), data[i as usize].to_bits());
        }
        for (k, pair) in order.windows(2).enumerate() {
            let [x, y] = [sorted[k], sorted[k + 1]];
            let in_order = if descending { x > y } else { x < y };
            assert!(in_order || (!x.is_nan() && y.is_nan()) || pair[0] < pair[1], "{x} {y} at {k}");
        }
    }
}

/// Tests typed methods that have no other test in this file.
#[test]
fn selection_and_search() {
    if !there() {
        return;
    }
    fn compute<O: Order, Dev>(n: usize) -> Vec<String>
    where
        Dev: Backend<f64> + Backend<i32> + Default,
    {
        let device = Dev::default();
        let mut all = Vec::new();
        let x = Tensor::<f64, _, O, Dev>::from_slice_in([n], &(0..n).map(float).collect::<Vec<_>>(), &device);
        let few: Vec<i32> = (0..n).map(|k| (scrambled(k) % 50) as i32).collect();
        let few = Tensor::<i32, _, O, Dev>::from_slice_in([n], &few, &device);
        all.push(format!("{:?}", x.unique().to_vec()));
        all.push(format!("{:?}", few.unique().to_vec()));
        all.push(format!("{:?}", few.sort(0).searchsorted(&few.slice(s![..;-1]), Side::Left).to_vec()));
        all.push(format!("{:?}", few.sort(0).searchsorted(&(&few + 1), Side::Right).to_vec()));
        all.push(format!("{:?}", x.sort(0).searchsorted(&x, Side::Right).to_vec()));
        all.push(format!("{:?}", x.isin(x.slice(s![..;3])).to_vec()));
        all.push(format!("{:?}", few.isin(few.slice(s![..;9])).to_vec()));
        let (values, counts) = x.unique_counts();
        all.push(format!("{:?} {:?}", values.to_vec(), counts.to_vec()));
        for unique in [x.unique_with(), x.slice(s![..;-2]).unique_with()] {
            let indices = [unique.first, unique.inverse, unique.counts].map(|indices| indices.to_vec());
            all.push(format!("{:?} {indices:?}", unique.values.to_vec()));
        }
        // Adding 0.0 makes negative zeros positive. Otherwise, the sign of a median that is zero would be unspecified.
        let finite = x.nan_to_num() + 0.0;
        let table = finite.slice(s![..n / 4 * 4]).to_owned().reshape([n / 4, 4]);
        let levels = [0.0, 0.1, 0.37, 0.5, 0.99, 1.0];
        for method in [Quantile::Linear, Quantile::InvertedCdf, Quantile::Hazen] {
            all.push(format!("{:?}", table.quantile(0, levels, method).to_vec()));
            all.push(format!("{:?}", few.quantile(0, levels, method).to_vec()));
            all.push(format!("{:?}", x.quantile(0, 0.3, method).item()));
        }
        all.push(format!("{:?} {:?}", finite.median().item(), x.median().item()));
        all.push(format!("{:?}", table.median_axis(0).to_vec()));
        all.push(format!("{:?}", table.t().slice(s![..;-1, ..]).median_axis(0).to_vec()));
        all.push(format!("{:?}", few.median().item()));
        let rows = few.slice(s![..n / 3 * 3]).to_owned().reshape([3, n / 3]);
        all.push(format!("{:?}", rows.lexsort().to_vec()));
        let middle = x.clone().partition(0, n / 2);
        all.push(format!("{:?}", middle.slice(s![n / 2]).item()));
        all
    }
    for n in [4, 100, 2500, 6000] {
        let host = compute::<RowMajor, Cpu>(n);
        assert_eq!(host, compute::<RowMajor, Cuda>(n), "{n}");
        assert_eq!(host[..7], compute::<ColMajor, Cuda>(n)[..7], "{n}");
    }
}

/// In builds with debug assertions, a search checks that the elements in which it searches are sorted. The GPU and the host must return
/// the same error. In other builds, only the results of searches in sorted elements are specified.
#[test]
fn search_checks_order() {
    if !there() {
        return;
    }
    let nan = f64::NAN;
    for (is_sorted, elements) in [
        (true, &[1.0, 2.0, nan, nan][..]),
        (true, &[-0.0, 0.0, -0.0]),
        (true, &[]),
        (false, &[2.0, 1.0]),
        (false, &[nan, 1.0]),
        (false, &[0.0, 3.0, 2.9]),
    ] {
        let on_host = Tensor::<f64, _>::from_slice([elements.len()], elements);
        let on_gpu = on_host.to_device::<Cuda>().unwrap();
        let expected = on_host.try_searchsorted(&on_host, Side::Left).map(|found| found.to_vec());
        let found = on_gpu.try_searchsorted(&on_gpu, Side::Left).map(|found| found.to_vec());
        assert_eq!(expected.is_ok(), is_sorted || !cfg!(debug_assertions), "{elements:?}");
        if is_sorted || cfg!(debug_assertions) {
            assert_eq!(expected, found, "{elements:?}");
        }
    }
}
