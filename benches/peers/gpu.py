#!/usr/bin/env python3
"""Times the cases of `gpu_bench` in PyTorch and CuPy, with the same names and in the same way.

    gpu.py [--quick] [--seconds N] [--dtype f64] LIBRARY..      LIBRARY: torch, cupy, or numpy (no GPU: to try this script)

Prints a line of JSON for each case: its name, the element type, the library and the microseconds of a call. As in `gpu_bench`, calls that
take about 10 ms together are queued between two events, and the time is the median of 7 rounds. Before a case is timed, the library
computes the case at a small size, and the result is compared with NumPy's in double precision. After `--seconds`, no further case begins.
"""

import argparse
import json
import statistics
import sys
import time

import numpy as np

DTYPES = {"f64": "float64", "f32": "float32", "Complex<f64>": "complex128"}
ROUNDS = 7


class NumPy:
    """The operations in NumPy: the reference for results, and a replacement of the libraries on machines without a GPU."""

    name = "NumPy"
    xp = np

    def array(self, x):
        return np.array(x)

    def random(self, shape, dtype):
        """Returns an array of random numbers for a measurement."""
        return self.array(filled(shape, dtype, 0))

    def host(self, x):
        return np.asarray(x)

    def add(self, a, b, out=None):
        return np.add(a, b, out=out)

    def copy(self, a):
        return np.copy(a, order="C")

    def assign(self, to, a):
        to[...] = a

    def permute(self, a, axes):
        return np.transpose(a, axes)

    def sum(self, a, axis=None):
        return a.sum(axis=axis)

    def norm(self, a):
        return self.xp.linalg.norm(a)

    def cumsum(self, a, axis):
        return self.xp.cumsum(a, axis=axis)

    def argmax(self, a):
        return a.argmax()

    def full(self, n, value, like):
        return self.xp.full(n, value, dtype=like.dtype)

    def matmul(self, a, b, out=None):
        return self.xp.matmul(a, b, out=out)

    def einsum(self, spec, *operands):
        return self.xp.einsum(spec, *operands)

    def diagonal(self, a, i, j):
        return self.xp.diagonal(a, 0, i, j)

    def trace(self, a, i=0, j=1):
        return self.xp.trace(a, 0, i, j)

    def reshape(self, a, shape):
        return a.reshape(shape)

    def dot(self, a, b):
        return self.xp.dot(a, b)

    def eye(self, n, like):
        return self.xp.eye(n, dtype=like.dtype)

    def seconds(self, calls, run):
        start = time.perf_counter()
        for _ in range(calls):
            run()
        return max(time.perf_counter() - start, 1e-9)


class CuPy(NumPy):
    name = "CuPy"

    def __init__(self):
        import cupy

        self.xp = cupy

    def array(self, x):
        return self.xp.asarray(x)

    def random(self, shape, dtype):
        x = self.xp.random.standard_normal(shape, dtype="float32" if dtype == "float32" else "float64")
        return x + 1j * x if dtype == "complex128" else x

    def host(self, x):
        return self.xp.asnumpy(x)

    def add(self, a, b, out=None):
        return self.xp.add(a, b, out=out)

    def copy(self, a):
        return a.copy(order="C")

    def permute(self, a, axes):
        return self.xp.transpose(a, axes)

    def seconds(self, calls, run):
        start, end = self.xp.cuda.Event(), self.xp.cuda.Event()
        start.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        return max(self.xp.cuda.get_elapsed_time(start, end), 1e-4) * 1e-3


class PyTorch(NumPy):
    name = "PyTorch"

    def __init__(self):
        import torch

        self.xp = torch
        torch.backends.cuda.matmul.allow_tf32 = False

    def array(self, x):
        return self.xp.from_numpy(np.ascontiguousarray(x)).cuda()

    def random(self, shape, dtype):
        return self.xp.randn(shape, dtype=getattr(self.xp, dtype), device="cuda")

    def host(self, x):
        return x.resolve_conj().cpu().numpy()

    def add(self, a, b, out=None):
        return self.xp.add(a, b, out=out)

    def copy(self, a):
        return a.clone(memory_format=self.xp.contiguous_format)

    def assign(self, to, a):
        to.copy_(a)

    def permute(self, a, axes):
        return a.permute(axes)

    def sum(self, a, axis=None):
        return a.sum() if axis is None else a.sum(dim=axis)

    def cumsum(self, a, axis):
        return self.xp.cumsum(a, dim=axis)

    def full(self, n, value, like):
        return self.xp.full((n,), value, dtype=like.dtype, device=like.device)

    def diagonal(self, a, i, j):
        return self.xp.diagonal(a, 0, i, j)

    def trace(self, a, i=0, j=1):
        return a.trace() if a.dim() == 2 else self.xp.diagonal(a, 0, i, j).sum(-1)

    def eye(self, n, like):
        return self.xp.eye(n, dtype=like.dtype, device=like.device)

    def seconds(self, calls, run):
        start = self.xp.cuda.Event(enable_timing=True)
        end = self.xp.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        return max(start.elapsed_time(end), 1e-4) * 1e-3


def filled(shape, dtype, seed):
    """Returns normally distributed numbers, different for each operand; for complex types, in both parts."""
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape)
    if dtype == "complex128":
        x = x + 1j * random.standard_normal(shape)
    return x.astype(dtype)


def vectors(n):
    a, b, c = (n,), (n,), (n,)

    def fused(L, a, b, c):
        return a * b + c * 2

    def fused_into(L, a, b, c, out):
        L.assign(out, a * b + c * 2)
        return out

    def add_assign(L, a, b):
        a += b
        return a

    def assigned(L, out, a):
        L.assign(out, a)
        return out

    return [
        ("a + b {}", [a, b], lambda L, a, b: L.add(a, b)),
        ("a + b into {}", [a, b, c], lambda L, a, b, out: L.add(a, b, out=out)),
        ("a·b + 2c {}", [a, b, c], fused),
        ("a·b + 2c into {}", [a, b, c, a], fused_into),
        ("a += b {}", [a, b], add_assign),
        ("copy into {}", [a, b], assigned),
        ("copy {}", [a], lambda L, a: L.copy(a)),
        ("fill {}", [(1,)], lambda L, a: L.full(n, 2, a)),
    ]


def matrices(n):
    square, half = (n, n), (n, (n + 1) // 2)
    t = (1, 0)

    def copied(L, out, a):
        L.assign(out, a[::2, :])
        return out

    return [
        ("a + row {}", [square, (n,)], lambda L, a, b: L.add(a, b)),
        ("a + row {} into", [square, (n,), square], lambda L, a, b, out: L.add(a, b, out=out)),
        ("a + column {}", [square, (n, 1)], lambda L, a, b: L.add(a, b)),
        ("a + column {} into", [square, (n, 1), square], lambda L, a, b, out: L.add(a, b, out=out)),
        ("a + bᵀ {}", [square, square], lambda L, a, b: L.add(a, L.permute(b, t))),
        ("a + bᵀ {} into", [square] * 3, lambda L, a, b, out: L.add(a, L.permute(b, t), out=out)),
        ("a[:, ::2] + b[:, ::2] {}", [square, square], lambda L, a, b: L.add(a[:, ::2], b[:, ::2])),
        ("a[:, ::2] + b {}", [square, half], lambda L, a, b: L.add(a[:, ::2], b)),
        ("a[:, ::2] + b {} into", [square, half, half], lambda L, a, b, out: L.add(a[:, ::2], b, out=out)),
        ("copy a[::2, :] {}", [square], lambda L, a: L.copy(a[::2, :])),
        ("copy a[::2, :] {} into", [((n + 1) // 2, n), square], copied),
        ("sum a[::2, ::2] {}", [square], lambda L, a: L.sum(a[::2, ::2])),
    ]


def permuted(name, shape, axes):
    def into(L, out, a):
        L.assign(out, L.permute(a, axes))
        return out

    return [
        (name, [shape], lambda L, a: L.copy(L.permute(a, axes))),
        (name + " into", [shape, shape], into),
    ]


def traces(n):
    step = n + 1
    return [
        ("trace {}²", [(n, n)], lambda L, a: L.trace(a)),
        ("δ product {}²", [(n, n), "eye"], lambda L, a, e: L.einsum("ij,ij->", a, e)),
        ("trace by steps {}²", [(n, n)], lambda L, a: L.sum(L.reshape(a, (n * n,))[::step])),
        ("trace by dot {}²", [(n, n), "ones"], lambda L, a, o: L.dot(L.diagonal(a, 0, 1), o)),
    ]


def batched_traces(n, m):
    step, cube = n + 1, (n, m, n)

    def by_steps(L, a):
        flat = L.reshape(L.copy(L.permute(a, (1, 0, 2))), (m, n * n))
        return L.sum(flat[:, ::step], 1)

    return [
        ("trace {}", [cube], lambda L, a: L.trace(a, 0, 2)),
        ("δ product {}", [cube, "eye"], lambda L, a, e: L.einsum("imj,ij->m", a, e)),
        ("by steps {}", [cube], by_steps),
        ("by dot {}", [cube, "ones"], lambda L, a, o: L.einsum("mi,i->m", L.diagonal(a, 0, 2), o)),
    ]


def matmuls(n):
    square, t = (n, n), (1, 0)
    return [
        ("matmul {}", [square, square], lambda L, a, b: L.matmul(a, b)),
        ("matmul {} aᵀ·b", [square, square], lambda L, a, b: L.matmul(L.permute(a, t), b)),
        ("matmul {} a·bᵀ", [square, square], lambda L, a, b: L.matmul(a, L.permute(b, t))),
        ("matmul {} into", [square] * 3, lambda L, a, b, out: L.matmul(a, b, out=out)),
    ]


def einsum(name, spec, *shapes):
    return [(name, list(shapes), lambda L, *operands: L.einsum(spec, *operands))]


def cases(quick, dtype):
    """Yields names, shapes of operands, and functions. `quick` selects small sizes under the same names. As in `gpu_bench`, the cases with
    the largest operands are not run for all element types."""
    real, largest = dtype != "complex128", dtype == "float64"

    def size(n):
        return min(n, 12 + n % 7) if quick else n

    for label, n in [("10³", 1000), ("10⁵", 10**5), ("10⁷", 10**7), ("10⁸", 10**8)][: 4 if largest else 3]:
        yield from ((name.format(label), *rest) for name, *rest in vectors(min(n, 500) if quick else n))
    n = 500 if quick else 10**7

    def scaled(L, b, a):
        b += a * 2
        return b

    def own(L, b):
        b += b * -2
        return b

    yield "b += α·a 10⁷", [(n,), (n,)], scaled
    yield "b += α·b 10⁷", [(n,)], own
    for label, full in [("2000²", 2000), ("8192²", 8192)]:
        yield from ((name.format(label), *rest) for name, *rest in matrices(size(full)))
    for label, full in [("200³", 200), ("400³", 400)]:
        n = size(full)
        yield f"a[kij] + b {label}", [(n,) * 3, (n,) * 3], lambda L, a, b: L.add(L.permute(a, (2, 0, 1)), b)
        yield f"sum a[kij] axis 0 {label}", [(n,) * 3], lambda L, a: L.sum(L.permute(a, (2, 0, 1)), 0)
    for full in [1000, 1024, 4000, 4096, 16384][: 5 if real else 4]:
        yield from permuted(f"transpose {full}²", (size(full),) * 2, (1, 0))
    yield from permuted("ijkl->ljki 30⁴", (5 if quick else 30,) * 4, (3, 1, 2, 0))
    yield from permuted("ijkl->lkji 64⁴", (5 if quick else 64,) * 4, (3, 2, 1, 0))
    yield from permuted("permute 305142 16⁶", (3 if quick else 16,) * 6, (3, 0, 5, 1, 4, 2))
    for label, full in [("10⁷", 10**7), ("10⁸", 10**8)][: 2 if largest else 1]:
        n = min(full, 500) if quick else full
        yield f"sum {label}", [(n,)], lambda L, a: L.sum(a)
        yield f"norm {label}", [(n,)], lambda L, a: L.norm(a)
        if real:
            yield f"argmax {label}", [(n,)], lambda L, a: L.argmax(a)
    for label, full in [("4000²", 4000), ("8192²", 8192)]:
        n = size(full)
        yield f"sum axis 0 {label}", [(n, n)], lambda L, a: L.sum(a, 0)
        yield f"sum axis 1 {label}", [(n, n)], lambda L, a: L.sum(a, 1)
    for label, full in [("100³", 100), ("400³", 400)]:
        yield f"sum ijk->ik {label}", [(size(full),) * 3], lambda L, a: L.sum(a, 1)
    yield "running sum 4096²", [(size(4096),) * 2], lambda L, a: L.cumsum(a, 1)
    yield "running sum 10⁷", [(500 if quick else 10**7,)], lambda L, a: L.cumsum(a, 0)
    for full in [64, 128, 256, 512, 1000, 1024, 2048, 4096, 8192]:
        yield from ((name.format(full), *rest) for name, *rest in traces(size(full)))
    for full, middle in [(64, 64), (256, 64), (1024, 16), (1024, 1024), (2048, 16), (4096, 8), (32, 8192), (64, 2048)]:
        label = f"({full}, {middle}, {full}) over (0, 2)"
        yield from ((name.format(label), *rest) for name, *rest in batched_traces(size(full), size(middle)))
    n, m = size(64), size(2048)
    yield from einsum("iik->k 64·64·2048", "iik->k", (n, n, m))
    for name, spec, shape in [
        ("iij->j 100³", "iij->j", (size(100),) * 3),
        ("ijj->ij 100³", "ijj->ij", (size(100),) * 3),
        ("ijk->ik 100³", "ijk->ik", (size(100),) * 3),
    ]:
        yield from einsum(name, spec, shape)
    yield from einsum("ijk,ijk->ijk 100³", "ijk,ijk->ijk", (size(100),) * 3, (size(100),) * 3)
    for full in [64, 256, 1024, 4096]:
        yield from ((name.format(full), *rest) for name, *rest in matmuls(size(full)))
    n, inner = size(10000), size(32)
    yield "matmul 10000·32·10000", [(n, inner), (inner, n)], lambda L, a, b: L.matmul(a, b)
    yield "matmul 10000·32·10000 into", [(n, inner), (inner, n), (n, n)], lambda L, a, b, out: L.matmul(a, b, out=out)
    n = size(128)
    yield from einsum("aib,bjc->aijc 128, 2", "aib,bjc->aijc", (n, 2, n), (n, 2, n))
    k, n = size(100), size(64)
    yield from einsum("bij,bjk->bik 100·64²", "bij,bjk->bik", (k, n, n), (k, n, n))
    n = 4 if quick else 20
    yield from einsum("ijkl,klmn->ijmn 20⁴", "ijkl,klmn->ijmn", (n,) * 4, (n,) * 4)
    n = size(100)
    yield from einsum("ijk,kl->ijl 100³·100²", "ijk,kl->ijl", (n,) * 3, (n,) * 2)
    el, m, n, o = (size(full) for full in [40, 32, 36, 48])
    yield (
        "abcd,cbe->ade permuted views",
        [(n, el, o, m), (el, m, n)],
        lambda L, a, b: L.einsum("abcd,cbe->ade", L.permute(a, (1, 3, 0, 2)), L.permute(b, (2, 1, 0))),
    )
    n = 500 if quick else 10**7
    yield "dot 10⁷", [(n,), (n,)], lambda L, a, b: L.dot(a, b)


def operands(library, shapes, dtype, random=False):
    """Returns operands on the library's device. An operand has a given shape, or is a unit matrix or a vector of ones with the extent of the
    first operand. The library itself draws `random` operands, which takes less time; otherwise, the same ones are made for all libraries."""
    made = []
    for seed, shape in enumerate(shapes):
        if shape == "eye":
            made.append(library.eye(shapes[0][0], made[0]))
        elif shape == "ones":
            made.append(library.array(np.ones(shapes[0][0], dtype)))
        elif random:
            made.append(library.random(shape, dtype))
        else:
            made.append(library.array(filled(shape, dtype, seed)))
    return made


def check(library, name, shapes, run, dtype):
    """Compares the library's result with that of NumPy in double precision."""
    wide = "complex128" if dtype == "complex128" else "float64"
    found = library.host(run(library, *operands(library, shapes, dtype)))
    expected = np.asarray(run(NumPy(), *operands(NumPy(), shapes, wide)))
    if found.shape != expected.shape or not np.allclose(found, expected, rtol=1e-4, atol=1e-4):
        raise SystemExit(f"{library.name}: {name} in {dtype} is not what NumPy computes")


def measure(library, run, made, quick):
    """Returns the seconds of a call: the median of several rounds."""

    def call():
        run(library, *made)

    call()
    once = library.seconds(1, call)
    calls = 2 if quick else min(max(int(0.01 / once), 5), 2000)
    return statistics.median(library.seconds(calls, call) / calls for _ in range(1 if quick else ROUNDS))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes: of the figures nothing follows")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no case begins later")
    parser.add_argument("--dtype", choices=DTYPES, help="one element type only")
    parser.add_argument("libraries", nargs="+", choices=["torch", "cupy", "numpy"])
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.seconds
    kinds = {"torch": PyTorch, "cupy": CuPy, "numpy": NumPy}
    libraries = []
    for name in arguments.libraries:
        try:
            libraries.append(kinds[name]())
        except ImportError as error:
            print(f"skipped: {name}: {error}", file=sys.stderr)
    late = 0
    for label, dtype in DTYPES.items():
        if arguments.dtype not in (None, label):
            continue
        small = {name: shapes for name, shapes, _ in cases(True, dtype)}
        runs = {name: run for name, _, run in cases(True, dtype)}
        for name, shapes, run in cases(arguments.quick, dtype):
            for library in libraries:
                if time.monotonic() > end:
                    late += 1
                    continue
                try:
                    check(library, name, small[name], runs[name], dtype)
                    seconds = measure(library, run, operands(library, shapes, dtype, random=True), arguments.quick)
                except MemoryError as error:
                    print(f"skipped: {library.name}: {name} in {label}: {error}", file=sys.stderr)
                    continue
                row = {"case": name, "dtype": label, "library": library.name, "us": seconds * 1e6}
                print(json.dumps(row, ensure_ascii=False), flush=True)
    if late:
        print(f"skipped: {late} cases: the time was over", file=sys.stderr)


if __name__ == "__main__":
    main()
