//! The implementation of `Cuda`. For the methods of the device families, `cuda/mod.rs` calls the functions of this file and of the files
//! next to it, which launch kernels. They erase the element types and the operation's type, so most code in the directories below is not
//! generic.
//!
//! The files and directories, beginning at the lowest level:
//!
//! * [`libraries`] finds NVIDIA's libraries at run time.
//! * [`codegen`]: [`program`](codegen::program) defines the parts of a kernel's source. [`operation`](codegen::operation)
//!   represents an operation without type parameters. `compile` compiles CUDA C++ to machine code, and [`cache`](codegen::cache)
//!   keeps the machine code on disk. The sources are in `codegen/sources`.
//! * [`driver`]: [`context`](driver::context) represents a GPU in use, with its memory and its one stream. It also launches kernels, and
//!   requests their machine code from [`codegen`].
//! * [`kernels`]: [`elementwise`](kernels::elementwise), [`tile`](kernels::tile) and [`copy`](kernels::copy) use the same loop nests
//!   as the CPU ([`crate::layout::plan`]). `shares` computes how [`reduce`](kernels::reduce) and [`products`](kernels::gemm::products) divide
//!   their work among threads. [`gemm`](kernels::gemm) calls `blas` for floating-point and complex matrices. [`scan`](kernels::reduce::scan)
//!   computes cumulative results along lines. [`sort`](kernels::sort) sorts lines. [`positions`](kernels::select::positions) and
//!   [`mask`](kernels::select::mask) copy chosen elements. With the feature `fft`, the file `kernels/fourier.rs` calls cuFFT, and with the feature
//!   `linalg`, the directory `kernels/decompose` calls cuSOLVER.

mod codegen;
#[cfg(feature = "linalg")]
mod decompose;
mod driver;
#[cfg(feature = "fft")]
mod fourier;
mod kernels;
mod libraries;
mod select;
mod sort;

use super::Cuda;
use crate::device::cpu::reserve;
use crate::device::function::MAX_ARGUMENTS;
use crate::device::scalars::Scalars;
use crate::device::{
    Arguments, BinaryOp, Cpu, CudaSource, ElementTuple, Elementwise, Function, Generator, MatrixOperand,
    Operand, Output, ProductArgs, Reduce, Reduction, Scaling, Visit, no_result, via_host,
};
use crate::element::{DType, Element, Scalar};
use crate::error::Error;
use crate::layout::{Layout, element_count, is_contiguous};
use codegen::operation::{Operation, RawOperand};
use kernels::copy;
use kernels::gemm::products::{PackedScaling, ProductBatch};
use kernels::gemm::{self, products};
use kernels::reduce::Reducing;
use kernels::reduce::scan::Scanning;
use std::mem::MaybeUninit;

#[cfg(feature = "linalg")]
pub(in crate::device) use decompose::{cholesky, eigh, lu, qr, solve, svd};
pub(in crate::device) use driver::context::context;
pub(super) use driver::context::{Context, Memory};
pub(super) use driver::devices::{count, name_of};
pub(super) use driver::pinned::Pinned;
#[cfg(feature = "fft")]
pub(in crate::device) use fourier::{fft, irfft, rfft};
pub(in crate::device) use select::{
    check_positions, compress, expand, nonzero, pick, scatter, scatter_with, take,
};
pub(in crate::device) use sort::{
    argsort, contains, lexsort, partition, quantile, search, sort, top_k, unique, unique_with,
};

fn strided<'a, T: Element, const N: usize>(a: &Operand<'a, T, Cuda<N>>) -> RawOperand<'a> {
    RawOperand { address: a.ptr().address, dtype: T::DTYPE, strides: a.strides() }
}

fn result<'a, T: Element, const N: usize>(out: &Output<'a, T, Cuda<N>>) -> RawOperand<'a> {
    RawOperand { address: out.ptr().address, dtype: T::DTYPE, strides: out.strides() }
}

/// Returns an operation without its type parameters.
fn operation(name: &'static str, text: CudaSource, scalars: impl FnOnce(&mut Scalars)) -> Operation {
    let mut bound = Scalars::default();
    scalars(&mut bound);
    Operation { name, text, scalars: bound }
}

// ------------------------------------------------------------------ copies from and to the host

/// Copies elements to the host.
///
/// # Safety
/// The caller must ensure that `from` is the address of `to.len()` elements of type `T` in live memory of `context`'s GPU that
/// nothing writes to.
pub(super) unsafe fn read<T: Element>(context: &Context, from: u64, to: &mut [T]) -> Result<(), Error> {
    // SAFETY: the slice consists of the bytes of `to`, which is borrowed mutably and not used below. All bytes that are written
    // below are valid for `T`.
    let bytes = unsafe {
        core::slice::from_raw_parts_mut(to.as_mut_ptr().cast::<MaybeUninit<u8>>(), size_of_val(to))
    };
    if T::DTYPE == DType::Bool {
        // Device memory that was never written may hold any byte, but a `bool` of the host must be 0 or 1.
        let mut words = vec![MaybeUninit::new(0); bytes.len()];
        // SAFETY: a `bool` has one byte, so `words` has `to.len()` bytes. The caller ensures that `from` is the address of
        // `to.len()` elements, which nothing writes to.
        unsafe { context.read(from, &mut words)? };
        for (to, word) in bytes.iter_mut().zip(words) {
            // SAFETY: `words` was initialised with zeros.
            to.write(u8::from(unsafe { word.assume_init() } != 0));
        }
        return Ok(());
    }
    // SAFETY: `bytes` has the size of `to.len()` elements. The caller ensures that `from` is the address of these elements, which
    // nothing writes to. `T` is not `bool`, so every bit pattern is a valid `T`.
    unsafe { context.read(from, bytes) }
}

/// Copies elements from the host.
///
/// # Safety
/// The caller must ensure that `to` is the address of `from.len()` elements of type `T` in live memory of `context`'s GPU that
/// nothing else accesses.
pub(super) unsafe fn write<T: Element>(context: &Context, from: &[T], to: u64) -> Result<(), Error> {
    // SAFETY: the slice consists of the bytes of `from`, which stays borrowed; `MaybeUninit<u8>` permits any byte.
    let bytes = unsafe { core::slice::from_raw_parts(from.as_ptr().cast(), size_of_val(from)) };
    // SAFETY: `bytes` has the size of `from.len()` elements. The caller ensures that `to` is the address of memory for these
    // elements, which nothing else accesses.
    unsafe { context.write(bytes, to) }
}

pub(super) fn gather<T: Element, const N: usize>(
    context: &'static Context,
    from: Operand<'_, T, Cuda<N>>,
) -> Result<Vec<T>, Error> {
    let len = element_count(from.shape(), size_of::<T>())?;
    if is_contiguous(from.shape(), from.strides(), true) || len == 0 {
        // SAFETY: the operand is row-major contiguous or empty, so its `len` elements begin at `from.ptr()`. `Operand` guarantees
        // that they may be read.
        return unsafe { read_vec(context, from.ptr().address, len) };
    }
    let contiguous = compact(context, from)?;
    // SAFETY: `compact` returned memory with `len` elements, to which nothing else has access.
    unsafe { read_vec(context, contiguous.address(), len) }
}

/// Copies an operand to new memory on the device. The copy is row-major contiguous.
pub(super) fn compact<T: Element, const N: usize>(
    context: &'static Context,
    from: Operand<'_, T, Cuda<N>>,
) -> Result<Memory, Error> {
    let to = context.alloc(element_count(from.shape(), size_of::<T>())? * size_of::<T>())?;
    let layout = Layout::contiguous(from.shape(), true);
    let out = RawOperand { address: to.address(), dtype: T::DTYPE, strides: layout.strides() };
    // SAFETY: `Operand` guarantees that the elements of `from` may be read. The new memory `to` has room for all of them, and
    // nothing else has its address.
    unsafe { copy::copy(context, from.shape(), out, strided(&from))? };
    Ok(to)
}

/// Copies `len` elements to a new vector on the host.
///
/// # Safety
/// The caller must ensure that `from` is the address of `len` elements of type `T` in live memory of `context`'s GPU that
/// nothing writes to.
unsafe fn read_vec<T: Element>(context: &Context, from: u64, len: usize) -> Result<Vec<T>, Error> {
    if T::DTYPE == DType::Bool {
        let mut to = via_host::zeros(len)?;
        // SAFETY: `to` has `len` elements. The caller ensures that `from` is the address of `len` elements, which nothing writes
        // to.
        unsafe { read(context, from, &mut to)? };
        return Ok(to);
    }
    let mut to = Vec::<T>::new();
    reserve(&mut to, len)?;
    let room = &mut to.spare_capacity_mut()[..len];
    // SAFETY: the slice consists of the bytes of `room`, which has `len` elements and is not used below. `MaybeUninit<u8>` needs no
    // initialised value.
    let bytes = unsafe { core::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), len * size_of::<T>()) };
    // SAFETY: `bytes` has the size of `len` elements. The caller ensures that `from` is the address of these elements, which
    // nothing writes to.
    unsafe { context.read(from, bytes) }?;
    // SAFETY: the read succeeded, so all `len` elements are initialised. `T` is not `bool`, so every bit pattern is a valid `T`.
    unsafe { to.set_len(len) };
    Ok(to)
}

/// Writes `value` to every element of the output. `value` is passed as a kernel argument.
pub(super) fn put<T: Element, const N: usize>(
    context: &'static Context,
    value: T,
    out: Output<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    let operation = operation("fill", CudaSource::builtin("value"), |bind| bind.scalar("value", value));
    // SAFETY: `Output` guarantees that the elements of `out` are allocated, and that access to them is exclusive.
    unsafe { operation.run(context, out.shape(), &[result(&out)]) }
}

/// Copies an operand's elements to the host, for the host fallback.
fn fetched<T: Element, const N: usize>(
    context: &'static Context,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<via_host::Fetched<T>, Error> {
    Ok(via_host::Fetched::of_vec(gather(context, a)?, a.shape()))
}

// ------------------------------------------------------------------ elementwise

pub(in crate::device) fn generate<T: Element, F: Generator<T>, const N: usize>(
    context: &'static Context,
    op: &F,
    out: Output<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    let operation = operation("generate", F::CUDA, |bind| op.scalars(bind));
    // SAFETY: `Output` guarantees that the elements of `out` are allocated, and that access to them is exclusive.
    unsafe { operation.run(context, out.shape(), &[result(&out)]) }
}

/// The result and the operands of a function, without types. `new` puts the result at index 0; `visit` appends an operand.
struct Operands<'a> {
    list: [RawOperand<'a>; MAX_ARGUMENTS + 1],
    len: usize,
}

impl<'a> Operands<'a> {
    fn new(first: RawOperand<'a>) -> Self {
        Operands { list: [first; MAX_ARGUMENTS + 1], len: 1 }
    }

    fn list(&self) -> &[RawOperand<'a>] {
        &self.list[..self.len]
    }
}

impl<'a, const N: usize> Visit<'a, Cuda<N>> for Operands<'a> {
    fn visit<T: Element>(&mut self, operand: Operand<'a, T, Cuda<N>>) {
        self.list[self.len] = strided(&operand);
        self.len += 1;
    }
}

// `map` and `update` check the domain of a checked function on the GPU first. If the function is undefined for an element, they
// repeat the computation on the host, which returns the error that names the element.

pub(in crate::device) fn map<A: Arguments, F: Function<A>, const N: usize>(
    context: &'static Context,
    op: &F,
    out: Output<'_, F::Output, Cuda<N>>,
    operands: A::Operands<'_, Cuda<N>>,
) -> Result<(), Error> {
    let operation = operation(F::NAME, F::CUDA, |scalars| op.bind(scalars));
    let mut all = Operands::new(result(&out));
    A::each(operands, &mut all);
    if op.is_checked() {
        let domain = operation.domain(F::CUDA_DEFINED);
        // SAFETY: `Operand` guarantees that the elements of `operands` may be read. `list()[1..]` consists of these operands only.
        if !unsafe { domain.defined(context, out.shape(), F::Output::DTYPE, &all.list()[1..]) }? {
            let device = Cuda::<N>::default();
            return A::fetched(&device, operands, |operands| {
                via_host::write_with(&device, out, |out| Cpu.map::<A, F>(op, out, operands))
            });
        }
    }
    // SAFETY: `Operand` guarantees that the elements of `operands` may be read. `Output` guarantees exclusive access to the
    // elements of `out`.
    unsafe { operation.run(context, out.shape(), all.list()) }
}

pub(in crate::device) fn update<A: Arguments, F: Function<A, Output = A::First>, const N: usize>(
    context: &'static Context,
    op: &F,
    a: Output<'_, A::First, Cuda<N>>,
    rest: <A::Rest as ElementTuple>::Operands<'_, Cuda<N>>,
) -> Result<(), Error> {
    let operation = operation(F::NAME, F::CUDA, |scalars| op.bind(scalars));
    let mut all = Operands::new(result(&a));
    Visit::<Cuda<N>>::visit(&mut all, a.as_operand());
    A::Rest::each(rest, &mut all);
    if op.is_checked() {
        let domain = operation.domain(F::CUDA_DEFINED);
        // SAFETY: `Output` guarantees that the elements of `a` may be read, and `Operand` guarantees it for `rest`. `list()[1..]`
        // consists of these operands.
        if !unsafe { domain.defined(context, a.shape(), F::Output::DTYPE, &all.list()[1..]) }? {
            let device = Cuda::<N>::default();
            return A::Rest::fetched(&device, rest, |rest| {
                via_host::update_with(&device, a, |a| Cpu.update::<A, F>(op, a, rest))
            });
        }
    }
    // SAFETY: `Operand` guarantees that the elements of `rest` may be read, and `Output` guarantees exclusive access to those of
    // `a`. `a` is both the result and the first operand. `run` permits this, because both have the same strides.
    unsafe { operation.run(context, a.shape(), all.list()) }
}

// ------------------------------------------------------------------ strided copies

pub(in crate::device) fn copy<T: Element, const N: usize>(
    context: &'static Context,
    out: Output<'_, T, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    // SAFETY: `Operand` guarantees that the elements of `a` may be read. `Output` guarantees exclusive access to the elements of
    // `out`.
    unsafe { copy::copy(context, out.shape(), result(&out), strided(&a)) }
}

// ------------------------------------------------------------------ reductions

/// Returns a reduction without its type parameters.
fn reducing<T: Element, R: Reduction<T>>(op: &R) -> Reducing {
    Reducing {
        operation: operation(R::NAME, R::CUDA, |bind| op.scalars(bind)),
        ordered: R::USES_INDEX,
        defined_on_empty: R::DEFINED_ON_EMPTY,
        fallible: R::FALLIBLE,
    }
}

/// Returns a scan without its type parameters.
fn scanning<T: Element, F: BinaryOp<T, T, Output = T>>(op: &F) -> Scanning {
    Scanning {
        operation: operation(F::NAME, F::CUDA, |bind| op.scalars(bind)),
        domain: F::CHECKED.then_some(F::CUDA_DEFINED),
        associative: F::ASSOCIATIVE,
    }
}

pub(in crate::device) fn reduce<T: Element, R: Reduction<T>, const N: usize>(
    context: &'static Context,
    op: &R,
    out: Output<'_, R::Output, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    let (kept, reduced) = a.shape().split_at(out.shape().len());
    assert_eq!(out.shape(), kept, "the leading axes must have the shape of the output");
    let reducing = reducing::<T, R>(op);
    // SAFETY: `Operand` guarantees that the elements of `a` may be read. `Output` guarantees exclusive access to the elements of
    // `out`.
    match unsafe { reducing.run(context, a.shape(), result(&out), strided(&a))? } {
        true => Ok(()),
        false => Err(no_result::<T, R>(reduced)),
    }
}

pub(in crate::device) fn scan<T: Element, F: BinaryOp<T, T, Output = T>, const N: usize>(
    context: &'static Context,
    op: &F,
    out: Output<'_, T, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    assert_eq!(out.shape(), a.shape(), "the operands must have the same shape");
    if out.shape().is_empty() {
        return Err(Error::AxisOutOfRange { op: "accumulate", axis: 0, shape: vec![] });
    }
    let scanning = scanning::<T, F>(op);
    // SAFETY: `Operand` guarantees that the elements of `a` may be read. `Output` guarantees exclusive access to the elements of
    // `out`.
    if unsafe { scanning.run(context, a.shape(), result(&out), strided(&a))? } {
        return Ok(());
    }
    // `run` returned `false`: the scan combines two elements for which the operation has no result. The host repeats the computation, and
    // returns the error that names these elements.
    let a = fetched(context, a)?;
    via_host::write_with(&Cuda::<N>::default(), out, |out| Cpu.scan(op, out, a.operand()))
}

// ------------------------------------------------------------------ products

/// Returns a matrix operand without its type parameters.
fn factor<'a, T: Element, const N: usize>(
    factor: &MatrixOperand<'a, T, Cuda<N>>,
) -> products::ProductOperand<'a> {
    products::ProductOperand { elements: strided(&factor.operand), conjugate: factor.conjugate }
}

/// Returns an error if integers overflowed, that is, if results are not `exact`.
fn exact<T: Scalar>(exact: bool, op: &'static str, values: &str) -> Result<(), Error> {
    if exact {
        return Ok(());
    }
    Err(Error::Arithmetic { op, dtype: T::DTYPE.name(), values: values.into() })
}

pub(in crate::device) fn gemm<T: Scalar, const N: usize>(
    context: &'static Context,
    args: ProductArgs<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    let ProductArgs { scaling: Scaling { alpha, beta }, a, b, out } = args;
    let (shape, &[m, n]) = split_matrix(out.shape());
    let (batch_a, &[m_a, k]) = split_matrix(a.operand.shape());
    let (batch_b, &[k_b, n_b]) = split_matrix(b.operand.shape());
    assert!(
        shape == batch_a && shape == batch_b && (m, n, k) == (m_a, n_b, k_b),
        "the shapes of a batched matrix product must match"
    );
    let (weights, batch) = (PackedScaling::new(alpha, beta), ProductBatch { shape, m, k, n });
    // SAFETY: `Operand` guarantees that the elements of `a` and `b` may be read. `Output` guarantees exclusive access to the
    // elements of `out`.
    let done = unsafe { gemm::multiply(context, &weights, batch, result(&out), [factor(&a), factor(&b)])? };
    exact::<T>(done, "matmul", "rows and columns whose product overflows")
}

/// Splits a shape into the batch axes and the two axes of the matrix.
fn split_matrix(all: &[usize]) -> (&[usize], &[usize; 2]) {
    all.split_last_chunk().expect("a matrix has two axes")
}

pub(in crate::device) fn sum_products<T: Scalar, const N: usize>(
    context: &'static Context,
    args: ProductArgs<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    let ProductArgs { scaling: Scaling { alpha, beta }, a, b, out } = args;
    let shape = a.operand.shape();
    assert_eq!(shape, b.operand.shape(), "the operands must have the same shape");
    assert_eq!(
        out.shape(),
        &shape[..out.shape().len()],
        "the leading axes must have the shape of the output"
    );
    let weights = PackedScaling::new(alpha, beta);
    // SAFETY: `Operand` guarantees that the elements of `a` and `b` may be read. `Output` guarantees exclusive access to the
    // elements of `out`.
    let done = unsafe { products::sum(context, &weights, shape, result(&out), [factor(&a), factor(&b)])? };
    exact::<T>(done, "sum of products", "operands whose products overflow")
}
