//! The QR algorithm for complex Hessenberg matrices, with one shift per sweep.

use super::super::Failure;
use super::super::square::Square;
use super::deflation::{EXCEPTIONAL_SWEEPS, MAX_SWEEPS, magnification, start_of_block};
use crate::element::{Inexact, RealFloat};
use num_complex::Complex;
use num_traits::{Float, Zero};

/// Transforms the Hessenberg matrix `h` into an upper triangular matrix, and multiplies `z` by the unitary transformation: `z · h · zᴴ`
/// does not change.
///
/// # Errors
/// [`Failure::NotConverged`].
pub(super) fn triangularise<R: RealFloat>(
    h: &mut Square<'_, Complex<R>>,
    z: &mut Square<'_, Complex<R>>,
) -> Result<(), Failure>
where
    Complex<R>: Inexact<Magnitude = R>,
{
    let mut end = h.n();
    let mut sweeps = 0;
    while end > 0 {
        let start = start_of_block(h, end, taxicab);
        if start == end - 1 {
            end -= 1;
            sweeps = 0;
            continue;
        }
        sweeps += 1;
        if sweeps > MAX_SWEEPS {
            return Err(Failure::NotConverged);
        }
        let shift = if sweeps % EXCEPTIONAL_SWEEPS == 0 {
            let by = h[(end - 1, end - 2)].norm() * R::from_f64(0.75);
            h[(end - 1, end - 1)] + Complex::from(by)
        } else {
            nearer_eigenvalue(h, end)
        };
        sweep(h, z, start, end, shift);
    }
    Ok(())
}

/// Returns the Wilkinson shift: the eigenvalue of the last 2 × 2 diagonal block of `..end` that is nearer to the block's last
/// element.
fn nearer_eigenvalue<R: RealFloat>(h: &Square<'_, Complex<R>>, end: usize) -> Complex<R>
where
    Complex<R>: Inexact<Magnitude = R>,
{
    let last = h[(end - 1, end - 1)];
    let product = h[(end - 2, end - 1)].sqrt() * h[(end - 1, end - 2)].sqrt();
    let half = (h[(end - 2, end - 2)] - last).scale(R::from_f64(0.5));
    let scale = Float::max(taxicab(product), taxicab(half));
    if product.is_zero() || scale == R::zero() {
        return last;
    }
    // After the division by `scale`, the larger number has a magnitude of about 1. So no square overflows, and at most one underflows.
    let (x, y) = (half.unscale(scale), product.unscale(scale));
    let mut root = (x * x + y * y).sqrt();
    // Choose the sign of `root` for which the sum `x + root` has no cancellation.
    if x.re * root.re + x.im * root.im < R::zero() {
        root = -root;
    }
    last - (y * (y / (x + root))).scale(scale)
}

/// Returns the sum of the absolute values of the real and of the imaginary part.
fn taxicab<R: RealFloat>(x: Complex<R>) -> R {
    x.re.abs() + x.im.abs()
}

/// Performs one implicit QR step with a shift on the block `start..end`.
fn sweep<R: RealFloat>(
    h: &mut Square<'_, Complex<R>>,
    z: &mut Square<'_, Complex<R>>,
    start: usize,
    end: usize,
    shift: Complex<R>,
) where
    Complex<R>: Inexact<Magnitude = R>,
{
    for k in start..end - 1 {
        let (x, y) =
            if k == start { (h[(k, k)] - shift, h[(k + 1, k)]) } else { (h[(k, k - 1)], h[(k + 1, k - 1)]) };
        let Rotation { c, s, r } = Rotation::that_removes(x, y);
        if k > start {
            h[(k, k - 1)] = r;
            h[(k + 1, k - 1)] = Complex::zero();
        }
        h.for_rows(k, k, |[x, y]| (*x, *y) = (x.scale(c) + s * *y, y.scale(c) - s.conj() * *x));
        let columns = |x: &mut Complex<R>, y: &mut Complex<R>| {
            (*x, *y) = (x.scale(c) + s.conj() * *y, y.scale(c) - s * *x);
        };
        h.for_two_columns(k, (k + 3).min(end), columns);
        let n = z.n();
        z.for_two_columns(k, n, columns);
    }
}

/// The unitary matrix `[[c, s], [-s̅, c]]`. `r` is the first element of its product with the vector that was passed to
/// [`that_removes`](Rotation::that_removes).
#[derive(Debug, Clone, Copy)]
struct Rotation<R> {
    c: R,
    s: Complex<R>,
    r: Complex<R>,
}

impl<R: RealFloat> Rotation<R> {
    /// Returns the rotation whose product with `[x, y]` is `[r, 0]`.
    fn that_removes(x: Complex<R>, y: Complex<R>) -> Self {
        // Denormal numbers have few digits, so small operands are scaled up.
        let (up, down) = magnification(x.norm().min(y.norm()));
        let (x, y) = (x.scale(up), y.scale(up));
        let Rotation { c, s, r } = Rotation::of_normal(x, y);
        Rotation { c, s, r: r.scale(down) }
    }

    fn of_normal(x: Complex<R>, y: Complex<R>) -> Self {
        let (of_x, of_y) = (x.norm(), y.norm());
        if of_y == R::zero() {
            return Rotation { c: R::one(), s: Complex::zero(), r: x };
        }
        if of_x == R::zero() {
            return Rotation { c: R::zero(), s: y.conj().unscale(of_y), r: Complex::from(of_y) };
        }
        let norm = Float::hypot(of_x, of_y);
        let phase = x.unscale(of_x);
        Rotation { c: of_x / norm, s: phase * y.conj().unscale(norm), r: phase.scale(norm) }
    }
}
