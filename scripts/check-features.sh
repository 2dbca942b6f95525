#!/usr/bin/env bash
# Checks the library with no feature, and with each feature alone. Also runs checks that take too long for
# `.ci/run`: the tests of the feature faer, the examples of the documentation, and the documentation with all features.
set -euo pipefail
cd "$(dirname "$0")/.."

# `-p` selects the library only. Without it, other members of the workspace would switch the default features of the library on.
for features in "" rayon npy npz safetensors csv serde rand fft linalg blas cuda ndarray nalgebra faer precompiled-dyn; do
    cargo clippy -p vierbein --lib --no-default-features --features "$features" -- -D warnings
done
cargo test --features faer --test interop
# The tests of invalid input, which cover the methods of the features fft and linalg only if these features are on.
cargo test --features fft,linalg --lib --test tensor -- fft linalg every_
cargo test -p vierbein-ui-tests --features fft -- messages program trybuild=fail/fft
cargo test -p vierbein-ui-tests --features linalg -- messages program trybuild=fail/linalg
cargo test --features rand,fft,linalg,npz,safetensors,csv,serde,ndarray,nalgebra,faer,cuda --doc
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --all-features
