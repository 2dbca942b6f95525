//! The two-site DMRG of the open spin-1/2 Heisenberg chain H = Σ S·S, with matrix product states and operators.

use vierbein::linalg::{Decompose, Krylov, LinalgElement, lanczos};
use vierbein::prelude::*;

/// The extent of the bonds of the matrix product operator. The index of a bond says what the sites to its right contribute to a term of H:
/// no operator (0), one of three operators whose partner is to the left of the bond (1 to 3), or a complete term (4).
const OPERATOR_BOND: usize = 5;
/// The largest number of applications of the effective Hamiltonian for each bond, and the tolerance for the residual of its
/// eigenvector.
const APPLICATIONS: usize = 20;
const TOLERANCE: f64 = 1e-9;

/// A tensor of the state, with the axes [left bond, spin, right bond], or an environment, with the axes [bond of the conjugate
/// state, bond of the operator, bond of the state].
type Three<T, O, Dev> = Tensor<T, Rank<3>, O, Dev>;

/// Returns the tensor of the matrix product operator, with the axes [left bond, right bond, new spin, old
/// spin]. All elements are real, because S·S = S⁺S⁻/2 + S⁻S⁺/2 + SᶻSᶻ.
fn operator<T: LinalgElement, O: Order>() -> Tensor<T, Rank<4>, O> {
    let matrix = |elements: [[f64; 2]; 2]| Tensor::<f64, Rank<2>, O>::from(elements).map(T::from_f64);
    let (raise, lower) = (matrix([[0.0, 1.0], [0.0, 0.0]]), matrix([[0.0, 0.0], [1.0, 0.0]]));
    let (z, one) = (matrix([[0.5, 0.0], [0.0, -0.5]]), matrix([[1.0, 0.0], [0.0, 1.0]]));
    let half = T::from_f64(0.5);
    let mut w = Tensor::zeros([OPERATOR_BOND, OPERATOR_BOND, 2, 2]);
    for (left, right, block) in [
        (0, 0, &one),
        (1, 0, &raise),
        (2, 0, &lower),
        (3, 0, &z),
        (4, 1, &(&lower * half)),
        (4, 2, &(&raise * half)),
        (4, 3, &z),
        (4, 4, &one),
    ] {
        w.index_axis_mut(0, left).index_axis_mut(0, right).assign(block);
    }
    w
}

/// A matrix product state in the course of its optimisation.
pub(crate) struct Chain<T: LinalgElement, O: Order, Dev: Device> {
    sites: Vec<Three<T, O, Dev>>,
    operator: Tensor<T, Rank<4>, O, Dev>,
    /// `left[i]` is the contraction of all sites before site `i`, and `right[i]` that of all sites after it.
    left: Vec<Three<T, O, Dev>>,
    right: Vec<Three<T, O, Dev>>,
    /// The energy at the last optimised bond.
    pub(crate) energy: f64,
    /// The entanglement entropy of each bond.
    pub(crate) entropies: Vec<f64>,
    /// The largest discarded weight of the last sweep.
    pub(crate) discarded: f64,
}

/// The direction in which the sweep continues after an optimised bond.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Right,
    Left,
}

impl<T, O, Dev> Chain<T, O, Dev>
where
    T: LinalgElement<Magnitude: Into<f64>>,
    O: Order,
    Dev: Backend<T> + Decompose<T>,
{
    /// Returns the Néel state ↑↓↑↓…
    pub(crate) fn neel(sites: usize, device: &Dev) -> Result<Self, vierbein::Error> {
        let edge = |bond: usize| {
            let one = |[_, w, _]: [usize; 3]| T::from_f64(f64::from(u8::from(w == bond)));
            Tensor::<T, _, O>::from_fn([1, OPERATOR_BOND, 1], one).to_device_in(device)
        };
        let spins = (0..sites).map(|site| {
            let spin = |[_, s, _]: [usize; 3]| T::from_f64(f64::from(u8::from(s == site % 2)));
            Tensor::<T, _, O>::from_fn([1, 2, 1], spin).to_device_in(device)
        });
        let mut chain = Chain {
            sites: spins.collect::<Result<_, _>>()?,
            operator: operator::<T, O>().to_device_in(device)?,
            left: (0..sites).map(|_| edge(OPERATOR_BOND - 1)).collect::<Result<_, _>>()?,
            right: (0..sites).map(|_| edge(0)).collect::<Result<_, _>>()?,
            energy: 0.0,
            entropies: vec![0.0; sites - 1],
            discarded: 0.0,
        };
        for site in (1..sites).rev() {
            chain.extend_right(site);
        }
        Ok(chain)
    }

    /// The number of bonds that a sweep optimises.
    pub(crate) fn bonds_of_sweep(&self) -> usize {
        2 * (self.sites.len() - 1)
    }

    /// Optimises all bonds from left to right, then from right to left. Calls `progress` after each bond.
    pub(crate) fn sweep(
        &mut self,
        max_bond: usize,
        mut progress: impl FnMut(),
    ) -> Result<(), vierbein::Error> {
        self.discarded = 0.0;
        for bond in 0..self.sites.len() - 1 {
            self.optimise(bond, max_bond, Next::Right)?;
            self.extend_left(bond);
            progress();
        }
        for bond in (0..self.sites.len() - 1).rev() {
            self.optimise(bond, max_bond, Next::Left)?;
            self.extend_right(bond + 1);
            progress();
        }
        Ok(())
    }

    /// Computes the left environment of site `site + 1`.
    fn extend_left(&mut self, site: usize) {
        let (environment, a) = (&self.left[site], &self.sites[site]);
        self.left[site + 1] = einsum!("awb,asp,wvst,btq->pvq", environment, a.conj_view(), &self.operator, a);
    }

    /// Computes the right environment of site `site - 1`.
    fn extend_right(&mut self, site: usize) {
        let (environment, a) = (&self.right[site], &self.sites[site]);
        self.right[site - 1] =
            einsum!("pvq,asp,wvst,btq->awb", environment, a.conj_view(), &self.operator, a);
    }

    /// Contracts the tensors of the sites `bond` and `bond + 1`, optimises the result, and splits it into two tensors again.
    fn optimise(&mut self, bond: usize, max_bond: usize, next: Next) -> Result<(), vierbein::Error> {
        let start = einsum!("bti,iuc->btuc", &self.sites[bond], &self.sites[bond + 1]);
        let (left, right, w) = (&self.left[bond], &self.right[bond + 1], &self.operator);
        // The state need not converge at each bond: later sweeps return to it.
        let how = Krylov::lowest(1).tolerance(TOLERANCE).max_applications(APPLICATIONS).accept_unconverged();
        let effective = |x: TensorView<'_, T, Rank<4>, O, Dev>| {
            einsum!("awb,wvst,vxru,dxc,btuc->asrd", left, w, w, right, &x)
        };
        let (energy, state) = lanczos(effective, &start, how)?.into_first();
        self.energy = energy.into();

        // Drops all but the largest `max_bond` singular values, and those that are rounding errors.
        let (u, s, vh) = svd!("asrd -> ask, krd", &state; max_rank = max_bond, relative = 1e-15);
        let weights: Vec<f64> = s.to_device::<Cpu>()?.iter().map(|&s| s.into()).map(|s: f64| s * s).collect();
        // The state has norm 1, so the kept weights add up to 1 minus the discarded weight.
        let total: f64 = weights.iter().sum();
        self.discarded = self.discarded.max(1.0 - total);
        self.entropies[bond] = weights.iter().map(|weight| weight / total).map(|p| -p * p.ln()).sum();

        let s = s.cast::<T>() * T::from_f64(1.0 / total.sqrt());
        (self.sites[bond], self.sites[bond + 1]) = match next {
            Next::Right => (u, einsum!("k,krd->krd", &s, &vh)),
            Next::Left => (einsum!("ask,k->ask", &u, &s), vh),
        };
        Ok(())
    }
}
