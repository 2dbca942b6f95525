//! Reductions on a GPU: plans the loops over outputs and reduced axes, and launches the kernels of `reduce.cu`. No code in this
//! file is generic over operations or element types.

pub(in crate::device::cuda::runtime) mod scan;

use super::loops::Loops;
use super::shares::{BLOCK, Loads, Shares};
use crate::device::cuda::runtime::codegen::arguments::KernelArguments;
use crate::device::cuda::runtime::codegen::operation::{Operation, RawOperand};
use crate::device::cuda::runtime::codegen::program::{Packed, Program, Template};
use crate::device::cuda::runtime::driver::context::Context;
use crate::device::cuda::runtime::driver::flag::Flag;
use crate::element::DType;
use crate::error::Error;
use crate::layout::plan::Plan;
use crate::rank::MAX_RANK;

pub(super) const ACCUMULATE: &str = include_str!("../../codegen/sources/accumulate.cu");
pub(super) const REDUCE: &str = include_str!("../../codegen/sources/reduce.cu");
pub(in crate::device::cuda::runtime) static WHOLE: Template =
    Template { files: &[ACCUMULATE, REDUCE], entry: whole_entry };
pub(in crate::device::cuda::runtime) static PARTS: Template =
    Template { files: &[ACCUMULATE, REDUCE], entry: parts_entry };

/// Maximum size of an accumulator, in bytes. `across` in `reduce.cu` asserts it.
pub(super) const MAX_ACC_BYTES: usize = 64;

/// A reduction as data, without type parameters.
#[derive(Debug)]
pub(in crate::device::cuda::runtime) struct Reducing {
    pub(in crate::device::cuda::runtime) operation: Operation,
    /// Whether the result depends on the indices of the elements.
    pub(in crate::device::cuda::runtime) ordered: bool,
    /// Whether the reduction of zero elements is defined.
    pub(in crate::device::cuda::runtime) defined_on_empty: bool,
    /// Whether the reduction of at least one element may be undefined.
    pub(in crate::device::cuda::runtime) fallible: bool,
}

impl Reducing {
    /// Returns the program that instantiates a template for a result and elements of these types.
    pub(in crate::device::cuda::runtime) fn program(
        &self,
        template: &'static Template,
        types: [DType; 2],
        variant: [u32; 6],
    ) -> Program {
        let Operation { name, text, scalars } = self.operation;
        let [out, a] = types;
        let types = [Some(out), Some(a), None, None];
        Program { template, name, text, types, signature: scalars.signature(), variant }
    }

    /// Reduces the trailing axes of `a`. Returns whether all results are defined.
    ///
    /// # Safety
    /// The caller must ensure that the elements of `a` within `shape`, and the elements of `out` within the leading axes of
    /// `shape`, are allocated on `context`'s GPU. Nothing else may access the elements of `out`.
    pub(in crate::device::cuda::runtime) unsafe fn run(
        &self,
        context: &'static Context,
        shape: &[usize],
        out: RawOperand<'_>,
        a: RawOperand<'_>,
    ) -> Result<bool, Error> {
        if shape[..out.strides.len()].contains(&0) {
            return Ok(true);
        }
        let layout =
            ReductionLoops::new(shape, [out.strides, a.strides], a.address, a.dtype.size(), self.ordered);
        if layout.shares.count == 0 && !self.defined_on_empty {
            return Ok(false);
        }
        let flag = if self.fallible { Some(Flag::new(context)?) } else { None };
        let failed = flag.as_ref().map_or(0, Flag::address);
        let shares = layout.shares;
        let parts = context.alloc(if shares.splits > 1 { parts_bytes(&shares)? } else { 0 })?;
        let (packed, kept) = (Packed::new(&self.operation.scalars), loops(&layout.kept));
        let reduced = loops(&layout.reduced);
        let to = address(out, layout.offsets[0]);
        let from = address(a, layout.offsets[1]);
        let parts = parts.address();

        let program = |template, variant| self.program(template, [out.dtype, a.dtype], variant);
        let variant = [layout.vector as u32, u32::from(layout.line), u32::from(shares.is_wide()), 0, 0, 0];
        let mut arguments = KernelArguments::new()
            .with_bytes(&packed)
            .with(&shares)
            .with(&kept)
            .with(&reduced)
            .with(&from)
            .with(&to)
            .with(&parts)
            .with(&failed);
        // SAFETY: the caller ensures that the elements of `a` and `out` are allocated on the GPU, and exclusive access to those of `out`.
        // `layout` visits only these elements. `parts` has room for every accumulator, and nothing else accesses it. The arguments are the
        // parameters of the kernel, whose entry point `whole_entry` generates.
        unsafe { context.launch(&program(&WHOLE, variant), grid(context, &shares)?, BLOCK, &mut arguments)? };
        if shares.splits > 1 {
            let shares = shares.of_parts();
            let mut arguments = KernelArguments::new()
                .with_bytes(&packed)
                .with(&shares)
                .with(&kept)
                .with(&parts)
                .with(&to)
                .with(&failed);
            let program = program(&PARTS, [0; 6]);
            // SAFETY: the caller ensures exclusive access to `out`, and `kept` visits only its elements. `WHOLE` wrote all accumulators in
            // `parts`. The arguments are the parameters of the kernel, whose entry point `parts_entry` generates.
            unsafe { context.launch(&program, grid(context, &shares)?, BLOCK, &mut arguments)? };
        }
        Ok(!flag.map_or(Ok(false), |flag| flag.raised())?)
    }
}

/// Returns the address of the element at an offset, in elements.
pub(super) fn address(of: RawOperand<'_>, offset: isize) -> u64 {
    of.address.wrapping_add_signed(offset as i64 * of.dtype.size() as i64)
}

/// Returns the size of the memory for the partial results of all outputs, in bytes.
pub(super) fn parts_bytes(shares: &Shares) -> Result<usize, Error> {
    let parts = (shares.outputs as usize).checked_mul(shares.splits as usize);
    parts.and_then(|parts| parts.checked_mul(MAX_ACC_BYTES)).ok_or_else(|| Error::Overflow {
        shape: vec![shares.outputs as usize, shares.splits as usize],
        element_bytes: MAX_ACC_BYTES,
    })
}

pub(super) fn grid(context: &Context, shares: &Shares) -> Result<[u32; 3], Error> {
    shares.grid().ok_or_else(|| Error::DeviceFailed {
        op: "reduce",
        device: context.name(),
        reason: format!("{} results exceed the maximum grid size", shares.outputs),
    })
}

/// Returns the loops of a plan, or no loops if an extent is 0.
pub(super) fn loops<const K: usize>(plan: &Plan<K>) -> Loops<K> {
    if plan.shape().contains(&0) { Loops::none() } else { Loops::new(plan.shape(), plan.strides()) }
}

// ------------------------------------------------------------------ sources

fn head(program: &Program) -> String {
    // The operation's source may end with a line comment. The line break after the source ends this comment.
    format!(
        "{}typedef A T;\nstruct F {{ {}{}\n}};\n",
        program.typedefs(),
        program.members(),
        program.text.as_str()
    )
}

fn whole_entry(program: &Program) -> String {
    let [vector, line, wide, ..] = program.variant;
    let index = if wide == 0 { "u32" } else { "u64" };
    format!(
        "{}extern \"C\" __global__ void __launch_bounds__(BLOCK)\n\
         entry(F f, const __grid_constant__ Shares shares, const __grid_constant__ Loops<2> kept,\n      \
         const __grid_constant__ Loops<1> reduced, const T *__restrict__ a, R *__restrict__ out, F::Acc *parts, u32 *failed) {{\n    \
         reduce<{vector}, {}, {index}>(f, shares, kept, reduced, a, out, parts, failed);\n}}\n",
        head(program),
        line != 0,
    )
}

fn parts_entry(program: &Program) -> String {
    format!(
        "{}extern \"C\" __global__ void __launch_bounds__(BLOCK)\n\
         entry(F f, const __grid_constant__ Shares shares, const __grid_constant__ Loops<2> kept, const F::Acc *parts, R *out,\n      \
         u32 *failed) {{\n    \
         reduce_parts(f, shares, kept, parts, out, failed);\n}}\n",
        head(program),
    )
}

// ------------------------------------------------------------------ layouts

/// The loops of a reduction, and how it loads elements.
#[derive(Debug, Clone, Copy)]
struct ReductionLoops {
    /// The loops over the outputs, with strides of the output and of the operand.
    kept: Plan<2>,
    /// The loops over the reduced axes. If there are several loops and `vector` is more than 1, the inner extent counts vectors. Strides
    /// always count elements.
    reduced: Plan<1>,
    /// Number of elements that are loaded at once.
    vector: usize,
    /// Whether all reduced axes fused into one loop, a line.
    line: bool,
    shares: Shares,
    /// Offsets of the first elements of output and operand, in elements.
    offsets: [isize; 2],
}

impl ReductionLoops {
    /// Plans the reduction of the trailing axes of an operand at `address`, with elements of `bytes` bytes.
    fn new(
        shape: &[usize],
        [out, a]: [&[isize]; 2],
        address: u64,
        bytes: usize,
        ordered: bool,
    ) -> ReductionLoops {
        let rank = out.len();
        let (kept_shape, shape) = shape.split_at(rank);
        let (kept_strides, strides) = a.split_at(rank);
        let mut steps = [[0; MAX_RANK]; 2];
        steps[0][..rank].copy_from_slice(out);
        steps[1][..rank].copy_from_slice(kept_strides);
        let mut offsets = read_forwards(kept_shape, &mut steps, 1);
        let kept = Plan::unordered_by(kept_shape, [&steps[0][..rank], &steps[1][..rank]], 1);
        let mut reduced =
            if ordered { Plan::ordered(shape, [strides]) } else { Plan::unordered(shape, [strides]) };
        let [to, from] = kept.offsets();
        offsets = [offsets[0] + to, offsets[1] + from + reduced.offsets()[0]];

        let count = reduced.len();
        let loads = |vector: usize, reduced: &Plan<1>| Loads {
            outputs: kept.len() as u64,
            items: count.div_ceil(vector) as u64,
            count: count as u64,
            inner_outputs: kept.inner_len() as u64,
            next_output: (kept.inner_strides()[1].unsigned_abs() * bytes) as u64,
            next_item: (reduced.inner_strides()[0].unsigned_abs() * bytes) as u64,
            bytes: (vector * bytes) as u64,
        };
        let line = reduced.outer_shape().is_empty();
        let mut vector = 1;
        let mut shares = Shares::choose(&loads(1, &reduced));
        let full = 16 / bytes;
        if shares.lanes == 0 && full > 1 && reduced.inner_strides() == [1] && count >= 4 * full {
            if line {
                vector = full;
                shares = Shares::choose(&loads(full, &reduced));
            } else if let Some(vectors) = in_vectors(&reduced, full)
                && kept.strides().iter().all(|[_, from]| from.unsigned_abs().is_multiple_of(full))
                && address.wrapping_add_signed((offsets[1] * bytes as isize) as i64).is_multiple_of(16)
            {
                (vector, reduced) = (full, vectors);
                shares = Shares::choose(&loads(full, &reduced));
            }
        }
        ReductionLoops { kept, reduced, vector, line, shares, offsets }
    }
}

/// Reverses the kept axes along which operand `key` has a negative stride, for all operands. Returns the resulting offset of each
/// operand's first element.
pub(super) fn read_forwards<const K: usize>(
    shape: &[usize],
    steps: &mut [[isize; MAX_RANK]; K],
    key: usize,
) -> [isize; K] {
    let mut offsets = [0; K];
    for (axis, &n) in shape.iter().enumerate().filter(|&(_, &n)| n > 0) {
        if steps[key][axis] < 0 {
            for (offset, steps) in offsets.iter_mut().zip(steps.iter_mut()) {
                *offset += steps[axis] * (n as isize - 1);
                steps[axis] = -steps[axis];
            }
        }
    }
    offsets
}

/// Returns the loops of `plan` over vectors of `vector` elements. Returns `None` unless all vectors are whole and begin at multiples of
/// their length.
fn in_vectors(plan: &Plan<1>, vector: usize) -> Option<Plan<1>> {
    let whole = plan.inner_len().is_multiple_of(vector)
        && plan.outer_strides().iter().all(|[stride]| stride.unsigned_abs().is_multiple_of(vector));
    whole.then(|| plan.with_inner(plan.inner_len() / vector, [vector as isize]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::odometer::Odometer;

    /// Returns the offsets of every iteration of the loops. The last loop is the innermost one.
    fn places<const K: usize>(plan: &Plan<K>) -> Vec<[isize; K]> {
        let mut walk = Odometer::over(plan.shape(), plan.strides(), [0; K]);
        let mut all = Vec::new();
        for _ in 0..plan.len() {
            all.push(walk.offsets());
            walk.advance();
        }
        all
    }

    /// Computes the offset of each element naively, in row-major order.
    fn offsets(shape: &[usize], strides: &[isize]) -> Vec<isize> {
        let mut all = vec![0];
        for (&n, &stride) in shape.iter().zip(strides) {
            all = all.iter().flat_map(|at| (0..n as isize).map(move |i| at + i * stride)).collect();
        }
        all
    }

    fn check(shape: &[usize], out: &[isize], a: &[isize], address: u64, bytes: usize) -> ReductionLoops {
        let mut last = None;
        for ordered in [false, true] {
            let layout = ReductionLoops::new(shape, [out, a], address, bytes, ordered);
            let [to, from] = layout.offsets;
            let vector = if layout.line { 1 } else { layout.vector as isize };
            let mut found = Vec::new();
            for [o, k] in places(&layout.kept) {
                let items = places(&layout.reduced).into_iter();
                let mut elements: Vec<isize> =
                    items.flat_map(|[r]| (0..vector).map(move |v| from + k + r + v)).collect();
                if !ordered {
                    elements.sort_unstable();
                }
                found.push((to + o, elements));
            }
            found.sort();
            let (kept, reduced) = shape.split_at(out.len());
            let (a_kept, a_reduced) = a.split_at(out.len());
            let outputs = offsets(kept, out).into_iter().zip(offsets(kept, a_kept));
            let mut expected: Vec<_> = outputs
                .map(|(o, k)| {
                    let mut elements: Vec<isize> =
                        offsets(reduced, a_reduced).iter().map(|r| k + r).collect();
                    if !ordered {
                        elements.sort_unstable();
                    }
                    (o, elements)
                })
                .collect();
            expected.sort();
            assert_eq!(found, expected, "{shape:?} {a:?} ordered: {ordered}");
            assert_eq!(layout.shares.count, reduced.iter().product::<usize>() as u64);
            last = Some(layout);
        }
        last.unwrap()
    }

    #[test]
    fn layouts_visit_every_element() {
        for address in [0, 8] {
            check(&[], &[], &[], address, 8);
            check(&[5], &[], &[-3], address, 8);
            check(&[4, 6], &[1], &[6, 1], address, 8);
            check(&[4, 6], &[-1], &[1, 4], address, 8);
            check(&[4, 6], &[3], &[-6, -1], address, 8);
            check(&[4, 6], &[1], &[0, 7], address, 4);
            check(&[2, 3, 4, 5], &[3, 1], &[60, 20, 1, 4], address, 8);
            check(&[2, 3, 4, 5], &[1, 2], &[20, 40, -5, 1], address, 8);
            check(&[3, 5, 16], &[1], &[16, 48, 1], address, 4);
            check(&[3, 0, 4], &[1], &[1, 1, 1], address, 8);
            check(&[0, 3], &[1], &[3, 1], address, 8);
            check(&[7, 1, 64], &[1, 1], &[64, 5, 1], address, 1);
        }
    }

    #[test]
    fn vector_loads_need_alignment_of_all_operands() {
        let vector = |shape: &[usize], a: &[isize], address| check(shape, &[1], a, address, 4).vector;
        assert_eq!(vector(&[3, 5, 16], &[16, 48, 1], 0), 4);
        // Each of these three operands prevents vector loads: its address is not a multiple of 16 bytes, its rows have 14 elements, or a
        // stride is 17. Neither 14 nor 17 is a multiple of four elements.
        assert_eq!(vector(&[3, 5, 16], &[16, 48, 1], 4), 1);
        assert_eq!(vector(&[3, 5, 14], &[14, 42, 1], 0), 1);
        assert_eq!(vector(&[3, 5, 16], &[17, 51, 1], 0), 1);
        // If all reduced axes fuse into one line, it can begin at any address: the kernel folds the elements before the first aligned
        // address one by one.
        assert_eq!(vector(&[3, 65], &[65, 1], 4), 4);
        assert_eq!(vector(&[65, 65], &[1, 65], 0), 1);
    }
}
