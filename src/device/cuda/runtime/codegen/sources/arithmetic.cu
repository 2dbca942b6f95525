// Arithmetic of all element types, with the same results as in Rust. Integers wrap and never trap. To detect overflow, separate
// kernels call the functions `fits_..`.

// ---- kinds of numbers

template <class T> constexpr bool FLOAT = false;
template <> constexpr bool FLOAT<f32> = true;
template <> constexpr bool FLOAT<f64> = true;
template <class T> constexpr bool COMPLEX = false;
template <class F> constexpr bool COMPLEX<Complex<F>> = true;
template <class T> constexpr bool INTEGER = !FLOAT<T> && !COMPLEX<T>;
template <class T> constexpr bool SIGNED = INTEGER<T> && T(-1) < T(0);

typedef __int128 i128;
typedef unsigned __int128 u128;

// The types in which integers are computed. `Wrapping` is unsigned, as signed overflow is undefined in C++. `Wrapping` is at least
// as large as `int`, because smaller types would be promoted to `int`, which is signed. `Wide` can represent every product.
template <int BYTES, bool IS_SIGNED> struct Words { typedef u32 Wrapping; typedef u64 Wide; };
template <> struct Words<1, true> { typedef u32 Wrapping; typedef i64 Wide; };
template <> struct Words<2, true> { typedef u32 Wrapping; typedef i64 Wide; };
template <> struct Words<4, true> { typedef u32 Wrapping; typedef i64 Wide; };
template <> struct Words<8, true> { typedef u64 Wrapping; typedef i128 Wide; };
template <> struct Words<8, false> { typedef u64 Wrapping; typedef u128 Wide; };
template <class T> using Wrapping = typename Words<sizeof(T), SIGNED<T>>::Wrapping;
template <class T> using Wide = typename Words<sizeof(T), SIGNED<T>>::Wide;

template <class F> DEV F infinity() { return F(1) / F(0); }

// The smallest and the largest value of a real type: infinities for floating-point types.
template <class T> DEV T lowest() {
    if constexpr (FLOAT<T>) return -infinity<T>();
    else return SIGNED<T> ? (T)(1ull << (8 * sizeof(T) - 1)) : T(0);
}
template <class T> DEV T highest() {
    if constexpr (FLOAT<T>) return infinity<T>();
    else return (T)~lowest<T>();
}

// The largest finite number.
template <class F> DEV F highest_finite() { return sizeof(F) == 4 ? F(3.4028234663852886e38) : F(1.7976931348623157e308); }

// ---- casts, with the results of Rust's `as`

template <class I, class F> DEV I saturated(F x) {
    // The conversion of `highest` to F may round up to a power of two. This power of two is the smallest number that overflows, so
    // `>=` is correct.
    if (x >= (F)highest<I>()) return highest<I>();
    if (x <= (F)lowest<I>()) return lowest<I>();
    return x != x ? I(0) : (I)x;
}

template <class R, class A> DEV R cast(A a) {
    if constexpr (COMPLEX<R>) {
        typedef decltype(R::re) F;
        if constexpr (COMPLEX<A>) return {cast<F>(a.re), cast<F>(a.im)};
        else return {cast<F>(a), F(0)};
    } else if constexpr (INTEGER<R> && FLOAT<A>) {
        return saturated<R>(a);
    } else {
        return (R)a;
    }
}

// ---- quotients of complex numbers, with the formulas of `src/elementary/quotient.rs` and therefore the same bits

// The limits of ordinary operands, as exponents of two: the largest quotient, and the least ratio of the parts of a divisor.
template <class F> constexpr int MOST = sizeof(F) == 4 ? 119 : 1015;
template <class F> constexpr int RATIO = sizeof(F) == 4 ? -100 : -960;
template <class F> constexpr int EXPONENT_BIAS = sizeof(F) == 4 ? 127 : 1023;

// Returns the power of two that brings the larger part of a divisor near 1.
template <class F> DEV F scale_of(F larger) {
    int exponent = EXPONENT_BIAS<F> + 1;
    if (larger - larger == F(0)) frexp(larger, &exponent);
    // The exponent with its bias: 0 for zero and subnormal numbers. Its two lowest bits are cleared.
    exponent = larger == F(0) || exponent <= 1 - EXPONENT_BIAS<F> ? 0 : exponent - 1 + EXPONENT_BIAS<F>;
    return ldexp(F(1), EXPONENT_BIAS<F> - (exponent & ~3));
}

// The number mantissa * 2^exponent. Zero has an exponent below those of all products.
template <class F> struct Split {
    F mantissa;
    int exponent;
    DEV Split(F m, int e) : mantissa(m), exponent(e) {}
    DEV explicit Split(F x) : mantissa(x), exponent(-10000) {
        if (x != F(0)) mantissa = frexp(x, &exponent);
    }
    DEV Split operator*(Split b) const { return {mantissa * b.mantissa, exponent + b.exponent}; }
    // Returns the number divided by 2^e, which is at least its own exponent.
    DEV F at(int e) const { return ldexp(mantissa, exponent - e < -10000 ? -10000 : exponent - e); }
};

template <class F> DEV F part_of_quotient(Split<F> first, Split<F> second, F square, int exponent) {
    int both = first.exponent > second.exponent ? first.exponent : second.exponent;
    return Split<F>((first.at(both) + second.at(both)) / square, both).at(2 * exponent);
}
template <class F> DEV Complex<F> far_quotient(Complex<F> a, Complex<F> b) {
    Split<F> x(a.re), y(a.im), c(b.re), d(b.im), minus_x(-x.mantissa, x.exponent);
    int exponent = c.exponent > d.exponent ? c.exponent : d.exponent;
    F p = c.at(exponent), q = d.at(exponent), square = p * p + q * q;
    return {part_of_quotient(x * c, y * d, square, exponent), part_of_quotient(y * c, minus_x * d, square, exponent)};
}

template <class F> DEV Complex<F> operator/(Complex<F> a, Complex<F> b) {
    F p = fabs(b.re), q = fabs(b.im);
    F larger = p > q ? p : q, smaller = p < q ? p : q, scale = scale_of(larger);
    F x = a.re * scale, y = a.im * scale, c = b.re * scale, d = b.im * scale;
    F size = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    bool uneven = smaller * scale < ldexp(F(1), RATIO<F>) && smaller != F(0);
    if (!(size < ldexp(F(1), MOST<F>)) || uneven) {
        F sum = (a.re - a.re) + (a.im - a.im) + (b.re - b.re) + (b.im - b.im); // 0 if all parts are finite
        if (sum == F(0) && larger != F(0)) return far_quotient(a, b);
    }
    F square = c * c + d * d;
    return {(x * c + y * d) / square, (y * c - x * d) / square};
}
template <class F> DEV Complex<F> operator%(Complex<F> a, Complex<F> b) {
    Complex<F> q = a / b;
    return a - b * Complex<F>{trunc(q.re), trunc(q.im)};
}

// Operations of a complex and a real number. The type of the real operand is not deduced, so literals of any arithmetic type
// convert to F.
template <class F> struct Real { typedef F Type; };
template <class F> using RealOf = typename Real<F>::Type;
template <class F> DEV Complex<F> operator+(Complex<F> a, RealOf<F> b) { return {a.re + b, a.im}; }
template <class F> DEV Complex<F> operator-(Complex<F> a, RealOf<F> b) { return {a.re - b, a.im}; }
template <class F> DEV Complex<F> operator*(Complex<F> a, RealOf<F> b) { return {a.re * b, a.im * b}; }
template <class F> DEV Complex<F> operator/(Complex<F> a, RealOf<F> b) { return {a.re / b, a.im / b}; }
template <class F> DEV Complex<F> operator+(RealOf<F> a, Complex<F> b) { return {a + b.re, b.im}; }
template <class F> DEV Complex<F> operator-(RealOf<F> a, Complex<F> b) { return {a - b.re, F(0) - b.im}; }
template <class F> DEV Complex<F> operator*(RealOf<F> a, Complex<F> b) { return {a * b.re, a * b.im}; }
template <class F> DEV Complex<F> operator/(RealOf<F> a, Complex<F> b) { return Complex<F>{a, F(0)} / b; }

template <class T> DEV auto re(T a) { if constexpr (COMPLEX<T>) return a.re; else return a; }
template <class T> DEV auto im(T a) { if constexpr (COMPLEX<T>) return a.im; else return T(0); }
template <class T> DEV T conj(T a) { if constexpr (COMPLEX<T>) return {a.re, -a.im}; else return a; }

// ---- arithmetic

template <class T> DEV T wrapping_add(T a, T b) {
    if constexpr (INTEGER<T>) return (T)((Wrapping<T>)a + (Wrapping<T>)b);
    else return a + b;
}
template <class T> DEV T wrapping_sub(T a, T b) {
    if constexpr (INTEGER<T>) return (T)((Wrapping<T>)a - (Wrapping<T>)b);
    else return a - b;
}
template <class T> DEV T wrapping_mul(T a, T b) {
    if constexpr (INTEGER<T>) return (T)((Wrapping<T>)a * (Wrapping<T>)b);
    else return a * b;
}
template <class T> DEV T wrapping_neg(T a) {
    if constexpr (INTEGER<T>) return (T)((Wrapping<T>)0 - (Wrapping<T>)a);
    else return -a;
}
// Integer division by zero returns 0 instead of trapping. No caller uses this result, as `fits_div` returns false.
template <class T> DEV T wrapping_div(T a, T b) {
    if constexpr (INTEGER<T>) {
        if (b == 0) return T(0);
        if (SIGNED<T> && b == T(-1)) return wrapping_neg(a);
        return (T)(a / b);
    } else {
        return a / b;
    }
}
template <class T> DEV T wrapping_rem(T a, T b) {
    if constexpr (INTEGER<T>) return b == 0 || (SIGNED<T> && b == T(-1)) ? T(0) : (T)(a % b);
    else if constexpr (FLOAT<T>) return fmod(a, b);
    else return a % b;
}

// Returns the absolute value.
template <class T> DEV auto modulus(T a) {
    if constexpr (COMPLEX<T>) return hypot(a.re, a.im);
    else if constexpr (FLOAT<T>) return fabs(a);
    else if constexpr (SIGNED<T>) return a < T(0) ? wrapping_neg(a) : a;
    else return a;
}

// ---- overflow checks of integers

template <class T> DEV bool fits(Wide<T> x) { return (Wide<T>)(T)x == x; }
template <class T> DEV bool fits_add(T a, T b) { return fits<T>((Wide<T>)a + (Wide<T>)b); }
template <class T> DEV bool fits_sub(T a, T b) { return fits<T>((Wide<T>)a - (Wide<T>)b); }
template <class T> DEV bool fits_mul(T a, T b) { return fits<T>((Wide<T>)a * (Wide<T>)b); }
template <class T> DEV bool fits_div(T a, T b) {
    return b != 0 && !(SIGNED<T> && a == lowest<T>() && b == T(-1));
}
template <class T> DEV bool fits_abs(T a) { return !SIGNED<T> || a != lowest<T>(); }
template <class T> DEV bool fits_neg(T a) { return SIGNED<T> ? a != lowest<T>() : a == 0; }

// ---- shifts of integers by the lowest bits of a number

template <class T> DEV T shifted_left(T a, T by) { return (T)((Wrapping<T>)a << ((u32)by & (8 * sizeof(T) - 1))); }
template <class T> DEV T shifted_right(T a, T by) { return (T)(a >> ((u32)by & (8 * sizeof(T) - 1))); }
template <class T> DEV bool is_shift(T by) { return by >= T(0) && by < T(8 * sizeof(T)); }

// ---- comparison

// Maximum and minimum of two elements. The result is NaN if an operand is NaN.
template <class T> DEV T larger(T a, T b) { return b > a || b != b ? b : a; }
template <class T> DEV T smaller(T a, T b) { return b < a || b != b ? b : a; }

template <class T> DEV T signum(T a) {
    if constexpr (FLOAT<T> || SIGNED<T>) return a > T(0) ? T(1) : a < T(0) ? T(-1) : a;
    else return a > T(0) ? T(1) : a;
}

template <class F> DEV bool is_nan(F a) { return a != a; }
template <class F> DEV bool is_nan(Complex<F> a) { return is_nan(a.re) || is_nan(a.im); }
template <class F> DEV bool is_finite(F a) { return a - a == F(0); }
template <class F> DEV bool is_finite(Complex<F> a) { return is_finite(a.re) && is_finite(a.im); }
template <class F> DEV bool is_infinite(F a) { return !is_finite(a) && !is_nan(a); }
template <class F> DEV bool is_infinite(Complex<F> a) { return is_infinite(a.re) || is_infinite(a.im); }

// Returns whether two numbers are equal or within a tolerance, with the formulas of `Scalar::is_close`.
template <class T, class M> DEV bool is_close(T a, T b, M relative, M absolute) {
    if (a == b) return true;
    if constexpr (INTEGER<T>) {
        u64 size = SIGNED<T> && b < T(0) ? 0 - (u64)b : (u64)b;
        return (a > b ? (u64)a - (u64)b : (u64)b - (u64)a) <= saturated<u64>(absolute + relative * (M)size);
    } else if constexpr (FLOAT<T>) {
        if (!is_finite(b)) return false;
        T scale = is_infinite(a - b) && is_finite(a) ? T(0.5) : T(1);
        return fabs(a * scale - b * scale) <= absolute * scale + relative * fabs(b * scale);
    } else {
        if (!is_finite(b)) return false;
        M most = highest_finite<M>() / 4;
        M scale = fabs(a.re) > most || fabs(a.im) > most || fabs(b.re) > most || fabs(b.im) > most ? M(0.25) : M(1);
        T x = {a.re * scale - b.re * scale, a.im * scale - b.im * scale}, y = {b.re * scale, b.im * scale};
        return modulus(x) <= absolute * scale + relative * modulus(y);
    }
}

// Inverts all bits; a bool has one bit.
template <class T> DEV T inverted(T a) { return (T)~a; }
DEV bool inverted(bool a) { return !a; }

// ---- integer powers by repeated squaring, with the same order of multiplications as on the CPU

DEV u32 distance_from_zero(i32 n) { return n < 0 ? 0u - (u32)n : (u32)n; }

// Returns base^n. Calls `visit` with both factors before each multiplication.
template <class T, class Visit> DEV T repeated_squaring(T base, u64 n, Visit visit) {
    T product = cast<T>(1);
    while (n > 0) {
        if (n & 1) {
            visit(product, base);
            product = wrapping_mul(product, base);
        }
        n >>= 1;
        if (n > 0) {
            visit(base, base);
            base = wrapping_mul(base, base);
        }
    }
    return product;
}
template <class T> DEV bool fits_power(T a, i32 n) {
    if (n < 0) return a != T(0);
    bool fits = true;
    repeated_squaring(a, (u32)n, [&](T x, T y) { fits = fits && fits_mul(x, y); });
    return fits;
}

// ---- accumulation: `beta * before + alpha * now`; an operand with a zero factor is ignored

template <class T> DEV T scaled(T factor, T x) { return factor == cast<T>(1) ? x : wrapping_mul(factor, x); }
template <class T> DEV T blend(T beta, T before, T alpha, T now) {
    if (beta == cast<T>(0)) return alpha == cast<T>(0) ? cast<T>(0) : scaled(alpha, now);
    if (alpha == cast<T>(0)) return scaled(beta, before);
    return wrapping_add(scaled(beta, before), scaled(alpha, now));
}
template <class T> DEV bool fits_blend(T beta, T before, T alpha, T now) {
    Wide<T> kept = (Wide<T>)beta * (Wide<T>)before, added = (Wide<T>)alpha * (Wide<T>)now;
    if constexpr (SIGNED<T>) {
        // The wide sum overflows only if both products are near the maximum of the wide type. Then the sum of their halves, which
        // cannot overflow, does not fit T, so the wide sum is not computed.
        return fits<T>(kept / 2 + added / 2) && fits<T>(kept + added);
    } else {
        return kept + added >= kept && fits<T>(kept + added);
    }
}

// ---- correlation coefficients: limits each part to -1 .. 1

template <class F> DEV F clamp_parts(F x) { return x > F(1) ? F(1) : x < F(-1) ? F(-1) : x; }
template <class F> DEV Complex<F> clamp_parts(Complex<F> x) { return {clamp_parts(x.re), clamp_parts(x.im)}; }

// ---- generators

template <class T> DEV T ramp(T start, T step, u64 k) {
    if constexpr (INTEGER<T>) return (T)((u64)start + k * (u64)step);
    else return start + (T)k * step;
}
template <class T> DEV T between(T start, T end, u64 last, u64 k) {
    if (k == last && k > 0) return end;
    return start + (T)k * ((end - start) / (T)(last > 0 ? last : 1));
}
