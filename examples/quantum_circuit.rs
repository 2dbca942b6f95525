//! A simulator of quantum circuits: states are tensors, gates are contractions.
//!
//! The state of n qubits consists of 2ⁿ complex amplitudes. A gate on one or two qubits is a contraction of a small tensor with a
//! view of the amplitudes, reshaped so that these qubits are axes. The amplitudes are neither permuted nor copied first.
//!
//! Three results are compared with known values:
//!
//! * The Greenberger–Horne–Zeilinger (GHZ) state (1989) has amplitudes 1/√2 at 0…0 and 1…1.
//! * The quantum Fourier transform (M. A. Nielsen and I. L. Chuang, *Quantum Computation and Quantum Information*, section 5.1) of
//!   the basis state |x⟩ of N = 2ⁿ states has amplitudes e^{2πi x k / N} / √N.
//! * Some amplitudes of the transform of a random state are computed again, as sums, by the definition of the transform.
//!
//! Small circuits are then contracted as one network by a single `einsum!`.
//!
//! Prints relative errors and times. Fails if an error exceeds 1e-12.
//!
//! `cargo run --release --example quantum_circuit [qubits]`

use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::error::Error;
use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};
use std::time::{Duration, Instant};
use vierbein::{c64, prelude::*};

/// The tolerance for errors of amplitudes (relative to the largest amplitude), norms and inner products.
const TOLERANCE: f64 = 1e-12;

/// A gate on one qubit: `gate[[out, in]]`.
type Gate = Tensor<c64, Rank<2>>;
/// A gate on two qubits: `gate[[out, out, in, in]]`.
type Gate2 = Tensor<c64, Rank<4>>;

/// Returns e^{iφ}.
fn phase(angle: f64) -> c64 {
    c64::cis(angle)
}

/// The Hadamard gate.
fn hadamard() -> Gate {
    tensor![[1.0, 1.0], [1.0, -1.0]].cast::<c64>() * c64::from(FRAC_1_SQRT_2)
}

/// The controlled-NOT gate: flips the second qubit if the first is 1.
fn cnot() -> Gate2 {
    let matrix = tensor![[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]];
    matrix.cast::<c64>().reshape([2, 2, 2, 2])
}

/// The SWAP gate: exchanges two qubits.
fn swap() -> Gate2 {
    let matrix = tensor![[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]];
    matrix.cast::<c64>().reshape([2, 2, 2, 2])
}

/// The diagonal of a controlled phase gate: `diagonal[[first, second]]`.
fn controlled_phase(angle: f64) -> Tensor<c64, Rank<2>> {
    let one = c64::ONE;
    tensor![[one, one], [one, phase(angle)]]
}

/// The state of some qubits, and the number and total time of the gates applied so far. Qubit 0 is the highest bit of an
/// amplitude's index.
struct Register {
    qubits: usize,
    amplitudes: Tensor<c64, Rank<1>>,
    /// The preallocated output of the next gate. After the gate, it is exchanged with `amplitudes`.
    next: Tensor<c64, Rank<1>>,
    gates: u32,
    elapsed: Duration,
}

impl Register {
    /// Returns a register in the state with these amplitudes. Their number must be a power of two.
    fn new(amplitudes: Tensor<c64, Rank<1>>) -> Register {
        let (qubits, next) = (amplitudes.len().ilog2() as usize, Tensor::zeros(amplitudes.shape()));
        Register { qubits, amplitudes, next, gates: 0, elapsed: Duration::ZERO }
    }

    /// Returns a register in the basis state |x⟩.
    fn basis(qubits: usize, x: usize) -> Register {
        let mut amplitudes = Tensor::zeros([1 << qubits]);
        amplitudes[[x]] = c64::ONE;
        Register::new(amplitudes)
    }

    /// Returns the number of states of the qubits before `a`, between `a` and `b`, and after `b`.
    fn around(&self, a: usize, b: usize) -> [usize; 3] {
        assert!(a < b && b < self.qubits);
        [1 << a, 1 << (b - a - 1), 1 << (self.qubits - b - 1)]
    }

    /// Completes a gate that started at `start`: exchanges `next`, which has its result, with `amplitudes`, and counts the gate.
    fn step(&mut self, start: Instant) {
        std::mem::swap(&mut self.amplitudes, &mut self.next);
        self.gates += 1;
        self.elapsed += start.elapsed();
    }

    /// Applies a gate to qubit `a`.
    fn apply(&mut self, gate: &Gate, a: usize) {
        let start = Instant::now();
        let shape = [1 << a, 2, 1 << (self.qubits - a - 1)];
        let state = self.amplitudes.as_shape(shape);
        einsum_into!(&mut self.next.as_shape_mut(shape); "xi,aib->axb", gate, state);
        self.step(start);
    }

    /// Applies a gate to qubits `a` < `b`.
    fn apply2(&mut self, gate: &Gate2, a: usize, b: usize) {
        let start = Instant::now();
        let [before, between, behind] = self.around(a, b);
        let shape = [before, 2, between, 2, behind];
        let state = self.amplitudes.as_shape(shape);
        let mut next = self.next.as_shape_mut(shape);
        einsum_into!(&mut next; "xyij,aibjc->axbyc", gate, state);
        self.step(start);
    }

    /// Applies a diagonal gate to qubits `a` < `b`. The gate's labels i and j also occur in the result, so no label is summed.
    fn apply_diagonal(&mut self, diagonal: &Tensor<c64, Rank<2>>, a: usize, b: usize) {
        let start = Instant::now();
        let [before, between, behind] = self.around(a, b);
        let shape = [before, 2, between, 2, behind];
        let state = self.amplitudes.as_shape(shape);
        let mut next = self.next.as_shape_mut(shape);
        einsum_into!(&mut next; "ij,aibjc->aibjc", diagonal, state);
        self.step(start);
    }

    /// Applies a Hadamard gate and a chain of controlled-NOT gates. They transform |0…0⟩ to the GHZ state.
    fn ghz(mut self) -> Register {
        self.apply(&hadamard(), 0);
        for a in 1..self.qubits {
            self.apply2(&cnot(), a - 1, a);
        }
        self
    }

    /// Applies the quantum Fourier transform.
    fn fourier(mut self) -> Register {
        let n = self.qubits;
        for a in 0..n {
            self.apply(&hadamard(), a);
            for b in a + 1..n {
                self.apply_diagonal(&controlled_phase(PI / f64::from(1 << (b - a))), a, b);
            }
        }
        for a in 0..n / 2 {
            self.apply2(&swap(), a, n - 1 - a);
        }
        self
    }

    /// Prints the time per gate, `error`, and the error of the norm of the state. Panics if an error is not below [`TOLERANCE`].
    fn report(&self, what: &str, error: f64) {
        let each = self.elapsed.as_secs_f64() * 1e3 / f64::from(self.gates);
        let norm = (self.amplitudes.norm().item() - 1.0).abs();
        println!(
            "{what:<34} {:>5} gates  {each:>8.3} ms each   error {error:8.1e}   |norm - 1| {norm:8.1e}",
            self.gates
        );
        assert!(error < TOLERANCE && norm < TOLERANCE, "{what}: error {error}, norm {norm}");
    }
}

/// Returns the largest error of an amplitude, divided by the largest exact amplitude.
fn error_of<D: Dim>(found: TensorView<'_, c64, D>, exact: TensorView<'_, c64, D>) -> f64 {
    (found - exact).abs().max().item() / exact.abs().max().item()
}

/// Returns the exact GHZ state of `qubits` qubits.
fn exact_ghz(qubits: usize) -> Tensor<c64, Rank<1>> {
    let last = (1 << qubits) - 1;
    Tensor::from_fn([last + 1], |[k]| c64::from(if k == 0 || k == last { FRAC_1_SQRT_2 } else { 0.0 }))
}

/// Returns the exact Fourier transform of |x⟩. Angles are reduced modulo 2π by integer arithmetic, without rounding errors.
fn exact_fourier(qubits: usize, x: usize) -> Tensor<c64, Rank<1>> {
    let n = 1usize << qubits;
    Tensor::from_fn([n], |[k]| phase(TAU * ((x * k) % n) as f64 / n as f64) / (n as f64).sqrt())
}

/// Runs the circuits gate by gate.
fn gate_by_gate(qubits: usize) {
    let n = 1usize << qubits;
    let build = if cfg!(debug_assertions) { " (a dev build; 20 qubits is usual in release)" } else { "" };
    println!("{qubits} qubits, {n} amplitudes, gate by gate{build}\n");

    let ghz = Register::basis(qubits, 0).ghz();
    ghz.report("GHZ state", error_of(ghz.amplitudes.view(), exact_ghz(qubits).view()));

    let x = n / 3;
    let waves = Register::basis(qubits, x).fourier();
    let exact = exact_fourier(qubits, x);
    waves.report(&format!("Fourier transform of |{x}⟩"), error_of(waves.amplitudes.view(), exact.view()));

    let mut rng = StdRng::seed_from_u64(1989);
    let mut part = || rng.random_range(-1.0..1.0);
    let random = Tensor::<c64, _>::from_fn([n], |_| c64::new(part(), part()));
    let random = &random / c64::from(random.norm().item());
    let transformed = Register::new(random.clone()).fourier();
    // The transform of the random state ψ has the amplitude Σ_j ψ_j e^{2πi j k / N} / √N at k. This sum is the dot product, without
    // conjugation, of ψ and the transform of |k⟩.
    let error = [0, 1, 2, n / 2, n / 7, n - 1].map(|k| {
        let sum = exact_fourier(qubits, k).dot(&random).item();
        (transformed.amplitudes[[k]] - sum).norm() / sum.norm()
    });
    transformed.report("Fourier transform of a random state", error.into_iter().fold(0.0, f64::max));

    // The overlap of the GHZ state with |0…0⟩ is 1/√2, and a unitary transform preserves inner products.
    let overlap = ghz.amplitudes.vdot(&Register::basis(qubits, 0).amplitudes).item();
    let before = ghz.amplitudes.vdot(&random).item();
    let after = ghz.fourier().amplitudes.vdot(&transformed.amplitudes).item();
    println!("\n⟨GHZ|0…0⟩ = {overlap:.15}, 1/√2 = {FRAC_1_SQRT_2:.15}");
    println!("⟨GHZ|random⟩ = {before:.3e}, ⟨F GHZ|F random⟩ = {after:.3e}");
    assert!((overlap - FRAC_1_SQRT_2).norm() < TOLERANCE && (before - after).norm() < TOLERANCE);
}

/// Contracts each circuit as a whole.
fn at_once() {
    let (h, cx) = (hadamard(), cnot());
    let zero = tensor![c64::ONE, c64::ZERO];

    println!(
        "\nGHZ state of 5 qubits: 5 states |0⟩, a Hadamard gate and 4 CNOT gates, 10 operands of one `einsum!`\n"
    );
    let z = &zero;
    let ghz = einsum!("a,b,c,d,e,pa,qrpb,strc,uvtd,wxve->qsuwx", z, z, z, z, z, &h, &cx, &cx, &cx, &cx);
    let path = einsum_path!("a,b,c,d,e,pa,qrpb,strc,uvtd,wxve->qsuwx", z, z, z, z, z, &h, &cx, &cx, &cx, &cx);
    println!("{path}\n");
    let error = error_of(ghz.flatten().view(), exact_ghz(5).view());
    println!("error {error:.1e}");
    assert!(error < TOLERANCE);

    // A controlled phase is diagonal, so its operand has the labels of its two qubits and introduces no new labels. The final
    // reversal of the qubits is expressed by the order of the labels in the result.
    println!(
        "\nFourier transform on 4 qubits: 4 states, 4 Hadamard gates, 6 controlled phases, 14 operands\n"
    );
    let one = tensor![c64::ZERO, c64::ONE];
    let [p, q, r] = [2.0, 4.0, 8.0].map(|part| controlled_phase(PI / part));
    let (mut largest, start) = (0f64, Instant::now());
    for x in 0..16 {
        let [i, j, k, l] = [8, 4, 2, 1].map(|digit| if x & digit == 0 { &zero } else { &one });
        let waves = einsum!(
            "a,b,c,d,ea,fb,gc,hd,eb,ec,ed,fc,fd,gd->hgfe",
            i,
            j,
            k,
            l,
            &h,
            &h,
            &h,
            &h,
            &p,
            &q,
            &r,
            &p,
            &q,
            &p
        );
        largest = largest.max(error_of(waves.flatten().view(), exact_fourier(4, x).view()));
    }
    let each = start.elapsed().as_secs_f64() * 1e3 / 16.0;
    println!("of all 16 basis states, {each:.3} ms each: error {largest:.1e}");
    assert!(largest < TOLERANCE);
}

fn main() -> Result<(), Box<dyn Error>> {
    // A debug build is slower, so it uses fewer qubits by default.
    let usual = if cfg!(debug_assertions) { 16 } else { 20 };
    let qubits = std::env::args().nth(1).map_or(Ok(usual), |qubits| qubits.parse())?;
    assert!((2..=26).contains(&qubits), "2 to 26 qubits, not {qubits}");
    gate_by_gate(qubits);
    at_once();
    Ok(())
}
