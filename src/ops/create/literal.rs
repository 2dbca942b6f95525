//! Tensors from nested arrays, vectors and iterators, and the macro `tensor!`.

use crate::device::{Cpu, CpuBuffer, Device};
use crate::element::Element;
use crate::order::Order;
use crate::rank::Rank;
use crate::tensor::Tensor;

/// Implements `From` for each depth of nesting, which is the rank.
macro_rules! nested_arrays {
    ($($rank:literal: $array:ty, [$($n:ident)*], |$a:ident, $index:ident| $element:expr;)*) => {$(
        impl<T: Element, $(const $n: usize,)* O: Order, Dev: Device + Default> From<$array>
            for Tensor<T, Rank<$rank>, O, Dev>
        {
            /// Returns a tensor with the elements of nested arrays. In both memory orders, `a[i][j]` becomes the element at `[i, j]`.
            ///
            /// # Panics
            /// If the allocation fails.
            fn from($a: $array) -> Self {
                Tensor::from_fn([$($n),*], |$index| $element)
            }
        }
    )*};
}
nested_arrays! {
    1: [T; A], [A], |a, i| a[i[0]];
    2: [[T; B]; A], [A B], |a, i| a[i[0]][i[1]];
    3: [[[T; C]; B]; A], [A B C], |a, i| a[i[0]][i[1]][i[2]];
    4: [[[[T; D]; C]; B]; A], [A B C D], |a, i| a[i[0]][i[1]][i[2]][i[3]];
    5: [[[[[T; E]; D]; C]; B]; A], [A B C D E], |a, i| a[i[0]][i[1]][i[2]][i[3]][i[4]];
    6: [[[[[[T; F]; E]; D]; C]; B]; A], [A B C D E F], |a, i| a[i[0]][i[1]][i[2]][i[3]][i[4]][i[5]];
    7: [[[[[[[T; G]; F]; E]; D]; C]; B]; A], [A B C D E F G], |a, i| a[i[0]][i[1]][i[2]][i[3]][i[4]][i[5]][i[6]];
    8: [[[[[[[[T; H]; G]; F]; E]; D]; C]; B]; A], [A B C D E F G H], |a, i| a[i[0]][i[1]][i[2]][i[3]][i[4]][i[5]][i[6]][i[7]];
}

impl<T: Element, O: Order> From<Vec<T>> for Tensor<T, Rank<1>, O> {
    /// Returns a tensor of rank 1 that takes ownership of the `Vec`'s buffer, without a copy.
    fn from(data: Vec<T>) -> Self {
        let len = data.len();
        Tensor::contiguous(CpuBuffer::from_vec(data), [len], Cpu)
    }
}

impl<T: Element, O: Order> FromIterator<T> for Tensor<T, Rank<1>, O> {
    /// Collects the elements into a tensor of rank 1.
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Vec::from_iter(elements).into()
    }
}

/// Returns a row-major tensor on the host from nested lists. Its rank is the depth of nesting, at most 8.
///
/// ```
/// use vierbein::{Rank, Tensor, tensor};
/// let x: Tensor<f64, Rank<2>> = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// assert_eq!(x.shape(), [2, 3]);
/// ```
///
/// For column-major, write `Tensor::<_, _, ColMajor>::from([[1.0, 2.0], [3.0, 4.0]])`.
#[macro_export]
macro_rules! tensor {
    ($($element:tt)*) => {
        $crate::Tensor::<_, _>::from([$($element)*])
    };
}
