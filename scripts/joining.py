#!/usr/bin/env python3
"""Writes tests/data/joining.txt: NumPy's results of operations that join, cut, repeat, pad and pair, for tests/tensor/oracle/joining.rs.

    scripts/joining.py > tests/data/joining.txt    # needs NumPy 2

Each line has an operation, its arguments, the shape of the operand, the shape of the result and its elements in row-major order,
separated by `|`. The operand's elements are 0, 1, 2, .. in row-major order. If an operation has several operands, their shapes are
separated by `;`, and the numbers continue from each operand to the next. Several results are separated by `;` too.
"""

import numpy as np

SHAPES = [(5,), (1,), (0,), (2, 3), (3, 3), (1, 4), (3, 0), (2, 3, 4), (2, 1, 3)]


def numbers(values):
    return " ".join(str(int(v)) for v in values)


def line(op, arguments, shapes, results):
    shapes = ";".join(numbers(s) for s in shapes)
    results = results if isinstance(results, list) else [results]
    shape = ";".join(numbers(r.shape) for r in results)
    values = ";".join(numbers(r.ravel()) for r in results)
    print("|".join([op, arguments, shapes, shape, values]))


def operand(shape, first=0):
    return np.arange(first, first + np.prod(shape, dtype=int)).reshape(shape)


def main():
    print(f"# NumPy {np.__version__}")
    for shape in SHAPES:
        x, rank = operand(shape), len(shape)
        for axis in range(-rank, rank):
            for by in (0, 1, -1, 2, 7, -8):
                line("roll", f"{axis};{by}", [shape], np.roll(x, by, axis))
            for count in (0, 1, 2, 3):
                line("repeat", f"{axis};{count}", [shape], np.repeat(x, count, axis))
            counts = [(3 * k + 1) % 4 for k in range(shape[axis])]
            line("repeat_each", f"{axis};{numbers(counts)}", [shape], np.repeat(x, counts, axis))
            for times in (0, 1, 2, 9):
                line("diff", f"{axis};{times}", [shape], np.diff(x, times, axis))
            line("flip", f"{axis}", [shape], np.flip(x, axis))
            for length in range(1, shape[axis] + 1):
                windows = np.lib.stride_tricks.sliding_window_view(x, length, axis)
                line("windows", f"{axis};{length}", [shape], windows)
            for parts in range(1, shape[axis] + 1):
                if shape[axis] % parts == 0:
                    line("split", f"{axis};{parts}", [shape], np.split(x, parts, axis))
            for length in sorted({1, 2, shape[axis], shape[axis] + 3}) if shape[axis] else []:
                line("chunks", f"{axis};{length}", [shape], np.split(x, range(length, shape[axis], length), axis))
            n = shape[axis]
            for positions in ([], [0], [n], [n // 2], [n // 3, n // 2, n]):
                line("split_at_each", f"{axis};{numbers(positions)}", [shape], np.split(x, positions, axis))
        line("roll", f"{numbers(range(rank))};{numbers(range(1, rank + 1))}", [shape],
             np.roll(x, tuple(range(1, rank + 1)), tuple(range(rank))))
        line("roll", "0 0;1 1", [shape], np.roll(x, (1, 1), (0, 0)))
        line("flip", numbers(range(rank)), [shape], np.flip(x))
        for counts in ([2] * rank, [1] * rank, [0] + [2] * (rank - 1), [3 - k for k in range(rank)]):
            line("tile", numbers(counts), [shape], np.tile(x, counts))
        for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
            for widths in ([(1, 2)] * rank, [(0, 0)] * rank, [(5, 0)] + [(0, 1)] * (rank - 1)):
                if mode != "constant" and any(n == 0 and sum(w) > 0 for n, w in zip(shape, widths)):
                    continue
                padded = np.pad(x, widths, mode, **({"constant_values": -7} if mode == "constant" else {}))
                line("pad", f"{mode};{numbers(w for pair in widths for w in pair)}", [shape], padded)
        if rank > 1 and x.size:
            for axes in ((0, 1), (-1, 0)):
                for lengths in ((1, 1), (2, 2), (1, 2), tuple(shape[axis] for axis in axes)):
                    if all(length <= shape[axis] for axis, length in zip(axes, lengths)):
                        windows = np.lib.stride_tricks.sliding_window_view(x, lengths, axes)
                        line("windows", f"{numbers(axes)};{numbers(lengths)}", [shape], windows)
        if rank > 1:
            for k in (-9, -1, 0, 1, 2, 9):
                line("tril", f"{k}", [shape], np.tril(x, k))
                line("triu", f"{k}", [shape], np.triu(x, k))
            for a, b in ((0, 1), (1, 0), (-1, 0)):
                for turns in range(-2, 5):
                    line("rot90", f"{turns};{a} {b}", [shape], np.rot90(x, turns, (a, b)))
        for axis in range(-rank, rank):
            other = list(shape)
            other[axis] += 2
            second = operand(other, x.size)
            line("concatenate", f"{axis}", [shape, other, shape],
                 np.concatenate([x, second, operand(shape, x.size + second.size)], axis))
        for axis in range(-rank - 1, rank + 1):
            line("stack", f"{axis}", [shape, shape], np.stack([x, operand(shape, x.size)], axis))
        for extent in (0, 1, 3):
            y = operand((extent,), x.size)
            line("outer_map", "", [shape, (extent,)], np.subtract.outer(x, y))
    # Rank 0. NumPy cannot pad or roll such an array along zero axes.
    x = operand(())
    line("flip", "", [()], np.flip(x))
    line("tile", "", [()], np.tile(x, ()))
    line("windows", ";", [()], np.lib.stride_tricks.sliding_window_view(x, (), ()))
    for axis in (0, -1):
        line("stack", f"{axis}", [(), (), ()], np.stack([operand((), k) for k in range(3)], axis))
    for extent in (0, 1, 3):
        line("outer_map", "", [(), (extent,)], np.subtract.outer(x, operand((extent,), 1)))
    for extents in ((3,), (0,), (2, 3), (5, 1), (0, 3), (3, 1, 5), (2, 0, 3)):
        firsts = np.cumsum((0, *extents))
        axes = [operand((extent,), first) for extent, first in zip(extents, firsts)]
        line("meshgrid", "", [(extent,) for extent in extents], list(np.meshgrid(*axes, indexing="ij")))


main()
