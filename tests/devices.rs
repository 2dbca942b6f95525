//! Runs the same test bodies for each pair of memory order and device. To test another device, add a line to `device_tests!`.
//!
//! The tests create data on the host, copy them to the device and compute there. They copy the results back, and compare them with
//! results of plain loops.

mod common;
#[path = "devices/data.rs"]
mod data;
#[cfg(feature = "cuda")]
#[path = "common/gpu.rs"]
mod gpu;
#[path = "devices/host_memory.rs"]
mod host_memory;
#[path = "devices/lying.rs"]
mod lying;
#[path = "devices/shapes.rs"]
mod shapes;

use common::Remote;
use data::{check, indices, make, p, q, r};
use vierbein::prelude::*;
use vierbein::{
    AnyShape, ConvolutionMode, Pad, Quantile, Side, concatenate, concatenate_into, meshgrid, op, stack,
    try_concatenate,
};

/// The bounds that these tests require of a device. The CPU and every complete third-party device satisfy them.
trait Full: Device + Default + Backend<f64> + Backend<i32> + Backend<Complex<f64>> {}
impl<Dev: Device + Default + Backend<f64> + Backend<i32> + Backend<Complex<f64>>> Full for Dev {}

macro_rules! device_tests {
    ($($name:ident: $O:ty, $Dev:ty $(, if $there:expr)?;)*) => {$(
        mod $name {
            use super::*;
            device_tests!(@bodies $O, $Dev, true $(&& $there)?;
                construction constant_tensors elementwise scalars_on_both_sides owned_operands in_place
                functions complex_numbers comparisons masks select cast
                sums means_and_moments extremes positions running_sums elements_at_positions elements_under_masks
                statistics exponentials_and_their_sums ordering distinct_elements_and_counts traces diagonals
                shape_operations joining rearrangements broadcast_views slicing order_conversion matrix_products products_with_real_operands batched_products
                products_of_views contractions named_products round_trips copies_across assignment_into_views mutable_views empty_tensors rank_0
                preallocated_outputs many_axes);
        }
    )*};
    (@bodies $O:ty, $Dev:ty, $there:expr; $($body:ident)*) => {$(
        #[test]
        fn $body() {
            if $there {
                super::$body::<$O, $Dev>();
            }
        }
    )*};
}

device_tests! {
    cpu_row: RowMajor, Cpu;
    cpu_col: ColMajor, Cpu;
    remote_row: RowMajor, Remote;
    remote_col: ColMajor, Remote;
}

#[cfg(feature = "cuda")]
device_tests! {
    cuda_row: RowMajor, Cuda, if gpu::there();
    cuda_col: ColMajor, Cuda, if gpu::there();
}

/// Runs the tests for CUDA in the CUDA emulator, which needs no GPU.
#[cfg(all(feature = "cuda", target_os = "linux"))]
#[test]
fn cuda_in_the_emulator() {
    gpu::emulate(&["cuda_row::", "cuda_col::"], &[]);
}

// ------------------------------------------------------------------ construction

fn construction<O: Order, Dev: Full>() {
    let dev = Dev::default();
    let x = Tensor::<i32, _, O, Dev>::from_vec([2, 3], vec![0, 1, 2, 3, 4, 5]);
    let flat = |[i, j]: [usize; 2]| if O::ROW_MAJOR { 3 * i + j } else { i + 2 * j };
    check(&x, [2, 3], |i| flat(i) as i32);
    check(&Tensor::<i32, _, O, Dev>::from_slice_in([2, 3], &[0, 1, 2, 3, 4, 5], &dev), [2, 3], |i| {
        flat(i) as i32
    });
    check(&Tensor::<f64, _, O, Dev>::from_fn([3, 4], p), [3, 4], p);
    check(&Tensor::<i32, _, O, Dev>::from([[1, 2], [3, 4]]), [2, 2], |[i, j]| (2 * i + j + 1) as i32);
    check(&Tensor::<i32, _, O, Dev>::arange(3..8), [5], |[i]| i as i32 + 3);
    let (from, to) = (9, 0);
    check(&Tensor::<i32, _, O, Dev>::arange_step(from, to, -4), [3], |[i]| 9 - 4 * i as i32);
    check(&Tensor::<f64, _, O, Dev>::linspace(1.0, 2.0, 5), [5], |[i]| 1.0 + 0.25 * i as f64);
    assert_eq!(x.into_vec(), [0, 1, 2, 3, 4, 5]);
}

fn constant_tensors<O: Order, Dev: Full>() {
    check(&Tensor::<f64, _, O, Dev>::zeros([2, 3]), [2, 3], |_| 0.0);
    check(&Tensor::<bool, _, O, Dev>::zeros([2]), [2], |_| false);
    check(&Tensor::<i32, _, O, Dev>::ones([2, 1, 3]), [2, 1, 3], |_| 1);
    check(&Tensor::<i32, _, O, Dev>::full([4], -7), [4], |_| -7);
    check(&Tensor::<f64, _, O, Dev>::eye(3), [3, 3], |[i, j]| if i == j { 1.0 } else { 0.0 });
    let diagonal = make::<f64, _, O, Dev>([3], |[i]| i as f64 + 1.0);
    let expected = |[i, j]: [usize; 2]| if i == j { i as f64 + 1.0 } else { 0.0 };
    check(&Tensor::from_diagonal(&diagonal), [3, 3], expected);
}

// ------------------------------------------------------------------ elementwise

fn elementwise<O: Order, Dev: Full>() {
    let (a, b) = (make::<_, _, O, Dev>([3, 4], p), make::<_, _, O, Dev>([3, 4], q));
    check(&(&a + &b), [3, 4], |i| p(i) + q(i));
    check(&(&a - &b), [3, 4], |i| p(i) - q(i));
    check(&(&a * &b), [3, 4], |i| p(i) * q(i));
    check(&(&a / &b), [3, 4], |i| p(i) / q(i));
    check(&(&a % &b), [3, 4], |i| p(i) % q(i));
    check(&-&a, [3, 4], |i| -p(i));
    check(&(a.t() + b.t()), [4, 3], |[i, j]| p([j, i]) + q([j, i]));
    check(&(a.slice(s![..;-1, 1..;2]) * b.slice(s![.., ..2])), [3, 2], |[i, j]| {
        p([2 - i, 1 + 2 * j]) * q([i, j])
    });
    // Broadcasts an operand of lower rank, whose axis is aligned according to the memory order. Then broadcasts axes of extent 1.
    let n = if O::ROW_MAJOR { 4 } else { 3 };
    let v = make::<_, _, O, Dev>([n], |[k]| k as f64);
    let along = |[i, j]: [usize; 2]| if O::ROW_MAJOR { j as f64 } else { i as f64 };
    check(&(&a + &v), [3, 4], |i| p(i) + along(i));
    check(&(&v - &a), [3, 4], |i| along(i) - p(i));
    let (column, row) = (make::<_, _, O, Dev>([3, 1], p), make::<_, _, O, Dev>([1, 4], q));
    check(&(&column * &row), [3, 4], |[i, j]| p([i, 0]) * q([0, j]));
    check(&(&a - &Tensor::scalar(2.0)), [3, 4], |i| p(i) - 2.0);
    check(&(&Tensor::<f64, _, O, Dev>::scalar(2.0) - &a), [3, 4], |i| 2.0 - p(i));
}

fn scalars_on_both_sides<O: Order, Dev: Full>() {
    let a = make::<_, _, O, Dev>([3, 4], q);
    check(&(&a + 2.0), [3, 4], |i| q(i) + 2.0);
    check(&(&a % 3.0), [3, 4], |i| q(i) % 3.0);
    check(&(2.0 - &a), [3, 4], |i| 2.0 - q(i));
    check(&(6.0 / &a), [3, 4], |i| 6.0 / q(i));
    check(&(2.0 * a.t()), [4, 3], |[i, j]| 2.0 * q([j, i]));
    let n = make::<_, _, O, Dev>([4], |[i]| i as i32 + 1);
    check(&(7 % &n), [4], |[i]| 7 % (i as i32 + 1));
    check(&(n - 10), [4], |[i]| i as i32 - 9);
}

/// The result may reuse the buffer of an owned operand with the same shape. The values must be the same as for borrowed operands.
fn owned_operands<O: Order, Dev: Full>() {
    let (a, b) = (make::<_, _, O, Dev>([3, 4], p), make::<_, _, O, Dev>([3, 4], q));
    let small = make::<_, _, O, Dev>([1, 4], q);
    check(&(a.clone() - &b), [3, 4], |i| p(i) - q(i));
    check(&(&a - b.clone()), [3, 4], |i| p(i) - q(i));
    check(&(a.clone() - b.clone()), [3, 4], |i| p(i) - q(i));
    check(&(small.clone() - a.clone()), [3, 4], |[i, j]| q([0, j]) - p([i, j]));
    check(&(a.clone() / small.clone()), [3, 4], |[i, j]| p([i, j]) / q([0, j]));
    check(&(small.clone() - make::<_, _, O, Dev>([3, 1], p)), [3, 4], |[i, j]| q([0, j]) - p([i, 0]));
    check(&(1.0 - (a.clone() * 2.0)), [3, 4], |i| 1.0 - 2.0 * p(i));
    check(&-a.clone(), [3, 4], |i| -p(i));
    // The cloned operands are unchanged.
    check(&a, [3, 4], p);
    check(&b, [3, 4], q);
    check(&small, [1, 4], q);
}

fn in_place<O: Order, Dev: Full>() {
    let b = make::<_, _, O, Dev>([3, 4], q);
    let mut a = make::<_, _, O, Dev>([3, 4], p);
    a += &b;
    a -= 1.0;
    a *= &Tensor::scalar(2.0);
    check(&a, [3, 4], |i| 2.0 * (p(i) + q(i) - 1.0));
    a.assign(&b);
    a /= make::<_, _, O, Dev>([1, 4], q);
    check(&a, [3, 4], |[i, j]| q([i, j]) / q([0, j]));
    a.fill(7.0);
    a %= &b;
    check(&a, [3, 4], |i| 7.0 % q(i));
    a.add_scaled(-2.0, &b);
    check(&a, [3, 4], |i| 7.0 % q(i) - 2.0 * q(i));
    a.apply_inplace(op::Neg);
    check(&a, [3, 4], |i| 2.0 * q(i) - 7.0 % q(i));
}

fn functions<O: Order, Dev: Full>() {
    let (a, b) = (make::<_, _, O, Dev>([3, 4], p), make::<_, _, O, Dev>([3, 4], q));
    check(&a.abs(), [3, 4], |i| p(i).abs());
    check(&a.square().t(), [4, 3], |[i, j]| p([j, i]) * p([j, i]));
    check(&b.square().sqrt(), [3, 4], q);
    check(&a.t().cube(), [4, 3], |[i, j]| p([j, i]) * p([j, i]) * p([j, i]));
    check(&a.relu(), [3, 4], |i| p(i).max(0.0));
    check(&a.sigmoid().lt(0.5), [3, 4], |i| p(i) < 0.0);
    check(&(&a.erf() + &a.erfc()).round(), [3, 4], |_| 1.0);
    check(&a.signum(), [3, 4], |i| if p(i) == 0.0 { 0.0 } else { p(i).signum() });
    check(&a.powi(3), [3, 4], |i| p(i) * p(i) * p(i));
    check(&a.clamp(-2.0, 2.0), [3, 4], |i| p(i).clamp(-2.0, 2.0));
    check(&a.maximum(&b), [3, 4], |i| p(i).max(q(i)));
    check(&b.copysign(&a), [3, 4], |i| q(i).copysign(p(i)));
    check(&a.is_close(&b, 0.0, 2.0), [3, 4], |i| (p(i) - q(i)).abs() <= 2.0);
    check(&(&a / 8.0).round_to(2), [3, 4], |i| (p(i) * 12.5).round_ties_even() / 100.0);
    check(&a.minimum(0.0), [3, 4], |i| p(i).min(0.0));
    check(&(&b / 2.0).floor(), [3, 4], |i| (q(i) / 2.0).floor());
    check(&a.apply2(op::Sub, &b), [3, 4], |i| p(i) - q(i));
    check(&make::<_, _, O, Dev>([4], |[i]| i as i32 - 2).abs(), [4], |[i]| (i as i32 - 2).abs());
}

fn complex_numbers<O: Order, Dev: Full>() {
    let z = |i: [usize; 2]| Complex::new(p(i), q(i));
    let x = make::<_, _, O, Dev>([3, 4], z);
    check(&x.re(), [3, 4], p);
    check(&x.im(), [3, 4], q);
    check(&x.conj(), [3, 4], |i| Complex::new(p(i), -q(i)));
    check(&(&x * &x.conj()).re(), [3, 4], |i| p(i) * p(i) + q(i) * q(i));
    check(&(x.t() * Complex::new(0.0, 1.0)), [4, 3], |[i, j]| Complex::new(-q([j, i]), p([j, i])));
    check(&make::<_, _, O, Dev>([1], |_| Complex::new(3.0, 4.0)).abs(), [1], |_| 5.0);
}

fn comparisons<O: Order, Dev: Full>() {
    let (a, b) = (make::<_, _, O, Dev>([3, 4], p), make::<_, _, O, Dev>([3, 4], q));
    check(&a.lt(&b), [3, 4], |i| p(i) < q(i));
    check(&a.le(1.0), [3, 4], |i| p(i) <= 1.0);
    check(&a.gt(&b.slice(s![..1, ..])), [3, 4], |[i, j]| p([i, j]) > q([0, j]));
    check(&a.ge(&b), [3, 4], |i| p(i) >= q(i));
    check(&a.equal(-5.0), [3, 4], |i| p(i) == -5.0);
    check(&a.not_equal(&b), [3, 4], |i| p(i) != q(i));
    let odd = make::<_, _, O, Dev>([3], |[i]| [f64::NAN, f64::INFINITY, 1.0][i]);
    check(&odd.is_nan(), [3], |[i]| i == 0);
    check(&odd.is_infinite(), [3], |[i]| i == 1);
    check(&odd.is_finite(), [3], |[i]| i == 2);
}

fn masks<O: Order, Dev: Full>() {
    let a = make::<_, _, O, Dev>([3, 4], p);
    let (low, high) = (a.lt(-1.0), a.gt(3.0));
    let (l, h) = (|i| p(i) < -1.0, |i| p(i) > 3.0);
    check(&(&low | &high), [3, 4], |i| l(i) || h(i));
    check(&(&low ^ &!&high), [3, 4], |i| l(i) ^ !h(i));
    check(&(low.t() & high.t()), [4, 3], |[i, j]| l([j, i]) && h([j, i]));
    assert!(low.any().item() && !low.all().item());
    check(&low.any_axis(0), [4], |[j]| (0..3).any(|i| l([i, j])));
    check(&(!&high).all_keepdims(1), [3, 1], |[i, _]| (0..4).all(|j| !h([i, j])));
    assert!(low.equal(&low).all_axes([0, 1]).item());
}

fn select<O: Order, Dev: Full>() {
    let (a, b) = (make::<_, _, O, Dev>([3, 4], p), make::<_, _, O, Dev>([3, 4], q));
    let mask = a.gt(0.0);
    check(&mask.select(&a, &b), [3, 4], |i| if p(i) > 0.0 { p(i) } else { q(i) });
    check(&mask.select(Tensor::scalar(1.0), &a), [3, 4], |i| if p(i) > 0.0 { 1.0 } else { p(i) });
    let (row, column) = (a.slice(s![..1, ..]), b.slice(s![.., ..1]));
    let expected = |[i, j]: [usize; 2]| if p([0, j]) > 0.0 { q([i, 0]) } else { p([0, j]) };
    check(&row.gt(0.0).select(column, &row), [3, 4], expected);
}

fn cast<O: Order, Dev: Full>() {
    let a = make::<_, _, O, Dev>([3, 4], p);
    check(&(&a / 2.0).cast::<i32>(), [3, 4], |i| (p(i) / 2.0) as i32);
    check(&a.t().cast::<Complex<f64>>(), [4, 3], |[i, j]| Complex::new(p([j, i]), 0.0));
    check(&a.gt(0.0).cast::<i32>(), [3, 4], |i| i32::from(p(i) > 0.0));
    check(&make::<_, _, O, Dev>([3], |[i]| i as i32).cast::<f64>(), [3], |[i]| i as f64);
}

// ------------------------------------------------------------------ reductions

fn sums<O: Order, Dev: Full>() {
    let x = make::<_, _, O, Dev>([2, 3, 4], r);
    let all = indices::<Rank<3>, O>([2, 3, 4]);
    check(&x.sum(), [], |_| all.iter().map(|&i| r(i)).sum());
    check(&x.sum_axis(0), [3, 4], |[j, k]| r([0, j, k]) + r([1, j, k]));
    check(&x.sum_axis(Axis::<2>), [2, 3], |[i, j]| (0..4).map(|k| r([i, j, k])).sum());
    let over_ik = |j: usize| -> f64 { (0..2).flat_map(|i| (0..4).map(move |k| r([i, j, k]))).sum() };
    check(&x.sum_axes([0, 2]), [3], |[j]| over_ik(j));
    check(&x.sum_axes([2, 0]), [3], |[j]| over_ik(j));
    check(&x.sum_keepdims([0, 2]), [1, 3, 1], |[_, j, _]| over_ik(j));
    check(&x.sum_keepdims(1), [2, 1, 4], |[i, _, k]| (0..3).map(|j| r([i, j, k])).sum());
    check(&x.permute([2, 0, 1]).sum_axis(1), [4, 3], |[k, j]| r([0, j, k]) + r([1, j, k]));
    check(&x.slice(s![1, ..;-1, ..]).prod_axis(0), [4], |[k]| (0..3).map(|j| r([1, j, k])).product());
    let n = make::<_, _, O, Dev>([2, 3], |[i, j]| (3 * i + j) as i32 + 1);
    assert_eq!((n.sum().item(), n.prod().item(), n.prod_axes([0, 1]).item()), (21, 720, 720));
    check(&n.prod_keepdims(0), [1, 3], |[_, j]| (j as i32 + 1) * (j as i32 + 4));
}

fn means_and_moments<O: Order, Dev: Full>() {
    // In row i, the values are c − 3, c − 1, c + 1, c + 3 with c = 10 i. Their mean is c, and the squared deviations are 9, 1, 1 and 9.
    let value = |[i, j]: [usize; 2]| 10.0 * i as f64 + 2.0 * j as f64 - 3.0;
    let x = make::<_, _, O, Dev>([2, 4], value);
    check(&x.mean_axis(1), [2], |[i]| 10.0 * i as f64);
    check(&x.mean_keepdims(1), [2, 1], |[i, _]| 10.0 * i as f64);
    check(&x.mean(), [], |_| 5.0);
    check(&x.var_axis(1, 0), [2], |_| 5.0);
    check(&x.var_keepdims(1, 1), [2, 1], |_| 20.0 / 3.0);
    check(&x.var(0), [], |_| 30.0);
    check(&x.std_axis(0, 0), [4], |_| 5.0);
    check(&x.cast::<i32>().mean_axis(0), [4], |[j]| 2.0 * j as f64 + 2.0);
    check(&make::<_, _, O, Dev>([2, 1], |[i, _]| 3.0 + i as f64).norm_axes([0, 1]), [], |_| 5.0);
    let z = make::<_, _, O, Dev>([2], |[i]| [Complex::new(0.0, 3.0), Complex::new(4.0, 0.0)][i]);
    let norm: f64 = z.norm().item();
    let variance: f64 = z.var(0).item();
    assert_eq!((norm, variance, z.mean().item()), (5.0, 6.25, Complex::new(2.0, 1.5)));
}

fn extremes<O: Order, Dev: Full>() {
    let x = make::<_, _, O, Dev>([2, 3, 4], r);
    let fold = |values: Vec<f64>, f: fn(f64, f64) -> f64| values.into_iter().reduce(f).unwrap();
    let all = || indices::<Rank<3>, O>([2, 3, 4]).into_iter().map(r).collect();
    check(&x.max(), [], |_| fold(all(), f64::max));
    check(&x.min(), [], |_| fold(all(), f64::min));
    check(&x.max_axis(1), [2, 4], |[i, k]| fold((0..3).map(|j| r([i, j, k])).collect(), f64::max));
    check(&x.min_axis(2), [2, 3], |[i, j]| fold((0..4).map(|k| r([i, j, k])).collect(), f64::min));
    check(&x.max_keepdims([1, 2]), [2, 1, 1], |[i, ..]| {
        fold((0..12).map(|m| r([i, m / 4, m % 4])).collect(), f64::max)
    });
    check(&x.reverse_axes().min_axes([2, 1]), [4], |[k]| {
        fold((0..6).map(|m| r([m / 3, m % 3, k])).collect(), f64::min)
    });
    assert_eq!(make::<i32, _, O, Dev>([5], |[i]| [3, -9, 4, 4, 0][i]).min().item(), -9);
}

/// If several elements equal the extremum, the result is the index of the first one, counted in memory order over the reduced axes.
fn positions<O: Order, Dev: Full>() {
    let x = make::<_, _, O, Dev>([2, 3, 4], r);
    let first = |values: Vec<f64>| {
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        values.iter().position(|&v| v == largest).unwrap() as i64
    };
    check(&x.argmax(), [], |_| first(indices::<Rank<3>, O>([2, 3, 4]).into_iter().map(r).collect()));
    check(&x.argmax_axis(1), [2, 4], |[i, k]| first((0..3).map(|j| r([i, j, k])).collect()));
    check(&(-&x).argmin_keepdims(2), [2, 3, 1], |[i, j, _]| first((0..4).map(|k| r([i, j, k])).collect()));
    check(&x.argmax_axes([0, 2]), [3], |[j]| {
        first(indices::<Rank<2>, O>([2, 4]).into_iter().map(|[i, k]| r([i, j, k])).collect())
    });
    let equal = Tensor::<i32, _, O, Dev>::full([3, 3], 2);
    assert_eq!((equal.argmax().item(), equal.t().argmin().item()), (0, 0));
    // The first `true` and the first `false`.
    let mask = make::<bool, _, O, Dev>([2, 5], |[i, j]| j > 1 + i);
    let flat =
        |at: [usize; 2]| indices::<Rank<2>, O>([2, 5]).into_iter().position(|k| k == at).unwrap() as i64;
    assert_eq!((mask.argmax().item(), mask.argmin().item()), (flat([0, 2]), 0));
    check(&mask.argmax_axis(1), [2], |[i]| 2 + i as i64);
    check(&mask.argmin_keepdims(0), [1, 5], |[_, j]| i64::from(j == 2));
}

fn running_sums<O: Order, Dev: Full>() {
    let x = make::<_, _, O, Dev>([2, 3, 4], r);
    check(&x.cumsum(1), [2, 3, 4], |[i, j, k]| (0..=j).map(|j| r([i, j, k])).sum());
    check(&x.cumsum(0).cumsum(Axis::<2>), [2, 3, 4], |[i, j, k]| {
        (0..=i).flat_map(|i| (0..=k).map(move |k| r([i, j, k]))).sum()
    });
    check(&x.slice(s![.., 0, ..;-1]).cumprod(1), [2, 4], |[i, k]| {
        (0..=k).map(|k| r([i, 0, 3 - k])).product()
    });
    check(&make::<_, _, O, Dev>([4], |[i]| i as i32 + 1).cumprod(0), [4], |[i]| (1..=i as i32 + 1).product());
}

fn elements_at_positions<O: Order, Dev: Full>() {
    let x = make::<_, _, O, Dev>([2, 3, 4], r);
    let at = make::<_, _, O, Dev>([2, 2], |[i, j]| [[0i64, -1], [1, 1]][i][j]);
    let place = |i: usize, j: usize| [[0, 2], [1, 1]][i][j];
    check(&x.take(1, &at), [2, 2, 2, 4], |[i, j, k, l]| r([i, place(j, k), l]));
    check(&x.slice(s![1, ..;-1, ..]).take(0, [0, -1]), [2, 4], |[i, j]| r([1, 2 - 2 * i, j]));
    check(&x.take_along_axis(2, x.argmax_keepdims(2)), [2, 3, 1], |[i, j, _]| {
        (0..4).map(|k| r([i, j, k])).fold(f64::NEG_INFINITY, f64::max)
    });
    check(&x.at([[1, 2, 3], [0, -1, 1]]), [2], |[k]| r([[1, 2, 3], [0, 2, 1]][k]));
    let mut sums = make::<_, _, O, Dev>([2, 3], p);
    sums.scatter_add(1, [2, 0, 2], make::<_, _, O, Dev>([2, 3], q));
    check(&sums, [2, 3], |[i, j]| {
        p([i, j]) + (0..3).filter(|&k| [2, 0, 2][k] == j).map(|k| q([i, k])).sum::<f64>()
    });
    sums.put_along_axis(1, make::<_, _, O, Dev>([2, 1], |[i, _]| i as i64 - 1), Tensor::scalar(9.0));
    check(&sums.slice(s![0, 2]), [], |_| 9.0);
    check(&sums.slice(s![1, 0]), [], |_| 9.0);
    assert!(x.try_take(0, [2]).is_err() && sums.try_scatter_add(0, [-3], Tensor::scalar(1.0)).is_err());
}

fn elements_under_masks<O: Order, Dev: Full>() {
    let x = make::<_, _, O, Dev>([4, 5], p);
    let positive: Vec<[usize; 2]> =
        indices::<Rank<2>, O>([4, 5]).into_iter().filter(|&index| p(index) > 0.0).collect();
    check(&x.masked(x.gt(0.0)), [positive.len()], |[k]| p(positive[k]));
    check(&x.gt(0.0).nonzero(), [positive.len(), 2], |[k, axis]| positive[k][axis] as i64);
    check(&x.t().compress(1, make::<_, _, O, Dev>([4], |[i]| i % 2 == 1)), [5, 2], |[i, j]| {
        p([2 * j + 1, i])
    });
    let mut y = x.clone();
    y.masked_fill(x.gt(0.0), 7.0);
    check(&y, [4, 5], |index| if p(index) > 0.0 { 7.0 } else { p(index) });
    y.masked_assign(x.gt(0.0), x.masked(x.gt(0.0)) * 2.0);
    check(&y, [4, 5], |index| if p(index) > 0.0 { 2.0 * p(index) } else { p(index) });
}

fn statistics<O: Order, Dev: Full>() {
    let x = make::<_, _, O, Dev>([2, 3, 4], r);
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::NEG_INFINITY, f64::max);
    check(&x.cummax(1), [2, 3, 4], |[i, j, k]| largest(&mut (0..=j).map(|j| r([i, j, k]))));
    check(&x.cummin(-1), [2, 3, 4], |[i, j, k]| -largest(&mut (0..=k).map(|k| -r([i, j, k]))));
    check(&x.trapezoid(1, 2.0), [2, 4], |[i, k]| r([i, 0, k]) + 2.0 * r([i, 1, k]) + r([i, 2, k]));
    let (xp, fp) = (make::<_, _, O, Dev>([5], |[i]| 4.0 * i as f64 - 8.0), make([5], |[i]| 8.0 * i as f64));
    check(&x.interp(&xp, fp.view()), [2, 3, 4], |at| 2.0 * r(at).clamp(-8.0, 8.0) + 16.0);
    let m = make::<_, _, O, Dev>([2, 3], |[i, j]| [[0, 1, 2], [5, 1, 3]][i][j]);
    check(&m.cov(1), [2, 2], |[i, j]| [[1.0, -1.0], [-1.0, 4.0]][i][j]);
    check(&m.corrcoef(), [2, 2], |[i, j]| [[1.0, -0.5], [-0.5, 1.0]][i][j]);
    let spread =
        |v: [f64; 3]| v.into_iter().fold(f64::MIN, f64::max) - v.into_iter().fold(f64::MAX, f64::min);
    check(&x.ptp_axis(1), [2, 4], |[i, k]| spread([0, 1, 2].map(|j| r([i, j, k]))));
    let gap = |at: [usize; 3]| if at[1] == 1 { f64::NAN } else { r(at) };
    let y = make::<_, _, O, Dev>([2, 3, 4], gap);
    let plain = |x: f64, other: f64| if x.is_nan() { other } else { x };
    check(&y.nan_cumsum(1), [2, 3, 4], |[i, j, k]| (0..=j).map(|j| plain(gap([i, j, k]), 0.0)).sum());
    check(&y.nan_cumprod(1), [2, 3, 4], |[i, j, k]| (0..=j).map(|j| plain(gap([i, j, k]), 1.0)).product());
    check(&y.nan_sum_axis(1), [2, 4], |[i, k]| r([i, 0, k]) + r([i, 2, k]));
    check(&y.nan_mean_axis(1), [2, 4], |[i, k]| (r([i, 0, k]) + r([i, 2, k])) / 2.0);
    check(&y.nan_max_axis(1), [2, 4], |[i, k]| r([i, 0, k]).max(r([i, 2, k])));
    check(&y.nan_min_axis(1), [2, 4], |[i, k]| r([i, 0, k]).min(r([i, 2, k])));
    check(&y.nan_prod_axis(1), [2, 4], |[i, k]| r([i, 0, k]) * r([i, 2, k]));
    let half = |i: usize, k: usize| 0.5 * f64::abs(r([i, 0, k]) - r([i, 2, k]));
    check(&y.nan_var_axis(1, 0), [2, 4], |[i, k]| half(i, k) * half(i, k));
    check(&y.nan_std_axis(1, 0), [2, 4], |[i, k]| half(i, k));
    check(&y.nan_argmax_axis(1), [2, 4], |[i, k]| if r([i, 2, k]) > r([i, 0, k]) { 2 } else { 0 });
    check(&y.nan_argmin_axis(1), [2, 4], |[i, k]| if r([i, 2, k]) < r([i, 0, k]) { 2 } else { 0 });
    check(&y.nan_to_num_with(7.0, 8.0, 9.0), [2, 3, 4], |at| if at[1] == 1 { 7.0 } else { r(at) });
    check(&y.nan_to_num(), [2, 3, 4], |at| if at[1] == 1 { 0.0 } else { r(at) });
    let weights = make::<_, _, O, Dev>([3], |[j]| [1.0, 2.0, 1.0][j]);
    check(&x.average(1, &weights), [2, 4], |[i, k]| (r([i, 0, k]) + 2.0 * r([i, 1, k]) + r([i, 2, k])) / 4.0);
    check(&weights.polyval(&x), [2, 3, 4], |at| (r(at) + 2.0) * r(at) + 1.0);
    let pair = make::<_, _, O, Dev>([1, 2, 1], |[_, j, _]| [2.0, -1.0][j]);
    let valid = ConvolutionMode::Valid;
    check(&x.convolve(&pair, valid), [2, 2, 4], |[i, j, k]| 2.0 * r([i, j + 1, k]) - r([i, j, k]));
    check(&x.correlate(&pair, valid), [2, 2, 4], |[i, j, k]| 2.0 * r([i, j, k]) - r([i, j + 1, k]));
    let z = make::<_, _, O, Dev>([1, 3, 1], |[_, j, _]| [1.0, -2.0, 3.0][j]);
    check(&x.cross(1, &z), [2, 3, 4], |[i, j, k]| {
        let (next, last) = ((j + 1) % 3, (j + 2) % 3);
        r([i, next, k]) * [1.0, -2.0, 3.0][last] - r([i, last, k]) * [1.0, -2.0, 3.0][next]
    });
    let (m, of) = (make::<_, _, O, Dev>([2, 2], |[i, j]| [[3, 1], [3, 2]][i][j]), make([2], |[i]| [5, 1][i]));
    check(&m.set_union(&of), [4], |[k]| [1, 2, 3, 5][k]);
    check(&m.set_intersection(&of), [1], |_| 1);
    check(&m.set_difference(&of), [2], |[k]| [2, 3][k]);
    let labels = make::<_, _, O, Dev>([3], |[k]| [1_i64, 0, 3][k]);
    check(&labels.one_hot::<f64>(4), [3, 4], |[i, k]| f64::from([1, 0, 3][i] == k));
    #[cfg(feature = "fft")]
    convolutions_by_transforms::<O, Dev>();
}

#[cfg(feature = "fft")]
fn convolutions_by_transforms<O: Order, Dev: Full>() {
    let x = make::<_, _, O, Dev>([4], |[k]| [1.0, 3.0, -2.0, 5.0][k]);
    let kernel = make::<_, _, O, Dev>([2], |[k]| [2.0, -1.0][k]);
    let near = |found: Tensor<f64, Rank<1>, O, Dev>, expected: [f64; 3]| {
        let found = found.to_device::<Cpu>().unwrap().to_vec();
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-13), "{found:?} {expected:?}");
    };
    near(x.fft_convolve(&kernel, ConvolutionMode::Valid), [5.0, -7.0, 12.0]);
    near(x.fft_correlate(&kernel, ConvolutionMode::Valid), [-1.0, 8.0, -9.0]);
}

/// The results contain exponentials and logarithms, which devices round differently.
/// Functions that write to every second row and, in reverse order, to every second column of a larger tensor.
fn preallocated_outputs<O: Order, Dev: Full>() {
    fn written<O: Order, Dev: Full>(
        [rows, columns]: [usize; 2],
        write: impl FnOnce(&mut TensorViewMut<'_, f64, Rank<2>, O, Dev>),
    ) -> Tensor<f64, Rank<2>, O, Dev> {
        let mut wide = make::<_, _, O, Dev>([2 * rows, 2 * columns], |_| 0.5);
        write(&mut wide.slice_mut(s![..;2, 1..;-2]));
        check(&wide.slice(s![1..;2, ..]).to_owned(), [rows, 2 * columns], |_| 0.5);
        check(&wide.slice(s![.., ..;2]).to_owned(), [2 * rows, columns], |_| 0.5);
        wide.slice(s![..;2, 1..;-2]).to_owned()
    }
    let x = make::<_, _, O, Dev>([2, 3, 4], r);
    let y = written([2, 4], |out| x.trapezoid_into(1, 2.0, out));
    check(&y, [2, 4], |[i, k]| r([i, 0, k]) + 2.0 * r([i, 1, k]) + r([i, 2, k]));
    let weights = make::<_, _, O, Dev>([3], |[j]| [1.0, 2.0, 1.0][j]);
    let y = written([2, 4], |out| x.average_into(1, &weights, out));
    check(&y, [2, 4], |[i, k]| (r([i, 0, k]) + 2.0 * r([i, 1, k]) + r([i, 2, k])) / 4.0);
    let middle = |v: [f64; 3]| {
        v.into_iter().sum::<f64>()
            - v.into_iter().fold(f64::MIN, f64::max)
            - v.into_iter().fold(f64::MAX, f64::min)
    };
    let y = written([2, 4], |out| x.median_into(1, out));
    check(&y, [2, 4], |[i, k]| middle([0, 1, 2].map(|j| r([i, j, k]))));
    let y = written([2, 4], |out| x.nan_median_into(1, out));
    check(&y, [2, 4], |[i, k]| middle([0, 1, 2].map(|j| r([i, j, k]))));
    let far = make::<_, _, O, Dev>([2, 1, 3], |[_, _, j]| if j == 1 { 1000.0 } else { f64::NEG_INFINITY });
    check(&written([2, 1], |out| far.logsumexp_into([2], out)), [2, 1], |_| 1000.0);

    let m = make::<_, _, O, Dev>([2, 3], |[i, j]| [[0, 1, 2], [5, 1, 3]][i][j]);
    let y = written([2, 2], |out| m.cov_into(1, out));
    check(&y, [2, 2], |[i, j]| [[1.0, -1.0], [-1.0, 4.0]][i][j]);
    let y = written([2, 2], |out| m.corrcoef_into(out));
    check(&y, [2, 2], |[i, j]| [[1.0, -0.5], [-0.5, 1.0]][i][j]);
    let (xp, fp) = (make::<_, _, O, Dev>([5], |[i]| 4.0 * i as f64 - 8.0), make([5], |[i]| 8.0 * i as f64));
    let m = make::<_, _, O, Dev>([4, 5], p);
    let y = written([4, 5], |out| m.interp_into(&xp, &fp, out));
    check(&y, [4, 5], |at| 2.0 * p(at).clamp(-8.0, 8.0) + 16.0);
    let labels = make::<_, _, O, Dev>([3], |[k]| [1_i64, 0, 3][k]);
    let y = written([3, 4], |out| labels.one_hot_into(4, out));
    check(&y, [3, 4], |[i, k]| f64::from([1, 0, 3][i] == k));
    let mut counts = make::<_, _, O, Dev>([4], |_| 7_i64);
    labels.histogram_into(&[0.0, 1.0, 3.0], &mut counts.slice_mut(s![1..;-2]));
    check(&counts, [4], |[k]| [7, 2, 7, 1][k]);
}

fn exponentials_and_their_sums<O: Order, Dev: Full>() {
    fn near<D: Dim, O: Order, Dev: Device>(
        found: &Tensor<f64, D, O, Dev>,
        shape: D::Shape,
        expected: impl Fn(D::Shape) -> f64,
    ) {
        assert_eq!(found.shape(), shape);
        for (index, x) in indices::<D, O>(shape).into_iter().zip(found.to_vec()) {
            assert!((x - expected(index)).abs() < 1e-13, "{x} instead of {} at {index:?}", expected(index));
        }
    }
    let x = make::<_, _, O, Dev>([3, 4], p);
    let row = |i: usize| (0..4).map(|j| p([i, j]).exp()).sum::<f64>();
    let column = |j: usize| (0..3).map(|i| p([i, j]).exp()).sum::<f64>();
    let all = (0..3).map(row).sum::<f64>();
    near(&x.softmax(1), [3, 4], |[i, j]| p([i, j]).exp() / row(i));
    near(&x.t().softmax(1), [4, 3], |[j, i]| p([i, j]).exp() / column(j));
    near(&x.softmax([0, 1]), [3, 4], |at| p(at).exp() / all);
    near(&x.log_softmax(0), [3, 4], |[i, j]| p([i, j]) - column(j).ln());
    near(&x.logsumexp(), [], |_| all.ln());
    near(&x.logsumexp_axis(1), [3], |[i]| row(i).ln());
    near(&x.logsumexp_axes([0, 1]), [], |_| all.ln());
    near(&x.logsumexp_keepdims(0), [1, 4], |[_, j]| column(j).ln());
    // The exponentials of these numbers overflow, or are zero.
    let far = make::<_, _, O, Dev>([3], |[i]| [1000.0, f64::NEG_INFINITY, 1000.0][i]);
    check(&far.softmax(0), [3], |[i]| [0.5, 0.0, 0.5][i]);
    near(&(far.logsumexp() - 1000.0), [], |_| 2f64.ln());
}

fn ordering<O: Order, Dev: Full>() {
    let x = make::<f64, _, O, Dev>([2, 4], |[i, j]| [[3.0, -1.0, 4.0, 3.0], [0.0, 2.0, -5.0, 2.0]][i][j]);
    let ascending = |[i, j]: [usize; 2]| [[-1.0, 3.0, 3.0, 4.0], [-5.0, 0.0, 2.0, 2.0]][i][j];
    check(&x.sort(1), [2, 4], ascending);
    check(&x.t().sort(0), [4, 2], |[j, i]| ascending([i, j]));
    check(&x.sort(0), [2, 4], |[i, j]| [[0.0, -1.0, -5.0, 2.0], [3.0, 2.0, 4.0, 3.0]][i][j]);
    check(&x.sort_descending(1), [2, 4], |[i, j]| ascending([i, 3 - j]));
    check(&x.cast::<i32>().sort(1), [2, 4], |at| ascending(at) as i32);
    let mut y = x.clone();
    y.sort_inplace(1);
    check(&y, [2, 4], ascending);
    let at = |[i, j]: [usize; 2]| [[1, 0, 3, 2], [2, 0, 1, 3]][i][j];
    check(&x.argsort(1), [2, 4], at);
    check(&x.t().argsort(0), [4, 2], |[j, i]| at([i, j]));
    check(&x.argsort_descending(1), [2, 4], |[i, j]| [[2, 0, 3, 1], [1, 3, 0, 2]][i][j]);
    check(&x.cast::<i32>().argsort(1), [2, 4], at);
    let (values, places) = x.top_k(1, 3);
    check(&values, [2, 3], |[i, j]| ascending([i, 3 - j]));
    check(&places, [2, 3], |[i, j]| [[2, 0, 3], [1, 3, 0]][i][j]);
    for k in 0..4 {
        check(&x.partition(1, k).index_axis(1, k), [2], |[i]| ascending([i, k]));
    }
    // Short lines may be sorted; a long one is not.
    let parts = make::<f64, _, O, Dev>([397], |[i]| (i * 150 % 397) as f64).partition(0, 300);
    check(&parts.index_axis(0, 300), [], |_| 300.0);
    check(&parts.slice(s![..300]).max(), [], |_| 299.0);
    check(&x.median(), [], |_| 2.0);
    check(&x.median_axis(1), [2], |[i]| [3.0, 1.0][i]);
    check(&x.quantile(1, 0.25, Quantile::Linear), [2], |[i]| [2.0, -1.25][i]);
    check(&x.quantile(0, [0.5, 1.0], Quantile::Linear), [2, 4], |[i, j]| {
        [[1.5, 0.5, -0.5, 2.5], [3.0, 2.0, 4.0, 3.0]][i][j]
    });
    check(&x.cast::<i32>().quantile(1, [0.5], Quantile::InvertedCdf), [2, 1], |[i, _]| [3.0, 0.0][i]);
    // NaN is last.
    let gaps = x.equal(4.0).select(Tensor::scalar(f64::NAN), &x);
    check(&gaps.sort(1).is_nan(), [2, 4], |at| at == [0, 3]);
    check(&gaps.argsort(1), [2, 4], at);
    check(&gaps.top_k(1, 1).0, [2, 1], |[i, _]| [3.0, 2.0][i]);
    check(&gaps.median_axis(1).is_nan(), [2], |[i]| i == 0);
    check(&gaps.nan_median_axis(1), [2], |[i]| [3.0, 1.0][i]);
    check(&gaps.nan_quantile(1, [0.0, 1.0], Quantile::Linear), [2, 2], |[i, j]| {
        [[-1.0, 3.0], [-5.0, 2.0]][i][j]
    });
    // The last row is the primary key.
    let keys = make::<i32, _, O, Dev>([2, 4], |[i, j]| [[2, 1, 3, 1], [7, 5, 5, 5]][i][j]);
    check(&keys.lexsort(), [4], |[k]| [1, 3, 2, 0][k]);
    let sorted = make::<f64, _, O, Dev>([4], |[k]| [-1.0, 2.0, 2.0, 3.0][k]);
    check(&sorted.searchsorted(&x, Side::Left), [2, 4], |[i, j]| [[3, 0, 4, 3], [1, 1, 0, 1]][i][j]);
    check(&sorted.searchsorted(&x, Side::Right), [2, 4], |[i, j]| [[4, 1, 4, 4], [1, 3, 0, 3]][i][j]);
    check(&x.digitize(&sorted, Side::Right), [2, 4], |[i, j]| [[3, 0, 4, 3], [1, 1, 0, 1]][i][j]);
    check(&x.isin(&sorted), [2, 4], |at| [3.0, -1.0, 2.0].contains(&x.to_device::<Cpu>().unwrap()[at]));
}

fn distinct_elements_and_counts<O: Order, Dev: Full>() {
    let value = |[i, j]: [usize; 2]| [[3.0, -1.0, 4.0, 3.0], [0.0, 2.0, -5.0, 2.0]][i][j];
    let x = make::<f64, _, O, Dev>([2, 4], value);
    let listed: Vec<f64> = indices::<Rank<2>, O>([2, 4]).into_iter().map(value).collect();
    let distinct = [-5.0, -1.0, 0.0, 2.0, 3.0, 4.0];
    check(&x.unique(), [6], |[k]| distinct[k]);
    check(&x.cast::<i32>().unique(), [6], |[k]| distinct[k] as i32);
    let (values, counts) = x.unique_counts();
    check(&values, [6], |[k]| distinct[k]);
    check(&counts, [6], |[k]| [1, 1, 1, 2, 2, 1][k]);
    let found = x.unique_with();
    check(&found.values, [6], |[k]| distinct[k]);
    check(&found.counts, [6], |[k]| [1, 1, 1, 2, 2, 1][k]);
    check(&found.first, [6], |[k]| listed.iter().position(|&v| v == distinct[k]).unwrap() as i64);
    check(&found.inverse, [8], |[n]| distinct.iter().position(|&v| v == listed[n]).unwrap() as i64);
    let slices = make::<i32, _, O, Dev>([4, 2], |[i, j]| [[2, 1], [1, 5], [2, 1], [1, 3]][i][j]);
    let found = slices.unique_slices_with(0);
    check(&found.values, [3, 2], |[i, j]| [[1, 3], [1, 5], [2, 1]][i][j]);
    check(&found.first, [3], |[k]| [3, 1, 0][k]);
    check(&found.inverse, [4], |[k]| [2, 1, 2, 0][k]);
    check(&found.counts, [3], |[k]| [1, 1, 2][k]);

    let edges = [-5.0, 0.0, 3.0, 4.0];
    let (counts, bounds) = x.histogram(&edges);
    check(&counts, [3], |[k]| [2, 3, 3][k]);
    check(&bounds, [4], |[k]| edges[k]);
    let (counts, bounds) = x.histogram(3);
    check(&counts, [3], |[k]| [1, 2, 5][k]);
    check(&bounds, [4], |[k]| [-5.0, -2.0, 1.0, 4.0][k]);
    let (sums, _) = x.histogram_weighted(&edges, &x);
    check(&sums, [3], |[k]| [-6.0, 4.0, 10.0][k]);
    let labels = make::<i32, _, O, Dev>([4], |[k]| [1, 3, 1, 0][k]);
    check(&labels.bincount(5), [5], |[k]| [1, 2, 0, 1, 0][k]);
    let weights = make::<f64, _, O, Dev>([4], |[k]| [0.5, 2.0, 1.0, 4.0][k]);
    check(&labels.bincount_weighted(0, &weights), [4], |[k]| [4.0, 1.5, 0.0, 2.0][k]);
    assert!((-labels).try_bincount(0).is_err());
}

fn traces<O: Order, Dev: Full>() {
    let x = make::<_, _, O, Dev>([3, 4, 3], r);
    check(&x.trace(0, 2), [4], |[j]| (0..3).map(|n| r([n, j, n])).sum());
    check(&x.permute([1, 2, 0]).trace(Axis::<2>, 1), [4], |[j]| (0..3).map(|n| r([n, j, n])).sum());
    let square = make::<_, _, O, Dev>([4, 4], p);
    check(&square.trace(0, 1), [], |_| (0..4).map(|n| p([n, n])).sum());
    // Sums of columns exceed 32 bits, sums of rows do not.
    let large = make::<i32, _, O, Dev>([4, 4], |[i, j]| (i as i32 * 3 + j as i32) << 27);
    check(&large.trace_as::<i64>(0, 1), [], |_| 24 << 27);
    check(&large.sum_axis_as::<i64>(0), [4], |[j]| (18 + 4 * j as i64) << 27);
    check(&large.sum_as::<f64>(), [], |_| 96.0 * 2f64.powi(27));
    check(&large.slice(s![1..3, ..2]).prod_axis_as::<i64>(1), [2], |[i]| [12, 42][i] << 54);
    assert!(
        large.try_sum_axis(0).is_err() && large.try_cumsum(0).is_err() && large.try_matmul(&large).is_err()
    );
    let wide = make::<_, _, O, Dev>([3, 5], p);
    for k in -4_isize..6 {
        let at = |i: usize| if k < 0 { [i + k.unsigned_abs(), i] } else { [i, i + k.unsigned_abs()] };
        let n = (0..3).filter(|&i| at(i)[0] < 3 && at(i)[1] < 5).count();
        check(&wide.diagonal_offset(0, 1, k).to_owned(), [n], |[i]| p(at(i)));
        check(&wide.t().diagonal_offset(1, 0, k).to_owned(), [n], |[i]| p(at(i)));
        check(&wide.trace_offset(0, 1, k), [], |_| (0..n).map(|i| p(at(i))).sum());
        check(&Tensor::<f64, Rank<2>, O, Dev>::eye_offset([3, 5], k), [3, 5], |[i, j]| {
            f64::from(u8::from(i as isize + k == j as isize))
        });
        let line = make::<f64, _, O, Dev>([2], |[i]| i as f64 + 1.0);
        let m = Tensor::from_diagonal_offset(&line, k);
        check(&m.diagonal_offset(0, 1, k).to_owned(), [2], |[i]| i as f64 + 1.0);
        assert_eq!(m.shape(), [2 + k.unsigned_abs(); 2]);
    }
    check(&square.slice(s![1.., ..3]).trace(1, 0), [], |_| (0..3).map(|n| p([n + 1, n])).sum());
    let z = make::<_, _, O, Dev>([2, 2], |i| Complex::new(p(i), q(i)));
    let sum = |f: fn([usize; 2]) -> f64| f([0, 0]) + f([1, 1]);
    check(&z.trace(0, 1), [], |_| Complex::new(sum(p), sum(q)));
}

fn diagonals<O: Order, Dev: Full>() {
    let x = make::<_, _, O, Dev>([3, 4, 3], r);
    check(&x.diagonal(0, 2), [4, 3], |[j, n]| r([n, j, n]));
    check(&x.diagonal(2, 0).to_owned(), [4, 3], |[j, n]| r([n, j, n]));
    check(&(x.diagonal(0, 2) + x.diagonal(0, 2)), [4, 3], |[j, n]| 2.0 * r([n, j, n]));
    let mut square = make::<_, _, O, Dev>([4, 4], p);
    square.diagonal_mut(0, 1).fill(9.0);
    check(&square, [4, 4], |[i, j]| if i == j { 9.0 } else { p([i, j]) });
}

// ------------------------------------------------------------------ shapes and views

fn shape_operations<O: Order, Dev: Full>() {
    let x = make::<_, _, O, Dev>([2, 3, 4], r);
    check(&x.permute([2, 0, 1]), [4, 2, 3], |[k, i, j]| r([i, j, k]));
    check(&x.swap_axes(0, 1), [3, 2, 4], |[j, i, k]| r([i, j, k]));
    check(&x.reverse_axes().to_owned(), [4, 3, 2], |[k, j, i]| r([i, j, k]));
    check(&x.insert_axis(1), [2, 1, 3, 4], |[i, _, j, k]| r([i, j, k]));
    check(&x.insert_axis(3).remove_axis(3), [2, 3, 4], r);
    let (low, high) = x.split_at(2, 1);
    check(&low, [2, 3, 1], r);
    check(&high, [2, 3, 3], |[i, j, k]| r([i, j, k + 1]));
    // Reshaping does not change the list of the elements in memory order. `reshape` copies a view that is not contiguous.
    let listed: Vec<f64> = indices::<Rank<3>, O>([2, 3, 4]).into_iter().map(r).collect();
    let flat = |[i, j]: [usize; 2]| if O::ROW_MAJOR { 4 * i + j } else { i + 6 * j };
    check(&x.as_shape([6, 4]), [6, 4], |i| listed[flat(i)]);
    check(&x.view().reshape([6, 4]), [6, 4], |i| listed[flat(i)]);
    check(&x.clone().flatten(), [24], |[n]| listed[n]);
    let turned: Vec<f64> =
        indices::<Rank<3>, O>([4, 3, 2]).into_iter().map(|[k, j, i]| r([i, j, k])).collect();
    check(&x.reverse_axes().reshape([6, 4]), [6, 4], |i| turned[flat(i)]);
    // Large copies in tiles: both sides long; one side short; the extent is not a multiple of the tile's.
    for shape in [[16, 16, 16], [3, 70, 90], [9, 30, 40], [40, 30, 9]] {
        let number = |[i, j, k]: [usize; 3]| (i * 10_000 + j * 100 + k) as i32;
        let [a, b, c] = shape;
        let x = make::<_, _, O, Dev>(shape, number);
        check(&x.reverse_axes().to_owned(), [c, b, a], |[k, j, i]| number([i, j, k]));
        check(&x.cast::<f64>().permute([2, 0, 1]).to_owned(), [c, a, b], |[k, i, j]| {
            number([i, j, k]) as f64
        });
        check(&x.permute([0, 2, 1]).to_owned(), [a, c, b], |[i, k, j]| number([i, j, k]));
    }
}

fn joining<O: Order, Dev: Full>() {
    let (a, b) = (make::<_, _, O, Dev>([3, 4], p), make::<_, _, O, Dev>([3, 4], q));
    check(&concatenate(0, [&a, &b]), [6, 4], |[i, j]| if i < 3 { p([i, j]) } else { q([i - 3, j]) });
    check(&concatenate(-1, [a.slice(s![.., 1..]), b.slice(s![..;-1, ..2])]), [3, 5], |[i, j]| {
        if j < 3 { p([i, j + 1]) } else { q([2 - i, j - 3]) }
    });
    check(&concatenate(0, [a.slice(s![..0, ..]), b.view()]), [3, 4], q);
    let mut out = make::<_, _, O, Dev>([4, 6], |_| 0.5);
    concatenate_into(1, [&a.t(), &b.t()], &mut out.view_mut());
    check(&out, [4, 6], |[i, j]| if j < 3 { p([j, i]) } else { q([j - 3, i]) });
    check(&stack(0, [&a, &b]), [2, 3, 4], |[k, i, j]| [p, q][k]([i, j]));
    check(&stack(1, [&a, &b]), [3, 2, 4], |[i, k, j]| [p, q][k]([i, j]));
    check(&stack(-1, [a.t(), b.t()]), [4, 3, 2], |[j, i, k]| [p, q][k]([i, j]));
    let (rows, columns) = (make::<_, _, O, Dev>([3], |[i]| i as f64), make([2], |[j]| 10.0 * j as f64));
    let [y, x] = meshgrid([&rows, &columns]);
    check(&y, [3, 2], |[i, _]| i as f64);
    check(&(y + x), [3, 2], |[i, j]| (i + 10 * j) as f64);
    let [y, x] = meshgrid([rows.flip(0), columns.view()]);
    check(&(y + x), [3, 2], |[i, j]| (2 - i + 10 * j) as f64);
    assert!(try_concatenate(0, [&a, &b.slice(s![.., 1..]).to_owned()]).is_err());
}

fn rearrangements<O: Order, Dev: Full>() {
    let a = make::<_, _, O, Dev>([3, 4], p);
    check(&a.roll(1, 1), [3, 4], |[i, j]| p([i, (j + 3) % 4]));
    check(&a.t().roll_axes([0, 1], [2, -1]), [4, 3], |[j, i]| p([(i + 1) % 3, (j + 2) % 4]));
    check(&a.tile([2, 1]), [6, 4], |[i, j]| p([i % 3, j]));
    check(&a.slice(s![..;-1, 1..]).tile([1, 2]), [3, 6], |[i, j]| p([2 - i, 1 + j % 3]));
    check(&a.repeat(0, 2), [6, 4], |[i, j]| p([i / 2, j]));
    check(&a.t().repeat(0, [1, 0, 2, 1]), [4, 3], |[j, i]| p([i, [0, 2, 2, 3][j]]));
    check(&a.pad([(1, 0), (0, 2)], Pad::Constant(0.5)), [4, 6], |[i, j]| {
        if i > 0 && j < 4 { p([i - 1, j]) } else { 0.5 }
    });
    check(&a.pad((1, 2), Pad::Edge), [6, 7], |[i, j]| p([[0, 0, 1, 2, 2, 2][i], [0, 0, 1, 2, 3, 3, 3][j]]));
    check(&a.pad([(0, 0), (2, 1)], Pad::Reflect), [3, 7], |[i, j]| p([i, [2, 1, 0, 1, 2, 3, 2][j]]));
    check(&a.t().pad([(1, 1), (0, 2)], Pad::Symmetric), [6, 5], |[j, i]| {
        p([[0, 1, 2, 2, 1][i], [0, 0, 1, 2, 3, 3][j]])
    });
    check(&a.pad(1, Pad::Wrap), [5, 6], |[i, j]| p([(i + 2) % 3, (j + 3) % 4]));
    check(&a.tril(0), [3, 4], |[i, j]| if j <= i { p([i, j]) } else { 0.0 });
    check(&a.t().triu(-1), [4, 3], |[i, j]| if j + 1 >= i { p([j, i]) } else { 0.0 });
    check(&a.rot90(1, 0, 1), [4, 3], |[i, j]| p([j, 3 - i]));
    check(&a.flip([0, 1]).to_owned(), [3, 4], |[i, j]| p([2 - i, 3 - j]));
    check(&a.diff(1, 1), [3, 3], |[i, j]| p([i, j + 1]) - p([i, j]));
    check(&a.diff(0, 2), [1, 4], |[_, j]| p([2, j]) - 2.0 * p([1, j]) + p([0, j]));
    check(&a.windows([1], [2]), [3, 3, 2], |[i, j, k]| p([i, j + k]));
    check(&a.windows([0, 1], [2, 3]).sum_axes([2, 3]), [2, 2], |[i, j]| {
        (0..6).map(|k| p([i + k / 3, j + k % 3])).sum()
    });
    // Batches of matrices: the axes of the matrices are the last two, or the first two.
    let x = make::<_, _, O, Dev>([2, 3, 4], r);
    check(&x.tril(0), [2, 3, 4], |[i, j, k]| {
        let lower = if O::ROW_MAJOR { k <= j } else { j <= i };
        if lower { r([i, j, k]) } else { 0.0 }
    });
}

fn broadcast_views<O: Order, Dev: Full>() {
    let v = make::<_, _, O, Dev>([3], |[n]| n as f64);
    let along = |[i, j]: [usize; 2]| if O::ROW_MAJOR { j as f64 } else { i as f64 };
    let shape = if O::ROW_MAJOR { [2, 3] } else { [3, 2] };
    check(&v.broadcast_to(shape), shape, along);
    check(&v.broadcast_to(shape).to_owned(), shape, along);
    check(&v.broadcast_to(shape).sum(), [], |_| 6.0);
    check(&Tensor::<i32, _, O, Dev>::scalar(4).broadcast_to([2, 0, 3]), [2, 0, 3], |_| 4);
    let column = make::<_, _, O, Dev>([3, 1], p);
    check(&(column.broadcast_to([3, 4]) * 2.0), [3, 4], |[i, _]| 2.0 * p([i, 0]));
}

fn slicing<O: Order, Dev: Full>() {
    let x = make::<_, _, O, Dev>([4, 5, 6], |[i, j, k]| (100 * i + 10 * j + k) as i32);
    let n = |i: usize, j: usize, k: usize| (100 * i + 10 * j + k) as i32;
    check(&x.slice(s![1, .., 1..6;2]), [5, 3], |[j, k]| n(1, j, 1 + 2 * k));
    check(&x.slice(s![..;-1, -1, NewAxis, 2..=3]), [4, 1, 2], |[i, _, k]| n(3 - i, 4, 2 + k));
    check(&x.slice(s![1.., ..-1, 2..2;-2]), [3, 4, 0], |_| 0);
    check(&x.slice(s![-2.., ..;3, 1..6;-2]).to_owned(), [2, 2, 3], |[i, j, k]| n(2 + i, 3 * j, 5 - 2 * k));
    check(&x.index_axis(1, 2), [4, 6], |[i, k]| n(i, 2, k));
    check(&x.slice(s![0, 0, 0]), [], |_| 0);
    check(&x.slice(s![.., 1..4, ..]).slice(s![1..;2, -1, ..3]), [2, 3], |[i, k]| n(1 + 2 * i, 3, k));
}

fn order_conversion<O: Order, Dev: Full>() {
    let x = make::<_, _, O, Dev>([2, 3, 4], r);
    check(&x.to_order::<O::Transposed>(), [2, 3, 4], r);
    check(&x.to_order::<O::Transposed>().to_order::<O>(), [2, 3, 4], r);
    check(&x.as_order::<ColMajor>(), [2, 3, 4], r);
    check(&x.as_order::<RowMajor>().permute([1, 0, 2]), [3, 2, 4], |[j, i, k]| r([i, j, k]));
    check(&x.flip_order(), [4, 3, 2], |[k, j, i]| r([i, j, k]));
    check(&x.slice(s![.., 1.., ..;-1]).to_order::<O::Transposed>(), [2, 2, 4], |[i, j, k]| {
        r([i, j + 1, 3 - k])
    });
    let listed = x.to_vec();
    let flipped = x.into_flipped();
    check(&flipped, [4, 3, 2], |[k, j, i]| r([i, j, k]));
    assert_eq!(flipped.into_vec(), listed);
    let v = make::<_, _, O, Dev>([3], |[n]| n as i32).into_order::<O::Transposed>();
    check(&v, [3], |[n]| n as i32);
}

// ------------------------------------------------------------------ products

fn matrix_products<O: Order, Dev: Full>() {
    let (a, b) = (make::<_, _, O, Dev>([3, 4], p), make::<_, _, O, Dev>([4, 5], q));
    let ab = |[i, j]: [usize; 2]| -> f64 { (0..4).map(|n| p([i, n]) * q([n, j])).sum() };
    check(&a.matmul(&b), [3, 5], ab);
    let v = make::<_, _, O, Dev>([4], |[n]| n as f64 - 1.0);
    check(&a.matmul(&v), [3], |[i]| (0..4).map(|n| p([i, n]) * (n as f64 - 1.0)).sum());
    check(&v.matmul(&b), [5], |[j]| (0..4).map(|n| (n as f64 - 1.0) * q([n, j])).sum());
    check(&v.matmul(&v), [], |_| 6.0);
    check(&a.cast::<i32>().matmul(b.cast::<i32>()), [3, 5], |i| ab(i) as i32);
    let z = |i: [usize; 2]| Complex::new(p(i), q(i));
    let (x, y) = (make::<_, _, O, Dev>([3, 4], z), make::<_, _, O, Dev>([4, 5], z));
    check(&x.matmul(&y), [3, 5], |[i, j]| (0..4).map(|n| z([i, n]) * z([n, j])).sum());
}

fn products_with_real_operands<O: Order, Dev: Full>() {
    let z = |i: [usize; 2]| Complex::new(p(i), q(i));
    // Small products convert the real operand. Large ones use real products, on devices that can address the parts of complex numbers.
    for n in [4, 40] {
        let (x, y) = (make::<_, _, O, Dev>([30, n], z), make::<_, _, O, Dev>([n, 50], q));
        let xy = |[i, j]: [usize; 2]| -> Complex<f64> { (0..n).map(|k| z([i, k]) * q([k, j])).sum() };
        check(&x.matmul(&y), [30, 50], xy);
        check(&einsum!("ij,jk->ki", x.conj_view(), &y), [50, 30], |[j, i]| xy([i, j]).conj());
        check(&einsum!("ij,ij->ij", &x, x.re()), [30, n], |i| z(i) * p(i));
        check(&x.dot(x.re()), [], |_| {
            (0..30).flat_map(|i| (0..n).map(move |j| [i, j])).map(|i| z(i) * p(i)).sum::<Complex<f64>>()
        });
    }
}

fn products_of_views<O: Order, Dev: Full>() {
    let a = make::<_, _, O, Dev>([4, 6], p);
    check(&a.matmul(a.t()), [4, 4], |[i, j]| (0..6).map(|n| p([i, n]) * p([j, n])).sum());
    check(&a.t().matmul(&a), [6, 6], |[i, j]| (0..4).map(|n| p([n, i]) * p([n, j])).sum());
    let (x, y) = (a.slice(s![..;-1, 1..6;2]), a.slice(s![1.., ..3]));
    check(&x.matmul(y), [4, 3], |[i, j]| (0..3).map(|n| p([3 - i, 1 + 2 * n]) * p([1 + n, j])).sum());
    let row = make::<_, _, O, Dev>([1, 6], p);
    check(&a.matmul(row.t().broadcast_to([6, 2])), [4, 2], |[i, _]| {
        (0..6).map(|n| p([i, n]) * p([0, n])).sum()
    });
    let n = a.cast::<i32>();
    check(&n.t().matmul(&n), [6, 6], |[i, j]| (0..4).map(|n| (p([n, i]) * p([n, j])) as i32).sum());
}

/// The batch axes are the leading axes in row-major order, and the trailing axes in column-major order.
fn batched_products<O: Order, Dev: Full>() {
    let entry = |b: usize, i: usize, j: usize| r([b, i, j]);
    let stack = |batch: usize, rows: usize, columns: usize| {
        let shape = if O::ROW_MAJOR { [batch, rows, columns] } else { [rows, columns, batch] };
        make::<_, _, O, Dev>(shape, |[a, b, c]| if O::ROW_MAJOR { entry(a, b, c) } else { entry(c, a, b) })
    };
    let shape = if O::ROW_MAJOR { [2, 3, 5] } else { [3, 5, 2] };
    let split = |[a, b, c]: [usize; 3]| if O::ROW_MAJOR { (a, b, c) } else { (c, a, b) };
    check(&stack(2, 3, 4).matmul(stack(2, 4, 5)), shape, |index| {
        let (b, i, j) = split(index);
        (0..4).map(|n| entry(b, i, n) * entry(b, n, j)).sum()
    });
    check(&stack(1, 3, 4).matmul(stack(2, 4, 5)), shape, |index| {
        let (b, i, j) = split(index);
        (0..4).map(|n| entry(0, i, n) * entry(b, n, j)).sum()
    });
    check(&stack(2, 3, 4).matmul(make::<_, _, O, Dev>([4, 5], q)), shape, |index| {
        let (b, i, j) = split(index);
        (0..4).map(|n| entry(b, i, n) * q([n, j])).sum()
    });
    let shape = if O::ROW_MAJOR { [2, 3] } else { [3, 2] };
    check(&stack(2, 3, 4).matmul(&make::<_, _, O, Dev>([4], |[n]| n as f64)), shape, |[a, b]| {
        let (b, i) = if O::ROW_MAJOR { (a, b) } else { (b, a) };
        (0..4).map(|n| entry(b, i, n) * n as f64).sum()
    });
}

/// One contraction of each kind. Together they run every kernel that contractions use on the device.
fn contractions<O: Order, Dev: Full>() {
    let (a, b) = (make::<_, _, O, Dev>([3, 4], p), make::<_, _, O, Dev>([4, 5], q));
    check(&einsum!("ij,jk->ki", &a, &b), [5, 3], |[k, i]| (0..4).map(|j| p([i, j]) * q([j, k])).sum());
    check(&einsum!("ij->j", &a), [4], |[j]| (0..3).map(|i| p([i, j])).sum());
    check(&einsum!("ij->ji", &a), [4, 3], |[j, i]| p([i, j]));
    check(&einsum!("ii->i", a.slice(s![.., ..3])), [3], |[i]| p([i, i]));
    check(&einsum!("ij,ij->ij", &a, &a), [3, 4], |at| p(at) * p(at));
    check(&einsum!("ij,ij->i", &a, &a), [3], |[i]| (0..4).map(|j| p([i, j]) * p([i, j])).sum());
    check(&einsum!("i,j->ij", a.index_axis(1, 0), b.index_axis(0, 1)), [3, 5], |[i, j]| {
        p([i, 0]) * q([1, j])
    });
    check(&einsum!("j->jj", b.index_axis(0, 1)), [5, 5], |[i, j]| if i == j { q([1, j]) } else { 0.0 });
    let x = make::<_, _, O, Dev>([2, 3, 4], r);
    check(&einsum!("abc,abd->acd", &x, &x), [2, 4, 4], |[a, c, d]| {
        (0..3).map(|b| r([a, b, c]) * r([a, b, d])).sum()
    });
    check(&einsum!("abc,ic,jc->aij", &x, &a, &a), [2, 3, 3], |[a, i, j]| {
        let terms = (0..3).flat_map(|b| (0..4).map(move |c| (b, c)));
        terms.map(|(b, c)| r([a, b, c]) * p([i, c]) * p([j, c])).sum()
    });
    check(&einsum!("ij,jk->ik", &a.cast::<i32>(), &b.cast::<i32>()), [3, 5], |[i, k]| {
        (0..4).map(|j| (p([i, j]) * q([j, k])) as i32).sum()
    });
    let mut out = make::<_, _, O, Dev>([3, 5], q);
    einsum_into!(&mut out, 2.0, -1.0; "ij,jk->ik", &a, &b);
    check(&out, [3, 5], |[i, k]| 2.0 * (0..4).map(|j| p([i, j]) * q([j, k])).sum::<f64>() - q([i, k]));
    let mut row = make::<_, _, O, Dev>([4], |[n]| n as f64);
    einsum_into!(&mut row, 1.0, 3.0; "ij->j", &a);
    check(&row, [4], |[j]| (0..3).map(|i| p([i, j])).sum::<f64>() + 3.0 * j as f64);
    let z = |i: [usize; 2]| Complex::new(p(i), q(i));
    let (x, y) = (make::<_, _, O, Dev>([3, 4], z), make::<_, _, O, Dev>([4, 5], z));
    check(&einsum!("ij,jk->ik", x.conj_view(), &y), [3, 5], |[i, k]| {
        (0..4).map(|j| z([i, j]).conj() * z([j, k])).sum()
    });
    check(&einsum!("ij,kj->ik", &x, x.conj_view()), [3, 3], |[i, k]| {
        (0..4).map(|j| z([i, j]) * z([k, j]).conj()).sum()
    });
    check(&einsum!("ij->ji", x.conj_view()), [4, 3], |[j, i]| z([i, j]).conj());
}

fn named_products<O: Order, Dev: Full>() {
    let (a, b) = (make::<_, _, O, Dev>([3, 4], p), make::<_, _, O, Dev>([4, 5], q));
    check(&a.tensordot(&b, [1], [0]), [3, 5], |[i, k]| (0..4).map(|j| p([i, j]) * q([j, k])).sum());
    check(&a.outer(&b), [3, 4, 4, 5], |[i, j, k, l]| p([i, j]) * q([k, l]));
    check(&a.kron(&b), [12, 20], |[i, j]| p([i / 4, j / 5]) * q([i % 4, j % 5]));
    check(&a.dot(&a), [], |_| (0..12).map(|k| p([k / 4, k % 4]) * p([k / 4, k % 4])).sum());
    let z = |i: [usize; 1]| Complex::new(i[0] as f64, 1.0);
    let x = make::<_, _, O, Dev>([4], z);
    check(&x.vdot(&x), [], |_| (0..4).map(|k| z([k]).conj() * z([k])).sum());
}

// ------------------------------------------------------------------ transfers and writing

fn round_trips<O: Order, Dev: Full>() {
    let x = Tensor::<f64, _, O, Cpu>::from_fn([2, 3, 4], r);
    let there: Tensor<f64, Rank<3>, O, Dev> = x.to_device().unwrap();
    assert_eq!(there.to_device::<Cpu>().unwrap(), x);
    assert_eq!(there.clone().to_device_in(&Cpu).unwrap(), x);
    let view = there.slice(s![.., ..;-2, 1..]);
    assert_eq!(view.to_device::<Cpu>().unwrap(), x.slice(s![.., ..;-2, 1..]));
    assert_eq!(view.to_device::<Dev>().unwrap().to_device::<Cpu>().unwrap(), x.slice(s![.., ..;-2, 1..]));
    assert_eq!(there.into_vec(), x.into_vec());
}

/// Tests copies from the host to the device, back to the host, and within the device, of contiguous and strided tensors.
fn copies_across<O: Order, Dev: Full>() {
    let (host, mut here) = (Tensor::<f64, _, O>::from_fn([3, 4], p), make::<f64, _, O, Dev>([3, 4], q));
    here.copy_from(&host).unwrap();
    check(&here, [3, 4], p);
    here.slice_mut(s![..;-1, 1..;2]).copy_from(&host.slice(s![.., ..2])).unwrap();
    let mixed = |[i, j]: [usize; 2]| if j % 2 == 1 { p([2 - i, (j - 1) / 2]) } else { p([i, j]) };
    check(&here, [3, 4], mixed);
    let mut back = Tensor::<f64, _, O>::zeros([3, 4]);
    back.copy_from(&here).unwrap();
    check(&back, [3, 4], mixed);
    let mut turned = Tensor::<f64, _, O>::zeros([4, 3]);
    turned.copy_from(&here.t()).unwrap();
    check(&turned, [4, 3], |[i, j]| mixed([j, i]));
    let mut other = make::<f64, _, O, Dev>([4, 3], p);
    other.copy_from(&here.t()).unwrap();
    check(&other, [4, 3], |[i, j]| mixed([j, i]));
    check(&here.slice(s![1.., ..;-1]).to_device::<Dev>().unwrap(), [2, 4], |[i, j]| mixed([i + 1, 3 - j]));
    check(&here.to_device::<Dev>().unwrap(), [3, 4], mixed);
    Tensor::<f64, _, O>::zeros([0, 2]).copy_from(&make::<f64, _, O, Dev>([0, 2], p)).unwrap();
    let error = here.copy_from(&host.t()).unwrap_err().to_string();
    assert!(error.contains("[3, 4]") && error.contains("[4, 3]"), "{error}");
}

fn assignment_into_views<O: Order, Dev: Full>() {
    let mut x = make::<_, _, O, Dev>([4, 5], p);
    x.slice_mut(s![1..3, ..;-2]).assign(&make::<_, _, O, Dev>([2, 3], q));
    let inside = |[i, j]: [usize; 2]| (1..3).contains(&i) && j % 2 == 0;
    let expected = |[i, j]: [usize; 2]| if inside([i, j]) { q([i - 1, 2 - j / 2]) } else { p([i, j]) };
    check(&x, [4, 5], expected);
    x.permute_mut([1, 0]).assign(&make::<_, _, O, Dev>([5, 1], q));
    check(&x, [4, 5], |[_, j]| q([j, 0]));
    x.index_axis_mut(0, 2).fill(-1.0);
    x.slice_mut(s![.., 4]).assign(&Tensor::scalar(0.5));
    check(&x, [4, 5], |[i, j]| match (i, j) {
        (_, 4) => 0.5,
        (2, _) => -1.0,
        _ => q([j, 0]),
    });
}

fn mutable_views<O: Order, Dev: Full>() {
    let mut x = make::<_, _, O, Dev>([4, 5], p);
    let (mut low, high) = x.split_at_mut(1, 2);
    low += &high.slice(s![.., ..2]);
    check(&x, [4, 5], |[i, j]| if j < 2 { p([i, j]) + p([i, j + 2]) } else { p([i, j]) });

    let mut x = make::<_, _, O, Dev>([4, 5], p);
    for (i, mut row) in x.axis_iter_mut(0).enumerate() {
        row *= i as f64;
    }
    check(&x, [4, 5], |[i, j]| i as f64 * p([i, j]));
    let sums: Vec<f64> = x.axis_iter(1).map(|column| column.sum().item()).collect();
    let expected = |j: usize| (0..4).map(|i| i as f64 * p([i, j])).sum::<f64>();
    assert_eq!(sums, (0..5).map(expected).collect::<Vec<_>>());
    for mut lane in x.lanes_mut(0) {
        lane.apply_inplace(op::Square);
    }
    check(&x, [4, 5], |[i, j]| (i as f64 * p([i, j])).powi(2));
    x.as_shape_mut([20]).slice_mut(s![..;2]).fill(0.0);
    assert_eq!(x.to_vec().iter().step_by(2).sum::<f64>(), 0.0);
}

// ------------------------------------------------------------------ empty tensors and rank 0

fn empty_tensors<O: Order, Dev: Full>() {
    let x = make::<f64, _, O, Dev>([2, 0, 3], r);
    check(&(&x + &x), [2, 0, 3], r);
    check(&(&x * 2.0).permute([2, 1, 0]).to_owned(), [3, 0, 2], |_| 0.0);
    check(&x.sum_axis(1), [2, 3], |_| 0.0);
    check(&x.sum_axis(0), [0, 3], |_| 0.0);
    check(&x.max_axis(2), [2, 0], |_| 0.0);
    check(&x.cumsum(1), [2, 0, 3], |_| 0.0);
    assert!(x.gt(0.0).all().item() && x.mean().item().is_nan() && x.is_empty());
    let flat = make::<f64, _, O, Dev>([2, 0], p);
    check(&flat.matmul(flat.t()), [2, 2], |_| 0.0);
    check(&flat.t().matmul(&flat), [0, 0], |_| 0.0);
    check(&x.to_order::<O::Transposed>(), [2, 0, 3], |_| 0.0);
    assert_eq!(x.into_vec(), Vec::<f64>::new());
}

fn rank_0<O: Order, Dev: Full>() {
    let two = Tensor::<f64, _, O, Dev>::scalar(2.0);
    check(&(&two * &two), [], |_| 4.0);
    check(&(1.0 - &two).abs(), [], |_| 1.0);
    check(&two.sum(), [], |_| 2.0);
    check(&two.max_keepdims([0; 0]), [], |_| 2.0);
    check(&two.insert_axis(0), [1], |_| 2.0);
    check(&two.gt(1.0), [], |_| true);
    check(&two.to_order::<O::Transposed>().flatten(), [1], |_| 2.0);
    let mut three = two.clone();
    three += 1.0;
    three.assign(&(&three * &two));
    assert_eq!((three.item(), two.item()), (6.0, 2.0));
}

/// The result is on the device of the left operand. The result reuses the buffer of an owned operand. The devices `here` and `there` are
/// the same instance with separate counters.
#[test]
fn results_stay_on_their_device() {
    let (here, there) = (Remote::default(), Remote::default());
    let a = Tensor::<f64, _, RowMajor, _>::full_in([3, 4], 2.0, &here);
    let b = Tensor::<f64, _, RowMajor, _>::full_in([4], 3.0, &there);
    assert_eq!((here.allocated(), there.allocated()), (12, 4));
    let sum = &a + &b;
    assert_eq!((here.allocated(), there.allocated()), (24, 4));
    let product = sum * &a;
    assert_eq!((here.allocated(), there.allocated()), (24, 4));
    assert_eq!(product.device().allocated(), here.allocated());
    let total = product.sum();
    assert_eq!((total.item(), here.allocated()), (120.0, 25));
}

/// Two instances of one device type may have separate memories. An operation with operands on both returns an error before it
/// computes.
#[test]
fn instances_do_not_mix() {
    let (here, there) = (Remote::default(), Remote::elsewhere());
    let mut a = Tensor::<f64, _, RowMajor, _>::from_vec_in([2], vec![1.0, 2.0], &here);
    let b = Tensor::<f64, _, RowMajor, _>::from_vec_in([2], vec![3.0, 4.0], &there);
    let rejected = |error: Option<vierbein::Error>| {
        let error = error.expect("the devices differ");
        assert!(matches!(error, vierbein::Error::DeviceInstanceMismatch { .. }), "{error}");
        assert!(error.to_string().contains(".to_device_in(&device)?"), "{error}");
    };
    rejected(a.try_add(&b).err());
    rejected(a.try_add_assign(&b).err());
    rejected(a.try_assign(&b).err());
    rejected(a.try_matmul(&b).err());
    rejected(a.try_dot(&b).err());
    rejected(try_einsum!("i,j->ij", &a, &b).err());
    rejected(try_einsum_into!(&mut a, 1.0, 0.0; "i->i", &b).err());
    rejected(a.try_maximum(&b).err());
    rejected(a.lt(1.5).try_select(&a, &b).err());
    let b = b.to_device_in(&here).unwrap();
    assert_eq!((&a + &b).to_vec(), [4.0, 6.0]);
}

// ------------------------------------------------------------------ more axes than kernels support

/// Tensors with 17 axes of extent 2, whose axes do not fuse if some of them are reversed.
fn many_axes<O: Order, Dev: Full>() {
    const AXES: usize = 17;
    let shape = AnyShape::<usize, 64>::from([2; AXES]);
    // In memory order, the index along each axis is a bit of the position. Reversed axes are reversed bits.
    let number = |at: usize| (at % 13) as f64;
    let reversed = |at: usize| at.reverse_bits() >> (usize::BITS as usize - AXES);
    let values = |f: &dyn Fn(usize) -> f64| (0..1 << AXES).map(f).collect::<Vec<_>>();
    let x = Tensor::<f64, AnyRank<64>, O>::from_vec(shape, values(&number)).to_device::<Dev>().unwrap();
    let t = x.reverse_axes();
    assert_eq!(t.to_vec(), values(&|at| number(reversed(at))));
    assert_eq!(t.to_owned().to_vec(), values(&|at| number(reversed(at))));
    assert_eq!((x.view() + t).to_vec(), values(&|at| number(at) + number(reversed(at))));
    assert_eq!(t.lt(&x).count().item(), x.gt(t).count().item());
    let mut y = x.clone();
    y.reverse_axes_mut().apply2_inplace(op::Sub, &x);
    assert_eq!(y.to_vec(), values(&|at| number(at) - number(reversed(at))));
    y.reverse_axes_mut().assign(&x);
    assert_eq!(y.to_vec(), t.to_vec());
    y.reverse_axes_mut().fill(3.0);
    assert_eq!(y.sum().item(), 3.0 * f64::from(1 << AXES));
    // The axis of the highest bit of a position in memory. In `t`, it is the axis of the lowest bit.
    let slowest = if O::ROW_MAJOR { 0 } else { AXES - 1 };
    let half = 1 << (AXES - 1);
    let sums = t.sum_axis(AXES - 1 - slowest);
    let expected: Vec<_> =
        (0..half).map(|at| number(reversed(2 * at)) + number(reversed(2 * at + 1))).collect();
    assert_eq!(sums.to_vec(), expected);
    let squares: f64 = values(&|at| number(at) * number(at)).iter().sum();
    assert_eq!(t.dot(t).item(), squares);
    let pairs =
        t.tensordot(&x, core::array::from_fn::<_, AXES, _>(|k| k), core::array::from_fn(|k| AXES - 1 - k));
    assert_eq!(pairs.sum().item(), squares);
}
