#!/usr/bin/env python3
"""Writes tests/data/choosing.txt: results of NumPy (2 or later), for tests/oracle/choosing.rs.

    scripts/make-value-tables.py    # in any directory

Each line has an operation, the memory order for which it holds (`C`, `F`, or nothing for both), arguments, operands and results, separated
by `|`. Operands and results are separated by `;`. Each is a tensor: the element type, the extents, a colon, and the elements in row-major
order. The real and the imaginary part of a complex number are separated by a comma. The result `error` says that the call returns an error.

A result can depend on the memory order, e.g. `masked`, which returns elements in memory order. The column-major result is then that of
NumPy for the array with reversed axes, whose elements are in the same order in memory.
"""

import warnings
from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parent.parent / "tests/data"
NAMES = {"float64": "f64", "float32": "f32", "int64": "i64", "int32": "i32", "complex128": "c64", "bool": "bool"}
NAN, INF = np.nan, np.inf
# Repeated numbers, both zeros, infinities and NaN; and the same without some of these.
SPECIAL = [1.5, NAN, -0.0, 3, 0.0, INF, -2, 3, NAN, -INF, 0.25, -2, 0.0]
FINITE = [1.5, 3, -0.5, -2, 0, 0.25, 3, 7, -2, 7.5, -1]
ORDINARY = [1.5, 3, -0.0, -2, 0.0, 0.25, 3, -INF, 1e10, -2, 7]
WHOLE = [3, -1, 0, 3, 7, -1, 5, 0, 2, 3, -8]
METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "linear",
           "median_unbiased", "normal_unbiased"]
COMPLEX = [1 + 2j, 0, complex(-0.0, 3), complex(NAN, 1), -2.5, complex(INF, -0.0), 1 + 2j]
SHAPES = [(0,), (1,), (7,), (0, 3), (3, 0), (1, 1), (3, 5), (5, 1), (3, 1, 5), (1, 0, 3)]
FEW_SHAPES = [(0,), (7,), (3, 5)]

random = np.random.default_rng(11)
lines = []


def operand(shape, dtype="float64", values=None, start=0):
    if values is None:
        values = {"float": SPECIAL, "int": WHOLE, "complex": COMPLEX, "bool": [1, 0, 0, 1, 1, 0, 1]}[dtype.rstrip("0123456789")]
    return np.array([values[(start + k) % len(values)] for k in range(int(np.prod(shape)))]).astype(dtype).reshape(shape)


def number(x):
    if isinstance(x, complex):
        return f"{number(x.real)},{number(x.imag)}"
    if isinstance(x, float):
        return repr(x).removesuffix(".0")
    return str(int(x))


def tensor(x):
    x = np.asarray(x)
    # A 32-bit number is written with the digits that it needs.
    elements = [str(v).removesuffix(".0") for v in x.ravel()] if x.dtype == np.float32 else [number(v) for v in x.ravel().tolist()]
    return " ".join([NAMES[str(x.dtype)], *map(str, x.shape)]) + ":" + " ".join(elements)


def text_of(result):
    """Returns the results of a call, or `error` if it raises an exception."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # for NaN
            results = result()
    except (IndexError, ValueError, ZeroDivisionError):
        return "error"
    return ";".join(map(tensor, results if isinstance(results, list) else [results]))


def line(op, arguments, operands, *results):
    """Writes a line. Each of `results` returns an array or a list of arrays: for both memory orders, or for each of them."""
    texts = [text_of(result) for result in results]
    for order, text in zip(["C", "F"] if len(set(texts)) > 1 else [""], texts):
        lines.append("|".join([op, order, " ".join(map(str, arguments)), ";".join(map(tensor, operands)), text]))


def both_orders(op, arguments, operands, result):
    """As `line`. `result` takes the operands, with reversed axes for column-major order."""
    line(op, arguments, operands, lambda: result(*operands), lambda: result(*(x.T.copy() for x in operands)))


def write(name):
    text = [f"# NumPy {np.__version__}, written by scripts/make-value-tables.py", *lines]
    (DATA / name).write_text("\n".join(text) + "\n")
    lines.clear()


def shapes_of_types(types, shapes=SHAPES):
    """Returns all shapes for the first type, and a few for the others."""
    return [(t, s) for k, t in enumerate(types) for s in (shapes if k == 0 else FEW_SHAPES)]


# ------------------------------------------------------------------ elements at positions and under masks


def positions(extent, shape):
    return random.integers(-extent, extent, size=shape) if extent else np.zeros(shape, int)


def masks(shape):
    """Returns a mask without `true`, one with only `true`, and one with both."""
    return [np.zeros(shape, bool), np.ones(shape, bool), operand(shape, "bool")]


def out_of_range():
    raise IndexError


def changed(x, index, values):
    y = x.copy(order="C")
    y[index] = values
    return y


def along(x, axis, at, values):
    y = x.copy()
    np.put_along_axis(y, at, values, axis)
    return y


def added(x, axis, at, values):
    y = x.copy()
    np.add.at(y, (slice(None),) * (axis % x.ndim) + (at,), values)
    return y


def choosing():
    for dtype, shape in shapes_of_types(["float64", "float32", "int64", "int32", "complex128", "bool"]):
        x, rank = operand(shape, dtype), len(shape)
        for axis in range(rank):
            n = shape[axis]
            signed = axis if axis % 2 else axis - rank
            for at in [(0,), (5,), (2, 3), (0, 3)]:
                at = positions(n, at)
                line("take", [signed], [x, at], lambda: np.take(x, at, signed))
                if dtype != "bool":
                    # Small multiples of 1/4, so that sums are exact in every order.
                    values = random.integers(-8, 8, size=shape[:axis] + at.shape + shape[axis + 1 :]).astype(dtype)
                    values = values / 4 if dtype[0] in "fc" else values
                    line("scatter_add", [signed], [x, at, values.astype(dtype)], lambda: added(x, axis, at, values))
            # The library checks positions even if the result is empty; NumPy does not.
            for at in [[n], [0, -n - 1]]:
                line("take", [axis], [x, np.array(at)], lambda: np.take(x, at, axis) if x.size else out_of_range())
            for m in [0, 1, 3]:
                at = positions(n, shape[:axis] + (m,) + shape[axis + 1 :])
                line("take_along_axis", [signed], [x, at], lambda: np.take_along_axis(x, at, signed))
                values = operand(at.shape, dtype, start=3)
                line("put_along_axis", [signed], [x, at, values], lambda: along(x, signed, at, values))
                if m == 3:
                    one = operand((1,) * rank, dtype, start=2)
                    line("put_along_axis", [signed], [x, at, one], lambda: along(x, signed, at, one))
            for mask in masks((n,)):
                line("compress", [signed], [x, mask], lambda: np.compress(mask, x, signed))
        for mask in masks(shape):
            both_orders("masked", [], [x, mask], lambda x, mask: x[mask])
            value = operand((1,), dtype, start=2)
            line("masked_fill", [], [x, mask, value], lambda: changed(x, mask, value[0]))
            values = operand((int(mask.sum()),), dtype, start=4)
            row_major, col_major = lambda: changed(x, mask, values), lambda: changed(x.T, mask.T, values).T
            line("masked_assign", [], [x, mask, values], row_major, col_major)
        few = operand((x.size + 2,), dtype)
        line("masked_assign", [], [x, np.ones(shape, bool), few], lambda: changed(x, np.ones(shape, bool), few))
        line("nonzero", [], [x], lambda: np.argwhere(x), lambda: np.argwhere(x.T)[:, ::-1])
        for rows in [0, 1, 4] if x.size else [0]:
            at = np.stack([positions(n, rows) for n in shape], axis=1)
            line("at", [], [x, at], lambda: x[tuple(at.T)])
        line("at", [], [x, np.array([shape])], lambda: x[tuple(shape)])
    write("choosing.txt")


choosing()
