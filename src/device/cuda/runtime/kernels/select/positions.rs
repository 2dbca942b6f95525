//! Gather and scatter on a GPU: copies of elements from and to given positions along an axis. No code in this file is generic over
//! operations or element types. Copies are compiled for each size of elements, not for each type.

use crate::device::CudaSource;
use crate::device::cuda::runtime::codegen::arguments::{Argument, KernelArguments};
use crate::device::cuda::runtime::codegen::operation::{Operation, RawElements, RawOperand};
use crate::device::cuda::runtime::codegen::program::{Packed, Program, Template};
use crate::device::cuda::runtime::driver::context::{Context, Memory};
use crate::device::cuda::runtime::driver::flag::Flag;
use crate::device::cuda::runtime::kernels::copy::of_size;
use crate::device::cuda::runtime::kernels::loops::{Divisor, Loops};
use crate::device::cuda::runtime::kernels::reduce::address;
use crate::device::cuda::runtime::kernels::shares::BLOCK;
use crate::device::cuda::runtime::kernels::sort;
use crate::device::positions::CHECK;
use crate::device::scalars::Scalars;
use crate::element::DType;
use crate::error::Error;
use crate::layout::plan::Plan;
use crate::layout::{Layout, element_count};

const FILES: &[&str] = &[include_str!("../../codegen/sources/positions.cu")];
pub(in crate::device::cuda::runtime) static TAKE: Template = Template { files: FILES, entry: take_entry };
pub(in crate::device::cuda::runtime) static PICK: Template = Template { files: FILES, entry: pick_entry };
pub(in crate::device::cuda::runtime) static REPLACE: Template =
    Template { files: FILES, entry: replace_entry };
pub(in crate::device::cuda::runtime) static COMBINE: Template =
    Template { files: FILES, entry: combine_entry };

/// The axis along which positions count: its extent, and its stride in elements. Mirrors the struct `Axis` of `positions.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda::runtime) struct Axis {
    length: u64,
    stride: i64,
}

/// Mirrors the struct `PositionRows` of `positions.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct PositionRows {
    down: i64,
    right: i64,
    out: i64,
}

/// Mirrors the struct `Scatter` of `positions.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Scatter {
    lines: u64,
    positions: u64,
    inner: Divisor,
    lines_inside: u32,
    unused: u32,
    stride: i64,
}

// SAFETY: `Axis` is `repr(C)`, and has the members of the struct `Axis` in `positions.cu`.
unsafe impl Argument for Axis {}
// SAFETY: `PositionRows` is `repr(C)`, and has the members of the struct `PositionRows` in `positions.cu`.
unsafe impl Argument for PositionRows {}
// SAFETY: `Scatter` is `repr(C)`, and has the members of the struct `Scatter` in `positions.cu`.
unsafe impl Argument for Scatter {}

impl Axis {
    pub(in crate::device::cuda::runtime) fn new(length: usize, stride: isize) -> Axis {
        Axis { length: length as u64, stride: stride as i64 }
    }
}

/// Returns the source of a kernel: `template` for elements of the size of `dtype`. The template copies elements.
pub(in crate::device::cuda::runtime) fn program(template: &'static Template, dtype: DType) -> Program {
    let words = of_size(dtype.size()).expect("the sizes of elements are powers of two");
    sort::program(template, "copy elements at positions", [Some(words), None, None, None], [0; 2])
}

/// Returns whether all positions are valid for an axis of extent `len`.
///
/// # Safety
/// The caller must ensure that all elements of `at` within `shape` are allocated on `context`'s GPU.
pub(in crate::device::cuda::runtime) unsafe fn are_valid(
    context: &'static Context,
    shape: &[usize],
    at: RawOperand<'_>,
    len: usize,
) -> Result<bool, Error> {
    // Axes with stride 0 repeat the positions, so only one index along each of them is checked.
    let mut distinct = Layout::point(0);
    for (&n, &stride) in shape.iter().zip(at.strides) {
        distinct.push(if stride == 0 { n.min(1) } else { n }, stride);
    }
    let valid = position_operation(CHECK, CudaSource::builtin("a >= -length && a < length"), len);
    let at = RawOperand { strides: distinct.strides(), ..at };
    // SAFETY: the caller ensures that the elements of `at` within `shape` are allocated on the GPU. The operation reads a part of them:
    // those within `distinct`.
    unsafe { valid.defined(context, distinct.shape(), DType::Bool, &[at]) }
}

/// Returns an operation on positions. Its CUDA source `text` can use the scalar `length`.
fn position_operation(name: &'static str, text: CudaSource, length: usize) -> Operation {
    let mut scalars = Scalars::default();
    // Only the extent of an axis with stride 0 can exceed `isize::MAX`; `i64::MAX` replaces it.
    scalars.scalar("length", i64::try_from(length).unwrap_or(i64::MAX));
    Operation { name, text, scalars }
}

/// Copies elements of `a` at positions along `axis`, the last axis of `a`. `a.strides` has one stride for each axis of `shape`: those of
/// the other axes of `a`, then zeros for the axes that only the positions have. If `checked`, waits for the GPU and returns whether all
/// positions are valid. Otherwise, returns `true` without waiting; the caller must have checked the positions.
///
/// # Safety
/// The caller must ensure that all elements of `out` and `at` within `shape`, and those of `a` within its leading axes and `axis`, are
/// allocated on `context`'s GPU. Nothing else may access the elements of `out`.
pub(in crate::device::cuda::runtime) unsafe fn take(
    context: &'static Context,
    shape: &[usize],
    out: RawOperand<'_>,
    (a, axis): (RawOperand<'_>, Axis),
    at: RawOperand<'_>,
    checked: bool,
) -> Result<bool, Error> {
    let plan = Plan::unordered(shape, [out.strides, a.strides, at.strides]);
    if plan.len() == 0 {
        return Ok(true);
    }
    let flag = if checked { Some(Flag::new(context)?) } else { None };
    let invalid = flag.as_ref().map_or(0, Flag::address);
    let [o, k, p] = plan.offsets();
    let (loops, n) = (Loops::new(plan.shape(), plan.strides()), plan.len() as u64);
    let (to, from, positions) = (address(out, o), address(a, k), address(at, p));
    let mut arguments = KernelArguments::new()
        .with(&loops)
        .with(&n)
        .with(&axis)
        .with(&from)
        .with(&positions)
        .with(&to)
        .with(&invalid);
    let grid = context.blocks(plan.len(), BLOCK as usize)?;
    // SAFETY: the caller ensures that the elements of `out`, `a` and `at` are allocated on the GPU, and exclusive access to `out`. `plan`
    // visits only these. The kernel reads `a` at valid positions only. `invalid` is the address of the new flag, or null. The arguments are
    // those of the kernel, `take_entry`.
    unsafe { context.launch(&program(&TAKE, out.dtype), [grid, 1, 1], BLOCK, &mut arguments)? };
    Ok(!flag.map_or(Ok(false), |flag| flag.raised())?)
}

/// Copies the elements of `a`, of shape `shape`, whose indices are the rows of the matrix `at`, to the vector `out` of `n` elements.
/// Returns whether all indices are valid.
///
/// # Safety
/// The caller must ensure that these elements are allocated on `context`'s GPU: those of `out`, those of `a` within `shape`, and the `n`
/// rows of `at`. `at` must have one column for each axis of `a`. Nothing else may access the elements of `out`.
pub(in crate::device::cuda::runtime) unsafe fn pick(
    context: &'static Context,
    n: usize,
    out: RawOperand<'_>,
    (a, shape): (RawOperand<'_>, &[usize]),
    at: RawOperand<'_>,
) -> Result<bool, Error> {
    if n == 0 || shape.contains(&0) {
        return Ok(n == 0);
    }
    let flag = Flag::new(context)?;
    let mut axes = Loops::none();
    for (&length, &stride) in shape.iter().zip(a.strides) {
        axes.push(length, [stride]);
    }
    let rows =
        PositionRows { down: at.strides[0] as i64, right: at.strides[1] as i64, out: out.strides[0] as i64 };
    let (count, invalid) = (n as u64, flag.address());
    let mut arguments = KernelArguments::new()
        .with(&axes)
        .with(&count)
        .with(&rows)
        .with(&a.address)
        .with(&at.address)
        .with(&out.address)
        .with(&invalid);
    let grid = context.blocks(n, BLOCK as usize)?;
    // SAFETY: the caller ensures that the elements of `out`, `a` and `at` are allocated on the GPU, and exclusive access to `out`. The
    // kernel reads `a` at valid indices only. `flag` was allocated above. The arguments are those of the kernel, `pick_entry`.
    unsafe { context.launch(&program(&PICK, out.dtype), [grid, 1, 1], BLOCK, &mut arguments)? };
    Ok(!flag.raised()?)
}

/// The operands of a scatter: the output `out`, the positions `at`, and the elements `a`. Positions count along the last axis of `out`.
/// `shape` is the shape of `at` and of `a`; its leading axes are those of `out`.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cuda::runtime) struct Scattering<'a> {
    pub(in crate::device::cuda::runtime) shape: &'a [usize],
    /// The extent of the last axis of `out`.
    pub(in crate::device::cuda::runtime) length: usize,
    pub(in crate::device::cuda::runtime) out: RawOperand<'a>,
    pub(in crate::device::cuda::runtime) at: RawOperand<'a>,
    pub(in crate::device::cuda::runtime) a: RawOperand<'a>,
}

/// The positions of each line (along the last axis), sorted, and the index of each in the unsorted line. The lines are contiguous.
struct Sorted {
    positions: Memory,
    order: Memory,
    /// Stride of the lines along each leading axis, in elements.
    strides: Layout,
}

impl Scattering<'_> {
    fn rank(&self) -> usize {
        self.out.strides.len() - 1
    }

    /// Converts the positions to indices counted from the start, and sorts those of each line. If an axis of the positions has stride 0,
    /// its lines share one sorted line.
    ///
    /// # Safety
    /// The same as for [`run`](Scattering::run).
    unsafe fn sort(&self, context: &'static Context) -> Result<Sorted, Error> {
        let (lines, within) = self.shape.split_at(self.rank());
        let count: usize = within.iter().product();
        // The layout of the positions, but with extent 1 for each leading axis of stride 0, because the positions repeat there.
        let mut distinct = Layout::point(0);
        for (&n, &stride) in lines.iter().zip(self.at.strides) {
            distinct.push(if stride == 0 { 1 } else { n }, stride);
        }
        for (&n, &stride) in within.iter().zip(&self.at.strides[lines.len()..]) {
            distinct.push(n, stride);
        }
        let bytes = element_count(distinct.shape(), 8)? * 8;
        let (positions, order) = (context.alloc(bytes)?, context.alloc(bytes)?);
        let contiguous = Layout::contiguous(distinct.shape(), true);
        let from_start = CudaSource::builtin("a < 0 ? a + length : a");
        let from_start = position_operation("count positions from the start", from_start, self.length);
        let to =
            RawOperand { address: positions.address(), dtype: DType::I64, strides: contiguous.strides() };
        let at = RawOperand { strides: distinct.strides(), ..self.at };
        // SAFETY: the caller ensures that the positions in `self.at` are allocated on the GPU. `positions` was allocated above with room
        // for them, and nothing else has its address.
        unsafe { from_start.run(context, distinct.shape(), &[to, at])? };
        let sorting =
            sort::SortLines { count: bytes / 8 / count, length: count, dtype: DType::I64, descending: false };
        let address = positions.address();
        // SAFETY: the lines are those in `positions`, which the call above wrote. They may be sorted in place. `order` has the same size,
        // and nothing else has either address.
        unsafe { sorting.sort(context, address, address, Some(order.address()))? };
        let mut strides = Layout::point(0);
        for (axis, &n) in lines.iter().enumerate() {
            strides.push(n, if self.at.strides[axis] == 0 { 0 } else { contiguous.strides()[axis] });
        }
        Ok(Sorted { positions, order, strides })
    }

    /// If `operation` is `None`, writes the elements of `a` to their positions in `out`. If a position occurs several times in a line, the
    /// last of its elements is stored. If there is an operation, combines each element of `a` with the element of `out` at its position;
    /// elements with the same position are combined in row-major order.
    ///
    /// # Safety
    /// The caller must ensure that all elements of `at` and `a`, and those of `out` within the leading axes and `length`, are allocated on
    /// `context`'s GPU. All positions must be valid. Nothing else may access the elements of `out`.
    pub(in crate::device::cuda::runtime) unsafe fn run(
        &self,
        context: &'static Context,
        operation: Option<&Operation>,
    ) -> Result<(), Error> {
        if self.shape.contains(&0) {
            return Ok(());
        }
        let Scattering { shape, out, a, .. } = *self;
        let rank = self.rank();
        // SAFETY: `sort` has the same contract as this function, `run`, which the caller ensures.
        let sorted = unsafe { self.sort(context)? };
        let (lines, within) = shape.split_at(rank);
        let nest =
            Plan::unordered(lines, [&out.strides[..rank], sorted.strides.strides(), &a.strides[..rank]]);
        let inside = Plan::ordered(within, [&a.strides[rank..]]);
        // Adjacent threads handle adjacent lines if these are closer in `out` than the elements of a line.
        let stride = out.strides[rank];
        let closer = nest.inner_strides()[0].unsigned_abs() < stride.unsigned_abs() || inside.len() == 1;
        let lines_inside = closer && nest.len() > 1;
        let scatter = Scatter {
            lines: nest.len() as u64,
            positions: inside.len() as u64,
            inner: Divisor::new(if lines_inside { nest.len() } else { inside.len() }),
            lines_inside: u32::from(lines_inside),
            unused: 0,
            stride: stride as i64,
        };
        let [o, s, k] = nest.offsets();
        let lines = Loops::new(nest.shape(), nest.strides());
        let within = Loops::new(inside.shape(), inside.strides());
        let i64_at =
            |memory: &Memory| RawElements { address: memory.address(), dtype: DType::I64 }.offset(s).address;
        let (positions, order) = (i64_at(&sorted.positions), i64_at(&sorted.order));
        let (from, to) = (address(a, k), address(out, o));
        let packed = operation.map(|operation| Packed::new(&operation.scalars));
        let mut arguments = KernelArguments::new();
        if let Some(packed) = &packed {
            arguments = arguments.with_bytes(packed);
        }
        let mut arguments = arguments
            .with(&scatter)
            .with(&lines)
            .with(&within)
            .with(&positions)
            .with(&order)
            .with(&from)
            .with(&to);
        let program = match operation {
            Some(operation) => combine_program(operation, out.dtype),
            None => program(&REPLACE, out.dtype),
        };
        let grid = context.blocks(nest.len() * inside.len(), BLOCK as usize)?;
        // SAFETY: the caller ensures that all elements are allocated on the GPU, that all positions are valid, and exclusive access to
        // `out`. `sort` wrote `positions` and `order`. Different threads write to different positions of `out`. The arguments are those of
        // the kernel, `replace_entry` or `combine_entry`.
        unsafe { context.launch(&program, [grid, 1, 1], BLOCK, &mut arguments) }
    }
}

/// Returns the source of the kernel that scatters elements of type `dtype` and combines them by `operation`.
pub(in crate::device::cuda::runtime) fn combine_program(operation: &Operation, dtype: DType) -> Program {
    operation.program(&COMBINE, dtype, &[RawElements { address: 0, dtype }; 2], [0; 5])
}

// ------------------------------------------------------------------ sources

const HEAD: &str = "extern \"C\" __global__ void __launch_bounds__(BLOCK) entry(";

fn take_entry(program: &Program) -> String {
    program.typedefs()
        + HEAD
        + "const __grid_constant__ Loops<3> loops, u64 n, const __grid_constant__ Axis axis, const R *a, const i64 *positions, \
           R *out, u32 *invalid) {\n    take(loops, n, axis, a, positions, out, invalid);\n}\n"
}

fn pick_entry(program: &Program) -> String {
    program.typedefs()
        + HEAD
        + "const __grid_constant__ Loops<1> axes, u64 n, const __grid_constant__ PositionRows rows, const R *a, const i64 *positions, \
           R *out, u32 *invalid) {\n    pick(axes, n, rows, a, positions, out, invalid);\n}\n"
}

/// The parameters of the kernels that scatter.
const SCATTERED: &str = "const __grid_constant__ Scatter scatter, const __grid_constant__ Loops<3> lines, \
    const __grid_constant__ Loops<1> within, const i64 *sorted, const i64 *order, const R *a, R *out) {\n    ";

fn replace_entry(program: &Program) -> String {
    program.typedefs() + HEAD + SCATTERED + "replace(scatter, lines, within, sorted, order, a, out);\n}\n"
}

fn combine_entry(program: &Program) -> String {
    program.typedefs()
        + &program.functor(2, "R")
        + HEAD
        + "F f, "
        + SCATTERED
        + "combine(f, scatter, lines, within, sorted, order, a, out);\n}\n"
}
