// Declarations that the files of the emulated driver share. Every call is executed immediately, in the caller's thread, while it
// holds `lock`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#pragma GCC visibility push(hidden)

typedef uint64_t Address; // CUdeviceptr
typedef void *Stream;

enum Status {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_OUT_OF_RESOURCES = 701,
    LAUNCH_FAILED = 719,
};

extern std::recursive_mutex lock;
typedef std::lock_guard<std::recursive_mutex> Locked;

// Returns the number in an environment variable, or `otherwise` if the variable is not set.
long long setting(const char *name, long long otherwise);

// Prints an error of a call to standard error, and returns its status.
Status wrong(Status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Returns the device whose context is current in this thread; negative if there is none.
int current_device();
#define NEEDS_CONTEXT \
    if (current_device() < 0) return wrong(INVALID_CONTEXT, "%s: no context is current in this thread", __func__)

bool is_stream(Stream stream);
#define NEEDS_STREAM(stream) \
    if (!is_stream(stream)) return wrong(INVALID_HANDLE, "%s: there is no such stream", __func__)

// Returns whether guard bytes before or after an allocation were overwritten. If so, prints which allocation.
bool overrun();

#pragma GCC visibility pop
