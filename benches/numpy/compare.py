#!/usr/bin/env python3
"""Times operations in vierbein and in NumPy, in turn, and prints times and ratios. Each uses one thread by default.

    cargo build --release && python3 compare.py [--avx2] [--sizes 20000,4000000] [--rounds N] [--threads N] [ROW ..]      ROW: a part of a name

Each line has the median times of NumPy and of vierbein in microseconds, and vierbein's time divided by NumPy's, for the medians and
for the minima: below 1, vierbein is faster. Both libraries allocate a new result in each call. Before a row is timed, a dozen elements
of both results are compared. `--avx2` limits both libraries to AVX2. Rows of Fourier transforms need SciPy, rows of CSV files pandas.
With `--pytorch`, the other library is PyTorch, for elementary functions of real numbers.
"""

import argparse
import functools
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--avx2", action="store_true")
parser.add_argument("--sizes", default="20000,4000000")
parser.add_argument("--rounds", type=int, default=15)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--sample-ms", type=float, default=5)
parser.add_argument("--markdown", action="store_true")
parser.add_argument("--pytorch", action="store_true")
parser.add_argument("rows", nargs="*")
options = parser.parse_args()

if options.avx2:
    os.environ["VIERBEIN_SIMD"] = "avx2"
    os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512_ICL AVX512_SPR"
    os.environ.update(ATEN_CPU_CAPABILITY="avx2", MKL_ENABLE_INSTRUCTIONS="AVX2")  # PyTorch
os.environ.update(RAYON_NUM_THREADS=str(options.threads), OPENBLAS_NUM_THREADS=str(options.threads))
if hasattr(os, "sched_setaffinity"):
    # `read_csv` of pandas uses a second thread, and has no option against it.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-options.threads :])
import numpy as np  # noqa: E402

np.seterr(all="ignore")


def number(n, operand):
    """Returns the elements of an operand: the same numbers that `number` in src/main.rs returns."""
    k = np.arange(n, dtype=np.uint64) + np.uint64(977 * operand)
    return (k * np.uint64(2654435761) % np.uint64(2027)).astype(float) / 14.0 - 72.03


def random_bits(n):
    """Returns random numbers of 64 bits: the same ones that `random_bits` in src/main.rs returns."""
    z = (np.arange(n, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def scipy_fft():
    import scipy.fft

    return scipy.fft


def pandas():
    import pandas

    return pandas


def matrix(x):
    columns = 10 ** ((len(str(x.size)) // 2))
    return x.reshape(-1, columns)


class Operands:
    """The operands of all rows of one size."""

    def __init__(self, n):
        self.n = n
        self.x, self.y = number(n, 0), number(n, 1)
        self.i32, self.i64 = self.x.astype(np.int32), self.x.astype(np.int64)
        self.u8 = np.abs(self.x).astype(np.uint8)
        self.divisor32 = np.abs(self.y).astype(np.int32) + np.int32(1)
        self.divisor8 = np.abs(self.y).astype(np.uint8) + np.uint8(1)
        self.cx = self.x + 1j * number(n, 10)
        self.cy = self.y + 1j * number(n, 11)
        self.positive, self.unit, self.central, self.beyond_1 = np.abs(self.x), self.x / 73.0, self.x / 24.0, np.abs(self.x) + 1.0
        self.cx32 = self.cx.astype(np.complex64)
        for name in FUNCTIONS:
            setattr(self, f"{name}32", getattr(self, name).astype(np.float32))
        self.rng = np.random.default_rng(1)
        self.path = Path(tempfile.gettempdir()) / f"vierbein-numpy-{os.getpid()}.npy"
        np.save(self.path, self.x)
        bits = random_bits(n)
        self.random_f64 = (bits >> np.uint64(11)) / 2.0**53
        self.few_f64 = np.floor(self.random_f64 * 4)
        self.random_f32 = ((bits >> np.uint64(40)) / 2.0**24).astype(np.float32)
        self.random_i64 = bits.astype(np.int64)
        self.random_i32 = (bits >> np.uint64(32)).astype(np.uint32).view(np.int32)
        self.positions = (bits % np.uint64(n)).astype(np.int64)
        self.mask = bits % np.uint64(2) == 0

    # Computed only if a row uses them, because `matrix` fails for some sizes: the number of columns must divide `n`.
    m = functools.cached_property(lambda self: matrix(self.x))
    m2 = functools.cached_property(lambda self: matrix(self.y))
    cm = functools.cached_property(lambda self: matrix(self.cx))

    # Operands of rows of CATALOGUE, so that conversions are not timed.
    absolute64 = functools.cached_property(lambda self: np.abs(self.i64))
    digits = functools.cached_property(lambda self: self.absolute64 % 10)
    other64 = functools.cached_property(lambda self: self.y.astype(np.int64))
    thousands = functools.cached_property(lambda self: [(x * 1000).astype(np.int64) for x in (self.x, self.y)])
    quadruples = functools.cached_property(lambda self: (self.x / 40.0).astype(np.int64).reshape(-1, 4))
    positive_definite = functools.cached_property(lambda self: self.squares("f64")[0] @ self.squares("f64")[0].T + np.eye(math.isqrt(self.n)))

    @functools.cache
    def squares(self, t):
        """Returns a random square matrix, and a Hermitian one."""
        extent = math.isqrt(self.n)
        bits = random_bits(extent * extent)
        x = (bits >> np.uint64(11)) / 2.0**53 - 0.5
        if t == "c64":
            x = x + 1j * ((bits & np.uint64(2**53 - 1)) / 2.0**53 - 0.5)
        x = x.reshape(extent, extent)
        return x, x + x.conj().T

    def csv_path(self, name):
        return self.path.with_suffix(f".{name}.csv")

    @functools.cached_property
    def csv(self):
        self.frame.to_csv(self.csv_path("full"), index=False)
        return self.csv_path("full")

    @functools.cached_property
    def short_csv(self):
        np.savetxt(self.csv_path("short"), self.x.reshape(-1, 10), delimiter=",", header="a,b,c,d,e,f,g,h,i,j", comments="", fmt="%.5f")
        return self.csv_path("short")

    @functools.cached_property
    def frame(self):
        return pandas().DataFrame(self.random_f64.reshape(-1, 10), columns=list("abcdefghij"))

    def remove_files(self):
        for path in [self.path, *map(self.csv_path, ["full", "short", "written"])]:
            path.unlink(missing_ok=True)


def top_k(x):
    last = np.argpartition(x, x.size - 100)[x.size - 100:]
    return x[last[np.argsort(x[last])[::-1]]]


def added_at(o):
    sums = np.zeros(o.n)
    np.add.at(sums, o.positions, o.x)
    return sums


ROWS = {
    "x + y": lambda o: o.x + o.y,
    "x - 1.5": lambda o: o.x - 1.5,
    "x / y": lambda o: o.x / o.y,
    "abs": lambda o: np.abs(o.x),
    "sqrt(x + 73)": lambda o: np.sqrt(o.x + 73.0),
    "clamp": lambda o: np.clip(o.x, -10.0, 10.0),
    "maximum": lambda o: np.maximum(o.x, o.y),
    "less than a scalar": lambda o: o.x < 3.0,
    "lt": lambda o: o.x < o.y,
    "select": lambda o: np.where(o.x < 3.0, o.x, o.y),
    "i32 / 7": lambda o: o.i32 // 7,
    "i64 / 7": lambda o: o.i64 // 7,
    "i32 / -10": lambda o: o.i32 // -10,
    "u8 / 7": lambda o: o.u8 // 7,
    "i32 % 7": lambda o: np.fmod(o.i32, 7),
    "x % 3.7": lambda o: np.fmod(o.x, 3.7),
    "i64 * i64": lambda o: o.i64 * o.i64,
    "i32 to f64": lambda o: o.i32.astype(float),
    "u8 + u8": lambda o: o.u8 + o.u8,
    "i32 / i32": lambda o: o.i32 // o.divisor32,
    "i32 % i32": lambda o: np.fmod(o.i32, o.divisor32),
    "u8 / u8": lambda o: o.u8 // o.divisor8,
    "abs of i32": lambda o: np.abs(o.i32),
    "abs of i64": lambda o: np.abs(o.i64),
    "power 2": lambda o: o.x**2,
    "power 6": lambda o: o.x**6,
    "power 3 of i64": lambda o: o.i64**3,
    "f64 to i32": lambda o: o.x.astype(np.int32),
    "f64 to u8": lambda o: o.positive.astype(np.uint8),
    "f64 to i64": lambda o: o.x.astype(np.int64),
    "f32 to i32": lambda o: o.x32.astype(np.int32),
    "i64 to f64": lambda o: o.i64.astype(float),
    "i64 to i32": lambda o: o.i64.astype(np.int32),
    "neg of c64": lambda o: -o.cx,
    "conj of c64": lambda o: np.conj(o.cx),
    "conj of c32": lambda o: np.conj(o.cx32),
    "c64 == c64": lambda o: o.cx == o.cy,
    "vdot of c64": lambda o: np.vdot(o.cx, o.cy),
    "abs of c32": lambda o: np.abs(o.cx32),
    "c64 * c64": lambda o: o.cx * o.cy,
    "c64 / c64": lambda o: o.cx / o.cy,
    "abs of c64": lambda o: np.abs(o.cx),
    "sum": lambda o: o.x.sum(),
    "max": lambda o: o.x.max(),
    "prod": lambda o: o.x.prod(),
    "var": lambda o: o.x.var(),
    "cumsum": lambda o: o.x.cumsum(),
    "argmax": lambda o: o.x.argmax(),
    "sum over axis 0": lambda o: o.m.sum(axis=0),
    "sum over axis 1": lambda o: o.m.sum(axis=1),
    "argmax over axis 0": lambda o: o.m.argmax(axis=0),
    "argmax over axis 1": lambda o: o.m.argmax(axis=1),
    "max over axis 0": lambda o: o.m.max(axis=0),
    "copy of [.., ..;-1]": lambda o: o.m[:, ::-1].copy(),
    "copy of [.., ..;2]": lambda o: o.m[:, ::2].copy(),
    "copy of [..;-1, ..]": lambda o: o.m[::-1].copy(),
    "copy of the transpose": lambda o: np.ascontiguousarray(o.m.T),
    "matrix + row": lambda o: o.m + o.m2[0],
    "uniform random numbers": lambda o: o.rng.random(o.n),
    "read_npy": lambda o: np.load(o.path),
    "write_npy": lambda o: np.save(o.path, o.x),
    "write_npy_to a file": lambda o: np.save(o.path, o.x),
}

# The elementary functions of NumPy, and of SciPy (`erf` and `erfc`), grouped by the operand to which they are applied: all numbers,
# positive numbers, numbers of magnitude below 1, numbers of magnitude up to 3, and numbers of at least 1.
FUNCTIONS = {
    "x": ["exp", "exp2", "expm1", "sin", "cos", "tan", "arctan", "sinh", "cosh", "arcsinh", "cbrt"],
    "positive": ["log", "log2", "log10", "log1p", "power 1.7"],
    "unit": ["arcsin", "arccos", "tanh", "arctanh"],
    "central": ["erf", "erfc"],
    "beyond_1": ["arccosh"],
}


def function(name, operand):
    if name == "power 1.7":
        return lambda o: np.power(getattr(o, operand), getattr(o, operand).dtype.type(1.7))
    return lambda o: getattr(scipy_special() if operand.startswith("central") else np, name)(getattr(o, operand))


for operand, names in FUNCTIONS.items():
    for name in names:
        ROWS[name] = function(name, operand)
        ROWS[f"{name} of f32"] = function(name, f"{operand}32")

def pytorch_rows():
    """Returns the rows of elementary functions in PyTorch, which has no cube root."""
    import torch

    torch.set_num_threads(options.threads)
    tensor = functools.cache(lambda o, operand: torch.from_numpy(getattr(o, operand)))

    def of(name, operand):
        if name == "power 1.7":
            return lambda o: torch.pow(tensor(o, operand), 1.7)
        return lambda o, f=getattr(torch, name): f(tensor(o, operand))

    pairs = [(name, operand) for operand, names in FUNCTIONS.items() for name in names if name != "cbrt"]
    rows = {name: of(name, operand) for name, operand in pairs} | {f"{name} of f32": of(name, f"{operand}32") for name, operand in pairs}
    return torch.__version__, rows | {"arctan2": lambda o: torch.arctan2(tensor(o, "x"), tensor(o, "y"))}


COMPLEX_FUNCTIONS = ["exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "arcsinh", "arccosh",
                     "arctanh", "power 1.7", "angle"]
for name in COMPLEX_FUNCTIONS:
    ROWS[f"{name} of c64"] = function(name, "cx")
    ROWS[f"{name} of c32"] = function(name, "cx32")
ROWS["power 1+0.5i of c64"] = lambda o: np.power(o.cx, np.complex128(1 + 0.5j))
ROWS["power 1+0.5i of c32"] = lambda o: np.power(o.cx32, np.complex64(1 + 0.5j))
ROWS["arctan2"] = lambda o: np.arctan2(o.x, o.y)
ROWS["hypot"] = lambda o: np.hypot(o.x, o.y)

for t in ["f64", "f32", "i64", "i32"]:
    ROWS |= {
        f"sort of random {t}": lambda o, t=f"random_{t}": np.sort(getattr(o, t)),
        f"argsort of random {t}": lambda o, t=f"random_{t}": np.argsort(getattr(o, t)),
        f"stable argsort of random {t}": lambda o, t=f"random_{t}": np.argsort(getattr(o, t), kind="stable"),
        f"partition of random {t}": lambda o, t=f"random_{t}": np.partition(getattr(o, t), o.n // 3)[o.n // 3: o.n // 3 + 1],
        f"median of random {t}": lambda o, t=f"random_{t}": np.median(getattr(o, t)),
        f"top_k 100 of random {t}": lambda o, t=f"random_{t}": top_k(getattr(o, t)),
        f"unique of random {t}": lambda o, t=f"random_{t}": np.unique(getattr(o, t)),
        f"sort of lines of 8 {t}": lambda o, t=f"random_{t}": np.sort(getattr(o, t).reshape(-1, 8), axis=1),
        f"sort of 8 rows of {t}": lambda o, t=f"random_{t}": np.sort(getattr(o, t).reshape(8, -1), axis=0),
        f"sort of lines of 100 {t}": lambda o, t=f"random_{t}": np.sort(getattr(o, t).reshape(-1, 100), axis=1),
        f"argsort of lines of 8 {t}": lambda o, t=f"random_{t}": np.argsort(getattr(o, t).reshape(-1, 8), axis=1),
        f"argsort of 8 rows of {t}": lambda o, t=f"random_{t}": np.argsort(getattr(o, t).reshape(8, -1), axis=0),
        f"argsort of lines of 100 {t}": lambda o, t=f"random_{t}": np.argsort(getattr(o, t).reshape(-1, 100), axis=1),
    }
ROWS |= {
    "sort of few values": lambda o: np.sort(o.few_f64),
    "argsort of few values": lambda o: np.argsort(o.few_f64, kind="stable"),
    "partition of few values": lambda o: np.partition(o.few_f64, o.n // 3)[o.n // 3: o.n // 3 + 1],
    "median of few values": lambda o: np.median(o.few_f64),
    "top_k 100 of few values": lambda o: top_k(o.few_f64),
    "concatenate": lambda o: np.concatenate([o.x, o.y]),
    "roll": lambda o: np.roll(o.x, 1234),
    "take at random positions": lambda o: np.take(o.x, o.positions),
    "scatter_add at random positions": added_at,
    "masked": lambda o: o.x[o.mask],
    "fft over axis 1": lambda o: scipy_fft().fft(o.cm, axis=1, workers=1),
    "fft over axis 0": lambda o: scipy_fft().fft(o.cm, axis=0, workers=1),
    "fft of f64 over axis 0": lambda o: scipy_fft().fft(o.m, axis=0, workers=1),
    "rfft over axis 1": lambda o: scipy_fft().rfft(o.m, axis=1, workers=1),
    "rfft over axis 0": lambda o: scipy_fft().rfft(o.m, axis=0, workers=1),
    "irfft over axis 0": lambda o: scipy_fft().irfft(o.cm, axis=0, workers=1),
    "read_csv": lambda o: pandas().read_csv(o.csv).to_numpy(),
    "read_csv of 5 decimals": lambda o: pandas().read_csv(o.short_csv).to_numpy(),
    "write_csv_to a file": lambda o: o.frame.to_csv(o.csv_path("written"), index=False),
}

# Linear algebra: LAPACK of the library with which NumPy was built, such as OpenBLAS. A function returns the part of the result that is
# compared.
LINEAR_ALGEBRA = {
    "svd": lambda x, _: np.linalg.svd(x, full_matrices=False)[1],
    "eigh": lambda _, h: np.linalg.eigh(h)[0],
    "qr": lambda x, _: np.abs(np.linalg.qr(x)[1].diagonal()),
    "solve": lambda x, _: np.linalg.solve(x, np.ones(len(x))),
}
LARGEST_MATRIX = 1_000_000
for name, f in LINEAR_ALGEBRA.items():
    for t in ["f64", "c64"]:
        ROWS[f"{name} of {t}"] = lambda o, f=f, t=t: f(*o.squares(t))


def scipy_special():
    import scipy.special

    return scipy.special


def filled(o):
    y = o.x.copy()
    y[o.x > 3.0] = 0.0
    return y


def added_in_place(o):
    y = o.x.copy()
    y += o.x
    return y


# The rows of src/catalogue.rs.
CATALOGUE = {
    "histogram of 100 bins": lambda o: np.histogram(o.x, 100)[0],
    "histogram weighted": lambda o: np.histogram(o.x, 100, (-73.0, 73.0), weights=o.y)[0],
    "bincount": lambda o: np.bincount(o.absolute64),
    "interp 100 knots": lambda o: np.interp(o.x, np.linspace(-73, 73, 100), np.linspace(0, 1, 100)),
    "convolve 31": lambda o: np.convolve(o.x, np.linspace(0, 1, 31), "same"),
    "convolve 3": lambda o: np.convolve(o.x, np.linspace(0.5, 1, 3), "valid"),
    "polyval 6": lambda o: np.polyval(np.linspace(0, 1, 6), o.x),
    "searchsorted 1000": lambda o: np.searchsorted(np.linspace(-73, 73, 1000), o.x),
    "digitize 20": lambda o: np.digitize(o.x, np.linspace(-73, 73, 20)),
    "isin 20": lambda o: np.isin(o.i64, np.arange(20)),
    "cov of 10 rows": lambda o: np.cov(o.x.reshape(10, -1)),
    "cov of 10 columns": lambda o: np.cov(o.x.reshape(-1, 10).T),
    "diff": lambda o: np.diff(o.x),
    "diff axis 0 twice": lambda o: np.diff(o.m, 2, axis=0),
    "cumsum axis 0": lambda o: o.m.cumsum(0),
    "cumsum axis 1": lambda o: o.m.cumsum(1),
    "cumsum i64": lambda o: o.i64.cumsum(),
    "cumprod": lambda o: o.x.cumprod(),
    "cummax": lambda o: np.maximum.accumulate(o.x),
    "cummax axis 0": lambda o: np.maximum.accumulate(o.m, axis=0),
    "median axis 0": lambda o: np.median(o.m, axis=0),
    "median axis 1": lambda o: np.median(o.m, axis=1),
    "quantile axis 1": lambda o: np.quantile(o.m, 0.9, axis=1),
    "nan_sum": lambda o: np.nansum(o.x),
    "nan_mean": lambda o: np.nanmean(o.x),
    "nan_max": lambda o: np.nanmax(o.x),
    "nan_var axis 0": lambda o: np.nanvar(o.m, axis=0),
    "nan_median axis 1": lambda o: np.nanmedian(o.m, axis=1),
    "nan_to_num": lambda o: np.nan_to_num(o.x),
    "nonzero": lambda o: np.argwhere(o.x > 3.0),
    "tile 2": lambda o: np.tile(o.x, 2),
    "repeat 2": lambda o: np.repeat(o.x, 2),
    "repeat axis 0": lambda o: np.repeat(o.m, 2, axis=0),
    "pad 10 edge": lambda o: np.pad(o.m, 10, mode="edge"),
    "pad 10 constant": lambda o: np.pad(o.m, 10),
    "cross": lambda o: np.cross(o.x[: o.n // 3 * 3].copy().reshape(-1, 3), np.array([1.0, 2.0, 3.0])),
    "trapezoid": lambda o: np.trapezoid(o.x, dx=0.5),
    "tril": lambda o: np.tril(o.m),
    "rot90 copy": lambda o: np.ascontiguousarray(np.rot90(o.m)),
    "flip copy": lambda o: np.flip(o.m).copy(),
    "roll axis 1": lambda o: np.roll(o.m, 7, axis=1),
    "stack axis 1": lambda o: np.stack([o.x, o.y], axis=1),
    "concatenate axis 1": lambda o: np.concatenate([o.m, o.m2], axis=1),
    "softmax axis 1": lambda o: scipy_special().softmax(o.m, axis=1),
    "softmax axis 0": lambda o: scipy_special().softmax(o.m, axis=0),
    "logsumexp axis 1": lambda o: scipy_special().logsumexp(o.m, axis=1),
    "take rows": lambda o: np.take(o.m, np.arange(o.m.shape[0]-1, -1, -2), axis=0),
    "take columns": lambda o: np.take(o.m, np.arange(o.m.shape[1]-1, -1, -2), axis=1),
    "take_along_axis": lambda o: np.take_along_axis(o.m, np.argsort(o.m, axis=1, kind="stable"), axis=1),
    "compress axis 1": lambda o: np.compress(o.m[0] > 0, o.m, axis=1),
    "masked_fill": lambda o: filled(o),
    "argsort axis 0": lambda o: np.argsort(o.m, axis=0, kind="stable"),
    "sort axis 0": lambda o: np.sort(o.m, axis=0),
    "sort axis 1": lambda o: np.sort(o.m, axis=1),
    "unique_counts": lambda o: np.unique(o.i64, return_counts=True)[1],
    "unique_slices": lambda o: np.unique(o.quadruples, axis=0),
    "set_intersection": lambda o: np.intersect1d(*o.thousands),
    "mean axis 0": lambda o: o.m.mean(0),
    "var axis 0": lambda o: o.m.var(0),
    "var axis 1": lambda o: o.m.var(1),
    "norm": lambda o: np.linalg.norm(o.x),
    "norm axis 1": lambda o: np.linalg.norm(o.m, axis=1),
    "norm axis 0": lambda o: np.linalg.norm(o.m, axis=0),
    "prod axis 0": lambda o: o.m.prod(0),
    "any": lambda o: float((o.x > 80).any()),
    "count": lambda o: np.count_nonzero(o.x > 3),
    "all axis 0": lambda o: (o.m > -80).all(0),
    "and of masks": lambda o: (o.x > 3) & (o.y > 3),
    "not of mask": lambda o: ~(o.x > 3),
    "i64 & i64": lambda o: o.i64 & o.other64,
    "i64 rem_euclid 3": lambda o: o.i64 % 3,
    "floor": lambda o: np.floor(o.x),
    "round": lambda o: np.rint(o.x),
    "signum": lambda o: np.sign(o.i64),
    "is_nan": lambda o: np.isnan(o.x),
    "all_close": lambda o: float(np.allclose(o.x, o.y, 1e9, 1e9)),
    "dot": lambda o: o.x @ o.y,
    "matrix · vector": lambda o: o.m @ o.m2[0],
    "vector · matrix": lambda o: o.m2[:, 0].copy() @ o.m,
    "outer": lambda o: np.outer(o.x[:math.isqrt(o.n)], o.x[:math.isqrt(o.n)]),
    "kron 2": lambda o: np.kron(np.array([[1.0, 2.0], [3.0, 4.0]]), o.m),
    "sum of i64": lambda o: o.i64.sum(),
    "sum of u8": lambda o: o.u8.sum(),
    "sum of i32": lambda o: o.i32.sum(),
    "sum of u8 over axis 0": lambda o: matrix(o.u8).sum(0),
    "sum of i32 over axis 0": lambda o: matrix(o.i32).sum(0),
    "sum of c64": lambda o: o.cx.sum(),
    "max of i32": lambda o: o.i32.max(),
    "max of u8": lambda o: o.u8.max(),
    "mean of i32": lambda o: o.i32.mean(),
    "ptp": lambda o: np.ptp(o.x),
    "average axis 1": lambda o: np.average(o.m, axis=1, weights=np.abs(o.m2[0])),
    "arange": lambda o: np.arange(o.n, dtype=float),
    "linspace": lambda o: np.linspace(0, 1, o.n),
    "full": lambda o: np.full(o.n, 7.0),
    "zeros": lambda o: np.zeros(o.n),
    "eye": lambda o: np.eye(math.isqrt(o.n)),
    "clone": lambda o: o.x.copy(),
    "re of c64": lambda o: o.cx.real.copy(),
    "to_order col": lambda o: np.asfortranarray(o.m).sum(),
    "fftshift": lambda o: np.fft.fftshift(o.m),
    "fft2": lambda o: scipy_fft().fft2(o.cm, workers=1),
    "sum axes 0 2 of rank 3": lambda o: o.x.reshape(20, -1, 20).sum((0, 2)),
    "transpose of rank 3": lambda o: o.x.reshape(20, -1, 20).transpose(2, 0, 1).copy(),
    "trace of rank 3": lambda o: np.trace(o.x.reshape(20, -1, 20), axis1=0, axis2=2),
    "scalar minus": lambda o: 10 - o.x,
    "in place add": lambda o: added_in_place(o),
    "powf 0.5": lambda o: np.abs(o.x) ** 0.5,
    "column scaled": lambda o: o.m * o.m[:, :1],
    "row mean removed": lambda o: o.m - o.m.mean(axis=1, keepdims=True),
    "one_hot": lambda o: np.eye(10)[o.digits],
    "meshgrid": lambda o: np.meshgrid(o.x[:math.isqrt(o.n)], o.x[:math.isqrt(o.n)], indexing="ij", copy=False)[0].copy(),
    "windows sum": lambda o: np.lib.stride_tricks.sliding_window_view(o.x, 5).sum(1),
    "linalg det": lambda o: np.linalg.det(o.squares("f64")[0]),
    "linalg inv": lambda o: np.linalg.inv(o.squares("f64")[0])[0],
    "linalg cholesky": lambda o: np.linalg.cholesky(o.positive_definite)[-1],
    "linalg lstsq": lambda o: np.linalg.lstsq(o.squares("f64")[0][:, :10], o.squares("f64")[0][:, 10], rcond=None)[0],
    "linalg matrix_power 5": lambda o: np.linalg.matrix_power(o.squares("f64")[0], 5)[0],
    "linalg singular_values": lambda o: np.linalg.svd(o.squares("f64")[0], compute_uv=False),
    "linalg eig": lambda o: np.abs(np.linalg.eig(o.squares("f64")[0])[0]).sum(),
    "linalg eigvalsh": lambda o: np.linalg.eigvalsh(o.squares("f64")[1]),
    "linalg pinv": lambda o: np.linalg.pinv(o.squares("f64")[0][:, :10].copy()),
    "matmul": lambda o: o.squares("f64")[0] @ o.squares("f64")[0],
}
ROWS |= CATALOGUE

# Expected results of rows in which the results of the libraries differ. NumPy rounds integer quotients down, Rust rounds them towards
# zero.
CHECKED_AS = {
    "i32 / 7": lambda o: np.trunc(o.i32 / 7),
    "i64 / 7": lambda o: np.trunc(o.i64 / 7),
    "i32 / -10": lambda o: np.trunc(o.i32 / -10),
    "i32 / i32": lambda o: np.trunc(o.i32 / o.divisor32),
    # The indices of equal elements can differ: vierbein's `argsort` is stable, and NumPy's default is not.
    **{f"argsort of random {t}": lambda o, t=f"random_{t}": np.argsort(getattr(o, t), kind="stable") for t in ["f32", "i32"]},
    **{f"argsort of lines of 100 {t}": lambda o, t=f"random_{t}": np.argsort(getattr(o, t).reshape(-1, 100), axis=1, kind="stable") for t in ["f32", "i32"]},
}


def sample(result, name, o):
    """Returns the elements of a result that are compared: the same ones that the trait `Look` in src/main.rs selects."""
    if name == "uniform random numbers":
        return [round(result.mean() * 20)]
    result = o.x if result is None else result
    flat = np.asarray(result).reshape(-1)
    return [float(flat[k * flat.size // 12].real + flat[k * flat.size // 12].imag) for k in range(12)]


def tolerance(name, is_matrix):
    """Returns the relative difference that the results of a row may have."""
    if "c32" in name:
        return 1e-4
    if "f32" in name or is_matrix:
        return 1e-6
    # Sums cancel in part, and the libraries add in different orders.
    return 1e-9 if "vdot" in name or name in CATALOGUE else 1e-12


def main():
    program = Path(__file__).parent / "target/release/vierbein-numpy"
    server = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(*words):
        server.stdin.write("\t".join(map(str, words)) + "\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        if not answer:
            sys.exit(f"{words}: no answer")
        return answer.rstrip("\n").split("\t")

    names = ask("list")
    assert sorted(names) == sorted(ROWS), set(names) ^ set(ROWS)
    library, rows = f"NumPy {np.__version__}", ROWS
    if options.pytorch:
        version, rows = pytorch_rows()
        library, names = f"PyTorch {version}", [name for name in names if name in rows]
    print(f"{library}, threads: {options.threads}{', AVX2' if options.avx2 else ''}")
    for n in map(int, options.sizes.split(",")):
        o = Operands(n)
        for name in names:
            if options.rows and not any(part in name for part in options.rows):
                continue
            is_matrix = name.split()[0] in LINEAR_ALGEBRA or name.startswith("linalg")
            if is_matrix and n > LARGEST_MATRIX:
                continue
            f = rows[name]
            theirs = sample(CHECKED_AS.get(name, f)(o), name, o)
            own = [float(v) for v in ask("check", name, n)]
            np.testing.assert_allclose(own, theirs, rtol=tolerance(name, is_matrix), atol=1e-9 if "fft" in name or name in CATALOGUE else 0, err_msg=name)
            start = time.perf_counter()
            f(o)
            repeats = max(1, int(options.sample_ms / 1e3 / (time.perf_counter() - start)))
            numpy, vierbein = [], []
            for _ in range(options.rounds):
                start = time.perf_counter()
                for _ in range(repeats):
                    f(o)
                numpy.append((time.perf_counter() - start) / repeats)
                vierbein.append(float(ask("time", name, n, repeats)[0]) / repeats)
            a, b = statistics.median(numpy), statistics.median(vierbein)
            row = (name, n, f"{a * 1e6:.1f}", f"{b * 1e6:.1f}", f"{b / a:.2f}", f"{min(vierbein) / min(numpy):.2f}")
            print("| " + " | ".join(map(str, row)) + " |" if options.markdown else "{:32}{:>9}{:>10}{:>10}{:>7}{:>7}".format(*row), flush=True)
        o.remove_files()


main()
