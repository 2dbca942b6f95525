//! Sums of products.

use crate::suite::{Number, Suite, check, filled};
use vierbein::prelude::*;

pub(crate) fn rows<T: Number>(suite: &mut Suite<'_>) {
    suite.row::<T, _, _>("ijk,ijk->ijk 100³", || {
        let (a, b) = (filled::<T, _>(1, [100; 3]), filled::<T, _>(2, [100; 3]));
        check(&einsum!("ijk,ijk->ijk", &a, &b), |i| a[i] * b[i]);
        move || einsum!("ijk,ijk->ijk", &a, &b)
    });
    suite.row::<T, _, _>("iij->j 100³", || {
        let a = filled::<T, _>(1, [100; 3]);
        check(&einsum!("iij->j", &a), |[j]| (0..100).map(|i| a[[i, i, j]]).sum());
        move || einsum!("iij->j", &a)
    });
    suite.row::<T, _, _>("ijk,kl->ijl 100³·100²", || {
        let (a, b) = (filled::<T, _>(1, [100; 3]), filled::<T, _>(2, [100; 2]));
        check(&einsum!("ijk,kl->ijl", &a, &b), |[i, j, l]| (0..100).map(|k| a[[i, j, k]] * b[[k, l]]).sum());
        move || einsum!("ijk,kl->ijl", &a, &b)
    });
    suite.row::<T, _, _>("ijkl,klmn->ijmn 20⁴", || {
        let (a, b) = (filled::<T, _>(1, [20; 4]), filled::<T, _>(2, [20; 4]));
        check(&einsum!("ijkl,klmn->ijmn", &a, &b), |[i, j, m, n]| {
            (0..400).map(|kl| a[[i, j, kl / 20, kl % 20]] * b[[kl / 20, kl % 20, m, n]]).sum()
        });
        move || einsum!("ijkl,klmn->ijmn", &a, &b)
    });
    suite.row::<T, _, _>("abcd,cbe->ade permuted views", || {
        let (a, b) = (filled::<T, _>(1, [36, 40, 48, 32]), filled::<T, _>(2, [40, 32, 36]));
        check(&einsum!("abcd,cbe->ade", &a.permute([1, 3, 0, 2]), &b.permute([2, 1, 0])), |[i, d, e]| {
            (0..36 * 32).map(|cb| a[[cb / 32, i, d, cb % 32]] * b[[e, cb % 32, cb / 32]]).sum()
        });
        move || einsum!("abcd,cbe->ade", &a.permute([1, 3, 0, 2]), &b.permute([2, 1, 0]))
    });
    suite.row::<T, _, _>("aib,bjc->aijc 128·2·128", || {
        let (a, b) = (filled::<T, _>(1, [128, 2, 128]), filled::<T, _>(2, [128, 2, 128]));
        check(&einsum!("aib,bjc->aijc", &a, &b), |[l, i, j, r]| {
            (0..128).map(|m| a[[l, i, m]] * b[[m, j, r]]).sum()
        });
        move || einsum!("aib,bjc->aijc", &a, &b)
    });
    suite.row::<T, _, _>("bij,bjk->bik 100·64²", || {
        let (a, b) = (filled::<T, _>(1, [100, 64, 64]), filled::<T, _>(2, [100, 64, 64]));
        check(&einsum!("bij,bjk->bik", &a, &b), |[n, i, k]| {
            (0..64).map(|j| a[[n, i, j]] * b[[n, j, k]]).sum()
        });
        move || einsum!("bij,bjk->bik", &a, &b)
    });
    apart::<T>(suite);
    product::<T>(suite, "10000·32·10000", 10_000, 32);
    for n in [64, 256, 1024] {
        product::<T>(suite, &format!("{n} row·row"), n, n);
        orders::<T>(suite, n);
    }
}

/// Contractions whose axes do not fuse to matrices: loops over smaller products, or copies.
fn apart<T: Number>(suite: &mut Suite<'_>) {
    suite.row::<T, _, _>("abc,db->acd 216·144·8·1100", || {
        let (a, b) = (filled::<T, _>(1, [216, 144, 8]), filled::<T, _>(2, [1100, 144]));
        check(&einsum!("abc,db->acd", &a, &b), |[i, c, d]| (0..144).map(|k| a[[i, k, c]] * b[[d, k]]).sum());
        move || einsum!("abc,db->acd", &a, &b)
    });
    suite.row::<T, _, _>("aurk,AurK->akAK 16⁴", || {
        let (a, b) = (filled::<T, _>(1, [16; 4]), filled::<T, _>(2, [16; 4]));
        check(&einsum!("aurk,AurK->akAK", &a, &b), |[i, k, j, l]| {
            (0..256).map(|ur| a[[i, ur / 16, ur % 16, k]] * b[[j, ur / 16, ur % 16, l]]).sum()
        });
        move || einsum!("aurk,AurK->akAK", &a, &b)
    });
    suite.row::<T, _, _>("akAK,bkBK->abAB 16⁴", || {
        let (a, b) = (filled::<T, _>(1, [16; 4]), filled::<T, _>(2, [16; 4]));
        check(&einsum!("akAK,bkBK->abAB", &a, &b), |[i, j, k, l]| {
            (0..256).map(|kk| a[[i, kk / 16, k, kk % 16]] * b[[j, kk / 16, l, kk % 16]]).sum()
        });
        move || einsum!("akAK,bkBK->abAB", &a, &b)
    });
    suite.row::<T, _, _>("tjk,to->tokj 64·64·16²", || {
        let (a, b) = (filled::<T, _>(1, [64, 16, 16]), filled::<T, _>(2, [64, 64]));
        check(&einsum!("tjk,to->tokj", &a, &b), |[t, o, k, j]| a[[t, j, k]] * b[[t, o]]);
        move || einsum!("tjk,to->tokj", &a, &b)
    });
}

fn product<T: Number>(suite: &mut Suite<'_>, name: &str, n: usize, inner: usize) {
    let operands = || (filled::<T, _>(1, [n, inner]), filled::<T, _>(2, [inner, n]));
    suite.row::<T, _, _>(format!("ij,jk->ik {name}"), || {
        let (a, b) = operands();
        check(&einsum!("ij,jk->ik", &a, &b), |[i, k]| (0..inner).map(|j| a[[i, j]] * b[[j, k]]).sum());
        move || einsum!("ij,jk->ik", &a, &b)
    });
    suite.row::<T, _, _>(format!("ij,jk->ik {name} into"), || {
        let (a, b) = operands();
        let (one, zero) = (T::whole(1, 0), T::whole(0, 0));
        let mut out = Tensor::<T, _>::zeros([n, n]);
        einsum_into!(&mut out, one, zero; "ij,jk->ik", &a, &b);
        check(&out, |[i, k]| (0..inner).map(|j| a[[i, j]] * b[[j, k]]).sum());
        move || einsum_into!(&mut out, one, zero; "ij,jk->ik", &a, &b)
    });
}

fn orders<T: Number>(suite: &mut Suite<'_>, n: usize) {
    let operands = || (filled::<T, _>(1, [n, n]), filled::<T, _>(2, [n, n]));
    suite.row::<T, _, _>(format!("ij,jk->ik {n} col·col"), || {
        let (a, b) = operands();
        let (p, q) = (a.to_order::<ColMajor>(), b.to_order::<ColMajor>());
        let found = einsum!("ij,jk->ik", &p, &q).to_order::<RowMajor>();
        check(&found, |[i, k]| (0..n).map(|j| a[[i, j]] * b[[j, k]]).sum());
        move || einsum!("ij,jk->ik", &p, &q)
    });
    suite.row::<T, _, _>(format!("ij,jk->ik {n} row·col"), || {
        let (a, b) = operands();
        let q = b.to_order::<ColMajor>();
        let found = einsum!("ij,jk->ik", &a, &q.as_order::<RowMajor>());
        check(&found, |[i, k]| (0..n).map(|j| a[[i, j]] * b[[j, k]]).sum());
        move || einsum!("ij,jk->ik", &a, &q.as_order::<RowMajor>())
    });
}
