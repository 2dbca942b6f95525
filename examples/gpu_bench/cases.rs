//! The cases: expressions that are evaluated on the host, to know what is right, and on the GPU, to be compared and timed.

use crate::direct::{self, Blas};
use crate::{Bench, Limit};
use std::error::Error;
use vierbein::device::{Scalars, TernaryOp};
use vierbein::prelude::*;
use vierbein::{CastTo, einsum};

type Fallible = Result<(), Box<dyn Error>>;

/// `a · b + c · z`, in one kernel: what fused work is written as.
#[derive(Clone, Copy)]
struct Fused<T>(T);

impl<T: Scalar> TernaryOp<T, T, T> for Fused<T> {
    type Output = T;
    const NAME: &'static str = "fuse";
    const CUDA: &'static str = "a * b + c * z";
    fn apply(&self, a: T, b: T, c: T) -> T {
        a * b + c * self.0
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("z", self.0);
    }
}

/// A tame function of the position, the same everywhere.
fn value<T: Scalar>(i: usize) -> T
where
    i32: CastTo<T>,
{
    let hash = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
    (hash as i32 - 2000).cast_to()
}

/// A dense row-major tensor of such values.
fn filled<T: Scalar, const N: usize>(shape: [usize; N]) -> Tensor<T, Rank<N>>
where
    Rank<N>: Dim<Shape = [usize; N]>,
    [usize; N]: vierbein::IntoShape<Dim = Rank<N>>,
    i32: CastTo<T>,
{
    let len = shape.iter().product();
    Tensor::from_vec(shape, (0..len).map(value).collect())
}

/// Whether the GPU's result is the host's, up to what sums in another sequence may differ by.
fn differ<T: Blas + Scalar, D: Dim>(
    gpu: &Tensor<T, D, RowMajor, Cuda>,
    host: &Tensor<T, D>,
) -> Result<(), String> {
    let gpu = gpu.to_device::<Cpu>().map_err(|error| error.to_string())?;
    if gpu.shape() != host.shape() {
        return Err(format!("shape {:?}, not {:?}", gpu.shape(), host.shape()));
    }
    let typical = host.iter().map(|x| x.size()).sum::<f64>() / host.len().max(1) as f64;
    for (k, (&x, &y)) in gpu.iter().zip(host.iter()).enumerate() {
        let off = (x - y).size();
        if off.is_nan() || off > T::TOLERANCE * (y.size() + typical) {
            return Err(format!("element {k} is {x}, not {y}"));
        }
    }
    Ok(())
}

/// One case: operands are made on the host, and the same expression of them is evaluated there and on the GPU.
macro_rules! case {
    ($bench:ident, $T:ident, $name:expr, $amount:expr, $limit:expr, [$($x:ident = $make:expr),*], $result:expr) => {
        if $bench.wanted($name) {
            $(let $x = $make;)*
            let host = $result;
            $(let $x = $x.to_device::<Cuda>()?;)*
            match differ(&$result, &host) {
                Err(why) => $bench.wrong($name, $T::DTYPE.name(), &why),
                Ok(()) => {
                    let times = $bench.time(|| drop($result))?;
                    $bench.report($name, $T::DTYPE.name(), $amount as f64, $limit, times, None);
                }
            }
        }
    };
    // Into memory that is there.
    ($bench:ident, $T:ident, $name:expr, $amount:expr, $limit:expr, [$($x:ident = $make:expr),*], into $out:ident = $start:expr, $write:expr) => {
        if $bench.wanted($name) {
            $(let $x = $make;)*
            let host = { let mut $out = $start; $write; $out };
            $(let $x = $x.to_device::<Cuda>()?;)*
            let mut $out = $start.to_device::<Cuda>()?;
            $write;
            match differ(&$out, &host) {
                Err(why) => $bench.wrong($name, $T::DTYPE.name(), &why),
                Ok(()) => {
                    let times = $bench.time(|| { $write; })?;
                    $bench.report($name, $T::DTYPE.name(), $amount as f64, $limit, times, None);
                }
            }
        }
    };
}

/// What a GPU needs for all cases.
pub(crate) trait Number: Scalar + Blas + CastTo<Self::Float> {}
impl<T: Scalar + Blas + CastTo<T::Float>> Number for T {}

/// All cases of an element type.
pub(crate) fn rows<T: Number>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
    i32: CastTo<T>,
{
    elementwise::<T>(bench)?;
    permutes::<T>(bench)?;
    reductions::<T>(bench)?;
    traces::<T>(bench)?;
    contractions::<T>(bench)
}

fn elementwise<T: Number>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
    i32: CastTo<T>,
{
    let size = size_of::<T>();
    let two: T = 2.cast_to();
    for (name, full) in [("10³", 1000), ("10⁵", 100_000), ("10⁷", 10_000_000), ("10⁸", 100_000_000)] {
        let n = if bench.quick { full.min(5000) } else { full };
        // Three vectors of complex numbers and their results are the limit of patience, not of memory.
        if full > 10_000_000 && size > 8 {
            continue;
        }
        let row = |what: &str| format!("{what} {name}");
        case!(
            bench,
            T,
            &row("a + b"),
            3 * n * size,
            Limit::Copy,
            [a = filled::<T, 1>([n]), b = filled::<T, 1>([n]) + two],
            &a + &b
        );
        case!(bench, T, &row("a + b into"), 3 * n * size, Limit::Copy,
            [a = filled::<T, 1>([n]), b = filled::<T, 1>([n]) + two], into out = filled::<T, 1>([n]), a.apply2_into(vierbein::op::Add, &b, &mut out));
        case!(
            bench,
            T,
            &row("a·b + 2c"),
            4 * n * size,
            Limit::Copy,
            [a = filled::<T, 1>([n]), b = filled::<T, 1>([n]) + two, c = filled::<T, 1>([n]) * two],
            a.apply3(Fused(two), &b, &c)
        );
        case!(bench, T, &row("copy"), 2 * n * size, Limit::Copy, [a = filled::<T, 1>([n])], a.to_owned());
        case!(bench, T, &row("fill"), n * size, Limit::Copy, [a = filled::<T, 1>([1])], {
            let _ = &a;
            full_like(&a, n, two)
        });
    }
    let n = if bench.quick { 5000 } else { 10_000_000 };
    case!(bench, T, "b += α·a 10⁷", 3 * n * size, Limit::Copy,
        [a = filled::<T, 1>([n])], into b = filled::<T, 1>([n]) * T::zero(), { b.fill(two); b.add_scaled(two, &a) });
    let n = bench.size(8192);
    case!(
        bench,
        T,
        "a + row 8192²",
        2 * n * n * size,
        Limit::Copy,
        [a = filled::<T, 2>([n, n]), b = filled::<T, 1>([n])],
        &a + &b
    );
    case!(
        bench,
        T,
        "a + column 8192²",
        2 * n * n * size,
        Limit::Copy,
        [a = filled::<T, 2>([n, n]), b = filled::<T, 2>([n, 1])],
        &a + &b
    );
    case!(
        bench,
        T,
        "a + bᵀ 8192²",
        3 * n * n * size,
        Limit::Copy,
        [a = filled::<T, 2>([n, n]), b = filled::<T, 2>([n, n])],
        &a + b.t()
    );
    case!(
        bench,
        T,
        "a[:, ::2] + b[:, ::2] 8192²",
        5 * n * n * size / 2,
        Limit::Copy,
        [a = filled::<T, 2>([n, n]), b = filled::<T, 2>([n, n])],
        a.slice(s![.., ..;2]) + b.slice(s![.., ..;2])
    );
    let n = bench.size(400);
    case!(
        bench,
        T,
        "a[kij] + b 400³",
        3 * n * n * n * size,
        Limit::Copy,
        [a = filled::<T, 3>([n, n, n]), b = filled::<T, 3>([n, n, n])],
        a.permute([2, 0, 1]) + &b
    );
    Ok(())
}

/// A vector of one value on the device of another one.
fn full_like<T: Scalar, Dev: Backend<T> + Default>(
    _: &Tensor<T, Rank<1>, RowMajor, Dev>,
    n: usize,
    value: T,
) -> Tensor<T, Rank<1>, RowMajor, Dev> {
    Tensor::full([n], value)
}

fn permutes<T: Number>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
    i32: CastTo<T>,
{
    let size = size_of::<T>();
    for (name, full) in
        [("1000²", 1000), ("1024²", 1024), ("4000²", 4000), ("4096²", 4096), ("16384²", 16384)]
    {
        let n = bench.size(full);
        if full > 8192 && size > 8 {
            continue;
        }
        case!(
            bench,
            T,
            &format!("transpose {name}"),
            2 * n * n * size,
            Limit::Copy,
            [a = filled::<T, 2>([n, n])],
            a.t().to_owned()
        );
        case!(bench, T, &format!("transpose {name} into"), 2 * n * n * size, Limit::Copy,
            [a = filled::<T, 2>([n, n])], into out = filled::<T, 2>([n, n]), out.assign(&a.t()));
    }
    let n = bench.size(30);
    case!(
        bench,
        T,
        "ijkl->ljki 30⁴",
        2 * n.pow(4) * size,
        Limit::Copy,
        [a = filled::<T, 4>([n; 4])],
        a.permute([3, 1, 2, 0]).to_owned()
    );
    let n = if bench.quick { 9 } else { 64 };
    case!(
        bench,
        T,
        "ijkl->lkji 64⁴",
        2 * n.pow(4) * size,
        Limit::Copy,
        [a = filled::<T, 4>([n; 4])],
        a.permute([3, 2, 1, 0]).to_owned()
    );
    let n = if bench.quick { 4 } else { 16 };
    case!(
        bench,
        T,
        "permute 305142 16⁶",
        2 * n.pow(6) * size,
        Limit::Copy,
        [a = filled::<T, 6>([n; 6])],
        a.permute([3, 0, 5, 1, 4, 2]).to_owned()
    );
    let n = bench.size(8192);
    case!(
        bench,
        T,
        "copy a[::2, :] 8192²",
        n * n * size,
        Limit::Copy,
        [a = filled::<T, 2>([n, n])],
        a.slice(s![..;2, ..]).to_owned()
    );
    Ok(())
}

fn reductions<T: Number>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
    i32: CastTo<T>,
{
    let size = size_of::<T>();
    for (name, full) in [("10⁷", 10_000_000), ("10⁸", 100_000_000)] {
        let n = if bench.quick { 5000 } else { full };
        case!(bench, T, &format!("sum {name}"), n * size, Limit::Copy, [a = filled::<T, 1>([n])], a.sum());
        case!(
            bench,
            T,
            &format!("norm {name}"),
            n * size,
            Limit::Copy,
            [a = filled::<T, 1>([n])],
            a.norm().cast::<T>()
        );
    }
    let n = bench.size(8192);
    case!(
        bench,
        T,
        "sum axis 0 8192²",
        n * n * size,
        Limit::Copy,
        [a = filled::<T, 2>([n, n])],
        a.sum_axis(0)
    );
    case!(
        bench,
        T,
        "sum axis 1 8192²",
        n * n * size,
        Limit::Copy,
        [a = filled::<T, 2>([n, n])],
        a.sum_axis(1)
    );
    case!(
        bench,
        T,
        "sum a[::2, ::2] 8192²",
        n * n * size / 2,
        Limit::Copy,
        [a = filled::<T, 2>([n, n])],
        a.slice(s![..;2, ..;2]).sum()
    );
    let n = bench.size(400);
    case!(
        bench,
        T,
        "sum ijk->ik 400³",
        n * n * n * size,
        Limit::Copy,
        [a = filled::<T, 3>([n, n, n])],
        a.sum_axis(1)
    );
    case!(
        bench,
        T,
        "sum a[kij] axis 0 400³",
        n * n * n * size,
        Limit::Copy,
        [a = filled::<T, 3>([n, n, n])],
        a.permute([2, 0, 1]).sum_axis(0)
    );
    let n = bench.size(4096);
    case!(
        bench,
        T,
        "running sum 4096²",
        2 * n * n * size,
        Limit::Copy,
        [a = filled::<T, 2>([n, n])],
        a.cumsum(1)
    );
    let n = if bench.quick { 5000 } else { 10_000_000 };
    case!(bench, T, "running sum 10⁷", 2 * n * size, Limit::Copy, [a = filled::<T, 1>([n])], a.cumsum(0));
    Ok(())
}

fn traces<T: Number>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
    i32: CastTo<T>,
{
    // An element of a diagonal costs a sector of memory.
    let sector = size_of::<T>().max(32);
    for full in [64, 128, 256, 512, 1024, 2048, 4096, 8192] {
        let n = bench.size(full);
        case!(
            bench,
            T,
            &format!("trace {full}²"),
            n * sector,
            Limit::Time(5.0),
            [a = filled::<T, 2>([n, n])],
            a.trace(0, 1)
        );
    }
    for (full, middle) in
        [(64, 64), (256, 64), (1024, 16), (1024, 1024), (2048, 16), (4096, 8), (32, 8192), (64, 2048)]
    {
        let (n, m) = (bench.size(full), bench.size(middle));
        if full * full * middle > 1 << 29 && size_of::<T>() > 8 {
            continue;
        }
        let row = |how: &str| format!("{how} ({full}, {middle}, {full}) over (0, 2)");
        // The kept axis lies side by side only n elements apart: each element of a diagonal is in a sector of its own.
        case!(
            bench,
            T,
            &row("trace"),
            n * m * sector,
            Limit::Copy,
            [a = filled::<T, 3>([n, m, n])],
            a.trace(0, 2)
        );
        case!(
            bench,
            T,
            &row("δ product"),
            n * m * sector,
            Limit::Copy,
            [a = filled::<T, 3>([n, m, n]), e = Tensor::<T, Rank<2>>::eye(n)],
            einsum!("imj,ij->m", &a, &e)
        );
    }
    let (n, m) = (bench.size(64), bench.size(2048));
    case!(
        bench,
        T,
        "iik->k 64·64·2048",
        n * m * size_of::<T>(),
        Limit::Copy,
        [a = filled::<T, 3>([n, n, m])],
        a.trace(0, 1)
    );
    let n = bench.size(100);
    case!(
        bench,
        T,
        "iij->j 100³",
        n * n * size_of::<T>(),
        Limit::Time(12.0),
        [a = filled::<T, 3>([n, n, n])],
        einsum!("iij->j", &a)
    );
    case!(
        bench,
        T,
        "ijj->ij 100³",
        2 * n * n * sector,
        Limit::Time(12.0),
        [a = filled::<T, 3>([n, n, n])],
        einsum!("ijj->ij", &a)
    );
    case!(
        bench,
        T,
        "ijk->ik 100³",
        n * n * n * size_of::<T>(),
        Limit::Time(12.0),
        [a = filled::<T, 3>([n, n, n])],
        einsum!("ijk->ik", &a)
    );
    case!(
        bench,
        T,
        "ijk,ijk->ijk 100³",
        3 * n * n * n * size_of::<T>(),
        Limit::Time(7.0),
        [a = filled::<T, 3>([n, n, n]), b = filled::<T, 3>([n, n, n])],
        einsum!("ijk,ijk->ijk", &a, &b)
    );
    Ok(())
}

fn contractions<T: Number>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
    i32: CastTo<T>,
{
    let flops =
        |multiplications: usize| (if T::DTYPE == vierbein::DType::C64 { 8 } else { 2 }) * multiplications;
    for full in [256, 1024, 4096] {
        let n = bench.size(full);
        let name = format!("matmul {full}");
        if !bench.wanted(&name) {
            continue;
        }
        let (a, b) = (filled::<T, 2>([n, n]), filled::<T, 2>([n, n]));
        let host = a.matmul(&b);
        let (a, b) = (a.to_device::<Cuda>()?, b.to_device::<Cuda>()?);
        let mut c = Tensor::<T, Rank<2>, RowMajor, Cuda>::zeros([n, n]);
        let limit = direct::gemm::<T>(bench, &a, &b, &mut c)?;
        for (how, transposed) in [("", [false, false]), (" aᵀ·b", [true, false]), (" a·bᵀ", [false, true])]
        {
            let name = format!("{name}{how}");
            let left = if transposed[0] { a.t().to_owned() } else { a.to_owned() };
            let right = if transposed[1] { b.t().to_owned() } else { b.to_owned() };
            let left = if transposed[0] { left.t() } else { left.view() };
            let right = if transposed[1] { right.t() } else { right.view() };
            match differ(&left.matmul(right), &host) {
                Err(why) => bench.wrong(&name, T::DTYPE.name(), &why),
                Ok(()) => {
                    let times = bench.time(|| drop(left.matmul(right)))?;
                    bench.report(
                        &name,
                        T::DTYPE.name(),
                        flops(n * n * n) as f64,
                        Limit::Blas,
                        times,
                        Some(limit),
                    );
                }
            }
        }
    }
    let small = Limit::Time(12.0);
    let n = bench.size(128);
    case!(
        bench,
        T,
        "aib,bjc->aijc 128, 2",
        flops(4 * n * n * n),
        small,
        [a = filled::<T, 3>([n, 2, n]), b = filled::<T, 3>([n, 2, n])],
        einsum!("aib,bjc->aijc", &a, &b)
    );
    let (k, n) = (bench.size(100), bench.size(64));
    case!(
        bench,
        T,
        "bij,bjk->bik 100·64²",
        flops(k * n * n * n),
        small,
        [a = filled::<T, 3>([k, n, n]), b = filled::<T, 3>([k, n, n])],
        einsum!("bij,bjk->bik", &a, &b)
    );
    let n = if bench.quick { 5 } else { 20 };
    case!(
        bench,
        T,
        "ijkl,klmn->ijmn 20⁴",
        flops(n.pow(6)),
        Limit::Time(50.0),
        [a = filled::<T, 4>([n; 4]), b = filled::<T, 4>([n; 4])],
        einsum!("ijkl,klmn->ijmn", &a, &b)
    );
    let n = bench.size(100);
    case!(
        bench,
        T,
        "ijk,kl->ijl 100³·100²",
        flops(n.pow(4)),
        Limit::Time(20.0),
        [a = filled::<T, 3>([n; 3]), b = filled::<T, 2>([n; 2])],
        einsum!("ijk,kl->ijl", &a, &b)
    );
    case!(
        bench,
        T,
        "abcd,cbe->ade permuted",
        flops(n.pow(3) * 16),
        Limit::Time(50.0),
        [a = filled::<T, 4>([n, 4, 4, n]), b = filled::<T, 3>([4, 4, n])],
        einsum!("abcd,cbe->ade", &a, &b)
    );
    case!(
        bench,
        T,
        "dot 10⁷",
        2 * 10_000_000 * size_of::<T>(),
        Limit::Copy,
        [
            a = filled::<T, 1>([if bench.quick { 5000 } else { 10_000_000 }]),
            b = filled::<T, 1>([if bench.quick { 5000 } else { 10_000_000 }])
        ],
        einsum!("i,i->", &a, &b)
    );
    Ok(())
}
