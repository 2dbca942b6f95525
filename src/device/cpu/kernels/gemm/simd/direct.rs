//! Computes products in which at most one operand still has to be packed. Tiles read `b` in place. They read `a` in place if its columns
//! are contiguous, otherwise from packed panels.
//!
//! `direct_here` in the parent module calls this module for products for which packing both operands would take too long: small products,
//! and products with few columns or short sums. [`packed`](super::packed) calls it for one packed panel of `b` at a time.
//!
//! ```text
//! for each product of the batch
//!     if by_rows
//!         for each panel of rows of A
//!             pack the panel, unless A is read in place
//!             for each panel of columns of B
//!                 C = alpha · A_panel · B_panel + beta · C      (MicroTile::multiply)
//!     else
//!         for each panel of columns of B
//!             for each panel of rows of A                       (read in place, or packed beforehand)
//!                 C = alpha · A_panel · B_panel + beta · C      (MicroTile::multiply)
//! ```

use super::pack::{Pack, PackPanels};
use super::scale::Scale;
use super::tile::{MicroTile, RegisterTile, tile_columns};
use crate::device::HostPtr;
use crate::device::cpu::kernels::gemm::product::{Matrix, RealScaling};
use crate::layout::odometer::Odometer;
use crate::simd::vector::{FloatVector, SimdKernel};

/// Several products with the same sizes and strides, computed one after the other.
#[derive(Debug)]
pub(super) struct DirectBatch<'a> {
    /// For each product, the offsets of its `c`, `a` and `b` relative to those of the first product, in elements.
    pub(super) walk: &'a mut Odometer<3>,
    pub(super) count: usize,
    /// Whether the transposed products `cᵀ = bᵀ · aᵀ` are computed, for which `a` and `b` of [`Direct`] are exchanged. Then the second
    /// offset in `walk` is that of `b`, and the third that of `a`.
    pub(super) transposed: bool,
}

/// A kernel that computes one product or a batch. Strides count real numbers, two for each complex number.
#[derive(Debug)]
pub(super) struct Direct<'a, R, const COMPLEX: bool> {
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) n: usize,
    /// The first operand. Its columns are contiguous if `pack` is `None`.
    pub(super) a: Matrix<R>,
    pub(super) b: Matrix<R>,
    pub(super) c: Matrix<R>,
    pub(super) scaling: &'a RealScaling<R>,
    pub(super) batch: Option<DirectBatch<'a>>,
    /// Whether the outer loop is over panels of rows. `a` is then read once, and `b` once for each panel of rows. Set if `b` is
    /// small.
    pub(super) by_rows: bool,
    /// How `a` is packed, or `None` if it is read in place. If `by_rows`, each panel of `a` is packed just before its use.
    /// Otherwise all of `a` has been packed before.
    pub(super) pack: Option<&'a Pack<R>>,
    /// The part of `b` that the next call reads, or null. The tiles of the first panel of `a` prefetch it.
    pub(super) ahead: *const R,
}

impl<V: FloatVector, const COMPLEX: bool> SimdKernel<V> for Direct<'_, V::Real, COMPLEX> {
    /// # Safety
    /// The caller must ensure that the processor has the instruction set of `V`. The caller must also ensure, for the product or
    /// for each product of the batch:
    /// * `a` and `b` are readable at all their indices.
    /// * The caller has exclusive access to the elements of `c`. Different indices of `c` are different elements.
    /// * If `pack` is `None`, the columns of `a` are contiguous.
    /// * If `pack` is set and `by_rows` is not, all of `a` has been packed.
    /// * If `pack` and `by_rows` are set, `pack.to` points to memory for one panel, and the caller has exclusive access to this memory.
    #[inline(always)]
    unsafe fn run(self) {
        let part = if COMPLEX { 2 } else { 1 };
        let (height, width) = (V::TILE_VECTORS * V::LANES / part, tile_columns::<V, COMPLEX>());
        let Direct { m, k, n, mut a, mut b, mut c, scaling, batch, by_rows, pack, ahead } = self;
        let (rows, columns) = (m.div_ceil(height), n.div_ceil(width));
        // Whether the last panel of rows would have a single vector per column. The speed of this panel would then be limited by
        // loads of `b`, because each value of `b` would be used for one vector only. So if `by_rows`, one vector is moved from the
        // panel before the last to the last panel. With three vectors per panel, both panels then have two.
        let lanes = V::LANES / part;
        let even = rows > 1 && m - (rows - 1) * height <= lanes;
        // SAFETY: the caller ensures that the processor has the instruction set of `V`.
        let scale = Scale::<V>::new(unsafe { V::zero() }, *scaling, COMPLEX);
        let mut batch = batch;
        // If `by_rows`, describes the panel of `a` that was packed last.
        let mut packed = pack.copied();
        let count = batch.as_ref().map_or(1, |batch| batch.count);
        for _ in 0..count {
            if let Some(DirectBatch { walk, transposed, .. }) = &mut batch {
                let [to, x, y] = walk.offsets().map(|offset| offset * part as isize);
                let [x, y] = if *transposed { [y, x] } else { [x, y] };
                walk.advance();
                (a, b, c) = (self.a.moved(x), self.b.moved(y), self.c.moved(to));
            }
            for outer in 0..if by_rows { rows } else { columns } {
                let first = outer * height - if even && outer + 1 == rows { lanes } else { 0 };
                let some = height - if even && outer + 2 == rows { lanes } else { 0 };
                if let (Some(pack), true) = (&mut packed, by_rows) {
                    // All products with the previous panel have been computed, so this panel overwrites it.
                    let from = HostPtr::new(a.from(first, 0).ptr.get());
                    (pack.from, pack.width) = (from, some.min(m - first));
                    // SAFETY: the caller ensures that the processor has the instruction set, and that `a` may be read. The caller also
                    // ensures exclusive access to the memory at `pack.to`, which has space for one panel.
                    unsafe { V::within(PackPanels { pack, panels: 0..1 }) };
                }
                for inner in 0..if by_rows { columns } else { rows } {
                    let (row, height, column) = if by_rows {
                        (first, some, inner * width)
                    } else {
                        (inner * height, height, outer * width)
                    };
                    let within = if by_rows { 0 } else { row };
                    let (a, a_step) = match &packed {
                        Some(pack) => (pack.packed(within).cast_const(), pack.step(within) as isize),
                        None => (a.from(row, 0).ptr.get().cast_const(), a.right),
                    };
                    let tile = MicroTile {
                        k,
                        rows: height.min(m - row) * part,
                        columns: width.min(n - column),
                        a,
                        a_step,
                        b: b.from(0, column).ptr.get(),
                        b_step: b.down,
                        b_column: b.right,
                        c: c.from(row, column).ptr.get(),
                        c_row: c.down,
                        c_column: c.right,
                        ahead: if row == 0 { ahead } else { core::ptr::null() },
                    };
                    // SAFETY: the tile is inside the matrices. It has at least one row and one column, and at most `height` rows and
                    // `width` columns. The caller ensures that the processor has the instruction set, and that `a` (or its packed panel)
                    // and `b` may be read. The caller also ensures exclusive access to the elements of `c`, which are different for
                    // different indices.
                    unsafe { tile.multiply::<V, COMPLEX>(&scale) };
                }
            }
        }
    }
}
