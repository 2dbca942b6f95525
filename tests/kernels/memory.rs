//! Results of rank 0 whose memory cannot be allocated.

use crate::device::cpu::failing::{live_bytes, without_memory};
use crate::prelude::*;
use crate::{Error, c64};
use core::fmt::Debug;

/// Checks that `f` returns an error if memory for one element of `bytes` bytes cannot be allocated, and its usual result afterwards.
fn check<R: PartialEq + Debug>(bytes: usize, what: &str, f: impl Fn() -> Result<R, Error>) {
    let (expected, live) = (f().unwrap(), live_bytes());
    match without_memory(&f) {
        Err(Error::OutOfMemory { device, bytes: found }) => {
            assert_eq!((device.as_str(), found), ("Cpu", bytes), "{what}");
        }
        other => panic!("{what}: {other:?}"),
    }
    assert_eq!(live_bytes(), live, "{what}: bytes in use");
    assert_eq!(f().unwrap(), expected, "{what}");
}

macro_rules! check_all {
    ($bytes:expr; $($f:expr;)*) => { $( check($bytes, stringify!($f), || $f); )* };
}

fn rank_0_results_return_out_of_memory<O: Order>() {
    let x = Tensor::<f64, Rank<2>, O>::from_fn([30, 30], |[i, j]| (i * 7 + j * 3) as f64 % 11.0 + 1.0);
    let (row, complex, whole) = (x.index_axis(0, 1), x.cast::<c64>(), x.cast::<i32>());
    let (turned, mask) = (x.t(), x.gt(5.0));
    check_all! { 8;
        x.try_sum();
        turned.try_prod();
        x.try_mean();
        turned.try_var(1);
        x.try_std(0);
        x.try_norm();
        x.try_max();
        turned.try_min();
        x.try_trace(0, 1);
        row.try_dot(row);
        x.try_argmin();
        turned.try_argmax();
        mask.try_count();
    }
    check_all! { 16;
        complex.try_sum();
        complex.index_axis(0, 1).try_vdot(complex.index_axis(1, 1));
    }
    check(4, "sum of i32", || whole.try_sum());
    check(1, "all", || mask.try_all());
}

#[test]
fn row_major_rank_0_results_return_out_of_memory() {
    rank_0_results_return_out_of_memory::<RowMajor>();
}

#[test]
fn col_major_rank_0_results_return_out_of_memory() {
    rank_0_results_return_out_of_memory::<ColMajor>();
}
