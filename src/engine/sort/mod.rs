//! Operations that order elements: quantiles of elements that are not NaN or have weights, distinct slices.

pub(crate) mod nan_quantile;
pub(crate) mod unique_slices;
pub(crate) mod weighted_quantile;
