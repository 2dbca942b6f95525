// The algorithms of the emulated cuSOLVER: plain loops over matrices in a more precise type.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

// `Type` is the more precise type for elements of type `E`. `Real` is the type of its real and imaginary parts.
template <class E> struct Widened;
template <> struct Widened<float> { typedef double Type, Real; };
template <> struct Widened<double> { typedef long double Type, Real; };
template <> struct Widened<std::complex<float>> { typedef std::complex<double> Type; typedef double Real; };
template <> struct Widened<std::complex<double>> { typedef std::complex<long double> Type; typedef long double Real; };
template <class E> using Wide = typename Widened<E>::Type;
template <class E> using WideReal = typename Widened<E>::Real;

template <class W> struct Parts { typedef W Real; };
template <class F> struct Parts<std::complex<F>> { typedef F Real; };
template <class W> using Real = typename Parts<W>::Real;

inline double conjugate(double x) { return x; }
inline long double conjugate(long double x) { return x; }
template <class F> std::complex<F> conjugate(std::complex<F> x) { return std::conj(x); }
// Writes a number of absolute value 1 to `to`. It depends on the column `j`.
inline void phase(int j, double &to) { to = j % 2 ? 1 : -1; }
inline void phase(int j, long double &to) { to = j % 2 ? 1 : -1; }
template <class F> void phase(int j, std::complex<F> &to) { to = std::polar((F)1, (F)(j + 1)); }

template <class E> E narrow(double x) { return (E)x; }
template <class E> E narrow(long double x) { return (E)x; }
template <class E, class F> E narrow(std::complex<F> x) { return {(typename E::value_type)x.real(), (typename E::value_type)x.imag()}; }
inline double widen(float x) { return x; }
inline long double widen(double x) { return x; }
template <class F> std::complex<decltype(widen(F()))> widen(std::complex<F> x) { return {widen(x.real()), widen(x.imag())}; }

// A matrix in column-major order.
template <class W> struct Matrix {
    int rows, columns;
    std::vector<W> at;
    Matrix(int rows, int columns) : rows(rows), columns(columns), at((size_t)rows * columns) {}
    W &operator()(int i, int j) { return at[i + (size_t)j * rows]; }
    const W &operator()(int i, int j) const { return at[i + (size_t)j * rows]; }
};

template <class E> Matrix<Wide<E>> load(const E *a, int rows, int columns, int64_t ld) {
    Matrix<Wide<E>> to(rows, columns);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) to(i, j) = widen(a[i + j * ld]);
    return to;
}
template <class W, class E> void store(const Matrix<W> &from, E *to, int64_t ld) {
    for (int j = 0; j < from.columns; j++)
        for (int i = 0; i < from.rows; i++) to[i + j * ld] = narrow<E>(from(i, j));
}

// Returns the inner product of column `p` of `a` and column `q` of `b`, from row `from` on.
template <class W> W inner(const Matrix<W> &a, int p, const Matrix<W> &b, int q, int from = 0) {
    W sum = 0;
    for (int i = from; i < a.rows; i++) sum += conjugate(a(i, p)) * b(i, q);
    return sum;
}

// Returns the sum of the squared absolute values of column `p`.
template <class W> Real<W> squares(const Matrix<W> &a, int p) {
    Real<W> sum = 0;
    for (int i = 0; i < a.rows; i++) sum += std::norm(a(i, p));
    return sum;
}

// ---- linear systems

// Overwrites a matrix by its LU decomposition with partial pivoting. Returns the number of the first pivot that is 0, counted from 1, or 0
// if there is none. As in cuSOLVER, the elements after this pivot are NaN.
template <class W> int lu(Matrix<W> &a, int *pivots) {
    int info = 0;
    for (int k = 0; k < std::min(a.rows, a.columns); k++) {
        int pivot = k;
        auto size = [&](int i) { return std::abs(std::real(a(i, k))) + std::abs(std::imag(a(i, k))); };
        for (int i = k + 1; i < a.rows; i++)
            if (size(i) > size(pivot)) pivot = i;
        pivots[k] = pivot + 1;
        for (int j = 0; j < a.columns; j++) std::swap(a(k, j), a(pivot, j));
        if (a(k, k) == W(0) && !info) info = k + 1;
        for (int i = k + 1; i < a.rows; i++) {
            a(i, k) = a(i, k) / a(k, k);
            for (int j = k + 1; j < a.columns; j++) a(i, j) -= a(i, k) * a(k, j);
        }
    }
    return info;
}

template <class W> void lu_solve(const Matrix<W> &a, const int *pivots, Matrix<W> &x) {
    for (int j = 0; j < x.columns; j++) {
        for (int i = 0; i < a.rows; i++) std::swap(x(i, j), x(pivots[i] - 1, j));
        for (int i = 0; i < a.rows; i++)
            for (int k = 0; k < i; k++) x(i, j) -= a(i, k) * x(k, j);
        for (int i = a.rows - 1; i >= 0; i--) {
            for (int k = i + 1; k < a.rows; k++) x(i, j) -= a(i, k) * x(k, j);
            x(i, j) = x(i, j) / a(i, i);
        }
    }
}

// Overwrites the lower triangle of a matrix by its Cholesky factor. Returns the order of the first leading minor that is not positive, or 0
// if all are positive.
template <class W> int cholesky(Matrix<W> &a) {
    for (int j = 0; j < a.rows; j++) {
        Real<W> d = std::real(a(j, j));
        for (int k = 0; k < j; k++) d -= std::norm(a(j, k));
        if (!(d > 0)) return j + 1;
        d = std::sqrt(d);
        a(j, j) = d;
        for (int i = j + 1; i < a.rows; i++) {
            for (int k = 0; k < j; k++) a(i, j) -= a(i, k) * conjugate(a(j, k));
            a(i, j) = a(i, j) / W(d);
        }
    }
    return 0;
}

template <class W> void cholesky_solve(const Matrix<W> &l, Matrix<W> &x) {
    for (int j = 0; j < x.columns; j++) {
        for (int i = 0; i < l.rows; i++) {
            for (int k = 0; k < i; k++) x(i, j) -= l(i, k) * x(k, j);
            x(i, j) = x(i, j) / l(i, i);
        }
        for (int i = l.rows - 1; i >= 0; i--) {
            for (int k = i + 1; k < l.rows; k++) x(i, j) -= conjugate(l(k, i)) * x(k, j);
            x(i, j) = x(i, j) / l(i, i);
        }
    }
}

// ---- QR

// Applies 1 - tau·v·vᴴ to column `j` of `a`. Below the diagonal, v is column `k` of `vectors`. On the diagonal it is 1, and above it 0.
template <class W> void reflect(const Matrix<W> &vectors, int k, W tau, Matrix<W> &a, int j) {
    W sum = a(k, j);
    for (int i = k + 1; i < a.rows; i++) sum += conjugate(vectors(i, k)) * a(i, j);
    sum *= tau;
    a(k, j) -= sum;
    for (int i = k + 1; i < a.rows; i++) a(i, j) -= vectors(i, k) * sum;
}

// Overwrites a matrix by its QR decomposition: R, and the vectors of the Householder reflections below the diagonal.
template <class W> void qr(Matrix<W> &a, Matrix<W> &tau) {
    for (int k = 0; k < tau.rows; k++) {
        Real<W> below = 0;
        for (int i = k + 1; i < a.rows; i++) below += std::norm(a(i, k));
        W alpha = a(k, k);
        tau(k, 0) = 0;
        if (below == 0 && std::imag(alpha) == 0) continue;
        Real<W> beta = std::sqrt(below + std::norm(alpha));
        if (std::real(alpha) > 0) beta = -beta;
        tau(k, 0) = (W(beta) - alpha) / W(beta);
        for (int i = k + 1; i < a.rows; i++) a(i, k) = a(i, k) / (alpha - W(beta));
        a(k, k) = beta;
        for (int j = k + 1; j < a.columns; j++) reflect(a, k, conjugate(tau(k, 0)), a, j);
    }
}

// Returns the first `columns` columns of the product of the Householder reflections.
template <class W> Matrix<W> reflections(const Matrix<W> &vectors, const Matrix<W> &tau, int columns) {
    Matrix<W> q(vectors.rows, columns);
    for (int j = 0; j < columns; j++) {
        q(j, j) = 1;
        for (int k = tau.rows - 1; k >= 0; k--) reflect(vectors, k, tau(k, 0), q, j);
    }
    return q;
}

// ---- methods of Jacobi

// The Jacobi rotation that diagonalises a Hermitian 2 × 2 matrix with the diagonal `p`, `q` and the off-diagonal element `between`.
template <class W> struct Rotation {
    Real<W> c, s;
    W turn;
    Rotation(Real<W> p, Real<W> q, W between) {
        Real<W> size = std::abs(between), tau = (q - p) / (2 * size);
        Real<W> t = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
        c = 1 / std::sqrt(1 + t * t);
        s = t * c;
        turn = conjugate(between) / size;
    }
    void columns(Matrix<W> &a, int p, int q) const {
        for (int i = 0; i < a.rows; i++) {
            W x = a(i, p), y = a(i, q) * turn;
            a(i, p) = c * x - s * y;
            a(i, q) = s * x + c * y;
        }
    }
};

template <class W> Matrix<W> identity(int n) {
    Matrix<W> to(n, n);
    for (int j = 0; j < n; j++) to(j, j) = 1;
    return to;
}

// Returns the columns of `a` in the given order. Column `j` of the result is multiplied by `phase(j)`.
template <class W> Matrix<W> sorted(const Matrix<W> &a, const std::vector<int> &order) {
    Matrix<W> to(a.rows, a.columns);
    for (int j = 0; j < a.columns; j++) {
        W by;
        phase(j, by);
        for (int i = 0; i < a.rows; i++) to(i, j) = a(i, order[j]) * by;
    }
    return to;
}

const int MAX_SWEEPS = 60;

// Returns the eigenvectors of the Hermitian matrix whose lower triangle is that of `a`, and writes its eigenvalues to `values`.
template <class W> Matrix<W> eigh(Matrix<W> a, std::vector<Real<W>> &values) {
    const int n = a.rows;
    Real<W> all = 0;
    for (int j = 0; j < n; j++) {
        a(j, j) = std::real(a(j, j));
        for (int i = j; i < n; i++) a(j, i) = conjugate(a(i, j)), all += std::norm(a(i, j));
    }
    Matrix<W> v = identity<W>(n);
    const Real<W> small = std::sqrt(all) * std::numeric_limits<Real<W>>::epsilon() / 8;
    bool rotates = true;
    for (int sweep = 0; rotates && sweep < MAX_SWEEPS; sweep++) {
        rotates = false;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (std::abs(a(p, q)) <= small) continue;
                rotates = true;
                Rotation<W> rotation(std::real(a(p, p)), std::real(a(q, q)), a(p, q));
                rotation.columns(a, p, q);
                for (int i = 0; i < n; i++) {
                    W x = a(p, i), y = a(q, i) * conjugate(rotation.turn);
                    a(p, i) = rotation.c * x - rotation.s * y;
                    a(q, i) = rotation.s * x + rotation.c * y;
                }
                rotation.columns(v, p, q);
            }
    }
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int p, int q) { return std::real(a(p, p)) < std::real(a(q, q)); });
    values.clear();
    for (int j : order) values.push_back(std::real(a(j, j)));
    return sorted(v, order);
}

// Overwrites the columns from `from` on, so that all columns are orthonormal. The columns before `from` must be orthonormal.
template <class W> void complete(Matrix<W> &a, int from) {
    for (int j = from, next = 0; j < a.columns; next++) {
        for (int i = 0; i < a.rows; i++) a(i, j) = i == next;
        for (int twice = 0; twice < 2; twice++)
            for (int k = 0; k < j; k++) {
                W by = inner(a, k, a, j);
                for (int i = 0; i < a.rows; i++) a(i, j) -= a(i, k) * by;
            }
        Real<W> size = std::sqrt(squares(a, j));
        if (size < 0.5 / std::sqrt((Real<W>)a.rows)) continue;
        for (int i = 0; i < a.rows; i++) a(i, j) = a(i, j) / W(size);
        W by;
        phase(j, by);
        for (int i = 0; i < a.rows; i++) a(i, j) *= by;
        j++;
    }
}

// Computes singular values and vectors. Singular values that differ from 0 only by rounding errors become 0.
template <class W> void svd(Matrix<W> a, std::vector<Real<W>> &values, Matrix<W> &u, Matrix<W> &v) {
    if (a.rows < a.columns) {
        Matrix<W> turned(a.columns, a.rows);
        for (int j = 0; j < a.columns; j++)
            for (int i = 0; i < a.rows; i++) turned(j, i) = conjugate(a(i, j));
        return svd(turned, values, v, u);
    }
    const int n = a.columns;
    const Real<W> unit = std::numeric_limits<Real<W>>::epsilon();
    Matrix<W> right = identity<W>(n);
    Real<W> all = 0;
    for (int j = 0; j < n; j++) all += squares(a, j);
    const Real<W> tiny = std::sqrt(all) * unit * a.rows;
    bool rotates = true;
    for (int sweep = 0; rotates && sweep < MAX_SWEEPS; sweep++) {
        rotates = false;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                Real<W> x = squares(a, p), y = squares(a, q);
                W between = inner(a, p, a, q);
                if (std::min(x, y) <= tiny * tiny || std::abs(between) <= unit * std::sqrt(x) * std::sqrt(y)) continue;
                rotates = true;
                Rotation<W> rotation(x, y, between);
                rotation.columns(a, p, q);
                rotation.columns(right, p, q);
            }
    }
    std::vector<Real<W>> sizes(n);
    for (int j = 0; j < n; j++) sizes[j] = std::sqrt(squares(a, j));
    for (auto &size : sizes)
        if (size <= tiny) size = 0;
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int p, int q) { return sizes[p] > sizes[q]; });
    Matrix<W> left = sorted(a, order);
    right = sorted(right, order);
    values.clear();
    int rank = 0;
    for (int j = 0; j < n; j++) {
        values.push_back(sizes[order[j]]);
        for (int i = 0; i < v.rows; i++) v(i, j) = right(i, j);
        if (values[j] == 0) continue;
        rank++;
        for (int i = 0; i < u.rows; i++) u(i, j) = left(i, j) / W(values[j]);
    }
    complete(u, rank);
}
