// Elementwise operations in tiles, for operands that are contiguous along different axes. The result is contiguous along x, and
// some operands are contiguous along y. The operands that are contiguous along y pass through shared memory, so all accesses to
// global memory are coalesced. x and y may each consist of several axes, so that short axes together form a long one.
//
// Each thread reads all its elements of an operand before it writes the first one, so that many reads are in flight.

// How the threads divide a tile: thread t processes EACH elements, at (x(0), y(0)), (x(1), y(1)), ..
template <int X, int Y, bool ALONG_X> struct Share {
    static constexpr int LINE = ALONG_X ? X : Y, EACH = X * Y / 256, STEP = 256 / LINE;
    static_assert(X * Y % 256 == 0 && 256 % LINE == 0, "each thread has the same number of elements, in one row or column");
    static DEV int x(int i) { return ALONG_X ? threadIdx.x % LINE : threadIdx.x / LINE + i * STEP; }
    static DEV int y(int i) { return ALONG_X ? threadIdx.x / LINE + i * STEP : threadIdx.x % LINE; }
};

template <int K, class T> struct Along {
    const T *from;
    template <int X, int Y, class Inside, class At> DEV void fill(Inside, At) const {}
    template <int X, int Y, class At> DEV T get(int x, int y, At at) const { return from[at(K, x, y)]; }
};

template <int K, class T> struct Across {
    const T *from;
    // One column of padding reduces bank conflicts when a warp reads a column.
    template <int X, int Y> static DEV T (*shared())[Y + 1] {
        __shared__ T tile[X][Y + 1];
        return tile;
    }
    template <int X, int Y, class Inside, class At> DEV void fill(Inside inside, At at) const {
        typedef Share<X, Y, false> Mine;
        T(*tile)[Y + 1] = shared<X, Y>();
        T values[Mine::EACH];
#pragma unroll
        for (int i = 0; i < Mine::EACH; i++) {
            if (inside(Mine::x(i), Mine::y(i))) values[i] = from[at(K, Mine::x(i), Mine::y(i))];
        }
#pragma unroll
        for (int i = 0; i < Mine::EACH; i++) {
            if (inside(Mine::x(i), Mine::y(i))) tile[Mine::x(i)][Mine::y(i)] = values[i];
        }
    }
    template <int X, int Y, class At> DEV T get(int x, int y, At) const { return shared<X, Y>()[x][y]; }
};

template <int N> struct Tiles {
    Loops<N> x, y, outer;
    u64 nx, ny;
    Divisor across, down;  // divisors: numbers of tiles along x and along y
};

// Computes one tile. `inside` tells whether an element of the tile exists; `at` returns its offset in an operand.
template <int X, int Y, class F, class R, class Inside, class At, class... A>
DEV void compute(F f, R *out, Inside inside, At at, A... a) {
    (a.template fill<X, Y>(inside, at), ...);
    __syncthreads();
    typedef Share<X, Y, true> Mine;
    R results[Mine::EACH];
#pragma unroll
    for (int i = 0; i < Mine::EACH; i++) {
        if (inside(Mine::x(i), Mine::y(i))) results[i] = f(a.template get<X, Y>(Mine::x(i), Mine::y(i), at)...);
    }
#pragma unroll
    for (int i = 0; i < Mine::EACH; i++) {
        if (inside(Mine::x(i), Mine::y(i))) out[at(0, Mine::x(i), Mine::y(i))] = results[i];
    }
}

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
            for (int k = 0; k < N; k++) at_x[k][i] = base[k] + at[k];
        } else {
            locate(tiles.y, y0 + i - X < ny ? y0 + i - X : 0, at);
            for (int k = 0; k < N; k++) at_y[k][i - X] = at[k];
        }
    }
    __syncthreads();
    const int width = nx - x0 < X ? (int)(nx - x0) : X, height = ny - y0 < Y ? (int)(ny - y0) : Y;
    auto at = [&](int k, int x, int y) { return at_x[k][x] + at_y[k][y]; };
    if (width == X && height == Y) {
        compute<X, Y>(f, out, [](int, int) { return true; }, at, a...);
    } else {
        compute<X, Y>(f, out, [&](int x, int y) { return x < width && y < height; }, at, a...);
    }
}
