//! Floating-point products with the intrinsics of AVX2 and AVX-512, on x86-64 only. At the level `portable` and on other
//! architectures, [`portable`](super::portable) computes them.
//!
//! The algorithms are generic over the trait [`Vector`](vector::Vector). Each instruction set is a module that implements it.
//!
//! ```text
//! multiply
//!     sides of 2, 3 or 4: unrolled loops                                       (tiny)
//!     transpose the product if that makes the columns of C contiguous          (is_transposed)
//!     A is small, or the product has few columns or terms:                     (run)
//!         split C in half, recursively, for threads and until A fits a cache   (direct)
//!         for each KC terms                                                    (direct_in_blocks)
//!             register tiles that read the operands in place; if a column
//!             of A is not contiguous, A is packed                              (direct_here, module direct)
//!     otherwise:
//!         pack both operands                                                   (module packed)
//! ```

mod avx2;
mod avx512;
mod direct;
#[cfg(test)]
mod emulated;
mod pack;
mod packed;
mod tile;
mod vector;

use super::PARALLEL_WORK;
use super::product::{MatrixProduct, Product, one_by_one, reals};
use super::tiny;
use crate::device::HostPtr;
use crate::device::cpu::loops::threads::join;
use crate::device::cpu::memory::scratch::{Side, with_scratch};
use crate::element::Scalar;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::simd::Level;
use avx2::{F32x8, F64x4};
use avx512::{F32x16, F64x8};
use direct::{Batch, Direct};
#[cfg(test)]
use emulated::Lanes;
use pack::{Pack, PackPanels};
use packed::{KC, Packed, parts};
use tile::{OneTile, Tile};
use vector::Vector;

/// An instruction set that this processor has and that the environment variable `VIERBEIN_SIMD` allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Isa {
    Avx2,
    Avx512,
    /// The register tile of AVX2, computed with arrays: [`Lanes`].
    #[cfg(test)]
    Emulated,
    /// The register tile of AVX-512, computed with arrays.
    #[cfg(test)]
    EmulatedWide,
}

impl Isa {
    /// Returns the widest available instruction set, or `None` at the level `portable`.
    #[inline]
    pub(super) fn detect() -> Option<Isa> {
        match Level::get() {
            Level::Avx512 => Some(Isa::Avx512),
            Level::Avx2 => Some(Isa::Avx2),
            Level::Portable => None,
        }
    }

    /// Returns the matrix product with this instruction set.
    pub(super) fn backend<T: Scalar>(self) -> &'static dyn MatrixProduct<T> {
        match self {
            Isa::Avx512 => &Isa::Avx512,
            Isa::Avx2 => &Isa::Avx2,
            #[cfg(test)]
            Isa::Emulated => &Isa::Emulated,
            #[cfg(test)]
            Isa::EmulatedWide => &Isa::EmulatedWide,
        }
    }

    /// Returns all instruction sets up to the one that [`detect`](Isa::detect) returns.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Isa> {
        let level = |isa: &Isa| if *isa == Isa::Avx2 { Level::Avx2 } else { Level::Avx512 };
        [Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| level(isa) <= Level::get()).collect()
    }

    #[cfg(test)]
    pub(super) const EMULATED: [Isa; 2] = [Isa::Emulated, Isa::EmulatedWide];

    /// Computes `product`, or all products of `batch`.
    ///
    /// # Safety
    /// As [`MatrixProduct::multiply`], for `product` or for each product of `batch`. In a batch, `a.down` must be 1.
    unsafe fn run<T: Scalar>(self, product: &Product<T>, batch: Option<Batch<'_>>) {
        macro_rules! run {
            (avx512: $avx512:ty, avx2: $avx2:ty, emulated: $wide:ty, $narrow:ty, complex: $complex:literal) => {
                match self {
                    // SAFETY: `run` has this function's contract. `detect` and `all` return only instruction sets that the processor
                    // has. The lanes are `T`'s real numbers, and the literal is `T::COMPLEX`, by the conditions below.
                    Isa::Avx512 => unsafe { run::<T, $avx512, $complex>(product, batch) },
                    // SAFETY: as for `Avx512`: the same contract, and the processor has AVX2.
                    Isa::Avx2 => unsafe { run::<T, $avx2, $complex>(product, batch) },
                    // SAFETY: as for `Avx512`: the same contract. Emulated vectors need no instruction set.
                    #[cfg(test)]
                    Isa::EmulatedWide => unsafe { run::<T, $wide, $complex>(product, batch) },
                    // SAFETY: as for `Avx512`: the same contract. Emulated vectors need no instruction set.
                    #[cfg(test)]
                    Isa::Emulated => unsafe { run::<T, $narrow, $complex>(product, batch) },
                }
            };
        }
        // With `const` in each condition, the compiler does not instantiate the kernels of the other branches for `T`.
        if const { T::INTEGER } {
            unreachable!("no vectors for the integer type {}", T::DTYPE.name());
        } else if const { T::COMPLEX } {
            if const { size_of::<T::Real>() == 8 } {
                run!(avx512: F64x8, avx2: F64x4, emulated: Lanes<f64, 8>, Lanes<f64, 4>, complex: true);
            } else {
                run!(avx512: F32x16, avx2: F32x8, emulated: Lanes<f32, 16>, Lanes<f32, 8>, complex: true);
            }
        } else if const { size_of::<T::Real>() == 8 } {
            run!(avx512: F64x8, avx2: F64x4, emulated: Lanes<f64, 8>, Lanes<f64, 4>, complex: false);
        } else {
            run!(avx512: F32x16, avx2: F32x8, emulated: Lanes<f32, 16>, Lanes<f32, 8>, complex: false);
        }
    }
}

impl<T: Scalar> MatrixProduct<T> for Isa {
    unsafe fn multiply(&self, product: &Product<T>) -> Result<(), Error> {
        // SAFETY: `tiny::multiply` has this function's contract.
        if unsafe { tiny::multiply(product) } {
            return Ok(());
        }
        let product = straight(if is_transposed(product) { product.transposed() } else { *product });
        // SAFETY: the transposed product has the same elements, and `straight` replaces only strides of axes with one element. So
        // the contract still holds.
        unsafe { self.run(&product, None) };
        Ok(())
    }

    unsafe fn multiply_all(
        &self,
        product: &Product<T>,
        walk: &mut Odometer<3>,
        count: usize,
    ) -> Result<(), Error> {
        let transposed = is_transposed(product);
        let straight = straight(if transposed { product.transposed() } else { *product });
        if straight.a.down != 1 || product.work() > MAX_BATCHED_WORK || product.k > KC {
            // SAFETY: `one_by_one` has this function's contract.
            return unsafe { one_by_one(self, product, walk, count) };
        }
        // SAFETY: the contract holds for each product of the batch; transposing keeps the elements, and `straight.a.down` is 1.
        unsafe { self.run(&straight, Some(Batch { walk, count, transposed })) };
        Ok(())
    }
}

/// Returns whether to compute the transposed product. The kernels are fastest if the columns of `c` are contiguous (`c.down` is
/// 1). If both products have such a `c`, the product with more rows is chosen. If neither has, the product with contiguous columns of
/// `a` is chosen.
fn is_transposed<T: Scalar>(product: &Product<T>) -> bool {
    // The stride of an axis with one element is irrelevant.
    let unit = |stride: isize, len: usize| stride == 1 || len == 1;
    let Product { m, k, n, a, b, c, .. } = product;
    match (unit(c.down, *m), unit(c.right, *n)) {
        (true, false) => false,
        (false, true) => true,
        // A result with one row or column: the vectors extend along its longer side.
        (true, true) => m < n,
        (false, false) => a.down != 1 && b.right == 1 && *k != 1,
    }
}

/// Returns the product, with `a.down` and `c.down` set to 1 if there is one row. These strides are then irrelevant.
fn straight<T: Scalar>(mut product: Product<T>) -> Product<T> {
    if product.m == 1 {
        (product.a.down, product.c.down) = (1, 1);
    }
    product
}

/// Largest product, in multiplications, for which one call computes a whole batch. Larger ones may run on several threads.
const MAX_BATCHED_WORK: usize = 1 << 14;
/// Elements of `a`, `b` and `c` together, below which a second thread is slower. A product with at least [`PARALLEL_WORK`]
/// multiplications runs on several threads even if it has fewer elements.
const PARALLEL_ELEMENTS: usize = 1 << 16;
/// Largest size of both operands together, in bytes, up to which they are read in place if the columns of `a` are contiguous.
/// Up to this size, packing is slower.
const MAX_DIRECT_BYTES: usize = 512 << 10;
/// Largest size of `b`, in bytes, that is read again for each panel of rows of `a`.
const MAX_REREAD_BYTES: usize = 128 << 10;
/// Largest part of `a`, in bytes, that stays in L2 while `b` streams through.
const A_CACHED_BYTES: usize = 160 << 10;

/// Computes a product, or a batch, with vectors `V`: in place if an operand fits in cache, otherwise packed.
///
/// # Safety
/// As [`Isa::run`]. The caller must also ensure:
/// * The processor has the instruction set of `V`.
/// * The lanes of `V` are `T`'s real numbers, and `COMPLEX` is `T::COMPLEX`.
unsafe fn run<T: Scalar, V: Vector, const COMPLEX: bool>(product: &Product<T>, batch: Option<Batch<'_>>) {
    let Product { m, k, n, a, .. } = *product;
    let part = if COMPLEX { 2 } else { 1 };
    if batch.is_some() {
        // SAFETY: `direct_here` has this function's contract, and `a.down` is 1 in a batch.
        return unsafe { direct_here::<T, V, COMPLEX>(product, batch) };
    }
    let size = size_of::<T>();
    let thin = n * part <= V::TILE_COLUMNS || k <= 8;
    let panel = V::TILE_VECTORS * V::LANES / part;
    let in_place = a.down == 1;
    let bytes = |rows: usize, columns: usize| rows.saturating_mul(columns).saturating_mul(size);
    // Vectors of a whole cache line. Tiles of narrower ones may use only a part of each line that they read in place.
    let whole_lines = size_of::<V>() == 64;
    let near = bytes(m, k) <= A_CACHED_BYTES
        || in_place && whole_lines && bytes(m.saturating_add(n), k) <= MAX_DIRECT_BYTES;
    if near || thin && (in_place || k * panel * size <= A_CACHED_BYTES) {
        // SAFETY: `direct` has this function's contract.
        unsafe { direct::<T, V, COMPLEX>(*product) };
    } else {
        let (a, b, c, scaling) = reals(product);
        let packed = Packed::<V::Real, COMPLEX> { m, k, n, a, b, c, scaling };
        // SAFETY: `reals` describes the elements of `product`, so `a` and `b` are readable and `c` is exclusive; the processor
        // supports `V`.
        unsafe { packed.run::<V>() };
    }
}

/// Splits the product in half, recursively, until each part of `a` stays in cache. Large products run on several threads.
///
/// # Safety
/// As [`run`], without a batch.
unsafe fn direct<T: Scalar, V: Vector, const COMPLEX: bool>(product: Product<T>) {
    let Product { m, k, n, .. } = product;
    let part = if COMPLEX { 2 } else { 1 };
    let (height, width) = (V::TILE_VECTORS * V::LANES / part, V::TILE_COLUMNS / part);
    let elements = m * k + k * n + m * n;
    // A complex multiplication is four real ones.
    let work = product.work().saturating_mul(part * part);
    let threads = work >= PARALLEL_WORK || elements >= 2 * PARALLEL_ELEMENTS;
    let far = m * k * size_of::<T>() > A_CACHED_BYTES;
    let halves = if m >= 2 * height && (far || threads && m >= n) {
        Some(product.split_rows((m / 2).next_multiple_of(height)))
    } else if n >= 2 * width && threads {
        Some(product.split_columns((n / 2).next_multiple_of(width)))
    } else {
        None
    };
    if let Some((one, other)) = halves {
        // SAFETY: each half is a part of the product with at least one row and column, so the contract holds for both. They
        // write different elements of `c`, so they may run in parallel.
        let (one, other) =
            (|| unsafe { direct::<T, V, COMPLEX>(one) }, || unsafe { direct::<T, V, COMPLEX>(other) });
        if threads {
            join(one, other);
        } else {
            one();
            other();
        }
        return;
    }
    if k > KC {
        // SAFETY: `direct_in_blocks` has this function's contract.
        unsafe { direct_in_blocks::<T, V, COMPLEX>(&product) };
    } else {
        // SAFETY: `direct_here` has this function's contract; there is no batch.
        unsafe { direct_here::<T, V, COMPLEX>(&product, None) };
    }
}

/// Computes a product on the current thread, in blocks of at most [`KC`] terms: shorter partial sums have smaller rounding
/// errors.
///
/// # Safety
/// As [`run`], without a batch.
#[inline(never)]
unsafe fn direct_in_blocks<T: Scalar, V: Vector, const COMPLEX: bool>(product: &Product<T>) {
    for terms in parts(product.k, KC, 1) {
        let beta = if terms.start > 0 { T::one() } else { product.beta };
        let (a, b) = (product.a.from(0, terms.start), product.b.from(terms.start, 0));
        let some = Product { k: terms.len(), a, b, beta, ..*product };
        // SAFETY: `some` reads the columns `terms` of `a` and the rows `terms` of `b`, which are readable by the contract, and
        // writes the same `c`.
        unsafe { direct_here::<T, V, COMPLEX>(&some, None) };
    }
}

/// Computes a product, or a batch, on the current thread, with all terms in one block.
///
/// # Safety
/// As [`run`]; in a batch, `a.down` must be 1.
unsafe fn direct_here<T: Scalar, V: Vector, const COMPLEX: bool>(
    product: &Product<T>,
    batch: Option<Batch<'_>>,
) {
    let Product { m, k, n, .. } = *product;
    let (a, b, c, scaling) = reals(product);
    let part = if COMPLEX { 2 } else { 1 };
    let (height, width) = (V::TILE_VECTORS * V::LANES / part, V::TILE_COLUMNS / part);
    if batch.is_none() && m <= height && n <= width && product.a.down == 1 && product.c.down == 1 {
        let tile = Tile {
            k,
            rows: m * part,
            columns: n,
            a: a.ptr.get(),
            a_step: a.right,
            b: b.ptr.get(),
            b_step: b.down,
            b_column: b.right,
            c: c.ptr.get(),
            c_row: c.down,
            c_column: c.right,
            ahead: core::ptr::null(),
        };
        // SAFETY: by the contract of `run`, the processor has the instruction set, `a` and `b` are readable and `c` is exclusive.
        // The product has no more rows and columns than a tile, and the columns of `a` and `c` are contiguous.
        unsafe {
            V::within(OneTile::<V::Real, COMPLEX> { tile: &tile, scaling: &scaling, overwrite: false })
        };
        return;
    }
    let by_rows = k * n * size_of::<T>() <= MAX_REREAD_BYTES && n >= 2 * width;
    let direct =
        Direct::<V::Real, COMPLEX> { m, k, n, a, b, c, scaling: &scaling, batch, by_rows, pack: None };
    // Whether to pack `a` although its columns are contiguous. Columns at a multiple of a large power of two map to the same sets
    // of the L1 cache.
    let apart = by_rows
        && n >= 8 * width
        && (size_of::<V>() < 64 || (product.a.right.unsigned_abs() * size_of::<T>()).is_multiple_of(1024));
    if product.a.down == 1 && !apart {
        // SAFETY: by the contract of `run`, the processor has the instruction set, `a` and `b` are readable and `c` is exclusive.
        // The columns of `a` are contiguous, as `Direct` requires without `pack`.
        return unsafe { V::within(direct) };
    }
    let mut pack = Pack {
        from: a.ptr,
        across: a.down,
        along: a.right,
        width: if by_rows { m.min(height) } else { m },
        steps: k,
        panel: height,
        multiple: V::LANES / part,
        to: HostPtr::new(core::ptr::null_mut()),
        complex: COMPLEX,
    };
    // A small buffer: either all of `a`, which fits in cache here, or one panel of rows.
    let room = pack.packed_len();
    with_scratch(Side::A, room, room, |room, _| {
        pack.to = HostPtr::new(room);
        if !by_rows {
            // SAFETY: the processor has the instruction set, and `a` is readable, by the contract. `room` has `packed_len` numbers,
            // to which this closure has exclusive access.
            unsafe { V::within(PackPanels { pack: &pack, panels: 0..pack.panels() }) };
        }
        // SAFETY: by the contract of `run`, the processor has the instruction set, `a` and `b` are readable and `c` is exclusive.
        // Either all of `a` has just been packed, or `by_rows` is set and `room` has space for one panel.
        unsafe { V::within(Direct { pack: Some(&pack), ..direct }) };
    });
}
