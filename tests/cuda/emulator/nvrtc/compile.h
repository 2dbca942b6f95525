// Compiles kernels to shared objects for the host. The kernel's text is placed between headers that define the features of CUDA
// C++.
#pragma once
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

struct Compiled {
    bool ok;
    std::string path; // the path of the object
    std::string log;
};

// Compiles a source, or finds the cached object of an equal source.
Compiled compile(const std::string &source, const std::vector<std::string> &options);

// Returns a hash of everything that the compiled objects depend on, except for their sources and options.
std::string compiled_with();

#pragma GCC visibility pop
