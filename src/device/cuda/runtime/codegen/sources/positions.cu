// Copies and combines elements at positions along an axis. Negative positions count from the end.

#define BLOCK 256

// The axis that the positions are indices of: its extent and stride.
struct Axis {
    u64 length;
    i64 stride;
};

// Returns the position counted from the start. For an invalid position, the result is at least `length`.
DEV u64 from_start(i64 position, u64 length) { return position < 0 ? (u64)position + length : (u64)position; }

// Copies elements of `a` at positions. Sets `invalid` to 1 if a position is out of range. `invalid` is null if all positions are known to
// be valid.
template <class T>
DEV void take(const Loops<3> &loops, u64 n, const Axis &axis, const T *a, const i64 *positions, T *out, u32 *invalid) {
    u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    i64 at[3];
    locate(loops, i, at);
    u64 k = from_start(positions[at[2]], axis.length);
    if (k < axis.length) out[at[0]] = a[at[1] + (i64)k * axis.stride];
    else if (invalid) *invalid = 1;
}

// The strides of a matrix of indices (`down` from row to row, `right` from column to column), and of a result (`out`) with one element
// for each row of this matrix.
struct PositionRows {
    i64 down, right, out;
};

// Copies the elements of `a` whose indices are the rows of a matrix. `axes` has the extents and strides of `a`, the first axis first.
template <class T>
DEV void pick(const Loops<1> &axes, u64 n, const PositionRows &rows, const T *a, const i64 *positions, T *out, u32 *invalid) {
    u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    i64 offset = 0;
    for (u32 axis = 0; axis < axes.count; axis++) {
        u64 k = from_start(positions[(i64)i * rows.down + axis * rows.right], axes.length[axis].d);
        if (k >= axes.length[axis].d) {
            *invalid = 1;
            return;
        }
        offset += (i64)k * axes.step[0][axis];
    }
    out[(i64)i * rows.out] = a[offset];
}

// ---- scatter
//
// The host sorts the positions of each line, together with their indices in the line. Equal positions are then adjacent, in ascending order
// of their indices. One thread handles all of them, so the results do not depend on the order of the threads.

struct Scatter {
    // Number of lines, and number of positions of each line.
    u64 lines, positions;
    // Adjacent threads handle adjacent lines if `lines_inside`, otherwise adjacent positions of a line. The index of a thread is divided by
    // `inner`: the number of lines if `lines_inside`, otherwise the number of positions of a line.
    Divisor inner;
    u32 lines_inside, unused;
    // Stride of the output along the axis of the scatter. The positions are indices of this axis.
    i64 stride;
};

// Computes this thread's index in the sorted positions of a line. Sets `line` to the offsets of the line in the output, in the sorted
// positions and in `a`. Returns false if the thread has no position to handle.
DEV bool own(const Scatter &scatter, const Loops<3> &lines, u64 &i, i64 (&line)[3]) {
    u64 thread = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (thread >= scatter.lines * scatter.positions) return false;
    u64 outside = quotient(thread, scatter.inner), inside = thread - outside * scatter.inner.d;
    i = scatter.lines_inside ? outside : inside;
    locate(lines, scatter.lines_inside ? inside : outside, line);
    return true;
}

// Returns the offset in `a` of an index in a line.
DEV i64 place(const Loops<1> &within, i64 index) {
    i64 at[1];
    locate(within, (u64)index, at);
    return at[0];
}

// Writes elements of `a` to their positions. If a position occurs several times, writes the last of its elements.
template <class T>
DEV void replace(const Scatter &scatter, const Loops<3> &lines, const Loops<1> &within, const i64 *sorted, const i64 *order,
                 const T *a, T *out) {
    u64 i;
    i64 line[3];
    if (!own(scatter, lines, i, line)) return;
    const i64 *here = sorted + line[1] + i;
    if (i + 1 < scatter.positions && here[1] == here[0]) return;
    out[line[0] + here[0] * scatter.stride] = a[line[2] + place(within, order[line[1] + i])];
}

// Combines elements of `a` with the elements of the output at their positions, sequentially for each position.
template <class F, class T>
DEV void combine(const F &f, const Scatter &scatter, const Loops<3> &lines, const Loops<1> &within, const i64 *sorted,
                 const i64 *order, const T *a, T *out) {
    // The loads of this number of elements are in flight together.
    const u32 ahead = 8;
    u64 first;
    i64 line[3];
    if (!own(scatter, lines, first, line)) return;
    sorted += line[1];
    order += line[1];
    a += line[2];
    const i64 position = sorted[first];
    if (first > 0 && sorted[first - 1] == position) return;
    // Searches for the end of the run of equal positions. The first step of the search is 1, because runs are usually short, and each
    // further step is twice as long.
    u64 last = first, step = 1;
    while (last + step < scatter.positions && sorted[last + step] == position) {
        last += step;
        step *= 2;
    }
    for (; step > 0; step /= 2)
        if (last + step < scatter.positions && sorted[last + step] == position) last += step;
    T *to = out + line[0] + position * scatter.stride;
    T acc = *to;
    for (u64 i = first; i <= last; i += ahead) {
        T x[ahead];
#pragma unroll
        for (u32 u = 0; u < ahead; u++)
            if (i + u <= last) x[u] = a[place(within, order[i + u])];
#pragma unroll
        for (u32 u = 0; u < ahead; u++)
            if (i + u <= last) acc = f(acc, x[u]);
    }
    *to = acc;
}
