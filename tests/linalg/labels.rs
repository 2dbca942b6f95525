//! Tests of factorisations by labels. The product of the factors must equal the operand. Naive loops check the conventions for signs and
//! triangles. The factors must equal those that the methods for matrices compute.

use crate::common::Remote;
use vierbein::linalg::{Decompose, LinalgElement, Svd};
use vierbein::prelude::*;

impl<T: LinalgElement> Decompose<T> for Remote {}

/// Element types that are created from a real and an imaginary part. Real types ignore the imaginary part.
trait Number: LinalgElement<Magnitude: Into<f64>> {
    const UNIT: f64;
    fn of(re: f64, im: f64) -> Self;
    /// Returns real and imaginary part.
    fn parts(self) -> [f64; 2];
}
impl Number for f32 {
    const UNIT: f64 = f32::EPSILON as f64;
    fn of(re: f64, _: f64) -> f32 {
        re as f32
    }
    fn parts(self) -> [f64; 2] {
        [self.into(), 0.0]
    }
}
impl Number for f64 {
    const UNIT: f64 = f64::EPSILON;
    fn of(re: f64, _: f64) -> f64 {
        re
    }
    fn parts(self) -> [f64; 2] {
        [self, 0.0]
    }
}
impl Number for Complex<f64> {
    const UNIT: f64 = f64::EPSILON;
    fn of(re: f64, im: f64) -> Self {
        Complex::new(re, im)
    }
    fn parts(self) -> [f64; 2] {
        [self.re, self.im]
    }
}

/// Returns a tensor of numbers between −1 and 1. They depend on the index, but not on the memory order.
fn numbers<T: Number, D: Dim, O: Order>(shape: D::Shape) -> Tensor<T, D, O> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / (1u64 << 23) as f64 - 1.0
    };
    let count = shape.as_ref().iter().product();
    let elements = (0..count).map(|_| T::of(next(), next())).collect();
    Tensor::<T, D, RowMajor>::from_vec(shape, elements).to_order()
}

/// Asserts that the norm of the difference of two tensors is at most `bound · T::UNIT` times the norm of the second one.
#[track_caller]
fn close<T: Number, D: Dim + Broadcast<D, Common = D>, O: Order>(
    a: &Tensor<T, D, O>,
    b: &Tensor<T, D, O>,
    bound: f64,
) {
    assert_eq!(a.shape(), b.shape());
    let (error, norm): (f64, f64) = ((a - b).norm().item().into(), b.norm().item().into());
    assert!(error <= bound * T::UNIT * norm, "error {error:e} of a tensor of norm {norm:e}");
}

/// Asserts that the columns of a matrix are orthonormal, where `gram` is the product of its adjoint and the matrix.
#[track_caller]
fn orthonormal<T: Number, O: Order>(gram: &Tensor<T, Rank<2>, O>) {
    close(gram, &Tensor::eye(gram.shape()[0]), 50.0);
}

/// Checks each kind of factorisation of the tensor `$x` by the specification `$spec`. The other arguments are specifications of
/// contractions. `$product` multiplies the two factors, and `$scaled` the factors and the singular values. `$left` and `$right` compute
/// the Gram matrices of the first and of the second factor.
macro_rules! factors_of {
    ($x:expr, $spec:literal, $product:literal, $scaled:literal, $left:literal, $right:literal) => {{
        let x = $x;
        let (u, s, vh) = svd!($spec, &x);
        close(&einsum!($scaled, &u, &s.cast::<T>(), &vh), &x, 50.0);
        orthonormal(&einsum!($left, u.conj_view(), &u));
        orthonormal(&einsum!($right, &vh, vh.conj_view()));
        assert!(s.iter().zip(s.iter().skip(1)).all(|(a, b)| a >= b));
        let (q, r) = qr!($spec, &x);
        close(&einsum!($product, &q, &r), &x, 50.0);
        orthonormal(&einsum!($left, q.conj_view(), &q));
        let (l, q) = lq!($spec, &x);
        close(&einsum!($product, &l, &q), &x, 50.0);
        orthonormal(&einsum!($right, &q, q.conj_view()));
        // A conjugated operand has the factors of a conjugated copy.
        let (u, s, vh) = svd!($spec, x.conj_view());
        close(&einsum!($scaled, &u, &s.cast::<T>(), &vh), &x.conj(), 50.0);
        let (q, r) = qr!($spec, x.conj_view());
        close(&einsum!($product, &q, &r), &x.conj(), 50.0);
    }};
}

fn products_of_factors<T: Number, O: Order>() {
    factors_of!(
        numbers::<T, Rank<2>, O>([4, 6]),
        "ab -> ak, kb",
        "ak,kb->ab",
        "ak,k,kb->ab",
        "ak,al->kl",
        "kb,lb->kl"
    );
    factors_of!(
        numbers::<T, Rank<3>, O>([3, 4, 5]),
        "aib -> kai, kb",
        "kai,kb->aib",
        "kai,k,kb->aib",
        "kai,lai->kl",
        "kb,lb->kl"
    );
    // The row axes are not adjacent in the operand.
    factors_of!(
        numbers::<T, Rank<3>, O>([3, 4, 5]),
        "aib -> abk, ik",
        "abk,ik->aib",
        "abk,k,ik->aib",
        "abk,abl->kl",
        "ik,il->kl"
    );
    // The factors have the row and column labels in another order than the operand, and the new label `k` in the middle.
    factors_of!(
        numbers::<T, Rank<4>, O>([3, 4, 2, 5]),
        "abcd -> dka, ckb",
        "dka,ckb->abcd",
        "dka,k,ckb->abcd",
        "dka,dla->kl",
        "ckb,clb->kl"
    );
    factors_of!(
        numbers::<T, Rank<5>, O>([2, 3, 2, 3, 2]),
        "abcde -> ebk, akdc",
        "ebk,akdc->abcde",
        "ebk,k,akdc->abcde",
        "ebk,ebl->kl",
        "akdc,aldc->kl"
    );
}

#[test]
fn products_of_factors_are_the_operand() {
    products_of_factors::<f64, RowMajor>();
    products_of_factors::<f32, ColMajor>();
    products_of_factors::<Complex<f64>, RowMajor>();
    products_of_factors::<Complex<f64>, ColMajor>();
}

#[test]
fn views_with_any_strides_are_operands() {
    let x = numbers::<f64, Rank<4>, RowMajor>([5, 4, 6, 3]);
    let view = x.slice(s![..;2, ..;-1, 1..5, ..]);
    let copy = view.to_owned();
    let (u, s, vh) = svd!("abcd -> bak, kdc", view);
    close(&einsum!("bak,k,kdc->abcd", &u, &s, &vh), &copy, 50.0);
    // All elements along an axis are the same element in memory.
    let wide = tensor![1.0, 2.0, 3.0].broadcast_to([2, 4, 3]).to_owned();
    let base = tensor![1.0, 2.0, 3.0];
    let (q, r) = qr!("abc -> abk, kc", base.broadcast_to([2, 4, 3]));
    close(&einsum!("abk,kc->abc", &q, &r), &wide, 50.0);
}

/// The specification `abcd -> dka, ckb` decomposes a matrix whose rows are numbered by the labels `d` and `a`, and whose columns by
/// `c` and `b`. The factors must equal those of this matrix.
fn as_matrix<T: Number, O: Order>() {
    let x = numbers::<T, Rank<4>, O>([3, 4, 2, 5]);
    let matrix = Tensor::<T, Rank<2>, O>::from_fn([15, 8], |[row, column]| {
        x[[row % 3, column % 4, column / 4, row / 3]]
    });
    let expected: Svd<T, Rank<2>, O, Cpu> = matrix.svd();
    let (u, s, vh) = svd!("abcd -> dka, ckb", &x);
    assert_eq!(s, expected.s);
    let of_u = Tensor::from_fn([5, 8, 3], |[d, k, a]| expected.u[[d * 3 + a, k]]);
    let of_vh = Tensor::from_fn([2, 8, 4], |[c, k, b]| expected.vh[[k, c * 4 + b]]);
    assert_eq!((u, vh), (of_u, of_vh));
    let (q, r) = qr!("abcd -> dka, ckb", &x);
    let expected = matrix.qr();
    assert_eq!(q, Tensor::from_fn([5, 8, 3], |[d, k, a]| expected.0[[d * 3 + a, k]]));
    assert_eq!(r, Tensor::from_fn([2, 8, 4], |[c, k, b]| expected.1[[k, c * 4 + b]]));
}

#[test]
fn labels_stand_for_a_matrix() {
    as_matrix::<f64, RowMajor>();
    as_matrix::<Complex<f64>, ColMajor>();
}

/// Asserts the convention for signs and phases: the first number with at least 0.99 of the largest magnitude is real and positive.
#[track_caller]
fn in_gauge<T: Number>(vector: impl Iterator<Item = T>) {
    let vector: Vec<[f64; 2]> = vector.map(T::parts).collect();
    let size = |[re, im]: [f64; 2]| re.hypot(im);
    let largest = vector.iter().map(|&x| size(x)).fold(0.0, f64::max);
    let first = *vector.iter().find(|&&x| size(x) >= 0.99 * largest).expect("the vector has elements");
    assert!(first[0] > 0.0 && first[1] == 0.0, "{first:?}");
}

/// The signs depend on which element of a vector is the first. In both memory orders, the elements are in the order of the labels, of which
/// the last varies fastest.
fn conventions<T: Number, O: Order>() {
    let x = numbers::<T, Rank<4>, O>([3, 4, 2, 5]);
    let (u, _, _) = svd!("abcd -> dka, ckb", &x);
    for k in 0..8 {
        in_gauge((0..15).map(|row| u[[row / 3, k, row % 3]]));
    }
    let (_, r) = qr!("abcd -> dka, ckb", &x);
    let (l, _) = lq!("abcd -> dka, ckb", &x);
    for k in 0..8 {
        let row = |column: usize| r[[column / 4, k, column % 4]].parts();
        assert!((0..k).all(|column| row(column) == [0.0, 0.0]), "r is an upper triangle");
        assert!(row(k)[0] > 0.0 && row(k)[1] == 0.0);
        let column = |row: usize| l[[row / 3, k, row % 3]].parts();
        assert!((0..k).all(|row| column(row) == [0.0, 0.0]), "l is a lower triangle");
        assert!(column(k)[0] > 0.0 && column(k)[1] == 0.0);
    }
}

#[test]
fn signs_and_triangles_follow_the_labels_in_both_orders() {
    conventions::<f64, RowMajor>();
    conventions::<f64, ColMajor>();
    conventions::<Complex<f64>, RowMajor>();
    conventions::<Complex<f64>, ColMajor>();
}

#[test]
fn both_orders_have_the_same_factors() {
    let row = numbers::<Complex<f64>, Rank<4>, RowMajor>([3, 4, 2, 5]);
    let col = numbers::<Complex<f64>, Rank<4>, ColMajor>([3, 4, 2, 5]);
    let of_row = svd!("abcd -> akc, bkd", &row);
    let of_col = svd!("abcd -> akc, bkd", &col);
    close(&of_col.0.to_order(), &of_row.0, 100.0);
    close(&of_col.2.to_order(), &of_row.2, 100.0);
    let of_row = lq!("abcd -> akc, bkd", &row);
    let of_col = lq!("abcd -> akc, bkd", &col);
    close(&of_col.0.to_order(), &of_row.0, 100.0);
    close(&of_col.1.to_order(), &of_row.1, 100.0);
}

/// Each matrix of a batch is decomposed separately. In the tensor of singular values, the axis of the new label `k` is the last one in
/// row-major order, and the first one in column-major order.
fn batches<T: Number, O: Order>() {
    let x = numbers::<T, Rank<5>, O>([2, 4, 3, 2, 5]);
    let (u, s, vh) = svd!("a...bc -> k...ab, c...k", &x);
    assert_eq!((u.shape(), vh.shape()), ([4, 4, 3, 2, 2], [5, 4, 3, 4]));
    let (q, r) = qr!("a...bc -> k...ab, c...k", &x);
    let (l, ql) = lq!("a...bc -> k...ab, c...k", &x);
    for i in 0..4 {
        for j in 0..3 {
            let one = x.index_axis(2, j).index_axis(1, i).to_owned();
            let (u1, s1, vh1) = svd!("abc -> kab, ck", &one);
            for k in 0..4 {
                let values = if O::ROW_MAJOR { s[[i, j, k]] } else { s[[k, i, j]] };
                assert_eq!(values, s1[[k]]);
            }
            assert_eq!(u.index_axis(2, j).index_axis(1, i), u1);
            assert_eq!(vh.index_axis(2, j).index_axis(1, i), vh1);
            let (q1, r1) = qr!("abc -> kab, ck", &one);
            assert_eq!(q.index_axis(2, j).index_axis(1, i), q1);
            assert_eq!(r.index_axis(2, j).index_axis(1, i), r1);
            let (l1, ql1) = lq!("abc -> kab, ck", &one);
            assert_eq!(l.index_axis(2, j).index_axis(1, i), l1);
            assert_eq!(ql.index_axis(2, j).index_axis(1, i), ql1);
        }
    }
}

#[test]
fn batches_are_decomposed_matrix_by_matrix() {
    batches::<f64, RowMajor>();
    batches::<Complex<f64>, ColMajor>();
}

/// Returns `x + xᴴ`, where `x` stands for a matrix with rows `ij` and columns `kl`.
fn hermitian<T: Number, O: Order>(n: usize, m: usize) -> Tensor<T, Rank<4>, O> {
    let x = numbers::<T, Rank<4>, O>([n, m, n, m]);
    &x + x.permute([2, 3, 0, 1]).conj()
}

fn eigenvectors<T: Number, O: Order>() {
    let h = hermitian::<T, O>(3, 4);
    let (w, v) = eigh!("ijkl -> ijn, nkl", &h);
    assert_eq!((w.shape(), v.shape()), ([12], [3, 4, 12]));
    close(&einsum!("ijn,n,kln->ijkl", &v, &w.cast::<T>(), v.conj_view()), &h, 50.0);
    orthonormal(&einsum!("ijm,ijn->mn", v.conj_view(), &v));
    assert!(w.iter().zip(w.iter().skip(1)).all(|(a, b)| a <= b));
    for n in 0..12 {
        in_gauge((0..12).map(|row| v[[row / 4, row % 4, n]]));
    }
    // Label `j` is paired with `l`, and `i` with `k`, in any order of the axes.
    let mixed = h.permute([3, 0, 1, 2]).to_owned();
    let (w2, v2) = eigh!("lijk -> jni, lkn", &mixed);
    close(&einsum!("jni,n,lnk->lijk", &v2, &w2.cast::<T>(), v2.conj_view()), &mixed, 50.0);
    close(&w2.cast::<T>(), &w.cast::<T>(), 50.0);
    // A conjugated operand has the same eigenvalues, and the conjugated eigenvectors.
    let (w3, v3) = eigh!("ijkl -> ijn, nkl", h.conj_view());
    assert_eq!((w3, v3), (w, v.conj()));
    // Batches.
    let both = stack(0, [&h, &(&h + &h)]);
    let (w, v) = eigh!("...ijkl -> nij..., ...kln", &both);
    for k in 0..2 {
        let (w1, v1) = eigh!("ijkl -> nij, kln", both.index_axis(0, k));
        let values = if O::ROW_MAJOR { w.index_axis(0, k) } else { w.index_axis(1, k) };
        assert_eq!((values.to_owned(), v.index_axis(3, k).to_owned()), (w1, v1));
    }
}

#[test]
fn eigenvectors_diagonalise_the_operand() {
    eigenvectors::<f64, RowMajor>();
    eigenvectors::<f64, ColMajor>();
    eigenvectors::<Complex<f64>, RowMajor>();
    eigenvectors::<Complex<f64>, ColMajor>();
}

fn isometry_and_positive_factor<T: Number, O: Order>() {
    let x = numbers::<T, Rank<4>, O>([3, 2, 4, 3]);
    // As a matrix, the operand has 12 rows (labels `a` and `c`) and 6 columns (`b` and `d`). The new label `y` has the extent of `b`, and
    // `x` has that of `d`.
    let (u, p) = polar!("abcd -> xacy, ybxd", &x);
    assert_eq!((u.shape(), p.shape()), ([3, 3, 4, 2], [2, 2, 3, 3]));
    close(&einsum!("xacy,ybxd->abcd", &u, &p), &x, 50.0);
    let gram = einsum!("xacy,vacw->yxwv", u.conj_view(), &u);
    orthonormal::<T, O>(&Tensor::from_fn([6, 6], |[i, j]| gram[[i / 3, i % 3, j / 3, j % 3]]));
    let p = Tensor::<T, Rank<2>, O>::from_fn([6, 6], |[i, j]| p[[i / 3, j / 3, i % 3, j % 3]]);
    close(&p, &p.t().conj(), 50.0);
    let w = p.eigvalsh();
    assert!(w.iter().all(|&w_k| w_k.into() > -50.0 * T::UNIT * w[[5]].into()));
    // A conjugated operand with batch axes.
    let (u, p) = polar!("a...d -> ax..., ...xd", x.conj_view());
    close(&einsum!("axmn,mnxd->amnd", &u, &p), &x.conj(), 50.0);
    // More columns than rows: the rows of `u` are orthonormal.
    let wide = x.index_axis(1, 1).index_axis(1, 2).slice(s![..2, ..]).to_owned();
    let (u, p) = polar!("ad -> ax, xd", &wide);
    close(&einsum!("ax,xd->ad", &u, &p), &wide, 50.0);
    orthonormal(&einsum!("ax,bx->ab", &u, u.conj_view()));
}

#[test]
fn polar_factors_are_an_isometry_and_a_positive_matrix() {
    isometry_and_positive_factor::<f64, RowMajor>();
    isometry_and_positive_factor::<Complex<f64>, RowMajor>();
    isometry_and_positive_factor::<Complex<f64>, ColMajor>();
}

/// The error of a truncated decomposition is the square root of the sum of squares of the discarded singular values (Eckart and Young).
fn truncated<T: Number, O: Order>() {
    let x = numbers::<T, Rank<4>, O>([3, 4, 2, 5]);
    let (u, s, vh) = svd!("abcd -> dka, ckb", &x);
    for rank in 1..=9 {
        let kept = rank.min(8);
        let (u2, s2, vh2) = svd!("abcd -> dka, ckb", &x; max_rank = rank);
        assert_eq!(u2, u.slice(s![.., ..kept, ..]));
        assert_eq!(s2, s.slice(s![..kept]));
        assert_eq!(vh2, vh.slice(s![.., ..kept, ..]));
        let cut: f64 = s.iter().skip(kept).map(|&s| s.into().powi(2)).sum();
        let error: f64 = (einsum!("dka,k,ckb->abcd", &u2, &s2.cast::<T>(), &vh2) - &x).norm().item().into();
        let norm: f64 = x.norm().item().into();
        assert!((error - cut.sqrt()).abs() < 50.0 * T::UNIT * norm, "{error} and {}", cut.sqrt());
    }
    // The new label `k` is the last label of `u` and the first of `vh`. In row-major order, such factors need no temporary buffer.
    let (u2, s2, vh2) = svd!("abcd -> dak, kcb", &x; max_rank = 3);
    close(&einsum!("dak->dka", &u2), &u.slice(s![.., ..3, ..]).to_owned(), 50.0);
    assert_eq!(s2.len(), 3);
    close(&einsum!("kcb->ckb", &vh2), &vh.slice(s![.., ..3, ..]).to_owned(), 50.0);
}

#[test]
fn truncation_discards_the_smallest_values() {
    truncated::<f64, RowMajor>();
    truncated::<f32, ColMajor>();
    truncated::<Complex<f64>, ColMajor>();
}

#[test]
fn options_count_singular_values() {
    // The singular values are 4, 2, 1, 0, and the sum of their squares is 21.
    let x = einsum!("i->ii", &tensor![1.0, 4.0, 0.0, 2.0]);
    macro_rules! kept {
        ($($option:tt)*) => { svd!("ij -> ik, kj", &x; $($option)*).1.len() };
    }
    assert_eq!(svd!("ij -> ik, kj", &x).1, tensor![4.0, 2.0, 1.0, 0.0]);
    assert_eq!([kept!(max_rank = 3), kept!(max_rank = 4), kept!(max_rank = 9)], [3, 4, 4]);
    // Discarding the value 1 discards the share 1 / 21 = 0.0476 of the squares. Discarding 2 and 1 discards 5 / 21 = 0.238.
    assert_eq!([kept!(cutoff = 0.0), kept!(cutoff = 0.047), kept!(cutoff = 0.048)], [3, 3, 2]);
    assert_eq!([kept!(cutoff = 0.238), kept!(cutoff = 0.239), kept!(cutoff = 1.0)], [2, 1, 1]);
    assert_eq!(
        [kept!(below = 0.5), kept!(below = 1.5), kept!(below = 3.0), kept!(below = 5.0)],
        [3, 2, 1, 1]
    );
    assert_eq!([kept!(relative = 0.3), kept!(relative = 0.6), kept!(relative = 2.0)], [2, 1, 1]);
    assert_eq!([kept!(max_rank = 3, relative = 0.3), kept!(relative = 0.3, max_rank = 1)], [2, 1]);
}

#[test]
fn batches_keep_the_longest_bond() {
    let [few, many] = [tensor![3.0, 0.0, 0.0], tensor![0.0, 2.0, 1.0]].map(|d| einsum!("i->ii", &d));
    let both = stack(0, [&few, &many]);
    let (u, s, vh) = svd!("...ij -> ...ik, k...j", &both; below = 1e-3);
    assert_eq!(s, tensor![[3.0, 0.0], [2.0, 1.0]]);
    assert_eq!((u.shape(), vh.shape()), ([2, 3, 2], [2, 2, 3]));
    assert_eq!(einsum!("bik,bk,kbj->bij", &u, &s, &vh), both);
    let both = both.to_order::<ColMajor>();
    let (u, s, vh) = svd!("...ij -> ...ik, k...j", &both; below = 1e-3);
    assert_eq!(s, tensor![[3.0, 2.0], [0.0, 1.0]].to_order::<ColMajor>());
    assert_eq!(einsum!("bik,kb,kbj->bij", &u, &s, &vh), both);
}

fn discarded_weights<T: Number, O: Order>() {
    // The singular values of the matrices are 4, 2, 1 and 3, 1, 0.5. All matrices keep as many values as the matrix that needs most.
    let diagonals =
        Tensor::<f64, Rank<2>, O>::from_fn([2, 3], |[b, i]| [[2.0, 4.0, 1.0], [3.0, 0.5, 1.0]][b][i]);
    let x = einsum!("bi->ibi", &diagonals.cast::<T>());
    let (u, s, vh, discarded) = svd_truncated!("i...j -> i...k, k...j", &x; below = 1.5);
    let kept = svd!("i...j -> i...k, k...j", &x; below = 1.5);
    assert_eq!((&u, &s, &vh), (&kept.0, &kept.1, &kept.2));
    assert_eq!(s.shape(), [2, 2]);
    let near = |found: T::Magnitude, expected: f64| {
        let found: f64 = found.into();
        assert!((found - expected).abs() < 4.0 * T::UNIT * expected, "{found} and {expected}");
    };
    assert_eq!((discarded.weight.shape(), discarded.share.shape()), ([2], [2]));
    for (b, [weight, all]) in [[1.0, 21.0], [0.25, 10.25]].into_iter().enumerate() {
        near(discarded.weight[[b]], weight);
        near(discarded.share[[b]], weight / all);
    }
    // Several batch axes, in the memory order of the operand.
    let x = Tensor::<f64, Rank<4>, O>::from_fn([2, 3, 2, 2], |[a, b, i, j]| {
        if i == j { [(2 + a + 2 * b) as f64, 1.0 + a as f64][i] } else { 0.0 }
    });
    let (_, _, _, discarded) = svd_truncated!("...ij -> ...ik, ...kj", x.cast::<T>().view(); max_rank = 1);
    for a in 0..2 {
        for b in 0..3 {
            near(discarded.weight[[a, b]], (1.0 + a as f64).powi(2));
        }
    }
    // Without an ellipsis, the rank is 0. Without options, nothing is discarded.
    let matrix = x.index_axis(0, 1).index_axis(0, 2).to_owned();
    let (_, s, _, discarded) = svd_truncated!("ij -> ik, kj", &matrix; max_rank = 1);
    assert_eq!((s.len(), discarded.weight.item()), (1, 4.0));
    near(<T::Magnitude as Scalar>::from_f64(discarded.share.item()), 4.0 / 53.0);
    let (_, s, _, discarded) = svd_truncated!("ij -> ik, kj", &matrix);
    assert_eq!((s.len(), discarded.weight.item(), discarded.share.item()), (2, 0.0, 0.0));
    let (_, _, _, discarded) = try_svd_truncated!("...ij -> ...ik, ...kj", &x).unwrap();
    assert_eq!(discarded.share, Tensor::zeros([2, 3]));
    // An empty batch, and matrices without elements.
    let (_, _, _, discarded) =
        svd_truncated!("b...c -> bk..., k...c", &Tensor::<f64, Rank<3>, O>::zeros([2, 0, 3]); max_rank = 1);
    assert_eq!(discarded.weight.shape(), [0]);
    let (_, _, _, discarded) =
        svd_truncated!("b...c -> bk..., k...c", &Tensor::<f64, Rank<3>, O>::zeros([0, 2, 3]); max_rank = 1);
    assert_eq!(discarded.weight, Tensor::zeros([2]));
    assert!(try_svd_truncated!("ij -> ik, kj", &matrix; max_rank = 0).is_err());
}

#[test]
fn discarded_weights_are_sums_of_squares() {
    discarded_weights::<f64, RowMajor>();
    discarded_weights::<f32, ColMajor>();
    discarded_weights::<Complex<f64>, ColMajor>();
}

fn small_extents<O: Order>() {
    let x = Tensor::<f64, Rank<3>, O>::zeros([2, 0, 3]);
    let (u, s, vh) = svd!("abc -> ak, kbc", &x; max_rank = 1);
    assert_eq!((u.shape(), s.shape(), vh.shape()), ([2, 0], [0], [0, 0, 3]));
    let (q, r) = qr!("abc -> akb, kc", &x);
    assert_eq!((q.shape(), r.shape()), ([2, 0, 0], [0, 3]));
    // A matrix without rows: `p` is zero.
    let (u, p) = polar!("abc -> abx, xc", &x);
    assert_eq!((u.shape(), p), ([2, 0, 3], Tensor::zeros([3, 3])));
    // An empty batch.
    let (u, s, vh) = svd!("b...c -> bk..., k...c", &x);
    assert_eq!((u.shape(), s.len(), vh.shape()), ([2, 2, 0], 0, [2, 0, 3]));
    let (w, v) = eigh!("ab...-> ak..., kb...", Tensor::<f64, Rank<3>, O>::zeros([0, 0, 2]));
    assert_eq!((w.len(), v.shape()), (0, [0, 0, 2]));
    // All extents 1.
    let x = Tensor::<f64, Rank<4>, O>::full([1; 4], -3.0);
    let (u, s, vh) = svd!("abcd -> dka, bkc", &x);
    assert_eq!((u[[0; 3]], s[[0]], vh[[0; 3]]), (1.0, 3.0, -1.0));
    let (w, v) = eigh!("abcd -> ack, bdk", &x);
    assert_eq!((w[[0]], v[[0; 3]]), (-3.0, 1.0));
    let (u, p) = polar!("abcd -> abxy, xycd", &x);
    assert_eq!((u[[0; 4]], p[[0; 4]]), (-1.0, 3.0));
    // Some extents are 1, and the axes of a factor are not adjacent in the operand.
    let x = numbers::<f64, Rank<5>, O>([1, 3, 1, 2, 1]);
    let (q, r) = qr!("abcde -> dka, ekbc", &x);
    close(&einsum!("dka,ekbc->abcde", &q, &r), &x, 50.0);
}

#[test]
fn extents_may_be_0_or_1() {
    small_extents::<RowMajor>();
    small_extents::<ColMajor>();
}

/// Tests a device without host access. The results must be those of the host, even if the operand must be copied or the result is
/// truncated.
#[test]
fn other_devices_compute_on_the_host() {
    let x = numbers::<Complex<f64>, Rank<4>, ColMajor>([3, 4, 2, 5]);
    let there = x.to_device::<Remote>().unwrap();
    let (u, s, vh) = svd!("abcd -> dka, ckb", &there; max_rank = 5);
    let expected = svd!("abcd -> dka, ckb", &x; max_rank = 5);
    let back = (u.to_device::<Cpu>(), s.to_device::<Cpu>(), vh.to_device::<Cpu>());
    assert_eq!((back.0.unwrap(), back.1.unwrap(), back.2.unwrap()), expected);
    let (l, q) = lq!("abcd -> dka, ckb", there.conj_view());
    let back = (l.to_device::<Cpu>().unwrap(), q.to_device::<Cpu>().unwrap());
    assert_eq!(back, lq!("abcd -> dka, ckb", x.conj_view()));
    let (w, v) = eigh!("abcd -> adk, bck", there.slice(s![..2, ..2, .., ..2]));
    let expected = eigh!("abcd -> adk, bck", x.slice(s![..2, ..2, .., ..2]));
    assert_eq!((w.to_device::<Cpu>().unwrap(), v.to_device::<Cpu>().unwrap()), expected);
}

#[test]
fn errors_name_the_operation_and_the_operand() {
    let mut x = numbers::<f64, Rank<4>, ColMajor>([2, 3, 2, 4]);
    let message = |error: vierbein::Error| error.to_string();
    assert_eq!(
        message(try_eigh!("ijkl -> ijn, nkl", &x).unwrap_err()),
        "cannot eigh \"ijkl -> ijn, nkl\" over shape [2, 3, 2, 4]: label `j` of the rows has extent 3, but its column label \
         `l` has extent 4; the matrix must be square"
    );
    x[[1, 2, 0, 3]] = f64::NAN;
    let not_finite = "cannot qr shape [2, 3, 2, 4]: the matrix has an element that is NaN or infinite";
    assert!(message(try_qr!("ijkl -> ikn, njl", &x).unwrap_err()).starts_with(not_finite));
    assert!(
        message(try_lq!("ijkl -> ijn, nkl", &x).unwrap_err()).starts_with(&not_finite.replace("qr", "lq"))
    );
    // The error contains the index of the matrix along the batch axes.
    let error = message(try_svd!("i...l -> in..., ...nl", &x).unwrap_err());
    assert!(error.contains("[2, 0]"), "{error}");
    let x = Tensor::<f64, _>::ones([2, 2]);
    assert_eq!(
        message(try_svd!("ij -> ik, kj", &x; max_rank = 0).unwrap_err()),
        "cannot svd: a rank of 0 keeps no singular value; keep at least one"
    );
    assert_eq!(
        message(try_svd!("ij -> ik, kj", &x; cutoff = -1.0).unwrap_err()),
        "cannot svd: `cutoff` is -1.0, and must be a number that is at least 0"
    );
    assert!(try_svd!("ij -> ik, kj", &x; relative = f64::NAN).is_err());
    assert_eq!(
        message(try_qr!("...ij -> ...ik, ...kj", Tensor::<f64, Rank<16>>::ones([1; 16])).unwrap_err()),
        "cannot qr \"...ij -> ...ik, ...kj\" over shape [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]: the ellipsis stands for \
         14 axes, more than the maximum of 12; merge some of them with `.reshape(..)`"
    );
}

#[test]
fn macros_without_result_panic_with_the_message() {
    let x = tensor![[f64::NAN, 1.0], [1.0, 0.0]];
    let panics = |run: &dyn Fn()| {
        let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
        payload.downcast_ref::<String>().expect("a formatted message").clone()
    };
    for (name, run) in [
        ("svd", &(|| drop(svd!("ij -> ik, kj", &x))) as &dyn Fn()),
        ("qr", &|| drop(qr!("ij -> ik, kj", &x))),
        ("lq", &|| drop(lq!("ij -> ik, kj", &x))),
        ("eigh", &|| drop(eigh!("ij -> ik, kj", &x))),
    ] {
        assert!(panics(run).starts_with(&format!("cannot {name} shape [2, 2]: the matrix has an element")));
    }
}

/// The macros pass the number of labels of each term to the builder. The builder rejects numbers that differ from the
/// specification, and methods of another factorisation.
#[test]
fn builder_rejects_what_differs_from_the_specification() {
    use vierbein::factorise::{FactorSpec, Factorisation, TermOf, labelled};
    let spec = FactorSpec::new(Factorisation::Qr, "ab -> ak, kb");
    let (x, y) = (Tensor::<f64, Rank<2>>::ones([2, 3]), Tensor::<f64, Rank<3>>::ones([2, 3, 4]));
    let right = || labelled(&spec, TermOf::<2, false>, &x);
    assert!(right().factors::<2, 2, _, _>().try_qr().is_ok());
    let wrong: [&dyn Fn(); 5] = [
        &|| _ = labelled(&spec, TermOf::<3, false>, &y),
        &|| _ = labelled(&spec, TermOf::<2, true>, &y),
        &|| drop(right().factors::<3, 2, _, _>().try_qr()),
        &|| drop(right().factors::<2, 1, _, _>().try_qr()),
        &|| drop(right().factors::<2, 2, _, _>().try_lq()),
    ];
    for run in wrong {
        let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
        let message = payload.downcast_ref::<String>().expect("a formatted message");
        assert!(message.starts_with("cannot factorise"), "{message}");
    }
}

/// In generic code, factorisations need the bounds `Decompose` and `Copy` on the device.
#[test]
fn generic_code_factorises() {
    use vierbein::device::Copy;
    fn halves<T: LinalgElement, O: Order, Dev: Decompose<T> + Copy<T>>(
        x: TensorView<'_, T, Rank<3>, O, Dev>,
    ) -> (Tensor<T, Rank<3>, O, Dev>, Tensor<T, Rank<2>, O, Dev>) {
        let (q, r) = qr!("aib -> aik, kb", x);
        (q, r)
    }
    let x = numbers::<f64, Rank<3>, ColMajor>([2, 3, 4]);
    let (q, r) = halves(x.view());
    close(&einsum!("aik,kb->aib", &q, &r), &x, 50.0);
}

fn dynamic<O: Order>() {
    use vierbein::linalg::Truncation;
    use vierbein::{DynTensor, dyn_tensor};
    let x = numbers::<Complex<f64>, Rank<4>, O>([3, 4, 2, 5]);
    let dynamic = DynTensor::from(x.clone());
    let (u, s, vh) = dyn_tensor::svd("abcd -> dka, ckb", &dynamic, Truncation::rank(5)).unwrap();
    let expected = svd!("abcd -> dka, ckb", &x; max_rank = 5);
    assert_eq!(u.downcast_ref().unwrap(), expected.0);
    assert_eq!(s.downcast_ref().unwrap(), expected.1);
    assert_eq!(vh.downcast_ref().unwrap(), expected.2);
    let (u, _, _, discarded) =
        dyn_tensor::svd_truncated("a...d -> a...k, ...kd", &dynamic, Truncation::rank(2)).unwrap();
    let expected = svd_truncated!("a...d -> a...k, ...kd", &x; max_rank = 2);
    assert_eq!(u.downcast_ref().unwrap(), expected.0);
    assert_eq!(discarded.weight.downcast_ref().unwrap(), expected.3.weight);
    assert_eq!(discarded.share.downcast_ref().unwrap(), expected.3.share);
    let (q, r) = dyn_tensor::qr("a...d -> a...k, ...kd", &dynamic).unwrap();
    let expected = qr!("a...d -> a...k, ...kd", &x);
    assert_eq!(
        (q.downcast_ref().unwrap(), r.downcast_ref().unwrap()),
        (expected.0.view(), expected.1.view())
    );
    let (l, q) = dyn_tensor::lq("abcd -> dka, ckb", &dynamic).unwrap();
    let expected = lq!("abcd -> dka, ckb", &x);
    assert_eq!(
        (l.downcast_ref().unwrap(), q.downcast_ref().unwrap()),
        (expected.0.view(), expected.1.view())
    );
    let (u, p) = dyn_tensor::polar("abcd -> abxy, xycd", &dynamic).unwrap();
    let expected = polar!("abcd -> abxy, xycd", &x);
    assert_eq!(
        (u.downcast_ref().unwrap(), p.downcast_ref().unwrap()),
        (expected.0.view(), expected.1.view())
    );
    let h = hermitian::<f64, O>(2, 3);
    let (w, v) = dyn_tensor::eigh("ijkl -> nij, kln", &DynTensor::from(h.clone())).unwrap();
    let expected = eigh!("ijkl -> nij, kln", &h);
    assert_eq!(
        (w.downcast_ref().unwrap(), v.downcast_ref().unwrap()),
        (expected.0.view(), expected.1.view())
    );
    let message = |spec: &str, x: &DynTensor| dyn_tensor::qr(spec, x).unwrap_err().to_string();
    assert!(message("abcd -> abk, kc", &dynamic).ends_with("label `d` of the operand is in neither factor"));
    assert!(
        message("abc -> abk, kc", &dynamic)
            .contains("has 3 labels for an operand that is a tensor of `Rank<4>`")
    );
    let integers = DynTensor::from(Tensor::<i32, Rank<2>, O>::ones([2, 2]));
    assert!(message("ab -> ak, kb", &integers).contains("`i32` has no factorisations"));
}

#[test]
fn dynamic_tensors_have_the_same_factors() {
    dynamic::<RowMajor>();
    dynamic::<ColMajor>();
}
