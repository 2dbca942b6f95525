//! The catalogue of the functions of one element and of two elements. Each row describes one function.
//!
//! [`unary!`] and [`binary!`] pass all their rows to a callback macro. These callbacks define:
//!
//! * the operations (`unary.rs`, `binary.rs`) and the methods of typed tensors (`ops/elementwise/`),
//! * the enumerations and methods of dynamic tensors (`dyn_tensor`),
//! * the tests of the CUDA sources.
//!
//! Bounds on devices, signatures and sentences that all functions share belong in the callbacks. Expected values of tests belong in
//! `tests`. Operations with fields (`Powi`, `Clamp`) are written by hand.
//!
//! A row has fields from this list, in this order. `Name`, `doc`, `elements`, `gives`, `example`, `cuda` and a function for the host are
//! required. The other fields are optional; those in brackets occur together.
//!
//! * `Name: method, try_method`, or `Name: try_method` for an operator. `Name` is the name of the operation's type in `op`, and of
//!   the variant of `Unary` or `Binary`.
//! * `doc`: what the function returns, without a full stop.
//! * `alias` in a binary row: another name under which the search of the documentation finds the method.
//! * `symbol`: the symbol of an operator. A binary row also has `operator`: the operator's trait in `core::ops`. The operation's
//!   type then has the name of this trait instead of `Name` (`op::BitAnd`).
//! * `verb`: the verb in messages; "take `method` of" by default.
//! * `elements`: the trait of the element types that have the function. The element type is `T`.
//! * `gives`: the element type of the result.
//! * `example`: the elements of an operand and of the result. In a binary row, the right operand is written as an argument.
//! * `host`: the function in Rust. Instead of `host`, a row can name a function that takes many instructions:
//!     * `function` in a unary row: a variant of [`FloatFunction`](crate::element::FloatFunction). For dynamic tensors, one kernel
//!       computes all of these functions.
//!     * `real_function` in a unary row: a variant of [`RealFunction`](crate::element::RealFunction).
//!     * `pair_function` in a binary row: a variant of [`PairFunction`](crate::element::PairFunction).
//! * [`host_by_scalar`, `always_defined`]: `host_by_scalar` is a faster variant of `host` for a scalar as the right operand.
//!   `always_defined` returns whether the function is defined for this scalar and every left operand.
//! * `cuda`: the function in CUDA C++, see `UnaryOp::CUDA`. It becomes a `CudaSource` without an `unsafe` block, so it must
//!   meet the conditions of `CudaSource::new` for all values of its element types, including those that `defined` excludes.
//! * [`defined`, `cuda_defined`, `checked`]: `defined` (in Rust, the body of `is_defined`) and `cuda_defined` (in CUDA C++) return whether
//!   the integer type can represent the result. `checked` says in which builds this is checked. `host` and `cuda` wrap.
//! * `elementary`: a value of [`Elementary`](crate::element::Elementary), or an `Option` of one; in a binary row, a variant of
//!   [`PairFunction`](crate::element::PairFunction). Its kernels compute many elements at a time, for the element types that they support.
//! * `cost`: `COST` of the operation; `SLOW` if it takes many instructions. `cost_by_scalar` is the cost of `host_by_scalar`, if it is
//!   another.
//! * `associative`: `true` if a function of two elements is associative up to rounding.
//! * `multiplies`: see `BinaryOp::MULTIPLIES`.
//!
//! Programs can read the number of a variant (`Unary::Abs as usize`), so new rows must be added at the end.

mod binary;
mod unary;

pub(crate) use binary::binary;
pub(crate) use unary::unary;

/// Expands to the verb of a function of the catalogue, for error messages.
macro_rules! verb {
    ($method:ident) => {
        concat!("take ", stringify!($method), " of")
    };
    ($method:ident $verb:literal) => {
        $verb
    };
}

pub(crate) use verb;
