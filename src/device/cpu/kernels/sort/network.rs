//! Sorts up to 16 registers of keys by sorting networks, which have no branches that depend on the keys. Called by module `quick`.
//!
//! ```text
//! sort each lane by a network of compare-exchanges between registers
//! for G in 2, 4, .., LANES: merge sorted runs of G / 2 lanes to runs of G lanes (bitonic merge)
//! transpose, and store
//! ```
//!
//! A run of `G` lanes consists of the keys in `G` adjacent lanes of all registers. Each lane is sorted by a network of 9 compare-exchanges
//! for 5 registers, 19 for 8 or 60 for 16: the smallest known numbers.

use crate::simd::vector::{ByteVector, Isa, OrderedVector, SimdKernel, Vector, interleave};

/// The greatest number of lanes of a register.
pub(super) const MAX_LANES: usize = 16;

/// Performs the listed compare-exchanges. They are written out one by one, because a loop over a table would spill the registers to memory.
macro_rules! network {
    ($v:ident; $($i:literal $j:literal),* $(,)?) => { $( exchange_rows($v, $i, $j); )* };
}

/// Compares the keys of registers `i` and `j` in each lane. Moves the smaller key to register `i`, and the larger one to register `j`.
#[inline(always)]
fn exchange_rows<V: OrderedVector, const N: usize>(v: &mut [V; N], i: usize, j: usize) {
    let (a, b) = (v[i], v[j]);
    (v[i], v[j]) = (a.min(b), a.max(b));
}

/// Returns a mask of the lanes whose index has the bit `d` set. `d` is a power of two.
const fn having(d: usize) -> u32 {
    let (mut bits, mut i) = (0, 0);
    while i < 16 {
        if i & d != 0 {
            bits |= 1 << i;
        }
        i += 1;
    }
    bits
}

/// Sorts the keys of each lane across 5, 8 or 16 registers.
#[inline(always)]
pub(super) fn sort_columns<V: OrderedVector, const N: usize>(v: &mut [V; N]) {
    if N == 5 {
        network!(v; 0 3, 1 4, 0 2, 1 3, 0 1, 2 4, 1 2, 3 4, 2 3);
    } else if N == 8 {
        network!(v; 0 2, 1 3, 4 6, 5 7, 0 4, 1 5, 2 6, 3 7, 0 1, 2 3, 4 5, 6 7, 2 4, 3 5, 1 4, 3 6, 1 2, 3 4, 5 6);
    } else {
        network!(v;
            0 13, 1 12, 2 15, 3 14, 4 8, 5 6, 7 11, 9 10, 0 5, 1 7, 2 9, 3 4, 6 13, 8 14, 10 15, 11 12, 0 1, 2 3, 4 5, 6 8,
            7 9, 10 11, 12 13, 14 15, 0 2, 1 3, 4 10, 5 11, 6 7, 8 9, 12 14, 13 15, 1 2, 3 12, 4 6, 5 7, 8 10, 9 11, 13 14,
            1 4, 2 6, 5 8, 7 10, 9 13, 11 14, 2 4, 3 6, 9 12, 11 13, 3 5, 6 8, 7 9, 10 12, 3 4, 5 6, 7 8, 9 10, 11 12, 6 7,
            8 9,
        );
    }
}

/// Merges sorted runs in pairs. A run consists of the keys in adjacent lanes of all registers: of `G / 2` lanes before, and `G` lanes
/// after.
#[inline(always)]
fn merge<V: OrderedVector, const N: usize, const G: usize>(v: &mut [V; N]) {
    let upper = having(G / 2);
    for r in 0..N / 2 {
        let (a, b) = (v[r], v[N - 1 - r].swap_lanes(G - 1));
        let (low, high) = (a.min(b), a.max(b));
        v[r] = low.blend(high, upper);
        v[N - 1 - r] = high.blend(low, upper).swap_lanes(G - 1);
    }
    if G >= 16 {
        within::<V, N, 4>(v);
    }
    if G >= 8 {
        within::<V, N, 2>(v);
    }
    if G >= 4 {
        within::<V, N, 1>(v);
    }
    if N == 16 {
        across::<V, N, 8>(v);
    }
    across::<V, N, 4>(v);
    across::<V, N, 2>(v);
    across::<V, N, 1>(v);
}

/// Performs compare-exchanges between lanes `i` and `i ^ D` of each register.
#[inline(always)]
fn within<V: OrderedVector, const N: usize, const D: usize>(v: &mut [V; N]) {
    for x in v {
        let y = x.swap_lanes(D);
        *x = x.min(y).blend(x.max(y), having(D));
    }
}

/// Performs compare-exchanges between registers `r` and `r + D`.
#[inline(always)]
fn across<V: OrderedVector, const N: usize, const D: usize>(v: &mut [V; N]) {
    for k in 0..N / 2 {
        let r = k / D * 2 * D + k % D;
        exchange_rows(v, r, r + D);
    }
}

/// Merges sorted runs of `G / 2` lanes of a register in pairs, to sorted runs of `G` lanes.
#[inline(always)]
fn merge_lanes<V: OrderedVector, const G: usize>(v: &mut V) {
    let y = v.swap_lanes(G - 1);
    *v = v.min(y).blend(v.max(y), having(G / 2));
    let v = core::array::from_mut(v);
    if G >= 16 {
        within::<V, 1, 4>(v);
    }
    if G >= 8 {
        within::<V, 1, 2>(v);
    }
    if G >= 4 {
        within::<V, 1, 1>(v);
    }
}

/// Sorts the lanes of a register.
#[inline(always)]
pub(super) fn sort_lanes<V: OrderedVector>(mut v: V) -> V {
    merge_lanes::<_, 2>(&mut v);
    merge_lanes::<_, 4>(&mut v);
    if V::LANES >= 8 {
        merge_lanes::<_, 8>(&mut v);
    }
    if V::LANES == 16 {
        merge_lanes::<_, 16>(&mut v);
    }
    v
}

/// Transposes `LANES` registers as a matrix. `GROUP` keys have 16 bytes.
#[inline(always)]
fn transpose_square<V: OrderedVector, const SIZE: usize, const GROUP: usize, const LANES: usize>(
    v: &mut [V],
) {
    let v: &mut [V; LANES] = v.first_chunk_mut().expect("there is a register for each lane");
    let mut parts = [v[0].bytes(); LANES];
    for (part, v) in parts.iter_mut().zip(&*v) {
        *part = v.bytes();
    }
    for group in parts.as_chunks_mut::<GROUP>().0 {
        *group = interleave::<_, SIZE, GROUP>(*group);
        if GROUP == 4 {
            *group = interleave::<_, SIZE, GROUP>(*group);
        }
    }
    // Block `k` of register `g * GROUP + i` now has the keys of column `k * GROUP + i` in the rows of group `g`.
    for i in 0..GROUP {
        let mut blocks = [parts[i]; 4];
        for (g, block) in blocks.iter_mut().enumerate().take(LANES / GROUP) {
            *block = parts[g * GROUP + i];
        }
        V::Bytes::transpose_blocks(&mut blocks);
        for (g, &block) in blocks.iter().enumerate().take(LANES / GROUP) {
            v[g * GROUP + i] = V::from_bytes(block);
        }
    }
}

/// Transposes the first `LANES` registers as a matrix.
#[inline(always)]
fn transpose<V: OrderedVector>(v: &mut [V]) {
    match (size_of::<V::Lane>(), V::LANES) {
        (8, 4) => transpose_square::<V, 8, 2, 4>(v),
        (8, _) => transpose_square::<V, 8, 2, 8>(v),
        (_, 8) => transpose_square::<V, 4, 4, 8>(v),
        _ => transpose_square::<V, 4, 4, 16>(v),
    }
}

/// Sorts at most `N` registers of keys.
#[inline(always)]
fn sort_block<V: OrderedVector, const N: usize>(isa: V::Isa, x: &mut [V::Lane]) {
    let mut v = [V::filled(isa, V::HIGHEST); N];
    for (r, v) in v.iter_mut().enumerate() {
        *v = V::from_slice_at(isa, x, r * V::LANES);
    }
    sort_columns(&mut v);
    merge::<_, N, 2>(&mut v);
    merge::<_, N, 4>(&mut v);
    if V::LANES >= 8 {
        merge::<_, N, 8>(&mut v);
    }
    if V::LANES == 16 {
        merge::<_, N, 16>(&mut v);
    }
    // At this point, key `k` of the sorted keys is in lane `k / N` of register `k % N`.
    if N < V::LANES {
        // A row of the transposed matrix has `N` keys.
        let mut rows = [V::filled(isa, V::HIGHEST); MAX_LANES];
        rows[..N].copy_from_slice(&v);
        transpose(&mut rows);
        for (row, keys) in rows.iter().zip(x.chunks_mut(N)) {
            row.to_short_slice(keys);
        }
        return;
    }
    for block in v.chunks_exact_mut(V::LANES) {
        transpose(block);
    }
    for (k, v) in v.iter().enumerate() {
        v.to_slice_at(x, k % V::LANES * N + k / V::LANES * V::LANES);
    }
}

/// The maximum number of keys that [`sort_small`] sorts.
pub(super) const fn max_small<V: Vector>() -> usize {
    16 * V::LANES
}

/// The maximum number of keys of the smallest network, which takes the same time for fewer keys.
const fn min_network<V: Vector>() -> usize {
    8 * V::LANES
}

/// See [`sort_small`].
struct SortSmall<'a, V: OrderedVector> {
    isa: V::Isa,
    x: &'a mut [V::Lane],
}

impl<V: OrderedVector> SimdKernel<V> for SortSmall<'_, V> {
    #[inline(always)]
    unsafe fn run(self) {
        if self.x.len() <= min_network::<V>() {
            sort_block::<V, 8>(self.isa, self.x);
        } else {
            sort_block::<V, 16>(self.isa, self.x);
        }
    }
}

/// Sorts at most [`max_small`] keys.
pub(super) fn sort_small<V: OrderedVector>(isa: V::Isa, x: &mut [V::Lane]) {
    assert!(x.len() <= max_small::<V>());
    // The smallest network of narrower registers sorts half as many keys.
    if size_of::<V::Half>() < size_of::<V>()
        && x.len() <= min_network::<V::Half>()
        && let Some(isa) = <V::Half as Vector>::Isa::new()
    {
        return sort_small::<V::Half>(isa, x);
    }
    // SAFETY: `isa` exists, so the processor has the instruction set. `SortSmall::run` has no other conditions.
    unsafe { V::within(SortSmall::<V> { isa, x }) }
}
