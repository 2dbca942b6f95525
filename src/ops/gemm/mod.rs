//! Products of matrices and vectors, and sums of products: dot, cross and outer products, convolution.

pub(crate) mod convolve;
pub(crate) mod cross;
pub(crate) mod matmul;
pub(crate) mod products;
