//! Products that are too small, or too thin, to pack: tiles read `b` where it is, and `a` too if its rows are one after the
//! other.

use super::pack::Pack;
use super::tile::{Factors, Scale, Tile, VECTORS};
use super::vector::{Task, Vector};
use crate::device::cpu::gemm::product::Matrix;
use crate::layout::walk::Walk;

/// Many products of one form.
#[derive(Debug)]
pub(super) struct Batch<'a> {
    /// Where the matrices are, from the first ones: offsets of `c`, `a` and `b`, in elements.
    pub(super) walk: &'a mut Walk<3>,
    pub(super) count: usize,
    /// Whether products are transposed, so that the walk's `a` is `b`.
    pub(super) transposed: bool,
}

/// One product, or a batch. Distances count real numbers.
#[derive(Debug)]
pub(super) struct Direct<'a, R, const COMPLEX: bool> {
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) n: usize,
    /// `a`, whose rows are one after the other, or is packed.
    pub(super) a: Matrix<R>,
    pub(super) b: Matrix<R>,
    pub(super) c: Matrix<R>,
    pub(super) factors: &'a Factors<R>,
    pub(super) batch: Option<Batch<'a>>,
    pub(super) pack: Option<&'a Pack<R>>,
}

impl<V: Vector, const COMPLEX: bool> Task<V> for Direct<'_, V::Real, COMPLEX> {
    /// # Safety
    /// `a` and `b` may be read, `c` belongs to the caller alone.
    #[inline(always)]
    unsafe fn run(self) {
        let part = if COMPLEX { 2 } else { 1 };
        let (height, width) = (VECTORS * V::LANES / part, V::COLUMNS / part);
        let Direct { m, k, n, mut a, mut b, mut c, factors, batch, pack } = self;
        // SAFETY: the caller's; tiles are within the matrices.
        unsafe {
            let scale = Scale::<V>::new(*factors, COMPLEX);
            let mut batch = batch;
            let count = batch.as_ref().map_or(1, |batch| batch.count);
            for _ in 0..count {
                if let Some(Batch { walk, transposed, .. }) = &mut batch {
                    let [to, x, y] = walk.offsets().map(|offset| offset * part as isize);
                    let [x, y] = if *transposed { [y, x] } else { [x, y] };
                    walk.advance();
                    (a, b, c) = (self.a.moved(x), self.b.moved(y), self.c.moved(to));
                }
                for column in (0..n).step_by(width) {
                    for row in (0..m).step_by(height) {
                        let (a, a_step) = match pack {
                            Some(pack) => (pack.packed(row).cast_const(), pack.step(row) as isize),
                            None => (a.from(row, 0).ptr.get().cast_const(), a.right),
                        };
                        Tile {
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
                        }
                        .multiply::<V, COMPLEX>(&scale);
                    }
                }
            }
        }
    }
}
