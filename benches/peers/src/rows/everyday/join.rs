//! Benchmark rows of concatenated, rolled, tiled, repeated and padded copies. The reference loop of a row copies as many elements as the
//! result has, unless the row has a loop of its own.

use super::super::Entry;
use crate::implementation::Library;
use crate::memory::{Operand, Output, operand};
use crate::{Number, Problem, Row, limit};
use ndarray::{Array1, Array2, Axis, Ix1, Ix2, concatenate, s as range};
use vierbein::{Dim, Pad, Tensor, concatenate_into};

pub(crate) fn all<T: Number>() -> Vec<Entry<T>> {
    vec![
        Entry::new("concatenate axis 0 10⁷", || concatenate_vectors(5_000_000)),
        Entry::new("concatenate axis 0 10⁷ into", || concatenate_vectors_into(5_000_000)),
        Entry::new("concatenate axis 1 2000×5000", || concatenate_columns(2000, 2500)),
        Entry::new("roll 10⁷", || roll(10_000_000)),
        Entry::new("roll 10⁷ into", || roll_into(10_000_000)),
        Entry::new("roll axis 1 2000×5000", || roll_columns(2000, 5000)),
        Entry::new("tile ×2 10⁷", || tile(5_000_000)),
        Entry::new("repeat 2 10⁷", || repeat(5_000_000)),
        Entry::new("pad 2 3160²", || pad(3160)),
    ]
}

/// Adds the reference loop: it writes `len` elements by copying `from` as often as necessary.
fn copied<T: Number, D: Dim>(row: Row<T>, len: usize, from: &Operand<T, D>) -> Row<T> {
    let (u, v) = (from.slice(), from.slice());
    row.over(Library::Limit, Output::slice([len]), move |out| {
        for out in out.chunks_mut(u.len()) {
            limit::copy(out, &u[..out.len()]);
        }
    })
    .instead(move |index| {
        // The expected result of the reference loop is copies of `from`. All benchmarks that call this function have a vector as result,
        // so `index` has one component.
        (v[index[0] % v.len()], 0.0)
    })
}

/// The shift of all rolls.
const SHIFT: usize = 12_345;

fn concatenate_vectors<T: Number>(n: usize) -> Row<T> {
    let (a, b) = (operand::<T, _>(1, [n]), operand::<T, _>(2, [n]));
    let (left, right) = (a.tensor(), b.tensor());
    let (x, y) = (a.array::<Ix1>(), b.array::<Ix1>());
    let (u, v) = (a.slice(), b.slice());
    let at = move |i: &[usize]| (if i[0] < n { a.at(i) } else { b.at(&[i[0] - n]) }, 0.0);
    Row::new(Problem::defined([2 * n], at))
        .fresh(Library::Vierbein, move || vierbein::concatenate(0, [&*left, &*right]))
        .fresh(Library::Ndarray, move || concatenate(Axis(0), &[x.view(), y.view()]).expect("equal shapes"))
        .over(Library::Limit, Output::slice([2 * n]), move |out| {
            let (low, high) = out.split_at_mut(n);
            limit::copy(low, *u);
            limit::copy(high, *v);
        })
}

fn concatenate_vectors_into<T: Number>(n: usize) -> Row<T> {
    let (a, b) = (operand::<T, _>(1, [n]), operand::<T, _>(2, [n]));
    let (left, right) = (a.tensor(), b.tensor());
    let (x, y) = (a.array::<Ix1>(), b.array::<Ix1>());
    let (u, v) = (a.slice(), b.slice());
    let at = move |i: &[usize]| (if i[0] < n { a.at(i) } else { b.at(&[i[0] - n]) }, 0.0);
    Row::new(Problem::defined([2 * n], at))
        .over(Library::Vierbein, Tensor::<T, _>::zeros([2 * n]), move |out| {
            concatenate_into(0, [&*left, &*right], out);
        })
        .over(Library::Ndarray, Output::array::<T, Ix1, _>([2 * n]), move |out| {
            out.slice_mut(range![..n]).assign(&x);
            out.slice_mut(range![n..]).assign(&y);
        })
        .over(Library::Limit, Output::slice([2 * n]), move |out| {
            let (low, high) = out.split_at_mut(n);
            limit::copy(low, *u);
            limit::copy(high, *v);
        })
}

fn concatenate_columns<T: Number>(rows: usize, columns: usize) -> Row<T> {
    let (a, b) = (operand::<T, _>(1, [rows, columns]), operand::<T, _>(2, [rows, columns]));
    let (left, right) = (a.tensor(), b.tensor());
    let (x, y) = (a.array::<Ix2>(), b.array::<Ix2>());
    let both = [a.slice(), b.slice()];
    let at = move |i: &[usize]| {
        let [row, column] = [i[0], i[1]];
        (if column < columns { a.at(i) } else { b.at(&[row, column - columns]) }, 0.0)
    };
    Row::new(Problem::defined([rows, 2 * columns], at))
        .fresh(Library::Vierbein, move || vierbein::concatenate(1, [&*left, &*right]))
        .fresh(Library::Ndarray, move || concatenate(Axis(1), &[x.view(), y.view()]).expect("equal shapes"))
        .over(Library::Limit, Output::slice([rows, 2 * columns]), move |out| {
            limit::over_lines(out, columns, |i| {
                ([&both[i % 2][i / 2 * columns..][..columns]], |[x]: [T; 1]| x)
            });
        })
}

fn roll<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n]);
    let (tensor, x) = (a.tensor(), a.array::<Ix1>());
    let from = a.clone();
    let problem = Problem::defined([n], move |i| (a.at(&[(i[0] + n - SHIFT) % n]), 0.0));
    let row = Row::new(problem).fresh(Library::Vierbein, move || tensor.roll(0, SHIFT as isize)).fresh(
        Library::Ndarray,
        move || {
            let mut out = Array1::zeros(n);
            out.slice_mut(range![SHIFT..]).assign(&x.slice(range![..n - SHIFT]));
            out.slice_mut(range![..SHIFT]).assign(&x.slice(range![n - SHIFT..]));
            out
        },
    );
    copied(row, n, &from)
}

fn roll_into<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n]);
    let (tensor, x) = (a.tensor(), a.array::<Ix1>());
    let from = a.clone();
    let problem = Problem::defined([n], move |i| (a.at(&[(i[0] + n - SHIFT) % n]), 0.0));
    let row = Row::new(problem)
        .over(Library::Vierbein, Tensor::<T, _>::zeros([n]), move |out| {
            tensor.roll_into(0, SHIFT as isize, out);
        })
        .over(Library::Ndarray, Output::array::<T, Ix1, _>([n]), move |out| {
            out.slice_mut(range![SHIFT..]).assign(&x.slice(range![..n - SHIFT]));
            out.slice_mut(range![..SHIFT]).assign(&x.slice(range![n - SHIFT..]));
        });
    copied(row, n, &from)
}

/// Rolls each row by a number of columns. The reference loop copies each row in two parts.
fn roll_columns<T: Number>(rows: usize, columns: usize) -> Row<T> {
    const BY: usize = 1234;
    let a = operand::<T, _>(1, [rows, columns]);
    let (tensor, x, u) = (a.tensor(), a.array::<Ix2>(), a.slice());
    let at = move |i: &[usize]| (a.at(&[i[0], (i[1] + columns - BY) % columns]), 0.0);
    Row::new(Problem::defined([rows, columns], at))
        .fresh(Library::Vierbein, move || tensor.roll(1, BY as isize))
        .fresh(Library::Ndarray, move || {
            let mut out = Array2::zeros([rows, columns]);
            out.slice_mut(range![.., BY..]).assign(&x.slice(range![.., ..columns - BY]));
            out.slice_mut(range![.., ..BY]).assign(&x.slice(range![.., columns - BY..]));
            out
        })
        .over(Library::Limit, Output::slice([rows, columns]), move |out| {
            for (out, from) in out.chunks_exact_mut(columns).zip(u.chunks_exact(columns)) {
                out[BY..].copy_from_slice(&from[..columns - BY]);
                out[..BY].copy_from_slice(&from[columns - BY..]);
            }
        })
}

fn tile<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n]);
    let (tensor, x) = (a.tensor(), a.array::<Ix1>());
    let from = a.clone();
    let row = Row::new(Problem::defined([2 * n], move |i| (a.at(&[i[0] % n]), 0.0)))
        .fresh(Library::Vierbein, move || tensor.tile([2]))
        .fresh(Library::Ndarray, move || concatenate(Axis(0), &[x.view(), x.view()]).expect("equal shapes"));
    copied(row, 2 * n, &from)
}

/// Repeats each element twice. The reference loop writes the pairs.
fn repeat<T: Number>(n: usize) -> Row<T> {
    let a = operand::<T, _>(1, [n]);
    let (tensor, x, u) = (a.tensor(), a.array::<Ix1>(), a.slice());
    Row::new(Problem::defined([2 * n], move |i| (a.at(&[i[0] / 2]), 0.0)))
        .fresh(Library::Vierbein, move || tensor.repeat(0, 2))
        .fresh(Library::Ndarray, move || {
            let mut out = Array2::zeros([n, 2]);
            out.assign(&x.view().insert_axis(Axis(1)));
            out.into_shape_with_order(2 * n).expect("a contiguous array")
        })
        .over(Library::Limit, Output::slice([2 * n]), move |out| {
            for (out, &from) in out.as_chunks_mut::<2>().0.iter_mut().zip(u.iter()) {
                *out = [from; 2];
            }
        })
}

/// Pads a square matrix with zeros. The reference loop copies the rows and writes the zeros.
fn pad<T: Number>(n: usize) -> Row<T> {
    const BY: usize = 2;
    let m = n + 2 * BY;
    let a = operand::<T, _>(1, [n, n]);
    let (tensor, x, u) = (a.tensor(), a.array::<Ix2>(), a.slice());
    let zero = T::sample(0.0, 0.0);
    let inside = move |i: usize| (BY..BY + n).contains(&i);
    let at = move |i: &[usize]| match inside(i[0]) && inside(i[1]) {
        true => (a.at(&[i[0] - BY, i[1] - BY]), 0.0),
        false => (zero, 0.0),
    };
    Row::new(Problem::defined([m, m], at))
        .fresh(Library::Vierbein, move || tensor.pad(BY, Pad::Constant(zero)))
        .fresh(Library::Ndarray, move || {
            let mut out = Array2::zeros([m, m]);
            out.slice_mut(range![BY..BY + n, BY..BY + n]).assign(&x);
            out
        })
        .over(Library::Limit, Output::slice([m, m]), move |out| {
            for (i, out) in out.chunks_exact_mut(m).enumerate() {
                match inside(i) {
                    true => {
                        out[..BY].fill(zero);
                        out[BY..BY + n].copy_from_slice(&u[(i - BY) * n..][..n]);
                        out[BY + n..].fill(zero);
                    }
                    false => out.fill(zero),
                }
            }
        })
}
