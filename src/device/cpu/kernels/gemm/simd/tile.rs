//! The register tile, which is the micro-kernel of [`packed`](super::packed) and [`direct`](mod@super::direct). It accumulates a
//! small part of C in registers, over all terms.
//!
//! ```text
//! sums = 0                                       VECTORS × COLUMNS registers
//! for p in 0..k
//!     rows = A[.., p]                            VECTORS loads, the last one masked if needed
//!     for j in 0..COLUMNS
//!         x = broadcast(B[p, j])
//!         for i in 0..VECTORS
//!             sums[j][i] += rows[i] · x          one fused multiply-add
//! for j in 0..COLUMNS
//!     C[.., j] = alpha · sums[j] + beta · C[.., j]
//! ```
//!
//! The method is from Goto and van de Geijn 2008, "Anatomy of high-performance matrix multiplication", and from Van Zee and van
//! de Geijn 2015, "BLIS".
//!
//! Complex numbers have the same inner loop. A column of A is a column of real numbers, twice as long. A column of B is two
//! columns of real numbers: its real parts and its imaginary parts. So each complex column of C has two columns of sums:
//!
//! ```text
//! plain   = sum of a · re(b)
//! swapped = sum of a · im(b)
//! result  = ± plain ± swap_pairs(swapped)        the signs depend on which operands are conjugated
//! ```
//!
//! So conjugation only changes signs, at no cost, and complex operands can be read in place.
//!
//! With the 16 registers of AVX2, the two columns of sums leave room for three complex columns. There, a tile of more columns has one sum
//! for each element of C, with alternating signs ([`MicroTile::of_joint_sums`]). It has up to six columns, so A is read half as often.

use super::scale::{Scale, finish};
use crate::device::cpu::kernels::gemm::product::RealScaling;
use crate::simd::vector::{FloatVector, Real, SimdKernel, Vector};
use core::mem::MaybeUninit;

/// Minimum number of terms for which `c` is prefetched. From this number on, the sums take longer than a load from
/// memory.
const MIN_PREFETCH_TERMS: usize = 32;
/// Maximum number of real numbers in a tile: eight columns of three vectors, each of sixteen `f32`.
const MAX_TILE_LEN: usize = 384;

/// The size of the register tile for a register.
pub(super) trait RegisterTile: Vector {
    /// Whether there are 32 registers, as in AVX-512 and NEON. AVX2 has 16.
    const MANY: bool = size_of::<Self>() != 32;
    /// Whether masked loads and stores take no longer than others, as with AVX-512. With AVX2 on AMD's processors, a masked load also occupies
    /// a unit for floating-point operations. NEON has no masks.
    const FREE_MASKS: bool = size_of::<Self>() == 64;
    /// Maximum number of vectors in a column of a register tile.
    const TILE_VECTORS: usize = if Self::MANY { 3 } else { 2 };
    /// Maximum number of columns of real numbers in a register tile. The `TILE_VECTORS · TILE_COLUMNS` accumulators leave registers free
    /// for a column of `a` and one value of `b`.
    const TILE_COLUMNS: usize = if Self::MANY { 8 } else { 6 };
    /// Maximum number of columns of complex numbers in a register tile: `TILE_COLUMNS` if a tile has one sum for each complex number
    /// ([`of_joint_sums`](MicroTile::of_joint_sums)), otherwise half as many.
    const COMPLEX_COLUMNS: usize = if Self::MANY { 4 } else { 6 };
}
impl<V: Vector> RegisterTile for V {}

/// Returns the maximum number of columns in a register tile.
pub(super) const fn tile_columns<V: Vector, const COMPLEX: bool>() -> usize {
    if COMPLEX { V::COMPLEX_COLUMNS } else { V::TILE_COLUMNS }
}

/// A tile: sizes, addresses of the operands, and strides. Strides count real numbers. Each column of `a` is contiguous.
#[derive(Debug, Clone, Copy)]
pub(super) struct MicroTile<R> {
    pub(super) k: usize,
    /// Number of rows, in real numbers: a row of complex numbers counts as two.
    pub(super) rows: usize,
    /// Number of columns, in elements: a column of complex numbers counts as one.
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
    /// The part of `b` that the next tiles read, or null. A tile with three vectors per column and more than four columns
    /// prefetches it, in steps of `b_step`. Other tiles ignore it.
    pub(super) ahead: *const R,
}

impl<R: Real> MicroTile<R> {
    /// Computes `c = alpha · a · b + beta · c` for the tile.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The processor has the instruction set of `V`.
    /// * `a` and `b` are readable at all their indices.
    /// * `c` is exclusive to the caller at all its indices, no two of which are the same element.
    /// * There is at least one row and one column. The rows have at most as many real numbers as `V::TILE_VECTORS` vectors have
    ///   lanes. There are at most [`tile_columns`] columns.
    #[inline(always)]
    pub(super) unsafe fn multiply<V: FloatVector<Real = R>, const COMPLEX: bool>(&self, scale: &Scale<V>) {
        if self.has_contiguous_columns::<COMPLEX>() {
            // SAFETY: `with_size` requires the conditions of `multiply`, which the caller ensures, and contiguous columns of `c`, as was
            // just checked.
            unsafe { self.with_size::<V, COMPLEX>(scale) };
        } else {
            // SAFETY: `multiply_and_scatter` requires the conditions of `multiply`, which the caller ensures.
            unsafe { self.multiply_and_scatter::<V, COMPLEX>(&scale.scaling) };
        }
    }

    /// Returns whether the columns of `c` are contiguous.
    #[inline(always)]
    fn has_contiguous_columns<const COMPLEX: bool>(&self) -> bool {
        self.c_row == if COMPLEX { 2 } else { 1 }
    }

    /// Variant of [`multiply`](MicroTile::multiply) for a `c` whose columns are not contiguous. Computes the tile in a local buffer, and copies
    /// it to `c`.
    ///
    /// # Safety
    /// The caller must ensure the conditions of [`multiply`](MicroTile::multiply).
    unsafe fn multiply_and_scatter<V: FloatVector<Real = R>, const COMPLEX: bool>(
        &self,
        scaling: &RealScaling<R>,
    ) {
        let mut buffer = [MaybeUninit::<R>::uninit(); MAX_TILE_LEN];
        let (row, column) = (if COMPLEX { 2 } else { 1 }, (V::TILE_VECTORS * V::LANES) as isize);
        let here = MicroTile { c: buffer.as_mut_ptr().cast(), c_row: row, c_column: column, ..*self };
        let task = OneTile::<R, COMPLEX> { tile: &here, scaling, overwrite: true };
        // SAFETY: the caller ensures the conditions of `multiply` for the instruction set, `a`, `b` and the size. The `c` of `here` is the
        // local `buffer`. It has space for the largest tile, as `with_size` asserts, and its columns are contiguous. With `overwrite`, its
        // uninitialised numbers are not read.
        unsafe { V::within(task) };
        // SAFETY: `task` has written all elements of the `c` of `here`, which has this tile's size. The caller ensures exclusive access to
        // the `c` of this tile.
        unsafe { self.scatter(&here, scaling.reads().then_some(scaling.beta), COMPLEX) };
    }

    /// Copies a computed tile `from` to `c`: computes `c = from`, or `c = from + beta · c` if there is a `beta`.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * `from` has this tile's size, and all elements of its `c` have been written.
    /// * `c` of this tile is exclusive to the caller.
    unsafe fn scatter(&self, from: &MicroTile<R>, beta: Option<[R; 2]>, complex: bool) {
        let part = if complex { 2 } else { 1 };
        for j in 0..self.columns as isize {
            for i in 0..(self.rows / part) as isize {
                let from = from.c.wrapping_offset(j * from.c_column + i * from.c_row);
                let to = self.c.wrapping_offset(j * self.c_column + i * self.c_row);
                // SAFETY: (`i`, `j`) is an index of the tile. The caller ensures that all elements of `from.c` have been written, so this
                // one may be read.
                let [mut re, mut im] = unsafe { read(from, complex) };
                if let Some([beta, beta_im]) = beta {
                    // SAFETY: (`i`, `j`) is an index of the tile. The caller ensures exclusive access to the elements of its `c`, so this
                    // one may be read.
                    let [old, old_im] = unsafe { read(to, complex) };
                    re = re + beta * old;
                    if complex {
                        im = im + beta * old_im;
                    }
                    // Does not multiply by a zero imaginary part, because infinity times zero is NaN.
                    if !beta_im.is_zero() {
                        re = re + -(beta_im * old_im);
                        im = im + beta_im * old;
                    }
                }
                if complex {
                    // SAFETY: (`i`, `j`) is an index of the tile. The caller ensures exclusive access to the elements of its `c`, so this
                    // one may be written.
                    unsafe { to.cast::<[R; 2]>().write([re, im]) };
                } else {
                    // SAFETY: (`i`, `j`) is an index of the tile. The caller ensures exclusive access to the elements of its `c`, so this
                    // one may be written.
                    unsafe { to.write(re) };
                }
            }
        }
    }

    /// Computes a tile with the instance of [`of_size`](MicroTile::of_size) or [`of_joint_sums`](MicroTile::of_joint_sums) that has the fewest
    /// registers among those that hold the tile.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The conditions of [`multiply`](MicroTile::multiply).
    /// * The columns of `c` are contiguous: `c_row` is 1, or 2 if `COMPLEX`.
    #[inline(always)]
    unsafe fn with_size<V: FloatVector<Real = R>, const COMPLEX: bool>(&self, scale: &Scale<V>) {
        const {
            let (vectors, columns) = (V::TILE_VECTORS, V::TILE_COLUMNS);
            assert!(vectors == 2 && columns == 6 || vectors == 3 && columns == 8, "unsupported tile size");
            assert!(V::COMPLEX_COLUMNS == if columns == 6 { 6 } else { 4 }, "unsupported tile size");
            assert!(vectors * V::LANES * columns <= MAX_TILE_LEN, "a tile fits in the buffer of `multiply`");
        }
        debug_assert!((1..=V::TILE_VECTORS * V::LANES).contains(&self.rows));
        debug_assert!((1..=tile_columns::<V, COMPLEX>()).contains(&self.columns));
        let vectors = self.rows.div_ceil(V::LANES);
        let whole = self.rows == V::TILE_VECTORS * V::LANES;
        // With `const` in the condition, these tiles are compiled for AVX2 only.
        if const { COMPLEX && 2 * V::COMPLEX_COLUMNS > V::TILE_COLUMNS } && self.columns > V::TILE_COLUMNS / 2
        {
            macro_rules! of_joint_sums {
                ($vectors:literal $columns:literal, whole: $whole:literal) => {
                    // SAFETY: `of_joint_sums` requires the conditions of `with_size`, which the caller ensures. The patterns below ensure
                    // that `$vectors` is the number of vectors that the rows need, that `$columns` is at least `self.columns`, and that the
                    // rows fill the vectors if `$whole`.
                    unsafe { self.of_joint_sums::<V, $vectors, $columns, $whole>(scale) }
                };
            }
            return match (vectors, self.columns) {
                (1, _) => of_joint_sums!(1 6, whole: false),
                (_, ..=4) => of_joint_sums!(2 4, whole: false),
                _ if whole => of_joint_sums!(2 6, whole: true),
                _ => of_joint_sums!(2 6, whole: false),
            };
        }
        let columns = if COMPLEX { 2 * self.columns } else { self.columns };
        macro_rules! of_size {
            ($vectors:literal $columns:literal) => {
                of_size!($vectors $columns, whole: false, ahead: false)
            };
            ($vectors:literal $columns:literal, whole: $whole:literal, ahead: $ahead:literal) => {
                // SAFETY: `of_size` requires the conditions of `with_size`, which the caller ensures. The patterns below ensure that
                // `$vectors` is the number of vectors that the rows need, that `$columns` is at least `columns`, and that the rows fill the
                // vectors if `$whole`.
                unsafe { self.of_size::<V, COMPLEX, $vectors, $columns, $whole, $ahead>(scale) }
            };
        }
        // With `const` in the condition, only the tiles of one branch are compiled.
        if const { V::TILE_COLUMNS == 6 } {
            match (vectors, columns) {
                (1, ..=2) => of_size!(1 2),
                (_, ..=2) => of_size!(2 2),
                (1, ..=4) => of_size!(1 4),
                (_, ..=4) => of_size!(2 4),
                (1, _) => of_size!(1 6),
                (_, _) if whole => of_size!(2 6, whole: true, ahead: false),
                (_, _) => of_size!(2 6),
            }
        } else {
            match (vectors, columns) {
                (1, ..=2) => of_size!(1 2),
                (2, ..=2) => of_size!(2 2),
                (_, ..=2) => of_size!(3 2),
                (1, ..=4) => of_size!(1 4),
                (2, ..=4) => of_size!(2 4),
                (_, ..=4) => of_size!(3 4),
                (3, _) if const { V::FREE_MASKS } && !self.ahead.is_null() => {
                    of_size!(3 8, whole: false, ahead: true)
                }
                (3, _) if const { !V::FREE_MASKS } && whole => of_size!(3 8, whole: true, ahead: false),
                (1, _) => of_size!(1 8),
                (2, _) => of_size!(2 8),
                (_, _) => of_size!(3 8),
            }
        }
    }

    /// Computes a tile with `VECTORS` × `COLUMNS` accumulators in registers. Prefetches `self.ahead` if `AHEAD`.
    ///
    /// If `WHOLE`, no load of `a` is masked: see [`FREE_MASKS`](RegisterTile::FREE_MASKS).
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The conditions of [`with_size`](MicroTile::with_size).
    /// * `VECTORS` is `rows` divided by the number of lanes, rounded up; if `WHOLE`, without a remainder.
    /// * `COLUMNS` is at least the number of columns. A complex column counts as two.
    #[inline(always)]
    unsafe fn of_size<
        V: FloatVector<Real = R>,
        const COMPLEX: bool,
        const VECTORS: usize,
        const COLUMNS: usize,
        const WHOLE: bool,
        const AHEAD: bool,
    >(
        &self,
        scale: &Scale<V>,
    ) {
        let part = if COMPLEX { 2 } else { 1 };
        // SAFETY: the caller ensures the conditions of `MicroTile::multiply`, so the processor has the instruction set of `V`.
        let zero = unsafe { V::zero() };
        let last = zero.first(self.rows - (VECTORS - 1) * V::LANES);
        let mut b = [self.b; COLUMNS];
        for (j, from) in b.iter_mut().enumerate() {
            // If the tile has fewer than `COLUMNS` columns, its last column is computed several times. The repeated results are
            // not stored.
            let column = (j / part).min(self.columns - 1) as isize;
            *from = self.b.wrapping_offset(column * self.b_column + (j % part) as isize);
        }
        self.prefetch_c::<V>(VECTORS, COLUMNS / part);
        let mut sums = [[zero; VECTORS]; COLUMNS];
        let (mut a, mut step) = (self.a, 0);
        for _ in 0..self.k {
            if AHEAD {
                V::prefetch_far(self.ahead.wrapping_offset(step));
            }
            // SAFETY: `last` selects the lanes of the last vector's rows, all of them if `WHOLE`. `a` is the address of a column of
            // `a`, which the caller ensures may be read.
            let rows = unsafe { column::<V, VECTORS, WHOLE>(a, last) };
            for j in 0..COLUMNS {
                // SAFETY: `b[j]` is the address of the first element of a column of `b`, and `step` is the offset of one of its `k` rows.
                // So this is an element of `b`. The caller ensures that `b` may be read.
                let x = zero.splat(unsafe { *b[j].wrapping_offset(step) });
                for i in 0..VECTORS {
                    sums[j][i] = rows[i].mul_add(x, sums[j][i]);
                }
            }
            a = a.wrapping_offset(self.a_step);
            step += self.b_step;
        }
        // Unrolled by a macro: if a variable were the index of `sums`, the compiler would spill the sums to memory.
        macro_rules! finish {
            ($($j:literal)*) => {$(
                if $j * part < COLUMNS && $j < self.columns {
                    let of = $j * part % COLUMNS;
                    let to = self.c.wrapping_offset($j * self.c_column);
                    let sums = scale.scaled::<COMPLEX, VECTORS>([sums[of], sums[of + part - 1]]);
                    // SAFETY: `$j < columns`, so `to` is a column of `c`. The caller ensures the instruction set, contiguous columns of
                    // `c`, and exclusive access to them. `last` selects the rows of the column's last vector, all of them if `WHOLE`.
                    unsafe { finish::<V, COMPLEX, VECTORS, WHOLE>(scale, sums, to, last) };
                }
            )*};
        }
        finish!(0 1 2 3 4 5 6 7);
    }

    /// Computes a tile of complex numbers with one sum for each element of `c`, in `VECTORS` × `COLUMNS` accumulators. With the fused
    /// instruction that subtracts in the even lanes and adds in the odd lanes, each term changes the sign of the sum's real part twice:
    ///
    /// ```text
    /// sum = (-re, im) = (0, 0)
    /// for p in 0..k
    ///     sum = a · re(b) ∓ sum                  (re(a) · re(b) + re, im(a) · re(b) + im)
    ///     sum = swap_pairs(a) · im(b) ∓ sum      (im(a) · im(b) - re, re(a) · im(b) + im)
    /// ```
    ///
    /// If one of the operands is conjugated, the signs of `swap_pairs(a)` are flipped.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * The conditions of [`with_size`](MicroTile::with_size) for complex numbers.
    /// * `VECTORS` is `rows` divided by the number of lanes, rounded up; if `WHOLE`, without a remainder.
    /// * `COLUMNS` is at least the number of columns.
    #[inline(always)]
    unsafe fn of_joint_sums<
        V: FloatVector<Real = R>,
        const VECTORS: usize,
        const COLUMNS: usize,
        const WHOLE: bool,
    >(
        &self,
        scale: &Scale<V>,
    ) {
        // SAFETY: the caller ensures the conditions of `MicroTile::multiply`, so the processor has the instruction set of `V`.
        let zero = unsafe { V::zero() };
        let last = zero.first(self.rows - (VECTORS - 1) * V::LANES);
        // If the tile has fewer than `COLUMNS` columns, its last column is computed several times. The repeated results are not stored.
        let mut b = [self.b; COLUMNS];
        for (j, from) in b.iter_mut().enumerate() {
            *from = self.b.wrapping_offset(j.min(self.columns - 1) as isize * self.b_column);
        }
        self.prefetch_c::<V>(VECTORS, COLUMNS);
        let mut sums = [[zero; VECTORS]; COLUMNS];
        let (mut a, mut step) = (self.a, 0);
        for _ in 0..self.k {
            // SAFETY: `last` selects the lanes of the last vector's rows, all of them if `WHOLE`. `a` is the address of a column of
            // `a`, which the caller ensures may be read.
            let mut rows = unsafe { column::<V, VECTORS, WHOLE>(a, last) };
            for im in 0..2 {
                for j in 0..COLUMNS {
                    // SAFETY: `b[j]` is the address of the first element of a column of `b`, and `step` is the offset of one of its `k`
                    // rows. So this is a part of an element of `b`. The caller ensures that `b` may be read.
                    let x = zero.splat(unsafe { *b[j].wrapping_offset(step + im) });
                    for i in 0..VECTORS {
                        sums[j][i] = rows[i].mul_sub_add(x, sums[j][i]);
                    }
                }
                for row in &mut rows {
                    *row = row.swap_pairs().flip(scale.flip);
                }
            }
            a = a.wrapping_offset(self.a_step);
            step += self.b_step;
        }
        // Unrolled by a macro, as in `of_size`.
        macro_rules! finish {
            ($($j:literal)*) => {$(
                if $j < COLUMNS && $j < self.columns {
                    let to = self.c.wrapping_offset($j * self.c_column);
                    // Adds zero, so that the negated real part of a zero sum is 0 and not -0.
                    let mut sums = sums[$j % COLUMNS];
                    for sum in &mut sums {
                        *sum = sum.mul_add(scale.joint, zero);
                    }
                    let sums = scale.turned(sums);
                    // SAFETY: `$j < columns`, so `to` is a column of `c`. The caller ensures the instruction set, contiguous columns of
                    // `c`, and exclusive access to them. `last` selects the rows of the column's last vector, all of them if `WHOLE`.
                    unsafe { finish::<V, true, VECTORS, WHOLE>(scale, sums, to, last) };
                }
            )*};
        }
        finish!(0 1 2 3 4 5);
    }

    /// Prefetches the elements of `c`, if there are enough terms. They are written at the end, and read before that if `beta` is not zero.
    #[inline(always)]
    fn prefetch_c<V: FloatVector<Real = R>>(&self, vectors: usize, columns: usize) {
        if self.k >= MIN_PREFETCH_TERMS {
            for j in 0..columns {
                for i in 0..vectors {
                    let to = self.c.wrapping_offset(j as isize * self.c_column);
                    V::prefetch(to.wrapping_add(i * V::LANES));
                }
            }
        }
    }
}

/// Returns the `VECTORS` vectors of a column. Unless `WHOLE`, only the lanes that `last` selects are read of the last vector.
///
/// # Safety
/// The caller must ensure that the processor has the instruction set of `V`, and that these numbers may be read from `from` on.
#[inline(always)]
unsafe fn column<V: FloatVector, const VECTORS: usize, const WHOLE: bool>(
    from: *const V::Real,
    last: V::Mask,
) -> [V; VECTORS] {
    let end = from.wrapping_add((VECTORS - 1) * V::LANES);
    let end = if WHOLE {
        // SAFETY: the caller ensures the instruction set, and that the numbers of all lanes may be read.
        unsafe { V::load(end) }
    } else {
        // SAFETY: the caller ensures the instruction set, and that the numbers of the lanes that `last` selects may be read.
        unsafe { V::load_some(end, last) }
    };
    let mut vectors = [end; VECTORS];
    for (i, vector) in vectors[..VECTORS - 1].iter_mut().enumerate() {
        // SAFETY: this vector is before the last. The caller ensures the instruction set, and that the numbers of all its lanes may be
        // read.
        *vector = unsafe { V::load(from.wrapping_add(i * V::LANES)) };
    }
    vectors
}

/// Returns the real and imaginary part of an element. The imaginary part is zero unless `complex`.
///
/// # Safety
/// The caller must ensure that one real number is readable at `from`, or two contiguous ones if `complex`.
unsafe fn read<R: Real>(from: *const R, complex: bool) -> [R; 2] {
    if complex {
        // SAFETY: the caller ensures that two contiguous real numbers may be read at `from` if `complex`.
        unsafe { from.cast::<[R; 2]>().read() }
    } else {
        // SAFETY: the caller ensures that one real number may be read at `from`.
        [unsafe { from.read() }, R::zero()]
    }
}

/// A kernel that computes a single tile. Its setup takes less time than that of a kernel with many tiles.
#[derive(Debug)]
pub(super) struct OneTile<'a, R, const COMPLEX: bool> {
    /// The tile. The columns of its `c` are contiguous.
    pub(super) tile: &'a MicroTile<R>,
    pub(super) scaling: &'a RealScaling<R>,
    /// Whether to treat `beta` as zero, so that `c` is overwritten and not read.
    pub(super) overwrite: bool,
}

impl<V: FloatVector, const COMPLEX: bool> SimdKernel<V> for OneTile<'_, V::Real, COMPLEX> {
    /// # Safety
    /// The caller must ensure, for `tile`, the conditions of [`MicroTile::multiply`], and that the columns of its `c` are contiguous.
    #[inline(always)]
    unsafe fn run(self) {
        // SAFETY: the caller ensures the conditions of `MicroTile::multiply`, so the processor has the instruction set of `V`.
        let mut scale = Scale::new(unsafe { V::zero() }, *self.scaling, COMPLEX);
        scale.reads &= !self.overwrite;
        // SAFETY: `with_size` requires the conditions of `MicroTile::multiply` and contiguous columns of `c`, which the caller of `run` ensures.
        // With `overwrite`, `reads` is false, so `c` is not read and may be uninitialised.
        unsafe { self.tile.with_size::<V, COMPLEX>(&scale) };
    }
}
