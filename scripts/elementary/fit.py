"""Writes src/elementary/coefficients.rs: the polynomial coefficients and constants of the elementary functions.

Run:  python fit.py [NAME ...]     (needs mpmath; a few seconds; writes src/elementary/coefficients.rs; `cargo fmt` then formats it)
With names, it fits only those polynomials, prints their errors and writes no file.

Method: weighted least squares at Chebyshev nodes with 50 digits. The weights are multiplied by the error several times
(Lawson, "Contributions to the theory of linear least maximum approximations", 1961), which moves the fit towards the minimax
polynomial. The first coefficients are then rounded to the target type one by one, and after each rounding the others are fitted
again. The largest weighted error is printed, and written to the doc comment of the polynomial, together with the weight. The weight
is chosen so that the weighted error is roughly the relative error of the elementary function.
"""
import os
import struct
import sys

import mpmath
from mpmath import (asin, atan, cos, cosh, erf, erfc, exp, fabs, floor, frexp, ldexp, log, lu_solve, matrix, mp, mpf, pi, sin, sinh,
                    sqrt, tan, tanh)

mp.dps = 50
LAWSON_STEPS = 6
ROUNDED_ONE_BY_ONE = 3
only = set(sys.argv[1:])
lines = []


class Target:
    """The floating-point type of the coefficients that are being written."""
    name = "f64"


def nearest(x):
    """Rounds to the target type."""
    return float(x) if Target.name == "f64" else struct.unpack("f", struct.pack("f", float(x)))[0]


def nodes(low, high, count):
    """Returns Chebyshev nodes, more than are needed for `count` coefficients."""
    n = 6 * count + 20
    return [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]


def minimax(rows, values, weights):
    """Returns coefficients c, rounded to the target type, for which the largest of |row · c - value| · weight is about minimal. Also
    returns the logarithm of this error."""
    count = len(rows[0])
    lawson = [mpf(1)] * len(rows)
    fixed = []

    def solve():
        k = len(fixed)
        n = count - k
        a, b = matrix(n, n), matrix(n, 1)
        for row, y, w, l in zip(rows, values, weights, lawson):
            y = y - sum(c * q for c, q in zip(fixed, row))
            row, q = row[k:], w * w * l
            for i in range(n):
                b[i] += q * row[i] * y
                for j in range(n):
                    a[i, j] += q * row[i] * row[j]
        return fixed + list(lu_solve(a, b))

    def errors(c):
        return [fabs(sum(x * q for x, q in zip(c, row)) - y) * w for row, y, w in zip(rows, values, weights)]

    for _ in range(LAWSON_STEPS):
        e = errors(solve())
        total = sum(l * x for l, x in zip(lawson, e))
        lawson = [l * x / total for l, x in zip(lawson, e)]
    for _ in range(min(count - 1, ROUNDED_ONE_BY_ONE)):
        fixed.append(mpf(nearest(solve()[len(fixed)])))
    c = [mpf(nearest(x)) for x in solve()]
    return c, float(log(max(errors(c)), 2))


def array(name, doc, c):
    """Writes the coefficients `c` as the constant `name`."""
    lines.append(f"    /// {doc}")
    lines.append(f"    pub(crate) const {name}: [{Target.name}; {len(c)}] = [")
    lines.extend(f"        {nearest(x)!r}," for x in c)
    lines.append("    ];")


def fit(name, meaning, formula, function, weight, low, high, count):
    """Fits `count` coefficients c of sum(c[i] * t**i) to function(t) on [low, high], and writes them as the constant `name`. The error at t
    is multiplied by weight(t). `meaning` and `formula` describe the function and the weight in the doc comment."""
    if only and name not in only:
        return
    ts = nodes(low, high, count)
    rows = [[t**i for i in range(count)] for t in ts]
    c, bits = minimax(rows, [function(t) for t in ts], [mpf(weight(t)) for t in ts])
    print(f"{Target.name} {name}: {count} coefficients, error 2^{bits:.1f}", flush=True)
    array(name, f"{meaning} Maximum of |error| · {formula}: 2^{bits:.1f}.", c)


def fit_tan(numerator_n, denominator_n):
    """Fits n and d with tan(r)/r = (1 + z n(z)) / (1 + z d(z)), z = r^2, and writes their coefficients as two constants. With t = tan(r)/r,
    the fit of z n(z) - t z d(z) to t - 1 is linear. The weight makes the error relative to the tangent; it contains an approximation of
    the denominator."""
    if only and "TAN" not in only:
        return
    count = numerator_n + denominator_n
    # The lowest coefficients of both polynomials come first, because the first coefficients are rounded one by one.
    powers = sorted([(i + 1, 0) for i in range(numerator_n)] + [(i + 1, 1) for i in range(denominator_n)])
    zs = nodes(TINY, Z_QUARTER, count)
    ts = [tan(sqrt(z)) / sqrt(z) for z in zs]
    rows = [[z**i * (-t if below else 1) for i, below in powers] for z, t in zip(zs, ts)]
    c, bits = minimax(rows, [t - 1 for t in ts], [1 / (t * (1 - mpf("0.45") * z)) for z, t in zip(zs, ts)])
    print(f"{Target.name} TAN: {numerator_n} and {denominator_n} coefficients, error 2^{bits:.1f}", flush=True)
    split = lambda below: [x for x, (_, b) in zip(c, powers) if b == below]
    array("TAN_NUMERATOR", "n, where tan(r)/r = (1 + z n(z)) / (1 + z d(z)), z = r^2, for |r| <= pi/4. Maximum of the relative error: "
          f"2^{bits:.1f}.", split(0))
    array("TAN_DENOMINATOR", "d, where tan(r)/r = (1 + z n(z)) / (1 + z d(z)), see `TAN_NUMERATOR`.", split(1))


def truncated(x, bits):
    m, e = frexp(x)
    return ldexp(floor(ldexp(m, bits)), e - bits)


def parts(name, x, *bits):
    """Writes x as a sum of constants name_1, name_2, .. The number of significant bits of each part is given by `bits`. A part with None is
    rounded to the target type."""
    for i, n in enumerate(bits):
        p = mpf(nearest(x)) if n is None else truncated(x, n)
        constant(f"{name}_{i + 1}", p)
        x -= p


def constant(name, x):
    lines.append(f"    pub(crate) const {name}: {Target.name} = {nearest(x)!r};")


def near_zero(limit, function, value):
    """Returns the function, with `value` in place of its values within 10^-limit of zero, where its formula would cancel."""
    return lambda t: function(t) if fabs(t) > mpf(10)**-limit else value


TINY = mpf(10)**-12
LN2 = log(mpf(2))
HALF_LN2 = LN2 / 2 * mpf("1.0001")
EXP_MINUS = near_zero(18, lambda r: (exp(r) - 1 - r) / r**2, mpf(1) / 2)
EXP2_MINUS = near_zero(18, lambda f: (mpf(2)**f - 1 - f * LN2) / f**2, LN2**2 / 2)
ROOT2 = sqrt(mpf(2))
S_MAX = (ROOT2 - 1) / (ROOT2 + 1) * mpf("1.0001")  # s = f / (2 + f), 1 + f in sqrt(1/2)..sqrt(2)
Z_LN = S_MAX**2


def atanh_series(z):
    return log((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z)


LN_S = lambda z: (atanh_series(z) - 2) / z
LN_S2 = lambda z: (atanh_series(z) - 2 - 2 * z / 3) / z**2
Z_QUARTER = (pi / 4 * mpf("1.0001"))**2
SIN_Z = lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z
COS_Z = lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2
ATAN_Z = lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z
ATAN_Z2 = lambda z: (atan(sqrt(z)) / sqrt(z) - 1 + z / 3) / z**2
ASIN_Z = lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z
# erf(x)/x near 0 and erfc(x), see `erf_or_erfc`
ERF_Z = lambda z: (erf(sqrt(z)) / sqrt(z) - 2 / sqrt(pi)) / z
ERFC_SHIFT = mpf(3.5)
ERFC_V = [ERFC_SHIFT / (ERFC_SHIFT + x) - mpf(1) / 2 for x in (mpf(28), mpf("0.4999"))]


def erfc_factor(v):
    x = ERFC_SHIFT / (v + mpf(1) / 2) - ERFC_SHIFT
    return exp(x * x) * erfc(x) * (1 + 2 * x)


ERFC_MIDDLE = erfc_factor(mpf(0))
Z_SINH = HALF_LN2**2
SINH_Z = lambda z: (sinh(sqrt(z)) / sqrt(z) - 1) / z
COSH_Z = lambda z: (cosh(sqrt(z)) - 1 - z / 2) / z**2
CBRT_FACTOR = near_zero(15, lambda e: ((1 - e)**(mpf(-1) / 3) - 1) / e, mpf(1) / 3)
CBRT_E_MAX = mpf("0.1023")  # the largest |1 - a start^3|, where `start` is the first approximation of the inverse cube root
F_MIN, F_MAX = (1 / ROOT2 - 1) * mpf("1.0001"), (ROOT2 - 1) * mpf("1.0001")


def log_tail(base):
    """(log(1 + f) - c f + c/2 f^2) / f^3 in the given base, where c is the rounded 1 / ln(base), and the weight that makes its error relative
    to the logarithm. If rounding changes c, the function has a pole at 0. The second factor of the weight limits its effect: the
    polynomial corrects the rounding error of c for larger f, and ignores it for small f, where no polynomial could correct it."""
    c = mpf(nearest(1 / log(base)))
    pole = 0 if base == exp(1) else mpf("0.1")
    return (lambda f: (log(1 + f) / log(base) - c * f + c / 2 * f * f) / f**3,
            lambda f: f**3 * log(base) / log(1 + f) * f * f / (f * f + pole))


def both_types(exp_n, exp2_n, exp_m1_n, sin_n, cos_n, tan_n, atan_n, asin_n, sinh_n, cosh_n, cbrt_n):
    fit("EXP", "(e^r - 1 - r) / r^2 for |r| <= ln(2)/2.", "r^2 / e^r", EXP_MINUS, lambda r: r * r / exp(r), -HALF_LN2, HALF_LN2, exp_n)
    fit("EXP2", "(2^f - 1 - f ln(2)) / f^2 for |f| <= 1/2.", "f^2 / 2^f",
        EXP2_MINUS, lambda f: f * f / mpf(2)**f, mpf(-1) / 2, mpf(1) / 2, exp2_n)
    fit("EXP_M1", "(e^r - 1 - r) / r^2 for |r| <= ln(2)/2.", "r^2 / (e^r - 1)", EXP_MINUS,
        lambda r: r * r / (exp(r) - 1) if r else 0, -HALF_LN2, HALF_LN2, exp_m1_n)
    fit("SIN", "(sin(r)/r - 1) / z, z = r^2, for |r| <= pi/4.", "z", SIN_Z, lambda z: z, TINY, Z_QUARTER, sin_n)
    fit("COS", "(cos(r) - 1 + z/2) / z^2, z = r^2, for |r| <= pi/4.", "z^2 / cos(r)",
        COS_Z, lambda z: z * z / cos(sqrt(z)), TINY, Z_QUARTER, cos_n)
    fit_tan(*tan_n)
    fit("ATAN", "(atan(t)/t - 1) / z, z = t^2, for |t| <= 1/2.", "z", ATAN_Z, lambda z: z, TINY, mpf(1) / 4, atan_n)
    fit("ASIN", "(asin(t)/t - 1) / z, z = t^2, for |t| <= 1/2.", "z", ASIN_Z, lambda z: z, TINY, mpf(1) / 4, asin_n)
    fit("SINH", "(sinh(r)/r - 1) / z, z = r^2, for |r| <= ln(2)/2.", "z", SINH_Z, lambda z: z, TINY, Z_SINH, sinh_n)
    fit("COSH", "(cosh(r) - 1 - z/2) / z^2, z = r^2, for |r| <= ln(2)/2.", "z^2", COSH_Z, lambda z: z * z, TINY, Z_SINH, cosh_n)
    fit("CBRT_FACTOR", "((1 - e)^(-1/3) - 1) / e for |e| <= 0.1023.", "e (1 - e)^(1/3)", CBRT_FACTOR,
        lambda e: e * (1 - e)**(mpf(1) / 3), -CBRT_E_MAX, CBRT_E_MAX, cbrt_n)


def constants(ln2_bits, log10_2_bits, half_pi_bits):
    lines.append("    // A constant X is the sum of `X_1`, `X_2`, .. A product of a small integer and a part with few bits is exact.")
    parts("LN2", LN2, ln2_bits, None)
    parts("LN2_ROUNDED", LN2, None, None)
    parts("LOG2_E", 1 / LN2, None, None)
    parts("LOG10_E", 1 / log(mpf(10)), None, None)
    parts("LOG10_2", LN2 / log(mpf(10)), *log10_2_bits)
    # Truncated, so that the next part is positive: its product with 0 is 0, and not -0.
    parts("HALF_PI", pi / 2, half_pi_bits, None, None)
    parts("HALF_PI_ROUNDED", pi / 2, None, None)
    if Target.name == "f64":
        parts("TWO_THIRDS", mpf(2) / 3, None, None)
        parts("TWO_OVER_ROOT_PI", 2 / sqrt(pi), None, None)
        parts("ERFC_MIDDLE", ERFC_MIDDLE, None, None)
    constant("TWO_OVER_PI", 2 / pi)


WEIGHTS = ["///",
           "/// The comment of each polynomial gives the function that it approximates, and the maximum of |error| times a weight. The",
           "/// weighted error is roughly the relative error of the elementary function that uses the polynomial."]
lines += ["// Written by scripts/elementary/fit.py; do not edit.", "",
          "#![allow(clippy::excessive_precision, clippy::approx_constant, clippy::unreadable_literal)]", "",
          "/// Coefficients and constants of the `f64` functions, and of the `f32` functions that compute in `f64`.",
          *WEIGHTS, "pub(crate) mod double {"]
both_types(10, 10, 11, 6, 6, (3, 4), 12, 13, 5, 4, 2)
fit("LN", "(ln((1+s)/(1-s))/s - 2) / z, z = s^2, for |s| <= 0.1716.", "z", LN_S, lambda z: z, TINY, Z_LN, 7)
fit("LN_LONG", "(ln((1+s)/(1-s))/s - 2 - 2z/3) / z^2, z = s^2, for |s| <= 0.1716.", "z^2", LN_S2, lambda z: z * z, TINY, Z_LN, 7)
fit("ATAN_LONG", "(atan(t)/t - 1 + z/3) / z^2, z = t^2, for |t| <= 1/2.", "z^2", ATAN_Z2, lambda z: z * z, TINY, mpf(1) / 4, 14)
fit("ERF", "(erf(x)/x - 2/sqrt(pi)) / z, z = x^2, for |x| <= 1.", "z", ERF_Z, lambda z: z, TINY, mpf(1), 12)
fit("ERFC", "(f - c) / v, f = erfc(x) e^(x^2) (1 + 2x), v = 3.5 / (x + 3.5) - 1/2, for 1/2 <= x <= 28. c is f at v = 0.", "v/f",
    near_zero(20, lambda v: (erfc_factor(v) - ERFC_MIDDLE) / v, mpmath.diff(erfc_factor, 0)), lambda v: v / erfc_factor(v),
    *ERFC_V, 21)
fit("LOG2_FOR_F32", "log2((1+s)/(1-s))/s as a polynomial of z = s^2, for |s| <= 0.1716.", "1/2", lambda z: atanh_series(z) / LN2,
    lambda z: mpf(1) / 2, TINY, Z_LN, 5)
fit("EXP2_FOR_F32", "(2^f - 1) / f for |f| <= 1/2.", "f / 2^f", near_zero(20, lambda f: (mpf(2)**f - 1) / f, LN2),
    lambda f: f / mpf(2)**f, mpf(-1) / 2, mpf(1) / 2, 6)
constants(41, (41, None), 53)
lines += ["}", "", "/// Coefficients and constants of the `f32` functions.", *WEIGHTS, "pub(crate) mod single {"]
Target.name = "f32"
both_types(5, 5, 6, 3, 3, (2, 2), 5, 5, 3, 2, 3)
fit("TANH", "(tanh(x)/x - 1) / z, z = x^2, for |x| <= ln(3)/2.", "z x / tanh(x)", lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z,
    lambda z: z * sqrt(z) / tanh(sqrt(z)), TINY, (log(mpf(3)) / 2 * mpf("1.0001"))**2, 4)
for name, base, count in (("LN_TAIL", exp(mpf(1)), 9), ("LOG2_TAIL", mpf(2), 8), ("LOG10_TAIL", mpf(10), 8)):
    function, weight = log_tail(base)
    text = {"LN_TAIL": "ln", "LOG2_TAIL": "log2", "LOG10_TAIL": "log10"}[name]
    tail = "- f + f^2/2) / f^3" if text == "ln" else f"- c f + c/2 f^2) / f^3, c = {text}(e)"
    fit(name, f"({text}(1+f) {tail}, for 1+f from sqrt(1/2) to sqrt(2).", f"f^3 / {text}(1+f)", function, weight, F_MIN, F_MAX, count)
constants(15, (None, 1), 24)  # the second part of log10(2) is a power of two
lines.append("}")
mp.prec = 1400
for text, name, value in [("2/pi", "TWO_OVER_PI_DIGITS", 2 / pi), ("ln(2) 2/pi", "LN2_TWO_OVER_PI_DIGITS", log(2) * 2 / pi)]:
    lines += ["", f"/// The first 1280 binary digits of {text} after the point, for the reduction of huge arguments.",
              f"pub(crate) const {name}: [u64; 20] = ["]
    for _ in range(20):
        value *= mpf(2)**64
        word = int(floor(value))
        lines.append(f"    0x{word:016x},")
        value -= word
    lines += ["];"]
if not only:
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/elementary/coefficients.rs"), "w") as file:
        file.write("\n".join(lines) + "\n")
