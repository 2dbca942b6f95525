//! Tests of Fourier transforms. Expected values come from NumPy (`tests/data/fft.tsv`, written by `scripts/make-fft-table.py`) or from
//! sums by the definition.

use super::both_orders;
use crate::common::Remote;
use std::f64::consts::PI;
use vierbein::fft::{Fft, FftElement, Norm};
use vierbein::prelude::*;
use vierbein::{CastTo, DType, DynTensor, Error, MemoryOrder, c32, c64};

both_orders! { outputs axes_of_views negative_and_zero_strides axes_one_by_one padding_several_axes other_devices shifts }

/// An element that no transform in [`outputs`] has.
const UNWRITTEN: f64 = 1e300;

/// Transforms into outputs: strided views, whose other elements must stay unchanged, and outputs of another shape.
fn outputs<O: Order>() {
    macro_rules! check {
        ($unwritten:expr; $($x:ident.$name:ident $into:ident $try_into:ident ($($argument:expr),*);)*) => {$({
            let y = $x.$name($($argument),*);
            let mut wide = Tensor::<_, Rank<3>, O>::full(y.shape().map(|n| 2 * n + 1), $unwritten);
            $x.$into($($argument,)* &mut wide.slice_mut(s![1..;2, 1..;-2, 1..;2]));
            // Rounding errors can depend on the strides.
            let written = wide.slice(s![1..;2, 1..;-2, 1..;2]);
            assert!(written.all_close(&y, 0.0, 1e-13), "{}: {written} instead of {y}", stringify!($name));
            let unwritten = wide.iter().filter(|&&element| element == $unwritten).count();
            assert_eq!(unwritten, wide.len() - y.len(), stringify!($name));

            let mut other = Tensor::<_, Rank<3>, O>::full(y.shape().map(|n| n + 1), $unwritten);
            let error = $x.$try_into($($argument,)* &mut other).unwrap_err();
            assert!(matches!(&error, Error::OutputShape { result, .. } if *result == y.shape()), "{error}");
            assert!(other.iter().all(|&element| element == $unwritten));
        })*};
    }
    let x = Tensor::<f64, Rank<3>, O>::from_fn([3, 4, 6], |[i, j, k]| {
        ((31 * i + 7 * j + k * k) % 13) as f64 - 6.0
    });
    let z = x.map(|re| Complex::new(re, re * re - 3.0));
    let five = Fft::new().len(5).norm(Norm::Ortho);
    check! { Complex::from(UNWRITTEN);
        x.fft fft_into try_fft_into (1);
        z.fft fft_into try_fft_into (-1);
        z.ifft ifft_into try_ifft_into (0);
        x.rfft rfft_into try_rfft_into (2);
        z.fft_axes fft_axes_into try_fft_axes_into ([0, 2]);
        z.ifft_axes ifft_axes_into try_ifft_axes_into ([2, 1]);
        x.rfft_axes rfft_axes_into try_rfft_axes_into ([0, 1, 2]);
        x.fft_with fft_with_into try_fft_with_into (2, five);
        z.ifft_with ifft_with_into try_ifft_with_into (1, five);
        x.rfft_with rfft_with_into try_rfft_with_into (0, five);
    }
    check! { UNWRITTEN;
        z.irfft irfft_into try_irfft_into (2, 10);
        z.irfft_axes irfft_axes_into try_irfft_axes_into ([1, 0], 4);
        z.irfft_with irfft_with_into try_irfft_with_into (1, five);
    }
}

// ------------------------------------------------------------------ NumPy's table

/// Returns an operand of NumPy's table (`tests/data/fft.tsv`). `scripts/make-fft-table.py` uses the same formula.
fn operand<D: Dim, O: Order>(shape: D::Shape) -> Tensor<c64, D, O> {
    let len: usize = shape.as_ref().iter().product();
    let element = |k: usize| Complex::new(((7 * k + 3) % 11) as f64 - 5.0, ((5 * k + 1) % 7) as f64 - 3.0);
    Tensor::<c64, D, RowMajor>::from_vec(shape, (0..len).map(element).collect()).to_order()
}

fn numbers(text: &str) -> Vec<usize> {
    if text == "-" { vec![] } else { text.split(',').map(|n| n.parse().unwrap()).collect() }
}

/// Asserts that all elements are within `limit` of the expected ones, which are in row-major order of their indices.
#[track_caller]
fn assert_close(found: &DynTensor, shape: &[usize], expected: &[c64], limit: f64, what: &str) {
    assert_eq!(found.shape(), shape, "{what}");
    let found = found.to_order(MemoryOrder::RowMajor).unwrap();
    let found = found.to_dtype(vierbein::DType::C64).unwrap().reshape(&[expected.len()]).unwrap();
    let found: Tensor<c64, Rank<1>> = found.downcast().unwrap();
    for (k, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).norm() <= limit, "{what}: element {k} is {x}, expected {y}");
    }
}

/// Compares the transforms of dynamic tensors with every line of NumPy's table, in double precision for both memory orders, and in
/// single precision. `typed_and_dynamic_agree` compares dynamic with typed tensors.
#[test]
fn numpy_table() {
    let table = include_str!("../data/fft.tsv");
    let mut count = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, shape, axes, lens, norm, result, elements] = cells[..] else { panic!("{line}") };
        let (shape, axes, result) = (numbers(shape), numbers(axes), numbers(result));
        let expected: Vec<c64> = elements
            .split(',')
            .map(|text| {
                let mut parts = text.split(' ').map(|part| part.parse::<f64>().unwrap());
                Complex::new(parts.next().unwrap(), parts.next().unwrap_or(0.0))
            })
            .collect();
        let norm = match norm {
            "backward" => Norm::Backward,
            "ortho" => Norm::Ortho,
            _ => Norm::Forward,
        };
        let options = match &numbers(lens)[..] {
            [] => Fft::new(),
            lens => Fft::new().lens(lens),
        };
        let options = options.norm(norm);
        let largest = expected.iter().map(|x| x.norm()).fold(1.0, f64::max);
        let x = operand::<Rank<1>, RowMajor>([shape.iter().product()]);
        for (order, single) in
            [(MemoryOrder::RowMajor, false), (MemoryOrder::ColMajor, false), (MemoryOrder::RowMajor, true)]
        {
            let x = if name == "rfft" { DynTensor::from(x.re()) } else { DynTensor::from(x.clone()) };
            let dtype = match (name, single) {
                ("rfft", true) => vierbein::DType::F32,
                (_, true) => vierbein::DType::C32,
                _ => x.dtype(),
            };
            let x = x.reshape(&shape).unwrap().to_order(order).unwrap().to_dtype(dtype).unwrap();
            let y = match name {
                "fft" => x.fft_with(&axes[..], options),
                "ifft" => x.ifft_with(&axes[..], options),
                "rfft" => x.rfft_with(&axes[..], options),
                _ => x.irfft_with(&axes[..], options),
            };
            let limit = if single { 4e-7 } else { 1e-15 } * largest * 2.0;
            assert_close(
                &y.unwrap(),
                &result,
                &expected,
                limit,
                line.split("\t").take(5).collect::<Vec<_>>().join(" ").as_str(),
            );
        }
        count += 1;
    }
    assert_eq!(count, 212);
}

// ------------------------------------------------------------------ the definition

/// Returns `Σ xⱼ · exp(−2πi·jk/n)` for each `k`, or `Σ xⱼ · exp(2πi·jk/n) / n` for the inverse transform. `j · k` is reduced modulo
/// `n` first, so that the angle has only a rounding error.
fn by_definition(x: &[c64], inverse: bool) -> Vec<c64> {
    let n = x.len();
    let sign = if inverse { 2.0 } else { -2.0 };
    let turn: Vec<c64> = (0..n).map(|k| Complex::cis(sign * PI * k as f64 / n as f64)).collect();
    let scale = if inverse { 1.0 / n as f64 } else { 1.0 };
    let sum = |k: usize| {
        // `turn_at` is `j · k` modulo `n`. Without iterators and operators of `Complex`, which are slow in builds without optimisation.
        let (mut re, mut im, mut j, mut turn_at) = (0.0, 0.0, 0, 0);
        while j < n {
            let (x, turn) = (x[j], turn[turn_at]);
            re += x.re * turn.re - x.im * turn.im;
            im += x.re * turn.im + x.im * turn.re;
            j += 1;
            turn_at += k;
            if turn_at >= n {
                turn_at -= n;
            }
        }
        Complex::new(re * scale, im * scale)
    };
    (0..n).map(sum).collect()
}

/// Returns the inverse transform, computed from the transform by the definition: the frequencies in reverse order, divided by their number.
fn inverse_of(transform: &[c64]) -> Vec<c64> {
    let n = transform.len();
    (0..n).map(|k| transform[(n - k) % n] / n as f64).collect()
}

/// Converts to `Complex<f64>`.
fn widened<T: Scalar + CastTo<c64>>(x: &[T]) -> Vec<c64> {
    x.iter().map(|x| x.cast_to()).collect()
}

#[track_caller]
fn assert_near(found: &[c64], expected: &[c64], epsilon: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().map(|x| x.norm()).fold(f64::MIN_POSITIVE, f64::max);
    for (k, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).norm() <= 50.0 * epsilon * largest, "{what}: element {k} is {x}, expected {y}");
    }
}

#[test]
fn every_length() {
    for n in (1..=70).chain([97, 100, 128, 1000, 1009]) {
        let x = operand::<Rank<1>, RowMajor>([n]);
        let real = x.re();
        let transform = by_definition(x.as_slice(), false);
        let inverse = inverse_of(&transform);
        for (expected, y, y32) in
            [(transform, x.fft(0), x.cast::<c32>().fft(0)), (inverse, x.ifft(0), x.cast::<c32>().ifft(0))]
        {
            assert_near(&y.to_vec(), &expected, f64::EPSILON, &format!("{n}"));
            assert_near(&widened(&y32.to_vec()), &expected, f32::EPSILON.into(), &format!("{n}, single"));
        }
        let expected = by_definition(&widened(&real.to_vec()), false);
        assert_near(&real.fft(0).to_vec(), &expected, f64::EPSILON, &format!("{n}, real to all frequencies"));
        let half = real.rfft(0);
        assert_near(&half.to_vec(), &expected[..n / 2 + 1], f64::EPSILON, &format!("{n}, real"));
        let single = real.cast::<f32>().rfft(0);
        let epsilon = f32::EPSILON.into();
        assert_near(
            &widened(&single.to_vec()),
            &expected[..n / 2 + 1],
            epsilon,
            &format!("{n}, real single"),
        );
        assert_near(
            &widened(&half.irfft(0, n).to_vec()),
            &widened(&real.to_vec()),
            f64::EPSILON,
            &format!("{n}, back"),
        );
        let back = widened(&single.irfft(0, n).to_vec());
        assert_near(&back, &widened(&real.to_vec()), epsilon, &format!("{n}, single back"));
    }
}

/// Lines along axis 0: neighbouring lines are adjacent in memory.
#[test]
fn every_length_along_the_first_axis() {
    for (n, lines) in
        (2..=70).zip((1..=40).cycle()).chain([(97, 3), (100, 35), (128, 64), (1000, 33), (1009, 2), (3, 300)])
    {
        let x = operand::<Rank<2>, RowMajor>([n, lines]);
        let single = x.cast::<c32>();
        let of_lines: Vec<_> = x.lanes(0).map(|line| by_definition(&line.to_vec(), false)).collect();
        for inverse in [false, true] {
            let (y, y32) = if inverse { (x.ifft(0), single.ifft(0)) } else { (x.fft(0), single.fft(0)) };
            let mut in_place = Tensor::<c64, Rank<3>>::zeros([2, n, lines]);
            // The second matrix is 0, so both matrices are equal after the transform along axis 0. Axis 1 is transformed in place.
            in_place.index_axis_mut(0, 0).assign(&x);
            let both = if inverse { in_place.ifft_axes([0, 1]) } else { in_place.fft_axes([0, 1]) };
            for (k, transform) in of_lines.iter().enumerate() {
                let expected = if inverse { &inverse_of(transform) } else { transform };
                let what = format!("line {k} of {lines} of length {n}");
                assert_near(&y.index_axis(1, k).to_vec(), expected, f64::EPSILON, &what);
                let found = widened(&y32.index_axis(1, k).to_vec());
                assert_near(&found, expected, f32::EPSILON.into(), &format!("{what}, single"));
                let scale = if inverse { 2.0 } else { 1.0 };
                let found: Vec<c64> = both.slice(s![1, .., k]).iter().map(|x| x * scale).collect();
                assert_near(&found, expected, f64::EPSILON, &format!("{what}, in place"));
            }
        }
    }
}

/// Parseval's theorem: with the normalisation `Ortho`, a transform preserves the norm.
#[test]
fn ortho_preserves_the_norm() {
    let ortho = Fft::new().norm(Norm::Ortho);
    for n in [1, 8, 30, 101] {
        let x = operand::<Rank<2>, RowMajor>([n, 7]);
        let norm = x.norm().item();
        assert!((x.fft_with([0, 1], ortho).norm().item() - norm).abs() < 1e-12 * norm);
        assert!((x.ifft_with(0, ortho).norm().item() - norm).abs() < 1e-12 * norm);
        assert!(x.fft_with(0, ortho).ifft_with(0, ortho).all_close(&x, 0.0, 1e-13));
    }
}

/// As in NumPy, the imaginary parts of the first and, for even lengths, of the last frequency are ignored.
#[test]
fn irfft_ignores_imaginary_parts_that_must_be_zero() {
    let z = tensor![Complex::new(4.0, 9.0), Complex::new(1.0, 2.0), Complex::new(3.0, -7.0)];
    let clean = tensor![Complex::new(4.0, 0.0), Complex::new(1.0, 2.0), Complex::new(3.0, 0.0)];
    assert_eq!(z.irfft(0, 4), clean.irfft(0, 4));
    // np.fft.irfft([4+9j, 1+2j, 3-7j], 4)
    assert_eq!(z.irfft(0, 4), tensor![2.25, -0.75, 1.25, 1.25]);
    // For odd lengths, the last frequency has an imaginary part.
    assert!(!z.irfft(0, 5).all_close(&clean.irfft(0, 5), 0.0, 1e-3));
}

#[test]
fn frequencies() {
    // np.fft.fftfreq(7, 0.1), np.fft.fftfreq(6, 2.0), np.fft.rfftfreq(7, 0.1), np.fft.rfftfreq(6, 2.0)
    let odd = tensor![
        0.0,
        1.4285714285714286,
        2.857142857142857,
        4.285714285714286,
        -4.285714285714286,
        -2.857142857142857,
        -1.4285714285714286
    ];
    let even = tensor![
        0.0,
        0.08333333333333333,
        0.16666666666666666,
        -0.25,
        -0.16666666666666666,
        -0.08333333333333333
    ];
    type T<X> = Tensor<X, Rank<1>>;
    assert!(T::<f64>::fftfreq(7, 0.1).all_close(&odd, 1e-15, 0.0));
    assert_eq!(T::<f64>::fftfreq(6, 2.0), even);
    assert_eq!(T::<f32>::fftfreq(6, 2.0), even.cast::<f32>());
    assert!(T::<f64>::rfftfreq(7, 0.1).all_close(&odd.slice(s![..4]), 1e-15, 0.0));
    assert_eq!(T::<f64>::rfftfreq(6, 2.0), tensor![0.0, 0.08333333333333333, 0.16666666666666666, 0.25]);
    assert_eq!(T::<f64>::fftfreq(1, -2.0), tensor![0.0]);
    assert_eq!(T::<f64>::rfftfreq(1, -2.0), tensor![0.0]);
    let dynamic = |x: Result<DynTensor, Error>| x.unwrap().downcast::<f64, Rank<1>, RowMajor, Cpu>().unwrap();
    assert_eq!(dynamic(DynTensor::fftfreq(6, 2.0, DType::F64)), even);
    assert!(dynamic(DynTensor::rfftfreq(7, 0.1, DType::F64)).all_close(&odd.slice(s![..4]), 1e-15, 0.0));
    let single = DynTensor::fftfreq(6, 2.0, DType::F32).unwrap();
    assert_eq!(single.downcast_ref().unwrap(), even.cast::<f32>());
    assert_eq!(
        DynTensor::rfftfreq(6, 2.0, DType::I32).unwrap_err().to_string(),
        "create frequencies: `i32` is not a real floating-point type: this function needs `f32` or `f64` elements; convert integers \
         first, e.g. with `.to_dtype(DType::F64)`; take `.abs()`, `.re()` or `.im()` of complex numbers"
    );
    // The spacing is 0 as an `f32`.
    assert_eq!(
        DynTensor::fftfreq(6, 1e-300, DType::F32).unwrap_err().to_string(),
        T::<f32>::try_fftfreq(6, 0.0).unwrap_err().to_string()
    );
    // 1 / (4 · 5e-324) exceeds the range of `f64`.
    let infinity = f64::INFINITY;
    assert_eq!(T::<f64>::fftfreq(4, 5e-324), tensor![0.0, infinity, -infinity, -infinity]);
    assert_eq!(T::<f64>::rfftfreq(4, -5e-324), tensor![0.0, -infinity, -infinity]);
    let there = Tensor::<f64, Rank<1>, ColMajor, Remote>::try_fftfreq_in(6, 2.0, &Remote::default()).unwrap();
    assert_eq!(there.to_device::<Cpu>().unwrap().to_vec(), even.to_vec());
    let there =
        Tensor::<f64, Rank<1>, ColMajor, Remote>::try_rfftfreq_in(2, 0.25, &Remote::default()).unwrap();
    assert_eq!(there.to_device::<Cpu>().unwrap().to_vec(), [0.0, 2.0]);
}

// ------------------------------------------------------------------ axes, strides, devices

/// Transforms each lane of a tensor by the definition.
fn lane_by_lane<D: RemoveAxes<1>, O: Order>(
    x: &TensorView<'_, c64, D, O>,
    axis: usize,
    inverse: bool,
) -> Tensor<c64, D, O> {
    let mut y = x.to_owned();
    let lanes: Vec<Vec<c64>> = x.lanes(axis).map(|lane| lane.to_vec()).collect();
    for (mut to, lane) in y.lanes_mut(axis).zip(lanes) {
        to.iter_mut().zip(by_definition(&lane, inverse)).for_each(|(to, y)| *to = y);
    }
    y
}

#[track_caller]
fn check_axes<D: RemoveAxes<1>, O: Order>(x: TensorView<'_, c64, D, O>) {
    let size = 1e-13 * x.len().max(16) as f64;
    for axis in 0..x.rank() {
        let what = format!("axis {axis} of {:?} with strides {:?}", x.shape(), x.strides());
        let expected = lane_by_lane(&x, axis, false);
        assert!(x.fft(axis).all_close(&expected, 0.0, size), "{what}");
        assert!(x.ifft(axis).all_close(&lane_by_lane(&x, axis, true), 0.0, size), "{what}");
        // Transforms of real operands, and the inverse.
        let n = x.shape().as_ref()[axis];
        let real = x.re();
        let all = lane_by_lane(&real.cast::<c64>().view(), axis, false);
        assert!(real.fft(axis).all_close(&all, 0.0, size), "{what}");
        let half = real.rfft(axis);
        assert!(half.all_close(&all.view().split_at(axis, n / 2 + 1).0, 0.0, size), "{what}");
        assert!(half.irfft(axis, n).all_close(&real, 0.0, size), "{what}");
    }
}

fn axes_of_views<O: Order>() {
    check_axes(operand::<Rank<3>, O>([5, 6, 7]).view());
    check_axes(operand::<Rank<3>, O>([5, 6, 7]).permute([2, 1, 0]));
    check_axes(operand::<Rank<4>, O>([3, 2, 9, 2]).permute([2, 0, 3, 1]));
    // Together, these shapes test many short lines, a few long lines, lines along an axis if the two other axes cannot be fused into one
    // loop, lines of one element, and a single line.
    check_axes(operand::<Rank<2>, O>([16, 90]).view());
    check_axes(operand::<Rank<2>, O>([90, 16]).view());
    check_axes(operand::<Rank<3>, O>([40, 12, 3]).permute([2, 1, 0]));
    check_axes(operand::<Rank<3>, O>([1, 8, 1]).view());
    check_axes(operand::<Rank<1>, O>([12]).view());
}

fn negative_and_zero_strides<O: Order>() {
    let x = operand::<Rank<3>, O>([6, 10, 8]);
    check_axes(x.slice(s![..;-1, 1..9;2, ..;-2]));
    check_axes(x.slice(s![1.., ..;-3, 2..7]));
    let row = operand::<Rank<2>, O>([1, 8]);
    check_axes(row.broadcast_to([5, 8]));
    check_axes(row.index_axis(0, 0).insert_axis(1).broadcast_to([8, 40]));
}

fn axes_one_by_one<O: Order>() {
    let x = operand::<Rank<3>, O>([4, 9, 10]);
    let close = |a: &Tensor<c64, Rank<3>, O>, b: &Tensor<c64, Rank<3>, O>| a.all_close(b, 0.0, 1e-11);
    assert!(close(&x.fft_axes([0, 1, 2]), &x.fft(0).fft(1).fft(2)));
    assert!(close(&x.fft_axes([2, 0]), &x.fft(0).fft(2)));
    assert!(close(&x.ifft_axes([1, -1]), &x.ifft(2).ifft(1)));
    assert!(close(&x.fft_axes(Axis::<1>), &x.fft(1)));
    assert!(close(&x.fft_axes(Last), &x.fft(-1)));
    assert!(close(&x.permute([1, 2, 0]).fft_axes([0, 2]), &x.fft_axes([1, 0]).permute([1, 2, 0]).to_owned()));
    let real = x.re();
    assert!(close(&real.fft_axes([0, 2]), &real.cast::<c64>().fft_axes([0, 2])));
    assert!(close(&real.rfft_axes([0, 1, 2]), &real.rfft(2).fft(0).fft(1)));
    assert!(close(&real.rfft_axes([2, 1]), &real.rfft(1).fft(2)));
    for axes in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let n = real.shape()[axes[2]];
        let back = real.rfft_axes(axes).irfft_axes(axes, n);
        assert!(back.all_close(&real, 0.0, 1e-13), "{axes:?}");
    }
}

/// The expected results are transforms of operands that were padded with zeros or sliced before the transform.
fn padding_several_axes<O: Order>() {
    let x = operand::<Rank<3>, O>([4, 5, 6]);
    // On x86-64, the larger operand has enough adjacent lines to be transformed without copies.
    for scale in [1, 3] {
        let of = |shape: [usize; 3]| shape.map(|len| scale * len);
        let x = operand::<Rank<3>, O>(of([4, 5, 6]));
        let mut padded = Tensor::<c64, Rank<3>, O>::zeros(of([7, 5, 9]));
        padded.slice_mut(s![..4 * scale, .., ..6 * scale]).assign(&x);
        let close = |a: &Tensor<c64, Rank<3>, O>, b: &Tensor<c64, Rank<3>, O>| a.all_close(b, 0.0, 1e-9);
        for axes in [[0, 1, 2], [2, 1, 0]] {
            let lens = |shape: [usize; 3]| Fft::new().lens(axes.map(|axis| of(shape)[axis]));
            assert!(close(&x.fft_with(axes, lens([7, 5, 9])), &padded.fft_axes(axes)));
            assert!(close(&x.re().fft_with(axes, lens([7, 5, 9])), &padded.re().fft_axes(axes)));
            assert!(close(&x.re().rfft_with(axes, lens([7, 5, 9])), &padded.re().rfft_axes(axes)));
            let part = x.slice(s![..3 * scale, .., ..2 * scale]);
            assert!(close(&x.ifft_with(axes, lens([3, 5, 2])), &part.ifft_axes(axes)));
            assert!(close(&x.re().rfft_with(axes, lens([3, 5, 2])), &part.re().rfft_axes(axes)));
            // The operand is cut along one axis, and padded along the others.
            let mut to = Tensor::<c64, Rank<3>, O>::zeros(of([9, 2, 8]));
            to.slice_mut(s![..4 * scale, .., ..6 * scale]).assign(x.slice(s![.., ..2 * scale, ..]));
            assert!(close(&x.fft_with(axes, lens([9, 2, 8])), &to.fft_axes(axes)));
            assert!(close(&x.re().fft_with(axes, lens([9, 2, 8])), &to.re().fft_axes(axes)));
        }
    }
    assert_eq!(x.fft_with([0, 1], Fft::new().len(7)).shape(), [4, 7, 6]);
    let zeros = Tensor::<f64, Rank<2>, O>::zeros([2, 0]);
    assert_eq!(zeros.fft_with(1, Fft::new().len(3)), Tensor::<c64, _, O>::zeros([2, 3]));
    assert_eq!(zeros.rfft_with(1, Fft::new().len(3)), Tensor::<c64, _, O>::zeros([2, 2]));
    assert_eq!(zeros.rfft_with([1, 0], Fft::new().lens([3, 4])), Tensor::<c64, _, O>::zeros([3, 3]));
    assert_eq!(zeros.cast::<c64>().irfft(1, 3), Tensor::<f64, _, O>::zeros([2, 3]));
    assert_eq!(
        zeros.cast::<c64>().irfft_with([0, 1], Fft::new().lens([2, 3])),
        Tensor::<f64, _, O>::zeros([2, 3])
    );
    assert_eq!(zeros.fft(0).shape(), [2, 0]);
    assert_eq!(zeros.rfft(0).shape(), [2, 0]);
    assert_eq!(zeros.cast::<c64>().irfft(0, 5).shape(), [5, 0]);
}

/// A device outside the crate computes transforms through the host, by the default methods of `Fourier`. The strides of the copy on the
/// host can differ from those of the operand, so the last bits of the result can differ too.
fn other_devices<O: Order>() {
    fn check<T: Inexact, O: Order>(there: Tensor<T, Rank<3>, O, Remote>, here: Tensor<T, Rank<3>, O>) {
        let there = there.to_device::<Cpu>().unwrap();
        assert_eq!(there.shape(), here.shape());
        assert!((there - here).norm().item() < T::Magnitude::from_f64(1e-12));
    }
    let x = operand::<Rank<3>, O>([3, 4, 5]);
    let there = x.to_device_in(&Remote::default()).unwrap();
    check(there.fft(1), x.fft(1));
    check(there.permute([2, 0, 1]).ifft_axes([0, 1]), x.permute([2, 0, 1]).ifft_axes([0, 1]));
    let options = Fft::new().lens([6, 2]).norm(Norm::Ortho);
    check(there.re().rfft_with([2, 0], options), x.re().rfft_with([2, 0], options));
    check(there.irfft(2, 8), x.irfft(2, 8));
    assert_eq!(there.fftshift([0, 2]).to_device::<Cpu>().unwrap(), x.fftshift([0, 2]));
}

/// Results of more than 8 MiB along a strided axis are written with non-temporal stores. The transform of two numbers is their sum and
/// their difference, which are exact here.
#[test]
fn large_strided_results() {
    const MANY: usize = 262_152;
    let x = operand::<Rank<2>, RowMajor>([2, MANY]);
    let [a, b] = [0, 1].map(|k| x.index_axis(0, k).to_vec());
    let check = |found: Tensor<c64, Rank<2>>, what: &str, expected: [&dyn Fn(c64, c64) -> c64; 2]| {
        let (found, expected) = (found.as_slice().chunks(MANY), expected.into_iter());
        for (k, (found, expected)) in found.zip(expected).enumerate() {
            let wrong = (0..MANY).find(|&i| found[i] != expected(a[i], b[i]));
            assert_eq!(wrong, None, "{what}: first wrong line at frequency {k}");
        }
    };
    check(x.fft(0), "fft", [&|a, b| a + b, &|a, b| a - b]);
    check(x.re().rfft(0), "rfft", [&|a, b| (a + b).re.into(), &|a, b| (a - b).re.into()]);
    let real = x.irfft(0, 4);
    let expected = (0..MANY).map(|i| (a[i].re + 2.0 * b[i].re) / 4.0);
    assert!(real.as_slice()[..MANY].iter().copied().eq(expected), "irfft");
}

/// Contiguous lines of results of more than 8 MiB are copied and then transformed in place. Line `i` has one element that is not 0, so its
/// transform is a wave of constant magnitude.
#[test]
fn large_contiguous_results() {
    const N: usize = 128;
    const LINES: usize = 4099;
    let wave: Vec<c64> =
        (0..N).map(|k| c64::from_polar(1.0, -core::f64::consts::TAU * k as f64 / N as f64)).collect();
    let mut elements = vec![c64::default(); 2 * LINES * N];
    for i in 0..LINES {
        elements[(2 * i + 1) * N + i % N] = c64::from((2 * i + 1) as f64);
    }
    let x = Tensor::<c64, Rank<2>>::from_vec([2 * LINES, N], elements);
    let lines = x.slice(s![1..;2, ..]);
    let check = |found: Tensor<c64, Rank<2>>, what: &str, wave: &[c64]| {
        assert_eq!(found.shape(), [LINES, N]);
        for (i, found) in found.as_slice().chunks(N).enumerate() {
            let scale = (2 * i + 1) as f64;
            let square = (1e-14 * scale).powi(2);
            // Without iterators and operators of `Complex`, which are slow in builds without optimisation.
            let mut k = 0;
            while k < N {
                let (x, y) = (found[k], wave[i * k % N]);
                let (re, im) = (x.re - y.re * scale, x.im - y.im * scale);
                assert!(re * re + im * im <= square, "{what}: frequency {k} of line {i} is {x}");
                k += 1;
            }
        }
    };
    check(lines.to_owned().fft(1), "adjacent lines", &wave);
    check(lines.fft(1), "every second line", &wave);
    check(lines.ifft(1), "inverse", &wave.iter().map(|x| x.conj() / N as f64).collect::<Vec<_>>());
}

/// Returns the bytes of the elements, as in a file. Comparing bytes takes far less time than comparing elements, without optimisation.
fn bytes<T: Element>(elements: Vec<T>) -> Vec<u8> {
    let mut bytes = vec![];
    let x = Tensor::<T, Rank<1>>::from_vec([elements.len()], elements);
    x.write_npy_to(&mut bytes).expect("a vector is writable");
    bytes
}

/// Asserts that a column-major tensor is the mirror image of a row-major one: the reversed shape, and the same bits in memory order.
#[track_caller]
fn assert_mirrored<T: Element>(row: &Tensor<T, Rank<3>, RowMajor>, col: &Tensor<T, Rank<3>, ColMajor>) {
    assert_eq!(row.flip_order().shape(), col.shape());
    let (row, col) = (row.to_vec(), col.to_vec());
    assert!(bytes(row.clone()) == bytes(col.clone()), "{row:?} and {col:?}");
}

/// Tests the mirror law: if the axes of an operand are reversed, and its memory order is the other one, the transform along the reversed
/// axes is the mirror image. `tests/tensor/properties/order_symmetry.rs` tests other operations.
#[test]
fn mirrored_transforms() {
    for shape in [[5, 7, 9], [40, 12, 3]] {
        let x =
            Tensor::<f64, _>::from_fn(shape, |[i, j, k]| ((31 * i + 7 * j + k * k) % 13) as f64 / 7.0 - 1.0);
        let z = x.map(|re| Complex::new(re, re * re - 0.3));
        let (row_x, row_z, col_x, col_z) = (&x, &z, x.flip_order(), z.flip_order());
        for (row, col) in [(0, 2), (1, 1), (2, 0)] {
            assert_mirrored(&row_x.fft(row), &col_x.fft(col));
            assert_mirrored(&row_z.fft(row), &col_z.fft(col));
            assert_mirrored(&row_z.ifft(row), &col_z.ifft(col));
            assert_mirrored(&row_x.rfft(row), &col_x.rfft(col));
            assert_mirrored(&row_z.irfft(row, 9), &col_z.irfft(col, 9));
            assert_mirrored(&row_x.fftshift(row), &col_x.fftshift(col));
            assert_mirrored(&row_x.ifftshift(row), &col_x.ifftshift(col));
        }
        // The axes are named in the same order.
        for (row, col) in [([0, 2], [2, 0]), ([2, 1], [0, 1])] {
            assert_mirrored(&row_z.fft_axes(row), &col_z.fft_axes(col));
            assert_mirrored(&row_x.rfft_axes(row), &col_x.rfft_axes(col));
            assert_mirrored(&row_z.irfft_axes(row, 9), &col_z.irfft_axes(col, 9));
            assert_mirrored(&row_x.fftshift(row), &col_x.fftshift(col));
        }
    }
}

fn shifts<O: Order>() {
    let x = Tensor::<i64, _, O>::from_fn([4, 3, 5], |[i, j, k]| (15 * i + 5 * j + k) as i64);
    for axes in [&[0][..], &[1], &[2], &[0, 2], &[2, 1, 0], &[]] {
        let half = |index: [usize; 3], back: bool| {
            let mut from = index;
            for &axis in axes {
                let n = [4, 3, 5][axis];
                from[axis] = (index[axis] + if back { n / 2 } else { n - n / 2 }) % n;
            }
            x[from]
        };
        let (forth, back) = match *axes {
            [a] => (x.fftshift(a), x.ifftshift(a)),
            [a, b] => (x.fftshift([a, b]), x.ifftshift([a, b])),
            [a, b, c] => (x.fftshift([a, b, c]), x.ifftshift([a, b, c])),
            _ => (x.fftshift([0; 0]), x.ifftshift([0; 0])),
        };
        assert_eq!(forth, Tensor::<i64, _, O>::from_fn([4, 3, 5], |i| half(i, false)), "{axes:?}");
        assert_eq!(back, Tensor::<i64, _, O>::from_fn([4, 3, 5], |i| half(i, true)), "{axes:?}");
        let dynamic = DynTensor::from(x.clone());
        assert_eq!(dynamic.fftshift(axes).unwrap().downcast_ref().unwrap(), forth);
        assert_eq!(dynamic.ifftshift(axes).unwrap().downcast_ref().unwrap(), back);
    }
    let view = x.permute([2, 0, 1]);
    let view = view.slice(s![..;-1, .., ..]);
    assert_eq!(view.fftshift([0, 1]), view.to_owned().fftshift([0, 1]));
    assert_eq!(
        Tensor::<bool, _, O>::from([[true, false, false]]).fftshift(Last),
        Tensor::<bool, _, O>::from([[false, true, false]])
    );
    assert_eq!(Tensor::<f32, Rank<2>, O>::zeros([0, 3]).fftshift([0, 1]).shape(), [0, 3]);
}

// ------------------------------------------------------------------ dynamic tensors, threads

#[test]
fn typed_and_dynamic_agree() {
    fn check<T: FftElement>(x: Tensor<T, Rank<2>, ColMajor>) {
        let dynamic = DynTensor::from(x.clone());
        let same = |found: Result<DynTensor, Error>, expected: Tensor<T::Complex, Rank<2>, ColMajor>| {
            assert_eq!(found.unwrap().downcast_ref().unwrap(), expected);
        };
        same(dynamic.fft(1), x.fft(1));
        same(dynamic.fft(-1), x.fft(Last));
        same(dynamic.ifft(0), x.ifft(0));
        same(dynamic.fft(..), x.fft_axes([0, 1]));
        same(dynamic.ifft([1, 0]), x.ifft_axes([1, 0]));
        let options = Fft::new().lens([2, 7]).norm(Norm::Forward);
        same(dynamic.fft_with([0, 1], options), x.fft_with([0, 1], options));
        same(dynamic.ifft_with([0, 1], options), x.ifft_with([0, 1], options));
        same(dynamic.t().unwrap().fft(0), x.t().fft(0));
    }
    let x = operand::<Rank<2>, ColMajor>([4, 5]);
    check(x.clone());
    check(x.re());
    check(x.cast::<c32>());
    check(x.re().cast::<f32>());
    // A view whose first element is not the first element of the buffer.
    assert_eq!(
        DynTensor::from(x.clone()).slice(s![1.., ..;-2]).unwrap().fft(1).unwrap().downcast_ref().unwrap(),
        x.slice(s![1.., ..;-2]).fft(1)
    );
    let real = x.re();
    let (dynamic, half) = (DynTensor::from(real.clone()), real.rfft_axes([1, 0]));
    assert_eq!(dynamic.rfft([1, 0]).unwrap().downcast_ref().unwrap(), half);
    assert_eq!(
        dynamic.rfft([1, 0]).unwrap().irfft([1, 0], 4).unwrap().downcast_ref().unwrap(),
        half.irfft_axes([1, 0], 4)
    );
    let single = real.cast::<f32>();
    let options = Fft::new().len(9);
    assert_eq!(
        DynTensor::from(single.clone()).rfft_with(0, options).unwrap().downcast_ref().unwrap(),
        single.rfft_with(0, options)
    );
    assert_eq!(
        DynTensor::from(single.rfft(0)).irfft_with(0, options).unwrap().downcast_ref().unwrap(),
        single.rfft(0).irfft_with(0, options)
    );
}

#[test]
fn dynamic_tensors_reject_other_element_types() {
    let text = |result: Result<DynTensor, Error>| result.unwrap_err().to_string();
    let integers = DynTensor::from(tensor![1, 2]);
    assert_eq!(
        text(integers.fft(0)),
        "fft: `i32` has no Fourier transform: expected `f32`, `f64`, `Complex<f32>` or `Complex<f64>`; convert integers first, \
         e.g. with `.to_dtype(DType::F64)`"
    );
    assert!(
        text(DynTensor::from(tensor![true]).ifft(0)).starts_with("ifft: `bool` has no Fourier transform")
    );
    assert!(
        text(DynTensor::from(tensor![1.0]).irfft(0, 1))
            .starts_with("irfft: `f64` has no inverse Fourier transform to real")
    );
    let complex = DynTensor::from(tensor![Complex::from(1.0)]);
    assert!(
        text(complex.rfft(0)).starts_with("rfft: `Complex<f64>` has no Fourier transform of real numbers")
    );
    assert!(
        text(DynTensor::from(tensor![1.0].to_device_in(&Remote::default()).unwrap()).fft(0))
            .contains("does not compute on")
    );
}

/// The number of threads changes which thread transforms a line, but not how the line is transformed.
#[cfg(feature = "rayon")]
#[test]
fn same_bits_on_any_number_of_threads() {
    let in_pool = |threads: usize, f: &(dyn Fn() -> Vec<u8> + Sync)| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(f)
    };
    // Builds with debug assertions, which are slow, transform fewer and shorter lines.
    let debug = cfg!(debug_assertions);
    let x = operand::<Rank<3>, RowMajor>([if debug { 48 } else { 96 }, 50, 33]);
    let (real, short) = (x.re(), operand::<Rank<2>, RowMajor>([20011, 6]));
    // Each line has six elements with stride 5. The copies of such short lines are adjacent in the workspace. The lines that are copied
    // and transformed together (a tile) are more than one run of the innermost loop over lines, so a tile spans several runs.
    let strided = operand::<Rank<3>, RowMajor>([3000, 6, 5]);
    // Lines of this length are split between threads one at a time.
    let long = operand::<Rank<2>, RowMajor>([7, 2500]);
    let long_real = long.re();
    // Too few strided lines for two groups of the usual size: two threads take half of them each. The lines of the slices are not adjacent,
    // so they are copied. The length is 11·211.
    let few = operand::<Rank<2>, RowMajor>([2321, 22]);
    let few_real = few.re();
    // Long lines, in groups of 16 and one smaller group, and few lines. The lines are copied: 66 000 exceeds the maximum length of lines that
    // are transformed in place, and the shorter length is 75·211. Both results have more than 8 MiB.
    let longest = operand::<Rank<2>, RowMajor>([if debug { 15_825 } else { 66_000 }, 35]);
    let narrow = operand::<Rank<3>, RowMajor>([3, 4096, 2]);
    let narrow_real = narrow.re();
    let transforms: [&(dyn Fn() -> Vec<u8> + Sync); 20] = [
        &|| bytes(x.fft_axes([0, 1, 2]).to_vec()),
        &|| bytes(x.permute([1, 2, 0]).ifft(1).to_vec()),
        &|| bytes(real.rfft_axes([2, 1, 0]).to_vec()),
        &|| bytes(real.rfft(0).to_vec()),
        &|| bytes(real.ifft(1).to_vec()),
        &|| bytes(x.irfft(0, 2 * x.shape()[0] - 3).to_vec()),
        &|| bytes(x.irfft_axes([0, 2], 61).to_vec()),
        &|| bytes(short.fft(1).to_vec()),
        &|| bytes(short.cast::<c32>().fft(1).to_vec()),
        &|| bytes(strided.fft(1).to_vec()),
        &|| bytes(strided.cast::<c32>().fft(1).to_vec()),
        &|| bytes(long.fft(1).to_vec()),
        &|| bytes(long_real.rfft(1).to_vec()),
        &|| bytes(few.slice(s![.., ..;2]).fft(0).to_vec()),
        &|| bytes(few_real.slice(s![.., ..;2]).rfft(0).to_vec()),
        &|| bytes(few.fft(0).to_vec()),
        &|| bytes(few_real.rfft(0).to_vec()),
        &|| bytes(longest.fft(0).to_vec()),
        &|| bytes(narrow.fft(1).to_vec()),
        &|| bytes(narrow_real.rfft(1).to_vec()),
    ];
    for (k, f) in transforms.into_iter().enumerate() {
        let expected = f();
        for threads in 1..=3 {
            assert!(in_pool(threads, f) == expected, "transform {k} on {threads} threads");
        }
    }
}
