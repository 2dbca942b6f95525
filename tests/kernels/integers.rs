//! Sums and products of integers, compared with sums and products in 128 bits.

use crate::device::{Gemm, Reduce};
use crate::prelude::*;
use crate::{Error, WidenTo};

#[test]
fn overflow_of_sums_is_error_except_of_64_bits_without_debug_assertions() {
    assert!(Tensor::<i8, _>::full([1000], i8::MAX).try_sum().is_err());
    assert!(Tensor::<u16, _>::full([1000], 3).try_prod().is_err());
    let product = Tensor::<i64, _>::full([1000], 3).try_prod();
    if cfg!(debug_assertions) {
        assert!(product.is_err());
    } else {
        assert_eq!(product.unwrap().item(), (0..1000).fold(1i64, |x, _| x.wrapping_mul(3)));
    }
}

/// Sums and products of narrow integers, along contiguous and strided axes, in lengths around those of blocks, rows and strips.
#[test]
fn sums_and_products_of_narrow_integers_equal_exact_ones() {
    fn check<T: TryFrom<i128> + Into<i128> + WidenTo<i64>>(low: i128, high: i128)
    where
        Cpu: Reduce<T>,
    {
        let values = [low, 0, high, 1, 1, low + 1, high - 1];
        for (rows, columns) in [(0, 3), (1, 1), (3, 200), (45, 133), (300, 5), (300, 47), (1, 20_000)] {
            for small in [true, false] {
                let value = |i: usize, j: usize| match small {
                    true if (i + 3 * j).is_multiple_of(17) => {
                        T::try_from(if low < 0 { -1 } else { 2 }).ok().unwrap()
                    }
                    true => T::one(),
                    false => T::try_from(values[(i * 5 + j * 3 + i * j / 5) % values.len()]).ok().unwrap(),
                };
                let x = Tensor::<T, Rank<2>>::from_fn([rows, columns], |[i, j]| value(i, j));
                let same = |found: Result<T, Error>, exact: Option<i128>| match exact
                    .and_then(|x| T::try_from(x).ok())
                {
                    Some(exact) => assert_eq!(found, Ok(exact)),
                    None => assert!(found.is_err()),
                };
                let sum = |line: &Tensor<T, Rank<1>>| line.iter().map(|&x| x.into()).sum::<i128>();
                let product = |line: &Tensor<T, Rank<1>>| {
                    let zero = line.iter().any(|x| x.is_zero());
                    if zero { Some(0) } else { line.iter().try_fold(1i128, |p, &x| p.checked_mul(x.into())) }
                };
                let all = Tensor::from(x.to_vec());
                same(x.try_sum().map(|x| x.item()), Some(sum(&all)));
                same(x.try_prod().map(|x| x.item()), product(&all));
                assert_eq!(i128::from(x.sum_as::<i64>().item()), sum(&all));
                for axis in [0, 1] {
                    let other = 1 - axis;
                    let lines: Vec<Tensor<T, Rank<1>>> =
                        (0..x.shape()[other]).map(|k| x.index_axis(other, k).to_owned()).collect();
                    let wide = x.sum_axis_as::<i64>(axis);
                    let exact: Vec<i64> = lines.iter().map(|line| sum(line) as i64).collect();
                    assert_eq!(wide.to_vec(), exact, "{rows} {columns} {axis}");
                    let fits = exact.iter().all(|&x| T::try_from(x.into()).is_ok());
                    let sums = x.try_sum_axis(axis);
                    assert_eq!(sums.is_ok(), fits, "{rows} {columns} {axis}");
                    if let Ok(sums) = sums {
                        assert_eq!(sums.iter().map(|&x| x.into() as i64).collect::<Vec<_>>(), exact);
                    }
                    let exact: Vec<Option<T>> =
                        lines.iter().map(|line| product(line).and_then(|x| T::try_from(x).ok())).collect();
                    match x.try_prod_axis(axis) {
                        Ok(products) => {
                            assert_eq!(products.iter().map(|&x| Some(x)).collect::<Vec<_>>(), exact)
                        }
                        Err(_) => assert!(exact.contains(&None)),
                    }
                    for (line, exact) in lines.iter().zip(exact) {
                        assert_eq!(line.try_prod().ok().map(|x| x.item()), exact);
                    }
                }
            }
        }
    }
    check::<i8>(i8::MIN.into(), i8::MAX.into());
    check::<u8>(0, u8::MAX.into());
    check::<i16>(i16::MIN.into(), i16::MAX.into());
    check::<u16>(0, u16::MAX.into());
    check::<i32>(i32::MIN.into(), i32::MAX.into());
    check::<u32>(0, u32::MAX.into());
}

/// Compares products of integers of up to 32 bits with sums in 128 bits, for factors of any size: sums fit 32 bits, 64 bits, or neither.
#[test]
fn products_of_narrow_integers_equal_exact_sums() {
    fn check<T: Scalar + TryFrom<i128> + Into<i128>>(low: i128, high: i128)
    where
        Cpu: Gemm<T>,
    {
        for [m, k, n] in [[3, 40, 70], [17, 5, 16], [20, 20, 131], [4, 9000, 5]] {
            for bits in [1, 4, 7, 15, 31] {
                // The signs alternate, so that sums fit although products do not.
                let value = |at: usize, p: usize, seed: usize| {
                    let size = (at * seed + p / 2) as i128 % (1 << bits).min(high);
                    let x = if p % 2 == 1 && low < 0 { -size } else { size };
                    T::try_from(if low < 0 || p.is_multiple_of(7) { x } else { 0 }).ok().unwrap()
                };
                let a = Tensor::<T, Rank<2>>::from_fn([m, k], |[i, p]| value(i, p, 7));
                let b = Tensor::<T, Rank<2>>::from_fn([k, n], |[p, j]| value(j, p / 2 * 2, 3));
                // The loop over slices takes less time in builds without optimisation than one over indices of tensors.
                let [rows, columns] = [a.to_vec(), b.t().to_owned().to_vec()]
                    .map(|x| x.into_iter().map(|x| x.into()).collect::<Vec<i128>>());
                let mut exact: Vec<Option<T>> = vec![];
                for (row, column) in rows
                    .chunks_exact(k)
                    .flat_map(|row| columns.chunks_exact(k).map(move |column| (row, column)))
                {
                    let mut sum = 0;
                    for (x, y) in row.iter().zip(column) {
                        sum += x * y;
                    }
                    exact.push(T::try_from(sum).ok());
                }
                for (a, b) in [(a.view(), b.view()), (a.t().to_owned().t(), b.t().to_owned().t())] {
                    match a.try_matmul(b) {
                        Ok(c) => assert_eq!(c.iter().map(|&x| Some(x)).collect::<Vec<_>>(), exact),
                        Err(_) => assert!(exact.contains(&None), "{} {m} {k} {n} {bits}", T::DTYPE),
                    }
                }
            }
        }
    }
    check::<i8>(i8::MIN.into(), i8::MAX.into());
    check::<u8>(0, u8::MAX.into());
    check::<i16>(i16::MIN.into(), i16::MAX.into());
    check::<u16>(0, u16::MAX.into());
    check::<i32>(i32::MIN.into(), i32::MAX.into());
    check::<u32>(0, u32::MAX.into());
}
