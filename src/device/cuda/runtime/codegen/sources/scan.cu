// Scans (cumulative operations) along lines: the result at an element combines the elements of its line up to and including this
// element.
//
// `scan_lines` applies any operation sequentially, with one thread per line. `scan_tiles` computes an associative operation in
// tiles, with one thread block per line or per chunk of a line. A thread scans `EACH` adjacent elements of the line. The totals of
// a warp's threads are combined as a tree, and those of the block's warps sequentially. A block computes its tiles one after the
// other. Long lines are split into chunks, whose totals are computed first. The order of operations depends on shapes and strides
// only.

#define BLOCK 256
#define EACH 8
#define TILE (BLOCK * EACH)

// The number and the length of the lines, and the strides along a line: `to` in the result, `from` in the operand.
struct ScanLines {
    u64 count, length;
    i64 to, from;
    // Number of elements of a chunk: a multiple of TILE, or the whole line.
    u64 chunk;
};

template <class F, class R> DEV void scan_lines(const F &f, const ScanLines &lines, const Loops<2> &loops, const R *a, R *out) {
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

// Computes an exclusive scan over the values `x` of a block's threads. A thread has a value if `has` is true; all threads with a
// value must come before those without. Returns the combined values of the threads before this one, and sets `any` to false if
// there are none. Sets `total` to the combination of all values. All threads of the block must call this function.
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
    // In each warp, the last thread with a value writes the total of the warp.
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

// Scans one chunk of a line per block. Writes the results or, if TOTALS, only the chunk's total. `before` points to the scanned totals of
// the chunks of each line. It is null if no total has to be added: for TOTALS, and if a line is one chunk.
template <bool TOTALS, class F, class R>
DEV void scan_tiles(const F &f, const ScanLines &lines, const Loops<2> &loops, const R *a, R *out, const R *before) {
    // One element of padding follows every EACH elements. It reduces bank conflicts, both when threads access adjacent elements and
    // when each accesses its own EACH elements.
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
