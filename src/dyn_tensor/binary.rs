//! Functions of two elements: arithmetic, comparison, logic.

use super::operand::{
    DynOperand, agree, broadcast, device_of, elements, lacking, made, needs, on_device, scalar_for,
};
use super::storage::DynData;
use super::tensor::{DynTensor, DynView};
use crate::device::{BinaryOp, Elementwise};
use crate::dispatch;
use crate::element::Element;
use crate::engine::{elementwise, same_instance};
use crate::error::Error;
use crate::ops::op;
use crate::order::MemoryOrder;
use crate::rank::{MAX_RANK, Rank};

/// A new tensor of `op(left, right)`, with broadcasting. The operands were found to be of `T`, on `Dev` and of this order.
fn compute<T: Element, Dev: Elementwise<T>, F: BinaryOp<T, T>>(
    op: F,
    left: DynView<'_>,
    right: DynView<'_>,
    order: MemoryOrder,
) -> Result<DynTensor, Error> {
    let device = device_of::<Dev>(&left);
    same_instance(F::NAME, device, device_of(&right))?;
    let layout = broadcast(F::NAME, left.shape(), right.shape(), order)?;
    let (a, b) = (elements::<T, Dev>(&left), elements::<T, Dev>(&right));
    made(device, layout, order, |out| {
        elementwise::binary::<Rank<MAX_RANK>, _, _, _, _>(&op, order.is_row_major(), device, out, a, b)
    })
}

macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        $Name:ident, $method:ident, $Op:ident, $bound:ident [$sample:ty] $need:ident, $left:literal, $right:literal, $expected:literal;
    )*) => {
        /// A function of two elements, as a value: for programs that learn it at run time. Each is a method, too.
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
            $($(#[$doc])* $Name,)*
        }

        impl Binary {
            /// All of them.
            pub const ALL: &[Binary] = &[$(Binary::$Name),*];
        }

        $(
            // Kernels for all element types: compiled where it is used, unless the feature says otherwise.
            #[cfg_attr(not(feature = "precompiled-dyn"), inline)]
            pub(super) fn $method(left: DynView<'_>, right: DynOperand<'_>) -> Result<DynTensor, Error> {
                const NAME: &str = <op::$Op as BinaryOp<$sample, $sample>>::NAME;
                let scalar;
                let right = match right {
                    DynOperand::OfTensor(right) => right,
                    DynOperand::OfScalar(value) => {
                        scalar = scalar_for(NAME, left, value)?;
                        scalar.look()
                    }
                };
                let order = agree(NAME, left, right)?;
                on_device!(NAME, left, Dev => dispatch!(
                    left.dtype(),
                    T: $bound => compute::<T, Dev, _>(op::$Op, left, right, order),
                    else => Err(lacking(NAME, left.dtype(), needs::$need))
                ))
            }

            impl<S: DynData> DynTensor<S> {
                $(#[$doc])*
                ///
                /// `right` is a tensor to broadcast with, or a scalar.
                ///
                /// # Errors
                /// Where the operands differ in element type, order or device, the shapes do not broadcast, elements of this type
                /// do not have the operation, or the device has no memory left.
                ///
                /// ```
                /// use vierbein::{DynTensor, tensor};
                #[doc = concat!("let x = DynTensor::from(tensor!", $left, ");")]
                #[doc = concat!("assert_eq!(x.", stringify!($method), "(", $right, ")?.downcast_ref()?, tensor!", $expected, ");")]
                /// # Ok::<(), vierbein::Error>(())
                /// ```
                pub fn $method<'b>(&self, right: impl Into<DynOperand<'b>>) -> Result<DynTensor, Error> {
                    $method(self.look(), right.into())
                }
            }
        )*

        impl<S: DynData> DynTensor<S> {
            /// A function of two elements that is known at run time only.
            ///
            /// # Errors
            /// As the method of its name.
            pub fn binary<'b>(&self, op: Binary, right: impl Into<DynOperand<'b>>) -> Result<DynTensor, Error> {
                let (left, right) = (self.look(), right.into());
                match op {
                    $(Binary::$Name => $method(left, right),)*
                }
            }
        }
    };
}
operations! {
    /// The sum, element by element: `a + b` with a `Result`.
    Add, try_add, Add, Scalar [f64] NUMBERS, "[7, 5]", "&tensor![2, 5]", "[9, 10]";
    /// The difference, element by element: `a - b` with a `Result`.
    Sub, try_sub, Sub, Scalar [f64] NUMBERS, "[7, 5]", "&tensor![2, 5]", "[5, 0]";
    /// The product, element by element: `a * b` with a `Result`.
    Mul, try_mul, Mul, Scalar [f64] NUMBERS, "[7, 5]", "2", "[14, 10]";
    /// The quotient, element by element: `a / b` with a `Result`.
    Div, try_div, Div, Scalar [f64] NUMBERS, "[7, 5]", "2", "[3, 2]";
    /// The remainder, element by element: `a % b` with a `Result`.
    Rem, try_rem, Rem, Scalar [f64] NUMBERS, "[7, 5]", "&tensor![2, 5]", "[1, 0]";
    /// The larger of two, element by element; NaN if one is NaN.
    Maximum, maximum, Maximum, RealScalar [f64] ORDER, "[1, 5]", "&tensor![3, 2]", "[3, 5]";
    /// The smaller of two, element by element; NaN if one is NaN.
    Minimum, minimum, Minimum, RealScalar [f64] ORDER, "[1, 5]", "2", "[1, 2]";
    /// The angle in radians of the point (right, self), in (−π, π], element by element.
    Atan2, atan2, Atan2, RealFloat [f64] FLOATS, "[0.0, 0.0]", "&tensor![1.0, 2.0]", "[0.0, 0.0]";
    /// `√(self² + right²)` without overflow in between, element by element.
    Hypot, hypot, Hypot, RealFloat [f64] FLOATS, "[3.0, 5.0]", "&tensor![4.0, 12.0]", "[5.0, 13.0]";
    /// Where `self == right`, element by element.
    Equal, equal, Equal, Element [f64] NUMBERS, "[1, 2, 3]", "2", "[false, true, false]";
    /// Where `self != right`, element by element.
    NotEqual, not_equal, NotEqual, Element [f64] NUMBERS, "[1, 2, 3]", "2", "[true, false, true]";
    /// Where `self < right`, element by element.
    Less, less, Less, RealScalar [f64] ORDER, "[1, 2, 3]", "2", "[true, false, false]";
    /// Where `self <= right`, element by element.
    LessEqual, less_equal, LessEqual, RealScalar [f64] ORDER, "[1, 2, 3]", "2", "[true, true, false]";
    /// Where `self > right`, element by element.
    Greater, greater, Greater, RealScalar [f64] ORDER, "[1, 2, 3]", "2", "[false, false, true]";
    /// Where `self >= right`, element by element.
    GreaterEqual, greater_equal, GreaterEqual, RealScalar [f64] ORDER, "[1, 2, 3]", "2", "[false, true, true]";
    /// `a & b` with a `Result`: bit by bit, of masks a logical *and*.
    And, try_and, BitAnd, Bits [u8] BITS, "[6, 5]", "3", "[2, 1]";
    /// `a | b` with a `Result`: bit by bit, of masks a logical *or*.
    Or, try_or, BitOr, Bits [u8] BITS, "[6, 5]", "3", "[7, 7]";
    /// `a ^ b` with a `Result`: bit by bit.
    Xor, try_xor, BitXor, Bits [u8] BITS, "[6, 5]", "3", "[5, 6]";
}
