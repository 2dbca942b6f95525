//! Floating-point matrix products with the registers of AVX2 and AVX-512 on x86-64, and of NEON on 64-bit ARM. At the level `portable`,
//! and on other architectures, the module [`portable`](super::portable) computes these products.
//!
//! The algorithms are generic over the trait [`FloatVector`].
//!
//! ```text
//! multiply
//!     square matrices with 2, 3 or 4 rows: unrolled loops                      (tiny)
//!     transpose the product if that makes the columns of C contiguous          (is_transposed)
//!     A has at most `A_CACHED_BYTES`, or A and B together have at most
//!     `MAX_DIRECT_BYTES`, or there are few columns or terms:                   (run)
//!         split C in half, recursively, for threads and until A fits in L2     (direct)
//!         for each KC terms                                                    (direct_in_blocks)
//!             compute register tiles: read B in place; read A in place if
//!             its columns are contiguous, otherwise pack it                    (direct_here, module direct)
//!     otherwise:
//!         pack both operands                                                   (module packed)
//! multiply_all
//!     small products, and the columns of A are contiguous: one call for all    (direct_here)
//!     otherwise: multiply for each product of the batch                        (one_by_one)
//! ```

mod direct;
#[cfg(test)]
mod emulated;
mod pack;
mod packed;
mod scale;
mod tile;

use super::PARALLEL_WORK;
use super::product::{MatrixProduct, Product, one_by_one, reals};
use super::tiny;
use crate::device::HostPtr;
use crate::device::cpu::loops::threads::join;
use crate::device::cpu::memory::scratch::{Side, with_scratch};
use crate::element::Scalar;
use crate::error::Error;
use crate::layout::odometer::Odometer;
#[cfg(target_arch = "aarch64")]
use crate::simd::neon::{F32x4, F64x2, Neon};
use crate::simd::vector::{FloatVector, Isa};
#[cfg(target_arch = "x86_64")]
use crate::simd::{
    HAS_WIDE_LEVELS,
    avx2::{Avx2, F32x8, F64x4},
    avx512::{Avx512, F32x16, F64x8},
};
use core::marker::PhantomData;
use direct::{Direct, DirectBatch};
use pack::{Pack, PackPanels};
use packed::{KC, Packed, parts};
use tile::{MicroTile, OneTile, RegisterTile, tile_columns};

/// The registers of real numbers of an instruction set, or emulated ones.
trait Registers: 'static {
    type F32: FloatVector<Real = f32>;
    type F64: FloatVector<Real = f64>;
}

#[cfg(target_arch = "x86_64")]
impl Registers for Avx2 {
    type F32 = F32x8;
    type F64 = F64x4;
}

#[cfg(target_arch = "x86_64")]
impl Registers for Avx512 {
    type F32 = F32x16;
    type F64 = F64x8;
}

#[cfg(target_arch = "aarch64")]
impl Registers for Neon {
    type F32 = F32x4;
    type F64 = F64x2;
}

/// Products by registers. A value exists only if the processor has their instruction set.
struct BySimd<R>(PhantomData<fn() -> R>);

impl<R: Registers> BySimd<R> {
    /// Returns the products by the registers of a token.
    fn by<T: Scalar>(_: R) -> &'static dyn MatrixProduct<T> {
        const { &BySimd::<R>(PhantomData) }
    }
}

/// Returns the products by the widest registers that the processor has and that the environment variable `VIERBEIN_SIMD` allows. Returns
/// `None` at the level `portable`, and on architectures without registers.
#[inline]
pub(super) fn detect<T: Scalar>() -> Option<&'static dyn MatrixProduct<T>> {
    #[cfg(target_arch = "x86_64")]
    return if const { HAS_WIDE_LEVELS } {
        match Avx512::new() {
            Some(isa) => Some(BySimd::by(isa)),
            None => Avx2::new().map(BySimd::by),
        }
    } else {
        None
    };
    #[cfg(target_arch = "aarch64")]
    return Neon::new().map(BySimd::by);
}

/// Returns the products by the registers of each instruction set that the processor has.
#[cfg(test)]
pub(super) fn all<T: Scalar>() -> Vec<&'static dyn MatrixProduct<T>> {
    #[cfg(target_arch = "x86_64")]
    let found = [Avx2::new().map(BySimd::by), Avx512::new().map(BySimd::by)];
    #[cfg(target_arch = "aarch64")]
    let found = [Neon::new().map(BySimd::by)];
    found.into_iter().flatten().collect()
}

/// Returns the products by the register tiles of each instruction set, computed with arrays ([`EmulatedRegister`](emulated::EmulatedRegister)) instead of
/// registers.
#[cfg(test)]
pub(super) fn emulated<T: Scalar>() -> [&'static dyn MatrixProduct<T>; 3] {
    [BySimd::by(emulated::Short), BySimd::by(emulated::Narrow), BySimd::by(emulated::Wide)]
}

/// Computes `product`, or all products of `batch`, with the registers `R`.
///
/// # Safety
/// The caller must ensure:
/// * The conditions of [`MatrixProduct::multiply`], for `product` or for each product of `batch`.
/// * In a batch, the columns of `a` are contiguous: `a.down`, the stride between rows, is 1.
/// * The processor has the instruction set of `R`.
#[inline]
unsafe fn run_by<T: Scalar, R: Registers>(product: &Product<T>, batch: Option<DirectBatch<'_>>) {
    // With `const` in each condition, the compiler does not instantiate the kernels of the other branches for `T`.
    if const { T::INTEGER } {
        unreachable!("no vectors for the integer type {}", T::DTYPE.name());
    } else if const { T::COMPLEX } {
        if const { size_of::<T::Real>() == 8 } {
            // SAFETY: the caller ensures the conditions of `run_by`. The lanes are the parts of `T`, which is complex.
            unsafe { run::<T, R::F64, true>(product, batch) }
        } else {
            // SAFETY: the caller ensures the conditions of `run_by`. The lanes are the parts of `T`, which is complex.
            unsafe { run::<T, R::F32, true>(product, batch) }
        }
    } else if const { size_of::<T::Real>() == 8 } {
        // SAFETY: the caller ensures the conditions of `run_by`. The lanes are numbers of type `T`, which is not complex.
        unsafe { run::<T, R::F64, false>(product, batch) }
    } else {
        // SAFETY: the caller ensures the conditions of `run_by`. The lanes are numbers of type `T`, which is not complex.
        unsafe { run::<T, R::F32, false>(product, batch) }
    }
}

impl<T: Scalar, R: Registers> MatrixProduct<T> for BySimd<R> {
    unsafe fn multiply(&self, product: &Product<T>) -> Result<(), Error> {
        // SAFETY: `tiny::multiply` needs the conditions of `MatrixProduct::multiply` for the same `product`. The caller ensures these.
        if unsafe { tiny::multiply(product) } {
            return Ok(());
        }
        let product = straight(if is_transposed(product) { product.transposed() } else { *product });
        // SAFETY: `run_by` needs the conditions of `MatrixProduct::multiply`, which the caller ensures for the original product. The
        // transposed product has the same elements. `straight` replaces only strides of axes of extent 1, so the elements stay the
        // same. There is no batch. The processor has the instruction set, because `self` exists.
        unsafe { run_by::<T, R>(&product, None) };
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
            // SAFETY: `one_by_one` needs the conditions of `MatrixProduct::multiply_all` for the same arguments. The caller ensures
            // these.
            return unsafe { one_by_one(self, product, walk, count) };
        }
        // SAFETY: the caller ensures the conditions of `MatrixProduct::multiply` for each product of the batch. Neither transposing nor
        // `straight` changes the elements of a product. `straight.a.down` is 1, as was just checked. The processor has the instruction
        // set, because `self` exists.
        unsafe { run_by::<T, R>(&straight, Some(DirectBatch { walk, count, transposed })) };
        Ok(())
    }
}

/// Returns whether to compute the transposed product instead of `product`. The kernels are fastest if the columns of `c` are
/// contiguous (`c.down` is 1).
///
/// * If this holds for only one of the two products, that product is chosen.
/// * If it holds for both, `c` is a single row or column, and the product with more rows is chosen.
/// * If it holds for neither, the transposed product is chosen under these conditions: the columns of its first operand are
///   contiguous, those of the first operand of `product` are not, and `k` is not 1.
fn is_transposed<T: Scalar>(product: &Product<T>) -> bool {
    // The stride of an axis of extent 1 is irrelevant.
    let unit = |stride: isize, len: usize| stride == 1 || len == 1;
    let Product { m, k, n, a, b, c, .. } = product;
    match (unit(c.down, *m), unit(c.right, *n)) {
        (true, false) => false,
        (false, true) => true,
        // `c` is a single row or column. Vectors extend along columns, so the product whose result is a column is chosen.
        (true, true) => m < n,
        (false, false) => a.down != 1 && b.right == 1 && *k != 1,
    }
}

/// Sets `a.down` and `c.down` to 1 if there is a single row. The strides between rows are then irrelevant.
fn straight<T: Scalar>(mut product: Product<T>) -> Product<T> {
    if product.m == 1 {
        (product.a.down, product.c.down) = (1, 1);
    }
    product
}

/// Maximum size of a product, in multiplications, for which one kernel call computes all products of a batch. Larger products are
/// computed one by one, because each may run on several threads.
const MAX_BATCHED_WORK: usize = 1 << 14;
/// Minimum number of elements of `a`, `b` and `c` together in a thread's part of a product. With fewer, a second thread makes the
/// product slower, unless the product has at least [`PARALLEL_WORK`] multiplications.
const PARALLEL_ELEMENTS: usize = 1 << 16;
/// Maximum size of `a` and `b` together, in bytes, for reading both in place. Up to this size, packing takes longer (measured). Used
/// only with vectors of 64 bytes, and only if the columns of `a` are contiguous.
const MAX_DIRECT_BYTES: usize = 512 << 10;
/// Maximum size of `b`, in bytes, for reading all of `b` again for each panel of rows of `a`: the size of L1. For larger `b`, reading `a`
/// again is faster (measured).
const MAX_REREAD_BYTES: usize = 32 << 10;
/// Maximum size of a part of `a`, in bytes, that stays in L2 while `b` streams through.
const A_CACHED_BYTES: usize = 160 << 10;

/// Computes a product, or a batch, with vectors `V`. If the product is small or thin, reads operands in place; otherwise packs
/// them.
///
/// # Safety
/// The caller must ensure:
/// * The conditions of [`run_by`].
/// * The processor has the instruction set of `V`.
/// * The lanes of `V` are `T`'s real numbers, and `COMPLEX` is `T::COMPLEX`.
unsafe fn run<T: Scalar, V: FloatVector, const COMPLEX: bool>(
    product: &Product<T>,
    batch: Option<DirectBatch<'_>>,
) {
    let Product { m, k, n, a, .. } = *product;
    let part = if COMPLEX { 2 } else { 1 };
    if batch.is_some() {
        // SAFETY: `direct_here` needs the conditions of `run` for the same `product` and `batch`. The caller ensures these. They
        // include that `a.down` is 1 in a batch.
        return unsafe { direct_here::<T, V, COMPLEX>(product, batch) };
    }
    let size = size_of::<T>();
    let thin = n <= tile_columns::<V, COMPLEX>() || k <= 8;
    let panel = V::TILE_VECTORS * V::LANES / part;
    let in_place = a.down == 1;
    let bytes = |rows: usize, columns: usize| rows.saturating_mul(columns).saturating_mul(size);
    // Whether a vector is a whole cache line. Tiles of shorter vectors may use only a part of each cache line of an operand that
    // they read in place.
    let whole_lines = size_of::<V>() == 64;
    let near = bytes(m, k) <= A_CACHED_BYTES
        || in_place && whole_lines && bytes(m.saturating_add(n), k) <= MAX_DIRECT_BYTES;
    if near || thin && (in_place || k * panel * size <= A_CACHED_BYTES) {
        // SAFETY: `direct` needs the conditions of `run` for `product`, without a batch. The caller ensures these, and `batch` is
        // `None` here.
        unsafe { direct::<T, V, COMPLEX>(*product) };
    } else {
        let (a, b, c, scaling) = reals(product);
        let packed = Packed::<V::Real, COMPLEX> { m, k, n, a, b, c, scaling };
        // SAFETY: `reals` describes the same elements as `product`. The caller ensures that `a` and `b` may be read, exclusive access
        // to `c`, and that different indices of `c` are different elements. The caller also ensures that the processor has the
        // instruction set of `V`.
        unsafe { packed.run::<V>() };
    }
}

/// Computes a product. Splits it in half, recursively, until each part of `a` stays in L2. Also splits large products for threads.
///
/// # Safety
/// The caller must ensure the conditions of [`run`], without a batch.
unsafe fn direct<T: Scalar, V: FloatVector, const COMPLEX: bool>(product: Product<T>) {
    let Product { m, k, n, .. } = product;
    let part = if COMPLEX { 2 } else { 1 };
    let (height, width) = (V::TILE_VECTORS * V::LANES / part, tile_columns::<V, COMPLEX>());
    let elements = m * k + k * n + m * n;
    // A complex multiplication consists of four real multiplications.
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
        // SAFETY: the caller ensures the conditions of `run` for `product`. They also hold for each half, which is a part of it with at
        // least one row and column. The halves write different elements of `c`, so they may run in parallel.
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
        // SAFETY: `direct_in_blocks` needs the conditions of `run` for `product`, without a batch. The caller of `direct` ensures
        // these.
        unsafe { direct_in_blocks::<T, V, COMPLEX>(&product) };
    } else {
        // SAFETY: `direct_here` needs the conditions of `run` for `product`. The caller of `direct` ensures these. There is no batch.
        unsafe { direct_here::<T, V, COMPLEX>(&product, None) };
    }
}

/// Computes a product on the current thread, in blocks of at most [`KC`] terms. Shorter partial sums have smaller rounding
/// errors.
///
/// # Safety
/// The caller must ensure the conditions of [`run`], without a batch.
#[inline(never)]
unsafe fn direct_in_blocks<T: Scalar, V: FloatVector, const COMPLEX: bool>(product: &Product<T>) {
    for terms in parts(product.k, KC, 1) {
        let beta = if terms.start > 0 { T::one() } else { product.beta };
        let (a, b) = (product.a.from(0, terms.start), product.b.from(terms.start, 0));
        let some = Product { k: terms.len(), a, b, beta, ..*product };
        // SAFETY: `some` reads the columns `terms` of `a` and the rows `terms` of `b`, and writes the elements of `c`. The caller
        // ensures that `a` and `b` may be read, and exclusive access to `c`. There is no batch.
        unsafe { direct_here::<T, V, COMPLEX>(&some, None) };
    }
}

/// Computes a product, or a batch, on the current thread. All terms of a sum are accumulated in registers.
///
/// # Safety
/// The caller must ensure the conditions of [`run`]. In a batch, they include that `a.down` is 1.
unsafe fn direct_here<T: Scalar, V: FloatVector, const COMPLEX: bool>(
    product: &Product<T>,
    batch: Option<DirectBatch<'_>>,
) {
    let Product { m, k, n, .. } = *product;
    let (a, b, c, scaling) = reals(product);
    let part = if COMPLEX { 2 } else { 1 };
    let (height, width) = (V::TILE_VECTORS * V::LANES / part, tile_columns::<V, COMPLEX>());
    if batch.is_none() && m <= height && n <= width && product.a.down == 1 && product.c.down == 1 {
        let tile = MicroTile {
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
        // SAFETY: the caller ensures the conditions of `run`. So the processor has the instruction set of `V`, `a` and `b` may be read,
        // and access to `c` is exclusive. The condition above ensures that the product fits in one tile, and that the columns of `a`
        // and `c` are contiguous.
        unsafe {
            V::within(OneTile::<V::Real, COMPLEX> { tile: &tile, scaling: &scaling, overwrite: false })
        };
        return;
    }
    let by_rows = k * n * size_of::<T>() <= MAX_REREAD_BYTES && n >= 2 * width;
    let (scaling, ahead) = (&scaling, core::ptr::null());
    let direct = Direct::<V::Real, COMPLEX> { m, k, n, a, b, c, scaling, batch, by_rows, pack: None, ahead };
    // Whether to pack `a` although its columns are contiguous. This is faster in two cases. With short vectors, a tile may use only a
    // part of each cache line of `a`. And columns that begin at multiples of a large power of two map to the same sets of a cache: of L1,
    // from which `a` is read if `by_rows`, or of L2. Unless `by_rows`, all of `a` is packed beforehand, so there must be no other product.
    let step = product.a.right.unsigned_abs() * size_of::<T>();
    let apart = n >= 8 * width
        && (by_rows || direct.batch.is_none())
        && (size_of::<V>() < 64 || step.is_multiple_of(if by_rows { 1024 } else { 4096 }));
    if product.a.down == 1 && !apart {
        // SAFETY: the caller ensures the conditions of `run`. So the processor has the instruction set of `V`, `a` and `b` may be read,
        // and access to `c` is exclusive. `Direct` without `pack` needs contiguous columns of `a`, and `product.a.down == 1` was just
        // checked.
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
    // The buffer holds either all of `a`, which fits in L2 here, or one panel of rows. Both fit in the stack buffer that `with_scratch`
    // provides if the allocation fails. So the whole length is requested as the minimum, and no algorithm with less scratch is needed.
    let room = pack.packed_len();
    with_scratch(Side::A, room, room, |room, _| {
        pack.to = HostPtr::new(room);
        if !by_rows {
            // SAFETY: the caller ensures the conditions of `run`. So the processor has the instruction set of `V`, and `a` may be read.
            // `room` has space for `packed_len` numbers, and only this closure accesses it.
            unsafe { V::within(PackPanels { pack: &pack, panels: 0..pack.panels() }) };
        }
        // SAFETY: the caller ensures the conditions of `run`. So the processor has the instruction set of `V`, `a` and `b` may be read,
        // and access to `c` is exclusive. If `by_rows` is not set, all of `a` has just been packed. Otherwise `room` has space for one
        // panel, and only this closure accesses `room`.
        unsafe { V::within(Direct { pack: Some(&pack), ..direct }) };
    });
}
