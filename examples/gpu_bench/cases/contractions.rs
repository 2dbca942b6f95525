//! Products and contractions.

use super::{Fallible, Number, differ, filled};
use crate::{Bench, Limit, direct};
use vierbein::einsum;
use vierbein::prelude::*;

pub(super) fn rows<T: Number>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
{
    let flops =
        |multiplications: usize| (if T::DTYPE == vierbein::DType::C64 { 8 } else { 2 }) * multiplications;
    for full in [64, 256, 1024, 4096] {
        let n = bench.size(full);
        let name = format!("matmul {full}");
        if !bench.wanted(&name) {
            continue;
        }
        let (a, b) = (filled::<T, 2>([n, n]), filled::<T, 2>([n, n]));
        if bench.once {
            drop(a.to_device::<Cuda>()?.matmul(&b.to_device::<Cuda>()?));
            continue;
        }
        let host = a.matmul(&b);
        let (a, b) = (a.to_device::<Cuda>()?, b.to_device::<Cuda>()?);
        let mut c = Tensor::<T, Rank<2>, RowMajor, Cuda>::zeros([n, n]);
        let limit = direct::gemm::<T>(bench, &a, &b, &mut c)?;
        let times = |bench: &mut Bench, name: &str, right: Result<(), String>, run: &mut dyn FnMut()| {
            match right {
                Err(why) => bench.wrong(name, T::DTYPE.name(), &why),
                Ok(()) => {
                    let times = bench.time(run)?;
                    let amount = flops(n * n * n) as f64;
                    bench.report(name, T::DTYPE.name(), amount, Limit::Blas, times, Some(limit));
                }
            }
            Fallible::Ok(())
        };
        for (how, transposed) in [("", [false, false]), (" aᵀ·b", [true, false]), (" a·bᵀ", [false, true])]
        {
            let name = format!("{name}{how}");
            let left = if transposed[0] { a.t().to_owned() } else { a.to_owned() };
            let right = if transposed[1] { b.t().to_owned() } else { b.to_owned() };
            let left = if transposed[0] { left.t() } else { left.view() };
            let right = if transposed[1] { right.t() } else { right.view() };
            times(bench, &name, differ(&left.matmul(right), &host), &mut || drop(left.matmul(right)))?;
        }
        a.matmul_into(&b, &mut c);
        times(bench, &format!("{name} into"), differ(&c, &host), &mut || a.matmul_into(&b, &mut c))?;
        let (left, right) = (a.to_order::<ColMajor>(), b.to_order::<ColMajor>());
        let product = left.matmul(&right).to_order::<RowMajor>();
        times(bench, &format!("{name} col·col"), differ(&product, &host), &mut || {
            drop(left.matmul(&right))
        })?;
    }
    let (n, inner) = (bench.size(10_000), bench.size(32));
    if bench.fits("matmul 10000·32·10000", 3 * n * n * size_of::<T>()) {
        // The operands are small compared with the result, so only the bytes of the result are counted.
        let bytes = n * n * size_of::<T>();
        case!(
            bench,
            T,
            "matmul 10000·32·10000",
            bytes,
            Limit::Copy,
            [a = filled::<T, 2>([n, inner]), b = filled::<T, 2>([inner, n])],
            a.matmul(&b)
        );
        case!(bench, T, "matmul 10000·32·10000 into", bytes, Limit::Copy,
            [a = filled::<T, 2>([n, inner]), b = filled::<T, 2>([inner, n])],
            into out = filled::<T, 2>([n, n]), a.matmul_into(&b, &mut out));
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
    // Neither operand can be viewed as a matrix.
    let [l, m, n, o] = [40, 32, 36, 48].map(|full| bench.size(full));
    case!(
        bench,
        T,
        "abcd,cbe->ade permuted views",
        flops(l * m * n * o * l),
        Limit::Time(50.0),
        [a = filled::<T, 4>([n, l, o, m]), b = filled::<T, 3>([l, m, n])],
        einsum!("abcd,cbe->ade", &a.permute([1, 3, 0, 2]), &b.permute([2, 1, 0]))
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
