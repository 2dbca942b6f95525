//! Elementwise operations on operands that are contiguous along different axes, for example on a tensor and the transpose of another one.
//! The iteration space is split into tiles. The result is contiguous along one side of a tile, the axis `x`; the other side is an axis `y`.
//! Operands that are contiguous along `y` pass through shared memory.

use super::loops::{Divisor, Loops};
use crate::device::cuda::runtime::codegen::arguments::{Argument, KernelArguments};
use crate::device::cuda::runtime::codegen::operation::{
    NARROW, Operation, RawElements, THREADS, head, mask, readers,
};
use crate::device::cuda::runtime::codegen::program::{Packed, Program, Template};
use crate::device::cuda::runtime::driver::context::Context;
use crate::error::Error;
use crate::layout::plan::Plan;

static TILE: Template = Template { files: &[include_str!("../codegen/sources/tile.cu")], entry };

/// Minimum extent along both sides of the tiles. With smaller extents, tiles would be mostly empty.
const MIN_SIDE: usize = 8;
/// Static shared memory that a thread block can have on every GPU, in bytes.
const SHARED_MEMORY_BYTES: usize = 48 << 10;
/// Minimum number of elements. Operations on fewer elements take as long without tiles.
const MIN_LEN: usize = 1 << 12;

/// The loops of a tiled operation. Mirrors the struct `Tiles` of `tile.cu`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct Tiles<const N: usize> {
    x: Loops<N>,
    y: Loops<N>,
    outer: Loops<N>,
    nx: u64,
    ny: u64,
    across: Divisor,
    down: Divisor,
}

// SAFETY: `Tiles` is `repr(C)` and has the members of the struct `Tiles` in `tile.cu`. So both have the same layout.
unsafe impl<const N: usize> Argument for Tiles<N> {}

/// How a plan is split into tiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::device::cuda::runtime) struct Tiled<const N: usize> {
    tiles: Tiles<N>,
    /// Extents of a tile along `x` and along `y`: powers of two.
    sides: [usize; 2],
    /// Mask of the operands that are contiguous along `y`: bit `k - 1` for operand `k`.
    across: u32,
    wide: bool,
    count: usize,
}

/// Splits a plan into tiles, if the result is contiguous along one axis and an operand along another. Returns `None` otherwise, or
/// if there are too few elements.
pub(in crate::device::cuda::runtime) fn tiles<const N: usize>(
    plan: &Plan<N>,
    elements: [RawElements; N],
) -> Option<Tiled<N>> {
    let (shape, strides) = (plan.shape(), plan.strides());
    let inner = shape.len().checked_sub(1)?;
    if strides[inner][0] != 1 || plan.len() < MIN_LEN {
        return None;
    }
    let has_gaps = |k: usize| !matches!(strides[inner][k], -1..=1);
    let unit_stride_axis = |k: usize| (0..inner).find(|&axis| strides[axis][k].unsigned_abs() == 1);
    let (key, first) = (1..N).filter(|&k| has_gaps(k)).find_map(|k| Some((k, unit_stride_axis(k)?)))?;
    let across = mask(|k| has_gaps(k) && strides[first][k].unsigned_abs() == 1, N);
    let largest = elements.iter().map(|of| of.dtype.size()).max().unwrap_or(16);
    let fits = |[x, y]: [usize; 2]| {
        let tile = |k: usize| x * (y + 1) * elements[k].dtype.size();
        let tiles: usize = (1..N).filter(|k| across >> (k - 1) & 1 == 1).map(tile).sum();
        tiles + N * (x + y) * size_of::<i64>() <= SHARED_MEMORY_BYTES
    };
    // A row of a tile has at least 256 bytes if the largest elements have at least 4 bytes. If the tiles of the operands in
    // `across` then exceed the shared memory, the rows are shorter.
    let widest = if largest <= 4 { 64 } else { 32 };
    let side = [64, 32].into_iter().find(|&side| side <= widest && fits([side; 2])).unwrap_or(16);
    // Returns axes that together are contiguous in operand `k`, beginning with `first`, until their length is at least `side`.
    let chain = |k: usize, first: usize, but: &[usize], side: usize| {
        let mut axes = vec![first];
        let mut length = shape[first];
        // Adds an axis whose stride is the length so far: its elements continue where those of the chain end.
        while length < side
            && let Some(next) = (0..shape.len()).find(|axis| {
                !axes.contains(axis) && !but.contains(axis) && strides[*axis][k] == length as isize
            })
        {
            axes.push(next);
            length *= shape[next];
        }
        (axes, length)
    };
    let (mut x, mut nx) = chain(0, inner, &[first], side);
    let (mut y, mut ny) = chain(key, first, &x, side);
    if nx.min(ny) < MIN_SIDE {
        return None;
    }
    // If the iteration space is shorter than the tile along one side, the tile is longer along the other side, so that no threads are idle.
    let long = |short: usize| (side * side / short).min(THREADS);
    let mut sides = [side; 2];
    if ny < side {
        let short = ny.next_power_of_two();
        if fits([long(short), short]) {
            sides = [long(short), short];
            (x, nx) = chain(0, inner, &y, sides[0]);
        }
    } else if nx < side {
        let short = nx.next_power_of_two();
        if fits([short, long(short)]) {
            sides = [short, long(short)];
            (y, ny) = chain(key, first, &x, sides[1]);
        }
    }
    let loops = |axes: &[usize]| {
        let mut loops = Loops::none();
        axes.iter().for_each(|&axis| loops.push(shape[axis], strides[axis]));
        loops
    };
    let outer: Vec<usize> =
        (0..shape.len()).rev().filter(|axis| !x.contains(axis) && !y.contains(axis)).collect();
    let (across_x, down_y) = (nx.div_ceil(sides[0]), ny.div_ceil(sides[1]));
    let tiles = Tiles {
        x: loops(&x),
        y: loops(&y),
        outer: loops(&outer),
        nx: nx as u64,
        ny: ny as u64,
        across: Divisor::new(across_x),
        down: Divisor::new(down_y),
    };
    let count = outer.iter().map(|&axis| shape[axis]).product::<usize>() * across_x * down_y;
    let wide = plan.len() >= NARROW;
    Some(Tiled { tiles, sides, across, wide, count })
}

impl<const N: usize> Tiled<N> {
    pub(in crate::device::cuda::runtime) fn program(
        &self,
        operation: &Operation,
        elements: [RawElements; N],
    ) -> Program {
        let [x, y] = self.sides.map(|side| side as u32);
        let variant = [x, y, self.across, u32::from(self.wide), 0];
        operation.program(&TILE, elements[0].dtype, &elements[1..], variant)
    }

    /// Queues the kernel.
    ///
    /// # Safety
    /// The caller must ensure that all elements of the operands and of the result, at the indices of the plan that was split, are allocated
    /// on `context`'s GPU. Nothing else may access the elements of the result. One exception: an operand with the same strides may consist
    /// of these elements.
    pub(super) unsafe fn run(
        &self,
        context: &Context,
        operation: &Operation,
        elements: [RawElements; N],
    ) -> Result<(), Error> {
        let program = self.program(operation, elements);
        let packed = Packed::new(&operation.scalars);
        let mut arguments = KernelArguments::new().with_bytes(&packed).with(&self.tiles);
        for operand in &elements {
            arguments = arguments.with(&operand.address);
        }
        let grid = context.blocks(self.count, 1)?;
        // SAFETY: the tiles visit only indices of the plan. The caller ensures that the elements at these indices are allocated on
        // `context`'s GPU, and exclusive access to those of the result. The arguments have the types and the order of the parameters in
        // `entry`.
        unsafe { context.launch(&program, [grid, 1, 1], THREADS as u32, &mut arguments) }
    }
}

fn entry(program: &Program) -> String {
    let [operands, x, y, across, wide, _] = program.variant;
    let index = if wide == 0 { "u32" } else { "u64" };
    let (parameters, readers) = readers(program, across, ["Along", "Across"], Some(1));
    format!(
        "{}extern \"C\" __global__ void __launch_bounds__({THREADS})\n\
         entry(F f, const __grid_constant__ Tiles<{}> tiles, R *out{parameters}) {{\n    \
         tile<{x}, {y}, {index}>(f, tiles, out{readers});\n}}\n",
        head(program, "R"),
        operands + 1
    )
}

#[cfg(test)]
mod tests {
    use super::{Tiled, tiles};
    use crate::device::cuda::runtime::codegen::operation::RawElements;
    use crate::element::DType;
    use crate::layout::plan::Plan;

    const N: usize = 96;

    /// Splits a plan of `N × N` elements into tiles. `rows` contains the row stride of each operand: 1 or `N`. The other stride is
    /// then `N` or 1.
    fn tiled<const K: usize>(rows: [isize; K], dtype: DType) -> Option<Tiled<K>> {
        let strides = rows.map(|row| if row == 1 { [1, N as isize] } else { [row, 1] });
        let plan = Plan::unordered(&[N, N], strides.each_ref().map(|strides| &strides[..]));
        tiles(&plan, [RawElements { address: 0, dtype }; K])
    }

    /// NVIDIA's compiler rejects kernels with more than 48 KiB of static shared memory, for every GPU.
    #[test]
    fn tiles_fit_into_shared_memory() {
        let n = N as isize;
        let bytes = |[x, y]: [usize; 2], across: usize, operands: usize, size: usize| {
            across * x * (y + 1) * size + operands * (x + y) * 8
        };
        for dtype in DType::ALL {
            let sides = [
                (tiled([n, 1], dtype).unwrap().sides, 1, 2),
                (tiled([n, 1, 1], dtype).unwrap().sides, 2, 3),
                (tiled([n, 1, n, 1], dtype).unwrap().sides, 2, 4),
                (tiled([n, 1, 1, 1], dtype).unwrap().sides, 3, 4),
            ];
            for (sides, across, operands) in sides {
                assert!(
                    bytes(sides, across, operands, dtype.size()) <= 49_152,
                    "{dtype}, {across} of {operands}"
                );
            }
        }
    }

    #[test]
    fn transposed_operands_are_tiled() {
        let n = N as isize;
        assert_eq!(tiled([n, n], DType::F64), None, "both lie along the rows");
        assert_eq!(tiled([n, 1], DType::F64).unwrap().across, 0b1);
        assert_eq!(tiled([n, n, 1], DType::F64).unwrap().across, 0b10);
        assert_eq!(tiled([n, 1, 1], DType::F64).unwrap().across, 0b11);
        // 96 elements are three tiles of 32 along each axis, or two tiles of 64.
        assert_eq!(tiled([n, 1], DType::F64).unwrap().count, 9);
        assert_eq!(tiled([n, 1], DType::F32).unwrap().count, 4);
        // A reversal of three axes with extent 16: two of them are contiguous in the result, one in the operand.
        let plan = Plan::unordered(&[16; 3], [&[256, 16, 1][..], &[1, 16, 256]]);
        let tiled = |dtype| tiles(&plan, [RawElements { address: 0, dtype }; 2]).unwrap();
        assert_eq!((tiled(DType::F64).sides, tiled(DType::F64).count), ([64, 16], 4));
        assert_eq!((tiled(DType::F32).sides, tiled(DType::F32).count), ([256, 16], 1));
    }
}
