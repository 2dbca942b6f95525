// Calls the kernel `entry` for the driver. The driver passes the addresses of the parameters. Their types are deduced from the
// declaration of `entry`.
namespace emulator {

template <unsigned...> struct Numbers {};
template <unsigned N, unsigned... Rest> struct Count : Count<N - 1, N - 1, Rest...> {};
template <unsigned... All> struct Count<0, All...> {
    typedef Numbers<All...> Type;
};

template <class... P, unsigned... I> inline void call(void (*kernel)(P...), void **parameters, Numbers<I...>) {
    kernel(*(P *)parameters[I]...);
}
template <class... P> inline void call(void (*kernel)(P...), void **parameters) {
    call(kernel, parameters, typename Count<sizeof...(P)>::Type());
}
// Returns the size in bytes of all parameters, each at its alignment, as in the parameter memory of a GPU.
template <class... P> constexpr unsigned bytes(void (*)(P...)) {
    unsigned at = 0;
    ((at = (at + alignof(P) - 1) / alignof(P) * alignof(P) + sizeof(P)), ...);
    return at;
}
constexpr int first(int bound, int = 0, int = 0) { return bound; }

static void thread(void **parameters) { call(entry, parameters); }

} // namespace emulator

extern "C" __attribute__((visibility("hidden"))) char __bss_start[], _end[];

// Called by the code that the compiler inserts for accesses that are not aligned to their type.
extern "C" __attribute__((visibility("hidden"))) void __ubsan_handle_type_mismatch_v1(void *, void *) {
    emulator_hooks->fail(716, "an address is not aligned for its type");
}

extern "C" __attribute__((visibility("default"))) const emulator::Kernel emulator_kernel = {
    emulator::thread,
    &threadIdx,
    &blockIdx,
    &blockDim,
    &gridDim,
    __bss_start,
    _end,
    emulator::bytes(entry),
    emulator::first(EMULATOR_BOUND),
    &emulator_hooks,
};
