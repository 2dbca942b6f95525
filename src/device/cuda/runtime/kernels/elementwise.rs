//! Elementwise operations on a GPU. [`run`](Operation::run) chooses a kernel by the strides: contiguous, tiled or strided. No code
//! in this file is generic over operations or element types: a [`Program`] holds them as data.

use super::loops::Loops;
use super::tile;
use crate::device::cuda::runtime::codegen::arguments::KernelArguments;
use crate::device::cuda::runtime::codegen::operation::{
    NARROW, Operation, RawElements, RawOperand, THREADS, head, mask, readers,
};
use crate::device::cuda::runtime::codegen::program::{Packed, Program, Template};
use crate::device::cuda::runtime::driver::context::Context;
use crate::device::cuda::runtime::driver::flag::Flag;
use crate::element::DType;
use crate::error::Error;
use crate::layout::plan::Plan;

const FILES: &[&str] = &[include_str!("../codegen/sources/elementwise.cu")];
pub(in crate::device::cuda::runtime) static CONTIGUOUS: Template =
    Template { files: FILES, entry: contiguous_entry };
pub(in crate::device::cuda::runtime) static STRIDED: Template =
    Template { files: FILES, entry: strided_entry };
pub(in crate::device::cuda::runtime) static DEFINED: Template =
    Template { files: FILES, entry: defined_entry };

/// Number of vectors per thread. The loads of all vectors are in flight together, to hide the latency of memory.
pub(in crate::device::cuda::runtime) const UNROLL: usize = 4;
impl Operation {
    /// Computes `operands[0] = op(operands[1..])`. If `operands` contains only the result, the operation is a function of the row-major
    /// index.
    ///
    /// # Safety
    /// The caller must ensure that all elements within `shape` are allocated on `context`'s GPU. Nothing else may access the elements
    /// of the result, except that an operand with the strides of the result may consist of the same elements.
    ///
    /// # Panics
    /// If `operands` is empty, or there are more than three operands in addition to the result.
    pub(in crate::device::cuda::runtime) unsafe fn run(
        &self,
        context: &Context,
        shape: &[usize],
        operands: &[RawOperand<'_>],
    ) -> Result<(), Error> {
        match *operands {
            // SAFETY: `run_of` has the contract of `run`, which the caller of `run` ensures. The operands are the same.
            [r] => unsafe { self.run_of(context, shape, [r]) },
            // SAFETY: `run_of` has the contract of `run`, which the caller of `run` ensures. The operands are the same.
            [r, a] => unsafe { self.run_of(context, shape, [r, a]) },
            // SAFETY: `run_of` has the contract of `run`, which the caller of `run` ensures. The operands are the same.
            [r, a, b] => unsafe { self.run_of(context, shape, [r, a, b]) },
            // SAFETY: `run_of` has the contract of `run`, which the caller of `run` ensures. The operands are the same.
            [r, a, b, c] => unsafe { self.run_of(context, shape, [r, a, b, c]) },
            _ => panic!("elementwise functions have a result and up to three operands"),
        }
    }

    /// Implements [`run`](Operation::run) for a result and `N - 1` operands.
    ///
    /// # Safety
    /// The same as for [`run`](Operation::run).
    unsafe fn run_of<const N: usize>(
        &self,
        context: &Context,
        shape: &[usize],
        operands: [RawOperand<'_>; N],
    ) -> Result<(), Error> {
        let strides = operands.map(|operand| operand.strides);
        let plan = if N == 1 { Plan::ordered(shape, strides) } else { Plan::unordered(shape, strides) };
        if plan.len() == 0 {
            return Ok(());
        }
        let elements = first_elements(&plan, operands);
        if plan.shape().len() <= 1 && contiguous_along(plan.inner_strides()) {
            // SAFETY: the caller ensures that all elements within `shape` are on the GPU, and that access to those of the result is
            // exclusive, except as `run` allows. `plan` visits only these elements, and `contiguous_along` checked that each stride is
            // 1 or 0.
            unsafe { self.contiguous(context, plan.len(), plan.inner_strides(), elements) }
        } else if let Some(tiles) = tile::tiles(&plan, elements) {
            // SAFETY: the caller ensures that all elements within `shape` are on the GPU, and that access to those of the result is
            // exclusive, except as `run` allows. `plan` visits only these elements.
            unsafe { tiles.run(context, self, elements) }
        } else {
            // SAFETY: the caller ensures that all elements within `shape` are on the GPU, and that access to those of the result is
            // exclusive, except as `run` allows. `plan` visits only these elements.
            unsafe { self.strided(context, &plan, elements) }
        }
    }

    /// Evaluates `self`, the domain check of a function, for all elements. Returns whether the function is defined for all of them.
    /// `result` is the function's result type.
    ///
    /// # Safety
    /// The caller must ensure that all elements within `shape` are allocated on `context`'s GPU.
    ///
    /// # Panics
    /// If the number of operands is not 1 or 2.
    pub(in crate::device::cuda::runtime) unsafe fn defined(
        &self,
        context: &'static Context,
        shape: &[usize],
        result: DType,
        operands: &[RawOperand<'_>],
    ) -> Result<bool, Error> {
        match *operands {
            // SAFETY: `defined_of` has the contract of `defined`, which the caller of `defined` ensures. The operands are the same.
            [a] => unsafe { self.defined_of(context, shape, result, [a]) },
            // SAFETY: `defined_of` has the contract of `defined`, which the caller of `defined` ensures. The operands are the same.
            [a, b] => unsafe { self.defined_of(context, shape, result, [a, b]) },
            _ => panic!("only functions of one or two operands are checked"),
        }
    }

    /// Implements [`defined`](Operation::defined) for `N` operands.
    ///
    /// # Safety
    /// The same as for [`defined`](Operation::defined).
    unsafe fn defined_of<const N: usize>(
        &self,
        context: &'static Context,
        shape: &[usize],
        result: DType,
        operands: [RawOperand<'_>; N],
    ) -> Result<bool, Error> {
        let plan = Plan::unordered(shape, operands.map(|operand| operand.strides));
        if plan.len() == 0 {
            return Ok(true);
        }
        let elements = first_elements(&plan, operands);
        let flag = Flag::new(context)?;
        let program = self.program(&DEFINED, result, &elements, [0; 5]);
        let (packed, loops) = (Packed::new(&self.scalars), Loops::new(plan.shape(), plan.strides()));
        let (n, address) = (plan.len() as u64, flag.address());
        let mut arguments = KernelArguments::new().with_bytes(&packed).with(&loops).with(&n).with(&address);
        for operand in &elements {
            arguments = arguments.with(&operand.address);
        }
        let grid = plan.len().div_ceil(THREADS).min(1 << 16) as u32;
        // SAFETY: the caller ensures that all elements within `shape` are on the GPU, and `plan` visits only these. The kernel writes
        // only to `flag`, which was allocated above. The arguments are those of `defined_entry`.
        unsafe { context.launch(&program, [grid, 1, 1], THREADS as u32, &mut arguments)? };
        Ok(!flag.raised()?)
    }

    /// Queues the kernel for contiguous operands.
    ///
    /// # Safety
    /// The caller must ensure that all elements along `strides`, each 1 or 0, are allocated on `context`'s GPU. Nothing else may access
    /// the elements of the result, except that an operand with the strides of the result may consist of the same elements.
    unsafe fn contiguous<const N: usize>(
        &self,
        context: &Context,
        len: usize,
        strides: [isize; N],
        elements: [RawElements; N],
    ) -> Result<(), Error> {
        let same = mask(|k| strides[k] == 0, N);
        let vector = vector(len, strides, &[], elements);
        let variant = [vector as u32, UNROLL as u32, same, 0, 0];
        let program = self.program(&CONTIGUOUS, elements[0].dtype, &elements[1..], variant);
        let (packed, n) = (Packed::new(&self.scalars), len as u64);
        let mut arguments = KernelArguments::new().with_bytes(&packed).with(&n);
        for operand in &elements {
            arguments = arguments.with(&operand.address);
        }
        let grid = context.blocks(len, THREADS * UNROLL * vector)?;
        // SAFETY: the caller ensures that the `len` elements along `strides` are on the GPU, and that access to those of the result is
        // exclusive, except as `run` allows. The kernel accesses only these elements. The arguments are those of `contiguous_entry`.
        unsafe { context.launch(&program, [grid, 1, 1], THREADS as u32, &mut arguments) }
    }

    /// Queues the kernel for strided operands.
    ///
    /// # Safety
    /// The caller must ensure that all elements of the plan are allocated on `context`'s GPU. Nothing else may access the elements of
    /// the result, except that an operand with the strides of the result may consist of the same elements.
    unsafe fn strided<const N: usize>(
        &self,
        context: &Context,
        plan: &Plan<N>,
        elements: [RawElements; N],
    ) -> Result<(), Error> {
        let inner = plan.inner_strides();
        let vector = match contiguous_along(inner) {
            true if N > 1 => vector(plan.inner_len(), inner, plan.outer_strides(), elements),
            _ => 1,
        };
        let same = if vector > 1 { mask(|k| inner[k] == 0, N) } else { 0 };
        let mut loops = Loops::none();
        let step = inner.map(|stride| stride * vector as isize);
        loops.push(plan.inner_len() / vector, step);
        for (&length, &step) in plan.outer_shape().iter().zip(plan.outer_strides()).rev() {
            loops.push(length, step);
        }
        let turns = plan.len() / vector;
        let wide = u32::from(turns >= NARROW);
        let variant = [vector as u32, UNROLL as u32, same, wide, 0];
        let program = self.program(&STRIDED, elements[0].dtype, &elements[1..], variant);
        let (packed, n) = (Packed::new(&self.scalars), turns as u64);
        let mut arguments = KernelArguments::new().with_bytes(&packed).with(&loops).with(&n);
        for operand in &elements {
            arguments = arguments.with(&operand.address);
        }
        let grid = context.blocks(turns, THREADS * UNROLL)?;
        // SAFETY: the caller ensures that all elements of `plan` are on the GPU, and that access to those of the result is exclusive,
        // except as `run` allows. The kernel accesses only these elements. The arguments are those of `strided_entry`.
        unsafe { context.launch(&program, [grid, 1, 1], THREADS as u32, &mut arguments) }
    }
}

/// Returns each operand's address at the first iteration of a plan.
fn first_elements<const N: usize>(plan: &Plan<N>, operands: [RawOperand<'_>; N]) -> [RawElements; N] {
    let offsets = plan.offsets();
    core::array::from_fn(|k| {
        let RawOperand { address, dtype, .. } = operands[k];
        RawElements { address, dtype }.offset(offsets[k])
    })
}

/// Returns whether the result is contiguous, and each operand is contiguous or has a stride of 0.
fn contiguous_along<const N: usize>(strides: [isize; N]) -> bool {
    strides[0] == 1 && strides.iter().all(|&stride| stride == 0 || stride == 1)
}

/// Returns the maximum number of elements per load: `max(16 / largest, min(16 / smallest, 4))`, with the sizes of the largest and the
/// smallest element type in bytes.
pub(in crate::device::cuda::runtime) fn widest(elements: &[RawElements]) -> usize {
    let sizes = || elements.iter().map(|of| of.dtype.size());
    let (largest, smallest) = (sizes().max().unwrap_or(16), sizes().min().unwrap_or(16));
    (16 / largest).max((16 / smallest).min(4))
}

/// Returns the number of elements per load: [`widest`], halved until all loads are aligned and the inner loop consists of whole
/// vectors.
fn vector<const N: usize>(
    len: usize,
    inner: [isize; N],
    outer: &[[isize; N]],
    elements: [RawElements; N],
) -> usize {
    let mut vector = widest(&elements);
    let fits = |vector: usize| {
        // Without outer loops, `len` can be any number, because the kernel also handles the elements after the last whole vector.
        (outer.is_empty() || len.is_multiple_of(vector))
            && (0..N).all(|k| {
                let together = inner[k] == 0;
                let bytes = (vector * elements[k].dtype.size()).min(16) as u64;
                together
                    || (elements[k].address.is_multiple_of(bytes)
                        && outer.iter().all(|steps| steps[k].unsigned_abs().is_multiple_of(vector)))
            })
    };
    while vector > 1 && !fits(vector) {
        vector /= 2;
    }
    vector
}

// ------------------------------------------------------------------ sources

fn contiguous_entry(program: &Program) -> String {
    let [_, vector, unroll, same, ..] = program.variant;
    let (parameters, readers) = readers(program, same, ["Each", "Same"], None);
    format!(
        "{}extern \"C\" __global__ void __launch_bounds__({THREADS}) entry(F f, u64 n, R *out{parameters}) {{\n    \
         contiguous<{vector}, {unroll}>(f, n, out{readers});\n}}\n",
        head(program, "R")
    )
}

fn strided_entry(program: &Program) -> String {
    let [operands, vector, unroll, same, wide, _] = program.variant;
    let (parameters, readers) = readers(program, same, ["EachAt", "SameAt"], Some(1));
    let index = if wide == 0 { "u32" } else { "u64" };
    format!(
        "{}extern \"C\" __global__ void __launch_bounds__({THREADS})\n\
         entry(F f, const __grid_constant__ Loops<{}> loops, u64 n, R *out{parameters}) {{\n    \
         strided<{vector}, {unroll}, {index}>(f, loops, ({index})n, out{readers});\n}}\n",
        head(program, "R"),
        operands + 1
    )
}

fn defined_entry(program: &Program) -> String {
    let operands = program.variant[0];
    let (parameters, readers) = readers(program, 0, ["EachAt", "EachAt"], Some(0));
    format!(
        "{}extern \"C\" __global__ void __launch_bounds__({THREADS})\n\
         entry(F f, const __grid_constant__ Loops<{operands}> loops, u64 n, u32 *undefined{parameters}) {{\n    \
         defined(f, loops, n, undefined{readers});\n}}\n",
        head(program, "bool")
    )
}
