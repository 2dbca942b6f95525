//! Compares results with the data in `tests/data`, which come from other programs or from closed forms.

#[cfg(feature = "fft")]
mod common;
#[path = "oracle/einsum.rs"]
mod einsum;
#[cfg(feature = "fft")]
#[path = "oracle/fft.rs"]
mod fft;
#[path = "oracle/joining.rs"]
mod joining;
#[path = "oracle/ordering.rs"]
mod ordering;
#[path = "oracle/reductions.rs"]
mod reductions;
#[path = "oracle/shapes.rs"]
mod shapes;
#[cfg(feature = "npy")]
#[path = "oracle/statistics.rs"]
mod statistics;
#[path = "oracle/values.rs"]
mod values;

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

/// Defines two tests for each test body, one per memory order.
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
