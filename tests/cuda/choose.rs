//! Tests of operations on elements at positions and under masks: the results on the GPU must equal those on the host. The cases include
//! elements of all sizes, repeated positions, views, and positions that are out of range.

use crate::bits::{Bits, same_bits};
use crate::data::{contiguous, extent, operand, output, scrambled};
use crate::gpu::there;
use vierbein::device::{BinaryOp, CudaSource, Device, Operand, Select};
use vierbein::op::Add;
use vierbein::prelude::*;
use vierbein::{Cuda, Error, c64};

/// A function whose result depends on the order in which elements are combined.
#[derive(Clone, Copy)]
struct Digits;
impl BinaryOp<u32, u32> for Digits {
    type Output = u32;
    const NAME: &'static str = "append a digit to";
    // SAFETY: the expression only uses the values of `a` and `b`, and unsigned integers wrap on overflow.
    const CUDA: CudaSource = unsafe { CudaSource::new("a * 31u + b") };
    fn apply(&self, a: u32, b: u32) -> u32 {
        a.wrapping_mul(31).wrapping_add(b)
    }
}

/// A case of `take` and `scatter` along the last axis of a tensor of shape `[lines.., length]`. Each line has positions of shape `within`.
/// If `shared` is `true`, all lines have the same positions. If `turned` is `true`, operands are column-major views with gaps.
#[derive(Debug, Clone)]
struct Case {
    lines: Vec<usize>,
    length: usize,
    within: Vec<usize>,
    shared: bool,
    turned: bool,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (lines, length, within) in [
        (&[][..], 5, &[7][..]),
        (&[], 1, &[]),
        (&[], 3, &[5000]),
        (&[], 10_000, &[2049]),
        (&[], 4, &[0]),
        (&[3], 6, &[4, 5]),
        (&[2, 3], 9, &[11]),
        (&[40], 3, &[70]),
        (&[3], 2500, &[2300]),
        (&[0], 4, &[3]),
        (&[300], 5, &[2]),
    ] {
        for shared in [false, true] {
            for turned in [false, true] {
                let (lines, within) = (lines.to_vec(), within.to_vec());
                cases.push(Case { lines, length, within, shared, turned });
            }
        }
    }
    cases
}

/// Returns strides: row-major and contiguous or, if `turned`, column-major with gaps.
fn strides(shape: &[usize], turned: bool) -> Vec<isize> {
    if !turned {
        return contiguous(shape);
    }
    let reversed: Vec<usize> = shape.iter().rev().copied().collect();
    contiguous(&reversed).into_iter().rev().map(|stride| 2 * stride).collect()
}

impl Case {
    fn tensor(&self) -> Vec<usize> {
        [&self.lines[..], &[self.length]].concat()
    }
    fn elements(&self) -> Vec<usize> {
        [&self.lines[..], &self.within[..]].concat()
    }
    /// Returns positions and their strides. Some positions repeat, and some are negative.
    fn positions(&self) -> (Vec<i64>, Vec<isize>) {
        let mut strides = strides(&self.elements(), self.turned);
        let count = extent(&self.elements(), &strides);
        if self.shared {
            strides[..self.lines.len()].fill(0);
        }
        let n = self.length as i64;
        let of = |k| (scrambled(k) % (2 * n as u64)) as i64 - n;
        ((0..count).map(of).collect(), strides)
    }
}

/// The operation: `take` or `scatter`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Do {
    Take,
    Put,
}

/// Copies elements from the positions `at` (`take`) or to them (`scatter`). Returns the outcome and the output's memory.
fn copy<T: Element, Dev: Device + Default + Select<T>>(
    case: &Case,
    what: Do,
    at: &[i64],
    value: impl Fn(usize) -> T,
) -> (Result<(), Error>, Vec<T>) {
    let device = Dev::default();
    let (_, at_strides) = case.positions();
    let at = device.adopt(at.to_vec()).unwrap();
    let (tensor, elements) = (case.tensor(), case.elements());
    let at: Operand<'_, i64, Dev> = operand(&at, 0, &elements, &at_strides);
    let (from, to) = if what == Do::Take { (&tensor, &elements) } else { (&elements, &tensor) };
    let (from_strides, to_strides) = (strides(from, case.turned), strides(to, case.turned));
    let data: Vec<T> = (0..extent(from, &from_strides)).map(&value).collect();
    let mut out = device.adopt(vec![value(12345); extent(to, &to_strides)]).unwrap();
    let a = device.adopt(data).unwrap();
    let a = operand(&a, 0, from, &from_strides);
    // SAFETY: these strides are those of a permuted contiguous tensor, or twice as large, so different indices address different elements.
    let to = unsafe { output(&mut out, 0, to, &to_strides) };
    let done = if what == Do::Take { device.take(to, a, at) } else { device.scatter(to, at, a) };
    (done, device.release(out).unwrap())
}

fn compare_copies<T: Element + Bits>(value: impl Fn(usize) -> T + Copy) {
    for case in cases() {
        for what in [Do::Take, Do::Put] {
            let at = case.positions().0;
            let host = copy::<T, Cpu>(&case, what, &at, value);
            let gpu = copy::<T, Cuda>(&case, what, &at, value);
            assert_eq!(host.0, Ok(()));
            assert_eq!(gpu.0, Ok(()), "{what:?} {} {case:?}", T::DTYPE);
            assert!(same_bits(&host.1, &gpu.1), "{what:?} {} {case:?}", T::DTYPE);
        }
    }
}

#[test]
fn copies_from_and_to_positions() {
    if !there() {
        return;
    }
    compare_copies(|k| scrambled(k) as u8);
    compare_copies(|k| scrambled(k) as i16);
    compare_copies(|k| scrambled(k) as f32);
    compare_copies(|k| scrambled(k) as f64);
    compare_copies(|k| c64::new(k as f64, -1.0));
    compare_copies(|k| scrambled(k).is_multiple_of(3));
}

/// The error for an invalid position names the position. If a scatter returns an error, the output is unchanged.
#[test]
fn invalid_positions_are_errors() {
    if !there() {
        return;
    }
    for case in cases().into_iter().filter(|case| !case.elements().contains(&0)) {
        for invalid in [case.length as i64, -(case.length as i64) - 1, i64::MAX, i64::MIN] {
            let (mut at, strides) = case.positions();
            let last: isize =
                case.elements().iter().zip(&strides).map(|(&n, &stride)| (n as isize - 1) * stride).sum();
            at[last as usize] = invalid;
            for what in [Do::Take, Do::Put] {
                let host = copy::<f64, Cpu>(&case, what, &at, |k| k as f64);
                let gpu = copy::<f64, Cuda>(&case, what, &at, |k| k as f64);
                assert!(
                    matches!(gpu.0, Err(Error::IndexOutOfBounds { .. })),
                    "{what:?} {case:?}: {:?}",
                    gpu.0
                );
                assert_eq!(host.0, gpu.0, "{what:?} {case:?}");
                assert!(what == Do::Take || gpu.1.iter().all(|&x| x == 12345.0), "{case:?}");
            }
        }
    }
}

fn combine<T: Element, F: BinaryOp<T, T, Output = T>, Dev: Device + Default + Select<T>>(
    case: &Case,
    op: F,
    value: impl Fn(usize) -> T,
) -> (Result<(), Error>, Vec<T>) {
    let device = Dev::default();
    let (at, at_strides) = case.positions();
    let at = device.adopt(at).unwrap();
    let (tensor, elements) = (case.tensor(), case.elements());
    let (a_strides, out_strides) = (strides(&elements, case.turned), strides(&tensor, case.turned));
    let a = device.adopt((0..extent(&elements, &a_strides)).map(&value).collect()).unwrap();
    let mut out = device.adopt((0..extent(&tensor, &out_strides)).map(|k| value(k + 999)).collect()).unwrap();
    // SAFETY: these strides are those of a permuted contiguous tensor, or twice as large, so different indices address different elements.
    let to = unsafe { output(&mut out, 0, &tensor, &out_strides) };
    let at = operand(&at, 0, &elements, &at_strides);
    let done = device.scatter_with(&op, to, at, operand(&a, 0, &elements, &a_strides));
    (done, device.release(out).unwrap())
}

/// Elements with the same position are combined in the order of their indices, so all results have the same bits as on the host.
#[test]
fn sums_at_positions_have_the_order_of_the_host() {
    if !there() {
        return;
    }
    for case in cases() {
        let host = combine::<u32, _, Cpu>(&case, Digits, |k| scrambled(k) as u32);
        assert_eq!(host, combine::<u32, _, Cuda>(&case, Digits, |k| scrambled(k) as u32), "{case:?}");
        // The sums depend on the order: the magnitudes of their terms differ.
        let value = |k| 10f64.powi((scrambled(k) % 20) as i32) / (3 + k % 5) as f64;
        let (host, gpu) =
            (combine::<f64, _, Cpu>(&case, Add, value), combine::<f64, _, Cuda>(&case, Add, value));
        assert!(same_bits(&host.1, &gpu.1) && gpu.0 == Ok(()), "{case:?}");
        let value = |k| c64::new(value(k), -value(k + 3));
        let (host, gpu) =
            (combine::<c64, _, Cpu>(&case, Add, value), combine::<c64, _, Cuda>(&case, Add, value));
        assert!(same_bits(&host.1, &gpu.1) && gpu.0 == Ok(()), "{case:?}");
        let value = |k| [i16::MAX, 1, -1, -i16::MAX][k % 4];
        assert_eq!(combine::<i16, _, Cpu>(&case, Add, value).0, combine::<i16, _, Cuda>(&case, Add, value).0);
    }
}

fn picked<Dev: Device + Default + Select<f32>>(shape: &[usize], at: &[i64]) -> Result<Vec<f32>, Error> {
    let (device, n) = (Dev::default(), at.len() / shape.len());
    let strides: Vec<isize> = contiguous(shape).into_iter().map(|stride| -stride).collect();
    let count: usize = shape.iter().product();
    let a = device.adopt((0..count).map(|k| k as f32).collect()).unwrap();
    let at = device.adopt(at.to_vec()).unwrap();
    let mut out = device.adopt(vec![0.0; 2 * n]).unwrap();
    let (rows, at_strides, vector) = ([n, shape.len()], [1, n as isize], [n]);
    let a = operand(&a, count - 1, shape, &strides);
    // SAFETY: the stride is not zero, so different indices address different elements.
    let to = unsafe { output(&mut out, 0, &vector, &[2]) };
    device.pick(to, a, operand(&at, 0, &rows, &at_strides))?;
    device.release(out)
}

#[test]
fn single_elements() {
    if !there() {
        return;
    }
    for shape in [&[5][..], &[3, 4], &[2, 7, 3]] {
        let n = 600;
        let of = |k: usize| {
            let length = shape[k / n] as u64;
            (scrambled(k) % (2 * length)) as i64 - length as i64
        };
        let mut at: Vec<i64> = (0..n * shape.len()).map(of).collect();
        assert_eq!(picked::<Cpu>(shape, &at), picked::<Cuda>(shape, &at));
        at[n * shape.len() - 2] = 1 << 40;
        let error = picked::<Cuda>(shape, &at);
        assert!(matches!(error, Err(Error::IndexOutOfBounds { .. })));
        assert_eq!(picked::<Cpu>(shape, &at), error);
    }
}

// ------------------------------------------------------------------ masks

/// The results of `compress`, `expand` and `nonzero`.
type Masked<T> = (Vec<T>, Vec<T>, Vec<i64>);

fn masked<T: Element, Dev: Device + Default + Select<T> + Select<bool>>(
    shape: &[usize],
    turned: bool,
    mask: &[bool],
    count: usize,
    value: impl Fn(usize) -> T,
) -> Masked<T> {
    let device = Dev::default();
    let (mask_strides, a_strides) = (strides(shape, turned), strides(shape, false));
    let mask = device.adopt(mask.to_vec()).unwrap();
    let mask = operand(&mask, 0, shape, &mask_strides);
    let mut a = device.adopt((0..extent(shape, &a_strides)).map(&value).collect()).unwrap();
    let (mut vector, length) = (device.adopt(vec![value(7); 2 * count + 1]).unwrap(), [count]);
    // SAFETY: the stride is not zero, so different indices address different elements.
    let to = unsafe { output(&mut vector, 0, &length, &[2]) };
    device.compress(to, operand(&a, 0, shape, &a_strides), mask).unwrap();
    let new = device.adopt((0..count).map(|k| value(k + 100_000)).collect()).unwrap();
    // SAFETY: different indices of a contiguous tensor address different elements.
    let to = unsafe { output(&mut a, 0, shape, &a_strides) };
    device.expand(to, mask, operand(&new, 0, &length, &[1])).unwrap();
    let mut indices = device.adopt(vec![-1i64; (count * shape.len()).max(1)]).unwrap();
    let (rows, rows_strides) = ([count, shape.len()], [1, count as isize]);
    // SAFETY: different indices of a contiguous column-major matrix address different elements.
    let to = unsafe { output(&mut indices, 0, &rows, &rows_strides) };
    Select::<bool>::nonzero(&device, to, mask).unwrap();
    (device.release(vector).unwrap(), device.release(a).unwrap(), device.release(indices).unwrap())
}

fn compare_masks<T: Element + Bits>(value: impl Fn(usize) -> T + Copy) {
    for shape in [
        &[1][..],
        &[31],
        &[2047],
        &[2048],
        &[2049],
        &[9000],
        &[0, 3],
        &[5, 0],
        &[70, 90],
        &[3, 50, 40],
        &[600_000],
    ] {
        for turned in [false, true] {
            for share in [0, 1, 5, 10] {
                // Only a few cases are large, because the emulator is slow.
                if shape[0] > 10_000 && (turned || share != 5 || size_of::<T>() != 8) {
                    continue;
                }
                let strides = strides(shape, turned);
                let mask: Vec<bool> =
                    (0..extent(shape, &strides)).map(|k| scrambled(k) % 10 < share).collect();
                let step = if turned { 2 } else { 1 };
                let count = match shape.contains(&0) {
                    true => 0,
                    false => mask.iter().step_by(step).filter(|&&chosen| chosen).count(),
                };
                let host = masked::<T, Cpu>(shape, turned, &mask, count, value);
                let gpu = masked::<T, Cuda>(shape, turned, &mask, count, value);
                let same = same_bits(&host.0, &gpu.0) && same_bits(&host.1, &gpu.1) && host.2 == gpu.2;
                assert!(same, "{} {shape:?} {turned} {share}", T::DTYPE);
            }
        }
    }
}

#[test]
fn elements_under_masks() {
    if !there() {
        return;
    }
    compare_masks(|k| scrambled(k) as u8);
    compare_masks(|k| scrambled(k) as i16);
    compare_masks(|k| scrambled(k) as f32);
    compare_masks(|k| scrambled(k) as f64);
    compare_masks(|k| c64::new(k as f64, -1.0));
}

/// Tests `nonzero` with each element type: −0.0 counts as zero, and NaN does not.
#[test]
fn indices_of_numbers() {
    if !there() {
        return;
    }
    fn indices<T: Element, Dev: Device + Default + Select<T>>(x: &[T], count: usize) -> Vec<i64> {
        let device = Dev::default();
        let a = device.adopt(x.to_vec()).unwrap();
        let mut out = device.adopt(vec![-1i64; count]).unwrap();
        let (shape, rows) = ([x.len()], [count, 1]);
        // SAFETY: different indices of a contiguous matrix address different elements.
        let to = unsafe { output(&mut out, 0, &rows, &[1, 1]) };
        device.nonzero(to, operand(&a, 0, &shape, &[1])).unwrap();
        device.release(out).unwrap()
    }
    assert_eq!(indices::<f64, Cuda>(&[0.0, f64::NAN, -0.0, 1e-310, -2.0], 3), [1, 3, 4]);
    assert_eq!(indices::<u8, Cuda>(&[0, 128, 0, 1], 2), [1, 3]);
    let i = c64::new(0.0, 1.0);
    assert_eq!(indices::<c64, Cuda>(&[i, c64::new(-0.0, 0.0), i * i], 2), [0, 2]);
    // If the result has fewer rows than the operand has nonzero elements, nothing outside of the result is written.
    assert_eq!(indices::<i32, Cuda>(&[1; 5000], 7), [0, 1, 2, 3, 4, 5, 6]);
}
