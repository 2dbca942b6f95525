// Compiles kernels to shared objects for the host. Headers before and after the kernel's text define the features of CUDA C++.
#pragma once
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

struct Compiled {
    bool ok;
    std::string path; // the path of the object
    std::string log;
};

// Compiles a source, or returns the cached object for the same source and options.
Compiled compile(const std::string &source, const std::vector<std::string> &options);

// Returns a hash of everything that the compiled objects depend on, except for their sources and options.
std::string compiled_with();

#pragma GCC visibility pop
