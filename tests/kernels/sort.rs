//! Sorting of several short lines, and of `bool`.

use crate::Ordered;
use crate::device::cpu::sort_tests::{Sample, bits, random, sorted_indices};
use crate::prelude::*;
use crate::simd::tests::at_each_level;

#[test]
fn several_short_lines_sort_like_std() {
    fn check<T: Sample + Ordered>() {
        for (n, count) in
            [(1, 16), (2, 300), (3, 17), (7, 33), (8, 15), (15, 70), (16, 16), (16, 31), (17, 16)]
        {
            let mut next = random(n as u64 + 1);
            let special = T::special();
            let values = [4, 1000].map(|distinct| move |x: u64| T::of((x % distinct) as i64 - 2));
            for pattern in 0..3 {
                let element = |_| match pattern {
                    2 => special[next() as usize % special.len()],
                    k => values[k](next()),
                };
                let x: Vec<T> = (0..n * count).map(element).collect();
                let lines = Tensor::<T, Rank<2>>::from_vec([count, n], x.clone());
                let across = lines.t().to_owned();
                let reversed = lines.slice(s![..;-1, ..;-1]).to_owned();
                for descending in [false, true] {
                    let order: Vec<usize> =
                        x.chunks_exact(n).flat_map(|line| sorted_indices(line, descending)).collect();
                    let indices: Vec<i64> = order.iter().map(|&i| i as i64).collect();
                    let sorted: Vec<T> = order
                        .chunks_exact(n)
                        .zip(x.chunks_exact(n))
                        .flat_map(|(order, x)| order.iter().map(|&i| x[i]))
                        .collect();
                    at_each_level(|| {
                        let views = [lines.view(), across.t(), reversed.slice(s![..;-1, ..;-1])];
                        for view in views {
                            let (found, at) = if descending {
                                (view.sort_descending(1), view.argsort_descending(1))
                            } else {
                                (view.sort(1), view.argsort(1))
                            };
                            assert!(bits(found.as_slice()) == bits(&sorted), "{view:?} gave {found:?}");
                            assert!(at.as_slice() == indices, "{view:?} gave {at:?}");
                            if !descending {
                                let k = n / 2;
                                let parts = view.partition(1, k);
                                for (parts, sorted) in
                                    parts.as_slice().chunks_exact(n).zip(sorted.chunks_exact(n))
                                {
                                    assert!(parts[k].compare(sorted[k]).is_eq());
                                    assert!(parts[..k].iter().all(|x| x.compare(sorted[k]).is_le()));
                                    assert!(parts[k..].iter().all(|x| x.compare(sorted[k]).is_ge()));
                                }
                            }
                        }
                        // Results whose lines are not contiguous.
                        let mut found = across.clone();
                        let mut at = Tensor::<i64, Rank<2>>::zeros([n, count]);
                        if descending {
                            found.sort_descending_inplace(0);
                            across.argsort_descending_into(0, &mut at);
                        } else {
                            found.sort_inplace(0);
                            across.argsort_into(0, &mut at);
                        }
                        assert!(bits(found.t().to_owned().as_slice()) == bits(&sorted));
                        assert!(at.t().to_owned().as_slice() == indices);
                    });
                }
            }
        }
    }
    check::<f64>();
    check::<f32>();
    check::<i64>();
    check::<i32>();
    check::<u16>();
    check::<u8>();
}

/// `bool` is sorted as `u8`.
#[test]
fn bools_sort_like_std() {
    let mut next = random(3);
    for n in [1, 2, 3, 31, 300] {
        let x: Vec<bool> = (0..n).map(|_| next().is_multiple_of(3)).collect();
        let (mut ascending, mut order) = (x.clone(), (0..n as i64).collect::<Vec<_>>());
        ascending.sort();
        order.sort_by_key(|&i| x[i as usize]);
        let descending: Vec<bool> = ascending.iter().rev().copied().collect();
        let mut falling: Vec<i64> = (0..n as i64).collect();
        falling.sort_by_key(|&i| !x[i as usize]);
        let tensor: Tensor<bool, Rank<1>> = x.clone().into();
        assert_eq!(tensor.sort(0).as_slice(), ascending);
        assert_eq!(tensor.argsort(0).as_slice(), order);
        assert_eq!(tensor.sort_descending(0).as_slice(), descending);
        let k = n / 2;
        assert_eq!(tensor.partition(0, k).as_slice()[k], ascending[k]);
        let (values, indices) = tensor.top_k(0, k);
        assert_eq!((values.as_slice(), indices.as_slice()), (&descending[..k], &falling[..k]));
        let mut distinct = ascending.clone();
        distinct.dedup();
        assert_eq!(tensor.unique().as_slice(), distinct);
        assert_eq!(tensor.unique_with().values.as_slice(), distinct);
        let (values, counts) = tensor.unique_counts();
        let of = |value: &bool| x.iter().filter(|x| *x == value).count() as i64;
        assert_eq!(values.as_slice(), distinct);
        assert_eq!(counts.as_slice(), distinct.iter().map(of).collect::<Vec<_>>());
        let count = ascending.iter().filter(|&&x| !x).count() as i64;
        let sorted: Tensor<bool, Rank<1>> = ascending.into();
        let found: Vec<i64> = x.iter().map(|&x| if x { count } else { 0 }).collect();
        assert_eq!(sorted.searchsorted(&tensor, Side::Left).as_slice(), found);
    }
}
