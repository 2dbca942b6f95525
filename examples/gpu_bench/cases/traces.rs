//! Traces, and alternative computations of them: a contraction with the identity matrix (δ), a sum over every (n + 1)-th element of a
//! reshaped tensor (steps), and the product of the diagonals with a vector of ones (dot).

use super::{Fallible, Number, differ, filled};
use crate::{Bench, Limit};
use vierbein::einsum;
use vierbein::prelude::*;

pub(super) fn rows<T: Number>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
{
    // Each element of a diagonal is in its own memory sector.
    let sector = size_of::<T>().max(32);
    for full in [64, 128, 256, 512, 1000, 1024, 2048, 4096, 8192] {
        let n = bench.size(full);
        let row = |how: &str| format!("{how} {full}²");
        let (bytes, limit, step) = (n * sector, Limit::Time(5.0), n as isize + 1);
        case!(bench, T, &row("trace"), bytes, limit, [a = filled::<T, 2>([n, n])], a.trace(0, 1));
        case!(
            bench,
            T,
            &row("δ product"),
            bytes,
            limit,
            [a = filled::<T, 2>([n, n]), e = Tensor::<T, Rank<2>>::eye(n)],
            einsum!("ij,ij->", &a, &e)
        );
        case!(
            bench,
            T,
            &row("trace by steps"),
            bytes,
            limit,
            [a = filled::<T, 2>([n, n])],
            a.as_shape([n * n]).slice(s![..;step]).sum()
        );
        case!(
            bench,
            T,
            &row("trace by dot"),
            bytes,
            limit,
            [a = filled::<T, 2>([n, n]), o = Tensor::<T, Rank<1>>::ones([n])],
            a.diagonal(0, 1).dot(&o)
        );
    }
    for (full, middle) in
        [(64, 64), (256, 64), (1024, 16), (1024, 1024), (2048, 16), (4096, 8), (32, 8192), (64, 2048)]
    {
        let (n, m) = (bench.size(full), bench.size(middle));
        let row = |how: &str| format!("{how} ({full}, {middle}, {full}) over (0, 2)");
        // One of the cases below, `by steps`, copies the operand. So the operand and its copy must fit in memory.
        if !bench.fits(&row("traces"), 2 * n * n * m * size_of::<T>()) {
            continue;
        }
        // Neighbours along the kept axis are n elements apart, so each element of a diagonal is in its own memory sector.
        let (bytes, step) = (n * m * sector, n as isize + 1);
        case!(bench, T, &row("trace"), bytes, Limit::Copy, [a = filled::<T, 3>([n, m, n])], a.trace(0, 2));
        case!(
            bench,
            T,
            &row("δ product"),
            bytes,
            Limit::Copy,
            [a = filled::<T, 3>([n, m, n]), e = Tensor::<T, Rank<2>>::eye(n)],
            einsum!("imj,ij->m", &a, &e)
        );
        case!(bench, T, &row("by steps"), bytes, Limit::Copy, [a = filled::<T, 3>([n, m, n])], {
            let flat = a.permute([1, 0, 2]).to_owned().reshape([m, n * n]);
            flat.slice(s![.., ..;step]).sum_axis(1)
        });
        case!(
            bench,
            T,
            &row("by dot"),
            bytes,
            Limit::Copy,
            [a = filled::<T, 3>([n, m, n]), o = Tensor::<T, Rank<1>>::ones([n])],
            einsum!("mi,i->m", &a.diagonal(0, 2), &o)
        );
    }
    let (n, m) = (bench.size(64), bench.size(2048));
    let (bytes, step) = (n * m * size_of::<T>(), n as isize + 1);
    let row = |how: &str| format!("{how} 64·64·2048");
    case!(bench, T, &row("iik->k"), bytes, Limit::Copy, [a = filled::<T, 3>([n, n, m])], a.trace(0, 1));
    case!(
        bench,
        T,
        &row("iik->k δ product"),
        bytes,
        Limit::Copy,
        [a = filled::<T, 3>([n, n, m]), e = Tensor::<T, Rank<2>>::eye(n)],
        einsum!("ijk,ij->k", &a, &e)
    );
    case!(
        bench,
        T,
        &row("iik->k by steps"),
        bytes,
        Limit::Copy,
        [a = filled::<T, 3>([n, n, m])],
        a.as_shape([n * n, m]).slice(s![..;step, ..]).sum_axis(0)
    );
    case!(
        bench,
        T,
        &row("iik->k by dot"),
        bytes,
        Limit::Copy,
        [a = filled::<T, 3>([n, n, m]), o = Tensor::<T, Rank<1>>::ones([n])],
        einsum!("ki,i->k", &a.diagonal(0, 1), &o)
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
