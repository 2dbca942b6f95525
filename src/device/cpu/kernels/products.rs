//! Sums of products: dot products, products of a matrix and a vector, accumulated elementwise products.
//!
//! As in reductions, independent accumulators take the products of a block and blocks are combined pairwise, so that the
//! error grows as O(log n · ε); how work is cut depends on lengths and strides alone. As in BLAS, the factors are not read
//! where `alpha` is zero, nor the output where `beta` is.

use super::reduce::pairwise;
use crate::device::cpu::loops::threads::{PARALLEL_SUM_LEN, enter, join, over_outputs, over_parts};
use crate::device::cpu::precompiled::precompiled;
use crate::device::cpu::simd::kernel;
use crate::device::cpu::{Cpu, HostPtr};
use crate::device::{MatrixOperand, Output, ProductArgs, Scaling};
use crate::element::{Arithmetic, Scalar};
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::layout::odometer::Odometer;
use crate::layout::plan::Plan;
use core::sync::atomic::{AtomicBool, Ordering};
use num_traits::{One, Zero};

/// Products that one accumulator takes before it is combined with another.
const CHAIN_LEN: usize = 32;
/// Largest number of outputs that one sweep sums, if they have a smaller stride than the terms: their accumulators and some rows of
/// the operands fit L1.
const MAX_SWEPT_OUTPUTS: usize = 256;
/// Largest number of outputs, and of terms of each, that are summed without a plan.
const MAX_UNPLANNED_OUTPUTS: usize = 16;
const MAX_UNPLANNED_TERMS: usize = 8;
/// Rows that such a sweep adds one after the other before it combines pairwise.
const SWEPT_ROWS: usize = 16;

/// `out = alpha · Σ a · b + beta · out` over the trailing axes of `a` and `b`.
#[inline]
pub(super) fn sum_products<T: Scalar>(args: ProductArgs<'_, T, Cpu>) -> Result<(), Error> {
    let ProductArgs { scaling: Scaling { alpha, beta }, a, b, out } = args;
    instance::<T>()(alpha, a, b, beta, out)
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
    // As many accumulators as registers hold: a complex one consists of four numbers.
    // One constant in each condition: the compiler leaves out the other branch, which it does not for a `match` on a tuple.
    if const { T::COMPLEX } {
        if const { size_of::<T::Real>() < 8 } {
            compute::<T, Parts, 8>(alpha, a, b, beta, out)
        } else {
            compute::<T, Parts, 4>(alpha, a, b, beta, out)
        }
    } else if const { T::INTEGER && cfg!(debug_assertions) } {
        compute::<T, Checked, 8>(alpha, a, b, beta, out)
    } else if const { size_of::<T::Real>() < 8 } {
        compute::<T, Plain, 32>(alpha, a, b, beta, out)
    } else {
        compute::<T, Plain, 16>(alpha, a, b, beta, out)
    }
}

fn compute<T: Scalar, S: Sums<T>, const LANES: usize>(
    alpha: T,
    a: MatrixOperand<'_, T, Cpu>,
    b: MatrixOperand<'_, T, Cpu>,
    beta: T,
    out: Output<'_, T, Cpu>,
) -> Result<(), Error> {
    let shape = a.operand.shape();
    assert!(same(shape, b.operand.shape()), "factors of one shape");
    // Loops follow the strides of the factor with more elements: the first from here on.
    let elements = |factor: &MatrixOperand<'_, T, Cpu>| {
        let axes = shape.iter().zip(factor.operand.strides()).filter(|&(_, &stride)| stride != 0);
        axes.fold(1, |n: usize, (&extent, _)| n.saturating_mul(extent))
    };
    let (a, b) = if elements(&a) < elements(&b) { (b, a) } else { (a, b) };
    let (kept_shape, summed_shape) = shape.split_at(out.shape().len());
    assert!(same(out.shape(), kept_shape), "the leading axes are the output's");
    let (kept_a, summed_a) = a.operand.strides().split_at(kept_shape.len());
    let (kept_b, summed_b) = b.operand.strides().split_at(kept_shape.len());
    // What is multiplied by zero is a sum of nothing.
    let (summed_shape, summed_a, summed_b): (&[usize], &[isize], &[isize]) =
        if alpha.is_zero() { (&[0], &[0], &[0]) } else { (summed_shape, summed_a, summed_b) };
    let terms: usize = summed_shape.iter().product();
    let job = SumTask {
        a: a.operand.ptr(),
        b: b.operand.ptr(),
        out: out.ptr(),
        finishing: Finish::new(alpha, beta, [a.conjugate, b.conjugate]),
        inexact: AtomicBool::new(false),
    };
    if let ([] | [..=MAX_UNPLANNED_OUTPUTS], &[n @ ..=MAX_UNPLANNED_TERMS]) = (kept_shape, summed_shape) {
        // A few short sums take less time than a plan for them.
        let outputs = kept_shape.first().map_or(1, |&outputs| outputs as isize);
        let first = |strides: &[isize]| strides.first().copied().unwrap_or(0);
        let (to, step_a, step_b) = (first(out.strides()), first(kept_a), first(kept_b));
        for i in 0..outputs {
            let (a, b) = (job.a.offset(i * step_a), job.b.offset(i * step_b));
            let pair = Zipped::<T, ANY_STRIDE, ANY_STRIDE>::new(a, b, [summed_a[0], summed_b[0]]);
            // SAFETY: all terms of output `i`.
            let [sum] = unsafe { lanes::<T, S, 1, ANY_STRIDE>(pair, 0, n) };
            // SAFETY: output `i`, to which access is exclusive.
            unsafe { job.put::<S>(i * to, sum) };
        }
    } else if let ([], &[n]) = (kept_shape, summed_shape)
        && n < 2 * PARALLEL_SUM_LEN
    {
        // A dot product needs no plans, and can be so short that they would cost more than itself.
        // SAFETY: the operands vouch for their elements.
        let sum = unsafe { dot::<T, S, LANES>(job.a, job.b, [summed_a[0], summed_b[0]], n) };
        // SAFETY: the only element of the output, which is ours alone.
        unsafe { job.put::<S>(0, sum) };
    } else if terms == 1 {
        let plan = Plan::unordered(kept_shape, [out.strides(), kept_a, kept_b]);
        // SAFETY: parts of a plan of the operands' shape; the output is ours alone.
        over_parts(&plan, 3 * size_of::<T>(), &|_| 1, &|part| unsafe { job.products::<S>(part) });
    } else {
        let kept = Plan::unordered_by(kept_shape, [out.strides(), kept_a, kept_b], 1);
        let summed = Plan::unordered_by(summed_shape, [summed_a, summed_b], 0);
        let work = kept.len().saturating_mul(terms).saturating_mul(2 * size_of::<T>());
        if sweeps(&kept, &summed) {
            // SAFETY: parts of a plan of the kept axes, each with all of the summed ones; the output is ours alone.
            let sweep = |part: &_| unsafe { job.sweep::<S>(part, &summed) };
            enter(work, || {
                over_outputs(&kept, terms.max(1), 2 * PARALLEL_SUM_LEN, MAX_SWEPT_OUTPUTS, &sweep)
            });
        } else {
            // SAFETY: as above.
            let dots = |part: &_| unsafe { job.dots::<S, LANES>(part, &summed) };
            enter(work, || over_outputs(&kept, terms.max(1), 2 * PARALLEL_SUM_LEN, MAX_SWEPT_OUTPUTS, &dots));
        }
    }
    if job.inexact.into_inner() {
        return Err(Error::Arithmetic {
            op: "sum of products",
            dtype: T::DTYPE.name(),
            values: "factors whose products overflow".into(),
        });
    }
    Ok(())
}

/// Whether to go over several outputs in the inner loop, rather than over terms of one sum.
fn sweeps(kept: &Plan<3>, summed: &Plan<2>) -> bool {
    let [_, ka, kb] = kept.inner_strides();
    // What a step costs: nothing if it stays where it is, at most a cache line for each factor.
    let cost = |strides: [isize; 2]| strides.map(|s| s.unsigned_abs().min(8)).iter().sum::<usize>();
    let short = summed.len() < 8 && summed.len() < kept.inner_len();
    short || (kept.inner_len() >= 6 && cost([ka, kb]) < cost(summed.inner_strides()))
}

// ------------------------------------------------------------------ accumulators

/// What is made of sums in the end: `alpha · sum + beta · old`.
#[derive(Debug, Clone, Copy)]
struct Finish<T: Scalar> {
    alpha: T,
    beta: T,
    /// Ones do not multiply: complex infinities would become NaN.
    alpha_is_one: bool,
    beta_is_one: bool,
    reads_old: bool,
    /// The signs that make the sums of [`Parts`] the product of (conjugated) factors.
    minus_im_im: T::Real,
    re_im: T::Real,
    im_re: T::Real,
}

impl<T: Scalar> Finish<T> {
    fn new(alpha: T, beta: T, conjugate: [bool; 2]) -> Self {
        let plus = T::Real::one();
        // Unsigned numbers have no conjugates: they do not come here with `true`.
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
}

/// How products are summed up.
trait Sums<T: Scalar> {
    type Sum: Copy + Send + Sync;
    fn zero() -> Self::Sum;
    fn product(x: T, y: T) -> Self::Sum;
    /// `sum + x · y`.
    fn add(sum: Self::Sum, x: T, y: T) -> Self::Sum;
    fn merge(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// What to write where `old` is, or where nothing is read, and whether it is exact but for rounding.
    fn finish(sum: Self::Sum, finishing: &Finish<T>, old: Option<T>) -> (T, bool);
}

/// In the type itself. Integers wrap: so they would, at the end, in a wider type.
struct Plain;

impl<T: Scalar> Sums<T> for Plain {
    type Sum = T;
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
    fn finish(sum: T, finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        (old.map_or_else(|| finishing.scaled(sum), |old| finishing.with_old(sum, old)), true)
    }
}

/// Complex numbers by their parts: re·re, im·im, re·im and im·re. All are plain sums of products, whatever is conjugated,
/// and fill vector registers.
struct Parts;

impl<T: Scalar> Sums<T> for Parts {
    type Sum = [T::Real; 4];
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
    fn finish(sum: [T::Real; 4], finishing: &Finish<T>, old: Option<T>) -> (T, bool) {
        let re = sum[0] + finishing.minus_im_im * sum[1];
        let im = finishing.re_im * sum[2] + finishing.im_re * sum[3];
        <Plain as Sums<T>>::finish(complex(re, im), finishing, old)
    }
}

/// A complex number of its parts.
#[inline(always)]
fn complex<T: Scalar>(re: T::Real, im: T::Real) -> T {
    assert!(T::COMPLEX && size_of::<T>() == size_of::<[T::Real; 2]>());
    // SAFETY: `Complex` is `repr(C)`: its two parts, one after the other.
    unsafe { core::mem::transmute_copy(&[re, im]) }
}

/// Integers in a wide type, with what goes beyond even that.
struct Checked;

impl<T: Scalar> Sums<T> for Checked {
    type Sum = (T::Accumulator, i64);
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

/// One factor of an inner loop: where it begins and how far it steps. Steps of 0 and 1 are known to the compiler.
#[derive(Debug, Clone, Copy)]
struct Elements<T, const STEP: isize> {
    ptr: *const T,
    step: isize,
}

/// Both factors.
#[derive(Debug, Clone, Copy)]
struct Zipped<T, const A: isize, const B: isize>(Elements<T, A>, Elements<T, B>);

/// Strides that are known when a loop is compiled: of contiguous elements, and of one that is repeated.
const CONTIGUOUS: isize = 1;
const REPEATED: isize = 0;
/// A stride that is known only at run time.
const ANY_STRIDE: isize = isize::MAX;

impl<T: Copy, const STEP: isize> Elements<T, STEP> {
    #[inline(always)]
    fn new(ptr: HostPtr<T>, step: isize) -> Self {
        debug_assert!(STEP == ANY_STRIDE || STEP == step);
        Elements { ptr: ptr.get(), step: if STEP == ANY_STRIDE { step } else { STEP } }
    }

    /// # Safety
    /// Element `i` may be read.
    #[inline(always)]
    unsafe fn at(self, i: usize) -> T {
        let step = if STEP == ANY_STRIDE { self.step } else { STEP };
        // SAFETY: the caller's; all elements up to it are in one piece of memory. The compiler has to know that addresses do not
        // wrap, or makes no vectors of the loop.
        let element = unsafe { self.ptr.offset(i as isize * step) };
        // SAFETY: the caller's.
        unsafe { *element }
    }
}

impl<T: Copy, const A: isize, const B: isize> Zipped<T, A, B> {
    #[inline(always)]
    fn new(a: HostPtr<T>, b: HostPtr<T>, steps: [isize; 2]) -> Self {
        Zipped(Elements::new(a, steps[0]), Elements::new(b, steps[1]))
    }

    /// # Safety
    /// Element `i` of both may be read.
    #[inline(always)]
    unsafe fn at(self, i: usize) -> (T, T) {
        // SAFETY: the caller's.
        let x = unsafe { self.0.at(i) };
        // SAFETY: the caller's.
        (x, unsafe { self.1.at(i) })
    }
}

/// The sum of `n` products.
///
/// # Safety
/// `n` elements from `a` and `b` on, `steps` apart, may be read.
unsafe fn dot<T: Scalar, S: Sums<T>, const LANES: usize>(
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    n: usize,
) -> S::Sum {
    let mut at = 0;
    let mut leaf = |count: usize| {
        let (a, b) = (a.offset(at * steps[0]), b.offset(at * steps[1]));
        at += count as isize;
        match steps {
            // SAFETY: a part of what the caller vouches for.
            [1, 1] => unsafe { dot_block::<T, S, LANES, 1>(a, b, steps, count) },
            // SAFETY: as above.
            _ => unsafe { dot_block::<T, S, LANES, ANY_STRIDE>(a, b, steps, count) },
        }
    };
    let merge = |a: [S::Sum; 4], b: [S::Sum; 4]| core::array::from_fn(|k| S::merge(a[k], b[k]));
    let [w, x, y, z] =
        if n <= LANES * CHAIN_LEN { leaf(n) } else { pairwise(n, LANES * CHAIN_LEN, &mut leaf, &merge) };
    S::merge(S::merge(w, x), S::merge(y, z))
}

kernel! {
    /// Four sums that make up the one of a block: they fill a register.
    ///
    /// # Safety
    /// As [`dot`].
    unsafe fn dot_block[T: Scalar, S: Sums<T>, const LANES: usize, const STEP: isize][T, S, LANES, STEP](
        a: HostPtr<T>,
        b: HostPtr<T>,
        steps: [isize; 2],
        n: usize,
    ) -> [S::Sum; 4] {
        let pair = Zipped::<T, STEP, STEP>::new(a, b, steps);
        let (whole, fours) = (n - n % LANES, n - n % 4);
        // SAFETY: all of these are below `n`.
        let mut many = unsafe { lanes::<T, S, LANES, STEP>(pair, 0, whole) };
        // SAFETY: as above.
        let four = unsafe { lanes::<T, S, 4, STEP>(pair, whole, fours) };
        // SAFETY: as above.
        let [one] = unsafe { lanes::<T, S, 1, STEP>(pair, fours, n) };
        let mut width = LANES;
        while width > 4 {
            width /= 2;
            for lane in 0..width {
                many[lane] = S::merge(many[lane], many[lane + width]);
            }
        }
        let mut sums = core::array::from_fn(|lane| S::merge(many[lane], four[lane]));
        sums[0] = S::merge(sums[0], one);
        sums
    }
}

/// The products from `from` to `to` in so many accumulators, one after the other.
///
/// # Safety
/// All of these may be read.
#[inline(always)]
unsafe fn lanes<T: Scalar, S: Sums<T>, const LANES: usize, const STEP: isize>(
    pair: Zipped<T, STEP, STEP>,
    from: usize,
    to: usize,
) -> [S::Sum; LANES] {
    let mut sums = [S::zero(); LANES];
    for i in (from..to).step_by(LANES) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            // SAFETY: the caller's.
            let (x, y) = unsafe { pair.at(i + lane) };
            *sum = S::add(*sum, x, y);
        }
    }
    sums
}

/// Adds the products of some rows to accumulators: element `j` of each row to the `j`th. Rows are `rows` apart, elements
/// `steps`.
///
/// # Safety
/// `count` rows of as many elements as there are accumulators may be read from `a` and `b` on.
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
            ($few:literal) => {
                // SAFETY: some of the rows that the caller vouches for.
                unsafe { add_few_rows::<T, S, A, B, $few>(sums, a, b, steps, rows) }
            };
        }
        first += match count - first {
            1 => add!(1),
            2 => add!(2),
            3..8 => add!(3),
            _ => add!(8),
        };
    }
}

kernel! {
    /// The same for so few rows that each accumulator is loaded and stored once. Returns how many.
    ///
    /// # Safety
    /// As [`add_rows`], for `COUNT` rows.
    unsafe fn add_few_rows[T: Scalar, S: Sums<T>, const A: isize, const B: isize, const COUNT: usize][T, S, A, B, COUNT](
        sums: &mut [S::Sum],
        a: HostPtr<T>,
        b: HostPtr<T>,
        steps: [isize; 2],
        rows: [isize; 2],
    ) -> usize {
        let pairs: [Zipped<T, A, B>; COUNT] = core::array::from_fn(|r| {
            let r = r as isize;
            Zipped::new(a.offset(r * rows[0]), b.offset(r * rows[1]), steps)
        });
        for (j, to) in sums.iter_mut().enumerate() {
            let mut sum = *to;
            for pair in pairs {
                // SAFETY: `j` is one of the row's elements.
                let (x, y) = unsafe { pair.at(j) };
                sum = S::add(sum, x, y);
            }
            *to = sum;
        }
        COUNT
    }
}

/// Adds up `rows` rows in `sums` pairwise: `leaf` adds the next few.
fn add_pairwise<T: Scalar, S: Sums<T>>(
    sums: &mut [S::Sum],
    rows: usize,
    leaf: &mut impl FnMut(&mut [S::Sum], usize),
) {
    if rows <= SWEPT_ROWS {
        return leaf(sums, rows);
    }
    let low = (rows / 2).next_multiple_of(SWEPT_ROWS);
    add_pairwise::<T, S>(sums, low, leaf);
    let mut others = [S::zero(); MAX_SWEPT_OUTPUTS];
    let others = &mut others[..sums.len()];
    add_pairwise::<T, S>(others, rows - low, leaf);
    merge_all::<T, S>(sums, others);
}

fn merge_all<T: Scalar, S: Sums<T>>(sums: &mut [S::Sum], others: &[S::Sum]) {
    for (sum, &other) in sums.iter_mut().zip(others) {
        *sum = S::merge(*sum, other);
    }
}

/// Sums of products at a number of neighbouring outputs, each over all that the plan visits. Outputs are `steps` apart in
/// the factors.
///
/// # Safety
/// All elements that the plan visits from there on may be read.
unsafe fn sweep_columns<T: Scalar, S: Sums<T>>(
    sums: &mut [S::Sum],
    a: HostPtr<T>,
    b: HostPtr<T>,
    steps: [isize; 2],
    plan: &Plan<2>,
) {
    if plan.len().saturating_mul(sums.len()) >= 2 * PARALLEL_SUM_LEN
        && let Some((low, high)) = plan.halves_at(SWEPT_ROWS)
    {
        let mut others = [S::zero(); MAX_SWEPT_OUTPUTS];
        let others = &mut others[..sums.len()];
        join(
            // SAFETY: the halves visit what the whole does.
            || unsafe { sweep_columns::<T, S>(sums, a, b, steps, &low) },
            // SAFETY: as above.
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
                    // SAFETY: the inner loop of the plan has these rows, and the caller vouches for them.
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

// ------------------------------------------------------------------ the operands together

/// Where the operands are, and what is made of the sums.
struct SumTask<T: Scalar> {
    a: HostPtr<T>,
    b: HostPtr<T>,
    out: HostPtr<T>,
    finishing: Finish<T>,
    inexact: AtomicBool,
}

impl<T: Scalar> SumTask<T> {
    /// # Safety
    /// `at` is an index of the output, which is ours alone.
    unsafe fn put<S: Sums<T>>(&self, at: isize, sum: S::Sum) {
        let to = self.out.offset(at).get();
        // SAFETY: the caller's.
        let old = self.finishing.reads_old.then(|| unsafe { *to });
        let (value, exact) = S::finish(sum, &self.finishing, old);
        // SAFETY: the caller's.
        unsafe { *to = value };
        if !exact {
            self.inexact.store(true, Ordering::Relaxed);
        }
    }

    /// Sums of one product each.
    ///
    /// # Safety
    /// The plan visits indices of the output, which is ours alone, and of the factors.
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
                // SAFETY: `n > 0` elements of the output side by side; inputs do not overlap it.
                let out = unsafe { core::slice::from_raw_parts_mut(self.out.offset(o).get(), n) };
                macro_rules! products {
                    ($a:ident $b:ident) => {
                        // SAFETY: a row of the plan.
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
                    // SAFETY: `i` is an index of the row.
                    let (x, y) = unsafe { pair.at(i) };
                    // SAFETY: as above, in the output.
                    unsafe { self.put::<S>(o + i as isize * so, S::product(x, y)) };
                }
            }
        }
    }

    /// One sum after the other.
    ///
    /// # Safety
    /// Outputs of the part are ours alone, and from each of its indices the factors have those of the other plan.
    unsafe fn dots<S: Sums<T>, const LANES: usize>(&self, part: &Plan<3>, summed: &Plan<2>) {
        let (n, [so, sa, sb]) = (part.inner_len(), part.inner_strides());
        let mut walk = Odometer::outer(part);
        for _ in 0..part.outer_shape().iter().product() {
            let [o, i, j] = walk.offsets();
            walk.advance();
            for k in 0..n as isize {
                let (a, b) = (self.a.offset(i + k * sa), self.b.offset(j + k * sb));
                // SAFETY: an index of the part, with all that is summed.
                let sum = unsafe { dot_all::<T, S, LANES>(a, b, summed) };
                // SAFETY: the same index of the output.
                unsafe { self.put::<S>(o + k * so, sum) };
            }
        }
    }

    /// Many sums at a time.
    ///
    /// # Safety
    /// As [`dots`](SumTask::dots).
    unsafe fn sweep<S: Sums<T>>(&self, part: &Plan<3>, summed: &Plan<2>) {
        let (n, [so, sa, sb]) = (part.inner_len(), part.inner_strides());
        // Blocks of about one width.
        let width =
            n.div_ceil(n.div_ceil(MAX_SWEPT_OUTPUTS).max(1)).next_multiple_of(8).min(MAX_SWEPT_OUTPUTS);
        let mut walk = Odometer::outer(part);
        for _ in 0..part.outer_shape().iter().product() {
            let [o, i, j] = walk.offsets();
            walk.advance();
            for first in (0..n).step_by(width) {
                let mut sums = [S::zero(); MAX_SWEPT_OUTPUTS];
                let sums = &mut sums[..width.min(n - first)];
                let (a, b) = (self.a.offset(i + first as isize * sa), self.b.offset(j + first as isize * sb));
                // SAFETY: indices of the part, with all that is summed.
                unsafe { sweep_columns::<T, S>(sums, a, b, [sa, sb], summed) };
                for (k, &sum) in sums.iter().enumerate() {
                    // SAFETY: the same indices of the output.
                    unsafe { self.put::<S>(o + (first + k) as isize * so, sum) };
                }
            }
        }
    }
}

/// One row of products. Says whether they are exact but for rounding.
///
/// # Safety
/// From `a` and `b` on there are as many elements to read as in `out`, `steps` apart; none lies in `out`.
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
        // SAFETY: `i` is within the row.
        let (x, y) = unsafe { pair.at(i) };
        let (value, exact) = S::finish(S::product(x, y), &finishing, old);
        *to = value;
        all_exact &= exact;
    };
    if finishing.reads_old {
        out.iter_mut().enumerate().for_each(|(i, to)| put(to, i, Some(*to)));
    } else {
        out.iter_mut().enumerate().for_each(|(i, to)| put(to, i, None));
    }
    all_exact
}

/// The sum of products over all that a plan visits.
///
/// # Safety
/// All of it may be read from `a` and `b` on.
unsafe fn dot_all<T: Scalar, S: Sums<T>, const LANES: usize>(
    a: HostPtr<T>,
    b: HostPtr<T>,
    plan: &Plan<2>,
) -> S::Sum {
    if plan.len() >= 2 * PARALLEL_SUM_LEN
        && let Some((low, high)) = plan.halves_at(LANES * CHAIN_LEN)
    {
        let (low, high) = join(
            // SAFETY: the halves visit what the whole does.
            || unsafe { dot_all::<T, S, LANES>(a, b, &low) },
            // SAFETY: as above.
            || unsafe { dot_all::<T, S, LANES>(a, b, &high) },
        );
        return S::merge(low, high);
    }
    let (n, steps) = (plan.inner_len(), plan.inner_strides());
    let rows: usize = plan.outer_shape().iter().product();
    if rows == 0 || n == 0 {
        return S::zero();
    }
    if rows == 1 {
        let [i, j] = plan.offsets();
        // SAFETY: one row is all there is.
        return unsafe { dot::<T, S, LANES>(a.offset(i), b.offset(j), steps, n) };
    }
    let mut walk = Odometer::outer(plan);
    let mut leaf = |count: usize| {
        let mut sum = S::zero();
        for _ in 0..count {
            let [i, j] = walk.offsets();
            walk.advance();
            // SAFETY: a row of the plan.
            let row = unsafe { dot::<T, S, LANES>(a.offset(i), b.offset(j), steps, n) };
            sum = S::merge(sum, row);
        }
        sum
    };
    pairwise(rows, (CHAIN_LEN / n).max(1), &mut leaf, &S::merge)
}

#[cfg(test)]
mod tests;
