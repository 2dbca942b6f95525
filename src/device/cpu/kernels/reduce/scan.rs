//! Cumulative operations: each output is the result for all elements up to its index.

use crate::device::cpu::Cpu;
use crate::device::{BinaryOp, Operand, Output};
use crate::element::Element;
use crate::error::Error;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;

/// Combines the elements of each line of the last axis by `op`, one after the other, and writes each intermediate result.
///
/// # Errors
/// [`Error::Arithmetic`] if `op` is checked, and an intermediate result is not defined.
pub(super) fn scan<T: Element, F: BinaryOp<T, T, Output = T>>(
    op: &F,
    out: &Output<'_, T, Cpu>,
    a: &Operand<'_, T, Cpu>,
) -> Result<(), Error> {
    assert_eq!(out.shape(), a.shape(), "the operands must have the same shape");
    let Some((&n, lines)) = out.shape().split_last() else {
        return Err(Error::AxisOutOfRange { op: "accumulate", axis: 0, shape: vec![] });
    };
    if n == 0 {
        return Ok(());
    }
    let last = lines.len();
    let plan = Plan::unordered(lines, [&out.strides()[..last], &a.strides()[..last]]);
    let (so, sa) = (out.strides()[last], a.strides()[last]);
    let (to, from) = (out.ptr(), a.ptr());
    let [step_to, step_from] = plan.inner_strides();
    let mut walk = Odometer::outer(&plan);
    for _ in 0..plan.outer_shape().iter().product() {
        let [o, k] = walk.offsets();
        walk.advance();
        for line in 0..plan.inner_len() as isize {
            let (to, from) = (to.offset(o + line * step_to), from.offset(k + line * step_from));
            let mut acc = None;
            for i in 0..n as isize {
                // SAFETY: the plan visits the indices of all axes but the last one, and `i` is less than the extent of the last
                // one. So this is an element of the operand, which `Operand` guarantees to be readable.
                let x = unsafe { *from.offset(i * sa).get() };
                let next = match acc {
                    None => x,
                    Some(acc) if F::CHECKED && !op.is_defined(acc, x) => {
                        return Err(Error::Arithmetic {
                            op: F::NAME,
                            dtype: T::DTYPE.name(),
                            values: op.operands(acc, x),
                        });
                    }
                    Some(acc) => op.apply(acc, x),
                };
                acc = Some(next);
                // SAFETY: this is the output's element at the same index, to which `Output` guarantees exclusive access.
                unsafe { *to.offset(i * so).get() = next };
            }
        }
    }
    Ok(())
}
