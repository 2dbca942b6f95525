//! Elements at given positions or under masks: `at`, `take`, `put_along_axis`, `scatter_add`, `compress`, `masked`, `nonzero` and similar
//! methods. The code that typed and dynamic tensors share is in `engine/select.rs`.

mod indices;
mod mask;
mod positions;
mod put;
mod take;

pub use indices::Indices;
pub use mask::{FillMasked, Mask};
pub use positions::{PositionNumber, Positions};
