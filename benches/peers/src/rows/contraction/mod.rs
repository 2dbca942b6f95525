//! Sums of products by `einsum!`.

mod elementwise;
mod matmul;
mod tensors;
mod traces;

use super::Entry;
use crate::Contracted;

pub(super) fn all<T: Contracted>() -> Vec<Entry<T>> {
    let mut rows = vec![
        Entry::new("ijk,ijk->ijk 100³", elementwise::hadamard),
        Entry::new("ii-> 1000²", || traces::full(1000)),
        Entry::new("ii-> 4096²", || traces::full(4096)),
        Entry::new("iij->j 100³", traces::partial),
        Entry::new("ijj->ij 100³", traces::diagonal),
        Entry::new("ijk->ik 100³", traces::sum),
        Entry::new("ijk,kl->ijl 100³·100²", tensors::three_by_two),
        Entry::new("ijkl,klmn->ijmn 20⁴", tensors::four_by_four),
        Entry::new("abcd,cbe->ade permuted views", tensors::permuted),
        Entry::new("aib,bjc->aijc 128·2·128", tensors::two_sites),
        Entry::new("bij,bjk->bik 100·64²", tensors::batched),
        Entry::new("ij,jk->ik 10000·32·10000", || matmul::row_row(10_000, 32)),
        Entry::new("ij,jk->ik 10000·32·10000 into", || matmul::row_row_into(10_000, 32)),
    ];
    for n in [64, 256, 1024] {
        rows.push(Entry::new(format!("ij,jk->ik {n} row·row"), move || matmul::row_row(n, n)));
        rows.push(Entry::new(format!("ij,jk->ik {n} row·row into"), move || matmul::row_row_into(n, n)));
        rows.push(Entry::new(format!("ij,jk->ik {n} col·col"), move || matmul::col_col(n)));
        rows.push(Entry::new(format!("ij,jk->ik {n} row·col"), move || matmul::row_col(n)));
    }
    rows
}
