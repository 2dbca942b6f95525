//! Tests of Fourier transforms and of convolutions by them. Expected values come from NumPy and SciPy (`tests/data`), or from sums by
//! the definition.

mod common;
#[path = "fft/convolutions.rs"]
mod convolutions;
#[path = "common/orders.rs"]
mod orders;
#[path = "fft/transforms.rs"]
mod transforms;

use orders::both_orders;
