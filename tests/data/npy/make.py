"""Writes the golden files that tests/npy.rs reads, with NumPy itself.

Run it with any Python that has NumPy 2 or later, from any directory:

    python3 tests/data/npy/make.py

Each value is a function of n for its element type, with n = 100 i + 10 j + k for the index [i, j, k], and 10 i + j, i
and 0 for lower ranks. tests/common/golden.rs has the same functions in Rust. Tests also import `values` from here, to
check in NumPy what the library writes.
"""

import io
import os
import string
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SHAPES = [(), (5,), (3, 4), (2, 3, 4)]
EMPTY = [(0,), (0, 3), (2, 0, 4)]
# A different factor for each size, so that no value looks the same in the other byte order.
FACTOR = {1: 1, 2: 201, 4: 12345677, 8: 12345678901234567}
DTYPES = {
    "bool": "?",
    "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8",
    "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8",
    "f32": "f4", "f64": "f8",
    "c32": "c8", "c64": "c16",
}


def values(shape, dtype):
    dtype = np.dtype(dtype)
    n = np.zeros(shape, dtype=np.int64)
    for axis, index in enumerate(np.indices(shape)):
        n = n + index * 10 ** (len(shape) - 1 - axis)
    if dtype.kind == "b":
        return np.asarray(n % 3 == 0)
    if dtype.kind == "i":
        return np.asarray((n - 50) * FACTOR[dtype.itemsize]).astype(dtype)
    if dtype.kind == "u":
        return np.asarray(n * FACTOR[dtype.itemsize]).astype(dtype)
    if dtype.kind == "f":
        return np.asarray(n / 4 - 3).astype(dtype)
    return np.asarray((n / 4 - 3) + (n + 0.5) * 1j).astype(dtype)


def save(name, array):
    np.save(os.path.join(HERE, name + ".npy"), array)


def spellings():
    """Writes what np.load makes of each name of a type in a header: spellings.tsv has the name, and the name of the type in
    Rust with its byte order (< > =, native, or |, none), or - for other types and for names that NumPy rejects."""
    ours = {np.dtype(code).str[1:]: name for name, code in DTYPES.items()}
    characters = string.ascii_letters + "?"
    bodies = set(characters) | {c + str(n) for c in characters for n in (1, 2, 4, 8, 16, 32)}
    bodies |= {name for name in np._core.numerictypes.sctypeDict if isinstance(name, str)}
    lines = []
    for name in sorted(order + body for body in bodies for order in ("", "<", ">", "=", "|")):
        header = f"{{'descr': '{name}', 'fortran_order': False, 'shape': (2,), }}\n".encode()
        file = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(64)
        try:
            with warnings.catch_warnings(action="ignore"):
                dtype = np.load(io.BytesIO(file)).dtype
        except ValueError:
            lines.append(f"{name}\t-")
            continue
        found = ours.get(dtype.str[1:], "-")
        order = "|" if dtype.itemsize == 1 else name[0] if name[0] in "<>" else "="
        lines.append(f"{name}\t{found}" + ("" if found == "-" else f" {order}"))
    with open(os.path.join(HERE, "spellings.tsv"), "w") as file:
        file.write("\n".join(lines) + "\n")


def main():
    spellings()
    for name, dtype in DTYPES.items():
        for shape in SHAPES:
            array = values(shape, dtype)
            save(f"{name}_c_{len(shape)}", array)
            if len(shape) > 1:
                save(f"{name}_f_{len(shape)}", np.asfortranarray(array))
        if np.dtype(dtype).itemsize > 1:
            save(f"{name}_big", np.asfortranarray(values((3, 4), ">" + dtype)))

    for shape in EMPTY:
        save(f"empty_{len(shape)}", np.zeros(shape))
    # Contiguous in both memory orders. NumPy writes it as C.
    save("unit_axes", np.asfortranarray(values((1, 4, 1), "i4")))
    # NumPy 2 has up to 64 axes.
    save("rank_17", np.zeros((1,) * 17))
    special = [np.nan, np.inf, -np.inf, -0.0, 5e-324]
    save("special_f64", np.array(special))
    save("special_f32", np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45], dtype=np.float32))

    # Versions 2 and 3 of the format. By default NumPy uses them only for records.
    for version in [(2, 0), (3, 0)]:
        with open(os.path.join(HERE, f"version_{version[0]}.npy"), "wb") as file:
            np.lib.format.write_array(file, values((3, 4), "i4"), version=version)

    # Element types that tensors do not support.
    save("refused_f16", np.zeros(2, dtype=np.float16))
    save("refused_f128", np.zeros(2, dtype=np.longdouble))
    save("refused_string", np.array(["abc", "d"]))
    save("refused_bytes", np.array([b"abc", b"d"]))
    save("refused_time", np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"))
    save("refused_object", np.array([1, "x", None], dtype=object))
    save("refused_records", np.zeros(2, dtype=[("a", "<f8"), ("b", "<i4", (2, 3))]))
    save("refused_nested", np.zeros(2, dtype=[("a", [("b", [("c", "<i4")])])]))
    save("refused_void", np.zeros(2, dtype="V3"))


if __name__ == "__main__":
    main()
