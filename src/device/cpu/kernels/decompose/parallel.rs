//! Chooses the number of threads on which faer computes one matrix.

use crate::device::cpu::loops::threads::on_pool_thread;
use faer::Par;

/// Whether faer computes a matrix on one thread or on several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Threads {
    One,
    Several,
}

/// The minimum extents, for real and for complex matrices, from which several threads are faster than one, on two
/// cores.
#[derive(Debug, Clone, Copy)]
pub(super) struct Thresholds {
    pub(super) real: usize,
    pub(super) complex: usize,
}

impl Thresholds {
    /// Returns whether faer uses one thread or several for a matrix whose smaller extent is `n`.
    pub(super) fn threads(self, complex: bool, n: usize) -> Threads {
        let least = if complex { self.complex } else { self.real };
        if cfg!(feature = "rayon") && n >= least { Threads::Several } else { Threads::One }
    }
}

impl Threads {
    /// Returns the parallelism for faer. faer's results depend on the number of parts into which it splits the work. This number
    /// is constant, so the results do not depend on the number of threads of the pool.
    pub(super) fn par(self) -> Par {
        match self {
            #[cfg(feature = "rayon")]
            Threads::Several => Par::rayon(PARTS),
            _ => Par::Seq,
        }
    }

    /// Calls `f`, which passes [`par`](Threads::par) to faer. If faer uses several threads, `f` runs on a thread of the pool. On a thread
    /// outside the pool, faer would wake the pool for each of its many parallel steps.
    pub(super) fn run<R: Send>(self, f: impl FnOnce() -> R + Send) -> R {
        match self {
            Threads::One => f(),
            Threads::Several => on_pool_thread(f),
        }
    }
}

/// The number of parts into which faer splits its work. On two threads, four parts take as long as two.
#[cfg(feature = "rayon")]
const PARTS: usize = 4;
