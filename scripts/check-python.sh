#!/usr/bin/env bash
# Checks that NumPy and the reference implementation of safetensors read files that vierbein writes, and vice versa. Also checks
# that vierbein and NumPy share memory by DLPack, and that NumPy returns the values in the guide and in the example data_table.
# Finally checks that the README's figure of times is up to date. The first run creates a Python environment in target/, which needs
# the network.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=${CARGO_TARGET_DIR:-target}/python
python=$environment/bin/python

skip() { echo "skipped: $1"; exit 0; }

command -v python3 > /dev/null || skip "python3 is not installed"
if ! "$python" -c "import numpy, safetensors; assert tuple(map(int, numpy.__version__.split('.')[:2])) >= (2, 1)" 2> /dev/null; then
    python3 -m venv "$environment" || skip "python3 cannot create an environment"
    "$python" -m pip install --quiet "numpy>=2.1" "safetensors>=0.5" || skip "NumPy and safetensors cannot be installed"
fi
python=$(cd "$(dirname "$python")" && pwd)/python
PATH=$(dirname "$python"):$PATH cargo test --test npy numpy_reads_what_is_written
cargo build --example dlpack_library
PATH=$(dirname "$python"):$PATH cargo test --test interop numpy_shares_memory -- --nocapture
VIERBEIN_PYTHON=$python cargo test --features npz,safetensors,csv,serde --test files python -- --nocapture
"$python" scripts/fill-guide.py --check
"$python" scripts/data-table-figures.py --check
"$python" scripts/plot-speed.py --check
