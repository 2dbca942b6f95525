//! A value of any element type.

use crate::dispatch;
use crate::element::{DType, Element, c32, c64};
use core::any::Any;
use core::fmt;

macro_rules! scalars {
    ($($variant:ident $t:ty),*) => {
        /// A value of any element type: an element of a [`DynTensor`](super::DynTensor), or a scalar operand.
        ///
        /// ```
        /// use vierbein::{Complex, DType, DynScalar};
        /// let x = DynScalar::from(2.5);
        /// assert_eq!((x.dtype(), x.get::<f64>(), x.get::<f32>()), (DType::F64, Some(2.5), None));
        /// assert_eq!(DynScalar::from(Complex::new(1.0f32, -1.0)).to_string(), "1-1i");
        /// assert_eq!(i32::try_from(DynScalar::from(7))?, 7);
        /// # Ok::<(), vierbein::Error>(())
        /// ```
        #[derive(Clone, Copy, PartialEq)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        pub enum DynScalar {
            $($variant($t),)*
        }

        impl DynScalar {
            /// Creates a scalar from a value.
            #[must_use]
            pub fn of<T: Element>(value: T) -> DynScalar {
                let value = &value as &dyn Any;
                $(if let Some(&value) = value.downcast_ref::<$t>() {
                    return DynScalar::$variant(value);
                })*
                unreachable!("every element type has a branch")
            }

            /// Returns the value, or `None` if it is of another type.
            #[must_use]
            pub fn get<T: Element>(self) -> Option<T> {
                match self {
                    $(DynScalar::$variant(value) => (&value as &dyn Any).downcast_ref::<T>().copied(),)*
                }
            }

            /// Returns the element type of the value.
            #[must_use]
            pub fn dtype(self) -> DType {
                match self {
                    $(DynScalar::$variant(_) => <$t>::DTYPE,)*
                }
            }
        }

        $(
            impl From<$t> for DynScalar {
                fn from(value: $t) -> DynScalar {
                    DynScalar::$variant(value)
                }
            }

            impl TryFrom<DynScalar> for $t {
                type Error = crate::Error;
                fn try_from(scalar: DynScalar) -> Result<$t, crate::Error> {
                    scalar.get().ok_or_else(|| crate::Error::Downcast {
                        found: format!("the scalar {scalar} of {}", scalar.dtype()),
                        wanted: <$t>::DTYPE.name().into(),
                        reason: "the types differ; convert the tensor first with `.to_dtype(..)`".into(),
                    })
                }
            }
        )*

        impl fmt::Display for DynScalar {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(DynScalar::$variant(value) => fmt::Display::fmt(value, f),)*
                }
            }
        }
    };
}
scalars!(Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64, C32 c32, C64 c64);

impl fmt::Debug for DynScalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} {}", self.dtype())
    }
}

impl DynScalar {
    /// Returns zero (or `false`) of an element type.
    #[must_use]
    pub fn zero(dtype: DType) -> DynScalar {
        dispatch!(dtype, T => DynScalar::of(T::default()))
    }
}
