//! Lists every kernel for every element type that supports it, as the [`Program`]s that the engine uses. The list contains each operation
//! of the module [`table`] for contiguous operands, and some operations with zero to three operands in each layout. It also contains
//! reductions, scans and products. A kernel's variant is a list of numbers. Each value of each number occurs, but not all combinations of
//! values.

use super::super::operation::{Operation, RawElements};
use super::super::program::Program;
use super::samples::Sample;
use super::table;
use crate::device::cuda::runtime::kernels::gemm::{self, products};
use crate::device::cuda::runtime::kernels::reduce::{self, scan};
use crate::device::cuda::runtime::kernels::select::{mask, positions};
use crate::device::cuda::runtime::kernels::tile::tiles;
use crate::device::cuda::runtime::kernels::{elementwise, sort};
use crate::device::cuda::runtime::{operation, reducing, scanning};
use crate::device::op::checked::{CheckedAdd, CheckedMul};
use crate::device::op::reduction::AllFinite;
use crate::device::{BinaryOp, CudaSource, Reduction, TernaryOp};
use crate::element::{DType, Element, Inexact, RealFloat, RealScalar, Scalar, WidenTo, c32, c64};
use crate::layout::plan::Plan;
use crate::ops::op::*;
use std::any::type_name;
use std::collections::{BTreeSet, HashSet};

/// A list of kernels without duplicates, in a fixed order.
#[derive(Default)]
pub(super) struct Kernels {
    pub(super) list: Vec<Program>,
    known: HashSet<Program>,
    /// Names of the reductions that were added.
    pub(super) reductions: BTreeSet<String>,
}

impl Kernels {
    pub(super) fn all() -> Kernels {
        let mut all = Kernels::default();
        (0..table::GROUPS.len()).flat_map(|n| table::program(n).kernels).for_each(|kernel| all.add(kernel));
        all.of_bool();
        all.of_real::<i8>();
        all.of_real::<i16>();
        all.of_real::<i32>();
        all.of_real::<i64>();
        all.widened::<i8>();
        all.widened::<u32>();
        all.widened::<i64>();
        all.widened::<u64>();
        all.of_real::<u8>();
        all.of_real::<u16>();
        all.of_real::<u32>();
        all.of_real::<u64>();
        all.of_real::<f32>();
        all.of_real::<f64>();
        all.of_number::<c32>();
        all.of_number::<c64>();
        all.of_inexact::<f32>();
        all.of_inexact::<f64>();
        all.of_inexact::<c32>();
        all.of_inexact::<c64>();
        all.of_floats::<f32>();
        all.of_floats::<f64>();
        all
    }

    fn add(&mut self, kernel: Program) {
        if self.known.insert(kernel) {
            self.list.push(kernel);
        }
    }

    fn of_bool(&mut self) {
        self.layouts::<bool>(<BitAnd as BinaryOp<bool, bool>>::CUDA);
        self.reduction::<bool, _>(All);
        self.reduction::<bool, _>(Any);
        self.reduction::<bool, _>(Count);
        self.reduction::<bool, _>(ArgMax);
        self.reduction::<bool, _>(ArgMin);
        self.scan::<bool, _>(BitXor);
        self.words::<u8>();
        self.add(sort::invert_program());
    }

    fn of_number<T: Sample + Scalar>(&mut self) {
        self.layouts::<T>(<Add as BinaryOp<T, T>>::CUDA);
        self.reduction::<T, _>(Sum);
        self.reduction::<T, _>(Prod);
        self.reduction::<T, _>(Mean);
        self.reduction::<T, _>(Var { ddof: 1 });
        self.reduction::<T, _>(Std { ddof: 1 });
        self.reduction::<T, _>(Norm::<T::Magnitude>::default());
        self.scan::<T, _>(CheckedAdd);
        self.scan::<T, _>(CheckedMul);
        self.scan::<T, _>(Sub);
        self.products::<T>();
        self.words::<T>();
        let add = operation("add", <Add as BinaryOp<T, T>>::CUDA, |_| ());
        self.add(positions::combine_program(&add, T::DTYPE));
    }

    fn of_real<T: Sample + RealScalar + WidenTo<c64>>(&mut self) {
        self.of_number::<T>();
        self.reduction::<T, _>(SumAs::<c64>::default());
        self.reduction::<T, _>(ProdAs::<c64>::default());
        self.reduction::<T, _>(Max);
        self.reduction::<T, _>(Min);
        self.reduction::<T, _>(ArgMax);
        self.reduction::<T, _>(ArgMin);
        self.reduction::<T, _>(PeakToPeak);
        self.scan::<T, _>(Maximum);
        self.ordering::<T>();
        for is_median in [false, true] {
            self.add(sort::quantile_program(is_median, T::Float::DTYPE, T::DTYPE));
        }
    }

    /// Sums and products of integers in an integer type.
    fn widened<T: Element + WidenTo<i64> + WidenTo<u8>>(&mut self) {
        self.reduction::<T, _>(SumAs::<i64>::default());
        self.reduction::<T, _>(SumAs::<u8>::default());
        self.reduction::<T, _>(ProdAs::<i64>::default());
        self.reduction::<T, _>(ProdAs::<u8>::default());
    }

    fn of_inexact<T: Sample + Inexact>(&mut self) {
        self.reduction::<T, _>(AllFinite);
        self.reduction::<T, _>(NanSum);
        self.reduction::<T, _>(NanMean);
        self.reduction::<T, _>(NanProd);
        self.reduction::<T, _>(NanVar { ddof: 1 });
        self.reduction::<T, _>(NanStd { ddof: 1 });
        #[cfg(feature = "linalg")]
        self.matrices::<T>();
    }

    /// Adds the kernels of decompositions, except kernels with the same source as a kernel of another operation.
    #[cfg(feature = "linalg")]
    fn matrices<T: Inexact>(&mut self) {
        use crate::device::cuda::runtime::kernels::decompose::{matrices, orient, scaling};
        let (dtype, real) = (T::DTYPE, <T::Magnitude as Element>::DTYPE);
        for which in [orient::Which::Large, orient::Which::NotZero] {
            self.add(orient::program(which, dtype));
        }
        let largest = scaling::largest_part();
        for (vector, line, wide) in variants::<T>() {
            self.add(largest.program(&reduce::WHOLE, [real, dtype], [vector, line, wide, 0, 0, 0]));
        }
        self.add(largest.program(&reduce::PARTS, [real, dtype], [0; 6]));
        let of = |text| operation("decompose", CudaSource::builtin(text), |_| ());
        for text in [matrices::ZERO_OUTSIDE, matrices::CHECK_OUTSIDE] {
            self.layouts_of(&of(text), [dtype, dtype, DType::Bool]);
        }
        for text in [matrices::TURN, matrices::TURN_BACK] {
            self.layouts_of(&of(text), [dtype; 3]);
        }
        self.layouts_of(&of(matrices::IS_ZERO), [DType::Bool, dtype]);
        self.layouts_of(&of(matrices::SCALE), [dtype, dtype, real]);
        self.layouts_of(&of(matrices::SCALE_INSIDE), [dtype, dtype, DType::Bool, real]);
        if T::COMPLEX {
            self.layouts_of(&of(matrices::REAL_PART), [dtype; 2]);
        }
        for triangle in [matrices::TriangleSide::Lower, matrices::TriangleSide::Upper] {
            self.layouts_of(&matrices::mask(triangle, 1), [DType::Bool]);
        }
    }

    fn of_floats<T: Sample + RealFloat>(&mut self) {
        self.reduction::<T, _>(NanMax);
        self.reduction::<T, _>(NanMin);
        self.reduction::<T, _>(NanArgMax);
        self.reduction::<T, _>(NanArgMin);
    }

    /// Adds the kernels of operations with zero to three operands, for each memory layout. `two` is the source of an operation with
    /// two operands.
    fn layouts<T: Sample>(&mut self, two: CudaSource) {
        let fill =
            operation("fill", CudaSource::builtin("value"), |bind| bind.scalar("value", T::special()[1]));
        let of = |text| operation("be tried", text, |_| ());
        let select = <Select as TernaryOp<bool, T, T>>::CUDA;
        self.layouts_of(&fill, [T::DTYPE]);
        // The identity function. Strided copies use its source, too.
        self.layouts_of(&of(CudaSource::builtin("a")), [T::DTYPE; 2]);
        self.layouts_of(&of(two), [T::DTYPE; 3]);
        self.layouts_of(&of(select), [T::DTYPE, DType::Bool, T::DTYPE, T::DTYPE]);
    }

    fn layouts_of<const N: usize>(&mut self, operation: &Operation, dtypes: [DType; N]) {
        let elements = dtypes.map(|dtype| RawElements { address: 0, dtype });
        let mut add = |template, variant| {
            self.add(operation.program(template, dtypes[0], &elements[1..], variant));
        };
        let unroll = elementwise::UNROLL as u32;
        let widest = elementwise::widest(&elements) as u32;
        let each = 0..1 << (N - 1);
        for same in each.clone() {
            let wide = same & 1;
            add(&elementwise::CONTIGUOUS, [widest, unroll, same, 0, 0]);
            // Without operands (`N` = 1), the result depends on the index only. The engine then runs the strided kernel without vectors.
            add(&elementwise::STRIDED, [if N > 1 { widest } else { 1 }, unroll, same, wide, 0]);
        }
        add(&elementwise::CONTIGUOUS, [1, unroll, 0, 0, 0]);
        add(&elementwise::STRIDED, [1, unroll, 0, 0, 0]);
        add(&elementwise::STRIDED, [1, unroll, 0, 1, 0]);
        // The result has contiguous rows. An operand has contiguous columns if its bit in the mask `across` is set, otherwise contiguous
        // rows. Matrices with `n` = 96 need 32-bit indices, and those with `n` = 2^16 need 64-bit indices.
        for across in each.skip(1) {
            for n in [96, 1 << 16].into_iter().take(if across == 1 { 2 } else { 1 }) {
                let strides: [[isize; 2]; N] = std::array::from_fn(|k| {
                    let down = k > 0 && across >> (k - 1) & 1 == 1;
                    if down { [1, n] } else { [n, 1] }
                });
                let plan = Plan::unordered(&[n as usize; 2], strides.each_ref().map(|strides| &strides[..]));
                let tiled = tiles(&plan, elements).expect("an operand lies along columns");
                self.add(tiled.program(operation, elements));
            }
        }
    }

    fn reduction<T: Element, R: Reduction<T>>(&mut self, op: R) {
        let name = type_name::<R>().split('<').next().unwrap_or_default();
        self.reductions.insert(name.rsplit("::").next().unwrap_or_default().to_string());
        let (reducing, types) = (reducing::<T, R>(&op), [R::Output::DTYPE, T::DTYPE]);
        for (vector, line, wide) in variants::<T>() {
            self.add(reducing.program(&reduce::WHOLE, types, [vector, line, wide, 0, 0, 0]));
        }
        self.add(reducing.program(&reduce::PARTS, types, [0; 6]));
    }

    fn scan<T: Element, F: BinaryOp<T, T, Output = T>>(&mut self, op: F) {
        let scanning = scanning::<T, F>(&op);
        self.add(scanning.program(&scan::LINES, T::DTYPE, false));
        if F::ASSOCIATIVE {
            self.add(scanning.program(&scan::TILES, T::DTYPE, false));
            self.add(scanning.program(&scan::TILES, T::DTYPE, true));
        }
    }

    /// Adds the kernels that copy elements at given positions or under a mask, for elements of the size of `T`. Adds the kernels that read
    /// a mask of type `T`.
    fn words<T: Element>(&mut self) {
        for template in [&positions::TAKE, &positions::PICK, &positions::REPLACE] {
            self.add(positions::program(template, T::DTYPE));
        }
        for template in [&mask::COMPRESS, &mask::EXPAND] {
            self.add(mask::program(template, T::DTYPE));
        }
        for template in [&mask::COUNT, &mask::INDICES] {
            self.add(mask::mask_program(template, T::DTYPE));
        }
    }

    fn ordering<T: Element>(&mut self) {
        let dtype = T::DTYPE;
        for descending in [false, true] {
            let lines = sort::SortLines { count: 1, length: 1, dtype, descending };
            for indexed in [false, true] {
                self.add(lines.program(&sort::TILES, indexed));
                self.add(lines.program(&sort::MERGE, indexed));
            }
        }
        for how in [sort::Find::Before, sort::Find::After] {
            self.add(sort::find_program(how, DType::I64, dtype));
        }
        self.add(sort::find_program(sort::Find::Contains, DType::Bool, dtype));
        self.add(sort::starts_program(dtype));
    }

    fn products<T: Scalar>(&mut self) {
        let dtype = T::DTYPE;
        // Only integers are checked for overflow. Only integers have a kernel for matrix products; cuBLAS multiplies the other
        // types.
        for checked in 0..=u32::from(T::INTEGER) {
            for (vector, line, wide) in variants::<T>() {
                // The kernel loads vectors only if all summed axes fuse into one loop (`line` is 1).
                let vector = if line == 1 { vector } else { 1 };
                let variant = [checked, vector, line, wide, 0, 0];
                self.add(products::program(&products::WHOLE, "sum products", dtype, variant));
            }
            let variant = [checked, 0, 0, 0, 0, 0];
            self.add(products::program(&products::PARTS, "sum products", dtype, variant));
        }
        if T::INTEGER {
            for [checked, side] in [[0, 32], [0, 64], [1, 32]] {
                let variant = [checked, side, 0, 0, 0, 0];
                self.add(products::program(&gemm::TILES, "multiply", dtype, variant));
            }
        }
    }
}

/// Returns variants of reductions and sums of products. The numbers of a variant are: elements per load; 1 if all reduced axes fuse into
/// one loop, a line, otherwise 0; 1 for 64-bit indices, otherwise 0. For any two of these three numbers, each combination of their values
/// occurs in a variant.
fn variants<T: Element>() -> impl Iterator<Item = (u32, u32, u32)> {
    let full = 16 / size_of::<T>() as u32;
    [(1, 0, 0), (1, 1, 1), (full, 0, 1), (full, 1, 0)].into_iter()
}
