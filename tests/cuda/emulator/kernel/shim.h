// Defines the features of CUDA C++ that C++17 lacks. This file includes no headers of the host. So kernels compile fast, and a name
// that does not exist on a GPU is an error.
#define __device__
#define __host__
#define __global__
#define __constant__ static const
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 900

// Blocks run one after the other, so shared memory can be static. Shared memory is the only content of the object's section .bss,
// which the driver fills before each block.
#define __shared__ static
#define EMULATOR_STATE __attribute__((section("emulator_state")))

typedef emulator::Index uint3;
struct dim3 : uint3 {
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : uint3{x, y, z} {}
};
static uint3 threadIdx EMULATOR_STATE = {0, 0, 0}, blockIdx EMULATOR_STATE = {0, 0, 0};
static uint3 blockDim EMULATOR_STATE = {1, 1, 1}, gridDim EMULATOR_STATE = {1, 1, 1};
static constexpr int warpSize = 32;

static const emulator::Hooks *emulator_hooks EMULATOR_STATE = nullptr;

namespace emulator {
inline unsigned lane() {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
// Exchanges a value of 4 or 8 bytes between the lanes of a warp, as bits.
template <class T> inline T exchange(unsigned mask, T value, unsigned source, int line) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles are of 4 or 8 bytes");
    unsigned long long bits = 0;
    unsigned votes;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = emulator_hooks->exchange(mask, bits, source, &votes, line);
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}
inline unsigned vote(unsigned mask, bool value, int line) {
    unsigned votes;
    emulator_hooks->exchange(mask, value, lane(), &votes, line);
    return votes;
}
// A shuffle acts within segments of `width` lanes. A lane whose source lane is outside of its segment receives its own value.
inline unsigned segment(unsigned width) { return lane() & ~(width - 1); }
inline unsigned down(unsigned by, unsigned width) { return lane() + by < segment(width) + width ? lane() + by : lane(); }
inline unsigned up(unsigned by, unsigned width) { return lane() >= segment(width) + by ? lane() - by : lane(); }
inline unsigned across(unsigned with, unsigned width) {
    return (lane() ^ with) < segment(width) + width ? lane() ^ with : lane();
}
template <class T> inline T shuffle(unsigned mask, T v, int from, int line, int width = 32) {
    return exchange(mask, v, segment(width) + ((unsigned)from & (width - 1)), line);
}
template <class T> inline T shuffle_down(unsigned mask, T v, unsigned by, int line, int width = 32) {
    return exchange(mask, v, down(by, width), line);
}
template <class T> inline T shuffle_up(unsigned mask, T v, unsigned by, int line, int width = 32) {
    return exchange(mask, v, up(by, width), line);
}
template <class T> inline T shuffle_xor(unsigned mask, T v, int with, int line, int width = 32) {
    return exchange(mask, v, across(with, width), line);
}
inline void warp(int line, unsigned mask = 0xffffffffu) { vote(mask, false, line); }
} // namespace emulator

// These are macros, so that `__LINE__` is the line of the call in the kernel's text.
#define __syncthreads() emulator_hooks->barrier(__LINE__)
#define __syncwarp(...) emulator::warp(__LINE__, ##__VA_ARGS__)
#define __shfl_sync(mask, v, from, ...) emulator::shuffle(mask, v, from, __LINE__, ##__VA_ARGS__)
#define __shfl_down_sync(mask, v, by, ...) emulator::shuffle_down(mask, v, by, __LINE__, ##__VA_ARGS__)
#define __shfl_up_sync(mask, v, by, ...) emulator::shuffle_up(mask, v, by, __LINE__, ##__VA_ARGS__)
#define __shfl_xor_sync(mask, v, with, ...) emulator::shuffle_xor(mask, v, with, __LINE__, ##__VA_ARGS__)
#define __ballot_sync(mask, p) emulator::vote(mask, (p) != 0, __LINE__)
#define __any_sync(mask, p) (emulator::vote(mask, (p) != 0, __LINE__) != 0)
#define __all_sync(mask, p) (emulator::vote(mask, (p) == 0, __LINE__) == 0)
