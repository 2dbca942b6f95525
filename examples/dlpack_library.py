"""Shares memory between NumPy and the library of dlpack_library.rs, in both directions, and checks when it is freed.

    cargo build --example dlpack_library
    python3 examples/dlpack_library.py target/debug/examples/libdlpack_library.so
"""

import ctypes
import gc
import math
import sys

import numpy as np

library = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "target/debug/examples/libdlpack_library.so")
library.freed.restype = ctypes.c_size_t
library.columns_first.restype = ctypes.c_void_p
library.columns_first.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
library.sum.restype = ctypes.c_double
library.sum.argtypes = [ctypes.c_void_p]
library.double.restype = ctypes.c_bool
library.double.argtypes = [ctypes.c_void_p]

python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]

NEW, USED = b"dltensor_versioned", b"used_dltensor_versioned"


class Given:
    """A tensor of the library as an object that `np.from_dlpack` accepts."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __dlpack__(self, **_):
        return python.PyCapsule_New(self.pointer, NEW, None)

    def __dlpack_device__(self):
        return (1, 0)


def pass_to(function, array):
    """Calls a function of the library with the DLPack structure of an array. If the function accepts the array, the library frees the
    structure, and the capsule is renamed so that Python does not free it again."""
    capsule = array.__dlpack__(max_version=(1, 0))
    result = function(python.PyCapsule_GetPointer(capsule, NEW))
    if result is True or isinstance(result, float) and not math.isnan(result):
        python.PyCapsule_SetName(capsule, USED)
    return result


# From Rust to NumPy: the strides are those of the column-major tensor. Dropping the last reference in NumPy frees the tensor once.
array = np.from_dlpack(Given(library.columns_first(2, 3)))
assert array.dtype == np.float64 and array.shape == (2, 3) and array.strides == (8, 16)
assert array.tolist() == [[0, 2, 4], [1, 3, 5]] and array.flags.writeable
part = array[:, 1:]
del array
gc.collect()
assert library.freed() == 0 and part.tolist() == [[2, 4], [3, 5]]
del part
gc.collect()
assert library.freed() == 1

# From NumPy to Rust: the library accepts any strides. It holds no reference to the array after the call.
for array in [
    np.arange(12.0).reshape(3, 4),
    np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    np.arange(24.0).reshape(4, 6)[::-2, 1::2],
    np.broadcast_to(np.arange(3.0), (2, 3)).copy(),
    np.zeros((0, 3)),
]:
    references = sys.getrefcount(array)
    assert pass_to(library.sum, array) == array.sum()
    before = array.copy()
    assert pass_to(library.double, array) is True
    assert (array == 2 * before).all()
    assert sys.getrefcount(array) == references

# The library rejects arrays of another element type or rank, and `double` also rejects read-only memory. NumPy still owns these arrays.
for array in [np.arange(12).reshape(3, 4), np.arange(3.0)]:
    assert math.isnan(pass_to(library.sum, array))
array = np.arange(4.0).reshape(2, 2)
array.flags.writeable = False
references = sys.getrefcount(array)
assert pass_to(library.sum, array) == 6.0
assert pass_to(library.double, array) is False and array.sum() == 6.0
gc.collect()
assert sys.getrefcount(array) == references
print("NumPy", np.__version__, "and the library share memory both ways")
