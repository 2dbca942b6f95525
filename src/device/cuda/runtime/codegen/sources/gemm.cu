// Matrix products of integers, with any strides: out = alpha * a * b + beta * out.

// The stride from one row to the next, and from one column to the next, in elements.
struct Matrix {
    i64 row, column;
};

// Extents of the matrices, and their number.
struct MatrixExtents {
    u64 m, k, n, batch;
};

// A thread block computes SIDE x SIDE results. Each of its 16 x 16 threads computes every 16th result in both directions. For each slice of
// DEPTH columns of a and DEPTH rows of b:
//
// copy both slices to shared memory; for each p < DEPTH: acc[i][j] += rows[p][y + 16 i] * columns[p][x + 16 j]
template <bool CHECKED, int SIDE, class T>
DEV void multiply(T alpha, T beta, u32 flags, const MatrixExtents &extents, const Loops<3> &batch, const Matrix &out_is,
                  const Matrix &a_is, const Matrix &b_is, const T *a, const T *b, T *out, u32 *failed) {
    typedef Products<T, CHECKED> F;
    const int DEPTH = 16, EACH = SIDE / 16;
    __shared__ T rows[DEPTH][SIDE + 1];
    __shared__ T columns[DEPTH][SIDE + 1];
    F f;
    Blend blend(flags);
    u64 tiles = (extents.n + SIDE - 1) / SIDE;
    u64 first_row = blockIdx.x / tiles * SIDE, first_column = blockIdx.x % tiles * SIDE;
    u32 x = threadIdx.x % 16, y = threadIdx.x / 16;
    // Adjacent threads load adjacent elements of an operand, if it has a contiguous axis.
    bool a_by_rows = a_is.column == 1 || a_is.row != 1, b_by_rows = b_is.column == 1 || b_is.row != 1;
    for (u64 matrix = blockIdx.y; matrix < extents.batch; matrix += gridDim.y) {
        i64 at[3];
        place(batch, matrix, at);
        typename F::Acc acc[EACH][EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++) acc[i][j] = f.identity();
        for (u64 first = 0; first < extents.k; first += DEPTH) {
            for (u32 e = threadIdx.x; e < SIDE * DEPTH; e += BLOCK) {
                u32 i = a_by_rows ? e / DEPTH : e % SIDE, p = a_by_rows ? e % DEPTH : e / SIDE;
                u64 row = first_row + i, depth = first + p;
                bool inside = row < extents.m && depth < extents.k;
                rows[p][i] = inside ? a[at[1] + (i64)row * a_is.row + (i64)depth * a_is.column] : T();
            }
            for (u32 e = threadIdx.x; e < SIDE * DEPTH; e += BLOCK) {
                u32 j = b_by_rows ? e % SIDE : e / DEPTH, p = b_by_rows ? e / SIDE : e % DEPTH;
                u64 column = first_column + j, depth = first + p;
                bool inside = column < extents.n && depth < extents.k;
                columns[p][j] = inside ? b[at[2] + (i64)depth * b_is.row + (i64)column * b_is.column] : T();
            }
            __syncthreads();
            for (int p = 0; p < DEPTH; p++)
#pragma unroll
                for (int i = 0; i < EACH; i++)
#pragma unroll
                    for (int j = 0; j < EACH; j++)
                        acc[i][j] = f.add(acc[i][j], rows[p][y + 16 * i], columns[p][x + 16 * j]);
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                u64 row = first_row + y + 16 * i, column = first_column + x + 16 * j;
                if (row >= extents.m || column >= extents.n) continue;
                T *to = out + at[0] + (i64)row * out_is.row + (i64)column * out_is.column;
                T value = blend.reads_old ? *to : T();
                if (!f.finish(acc[i][j], alpha, beta, blend, value) && failed) *failed = 1;
                *to = value;
            }
    }
}
