"""Writes the golden files that tests/files reads, with the reference implementation.

    pip install numpy safetensors
    python3 tests/data/safetensors/make.py

The values are those of ../npy/make.py.
"""

import os
import sys

import numpy as np
import safetensors
from safetensors.numpy import save_file

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "npy"))
from make import DTYPES, SHAPES, values  # noqa: E402


def arrays():
    named = {}
    for name, dtype in DTYPES.items():
        if name != "c64":
            for shape in SHAPES:
                named[f"{name}_{len(shape)}"] = values(shape, dtype)
    named["empty"] = np.zeros((2, 0, 4), "f4")
    named["ünï \" \\ name"] = values((5,), "u1")
    return named


def main():
    save_file(arrays(), os.path.join(HERE, "reference.safetensors"), metadata={"format": "np", "quote": '"'})
    # Element types that tensors do not support.
    data = {"half": np.zeros(2, "u2"), "brain": np.zeros(2, "u2"), "small": np.zeros(3, "u1"), "here": np.float32([1.5])}
    dtypes = {"half": "float16", "brain": "bfloat16", "small": "float8_e4m3fn", "here": "float32"}
    lacking = {
        name: safetensors.TensorSpec(dtype=dtypes[name], shape=x.shape, data_ptr=x.ctypes.data, data_len=x.nbytes)
        for name, x in data.items()
    }
    with open(os.path.join(HERE, "lacking.safetensors"), "wb") as file:
        file.write(safetensors.serialize(lacking))


if __name__ == "__main__":
    main()
