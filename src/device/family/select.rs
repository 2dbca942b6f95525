//! Elements at positions and under masks.

use super::family;
use crate::device::cuda_source::has_source;
use crate::device::{BinaryOp, Cpu, Operand, Output, via_host};
use crate::element::Element;
use crate::error::Error;

family! {
    /// Copies of elements at positions or under masks, and combinations with elements at positions.
    ///
    /// A position is an index along an axis, as an `i64`. Negative positions count from the end.
    #[diagnostic::on_unimplemented(
        message = "the device `{Self}` cannot select elements of tensors of `{T}`",
        label = "unsupported on this device",
        note = "compute on the host: `.to_device::<Cpu>()?`; or implement `Select<{T}>` for the device",
        note = "in generic code, bound the device: `Dev: Backend<T>`"
    )]
    pub trait Select<T: Element> {
        /// Checks that all positions are valid for an axis of extent `len`: at least `-len` and less than `len`.
        ///
        /// # Errors
        /// * [`Error::IndexOutOfBounds`] with the first invalid position, in row-major order. In the error, the axis is 0 and its extent is
        ///   `len`.
        /// * The error of the device.
        fn check_positions(at: read[i64], len: value[usize]);

        /// Copies elements at positions along the last axis of `a` to `out`.
        ///
        /// `out` and `at` have the same shape, and their leading axes are all axes of `a` but the last: `out[k.., m..]` becomes
        /// `a[k.., at[k.., m..]]`.
        ///
        /// # Errors
        /// * The errors of [`check_positions`](Select::check_positions). `out` may then be partly written.
        /// * The error of the device.
        fn take(out: write[T], a: read[T], at: read[i64]);

        /// Copies elements of `a` to positions along the last axis of `out`.
        ///
        /// `a` and `at` have the same shape, and their leading axes are all axes of `out` but the last: `out[k.., at[k.., m..]]` becomes
        /// `a[k.., m..]`. If several elements of `a` are copied to the same element of `out`, the last of them in row-major order is stored.
        ///
        /// # Errors
        /// * The errors of [`check_positions`](Select::check_positions). `out` is then unchanged.
        /// * The error of the device.
        fn scatter(out: update[T], at: read[i64], a: read[T]);

        /// Combines elements of `out`, at positions along its last axis, with elements of `a`.
        ///
        /// `a` and `at` have the same shape, and their leading axes are all axes of `out` but the last: `out[k.., at[k.., m..]]` becomes
        /// `op(out[k.., at[k.., m..]], a[k.., m..])`. For each `k..`, the elements of `a` are combined in row-major order of `m..`. Negative
        /// positions count from the end.
        ///
        /// # Errors
        /// * The errors of [`Select::check_positions`]. `out` is then unchanged.
        /// * [`Error::Arithmetic`](crate::Error::Arithmetic) if `op` is undefined for some elements. `out` may then be partly written.
        /// * The error of the device.
        fn scatter_with[F: BinaryOp<T, T, Output = T>](
            op: value[&F], out: update[T], at: read[i64], a: read[T],
        ) requires has_source(F::CUDA);

        /// Copies single elements of `a` to the vector `out`. Row `i` of the matrix `at` is the index in `a` of element `i` of
        /// `out`: one position for each axis of `a`.
        ///
        /// # Errors
        /// * [`Error::IndexOutOfBounds`] with the first invalid position. `out` may then be partly written.
        /// * The error of the device.
        fn pick(out: write[T], a: read[T], at: read[i64]);

        /// Copies the elements of `a` at which `mask` is `true` to the vector `out`, in row-major order. `mask` has the shape of `a`.
        /// The number of its `true` elements is the extent of `out`.
        ///
        /// # Errors
        /// If the device reports an error.
        fn compress(out: write[T], a: read[T], mask: read[bool]);

        /// Copies the elements of the vector `a` to the elements of `out` at which `mask` is `true`, in row-major order. `mask` has the
        /// shape of `out`. The number of its `true` elements is the extent of `a`.
        ///
        /// # Errors
        /// If the device reports an error.
        fn expand(out: update[T], mask: read[bool], a: read[T]);

        /// Writes the indices of all elements of `a` that are not zero to the rows of the matrix `out`, in row-major order of `a`.
        /// `out` has one row for each of these elements, and one column for each axis of `a`.
        ///
        /// # Errors
        /// If the device reports an error.
        fn nonzero(out: write[i64], a: read[T]);
    }
    on the host {
        /// Variant of [`check_positions`](Select::check_positions) for positions of type `usize`, which are passed as `i64` with the same
        /// bits. A negative `i64` represents a `usize` that is out of bounds, so it is invalid.
        #[doc(hidden)]
        fn check_unsigned(at: read[i64], len: value[usize]);
    }
    trait items {
        /// Variant of [`take`](Select::take) for positions of type `usize`: see [`check_unsigned`](Select::check_unsigned).
        #[doc(hidden)]
        fn take_unsigned(
            &self,
            out: Output<'_, T, Self>,
            a: Operand<'_, T, Self>,
            at: Operand<'_, i64, Self>,
        ) -> Result<(), Error> {
            Select::<T>::check_unsigned(self, at, a.shape()[a.shape().len() - 1])?;
            self.take(out, a, at)
        }

        /// Variant of [`scatter_with`](Select::scatter_with) for positions of type `usize`: see [`Select::check_unsigned`].
        #[doc(hidden)]
        fn scatter_with_unsigned<F: BinaryOp<T, T, Output = T>>(
            &self,
            op: &F,
            out: Output<'_, T, Self>,
            at: Operand<'_, i64, Self>,
            a: Operand<'_, T, Self>,
        ) -> Result<(), Error> {
            let host = via_host::fetch(self, at)?;
            Select::<T>::check_unsigned(&Cpu, host.operand(), out.shape()[out.shape().len() - 1])?;
            self.scatter_with(op, out, at, a)
        }
    }
    cuda items {}
}
