// Binary search in a sorted vector. The order is that of sort.cu, ascending.

// The sorted vector: its length, and its stride in elements.
struct Sorted {
    u64 length;
    i64 stride;
};

#define BEFORE 0
#define AFTER 1
#define CONTAINS 2

// Writes a result for each element x of `a`. For BEFORE, this is the number of sorted elements less than x; for AFTER, the number of sorted
// elements that are not greater than x; for CONTAINS, whether a sorted element is equal to x.
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

// Writes group[i] - 1 to out[order[i]]. The elements of `order` are a permutation of the indices.
DEV void invert(u64 n, const i64 *order, const i64 *group, i64 *out) {
    u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) out[order[i]] = group[i] - 1;
}

// ---- quantiles, with the formulas of the host

// The number and the length of the lines, and the place of the quantile in each sorted line: between elements `at` and `at` + 1. `weight`
// is the weight of element `at` + 1.
struct QuantilePlace {
    u64 lines, length, at;
    f64 weight;
};

DEV f64 mean(f64 a, f64 b) {
    f64 sum = a + b;
    return is_infinite(sum) && is_finite(a) && is_finite(b) ? a / 2.0 + b / 2.0 : sum / 2.0;
}
DEV f64 lerp(f64 a, f64 b, f64 t) {
    f64 span = b - a;
    if (a == b) return a;
    if (is_infinite(span)) return a * (1.0 - t) + b * t;
    return t < 0.5 ? a + span * t : b - span * (1.0 - t);
}

// Writes the quantile of each sorted line, or its median if MEDIAN. The result is NaN if the line's last element is NaN.
template <bool MEDIAN, class T, class R>
DEV void quantile(const Loops<1> &loops, const QuantilePlace &place, const T *sorted, R *out) {
    u64 line = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (line >= place.lines) return;
    i64 at[1];
    locate(loops, line, at);
    const T *x = sorted + line * place.length;
    if constexpr (FLOAT<T>) {
        T last = x[place.length - 1];
        if (last != last) {
            out[at[0]] = (R)last;
            return;
        }
    }
    f64 value = (f64)x[place.at];
    if (place.weight != 0.0) {
        f64 next = (f64)x[place.at + 1];
        value = MEDIAN ? mean(value, next) : lerp(value, next, place.weight);
    }
    out[at[0]] = (R)value;
}
