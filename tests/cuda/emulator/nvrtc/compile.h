// Kernels become shared objects of the host: the text between what CUDA C++ has and C++ has not, given to the host's compiler.
#pragma once
#include <string>
#include <vector>

#pragma GCC visibility push(hidden)

struct Compiled {
    bool ok;
    std::string path; // of the object
    std::string log;
};

// Compiles, or finds what was compiled before of the same text.
Compiled compile(const std::string &source, const std::vector<std::string> &options);

// A hash of all that objects are made of besides their source and options.
std::string compiled_with();

#pragma GCC visibility pop
