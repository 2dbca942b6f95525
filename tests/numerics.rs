//! Tests of the guarantees of floating-point results. They cover error bounds, equal bits on any number of threads and in every
//! run, extreme operands, and rounding as IEEE 754 specifies.
//!
//! `cargo test --test numerics -- --nocapture` prints the errors as tables.

#[path = "numerics/bits.rs"]
mod bits;
#[path = "numerics/data.rs"]
mod data;
#[path = "numerics/elementary.rs"]
mod elementary;
#[path = "numerics/exact.rs"]
mod exact;
#[path = "numerics/extremes.rs"]
mod extremes;
#[path = "numerics/growth.rs"]
mod growth;
#[path = "numerics/ieee.rs"]
mod ieee;
#[path = "numerics/products.rs"]
mod products;
#[path = "common/random.rs"]
mod random;
#[path = "numerics/ranges.rs"]
mod ranges;
#[path = "common/restart.rs"]
mod restart;
#[path = "numerics/scales.rs"]
mod scales;
