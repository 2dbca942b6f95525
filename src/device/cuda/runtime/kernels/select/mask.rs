//! Elements under masks on a GPU: compression to a vector, expansion of a vector, and the indices of elements that are not zero. The
//! kernels for compression and expansion are compiled for each size of elements, not for each type.
//!
//! ```text
//! mask     1 0 0 1 | 0 1 1 1 | 0 0 1 0        one thread block for each tile
//! counts      2         3         1
//! sums        2         5         6           a scan
//! ranks    0     1     2 3 4       5          places in the vector
//! ```

use crate::device::CudaSource;
use crate::device::cuda::runtime::codegen::arguments::{Argument, KernelArguments};
use crate::device::cuda::runtime::codegen::operation::{Operation, RawOperand};
use crate::device::cuda::runtime::codegen::program::{Program, Template};
use crate::device::cuda::runtime::driver::context::{Context, Memory};
use crate::device::cuda::runtime::kernels::copy::of_size;
use crate::device::cuda::runtime::kernels::loops::Loops;
use crate::device::cuda::runtime::kernels::reduce::address;
use crate::device::cuda::runtime::kernels::reduce::scan::Scanning;
use crate::device::cuda::runtime::kernels::shares::BLOCK;
use crate::device::cuda::runtime::kernels::sort;
use crate::device::scalars::Scalars;
use crate::element::DType;
use crate::error::Error;
use crate::layout::plan::Plan;
use core::mem::MaybeUninit;

const FILES: &[&str] = &[include_str!("../../codegen/sources/mask.cu")];
pub(in crate::device::cuda::runtime) static COUNT: Template = Template { files: FILES, entry: count_entry };
pub(in crate::device::cuda::runtime) static COMPRESS: Template =
    Template { files: FILES, entry: compress_entry };
pub(in crate::device::cuda::runtime) static EXPAND: Template = Template { files: FILES, entry: expand_entry };
pub(in crate::device::cuda::runtime) static INDICES: Template =
    Template { files: FILES, entry: indices_entry };

/// Number of elements of a tile. The same as `TILE` in `mask.cu`.
const TILE: usize = 8 * BLOCK as usize;

/// Mirrors the struct `Vector` of `mask.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Vector {
    length: u64,
    stride: i64,
}

/// Mirrors the struct `MaskRows` of `mask.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct MaskRows {
    count: u64,
    down: i64,
    right: i64,
}

// SAFETY: the type is `repr(C)` and has the members of the struct `Vector` in `mask.cu`. So both have the same layout.
unsafe impl Argument for Vector {}
// SAFETY: the type is `repr(C)` and has the members of the struct `MaskRows` in `mask.cu`. So both have the same layout.
unsafe impl Argument for MaskRows {}

/// Returns the type that the kernels use to read a mask. The bytes of a `bool` that was never written can have any value, so they are read
/// as numbers.
fn of_mask(dtype: DType) -> DType {
    if dtype == DType::Bool { DType::U8 } else { dtype }
}

/// Returns the program of [`COMPRESS`] or [`EXPAND`] for elements of the size of `dtype`.
pub(in crate::device::cuda::runtime) fn program(template: &'static Template, dtype: DType) -> Program {
    let words = of_size(dtype.size()).expect("the sizes of elements are powers of two");
    sort::program(template, "copy elements under a mask", [Some(words), None, None, None], [0; 2])
}

/// Returns the program of [`COUNT`] or [`INDICES`] for a mask of type `dtype`.
pub(in crate::device::cuda::runtime) fn mask_program(template: &'static Template, dtype: DType) -> Program {
    sort::program(template, "find elements under a mask", [Some(of_mask(dtype)), None, None, None], [0; 2])
}

/// For each tile (the elements that one thread block processes), the number of chosen elements in this tile and in all tiles before it.
/// These numbers are on the GPU.
#[derive(Debug)]
pub(in crate::device::cuda::runtime) struct Sums {
    memory: Memory,
    tiles: usize,
}

impl Sums {
    /// Waits for the GPU, and returns the number of all chosen elements.
    pub(in crate::device::cuda::runtime) fn total(&self) -> Result<usize, Error> {
        let mut bytes = [MaybeUninit::new(0u8); 8];
        let last = self.memory.address() + (self.tiles as u64 - 1) * 8;
        // SAFETY: `memory` has a sum of 8 bytes for each tile. There is at least one tile, so `last` is the address of the last sum.
        unsafe { self.memory.context().read(last, &mut bytes)? };
        // SAFETY: the bytes were initialised with zeros.
        Ok(u64::from_ne_bytes(bytes.map(|byte| unsafe { byte.assume_init() })) as usize)
    }
}

/// Counts the elements that are not zero.
///
/// # Safety
/// The caller must ensure that all elements of `mask` within `shape` are allocated on `context`'s GPU.
///
/// # Panics
/// If there are no elements.
pub(in crate::device::cuda::runtime) unsafe fn sums(
    context: &'static Context,
    shape: &[usize],
    mask: RawOperand<'_>,
) -> Result<Sums, Error> {
    let plan = Plan::ordered(shape, [mask.strides]);
    assert!(plan.len() > 0, "there must be elements to count");
    let grid = context.blocks(plan.len(), TILE)?;
    let tiles = grid as usize;
    let (counts, memory) = (context.alloc(tiles * 8)?, context.alloc(tiles * 8)?);
    let (loops, n) = (Loops::new(plan.shape(), plan.strides()), plan.len() as u64);
    let (from, to) = (address(mask, plan.offsets()[0]), counts.address());
    let mut arguments = KernelArguments::new().with(&loops).with(&n).with(&from).with(&to);
    let program = mask_program(&COUNT, mask.dtype);
    // SAFETY: the caller ensures that all elements of `mask` within `shape` are allocated, and the kernel reads only these. `counts` has 8
    // bytes for each block, and nothing else accesses them. The arguments are the parameters of the kernel in `count_entry`.
    unsafe { context.launch(&program, [grid, 1, 1], BLOCK, &mut arguments)? };
    let add = Scanning {
        operation: Operation {
            name: "count",
            text: CudaSource::builtin("a + b"),
            scalars: Scalars::default(),
        },
        domain: None,
        associative: true,
    };
    let of = |memory: &Memory| RawOperand { address: memory.address(), dtype: DType::I64, strides: &[1] };
    // SAFETY: the launch above wrote one count for each tile to `counts`. `memory` has the same size, and nothing else accesses it.
    unsafe { add.run(context, &[tiles], of(&memory), of(&counts))? };
    Ok(Sums { memory, tiles })
}

/// Copies elements under a mask: with [`COMPRESS`], from `elements` to the vector `vector` of `length` elements, and with [`EXPAND`] in
/// the other direction. Chosen elements beyond the end of the vector are not copied.
///
/// # Safety
/// The caller must ensure that all elements of `mask` and `elements` within `shape`, and those of the vector, are allocated on `context`'s
/// GPU. Nothing else may access the elements that are written.
pub(in crate::device::cuda::runtime) unsafe fn copy(
    context: &'static Context,
    template: &'static Template,
    shape: &[usize],
    mask: RawOperand<'_>,
    elements: RawOperand<'_>,
    (vector, length): (RawOperand<'_>, usize),
) -> Result<(), Error> {
    if length == 0 || shape.contains(&0) {
        return Ok(());
    }
    // SAFETY: the caller ensures that all elements of `mask` within `shape` are allocated on the GPU, as `sums` requires.
    let sums = unsafe { sums(context, shape, mask)? };
    let plan = Plan::ordered(shape, [mask.strides, elements.strides]);
    let [m, e] = plan.offsets();
    let (loops, n) = (Loops::new(plan.shape(), plan.strides()), plan.len() as u64);
    let line = Vector { length: length as u64, stride: vector.strides[0] as i64 };
    let (mask, sums, elements) = (address(mask, m), sums.memory, address(elements, e));
    let before = sums.address();
    let expands = std::ptr::eq(template, &raw const EXPAND);
    let (from, to) = if expands { (vector.address, elements) } else { (elements, vector.address) };
    let mut arguments = KernelArguments::new()
        .with(&loops)
        .with(&n)
        .with(&line)
        .with(&mask)
        .with(&before)
        .with(&from)
        .with(&to);
    let grid = context.blocks(plan.len(), TILE)?;
    let program = program(template, vector.dtype);
    // SAFETY: the caller ensures that all elements within `shape` and of the vector are allocated, and exclusive access to those that are
    // written. The kernel visits only indices within `shape`, and checks the length of the vector. `sums` has a sum for each block. The
    // arguments are the parameters of the kernels in `compress_entry` and `expand_entry`.
    unsafe { context.launch(&program, [grid, 1, 1], BLOCK, &mut arguments) }
}

/// Finds the elements of `a` that are not zero, and writes the index of each to a row of the matrix `out`, which has `rows` rows. If there
/// are more such elements, their indices are not written.
///
/// # Safety
/// The caller must ensure that all elements of `a` within `shape` and the rows of `out`, with one column for each axis, are allocated on
/// `context`'s GPU. Nothing else may access the elements of `out`.
pub(in crate::device::cuda::runtime) unsafe fn nonzero(
    context: &'static Context,
    shape: &[usize],
    (out, rows): (RawOperand<'_>, usize),
    a: RawOperand<'_>,
) -> Result<(), Error> {
    if rows == 0 || shape.is_empty() || shape.contains(&0) {
        return Ok(());
    }
    // SAFETY: the caller ensures that all elements of `a` within `shape` are allocated on the GPU, as `sums` requires.
    let sums = unsafe { sums(context, shape, a)? };
    // A plan would fuse axes, but the kernel computes the index along each of them.
    let mut loops = Loops::none();
    for (&length, &stride) in shape.iter().zip(a.strides).rev() {
        loops.push(length, [stride]);
    }
    let n = shape.iter().product::<usize>();
    let matrix = MaskRows { count: rows as u64, down: out.strides[0] as i64, right: out.strides[1] as i64 };
    let (count, before) = (n as u64, sums.memory.address());
    let mut arguments = KernelArguments::new()
        .with(&loops)
        .with(&count)
        .with(&matrix)
        .with(&a.address)
        .with(&before)
        .with(&out.address);
    let grid = context.blocks(n, TILE)?;
    let program = mask_program(&INDICES, a.dtype);
    // SAFETY: the caller ensures that the elements of `a` and `out` are allocated, and exclusive access to `out`. The kernel checks the
    // number of rows, and `sums` has a sum for each block. The arguments are the parameters of the kernel in `indices_entry`.
    unsafe { context.launch(&program, [grid, 1, 1], BLOCK, &mut arguments) }
}

// ------------------------------------------------------------------ sources

const HEAD: &str = "extern \"C\" __global__ void __launch_bounds__(BLOCK) entry(";

fn count_entry(program: &Program) -> String {
    program.typedefs()
        + HEAD
        + "const __grid_constant__ Loops<1> loops, u64 n, const R *mask, i64 *counts) {\n    \
           count_chosen(loops, n, mask, counts);\n}\n"
}

/// The parameters of the kernels that copy.
const COPIED: &str = "const __grid_constant__ Loops<2> loops, u64 n, const __grid_constant__ Vector vector, const u8 *mask, \
    const i64 *sums, const R *a, R *out) {\n    ";

fn compress_entry(program: &Program) -> String {
    program.typedefs() + HEAD + COPIED + "compress(loops, n, vector, mask, sums, a, out);\n}\n"
}

fn expand_entry(program: &Program) -> String {
    program.typedefs() + HEAD + COPIED + "expand(loops, n, vector, mask, sums, a, out);\n}\n"
}

fn indices_entry(program: &Program) -> String {
    program.typedefs()
        + HEAD
        + "const __grid_constant__ Loops<1> loops, u64 n, const __grid_constant__ MaskRows rows, const R *a, const i64 *sums, \
           i64 *out) {\n    indices(loops, n, rows, a, sums, out);\n}\n"
}
