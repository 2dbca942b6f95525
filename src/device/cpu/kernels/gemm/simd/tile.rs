//! The register tile: a few columns of the result, accumulated in registers over all of `k`.
//!
//! Each step loads up to three vectors of a column of `a`, and multiplies them by each value of a row of `b`, repeated in
//! all lanes (Goto and van de Geijn 2008, "Anatomy of high-performance matrix multiplication"; Van Zee and van de Geijn
//! 2015, "BLIS").
//!
//! Complex numbers need no other inner loop. To it, a column of `a` is a column of real numbers, twice as long, and a value
//! of `b` is two columns: its real and its imaginary part. What it finds is `a·re b` and `a·im b`, summed; the complex
//! product is a sum of the first and of the second with real and imaginary parts swapped, with signs that depend on who is
//! conjugated. So conjugation costs nothing, and neither does reading operands where they are.

use super::vector::{Real, SimdKernel, Vector};
use crate::device::cpu::kernels::gemm::product::RealScaling;
use core::mem::MaybeUninit;
use num_traits::{One, Zero};

/// From this many terms on, a sum takes longer than a load from memory.
const MIN_PREFETCH_TERMS: usize = 32;
/// Largest number of real numbers in a tile: three vectors of sixteen, eight columns.
const MAX_TILE_LEN: usize = 384;

/// What to multiply sums by, ready for vectors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale<V: Vector> {
    scaling: RealScaling<V::Real>,
    /// Weights of the sums and of the swapped sums.
    plain: V,
    swapped: V,
    /// The rest of a multiplication by a complex `alpha`, where it is not real.
    turn: Option<[V; 2]>,
    beta: V,
    beta_turn: Option<V>,
    /// Whether `c` is read.
    reads: bool,
}

impl<V: Vector> Scale<V> {
    /// For vectors of the same kind as `zero`.
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

/// Where a tile's operands are. All distances count real numbers; rows of `a` and of `c` are one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tile<R> {
    pub(super) k: usize,
    /// In real numbers: two for each complex one.
    pub(super) rows: usize,
    /// In elements.
    pub(super) columns: usize,
    pub(super) a: *const R,
    pub(super) a_step: isize,
    pub(super) b: *const R,
    pub(super) b_step: isize,
    pub(super) b_column: isize,
    pub(super) c: *mut R,
    /// From one element of `c` to the one below.
    pub(super) c_row: isize,
    pub(super) c_column: isize,
    /// What will be read as `b` later on, after all of this `b`: asked for, `b_step` by `b_step`, by a tile of full size. Null
    /// asks for nothing.
    pub(super) ahead: *const R,
}

impl<R: Real> Tile<R> {
    /// `c = alpha · a · b + beta · c`.
    ///
    /// # Safety
    /// The processor has the instruction set of `V`; the operands may be read, and `c` is the caller's alone. There are
    /// no more rows than `V::TILE_VECTORS` vectors have lanes, and no more columns than `V::TILE_COLUMNS` (half of it for complex numbers),
    /// and at least one of each.
    #[inline(always)]
    pub(super) unsafe fn multiply<V: Vector<Real = R>, const COMPLEX: bool>(&self, scale: &Scale<V>) {
        let part = if COMPLEX { 2 } else { 1 };
        if self.c_row == part {
            // SAFETY: the caller's.
            return unsafe { self.with_size::<V, COMPLEX>(scale) };
        }
        // Where rows of `c` are not one after the other: by way of a tile whose rows are.
        let mut buffer = [MaybeUninit::<R>::uninit(); MAX_TILE_LEN];
        let column = (V::TILE_VECTORS * V::LANES) as isize;
        let here = Tile { c: buffer.as_mut_ptr().cast(), c_row: part, c_column: column, ..*self };
        let task = OneTile::<R, COMPLEX> { tile: &here, scaling: &scale.scaling, overwrite: true };
        // SAFETY: the caller's; the buffer has room for each column.
        unsafe { V::within(task) };
        // SAFETY: the caller's; the tile has been computed.
        unsafe { self.scatter(&here, scale.reads.then_some(scale.scaling.beta), COMPLEX) };
    }

    /// Adds a tile, whose rows are one after the other, to `beta · c`; or writes it.
    ///
    /// # Safety
    /// The tile is of this one's size, and has been computed; `c` is the caller's alone.
    unsafe fn scatter(&self, from: &Tile<R>, beta: Option<[R; 2]>, complex: bool) {
        let part = if complex { 2 } else { 1 };
        for j in 0..self.columns as isize {
            for i in 0..(self.rows / part) as isize {
                let from = from.c.wrapping_offset(j * from.c_column + i * from.c_row);
                let to = self.c.wrapping_offset(j * self.c_column + i * self.c_row);
                // SAFETY: a row and a column of the tile.
                let [mut re, mut im] = unsafe { read(from, complex) };
                if let Some([beta, beta_im]) = beta {
                    // SAFETY: as above, of `c`.
                    let [old, old_im] = unsafe { read(to, complex) };
                    re = re + beta * old;
                    if complex {
                        im = im + beta * old_im;
                    }
                    // Infinity times an imaginary part of zero would be NaN.
                    if !beta_im.is_zero() {
                        re = re + -(beta_im * old_im);
                        im = im + beta_im * old;
                    }
                }
                if complex {
                    // SAFETY: as above.
                    unsafe { to.cast::<[R; 2]>().write([re, im]) };
                } else {
                    // SAFETY: as above.
                    unsafe { to.write(re) };
                }
            }
        }
    }

    /// # Safety
    /// As [`multiply`](Tile::multiply), and the rows of `c` are one after the other.
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
                // SAFETY: the caller's; the sizes are those of the tile, columns rounded up.
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
            // More are not asked of an instruction set with fewer registers, and not compiled for it.
            _ if V::TILE_COLUMNS < 8 => {}
            (_, ..=2) => of_size!(3 2),
            (_, ..=4) => of_size!(3 4),
            (3, _) if !self.ahead.is_null() => of_size!(3 8 true),
            (1, _) => of_size!(1 8),
            (2, _) => of_size!(2 8),
            (_, _) => of_size!(3 8),
        }
    }

    /// # Safety
    /// As [`with_size`](Tile::with_size); `VECTORS` vectors hold the rows and no fewer do, `COLUMNS` is at least the number
    /// of columns of real numbers.
    #[inline(always)]
    unsafe fn of_size<V, const COMPLEX: bool, const VECTORS: usize, const COLUMNS: usize, const AHEAD: bool>(
        &self,
        scale: &Scale<V>,
    ) where
        V: Vector<Real = R>,
    {
        let part = if COMPLEX { 2 } else { 1 };
        // SAFETY: the caller's.
        let zero = unsafe { V::zero() };
        let last = zero.first(self.rows - (VECTORS - 1) * V::LANES);
        let mut b = [self.b; COLUMNS];
        for (j, from) in b.iter_mut().enumerate() {
            // A column beyond the last is read as the last one, and not stored.
            let column = (j / part).min(self.columns - 1) as isize;
            *from = self.b.wrapping_offset(column * self.b_column + (j % part) as isize);
        }
        if self.k >= MIN_PREFETCH_TERMS {
            // What is written at the end is on its way in the meantime.
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
                // SAFETY: a column of `a` has more rows than these vectors.
                *row = unsafe { V::load(a.wrapping_add(i * V::LANES)) };
            }
            // SAFETY: the mask is what the last vector has of the rows.
            rows[VECTORS - 1] = unsafe { V::load_some(a.wrapping_add((VECTORS - 1) * V::LANES), last) };
            for j in 0..COLUMNS {
                // SAFETY: a value of `b`.
                let x = zero.splat(unsafe { *b[j].wrapping_offset(step) });
                for i in 0..VECTORS {
                    sums[j][i] = rows[i].mul_add(x, sums[j][i]);
                }
            }
            a = a.wrapping_offset(self.a_step);
            step += self.b_step;
        }
        // By name, not by a loop: were the sums indexed, they would have to be in memory.
        macro_rules! finish {
            ($($j:literal)*) => {$(
                if $j * part < COLUMNS && $j < self.columns {
                    let of = $j * part % COLUMNS;
                    let to = self.c.wrapping_offset($j * self.c_column);
                    // SAFETY: a column of `c`; the last vector's rows are those of the mask.
                    unsafe { finish::<V, COMPLEX, VECTORS>(scale, [sums[of], sums[of + part - 1]], to, last) };
                }
            )*};
        }
        finish!(0 1 2 3 4 5 6 7);
    }
}

/// The parts of an element, one of which is zero where there are no complex ones.
///
/// # Safety
/// It may be read.
unsafe fn read<R: Real>(from: *const R, complex: bool) -> [R; 2] {
    if complex {
        // SAFETY: the caller's: one part after the other.
        unsafe { from.cast::<[R; 2]>().read() }
    } else {
        // SAFETY: the caller's.
        [unsafe { from.read() }, R::zero()]
    }
}

/// Writes a column of a tile, of which two have been summed where it is complex.
///
/// # Safety
/// The processor has the instruction set; so many vectors may be read and written, the last one by the mask.
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
                // SAFETY: the caller's.
                unsafe { V::load(to) }
            } else {
                // SAFETY: the caller's.
                unsafe { V::load_some(to, last) }
            };
            sum = old.mul_add(scale.beta, sum);
            if COMPLEX && let Some(im) = scale.beta_turn {
                sum = old.swap_pairs().mul_add(im, sum);
            }
        }
        if whole {
            // SAFETY: the caller's.
            unsafe { sum.store(to) };
        } else {
            // SAFETY: the caller's.
            unsafe { sum.store_some(to, last) };
        }
    }
}

/// A tile by itself: with less to prepare than where there may be many.
#[derive(Debug)]
pub(super) struct OneTile<'a, R, const COMPLEX: bool> {
    /// Rows of its `c` are one after the other.
    pub(super) tile: &'a Tile<R>,
    pub(super) scaling: &'a RealScaling<R>,
    /// Whether `beta` is taken for zero.
    pub(super) overwrite: bool,
}

impl<V: Vector, const COMPLEX: bool> SimdKernel<V> for OneTile<'_, V::Real, COMPLEX> {
    /// # Safety
    /// As [`Tile::multiply`].
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller's.
        let mut scale = Scale::new(unsafe { V::zero() }, *self.scaling, COMPLEX);
        scale.reads &= !self.overwrite;
        // SAFETY: the caller's.
        unsafe { self.tile.with_size::<V, COMPLEX>(&scale) };
    }
}
