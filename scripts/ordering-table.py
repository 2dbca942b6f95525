#!/usr/bin/env python3
"""Writes tests/data/ordering.tsv, histograms.tsv, nan_quantiles.tsv and unique_slices.tsv: quantiles, histograms and distinct slices by
NumPy (2 or later), for tests/tensor/oracle/ordering.rs.

Each line of ordering.tsv has the name of the method, the level, the elements, separated by spaces, and the quantile. Each line of
histograms.tsv has the kind of the bins (`count`, `range` or `edges`), the bins (their number; their number and range; or their edges), the
elements, their weights, the counts, the sums of weights, and the edges.

Each line of nan_quantiles.tsv has the name of the method (or `median`), the level, the elements of a matrix with six columns in row-major
order, and the quantiles of its rows. Each line of unique_slices.tsv has the axis, the shape, the elements in row-major order, the distinct
slices, their first indices, the inverse, and the counts.
"""

import warnings

from pathlib import Path

import numpy as np

METHODS = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
]
random = np.random.default_rng(7)
LINES = [[1, 2, 4, 8, 16], [5], [3, -1], [2, 2, 2, 7], random.normal(size=10).round(3), random.permutation(13) * 0.75]
LEVELS = [0, 0.05, 0.1, 0.25, 0.3, 1 / 3, 0.5, 0.625, 0.75, 0.9, 0.95, 1]

rows = ["# Written by scripts/ordering-table.py."]
for method in METHODS:
    for line in LINES:
        line = np.asarray(line, dtype=float)
        for level in LEVELS:
            quantile = float(np.quantile(line, level, method=method))
            rows.append(f"{method}\t{level!r}\t{' '.join(repr(float(x)) for x in line)}\t{quantile!r}")
path = Path(__file__).resolve().parent.parent / "tests/data/ordering.tsv"
path.write_text("\n".join(rows) + "\n")

STEPS = [0.1 * k for k in range(11)]
SETS = [[0.1, 0.2, 0.3], STEPS, [5.0], [1, 2, 2, 2.5, 7, -3, 0], random.normal(size=50).round(2)]
BINS = [1, 3, 10, (3, 0, 0.3), (10, 0, 1), (4, -1.5, 2.5), (2, 5, 5), [0, 0.25, 2], [-1, 2, 2, 3], [1, 2, 2]]


def numbers(values):
    return " ".join(repr(float(x)) for x in values)


rows = ["# Written by scripts/ordering-table.py."]
for elements in SETS:
    elements = np.asarray(elements, dtype=float)
    weights = random.integers(-8, 8, size=len(elements)) / 4
    for bins in BINS:
        kind, args = ("edges", {"bins": bins})
        shown = numbers(bins) if isinstance(bins, list) else ""
        if isinstance(bins, int):
            kind, args, shown = "count", {"bins": bins}, str(bins)
        elif isinstance(bins, tuple):
            kind, args, shown = "range", {"bins": bins[0], "range": bins[1:]}, numbers(bins)
        counts, edges = np.histogram(elements, **args)
        sums, _ = np.histogram(elements, weights=weights, **args)
        rows.append("\t".join([kind, shown, numbers(elements), numbers(weights), numbers(counts), numbers(sums), numbers(edges)]))
(path.parent / "histograms.tsv").write_text("\n".join(rows) + "\n")

ROWS = random.integers(-20, 20, size=(9, 6)) / 4
for count, row in enumerate([0, 0, 1, 3, 3, 5, 6, 2, 0]):
    ROWS[count, random.permutation(6)[:row]] = np.nan
rows = ["# Written by scripts/ordering-table.py."]
with warnings.catch_warnings():
    warnings.simplefilter("ignore", RuntimeWarning)  # A row has only NaN.
    for method in METHODS:
        for level in LEVELS:
            quantiles = np.nanquantile(ROWS, level, axis=1, method=method)
            rows.append(f"{method}\t{level!r}\t{numbers(ROWS.ravel())}\t{numbers(quantiles)}")
    rows.append(f"median\t0.5\t{numbers(ROWS.ravel())}\t{numbers(np.nanmedian(ROWS, axis=1))}")
path.with_name("nan_quantiles.tsv").write_text("\n".join(rows) + "\n")


def integers(values):
    return " ".join(str(int(x)) for x in values)


rows = ["# Written by scripts/ordering-table.py."]
for shape in [(8, 2), (30, 3), (4, 1), (1, 4), (5, 2, 2), (3, 4, 2)]:
    elements = random.integers(-1, 2, size=shape)
    for axis in range(len(shape)):
        values, first, inverse, counts = np.unique(
            elements, return_index=True, return_inverse=True, return_counts=True, axis=axis
        )
        lists = [shape, elements.ravel(), values.ravel(), first, inverse.ravel(), counts]
        rows.append("\t".join([str(axis), *map(integers, lists)]))
path.with_name("unique_slices.tsv").write_text("\n".join(rows) + "\n")
