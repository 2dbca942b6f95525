//! Compares results with the data in `tests/data`, which come from other programs or from closed forms.

mod choosing;
mod einsum;
mod joining;
mod ordering;
mod reductions;
mod shapes;
mod sorting;
#[cfg(feature = "npy")]
mod statistics;
mod statistics_table;
mod table;
mod values;

use crate::orders::both_orders;
use vierbein::{Dim, Order, Rank, RowMajor, Tensor};

/// Returns a tensor whose elements, in row-major order of their indices, are `0, 1, .. n - 1`. Its memory order is `O`.
fn ar<D: Dim, O: Order>(shape: D::Shape) -> Tensor<i64, D, O> {
    let n: usize = shape.as_ref().iter().product();
    let data: Vec<i64> = (0..n as i64).collect();
    Tensor::<i64, D, RowMajor>::from_vec(shape, data).to_order()
}

/// Returns the elements in row-major order of their indices, whatever the memory order is.
fn listed<T: vierbein::Element, D: Dim, O: Order, S>(x: &Tensor<T, D, O, vierbein::Cpu, S>) -> Vec<T>
where
    S: vierbein::Storage<T, vierbein::Cpu>,
{
    x.as_order::<RowMajor>().to_vec()
}

/// A matrix in memory order `O`.
type Matrix<T, O> = Tensor<T, Rank<2>, O>;
