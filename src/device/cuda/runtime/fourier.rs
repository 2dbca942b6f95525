//! Fourier transforms by cuFFT, or by the host if cuFFT is not available. cuFFT transforms contiguous lines, so the elements are copied
//! before the transform along each axis, unless the axis already has unit stride.

use super::codegen::operation::RawOperand;
use super::driver::context::{Context, Memory};
use super::kernels::copy;
use super::kernels::fourier::{Kind, TransformLines, is_available};
use super::{operation, result, strided};
use crate::device::family::fourier::{FftComplex, FftElement, FftReal, Transform};
use crate::device::{Cpu, Cuda, CudaSource, Fourier, Operand, Output, via_host};
use crate::element::{DType, Element, Scalar};
use crate::error::Error;
use crate::layout::{Layout, element_count};

/// A tensor in new memory. The order of its axes in memory can differ from their order in the shape.
struct Work {
    memory: Memory,
    dtype: DType,
    shape: Vec<usize>,
    /// The axes from the outermost in memory to the innermost.
    order: Vec<usize>,
}

impl Work {
    fn new(
        context: &'static Context,
        dtype: DType,
        shape: &[usize],
        order: Vec<usize>,
    ) -> Result<Work, Error> {
        let memory = context.alloc(element_count(shape, dtype.size())? * dtype.size())?;
        Ok(Work { memory, dtype, shape: shape.to_vec(), order })
    }

    /// Copies `a` to new memory of shape `shape`, converted to `dtype`. Along each axis, `a` is cut or padded with zeros.
    fn resized(
        context: &'static Context,
        dtype: DType,
        shape: &[usize],
        a_shape: &[usize],
        a: RawOperand<'_>,
    ) -> Result<Work, Error> {
        let work = Work::new(context, dtype, shape, (0..shape.len()).collect())?;
        let common: Vec<usize> = shape.iter().zip(a_shape).map(|(&x, &y)| x.min(y)).collect();
        if common != shape {
            // SAFETY: the memory was allocated above, and nothing else has its address.
            unsafe { context.zero(work.memory.address(), work.memory.bytes())? };
        }
        let layout = work.layout();
        let to = RawOperand { address: work.memory.address(), dtype, strides: layout.strides() };
        let cast = operation("cast", CudaSource::builtin("cast<R>(a)"), |_| ());
        match dtype == a.dtype {
            // SAFETY: `common` is within the shapes of `to` and `a`. The callers make `a` from an `Operand`, which guarantees that its
            // elements are readable. Nothing else accesses the new memory of `to`.
            true => unsafe { copy::copy(context, &common, to, a)? },
            // SAFETY: `common` is within the shapes of `to` and `a`. The callers make `a` from an `Operand`, which guarantees that its
            // elements are readable. Nothing else accesses the new memory of `to`.
            false => unsafe { cast.run(context, &common, &[to, a])? },
        }
        Ok(work)
    }

    /// Returns the shape and its strides in memory.
    fn layout(&self) -> Layout {
        let (mut strides, mut stride) = (vec![0; self.shape.len()], 1);
        for &axis in self.order.iter().rev() {
            strides[axis] = stride;
            stride *= self.shape[axis] as isize;
        }
        Layout::new(&self.shape, &strides)
    }

    /// Makes `axis` the innermost one in memory.
    fn innermost(self, context: &'static Context, axis: usize) -> Result<Work, Error> {
        if self.order.last() == Some(&axis) {
            return Ok(self);
        }
        let mut order = self.order.clone();
        order.retain(|&other| other != axis);
        order.push(axis);
        let turned = Work::new(context, self.dtype, &self.shape, order)?;
        let (from, to) = (self.layout(), turned.layout());
        let from = RawOperand { address: self.memory.address(), dtype: self.dtype, strides: from.strides() };
        let to = RawOperand { address: turned.memory.address(), dtype: self.dtype, strides: to.strides() };
        // SAFETY: `self` and `turned` have the same shape, and each has memory of its own. Nothing else has the address of `turned`.
        unsafe { copy::copy(context, &self.shape, to, from)? };
        Ok(turned)
    }

    /// Transforms complex numbers along some axes, the last one first.
    fn complex(
        mut self,
        context: &'static Context,
        inverse: bool,
        axes: core::ops::Range<usize>,
    ) -> Result<Work, Error> {
        for axis in axes.rev() {
            self = self.innermost(context, axis)?;
            let len = self.shape[axis];
            let count = self.shape.iter().product::<usize>() / len;
            let lines = TransformLines { kind: Kind::Complex, double: self.dtype == DType::C64, len, count };
            let at = self.memory.address();
            // SAFETY: the callers check that cuFFT is available. `axis` is innermost, so `self` consists of `count` contiguous lines of
            // `len` elements. Nothing else has the address of its memory.
            unsafe { lines.run(context, inverse, at, at)? };
        }
        Ok(self)
    }

    /// Multiplies all elements by a real number.
    fn scaled<R: Element>(self, context: &'static Context, factor: R, is_one: bool) -> Result<Work, Error> {
        if !is_one {
            let scale =
                operation("scale", CudaSource::builtin("a * factor"), |bind| bind.scalar("factor", factor));
            let all = RawOperand { address: self.memory.address(), dtype: self.dtype, strides: &[1] };
            // SAFETY: `all` consists of the elements of `self`, which are contiguous. Nothing else accesses their memory. `all` is both the
            // result and the operand, so each element is read and written at the same index.
            unsafe { scale.run(context, &[self.shape.iter().product()], &[all, all])? };
        }
        Ok(self)
    }

    fn store(&self, context: &'static Context, out: RawOperand<'_>) -> Result<(), Error> {
        let layout = self.layout();
        let from =
            RawOperand { address: self.memory.address(), dtype: self.dtype, strides: layout.strides() };
        // SAFETY: the callers pass an output of this shape, to whose elements `Output` guarantees exclusive access.
        unsafe { copy::copy(context, &self.shape, out, from) }
    }
}

/// Returns the factor by which the results are multiplied. The transformed axes are the last ones of `shape`; along the last one, the
/// length of the transform is `by.len`.
fn factor(by: Transform, shape: &[usize]) -> f64 {
    let (_, others) = shape[shape.len() - by.axes..].split_last().expect("there is a transformed axis");
    by.factor(by.len) * others.iter().map(|&n| by.factor(n)).product::<f64>()
}

pub(in crate::device) fn fft<T: FftElement, const N: usize>(
    context: &'static Context,
    by: Transform,
    out: Output<'_, T::Complex, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    if !is_available() {
        let device = Cuda::<N>::default();
        let a = via_host::fetch(&device, a)?;
        return via_host::write_with(&device, out, |out| Cpu.fft(by, out, a.operand()));
    }
    let (shape, rank) = (out.shape(), out.shape().len());
    if shape.contains(&0) {
        return Ok(());
    }
    let scale = factor(by, shape);
    let work = Work::resized(context, T::Complex::DTYPE, shape, a.shape(), strided(&a))?;
    let work = work.complex(context, by.inverse, rank - by.axes..rank)?;
    let by_real = <T::Magnitude as Scalar>::from_f64(scale);
    work.scaled(context, by_real, scale == 1.0)?.store(context, result(&out))
}

pub(in crate::device) fn rfft<T: FftReal, const N: usize>(
    context: &'static Context,
    by: Transform,
    out: Output<'_, T::Complex, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    if !is_available() {
        let device = Cuda::<N>::default();
        let a = via_host::fetch(&device, a)?;
        return via_host::write_with(&device, out, |out| Cpu.rfft(by, out, a.operand()));
    }
    let (shape, last) = (out.shape(), out.shape().len() - 1);
    if shape.contains(&0) {
        return Ok(());
    }
    let mut real = shape.to_vec();
    real[last] = by.len;
    let from = Work::resized(context, T::DTYPE, &real, a.shape(), strided(&a))?;
    let work = Work::new(context, T::Complex::DTYPE, shape, (0..=last).collect())?;
    let count = shape[..last].iter().product();
    let lines = TransformLines { kind: Kind::FromReal, double: T::DTYPE == DType::F64, len: by.len, count };
    // SAFETY: `is_available` returned true above. `from` and `work` consist of `count` contiguous lines each, in memory of their own.
    // Nothing else has their addresses.
    unsafe { lines.run(context, false, from.memory.address(), work.memory.address())? };
    let work = work.complex(context, by.inverse, last + 1 - by.axes..last)?;
    let scale = factor(by, shape);
    let by_real = <T::Magnitude as Scalar>::from_f64(scale);
    work.scaled(context, by_real, scale == 1.0)?.store(context, result(&out))
}

pub(in crate::device) fn irfft<T: FftComplex, const N: usize>(
    context: &'static Context,
    by: Transform,
    out: Output<'_, T::Magnitude, Cuda<N>>,
    a: Operand<'_, T, Cuda<N>>,
) -> Result<(), Error> {
    if !is_available() {
        let device = Cuda::<N>::default();
        let a = via_host::fetch(&device, a)?;
        return via_host::write_with(&device, out, |out| Cpu.irfft(by, out, a.operand()));
    }
    let (shape, last) = (out.shape(), out.shape().len() - 1);
    if shape.contains(&0) {
        return Ok(());
    }
    let mut half = shape.to_vec();
    half[last] = by.len / 2 + 1;
    let work = Work::resized(context, T::DTYPE, &half, a.shape(), strided(&a))?;
    let work = work.complex(context, by.inverse, last + 1 - by.axes..last)?.innermost(context, last)?;
    // The transform of real numbers is real at frequency 0 and, if the length is even, at the highest frequency. As in NumPy, the imaginary
    // parts at these frequencies are ignored: they are set to zero, because the results of cuFFT would otherwise be unspecified.
    let (layout, mut column) = (work.layout(), half.clone());
    column[last] = 1;
    let real_part = operation("take the real part of", CudaSource::builtin("R{a.re, 0}"), |_| ());
    for frequency in [Some(0), by.len.is_multiple_of(2).then_some(by.len / 2)].into_iter().flatten() {
        let address = work.memory.address() + (frequency * T::DTYPE.size()) as u64;
        let numbers = RawOperand { address, dtype: T::DTYPE, strides: layout.strides() };
        // SAFETY: `frequency` is less than the extent of the last axis, whose stride is 1, so `numbers` consists of elements of `work`.
        // Nothing else accesses their memory. `numbers` is both the result and the operand, so each element is read and written at the same
        // index.
        unsafe { real_part.run(context, &column, &[numbers, numbers])? };
    }
    let real = Work::new(context, T::Magnitude::DTYPE, shape, work.order.clone())?;
    let count = shape[..last].iter().product();
    let lines = TransformLines { kind: Kind::ToReal, double: T::DTYPE == DType::C64, len: by.len, count };
    // SAFETY: `is_available` returned true above. `work` and `real` consist of `count` contiguous lines each, in memory of their own.
    // Nothing else has their addresses.
    unsafe { lines.run(context, true, work.memory.address(), real.memory.address())? };
    let scale = factor(by, shape);
    let by_real = <T::Magnitude as Scalar>::from_f64(scale);
    real.scaled(context, by_real, scale == 1.0)?.store(context, result(&out))
}
