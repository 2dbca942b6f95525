//! Floating-point products by the crate `matrixmultiply`, at the SIMD [`Level`](crate::simd::Level) `portable`. This is the level of
//! x86-64 processors without AVX2, and of all architectures except x86-64 and 64-bit ARM. On other processors, `VIERBEIN_SIMD=portable`
//! selects it.
//!
//! `matrixmultiply` packs panels of A and B. At run time it chooses a kernel for the processor: NEON, AVX, FMA or plain Rust. It
//! uses AVX-512 only if another crate enables its feature `avx512`. This module adds what `matrixmultiply` does not have:
//!
//! * **Complex numbers.** `cgemm` and `zgemm` of `matrixmultiply` cannot conjugate. They multiply by a complex `alpha` and `beta`
//!   even if these are 1, which turns an infinity into NaN. Here a complex product is computed as four real products. The real
//!   parts of an operand form a matrix with twice the strides, and so do the imaginary parts. Conjugation changes the sign of some
//!   of the products.
//! * **Scaling.** `matrixmultiply` is called only with `alpha` = 1 or -1 and with `beta` = 0 or 1, which are exact. Other scaling
//!   factors are applied afterwards, to sums in a scratch buffer.
//! * **Threads.** C is split in half recursively; see [`split`].
//! * **Out of memory.** `matrixmultiply` aborts the process if it cannot allocate its packing buffer. So at least as much memory
//!   is allocated and freed before each tile. If that allocation fails, [`plain`] computes the tile, with equal bits. The abort
//!   can still occur if another thread allocates the memory in between. Tiles are small, so that the packing buffer has at most 1
//!   MiB.
//!
//! ```text
//! for each tile of C, at most MAX_SIDE × MAX_SIDE             (split)
//!     for each block of KC terms                              (tile)
//!         for each pair of parts: re·re, im·im, re·im, im·re  (passes; one for real numbers)
//!             sums += ± A_part · B_part                       (matrixmultiply)
//!     C = alpha · sums + beta · C                             (finish)
//! ```
//!
//! A kernel of `matrixmultiply` adds the terms of an element in order of `k`, into one accumulator that begins at zero. So the
//! bits of an element depend neither on the tile that contains it nor on the number of threads.

use super::PARALLEL_WORK;
use super::product::{Matrix, MatrixProduct, Product, RealScaling, reals};
use super::tiny;
use crate::device::HostPtr;
use crate::device::cpu::loops::threads::{join, threads};
use crate::device::cpu::memory::scratch::{Side, can_allocate, with_scratch};
use crate::element::Scalar;
use crate::error::Error;
use core::ops::Neg;
use num_traits::{One, Zero};
use std::sync::OnceLock;

/// Maximum number of terms per call of `matrixmultiply`: the number that it sums into one accumulator (its `kc`).
const KC: usize = 256;
/// Maximum side of a tile. The larger a tile, the fewer elements are packed per multiplication: with this side, 2 elements per 256
/// multiplications. Smaller tiles need smaller packing and scratch buffers.
const MAX_SIDE: usize = 256;
/// Maximum side of a tile, instead of [`MAX_SIDE`], if the product is split for several threads.
const MAX_SHARED_SIDE: usize = 64;
/// Maximum number of multiplications of a product that [`plain`] computes. Up to this number, `plain` is about as fast as packing.
const PLAIN_WORK: usize = 8 * 8 * 8;
/// Upper bound of the sides of the register tiles of `matrixmultiply`, which are 4, 8 or 16. `matrixmultiply` pads a panel to a
/// multiple of such a side.
const MAX_REGISTER_TILE: usize = 16;
/// Maximum number of rows of A that `matrixmultiply` packs at the same time: 64 (its `mc`) on each of at most four threads. It
/// uses several threads only if another crate enables its feature `threading`.
const MAX_PACKED_ROWS: usize = 4 * 64;
/// Checks that the packing buffer has at most 1 MiB, as the module documentation states.
const _: () = assert!(packing_bytes::<f64>(MAX_SIDE, KC, MAX_SIDE) <= 1 << 20);
/// Number of rows, and of columns, that [`plain`] computes at a time.
const PLAIN_SIDE: usize = 4;

/// The implementation that calls `matrixmultiply`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

impl<T: Scalar> MatrixProduct<T> for Portable {
    unsafe fn multiply(&self, product: &Product<T>) -> Result<(), Error> {
        // SAFETY: `tiny::multiply` requires the conditions of `MatrixProduct::multiply` for `product`. The caller of this method ensures
        // them.
        if unsafe { tiny::multiply(product) } {
            return Ok(());
        }
        // Some kernels of `matrixmultiply` are fast only if rows of C are contiguous.
        let transpose = product.c.down.unsigned_abs() < product.c.right.unsigned_abs();
        let product = if transpose { product.transposed() } else { *product };
        macro_rules! multiply {
            ($real:ty, $complex:literal) => {
                // SAFETY: the caller ensures the conditions of `MatrixProduct::multiply` for the original `product`. They also hold for its
                // transpose, which has the same elements. The branches below expand this macro only if `T` is `$real` or a complex number
                // of two `$real`.
                unsafe { multiply::<T, $real, $complex>(product) }
            };
        }
        // With `const` in each condition, the compiler does not instantiate the other branches for `T`.
        if const { T::INTEGER } {
            unreachable!("{} is not a floating-point type", T::DTYPE.name());
        } else if const { T::COMPLEX } {
            if const { size_of::<T::Real>() == 8 } { multiply!(f64, true) } else { multiply!(f32, true) }
        } else if const { size_of::<T::Real>() == 8 } {
            multiply!(f64, false)
        } else {
            multiply!(f32, false)
        }
        Ok(())
    }
}

/// The real numbers for which `matrixmultiply` has a function: `f32` and `f64`.
trait GemmReal: 'static + Copy + PartialEq + Zero + One + Neg<Output = Self> + Send + Sync {
    /// Computes `c = alpha · a · b + beta · c`, where `a` is `m` × `k` and `b` is `k` × `n`. The argument `size` is `[m, k, n]`.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * `a` and `b` are readable at all their indices.
    /// * `c` is exclusive to the caller at all its indices, no two of which are the same element. If `beta` is zero, the elements
    ///   of `c` may be uninitialised.
    unsafe fn gemm(
        size: [usize; 3],
        alpha: Self,
        a: Matrix<Self>,
        b: Matrix<Self>,
        beta: Self,
        c: Matrix<Self>,
    );

    /// Returns `self · a + b`, rounded once.
    fn fused(self, a: Self, b: Self) -> Self;

    /// Returns whether the kernel that `matrixmultiply` chooses on this processor uses fused multiply-adds.
    fn kernel_fuses() -> bool;
}

macro_rules! real {
    ($real:ident $gemm:ident) => {
        impl GemmReal for $real {
            #[inline]
            unsafe fn gemm(
                [m, k, n]: [usize; 3],
                alpha: $real,
                a: Matrix<$real>,
                b: Matrix<$real>,
                beta: $real,
                c: Matrix<$real>,
            ) {
                let (x, y, z) = (a.ptr.get().cast_const(), b.ptr.get().cast_const(), c.ptr.get());
                // SAFETY: `matrixmultiply` requires that `a` and `b` may be read, that access to `c` is exclusive, and that the elements of
                // `c` are distinct. The caller ensures this. `c` may be uninitialised if `beta` is zero; `matrixmultiply` does not read it
                // then.
                unsafe {
                    matrixmultiply::$gemm(
                        m, k, n, alpha, x, a.down, a.right, y, b.down, b.right, beta, z, c.down, c.right,
                    )
                }
            }

            #[inline]
            fn fused(self, a: $real, b: $real) -> $real {
                self.mul_add(a, b)
            }

            fn kernel_fuses() -> bool {
                static FUSES: OnceLock<bool> = OnceLock::new();
                *FUSES.get_or_init(|| {
                    // Computes `x · x - round(x · x)`, where `round` is the rounding to the nearest `$real`. `x · x` is not
                    // representable. So the result is not zero if the multiply-add is fused, and zero otherwise.
                    let x = 1.0 + $real::EPSILON;
                    let (mut a, mut b, mut difference) = ([1.0, x], [-(x * x), x], 0.0);
                    let matrix = |ptr: *mut $real, strides| Matrix::new(HostPtr::new(ptr), strides);
                    let (a, b) = (matrix(a.as_mut_ptr(), [2, 1]), matrix(b.as_mut_ptr(), [1, 1]));
                    let c = matrix(&mut difference, [1, 1]);
                    // SAFETY: `a` is a row of two elements, `b` is a column of two elements, and `c` is one element. All are
                    // local variables, and only this call accesses `c`.
                    unsafe { $real::gemm([1, 2, 1], 1.0, a, b, 0.0, c) };
                    difference != 0.0
                })
            }
        }
    };
}
real!(f32 sgemm);
real!(f64 dgemm);

/// Computes a product with real numbers of type `R`.
///
/// # Safety
/// The caller must ensure:
/// * The conditions of [`MatrixProduct::multiply`].
/// * `T` is `R`, or a complex number of two `R` if `COMPLEX`.
unsafe fn multiply<T: Scalar, R: GemmReal, const COMPLEX: bool>(product: Product<T>) {
    // This choice is made for the whole product, not for each tile, so that the bits do not depend on how the product is split.
    let pack = product.work() > PLAIN_WORK;
    // SAFETY: `split` has the contract of `multiply`. The caller of `multiply` ensures it for `product`, which is passed on unchanged.
    unsafe { split::<T, R, COMPLEX>(product, pack) };
}

/// Splits C in half recursively, until the sides of a tile are at most [`MAX_SIDE`]. If there are several threads and enough
/// work, splits further, for the threads. Computes each tile by `matrixmultiply` if `pack`, otherwise by [`plain`].
///
/// # Safety
/// The contract of [`multiply`].
unsafe fn split<T: Scalar, R: GemmReal, const COMPLEX: bool>(product: Product<T>, pack: bool) {
    let Product { m, n, .. } = product;
    let passes = if COMPLEX { 4 } else { 1 };
    let share = threads() > 1 && product.work().saturating_mul(passes) >= 2 * PARALLEL_WORK;
    if m.max(n) <= if share { MAX_SHARED_SIDE } else { MAX_SIDE } {
        let part = AccumulatorTile::<R, COMPLEX>::new(&product);
        if pack {
            // SAFETY: `part` describes the elements of `product`. The caller ensures that its matrices `a` and `b` may be read, that access
            // to `c` is exclusive, and that `k` is not zero.
            unsafe { tile(&part) };
        } else {
            // SAFETY: `part` describes the elements of `product`. The caller ensures that its matrices `a` and `b` may be read, that access
            // to `c` is exclusive, and that `k` is not zero.
            unsafe { plain::<R, COMPLEX, false>(&part) };
        }
        return;
    }
    let middle = |side: usize| (side / 2).next_multiple_of(MAX_REGISTER_TILE);
    let (one, other) = if m >= n { product.split_rows(middle(m)) } else { product.split_columns(middle(n)) };
    // SAFETY: the caller ensures the conditions of `multiply` for `product`, so they hold for its part `one`. `one` and `other` have no
    // element of C in common, so they may run in parallel.
    let one = || unsafe { split::<T, R, COMPLEX>(one, pack) };
    // SAFETY: the caller ensures the conditions of `multiply` for `product`, so they hold for its part `other`. `one` and `other` have no
    // element of C in common, so they may run in parallel.
    let other = || unsafe { split::<T, R, COMPLEX>(other, pack) };
    if share {
        join(one, other);
    } else {
        one();
        other();
    }
}

/// A tile of C, with its rows of A and its columns of B. Strides count real numbers.
struct AccumulatorTile<R, const COMPLEX: bool> {
    m: usize,
    k: usize,
    n: usize,
    a: Matrix<R>,
    b: Matrix<R>,
    c: Matrix<R>,
    scaling: RealScaling<R>,
}

/// One of the four real products that make up a complex product. Part `a` of A times part `b` of B is added to part `sums` of the sums,
/// or subtracted from it if `minus`. Part 0 is the real part of a matrix, part 1 its imaginary part.
#[derive(Debug, Clone, Copy)]
struct PackedPass {
    a: usize,
    b: usize,
    sums: usize,
    minus: bool,
}

impl<R: GemmReal, const COMPLEX: bool> AccumulatorTile<R, COMPLEX> {
    const PARTS: usize = if COMPLEX { 2 } else { 1 };

    fn new<T: Scalar>(product: &Product<T>) -> Self {
        let Product { m, k, n, .. } = *product;
        let (a, b, c, scaling) = reals(product);
        AccumulatorTile { m, k, n, a, b, c, scaling }
    }

    /// Returns whether sums are accumulated in C itself, and not in a scratch buffer.
    fn in_place(&self) -> bool {
        !COMPLEX && self.scaling.alpha[0].is_one() && (!self.reads_c() || self.scaling.beta[0].is_one())
    }

    /// Returns whether `beta` is not zero.
    fn reads_c(&self) -> bool {
        self.scaling.reads()
    }

    /// Returns the real products that make up the tile's product, in summation order.
    fn passes(&self) -> impl Iterator<Item = PackedPass> + use<R, COMPLEX> {
        let [a, b] = self.scaling.conjugate;
        let pass = |a, b, sums, minus| PackedPass { a, b, sums, minus };
        // (re + i im)(re + i im) = re re - im im + i (re im + im re). Conjugation negates the imaginary part of an operand.
        let all = [pass(0, 0, 0, false), pass(1, 1, 0, a == b), pass(0, 1, 1, b), pass(1, 0, 1, a)];
        all.into_iter().take(if COMPLEX { 4 } else { 1 })
    }

    /// Returns ranges of at most [`KC`] terms that together make up `0..k`. Each call of `matrixmultiply` sums one range.
    fn blocks(&self) -> impl Iterator<Item = core::ops::Range<usize>> + use<R, COMPLEX> {
        let k = self.k;
        (0..k).step_by(KC).map(move |first| first..k.min(first + KC))
    }

    /// Writes `alpha · sum + beta · c` to an element of C. Does not multiply by the imaginary part of a scaling factor if this
    /// part is zero, because infinity times zero is NaN.
    ///
    /// # Safety
    /// The caller must ensure that `i < m` and `j < n`, and that it has exclusive access to C.
    #[inline]
    unsafe fn finish(&self, i: usize, j: usize, sum: [R; 2]) {
        let to = self.c.from(i, j).ptr.get();
        let times = |[re, im]: [R; 2], [x, y]: [R; 2]| {
            if im.is_zero() { [re * x, re * y] } else { [re * x + -(im * y), re * y + im * x] }
        };
        let mut value = times(self.scaling.alpha, sum);
        if self.reads_c() {
            let mut old = [R::zero(); 2];
            for (part, old) in old.iter_mut().enumerate().take(Self::PARTS) {
                // SAFETY: `i < m` and `j < n`, so this is a part of an element of C. The caller ensures exclusive access to C.
                *old = unsafe { *to.wrapping_add(part) };
            }
            let old = times(self.scaling.beta, old);
            value = [value[0] + old[0], value[1] + old[1]];
        }
        for (part, &value) in value.iter().enumerate().take(Self::PARTS) {
            // SAFETY: `i < m` and `j < n`, so this is a part of an element of C. The caller ensures exclusive access to C.
            unsafe { to.wrapping_add(part).write(value) };
        }
    }
}

/// Returns an upper bound of the bytes that `matrixmultiply` allocates for a product. A call has at most [`KC`] terms.
const fn packing_bytes<R>(m: usize, k: usize, n: usize) -> usize {
    let rows = 4 * m.next_multiple_of(MAX_REGISTER_TILE);
    let rows = if rows < MAX_PACKED_ROWS { rows } else { MAX_PACKED_ROWS };
    let k = if k < KC { k } else { KC };
    k * (rows + n.next_multiple_of(MAX_REGISTER_TILE)) * size_of::<R>()
}

/// Computes a tile on the current thread with `matrixmultiply`. If the memory that this needs cannot be allocated, uses [`plain`] instead.
///
/// # Safety
/// The caller must ensure:
/// * A and B are readable at all their indices.
/// * C is exclusive to the caller at all its indices, no two of which are the same element.
/// * `k` is not zero.
unsafe fn tile<R: GemmReal, const COMPLEX: bool>(tile: &AccumulatorTile<R, COMPLEX>) {
    let AccumulatorTile { m, k, n, a, b, c, .. } = *tile;
    let in_place = tile.in_place();
    let needed = if in_place { 0 } else { AccumulatorTile::<R, COMPLEX>::PARTS * m * n };
    with_scratch(Side::A, needed, 0, |scratch: *mut R, granted| {
        if granted < needed || !can_allocate(packing_bytes::<R>(m, k, n)) {
            return if R::kernel_fuses() {
                // SAFETY: `plain` requires the conditions that the enclosing function requires, for the same argument. The caller of the
                // enclosing function ensures them.
                unsafe { plain::<R, COMPLEX, true>(tile) }
            } else {
                // SAFETY: `plain` requires the conditions that the enclosing function requires, for the same argument. The caller of the
                // enclosing function ensures them.
                unsafe { plain::<R, COMPLEX, false>(tile) }
            };
        }
        let sums = |part: usize| {
            let scratch = HostPtr::new(scratch.wrapping_add(part * m * n));
            if in_place { c } else { Matrix::new(scratch, [n as isize, 1]) }
        };
        let mut begun = [in_place && tile.reads_c(), false];
        for terms in tile.blocks() {
            for pass in tile.passes() {
                let alpha = if pass.minus { -R::one() } else { R::one() };
                let beta = if begun[pass.sums] { R::one() } else { R::zero() };
                begun[pass.sums] = true;
                let a = a.from(0, terms.start).moved(pass.a as isize);
                let b = b.from(terms.start, 0).moved(pass.b as isize);
                // SAFETY: `terms` is within `0..k`, so the caller of this function ensures that these elements of A and B may be read.
                // `sums(..)` is either C or `m · n` numbers in the scratch buffer. The caller ensures exclusive access to C, and only this
                // closure accesses the scratch buffer. There, the first pass of each part has `beta` 0, so uninitialised numbers are not
                // read.
                unsafe { R::gemm([m, terms.len(), n], alpha, a, b, beta, sums(pass.sums)) };
            }
        }
        if in_place {
            return;
        }
        for i in 0..m {
            for j in 0..n {
                let mut sum = [R::zero(); 2];
                for (part, sum) in sum.iter_mut().enumerate().take(AccumulatorTile::<R, COMPLEX>::PARTS) {
                    // SAFETY: `i < m` and `j < n`, so this is one of the `m · n` numbers of `sums(part)` in the scratch buffer. `k` is not
                    // zero, so at least one pass has written it.
                    *sum = unsafe { *sums(part).from(i, j).ptr.get() };
                }
                // SAFETY: `i < m` and `j < n`. The caller of this function ensures exclusive access to C.
                unsafe { tile.finish(i, j, sum) };
            }
        }
    });
}

/// Computes a tile without allocating. Called for small products, and if the memory for packing cannot be allocated. With `FUSE`,
/// uses fused multiply-adds. If `FUSE` equals [`GemmReal::kernel_fuses`], the result has the same bits as with `matrixmultiply`.
///
/// # Safety
/// The caller must ensure the conditions of [`tile`].
unsafe fn plain<R: GemmReal, const COMPLEX: bool, const FUSE: bool>(tile: &AccumulatorTile<R, COMPLEX>) {
    let AccumulatorTile { m, n, .. } = *tile;
    for row in (0..m).step_by(PLAIN_SIDE) {
        for column in (0..n).step_by(PLAIN_SIDE) {
            // SAFETY: `plain_block` requires the conditions of the function `tile`, which the caller of `plain` ensures. It also requires
            // `row < m` and `column < n`, which the ranges of the loops ensure.
            unsafe { plain_block::<R, COMPLEX, FUSE>(tile, row, column) };
        }
    }
}

/// Computes a block of at most [`PLAIN_SIDE`] rows and columns, whose first element is at `row` and `column`. See [`plain`].
///
/// # Safety
/// The caller must ensure the conditions of [`tile`], and that `row < m` and `column < n`.
#[inline]
unsafe fn plain_block<R: GemmReal, const COMPLEX: bool, const FUSE: bool>(
    tile: &AccumulatorTile<R, COMPLEX>,
    row: usize,
    column: usize,
) {
    const SIDE: usize = PLAIN_SIDE;
    let AccumulatorTile { m, n, a, b, c, .. } = *tile;
    let in_place = tile.in_place();
    let begun = in_place && tile.reads_c();
    // At the edges of the tile, a block may extend past the last row or column. The last row or column is then computed several
    // times. The repeated results are not written.
    let (mut rows, mut columns) = ([0; SIDE], [0; SIDE]);
    for i in 0..SIDE {
        rows[i] = (row + i).min(m - 1);
        columns[i] = (column + i).min(n - 1);
    }
    let mut sums = [[[R::zero(); SIDE]; SIDE]; 2];
    let mut begun = [begun, false];
    if begun[0] {
        for (i, j) in (0..SIDE).flat_map(|i| (0..SIDE).map(move |j| (i, j))) {
            // SAFETY: `rows[i] < m` and `columns[j] < n`, so this is an element of C. The caller of this function ensures exclusive access
            // to C.
            sums[0][i][j] = unsafe { *c.from(rows[i], columns[j]).ptr.get() };
        }
    }
    for terms in tile.blocks() {
        for pass in tile.passes() {
            let (mut from_a, mut from_b) = ([a; SIDE], [b; SIDE]);
            for i in 0..SIDE {
                from_a[i] = a.from(rows[i], 0).moved(pass.a as isize);
                from_b[i] = b.from(0, columns[i]).moved(pass.b as isize);
            }
            let mut block = [[R::zero(); SIDE]; SIDE];
            for p in terms.clone() {
                let (mut x, mut y) = ([R::zero(); SIDE], [R::zero(); SIDE]);
                for i in 0..SIDE {
                    // SAFETY: `from_a[i]` is the real or imaginary part of the first element of a row of A, and `p < k`. So it leads to an
                    // element of A, which the caller ensures may be read.
                    x[i] = unsafe { *from_a[i].from(0, p).ptr.get() };
                    // SAFETY: `from_b[i]` is the real or imaginary part of the first element of a column of B, and `p < k`. So it leads to
                    // an element of B, which the caller ensures may be read.
                    y[i] = unsafe { *from_b[i].from(p, 0).ptr.get() };
                }
                for i in 0..SIDE {
                    for j in 0..SIDE {
                        let sum = &mut block[i][j];
                        *sum = if FUSE { x[i].fused(y[j], *sum) } else { *sum + x[i] * y[j] };
                    }
                }
            }
            let sums = &mut sums[pass.sums];
            for (i, j) in (0..SIDE).flat_map(|i| (0..SIDE).map(move |j| (i, j))) {
                let block = if pass.minus { -block[i][j] } else { block[i][j] };
                sums[i][j] = if begun[pass.sums] { sums[i][j] + block } else { block };
            }
            begun[pass.sums] = true;
        }
    }
    let (height, width) = (SIDE.min(m - row), SIDE.min(n - column));
    for (i, j) in (0..height).flat_map(|i| (0..width).map(move |j| (i, j))) {
        if in_place {
            // SAFETY: `row + i < m` and `column + j < n`, so this is an element of C. The caller of this function ensures exclusive access
            // to C.
            unsafe { *c.from(row + i, column + j).ptr.get() = sums[0][i][j] };
        } else {
            // SAFETY: `row + i < m` and `column + j < n`. The caller of this function ensures exclusive access to C.
            unsafe { tile.finish(row + i, column + j, [sums[0][i][j], sums[1][i][j]]) };
        }
    }
}
