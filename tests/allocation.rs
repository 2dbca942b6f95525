//! Counts the allocations of operations. An operation allocates only its result, or nothing if the result reuses a buffer of the
//! pool. Operands that are views are not copied.

use std::sync::{Mutex, MutexGuard, PoisonError};
use vierbein::op;
use vierbein::prelude::*;

#[path = "common/counting.rs"]
mod counting;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// Returns the number of allocations in a call of `f`, and their total bytes. Calls `f` once before, so that thread-local buffers
/// exist.
fn asked<R>(f: impl Fn() -> R) -> (usize, usize) {
    drop(f());
    counting::asked();
    let result = f();
    let asked = counting::asked();
    drop(result);
    asked
}

/// Empties the buffer pool and sets its limit. The pool is global to the process, so the returned guard excludes other tests that
/// use this function.
fn limit_pool_to(bytes: usize) -> MutexGuard<'static, ()> {
    static LIMIT: Mutex<()> = Mutex::new(());
    let guard = LIMIT.lock().unwrap_or_else(PoisonError::into_inner);
    Cpu::trim_pool();
    Cpu::set_pool_limit(bytes);
    guard
}

/// Returns the expected number of allocations and bytes for a result of `bytes`. From 128 KiB on, the elements begin within the first page
/// of a larger block, whose size is a multiple of a page. In a build with `--cfg vierbein_exact_memory`, each block has exactly `bytes`.
fn result_of(bytes: usize) -> (usize, usize) {
    let exact = bytes < 128 << 10 || cfg!(vierbein_exact_memory);
    (1, if exact { bytes } else { (bytes + 4096).next_multiple_of(4096) })
}

/// The expected allocations of an operation whose result has rank 0. The memory of this result is from the system's allocator, which the
/// global allocator of this program does not count.
const RANK_0: (usize, usize) = (0, 0);

/// Returns whether the crate `matrixmultiply` computes floating-point matrix products. That crate allocates and frees a packing
/// buffer in each call. Builds with debug assertions have no other kernels on x86-64.
fn products_allocate() -> bool {
    #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
    if std::env::var_os("VIERBEIN_SIMD").is_none_or(|level| level != "portable") {
        use std::is_x86_feature_detected as has;
        return !(has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2"));
    }
    true
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "workspace is allocated for each call in this build")]
fn a_contraction_allocates_its_result() {
    let _no_pool = limit_pool_to(0);
    let cube = Tensor::<f64, _>::from_fn([12, 12, 12], |[i, j, k]| (i * 7 + j * 3 + k) as f64);
    let other = Tensor::<f64, _>::from_fn([12, 12, 12], |[i, j, k]| (i + j * 5 + k * 11) as f64);
    let (a, b) = (cube.slice(s![..;-1, 1..11, ..]), other.permute([2, 0, 1]));
    let complex = cube.cast::<Complex<f64>>();
    macro_rules! check {
        ($($spec:literal, $elements:literal: $($x:expr),+;)*) => {$(
            assert_eq!(asked(|| einsum!($spec, $($x),+)), result_of($elements * 8), "{}", $spec);
        )*};
    }
    assert_eq!(asked(|| einsum!("ijk->", a)), RANK_0);
    check! {
        "iji->j", 10: a;
        "iji->ji", 120: a;
        "ijk->ik", 144: a;
        "ijk->kij", 1440: a;
        "ijk,kji->ijk", 1728: &cube, b;
        "ijk,k->ijk", 1440: a, b.index_axis(0, 1).index_axis(0, 2);
        "i,j->ji", 144: cube.index_axis(0, 1).index_axis(1, 2), b.index_axis(1, 1).index_axis(0, 2);
        "ijk,ijk->", 1: &cube, b;
        "ijk,ijk->j", 12: &cube, b;
        "ijk,k->ij", 120: a, b.index_axis(0, 1).index_axis(0, 2);
        "ij,jk->ik", 36: cube.index_axis(1, 3).slice(s![..6, ..]), b.index_axis(0, 2).slice(s![.., ..6]);
    }
    if products_allocate() {
        return;
    }
    check! {
        "ij,jk->ik", 144: cube.index_axis(1, 3), b.index_axis(0, 2);
        "bij,bjk->bik", 1728: &cube, b;
        "ijk,klm->ijlm", 17280: a, b;
        "ijk,jkl->il", 144: &cube, &other;
    }
    let (times, _) = asked(|| einsum!("bij,bkj->bik", complex.conj_view(), &complex));
    assert_eq!(times, 1);
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "workspace is allocated for each call in this build")]
fn contraction_into_output_does_not_allocate() {
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
    }
    if products_allocate() {
        return;
    }
    check! {
        "ij,jk->ik": matrix, matrix.t();
        "ijk,ljk->il": &cube, &cube;
    }
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "workspace is allocated for each call in this build")]
fn matmul_allocates_its_result() {
    let _no_pool = limit_pool_to(0);
    let a = Tensor::<f64, _>::from_fn([40, 50], |[i, j]| (i * 3 + j) as f64);
    let few = a.slice(s![..8, ..8]);
    assert_eq!(asked(|| few.matmul(few.t())), result_of(8 * 8 * 8));
    let row = a.index_axis(0, 1);
    assert_eq!(asked(|| a.matmul(row)), result_of(40 * 8));
    assert_eq!(asked(|| row.dot(row)), RANK_0);
    assert_eq!(asked(|| a.outer(row)), result_of(40 * 50 * 50 * 8));
    if products_allocate() {
        return;
    }
    assert_eq!(asked(|| a.matmul(a.t())), result_of(40 * 40 * 8));
    assert_eq!(asked(|| a.tensordot(&a, [0], [0])), result_of(50 * 50 * 8));
}

/// The memory of a result of rank 0 is not from the global allocator. So a `Vec`, which returns its memory to the global allocator, must
/// get other memory.
#[test]
fn a_result_of_rank_0_becomes_a_vec_by_a_copy() {
    let x = Tensor::<f64, _>::from_fn([4], |[i]| i as f64);
    assert_eq!(asked(|| x.sum().into_vec()), (1, 8));
    let mut elements = x.sum().into_vec();
    elements.push(1.0);
    assert_eq!(elements, [6.0, 1.0]);
    // Tensors keep the memory, whatever their rank.
    assert_eq!(asked(|| x.sum().reshape([1, 1])), (0, 0));
    assert_eq!(x.sum().reshape([1, 1]).into_vec(), [6.0]);
    let (first, shape, memory) = x.sum().into_raw_parts();
    // SAFETY: `first`, `shape` and `memory` are the parts of one tensor, and are used once.
    let sum = unsafe { Tensor::<f64, _>::from_raw_parts(first, shape, memory) }.unwrap();
    assert_eq!(sum.item(), 6.0);
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "no memory is kept for reuse in this build")]
fn large_results_reuse_pool_buffers() {
    let _pool = limit_pool_to(64 << 20);
    let a = Tensor::<f64, _>::from_fn([300, 400], |[i, j]| (i * 3 + j) as f64);
    let none = (0, 0);
    assert_eq!(asked(|| &a + &a), none);
    assert_eq!(asked(|| (&a * 2.0).exp() + &a), none);
    assert_eq!(asked(|| Tensor::<f64, _>::zeros([300, 400])), none);
    assert_eq!(asked(|| a.lt(100.0)), (1, 120_000));
    let wide = Tensor::<f32, _>::ones([400, 400]);
    assert_eq!(asked(|| wide.lt(1.0)), none);
    assert_eq!(asked(|| a.clone()), none);
    assert_eq!(asked(|| a.t().to_owned()), none);
    assert_eq!(asked(|| a.to_order::<ColMajor>()), none);
    assert_eq!(asked(|| einsum!("ij,ij->ij", &a, &a)), none);
    assert_eq!(asked(|| einsum!("ij,kj->ki", &a, &a)), none);
    assert_eq!(asked(|| a.cast::<f32>().cast::<i32>()), none);
    // `into_vec` moves a buffer out of the pool's control, so dropping the `Vec` frees the buffer instead of returning it to the pool. If
    // the `Vec` is moved into a tensor again, the pool gets the buffer back.
    assert_eq!(asked(|| Tensor::<f64, _>::from((&a + &a).into_vec())), none);
    Cpu::trim_pool();
    assert_eq!(asked(|| (&a + &a).into_vec()), result_of(300 * 400 * 8));
}

#[test]
fn large_result_is_allocated_and_freed_without_pool() {
    let _no_pool = limit_pool_to(0);
    let a = Tensor::<f64, _>::from_fn([300, 400], |[i, j]| (i * 3 + j) as f64);
    for _ in 0..3 {
        assert_eq!(asked(|| &a + &a), result_of(300 * 400 * 8));
        assert_eq!(asked(|| Tensor::<f64, _>::zeros([300, 400])), result_of(300 * 400 * 8));
    }
    assert_eq!(Cpu::pooled_bytes(), 0);
}

/// Calls `check` for each rank from 1 to 8.
fn ranks(check: impl Fn(usize)) {
    (1..=8).for_each(check);
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "workspace is allocated for each call in this build")]
fn an_elementwise_operation_allocates_its_result() {
    macro_rules! at_rank {
        ($rank:ident: $($n:literal $reversed:expr;)*) => {$(
            if $rank == $n {
                let a = Tensor::<f64, _>::from_fn([3; $n], |index| index.iter().sum::<usize>() as f64);
                let (turned, row) = (a.permute($reversed), a.split_at(0, 1).0);
                let (bytes, mask) = (8 * a.len(), a.gt(2.0));
                for b in [a.view(), turned.view()] {
                    assert_eq!(asked(|| &a + &b), (1, bytes));
                    assert_eq!(asked(|| &a * 2.0), (1, bytes));
                    assert_eq!(asked(|| 2.0 - &b), (1, bytes));
                    assert_eq!(asked(|| b.sqrt()), (1, bytes));
                    assert_eq!(asked(|| b.cast::<f32>()), (1, bytes / 2));
                    assert_eq!(asked(|| a.lt(&b)), (1, bytes / 8));
                    assert_eq!(asked(|| mask.select(&a, &b)), (1, bytes));
                    assert_eq!(asked(|| a.zip_map3(&b, &row, |a, b, c| a * b + c)), (1, bytes));
                    assert_eq!(asked(|| &a * &b + &a * 2.0), (2, 2 * bytes));
                    assert_eq!(asked(|| (&a * &b + 1.0).apply(op::Neg)), (2, 2 * bytes));
                    assert_eq!(asked(|| -(&a * &b - &a) / 3.0), (1, bytes));
                }
                assert_eq!(asked(|| &a + &row), (1, bytes));
            }
        )*};
    }
    ranks(|rank| {
        at_rank! { rank:
            1 [0];
            2 [1, 0];
            3 [2, 1, 0];
            4 [3, 2, 1, 0];
            5 [4, 3, 2, 1, 0];
            6 [5, 4, 3, 2, 1, 0];
            7 [6, 5, 4, 3, 2, 1, 0];
            8 [7, 6, 5, 4, 3, 2, 1, 0];
        }
    });
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "workspace is allocated for each call in this build")]
fn elementwise_operation_into_output_does_not_allocate() {
    let a = Tensor::<f64, _>::from_fn([12, 12, 12], |[i, j, k]| (i * 7 + j * 3 + k) as f64);
    let (b, row) = (a.permute([2, 0, 1]), a.index_axis(0, 1).index_axis(0, 2));
    let mask = a.gt(50.0);
    let out = std::cell::RefCell::new(Tensor::<f64, _>::zeros([12, 12, 12]));
    let narrow = std::cell::RefCell::new(Tensor::<f32, _>::zeros([12, 12, 12]));
    macro_rules! check {
        ($($out:ident: $call:expr;)*) => {$(
            let (times, _) = asked(|| { let $out = &mut *$out.borrow_mut(); $call });
            assert_eq!(times, 0, "{}", stringify!($call));
        )*};
    }
    check! {
        out: a.apply_into(op::Sqrt, out);
        out: a.apply2_into(op::Add, &b, out);
        out: a.apply2_into(op::Mul, &row, out);
        out: b.apply2_into(op::Sub, 2.0, out);
        out: mask.apply3_into(op::Select, &a, &b, out);
        narrow: b.cast_into(narrow);
        out: b.map_into(|x| x + 1.0, out);
        out: a.zip_map_into(&row, |x, y| x * y, out);
        out: a.zip_map3_into(b, &row, |x, y, z| x * y + z, out);
        out: out.apply_inplace(op::Sqrt);
        out: out.apply2_inplace(op::Maximum, &b);
        out: out.add_scaled(0.5, &b);
        out: *out += &row;
        out: *out *= 2.0;
    }
}

#[test]
#[cfg_attr(vierbein_exact_memory, ignore = "workspace is allocated for each call in this build")]
fn a_reduction_allocates_its_result() {
    let x = Tensor::<f64, _>::from_fn([3, 2, 3, 2, 3, 2, 3, 2], |at| {
        at.iter().fold(1.0, |x, &k| x * 1.1 + k as f64)
    });
    let v = x.permute([6, 1, 4, 7, 0, 3, 2, 5]).index_axis(1, 0).slice(s![.., ..;-1, .., .., .., .., ..]);
    let (long, mask) = (Tensor::<f64, _>::ones([100, 700]), x.gt(5.0));
    macro_rules! check {
        ($($whole:ident $axis:ident $axes:ident $keep:ident ($($arg:expr)?);)*) => {$(
            let what = stringify!($whole);
            assert_eq!(asked(|| x.$whole($($arg)?)), RANK_0, "{what}");
            assert_eq!(asked(|| x.$axis(3 $(, $arg)?)), (1, 648 * 8), "{what}");
            assert_eq!(asked(|| x.$axes([0, 7] $(, $arg)?)), (1, 216 * 8), "{what}");
            assert_eq!(asked(|| x.$keep([1, 2, 5] $(, $arg)?)), (1, 108 * 8), "{what}");
            assert_eq!(asked(|| v.$whole($($arg)?)), RANK_0, "{what}");
            assert_eq!(asked(|| v.$axis(0 $(, $arg)?)), (1, 216 * 8), "{what}");
            assert_eq!(asked(|| v.$axes([2, 4] $(, $arg)?)), (1, 162 * 8), "{what}");
            assert_eq!(asked(|| long.$axis(0 $(, $arg)?)), (1, 700 * 8), "{what}");
            assert_eq!(asked(|| long.$axis(1 $(, $arg)?)), (1, 100 * 8), "{what}");
        )*};
    }
    check! {
        sum sum_axis sum_axes sum_keepdims();
        prod prod_axis prod_axes prod_keepdims();
        mean mean_axis mean_axes mean_keepdims();
        var var_axis var_axes var_keepdims(0);
        std std_axis std_axes std_keepdims(1);
        norm norm_axis norm_axes norm_keepdims();
        max max_axis max_axes max_keepdims();
        min min_axis min_axes min_keepdims();
        argmax argmax_axis argmax_axes argmax_keepdims();
        argmin argmin_axis argmin_axes argmin_keepdims();
    }
    assert_eq!(asked(|| mask.all()), RANK_0);
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
