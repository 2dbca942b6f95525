//! [`dispatch!`](crate::dispatch!): calls generic code with the element type that a [`DType`](crate::DType) stands for.

#![forbid(unsafe_code)]

/// Evaluates an expression in which `T` is the element type that a [`DType`](crate::DType) stands for. With this macro, programs call
/// generic code with an element type that is known at run time only.
///
/// The expression is compiled once for each element type. If it needs another bound than [`Element`](crate::Element), name the bound,
/// and give an expression for the other element types:
///
/// | form | element types |
/// |---|---|
/// | `T => ..`, `T: Element => .., else => ..` | all of them |
/// | `T: Scalar => .., else => ..` | numbers: all but `bool` |
/// | `T: Ordered => .., else => ..` | those that can be sorted: `bool`, integers, `f32` and `f64` |
/// | `T: RealScalar => .., else => ..` | real numbers: integers, `f32` and `f64` |
/// | `T: Inexact => .., else => ..` | `f32`, `f64`, `Complex<f32>` and `Complex<f64>` |
/// | `T: RealFloat => .., else => ..` | `f32` and `f64` |
/// | `T: Integer => .., else => ..` | `i8` to `i64` and `u8` to `u64` |
/// | `T: Bits => .., else => ..` | `bool` and integers |
/// | `T in [f32, f64] => .., else => ..` | those of the list |
///
/// ```
/// use vierbein::{DType, DynView, Error, RealScalar, RowMajor, Rank, dispatch, tensor};
///
/// /// The largest element of a matrix, as a number to print.
/// fn peak(x: DynView<'_>) -> Result<String, Error> {
///     fn of<T: RealScalar>(x: DynView<'_>) -> Result<String, Error> {
///         let x = x.downcast_ref::<T, Rank<2>, RowMajor, vierbein::Cpu>()?;
///         Ok(x.max().item().to_string())
///     }
///     dispatch!(x.dtype(), T: RealScalar => of::<T>(x), else => Ok("no order".into()))
/// }
///
/// assert_eq!(peak(DynView::from(&tensor![[1, 7], [3, 4]]))?, "7");
/// assert_eq!(peak(DynView::from(&tensor![[0.5f32, -2.0]]))?, "0.5");
/// assert_eq!(peak(DynView::from(&tensor![[true]]))?, "no order");
///
/// assert_eq!(dispatch!(DType::C64, T => size_of::<T>()), 16);
/// assert_eq!(dispatch!(DType::I8, T in [i8, u8] => T::MAX as i32, else => 0), 127);
/// # Ok::<(), Error>(())
/// ```
#[macro_export]
macro_rules! dispatch {
    ($dtype:expr, $T:ident => $body:expr $(,)?) => {
        $crate::__dispatch!($dtype, $T => $body, unreachable!("every element type has a branch");
            bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, $crate::c32, $crate::c64)
    };
    ($dtype:expr, $T:ident: Element => $body:expr, else => $other:expr $(,)?) => {
        $crate::__dispatch!($dtype, $T => $body, $other;
            bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, $crate::c32, $crate::c64)
    };
    ($dtype:expr, $T:ident: Scalar => $body:expr, else => $other:expr $(,)?) => {
        $crate::__dispatch!($dtype, $T => $body, $other;
            i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, $crate::c32, $crate::c64)
    };
    ($dtype:expr, $T:ident: Ordered => $body:expr, else => $other:expr $(,)?) => {
        $crate::__dispatch!($dtype, $T => $body, $other; bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64)
    };
    ($dtype:expr, $T:ident: RealScalar => $body:expr, else => $other:expr $(,)?) => {
        $crate::__dispatch!($dtype, $T => $body, $other; i8, i16, i32, i64, u8, u16, u32, u64, f32, f64)
    };
    ($dtype:expr, $T:ident: Inexact => $body:expr, else => $other:expr $(,)?) => {
        $crate::__dispatch!($dtype, $T => $body, $other; f32, f64, $crate::c32, $crate::c64)
    };
    ($dtype:expr, $T:ident: RealFloat => $body:expr, else => $other:expr $(,)?) => {
        $crate::__dispatch!($dtype, $T => $body, $other; f32, f64)
    };
    ($dtype:expr, $T:ident: Integer => $body:expr, else => $other:expr $(,)?) => {
        $crate::__dispatch!($dtype, $T => $body, $other; i8, i16, i32, i64, u8, u16, u32, u64)
    };
    ($dtype:expr, $T:ident: Bits => $body:expr, else => $other:expr $(,)?) => {
        $crate::__dispatch!($dtype, $T => $body, $other; bool, i8, i16, i32, i64, u8, u16, u32, u64)
    };
    ($dtype:expr, $T:ident in [$($t:ty),+ $(,)?] => $body:expr, else => $other:expr $(,)?) => {
        $crate::__dispatch!($dtype, $T => $body, $other; $($t),+)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __dispatch {
    ($dtype:expr, $T:ident => $body:expr, $other:expr; $($t:ty),+) => {{
        let dtype: $crate::DType = $dtype;
        $(if dtype == <$t as $crate::Element>::DTYPE {
            #[allow(dead_code)]
            type $T = $t;
            $body
        } else)+ {
            $other
        }
    }};
}

#[cfg(test)]
mod tests {
    use crate::element::{Bits, DType, Element, Inexact, Ordered, RealFloat, RealScalar, Scalar, c32, c64};

    fn name<T: Element>() -> &'static str {
        T::DTYPE.name()
    }

    #[test]
    fn each_type_is_its_tag() {
        for dtype in DType::ALL {
            assert_eq!(dispatch!(dtype, T => name::<T>()), dtype.name());
        }
    }

    /// Each form of `dispatch!` must list exactly the types that implement its trait. A listed type without the trait does not compile, and
    /// a missing type changes the count.
    #[test]
    fn subsets_are_complete() {
        fn scalar<T: Scalar>() {}
        fn real<T: RealScalar>() {}
        fn ordered<T: Ordered>() {}
        fn inexact<T: Inexact>() {}
        fn float<T: RealFloat>() {}
        fn bits<T: Bits>() {}
        fn integer<T: RealScalar + Bits>() {}
        let mut count = [0; 8];
        for dtype in DType::ALL {
            let mut add = |k: usize| count[k] += 1;
            dispatch!(dtype, T: Scalar => { scalar::<T>(); add(0) }, else => ());
            dispatch!(dtype, T: RealScalar => { real::<T>(); add(1) }, else => ());
            dispatch!(dtype, T: Inexact => { inexact::<T>(); add(2) }, else => ());
            dispatch!(dtype, T: RealFloat => { float::<T>(); add(3) }, else => ());
            dispatch!(dtype, T: Bits => { bits::<T>(); add(4) }, else => ());
            dispatch!(dtype, T: Integer => { integer::<T>(); add(5) }, else => ());
            dispatch!(dtype, T in [c32, c64, bool] => { name::<T>(); add(6) }, else => ());
            dispatch!(dtype, T: Ordered => { ordered::<T>(); add(7) }, else => ());
        }
        assert_eq!(count, [12, 10, 4, 2, 9, 8, 3, 11]);
    }
}
