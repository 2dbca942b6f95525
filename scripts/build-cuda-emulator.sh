#!/usr/bin/env bash
# Builds the CUDA emulator into a directory: three libraries by the names of the real ones, and what kernels are compiled with.
# Needs a C++ compiler (CXX, or c++) and nothing else; without one it says so and returns 3.
set -euo pipefail
script=$(readlink -f "$0")

[ $# -eq 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
compiler=${CXX:-c++}
command -v "$compiler" > /dev/null || { echo "there is no C++ compiler: $compiler" >&2; exit 3; }
[ "$(uname -s)" = Linux ] || { echo "the CUDA emulator is for Linux" >&2; exit 3; }

mkdir -p "$1/kernel"
to=$(cd "$1" && pwd)
cd "$(dirname "$script")/../tests/cuda/emulator"
if [ -e "$to/libcublas.so.13" ] && [ -z "$(find driver nvrtc cublas kernel cache.h "$script" -newer "$to/libcublas.so.13" 2> /dev/null)" ]; then exit 0; fi
library() { # NAME SOURCE..
    local name=$1
    shift
    # Aside and then in place: another process may be at it.
    "$compiler" -std=c++17 -O2 -g1 -Wall -Wextra -fPIC -shared -Wl,-soname,"$name" -Wl,-rpath,'$ORIGIN' -o "$to/$name.$$" "$@" -ldl
    mv "$to/$name.$$" "$to/$name"
}
cp kernel/*.h "$to/kernel/"
library libcuda.so.1 driver/*.cpp &
driver=$!
library libnvrtc.so.13 nvrtc/*.cpp
wait $driver
# The last one: where it is, all is.
library libcublas.so.13 cublas/*.cpp "$to/libcuda.so.1"
# By these names, too, they are looked for on the library path.
for name in libcuda.so.1 libnvrtc.so.13 libcublas.so.13; do ln -sf "$name" "$to/${name%%.so*}.so"; done
