//! Calls of the methods of typed tensors: the dispatch on device, element type and memory order.
//!
//! A [`DynTensor`] is a [`Tensor`] of [`AnyRank`] whose other types are values. Its methods call those of `Tensor`, by [`typed!`].

use super::operand::{lacking, leading};
use super::storage;
use super::tensor::{DynTensor, DynView, DynViewMut};
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::order::Order;
use crate::rank::{AnyRank, Dim, IndexNumber, Rank};
use crate::tensor::{Tensor, TensorView, TensorViewMut};

/// The panic message if a downcast fails although the dispatch has found the types.
const FOUND: &str = "the element type and the device were found to be these";

impl<'a> DynView<'a> {
    /// Returns the typed view of a view whose element type and device are known to be these.
    #[inline]
    pub(super) fn typed<T: Element, O: Order, Dev: Device>(&self) -> TensorView<'a, T, AnyRank, O, Dev> {
        Tensor::of_data(storage::typed(*self.storage()).expect(FOUND), self.layout())
    }
}

impl<'a> DynViewMut<'a> {
    /// Returns the typed view of a mutable view whose element type and device are known to be these.
    pub(super) fn typed<T: Element, O: Order, Dev: Device>(self) -> TensorViewMut<'a, T, AnyRank, O, Dev> {
        let layout = *self.layout();
        Tensor::of_data_mut(storage::typed_mut(self.into_storage()).expect(FOUND), &layout)
    }
}

/// The result of a typed method, whose types become values.
pub(super) trait Erase {
    type Erased;
    fn erase(self) -> Self::Erased;
}

impl Erase for () {
    type Erased = ();
    fn erase(self) {}
}
impl Erase for DynTensor {
    type Erased = DynTensor;
    fn erase(self) -> DynTensor {
        self
    }
}
impl<T: Element, D: Dim, O: Order, Dev: Device> Erase for Tensor<T, D, O, Dev> {
    type Erased = DynTensor;
    fn erase(self) -> DynTensor {
        self.into()
    }
}
impl<A: Erase, B: Erase> Erase for (A, B) {
    type Erased = (A::Erased, B::Erased);
    fn erase(self) -> Self::Erased {
        (self.0.erase(), self.1.erase())
    }
}
impl<A: Erase, B: Erase, C: Erase> Erase for (A, B, C) {
    type Erased = (A::Erased, B::Erased, C::Erased);
    fn erase(self) -> Self::Erased {
        (self.0.erase(), self.1.erase(), self.2.erase())
    }
}
impl<A: Erase, B: Erase, C: Erase, D: Erase> Erase for (A, B, C, D) {
    type Erased = (A::Erased, B::Erased, C::Erased, D::Erased);
    fn erase(self) -> Self::Erased {
        (self.0.erase(), self.1.erase(), self.2.erase(), self.3.erase())
    }
}

/// Calls a function and erases the types of its result.
// Never inlined. Otherwise, the compiler would inline the calls for all element types into the function that selects one of them, which takes
// minutes.
#[inline(never)]
pub(super) fn erased<R: Erase>(call: impl FnOnce() -> Result<R, Error>) -> Result<R::Erased, Error> {
    call().map(Erase::erase)
}

/// Checks that an operand has the element type `U`, which an operation requires, and agrees with `leading` in memory order and device
/// type. Returns the operand that determines the common order, as [`leading`](super::operand::leading) does.
pub(super) fn agree_but<'r, 'a, U: Element>(
    op: &'static str,
    before: &'r DynView<'a>,
    x: &'r DynView<'a>,
    reason: &'static str,
) -> Result<&'r DynView<'a>, Error> {
    if x.dtype() != U::DTYPE {
        return Err(lacking(op, x.dtype(), reason));
    }
    leading(op, before, x)
}

/// Returns axes, indices or counts of any integer type as a list.
pub(super) fn numbers(list: &[impl IndexNumber]) -> Vec<isize> {
    list.iter().map(|number| number.number()).collect()
}

/// Returns an operand of rank 1, which `name` describes in errors.
pub(super) fn vector<'a, T: Element, O: Order, Dev: Device>(
    op: &'static str,
    name: &str,
    x: TensorView<'a, T, AnyRank, O, Dev>,
) -> Result<TensorView<'a, T, Rank<1>, O, Dev>, Error> {
    x.try_into_rank().map_err(|error| {
        let shape = error.into_inner().shape();
        let reason = format!("expected {name} as a vector, found a tensor of shape {shape:?}");
        Error::UnsupportedRank { op, reason }
    })
}

/// Calls a method of typed tensors, with `T`, `O` and `Dev` as the types of dynamic operands, and returns its result with erased types.
///
/// ```text
/// typed!(NAME, Bound, (x = self.look(), y = right, mask as bool = mask; axis: isize = axis.number()) => x.try_method(&y, mask, axis))
/// ```
///
/// * `NAME` is the name of the operation in errors.
/// * The element type must implement the bound: see `for_elements!`. If several words describe it, they are in brackets.
/// * The operands before the semicolon are dynamic views outside of the macro, and typed views of [`AnyRank`] in the call. They must agree
///   in memory order and device, and in element type, unless it is given. `mut x` is a mutable view.
/// * `[parts] = views` instead of the operands is a list of at least one operand, which becomes a `Vec` of typed views.
/// * Further arguments follow the semicolon, with their types, which must not be generic.
/// * `-> Type` after the bound is the type of the erased result, if it is not `DynTensor`.
///
/// The dispatch is in a function that is not generic. It instantiates the method for all element types. With `inline`, the calling crate
/// compiles them; with the feature `precompiled-dyn`, this crate does.
macro_rules! typed {
    ($op:expr, $bound:ident $(-> $R:ty)?, $($rest:tt)*) => {
        typed!($op, [$bound] $(-> $R)?, $($rest)*)
    };
    (
        $op:expr, [$($bound:tt)*] $(-> $R:ty)?,
        (mut $x:ident = $view:expr $(, $y:ident $(as $Y:ident)? = $other:expr)* $(; $($arg:ident: $t:ty = $value:expr),*)?) => $body:expr
    ) => {{
        #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
        fn call(
            $x: $crate::dyn_tensor::DynViewMut<'_>
            $(, $y: &$crate::dyn_tensor::DynView<'_>)* $($(, $arg: $t)*)?
        ) -> Result<typed!(@result $($R)?), $crate::error::Error> {
            typed!(@call $op, [$($bound)*], $x, &$x.look(), [$($y $(as $Y)?),*], mut, $body)
        }
        call($view $(, &$other)* $($(, $value)*)?)
    }};
    (
        $op:expr, [$($bound:tt)*] $(-> $R:ty)?,
        ($x:ident = $view:expr $(, $y:ident $(as $Y:ident)? = $other:expr)* $(; $($arg:ident: $t:ty = $value:expr),*)?) => $body:expr
    ) => {{
        #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
        fn call(
            $x: &$crate::dyn_tensor::DynView<'_>
            $(, $y: &$crate::dyn_tensor::DynView<'_>)* $($(, $arg: $t)*)?
        ) -> Result<typed!(@result $($R)?), $crate::error::Error> {
            typed!(@call $op, [$($bound)*], $x, $x, [$($y $(as $Y)?),*], , $body)
        }
        call(&$view $(, &$other)* $($(, $value)*)?)
    }};
    (
        $op:expr, [$($bound:tt)*] $(-> $R:ty)?,
        ([$parts:ident] = $views:expr $(; $($arg:ident: $t:ty = $value:expr),*)?) => $body:expr
    ) => {{
        #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
        fn call(
            $parts: &[$crate::dyn_tensor::DynView<'_>] $($(, $arg: $t)*)?
        ) -> Result<typed!(@result $($R)?), $crate::error::Error> {
            let first = &$parts[0];
            let order = $crate::dyn_tensor::operand::agree_all($op, $parts)?.order();
            $crate::dyn_tensor::operand::on_device!($op, first, Dev => $crate::dyn_tensor::operand::for_elements!(
                [$($bound)*], $op, first.dtype(),
                T => match order {
                    $crate::MemoryOrder::RowMajor => typed!(@list $crate::RowMajor, $parts, $body),
                    $crate::MemoryOrder::ColMajor => typed!(@list $crate::ColMajor, $parts, $body),
                }
            ))
        }
        call($views $($(, $value)*)?)
    }};
    (@list $O:ty, $parts:ident, $body:expr) => {{
        #[allow(dead_code, reason = "few calls name the memory order")]
        type O = $O;
        $crate::dyn_tensor::typed::erased(move || {
            let $parts: Vec<_> = $parts.iter().map(|part| part.typed::<T, O, Dev>()).collect();
            $body
        })
    }};
    (@call $op:expr, [$($bound:tt)*], $x:ident, $look:expr, [$($y:ident $(as $Y:ident)?),*], $($mut:ident)?, $body:expr) => {{
        let leading = $look;
        $(let leading = typed!(@agree $op, $look, leading, $y $(as $Y)?)?;)*
        let order = leading.order();
        $crate::dyn_tensor::operand::on_device!($op, $x, Dev => $crate::dyn_tensor::operand::for_elements!(
            [$($bound)*], $op, $x.dtype(),
            T => match order {
                $crate::MemoryOrder::RowMajor => typed!(@typed $crate::RowMajor, $x, [$($y $(as $Y)?),*], $($mut)?, $body),
                $crate::MemoryOrder::ColMajor => typed!(@typed $crate::ColMajor, $x, [$($y $(as $Y)?),*], $($mut)?, $body),
            }
        ))
    }};
    (@typed $O:ty, $x:ident, [$($y:ident $(as $Y:ident)?),*], $($mut:ident)?, $body:expr) => {{
        #[allow(dead_code, reason = "few calls name the memory order")]
        type O = $O;
        $crate::dyn_tensor::typed::erased(move || {
            let $($mut)? $x = $x.typed::<T, O, Dev>();
            $(let $y = $y.typed::<typed!(@element $($Y)?), O, Dev>();)*
            $body
        })
    }};
    (@agree $op:expr, $x:expr, $leading:ident, $y:ident) => {
        $crate::dyn_tensor::operand::agree_with($op, $x, $leading, $y)
    };
    (@agree $op:expr, $x:expr, $leading:ident, $y:ident as bool) => {
        $crate::dyn_tensor::typed::agree_but::<bool>($op, $leading, $y, $crate::dyn_tensor::operand::needs::MASK)
    };
    (@agree $op:expr, $x:expr, $leading:ident, $y:ident as i64) => {
        $crate::dyn_tensor::typed::agree_but::<i64>($op, $leading, $y, $crate::dyn_tensor::operand::needs::POSITIONS)
    };
    (@agree $op:expr, $x:expr, $leading:ident, $y:ident as f64) => {
        $crate::dyn_tensor::typed::agree_but::<f64>($op, $leading, $y, $crate::dyn_tensor::operand::needs::WEIGHTS)
    };
    (@element) => { T };
    (@element $Y:ident) => { $Y };
    (@result) => { $crate::dyn_tensor::DynTensor };
    (@result $R:ty) => { $R };
}
pub(super) use typed;
