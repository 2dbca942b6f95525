#!/usr/bin/env python3
"""Writes examples/data_table/numpy.rs: the results of NumPy, with which the example `data_table` compares its own.

    scripts/data-table-figures.py            # needs NumPy 2
    scripts/data-table-figures.py --check    # only reports whether the file is up to date
"""

import re
import sys
import textwrap
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "examples/data/nyc_weather.csv"
FIGURES = ROOT / "examples/data_table/numpy.rs"
COLUMNS = "month hour temp dewp humid wind_speed wind_gust precip pressure visib".split()


def constant(doc, name, kind, values):
    text = str(np.asarray(values).tolist())
    lines = [f"/// {doc}", f"pub(crate) const {name}: {kind} = {text};"]
    if len(lines[1]) > 110:
        rows = text[1:-1].replace("], ", "],\n").split("\n")
        rows = [line for row in rows for line in textwrap.wrap(row, 106, subsequent_indent=" " * row.count("["))]
        lines[1:] = [f"pub(crate) const {name}: {kind} = [", *("    " + row for row in rows), "];"]
    return "\n".join(lines) + "\n"


def same(old, new):
    """Returns whether two texts differ at most in the version of NumPy and in rounding."""
    number = r"-?\d+\.\d+(?:e-?\d+)?"
    old, new = (text.split("\n", 1)[1] for text in (old, new))
    values = [np.array([float(value) for value in re.findall(number, text)]) for text in (old, new)]
    words = [re.sub(number, "", text).split() for text in (old, new)]
    return words == [words[0]] * 2 and np.allclose(*values, rtol=1e-12, atol=1e-14)


def main():
    whole = np.genfromtxt(TABLE, delimiter=",", names=True, usecols=COLUMNS)
    table = np.stack([whole[name] for name in COLUMNS], axis=1)
    missing = np.isnan(table).sum(axis=0)

    wind = table[:, 5:7]
    implausible = wind > 150
    removed = int(implausible.sum())
    wind[implausible] = np.nan
    table[:, 2:4] = (table[:, 2:4] - 32) / 1.8
    wind *= 0.44704
    table[:, 7] *= 25.4
    table[:, 9] *= 1.609344
    gusts = table[:, 6]
    gust = np.median(gusts[~np.isnan(gusts)])

    months, month = np.unique(table[:, 0], return_inverse=True)
    rain = np.zeros(len(months))
    np.add.at(rain, month, table[:, 7])

    known = table[~np.isnan(table[:, 2])]
    temperatures = known[:, 2]
    months, month = np.unique(known[:, 0], return_inverse=True)
    hours, hour = np.unique(known[:, 1], return_inverse=True)
    sums = np.zeros((len(months), len(hours)))
    counts = np.zeros((len(months), len(hours)), dtype=int)
    np.add.at(sums, (month, hour), temperatures)
    np.add.at(counts, (month, hour), 1)
    medians = np.array([np.median(temperatures[month == k]) for k in range(len(months))])
    bins, _ = np.histogram(temperatures, 28, (-16, 40))

    measured = np.delete(table[:, 2:], 4, axis=1)
    complete = measured[~np.isnan(measured).any(axis=1)]

    text = f"//! The results of NumPy {np.__version__}, written by `scripts/data-table-figures.py`.\n\n"
    text += "\n".join(
        [
            constant("The number of missing values in each column.", "MISSING", "[i64; 10]", missing),
            constant("The number of implausible wind speeds.", "IMPLAUSIBLE", "i64", np.array(removed)),
            constant("The median of the gusts, in m/s.", "GUST", "f64", np.array(gust)),
            constant("The number of rows without missing values, apart from `wind_gust`.", "COMPLETE", "usize", np.array(len(complete))),
            constant("The medians of the columns from `temp` on, without `wind_gust`.", "MEDIANS", "[f64; 7]",
                     np.median(complete, axis=0)),
            constant("The sum of `precip` in the rows of each month, in mm.", "RAIN", "[f64; 12]", rain),
            constant("The median of `temp` of each month, in °C.", "MONTH_MEDIANS", "[f64; 12]", medians),
            constant("The mean of `temp` of each month and hour, in °C.", "MEANS", "[[f64; 4]; 12]", sums / counts),
            constant("The histogram of `temp`: 28 bins from -16 to 40 °C.", "BINS", "[i64; 28]", bins),
            constant("The correlations between the columns whose medians are in `MEDIANS`.", "CORRELATIONS", "[[f64; 7]; 7]",
                     np.corrcoef(complete, rowvar=False)),
        ]
    )
    if "--check" not in sys.argv[1:]:
        FIGURES.write_text(text)
    elif not same(FIGURES.read_text(), text):
        sys.exit(f"{FIGURES.relative_to(ROOT)} is out of date: run scripts/data-table-figures.py")


main()
