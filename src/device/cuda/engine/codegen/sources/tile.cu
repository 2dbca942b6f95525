// Elementwise operations in tiles, for operands that are contiguous along different axes. The result is contiguous along x, and
// some operands are contiguous along y. The operands that are contiguous along y pass through shared memory, so all accesses to
// global memory are coalesced. x and y may each consist of several axes, so that short axes together form a long one.

template <int K, class T> struct Along {
    const T *from;
    template <int X, int Y, class Fill> DEV void fill(Fill) const {}
    template <int X, int Y> DEV T get(int, int, i64 at) const { return from[at]; }
};

template <int K, class T> struct Across {
    const T *from;
    // One column of padding reduces bank conflicts when a warp reads a column.
    template <int X, int Y> static DEV T (*shared())[Y + 1] {
        __shared__ T tile[X][Y + 1];
        return tile;
    }
    template <int X, int Y, class Fill> DEV void fill(Fill each) const {
        T(*tile)[Y + 1] = shared<X, Y>();
        each([&](int x, int y, i64 at) { tile[x][y] = from[at]; }, K);
    }
    template <int X, int Y> DEV T get(int x, int y, i64) const { return shared<X, Y>()[x][y]; }
};

template <int K, class T> DEV constexpr int operand(Along<K, T>) { return K; }
template <int K, class T> DEV constexpr int operand(Across<K, T>) { return K; }

template <int N> struct Tiles {
    Loops<N> x, y, outer;
    u64 nx, ny;
    Divisor across, down;  // divisors: numbers of tiles along x and along y
};

template <int X, int Y, class I, class F, int N, class R, class... A>
DEV void tile(F f, const Tiles<N> &tiles, R *out, A... a) {
    __shared__ i64 at_x[N][X], at_y[N][Y];
    const I nx = (I)tiles.nx, ny = (I)tiles.ny;
    const I row = quotient((I)blockIdx.x, tiles.across), outer = quotient(row, tiles.down);
    const I x0 = (blockIdx.x - row * (I)tiles.across.d) * X, y0 = (row - outer * (I)tiles.down.d) * Y;
    i64 base[N];
    locate(tiles.outer, outer, base);
    for (int i = threadIdx.x; i < X + Y; i += 256) {
        i64 at[N];
        if (i < X) {
            locate(tiles.x, x0 + i < nx ? x0 + i : 0, at);
            for (int k = 0; k < N; k++) at_x[k][i] = at[k];
        } else {
            locate(tiles.y, y0 + i - X < ny ? y0 + i - X : 0, at);
            for (int k = 0; k < N; k++) at_y[k][i - X] = at[k];
        }
    }
    __syncthreads();
    const int width = nx - x0 < X ? (int)(nx - x0) : X, height = ny - y0 < Y ? (int)(ny - y0) : Y;
    auto down = [&](auto put, int k) {
#pragma unroll
        for (int i = threadIdx.x; i < X * Y; i += 256) {
            const int x = i / Y, y = i % Y;
            if (x < width && y < height) put(x, y, base[k] + at_x[k][x] + at_y[k][y]);
        }
    };
    (a.template fill<X, Y>(down), ...);
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.x; i < X * Y; i += 256) {
        const int x = i % X, y = i / X;
        if (x < width && y < height) {
            out[base[0] + at_x[0][x] + at_y[0][y]] =
                f(a.template get<X, Y>(x, y, base[operand(a)] + at_x[operand(a)][x] + at_y[operand(a)][y])...);
        }
    }
}
