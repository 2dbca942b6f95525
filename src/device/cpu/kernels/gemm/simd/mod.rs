//! Floating-point products with the intrinsics of AVX2 and AVX-512, for x86-64 only. At the level `portable` and on other
//! architectures, [`portable`](super::portable) computes them.
//!
//! The algorithms are generic over a [`Vector`](vector::Vector); an instruction set is a module that implements it.

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

/// An instruction set that this processor has and that `VIERBEIN_SIMD` allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Isa {
    Avx2,
    Avx512,
    /// The register tiles of both without their instructions.
    #[cfg(test)]
    Emulated,
    #[cfg(test)]
    EmulatedWide,
}

impl Isa {
    /// Returns the widest one, or `None` at the level `portable`.
    #[inline]
    pub(super) fn detect() -> Option<Isa> {
        match Level::get() {
            Level::Avx512 => Some(Isa::Avx512),
            Level::Avx2 => Some(Isa::Avx2),
            Level::Portable => None,
        }
    }

    /// Returns its implementation of matrix products.
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

    /// Returns all that [`detect`](Isa::detect) can return on this machine.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Isa> {
        let level = |isa: &Isa| if *isa == Isa::Avx2 { Level::Avx2 } else { Level::Avx512 };
        [Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| level(isa) <= Level::get()).collect()
    }

    #[cfg(test)]
    pub(super) const EMULATED: [Isa; 2] = [Isa::Emulated, Isa::EmulatedWide];

    /// Computes a product, or a batch.
    ///
    /// # Safety
    /// As [`MatrixProduct::multiply`], for `product` or for each product of `batch`. In a batch, `a.down` is 1.
    unsafe fn run<T: Scalar>(self, product: &Product<T>, batch: Option<Batch<'_>>) {
        macro_rules! run {
            (avx512: $avx512:ty, avx2: $avx2:ty, emulated: $wide:ty, $narrow:ty, complex: $complex:literal) => {
                match self {
                    // SAFETY: the contract is the same. `detect` and `all` return only what the processor has, and the lanes are
                    // `T`'s real numbers.
                    Isa::Avx512 => unsafe { run::<T, $avx512, $complex>(product, batch) },
                    // SAFETY: as for `Avx512`.
                    Isa::Avx2 => unsafe { run::<T, $avx2, $complex>(product, batch) },
                    // SAFETY: as for `Avx512`, but emulated vectors need no instruction set.
                    #[cfg(test)]
                    Isa::EmulatedWide => unsafe { run::<T, $wide, $complex>(product, batch) },
                    // SAFETY: as for `Avx512`, but emulated vectors need no instruction set.
                    #[cfg(test)]
                    Isa::Emulated => unsafe { run::<T, $narrow, $complex>(product, batch) },
                }
            };
        }
        // One constant in each condition: then the kernels of other types are not compiled for `T`.
        if const { T::INTEGER } {
            unreachable!("vectors of {}", T::DTYPE.name());
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
        // SAFETY: transposing a product and replacing strides of axes with one element keeps its elements, so the contract still
        // holds.
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
        // SAFETY: the contract holds for each product of the batch, also transposed, and `straight.a.down` is 1.
        unsafe { self.run(&straight, Some(Batch { walk, count, transposed })) };
        Ok(())
    }
}

/// Returns whether to compute the transposed product, so that rows of the result are adjacent (`c.down` is 1). If that holds for
/// neither product, rows of `a` decide; if for both, the sizes.
fn is_transposed<T: Scalar>(product: &Product<T>) -> bool {
    // The stride of an axis with one element has no meaning.
    let unit = |stride: isize, len: usize| stride == 1 || len == 1;
    let Product { m, k, n, a, b, c, .. } = product;
    match (unit(c.down, *m), unit(c.right, *n)) {
        (true, false) => false,
        (false, true) => true,
        // A matrix of one row or column: vectors extend along the other side.
        (true, true) => m < n,
        (false, false) => a.down != 1 && b.right == 1 && *k != 1,
    }
}

/// Returns the product with `down` 1 in `a` and `c` if they have one row, in which case the stride has no meaning.
fn straight<T: Scalar>(mut product: Product<T>) -> Product<T> {
    if product.m == 1 {
        (product.a.down, product.c.down) = (1, 1);
    }
    product
}

/// Largest product, in multiplications, of which one call computes a whole batch.
const MAX_BATCHED_WORK: usize = 1 << 14;
/// Elements to read and to write below which a second thread is slower, unless there are as many multiplications as
/// [`PARALLEL_WORK`].
const PARALLEL_ELEMENTS: usize = 1 << 16;
/// Operands of at most this many bytes together are read in place if the rows of `a` are contiguous: faster than packing.
const MAX_DIRECT_BYTES: usize = 512 << 10;
/// Largest part of `b`, in bytes, that is read again for each panel of rows.
const MAX_REREAD_BYTES: usize = 128 << 10;
/// Largest part of `a`, in bytes, that stays in cache while `b` streams through.
const A_CACHED_BYTES: usize = 160 << 10;

/// Computes a product, or a batch, with vectors `V`.
///
/// # Safety
/// As [`Isa::run`]. The caller must also ensure that the processor has the instruction set of `V`, that its lanes are `T`'s real
/// numbers, and that `COMPLEX` is `T::COMPLEX`.
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
    // Tiles of narrower vectors use only a part of each cache line.
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

/// Computes a product in parts whose elements of `a` stay in cache, on several threads if they are large.
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
        // SAFETY: the contract holds for both halves, which are not empty and write different elements of `c`.
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

/// Runs on the current thread, in blocks of at most [`KC`] terms: shorter partial sums have smaller rounding errors.
///
/// # Safety
/// As [`run`], without a batch.
#[inline(never)]
unsafe fn direct_in_blocks<T: Scalar, V: Vector, const COMPLEX: bool>(product: &Product<T>) {
    for terms in parts(product.k, KC, 1) {
        let beta = if terms.start > 0 { T::one() } else { product.beta };
        let (a, b) = (product.a.from(0, terms.start), product.b.from(terms.start, 0));
        let some = Product { k: terms.len(), a, b, beta, ..*product };
        // SAFETY: the contract holds for `some`, which reads the columns `terms` of `a` and rows `terms` of `b`, and writes the
        // same `c`.
        unsafe { direct_here::<T, V, COMPLEX>(&some, None) };
    }
}

/// Runs on the current thread, with all terms in one block.
///
/// # Safety
/// As [`run`]: in a batch, `a.down` is 1.
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
        // SAFETY: the contract of `run`. The product has no more rows and columns than a tile, and rows of `a` and of `c` are
        // adjacent.
        unsafe {
            V::within(OneTile::<V::Real, COMPLEX> { tile: &tile, scaling: &scaling, overwrite: false })
        };
        return;
    }
    let by_rows = k * n * size_of::<T>() <= MAX_REREAD_BYTES && n >= 2 * width;
    let direct =
        Direct::<V::Real, COMPLEX> { m, k, n, a, b, c, scaling: &scaling, batch, by_rows, pack: None };
    // Columns of `a` whose distance is a multiple of a large power of two compete for the same lines of the L1 cache.
    let apart = by_rows
        && n >= 8 * width
        && (size_of::<V>() < 64 || (product.a.right.unsigned_abs() * size_of::<T>()).is_multiple_of(1024));
    if product.a.down == 1 && !apart {
        // SAFETY: the contract of `run`; rows of `a` are adjacent, as `Direct` requires without `pack`.
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
    // Never large: `a` stays in cache, or has few rows.
    let room = pack.packed_len();
    with_scratch(Side::A, room, room, |room, _| {
        pack.to = HostPtr::new(room);
        if !by_rows {
            // SAFETY: `a` is readable by the contract; `room` has `packed_len` elements, to which this closure has exclusive
            // access.
            unsafe { V::within(PackPanels { pack: &pack, panels: 0..pack.panels() }) };
        }
        // SAFETY: the contract of `run`. All of `a` has just been packed; or `by_rows`, and `room` has space for one panel.
        unsafe { V::within(Direct { pack: Some(&pack), ..direct }) };
    });
}
