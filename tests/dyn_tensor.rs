//! Tests of `DynTensor`: its results, its exact error messages, and conversions from and to typed tensors. The expected results
//! come from loops over indices that share no code with the library.

mod common;

#[path = "bad_input/dynamic/mod.rs"]
mod bad_input;
#[path = "dyn_tensor/choosing.rs"]
mod choosing;
#[path = "dyn_tensor/contract.rs"]
mod contract;
#[path = "dyn_tensor/convert.rs"]
mod convert;
#[path = "dyn_tensor/devices.rs"]
mod devices;
#[path = "dyn_tensor/elementwise.rs"]
mod elementwise;
#[path = "dyn_tensor/naive.rs"]
mod naive;
#[path = "dyn_tensor/operators.rs"]
mod operators;
#[path = "dyn_tensor/reduce.rs"]
mod reduce;
#[path = "dyn_tensor/rejected.rs"]
mod rejected;
#[path = "dyn_tensor/round_trip.rs"]
mod round_trip;
#[path = "dyn_tensor/shape.rs"]
mod shape;
#[path = "dyn_tensor/values.rs"]
mod values;
