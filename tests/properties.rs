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

#[path = "common/random.rs"]
mod random;

#[path = "properties/check.rs"]
mod check;
#[path = "properties/number.rs"]
mod number;
#[path = "properties/reference.rs"]
mod reference;
#[path = "properties/views.rs"]
mod views;

#[path = "properties/arithmetic.rs"]
mod arithmetic;
#[path = "properties/casts.rs"]
mod casts;
#[path = "properties/choosing.rs"]
mod choosing;
#[path = "properties/elementwise.rs"]
mod elementwise;
#[path = "properties/large.rs"]
mod large;
#[path = "properties/numerics.rs"]
mod numerics;
#[path = "properties/order_symmetry.rs"]
mod order_symmetry;
#[path = "properties/ordering.rs"]
mod ordering;
#[path = "properties/products.rs"]
mod products;
#[path = "properties/ranks_17_to_64.rs"]
mod ranks_17_to_64;
#[path = "properties/reductions.rs"]
mod reductions;
#[path = "properties/shapes.rs"]
mod shapes;
#[path = "properties/statistics.rs"]
mod statistics;
#[path = "properties/writing.rs"]
mod writing;
