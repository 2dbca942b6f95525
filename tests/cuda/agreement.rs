//! Runs the same operations on the CPU and on the GPU, with views of every kind. All numbers are small integers. So results do not
//! depend on the summation order, and must be equal.

use crate::device;
use vierbein::prelude::*;
use vierbein::{Cuda, c64};

/// Returns the next pseudorandom number below `below` (a linear congruential generator with Knuth's multiplier).
fn next(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % below
}

/// The random parameters of one comparison: shapes, slices and axes.
#[derive(Debug, Clone)]
struct Case {
    shape: [usize; 3],
    from: [usize; 3],
    step: [isize; 3],
    turned: [usize; 3],
    axis: usize,
}

impl Case {
    /// Returns random parameters. Extents are around the sizes of warps and tiles. They are small, because the emulator is slow.
    fn new(seed: u64) -> Case {
        let mut state = seed;
        let mut next = |below| next(&mut state, below);
        let lengths = [1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 40, 64, 65, 70, 130];
        let mut shape = [0; 3].map(|_| lengths[next(lengths.len())]);
        while shape.iter().product::<usize>() > 30_000 {
            shape[next(3)] = lengths[next(4)];
        }
        let turned = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]][next(6)];
        let from = shape.map(|n| if next(3) == 0 { next(n) } else { 0 });
        let step = [0; 3].map(|_| [1, 1, 1, -1, 2, -3][next(6)]);
        Case { shape, from, step, turned, axis: next(3) }
    }
}

/// The name, the shape and the elements of a result.
type Got<T> = (&'static str, Vec<usize>, Vec<T>);

/// Computes all results of a case, on a device and in a memory order.
fn compute<T, O, Dev>(case: &Case, value: fn(usize) -> T) -> Vec<Got<T>>
where
    T: Scalar,
    O: Order,
    Dev: Backend<T> + Default,
{
    let mut all = Vec::new();
    fn put<T: Element, D: Dim, O: Order, Dev: Device>(
        all: &mut Vec<Got<T>>,
        name: &'static str,
        x: Tensor<T, D, O, Dev>,
    ) {
        let x = x.to_device::<Cpu>().unwrap();
        all.push((name, x.shape().as_ref().to_vec(), x.to_vec()));
    }
    let Case { shape, from: [a, b, c], step: [i, j, k], turned, axis } = case.clone();
    let count: usize = shape.iter().product();
    let data = |salt: usize| (0..count).map(|n| value(n * 7 + n / 5 + salt)).collect();
    let load = |salt| Tensor::<T, _, O>::from_vec(shape, data(salt)).to_device::<Dev>().unwrap();
    let (x, y) = (load(0), load(3));
    let (u, v) = (x.slice(s![a..;i, b..;j, c..;k]), y.slice(s![a..;i, b..;j, c..;k]));
    let (u, v) = (u.permute(turned), v.permute(turned));

    put(&mut all, "copy", u.to_owned());
    put(&mut all, "copy in the other order", u.to_order::<O::Transposed>().into_flipped());
    put(&mut all, "sum of two", u + v);
    put(&mut all, "difference of two that lie otherwise", u - v.to_owned());
    put(&mut all, "product with a repeated row", u * u.slice(s![0..1, .., ..]));
    put(&mut all, "product with a repeated column", u * v.slice(s![.., .., 0..1]));
    put(&mut all, "with a scalar", u * value(4) - value(5));
    put(&mut all, "sum", u.sum());
    put(&mut all, "sum over an axis", u.sum_axis(axis));
    put(&mut all, "sum over two axes", u.sum_axes([axis, (axis + 1) % 3]));
    put(&mut all, "running sum", u.cumsum(axis));
    put(&mut all, "batched products", einsum!("abc,abd->acd", &u, &v));
    put(&mut all, "one product", einsum!("abc,adc->bd", &u, &v));
    put(&mut all, "inner products", einsum!("abc,abc->a", &u, &v));
    put(&mut all, "matrix times vectors", einsum!("abc,c->ab", &u, v.slice(s![0, 0, ..])));

    let mut w = load(1);
    w.slice_mut(s![a..;i, b..;j, c..;k]).permute_mut(turned).assign(&u);
    put(&mut all, "assignment to a view", w.clone());
    w.slice_mut(s![.., b..;j, ..]).fill(value(2));
    put(&mut all, "a view that is filled", w.clone());
    let mut view = w.slice_mut(s![a..;i, b..;j, c..;k]);
    let mut view = view.permute_mut(turned);
    view += &v;
    put(&mut all, "a view that is added to", w);
    all
}

fn agree<T: Scalar, O: Order>(value: fn(usize) -> T, cases: u64)
where
    Cpu: Backend<T>,
    Cuda: Backend<T>,
{
    if device().is_none() {
        return;
    }
    let first = crate::gpu::seed();
    // The emulator is slow.
    let cases = if crate::gpu::is_emulated() { cases.div_ceil(2) } else { cases };
    for seed in first..first + cases {
        let case = Case::new(seed);
        check(&case, compute::<T, O, Cpu>(&case, value), compute::<T, O, Cuda>(&case, value));
    }
}

fn check<T: Scalar>(case: &Case, expected: Vec<Got<T>>, got: Vec<Got<T>>) {
    assert_eq!(expected.len(), got.len());
    for ((name, shape, expected), (_, other, got)) in expected.into_iter().zip(got) {
        assert_eq!(shape, other, "{name} of {case:?}");
        let differs = expected.iter().zip(&got).position(|(x, y)| x != y);
        if let Some(at) = differs {
            panic!(
                "{name} of {case:?}: element {at} of {shape:?} is {:?} and not {:?}",
                got[at], expected[at]
            );
        }
    }
}

fn whole(n: usize) -> usize {
    n % 7
}

// Only one type is tested in both memory orders, because each instance of the generic code takes long to compile.

#[test]
fn f64() {
    agree::<_, RowMajor>(|n| whole(n) as f64 - 3.0, 25);
    agree::<_, ColMajor>(|n| whole(n) as f64 - 3.0, 25);
}

#[test]
fn complex() {
    agree::<_, ColMajor>(|n| c64::new(whole(n) as f64 - 3.0, whole(n / 3) as f64 - 2.0), 25);
}

#[test]
fn integers() {
    agree::<_, RowMajor>(|n| whole(n) as i64 - 3, 25);
}
