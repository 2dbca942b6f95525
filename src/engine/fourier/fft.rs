//! Fourier transforms: the options, the shape of the result, and the order of the axes.

use crate::device::family::fourier::{Norm, Transform};
use crate::error::Error;
use crate::rank::{MAX_RANK, as_given, check_axis_count};

/// The options of a Fourier transform: the length along each axis, and the normalisation ([`Norm`]).
///
/// ```
/// use vierbein::fft::{Fft, Norm};
/// use vierbein::{Complex, tensor};
/// let x = tensor![1.0, 2.0, 3.0];
/// let padded = x.fft_with(0, Fft::new().len(4).norm(Norm::Forward));
/// assert_eq!(padded.shape(), [4]);
/// assert_eq!(padded[[0]], Complex::new(1.5, 0.0));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use = "options do nothing until a method gets them"]
pub struct Fft {
    lens: Lens,
    norm: Norm,
}

/// The lengths of the transforms along the named axes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Lens {
    /// Each length is the extent of the operand.
    #[default]
    Operand,
    /// This length along the axis that is named last. Along the other axes, the extents of the operand.
    Last(usize),
    /// A length for each named axis, and the number of lengths.
    Each([usize; MAX_RANK], usize),
}

impl Fft {
    /// Returns the default options: the lengths of the operand, and [`Norm::Backward`].
    pub fn new() -> Fft {
        Fft::default()
    }

    /// Sets the length of the transform along the axis that is named last. A longer operand is cut, a shorter one is padded with zeros.
    ///
    /// In transforms between real and complex numbers, the length is the number of real elements.
    pub fn len(self, n: usize) -> Fft {
        Fft { lens: Lens::Last(n), ..self }
    }

    /// Sets the length of the transform along each axis, in the order in which the axes are named.
    ///
    /// ```
    /// use vierbein::{Tensor, fft::Fft};
    /// let x = Tensor::<f64, _>::ones([2, 3]);
    /// assert_eq!(x.fft_with([0, 1], Fft::new().lens([4, 5])).shape(), [4, 5]);
    /// assert_eq!(x.rfft_with([0, 1], Fft::new().lens([4, 5])).shape(), [4, 3]);
    /// ```
    pub fn lens(self, lens: impl AsRef<[usize]>) -> Fft {
        let (lens, mut each) = (lens.as_ref(), [0; MAX_RANK]);
        each.iter_mut().zip(lens).for_each(|(to, &n)| *to = n);
        Fft { lens: Lens::Each(each, lens.len()), ..self }
    }

    /// Sets the normalisation: which direction divides by the number of elements.
    pub fn norm(self, norm: Norm) -> Fft {
        Fft { norm, ..self }
    }
}

/// The kind of a transform: whether the operand and the result are real or complex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// From real or complex elements to complex ones. The result has all frequencies.
    Complex,
    /// From real elements to complex ones. Along the last named axis, the result has only the frequencies that are not negative.
    FromReal,
    /// From complex elements to real ones: the inverse of `FromReal`.
    ToReal,
}

/// A Fourier transform: its name in messages, its kind and direction, the named axes and the options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) op: &'static str,
    pub(crate) kind: Kind,
    pub(crate) inverse: bool,
    pub(crate) axes: &'a [usize],
    pub(crate) options: Fft,
}

impl Request<'_> {
    /// Writes the shape of the result for an operand of shape `shape`. Returns the arguments for the device, and the order in which the
    /// device expects the axes of the operand and the result: the named axes are last.
    ///
    /// # Errors
    /// * If an axis is out of range or named twice, or no axis is named.
    /// * If a length is 0, or the number of given lengths differs from the number of named axes.
    /// * If the result is real, and its length along the axis that is named last is not given.
    pub(crate) fn arrange(
        &self,
        shape: &[usize],
        result: &mut [usize],
    ) -> Result<(Transform, [usize; MAX_RANK]), Error> {
        let Request { op, kind, axes, options, .. } = *self;
        let argument = |reason: String| Error::Argument { op, reason };
        check_axis_count(op, shape)?;
        check_axes(op, shape, axes)?;
        let Some((&last, others)) = axes.split_last() else {
            return Err(argument(format!("shape {shape:?} over zero axes; name at least one axis")));
        };
        if let Lens::Each(_, count) = options.lens
            && count != axes.len()
        {
            return Err(argument(format!(
                "shape {shape:?} over axes {axes:?}: {count} lengths are given; give one length for each axis"
            )));
        }
        result.copy_from_slice(shape);
        for (k, &axis) in axes.iter().enumerate() {
            result[axis] = match options.lens {
                Lens::Each(each, _) => each[k],
                Lens::Last(n) if axis == last => n,
                _ if kind == Kind::ToReal && axis == last => {
                    let m = shape[axis].max(1);
                    return Err(argument(format!(
                        "shape {shape:?} to real numbers along axis {axis}: the result can have {} or {} elements; \
                         give the length with `.len(n)`",
                        2 * m - 2,
                        2 * m - 1
                    )));
                }
                _ => shape[axis],
            };
            if result[axis] == 0 {
                return Err(argument(format!(
                    "shape {shape:?} along axis {axis}: the length of the transform is 0; give a length of at least 1, \
                     e.g. with `.len(n)`"
                )));
            }
        }
        let transform =
            Transform { axes: axes.len(), len: result[last], inverse: self.inverse, norm: options.norm };
        if kind == Kind::FromReal {
            result[last] = result[last] / 2 + 1;
        }
        let mut order = [0; MAX_RANK];
        let unnamed = (0..shape.len()).filter(|axis| !axes.contains(axis));
        order
            .iter_mut()
            .zip(unnamed.chain(others.iter().copied()).chain([last]))
            .for_each(|(to, axis)| *to = axis);
        Ok((transform, order))
    }
}

/// Rotates an operand along the named axes by half of their extents: forwards, or backwards if `inverse` is `true`. The rotation copies
/// parts of the operand. For each part, calls `copy` with its shape and the offsets of its first element, in the result and in the
/// operand. `strides` are the strides of the result and of the operand.
///
/// # Errors
/// If an axis is out of range or named twice, or if `copy` returns an error.
pub(crate) fn shift(
    op: &'static str,
    inverse: bool,
    shape: &[usize],
    axes: &[usize],
    strides: [&[isize]; 2],
    mut copy: impl FnMut(&[usize], [isize; 2]) -> Result<(), Error>,
) -> Result<(), Error> {
    check_axes(op, shape, axes)?;
    // The rotation exchanges two parts of each long axis. An axis of fewer than two elements does not change.
    let (mut long, mut count) = ([0; MAX_RANK], 0);
    for &axis in axes.iter().filter(|&&axis| shape[axis] > 1) {
        long[count] = axis;
        count += 1;
    }
    let mut part = [0; MAX_RANK];
    let part = &mut part[..shape.len()];
    // Bit `k` of `choice` is set if the part contains the last elements along axis `long[k]`, which move to the beginning.
    for choice in 0..1usize << count {
        part.copy_from_slice(shape);
        let mut offsets = [0; 2];
        for (k, &axis) in long[..count].iter().enumerate() {
            let n = shape[axis];
            let by = if inverse { n.div_ceil(2) } else { n / 2 };
            let (extent, to, from) = match choice >> k & 1 {
                0 => (n - by, by, 0),
                _ => (by, 0, n - by),
            };
            part[axis] = extent;
            offsets[0] += to as isize * strides[0][axis];
            offsets[1] += from as isize * strides[1][axis];
        }
        copy(part, offsets)?;
    }
    Ok(())
}

/// The operation that error messages of frequencies name.
pub(crate) const FREQUENCIES: &str = "create frequencies";

/// Checks the length `n` and the spacing of the samples of a transform. Returns the distance between neighbouring frequencies.
///
/// # Errors
/// If `n` is 0, or `spacing` is 0 or not finite.
pub(crate) fn check_frequencies(n: usize, spacing: f64) -> Result<f64, Error> {
    let argument = |reason: String| Err(Error::Argument { op: FREQUENCIES, reason });
    if n == 0 {
        return argument("the length of the transform is 0; it must be at least 1".into());
    }
    if spacing == 0.0 || !spacing.is_finite() {
        return argument(format!("the spacing of the samples is {spacing}; it must be finite and not 0"));
    }
    Ok(1.0 / (n as f64 * spacing))
}

/// Returns the frequency `k` times `unit`. If `unit` has overflowed because the spacing is subnormal, frequency 0 is still 0.
pub(crate) fn frequency(k: f64, unit: f64) -> f64 {
    if k == 0.0 && unit.is_infinite() { 0.0 } else { k * unit }
}

/// Checks that all axes are in range, and that no axis is named twice.
fn check_axes(op: &'static str, shape: &[usize], axes: &[usize]) -> Result<(), Error> {
    for (k, &axis) in axes.iter().enumerate() {
        if axis >= shape.len() {
            return Err(Error::AxisOutOfRange { op, axis: as_given(axis), shape: shape.to_vec() });
        }
        if axes[..k].contains(&axis) {
            return Err(Error::RepeatedAxis { op, axes: axes.to_vec(), shape: shape.to_vec() });
        }
    }
    Ok(())
}
