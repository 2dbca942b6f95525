//! Tests of the methods of `Cpu` with operands whose shapes do not fit each other. A user-defined device with `HostAccess` can pass any
//! operands to these methods, from safe code. Each call must then panic or return an error, and must not write outside of the operands.

use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(feature = "fft")]
use vierbein::device::Fourier;
use vierbein::device::{
    Copy, Elementwise, Gemm, HostPtr, MatrixOperand, Operand, Output, ProductArgs, Reduce, Scaling, Select,
    Sort,
};
#[cfg(feature = "linalg")]
use vierbein::device::{Decompose, Structure};
use vierbein::prelude::*;
use vierbein::{Error, Quantile, op};
#[cfg(feature = "fft")]
use vierbein::{
    c64,
    fft::{Norm, Transform},
};

/// Number of elements before and after those of an operand. No kernel may write to them.
const GUARD: usize = 4096;

/// An element of an operand in a test.
trait Sample: Element {
    /// An element that no kernel writes.
    const GUARD: Self;
    /// Returns element `k` of an operand of this shape, counted in row-major order.
    fn sample(shape: &[usize], k: usize) -> Self;
}

/// Returns whether element `k` is on the diagonal of the last two axes.
fn is_diagonal(shape: &[usize], k: usize) -> bool {
    let n = shape.last().map_or(1, |&n| n.max(1));
    let m = shape.iter().rev().nth(1).map_or(1, |&m| m.max(1));
    k % n == k / n % m
}

impl Sample for f64 {
    const GUARD: f64 = -1e99;
    /// Matrices are symmetric or nearly so, and positive definite. Vectors are sorted.
    fn sample(shape: &[usize], k: usize) -> f64 {
        if shape.len() > 1 && is_diagonal(shape, k) { 100.0 } else { (k as f64).sqrt() / 100.0 }
    }
}

#[cfg(feature = "fft")]
impl Sample for c64 {
    const GUARD: c64 = c64::new(-1e99, 1e99);
    fn sample(shape: &[usize], k: usize) -> c64 {
        c64::new(f64::sample(shape, k), 0.0)
    }
}

impl Sample for i64 {
    const GUARD: i64 = i64::MIN + 77;
    /// The position 0.
    fn sample(_: &[usize], _: usize) -> i64 {
        0
    }
}

impl Sample for bool {
    const GUARD: bool = false;
    fn sample(_: &[usize], _: usize) -> bool {
        true
    }
}

/// An operand with guards around its elements.
struct Guarded<T> {
    data: Vec<T>,
    shape: Vec<usize>,
    strides: Vec<isize>,
}

impl<T: Sample> Guarded<T> {
    fn new(shape: &[usize], row_major: bool) -> Self {
        let len: usize = shape.iter().product();
        let mut data = vec![T::GUARD; len + 2 * GUARD];
        let (mut strides, mut step) = (vec![0; shape.len()], 1);
        let axes: Vec<usize> =
            if row_major { (0..shape.len()).rev().collect() } else { (0..shape.len()).collect() };
        for axis in axes {
            strides[axis] = step;
            step *= shape[axis] as isize;
        }
        for k in 0..len {
            let (mut rest, mut at) = (k, GUARD);
            for (&n, &stride) in shape.iter().zip(&strides).rev() {
                at += rest % n * stride as usize;
                rest /= n;
            }
            data[at] = T::sample(shape, k);
        }
        Guarded { data, shape: shape.to_vec(), strides }
    }

    fn operand(&self) -> Operand<'_, T, Cpu> {
        let first = HostPtr::new(self.data[GUARD..].as_ptr().cast_mut());
        // SAFETY: the strides are contiguous, and `data` has an element for each index of the shape from `GUARD` on. `self` is borrowed,
        // so nothing writes to them.
        unsafe { Operand::from_raw(first, &self.shape, &self.strides) }
    }

    fn output(&mut self) -> Output<'_, T, Cpu> {
        let first = HostPtr::new(self.data[GUARD..].as_mut_ptr());
        // SAFETY: the strides are contiguous, so different indices have different elements of `data`, from `GUARD` on. `self` is
        // exclusively borrowed.
        unsafe { Output::from_raw(first, &self.shape, &self.strides) }
    }

    fn is_intact(&self) -> bool {
        let bytes = |x: &[T]| x.iter().all(|x| *x == T::GUARD);
        bytes(&self.data[..GUARD]) && bytes(&self.data[self.data.len() - GUARD..])
    }
}

/// The outcome of a call: whether it succeeded, and whether all guards are intact.
type Outcome = (bool, bool);

/// A method with the shapes of its operands. `free` lists the operands and axes whose extents the others do not determine.
struct Case {
    name: &'static str,
    shapes: Vec<Vec<usize>>,
    free: Vec<(usize, usize)>,
    call: Box<dyn Fn(&[Vec<usize>], bool) -> Outcome>,
}

/// Returns a [`Case`]: the operands with their types and shapes, the free axes, and the call. Outputs are marked by `mut`.
macro_rules! case {
    ($name:literal, [$($kind:ident $operand:ident: $T:ty = $shape:expr),*], free $free:expr, $call:expr) => {
        Case {
            name: $name,
            shapes: vec![$($shape.to_vec()),*],
            free: $free.to_vec(),
            call: Box::new(|shapes, row_major| {
                let mut shapes = shapes.iter();
                $(let mut $operand = Guarded::<$T>::new(shapes.next().unwrap(), row_major);)*
                let done = {
                    $(let $operand = case!(@$kind $operand);)*
                    catch_unwind(AssertUnwindSafe(|| -> Result<(), Error> { $call }))
                };
                let mut intact = true;
                $(
                    let _ = &mut $operand;
                    intact &= $operand.is_intact();
                )*
                (matches!(done, Ok(Ok(()))), intact)
            }),
        }
    };
    (@out $operand:ident) => { $operand.output() };
    (@read $operand:ident) => { $operand.operand() };
    (@matrix $operand:ident) => { MatrixOperand::from($operand.operand()) };
}

fn product<'a>(
    a: MatrixOperand<'a, f64, Cpu>,
    b: MatrixOperand<'a, f64, Cpu>,
    out: Output<'a, f64, Cpu>,
) -> ProductArgs<'a, f64, Cpu> {
    ProductArgs { scaling: Scaling { alpha: 2.0, beta: 1.0 }, a, b, out }
}

/// The methods of all families but `Decompose`. A [`Transform`] has no public constructor: see [`transforms`].
#[rustfmt::skip]
fn families() -> Vec<Case> {
    const NONE: [(usize, usize); 0] = [];
    vec![
        case!("map", [out o: f64 = [3, 40], read a: f64 = [3, 40]], free NONE, Cpu.map::<(f64,), _>(&op::Neg, o, (a,))),
        case!("map of two", [out o: f64 = [3, 40], read a: f64 = [3, 40], read b: f64 = [3, 40]], free NONE,
            Cpu.map::<(f64, f64), _>(&op::Add, o, (a, b))),
        case!("map of three", [out o: f64 = [3, 40], read m: bool = [3, 40], read a: f64 = [3, 40], read b: f64 = [3, 40]], free NONE,
            Cpu.map::<(bool, f64, f64), _>(&op::Select, o, (m, a, b))),
        case!("update", [out a: f64 = [3, 40], read b: f64 = [3, 40]], free NONE, Cpu.update::<(f64, f64), _>(&op::Add, a, (b,))),
        case!("copy", [out o: f64 = [3, 40], read a: f64 = [3, 40]], free NONE, Cpu.copy(o, a)),
        case!("take", [out o: f64 = [3, 40], read a: f64 = [3, 7], read at: i64 = [3, 40]], free [(1, 1)], Cpu.take(o, a, at)),
        case!("scatter", [out o: f64 = [3, 7], read at: i64 = [3, 40], read a: f64 = [3, 40]], free [(0, 1)], Cpu.scatter(o, at, a)),
        case!("scatter_with", [out o: f64 = [3, 7], read at: i64 = [3, 40], read a: f64 = [3, 40]], free [(0, 1)],
            Cpu.scatter_with(&op::Add, o, at, a)),
        case!("pick", [out o: f64 = [5], read a: f64 = [3, 4], read at: i64 = [5, 2]], free [(1, 0), (1, 1)], Cpu.pick(o, a, at)),
        case!("compress", [out o: f64 = [120], read a: f64 = [3, 40], read m: bool = [3, 40]], free NONE, Cpu.compress(o, a, m)),
        case!("expand", [out o: f64 = [3, 40], read m: bool = [3, 40], read a: f64 = [120]], free NONE, Cpu.expand(o, m, a)),
        case!("reduce", [out o: f64 = [3, 5], read a: f64 = [3, 5, 40]], free [(1, 2)], Cpu.reduce(&op::Sum, o, a)),
        case!("reduce to a scalar", [out o: f64 = [], read a: f64 = [40]], free [(1, 0)], Cpu.reduce(&op::Max, o, a)),
        case!("scan", [out o: f64 = [3, 40], read a: f64 = [3, 40]], free NONE, Cpu.scan(&op::Add, o, a)),
        case!("nonzero", [out o: i64 = [120, 2], read a: bool = [3, 40]], free NONE, Cpu.nonzero(o, a)),
        case!("argsort", [out o: i64 = [3, 40], read a: f64 = [3, 40]], free NONE, Cpu.argsort(o, a, false)),
        case!("argsort of short lines", [out o: i64 = [30, 4], read a: f64 = [30, 4]], free NONE, Cpu.argsort(o, a, true)),
        case!("top_k", [out v: f64 = [3, 5], out i: i64 = [3, 5], read a: f64 = [3, 40]], free [(2, 1)], Cpu.top_k(v, i, a, true)),
        case!("quantile", [out o: f64 = [3, 2], read a: f64 = [3, 5, 8]], free [(1, 1), (1, 2)],
            Cpu.quantile(o, a, &[0.25, 0.75], Some(Quantile::Linear))),
        case!("lexsort", [out o: i64 = [40], read a: f64 = [2, 40]], free [(1, 0)], Cpu.lexsort(o, a)),
        case!("search", [out o: i64 = [3, 5], read s: f64 = [40], read a: f64 = [3, 5]], free [(1, 0)], Cpu.search(o, s, a, true)),
        case!("contains", [out o: bool = [3, 5], read a: f64 = [3, 5], read of: f64 = [40]], free [(2, 0)], Cpu.contains(o, a, of)),
        case!("gemm", [matrix a: f64 = [2, 30, 40], matrix b: f64 = [2, 40, 50], out o: f64 = [2, 30, 50]], free NONE,
            Cpu.gemm(product(a, b, o))),
        case!("gemm of small matrices", [matrix a: f64 = [4, 4], matrix b: f64 = [4, 4], out o: f64 = [4, 4]], free NONE,
            Cpu.gemm(product(a, b, o))),
        case!("sum_products", [matrix a: f64 = [3, 4, 50], matrix b: f64 = [3, 4, 50], out o: f64 = [3, 4]], free NONE,
            Cpu.sum_products(product(a, b, o))),
        case!("dot product", [matrix a: f64 = [500], matrix b: f64 = [500], out o: f64 = []], free NONE,
            Cpu.sum_products(product(a, b, o))),
    ]
}

/// The methods of `Decompose`, for a single matrix, for small matrices in a batch, and for larger ones.
#[cfg(feature = "linalg")]
#[rustfmt::skip]
fn decompositions() -> Vec<Case> {
    const NONE: [(usize, usize); 0] = [];
    let mut cases = Vec::new();
    for (batch, m, n) in [(1, 4, 4), (20, 3, 3), (3, 40, 30), (2, 30, 40), (4, 6, 1)] {
        let k = m.min(n);
        // Only the vectors depend on the larger extent.
        let long = if m > n { vec![(1, 1)] } else if n > m { vec![(1, 2)] } else { Vec::new() };
        cases.extend([
            case!("svd", [out s: f64 = [batch, k], out u: f64 = [batch, m, k], out vh: f64 = [batch, k, n], matrix a: f64 = [batch, m, n]],
                free NONE, Cpu.svd(s, Some([u, vh]), a)),
            case!("full svd", [out s: f64 = [batch, k], out u: f64 = [batch, m, m], out vh: f64 = [batch, n, n], matrix a: f64 = [batch, m, n]],
                free NONE, Cpu.svd(s, Some([u, vh]), a)),
            case!("singular values", [out s: f64 = [batch, k], matrix a: f64 = [batch, m, n]], free long, Cpu.svd(s, None, a)),
            case!("qr", [out q: f64 = [batch, m, k], out r: f64 = [batch, k, n], matrix a: f64 = [batch, m, n]], free NONE, Cpu.qr(Some(q), r, a)),
            case!("complete qr", [out q: f64 = [batch, m, m], out r: f64 = [batch, m, n], matrix a: f64 = [batch, m, n]], free NONE,
                Cpu.qr(Some(q), r, a)),
            case!("r", [out r: f64 = [batch, k, n], matrix a: f64 = [batch, m, n]], free if m > n { long } else { Vec::new() }, Cpu.qr(None, r, a)),
            case!("lu", [out lu: f64 = [batch, m, n], out rows: i64 = [batch, m], matrix a: f64 = [batch, m, n]], free NONE, Cpu.lu(lu, rows, a)),
        ]);
    }
    for (batch, n) in [(1, 4), (20, 3), (3, 40)] {
        cases.extend([
            case!("eigh", [out w: f64 = [batch, n], out v: f64 = [batch, n, n], matrix a: f64 = [batch, n, n]], free NONE, Cpu.eigh(w, Some(v), a)),
            case!("eigenvalues", [out w: f64 = [batch, n], matrix a: f64 = [batch, n, n]], free NONE, Cpu.eigh(w, None, a)),
            case!("schur", [out t: f64 = [batch, n, n], out z: f64 = [batch, n, n], matrix a: f64 = [batch, n, n]], free NONE, Cpu.schur(t, z, a)),
            case!("ldl", [out l: f64 = [batch, n, n], out d: f64 = [batch, n, n], out rows: i64 = [batch, n], matrix a: f64 = [batch, n, n]],
                free NONE, Cpu.ldl(l, d, rows, a)),
            case!("cholesky", [out l: f64 = [batch, n, n], matrix a: f64 = [batch, n, n]], free NONE, Cpu.cholesky(l, a)),
            case!("solve", [out b: f64 = [batch, n, 5], matrix a: f64 = [batch, n, n]], free [(0, 2)], Cpu.solve(Structure::General, b, a)),
            case!("solve positive", [out b: f64 = [batch, n, 5], matrix a: f64 = [batch, n, n]], free [(0, 2)],
                Cpu.solve(Structure::PositiveDefinite, b, a)),
            case!("solve hermitian", [out b: f64 = [batch, n, 5], matrix a: f64 = [batch, n, n]], free [(0, 2)],
                Cpu.solve(Structure::Hermitian, b, a)),
            case!("solve lower", [out b: f64 = [batch, n, 5], matrix a: f64 = [batch, n, n]], free [(0, 2)],
                Cpu.solve(Structure::Lower { unit: false }, b, a)),
            case!("solve upper", [out b: f64 = [batch, n, 5], matrix a: f64 = [batch, n, n]], free [(0, 2)],
                Cpu.solve(Structure::Upper { unit: true }, b, a)),
        ]);
        #[cfg(feature = "fft")]
        cases.extend([
            case!("eig", [out w: c64 = [batch, n], out v: c64 = [batch, n, n], matrix a: f64 = [batch, n, n]], free NONE, Cpu.eig(w, Some(v), a)),
            case!("complex eigh", [out w: f64 = [batch, n], out v: c64 = [batch, n, n], matrix a: c64 = [batch, n, n]], free NONE,
                Cpu.eigh(w, Some(v), a)),
            case!("general eigenvalues", [out w: c64 = [batch, n], matrix a: f64 = [batch, n, n]], free NONE, Cpu.eig(w, None, a)),
        ]);
    }
    cases
}

#[cfg(feature = "fft")]
mod spectra {
    use super::*;
    use crate::host_memory::Near;
    use std::cell::Cell;

    thread_local! {
        static RECEIVED: Cell<Option<Transform>> = const { Cell::new(None) };
    }

    impl Fourier<f64> for Near {
        fn rfft(
            &self,
            transform: Transform,
            out: Output<'_, c64, Near>,
            a: Operand<'_, f64, Near>,
        ) -> Result<(), Error> {
            RECEIVED.set(Some(transform));
            Cpu.rfft(transform, out.on_host(), a.on_host())
        }
    }

    /// Returns the arguments of a transform. [`Transform`] has no constructor, so a device receives them, and then changes them.
    fn transform(axes: usize, len: usize, inverse: bool) -> Transform {
        let x = tensor![1.0, 2.0, 3.0, 4.0].to_device_in(&Near::default()).unwrap();
        assert_eq!(x.rfft(0).shape(), [3]);
        let mut transform = RECEIVED.take().expect("the device has been called");
        (transform.axes, transform.len, transform.inverse, transform.norm) =
            (axes, len, inverse, Norm::Backward);
        transform
    }

    /// The transforms, along axes of small lengths, of lengths of several passes and of prime lengths.
    #[rustfmt::skip]
    pub(super) fn transforms() -> Vec<Case> {
        let mut cases = Vec::new();
        for n in [8, 60, 61, 1024] {
            let half = n / 2 + 1;
            cases.extend([
                case!("fft", [out o: c64 = [3, n], read a: c64 = [3, n]], free [(0, 1), (1, 1)], {
                    let n = a.shape().last().copied().unwrap_or(1);
                    Cpu.fft(transform(1, n, false), o, a)
                }),
                case!("fft of two axes", [out o: c64 = [3, 5, n], read a: f64 = [3, 5, n]], free [(0, 1), (1, 1), (0, 2), (1, 2)], {
                    let n = a.shape().last().copied().unwrap_or(1);
                    Cpu.fft(transform(2, n, false), o, a)
                }),
            ]);
            // The closures of a case capture nothing, so that the lengths are in the shapes.
            cases.extend([
                rfft_case(n, half, 1), rfft_case(n, half, 2), irfft_case(n, half, 1), irfft_case(n, half, 2),
            ]);
        }
        cases
    }

    fn rfft_case(n: usize, half: usize, axes: usize) -> Case {
        let call = move |shapes: &[Vec<usize>], row_major: bool| {
            let (mut out, a) =
                (Guarded::<c64>::new(&shapes[0], row_major), Guarded::<f64>::new(&shapes[1], row_major));
            let by = transform(axes, n, false);
            let done = catch_unwind(AssertUnwindSafe(|| Cpu.rfft(by, out.output(), a.operand())));
            (matches!(done, Ok(Ok(()))), out.is_intact() && a.is_intact())
        };
        let mut free = vec![(1, 2)];
        free.extend((axes == 2).then_some([(0, 1), (1, 1)]).into_iter().flatten());
        Case { name: "rfft", shapes: vec![vec![3, 5, half], vec![3, 5, n]], free, call: Box::new(call) }
    }

    fn irfft_case(n: usize, half: usize, axes: usize) -> Case {
        let call = move |shapes: &[Vec<usize>], row_major: bool| {
            let (mut out, a) =
                (Guarded::<f64>::new(&shapes[0], row_major), Guarded::<c64>::new(&shapes[1], row_major));
            let by = transform(axes, n, true);
            let done = catch_unwind(AssertUnwindSafe(|| Cpu.irfft(by, out.output(), a.operand())));
            (matches!(done, Ok(Ok(()))), out.is_intact() && a.is_intact())
        };
        let mut free = vec![(1, 2)];
        free.extend((axes == 2).then_some([(0, 1), (1, 1)]).into_iter().flatten());
        Case { name: "irfft", shapes: vec![vec![3, 5, n], vec![3, 5, half]], free, call: Box::new(call) }
    }

    /// The length of a real transform, too, must fit the output: a device can pass another one.
    #[test]
    fn cpu_rejects_transforms_of_another_length() {
        for (n, len) in [(16, 5000), (16, 17), (16, 18), (16, 14), (16, 0), (3000, 4000)] {
            let (spectrum, x) = ([n / 2 + 1], [n]);
            for (name, found) in [
                ("rfft", rfft_case(len, 0, 1).call.as_ref()(&[spectrum.to_vec(), x.to_vec()], true)),
                ("irfft", irfft_case(len, 0, 1).call.as_ref()(&[x.to_vec(), spectrum.to_vec()], true)),
            ] {
                // 17 real numbers have as many frequencies as 16.
                let fits = name == "rfft" && len == 17;
                assert_eq!(found, (fits, true), "{name} of {n} elements, of length {len}");
            }
        }
        for axes in [0, 2, 5] {
            assert_eq!(rfft_case(16, 0, axes).call.as_ref()(&[vec![9], vec![16]], true), (false, true));
            assert_eq!(irfft_case(16, 0, axes).call.as_ref()(&[vec![16], vec![9]], true), (false, true));
        }
    }
}

/// Each operand is cut by one element along each axis, or has an axis less.
#[test]
fn cpu_rejects_operands_that_do_not_fit() {
    #[allow(unused_mut, reason = "features add cases")]
    let mut cases = families();
    #[cfg(feature = "linalg")]
    cases.extend(decompositions());
    #[cfg(feature = "fft")]
    cases.extend(spectra::transforms());
    for Case { name, shapes, free, call } in cases {
        for row_major in [true, false] {
            assert_eq!(call(&shapes, row_major), (true, true), "{name} of shapes {shapes:?}");
            for (operand, shape) in shapes.iter().enumerate() {
                for axis in 0..shape.len() {
                    let (mut cut, mut less) = (shapes.clone(), shapes.clone());
                    cut[operand][axis] -= 1;
                    less[operand].remove(axis);
                    let (succeeded, intact) = call(&cut, row_major);
                    assert!(intact, "{name} of shapes {cut:?} has written outside of its operands");
                    let fits = free.contains(&(operand, axis));
                    assert!(!succeeded || fits, "{name} of shapes {cut:?}, instead of {shapes:?}");
                    // Some of these shapes fit each other: a line can be taken from a vector as from a matrix.
                    let (_, intact) = call(&less, row_major);
                    assert!(intact, "{name} of shapes {less:?} has written outside of its operands");
                }
            }
        }
    }
}

/// An index that a device passes to `partition`.
#[test]
fn cpu_rejects_partitions_at_an_index_out_of_range() {
    for n in [0, 1, 5, 40, 3000] {
        for k in [n, n + 1, n + 63, usize::MAX] {
            let mut x = Guarded::<f64>::new(&[2, n], true);
            let done = catch_unwind(AssertUnwindSafe(|| Cpu.partition(x.output(), k)));
            assert!(n == 0 || !matches!(done, Ok(Ok(()))), "partition of {n} elements at {k}");
            assert!(x.is_intact());
        }
    }
}
