"""Writes tests/data/ranges.tsv: results of functions for arguments of all magnitudes, correctly rounded, computed with mpmath.

    python3 scripts/elementary/ranges.py > tests/data/ranges.tsv

Each row has a function, a type, the largest error that the test allows, in units in the last place, and the bits of the arguments and of
the result. Complex numbers have two parts. Real exponents of powers are integers.
"""
import math
import random
import struct

import mpmath
from mpmath import mp, mpc, mpf

mp.prec = 3000
FORMATS = {"f32": ("<f", "<I", 24, -149, 128), "f64": ("<d", "<Q", 53, -1074, 1024)}


def bits(x, kind):
    value, word = FORMATS[kind][:2]
    return hex(struct.unpack(word, struct.pack(value, x))[0])


def rounded(x, kind):
    """Returns the nearest number of a format: a float, which may be infinite."""
    _, _, digits, least, most = FORMATS[kind]
    if x == 0:
        return 0.0
    exponent = max(int(mpmath.floor(mpmath.log(abs(x), 2))) + 1 - digits, least)
    scaled = mpmath.ldexp(x, -exponent)
    n = int(mpmath.nint(scaled))
    if n.bit_length() + exponent > most:
        return math.copysign(math.inf, n)
    return math.ldexp(n, exponent) if n.bit_length() <= 53 else math.inf


def number(rng, kind, low=None, high=None):
    """Returns a number whose exponent is uniformly distributed."""
    _, _, digits, least, most = FORMATS[kind]
    low, high = least if low is None else low, most - 1 if high is None else high
    mantissa = rng.choice([1.0, 1.5, rng.uniform(1, 2), rng.uniform(1, 2), rng.uniform(1, 2)])
    x = math.ldexp(mantissa, rng.randint(low, high)) * rng.choice([1, -1])
    return rounded(mpf(x), kind)


def pair(rng, kind):
    """Returns the parts of a complex number: of similar magnitude, of arbitrary magnitudes, or with a zero part."""
    way, re = rng.randrange(5), number(rng, kind)
    if way < 3:
        im = rounded(mpf(re) * mpf(number(rng, "f64", -6, 6)), kind)
    else:
        im = number(rng, kind) if way == 3 else 0.0
    parts = (re, im) if rng.random() < 0.5 else (im, re)
    return parts if all(map(math.isfinite, parts)) else pair(rng, kind)


def usable(parts, kind):
    """Returns whether no part of a result is infinite or subnormal."""
    smallest = math.ldexp(1.0, FORMATS[kind][3] + FORMATS[kind][2] - 1)
    return all(math.isfinite(x) and (x == 0 or abs(x) >= smallest) for x in parts)


def row(name, kind, allowed, arguments, parts, is_complex=True):
    fields = [name, "c" + kind[1:] if is_complex else kind, str(allowed)] + [x if isinstance(x, str) else bits(x, kind) for x in arguments]
    print("\t".join(fields + ["->"] + [bits(x, kind) for x in parts]))


def quotients(rng, name, kind, count):
    while count:
        a, b = pair(rng, kind), pair(rng, kind)
        if name == "recip":
            a = (1.0, 0.0)
        if name == "unscale":
            b = (number(rng, kind), 0.0)
        x, y, c, d = map(mpf, a + b)
        terms, square = [(x * c, y * d), (y * c, -x * d)], c * c + d * d
        # Rows whose terms cancel are left out: there the error is relative to the terms.
        if square == 0 or any(abs(p + q) * 3 < 2 * (abs(p) + abs(q)) for p, q in terms):
            continue
        parts = [rounded((p + q) / square, kind) for p, q in terms]
        if not usable(parts, kind) or parts == [0.0, 0.0]:
            continue
        # A part that rounds to zero, although it is not zero, is below the range.
        if any(part == 0 and p + q != 0 for part, (p, q) in zip(parts, terms)):
            continue
        count -= 1
        row(name, kind, 4, b if name == "recip" else a + b, parts)


def powers(rng, kind, is_complex, count):
    while count:
        n = rng.choice([-1, -1, -2, -2, -3, -4, -7, -15, 3, 3, 4, 5, 6, 7, 8, 11, 15, 16, 23, -23, 100, -100, 1000])
        _, _, digits, least, most = FORMATS[kind]
        if is_complex:
            span = max(2, most // abs(n))
            size = number(rng, kind, max(-span - 4, least), min(span, most - 1))
            a = (size, rounded(mpf(size) * mpf(number(rng, "f64", -4, 4)), kind))
            if not all(map(math.isfinite, a)):
                continue
            z = mpc(*a) ** n
            parts = [rounded(z.real, kind), rounded(z.imag, kind)]
        else:
            span = max(2, most // abs(n))
            a = (number(rng, kind, max(-span - 4, least), min(span, most - 1)),)
            parts = [rounded(mpf(a[0]) ** n, kind)]
        if not usable(parts, kind) or 0.0 in parts:
            continue
        count -= 1
        row("powi", kind, 2 if is_complex else 1, (str(n),) + a, parts, is_complex)


def functions(rng, kind, count):
    while count:
        y, x = number(rng, kind), number(rng, kind)
        if rng.random() < 0.3:
            x = rounded(mpf(y) * mpf(number(rng, "f64", -8, 8)), kind)
        part = rounded(mpmath.atan2(mpf(y), mpf(x)), kind)
        if math.isfinite(x) and usable([part], kind) and part != 0:
            count -= 1
            row("atan2", kind, 1, (y, x), [part], False)


def complex_functions(rng, name, kind, count):
    while count:
        if name == "sqrt":
            a = pair(rng, kind)
        else:
            limit = FORMATS[kind][4]
            re = rng.choice([0.0, rng.uniform(-limit, limit), rng.uniform(-3, 3), number(rng, kind, -60, 3)])
            a = (rounded(mpf(re), kind), number(rng, kind) if rng.random() < 0.7 else number(rng, kind, -5, 12))
        z = mpc(*map(mpf, a))
        w = mpmath.sqrt(z) if name == "sqrt" else mpf(2) ** z.real * mpc(mpmath.cos(z.imag * mp.ln2), mpmath.sin(z.imag * mp.ln2))
        parts = [rounded(w.real, kind), rounded(w.imag, kind)]
        if usable(parts, kind):
            count -= 1
            row(name, kind, 2, a, parts)


def near_zero(rng, name, kind, count):
    while count:
        way = rng.randrange(4)
        if name == "exp_m1":
            limit = 80 if kind == "f32" else 700
            a = (number(rng, kind, -60, 2), number(rng, kind, -60, 4)) if way else (rng.uniform(-limit, limit), number(rng, kind, -9, 12))
        elif way == 0:
            # The modulus of 1 + z is near 1.
            angle = rng.uniform(-3, 3)
            a = (math.cos(angle) - 1 + rng.uniform(-1, 1) * 10 ** -rng.uniform(1, 20), math.sin(angle))
        elif way == 1:
            a = (-1 + number(rng, kind, -60, 2), number(rng, kind, -60, 2))
        else:
            a = pair(rng, kind)
        a = tuple(rounded(mpf(part), kind) for part in a)
        z = mpc(*map(mpf, a))
        w = mpmath.expm1(z) if name == "exp_m1" else mpmath.log1p(z)
        if name == "exp_m1":
            # mpmath loses digits of one part if the other one is much larger.
            w = mpc(mpmath.exp(z.real) * mpmath.cos(z.imag) - 1, mpmath.exp(z.real) * mpmath.sin(z.imag))
        else:
            w = mpc(mpmath.log((1 + z.real) ** 2 + z.imag ** 2) / 2, mpmath.atan2(z.imag, 1 + z.real))
        parts = [rounded(w.real, kind), rounded(w.imag, kind)]
        if usable(parts, kind):
            count -= 1
            row(name, kind, 4, a, parts)


def main():
    rng = random.Random(89)
    print("# Written by scripts/elementary/ranges.py. function, type, allowed error, argument bits, expected bits")
    for kind in ["f64", "f32"]:
        for name in ["quotient", "unscale", "recip"]:
            quotients(rng, name, kind, 120)
        for is_complex in [False, True]:
            powers(rng, kind, is_complex, 150)
        functions(rng, kind, 150)
        for name in ["sqrt", "exp2"]:
            complex_functions(rng, name, kind, 120)
        for name in ["exp_m1", "ln_1p"]:
            near_zero(rng, name, kind, 150)


main()
