//! Ordering: the methods of [`Reduce`](crate::device::Reduce) that sort, select and search, for [`Cpu`](crate::device::Cpu).
//!
//! ```text
//! lines of at most 16 elements: compare the elements of several lines at a time                  (many_short_lines)
//! otherwise, for each line along the last axis, in parallel if there is enough work:             (lines)
//!     copy it to a scratch buffer if it is not contiguous
//!     floating-point numbers: move NaN to the end; if a zero is negative, save the zeros         (float)
//!     sort: by SIMD quicksort, by counting, or by the standard library                           (numbers)
//!     write back the saved zeros
//! ```
//!
//! Indices are sorted by the [keys](key) of the elements (module `argsort`).
//!
//! The result for each line is that of a stable sort, to the bit, at each SIMD level and for any number of threads. A single long line is
//! sorted on several threads, too. How a partition arranges the elements depends on the SIMD level, but not on the number of threads
//! (module `chunks`). The functions that other modules call take element types as values (module `erased`), so they are compiled once, in
//! this crate.
//!
//! Each module uses only modules in the lines below its own:
//!
//! ```text
//! quantile  search
//! many_short_lines  argsort
//! argsort_short_keys
//! erased
//! lines  words
//! key                           the element types and their order
//! float
//! numbers                       numbers, none of which is NaN
//! quick                         SIMD quicksort and selection
//! pivot  chunks  counting  repeated
//! network  comparison           sorting networks; the standard library
//! parallel
//! ```

mod argsort;
mod argsort_short_keys;
#[cfg(target_arch = "x86_64")]
mod chunks;
mod comparison;
mod counting;
mod erased;
mod family;
mod float;
mod key;
mod lines;
mod many_short_lines;
#[cfg(target_arch = "x86_64")]
mod network;
mod numbers;
mod parallel;
#[cfg(target_arch = "x86_64")]
mod pivot;
mod quantile;
#[cfg(target_arch = "x86_64")]
mod quick;
mod repeated;
mod search;
#[cfg(test)]
pub(crate) mod tests;
mod words;

pub(super) use erased::{AnyOperand, AnyOutput};
pub(super) use quantile::quantile;
pub(super) use search::{contains, search};

use crate::device::cpu::loops::threads::enter;
use crate::device::{Cpu, Device, Operand, Output};
use crate::element::{DType, Element};
use crate::error::Error;
use erased::{AnySlice, AnySliceMut, for_sizes};
use lines::{LineTile, Lines, gather, over_lines, reuse, scatter, scratch, select_work, sort_work};
use many_short_lines::{MAX_LEN, MAX_LEN_OF_WORDS};

/// Sorts the lines of `a` along the last axis by module [`many_short_lines`] if they are short. Otherwise, calls `f` with each line, which must sort
/// it or, if `descending` is `false`, some of its elements. `work` returns the work of `f` for a line, from the length of the line.
fn order(
    a: AnyOutput<'_>,
    descending: bool,
    work: fn(usize) -> usize,
    f: &(dyn Fn(&mut AnySliceMut<'_>) -> Result<(), Error> + Sync),
) -> Result<(), Error> {
    let dtype = a.dtype();
    for_sizes!(dtype, U => {
        // SAFETY: sorting only moves elements. So all bits that are written are those of valid elements, as `bits` requires.
        let a = unsafe { a.bits::<U>() };
        let lines = Lines::of_output(&a);
        let max_len = if size_of::<U>() == 8 { MAX_LEN_OF_WORDS } else { MAX_LEN };
        if many_short_lines::are_short(&lines, max_len) {
            // SAFETY: `Output` guarantees exclusive access to the elements, and different elements for different indices. The source of a
            // line is the line itself.
            return unsafe { many_short_lines::sort(lines, lines, dtype, descending, |copy, _, at| copy[at]) };
        }
        in_place(a, work, &|x| f(&mut AnySliceMut::from_bits(dtype, x)))
    })
}

/// Calls `f` with each line of `a` along the last axis, as a contiguous slice, and writes the changes to `a`. `work` returns the work of
/// `f` for a line, from the length of the line.
fn in_place<T: Element>(
    a: Output<'_, T, Cpu>,
    work: fn(usize) -> usize,
    f: &(dyn Fn(&mut [T]) -> Result<(), Error> + Sync),
) -> Result<(), Error> {
    let lines = Lines::of_output(&a);
    let n = lines.len;
    if n == 0 {
        return Ok(());
    }
    over_lines(lines.shape, [lines.strides], n * size_of::<T>(), work(n), &|tiles| {
        let mut buffer = Vec::new();
        for LineTile { count, offsets: [at], strides: [step] } in tiles {
            let first = lines.first.offset(at);
            if lines.is_contiguous() {
                for line in 0..count as isize {
                    let line = first.offset(line * step).get();
                    // SAFETY: this is the first of `n` contiguous elements of the output, to which `Output` guarantees exclusive
                    // access. Each line is in one tile, and lines share no elements.
                    f(unsafe { core::slice::from_raw_parts_mut(line, n) })?;
                }
                continue;
            }
            let copy = reuse(&mut buffer, count, n)?;
            // SAFETY: the lines of a tile are lines of the output, to which `Output` guarantees exclusive access. Each line is in only one
            // tile, so no other thread writes to it.
            unsafe { gather(first, count, step, &[n], &[lines.stride], copy)? };
            copy.chunks_exact_mut(n).try_for_each(f)?;
            // SAFETY: the lines of a tile are lines of the output, and each line is in only one tile. `Output` guarantees exclusive access
            // to its elements, and that different indices address different elements.
            unsafe { scatter(first, count, step, n, lines.stride, copy)? };
        }
        Ok(())
    })
}

/// Sorts each line.
pub(super) fn sort(a: AnyOutput<'_>, descending: bool) -> Result<(), Error> {
    order(a, descending, sort_work, &|x| x.sort(descending))
}

/// In each line, moves the element that sorting would put at index `k` to this index. No element before it is then greater, and no
/// element after it is less.
pub(super) fn partition(a: AnyOutput<'_>, k: usize) -> Result<(), Error> {
    let n = a.shape().last().copied().unwrap_or(1);
    assert!(n == 0 || k < n, "there is no index {k} along an axis of extent {n}");
    order(a, false, select_work, &|x| x.partition(k))
}

/// Writes the indices that sort each line. Elements that are equal keep their order.
pub(super) fn argsort(out: Output<'_, i64, Cpu>, a: AnyOperand<'_>, descending: bool) -> Result<(), Error> {
    let dtype = a.dtype();
    for_sizes!(dtype, U => argsort_of::<U>(out, a.bits(), dtype, descending))
}

fn argsort_of<T: Element>(
    out: Output<'_, i64, Cpu>,
    a: Operand<'_, T, Cpu>,
    dtype: DType,
    descending: bool,
) -> Result<(), Error> {
    assert_eq!(out.shape(), a.shape(), "the operands must have the same shape");
    let (to, from) = (Lines::of_output(&out), Lines::of(&a));
    let n = to.len;
    if n == 0 {
        return Ok(());
    }
    if many_short_lines::are_short(&from, MAX_LEN) {
        // SAFETY: `out` and `a` have the same shape. `Output` guarantees exclusive access to its elements, and different elements for
        // different indices. `Operand` guarantees that its elements are readable.
        return unsafe { many_short_lines::sort(to, from, dtype, descending, |_, i, _| i as i64) };
    }
    let work = sort_work(n);
    over_lines(to.shape, [to.strides, from.strides], n * 8, work, &|tiles| {
        let (mut copy, mut indices) = (Vec::new(), Vec::new());
        let mut buffers = argsort_short_keys::Buffers::default();
        for LineTile { count, offsets, strides } in tiles {
            let [to_place, from_place] = [0, 1].map(|k| [count as isize, offsets[k], strides[k]]);
            // SAFETY: the lines of a tile are lines of the operand. `Operand` guarantees that their elements may be read and are not
            // written to.
            let mut lines = unsafe { from.read(from_place, &mut copy)? };
            // SAFETY: the lines of a tile are lines of the output, and each line is in only one tile. `Output` guarantees exclusive access
            // to its elements, and that different indices address different elements.
            unsafe {
                to.write(to_place, &mut indices, |indices| {
                    let x = lines.next().expect("the operands have the same number of lines");
                    argsort::argsort(AnySlice::from_bits(dtype, x), indices, descending, &mut buffers)
                })?
            };
        }
        Ok(())
    })
}

/// Writes the first elements of each line in sorted order, and their indices: the greatest elements if `descending`, otherwise the smallest.
/// The extent of the last axis of `values` is the number of elements to write for each line.
pub(super) fn top_k(
    values: AnyOutput<'_>,
    indices: Output<'_, i64, Cpu>,
    a: AnyOperand<'_>,
    descending: bool,
) -> Result<(), Error> {
    let dtype = a.dtype();
    assert_eq!(values.dtype(), dtype);
    // SAFETY: `top_k_of` writes only copies of elements of `a` to `values`. So all bits that it writes are those of valid elements, as
    // `values.bits` requires.
    for_sizes!(dtype, U => top_k_of::<U>(unsafe { values.bits() }, indices, a.bits(), dtype, descending))
}

fn top_k_of<T: Element>(
    values: Output<'_, T, Cpu>,
    indices: Output<'_, i64, Cpu>,
    a: Operand<'_, T, Cpu>,
    dtype: DType,
    descending: bool,
) -> Result<(), Error> {
    let (values, indices, from) = (Lines::of_output(&values), Lines::of_output(&indices), Lines::of(&a));
    assert!(
        values.shape == from.shape && indices.shape == from.shape,
        "the operands must have the same leading axes"
    );
    let (n, k) = (from.len, values.len);
    assert!(
        k <= n && indices.len == k,
        "the outputs must have the same number of elements for each line, at most the length of the line"
    );
    if k == 0 {
        return Ok(());
    }
    let strides = [values.strides, indices.strides, from.strides];
    let work = select_work(n);
    over_lines(from.shape, strides, n * size_of::<T>(), work, &|tiles| {
        let (mut copy, mut best, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for LineTile { count, offsets, strides } in tiles {
            // SAFETY: the lines of a tile are lines of the operand. `Operand` guarantees that their elements may be read and are not
            // written to.
            let lines = unsafe { from.read([count as isize, offsets[2], strides[2]], &mut copy)? };
            let (best, places) = (reuse(&mut best, count, k)?, reuse(&mut places, count, k)?);
            for ((x, best), places) in lines.zip(best.chunks_exact_mut(k)).zip(places.chunks_exact_mut(k)) {
                argsort::top(AnySlice::from_bits(dtype, x), places, descending)?;
                best.iter_mut().zip(places).for_each(|(best, &mut i)| *best = x[i as usize]);
            }
            // SAFETY: these are lines of the output `values`, and each line is in only one tile. `Output` guarantees exclusive access to
            // its elements, and that different indices address different elements.
            unsafe { scatter(values.first.offset(offsets[0]), count, strides[0], k, values.stride, best)? };
            // SAFETY: these are lines of the output `indices`, and each line is in only one tile. `Output` guarantees exclusive access to
            // its elements, and that different indices address different elements.
            unsafe {
                scatter(indices.first.offset(offsets[1]), count, strides[1], k, indices.stride, places)?
            };
        }
        Ok(())
    })
}

/// Sorts a contiguous output of rank 1, and moves the first element of each run of equal elements to the front. Returns the number `k` of
/// runs; the elements from index `k` on are unspecified. All NaN count as equal. If `counts` is given, it becomes the number of elements of
/// each run.
pub(super) fn unique(a: AnyOutput<'_>, counts: Option<&mut Vec<i64>>) -> Result<usize, Error> {
    let dtype = a.dtype();
    for_sizes!(dtype, U => {
        // SAFETY: `sort_alone` and `remove_repeated` only move elements. So all bits that they write are those of valid elements, as `bits`
        // requires.
        let a = unsafe { a.bits::<U>() };
        let x = a.into_mut_slice(true).expect("the output is contiguous");
        let mut x = AnySliceMut::from_bits(dtype, x);
        x.sort_alone()?;
        if let Some(counts) = counts {
            *counts = x.as_slice().run_lengths()?;
        }
        Ok(x.remove_repeated())
    })
}

/// Writes the keys of the elements of a contiguous operand.
fn write_keys(a: AnyOperand<'_>, keys: &mut [u64]) {
    let dtype = a.dtype();
    for_sizes!(dtype, U => {
        let x = a.bits::<U>().into_slice(true).expect("the operand is contiguous");
        AnySlice::from_bits(dtype, x).write_keys(keys, false);
    });
}

/// Writes the indices that would sort `keys` to `order`.
fn argsort_keys(keys: &[u64], order: &mut [i64]) -> Result<(), Error> {
    let keys = AnySlice::from_bits(DType::U64, keys);
    enter(sort_work(keys.len()), || {
        argsort::argsort(keys, order, false, &mut argsort_short_keys::Buffers::default())
    })
}

/// Groups the equal elements of a contiguous operand of rank 1. All NaN form one group. The groups are numbered in ascending order of
/// their elements. Returns the index of the first element of each group, the group number of each element, and the number of elements of
/// each group.
pub(super) fn unique_with(a: AnyOperand<'_>) -> Result<[Vec<i64>; 3], Error> {
    let n = a.len();
    let (mut keys, mut order) = (scratch(1, n)?, scratch(1, n)?);
    write_keys(a, &mut keys);
    argsort_keys(&keys, &mut order)?;
    let starts = |k: usize| k == 0 || keys[order[k] as usize] != keys[order[k - 1] as usize];
    let count = (0..n).filter(|&k| starts(k)).count();
    let (mut first, mut inverse, mut counts) = (scratch(1, count)?, scratch(1, n)?, scratch(1, count)?);
    let mut found = 0;
    for (k, &i) in order.iter().enumerate() {
        if starts(k) {
            first[found] = i;
            found += 1;
        }
        counts[found - 1] += 1;
        inverse[i as usize] = found as i64 - 1;
    }
    Ok([first, inverse, counts])
}

/// Writes the indices that sort the columns of a matrix by the elements of its last row. Columns with equal elements there are sorted by
/// the row before it, and so on.
pub(super) fn lexsort(out: Output<'_, i64, Cpu>, a: AnyOperand<'_>) -> Result<(), Error> {
    let &[rows, n] = a.shape() else { panic!("the operand is a matrix") };
    assert_eq!(out.shape(), [n], "the output has an index for each column");
    // A matrix without columns needs no memory, so it can have a huge number of rows. A loop over them would not end.
    if n == 0 {
        return Ok(());
    }
    let dtype = a.dtype();
    let order = for_sizes!(dtype, U => {
        let x = Cpu.gather(a.bits::<U>())?;
        let row = |i: usize| AnySlice::from_bits(dtype, &x[i * n..(i + 1) * n]);
        lexsort_rows(n, rows, &row)?
    });
    // SAFETY: `out` is one line of `n` elements. `Output` guarantees exclusive access to them, and that different indices address different
    // elements.
    unsafe { scatter(out.ptr(), 1, 0, n, out.strides()[0], &order) }
}

/// Returns the indices that sort the columns of a matrix as [`lexsort`] does. `row(i)` returns row `i`, which has `n` elements.
fn lexsort_rows<'a>(n: usize, rows: usize, row: &dyn Fn(usize) -> AnySlice<'a>) -> Result<Vec<i64>, Error> {
    let mut order: Vec<i64> = scratch(1, n)?;
    (0..).zip(&mut order).for_each(|(i, to)| *to = i);
    let (mut keys, mut sorted, mut next) = (scratch(1, n)?, scratch(1, n)?, scratch(1, n)?);
    let mut of_row = scratch(1, n)?;
    for i in 0..rows {
        row(i).write_keys(&mut of_row, false);
        keys.iter_mut().zip(&order).for_each(|(key, &i)| *key = of_row[i as usize]);
        argsort_keys(&keys, &mut sorted)?;
        next.iter_mut().zip(&sorted).for_each(|(to, &k): (&mut i64, &i64)| *to = order[k as usize]);
        core::mem::swap(&mut order, &mut next);
    }
    Ok(order)
}
