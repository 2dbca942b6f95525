//! Tests of the mirror law. Take a row-major operation. Reverse the shape of each operand, replace axis `k` of `N` axes by
//! `N − 1 − k`, and exchange the operands of a matrix product. Then the same operation in column-major order has the mirror image of the
//! result: the reversed shape, and the same elements in memory order.
//!
//! Each list of operations is written once, and runs for row-major tensors and for their column-major mirror images. [`Mirror`]
//! translates shapes and axes. The results must be mirror images of each other, with the same bits in memory order.

use super::check::{cases, fixed};
use super::views::{TestDim, shape};
use core::fmt::Debug;
use proptest::prelude::*;
use vierbein::{
    ColMajor, Complex, ConvolutionMode, Cpu, Dim, Element, Order, Pad, Quantile, Rank, RowMajor, Side,
    Storage, Tensor, concatenate, einsum, meshgrid, stack,
};

/// Translates axes and shapes of the row-major operation to those of the current memory order, and collects results.
struct Mirror {
    row_major: bool,
    results: Results,
}

impl Mirror {
    fn new<O: Order>() -> Self {
        Mirror { row_major: O::ROW_MAJOR, results: vec![] }
    }

    fn axis(&self, k: usize, rank: usize) -> usize {
        if self.row_major { k } else { rank - 1 - k }
    }

    /// Translates a list with an entry for each axis: reverses it in column-major order.
    fn list<V: Clone>(&self, list: &[V]) -> Vec<V> {
        if self.row_major { list.to_vec() } else { list.iter().rev().cloned().collect() }
    }

    fn shape<D: Dim>(&self, shape: &[usize]) -> D::Shape {
        fixed::<D>(&self.list(shape))
    }

    fn permutation<D: Dim>(&self, axes: &[usize]) -> D::Shape {
        let axes: Vec<usize> = axes.iter().map(|&k| self.axis(k, axes.len())).collect();
        fixed::<D>(&self.list(&axes))
    }

    /// Returns the operands of a matrix product, which are exchanged if the order is column-major.
    fn sides<'x, X>(&self, left: &'x X, right: &'x X) -> (&'x X, &'x X) {
        if self.row_major { (left, right) } else { (right, left) }
    }

    fn see<T, D, O, S>(&mut self, name: &'static str, x: &Tensor<T, D, O, Cpu, S>)
    where
        T: Element,
        D: Dim,
        O: Order,
        S: Storage<T, Cpu>,
    {
        assert_eq!(O::ROW_MAJOR, self.row_major);
        let (shape, strides) = (self.list(x.shape().as_ref()), self.list(x.strides().as_ref()));
        self.results.push((name, shape, strides, Elements::of(x.to_vec())));
    }

    fn note(&mut self, name: &'static str, value: impl Debug) {
        self.results.push((name, vec![], vec![], Elements::text(format!("{value:?}"))));
    }
}

/// The results of a list of operations in one memory order: name, shape, strides and elements of each.
type Results = Vec<(&'static str, Vec<usize>, Vec<isize>, Elements)>;

/// The elements of a result. Their bytes in a file are compared. The text of at most [`MAX_SHOWN_BYTES`] is compared only if the bytes
/// differ, because formatting takes longer than most operations.
struct Elements {
    bytes: Vec<u8>,
    /// The elements, to print them if the comparison fails.
    shown: Box<dyn Debug>,
}

impl Elements {
    fn of<T: Element>(elements: Vec<T>) -> Self {
        let mut bytes = vec![];
        let x = Tensor::<T, Rank<1>>::from_vec([elements.len()], elements);
        x.write_npy_to(&mut bytes).expect("a vector is writable");
        // As a vector, because the text of a long tensor leaves out elements.
        Elements { bytes, shown: Box::new(x.to_vec()) }
    }

    fn text(text: String) -> Self {
        Elements { bytes: text.clone().into_bytes(), shown: Box::new(text) }
    }
}

/// Maximum size of elements that are compared as text and printed.
const MAX_SHOWN_BYTES: usize = 80_000;

impl PartialEq for Elements {
    fn eq(&self, other: &Self) -> bool {
        // The text distinguishes the signs of zeros, but not the bits of NaN.
        let same_text = || {
            self.bytes.len().max(other.bytes.len()) <= MAX_SHOWN_BYTES
                && format!("{self:?}") == format!("{other:?}")
        };
        self.bytes == other.bytes || same_text()
    }
}

impl Debug for Elements {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.bytes.len() {
            0..=MAX_SHOWN_BYTES => self.shown.fmt(f),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}

fn assert_mirrored(row: &Results, col: &Results) {
    assert_eq!(row.len(), col.len());
    for (row, col) in row.iter().zip(col) {
        assert_eq!(row, col);
    }
}

/// Returns values whose sums are rounded, so that the bits of results depend on the summation order.
fn values(seed: u64, n: usize) -> Vec<f64> {
    (0..n).map(|k| super::number::sample::<f64>(seed, k, 100).re as f64 / 7.0).collect()
}

type X<O> = Tensor<f64, Rank<3>, O>;

/// Returns a tensor of this shape in row-major order, or its mirror image in column-major order.
fn image<D: Dim, O: Order>(m: &Mirror, shape: &[usize], seed: u64) -> Tensor<f64, D, O> {
    Tensor::from_vec(m.shape::<D>(shape), values(seed, shape.iter().product()))
}

/// Variant of [`image`] that returns indices along an axis of extent `n`. Some of them are negative, which count from the end.
fn indices<D: Dim, O: Order>(m: &Mirror, shape: &[usize], seed: u64, n: usize) -> Tensor<i64, D, O> {
    let n = n as i64;
    image::<D, O>(m, shape, seed).map(|value| ((7.0 * value).round() as i64).rem_euclid(2 * n) - n)
}

// ------------------------------------------------------------------ the lists

fn elementwise<O: Order>(shape: &[usize], seed: u64) -> Results {
    let m = &mut Mirror::new::<O>();
    let (x, y): (X<O>, X<O>) = (image(m, shape, seed), image(m, shape, !seed));
    let matrix: Tensor<f64, Rank<2>, O> = image(m, &shape[1..], seed);
    let vector: Tensor<f64, Rank<1>, O> = image(m, &shape[2..], seed);
    let units: X<O> = image(m, &[1, shape[1], 1], seed);
    m.see("add", &(&x + &y));
    m.see("broadcast a matrix", &(&x - &matrix));
    m.see("broadcast a vector", &(&vector / &x));
    m.see("broadcast units", &(&units * &x));
    m.see("scalar", &(2.5 - &x));
    m.see("remainder", &(&x % 3.0));
    m.see("negate", &-&x);
    m.see("exp", &x.exp());
    m.see("map", &x.map(|v| v * v));
    m.see("zip", &x.zip_map(&matrix, |a, b| a.max(b)));
    m.see("compare", &x.lt(&matrix));
    m.see("choose", &x.gt(0.0).select(&vector, &y));
    m.see("clamp", &x.clamp(-3.0, 3.0));
    m.see("cast", &x.cast::<i32>());
    m.see("complex", &x.cast::<Complex<f64>>());
    let mut z = x.clone();
    z += &matrix;
    m.see("add in place", &z);
    z.add_scaled(0.5, &vector);
    m.see("add scaled", &z);
    z.assign(&units.sum_axis(m.axis(2, 3)).insert_axis(if m.row_major { 2 } else { 0 }));
    m.see("assign", &z);
    z.fill(1.5);
    m.see("fill", &z);
    core::mem::take(&mut m.results)
}

fn reductions<O: Order>(shape: &[usize], seed: u64) -> Results {
    let m = &mut Mirror::new::<O>();
    let x: X<O> = image(m, shape, seed);
    m.see("sum", &x.sum());
    m.see("product", &x.prod());
    m.see("mean", &x.mean());
    m.see("variance", &x.var(0));
    m.see("norm", &x.norm());
    m.see("all", &x.lt(0.0).all());
    for k in 0..3 {
        let axis = m.axis(k, 3);
        m.see("sum over one", &x.sum_axis(axis));
        m.see("sum kept", &x.sum_keepdims(axis));
        m.see("mean over one", &x.mean_axis(axis));
        m.see("deviation over one", &x.std_axis(axis, 1));
        m.see("norm over one", &x.norm_axis(axis));
        m.see("any over one", &x.gt(9.0).any_axis(axis));
        m.see("running sum", &x.cumsum(axis));
        m.see("running product", &x.cumprod(axis));
        let others = [m.axis((k + 1) % 3, 3), m.axis((k + 2) % 3, 3)];
        m.see("sum over two", &x.sum_axes(others));
        m.see("product over two, kept", &x.prod_keepdims(others));
        if !x.is_empty() {
            m.see("maximum", &x.max());
            m.see("index of the maximum", &x.argmax());
            m.see("minimum over one", &x.min_axis(axis));
            m.see("position over one", &x.argmin_axis(axis));
            m.see("position over two", &x.argmax_axes(others));
            m.see("positions of equals", &x.signum().argmax_axes(others));
        }
        if shape[(k + 1) % 3] == shape[(k + 2) % 3] {
            m.see("trace", &x.trace(others[0], others[1]));
            // The diagonal is the last axis of the result in both memory orders. In the mirror image of the row-major result, it is the
            // first axis, so the column-major result is transposed before the comparison.
            let diagonal = x.diagonal(others[0], others[1]);
            m.see("diagonal", &if m.row_major { diagonal } else { diagonal.t() });
        }
    }
    core::mem::take(&mut m.results)
}

fn views<O: Order>(shape: &[usize], seed: u64) -> Results {
    let m = &mut Mirror::new::<O>();
    let x: X<O> = image(m, shape, seed);
    m.see("itself", &x);
    for axes in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let turned = x.permute(m.permutation::<Rank<3>>(&axes));
        m.see("permute", &turned);
        m.see("permute and copy", &turned.to_owned());
        m.note("is contiguous", turned.is_contiguous());
        m.note("indices", {
            let indices: Vec<Vec<usize>> = turned.indexed_iter().map(|(i, _)| m.list(i.as_ref())).collect();
            indices
        });
        m.see("flatten", &turned.flatten());
        let merged = [shape[axes[0]] * shape[axes[1]], shape[axes[2]]];
        m.see("reshape", &turned.reshape(m.shape::<Rank<2>>(&merged)));
        m.note("reshape without a copy", turned.try_as_shape(m.shape::<Rank<2>>(&merged)).is_ok());
        m.see("sum of a view", &turned.sum_axis(m.axis(1, 3)));
    }
    let ranges = shape.iter().map(|&n| (0, n as isize, if n % 2 == 0 { -2 } else { 2 })).collect::<Vec<_>>();
    m.see("slice", &Rank::<3>::slice(x.view(), &m.list(&ranges)));
    m.see("flip the order, twice", &x.flip_order().flip_order());
    m.see("other order", &x.as_order::<O::Transposed>().as_order::<O>());
    m.see("copy in the other order", &x.to_order::<O::Transposed>().to_order::<O>());
    for k in 0..3 {
        let axis = m.axis(k, 3);
        m.see("insert an axis", &x.insert_axis(if m.row_major { k } else { 3 - k }));
        for i in 0..shape[k] {
            m.see("index an axis", &x.index_axis(axis, i));
        }
        let positions = x.axis_iter(axis).map(|part| part.sum().item());
        m.note("positions", positions.collect::<Vec<f64>>());
        m.note("lanes", x.lanes(axis).map(|lane| lane.to_vec()).collect::<Vec<_>>());
        let (low, high) = x.split_at(axis, shape[k] / 2);
        m.see("low part", &low);
        m.see("high part", &high);
        let mut z = x.clone();
        z.lanes_mut(axis).enumerate().for_each(|(i, mut lane)| lane.fill(i as f64));
        m.see("written lanes", &z);
    }
    let larger = [&[2], shape].concat();
    m.see("broadcast", &x.broadcast_to(m.shape::<Rank<4>>(&larger)));
    let counted = Tensor::<i64, Rank<3>, O>::from_fn(m.shape::<Rank<3>>(shape), |index| {
        m.list(index.as_ref()).iter().fold(0, |flat, &i| 10 * flat + i as i64)
    });
    m.see("from a function", &counted);
    core::mem::take(&mut m.results)
}

fn products<O: Order>([m_, k, n]: [usize; 3], batch: usize, seed: u64) -> Results {
    let m = &mut Mirror::new::<O>();
    let left: Tensor<f64, Rank<2>, O> = image(m, &[m_, k], seed);
    let right: Tensor<f64, Rank<2>, O> = image(m, &[k, n], !seed);
    let (a, b) = m.sides(&left, &right);
    m.see("matrices", &a.matmul(b));
    let (turned_left, turned_right) = (left.t().to_owned(), right.t().to_owned());
    let (a, b) = m.sides(&turned_left, &turned_right);
    m.see("transposed matrices", &a.t().matmul(b.t()));
    let vector: Tensor<f64, Rank<1>, O> = image(m, &[k], seed);
    m.see("vectors", &vector.matmul(&vector));
    // In the mirror image of a product of a matrix and a vector, the operands are exchanged.
    if m.row_major {
        m.see("matrix and vector", &left.matmul(&vector));
        m.see("vector and matrix", &vector.matmul(&right));
    } else {
        m.see("matrix and vector", &vector.matmul(&left));
        m.see("vector and matrix", &right.matmul(&vector));
    }
    let lefts: X<O> = image(m, &[batch, m_, k], seed);
    let rights: X<O> = image(m, &[batch, k, n], !seed);
    let (a, b) = m.sides(&lefts, &rights);
    m.see("batches", &a.matmul(b));
    if m.row_major {
        m.see("a matrix with a batch", &left.matmul(&rights));
    } else {
        m.see("a matrix with a batch", &rights.matmul(&left));
    }
    m.see("contracted axes", &{
        let (a, b) = m.sides(&lefts, &rights);
        let (of_a, of_b) = if m.row_major { ([0, 2], [0, 1]) } else { ([1, 2], [0, 2]) };
        a.tensordot(b, of_a, of_b)
    });
    let turned = right.t().to_owned();
    let (a, b) = m.sides(&left, &turned);
    m.see("inner axes", &a.inner(b));
    let (a, b) = m.sides(&left, &right);
    m.see("outer product", &a.outer(b));
    m.see("dot", &left.dot(&left));
    // In the mirror image of a Kronecker product, the operands are not exchanged.
    m.see("kronecker", &left.kron(&right));
    m.see("kronecker of two ranks", &left.kron(&vector));
    m.see(
        "einsum",
        &match m.row_major {
            true => einsum!("bij,bjk->kb", &lefts, &rights),
            false => einsum!("jib,kjb->bk", &lefts, &rights),
        },
    );
    m.see(
        "ellipsis",
        &match m.row_major {
            true => einsum!("...ij,jk->...ik", &lefts, &right),
            false => einsum!("ji...,kj->ki...", &lefts, &right),
        },
    );
    core::mem::take(&mut m.results)
}

fn joining<O: Order>(shape: &[usize], seed: u64) -> Results {
    let m = &mut Mirror::new::<O>();
    let (x, y): (X<O>, X<O>) = (image(m, shape, seed), image(m, shape, !seed));
    for k in 0..3 {
        let (axis, n) = (m.axis(k, 3), shape[k]);
        let others = [m.axis((k + 1) % 3, 3), m.axis((k + 2) % 3, 3)];
        let mut longer = shape.to_vec();
        longer[k] += 2;
        let z: X<O> = image(m, &longer, seed);
        m.see("concatenate", &concatenate(axis, [&x, &z, &y]));
        m.see("concatenate views", &concatenate(axis, [x.flip(axis), z.flip(others)]));
        for part in x.split_at_each(axis, &[n / 3, n / 2]) {
            m.see("split at indices", &part);
        }
        for part in x.split(axis, 2 - n % 2) {
            m.see("split", &part);
        }
        for chunk in x.chunks(axis, 2) {
            m.see("chunk", &chunk);
        }
        if n > 1 {
            // As for the diagonal, the new axis is the last one in both memory orders.
            let windows = x.windows([axis], [2]);
            m.see("windows", &windows.permute(if m.row_major { [0, 1, 2, 3] } else { [3, 0, 1, 2] }));
        }
        m.see("repeat", &x.repeat(axis, 2));
        m.see("repeat by counts", &x.repeat(axis, &(0..n).map(|i| i % 3).collect::<Vec<_>>()[..]));
        m.see("roll", &x.roll(axis, 1));
        m.see("roll two", &x.roll_axes(others, [1, -2]));
        m.see("flip", &x.flip(axis));
        m.see("flip two", &x.flip(others));
        m.see("rotate", &x.rot90(1, others[0], others[1]));
        m.see("differences", &x.diff(axis, 1));
        m.see("second differences", &x.diff(axis, 2));
    }
    for k in 0..4 {
        m.see("stack", &stack(m.axis(k, 4), [&x, &y]));
    }
    m.see("tile", &x.tile(m.shape::<Rank<3>>(&[2, 1, 3])));
    let mut widths = [(1, 0), (0, 2), (2, 1)];
    if !m.row_major {
        widths.reverse();
    }
    for how in [Pad::Constant(0.5), Pad::Edge, Pad::Reflect, Pad::Symmetric, Pad::Wrap] {
        if matches!(how, Pad::Constant(_)) || !x.is_empty() {
            m.see("pad", &x.pad(widths, how));
        }
    }
    // In the mirror image, each matrix is transposed.
    for k in -1..=1 {
        m.see("lower triangle", &if m.row_major { x.tril(k) } else { x.triu(-k) });
        m.see("upper triangle", &if m.row_major { x.triu(k) } else { x.tril(-k) });
    }
    // The operands of functions of all pairs are exchanged.
    let lines: [Tensor<f64, Rank<1>, O>; 2] = [0, 1].map(|k| image(m, &[shape[k]], seed));
    let (a, b) = m.sides(&lines[0], &lines[1]);
    let [first, second] = meshgrid([a, b]);
    let (first, second) = m.sides(&first, &second);
    m.see("first coordinates", first);
    m.see("second coordinates", second);
    let remainder = |p: f64, q: f64| if O::ROW_MAJOR { p % q } else { q % p };
    m.see("function of pairs", &a.outer_map(b, remainder));
    core::mem::take(&mut m.results)
}

fn choosing<O: Order>(shape: &[usize], seed: u64) -> Results {
    let m = &mut Mirror::new::<O>();
    let x: X<O> = image(m, shape, seed);
    let mask = x.gt(0.0);
    m.see("masked", &x.masked(&mask));
    m.see("elements at indices", &x.at(mask.nonzero()));
    let nonzero = mask.nonzero();
    m.note("nonzero", nonzero.axis_iter(0).map(|index| m.list(&index.to_vec())).collect::<Vec<_>>());
    let mut z = x.clone();
    z.masked_assign(&mask, x.masked(&mask).cumsum(0));
    m.see("masked assign", &z);
    z.masked_fill(&mask, 7.5);
    m.see("masked fill", &z);
    for k in 0..3 {
        let (axis, n) = (m.axis(k, 3), shape[k]);
        let kept: Tensor<f64, Rank<1>, O> = image(m, &[n], !seed);
        m.see("compress", &x.compress(axis, kept.gt(0.0)));
        if n == 0 {
            continue;
        }
        let at: Tensor<i64, Rank<2>, O> = indices(m, &[2, 3], seed, n);
        m.see("take", &x.take(axis, &at));
        let replaced = [&shape[..k], &[2, 3], &shape[k + 1..]].concat();
        let values: Tensor<f64, Rank<4>, O> = image(m, &replaced, !seed);
        let mut z = x.clone();
        z.scatter_add(axis, &at, &values);
        m.see("scatter add", &z);
        // There are more indices than elements, so some elements are overwritten several times.
        let mut more = shape.to_vec();
        more[k] = n + 2;
        let at: Tensor<i64, Rank<3>, O> = indices(m, &more, seed, n);
        m.see("take along an axis", &x.take_along_axis(axis, &at));
        let values: X<O> = image(m, &more, !seed);
        z.put_along_axis(axis, &at, &values);
        m.see("put along an axis", &z);
    }
    core::mem::take(&mut m.results)
}

fn ordering<O: Order>(shape: &[usize], seed: u64) -> Results {
    let m = &mut Mirror::new::<O>();
    let (x, y): (X<O>, X<O>) = (image(m, shape, seed), image(m, shape, !seed));
    // Few different values, among them 0.0 and −0.0. In `gaps`, the negative ones are NaN.
    let equals = (&x / 5.0).round();
    let gaps = equals.sqrt();
    for k in 0..3 {
        let (axis, n) = (m.axis(k, 3), shape[k]);
        for x in [&x, &gaps] {
            m.see("sort", &x.sort(axis));
            m.see("sort descending", &x.sort_descending(axis));
            m.see("argsort", &x.argsort(axis));
            m.see("argsort descending", &x.argsort_descending(axis));
            let (largest, at) = x.top_k(axis, n / 2);
            m.see("largest", &largest);
            m.see("indices of the largest", &at);
            if n > 0 {
                // The order of the other elements is unspecified.
                m.see("partition", &x.partition(axis, n / 3).index_axis(axis, n / 3));
                m.see("median", &x.median_axis(axis));
                m.see("quantile", &x.quantile(axis, 0.3, Quantile::Linear));
                m.see("quantiles", &x.quantile(axis, [0.9, 0.2], Quantile::Hazen));
                m.see("median without NaN", &x.nan_median_axis(axis));
                m.see("quantiles without NaN", &x.nan_quantile(axis, [0.9, 0.2], Quantile::Linear));
            }
        }
        let slices = equals.signum().unique_slices_with(axis);
        m.see("distinct slices", &slices.values);
        m.note("their indices", (slices.first.to_vec(), slices.inverse.to_vec(), slices.counts.to_vec()));
    }
    if !x.is_empty() {
        m.see("median of all", &equals.median());
        m.see("median of all without NaN", &gaps.nan_median());
    }
    for x in [&equals, &gaps] {
        let distinct = x.unique_with();
        m.see("distinct elements", &distinct.values);
        m.see("their first indices", &distinct.first);
        m.see("the index of each", &distinct.inverse);
        m.see("their counts", &distinct.counts);
    }
    let sorted: Tensor<f64, Rank<1>, O> = image::<Rank<1>, O>(m, &[7], !seed).sort(0);
    m.see("search", &sorted.searchsorted(&x, Side::Right));
    m.see("bins", &x.digitize(&sorted, Side::Left));
    m.see("is in", &equals.isin(sorted.round()));
    let bins = || (4, -9.0..=9.0);
    m.see("histogram", &x.histogram(bins()).0);
    m.see("weighted histogram", &x.histogram_weighted(bins(), &y).0);
    let numbers = equals.abs().cast::<i32>();
    m.see("counts", &numbers.bincount(2));
    m.see("weighted counts", &numbers.bincount_weighted(2, &y));
    core::mem::take(&mut m.results)
}

/// Statistics, exponentials that are divided by their sums, and functions of points. Covariances are not among them: they are those of the
/// rows in both memory orders.
fn statistics<O: Order>(shape: &[usize], seed: u64) -> Results {
    let m = &mut Mirror::new::<O>();
    let x: X<O> = image(m, shape, seed);
    let gaps = x.ln();
    for k in 0..3 {
        let (axis, n) = (m.axis(k, 3), shape[k]);
        let others = [m.axis((k + 1) % 3, 3), m.axis((k + 2) % 3, 3)];
        m.see("running maximum", &gaps.cummax(axis));
        m.see("running minimum", &x.cummin(axis));
        m.see("sum without NaN", &gaps.nan_sum_axis(axis));
        m.see("sum over two without NaN", &gaps.nan_sum_axes(others));
        m.see("product without NaN", &gaps.nan_prod_axis(axis));
        m.see("mean without NaN", &gaps.nan_mean_axis(axis));
        m.see("variance without NaN", &gaps.nan_var_axis(axis, 0));
        m.see("deviation over two without NaN", &gaps.nan_std_axes(others, 1));
        m.note("index of the maximum without NaN", gaps.try_nan_argmax_axis(axis).ok().map(|at| at.to_vec()));
        m.note(
            "index of the minimum without NaN",
            gaps.try_nan_argmin_axes(others).ok().map(|at| at.to_vec()),
        );
        if !x.is_empty() {
            m.see("maximum without NaN", &gaps.nan_max_axis(axis));
            m.see("minimum without NaN", &gaps.nan_min_axis(axis));
            m.see("maximum less minimum", &x.ptp_axis(axis));
        }
        if n > 0 {
            let weights: Tensor<f64, Rank<1>, O> = image(m, &[n], !seed);
            m.see("weighted mean", &x.average(axis, &(weights.abs() + 1.0)));
        }
        m.see("trapezoidal rule", &x.trapezoid(axis, 0.3));
        m.see("softmax", &x.softmax(axis));
        m.see("softmax over two", &x.softmax(others));
        m.see("logarithm of softmax", &x.log_softmax(axis));
        m.see("logarithm of the sum", &x.logsumexp_axis(axis));
        m.see("logarithm of the sum over two", &x.logsumexp_axes(others));
        let (mut vectors, mut one) = (shape.to_vec(), [1; 3]);
        (vectors[k], one[k]) = (3, 3);
        let (a, b): (X<O>, X<O>) = (image(m, &vectors, seed), image(m, &one, !seed));
        m.see("cross product", &a.cross(axis, &b));
    }
    m.see("sum of all without NaN", &gaps.nan_sum());
    m.see("logarithm of the sum of all", &x.logsumexp());
    let line = |values: [f64; 4]| Tensor::<f64, Rank<1>, O>::from(values);
    m.see("interpolate", &x.interp(&line([-9.0, -2.0, 1.0, 8.0]), &line([0.1, 0.7, -0.3, 0.2])));
    m.see("polynomial", &line([0.1, 0.7, -0.3, 0.2]).polyval(&x));
    if !x.is_empty() {
        let kernel: X<O> = image(m, &[2, 1, 3], !seed);
        for mode in [ConvolutionMode::Full, ConvolutionMode::Same, ConvolutionMode::Valid] {
            m.see("convolve", &x.convolve(&kernel, mode));
            m.see("correlate", &x.correlate(&kernel, mode));
        }
    }
    // The new axis is the last one in both memory orders. The permuted view of an owned result is copied, so that it is contiguous.
    let labels = indices::<Rank<2>, O>(m, &shape[1..], seed, 2) + 2;
    let vectors =
        labels.one_hot::<f64>(4).permute(if m.row_major { [0, 1, 2] } else { [2, 0, 1] }).to_owned();
    m.see("one-hot vectors", &vectors);
    core::mem::take(&mut m.results)
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn of_elementwise_operations(shape in shape(3..=3, 60), seed in any::<u64>()) {
        assert_mirrored(&elementwise::<RowMajor>(&shape, seed), &elementwise::<ColMajor>(&shape, seed));
    }

    #[test]
    fn of_reductions(mut shape in shape(3..=3, 60), seed in any::<u64>(), equal in 0usize..6) {
        shape[equal % 3] = shape[(equal + 1 + equal / 3) % 3];
        assert_mirrored(&reductions::<RowMajor>(&shape, seed), &reductions::<ColMajor>(&shape, seed));
    }

    #[test]
    fn of_views(shape in shape(3..=3, 60), seed in any::<u64>()) {
        assert_mirrored(&views::<RowMajor>(&shape, seed), &views::<ColMajor>(&shape, seed));
    }

    #[test]
    fn of_products(lengths in [0usize..6, 0usize..6, 0usize..6], batch in 0usize..4, seed in any::<u64>()) {
        let (row, col) = (products::<RowMajor>, products::<ColMajor>);
        assert_mirrored(&row(lengths, batch, seed), &col(lengths, batch, seed));
    }

    #[test]
    fn of_joining(shape in shape(3..=3, 60), seed in any::<u64>()) {
        assert_mirrored(&joining::<RowMajor>(&shape, seed), &joining::<ColMajor>(&shape, seed));
    }

    #[test]
    fn of_choosing(shape in shape(3..=3, 60), seed in any::<u64>()) {
        assert_mirrored(&choosing::<RowMajor>(&shape, seed), &choosing::<ColMajor>(&shape, seed));
    }

    #[test]
    fn of_statistics(shape in shape(3..=3, 60), seed in any::<u64>()) {
        assert_mirrored(&statistics::<RowMajor>(&shape, seed), &statistics::<ColMajor>(&shape, seed));
    }
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn of_ordering(shape in shape(3..=3, 60), seed in any::<u64>()) {
        assert_mirrored(&ordering::<RowMajor>(&shape, seed), &ordering::<ColMajor>(&shape, seed));
    }
}

/// Tests the mirror law for tensors that are large enough to be reduced in many chunks.
#[test]
fn of_large_reductions() {
    let shape = [60, 30, 50];
    assert_mirrored(&reductions::<RowMajor>(&shape, 1), &reductions::<ColMajor>(&shape, 1));
    // The outer and the Kronecker product have more than 64 MiB. They are written with non-temporal stores on any processor.
    assert_mirrored(&products::<RowMajor>([50, 70, 35], 9, 1), &products::<ColMajor>([50, 70, 35], 9, 1));
}

/// Tests the mirror law for lines that are longer than those of the random shapes, and sorted by other kernels.
#[test]
fn of_long_lines() {
    let shape = [18, 30, 20];
    assert_mirrored(&ordering::<RowMajor>(&shape, 1), &ordering::<ColMajor>(&shape, 1));
    assert_mirrored(&statistics::<RowMajor>(&shape, 1), &statistics::<ColMajor>(&shape, 1));
    assert_mirrored(&joining::<RowMajor>(&shape, 1), &joining::<ColMajor>(&shape, 1));
    assert_mirrored(&choosing::<RowMajor>(&shape, 1), &choosing::<ColMajor>(&shape, 1));
}
