//! Assignment to existing tensors and views: `assign`, `fill`, and arithmetic in place.

use crate::device::BinaryOp;
use crate::dyn_tensor::operand::{DynOperand, value_of};
use crate::dyn_tensor::scalar::DynScalar;
use crate::dyn_tensor::storage::DynDataMut;
use crate::dyn_tensor::tensor::{DynTensor, DynViewMut};
use crate::dyn_tensor::typed::typed;
use crate::error::Error;
use crate::ops::op;

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
        let mut kept = None;
        let from = from.into().beside("assign", self.look(), &mut kept)?;
        typed!("assign", Element -> (), (mut x = self.view_mut(), from = from) => x.try_assign(&from))
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
    pub fn fill(&mut self, value: impl Into<DynScalar>) -> Result<(), Error> {
        typed!("fill", Element -> (), (mut x = self.view_mut(); value: DynScalar = value.into()) => {
            x.try_fill(value_of::<T>("fill", value)?)
        })
    }
}

macro_rules! in_place {
    ($($method:ident, $Op:ident, $symbol:literal;)*) => {$(
        #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
        pub(crate) fn $method(target: DynViewMut<'_>, right: DynOperand<'_>) -> Result<(), Error> {
            const NAME: &str = <op::$Op as BinaryOp<f64, f64>>::NAME;
            let mut kept = None;
            let right = right.beside(NAME, target.look(), &mut kept)?;
            typed!(NAME, Scalar -> (), (mut x = target, y = right) => x.try_apply2_inplace(op::$Op, &y))
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
