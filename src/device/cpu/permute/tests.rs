use super::transpose_tile;
use crate::device::cpu::simd::tests::at_each_level;
use crate::element::{Element, c32, c64};

/// The element at position `k`: no two neighbours in any direction are the same.
fn number(k: usize) -> u64 {
    (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

/// Element types of every size; `c32` is aligned to half of it.
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
    bool: k => number(k) % 2 == 0;
    i8: k => number(k) as i8;
    u16: k => number(k) as u16;
    f32: k => number(k) as u16 as f32;
    f64: k => number(k) as u32 as f64;
    c32: k => c32::new(f32::numbered(k), -(k as f32));
    c64: k => c64::new(f64::numbered(k), -(k as f64));
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
    for (rows, columns) in extents.into_iter().flat_map(|r| extents.map(|c| (r, c))) {
        for (from_gap, to_gap, turned) in [(0, 0, false), (3, 5, false), (1, 2, true)] {
            let (from_stride, to_stride) = (rows + from_gap, columns + to_gap);
            let from: Vec<T> = (0..columns * from_stride + 1).map(T::numbered).collect();
            let blank = T::numbered(12345);
            let mut expected = vec![blank; rows * to_stride + 1];
            // Not at the beginning: aligned to elements, not to registers.
            for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
                let (line, row) = if turned { (columns - 1 - c, rows - 1 - r) } else { (c, r) };
                expected[1 + row * to_stride + c] = from[1 + line * from_stride + r];
            }
            let results = at_each_level(|| {
                let mut to = vec![blank; rows * to_stride + 1];
                let first_line = if turned { columns.saturating_sub(1) * from_stride } else { 0 };
                let first_row = if turned { rows.saturating_sub(1) * to_stride } else { 0 };
                let sign = if turned { -1 } else { 1 };
                let source = from.as_ptr().wrapping_add(1 + first_line);
                let result = to.as_mut_ptr().wrapping_add(1 + first_row);
                let strides = (sign * from_stride as isize, sign * to_stride as isize);
                // SAFETY: vectors of so many lines and rows, and an element before them.
                unsafe { transpose_tile(source, strides.0, result, strides.1, rows, columns) };
                to
            });
            for result in results {
                assert_eq!(result, expected, "{rows} x {columns}, {from_gap}, {to_gap}, {turned}");
            }
        }
    }
}

#[test]
fn tiles_of_every_size() {
    each_type!(tiles);
}
