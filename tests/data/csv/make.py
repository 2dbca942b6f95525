#!/usr/bin/env python3
"""Writes CSV files with Python's csv module, and next to each the matrix that NumPy or Python reads from it, as an .npy file.

Run it with any Python that has NumPy 2 or later and pandas, from any directory. Each value is what Python or NumPy reads from the text.
"""

import csv
import io
import os
import random

import numpy as np
import pandas

HERE = os.path.dirname(os.path.abspath(__file__))
random.seed(1)
MISSING = ["", "NA", "N/A", "NaN", "nan", "null"]


def save(name, text, matrix, encoding="utf-8"):
    with open(os.path.join(HERE, name + ".csv"), "wb") as file:
        file.write(text.encode(encoding))
    np.save(os.path.join(HERE, name + ".npy"), matrix)


def written(rows, **options):
    to = io.StringIO(newline="")
    csv.writer(to, **{"lineterminator": "\n", **options}).writerows(rows)
    return to.getvalue()


def floats(rows):
    """The meaning of the fields to Python, with NaN for the texts of missing values."""
    return np.array([[float("nan") if field.strip() in MISSING else float(field) for field in row] for row in rows])


def numbers():
    """Texts of numbers: shortest ones, long ones, halfway between two numbers, large, small and special ones."""
    for _ in range(200):
        yield repr(random.uniform(-1, 1) * 10.0 ** random.randint(-300, 300))
        yield "%.25g" % random.uniform(-1e6, 1e6)
        yield "%d" % random.getrandbits(80)
        yield "%.3f" % random.uniform(-100, 100)
        yield "%+.2E" % random.uniform(-100, 100)
    for k in range(60):
        # 2^53 + 2 k + 1 is halfway between two numbers. More digits decide the direction.
        half = str(2**53 + 2 * k + 1)
        yield from (half, half + ".0000000000000000000000000000001", half + "e0")
    yield from ("4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072011e-308")
    yield from ("1.7976931348623157e308", "1.7976931348623159e308", "1e400", "-1e400", "1e-400", "-0", "-0.0", "0e9999")
    yield from ("inf", "-inf", "Infinity", "+inf", "INF", ".5", "5.", "-.5e-3", "00012", "1e+05", "1E05", " 7", "7 ", "\t7 ")


texts = list(numbers())
texts += ["1"] * (-len(texts) % 6)
table = [texts[k : k + 6] for k in range(0, len(texts), 6)]
save("numbers", written([list("abcdef")] + table), floats(table))

rows = [[str(random.randint(-1000, 1000) / 8) if random.random() < 0.7 else random.choice(MISSING) for _ in range(4)] for _ in range(40)]
names = ["plain", "with, comma", 'with "quotes"', "two\nlines"]
save("quoted", written([names] + rows, quoting=csv.QUOTE_ALL, lineterminator="\r\n"), floats(rows))
save("byte_order_mark", written([["größe", "b", "c", "d"]] + rows, delimiter=";"), floats(rows), "utf-8-sig")

# What NumPy reads from text without names and missing values.
matrix = np.array([[random.gauss(0, 1) for _ in range(3)] for _ in range(50)])
to = io.StringIO()
np.savetxt(to, matrix)
save("savetxt", to.getvalue(), np.genfromtxt(io.StringIO(to.getvalue())))

# Text that a writer must write, byte by byte.
integers = np.array([[random.randint(-(2**63), 2**63 - 1) for _ in range(4)] for _ in range(25)], dtype=np.int64)
integers[0] = [np.iinfo(np.int64).min, np.iinfo(np.int64).max, 0, -1]
save("integers", written([names] + integers.tolist()), integers)

# Columns of text as categories. The code of a missing value is -1 in pandas, and the number of labels in Rust.
cities = ["Oslo", "Rome", "rome", "São Paulo", "Zürich", "Ōsaka", "a, b", 'the "city"', "two\nlines", " Oslo", "\U0001f600", "\uffee"]
columns = [
    [random.choice(cities + MISSING) for _ in range(150)],
    [random.choice(["small", "medium", "large", "Large", ""]) for _ in range(150)],
    [str(random.randint(0, 30)) for _ in range(150)],
]
with open(os.path.join(HERE, "categories.csv"), "w", encoding="utf-8", newline="") as file:
    file.write(written([["city", "größe", "number"]] + list(zip(*columns))))
codes, labels = [], []
for k, column in enumerate(columns):
    known = np.array([None if field.strip() in MISSING else field for field in column], dtype=object)
    found, uniques = pandas.factorize(known, sort=True)
    codes.append(np.where(found < 0, len(uniques), found))
    labels += [[k, label] for label in uniques]
np.save(os.path.join(HERE, "categories.npy"), np.ascontiguousarray(np.array(codes, dtype=np.int64).T))
with open(os.path.join(HERE, "labels.csv"), "w", encoding="utf-8", newline="") as file:
    file.write(written(labels))
