//! The standard form of real 2 × 2 matrices. Either the matrix is upper triangular, or its diagonal elements are equal (`a`) and
//! its other elements (`b` and `c`) have opposite signs. In the second case, the eigenvalues are `a ± i·√(-b·c)`.

use crate::element::RealFloat;

/// The standard form `block` of a matrix, and the rotation `r` = `[[cosine, -sine], [sine, cosine]]`. The matrix is
/// `r · block · rᵀ`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standard<R> {
    pub(super) block: [[R; 2]; 2],
    pub(super) cosine: R,
    pub(super) sine: R,
}

impl<R: RealFloat> Standard<R> {
    pub(super) fn of([[a, b], [c, d]]: [[R; 2]; 2]) -> Self {
        let (zero, one, half) = (R::zero(), R::one(), R::from_f64(0.5));
        if c == zero {
            return Standard { block: [[a, b], [zero, d]], cosine: one, sine: zero };
        }
        if b == zero {
            // Exchange the two rows and the two columns.
            return Standard { block: [[d, -c], [zero, a]], cosine: zero, sine: one };
        }
        let difference = a - d;
        if difference == zero && (b > zero) != (c > zero) {
            return Standard { block: [[a, b], [c, d]], cosine: one, sine: zero };
        }
        let p = difference * half;
        let (larger, smaller) = (b.abs().max(c.abs()), b.abs().min(c.abs()) * b.signum() * c.signum());
        let size = p.abs().max(larger);
        // (p² + b·c) / size. If it is positive, the eigenvalues are real.
        let discriminant = p / size * p + larger / size * smaller;
        if discriminant >= R::from_f64(4.0) * R::epsilon() {
            let z = p + (size.sqrt() * discriminant.sqrt()).copysign(p);
            let norm = c.hypot(z);
            let block = [[d + z, b - c], [zero, d - larger / z * smaller]];
            return Standard { block, cosine: z / norm, sine: c / norm };
        }
        // The eigenvalues are complex, or real and nearly equal: make the elements of the diagonal equal.
        let sum = b + c;
        let norm = sum.hypot(difference);
        let cosine = (half * (one + sum.abs() / norm)).sqrt();
        let sine = -(p / (norm * cosine)) * sum.signum();
        let [[a1, b1], [c1, d1]] =
            [[a * cosine + b * sine, b * cosine - a * sine], [c * cosine + d * sine, d * cosine - c * sine]];
        let (a, b) = (a1 * cosine + c1 * sine, b1 * cosine + d1 * sine);
        let (c, d) = (c1 * cosine - a1 * sine, d1 * cosine - b1 * sine);
        let mean = (a + d) * half;
        if c == zero {
            return Standard { block: [[mean, b], [zero, mean]], cosine, sine };
        }
        if b == zero {
            return Standard { block: [[mean, -c], [zero, mean]], cosine: -sine, sine: cosine };
        }
        if (b > zero) != (c > zero) {
            return Standard { block: [[mean, b], [c, mean]], cosine, sine };
        }
        // The eigenvalues are real after all: mean ± √(b·c).
        let [of_b, of_c] = [b, c].map(|x| x.abs().sqrt());
        let p = (of_b * of_c).copysign(c);
        let by = one / (b + c).abs().sqrt();
        let (cosine1, sine1) = (of_b * by, of_c * by);
        Standard {
            block: [[mean + p, b - c], [zero, mean - p]],
            cosine: cosine * cosine1 - sine * sine1,
            sine: cosine * sine1 + sine * cosine1,
        }
    }
}
