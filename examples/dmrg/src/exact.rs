//! Exact energies of the open spin-1/2 Heisenberg chain: by the Bethe ansatz for any even number of sites, by exact diagonalisation for 12.

use std::f64::consts::PI;
use vierbein::linalg::{Iteration, Krylov, LinalgElement, lanczos, minres};
use vierbein::prelude::*;

/// Returns the energy of the ground state of N = `sites` sites by the Bethe ansatz for open chains: F. Alcaraz, M. Barber, M.
/// Batchelor, R. Baxter and G. Quispel, J. Phys. A 20, 6397 (1987).
///
/// The rapidities λ are the solution of 4N·atan(2λⱼ) = 2πj + Σ_{k≠j} [2 atan(λⱼ − λₖ) + 2 atan(λⱼ + λₖ)] for j = 1 to N/2, which
/// is found by Newton's method.
pub(crate) fn bethe(sites: usize) -> Result<f64, vierbein::Error> {
    let n = sites as f64;
    let mut lambda: Tensor<f64, Rank<1>> =
        Tensor::from_fn([sites / 2], |[k]| 0.5 * (PI * (k + 1) as f64 / (2.0 * n + 2.0)).tan());
    for _ in 0..8 {
        let others = |j: usize| lambda.iter().enumerate().filter(move |&(k, _)| k != j).map(|(_, &x)| x);
        let slope = |x: f64| 2.0 / (1.0 + x * x);
        let excess = Tensor::from_fn([sites / 2], |[j]| {
            let x = lambda[[j]];
            let sum: f64 = others(j).map(|y| 2.0 * ((x - y).atan() + (x + y).atan())).sum();
            4.0 * n * (2.0 * x).atan() - 2.0 * PI * (j + 1) as f64 - sum
        });
        let jacobian = Tensor::from_fn([sites / 2; 2], |[j, k]| {
            let (x, y) = (lambda[[j]], lambda[[k]]);
            if j == k {
                let sum: f64 = others(j).map(|y| slope(x - y) + slope(x + y)).sum();
                4.0 * n * slope(2.0 * x) - sum
            } else {
                slope(x - y) - slope(x + y)
            }
        });
        lambda -= minres(|x| jacobian.matmul(&x), &excess, Iteration::new())?.x;
    }
    Ok((n - 1.0) / 4.0 - lambda.iter().map(|x| 0.5 / (x * x + 0.25)).sum::<f64>())
}

/// Returns the energy of the ground state of 12 sites by exact diagonalisation. The state is a tensor with an axis for each site.
/// The Hamiltonian is the sum of P/2 − 1/4 over all pairs of neighbouring sites, where P exchanges the two axes of a pair.
pub(crate) fn twelve_sites<T: LinalgElement<Magnitude: Into<f64>>>() -> Result<f64, vierbein::Error> {
    let operator = |x: TensorView<'_, T, Rank<12>>| {
        let mut y = x * T::from_f64(-11.0 / 4.0);
        for site in 0..11 {
            y.add_scaled(T::from_f64(0.5), x.swap_axes(site, site + 1));
        }
        y
    };
    // The elements have no symmetry, so the start is not orthogonal to the ground state.
    let start = Tensor::from_fn([2; 12], |index| {
        T::from_f64((1..).zip(index).map(|(k, s)| (k * k * s) as f64).sum::<f64>().sin())
    });
    Ok(lanczos(operator, &start, Krylov::lowest(1))?.values[0].into())
}
