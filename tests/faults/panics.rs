//! Tests with closures that panic at some element. The panic must reach the caller, and no memory may leak. Foreign memory must be
//! freed once. Operands must stay unchanged, and outputs may contain only old and new elements.

use super::allocator::{Alone, live, live_large, watch_this_thread};
use super::{Random, quietly, seed};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vierbein::device::{ForeignMemory, UnaryOp};
use vierbein::prelude::*;

/// The panic payload of the closures: the value of the element at which they panic.
#[derive(Debug, PartialEq)]
struct Fuse(usize);

fn unless(fuse: usize, value: f64) -> f64 {
    if value == fuse as f64 {
        panic_any(Fuse(fuse));
    }
    -value
}

/// Memory of another library, which counts how often it is freed.
struct Foreign(Vec<f64>, Arc<AtomicUsize>);

impl Drop for Foreign {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

// SAFETY: the elements are those of a `Vec`, which are valid until the owner is dropped, at an address and with a length that do
// not change. Only `elements` accesses them.
unsafe impl ForeignMemory<f64> for Foreign {
    fn elements(&mut self) -> &mut [f64] {
        &mut self.0
    }
}

/// The operand of the tests: a matrix in foreign memory. It has `COLUMNS` columns, and its elements are 0, 1, 2 and so on.
struct Operands {
    x: Tensor<f64, Rank<2>>,
    freed: Arc<AtomicUsize>,
}

const COLUMNS: usize = 32;

fn counted(rows: usize) -> Vec<f64> {
    (0..rows * COLUMNS).map(|k| k as f64).collect()
}

impl Operands {
    fn new(rows: usize) -> Operands {
        let freed = Arc::new(AtomicUsize::new(0));
        let x = Tensor::from_buffer([rows, COLUMNS], Foreign(counted(rows), freed.clone()));
        Operands { x, freed }
    }

    /// Asserts that `f` panics at the element `fuse`, leaks no memory, and does not change the operand.
    fn panics(&self, what: &str, fuse: usize, live: fn() -> isize, f: impl FnOnce()) {
        let before = live();
        let panic = quietly(|| catch_unwind(AssertUnwindSafe(f)));
        let payload =
            panic.expect_err(what).downcast::<Fuse>().unwrap_or_else(|_| panic!("{what}: another panic"));
        assert_eq!(*payload, Fuse(fuse), "{what}");
        drop(payload);
        // The bytes in use may have decreased, if `f` freed a scratch buffer of an earlier operation.
        assert!(live() <= before, "{} bytes that {what} leaks when element {fuse} panics", live() - before);
        assert_eq!(self.freed.load(Ordering::SeqCst), 0, "{what} frees what is not its own");
        // Iterating over a slice is faster than over a tensor, in builds without optimisation.
        let unchanged = self.x.as_slice().iter().enumerate().all(|(k, &value)| value == k as f64);
        assert!(unchanged, "{what} changes its operand");
    }
}

/// A user-defined operation that panics at an element.
#[derive(Clone, Copy)]
struct Unless(usize);

impl UnaryOp<f64> for Unless {
    type Output = f64;
    const NAME: &'static str = "blow the fuse";
    fn apply(&self, a: f64) -> f64 {
        unless(self.0, a)
    }
}

/// Asserts that each element of an output, which an operation may have written in part, is either the old or the new one.
fn half_done(what: &str, out: &Tensor<f64, Rank<2>>, old: impl Fn(usize) -> f64) {
    let bad = out.as_slice().iter().enumerate().find(|&(k, &value)| value != old(k) && value != -(k as f64));
    assert_eq!(bad, None, "{what}");
}

fn every_closure(rows: usize, rounds: usize, live: fn() -> isize) {
    let mut random = Random(seed());
    let operands = Operands::new(rows);
    let x = &operands.x;
    let (turned, row) = (x.to_order::<ColMajor>(), x.index_axis(0, 0));
    let (turned, row) = (&turned.as_order::<RowMajor>(), &row);
    let mut out = Tensor::<f64, _>::zeros([rows, COLUMNS]);
    for _ in 0..rounds {
        let fuse = random.below(rows * COLUMNS);
        let panics = |what: &str, f: &mut dyn FnMut()| operands.panics(what, fuse, live, f);
        panics("map", &mut || drop(x.map(|x| unless(fuse, x))));
        panics("map of a transposed view", &mut || drop(turned.map(|x| unless(fuse, x))));
        panics("zip_map", &mut || drop(x.zip_map(turned, |x, _| unless(fuse, x))));
        panics("zip_map3", &mut || drop(x.zip_map3(turned, row, |x, _, _| unless(fuse, x))));
        panics("apply", &mut || drop(x.apply(Unless(fuse))));
        panics("try_map", &mut || drop(x.try_map(|x| unless(fuse, x))));
        panics("a chain", &mut || drop((x + 1.0 - 1.0).map(|x| unless(fuse, x))));
        panics("what is given away", &mut || {
            let given = x.clone();
            drop(given.into_dlpack().view::<f64, Rank<2>, RowMajor, Cpu>().unwrap().map(|x| unless(fuse, x)));
        });

        out.fill(1e300);
        panics("map_into", &mut || x.map_into(|x| unless(fuse, x), &mut out));
        half_done("map_into", &out, |_| 1e300);
        panics("zip_map_into", &mut || x.zip_map_into(turned, |x, _| unless(fuse, x), &mut out));
        half_done("zip_map_into", &out, |_| 1e300);
        panics("zip_map3_into", &mut || x.zip_map3_into(turned, row, |x, _, _| unless(fuse, x), &mut out));
        half_done("zip_map3_into", &out, |_| 1e300);
        out.assign(x);
        panics("mapv_inplace", &mut || out.mapv_inplace(|x| unless(fuse, x)));
        half_done("mapv_inplace", &out, |k| k as f64);
        // `mapv_inplace` panicked at element `fuse`, so this element still has the value `fuse`. No other element has this absolute value.
        assert_eq!(out.iter().filter(|&&x| x == fuse as f64).count(), 1);
        out.assign(x);
        panics("apply_inplace", &mut || out.apply_inplace(Unless(fuse)));
        half_done("apply_inplace", &out, |k| k as f64);

        // After the panics, the same operations work.
        out.assign(x);
        out.mapv_inplace(|x| -x);
        assert!(out == x.map(|x| -x) && out == x.zip_map(turned, |x, _| -x));
    }
    let Operands { x, freed } = operands;
    drop(x);
    assert_eq!(freed.load(Ordering::SeqCst), 1);
}

#[test]
fn a_closure_on_this_thread() {
    let _alone = Alone::new();
    every_closure(30, 40, live);
}

#[test]
fn a_closure_on_several_threads() {
    let _alone = Alone::new();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).start_handler(|_| watch_this_thread());
    // 2¹³ rows are enough elements for operations to run in parallel.
    pool.build().unwrap().install(|| every_closure(1 << 13, 6, live_large));
}

#[test]
fn constructors_and_iterators() {
    let _alone = Alone::new();
    let mut random = Random(seed());
    const ROWS: usize = 50;
    for _ in 0..40 {
        let fuse = random.below(ROWS * COLUMNS);
        let operands = Operands::new(ROWS);
        let panics = |what: &str, f: &mut dyn FnMut()| operands.panics(what, fuse, live, f);
        let at = |[i, j]: [usize; 2]| unless(fuse, (i * COLUMNS + j) as f64);
        panics("from_fn", &mut || drop(Tensor::<f64, _>::from_fn([ROWS, COLUMNS], at)));
        panics("from_fn, column-major", &mut || {
            drop(Tensor::<f64, _, ColMajor>::from_fn([ROWS, COLUMNS], at))
        });
        let x = &operands.x;
        panics("axis_iter", &mut || {
            let rows: Vec<_> = x.axis_iter(0).map(|row| row.map(|x| unless(fuse, x))).collect();
            drop(rows);
        });
        let mut out = x.clone();
        panics("iter_mut", &mut || out.iter_mut().for_each(|x| *x = unless(fuse, *x)));
        assert!(out.iter().enumerate().all(|(k, &x)| x == if k < fuse { -(k as f64) } else { k as f64 }));
        out.assign(x);
        panics("lanes_mut", &mut || {
            out.lanes_mut(1).for_each(|mut lane| lane.mapv_inplace(|x| unless(fuse, x)));
        });
        half_done("lanes_mut", &out, |k| k as f64);
    }
}

#[test]
fn parallel_iterators() {
    use rayon::iter::ParallelIterator;
    let _alone = Alone::new();
    let mut random = Random(seed());
    const ROWS: usize = 500;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).start_handler(|_| watch_this_thread());
    pool.build().unwrap().install(|| {
        for _ in 0..20 {
            let fuse = random.below(ROWS * COLUMNS);
            let operands = Operands::new(ROWS);
            let mut out = operands.x.clone();
            operands.panics("par_axis_iter", fuse, live_large, || {
                let _: Vec<_> = operands.x.par_axis_iter(0).map(|row| row.map(|x| unless(fuse, x))).collect();
            });
            operands.panics("par_axis_iter_mut", fuse, live_large, || {
                out.par_axis_iter_mut(0).for_each(|mut row| row.mapv_inplace(|x| unless(fuse, x)));
            });
            half_done("par_axis_iter_mut", &out, |k| k as f64);
        }
    });
}

/// If a closure owns a tensor and panics, the tensor is dropped once.
#[test]
fn tensor_moved_into_panicking_closure_is_dropped_once() {
    let _alone = Alone::new();
    let Operands { x, freed } = Operands::new(4);
    let panic = quietly(|| {
        catch_unwind(move || {
            let x = x * 2.0;
            x.map(|x| unless(8, x)).sum().item()
        })
    });
    assert_eq!(*panic.unwrap_err().downcast::<Fuse>().unwrap(), Fuse(8));
    assert_eq!(freed.load(Ordering::SeqCst), 1);

    // For a DLPack tensor, the producer's deleter is called.
    let Operands { x, freed } = Operands::new(4);
    let given = x.into_dlpack();
    let panic = quietly(|| {
        catch_unwind(move || {
            let x = given.into_tensor::<f64, Rank<2>, RowMajor, Cpu>().unwrap();
            x.map(|x| unless(8, x)).sum().item()
        })
    });
    assert!(panic.is_err());
    assert_eq!(freed.load(Ordering::SeqCst), 1);
}

/// If `ForeignMemory::elements` panics, the owner of the memory is dropped once, and no tensor is created.
#[test]
fn panicking_owner_is_dropped_once() {
    struct Shy(#[allow(dead_code, reason = "it is dropped")] Foreign);
    // SAFETY: `elements` never returns a slice, so the conditions on the slice hold trivially.
    unsafe impl ForeignMemory<f64> for Shy {
        fn elements(&mut self) -> &mut [f64] {
            panic_any(Fuse(0))
        }
    }
    let _alone = Alone::new();
    let freed = Arc::new(AtomicUsize::new(0));
    let shy = Shy(Foreign(vec![1.0, 2.0], freed.clone()));
    let panic = quietly(|| catch_unwind(AssertUnwindSafe(|| Tensor::<f64, _>::from_buffer([2], shy))));
    assert_eq!(*panic.unwrap_err().downcast::<Fuse>().unwrap(), Fuse(0));
    assert_eq!(freed.load(Ordering::SeqCst), 1);
}
