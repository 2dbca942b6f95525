//! Elementwise functions of two operands: arithmetic, comparison, logic.

use crate::device::BinaryOp;
use crate::device::op::binary::operation;
use crate::device::op::catalogue::{binary, verb};
use crate::dyn_tensor::operand::DynOperand;
use crate::dyn_tensor::storage::DynData;
use crate::dyn_tensor::tensor::{DynTensor, DynView};
use crate::dyn_tensor::typed::typed;
use crate::element::Scalar;
use crate::error::Error;
use crate::ops::op::IsClose;

impl<S: DynData> DynTensor<S> {
    /// Returns whether elements are equal or within a tolerance, element by element: see [`Tensor::is_close`](crate::Tensor::is_close).
    /// `right` is a tensor to broadcast with, or a scalar. The tolerances are rounded to the precision of the elements.
    ///
    /// # Errors
    /// * If the operands differ in element type, order or device.
    /// * If the shapes do not broadcast.
    /// * If the elements are `bool`.
    /// * If the device allocation fails.
    ///
    /// ```
    /// use vierbein::{DynTensor, tensor};
    /// let x = DynTensor::from(tensor![1.0, 2.0, f64::NAN]);
    /// let y = x.is_close(&DynTensor::from(tensor![1.0 + 1e-12, 2.1, f64::NAN]), 1e-9, 0.0)?;
    /// assert_eq!(y.downcast_ref()?, tensor![true, false, false]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn is_close<'b>(
        &self,
        right: impl Into<DynOperand<'b>>,
        relative: f64,
        absolute: f64,
    ) -> Result<DynTensor, Error> {
        const NAME: &str = <IsClose<f64> as BinaryOp<f64, f64>>::NAME;
        let mut kept = None;
        let right = right.into().beside(NAME, self.look(), &mut kept)?;
        typed!(NAME, Scalar, (x = self.look(), y = right; within: [f64; 2] = [relative, absolute]) => {
            let [relative, absolute] = within.map(<<T as Scalar>::Magnitude as Scalar>::from_f64);
            x.try_is_close(&y, relative, absolute)
        })
    }
}

macro_rules! operations {
    ($($Name:ident: $method:ident $(, $try_method:ident)? {
        doc: $doc:literal, $(alias: $alias:literal,)?
        $(symbol: $symbol:literal, operator: $Operator:ident,)?
        $(verb: $verb:literal,)?
        elements: $bound:ident, gives: $Output:ty, example: $left:literal, $right:literal => $expected:literal,
        $($computed:tt)*
    })*) => {
        /// A function of two elements as a value, for programs that choose the function at run time. For each variant, there is
        /// also a method of [`DynTensor`].
        ///
        /// ```
        /// use vierbein::dyn_tensor::Binary;
        /// use vierbein::{DynTensor, tensor};
        /// let x = DynTensor::from(tensor![1.0, 5.0]);
        /// assert_eq!(x.binary(Binary::Maximum, 3.0)?.downcast_ref()?, tensor![3.0, 5.0]);
        /// # Ok::<(), vierbein::Error>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Binary {
            $(#[doc = concat!($doc, ", element by element." $(, " Fallible variant of `a ", $symbol, " b`.")?)] $Name,)*
        }

        impl Binary {
            /// All functions of two elements.
            pub const ALL: &[Binary] = &[$(Binary::$Name),*];
        }

        $(
            #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
            pub(crate) fn $method(left: DynView<'_>, right: DynOperand<'_>) -> Result<DynTensor, Error> {
                const NAME: &str = verb!($method $($verb)?);
                let mut kept = None;
                let right = right.beside(NAME, left, &mut kept)?;
                typed!(NAME, $bound, (x = left, y = right) => x.try_apply2(operation!($Name $($Operator)?), &y))
            }

            impl<S: DynData> DynTensor<S> {
                #[doc = concat!($doc, ", element by element." $(, " Fallible variant of `a ", $symbol, " b`.")?)]
                ///
                /// `right` is a tensor to broadcast with, or a scalar.
                ///
                /// # Errors
                /// * If the operands differ in element type, order or device.
                /// * If the shapes do not broadcast.
                /// * If the operation does not support the element type.
                /// * If an integer is divided by zero, or an integer result overflows. Overflow of `+`, `-` and `*` is an error
                ///   only in builds with debug assertions.
                /// * If the device allocation fails.
                ///
                /// ```
                /// use vierbein::{DynTensor, tensor};
                #[doc = concat!("let x = DynTensor::from(tensor!", $left, ");")]
                #[doc = concat!("let y = x.", stringify!($method), "(", $right, ")?;")]
                #[doc = concat!("assert_eq!(y.downcast_ref()?, tensor!", $expected, ");")]
                /// # Ok::<(), vierbein::Error>(())
                /// ```
                $(#[doc(alias = $alias)])?
                pub fn $method<'b>(&self, right: impl Into<DynOperand<'b>>) -> Result<DynTensor, Error> {
                    $method(self.look(), right.into())
                }
            }
        )*

        impl<S: DynData> DynTensor<S> {
            /// Applies a function of two elements that is chosen at run time.
            ///
            /// # Errors
            /// Those of the method with the function's name.
            pub fn binary<'b>(&self, op: Binary, right: impl Into<DynOperand<'b>>) -> Result<DynTensor, Error> {
                let (left, right) = (self.look(), right.into());
                match op {
                    $(Binary::$Name => $method(left, right),)*
                }
            }
        }
    };
}
// `binary!`, in `device/op/catalogue/binary.rs`, calls `operations!` with one row for each function.
binary!(operations);
