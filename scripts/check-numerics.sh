#!/usr/bin/env bash
# Runs the unit tests of kernels, some tests of contractions, and tests/tensor/numerics in optimised builds at each SIMD level. The program
# `optimised` consists of these tests, because all of tests/tensor would take too long to compile. The numerical tests check error bounds,
# and that the bits of results are equal in every run. (In the builds of `cargo test`, only unit tests use AVX2 and AVX-512, and many tests
# use fewer or smaller operands.) Prints the largest errors as tables.
# With VIERBEIN_F32_STEP=1, elementary functions are tested for every f32, which takes an hour.
set -euo pipefail
cd "$(dirname "$0")/.."

for level in portable avx2 avx512; do
    if [ $level != portable ] && ! grep -q "${level/512/512vl}" /proc/cpuinfo; then
        echo "skipped: $level, which this processor does not support"
        continue
    fi
    printf '\n== VIERBEIN_SIMD=%s\n' "$level"
    VIERBEIN_SIMD=$level cargo test --quiet --release --lib -- device::cpu engine
    VIERBEIN_SIMD=$level cargo test --quiet --release --test allocation
    VIERBEIN_SIMD=$level cargo test --quiet --release --test optimised -- contraction:: oracle::
    VIERBEIN_SIMD=$level cargo test --quiet --release --test optimised -- numerics:: --nocapture --test-threads 1
done
