//! Rows of adjacent numbers in SIMD registers, and the choice of the registers.

use super::plans::Real;
use crate::simd::vector::{FloatVector, Isa, SimdKernel, Vector};

/// Returns whether there are registers for [`run_kernel`].
pub(super) fn has_registers<R: Real>() -> bool {
    <R::Narrow as Vector>::Isa::new().is_some()
}

/// Runs a kernel for `lines` adjacent lines by the widest instruction set that the processor has, or by AVX2 if they fill at most one
/// of its registers: a row that fills a part of a register is slower to read and write.
///
/// # Panics
/// Unless [`has_registers`].
///
/// # Safety
/// The caller must ensure the conditions of [`SimdKernel::run`] of `kernel`, except that the processor has the instruction set.
pub(super) unsafe fn run_kernel<R: Real>(
    lines: usize,
    kernel: impl SimdKernel<R::Wide> + SimdKernel<R::Narrow>,
) {
    if 2 * lines > R::Narrow::LANES && <R::Wide as Vector>::Isa::new().is_some() {
        // SAFETY: the processor has the instruction set, because there is a token. The caller ensures the other conditions.
        unsafe { R::Wide::within(kernel) }
    } else {
        assert!(has_registers::<R>(), "the caller ensures that there are SIMD registers");
        // SAFETY: the processor has the instruction set, because there is a token. The caller ensures the other conditions.
        unsafe { R::Narrow::within(kernel) }
    }
}

/// Rows of real numbers: row `i` has the elements with index `i` of adjacent lines. A complex element is two numbers.
#[derive(Clone, Copy)]
pub(super) struct WorkspaceRows<V: FloatVector> {
    start: *mut V::Real,
    /// The number of real numbers between the beginnings of two rows.
    step: isize,
    /// The number of registers that hold a row.
    pub(super) registers: usize,
    /// The number of registers that a row fills.
    full: usize,
    /// The lanes of the last register that belong to the row, if it does not fill it.
    mask: V::Mask,
}

impl<V: FloatVector> WorkspaceRows<V> {
    /// Describes rows of `len` numbers, which must not be 0.
    #[inline(always)]
    pub(super) fn new(zero: V, start: *mut V::Real, step: isize, len: usize) -> Self {
        let registers = len.div_ceil(V::LANES);
        let mask = zero.first(len - (registers - 1) * V::LANES);
        WorkspaceRows { start, step, registers, full: len / V::LANES, mask }
    }

    #[inline(always)]
    pub(super) fn at(&self, row: usize) -> *mut V::Real {
        self.start.wrapping_offset(row as isize * self.step)
    }

    /// Reads a register of a row.
    ///
    /// # Safety
    /// The caller must ensure that the processor has the instruction set, that the row may be read, and that `register` is less than
    /// `registers`.
    #[inline(always)]
    pub(super) unsafe fn load(&self, row: usize, register: usize) -> V {
        let address = self.at(row).wrapping_add(register * V::LANES);
        if register < self.full {
            // SAFETY: these lanes are a part of the row, which the caller ensures may be read.
            unsafe { V::load(address) }
        } else {
            // SAFETY: this is the rest of the row, which the caller ensures may be read; the mask selects its lanes.
            unsafe { V::load_some(address, self.mask) }
        }
    }

    /// Writes a register of a row.
    ///
    /// # Safety
    /// The caller must ensure exclusive access to the row, and that `register` is less than `registers`.
    #[inline(always)]
    pub(super) unsafe fn store(&self, row: usize, register: usize, x: V) {
        let address = self.at(row).wrapping_add(register * V::LANES);
        if register < self.full {
            // SAFETY: these lanes are a part of the row, to which the caller ensures exclusive access.
            unsafe { x.store(address) }
        } else {
            // SAFETY: this is the rest of the row, to which the caller ensures exclusive access; the mask selects its lanes.
            unsafe { x.store_some(address, self.mask) }
        }
    }
}
