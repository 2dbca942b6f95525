// The on-disk cache of compiled objects, whose file names are hashes of the input. The emulator's NVRTC and driver include this
// file.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace {

inline std::string variable(const char *name, const std::string &otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

inline bool exists(const std::string &path) { return access(path.c_str(), R_OK) == 0; }

// Returns the directory of the cache. Only the current user may access it, because its files are executed.
inline std::string cache() {
    std::string own = variable("TMPDIR", "/tmp") + "/vierbein-emulator-" + std::to_string(getuid());
    std::string path = variable("VIERBEIN_EMULATOR_CACHE", own);
    mkdir(path.c_str(), 0700);
    struct stat found;
    if (lstat(path.c_str(), &found) || !S_ISDIR(found.st_mode) || found.st_uid != getuid()) {
        fprintf(stderr, "CUDA emulator: %s is no directory of this user's; VIERBEIN_EMULATOR_CACHE names another\n", path.c_str());
        abort();
    }
    return path;
}

// Returns a hash of 128 bits: the hash FNV-1a (Fowler, Noll and Vo), computed twice with different initial values.
inline std::string hash(const char *bytes, size_t count) {
    uint64_t a = 0xcbf29ce484222325, b = 0x9ae16a3b2f90404f;
    for (size_t i = 0; i < count; i++) {
        a = (a ^ (unsigned char)bytes[i]) * 0x100000001b3;
        b = (b ^ (unsigned char)bytes[i]) * 0x100000001b3;
    }
    char hex[33];
    snprintf(hex, sizeof hex, "%016llx%016llx", (unsigned long long)a, (unsigned long long)b);
    return hex;
}
inline std::string hash(const std::string &text) { return hash(text.data(), text.size()); }

// Returns the name of a temporary file that no other thread or process uses.
inline std::string draft(const std::string &path) {
    static int count = 0;
    return path + "." + std::to_string(getpid()) + "." + std::to_string(__sync_fetch_and_add(&count, 1));
}

// Writes a file: first to a temporary file, which is then renamed. So other processes see the complete file or none.
inline bool write(const std::string &path, const char *bytes, size_t count) {
    std::string aside = draft(path);
    std::ofstream file(aside, std::ios::binary);
    file.write(bytes, count);
    file.close();
    return file && rename(aside.c_str(), path.c_str()) == 0;
}
inline bool write(const std::string &path, const std::string &text) { return write(path, text.data(), text.size()); }

} // namespace
