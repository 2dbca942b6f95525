"""Writes files for tests/files/python.rs, and checks the files that it writes.

    python.py write FOLDER
    python.py judge FOLDER
"""

import os
import sys
import warnings

import numpy as np
from safetensors.numpy import load_file, save_file

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "data", "npy"))
from make import DTYPES, values  # noqa: E402

SHAPES = [
    (), (5,), (3, 4), (2, 3, 4), (2, 3, 2, 3), (2, 1, 2, 3, 2), (2, 2, 3, 1, 2, 2),
    (0,), (0, 3), (2, 0, 4), (1, 2, 3, 0, 2, 1),
]


def arrays():
    for name, dtype in DTYPES.items():
        for shape in SHAPES:
            full = f"{name}_{'x'.join(map(str, shape))}"
            c = values(shape, dtype)
            big = c.astype(np.dtype(dtype).newbyteorder(">"))
            yield full + "_c", c
            yield full + "_f", np.asfortranarray(c) if shape else c
            yield full + "_big_c", big
            yield full + "_big_f", np.asfortranarray(big) if shape else big


def write(folder):
    named = dict(arrays())
    for name, array in named.items():
        np.save(os.path.join(folder, name + ".npy"), array)
    np.savez(os.path.join(folder, "stored.npz"), **named)
    np.savez_compressed(os.path.join(folder, "deflated.npz"), **named)
    flat = {name: x for name, x in named.items() if "big" not in name and name.endswith("_c") and x.dtype != "c16"}
    save_file(flat, os.path.join(folder, "all.safetensors"))


def judge(folder):
    count = 0
    stored = np.load(os.path.join(folder, "stored.npz"))
    deflated = np.load(os.path.join(folder, "deflated.npz"))
    flat = load_file(os.path.join(folder, "all.safetensors"))
    assert stored.zip.testzip() is None and deflated.zip.testzip() is None
    for name, expected in arrays():
        if "big" in name:
            continue
        sources = [np.load(os.path.join(folder, name + ".npy")), stored[name], deflated[name]]
        if name.endswith("_c") and expected.dtype != "c16":
            sources.append(flat[name])
        for found in sources:
            assert found.dtype == expected.dtype and found.shape == expected.shape, name
            assert np.array_equal(found, expected), name
            assert found.flags.f_contiguous if name.endswith("_f") else found.flags.c_contiguous, name
            count += 1
    print(f"{count} tensors written here read by NumPy {np.__version__} and safetensors")


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)  # integers wrap around, as they do in Rust
    {"write": write, "judge": judge}[sys.argv[1]](sys.argv[2])
