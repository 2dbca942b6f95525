// The accumulator types of sums and products, the same as in `Scalar` on the host. Integers of up to 32 bits accumulate in 64 bits, and
// 64-bit integers in 128. Floating-point and complex numbers accumulate in their own type.

template <class T, bool IS_INTEGER> struct Accumulates { typedef T Sum, Quotient; };
template <class T> struct Accumulates<T, true> {
    typedef Wide<T> Sum;
    typedef f64 Quotient;
};
template <class T> using Accumulator = typename Accumulates<T, INTEGER<T>>::Sum;
// The type of means and quotients of T: f64 for integers, otherwise T.
template <class T> using Floating = typename Accumulates<T, INTEGER<T>>::Quotient;

DEV i128 wrapping_add(i128 a, i128 b) { return (i128)((u128)a + (u128)b); }
DEV u128 wrapping_add(u128 a, u128 b) { return a + b; }
DEV i128 wrapping_mul(i128 a, i128 b) { return (i128)((u128)a * (u128)b); }
DEV u128 wrapping_mul(u128 a, u128 b) { return a * b; }

// Converts an accumulated value to T, wrapped. Returns whether the value fits T.
template <class T> DEV bool narrow(Accumulator<T> acc, T &to) {
    to = (T)acc;
    if constexpr (INTEGER<T>) return (Accumulator<T>)to == acc;
    return true;
}

// Computes the product of two accumulators, wrapped. Returns whether an integer product overflowed. For floating-point products,
// which become infinite, returns false.
template <class A> DEV bool checked_mul(A a, A b, A &to) {
    to = a * b;
    return false;
}
DEV bool checked_mul(i64 a, i64 b, i64 &to) {
    i128 all = (i128)a * b;
    to = (i64)all;
    return to != all;
}
DEV bool checked_mul(u64 a, u64 b, u64 &to) {
    u128 all = (u128)a * b;
    to = (u64)all;
    return to != all;
}
DEV bool checked_mul(u128 a, u128 b, u128 &to) {
    to = a * b;
    u64 high_a = (u64)(a >> 64), high_b = (u64)(b >> 64);
    if (high_a != 0 && high_b != 0) return true;
    // One high half is zero, so one cross product is zero. The product fits if the other cross product, plus the upper half of the
    // low product, is less than 2^64.
    u128 across = (u128)high_a * (u64)b + (u128)high_b * (u64)a;
    across += ((u128)(u64)a * (u64)b) >> 64;
    return across >> 64 != 0;
}
DEV bool checked_mul(i128 a, i128 b, i128 &to) {
    bool negative = (a < 0) != (b < 0);
    u128 x = a < 0 ? -(u128)a : (u128)a, y = b < 0 ? -(u128)b : (u128)b, magnitude;
    bool beyond = checked_mul(x, y, magnitude);
    to = (i128)(negative ? -magnitude : magnitude);
    u128 most = ((u128)1 << 127) - (negative ? 0 : 1);
    return beyond || magnitude > most;
}

// unscale: divides by a real number. dot_re: computes the real part of conj(a) * b.
template <class F> DEV F unscale(F x, F by) { return x / by; }
template <class F> DEV Complex<F> unscale(Complex<F> x, F by) { return {x.re / by, x.im / by}; }
template <class F> DEV F dot_re(F a, F b) { return a * b; }
template <class F> DEV F dot_re(Complex<F> a, Complex<F> b) { return a.re * b.re + a.im * b.im; }

// Returns the value `x` of another thread of the warp: the thread `by` places after this one or, if BACK, `by` places before it. T is
// any trivially copyable type.
template <bool BACK, class T> DEV T shuffle(T x, u32 by) {
    const int words = (sizeof(T) + 3) / 4;
    union Words {
        u32 word[words];
        T value;
    } all;
    all.word[words - 1] = 0;
    all.value = x;
#pragma unroll
    for (int w = 0; w < words; w++) {
        u32 here = all.word[w];
        all.word[w] = BACK ? __shfl_up_sync(0xffffffffu, here, by) : __shfl_down_sync(0xffffffffu, here, by);
    }
    return all.value;
}
template <class T> DEV T shuffle_down(T x, u32 by) { return shuffle<false>(x, by); }
template <class T> DEV T shuffle_up(T x, u32 by) { return shuffle<true>(x, by); }
