//! The QR algorithm of Francis for real Hessenberg matrices. Each sweep has two shifts, which are real or conjugates of each other, so all
//! arithmetic is real. See Golub and Van Loan, Matrix Computations, section 7.5.

use super::super::Failure;
use super::super::square::Square;
use super::deflation::{EXCEPTIONAL_SWEEPS, MAX_SWEEPS, magnification, start_of_block};
use super::standard::Standard;
use crate::element::RealFloat;

/// Transforms the Hessenberg matrix `h` into a quasi-triangular matrix. Each of its 2 × 2 diagonal blocks has a pair of conjugate complex
/// eigenvalues, and the form that [`Standard`] describes. Multiplies `z` by the orthogonal transformation, so `z · h · zᵀ` does not change.
///
/// # Errors
/// [`Failure::NotConverged`].
pub(super) fn triangularise<R: RealFloat>(
    h: &mut Square<'_, R>,
    z: &mut Square<'_, R>,
) -> Result<(), Failure> {
    let mut end = h.n();
    let mut sweeps = 0;
    while end > 0 {
        let start = start_of_block(h, end, R::abs);
        match end - start {
            1 => (end, sweeps) = (start, 0),
            2 => {
                standardise(h, z, start);
                (end, sweeps) = (start, 0);
            }
            _ => {
                sweeps += 1;
                if sweeps > MAX_SWEEPS {
                    return Err(Failure::NotConverged);
                }
                let shifts = if sweeps % EXCEPTIONAL_SWEEPS == 0 {
                    Shifts::exceptional(h, end)
                } else {
                    Shifts::of_last_two_rows(h, end)
                };
                sweep(h, z, start, end, shifts);
            }
        }
    }
    Ok(())
}

/// Brings the block of the rows `k` and `k + 1` to the standard form.
fn standardise<R: RealFloat>(h: &mut Square<'_, R>, z: &mut Square<'_, R>, k: usize) {
    let Standard { block: [[a, b], [c, d]], cosine, sine } =
        Standard::of([[h[(k, k)], h[(k, k + 1)]], [h[(k + 1, k)], h[(k + 1, k + 1)]]]);
    let rotate = |x: &mut R, y: &mut R| (*x, *y) = (cosine * *x + sine * *y, cosine * *y - sine * *x);
    h.for_rows(k, k + 2, |[x, y]| rotate(x, y));
    h.for_two_columns(k, k, rotate);
    let n = z.n();
    z.for_two_columns(k, n, rotate);
    (h[(k, k)], h[(k, k + 1)], h[(k + 1, k)], h[(k + 1, k + 1)]) = (a, b, c, d);
}

/// Two shifts: real numbers, or a complex number and its conjugate.
#[derive(Debug, Clone, Copy)]
struct Shifts<R> {
    re: [R; 2],
    /// The imaginary part of the first shift. That of the second shift has the opposite sign.
    im: R,
}

impl<R: RealFloat> Shifts<R> {
    fn of_last_two_rows(h: &Square<'_, R>, end: usize) -> Self {
        let (i, j) = (end - 2, end - 1);
        Shifts::of_block([[h[(i, i)], h[(i, j)]], [h[(j, i)], h[(j, j)]]])
    }

    /// Returns shifts that differ from those of the last two rows, so that the sweeps do not repeat in a cycle.
    fn exceptional(h: &Square<'_, R>, end: usize) -> Self {
        let size = h[(end - 1, end - 2)].abs() + h[(end - 2, end - 3)].abs();
        let diagonal = R::from_f64(0.75) * size + h[(end - 1, end - 1)];
        Shifts::of_block([[diagonal, R::from_f64(-0.4375) * size], [size, diagonal]])
    }

    /// Returns the eigenvalues of a 2 × 2 matrix as shifts. If they are real, both shifts are the eigenvalue that is nearer to the
    /// last element of the matrix, `d`.
    fn of_block([[a, b], [c, d]]: [[R; 2]; 2]) -> Self {
        let size = a.abs() + b.abs() + c.abs() + d.abs();
        if size == R::zero() {
            return Shifts { re: [R::zero(); 2], im: R::zero() };
        }
        let [a, b, c, d] = [a, b, c, d].map(|x| x / size);
        let mean = (a + d) * R::from_f64(0.5);
        let determinant = (a - mean) * (d - mean) - b * c;
        let root = determinant.abs().sqrt();
        if determinant >= R::zero() {
            return Shifts { re: [mean * size; 2], im: root * size };
        }
        let (larger, smaller) = (mean + root, mean - root);
        let nearer = if (larger - d).abs() <= (smaller - d).abs() { larger } else { smaller };
        Shifts { re: [nearer * size; 2], im: R::zero() }
    }

    /// Returns a multiple of the first three elements of the first column of `(b - shift₀) · (b - shift₁)`. `b` consists of the rows and
    /// columns of `h` from `m` on.
    fn first_column(self, h: &Square<'_, R>, m: usize) -> [R; 3] {
        let ([first, second], im) = (self.re, self.im);
        let below = h[(m + 1, m)];
        let size = (h[(m, m)] - second).abs() + im.abs() + below.abs();
        if size == R::zero() {
            return [R::one(), R::zero(), R::zero()];
        }
        let scaled = below / size;
        let column = [
            scaled * h[(m, m + 1)] + (h[(m, m)] - first) * ((h[(m, m)] - second) / size) + im * (im / size),
            scaled * (h[(m, m)] + h[(m + 1, m + 1)] - first - second),
            scaled * h[(m + 2, m + 1)],
        ];
        let size = column.into_iter().map(R::abs).fold(R::zero(), |sum, x| sum + x);
        if size == R::zero() { column } else { column.map(|x| x / size) }
    }
}

/// Performs one implicit double QR step on the block `start..end`, of at least three rows.
fn sweep<R: RealFloat>(
    h: &mut Square<'_, R>,
    z: &mut Square<'_, R>,
    start: usize,
    end: usize,
    shifts: Shifts<R>,
) {
    // The step can begin at a later row if two consecutive elements below the diagonal are small.
    let mut first = end - 3;
    let mut column = shifts.first_column(h, first);
    while first > start {
        let around =
            h[(first - 1, first - 1)].abs() + h[(first, first)].abs() + h[(first + 1, first + 1)].abs();
        let below = h[(first, first - 1)].abs() * (column[1].abs() + column[2].abs());
        if below <= R::epsilon() * column[0].abs() * around {
            break;
        }
        first -= 1;
        column = shifts.first_column(h, first);
    }
    let n = z.n();
    for k in first..end - 2 {
        if k > first {
            column = [h[(k, k - 1)], h[(k + 1, k - 1)], h[(k + 2, k - 1)]];
        }
        let Reflection { v: [v1, v2], by, to } = Reflection::<R, 2>::that_removes(column);
        if k > first {
            h[(k, k - 1)] = to;
            h[(k + 1, k - 1)] = R::zero();
            h[(k + 2, k - 1)] = R::zero();
        } else if first > start {
            // The reflection also changes the two elements below `h[(k, k - 1)]`, which are 0. Their new values are negligible, so they
            // remain 0.
            h[(k, k - 1)] *= R::one() - by;
        }
        let reflect = |x: &mut R, y: &mut R, z: &mut R| {
            let sum = (*x + v1 * *y + v2 * *z) * by;
            *x -= sum;
            *y -= sum * v1;
            *z -= sum * v2;
        };
        h.for_rows(k, k, |[x, y, z]| reflect(x, y, z));
        h.for_three_columns(k, (k + 4).min(end), reflect);
        z.for_three_columns(k, n, reflect);
    }
    // The last reflection has two rows.
    let k = end - 2;
    let Reflection { v: [v1], by, to } = Reflection::<R, 1>::that_removes([h[(k, k - 1)], h[(k + 1, k - 1)]]);
    h[(k, k - 1)] = to;
    h[(k + 1, k - 1)] = R::zero();
    let reflect = |x: &mut R, y: &mut R| {
        let sum = (*x + v1 * *y) * by;
        *x -= sum;
        *y -= sum * v1;
    };
    h.for_rows(k, k, |[x, y]| reflect(x, y));
    h.for_two_columns(k, end, reflect);
    z.for_two_columns(k, n, reflect);
}

/// The orthogonal matrix `1 - by · w · wᵀ`, where `w` is 1 followed by `v`.
#[derive(Debug, Clone, Copy)]
struct Reflection<R, const K: usize> {
    v: [R; K],
    by: R,
    /// The first element of the product of this matrix and the vector that was passed to `that_removes`. The other elements of the
    /// product are 0.
    to: R,
}

impl<R: RealFloat> Reflection<R, 2> {
    fn that_removes(column: [R; 3]) -> Self {
        // Denormal numbers have few digits, so small operands are scaled up.
        let (up, down) = magnification(column[0].abs().max(column[1].abs()).max(column[2].abs()));
        let [x, y, z] = column.map(|x| x * up);
        let rest = y.hypot(z);
        if rest == R::zero() {
            return Reflection { v: [R::zero(); 2], by: R::zero(), to: column[0] };
        }
        // The sign avoids cancellation.
        let to = -x.hypot(rest).copysign(x);
        Reflection { v: [y / (x - to), z / (x - to)], by: (to - x) / to, to: to * down }
    }
}

impl<R: RealFloat> Reflection<R, 1> {
    fn that_removes(column: [R; 2]) -> Self {
        let (up, down) = magnification(column[0].abs().max(column[1].abs()));
        let [x, y] = column.map(|x| x * up);
        if y == R::zero() {
            return Reflection { v: [R::zero()], by: R::zero(), to: column[0] };
        }
        let to = -x.hypot(y).copysign(x);
        Reflection { v: [y / (x - to)], by: (to - x) / to, to: to * down }
    }
}
