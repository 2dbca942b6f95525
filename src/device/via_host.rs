//! Default bodies of the capability families: fetch operands to the host, compute there, store the result. Slow and
//! correct: only elements of the operands are ever touched, never what lies between them.

use super::capability::Same;
use super::cpu::{Cpu, reserve};
use super::{Device, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::layout::{Layout, element_count, is_dense};

/// A dense row-major copy on the host.
#[derive(Debug)]
pub(crate) struct Fetched<T> {
    data: Vec<T>,
    layout: Layout,
}

impl<T: Element> Fetched<T> {
    /// Elements of this shape, in row-major enumeration.
    ///
    /// # Panics
    /// If the number of elements is not the shape's.
    pub(crate) fn of_vec(data: Vec<T>, shape: &[usize]) -> Self {
        assert_eq!(
            data.len(),
            shape.iter().product::<usize>(),
            "a device returns as many elements as the shape has"
        );
        Fetched { data, layout: Layout::dense(shape, true) }
    }

    pub(crate) fn operand(&self) -> Operand<'_, T, Cpu> {
        // SAFETY: `data` has as many elements as the contiguous `layout` (every constructor), and is borrowed for the operand's life.
        unsafe { Operand::from_raw(Cpu::slice_ptr(&self.data), self.layout.shape(), self.layout.strides()) }
    }

    pub(crate) fn into_vec(self) -> Vec<T> {
        self.data
    }

    fn output(&mut self) -> Output<'_, T, Cpu> {
        // SAFETY: `data` has as many elements as the contiguous `layout` (every constructor), and is exclusively borrowed for the
        // output's life; contiguous strides keep indices apart.
        unsafe {
            Output::from_raw(Cpu::slice_ptr_mut(&mut self.data), self.layout.shape(), self.layout.strides())
        }
    }
}

pub(crate) fn zeros<T: Element>(len: usize) -> Result<Vec<T>, Error> {
    element_count(&[len], size_of::<T>())?;
    let mut data = Vec::new();
    reserve(&mut data, len)?;
    data.resize(len, T::default());
    Ok(data)
}

/// A new buffer with these elements.
pub(crate) fn upload<T: Element, Dev: Device>(device: &Dev, from: &[T]) -> Result<Dev::Buffer<T>, Error> {
    // SAFETY: all elements are written below; a buffer of none has nothing to read.
    let mut buffer = unsafe { device.alloc_for_overwrite(from.len())? };
    assert_eq!(Dev::len(&buffer), from.len(), "a device allocates as many elements as it was asked for");
    if !from.is_empty() {
        // SAFETY: the new buffer has `from.len()` elements, and nobody else knows it.
        unsafe { device.write(from, Dev::ptr_mut(&mut buffer))? };
    }
    Ok(buffer)
}

/// The elements of a buffer.
pub(crate) fn download<T: Element, Dev: Device>(
    device: &Dev,
    buffer: &Dev::Buffer<T>,
) -> Result<Vec<T>, Error> {
    let mut to = zeros(Dev::len(buffer))?;
    if !to.is_empty() {
        // SAFETY: the buffer has `to.len()` elements and is borrowed.
        unsafe { device.read(Dev::ptr(buffer), &mut to)? };
    }
    Ok(to)
}

/// Calls `f` with the position on the device (offset in elements) and on the host of each run of elements that lie side
/// by side in both.
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

/// The operand's elements, dense in row-major order.
pub(crate) fn fetch<T: Element, Dev: Device>(
    device: &Dev,
    a: Operand<'_, T, Dev>,
) -> Result<Fetched<T>, Error> {
    let mut data = zeros(element_count(a.shape(), size_of::<T>())?)?;
    runs(a.shape(), a.strides(), |offset, range| {
        // SAFETY: `runs` visits indices within the operand's shape, all of which may be read; elements of a run lie side
        // by side (unit stride).
        unsafe { device.read(Dev::offset(a.ptr(), offset), &mut data[range]) }
    })?;
    Ok(Fetched::of_vec(data, a.shape()))
}

/// Writes elements to where the output has them.
pub(crate) fn store<T: Element, Dev: Device>(
    device: &Dev,
    from: &Fetched<T>,
    out: Output<'_, T, Dev>,
) -> Result<(), Error> {
    assert_eq!(from.layout.shape(), out.shape(), "operands of one shape");
    if let Some(copies) = Dev::copies()
        && !is_dense(out.shape(), out.strides(), true)
    {
        let there = upload(device, &from.data)?;
        // SAFETY: the buffer holds the elements of the dense layout, and lives until the copy is asked for.
        let operand =
            unsafe { Operand::from_raw(Dev::ptr(&there), from.layout.shape(), from.layout.strides()) };
        return copies.copy(device, out, operand);
    }
    runs(out.shape(), out.strides(), |offset, range| {
        // SAFETY: `runs` visits indices within the output's shape, all of which are ours to write; elements of a run lie
        // side by side (unit stride).
        unsafe { device.write(&from.data[range], Dev::offset(out.ptr(), offset)) }
    })
}

/// Lets a host kernel write an output.
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

/// Lets a host kernel change an output.
pub(crate) fn update_with<T: Element, Dev: Device>(
    device: &Dev,
    out: Output<'_, T, Dev>,
    kernel: impl FnOnce(Output<'_, T, Cpu>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut result = fetch(device, out.as_operand())?;
    kernel(result.output())?;
    store(device, &result, out)
}

// ------------------------------------------------------------------ from device to device

/// A new buffer with the operand's elements in row-major enumeration. What lies side by side on the host goes from there, and what
/// stays on its device does not see the host.
pub(crate) fn copied_to<T: Element, Dev: Device, Dev2: Device>(
    to: &Dev2,
    device: &Dev,
    from: Operand<'_, T, Dev>,
) -> Result<Dev2::Buffer<T>, Error> {
    if let Some(same) = Same::of(device, to) {
        return device.compact(from).map(|buffer| same.buffer(buffer));
    }
    match Dev::on_host().and_then(|host| host.slice(from)) {
        // Memory of the host is taken over as it is.
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
    assert_eq!(out.shape(), from.shape(), "operands of one shape");
    if out.shape().contains(&0) {
        return Ok(());
    }
    if let Some(copies) = Dev::copies()
        && let Some(same) = Same::of(device, to)
    {
        return copies.copy(to, out, same.operand(from));
    }
    let contiguous = |strides| is_dense(from.shape(), strides, true);
    if contiguous(out.strides()) && contiguous(from.strides()) {
        if let Some(elements) = Dev2::on_host().and_then(|host| host.slice(from)) {
            // SAFETY: the output is contiguous and exclusively borrowed, and there is one of `elements` for each of its elements.
            return unsafe { to.write(elements, out.ptr()) };
        }
        if let Some(host) = Dev::on_host() {
            let out = host.slice_mut(out).expect("the output is contiguous");
            // SAFETY: the operand is contiguous, has as many elements as `out`, and nothing writes to it while it is borrowed.
            return unsafe { device.read(from.ptr(), out) };
        }
    }
    let fetched = Fetched::of_vec(device.gather(from)?, from.shape());
    store(to, &fetched, out)
}
