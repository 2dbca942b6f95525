//! The same bits on every number of threads: how work is cut does not depend on who does it.

use core::fmt::Write;
use vierbein::{ColMajor, Dim, Element, Order, Rank, Tensor, s};

/// Rows and columns of what is large enough to be cut.
const ROWS: usize = 523;
const COLUMNS: usize = 701;

/// All bits of a result.
fn bits<T: Element, D: Dim, O: Order>(x: &Tensor<T, D, O>) -> String {
    x.iter().fold(String::new(), |mut all, v| {
        write!(all, "{v:?} ").expect("a string takes everything");
        all
    })
}

/// Results in which the sequence of roundings shows.
fn results() -> Vec<String> {
    let value = |k: usize| (k.wrapping_mul(2_654_435_761) >> 7) as i64 % 199 - 99;
    let a = Tensor::<f64, Rank<2>>::from_fn([ROWS, COLUMNS], |[i, j]| value(i * COLUMNS + j) as f64 / 7.0);
    let b = Tensor::<f64, Rank<2>>::from_fn([ROWS, COLUMNS], |[i, j]| value(j * ROWS + i) as f64 / 3.0);
    let narrow = a.cast::<f32>();
    let mut large = Tensor::<f64, Rank<1>>::from_fn([ROWS * COLUMNS], |[k]| 1.0 / (k as f64 + 1.0));
    large[[300_000]] = 1e9;
    let square = a.slice(s![.., ..ROWS]);
    vec![
        bits(&a.sum()),
        bits(&narrow.sum()),
        bits(&a.t().sum()),
        bits(&a.slice(s![..;-1, ..;2]).sum()),
        bits(&a.sum_axis(0)),
        bits(&a.sum_axis(1)),
        bits(&narrow.to_order::<ColMajor>().sum_axis(0)),
        bits(&large.sum()),
        bits(&large.var(1)),
        bits(&large.norm()),
        bits(&a.var_axis(0, 0)),
        bits(&a.std_axis(1, 1)),
        bits(&a.mean()),
        bits(&a.prod_axis(0)),
        bits(&a.norm_axis(0)),
        bits(&square.trace(0, 1)),
        bits(&a.argmax()),
        bits(&a.cumsum(0)),
        bits(&(&a + &b).exp().sum_axis(1)),
        bits(&square.matmul(square.t())),
        bits(&narrow.slice(s![.., ..ROWS]).matmul(&b.cast::<f32>())),
    ]
}

#[test]
fn the_same_bits_on_every_number_of_threads() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
        pool.install(results)
    };
    let one = on(1);
    for threads in [2, 3, 8] {
        for (k, (found, expected)) in on(threads).iter().zip(&one).enumerate() {
            assert!(found == expected, "result {k} differs on {threads} threads");
        }
    }
    assert!(results() == one, "outside of a pool");
}
