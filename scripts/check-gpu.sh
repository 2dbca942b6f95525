#!/usr/bin/env bash
# Prepares the checks that need a GPU. They consist of two commands. The first runs on a machine with Rust, the second on a machine
# with a GPU. Both can be the same machine.
#
#     scripts/check-gpu.sh build [--emulator]     # builds target/gpu: programs, scripts and, with --emulator, the CUDA emulator
#     target/gpu/run.sh [--emulator] [OUTPUT]     # runs the programs: see scripts/gpu/run.sh
#
# The programs are optimised, stripped, compressed and dynamically linked with libc only. So target/gpu (18 MiB) can be copied to a
# machine with the same processor architecture and an equal or newer glibc. CUDA's libraries are loaded there at run time.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { echo "usage: $0 build [--emulator]" >&2; exit 2; }
[ "${1:-}" = build ] || usage
emulator=
case ${2:-} in
    '') ;;
    --emulator) emulator=1 ;;
    *) usage ;;
esac

to=${CARGO_TARGET_DIR:-target}/gpu
rm -rf "$to"
mkdir -p "$to"

# Without debug information, because backtraces are useful only on a machine with the sources.
export CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_STRIP=symbols
built=$(cargo test --release --features cuda,fft,linalg --lib --test devices --test cuda --test cuda_types --no-run --message-format=json)
for name in devices cuda cuda_types; do
    cp "$(echo "$built" | grep -o "\"executable\":\"[^\"]*/deps/$name-[^\"]*\"" | cut -d'"' -f4)" "$to/$name"
done
cp "$(echo "$built" | grep -o '"executable":"[^"]*/deps/vierbein-[^"]*"' | cut -d'"' -f4)" "$to/lib"
cargo build --release --features cuda --example gpu_bench
cp "${CARGO_TARGET_DIR:-target}/release/examples/gpu_bench" "$to/"
# Test programs contain the kernels of every element type. Compression reduces them to a third.
gzip -9 "$to"/{devices,cuda,cuda_types,lib,gpu_bench}
cp scripts/gpu/run.sh scripts/gpu/table.py benches/peers/gpu.py "$to/"
[ -z "$emulator" ] || scripts/build-cuda-emulator.sh "$to/emulator"
du -sh "$to"
