//! Functions of two elements, as methods of tensors. Module [`op`](crate::device::op) has them as values.

use super::operands::Operands;
use crate::device::op::binary::*;
use crate::device::op::catalogue::binary;
use crate::device::{Device, Elementwise};
use crate::element::{Bits, Element, Integer, RealFloat, RealScalar, Scalar};
use crate::error::{Error, fallible};
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;

macro_rules! methods {
    ($($Name:ident: $method:ident $(, $try_method:ident)? {
        doc: $doc:literal, $(alias: $alias:literal,)?
        $(symbol: $symbol:literal, operator: $Operator:ident,)?
        $(verb: $verb:literal,)?
        elements: $bound:ident, gives: $Output:ty, example: $left:literal, $right:literal => $expected:literal,
        $($computed:tt)*
    })*) => {$(
        impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
            methods! {
                @$method $($try_method)? { $($symbol, $Operator)? } [$($alias)?]
                $Name, $doc, $bound, $Output, $left, $right, $expected, methods!(@accuracy $($computed)*)
            }
        }
    )*};
    (@accuracy pair_function: $($rest:tt)*) => {
        " On processors with FMA, the error is below one unit in the last place (1.2 for powers of `f64`). For powers of complex numbers, see \
         [`powf`](Tensor::powf). Without FMA, the C library computes the function: see [`Cpu`](crate::Cpu#results)."
    };
    (@accuracy $($rest:tt)*) => { "" };
    // Defines the methods of a function or a comparison, such as `hypot` or `lt`.
    (@$method:ident $try_method:ident {} [$($alias:literal)?]
        $Name:ident, $doc:literal, $bound:ident, $Output:ty, $left:literal, $right:literal, $expected:literal, $accuracy:expr
    ) => {
        #[doc = concat!($doc, ", element by element; `right` is a tensor to broadcast with, or a scalar.")]
        #[doc = $accuracy]
        ///
        /// # Errors
        /// If the shapes do not broadcast, or the allocation fails.
        ///
        /// ```
        /// use vierbein::tensor;
        #[doc = concat!("let result = tensor!", $left, ".", stringify!($method), "(", $right, ");")]
        #[doc = concat!("assert_eq!(result, tensor!", $expected, ");")]
        /// ```
        $(#[doc(alias = $alias)])?
        #[fallible]
        pub fn $method<R: Operands<T, D, O, Dev>>(&self, right: R) -> Tensor<$Output, R::Common, O, Dev>
        where
            T: $bound,
            Dev: Elementwise<T>,
        {
            right.combine($Name, self)
        }
    };
    // Defines the method of an operator, such as `try_add`. The module `arithmetic` implements the operator itself.
    (@$method:ident { $symbol:literal, $Operator:ident } []
        $Name:ident, $doc:literal, $bound:ident, $Output:ty, $left:literal, $right:literal, $expected:literal, $accuracy:expr
    ) => {
        #[doc = concat!($doc, ", element by element. Fallible variant of `self ", $symbol, " right`;")]
        /// `right` is a tensor to broadcast with, or a scalar.
        ///
        /// # Errors
        /// * If the shapes do not broadcast, or the allocation fails.
        /// * If an integer is divided by zero, or an integer result overflows. For `+ - *`, overflow is an error only in builds with debug
        ///   assertions.
        ///
        /// ```
        /// use vierbein::tensor;
        #[doc = concat!("let result = tensor!", $left, ".", stringify!($method), "(", $right, ")?;")]
        #[doc = concat!("assert_eq!(result, tensor!", $expected, ");")]
        /// # Ok::<(), vierbein::Error>(())
        /// ```
        pub fn $method<R: Operands<T, D, O, Dev>>(
            &self,
            right: R,
        ) -> Result<Tensor<$Output, R::Common, O, Dev>, Error>
        where
            T: $bound,
            Dev: Elementwise<T>,
        {
            right.combine(crate::device::op::binary::$Operator, self)
        }
    };
}
// Calls the macro `methods` with the list of all functions, which is in `catalogue/binary.rs`.
binary!(methods);
