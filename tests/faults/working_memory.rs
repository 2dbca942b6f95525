//! Tests with failing allocations of workspace: packed panels, transposed tiles, partial sums. If such an allocation fails, a
//! kernel must use less workspace, and its result must have the same bits.

use super::allocator::{Alone, FailingAllocations, watch_this_thread};
use std::cell::RefCell;
use std::sync::mpsc;
use vierbein::device::Reduction;
use vierbein::op;
use vierbein::prelude::*;

/// Runs `f` on copies of `there`, without and with failing allocations, and asserts equal results. Each run uses new threads, which
/// have no scratch buffers yet. The first `own` allocations succeed, because the operation itself needs them. Returns the number of
/// failures.
fn check<X>(what: &str, own: usize, there: &X, f: impl Fn(&mut X) + Sync) -> usize
where
    X: PartialEq + Clone + Send + Sync,
{
    let run = |threads: usize, granted: Option<usize>| {
        let mut to = there.clone();
        // Only allocations of at least 4 KiB fail. Those of the thread pool are smaller.
        let failing = |granted| FailingAllocations { least: 4 << 10, granted, for_good: true };
        let mut work = || match granted {
            None => (f(&mut to), 0),
            Some(granted) => failing(granted).during(|| f(&mut to)),
        };
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(|_| watch_this_thread());
        let ((), rejected) = pool.build().unwrap().install(&mut work);
        (to, rejected)
    };
    let (expected, _) = run(1, None);
    let mut rejected = 0;
    // Either all allocations of workspace fail, or all but the first one, two or three.
    for (threads, granted) in [(1, 0), (3, 0), (3, 1), (3, 2), (3, 3)] {
        let (found, times) = run(threads, Some(own + granted));
        assert!(found == expected, "{what}: another result with memory for {granted}, threads: {threads}");
        rejected += times;
    }
    rejected
}

/// Returns a matrix of numbers whose sums are rounded, so that another summation order would change bits.
fn numbers(shape: [usize; 2]) -> Tensor<f64, Rank<2>> {
    Tensor::from_fn(shape, |[i, j]| ((i * 31 + j * 17) % 1009) as f64 / 7.0 - 50.0)
}

#[test]
fn matrix_products() {
    let _alone = Alone::new();
    let mut rejected = 0;
    // For these sizes, both operands are read in place, or only A is packed, or both are packed. The largest have several tiles in
    // each dimension.
    let mut real = [[40, 30, 200], [160, 200, 300], [300, 600, 70], [26, 520, 2060]];
    let mut complex = [[40, 30, 200], [160, 200, 300], [300, 600, 70]];
    // On x86-64, builds with debug assertions have the portable kernel only, which is slow without optimisation if its allocations fail.
    // For the first size, it computes one tile. The others have a side of more than 256, which is several tiles for one thread, and
    // enough work for four tasks of three threads. From 257 terms on, a sum has two parts.
    if cfg!(all(debug_assertions, target_arch = "x86_64")) {
        real = [[40, 30, 200], [144, 110, 280], [280, 264, 64], [26, 264, 640]];
        complex = [[40, 30, 200], [70, 60, 280], [280, 264, 16]];
    }
    for [m, k, n] in real {
        let (a, b) = (numbers([m, k]), numbers([k, n]));
        let [turned_a, turned_b] = [numbers([k, m]), numbers([n, k])];
        let out = numbers([m, n]);
        rejected += check("a·b", 0, &out, |out| a.matmul_into(&b, out));
        rejected += check("aᵀ·bᵀ", 0, &out, |out| turned_a.t().matmul_into(turned_b.t(), out));
    }
    for [m, k, n] in complex {
        let complex = |x: f64| Complex::new(x as f32, (3.0 - x / 3.0) as f32);
        let [a, b, out] = [[m, k], [k, n], [m, n]].map(|shape| numbers(shape).map(complex));
        rejected += check("complex", 0, &out, |out| a.matmul_into(b.conj_view(), out));
    }
    let (a, b) = (numbers([70, 300]).cast::<i32>(), numbers([300, 90]).cast::<i32>());
    let out = Tensor::<i32, _>::zeros([70, 90]);
    rejected += check("integers", 1, &out, |out| *out = a.matmul(&b));
    assert!(rejected > 50, "{rejected}");
}

#[test]
fn transposed_operands() {
    let _alone = Alone::new();
    let mut rejected = 0;
    // Tiles consist of whole rows, or of parts of rows. All operands have enough bytes for several threads.
    for shape in [[300, 500], [40, 5000], [5000, 40], [3, 45_000]] {
        let (x, y) = (numbers(shape), numbers([shape[1], shape[0]]));
        let (bytes, out) = (y.cast::<u8>(), numbers(shape));
        rejected += check("x + yᵀ", 0, &out, |out| x.apply2_into(op::Add, &y.t(), out));
        rejected += check("yᵀ in place", 0, &out, |out| *out += &y.t());
        rejected += check("x + yᵀ · zᵀ", 0, &out, |out| {
            x.zip_map3_into(y.t(), bytes.t(), |x, y, z| x * y + f64::from(z), out)
        });
    }
    assert!(rejected > 12, "{rejected}");
}

#[test]
fn sums() {
    let _alone = Alone::new();
    let mut rejected = 0;
    for shape in [[500, 700], [3000, 100], [70_000, 12]] {
        let x = numbers(shape);
        let [columns, rows] = [1, 0].map(|axis| Tensor::<f64, _>::zeros([shape[axis]]));
        rejected += check("sums of columns", 0, &columns, |out| x.reduce_into(op::Sum, [0], out));
        rejected +=
            check("norms of columns", 0, &columns, |out| x.reduce_into(op::Norm::default(), [0], out));
        rejected +=
            check("sums of rows that are columns", 0, &rows, |out| x.t().reduce_into(op::Sum, [0], out));
        rejected +=
            check("every other", 0, &columns, |out| x.slice(s![..;2, ..;-1]).reduce_into(op::Mean, [0], out));
    }
    assert!(rejected > 6, "{rejected}");
}

/// A user-defined reduction with a large accumulator: a histogram of `N` bins.
#[derive(Clone, Copy)]
struct Histogram<const N: usize>;

impl<const N: usize> Reduction<f64> for Histogram<N> {
    type Acc = [u32; N];
    type Output = f64;
    const NAME: &'static str = "histogram";
    fn identity(&self) -> [u32; N] {
        [0; N]
    }
    fn fold(&self, mut acc: [u32; N], x: f64, _: usize) -> [u32; N] {
        acc[x.abs() as usize % N] += 1;
        acc
    }
    fn combine(&self, mut a: [u32; N], b: [u32; N]) -> [u32; N] {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    }
    fn finish(&self, acc: [u32; N], _: usize) -> Option<f64> {
        Some(acc.iter().zip(1..).map(|(&n, weight)| f64::from(n * weight)).sum())
    }
}

#[test]
fn reductions_with_large_accumulators() {
    let _alone = Alone::new();
    let (x, out) = (numbers([1000, 100]), Tensor::<f64, _>::zeros([100]));
    // If the heap allocation fails, the kernel keeps fewer of these accumulators at a time, in a scratch array on the stack.
    let rejected = check("1 KiB", 0, &out, |out| x.reduce_into(Histogram::<256>, [0], out));
    assert!(rejected > 3, "{rejected}");
    // One accumulator must be allocated before the output is written. If this allocation fails, the operation returns an error.
    // Accumulators for other threads are optional.
    let rejected = check("4 KiB", 1, &out, |out| x.reduce_into(Histogram::<1024>, [0], out));
    assert!(rejected > 3, "{rejected}");
    let mut out = out;
    let failing = FailingAllocations { least: 4 << 10, granted: 0, for_good: true };
    let (result, _) = failing.during(|| x.try_reduce_into(Histogram::<1024>, [0], &mut out));
    assert!(matches!(result, Err(vierbein::Error::OutOfMemory { bytes: 4096, .. })), "{result:?}");
    assert!(out.as_slice().iter().all(|&value| value == 0.0));
    // This matrix is large enough to be reduced in parallel.
    let (x, out) = (numbers([3, 140_000]), Tensor::<f64, _>::zeros([3]));
    let rejected = check("cut", 1, &out, |out| x.reduce_into(Histogram::<1024>, [1], out));
    assert!(rejected > 3, "{rejected}");
}

/// When a thread ends, its scratch buffers are freed. Destructors of other thread-local values can run afterwards, and their
/// operations must work.
#[test]
fn operations_work_in_destructors_of_ending_thread() {
    struct AtTheEnd(mpsc::Sender<f64>);
    impl Drop for AtTheEnd {
        fn drop(&mut self) {
            let _ = self.0.send(work());
        }
    }
    thread_local! {
        static LAST: RefCell<Option<AtTheEnd>> = const { RefCell::new(None) };
    }
    fn work() -> f64 {
        let x = numbers([200, 300]);
        (x.t().matmul(&x) + numbers([300, 300]).t()).sum_axis(0).max().item()
    }
    let _alone = Alone::new();
    let expected = work();
    for first in [true, false] {
        let (at_the_end, ends) = mpsc::channel();
        std::thread::spawn(move || {
            let leave = || LAST.set(Some(AtTheEnd(at_the_end.clone())));
            if first {
                leave();
            }
            assert_eq!(work(), expected);
            leave();
        })
        .join()
        .unwrap();
        let found: Vec<f64> = ends.iter().collect();
        assert_eq!(found, vec![expected; if first { 2 } else { 1 }]);
    }
}
