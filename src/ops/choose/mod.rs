//! Elements at positions and under masks: `take`, `put_along_axis`, `scatter_add`, `masked`, `nonzero` and their relatives.

mod indices;
mod mask;
mod positions;
mod put;
mod take;

pub use indices::Indices;
pub use mask::{FillMasked, Mask};
pub use positions::{PositionNumber, Positions};
