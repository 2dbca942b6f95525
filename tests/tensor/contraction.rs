//! Tests of contractions: `einsum!`, its variants, and products by name. Expected results are closed forms, or the results of other
//! expressions.

use crate::orders::both_orders;
use vierbein::prelude::*;
use vierbein::{Error, IntoShape};

/// Returns a tensor of small integers, so that sums of products are exact.
fn whole<T: Scalar, O: Order, Sh: IntoShape>(shape: Sh, seed: i64) -> Tensor<T, Sh::Dim, O> {
    let len = shape.into_shape().unwrap().as_ref().iter().product::<usize>() as i64;
    let data: Vec<i64> = (0..len).map(|k| (k * 7 + seed) % 9 - 4).collect();
    Tensor::<i64, Sh::Dim, O>::from_vec(shape, data).cast()
}

fn complex<O: Order, Sh: IntoShape>(shape: Sh, seed: i64) -> Tensor<Complex<f64>, Sh::Dim, O> {
    let i = Complex::new(0.0, 1.0);
    whole::<Complex<f64>, O, Sh>(shape, seed) + whole::<Complex<f64>, O, Sh>(shape, seed + 2) * i
}

both_orders! {
    conjugates every_conjugate diagonals_need_equal_axes zero_beta_ignores_old_output broadcast_operands rank_16
    sums_of_zero_terms_and_empty_results unit_axes views ellipses accumulation repeated_labels_of_a_result many_operands products_by_name kronecker
    large_products_do_not_depend_on_threads copies_if_axes_do_not_fuse matmul_of_conjugates long_sums infinities
    nan_is_not_read_if_alpha_is_zero results_without_elements integers_that_overflow real_factors real_factors_of_networks
    real_factors_keep_infinite_parts
}

/// Conjugated operands. Another library had a bug in this case: it ignored `conj` if all labels occurred in both operands and the
/// result.
fn conjugates<O: Order>() {
    let (a, b) = (complex::<O, _>([3, 4], 1), complex::<O, _>([3, 4], 5));
    let expected = Tensor::<_, _, O>::from_fn([3, 4], |at| a[at].conj() * b[at]);
    assert_eq!(einsum!("ij,ij->ij", a.conj_view(), &b), expected);
    let expected = Tensor::<_, _, O>::from_fn([3, 4], |at| a[at] * b[at].conj());
    assert_eq!(einsum!("ij,ij->ij", &a, b.conj_view()), expected);
    assert_eq!(einsum!("ij->ij", a.conj_view()), a.conj());
    assert_eq!(einsum!("ij->ji", a.t().t().conj_view()), a.conj().t().to_owned());
    assert_eq!(einsum!("ij->", a.conj_view()).item(), a.conj().sum().item());
    let real: Tensor<f64, _, O> = whole([3, 4], 2);
    assert_eq!(einsum!("ij,ij->", real.conj_view(), &real).item(), (&real * &real).sum().item());
}

/// Conjugated operands for each kind of contraction of two operands: only the left, only the right, and both.
fn every_conjugate<O: Order>() {
    let (a, b) = (complex::<O, _>([3, 4, 5], 1), complex::<O, _>([3, 5, 4], 4));
    let (ca, cb) = (a.conj(), b.conj());
    macro_rules! check {
        ($($spec:literal)*) => {$(
            assert_eq!(einsum!($spec, a.conj_view(), &b), einsum!($spec, &ca, &b), "left, {}", $spec);
            assert_eq!(einsum!($spec, &a, b.conj_view()), einsum!($spec, &a, &cb), "right, {}", $spec);
            assert_eq!(einsum!($spec, a.conj_view(), b.conj_view()), einsum!($spec, &ca, &cb), "both, {}", $spec);
        )*};
    }
    check!("bij,bji->bij" "bij,bji->b" "bij,bjk->bik" "bij,cjk->bick" "bij,bjk->bi" "bij,cji->" "bij,cde->bijcde");
    let c = complex::<O, _>([4, 2], 3);
    let expected = einsum!("bij,bjk,kl->bil", &ca, &b, &c.conj());
    assert_eq!(einsum!("bij,bjk,kl->bil", a.conj_view(), &b, c.conj_view()), expected);
}

fn diagonals_need_equal_axes<O: Order>() {
    let a: Tensor<f64, _, O> = whole([2, 3], 0);
    let error = try_einsum!("ii->", &a).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot einsum \"ii->\" over shape [2, 3]: label `i` has extents 2 and 3 in operand 1; \
         shorten the longer axis with `.slice(..)` first"
    );
    assert!(try_einsum!("ii->i", &a).is_err());
    let b: Tensor<f64, _, O> = whole([4, 5], 0);
    let error = try_einsum!("ij,jk->ik", &a, &b).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot einsum \"ij,jk->ik\" over shapes [2, 3] and [4, 5]: label `j` has extent 3 in operand 1 and 4 in operand 2"
    );
    let error = try_einsum!("...i,...->i...", &a, &b).unwrap_err();
    assert!(error.to_string().contains("the ellipsis has an axis of extent"), "{error}");
}

/// With `beta = 0`, the old values of the output do not affect the result, even if they are NaN.
fn zero_beta_ignores_old_output<O: Order>() {
    macro_rules! check {
        ($($shape:expr; $spec:literal, $a:expr, $b:expr;)*) => {$(
            let (a, b): (Tensor<f64, _, O>, Tensor<f64, _, O>) = (whole($a, 1), whole($b, 2));
            let mut out: Tensor<f64, _, O> = Tensor::full($shape, f64::NAN);
            einsum_into!(&mut out, 1.0, 0.0; $spec, &a, &b);
            assert_eq!(out, einsum!($spec, &a, &b), "{}", $spec);
            let (a, b) = (complex::<O, _>($a, 1), complex::<O, _>($b, 2));
            let mut out: Tensor<Complex<f64>, _, O> = Tensor::full($shape, Complex::new(f64::NAN, f64::NAN));
            einsum_into!(&mut out, Complex::new(2.0, 0.0), Complex::new(0.0, 0.0); $spec, a.conj_view(), &b);
            assert_eq!(out, einsum!($spec, a.conj_view(), &b) * Complex::new(2.0, 0.0), "{}", $spec);
        )*};
    }
    check! {
        [3, 4]; "ij,ij->ij", [3, 4], [3, 4];
        [3]; "ij,ij->i", [3, 4], [3, 4];
        [3, 5]; "ij,jk->ik", [3, 4], [4, 5];
        [40, 50]; "ij,jk->ik", [40, 30], [30, 50];
        [2, 3, 5]; "bij,bjk->bik", [2, 3, 4], [2, 4, 5];
        [3, 5]; "ij,jk->ik", [3, 0], [0, 5];
        [3, 3]; "ij,ij->ii", [3, 4], [3, 4];
    }
    let mut out: Tensor<f64, _, O> = Tensor::full([4], f64::NAN);
    einsum_into!(&mut out, 1.0, 0.0; "ij->j", &whole::<f64, O, _>([3, 4], 1));
    assert!(out.is_finite().all().item());
}

/// A sum over an axis of stride 0 has one term for each index, although all indices share an element.
fn broadcast_operands<O: Order>() {
    let row: Tensor<f64, _, O> = whole([4], 3);
    let many = row.insert_axis(if O::ROW_MAJOR { 0 } else { 1 });
    let (shape, spec_rows) = if O::ROW_MAJOR { ([5, 4], true) } else { ([4, 5], false) };
    let many = many.broadcast_to(shape);
    let sums = if spec_rows { einsum!("ij->j", many) } else { einsum!("ji->j", many) };
    assert_eq!(sums, &row * 5.0);
    let square = if spec_rows { einsum!("ij,ij->", many, many) } else { einsum!("ji,ji->", many, many) };
    assert_eq!(square.item(), 5.0 * row.dot(&row).item());
    let gram = if spec_rows { einsum!("ij,ik->jk", many, many) } else { einsum!("ji,ki->jk", many, many) };
    assert_eq!(gram, row.outer(&row) * 5.0);
    let same = if spec_rows { einsum!("ij,kj->ik", many, many) } else { einsum!("ji,jk->ik", many, many) };
    assert_eq!(same.shape(), [5, 5]);
    assert_eq!(same, Tensor::<f64, _, O>::full([5, 5], row.dot(&row).item()));
}

fn rank_16<O: Order>() {
    let a: Tensor<i64, _, O> = whole([2; 16], 1);
    let sum = einsum!("abcdefghijklmnop->", &a);
    assert_eq!(sum.item(), a.sum().item());
    assert_eq!(einsum!("aabbccddeeffgghh->", &a).item(), {
        let mut total = 0;
        for k in 0..256usize {
            let bit = |n: usize| (k >> n) & 1;
            total += a[core::array::from_fn(|axis| bit(axis / 2))];
        }
        total
    });
    let turned = einsum!("abcdefghijklmnop->ponmlkjihgfedcba", &a);
    assert_eq!(turned, a.permute(core::array::from_fn(|k| 15 - k)).to_owned());
    let b: Tensor<i64, _, O> = whole([2; 12], 2);
    let c = einsum!("abcdefghijklmnop,abcdefghijkl->mnop", &a, &b);
    let flat = einsum!("xy,x->y", a.as_shape([4096, 16]), b.as_shape([4096]));
    if O::ROW_MAJOR {
        assert_eq!(c.reshape([16]), flat);
    }
    let d = einsum!("abcdefghijkl,mnop->abcdefghijklmnop", &b, &c_of(&a));
    assert_eq!(d.shape(), [2; 16]);
}

fn c_of<O: Order>(a: &Tensor<i64, Rank<16>, O>) -> Tensor<i64, Rank<4>, O> {
    einsum!("abcdefghijklmnop->mnop", a)
}

/// Contractions whose summed axis has extent 0, and contractions whose result has zero elements.
fn sums_of_zero_terms_and_empty_results<O: Order>() {
    let (a, b): (Tensor<f64, _, O>, Tensor<f64, _, O>) = (Tensor::ones([3, 0]), Tensor::ones([0, 4]));
    assert_eq!(einsum!("ij,jk->ik", &a, &b), Tensor::<f64, _, O>::zeros([3, 4]));
    assert_eq!(einsum!("ij->i", &a), Tensor::<f64, _, O>::zeros([3]));
    assert_eq!(einsum!("ij,ij->", &a, &a).item(), 0.0);
    assert_eq!(einsum!("ji,kj->ik", &a, &Tensor::<f64, _, O>::ones([0, 3])).shape(), [0, 0]);
    assert_eq!(einsum!("ij,kl->ikjl", &a, &b).shape(), [3, 0, 0, 4]);
    let mut out: Tensor<f64, _, O> = Tensor::ones([3, 4]);
    einsum_into!(&mut out, 1.0, 2.0; "ij,jk->ik", &a, &b);
    assert_eq!(out, Tensor::<f64, _, O>::full([3, 4], 2.0));
    assert_eq!(einsum!("ij,jk,kl->il", &a, &b, Tensor::<f64, _, O>::ones([4, 2]).view()).shape(), [3, 2]);
    // Two summed axes, of which one is empty, in opposite order in the operands. `drop` frees a buffer that contains NaN, which the result
    // may reuse.
    drop(Tensor::<f64, _, O>::full([5, 5], f64::NAN));
    let (x, y): (Tensor<f64, _, O>, Tensor<f64, _, O>) = (Tensor::ones([5, 10, 0]), Tensor::ones([0, 10, 5]));
    assert_eq!(einsum!("ipq,qpj->ij", &x, &y), Tensor::<f64, _, O>::zeros([5, 5]));
    let mut out: Tensor<f64, _, O> = Tensor::full([5, 5], 3.0);
    einsum_into!(&mut out, 1.0, 2.0; "ipq,qpj->ij", &x, &y);
    assert_eq!(out, Tensor::<f64, _, O>::full([5, 5], 6.0));
    let none: Tensor<f64, _, O> = Tensor::zeros([0, 0]);
    assert_eq!(einsum!("ii->", &none).item(), 0.0);
}

fn unit_axes<O: Order>() {
    let (a, b): (Tensor<f64, _, O>, Tensor<f64, _, O>) = (whole([1, 4, 1], 1), whole([4, 1, 3], 2));
    let c = einsum!("aib,ibj->abj", &a, &b);
    assert_eq!(c.shape(), [1, 1, 3]);
    let expected = einsum!("i,ij->j", &a.clone().reshape([4]), &b.clone().reshape([4, 3]));
    assert_eq!(c.reshape([3]), expected);
    assert_eq!(einsum!("iai->a", &whole::<f64, O, _>([1, 3, 1], 0)).shape(), [3]);
}

/// Contractions of sliced, permuted and reversed views have the same results as contractions of their contiguous copies.
fn views<O: Order>() {
    let big: Tensor<f64, _, O> = whole([9, 10, 11], 1);
    let other: Tensor<f64, _, O> = whole([11, 10, 9], 4);
    let x = big.slice(s![1..8;2, .., 2..9;-3]);
    let y = other.slice(s![..3, ..;-1, 2..6]);
    let (xo, yo) = (x.to_owned(), y.to_owned());
    assert_eq!(xo.shape(), [4, 10, 3]);
    macro_rules! same {
        ($($spec:literal)*) => {$(
            assert_eq!(einsum!($spec, x, y), einsum!($spec, &xo, &yo), "{}", $spec);
        )*};
    }
    same!("abc,cbd->ad" "abc,cbd->da" "abc,cbd->bad" "abc,cbd->abd" "abc,cbd->" "abc,cde->abde" "abc,cbd->b" "abc,dbe->bacde");
    let turned = x.permute([2, 0, 1]);
    assert_eq!(einsum!("cab,cbd->ad", turned, y), einsum!("abc,cbd->ad", &xo, &yo));
    assert_eq!(einsum!("abc->ca", x), einsum!("abc->ca", &xo));
    assert_eq!(einsum!("abc->cba", x), xo.permute([2, 1, 0]).to_owned());
}

/// The axes of an ellipsis broadcast as in elementwise operations: row-major aligns trailing axes, column-major aligns leading
/// axes.
fn ellipses<O: Order>() {
    let a: Tensor<f64, _, O> = whole([2, 3, 4], 1);
    assert_eq!(einsum!("...->...", &a), a);
    assert_eq!(einsum!("i...->...i", &a), a.permute([1, 2, 0]).to_owned());
    assert_eq!(einsum!("...", &a), a);
    // In batched matrix products, the batch axes are the leading axes in row-major order, and the trailing axes in column-major
    // order.
    if O::ROW_MAJOR {
        let b: Tensor<f64, _, O> = whole([5, 1, 4, 2], 2);
        assert_eq!(einsum!("...ij,...jk->...ik", &a, &b), a.matmul(&b));
    } else {
        let (x, y): (Tensor<f64, _, O>, Tensor<f64, _, O>) = (whole([3, 4, 2], 1), whole([4, 2, 1, 5], 2));
        assert_eq!(einsum!("ij...,jk...->ik...", &x, &y), x.matmul(&y));
    }
    // NumPy: np.einsum("i...,i...", a, a) sums over the first axis.
    let sums = einsum!("i...,i...", &a, &a);
    assert_eq!(sums, (&a * &a).sum_axis(0));
    let b: Tensor<f64, _, O> = whole([7], 2);
    assert_eq!(einsum!("a...,b->...ab", &a, &b).shape(), [3, 4, 2, 7]);
}

fn accumulation<O: Order>() {
    let (a, b): (Tensor<f64, _, O>, Tensor<f64, _, O>) = (whole([5, 6], 1), whole([6, 7], 2));
    let start: Tensor<f64, _, O> = whole([5, 7], 3);
    let expected = einsum!("ij,jk->ik", &a, &b) * 3.0 + &start * -2.0;
    let mut out = start.clone();
    einsum_into!(&mut out, 3.0, -2.0; "ij,jk->ik", &a, &b);
    assert_eq!(out, expected);
    // The output is a slice of a larger tensor, whose other elements stay unchanged.
    let mut large: Tensor<f64, _, O> = Tensor::full([8, 8], 9.0);
    large.slice_mut(s![1..6, 1..8;-1]).assign(&start);
    einsum_into!(&mut large.slice_mut(s![1..6, 1..8;-1]), 3.0, -2.0; "ij,jk->ik", &a, &b);
    assert_eq!(large.slice(s![1..6, 1..8;-1]).to_owned(), expected);
    assert_eq!((large[[0, 3]], large[[7, 7]], large[[3, 0]]), (9.0, 9.0, 9.0));
    // Two contractions of one operand, a sum and a transpose; then one of two operands, an elementwise product.
    let mut sums: Tensor<f64, _, O> = Tensor::full([6], 1.0);
    einsum_into!(&mut sums, 2.0, 10.0; "ij->j", &a);
    assert_eq!(sums, a.sum_axis(0) * 2.0 + 10.0);
    let mut turned: Tensor<f64, _, O> = whole([6, 5], 4);
    let expected = a.t().to_owned() * 2.0 + &turned;
    einsum_into!(&mut turned, 2.0, 1.0; "ij->ji", &a);
    assert_eq!(turned, expected);
    let mut products = a.clone();
    einsum_into!(&mut products, -1.0, 1.0; "ij,ij->ij", &a, &a);
    assert_eq!(products, &a - &a * &a);
    // More than two operands.
    let mut out = start.clone();
    let c: Tensor<f64, _, O> = whole([7, 7], 5);
    einsum_into!(&mut out, 1.0, 1.0; "ij,jk,kl->il", &a, &b, &c);
    assert_eq!(out, a.matmul(&b).matmul(&c) + &start);
    // An output of the wrong shape stays unchanged.
    let mut wrong: Tensor<f64, _, O> = Tensor::ones([5, 6]);
    let error = try_einsum_into!(&mut wrong, 1.0, 0.0; "ij,jk->ik", &a, &b).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot einsum \"ij,jk->ik\" over shapes [5, 6] and [6, 7]: the result has shape [5, 7], but the output has shape [5, 6]"
    );
    assert_eq!(wrong, Tensor::<f64, _, O>::ones([5, 6]));
}

fn repeated_labels_of_a_result<O: Order>() {
    let a: Tensor<i64, _, O> = whole([3], 1);
    assert_eq!(einsum!("i->ii", &a), Tensor::from_diagonal(&a));
    let b: Tensor<f64, _, O> = whole([3, 2], 1);
    let spread = einsum!("ij->iij", &b);
    let expected = Tensor::<f64, _, O>::from_fn([3, 3, 2], |[i, k, j]| if i == k { b[[i, j]] } else { 0.0 });
    assert_eq!(spread, expected);
    // With `beta`, the elements off the diagonal are multiplied by `beta`, too.
    let start: Tensor<f64, _, O> = whole([3, 3, 2], 5);
    let mut out = start.clone();
    einsum_into!(&mut out, 2.0, 3.0; "ij->iij", &b);
    assert_eq!(out, expected * 2.0 + start * 3.0);
    let mut out: Tensor<f64, _, O> = Tensor::full([3, 3], f64::NAN);
    einsum_into!(&mut out, 1.0, 0.0; "ij,ij->ii", &b, &b);
    assert_eq!(out, Tensor::from_diagonal(&(&b * &b).sum_axis(1)));
}

fn many_operands<O: Order>() {
    let m: [Tensor<f64, Rank<2>, O>; 4] = core::array::from_fn(|k| whole([3, 3], k as i64));
    let [a, b, c, d] = &m;
    let chain = einsum!("ab,bc,cd,de->ae", a, b, c, d);
    assert_eq!(chain, a.matmul(b).matmul(c).matmul(d));
    assert_eq!(einsum!("ab,bc,cd,da->", a, b, c, d).item(), chain.trace(0, 1).item());
    let v: Tensor<i64, _, O> = whole([2], 1);
    let sixteen = einsum!(
        "a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a->a",
        &v,
        &v,
        &v,
        &v,
        &v,
        &v,
        &v,
        &v,
        &v,
        &v,
        &v,
        &v,
        &v,
        &v,
        &v,
        &v
    );
    assert_eq!(sixteen, v.powi(16));
    let path = einsum_path!("ab,bc,cd,de->ae", a, b, c, d);
    assert_eq!((path.steps().len(), path.multiplications(), path.largest_intermediate()), (3, 81.0, 9.0));
    assert!(path.to_string().contains("exact order: 8.100e1 multiplications"), "{path}");
    // `limit` is the maximum size of an intermediate result in bytes. The product of x and y has 400 elements and exceeds 16 bytes;
    // the product of y and v has two elements and does not.
    let (x, y): (Tensor<f64, _, O>, Tensor<f64, _, O>) = (whole([20, 2], 1), whole([2, 20], 2));
    let v: Tensor<f64, _, O> = whole([20], 3);
    assert_eq!(einsum!("ij,jk,k->i", &x, &y, &v; limit = 16), x.matmul(&y).matmul(&v));
    let error = try_einsum!("ij,jk,kl->il", &x, &y, &x; limit = 8).unwrap_err();
    assert!(error.to_string().contains("limit of 1 elements: the smallest that was found has 4"), "{error}");
    // For nine operands, the search considers only pairs with a common label. Each such pair includes `cube`. The result of the pair has
    // all nine labels and therefore 512 elements.
    let cube: Tensor<f64, _, O> = whole([2; 9], 1);
    let w: Tensor<f64, _, O> = whole([2], 2);
    let error = try_einsum!(
        "a,b,c,d,e,f,g,h,abcdefghk->abcdefghk", &w, &w, &w, &w, &w, &w, &w, &w, &cube; limit = 2048
    );
    let says =
        "every contraction order that was tried needs an intermediate larger than the limit of 256 elements";
    assert!(error.as_ref().is_err_and(|error| error.to_string().contains(says)), "{error:?}");
}

fn products_by_name<O: Order>() {
    let (a, b): (Tensor<i64, _, O>, Tensor<i64, _, O>) = (whole([2, 3, 4], 1), whole([4, 3, 5], 2));
    assert_eq!(a.tensordot(&b, [1, 2], [1, 0]), einsum!("abc,cbd->ad", &a, &b));
    assert_eq!(a.tensordot(&b, [2], [0]), einsum!("abc,cde->abde", &a, &b));
    assert_eq!(a.tensordot(&b, [0; 0], [0; 0]), a.outer(&b));
    assert_eq!(a.dot(&a).item(), (&a * &a).sum().item());
    assert_eq!(a.outer(&b), einsum!("abc,def->abcdef", &a, &b));
    let (x, y): (Tensor<i64, _, O>, Tensor<i64, _, O>) = (whole([2, 3], 1), whole([5, 3], 2));
    if O::ROW_MAJOR {
        assert_eq!(x.inner(&y), einsum!("ik,jk->ij", &x, &y));
    } else {
        let (x, y): (Tensor<i64, _, O>, Tensor<i64, _, O>) = (whole([3, 2], 1), whole([3, 5], 2));
        assert_eq!(x.inner(&y), einsum!("ki,kj->ij", &x, &y));
    }
    let (z, w) = (complex::<O, _>([2, 3], 1), complex::<O, _>([2, 3], 4));
    assert_eq!(z.vdot(&w).item(), (z.conj() * &w).sum().item());
    assert_eq!(z.vdot(w.conj_view()).item(), (z.conj() * w.conj()).sum().item());
    assert_eq!(z.dot(&w).item(), (&z * &w).sum().item());
    assert!(matches!(a.try_tensordot(&b, [0], [0]), Err(Error::Contraction { .. })));
    assert_eq!(
        a.try_tensordot(&b, [1, 0], [1, 0]).unwrap_err().to_string(),
        "cannot tensordot over axes [1, 0] and [1, 0] of shapes [2, 3, 4] and [4, 3, 5]: axis 0 of the left operand is 2 \
         and axis 0 of the right operand is 4"
    );
    assert!(matches!(a.try_tensordot(&b, [1, 1], [1, 1]), Err(Error::RepeatedAxis { .. })));
    assert!(matches!(a.try_tensordot(&b, [3], [0]), Err(Error::AxisOutOfRange { .. })));
    assert_eq!(
        x.try_dot(&y).unwrap_err().to_string(),
        "cannot dot of shapes [2, 3] and [5, 3]: it sums over all elements, so the shapes must be equal"
    );
}

fn kronecker<O: Order>() {
    let (a, b): (Tensor<i64, _, O>, Tensor<i64, _, O>) = (whole([2, 3], 1), whole([4, 5], 2));
    let expected = Tensor::<i64, _, O>::from_fn([8, 15], |[i, j]| a[[i / 4, j / 5]] * b[[i % 4, j % 5]]);
    assert_eq!(a.kron(&b), expected);
    let v: Tensor<i64, _, O> = whole([3], 4);
    let expected = if O::ROW_MAJOR {
        Tensor::<i64, _, O>::from_fn([2, 9], |[i, j]| a[[i, j / 3]] * v[[j % 3]])
    } else {
        Tensor::<i64, _, O>::from_fn([6, 3], |[i, j]| a[[i / 3, j]] * v[[i % 3]])
    };
    assert_eq!(a.kron(&v), expected);
    assert_eq!(v.kron(&Tensor::<i64, _, O>::zeros([0])).shape(), [0]);
    assert_eq!(Tensor::<i64, _, O>::scalar(3).kron(&v), &v * 3);
}

/// Contractions that are large enough to be split between threads have the same bits in each run, and for any number of threads.
fn large_products_do_not_depend_on_threads<O: Order>() {
    let noise = |shape: [usize; 3]| {
        let mut state = 1u64;
        Tensor::<f64, _, O>::from_fn(shape, |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / 1e5 - 80.0
        })
    };
    let (a, b) = (noise([40, 60, 70]), noise([40, 70, 50]));
    let run = || {
        (
            einsum!("bij,bjk->bik", &a, &b).into_vec(),
            einsum!("aij,bjk->aibk", &a.slice(s![..6, .., ..]), b.slice(s![..7, .., ..])).into_vec(),
            einsum!("bij,bij->", &a, &a).into_vec(),
            einsum!("bij,bij->j", &a, &a).into_vec(),
            einsum!("bij,j->bi", &a, b.index_axis(0, 1).index_axis(1, 2)).into_vec(),
            einsum!("bij,bij->bij", &a, &a).into_vec(),
        )
    };
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let all = |r: (Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>, Vec<f64>)| {
        [bits(&r.0), bits(&r.1), bits(&r.2), bits(&r.3), bits(&r.4), bits(&r.5)]
    };
    #[cfg(feature = "rayon")]
    {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            all(pool.install(run))
        };
        let one = on(1);
        assert!(one == on(2) && one == on(8));
    }
    let (first, second) = (all(run()), all(run()));
    assert!(first == second);
    // Compares elements with a sum of products in a plain loop, up to rounding.
    let c = einsum!("bij,bjk->bik", &a, &b);
    for at in [[0, 0, 0], [39, 59, 49], [17, 33, 5]] {
        let [p, i, k] = at;
        let expected: f64 = (0..70).map(|j| a[[p, i, j]] * b[[p, j, k]]).sum();
        let scale: f64 = (0..70).map(|j| (a[[p, i, j]] * b[[p, j, k]]).abs()).sum();
        assert!((c[at] - expected).abs() <= 1e-13 * scale);
    }
}

/// Contractions whose axes cannot be fused to the axes of a matrix. An operand is copied, or the result is computed in a temporary
/// buffer.
fn copies_if_axes_do_not_fuse<O: Order>() {
    let a: Tensor<f64, _, O> = whole([4, 9, 5, 8], 1);
    let b: Tensor<f64, _, O> = whole([9, 6, 8, 7], 2);
    let expected = |at: [usize; 4]| {
        let [i, k, j, l] = at;
        let terms = (0..9).flat_map(|p| (0..8).map(move |q| (p, q)));
        terms.map(|(p, q)| a[[i, p, k, q]] * b[[p, j, q, l]]).sum::<f64>()
    };
    assert_eq!(einsum!("ipkq,pjql->ikjl", &a, &b), Tensor::<f64, _, O>::from_fn([4, 5, 6, 7], expected));
    assert_eq!(
        einsum!("ipkq,pjql->ijkl", &a, &b),
        Tensor::<f64, _, O>::from_fn([4, 6, 5, 7], |[i, j, k, l]| expected([i, k, j, l]))
    );
    assert_eq!(
        einsum!("ipkq,pjql->ljki", &a, &b),
        Tensor::<f64, _, O>::from_fn([7, 6, 5, 4], |[l, j, k, i]| expected([i, k, j, l]))
    );
    // Here the result is small and the sum is long, so the result is computed in a temporary buffer.
    let (x, y): (Tensor<f64, _, O>, Tensor<f64, _, O>) = (whole([3, 2, 100], 1), whole([100, 4, 2], 3));
    let z = einsum!("abk,kcd->acbd", &x, &y);
    let expected = Tensor::<f64, _, O>::from_fn([3, 4, 2, 2], |[a, c, b, d]| {
        (0..100).map(|k| x[[a, b, k]] * y[[k, c, d]]).sum()
    });
    assert_eq!(z, expected);
    let mut out: Tensor<f64, _, O> = whole([3, 4, 2, 2], 6);
    let expected = expected * 2.0 + &out * 3.0;
    einsum_into!(&mut out, 2.0, 3.0; "abk,kcd->acbd", &x, &y);
    assert_eq!(out, expected);
}

fn matmul_of_conjugates<O: Order>() {
    let (a, b) = (complex::<O, _>([3, 4], 1), complex::<O, _>([5, 4], 2));
    assert_eq!(a.matmul(b.t().conj_view()), a.matmul(b.conj().t()));
    let v = complex::<O, _>([4], 3);
    assert_eq!(a.matmul(v.conj_view()), a.matmul(&v.conj()));
    assert_eq!(v.matmul(a.t().conj_view()), v.matmul(a.conj().t()));
    assert_eq!(v.matmul(v.conj_view()).item(), v.matmul(&v.conj()).item());
}

/// Rounding errors of long sums of `f32` terms with equal signs. The shapes differ so that they use different kernels.
fn long_sums<O: Order>() {
    for (m, k, n) in [(2, 1 << 18, 2), (8, 100_000, 7), (16, 20_000, 16), (40, 20_000, 50)] {
        let a: Tensor<f32, _, O> =
            Tensor::from_fn([m, k], |[i, p]| 0.1 + ((i * 7 + p * 13) % 11) as f32 * 0.01);
        let b: Tensor<f32, _, O> =
            Tensor::from_fn([k, n], |[p, j]| 0.1 + ((j * 5 + p * 3) % 7) as f32 * 0.01);
        let found = a.matmul(&b);
        let (a, b) = (a.cast::<f64>(), b.cast::<f64>());
        let exact = einsum!("p,p->", a.index_axis(0, 1), b.index_axis(1, 1)).item();
        let error = (f64::from(found[[1, 1]]) - exact).abs() / exact;
        assert!(error < 3e-5, "{m} x {k} x {n}: {error:e}");
    }
}

/// The kernels do not multiply by a complex scaling factor of one, because the product of an infinity and the factor's zero
/// imaginary part would be NaN. The results must be the same for contiguous and strided outputs.
fn infinities<O: Order>() {
    let huge = Complex::new(1e200, 0.0);
    for n in [2, 3, 5, 30] {
        let a: Tensor<Complex<f64>, _, O> = Tensor::full([n, n], huge);
        let product = a.matmul(&a);
        assert!(product.re().equal(f64::INFINITY).all().item(), "{n}");
        let mut apart: Tensor<Complex<f64>, _, O> = Tensor::zeros([2 * n, 2 * n]);
        einsum_into!(apart.slice_mut(s![..;2, ..;2]); "ij,jk->ik", &a, &a);
        assert_eq!(format!("{:?}", apart.slice(s![..;2, ..;2]).to_vec()), format!("{:?}", product.to_vec()));
        let one = Complex::new(1.0, 0.0);
        let mut sum: Tensor<Complex<f64>, _, O> =
            Tensor::full([2 * n, 2 * n], Complex::new(f64::INFINITY, 1.0));
        let finite: Tensor<Complex<f64>, _, O> = Tensor::full([n, n], one);
        einsum_into!(sum.slice_mut(s![..;2, ..;2]), one, one; "ij,jk->ik", &finite, &finite);
        assert!(sum.im().equal(1.0).all().item(), "{n}: {sum}");
        let mut contiguous: Tensor<Complex<f64>, _, O> =
            Tensor::full([n, n], Complex::new(f64::INFINITY, 1.0));
        einsum_into!(&mut contiguous, one, one; "ij,jk->ik", &finite, &finite);
        assert!(contiguous.im().equal(1.0).all().item(), "{n}: {contiguous}");
        // The output stays unchanged if `alpha` is zero, and if the sum has zero terms.
        let zero = Complex::new(0.0, 0.0);
        einsum_into!(&mut contiguous, zero, one; "ij,jk->ik", &finite, &finite);
        let none: Tensor<Complex<f64>, _, O> = Tensor::zeros([n, 0]);
        einsum_into!(&mut contiguous, one, one; "ij,kj->ik", &none, &none);
        einsum_into!(sum.slice_mut(s![..;2, ..;2]), zero, one; "ij,jk->ik", &finite, &finite);
        einsum_into!(sum.slice_mut(s![..;2, ..;2]), one, one; "ij,kj->ik", &none, &none);
        for kept in [&contiguous, &sum] {
            assert!(kept.im().equal(1.0).all().item(), "{n}: {kept}");
            assert!(kept.re().equal(f64::INFINITY).all().item(), "{n}: {kept}");
        }
    }
}

/// As in BLAS, for each kernel that depends on the size.
fn nan_is_not_read_if_alpha_is_zero<O: Order>() {
    for n in [1, 2, 3, 4, 5, 30] {
        let nan: Tensor<f64, _, O> = Tensor::full([n, n], f64::NAN);
        let mut out: Tensor<f64, _, O> = Tensor::full([n, n], 3.0);
        einsum_into!(&mut out, 0.0, 2.0; "ij,jk->ik", &nan, &nan);
        assert_eq!(out, Tensor::full([n, n], 6.0), "{n}");
        einsum_into!(&mut out, 1.0, 0.0; "ij,jk->ik", &nan, &nan);
        assert!(out.is_nan().all().item(), "{n}");
    }
}

/// Usually, labels that only one operand has are summed first. If the result is empty, these sums must be skipped. Here they would take
/// too long, or overflow.
fn results_without_elements<O: Order>() {
    let one: Tensor<f32, _, O> = Tensor::ones([1, 1]);
    // The extents are 2³⁰ and 2⁵⁰ on a 64-bit machine, and 2¹⁴ and 2¹⁸ on a 32-bit one. Their product exceeds `usize`; the square
    // of `long` does not.
    let (long, longer) = (1 << (usize::BITS / 2 - 2), 1 << (usize::BITS - 14));
    let endless = one.broadcast_to([long, long]);
    let none: Tensor<f32, _, O> = Tensor::zeros([0]);
    assert_eq!(einsum!("ij,k->k", endless, &none).shape(), [0]);
    assert_eq!(einsum!("k,ij,l->kl", &none, endless, &none).shape(), [0, 0]);
    let (full, none): (Tensor<i8, _, O>, Tensor<i8, _, O>) = (Tensor::full([2, 2], 100), Tensor::zeros([0]));
    assert_eq!(try_einsum!("ij,k->k", &full, &none).map(|x| x.shape()), Ok([0]));
    // Both Kronecker products are empty. The operands have the nonzero extents `long` and `longer`, whose product exceeds `usize`. So
    // strides that are computed from all extents would overflow.
    let a: Tensor<f32, _, O> = Tensor::zeros([0, long, 1]);
    let b: Tensor<f32, _, O> = Tensor::zeros([longer, 1, 0]);
    assert_eq!(a.try_kron(&b).map(|x| x.shape()), Ok([0, long, 0]));
    assert_eq!(b.try_kron(&a).map(|x| x.shape()), Ok([0, long, 0]));
}

fn integers_that_overflow<O: Order>() {
    let a: Tensor<i8, _, O> = Tensor::full([2, 2], 100);
    let error = try_einsum!("ij,jk->ik", &a, &a).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "cannot einsum \"ij,jk->ik\" over shapes [2, 2] and [2, 2]: a sum of products overflows i8; "
        ),
        "{error}"
    );
    assert!(error.contains(".cast::<i64>()"), "{error}");
    let mut out: Tensor<i8, _, O> = Tensor::full([2, 2], 1);
    assert!(try_einsum_into!(&mut out, 1, 1; "ij,jk->ik", &a, &a).is_err());
    assert!(try_einsum_into!(&mut out, 100, 2; "ij,ij->ij", &out.clone(), &out.clone()).is_ok());
    assert_eq!(out, Tensor::<i8, _, O>::full([2, 2], 102));
    // 102 · 2 overflows: the output stays unchanged.
    let one: Tensor<i8, _, O> = Tensor::ones([2, 2]);
    assert!(try_einsum_into!(&mut out, 1, 2; "ij,ij->ij", &one, &one).is_err());
    assert_eq!(out, Tensor::<i8, _, O>::full([2, 2], 102));
    assert!(a.try_dot(&a).unwrap_err().to_string().starts_with("cannot dot of shapes"));
    // Only the final value must be representable in `i8`, not the sum 128 of products. The final values are 128 − 28 and −128.
    let eights: Tensor<i8, _, O> = Tensor::full([2, 2], 8);
    let mut out: Tensor<i8, _, O> = Tensor::full([2, 2], -28);
    einsum_into!(&mut out, 1, 1; "ij,jk->ik", &eights, &eights);
    assert_eq!(out, Tensor::<i8, _, O>::full([2, 2], 100));
    einsum_into!(&mut out, -1, 0; "ij,jk->ik", &eights, &eights);
    assert_eq!(out, Tensor::<i8, _, O>::full([2, 2], -128));
    einsum_into!(&mut out, 0, 1; "ij,jk->ik", &a, &a);
    assert_eq!(out, Tensor::<i8, _, O>::full([2, 2], -128));
    // On the diagonal, the final values are 2 · 100 − 100 = 100, although 2 · 100 overflows. Off the diagonal, the final values
    // are twice the old ones: 2 · 0 is representable, but 2 · 100 in the second call is not.
    let mut out: Tensor<i8, _, O> = Tensor::from_diagonal(&Tensor::<i8, _, O>::full([2], 100));
    let v: Tensor<i8, _, O> = Tensor::full([2], 100);
    einsum_into!(&mut out, -1, 2; "i->ii", &v);
    assert_eq!(out, Tensor::from_diagonal(&v));
    let mut out: Tensor<i8, _, O> = Tensor::full([2, 2], 100);
    assert!(try_einsum_into!(&mut out, -1, 2; "i->ii", &v).is_err());
    assert_eq!(out, Tensor::<i8, _, O>::full([2, 2], 100));
}

/// Compares a product of a complex and a real operand with the product of the real operand as complex numbers. All numbers are small
/// integers, so both are exact.
fn real_factors<O: Order>() {
    type Z = Complex<f64>;
    let real = |x: &Tensor<f64, Rank<2>, O>| x.cast::<Z>();
    for n in [1, 3, 40] {
        let (z, x) = (complex::<O, _>([4, n], 1), whole::<f64, O, _>([n, 5], 2));
        let y = whole::<f64, O, _>([4, n], 3);
        assert_eq!(z.matmul(&x), z.matmul(real(&x)));
        assert_eq!(z.conj_view().conj_view().t().matmul(&y), z.t().matmul(real(&y)));
        assert_eq!(einsum!("ij,jk->ki", &z, x.clone()), einsum!("ij,jk->ki", &z, real(&x)));
        assert_eq!(einsum!("ij,jk->ik", z.conj_view(), &x), einsum!("ij,jk->ik", z.conj_view(), real(&x)));
        assert_eq!(einsum!("ij,ij->ij", z.conj_view(), &y), einsum!("ij,ij->ij", z.conj_view(), real(&y)));
        for spec in ["ij,ij->", "ij,ij->j", "ij,ij->i"] {
            let found = vierbein::dyn_tensor::einsum(
                spec,
                &[&DynTensor::from(z.clone()), &DynTensor::from(real(&y))],
            );
            let expected = match spec {
                "ij,ij->" => DynTensor::from(einsum!("ij,ij->", &z, &y)),
                "ij,ij->j" => DynTensor::from(einsum!("ij,ij->j", &z, &y)),
                _ => DynTensor::from(einsum!("ij,ij->i", &z, &y)),
            };
            assert_eq!(found.unwrap(), expected, "{spec}");
        }
        assert_eq!(z.dot(&y), z.dot(real(&y)));
        assert_eq!(z.vdot(&y), z.vdot(real(&y)));
        assert_eq!(z.inner(&y), z.inner(real(&y)));
        assert_eq!(z.outer(&x), z.outer(real(&x)));
        assert_eq!(z.kron(&x), z.kron(real(&x)));
        assert_eq!(z.tensordot(&x, [1], [0]), z.tensordot(real(&x), [1], [0]));
        // Views, and sums over labels of one operand.
        let flipped = x.flip([0, 1]);
        assert_eq!(z.flip([1]).matmul(flipped.view()), z.flip([1]).matmul(real(&flipped.to_owned())));
        assert_eq!(einsum!("ij,kl->i", &z, &x), einsum!("ij,kl->i", &z, real(&x)));
        assert_eq!(
            einsum!("ii,ij->j", z.slice(s![..1, ..1]), x.slice(s![..1, ..])),
            einsum!("ii,ij->j", z.slice(s![..1, ..1]), real(&x).slice(s![..1, ..]))
        );
        // The scaling factors are complex.
        let (alpha, beta) = (Complex::new(2.0, -1.0), Complex::new(0.0, 3.0));
        for (alpha, beta) in
            [(alpha, beta), (alpha, Complex::from(0.0)), (Complex::from(1.0), Complex::from(1.0))]
        {
            let (mut found, mut expected) = (complex::<O, _>([5, 4], 4), complex::<O, _>([5, 4], 4));
            einsum_into!(&mut found, alpha, beta; "ij,jk->ki", z.conj_view(), &x);
            einsum_into!(&mut expected, alpha, beta; "ij,jk->ki", z.conj_view(), real(&x));
            assert_eq!(found, expected);
        }
        let (mut found, mut expected) = (complex::<O, _>([4, 5], 4), complex::<O, _>([4, 5], 5));
        z.matmul_into(&x, &mut found);
        z.matmul_into(real(&x), &mut expected);
        assert_eq!(found, expected);
    }
    // Large products are computed by real numbers.
    let (z, x) = (complex::<O, _>([40, 30], 1), whole::<f64, O, _>([30, 50], 2));
    let (a, beta) = (real(&x), Complex::new(0.0, 3.0));
    let (mut found, mut expected) = (complex::<O, _>([50, 40], 4), complex::<O, _>([50, 40], 4));
    assert_eq!(z.matmul(&x), z.matmul(&a));
    assert_eq!(z.conj_view().conj_view().t().flip([0]).t().matmul(x.flip([0])), z.matmul(&a));
    assert_eq!(einsum!("ji,kj->ik", z.t(), x.t()), einsum!("ij,jk->ik", &z, &a));
    assert_eq!(einsum!("ij,jk->ki", z.conj_view(), &x), einsum!("ij,jk->ki", z.conj_view(), &a));
    einsum_into!(&mut found, beta, beta; "ij,jk->ki", z.conj_view(), &x);
    einsum_into!(&mut expected, beta, beta; "ij,jk->ki", z.conj_view(), &a);
    assert_eq!(found, expected);
    // Vectors and batches, which broadcast.
    let z = |k| complex::<O, _>([k], 1);
    let vector = whole::<f64, O, _>([3], 2);
    assert_eq!(z(3).matmul(&vector), z(3).matmul(vector.cast::<Z>()));
    let (row, column) = if O::ROW_MAJOR { ([2, 1, 4, 3], [5, 3, 2]) } else { ([4, 3, 1, 2], [3, 2, 5]) };
    let (a, b) = (complex::<O, _>(row, 1), whole::<f64, O, _>(column, 2));
    assert_eq!(a.matmul(&b), a.matmul(b.cast::<Z>()));
    assert_eq!(a.matmul(&vector), a.matmul(vector.cast::<Z>()));
    assert_eq!(z(3).matmul(&b), z(3).matmul(b.cast::<Z>()));
    assert_eq!(
        einsum!("...ij,...jk->...ik", &complex::<O, _>([4, 3], 1), &whole::<f64, O, _>([3, 2], 2)),
        complex::<O, _>([4, 3], 1).matmul(whole::<f64, O, _>([3, 2], 2))
    );
    // Single precision.
    let (z, x) = (a.cast::<Complex<f32>>(), b.cast::<f32>());
    assert_eq!(z.matmul(&x), z.matmul(x.cast::<Complex<f32>>()));
    // No elements, and sums of no terms.
    let (z, x) = (complex::<O, _>([4, 0], 1), whole::<f64, O, _>([0, 2], 2));
    assert_eq!(z.matmul(&x), Tensor::zeros([4, 2]));
    // 16 axes: the parts of the complex numbers would be one more.
    let z = complex::<O, _>([2; 16], 1);
    let x = whole::<f64, O, _>([2, 3], 2);
    assert_eq!(z.tensordot(&x, [3], [0]), z.tensordot(real(&x), [3], [0]));
    // Operands of different shapes, and the wrong number of axes.
    let error = complex::<O, _>([4, 3], 1).try_matmul(whole::<f64, O, _>([4, 3], 1)).unwrap_err().to_string();
    assert!(error.contains("the summed axes have extents"), "{error}");
    let error = complex::<O, _>([4, 3], 1).try_dot(whole::<f64, O, _>([3, 4], 1)).unwrap_err().to_string();
    assert!(error.contains("the shapes must be equal"), "{error}");
}

/// Real operands at any place but the first. Two real operands have a real product.
fn real_factors_of_networks<O: Order>() {
    let (u, v) = (complex::<O, _>([4, 3], 1), complex::<O, _>([3, 2], 2));
    let (s, x, y) =
        (whole::<f64, O, _>([3], 3), whole::<f64, O, _>([3, 5], 4), whole::<f64, O, _>([5, 3], 5));
    let [t, a, b] = [s.cast::<Complex<f64>>().insert_axis(0).to_owned(), x.cast(), y.cast()];
    let t = t.remove_axis(0);
    assert_eq!(einsum!("ij,j,jk->ik", &u, &s, &v), einsum!("ij,j,jk->ik", &u, &t, &v));
    assert_eq!(einsum!("ij,jk,kl->il", &u, &x, &y), einsum!("ij,jk,kl->il", &u, &a, &b));
    assert_eq!(einsum!("ij,kl,lm->ijkm", &u, &x, &y), einsum!("ij,kl,lm->ijkm", &u, &a, &b));
    assert_eq!(
        einsum!("ij,jk,kl,l,lm->mi", u.conj_view(), &x, &y, &s, v.conj_view()),
        einsum!("ij,jk,kl,l,lm->mi", u.conj_view(), &a, &b, &t, v.conj_view())
    );
    assert_eq!(einsum_path!("ij,jk,kl->il", &u, &x, &y).steps().len(), 2);
}

/// A real factor of an element does not mix the parts of a complex number: `(∞ + i) · 2 = ∞ + 2i`. A complex factor `2 + 0i` would give `∞ · 0`.
fn real_factors_keep_infinite_parts<O: Order>() {
    let infinite = Complex::new(f64::INFINITY, 1.0);
    let twice = Complex::new(f64::INFINITY, 2.0);
    let z = Tensor::<_, Rank<2>, O>::full([2, 1], infinite);
    let x = Tensor::<f64, Rank<2>, O>::full([1, 1], 2.0);
    assert_eq!(&z * &x, Tensor::full([2, 1], twice));
    assert_eq!(&z * 2.0, Tensor::full([2, 1], twice));
    assert_eq!(2.0 * &z, Tensor::full([2, 1], twice));
    assert_eq!(&z / 0.5, Tensor::full([2, 1], twice));
    let mut w = z.clone();
    w *= 2.0;
    assert_eq!(w, Tensor::full([2, 1], twice));
    assert_eq!(einsum!("ij,ij->ij", &z, &Tensor::<f64, Rank<2>, O>::full([2, 1], 2.0)), w);
}
