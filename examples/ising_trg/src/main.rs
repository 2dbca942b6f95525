//! The two-dimensional Ising model by the tensor renormalisation group, compared with Onsager's exact solution.
//!
//! The partition function of N spins is a network of N tensors, one per site. One step of the renormalisation group splits every
//! tensor in two by a singular value decomposition, and keeps the χ largest singular values. It then contracts the four halves
//! around every second plaquette (square of four sites), so half as many tensors remain. Thirty steps contract a lattice of 2³⁰
//! spins. The source is M. Levin and C. P. Nave, Phys. Rev. Lett. 99, 120601 (2007). The exact free energy is from L. Onsager,
//! Phys. Rev. 65, 117 (1944).
//!
//! Prints a table of free energies per site, and plots them and the specific heat. The errors known for χ = 16 are 5e-6 at the
//! critical temperature, where truncation errors are largest, and 1e-9 to 1e-8 far from it. Fails if χ ≥ 16 and an error exceeds
//! [`BOUNDS`], which are somewhat larger.
//!
//! `cargo run --release -p ising_trg [χ [plot.svg]]`

use plotters::prelude::*;
use std::error::Error;
use std::f64::consts::PI;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;
use vierbein::prelude::*;

/// The number of steps. The network has 2^STEPS tensors before the first step, and one after the last.
const STEPS: i32 = 30;
/// Singular values below this fraction of the largest one are rounding errors, and are dropped.
const NEGLIGIBLE: f64 = 1e-15;
/// The temperatures of the table, which include the critical temperature 2 / ln(1 + √2) = 2.269….
const TEMPERATURES: Range<f64> = 1.5..3.5;
/// Bounds of the error of the free energy for χ ≥ 16. Each pair is a minimum distance from the critical temperature, relative to
/// that temperature, and the maximum relative error from this distance on.
const BOUNDS: [(f64, f64); 3] = [(0.0, 1e-5), (0.2, 3e-7), (0.3, 1e-7)];

/// The temperature of the phase transition, 2 / ln(1 + √2).
fn critical_temperature() -> f64 {
    2.0 / (1.0 + 2f64.sqrt()).ln()
}

/// A site of the network. The axes are the bonds (legs) to its neighbours: right, up, left, down.
type Site = Tensor<f64, Rank<4>>;

/// Returns the Boltzmann weights of one spin. The weight of the bond between spins s and t is split between the two sites:
/// e^{βst} = Σ_i w(s, i) w(t, i), where β = 1/T.
fn ising(temperature: f64) -> Site {
    let (even, odd) = ((1.0 / temperature).cosh().sqrt(), (1.0 / temperature).sinh().sqrt());
    let w = tensor![[even, odd], [even, -odd]];
    einsum!("sr,su,sl,sd->ruld", &w, &w, &w, &w)
}

/// Divides a tensor by its norm, and returns the logarithm of the norm.
fn normalise(site: &mut Site) -> f64 {
    let norm = site.norm().item();
    *site /= norm;
    norm.ln()
}

/// Performs one step of the renormalisation group, and returns a site of the new lattice, which is rotated by 45°. As on a
/// chessboard, the sites form two sublattices. Sites of one sublattice are split into a right-up and a left-down half, sites of
/// the other into a right-down and a left-up half. The four halves around a plaquette become a new site.
fn coarsen(site: &Site, chi: usize) -> Site {
    let (right_up, s, left_down) = svd!("ruld -> ruk, ldk", site; max_rank = chi, relative = NEGLIGIBLE);
    let (right_down, t, left_up) = svd!("ruld -> rdk, luk", site; max_rank = chi, relative = NEGLIGIBLE);
    // Each half is multiplied by the square roots of the singular values.
    let (s, t) = (s.sqrt(), t.sqrt());
    einsum!(PLAQUETTE, &(right_up * &s), &(left_up * &t), &(left_down * &s), &(right_down * &t))
}

/// The contraction of a plaquette. Its operands are the halves right-up, left-up, left-down and right-down, which are at the lower
/// left, lower right, upper right and upper left corner. The summed labels are the sides: b(ottom), e(ast), t(op) and w(est). The
/// labels of the result are the new legs, which point to the corners. Rotated by 45°, the legs are r(ight), u(p), l(eft) and
/// d(own).
const PLAQUETTE: &str = "bwl,bed,ter,twu->ruld";

/// Returns the free energy per site, -T ln Z / N.
fn free_energy(temperature: f64, chi: usize) -> f64 {
    let mut site = ising(temperature);
    // Normalising divides each tensor by its norm, and so Z by norm^(number of tensors). Every step halves the number of tensors.
    let mut log_z = normalise(&mut site);
    for step in 1..=STEPS {
        site = coarsen(&site, chi);
        log_z += normalise(&mut site) * 0.5f64.powi(step);
    }
    log_z += einsum!("ijij->", &site).item().ln() * 0.5f64.powi(STEPS);
    -temperature * log_z
}

/// Returns Onsager's free energy per site. The integral over θ from 0 to π/2 is computed by double-exponential quadrature, in which
/// `spacing` is the distance between the nodes of the substituted variable t. This method is accurate even at the critical temperature,
/// where the integrand has a kink at θ = 0.
fn exact_free_energy(temperature: f64, spacing: f64) -> f64 {
    let k = 2.0 / temperature;
    let s = k.sinh().powi(2);
    let integrand = |theta: f64| (k.cosh().powi(2) + (s - 1.0).hypot(2.0 * s.sqrt() * theta.sin())).ln();
    let reach = (4.0 / spacing) as i32;
    let integral: f64 = (-reach..=reach)
        .map(|n| {
            let t = f64::from(n) * spacing;
            let u = PI / 2.0 * t.sinh();
            // θ = π/4 (1 + tanh u), in a form without cancellation near 0.
            let theta = PI / 2.0 / (1.0 + (-2.0 * u).exp());
            let weight = PI * PI / 8.0 * t.cosh() / u.cosh().powi(2);
            integrand(theta) * weight * spacing
        })
        .sum();
    -temperature * (2f64.ln() / 2.0 + integral / PI)
}

/// Returns [`exact_free_energy`], and asserts that half the spacing of nodes gives the same value to 1e-12.
fn onsager(temperature: f64) -> f64 {
    let (coarse, fine) =
        (exact_free_energy(temperature, 1.0 / 32.0), exact_free_energy(temperature, 1.0 / 64.0));
    assert!((coarse / fine - 1.0).abs() < 1e-12, "the integral at T = {temperature}: {coarse} and {fine}");
    fine
}

/// Returns the specific heat -T ∂²f/∂T² from the free energies f at the temperatures T - `step`, T and T + `step`.
fn specific_heat(temperature: f64, [left, middle, right]: [f64; 3], step: f64) -> f64 {
    -temperature * (left - 2.0 * middle + right) / (step * step)
}

/// Plots two panels, free energy and specific heat. Each panel has the points of the renormalisation group, the exact curve, and a
/// line at the critical temperature. The points of the specific heat are finite differences between neighbouring temperatures.
/// Their steps are too large to resolve the peak. The curve uses steps of 0.001.
fn plot(path: &str, chi: usize, energies: &[(f64, f64)], heats: &[(f64, f64)]) -> Result<(), Box<dyn Error>> {
    let fine: Vec<f64> = (0..=800).map(|k| TEMPERATURES.start + 0.0025 * f64::from(k)).collect();
    let exact_heat = |t: f64| specific_heat(t, [-1e-3, 0.0, 1e-3].map(|d| onsager(t + d)), 1e-3);
    let panels = [
        (
            "free energy per site",
            -2.8..-1.9,
            energies,
            fine.iter().map(|&t| (t, onsager(t))).collect::<Vec<_>>(),
        ),
        ("specific heat per site", 0.0..4.0, heats, fine.iter().map(|&t| (t, exact_heat(t))).collect()),
    ];
    let root = SVGBackend::new(path, (720, 900)).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, (name, range, points, curve)) in root.split_evenly((2, 1)).iter().zip(panels) {
        let mut chart = ChartBuilder::on(area)
            .caption(format!("2-D Ising model: {name}"), ("sans-serif", 24))
            .margin(15)
            .x_label_area_size(40)
            .y_label_area_size(60)
            .build_cartesian_2d(TEMPERATURES, range.clone())?;
        chart
            .configure_mesh()
            .x_desc("temperature T / J")
            .y_desc(name)
            .light_line_style(WHITE)
            .label_style(("sans-serif", 16))
            .draw()?;
        chart
            .draw_series(LineSeries::new(curve, &BLUE))?
            .label("Onsager")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], BLUE));
        chart
            .draw_series(points.iter().map(|&point| Circle::new(point, 3, RED.filled())))?
            .label(format!("TRG, χ = {chi}"))
            .legend(|(x, y)| Circle::new((x + 9, y), 3, RED.filled()));
        let tc = critical_temperature();
        chart
            .draw_series(LineSeries::new([(tc, range.start), (tc, range.end)], &BLACK.mix(0.4)))?
            .label("critical temperature")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], BLACK.mix(0.4)));
        chart
            .configure_series_labels()
            .label_font(("sans-serif", 16))
            .background_style(WHITE)
            .border_style(BLACK.mix(0.3))
            .position(SeriesLabelPosition::UpperRight)
            .draw()?;
    }
    root.present()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let chi: usize = arguments.next().map_or(Ok(16), |chi| chi.parse())?;
    assert!((2..=64).contains(&chi), "χ is 2 to 64, not {chi}");
    let path = arguments.next().unwrap_or_else(|| "target/ising_trg.svg".into());

    let half = Tensor::<f64, _>::zeros([chi; 3]);
    println!("How `einsum!` contracts a plaquette, at χ = {chi}:\n");
    println!("{}\n", einsum_path!(PLAQUETTE, &half, &half, &half, &half));

    // A debug build computes half as many temperatures, because a step takes longer.
    let intervals = if cfg!(debug_assertions) { 20 } else { 40 };
    let spacing = (TEMPERATURES.end - TEMPERATURES.start) / f64::from(intervals);
    let tc = critical_temperature();
    // At the critical temperature, the exact free energy has a closed form with Catalan's constant.
    let catalan = 0.915_965_594_177_219;
    let closed = -tc * (2f64.ln() / 2.0 + 2.0 * catalan / PI);
    assert!((onsager(tc) / closed - 1.0).abs() < 1e-12, "Onsager's integral: {} and {closed}", onsager(tc));

    println!("{:>8}  {:>16}  {:>16}  {:>10}  {:>7}", "T", "f, TRG", "f, Onsager", "rel. error", "seconds");
    let compare = |t: f64| {
        let (start, trg, exact) = (Instant::now(), free_energy(t, chi), onsager(t));
        let error = (trg / exact - 1.0).abs();
        println!("{t:8.4}  {trg:16.12}  {exact:16.12}  {error:10.1e}  {:7.2}", start.elapsed().as_secs_f64());
        for (distance, bound) in BOUNDS {
            let applies = chi >= 16 && (t / tc - 1.0).abs() >= distance;
            assert!(!applies || error < bound, "at T = {t} the error is {error}, not below {bound}");
        }
        (t, trg, exact)
    };
    let table: Vec<(f64, f64, f64)> =
        (0..=intervals).map(|k| compare(TEMPERATURES.start + spacing * f64::from(k))).collect();
    println!("and at the critical temperature");
    compare(tc);

    // The specific heat, compared with the finite differences of exact free energies at the same temperatures.
    let mut largest = 0f64;
    let heats: Vec<(f64, f64)> = table
        .windows(3)
        .map(|w| {
            let t = w[1].0;
            let trg = specific_heat(t, [w[0].1, w[1].1, w[2].1], spacing);
            largest = largest.max((trg - specific_heat(t, [w[0].2, w[1].2, w[2].2], spacing)).abs());
            (t, trg)
        })
        .collect();
    println!("\nspecific heat, by differences over {spacing}: largest deviation {largest:.1e}");
    assert!(chi < 16 || largest < 0.01);

    let energies: Vec<(f64, f64)> = table.iter().map(|&(t, trg, _)| (t, trg)).collect();
    if let Some(folder) = Path::new(&path).parent() {
        std::fs::create_dir_all(folder)?;
    }
    plot(&path, chi, &energies, &heats)?;
    println!("plotted to {path}");
    Ok(())
}
