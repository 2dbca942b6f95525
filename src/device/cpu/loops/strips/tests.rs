//! Compares elementwise operations on operands with any strides with naive loops over indices.

use crate::device::cpu::{Cpu, HostPtr};
use crate::device::{BinaryOp, Elementwise, Operand, Output, TernaryOp, UnaryOp};
use crate::element::{Arithmetic, Element, Scalar, c32, c64};
use crate::simd::tests::at_each_level;

/// A linear congruential generator with a fixed seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// The elements of an operand, in a buffer that also has elements before and after them.
#[derive(Clone)]
struct Memory<T> {
    data: Vec<T>,
    first: usize,
    strides: Vec<isize>,
}

impl<T: Scalar> Memory<T> {
    /// Makes a random layout: its axes are in any order in memory, some are reversed, and some have gaps. If `repeats`, some have
    /// stride 0.
    fn new(shape: &[usize], numbers: &mut Numbers, repeats: bool) -> Self {
        let mut axes: Vec<usize> = (0..shape.len()).collect();
        for k in (1..axes.len()).rev() {
            axes.swap(k, numbers.below(k + 1));
        }
        if numbers.below(3) == 0 {
            axes.sort();
        }
        let (mut strides, mut first, mut stride) = (vec![0; shape.len()], 3 + numbers.below(9), 1);
        for &axis in axes.iter().rev() {
            if repeats && numbers.below(6) == 0 {
                continue;
            }
            stride += usize::from(numbers.below(5) == 0) * numbers.below(3);
            strides[axis] = stride as isize;
            if numbers.below(5) == 0 {
                strides[axis] = -(stride as isize);
                first += stride * shape[axis].saturating_sub(1);
            }
            stride *= shape[axis].max(1);
        }
        let data = (0..first + stride + 5).map(|_| T::from_usize(numbers.below(9))).collect();
        Memory { data, first, strides }
    }

    fn operand<'a>(&'a self, shape: &'a [usize]) -> Operand<'a, T, Cpu> {
        // SAFETY: `new` chose the size of the buffer and the strides for `shape`, so the buffer contains the element at every index. It
        // is borrowed for `'a`.
        unsafe {
            Operand::from_raw(HostPtr::new(self.data[self.first..].as_ptr().cast_mut()), shape, &self.strides)
        }
    }
}

impl<T> Memory<T> {
    fn output<'a>(&'a mut self, shape: &'a [usize]) -> Output<'a, T, Cpu>
    where
        T: Element,
    {
        // SAFETY: `new` chose the size of the buffer and the strides for `shape`, so the buffer contains the element at every index. It
        // is mutably borrowed for `'a`. Outputs are made without stride 0, so different indices have different elements.
        unsafe { Output::from_raw(HostPtr::new(self.data[self.first..].as_mut_ptr()), shape, &self.strides) }
    }

    fn at(&self, index: &[usize]) -> usize {
        let mut at = self.first as isize;
        for (axis, &stride) in self.strides.iter().enumerate() {
            at += index[axis] as isize * stride;
        }
        at as usize
    }
}

/// Calls `f` with each index of a shape, in row-major order.
fn for_each_index(shape: &[usize], mut f: impl FnMut(&[usize])) {
    if shape.contains(&0) {
        return;
    }
    let mut index = vec![0; shape.len()];
    loop {
        f(&index);
        let mut axis = shape.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// Functions that treat their operands differently: `2 a + 1`, `2 a + b`, and whether `2 a + b` equals `c`. The arithmetic wraps.
#[derive(Clone, Copy)]
struct Mix;

fn twice_and<T: Scalar>(a: T, b: T) -> T {
    T::wrapping(Arithmetic::Add, T::wrapping(Arithmetic::Add, a, a), b)
}

impl<T: Scalar> UnaryOp<T> for Mix {
    type Output = T;
    const NAME: &'static str = "mix";
    fn apply(&self, a: T) -> T {
        twice_and(a, T::one())
    }
}
impl<T: Scalar> BinaryOp<T, T> for Mix {
    type Output = T;
    const NAME: &'static str = "mix";
    fn apply(&self, a: T, b: T) -> T {
        twice_and(a, b)
    }
}
impl<T: Scalar> TernaryOp<T, T, T> for Mix {
    type Output = bool;
    const NAME: &'static str = "mix";
    fn apply(&self, a: T, b: T, c: T) -> bool {
        twice_and(a, b) == c
    }
}

/// Checks functions of one, two and three operands on one shape, with operands of random layouts.
fn check<T: Scalar>(shape: &[usize], numbers: &mut Numbers) {
    let [a, b, c] = [0; 3].map(|_| Memory::<T>::new(shape, numbers, true));
    let out = Memory::<T>::new(shape, numbers, false);
    let flags = Memory { data: vec![false; out.data.len()], first: out.first, strides: out.strides.clone() };
    let mut expected = [0; 4].map(|_| out.data.clone());
    let mut same = flags.data.clone();
    for_each_index(shape, |index| {
        let (x, y, z) = (a.data[a.at(index)], b.data[b.at(index)], c.data[c.at(index)]);
        let at = out.at(index);
        let o = out.data[at];
        expected[0][at] = twice_and(x, T::one());
        expected[1][at] = twice_and(o, T::one());
        expected[2][at] = twice_and(x, y);
        expected[3][at] = twice_and(o, x);
        same[at] = twice_and(x, y) == z;
    });
    let found = at_each_level(|| {
        let run = |f: &dyn Fn(Output<'_, T, Cpu>)| {
            let mut out = out.clone();
            f(out.output(shape));
            out.data
        };
        let results = [
            run(&|o| Cpu.map::<(T,), _>(&Mix, o, (a.operand(shape),)).unwrap()),
            run(&|o| Cpu.update::<(T,), _>(&Mix, o, ()).unwrap()),
            run(&|o| Cpu.map::<(T, T), _>(&Mix, o, (a.operand(shape), b.operand(shape))).unwrap()),
            run(&|o| Cpu.update::<(T, T), _>(&Mix, o, (a.operand(shape),)).unwrap()),
        ];
        let mut flags = flags.clone();
        let operands = (a.operand(shape), b.operand(shape), c.operand(shape));
        Cpu.map::<(T, T, T), _>(&Mix, flags.output(shape), operands).unwrap();
        (results, flags.data)
    });
    for (results, flags) in found {
        let names = ["unary", "unary in place", "binary", "binary in place"];
        for ((name, found), expected) in names.iter().zip(results).zip(&expected) {
            assert!(found == *expected, "{name}, {shape:?}");
        }
        assert!(flags == same, "ternary, {shape:?}");
    }
}

fn check_types(shape: &[usize], numbers: &mut Numbers) {
    check::<u8>(shape, numbers);
    check::<i16>(shape, numbers);
    check::<f32>(shape, numbers);
    check::<f64>(shape, numbers);
    check::<c32>(shape, numbers);
    check::<c64>(shape, numbers);
}

/// Number of random layouts for each shape or rank. Builds without optimisation are slow, so they test fewer.
const LAYOUTS: usize = if cfg!(debug_assertions) { 2 } else { 4 };

#[test]
fn any_strides_of_every_rank() {
    let mut numbers = Numbers(1);
    for rank in 0..=8 {
        for _ in 0..3 * LAYOUTS {
            let longest = [1, 400, 40, 14, 9, 6, 5, 4, 3][rank];
            let shape: Vec<usize> = (0..rank).map(|_| 1 + numbers.below(longest)).collect();
            check_types(&shape, &mut numbers);
        }
    }
    for shape in [&[0][..], &[3, 0], &[0, 2, 5], &[1, 1, 1], &[1, 7, 1]] {
        check_types(shape, &mut numbers);
    }
}

#[test]
fn blocks_and_rows_of_any_length() {
    let mut numbers = Numbers(2);
    for shape in [[64, 64], [33, 1025], [1030, 65], [130, 128], [257, 130], [3, 2000], [2000, 3]] {
        for _ in 0..LAYOUTS {
            check::<u8>(&shape, &mut numbers);
            check::<f64>(&shape, &mut numbers);
            check::<c64>(&shape, &mut numbers);
        }
    }
}

/// Checks results that are large enough for non-temporal stores. One result is contiguous, and two have rows that do not end at cache line
/// boundaries.
#[test]
fn large_results() {
    let (rows, columns) = (if cfg!(debug_assertions) { 517 } else { 4099 }, 2051);
    let value = |k: usize| (k % 1013) as f64;
    let a: Vec<f64> = (0..rows * (columns + 2)).map(value).collect();
    for (pitch, first) in [(columns, 0), (columns + 1, 3), (columns + 2, 1)] {
        let (shape, contiguous, wide) = ([rows, columns], [columns as isize, 1], [pitch as isize, 1]);
        let mut out = vec![-1.0; rows * (columns + 2) + 3];
        let x = Operand::of_slice(&a, 0, &shape, &contiguous);
        let o = Output::of_slice(&mut out, first, &shape, &wide);
        assert!(rows * columns * 8 >= super::min_streamed_bytes());
        Cpu.map::<(f64, f64), _>(&Mix, o, (x, x)).unwrap();
        for i in 0..rows {
            let row = &out[first + i * pitch..];
            assert!((0..columns).all(|j| row[j] == 3.0 * value(i * columns + j)), "row {i}");
            assert!((columns..pitch).all(|j| row[j] == -1.0), "after row {i}");
        }
    }
}

/// Checks results with a transposed operand: with and without non-temporal stores, and with and without gaps between the rows of
/// the output.
#[test]
fn transposed_operands_of_large_results() {
    let large =
        if cfg!(debug_assertions) { [(261, 4099), (70, 15_013)] } else { [(2053, 4099), (70, 120_013)] };
    for (rows, columns) in large.into_iter().chain([(240, 4001), (65, 2050)]) {
        let a: Vec<f64> = (0..rows * (columns + 1)).map(|k| (k % 1013) as f64).collect();
        let b: Vec<f64> = (0..rows * columns).map(|k| (k % 509) as f64).collect();
        for gap in [0, 1] {
            let pitch = columns + gap;
            let mut out = vec![-1.0; rows * pitch];
            let (shape, wide, across) = ([rows, columns], [pitch as isize, 1], [1, rows as isize]);
            let (x, y) = (Operand::of_slice(&a, 0, &shape, &wide), Operand::of_slice(&b, 0, &shape, &across));
            Cpu.map::<(f64, f64), _>(&Mix, Output::of_slice(&mut out, 0, &shape, &wide), (x, y)).unwrap();
            for i in 0..rows {
                let row = &out[i * pitch..(i + 1) * pitch];
                let expected = |j: usize| 2.0 * a[i * pitch + j] + b[j * rows + i];
                assert!((0..columns).all(|j| row[j] == expected(j)), "row {i} of {shape:?}");
                assert!((columns..pitch).all(|j| row[j] == -1.0), "after row {i} of {shape:?}");
            }
        }
    }
}

#[test]
fn undefined_element_leaves_output_unchanged() {
    use crate::device::op::binary::Div;
    let a = vec![6i32; 300_000];
    let mut b = vec![2i32; 300_000];
    b[299_999] = 0;
    let (shape, strides) = ([300_000], [1]);
    let mut out = vec![7i32; 300_000];
    let (x, y) = (Operand::of_slice(&a, 0, &shape, &strides), Operand::of_slice(&b, 0, &shape, &strides));
    let error =
        Cpu.map::<(i32, i32), _>(&Div, Output::of_slice(&mut out, 0, &shape, &strides), (x, y)).unwrap_err();
    assert!(error.to_string().contains("6 and 0"), "{error}");
    assert!(out.iter().all(|&x| x == 7));
}
