#!/usr/bin/env python3
"""Writes tests/data/ordering.tsv: quantiles by NumPy (2 or later), which `tests/oracle/ordering.rs` compares with those of the crate.

Each line has the name of the method, the level, the elements, separated by spaces, and the quantile.
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
