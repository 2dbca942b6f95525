// Loads modules and launches kernels. A module is a shared object that the emulated NVRTC has compiled; its only function is the kernel.

#include "../cache.h"
#include "block.h"
#include "state.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <set>

using emulator::Index;
using emulator::Kernel;

namespace {

struct Module {
    void *object;
    const Kernel *kernel;
};
std::set<Module *> modules;

// Returns the length of an ELF object in bytes: the end of its section table. The driver API passes no length.
size_t length(const char *image) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
    return header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
}

void *open_object(const char *image) {
    const char text[] = "// emulated PTX\n";
    if (!strncmp(image, text, sizeof text - 1)) {
        std::string path = image + sizeof text - 1;
        return dlopen(path.substr(0, path.find('\n')).c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    if (memcmp(image, ELFMAG, SELFMAG)) return nullptr;
    size_t bytes = length(image);
    std::string path = cache() + "/" + hash(image, bytes) + ".object.so";
    if (!exists(path) && !write(path, image, bytes)) return nullptr;
    void *object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!object) wrong(INVALID_IMAGE, "cuModuleLoadData: %s", dlerror());
    return object;
}

} // namespace

extern "C" {

Status cuModuleLoadData(Module **to, const char *image) {
    NEEDS_CONTEXT;
    Locked locked(lock);
    void *object = open_object(image);
    if (!object) return INVALID_IMAGE;
    const Kernel *kernel = (const Kernel *)dlsym(object, "emulator_kernel");
    if (!kernel) return INVALID_IMAGE;
    modules.insert(*to = new Module{object, kernel});
    return SUCCESS;
}

Status cuModuleUnload(Module *module) {
    NEEDS_CONTEXT;
    Locked locked(lock);
    if (!modules.erase(module)) return wrong(INVALID_HANDLE, "%s: there is no such module", __func__);
    dlclose(module->object);
    delete module;
    return SUCCESS;
}

// A module has one kernel, so a function is represented by its module.
Status cuModuleGetFunction(Module **function, Module *module, const char *name) {
    NEEDS_CONTEXT;
    Locked locked(lock);
    if (!modules.count(module)) return INVALID_HANDLE;
    if (strcmp(name, "entry")) return NOT_FOUND;
    *function = module;
    return SUCCESS;
}

Status cuFuncGetAttribute(int *value, int attribute, Module *function) {
    Locked locked(lock);
    if (!modules.count(function)) return INVALID_HANDLE;
    switch (attribute) {
    case 0: *value = function->kernel->bound; break;
    case 1: *value = function->kernel->shared_end - function->kernel->shared; break;
    case 4: *value = 32; break; // registers
    case 5:
    case 6: *value = (int)setting("VIERBEIN_EMULATOR_CAPABILITY", 90); break;
    default: *value = 0;
    }
    return SUCCESS;
}
Status cuFuncSetAttribute(Module *, int, int) { return SUCCESS; }
Status cuFuncSetCacheConfig(Module *, int) { return SUCCESS; }

// The result assumes that a multiprocessor has 2048 threads, and at most 32 blocks.
Status cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, Module *, int threads, size_t, unsigned) {
    if (threads <= 0) return INVALID_VALUE;
    *blocks = threads > 1024 ? 0 : threads < 64 ? 32 : 2048 / threads;
    return SUCCESS;
}
Status cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Module *function, int threads, size_t shared) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

Status cuLaunchKernel(Module *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                      Stream stream, void **parameters, void **extra) {
    NEEDS_CONTEXT;
    NEEDS_STREAM(stream);
    Locked locked(lock);
    if (!modules.count(function)) return wrong(INVALID_HANDLE, "%s: there is no such function", __func__);
    const Kernel &kernel = *function->kernel;
    if (!gx || !gy || !gz || !bx || !by || !bz || gx > 2147483647 || gy > 65535 || gz > 65535 || bx > 1024 || by > 1024 || bz > 64 ||
        (uint64_t)bx * by * bz > 1024)
        return wrong(INVALID_VALUE, "%s: no grid of (%u, %u, %u) blocks of (%u, %u, %u) threads", __func__, gx, gy, gz, bx, by, bz);
    if (bx * by * bz > (unsigned)kernel.bound)
        return wrong(LAUNCH_OUT_OF_RESOURCES, "%s: (%u, %u, %u) threads, compiled for %d", __func__, bx, by, bz, kernel.bound);
    if (extra || shared) return wrong(INVALID_VALUE, "%s: neither dynamic shared memory nor packed parameters are emulated", __func__);
    if (kernel.parameter_bytes > 32764) return wrong(INVALID_VALUE, "%s: %u bytes of parameters", __func__, kernel.parameter_bytes);
    if (kernel.parameter_bytes && !parameters) return wrong(INVALID_VALUE, "%s: no parameters", __func__);
    Failure failure = run_grid(kernel, {gx, gy, gz}, {bx, by, bz}, parameters);
    if (failure.error) return wrong((Status)failure.error, "%s: %s", __func__, failure.message.c_str());
    if (overrun()) return wrong(ILLEGAL_ADDRESS, "%s: it was this kernel", __func__);
    return SUCCESS;
}

} // extern "C"
