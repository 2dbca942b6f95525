// Powers of floating-point and complex numbers, with the formulas of `src/elementary/integer_power.rs`: every number is a sum of two
// numbers, and exponents of two are kept apart.
struct Sum {
    f64 high, low;
};
DEV Sum operator-(Sum a) { return {-a.high, -a.low}; }
DEV Sum operator*(Sum a, Sum b) {
    f64 high = a.high * b.high;
    return {high, fma(a.high, b.low, fma(a.low, b.high, fma(a.high, b.high, -high)))};
}
DEV Sum operator+(Sum a, Sum b) {
    f64 high = a.high + b.high, rounded = high - a.high;
    return {high, ((a.high - (high - rounded)) + (b.high - rounded)) + (a.low + b.low)};
}
DEV Sum operator/(Sum a, Sum b) {
    f64 inverse = 1.0 / b.high, high = a.high * inverse;
    f64 rest = fma(high, -b.low, fma(high, -b.high, a.high) + a.low);
    return {high, rest * inverse};
}
DEV f64 rounded(Sum a) { return a.low == 0.0 ? a.high : a.high + a.low; }
DEV Sum shifted(Sum a, int k) { return {ldexp(a.high, k), ldexp(a.low, k)}; }

DEV f64 shifted_far(f64 x, i64 k) { return ldexp(x, k > 5000 ? 5000 : k < -5000 ? -5000 : (int)k); }

// A real or complex number, multiplied by 2^exponent.
struct Power {
    Sum re, im;
    i64 exponent;
    DEV Power(Sum a, Sum b, i64 e) : re(a), im(b), exponent(e) {
        f64 larger = fabs(a.high) > fabs(b.high) ? a.high : b.high;
        if (larger == 0.0) return;
        int k;
        frexp(larger, &k);
        re = shifted(a, 1 - k), im = shifted(b, 1 - k), exponent += k - 1;
    }
};
template <class Multiply> DEV Power power_of(Power base, u32 n, Multiply multiply) {
    Power result({1.0, 0.0}, {0.0, 0.0}, 0);
    for (; n > 0; n >>= 1) {
        if (n & 1) result = multiply(result, base);
        if (n > 1) base = multiply(base, base);
    }
    return result;
}

DEV f64 float_power(f64 x, i32 n) {
    if (x == 0.0 || x - x != 0.0) {
        f64 result = n % 2 == 0 ? fabs(x) : x;
        return n == 0 ? 1.0 : n > 0 ? result : 1.0 / result;
    }
    Power result = power_of(Power({x, 0.0}, {0.0, 0.0}, 0), distance_from_zero(n), [](Power a, Power b) {
        return Power(a.re * b.re, {0.0, 0.0}, a.exponent + b.exponent);
    });
    if (n < 0) return shifted_far(rounded(Sum{1.0, 0.0} / result.re), -result.exponent);
    return shifted_far(rounded(result.re), result.exponent);
}
DEV c64 float_power(c64 z, i32 n) {
    if (z.re - z.re != 0.0 || z.im - z.im != 0.0) {
        c64 result = repeated_squaring(z, distance_from_zero(n), [](c64, c64) {});
        return n < 0 ? c64{1.0, 0.0} / result : result;
    }
    Power result = power_of(Power({z.re, 0.0}, {z.im, 0.0}, 0), distance_from_zero(n), [](Power a, Power b) {
        return Power(a.re * b.re + -(a.im * b.im), a.re * b.im + a.im * b.re, a.exponent + b.exponent);
    });
    Sum re = result.re, im = result.im;
    if (n < 0) {
        Sum square = re * re + im * im;
        re = re / square, im = -im / square, result.exponent = -result.exponent;
    }
    return {shifted_far(rounded(re), result.exponent), shifted_far(rounded(im), result.exponent)};
}

// Integer powers with exponents of the element type.
template <class T> DEV T raised(T a, T n) {
    if constexpr (INTEGER<T>) {
        if (SIGNED<T> && n < T(0)) return modulus(a) != T(1) ? T(0) : n % 2 == 0 ? T(1) : a;
        return repeated_squaring(a, (u64)n, [](T, T) {});
    } else {
        return pow(a, n);
    }
}
template <class T> DEV bool fits_raised(T a, T n) {
    if (SIGNED<T> && n < T(0)) return a != T(0);
    bool fits = true;
    repeated_squaring(a, (u64)n, [&](T x, T y) { fits = fits && fits_mul(x, y); });
    return fits;
}

template <class T> DEV T power(T a, i32 n) {
    if constexpr (INTEGER<T>) {
        // The only integers whose reciprocal does not truncate to 0 are 1 and -1.
        if (n < 0) return modulus(a) != T(1) ? T(0) : n % 2 == 0 ? T(1) : a;
        return repeated_squaring(a, distance_from_zero(n), [](T, T) {});
    } else if constexpr (COMPLEX<T>) {
        return cast<T>(float_power(cast<c64>(a), n));
    } else {
        return (T)float_power((f64)a, n);
    }
}
