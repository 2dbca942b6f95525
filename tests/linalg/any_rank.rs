//! Decompositions of tensors whose rank is known at run time only.

use vierbein::prelude::*;

#[test]
fn results_of_any_rank() {
    let a = Tensor::<f64, _>::from_fn([2, 3, 3], |[b, i, j]| (b + 1) as f64 / (i + j + 1) as f64);
    let any = a.clone().into_any_rank();
    let (of_any, of_a) = (any.svd(), a.svd());
    assert_eq!(
        (of_any.u.into_rank(), of_any.s.into_rank(), of_any.vh.into_rank()),
        (of_a.u, of_a.s, of_a.vh)
    );
    assert_eq!(any.adjoint().into_rank(), a.adjoint());
    assert_eq!(any.inv().into_rank(), a.inv());
    assert_eq!(any.det().into_rank(), a.det());
    assert_eq!(any.eigh().0.into_rank(), a.eigh().0);
    assert_eq!(any.index_axis(0, 0).qr().1.into_rank(), a.index_axis(0, 0).qr().1);
    let b = a.index_axis(0, 0).index_axis(0, 1).to_owned();
    assert_eq!(any.index_axis(0, 0).solve(&b).into_rank(), a.index_axis(0, 0).solve(&b));
    assert_eq!(a.index_axis(0, 0).solve(b.clone().into_any_rank()).into_rank(), a.index_axis(0, 0).solve(&b));
    // The ranks of labelled factors follow from the specification.
    let (u, s, vh) = svd!("bij -> bik, kj", &any);
    assert_eq!((u, s, vh), svd!("bij -> bik, kj", &a));
}

#[test]
fn ranks_without_matrices_are_errors() {
    let vector = Tensor::<f64, Rank<1>>::ones([3]).into_any_rank();
    let expected =
        |op: &str| format!("{op}: a tensor of `Rank<1>` has no matrices: expected a rank of 2 or more");
    assert_eq!(vector.try_svd().unwrap_err().to_string(), expected("svd"));
    assert_eq!(vector.try_solve(&vector).unwrap_err().to_string(), expected("solve"));
    assert_eq!(vector.try_lstsq(&vector).unwrap_err().to_string(), expected("lstsq"));
    let (matrix, scalar) = (Tensor::<f64, Rank<2>>::eye(2).into_any_rank(), vector.index_axis(0, 0));
    assert_eq!(
        matrix.try_solve(scalar).unwrap_err().to_string(),
        "solve: a tensor of `Rank<0>` has no right-hand sides: expected a vector, a matrix or a batch of matrices"
    );
    assert_eq!(
        try_svd!("abc -> abk, kc", &matrix).unwrap_err().to_string(),
        "svd \"abc -> abk, kc\": the specification has 3 labels for an operand that is a tensor of `Rank<2>`: an operand has one label \
         for each axis; write a letter for each axis; `...` stands for any number of them"
    );
}
