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

use super::vector::{Real, Task, Vector};
use core::mem::MaybeUninit;
use num_traits::{One, Zero};

/// So many terms take longer to sum than memory to answer.
const FAR: usize = 32;
/// Real numbers in a tile, at most: three vectors of sixteen, eight columns.
const LARGEST: usize = 384;

/// `alpha`, `beta` and who is conjugated, for one product.
#[derive(Debug, Clone, Copy)]
pub(super) struct Factors<R> {
    /// Real and imaginary parts.
    pub(super) alpha: [R; 2],
    pub(super) beta: [R; 2],
    pub(super) conjugate: [bool; 2],
}

/// What to multiply sums by, ready for vectors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale<V: Vector> {
    factors: Factors<V::Real>,
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
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    pub(super) unsafe fn new(factors: Factors<V::Real>, complex: bool) -> Self {
        let Factors { alpha: [alpha, alpha_im], beta: [beta, beta_im], conjugate: [a, b] } = factors;
        let reads = !(beta.is_zero() && beta_im.is_zero());
        // SAFETY: the caller's.
        unsafe {
            if !complex {
                let (alpha, beta) = (V::splat(alpha), V::splat(beta));
                return Scale {
                    factors,
                    plain: alpha,
                    swapped: alpha,
                    turn: None,
                    beta,
                    beta_turn: None,
                    reads,
                };
            }
            let turns = !alpha_im.is_zero();
            let weight = if turns { V::Real::one() } else { alpha };
            let signed = |minus: bool| if minus { -weight } else { weight };
            Scale {
                factors,
                plain: V::alternating(weight, signed(a)),
                swapped: V::alternating(signed(a == b), signed(b)),
                turn: if turns { Some([V::splat(alpha), V::alternating(-alpha_im, alpha_im)]) } else { None },
                beta: V::splat(beta),
                beta_turn: if beta_im.is_zero() { None } else { Some(V::alternating(-beta_im, beta_im)) },
                reads,
            }
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
    /// no more rows than `V::VECTORS` vectors have lanes, and no more columns than `V::COLUMNS` (half of it for complex numbers),
    /// and at least one of each.
    #[inline(always)]
    pub(super) unsafe fn multiply<V: Vector<Real = R>, const COMPLEX: bool>(&self, scale: &Scale<V>) {
        let part = if COMPLEX { 2 } else { 1 };
        if self.c_row == part {
            // SAFETY: the caller's.
            return unsafe { self.with_size::<V, COMPLEX>(scale) };
        }
        // Where rows of `c` are not one after the other: by way of a tile whose rows are.
        let mut buffer = [MaybeUninit::<R>::uninit(); LARGEST];
        let column = (V::VECTORS * V::LANES) as isize;
        let here = Tile { c: buffer.as_mut_ptr().cast(), c_row: part, c_column: column, ..*self };
        // SAFETY: the caller's; the buffer has room for each column.
        unsafe {
            V::within(OneTile::<R, COMPLEX> { tile: &here, factors: &scale.factors, overwrite: true });
            self.scatter(&here, scale.reads.then_some(scale.factors.beta), COMPLEX);
        }
    }

    /// Adds a tile, whose rows are one after the other, to `beta · c`; or writes it.
    ///
    /// # Safety
    /// The tile is of this one's size, and has been computed; `c` is the caller's alone.
    unsafe fn scatter(&self, from: &Tile<R>, beta: Option<[R; 2]>, complex: bool) {
        let part = if complex { 2 } else { 1 };
        for j in 0..self.columns as isize {
            for i in 0..(self.rows / part) as isize {
                // SAFETY: rows and columns of both tiles.
                unsafe {
                    let from = from.c.offset(j * from.c_column + i * from.c_row);
                    let to = self.c.offset(j * self.c_column + i * self.c_row);
                    let [mut re, mut im] = [*from, if complex { *from.add(1) } else { R::zero() }];
                    if let Some([beta, beta_im]) = beta {
                        let [old, old_im] = [*to, if complex { *to.add(1) } else { R::zero() }];
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
                    *to = re;
                    if complex {
                        *to.add(1) = im;
                    }
                }
            }
        }
    }

    /// # Safety
    /// As [`multiply`](Tile::multiply), and the rows of `c` are one after the other.
    #[inline(always)]
    unsafe fn with_size<V: Vector<Real = R>, const COMPLEX: bool>(&self, scale: &Scale<V>) {
        let columns = if COMPLEX { 2 * self.columns } else { self.columns };
        debug_assert!(
            (1..=V::VECTORS * V::LANES).contains(&self.rows) && (1..=V::COLUMNS).contains(&columns)
        );
        let vectors = self.rows.div_ceil(V::LANES);
        // SAFETY: the caller's; the sizes are those of the tile, columns rounded up.
        unsafe {
            match (vectors, columns) {
                (1, ..=2) => self.of_size::<V, COMPLEX, 1, 2, false>(scale),
                (2, ..=2) => self.of_size::<V, COMPLEX, 2, 2, false>(scale),
                (1, ..=4) => self.of_size::<V, COMPLEX, 1, 4, false>(scale),
                (2, ..=4) => self.of_size::<V, COMPLEX, 2, 4, false>(scale),
                (1, _) if V::COLUMNS == 6 => self.of_size::<V, COMPLEX, 1, 6, false>(scale),
                (2, _) if V::COLUMNS == 6 => self.of_size::<V, COMPLEX, 2, 6, false>(scale),
                // More are not asked of an instruction set with fewer registers, and not compiled for it.
                _ if V::COLUMNS < 8 => {}
                (_, ..=2) => self.of_size::<V, COMPLEX, 3, 2, false>(scale),
                (_, ..=4) => self.of_size::<V, COMPLEX, 3, 4, false>(scale),
                (3, _) if !self.ahead.is_null() => self.of_size::<V, COMPLEX, 3, 8, true>(scale),
                (1, _) => self.of_size::<V, COMPLEX, 1, 8, false>(scale),
                (2, _) => self.of_size::<V, COMPLEX, 2, 8, false>(scale),
                (_, _) => self.of_size::<V, COMPLEX, 3, 8, false>(scale),
            }
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
        // SAFETY: the processor has the instruction set. Loads and stores are of rows of `a` and `c` (the last vector's are
        // masked) and of values of `b`: a column beyond the last is read as the last one, and not stored.
        unsafe {
            let last = V::first(self.rows - (VECTORS - 1) * V::LANES);
            let mut b = [self.b; COLUMNS];
            for (j, from) in b.iter_mut().enumerate() {
                let column = (j / part).min(self.columns - 1) as isize;
                *from = self.b.offset(column * self.b_column + (j % part) as isize);
            }
            if self.k >= FAR {
                // What is written at the end is on its way in the meantime.
                for j in 0..COLUMNS / part {
                    for i in 0..VECTORS {
                        let to = self.c.wrapping_offset(j as isize * self.c_column);
                        V::prefetch(to.wrapping_add(i * V::LANES));
                    }
                }
            }
            let mut sums = [[V::zero(); VECTORS]; COLUMNS];
            let (mut a, mut step) = (self.a, 0);
            for _ in 0..self.k {
                if AHEAD {
                    V::prefetch_far(self.ahead.wrapping_offset(step));
                }
                let mut rows = [V::zero(); VECTORS];
                for (i, row) in rows.iter_mut().enumerate().take(VECTORS - 1) {
                    *row = V::load(a.add(i * V::LANES));
                }
                let from = a.add((VECTORS - 1) * V::LANES);
                rows[VECTORS - 1] = V::load_some(from, last);
                for j in 0..COLUMNS {
                    let x = V::splat(*b[j].offset(step));
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
                        let to = self.c.offset($j * self.c_column);
                        finish::<V, COMPLEX, VECTORS>(scale, [sums[of], sums[of + part - 1]], to, last);
                    }
                )*};
            }
            finish!(0 1 2 3 4 5 6 7);
        }
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
        // SAFETY: the caller's.
        unsafe {
            let to = to.add(i * V::LANES);
            let mut sum = plain[i].mul(scale.plain);
            if COMPLEX {
                sum = swapped[i].swap_pairs().mul_add(scale.swapped, sum);
                if let Some([re, im]) = scale.turn {
                    sum = sum.swap_pairs().mul_add(im, sum.mul(re));
                }
            }
            if scale.reads {
                let old = if i < VECTORS - 1 { V::load(to) } else { V::load_some(to, last) };
                sum = old.mul_add(scale.beta, sum);
                if COMPLEX && let Some(im) = scale.beta_turn {
                    sum = old.swap_pairs().mul_add(im, sum);
                }
            }
            if i < VECTORS - 1 {
                sum.store(to);
            } else {
                sum.store_some(to, last);
            }
        }
    }
}

/// A tile by itself: with less to prepare than where there may be many.
#[derive(Debug)]
pub(super) struct OneTile<'a, R, const COMPLEX: bool> {
    /// Rows of its `c` are one after the other.
    pub(super) tile: &'a Tile<R>,
    pub(super) factors: &'a Factors<R>,
    /// Whether `beta` is taken for zero.
    pub(super) overwrite: bool,
}

impl<V: Vector, const COMPLEX: bool> Task<V> for OneTile<'_, V::Real, COMPLEX> {
    /// # Safety
    /// As [`Tile::multiply`].
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller's.
        unsafe {
            let mut scale = Scale::<V>::new(*self.factors, COMPLEX);
            scale.reads &= !self.overwrite;
            self.tile.with_size::<V, COMPLEX>(&scale);
        }
    }
}
