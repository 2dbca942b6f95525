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
template <class F> DEV Complex<F> exp2(Complex<F> a) { return polar(exp2(a.re), a.im * ln_2<F>()); }
template <class F> DEV Complex<F> log(Complex<F> a) { return {log(modulus(a)), arg(a)}; }
template <class F> DEV Complex<F> log2(Complex<F> a) { return log(a) / ln_2<F>(); }
template <class F> DEV Complex<F> log10(Complex<F> a) { return log(a) / ln_10<F>(); }
template <class F> DEV Complex<F> sqrt(Complex<F> a) {
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
template <class F> DEV Complex<F> pow(Complex<F> a, RealOf<F> n) {
    if (n == F(0)) return {F(1), F(0)};
    return polar(pow(modulus(a), n), arg(a) * n);
}
template <class F> DEV Complex<F> pow(Complex<F> a, Complex<F> n) {
    if (n.im == F(0)) return pow(a, n.re);
    if (a.re == F(0) && a.im == F(0) && n.re > F(0)) return {F(0), F(0)};
    return exp(n * log(a));
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

// The factors i and 2 and the term 1 are complex numbers, as in num-complex. Real factors would give other results for infinities.
template <class F> DEV Complex<F> asin(Complex<F> a) {
    Complex<F> i = {F(0), F(1)}, one = {F(1), F(0)};
    return -i * log(sqrt(one - a * a) + i * a);
}
template <class F> DEV Complex<F> acos(Complex<F> a) {
    Complex<F> i = {F(0), F(1)}, one = {F(1), F(0)};
    return -i * log(i * sqrt(one - a * a) + a);
}
template <class F> DEV Complex<F> atan(Complex<F> a) {
    Complex<F> i = {F(0), F(1)}, one = {F(1), F(0)}, two = {F(2), F(0)};
    if (a == i) return {F(0), infinity<F>()};
    if (a == -i) return {F(0), -infinity<F>()};
    return (log(one + i * a) - log(one - i * a)) / (two * i);
}
template <class F> DEV Complex<F> asinh(Complex<F> a) {
    Complex<F> one = {F(1), F(0)};
    return log(a + sqrt(one + a * a));
}
template <class F> DEV Complex<F> acosh(Complex<F> a) {
    Complex<F> one = {F(1), F(0)}, two = {F(2), F(0)};
    return two * log(sqrt((a + one) / two) + sqrt((a - one) / two));
}
template <class F> DEV Complex<F> atanh(Complex<F> a) {
    Complex<F> one = {F(1), F(0)}, two = {F(2), F(0)};
    if (a == one) return {infinity<F>(), F(0)};
    if (a == -one) return {-infinity<F>(), F(0)};
    return (log(one + a) - log(one - a)) / two;
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
