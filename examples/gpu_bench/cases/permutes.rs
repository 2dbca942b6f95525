//! Copies with permuted axes.

use super::{Fallible, Number, differ, filled};
use crate::{Bench, Limit};
use vierbein::prelude::*;

pub(super) fn rows<T: Number>(bench: &mut Bench) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
{
    let size = size_of::<T>();
    for (name, full) in
        [("1000²", 1000), ("1024²", 1024), ("4000²", 4000), ("4096²", 4096), ("16384²", 16384)]
    {
        let n = bench.size(full);
        let too_large = full == 16384 && T::COMPLEX;
        if too_large || !bench.fits(&format!("matrices of {name}"), 3 * n * n * size) {
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
    let few = |full: usize, quick: usize| if bench.quick { quick } else { full };
    let [thirty, sixty_four, sixteen] = [few(30, 10), few(64, 9), few(16, 4)];
    permuted::<T, 4>(bench, "ijkl->ljki 30⁴", [thirty; 4], [3, 1, 2, 0])?;
    permuted::<T, 4>(bench, "ijkl->lkji 64⁴", [sixty_four; 4], [3, 2, 1, 0])?;
    permuted::<T, 6>(bench, "permute 305142 16⁶", [sixteen; 6], [3, 0, 5, 1, 4, 2])?;
    for (name, full) in [("2000²", 2000), ("8192²", 8192)] {
        let n = bench.size(full);
        let half = n.div_ceil(2);
        case!(
            bench,
            T,
            &format!("copy a[::2, :] {name}"),
            n * n * size,
            Limit::Copy,
            [a = filled::<T, 2>([n, n])],
            a.slice(s![..;2, ..]).to_owned()
        );
        case!(bench, T, &format!("copy a[::2, :] {name} into"), n * n * size, Limit::Copy,
            [a = filled::<T, 2>([n, n])], into out = filled::<T, 2>([half, n]), out.assign(&a.slice(s![..;2, ..])));
    }
    Ok(())
}

/// Runs the two cases of a copy with permuted axes: into a new tensor, and into a preallocated output. All axes have the same extent.
fn permuted<T: Number, const N: usize>(
    bench: &mut Bench,
    name: &str,
    shape: [usize; N],
    axes: [usize; N],
) -> Fallible
where
    Cuda: Backend<T>,
    Cpu: Backend<T>,
    Rank<N>: Dim<Shape = [usize; N]>,
    [usize; N]: vierbein::IntoShape<Dim = Rank<N>>,
{
    let bytes = 2 * shape.iter().product::<usize>() * size_of::<T>();
    case!(bench, T, name, bytes, Limit::Copy, [a = filled::<T, N>(shape)], a.permute(axes).to_owned());
    case!(bench, T, &format!("{name} into"), bytes, Limit::Copy,
        [a = filled::<T, N>(shape)], into out = filled::<T, N>(shape), out.assign(&a.permute(axes)));
    Ok(())
}
