#!/usr/bin/env python3
"""Times operations in vierbein and in NumPy, in turn, and prints times and ratios. Each uses one thread by default.

    cargo build --release && python3 compare.py [--avx2] [--sizes 20000,4000000] [--rounds N] [--threads N] [ROW ..]      ROW: a part of a name

Each line has the median times of NumPy and of vierbein in microseconds, and vierbein's time divided by NumPy's, for the medians and
for the minima: below 1, vierbein is faster. Both libraries allocate a new result in each call. Before a row is timed, a dozen elements
of both results are compared. `--avx2` limits both libraries to AVX2. Rows of Fourier transforms need SciPy, rows of CSV files pandas.
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
parser.add_argument("rows", nargs="*")
options = parser.parse_args()

if options.avx2:
    os.environ["VIERBEIN_SIMD"] = "avx2"
    os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512_ICL AVX512_SPR"
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
        self.positive, self.unit, self.beyond_1 = np.abs(self.x), self.x / 73.0, np.abs(self.x) + 1.0
        self.cx32 = self.cx.astype(np.complex64)
        for name in FUNCTIONS:
            setattr(self, f"{name}32", getattr(self, name).astype(np.float32))
        self.rng = np.random.default_rng(1)
        self.path = Path(tempfile.gettempdir()) / f"vierbein-numpy-{os.getpid()}.npy"
        np.save(self.path, self.x)
        bits = random_bits(n)
        self.random_f64 = (bits >> np.uint64(11)) / 2.0**53
        self.random_f32 = ((bits >> np.uint64(40)) / 2.0**24).astype(np.float32)
        self.random_i64 = bits.astype(np.int64)
        self.random_i32 = (bits >> np.uint64(32)).astype(np.uint32).view(np.int32)
        self.positions = (bits % np.uint64(n)).astype(np.int64)
        self.mask = bits % np.uint64(2) == 0

    # Computed only if a row uses them, because `matrix` fails for some sizes: the number of columns must divide `n`.
    m = functools.cached_property(lambda self: matrix(self.x))
    m2 = functools.cached_property(lambda self: matrix(self.y))
    cm = functools.cached_property(lambda self: matrix(self.cx))

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

# The elementary functions of NumPy, grouped by the operand to which they are applied: all numbers, positive numbers, numbers of
# magnitude below 1, and numbers of at least 1.
FUNCTIONS = {
    "x": ["exp", "exp2", "expm1", "sin", "cos", "tan", "arctan", "sinh", "cosh", "arcsinh", "cbrt"],
    "positive": ["log", "log2", "log10", "log1p", "power 1.7"],
    "unit": ["arcsin", "arccos", "tanh", "arctanh"],
    "beyond_1": ["arccosh"],
}


def function(name, operand):
    if name == "power 1.7":
        return lambda o: np.power(getattr(o, operand), getattr(o, operand).dtype.type(1.7))
    return lambda o: getattr(np, name)(getattr(o, operand))


for operand, names in FUNCTIONS.items():
    for name in names:
        ROWS[name] = function(name, operand)
        ROWS[f"{name} of f32"] = function(name, f"{operand}32")

COMPLEX_FUNCTIONS = ["exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "arcsinh", "arccosh",
                     "arctanh", "power 1.7", "angle"]
for name in COMPLEX_FUNCTIONS:
    ROWS[f"{name} of c64"] = function(name, "cx")
    ROWS[f"{name} of c32"] = function(name, "cx32")
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
    }
ROWS |= {
    "concatenate": lambda o: np.concatenate([o.x, o.y]),
    "roll": lambda o: np.roll(o.x, 1234),
    "take at random positions": lambda o: np.take(o.x, o.positions),
    "scatter_add at random positions": added_at,
    "masked": lambda o: o.x[o.mask],
    "fft over axis 1": lambda o: scipy_fft().fft(o.cm, axis=1, workers=1),
    "fft over axis 0": lambda o: scipy_fft().fft(o.cm, axis=0, workers=1),
    "rfft over axis 1": lambda o: scipy_fft().rfft(o.m, axis=1, workers=1),
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

# Expected results of rows in which the results of the libraries differ. NumPy rounds integer quotients down, Rust rounds them towards
# zero.
CHECKED_AS = {
    "i32 / 7": lambda o: np.trunc(o.i32 / 7),
    "i64 / 7": lambda o: np.trunc(o.i64 / 7),
    "i32 / -10": lambda o: np.trunc(o.i32 / -10),
    "i32 / i32": lambda o: np.trunc(o.i32 / o.divisor32),
    # The indices of equal elements can differ: vierbein's `argsort` is stable, and NumPy's default is not.
    **{f"argsort of random {t}": lambda o, t=f"random_{t}": np.argsort(getattr(o, t), kind="stable") for t in ["f32", "i32"]},
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
    # The products of `vdot` cancel in part.
    return 1e-9 if "vdot" in name else 1e-12


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
    print(f"NumPy {np.__version__}, threads: {options.threads}{', AVX2' if options.avx2 else ''}")
    for n in map(int, options.sizes.split(",")):
        o = Operands(n)
        for name in names:
            if options.rows and not any(part in name for part in options.rows):
                continue
            is_matrix = name.split()[0] in LINEAR_ALGEBRA
            if is_matrix and n > LARGEST_MATRIX:
                continue
            f = ROWS[name]
            theirs = sample(CHECKED_AS.get(name, f)(o), name, o)
            own = [float(v) for v in ask("check", name, n)]
            np.testing.assert_allclose(own, theirs, rtol=tolerance(name, is_matrix), atol=1e-9 if "fft" in name else 0, err_msg=name)
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
