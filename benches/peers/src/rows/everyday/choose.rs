//! Benchmark rows of `choose`: elements at random positions and under masks. The reference loop is the one that a user would write over
//! slices.

use super::super::Entry;
use crate::implementation::Library;
use crate::memory::{Output, operand};
use crate::number::Generator;
use crate::{Number, Problem, Row, limit};
use ndarray::{Axis, Ix1, Ix2};
use std::sync::Arc;
use vierbein::{Rank, Tensor};

pub(crate) fn all<T: Number>() -> Vec<Entry<T>> {
    let mut rows = Vec::new();
    for (count, of, name) in [
        (10_000_000, 10_000_000, "10⁷ of 10⁷"),
        (10_000_000, 100_000, "10⁷ of 10⁵"),
        (100_000, 100_000, "10⁵ of 10⁵"),
    ] {
        rows.push(Entry::new(format!("take {name}"), move || take(count, of)));
        rows.push(Entry::new(format!("take {name} into"), move || take_into(count, of)));
        rows.push(Entry::new(format!("take {name} at &[i64]"), move || take_at_slice(count, of)));
        rows.push(Entry::new(format!("take {name} at &[usize]"), move || take_at_usize(count, of)));
        rows.push(Entry::new(format!("scatter_add {name}"), move || scatter_add(count, of)));
    }
    rows.extend([
        Entry::new("take rows 10⁵ of 10⁵×100", || take_rows(100_000, 100)),
        Entry::new("masked half 10⁷", || masked(10_000_000, 2)),
        Entry::new("masked 1 % 10⁷", || masked(10_000_000, 100)),
        Entry::new("masked_fill half 10⁷", || masked_fill(10_000_000)),
    ]);
    rows
}

/// Returns `count` random positions below `of`.
fn positions(count: usize, of: usize) -> Arc<Tensor<i64, Rank<1>>> {
    let mut numbers = Generator(3);
    let mut positions = Tensor::zeros([count]);
    positions.as_mut_slice().fill_with(|| numbers.below(of) as i64);
    Arc::new(positions)
}

/// Returns the operand, the positions, and a benchmark row of `take` with all implementations except vierbein's.
fn taken<T: Number>(count: usize, of: usize) -> (Arc<Tensor<T, Rank<1>>>, Arc<Tensor<i64, Rank<1>>>, Row<T>) {
    let (a, at) = (operand::<T, _>(1, [of]), positions(count, of));
    let (x, u, tensor) = (a.array::<Ix1>(), a.slice(), a.tensor());
    let (p, q) = (at.clone(), at.clone());
    let usizes: Vec<usize> = at.as_slice().iter().map(|&k| k as usize).collect();
    let row = Row::new(Problem::defined([count], move |i| (a.at(&[p[[i[0]]] as usize]), 0.0)))
        .fresh(Library::Ndarray, move || x.select(Axis(0), &usizes))
        .over(Library::Limit, Output::slice([count]), move |out| limit::take(out, *u, q.as_slice()));
    (tensor, at, row)
}

fn take<T: Number>(count: usize, of: usize) -> Row<T> {
    let (tensor, at, row) = taken::<T>(count, of);
    row.fresh(Library::Vierbein, move || tensor.take(0, &*at))
}

fn take_into<T: Number>(count: usize, of: usize) -> Row<T> {
    let (tensor, at, row) = taken::<T>(count, of);
    row.over(Library::Vierbein, Tensor::<T, _>::zeros([count]), move |out| tensor.take_into(0, &*at, out))
}

fn take_at_slice<T: Number>(count: usize, of: usize) -> Row<T> {
    let (tensor, at, row) = taken::<T>(count, of);
    row.fresh(Library::Vierbein, move || tensor.take(0, at.as_slice()))
}

fn take_at_usize<T: Number>(count: usize, of: usize) -> Row<T> {
    let (tensor, at, row) = taken::<T>(count, of);
    let at: Vec<usize> = at.as_slice().iter().map(|&k| k as usize).collect();
    row.fresh(Library::Vierbein, move || tensor.take(0, &at))
}

/// Takes rows of a matrix.
fn take_rows<T: Number>(n: usize, length: usize) -> Row<T> {
    let (a, at) = (operand::<T, _>(1, [n, length]), positions(n, n));
    let (x, u, tensor) = (a.array::<Ix2>(), a.slice(), a.tensor());
    let (p, q) = (at.clone(), at.clone());
    let usizes: Vec<usize> = at.as_slice().iter().map(|&k| k as usize).collect();
    Row::new(Problem::defined([n, length], move |i| (a.at(&[p[[i[0]]] as usize, i[1]]), 0.0)))
        .fresh(Library::Vierbein, move || tensor.take(0, &*at))
        .fresh(Library::Ndarray, move || x.select(Axis(0), &usizes))
        .over(Library::Limit, Output::slice([n, length]), move |out| {
            limit::take_rows(out, *u, q.as_slice(), length);
        })
}

/// Adds elements at random positions. The reference loop uses one thread, so that it adds values with equal positions in the order in
/// which they are in the operand.
fn scatter_add<T: Number>(count: usize, of: usize) -> Row<T> {
    let (a, at) = (operand::<T, _>(1, [count]), positions(count, of));
    let (u, tensor) = (a.slice(), a.tensor());
    let mut sums = vec![(T::sample(0.0, 0.0), 0.0); of];
    for (&k, i) in at.as_slice().iter().zip(0..) {
        let x = a.at(&[i]);
        let (sum, magnitudes) = &mut sums[k as usize];
        *sum += x;
        *magnitudes += x.magnitude();
    }
    let p = at.clone();
    let zero = T::sample(0.0, 0.0);
    Row::new(Problem::defined([of], move |i| sums[i[0]]))
        .in_place(
            Library::Vierbein,
            Tensor::<T, _>::zeros([of]),
            move |out| out.fill(zero),
            move |out| out.scatter_add(0, &*at, &*tensor),
        )
        .in_place(
            Library::Limit,
            Output::slice([of]),
            move |out| out.fill(zero),
            move |out| limit::scatter_add(out, *u, p.as_slice()),
        )
}

/// Returns a mask of `n` elements, of which about `n / every`, at random indices, are `true`.
fn mask(n: usize, every: usize) -> Arc<Tensor<bool, Rank<1>>> {
    let mut numbers = Generator(4);
    let mut mask = Tensor::full([n], false);
    mask.as_mut_slice().fill_with(|| numbers.below(every) == 0);
    Arc::new(mask)
}

fn masked<T: Number>(n: usize, every: usize) -> Row<T> {
    let (a, mask) = (operand::<T, _>(1, [n]), mask(n, every));
    let (u, tensor, m) = (a.slice(), a.tensor(), mask.clone());
    let chosen: Vec<usize> = (0..n).filter(|&i| mask[[i]]).collect();
    let count = chosen.len();
    Row::new(Problem::defined([count], move |i| (a.at(&[chosen[i[0]]]), 0.0)))
        .fresh(Library::Vierbein, move || tensor.masked(&*mask))
        .fresh(Library::Limit, move || {
            let m = m.as_slice();
            let count = m.iter().filter(|&&chosen| chosen).count();
            let mut out = vec![T::sample(0.0, 0.0); count + 1];
            limit::compress(&mut out, *u, m);
            out.truncate(count);
            out
        })
}

fn masked_fill<T: Number>(n: usize) -> Row<T> {
    let (a, mask) = (operand::<T, _>(1, [n]), mask(n, 2));
    let (x, y, m, p) = (a.tensor(), a.slice(), mask.clone(), mask.clone());
    let value = T::sample(7.0, 0.0);
    Row::new(Problem::defined([n], move |i| (if p[[i[0]]] { value } else { a.at(i) }, 0.0)))
        .in_place(
            Library::Vierbein,
            Tensor::<T, _>::zeros([n]),
            move |out| out.assign(&*x),
            move |out| out.masked_fill(&*mask, value),
        )
        .in_place(
            Library::Limit,
            Output::slice([n]),
            move |out| out.copy_from_slice(&y),
            move |out| limit::fill_masked(out, m.as_slice(), value),
        )
}
