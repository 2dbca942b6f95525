//! Tests that messages of errors name the operation, both operands, and a fix. Fallible and panicking variants have the same
//! message.

use std::panic::{AssertUnwindSafe, catch_unwind};
use vierbein::linalg::{Structure, Truncation};
use vierbein::prelude::*;
use vierbein::{DynTensor, Error, MemoryOrder, stack};

/// Asserts the message of both variants, and the kind of the error.
macro_rules! rejected {
    ($x:ident.$name:ident / $try_name:ident ($($arg:expr),*), $kind:pat, $text:expr) => {{
        let error = $x.$try_name($($arg),*).map(|_| ()).expect_err("an error was expected");
        assert_eq!(error.to_string(), $text);
        assert!(matches!(error, $kind), "{error:?}");
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _ = $x.$name($($arg),*);
        }));
        let payload = panicked.expect_err("a panic was expected");
        assert_eq!(payload.downcast_ref::<String>(), Some(&error.to_string()));
    }};
}

#[test]
fn matrices_that_are_not_square() {
    let a = Tensor::<f64, _>::ones([4, 2, 3]);
    macro_rules! all {
        ($($name:ident / $try_name:ident ($($arg:expr),*);)*) => {$(
            let text = format!(
                "cannot {}: shape [4, 2, 3]: the matrix has 2 rows and 3 columns, and must be square",
                stringify!($name).trim_end_matches("_as")
            );
            rejected!(a.$name / $try_name($($arg),*), Error::Argument { .. }, text);
        )*};
    }
    all! {
        cholesky / try_cholesky();
        ldl / try_ldl();
        inv / try_inv();
        det / try_det();
        slogdet / try_slogdet();
        matrix_power / try_matrix_power(2);
        expm / try_expm();
        hermitian_map / try_hermitian_map(f64::sqrt);
        eig / try_eig();
        eigvals / try_eigvals();
        schur / try_schur();
        sqrtm / try_sqrtm();
        logm / try_logm();
        eigh_generalized / try_eigh_generalized(&a);
        solve / try_solve(Tensor::<f64, _>::ones([2]));
        solve_as / try_solve_as(Structure::PositiveDefinite, Tensor::<f64, _>::ones([2]));
    }
    let text = "cannot inv: shape [4, 2, 3]: the matrix has 2 rows and 3 columns, and must be square";
    assert_eq!(DynTensor::from(a).inv().unwrap_err().to_string(), text);
}

/// The error names the first matrix without a result, by its index along the batch axes, in both memory orders.
#[test]
fn singular_matrices() {
    let a = tensor![[1.0, 2.0], [2.0, 4.0]];
    let text = |op, shape, which| {
        format!(
            "cannot {op} shape {shape}: {which} is singular, because pivot 1 is 0; for a least-squares solution, use \
             `.lstsq(..)` or `.pinv()`"
        )
    };
    rejected!(a.inv / try_inv(), Error::Singular { pivot: 1, .. }, text("inv", "[2, 2]", "the matrix"));
    rejected!(
        a.solve / try_solve(tensor![1.0, 1.0]),
        Error::Singular { .. },
        text("solve", "[2, 2]", "the matrix")
    );
    let hermitian = stack(0, [&tensor![[0.0, 1.0], [1.0, 0.0]], &Tensor::zeros([2, 2])]);
    rejected!(
        hermitian.solve_as / try_solve_as(Structure::Hermitian, tensor![1.0, 1.0]),
        Error::Singular { pivot: 0, .. },
        text("solve", "[2, 2, 2]", "matrix [1] of the batch").replace("pivot 1", "pivot 0")
    );
    rejected!(
        a.matrix_power / try_matrix_power(-1),
        Error::Singular { .. },
        text("matrix_power", "[2, 2]", "the matrix")
    );
    let good = tensor![[1.0, 2.0], [2.0, 5.0]];
    let row = stack(0, [&good, &good, &a]);
    let batch = stack(0, [&row, &row]);
    let named = text("inv", "[2, 3, 2, 2]", "matrix [0, 2] of the batch");
    rejected!(batch.inv / try_inv(), Error::Singular { .. }, named);
    // In `columns`, the batch axes are the trailing axes, with extents 3 and 2.
    let columns = batch.permute([2, 3, 1, 0]).to_order::<ColMajor>();
    let named = text("inv", "[2, 2, 3, 2]", "matrix [2, 0] of the batch");
    rejected!(columns.inv / try_inv(), Error::Singular { .. }, named);
    assert_eq!(DynTensor::from(columns).inv().unwrap_err().to_string(), named);
    let named = text("solve", "[2, 3, 2, 2]", "matrix [0, 2] of the batch");
    rejected!(batch.solve / try_solve(tensor![1.0, 1.0]), Error::Singular { .. }, named);
}

#[test]
fn numbers_that_are_not_finite() {
    let a = tensor![[1.0, f64::NAN], [0.0, 1.0]];
    let one = Tensor::<f64, _>::eye(2);
    macro_rules! all {
        ($($op:literal: $x:ident.$name:ident / $try_name:ident ($($arg:expr),*);)*) => {$(
            let text = format!(
                "cannot {} shape [2, 2]: the matrix has an element that is NaN or infinite; find it with `.is_finite()`, or \
                 replace it with `.nan_to_num()`",
                $op
            );
            rejected!($x.$name / $try_name($($arg),*), Error::NotFinite { .. }, text);
        )*};
    }
    all! {
        "lu": a.lu / try_lu();
        "cholesky": a.cholesky / try_cholesky();
        "ldl": a.ldl / try_ldl();
        "solve": a.solve_as / try_solve_as(Structure::Hermitian, &one);
        "inv": a.inv / try_inv();
        "det": a.det / try_det();
        "slogdet": a.slogdet / try_slogdet();
        "matrix_power": a.matrix_power / try_matrix_power(-2);
        "expm": a.expm / try_expm();
        "eig": a.eig / try_eig();
        "eigvals": a.eigvals / try_eigvals();
        "schur": a.schur / try_schur();
        "sqrtm": a.sqrtm / try_sqrtm();
        "logm": a.logm / try_logm();
        "hermitian_map": a.hermitian_map / try_hermitian_map(f64::sqrt);
        "eigh_generalized": a.eigh_generalized / try_eigh_generalized(&one);
        "eigh_generalized": one.eigh_generalized / try_eigh_generalized(&a);
        "solve": a.solve / try_solve(&one);
        "solve": one.solve / try_solve(&a);
        "lstsq": a.lstsq / try_lstsq(&one);
        "lstsq_with": a.lstsq_with / try_lstsq_with(&one, 0.1);
        "qr_complete": a.qr_complete / try_qr_complete();
        "lq": a.lq / try_lq();
        "rq": a.rq / try_rq();
        "polar": a.polar / try_polar();
        "pinv": a.pinv / try_pinv();
        "pinv_with": a.pinv_with / try_pinv_with(0.1);
        "matrix_rank": a.matrix_rank / try_matrix_rank();
        "matrix_rank_with": a.matrix_rank_with / try_matrix_rank_with(0.1);
        "matrix_rank_above": a.matrix_rank_above / try_matrix_rank_above(0.1);
        "null_space": a.null_space / try_null_space();
        "null_space_with": a.null_space_with / try_null_space_with(0.1);
        "orth": a.orth / try_orth();
        "orth_with": a.orth_with / try_orth_with(0.1);
        "cond": a.cond / try_cond();
        "nuclear_norm": a.nuclear_norm / try_nuclear_norm();
        "spectral_norm": a.spectral_norm / try_spectral_norm();
        "svd_truncated": a.svd_truncated / try_svd_truncated(Truncation::rank(1));
    }
    let text = "cannot lstsq: the right-hand sides have an element that is NaN or infinite; find it with `.is_finite()`";
    rejected!(one.lstsq / try_lstsq(&a), Error::Argument { .. }, text);
    assert_eq!(DynTensor::from(one).lstsq(&a).unwrap_err().to_string(), text);
}

#[test]
fn matrices_that_are_not_positive_definite() {
    let a = tensor![[1.0, 2.0], [2.0, 1.0]];
    let text = |op| {
        format!(
            "cannot {op} shape [2, 2]: the matrix is not positive definite, because its leading principal minor of order 2 \
             is not positive; for any Hermitian matrix, use `.eigh()`"
        )
    };
    rejected!(a.cholesky / try_cholesky(), Error::NotPositiveDefinite { order: 2, .. }, text("cholesky"));
    let definite = Structure::PositiveDefinite;
    rejected!(
        a.solve_as / try_solve_as(definite, tensor![1.0, 1.0]),
        Error::NotPositiveDefinite { .. },
        text("solve")
    );
    let one = Tensor::<f64, _>::eye(2);
    rejected!(
        one.eigh_generalized / try_eigh_generalized(&a),
        Error::NotPositiveDefinite { .. },
        text("eigh_generalized")
    );
}

#[test]
fn right_hand_sides_that_do_not_fit() {
    let a = Tensor::<f64, _>::ones([5, 2, 2]);
    let b = Tensor::<f64, _>::ones([3, 4]);
    let text = |op| {
        format!(
            "cannot {op}: matrices of shape [5, 2, 2] and right-hand sides of shape [3, 4]: a matrix has 2 rows, and the \
             right-hand sides have 3 elements; give the right-hand sides as a vector or as the columns of a matrix"
        )
    };
    rejected!(a.solve / try_solve(&b), Error::Argument { .. }, text("solve"));
    rejected!(a.lstsq / try_lstsq(&b), Error::Argument { .. }, text("lstsq"));
    rejected!(a.lstsq_with / try_lstsq_with(&b, 0.1), Error::Argument { .. }, text("lstsq_with"));
    assert_eq!(DynTensor::from(a.clone()).solve(&b).unwrap_err().to_string(), text("solve"));
    let b = Tensor::<f64, _>::ones([3, 2, 4]);
    let text = "cannot solve: matrices of shape [5, 2, 2] and right-hand sides of shape [3, 2, 4]: the batches [5] and [3] do \
                not broadcast; make their extents equal or 1";
    rejected!(a.solve / try_solve(&b), Error::Argument { .. }, text);
    let b = Tensor::<f64, _>::ones([4, 2, 2]);
    let text = "cannot eigh_generalized: matrices of shape [5, 2, 2] and [4, 2, 2]: the shapes must be equal";
    rejected!(a.eigh_generalized / try_eigh_generalized(&b), Error::Argument { .. }, text);
}

#[test]
fn truncations() {
    let a = Tensor::<f64, _>::eye(2);
    let text = "cannot svd_truncated: `cutoff` is NaN, and must be a number that is at least 0";
    let how = Truncation::new().cutoff(f64::NAN);
    rejected!(a.svd_truncated / try_svd_truncated(how), Error::Argument { .. }, text);
    let text = "cannot svd_truncated: `relative` is -1e-300, and must be a number that is at least 0";
    let how = Truncation::new().relative(-1e-300);
    rejected!(a.svd_truncated / try_svd_truncated(how), Error::Argument { .. }, text);
    let text = "cannot svd_truncated: `below` is -1.0, and must be a number that is at least 0";
    let how = Truncation::rank(1).below(-1.0);
    rejected!(a.svd_truncated / try_svd_truncated(how), Error::Argument { .. }, text);
    let text = "cannot svd_truncated: a rank of 0 keeps no singular value; keep at least one";
    rejected!(a.svd_truncated / try_svd_truncated(Truncation::rank(0)), Error::Argument { .. }, text);
}

/// The argument `relative` is checked before the elements of the matrices.
#[test]
fn relative_cutoffs() {
    let a = tensor![[1.0, f64::NAN], [0.0, 1.0]];
    let b = tensor![1.0, 2.0, 3.0];
    let dynamic = DynTensor::from(a.clone());
    for (relative, printed) in
        [(-1.0, "-1.0"), (-1e-300, "-1e-300"), (f64::NAN, "NaN"), (f64::NEG_INFINITY, "-inf")]
    {
        let text = |op: &str, default| {
            format!(
                "cannot {op}: `relative` is {printed}, and must be a number that is at least 0; `{default}` has a default, which \
                 depends on the extents and the element type"
            )
        };
        macro_rules! all {
            ($($name:ident / $try_name:ident ($($arg:expr),*), $default:literal;)*) => {$(
                let expected = text(stringify!($name), $default);
                rejected!(a.$name / $try_name($($arg,)* relative), Error::Argument { .. }, expected);
                assert_eq!(dynamic.$name($($arg,)* relative).unwrap_err().to_string(), expected);
            )*};
        }
        all! {
            pinv_with / try_pinv_with(), ".pinv()";
            matrix_rank_with / try_matrix_rank_with(), ".matrix_rank()";
            null_space_with / try_null_space_with(), ".null_space()";
            orth_with / try_orth_with(), ".orth()";
            lstsq_with / try_lstsq_with(&b), ".lstsq(b)";
        }
    }
}

#[test]
fn absolute_cutoffs() {
    let text = "cannot matrix_rank_above: `size` is -1.0, and must be a number that is at least 0";
    let a = Tensor::<f64, Rank<2>>::eye(2);
    rejected!(a.matrix_rank_above / try_matrix_rank_above(-1.0), Error::Argument { .. }, text);
    assert!(a.try_matrix_rank_above(f64::NAN).is_err());
}

#[test]
fn ranks_that_differ_in_a_batch() {
    let batch = stack(0, [&Tensor::<f64, _>::eye(2), &Tensor::ones([2, 2])]);
    let text = |op| {
        format!(
            "cannot {op}: the matrices of the batch have ranks 2 and 1, so that the results differ in shape; pass one matrix \
             at a time"
        )
    };
    rejected!(batch.null_space / try_null_space(), Error::Argument { .. }, text("null_space"));
    rejected!(batch.orth / try_orth(), Error::Argument { .. }, text("orth"));
    rejected!(
        batch.null_space_with / try_null_space_with(0.1),
        Error::Argument { .. },
        text("null_space_with")
    );
    rejected!(batch.orth_with / try_orth_with(0.1), Error::Argument { .. }, text("orth_with"));
    let empty = Tensor::<f64, _>::zeros([0, 3]);
    let text = "cannot cond: a matrix with 0 rows and 3 columns has no singular values";
    rejected!(empty.cond / try_cond(), Error::Argument { .. }, text);
}

#[test]
fn functions_that_do_not_exist() {
    let nilpotent = tensor![[0.0, 1.0], [0.0, 0.0]];
    let text = |op| {
        format!(
            "cannot {op}: the matrix has an eigenvalue that is 0, or so close to 0 that there is no finite result; look at its \
             eigenvalues with `.eigvals()`"
        )
    };
    rejected!(nilpotent.sqrtm / try_sqrtm(), Error::Argument { .. }, text("sqrtm"));
    rejected!(nilpotent.logm / try_logm(), Error::Argument { .. }, text("logm"));
    assert_eq!(Tensor::<f64, _>::zeros([2, 2]).sqrtm().re(), Tensor::zeros([2, 2]));
}

/// Dynamic tensors return errors for mistakes that typed tensors reject at compile time.
#[test]
fn dynamic_tensors() {
    let integers = DynTensor::from(tensor![[1, 2], [3, 4]]);
    let text = |op| {
        format!(
            "{op}: `i32` has no factorisations: expected `f32`, `f64`, `Complex<f32>` or `Complex<f64>`; \
             convert integers first, e.g. with `.to_dtype(DType::F64)`"
        )
    };
    assert_eq!(integers.svd().unwrap_err().to_string(), text("svd"));
    assert_eq!(integers.inv().unwrap_err().to_string(), text("inv"));
    assert_eq!(integers.solve(&integers).unwrap_err().to_string(), text("solve"));
    assert_eq!(integers.lstsq(&integers).unwrap_err().to_string(), text("lstsq"));
    assert_eq!(integers.eigh_generalized(&integers).unwrap_err().to_string(), text("eigh_generalized"));
    let vector = DynTensor::from(tensor![1.0, 2.0]);
    let text = "qr: a tensor of `Rank<1>` has no matrices: expected a rank of 2 or more";
    assert_eq!(vector.qr().unwrap_err().to_string(), text);
    let a = DynTensor::from(tensor![[1.0, 2.0], [3.0, 4.0]]);
    assert!(matches!(a.solve(&tensor![1.0f32, 2.0]).unwrap_err(), Error::DTypeMismatch { op: "solve", .. }));
    let columns = a.to_order(MemoryOrder::ColMajor).unwrap();
    assert!(matches!(a.lstsq(&columns).unwrap_err(), Error::OrderMismatch { op: "lstsq", .. }));
    assert!(matches!(a.eigh_generalized(&columns).unwrap_err(), Error::OrderMismatch { .. }));
    let text = "solve: a tensor of `Rank<0>` has no right-hand sides: expected a vector, a matrix or a batch of matrices";
    assert_eq!(a.solve(&DynTensor::scalar(1.0)).unwrap_err().to_string(), text);
}
