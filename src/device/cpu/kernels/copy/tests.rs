use super::MIN_STREAMED_BYTES;
use crate::device::cpu::bytes;
use crate::device::cpu::loops::tile::transpose_tile;
use crate::device::{Copy, Cpu, Operand, Output};
use crate::element::{Element, c32, c64};
use crate::simd::tests::at_each_level;

/// Returns the element at index `k`. No element equals its neighbour in any direction.
fn number(k: usize) -> u64 {
    (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

/// Element types of every size. The alignment of `c32` is half its size.
trait Numbered: Element {
    fn numbered(k: usize) -> Self;
}
macro_rules! numbered {
    ($($t:ty: $k:ident => $x:expr;)*) => {$(
        impl Numbered for $t {
            fn numbered($k: usize) -> $t { $x }
        }
    )*};
}
numbered! {
    bool: k => number(k).is_multiple_of(2);
    i8: k => number(k) as i8;
    u16: k => number(k) as u16;
    f32: k => number(k) as u16 as f32;
    f64: k => number(k) as u32 as f64;
    c32: k => c32::new(f32::numbered(k), -(k as f32));
    c64: k => c64::new(f64::numbered(k), -(k as f64));
}

/// Returns the elements at indices `0..len`. They repeat after a prime number of elements, as each takes some time in builds without
/// optimisation.
fn elements<T: Numbered>(len: usize) -> Vec<T> {
    const PERIOD: usize = 65_537;
    let mut all: Vec<T> = (0..len.min(PERIOD)).map(T::numbered).collect();
    while all.len() < len {
        all.extend_from_within(..PERIOD.min(len - all.len()));
    }
    all
}

/// Runs a generic test for elements of every size.
macro_rules! each_type {
    ($test:ident) => {
        $test::<bool>();
        $test::<i8>();
        $test::<u16>();
        $test::<f32>();
        $test::<f64>();
        $test::<c32>();
        $test::<c64>();
    };
}

fn tiles<T: Numbered>() {
    let extents = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 64, 65, 67];
    let (source, blanks) = (elements::<T>(8192), vec![T::numbered(12345); 8192]);
    for (i, (rows, columns)) in extents.into_iter().flat_map(|r| extents.map(|c| (r, c))).enumerate() {
        for (j, (from_gap, to_gap, turned)) in
            [(0, 0, false), (3, 5, false), (1, 2, true)].into_iter().enumerate()
        {
            // Builds without optimisation test one of the three per size, and each of them with each number of rows and of columns.
            if cfg!(debug_assertions) && i % 3 != j {
                continue;
            }
            let (from_stride, to_stride) = (rows + from_gap, columns + to_gap);
            let from = &source[..columns * from_stride + 1];
            let blank = &blanks[..rows * to_stride + 1];
            let mut expected = blank.to_vec();
            // Both tiles begin at element 1 of their buffers, so they are aligned for their elements, but not for vector registers.
            for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
                let (line, row) = if turned { (columns - 1 - c, rows - 1 - r) } else { (c, r) };
                expected[1 + row * to_stride + c] = from[1 + line * from_stride + r];
            }
            let results = at_each_level(|| {
                let mut to = blank.to_vec();
                let first_line = if turned { columns.saturating_sub(1) * from_stride } else { 0 };
                let first_row = if turned { rows.saturating_sub(1) * to_stride } else { 0 };
                let sign = if turned { -1 } else { 1 };
                let source = from.as_ptr().wrapping_add(1 + first_line);
                let result = to.as_mut_ptr().wrapping_add(1 + first_row);
                let strides = (sign * from_stride as isize, sign * to_stride as isize);
                // SAFETY: both buffers hold one element before the tile and the whole tile; their strides address only these
                // elements.
                unsafe { transpose_tile(source, strides.0, result, strides.1, rows, columns) };
                to
            });
            for result in results {
                assert!(
                    bytes(&result) == bytes(&expected),
                    "{rows} x {columns}, {from_gap}, {to_gap}, {turned}: {result:?} instead of {expected:?}"
                );
            }
        }
    }
}

#[test]
fn tiles_of_every_size() {
    each_type!(tiles);
}

/// A linear congruential generator with a fixed seed: the numbers are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// The layout of an operand: offset of its first element, strides, and the number of elements of the buffer.
#[derive(Debug)]
struct Place {
    first: usize,
    strides: Vec<isize>,
    len: usize,
}

/// Returns a random layout for `shape`, with the axes in any order. If `wild`, some axes are reversed and some have gaps. If
/// `repeats`, some have stride 0.
fn place(dice: &mut Dice, shape: &[usize], wild: bool, repeats: bool) -> Place {
    let mut permutation: Vec<usize> = (0..shape.len()).collect();
    for i in (1..permutation.len()).rev() {
        permutation.swap(i, dice.below(i + 1));
    }
    let mut place = Place { first: dice.below(9), strides: vec![0; shape.len()], len: 1 };
    for axis in permutation {
        if repeats && dice.below(6) == 0 {
            continue;
        }
        let gap = if wild && dice.below(4) == 0 { 1 + dice.below(3) } else { 0 };
        let step = place.len + gap;
        place.strides[axis] = step as isize;
        place.len = step * shape[axis].max(1);
        if wild && dice.below(4) == 0 {
            place.strides[axis] = -(step as isize);
            place.first += step * (shape[axis].max(1) - 1);
        }
    }
    place.len += 64;
    place
}

/// Copies at each SIMD level and compares with a loop over all indices. Elements outside of `to` must stay unchanged.
fn check<T: Numbered>(shape: &[usize], to: &Place, from: &Place) {
    let source = elements::<T>(from.len);
    let blank = vec![T::numbered(54321); to.len];
    let mut expected = blank.clone();
    // The longest axis is the inner loop, which is the fastest one in builds without optimisation.
    let longest = (0..shape.len()).max_by_key(|&axis| shape[axis]);
    let (n, steps) =
        longest.map_or((1, [0, 0]), |axis| (shape[axis], [to.strides[axis], from.strides[axis]]));
    let rows: usize =
        (0..shape.len()).filter(|&axis| Some(axis) != longest).map(|axis| shape[axis]).product();
    for row in 0..rows {
        let (mut rest, mut at) = (row, [to.first as isize, from.first as isize]);
        for axis in (0..shape.len()).filter(|&axis| Some(axis) != longest) {
            let i = (rest % shape[axis]) as isize;
            rest /= shape[axis];
            at = [at[0] + i * to.strides[axis], at[1] + i * from.strides[axis]];
        }
        let (to, from) = (&mut expected[..], &source[..]);
        let ([mut i, mut j], mut left) = (at, n);
        while left > 0 {
            to[i as usize] = from[j as usize];
            (i, j, left) = (i + steps[0], j + steps[1], left - 1);
        }
    }
    let results = at_each_level(|| {
        let mut result = blank.clone();
        let out = Output::of_slice(&mut result, to.first, shape, &to.strides);
        Cpu.copy(out, Operand::of_slice(&source, from.first, shape, &from.strides)).unwrap();
        result
    });
    for result in results {
        let same = bytes(&result) == bytes(&expected);
        assert!(same, "{} {shape:?} to {to:?} from {from:?}", T::DTYPE.name());
    }
}

fn copies<T: Numbered>() {
    let mut dice = Dice(size_of::<T>() as u64);
    for round in 0..if cfg!(debug_assertions) { 300 } else { 600 } {
        let rank = dice.below(9);
        let most = [0, 4000, 90, 24, 12, 8, 6, 4, 4][rank];
        let shape: Vec<usize> = (0..rank)
            .map(|_| match dice.below(12) {
                0 => 1,
                1 if dice.below(4) == 0 => 0,
                2..6 => 2 + dice.below(3),
                _ => 1 + dice.below(most),
            })
            .collect();
        let wild = round % 2 == 1;
        let to = place(&mut dice, &shape, wild, false);
        let from = place(&mut dice, &shape, wild, round % 5 == 4);
        check::<T>(&shape, &to, &from);
    }
}

#[test]
fn copies_of_any_strides() {
    each_type!(copies);
}

/// Copies a contiguous array with permuted axes. `firsts` are the offsets of the source and the result in their buffers.
fn permuted<T: Numbered>(shape: &[usize], axes: &[usize], firsts: [usize; 2]) {
    let contiguous = |shape: &[usize]| crate::layout::Layout::contiguous(shape, true);
    let from = contiguous(shape).permute(axes).unwrap();
    let len = shape.iter().product::<usize>() + 64;
    let place = |first: usize, strides: &[isize]| Place { first, strides: strides.to_vec(), len };
    let (to, from_place) = (contiguous(from.shape()), place(firsts[1], from.strides()));
    check::<T>(from.shape(), &place(firsts[0], to.strides()), &from_place);
}

fn matrices<T: Numbered>() {
    // Extents near multiples of the tile sizes, and strides that map to the same cache sets.
    for shape in [[63, 65], [64, 64], [200, 129], [256, 192], [512, 80], [130, 1024]] {
        for firsts in [[0, 0], [1, 3], [2, 0]] {
            permuted::<T>(&shape, &[1, 0], firsts);
        }
    }
    permuted::<T>(&[600, 3], &[1, 0], [0, 1]);
    permuted::<T>(&[3, 600], &[1, 0], [1, 0]);
    permuted::<T>(&[300, 3, 3], &[0, 2, 1], [1, 0]);
    permuted::<T>(&[40, 50, 3], &[1, 0, 2], [1, 0]);
    permuted::<T>(&[20, 30, 4], &[2, 1, 0], [0, 0]);
    permuted::<T>(&[2; 12], &[3, 9, 1, 7, 11, 5, 8, 2, 6, 10, 0, 4], [0, 0]);
    permuted::<T>(&[2; 12], &[0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 11], [0, 0]);
    permuted::<T>(&[6; 5], &[3, 0, 4, 1, 2], [0, 0]);
}

#[test]
fn transposed_matrices() {
    each_type!(matrices);
}

/// Copies rows that are contiguous in the result and strided in the source, of single elements and of pairs.
fn gathered<T: Numbered>() {
    let check_rows = |rows: usize, columns: usize, stride: isize, pair: usize| {
        let unit = pair as isize;
        let (step, shape) = (stride * unit, [rows, columns, pair]);
        let pitch = columns as isize * step.abs() + 3;
        let first = 2 + if step < 0 { (columns as isize - 1) * -step } else { 0 } as usize;
        let len = first + (rows as isize * pitch) as usize + pair;
        let from = Place { first, strides: vec![pitch, step, 1], len };
        let row = (columns * pair) as isize;
        let to = Place { first: 1, strides: vec![row, unit, 1], len: rows * columns * pair + 2 };
        check::<T>(&shape, &to, &from);
    };
    for columns in (5..40).chain([63, 64, 65, 100, 129, 1030]) {
        for stride in [-1, 2, -2, 3] {
            check_rows(3, columns, stride, 1);
            check_rows(3, columns, stride, 2);
        }
    }
    // Large enough for non-temporal stores.
    if size_of::<T>() == 8 {
        check_rows(250, 8400, -1, 1);
    }
}

#[test]
fn gathered_rows() {
    each_type!(gathered);
}

/// Copies with results that are large enough for non-temporal stores and for several threads.
fn large<T: Numbered>() {
    let side = (MIN_STREAMED_BYTES / size_of::<T>()).isqrt() / 64 * 64 + 64;
    permuted::<T>(&[side, side], &[1, 0], [0, 0]);
    permuted::<T>(&[side + 1, side], &[1, 0], [1, 0]);
    permuted::<T>(&[side, side + 1], &[1, 0], [0, 1]);
    permuted::<T>(&[side / 8, side + 3, 8], &[1, 0, 2], [1, 0]);
    permuted::<T>(&[4, side / 4, side], &[0, 2, 1], [1, 1]);
    permuted::<T>(&[4, side / 4, side + 64], &[1, 0, 2], [1, 0]);
    permuted::<T>(&[side, side], &[0, 1], [1, 0]);
}

#[test]
fn large_copies() {
    large::<f32>();
    large::<f64>();
    large::<c64>();
}

fn repeated<T: Numbered>() {
    for copies in 1..=6 {
        for n in [8, 33, 700] {
            // First one contiguous line, then three lines with a gap after each line, in the result and in the source.
            let place = |first, strides: &[isize], len| Place { first, strides: strides.to_vec(), len };
            let to = place(3, &[copies as isize, 1], n * copies + 67);
            check::<T>(&[n, copies], &to, &place(5, &[1, 0], n + 69));
            let line = (n * copies + 2) as isize;
            let to = place(1, &[line, copies as isize, 1], 3 * line as usize + 64);
            check::<T>(&[3, n, copies], &to, &place(2, &[n as isize + 1, 1, 0], 3 * n + 70));
        }
    }
}

#[test]
fn repeated_elements() {
    each_type!(repeated);
    // Non-temporal stores.
    let n = MIN_STREAMED_BYTES / 16 + 7;
    let to = Place { first: 1, strides: vec![2, 1], len: 2 * n + 64 };
    check::<f64>(&[n, 2], &to, &Place { first: 0, strides: vec![1, 0], len: n + 64 });
}
