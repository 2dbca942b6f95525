//! Sums of products: dot products, products of a matrix and a vector, accumulated elementwise products.
//!
//! As in reductions, independent accumulators take the products of a block and blocks are combined pairwise, so that the
//! error grows as O(log n · ε); how work is cut depends on lengths and strides alone. As in BLAS, the factors are not read
//! where `alpha` is zero, nor the output where `beta` is.

use super::reduce::pairwise;
use super::threads::{GRAIN, join, over_outputs, over_parts};
use super::{Cpu, HostPtr};
use crate::device::{Factor, Output};
use crate::element::{Arithmetic, Scalar};
use crate::error::Error;
use crate::layout::plan::Plan;
use crate::layout::walk::Walk;
use core::sync::atomic::{AtomicBool, Ordering};
use num_traits::{One, Zero};

/// Products that an accumulator takes one after the other.
const CHAIN: usize = 32;
/// Outputs that are summed together where they lie more densely than what is summed, at most: their accumulators and some
/// rows of the factors fit the first-level cache.
const COLUMNS: usize = 256;
/// Rows that such a sweep adds one after the other before it combines pairwise.
const ROWS: usize = 16;

/// `out = alpha · Σ a · b + beta · out` over the trailing axes of `a` and `b`.
pub(super) fn sum_products<T: Scalar>(
    alpha: T,
    a: Factor<'_, T, Cpu>,
    b: Factor<'_, T, Cpu>,
    beta: T,
    out: Output<'_, T, Cpu>,
) -> Result<(), Error> {
    // As many accumulators as registers hold: a complex one consists of four numbers.
    let short = size_of::<T::Real>() < 8;
    match (T::COMPLEX, T::INTEGER && cfg!(debug_assertions)) {
        (true, _) if short => compute::<T, Parts, 8>(alpha, a, b, beta, out),
        (true, _) => compute::<T, Parts, 4>(alpha, a, b, beta, out),
        (false, true) => compute::<T, Checked, 8>(alpha, a, b, beta, out),
        (false, false) if short => compute::<T, Plain, 32>(alpha, a, b, beta, out),
        (false, false) => compute::<T, Plain, 16>(alpha, a, b, beta, out),
    }
}

fn compute<T: Scalar, S: Sums<T>, const LANES: usize>(
    alpha: T,
    a: Factor<'_, T, Cpu>,
    b: Factor<'_, T, Cpu>,
    beta: T,
    out: Output<'_, T, Cpu>,
) -> Result<(), Error> {
    let shape = a.operand.shape();
    assert_eq!(shape, b.operand.shape(), "factors of one shape");
    // Loops follow the strides of the factor with more elements: the first from here on.
    let elements = |factor: &Factor<'_, T, Cpu>| {
        let axes = shape.iter().zip(factor.operand.strides()).filter(|&(_, &stride)| stride != 0);
        axes.fold(1, |n: usize, (&extent, _)| n.saturating_mul(extent))
    };
    let (a, b) = if elements(&a) < elements(&b) { (b, a) } else { (a, b) };
    let (kept_shape, summed_shape) = shape.split_at(out.shape().len());
    assert_eq!(out.shape(), kept_shape, "the leading axes are the output's");
    let (kept_a, summed_a) = a.operand.strides().split_at(kept_shape.len());
    let (kept_b, summed_b) = b.operand.strides().split_at(kept_shape.len());
    // What is multiplied by zero is a sum of nothing.
    let (summed_shape, summed_a, summed_b): (&[usize], &[isize], &[isize]) =
        if alpha.is_zero() { (&[0], &[0], &[0]) } else { (summed_shape, summed_a, summed_b) };
    let terms: usize = summed_shape.iter().product();
    let job = Job {
        a: a.operand.ptr(),
        b: b.operand.ptr(),
        out: out.ptr(),
        blend: Blend::new(alpha, beta, [a.conjugate, b.conjugate]),
        inexact: AtomicBool::new(false),
    };
    if let ([], &[n]) = (kept_shape, summed_shape)
        && n < 2 * GRAIN
    {
        // A dot product needs no plans, and can be so short that they would cost more than itself.
        // SAFETY: the operands vouch for their elements.
        unsafe {
            let sum = dot::<T, S, LANES>(job.a, job.b, [summed_a[0], summed_b[0]], n);
            job.put::<S>(0, sum);
        }
    } else if terms == 1 {
        let plan = Plan::unordered(kept_shape, [out.strides(), kept_a, kept_b]);
        // SAFETY: parts of a plan of the operands' shape; the output is ours alone.
        over_parts(&plan, &|part| unsafe { job.products::<S>(part) });
    } else {
        let kept = Plan::unordered_by(kept_shape, [out.strides(), kept_a, kept_b], 1);
        let summed = Plan::unordered_by(summed_shape, [summed_a, summed_b], 0);
        if sweeps(&kept, &summed) {
            // SAFETY: parts of a plan of the kept axes, each with all of the summed ones; the output is ours alone.
            over_outputs(&kept, terms.max(1), COLUMNS, &|part| unsafe { job.sweep::<S>(part, &summed) });
        } else {
            // SAFETY: as above.
            over_outputs(&kept, terms.max(1), COLUMNS, &|part| unsafe {
                job.dots::<S, LANES>(part, &summed)
            });
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
struct Blend<T: Scalar> {
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

impl<T: Scalar> Blend<T> {
    fn new(alpha: T, beta: T, conjugate: [bool; 2]) -> Self {
        let plus = T::Real::one();
        // Unsigned numbers have no conjugates: they do not come here with `true`.
        let minus = |yes: bool| if T::COMPLEX && yes { T::Real::zero() - plus } else { plus };
        let [a, b] = conjugate;
        Blend {
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
    fn finish(sum: Self::Sum, blend: &Blend<T>, old: Option<T>) -> (T, bool);
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
    fn finish(sum: T, blend: &Blend<T>, old: Option<T>) -> (T, bool) {
        (old.map_or_else(|| blend.scaled(sum), |old| blend.with_old(sum, old)), true)
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
    fn finish(sum: [T::Real; 4], blend: &Blend<T>, old: Option<T>) -> (T, bool) {
        let re = sum[0] + blend.minus_im_im * sum[1];
        let im = blend.re_im * sum[2] + blend.im_re * sum[3];
        <Plain as Sums<T>>::finish(complex(re, im), blend, old)
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
    fn finish((sum, carry): Self::Sum, blend: &Blend<T>, old: Option<T>) -> (T, bool) {
        let (scaled, beyond) = T::acc_mul(blend.alpha.widen(), sum);
        let (sum, exact) = match old {
            None => (scaled, true),
            Some(old) => {
                let (old, beyond) = T::acc_mul(blend.beta.widen(), old.widen());
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
struct Lane<T, const STEP: isize> {
    ptr: *const T,
    step: isize,
}

/// A step that is known only at run time.
const ANY: isize = isize::MAX;

impl<T: Copy, const STEP: isize> Lane<T, STEP> {
    #[inline(always)]
    fn new(ptr: HostPtr<T>, step: isize) -> Self {
        debug_assert!(STEP == ANY || STEP == step);
        Lane { ptr: ptr.get(), step: if STEP == ANY { step } else { STEP } }
    }

    /// # Safety
    /// Element `i` may be read.
    #[inline(always)]
    unsafe fn at(self, i: usize) -> T {
        let step = if STEP == ANY { self.step } else { STEP };
        // SAFETY: the caller's.
        unsafe { *self.ptr.offset(i as isize * step) }
    }
}

/// A kernel that is compiled for wide registers too, which is called where the machine has them. Results are the same:
/// nothing is fused or put in another sequence.
macro_rules! kernel {
    (
        $(#[$doc:meta])*
        unsafe fn $name:ident[$($bounds:tt)*][$($generic:tt),*]($($argument:ident: $type:ty),* $(,)?) -> $result:ty $body:block
    ) => {
        $(#[$doc])*
        #[inline]
        unsafe fn $name<$($bounds)*>($($argument: $type),*) -> $result {
            #[inline(always)]
            unsafe fn body<$($bounds)*>($($argument: $type),*) -> $result $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                unsafe fn wide<$($bounds)*>($($argument: $type),*) -> $result {
                    // SAFETY: the caller's.
                    unsafe { body::<$($generic),*>($($argument),*) }
                }
                if std::is_x86_feature_detected!("avx2") {
                    // SAFETY: the machine has what `wide` is compiled for; the rest is the caller's.
                    return unsafe { wide::<$($generic),*>($($argument),*) };
                }
            }
            // SAFETY: the caller's.
            unsafe { body::<$($generic),*>($($argument),*) }
        }
    };
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
            _ => unsafe { dot_block::<T, S, LANES, ANY>(a, b, steps, count) },
        }
    };
    let merge = |a: [S::Sum; 4], b: [S::Sum; 4]| core::array::from_fn(|k| S::merge(a[k], b[k]));
    let [w, x, y, z] =
        if n <= LANES * CHAIN { leaf(n) } else { pairwise(n, LANES * CHAIN, &mut leaf, &merge) };
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
        let (x, y) = (Lane::<T, STEP>::new(a, steps[0]), Lane::<T, STEP>::new(b, steps[1]));
        let (whole, fours) = (n - n % LANES, n - n % 4);
        // SAFETY: all of these are below `n`.
        let (mut many, four, [one]) = unsafe {
            (
                lanes::<T, S, LANES, STEP>(x, y, 0, whole),
                lanes::<T, S, 4, STEP>(x, y, whole, fours),
                lanes::<T, S, 1, STEP>(x, y, fours, n),
            )
        };
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
    x: Lane<T, STEP>,
    y: Lane<T, STEP>,
    from: usize,
    to: usize,
) -> [S::Sum; LANES] {
    let mut sums = [S::zero(); LANES];
    for i in (from..to).step_by(LANES) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            // SAFETY: the caller's.
            *sum = unsafe { S::add(*sum, x.at(i + lane), y.at(i + lane)) };
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
        // SAFETY: some of the rows that the caller vouches for.
        first += unsafe {
            match count - first {
                1 => add_few_rows::<T, S, A, B, 1>(sums, a, b, steps, rows),
                2 => add_few_rows::<T, S, A, B, 2>(sums, a, b, steps, rows),
                3..8 => add_few_rows::<T, S, A, B, 3>(sums, a, b, steps, rows),
                _ => add_few_rows::<T, S, A, B, 8>(sums, a, b, steps, rows),
            }
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
        let x: [Lane<T, A>; COUNT] =
            core::array::from_fn(|r| Lane::new(a.offset(r as isize * rows[0]), steps[0]));
        let y: [Lane<T, B>; COUNT] =
            core::array::from_fn(|r| Lane::new(b.offset(r as isize * rows[1]), steps[1]));
        for (j, to) in sums.iter_mut().enumerate() {
            let mut sum = *to;
            for r in 0..COUNT {
                // SAFETY: `j` is one of the row's elements.
                sum = unsafe { S::add(sum, x[r].at(j), y[r].at(j)) };
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
    if rows <= ROWS {
        return leaf(sums, rows);
    }
    let low = (rows / 2).next_multiple_of(ROWS);
    add_pairwise::<T, S>(sums, low, leaf);
    let mut others = [S::zero(); COLUMNS];
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
    if plan.len().saturating_mul(sums.len()) >= 2 * GRAIN
        && let Some((low, high)) = plan.halves_at(ROWS)
    {
        let mut others = [S::zero(); COLUMNS];
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
    let mut walk = Walk::outer(plan);
    let mut inner = 0;
    let mut leaf = |sums: &mut [S::Sum], mut count: usize| {
        while count > 0 {
            let run = count.min(n - inner);
            let [i, j] = walk.offsets();
            let (a, b) = (a.offset(i + inner as isize * rows[0]), b.offset(j + inner as isize * rows[1]));
            // SAFETY: the inner loop of the plan has these rows, and the caller vouches for them.
            unsafe {
                match steps {
                    [1, 1] => add_rows::<T, S, 1, 1>(sums, a, b, steps, rows, run),
                    [1, 0] => add_rows::<T, S, 1, 0>(sums, a, b, steps, rows, run),
                    _ => add_rows::<T, S, ANY, ANY>(sums, a, b, steps, rows, run),
                }
            };
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
struct Job<T: Scalar> {
    a: HostPtr<T>,
    b: HostPtr<T>,
    out: HostPtr<T>,
    blend: Blend<T>,
    inexact: AtomicBool,
}

impl<T: Scalar> Job<T> {
    /// # Safety
    /// `at` is an index of the output, which is ours alone.
    unsafe fn put<S: Sums<T>>(&self, at: isize, sum: S::Sum) {
        let to = self.out.offset(at).get();
        // SAFETY: the caller's.
        let old = self.blend.reads_old.then(|| unsafe { *to });
        let (value, exact) = S::finish(sum, &self.blend, old);
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
        let mut walk = Walk::outer(plan);
        for _ in 0..plan.outer_shape().iter().product() {
            let [o, i, j] = walk.offsets();
            walk.advance();
            let (a, b) = (self.a.offset(i), self.b.offset(j));
            if so == 1 {
                // SAFETY: `n > 0` elements of the output side by side; inputs do not overlap it.
                let out = unsafe { core::slice::from_raw_parts_mut(self.out.offset(o).get(), n) };
                // SAFETY: a row of the plan.
                let exact = unsafe {
                    match [sa, sb] {
                        [1, 1] => product_row::<T, S, 1, 1>(out, a, b, [sa, sb], &self.blend),
                        [1, 0] => product_row::<T, S, 1, 0>(out, a, b, [sa, sb], &self.blend),
                        [0, 1] => product_row::<T, S, 0, 1>(out, a, b, [sa, sb], &self.blend),
                        _ => product_row::<T, S, ANY, ANY>(out, a, b, [sa, sb], &self.blend),
                    }
                };
                if !exact {
                    self.inexact.store(true, Ordering::Relaxed);
                }
            } else {
                let (x, y) = (Lane::<T, ANY>::new(a, sa), Lane::<T, ANY>::new(b, sb));
                for i in 0..n {
                    // SAFETY: `i` is an index of the row.
                    unsafe { self.put::<S>(o + i as isize * so, S::product(x.at(i), y.at(i))) };
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
        let mut walk = Walk::outer(part);
        for _ in 0..part.outer_shape().iter().product() {
            let [o, i, j] = walk.offsets();
            walk.advance();
            for k in 0..n as isize {
                let (a, b) = (self.a.offset(i + k * sa), self.b.offset(j + k * sb));
                // SAFETY: an index of the part, with all that is summed.
                unsafe { self.put::<S>(o + k * so, dot_all::<T, S, LANES>(a, b, summed)) };
            }
        }
    }

    /// Many sums at a time.
    ///
    /// # Safety
    /// As [`dots`](Job::dots).
    unsafe fn sweep<S: Sums<T>>(&self, part: &Plan<3>, summed: &Plan<2>) {
        let (n, [so, sa, sb]) = (part.inner_len(), part.inner_strides());
        // Blocks of about one width.
        let width = n.div_ceil(n.div_ceil(COLUMNS).max(1)).next_multiple_of(8).min(COLUMNS);
        let mut walk = Walk::outer(part);
        for _ in 0..part.outer_shape().iter().product() {
            let [o, i, j] = walk.offsets();
            walk.advance();
            for first in (0..n).step_by(width) {
                let mut sums = [S::zero(); COLUMNS];
                let sums = &mut sums[..width.min(n - first)];
                let (a, b) = (self.a.offset(i + first as isize * sa), self.b.offset(j + first as isize * sb));
                // SAFETY: indices of the part, with all that is summed.
                unsafe {
                    sweep_columns::<T, S>(sums, a, b, [sa, sb], summed);
                    for (k, &sum) in sums.iter().enumerate() {
                        self.put::<S>(o + (first + k) as isize * so, sum);
                    }
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
    blend: &Blend<T>,
) -> bool {
    let (x, y) = (Lane::<T, A>::new(a, steps[0]), Lane::<T, B>::new(b, steps[1]));
    let blend = *blend;
    let mut all_exact = true;
    let mut put = |to: &mut T, i: usize, old: Option<T>| {
        // SAFETY: `i` is within the row.
        let (value, exact) = S::finish(unsafe { S::product(x.at(i), y.at(i)) }, &blend, old);
        *to = value;
        all_exact &= exact;
    };
    if blend.reads_old {
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
    if plan.len() >= 2 * GRAIN
        && let Some((low, high)) = plan.halves_at(LANES * CHAIN)
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
    let mut walk = Walk::outer(plan);
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
    pairwise(rows, (CHAIN / n).max(1), &mut leaf, &S::merge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{Gemm, Operand};
    use crate::element::{DType, RealScalar, c32, c64};

    /// Axes of a product: length, and the steps in `out`, `a` and `b`. Those of the sum have no place in `out`.
    #[derive(Debug, Clone, Copy)]
    struct Loop(usize, Option<isize>, isize, isize);

    /// A buffer for strides of any sign, and where index 0 lies in it.
    fn buffer<T: Scalar>(loops: &[(usize, isize)], value: impl Fn(usize) -> T) -> (Vec<T>, usize) {
        let reach = |sign: isize| -> usize {
            loops.iter().map(|&(n, s)| n.saturating_sub(1) * (s * sign).max(0).unsigned_abs()).sum()
        };
        let (below, above) = (reach(-1), reach(1));
        ((0..below + above + 1).map(value).collect(), below)
    }

    /// A number between -2 and 2 that depends on `k` alone; small whole numbers for integers.
    fn number<T: Scalar>(k: usize, seed: usize) -> T {
        let mixed = |salt: usize| ((k + 1) * (seed + 2 * salt + 1) * 2_654_435_761) >> 7 & 0xff;
        let part = |salt: usize| {
            T::Real::from_usize(mixed(salt) % 5) - T::Real::from_usize(2 * (1 - unsigned::<T>()))
        };
        let fraction = |salt: usize| match T::INTEGER {
            true => T::Real::zero(),
            false => T::Real::from_usize(mixed(salt + 7)) / T::Real::from_usize(256),
        };
        let re = part(0) + fraction(0);
        if T::COMPLEX { complex(re, part(1) - fraction(1)) } else { T::from_real(re) }
    }

    fn unsigned<T: Scalar>() -> usize {
        usize::from(matches!(T::DTYPE, DType::U8 | DType::U16 | DType::U32 | DType::U64))
    }

    /// What `sum_products` makes of numbers, and the same by a plain loop in sequence.
    fn both<T: Scalar>(loops: &[Loop], alpha: T, beta: T, conjugate: [bool; 2]) -> [Vec<T>; 2] {
        let kept: Vec<Loop> = loops.iter().copied().filter(|l| l.1.is_some()).collect();
        let all: Vec<Loop> =
            kept.iter().copied().chain(loops.iter().copied().filter(|l| l.1.is_none())).collect();
        let shape: Vec<usize> = all.iter().map(|l| l.0).collect();
        let steps = |f: fn(&Loop) -> isize, of: &[Loop]| of.iter().map(f).collect::<Vec<isize>>();
        let (so, sa, sb) = (steps(|l| l.1.unwrap(), &kept), steps(|l| l.2, &all), steps(|l| l.3, &all));
        let pairs = |s: &[isize]| shape.iter().copied().zip(s.iter().copied()).collect::<Vec<_>>();
        let (a, first_a) = buffer(&pairs(&sa), |k| number::<T>(k, 1));
        let (b, first_b) = buffer(&pairs(&sb), |k| number::<T>(k, 5));
        // What must not be read is not a number.
        let old = |k| match (beta.is_zero(), T::INTEGER) {
            (true, false) => T::zero() / T::zero(),
            _ => number(k, 9),
        };
        let (mut out, first_out) = buffer(&pairs(&so), old);
        let mut expected = out.clone();

        let mut walk =
            Walk::row_major(&shape, [&[so.clone(), vec![0; all.len() - kept.len()]].concat(), &sa, &sb]);
        let terms: usize = shape[kept.len()..].iter().product();
        let conj = |x: T, yes: bool| if yes { x.conj() } else { x };
        for _ in 0..shape[..kept.len()].iter().product() {
            let to = walk.offsets()[0];
            let mut sum = T::zero();
            for _ in 0..terms {
                let [_, i, j] = walk.offsets();
                walk.advance();
                let x = conj(a[first_a.strict_add_signed(i)], conjugate[0]);
                let y = conj(b[first_b.strict_add_signed(j)], conjugate[1]);
                sum += x * y;
            }
            if terms == 0 {
                break;
            }
            let to = &mut expected[first_out.strict_add_signed(to)];
            *to = if beta.is_zero() { alpha * sum } else { alpha * sum + beta * *to };
        }
        if terms == 0 {
            let mut walk = Walk::row_major(&shape[..kept.len()], [&so]);
            for _ in 0..shape[..kept.len()].iter().product() {
                let to = &mut expected[first_out.strict_add_signed(walk.offsets()[0])];
                *to = if beta.is_zero() { T::zero() } else { beta * *to };
                walk.advance();
            }
        }
        // SAFETY: the buffers reach as far as the strides do; no test gives two indices of an output one place.
        unsafe {
            let at = |data: &[T], first: usize| Cpu::slice_ptr(data).offset(first as isize);
            let a =
                Factor { operand: Operand::from_raw(at(&a, first_a), &shape, &sa), conjugate: conjugate[0] };
            let b =
                Factor { operand: Operand::from_raw(at(&b, first_b), &shape, &sb), conjugate: conjugate[1] };
            let to = Cpu::slice_ptr_mut(&mut out).offset(first_out as isize);
            let out = Output::from_raw(to, &shape[..kept.len()], &so);
            Cpu.sum_products(alpha, a, b, beta, out).unwrap();
        }
        [out, expected]
    }

    fn compare<T: Scalar>(loops: &[Loop], alpha: T, beta: T, conjugate: [bool; 2], tolerance: f64) {
        let [out, expected] = both(loops, alpha, beta, conjugate);
        for (k, (&x, &y)) in out.iter().zip(&expected).enumerate() {
            // Places between the outputs stay NaN.
            let size = |x: T| x.re().in_f64().hypot(x.im().in_f64());
            let near = x == y || (x != x && y != y) || size(x - y) <= tolerance * (1.0 + size(y));
            assert!(near, "{} {loops:?} {alpha} {beta} {conjugate:?}: {x} for {y} at {k}", T::DTYPE);
        }
    }

    /// All combinations of factors and conjugates.
    fn compare_all<T: Scalar>(loops: &[Loop], tolerance: f64) {
        let two = T::one() + T::one();
        for (alpha, beta) in [(T::one(), T::zero()), (two, T::one()), (T::zero(), two), (two, two)] {
            for conjugate in [[false; 2], [true, false], [false, true], [true; 2]] {
                if T::COMPLEX || conjugate == [false; 2] {
                    compare(loops, alpha, beta, conjugate, tolerance);
                }
            }
        }
    }

    /// Dot products, matrices and vectors in both layouts, batches, outer products, gaps, zero and negative steps.
    fn cases() -> Vec<Vec<Loop>> {
        let keep = |n, o, a, b| Loop(n, Some(o), a, b);
        let sum = |n, a, b| Loop(n, None, a, b);
        let mut cases = vec![vec![]];
        for n in [0, 1, 3, 4, 7, 16, 17, 100, 513, 1500] {
            cases.extend([
                vec![sum(n, 1, 1)],
                vec![sum(n, 2, 1)],
                vec![sum(n, -1, 1)],
                vec![sum(n, -3, -1)],
                vec![sum(n, 0, 1)],
                vec![sum(n, 0, 0)],
                vec![keep(n, 1, 1, 1)],
                vec![keep(n, 1, 1, 0)],
                vec![keep(n, 2, 0, 3)],
                vec![keep(n, -1, 1, -2)],
            ]);
            for m in [1, 2, 5, 9, 300].into_iter().filter(|m| m * n <= 30_000) {
                let (wide, high) = (n as isize, m as isize);
                cases.extend([
                    vec![keep(m, 1, wide, 0), sum(n, 1, 1)],
                    vec![keep(m, 1, 0, wide), sum(n, 1, 1)],
                    vec![keep(m, 1, 1, 0), sum(n, high, 1)],
                    vec![keep(m, -1, 0, 1), sum(n, 2, high)],
                    vec![keep(m, 1, wide, wide), sum(n, 1, 1)],
                    vec![keep(m, 1, 1, 1), sum(n, high, high)],
                    vec![keep(m, 2, -1, 1), sum(n, -high, high)],
                    vec![keep(m, 1, 2, 3), sum(n, 2 * high, 3 * high)],
                    vec![keep(m, wide, 1, 0), keep(n, 1, 0, 1)],
                    vec![keep(m, 1, wide, 1), keep(n, high, 1, high)],
                ]);
            }
        }
        // Several of each, in all sequences of the factors.
        for (i, j, k, l) in
            [(3, 5, 7, 2), (2, 40, 3, 30), (9, 1, 20, 20), (4, 3, 0, 2), (0, 3, 4, 2), (13, 12, 11, 10)]
        {
            let (ni, nj, nk, nl) = (i as isize, j as isize, k as isize, l as isize);
            cases.extend([
                vec![
                    keep(i, nj, nj * nk * nl, 0),
                    keep(j, 1, nk * nl, 1),
                    sum(k, nl, nj * nl),
                    sum(l, 1, nj),
                ],
                vec![
                    keep(i, 1, 1, nl * nk),
                    keep(j, ni, ni, 0),
                    sum(k, ni * nj, 1),
                    sum(l, ni * nj * nk, nk),
                ],
                vec![keep(i, 1, 0, nl * nk), keep(j, ni, -nk, 0), sum(k, 1, -1), sum(l, 0, nk)],
                vec![keep(i, nj, 1, 1), keep(j, 1, ni, ni), keep(l, ni * nj, 0, ni * nj), sum(k, ni * nj, 0)],
                vec![keep(i, nj * nk, 1, 0), keep(j, nk, 0, nk), keep(k, 1, ni, 1)],
                vec![sum(i, nj * nk, 1), sum(j, nk, ni), sum(k, 1, ni * nj)],
            ]);
        }
        cases
    }

    #[test]
    fn agrees_with_a_plain_loop() {
        for loops in cases() {
            compare_all::<f64>(&loops, 1e-12);
            compare_all::<c64>(&loops, 1e-12);
        }
    }

    #[test]
    fn single_precision_agrees_with_a_plain_loop() {
        for loops in cases() {
            compare_all::<f32>(&loops, 2e-4);
            compare_all::<c32>(&loops, 2e-4);
        }
    }

    #[test]
    fn integers_are_exact() {
        for loops in cases() {
            compare_all::<i64>(&loops, 0.0);
            compare_all::<u32>(&loops, 0.0);
            compare_all::<i32>(&loops, 0.0);
        }
    }

    /// Outputs and sums that are cut for threads.
    fn large() -> Vec<Vec<Loop>> {
        let keep = |n, o, a, b| Loop(n, Some(o), a, b);
        let sum = |n, a, b| Loop(n, None, a, b);
        vec![
            vec![sum(300_001, 1, 1)],
            vec![sum(150_000, -2, 1)],
            vec![sum(500, 601, 500), sum(601, 1, 501)],
            vec![keep(600, 1, 700, 0), sum(700, 1, 1)],
            vec![keep(600, 1, 1, 0), sum(700, 600, 1)],
            vec![keep(3, 1, 150_000, 0), sum(150_000, 1, 1)],
            vec![keep(5, 1, 1, 0), sum(90_000, 5, 1)],
            vec![keep(700, 1, 1, 1), sum(500, 700, 700)],
            vec![keep(700, 1, 500, 500), sum(500, 1, 1)],
            vec![keep(600, 700, 700, 1), keep(700, 1, 1, 600)],
            vec![keep(600, 700, 1, 0), keep(700, 1, 0, 1)],
        ]
    }

    #[test]
    fn large_operands() {
        for loops in large() {
            compare::<f64>(&loops, 2.0, 3.0, [false; 2], 1e-11);
            compare::<c64>(&loops, c64::one(), c64::zero(), [true, false], 1e-11);
            compare::<i64>(&loops, 1, 1, [false; 2], 0.0);
        }
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn the_number_of_threads_changes_nothing() {
        let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        let (one, four) = (pool(1), pool(4));
        for loops in large() {
            let compute = || both::<f64>(&loops, 1.0, 0.0, [false; 2])[0].clone();
            assert!(one.install(compute) == four.install(compute), "{loops:?}");
            let compute = || both::<c32>(&loops, c32::one(), c32::one(), [false, true])[0].clone();
            assert!(one.install(compute) == four.install(compute), "{loops:?}");
        }
    }

    #[test]
    fn long_sums_stay_accurate() {
        // One after the other, these would be off by more than 10.
        let n = 1 << 20;
        let x = vec![0.1f32; n];
        let (mut out, shape) = ([0.0f32], [n]);
        // SAFETY: the operands' own lengths.
        unsafe {
            let x = Operand::from_raw(Cpu::slice_ptr(&x), &shape, &[1]);
            let out = Output::from_raw(Cpu::slice_ptr_mut(&mut out), &[], &[]);
            Cpu.sum_products(1.0, x.into(), x.into(), 0.0, out).unwrap();
        }
        let exact = f64::from(0.1f32).powi(2) * n as f64;
        assert!((f64::from(out[0]) / exact - 1.0).abs() < 3e-7);
    }

    #[test]
    fn ones_do_not_multiply_infinities() {
        let x = [c64::new(f64::INFINITY, 1.0)];
        let y = [c64::new(1.0, 0.0)];
        let mut out = [c64::new(0.0, f64::INFINITY)];
        // SAFETY: one element each.
        unsafe {
            let x = Operand::from_raw(Cpu::slice_ptr(&x), &[1], &[1]);
            let y = Operand::from_raw(Cpu::slice_ptr(&y), &[1], &[1]);
            let out = Output::from_raw(Cpu::slice_ptr_mut(&mut out), &[1], &[1]);
            Cpu.sum_products(c64::one(), x.into(), y.into(), c64::one(), out).unwrap();
        }
        assert_eq!(out[0].re, f64::INFINITY);
    }

    #[test]
    fn reads_nothing_that_is_multiplied_by_zero() {
        for n in [1, 3, 300] {
            let (nan, two) = (vec![f64::NAN; n], vec![2.0; n]);
            let (mut out, shape) = (vec![f64::NAN; n], [n]);
            let mut multiply = |kept: usize, alpha: f64, x: &[f64], beta: f64| {
                let (shape, strides) = (&shape[..], &[1][..]);
                // SAFETY: the operands' own lengths.
                unsafe {
                    let x = Operand::from_raw(Cpu::slice_ptr(x), shape, strides);
                    let out =
                        Output::from_raw(Cpu::slice_ptr_mut(&mut out), &shape[..kept], &strides[..kept]);
                    Cpu.sum_products(alpha, x.into(), x.into(), beta, out).unwrap();
                }
                out.clone()
            };
            assert_eq!(multiply(1, 1.0, &two, 0.0), vec![4.0; n]);
            assert_eq!(multiply(1, 0.0, &nan, 3.0), vec![12.0; n]);
            assert_eq!(multiply(0, 0.0, &nan, 0.5)[0], 6.0);
            assert_eq!(multiply(1, 0.0, &nan, 0.0), vec![0.0; n]);
        }
    }

    #[test]
    fn integers_overflow_as_they_should() {
        let dot = |x: &[i32], y: &[i32], alpha: i32, beta: i32, old: i32| {
            let mut out = [old];
            let shape = [x.len()];
            // SAFETY: the operands' own lengths.
            let result = unsafe {
                let x = Operand::from_raw(Cpu::slice_ptr(x), &shape, &[1]);
                let y = Operand::from_raw(Cpu::slice_ptr(y), &shape, &[1]);
                let out = Output::from_raw(Cpu::slice_ptr_mut(&mut out), &[], &[]);
                Cpu.sum_products(alpha, x.into(), y.into(), beta, out)
            };
            result.map(|()| out[0])
        };
        // Beyond the type on the way, but not in the end.
        assert_eq!(dot(&[i32::MAX, i32::MAX], &[i32::MAX, -i32::MAX], 1, 0, 0), Ok(0));
        assert_eq!(dot(&[1 << 20, 1], &[1 << 20, 1], 1, 0, 0).ok(), (!cfg!(debug_assertions)).then_some(1));
        assert_eq!(dot(&[1 << 30], &[1], 1, 1, 1 << 30).ok(), (!cfg!(debug_assertions)).then_some(i32::MIN));
        assert_eq!(dot(&[1 << 30], &[1], 2, -2, 1 << 30), Ok(0));
        let error = dot(&[i32::MAX], &[2], 1, 0, 0);
        assert_eq!(matches!(error, Err(Error::Arithmetic { .. })), cfg!(debug_assertions));
    }
}
