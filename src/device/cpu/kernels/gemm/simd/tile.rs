//! The register tile: a few columns of the result, accumulated in registers over all of `k`.
//!
//! Each step loads up to three vectors of a column of `a`, and multiplies them by each value of a row of `b`, broadcast to all
//! lanes (Goto and van de Geijn 2008, "Anatomy of high-performance matrix multiplication"; Van Zee and van de Geijn 2015,
//! "BLIS").
//!
//! Complex numbers have the same inner loop. It treats a column of `a` as a column of real numbers, twice as long, and a value of
//! `b` as two columns: its real and its imaginary part. It computes the sums of `a·re b` and of `a·im b`. The complex product is
//! the first, plus the second with real and imaginary parts swapped, with signs that depend on which operands are conjugated. So
//! conjugation costs nothing, and neither does reading operands in place.

use super::vector::{Real, SimdKernel, Vector};
use crate::device::cpu::kernels::gemm::product::RealScaling;
use core::mem::MaybeUninit;
use num_traits::{One, Zero};

/// From this many terms on, a sum takes longer than a load from memory.
const MIN_PREFETCH_TERMS: usize = 32;
/// Largest number of real numbers in a tile: three vectors of sixteen, eight columns.
const MAX_TILE_LEN: usize = 384;

/// The scaling factors of sums, broadcast to vectors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale<V: Vector> {
    scaling: RealScaling<V::Real>,
    /// Factors of the sums and of the swapped sums.
    plain: V,
    swapped: V,
    /// The rest of a multiplication by a complex `alpha`, if it is not real.
    turn: Option<[V; 2]>,
    beta: V,
    beta_turn: Option<V>,
    /// Whether `c` is read.
    reads: bool,
}

impl<V: Vector> Scale<V> {
    /// Broadcasts `scaling` to vectors of the same kind as `zero`.
    #[inline(always)]
    pub(super) fn new(zero: V, scaling: RealScaling<V::Real>, complex: bool) -> Self {
        let RealScaling { alpha: [alpha, alpha_im], beta: [beta, beta_im], conjugate: [a, b] } = scaling;
        let reads = !(beta.is_zero() && beta_im.is_zero());
        if !complex {
            let (alpha, beta) = (zero.splat(alpha), zero.splat(beta));
            return Scale { scaling, plain: alpha, swapped: alpha, turn: None, beta, beta_turn: None, reads };
        }
        let turns = !alpha_im.is_zero();
        let weight = if turns { V::Real::one() } else { alpha };
        let signed = |minus: bool| if minus { -weight } else { weight };
        let turn = |im: V::Real| zero.alternating(-im, im);
        Scale {
            scaling,
            plain: zero.alternating(weight, signed(a)),
            swapped: zero.alternating(signed(a == b), signed(b)),
            turn: if turns { Some([zero.splat(alpha), turn(alpha_im)]) } else { None },
            beta: zero.splat(beta),
            beta_turn: if beta_im.is_zero() { None } else { Some(turn(beta_im)) },
            reads,
        }
    }
}

/// The operands of a tile. Strides count real numbers. Rows of `a` are adjacent: each column is contiguous.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tile<R> {
    pub(super) k: usize,
    /// Number of rows, in real numbers: two for each complex one.
    pub(super) rows: usize,
    /// Number of columns, in elements.
    pub(super) columns: usize,
    pub(super) a: *const R,
    pub(super) a_step: isize,
    pub(super) b: *const R,
    pub(super) b_step: isize,
    pub(super) b_column: isize,
    pub(super) c: *mut R,
    /// Stride from one row of `c` to the next.
    pub(super) c_row: isize,
    pub(super) c_column: isize,
    /// What will be read as `b` after all of this `b`: a tile of full size prefetches it, in strides of `b_step`. If it is null,
    /// nothing is prefetched.
    pub(super) ahead: *const R,
}

impl<R: Real> Tile<R> {
    /// Computes `c = alpha · a · b + beta · c`.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The processor has the instruction set of `V`.
    /// * `a` and `b` are readable at all their indices.
    /// * `c` is exclusive to the caller at all its indices, no two of which are the same element.
    /// * There is at least one row and one column, no more rows than `V::TILE_VECTORS` vectors have lanes, and no more columns
    ///   than `V::TILE_COLUMNS` (half of it for complex numbers).
    #[inline(always)]
    pub(super) unsafe fn multiply<V: Vector<Real = R>, const COMPLEX: bool>(&self, scale: &Scale<V>) {
        let part = if COMPLEX { 2 } else { 1 };
        if self.c_row == part {
            // SAFETY: `with_size` has this function's contract, and rows of `c` are adjacent.
            return unsafe { self.with_size::<V, COMPLEX>(scale) };
        }
        // If rows of `c` are not adjacent, a tile with adjacent rows is computed first.
        let mut buffer = [MaybeUninit::<R>::uninit(); MAX_TILE_LEN];
        let column = (V::TILE_VECTORS * V::LANES) as isize;
        let here = Tile { c: buffer.as_mut_ptr().cast(), c_row: part, c_column: column, ..*self };
        let task = OneTile::<R, COMPLEX> { tile: &here, scaling: &scale.scaling, overwrite: true };
        // SAFETY: the contract holds for `a`, `b` and the sizes. The local `buffer` holds the largest tile, as `with_size`
        // asserts, and with `overwrite` it is not read.
        unsafe { V::within(task) };
        // SAFETY: the task has computed all elements of `here`, which has this tile's size; `c` is exclusive by the contract.
        unsafe { self.scatter(&here, scale.reads.then_some(scale.scaling.beta), COMPLEX) };
    }

    /// Writes `from`, a computed tile, to `c`; with a `beta`, adds it to `beta · c`.
    ///
    /// # Safety
    /// The caller must ensure that `from` has this tile's size and that all elements of its `c` have been written, and that this
    /// tile's `c` is exclusive to the caller.
    unsafe fn scatter(&self, from: &Tile<R>, beta: Option<[R; 2]>, complex: bool) {
        let part = if complex { 2 } else { 1 };
        for j in 0..self.columns as isize {
            for i in 0..(self.rows / part) as isize {
                let from = from.c.wrapping_offset(j * from.c_column + i * from.c_row);
                let to = self.c.wrapping_offset(j * self.c_column + i * self.c_row);
                // SAFETY: `i` and `j` are inside the tile, all elements of which have been written by the contract.
                let [mut re, mut im] = unsafe { read(from, complex) };
                if let Some([beta, beta_im]) = beta {
                    // SAFETY: `i` and `j` are inside the tile, whose `c` is exclusive by the contract.
                    let [old, old_im] = unsafe { read(to, complex) };
                    re = re + beta * old;
                    if complex {
                        im = im + beta * old_im;
                    }
                    // Not if it is zero: infinity times an imaginary part of zero is NaN.
                    if !beta_im.is_zero() {
                        re = re + -(beta_im * old_im);
                        im = im + beta_im * old;
                    }
                }
                if complex {
                    // SAFETY: `i` and `j` are inside the tile, whose `c` is exclusive by the contract.
                    unsafe { to.cast::<[R; 2]>().write([re, im]) };
                } else {
                    // SAFETY: `i` and `j` are inside the tile, whose `c` is exclusive by the contract.
                    unsafe { to.write(re) };
                }
            }
        }
    }

    /// Computes a tile by the kernel for its size.
    ///
    /// # Safety
    /// As [`multiply`](Tile::multiply), and rows of `c` are adjacent: `c_row` is 1, or 2 if `COMPLEX`.
    #[inline(always)]
    unsafe fn with_size<V: Vector<Real = R>, const COMPLEX: bool>(&self, scale: &Scale<V>) {
        const {
            let (vectors, columns) = (V::TILE_VECTORS, V::TILE_COLUMNS);
            assert!(
                vectors == 2 && columns == 6 || vectors == 3 && columns == 8,
                "each tile has its size below"
            );
            assert!(vectors * V::LANES * columns <= MAX_TILE_LEN, "a tile fits in the buffer of `multiply`");
        }
        let columns = if COMPLEX { 2 * self.columns } else { self.columns };
        debug_assert!(
            (1..=V::TILE_VECTORS * V::LANES).contains(&self.rows) && (1..=V::TILE_COLUMNS).contains(&columns)
        );
        let vectors = self.rows.div_ceil(V::LANES);
        macro_rules! of_size {
            ($vectors:literal $columns:literal) => {
                of_size!($vectors $columns false)
            };
            ($vectors:literal $columns:literal $ahead:literal) => {
                // SAFETY: the contract is the same; `$vectors` vectors hold the rows and no fewer do, and `$columns` is `columns`
                // rounded up.
                unsafe { self.of_size::<V, COMPLEX, $vectors, $columns, $ahead>(scale) }
            };
        }
        match (vectors, columns) {
            (1, ..=2) => of_size!(1 2),
            (2, ..=2) => of_size!(2 2),
            (1, ..=4) => of_size!(1 4),
            (2, ..=4) => of_size!(2 4),
            (1, _) if V::TILE_COLUMNS == 6 => of_size!(1 6),
            (2, _) if V::TILE_COLUMNS == 6 => of_size!(2 6),
            // Larger tiles do not occur with an instruction set of fewer registers, and are not compiled for it.
            _ if V::TILE_COLUMNS < 8 => {}
            (_, ..=2) => of_size!(3 2),
            (_, ..=4) => of_size!(3 4),
            (3, _) if !self.ahead.is_null() => of_size!(3 8 true),
            (1, _) => of_size!(1 8),
            (2, _) => of_size!(2 8),
            (_, _) => of_size!(3 8),
        }
    }

    /// Computes a tile in `VECTORS` × `COLUMNS` registers. Prefetches what is `ahead` if `AHEAD`.
    ///
    /// # Safety
    /// As [`with_size`](Tile::with_size). `VECTORS` vectors hold the rows and no fewer do; `COLUMNS` is at least the number of
    /// columns of real numbers.
    #[inline(always)]
    unsafe fn of_size<V, const COMPLEX: bool, const VECTORS: usize, const COLUMNS: usize, const AHEAD: bool>(
        &self,
        scale: &Scale<V>,
    ) where
        V: Vector<Real = R>,
    {
        let part = if COMPLEX { 2 } else { 1 };
        // SAFETY: the processor has the instruction set by the contract.
        let zero = unsafe { V::zero() };
        let last = zero.first(self.rows - (VECTORS - 1) * V::LANES);
        let mut b = [self.b; COLUMNS];
        for (j, from) in b.iter_mut().enumerate() {
            // A column past the last is read as the last one, and not stored.
            let column = (j / part).min(self.columns - 1) as isize;
            *from = self.b.wrapping_offset(column * self.b_column + (j % part) as isize);
        }
        if self.k >= MIN_PREFETCH_TERMS {
            // Prefetches what is written at the end.
            for j in 0..COLUMNS / part {
                for i in 0..VECTORS {
                    let to = self.c.wrapping_offset(j as isize * self.c_column);
                    V::prefetch(to.wrapping_add(i * V::LANES));
                }
            }
        }
        let mut sums = [[zero; VECTORS]; COLUMNS];
        let (mut a, mut step) = (self.a, 0);
        for _ in 0..self.k {
            if AHEAD {
                V::prefetch_far(self.ahead.wrapping_offset(step));
            }
            let mut rows = [zero; VECTORS];
            for (i, row) in rows.iter_mut().enumerate().take(VECTORS - 1) {
                // SAFETY: `VECTORS - 1` vectors do not hold the rows, so all lanes are in this column of `a`, readable by the
                // contract.
                *row = unsafe { V::load(a.wrapping_add(i * V::LANES)) };
            }
            // SAFETY: the mask has the rows that are left for the last vector, so its lanes are in this column of `a`, too.
            rows[VECTORS - 1] = unsafe { V::load_some(a.wrapping_add((VECTORS - 1) * V::LANES), last) };
            for j in 0..COLUMNS {
                // SAFETY: `b[j]` is in a column of `b`, and `step` is that of one of `k` rows: readable by the contract.
                let x = zero.splat(unsafe { *b[j].wrapping_offset(step) });
                for i in 0..VECTORS {
                    sums[j][i] = rows[i].mul_add(x, sums[j][i]);
                }
            }
            a = a.wrapping_offset(self.a_step);
            step += self.b_step;
        }
        // By name, not by a loop: if the sums were indexed by a variable, they would have to be in memory.
        macro_rules! finish {
            ($($j:literal)*) => {$(
                if $j * part < COLUMNS && $j < self.columns {
                    let of = $j * part % COLUMNS;
                    let to = self.c.wrapping_offset($j * self.c_column);
                    // SAFETY: `$j < columns`: a column of `c`, exclusive by the contract. The mask has the rows of its last
                    // vector.
                    unsafe { finish::<V, COMPLEX, VECTORS>(scale, [sums[of], sums[of + part - 1]], to, last) };
                }
            )*};
        }
        finish!(0 1 2 3 4 5 6 7);
    }
}

/// Reads the real and the imaginary part of an element; the latter is zero if it is not `complex`.
///
/// # Safety
/// The caller must ensure that one real number is readable at `from`, or two contiguous ones if `complex`.
unsafe fn read<R: Real>(from: *const R, complex: bool) -> [R; 2] {
    if complex {
        // SAFETY: two contiguous numbers are readable by the contract.
        unsafe { from.cast::<[R; 2]>().read() }
    } else {
        // SAFETY: a number is readable by the contract.
        [unsafe { from.read() }, R::zero()]
    }
}

/// Writes a column of a tile: from one column of sums, or from two if it is complex.
///
/// # Safety
/// The caller must ensure:
/// * The processor has the instruction set of `V`.
/// * `VECTORS` contiguous vectors are exclusive to the caller from `to` on; of the last one, the lanes of `last`.
#[inline(always)]
unsafe fn finish<V: Vector, const COMPLEX: bool, const VECTORS: usize>(
    scale: &Scale<V>,
    [plain, swapped]: [[V; VECTORS]; 2],
    to: *mut V::Real,
    last: V::Mask,
) {
    for i in 0..VECTORS {
        let to = to.wrapping_add(i * V::LANES);
        let mut sum = plain[i].mul(scale.plain);
        if COMPLEX {
            sum = swapped[i].swap_pairs().mul_add(scale.swapped, sum);
            if let Some([re, im]) = scale.turn {
                sum = sum.swap_pairs().mul_add(im, sum.mul(re));
            }
        }
        let whole = i < VECTORS - 1;
        if scale.reads {
            let old = if whole {
                // SAFETY: a vector before the last, all lanes of which are exclusive by the contract.
                unsafe { V::load(to) }
            } else {
                // SAFETY: the last vector, of which the lanes of `last` are exclusive by the contract.
                unsafe { V::load_some(to, last) }
            };
            sum = old.mul_add(scale.beta, sum);
            if COMPLEX && let Some(im) = scale.beta_turn {
                sum = old.swap_pairs().mul_add(im, sum);
            }
        }
        if whole {
            // SAFETY: as for `load`: a vector before the last.
            unsafe { sum.store(to) };
        } else {
            // SAFETY: as for `load_some`: the lanes of `last` in the last vector.
            unsafe { sum.store_some(to, last) };
        }
    }
}

/// A single tile: it has less to prepare than a kernel for many.
#[derive(Debug)]
pub(super) struct OneTile<'a, R, const COMPLEX: bool> {
    /// Rows of its `c` are adjacent.
    pub(super) tile: &'a Tile<R>,
    pub(super) scaling: &'a RealScaling<R>,
    /// Whether `beta` is treated as zero.
    pub(super) overwrite: bool,
}

impl<V: Vector, const COMPLEX: bool> SimdKernel<V> for OneTile<'_, V::Real, COMPLEX> {
    /// # Safety
    /// As [`Tile::multiply`], for `tile`, and rows of its `c` are adjacent.
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the processor has the instruction set by the contract.
        let mut scale = Scale::new(unsafe { V::zero() }, *self.scaling, COMPLEX);
        scale.reads &= !self.overwrite;
        // SAFETY: `with_size` has this function's contract.
        unsafe { self.tile.with_size::<V, COMPLEX>(&scale) };
    }
}
