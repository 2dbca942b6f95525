"""Writes tests/data/elementary/real.tsv: difficult arguments of the elementary functions, with correctly rounded results.

Run:  python reference.py     (needs mpmath; a second; writes tests/data/elementary/real.tsv)

Columns, separated by tabs: function, type, bits of the argument in hexadecimal, bits of the second argument or -, bits of the
expected result. Results are computed with 400 to 5000 binary digits and rounded once, to nearest even, also for subnormal
results and overflow. Special values follow C99, Annex F. An expected NaN stands for any NaN.
"""
import math
import os
import random
import struct

import mpmath
from mpmath import mp, mpf

random.seed(20240601)
INF, NAN = math.inf, math.nan
FORMATS = {"f64": ("<d", "<Q", 16, 53, -1074, 1024), "f32": ("<f", "<I", 8, 24, -149, 128)}


def to_bits(x, t):
    f, u, width, *_ = FORMATS[t]
    return f"0x{struct.unpack(u, struct.pack(f, x))[0]:0{width}x}"


def from_bits(b, t):
    f, u, *_ = FORMATS[t]
    return struct.unpack(f, struct.pack(u, b))[0]


def to_type(x, t):
    """Rounds a Python float to the type."""
    if t == "f64" or math.isnan(x) or math.isinf(x):
        return x
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


def round_to(v, t, zero_sign=1.0):
    """Rounds an mpf to the type, to nearest even, with subnormal results and overflow."""
    _, _, _, digits, lowest, most = FORMATS[t]
    if v == 0:
        return math.copysign(0.0, zero_sign)
    sign = -1.0 if v < 0 else 1.0
    v = abs(v)
    _, e = mpmath.frexp(v)
    unit = max(e - digits, lowest)
    scaled = mpmath.ldexp(v, -unit)
    n = int(mpmath.floor(scaled))
    rest = scaled - n
    if rest > 0.5 or (rest == 0.5 and n % 2 == 1):
        n += 1
    if n >= 2**digits and unit + digits >= most or n.bit_length() + unit > most:
        return sign * INF
    return sign * math.ldexp(float(n), unit) if n.bit_length() + unit > -1000 else sign * math.ldexp(n, unit)


def step(x, n, t):
    """Returns the floating-point number that is n steps from x in magnitude."""
    return from_bits(int(to_bits(x, t), 16) + n, t)


FUNCTIONS = {
    "exp": mpmath.exp, "exp2": lambda x: mpf(2)**x, "exp_m1": mpmath.expm1, "ln": mpmath.log, "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "log10": lambda x: mpmath.log(x) / mpmath.log(10), "ln_1p": lambda x: mpmath.log(1 + x), "sin": mpmath.sin, "cos": mpmath.cos,
    "tan": mpmath.tan, "asin": mpmath.asin, "acos": mpmath.acos, "atan": mpmath.atan, "sinh": mpmath.sinh, "cosh": mpmath.cosh,
    "tanh": mpmath.tanh, "asinh": mpmath.asinh, "acosh": mpmath.acosh, "atanh": mpmath.atanh,
    "cbrt": lambda x: mpmath.sign(x) * abs(x)**(mpf(1) / 3),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)), "erf": mpmath.erf, "erfc": mpmath.erfc,
}
# Functions that were added later. Their random arguments are drawn last, so the other functions have the same arguments as before.
DRAWN_LAST = ["sigmoid", "erf", "erfc"]
ODD = ["exp_m1", "ln_1p", "sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "cbrt", "erf"]
# For each function: the results at +inf, -inf and +0, and the domain (None: all numbers). Odd functions keep the sign of a zero.
# "value" stands for the rounded value of the function.
SPECIAL = {
    "exp": (INF, 0.0, 1.0, None), "exp2": (INF, 0.0, 1.0, None), "exp_m1": (INF, -1.0, 0.0, None),
    "ln": (INF, NAN, -INF, (0, None)), "log2": (INF, NAN, -INF, (0, None)), "log10": (INF, NAN, -INF, (0, None)),
    "ln_1p": (INF, NAN, 0.0, (-1, None)), "sin": (NAN, NAN, 0.0, None), "cos": (NAN, NAN, 1.0, None), "tan": (NAN, NAN, 0.0, None),
    "asin": (NAN, NAN, 0.0, (-1, 1)), "acos": (NAN, NAN, "value", (-1, 1)), "atan": ("value", "value", 0.0, None),
    "sinh": (INF, -INF, 0.0, None), "cosh": (INF, INF, 1.0, None), "tanh": (1.0, -1.0, 0.0, None),
    "asinh": (INF, -INF, 0.0, None), "acosh": (INF, NAN, NAN, (1, None)), "atanh": (NAN, NAN, 0.0, (-1, 1)),
    "cbrt": (INF, -INF, 0.0, None),
    "sigmoid": (1.0, 0.0, 0.5, None), "erf": (1.0, -1.0, 0.0, None), "erfc": (0.0, 2.0, 1.0, None),
}
POLES = {("ln_1p", -1.0): -INF, ("atanh", 1.0): INF, ("atanh", -1.0): -INF}


def expected(name, x, t):
    plus_inf, minus_inf, zero, domain = SPECIAL[name]
    if math.isnan(x):
        return NAN
    if math.isinf(x):
        v = plus_inf if x > 0 else minus_inf
        return v if v != "value" else round_to(mpmath.atan(mpf(x)), t)
    if x == 0:
        if zero == "value":
            return round_to(mpmath.acos(mpf(0)), t)
        return x if name in ODD else zero
    if (name, x) in POLES:
        return POLES[name, x]
    if domain and (x < domain[0] or domain[1] is not None and x > domain[1]):
        return NAN
    if name in ("exp", "exp_m1", "exp2", "sinh", "cosh") and abs(x) > 1e6:  # far beyond overflow and underflow
        x = math.copysign(1e6, x)
    if name == "sigmoid" and abs(x) > 1000:
        return 1.0 if x > 0 else 0.0
    if name in ("tanh", "erf", "erfc") and abs(x) > 1000:
        return math.copysign(1.0, x) if name != "erfc" else 0.0 if x > 0 else 2.0
    return round_to(FUNCTIONS[name](mpf(x)), t)  # the only exact zeros are +0: ln(1), acos(1), acosh(1)


def nearest_multiples(t, count):
    """Returns the `count` floating-point numbers that are closest to multiples of pi/2. The convergents of the continued fraction of
    pi/2 / 2^e give numbers m * 2^e close to n * pi/2."""
    _, _, _, digits, _, most = FORMATS[t]
    found = []
    for e in range(-1, most - digits, 1 if t == "f32" else 7):
        unit = mpf(2)**e
        ratio = mp.pi / 2 / unit  # x = m * 2^e = n * pi/2 ; m / n close to ratio
        a, (p0, p1), (q0, q1) = ratio, (0, 1), (1, 0)
        for _ in range(200):
            k = int(mpmath.floor(a))
            p0, p1, q0, q1 = p1, k * p1 + p0, q1, k * q1 + q0
            if p1 >= 2**digits:
                break
            if p1 >= 2**(digits - 1) and q1:
                distance = abs(p1 * unit - q1 * mp.pi / 2)
                found.append((distance, math.ldexp(p1, e)))
            if a == k:
                break
            a = 1 / (a - k)
    found.sort()
    return [x for _, x in found[:count]]


def arguments(name, t):
    _, _, _, digits, lowest, most = FORMATS[t]
    eps = 2.0**(1 - digits)
    least, normal = math.ldexp(1.0, lowest), math.ldexp(1.0, lowest + digits - 1)
    largest = from_bits(int(to_bits(INF, t), 16) - 1, t)
    xs = [0.0, -0.0, INF, -INF, NAN, least, -least, normal, step(normal, -1, t), largest, -largest, 1.0, -1.0, step(1.0, 1, t),
          step(1.0, -1, t), -step(1.0, -1, t), 0.5, step(0.5, 1, t), -0.5, 2.0, eps, -eps]

    def around(*points, steps=(-2, -1, 0, 1, 2)):
        for p in points:
            p = to_type(p, t)
            xs.extend(step(p, n, t) for n in steps)

    def uniform(low, high, count):
        xs.extend(to_type(random.uniform(low, high), t) for _ in range(count))

    ln2 = math.log(2)
    if name in ("exp", "exp_m1"):
        around(most * ln2, (lowest - 1) * ln2, (lowest + digits - 1) * ln2, steps=(-1, 0, 1))
        around(ln2 / 2, -ln2 / 2, -ln2 * digits, ln2 * digits)
        uniform(-20, 20, 10)
        uniform((lowest - 1) * ln2, most * ln2, 10)
    elif name == "exp2":
        around(most, lowest - 1, lowest + digits - 1, steps=(-1, 0, 1))
        around(0.5, -0.5, 1.5, 2.5)
        uniform(-20, 20, 10)
        uniform(lowest, most, 10)
    elif name in ("ln", "log2", "log10", "ln_1p"):
        base = -1.0 if name == "ln_1p" else 0.0
        around(math.sqrt(0.5) + base, math.sqrt(2) + base, math.sqrt(8) + base, 1.5 + base)
        xs.extend(to_type(1.0 + base + random.uniform(-1, 1) * 2.0**-k, t) for k in range(2, digits, 4))
        xs.extend([to_type(10.0**k + base, t) for k in (-2, -1, 1, 2, 3, 10)] + [8.0 + base, 1024.0 + base, 3 * least])
        uniform(1e-3 + base, 100, 10)
    elif name in ("sin", "cos", "tan"):
        xs += nearest_multiples(t, 14)
        xs += [to_type(n * math.pi / 2, t) for n in (1, -1, 2, 3, 4, 5, 11, 1000001)] + [to_type(n * math.pi / 4, t) for n in (1, 3, -5)]
        far = 2.0**22 if t == "f64" else 2.0**12
        around(far, steps=(-1, 0, 1))
        xs += [to_type(x, t) for x in (1e5, 1e10, 1e22, 6381956970095103 * 2.0**797 if t == "f64" else 1e30)]
        uniform(-20, 20, 8)
        uniform(-far, far, 8)
    elif name in ("asin", "acos", "atanh"):
        around(0.5, -0.5, 1.0, -1.0, 0.1716, 1 / 3)
        xs.extend(to_type(1 - random.random() * 2.0**-k, t) for k in range(2, digits, 5))
        xs.extend(to_type(-1 + random.random() * 2.0**-k, t) for k in range(3, digits, 6))
        xs.extend(to_type(random.uniform(-1, 1) * 2.0**-k, t) for k in range(1, digits, 5))
        uniform(-1, 1, 10)
    elif name == "atan":
        around(0.5, 2.4, -2.4, 1e10, steps=(-1, 0, 1))
        xs.extend(to_type(random.uniform(-1, 1) * 2.0**k, t) for k in range(-digits, digits, 6))
        uniform(-10, 10, 10)
    elif name in ("sinh", "cosh", "tanh"):
        top = float(mpmath.acosh(mpf(2)**most)) if name == "cosh" else float(mpmath.asinh(mpf(2)**most))
        around(top, -top, ln2 / 2, -1.5 * ln2, 20.0 if t == "f64" else 9.0)
        xs.extend(to_type(random.uniform(-1, 1) * 2.0**-k, t) for k in range(0, digits, 5))
        uniform(-40, 40, 8)
        uniform(-5, 5, 8)
    elif name in ("asinh", "acosh"):
        around(1.0, math.sqrt(0.5), 0.3535, 1.06, 2.0**28, 2.0**13, steps=(-1, 0, 1))
        xs.extend(to_type(1 + random.random() * 2.0**-k, t) for k in range(0, digits, 4))
        xs.extend(to_type(random.uniform(-1, 1) * 2.0**-k, t) for k in range(0, digits, 5))
        xs.extend(to_type(random.uniform(1, 2) * 2.0**k, t) for k in range(1, most - 1, most // 8))
        uniform(1, 10, 8)
    elif name == "sigmoid":
        around(most * ln2, -most * ln2, (lowest - 1) * ln2, (lowest + digits - 1) * ln2, -ln2 * digits, ln2 * digits, steps=(-1, 0, 1))
        uniform(-5, 5, 20)
        uniform((lowest - 1) * ln2, digits, 20)
    elif name in ("erf", "erfc"):
        around(0.84375, 1.25, 1 / 0.35, 6.0, math.sqrt(most * ln2), math.sqrt((1 - lowest) * ln2), steps=(-1, 0, 1))
        xs.extend(to_type(random.uniform(-1, 1) * 2.0**-k, t) for k in range(1, digits, 4))
        uniform(-6, 6, 20)
        uniform(0, math.sqrt((1 - lowest) * ln2), 10)
    else:  # cbrt
        around(8.0, -27.0, math.sqrt(2), math.sqrt(0.5), 2.0 * math.sqrt(2), steps=(-1, 0, 1))
        xs.extend(to_type(random.uniform(1, 2) * random.choice((-1, 1)) * 2.0**random.randrange(lowest + digits, most), t) for _ in range(15))
        xs.extend(random.randrange(1, 2**(digits - 1)) * least for _ in range(6))
        uniform(-20, 20, 8)
    return xs


def expected_power(x, y, t):
    """Returns x to the power y, with the special cases of C99, F.9.4.4."""
    if y == 0 or x == 1:
        return 1.0
    if math.isnan(x) or math.isnan(y):
        return NAN
    integer = math.isinf(y) is False and y == math.floor(y)
    odd = integer and int(y) % 2 != 0
    if x == 0:
        if y < 0:
            return math.copysign(INF, x) if odd else INF
        return x if odd else 0.0
    if math.isinf(y):
        if x == -1:
            return 1.0
        return INF if (abs(x) > 1) == (y > 0) else 0.0
    if math.isinf(x):
        if x > 0:
            return INF if y > 0 else 0.0
        if y < 0:
            return -0.0 if odd else 0.0
        return -INF if odd else INF
    if x < 0 and not integer:
        return NAN
    sign = -1.0 if x < 0 and odd else 1.0
    exponent = mpf(y) * mpmath.log(abs(mpf(x)))
    if abs(exponent) > 10000:
        return sign * (INF if exponent > 0 else 0.0)
    return sign * round_to(mpmath.exp(exponent), t)


def power_arguments(t):
    _, _, _, digits, lowest, most = FORMATS[t]
    least = math.ldexp(1.0, lowest)
    largest = from_bits(int(to_bits(INF, t), 16) - 1, t)
    odd_limit = 2.0**digits
    pairs = []
    special = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 3.0, -3.0, 2.0, -2.0, 0.5, -0.5]
    pairs += [(x, y) for x in special for y in special]
    pairs += [(-2.0, odd_limit - 1), (-1.0, odd_limit - 1), (-1.0, odd_limit), (-1.0, largest), (-0.0, odd_limit - 1), (-0.0, -(odd_limit - 1)),
              (largest, 1.0), (largest, 2.0), (least, 1.0), (least, -1.0), (least, 0.5), (largest, -1.0), (-least, 3.0), (2.0, most - 1),
              (2.0, most), (2.0, lowest), (2.0, lowest - 1), (-2.0, lowest - 1), (2.0, largest), (0.5, largest), (2.0, least), (10.0, -5.0), (10.0, 22.0)]
    one_up, one_down = step(1.0, 1, t), step(1.0, -1, t)
    pairs += [(one_up, to_type(2.0**(digits - 1), t)), (one_down, to_type(2.0**digits, t)), (one_up, to_type(700 * 2.0**(digits - 1), t)),
              (one_up, to_type(80 * 2.0**(digits - 1), t)), (one_down, largest), (one_up, largest), (one_up, -largest)]
    while len(pairs) < 240:
        x = to_type(random.choice((random.uniform(0.5, 2), random.uniform(1e-3, 100), 1 + random.uniform(-1, 1) * 2.0**-random.randrange(2, 20))), t)
        limit = abs((most if random.random() < 0.5 else -lowest) / math.log2(x)) if x != 1 else 1
        y = to_type(random.choice((random.uniform(-4, 4), random.uniform(-1, 1) * limit, limit * random.choice((-1, 1)) * 0.999)), t)
        pairs.append((x, y))
    return pairs


PAIR_FUNCTIONS = {"atan2": (mpmath.atan2, math.atan2), "hypot": (mpmath.hypot, math.hypot)}


def expected_of_pair(name, x, y, t):
    function, special = PAIR_FUNCTIONS[name]
    if x == 0 or y == 0 or not math.isfinite(x) or not math.isfinite(y):
        # Python's functions return the special values of C99, F.9.1.4 and F.9.4.3. These are exact, or multiples of pi/4.
        value = special(x, y)
        if value == 0 or not math.isfinite(value) or name == "hypot":
            return value
        return round_to(mpf(round(value / (math.pi / 4))) * mp.pi / 4, t)
    return round_to(function(mpf(x), mpf(y)), t, zero_sign=x)


def pair_arguments(t):
    _, _, _, digits, lowest, most = FORMATS[t]
    least = math.ldexp(1.0, lowest)
    normal = math.ldexp(1.0, lowest + digits - 1)
    largest = from_bits(int(to_bits(INF, t), 16) - 1, t)
    special = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, least, -least, normal, largest, -largest]
    pairs = [(x, y) for x in special for y in special]

    def number(scale):
        return to_type(random.choice((-1, 1)) * random.uniform(1, 2) * 2.0**random.uniform(-scale, scale), t)

    for _ in range(60):
        pairs.append((number(1), number(1)))
        pairs.append((number(digits / 2), number(digits / 2)))
        size = 2.0**random.uniform(lowest + 2, most - 3)
        pairs.append((to_type(number(2) * size, t), to_type(number(2) * size, t)))
    for _ in range(20):
        x = number(30)
        pairs += [(x, x), (x, step(x, 1, t)), (step(x, 1, t), x), (x, to_type(2 * x, t)), (x, step(to_type(2 * x, t), 1, t))]
    return pairs


def rows_of(name, t):
    """Returns the rows of a function of one number, without repeated arguments."""
    rows, seen = [], set()
    for x in arguments(name, t):
        b = to_bits(x, t)
        if b not in seen:
            seen.add(b)
            rows.append((name, t, b, "-", to_bits(expected(name, x, t), t)))
    return rows


def main():
    rows = []
    for t in ("f64", "f32"):
        mp.prec = 1500
        for name in FUNCTIONS:
            if name in DRAWN_LAST:
                continue
            mp.prec = 1500 if name in ("sin", "cos", "tan") else 2600 if name in ("exp_m1", "asinh", "acosh", "atanh", "tanh", "sinh", "ln_1p") else 400
            rows += rows_of(name, t)
        mp.prec = 400
        for x, y in power_arguments(t):
            rows.append(("powf", t, to_bits(x, t), to_bits(y, t), to_bits(expected_power(x, y, t), t)))
    for t in ("f64", "f32"):
        mp.prec = 5000
        for name in PAIR_FUNCTIONS:
            for x, y in pair_arguments(t):
                rows.append((name, t, to_bits(x, t), to_bits(y, t), to_bits(expected_of_pair(name, x, y, t), t)))
    for t in ("f64", "f32"):
        for name in DRAWN_LAST:
            rows += rows_of(name, t)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/data/elementary/real.tsv"), "w") as file:
        file.write("# Written by scripts/elementary/reference.py. function, type, argument bits, second argument bits, expected bits\n")
        file.writelines("\t".join(row) + "\n" for row in rows)
    print(len(rows), "rows")


if __name__ == "__main__":
    main()
