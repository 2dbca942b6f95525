//! Elementwise operations on operands that are contiguous along different axes, for example on a tensor and the transpose of another one.
//! The iteration space is split into tiles. The result is contiguous along one side of a tile, the axis `x`; the other side is an axis `y`.
//! Operands that are contiguous along `y` pass through shared memory.

use super::loops::{Divisor, Loops};
use crate::device::cuda::engine::codegen::arguments::{Argument, Arguments};
use crate::device::cuda::engine::codegen::operation::{
    NARROW, Operation, RawElements, THREADS, blocks, head, mask, readers,
};
use crate::device::cuda::engine::codegen::program::{Packed, Program, Template};
use crate::device::cuda::engine::driver::context::Context;
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
pub(in crate::device::cuda::engine) struct Tiled<const N: usize> {
    tiles: Tiles<N>,
    side: usize,
    /// Mask of the operands that are contiguous along `y`: bit `k - 1` for operand `k`.
    across: u32,
    wide: bool,
    count: usize,
}

/// Splits a plan into tiles, if the result is contiguous along one axis and an operand along another. Returns `None` otherwise, or
/// if there are too few elements.
pub(in crate::device::cuda::engine) fn tiles<const N: usize>(
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
    // A row of a tile has at least 256 bytes if the largest elements have at least 4 bytes. If the tiles of the operands in
    // `across` then exceed the shared memory, the rows are shorter.
    let fits = |side: usize| {
        let tile = |k: usize| side * (side + 1) * elements[k].dtype.size().next_multiple_of(8);
        let tiles: usize = (1..N).filter(|k| across >> (k - 1) & 1 == 1).map(tile).sum();
        tiles + 2 * N * side * size_of::<i64>() <= SHARED_MEMORY_BYTES
    };
    let side = if largest <= 4 && fits(64) {
        64
    } else if fits(32) {
        32
    } else {
        16
    };
    let chain = |k: usize, first: usize, but: &[usize]| {
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
    let (x, nx) = chain(0, inner, &[first]);
    let (y, ny) = chain(key, first, &x);
    if nx.min(ny) < MIN_SIDE {
        return None;
    }
    let loops = |axes: &[usize]| {
        let mut loops = Loops::none();
        axes.iter().for_each(|&axis| loops.push(shape[axis], strides[axis]));
        loops
    };
    let outer: Vec<usize> =
        (0..shape.len()).rev().filter(|axis| !x.contains(axis) && !y.contains(axis)).collect();
    let (across_x, down_y) = (nx.div_ceil(side), ny.div_ceil(side));
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
    Some(Tiled { tiles, side, across, wide, count })
}

impl<const N: usize> Tiled<N> {
    pub(in crate::device::cuda::engine) fn program(
        &self,
        operation: &Operation,
        elements: [RawElements; N],
    ) -> Program {
        let variant = [self.side as u32, self.across, u32::from(self.wide), 0, 0];
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
        let mut arguments = Arguments::new().with_bytes(&packed).with(&self.tiles);
        for operand in &elements {
            arguments = arguments.with(&operand.address);
        }
        let grid = blocks(context, self.count, 1)?;
        // SAFETY: the tiles visit only indices of the plan. The caller ensures that the elements at these indices are allocated on
        // `context`'s GPU, and exclusive access to those of the result. The arguments have the types and the order of the parameters in
        // `entry`.
        unsafe { context.launch(&program, [grid, 1, 1], THREADS as u32, &mut arguments) }
    }
}

fn entry(program: &Program) -> String {
    let [operands, side, across, wide, ..] = program.variant;
    let index = if wide == 0 { "u32" } else { "u64" };
    let (parameters, readers) = readers(program, across, ["Along", "Across"], Some(1));
    format!(
        "{}extern \"C\" __global__ void __launch_bounds__({THREADS})\n\
         entry(F f, const __grid_constant__ Tiles<{}> tiles, R *out{parameters}) {{\n    \
         tile<{side}, {side}, {index}>(f, tiles, out{readers});\n}}\n",
        head(program, "R"),
        operands + 1
    )
}

#[cfg(test)]
mod tests {
    use super::{Tiled, tiles};
    use crate::device::cuda::engine::codegen::operation::RawElements;
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
        let bytes = |side: usize, across: usize, operands: usize, size: usize| {
            across * side * (side + 1) * size + operands * 2 * side * 8
        };
        for dtype in DType::ALL {
            let sides = [
                (tiled([n, 1], dtype).unwrap().side, 1, 2),
                (tiled([n, 1, 1], dtype).unwrap().side, 2, 3),
                (tiled([n, 1, n, 1], dtype).unwrap().side, 2, 4),
                (tiled([n, 1, 1, 1], dtype).unwrap().side, 3, 4),
            ];
            for (side, across, operands) in sides {
                assert!(
                    bytes(side, across, operands, dtype.size()) <= 49_152,
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
    }
}
