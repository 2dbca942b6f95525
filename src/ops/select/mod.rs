//! Elements at given positions or under masks: `at`, `take`, `put_along_axis`, `scatter_add`, `compress`, `masked`, `nonzero` and similar
//! methods. The layouts for the device are in `engine/select.rs`.

mod indices;
mod mask;
mod positions;
mod put;
mod take;

pub(crate) use indices::AT;
pub use indices::Indices;
pub(crate) use mask::{ASSIGN, MASKED};
pub use mask::{FillMasked, Mask};
pub use positions::{PositionNumber, Positions};
pub(crate) use put::{PUT, SCATTER_ADD};
pub(crate) use take::{COMPRESS, TAKE_ALONG};
