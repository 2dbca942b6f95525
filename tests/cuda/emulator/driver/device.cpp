// The library `libcuda.so.1` of the emulator: devices, contexts, errors.
#include "state.h"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

std::recursive_mutex lock;

long long setting(const char *name, long long otherwise) {
    const char *value = getenv(name);
    return value && *value ? atoll(value) : otherwise;
}

Status wrong(Status status, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "CUDA emulator: %s\n", text);
    return status;
}

static bool initialised = false;
static const int MOST = 16;
struct Context {
    int device;
} static contexts[MOST];
static thread_local Context *current = nullptr;

static int devices() {
    long long count = setting("VIERBEIN_EMULATOR_DEVICES", 1);
    return count < 0 ? 0 : count > MOST ? MOST : (int)count;
}

int current_device() { return current ? current->device : -1; }

#define NEEDS_DEVICE(device)                                \
    if (!initialised) return NOT_INITIALIZED;               \
    if (device < 0 || device >= devices()) return INVALID_DEVICE

extern "C" {

Status cuInit(unsigned flags) {
    if (flags) return INVALID_VALUE;
    if (devices() == 0) return NO_DEVICE;
    initialised = true;
    return SUCCESS;
}

Status cuDriverGetVersion(int *version) {
    *version = 13000;
    return SUCCESS;
}

Status cuDeviceGetCount(int *count) {
    if (!initialised) return NOT_INITIALIZED;
    *count = devices();
    return SUCCESS;
}

Status cuDeviceGet(int *device, int ordinal) {
    NEEDS_DEVICE(ordinal);
    *device = ordinal;
    return SUCCESS;
}

Status cuDeviceGetName(char *name, int size, int device) {
    NEEDS_DEVICE(device);
    snprintf(name, size, "CUDA emulator");
    return SUCCESS;
}

Status cuDeviceGetUuid_v2(char *uuid, int device) {
    NEEDS_DEVICE(device);
    memset(uuid, 0, 16);
    uuid[15] = (char)device;
    return SUCCESS;
}
Status cuDeviceGetUuid(char *uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }

Status cuDeviceTotalMem_v2(size_t *bytes, int device) {
    NEEDS_DEVICE(device);
    *bytes = (size_t)setting("VIERBEIN_EMULATOR_MEMORY", 2ll << 30);
    return SUCCESS;
}

Status cuDeviceGetAttribute(int *value, int attribute, int device) {
    NEEDS_DEVICE(device);
    int capability = (int)setting("VIERBEIN_EMULATOR_CAPABILITY", 90);
    switch (attribute) {
    case 1: *value = 1024; break; // threads of a block: in total, then by axis
    case 2: *value = 1024; break;
    case 3: *value = 1024; break;
    case 4: *value = 64; break;
    case 5: *value = 2147483647; break; // blocks of a grid, by axis
    case 6: *value = 65535; break;
    case 7: *value = 65535; break;
    case 8: *value = 48 << 10; break; // shared memory of a block
    case 9: *value = 64 << 10; break; // constant memory
    case 10: *value = 32; break;      // lanes in a warp
    case 12: *value = 65536; break;   // registers of a block
    case 13: *value = 1980000; break; // kHz
    case 16: *value = (int)setting("VIERBEIN_EMULATOR_MULTIPROCESSORS", 4); break;
    case 36: *value = 3200000; break;     // memory clock, kHz
    case 37: *value = 6144; break;        // memory bus, bits
    case 38: *value = 60 << 20; break;    // L2 cache
    case 39: *value = 2048; break;        // threads of a multiprocessor
    case 41: *value = 1; break;           // unified addressing
    case 75: *value = capability / 10; break;
    case 76: *value = capability % 10; break;
    case 81: *value = 228 << 10; break;  // shared memory of a multiprocessor
    case 82: *value = 65536; break;      // registers of a multiprocessor
    case 97: *value = 227 << 10; break;  // largest shared memory of a block, on request
    case 106: *value = 32; break;        // blocks on a multiprocessor
    case 115: *value = 1; break;         // memory pools
    default: *value = 0;
    }
    return SUCCESS;
}

Status cuDeviceCanAccessPeer(int *can, int one, int other) {
    NEEDS_DEVICE(one);
    NEEDS_DEVICE(other);
    *can = 0;
    return SUCCESS;
}

Status cuDevicePrimaryCtxRetain(Context **context, int device) {
    NEEDS_DEVICE(device);
    contexts[device].device = device;
    *context = &contexts[device];
    return SUCCESS;
}

Status cuDevicePrimaryCtxRelease_v2(int device) {
    NEEDS_DEVICE(device);
    return SUCCESS;
}

Status cuCtxSetCurrent(Context *context) {
    if (!initialised) return NOT_INITIALIZED;
    current = context;
    return SUCCESS;
}

Status cuCtxGetCurrent(Context **context) {
    if (!initialised) return NOT_INITIALIZED;
    *context = current;
    return SUCCESS;
}

Status cuCtxGetDevice(int *device) {
    NEEDS_CONTEXT;
    *device = current->device;
    return SUCCESS;
}

Status cuCtxSynchronize() {
    NEEDS_CONTEXT;
    return SUCCESS;
}

static const struct {
    Status status;
    const char *name, *text;
} NAMES[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {(Status)716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

Status cuGetErrorName(Status status, const char **name) {
    for (auto &entry : NAMES)
        if (entry.status == status) return *name = entry.name, SUCCESS;
    return *name = nullptr, INVALID_VALUE;
}

Status cuGetErrorString(Status status, const char **text) {
    for (auto &entry : NAMES)
        if (entry.status == status) return *text = entry.text, SUCCESS;
    return *text = nullptr, INVALID_VALUE;
}

} // extern "C"
