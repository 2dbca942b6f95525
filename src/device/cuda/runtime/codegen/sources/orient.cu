// Fixes the signs and phases of vectors, which a decomposition does not determine: makes one element of each vector real and positive. One
// warp computes one vector.

#define BLOCK 256

// The vectors of a batch of matrices.
struct Vectors {
    // The number of vectors in all matrices, and in one matrix.
    u64 count, each;
    // The steps from matrix to matrix, and from vector to vector.
    i64 matrix, vector;
    // The number of elements of a vector, and the step from element to element.
    u64 length;
    i64 element;
    // The number of singular values of a matrix. Vector j belongs to value j. If values are given, vectors that belong to a value other
    // than 0 are skipped.
    u64 valued;
};

template <class T> DEV auto squared(T a) {
    if constexpr (COMPLEX<T>) return a.re * a.re + a.im * a.im;
    else return a * a;
}

// Multiplies each vector by a number of absolute value 1, which makes one of its elements real and positive, and writes this number to `by`,
// which may be null. If LARGE, this element is the first whose magnitude is at least 0.99 times the largest magnitude, otherwise the first
// that is not 0.
template <bool LARGE, class T, class M> DEV void orient(const Vectors &vectors, T *a, T *by, const M *values) {
    const u32 all = 0xffffffffu;
    u64 vector = (u64)blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
    u32 lane = threadIdx.x & 31;
    if (vector >= vectors.count) return;
    u64 matrix = vector / vectors.each, j = vector % vectors.each;
    if (values && j < vectors.valued && values[matrix * vectors.valued + j] != M(0)) return;
    T *x = a + (i64)matrix * vectors.matrix + (i64)j * vectors.vector;
    M enough = 0;
    if (LARGE) {
        M largest = 0;
        for (u64 e = lane; e < vectors.length; e += 32) {
            M size = squared(x[(i64)e * vectors.element]);
            if (size > largest) largest = size;
        }
        for (u32 with = 16; with > 0; with /= 2) {
            M other = __shfl_xor_sync(all, largest, with);
            if (other > largest) largest = other;
        }
        // The vector's phase is fixed at the first element whose squared magnitude is at least 0.98 times the largest. 0.98 is a little less
        // than 0.99², and the host uses the same number.
        enough = largest * M(0.98);
    }
    u64 first = vectors.length;
    for (u64 e = lane; e < vectors.length; e += 32) {
        T here = x[(i64)e * vectors.element];
        if (here != T() && (!LARGE || squared(here) >= enough)) {
            first = e;
            break;
        }
    }
    for (u32 with = 16; with > 0; with /= 2) {
        u64 other = __shfl_xor_sync(all, first, with);
        if (other < first) first = other;
    }
    if (first == vectors.length) {
        if (by && lane == 0) by[vector] = cast<T>(M(1));
        return;
    }
    T found = x[(i64)first * vectors.element];
    M size = modulus(found);
    T factor = conj(found) / size;
    // Waits until all lanes have read element `first`, before one of them overwrites it.
    __syncwarp(all);
    for (u64 e = lane; e < vectors.length; e += 32) {
        T &to = x[(i64)e * vectors.element];
        // Element `first` becomes real. Due to rounding, `to * factor` could have a small imaginary part.
        to = e == first ? cast<T>(size) : to * factor;
    }
    if (by && lane == 0) by[vector] = factor;
}
