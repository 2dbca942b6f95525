// Reductions along axes: each output combines the elements along the reduced axes. Sums of products (products.cu) use the same
// loops.
//
// A thread block consists of tiles of 2^lanes times 2^threads threads. A tile computes 2^lanes outputs. Adjacent threads compute
// adjacent outputs, and 2^threads threads share the items of one output. To reduce rows, the host sets lanes to 0; to reduce
// columns, it sets threads to 0 or a small number. Items are elements, or vectors of elements.
//
// The rounding error is much smaller than that of sequential summation. A thread folds at most CHAIN rounds of items into its
// accumulators, and then combines the accumulators pairwise. The resulting sums of a thread are added sequentially; the host limits
// their number. The results of a warp's threads are combined as a tree, those of the warps of a tile sequentially. If blocks share
// an output, a second kernel combines their results. The division of work depends on shapes, strides and the size of an element
// only.

#define BLOCK 256
#define CHAIN 64

// The division of outputs and their items among threads.
struct Shares {
    u64 outputs;
    // For each output, the number of items and the number of elements in them.
    u64 items;
    u64 count;
    // Binary logarithms.
    u32 lanes, threads;
    // Number of blocks, along y of the grid, that share the items of an output. If there are several, each writes a partial result.
    u32 splits, unused;
};

// Computes the same as `locate`, but without a division for the outermost loop. The index must be within the loop nest.
template <int K, class I> DEV void place(const Loops<K> &loops, I index, i64 (&at)[K]) {
    for (int k = 0; k < K; k++) at[k] = 0;
    if (loops.count == 0) return;
    u32 last = loops.count - 1;
    // Not unrolled: the unrolled loop would be most of the kernel's code.
#pragma unroll 1
    for (u32 l = 0; l < last; l++) {
        I next = quotient(index, loops.length[l]);
        i64 turn = (i64)(index - next * loops.length[l].d);
        index = next;
        for (int k = 0; k < K; k++) at[k] += turn * loops.step[k][l];
    }
    for (int k = 0; k < K; k++) at[k] += (i64)index * loops.step[k][last];
}

// Loads the items along one line. If V > 1, the elements are contiguous.
template <class T, int V> struct Line {
    typedef Vec<T, V> Item;
    static const int flight = sizeof(Item) <= 8 ? 8 : 4, together = V;
    const T *at;
    i64 step;
    // The index of the first item's first element.
    u64 first;
    template <class I> DEV Item load(I item) const { return *(const Item *)(at + (i64)item * (V > 1 ? V : step)); }
    template <class F, class I> DEV typename F::Acc fold(const F &f, typename F::Acc acc, Item x, I item) const {
#pragma unroll
        for (int v = 0; v < V; v++) acc = f.fold(acc, x.at[v], first + (u64)item * V + v);
        return acc;
    }
};

// Loads the items of a loop nest. Each load computes the index of each loop from the item's index, by divisions. A division of 64-bit
// indices has many instructions. So with such indices only one load is in flight: the unrolled code of several would be too long.
template <class T, int V, class I> struct Walk {
    typedef Vec<T, V> Item;
    static const int flight = sizeof(I) == 8 ? 1 : 4, together = V;
    const T *at;
    const Loops<1> &loops;
    DEV Item load(I item) const {
        i64 away[1];
        place(loops, item, away);
        return *(const Item *)(at + away[0]);
    }
    template <class F> DEV typename F::Acc fold(const F &f, typename F::Acc acc, Item x, I item) const {
#pragma unroll
        for (int v = 0; v < V; v++) acc = f.fold(acc, x.at[v], (u64)item * V + v);
        return acc;
    }
};

// Loads the partial results of one output of the reduction. `step`, the stride between them, is the number of outputs.
template <class Acc> struct Parts {
    typedef Acc Item;
    static const int flight = 4, together = 1;
    const Acc *at;
    u64 step;
    template <class I> DEV Item load(I item) const { return at[item * step]; }
    template <class F, class I> DEV Acc fold(const F &f, Acc acc, Item x, I) const { return f.combine(acc, x); }
};

// Folds every `step`th item that `source` loads, from `first` to below `count`. Several loads are in flight, for independent accumulators.
template <class S, class F, class I>
DEV typename F::Acc fold_items(const F &f, const S &source, I first, I step, I count) {
    typedef typename F::Acc Acc;
    typedef typename S::Item Item;
    // Operations on large accumulators take many instructions, and unrolled copies of them take long to compile. So if accumulators
    // are large, a thread has fewer of them, and fewer loads in flight.
    const int room = (sizeof(Acc) <= 8 ? 64 : sizeof(Acc) <= 16 ? 16 : 4) / S::together;
    const int flight = room < 1 ? 1 : room < S::flight ? room : S::flight;
    const int several = sizeof(Acc) <= 16 ? flight : sizeof(Acc) <= 32 && flight > 1 ? 2 : 1;
    const I ahead = (flight - 1) * step;
    const I full = count > ahead ? count - ahead : 0;
    Acc sum = f.identity();
    for (I i = first; i < count;) {
        Acc acc[several];
#pragma unroll
        for (int s = 0; s < several; s++) acc[s] = f.identity();
        for (u32 c = 0; c < CHAIN && i < full; c++, i += flight * step) {
            Item x[flight];
#pragma unroll
            for (int u = 0; u < flight; u++) x[u] = source.load((I)(i + u * step));
#pragma unroll
            for (int u = 0; u < flight; u++)
                acc[u % several] = source.fold(f, acc[u % several], x[u], (I)(i + u * step));
        }
        if (i >= full) {
            // The last round is incomplete. Its loads are in flight together, too.
            Item x[flight];
#pragma unroll
            for (int u = 0; u < flight - 1; u++)
                if (i + u * step < count) x[u] = source.load((I)(i + u * step));
#pragma unroll
            for (int u = 0; u < flight - 1; u++)
                if (i + u * step < count)
                    acc[u % several] = source.fold(f, acc[u % several], x[u], (I)(i + u * step));
            i = count;
        }
#pragma unroll
        for (int half = several / 2; half > 0; half /= 2)
#pragma unroll
            for (int s = 0; s < half; s++) acc[s] = f.combine(acc[s], acc[s + half]);
        sum = f.combine(sum, acc[0]);
    }
    return sum;
}

// Combines the accumulators of the tile's threads that share an output. The first of these threads gets the result. All threads of
// the block must call this function.
template <class F> DEV typename F::Acc across(const F &f, typename F::Acc acc, u32 lanes, u32 threads) {
    typedef typename F::Acc Acc;
    static_assert(sizeof(Acc) <= 64, "what a reduction carries along has at most 64 bytes");
    u32 tile = 1u << (lanes + threads), lane = 1u << lanes;
    for (u32 half = (tile < 32 ? tile : 32) / 2; half >= lane; half /= 2) acc = f.combine(acc, shuffle_down(acc, half));
    if (threads > 0 && tile > 32) {
        __shared__ Acc shared[BLOCK];
        u32 step = lane < 32 ? 32 : lane, here = threadIdx.x & (tile - 1);
        if ((here & (step - 1)) < lane) shared[threadIdx.x] = acc;
        __syncthreads();
        if (here < lane)
            for (u32 w = step; w < tile; w += step) acc = f.combine(acc, shared[threadIdx.x + w]);
    }
    return acc;
}

// The output that a thread works on, and its share of the output's items.
struct Place {
    u64 output;
    // Index of this thread among the threads that share the output's items, and the number of these threads.
    u32 rank, sharing;
    bool first;
    DEV Place(const Shares &shares) {
        u32 lane = threadIdx.x & ((1u << shares.lanes) - 1);
        u32 thread = (threadIdx.x >> shares.lanes) & ((1u << shares.threads) - 1);
        u32 tile = threadIdx.x >> (shares.lanes + shares.threads);
        output = ((u64)blockIdx.x * (BLOCK >> shares.threads)) + (tile << shares.lanes) + lane;
        rank = (blockIdx.y << shares.threads) + thread;
        sharing = shares.splits << shares.threads;
        first = thread == 0;
    }
};

template <class F, class R, class Acc>
DEV void finish(const F &f, const Shares &shares, Acc acc, R *to, u32 *failed) {
    R result;
    if (f.finish(acc, shares.count, result))
        *to = result;
    else if (failed)
        *failed = 1;
}

// Reduces elements, which are loaded V at a time. If LINE, the elements of each output are adjacent: vectors begin at the first aligned
// element, and the elements before and after the vectors are folded one by one. If not LINE, the host ensures that all vectors are
// aligned.
template <int V, bool LINE, class I, class F, class T, class R>
DEV void reduce(const F &f, const Shares &shares, const Loops<2> &kept, const Loops<1> &reduced, const T *a, R *out,
                typename F::Acc *parts, u32 *failed) {
    typedef typename F::Acc Acc;
    Place me(shares);
    bool there = me.output < shares.outputs;
    i64 at[2];
    place(kept, (I)(there ? me.output : 0), at);
    Acc acc = f.identity();
    if (there) {
        const T *from = a + at[1];
        if constexpr (LINE && V > 1) {
            u64 odd = ((u64)from / sizeof(T)) & (V - 1), n = shares.count;
            u64 head = odd == 0 ? 0 : V - odd;
            if (head > n) head = n;
            u64 items = (n - head) / V;
            for (u64 i = me.rank; i < head; i += me.sharing) acc = f.fold(acc, from[i], i);
            Line<T, V> line = {from + head, V, head};
            acc = f.combine(acc, fold_items(f, line, (I)me.rank, (I)me.sharing, (I)items));
            for (u64 i = head + items * V + me.rank; i < n; i += me.sharing) acc = f.fold(acc, from[i], i);
        } else if constexpr (LINE) {
            Line<T, 1> line = {from, reduced.step[0][0], 0};
            acc = fold_items(f, line, (I)me.rank, (I)me.sharing, (I)shares.items);
        } else {
            Walk<T, V, I> walk = {from, reduced};
            acc = fold_items(f, walk, (I)me.rank, (I)me.sharing, (I)shares.items);
        }
    }
    acc = across(f, acc, shares.lanes, shares.threads);
    if (!there || !me.first) return;
    if (shares.splits > 1)
        parts[blockIdx.y * shares.outputs + me.output] = acc;
    else
        finish(f, shares, acc, out + at[0], failed);
}

// Combines the partial results that the blocks of `reduce` wrote. The items that `fold_items` combines are these partial results here, not
// elements of the operand.
template <class F, class R>
DEV void reduce_parts(const F &f, const Shares &shares, const Loops<2> &kept, const typename F::Acc *parts, R *out,
                      u32 *failed) {
    Place me(shares);
    bool there = me.output < shares.outputs;
    typename F::Acc acc = f.identity();
    if (there) {
        Parts<typename F::Acc> source = {parts + me.output, shares.outputs};
        acc = fold_items(f, source, (u64)me.rank, (u64)me.sharing, shares.items);
    }
    acc = across(f, acc, shares.lanes, shares.threads);
    if (!there || !me.first) return;
    i64 at[2];
    place(kept, me.output, at);
    finish(f, shares, acc, out + at[0], failed);
}
