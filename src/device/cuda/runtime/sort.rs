//! Sorting, selection and search: converts typed operands to untyped ones, and calls the kernels. A partition, and the selection of the
//! greatest elements, also sort whole lines. The distinct elements are the first elements of the runs of equal elements in a sorted vector.

use super::codegen::operation::{RawElements, RawOperand};
use super::driver::context::{Context, Memory};
use super::kernels::copy;
use super::kernels::reduce::scan::Scanning;
use super::kernels::select::mask;
use super::kernels::select::positions::{self, Axis};
use super::kernels::sort::{self, Find, SortLines};
use super::{compact, fetched, operation, result, strided};
use crate::device::cuda::CudaBuffer;
use crate::device::family::sort::SEARCH;
use crate::device::quantile::Quantile;
use crate::device::{Cpu, Cuda, CudaSource, Operand, Output, Sort, via_host};
use crate::element::{DType, Element, Ordered, RealScalar};
use crate::error::Error;
use crate::layout::{Layout, is_contiguous};
use core::marker::PhantomData;

/// Returns the type that the kernels use to sort and compare elements. The bytes of a `bool` that was never written can have any value, so
/// they are read as numbers.
fn key(dtype: DType) -> DType {
    if dtype == DType::Bool { DType::U8 } else { dtype }
}

/// Returns the lines along the last axis of a contiguous tensor.
fn lines<T: Element>(shape: &[usize], descending: bool) -> SortLines {
    let (&length, kept) = shape.split_last().expect("there is an axis along which to sort");
    SortLines { count: kept.iter().product(), length, dtype: key(T::DTYPE), descending }
}

/// Elements of an operand, contiguous in row-major order: those of the operand itself, or a copy.
struct Contiguous {
    address: u64,
    copy: Option<Memory>,
}

impl Contiguous {
    fn of<T: Element, const N: usize>(
        context: &'static Context,
        a: Operand<'_, T, Cuda<N>>,
    ) -> Result<Contiguous, Error> {
        if is_contiguous(a.shape(), a.strides(), true) {
            return Ok(Contiguous { address: a.ptr().address, copy: None });
        }
        let copy = compact(context, a)?;
        Ok(Contiguous { address: copy.address(), copy: Some(copy) })
    }

    /// Returns memory for the elements of an output: the output's own memory if it is row-major contiguous, otherwise new memory.
    fn for_output<T: Element, const N: usize>(
        context: &'static Context,
        out: &Output<'_, T, Cuda<N>>,
    ) -> Result<Contiguous, Error> {
        if is_contiguous(out.shape(), out.strides(), true) {
            return Ok(Contiguous { address: out.ptr().address, copy: None });
        }
        let memory = context.alloc(out.shape().iter().product::<usize>() * size_of::<T>())?;
        Ok(Contiguous { address: memory.address(), copy: Some(memory) })
    }

    /// Copies the elements to the output, unless they are already in the output's memory.
    fn store<T: Element, const N: usize>(
        &self,
        context: &'static Context,
        out: Output<'_, T, Cuda<N>>,
    ) -> Result<(), Error> {
        let Some(copy) = &self.copy else { return Ok(()) };
        let layout = Layout::contiguous(out.shape(), true);
        let from = RawOperand { address: copy.address(), dtype: T::DTYPE, strides: layout.strides() };
        // SAFETY: `copy` has the elements of `out`, contiguous in row-major order. `Output` guarantees exclusive access to the elements of
        // `out`.
        unsafe { copy::copy(context, out.shape(), result(&out), from) }
    }
}

pub(in crate::device) fn sort<T: Element, const N: usize>(
    context: &'static Context,
    a: Output<'_, T, Cuda<N>>,
    descending: bool,
) -> Result<(), Error> {
    let lines = lines::<T>(a.shape(), descending);
    let elements = Contiguous::of(context, a.as_operand())?;
    // SAFETY: `elements` are those of `a`, to which `Output` guarantees exclusive access, or those of a copy, whose address nothing else
    // has.
    unsafe { lines.sort(context, elements.address, elements.address, None)? };
    elements.store(context, a)
}

/// Sorts the elements, so every element is at its index.
pub(in crate::device) fn partition<T: Element, const N: usize>(
    context: &'static Context,
    a: Output<'_, T, Cuda<N>>,
    _: usize,
) -> Result<(), Error> {
    sort(context, a, false)
}

pub(in crate::device) fn argsort<T: Element, const N: usize>(
    context: &'static Context,
    out: Output<'_, i64, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
    descending: bool,
) -> Result<(), Error> {
    assert_eq!(out.shape(), a.shape(), "the operands must have the same shape");
    let lines = lines::<T>(a.shape(), descending);
    let (elements, order) = (Contiguous::of(context, a)?, Contiguous::for_output(context, &out)?);
    let sorted = context.alloc(lines.len() * size_of::<T>())?;
    // SAFETY: `Operand` guarantees readable elements. `sorted` has room for all of them, and nothing else has its address. `order` is the
    // memory of `out`, to which `Output` guarantees exclusive access, or new memory.
    unsafe { lines.sort(context, elements.address, sorted.address(), Some(order.address))? };
    order.store(context, out)
}

pub(in crate::device) fn top_k<T: Element, const N: usize>(
    context: &'static Context,
    values: Output<'_, T, Cuda<N>>,
    indices: Output<'_, i64, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
    descending: bool,
) -> Result<(), Error> {
    let lines = lines::<T>(a.shape(), descending);
    let (&k, kept) = values.shape().split_last().expect("there is an axis along which to select");
    assert_eq!(values.shape(), indices.shape(), "the outputs must have the same shape");
    assert_eq!(kept, &a.shape()[..kept.len()], "the operands must have the same leading axes");
    assert!(a.shape().len() == kept.len() + 1 && k <= lines.length, "there must be enough elements");
    let elements = Contiguous::of(context, a)?;
    let sorted = context.alloc(lines.len() * size_of::<T>())?;
    let order = context.alloc(lines.len() * size_of::<i64>())?;
    // SAFETY: `Operand` guarantees readable elements. `sorted` and `order` have room for all of them, and nothing else has their
    // addresses.
    unsafe { lines.sort(context, elements.address, sorted.address(), Some(order.address()))? };
    let layout = Layout::contiguous(a.shape(), true);
    let sorted = RawOperand { address: sorted.address(), dtype: T::DTYPE, strides: layout.strides() };
    let order = RawOperand { address: order.address(), dtype: DType::I64, strides: layout.strides() };
    // SAFETY: the call above wrote `sorted`. `values` has the shape of the first `k` elements of each line. `Output` guarantees exclusive
    // access to `values`.
    unsafe { copy::copy(context, values.shape(), result(&values), sorted)? };
    // SAFETY: the call to `sort` wrote `order`. `indices` has the shape of the first `k` indices of each line. `Output` guarantees
    // exclusive access to `indices`.
    unsafe { copy::copy(context, indices.shape(), result(&indices), order) }
}

pub(in crate::device) fn lexsort<T: Element, const N: usize>(
    context: &'static Context,
    out: Output<'_, i64, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    let &[rows, n] = a.shape() else { panic!("the operand is a matrix") };
    assert_eq!(out.shape(), [n], "the output has an index for each column");
    // A matrix without columns needs no memory, so it can have any number of rows. The loop over them could take practically forever.
    if n == 0 {
        return Ok(());
    }
    let bytes = n * size_of::<i64>();
    let vector = |address, dtype| RawOperand { address, dtype, strides: &[1] };
    let mut order = context.alloc(bytes)?;
    let index = operation("generate", CudaSource::builtin("(i64)k"), |_| ());
    // SAFETY: `order` has room for `n` indices, and nothing else has its address.
    unsafe { index.run(context, &[n], &[vector(order.address(), DType::I64)])? };
    let lines = SortLines { count: 1, length: n, dtype: key(T::DTYPE), descending: false };
    let keys = context.alloc(n * size_of::<T>())?;
    for row in 0..rows {
        let (places, next) = (context.alloc(bytes)?, context.alloc(bytes)?);
        let first =
            RawElements { address: a.ptr().address, dtype: T::DTYPE }.offset(row as isize * a.strides()[0]);
        let from = RawOperand { address: first.address, dtype: T::DTYPE, strides: &[0] };
        let to = vector(keys.address(), T::DTYPE);
        let at = vector(order.address(), DType::I64);
        // SAFETY: `Operand` guarantees that the row may be read, and `order` has a valid index for each column. `keys` has room for the
        // row, and nothing else accesses it.
        unsafe { positions::take(context, &[n], to, (from, Axis::new(n, a.strides()[1])), at, false)? };
        // SAFETY: the call above wrote the keys. `places` has room for an index for each of them, and nothing else has its address.
        unsafe { lines.sort(context, keys.address(), keys.address(), Some(places.address()))? };
        let (to, places) = (vector(next.address(), DType::I64), vector(places.address(), DType::I64));
        let from = (RawOperand { strides: &[0], ..at }, Axis::new(n, 1));
        // SAFETY: the calls above wrote `order` and `places`, whose elements are valid indices. `next` has room for as many elements, and
        // nothing else has its address.
        unsafe { positions::take(context, &[n], to, from, places, false)? };
        order = next;
    }
    let from = RawOperand { address: order.address(), dtype: DType::I64, strides: &[1] };
    // SAFETY: `order` has an index for each column, and `Output` guarantees exclusive access to the elements of `out`.
    unsafe { copy::copy(context, &[n], result(&out), from) }
}

pub(in crate::device) fn search<T: Ordered, const N: usize>(
    context: &'static Context,
    out: Output<'_, i64, Cuda<N>>,
    sorted: Operand<'_, T, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
    right: bool,
) -> Result<(), Error> {
    assert_eq!(out.shape(), a.shape(), "the operands must have the same shape");
    let &[length] = sorted.shape() else { panic!("the sorted elements must be a vector") };
    let how = if right { Find::After } else { Find::Before };
    let dtype = key(T::DTYPE);
    let within = RawOperand { dtype, ..strided(&sorted) };
    if cfg!(debug_assertions) && length > 1 {
        let in_order = operation(SEARCH, CudaSource::builtin("b != b || a <= b"), |_| ());
        let first = RawElements { address: within.address, dtype };
        let next = RawOperand { address: first.offset(within.strides[0]).address, ..within };
        // SAFETY: `Operand` guarantees that the `length` elements of `sorted` may be read. The call reads the `length - 1` pairs of
        // adjacent elements.
        if !unsafe { in_order.defined(context, &[length - 1], DType::Bool, &[within, next])? } {
            // The host repeats the search, and returns the error that names the elements.
            let (sorted, of_a) = (fetched(context, sorted)?, fetched(context, a)?);
            let device = Cuda::<N>::default();
            return via_host::write_with(&device, out, |out| {
                Cpu.search(out, sorted.operand(), of_a.operand(), right)
            });
        }
    }
    let of_a = RawOperand { dtype, ..strided(&a) };
    // SAFETY: `Operand` guarantees that the elements of `sorted` and `a` may be read. `Output` guarantees exclusive access to the elements
    // of `out`.
    unsafe { sort::find(context, how, a.shape(), result(&out), (within, length), of_a) }
}

pub(in crate::device) fn contains<T: Element, const N: usize>(
    context: &'static Context,
    out: Output<'_, bool, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
    of: Operand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    assert_eq!(out.shape(), a.shape(), "the operands must have the same shape");
    let (sorted, lines) = sorted(context, of)?;
    let sorted = RawOperand { address: sorted.address(), dtype: lines.dtype, strides: &[1] };
    let of_a = RawOperand { dtype: lines.dtype, ..strided(&a) };
    // SAFETY: `sorted` is one contiguous line of `lines.length` elements. `Operand` guarantees that the elements of `a` may be read.
    // `Output` guarantees exclusive access to the elements of `out`.
    unsafe { sort::find(context, Find::Contains, a.shape(), result(&out), (sorted, lines.length), of_a) }
}

/// Sorts a copy of all elements, as one line.
fn sorted<T: Element, const N: usize>(
    context: &'static Context,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(Memory, SortLines), Error> {
    let lines =
        SortLines { count: 1, length: a.shape().iter().product(), dtype: key(T::DTYPE), descending: false };
    let copy = compact(context, a)?;
    // SAFETY: `copy` has all elements, and nothing else has its address.
    unsafe { lines.sort(context, copy.address(), copy.address(), None)? };
    Ok((copy, lines))
}

pub(in crate::device) fn quantile<T: RealScalar, const N: usize>(
    context: &'static Context,
    out: Output<'_, T::Float, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
    levels: &[f64],
    method: Option<Quantile>,
) -> Result<(), Error> {
    let leading = out.shape().len() - 1;
    let (kept, within) = a.shape().split_at(leading);
    assert!(out.shape()[..leading] == *kept && out.shape()[leading] == levels.len());
    if out.shape().contains(&0) {
        return Ok(());
    }
    let (count, length) = (kept.iter().product(), within.iter().product::<usize>());
    assert!(length > 0, "quantiles of zero elements are undefined");
    let lines = SortLines { count, length, dtype: T::DTYPE, descending: false };
    let elements = Contiguous::of(context, a)?;
    let sorted = context.alloc(lines.len() * size_of::<T>())?;
    // SAFETY: `Operand` guarantees readable elements. `sorted` has room for all of them, and nothing else has its address.
    unsafe { lines.sort(context, elements.address, sorted.address(), None)? };
    for (j, &level) in levels.iter().enumerate() {
        let (at, weight) = match method {
            Some(method) => method.place(length, level),
            None => ((length - 1) / 2, if length.is_multiple_of(2) { 0.5 } else { 0.0 }),
        };
        assert!(at < length && (weight == 0.0 || at + 1 < length), "a level is from 0 to 1");
        let first = RawElements { address: out.ptr().address, dtype: T::Float::DTYPE };
        let address = first.offset(j as isize * out.strides()[leading]).address;
        let column = RawOperand { address, dtype: T::Float::DTYPE, strides: &out.strides()[..leading] };
        let place = (at, weight, method.is_none());
        // SAFETY: the call to `sort` wrote the lines of `sorted`. By the assertion, `at` is an index of a line, and `at + 1` is one unless
        // `weight` is 0. `Output` guarantees exclusive access to the elements of `column`.
        unsafe { sort::quantile(context, &lines, place, sorted.address(), kept, column)? };
    }
    Ok(())
}

/// Returns the distinct elements in ascending order, their number, and three vectors of `i64`:
///
/// * for each distinct element, the index of the first element equal to it;
/// * for each element, the index of the distinct element equal to it;
/// * for each distinct element, the number of elements equal to it.
#[allow(clippy::type_complexity)]
pub(in crate::device) fn unique_with<T: Element, const N: usize>(
    context: &'static Context,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(CudaBuffer<T>, [CudaBuffer<i64>; 3]), Error> {
    let n = a.shape().iter().product();
    let (values, len, [first, inverse, counts]) = distinct(context, a)?;
    let indices = |memory, len| CudaBuffer { memory, len, elements: PhantomData };
    let places = [indices(first, len), indices(inverse, n), indices(counts, len)];
    Ok((CudaBuffer { memory: values, len, elements: PhantomData }, places))
}

fn distinct<T: Element, const N: usize>(
    context: &'static Context,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(Memory, usize, [Memory; 3]), Error> {
    let n = a.shape().iter().product();
    let lines = SortLines { count: 1, length: n, dtype: key(T::DTYPE), descending: false };
    let indices = |len: usize| context.alloc(len * size_of::<i64>());
    if n == 0 {
        return Ok((context.alloc(0)?, 0, [indices(0)?, indices(0)?, indices(0)?]));
    }
    let vector = |memory: &Memory, dtype| RawOperand { address: memory.address(), dtype, strides: &[1] };
    let elements = Contiguous::of(context, a)?;
    let (sorted, order, starts) = (context.alloc(n * size_of::<T>())?, indices(n)?, context.alloc(n)?);
    // SAFETY: `Operand` guarantees readable elements. `sorted` and `order` have room for all of them, and nothing else has their
    // addresses.
    unsafe { lines.sort(context, elements.address, sorted.address(), Some(order.address()))? };
    // SAFETY: the call above wrote the `n` elements of `sorted`. `starts` has `n` bytes, and nothing else has its address.
    unsafe { sort::starts(context, lines.dtype, n, sorted.address(), starts.address())? };
    let chosen = vector(&starts, DType::U8);
    // SAFETY: the call above wrote the `n` bytes of `starts`.
    let count = unsafe { mask::sums(context, &[n], chosen)?.total()? };

    let (distinct, first) = (context.alloc(count * size_of::<T>())?, indices(count)?);
    for (from, to, dtype) in [(&sorted, &distinct, T::DTYPE), (&order, &first, DType::I64)] {
        let (from, to) = (vector(from, dtype), vector(to, dtype));
        // SAFETY: `from` has `n` elements and `starts` as many bytes. `to` has room for `count` elements, and nothing else has its address.
        unsafe { mask::copy(context, &mask::COMPRESS, &[n], chosen, from, (to, count))? };
    }

    // A group is a run of equal elements in `sorted`. The scan counts the groups that start at or before each element. This count, less
    // one, is the index of the element's group.
    let (marks, groups, inverse) = (indices(n)?, indices(n)?, indices(n)?);
    let number = operation("cast", CudaSource::builtin("(i64)a"), |_| ());
    // SAFETY: `starts` has `n` bytes, and `marks` has room for `n` numbers. Nothing else has the address of `marks`.
    unsafe { number.run(context, &[n], &[vector(&marks, DType::I64), chosen])? };
    let add = Scanning {
        operation: operation("count", CudaSource::builtin("a + b"), |_| ()),
        domain: None,
        associative: true,
    };
    // SAFETY: the call above wrote the `n` elements of `marks`. `groups` has as many, and nothing else has its address.
    unsafe { add.run(context, &[n], vector(&groups, DType::I64), vector(&marks, DType::I64))? };
    // SAFETY: `order`, `groups` and `inverse` have `n` elements each. `order` is a permutation, and nothing else has the address of
    // `inverse`.
    unsafe { sort::invert(context, n, order.address(), groups.address(), inverse.address())? };

    // The size of a group is the distance from its start to the start of the next group, or to the end of `sorted`.
    let (at, counts) = (indices(count + 1)?, indices(count)?);
    let matrix = RawOperand { address: at.address(), dtype: DType::I64, strides: &[1, 1] };
    // SAFETY: `starts` has `n` bytes, of which `count` are not zero. `at` has room for `count` indices, and nothing else has its address.
    unsafe { mask::nonzero(context, &[n], (matrix, count), chosen)? };
    let element =
        |k: usize| RawElements { address: at.address(), dtype: DType::I64 }.offset(k as isize).address;
    let end = RawOperand { address: element(count), dtype: DType::I64, strides: &[1] };
    let fill = operation("fill", CudaSource::builtin("value"), |bind| bind.scalar("value", n as i64));
    // SAFETY: `end` is element `count` of `at`, which has `count + 1` elements. Nothing else has the address of `at`.
    unsafe { fill.run(context, &[1], &[end])? };
    let less = operation("subtract", CudaSource::builtin("a - b"), |_| ());
    let next = RawOperand { address: element(1), dtype: DType::I64, strides: &[1] };
    // SAFETY: the calls above wrote the `count + 1` elements of `at`. `counts` has room for `count` elements, and nothing else has its
    // address.
    unsafe { less.run(context, &[count], &[vector(&counts, DType::I64), next, vector(&at, DType::I64)])? };
    Ok((distinct, count, [first, inverse, counts]))
}

/// Returns the distinct elements in ascending order, and their number.
pub(in crate::device) fn unique<T: Element, const N: usize>(
    context: &'static Context,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<CudaBuffer<T>, Error> {
    let (sorted, SortLines { length: n, dtype, .. }) = sorted(context, a)?;
    if n == 0 {
        return Ok(CudaBuffer { memory: sorted, len: 0, elements: PhantomData });
    }
    let starts = context.alloc(n)?;
    // SAFETY: `sorted` has `n` elements. `starts` has `n` bytes, and nothing else has its address.
    unsafe { sort::starts(context, dtype, n, sorted.address(), starts.address())? };
    let vector = |address, dtype| RawOperand { address, dtype, strides: &[1] };
    let chosen = vector(starts.address(), DType::U8);
    // SAFETY: the launch above wrote the `n` bytes of `starts`.
    let count = unsafe { mask::sums(context, &[n], chosen)?.total()? };
    let distinct = context.alloc(count * size_of::<T>())?;
    let (from, to) = (vector(sorted.address(), T::DTYPE), vector(distinct.address(), T::DTYPE));
    // SAFETY: `sorted` has `n` elements and `starts` as many bytes. `distinct` has room for `count` elements, and nothing else has its
    // address.
    unsafe { mask::copy(context, &mask::COMPRESS, &[n], chosen, from, (to, count))? };
    Ok(CudaBuffer { memory: distinct, len: count, elements: PhantomData })
}
