//! The rows. Each contender does what a good user of its library would write.

mod contractions;
mod elementwise;
mod matmul;
mod traces;

use crate::{Number, Row};

/// A row by name; it is built only when its turn comes, for some hold gigabytes.
pub struct Entry<T> {
    pub name: String,
    build: Box<dyn Fn() -> Row<T>>,
}

impl<T: Number> Entry<T> {
    fn new(name: impl Into<String>, build: impl Fn() -> Row<T> + 'static) -> Entry<T> {
        Entry { name: name.into(), build: Box::new(build) }
    }

    /// The row, its contenders compared with the definition.
    ///
    /// # Panics
    /// If one of them is wrong.
    pub fn row(&self) -> Row<T> {
        let mut row = (self.build)();
        row.check();
        row
    }
}

pub fn all<T: Number>() -> Vec<Entry<T>> {
    let mut rows = vec![
        Entry::new("ijk,ijk->ijk 100³", elementwise::hadamard),
        Entry::new("ii-> 1000²", || traces::full(1000)),
        Entry::new("ii-> 4096²", || traces::full(4096)),
        Entry::new("iij->j 100³", traces::partial),
        Entry::new("ijj->ij 100³", traces::diagonal),
        Entry::new("ijk->ik 100³", traces::sum),
        Entry::new("ijk,kl->ijl 100³·100²", contractions::three_by_two),
        Entry::new("ijkl,klmn->ijmn 20⁴", contractions::four_by_four),
        Entry::new("abcd,cbe->ade permuted views", contractions::permuted),
        Entry::new("aib,bjc->aijc 128·2·128", contractions::two_sites),
        Entry::new("bij,bjk->bik 100·64²", contractions::batched),
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
