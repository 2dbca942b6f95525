//! Stable sorting of contiguous lines on a GPU, and binary search. No code in this file is generic over element types.

use super::loops::Loops;
use super::reduce::address;
use super::shares::BLOCK;
use crate::device::CudaSource;
use crate::device::cuda::runtime::codegen::arguments::{Argument, KernelArguments};
use crate::device::cuda::runtime::codegen::operation::RawOperand;
use crate::device::cuda::runtime::codegen::program::{Program, Template};
use crate::device::cuda::runtime::driver::context::Context;
use crate::device::scalars::Signature;
use crate::element::DType;
use crate::error::Error;
use crate::layout::plan::Plan;

const SORT: &str = include_str!("../codegen/sources/sort.cu");
const SEARCH: &str = include_str!("../codegen/sources/search.cu");
pub(in crate::device::cuda::runtime) static TILES: Template = Template { files: &[SORT], entry: tiles_entry };
pub(in crate::device::cuda::runtime) static MERGE: Template = Template { files: &[SORT], entry: merge_entry };
pub(in crate::device::cuda::runtime) static FIND: Template =
    Template { files: &[SORT, SEARCH], entry: find_entry };
pub(in crate::device::cuda::runtime) static STARTS: Template =
    Template { files: &[SORT, SEARCH], entry: starts_entry };

pub(in crate::device::cuda::runtime) static INVERT: Template =
    Template { files: &[SORT, SEARCH], entry: invert_entry };
pub(in crate::device::cuda::runtime) static QUANTILE: Template =
    Template { files: &[SORT, SEARCH], entry: quantile_entry };

/// Base-2 logarithms of `EACH` and `TILE` in `sort.cu`: the numbers of elements per thread and per tile.
const EACH_LOG: u32 = 3;
const TILE_LOG: u32 = 11;

/// `count` lines of `length` contiguous elements each, one line after the other.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda::runtime) struct SortLines {
    pub(in crate::device::cuda::runtime) count: usize,
    pub(in crate::device::cuda::runtime) length: usize,
    pub(in crate::device::cuda::runtime) dtype: DType,
    pub(in crate::device::cuda::runtime) descending: bool,
}

/// Mirrors the struct `SortLines` of `sort.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Shape {
    count: u64,
    length: u64,
    log: u32,
    unused: u32,
}

// SAFETY: `Shape` is `repr(C)` and has the members of the struct `SortLines` in `sort.cu`. So both have the same layout.
unsafe impl Argument for Shape {}

/// Mirrors the struct `Sorted` of `search.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Sorted {
    length: u64,
    stride: i64,
}

// SAFETY: `Sorted` is `repr(C)` and has the members of the struct `Sorted` in `search.cu`. So both have the same layout.
unsafe impl Argument for Sorted {}

/// Mirrors the struct `QuantilePlace` of `search.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct QuantilePlace {
    lines: u64,
    length: u64,
    at: u64,
    weight: f64,
}

// SAFETY: `QuantilePlace` is `repr(C)` and has the members of the struct `QuantilePlace` in `search.cu`. So both have the same layout.
unsafe impl Argument for QuantilePlace {}

/// What a search returns for each element that is searched for. The discriminants equal the macros `BEFORE`, `AFTER` and `CONTAINS` of
/// `search.cu`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::device::cuda::runtime) enum Find {
    /// The number of sorted elements that are less than the element.
    Before = 0,
    /// The number of sorted elements that are not greater than the element.
    After = 1,
    /// Whether a sorted element is equal to the element.
    Contains = 2,
}

/// Returns the program that `template` generates for elements of the given types.
pub(in crate::device::cuda::runtime) fn program(
    template: &'static Template,
    name: &'static str,
    types: [Option<DType>; 4],
    variant: [u32; 2],
) -> Program {
    let [p, q] = variant;
    let (text, signature) = (CudaSource::NONE, Signature::default());
    Program { template, name, text, types, signature, variant: [p, q, 0, 0, 0, 0] }
}

impl SortLines {
    /// Returns the program of [`TILES`] or [`MERGE`]. `indexed` selects the kernel that also writes indices.
    pub(in crate::device::cuda::runtime) fn program(
        &self,
        template: &'static Template,
        indexed: bool,
    ) -> Program {
        let variant = [u32::from(self.descending), u32::from(indexed)];
        program(template, "sort", [Some(self.dtype), None, None, None], variant)
    }

    /// Returns the number of elements of all lines.
    pub(in crate::device::cuda::runtime) fn len(&self) -> usize {
        self.count * self.length
    }

    /// Sorts the lines at `from` and writes them to `to`, which may be the same address. Equal elements keep their order. If `order` is
    /// given, writes the index of each element in its line to this address, as `i64`.
    ///
    /// # Safety
    /// The caller must ensure that the lines at all addresses are allocated on `context`'s GPU. Nothing else may access those at `to` and
    /// `order`. Except that `from` may be `to`, the lines may not overlap.
    pub(in crate::device::cuda::runtime) unsafe fn sort(
        &self,
        context: &'static Context,
        from: u64,
        to: u64,
        order: Option<u64>,
    ) -> Result<(), Error> {
        if self.len() == 0 {
            return Ok(());
        }
        let tile = 1 << TILE_LOG;
        let chunks = self.length.div_ceil(tile);
        // The number of passes that merge: pass `k` merges runs of `tile << k` elements.
        let passes = chunks.next_power_of_two().trailing_zeros();
        let spare = |size: usize| context.alloc(if passes > 0 { self.len() * size } else { 0 });
        let (keys, indices) = (spare(self.dtype.size())?, spare(if order.is_some() { 8 } else { 0 })?);
        // The passes alternate between two buffers. The last one writes to `to`.
        let place = |remaining: u32| match remaining % 2 {
            0 => (to, order.unwrap_or(0)),
            _ => (keys.address(), indices.address()),
        };
        let log = self.length.next_power_of_two().trailing_zeros().clamp(EACH_LOG, TILE_LOG);
        let shape = Shape { count: self.count as u64, length: self.length as u64, log, unused: 0 };
        let grid = match passes {
            0 => context.blocks(self.count, 1 << (TILE_LOG - log))?,
            _ => context.blocks(self.count * chunks, 1)?,
        };
        let (mut at, mut at_order) = place(passes);
        let mut arguments = KernelArguments::new().with(&shape).with(&from).with(&at).with(&at_order);
        // SAFETY: the caller ensures that the lines at `from` are allocated, and exclusive access to those at `to` and `order`. If the
        // kernel writes to `keys` and `indices`, they have space for all lines, and nothing else accesses them. The arguments have the
        // types and the order of the parameters in `tiles_entry`.
        unsafe {
            context.launch(&self.program(&TILES, order.is_some()), [grid, 1, 1], BLOCK, &mut arguments)?
        };
        for pass in 0..passes {
            let shape = Shape { log: TILE_LOG + pass, ..shape };
            let (next, next_order) = place(passes - pass - 1);
            let mut arguments =
                KernelArguments::new().with(&shape).with(&at).with(&at_order).with(&next).with(&next_order);
            // SAFETY: the launch before this one wrote the lines at `at` and `at_order`. The kernel writes to `next` and `next_order`.
            // These are either `keys` and `indices`, which nothing else accesses, or `to` and `order`, to which the caller ensures
            // exclusive access. The arguments have the types and the order of the parameters in `merge_entry`.
            unsafe {
                context.launch(&self.program(&MERGE, order.is_some()), [grid, 1, 1], BLOCK, &mut arguments)?
            };
            (at, at_order) = (next, next_order);
        }
        Ok(())
    }
}

/// Searches for each element of `a` in the sorted vector `sorted` of `length` elements. Writes the result that `how` selects to `out`.
///
/// # Safety
/// The caller must ensure that all elements of `out` and `a` within `shape`, and those of `sorted`, are allocated on `context`'s GPU.
/// Nothing else may access the elements of `out`.
pub(in crate::device::cuda::runtime) unsafe fn find(
    context: &Context,
    how: Find,
    shape: &[usize],
    out: RawOperand<'_>,
    (sorted, length): (RawOperand<'_>, usize),
    a: RawOperand<'_>,
) -> Result<(), Error> {
    let plan = Plan::unordered(shape, [out.strides, a.strides]);
    if plan.len() == 0 {
        return Ok(());
    }
    let [o, k] = plan.offsets();
    let loops = Loops::new(plan.shape(), plan.strides());
    let (n, within) = (plan.len() as u64, Sorted { length: length as u64, stride: sorted.strides[0] as i64 });
    let (from, to) = (address(a, k), address(out, o));
    let mut arguments = KernelArguments::new()
        .with(&loops)
        .with(&n)
        .with(&within)
        .with(&sorted.address)
        .with(&from)
        .with(&to);
    let program = find_program(how, out.dtype, a.dtype);
    let grid = context.blocks(plan.len(), BLOCK as usize)?;
    // SAFETY: the caller ensures that the elements of `a`, `out` and `sorted` are allocated on the GPU, and exclusive access to those
    // of `out`. `plan` visits only elements of `out` and `a`. A search reads only the `length` elements of `sorted`. The arguments have
    // the types and the order of the parameters in `find_entry`.
    unsafe { context.launch(&program, [grid, 1, 1], BLOCK, &mut arguments) }
}

pub(in crate::device::cuda::runtime) fn find_program(how: Find, out: DType, a: DType) -> Program {
    program(&FIND, "search", [Some(out), Some(a), None, None], [how as u32, 0])
}

/// Marks the first element of each run of equal elements. For each of the `n` sorted, contiguous elements at `from`, writes a byte to `to`:
/// 1 for the first element and for each element that differs from the preceding one, otherwise 0.
///
/// # Safety
/// The caller must ensure that `n` elements of type `dtype` at `from` and `n` bytes at `to` are allocated on `context`'s GPU, and that
/// nothing else accesses those at `to`.
pub(in crate::device::cuda::runtime) unsafe fn starts(
    context: &Context,
    dtype: DType,
    n: usize,
    from: u64,
    to: u64,
) -> Result<(), Error> {
    let count = n as u64;
    let mut arguments = KernelArguments::new().with(&count).with(&from).with(&to);
    let program = starts_program(dtype);
    let grid = context.blocks(n, BLOCK as usize)?;
    // SAFETY: the caller ensures that `n` elements at `from` and `n` bytes at `to` are allocated on the GPU, and exclusive access to
    // those at `to`. The arguments have the types and the order of the parameters in `starts_entry`.
    unsafe { context.launch(&program, [grid, 1, 1], BLOCK, &mut arguments) }
}

pub(in crate::device::cuda::runtime) fn starts_program(dtype: DType) -> Program {
    program(&STARTS, "find distinct elements", [Some(dtype), None, None, None], [0; 2])
}

/// Writes `group[i] - 1` to index `order[i]` of `to`, for each `i` below `n`. `group` numbers the groups of equal elements after a sort
/// from 1, so `to` gets the index of the group for each element before the sort. `order`, `group` and `to` are addresses of `n` elements
/// of type `i64`.
///
/// # Safety
/// The caller must ensure that `n` elements at each address are allocated on `context`'s GPU, that `order` is a permutation of the indices,
/// and that nothing else accesses the elements at `to`.
pub(in crate::device::cuda::runtime) unsafe fn invert(
    context: &Context,
    n: usize,
    order: u64,
    group: u64,
    to: u64,
) -> Result<(), Error> {
    let count = n as u64;
    let mut arguments = KernelArguments::new().with(&count).with(&order).with(&group).with(&to);
    let program = invert_program();
    let grid = context.blocks(n, BLOCK as usize)?;
    // SAFETY: the caller ensures that `order`, `group` and `to` have `n` elements each on the GPU, and exclusive access to those at
    // `to`. Different threads write to different indices. The arguments have the types and the order of the parameters in
    // `invert_entry`.
    unsafe { context.launch(&program, [grid, 1, 1], BLOCK, &mut arguments) }
}

pub(in crate::device::cuda::runtime) fn invert_program() -> Program {
    program(&INVERT, "invert a permutation", [None; 4], [0; 2])
}

/// Writes a quantile of each line at `sorted`. The quantile is interpolated between the elements with indices `at` and `at + 1`, and
/// `weight` is the weight of the latter. `shape` is the shape of `out`, which has one element for each line, in row-major order. If
/// `is_median`, interpolates with the formula of the median.
///
/// # Safety
/// The caller must ensure that the lines, which are sorted and not empty, and the elements of `out` within `shape` are allocated on
/// `context`'s GPU. Nothing else may access the elements of `out`. `at` must be an index of a line, and `at + 1` too unless the weight is
/// 0.
pub(in crate::device::cuda::runtime) unsafe fn quantile(
    context: &Context,
    lines: &SortLines,
    (at, weight, is_median): (usize, f64, bool),
    sorted: u64,
    shape: &[usize],
    out: RawOperand<'_>,
) -> Result<(), Error> {
    let plan = Plan::ordered(shape, [out.strides]);
    let loops = Loops::new(plan.shape(), plan.strides());
    let place =
        QuantilePlace { lines: lines.count as u64, length: lines.length as u64, at: at as u64, weight };
    let to = address(out, plan.offsets()[0]);
    let mut arguments = KernelArguments::new().with(&loops).with(&place).with(&sorted).with(&to);
    let program = quantile_program(is_median, out.dtype, lines.dtype);
    let grid = context.blocks(lines.count, BLOCK as usize)?;
    // SAFETY: the caller ensures that the lines at `sorted` are allocated on the GPU, and exclusive access to `out`. The caller also
    // ensures that `at`, and `at + 1` unless `weight` is 0, are indices of a line. `plan` visits only elements of `out`. The arguments
    // have the types and the order of the parameters in `quantile_entry`.
    unsafe { context.launch(&program, [grid, 1, 1], BLOCK, &mut arguments) }
}

pub(in crate::device::cuda::runtime) fn quantile_program(is_median: bool, out: DType, a: DType) -> Program {
    program(&QUANTILE, "compute quantiles", [Some(out), Some(a), None, None], [u32::from(is_median), 0])
}

// ------------------------------------------------------------------ sources

const HEAD: &str = "extern \"C\" __global__ void __launch_bounds__(BLOCK) entry(";

/// Returns the template arguments for the parameters `DOWN` and `INDEXED` of a sorting kernel.
fn chosen(program: &Program) -> String {
    let [descending, indexed, ..] = program.variant;
    format!("{}, {}", descending == 1, indexed == 1)
}

fn tiles_entry(program: &Program) -> String {
    format!(
        "{}{HEAD}const __grid_constant__ SortLines lines, const R *from, R *to, i64 *order) {{\n    \
         sort_tiles<{}>(lines, from, to, order);\n}}\n",
        program.typedefs(),
        chosen(program)
    )
}

fn merge_entry(program: &Program) -> String {
    format!(
        "{}{HEAD}const __grid_constant__ SortLines lines, const R *from, const i64 *order, R *to, i64 *to_order) {{\n    \
         merge_runs<{}>(lines, from, order, to, to_order);\n}}\n",
        program.typedefs(),
        chosen(program)
    )
}

fn find_entry(program: &Program) -> String {
    format!(
        "{}{HEAD}const __grid_constant__ Loops<2> loops, u64 n, const __grid_constant__ Sorted sorted, const A *in, const A *a, \
         R *out) {{\n    search<{}>(loops, n, sorted, in, a, out);\n}}\n",
        program.typedefs(),
        program.variant[0]
    )
}

fn starts_entry(program: &Program) -> String {
    format!("{}{HEAD}u64 n, const R *in, u8 *out) {{\n    starts(n, in, out);\n}}\n", program.typedefs())
}

fn invert_entry(_: &Program) -> String {
    format!(
        "{HEAD}u64 n, const i64 *order, const i64 *group, i64 *out) {{\n    invert(n, order, group, out);\n}}\n"
    )
}

fn quantile_entry(program: &Program) -> String {
    format!(
        "{}{HEAD}const __grid_constant__ Loops<1> loops, const __grid_constant__ QuantilePlace place, const A *sorted, R *out) {{\n    \
         quantile<{}>(loops, place, sorted, out);\n}}\n",
        program.typedefs(),
        program.variant[0] == 1
    )
}
