// How the driver calls `entry`: it has the addresses of the parameters, their types are those that `entry` was declared with.
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
// Each where its alignment lets it be, as in the memory that the hardware passes them in.
template <class... P> constexpr unsigned bytes(void (*)(P...)) {
    unsigned at = 0;
    ((at = (at + alignof(P) - 1) / alignof(P) * alignof(P) + sizeof(P)), ...);
    return at;
}
constexpr int first(int bound, int = 0, int = 0) { return bound; }

static void thread(void **parameters) { call(entry, parameters); }

} // namespace emulator

extern "C" __attribute__((visibility("hidden"))) char __bss_start[], _end[];

// The compiler of the emulator reports accesses that are not aligned as their type asks.
extern "C" __attribute__((visibility("hidden"))) void __ubsan_handle_type_mismatch_v1(void *, void *) {
    emulator_hooks->fail(716, "an address is not aligned for the type that is there");
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
