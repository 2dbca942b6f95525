//! Host fallback: the default bodies of the capability families copy the operands to the host, compute there, and copy the result
//! back. This is slow but correct: only elements of the operands are accessed, never the memory between them.

use super::capability::Same;
use super::cpu::{Cpu, zeroed};
use super::{Device, MatrixOperand, Operand, Output, ProductArgs};
use crate::element::{Element, Scalar};
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::layout::{Layout, element_count, is_contiguous};
use std::borrow::Cow;

/// A copy of an operand's elements on the host, contiguous in row-major order.
#[derive(Debug)]
pub(crate) struct Fetched<T> {
    data: Vec<T>,
    layout: Layout,
}

impl<T: Element> Fetched<T> {
    /// Wraps the elements of a tensor of this shape, in row-major order.
    ///
    /// # Panics
    /// If the number of elements is not that of the shape.
    pub(crate) fn of_vec(data: Vec<T>, shape: &[usize]) -> Self {
        assert_eq!(
            data.len(),
            shape.iter().product::<usize>(),
            "a device must return as many elements as the shape has"
        );
        Fetched { data, layout: Layout::contiguous(shape, true) }
    }

    pub(crate) fn operand(&self) -> Operand<'_, T, Cpu> {
        // SAFETY: `of_vec` checked that `data` has one element for each index of the contiguous `layout`. `self` is borrowed for
        // the operand's lifetime, so nothing writes to the elements.
        unsafe { Operand::from_raw(Cpu::slice_ptr(&self.data), self.layout.shape(), self.layout.strides()) }
    }

    /// Returns the elements as a tensor of another shape.
    ///
    /// # Panics
    /// If the shape has another number of elements.
    pub(crate) fn with_shape(self, shape: &[usize]) -> Self {
        Fetched::of_vec(self.data, shape)
    }

    pub(crate) fn into_vec(self) -> Vec<T> {
        self.data
    }

    pub(crate) fn output(&mut self) -> Output<'_, T, Cpu> {
        // SAFETY: `of_vec` checked that `data` has one element for each index of the contiguous `layout`, whose indices address
        // distinct elements. `self` is exclusively borrowed for the output's lifetime.
        unsafe {
            Output::from_raw(Cpu::slice_ptr_mut(&mut self.data), self.layout.shape(), self.layout.strides())
        }
    }
}

pub(crate) fn zeros<T: Element>(len: usize) -> Result<Vec<T>, Error> {
    let bytes = element_count(&[len], size_of::<T>())? * size_of::<T>();
    zeroed(len).ok_or_else(|| Error::OutOfMemory { device: Cpu.name(), bytes })
}

/// Copies the elements to a new buffer of the device.
pub(crate) fn upload<T: Element, Dev: Device>(device: &Dev, from: &[T]) -> Result<Dev::Buffer<T>, Error> {
    // SAFETY: this function returns the buffer only after all of its elements have been written below. An empty buffer has no
    // elements.
    let mut buffer = unsafe { device.alloc_for_overwrite(from.len())? };
    assert_eq!(
        Dev::len(&buffer),
        from.len(),
        "the buffer of a device must have the requested number of elements"
    );
    if !from.is_empty() {
        // SAFETY: the buffer has `from.len()` elements, as was just checked; it is a local variable, so nothing else accesses it.
        unsafe { device.write(from, Dev::ptr_mut(&mut buffer))? };
    }
    Ok(buffer)
}

/// Copies the elements of a buffer to the host.
pub(crate) fn download<T: Element, Dev: Device>(
    device: &Dev,
    buffer: &Dev::Buffer<T>,
) -> Result<Vec<T>, Error> {
    let mut to = zeros(Dev::len(buffer))?;
    if !to.is_empty() {
        // SAFETY: `to` has `Dev::len(buffer)` elements, as many as the buffer. `buffer` is borrowed, so nothing writes to its
        // elements.
        unsafe { device.read(Dev::ptr(buffer), &mut to)? };
    }
    Ok(to)
}

/// Calls `f` for each run of elements that are contiguous both on the device and on the host. The arguments of `f` are the run's
/// offset on the device, in elements, and its index range on the host.
fn runs(
    shape: &[usize],
    strides: &[isize],
    mut f: impl FnMut(isize, core::ops::Range<usize>) -> Result<(), Error>,
) -> Result<(), Error> {
    let plan = Plan::ordered(shape, [strides]);
    let ([stride], len) = (plan.inner_strides(), plan.inner_len());
    let mut walk = Odometer::outer(&plan);
    let mut at = 0;
    for _ in 0..plan.outer_shape().iter().product() {
        let [offset] = walk.offsets();
        if stride == 1 && len > 0 {
            f(offset, at..at + len)?;
        } else {
            for i in 0..len {
                f(offset + i as isize * stride, at + i..at + i + 1)?;
            }
        }
        at += len;
        walk.advance();
    }
    Ok(())
}

/// Copies the operand's elements to the host, contiguous in row-major order.
pub(crate) fn fetch<T: Element, Dev: Device>(
    device: &Dev,
    a: Operand<'_, T, Dev>,
) -> Result<Fetched<T>, Error> {
    let mut data = zeros(element_count(a.shape(), size_of::<T>())?)?;
    runs(a.shape(), a.strides(), |offset, range| {
        // SAFETY: `runs` visits only indices within the operand's shape, so `Operand` guarantees that all `range.len()` elements
        // from `offset` on are readable; the elements of a run have unit stride.
        unsafe { device.read(Dev::offset(a.ptr(), offset), &mut data[range]) }
    })?;
    Ok(Fetched::of_vec(data, a.shape()))
}

/// Returns the elements in row-major order. They are copied only if they are not in host memory, or not contiguous in this order.
pub(crate) fn read<'a, T: Element, Dev: Device>(
    device: &Dev,
    a: Operand<'a, T, Dev>,
) -> Result<Cow<'a, [T]>, Error> {
    match Dev::on_host::<T>().and_then(|on_host| on_host.slice(a, true)) {
        Some(elements) => Ok(Cow::Borrowed(elements)),
        None => device.gather(a).map(Cow::Owned),
    }
}

/// Copies elements from the host to an output of the same shape.
pub(crate) fn store<T: Element, Dev: Device>(
    device: &Dev,
    from: &Fetched<T>,
    out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    assert_eq!(from.layout.shape(), out.shape(), "the operands must have the same shape");
    if let Some(copies) = Dev::copies()
        && !is_contiguous(out.shape(), out.strides(), true)
    {
        let there = upload(device, &from.data)?;
        // SAFETY: `there` has one element for each index of the contiguous layout. It is neither written to nor dropped until
        // `copy` has consumed `operand`.
        let operand =
            unsafe { Operand::from_raw(Dev::ptr(&there), from.layout.shape(), from.layout.strides()) };
        return copies.copy(device, out, operand);
    }
    runs(out.shape(), out.strides(), |offset, range| {
        // SAFETY: `runs` visits only indices within the output's shape, so `Output` guarantees exclusive access to all
        // `range.len()` elements from `offset` on; the elements of a run have unit stride.
        unsafe { device.write(&from.data[range], Dev::offset(out.ptr(), offset)) }
    })
}

/// Runs a host kernel that overwrites an output.
pub(crate) fn write_with<T: Element, Dev: Device>(
    device: &Dev,
    out: Output<'_, T, Dev>,
    kernel: impl FnOnce(Output<'_, T, Cpu>) -> Result<(), Error>,
) -> Result<(), Error> {
    let len = element_count(out.shape(), size_of::<T>())?;
    let mut result = Fetched::of_vec(zeros(len)?, out.shape());
    kernel(result.output())?;
    store(device, &result, out)
}

/// Runs a host kernel that reads and writes an output.
pub(crate) fn update_with<T: Element, Dev: Device>(
    device: &Dev,
    out: Output<'_, T, Dev>,
    kernel: impl FnOnce(Output<'_, T, Cpu>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut result = fetch(device, out.as_operand())?;
    kernel(result.output())?;
    store(device, &result, out)
}

/// Calls [`write_with`] if there is an output, otherwise only `kernel`.
#[cfg(feature = "linalg")]
pub(crate) fn write_optional<T: Element, Dev: Device>(
    device: &Dev,
    out: Option<Output<'_, T, Dev>>,
    kernel: impl FnOnce(Option<Output<'_, T, Cpu>>) -> Result<(), Error>,
) -> Result<(), Error> {
    match out {
        Some(out) => write_with(device, out, |out| kernel(Some(out))),
        None => kernel(None),
    }
}

/// Runs a host kernel that overwrites both outputs, if they are given.
#[cfg(feature = "linalg")]
pub(crate) fn write_pair<T: Element, Dev: Device>(
    device: &Dev,
    outputs: Option<[Output<'_, T, Dev>; 2]>,
    kernel: impl FnOnce(Option<[Output<'_, T, Cpu>; 2]>) -> Result<(), Error>,
) -> Result<(), Error> {
    let Some([first, second]) = outputs else { return kernel(None) };
    write_with(device, first, |first| write_with(device, second, |second| kernel(Some([first, second]))))
}

/// Host fallback of [`Gemm`]: copies the operands to the host, calls `kernel`, and copies the result to the output. Copies the
/// output to the host first if `beta` is not zero.
pub(crate) fn products<T: Scalar, Dev: Device>(
    device: &Dev,
    args: ProductArgs<'_, T, Dev>,
    kernel: impl FnOnce(ProductArgs<'_, T, Cpu>) -> Result<(), Error>,
) -> Result<(), Error> {
    let ProductArgs { scaling, a, b, out } = args;
    let (x, y) = (fetch(device, a.operand)?, fetch(device, b.operand)?);
    let on_host = |out: Output<'_, T, Cpu>| {
        let a = MatrixOperand { operand: x.operand(), conjugate: a.conjugate };
        let b = MatrixOperand { operand: y.operand(), conjugate: b.conjugate };
        kernel(ProductArgs { scaling, a, b, out })
    };
    if scaling.beta.is_zero() { write_with(device, out, on_host) } else { update_with(device, out, on_host) }
}

// ------------------------------------------------------------------ from device to device

/// Copies the operand's elements to a new buffer of `to`, in row-major order. Contiguous elements in host memory are uploaded
/// without an intermediate copy. If both devices are the same instance, the copy does not use the host.
pub(crate) fn copied_to<T: Element, Dev: Device, Dev2: Device>(
    to: &Dev2,
    device: &Dev,
    from: Operand<'_, T, Dev>,
) -> Result<Dev2::Buffer<T>, Error> {
    if let Some(same) = Same::of(device, to) {
        return device.compact(from).map(|buffer| same.buffer(buffer));
    }
    match Dev::on_host().and_then(|host| host.slice(from, true)) {
        // If `Dev2` is on the host too, `adopt` below takes the gathered `Vec` without another copy.
        Some(elements) if Dev2::on_host::<T>().is_none() => upload(to, elements),
        _ => to.adopt(device.gather(from)?),
    }
}

/// Copies elements to an output of the same shape on another device.
pub(crate) fn transfer<T: Element, Dev: Device, Dev2: Device>(
    to: &Dev,
    out: Output<'_, T, Dev>,
    device: &Dev2,
    from: Operand<'_, T, Dev2>,
) -> Result<(), Error> {
    assert_eq!(out.shape(), from.shape(), "the operands must have the same shape");
    if out.shape().contains(&0) {
        return Ok(());
    }
    if let Some(copies) = Dev::copies()
        && let Some(same) = Same::of(device, to)
    {
        return copies.copy(to, out, same.operand(from));
    }
    let contiguous = |strides| is_contiguous(from.shape(), strides, true);
    if contiguous(out.strides()) && contiguous(from.strides()) {
        if let Some(elements) = Dev2::on_host().and_then(|host| host.slice(from, true)) {
            // SAFETY: the output is contiguous, so its elements begin at its pointer. The shapes are equal, so the output has
            // `elements.len()` elements. `Output` guarantees exclusive access to them.
            return unsafe { to.write(elements, out.ptr()) };
        }
        if let Some(host) = Dev::on_host() {
            let out = host.slice_mut(out).expect("the output is contiguous");
            // SAFETY: the operand is contiguous, so its elements begin at its pointer. The shapes are equal, so the operand has
            // `out.len()` elements. `Operand` guarantees that they are readable, and that nothing writes to them.
            return unsafe { device.read(from.ptr(), out) };
        }
    }
    let fetched = Fetched::of_vec(device.gather(from)?, from.shape());
    store(to, &fetched, out)
}
