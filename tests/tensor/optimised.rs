//! The tests that `scripts/check-numerics.sh` runs in optimised builds, in which all tests of `tests/tensor` would take too long to compile.

mod contraction;
mod numerics;
mod oracle;
#[path = "../common/orders.rs"]
mod orders;
#[path = "../common/random.rs"]
mod random;
#[path = "../common/restart.rs"]
mod restart;
