//! The ground state of the open spin-1/2 Heisenberg chain by the density-matrix renormalisation group (DMRG), compared with exact energies.
//!
//! The state is a matrix product state: a chain of tensors, one for each site. The algorithm optimises two neighbouring tensors at a time.
//! `lanczos` finds the lowest eigenvector of the Hamiltonian with all other tensors fixed. `svd!` splits it in two, and keeps the D largest
//! singular values. The contractions with the other tensors are `einsum!`. The sources are S. White, Phys. Rev. Lett. 69, 2863 (1992), and
//! U. Schollwöck, Annals of Physics 326, 96 (2011).
//!
//! The code is generic over element type, memory order and device. Runs 12 sites with real and complex numbers in both memory
//! orders, where D = 64 is exact, then 64 sites. Prints the energies next to the exact energies, and fails if an error exceeds
//! the error that is known for this D. Plots the entanglement entropy of each cut of the chain.
//!
//! `cargo run --release -p dmrg [D [plot.svg]]`

mod chain;
mod exact;
mod plot;

use chain::Chain;
use indicatif::{ProgressBar, ProgressStyle};
use std::error::Error;
use std::f64::consts::LN_2;
use std::path::Path;
use std::time::Instant;
use vierbein::linalg::{Decompose, LinalgElement};
use vierbein::prelude::*;

/// Entropies of 12 sites for cuts 1 to 6, from an exact diagonalisation with NumPy.
const ENTROPIES: [f64; 6] =
    [LN_2, 0.414031157902, 0.729337964406, 0.511429132195, 0.748112028395, 0.536833253592];
/// The entropy of the cut in the middle of 64 sites, from a DMRG that keeps D = 200 singular values.
const MIDDLE_ENTROPY: f64 = 0.8452754968;

/// Returns a chain after several sweeps, which increase the extent of its bonds up to `max_bond`.
fn ground_state<T, O, Dev>(
    sites: usize,
    max_bond: usize,
    device: &Dev,
) -> Result<Chain<T, O, Dev>, Box<dyn Error>>
where
    T: LinalgElement<Magnitude: Into<f64>>,
    O: Order,
    Dev: Backend<T> + Decompose<T>,
{
    let mut chain = Chain::neel(sites, device)?;
    let growing = [8, 16, 32].into_iter().filter(|&bond| bond < max_bond);
    let schedule: Vec<usize> = growing.chain([max_bond; 3]).collect();
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} bonds, {eta} left  {msg}")?;
    let progress = ProgressBar::new((schedule.len() * chain.bonds_of_sweep()) as u64).with_style(style);
    for max_bond in schedule {
        chain.sweep(max_bond, || progress.inc(1))?;
        progress.set_message(format!("E = {:.9}", chain.energy));
    }
    progress.finish_and_clear();
    Ok(chain)
}

/// Computes the ground state of 12 sites, and compares its energy and entropies with exact results.
fn twelve_sites<T, O>(name: &str, exact: f64) -> Result<(), Box<dyn Error>>
where
    T: LinalgElement<Magnitude: Into<f64>>,
    O: Order,
    Cpu: Decompose<T>,
{
    let chain = ground_state::<T, O, Cpu>(12, 64, &Cpu)?;
    let error = chain.energy - exact;
    println!("{name:<28}{:>18.13}{:>18.13}{error:>10.1e}", chain.energy / 11.0, exact / 11.0);
    assert!(error.abs() < 1e-10, "{name}: {error:e}");
    for (cut, (found, expected)) in chain.entropies.iter().zip(ENTROPIES).enumerate() {
        assert!((found - expected).abs() < 1e-8, "cut {}: {found} and {expected}", cut + 1);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    // A debug build is slower, so it computes less by default.
    let usual_bond = if cfg!(debug_assertions) { 8 } else { 64 };
    let max_bond: usize = arguments.next().map_or(Ok(usual_bond), |bond| bond.parse())?;
    assert!((2..=64).contains(&max_bond), "D is 2 to 64, not {max_bond}");
    let path = arguments.next().unwrap_or_else(|| "target/dmrg.svg".into());

    let (diagonalised, bethe) = (exact::twelve_sites::<f64>()?, exact::bethe(12)?);
    assert!((diagonalised - bethe).abs() < 1e-11, "{diagonalised} and {bethe}");
    println!("{:<28}{:>18}{:>18}{:>10}", "12 sites, energy per bond", "DMRG", "exact", "error");
    twelve_sites::<f64, RowMajor>("f64, row-major", diagonalised)?;
    twelve_sites::<f64, ColMajor>("f64, column-major", diagonalised)?;
    twelve_sites::<Complex<f64>, RowMajor>("Complex<f64>, row-major", diagonalised)?;
    twelve_sites::<Complex<f64>, ColMajor>("Complex<f64>, column-major", diagonalised)?;

    let (start, exact) = (Instant::now(), exact::bethe(64)?);
    let chain = ground_state::<f64, RowMajor, Cpu>(64, max_bond, &Cpu)?;
    let error = chain.energy - exact;
    println!("\n64 sites, D = {max_bond}, {:.1} s", start.elapsed().as_secs_f64());
    println!("energy per bond, DMRG          {:.12}", chain.energy / 63.0);
    println!("energy per bond, Bethe ansatz  {:.12}", exact / 63.0);
    println!("error of the energy            {error:.1e}");
    println!("largest discarded weight       {:.1e}", chain.discarded);
    println!("entropy of the middle cut      {:.6}", chain.entropies[31]);
    // The energy is that of a normalised state, so it is not below the exact energy of the ground state.
    assert!(error > -1e-11, "{error:e}");
    if max_bond == 64 {
        assert!(error < 1e-7, "{error:e}");
        assert!((chain.entropies[31] - MIDDLE_ENTROPY).abs() < 1e-5, "{}", chain.entropies[31]);
    }

    if let Some(directory) = Path::new(&path).parent() {
        std::fs::create_dir_all(directory)?;
    }
    let title = format!("Heisenberg chain, 64 sites: entropy of each cut, D = {max_bond}");
    plot::entropies(&path, &title, &chain.entropies)?;
    println!("plotted to {path}");
    Ok(())
}
