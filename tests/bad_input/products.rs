//! Rows of the bad-input table (see `bad_input/mod.rs`): products and contractions.

use super::array::{Array, Outcome, Rejection, allocated, cross, einsum, reject};
use super::driver::{Call, Hazard, Hazard::*, Row};
use super::hazards::{product, vectors};
use super::operand::Operand;
use super::writing::{into, shape_of};
use super::{at_ranks, done, done_into};
use vierbein::prelude::*;

const PRODUCT: Call = Call { operands: product, ..Call::NOTHING };
const LETTERS: &str = "abcdefghijklmnop";

/// Computes the expected matrix product. Batch axes precede the matrix axes, as in row-major order.
fn matmul(a: &[Array]) -> Outcome {
    let [x, y] = [&a[0], &a[1]];
    let labels = match (x.shape.len(), y.shape.len()) {
        (1, 1) => ["a", "a", ""].map(String::from),
        (2, 1) => ["ab", "b", "a"].map(String::from),
        (1, 2) => ["a", "ab", "b"].map(String::from),
        (2, 2) => ["ab", "bc", "ac"].map(String::from),
        (16, 16) => ["op", "pq", "oq"].map(|last| format!("{}{last}", &LETTERS[..14])),
        (16, 2) => [format!("{}op", &LETTERS[..14]), "pq".into(), format!("{}oq", &LETTERS[..14])],
        _ => return Err(Rejection::Untried),
    };
    einsum(&[(x, &labels[0]), (y, &labels[1])], &labels[2], "Matmul")
}

/// Computes the sum of products of corresponding elements.
fn dot(a: &[Array]) -> Outcome {
    if a[0].shape != a[1].shape {
        return reject("Contraction");
    }
    let labels = &LETTERS[..a[0].shape.len()];
    einsum(&[(&a[0], labels), (&a[1], labels)], "", "Contraction")
}

/// Computes the outer product: each element of one operand times each element of the other.
fn outer(a: &[Array]) -> Outcome {
    if a[0].shape.len() + a[1].shape.len() > 16 {
        return Err(Rejection::Untried);
    }
    let (left, right) = LETTERS.split_at(a[0].shape.len());
    let right = &right[..a[1].shape.len()];
    einsum(&[(&a[0], left), (&a[1], right)], &format!("{left}{right}"), "Contraction")
}

/// Contracts the last axes of both operands.
fn inner(a: &[Array]) -> Outcome {
    over(a, a[0].shape.len().wrapping_sub(1), a[1].shape.len().wrapping_sub(1))
}

/// Contracts one axis of each operand.
fn over(a: &[Array], left: usize, right: usize) -> Outcome {
    let (rank_x, rank_y) = (a[0].shape.len(), a[1].shape.len());
    if left >= rank_x || right >= rank_y || rank_x + rank_y > 18 {
        return Err(Rejection::Untried);
    }
    let letters: Vec<char> = ('A'..='Z').chain('a'..='y').collect();
    let (mut of_x, mut of_y) = (letters[..rank_x].to_vec(), letters[rank_x..rank_x + rank_y].to_vec());
    (of_x[left], of_y[right]) = ('z', 'z');
    let text = |labels: &[char]| labels.iter().collect::<String>();
    let kept: String = of_x.iter().chain(&of_y).filter(|&&label| label != 'z').collect();
    einsum(&[(&a[0], &text(&of_x)), (&a[1], &text(&of_y))], &kept, "Contraction")
}

/// Computes the Kronecker product. If the ranks differ, the shape of lower rank is padded with leading axes of extent 1.
fn kron(a: &[Array]) -> Outcome {
    let rank = a[0].shape.len().max(a[1].shape.len());
    let padded = |x: &Array| [vec![1; rank - x.shape.len()], x.shape.clone()].concat();
    let (x, y) = (padded(&a[0]), padded(&a[1]));
    let Some(shape) = x.iter().zip(&y).map(|(a, b)| a.checked_mul(*b)).collect::<Option<Vec<usize>>>() else {
        return reject("Overflow");
    };
    allocated(&shape, 8)?;
    let [x, y] = [x, y]
        .into_iter()
        .zip(a)
        .map(|(shape, a)| Array { shape, ..a.clone() })
        .collect::<Vec<_>>()
        .try_into()
        .expect("two");
    Ok(Array::from_fn(&shape, |index| {
        let of_x: Vec<usize> = index.iter().zip(&y.shape).map(|(i, n)| i / n).collect();
        let of_y: Vec<usize> = index.iter().zip(&y.shape).map(|(i, n)| i % n).collect();
        x.at(&of_x) * y.at(&of_y)
    }))
}

const NO_MATRIX: &[(Hazard, &str)] = &[(Rank0, "does not compile: no vector, and no matrix")];

fn named() -> Vec<Row> {
    let calls = [
        Call {
            names: &["matmul", "try_matmul"],
            verb: "matmul",
            run: |o, _| {
                at_ranks!(o, x: view, y: view, [1 1, 2 1, 1 2, 2 2, 16 16, 16 2],
                done!(try x.try_matmul(y), panics x.matmul(y)))
            },
            expected: |a, _| matmul(a),
            cannot: NO_MATRIX,
            ..PRODUCT
        },
        Call {
            names: &["matmul_into", "try_matmul_into"],
            verb: "matmul",
            operands: matrices,
            run: |o, _| {
                at_ranks!(o, x: view, y: view, [2 2, 16 16], {
                    let shape = Shape(x.shape(), y.shape()).product();
                    done!(
                        try { let mut out = Tensor::try_zeros(shape)?; x.try_matmul_into(y, &mut out).map(|()| out) },
                        panics { let mut out = Tensor::zeros(shape); x.matmul_into(y, &mut out); out }
                    )
                })
            },
            expected: |a, _| matmul(a),
            cannot: NO_MATRIX,
            ..PRODUCT
        },
        Call {
            names: &["dot", "try_dot"],
            verb: "dot",
            run: |o, _| at_ranks!(o, x: view, y: view, [0 0, 1 1, 2 2, 16 16], done!(try x.try_dot(y), panics x.dot(y))),
            expected: |a, _| dot(a),
            ..PRODUCT
        },
        Call {
            names: &["vdot", "try_vdot"],
            verb: "vdot",
            run: |o, _| at_ranks!(o, x: view, y: view, [0 0, 1 1, 2 2, 16 16], done!(try x.try_vdot(y), panics x.vdot(y))),
            expected: |a, _| dot(a),
            ..PRODUCT
        },
        Call {
            names: &["inner", "try_inner"],
            verb: "inner",
            run: |o, _| at_ranks!(o, x: view, y: view, [1 1, 2 1, 1 2, 2 2, 16 2], done!(try x.try_inner(y), panics x.inner(y))),
            expected: |a, _| inner(a),
            cannot: NO_MATRIX,
            ..PRODUCT
        },
        Call {
            names: &["outer", "try_outer"],
            verb: "outer",
            run: |o, _| {
                at_ranks!(o, x: view, y: view, [0 0, 1 0, 2 0, 1 1, 2 1, 2 2, 16 0], done!(
                try x.try_outer(y),
                panics x.outer(y)))
            },
            expected: |a, _| outer(a),
            cannot: &[(WrongShape, "all shapes have an outer product")],
            ..PRODUCT
        },
        Call {
            names: &["kron", "try_kron"],
            verb: "kron",
            run: |o, _| {
                at_ranks!(o, x: view, y: view, [0 0, 1 0, 2 0, 1 1, 2 1, 2 2, 16 16, 16 2], done!(
                try x.try_kron(y),
                panics x.kron(y)))
            },
            expected: |a, _| kron(a),
            cannot: &[(WrongShape, "all shapes have a Kronecker product")],
            ..PRODUCT
        },
        Call {
            names: &["tensordot", "try_tensordot"],
            verb: "tensordot",
            run: |o, _| {
                at_ranks!(o, x: view, y: view, [1 1, 2 1, 1 2, 2 2, 16 2],
                done!(try x.try_tensordot(y, [o[0].rank() - 1], [0]), panics x.tensordot(y, [o[0].rank() - 1], [0])))
            },
            expected: |a, _| over(a, a[0].shape.len().wrapping_sub(1), 0),
            cannot: NO_MATRIX,
            ..PRODUCT
        },
        Call {
            names: &["conj_view"],
            operands: matrices,
            verb: "matmul",
            run: |o, _| {
                at_ranks!(o, x: view, y: view, [2 2, 16 16], done!(
                try x.try_matmul(y.conj_view()),
                panics x.matmul(y.conj_view())))
            },
            expected: |a, _| matmul(a),
            cannot: NO_MATRIX,
            ..PRODUCT
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

/// Returns the pairs of [`product`] that are two matrices, or two batches of matrices with the same rank.
fn matrices(hazard: Hazard) -> Vec<Vec<Operand>> {
    product(hazard).into_iter().filter(|x| x[0].rank() == x[1].rank() && x[0].rank() >= 2).collect()
}

/// The shapes of two operands of a matrix product.
struct Shape<const N: usize>([usize; N], [usize; N]);

impl<const N: usize> Shape<N> {
    fn product(&self) -> [usize; N] {
        let mut shape = self.0;
        shape[N - 1] = self.1[N - 1];
        shape
    }
}

// ------------------------------------------------------------------ einsum

/// Rows of the `einsum!` macros and of the builder that they expand to.
fn by_labels() -> Vec<Row> {
    let calls = [
        Call {
            names: &[
                "einsum!",
                "try_einsum!",
                "einsum::contraction",
                "einsum::Contraction::and",
                "einsum::Contraction::result",
                "einsum::Prepared::contract",
                "einsum::Prepared::try_contract",
            ],
            verb: "einsum",
            run: |o, _| match (o[0].rank(), o[1].rank()) {
                (0, 0) => {
                    let (x, y) = (&o[0].view::<0>(), &o[1].view::<0>());
                    Some(done!(try try_einsum!(",->", x, y), panics einsum!(",->", x, y)))
                }
                (1, 1) => {
                    let (x, y) = (&o[0].view::<1>(), &o[1].view::<1>());
                    Some(done!(try try_einsum!("i,i->", x, y), panics einsum!("i,i->", x, y)))
                }
                (2, 2) => {
                    let (x, y) = (&o[0].view::<2>(), &o[1].view::<2>());
                    Some(done!(try try_einsum!("ij,jk->ik", x, y), panics einsum!("ij,jk->ik", x, y)))
                }
                (16, 2) => {
                    let (x, y) = (&o[0].view::<16>(), &o[1].view::<2>());
                    Some(done!(
                            try try_einsum!("abcdefghijklmnop,pq->abcdefghijklmnoq", x, y),
                            panics einsum!("abcdefghijklmnop,pq->abcdefghijklmnoq", x, y)))
                }
                _ => None,
            },
            expected: |a, _| labelled(a),
            ..PRODUCT
        },
        Call {
            names: &[
                "einsum_into!",
                "try_einsum_into!",
                "einsum::Prepared::contract_into",
                "einsum::Prepared::try_contract_into",
                "einsum::Prepared::write_into",
                "einsum::Prepared::try_write_into",
            ],
            verb: "einsum",
            operands: matrices,
            run: |o, _| match (o[0].rank(), o[1].rank()) {
                (2, 2) => {
                    let (x, y) = (&o[0].view::<2>(), &o[1].view::<2>());
                    // All operands are tried with this output of shape [3, 3]. For most results, the shape is wrong.
                    let out = || Tensor::<f64, Rank<2>>::full([3, 3], 1.0);
                    Some(done!(
                        try { let mut out = out(); try_einsum_into!(&mut out, 2.0, 1.0; "ij,jk->ik", x, y).map(|()| out) },
                        panics { let mut out = out(); einsum_into!(&mut out, 2.0, 1.0; "ij,jk->ik", x, y); out }
                    ))
                }
                (16, 16) => {
                    let (x, y) = (&o[0].view::<16>(), &o[1].view::<16>());
                    let out = || Tensor::<f64, Rank<2>>::zeros([2, 2]);
                    Some(done!(
                        try { let mut out = out(); try_einsum_into!(&mut out; "abcdefghijklmnop,abcdefghijklmnpq->oq", x, y).map(|()| out) },
                        panics { let mut out = out(); einsum_into!(&mut out; "abcdefghijklmnop,abcdefghijklmnpq->oq", x, y); out }
                    ))
                }
                _ => None,
            },
            expected: |a, _| {
                if a[0].shape.len() == 16 {
                    let batch = &LETTERS[..14];
                    let (x, y) = (format!("{batch}op"), format!("{batch}pq"));
                    return einsum(&[(&a[0], &x), (&a[1], &y)], "oq", "Contraction");
                }
                // The library checks the operands before the output. If both are invalid, it returns the error of the operands.
                let mut result = match into(labelled(a), &Array::from_fn(&[3, 3], |_| 1.0)) {
                    Err(Rejection::Error("OutputShape")) => return reject("Contraction"),
                    other => other?,
                };
                result.data.iter_mut().for_each(|x| *x = 2.0 * *x + 1.0);
                Ok(result)
            },
            cannot: NO_MATRIX,
            ..PRODUCT
        },
        Call {
            names: &[
                "einsum_path!",
                "try_einsum_path!",
                "einsum::Prepared::path",
                "einsum::Prepared::try_path",
            ],
            verb: "einsum",
            operands: matrices,
            run: |o, _| match (o[0].rank(), o[1].rank()) {
                (2, 2) => {
                    let (x, y) = (&o[0].view::<2>(), &o[1].view::<2>());
                    Some(done!(
                        try try_einsum_path!("ij,jk->ik", x, y).map(|path| path.multiplications()),
                        panics einsum_path!("ij,jk->ik", x, y).multiplications()
                    ))
                }
                (16, 16) => {
                    let (x, y) = (&o[0].view::<16>(), &o[1].view::<16>());
                    Some(done!(
                        try try_einsum_path!("abcdefghijklmnop,abcdefghijklmnpq->oq", x, y).map(|path| path.multiplications()),
                        panics einsum_path!("abcdefghijklmnop,abcdefghijklmnpq->oq", x, y).multiplications()
                    ))
                }
                _ => None,
            },
            // The path's number of multiplications is the product of all extents.
            expected: |a, _| {
                let mut extents: Vec<usize> = a[0].shape.clone();
                let rank = extents.len();
                if a[0].shape[rank - 1] != a[1].shape[rank - 2]
                    || a[0].shape[..rank - 2] != a[1].shape[..rank - 2]
                {
                    return reject("Contraction");
                }
                extents.push(a[1].shape[rank - 1]);
                Ok(Array::scalar(extents.iter().map(|&n| n as f64).product()))
            },
            cannot: NO_MATRIX,
            ..PRODUCT
        },
    ];
    calls.into_iter().map(Row::from).collect()
}

fn labelled(a: &[Array]) -> Outcome {
    match (a[0].shape.len(), a[1].shape.len()) {
        (0, 0) => einsum(&[(&a[0], ""), (&a[1], "")], "", "Contraction"),
        (1, 1) => einsum(&[(&a[0], "i"), (&a[1], "i")], "", "Contraction"),
        (2, 2) => einsum(&[(&a[0], "ij"), (&a[1], "jk")], "ik", "Contraction"),
        (16, 2) => {
            let batch = &LETTERS[..14];
            einsum(&[(&a[0], &format!("{batch}op")), (&a[1], "pq")], &format!("{batch}oq"), "Contraction")
        }
        _ => Err(Rejection::Untried),
    }
}

fn of_vectors() -> Vec<Row> {
    let call = Call {
        names: &["cross", "try_cross"],
        verb: "cross",
        operands: vectors,
        run: |o, _| {
            at_ranks!(o, a: view, b: view, [0 0, 1 0, 1 1, 2 1, 2 2, 16 1, 16 16],
                done!(try a.try_cross(-1, b), panics a.cross(-1, b)))
        },
        expected: |a, _| cross(&a[0], &a[1]),
        ..Call::NOTHING
    };
    let into = Call {
        names: &["cross_into", "try_cross_into"],
        cannot: &[(HugeExtents, "the output cannot be made")],
        run: |o, _| {
            at_ranks!(o, a: view, b: view, [0 0, 1 0, 1 1, 2 1, 2 2, 16 1, 16 16], {
                let to = shape_of(a.try_cross(-1, b));
                done_into!(to, f64::NAN, out, a.try_cross_into(-1, b, &mut out), a.cross_into(-1, b, &mut out))
            })
        },
        ..call
    };
    vec![call.into(), into.into()]
}

pub(crate) fn rows() -> Vec<Row> {
    [named(), by_labels(), of_vectors()].into_iter().flatten().collect()
}
