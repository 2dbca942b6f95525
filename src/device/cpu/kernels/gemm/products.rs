//! Sums of products: dot products, products of a matrix and a vector, accumulated elementwise products. `engine::matmul`,
//! `engine::contract` and `ops::products` call [`sum_products`] through the trait [`Gemm`](crate::device::Gemm).
//!
//! ```text
//! at most 16 outputs of at most 8 terms: one sum after the other, without a plan      (sum_a_few)
//! a short dot product: also without a plan                                            (dot)
//! one term per output: an elementwise product                                         (products)
//! few terms, or smaller strides along the outputs than along the terms:
//!     for each block of at most MAX_SWEPT_OUTPUTS adjacent outputs                    (sweep)
//!         for each term p: sums[j] += a[j, p] · b[j, p] for all outputs j             (sweep_columns, add_rows)
//! otherwise:
//!     for each output: the sum over all terms                                         (dots, dot_all, dot)
//!         for each block of LANES · CHAIN_LEN terms                                   (dot_block)
//!             sums[p % LANES] += a[p] · b[p]
//! ```
//!
//! A plan ([`Plan`]) sorts and fuses the axes that the loops run over.
//!
//! As in reductions, the partial sums of blocks are combined pairwise, so that the error grows as O(log n · ε). How a sum is split
//! depends on extents and strides alone, and not on the number of threads. As in BLAS, `a` and `b` are not read if `alpha` is zero,
//! and the output is not read if `beta` is zero.

use crate::device::cpu::kernels::reduce::pairwise;
use crate::device::cpu::loops::threads::{PARALLEL_SUM_LEN, enter, join, over_outputs, over_parts};
use crate::device::cpu::precompiled::precompiled;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::{MatrixOperand, Operand, Output, ProductArgs, Scaling};
use crate::element::DType::{I8, I16, I32, I64};
use crate::element::{Arithmetic, RealScalar, Scalar};
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use crate::simd::kernel;
use core::sync::atomic::{AtomicBool, Ordering};
use num_traits::{One, Zero};

/// Number of products that one accumulator adds before it is combined with another.
const CHAIN_LEN: usize = 32;
/// Maximum number of outputs that [`sweep`](SumTask::sweep) computes together. Their accumulators and some rows of the operands fit
/// in L1.
const MAX_SWEPT_OUTPUTS: usize = 256;
/// Maximum number of outputs of [`sum_a_few`], which sums without a [`Plan`] of the loops.
const MAX_UNPLANNED_OUTPUTS: usize = 16;
/// Maximum number of terms per output of [`sum_a_few`].
const MAX_UNPLANNED_TERMS: usize = 8;
/// Number of rows that are added to one set of accumulators before it is combined with another set. A row has one term of each
/// output.
const SWEPT_ROWS: usize = 16;
/// The same for checked sums of integers, which are not rounded. The narrow sums of so many rows are added to the accumulators.
const MANY_SWEPT_ROWS: usize = 32;

/// Returns the number of rows that are added to one set of accumulators.
const fn swept_rows<T: Scalar>() -> usize {
    if T::SUMS_CHECKED { MANY_SWEPT_ROWS } else { SWEPT_ROWS }
}

/// Computes `out = alpha · Σ a · b + beta · out`, summed over the trailing axes of `a` and `b`.
// Always inlined: if the ranks are known at compile time, the compiler removes most of the code.
#[inline(always)]
pub(in crate::device::cpu) fn sum_products<T: Scalar>(args: ProductArgs<'_, T, Cpu>) -> Result<(), Error> {
    // Each condition is `const`, so the compiler instantiates only the branch that is taken.
    let few = if const { T::COMPLEX } {
        sum_a_few::<T, Parts>(&args)
    } else if const { !T::SUMS_CHECKED } {
        sum_a_few::<T, Plain>(&args)
    } else if const { size_of::<T>() == 1 } {
        sum_a_few::<T, Bytes>(&args)
    } else if const { size_of::<T>() == 2 } {
        sum_a_few::<T, Shorts>(&args)
    } else if const { size_of::<T>() == 4 } {
        sum_a_few::<T, Words>(&args)
    } else {
        sum_a_few::<T, Checked>(&args)
    };
    match few {
        Some(true) => Ok(()),
        Some(false) => Err(does_not_fit::<T>()),
        None => {
            let ProductArgs { scaling: Scaling { alpha, beta }, a, b, out } = args;
            instance::<T>()(alpha, a, b, beta, out)
        }
    }
}

/// Computes a few short sums without a [`Plan`] of the loops, because planning would take longer than the sums. Returns whether all
/// results are representable. Returns `None` and writes nothing in these cases:
/// * There are more than [`MAX_UNPLANNED_OUTPUTS`] outputs, or more than [`MAX_UNPLANNED_TERMS`] terms per output.
/// * The output has several axes, or the number of summed axes is not 1.
/// * The shapes do not agree, which [`compute`] rejects.
#[inline(always)]
fn sum_a_few<T: Scalar, S: Sums<T>>(args: &ProductArgs<'_, T, Cpu>) -> Option<bool> {
    let ProductArgs { scaling: Scaling { alpha, beta }, a, b, out } = args;
    let outputs = match (out.shape(), a.operand.shape()) {
        (&[], &[..=MAX_UNPLANNED_TERMS]) => 1,
        (&[outputs @ ..=MAX_UNPLANNED_OUTPUTS], &[kept, ..=MAX_UNPLANNED_TERMS]) if kept == outputs => {
            outputs
        }
        _ => return None,
    };
    if !same(a.operand.shape(), b.operand.shape()) {
        return None;
    }
    let last = out.shape().len();
    let first = |strides: &[isize]| if last == 0 { 0 } else { strides[0] };
    let steps = [first(out.strides()), first(a.operand.strides()), first(b.operand.strides())];
    let along = [a.operand.strides()[last], b.operand.strides()[last]];
    // If `alpha` is zero, the sum is over zero terms, so that `a` and `b` are not read.
    let terms = if alpha.is_zero() { 0 } else { a.operand.shape()[last] };
    let finishing = Finish::new(*alpha, *beta, [a.conjugate, b.conjugate]);
    let mut fits = true;
    for i in 0..outputs as isize {
        let (x, y) = (a.operand.ptr().offset(i * steps[1]), b.operand.ptr().offset(i * steps[2]));
        let pair = Zipped::<T, ANY_STRIDE, ANY_STRIDE>::new(x, y, along);
        // SAFETY: `i` is less than the extent of the kept axis, or 0 if there is none. `terms` is at most the extent of the summed axis. So
        // elements `0..terms` of `pair` are elements of `a` and `b`, which `Operand` guarantees to be readable. One lane divides every
        // length.
        let [sum] = unsafe { lanes::<T, S, 1, ANY_STRIDE>(pair, 0, terms) };
        // SAFETY: `i` is less than the extent of the output's axis, or 0 if it has none. `Output` guarantees exclusive access to
        // this element.
        fits &= unsafe { finishing.put::<S>(out.ptr().offset(i * steps[0]), sum) };
    }
    Some(fits)
}

#[cold]
fn does_not_fit<T: Scalar>() -> Error {
    Error::Arithmetic {
        op: "sum of products",
        dtype: T::DTYPE.name(),
        values: "operands whose products overflow".into(),
    }
}

type SumProducts<T> =
    fn(T, MatrixOperand<'_, T, Cpu>, MatrixOperand<'_, T, Cpu>, T, Output<'_, T, Cpu>) -> Result<(), Error>;

/// Returns [`sum`] for `T`.
#[inline]
fn instance<T: Scalar>() -> SumProducts<T> {
    precompiled!(
        T, SumProducts,
        fn sum(
            alpha: S, a: MatrixOperand<'_, S, Cpu>, b: MatrixOperand<'_, S, Cpu>, beta: S, out: Output<'_, S, Cpu>,
        ) -> Result<(), Error>
    )
}

fn sum<T: Scalar>(
    alpha: T,
    a: MatrixOperand<'_, T, Cpu>,
    b: MatrixOperand<'_, T, Cpu>,
    beta: T,
    out: Output<'_, T, Cpu>,
) -> Result<(), Error> {
    if const { T::INTEGER && !T::SUMS_CHECKED } {
        // Results wrap, so signed and unsigned integers share the code.
        let ptr = HostPtr::new(out.ptr().get().cast());
        // SAFETY: `Output` guarantees exclusive access to the elements of `out`, which are distinct. `T` and `T::Wrapping` are integer
        // types of the same size, so the bits of each are a valid value of the other.
        let out = unsafe { Output::from_raw(ptr, out.shape(), out.strides()) };
        sum_of(alpha.to_wrapping(), wrapping(a), wrapping(b), beta.to_wrapping(), out)
    } else {
        sum_of(alpha, a, b, beta, out)
    }
}

/// Returns an operand of integers as an operand with elements of type [`Scalar::Wrapping`].
fn wrapping<'a, T: Scalar>(x: MatrixOperand<'a, T, Cpu>) -> MatrixOperand<'a, T::Wrapping, Cpu> {
    assert!(T::INTEGER && size_of::<T>() == size_of::<T::Wrapping>());
    let ptr = HostPtr::new(x.operand.ptr().get().cast());
    // SAFETY: `Operand` guarantees that its elements are readable. By the assertion, `T` is an integer type of the size of `T::Wrapping`.
    // So the bits of each element are a valid `T::Wrapping`.
    let operand = unsafe { Operand::from_raw(ptr, x.operand.shape(), x.operand.strides()) };
    MatrixOperand { operand, conjugate: x.conjugate }
}

fn sum_of<T: Scalar>(
    alpha: T,
    a: MatrixOperand<'_, T, Cpu>,
    b: MatrixOperand<'_, T, Cpu>,
    beta: T,
    out: Output<'_, T, Cpu>,
) -> Result<(), Error> {
    // There are as many accumulators as fit in registers. A complex accumulator consists of four numbers. Each condition is `const`, so
    // the compiler instantiates only the branch that is taken. A `match` on a tuple would instantiate all branches.
    if const { T::COMPLEX } {
        compute::<T, Parts, 8>(alpha, a, b, beta, out)
    } else if const { T::SUMS_CHECKED && size_of::<T>() == 1 } {
        compute::<T, Bytes, 32>(alpha, a, b, beta, out)
    } else if const { T::SUMS_CHECKED && size_of::<T>() == 2 } {
        compute::<T, Shorts, 32>(alpha, a, b, beta, out)
    } else if const { T::SUMS_CHECKED && size_of::<T>() == 4 } {
        compute::<T, Words, 64>(alpha, a, b, beta, out)
    } else if const { T::SUMS_CHECKED } {
        compute::<T, Checked, 8>(alpha, a, b, beta, out)
    } else if const { size_of::<T::Real>() < 8 } {
        compute::<T, Plain, 32>(alpha, a, b, beta, out)
    } else {
        compute::<T, Plain, 16>(alpha, a, b, beta, out)
    }
}

/// Plans the loops and selects one of the algorithms of the module documentation.
fn compute<T: Scalar, S: Sums<T>, const LANES: usize>(
    alpha: T,
    a: MatrixOperand<'_, T, Cpu>,
    b: MatrixOperand<'_, T, Cpu>,
    beta: T,
    out: Output<'_, T, Cpu>,
) -> Result<(), Error> {
    let shape = a.operand.shape();
    assert!(same(shape, b.operand.shape()), "the operands must have the same shape");
    // For sums of several terms, the plans put the smallest strides of `a` in the inner loops. The operand with more distinct elements
    // gains most from this order, so `a` and `b` are swapped if it is `b`.
    let elements = |factor: &MatrixOperand<'_, T, Cpu>| {
        let axes = shape.iter().zip(factor.operand.strides()).filter(|&(_, &stride)| stride != 0);
        axes.fold(1, |n: usize, (&extent, _)| n.saturating_mul(extent))
    };
    let (a, b) = if elements(&a) < elements(&b) { (b, a) } else { (a, b) };
    let (kept_shape, summed_shape) = shape.split_at(out.shape().len());
    assert!(same(out.shape(), kept_shape), "the leading axes must have the shape of the output");
    let (kept_a, summed_a) = a.operand.strides().split_at(kept_shape.len());
    let (kept_b, summed_b) = b.operand.strides().split_at(kept_shape.len());
    // If `alpha` is zero, the sum is over zero terms, so that `a` and `b` are not read.
    let (summed_shape, summed_a, summed_b): (&[usize], &[isize], &[isize]) =
        if alpha.is_zero() { (&[0], &[0], &[0]) } else { (summed_shape, summed_a, summed_b) };
    let terms: usize = summed_shape.iter().product();
    if terms as u64 > S::MAX_TERMS {
        return Err(does_not_fit::<T>());
    }
    let job = SumTask {
        a: a.operand.ptr(),
        b: b.operand.ptr(),
        out: out.ptr(),
        finishing: Finish::new(alpha, beta, [a.conjugate, b.conjugate]),
        inexact: AtomicBool::new(false),
    };
    if let ([], &[n]) = (kept_shape, summed_shape)
        && n < 2 * PARALLEL_SUM_LEN
    {
        // A short dot product: planning would take longer than the sum.
        // SAFETY: `n` is the extent of the only axis of both operands, or 0. `Operand` guarantees that these elements are readable.
        let sum = unsafe { dot::<T, S, LANES>(job.a, job.b, [summed_a[0], summed_b[0]], n) };
        // SAFETY: the output has no axes, so offset 0 is its only element; `Output` guarantees exclusive access to it.
        unsafe { job.put::<S>(0, sum) };
    } else if terms == 1 {
        let plan = Plan::unordered(kept_shape, [out.strides(), kept_a, kept_b]);
        // SAFETY: `plan` visits the kept axes, and the summed axes have extent 1. So it visits elements of the operands, which `Operand`
        // guarantees to be readable. It also visits elements of the output, to which `Output` guarantees exclusive access. Different parts
        // of `plan` visit different outputs.
        over_parts(&plan, 3 * size_of::<T>(), &|_| 1, &|part| unsafe { job.products::<S>(part) });
    } else {
        let kept = Plan::unordered_by(kept_shape, [out.strides(), kept_a, kept_b], 1);
        let summed = Plan::unordered_by(summed_shape, [summed_a, summed_b], 0);
        let work = kept.len().saturating_mul(terms).saturating_mul(2 * size_of::<T>());
        if sweeps(&kept, &summed) {
            // SAFETY: `kept` and `summed` together visit the elements of the operands, which `Operand` guarantees to be readable.
            // `Output` guarantees exclusive access to the outputs, and parts of `kept` have different outputs.
            let sweep = |part: &_| unsafe { job.sweep::<S>(part, &summed) };
            enter(work, || {
                over_outputs(&kept, terms.max(1), 2 * PARALLEL_SUM_LEN, MAX_SWEPT_OUTPUTS, &sweep)
            });
        } else {
            // SAFETY: `kept` and `summed` together visit the elements of the operands, which `Operand` guarantees to be readable.
            // `Output` guarantees exclusive access to the outputs, and parts of `kept` have different outputs.
            let dots = |part: &_| unsafe { job.dots::<S, LANES>(part, &summed) };
            enter(work, || over_outputs(&kept, terms.max(1), 2 * PARALLEL_SUM_LEN, MAX_SWEPT_OUTPUTS, &dots));
        }
    }
    if job.inexact.into_inner() {
        return Err(does_not_fit::<T>());
    }
    Ok(())
}

/// Returns whether the inner loop is over outputs rather than over the terms of one sum. Returns `true` if there are few terms.
/// Also returns `true` if the strides along the outputs are smaller than along the terms, and at least 6 outputs are in the inner
/// loop.
fn sweeps(kept: &Plan<3>, summed: &Plan<2>) -> bool {
    let [_, ka, kb] = kept.inner_strides();
    // The cost of one iteration of the inner loop, in elements that are fetched from memory. An operand with stride 0 costs 0. An
    // operand with a large stride costs 8, the elements of a cache line of `f64`.
    let cost = |strides: [isize; 2]| strides.map(|s| s.unsigned_abs().min(8)).iter().sum::<usize>();
    let short = summed.len() < 8 && summed.len() < kept.inner_len();
    short || (kept.inner_len() >= 6 && cost([ka, kb]) < cost(summed.inner_strides()))
}

// ------------------------------------------------------------------ accumulators

/// The scaling factors, and the signs that conjugation causes, prepared for computing `alpha · sum + beta · old` from a sum.
#[derive(Debug, Clone, Copy)]
struct Finish<T: Scalar> {
    alpha: T,
    beta: T,
    /// Whether to skip the multiplication by a complex `alpha` of 1, which would turn infinities into NaN.
    alpha_is_one: bool,
    /// Whether to skip the multiplication by a complex `beta` of 1, for the same reason.
    beta_is_one: bool,
    /// Whether `beta` is not zero, so that the old value is read.
    reads_old: bool,
    /// The factors, 1 or -1, by which the sums in [`Parts`] are multiplied in the result. They depend on which operands are conjugated.
    minus_im_im: T::Real,
    re_im: T::Real,
    im_re: T::Real,
}

impl<T: Scalar> Finish<T> {
    #[inline]
    fn new(alpha: T, beta: T, conjugate: [bool; 2]) -> Self {
        let plus = T::Real::one();
        // Computes -1 for complex types only: operands of other types are not conjugated, and unsigned types have no -1.
        let minus = |yes: bool| if T::COMPLEX && yes { T::Real::zero() - plus } else { plus };
        let [a, b] = conjugate;
        Finish {
            alpha,
            beta,
            alpha_is_one: T::COMPLEX && alpha.is_one(),
            beta_is_one: T::COMPLEX && beta.is_one(),
            reads_old: !beta.is_zero(),
            minus_im_im: minus(a == b),
            re_im: minus(b),
            im_re: minus(a),
        }
    }

    #[inline(always)]
    fn scaled(&self, sum: T) -> T {
        if self.alpha_is_one { sum } else { T::wrapping(Arithmetic::Mul, self.alpha, sum) }
    }

    #[inline(always)]
    fn with_old(&self, sum: T, old: T) -> T {
        let old = if self.beta_is_one { old } else { T::wrapping(Arithmetic::Mul, self.beta, old) };
        T::wrapping(Arithmetic::Add, self.scaled(sum), old)
    }

    /// Returns the result for an exact sum of integers of up to 32 bits, and whether it fits.
    #[inline(always)]
    fn exact(&self, sum: i128, old: Option<T>) -> (T, bool) {
        let whole = |x: T| x.re().in_i128();
        let scaled = if self.alpha.is_one() { sum } else { whole(self.alpha).saturating_mul(sum) };
        let sum = old.map_or(scaled, |old| scaled.saturating_add(whole(self.beta) * whole(old)));
        let value = T::Real::wrapped(sum);
        (T::from_real(value), value.in_i128() == sum)
    }

    /// Computes the result for a sum and writes it to `to`. Returns `false` if an integer overflowed.
    ///
    /// # Safety
    /// The caller must ensure that `to` is an element of the output, and exclusive access to it.
    #[inline(always)]
    unsafe fn put<S: Sums<T>>(&self, to: HostPtr<T>, sum: S::Sum) -> bool {
        // SAFETY: the caller ensures that `to` is an element of the output and that access to it is exclusive.
        let old = self.reads_old.then(|| unsafe { *to.get() });
        let (value, exact) = S::finish(sum, self, old);
        // SAFETY: the caller ensures that `to` is an element of the output and that access to it is exclusive.
        unsafe { *to.get() = value };
        exact
    }
}

/// The types of accumulators, and their arithmetic.
trait Sums<T: Scalar> {
    /// The sum of at most [`CHAIN_LEN`] products. It may be narrower than `Sum`, so that more lanes fit in a register.
    type Lane: Copy;
    type Sum: Copy + Send + Sync;
    /// Maximum number of terms of a sum that never overflows. Broadcast operands can have more terms.
    const MAX_TERMS: u64 = u64::MAX;
    fn zero() -> Self::Lane;
    fn product(x: T, y: T) -> Self::Lane;
    /// Returns `sum + x · y`.
    fn add(sum: Self::Lane, x: T, y: T) -> Self::Lane;
    fn widen(lane: Self::Lane) -> Self::Sum;
    fn merge(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// Sums the products `from..to` in `LANES` accumulators: product `from + i` in accumulator `i % LANES`. `LANES` divides `to - from`, and
    /// there are at most [`CHAIN_LEN`] products for each accumulator. `pair(i)` has the factors of product `i`.
    #[inline(always)]
    fn lanes<const LANES: usize>(
        from: usize,
        to: usize,
        pair: impl Fn(usize) -> (T, T),
    ) -> [Self::Sum; LANES] {
        let mut sums = [Self::zero(); LANES];
        for i in (from..to).step_by(LANES) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let (x, y) = pair(i + lane);
                *sum = Self::add(*sum, x, y);
            }
        }
        let mut wide = [Self::widen(Self::zero()); LANES];
        for lane in 0..LANES {
            wide[lane] = Self::widen(sums[lane]);
        }
        wide
    }
    /// Returns the sum of `n <= LANES * CHAIN_LEN` products as four partial sums. `pair(i)` has the factors of product `i`.
    #[inline(always)]
    fn block<const LANES: usize>(n: usize, pair: impl Fn(usize) -> (T, T)) -> [Self::Sum; 4] {
        let (whole, fours) = (n - n % LANES, n - n % 4);
        let mut many = Self::lanes::<LANES>(0, whole, &pair);
        let four = Self::lanes::<4>(whole, fours, &pair);
        let [one] = Self::lanes::<1>(fours, n, &pair);
        let mut width = LANES;
        while width > 4 {
            width /= 2;
            for lane in 0..width {
                many[lane] = Self::merge(many[lane], many[lane + width]);
            }
        }
        let mut sums = four;
        for lane in 0..4 {
            sums[lane] = Self::merge(many[lane], four[lane]);
        }
        sums[0] = Self::merge(sums[0], one);
        sums
    }
    /// Adds `count` products to a sum, at most [`CHAIN_LEN`]. `pair(k)` has the factors of the product `k`.
    #[inline(always)]
    fn add_some(sum: Self::Sum, count: usize, pair: impl Fn(usize) -> (T, T)) -> Self::Sum {
        let mut lane = Self::zero();
        // A loop over indices, because an array iterator would be compiled again for each kernel.
        let mut k = 0;
        while k < count {
            let (x, y) = pair(k);
            lane = Self::add(lane, x, y);
            k += 1;
        }
        Self::merge(sum, Self::widen(lane))
    }
    /// Adds `COUNT` rows of products to sums. `pair(r, j)` has the factors of the product in row `r` for sum `j`. If `repeats`, the second
    /// factor does not depend on `j`.
    #[inline(always)]
    fn add_rows<const COUNT: usize>(
        sums: &mut [Self::Sum],
        _repeats: bool,
        pair: impl Fn(usize, usize) -> (T, T),
    ) {
        for (j, sum) in sums.iter_mut().enumerate() {
            *sum = Self::add_some(*sum, COUNT, |r| pair(r, j));
        }
    }
    /// Returns the result to write, and `false` if an integer overflowed. `old` is the previous value, or `None` if it is not
    /// read.
    fn finish(sum: Self::Sum, finishing: &Finish<T>, old: Option<T>) -> (T, bool);
}

/// Accumulators of type `T`. Integers wrap, which gives the same result as a wider sum that is truncated at the end.
struct Plain;

impl<T: Scalar> Sums<T> for Plain {
    type Lane = T;
    type Sum = T;
    #[inline(always)]
    fn widen(lane: T) -> T {
        lane
    }
    #[inline(always)]
    fn zero() -> T {
        T::zero()
    }
    #[inline(always)]
    fn product(x: T, y: T) -> T {
        T::wrapping(Arithmetic::Mul, x, y)
    }
    #[inline(always)]
    fn add(sum: T, x: T, y: T) -> T {
        T::wrapping(Arithmetic::Add, sum, T::wrapping(Arithmetic::Mul, x, y))
    }
    #[inline(always)]
    fn merge(a: T, b: T) -> T {
        T::wrapping(Arithmetic::Add, a, b)
    }
    #[inline(always)]
    fn add_some(mut sum: T, count: usize, pair: impl Fn(usize) -> (T, T)) -> T {
        let mut k = 0;
        while k < count {
            let (x, y) = pair(k);
            sum = <Plain as Sums<T>>::add(sum, x, y);
            k += 1;
        }
        sum
    }
    #[inline(always)]
    fn finish(sum: T, finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        (old.map_or_else(|| finishing.scaled(sum), |old| finishing.with_old(sum, old)), true)
    }
}

/// Accumulators of 8-bit integers: lanes of 32 bits, sums of 64 bits.
struct Bytes;

impl<T: Scalar> Sums<T> for Bytes {
    type Lane = i32;
    type Sum = i64;
    #[inline(always)]
    fn zero() -> i32 {
        0
    }
    #[inline(always)]
    fn product(x: T, y: T) -> i32 {
        // The magnitude is at most 2^16.
        integer(x) as i32 * integer(y) as i32
    }
    #[inline(always)]
    fn add(sum: i32, x: T, y: T) -> i32 {
        sum + <Bytes as Sums<T>>::product(x, y)
    }
    #[inline(always)]
    fn widen(lane: i32) -> i64 {
        i64::from(lane)
    }
    #[inline(always)]
    fn merge(a: i64, b: i64) -> i64 {
        a.wrapping_add(b)
    }
    #[inline(always)]
    fn block<const LANES: usize>(n: usize, pair: impl Fn(usize) -> (T, T)) -> [i64; 4] {
        // At most 2^10 products of at most 2^16.
        let sum = (0..n).fold(0, |sum: i32, i| {
            sum + {
                let (x, y) = pair(i);
                <Bytes as Sums<T>>::product(x, y)
            }
        });
        [i64::from(sum), 0, 0, 0]
    }
    #[inline(always)]
    fn add_rows<const COUNT: usize>(sums: &mut [i64], repeats: bool, pair: impl Fn(usize, usize) -> (T, T)) {
        add_narrow_rows::<T, Bytes, ShortSum, COUNT>(sums, repeats, pair, |sum, some| sum + some);
    }
    #[inline(always)]
    fn finish(sum: i64, finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        finishing.exact(i128::from(sum), old)
    }
}

/// Accumulators of 64 bits for 16-bit integers.
struct Shorts;

impl<T: Scalar> Sums<T> for Shorts {
    type Lane = i64;
    type Sum = i64;
    const MAX_TERMS: u64 = 1 << 31;
    #[inline(always)]
    fn zero() -> i64 {
        0
    }
    #[inline(always)]
    fn product(x: T, y: T) -> i64 {
        integer(x) * integer(y)
    }
    #[inline(always)]
    fn add(sum: i64, x: T, y: T) -> i64 {
        sum.wrapping_add(<Shorts as Sums<T>>::product(x, y))
    }
    #[inline(always)]
    fn widen(lane: i64) -> i64 {
        lane
    }
    #[inline(always)]
    fn merge(a: i64, b: i64) -> i64 {
        a.wrapping_add(b)
    }
    #[inline(always)]
    fn block<const LANES: usize>(n: usize, pair: impl Fn(usize) -> (T, T)) -> [i64; 4] {
        [short_dot(n, pair), 0, 0, 0]
    }
    #[inline(always)]
    fn add_rows<const COUNT: usize>(sums: &mut [i64], repeats: bool, pair: impl Fn(usize, usize) -> (T, T)) {
        add_narrow_rows::<T, Shorts, OwnType<T>, COUNT>(sums, repeats, pair, |sum, some| sum + some);
    }
    #[inline(always)]
    fn finish(sum: i64, finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        finishing.exact(i128::from(sum), old)
    }
}

/// Accumulators of 32-bit integers. Products have 64 bits, so their sum may need more. One accumulator has the sum of the products, wrapped,
/// and the other has the sum of their upper halves. From both, [`finish`](Sums::finish) computes the exact sum of up to 2^32 products.
struct Words;

impl<T: Scalar> Sums<T> for Words {
    type Lane = [i64; 2];
    type Sum = [i64; 2];
    const MAX_TERMS: u64 = 1 << 32;
    #[inline(always)]
    fn zero() -> [i64; 2] {
        [0; 2]
    }
    #[inline(always)]
    fn product(x: T, y: T) -> [i64; 2] {
        let product = integer(x).wrapping_mul(integer(y));
        let high =
            if is_signed::<T>() { product >> 32 } else { (product.cast_unsigned() >> 32).cast_signed() };
        [product, high]
    }
    #[inline(always)]
    fn add(sum: [i64; 2], x: T, y: T) -> [i64; 2] {
        let [product, high] = <Words as Sums<T>>::product(x, y);
        [sum[0].wrapping_add(product), sum[1].wrapping_add(high)]
    }
    #[inline(always)]
    fn widen(lane: [i64; 2]) -> [i64; 2] {
        lane
    }
    #[inline(always)]
    fn merge(a: [i64; 2], b: [i64; 2]) -> [i64; 2] {
        [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])]
    }
    #[inline(always)]
    fn block<const LANES: usize>(n: usize, pair: impl Fn(usize) -> (T, T)) -> [[i64; 2]; 4] {
        let (sum, bits) = narrow_dot::<T, OwnType<T>>(n, &pair);
        if bits.fit::<OwnType<T>>(n) {
            let sum = sum.value();
            return [[sum, sum >> 32], [0; 2], [0; 2], [0; 2]];
        }
        let sum = (0..n).fold([0; 2], |sum, i| {
            let (x, y) = pair(i);
            <Words as Sums<T>>::add(sum, x, y)
        });
        [sum, [0; 2], [0; 2], [0; 2]]
    }
    #[inline(always)]
    fn add_rows<const COUNT: usize>(
        sums: &mut [[i64; 2]],
        repeats: bool,
        pair: impl Fn(usize, usize) -> (T, T),
    ) {
        add_narrow_rows::<T, Words, OwnType<T>, COUNT>(sums, repeats, pair, |[sum, high], some| {
            [sum.wrapping_add(some), high + (some >> 32)]
        });
    }
    #[inline(always)]
    fn finish([sum, high]: [i64; 2], finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        // The sum of the lower halves is not negative, and less than 2^64.
        let low = sum.wrapping_sub(high << 32).cast_unsigned();
        finishing.exact((i128::from(high) << 32) + i128::from(low), old)
    }
}

/// A sum of a few products of integers `T`, in as few bits as possible. It wraps: [`FactorBits`] say whether it is exact.
trait NarrowSum<T: Scalar>: Copy {
    /// The largest sum.
    const MAX: u64;
    /// The largest magnitude of a factor.
    const MAX_FACTOR: u64 = u64::MAX;
    fn zero() -> Self;
    /// Returns `self + x · y`.
    fn plus(self, x: T, y: T) -> Self;
    fn value(self) -> i64;
}

/// A sum of products of 8-bit integers.
#[derive(Debug, Clone, Copy)]
struct ShortSum(i16);

impl<T: Scalar> NarrowSum<T> for ShortSum {
    const MAX: u64 = i16::MAX as u64;
    #[inline(always)]
    fn zero() -> Self {
        ShortSum(0)
    }
    #[inline(always)]
    fn plus(self, x: T, y: T) -> Self {
        ShortSum(self.0.wrapping_add((integer(x) as i16).wrapping_mul(integer(y) as i16)))
    }
    #[inline(always)]
    fn value(self) -> i64 {
        i64::from(self.0)
    }
}

/// A sum of products of integers that fit an `i16`. Processors have an instruction for the sum of two such products in 32 bits.
#[derive(Debug, Clone, Copy)]
struct ShortFactors(i32);

impl<T: Scalar> NarrowSum<T> for ShortFactors {
    const MAX: u64 = i32::MAX as u64;
    const MAX_FACTOR: u64 = i16::MAX as u64;
    #[inline(always)]
    fn zero() -> Self {
        ShortFactors(0)
    }
    #[inline(always)]
    fn plus(self, x: T, y: T) -> Self {
        let product = i32::from(integer(x) as i16) * i32::from(integer(y) as i16);
        ShortFactors(self.0.wrapping_add(product))
    }
    #[inline(always)]
    fn value(self) -> i64 {
        i64::from(self.0)
    }
}

/// A sum of the element type.
#[derive(Debug, Clone, Copy)]
struct OwnType<T>(T);

impl<T: Scalar> NarrowSum<T> for OwnType<T> {
    // `u64::MAX` or less.
    const MAX: u64 = match (is_signed::<T>(), size_of::<T>()) {
        (_, 8..) => 0,
        (signed, bytes) => (1 << (8 * bytes - signed as usize)) - 1,
    };
    #[inline(always)]
    fn zero() -> Self {
        OwnType(T::zero())
    }
    #[inline(always)]
    fn plus(self, x: T, y: T) -> Self {
        OwnType(<Plain as Sums<T>>::add(self.0, x, y))
    }
    #[inline(always)]
    fn value(self) -> i64 {
        integer(self.0)
    }
}

/// The bits of the magnitudes of the factors `x` and `y` of some products: upper bounds of these magnitudes.
#[derive(Debug, Clone, Copy)]
struct FactorBits<T: Scalar> {
    x: T::Wrapping,
    y: T::Wrapping,
}

impl<T: Scalar> FactorBits<T> {
    #[inline(always)]
    fn none() -> Self {
        FactorBits { x: T::Wrapping::zero(), y: T::Wrapping::zero() }
    }

    /// Returns whether sums of at most `n` products are exact in the type `L`.
    #[inline(always)]
    fn fit<L: NarrowSum<T>>(self, n: usize) -> bool {
        let (x, y) = (self.x.re().in_i128() as u64, self.y.re().in_i128() as u64);
        // Factors of 32 bits have products of 64 bits.
        x.max(y) <= L::MAX_FACTOR && (x * y).checked_mul(n as u64).is_some_and(|sum| sum <= L::MAX)
    }
}

/// Returns the sum of `n` products in the type `L`, which wraps, and the bits of their factors.
#[inline(always)]
fn narrow_dot<T: Scalar, L: NarrowSum<T>>(n: usize, pair: &impl Fn(usize) -> (T, T)) -> (L, FactorBits<T>) {
    // The compiler vectorises this loop, with fewer instructions than a loop over lanes.
    let (mut sum, mut bits) = (L::zero(), FactorBits::none());
    for i in 0..n {
        let (x, y) = pair(i);
        sum = sum.plus(x, y);
        bits.x = x.with_bits(bits.x);
        bits.y = y.with_bits(bits.y);
    }
    (sum, bits)
}

/// Returns the sum of `n` products of 16-bit integers: in lanes of 16 bits if their sums are exact, otherwise of 32 or 64 bits.
#[inline(always)]
fn short_dot<T: Scalar>(n: usize, pair: impl Fn(usize) -> (T, T)) -> i64 {
    const LANES: usize = 64;
    let whole = n - n % LANES;
    let mut lanes = [OwnType(T::zero()); LANES];
    let (mut x_bits, mut y_bits) = ([T::Wrapping::zero(); LANES], [T::Wrapping::zero(); LANES]);
    for i in (0..whole).step_by(LANES) {
        for k in 0..LANES {
            let (x, y) = pair(i + k);
            lanes[k] = lanes[k].plus(x, y);
            x_bits[k] = x.with_bits(x_bits[k]);
            y_bits[k] = y.with_bits(y_bits[k]);
        }
    }
    let (rest, mut bits) = narrow_dot::<T, ShortFactors>(n - whole, &|i| pair(whole + i));
    let rest = NarrowSum::<T>::value(rest);
    if whole == 0 && bits.fit::<ShortFactors>(n) {
        return rest;
    }
    for k in 0..LANES {
        bits.x = bits.x.with_bits(x_bits[k]);
        bits.y = bits.y.with_bits(y_bits[k]);
    }
    if bits.fit::<ShortFactors>(n) {
        if bits.fit::<OwnType<T>>(n / LANES) {
            return rest + i64::from((0..LANES).fold(0, |sum, k| sum + integer(lanes[k].0) as i32));
        }
        let sum = (0..n).fold(ShortFactors(0), |sum, i| {
            let (x, y) = pair(i);
            sum.plus(x, y)
        });
        return NarrowSum::<T>::value(sum);
    }
    (0..n).fold(0, |sum, i| {
        let (x, y) = pair(i);
        sum + integer(x) * integer(y)
    })
}

/// [`Sums::add_rows`] with sums of type `L` if these are exact. `add` adds one of them.
#[inline(always)]
fn add_narrow_rows<T: Scalar, S: Sums<T>, L: NarrowSum<T>, const COUNT: usize>(
    sums: &mut [S::Sum],
    repeats: bool,
    pair: impl Fn(usize, usize) -> (T, T),
    add: impl Fn(S::Sum, i64) -> S::Sum,
) {
    let mut narrow = [L::zero(); MAX_SWEPT_OUTPUTS];
    let narrow = &mut narrow[..sums.len()];
    let mut bits = FactorBits::<T>::none();
    if repeats && !sums.is_empty() {
        for r in 0..COUNT {
            bits.y = pair(r, 0).1.with_bits(bits.y);
        }
    }
    // The compiler does not vectorise a loop over more rows.
    let rows = const { if COUNT < 8 { COUNT } else { 8 } };
    const { assert!(COUNT < 8 || COUNT.is_multiple_of(8)) };
    for first in (0..COUNT).step_by(rows) {
        for (j, to) in narrow.iter_mut().enumerate() {
            let mut r = first;
            while r < first + rows {
                let (x, y) = pair(r, j);
                *to = to.plus(x, y);
                bits.x = x.with_bits(bits.x);
                if !repeats {
                    bits.y = y.with_bits(bits.y);
                }
                r += 1;
            }
        }
    }
    if bits.fit::<L>(COUNT) {
        for (sum, some) in sums.iter_mut().zip(narrow) {
            *sum = add(*sum, some.value());
        }
    } else {
        for (j, sum) in sums.iter_mut().enumerate() {
            *sum = S::add_some(*sum, COUNT, |r| pair(r, j));
        }
    }
}

/// Returns an integer of up to 32 bits.
#[inline(always)]
fn integer<T: Scalar>(x: T) -> i64 {
    x.re().in_i128() as i64
}

#[inline(always)]
const fn is_signed<T: Scalar>() -> bool {
    matches!(T::DTYPE, I8 | I16 | I32 | I64)
}

/// Accumulators of complex products: the four real sums of re·re, im·im, re·im and im·re. These sums do not depend on which operand
/// is conjugated, and they vectorise like sums of real numbers.
struct Parts;

impl<T: Scalar> Sums<T> for Parts {
    type Lane = [T::Real; 4];
    type Sum = [T::Real; 4];
    #[inline(always)]
    fn widen(lane: [T::Real; 4]) -> [T::Real; 4] {
        lane
    }
    #[inline(always)]
    fn zero() -> [T::Real; 4] {
        [T::Real::zero(); 4]
    }
    #[inline(always)]
    fn product(x: T, y: T) -> [T::Real; 4] {
        [x.re() * y.re(), x.im() * y.im(), x.re() * y.im(), x.im() * y.re()]
    }
    #[inline(always)]
    fn add(sum: [T::Real; 4], x: T, y: T) -> [T::Real; 4] {
        <Parts as Sums<T>>::merge(sum, <Parts as Sums<T>>::product(x, y))
    }
    #[inline(always)]
    fn merge(a: [T::Real; 4], b: [T::Real; 4]) -> [T::Real; 4] {
        [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
    }
    #[inline(always)]
    fn add_some(mut sum: [T::Real; 4], count: usize, pair: impl Fn(usize) -> (T, T)) -> [T::Real; 4] {
        let mut k = 0;
        while k < count {
            let (x, y) = pair(k);
            sum = <Parts as Sums<T>>::add(sum, x, y);
            k += 1;
        }
        sum
    }
    #[inline(always)]
    fn finish(sum: [T::Real; 4], finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        let re = sum[0] + finishing.minus_im_im * sum[1];
        let im = finishing.re_im * sum[2] + finishing.im_re * sum[3];
        <Plain as Sums<T>>::finish(complex(re, im), finishing, old)
    }
}

/// Returns the complex number `re + im · i`.
#[inline(always)]
fn complex<T: Scalar>(re: T::Real, im: T::Real) -> T {
    assert!(T::COMPLEX && size_of::<T>() == size_of::<[T::Real; 2]>());
    // SAFETY: `T` is a `Complex<T::Real>`, which is `repr(C)`: it has the layout of `[re, im]`. The sizes were checked.
    unsafe { core::mem::transmute_copy(&[re, im]) }
}

/// Accumulators of 64-bit integers in a wide type, with a count of the overflows of that type.
struct Checked;

impl<T: Scalar> Sums<T> for Checked {
    type Lane = (T::Accumulator, i64);
    type Sum = (T::Accumulator, i64);
    fn widen(lane: Self::Sum) -> Self::Sum {
        lane
    }
    fn zero() -> Self::Sum {
        (T::zero().widen(), 0)
    }
    fn product(x: T, y: T) -> Self::Sum {
        (T::acc_mul(x.widen(), y.widen()).0, 0)
    }
    fn add(sum: Self::Sum, x: T, y: T) -> Self::Sum {
        <Checked as Sums<T>>::merge(sum, <Checked as Sums<T>>::product(x, y))
    }
    fn merge(a: Self::Sum, b: Self::Sum) -> Self::Sum {
        (T::acc_add(a.0, b.0), a.1 + b.1 + T::acc_add_carry(a.0, b.0))
    }
    fn finish((sum, carry): Self::Sum, finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        let (scaled, beyond) = T::acc_mul(finishing.alpha.widen(), sum);
        let (sum, exact) = match old {
            None => (scaled, true),
            Some(old) => {
                let (old, beyond) = T::acc_mul(finishing.beta.widen(), old.widen());
                (T::acc_add(scaled, old), !beyond && T::acc_add_carry(scaled, old) == 0)
            }
        };
        let (value, fits) = T::narrow(sum);
        (value, exact && fits && !beyond && carry == 0)
    }
}

// ------------------------------------------------------------------ loops

/// One operand of an inner loop: its first element and its stride. `STEP` is the stride if it is known at compile time, otherwise
/// [`ANY_STRIDE`].
#[derive(Debug, Clone, Copy)]
struct Elements<T, const STEP: isize> {
    ptr: *const T,
    step: isize,
}

/// Both operands of an inner loop.
#[derive(Debug, Clone, Copy)]
struct Zipped<T, const A: isize, const B: isize>(Elements<T, A>, Elements<T, B>);

/// Unit stride.
const CONTIGUOUS: isize = 1;
/// Stride 0: one element is repeated.
const REPEATED: isize = 0;
/// Stands for a stride that is known only at run time.
const ANY_STRIDE: isize = isize::MAX;

impl<T: Copy, const STEP: isize> Elements<T, STEP> {
    #[inline(always)]
    fn new(ptr: HostPtr<T>, step: isize) -> Self {
        debug_assert!(STEP == ANY_STRIDE || STEP == step);
        Elements { ptr: ptr.get(), step: if STEP == ANY_STRIDE { step } else { STEP } }
    }

    /// Returns element `i`.
    ///
    /// # Safety
    /// The caller must ensure that elements `0..=i` are within one allocation, and that element `i` is readable.
    #[inline(always)]
    unsafe fn at(self, i: usize) -> T {
        let step = if STEP == ANY_STRIDE { self.step } else { STEP };
        // With `wrapping_offset`, the compiler would not vectorise the loop.
        // SAFETY: the caller ensures that the first element and element `i` are in one allocation, so the offset stays within it
        // and does not overflow.
        let element = unsafe { self.ptr.offset(i as isize * step) };
        // SAFETY: the caller ensures that element `i` is readable.
        unsafe { *element }
    }
}

impl<T: Copy, const A: isize, const B: isize> Zipped<T, A, B> {
    #[inline(always)]
    fn new(a: HostPtr<T>, b: HostPtr<T>, steps: [isize; 2]) -> Self {
        Zipped(Elements::new(a, steps[0]), Elements::new(b, steps[1]))
    }

    /// Returns element `i` of both operands.
    ///
    /// # Safety
    /// The contract of `at` of [`Elements`], for element `i` of both operands.
    #[inline(always)]
    unsafe fn at(self, i: usize) -> (T, T) {
        // SAFETY: the caller ensures the contract of `Elements::at` for element `i` of the first operand.
        let x = unsafe { self.0.at(i) };
        // SAFETY: the caller ensures the contract of `Elements::at` for element `i` of the second operand.
        (x, unsafe { self.1.at(i) })
    }
}

/// Returns the sum of `n` products. Blocks of `LANES · CHAIN_LEN` products are combined pairwise.
///
/// # Safety
/// The caller must ensure that `n` elements from `a` and from `b`, with strides `steps`, are readable.
unsafe fn dot<T: Scalar, S: Sums<T>, const LANES: usize>(
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    n: usize,
) -> S::Sum {
    let [w, x, y, z] = if n <= LANES * CHAIN_LEN {
        // SAFETY: `dot_one_block` has the contract of `dot`: `n` elements of each operand are readable. The caller ensures this.
        unsafe { dot_one_block::<T, S, LANES>(a, b, steps, n) }
    } else {
        // SAFETY: `dot_blocks` has the contract of `dot`: `n` elements of each operand are readable. The caller ensures this.
        unsafe { dot_blocks::<T, S, LANES>(a, b, steps, n) }
    };
    S::merge(S::merge(w, x), S::merge(y, z))
}

/// Returns the sum of several blocks as four partial sums.
///
/// # Safety
/// The contract of [`dot`].
#[inline(never)]
unsafe fn dot_blocks<T: Scalar, S: Sums<T>, const LANES: usize>(
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    n: usize,
) -> [S::Sum; 4] {
    let mut at = 0;
    let mut leaf = |count: usize| {
        let (a, b) = (a.offset(at * steps[0]), b.offset(at * steps[1]));
        at += count as isize;
        // SAFETY: the counts of all calls of `leaf` add up to `n`. So the `count` elements from `a` and from `b` are among the `n` elements
        // of each operand. The caller ensures that these are readable.
        unsafe { dot_one_block::<T, S, LANES>(a, b, steps, count) }
    };
    let merge = |mut a: [S::Sum; 4], b: [S::Sum; 4]| {
        for k in 0..4 {
            a[k] = S::merge(a[k], b[k]);
        }
        a
    };
    pairwise(n, LANES * CHAIN_LEN, &mut leaf, &merge)
}

/// Calls the instance of [`dot_block`] for the strides `steps`.
///
/// # Safety
/// The contract of [`dot`].
#[inline(always)]
unsafe fn dot_one_block<T: Scalar, S: Sums<T>, const LANES: usize>(
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    n: usize,
) -> [S::Sum; 4] {
    match steps {
        // SAFETY: `dot_block` requires the contract of `dot`, which the caller ensures. It also requires that both `steps` are `STEP`:
        // here, both are 1.
        [1, 1] => unsafe { dot_block::<T, S, LANES, 1>(a, b, steps, n) },
        // SAFETY: `dot_block` requires the contract of `dot`, which the caller ensures. With `ANY_STRIDE`, `steps` may have any values.
        _ => unsafe { dot_block::<T, S, LANES, ANY_STRIDE>(a, b, steps, n) },
    }
}

kernel! {
    /// Returns the sum of a block as four partial sums. They fill a vector register, so that combining blocks is vectorised.
    ///
    /// # Safety
    /// The contract of [`dot`]. In addition, both `steps` must be `STEP`, unless `STEP` is [`ANY_STRIDE`].
    wide if (const { T::SUMS_CHECKED }) unsafe fn dot_block[T: Scalar, S: Sums<T>, const LANES: usize, const STEP: isize][T, S, LANES, STEP](
        a: HostPtr<T>,
        b: HostPtr<T>,
        steps: [isize; 2],
        n: usize,
    ) -> [S::Sum; 4] {
        let pair = Zipped::<T, STEP, STEP>::new(a, b, steps);
        // SAFETY: `block` asks for elements before `n` only. The caller ensures that `n` elements of both operands are readable.
        S::block::<LANES>(n, |i| unsafe { pair.at(i) })
    }
}

/// Sums the products `from..to` in `LANES` accumulators: product `from + i` in accumulator `i % LANES`.
///
/// # Safety
/// The caller must ensure that elements `from..to` of both operands are readable, and that `LANES` divides `to - from`.
#[inline(always)]
unsafe fn lanes<T: Scalar, S: Sums<T>, const LANES: usize, const STEP: isize>(
    pair: Zipped<T, STEP, STEP>,
    from: usize,
    to: usize,
) -> [S::Sum; LANES] {
    // SAFETY: `LANES` divides `to - from`, so `lanes` asks for elements before `to` only. The caller ensures that elements `from..to` of both
    // operands are readable.
    S::lanes::<LANES>(from, to, |i| unsafe { pair.at(i) })
}

/// Adds the products of `count` rows to accumulators: `sums[j] += a[r, j] · b[r, j]` for each row `r`. `rows` are the operands'
/// strides from one row to the next, and `steps` those from one element of a row to the next.
///
/// # Safety
/// The caller must ensure:
/// * `count` rows of `sums.len()` elements from `a` and from `b`, with these strides, are readable.
/// * `steps[0]` is `A` and `steps[1]` is `B`, unless these constants are [`ANY_STRIDE`].
unsafe fn add_rows<T: Scalar, S: Sums<T>, const A: isize, const B: isize>(
    sums: &mut [S::Sum],
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    rows: [isize; 2],
    count: usize,
) {
    let mut first = 0;
    while first < count {
        let (a, b) = (a.offset(first as isize * rows[0]), b.offset(first as isize * rows[1]));
        macro_rules! add {
            ($few:expr) => {
                // SAFETY: `first + $few <= count`, so the caller ensures that these `$few` rows are readable. `A`, `B` and `steps` are
                // passed on unchanged, and the caller ensures that they agree.
                unsafe { add_few_rows::<T, S, A, B, $few>(sums, a, b, steps, rows) }
            };
        }
        first += match count - first {
            1 | 2 => add!(1),
            3..8 => add!(3),
            MANY_SWEPT_ROWS.. if const { T::SUMS_CHECKED } => add!(MANY_SWEPT_ROWS),
            _ => add!(8),
        };
    }
}

kernel! {
    /// [`add_rows`] for `COUNT` rows. Each accumulator is loaded and stored once for all these rows. Returns `COUNT`.
    ///
    /// # Safety
    /// The contract of [`add_rows`], for `COUNT` rows.
    wide if (const { T::SUMS_CHECKED }) unsafe fn add_few_rows[T: Scalar, S: Sums<T>, const A: isize, const B: isize, const COUNT: usize][T, S, A, B, COUNT](
        sums: &mut [S::Sum],
        a: HostPtr<T>,
        b: HostPtr<T>,
        steps: [isize; 2],
        rows: [isize; 2],
    ) -> usize {
        let mut pairs = [Zipped::<T, A, B>::new(a, b, steps); COUNT];
        for (r, pair) in pairs.iter_mut().enumerate() {
            let r = r as isize;
            *pair = Zipped::new(a.offset(r * rows[0]), b.offset(r * rows[1]), steps);
        }
        // SAFETY: `add_rows` asks for `r < COUNT` and `j < sums.len()` only. The caller ensures that `sums.len()` elements of each of the
        // `COUNT` rows are readable.
        S::add_rows::<COUNT>(sums, B == REPEATED, |r, j| unsafe { pairs[r].at(j) });
        COUNT
    }
}

/// Adds `rows` rows to `sums` by pairwise summation. `leaf(sums, count)` adds the next `count` rows, at most [`swept_rows`].
fn add_pairwise<T: Scalar, S: Sums<T>>(
    sums: &mut [S::Sum],
    rows: usize,
    leaf: &mut dyn FnMut(&mut [S::Sum], usize),
) {
    if rows <= swept_rows::<T>() {
        return leaf(sums, rows);
    }
    let low = (rows / 2).next_multiple_of(swept_rows::<T>());
    add_pairwise::<T, S>(sums, low, leaf);
    let mut others = [S::widen(S::zero()); MAX_SWEPT_OUTPUTS];
    let others = &mut others[..sums.len()];
    add_pairwise::<T, S>(others, rows - low, leaf);
    merge_all::<T, S>(sums, others);
}

/// Adds each of `others` to the sum at the same index.
fn merge_all<T: Scalar, S: Sums<T>>(sums: &mut [S::Sum], others: &[S::Sum]) {
    for (sum, &other) in sums.iter_mut().zip(others) {
        *sum = S::merge(*sum, other);
    }
}

/// Computes the sums of `sums.len()` outputs, each over all elements that `plan` visits. `sums` must hold zeros. `steps` are the
/// strides of the operands from one output to the next. Long sums run on several threads.
///
/// # Safety
/// The caller must ensure that, for each output `j < sums.len()`, all elements that the plan visits from `a + j · steps[0]` and
/// from `b + j · steps[1]` are readable.
unsafe fn sweep_columns<T: Scalar, S: Sums<T>>(
    sums: &mut [S::Sum],
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    plan: &Plan<2>,
) {
    if plan.len().saturating_mul(sums.len()) >= 2 * PARALLEL_SUM_LEN
        && let Some((low, high)) = plan.halves_at(swept_rows::<T>())
    {
        let mut others = [S::widen(S::zero()); MAX_SWEPT_OUTPUTS];
        let others = &mut others[..sums.len()];
        join(
            // SAFETY: `low` is a part of `plan`, so it visits only elements that `plan` visits. The caller ensures that these are readable.
            || unsafe { sweep_columns::<T, S>(sums, a, b, steps, &low) },
            // SAFETY: `high` is a part of `plan`, so it visits only elements that `plan` visits. The caller ensures that these are
            // readable.
            || unsafe { sweep_columns::<T, S>(others, a, b, steps, &high) },
        );
        return merge_all::<T, S>(sums, others);
    }
    let (n, rows) = (plan.inner_len(), plan.inner_strides());
    let mut walk = Odometer::outer(plan);
    let mut inner = 0;
    let mut leaf = |sums: &mut [S::Sum], mut count: usize| {
        while count > 0 {
            let run = count.min(n - inner);
            let [i, j] = walk.offsets();
            let (a, b) = (a.offset(i + inner as isize * rows[0]), b.offset(j + inner as isize * rows[1]));
            macro_rules! add {
                ($a:ident $b:ident) => {
                    // SAFETY: `inner + run <= n`, so `plan` visits these `run` rows. The caller ensures that their elements are readable
                    // for each output. The match below selects `$a` and `$b` so that each is `ANY_STRIDE` or its operand's stride in
                    // `steps`.
                    unsafe { add_rows::<T, S, $a, $b>(sums, a, b, steps, rows, run) }
                };
            }
            match steps {
                [1, 1] => add!(CONTIGUOUS CONTIGUOUS),
                [1, 0] => add!(CONTIGUOUS REPEATED),
                _ => add!(ANY_STRIDE ANY_STRIDE),
            }
            count -= run;
            inner += run;
            if inner == n {
                inner = 0;
                walk.advance();
            }
        }
    };
    add_pairwise::<T, S>(sums, plan.len(), &mut leaf);
}

// ------------------------------------------------------------------ operands, output and scaling factors together

/// The addresses of the operands, the scaling factors, and whether a result overflowed. Shared by all threads.
struct SumTask<T: Scalar> {
    a: HostPtr<T>,
    b: HostPtr<T>,
    out: HostPtr<T>,
    finishing: Finish<T>,
    inexact: AtomicBool,
}

impl<T: Scalar> SumTask<T> {
    /// Writes the result for a sum to the output at offset `at`. Sets `inexact` if an integer overflowed.
    ///
    /// # Safety
    /// The caller must ensure that `at` is the offset of an element of the output, and exclusive access to that element.
    unsafe fn put<S: Sums<T>>(&self, at: isize, sum: S::Sum) {
        // SAFETY: `Finish::put` requires an element of the output to which access is exclusive. The caller ensures that `at` is the offset
        // of such an element.
        if !unsafe { self.finishing.put::<S>(self.out.offset(at), sum) } {
            self.inexact.store(true, Ordering::Relaxed);
        }
    }

    /// Computes the outputs that a plan visits. Each sum has a single term.
    ///
    /// # Safety
    /// The caller must ensure that the plan visits elements of the output, to which access is exclusive, and readable elements of
    /// the operands.
    unsafe fn products<S: Sums<T>>(&self, plan: &Plan<3>) {
        let (n, [so, sa, sb]) = (plan.inner_len(), plan.inner_strides());
        if n == 0 {
            return;
        }
        let mut walk = Odometer::outer(plan);
        for _ in 0..plan.outer_shape().iter().product() {
            let [o, i, j] = walk.offsets();
            walk.advance();
            let (a, b) = (self.a.offset(i), self.b.offset(j));
            if so == 1 {
                // SAFETY: `so` is 1, so `plan` visits `n` contiguous elements of the output from offset `o` on. The caller ensures
                // exclusive access to them. The elements of a buffer are initialised.
                let out = unsafe { core::slice::from_raw_parts_mut(self.out.offset(o).get(), n) };
                macro_rules! products {
                    ($a:ident $b:ident) => {
                        // SAFETY: the inner loop of `plan` visits `out.len()` elements of each operand, which the caller ensures are
                        // readable. None of them is in `out`, because access to the output is exclusive. The match below selects `$a` and
                        // `$b` so that each is `ANY_STRIDE` or its operand's stride, `sa` or `sb`.
                        unsafe { product_row::<T, S, $a, $b>(out, a, b, [sa, sb], &self.finishing) }
                    };
                }
                let exact = match [sa, sb] {
                    [1, 1] => products!(CONTIGUOUS CONTIGUOUS),
                    [1, 0] => products!(CONTIGUOUS REPEATED),
                    [0, 1] => products!(REPEATED CONTIGUOUS),
                    _ => products!(ANY_STRIDE ANY_STRIDE),
                };
                if !exact {
                    self.inexact.store(true, Ordering::Relaxed);
                }
            } else {
                let pair = Zipped::<T, ANY_STRIDE, ANY_STRIDE>::new(a, b, [sa, sb]);
                for i in 0..n {
                    // SAFETY: `i < n`, so `plan` visits element `i` of both operands. The caller ensures that these elements are readable.
                    let (x, y) = unsafe { pair.at(i) };
                    // SAFETY: `i < n`, so `plan` visits the output at this offset. The caller ensures exclusive access to it.
                    unsafe { self.put::<S>(o + i as isize * so, S::widen(S::product(x, y))) };
                }
            }
        }
    }

    /// Computes the outputs of `part`, one sum after the other.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * Access to the outputs that `part` visits is exclusive.
    /// * For each index of `part`, all elements of the operands that `summed` visits, relative to that index, are readable.
    unsafe fn dots<S: Sums<T>, const LANES: usize>(&self, part: &Plan<3>, summed: &Plan<2>) {
        let (n, [so, sa, sb]) = (part.inner_len(), part.inner_strides());
        let mut walk = Odometer::outer(part);
        for _ in 0..part.outer_shape().iter().product() {
            let [o, i, j] = walk.offsets();
            walk.advance();
            for k in 0..n as isize {
                let (a, b) = (self.a.offset(i + k * sa), self.b.offset(j + k * sb));
                // SAFETY: `k < n`, so `a` and `b` point to the operands' elements at an index of `part`. The caller ensures that all
                // elements that `summed` visits from `a` and `b` are readable.
                let sum = unsafe { dot_all::<T, S, LANES>(a, b, summed) };
                // SAFETY: `o + k * so` is the offset of the output at this index of `part`. The caller ensures exclusive access to it.
                unsafe { self.put::<S>(o + k * so, sum) };
            }
        }
    }

    /// Computes the outputs of `part`, up to [`MAX_SWEPT_OUTPUTS`] sums at a time.
    ///
    /// # Safety
    /// The contract of [`dots`](SumTask::dots).
    unsafe fn sweep<S: Sums<T>>(&self, part: &Plan<3>, summed: &Plan<2>) {
        let (n, [so, sa, sb]) = (part.inner_len(), part.inner_strides());
        // The outputs of the inner loop are split into blocks of about equal width.
        let width =
            n.div_ceil(n.div_ceil(MAX_SWEPT_OUTPUTS).max(1)).next_multiple_of(8).min(MAX_SWEPT_OUTPUTS);
        let mut walk = Odometer::outer(part);
        for _ in 0..part.outer_shape().iter().product() {
            let [o, i, j] = walk.offsets();
            walk.advance();
            for first in (0..n).step_by(width) {
                let mut sums = [S::widen(S::zero()); MAX_SWEPT_OUTPUTS];
                let sums = &mut sums[..width.min(n - first)];
                let (a, b) = (self.a.offset(i + first as isize * sa), self.b.offset(j + first as isize * sb));
                // SAFETY: `first + sums.len() <= n`, so each of the `sums.len()` outputs is at an index of `part`. The caller ensures that
                // all elements that `summed` visits, relative to such an index, are readable.
                unsafe { sweep_columns::<T, S>(sums, a, b, [sa, sb], summed) };
                for (k, &sum) in sums.iter().enumerate() {
                    // SAFETY: `o + (first + k) * so` is the offset of an output that `part` visits. The caller ensures exclusive access to
                    // it.
                    unsafe { self.put::<S>(o + (first + k) as isize * so, sum) };
                }
            }
        }
    }
}

/// Computes one contiguous row of outputs, each a sum of a single product. Returns `false` if an integer overflowed.
///
/// # Safety
/// The caller must ensure:
/// * `out.len()` elements from `a` and from `b`, with strides `steps`, are readable, and none of them is in `out`.
/// * `steps[0]` is `A` and `steps[1]` is `B`, unless these constants are [`ANY_STRIDE`].
#[inline(always)]
unsafe fn product_row<T: Scalar, S: Sums<T>, const A: isize, const B: isize>(
    out: &mut [T],
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    finishing: &Finish<T>,
) -> bool {
    let pair = Zipped::<T, A, B>::new(a, b, steps);
    let finishing = *finishing;
    let mut all_exact = true;
    let mut put = |to: &mut T, i: usize, old: Option<T>| {
        // SAFETY: `i < out.len()`, and the caller ensures that `out.len()` elements of each operand are readable.
        let (x, y) = unsafe { pair.at(i) };
        let (value, exact) = S::finish(S::widen(S::product(x, y)), &finishing, old);
        *to = value;
        all_exact &= exact;
    };
    if finishing.reads_old {
        for (i, to) in out.iter_mut().enumerate() {
            put(to, i, Some(*to));
        }
    } else {
        for (i, to) in out.iter_mut().enumerate() {
            put(to, i, None);
        }
    }
    all_exact
}

/// Returns the sum of products over all elements that a plan visits. Long sums run on several threads.
///
/// # Safety
/// The caller must ensure that all elements that the plan visits from `a` and from `b` are readable.
unsafe fn dot_all<T: Scalar, S: Sums<T>, const LANES: usize>(
    a: HostPtr<T>,
    b: HostPtr<T>,
    plan: &Plan<2>,
) -> S::Sum {
    if plan.len() >= 2 * PARALLEL_SUM_LEN
        && let Some((low, high)) = plan.halves_at(LANES * CHAIN_LEN)
    {
        let (low, high) = join(
            // SAFETY: `low` is a part of `plan`, so it visits only elements that `plan` visits. The caller ensures that these are readable.
            || unsafe { dot_all::<T, S, LANES>(a, b, &low) },
            // SAFETY: `high` is a part of `plan`, so it visits only elements that `plan` visits. The caller ensures that these are
            // readable.
            || unsafe { dot_all::<T, S, LANES>(a, b, &high) },
        );
        return S::merge(low, high);
    }
    let (n, steps) = (plan.inner_len(), plan.inner_strides());
    let rows: usize = plan.outer_shape().iter().product();
    if rows == 0 || n == 0 {
        return S::widen(S::zero());
    }
    if rows == 1 {
        let [i, j] = plan.offsets();
        // SAFETY: `i` and `j` are the offsets of the only row of `plan`. The caller ensures that its `n` elements of each operand are
        // readable.
        return unsafe { dot::<T, S, LANES>(a.offset(i), b.offset(j), steps, n) };
    }
    let mut walk = Odometer::outer(plan);
    let mut leaf = |count: usize| {
        let mut sum = S::widen(S::zero());
        for _ in 0..count {
            let [i, j] = walk.offsets();
            walk.advance();
            // SAFETY: the counts of all calls of `leaf` add up to `rows`, so `i` and `j` are the offsets of a row of `plan`. The caller
            // ensures that the row's `n` elements of each operand are readable.
            let row = unsafe { dot::<T, S, LANES>(a.offset(i), b.offset(j), steps, n) };
            sum = S::merge(sum, row);
        }
        sum
    };
    pairwise(rows, (CHAIN_LEN / n).max(1), &mut leaf, &S::merge)
}

#[cfg(test)]
mod tests;
