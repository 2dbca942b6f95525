//! Reference loops that approach the limit of the machine's memory bandwidth. Each loop is hand-written for one benchmark. Those for few
//! elements (module `strided`) do what any library must do whose tensors have run-time shapes and strides.
//!
//! Long outputs are written with non-temporal stores, as the C library's `memcpy` does. The instruction set is detected at run
//! time. In a pool with several threads, two threads compute one half each.

mod diagonal;
mod gather;
mod level;
mod reduce;
mod stream;
mod strided;

pub(crate) use diagonal::{diagonal, diagonal_lines};
pub(crate) use gather::{compress, fill_masked, scatter_add, take, take_rows};
pub(crate) use reduce::{add_lines, argmax, sum, sum_every, sum_lines, sum_of_squares};
pub(crate) use stream::{add_stepped, copy, over, over_lines, update};
pub(crate) use strided::Strided;

/// Minimum number of elements for a second thread. Below this, the loops run on one thread.
const SHARED: usize = 1 << 17;

/// Returns whether to split a loop over this number of elements into two halves.
fn halved(elements: usize) -> bool {
    crate::parallel() && elements >= SHARED
}
