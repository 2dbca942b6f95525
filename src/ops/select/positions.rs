//! Positions: lists or tensors of indices along an axis, the arguments of `take` and similar methods.

use crate::device::{Device, positions};
use crate::error::Error;
use crate::order::Order;
use crate::rank::{Dim, Rank};
use crate::storage::{LentData, Storage, View};
use crate::tensor::{Tensor, TensorView};

/// The type of a position in a slice, an array or a `Vec`: an integer type.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a position", label = "expected an integer")]
pub trait PositionNumber: Copy {
    /// Returns the position as an `i64`. Values that exceed `i64` become `i64::MAX`, which is out of range for every tensor.
    fn position(self) -> i64;
    /// Whether [`as_i64`](PositionNumber::as_i64) returns negative numbers for positions that exceed `i64`.
    #[doc(hidden)]
    const UNSIGNED: bool = false;
    /// Returns the list as a slice of `i64` with the same bits, or `None` if the positions must be converted one by one.
    #[doc(hidden)]
    fn as_i64(_list: &[Self]) -> Option<&[i64]> {
        None
    }
}

macro_rules! position_numbers {
    ($($t:ty: $unsigned:literal, |$list:ident| $as_i64:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl PositionNumber for $t {
            #[inline]
            fn position(self) -> i64 {
                i64::try_from(self).unwrap_or(i64::MAX)
            }
            const UNSIGNED: bool = $unsigned;
            #[inline]
            fn as_i64($list: &[Self]) -> Option<&[i64]> {
                $as_i64
            }
        }
    )*};
}
position_numbers! {
    i64: false, |list| Some(list);
    isize: false, |list| positions::isize_as_i64(list);
    usize: true, |list| positions::usize_as_i64(list);
    i32: false, |_list| None;
    u32: false, |_list| None;
    i16: false, |_list| None;
    u16: false, |_list| None;
    i8: false, |_list| None;
    u8: false, |_list| None;
    u64: false, |_list| None;
}

/// Indices along an axis, for [`take`](Tensor::take) and similar methods. They are a tensor of `i64` of any rank (owned, borrowed or a
/// view), or a slice, an array or a `Vec` of [`PositionNumber`]s, which stands for a vector. Negative positions count from the end.
///
/// [`argmax_axis`](Tensor::argmax_axis) and [`argsort`](Tensor::argsort), for example, return tensors of `i64`. A tensor is used without a
/// copy. On the host, slices, arrays and `Vec`s of `i64` are not copied either; on 64-bit processors, the same holds for `usize` and
/// `isize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold positions for a `{O}` tensor on `{Dev}`",
    label = "expected a tensor of `i64`, or a slice, array or `Vec` of integers",
    note = "convert tensors with `.cast::<i64>()`, orders with `.to_order::<{O}>()`, devices with `.to_device::<{Dev}>()?`",
    note = "elements of arrays may be integers of any type; one position is `Tensor::scalar(2_i64)`"
)]
pub trait Positions<O: Order, Dev: Device> {
    /// The rank of the tensor of positions.
    type Dim: Dim;
    #[doc(hidden)]
    type Data<'a>: Storage<i64, Dev>
    where
        Self: 'a;
    /// Returns the positions as a tensor: a view of a tensor, or a new tensor on the device.
    #[doc(hidden)]
    fn positions(&self, device: &Dev) -> Result<Tensor<i64, Self::Dim, O, Dev, Self::Data<'_>>, Error>;
    /// Variant of [`positions`](Positions::positions) that may return positions of type `usize` as numbers of type `i64` with the same
    /// bits. The second value is then `true`, and each negative number stands for a position that exceeds `i64`. The caller must reject
    /// these numbers. Without a conversion, there is one pass less over the positions.
    #[doc(hidden)]
    #[allow(clippy::type_complexity)]
    fn bits(&self, device: &Dev) -> Result<(Tensor<i64, Self::Dim, O, Dev, Self::Data<'_>>, bool), Error> {
        Ok((self.positions(device)?, false))
    }
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
pub(crate) fn upload<D: Dim, O: Order, Dev: Device>(
    shape: D::Shape,
    numbers: impl Iterator<Item = i64>,
    device: &Dev,
) -> Result<Tensor<i64, D, O, Dev>, Error> {
    let buffer = positions::upload(shape.as_ref().iter().product(), numbers, device)?;
    Ok(Tensor::contiguous(buffer, shape, device.clone()))
}

/// A list of positions as a vector: borrowed, or copied to the device.
type Listed<'a, O, Dev> = Tensor<i64, Rank<1>, O, Dev, LentData<'a, i64, Dev>>;

/// Returns the positions of a list as a vector, without a copy if possible.
fn listed<'a, I: PositionNumber, O: Order, Dev: Device>(
    list: &'a [I],
    device: &Dev,
) -> Result<Listed<'a, O, Dev>, Error> {
    let (bits, unsigned) = bits_of(list, device)?;
    if unsigned && !list.iter().all(|k| k.position() < i64::MAX) {
        return Ok(upload([list.len()], list.iter().map(|k| k.position()), device)?.into_copied());
    }
    Ok(bits)
}

/// Implements [`Positions::bits`] for a list.
fn bits_of<'a, I: PositionNumber, O: Order, Dev: Device>(
    list: &'a [I],
    device: &Dev,
) -> Result<(Listed<'a, O, Dev>, bool), Error> {
    match I::as_i64(list).and_then(|list| Tensor::of_lent(list, device)) {
        Some(lent) => Ok((lent, I::UNSIGNED)),
        None => Ok((upload([list.len()], list.iter().map(|k| k.position()), device)?.into_copied(), false)),
    }
}

macro_rules! lists {
    ($([$($generics:tt)*] $List:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<I: PositionNumber, O: Order, Dev: Device, $($generics)*> Positions<O, Dev> for $List {
            type Dim = Rank<1>;
            type Data<'a>
                = LentData<'a, i64, Dev>
            where
                Self: 'a;
            fn positions(
                &self,
                device: &Dev,
            ) -> Result<Tensor<i64, Rank<1>, O, Dev, LentData<'_, i64, Dev>>, Error> {
                listed(&self[..], device)
            }
            fn bits(&self, device: &Dev) -> Result<(Listed<'_, O, Dev>, bool), Error> {
                bits_of(&self[..], device)
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
