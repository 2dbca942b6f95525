// Scans along lines: the result for an element combines all elements of its line up to this one.
//
// A general operation is applied sequentially, by one thread per line. An associative operation is computed in tiles. Each thread scans
// EACH contiguous elements. The results of a warp's threads are combined as a tree, then the results of the block's warps. A block
// computes its tiles one after the other. Long lines are split into chunks, whose totals are computed first. The order of operations
// depends on shapes only.

#define BLOCK 256
#define EACH 8
#define TILE (BLOCK * EACH)

// Number and length of the lines, and the strides along a line in result and operand.
struct Lines {
    u64 count, length;
    i64 to, from;
    // Number of elements of a chunk: a multiple of TILE, or the whole line.
    u64 chunk;
};

template <class F, class R> DEV void scan_lines(const F &f, const Lines &lines, const Loops<2> &loops, const R *a, R *out) {
    const u32 ahead = 4;
    u64 line = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (line >= lines.count) return;
    i64 at[2];
    locate(loops, line, at);
    const R *from = a + at[1];
    R *to = out + at[0];
    R acc = *from;
    *to = acc;
    for (u64 first = 1; first < lines.length; first += ahead) {
        R x[ahead];
#pragma unroll
        for (u32 u = 0; u < ahead; u++)
            if (first + u < lines.length) x[u] = from[(i64)(first + u) * lines.from];
#pragma unroll
        for (u32 u = 0; u < ahead; u++)
            if (first + u < lines.length) {
                acc = f(acc, x[u]);
                to[(i64)(first + u) * lines.to] = acc;
            }
    }
}

// Exclusive scan over the threads of a block. Threads without a value must come after those with one (`has`). Returns the combined
// values of the threads before this one; `any` is false if there are none. `total` is the combination of all values. All threads must
// call it.
template <class F, class R> DEV R exclusive(const F &f, R x, bool has, bool &any, R &total) {
    const u32 warps = BLOCK / 32;
    __shared__ R of_warp[warps];
    __shared__ bool warp_has[warps];
    u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    R sum = x;
    u32 have = has;
    for (u32 by = 1; by < 32; by *= 2) {
        R before = shuffle_up(sum, by);
        if (lane >= by && has) sum = f(before, sum);
    }
    // The last thread with a value writes the total of its warp.
    u32 next_has = shuffle_down(have, 1);
    bool last = has && (lane == 31 || !next_has);
    R before = shuffle_up(sum, 1);
    __syncthreads();
    if (lane == 0) warp_has[warp] = has;
    if (last) of_warp[warp] = sum;
    __syncthreads();
    // There are few warps, so their totals are combined sequentially.
    R carry = x;
    bool carried = false;
    for (u32 w = 0; w < warp; w++)
        if (warp_has[w]) {
            carry = carried ? f(carry, of_warp[w]) : of_warp[w];
            carried = true;
        }
    R all = carry;
    bool some = carried;
    for (u32 w = warp; w < warps; w++)
        if (warp_has[w]) {
            all = some ? f(all, of_warp[w]) : of_warp[w];
            some = true;
        }
    total = all;
    any = carried || lane > 0;
    if (lane == 0) return carry;
    return carried ? f(carry, before) : before;
}

// Scans one chunk of a line per block. Writes the results, or only the chunk's total if TOTALS. `before` holds the scanned totals of
// the chunks of each line.
template <bool TOTALS, class F, class R>
DEV void scan_tiles(const F &f, const Lines &lines, const Loops<2> &loops, const R *a, R *out, const R *before) {
    // After each EACH elements there is one element of padding. It reduces bank conflicts for accesses by rows and by columns.
    __shared__ R tile[TILE + TILE / EACH];
    u64 line = blockIdx.x, chunk = blockIdx.y, chunks = gridDim.y;
    i64 at[2];
    locate(loops, line, at);
    u64 first = chunk * lines.chunk, end = first + lines.chunk;
    if (end > lines.length) end = lines.length;
    R carry = R();
    bool carried = false;
    if (!TOTALS && before && chunk > 0) {
        carry = before[line * chunks + chunk - 1];
        carried = true;
    }
    const R *from = a + at[1];
    R *to = out + at[0];
    for (; first < end; first += TILE) {
        u32 here = end - first < TILE ? (u32)(end - first) : TILE;
        __syncthreads();
        for (u32 e = threadIdx.x; e < here; e += BLOCK) tile[e + e / EACH] = from[(i64)(first + e) * lines.from];
        __syncthreads();
        u32 begin = threadIdx.x * EACH, stop = begin + EACH < here ? begin + EACH : here;
        bool has = begin < here;
        R *mine = tile + begin + threadIdx.x;
        R sum = R();
        if (has) {
            sum = mine[0];
            for (u32 e = begin + 1; e < stop; e++) sum = f(sum, mine[e - begin]);
        }
        bool any;
        R total, acc = exclusive(f, sum, has, any, total);
        if (has && !TOTALS) {
            if (carried) acc = any ? f(carry, acc) : carry;
            any = any || carried;
            for (u32 e = begin; e < stop; e++) {
                R x = mine[e - begin];
                acc = any ? f(acc, x) : x;
                any = true;
                mine[e - begin] = acc;
            }
        }
        carry = carried ? f(carry, total) : total;
        carried = true;
        if (!TOTALS) {
            __syncthreads();
            for (u32 e = threadIdx.x; e < here; e += BLOCK) to[(i64)(first + e) * lines.to] = tile[e + e / EACH];
        }
    }
    if (TOTALS && threadIdx.x == 0) out[line * chunks + chunk] = carry;
}
