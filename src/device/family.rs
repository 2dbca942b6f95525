//! The capability families: traits for the operations that a device implements. The types of their methods contain neither rank nor
//! memory order. The methods are safe to call, because [`Operand`] guarantees readable elements, and [`Output`] exclusive access.
//! Default bodies use the host fallback: they copy the operands to the host and compute there.

#[cfg(feature = "fft")]
use super::fft::{FftComplex, FftElement, FftReal, Transform};
use super::function::{Arguments, ElementTuple, Function};
use super::op::{BinaryOp, Generator, Reduction};
use super::{Cpu, Device, MatrixOperand, Operand, Output, ProductArgs, via_host};
use crate::device::quantile::Quantile;
use crate::element::{Element, Ordered, RealScalar, Scalar};
use crate::error::Error;

/// The name of [`Reduce::search`], for error messages.
pub(crate) const SEARCH: &str = "search sorted elements";

/// Elementwise functions whose first operand has elements of type `T`. The result is written to an output or to the first operand.
///
/// All operands of a call have the output's shape: broadcast axes have stride 0.
#[diagnostic::on_unimplemented(
    message = "the device `{Self}` has no elementwise operations on tensors of `{T}`",
    label = "unsupported on this device",
    note = "compute on the host: `.to_device::<Cpu>()?`; or implement `Elementwise<{T}>` for the device",
    note = "in generic code, bound the device: `Dev: Backend<T>`"
)]
pub trait Elementwise<T: Element>: Device {
    /// Writes `op(k)` for each flat index `k`, in row-major order.
    ///
    /// # Errors
    /// If the device reports an error.
    fn generate<F: Generator<T>>(&self, op: &F, out: Output<'_, T, Self>) -> Result<(), Error> {
        via_host::write_with(self, out, |host_out| Cpu.generate(op, host_out))
    }

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
    /// * [`Error::Arithmetic`] if `op` is undefined for some elements. No result has then been written.
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

/// Copies: permutations, order conversions, contiguous copies of views, and copies of elements at positions or under masks.
///
/// A position is an index along an axis, as an `i64`. Negative positions count from the end.
#[diagnostic::on_unimplemented(
    message = "the device `{Self}` cannot copy views of `{T}`",
    label = "unsupported on this device",
    note = "compute on the host: `.to_device::<Cpu>()?`; or implement `Permute<{T}>` for the device",
    note = "in generic code, bound the device: `Dev: Backend<T>`"
)]
pub trait Permute<T: Element>: Device {
    /// Copies `a` to `out`, which has the same shape.
    ///
    /// # Errors
    /// If the device reports an error.
    fn copy(&self, out: Output<'_, T, Self>, a: Operand<'_, T, Self>) -> Result<(), Error> {
        via_host::store(self, &via_host::fetch(self, a)?, out)
    }

    /// Checks that all positions are valid for an axis of extent `len`: at least `-len` and less than `len`.
    ///
    /// # Errors
    /// * [`Error::IndexOutOfBounds`] with the first invalid position, in row-major order. In the error, the axis is 0 and its extent is
    ///   `len`.
    /// * The error of the device.
    fn check_positions(&self, at: Operand<'_, i64, Self>, len: usize) -> Result<(), Error> {
        Permute::<T>::check_positions(&Cpu, via_host::fetch(self, at)?.operand(), len)
    }

    /// Variant of [`check_positions`](Permute::check_positions) for positions of type `usize`, which are passed as `i64` with the same
    /// bits. A negative `i64` represents a `usize` that is out of bounds, so it is invalid.
    #[doc(hidden)]
    fn check_unsigned(&self, at: Operand<'_, i64, Self>, len: usize) -> Result<(), Error> {
        Permute::<T>::check_unsigned(&Cpu, via_host::fetch(self, at)?.operand(), len)
    }

    /// Copies elements at positions along the last axis of `a` to `out`.
    ///
    /// `out` and `at` have the same shape, and their leading axes are all axes of `a` but the last: `out[k.., m..]` becomes
    /// `a[k.., at[k.., m..]]`.
    ///
    /// # Errors
    /// * The errors of [`check_positions`](Permute::check_positions). `out` may then be partly written.
    /// * The error of the device.
    fn take(
        &self,
        out: Output<'_, T, Self>,
        a: Operand<'_, T, Self>,
        at: Operand<'_, i64, Self>,
    ) -> Result<(), Error> {
        let (a, at) = (via_host::fetch(self, a)?, via_host::fetch(self, at)?);
        via_host::write_with(self, out, |host_out| Cpu.take(host_out, a.operand(), at.operand()))
    }

    /// Variant of [`take`](Permute::take) for positions of type `usize`: see [`check_unsigned`](Permute::check_unsigned).
    #[doc(hidden)]
    fn take_unsigned(
        &self,
        out: Output<'_, T, Self>,
        a: Operand<'_, T, Self>,
        at: Operand<'_, i64, Self>,
    ) -> Result<(), Error> {
        Permute::<T>::check_unsigned(self, at, a.shape()[a.shape().len() - 1])?;
        self.take(out, a, at)
    }

    /// Copies elements of `a` to positions along the last axis of `out`.
    ///
    /// `a` and `at` have the same shape, and their leading axes are all axes of `out` but the last: `out[k.., at[k.., m..]]` becomes
    /// `a[k.., m..]`. If several elements of `a` are copied to the same element of `out`, the last of them in row-major order is stored.
    ///
    /// # Errors
    /// * The errors of [`check_positions`](Permute::check_positions). `out` is then unchanged.
    /// * The error of the device.
    fn scatter(
        &self,
        out: Output<'_, T, Self>,
        at: Operand<'_, i64, Self>,
        a: Operand<'_, T, Self>,
    ) -> Result<(), Error> {
        let (a, at) = (via_host::fetch(self, a)?, via_host::fetch(self, at)?);
        via_host::update_with(self, out, |host_out| Cpu.scatter(host_out, at.operand(), a.operand()))
    }

    /// Copies single elements of `a` to the vector `out`. Row `i` of the matrix `at` is the index in `a` of element `i` of
    /// `out`: one position for each axis of `a`.
    ///
    /// # Errors
    /// * [`Error::IndexOutOfBounds`] with the first invalid position. `out` may then be partly written.
    /// * The error of the device.
    fn pick(
        &self,
        out: Output<'_, T, Self>,
        a: Operand<'_, T, Self>,
        at: Operand<'_, i64, Self>,
    ) -> Result<(), Error> {
        let (a, at) = (via_host::fetch(self, a)?, via_host::fetch(self, at)?);
        via_host::write_with(self, out, |host_out| Cpu.pick(host_out, a.operand(), at.operand()))
    }

    /// Copies the elements of `a` at which `mask` is `true` to the vector `out`, in row-major order. `mask` has the shape of `a`.
    /// The number of its `true` elements is the extent of `out`.
    ///
    /// # Errors
    /// If the device reports an error.
    fn compress(
        &self,
        out: Output<'_, T, Self>,
        a: Operand<'_, T, Self>,
        mask: Operand<'_, bool, Self>,
    ) -> Result<(), Error> {
        let (a, mask) = (via_host::fetch(self, a)?, via_host::fetch(self, mask)?);
        via_host::write_with(self, out, |host_out| Cpu.compress(host_out, a.operand(), mask.operand()))
    }

    /// Copies the elements of the vector `a` to the elements of `out` at which `mask` is `true`, in row-major order. `mask` has the
    /// shape of `out`. The number of its `true` elements is the extent of `a`.
    ///
    /// # Errors
    /// If the device reports an error.
    fn expand(
        &self,
        out: Output<'_, T, Self>,
        mask: Operand<'_, bool, Self>,
        a: Operand<'_, T, Self>,
    ) -> Result<(), Error> {
        let (a, mask) = (via_host::fetch(self, a)?, via_host::fetch(self, mask)?);
        via_host::update_with(self, out, |host_out| Cpu.expand(host_out, mask.operand(), a.operand()))
    }
}

/// Reductions, scans (cumulative sums and products), sorting and searching, and, with the feature `fft`, Fourier transforms. A trace is
/// computed as a reduction of a diagonal view.
///
/// For the methods that sort, select or search, −0.0 and 0.0 are equal, and NaN is last, also in descending order.
#[diagnostic::on_unimplemented(
    message = "the device `{Self}` has no reductions of tensors of `{T}`",
    label = "unsupported on this device",
    note = "compute on the host: `.to_device::<Cpu>()?`; or implement `Reduce<{T}>` for the device",
    note = "in generic code, bound the device: `Dev: Backend<T>`"
)]
pub trait Reduce<T: Element>: Device {
    /// Reduces the trailing axes of `a`. The leading axes of `a` are the axes of `out`.
    ///
    /// # Errors
    /// [`Error::Arithmetic`] if a result is not representable in the output type, or the error of the device.
    fn reduce<R: Reduction<T>>(
        &self,
        op: &R,
        out: Output<'_, R::Output, Self>,
        a: Operand<'_, T, Self>,
    ) -> Result<(), Error> {
        let a = via_host::fetch(self, a)?;
        via_host::write_with(self, out, |host_out| Cpu.reduce(op, host_out, a.operand()))
    }

    /// Writes the scan along the last axis: each result combines an element and all elements before it, by `op`.
    ///
    /// # Errors
    /// [`Error::Arithmetic`] if `op` is undefined for some elements, or the error of the device.
    fn scan<F: BinaryOp<T, T, Output = T>>(
        &self,
        op: &F,
        out: Output<'_, T, Self>,
        a: Operand<'_, T, Self>,
    ) -> Result<(), Error> {
        let a = via_host::fetch(self, a)?;
        via_host::write_with(self, out, |host_out| Cpu.scan(op, host_out, a.operand()))
    }

    /// Combines elements of `out`, at positions along its last axis, with elements of `a`.
    ///
    /// `a` and `at` have the same shape, and their leading axes are all axes of `out` but the last: `out[k.., at[k.., m..]]` becomes
    /// `op(out[k.., at[k.., m..]], a[k.., m..])`. For each `k..`, the elements of `a` are combined in row-major order of `m..`. Negative
    /// positions count from the end.
    ///
    /// # Errors
    /// * The errors of [`Permute::check_positions`]. `out` is then unchanged.
    /// * [`Error::Arithmetic`] if `op` is undefined for some elements. `out` may then be partly written.
    /// * The error of the device.
    fn scatter_with<F: BinaryOp<T, T, Output = T>>(
        &self,
        op: &F,
        out: Output<'_, T, Self>,
        at: Operand<'_, i64, Self>,
        a: Operand<'_, T, Self>,
    ) -> Result<(), Error> {
        let (a, at) = (via_host::fetch(self, a)?, via_host::fetch(self, at)?);
        via_host::update_with(self, out, |host_out| Cpu.scatter_with(op, host_out, at.operand(), a.operand()))
    }

    /// Variant of [`scatter_with`](Reduce::scatter_with) for positions of type `usize`: see [`Permute::check_unsigned`].
    #[doc(hidden)]
    fn scatter_with_unsigned<F: BinaryOp<T, T, Output = T>>(
        &self,
        op: &F,
        out: Output<'_, T, Self>,
        at: Operand<'_, i64, Self>,
        a: Operand<'_, T, Self>,
    ) -> Result<(), Error> {
        let host = via_host::fetch(self, at)?;
        Permute::<T>::check_unsigned(&Cpu, host.operand(), out.shape()[out.shape().len() - 1])?;
        self.scatter_with(op, out, at, a)
    }

    /// Writes the indices of all elements of `a` that are not zero to the rows of the matrix `out`, in row-major order of `a`.
    /// `out` has one row for each of these elements, and one column for each axis of `a`.
    ///
    /// # Errors
    /// If the device reports an error.
    fn nonzero(&self, out: Output<'_, i64, Self>, a: Operand<'_, T, Self>) -> Result<(), Error> {
        let a = via_host::fetch(self, a)?;
        via_host::write_with(self, out, |host_out| Cpu.nonzero(host_out, a.operand()))
    }

    /// Writes the Fourier transform over the last `transform.axes` axes. Along them, `a` is cut or padded with zeros to the extents
    /// of `out`; the other axes have equal extents.
    ///
    /// # Errors
    /// The error of the device, such as [`Error::OutOfMemory`]. `out` then has unspecified elements.
    #[cfg(feature = "fft")]
    fn fft(
        &self,
        transform: Transform,
        out: Output<'_, T::Complex, Self>,
        a: Operand<'_, T, Self>,
    ) -> Result<(), Error>
    where
        T: FftElement,
    {
        let a = via_host::fetch(self, a)?;
        via_host::write_with(self, out, |host_out| Cpu.fft(transform, host_out, a.operand()))
    }

    /// Writes the Fourier transform of real numbers. Along the last axis, it consists of the first `transform.len / 2 + 1` elements of the
    /// transform of `transform.len` elements. Along the `transform.axes - 1` axes before it, the transform is that of [`fft`](Reduce::fft).
    ///
    /// # Errors
    /// Those of [`fft`](Reduce::fft).
    #[cfg(feature = "fft")]
    fn rfft(
        &self,
        transform: Transform,
        out: Output<'_, T::Complex, Self>,
        a: Operand<'_, T, Self>,
    ) -> Result<(), Error>
    where
        T: FftReal,
    {
        let a = via_host::fetch(self, a)?;
        via_host::write_with(self, out, |host_out| Cpu.rfft(transform, host_out, a.operand()))
    }

    /// Writes the inverse of [`rfft`](Reduce::rfft). Computes complex transforms along the `transform.axes - 1` axes before the last one.
    /// Then transforms the first `transform.len / 2 + 1` complex numbers along the last axis to `transform.len` real numbers. Missing
    /// complex numbers count as zeros.
    ///
    /// # Errors
    /// Those of [`fft`](Reduce::fft).
    #[cfg(feature = "fft")]
    fn irfft(
        &self,
        transform: Transform,
        out: Output<'_, T::Magnitude, Self>,
        a: Operand<'_, T, Self>,
    ) -> Result<(), Error>
    where
        T: FftComplex,
    {
        let a = via_host::fetch(self, a)?;
        via_host::write_with(self, out, |host_out| Cpu.irfft(transform, host_out, a.operand()))
    }

    /// Sorts the elements along the last axis, in place. Elements that are equal keep their order.
    ///
    /// # Errors
    /// If the device reports an error.
    fn sort(&self, a: Output<'_, T, Self>, descending: bool) -> Result<(), Error>
    where
        T: Ordered,
    {
        via_host::update_with(self, a, |host_a| Cpu.sort(host_a, descending))
    }

    /// Writes the indices that sort the elements along the last axis of `a`. Elements that are equal keep their order.
    ///
    /// # Errors
    /// If the device reports an error.
    fn argsort(
        &self,
        out: Output<'_, i64, Self>,
        a: Operand<'_, T, Self>,
        descending: bool,
    ) -> Result<(), Error>
    where
        T: Ordered,
    {
        let a = via_host::fetch(self, a)?;
        via_host::write_with(self, out, |host_out| Cpu.argsort(host_out, a.operand(), descending))
    }

    /// Partitions the elements along the last axis. Index `k` of this axis then has the same element as after sorting. No element before
    /// it is greater, and no element after it is less. `k` is less than the extent of the last axis.
    ///
    /// # Errors
    /// If the device reports an error.
    fn partition(&self, a: Output<'_, T, Self>, k: usize) -> Result<(), Error>
    where
        T: Ordered,
    {
        via_host::update_with(self, a, |host_a| Cpu.partition(host_a, k))
    }

    /// Writes the first elements of each line along the last axis of `a` in sorted order, and their indices: the greatest elements if
    /// `descending`, otherwise the smallest. The extent of the last axis of `values` and `indices` is the number of elements to write.
    /// Elements that are equal are in the order of their indices.
    ///
    /// # Errors
    /// If the device reports an error.
    fn top_k(
        &self,
        values: Output<'_, T, Self>,
        indices: Output<'_, i64, Self>,
        a: Operand<'_, T, Self>,
        descending: bool,
    ) -> Result<(), Error>
    where
        T: Ordered,
    {
        let a = via_host::fetch(self, a)?;
        via_host::write_with(self, values, |host_values| {
            via_host::write_with(self, indices, |host_indices| {
                Cpu.top_k(host_values, host_indices, a.operand(), descending)
            })
        })
    }

    /// Writes quantiles along the trailing axes of `a`. The axes of `out` are the leading axes of `a`, and a last axis for `levels`, which
    /// are from 0 to 1. If `method` is `None`, each level gives the median.
    ///
    /// # Errors
    /// If the device reports an error.
    fn quantile(
        &self,
        out: Output<'_, T::Float, Self>,
        a: Operand<'_, T, Self>,
        levels: &[f64],
        method: Option<Quantile>,
    ) -> Result<(), Error>
    where
        T: RealScalar,
    {
        let a = via_host::fetch(self, a)?;
        via_host::write_with(self, out, |host_out| Cpu.quantile(host_out, a.operand(), levels, method))
    }

    /// Returns the distinct elements of `a` in ascending order. All NaN count as equal.
    ///
    /// # Errors
    /// If the device reports an error.
    fn unique(&self, a: Operand<'_, T, Self>) -> Result<Self::Buffer<T>, Error>
    where
        T: Ordered,
    {
        let a = via_host::fetch(self, a)?;
        self.adopt(Cpu.release(Cpu.unique(a.operand())?)?)
    }

    /// Returns the distinct elements of `a` in ascending order, and for each of them the number of elements of `a` equal to it. All NaN count
    /// as equal.
    ///
    /// # Errors
    /// If the device reports an error.
    fn unique_counts(&self, a: Operand<'_, T, Self>) -> Result<(Self::Buffer<T>, Self::Buffer<i64>), Error>
    where
        T: Ordered,
    {
        let (values, [_, _, counts]) = self.unique_with(a)?;
        Ok((values, counts))
    }

    /// Returns the distinct elements of `a` in ascending order, and three buffers of indices and counts. All NaN count as equal.
    ///
    /// The first buffer has, for each distinct element, the flat index of the first element of `a` equal to it. The second one has, for
    /// each element of `a`, the index of the distinct element equal to it. The third one has, for each distinct element, the number of
    /// elements of `a` equal to it. The flat indices, and the order of the second buffer, are row-major.
    ///
    /// # Errors
    /// If the device reports an error.
    #[allow(clippy::type_complexity)]
    fn unique_with(&self, a: Operand<'_, T, Self>) -> Result<(Self::Buffer<T>, [Self::Buffer<i64>; 3]), Error>
    where
        T: Ordered,
    {
        let a = via_host::fetch(self, a)?;
        let (values, [first, inverse, counts]) = Cpu.unique_with(a.operand())?;
        let adopt = |buffer| self.adopt(Cpu.release(buffer)?);
        Ok((self.adopt(Cpu.release(values)?)?, [adopt(first)?, adopt(inverse)?, adopt(counts)?]))
    }

    /// Writes the indices that sort the columns of a matrix by the elements of its last row. Columns with equal elements in the last row
    /// are sorted by the row before it, and so on.
    ///
    /// # Errors
    /// If the device reports an error.
    fn lexsort(&self, out: Output<'_, i64, Self>, a: Operand<'_, T, Self>) -> Result<(), Error>
    where
        T: Ordered,
    {
        let a = via_host::fetch(self, a)?;
        via_host::write_with(self, out, |host_out| Cpu.lexsort(host_out, a.operand()))
    }

    /// Writes, for each element of `a`, the index at which the element can be inserted into the vector `sorted` so that the vector stays
    /// sorted. If `right`, the index is after all equal elements, otherwise before all of them.
    ///
    /// # Errors
    /// * [`Error::Argument`] if `sorted` is not sorted. The host and GPUs check this in builds with debug assertions; other devices need
    ///   not check it.
    /// * The error of the device.
    fn search(
        &self,
        out: Output<'_, i64, Self>,
        sorted: Operand<'_, T, Self>,
        a: Operand<'_, T, Self>,
        right: bool,
    ) -> Result<(), Error>
    where
        T: Ordered,
    {
        let (sorted, a) = (via_host::fetch(self, sorted)?, via_host::fetch(self, a)?);
        via_host::write_with(self, out, |host_out| Cpu.search(host_out, sorted.operand(), a.operand(), right))
    }

    /// Writes whether each element of `a` is equal to an element of `of`, which can have any shape. NaN is not equal to NaN.
    ///
    /// # Errors
    /// If the device reports an error.
    fn contains(
        &self,
        out: Output<'_, bool, Self>,
        a: Operand<'_, T, Self>,
        of: Operand<'_, T, Self>,
    ) -> Result<(), Error>
    where
        T: Ordered,
    {
        let (a, of) = (via_host::fetch(self, a)?, via_host::fetch(self, of)?);
        via_host::write_with(self, out, |host_out| Cpu.contains(host_out, a.operand(), of.operand()))
    }
}

/// Sums of products: matrix products, dot products, and the pairwise products of contractions.
#[diagnostic::on_unimplemented(
    message = "the device `{Self}` cannot multiply matrices of `{T}`",
    label = "no matrix products on this device",
    note = "multiply on the host: `.to_device::<Cpu>()?`; or implement `Gemm<{T}>` for the device",
    note = "in generic code, bound the device: `Dev: Backend<T>`"
)]
pub trait Gemm<T: Scalar>: Device {
    /// The number of elements that the device copies in the time in which it starts a matrix product. If the matrices of a contraction are
    /// not contiguous, several smaller products can accumulate the result, or an operand is copied first. A contraction chooses the
    /// products only if starting them takes less time than the copy.
    const START_COST: usize = 0;

    /// Computes the matrix products `out = alpha · a · b + beta · out` of a batch. `out`, `a` and `b` have shapes `[.., m, n]`,
    /// `[.., m, k]` and `[.., k, n]`. The leading axes, `..`, are those of the batch; they have equal extents. If `beta` is zero,
    /// `out` is not read.
    ///
    /// # Errors
    /// * [`Error::Arithmetic`] if an integer result overflows. Results of 64 bits wrap in builds without debug assertions.
    /// * The error of the device.
    fn gemm(&self, args: ProductArgs<'_, T, Self>) -> Result<(), Error> {
        products_on_host(self, args, |args| Cpu.gemm(args))
    }

    /// Computes `out = alpha · Σ a · b + beta · out`: elementwise products, summed over the trailing axes of `a` and `b`. `a` and
    /// `b` have the same shape. Their leading axes have the extents of `out`; an operand that does not depend on an axis has stride 0
    /// along it. If `beta` is zero, `out` is not read.
    ///
    /// Dot products, matrix-vector products, and accumulated elementwise products have this form.
    ///
    /// # Errors
    /// The errors of [`gemm`](Gemm::gemm).
    fn sum_products(&self, args: ProductArgs<'_, T, Self>) -> Result<(), Error> {
        products_on_host(self, args, |args| Cpu.sum_products(args))
    }
}

/// Host fallback of [`Gemm`]: copies the operands to the host, calls `kernel`, and copies the result to the output. Copies the
/// output to the host first if `beta` is not zero.
pub(super) fn products_on_host<T: Scalar, Dev: Device>(
    device: &Dev,
    args: ProductArgs<'_, T, Dev>,
    kernel: impl FnOnce(ProductArgs<'_, T, Cpu>) -> Result<(), Error>,
) -> Result<(), Error> {
    let ProductArgs { scaling, a, b, out } = args;
    let (x, y) = (via_host::fetch(device, a.operand)?, via_host::fetch(device, b.operand)?);
    let on_host = |out: Output<'_, T, Cpu>| {
        let a = MatrixOperand { operand: x.operand(), conjugate: a.conjugate };
        let b = MatrixOperand { operand: y.operand(), conjugate: b.conjugate };
        kernel(ProductArgs { scaling, a, b, out })
    };
    if scaling.beta.is_zero() {
        via_host::write_with(device, out, on_host)
    } else {
        via_host::update_with(device, out, on_host)
    }
}

/// Defines a trait whose supertraits are the listed families, and implements it for every device that has all of them.
macro_rules! umbrella {
    ($(#[$attribute:meta])* $Name:ident<$T:ident>: $($Family:ident<$Of:ty>),+ $(,)?) => {
        $(#[$attribute])*
        pub trait $Name<$T: Scalar>: $($Family<$Of> +)+ {}

        #[diagnostic::do_not_recommend]
        impl<$T: Scalar, Dev: $($Family<$Of> +)+> $Name<$T> for Dev {}
    };
}

umbrella! {
    /// The families that contractions need: [`Elementwise`], [`Permute`], [`Reduce`] and [`Gemm`] for `T`.
    #[diagnostic::on_unimplemented(
        message = "the device `{Self}` cannot contract tensors of `{T}`",
        label = "a capability family is missing on this device",
        note = "contract on the host: `.to_device::<Cpu>()?`; or implement the missing ones of `Elementwise<{T}>`, `Permute<{T}>`, `Reduce<{T}>` and `Gemm<{T}>`",
        note = "in generic code, bound the device: `Dev: Backend<T>`"
    )]
    Contract<T>: Elementwise<T>, Permute<T>, Reduce<T>, Gemm<T>
}

umbrella! {
    /// All families that generic numeric code over `T` needs, for `T` and for the types derived from it: real parts, quotients,
    /// magnitudes, masks and indices.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// fn centred<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    ///     x: TensorView<'_, T, D, O, Dev>,
    /// ) -> Tensor<T, D, O, Dev> {
    ///     x - x.mean().cast::<T>()
    /// }
    /// assert_eq!(centred(tensor![1.0, 2.0, 6.0].view()), tensor![-2.0, -1.0, 3.0]);
    /// ```
    #[diagnostic::on_unimplemented(
        message = "the device `{Self}` does not implement all capability families for `{T}`",
        label = "a capability family is missing on this device",
        note = "compute on the host: `.to_device::<Cpu>()?`; or implement the missing ones of `Elementwise`, `Permute`, `Reduce` and `Gemm`",
        note = "generic code that needs only one of them can bound that one: `Dev: Elementwise<T>`"
    )]
    Backend<T>:
        Contract<T>,
        Elementwise<T>, Elementwise<T::Real>, Elementwise<T::Float>, Elementwise<T::Magnitude>,
        Elementwise<bool>, Elementwise<i64>,
        Permute<T>, Permute<T::Real>, Permute<T::Float>, Permute<T::Magnitude>, Permute<bool>, Permute<i64>,
        Reduce<T>, Reduce<T::Real>, Reduce<T::Float>, Reduce<T::Magnitude>, Reduce<bool>, Reduce<i64>,
        Gemm<T>, Gemm<T::Real>, Gemm<T::Float>, Gemm<T::Magnitude>,
}
