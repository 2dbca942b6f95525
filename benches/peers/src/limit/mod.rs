//! What the memory of the machine allows: loops written by hand for one case each, without a library, a plan or a check.
//!
//! Long outputs are written around the caches by streaming stores, which is what a copy by the C library does as well; the
//! instruction set is found at run time. With two threads, each takes one half.

mod diagonal;
mod level;
mod reduce;
mod stream;

pub(crate) use diagonal::{diagonal, diagonal_lines};
pub(crate) use reduce::{add_lines, argmax, sum, sum_every, sum_lines, sum_of_squares};
pub(crate) use stream::{add_stepped, copy, over, over_lines, update};

/// Shorter work is not worth a second thread.
const SHARED: usize = 1 << 17;

/// Whether to halve work on so many elements.
fn halved(elements: usize) -> bool {
    crate::parallel() && elements >= SHARED
}
