#!/usr/bin/env python3
"""Writes tests/data/linalg.tsv: linear algebra by NumPy (2 or later) and SciPy, for tests/linalg/table.rs.

Each line has the function, the kind of the operand, the shape of the operand, the shape of the result, and the elements of the result in
row-major order. A function with several results has one line for each of them. If the name of a function ends in "_with", its argument
follows after a dot.

The element with flat index k (row-major) is ((7 k + 3) mod 11) - 5, and its imaginary part ((5 k + 1) mod 7) - 3 if the operand is
complex. Right-hand sides consist of these elements. For operands, 3.5 is then added to the diagonal of each matrix. From the matrix a that
results, other kinds of operands are made: "hermitian" is a + aᴴ, and "definite" is a · aᴴ plus the identity matrix. "deficient" is a with
its last row replaced by the sum of the other rows.
"""

from pathlib import Path

import numpy as np
import scipy.linalg as sla


def sequence(shape, is_complex):
    k = np.arange(int(np.prod(shape)))
    real = (7 * k + 3) % 11 - 5.0
    return (real + 1j * ((5 * k + 1) % 7 - 3) if is_complex else real).reshape(shape)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def operand(kind, shape):
    a = sequence(shape, kind.startswith("complex"))
    a = a + 3.5 * np.eye(*shape[-2:])
    if "hermitian" in kind:
        return a + adjoint(a)
    if "definite" in kind:
        return a @ adjoint(a) + np.eye(shape[-1])
    if "deficient" in kind:
        a[..., -1, :] = a[..., :-1, :].sum(axis=-2)
    return a


def listed(numbers):
    return ",".join(map(str, numbers)) or "-"


def text(x):
    x = complex(x)
    return f"{x.real:.17g}" if x.imag == 0 else f"{x.real:.17g} {x.imag:.17g}"


lines = ["function\toperand\tshape\tresult\telements"]


def line(name, kind, shape, result):
    result = np.asarray(result)
    elements = ",".join(text(v) for v in result.reshape(-1))
    lines.append("\t".join([name, kind, listed(shape), listed(result.shape), elements]))


def each(f, a):
    """Applies `f`, which returns one array, to each matrix."""
    if a.ndim == 2:
        return f(a)
    return np.stack([each(f, x) for x in a])


def positive_rows(r):
    """Returns the phases by which rows are multiplied so that the diagonal is positive."""
    d = np.diagonal(r)
    return np.conj(d / np.abs(d))


def qr(a, mode="reduced"):
    q, r = np.linalg.qr(a, mode)
    k = min(a.shape)
    phases = np.ones(r.shape[0], dtype=r.dtype)
    phases[:k] = positive_rows(r)
    return q * np.conj(phases), r * phases[:, None]


def lq(a):
    q, r = qr(a.T)
    return r.T, q.T


def rq(a):
    l, q = lq(a[::-1])
    return l[::-1, ::-1], q[::-1]


square = [[1, 1], [2, 2], [3, 3], [5, 5], [2, 3, 3], [2, 1, 3, 2, 2]]
other = [[4, 1], [1, 4], [3, 5], [5, 3], [2, 3, 2], [2, 2, 3]]
for kind in ["real", "complex"]:
    for shape in square:
        a = operand(kind, shape)
        n = shape[-1]
        assert np.linalg.cond(a).max() < 200, (kind, shape, np.linalg.cond(a))
        line("det", kind, shape, np.linalg.det(a))
        sign, logarithm = np.linalg.slogdet(a)
        line("slogdet.0", kind, shape, sign)
        line("slogdet.1", kind, shape, logarithm)
        line("inv", kind, shape, np.linalg.inv(a))
        line("solve.vector", kind, shape, np.linalg.solve(a, sequence([n], kind == "complex")))
        line("solve.matrix", kind, shape, np.linalg.solve(a, sequence([n, 3], kind == "complex")))
        line("solve.lower", kind, shape, np.linalg.solve(np.tril(a), sequence([n, 3], kind == "complex")))
        line("solve.unit_upper", kind, shape, np.linalg.solve(np.triu(a, 1) + np.eye(n), sequence([n, 3], kind == "complex")))
        line("matrix_power.3", kind, shape, np.linalg.matrix_power(a, 3))
        line("matrix_power.-2", kind, shape, np.linalg.matrix_power(a, -2))
        line("expm", kind, shape, each(sla.expm, a / 4))
        line("sqrtm", kind, shape, each(sla.sqrtm, a))
        line("logm", kind, shape, each(sla.logm, a))
        line("eigvals", kind, shape, np.linalg.eigvals(a))
        hermitian, definite = operand(kind + " hermitian", shape), operand(kind + " definite", shape)
        line("eigvalsh", kind + " hermitian", shape, np.linalg.eigvalsh(hermitian))
        line("ldl.det", kind + " hermitian", shape, np.linalg.det(hermitian))
        if np.linalg.cond(hermitian).max() < 500:  # one of them is singular
            line("solve.hermitian", kind + " hermitian", shape, np.linalg.solve(hermitian, sequence([n, 3], kind == "complex")))
        line("cholesky", kind + " definite", shape, np.linalg.cholesky(definite))
        line("solve.definite", kind + " definite", shape, np.linalg.solve(definite, sequence([n, 3], kind == "complex")))
        line("hermitian_map.exp", kind + " hermitian", shape, each(sla.expm, hermitian / 8))
        line("hermitian_map.sqrt", kind + " definite", shape, each(sla.sqrtm, definite))
        pairs = np.concatenate([hermitian, definite], axis=-1)
        values = each(lambda x: sla.eigh(x[:, :n], x[:, n:], eigvals_only=True), pairs)
        line("eigh_generalized", kind, shape, values)
    for shape in square + other:
        a = operand(kind, shape)
        m = shape[-2]
        if kind == "real" and len(shape) == 2:
            p, l, u = sla.lu(a, p_indices=True)
            order = np.empty_like(p)
            order[p] = np.arange(m)
            line("lu.0", kind, shape, l)
            line("lu.1", kind, shape, u)
            line("lu.2", kind, shape, order)
        line("singular_values", kind, shape, np.linalg.svd(a, compute_uv=False))
        line("cond", kind, shape, np.linalg.cond(a))
        line("nuclear_norm", kind, shape, np.linalg.norm(a, "nuc", axis=(-2, -1)))
        line("spectral_norm", kind, shape, np.linalg.norm(a, 2, axis=(-2, -1)))
        line("adjoint", kind, shape, adjoint(a))
        for name, f in [("qr", qr), ("qr_complete", lambda a: qr(a, "complete")), ("lq", lq), ("rq", rq)]:
            for part in [0, 1]:
                if name == "qr_complete" and part == 0 and shape[-2] > shape[-1]:
                    continue  # the additional columns are not determined
                line(f"{name}.{part}", kind, shape, each(lambda x: f(x)[part], a))
        if shape[-2] >= shape[-1]:
            for part in [0, 1]:
                line(f"polar.{part}", kind, shape, each(lambda x: sla.polar(x)[part], a))
    for kind in [kind, kind + " deficient"]:
        for shape in square + other:
            a = operand(kind, shape)
            m = shape[-2]
            line("pinv", kind, shape, np.linalg.pinv(a, rtol=1e-14))
            line("matrix_rank", kind, shape, np.linalg.matrix_rank(a))
            if len(shape) == 2:
                line("lstsq", kind, shape, np.linalg.lstsq(a, sequence([m, 3], "complex" in kind), rcond=None)[0])
            line("lstsq.vector", kind, shape, each(lambda x: np.linalg.pinv(x, rtol=1e-14) @ sequence([m], "complex" in kind), a))
            # Bases of a space are not unique. So these lines have the projection onto the space, which is the same for every
            # orthonormal basis.
            line("null_space", kind, shape, each(lambda x: sla.null_space(x) @ adjoint(sla.null_space(x)), a))
            line("orth", kind, shape, each(lambda x: sla.orth(x) @ adjoint(sla.orth(x)), a))
            relative = 0.3
            s = np.linalg.svd(a, compute_uv=False)
            largest = s[..., :1]
            # No singular value is so close to `relative * largest` that rounding errors decide whether it counts as 0.
            assert ((np.abs(s - relative * largest) > 1e-3 * largest) | (largest == 0)).all(), (kind, shape, s)
            line(f"pinv_with.{relative}", kind, shape, np.linalg.pinv(a, rcond=relative))
            line(f"matrix_rank_with.{relative}", kind, shape, np.linalg.matrix_rank(a, rtol=relative))
            b = sequence([m], "complex" in kind)
            line(f"lstsq_with.{relative}", kind, shape, each(lambda x: np.linalg.lstsq(x, b, rcond=relative)[0], a))
            if len(np.unique(np.linalg.matrix_rank(a, rtol=relative))) > 1:
                continue  # the bases have different shapes
            for name, f in [("null_space", sla.null_space), ("orth", sla.orth)]:
                projection = lambda x: f(x, rcond=relative) @ adjoint(f(x, rcond=relative))
                line(f"{name}_with.{relative}", kind, shape, each(projection, a))
path = Path(__file__).resolve().parent.parent / "tests/data/linalg.tsv"
path.write_text("\n".join(lines) + "\n")
print(f"{path.name}: {len(lines) - 1} lines, {path.stat().st_size} bytes")
