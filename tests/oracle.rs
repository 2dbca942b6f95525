//! The oracle in `tests/data`: results that do not come from this library.

#[path = "oracle/einsum.rs"]
mod einsum;
#[path = "oracle/reductions.rs"]
mod reductions;
#[path = "oracle/shapes.rs"]
mod shapes;
#[path = "oracle/values.rs"]
mod values;

use vierbein::{Dim, Order, Rank, RowMajor, Tensor};

/// `0, 1, .. n - 1` in row-major storage, then the same elements at the same indices in order `O`.
fn ar<D: Dim, O: Order>(shape: D::Shape) -> Tensor<i64, D, O> {
    let n: usize = shape.as_ref().iter().product();
    let data: Vec<i64> = (0..n as i64).collect();
    Tensor::<i64, D, RowMajor>::from_vec(shape, data).to_order()
}

/// The elements with the last axis fastest, whatever the order is.
fn listed<T: vierbein::Element, D: Dim, O: Order, S>(x: &Tensor<T, D, O, vierbein::Cpu, S>) -> Vec<T>
where
    S: vierbein::Storage<T, vierbein::Cpu>,
{
    x.as_order::<RowMajor>().to_vec()
}

/// A test body for each order.
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

/// The matrix of rank 2 that most statements are about.
type Matrix<T, O> = Tensor<T, Rank<2>, O>;
