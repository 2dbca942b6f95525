//! Implements [`Select`] for [`Cpu`].

use super::{Sign, check, compress, expand, nonzero, pick, replace_at, scatter, take};
use crate::device::positions::CHECK;
use crate::device::{BinaryOp, Cpu, Operand, Output, Select};
use crate::element::Element;
use crate::error::Error;

#[diagnostic::do_not_recommend]
impl<T: Element> Select<T> for Cpu {
    fn check_positions(&self, at: Operand<'_, i64, Cpu>, len: usize) -> Result<(), Error> {
        check(CHECK, at, len, Sign::Signed)
    }
    fn check_unsigned(&self, at: Operand<'_, i64, Cpu>, len: usize) -> Result<(), Error> {
        check(CHECK, at, len, Sign::Unsigned)
    }
    fn take(
        &self,
        out: Output<'_, T, Cpu>,
        a: Operand<'_, T, Cpu>,
        at: Operand<'_, i64, Cpu>,
    ) -> Result<(), Error> {
        take(&out, &a, at, Sign::Signed)
    }
    fn take_unsigned(
        &self,
        out: Output<'_, T, Cpu>,
        a: Operand<'_, T, Cpu>,
        at: Operand<'_, i64, Cpu>,
    ) -> Result<(), Error> {
        take(&out, &a, at, Sign::Unsigned)
    }
    fn scatter(
        &self,
        out: Output<'_, T, Cpu>,
        at: Operand<'_, i64, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        replace_at(&out, &at, &a)
    }
    fn pick(
        &self,
        out: Output<'_, T, Cpu>,
        a: Operand<'_, T, Cpu>,
        at: Operand<'_, i64, Cpu>,
    ) -> Result<(), Error> {
        pick(&out, &a, &at)
    }
    fn compress(
        &self,
        out: Output<'_, T, Cpu>,
        a: Operand<'_, T, Cpu>,
        mask: Operand<'_, bool, Cpu>,
    ) -> Result<(), Error> {
        compress(&out, &a, &mask);
        Ok(())
    }
    fn expand(
        &self,
        out: Output<'_, T, Cpu>,
        mask: Operand<'_, bool, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        expand(&out, &mask, &a);
        Ok(())
    }
    fn scatter_with<F: BinaryOp<T, T, Output = T>>(
        &self,
        op: &F,
        out: Output<'_, T, Cpu>,
        at: Operand<'_, i64, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        scatter(op, &out, &at, &a, Sign::Signed)
    }

    fn scatter_with_unsigned<F: BinaryOp<T, T, Output = T>>(
        &self,
        op: &F,
        out: Output<'_, T, Cpu>,
        at: Operand<'_, i64, Cpu>,
        a: Operand<'_, T, Cpu>,
    ) -> Result<(), Error> {
        scatter(op, &out, &at, &a, Sign::Unsigned)
    }

    fn nonzero(&self, out: Output<'_, i64, Cpu>, a: Operand<'_, T, Cpu>) -> Result<(), Error> {
        nonzero(&out, &a);
        Ok(())
    }
}
