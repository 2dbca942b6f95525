#!/usr/bin/env python3
"""Writes tests/data/fft.tsv: Fourier transforms by NumPy (2 or later), for tests/fft/transforms.rs.

Each line has the function, the shape of the operand, the axes, the lengths (or -), the normalisation, the shape of the result, and
the elements of the result in row-major order. The element of the operand with flat index k (row-major) is
((7 k + 3) mod 11) - 5, and its imaginary part ((5 k + 1) mod 7) - 3 if the operand is complex.
"""

from pathlib import Path

import numpy as np

NORMS = ["backward", "ortho", "forward"]


def operand(shape, is_complex):
    k = np.arange(int(np.prod(shape)))
    real = (7 * k + 3) % 11 - 5.0
    return (real + 1j * ((5 * k + 1) % 7 - 3) if is_complex else real).reshape(shape)


def listed(numbers):
    return ",".join(map(str, numbers)) or "-"


def text(x):
    x = complex(x)
    return f"{x.real:.17g}" if x.imag == 0 else f"{x.real:.17g} {x.imag:.17g}"


def line(name, shape, axes, lens, norm):
    x = operand(shape, name in ("fft", "ifft", "irfft"))
    y = getattr(np.fft, name + "n")(x, s=lens, axes=axes, norm=norm)
    cells = [name, listed(shape), listed(axes), listed(lens or []), norm, listed(y.shape)]
    return "\t".join(cells + [",".join(text(v) for v in y.reshape(-1))])


lines = ["function\tshape\taxes\tlens\tnorm\tresult\telements"]
for name in ["fft", "ifft", "rfft", "irfft"]:
    real = name == "irfft"
    for n in [1, 2, 3, 4, 5, 7, 8, 11, 12, 16]:
        lines.append(line(name, [n // 2 + 1 if real else n], [0], [n] if real else None, NORMS[n % 3]))
    # Padded or cut operands, and transforms along one of several axes.
    for shape, axis, n in [([4], 0, 7), ([4], 0, 6), ([9], 0, 4), ([9], 0, 5), ([3, 4], 0, 5), ([3, 4], 0, 2), ([2, 3, 4], 1, 4), ([2, 3, 4], 2, 3), ([5], 0, 1)]:
        for norm in NORMS:
            lines.append(line(name, shape, [axis], [n], norm))
    # Several axes, in several orders, with and without lengths.
    for shape, axes, lens in [
        ([3, 4], [0, 1], [3, 6 if real else 4]),
        ([3, 4], [1, 0], [4, 5 if real else 3]),
        ([2, 3, 4], [0, 1, 2], [2, 3, 7 if real else 4]),
        ([2, 3, 4], [2, 0], [4, 3 if real else 2]),
        ([2, 3, 4], [0, 2], [3, 5]),
        ([2, 3, 4], [1, 2], [2, 6]),
        ([3, 2], [0, 1], [2, 1]),
        ([3, 5], [1, 0], [7, 6]),
    ]:
        lines.append(line(name, shape, axes, lens, "backward"))
        lines.append(line(name, shape, axes, lens, "ortho"))
path = Path(__file__).resolve().parent.parent / "tests/data/fft.tsv"
path.write_text("\n".join(lines) + "\n")
print(f"{path.name}: {len(lines) - 1} transforms, {path.stat().st_size} bytes")
