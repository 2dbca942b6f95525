//! The tests of typed and dynamic tensors that need no features: one program, because its tests use the same operations. In separate
//! programs, the compiler would generate the code of most of them several times.

/// The table that calls each public operation with bad input.
#[path = "../bad_input/mod.rs"]
mod bad_input;
mod bounds;
#[path = "../common/mod.rs"]
mod common;
mod contraction;
mod dyn_tensor;
mod errors;
mod format;
mod generic_user;
mod guide;
mod inference;
mod numerics;
mod oracle;
#[path = "../common/orders.rs"]
mod orders;
mod outputs;
mod portable;
mod properties;
#[path = "../common/random.rs"]
mod random;
#[path = "../common/restart.rs"]
mod restart;
