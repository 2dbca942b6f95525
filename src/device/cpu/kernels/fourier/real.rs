//! Transforms between real and complex numbers, by module `real_columns` or the crate realfft. For realfft, each line along the transformed
//! axis is first copied to workspace, because realfft overwrites its input.

use super::Real;
use super::line::{Place, copy_lines, for_each_line, rescale, tiles};
#[cfg(target_arch = "x86_64")]
use super::real_columns;
use super::{
    LINE_GAP, check_workspace, factor, grain, is_large, lines_along, lines_per_tile, out_of_memory,
    over_lines, plans, with_workspace,
};
use crate::device::cpu::memory::scratch::Side;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::fft::Transform;
use crate::device::{Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;
use core::sync::atomic::{AtomicBool, Ordering};
use num_complex::Complex;
use realfft::{ComplexToReal, RealToComplex};

/// The transform of one line, from real to complex numbers or from complex to real numbers.
trait LineTransform: Sync {
    type From: Element;
    type To: Element;
    /// Returns the number of elements of the input, of the output, and of the scratch buffer.
    fn lens(&self) -> [usize; 3];
    /// Transforms a line. The input is overwritten.
    fn run(&self, from: &mut [Self::From], to: &mut [Self::To], scratch: &mut [Self::Scratch]);
    /// The type of the scratch buffer.
    type Scratch: Element;
}

struct ToComplex<'a, R> {
    plan: &'a dyn RealToComplex<R>,
    factor: Option<R>,
}

impl<R: Real> LineTransform for ToComplex<'_, R>
where
    Complex<R>: Element,
{
    type From = R;
    type To = Complex<R>;
    type Scratch = Complex<R>;
    fn lens(&self) -> [usize; 3] {
        [self.plan.len(), self.plan.len() / 2 + 1, self.plan.get_scratch_len()]
    }
    fn run(&self, from: &mut [R], to: &mut [Complex<R>], scratch: &mut [Complex<R>]) {
        self.plan.process_with_scratch(from, to, scratch).expect("the buffers have the lengths of the plan");
        rescale(to, self.factor);
    }
}

struct ToReal<'a, R> {
    plan: &'a dyn ComplexToReal<R>,
    factor: Option<R>,
}

impl<R: Real> LineTransform for ToReal<'_, R>
where
    Complex<R>: Element,
{
    type From = Complex<R>;
    type To = R;
    type Scratch = Complex<R>;
    fn lens(&self) -> [usize; 3] {
        [self.plan.len() / 2 + 1, self.plan.len(), self.plan.get_scratch_len()]
    }
    fn run(&self, from: &mut [Complex<R>], to: &mut [R], scratch: &mut [Complex<R>]) {
        // The transform of real numbers is real at frequency 0 and, if the length is even, at the highest frequency. As in NumPy, the
        // imaginary parts at these frequencies are ignored. realfft would return an error if they are not zero.
        from[0].im = R::zero();
        if to.len().is_multiple_of(2) {
            from[to.len() / 2].im = R::zero();
        }
        self.plan.process_with_scratch(from, to, scratch).expect("the buffers have the lengths of the plan");
        rescale(to, self.factor);
    }
}

/// Transforms the real lines along the last axis to complex lines. `region` has the extents of the part of the operand that is
/// read. Along all axes but the last, these are also the extents of the part of the output that is written.
pub(super) fn to_complex<R: Real>(
    by: Transform,
    out: &mut Output<'_, Complex<R>, Cpu>,
    a: Operand<'_, R, Cpu>,
    region: &[usize],
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    #[cfg(target_arch = "x86_64")]
    {
        let (last, strides) = (region.len() - 1, [out.strides(), a.strides()]);
        if real_columns::are_columns::<R>(by.len, false, last, region, strides) {
            let pass = real_columns::Pass {
                n: by.len,
                inverse: false,
                factor: factor(by, by.len),
                from: a.ptr(),
                from_stride: strides[1][last],
                read: region[last],
                to: out.ptr(),
                to_stride: strides[0][last],
                written: by.len / 2 + 1,
            };
            return pass.to_complex(last, region, strides);
        }
    }
    let plan = plans::real_to_complex::<R>(by.len)?;
    lines(&ToComplex { plan: &*plan, factor: factor(by, by.len) }, out, a, region)
}

/// Transforms the complex lines along the last axis to real lines. Reads only the first `read` elements of each line, and treats
/// the others as zeros.
pub(super) fn to_real<R: Real>(
    by: Transform,
    out: &mut Output<'_, R, Cpu>,
    a: Operand<'_, Complex<R>, Cpu>,
    read: usize,
) -> Result<(), Error>
where
    Complex<R>: Element,
{
    let (mut region, rank, n) = ([1; MAX_RANK], out.shape().len(), out.shape()[out.shape().len() - 1]);
    region[..rank].copy_from_slice(out.shape());
    region[rank - 1] = read;
    #[cfg(target_arch = "x86_64")]
    {
        let (last, strides) = (rank - 1, [out.strides(), a.strides()]);
        if real_columns::are_columns::<R>(n, false, last, &region[..rank], strides) {
            let pass = real_columns::Pass {
                n,
                inverse: true,
                factor: factor(by, n),
                from: a.ptr(),
                from_stride: strides[1][last],
                read,
                to: out.ptr(),
                to_stride: strides[0][last],
                written: n,
            };
            return pass.to_real(last, &region[..rank], strides);
        }
    }
    let plan = plans::complex_to_real::<R>(n)?;
    lines(&ToReal { plan: &*plan, factor: factor(by, n) }, out, a, &region[..rank])
}

/// Transforms lines along the last axis.
fn lines<L: LineTransform>(
    transform: &L,
    out: &mut Output<'_, L::To, Cpu>,
    a: Operand<'_, L::From, Cpu>,
    region: &[usize],
) -> Result<(), Error> {
    let last = region.len() - 1;
    let [from, to, scratch] = transform.lens();
    let contiguous = |stride: isize, len: usize| stride == 1 || len == 1;
    let in_output = contiguous(out.strides()[last], to);
    let bytes = from * size_of::<L::From>();
    let contiguous_input = contiguous(a.strides()[last], region[last]);
    let all_lines = lines_along(last, region);
    let count = lines_per_tile(from, size_of::<L::From>(), all_lines);
    let lens = [
        if contiguous_input { from } else { count * (from + LINE_GAP) },
        if in_output { 0 } else { count * (to + LINE_GAP) },
        scratch,
    ];
    let sizes = [size_of::<L::From>(), size_of::<L::To>(), size_of::<L::Scratch>()];
    let needed: usize =
        lens.iter().zip(sizes).map(|(&len, size)| len.saturating_mul(size)).fold(0, usize::saturating_add);
    let all = |_| out_of_memory::<u8>(needed);
    check_workspace::<L::From>(lens[0]).map_err(all)?;
    check_workspace::<L::To>(lens[1]).map_err(all)?;
    check_workspace::<L::Scratch>(lens[2]).map_err(all)?;
    let pass = RealPass {
        transform,
        lens: [from, to],
        to: out.ptr(),
        to_stride: out.strides()[last],
        from: a.ptr(),
        from_stride: a.strides()[last],
        read: region[last],
        contiguous_input,
        in_output,
        large: is_large::<L::To>(all_lines, to),
    };
    let failed = AtomicBool::new(false);
    let grain = grain(from.max(to), count, contiguous_input && in_output);
    over_lines(last, region, [out.strides(), a.strides()], bytes, grain, &|part| {
        with_workspace(Side::A, lens[0], &failed, |inputs: &mut [L::From]| {
            with_workspace(Side::B, lens[1], &failed, |outputs: &mut [L::To]| {
                with_workspace(Side::Sums, lens[2], &failed, |scratch: &mut [L::Scratch]| {
                    tiles(part, count, &mut |tile| {
                        // SAFETY: `tile` has only indices of `region`, and the operand and the output have a line at each of them. The
                        // lines of an `Operand` may be read. `over_lines` and `tiles` visit each index once, so access to each line of the
                        // output is exclusive.
                        unsafe { pass.tile(tile, inputs, outputs, scratch) }
                    });
                });
            });
        });
    });
    if failed.load(Ordering::Relaxed) { Err(out_of_memory::<u8>(needed)) } else { Ok(()) }
}

/// The parameters of a pass along the last axis, which all threads share.
struct RealPass<'a, L: LineTransform> {
    transform: &'a L,
    /// The lengths of a line of the input and of the output.
    lens: [usize; 2],
    to: HostPtr<L::To>,
    to_stride: isize,
    from: HostPtr<L::From>,
    from_stride: isize,
    /// The number of elements that are read of each line. The transform treats the others as zeros.
    read: usize,
    /// Whether the lines of the operand are contiguous. If so, each line is copied just before its transform, and the copy is still in
    /// cache when the transform reads it. Otherwise, all lines of a tile are copied first.
    contiguous_input: bool,
    /// Whether the lines of the output are contiguous. If so, transforms write to them directly.
    in_output: bool,
    /// Whether the output is written with non-temporal stores if its lines are not contiguous.
    large: bool,
}

impl<L: LineTransform> RealPass<'_, L> {
    /// Transforms the lines of a tile.
    ///
    /// # Safety
    /// The caller must ensure, for each index of `tile`:
    /// * The output has a line with stride `to_stride`, to which access is exclusive.
    /// * The operand has a line of `read` elements with stride `from_stride`, which are readable.
    unsafe fn tile(
        &self,
        tile: &Plan<2>,
        inputs: &mut [L::From],
        outputs: &mut [L::To],
        scratch: &mut [L::Scratch],
    ) {
        let [from, to] = self.lens;
        let packed = Place::packed(tile, from + LINE_GAP);
        let operand = Place::of(tile, 1, self.from_stride);
        let output = Place::of(tile, 0, self.to_stride);
        let begin = HostPtr::new(inputs.as_mut_ptr());
        if !self.contiguous_input {
            // SAFETY: the source is `read` elements of each line of the operand. The caller ensures that they may be read. The target is
            // separate lines of the workspace `inputs`, which is borrowed exclusively and has space for all lines of a tile.
            unsafe { copy_lines(tile, self.read, false, (begin, &packed), (self.from, &operand)) };
        }
        let (start, place) = match self.in_output {
            true => (self.to, Place::of(tile, 0, 1)),
            false => (HostPtr::new(outputs.as_mut_ptr()), Place::packed(tile, to + LINE_GAP)),
        };
        for_each_line(tile, [&place, &packed, &operand], |[line, packed, operand]| {
            let line = start.offset(line).get();
            // SAFETY: `line` is the first of `to` contiguous elements. They are a line of the output, to which the caller ensures exclusive
            // access, or a line of the workspace `outputs`, which is borrowed exclusively. The elements of tensors and workspaces are
            // initialised.
            let line = unsafe { core::slice::from_raw_parts_mut(line, to) };
            let input = if self.contiguous_input {
                let operand = self.from.offset(operand).get();
                // SAFETY: these are the `read` contiguous elements of a line of the operand. The caller ensures that they may be read.
                let operand = unsafe { core::slice::from_raw_parts(operand, self.read) };
                inputs[..self.read].copy_from_slice(operand);
                &mut inputs[..from]
            } else {
                &mut inputs[packed as usize..][..from]
            };
            input[self.read..].fill(L::From::default());
            self.transform.run(input, line, scratch);
        });
        if !self.in_output {
            // SAFETY: the source is the lines of the workspace `outputs`, which were written above. The target is the lines of the output,
            // which do not overlap. The caller ensures exclusive access to them.
            unsafe { copy_lines(tile, to, self.large, (self.to, &output), (start, &place)) };
        }
    }
}
