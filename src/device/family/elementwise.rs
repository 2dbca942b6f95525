//! Elementwise functions.

use super::family;
use crate::device::cuda::launch;
use crate::device::cuda_source::{has_source, has_sources};
use crate::device::function::{Arguments, ElementTuple, Function};
use crate::device::{Cpu, Generator, Output, via_host};
use crate::element::Element;
use crate::error::Error;

family! {
    /// Elementwise functions whose first operand has elements of type `T`. The result is written to an output or to the first operand.
    ///
    /// All operands of a call have the output's shape: broadcast axes have stride 0.
    #[diagnostic::on_unimplemented(
        message = "the device `{Self}` has no elementwise operations on tensors of `{T}`",
        label = "unsupported on this device",
        note = "compute on the host: `.to_device::<Cpu>()?`; or implement `Elementwise<{T}>` for the device",
        note = "in generic code, bound the device: `Dev: Backend<T>`"
    )]
    pub trait Elementwise<T: Element> {
        /// Writes `op(k)` for each flat index `k`, in row-major order.
        ///
        /// # Errors
        /// If the device reports an error.
        fn generate[F: Generator<T>](op: value[&F], out: write[T]) requires has_source(F::CUDA);
    }
    on the host {}
    trait items {
        /// Applies `op` to the operands `(a,)`, `(a, b)` or `(a, b, c)` and writes the results. The first operand has elements of type `T`.
        ///
        /// ```
        /// use vierbein::device::{Elementwise, Operand, Output};
        /// use vierbein::op;
        /// use vierbein::Cpu;
        /// let (a, b, mut sum) = ([1.0, 2.0], [3.0, 4.0], [0.0; 2]);
        /// # fn operand(of: &[f64; 2]) -> Operand<'_, f64, Cpu> {
        /// #     // SAFETY: index 0 and 1 address the two elements of the array, which is borrowed for the operand's lifetime.
        /// #     unsafe { Operand::from_raw(vierbein::device::HostPtr::new(of.as_ptr().cast_mut()), &[2], &[1]) }
        /// # }
        /// # // SAFETY: index 0 and 1 address the two elements of `sum`, which nothing else accesses while `out` exists.
        /// # let out = unsafe { Output::from_raw(vierbein::device::HostPtr::new(sum.as_mut_ptr()), &[2], &[1]) };
        /// Cpu.map::<(f64, f64), _>(&op::Add, out, (operand(&a), operand(&b)))?;
        /// assert_eq!(sum, [4.0, 6.0]);
        /// # Ok::<(), vierbein::Error>(())
        /// ```
        ///
        /// # Errors
        /// * [`Error::Arithmetic`](crate::Error::Arithmetic) if `op` is undefined for some elements. No result has then been written.
        /// * The error of the device.
        fn map<A: Arguments<First = T>, F: Function<A>>(
            &self,
            op: &F,
            out: Output<'_, F::Output, Self>,
            operands: A::Operands<'_, Self>,
        ) -> Result<(), Error> {
            A::fetched(self, operands, |operands| {
                via_host::write_with(self, out, |host_out| Cpu.map::<A, F>(op, host_out, operands))
            })
        }

        /// Computes `a = op(a)`, `a = op(a, b)` or `a = op(a, b, c)`. `rest` is the tuple of the operands after `a`.
        ///
        /// # Errors
        /// The errors of [`map`](Elementwise::map).
        fn update<A: Arguments<First = T>, F: Function<A, Output = T>>(
            &self,
            op: &F,
            a: Output<'_, T, Self>,
            rest: <A::Rest as ElementTuple>::Operands<'_, Self>,
        ) -> Result<(), Error> {
            A::Rest::fetched(self, rest, |rest| {
                via_host::update_with(self, a, |host_a| Cpu.update::<A, F>(op, host_a, rest))
            })
        }
    }
    cuda items {
        fn map<A: Arguments<First = T>, F: Function<A>>(
            &self,
            op: &F,
            out: Output<'_, F::Output, Self>,
            operands: A::Operands<'_, Self>,
        ) -> Result<(), Error> {
            const { has_sources(F::CUDA, F::CHECKED, F::CUDA_DEFINED) };
            launch!(ORDINAL, map::<A, F, ORDINAL>(op, out, operands))
        }
        fn update<A: Arguments<First = T>, F: Function<A, Output = T>>(
            &self,
            op: &F,
            a: Output<'_, T, Self>,
            rest: <A::Rest as ElementTuple>::Operands<'_, Self>,
        ) -> Result<(), Error> {
            const { has_sources(F::CUDA, F::CHECKED, F::CUDA_DEFINED) };
            launch!(ORDINAL, update::<A, F, ORDINAL>(op, a, rest))
        }
    }
}
