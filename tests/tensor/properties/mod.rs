//! Compares every operation with a naive reference that shares no code with the library. The operands have random shapes, and are
//! views of every kind in both memory orders. Other tests check error bounds, large tensors on several threads, and the mirror law,
//! which relates the two memory orders.

#![allow(
    clippy::op_ref,
    clippy::multiple_bound_locations,
    clippy::assertions_on_constants,
    clippy::manual_clamp,
    clippy::needless_range_loop,
    clippy::ptr_arg,
    reason = "the reference is written plainly, and every mix of operands is under test"
)]

mod check;
mod number;
pub(crate) mod reference;
mod views;

mod arithmetic;
mod casts;
mod choosing;
mod elementwise;
mod large;
mod numerics;
mod order_symmetry;
mod ordering;
mod products;
mod ranks_17_to_64;
mod reductions;
mod shapes;
mod statistics;
mod writing;
