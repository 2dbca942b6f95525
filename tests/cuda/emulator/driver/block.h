// Runs a grid of a kernel, one block after the other.
#pragma once
#include "../kernel/hooks.h"
#include <string>

#pragma GCC visibility push(hidden)

struct Failure {
    int error; // 0: none
    std::string message;
};

Failure run_grid(const emulator::Kernel &kernel, emulator::Index grid, emulator::Index block, void **parameters);

#pragma GCC visibility pop
