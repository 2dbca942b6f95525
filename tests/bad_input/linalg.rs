//! Rows of the bad-input table (see `bad_input/mod.rs`): decompositions and linear systems. They assert the shapes of results and the kinds
//! of errors; `linalg/table.rs` tests values, and `linalg/errors.rs` tests messages.

use super::decomposed::{
    Needs, Shapes, labelled_outcome, operands, outcome, outcome_of_fit, outcome_of_roots, with_vectors,
};
use super::driver::{ByHand, Hazard, Row, done};
use vierbein::MatrixStack;
use vierbein::linalg::{Discarded, Ldl, Lu, Structure, Svd, Truncation};
use vierbein::prelude::*;

/// A result whose shapes the rows of the table assert.
trait Shaped {
    fn shapes(&self) -> Vec<usize>;
}

impl<T: Element, D: Dim> Shaped for Tensor<T, D> {
    fn shapes(&self) -> Vec<usize> {
        self.shape().as_ref().to_vec()
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
impl<D: MatrixStack> Shaped for Svd<f64, D, RowMajor, Cpu> {
    fn shapes(&self) -> Vec<usize> {
        [self.u.shapes(), self.s.shapes(), self.vh.shapes()].concat()
    }
}
impl<D: MatrixStack> Shaped for Lu<f64, D, RowMajor, Cpu> {
    fn shapes(&self) -> Vec<usize> {
        [self.l.shapes(), self.u.shapes(), self.rows.shapes()].concat()
    }
}
impl<D: MatrixStack> Shaped for Ldl<f64, D, RowMajor, Cpu> {
    fn shapes(&self) -> Vec<usize> {
        [self.l.shapes(), self.d.shapes(), self.rows.shapes()].concat()
    }
}
impl<D: MatrixStack> Shaped for Discarded<f64, D, RowMajor, Cpu> {
    fn shapes(&self) -> Vec<usize> {
        [self.weight.shapes(), self.share.shapes()].concat()
    }
}

/// Evaluates `$body` with a view of the operand.
macro_rules! at_each_rank {
    ($o:expr, |$x:ident| $body:expr) => {
        match $o.rank() {
            2 => {
                let $x = $o.view::<2>();
                $body
            }
            3 => {
                let $x = $o.view::<3>();
                $body
            }
            rank => {
                assert_eq!(rank, 16);
                let $x = $o.view::<16>();
                $body
            }
        }
    };
}

/// Creates one row of the bad-input table for each method and its fallible variant. Each line of the macro's input ends with the extents of
/// each result for matrices of `m` × `n`, without the extents of the batch.
macro_rules! rows {
    ($([$($name:literal)*] $verb:literal, |$x:ident| $tried:expr, $panics:expr; $needs:ident |$m:ident, $n:ident| $own:expr;)*) => {
        vec![$({
            fn calls(hazard: Hazard) -> ByHand {
                let outcomes = operands(hazard)?.into_iter().map(|o| {
                    let done = at_each_rank!(o, |$x| done!(
                        try $tried.map(|y| Shapes(y.shapes())),
                        panics Shapes($panics.shapes())
                    ));
                    (done, outcome(hazard, Needs::$needs, &o.shape, |$m, $n| $own))
                });
                Ok(outcomes.collect())
            }
            Row::by_hand(&[$($name),*], $verb, calls)
        }),*]
    };
}

/// Creates one row of the bad-input table for each macro and its fallible variant. The row also names the functions in `factorise` that
/// both macros call. In `$spec`, the ellipsis stands for the batch axes.
macro_rules! rows_by_labels {
    ($($name:ident!, $try_name:ident!, $verb:literal $spec:literal; $needs:ident |$m:ident, $n:ident| $own:expr;)*) => {
        vec![$({
            fn calls(hazard: Hazard) -> ByHand {
                let outcomes = operands(hazard)?.into_iter().map(|o| {
                    let done = at_each_rank!(o, |x| done!(
                        try $try_name!($spec, &x).map(|y| Shapes(y.shapes())),
                        panics Shapes($name!($spec, &x).shapes())
                    ));
                    (done, labelled_outcome(hazard, Needs::$needs, &o.shape, |$m, $n| $own))
                });
                Ok(outcomes.collect())
            }
            let names: &[&str] = &[
                concat!(stringify!($name), "!"),
                concat!(stringify!($try_name), "!"),
                concat!("factorise::Factors::", stringify!($name)),
                concat!("factorise::Factors::", stringify!($try_name)),
                "factorise::labelled",
                "factorise::Labelled::factors",
            ];
            Row::by_hand(names, $verb, calls)
        }),*]
    };
}

/// Returns the rows of factorisations by labels. The macros call functions in `factorise` with the number of labels of each term. The tests
/// in `linalg/labels.rs` call these functions with wrong numbers.
fn by_labels() -> Vec<Row> {
    rows_by_labels! {
        svd!, try_svd!, "svd" "...ij -> ...ik, ...kj";
            Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n)], vec![m.min(n), n]];
        svd_truncated!, try_svd_truncated!, "svd" "...ij -> ...ik, ...kj";
            Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n)], vec![m.min(n), n], vec![], vec![]];
        qr!, try_qr!, "qr" "...ij -> ...ik, ...kj"; Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n), n]];
        lq!, try_lq!, "lq" "...ij -> ...ik, ...kj"; Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n), n]];
        eigh!, try_eigh!, "eigh" "...ij -> ...ik, ...kj"; Square |m, _n| vec![vec![m], vec![m, m]];
        polar!, try_polar!, "polar" "...ij -> ...ix, ...xj"; Finite |m, n| vec![vec![m, n], vec![n, n]];
    }
}

/// Returns right-hand sides of ones, for a matrix of this shape.
fn ones(shape: &[usize]) -> TensorView<'static, f64, Rank<1>> {
    const ONE: &[f64] = &[1.0];
    TensorView::from_slice_strided(ONE, [shape[shape.len() - 2]], [0], 0)
}

pub(crate) fn rows() -> Vec<Row> {
    [methods(), by_labels(), polynomials()].into_iter().flatten().collect()
}

/// The rows of polynomials. `linalg/dense.rs` tests values and messages.
fn polynomials() -> Vec<Row> {
    fn roots(hazard: Hazard) -> ByHand {
        let done = with_vectors(
            hazard,
            |p| done!(try p.try_roots().map(|y| Shapes(y.shapes())), panics Shapes(p.roots().shapes())),
        )?;
        Ok(done.into_iter().map(|(len, done)| (done, outcome_of_roots(hazard, len))).collect())
    }
    fn polyfit(hazard: Hazard) -> ByHand {
        let done = with_vectors(
            hazard,
            |x| done!(try x.try_polyfit(x, 1).map(|y| Shapes(y.shapes())), panics Shapes(x.polyfit(x, 1).shapes())),
        )?;
        Ok(done.into_iter().map(|(len, done)| (done, outcome_of_fit(hazard, len))).collect())
    }
    vec![
        Row::by_hand(&["roots", "try_roots"], "roots", roots),
        Row::by_hand(&["polyfit", "try_polyfit"], "polyfit", polyfit),
    ]
}

fn methods() -> Vec<Row> {
    rows! {
        ["svd" "try_svd"] "svd", |x| x.try_svd(), x.svd();
            Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n)], vec![m.min(n), n]];
        ["svd_full" "try_svd_full"] "svd", |x| x.try_svd_full(), x.svd_full();
            Finite |m, n| vec![vec![m, m], vec![m.min(n)], vec![n, n]];
        ["svd_truncated" "try_svd_truncated"] "svd_truncated",
            |x| x.try_svd_truncated(Truncation::new()), x.svd_truncated(Truncation::new());
            Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n)], vec![m.min(n), n], vec![], vec![]];
        ["singular_values" "try_singular_values"] "singular_values", |x| x.try_singular_values(), x.singular_values();
            Finite |m, n| vec![vec![m.min(n)]];
        ["eigh" "try_eigh"] "eigh", |x| x.try_eigh(), x.eigh(); Square |m, _n| vec![vec![m], vec![m, m]];
        ["eigvalsh" "try_eigvalsh"] "eigvalsh", |x| x.try_eigvalsh(), x.eigvalsh(); Square |m, _n| vec![vec![m]];
        ["eigh_generalized" "try_eigh_generalized"] "eigh_generalized",
            |x| x.try_eigh_generalized(&x), x.eigh_generalized(&x);
            Definite |m, _n| vec![vec![m], vec![m, m]];
        ["hermitian_map" "try_hermitian_map"] "hermitian_map",
            |x| x.try_hermitian_map(f64::exp), x.hermitian_map(f64::exp);
            Square |m, n| vec![vec![m, n]];
        ["eig" "try_eig"] "eig", |x| x.try_eig(), x.eig(); Square |m, _n| vec![vec![m], vec![m, m]];
        ["eigvals" "try_eigvals"] "eigvals", |x| x.try_eigvals(), x.eigvals(); Square |m, _n| vec![vec![m]];
        ["schur" "try_schur"] "schur", |x| x.try_schur(), x.schur(); Square |m, _n| vec![vec![m, m], vec![m, m]];
        ["qr" "try_qr"] "qr", |x| x.try_qr(), x.qr(); Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n), n]];
        ["qr_complete" "try_qr_complete"] "qr_complete", |x| x.try_qr_complete(), x.qr_complete();
            Finite |m, n| vec![vec![m, m], vec![m, n]];
        ["lq" "try_lq"] "lq", |x| x.try_lq(), x.lq(); Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n), n]];
        ["rq" "try_rq"] "rq", |x| x.try_rq(), x.rq(); Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n), n]];
        ["polar" "try_polar"] "polar", |x| x.try_polar(), x.polar(); Finite |m, n| vec![vec![m, n], vec![n, n]];
        ["lu" "try_lu"] "lu", |x| x.try_lu(), x.lu();
            Finite |m, n| vec![vec![m, m.min(n)], vec![m.min(n), n], vec![m]];
        ["cholesky" "try_cholesky"] "cholesky", |x| x.try_cholesky(), x.cholesky();
            Definite |m, _n| vec![vec![m, m]];
        ["ldl" "try_ldl"] "ldl", |x| x.try_ldl(), x.ldl(); Square |m, _n| vec![vec![m, m], vec![m, m], vec![m]];
        ["solve" "try_solve"] "solve", |x| x.try_solve(ones(x.shape().as_ref())), x.solve(ones(x.shape().as_ref()));
            Square |m, _n| vec![vec![m]];
        ["solve_as" "try_solve_as"] "solve",
            |x| x.try_solve_as(UNIT, ones(x.shape().as_ref())), x.solve_as(UNIT, ones(x.shape().as_ref()));
            Square |m, _n| vec![vec![m]];
        ["lstsq" "try_lstsq"] "lstsq", |x| x.try_lstsq(ones(x.shape().as_ref())), x.lstsq(ones(x.shape().as_ref()));
            Finite |_m, n| vec![vec![n]];
        ["lstsq_with" "try_lstsq_with"] "lstsq_with",
            |x| x.try_lstsq_with(ones(x.shape().as_ref()), SMALL), x.lstsq_with(ones(x.shape().as_ref()), SMALL);
            Finite |_m, n| vec![vec![n]];
        ["inv" "try_inv"] "inv", |x| x.try_inv(), x.inv(); Square |m, _n| vec![vec![m, m]];
        ["matrix_power" "try_matrix_power"] "matrix_power", |x| x.try_matrix_power(-2), x.matrix_power(-2);
            Square |m, _n| vec![vec![m, m]];
        ["det" "try_det"] "det", |x| x.try_det(), x.det(); Square |_m, _n| vec![vec![]];
        ["slogdet" "try_slogdet"] "slogdet", |x| x.try_slogdet(), x.slogdet(); Square |_m, _n| vec![vec![], vec![]];
        ["expm" "try_expm"] "expm", |x| x.try_expm(), x.expm(); Square |m, _n| vec![vec![m, m]];
        ["sqrtm" "try_sqrtm"] "sqrtm", |x| x.try_sqrtm(), x.sqrtm(); Square |m, _n| vec![vec![m, m]];
        ["logm" "try_logm"] "logm", |x| x.try_logm(), x.logm(); Square |m, _n| vec![vec![m, m]];
        ["pinv" "try_pinv"] "pinv", |x| x.try_pinv(), x.pinv(); Finite |m, n| vec![vec![n, m]];
        ["matrix_rank" "try_matrix_rank"] "matrix_rank", |x| x.try_matrix_rank(), x.matrix_rank();
            Finite |_m, _n| vec![vec![]];
        ["null_space" "try_null_space"] "null_space", |x| x.try_null_space(), x.null_space();
            Finite |m, n| vec![vec![n, n - m.min(n)]];
        ["orth" "try_orth"] "orth", |x| x.try_orth(), x.orth(); Finite |m, n| vec![vec![m, m.min(n)]];
        ["pinv_with" "try_pinv_with"] "pinv_with", |x| x.try_pinv_with(SMALL), x.pinv_with(SMALL);
            Finite |m, n| vec![vec![n, m]];
        ["matrix_rank_with" "try_matrix_rank_with"] "matrix_rank_with",
            |x| x.try_matrix_rank_with(SMALL), x.matrix_rank_with(SMALL); Finite |_m, _n| vec![vec![]];
        ["matrix_rank_above" "try_matrix_rank_above"] "matrix_rank_above",
            |x| x.try_matrix_rank_above(SMALL), x.matrix_rank_above(SMALL); Finite |_m, _n| vec![vec![]];
        ["null_space_with" "try_null_space_with"] "null_space_with",
            |x| x.try_null_space_with(SMALL), x.null_space_with(SMALL); Finite |m, n| vec![vec![n, n - m.min(n)]];
        ["orth_with" "try_orth_with"] "orth_with", |x| x.try_orth_with(SMALL), x.orth_with(SMALL);
            Finite |m, n| vec![vec![m, m.min(n)]];
        ["cond" "try_cond"] "cond", |x| x.try_cond(), x.cond(); Elements |_m, _n| vec![vec![]];
        ["nuclear_norm" "try_nuclear_norm"] "nuclear_norm", |x| x.try_nuclear_norm(), x.nuclear_norm();
            Finite |_m, _n| vec![vec![]];
        ["spectral_norm" "try_spectral_norm"] "spectral_norm", |x| x.try_spectral_norm(), x.spectral_norm();
            Finite |_m, _n| vec![vec![]];
        ["adjoint" "try_adjoint"] "adjoint", |x| x.try_adjoint(), x.adjoint(); Nothing |m, n| vec![vec![n, m]];
    }
}

/// Singular values of at most this number times the largest one count as 0. `linalg/errors.rs` tests numbers that are rejected.
const SMALL: f64 = 1e-14;

/// A triangular system with ones on its diagonal: the diagonal of the operand is not used, so no operand is singular.
const UNIT: Structure = Structure::Lower { unit: true };
