// Device memory. An allocation is host memory with a guard on either side: bytes that detect writes out of bounds. The memory is
// filled with 0xff (NaN, and an invalid index) when it is allocated, and before it is freed. Every copy must be within one
// allocation.

#include "state.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Allocation {
    size_t bytes;
    int device;
};
std::map<Address, Allocation> allocations;
std::map<uintptr_t, size_t> pinned;
size_t used[16], most;
unsigned long long pool_threshold[16];

// Returns the number of guard bytes on each side of an allocation, in which writes out of bounds are detected. Under AddressSanitizer it
// is 0, because the sanitizer has its own guards directly next to each allocation.
size_t guard() {
    static const size_t bytes = setting("VIERBEIN_EMULATOR_ASAN", 0) == 1 ? 0 : 256;
    return bytes;
}
const unsigned char MARK = 0xa5;

bool intact(Address address, size_t bytes) {
    const unsigned char *before = (const unsigned char *)address - guard(), *after = (const unsigned char *)address + bytes;
    auto marked = [](unsigned char byte) { return byte == MARK; };
    return std::all_of(before, before + guard(), marked) && std::all_of(after, after + guard(), marked);
}

std::map<Address, Allocation>::iterator find(Address address) {
    auto next = allocations.upper_bound(address);
    if (next == allocations.begin()) return allocations.end();
    --next;
    // The address just past an allocation belongs to the allocation, because an empty range may start there.
    return address <= next->first + next->second.bytes ? next : allocations.end();
}

// Returns whether `bytes` of device memory are accessible from `address` on.
bool covered(const char *call, Address address, size_t bytes) {
    auto found = find(address);
    if (found == allocations.end())
        wrong(SUCCESS, "%s: no device memory is at 0x%llx (%zu bytes wanted)", call, (unsigned long long)address, bytes);
    else if (bytes > found->first + found->second.bytes - address)
        wrong(SUCCESS, "%s: of %zu bytes at 0x%llx only %zu are in the allocation", call, bytes, (unsigned long long)address,
              (size_t)(found->first + found->second.bytes - address));
    else
        return true;
    return false;
}

bool of_host(const char *call, const void *address, size_t bytes) {
    auto found = find((Address)address);
    if (address && (found == allocations.end() || bytes == 0 || (Address)address == found->first + found->second.bytes)) return true;
    wrong(SUCCESS, "%s: %p is no host memory", call, address);
    return false;
}

Status allocate(const char *call, Address *to, size_t bytes) {
    if (!to || bytes == 0) return wrong(INVALID_VALUE, "%s: nothing is to be allocated", call);
    Locked locked(lock);
    int device = current_device();
    size_t total = setting("VIERBEIN_EMULATOR_MEMORY", 2ll << 30);
    if (bytes > total || used[device] > total - bytes) return OUT_OF_MEMORY;
    void *memory;
    if (posix_memalign(&memory, 256, bytes + 2 * guard())) return OUT_OF_MEMORY;
    memset(memory, MARK, bytes + 2 * guard());
    Address address = (Address)memory + guard();
    memset((void *)address, 0xff, bytes);
    allocations[address] = {bytes, device};
    used[device] += bytes;
    most = std::max(most, used[device]);
    *to = address;
    return SUCCESS;
}

Status release(const char *call, Address address) {
    Locked locked(lock);
    auto found = allocations.find(address);
    if (found == allocations.end())
        return wrong(INVALID_VALUE, "%s: no allocation begins at 0x%llx", call, (unsigned long long)address);
    if (!intact(address, found->second.bytes))
        wrong(SUCCESS, "%s: a write out of bounds of the %zu bytes at 0x%llx", call, found->second.bytes, (unsigned long long)address);
    memset((void *)address, 0xff, found->second.bytes);
    used[found->second.device] -= found->second.bytes;
    allocations.erase(found);
    free((void *)(address - guard()));
    return SUCCESS;
}

Status fill(const char *call, Address to, const void *element, size_t size, size_t count) {
    Locked locked(lock);
    if (to % size || !covered(call, to, size * count)) return INVALID_VALUE;
    for (size_t i = 0; i < count; i++) memcpy((char *)to + i * size, element, size);
    return SUCCESS;
}

Status upload(const char *call, Address to, const void *from, size_t bytes) {
    Locked locked(lock);
    if (!covered(call, to, bytes) || !of_host(call, from, bytes)) return INVALID_VALUE;
    memcpy((void *)to, from, bytes);
    return SUCCESS;
}

Status download(const char *call, void *to, Address from, size_t bytes) {
    Locked locked(lock);
    if (!covered(call, from, bytes) || !of_host(call, to, bytes)) return INVALID_VALUE;
    memcpy(to, (void *)from, bytes);
    return SUCCESS;
}

Status move(const char *call, Address to, Address from, size_t bytes) {
    Locked locked(lock);
    if (!covered(call, to, bytes) || !covered(call, from, bytes)) return INVALID_VALUE;
    if (to < from + bytes && from < to + bytes && bytes) return wrong(INVALID_VALUE, "%s: source and destination overlap", call);
    memcpy((void *)to, (void *)from, bytes);
    return SUCCESS;
}

// Prints the number of remaining allocations at the end of the process if VIERBEIN_EMULATOR_REPORT is 1.
struct Report {
    ~Report() {
        if (setting("VIERBEIN_EMULATOR_REPORT", 0) == 1)
            fprintf(stderr, "CUDA emulator: %zu allocations are left, %zu bytes were used at most\n", allocations.size(), most);
    }
} report;

} // namespace

bool overrun() {
    for (auto &entry : allocations)
        if (!intact(entry.first, entry.second.bytes)) {
            wrong(SUCCESS, "a write out of bounds of the %zu bytes at 0x%llx", entry.second.bytes, (unsigned long long)entry.first);
            memset((void *)(entry.first - guard()), MARK, guard());
            memset((void *)(entry.first + entry.second.bytes), MARK, guard());
            return true;
        }
    return false;
}

extern "C" {

Status cuMemGetInfo_v2(size_t *free, size_t *total) {
    NEEDS_CONTEXT;
    Locked locked(lock);
    *total = setting("VIERBEIN_EMULATOR_MEMORY", 2ll << 30);
    *free = *total - std::min(*total, used[current_device()]);
    return SUCCESS;
}

Status cuMemAlloc_v2(Address *to, size_t bytes) {
    NEEDS_CONTEXT;
    return allocate(__func__, to, bytes);
}
Status cuMemAllocAsync(Address *to, size_t bytes, Stream stream) {
    NEEDS_CONTEXT;
    NEEDS_STREAM(stream);
    return allocate(__func__, to, bytes);
}
Status cuMemFree_v2(Address address) {
    NEEDS_CONTEXT;
    return address ? release(__func__, address) : SUCCESS;
}
Status cuMemFreeAsync(Address address, Stream stream) {
    NEEDS_CONTEXT;
    NEEDS_STREAM(stream);
    return release(__func__, address);
}

// Memory pools. The handle of a pool is the address of its release threshold.
Status cuDeviceGetDefaultMemPool(void **pool, int device) {
    if (device < 0 || device >= 16) return INVALID_DEVICE;
    *pool = &pool_threshold[device];
    return SUCCESS;
}
Status cuDeviceGetMemPool(void **pool, int device) { return cuDeviceGetDefaultMemPool(pool, device); }
Status cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
    if (attribute == 4) memcpy(pool, value, 8);
    return attribute >= 1 && attribute <= 8 ? SUCCESS : INVALID_VALUE;
}
Status cuMemPoolGetAttribute(void *pool, int attribute, void *value) {
    Locked locked(lock);
    unsigned long long bytes = used[(unsigned long long *)pool - pool_threshold];
    if (attribute == 4) memcpy(value, pool, 8);
    else if (attribute >= 5 && attribute <= 8) memcpy(value, &bytes, 8);
    else return INVALID_VALUE;
    return SUCCESS;
}
Status cuMemPoolTrimTo(void *, size_t) { return SUCCESS; }

Status cuMemHostAlloc(void **to, size_t bytes, unsigned) {
    NEEDS_CONTEXT;
    if (!to || bytes == 0) return INVALID_VALUE;
    if (bytes > (1ull << 40) || posix_memalign(to, 4096, bytes)) return OUT_OF_MEMORY;
    memset(*to, 0xff, bytes);
    Locked locked(lock);
    pinned[(uintptr_t)*to] = bytes;
    return SUCCESS;
}
Status cuMemAllocHost_v2(void **to, size_t bytes) { return cuMemHostAlloc(to, bytes, 0); }
Status cuMemFreeHost(void *address) {
    NEEDS_CONTEXT;
    Locked locked(lock);
    auto found = pinned.find((uintptr_t)address);
    if (found == pinned.end()) return wrong(INVALID_VALUE, "%s: no pinned memory begins at %p", __func__, address);
    memset(address, 0xff, found->second);
    pinned.erase(found);
    free(address);
    return SUCCESS;
}

Status cuMemcpyHtoD_v2(Address to, const void *from, size_t bytes) {
    NEEDS_CONTEXT;
    return upload(__func__, to, from, bytes);
}
Status cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, Stream stream) {
    NEEDS_CONTEXT;
    NEEDS_STREAM(stream);
    return upload(__func__, to, from, bytes);
}
Status cuMemcpyDtoH_v2(void *to, Address from, size_t bytes) {
    NEEDS_CONTEXT;
    return download(__func__, to, from, bytes);
}
Status cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, Stream stream) {
    NEEDS_CONTEXT;
    NEEDS_STREAM(stream);
    return download(__func__, to, from, bytes);
}
Status cuMemcpyDtoD_v2(Address to, Address from, size_t bytes) {
    NEEDS_CONTEXT;
    return move(__func__, to, from, bytes);
}
Status cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream stream) {
    NEEDS_CONTEXT;
    NEEDS_STREAM(stream);
    return move(__func__, to, from, bytes);
}
Status cuMemcpyPeerAsync(Address to, void *, Address from, void *, size_t bytes, Stream stream) {
    NEEDS_CONTEXT;
    NEEDS_STREAM(stream);
    return move(__func__, to, from, bytes);
}

Status cuMemsetD8_v2(Address to, unsigned char value, size_t count) {
    NEEDS_CONTEXT;
    return fill(__func__, to, &value, 1, count);
}
Status cuMemsetD16_v2(Address to, unsigned short value, size_t count) {
    NEEDS_CONTEXT;
    return fill(__func__, to, &value, 2, count);
}
Status cuMemsetD32_v2(Address to, unsigned value, size_t count) {
    NEEDS_CONTEXT;
    return fill(__func__, to, &value, 4, count);
}
Status cuMemsetD8Async(Address to, unsigned char value, size_t count, Stream stream) {
    NEEDS_STREAM(stream);
    return cuMemsetD8_v2(to, value, count);
}
Status cuMemsetD16Async(Address to, unsigned short value, size_t count, Stream stream) {
    NEEDS_STREAM(stream);
    return cuMemsetD16_v2(to, value, count);
}
Status cuMemsetD32Async(Address to, unsigned value, size_t count, Stream stream) {
    NEEDS_STREAM(stream);
    return cuMemsetD32_v2(to, value, count);
}

Status cuPointerGetAttribute(void *to, int attribute, Address address) {
    Locked locked(lock);
    auto found = find(address);
    bool device = found != allocations.end() && address < found->first + found->second.bytes;
    auto host = pinned.upper_bound(address);
    bool is_pinned = host != pinned.begin() && address - (--host)->first < host->second;
    if (!device && !is_pinned) return INVALID_VALUE;
    unsigned kind = device ? 2 : 1;
    int ordinal = device ? found->second.device : 0;
    Address begin = device ? found->first : host->first;
    size_t bytes = device ? found->second.bytes : host->second;
    switch (attribute) {
    case 2: memcpy(to, &kind, 4); return SUCCESS;
    case 3: memcpy(to, &address, 8); return SUCCESS;
    case 9: memcpy(to, &ordinal, 4); return SUCCESS;
    case 11: memcpy(to, &begin, 8); return SUCCESS;
    case 12: memcpy(to, &bytes, 8); return SUCCESS;
    default: return INVALID_VALUE;
    }
}

} // extern "C"
