//! The index ranges of direct convolutions. A direct convolution is a sum over the elements of the kernel. Each term is a shifted copy of
//! `x`, multiplied by the element.

use crate::error::Error;
use crate::rank::{MAX_RANK, check_axis_count};
use core::ops::Range;

/// The part of the full convolution or correlation that an operation returns. Below, the operands have the extents `n` and `m` along an
/// axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ConvolutionMode {
    /// Every element to which at least one product contributes: `n + m − 1` elements along each axis.
    #[default]
    Full,
    /// The central part of the full result: `max(n, m)` elements along each axis.
    Same,
    /// The elements for which, along each axis, the shorter operand lies within the longer one, so no padding is needed:
    /// `max(n, m) − min(n, m) + 1` elements along each axis.
    Valid,
}

/// The operation. The correlation is the convolution with the kernel reversed and, if it is complex, conjugated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    Convolution,
    Correlation,
}

impl Variant {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Variant::Convolution => "convolve",
            Variant::Correlation => "correlate",
        }
    }
}

/// The shapes of the operands, and the part of the full convolution that is the result.
#[derive(Debug)]
pub(crate) struct Taps<'a> {
    x: &'a [usize],
    kernel: &'a [usize],
    /// The index of the result's first element in the full convolution.
    start: [usize; MAX_RANK],
    /// The shape of the result.
    shape: [usize; MAX_RANK],
    variant: Variant,
    row_major: bool,
}

/// The number of elements in a block of the result. A block stays in the cache while the products with all elements of the kernel are added
/// to it. A block has at least one index along the slowest axis, so it can be larger.
const BLOCK: usize = 1 << 14;

impl<'a> Taps<'a> {
    /// Computes the shape of the result that `mode` selects, and the index of its first element in the full convolution.
    ///
    /// # Errors
    /// [`Error::UnsupportedRank`] if the ranks differ, and [`Error::Argument`] if an operand has zero elements.
    pub(crate) fn new(
        variant: Variant,
        mode: ConvolutionMode,
        x: &'a [usize],
        kernel: &'a [usize],
        row_major: bool,
    ) -> Result<Taps<'a>, Error> {
        if x.len() != kernel.len() {
            let reason = format!(
                "the tensor has shape {x:?} and the kernel {kernel:?}; insert axes until their ranks are equal"
            );
            return Err(Error::UnsupportedRank { op: variant.name(), reason });
        }
        check_axis_count(variant.name(), x)?;
        for shape in [x, kernel] {
            if shape.contains(&0) {
                let reason = format!(
                    "an operand of shape {shape:?} has zero elements; each operand must have at least one"
                );
                return Err(Error::Argument { op: variant.name(), reason });
            }
        }
        let (mut start, mut shape) = ([0; MAX_RANK], [0; MAX_RANK]);
        for (axis, (&n, &m)) in x.iter().zip(kernel).enumerate() {
            let (shorter, longer) = (n.min(m), n.max(m));
            (start[axis], shape[axis]) = match mode {
                // An extent that is not representable is reported when the result is allocated.
                ConvolutionMode::Full => (0, n.saturating_add(m - 1)),
                // `Same` is the central part of the full result. If `shorter` is even, two parts are equally central, and the result is
                // the first one. There is one exception: a correlation with a kernel that is longer than `x` is the reverse of the
                // correlation of the exchanged operands. So its result is the second part.
                ConvolutionMode::Same if variant == Variant::Correlation && n < m => (shorter / 2, longer),
                ConvolutionMode::Same => ((shorter - 1) / 2, longer),
                ConvolutionMode::Valid => (shorter - 1, longer - shorter + 1),
            };
        }
        Ok(Taps { x, kernel, start, shape, variant, row_major })
    }

    /// Returns the shape of the result.
    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape[..self.x.len()]
    }

    /// Returns the index of the result's first element in the full convolution.
    #[cfg(feature = "fft")]
    pub(crate) fn start(&self) -> &[usize] {
        &self.start[..self.x.len()]
    }

    /// Calls `add(k, to, from, shape)` for each block of the result and each element of the kernel that contributes to the block. `k`
    /// is the flat index of this element in memory order. `add` must multiply the part of `x` of shape `shape` that begins at index
    /// `from` by the element of the kernel, and add the products to the part of the result that begins at index `to`.
    pub(crate) fn each(
        &self,
        mut add: impl FnMut(usize, &[usize], &[usize], &[usize]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let rank = self.x.len();
        if rank == 0 {
            return add(0, &[], &[], &[]);
        }
        let slowest = if self.row_major { 0 } else { rank - 1 };
        let extent = self.shape[slowest];
        let slice: usize = self.shape().iter().product::<usize>() / extent;
        let rows = (BLOCK / slice).max(1);
        let taps: usize = self.kernel.iter().product();
        for first in (0..extent).step_by(rows) {
            let block = first..extent.min(first + rows);
            for k in 0..taps {
                self.add_tap(k, slowest, &block, &mut add)?;
            }
        }
        Ok(())
    }

    fn add_tap(
        &self,
        flat: usize,
        slowest: usize,
        block: &Range<usize>,
        add: &mut impl FnMut(usize, &[usize], &[usize], &[usize]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let rank = self.x.len();
        let (mut to, mut from, mut shape) = ([0; MAX_RANK], [0; MAX_RANK], [0; MAX_RANK]);
        let mut rest = flat;
        for step in 0..rank {
            let axis = if self.row_major { rank - 1 - step } else { step };
            let m = self.kernel[axis];
            let (index, part) = (rest % m, if axis == slowest { block.clone() } else { 0..self.shape[axis] });
            rest /= m;
            let shift = if self.variant == Variant::Correlation { m - 1 - index } else { index };
            // The indices of the full result that are in the block and to which this element of the kernel contributes: `low..high`.
            let low = (self.start[axis] + part.start).max(shift);
            let high = (self.start[axis] + part.end).min(shift + self.x[axis]);
            if low >= high {
                return Ok(());
            }
            (to[axis], from[axis], shape[axis]) = (low - self.start[axis], low - shift, high - low);
        }
        add(flat, &to[..rank], &from[..rank], &shape[..rank])
    }
}
