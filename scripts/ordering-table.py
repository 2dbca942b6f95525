#!/usr/bin/env python3
"""Writes tests/data/ordering.tsv and tests/data/histograms.tsv: quantiles and histograms by NumPy (2 or later), for
tests/oracle/ordering.rs.

Each line of ordering.tsv has the name of the method, the level, the elements, separated by spaces, and the quantile. Each line of
histograms.tsv has the kind of the bins (`count`, `range` or `edges`), the bins (their number; their number and range; or their edges), the
elements, their weights, the counts, the sums of weights, and the edges.
"""

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
