#!/usr/bin/env bash
# Checks each feature alone, and what takes too long for `.ci/run`: faer and its tests, the documentation with all features, and its
# examples.
set -euo pipefail
cd "$(dirname "$0")/.."

for features in "" rayon npy npz safetensors serde rand blas cuda ndarray nalgebra faer; do
    cargo clippy --lib --no-default-features --features "$features" -- -D warnings
done
cargo test --features faer --test interop
cargo test --features rand,npz,safetensors,serde,ndarray,nalgebra,faer,cuda --doc
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --all-features
