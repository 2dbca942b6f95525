#!/usr/bin/env bash
# Runs all CUDA checks that need no GPU:
#
# * The tests in the CUDA emulator, with threads in several orders, with several numbers of multiprocessors, and with every memory
#   access checked.
# * NVIDIA's compiler, for each architecture, on every source that the tests generated, and on every kernel for every element type.
#   The first run downloads this compiler, which needs the network.
#
# Prints what it skips, and why.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mkdir -p "${CARGO_TARGET_DIR:-target}/check-cuda" && cd "${CARGO_TARGET_DIR:-target}/check-cuda" && pwd)
emulator=$work/emulator
skipped=()
step() { printf '\n== %s (%s s so far)\n' "$1" "$SECONDS"; }

step "emulator"
# Status 3 means that an optional tool is missing. Any other status except 0 is a failure.
status=0
scripts/build-cuda-emulator.sh "$emulator" || status=$?
case $status in
    0) ;;
    3) echo "skipped: everything, because the emulator cannot be built"; exit 0 ;;
    *) exit $status ;;
esac

step "tests"
built=$(cargo test --features cuda,fft,linalg --test devices --test cuda --test cuda_types --no-run --message-format=json)
program() { echo "$built" | grep -o "\"executable\":\"[^\"]*/deps/$1-[^\"]*\"" | cut -d'"' -f4; }

# Runs a command with the emulator in place of NVIDIA's libraries. Tests that set their own environment are skipped by name in
# `run`. The buffer pool is off unless a step turns it on. Without the pool, each buffer is a new allocation of exactly the requested
# size, which the emulator fills with NaN.
emulated() { # NAME=VALUE.. COMMAND..
    env LD_LIBRARY_PATH="$emulator" VIERBEIN_CUDA_LIB_DIR="$emulator" VIERBEIN_CUDA_CACHE_DIR= VIERBEIN_REQUIRE_GPU=1 \
        VIERBEIN_TEST_SEED=0 VIERBEIN_CUDA_POOL_BYTES=0 VIERBEIN_EMULATOR_CACHE="$work/objects" VIERBEIN_EMULATOR_REPORT=1 "$@"
}
run() { # NAME=VALUE..
    emulated "$@" "$(program devices)" --quiet cuda_row:: cuda_col:: | tee "$work/said"
    ! grep -q " 0 passed" "$work/said" || { echo "no tests are called cuda_row or cuda_col" >&2; exit 1; }
    emulated "$@" "$(program cuda_types)" --quiet --skip in_the_emulator
    emulated "$@" "$(program cuda)" --quiet --skip in_the_emulator --skip faults:: --skip missing:: --skip compiler::
}
rm -rf "$work/sources"
step "threads in ascending order, 4 multiprocessors"
run VIERBEIN_EMULATOR_SOURCES="$work/sources"
step "with the buffer pool"
run VIERBEIN_CUDA_POOL_BYTES=1000000
step "threads in descending order, 1 multiprocessor"
run VIERBEIN_EMULATOR_ORDER=reverse VIERBEIN_EMULATOR_MULTIPROCESSORS=1
step "threads in random order, 132 multiprocessors"
run VIERBEIN_EMULATOR_ORDER=random VIERBEIN_EMULATOR_MULTIPROCESSORS=132

step "every access checked"
asan=$("${CXX:-c++}" -print-file-name=libasan.so)
if [ -e "$asan" ] && LD_PRELOAD=$asan true 2> /dev/null; then
    run VIERBEIN_EMULATOR_ASAN=1 ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$asan"
else
    skipped+=("accesses are not checked: the compiler has no libasan.so")
fi

step "CUDA sources of operations, and plans"
cargo test --features cuda,fft,linalg --lib device::cuda

step "NVIDIA's compiler"
scripts/fetch-nvrtc.sh "$work/nvrtc" || status=$?
case $status in
    0)
        export VIERBEIN_TEST_NVRTC=$work/nvrtc
        VIERBEIN_TEST_SOURCES=$work/sources "$(program cuda)" --exact compiler::every_kernel_compiles --nocapture
        cargo test --features cuda,fft,linalg --lib units::every_kernel_compiles -- --nocapture
        ;;
    3) skipped+=("sources are not compiled by NVRTC: it is not available") ;;
    *) exit $status ;;
esac

step "done"
for what in "${skipped[@]}"; do echo "skipped: $what"; done
