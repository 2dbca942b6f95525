//! Scans (cumulative operations) on a GPU: one thread per line, or thread blocks that compute lines in tiles. No code in this file
//! is generic over operations or element types.

use super::{ACCUMULATE, address, loops};
use crate::device::CudaSource;
use crate::device::cuda::runtime::codegen::arguments::{Argument, KernelArguments};
use crate::device::cuda::runtime::codegen::operation::{Operation, RawElements, RawOperand};
use crate::device::cuda::runtime::codegen::program::{Packed, Program, Template};
use crate::device::cuda::runtime::driver::context::Context;
use crate::device::cuda::runtime::kernels::loops::Loops;
use crate::device::cuda::runtime::kernels::shares::BLOCK;
use crate::element::DType;
use crate::error::Error;
use crate::layout::plan::Plan;

const FILES: &[&str] = &[ACCUMULATE, include_str!("../../codegen/sources/scan.cu")];
pub(in crate::device::cuda::runtime) static LINES: Template = Template { files: FILES, entry: lines_entry };
pub(in crate::device::cuda::runtime) static TILES: Template = Template { files: FILES, entry: tiles_entry };

/// Number of elements of a tile. The same as `TILE` in `scan.cu`.
const TILE: usize = 8 * BLOCK as usize;
/// Minimum number of lines for one thread per line: enough threads to keep the GPU busy.
const MIN_LINES: usize = 1 << 14;
/// Maximum length of a line of adjacent elements that one thread scans, if the operation is associative. Thread blocks scan longer lines,
/// and lines of any length if there are fewer than [`MIN_LINES`].
const MAX_SHORT_LINE_LEN: usize = 64;
/// Number of thread blocks to aim for when lines are split into chunks. Chunks have at least about [`MIN_CHUNK_LEN`] elements.
const TARGET_BLOCKS: usize = 1 << 10;
const MIN_CHUNK_LEN: usize = 4 * TILE;

/// A scan as data, without type parameters.
#[derive(Debug)]
pub(in crate::device::cuda::runtime) struct Scanning {
    pub(in crate::device::cuda::runtime) operation: Operation,
    /// The source of the check that the operation is defined for its operands; `None` if the operation is not checked.
    pub(in crate::device::cuda::runtime) domain: Option<CudaSource>,
    pub(in crate::device::cuda::runtime) associative: bool,
}

/// The lines of a scan. Mirrors the struct `ScanLines` of `scan.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct ScanLines {
    count: u64,
    length: u64,
    to: i64,
    from: i64,
    chunk: u64,
}

// SAFETY: `ScanLines` is `repr(C)` and has the members of the struct `ScanLines` in `scan.cu`, so both have the same layout.
unsafe impl Argument for ScanLines {}

impl Scanning {
    /// Returns the program that instantiates a template for elements of type `dtype`. `totals` selects the kernel that writes only the
    /// totals of chunks.
    pub(in crate::device::cuda::runtime) fn program(
        &self,
        template: &'static Template,
        dtype: DType,
        totals: bool,
    ) -> Program {
        let element = RawElements { address: 0, dtype };
        self.operation.program(template, dtype, &[element; 2], [u32::from(totals), 0, 0, 0, 0])
    }

    /// Scans along the last axis. Returns whether all results are defined.
    ///
    /// # Safety
    /// The caller must ensure that all elements within `shape` are allocated on `context`'s GPU. Nothing else may access the
    /// elements of `out`.
    pub(in crate::device::cuda::runtime) unsafe fn run(
        &self,
        context: &'static Context,
        shape: &[usize],
        out: RawOperand<'_>,
        a: RawOperand<'_>,
    ) -> Result<bool, Error> {
        let Some((&length, kept)) = shape.split_last().filter(|_| !shape.contains(&0)) else {
            return Ok(true);
        };
        let last = kept.len();
        let plan = Plan::unordered(kept, [&out.strides[..last], &a.strides[..last]]);
        let (to, from) = (out.strides[last], a.strides[last]);
        let count = plan.len();
        let columns = plan.inner_strides()[1].unsigned_abs() < from.unsigned_abs();
        let lines = ScanLines {
            count: count as u64,
            length: length as u64,
            to: to as i64,
            from: from as i64,
            chunk: chunk(count, length) as u64,
        };
        let [o, k] = plan.offsets();
        let pass = ScanPass { scanning: self, context, dtype: out.dtype, lines };
        let (around, from, to) = (loops(&plan), address(a, k), address(out, o));
        if !self.associative || (count >= MIN_LINES && (columns || length <= MAX_SHORT_LINE_LEN)) {
            // SAFETY: the lines consist of the elements of `a` and `out` within `shape`. The caller ensures that these are allocated on the
            // GPU, and exclusive access to those of `out`.
            unsafe { pass.lines(&around, from, to) }?;
        } else {
            // SAFETY: the lines consist of the elements of `a` and `out` within `shape`. The caller ensures that these are allocated on the
            // GPU, and exclusive access to those of `out`.
            unsafe { pass.tiles(&around, from, to) }?;
        }
        let Some(domain) = self.domain else { return Ok(true) };
        // Each result of a line, except the last, is an operand of the next step, together with the next element. So the domain
        // check tests each of these pairs.
        let mut shape = shape.to_vec();
        shape[last] -= 1;
        let next = RawOperand { address: address(a, a.strides[last]), ..a };
        // SAFETY: the caller ensures that the elements within the original shape are allocated on the GPU. With the shortened shape, the
        // call visits these elements, except the last element of each line of `out` and the first element of each line of `a`.
        unsafe { self.operation.domain(domain).defined(context, &shape, out.dtype, &[out, next]) }
    }
}

/// Returns the number of elements of a chunk: the whole line, or a multiple of [`TILE`].
fn chunk(lines: usize, length: usize) -> usize {
    let chunks = (TARGET_BLOCKS / lines.max(1)).min(length / MIN_CHUNK_LEN).max(1);
    if chunks == 1 { length } else { length.div_ceil(chunks).next_multiple_of(TILE) }
}

/// A scan of lines: the values that the launches of all its kernels share.
struct ScanPass<'a> {
    scanning: &'a Scanning,
    context: &'static Context,
    dtype: DType,
    lines: ScanLines,
}

impl ScanPass<'_> {
    fn program(&self, template: &'static Template, totals: bool) -> Program {
        self.scanning.program(template, self.dtype, totals)
    }

    /// Scans with one thread for each line.
    ///
    /// # Safety
    /// The caller must ensure that the elements of all lines are allocated on the GPU. Nothing else may access the lines at `to`.
    unsafe fn lines(&self, around: &Loops<2>, from: u64, to: u64) -> Result<(), Error> {
        let packed = Packed::new(&self.scanning.operation.scalars);
        let mut arguments =
            KernelArguments::new().with_bytes(&packed).with(&self.lines).with(around).with(&from).with(&to);
        let grid = self.blocks(self.lines.count.div_ceil(u64::from(BLOCK)))?;
        // SAFETY: the caller ensures that all lines are allocated on the GPU, and exclusive access to those at `to`. The arguments are the
        // parameters of the kernel, whose entry point `lines_entry` generates.
        unsafe { self.context.launch(&self.program(&LINES, false), [grid, 1, 1], BLOCK, &mut arguments) }
    }

    /// Scans with one thread block for each chunk of a line. If lines have several chunks, three kernels run: the first computes
    /// the total of each chunk, the second scans these totals, and the third scans the chunks.
    ///
    /// # Safety
    /// The same as for [`lines`](ScanPass::lines).
    unsafe fn tiles(&self, around: &Loops<2>, from: u64, to: u64) -> Result<(), Error> {
        let ScanLines { count, length, chunk, .. } = self.lines;
        let chunks = length.div_ceil(chunk);
        if chunks == 1 {
            // SAFETY: the caller ensures that all lines are allocated on the GPU, and exclusive access to those at `to`. `before` is 0, and
            // `totals` is `false`.
            return unsafe { self.launch(around, from, to, 0, 1, false) };
        }
        let bytes = (count * chunks) as usize * self.dtype.size();
        let (totals, running) = (self.context.alloc(bytes)?, self.context.alloc(bytes)?);
        let lines = ScanLines { count, length: chunks, to: 1, from: 1, chunk: chunks };
        let of_totals = ScanPass { lines, ..*self };
        let contiguous = Loops::new(&[count as usize], &[[chunks as isize; 2]]);
        // SAFETY: the caller ensures that the lines at `from` are allocated on the GPU. `totals` has room for one element per chunk and
        // line, and nothing else accesses it. `before` is 0.
        unsafe { self.launch(around, from, totals.address(), 0, chunks as u32, true) }?;
        // SAFETY: the launch above wrote `totals`. `running` has the same size, and nothing else accesses it. Their lines are
        // contiguous, with `chunks` elements each. `before` is 0.
        unsafe { of_totals.launch(&contiguous, totals.address(), running.address(), 0, 1, false) }?;
        // SAFETY: the caller ensures that all lines are allocated on the GPU, and exclusive access to those at `to`. The launch above wrote
        // `running`, the scanned total of every chunk.
        unsafe { self.launch(around, from, to, running.address(), chunks as u32, false) }
    }

    /// Queues the kernel `scan_tiles`, for `chunks` chunks per line.
    ///
    /// # Safety
    /// The same as for [`lines`](ScanPass::lines). In addition, the caller must ensure:
    /// * `before` is 0, or the address of the scanned totals of the chunks: one element per chunk and line;
    /// * if `totals` is `true`, `to` is the address of memory for one element per chunk and line.
    unsafe fn launch(
        &self,
        around: &Loops<2>,
        from: u64,
        to: u64,
        before: u64,
        chunks: u32,
        totals: bool,
    ) -> Result<(), Error> {
        let packed = Packed::new(&self.scanning.operation.scalars);
        let mut arguments = KernelArguments::new()
            .with_bytes(&packed)
            .with(&self.lines)
            .with(around)
            .with(&from)
            .with(&to)
            .with(&before);
        let grid = [self.blocks(self.lines.count)?, chunks, 1];
        // SAFETY: the caller ensures that all lines are allocated on the GPU, and exclusive access to the memory at `to`. The caller also
        // ensures that `before` is 0 or the address of the scanned totals. The arguments are the parameters of the kernel, whose entry
        // point `tiles_entry` generates.
        unsafe { self.context.launch(&self.program(&TILES, totals), grid, BLOCK, &mut arguments) }
    }

    fn blocks(&self, blocks: u64) -> Result<u32, Error> {
        i32::try_from(blocks).map(|blocks| blocks as u32).map_err(|_| Error::DeviceFailed {
            op: self.scanning.operation.name,
            device: self.context.name(),
            reason: format!("{} lines exceed the maximum grid size", self.lines.count),
        })
    }
}

// ------------------------------------------------------------------ sources

const HEAD: &str = "extern \"C\" __global__ void __launch_bounds__(BLOCK)\n\
     entry(F f, const __grid_constant__ ScanLines lines, const __grid_constant__ Loops<2> loops, const R *a, R *out";

fn head(program: &Program) -> String {
    program.typedefs() + &program.functor(2, "R") + HEAD
}

fn lines_entry(program: &Program) -> String {
    head(program) + ") {\n    scan_lines(f, lines, loops, a, out);\n}\n"
}

fn tiles_entry(program: &Program) -> String {
    let totals = program.variant[1];
    head(program)
        + &format!(", const R *before) {{\n    scan_tiles<{totals}>(f, lines, loops, a, out, before);\n}}\n")
}
