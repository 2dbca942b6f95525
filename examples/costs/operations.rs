//! The operations, in groups. The guide lists their allocations in a table, and `docs/figures/costs.svg` shows their times.

use crate::count::{Found, addresses};
use crate::counting::asked;
use std::time::{Duration, Instant};
use vierbein::op;
use vierbein::prelude::*;

/// The operands: `x`, `y`, `mask` and `out` are square matrices; `v` and `sums` are vectors of the same extent.
#[derive(Clone)]
struct Given {
    x: Tensor<f64, Rank<2>>,
    y: Tensor<f64, Rank<2>>,
    v: Tensor<f64, Rank<1>>,
    mask: Tensor<bool, Rank<2>>,
    out: Tensor<f64, Rank<2>>,
    sums: Tensor<f64, Rank<1>>,
}

fn given(side: usize) -> Given {
    let x = Tensor::from_fn([side, side], |[i, j]| 1.0 + ((i * 7 + j * 3) % 11) as f64);
    let y = &x + 0.5;
    let v = x.index_axis(0, 0).to_owned();
    let mask = x.lt(5.0);
    Given { out: Tensor::zeros([side, side]), sums: Tensor::zeros([side]), x, y, v, mask }
}

/// The times of an operation. `again` is the time with buffers from the pool. `fresh` is the time with newly allocated memory, if
/// the operation returns a large tensor.
pub(crate) struct Times {
    pub(crate) code: &'static str,
    pub(crate) again: Duration,
    pub(crate) fresh: Option<Duration>,
}

/// An operation: its code, a function that counts its allocations, and, if its time is in `docs/figures/costs.svg`, a function that times
/// it.
struct Operation {
    code: &'static str,
    count: fn() -> Found,
    time: Option<fn(&Given) -> Duration>,
    /// Whether the operation is also timed with newly allocated memory.
    fresh: bool,
}

/// Makes [`Operation`]s from groups of expressions. The word before each expression says how it is timed. `other`: not at all;
/// `timed`: with the buffer pool; `both`: with the pool, and again with newly allocated memory. Each run has its own copies of the
/// operands.
macro_rules! operations {
    ($names:tt $($group:literal { $($timed:ident $code:expr;)* })*) => {
        vec![$(($group, vec![$(Operation {
            code: stringify!($code),
            count: || {
                let mut found = None;
                // The first run may also allocate thread-local buffers, so only the second run counts.
                for _ in 0..2 {
                    operations!(@let $names given(100));
                    let of_x = addresses(&mut operations!(@first $names));
                    asked();
                    let outcome = $code;
                    found = Some(Found::new(&outcome, &of_x, asked()));
                }
                found.expect("it ran")
            },
            time: operations!(@$timed $names $code),
            fresh: stringify!($timed) == "both",
        }),*])),*]
    };
    (@other $names:tt $code:expr) => { None };
    (@both $names:tt $code:expr) => { operations!(@timed $names $code) };
    (@timed $names:tt $code:expr) => {
        Some(|given| {
            operations!(@let $names given.clone());
            let start = Instant::now();
            let _outcome = $code;
            start.elapsed()
        })
    };
    (@let [$($name:ident)*] $given:expr) => {
        #[allow(unused_variables, unused_mut, reason = "each operation uses some")]
        let Given { $(mut $name),* } = $given;
    };
    (@first [$first:ident $($name:ident)*]) => { $first };
}

fn all() -> Vec<(&'static str, Vec<Operation>)> {
    operations! { [x y v mask out sums]
        "Views: free" {
            timed x.view();
            other x.t();
            timed x.slice(s![1.., ..;-1]);
            other x.index_axis(0, 1);
            other x.diagonal(0, 1);
            other x.insert_axis(0);
            other x.broadcast_to([3, 100, 100]);
            other x.as_order::<ColMajor>();
            other x.flip_order();
            other x.as_shape([10_000]);
        }
        "Transfers of ownership: free" {
            other x.reshape([10_000]);
            other x.flatten();
            timed x.into_flipped();
            other x.into_vec();
            other Tensor::<f64, _>::from_vec([100, 100], x.into_vec());
        }
        "Copies: one pass" {
            both x.clone();
            other x.slice(s![1.., ..;-1]).to_owned();
            both x.t().to_owned();
            both x.to_order::<ColMajor>();
            other x.t().reshape([10_000]);
            other x.to_vec();
            other x.to_device::<Cpu>();
            timed out.assign(&x);
            other out.assign(&x.t());
        }
        "A new result: one pass for each operation" {
            both &x + &y;
            other &x + x.t();
            other &x + &v;
            other 2.0 * &x;
            both x.sqrt();
            other x.lt(&y);
            other mask.select(&x, &y);
            other x.cast::<f32>();
            both (&x + &y) * &x;
            both x.zip_map(&y, |x, y| (x + y) * x);
        }
        "An operand passed by value: its buffer holds the result" {
            timed x + &y;
            other x - 1.0;
            other -x;
        }
        "Into a preallocated output" {
            timed x += &y;
            other x *= 2.0;
            other x.add_scaled(2.0, &y);
            other x.apply_inplace(op::Sqrt);
            timed x.apply2_into(op::Add, &y, &mut out);
            other x.cumsum_into(0, &mut out);
            other x.reduce_into(op::Sum, [0], &mut sums);
            other x.matmul_into(&y, &mut out);
            other einsum_into!(&mut out, 1.0, 0.5; "ij,kj->ik", &x, &y);
        }
        "Reductions: one pass" {
            timed x.sum();
            other x.sum().item();
            timed x.sum_axis(0);
            timed x.sum_axis(1);
            other x.trace(0, 1);
            other x.cumsum(0);
        }
        "Products" {
            other x.matmul(&y);
            other x.matmul(y.t());
            other x.slice(s![.., ..;2]).matmul(y.slice(s![..;2, ..]));
            timed x.matmul(&v);
            timed x.dot(&y);
            other x.outer(&v);
            other einsum!("ij,ij->i", &x, &y);
            other einsum!("ij,jk,k->i", &x, &y, &v);
        }
    }
}

/// Runs each operation without the buffer pool, and returns its code and what it allocates.
pub(crate) fn counted() -> Vec<(&'static str, Vec<(String, Found)>)> {
    Cpu::trim_pool();
    Cpu::set_pool_limit(0);
    let rows = |operations: Vec<Operation>| {
        let row = |operation: Operation| (plain(operation.code), (operation.count)());
        operations.into_iter().map(row).collect()
    };
    all().into_iter().map(|(what, operations)| (what, rows(operations))).collect()
}

/// Returns code on one line, with `|` escaped for Markdown.
fn plain(code: &str) -> String {
    code.replace("\n", " ").replace('|', "\\|")
}

/// Returns the shortest of several times, with the given limit of the buffer pool.
fn shortest(time: fn(&Given) -> Duration, given: &Given, pool_limit: usize) -> Duration {
    Cpu::trim_pool();
    Cpu::set_pool_limit(pool_limit);
    (0..RUNS).map(|_| time(given)).min().expect("some")
}

/// The number of rows and of columns of the matrices in timed operations.
pub(crate) const SIDE: usize = 1000;
/// The number of runs of each timed operation. The shortest time is used.
pub(crate) const RUNS: usize = 60;

/// Times the operations that are in `docs/figures/costs.svg`.
pub(crate) fn timed() -> Vec<Times> {
    let given = given(SIDE);
    let times = |operation: Operation| {
        let time = operation.time?;
        let again = shortest(time, &given, 1 << 30);
        let fresh = operation.fresh.then(|| shortest(time, &given, 0));
        Some(Times { code: operation.code, again, fresh })
    };
    all().into_iter().flat_map(|(_, operations)| operations).filter_map(times).collect()
}
