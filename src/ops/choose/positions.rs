//! Positions: indices along an axis as data.

use crate::device::Device;
use crate::error::Error;
use crate::order::Order;
use crate::rank::{Dim, Rank};
use crate::storage::{OwnedData, Storage, View};
use crate::tensor::{Tensor, TensorView};

/// The type of a position in a slice or an array: `i64`, `i32`, `u32`, `usize` or `isize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a position",
    label = "expected `i64`, `i32`, `u32`, `usize` or `isize`",
    note = "convert other integers with `k as i64`"
)]
pub trait PositionNumber: Copy {
    /// Returns the position as an `i64`. Values that exceed `i64` become `i64::MAX`, which is out of range for every tensor.
    fn position(self) -> i64;
}

macro_rules! position_numbers {
    ($($t:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl PositionNumber for $t {
            #[inline]
            fn position(self) -> i64 {
                i64::try_from(self).unwrap_or(i64::MAX)
            }
        }
    )*};
}
position_numbers!(i64 i32 u32 usize isize);

/// Indices along an axis as data, for [`take`](Tensor::take) and its relatives: a tensor of `i64` of any rank, owned, borrowed or a view,
/// or a vector of positions as a slice, an array or a `Vec` of [`PositionNumber`]s. Negative positions count from the end.
///
/// Tensors of `i64` are what [`argmax_axis`](Tensor::argmax_axis) and [`nonzero`](Tensor::nonzero) return. They are used without a copy.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold positions for a `{O}` tensor on `{Dev}`",
    label = "expected a tensor of `i64`, or a slice, array or `Vec` of integers",
    note = "convert tensors with `.cast::<i64>()`, orders with `.to_order::<{O}>()`, devices with `.to_device::<{Dev}>()?`",
    note = "elements of arrays may be `i64`, `i32`, `u32`, `usize` or `isize`; one position is `Tensor::scalar(2_i64)`"
)]
pub trait Positions<O: Order, Dev: Device> {
    /// The rank of the positions.
    type Dim: Dim;
    #[doc(hidden)]
    type Data<'a>: Storage<i64, Dev>
    where
        Self: 'a;
    /// Returns the positions as a tensor: a view of a tensor, or a new tensor on the device.
    #[doc(hidden)]
    fn positions(&self, device: &Dev) -> Result<Tensor<i64, Self::Dim, O, Dev, Self::Data<'_>>, Error>;
}

#[diagnostic::do_not_recommend]
impl<E: Dim, O: Order, Dev: Device, S: Storage<i64, Dev>> Positions<O, Dev> for Tensor<i64, E, O, Dev, S> {
    type Dim = E;
    type Data<'a>
        = View<'a, i64, Dev>
    where
        Self: 'a;
    fn positions(&self, _: &Dev) -> Result<TensorView<'_, i64, E, O, Dev>, Error> {
        Ok(self.agree())
    }
}

#[diagnostic::do_not_recommend]
impl<E: Dim, O: Order, Dev: Device, S: Storage<i64, Dev>> Positions<O, Dev> for &Tensor<i64, E, O, Dev, S> {
    type Dim = E;
    type Data<'a>
        = View<'a, i64, Dev>
    where
        Self: 'a;
    fn positions(&self, _: &Dev) -> Result<TensorView<'_, i64, E, O, Dev>, Error> {
        Ok(self.agree())
    }
}

/// Copies numbers to a new tensor on the device.
pub(super) fn upload<D: Dim, O: Order, Dev: Device>(
    shape: D::Shape,
    numbers: impl Iterator<Item = i64>,
    device: &Dev,
) -> Result<Tensor<i64, D, O, Dev>, Error> {
    let mut data = crate::device::via_host::zeros(shape.as_ref().iter().product())?;
    data.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
    let OwnedData { buffer, device } = OwnedData::of_vec(data, device)?;
    Ok(Tensor::contiguous(buffer, shape, device))
}

macro_rules! lists {
    ($([$($generics:tt)*] $List:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<I: PositionNumber, O: Order, Dev: Device, $($generics)*> Positions<O, Dev> for $List {
            type Dim = Rank<1>;
            type Data<'a>
                = OwnedData<i64, Dev>
            where
                Self: 'a;
            fn positions(&self, device: &Dev) -> Result<Tensor<i64, Rank<1>, O, Dev>, Error> {
                upload([self.len()], self.iter().map(|k| k.position()), device)
            }
        }
    )*};
}
lists! {
    [] &[I];
    [] Vec<I>;
    [] &Vec<I>;
    [const N: usize] [I; N];
    [const N: usize] &[I; N];
}
