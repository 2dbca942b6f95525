// The library `libcusolver.so.12` of the emulator: decompositions of matrices by textbook algorithms, in a type that is more precise than
// the elements. Each function checks its arguments as the documentation of cuSOLVER specifies, and asserts that matrices, vectors and
// workspace are within allocations of the emulated driver. What cuSOLVER leaves unspecified is filled with NaN. Singular vectors and
// eigenvectors do not follow the crate's conventions for signs and phases.

#include "decompositions.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

extern "C" int cuPointerGetAttribute(void *to, int attribute, uint64_t address);

namespace {

enum Status { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 3, EXECUTION_FAILED = 6, NOT_SUPPORTED = 9 };
enum Fill { LOWER = 0 };
enum Operation { NONE = 0 };

struct Handle {
    void *stream = nullptr;
};
struct Parameters {};

Status wrong(Status status, const char *call, const char *what) {
    fprintf(stderr, "CUDA emulator: cuSOLVER: %s: %s\n", call, what);
    return status;
}

bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && strcmp(value, "1") == 0;
}

// Returns whether `elements` elements from `from` on are within one allocation of the device, and aligned.
template <class E> bool there(const E *from, int64_t elements) {
    if (elements == 0) return true;
    uint64_t begin, bytes;
    if (cuPointerGetAttribute(&begin, 11, (uint64_t)from) || cuPointerGetAttribute(&bytes, 12, (uint64_t)from)) return false;
    return (uint64_t)from % sizeof(E) == 0 && (uint64_t)elements * sizeof(E) <= begin + bytes - (uint64_t)from;
}

int64_t extent(int64_t rows, int64_t columns, int64_t ld) { return rows && columns ? (columns - 1) * ld + rows : 0; }

template <class E> void spoil(E *from, int64_t elements) { memset((void *)from, 0xff, elements * sizeof(E)); }

// The arguments of a call, which are checked one after the other. The first mistake determines the status.
struct Checked {
    const char *call;
    Status status = SUCCESS;
    Checked(const char *call, const Handle *handle) : call(call) {
        if (!handle) status = NOT_INITIALIZED;
        else if (is_set("VIERBEIN_EMULATOR_SOLVER_FAILS")) status = wrong(EXECUTION_FAILED, call, "the environment asks for a failure");
    }
    Checked &that(bool right, const char *what) {
        if (!status && !right) status = wrong(INVALID_VALUE, call, what);
        return *this;
    }
    template <class E> Checked &matrix(const E *a, int64_t rows, int64_t columns, int64_t ld, const char *what) {
        that(rows >= 0 && columns >= 0, "an extent is negative").that(ld >= std::max<int64_t>(1, rows), "a leading dimension is too small");
        return vector(a, status ? 0 : extent(rows, columns, ld), what);
    }
    template <class E> Checked &vector(const E *a, int64_t length, const char *what) {
        if (!status && !there(a, length)) status = wrong(EXECUTION_FAILED, call, what);
        return *this;
    }
    // Overwrites the workspace, as cuSOLVER does.
    template <class E> Checked &workspace(E *work, int64_t given, int64_t needed) {
        that(given >= needed, "the workspace is too small").vector(work, needed, "the workspace is not on the device");
        if (!status) spoil(work, needed);
        return *this;
    }
};

// The workspace sizes, which are arbitrary.
int of_lu(int m, int n) { return m * n / 2 + 3; }
int of_cholesky(int n) { return 2 * n + 1; }
int of_qr(int m, int n) { return 2 * n + m; }
int of_eigh(int n) { return n * n + 5; }
int of_svd(int m, int n) { return 3 * m + 2 * n + 4; }

Status size(Handle *handle, int *to, int len) {
    if (!handle) return NOT_INITIALIZED;
    *to = len;
    return SUCCESS;
}

int not_converged(int n) { return is_set("VIERBEIN_EMULATOR_NOT_CONVERGED") ? n + 1 : 0; }
bool gives_nan() { return is_set("VIERBEIN_EMULATOR_SOLVER_NAN"); }

// Returns singular vectors or eigenvectors that are almost orthonormal, as those of cuSOLVER: V (I + S) for a small symmetric matrix S.
// The norm of S exceeds the largest deviation that was found for the type on a GPU.
template <class E> Matrix<Wide<E>> inaccurate(const Matrix<Wide<E>> &v) {
    const int n = v.columns;
    const double size = std::is_same<WideReal<E>, double>::value ? 1e-2 : 1e-5;
    Matrix<Wide<E>> to = v;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) {
            const WideReal<E> factor = size / n * std::cos(1.0 * (j + k) + 0.5 * j * k);
            for (int i = 0; i < v.rows; i++) to(i, j) += v(i, k) * factor;
        }
    return to;
}

template <class E> Status getrf(const char *call, Handle *h, int m, int n, E *a, int lda, E *work, int *pivots, int *info) {
    Checked checked(call, h);
    checked.matrix(a, m, n, lda, "a is not on the device").workspace(work, of_lu(m, n), of_lu(m, n));
    checked.vector(pivots, std::min(m, n), "the pivots are not on the device").vector(info, 1, "the info is not on the device");
    if (checked.status) return checked.status;
    auto x = load(a, m, n, lda);
    *info = lu(x, pivots);
    store(x, a, lda);
    return SUCCESS;
}

template <class E>
Status getrs(const char *call, Handle *h, int operation, int n, int p, const E *a, int lda, const int *pivots, E *b, int ldb, int *info) {
    Checked checked(call, h);
    checked.matrix(a, n, n, lda, "a is not on the device").matrix(b, n, p, ldb, "b is not on the device");
    checked.vector(pivots, n, "the pivots are not on the device").vector(info, 1, "the info is not on the device");
    if (checked.status) return checked.status;
    if (operation != NONE) return wrong(NOT_SUPPORTED, call, "the emulator does not transpose");
    auto x = load(b, n, p, ldb);
    lu_solve(load(a, n, n, lda), pivots, x);
    store(x, b, ldb);
    *info = 0;
    return SUCCESS;
}

template <class E> Status potrf(const char *call, Handle *h, int fill, int n, E *a, int lda, E *work, int given, int *info) {
    Checked checked(call, h);
    checked.matrix(a, n, n, lda, "a is not on the device").workspace(work, given, of_cholesky(n));
    checked.vector(info, 1, "the info is not on the device");
    if (checked.status) return checked.status;
    if (fill != LOWER) return wrong(NOT_SUPPORTED, call, "the emulator uses lower triangles");
    auto x = load(a, n, n, lda);
    *info = cholesky(x);
    // Like cuSOLVER, writes the lower triangle only.
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) a[i + (int64_t)j * lda] = narrow<E>(x(i, j));
    return SUCCESS;
}

template <class E> Status potrf_batched(const char *call, Handle *h, int fill, int n, E **list, int lda, int *infos, int batch) {
    Checked checked(call, h);
    checked.that(batch >= 1, "there are no matrices").vector(list, batch, "the list is not on the device");
    if (checked.status) return checked.status;
    for (int k = 0; k < batch; k++) {
        Checked each(call, h);
        each.matrix(list[k], n, n, lda, "a is not on the device").vector(infos, batch, "the infos are not on the device");
        if (each.status) return each.status;
        if (fill != LOWER) return wrong(NOT_SUPPORTED, call, "the emulator uses lower triangles");
        auto x = load(list[k], n, n, lda);
        infos[k] = cholesky(x);
        // cuSOLVER may use the upper triangle as workspace, so the emulator overwrites it with NaN.
        for (int j = 0; j < n; j++) {
            spoil(list[k] + (int64_t)j * lda, j);
            for (int i = j; i < n; i++) list[k][i + (int64_t)j * lda] = narrow<E>(x(i, j));
        }
    }
    return SUCCESS;
}

template <class E> Status potrs(const char *call, Handle *h, int fill, int n, int p, const E *a, int lda, E *b, int ldb, int *info) {
    Checked checked(call, h);
    checked.matrix(a, n, n, lda, "a is not on the device").matrix(b, n, p, ldb, "b is not on the device");
    checked.vector(info, 1, "the info is not on the device");
    if (checked.status) return checked.status;
    if (fill != LOWER) return wrong(NOT_SUPPORTED, call, "the emulator uses lower triangles");
    auto x = load(b, n, p, ldb);
    cholesky_solve(load(a, n, n, lda), x);
    store(x, b, ldb);
    *info = 0;
    return SUCCESS;
}

template <class E> Status geqrf(const char *call, Handle *h, int m, int n, E *a, int lda, E *factors, E *work, int given, int *info) {
    Checked checked(call, h);
    checked.matrix(a, m, n, lda, "a is not on the device").workspace(work, given, of_qr(m, n));
    checked.vector(factors, std::min(m, n), "tau is not on the device").vector(info, 1, "the info is not on the device");
    if (checked.status) return checked.status;
    auto x = load(a, m, n, lda);
    Matrix<Wide<E>> tau(std::min(m, n), 1);
    qr(x, tau);
    store(x, a, lda);
    store(tau, factors, std::max(1, tau.rows));
    *info = 0;
    return SUCCESS;
}

template <class E>
Status orgqr(const char *call, Handle *h, int m, int n, int k, E *a, int lda, const E *factors, E *work, int given, int *info) {
    Checked checked(call, h);
    checked.that(m >= n && n >= k && k >= 0, "the extents must descend");
    checked.matrix(a, m, n, lda, "a is not on the device").workspace(work, given, of_qr(m, n));
    checked.vector(factors, k, "tau is not on the device").vector(info, 1, "the info is not on the device");
    if (checked.status) return checked.status;
    store(reflections(load(a, m, n, lda), load(factors, k, 1, std::max(1, k)), n), a, lda);
    *info = 0;
    return SUCCESS;
}

template <class E, class R>
Status syevd(const char *call, Handle *h, int vectors, int fill, int n, E *a, int lda, R *values, E *work, int given, int *info) {
    Checked checked(call, h);
    checked.matrix(a, n, n, lda, "a is not on the device").workspace(work, given, of_eigh(n));
    checked.vector(values, n, "the values are not on the device").vector(info, 1, "the info is not on the device");
    if (checked.status) return checked.status;
    if (fill != LOWER) return wrong(NOT_SUPPORTED, call, "the emulator uses lower triangles");
    std::vector<WideReal<E>> w;
    Matrix<Wide<E>> v = eigh(load(a, n, n, lda), w);
    for (int j = 0; j < n; j++) values[j] = (R)w[j];
    spoil(a, extent(n, n, lda));
    if (vectors && !gives_nan()) store(inaccurate<E>(v), a, lda);
    if (!vectors && gives_nan()) spoil(values, n);
    *info = not_converged(n);
    return SUCCESS;
}

template <class E, class R>
Status syevj_batched(const char *call, Handle *h, int vectors, int fill, int n, E *a, int lda, R *values, E *work, int given, int *infos,
                     Parameters *parameters, int batch) {
    Checked checked(call, h);
    checked.that(parameters, "there are no parameters").that(batch >= 1, "there are no matrices");
    checked.workspace(work, given, of_eigh(n) * batch);
    if (checked.status) return checked.status;
    for (int k = 0; k < batch; k++) {
        Status status = syevd(call, h, vectors, fill, n, a + (int64_t)k * lda * n, lda, values + (int64_t)k * n, work, given, infos + k);
        if (status) return status;
    }
    return SUCCESS;
}

template <class E, class R>
Status gesvdj(const char *call, Handle *h, int vectors, int thin, int m, int n, E *a, int lda, R *values, E *u, int ldu, E *v, int ldv,
              E *work, int given, int *info, Parameters *parameters) {
    const int k = std::min(m, n), p = thin ? k : m, q = thin ? k : n;
    Checked checked(call, h);
    checked.that(parameters, "there are no parameters").matrix(a, m, n, lda, "a is not on the device");
    // The functions of cuSOLVER overwrite the singular vectors even if these are not requested.
    checked.matrix(u, m, p, ldu, "u is not on the device").matrix(v, n, q, ldv, "v is not on the device");
    checked.vector(values, k, "the values are not on the device").workspace(work, given, of_svd(m, n));
    checked.vector(info, 1, "the info is not on the device");
    if (checked.status) return checked.status;
    std::vector<WideReal<E>> s;
    Matrix<Wide<E>> x(m, p), y(n, q);
    svd(load(a, m, n, lda), s, x, y);
    for (int j = 0; j < k; j++) values[j] = (R)s[j];
    spoil(a, extent(m, n, lda));
    spoil(u, extent(m, p, ldu));
    spoil(v, extent(n, q, ldv));
    if (vectors) {
        store(inaccurate<E>(x), u, ldu);
        if (!gives_nan()) store(inaccurate<E>(y), v, ldv);
    } else if (gives_nan()) {
        spoil(values, k);
    }
    *info = not_converged(k);
    return SUCCESS;
}

template <class E, class R>
Status gesvdj_batched(const char *call, Handle *h, int vectors, int m, int n, E *a, int lda, R *values, E *u, int ldu, E *v, int ldv,
                      E *work, int given, int *infos, Parameters *parameters, int batch) {
    Checked checked(call, h);
    checked.that(m <= 32 && n <= 32, "the matrices are too large").that(batch >= 1, "there are no matrices");
    checked.workspace(work, given, of_svd(m, n) * batch);
    if (checked.status) return checked.status;
    for (int64_t k = 0; k < batch; k++) {
        Status status = gesvdj(call, h, vectors, 0, m, n, a + k * lda * n, lda, values + k * std::min(m, n), u + k * ldu * m, ldu,
                               v + k * ldv * n, ldv, work, given, infos + k, parameters);
        if (status) return status;
    }
    return SUCCESS;
}

} // namespace

extern "C" {

Status cusolverDnCreate(Handle **handle) {
    *handle = new Handle();
    return SUCCESS;
}
Status cusolverDnDestroy(Handle *handle) {
    delete handle;
    return SUCCESS;
}
Status cusolverDnSetStream(Handle *handle, void *stream) {
    if (!handle) return NOT_INITIALIZED;
    handle->stream = stream;
    return SUCCESS;
}
Status cusolverDnCreateSyevjInfo(Parameters **parameters) {
    *parameters = new Parameters();
    return SUCCESS;
}
Status cusolverDnDestroySyevjInfo(Parameters *parameters) {
    delete parameters;
    return SUCCESS;
}
Status cusolverDnCreateGesvdjInfo(Parameters **parameters) { return cusolverDnCreateSyevjInfo(parameters); }
Status cusolverDnDestroyGesvdjInfo(Parameters *parameters) { return cusolverDnDestroySyevjInfo(parameters); }

#define FUNCTIONS(L, E, R, SY, OR)                                                                                                       \
    Status cusolverDn##L##getrf_bufferSize(Handle *h, int m, int n, E *, int, int *len) { return size(h, len, of_lu(m, n)); }           \
    Status cusolverDn##L##getrf(Handle *h, int m, int n, E *a, int lda, E *work, int *pivots, int *info) {                              \
        return getrf(__func__, h, m, n, a, lda, work, pivots, info);                                                                    \
    }                                                                                                                                   \
    Status cusolverDn##L##getrs(Handle *h, int op, int n, int p, const E *a, int lda, const int *pivots, E *b, int ldb, int *info) {    \
        return getrs(__func__, h, op, n, p, a, lda, pivots, b, ldb, info);                                                              \
    }                                                                                                                                   \
    Status cusolverDn##L##potrf_bufferSize(Handle *h, int, int n, E *, int, int *len) { return size(h, len, of_cholesky(n)); }          \
    Status cusolverDn##L##potrf(Handle *h, int fill, int n, E *a, int lda, E *work, int given, int *info) {                             \
        return potrf(__func__, h, fill, n, a, lda, work, given, info);                                                                  \
    }                                                                                                                                   \
    Status cusolverDn##L##potrfBatched(Handle *h, int fill, int n, E **list, int lda, int *infos, int batch) {                          \
        return potrf_batched(__func__, h, fill, n, list, lda, infos, batch);                                                            \
    }                                                                                                                                   \
    Status cusolverDn##L##potrs(Handle *h, int fill, int n, int p, const E *a, int lda, E *b, int ldb, int *info) {                     \
        return potrs(__func__, h, fill, n, p, a, lda, b, ldb, info);                                                                    \
    }                                                                                                                                   \
    Status cusolverDn##L##geqrf_bufferSize(Handle *h, int m, int n, E *, int, int *len) { return size(h, len, of_qr(m, n)); }           \
    Status cusolverDn##L##geqrf(Handle *h, int m, int n, E *a, int lda, E *tau, E *work, int given, int *info) {                        \
        return geqrf(__func__, h, m, n, a, lda, tau, work, given, info);                                                                \
    }                                                                                                                                   \
    Status cusolverDn##L##OR##gqr_bufferSize(Handle *h, int m, int n, int, const E *, int, const E *, int *len) {                       \
        return size(h, len, of_qr(m, n));                                                                                               \
    }                                                                                                                                   \
    Status cusolverDn##L##OR##gqr(Handle *h, int m, int n, int k, E *a, int lda, const E *tau, E *work, int given, int *info) {         \
        return orgqr(__func__, h, m, n, k, a, lda, tau, work, given, info);                                                             \
    }                                                                                                                                   \
    Status cusolverDn##L##SY##evd_bufferSize(Handle *h, int, int, int n, const E *, int, const R *, int *len) {                         \
        return size(h, len, of_eigh(n));                                                                                                \
    }                                                                                                                                   \
    Status cusolverDn##L##SY##evd(Handle *h, int vectors, int fill, int n, E *a, int lda, R *w, E *work, int given, int *info) {        \
        return syevd(__func__, h, vectors, fill, n, a, lda, w, work, given, info);                                                      \
    }                                                                                                                                   \
    Status cusolverDn##L##SY##evjBatched_bufferSize(Handle *h, int, int, int n, const E *, int, const R *, int *len, Parameters *,      \
                                                    int batch) {                                                                        \
        return size(h, len, of_eigh(n) * batch);                                                                                        \
    }                                                                                                                                   \
    Status cusolverDn##L##SY##evjBatched(Handle *h, int vectors, int fill, int n, E *a, int lda, R *w, E *work, int given, int *infos,  \
                                         Parameters *parameters, int batch) {                                                           \
        return syevj_batched(__func__, h, vectors, fill, n, a, lda, w, work, given, infos, parameters, batch);                          \
    }                                                                                                                                   \
    Status cusolverDn##L##gesvdj_bufferSize(Handle *h, int, int, int m, int n, const E *, int, const R *, const E *, int, const E *,    \
                                            int, int *len, Parameters *) {                                                              \
        return size(h, len, of_svd(m, n));                                                                                              \
    }                                                                                                                                   \
    Status cusolverDn##L##gesvdj(Handle *h, int vectors, int thin, int m, int n, E *a, int lda, R *s, E *u, int ldu, E *v, int ldv,     \
                                 E *work, int given, int *info, Parameters *parameters) {                                               \
        return gesvdj(__func__, h, vectors, thin, m, n, a, lda, s, u, ldu, v, ldv, work, given, info, parameters);                      \
    }                                                                                                                                   \
    Status cusolverDn##L##gesvdjBatched_bufferSize(Handle *h, int, int m, int n, const E *, int, const R *, const E *, int, const E *,  \
                                                   int, int *len, Parameters *, int batch) {                                            \
        return size(h, len, of_svd(m, n) * batch);                                                                                      \
    }                                                                                                                                   \
    Status cusolverDn##L##gesvdjBatched(Handle *h, int vectors, int m, int n, E *a, int lda, R *s, E *u, int ldu, E *v, int ldv,        \
                                        E *work, int given, int *infos, Parameters *parameters, int batch) {                            \
        return gesvdj_batched(__func__, h, vectors, m, n, a, lda, s, u, ldu, v, ldv, work, given, infos, parameters, batch);            \
    }
FUNCTIONS(S, float, float, sy, or)
FUNCTIONS(D, double, double, sy, or)
FUNCTIONS(C, std::complex<float>, float, he, un)
FUNCTIONS(Z, std::complex<double>, double, he, un)

} // extern "C"
