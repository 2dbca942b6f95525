//! What a contraction or a reduction allocates: its result, and nothing else. Views go in as they are.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use vierbein::op;
use vierbein::prelude::*;

/// Counts what this thread asks for.
struct Counting;

thread_local! {
    static ASKED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

fn count(bytes: usize) {
    // A thread that is ending has no counter any more.
    let _ = ASKED.try_with(|asked| asked.set((asked.get().0 + 1, asked.get().1 + bytes)));
}

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many times memory is asked for, and how many bytes in all. Once before that, for what threads keep.
fn asked<R>(f: impl Fn() -> R) -> (usize, usize) {
    drop(f());
    ASKED.set((0, 0));
    let result = f();
    let asked = ASKED.get();
    drop(result);
    asked
}

#[test]
fn a_contraction_allocates_its_result() {
    let cube = Tensor::<f64, _>::from_fn([12, 12, 12], |[i, j, k]| (i * 7 + j * 3 + k) as f64);
    let other = Tensor::<f64, _>::from_fn([12, 12, 12], |[i, j, k]| (i + j * 5 + k * 11) as f64);
    let (a, b) = (cube.slice(s![..;-1, 1..11, ..]), other.permute([2, 0, 1]));
    let complex = cube.cast::<Complex<f64>>();
    macro_rules! check {
        ($($spec:literal, $elements:literal: $($x:expr),+;)*) => {$(
            let (times, bytes) = asked(|| einsum!($spec, $($x),+));
            assert_eq!((times, bytes), (1, $elements * 8), "{}", $spec);
        )*};
    }
    check! {
        "iji->j", 10: a;
        "iji->ji", 120: a;
        "ijk->", 1: a;
        "ijk->ik", 144: a;
        "ijk->kij", 1440: a;
        "ijk,kji->ijk", 1728: &cube, b;
        "ijk,k->ijk", 1440: a, b.index_axis(0, 1).index_axis(0, 2);
        "i,j->ji", 144: cube.index_axis(0, 1).index_axis(1, 2), b.index_axis(1, 1).index_axis(0, 2);
        "ijk,ijk->", 1: &cube, b;
        "ijk,ijk->j", 12: &cube, b;
        "ijk,k->ij", 120: a, b.index_axis(0, 1).index_axis(0, 2);
        "ij,jk->ik", 144: cube.index_axis(1, 3), b.index_axis(0, 2);
        "bij,bjk->bik", 1728: &cube, b;
        "ijk,klm->ijlm", 17280: a, b;
        "ijk,jkl->il", 144: &cube, &other;
    }
    let (times, _) = asked(|| einsum!("bij,bkj->bik", complex.conj_view(), &complex));
    assert_eq!(times, 1);
}

#[test]
fn into_what_is_there_nothing_is_allocated() {
    let cube = Tensor::<f64, _>::from_fn([12, 12, 12], |[i, j, k]| (i * 7 + j * 3 + k) as f64);
    let out = std::cell::RefCell::new(Tensor::<f64, _>::zeros([12, 12]));
    macro_rules! check {
        ($($spec:literal: $($x:expr),+;)*) => {$(
            let (times, _) = asked(|| einsum_into!(&mut *out.borrow_mut(), 0.5, 0.25; $spec, $($x),+));
            assert_eq!(times, 0, "{}", $spec);
        )*};
    }
    let matrix = cube.index_axis(1, 2);
    check! {
        "ij->ji": matrix;
        "ij,ij->ij": matrix, matrix.t();
        "ijk,jk->ij": &cube, matrix;
        "ij,jk->ik": matrix, matrix.t();
        "ijk,ljk->il": &cube, &cube;
    }
}

#[test]
fn matmul_allocates_its_result() {
    let a = Tensor::<f64, _>::from_fn([40, 50], |[i, j]| (i * 3 + j) as f64);
    assert_eq!(asked(|| a.matmul(a.t())), (1, 40 * 40 * 8));
    let row = a.index_axis(0, 1);
    assert_eq!(asked(|| a.matmul(row)), (1, 40 * 8));
    assert_eq!(asked(|| row.dot(row)), (1, 8));
    assert_eq!(asked(|| a.outer(row)), (1, 40 * 50 * 50 * 8));
    assert_eq!(asked(|| a.tensordot(&a, [0], [0])), (1, 50 * 50 * 8));
}

#[test]
fn a_reduction_allocates_its_result() {
    let x = Tensor::<f64, _>::from_fn([3, 2, 3, 2, 3, 2, 3, 2], |at| {
        at.iter().fold(1.0, |x, &k| x * 1.1 + k as f64)
    });
    let v = x.permute([6, 1, 4, 7, 0, 3, 2, 5]).index_axis(1, 0).slice(s![.., ..;-1, .., .., .., .., ..]);
    let (long, mask) = (Tensor::<f64, _>::ones([100, 700]), x.greater(5.0));
    macro_rules! check {
        ($($whole:ident $axis:ident $axes:ident $keep:ident ($($arg:expr)?);)*) => {$(
            let what = stringify!($whole);
            assert_eq!(asked(|| x.$whole($($arg)?)), (1, 8), "{what}");
            assert_eq!(asked(|| x.$axis(3 $(, $arg)?)), (1, 648 * 8), "{what}");
            assert_eq!(asked(|| x.$axes([0, 7] $(, $arg)?)), (1, 216 * 8), "{what}");
            assert_eq!(asked(|| x.$keep([1, 2, 5] $(, $arg)?)), (1, 108 * 8), "{what}");
            assert_eq!(asked(|| v.$whole($($arg)?)), (1, 8), "{what}");
            assert_eq!(asked(|| v.$axis(0 $(, $arg)?)), (1, 216 * 8), "{what}");
            assert_eq!(asked(|| v.$axes([2, 4] $(, $arg)?)), (1, 162 * 8), "{what}");
            assert_eq!(asked(|| long.$axis(0 $(, $arg)?)), (1, 700 * 8), "{what}");
            assert_eq!(asked(|| long.$axis(1 $(, $arg)?)), (1, 100 * 8), "{what}");
        )*};
    }
    check! {
        sum sum_axis sum_axes sum_keep();
        prod prod_axis prod_axes prod_keep();
        mean mean_axis mean_axes mean_keep();
        var var_axis var_axes var_keep(0);
        std std_axis std_axes std_keep(1);
        norm norm_axis norm_axes norm_keep();
        max max_axis max_axes max_keep();
        min min_axis min_axes min_keep();
        argmax argmax_axis argmax_axes argmax_keep();
        argmin argmin_axis argmin_axes argmin_keep();
    }
    assert_eq!(asked(|| mask.all()), (1, 1));
    assert_eq!(asked(|| mask.any_axis(0)), (1, 432));
    assert_eq!(asked(|| mask.count_axes([0, 1])), (1, 216 * 8));
    assert_eq!(asked(|| x.trace(0, 4)), (1, 144 * 8));
    assert_eq!(asked(|| v.trace(0, 3)), (1, 72 * 8));
    assert_eq!(asked(|| x.cumsum(3)), (1, 1296 * 8));
    let out = std::cell::RefCell::new(Tensor::<f64, _>::zeros([2, 3, 2, 3, 2, 3, 2]));
    assert_eq!(asked(|| x.reduce_into(op::Norm::default(), [0], &mut *out.borrow_mut())).0, 0);
    let out = std::cell::RefCell::new(Tensor::<f64, _>::zeros([2, 2, 3, 2, 3, 2]));
    assert_eq!(asked(|| x.trace_into(0, 2, &mut *out.borrow_mut())).0, 0);
}
