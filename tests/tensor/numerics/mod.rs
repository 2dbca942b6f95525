//! Tests of the guarantees of floating-point results. They cover error bounds, equal bits on any number of threads and in every
//! run, extreme operands, and rounding as IEEE 754 specifies.
//!
//! `cargo test --release --test optimised -- numerics:: --nocapture` prints the errors as tables.

mod bits;
mod data;
mod elementary;
mod exact;
mod extremes;
mod growth;
mod ieee;
mod products;
mod ranges;
mod scales;
