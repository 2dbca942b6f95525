// The interface between a compiled kernel and the emulated driver. Both include this file.
namespace emulator {

struct Index {
    unsigned x, y, z;
};

// The functions of the driver that a kernel calls. `line` is the line in the kernel's text that contains the call.
struct Hooks {
    // A barrier for all threads of the block.
    void (*barrier)(int line);
    // A barrier for the lanes in `mask`. Each lane passes a value. It receives the value of lane `source`, and in `votes` the
    // lowest bit of the value of each lane.
    unsigned long long (*exchange)(unsigned mask, unsigned long long value, unsigned source, unsigned *votes, int line);
    // Ends the launch with a driver error. Does not return.
    void (*fail)(int error, const char *message);
};

// The description of a kernel. The shared object of a compiled kernel exports its description as the symbol `emulator_kernel`.
struct Kernel {
    void (*thread)(void **parameters); // runs one thread to its end
    Index *thread_index, *block_index, *block_size, *grid_size;
    char *shared, *shared_end; // the `__shared__` memory
    unsigned parameter_bytes;
    int bound; // maximum number of threads of a block
    const Hooks **hooks;
};

} // namespace emulator
