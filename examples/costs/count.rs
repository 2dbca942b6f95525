//! Determines what an operation allocated, and whether the elements of its result are in the memory of its operand `x`.

use std::ops::Range;
use vierbein::prelude::*;
use vierbein::{Storage, StorageMut};

/// The result of an operation.
pub(crate) trait Outcome {
    /// Returns the number of bytes of the elements, and the address of one element. Returns `None` if the result is not a tensor or
    /// `Vec`.
    fn elements(&self) -> Option<(usize, usize)>;
}

impl Outcome for () {
    fn elements(&self) -> Option<(usize, usize)> {
        None
    }
}

impl Outcome for f64 {
    fn elements(&self) -> Option<(usize, usize)> {
        None
    }
}

impl<X: Outcome, E> Outcome for Result<X, E> {
    fn elements(&self) -> Option<(usize, usize)> {
        self.as_ref().ok()?.elements()
    }
}

impl<T> Outcome for Vec<T> {
    fn elements(&self) -> Option<(usize, usize)> {
        Some((self.len() * size_of::<T>(), self.as_ptr().addr()))
    }
}

impl<T: Element, D: Dim, O: Order, S: Storage<T, Cpu>> Outcome for Tensor<T, D, O, Cpu, S> {
    fn elements(&self) -> Option<(usize, usize)> {
        Some((self.len() * size_of::<T>(), self.as_ptr().addr()))
    }
}

/// Returns the address range of a tensor's elements.
pub(crate) fn addresses<D: Dim>(
    x: &mut Tensor<f64, D, impl Order, Cpu, impl StorageMut<f64, Cpu>>,
) -> Range<usize> {
    let start = x.as_ptr().addr();
    start..start + x.len() * size_of::<f64>()
}

/// What an operation allocates, and where the elements of its result are. Both are printed in the operation's row of the table.
pub(crate) struct Found {
    pub(crate) memory: String,
    pub(crate) place: &'static str,
}

impl Found {
    /// Describes an operation that returned `outcome`. `x` is the address range of the operand `x`; the operation made `times`
    /// allocations with `bytes` bytes in total.
    pub(crate) fn new(outcome: &impl Outcome, x: &Range<usize>, (times, bytes): (usize, usize)) -> Found {
        let elements = outcome.elements();
        let result = elements.map_or(0, |(bytes, _)| bytes);
        let place = match elements {
            None => "",
            Some((_, address)) if x.contains(&address) => "those of `x`",
            Some(_) => "new",
        };
        let memory = match times {
            // The memory of a result of rank 0 is not from the global allocator, so it is not counted.
            0 if place == "new" => "one element".into(),
            0 => "nothing".into(),
            // The allocation for a large result is up to two pages larger than the result.
            1 if (result..result + 8192).contains(&bytes) => "the result".into(),
            _ if result == 0 => format!("{bytes} bytes"),
            _ => format!("the result, and {} additional bytes", bytes - result),
        };
        Found { memory, place }
    }
}
