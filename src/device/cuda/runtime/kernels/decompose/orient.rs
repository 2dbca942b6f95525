//! The kernel of `orient.cu`, which chooses the signs and phases of singular vectors, eigenvectors and the rows of QR factors on a GPU.

use super::matrices::{Matrices, real};
use crate::device::CudaSource;
use crate::device::cuda::runtime::codegen::arguments::{Argument, KernelArguments};
use crate::device::cuda::runtime::codegen::program::{Program, Template};
use crate::device::cuda::runtime::driver::context::Context;
use crate::device::scalars::Signature;
use crate::element::DType;
use crate::error::Error;

static ORIENT: Template =
    Template { files: &[include_str!("../../codegen/sources/orient.cu")], entry: orient_entry };

/// Number of threads per thread block. Must be equal to `BLOCK` in `orient.cu`.
const BLOCK: u32 = 256;
/// Number of vectors per thread block: each warp processes one vector.
const VECTORS: usize = BLOCK as usize / 32;

/// Mirrors the struct `Vectors` of `orient.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Vectors {
    count: u64,
    each: u64,
    matrix: i64,
    vector: i64,
    length: u64,
    element: i64,
    valued: u64,
}

// SAFETY: this struct is `repr(C)`, and its members have the types and the order of the members of the struct `Vectors` in `orient.cu`.
unsafe impl Argument for Vectors {}

/// Which element of a vector becomes real and positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::device::cuda::runtime) enum Which {
    /// The first element whose magnitude is at least 0.99 times the largest one.
    Large,
    /// The first element that is not 0.
    NotZero,
}

pub(in crate::device::cuda::runtime) fn program(which: Which, dtype: DType) -> Program {
    Program {
        template: &ORIENT,
        name: "fix the signs of vectors",
        text: CudaSource::NONE,
        types: [Some(dtype), Some(real(dtype)), None, None],
        signature: Signature::default(),
        variant: [u32::from(which == Which::Large), 0, 0, 0, 0, 0],
    }
}

fn orient_entry(program: &Program) -> String {
    let large = program.variant[0] != 0;
    program.typedefs()
        + "extern \"C\" __global__ void __launch_bounds__(BLOCK)\n\
           entry(const __grid_constant__ Vectors vectors, R *a, R *by, const A *values) {\n"
        + &format!("    orient<{large}>(vectors, a, by, values);\n}}\n")
}

impl Matrices {
    /// Multiplies each of the first `by.rows` columns of each matrix by a sign or phase, so that the first [large](Which::Large) element
    /// of the column becomes real and positive. Writes these factors to `by`.
    pub(super) fn orient_columns(&self, context: &'static Context, by: &Matrices) -> Result<(), Error> {
        self.orient(context, Which::Large, [by.rows, self.rows], [self.rows, 1], Some(by), None)
    }

    /// Variant of [`orient_columns`](Matrices::orient_columns) for the columns that belong to a singular value of 0, or to no singular
    /// value. `values` contains the singular values, as one column for each matrix.
    pub(super) fn orient_free_columns(
        &self,
        context: &'static Context,
        values: &Matrices,
    ) -> Result<(), Error> {
        self.orient(context, Which::Large, [self.columns, self.rows], [self.rows, 1], None, Some(values))
    }

    /// Multiplies each of the first `by.rows` rows of each matrix by a sign or phase, so that the first element of the row that is not 0
    /// becomes real and positive. Writes these factors to `by`.
    pub(super) fn orient_rows(&self, context: &'static Context, by: &Matrices) -> Result<(), Error> {
        self.orient(context, Which::NotZero, [by.rows, self.columns], [1, self.rows], Some(by), None)
    }

    /// Queues the kernel, for `vectors` vectors of each matrix.
    fn orient(
        &self,
        context: &'static Context,
        which: Which,
        [vectors, length]: [usize; 2],
        [vector, element]: [usize; 2],
        by: Option<&Matrices>,
        values: Option<&Matrices>,
    ) -> Result<(), Error> {
        let count = self.count() * vectors;
        let packed = Vectors {
            count: count as u64,
            each: vectors as u64,
            matrix: (self.rows * self.columns) as i64,
            vector: vector as i64,
            length: length as u64,
            element: element as i64,
            valued: values.map_or(0, |values| values.rows as u64),
        };
        let (a, by) = (self.at(0), by.map_or(0, |by| by.at(0)));
        let values = values.map_or(0, |values| values.at(0));
        let mut arguments = KernelArguments::new().with(&packed).with(&a).with(&by).with(&values);
        let grid = [context.blocks(count, VECTORS)?, 1, 1];
        // SAFETY: `arguments` are the parameters of the kernel that `orient_entry` declares. The vectors are rows or columns of the
        // matrices `self`. Unless `by` is null, it has a number for each vector. Unless `values` is null, it has `valued` numbers for each
        // matrix. Nothing else accesses the memory of these arguments.
        unsafe { context.launch(&program(which, self.dtype), grid, BLOCK, &mut arguments) }
    }
}
