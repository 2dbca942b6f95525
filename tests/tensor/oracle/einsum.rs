//! Checks each row of `tests/data/einsum.tsv`, in both memory orders, for `f64` and `i64`.

use super::both_orders;
use vierbein::prelude::*;
use vierbein::{IntoShape, einsum};

const TABLE: &str = include_str!("../../data/einsum.tsv");

/// Returns the columns of the table row with this specification and these shapes.
fn row(spec: &str, shapes: &[&[usize]]) -> Vec<&'static str> {
    let written = |shape: &&[usize]| match shape {
        [] => "()".to_string(),
        shape => shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x"),
    };
    let shapes = shapes.iter().map(written).collect::<Vec<_>>().join(" , ");
    TABLE
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .find(|columns| columns[0] == spec && columns[1] == shapes)
        .unwrap_or_else(|| panic!("the table has no row {spec} over {shapes}"))
}

fn reals<O: Order, Sh: IntoShape>(shape: Sh) -> Tensor<f64, Sh::Dim, O> {
    let len: usize = shape.into_shape().unwrap().as_ref().iter().product();
    Tensor::from_vec(shape, (0..len).map(|k| (k as f64 + 0.2).cos()).collect())
}

fn integers<O: Order, Sh: IntoShape>(shape: Sh) -> Tensor<i64, Sh::Dim, O> {
    let len: i64 = shape.into_shape().unwrap().as_ref().iter().product::<usize>() as i64;
    Tensor::from_vec(shape, (0..len).map(|k| (7 * k + 3) % 11 - 5).collect())
}

/// Compares two results with the table row: their shape, and their fingerprints for memory order `O`. A fingerprint is a weighted sum of
/// all elements.
fn check<D: Dim, O: Order>(row: &[&str], real: Tensor<f64, D, O>, integer: Tensor<i64, D, O>) {
    let shape: Vec<usize> = match row[2] {
        "()" => vec![],
        text => text.split('x').map(|extent| extent.parse().unwrap()).collect(),
    };
    assert_eq!(real.shape().as_ref(), shape, "{row:?}");
    assert_eq!(integer.shape().as_ref(), shape, "{row:?}");
    let column = usize::from(!O::ROW_MAJOR);
    let (of_real, of_integer): (f64, i64) =
        (row[3 + column].parse().unwrap(), row[5 + column].parse().unwrap());
    let found: f64 = real.into_vec().iter().enumerate().map(|(k, x)| (k as f64).cos() * x).sum();
    assert!((found - of_real).abs() < 1e-11 * (1.0 + of_real.abs()), "{row:?}: {found}");
    let found: i64 = integer.into_vec().iter().enumerate().map(|(k, x)| (k as i64 % 13 + 1) * x).sum();
    assert_eq!(found, of_integer, "{row:?}");
}

macro_rules! rows {
    ($($spec:literal $([$($extent:literal)*])+;)*) => {
        const ROWS: usize = [$($spec),*].len();

        fn all<O: Order>() {
            $({
                let row = row($spec, &[$(&[$($extent),*]),+]);
                let real = einsum!($spec, $(&reals::<O, _>([$($extent),*])),+);
                let integer = einsum!($spec, $(&integers::<O, _>([$($extent),*])),+);
                check(&row, real, integer);
            })*
        }
    };
}
rows! {
    "ii->" [5 5];
    "iij->j" [4 4 3];
    "jii->j" [3 4 4];
    "ijj->i" [3 4 4];
    "jii->ji" [4 3 3];
    "iijj->ij" [3 3 4 4];
    "ijij->ij" [3 4 3 4];
    "iii->" [4 4 4];
    "ijk->k" [3 4 5];
    "ijk->" [3 4 5];
    "ij->ji" [3 4];
    "ijkl->ljki" [2 3 4 5];
    "ijk,ijk->ijk" [2 3 4] [2 3 4];
    "i,ij->ij" [3] [3 4];
    ",ij->ij" [] [3 4];
    "i,i->" [7] [7];
    "ij,ji->" [3 4] [4 3];
    "i,j->ji" [3] [4];
    "ij,kl->ikjl" [2 3] [4 2];
    "ij,jk->ik" [3 4] [4 5];
    "ij,kj->ik" [3 4] [5 4];
    "ij,jk->ki" [3 4] [4 5];
    "i,ij->j" [3] [3 4];
    "bij,bjk->bik" [3 2 4] [3 4 3];
    "ij,ij->i" [3 4] [3 4];
    "ijk,jkl->il" [2 3 3] [3 3 4];
    "aib,bjc->aijc" [3 2 2] [2 2 3];
    "jk,ijkl->il" [3 4] [2 3 4 2];
    "ijl,ij->i" [3 4 2] [3 4];
    "ij,ik,il->jkl" [3 2] [3 3] [3 4];
    "ij,jk,ki->" [2 3] [3 4] [4 2];
    "ijkl,ai,bj,ck,dl->abcd" [2 2 2 2] [3 2] [2 2] [3 2] [2 2];
    "ea,fb,abcd,gc,hd->efgh" [2 2] [2 3] [2 3 2 2] [3 2] [2 2];
    "ij->iij" [3 2];
    "ij->ijij" [2 3];
    "a,ab,abc->abc" [2] [2 3] [2 3 4];
    "ij,jk->ik" [0 2] [2 3];
    "ij,jk->ik" [1 1] [1 1];
}
both_orders!(all);

#[test]
fn every_row_of_the_table_is_tested() {
    assert_eq!(ROWS, TABLE.lines().count() - 1);
}
