//! Tests of `Display` and `Debug` of tensors. Brackets, elision, line breaks and alignment follow NumPy. The expected texts are
//! those of `array2string(x, separator=', ', precision=6, floatmode='maxprec_equal')`, except for the spelling of values: `true`,
//! `NaN`, `2i`, and no decimal point if there are no decimals.

use core::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vierbein::prelude::*;
use vierbein::{Error, c32, c64};

/// A number of `f64` elements that exceeds any memory, but is within the limit for a view.
const HUGE: usize = isize::MAX as usize / 16;

/// Asserts that two texts are equal. The panic message shows both with line breaks.
#[track_caller]
fn same_text(found: impl Display, expected: &str) {
    let found = found.to_string();
    assert!(found == expected, "\n{found}\n--- instead of ---\n{expected}");
}

#[test]
fn rank_0_is_the_value_alone() {
    same_text(Tensor::<_, Rank<0>>::scalar(3.5), "3.5");
    same_text(Tensor::<_, Rank<0>>::scalar(-7i8), "-7");
    same_text(Tensor::<_, Rank<0>>::scalar(true), "true");
    same_text(Tensor::<_, Rank<0>>::scalar(c64::new(1.0, 2.0)), "1+2i");
    same_text(format!("{:8.2}|", Tensor::<_, Rank<0>>::scalar(2.625)), "    2.62|");
    let sum = tensor![[1, 2], [3, 4]].sum();
    same_text(&sum, "10");
    same_text(format!("{sum:#}"), "10\ni32 [] row-major on Cpu");
    same_text(format!("{sum:?}"), "i32 [] row-major on Cpu\n10");
    same_text(vierbein::DynTensor::from(sum), "10");
}

#[test]
fn integers_are_right_aligned() {
    same_text(tensor![-1i16, 20, -300, 4000], "[  -1,   20, -300, 4000]\ni16 [4] row-major on Cpu");
    same_text(tensor![u64::MAX, 0], "[18446744073709551615,                    0]\nu64 [2] row-major on Cpu");
    same_text(
        tensor![[-1, 20], [300, 4]],
        "\
[[ -1,  20],
 [300,   4]]
i32 [2, 2] row-major on Cpu",
    );
}

#[test]
fn bools() {
    same_text(
        tensor![[true, false], [false, true]],
        "\
[[ true, false],
 [false,  true]]
bool [2, 2] row-major on Cpu",
    );
}

#[test]
fn floats_have_equal_number_of_decimals() {
    same_text(tensor![1.0, 2.0], "[1, 2]\nf64 [2] row-major on Cpu");
    same_text(tensor![1.0, -2.5], "[ 1.0, -2.5]\nf64 [2] row-major on Cpu");
    same_text(tensor![0.1 + 0.2, 1.0 / 3.0], "[0.300000, 0.333333]\nf64 [2] row-major on Cpu");
    same_text(tensor![0.1 + 0.2, 2.0], "[0.3, 2.0]\nf64 [2] row-major on Cpu");
    same_text(tensor![-0.0, 0.0], "[-0,  0]\nf64 [2] row-major on Cpu");
    same_text(
        Tensor::<_, _>::from_fn([2, 3, 4], |[i, j, k]| (12 * i + 4 * j + k) as f64 / 7.0),
        "\
[[[0.000000, 0.142857, 0.285714, 0.428571],
  [0.571429, 0.714286, 0.857143, 1.000000],
  [1.142857, 1.285714, 1.428571, 1.571429]],

 [[1.714286, 1.857143, 2.000000, 2.142857],
  [2.285714, 2.428571, 2.571429, 2.714286],
  [2.857143, 3.000000, 3.142857, 3.285714]]]
f64 [2, 3, 4] row-major on Cpu",
    );
}

#[test]
fn f32_digits_are_shortest_for_f32() {
    same_text(tensor![0.1f32], "[0.1]\nf32 [1] row-major on Cpu");
    same_text(tensor![1234.5677f32, 0.123456], "[1234.567700,    0.123456]\nf32 [2] row-major on Cpu");
    same_text(tensor![16777217.0f32, 0.3], "[16777216.0,        0.3]\nf32 [2] row-major on Cpu");
    // The `f32` nearest to 8.6e9 is 8600000512.
    same_text(tensor![8.6e9f32, 1.234567], "[8.600000e+09, 1.234567e+00]\nf32 [2] row-major on Cpu");
    same_text(tensor![f32::MAX, 1e-45], "[3.402823e+38, 1.000000e-45]\nf32 [2] row-major on Cpu");
    same_text(tensor![c32::new(0.1, -0.7)], "[0.1-0.7i]\nComplex<f32> [1] row-major on Cpu");
}

#[test]
fn mixed_magnitudes() {
    // Numbers are printed without an exponent if all magnitudes are within bounds, which are those of NumPy. NumPy also considers
    // the ratio of the largest to the smallest; this crate does not.
    same_text(tensor![1234.5, 0.001], "[1234.500,    0.001]\nf64 [2] row-major on Cpu");
    same_text(tensor![99999999.0, 1e-4], "[99999999.0000,        0.0001]\nf64 [2] row-major on Cpu");
    same_text(tensor![1e8, 1.0], "[1e+08, 1e+00]\nf64 [2] row-major on Cpu");
    same_text(tensor![1e-5, 3.25e-3], "[1.00e-05, 3.25e-03]\nf64 [2] row-major on Cpu");
    same_text(
        tensor![123456.75, 100000000.0, -0.5],
        "[ 1.234568e+05,  1.000000e+08, -5.000000e-01]\nf64 [3] row-major on Cpu",
    );
    // The last mantissa is rounded up to the next power of ten. One exponent has three digits, so all exponents have three digits.
    same_text(
        tensor![1e100, -2.5e-7, 9.99999999e-5],
        "[ 1.0e+100, -2.5e-007,  1.0e-004]\nf64 [3] row-major on Cpu",
    );
    same_text(
        tensor![f64::MIN_POSITIVE, 9.9999999e99],
        "[2.225074e-308, 1.000000e+100]\nf64 [2] row-major on Cpu",
    );
}

#[test]
fn nan_and_infinity() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    same_text(tensor![1.5, nan, -inf, -0.0], "[ 1.5,  NaN, -inf, -0.0]\nf64 [4] row-major on Cpu");
    same_text(tensor![-nan, inf], "[NaN, inf]\nf64 [2] row-major on Cpu");
    same_text(
        tensor![1e10, -2.5e-7, nan, 0.0],
        "[ 1.0e+10, -2.5e-07,      NaN,  0.0e+00]\nf64 [4] row-major on Cpu",
    );
}

#[test]
fn complex_parts_are_aligned() {
    let z = c64::new;
    same_text(tensor![z(1.5, -2.0)], "[1.5-2i]\nComplex<f64> [1] row-major on Cpu");
    same_text(
        tensor![[z(1.5, -2.0), z(-10.25, 0.5)], [z(0.0, 0.0), z(3.0, 100.0)]],
        "\
[[  1.50  -2.0i, -10.25  +0.5i],
 [  0.00  +0.0i,   3.00+100.0i]]
Complex<f64> [2, 2] row-major on Cpu",
    );
    same_text(
        tensor![z(f64::NAN, f64::NAN), z(-f64::INFINITY, f64::INFINITY), z(1.0, -0.0)],
        "[ NaN+NaNi, -inf+infi,    1  -0i]\nComplex<f64> [3] row-major on Cpu",
    );
    same_text(
        tensor![z(1e10, 1.0), z(0.0, -2.5e-7)],
        "[1e+10+1.0e+00i, 0e+00-2.5e-07i]\nComplex<f64> [2] row-major on Cpu",
    );
}

#[test]
fn empty_tensors_say_their_shape() {
    same_text(Tensor::<f64, _>::zeros([0]), "[]\nf64 [0] row-major on Cpu");
    same_text(Tensor::<bool, _>::zeros([3, 0, 2]), "[]\nbool [3, 0, 2] row-major on Cpu");
    same_text(Tensor::<u8, _>::zeros([1 << 20, 0]), "[]\nu8 [1048576, 0] row-major on Cpu");
}

#[test]
fn blank_lines_between_matrices() {
    same_text(
        Tensor::<i32, _>::arange(0..16).reshape([2, 2, 2, 2]),
        "\
[[[[ 0,  1],
   [ 2,  3]],

  [[ 4,  5],
   [ 6,  7]]],


 [[[ 8,  9],
   [10, 11]],

  [[12, 13],
   [14, 15]]]]
i32 [2, 2, 2, 2] row-major on Cpu",
    );
}

#[test]
fn rank_16() {
    let x = Tensor::<i32, _>::from_fn([1; 16], |_| 5);
    let shape = ["1"; 16].join(", ");
    same_text(x, &format!("{}5{}\ni32 [{shape}] row-major on Cpu", "[".repeat(16), "]".repeat(16)));
    // Tests the text of the first and the last elements of a tensor of rank 16, and the number of lines.
    let deep = Tensor::<i32, _>::arange(0..1 << 16).reshape([2; 16]).to_string();
    assert!(deep.starts_with(&format!(
        "{}    0,     1],\n{}[    2,     3]],\n\n",
        "[".repeat(16),
        " ".repeat(15)
    )));
    assert!(deep.contains(&format!("[65534, 65535]{}\n", "]".repeat(15))));
    assert_eq!(deep.lines().filter(|line| line.contains(", ")).count(), (1 << 15) + 1);
}

#[test]
fn long_rows_are_broken() {
    same_text(
        Tensor::<_, _>::from_fn([3, 20], |[i, j]| (20 * i + j) as f64 * 37.0 - 500.5),
        "\
[[-500.5, -463.5, -426.5, -389.5, -352.5, -315.5, -278.5, -241.5, -204.5,
  -167.5, -130.5,  -93.5,  -56.5,  -19.5,   17.5,   54.5,   91.5,  128.5,
   165.5,  202.5],
 [ 239.5,  276.5,  313.5,  350.5,  387.5,  424.5,  461.5,  498.5,  535.5,
   572.5,  609.5,  646.5,  683.5,  720.5,  757.5,  794.5,  831.5,  868.5,
   905.5,  942.5],
 [ 979.5, 1016.5, 1053.5, 1090.5, 1127.5, 1164.5, 1201.5, 1238.5, 1275.5,
  1312.5, 1349.5, 1386.5, 1423.5, 1460.5, 1497.5, 1534.5, 1571.5, 1608.5,
  1645.5, 1682.5]]
f64 [3, 20] row-major on Cpu",
    );
    same_text(
        Tensor::<i32, _>::arange_step(0, 4_000_000, 100_000).reshape([2, 1, 20]),
        "\
[[[      0,  100000,  200000,  300000,  400000,  500000,  600000,
    700000,  800000,  900000, 1000000, 1100000, 1200000, 1300000,
   1400000, 1500000, 1600000, 1700000, 1800000, 1900000]],

 [[2000000, 2100000, 2200000, 2300000, 2400000, 2500000, 2600000,
   2700000, 2800000, 2900000, 3000000, 3100000, 3200000, 3300000,
   3400000, 3500000, 3600000, 3700000, 3800000, 3900000]]]
i32 [2, 1, 20] row-major on Cpu",
    );
}

#[test]
fn large_tensors_are_elided() {
    // Up to 1000 elements are shown in full. Tensors with more elements are elided.
    assert!(!Tensor::<i32, _>::arange(0..1000).to_string().contains("..."));
    same_text(
        Tensor::<i32, _>::arange(0..1001),
        "[   0,    1,    2, ...,  998,  999, 1000]\ni32 [1001] row-major on Cpu",
    );
    same_text(
        Tensor::<i32, _>::arange(0..2000).reshape([20, 100]),
        "\
[[   0,    1,    2, ...,   97,   98,   99],
 [ 100,  101,  102, ...,  197,  198,  199],
 [ 200,  201,  202, ...,  297,  298,  299],
 ...,
 [1700, 1701, 1702, ..., 1797, 1798, 1799],
 [1800, 1801, 1802, ..., 1897, 1898, 1899],
 [1900, 1901, 1902, ..., 1997, 1998, 1999]]
i32 [20, 100] row-major on Cpu",
    );
    // Short axes are not elided.
    same_text(
        Tensor::<i32, _>::arange(0..1200).reshape([2, 600]),
        "\
[[   0,    1,    2, ...,  597,  598,  599],
 [ 600,  601,  602, ..., 1197, 1198, 1199]]
i32 [2, 600] row-major on Cpu",
    );
    same_text(
        Tensor::<f64, _>::ones([1001, 1]),
        "\
[[1],
 [1],
 [1],
 ...,
 [1],
 [1],
 [1]]
f64 [1001, 1] row-major on Cpu",
    );
}

#[test]
fn large_tensors_of_rank_3() {
    let expected = "\
[[[-6000, -5999, -5998, ..., -5853, -5852, -5851],
  [-5850, -5849, -5848, ..., -5703, -5702, -5701],
  [-5700, -5699, -5698, ..., -5553, -5552, -5551],
  ...,
  [-5250, -5249, -5248, ..., -5103, -5102, -5101],
  [-5100, -5099, -5098, ..., -4953, -4952, -4951],
  [-4950, -4949, -4948, ..., -4803, -4802, -4801]],

 [[-4800, -4799, -4798, ..., -4653, -4652, -4651],
  [-4650, -4649, -4648, ..., -4503, -4502, -4501],
  [-4500, -4499, -4498, ..., -4353, -4352, -4351],
  ...,
  [-4050, -4049, -4048, ..., -3903, -3902, -3901],
  [-3900, -3899, -3898, ..., -3753, -3752, -3751],
  [-3750, -3749, -3748, ..., -3603, -3602, -3601]],

 [[-3600, -3599, -3598, ..., -3453, -3452, -3451],
  [-3450, -3449, -3448, ..., -3303, -3302, -3301],
  [-3300, -3299, -3298, ..., -3153, -3152, -3151],
  ...,
  [-2850, -2849, -2848, ..., -2703, -2702, -2701],
  [-2700, -2699, -2698, ..., -2553, -2552, -2551],
  [-2550, -2549, -2548, ..., -2403, -2402, -2401]],

 ...,

 [[ 2400,  2401,  2402, ...,  2547,  2548,  2549],
  [ 2550,  2551,  2552, ...,  2697,  2698,  2699],
  [ 2700,  2701,  2702, ...,  2847,  2848,  2849],
  ...,
  [ 3150,  3151,  3152, ...,  3297,  3298,  3299],
  [ 3300,  3301,  3302, ...,  3447,  3448,  3449],
  [ 3450,  3451,  3452, ...,  3597,  3598,  3599]],

 [[ 3600,  3601,  3602, ...,  3747,  3748,  3749],
  [ 3750,  3751,  3752, ...,  3897,  3898,  3899],
  [ 3900,  3901,  3902, ...,  4047,  4048,  4049],
  ...,
  [ 4350,  4351,  4352, ...,  4497,  4498,  4499],
  [ 4500,  4501,  4502, ...,  4647,  4648,  4649],
  [ 4650,  4651,  4652, ...,  4797,  4798,  4799]],

 [[ 4800,  4801,  4802, ...,  4947,  4948,  4949],
  [ 4950,  4951,  4952, ...,  5097,  5098,  5099],
  [ 5100,  5101,  5102, ...,  5247,  5248,  5249],
  ...,
  [ 5550,  5551,  5552, ...,  5697,  5698,  5699],
  [ 5700,  5701,  5702, ...,  5847,  5848,  5849],
  [ 5850,  5851,  5852, ...,  5997,  5998,  5999]]]
";
    let x = Tensor::<i32, _>::arange(-6000..6000).reshape([10, 8, 150]);
    same_text(&x, &format!("{expected}i32 [10, 8, 150] row-major on Cpu"));
    let columns = x.to_order::<ColMajor>();
    same_text(&columns, &format!("{expected}i32 [10, 8, 150] column-major on Cpu"));
    same_text(
        x.permute([2, 0, 1]).permute([1, 2, 0]),
        &format!("{expected}i32 [10, 8, 150] row-major on Cpu"),
    );
}

#[test]
fn elided_elements_do_not_affect_format() {
    // The element 1e-30, which needs an exponent, is elided, so it does not affect the format. The last element, 0.25, does.
    let mut x = Tensor::<f64, _>::ones([5000]);
    x.as_mut_slice()[2500] = 1e-30;
    same_text(&x, "[1, 1, 1, ..., 1, 1, 1]\nf64 [5000] row-major on Cpu");
    x.as_mut_slice()[4999] = 0.25;
    same_text(&x, "[1.00, 1.00, 1.00, ..., 1.00, 1.00, 0.25]\nf64 [5000] row-major on Cpu");
}

#[test]
fn index_i_j_is_in_row_i_in_both_orders() {
    let rows = "[[1, 2, 3],\n [4, 5, 6]]\n";
    same_text(tensor![[1, 2, 3], [4, 5, 6]], &format!("{rows}i32 [2, 3] row-major on Cpu"));
    let columns = Tensor::<i32, _, ColMajor>::from_vec([2, 3], vec![1, 4, 2, 5, 3, 6]);
    same_text(&columns, &format!("{rows}i32 [2, 3] column-major on Cpu"));
    same_text(columns.as_order::<RowMajor>(), &format!("{rows}i32 [2, 3] row-major on Cpu"));
    same_text(columns.t(), "[[1, 4],\n [2, 5],\n [3, 6]]\ni32 [3, 2] column-major on Cpu");
    let three = Tensor::<i32, _, ColMajor>::from_vec([2, 1, 2], vec![1, 3, 2, 4]);
    same_text(three, "[[[1, 2]],\n\n [[3, 4]]]\ni32 [2, 1, 2] column-major on Cpu");
}

#[test]
fn views_with_any_strides() {
    let mut x = Tensor::<i32, _>::arange(0..24);
    let backwards = x.slice(s![..; -2]);
    same_text(backwards, "[23, 21, 19, 17, 15, 13, 11,  9,  7,  5,  3,  1]\ni32 [12] row-major on Cpu");
    same_text(
        backwards.as_shape([3, 4]),
        "\
[[23, 21, 19, 17],
 [15, 13, 11,  9],
 [ 7,  5,  3,  1]]
i32 [3, 4] row-major on Cpu",
    );
    same_text(tensor![1, 2].broadcast_to([2, 2]), "[[1, 2],\n [1, 2]]\ni32 [2, 2] row-major on Cpu");
    same_text(x.view_mut().slice_mut(s![1..3]), "[1, 2]\ni32 [2] row-major on Cpu");
    // A reversed view that is elided, and a view with more elements than fit in memory.
    same_text(
        Tensor::<i32, _>::arange(0..5000).slice(s![..; -1]),
        "[4999, 4998, 4997, ...,    2,    1,    0]\ni32 [5000] row-major on Cpu",
    );
    let one = Tensor::<u8, _>::ones([1]);
    same_text(
        one.broadcast_to([2, HUGE]).index_axis(0, 1),
        &format!("[1, 1, 1, ..., 1, 1, 1]\nu8 [{HUGE}] row-major on Cpu"),
    );
}

#[test]
fn format_arguments() {
    let x = tensor![[1.0, -2.345], [1e9, 1e-9]];
    same_text(
        format!("{x:.2}"),
        "\
[[         1.00,         -2.35],
 [1000000000.00,          0.00]]
f64 [2, 2] row-major on Cpu",
    );
    same_text(format!("{:.0}", tensor![1.5, 2.5]), "[2, 2]\nf64 [2] row-major on Cpu");
    same_text(format!("{:.3}", tensor![0.1f32]), "[0.100]\nf32 [1] row-major on Cpu");
    same_text(format!("{:.8}", tensor![1.0 / 3.0]), "[0.33333333]\nf64 [1] row-major on Cpu");
    same_text(format!("{:6.1}", tensor![1.0, 20.0]), "[   1.0,   20.0]\nf64 [2] row-major on Cpu");
    same_text(format!("{:4.1}", tensor![1, 2]), "[   1,    2]\ni32 [2] row-major on Cpu");
    same_text(format!("{:.1}", tensor![true]), "[true]\nbool [1] row-major on Cpu");
    same_text(format!("{:.1}", tensor![c64::new(1.0, 2.0)]), "[1.0+2.0i]\nComplex<f64> [1] row-major on Cpu");
}

#[test]
fn alternate_display_shows_everything() {
    let x = Tensor::<i32, _>::arange(0..1200).reshape([400, 3]);
    let all = format!("{x:#}");
    assert!(!all.contains("..."));
    assert_eq!(all.lines().count(), 401);
    // `{:#}` shows all elements, but `{:#?}` elides, because `dbg!` uses `{:#?}`.
    assert_eq!(format!("{x:#?}"), format!("{x:?}"));
    assert!(format!("{x:?}").contains("...,"));
}

#[test]
fn debug_starts_with_type_and_shape() {
    let x = tensor![[1.0, 2.5], [3.0, 4.0]];
    same_text(format!("{x:?}"), "f64 [2, 2] row-major on Cpu\n[[1.0, 2.5],\n [3.0, 4.0]]");
    same_text(format!("{x:.2?}"), "f64 [2, 2] row-major on Cpu\n[[1.00, 2.50],\n [3.00, 4.00]]");
    same_text(format!("{:?}", x.sum()), "f64 [] row-major on Cpu\n10.5");
    same_text(
        format!("{:#?}", Some(tensor![[1, 2], [3, 4]])),
        "\
Some(
    i32 [2, 2] row-major on Cpu
    [[1, 2],
     [3, 4]],
)",
    );
}

/// A user-defined device without `HostAccess`. It counts the elements that the library reads. If `fails` is `true`, reading fails.
#[derive(Debug, Clone, Default)]
struct Remote {
    read: Arc<AtomicUsize>,
    fails: bool,
}

// SAFETY: a buffer is an initialised `Vec` of the requested length, and a pointer is the exposed address of one of its elements.
// `read` and `write` copy the requested elements.
unsafe impl Device for Remote {
    type Buffer<T: Element> = Vec<T>;
    type Ptr<T: Element> = usize;
    fn name(&self) -> String {
        "Remote".into()
    }
    fn alloc<T: Element>(&self, len: usize) -> Result<Vec<T>, Error> {
        Ok(vec![T::default(); len])
    }
    fn len<T: Element>(buffer: &Vec<T>) -> usize {
        buffer.len()
    }
    fn ptr<T: Element>(buffer: &Vec<T>) -> usize {
        buffer.as_ptr().expose_provenance()
    }
    fn ptr_mut<T: Element>(buffer: &mut Vec<T>) -> usize {
        buffer.as_mut_ptr().expose_provenance()
    }
    fn offset<T: Element>(ptr: usize, elements: isize) -> usize {
        ptr.wrapping_add_signed(elements * size_of::<T>() as isize)
    }
    unsafe fn read<T: Element>(&self, from: usize, to: &mut [T]) -> Result<(), Error> {
        if self.fails {
            return Err(Error::DeviceUnavailable { device: self.name(), reason: "it is gone".into() });
        }
        self.read.fetch_add(to.len(), Ordering::Relaxed);
        let from = core::ptr::with_exposed_provenance::<T>(from);
        // SAFETY: the caller ensures that `to.len()` elements from `from` on may be read. `to` is a mutable slice, so it does not
        // overlap them.
        unsafe { core::ptr::copy_nonoverlapping(from, to.as_mut_ptr(), to.len()) };
        Ok(())
    }
    unsafe fn write<T: Element>(&self, from: &[T], to: usize) -> Result<(), Error> {
        let to = core::ptr::with_exposed_provenance_mut::<T>(to);
        // SAFETY: the caller ensures that `from.len()` elements are writable from `to` on, and that nothing else accesses them.
        unsafe { core::ptr::copy_nonoverlapping(from.as_ptr(), to, from.len()) };
        Ok(())
    }
}

#[test]
fn any_device() {
    let x = Tensor::<_, _, ColMajor, Remote>::from([[0.5, 1.0], [2.0, -3.0]]);
    same_text(&x, "[[ 0.5,  1.0],\n [ 2.0, -3.0]]\nf64 [2, 2] column-major on Remote");
    same_text(x.t(), "[[ 0.5,  2.0],\n [ 1.0, -3.0]]\nf64 [2, 2] column-major on Remote");
}

#[test]
fn only_shown_elements_are_read() {
    let device = Remote::default();
    let x = Tensor::<u8, _, RowMajor, _>::zeros_in([100, 1000], &device);
    device.read.store(0, Ordering::Relaxed);
    assert_eq!(x.to_string().lines().count(), 8);
    assert_eq!(device.read.load(Ordering::Relaxed), 36);
    // A view of 10^10 elements with stride 0; fewer if pointers have 32 bits.
    let side = if usize::BITS == 64 { 100_000 } else { 40_000 };
    let repeated = x.slice(s![..1, ..1]).broadcast_to([side, side]).to_string();
    assert!(repeated.starts_with("[[0, 0, 0, ..., 0, 0, 0],\n"));
    assert_eq!(device.read.load(Ordering::Relaxed), 72);
}

#[test]
fn unreadable_elements_print_as_question_marks() {
    let device = Remote { fails: true, ..Remote::default() };
    let x = Tensor::<f64, _, RowMajor, _>::zeros_in([2, 2], &device);
    same_text(&x, "[[?, ?],\n [?, ?]]\nf64 [2, 2] row-major on Remote");
    let x = Tensor::<c64, _, RowMajor, _>::zeros_in([2000], &device);
    same_text(&x, "[?, ?, ?, ..., ?, ?, ?]\nComplex<f64> [2000] row-major on Remote");
}

/// An elided tensor shows up to six elements along each axis. For 16 axes, that would be too long, so fewer are shown. On 32-bit
/// systems, a view cannot have 6¹⁶ elements.
#[cfg(target_pointer_width = "64")]
#[test]
fn views_that_repeat_one_element() {
    let one = Tensor::<f64, Rank<0>>::scalar(1.5);
    let many = format!("{:?}", one.broadcast_to([6; 16]));
    assert!(
        many.starts_with("f64 [6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6] row-major on Cpu\n[["),
        "{many:.200}"
    );
    assert_eq!(many.matches("1.5").count(), 1 << 16);
    let seven = one.broadcast_to([5; 7]).to_string();
    assert_eq!(seven.matches("1.5").count(), 4usize.pow(7));
    assert_eq!(one.broadcast_to([9; 6]).to_string().matches("1.5").count(), 6usize.pow(6));
    // `{:#}` requests all elements, but the elements do not fit in memory.
    let endless = one.broadcast_to([HUGE]);
    assert_eq!(format!("{endless:#}"), format!("?\nf64 [{HUGE}] row-major on Cpu"));
    assert_eq!(
        endless.to_string(),
        format!("[1.5, 1.5, 1.5, ..., 1.5, 1.5, 1.5]\nf64 [{HUGE}] row-major on Cpu")
    );
}

/// The maximum precision of a format string is 65535. With this precision, a number has more than 65535 characters.
#[test]
fn maximum_precision_of_format_strings() {
    let text = format!("{:.65535}", tensor![1.5, -10.25]);
    let cell = |x: f64| format!("{x:.65535}");
    assert_eq!(text, format!("[  {},\n {}]\nf64 [2] row-major on Cpu", cell(1.5), cell(-10.25)));
}
