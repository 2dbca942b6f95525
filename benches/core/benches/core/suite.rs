//! Runs the benchmarks: builds operands, compares results with a naive loop, and provides the thread pools.

use criterion::Criterion;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::hint::black_box;
use std::time::Instant;
use vierbein::prelude::*;
use vierbein::{IntoShape, RealScalar};

/// An element type of the benchmarks.
pub(crate) trait Number: Scalar + std::iter::Sum {
    const NAME: &'static str;
    /// Converts two small integers: the real part and, for complex types, the imaginary part.
    fn whole(re: i32, im: i32) -> Self;
    /// Returns the norm.
    fn norm_of<D: Dim>(x: &Tensor<Self, D>) -> f64;
    fn re_f64(self) -> f64;
}

macro_rules! numbers {
    ($($T:ty, $name:literal, |$re:ident, $im:ident| $whole:expr;)*) => {$(
        impl Number for $T {
            const NAME: &'static str = $name;
            fn whole($re: i32, $im: i32) -> $T {
                $whole
            }
            fn norm_of<D: Dim>(x: &Tensor<$T, D>) -> f64 {
                x.norm().item().into()
            }
            fn re_f64(self) -> f64 {
                self.re().into()
            }
        }
    )*};
}
numbers! {
    f32, "f32", |re, _im| re as f32;
    f64, "f64", |re, _im| f64::from(re);
    Complex<f64>, "c64", |re, im| Complex::new(f64::from(re), f64::from(im));
}

/// An ordered element type.
pub(crate) trait Real: Number + RealScalar {}
impl Real for f32 {}
impl Real for f64 {}

/// Returns a tensor whose elements are randomly −1, 0 or 1. Sums of ten million such elements, and of their products, are exact
/// even in `f32`, so the result does not depend on the summation order.
pub(crate) fn filled<T: Number, Sh: IntoShape>(seed: u32, shape: Sh) -> Tensor<T, Sh::Dim> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(state) * 3) >> 32) as i32 - 1
    };
    Tensor::from_fn(shape, |_| T::whole(next(), next()))
}

/// Compares at most about 5000 elements with `expected`.
///
/// # Panics
/// If an element differs.
pub(crate) fn check<T: Number, D: Dim>(found: &Tensor<T, D>, expected: impl Fn(D::Shape) -> T) {
    let step = found.len() / 5000 + 1;
    for (position, &value) in found.as_slice().iter().enumerate() {
        if position % step == 0 || position == found.len() - 1 {
            let (mut index, mut rest) = (found.shape(), position);
            for i in index.as_mut().iter_mut().rev() {
                let extent = *i;
                *i = rest % extent;
                rest /= extent;
            }
            assert_eq!(value, expected(index), "at {index:?}");
        }
    }
}

pub(crate) struct Suite<'c> {
    criterion: &'c mut Criterion,
    /// Text that the names of benchmarks must contain. Criterion has the same filter, but applies it only after the operands were
    /// built.
    filter: String,
    pools: [ThreadPool; 2],
}

impl<'c> Suite<'c> {
    pub(crate) fn new(criterion: &'c mut Criterion) -> Suite<'c> {
        let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
        let pool = |n| ThreadPoolBuilder::new().num_threads(n).build().expect("a pool of threads");
        Suite { criterion, filter: filter.unwrap_or_default(), pools: [pool(1), pool(2)] }
    }

    /// Runs one benchmark. `setup` builds the operands, checks the result, and returns the function to time.
    pub(crate) fn row<T: Number, R, W: FnMut() -> R + Send>(
        &mut self,
        name: impl AsRef<str>,
        setup: impl FnOnce() -> W,
    ) {
        let name = |threads| format!("{}/{}/{threads}", name.as_ref(), T::NAME);
        if [1, 2].iter().all(|&threads| !name(threads).contains(&self.filter)) {
            return;
        }
        let mut work = setup();
        for pool in &self.pools {
            self.criterion.bench_function(&name(pool.current_num_threads()), |bench| {
                bench.iter_custom(|times| {
                    pool.install(|| {
                        let start = Instant::now();
                        for _ in 0..times {
                            // The time includes the drop of the result, which is part of the cost of an allocating operation.
                            black_box(work());
                        }
                        start.elapsed()
                    })
                });
            });
        }
    }
}
