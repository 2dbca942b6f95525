// Functions of floating-point and complex numbers. The functions of floating-point numbers are CUDA's. The functions of complex numbers
// have the formulas of num-complex, and therefore the same branch cuts and special values.

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

template <class F> DEV Complex<F> exp(Complex<F> a) {
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
    if (is_infinite(a.re) && !is_finite(a.im)) return a.re > F(0) ? Complex<F>{a.re, a.im - a.im} : Complex<F>{F(0), F(0)};
    Complex<F> unit = cast<Complex<F>>(imaginary_exp2((f64)a.im));
    // 2^x in two factors, so that the product overflows only if the result does. The second one is a power of two.
    F whole = trunc(a.re / F(2)), first = is_finite(whole) ? exp2(a.re - whole) : exp2(whole), second = exp2(whole);
    F re = unit.re == F(0) ? unit.re : unit.re * first * second, im = unit.im == F(0) ? unit.im : unit.im * first * second;
    return {re, im};
}
template <class F> DEV Complex<F> log(Complex<F> a) { return {log(modulus(a)), arg(a)}; }
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
template <class F> DEV Complex<F> pow(Complex<F> a, RealOf<F> n) {
    if (n == F(0)) return {F(1), F(0)};
    return polar(pow(modulus(a), n), arg(a) * n);
}
template <class F> DEV Complex<F> pow(Complex<F> a, Complex<F> n) {
    if (n.im == F(0)) return pow(a, n.re);
    if (a.re == F(0) && a.im == F(0) && n.re > F(0)) return {F(0), F(0)};
    return exp(n * log(a));
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
    // The modulus of a large number may overflow; that of a quarter of it does not.
    Complex<F> quarter = {sum.re / F(4), sum.im / F(4)};
    if (fabs(a.re) > F(1e10) || fabs(a.im) > F(1e10)) return {log(modulus(quarter)) + F(2) * ln_2<F>(), arg(sum)};
    return log(sum);
}

// ---- trigonometric and hyperbolic functions

template <class F> DEV Complex<F> sin(Complex<F> a) { return {sin(a.re) * cosh(a.im), cos(a.re) * sinh(a.im)}; }
template <class F> DEV Complex<F> cos(Complex<F> a) { return {cos(a.re) * cosh(a.im), -sin(a.re) * sinh(a.im)}; }
template <class F> DEV Complex<F> tan(Complex<F> a) {
    F re = a.re + a.re, im = a.im + a.im;
    return Complex<F>{sin(re), sinh(im)} / (cos(re) + cosh(im));
}
template <class F> DEV Complex<F> sinh(Complex<F> a) { return {sinh(a.re) * cos(a.im), cosh(a.re) * sin(a.im)}; }
template <class F> DEV Complex<F> cosh(Complex<F> a) { return {cosh(a.re) * cos(a.im), sinh(a.re) * sin(a.im)}; }
template <class F> DEV Complex<F> tanh(Complex<F> a) {
    F re = a.re + a.re, im = a.im + a.im;
    return Complex<F>{sinh(re), sin(im)} / (cosh(re) + cos(im));
}

// The square root and the quotient of num-complex. Their intermediate results may lose digits or leave the range.
template <class F> DEV Complex<F> plain_sqrt(Complex<F> a) {
    if (a.im == F(0)) {
        if (!negative(a.re)) return {sqrt(a.re), a.im};
        return {F(0), copysign(sqrt(-a.re), a.im)};
    }
    if (a.re == F(0)) {
        F x = sqrt(fabs(a.im) / F(2));
        return {x, copysign(x, a.im)};
    }
    return polar(sqrt(modulus(a)), arg(a) / F(2));
}
template <class F> DEV Complex<F> plain_quotient(Complex<F> a, Complex<F> b) {
    F size = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
}

// The factors i and 2 and the term 1 are complex numbers, as in num-complex. Real factors would give other results for infinities.
template <class F> DEV Complex<F> asin(Complex<F> a) {
    Complex<F> i = {F(0), F(1)}, one = {F(1), F(0)};
    return -i * log(plain_sqrt(one - a * a) + i * a);
}
template <class F> DEV Complex<F> acos(Complex<F> a) {
    Complex<F> i = {F(0), F(1)}, one = {F(1), F(0)};
    return -i * log(i * plain_sqrt(one - a * a) + a);
}
template <class F> DEV Complex<F> atan(Complex<F> a) {
    Complex<F> i = {F(0), F(1)}, one = {F(1), F(0)}, two = {F(2), F(0)};
    if (a == i) return {F(0), infinity<F>()};
    if (a == -i) return {F(0), -infinity<F>()};
    return plain_quotient(log(one + i * a) - log(one - i * a), two * i);
}
template <class F> DEV Complex<F> asinh(Complex<F> a) {
    Complex<F> one = {F(1), F(0)};
    return log(a + plain_sqrt(one + a * a));
}
template <class F> DEV Complex<F> acosh(Complex<F> a) {
    Complex<F> one = {F(1), F(0)}, two = {F(2), F(0)};
    return two * log(plain_sqrt(plain_quotient(a + one, two)) + plain_sqrt(plain_quotient(a - one, two)));
}
template <class F> DEV Complex<F> atanh(Complex<F> a) {
    Complex<F> one = {F(1), F(0)}, two = {F(2), F(0)};
    if (a == one) return {infinity<F>(), F(0)};
    if (a == -one) return {-infinity<F>(), F(0)};
    return plain_quotient(log(one + a) - log(one - a), two);
}

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
