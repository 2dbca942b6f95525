// Binary search in a sorted vector. The order is that of sort.cu, ascending.

// The sorted vector: its length, and its stride in elements.
struct Sorted {
    u64 length;
    i64 stride;
};

#define BEFORE 0
#define AFTER 1
#define CONTAINS 2

// For each element x of `a`: BEFORE, writes the number of elements less than x; AFTER, the number of elements that are not greater;
// CONTAINS, whether an element is equal to x.
template <int HOW, class T, class R>
DEV void search(const Loops<2> &loops, u64 n, const Sorted &sorted, const T *in, const T *a, R *out) {
    u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    i64 at[2];
    locate(loops, i, at);
    T x = a[at[1]];
    u64 low = 0, high = sorted.length;
    while (low < high) {
        u64 middle = low + (high - low) / 2;
        T y = in[(i64)middle * sorted.stride];
        if (HOW == AFTER ? !before<false>(x, y) : before<false>(y, x)) low = middle + 1;
        else high = middle;
    }
    if constexpr (HOW == CONTAINS) out[at[0]] = low < sorted.length && in[(i64)low * sorted.stride] == x;
    else out[at[0]] = (i64)low;
}

// Writes whether each element of a sorted contiguous vector differs from the one before it. All NaN are equal.
template <class T> DEV void starts(u64 n, const T *in, u8 *out) {
    u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) out[i] = i == 0 || before<false>(in[i - 1], in[i]);
}
