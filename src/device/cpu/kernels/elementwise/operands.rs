//! The operands of a function, without their types.

use crate::device::cpu::Cpu;
use crate::device::cpu::loops::few::Few;
use crate::device::cpu::loops::strips::{Addresses, MAX_LOOP_OPERANDS, RawOperand, is_short};
use crate::device::function::MAX_ARGUMENTS;
use crate::device::{Operand, Visit};
use crate::element::Element;
use crate::layout::broadcast::same;
use crate::layout::is_contiguous;

/// The addresses of a function's operands. Unused entries are null.
pub(super) type Arrays = [*mut u8; MAX_ARGUMENTS];

/// The operands of a loop, and their common shape.
#[derive(Clone, Copy)]
pub(super) struct Operands<'a> {
    pub(super) shape: &'a [usize],
    pub(super) list: [RawOperand<'a>; MAX_LOOP_OPERANDS],
    len: usize,
}

impl<'a> Operands<'a> {
    #[inline(always)]
    pub(super) fn new<T: Element>(first: Operand<'a, T, Cpu>) -> Self {
        let (shape, first) = (first.shape(), RawOperand::new(first.ptr(), first.strides()));
        Operands { shape, list: [first; MAX_LOOP_OPERANDS], len: 1 }
    }

    #[inline(always)]
    pub(super) fn list(&self) -> &[RawOperand<'a>] {
        &self.list[..self.len]
    }

    /// Returns the address of the first element of each operand.
    #[inline(always)]
    pub(super) fn addresses(&self) -> Addresses {
        self.list.map(|operand| operand.address())
    }

    /// Returns the number of elements if there are any, all operands are contiguous in the same memory order, and a single thread computes
    /// the elements. Otherwise returns `None`. `cost` is that of an element: see [`for_blocks`].
    // Always inlined: if the compiler knows the rank, this takes less time than passing the operands to `for_blocks`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn short_strip(&self, cost: usize) -> Option<usize> {
        let n = self.shape.iter().product::<usize>();
        let contiguous = self.are_contiguous(true) || self.are_contiguous(false);
        (n > 0 && contiguous && is_short(self.list(), n, cost)).then_some(n)
    }

    /// Returns whether all operands are contiguous in a memory order.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn are_contiguous(&self, row_major: bool) -> bool {
        let mut contiguous = true;
        for operand in self.list() {
            contiguous = contiguous && is_contiguous(self.shape, operand.strides(), row_major);
        }
        contiguous
    }

    /// Returns the loops over the elements of the first `K` operands, if there are few elements.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn few<const K: usize>(&self) -> Option<Few<K>> {
        Few::new(self.shape, &core::array::from_fn(|k| self.list[k].strides()))
    }
}

impl<'a> Visit<'a, Cpu> for Operands<'a> {
    /// # Panics
    /// If the shape of the operand is not `self.shape`. The kernels rely on this check.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit<T: Element>(&mut self, operand: Operand<'a, T, Cpu>) {
        assert!(same(operand.shape(), self.shape), "the operands must have the same shape");
        self.list[self.len] = RawOperand::new(operand.ptr(), operand.strides());
        self.len += 1;
    }
}

/// Returns the addresses of a function's operands: the entries of `addresses` from index `first` on.
#[inline(always)]
pub(super) fn arrays(addresses: &Addresses, first: usize) -> &Arrays {
    addresses[first..].first_chunk().expect("a loop has one operand more than a function")
}

/// Computes the elements if there are only a few, and returns `true`. If there are more, calls neither closure and returns `false`.
///
/// If the elements are contiguous and there are at least two, calls `contiguous` with their number. If `contiguous` is not called or
/// returns `false`, calls `element` for each index, with the offset of this index in each operand.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn few<const K: usize>(
    operands: &Operands<'_>,
    contiguous: impl FnOnce(usize) -> bool,
    mut element: impl FnMut(&[isize]),
) -> bool {
    let Some(few) = operands.few::<K>() else { return false };
    if let Some(len @ 2..) = few.contiguous_len()
        && contiguous(len)
    {
        return true;
    }
    few.for_each(|at| element(&at));
    true
}
