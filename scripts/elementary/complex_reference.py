"""Writes tests/data/elementary/complex.tsv: elementary functions of complex numbers with correctly rounded parts.

Run:  python complex_reference.py     (needs mpmath; a minute; writes tests/data/elementary/complex.tsv)

Columns, separated by tabs: function, type, bits of the argument's real and imaginary part in hexadecimal, exponent or -, bits of the
expected result's real and imaginary part. The exponent of powc is complex: the bits of its parts, separated by a space. Special values are those of C99, Annex G. An expected NaN stands for any NaN.
"""
import math
import os
import random

import mpmath
from mpmath import mp, mpc, mpf
from reference import FORMATS, INF, NAN, from_bits, round_to, step, to_bits, to_type

random.seed(20261122)
FUNCTIONS = {
    "sqrt": mpmath.sqrt, "exp": mpmath.exp, "exp2": lambda z: mpmath.exp(z * mp.ln2), "ln": mpmath.log,
    "log2": lambda z: mpmath.log(z) / mp.ln2, "log10": lambda z: mpmath.log(z) / mp.ln10, "sin": mpmath.sin, "cos": mpmath.cos,
    "tan": mpmath.tan, "asin": mpmath.asin, "acos": mpmath.acos, "atan": mpmath.atan, "sinh": mpmath.sinh, "cosh": mpmath.cosh,
    "tanh": mpmath.tanh, "asinh": mpmath.asinh, "acosh": mpmath.acosh, "atanh": mpmath.atanh,
}
EXPONENTS = [1.7, -0.3, 3.0, -2.0, 0.25, 12.5, 1.0, 2.0, 0.5, -1.0]
COMPLEX_EXPONENTS = [(1.7, 0.6), (-0.3, -2.5), (0.0, 1.0), (0.0, -12.5), (3.0, 0.25), (-0.5, 1e-5), (2.0, 0.0), (40.0, -100.0), (1e-3, 1e3),
                     (250.0, 0.0), (-120.0, 150.0)]
# Pairs (z, w) whose powers are special values, and the powers.
SPECIAL_POWERS = [
    ((0.0, 0.0), (0.0, 0.0), (1.0, 0.0)), ((INF, NAN), (0.0, 0.0), (1.0, 0.0)), ((0.0, 0.0), (1.0, 1.0), (0.0, 0.0)),
    ((-0.0, 0.0), (2.0, -3.0), (0.0, 0.0)), ((0.0, 0.0), (0.0, 1.0), (NAN, NAN)), ((0.0, 0.0), (2.0, 0.0), (0.0, 0.0)),
    ((1.0, 2.0), (NAN, 1.0), (NAN, NAN)), ((NAN, 1.0), (1.0, 1.0), (NAN, NAN)), ((1.0, 2.0), (1.0, INF), (0.0, 0.0)),
    ((INF, 0.0), (-1.0, 2.0), (0.0, 0.0)), ((2.0, 0.0), (3.0, 0.0), (8.0, 0.0)), ((0.5, 0.5), (1.0, 0.0), (0.5, 0.5)),
]
PI = math.pi
# Pairs (argument, result) of C99, Annex G.6, for imaginary parts that are not negative. The results at the conjugate arguments are
# the conjugates. Results whose sign Annex G leaves open are left out.
SPECIAL = {
    "exp": [((0.0, 0.0), (1.0, 0.0)), ((-0.0, 0.0), (1.0, 0.0)), ((2.0, INF), (NAN, NAN)), ((2.0, NAN), (NAN, NAN)), ((INF, 0.0), (INF, 0.0)),
            ((-INF, 2.0), (-0.0, 0.0)), ((INF, 2.0), (-INF, INF)), ((NAN, 0.0), (NAN, 0.0)), ((NAN, 2.0), (NAN, NAN)), ((NAN, NAN), (NAN, NAN))],
    "ln": [((-0.0, 0.0), (-INF, PI)), ((0.0, 0.0), (-INF, 0.0)), ((2.0, INF), (INF, PI / 2)), ((2.0, NAN), (NAN, NAN)), ((-INF, 2.0), (INF, PI)),
           ((INF, 2.0), (INF, 0.0)), ((-INF, INF), (INF, 3 * PI / 4)), ((INF, INF), (INF, PI / 4)), ((INF, NAN), (INF, NAN)),
           ((-INF, NAN), (INF, NAN)), ((NAN, 2.0), (NAN, NAN)), ((NAN, INF), (INF, NAN)), ((NAN, NAN), (NAN, NAN))],
    "sqrt": [((0.0, 0.0), (0.0, 0.0)), ((-0.0, 0.0), (0.0, 0.0)), ((2.0, INF), (INF, INF)), ((NAN, INF), (INF, INF)), ((INF, INF), (INF, INF)),
             ((2.0, NAN), (NAN, NAN)), ((-INF, 2.0), (0.0, INF)), ((INF, 2.0), (INF, 0.0)), ((INF, NAN), (INF, NAN)), ((NAN, 2.0), (NAN, NAN)),
             ((-4.0, 0.0), (0.0, 2.0)), ((4.0, 0.0), (2.0, 0.0))],
    "sinh": [((0.0, 0.0), (0.0, 0.0)), ((-0.0, 0.0), (-0.0, 0.0)), ((2.0, INF), (NAN, NAN)), ((2.0, NAN), (NAN, NAN)), ((INF, 0.0), (INF, 0.0)),
             ((INF, 2.0), (-INF, INF)), ((NAN, 0.0), (NAN, 0.0)), ((NAN, 2.0), (NAN, NAN)), ((-INF, 2.0), (INF, INF))],
    "cosh": [((0.0, 0.0), (1.0, 0.0)), ((2.0, INF), (NAN, NAN)), ((2.0, NAN), (NAN, NAN)), ((INF, 0.0), (INF, 0.0)), ((INF, 2.0), (-INF, INF)),
             ((NAN, 2.0), (NAN, NAN)), ((-INF, 2.0), (-INF, -INF))],
    "tanh": [((0.0, 0.0), (0.0, 0.0)), ((2.0, INF), (NAN, NAN)), ((2.0, NAN), (NAN, NAN)), ((INF, 2.0), (1.0, -0.0)), ((-INF, 2.0), (-1.0, -0.0)),
             ((NAN, 0.0), (NAN, 0.0)), ((NAN, 2.0), (NAN, NAN)), ((0.0, INF), (0.0, NAN)), ((1e5, 2.0), (1.0, -0.0))],
    "asinh": [((0.0, 0.0), (0.0, 0.0)), ((2.0, INF), (INF, PI / 2)), ((2.0, NAN), (NAN, NAN)), ((INF, 2.0), (INF, 0.0)), ((INF, INF), (INF, PI / 4)),
              ((INF, NAN), (INF, NAN)), ((NAN, 0.0), (NAN, 0.0)), ((NAN, 2.0), (NAN, NAN)), ((-INF, 2.0), (-INF, 0.0))],
    "acosh": [((0.0, 0.0), (0.0, PI / 2)), ((-0.0, 0.0), (0.0, PI / 2)), ((2.0, INF), (INF, PI / 2)), ((2.0, NAN), (NAN, NAN)),
              ((-INF, 2.0), (INF, PI)), ((INF, 2.0), (INF, 0.0)), ((-INF, INF), (INF, 3 * PI / 4)), ((INF, INF), (INF, PI / 4)),
              ((INF, NAN), (INF, NAN)), ((-INF, NAN), (INF, NAN)), ((NAN, 2.0), (NAN, NAN)), ((NAN, INF), (INF, NAN))],
    "acos": [((0.0, 0.0), (PI / 2, -0.0)), ((-0.0, 0.0), (PI / 2, -0.0)), ((0.0, NAN), (PI / 2, NAN)), ((2.0, INF), (PI / 2, -INF)),
             ((2.0, NAN), (NAN, NAN)), ((-INF, 2.0), (PI, -INF)), ((INF, 2.0), (0.0, -INF)), ((-INF, INF), (3 * PI / 4, -INF)),
             ((INF, INF), (PI / 4, -INF)), ((NAN, 2.0), (NAN, NAN)), ((NAN, INF), (NAN, -INF))],
    "atanh": [((0.0, 0.0), (0.0, 0.0)), ((0.0, NAN), (0.0, NAN)), ((1.0, 0.0), (INF, 0.0)), ((2.0, INF), (0.0, PI / 2)), ((2.0, NAN), (NAN, NAN)),
              ((INF, 2.0), (0.0, PI / 2)), ((INF, INF), (0.0, PI / 2)), ((INF, NAN), (0.0, NAN)), ((NAN, 2.0), (NAN, NAN)), ((-1.0, 0.0), (-INF, 0.0))],
}
# For these functions f and g: f(z) = -i g(i z).
TURNED = {"sin": "sinh", "tan": "tanh", "asin": "asinh", "atan": "atanh"}


def special(name):
    if name in TURNED:
        # The table has the value of g at w = re + i im. For z = -i w, f(z) = -i g(w).
        for (re, im), (x, y) in special(TURNED[name]):
            yield (im, -re), (y, -x)
        return
    for (re, im), (x, y) in SPECIAL.get(name, []):
        yield (re, im), (x, y)
        yield (re, -im), (x, -y)


def exact(name, x, y, n, t):
    """Returns the real and imaginary part of the function, or of z to the power n, each rounded once. A part of z that is zero is replaced
    by a tiny number of the same sign. So the result is on the right side of a branch cut, and a zero in the result has the right sign."""
    tiny = mpf(2)**-4000
    z = mpc(mpf(x) if x else tiny * math.copysign(1, x), mpf(abs(y)) if y else tiny)
    if isinstance(n, mpc) and math.copysign(1, y) < 0:
        n = n.conjugate()
    w = FUNCTIONS[name](z) if n is None else mpmath.exp(n * mpmath.log(z))
    parts = (w.real, w.imag * math.copysign(1, y))
    return tuple(round_to(v if abs(v) > mpf(2)**-3000 else mpf(0), t, zero_sign=-1.0 if v < 0 else 1.0) for v in parts)


def arguments(name, t):
    _, _, _, digits, lowest, most = FORMATS[t]
    points = []

    def number(low, high):
        return to_type(random.choice((-1, 1)) * 2.0**random.uniform(low, high), t)

    for _ in range(9):
        points.append((to_type(random.uniform(-3, 3), t), to_type(random.uniform(-3, 3), t)))
        points.append((number(-digits, 5), number(-digits, 5)))
        points.append((number(-3, 3), number(-digits, -3)))
        points.append((number(-digits, -3), number(-3, 3)))
    growing = name in ("exp", "exp2", "sin", "cos", "tan", "sinh", "cosh", "tanh")
    if growing:
        top = most * (1 if name == "exp2" else math.log(2))
        for _ in range(6):
            a, b = to_type(random.uniform(-1, 1) * top, t), to_type(random.uniform(-30, 30), t)
            points += [(a, b), (b, a)]
            a = to_type(random.choice((-1, 1)) * random.uniform(1, 1.02) * top, t)
            points += [(a, b), (b, a)]
        far = to_type(1e5 if t == "f32" else 1e9, t)
        points += [(1.5, far), (-0.5, -far), (far, 1.5), (-far, -0.25)]
        if name in ("sin", "cos", "tan"):
            points = [(x, y) for x, y in points if abs(y) < 2 * top]
        else:
            points = [(x, y) for x, y in points if abs(x) < 2 * top]
    else:
        for _ in range(6):
            points.append((number(lowest / 2, most / 2), number(lowest / 2, most / 2)))
            size = random.uniform(lowest + digits + 4, most - 4)
            points.append((number(size - 2, size), number(size - 2, size)))
        for k in range(2, digits, 6):
            a = random.uniform(0, 2 * PI)
            r = 1 + random.choice((-1, 1)) * 2.0**-k
            points.append((to_type(r * math.cos(a), t), to_type(r * math.sin(a), t)))
            d, e = 2.0**-k * random.uniform(-1, 1), 2.0**-k * random.uniform(-1, 1)
            points += [(to_type(1 + d, t), to_type(e, t)), (to_type(-1 + d, t), to_type(e, t)), (to_type(d, t), to_type(1 + e, t))]
        points += [(1.0, 2.0**(lowest // 2)), (1.0, 2.0**(lowest + 5)), (0.6, 0.8), (step(1.0, 1, t), 2.0**(lowest + 60))]
        points += [(x, y) for x in (0.5, -0.5, 2.0, -2.0, 1e10, -1e10) for y in (0.0, -0.0)]
        if name in ("asinh", "atan"):
            points += [(0.0, 0.5), (0.0, 2.0), (0.0, -3.0)]
    return [(to_type(x, t), to_type(y, t)) for x, y in points]


def main():
    rows = []
    mp.prec = 5000

    def add(name, z, n, w):
        z, w = [to_type(x, t) for x in z], [to_type(x, t) for x in w]
        exponent = "-" if n is None else " ".join(to_bits(x, t) for x in n) if name == "powc" else repr(n)
        rows.append((name, t, *(to_bits(x, t) for x in z), exponent, *(to_bits(x, t) for x in w)))

    for t in ("f64", "f32"):
        for name in FUNCTIONS:
            for x, y in arguments(name, t):
                add(name, (x, y), None, exact(name, x, y, None, t))
            for z, w in special(name):
                add(name, z, None, w)
        for n in EXPONENTS:
            for x, y in arguments("powf", t)[:24]:
                add("powf", (x, y), n, exact("powf", x, y, mpf(to_type(n, t)), t))
    for t in ("f64", "f32"):
        for z, w, power in SPECIAL_POWERS:
            add("powc", z, w, power)
        for w in COMPLEX_EXPONENTS:
            w = tuple(to_type(x, t) for x in w)
            points = arguments("powf", t)
            for x, y in points[:12] + random.sample(points[12:], 10):
                add("powc", (x, y), w, exact("powc", x, y, mpc(*w), t))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/data/elementary/complex.tsv"), "w") as file:
        file.write("# Written by scripts/elementary/complex_reference.py. function, type, argument bits, exponent, expected bits\n")
        file.writelines("\t".join(row) + "\n" for row in rows)
    print(len(rows), "rows")


if __name__ == "__main__":
    main()
