#!/usr/bin/env bash
# Errors and bits of results with the vectors of each level, in optimised builds: kernels that `cargo test` builds have them in
# matrix products only. Prints the largest errors as tables. VIERBEIN_F32_STEP=1 tries elementary functions of every f32, which takes
# an hour.
set -euo pipefail
cd "$(dirname "$0")/.."

for level in portable avx2 avx512; do
    if [ $level != portable ] && ! grep -q "${level/512/512vl}" /proc/cpuinfo; then
        echo "skipped: $level, which this processor has not"
        continue
    fi
    printf '\n== VIERBEIN_SIMD=%s\n' "$level"
    VIERBEIN_SIMD=$level cargo test --quiet --release --test numerics -- --nocapture --test-threads 1
done
