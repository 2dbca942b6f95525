//! Assignment to existing tensors and views: `assign`, `fill`, and arithmetic in place.

use crate::device::{BinaryOp, Copy, Device, Elementwise, Operand, Output};
use crate::dispatch;
use crate::dyn_tensor::operand::{
    DynOperand, agree, device_of, elements, lacking, needs, on_device, output_of, scalar_for,
};
use crate::dyn_tensor::storage::DynDataMut;
use crate::dyn_tensor::tensor::{DynTensor, DynView, DynViewMut};
use crate::element::Element;
use crate::engine::{elementwise, same_instance};
use crate::error::Error;
use crate::ops::op;
use crate::rank::AnyRank;

/// Checks that `target` and `from` agree. Returns `true` if missing axes of `from` are added as leading axes, as in row-major order, and
/// `false` if as trailing ones, as in column-major order. The memory order of `target` determines this. If `target` has rank 0 or 1,
/// the memory order of `from` does, because for these ranks both orders are the same.
fn row_major(op: &'static str, target: &DynView<'_>, from: &DynView<'_>) -> Result<bool, Error> {
    agree(op, *target, *from)?;
    Ok(if target.rank() < 2 { from.order() } else { target.order() }.is_row_major())
}

/// Broadcasts `from` to the shape of `target`, and calls the argument `write` with `target` as an [`Output`] and the broadcast
/// operand. Both tensors must have element type `T` and be on `Dev`.
fn write<T: Element, Dev: Device>(
    op: &'static str,
    mut target: DynViewMut<'_>,
    from: DynView<'_>,
    row_major: bool,
    write: impl FnOnce(&Dev, Output<'_, T, Dev>, Operand<'_, T, Dev>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (out, device) = output_of::<T, Dev>(&mut target);
    let shape = out.axes().shape();
    elementwise::repeated::<AnyRank, _, _>(op, row_major, shape, elements::<T, Dev>(&from), |from_repeated| {
        same_instance(op, &device, device_of(&from))?;
        write(&device, out, from_repeated)
    })
}

/// Computes `target = op(target, from)`, with `from` broadcast to the shape of `target`.
fn update<T: Element, Dev: Elementwise<T>, F: BinaryOp<T, T, Output = T>>(
    op: F,
    target: DynViewMut<'_>,
    from: DynView<'_>,
    row_major: bool,
) -> Result<(), Error> {
    write::<T, Dev>(F::NAME, target, from, row_major, |device, out, from| {
        device.update::<(T, T), _>(&op, out, (from,))
    })
}

/// Computes `target = from`, with `from` broadcast to the shape of `target`.
fn overwrite<T: Element, Dev: Copy<T>>(
    op: &'static str,
    target: DynViewMut<'_>,
    from: DynView<'_>,
    row_major: bool,
) -> Result<(), Error> {
    write::<T, Dev>(op, target, from, row_major, |device, out, from| device.copy(out, from))
}

#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
fn assign(op: &'static str, target: DynViewMut<'_>, from: DynOperand<'_>) -> Result<(), Error> {
    let scalar;
    let from = match from {
        DynOperand::OfTensor(from) => from,
        DynOperand::OfScalar(value) => {
            scalar = scalar_for(op, target.look(), value)?;
            scalar.look()
        }
    };
    let row_major = row_major(op, &target.look(), &from)?;
    on_device!(op, from, Dev => dispatch!(from.dtype(), T => overwrite::<T, Dev>(op, target, from, row_major)))
}

impl<S: DynDataMut> DynTensor<S> {
    /// Overwrites the elements with those of `from`, which is broadcast to the shape of `self`.
    ///
    /// # Errors
    /// In each of these cases, `self` is unchanged:
    ///
    /// * `self` and `from` differ in element type, memory order or device.
    /// * `from` does not broadcast to the shape of `self`.
    /// * Dynamic tensors do not compute on the device.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let mut x = DynTensor::from(tensor![[1, 2], [3, 4]]);
    /// x.index_axis_mut(1, 0)?.assign(&tensor![7, 8])?;
    /// assert_eq!(x.downcast_ref()?, tensor![[7, 2], [8, 4]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn assign<'b>(&mut self, from: impl Into<DynOperand<'b>>) -> Result<(), Error> {
        assign("assign", self.view_mut(), from.into())
    }

    /// Overwrites every element with one value.
    ///
    /// # Errors
    /// If the value is not of the element type, if dynamic tensors do not compute on the device, or if the device reports an error.
    ///
    /// ```
    /// use vierbein::{DynTensor, s, tensor};
    /// let mut x = DynTensor::from(tensor![1, 2, 3, 4]);
    /// x.slice_mut(s![..;2])?.fill(0)?;
    /// assert_eq!(x.downcast_ref()?, tensor![0, 2, 0, 4]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn fill(&mut self, value: impl Into<crate::dyn_tensor::DynScalar>) -> Result<(), Error> {
        assign("fill", self.view_mut(), DynOperand::OfScalar(value.into()))
    }
}

macro_rules! in_place {
    ($($method:ident, $Op:ident, $symbol:literal;)*) => {$(
        // This function instantiates kernels for all element types. With `inline`, the calling crate compiles them; with the feature
        // `precompiled-dyn`, this crate does.
        #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
        pub(crate) fn $method(target: DynViewMut<'_>, right: DynOperand<'_>) -> Result<(), Error> {
            const NAME: &str = <op::$Op as BinaryOp<f64, f64>>::NAME;
            let scalar;
            let right = match right {
                DynOperand::OfTensor(right) => right,
                DynOperand::OfScalar(value) => {
                    scalar = scalar_for(NAME, target.look(), value)?;
                    scalar.look()
                }
            };
            let row_major = row_major(NAME, &target.look(), &right)?;
            on_device!(NAME, right, Dev => dispatch!(
                right.dtype(),
                T: Scalar => update::<T, Dev, _>(op::$Op, target, right, row_major),
                else => Err(lacking(NAME, right.dtype(), needs::NUMBERS))
            ))
        }

        impl<S: DynDataMut> DynTensor<S> {
            #[doc = concat!("Fallible variant of `self ", $symbol, "= right`; `right` is a tensor, which broadcasts to the shape of `self`, or a scalar.")]
            ///
            /// # Errors
            /// * If the operands differ in element type, order or device.
            /// * If `right` does not broadcast to the shape of `self`.
            /// * If an integer is divided by zero, or an integer result overflows. Overflow of `+`, `-` and `*` is an error only in
            ///   builds with debug assertions.
            ///
            /// In these cases, `self` is unchanged.
            ///
            /// ```
            /// use vierbein::{DynTensor, tensor};
            /// let mut x = DynTensor::from(tensor![7, 5]);
            #[doc = concat!("x.", stringify!($method), "(&tensor![2, 5])?;")]
            #[doc = concat!("assert_eq!(x.downcast_ref()?, tensor![7 ", $symbol, " 2, 5 ", $symbol, " 5]);")]
            /// # Ok::<(), vierbein::Error>(())
            /// ```
            pub fn $method<'b>(&mut self, right: impl Into<DynOperand<'b>>) -> Result<(), Error> {
                $method(self.view_mut(), right.into())
            }
        }
    )*};
}
in_place! {
    try_add_assign, Add, "+";
    try_sub_assign, Sub, "-";
    try_mul_assign, Mul, "*";
    try_div_assign, Div, "/";
    try_rem_assign, Rem, "%";
}
