"""Writes the golden archives that tests/files reads, with NumPy itself.

    python3 tests/data/npz/make.py

The values are those of ../npy/make.py.
"""

import os
import sys
import zipfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "npy"))
from make import DTYPES, values  # noqa: E402


def arrays():
    named = {}
    for name, dtype in DTYPES.items():
        named[f"{name}_c"] = values((3, 4), dtype)
        named[f"{name}_f"] = np.asfortranarray(values((3, 4), dtype))
        named[f"{name}_big"] = values((5,), ">" + dtype)
    named["scalar"] = values((), "f8")
    named["empty"] = np.zeros((2, 0, 4), "f4")
    named["a/path, and more"] = values((5,), "u1")
    return named


def main():
    for write, name in [(np.savez, "stored"), (np.savez_compressed, "deflated")]:
        write(os.path.join(HERE, name + ".npz"), values((2, 3, 4), "f4"), values((5,), "i8"), **arrays())
    np.savez_compressed(os.path.join(HERE, "zeros.npz"), zeros=np.zeros((500, 200)))
    with zipfile.ZipFile(os.path.join(HERE, "others.npz"), "w") as archive:
        archive.comment = b"an archive with a comment"
        archive.writestr("text.txt", "no array")
        archive.writestr("x.npy", "no array either")
        archive.writestr("packed.npy", "no array", compress_type=zipfile.ZIP_LZMA)


if __name__ == "__main__":
    main()
