//! Tests of `DynTensor`: its results, its exact error messages, and conversions from and to typed tensors. The expected results
//! come from loops over indices that share no code with the library.

mod choosing;
mod contract;
mod convert;
mod devices;
mod elementwise;
mod naive;
mod operators;
mod reduce;
mod rejected;
mod round_trip;
mod shape;
mod values;
