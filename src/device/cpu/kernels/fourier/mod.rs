//! Fourier transforms of strided operands, by the crates rustfft and realfft, and by the modules `columns` and `real_columns`.
//!
//! ```text
//! for each transformed axis, the one with the smallest strides first      (complex_axes)
//!     plan the loops over all other axes: each index has a line of n elements
//!     if neighbouring lines are adjacent, as along axis 0 of a row-major matrix, and their length has a plan:
//!         transform several lines at a time, on x86-64                    (columns, real_columns)
//!     otherwise, transform single lines by rustfft or realfft, with copies if they are not contiguous   (copies)
//! ```
//!
//! The first pass reads the operand, the later passes work in place. The bits of the results do not depend on the number of threads.
//! The modules import each other in one direction: workspace, plans, lines; rows, radix; copies, columns, real_columns.

#[cfg(target_arch = "x86_64")]
mod columns;
mod copies;
mod family;
mod lines;
mod plans;
#[cfg(target_arch = "x86_64")]
mod radix;
#[cfg(target_arch = "x86_64")]
mod real_columns;
#[cfg(target_arch = "x86_64")]
mod rows;
mod workspace;

use crate::device::cpu::{Cpu, CpuBuffer};
use crate::device::family::fourier::Transform;
use crate::device::{Copy, Device, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::axes::Axes;
use crate::layout::{element_count, sort_axes_by_key};
use crate::rank::MAX_RANK;
use lines::TransformLines;
use num_complex::Complex;
pub(in crate::device) use plans::Real;
use plans::cached;
use realfft::RealFftPlanner;
use rustfft::{FftDirection, FftPlanner};

/// The operand of a complex transform.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) enum Source<'a, R: Element>
where
    Complex<R>: Element,
{
    Complex(Operand<'a, Complex<R>, Cpu>),
    Real(Operand<'a, R, Cpu>),
}

impl<'a, R: Element> Source<'a, R>
where
    Complex<R>: Element,
{
    fn axes(&self) -> Axes<'a> {
        match self {
            Source::Complex(a) => a.axes(),
            Source::Real(a) => a.axes(),
        }
    }
}

/// Computes complex transforms over the last `by.axes` axes. Along these axes, the operand is cut or padded with zeros to the
/// extents of the output; the other axes have equal extents.
///
/// # Errors
/// [`Error::OutOfMemory`] if an allocation fails. The output then has unspecified elements.
pub(in crate::device) fn complex<R: Real>(
    by: Transform,
    out: Output<'_, Complex<R>, Cpu>,
    a: Source<'_, R>,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    let rank = out.shape().len();
    assert_axes(by, out.shape(), a.axes().shape());
    complex_axes(by, out, a, rank - by.axes..rank)
}

/// Asserts that the operands of a transform have the same shape, except along the transformed axes. The kernels rely on it: user-defined
/// devices call them with any shapes.
fn assert_axes(by: Transform, out: &[usize], a: &[usize]) {
    let kept = out.len().checked_sub(by.axes);
    assert!(
        out.len() == a.len() && kept.is_some_and(|kept| out[..kept] == a[..kept]),
        "a transform over the last {} axes of shape {a:?} has no result of shape {out:?}",
        by.axes
    );
}

/// Asserts that a transform between real and complex numbers has this extent along the last axis of the output.
fn assert_last(by: Transform, out: &[usize], extent: usize) {
    assert!(
        by.axes > 0 && by.len > 0 && out.last() == Some(&extent),
        "a transform of {} real numbers has no result of shape {out:?}",
        by.len
    );
}

/// Computes the transforms of real lines of `by.len` elements along the last axis, and then complex transforms along the `by.axes - 1`
/// axes before it.
///
/// # Errors
/// Those of [`complex`].
pub(in crate::device) fn real_to_complex<R: Real>(
    by: Transform,
    mut out: Output<'_, Complex<R>, Cpu>,
    a: Operand<'_, R, Cpu>,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    assert_axes(by, out.shape(), a.shape());
    assert_last(by, out.shape(), by.len / 2 + 1);
    if out.shape().contains(&0) {
        return Ok(());
    }
    let last = out.shape().len() - 1;
    let mut region = common(out.shape(), a.shape());
    region[last] = by.len.min(a.shape()[last]);
    let others = last + 1 - by.axes..last;
    if region[..=last].contains(&0) || others.clone().any(|axis| region[axis] < out.shape()[axis]) {
        fill_zeros(out.reborrow());
    }
    if region[..=last].contains(&0) {
        return Ok(());
    }
    let lines = TransformLines {
        axis: last,
        shape: &region[..=last],
        strides: [out.strides(), a.strides()],
        to: out.ptr(),
        from: a.ptr(),
        read: region[last],
        in_place: false,
    };
    // SAFETY: along all axes but the last, `region` is within both shapes, and along the last, the operand has `region[last]` elements and
    // the output has `by.len / 2 + 1`. The elements of an `Operand` may be read, and access to those of an `Output` is exclusive.
    unsafe { real_lines(by, by.len, false, &lines) }?;
    region[last] = out.shape()[last];
    let order = by_stride(out.strides(), others);
    passes_in_place(by, &mut out, order.as_slice(), &mut region)
}

/// Computes inverse complex transforms along the `by.axes - 1` axes before the last axis, and then the inverse transforms to real lines
/// along the last axis.
///
/// # Errors
/// Those of [`complex`].
pub(in crate::device) fn complex_to_real<R: Real>(
    by: Transform,
    mut out: Output<'_, R, Cpu>,
    a: Operand<'_, Complex<R>, Cpu>,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    assert_axes(by, out.shape(), a.shape());
    assert_last(by, out.shape(), by.len);
    if out.shape().contains(&0) {
        return Ok(());
    }
    let last = out.shape().len() - 1;
    let read = (out.shape()[last] / 2 + 1).min(a.shape()[last]);
    if read == 0 {
        fill_zeros(out);
        return Ok(());
    }
    if by.axes == 1 {
        return to_real(by, &mut out, a, read);
    }
    let (mut shape, mut strides) = ([0; MAX_RANK], [0; MAX_RANK]);
    shape[..=last].copy_from_slice(out.shape());
    shape[last] = read;
    let shape = &shape[..=last];
    let mut buffer = CpuBuffer::<Complex<R>>::any(element_count(shape, size_of::<Complex<R>>())?)?;
    let mut step = 1;
    for &axis in by_stride(out.strides(), 0..last + 1).as_slice() {
        strides[axis] = step;
        step *= shape[axis] as isize;
    }
    let strides = &strides[..=last];
    let between = Cpu::ptr_mut(&mut buffer);
    // SAFETY: the strides are those of a contiguous layout of `shape`, which has as many elements as the buffer. The buffer is a local
    // variable, and nothing else accesses it until `complex_axes` returns.
    let whole = unsafe { Output::from_raw(between, shape, strides) };
    complex_axes(by, whole, Source::Complex(a), last + 1 - by.axes..last)?;
    // SAFETY: `complex_axes` has written all elements of the buffer, and nothing writes to them from here on.
    let whole = unsafe { Operand::from_raw(between, shape, strides) };
    to_real(by, &mut out, whole, read)
}

/// Transforms the complex lines along the last axis to real lines. Reads only the first `read` elements of each line, and treats the others
/// as zeros.
fn to_real<R: Real>(
    by: Transform,
    out: &mut Output<'_, R, Cpu>,
    a: Operand<'_, Complex<R>, Cpu>,
    read: usize,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    let lines = TransformLines {
        axis: out.shape().len() - 1,
        shape: out.shape(),
        strides: [out.strides(), a.strides()],
        to: out.ptr(),
        from: a.ptr(),
        read,
        in_place: false,
    };
    // SAFETY: along all axes but the last, the operand has the shape of the output, and along the last, it has `read` elements. The elements
    // of an `Operand` may be read, and access to those of an `Output` is exclusive.
    unsafe { spectrum_lines(by, by.len, &lines) }
}

/// Returns, for each axis, the smaller one of the extents in `a` and in `b`.
fn common(a: &[usize], b: &[usize]) -> [usize; MAX_RANK] {
    let mut shape = [1; MAX_RANK];
    shape.iter_mut().zip(a).zip(b).for_each(|((to, &a), &b)| *to = a.min(b));
    shape
}

/// A list of axes.
struct AxisList {
    axes: [usize; MAX_RANK],
    count: usize,
}

impl AxisList {
    fn as_slice(&self) -> &[usize] {
        &self.axes[..self.count]
    }
}

/// Returns the axes in ascending order of their strides.
fn by_stride(strides: &[isize], axes: core::ops::Range<usize>) -> AxisList {
    let mut list = AxisList { axes: [0; MAX_RANK], count: 0 };
    // If strides are equal, the last axis is first, because the sort is stable.
    for axis in axes.rev() {
        list.axes[list.count] = axis;
        list.count += 1;
    }
    sort_axes_by_key(&mut list.axes[..list.count], |&axis| strides[axis].unsigned_abs());
    list
}

/// Computes complex transforms along these axes.
fn complex_axes<R: Real>(
    by: Transform,
    mut out: Output<'_, Complex<R>, Cpu>,
    a: Source<'_, R>,
    axes: core::ops::Range<usize>,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    let (rank, read) = (out.shape().len(), a.axes());
    if out.shape().contains(&0) {
        return Ok(());
    }
    let mut region = common(out.shape(), read.shape());
    let order = by_stride(out.strides(), axes.clone());
    let first = order.as_slice()[0];
    if region[..rank].contains(&0)
        || axes.clone().any(|axis| axis != first && region[axis] < out.shape()[axis])
    {
        fill_zeros(out.reborrow());
    }
    if region[..rank].contains(&0) {
        return Ok(());
    }
    let n = out.shape()[first];
    let (shape, strides, read) = (&region[..rank], [out.strides(), read.strides()], region[first]);
    let (axis, to, in_place) = (first, out.ptr(), false);
    // Along all axes but `first`, `shape` is within both shapes, and along `first`, the operand has `read` elements and the output has `n`.
    // The elements of an `Operand` may be read, and access to those of an `Output` is exclusive.
    match a {
        Source::Real(a) => {
            let lines = TransformLines { axis, shape, strides, to, from: a.ptr(), read, in_place };
            // SAFETY: see above.
            unsafe { real_lines(by, n, true, &lines) }?;
        }
        Source::Complex(a) => {
            let lines = TransformLines { axis, shape, strides, to, from: a.ptr(), read, in_place };
            // SAFETY: see above.
            unsafe { complex_lines(by, n, &lines) }?;
        }
    }
    region[first] = n;
    passes_in_place(by, &mut out, &order.as_slice()[1..], &mut region)
}

/// Computes complex transforms along `axes` in place, in this order. Outside of the extents in `region`, the output must contain zeros:
/// only lines within these extents are transformed. Each pass extends `region` to all indices of its axis.
fn passes_in_place<R: Real>(
    by: Transform,
    out: &mut Output<'_, Complex<R>, Cpu>,
    axes: &[usize],
    region: &mut [usize; MAX_RANK],
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    for &axis in axes {
        let n = out.shape()[axis];
        // The pass reads whole lines: their elements past the region are zeros.
        region[axis] = n;
        let strides = out.strides();
        let lines = TransformLines {
            axis,
            shape: &region[..out.shape().len()],
            strides: [strides, strides],
            to: out.ptr(),
            from: out.ptr(),
            read: n,
            in_place: true,
        };
        // SAFETY: `region` is within the shape of the output, whose elements are initialised, and access to them is exclusive.
        unsafe { complex_lines(by, n, &lines) }?;
    }
    Ok(())
}

/// Transforms complex lines to lines of `n` elements.
///
/// # Errors
/// Those of [`complex`].
///
/// # Safety
/// The caller must ensure, for each index of `lines.shape`:
/// * The operand has a line of `lines.read` elements, which may be read.
/// * The output has a line of `n` elements, to which access is exclusive.
unsafe fn complex_lines<R: Real>(
    by: Transform,
    n: usize,
    lines: &TransformLines<'_, Complex<R>, Complex<R>>,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    let factor = factor(by, n);
    #[cfg(target_arch = "x86_64")]
    if lines.read == n && columns::are_adjacent::<R, _, _>(lines, n) && columns::has_plan(n) {
        // SAFETY: the caller ensures the conditions.
        return unsafe { columns::transform(lines, n, by.inverse, factor) };
    }
    let direction = if by.inverse { FftDirection::Inverse } else { FftDirection::Forward };
    let plan = &*cached::<R, _>(n, by.inverse, || FftPlanner::<R>::new().plan_fft(n, direction))?;
    // SAFETY: the caller ensures the conditions.
    unsafe { copies::transform(&copies::ToComplex { plan, factor }, lines) }
}

/// Transforms real lines to the spectra of `n` elements: to all of them if `whole`, otherwise to the first `n / 2 + 1`.
///
/// # Errors
/// Those of [`complex`].
///
/// # Safety
/// The caller must ensure, for each index of `lines.shape`:
/// * The operand has a line of `lines.read` elements, which may be read.
/// * The output has a line of `n` elements if `whole`, otherwise of `n / 2 + 1`, to which access is exclusive.
unsafe fn real_lines<R: Real>(
    by: Transform,
    n: usize,
    whole: bool,
    lines: &TransformLines<'_, R, Complex<R>>,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    let (factor, inverse) = (factor(by, n), by.inverse);
    #[cfg(target_arch = "x86_64")]
    if real_columns::are_columns::<R, _, _>(lines, n) {
        use real_columns::Step::{ReadReals, WriteSpectra};
        let written = if whole { n } else { n / 2 + 1 };
        // SAFETY: the caller ensures the conditions.
        return unsafe {
            real_columns::transform(lines, (n, written), inverse, factor, [ReadReals, WriteSpectra])
        };
    }
    let plan = &*cached::<R, _>(n, false, || RealFftPlanner::<R>::new().plan_fft_forward(n))?;
    // SAFETY: the caller ensures the conditions.
    unsafe { copies::transform(&copies::ToSpectrum { plan, factor, whole, inverse }, lines) }
}

/// Transforms the first `n / 2 + 1` elements of spectra to real lines of `n` elements.
///
/// # Errors
/// Those of [`complex`].
///
/// # Safety
/// The caller must ensure, for each index of `lines.shape`:
/// * The operand has a line of `lines.read` elements, which may be read.
/// * The output has a line of `n` elements, to which access is exclusive.
unsafe fn spectrum_lines<R: Real>(
    by: Transform,
    n: usize,
    lines: &TransformLines<'_, Complex<R>, R>,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    let factor = factor(by, n);
    #[cfg(target_arch = "x86_64")]
    if real_columns::are_columns::<R, _, _>(lines, n) {
        use real_columns::Step::{ReadSpectra, WriteReals};
        // SAFETY: the caller ensures the conditions.
        return unsafe { real_columns::transform(lines, (n, n), true, factor, [ReadSpectra, WriteReals]) };
    }
    let plan = &*cached::<R, _>(n, true, || RealFftPlanner::<R>::new().plan_fft_inverse(n))?;
    // SAFETY: the caller ensures the conditions.
    unsafe { copies::transform(&copies::ToReal { plan, factor }, lines) }
}

/// Returns the number by which the results of a transform of length `n` are multiplied, or `None` if it is 1.
fn factor<R: Real>(by: Transform, n: usize) -> Option<R> {
    let factor = by.factor(n);
    (factor != 1.0).then(|| R::from_f64(factor).expect("every factor is a floating-point number"))
}

/// Writes zeros to all elements of an output.
fn fill_zeros<T: Element>(out: Output<'_, T, Cpu>) {
    let (zero, strides) = (T::default(), [0; MAX_RANK]);
    let strides = &strides[..out.shape().len()];
    // SAFETY: every index addresses `zero`, because all strides are 0. It is a local variable that nothing writes to.
    let zeros =
        unsafe { Operand::from_raw(Cpu::slice_ptr(core::slice::from_ref(&zero)), out.shape(), strides) };
    Cpu.copy(out, zeros).expect("copies on the host do not fail");
}
