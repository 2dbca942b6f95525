#!/usr/bin/env bash
# Builds the CUDA emulator into a directory: libraries with the names of the real ones, and the headers for compiling kernels.
# Needs only a C++ compiler (CXX, or c++); without one it prints a message and exits with status 3.
set -euo pipefail
script=$(readlink -f "$0")

[ $# -eq 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
compiler=${CXX:-c++}
command -v "$compiler" > /dev/null || { echo "there is no C++ compiler: $compiler" >&2; exit 3; }
[ "$(uname -s)" = Linux ] || { echo "the CUDA emulator is for Linux" >&2; exit 3; }

mkdir -p "$1/kernel"
to=$(cd "$1" && pwd)
cd "$(dirname "$script")/../tests/cuda/emulator"
if [ -e "$to/libcublas.so.13" ] && [ -z "$(find driver nvrtc cublas cufft cusolver kernel cache.h "$script" -newer "$to/libcublas.so.13" 2> /dev/null)" ]; then exit 0; fi
library() { # NAME SOURCE..
    local name=$1
    shift
    # Built under a temporary name and then renamed, because another process may be using or building the library.
    # Complex products need no second computation for infinite factors.
    "$compiler" -std=c++17 -O2 -fcx-limited-range -g1 -Wall -Wextra -fPIC -shared -Wl,-soname,"$name" -Wl,-rpath,'$ORIGIN' -o "$to/$name.$$" "$@" -ldl
    mv "$to/$name.$$" "$to/$name"
}
cp kernel/*.h "$to/kernel/"
library libcuda.so.1 driver/*.cpp &
driver=$!
library libnvrtc.so.13 nvrtc/*.cpp
wait $driver
library libcufft.so.12 cufft/*.cpp "$to/libcuda.so.1"
library libcusolver.so.12 cusolver/*.cpp "$to/libcuda.so.1"
# Built last: if it exists, the emulator is complete.
library libcublas.so.13 cublas/*.cpp "$to/libcuda.so.1"
# vierbein also looks for libraries by their names without a version.
for name in libcuda.so.1 libnvrtc.so.13 libcufft.so.12 libcusolver.so.12 libcublas.so.13; do ln -sf "$name" "$to/${name%%.so*}.so"; done
