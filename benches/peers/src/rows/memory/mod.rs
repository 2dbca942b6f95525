//! Benchmarks that are limited by memory, not by arithmetic.

mod broadcast;
mod elementwise;
mod permutes;
mod reductions;
pub(super) mod traces;
mod views;

use super::Entry;
use crate::{Number, Real};
use ndarray::{Ix2, Ix4, Ix6};

pub(super) fn all<T: Number>() -> Vec<Entry<T>> {
    let mut rows = Vec::new();
    for (n, name) in [(1000, "10³"), (100_000, "10⁵"), (10_000_000, "10⁷")] {
        rows.push(Entry::new(format!("a + b {name}"), move || elementwise::add(n)));
        rows.push(Entry::new(format!("a + b {name} into"), move || elementwise::add_into(n)));
        rows.push(Entry::new(format!("a += b {name}"), move || elementwise::add_assign(n)));
        rows.push(Entry::new(format!("copy {name}"), move || elementwise::copy(n)));
        rows.push(Entry::new(format!("copy {name} into"), move || elementwise::copy_over(n)));
    }
    rows.extend([
        Entry::new("b += α·a 10⁷", || elementwise::add_scaled(10_000_000)),
        Entry::new("b += α·b 10⁷", || elementwise::scale_own(10_000_000)),
        Entry::new("a·b + 2c 10⁷", || elementwise::fused(10_000_000)),
        Entry::new("a·b + 2c 10⁷ into", || elementwise::fused_into(10_000_000)),
        Entry::new("a + row 2000²", || broadcast::row(2000)),
        Entry::new("a + row 2000² into", || broadcast::row_into(2000)),
        Entry::new("a + column 2000²", || broadcast::column(2000)),
        Entry::new("a + column 2000² into", || broadcast::column_into(2000)),
        Entry::new("a + bᵀ 2000²", || permutes::add_transposed(2000)),
        Entry::new("a + bᵀ 2000² into", || permutes::add_transposed_into(2000)),
    ]);
    for n in [1000, 1024, 4000, 4096] {
        let name = format!("transpose {n}²");
        rows.push(Entry::new(name.clone(), move || permutes::fresh::<T, _, Ix2>([n, n], [1, 0])));
        rows.push(Entry::new(name + " into", move || permutes::over::<T, _, Ix2>([n, n], [1, 0])));
    }
    rows.extend([
        Entry::new("ijkl->ljki 30⁴", || permutes::fresh::<T, _, Ix4>([30; 4], [3, 1, 2, 0])),
        Entry::new("ijkl->ljki 30⁴ into", || permutes::over::<T, _, Ix4>([30; 4], [3, 1, 2, 0])),
        Entry::new("ijkl->lkji 64⁴", || permutes::fresh::<T, _, Ix4>([64; 4], [3, 2, 1, 0])),
        Entry::new("ijkl->lkji 64⁴ into", || permutes::over::<T, _, Ix4>([64; 4], [3, 2, 1, 0])),
        Entry::new("permute 305142 16⁶", || permutes::fresh::<T, _, Ix6>([16; 6], [3, 0, 5, 1, 4, 2])),
        Entry::new("permute 305142 16⁶ into", || permutes::over::<T, _, Ix6>([16; 6], [3, 0, 5, 1, 4, 2])),
        Entry::new("a[:, ::2] + b 2000²", || views::add_stepped(2000)),
        Entry::new("a[:, ::2] + b 2000² into", || views::add_stepped_into(2000)),
        Entry::new("copy a[::2, :] 2000² into", || views::copy_stepped_rows(2000)),
        Entry::new("a[kij] + b 200³", || views::add_permuted(200)),
        Entry::new("sum a[::2, ::2] 2000²", || views::sum_stepped(2000)),
        Entry::new("sum a[kij] axis 0 200³", || views::sum_permuted(200)),
        Entry::new("sum 10⁷", || reductions::sum(10_000_000)),
        Entry::new("sum axis 0 4000²", || reductions::sum_rows(4000)),
        Entry::new("sum axis 1 4000²", || reductions::sum_columns(4000)),
        Entry::new("sum ijk->ik 100³", || reductions::sum_middle(100)),
        Entry::new("norm 10⁷", || reductions::norm(10_000_000)),
    ]);
    rows
}

pub(super) fn of_reals<T: Real>() -> Vec<Entry<T>> {
    vec![Entry::new("argmax 10⁷", || reductions::argmax(10_000_000))]
}
