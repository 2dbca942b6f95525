// Stable merge sort of lines. Each line is contiguous in memory, and begins where the line before it ends. `sort_tiles` sorts tiles in
// shared memory. If lines are longer than a tile, each launch of `merge_runs` then merges pairs of adjacent runs. NaN is last, also in
// descending order, and +0 and -0 are equal.

#define BLOCK 256
#define EACH 8
#define TILE (BLOCK * EACH)
#define TILE_LOG 11

// Returns whether x comes before y. Returns false for equal elements.
template <bool DOWN, class T> DEV bool before(T x, T y) {
    if constexpr (FLOAT<T>) {
        if (x != x) return false;
        if (y != y) return true;
    }
    return DOWN ? y < x : x < y;
}

// Returns how many of the first `count` elements come from a when the sorted runs a and b are merged. Of equal elements, those of a come
// first.
template <bool DOWN, class I, class T> DEV I split(const T *a, I na, const T *b, I nb, I count) {
    I low = count > nb ? count - nb : 0, high = count < na ? count : na;
    while (low < high) {
        I middle = low + (high - low) / 2;
        if (before<DOWN>(b[count - 1 - middle], a[middle])) high = middle;
        else low = middle + 1;
    }
    return low;
}

// The elements that a thread sorts or merges, and their indices.
template <class T, class I> struct Mine {
    T key[EACH];
    I index[EACH];
};

// Merges the runs [first, middle) and [middle, end) in shared memory. Returns `count` elements of the merged run, from element `skip` on.
template <bool DOWN, bool INDEXED, class T, class I>
DEV Mine<T, I> merged(const T *keys, const I *index, u32 first, u32 middle, u32 end, u32 skip, u32 count) {
    Mine<T, I> mine = {};
    u32 x = first + split<DOWN>(keys + first, middle - first, keys + middle, end - middle, skip);
    u32 y = middle + (skip - (x - first));
#pragma unroll
    for (u32 k = 0; k < EACH; k++)
        if (k < count) {
            bool right = x >= middle || (y < end && before<DOWN>(keys[y], keys[x]));
            u32 from = right ? y++ : x++;
            mine.key[k] = keys[from];
            if (INDEXED) mine.index[k] = index[from];
        }
    return mine;
}

template <bool INDEXED, class T, class I> DEV void put(const Mine<T, I> &mine, u32 begin, u32 count, T *keys, I *index) {
#pragma unroll
    for (u32 k = 0; k < EACH; k++)
        if (k < count) {
            keys[begin + k] = mine.key[k];
            if (INDEXED) index[begin + k] = mine.index[k];
        }
}

// Number and length of the lines. A block sorts one tile: a part of a line or, if lines are short, several lines. In a tile, each line has
// 2^log places, at least EACH and at most TILE.
struct SortLines {
    u64 count, length;
    u32 log, unused;
};

// Sorts the tiles of the lines at `from`, and writes them to `to`, which may be the same as `from`. If INDEXED, also writes the index of
// each element in its line to `order`.
template <bool DOWN, bool INDEXED, class T> DEV void sort_tiles(const SortLines &lines, const T *from, T *to, i64 *order) {
    __shared__ T keys[TILE];
    __shared__ u32 index[INDEXED ? TILE : 1];
    const u64 chunks = lines.length > TILE ? (lines.length + TILE - 1) / TILE : 1;
    const u64 first_line = blockIdx.x / chunks << (TILE_LOG - lines.log), base = blockIdx.x % chunks * TILE;
    const u32 places = 1u << lines.log;
    const u64 rest = lines.length - base;
    const u32 full = rest < places ? (u32)rest : places;
    for (u32 e = threadIdx.x; e < TILE; e += BLOCK) {
        u64 line = first_line + (e >> lines.log);
        u32 at = e & (places - 1);
        if (line < lines.count && at < full) {
            keys[e] = from[line * lines.length + base + at];
            if (INDEXED) index[e] = at;
        }
    }
    __syncthreads();

    // This thread sorts `count` elements of the tile, from `begin` on. The line that contains them is at `start .. end` in the tile.
    const u32 begin = threadIdx.x * EACH, start = begin & ~(places - 1);
    const u32 end = first_line + (begin >> lines.log) < lines.count ? start + full : start;
    const u32 count = begin < end ? (end - begin < EACH ? end - begin : EACH) : 0;
    Mine<T, u32> mine = {};
#pragma unroll
    for (u32 k = 0; k < EACH; k++)
        if (k < count) {
            mine.key[k] = keys[begin + k];
            if (INDEXED) mine.index[k] = index[begin + k];
        }
    // Only neighbours that are not equal are exchanged, so equal elements keep their order.
#pragma unroll
    for (u32 round = 0; round < EACH; round++)
#pragma unroll
        for (u32 k = round & 1; k + 1 < EACH; k += 2)
            if (k + 1 < count && before<DOWN>(mine.key[k + 1], mine.key[k])) {
                T key = mine.key[k];
                mine.key[k] = mine.key[k + 1];
                mine.key[k + 1] = key;
                u32 at = mine.index[k];
                mine.index[k] = mine.index[k + 1];
                mine.index[k + 1] = at;
            }
    put<INDEXED>(mine, begin, count, keys, index);
    for (u32 run = EACH; run < places; run *= 2) {
        __syncthreads();
        u32 first = begin & ~(2 * run - 1);
        u32 middle = first + run < end ? first + run : end, last = first + 2 * run < end ? first + 2 * run : end;
        if (count > 0) mine = merged<DOWN, INDEXED>(keys, index, first, middle, last, begin - first, count);
        __syncthreads();
        put<INDEXED>(mine, begin, count, keys, index);
    }
    __syncthreads();

    for (u32 e = threadIdx.x; e < TILE; e += BLOCK) {
        u64 line = first_line + (e >> lines.log);
        u32 at = e & (places - 1);
        if (line < lines.count && at < full) {
            u64 k = line * lines.length + base + at;
            to[k] = keys[e];
            if (INDEXED) order[k] = (i64)(base + index[e]);
        }
    }
}

// Merges pairs of adjacent sorted runs of 2^log elements, where 2^log is a multiple of TILE. The last run of a line can be shorter. Each
// block writes one tile of the result.
template <bool DOWN, bool INDEXED, class T>
DEV void merge_runs(const SortLines &lines, const T *from, const i64 *order, T *to, i64 *to_order) {
    __shared__ T keys[TILE];
    __shared__ i64 index[INDEXED ? TILE : 1];
    __shared__ u64 of_first[2];
    const u64 chunks = (lines.length + TILE - 1) / TILE, run = 1ull << lines.log;
    const u64 line = blockIdx.x / chunks * lines.length, tile = blockIdx.x % chunks * TILE;
    const u64 first = tile & ~(2 * run - 1);
    const u64 middle = first + run < lines.length ? first + run : lines.length;
    const u64 end = first + 2 * run < lines.length ? first + 2 * run : lines.length;
    const u32 count = end - tile < TILE ? (u32)(end - tile) : TILE;
    const T *x = from + line + first, *y = from + line + middle;
    const u64 skip = tile - first;
    if (threadIdx.x < 2)
        of_first[threadIdx.x] = split<DOWN>(x, middle - first, y, end - middle, threadIdx.x == 0 ? skip : skip + count);
    __syncthreads();
    // Loads the elements of the block's tile: those from the first run, and after them those from the second run.
    const u64 x_from = of_first[0], y_from = skip - x_from;
    const u32 in_first = (u32)(of_first[1] - x_from);
    for (u32 e = threadIdx.x; e < count; e += BLOCK) {
        u64 k = line + (e < in_first ? first + x_from + e : middle + y_from + (e - in_first));
        keys[e] = from[k];
        if (INDEXED) index[e] = order[k];
    }
    __syncthreads();
    const u32 begin = threadIdx.x * EACH;
    const u32 own = begin < count ? (count - begin < EACH ? count - begin : EACH) : 0;
    Mine<T, i64> mine = {};
    if (own > 0) mine = merged<DOWN, INDEXED>(keys, index, 0, in_first, count, begin, own);
    __syncthreads();
    put<INDEXED>(mine, begin, own, keys, index);
    __syncthreads();
    for (u32 e = threadIdx.x; e < count; e += BLOCK) {
        to[line + tile + e] = keys[e];
        if (INDEXED) to_order[line + tile + e] = index[e];
    }
}
