// Elementwise operations. `contiguous` is one flat loop. Each of its operands is contiguous or a single element. `strided` is for all other
// operands, and computes indices by fast divisions. If an operand is not contiguous along the same axis as the result, but along another
// one, the host uses `tile` of tile.cu instead. The operands are a parameter pack of readers, such as `Each`, which load elements.

// The U vectors that a thread loads from one operand. Their loads are in flight together.
template <class T, int V, int U> struct Block {
    Vec<T, V> row[U];
};

// Calls the function with its operands or, if it has no operands, with the index.
template <class F, class... A> DEV auto call(F f, u64, A... a) -> decltype(f(a...)) { return f(a...); }
template <class F> DEV auto call(F f, u64 position) -> decltype(f(position)) { return f(position); }

// ---- contiguous operands

template <class T> struct Each {
    const T *from;
    DEV T one(u64 at) const { return from[at]; }
    template <int V, int U> DEV Block<T, V, U> block(u64 at, u32 apart) const {
        Block<T, V, U> block;
#pragma unroll
        for (int u = 0; u < U; u++) block.row[u] = *(const Vec<T, V> *)(from + at + u * apart);
        return block;
    }
};

// Reads an operand that has the same element for all indices.
template <class T> struct Same {
    const T *from;
    DEV T one(u64) const { return *from; }
    template <int V, int U> DEV Block<T, V, U> block(u64, u32) const {
        T x = *from;
        Block<T, V, U> block;
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int k = 0; k < V; k++) block.row[u].at[k] = x;
        return block;
    }
};

template <int V, int U, class F, class R, class... A> DEV void contiguous(F f, u64 n, R *out, A... a) {
    const u32 apart = 256 * V;
    const u64 first = (u64)blockIdx.x * apart * U;
    if (first + apart * U <= n) {
        // All vectors of this thread block are complete, so there are no branches between the loads.
        const u64 at = first + threadIdx.x * V;
        auto apply = [&](auto... x) {
#pragma unroll
            for (int u = 0; u < U; u++) {
                Vec<R, V> r;
#pragma unroll
                for (int k = 0; k < V; k++) r.at[k] = call(f, at + u * apart + k, x.row[u].at[k]...);
                *(Vec<R, V> *)(out + at + u * apart) = r;
            }
        };
        apply(a.template block<V, U>(at, apart)...);
    } else {
        for (u64 i = first + threadIdx.x; i < n; i += 256) out[i] = call(f, i, a.one(i)...);
    }
}

// ---- strided operands: vectors along the innermost axis if all operands allow it

template <int K, class T> struct EachAt {
    const T *from;
    template <int V, int N> DEV Vec<T, V> vector(const i64 (&at)[N]) const { return *(const Vec<T, V> *)(from + at[K]); }
};
template <int K, class T> struct SameAt {
    const T *from;
    template <int V, int N> DEV Vec<T, V> vector(const i64 (&at)[N]) const {
        Vec<T, V> x;
#pragma unroll
        for (int k = 0; k < V; k++) x.at[k] = from[at[K]];
        return x;
    }
};

template <int V, int U, class Reader, int N, class T> DEV Block<T, V, U> gather(Reader a, const i64 (&at)[U][N], const T *) {
    Block<T, V, U> block;
#pragma unroll
    for (int u = 0; u < U; u++) block.row[u] = a.template vector<V>(at[u]);
    return block;
}

template <int V, int U, class I, class F, int N, class R, class... A>
DEV void strided(F f, const Loops<N> &loops, I n, R *out, A... a) {
    const I first = (I)blockIdx.x * (256 * U) + threadIdx.x;
    i64 at[U][N];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const I i = first + u * 256;
        locate(loops, i < n ? i : 0, at[u]);
    }
    auto apply = [&](auto... x) {
#pragma unroll
        for (int u = 0; u < U; u++) {
            const I i = first + u * 256;
            if (i >= n) return;
            Vec<R, V> r;
#pragma unroll
            for (int k = 0; k < V; k++) r.at[k] = call(f, (u64)i * V + k, x.row[u].at[k]...);
            *(Vec<R, V> *)(out + at[u][0]) = r;
        }
    };
    apply(gather<V, U>(a, at, a.from)...);
}

// Evaluates `f`, the domain check of a function, for all elements. Writes 1 to `undefined` if the check returns false for an element.
template <class F, int N, class... A> DEV void defined(F f, const Loops<N> &loops, u64 n, u32 *undefined, A... a) {
    for (u64 i = (u64)blockIdx.x * 256 + threadIdx.x; i < n; i += (u64)gridDim.x * 256) {
        i64 at[N];
        locate(loops, i, at);
        if (!f(a.template vector<1>(at).at[0]...)) *undefined = 1;
    }
}
