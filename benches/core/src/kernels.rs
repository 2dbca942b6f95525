//! The timed kernels, and the number of bytes that each must read and write.

use crate::{by_hand, ways};
use std::hint::black_box;
use std::rc::Rc;
use vierbein::IntoShape;
use vierbein::prelude::*;

/// A kernel with its operands.
pub(super) struct Kernel {
    pub(super) name: String,
    /// Bytes read and written, each counted once.
    pub(super) bytes: usize,
    pub(super) run: Box<dyn FnMut()>,
}

/// A function that builds kernels which share operands. Groups are built one at a time, because operands are large.
type Group = Box<dyn Fn() -> Vec<Kernel>>;

fn kernel<R>(name: impl Into<String>, elements: usize, mut run: impl FnMut() -> R + 'static) -> Kernel {
    let run = move || {
        black_box(run());
    };
    Kernel { name: name.into(), bytes: elements * size_of::<f64>(), run: Box::new(run) }
}

/// Returns a tensor of pseudo-random numbers.
fn filled<Sh: IntoShape>(shape: Sh) -> Rc<Tensor<f64, Sh::Dim>> {
    let mut state = 1u32;
    Rc::new(Tensor::from_fn(shape, |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 16)
    }))
}

fn zeros<Sh: IntoShape>(shape: Sh) -> Tensor<f64, Sh::Dim> {
    Tensor::zeros(shape.into_shape().unwrap())
}

/// Returns all kernels. Vectors have `n` elements; matrices and tensors have about `n`.
pub(super) fn groups(n: usize) -> Vec<Group> {
    // Not a power of two: with such an extent, strided accesses would compete for the same cache sets.
    let side = (n as f64).sqrt() as usize / 10 * 10;
    vec![
        Box::new(move || machine(n)),
        Box::new(move || arithmetic(n)),
        Box::new(move || broadcasts(side)),
        Box::new(move || transposes(side)),
        Box::new(move || transposes(1 << side.ilog2())),
        Box::new(move || permutes((n as f64).sqrt().sqrt() as usize)),
        Box::new(move || reductions(side)),
        Box::new(move || traces(side)),
    ]
}

/// Returns the hand-written loops that measure the memory bandwidth.
fn machine(n: usize) -> Vec<Kernel> {
    let (b, c) = (filled([n]), filled([n]));
    let (mut a, mut to, from) = (zeros([n]), zeros([n]), b.clone());
    by_hand::copy(to.as_mut_slice(), from.as_slice());
    assert_eq!(to, *from);
    by_hand::triad(a.as_mut_slice(), b.as_slice(), c.as_slice());
    assert_eq!(a, &*b + 2.0 * &*c);
    let name = |kernel| format!("{kernel} {}", by_hand::NAME);
    vec![
        kernel(name("copy"), 2 * n, move || by_hand::copy(to.as_mut_slice(), from.as_slice())),
        kernel(name("triad"), 3 * n, move || by_hand::triad(a.as_mut_slice(), b.as_slice(), c.as_slice())),
    ]
}

fn arithmetic(n: usize) -> Vec<Kernel> {
    let [a, b, c] = [(); 3].map(|()| filled([n]));
    let ([p, q, r], mut out) = ([a.clone(), b.clone(), c.clone()], zeros([n]));
    let ([d, e], mut sum) = ([a.clone(), b.clone()], zeros([n]));
    let (term, mut total) = (a.clone(), (*b).clone());
    let (from, mut to) = (a.clone(), zeros([n]));
    let mut own = (*a).clone();
    let (x, y) = (a.clone(), b.clone());
    vec![
        kernel("copy", 2 * n, move || to.assign(&*from)),
        kernel("a + b", 3 * n, move || &*x + &*y),
        kernel("a + b into", 3 * n, move || ways::add_into(&mut sum, &d, &e)),
        kernel("a += b", 3 * n, move || total += &*term),
        kernel("b += α·b", 2 * n, move || ways::scale_own(&mut own, -2.0)),
        kernel("a·b + 2c", 4 * n, move || ways::fused(&a, &b, &c)),
        kernel("a·b + 2c into", 4 * n, move || ways::fused_into(&mut out, &p, &q, &r)),
    ]
}

fn broadcasts(side: usize) -> Vec<Kernel> {
    let (a, b) = (filled([side, side]), filled([side, side]));
    let (row, column) = (filled([side]), filled([side]));
    let (p, q) = (a.clone(), a.clone());
    let square = side * side;
    vec![
        kernel("a + row", 2 * square + side, move || &*a + &*row),
        kernel("a + column", 2 * square + side, move || &*p + column.insert_axis(1)),
        kernel("a + bᵀ", 3 * square, move || &*q + b.t()),
    ]
}

fn transposes(side: usize) -> Vec<Kernel> {
    let x = filled([side, side]);
    let (y, mut out) = (x.clone(), zeros([side, side]));
    let elements = 2 * side * side;
    vec![
        kernel(format!("transpose {side}²"), elements, move || x.t().to_owned()),
        kernel(format!("transpose {side}² into"), elements, move || out.assign(&y.t())),
    ]
}

fn permutes(side: usize) -> Vec<Kernel> {
    let x = filled([side; 4]);
    let (y, z) = (x.clone(), x.clone());
    let (mut out, mut to) = (zeros([side; 4]), zeros([side; 4]));
    let elements = 2 * side.pow(4);
    vec![
        kernel("ijkl->lkji", elements, move || z.reverse_axes().to_owned()),
        kernel("ijkl->lkji into", elements, move || out.assign(&x.reverse_axes())),
        kernel("ijkl->ljki into", elements, move || to.assign(&y.permute([3, 1, 2, 0]))),
    ]
}

fn reductions(side: usize) -> Vec<Kernel> {
    let x = filled([side, side]);
    let [y, z, v, w] = [(); 4].map(|()| x.clone());
    let square = side * side;
    vec![
        kernel("sum", square, move || x.sum()),
        kernel("sum axis 0", square + side, move || y.sum_axis(0)),
        kernel("sum axis 1", square + side, move || z.sum_axis(1)),
        kernel("norm", square, move || v.norm()),
        kernel("argmax", square, move || w.argmax()),
    ]
}

/// Returns the kernels that compute traces. In the first two, each element of a diagonal is in a cache line of its own, so the bytes
/// read include all 64 bytes of this line. The third reads whole rows along the last axis.
fn traces(side: usize) -> Vec<Kernel> {
    let line = 64 / size_of::<f64>();
    let [middle, last] = [256, 64].map(|n: usize| (side / n * side / n).max(1));
    let (x, y, z) = (filled([side, side]), filled([256, middle, 256]), filled([64, 64, last]));
    vec![
        kernel("ii-> (lines)", side * line, move || x.trace(0, 1)),
        kernel("iki->k (lines)", 256 * middle * line, move || y.trace(0, 2)),
        kernel("iik->k", 65 * last, move || z.trace(0, 1)),
    ]
}
