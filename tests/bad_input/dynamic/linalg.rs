//! Rows of the bad-input table (see `bad_input/mod.rs`): decompositions and linear systems of `DynTensor`.

use super::decomposed::{
    Needs, Shapes, labelled_outcome, operands, outcome, outcome_of_fit, outcome_of_roots, with_vectors,
};
use super::driver::{ByHand, Hazard, Row, done};
use super::{methods, with};
use vierbein::linalg::{DynDiscarded, DynLdl, DynLu, DynSvd, Structure, Truncation};
use vierbein::prelude::*;
use vierbein::{DynTensor, dyn_tensor};

/// A result whose shape the rows assert.
trait Shaped {
    fn shapes(&self) -> Vec<usize>;
}

impl Shaped for DynTensor {
    fn shapes(&self) -> Vec<usize> {
        self.shape().to_vec()
    }
}
impl<A: Shaped, B: Shaped> Shaped for (A, B) {
    fn shapes(&self) -> Vec<usize> {
        [self.0.shapes(), self.1.shapes()].concat()
    }
}
impl<A: Shaped, B: Shaped, C: Shaped> Shaped for (A, B, C) {
    fn shapes(&self) -> Vec<usize> {
        [self.0.shapes(), self.1.shapes(), self.2.shapes()].concat()
    }
}
impl<A: Shaped, B: Shaped, C: Shaped, E: Shaped> Shaped for (A, B, C, E) {
    fn shapes(&self) -> Vec<usize> {
        [self.0.shapes(), self.1.shapes(), self.2.shapes(), self.3.shapes()].concat()
    }
}
impl Shaped for DynSvd {
    fn shapes(&self) -> Vec<usize> {
        [self.u.shapes(), self.s.shapes(), self.vh.shapes()].concat()
    }
}
impl Shaped for DynLu {
    fn shapes(&self) -> Vec<usize> {
        [self.l.shapes(), self.u.shapes(), self.rows.shapes()].concat()
    }
}
impl Shaped for DynLdl {
    fn shapes(&self) -> Vec<usize> {
        [self.l.shapes(), self.d.shapes(), self.rows.shapes()].concat()
    }
}
impl Shaped for DynDiscarded {
    fn shapes(&self) -> Vec<usize> {
        [self.weight.shapes(), self.share.shapes()].concat()
    }
}

/// Returns rows of the bad-input table, one for each line of the macro's argument. A line ends with an expression for the extents of each
/// result, without the batch axes.
macro_rules! rows {
    ($($name:ident $verb:literal, |$x:ident| $tried:expr; $needs:ident |$m:ident, $n:ident| $own:expr;)*) => {
        rows!(outcome: $([methods![$name]] $verb, |$x| $tried; $needs |$m, $n| $own;)*)
    };
    ($outcome:ident: $([$names:expr] $verb:literal, |$x:ident| $tried:expr; $needs:ident |$m:ident, $n:ident| $own:expr;)*) => {
        vec![$({
            fn calls(hazard: Hazard) -> ByHand {
                let outcomes = operands(hazard)?.into_iter().filter_map(|o| {
                    // `with` returns `None` for operands with overlapping rows: a `DynView` cannot have them.
                    let done = with(&o, |$x| done!(try $tried.map(|y| Shapes(y.shapes()))))?;
                    Some((done, $outcome(hazard, Needs::$needs, &o.shape, |$m, $n| $own)))
                });
                Ok(outcomes.collect())
            }
            Row::by_hand($names, $verb, calls)
        }),*]
    };
}

/// Calls `f` with a vector of ones, the right-hand side of a linear system whose matrix has this shape.
fn with_ones<R>(
    shape: &[usize],
    f: impl FnOnce(vierbein::DynView<'_>) -> Result<R, vierbein::Error>,
) -> Result<R, vierbein::Error> {
    let one = DynTensor::from(tensor![1.0]);
    f(one.broadcast_to(&shape[shape.len() - 2..shape.len() - 1])?)
}

/// The tolerance: singular values of at most this number times the largest one count as 0. `tests/linalg/errors.rs` tests tolerances that
/// are rejected.
const SMALL: f64 = 1e-14;

/// A triangular system with ones on its diagonal: the diagonal of the operand is not used, so no operand is singular.
const UNIT: Structure = Structure::Lower { unit: true };

pub(crate) fn rows() -> Vec<Row> {
    [methods(), by_labels(), polynomials()].into_iter().flatten().collect()
}

/// Returns the elements in reverse order. The rows of polynomials flip them again, so that they have a negative stride.
fn reversed(x: TensorView<'_, f64, Rank<1>>) -> DynTensor {
    DynTensor::from(x.slice(s![..;-1]).to_owned())
}

/// The rows of polynomials. `linalg/dense.rs` tests values and messages.
fn polynomials() -> Vec<Row> {
    fn roots(hazard: Hazard) -> ByHand {
        let done = with_vectors(hazard, |p| {
            let p = reversed(p);
            let p = p.flip(&[0]).expect("the axis exists");
            done!(try p.roots().map(|y| Shapes(y.shapes())))
        })?;
        Ok(done.into_iter().map(|(len, done)| (done, outcome_of_roots(hazard, len))).collect())
    }
    fn polyfit(hazard: Hazard) -> ByHand {
        let done = with_vectors(hazard, |x| {
            let x = reversed(x);
            let x = x.flip(&[0]).expect("the axis exists");
            done!(try x.polyfit(x, 1).map(|y| Shapes(y.shapes())))
        })?;
        Ok(done.into_iter().map(|(len, done)| (done, outcome_of_fit(hazard, len))).collect())
    }
    vec![Row::by_hand(methods![roots], "roots", roots), Row::by_hand(methods![polyfit], "polyfit", polyfit)]
}

/// The rows of the bad-input table for factorisations by labels. The ellipsis stands for the batch axes. `linalg/labels.rs` tests
/// specifications that are rejected.
fn by_labels() -> Vec<Row> {
    rows! {
        labelled_outcome:
        [&["dyn_tensor::svd"]] "svd", |x| dyn_tensor::svd("...ij -> ...ik, ...kj", x, Truncation::new());
            Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n)], vec![m.min(n), n]];
        [&["dyn_tensor::svd_truncated"]] "svd", |x| dyn_tensor::svd_truncated("...ij -> ...ik, ...kj", x, Truncation::new());
            Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n)], vec![m.min(n), n], vec![], vec![]];
        [&["dyn_tensor::qr"]] "qr", |x| dyn_tensor::qr("...ij -> ...ik, ...kj", x);
            Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n), n]];
        [&["dyn_tensor::lq"]] "lq", |x| dyn_tensor::lq("...ij -> ...ik, ...kj", x);
            Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n), n]];
        [&["dyn_tensor::eigh"]] "eigh", |x| dyn_tensor::eigh("...ij -> ...ik, ...kj", x);
            Square |m, _n| vec![vec![m], vec![m, m]];
        [&["dyn_tensor::polar"]] "polar", |x| dyn_tensor::polar("...ij -> ...ix, ...xj", x);
            Finite |m, n| vec![vec![m, n], vec![n, n]];
    }
}

fn methods() -> Vec<Row> {
    rows! {
        svd "svd", |x| x.svd(); Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n)], vec![m.min(n), n]];
        svd_full "svd_full", |x| x.svd_full(); Finite |m, n| vec![vec![m, m], vec![m.min(n)], vec![n, n]];
        svd_truncated "svd_truncated", |x| x.svd_truncated(Truncation::new());
            Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n)], vec![m.min(n), n], vec![], vec![]];
        singular_values "singular_values", |x| x.singular_values(); Finite |m, n| vec![vec![m.min(n)]];
        eigh "eigh", |x| x.eigh(); Square |m, _n| vec![vec![m], vec![m, m]];
        eigvalsh "eigvalsh", |x| x.eigvalsh(); Square |m, _n| vec![vec![m]];
        eigh_generalized "eigh_generalized", |x| x.eigh_generalized(x); Definite |m, _n| vec![vec![m], vec![m, m]];
        hermitian_map "hermitian_map", |x| x.hermitian_map(f64::exp); Square |m, n| vec![vec![m, n]];
        eig "eig", |x| x.eig(); Square |m, _n| vec![vec![m], vec![m, m]];
        eigvals "eigvals", |x| x.eigvals(); Square |m, _n| vec![vec![m]];
        schur "schur", |x| x.schur(); Square |m, _n| vec![vec![m, m], vec![m, m]];
        qr "qr", |x| x.qr(); Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n), n]];
        qr_complete "qr_complete", |x| x.qr_complete(); Finite |m, n| vec![vec![m, m], vec![m, n]];
        lq "lq", |x| x.lq(); Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n), n]];
        rq "rq", |x| x.rq(); Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n), n]];
        polar "polar", |x| x.polar(); Finite |m, n| vec![vec![m, n], vec![n, n]];
        lu "lu", |x| x.lu(); Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n), n], vec![m]];
        cholesky "cholesky", |x| x.cholesky(); Definite |m, _n| vec![vec![m, m]];
        ldl "ldl", |x| x.ldl(); Square |m, _n| vec![vec![m, m], vec![m, m], vec![m]];
        solve "solve", |x| with_ones(x.shape(), |b| x.solve(b)); Square |m, _n| vec![vec![m]];
        solve_as "solve", |x| with_ones(x.shape(), |b| x.solve_as(UNIT, b)); Square |m, _n| vec![vec![m]];
        lstsq "lstsq", |x| with_ones(x.shape(), |b| x.lstsq(b)); Finite |_m, n| vec![vec![n]];
        lstsq_with "lstsq_with", |x| with_ones(x.shape(), |b| x.lstsq_with(b, SMALL)); Finite |_m, n| vec![vec![n]];
        inv "inv", |x| x.inv(); Square |m, _n| vec![vec![m, m]];
        matrix_power "matrix_power", |x| x.matrix_power(-2); Square |m, _n| vec![vec![m, m]];
        det "det", |x| x.det(); Square |_m, _n| vec![vec![]];
        slogdet "slogdet", |x| x.slogdet(); Square |_m, _n| vec![vec![], vec![]];
        expm "expm", |x| x.expm(); Square |m, _n| vec![vec![m, m]];
        sqrtm "sqrtm", |x| x.sqrtm(); Square |m, _n| vec![vec![m, m]];
        logm "logm", |x| x.logm(); Square |m, _n| vec![vec![m, m]];
        pinv "pinv", |x| x.pinv(); Finite |m, n| vec![vec![n, m]];
        matrix_rank "matrix_rank", |x| x.matrix_rank(); Finite |_m, _n| vec![vec![]];
        null_space "null_space", |x| x.null_space(); Finite |m, n| vec![vec![n, n - m.min(n)]];
        orth "orth", |x| x.orth(); Finite |m, n| vec![vec![m, m.min(n)]];
        pinv_with "pinv_with", |x| x.pinv_with(SMALL); Finite |m, n| vec![vec![n, m]];
        matrix_rank_with "matrix_rank_with", |x| x.matrix_rank_with(SMALL); Finite |_m, _n| vec![vec![]];
        matrix_rank_above "matrix_rank_above", |x| x.matrix_rank_above(SMALL); Finite |_m, _n| vec![vec![]];
        null_space_with "null_space_with", |x| x.null_space_with(SMALL); Finite |m, n| vec![vec![n, n - m.min(n)]];
        orth_with "orth_with", |x| x.orth_with(SMALL); Finite |m, n| vec![vec![m, m.min(n)]];
        cond "cond", |x| x.cond(); Elements |_m, _n| vec![vec![]];
        nuclear_norm "nuclear_norm", |x| x.nuclear_norm(); Finite |_m, _n| vec![vec![]];
        adjoint "adjoint", |x| x.adjoint(); Nothing |m, n| vec![vec![n, m]];
        spectral_norm "spectral_norm", |x| x.spectral_norm(); Finite |_m, _n| vec![vec![]];
    }
}
