// The mathematical functions of the CUDA device library, implemented by calls to the C library. As on a GPU, one overloaded name at
// global scope serves both floating-point types.

extern "C" {
double sqrt(double);
float sqrtf(float);
double cbrt(double);
float cbrtf(float);
double exp(double);
float expf(float);
double exp2(double);
float exp2f(float);
double exp10(double);
float exp10f(float);
double expm1(double);
float expm1f(float);
double log(double);
float logf(float);
double log2(double);
float log2f(float);
double log10(double);
float log10f(float);
double log1p(double);
float log1pf(float);
double logb(double);
float logbf(float);
double sin(double);
float sinf(float);
double cos(double);
float cosf(float);
double tan(double);
float tanf(float);
double asin(double);
float asinf(float);
double acos(double);
float acosf(float);
double atan(double);
float atanf(float);
double sinh(double);
float sinhf(float);
double cosh(double);
float coshf(float);
double tanh(double);
float tanhf(float);
double asinh(double);
float asinhf(float);
double acosh(double);
float acoshf(float);
double atanh(double);
float atanhf(float);
double floor(double);
float floorf(float);
double ceil(double);
float ceilf(float);
double trunc(double);
float truncf(float);
double round(double);
float roundf(float);
double rint(double);
float rintf(float);
double nearbyint(double);
float nearbyintf(float);
double fabs(double);
float fabsf(float);
double erf(double);
float erff(float);
double erfc(double);
float erfcf(float);
double tgamma(double);
float tgammaf(float);
double lgamma(double);
float lgammaf(float);
double pow(double, double);
float powf(float, float);
double hypot(double, double);
float hypotf(float, float);
double atan2(double, double);
float atan2f(float, float);
double fmod(double, double);
float fmodf(float, float);
double remainder(double, double);
float remainderf(float, float);
double copysign(double, double);
float copysignf(float, float);
double fmin(double, double);
float fminf(float, float);
double fmax(double, double);
float fmaxf(float, float);
double fdim(double, double);
float fdimf(float, float);
double nextafter(double, double);
float nextafterf(float, float);
double fma(double, double, double);
float fmaf(float, float, float);
double ldexp(double, int);
float ldexpf(float, int);
double scalbn(double, int);
float scalbnf(float, int);
double frexp(double, int *);
float frexpf(float, int *);
double modf(double, double *);
float modff(float, float *);
int ilogb(double);
int ilogbf(float);
void sincos(double, double *, double *);
void sincosf(float, float *, float *);
long long llrint(double);
long long llrintf(float);
long long llround(double);
long long llroundf(float);
int printf(const char *, ...);
}

static inline float sqrt(float x) { return sqrtf(x); }
static inline float cbrt(float x) { return cbrtf(x); }
static inline float exp(float x) { return expf(x); }
static inline float exp2(float x) { return exp2f(x); }
static inline float exp10(float x) { return exp10f(x); }
static inline float expm1(float x) { return expm1f(x); }
static inline float log(float x) { return logf(x); }
static inline float log2(float x) { return log2f(x); }
static inline float log10(float x) { return log10f(x); }
static inline float log1p(float x) { return log1pf(x); }
static inline float logb(float x) { return logbf(x); }
static inline float sin(float x) { return sinf(x); }
static inline float cos(float x) { return cosf(x); }
static inline float tan(float x) { return tanf(x); }
static inline float asin(float x) { return asinf(x); }
static inline float acos(float x) { return acosf(x); }
static inline float atan(float x) { return atanf(x); }
static inline float sinh(float x) { return sinhf(x); }
static inline float cosh(float x) { return coshf(x); }
static inline float tanh(float x) { return tanhf(x); }
static inline float asinh(float x) { return asinhf(x); }
static inline float acosh(float x) { return acoshf(x); }
static inline float atanh(float x) { return atanhf(x); }
static inline float floor(float x) { return floorf(x); }
static inline float ceil(float x) { return ceilf(x); }
static inline float trunc(float x) { return truncf(x); }
static inline float round(float x) { return roundf(x); }
static inline float rint(float x) { return rintf(x); }
static inline float nearbyint(float x) { return nearbyintf(x); }
static inline float fabs(float x) { return fabsf(x); }
static inline float erf(float x) { return erff(x); }
static inline float erfc(float x) { return erfcf(x); }
static inline float tgamma(float x) { return tgammaf(x); }
static inline float lgamma(float x) { return lgammaf(x); }
static inline float pow(float x, float y) { return powf(x, y); }
static inline float hypot(float x, float y) { return hypotf(x, y); }
static inline float atan2(float x, float y) { return atan2f(x, y); }
static inline float fmod(float x, float y) { return fmodf(x, y); }
static inline float remainder(float x, float y) { return remainderf(x, y); }
static inline float copysign(float x, float y) { return copysignf(x, y); }
static inline float fmin(float x, float y) { return fminf(x, y); }
static inline float fmax(float x, float y) { return fmaxf(x, y); }
static inline float fdim(float x, float y) { return fdimf(x, y); }
static inline float nextafter(float x, float y) { return nextafterf(x, y); }
static inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
static inline float ldexp(float x, int n) { return ldexpf(x, n); }
static inline float scalbn(float x, int n) { return scalbnf(x, n); }
static inline float frexp(float x, int *n) { return frexpf(x, n); }
static inline float modf(float x, float *whole) { return modff(x, whole); }
static inline int ilogb(float x) { return ilogbf(x); }
static inline void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
static inline long long llrint(float x) { return llrintf(x); }
static inline long long llround(float x) { return llroundf(x); }

static inline bool isnan(float x) { return __builtin_isnan(x); }
static inline bool isnan(double x) { return __builtin_isnan(x); }
static inline bool isinf(float x) { return __builtin_isinf(x); }
static inline bool isinf(double x) { return __builtin_isinf(x); }
static inline bool isfinite(float x) { return __builtin_isfinite(x); }
static inline bool isfinite(double x) { return __builtin_isfinite(x); }
static inline bool signbit(float x) { return __builtin_signbit(x); }
static inline bool signbit(double x) { return __builtin_signbit(x); }

static inline float rsqrt(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline float rcbrt(float x) { return 1.0f / cbrtf(x); }
static inline double rcbrt(double x) { return 1.0 / cbrt(x); }

// Functions with an overload for each type, as in the device library. So arguments are not converted to another type. A call of `min` or
// `max` with an `int` and an `unsigned`, for example, is ambiguous here and does not compile.
static inline int abs(int x) { return x < 0 ? -x : x; }
static inline long abs(long x) { return x < 0 ? -x : x; }
static inline long long abs(long long x) { return x < 0 ? -x : x; }
static inline long long llabs(long long x) { return x < 0 ? -x : x; }
static inline float abs(float x) { return fabsf(x); }
static inline double abs(double x) { return fabs(x); }
#define EMULATOR_LEAST_AND_MOST(T)                               \
    static inline T min(T x, T y) { return y < x ? y : x; }      \
    static inline T max(T x, T y) { return x < y ? y : x; }
EMULATOR_LEAST_AND_MOST(int)
EMULATOR_LEAST_AND_MOST(unsigned)
EMULATOR_LEAST_AND_MOST(long)
EMULATOR_LEAST_AND_MOST(unsigned long)
EMULATOR_LEAST_AND_MOST(long long)
EMULATOR_LEAST_AND_MOST(unsigned long long)
static inline float min(float x, float y) { return fminf(x, y); }
static inline float max(float x, float y) { return fmaxf(x, y); }
static inline double min(double x, double y) { return fmin(x, y); }
static inline double max(double x, double y) { return fmax(x, y); }

// Operations with one rounding each, which must not be fused to a multiply-add. The crate compiles all kernels with NVRTC's option
// `--fmad=false`. The emulator (compile.cpp) translates this option to `-ffp-contract=off`.
static inline float __fadd_rn(float x, float y) { return x + y; }
static inline float __fsub_rn(float x, float y) { return x - y; }
static inline float __fmul_rn(float x, float y) { return x * y; }
static inline float __fdiv_rn(float x, float y) { return x / y; }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline double __dadd_rn(double x, double y) { return x + y; }
static inline double __dsub_rn(double x, double y) { return x - y; }
static inline double __dmul_rn(double x, double y) { return x * y; }
static inline double __ddiv_rn(double x, double y) { return x / y; }
static inline double __dsqrt_rn(double x) { return sqrt(x); }
static inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
