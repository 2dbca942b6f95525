// Compiles kernels to shared objects of the host. The text is put between headers that add CUDA C++ to C++.
#pragma once
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

struct Compiled {
    bool ok;
    std::string path; // the path of the object
    std::string log;
};

// Compiles a source, or returns the cached object of the same source.
Compiled compile(const std::string &source, const std::vector<std::string> &options);

// Returns a hash of everything that objects depend on except their source and options.
std::string compiled_with();

#pragma GCC visibility pop
