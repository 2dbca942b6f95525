#!/usr/bin/env python3
"""Measures the errors of elementary functions of f64 at ten million arguments. The reference is MPFR, through the package gmpy2.

    pip install gmpy2 numpy
    scripts/elementary/check-f64.py [FUNCTION ..]    # all functions by default; about a quarter of an hour on two cores

Fails if an error exceeds one unit in the last place, 1.2 for `powf`, or two for `erf` and `erfc`. `tests/tensor/numerics/elementary.rs` chooses
the arguments and computes the results.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import gmpy2
import numpy

ROOT = pathlib.Path(__file__).parent.parent.parent
PRECISION = 80  # bits
POWER = gmpy2.mpfr(1.7)
FUNCTIONS = {
    "exp": gmpy2.exp,
    "exp2": gmpy2.exp2,
    "exp_m1": gmpy2.expm1,
    "ln": gmpy2.log,
    "log2": gmpy2.log2,
    "log10": gmpy2.log10,
    "ln_1p": gmpy2.log1p,
    "sin": gmpy2.sin,
    "cos": gmpy2.cos,
    "tan": gmpy2.tan,
    "asin": gmpy2.asin,
    "acos": gmpy2.acos,
    "atan": gmpy2.atan,
    "sinh": gmpy2.sinh,
    "cosh": gmpy2.cosh,
    "tanh": gmpy2.tanh,
    "asinh": gmpy2.asinh,
    "acosh": gmpy2.acosh,
    "atanh": gmpy2.atanh,
    "cbrt": gmpy2.cbrt,
    "erf": gmpy2.erf,
    "erfc": gmpy2.erfc,
    "powf": lambda x: x**POWER,
}
LIMITS = {"powf": 1.2, "erf": 2.0, "erfc": 2.0}
LARGEST = numpy.finfo(float).max
PIECE = 250_000


def errors(name, folder, start):
    """Returns the largest error of a piece, in units in the last place, and its argument. Also returns the number of misplaced NaNs: only
    one of the result and the exact value is NaN."""
    gmpy2.get_context().precision = PRECISION
    function = FUNCTIONS[name]
    x = numpy.load(folder / "arguments.npy", mmap_mode="r")[start : start + PIECE]
    y = numpy.load(folder / f"{name}.npy", mmap_mode="r")[start : start + PIECE]
    worst, at, misplaced = 0.0, 0.0, 0
    for argument, result in zip(x.tolist(), y.tolist()):
        exact = function(gmpy2.mpfr(argument))
        rounded = float(exact)
        if rounded == result:
            # The result is correctly rounded, so its error is at most half a unit.
            if worst >= 0.5:
                continue
            unit = numpy.spacing(result) if abs(result) <= LARGEST else 0.0
            error = abs(float((exact - result) / gmpy2.mpfr(unit))) if unit and gmpy2.is_finite(exact) else 0.0
        elif rounded != rounded or result != result:
            misplaced += not (rounded != rounded and result != result)
            continue
        elif abs(result) > LARGEST or abs(rounded) > LARGEST:
            # Infinity instead of the largest number of the same sign, or the reverse, is an error of one unit.
            finite, infinite = (rounded, result) if abs(result) > LARGEST else (result, rounded)
            error = 1.0 if finite == numpy.copysign(LARGEST, infinite) else float("inf")
        else:
            error = abs(float((exact - result) / gmpy2.mpfr(abs(numpy.spacing(rounded)))))
        if error > worst:
            worst, at = error, argument
    return worst, at, misplaced


def main():
    names = sys.argv[1:] or list(FUNCTIONS)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        command = ["cargo", "test", "--release", "--test", "numerics", "functions_of_f64"]
        environment = os.environ | {"VIERBEIN_F64_DIR": str(folder)}
        subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
        count = len(numpy.load(folder / "arguments.npy", mmap_mode="r"))
        failed = False
        with concurrent.futures.ProcessPoolExecutor() as pool:
            for name in names:
                starts = range(0, count, PIECE)
                pieces = pool.map(errors, [name] * len(starts), [folder] * len(starts), starts)
                pieces = list(pieces)
                worst, at, _ = max(pieces)
                misplaced = sum(piece[2] for piece in pieces)
                print(f"{name:8} of f64: {worst:.3f} units in the last place, at {at!r}; {misplaced} NaN in the wrong place", flush=True)
                failed |= worst > LIMITS.get(name, 1.0) or misplaced > 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
