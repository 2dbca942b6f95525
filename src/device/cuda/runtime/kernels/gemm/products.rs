//! Sums of products on a GPU, with the same division of work as in reductions. Only [`PackedScaling::new`] is generic over the
//! element type.

use crate::device::CudaSource;
use crate::device::cuda::runtime::codegen::arguments::KernelArguments;
use crate::device::cuda::runtime::codegen::operation::RawOperand;
use crate::device::cuda::runtime::codegen::program::{Packed, Program, Template};
use crate::device::cuda::runtime::driver::context::Context;
use crate::device::cuda::runtime::driver::flag::Flag;
use crate::device::cuda::runtime::kernels::reduce::{
    ACCUMULATE, REDUCE, address, grid, loops, parts_bytes, read_forwards,
};
use crate::device::cuda::runtime::kernels::shares::{BLOCK, Loads, Shares};
use crate::device::scalars::{Scalars, Signature};
use crate::element::{DType, Scalar};
use crate::error::Error;
use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;

pub(in crate::device::cuda::runtime) const PRODUCTS: &str = include_str!("../../codegen/sources/products.cu");
const FILES: &[&str] = &[ACCUMULATE, REDUCE, PRODUCTS];
pub(in crate::device::cuda::runtime) static WHOLE: Template = Template { files: FILES, entry: whole_entry };
pub(in crate::device::cuda::runtime) static PARTS: Template = Template { files: FILES, entry: parts_entry };

/// An operand of a product without its type: its elements, and whether to conjugate them.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda::runtime) struct ProductOperand<'a> {
    pub(in crate::device::cuda::runtime) elements: RawOperand<'a>,
    pub(in crate::device::cuda::runtime) conjugate: bool,
}

/// A batch of products: `[.., m, k]` times `[.., k, n]`.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda::runtime) struct ProductBatch<'a> {
    pub(in crate::device::cuda::runtime) shape: &'a [usize],
    pub(in crate::device::cuda::runtime) m: usize,
    pub(in crate::device::cuda::runtime) k: usize,
    pub(in crate::device::cuda::runtime) n: usize,
}

/// The scaling factors of a product without their type: `alpha · product + beta · old`.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda::runtime) struct PackedScaling {
    pub(in crate::device::cuda::runtime) dtype: DType,
    pub(in crate::device::cuda::runtime) alpha: Packed,
    pub(in crate::device::cuda::runtime) beta: Packed,
    pub(in crate::device::cuda::runtime) alpha_is_zero: bool,
    pub(in crate::device::cuda::runtime) beta_is_zero: bool,
    /// Whether to detect integer overflow: [`Scalar::SUMS_CHECKED`].
    pub(in crate::device::cuda::runtime) checked: bool,
    flags: u32,
}

impl PackedScaling {
    pub(in crate::device::cuda::runtime) fn new<T: Scalar>(alpha: T, beta: T) -> PackedScaling {
        let packed = |value| {
            let mut scalars = Scalars::default();
            scalars.scalar("value", value);
            Packed::new(&scalars)
        };
        let bit = |yes: bool, at: u32| u32::from(yes) << at;
        PackedScaling {
            dtype: T::DTYPE,
            alpha: packed(alpha),
            beta: packed(beta),
            alpha_is_zero: alpha.is_zero(),
            beta_is_zero: beta.is_zero(),
            checked: T::SUMS_CHECKED,
            flags: bit(alpha.is_one(), 0) | bit(beta.is_one(), 1) | bit(!beta.is_zero(), 2),
        }
    }

    /// Returns the flags for kernels. Bits 0 and 1: `alpha` and `beta` are 1. Bit 2: `beta` is not 0. Bits 3 and 4: the operands
    /// `a` and `b` are conjugated.
    pub(in crate::device::cuda::runtime) fn flags(&self, [a, b]: [bool; 2]) -> u32 {
        self.flags | u32::from(a) << 3 | u32::from(b) << 4
    }

    pub(in crate::device::cuda::runtime) fn flag(
        &self,
        context: &'static Context,
    ) -> Result<Option<Flag>, Error> {
        if self.checked { Flag::new(context).map(Some) } else { Ok(None) }
    }
}

/// Computes `out = alpha · Σ a · b + beta · out` over the trailing axes of a shape. Returns `false` if an integer overflow was
/// detected.
///
/// # Safety
/// The caller must ensure that the elements of `a` and `b` within `shape`, and the elements of `out` within the leading axes of
/// `shape`, are allocated on `context`'s GPU. Nothing else may access the elements of `out`.
pub(in crate::device::cuda::runtime) unsafe fn sum(
    context: &'static Context,
    weights: &PackedScaling,
    shape: &[usize],
    out: RawOperand<'_>,
    [a, b]: [ProductOperand<'_>; 2],
) -> Result<bool, Error> {
    let rank = out.strides.len();
    if shape[..rank].contains(&0) {
        return Ok(true);
    }
    // The iteration order suits the strides of the first operand, so the operand with more elements becomes the first.
    let elements = |factor: &ProductOperand<'_>| {
        let axes = shape.iter().zip(factor.elements.strides).filter(|&(_, &stride)| stride != 0);
        axes.fold(1, |n: usize, (&extent, _)| n.saturating_mul(extent))
    };
    let (a, b) = if elements(&a) < elements(&b) { (b, a) } else { (a, b) };
    let factors = [a.elements, b.elements];
    let summed = if weights.alpha_is_zero { None } else { Some(&shape[rank..]) };
    let layout = ProductLoops::new(&shape[..rank], summed, out, factors);
    let flag = weights.flag(context)?;
    let failed = flag.as_ref().map_or(0, Flag::address);
    let shares = layout.shares;
    let parts = context.alloc(if shares.splits > 1 { parts_bytes(&shares)? } else { 0 })?;
    let (kept, summed) = (loops(&layout.kept), loops(&layout.summed));
    let [to, x, y] =
        [(out, 0), (a.elements, 1), (b.elements, 2)].map(|(of, k)| address(of, layout.offsets[k]));
    let (parts, flags) = (parts.address(), weights.flags([a.conjugate, b.conjugate]));

    let program = |template, variant| program(template, "sum products", weights.dtype, variant);
    let checked = u32::from(weights.checked);
    let wide = u32::from(shares.is_wide());
    let variant = [checked, layout.vector as u32, u32::from(layout.line), wide, 0, 0];
    let mut arguments = begin(weights, &flags)
        .with(&shares)
        .with(&kept)
        .with(&summed)
        .with(&x)
        .with(&y)
        .with(&to)
        .with(&parts)
        .with(&failed);
    // SAFETY: the caller ensures that the elements of `a`, `b` and `out` are on the GPU, and exclusive access to `out`. `layout` visits
    // only these elements. If there are several splits, `parts` has room for every accumulator, and nothing else accesses it. The
    // arguments are those of `whole_entry`.
    unsafe { context.launch(&program(&WHOLE, variant), grid(context, &shares)?, BLOCK, &mut arguments)? };
    if shares.splits > 1 {
        let shares = shares.of_parts();
        let mut arguments =
            begin(weights, &flags).with(&shares).with(&kept).with(&parts).with(&to).with(&failed);
        let program = program(&PARTS, [checked, 0, 0, 0, 0, 0]);
        // SAFETY: the caller ensures exclusive access to `out`, and `kept` visits only its elements. The kernel of `WHOLE`, queued
        // above, writes all accumulators in `parts` before this kernel reads them. The arguments are those of `parts_entry`.
        unsafe { context.launch(&program, grid(context, &shares)?, BLOCK, &mut arguments)? };
    }
    Ok(!flag.map_or(Ok(false), |flag| flag.raised())?)
}

/// Returns the program of `template`, which is one of the templates for products, for elements of type `dtype`.
pub(in crate::device::cuda::runtime) fn program(
    template: &'static Template,
    name: &'static str,
    dtype: DType,
    variant: [u32; 6],
) -> Program {
    let types = [Some(dtype), None, None, None];
    Program { template, name, text: CudaSource::NONE, types, signature: Signature::default(), variant }
}

/// Returns the arguments that all kernels of products begin with.
pub(in crate::device::cuda::runtime) fn begin<'a>(
    weights: &'a PackedScaling,
    flags: &'a u32,
) -> KernelArguments<'a> {
    KernelArguments::new().with_bytes(&weights.alpha).with_bytes(&weights.beta).with(flags)
}

/// The loops over outputs and over the summed axes, and how they are divided among threads.
#[derive(Debug, Clone, Copy)]
struct ProductLoops {
    /// The loops over the outputs, with strides of the output and of both operands.
    kept: Plan<3>,
    summed: Plan<2>,
    /// Number of elements that are loaded at once.
    vector: usize,
    /// Whether all summed axes fused into one loop, called a line.
    line: bool,
    shares: Shares,
    /// Offsets of the first elements of output and operands, in elements.
    offsets: [isize; 3],
}

impl ProductLoops {
    /// Plans the loops. `summed` are the extents of the axes after those of the output, or `None` to sum zero products.
    fn new(
        kept: &[usize],
        summed: Option<&[usize]>,
        out: RawOperand<'_>,
        factors: [RawOperand<'_>; 2],
    ) -> ProductLoops {
        let rank = kept.len();
        let mut steps = [[0; MAX_RANK]; 3];
        steps[0][..rank].copy_from_slice(out.strides);
        for (steps, factor) in steps[1..].iter_mut().zip(factors) {
            steps[..rank].copy_from_slice(&factor.strides[..rank]);
        }
        let offsets = read_forwards(kept, &mut steps, 1);
        let summed = match summed {
            Some(shape) => Plan::unordered(shape, factors.map(|factor| &factor.strides[rank..])),
            None => Plan::unordered(&[0], [&[0], &[0]]),
        };
        // If each output sums at most one product, stores to the output dominate, so choose the iteration order for the output.
        // Otherwise choose it for the operand `a`.
        let key = usize::from(summed.len() > 1);
        let kept = Plan::unordered_by(kept, [&steps[0][..rank], &steps[1][..rank], &steps[2][..rank]], key);
        let mut starts = kept.offsets();
        let [x, y] = summed.offsets();
        for (start, more) in starts.iter_mut().zip([offsets[0], offsets[1] + x, offsets[2] + y]) {
            *start += more;
        }

        let bytes = out.dtype.size();
        let step = |strides: &[isize]| strides.iter().copied().find(|&step| step != 0).unwrap_or(0);
        let (next_output, next_item) = (step(&kept.inner_strides()[1..]), step(&summed.inner_strides()));
        let loads = |vector: usize| Loads {
            outputs: kept.len() as u64,
            items: summed.len().div_ceil(vector) as u64,
            count: summed.len() as u64,
            inner_outputs: kept.inner_len() as u64,
            next_output: (next_output.unsigned_abs() * bytes) as u64,
            next_item: (next_item.unsigned_abs() * bytes) as u64,
            bytes: (vector * bytes) as u64,
        };
        let line = summed.outer_shape().is_empty();
        let mut shares = Shares::choose(&loads(1));
        let (mut vector, full) = (1, 16 / bytes);
        let aligned = |k: usize| {
            let at = address(factors[k - 1], starts[k]);
            at.is_multiple_of(16) && kept.strides().iter().all(|by| by[k].unsigned_abs().is_multiple_of(full))
        };
        let many = full > 1 && summed.len() >= 4 * full;
        if shares.lanes == 0 && line && many && summed.inner_strides() == [1, 1] && aligned(1) && aligned(2) {
            vector = full;
            shares = Shares::choose(&loads(full));
        }
        ProductLoops { kept, summed, vector, line, shares, offsets: starts }
    }
}

// ------------------------------------------------------------------ sources

fn whole_entry(program: &Program) -> String {
    let [checked, vector, line, wide, ..] = program.variant;
    let index = if wide == 0 { "u32" } else { "u64" };
    format!(
        "{}typedef Products<R, {checked}>::Acc Acc;\n\
         extern \"C\" __global__ void __launch_bounds__(BLOCK)\n\
         entry(R alpha, R beta, u32 flags, const __grid_constant__ Shares shares, const __grid_constant__ Loops<3> kept,\n      \
         const __grid_constant__ Loops<2> summed, const R *__restrict__ a, const R *__restrict__ b, R *__restrict__ out,\n      \
         Acc *parts, u32 *failed) {{\n    \
         sum_products<{checked}, {vector}, {line}, {index}>(alpha, beta, flags, shares, kept, summed, a, b, out, parts, failed);\n}}\n",
        program.typedefs(),
    )
}

fn parts_entry(program: &Program) -> String {
    let checked = program.variant[0];
    format!(
        "{}typedef Products<R, {checked}>::Acc Acc;\n\
         extern \"C\" __global__ void __launch_bounds__(BLOCK)\n\
         entry(R alpha, R beta, u32 flags, const __grid_constant__ Shares shares, const __grid_constant__ Loops<3> kept,\n      \
         const Acc *parts, R *out, u32 *failed) {{\n    \
         sum_parts<{checked}>(alpha, beta, flags, shares, kept, parts, out, failed);\n}}\n",
        program.typedefs(),
    )
}
