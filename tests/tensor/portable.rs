//! Tests of matrix products, `einsum!`, traces and files, with known results. They use only this crate and the standard library. So
//! `scripts/check-targets.sh` can run them on WebAssembly, too, for which the dependencies of other tests do not compile.

use std::path::PathBuf;
use vierbein::prelude::*;
use vierbein::{DynTensor, c64, tensor};

/// Returns the test value at an index: a small integer, so that sums are exact in every element type and summation order.
fn value(i: usize, j: usize) -> f64 {
    ((7 * i + 3 * j) % 11) as f64 - 5.0
}

/// Extents of test matrices: below and above the sizes of vector registers, panels and tiles.
const EXTENTS: [usize; 6] = [1, 3, 17, 64, 100, 131];

macro_rules! products {
    ($($name:ident: $t:ty, |$x:ident| $element:expr;)*) => {$(
        #[test]
        fn $name() {
            let element = |$x: f64| -> $t { $element };
            for n in EXTENTS {
                let a = Tensor::<$t, _>::from_fn([n, n], |[i, j]| element(value(i, j)));
                let b = Tensor::<$t, _, ColMajor>::from_fn([n, n], |[i, j]| element(value(2 * i + 1, j + 4)));
                let product = a.matmul(&b.as_order::<RowMajor>());
                let same = einsum!("ij,jk->ik", &a, b.as_order::<RowMajor>());
                for i in (0..n).step_by(n.div_ceil(13)) {
                    for k in (0..n).step_by(n.div_ceil(13)) {
                        let mut sum = <$t>::default();
                        for j in 0..n {
                            sum += a[[i, j]] * b[[j, k]];
                        }
                        assert_eq!((product[[i, k]], same[[i, k]]), (sum, sum), "{n}: {i}, {k}");
                    }
                }
                let traced = einsum!("ij,ji->", &a, b.as_order::<RowMajor>());
                assert_eq!(traced.item(), product.trace(0, 1).item(), "{n}");
            }
        }
    )*};
}
products! {
    products_of_f32: f32, |x| x as f32;
    products_of_f64: f64, |x| x;
    products_of_c64: c64, |x| c64::new(x, 1.0 - x);
    products_of_i32: i32, |x| x as i32;
    products_of_i64: i64, |x| x as i64;
}

#[test]
fn trace_sums_the_diagonal() {
    let x = Tensor::<f64, _>::from_fn([200, 3, 200], |[i, j, k]| value(i, k) + j as f64);
    let diagonal: f64 = (0..200).map(|i| value(i, i)).sum();
    assert_eq!(x.trace(0, 2), tensor![diagonal, diagonal + 200.0, diagonal + 400.0]);
    assert_eq!(einsum!("iji->j", &x), x.trace(0, 2));
}

#[test]
fn transposes_and_reductions_of_large_tensors() {
    let x = Tensor::<i32, _>::from_fn([700, 900], |[i, j]| (1000 * i + j) as i32);
    let y = x.t().to_owned();
    assert!((0..900).step_by(7).all(|j| (0..700).step_by(11).all(|i| y[[j, i]] == 1000 * i + j)));
    assert_eq!(x.sum_axis(1)[[2]], 900 * 2000 + 899 * 450);
    assert_eq!(x.sum_axis(0)[[5]], 1000 * (699 * 350) + 700 * 5);
    assert_eq!(x.max().item(), 699_899);
}

fn directory() -> PathBuf {
    // WASI has no temporary directory; `scripts/check-targets.sh` provides `/tmp`.
    if cfg!(target_os = "wasi") { PathBuf::from("/tmp") } else { std::env::temp_dir() }
}

/// The expected bytes are those that NumPy's `np.save` writes on a little-endian machine.
#[test]
fn npy_files_have_the_same_bytes_on_every_machine() {
    let x = tensor![[1.5f64, -2.0, 0.25], [1e300, 0.0, 3.0]];
    let mut expected = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
    expected.extend(format!("{header:117}\n").bytes());
    for bits in [
        0x3ff8_0000_0000_0000u64,
        0xc000_0000_0000_0000,
        0x3fd0_0000_0000_0000,
        0x7e37_e43c_8800_759c,
        0,
        0x4008_0000_0000_0000,
    ] {
        expected.extend(bits.to_le_bytes());
    }
    let mut bytes = Vec::new();
    x.write_npy_to(&mut bytes).unwrap();
    assert_eq!(bytes, expected);

    let name = if cfg!(target_os = "wasi") { 0 } else { std::process::id() };
    let path = directory().join(format!("vierbein-portable-{name}.npy"));
    for factor in [1.0, 2.0] {
        (&x * factor).write_npy(&path).unwrap();
        assert_eq!(Tensor::<f64, Rank<2>>::read_npy(&path).unwrap(), &x * factor);
    }
    assert_eq!(DynTensor::read_npy(&path).unwrap().downcast_ref().unwrap(), &x * 2.0);
    std::fs::remove_file(path).unwrap();
}

/// A shape is rejected if its number of elements or bytes exceeds the address space. The test holds for any pointer width.
#[test]
fn shapes_beyond_the_address_space_are_errors() {
    let half = 1usize << (usize::BITS - 1);
    for shape in [[half, 2], [usize::MAX, usize::MAX], [half / 4, 1], [1, half / 8]] {
        assert!(Tensor::<f64, _>::try_zeros(shape).is_err(), "{shape:?}");
    }
    let one = tensor![1u8];
    assert!(one.try_broadcast_to([half]).is_err());
    assert_eq!(one.broadcast_to([half - 1]).len(), half - 1);
}

/// Positions with more than 32 bits. The lower 32 bits of each are a valid position along an axis of extent 10.
const FAR: [i64; 7] = [
    1 << 32,
    (1 << 32) + 1,
    (7 << 32) + 9,
    -1 << 32,
    (-1 << 32) + 3,
    (-1 << 32) - 1,
    (i32::MAX as i64) << 32,
];

/// Asserts that a result is the error of a position, which names it. On 32-bit targets, the error names the nearest `isize`.
fn is_out_of_bounds<V: std::fmt::Debug>(result: Result<V, vierbein::Error>, position: i64) {
    let error = result.unwrap_err().to_string();
    let shown = position.clamp(isize::MIN as i64, isize::MAX as i64);
    assert!(error.contains(&format!("index {shown} is out of bounds")), "{position}: {error}");
}

/// Positions have 64 bits on every target. If a method compared `usize` of 32 bits, it would read and write out of bounds.
#[test]
fn positions_beyond_32_bits_are_out_of_bounds() {
    // Methods check a few positions one by one, blocks of up to 1024 at once, and many positions as they use them.
    for (len, every) in [(1, 1), (5, 4), (40, 39), (3000, 1000), (20_000, 1000)] {
        for far in FAR {
            let positions: Vec<i64> =
                (0..len).map(|k| if k % every == every - 1 || k == len - 1 { far } else { k % 10 }).collect();
            let at = Tensor::<i64, Rank<1>>::from(positions.clone());
            let x = Tensor::<f64, _>::from_fn([10], |[i]| i as f64);
            is_out_of_bounds(x.try_take(0, &positions), far);
            is_out_of_bounds(x.try_take(0, &at), far);
            let mut out = Tensor::<f64, _>::zeros([positions.len()]);
            is_out_of_bounds(x.try_take_into(0, &positions, &mut out), far);
            is_out_of_bounds(x.try_take_along_axis(0, &at), far);
            is_out_of_bounds(x.try_take_along_axis_into(0, &at, &mut out), far);
            let indices: Vec<[i64; 1]> = positions.iter().map(|&k| [k]).collect();
            is_out_of_bounds(x.try_at(&indices), far);
            is_out_of_bounds(x.try_at_into(&indices, &mut out), far);
            assert_eq!(out.sum().item(), 0.0);

            let mut y = x.clone();
            is_out_of_bounds(y.try_scatter_add(0, &positions, Tensor::scalar(1.0)), far);
            is_out_of_bounds(y.try_put_along_axis(0, &at, Tensor::scalar(1.0)), far);
            assert_eq!(y, x);

            // Rows and columns of matrices, in both memory orders.
            let rows = Tensor::<f32, _>::from_fn([10, 3], |[i, j]| (3 * i + j) as f32);
            let columns = Tensor::<f32, Rank<2>, ColMajor>::from_fn([3, 10], |[i, j]| (10 * i + j) as f32);
            is_out_of_bounds(rows.try_take(0, &positions), far);
            is_out_of_bounds(columns.try_take(1, &positions), far);
            is_out_of_bounds(columns.t().try_take(0, &positions), far);
            let (mut below, mut beside) = (rows.clone(), columns.clone());
            is_out_of_bounds(below.try_scatter_add(0, &positions, Tensor::scalar(1.0)), far);
            is_out_of_bounds(beside.try_scatter_add(1, &positions, Tensor::scalar(1.0)), far);
            assert_eq!((below, beside), (rows, columns));

            let (mut x, at) = (DynTensor::from(x), DynTensor::from(at));
            is_out_of_bounds(x.take(0, &at), far);
            is_out_of_bounds(x.take_along_axis(0, &at), far);
            is_out_of_bounds(
                x.scatter_add(0, &at, &DynTensor::from(tensor![1.0].slice(s![0]).to_owned())),
                far,
            );
            is_out_of_bounds(
                x.put_along_axis(0, &at, &DynTensor::from(tensor![1.0].slice(s![0]).to_owned())),
                far,
            );
        }
    }
    // A position of type `usize` has the bits of a negative `i64` or of an index beyond the axis.
    for far in [usize::MAX, usize::MAX - 5, usize::MAX / 2 + 1, usize::MAX / 2 + 2] {
        for len in [1, 40, 20_000] {
            let positions = vec![far; len];
            let mut x = Tensor::<f64, _>::zeros([10]);
            assert!(x.try_take(0, &positions).is_err());
            assert!(x.try_scatter_add(0, &positions, Tensor::scalar(1.0)).is_err());
            assert!(x.try_at([[far]]).is_err());
            assert_eq!(x.sum().item(), 0.0);
        }
    }
}

#[test]
fn labels_beyond_32_bits_are_errors() {
    for far in FAR {
        assert!(tensor![1, far].try_one_hot::<f32>(10).is_err(), "{far}");
        let mut out = Tensor::<f32, _>::ones([2, 10]);
        assert!(tensor![1, far].try_one_hot_into(10, &mut out).is_err(), "{far}");
        assert_eq!(out.sum().item(), 20.0);
        // With 64 bits, the result has 2³² elements or more.
        if cfg!(target_pointer_width = "32") || far < 0 {
            assert!(tensor![1, far].try_bincount(0).is_err(), "{far}");
        }
    }
}
