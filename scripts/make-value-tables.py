#!/usr/bin/env python3
"""Writes tests/data/choosing.txt, sorting.txt and statistics.txt: results of NumPy (2 or later) and SciPy, for tests/tensor/oracle/choosing.rs,
sorting.rs and statistics_table.rs.

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
import scipy.special

DATA = Path(__file__).resolve().parent.parent / "tests/data"
NAMES = {"float64": "f64", "float32": "f32", "complex128": "c64", "bool": "bool"}
NAMES |= {f"{sign}int{bits}": f"{sign or 'i'}{bits}" for sign in ["", "u"] for bits in [8, 16, 32, 64]}
NAN, INF = np.nan, np.inf
# Repeated numbers, both zeros, infinities and NaN; and the same without some of these.
SPECIAL = [1.5, NAN, -0.0, 3, 0.0, INF, -2, 3, NAN, -INF, 0.25, -2, 0.0]
FINITE = [1.5, 3, -0.5, -2, 0, 0.25, 3, 7, -2, 7.5, -1]
ORDINARY = [1.5, 3, -0.0, -2, 0.0, 0.25, 3, -INF, 1e10, -2, 7]
WHOLE = [3, -1, 0, 3, 7, -1, 5, 0, 2, 3, -8]
MASK = [1, 0, 0, 1, 1, 0, 1]
METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "linear",
           "median_unbiased", "normal_unbiased"]
COMPLEX = [1 + 2j, 0, complex(-0.0, 3), complex(NAN, 1), -2.5, complex(INF, -0.0), 1 + 2j]
SHAPES = [(0,), (1,), (7,), (0, 3), (3, 0), (1, 1), (3, 5), (5, 1), (3, 1, 5), (1, 0, 3)]
FEW_SHAPES = [(0,), (7,), (3, 5)]

random = np.random.default_rng(11)
lines = []


def operand(shape, dtype="float64", values=None, start=0):
    if values is None:
        values = {"float": SPECIAL, "int": WHOLE, "complex": COMPLEX, "bool": MASK}[dtype.rstrip("0123456789")]
    elements = [values[(start + k) % len(values)] for k in range(int(np.prod(shape)))]
    # The largest unsigned integers are no elements of an array without a given type.
    return np.array(elements, dtype if dtype[0] in "iu" else None).astype(dtype).reshape(shape)


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
                    values = (values / 4 if dtype[0] in "fc" else values).astype(dtype)
                    one = np.full((1,) * values.ndim, 2, dtype)
                    for values in [values, one] if at.shape == (2, 3) else [values]:
                        line("scatter_add", [signed], [x, at, values], lambda: added(x, axis, at, values))
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
        # A position of rank 0 removes the axis.
        for axis, n in enumerate(shape):
            for at in map(np.array, [0, -1, n]):
                line("take", [axis], [x, at], lambda: np.take(x, at, axis) if -n <= at < n else out_of_range())
                if dtype != "bool":
                    values = operand(shape[:axis] + shape[axis + 1 :], dtype, start=3)
                    line("scatter_add", [axis], [x, at, values], lambda: added(x, axis, at, values))
    for dtype in ["float64", "float32", "int64", "int32", "complex128", "bool"]:
        x = operand((), dtype)
        for mask in [np.array(False), np.array(True)]:
            line("masked", [], [x, mask], lambda: x[mask])
            value = operand((1,), dtype, start=2)
            line("masked_fill", [], [x, mask, value], lambda: changed(x, mask, value[0]))
            for count in [0, 1, 2]:
                values = operand((count,), dtype, start=4)
                line("masked_assign", [], [x, mask, values], lambda: changed(x, mask, values) if count == mask else out_of_range())
        for x in [x, np.zeros_like(x)]:
            line("nonzero", [], [x], lambda: np.argwhere(x))
        for rows in [0, 1, 4]:
            line("at", [], [x, np.zeros((rows, 0), int)], lambda: np.full(rows, x))
    write("choosing.txt")


# ------------------------------------------------------------------ sorted elements, and searches


def descending(x):
    """Returns an array whose ascending order is the descending order of `x`, with NaN last."""
    return -x if x.dtype.kind == "f" else ~x


def argsort(x, axis):
    return np.argsort(x, axis, kind="stable")


def top(x, axis, k):
    if k > x.shape[axis]:
        raise ValueError
    at = np.take(argsort(descending(x), axis), range(k), axis)
    return [np.take_along_axis(x, at, axis), at]


def partition(x, axis, k):
    """Returns the elements at index `k` along the axis, and the elements before it and from it on, both sorted."""
    k = range(x.shape[axis])[k]
    parts = np.partition(x, k, axis)
    left, right = np.split(parts, [k], axis)
    return [np.take(parts, k, axis), np.concatenate([np.sort(left, axis), np.sort(right, axis)], axis)]


def distinct(x):
    """Returns distinct elements, first indices, inverse and counts. The values are those at the first indices, because NumPy does not say
    which of 0 and -0 it returns."""
    _, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    return [x.ravel()[first], first, inverse.ravel(), counts]


def union(x, y):
    """As `np.union1d`, with the zero that comes first."""
    return distinct(np.concatenate([x.ravel(), y.ravel()]))[0]


def members(x, y, are):
    """Returns the distinct elements of `x` that are, or are not, in `y`, as `np.intersect1d` and `np.setdiff1d`, with the zero that comes
    first in `x`."""
    x = distinct(x)[0]
    return x[np.isin(x, y) == are]


def histogram(x, weights, kind, bins):
    """Returns counts, sums of weights, and edges."""
    if kind == "count" and x.size == 0:
        raise ValueError  # NumPy's bins are then from 0 to 1.
    args = {"count": {"bins": bins[0]}, "range": {"bins": bins[0], "range": bins[1:]}, "edges": {"bins": bins}}[kind]
    counts, edges = np.histogram(x, **args)
    sums, _ = np.histogram(x, weights=weights, **args)
    return [counts, sums.astype(float), edges.astype(float)]


def pools(dtype):
    """Lists of elements. The first has NaN or the extrema of the type."""
    if dtype[0] == "f":
        return [SPECIAL, ORDINARY]
    if dtype == "bool":
        return [MASK]
    largest, smallest = int(np.iinfo(dtype).max), int(np.iinfo(dtype).min)
    if dtype[0] == "u":
        # The middle, where the sign of a signed number would change.
        return [[largest, 3, 0, largest // 2 + 1, 3, largest // 2, 7, largest - 1, 0, 1, largest]]
    extrema = [largest, *WHOLE, smallest, 0]
    return [extrema, WHOLE] if dtype in ["int64", "int32"] else [extrema]


def exact_quantile(x, level, axis, method, function=np.quantile):
    """Returns quantiles as `function` (`np.quantile` or `np.nanquantile`). A quantile between a number and an infinity is this infinity,
    and a quantile between equal infinities, too. NumPy's result is NaN for some of these, because it subtracts infinities.

    Increasing functions of the elements have the same sorted order. So the signs of the infinities that take part are those of quantiles
    of indicators."""
    quantile = lambda values: function(np.where(np.isnan(x), NAN, values), level, axis, method=method)
    finite = quantile(np.clip(x, -1e30, 1e30))
    above, below = quantile((x == INF).astype(float)) > 0, quantile(-(x == -INF).astype(float)) < 0
    expected = np.where(above & below, NAN, np.where(above, INF, np.where(below, -INF, finite))).astype(finite.dtype)
    known = function(x, level, axis, method=method)
    assert np.array_equal(np.where(np.isnan(known), expected, known), expected, equal_nan=True)
    return expected


def not_empty(x, axis, function):
    """NumPy returns NaN if there are zero elements along the axis. In the library, this is an error."""
    if x.shape[axis] == 0:
        raise ValueError
    return function(x, axis=axis)


def sorting():
    types = ["float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool"]
    for dtype, shape in shapes_of_types(types):
        for values in pools(dtype):
            x, rank = operand(shape, dtype, values), len(shape)
            for axis in range(rank):
                n = shape[axis]
                at = argsort(descending(x), axis)
                line("sort", [axis], [x], lambda: np.sort(x, axis, kind="stable"))
                line("argsort", [axis - rank], [x], lambda: argsort(x, axis))
                line("sort_descending", [axis - rank], [x], lambda: np.take_along_axis(x, at, axis))
                line("argsort_descending", [axis], [x], lambda: at)
                for k in [0, (n + 1) // 2, n + 1]:
                    line("top_k", [axis, k], [x], lambda: top(x, axis, k))
                # The order of equal elements on one side is unspecified, so there is no -0.
                y = x + x.dtype.type(0)
                for k in [n // 2, -1, n] if dtype.endswith("64") else [n // 2]:
                    line("partition", [axis, k], [y], lambda: partition(y, axis, k))
                if dtype != "bool":
                    line("median_axis", [axis], [x], lambda: not_empty(x, axis, np.median))
            both_orders("unique", [], [x], distinct)
            if dtype != "bool":
                line("median", [], [x], lambda: not_empty(x.ravel(), 0, np.median))
    for dtype in types:
        few, many = (operand((n,), dtype, pools(dtype)[0], start=2) for n in (4, 13))
        sets = [few[:0], few[:1], few, many[:12].reshape(3, 4), many, many[:0].reshape(0, 3), many[4]]
        sets = sets if dtype.endswith("64") else [*sets[1:4], many[4]]
        for x in sets:
            line_of = np.sort(x, None)
            edges = line_of[line_of == line_of]
            for y in sets:
                for name, right in [("left", False), ("right", True)] if x.ndim == 1 else []:
                    line("searchsorted", [name], [line_of, y], lambda: np.searchsorted(line_of, y, name))
                    line("digitize", ["right" if right else "left"], [y, edges], lambda: np.digitize(y, edges, right))
                line("isin", [], [x, y], lambda: np.isin(x, y))
                both_orders("set_union", [], [x, y], union)
                both_orders("set_intersection", [], [x, y], lambda x, y: members(x, y, True))
                both_orders("set_difference", [], [x, y], lambda x, y: members(x, y, False))
        for shape in [(1, 1), (1, 7), (3, 7), (2, 0), (3, 1)]:
            x = operand(shape, dtype, [*few, few[0]])
            line("lexsort", [], [x], lambda: np.lexsort(x))
    for dtype in ["int64", "int32"]:
        for shape in FEW_SHAPES + [(1,), (3, 1, 5)]:
            x = operand(shape, dtype, [3, 0, 1, 3, 3, 7])
            weights = random.integers(-8, 8, size=shape) / 4
            for least in [0, 3, 9]:
                line("bincount", [least], [x], lambda: np.bincount(x.ravel(), minlength=least))
                # NumPy returns integers if there are no weights.
                sums = lambda: np.bincount(x.ravel(), weights.ravel(), least).astype(float)
                line("bincount_weighted", [least], [x, weights], sums)
        line("bincount", [0], [x - 1], lambda: np.bincount((x - 1).ravel()))
        x = np.array(3, dtype)
        for least in [0, 9]:
            line("bincount", [least], [x], lambda: np.bincount(x.ravel(), minlength=least))
            line("bincount_weighted", [least], [x, np.array(0.5)], lambda: np.bincount(x.ravel(), [0.5], least))
    for dtype, values in [("float64", SPECIAL), ("float64", [1, 2, 2, 2.5, 7, -3, -0.0]), ("int64", WHOLE)]:
        for shape in [(0,), (1,), (7,), (3, 5), (0, 3), ()]:
            x = operand(shape, dtype, values)
            weights = random.integers(-8, 8, size=shape) / 4
            bins = [("count", [3]), ("range", [4, -2, 2]), ("range", [1, 3, 3]), ("edges", [0, 1.5, 1.5, 3]), ("edges", [-INF, 0, INF])]
            for kind, bins in bins:
                line("histogram", [kind, *bins], [x, weights], lambda: histogram(x, weights, kind, bins))
    for dtype in ["float64", "float32", "int64"]:
        for shape in [(7,), (3, 5), (0, 3)]:
            for values in [WHOLE] if dtype[0] == "i" else [FINITE, [1.5, NAN, 0.0, 3, NAN, NAN, 1]]:
                x = operand(shape, dtype, values)
                for method in METHODS if dtype == "float64" and NAN not in values else ["linear", "inverted_cdf"]:
                    for axis, level in [(-1, 0.3), (0, 0.5), (-1, 1)]:
                        # Some methods of NumPy return integers for integers.
                        quantile = lambda x, axis: np.quantile(x.astype(dtype if dtype[0] == "f" else float), level, axis, method=method)
                        line("quantile", [axis, level, method], [x], lambda: not_empty(x, axis, quantile))
    for dtype, shapes in [("float64", [(7,), (3, 5)]), ("float32", [(7,)])]:
        lines_of = [operand(shape, dtype, [1.5, -INF, 3, INF, 0.25, INF, -2]) for shape in shapes]
        lines_of += [np.array(x, dtype) for x in [[1, INF], [-INF, 1], [-INF, INF], [INF, INF], [-INF, -INF, INF, 2]]]
        for x in lines_of:
            gaps = np.where(x == 1.5, NAN, x).astype(dtype)
            for method in METHODS if dtype == "float64" else ["linear", "hazen"]:
                for level in [0, 0.1, 0.25, 0.5, 0.6, 0.75, 0.9, 1]:
                    line("quantile", [-1, level, method], [x], lambda: exact_quantile(x, level, -1, method))
                    if level in [0.25, 0.75]:
                        line("nanquantile", [-1, level, method], [gaps], lambda: exact_quantile(gaps, level, -1, method, np.nanquantile))
    for dtype in ["int64", "int8", "uint64", "uint8"]:
        for shape in [(7,), (3, 5)]:
            x = operand(shape, dtype, pools(dtype)[0], start=8)
            for method in METHODS:
                for level in [0, 0.3, 1]:
                    line("quantile", [0, level, method], [x], lambda: np.quantile(x.astype(float), level, 0, method=method))
    for dtype in types:
        for value in pools(dtype)[0][:3]:
            x = np.array(value).astype(dtype)
            both_orders("unique", [], [x], distinct)
            if dtype != "bool":
                line("median", [], [x], lambda: np.median(x))
    write("sorting.txt")


# ------------------------------------------------------------------ statistics and related operations


GAPS = [NAN, 1.5, 3, -INF, NAN, -2, INF, 0, 0.25, NAN, 7]
FINITE_COMPLEX = [1 + 2j, 0, 3j, 2.5 - 1j, -2.5, 1 + 2j, -0.5 + 0.25j]


def covariance(x, ddof):
    n = x.shape[1]
    # NumPy returns an infinity for some covariances of at most `ddof` observations, the library NaN for all.
    return np.cov(x, ddof=ddof).reshape(len(x), len(x)).astype(x.dtype) + (NAN if n <= ddof else 0)


def log_softmax(x, axis):
    """The library returns NaN if the maximum is NaN or infinite, SciPy for some elements only."""
    finite = np.isfinite(np.max(x, axis, keepdims=True))
    return np.where(finite, scipy.special.log_softmax(x, axis), x.dtype.type(NAN))


def of_no_elements(x, function):
    """SciPy has no result for zero elements along the axis. In the library, the result has zero elements, too."""
    return function() if x.size else x


def polyval(polynomial, x):
    """As `np.polyval`, which begins with 0 instead of the first coefficient, so that its results for infinities are NaN."""
    y = np.zeros_like(x) + (polynomial[0] if polynomial.size else x.dtype.type(0))
    for coefficient in polynomial[1:]:
        y = y * x + coefficient
    assert np.array_equal(y[np.isfinite(x)], np.polyval(polynomial, x[np.isfinite(x)]))
    return y


def one_hot(labels, classes):
    if labels.size and labels.min() < 0:
        raise IndexError
    return np.eye(classes)[labels]


def extrema_of_all_elements(x):
    """Writes lines of `max`, `min` and their indices."""
    for name in ["max", "min"]:
        line(name, ["all"], [x], lambda: getattr(np, name)(x))
        both_orders(f"arg{name}", ["all"], [x], getattr(np, f"arg{name}"))


def of_all_elements(x):
    """Writes lines of reductions of all elements to one number."""
    extrema_of_all_elements(x)
    real, result = x.dtype.kind == "f", x.dtype if x.dtype.kind == "f" else float
    line("sum", ["all"], [x], lambda: np.sum(x))
    line("prod", ["all"], [x], lambda: np.prod(x))
    line("mean", ["all"], [x], lambda: np.mean(x).astype(result))
    line("var", ["all", 1], [x], lambda: np.var(x, ddof=1).astype(result) + (NAN if x.size < 2 else 0))
    line("std", ["all", 0], [x], lambda: np.std(x).astype(result))
    line("norm", ["all"], [x], lambda: np.linalg.norm(x.ravel()).astype(result))
    line("ptp", ["all"], [x], lambda: np.ptp(x))
    if not real:
        return
    for name in ["nansum", "nanprod", "nanmean", "nanmax", "nanmin"]:
        line(name, ["all"], [x], lambda: getattr(np, name)(x))
    limited = np.clip(x, -1e30, 1e30)
    for name in ["nanargmax", "nanargmin"]:
        both_orders(name, ["all"], [limited], getattr(np, name))
    line("nanvar", ["all", 1], [x], lambda: np.nanvar(x, ddof=1))
    line("nanstd", ["all", 0], [x], lambda: np.nanstd(x))
    line("nanmedian", ["all"], [x], lambda: not_empty(x.ravel(), 0, np.nanmedian))
    # SciPy has no result for some empty arrays. In the library, it is the logarithm of 0.
    line("logsumexp", ["all"], [x], lambda: scipy.special.logsumexp(x.ravel()).astype(x.dtype) if x.size else x.dtype.type(-INF))


def statistics():
    for dtype, shape in shapes_of_types(["float64", "float32", "int64"]):
        real, rank = dtype[0] == "f", len(shape)
        for values in [FINITE, GAPS] if real else [WHOLE]:
            x = operand(shape, dtype, values)
            for axis in range(rank):
                n, signed = shape[axis], axis if axis % 2 else axis - rank
                line("cummax", [signed], [x], lambda: np.maximum.accumulate(x, axis))
                line("cummin", [signed], [x], lambda: np.minimum.accumulate(x, axis))
                line("ptp", [signed], [x], lambda: np.ptp(x, axis))
                if not real:
                    continue
                for name in ["nansum", "nanprod", "nanmean", "nanmax", "nanmin"]:
                    line(name, [signed], [x], lambda: getattr(np, name)(x, axis))
                # NumPy replaces NaN by an infinity, which hides infinite elements. The finite limits have the same order.
                limited = np.clip(x, -1e30, 1e30)
                for name in ["nanargmax", "nanargmin"]:
                    line(name, [signed], [x], lambda: getattr(np, name)(limited, axis))
                line("nanvar", [signed, 1], [x], lambda: np.nanvar(x, axis, ddof=1))
                line("nanstd", [signed, 0], [x], lambda: np.nanstd(x, axis))
                line("nanmedian", [signed], [x], lambda: not_empty(x, axis, np.nanmedian))
                line("trapezoid", [signed, 0.5], [x], lambda: np.trapezoid(x, dx=0.5, axis=axis).astype(dtype))
                line("softmax", [signed], [x], lambda: of_no_elements(x, lambda: scipy.special.softmax(x, axis)))
                line("log_softmax", [signed], [x], lambda: of_no_elements(x, lambda: log_softmax(x, axis)))
                line("logsumexp", [signed], [x], lambda: scipy.special.logsumexp(x, axis))
                for weights in [range(1, n + 1), [1, -1, 0.5, 2, 0.25, 3, -1][:n], [0] * n]:
                    weights = np.array(list(weights), dtype)
                    line("average", [signed], [x, weights], lambda: np.average(x, axis, weights))
            if real:
                line("nan_to_num", [], [-x], lambda: np.nan_to_num(-x))
    for dtype, shape in shapes_of_types(["float64", "float32", "int64"], [(), *SHAPES]):
        for values in [FINITE, GAPS] if dtype[0] == "f" else [WHOLE]:
            of_all_elements(operand(shape, dtype, values))
    for dtype in ["float32", "int64"]:
        of_all_elements(operand((), dtype))
    of_all_elements(np.array(NAN))
    for dtype in ["int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"]:
        for shape in [(), (7,), (3, 5)]:
            for start in [0, 1]:
                extrema_of_all_elements(operand(shape, dtype, pools(dtype)[0], start))
    for shape in [(), *SHAPES]:
        for values in [MASK, [0], [1]]:
            x = operand(shape, "bool", values)
            for name in ["all", "any"]:
                line(name, ["all"], [x], lambda: getattr(np, name)(x))
            line("count", ["all"], [x], lambda: np.int64(np.count_nonzero(x)))
    for value in [1.5, NAN, -INF]:
        x = np.array(value)
        line("nan_to_num", [], [x], lambda: np.nan_to_num(x))
        xp, fp = np.array([-2, 0, 3.0]), np.array([1.5, -1, 7])
        line("interp", [], [x, xp, fp], lambda: np.where(np.isnan(x), NAN, np.interp(x, xp, fp)))
        line("polyval", [], [fp, x], lambda: polyval(fp, x))
    for label in [2, 4, -1]:
        label = np.array(label)
        line("one_hot", [4], [label], lambda: one_hot(label, 4))
    for dtype, values in [("float64", FINITE), ("float64", GAPS), ("float32", FINITE)]:
        for shape in [(0, 3), (3, 0), (1, 1), (1, 5), (3, 1), (3, 5)]:
            x = operand(shape, dtype, values)
            for ddof in [0, 1, 2]:
                line("cov", [ddof], [x], lambda: covariance(x, ddof))
            line("corrcoef", [], [x], lambda: np.corrcoef(x).reshape(len(x), len(x)).astype(dtype))
    for points in [0, 1, 2, 5]:
        xp, fp = np.array([-2, 0, 0.5, 3, 7.5])[:points], operand((points,), "float64", FINITE)
        for values in [FINITE, GAPS]:
            for shape in [(0,), (1,), (7,), (3, 5), (3, 0)]:
                x = operand(shape, "float64", values)
                # With one point, NumPy returns its value for NaN, too; in the library, NaN stays NaN.
                line("interp", [], [x, xp, fp], lambda: np.where(np.isnan(x), NAN, np.interp(x, xp, fp)))
    for dtype, values in [("float64", FINITE), ("float64", GAPS), ("int64", WHOLE), ("complex128", FINITE_COMPLEX)]:
        for shape, axis in [((3,), 0), ((1, 3), 1), ((0, 3), -1), ((3, 0), 0), ((3, 5), 0), ((5, 3), 1), ((3, 3, 5), -3), ((3, 5), 1)]:
            x, y = operand(shape, dtype, values), operand(shape, dtype, values, start=4)
            line("cross", [axis], [x, y], lambda: np.cross(x, y, axis=axis) if shape[axis] == 3 else out_of_range())
        for n, m in [(0, 1), (1, 0), (1, 1), (5, 1), (1, 4), (5, 3), (3, 5)]:
            x, y = operand((n,), dtype, values), operand((m,), dtype, values, start=2)
            for mode in ["full", "same", "valid"]:
                line("convolve", [mode], [x, y], lambda: np.convolve(x, y, mode))
                line("correlate", [mode], [x, y], lambda: np.correlate(x, y, mode))
        for n in [0, 1, 3]:
            for shape in [(0,), (1,), (5,), (3, 0), (3, 5)]:
                polynomial, x = operand((n,), dtype, WHOLE, start=4), operand(shape, dtype, values)
                line("polyval", [], [polynomial, x], lambda: polyval(polynomial, x))
    for classes in [0, 1, 4]:
        for shape in [(0,), (1,), (5,), (3, 0), (3, 5)]:
            for labels in [[3, 0, 1, 3, 2], [0], [-1, 0]]:
                labels = operand(shape, "int64", labels)
                line("one_hot", [classes], [labels], lambda: one_hot(labels, classes))
    write("statistics.txt")


choosing()
sorting()
statistics()
