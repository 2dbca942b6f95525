// Functions of floating-point and complex numbers. The functions of floating-point numbers are CUDA's. Most functions of complex numbers
// have the formulas of `src/elementary/complex.rs`, and therefore the same branch cuts and special values; no intermediate result
// overflows or underflows unless the result does. Powers have the formulas of num-complex.

static_assert(sizeof(sqrt(f32())) == sizeof(f32), "functions of f32 are computed in f32");

// ---- constants

template <class F> DEV constexpr F ln_2() { return F(0.693147180559945309417232121458); }
template <class F> DEV constexpr F ln_10() { return F(2.30258509299404568401799145468); }
template <class F> DEV constexpr F pi() { return F(3.14159265358979323846264338328); }

// ---- polar form

DEV bool negative(f32 a) { return copysign(1.0f, a) < 0.0f; }
DEV bool negative(f64 a) { return copysign(1.0, a) < 0.0; }

template <class F> DEV F arg(F a) { return is_nan(a) ? a : negative(a) ? pi<F>() : F(0); }
template <class F> DEV F arg(Complex<F> a) { return atan2(a.im, a.re); }
template <class F> DEV Complex<F> polar(F r, F theta) { return {r * cos(theta), r * sin(theta)}; }

// ---- exponentials, logarithms, powers

// The largest number whose exponential does not overflow, rounded down.
template <class F> constexpr F EXP_SAFE = sizeof(F) == 4 ? F(88) : F(709);

template <class F> DEV Complex<F> cos_sin(F a) { return {cos(a), sin(a)}; }
template <class F> DEV Complex<F> times_i(Complex<F> a) { return {-a.im, a.re}; }
template <class F> DEV Complex<F> over_i(Complex<F> a) { return {a.im, -a.re}; }
// Multiplies both parts. A part that is zero stays zero, even if the factor is infinite.
template <class F> DEV Complex<F> scaled(F by, Complex<F> a) {
    return {a.re == F(0) ? a.re : by * a.re, a.im == F(0) ? a.im : by * a.im};
}
// Returns `unit` times two factors, one after the other, so that the product overflows only if the result does. The product of the factors
// is the modulus of the exponential of a.
template <class F> DEV Complex<F> exponential(Complex<F> a, F first, F second, Complex<F> unit) {
    if (a.im == F(0)) return {first * second, a.im};
    if (is_infinite(a.re) && !is_finite(a.im)) return a.re > F(0) ? Complex<F>{a.re, a.im - a.im} : Complex<F>{F(0), F(0)};
    return scaled(second, scaled(first, unit));
}
template <class F> DEV Complex<F> exp(Complex<F> a) {
    Complex<F> unit = cos_sin(a.im);
    if (a.re <= EXP_SAFE<F> && is_finite(a.im)) return {exp(a.re) * unit.re, exp(a.re) * unit.im};
    F half = exp(a.re / F(2));
    return exponential(a, half, half, unit);
}

// Returns 64 binary digits of ln(2) 2/pi, from the given one on. Digits are counted from 64 zeros before the point on.
DEV u64 angle_digits(int first) {
    const u64 digits[22] = {0,
        0x70f7263dfa5a6eecull, 0xb608582e55fef3ddull, 0x8e13becd1d495c36ull, 0x1d72013aea9f8fcaull,
        0x76e866fc9b48be48ull, 0x15f5cb6fd8bee211ull, 0x0394db3020d6eb52ull, 0x30ffa9ae90cbc735ull,
        0x51358ced67c0db3cull, 0x490d15bdd91a29f5ull, 0x682402af5e8f9c23ull, 0xbff15cbc71f05fedull,
        0xfe0bb0622a8c8f67ull, 0x7309c45a7502282aull, 0xead0c2435c5527bbull, 0x759f345e2d0628e8ull,
        0xb1a563a253e62918ull, 0xea5ffdabeac0d479ull, 0xcfedb1b6fc78b439ull, 0xa333a25fdc77be31ull, 0};
    int index = first / 64, shift = first % 64;
    if (index > 20) return 0;
    return shift == 0 ? digits[index] : digits[index] << shift | digits[index + 1] >> (64 - shift);
}

// Returns the difference between y ln(2) and `angle`, its rounded value.
DEV f64 rounding_error(f64 y, f64 angle) {
    return rounded(Sum{y, 0.0} * Sum{ln_2<f64>(), 2.3190468138462996e-17} + Sum{-angle, 0.0});
}

// Returns 2^(i y): the cosine and the sine of y ln(2). For large y, the product with those digits of ln(2) 2/pi that affect the result is
// computed in integers, as on the host.
DEV c64 imaginary_exp2(f64 y) {
    if (!(fabs(y) > 1048576.0)) {
        f64 angle = y * ln_2<f64>();
        f64 low = rounding_error(y, angle), c = cos(angle), s = sin(angle);
        return {c - low * s, s + low * c};
    }
    if (!is_finite(y)) return {y - y, y - y};
    int exponent;
    u64 significand = (u64)ldexp(frexp(fabs(y), &exponent), 53);
    int first = exponent - 53 - 2 + 64;
    u128 third = (u128)significand * angle_digits(first + 128);
    u128 second = (u128)significand * angle_digits(first + 64) + (third >> 64);
    u64 upper = significand * angle_digits(first) + (u64)(second >> 64);
    // The angle in units of 2^-126 quadrants, modulo 4 quadrants, and its distance from the nearest quadrant.
    u128 turn = (u128)upper << 64 | (u64)second, quadrant = (turn + ((u128)1 << 125)) >> 126;
    f64 r = ldexp((f64)(i128)(turn - (quadrant << 126)), -126) * (pi<f64>() / 2), c = cos(r), s = sin(r);
    c64 unit = quadrant % 4 == 0 ? c64{c, s} : quadrant % 4 == 1 ? c64{-s, c} : quadrant % 4 == 2 ? c64{-c, -s} : c64{s, -c};
    return y < 0.0 ? conj(unit) : unit;
}
template <class F> DEV Complex<F> exp2(Complex<F> a) {
    if (a.im == F(0)) return {exp2(a.re), a.im};
    Complex<F> unit = cast<Complex<F>>(imaginary_exp2((f64)a.im));
    // 2^x in two factors, so that the product overflows only if the result does. The second one is a power of two.
    F whole = trunc(a.re / F(2)), first = is_finite(whole) ? exp2(a.re - whole) : exp2(whole), second = exp2(whole);
    return exponential(a, first, second, unit);
}

// Returns the logarithm of the modulus.
template <class F> DEV F log_modulus(Complex<F> a) {
    F x = fabs(a.re), y = fabs(a.im), larger = x > y ? x : y;
    if (is_infinite(x) || is_infinite(y)) return infinity<F>();
    if (larger > F(0.5) && larger < F(2)) {
        // Near 1, the logarithm is computed from the difference of the square of the modulus and 1, as a sum of two numbers.
        Sum t = Sum{(f64)x, 0.0} * Sum{(f64)x, 0.0} + Sum{-1.0, 0.0} + Sum{(f64)y, 0.0} * Sum{(f64)y, 0.0};
        if (t.high > -0.5) return F((log1p(t.high) + t.low / (1.0 + t.high)) / 2.0);
    }
    int exponent = 0;
    if (larger > F(0)) frexp(larger, &exponent);
    // The modulus of a very large or a subnormal number is not representable, or has few digits.
    const int most = sizeof(F) == 4 ? 120 : 1000;
    if (exponent < most && exponent > -most) return log(hypot(x, y));
    return log(hypot(ldexp(x, -exponent), ldexp(y, -exponent))) + F(exponent) * ln_2<F>();
}
template <class F> DEV Complex<F> log(Complex<F> a) { return {log_modulus(a), arg(a)}; }
template <class F> DEV Complex<F> log2(Complex<F> a) { return log(a) / ln_2<F>(); }
template <class F> DEV Complex<F> log10(Complex<F> a) { return log(a) / ln_10<F>(); }
template <class F> DEV Complex<F> sqrt(Complex<F> a) {
    if (a.im == F(0) && !is_nan(a.re)) {
        if (!negative(a.re)) return {sqrt(a.re), a.im};
        return {F(0), copysign(sqrt(-a.re), a.im)};
    }
    if (is_infinite(a.im)) return {infinity<F>(), a.im};
    if (is_nan(a.re) || is_nan(a.im)) {
        F nan = a.re + a.im;
        if (!is_infinite(a.re)) return {nan, nan};
    }
    if (is_infinite(a.re)) {
        F zero = is_nan(a.im) ? a.im : F(0);
        return a.re > F(0) ? Complex<F>{a.re, copysign(zero, a.im)} : Complex<F>{zero, copysign(infinity<F>(), a.im)};
    }
    // Multiplied by a power of 4, the sum of the modulus and a part neither overflows nor is subnormal.
    F size = fabs(a.re) > fabs(a.im) ? fabs(a.re) : fabs(a.im);
    int half = size > F(1) ? -4 : size < F(1) && size * F(1e30) * F(1e5) < F(1) ? 20 * (int)sizeof(F) : 0;
    F x = ldexp(fabs(a.re), 2 * half), y = ldexp(fabs(a.im), 2 * half);
    F t = ldexp(sqrt((x + hypot(x, y)) / F(2)), -half), other = fabs(a.im) / (t + t);
    return a.re >= F(0) ? Complex<F>{t, copysign(other, a.im)} : Complex<F>{other, copysign(t, a.im)};
}
// The exponential of num-complex.
template <class F> DEV Complex<F> plain_exp(Complex<F> a) {
    if (is_infinite(a.re)) {
        if (a.re < F(0)) {
            if (!is_finite(a.im)) return {F(0), F(0)};
        } else if (a.im == F(0) || !is_finite(a.im)) {
            // If the imaginary part of a is infinite, that of the result is NaN, because the direction of the result is undefined.
            return {a.re, is_infinite(a.im) ? a.im - a.im : a.im};
        }
    } else if (is_nan(a.re) && a.im == F(0)) {
        return a;
    }
    return polar(exp(a.re), a.im);
}
template <class F> DEV Complex<F> pow(Complex<F> a, RealOf<F> n) {
    if (n == F(0)) return {F(1), F(0)};
    return polar(pow(modulus(a), n), arg(a) * n);
}
template <class F> DEV Complex<F> pow(Complex<F> a, Complex<F> n) {
    if (n.im == F(0)) return pow(a, n.re);
    if (a.re == F(0) && a.im == F(0) && n.re > F(0)) return {F(0), F(0)};
    return plain_exp(n * Complex<F>{log(modulus(a)), arg(a)});
}

template <class F> DEV Complex<F> expm1(Complex<F> a) {
    if (a.im == F(0)) return {expm1(a.re), a.im};
    if (!(a.re < F(80)) || !is_finite(a.im)) {
        Complex<F> power = exp(a);
        return {power.re - F(1), power.im};
    }
    F half = sin(a.im / F(2));
    return {expm1(a.re) * cos(a.im) - F(2) * half * half, exp(a.re) * sin(a.im)};
}
// If the modulus of 1 + a is near 1, the logarithm is computed from the difference of the square of the modulus and 1, as a sum of two numbers.
template <class F> DEV Complex<F> log1p(Complex<F> a) {
    Complex<F> sum = {F(1) + a.re, a.im};
    if (fabs(a.re) < F(1e10) && fabs(a.im) < F(1e10)) {
        Sum x = {(f64)a.re, 0.0}, y = {(f64)a.im, 0.0}, t = x * (x + Sum{2.0, 0.0}) + y * y;
        if (t.high > -0.5) return {F((log1p(t.high) + t.low / (1.0 + t.high)) / 2.0), arg(sum)};
    }
    return log(sum);
}

// ---- trigonometric and hyperbolic functions

// The circular functions are those of i z: sin z = -i sinh(i z), cos z = cosh(i z), tan z = -i tanh(i z).

// Returns e^|x|/2 times `unit`, for large |x|: sinh |x| and cosh |x| are e^|x|/2 then.
template <class F> DEV Complex<F> large_hyperbolic(F x, Complex<F> unit) {
    F half = exp(fabs(x) / F(2));
    return scaled(half, scaled(half / F(2), unit));
}
template <class F> DEV Complex<F> sinh(Complex<F> a) {
    if (a.im == F(0)) return {sinh(a.re), a.im};
    if (!is_finite(a.im)) return {a.re == F(0) || is_infinite(a.re) ? a.re : a.im - a.im, a.im - a.im};
    Complex<F> unit = cos_sin(a.im);
    if (fabs(a.re) <= EXP_SAFE<F>) return {sinh(a.re) * unit.re, cosh(a.re) * unit.im};
    Complex<F> w = large_hyperbolic(a.re, unit);
    return {negative(a.re) ? -w.re : w.re, w.im};
}
template <class F> DEV Complex<F> cosh(Complex<F> a) {
    if (a.im == F(0)) return {cosh(a.re), negative(a.re) ? -a.im : a.im};
    if (!is_finite(a.im)) return {is_infinite(a.re) ? infinity<F>() : a.im - a.im, a.re == F(0) ? a.re : a.im - a.im};
    Complex<F> unit = cos_sin(a.im);
    if (fabs(a.re) <= EXP_SAFE<F>) return {cosh(a.re) * unit.re, sinh(a.re) * unit.im};
    Complex<F> w = large_hyperbolic(a.re, unit);
    return {w.re, negative(a.re) ? -w.im : w.im};
}
template <class F> DEV Complex<F> tanh(Complex<F> a) {
    if (a.im == F(0)) return {tanh(a.re), a.im};
    if (!is_finite(a.im)) {
        if (is_infinite(a.re)) return {copysign(F(1), a.re), copysign(F(0), a.im)};
        return {a.re == F(0) ? a.re : a.im - a.im, a.im - a.im};
    }
    // From this modulus on, the real part rounds to 1 or -1.
    const F flat = sizeof(F) == 4 ? F(10) : F(22);
    Complex<F> unit = cos_sin(a.im);
    F s = sinh(a.re), c = cosh(a.re), product = unit.re * unit.im;
    if (fabs(a.re) > flat) return {copysign(F(1), a.re), product / c / c};
    F square = s * s + unit.re * unit.re;
    return {s * c / square, product / square};
}
template <class F> DEV Complex<F> sin(Complex<F> a) { return over_i(sinh(times_i(a))); }
template <class F> DEV Complex<F> cos(Complex<F> a) { return cosh(times_i(a)); }
template <class F> DEV Complex<F> tan(Complex<F> a) { return over_i(tanh(times_i(a))); }

// The inverse functions have the formulas of Kahan. The squares of larger numbers than this one may overflow.
template <class F> constexpr F SQUARE_MAX = sizeof(F) == 4 ? F(1e18) : F(1e150);
template <class F> DEV bool is_large(Complex<F> a) {
    return !(fabs(a.re) <= SQUARE_MAX<F> && fabs(a.im) <= SQUARE_MAX<F>);
}

// In each product of two roots, the terms do not cancel.
template <class F> DEV Complex<F> asin(Complex<F> a) {
    // For large numbers, the real part is the angle of the point (|y|, x), and the imaginary part is ln|2 a|.
    if (is_large(a)) {
        F re = a.re == F(0) ? a.re : atan2(a.re, fabs(a.im));
        return {re, copysign(log_modulus(a) + ln_2<F>(), a.im)};
    }
    Complex<F> minus = sqrt(Complex<F>{F(1) - a.re, -a.im}), plus = sqrt(Complex<F>{F(1) + a.re, a.im});
    return {atan2(a.re, minus.re * plus.re - minus.im * plus.im), asinh(minus.re * plus.im - minus.im * plus.re)};
}
template <class F> DEV Complex<F> acos(Complex<F> a) {
    if (is_large(a)) {
        F re = a.re == F(0) && is_nan(a.im) ? pi<F>() / F(2) : atan2(fabs(a.im), a.re);
        return {re, copysign(log_modulus(a) + ln_2<F>(), negative(a.im) ? F(1) : F(-1))};
    }
    Complex<F> minus = sqrt(Complex<F>{F(1) - a.re, -a.im}), plus = sqrt(Complex<F>{F(1) + a.re, a.im});
    return {F(2) * atan2(minus.re, plus.re), asinh(plus.re * minus.im - plus.im * minus.re)};
}
template <class F> DEV Complex<F> asinh(Complex<F> a) { return over_i(asin(times_i(a))); }
template <class F> DEV Complex<F> acosh(Complex<F> a) {
    Complex<F> w = acos(a);
    return {fabs(w.im), copysign(w.re, a.im)};
}
template <class F> DEV Complex<F> atanh(Complex<F> a) {
    F x = fabs(a.re), y = a.im, quarter_turn = pi<F>() / F(2);
    if (is_large(a)) {
        if (is_nan(y) && x == F(0)) return a;
        F im = is_nan(y) ? y : copysign(quarter_turn, y);
        if (is_infinite(x) || is_infinite(y)) return {copysign(F(0), a.re), im};
        // The function is about 1/a plus or minus i pi/2, and the real part of 1/a is x / |a|^2. An eighth of |a| does not overflow.
        F size = hypot(a.re / F(8), y / F(8));
        return {a.re / F(8) / size / size / F(8), is_nan(x) ? x : im};
    }
    if (x == F(1) && fabs(y) < (sizeof(F) == 4 ? F(1e-15) : F(1e-90))) {
        // Near the poles 1 and -1, the square of y would underflow.
        return {copysign((ln_2<F>() - log(fabs(y))) / F(2), a.re), y == F(0) ? y : copysign(quarter_turn / F(2), y)};
    }
    F minus = F(1) - x, square = y * y;
    F re = log1p(F(4) * x / (minus * minus + square)) / F(4);
    return {copysign(re, a.re), atan2(F(2) * y, minus * (F(1) + x) - square) / F(2)};
}
template <class F> DEV Complex<F> atan(Complex<F> a) { return over_i(atanh(times_i(a))); }

// ---- rounding to decimals, with the formula of `RoundTo`

template <class F> DEV F round_to(F a, F scale, bool up) {
    F scaled = up ? a * scale : a / scale, nearest = rint(scaled);
    if (up && !is_finite(scaled)) return a;
    if (nearest == F(0)) return copysign(F(0), a);
    return up ? nearest / scale : nearest * scale;
}

// ---- one of these functions, chosen at run time by its number in `FloatFunction`

template <class T> DEV T function(T a, u8 which) {
    switch (which) {
    case 0: return sqrt(a);
    case 1: return exp(a);
    case 2: return exp2(a);
    case 3: return log(a);
    case 4: return log2(a);
    case 5: return log10(a);
    case 6: return sin(a);
    case 7: return cos(a);
    case 8: return tan(a);
    case 9: return asin(a);
    case 10: return acos(a);
    case 11: return atan(a);
    case 12: return sinh(a);
    case 13: return cosh(a);
    case 14: return tanh(a);
    case 15: return asinh(a);
    case 16: return acosh(a);
    default: return atanh(a);
    }
}
