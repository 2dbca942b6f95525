// The library `libcublas.so.13` of the emulator: matrix products and triangular systems by plain loops. Each function checks its arguments
// as the documentation of cuBLAS specifies. It also checks that matrices and vectors are within allocations of the emulated driver.

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>

extern "C" int cuPointerGetAttribute(void *to, int attribute, uint64_t address);

namespace {

enum Status { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, EXECUTION_FAILED = 13 };
enum Operation { N = 0, T = 1, C = 2 };

struct Handle {
    void *stream;
    int pointer_mode, math_mode;
};

Status wrong(Status status, const char *call, const char *what) {
    fprintf(stderr, "CUDA emulator: cuBLAS: %s: %s\n", call, what);
    return status;
}

// The type of the accumulator for elements of type `E`.
template <class E> struct Sums;
template <> struct Sums<float> { typedef double Type; };
template <> struct Sums<double> { typedef long double Type; };
template <> struct Sums<std::complex<float>> { typedef std::complex<double> Type; };
template <> struct Sums<std::complex<double>> { typedef std::complex<long double> Type; };

float conjugate(float x) { return x; }
double conjugate(double x) { return x; }
template <class F> std::complex<F> conjugate(std::complex<F> x) { return std::conj(x); }

// Multiplies complex numbers as the device does, without the special treatment of infinities by `operator*` of C++.
float times(float x, float y) { return x * y; }
double times(double x, double y) { return x * y; }
long double times(long double x, long double y) { return x * y; }
template <class F> std::complex<F> times(std::complex<F> x, std::complex<F> y) {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

// Returns whether `elements` elements from `from` on are within one allocation of the device, and aligned.
template <class E> bool there(const E *from, int64_t elements) {
    if (elements == 0) return true;
    uint64_t begin, bytes;
    if (cuPointerGetAttribute(&begin, 11, (uint64_t)from) || cuPointerGetAttribute(&bytes, 12, (uint64_t)from)) return false;
    return (uint64_t)from % sizeof(E) == 0 && (uint64_t)elements * sizeof(E) <= begin + bytes - (uint64_t)from;
}

int64_t extent(int64_t rows, int64_t columns, int64_t ld) { return rows && columns ? (columns - 1) * ld + rows : 0; }

template <class E> E element(const E *a, Operation operation, int64_t ld, int64_t i, int64_t j) {
    E x = operation == N ? a[i + j * ld] : a[j + i * ld];
    return operation == C ? conjugate(x) : x;
}

template <class E>
Status gemm(const char *call, Handle *handle, Operation ta, Operation tb, int64_t m, int64_t n, int64_t k, const E *alpha, const E *a,
            int64_t lda, int64_t step_a, const E *b, int64_t ldb, int64_t step_b, const E *beta, E *c, int64_t ldc, int64_t step_c,
            int64_t batch) {
    if (!handle) return NOT_INITIALIZED;
    if (m < 0 || n < 0 || k < 0 || batch < 0) return wrong(INVALID_VALUE, call, "an extent is negative");
    if (ta < N || ta > C || tb < N || tb > C) return wrong(INVALID_VALUE, call, "there is no such operation");
    const int64_t rows_a = ta == N ? m : k, columns_a = ta == N ? k : m, rows_b = tb == N ? k : n, columns_b = tb == N ? n : k;
    if (lda < std::max<int64_t>(1, rows_a)) return wrong(INVALID_VALUE, call, "lda is too small");
    if (ldb < std::max<int64_t>(1, rows_b)) return wrong(INVALID_VALUE, call, "ldb is too small");
    if (ldc < std::max<int64_t>(1, m)) return wrong(INVALID_VALUE, call, "ldc is too small");
    if (!alpha || !beta) return wrong(INVALID_VALUE, call, "a factor is missing");
    if (m == 0 || n == 0 || batch == 0) return SUCCESS;
    // The result would be undefined if the output matrices of a batch overlapped.
    if (batch > 1 && std::abs(step_c) < extent(m, n, ldc) && !(std::abs(step_c) >= m && std::abs(step_c) * batch <= ldc))
        return wrong(INVALID_VALUE, call, "matrices of the result overlap");
    for (int64_t at : {(int64_t)0, batch - 1}) {
        if (!there(a + at * step_a, k ? extent(rows_a, columns_a, lda) : 0)) return wrong(EXECUTION_FAILED, call, "a is not on the device");
        if (!there(b + at * step_b, k ? extent(rows_b, columns_b, ldb) : 0)) return wrong(EXECUTION_FAILED, call, "b is not on the device");
        if (!there(c + at * step_c, extent(m, n, ldc))) return wrong(EXECUTION_FAILED, call, "c is not on the device");
    }
    typedef typename Sums<E>::Type Sum;
    for (; batch > 0; batch--, a += step_a, b += step_b, c += step_c)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++) {
                Sum sum = 0;
                for (int64_t l = 0; l < k; l++) sum += times((Sum)element(a, ta, lda, i, l), (Sum)element(b, tb, ldb, l, j));
                E &to = c[i + j * ldc];
                // If `beta` is 0, the output is not read.
                E before = *beta == E(0) ? E(0) : times(*beta, to);
                to = (E)times((Sum)*alpha, sum) + before;
            }
    return SUCCESS;
}

template <class E>
Status gemv(const char *call, Handle *handle, Operation operation, int64_t m, int64_t n, const E *alpha, const E *a, int64_t lda,
            const E *x, int64_t step_x, const E *beta, E *y, int64_t step_y) {
    if (!handle) return NOT_INITIALIZED;
    if (m < 0 || n < 0) return wrong(INVALID_VALUE, call, "an extent is negative");
    if (operation < N || operation > C) return wrong(INVALID_VALUE, call, "there is no such operation");
    if (lda < std::max<int64_t>(1, m)) return wrong(INVALID_VALUE, call, "lda is too small");
    if (step_x == 0 || step_y == 0) return wrong(INVALID_VALUE, call, "a vector has no step");
    if (!alpha || !beta) return wrong(INVALID_VALUE, call, "a factor is missing");
    if (m == 0 || n == 0) return SUCCESS;
    const int64_t outputs = operation == N ? m : n, inputs = operation == N ? n : m;
    if (!there(a, extent(m, n, lda))) return wrong(EXECUTION_FAILED, call, "a is not on the device");
    if (!there(x, (inputs - 1) * std::abs(step_x) + 1)) return wrong(EXECUTION_FAILED, call, "x is not on the device");
    if (!there(y, (outputs - 1) * std::abs(step_y) + 1)) return wrong(EXECUTION_FAILED, call, "y is not on the device");
    // If the stride of a vector is negative, its first element is the last one in memory.
    if (step_x < 0) x -= (inputs - 1) * step_x;
    if (step_y < 0) y -= (outputs - 1) * step_y;
    typedef typename Sums<E>::Type Sum;
    for (int64_t i = 0; i < outputs; i++) {
        Sum sum = 0;
        for (int64_t l = 0; l < inputs; l++) sum += times((Sum)element(a, operation, lda, i, l), (Sum)x[l * step_x]);
        E &to = y[i * step_y];
        E before = *beta == E(0) ? E(0) : times(*beta, to);
        to = (E)times((Sum)*alpha, sum) + before;
    }
    return SUCCESS;
}

enum Fill { LOWER = 0, UPPER = 1 };

template <class E>
Status trsm(const char *call, Handle *handle, int side, int fill, Operation operation, int unit, int64_t m, int64_t n, const E *alpha,
            const E *a, int64_t lda, E *b, int64_t ldb) {
    if (!handle) return NOT_INITIALIZED;
    if (m < 0 || n < 0) return wrong(INVALID_VALUE, call, "an extent is negative");
    if (side != 0 || operation != N) return wrong(INVALID_VALUE, call, "the emulator has only matrices on the left, as they are");
    if (fill != LOWER && fill != UPPER) return wrong(INVALID_VALUE, call, "there is no such triangle");
    if (lda < std::max<int64_t>(1, m)) return wrong(INVALID_VALUE, call, "lda is too small");
    if (ldb < std::max<int64_t>(1, m)) return wrong(INVALID_VALUE, call, "ldb is too small");
    if (!alpha) return wrong(INVALID_VALUE, call, "a factor is missing");
    if (m == 0 || n == 0) return SUCCESS;
    if (!there(a, extent(m, m, lda))) return wrong(EXECUTION_FAILED, call, "a is not on the device");
    if (!there(b, extent(m, n, ldb))) return wrong(EXECUTION_FAILED, call, "b is not on the device");
    typedef typename Sums<E>::Type Sum;
    for (int64_t j = 0; j < n; j++)
        for (int64_t step = 0; step < m; step++) {
            const int64_t i = fill == LOWER ? step : m - 1 - step;
            Sum sum = times((Sum)*alpha, (Sum)b[i + j * ldb]);
            for (int64_t k = fill == LOWER ? 0 : i + 1; k < (fill == LOWER ? i : m); k++)
                sum -= times((Sum)a[i + k * lda], (Sum)b[k + j * ldb]);
            b[i + j * ldb] = (E)(unit ? sum : sum / (Sum)a[i + i * lda]);
        }
    return SUCCESS;
}

} // namespace

extern "C" {

Status cublasCreate_v2(Handle **handle) {
    *handle = new Handle();
    return SUCCESS;
}
Status cublasDestroy_v2(Handle *handle) {
    delete handle;
    return SUCCESS;
}
Status cublasSetStream_v2(Handle *handle, void *stream) {
    if (!handle) return NOT_INITIALIZED;
    handle->stream = stream;
    return SUCCESS;
}
Status cublasGetVersion_v2(Handle *, int *version) {
    *version = 130000;
    return SUCCESS;
}
Status cublasSetMathMode(Handle *handle, int mode) {
    if (!handle) return NOT_INITIALIZED;
    handle->math_mode = mode;
    return SUCCESS;
}
Status cublasGetMathMode(Handle *handle, int *mode) {
    *mode = handle->math_mode;
    return SUCCESS;
}
Status cublasSetPointerMode_v2(Handle *handle, int mode) {
    if (!handle) return NOT_INITIALIZED;
    // The functions read scaling factors in the same way in both modes, because emulated device memory is host memory.
    handle->pointer_mode = mode;
    return SUCCESS;
}
Status cublasGetPointerMode_v2(Handle *handle, int *mode) {
    *mode = handle->pointer_mode;
    return SUCCESS;
}
Status cublasSetAtomicsMode(Handle *handle, int) { return handle ? SUCCESS : NOT_INITIALIZED; }
const char *cublasGetStatusName(Status status) {
    switch (status) {
    case SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    }
    return "unknown";
}
const char *cublasGetStatusString(Status status) { return cublasGetStatusName(status); }

#define FUNCTIONS(L, E)                                                                                                             \
    Status cublas##L##gemm_v2_64(Handle *h, Operation ta, Operation tb, int64_t m, int64_t n, int64_t k, const E *alpha, const E *a, \
                                 int64_t lda, const E *b, int64_t ldb, const E *beta, E *c, int64_t ldc) {                          \
        return gemm(__func__, h, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);                                 \
    }                                                                                                                               \
    Status cublas##L##gemmStridedBatched_64(Handle *h, Operation ta, Operation tb, int64_t m, int64_t n, int64_t k, const E *alpha, \
                                            const E *a, int64_t lda, long long step_a, const E *b, int64_t ldb, long long step_b,   \
                                            const E *beta, E *c, int64_t ldc, long long step_c, int64_t batch) {                    \
        return gemm(__func__, h, ta, tb, m, n, k, alpha, a, lda, step_a, b, ldb, step_b, beta, c, ldc, step_c, batch);              \
    }                                                                                                                               \
    Status cublas##L##gemv_v2_64(Handle *h, Operation t, int64_t m, int64_t n, const E *alpha, const E *a, int64_t lda, const E *x, \
                                 int64_t step_x, const E *beta, E *y, int64_t step_y) {                                             \
        return gemv(__func__, h, t, m, n, alpha, a, lda, x, step_x, beta, y, step_y);                                               \
    }                                                                                                                               \
    Status cublas##L##trsm_v2_64(Handle *h, int side, int fill, Operation t, int unit, int64_t m, int64_t n, const E *alpha,        \
                                 const E *a, int64_t lda, E *b, int64_t ldb) {                                                      \
        return trsm(__func__, h, side, fill, t, unit, m, n, alpha, a, lda, b, ldb);                                                 \
    }
FUNCTIONS(S, float)
FUNCTIONS(D, double)
FUNCTIONS(C, std::complex<float>)
FUNCTIONS(Z, std::complex<double>)

} // extern "C"
