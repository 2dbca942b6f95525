// Selects elements by masks, in row-major order. An element is chosen if its mask is not zero. Each block handles one tile of the mask.
// First, `count_chosen` counts the chosen elements of each tile. Then a scan adds up these numbers, and a second kernel copies the chosen
// elements.

#define BLOCK 256
#define EACH 8
#define TILE (BLOCK * EACH)
#define WARPS (BLOCK / 32)

// The chosen elements of a warp. In round k, its lanes test 32 adjacent elements, and bit i of votes[k] is set if the element of lane i is
// chosen. `count` is the number of set bits.
struct Votes {
    u32 votes[EACH];
    u32 count;
};

// The index of this thread's element in a round.
DEV u64 index_in(u32 round) {
    return (u64)blockIdx.x * TILE + (threadIdx.x & ~31u) * EACH + round * 32 + (threadIdx.x & 31);
}

// Loads this thread's elements of the mask, which is operand K of the loops. Returns which elements the warp has chosen.
template <int K, int N, class M> DEV Votes votes(const Loops<N> &loops, u64 n, const M *mask) {
    Votes all;
    all.count = 0;
#pragma unroll
    for (u32 round = 0; round < EACH; round++) {
        u64 i = index_in(round);
        bool chosen = false;
        if (i < n) {
            i64 at[N];
            locate(loops, i, at);
            chosen = mask[at[K]] != M();
        }
        all.votes[round] = __ballot_sync(0xffffffffu, chosen);
        all.count += __popc(all.votes[round]);
    }
    return all;
}

// `count` is the number of chosen elements of the calling warp. Returns the sum of `count` over the warps of the block that come before the
// calling warp, and sets `total` to the sum over all warps of the block. All threads of the block must call this function.
DEV u32 before_warp(u32 count, u32 &total) {
    __shared__ u32 of_warp[WARPS];
    u32 warp = threadIdx.x >> 5, before = 0;
    if ((threadIdx.x & 31) == 0) of_warp[warp] = count;
    __syncthreads();
    total = 0;
    for (u32 w = 0; w < WARPS; w++) {
        if (w < warp) before += of_warp[w];
        total += of_warp[w];
    }
    return before;
}

template <class M> DEV void count_chosen(const Loops<1> &loops, u64 n, const M *mask, i64 *counts) {
    u32 total;
    before_warp(votes<0>(loops, n, mask).count, total);
    if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

// Calls f(index, rank) for each of this thread's chosen elements. `index` is the element's row-major index, and `rank` the number of chosen
// elements before it. For each tile, `sums` has the number of chosen elements in this tile and all tiles before it.
template <int K, int N, class M, class F>
DEV void each_chosen(const Loops<N> &loops, u64 n, const M *mask, const i64 *sums, const F &f) {
    Votes all = votes<K>(loops, n, mask);
    u32 total, lane = threadIdx.x & 31;
    u64 rank = before_warp(all.count, total) + (blockIdx.x == 0 ? 0 : (u64)sums[blockIdx.x - 1]);
#pragma unroll
    for (u32 round = 0; round < EACH; round++) {
        u32 bits = all.votes[round];
        if (bits >> lane & 1) f(index_in(round), rank + __popc(bits & ((1u << lane) - 1)));
        rank += __popc(bits);
    }
}

// A vector: its length, and its stride in elements.
struct Vector {
    u64 length;
    i64 stride;
};

// Copies the chosen elements of `a`, operand 1 of the loops, to the vector `out`.
template <class T>
DEV void compress(const Loops<2> &loops, u64 n, const Vector &vector, const u8 *mask, const i64 *sums, const T *a, T *out) {
    each_chosen<0>(loops, n, mask, sums, [&](u64 i, u64 rank) {
        i64 at[2];
        locate(loops, i, at);
        if (rank < vector.length) out[(i64)rank * vector.stride] = a[at[1]];
    });
}

// Copies the elements of the vector `a` to the chosen elements of `out`, operand 1 of the loops.
template <class T>
DEV void expand(const Loops<2> &loops, u64 n, const Vector &vector, const u8 *mask, const i64 *sums, const T *a, T *out) {
    each_chosen<0>(loops, n, mask, sums, [&](u64 i, u64 rank) {
        i64 at[2];
        locate(loops, i, at);
        if (rank < vector.length) out[at[1]] = a[(i64)rank * vector.stride];
    });
}

// The output of `indices`, a matrix with one row for each element that is not zero: its number of rows, and its strides.
struct MaskRows {
    u64 count;
    i64 down, right;
};

// Writes the indices of the elements that are not zero. The loops are the axes of `a`, the last one first.
template <class M>
DEV void indices(const Loops<1> &loops, u64 n, const MaskRows &rows, const M *a, const i64 *sums, i64 *out) {
    each_chosen<0>(loops, n, a, sums, [&](u64 i, u64 rank) {
        if (rank >= rows.count) return;
        for (u32 l = 0; l < loops.count; l++) {
            u64 next = quotient(i, loops.length[l]);
            i64 column = loops.count - 1 - l;
            out[(i64)rank * rows.down + column * rows.right] = (i64)(i - next * loops.length[l].d);
            i = next;
        }
    });
}
