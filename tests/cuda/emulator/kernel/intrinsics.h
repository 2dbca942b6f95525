// Integer, bit, memory and atomic functions of the CUDA device library. Only one thread runs at a time, so atomic functions are
// plain operations.

static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
static inline int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
static inline long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }

namespace emulator {
template <class To, class From> inline To bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
// Converts a floating-point number to an integer as a GPU does: rounds towards zero, saturates, and converts NaN to zero.
template <class To, class From> inline To saturate(From x) {
    constexpr bool is_signed = (To)-1 < 0;
    constexpr int digits = sizeof(To) * 8 - is_signed;
    constexpr To most = (To)(~0ull >> (64 - digits)), least = is_signed ? (To)(-most - 1) : (To)0;
    From limit = 1;
    for (int i = 0; i < digits; i++) limit *= 2;
    return x != x ? (To)0 : x >= limit ? most : x <= (From)least ? least : (To)x;
}
template <class T> inline T replace(T *at, T by) {
    T before = *at;
    *at = by;
    return before;
}
} // namespace emulator

static inline int __float_as_int(float x) { return emulator::bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return emulator::bits<unsigned>(x); }
static inline float __int_as_float(int x) { return emulator::bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return emulator::bits<float>(x); }
static inline long long __double_as_longlong(double x) { return emulator::bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return emulator::bits<double>(x); }

static inline int __float2int_rz(float x) { return emulator::saturate<int>(x); }
static inline unsigned __float2uint_rz(float x) { return emulator::saturate<unsigned>(x); }
static inline long long __float2ll_rz(float x) { return emulator::saturate<long long>(x); }
static inline unsigned long long __float2ull_rz(float x) { return emulator::saturate<unsigned long long>(x); }
static inline int __double2int_rz(double x) { return emulator::saturate<int>(x); }
static inline unsigned __double2uint_rz(double x) { return emulator::saturate<unsigned>(x); }
static inline long long __double2ll_rz(double x) { return emulator::saturate<long long>(x); }
static inline unsigned long long __double2ull_rz(double x) { return emulator::saturate<unsigned long long>(x); }

template <class T> static inline T __ldg(const T *at) { return *at; }
template <class T> static inline T __ldcs(const T *at) { return *at; }
template <class T> static inline T __ldcg(const T *at) { return *at; }
template <class T> static inline void __stcs(T *at, T value) { *at = value; }
template <class T> static inline void __stcg(T *at, T value) { *at = value; }

static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}
static inline void __trap() { emulator_hooks->fail(719, "__trap"); }

template <class T> static inline T atomicAdd(T *at, T by) { return emulator::replace(at, (T)(*at + by)); }
template <class T> static inline T atomicSub(T *at, T by) { return emulator::replace(at, (T)(*at - by)); }
template <class T> static inline T atomicMin(T *at, T by) { return emulator::replace(at, by < *at ? by : *at); }
template <class T> static inline T atomicMax(T *at, T by) { return emulator::replace(at, *at < by ? by : *at); }
template <class T> static inline T atomicAnd(T *at, T by) { return emulator::replace(at, (T)(*at & by)); }
template <class T> static inline T atomicOr(T *at, T by) { return emulator::replace(at, (T)(*at | by)); }
template <class T> static inline T atomicXor(T *at, T by) { return emulator::replace(at, (T)(*at ^ by)); }
template <class T> static inline T atomicExch(T *at, T by) { return emulator::replace(at, by); }
template <class T> static inline T atomicCAS(T *at, T is, T by) { return emulator::replace(at, *at == is ? by : *at); }
static inline unsigned atomicInc(unsigned *at, unsigned most) { return emulator::replace(at, *at >= most ? 0 : *at + 1); }
