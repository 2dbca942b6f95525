//! Elements at positions and under masks: the methods of [`Copy`](crate::device::Copy) and [`Reduce`](crate::device::Reduce) that
//! choose elements by indices or masks in tensors. A *position* is an index along an axis, as an `i64`. Negative positions count from the
//! end.
//!
//! ```text
//! take:     for each index k.., m..: out[k.., m..] = a[k.., at[k.., m..]]     one loop nest over out, a and at; a has stride 0 along m..
//! scatter:  for each index k.., m..: out[k.., at[k.., m..]] (op)= a[k.., m..]     for each k..: m.. in row-major order, on one thread
//! masks:    one pass in row-major order, whose inner loop has no branch     (module mask)
//! ```
//!
//! Here, `k..` are the indices along the leading axes, which all operands share. `m..` are the indices along the remaining axes of
//! the positions. `(op)=` stands for `=`, or for an operation that combines both elements, such as `+=`.
//!
//! Copies treat elements as bytes, so there is one kernel for each size of elements. `take` checks positions as it uses them, which is
//! cheap compared with a cache miss. If the axis of the positions exceeds L2, elements are prefetched. Otherwise, large results are written
//! with non-temporal stores.
//!
//! A scatter must leave the output unchanged if a position is invalid. So it checks all positions first, in a pass that is limited by the
//! memory bandwidth. A scatter that combines elements does without this pass if the output is much shorter than the positions, as in a
//! histogram. It then saves a copy of the output, checks positions as it uses them, and restores the output if one is invalid.

mod family;
mod mask;
mod positions;
mod scatter;
mod take;

pub(super) use mask::{compress, expand, nonzero};
pub(super) use positions::{Sign, check};
pub(super) use scatter::{replace_at, scatter};
pub(super) use take::{pick, take};

/// Evaluates `$call` with `$Unit` as an array of `$size` bytes. The arrays have alignment 1.
macro_rules! by_size {
    ($size:expr, $Unit:ident => $call:expr) => {
        match $size {
            1 => {
                type $Unit = [u8; 1];
                $call
            }
            2 => {
                type $Unit = [u8; 2];
                $call
            }
            4 => {
                type $Unit = [u8; 4];
                $call
            }
            8 => {
                type $Unit = [u8; 8];
                $call
            }
            16 => {
                type $Unit = [u8; 16];
                $call
            }
            size => unreachable!("unsupported element size: {size} bytes"),
        }
    };
}
use by_size;
