//! Tests that results have the same bits on 1, 2 and 8 threads, and in every run of a program. [`Promise`] says at which levels of
//! vector instructions the bits must be the same, too.
//!
//! Results are compared by hashes of their bits. The operands are large enough to be split between threads. Their values are such that
//! another summation order would change bits.

use super::data::{Kind, numbers};
use crate::restart::this_program;
use vierbein::{ColMajor, Dim, Element, Order, Rank, Tensor, c32, c64, einsum, s};

/// Numbers of rows and columns of the operands, which have more than a million elements. Builds with debug assertions use a sixth of
/// these elements, which are still enough to split each operation into several parts. `scripts/check-numerics.sh` runs optimised
/// builds.
const ROWS: usize = if cfg!(debug_assertions) { 401 } else { 1031 };
const COLUMNS: usize = if cfg!(debug_assertions) { 421 } else { 1109 };
/// Number of rows of the operands of elementary functions. These cost as much as copying a hundred bytes or more per element, so fewer
/// elements are enough to split each call into several parts.
const FEWER_ROWS: usize = if cfg!(debug_assertions) { 101 } else { ROWS };
/// Number of rows, and of columns, of the factors of matrix products. They are split between threads if both factors and the product together
/// have at least 2^17 elements, and summed in several blocks if the side is more than 256.
const SIDE: usize = 261;

/// The environment variable that makes the test print its digests. The test sets it for its child processes.
const CHILD: &str = "VIERBEIN_PRINT_DIGESTS";

/// Conversion of an element to its bits.
trait Bits: Element {
    fn bits(self) -> u64;
}

macro_rules! bits {
    ($($T:ty, |$x:ident| $bits:expr;)*) => {$(
        impl Bits for $T {
            fn bits(self) -> u64 {
                let $x = self;
                $bits
            }
        }
    )*};
}
bits! {
    f64, |x| x.to_bits();
    f32, |x| x.to_bits().into();
    c64, |x| x.re.to_bits().rotate_left(23) ^ x.im.to_bits();
    c32, |x| u64::from(x.re.to_bits()) << 32 | u64::from(x.im.to_bits());
    i64, |x| x as u64;
    bool, |x| x.into();
}

/// Returns a hash of the bits of all elements, in memory order.
fn digest<T: Bits, D: Dim, O: Order>(x: &Tensor<T, D, O>) -> u64 {
    let mut hash = x.len() as u64;
    // A loop instead of `fold`, which is several times slower in builds without optimisation. A hundred million elements are
    // hashed.
    for &x in x.as_slice() {
        hash = (hash ^ x.bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    hash
}

/// The levels of vector instructions at which the bits of a result are guaranteed to be the same.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Promise {
    AnyLevel,
    /// The bits are the same at all levels with fused multiply-add.
    LevelsWithFma,
    /// The bits may differ between any two levels, as for matrix products.
    OneLevel,
}
use Promise::{AnyLevel, LevelsWithFma, OneLevel};

type Digests = Vec<(&'static str, Promise, u64)>;

macro_rules! add {
    ($all:ident, $level:ident: $($result:expr),* $(,)?) => {$( $all.push((stringify!($result), $level, digest(&$result))); )*};
}

/// The operands of all tested operations.
struct Operands {
    a: Tensor<f64, Rank<2>>,
    b: Tensor<f64, Rank<2>>,
    narrow: Tensor<f32, Rank<2>>,
    flipped: Tensor<f64, Rank<2>, ColMajor>,
    z: Tensor<c64, Rank<2>>,
}

impl Operands {
    fn new() -> Self {
        let values = numbers(Kind::Mixed, ROWS * COLUMNS, 53, 5);
        let a = Tensor::from_slice([ROWS, COLUMNS], &values);
        let b: Tensor<f64, Rank<2>> = Tensor::from_slice([COLUMNS, ROWS], &values).t().to_owned();
        Operands { narrow: a.cast(), flipped: a.to_order(), z: a.zip_map(&b, c64::new), a, b }
    }
}

/// Returns the digests (hashes of the bits) of the results of all tested operations.
fn digests() -> Digests {
    let operands = Operands::new();
    let mut all = same_at_any_level(&operands);
    all.extend(matrix_products(&operands));
    all
}

/// Returns the digests (hashes of the bits) of the results of all tested operations except matrix products.
fn same_at_any_level(operands: &Operands) -> Digests {
    let Operands { a, b, narrow, flipped, z } = operands;
    let cube = a.slice(s![.., ..COLUMNS / 10 * 10]).to_owned().reshape([ROWS, 10, COLUMNS / 10]);
    let mut all = Digests::new();
    // Reductions of all elements and along each axis, of views, in both memory orders.
    add! { all, AnyLevel:
        a.sum(), a.t().sum(), a.slice(s![..;-1, ..;2]).sum(), a.slice(s![.., ..;-3]).sum_axis(1), flipped.sum(),
        a.sum_axis(0), a.sum_axis(1), flipped.sum_axis(0), flipped.sum_axis(1), cube.sum_axis(1), cube.sum_axes([0, 2]),
        a.prod_axis(1), (a / 4.5).prod_axis(0), a.mean(), a.mean_axis(0), a.var(1), a.var_axis(0, 0), a.var_axis(1, 0), a.std(0),
        a.norm(), a.norm_axis(0), a.norm_axis(1), a.max(), a.min_axis(0), a.argmax(), a.argmin_axis(1),
        a.broadcast_to([3, ROWS, COLUMNS]).sum_axis(0), a.slice(s![.., ..ROWS]).trace(0, 1), cube.slice(s![..10, .., ..]).trace(0, 1),
        narrow.sum(), narrow.sum_axis(0), narrow.var(0), a.lt(1.0).count(), a.lt(1.0).any_axis(1), z.sum(), z.sum_axis(1),
    }
    // Scans.
    add! { all, AnyLevel: a.cumsum(0), a.cumsum(1), (a / 4.5).cumprod(0) }
    // Elementwise functions, arithmetic and comparisons, also of views and with broadcasting.
    let positive = a.abs();
    let row = b.slice(s![0, ..]);
    add! { all, AnyLevel:
        a + b, a - b, a * b, a / b, a % b, -a, a * row.slice(s![..1]), a.t() + b.t(), a + a.slice(s![..;-1, ..]),
        a * 3.0, positive.sqrt(), a.square(), a.recip(), a.powi(5), a.floor(), a.signum(), a.maximum(b),
        a.clamp(-3.0, 3.0), a.lt(b), a.lt(b).select(a, b), a.cast::<i64>(), a.map(|x| x * 1.7 + 0.3), narrow * narrow,
        z * z, a.t().to_owned(),
    }
    all.extend(elementary_functions(operands));
    let mut scaled = a.clone();
    scaled.add_scaled(0.3, b);
    scaled /= 7.0;
    add! { all, AnyLevel: scaled }
    // Sums of products that do not use the kernels of matrix products.
    let (x, y) = (a.as_shape([ROWS * COLUMNS]), b.as_shape([ROWS * COLUMNS]));
    let long = z.as_shape([ROWS * COLUMNS]);
    add! { all, AnyLevel:
        x.dot(y), a.dot(b), long.dot(long), long.vdot(long), narrow.dot(narrow), einsum!("ij,ij->i", a, b),
        einsum!("ij,ij->j", a, b), einsum!("ij,ij->ij", a, b),
    }
    all
}

/// Returns the digests (hashes of the bits) of the results of elementary functions. Some have huge arguments, for which the kernels compute
/// the results in a second pass.
fn elementary_functions(Operands { a, b, narrow, z, .. }: &Operands) -> Digests {
    let fewer = s![..FEWER_ROWS, ..];
    let (a, b) = (&a.slice(fewer).to_owned(), &b.slice(fewer).to_owned());
    let (narrow, z) = (&narrow.slice(fewer).to_owned(), &z.slice(fewer).to_owned());
    let (positive, unit) = (a.abs(), a / a.abs().max().item());
    let row = b.slice(s![0, ..]);
    let mut all = Digests::new();
    add! { all, LevelsWithFma:
        a.exp(), a.exp2(), a.exp_m1(), positive.ln(), positive.log2(), positive.log10(), positive.ln_1p(), a.sin(), a.cos(),
        a.tan(), (a * 1e7).sin(), unit.asin(), unit.acos(), a.atan(), a.sinh(), a.cosh(), a.tanh(), a.asinh(),
        (&positive + 1.0).acosh(), unit.atanh(), a.cbrt(), a.sigmoid(), positive.powf(0.3), a.t().exp(), narrow.exp(), narrow.sin(), narrow.tanh(),
        narrow.abs().powf(0.3), a.atan2(b), a.hypot(b), a.hypot(0.3), a.pow(b), a.abs().pow(0.3), a.atan2(&row.slice(s![..1])), z.arg(), z.exp(), z.exp2(), z.ln(),
        z.log2(), z.log10(), z.sqrt(), z.sin(), z.cos(), z.tan(), z.asin(), z.acos(), z.atan(), z.sinh(), z.cosh(), z.tanh(), z.asinh(),
        z.acosh(), z.atanh(), z.powf(0.3), z.pow(&z.conj()), z.pow(c64::new(0.3, -2.0)), z.cast::<c32>().pow(&z.t().cast::<c32>().t()), z.t().exp(), (z * c64::new(1e7, 0.0)).sin(), z.cast::<c32>().tanh(),
    }
    all
}

/// Returns the digests (hashes of the bits) of the results of matrix products, and of contractions that use the kernels of matrix products.
fn matrix_products(Operands { a, b, narrow, flipped, z }: &Operands) -> Digests {
    let mut all = Digests::new();
    let row = b.slice(s![0, ..]);
    let (x, y) = (a.as_shape([ROWS * COLUMNS]), b.as_shape([ROWS * COLUMNS]));
    let (p, q) = (a.slice(s![..SIDE, ..SIDE]), b.slice(s![..SIDE, ..SIDE]));
    let (u, v) = (z.slice(s![..SIDE, ..SIDE]), z.slice(s![..SIDE;-1, ..SIDE]));
    let (e, f) = (narrow.slice(s![..SIDE, ..SIDE]), narrow.slice(s![-(SIDE as isize).., ..SIDE]));
    let (batch, other) = (x.slice(s![..40 * 64 * 64]), y.slice(s![..40 * 64 * 64]));
    let (batch, other) = (batch.as_shape([40, 64, 64]), other.as_shape([40, 64, 64]));
    add! { all, OneLevel:
        p.matmul(q), p.t().matmul(q), p.matmul(q.t()), u.matmul(v), e.matmul(f), batch.matmul(other), a.matmul(row),
        flipped.slice(s![..SIDE, ..SIDE]).matmul(flipped.slice(s![..SIDE, ..SIDE]).t()),
        a.slice(s![..6, ..]).matmul(b.t().slice(s![.., ..7])), einsum!("ij,kj,kl->il", p, q, p), einsum!("bij,bkj->bik", batch, other),
        p.outer(row.slice(s![..3])), p.tensordot(q, [0], [1]),
    }
    let mut into = p.to_owned();
    vierbein::einsum_into!(&mut into, 0.3, 1.7; "ij,jk->ik", p, q);
    add! { all, OneLevel: into }
    all
}

fn on(threads: usize) -> Digests {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
    pool.install(digests)
}

#[track_caller]
fn assert_same(found: &Digests, expected: &Digests, but: impl Fn(Promise) -> bool, where_: &str) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(but(found.1) || found == expected, "`{}` is of other bits {where_}", found.0);
    }
}

/// Runs the test below in a child process with these environment variables. Returns the digests that the child prints.
fn in_a_process(variables: &[(&str, &str)]) -> Vec<u64> {
    let mut command = this_program();
    command.args(["bits::on_any_number_of_threads_and_in_every_run", "--nocapture"]).env(CHILD, "1");
    let output = command.envs(variables.iter().copied()).output().expect("the test runs again");
    assert!(output.status.success(), "{variables:?}: {}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).expect("digests are text");
    let digests = printed.lines().filter_map(|line| line.strip_prefix("digest "));
    digests.map(|digest| u64::from_str_radix(digest, 16).expect("a number")).collect()
}

#[test]
fn on_any_number_of_threads_and_in_every_run() {
    if std::env::var_os(CHILD).is_some() {
        // Ends the line on which the test harness has printed the test's name.
        println!();
        // `scope` calls the closure on a thread of the pool. There, operations are split between threads from a smaller size on.
        let digests = rayon::scope(|_| match std::env::var_os("VIERBEIN_SIMD") {
            Some(_) if cfg!(debug_assertions) => matrix_products(&Operands::new()),
            _ => digests(),
        });
        return digests.iter().for_each(|(_, _, digest)| println!("digest {digest:016x}"));
    }
    let here = digests();
    // The child process below has 2 threads.
    let counts = if cfg!(debug_assertions) { &[8][..] } else { &[1, 8] };
    for &threads in counts {
        assert_same(&on(threads), &here, |_| false, &format!("on {threads} threads"));
    }
    let named = |here: &Digests, digests: Vec<u64>| -> Digests {
        assert_eq!(digests.len(), here.len(), "a process prints all digests");
        here.iter().zip(digests).map(|(&(name, level, _), digest)| (name, level, digest)).collect()
    };
    let again = named(&here, in_a_process(&[("RAYON_NUM_THREADS", "2")]));
    assert_same(&again, &here, |_| false, "in another run on 2 threads");
    // A requested level above that of the processor selects the processor's level. In builds with debug assertions, only matrix
    // products have several levels, so these builds compute only matrix products again. Other builds compute all operations again.
    let here: Digests =
        here.into_iter().filter(|(_, promise, _)| !cfg!(debug_assertions) || *promise == OneLevel).collect();
    let mut fused = None;
    for level in ["portable", "avx2", "avx512"] {
        let on =
            |threads| named(&here, in_a_process(&[("VIERBEIN_SIMD", level), ("RAYON_NUM_THREADS", threads)]));
        let (one, eight) = (on("1"), on("8"));
        assert_same(&eight, &one, |_| false, &format!("on 8 threads, with VIERBEIN_SIMD={level}"));
        assert_same(&one, &here, |promise| promise != AnyLevel, &format!("with VIERBEIN_SIMD={level}"));
        if level != "portable" {
            let fused = fused.get_or_insert_with(|| one.clone());
            assert_same(&one, fused, |promise| promise == OneLevel, "with wider registers");
        }
        let others = one.iter().zip(&here).filter(|(a, b)| a != b).count();
        println!("of {} results, {others} have other bits with VIERBEIN_SIMD={level}", one.len());
    }
}

/// Tests the operands themselves: another summation order must change the bits of their sum.
#[test]
fn another_sequence_gives_other_bits() {
    let x = Tensor::<f64, Rank<1>>::from(numbers(Kind::Mixed, ROWS * COLUMNS, 53, 5));
    let n = x.len();
    let halves = |at: usize| (x.slice(s![..at]).sum() + x.slice(s![at..]).sum()).item();
    let found: std::collections::BTreeSet<u64> = (1..20).map(|k| halves(n * k / 20).to_bits()).collect();
    assert!(found.len() > 3, "19 cuts give {} results", found.len());
    assert_ne!(digest(&x), digest(&x.slice(s![..;-1]).to_owned()));
}
