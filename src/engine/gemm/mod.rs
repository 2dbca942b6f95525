//! Matrix products, cross products and convolutions, as products of matrices and sums of products.

pub(crate) mod convolve;
pub(crate) mod cross;
pub(crate) mod matmul;
