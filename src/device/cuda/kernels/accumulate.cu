// What sums and products are accumulated in, as `Scalar` has it on the host: integers of up to 32 bits in 64, those of 64 in
// 128, floating and complex numbers in themselves.

typedef __int128 i128;
typedef unsigned __int128 u128;

// For each type: the one that it wraps in, its accumulator, the type of its quotients, and whether it is an integer.
template <class T> struct Number {
    typedef T Bits;
    typedef T Wide;
    typedef T Float;
    static const bool integer = false;
};
#define INTEGER(T, BITS, WIDE)                                                                                                  \
    template <> struct Number<T> {                                                                                              \
        typedef BITS Bits;                                                                                                      \
        typedef WIDE Wide;                                                                                                      \
        typedef f64 Float;                                                                                                      \
        static const bool integer = true;                                                                                      \
    };
INTEGER(i8, u32, i64)
INTEGER(i16, u32, i64)
INTEGER(i32, u32, i64)
INTEGER(i64, u64, i128)
INTEGER(u8, u32, u64)
INTEGER(u16, u32, u64)
INTEGER(u32, u32, u64)
INTEGER(u64, u64, u128)
INTEGER(i128, u128, i128)
INTEGER(u128, u128, u128)
#undef INTEGER
template <class T> using Accumulator = typename Number<T>::Wide;
template <class T> using Floating = typename Number<T>::Float;

// Integers wrap, as the host's do: signed ones through unsigned ones, whose overflow C++ defines.
template <class T> DEV T wrapping_add(T a, T b) {
    typedef typename Number<T>::Bits Bits;
    return (T)((Bits)a + (Bits)b);
}
template <class T> DEV T wrapping_mul(T a, T b) {
    typedef typename Number<T>::Bits Bits;
    return (T)((Bits)a * (Bits)b);
}

// Whether an accumulated value is one of the type; what it is there, wrapped.
template <class T> DEV bool narrow(Accumulator<T> acc, T &to) {
    to = (T)acc;
    if constexpr (Number<T>::integer) return (Accumulator<T>)to == acc;
    return true;
}

// The product, wrapped, and whether it overflowed.
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
    // One of the two has 64 bits: what crosses over must fit the upper half, with what the lower halves make of it.
    u128 across = (u128)high_a * (u64)b + (u128)high_b * (u64)a;
    across += ((u128)(u64)a * (u64)b) >> 64;
    return across >> 64 != 0;
}
DEV bool checked_mul(i128 a, i128 b, i128 &to) {
    u128 magnitude;
    bool negative = (a < 0) != (b < 0);
    u128 x = a < 0 ? -(u128)a : (u128)a, y = b < 0 ? -(u128)b : (u128)b;
    bool beyond = checked_mul(x, y, magnitude);
    to = (i128)(negative ? -magnitude : magnitude);
    u128 most = ((u128)1 << 127) - (negative ? 0 : 1);
    return beyond || magnitude > most;
}

// Parts of numbers, real ones too; what is divided by a count; the real part of conj(a) b.
template <class F> DEV F real_part(F x) { return x; }
template <class F> DEV F real_part(Complex<F> x) { return x.re; }
template <class F> DEV F unscale(F x, F by) { return x / by; }
template <class F> DEV Complex<F> unscale(Complex<F> x, F by) { return {x.re / by, x.im / by}; }
template <class F> DEV F scale(F x, F by) { return x * by; }
template <class F> DEV Complex<F> scale(Complex<F> x, F by) { return {x.re * by, x.im * by}; }
template <class F> DEV F dot_re(F a, F b) { return a * b; }
template <class F> DEV F dot_re(Complex<F> a, Complex<F> b) { return a.re * b.re + a.im * b.im; }

// A value of any type that can be copied, from the lane `by` further on.
template <class T> DEV T shuffle_down(T x, u32 by) {
    const int words = (sizeof(T) + 3) / 4;
    union Words {
        u32 word[words];
        T value;
    } all;
    all.word[words - 1] = 0;
    all.value = x;
#pragma unroll
    for (int w = 0; w < words; w++) all.word[w] = __shfl_down_sync(0xffffffffu, all.word[w], by);
    return all.value;
}
