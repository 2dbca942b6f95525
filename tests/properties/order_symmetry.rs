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
use vierbein::{ColMajor, Complex, Cpu, Dim, Element, Order, Rank, RowMajor, Storage, Tensor, einsum};

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
        self.results.push((name, vec![], vec![], Elements::Text(format!("{value:?}"))));
    }
}

/// The results of a list of operations in one memory order: name, shape, strides and elements of each.
type Results = Vec<(&'static str, Vec<usize>, Vec<isize>, Elements)>;

/// The elements of a result, as text. More than 10 000 elements are stored as bytes, which are faster to compare.
#[derive(PartialEq)]
enum Elements {
    Text(String),
    Bytes(Vec<u8>),
}

impl Elements {
    fn of<T: Element>(elements: Vec<T>) -> Self {
        if elements.len() <= 10_000 {
            return Elements::Text(format!("{elements:?}"));
        }
        let mut bytes = vec![];
        Tensor::<T, Rank<1>>::from(elements).write_npy_to(&mut bytes).expect("memory takes any bytes");
        Elements::Bytes(bytes)
    }
}

impl Debug for Elements {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Elements::Text(text) => f.write_str(text),
            Elements::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
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
}

/// Tests the mirror law for tensors that are large enough to be reduced in many chunks.
#[test]
fn of_large_reductions() {
    let shape = [60, 30, 50];
    assert_mirrored(&reductions::<RowMajor>(&shape, 1), &reductions::<ColMajor>(&shape, 1));
    assert_mirrored(&products::<RowMajor>([70, 90, 40], 3, 1), &products::<ColMajor>([70, 90, 40], 3, 1));
}
