// The library `libcufft.so.12` of the emulator: Fourier transforms of contiguous lines, by their definition. Each function checks its
// arguments as the documentation of cuFFT specifies, and asserts that lines and workspace are within allocations of the emulated driver.

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

extern "C" int cuPointerGetAttribute(void *to, int attribute, uint64_t address);

namespace {

enum Status { SUCCESS = 0, INVALID_PLAN = 1, INVALID_TYPE = 3, INVALID_VALUE = 4, EXEC_FAILED = 6, INVALID_SIZE = 8 };
enum Type { R2C = 42, C2R = 44, C2C = 41, D2Z = 106, Z2D = 108, Z2Z = 105 };
typedef std::complex<long double> Sum;

struct Plan {
    bool made = false, allocates = true;
    int type = 0;
    int64_t n = 0, batch = 0;
    void *workspace = nullptr;
    size_t bytes() const { return 16 * (size_t)n + 48; }
};

std::mutex lock;
std::map<int, Plan> plans;
int next_handle = 7;

Status wrong(Status status, const char *call, const char *what) {
    fprintf(stderr, "CUDA emulator: cuFFT: %s: %s\n", call, what);
    return status;
}

// Returns whether `bytes` bytes from `from` on are within one allocation of the device, and aligned.
bool there(const void *from, uint64_t bytes, uint64_t alignment) {
    uint64_t begin, size;
    if (cuPointerGetAttribute(&begin, 11, (uint64_t)from) || cuPointerGetAttribute(&size, 12, (uint64_t)from)) return false;
    return (uint64_t)from % alignment == 0 && bytes <= begin + size - (uint64_t)from;
}

Sum root(int64_t k, int64_t n, int sign) {
    long double angle = 2 * acosl(-1.0L) * (long double)(k % n) / (long double)n;
    return {cosl(angle), sign * sinl(angle)};
}

// Copies the plan with this handle to `plan`. Returns an error if there is none, or if it has another type.
Status find(const char *call, int handle, int type, Plan &plan) {
    std::lock_guard<std::mutex> guard(lock);
    auto found = plans.find(handle);
    if (found == plans.end() || !found->second.made) return wrong(INVALID_PLAN, call, "there is no such plan");
    plan = found->second;
    return plan.type == type ? SUCCESS : wrong(INVALID_TYPE, call, "the plan has another type");
}

// Checks the addresses of input lines with `na` elements and of output lines with `nb` elements. Writes to the workspace, as cuFFT
// does.
template <class A, class B> Status check(const char *call, const Plan &plan, const A *from, int64_t na, const B *to, int64_t nb) {
    const uint64_t a_bytes = (uint64_t)(na * plan.batch) * sizeof(A), b_bytes = (uint64_t)(nb * plan.batch) * sizeof(B);
    if (!there(from, a_bytes, sizeof(A))) return wrong(EXEC_FAILED, call, "the input is not on the device");
    if (!there(to, b_bytes, sizeof(B))) return wrong(EXEC_FAILED, call, "the output is not on the device");
    const char *x = (const char *)from, *y = (const char *)to;
    if ((const void *)x != (const void *)y && x < y + b_bytes && y < x + a_bytes)
        return wrong(INVALID_VALUE, call, "the input overlaps the output");
    if (!plan.allocates) {
        if (!there(plan.workspace, plan.bytes(), 16)) return wrong(EXEC_FAILED, call, "the workspace is not on the device");
        memset(plan.workspace, 0xff, plan.bytes());
    }
    return SUCCESS;
}

template <class F> Status complex(const char *call, int handle, int type, std::complex<F> *from, std::complex<F> *to, int direction) {
    Plan plan;
    Status status = find(call, handle, type, plan);
    if (status) return status;
    if (direction != 1 && direction != -1) return wrong(INVALID_VALUE, call, "there is no such direction");
    if ((status = check(call, plan, from, plan.n, to, plan.n))) return status;
    std::vector<Sum> line(plan.n);
    for (int64_t l = 0; l < plan.batch; l++, from += plan.n, to += plan.n) {
        for (int64_t k = 0; k < plan.n; k++) {
            line[k] = 0;
            for (int64_t i = 0; i < plan.n; i++) line[k] += Sum(from[i].real(), from[i].imag()) * root(i * k, plan.n, direction);
        }
        for (int64_t k = 0; k < plan.n; k++) to[k] = {(F)line[k].real(), (F)line[k].imag()};
    }
    return SUCCESS;
}

template <class F> Status from_real(const char *call, int handle, int type, F *from, std::complex<F> *to) {
    Plan plan;
    Status status = find(call, handle, type, plan);
    if (status) return status;
    const int64_t half = plan.n / 2 + 1;
    if ((status = check(call, plan, from, plan.n, to, half))) return status;
    for (int64_t l = 0; l < plan.batch; l++, from += plan.n, to += half)
        for (int64_t k = 0; k < half; k++) {
            Sum sum = 0;
            for (int64_t i = 0; i < plan.n; i++) sum += (long double)from[i] * root(i * k, plan.n, -1);
            to[k] = {(F)sum.real(), (F)sum.imag()};
        }
    return SUCCESS;
}

template <class F> Status to_real(const char *call, int handle, int type, std::complex<F> *from, F *to) {
    Plan plan;
    Status status = find(call, handle, type, plan);
    if (status) return status;
    const int64_t half = plan.n / 2 + 1;
    if ((status = check(call, plan, from, half, to, plan.n))) return status;
    for (int64_t l = 0; l < plan.batch; l++, from += half, to += plan.n) {
        // The results are undefined if the input is not the spectrum of real numbers.
        if (from[0].imag() != 0 || (plan.n % 2 == 0 && from[plan.n / 2].imag() != 0))
            return wrong(INVALID_VALUE, call, "the spectrum is not that of real numbers");
        for (int64_t i = 0; i < plan.n; i++) {
            long double sum = from[0].real();
            for (int64_t k = 1; k < half; k++) {
                Sum term = Sum(from[k].real(), from[k].imag()) * root(i * k, plan.n, 1);
                sum += plan.n % 2 == 0 && k == plan.n / 2 ? term.real() : 2 * term.real();
            }
            to[i] = (F)sum;
        }
        // Overwrites the input with NaN, because cuFFT may overwrite the input of transforms to real numbers.
        memset((void *)from, 0xff, half * sizeof(*from));
    }
    return SUCCESS;
}

} // namespace

extern "C" {

int cufftCreate(int *handle) {
    std::lock_guard<std::mutex> guard(lock);
    plans[*handle = next_handle++] = Plan();
    return SUCCESS;
}
int cufftDestroy(int handle) {
    std::lock_guard<std::mutex> guard(lock);
    return plans.erase(handle) ? SUCCESS : wrong(INVALID_PLAN, "cufftDestroy", "there is no such plan");
}
int cufftSetAutoAllocation(int handle, int allocates) {
    std::lock_guard<std::mutex> guard(lock);
    auto found = plans.find(handle);
    if (found == plans.end() || found->second.made) return wrong(INVALID_PLAN, "cufftSetAutoAllocation", "the plan is not new");
    found->second.allocates = allocates != 0;
    return SUCCESS;
}
int cufftSetStream(int handle, void *) {
    std::lock_guard<std::mutex> guard(lock);
    return plans.count(handle) ? SUCCESS : wrong(INVALID_PLAN, "cufftSetStream", "there is no such plan");
}
int cufftSetWorkArea(int handle, void *workspace) {
    std::lock_guard<std::mutex> guard(lock);
    auto found = plans.find(handle);
    if (found == plans.end()) return wrong(INVALID_PLAN, "cufftSetWorkArea", "there is no such plan");
    found->second.workspace = workspace;
    return SUCCESS;
}
int cufftMakePlanMany64(int handle, int rank, long long *n, long long *inembed, long long, long long, long long *onembed, long long,
                        long long, int type, long long batch, size_t *bytes) {
    const char *call = "cufftMakePlanMany64";
    std::lock_guard<std::mutex> guard(lock);
    auto found = plans.find(handle);
    if (found == plans.end() || found->second.made) return wrong(INVALID_PLAN, call, "the plan is not new");
    if (rank != 1 || inembed || onembed) return wrong(INVALID_VALUE, call, "the emulator has only contiguous lines");
    if (*n < 1 || batch < 1) return wrong(INVALID_SIZE, call, "an extent is not positive");
    Plan &plan = found->second;
    plan.made = true, plan.type = type, plan.n = *n, plan.batch = batch;
    *bytes = plan.bytes();
    return SUCCESS;
}

int cufftExecC2C(int plan, std::complex<float> *from, std::complex<float> *to, int direction) {
    return complex("cufftExecC2C", plan, C2C, from, to, direction);
}
int cufftExecZ2Z(int plan, std::complex<double> *from, std::complex<double> *to, int direction) {
    return complex("cufftExecZ2Z", plan, Z2Z, from, to, direction);
}
int cufftExecR2C(int plan, float *from, std::complex<float> *to) { return from_real("cufftExecR2C", plan, R2C, from, to); }
int cufftExecD2Z(int plan, double *from, std::complex<double> *to) { return from_real("cufftExecD2Z", plan, D2Z, from, to); }
int cufftExecC2R(int plan, std::complex<float> *from, float *to) { return to_real("cufftExecC2R", plan, C2R, from, to); }
int cufftExecZ2D(int plan, std::complex<double> *from, double *to) { return to_real("cufftExecZ2D", plan, Z2D, from, to); }
}
