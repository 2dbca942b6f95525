//! Comparison with the data in `tests/data`: results that were not computed with this library.

#[path = "oracle/einsum.rs"]
mod einsum;
#[path = "oracle/reductions.rs"]
mod reductions;
#[path = "oracle/shapes.rs"]
mod shapes;
#[path = "oracle/values.rs"]
mod values;

use vierbein::{Dim, Order, Rank, RowMajor, Tensor};

/// Returns `0, 1, .. n - 1` in row-major order of indices, in a tensor of memory order `O`.
fn ar<D: Dim, O: Order>(shape: D::Shape) -> Tensor<i64, D, O> {
    let n: usize = shape.as_ref().iter().product();
    let data: Vec<i64> = (0..n as i64).collect();
    Tensor::<i64, D, RowMajor>::from_vec(shape, data).to_order()
}

/// Returns the elements in row-major order of indices, for any memory order.
fn listed<T: vierbein::Element, D: Dim, O: Order, S>(x: &Tensor<T, D, O, vierbein::Cpu, S>) -> Vec<T>
where
    S: vierbein::Storage<T, vierbein::Cpu>,
{
    x.as_order::<RowMajor>().to_vec()
}

/// Runs each test body in both memory orders.
macro_rules! both_orders {
    ($($name:ident)*) => {$(
        mod $name {
            #[test]
            fn row_major() {
                super::$name::<vierbein::RowMajor>();
            }
            #[test]
            fn col_major() {
                super::$name::<vierbein::ColMajor>();
            }
        }
    )*};
}
pub(crate) use both_orders;

/// A matrix in memory order `O`.
type Matrix<T, O> = Tensor<T, Rank<2>, O>;
