// What a compiled kernel and the emulated driver know of each other: the kernel's text and the driver include this alike.
namespace emulator {

struct Index {
    unsigned x, y, z;
};

// What a kernel asks of the driver while it runs. `line` is the line of its text that asks.
struct Hooks {
    // All threads of the block meet.
    void (*barrier)(int line);
    // The lanes of `mask` meet; each gives a value and gets that of lane `source`, and a bit of each that gave an odd one.
    unsigned long long (*exchange)(unsigned mask, unsigned long long value, unsigned source, unsigned *votes, int line);
    // Ends the launch with an error of the driver. Does not return.
    void (*fail)(int error, const char *message);
};

// What the driver has to know of a kernel: the object's symbol `emulator_kernel`.
struct Kernel {
    void (*thread)(void **parameters); // one thread, from its beginning to its end
    Index *thread_index, *block_index, *block_size, *grid_size;
    char *shared, *shared_end; // the memory that is `__shared__`
    unsigned parameter_bytes;
    int bound; // threads in a block, at most
    const Hooks **hooks;
};

} // namespace emulator
