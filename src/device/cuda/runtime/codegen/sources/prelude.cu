// The beginning of every kernel's source: the element types by their Rust names, complex arithmetic, vectors, and loop nests. No header is
// included. So a kernel compiles in tens of milliseconds, and the compiler needs no files other than its own library.

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

#define DEV __device__ __forceinline__

// ---- complex numbers: two adjacent floating-point numbers, as in num-complex

template <class F> struct alignas(2 * sizeof(F)) Complex {
    F re, im;
};
typedef Complex<f32> c32;
typedef Complex<f64> c64;

template <class F> DEV Complex<F> operator+(Complex<F> a, Complex<F> b) { return {a.re + b.re, a.im + b.im}; }
template <class F> DEV Complex<F> operator-(Complex<F> a, Complex<F> b) { return {a.re - b.re, a.im - b.im}; }
template <class F> DEV Complex<F> operator-(Complex<F> a) { return {-a.re, -a.im}; }
template <class F> DEV Complex<F> operator*(Complex<F> a, Complex<F> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class F> DEV bool operator==(Complex<F> a, Complex<F> b) { return a.re == b.re && a.im == b.im; }
template <class F> DEV bool operator!=(Complex<F> a, Complex<F> b) { return !(a == b); }

// ---- memory

// N elements that are loaded or stored together. The alignment is their size, but at most 16 bytes.
template <class T, int N> struct alignas(sizeof(T) * N > 16 ? 16 : sizeof(T) * N) Vec {
    T at[N];
};

// ---- indices

// A divisor, with constants that the host computes (Granlund and Montgomery, PLDI 1994): n / d = (mulhi(n, m) + n) >> s for n <
// 2^31.
struct Divisor {
    u64 d;
    u32 m, s;
};
DEV u32 quotient(u32 n, Divisor by) { return (__umulhi(n, by.m) + n) >> by.s; }
DEV u64 quotient(u64 n, Divisor by) { return n >> 31 == 0 ? quotient((u32)n, by) : n / by.d; }

#define LOOPS 16

// A loop nest over K operands: extents, innermost first, and the strides of each operand.
template <int K> struct Loops {
    u32 count;
    u32 unused;
    Divisor length[LOOPS];
    i64 step[K][LOOPS];
};

// Computes the offset in each operand at the given iteration of the loop nest.
template <int K, class I> DEV void locate(const Loops<K> &loops, I index, i64 (&at)[K]) {
    for (int k = 0; k < K; k++) at[k] = 0;
    for (u32 l = 0; l < loops.count; l++) {
        I next = quotient(index, loops.length[l]);
        i64 turn = (i64)(index - next * (I)loops.length[l].d);
        index = next;
        for (int k = 0; k < K; k++) at[k] += turn * loops.step[k][l];
    }
}
