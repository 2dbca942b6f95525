//! Creates tensors on a device from functions of the index, and compares tensors with such functions.

use vierbein::prelude::*;
use vierbein::{IntoShape, Storage};

/// Returns all indices of a shape in memory order.
pub(crate) fn indices<D: Dim, O: Order>(shape: D::Shape) -> Vec<D::Shape> {
    let count = shape.as_ref().iter().product();
    let nth = |mut k: usize| {
        let mut index = D::shape_from(&vec![0; shape.as_ref().len()]).expect("the rank of the shape");
        let mut take = |axis: usize| {
            index.as_mut()[axis] = k % shape.as_ref()[axis];
            k /= shape.as_ref()[axis];
        };
        match O::ROW_MAJOR {
            true => (0..shape.as_ref().len()).rev().for_each(&mut take),
            false => (0..shape.as_ref().len()).for_each(&mut take),
        }
        index
    };
    (0..count).map(nth).collect()
}

/// Returns a tensor on the device with the value `f(index)` at each index.
pub(crate) fn make<T, Sh, O, Dev>(shape: Sh, f: impl Fn(Sh) -> T) -> Tensor<T, Sh::Dim, O, Dev>
where
    T: Element,
    Sh: IntoShape,
    Sh::Dim: Dim<Shape = Sh>,
    O: Order,
    Dev: Device + Default,
{
    let data = indices::<Sh::Dim, O>(shape).into_iter().map(f).collect();
    Tensor::<T, Sh::Dim, O, Cpu>::from_vec(shape, data).to_device_in(&Dev::default()).unwrap()
}

/// Asserts that a tensor has the shape `shape` and the value `expected(index)` at each index. Tests `get` and `to_vec`.
#[track_caller]
pub(crate) fn check<T, D, O, Dev, S>(
    got: &Tensor<T, D, O, Dev, S>,
    shape: D::Shape,
    expected: impl Fn(D::Shape) -> T,
) where
    T: Element,
    D: Dim,
    O: Order,
    Dev: Device,
    S: Storage<T, Dev>,
{
    assert_eq!(got.shape(), shape);
    let (host, listed) = (got.to_device_in(&Cpu).unwrap(), got.to_vec());
    let all = indices::<D, O>(shape);
    assert_eq!(all.len(), listed.len());
    for (index, value) in all.into_iter().zip(listed) {
        assert_eq!(host.get(index), Some(&expected(index)), "at {index:?}");
        assert_eq!(value, expected(index), "at {index:?} of the enumeration");
    }
}

/// Returns the test value at an index: a small integer, different at neighbouring indices. The values of `p` and `r` have both signs.
pub(crate) fn p([i, j]: [usize; 2]) -> f64 {
    (7 * i + 3 * j) as f64 % 11.0 - 5.0
}
pub(crate) fn q([i, j]: [usize; 2]) -> f64 {
    (5 * i + 4 * j) as f64 % 7.0 + 1.0
}
pub(crate) fn r([i, j, k]: [usize; 3]) -> f64 {
    (11 * i + 5 * j + 2 * k) as f64 % 17.0 - 8.0
}
