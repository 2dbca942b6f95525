//! Tensors of `AnyRank<64>` with 17 to 64 axes. The reference computes with flat indices. Extents are 1 and 2, with a few of 3.

use super::reference::{contiguous_strides, count, ravel, unravel};
use crate::random::Random;
use std::panic::AssertUnwindSafe;
use vierbein::dyn_tensor::SliceItem;
use vierbein::interop::dlpack::{DLManagedTensorVersioned, Dlpack};
use vierbein::prelude::*;
use vierbein::{AnyShape, Error, Side, concatenate, op, stack, try_einsum};

type Wide = AnyRank<64>;
type Shape = AnyShape<usize, 64>;

fn shape(extents: &[usize]) -> Shape {
    Shape::new(extents).unwrap()
}

/// The elements of a tensor, in row-major order.
#[derive(Debug, Clone, PartialEq)]
struct Reference<T = i64> {
    shape: Vec<usize>,
    elements: Vec<T>,
}

/// Calls `f` with each index of a shape, in row-major order.
fn for_indices(shape: &[usize], mut f: impl FnMut(&[usize])) {
    let mut index = vec![0; shape.len()];
    for _ in 0..count(shape) {
        f(&index);
        let mut axis = shape.len();
        while axis > 0 {
            axis -= 1;
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// Returns the distance of each element from the first, in row-major order of the indices, for a stride of each axis.
// Extends the list axis by axis. Without optimisation, a sum for each index takes many times as long.
fn offsets(shape: &[usize], strides: &[isize]) -> Vec<isize> {
    let mut offsets = vec![0; count(shape)];
    if offsets.is_empty() {
        return offsets;
    }
    let mut len = 1;
    for (&extent, &stride) in shape.iter().zip(strides).rev() {
        let (before, mut k) = (len, len);
        len *= extent;
        while k < len {
            offsets[k] = offsets[k - before] + stride;
            k += 1;
        }
    }
    offsets
}

impl<T: Copy> Reference<T> {
    fn new(shape: &[usize], f: impl Fn(&[usize]) -> T) -> Self {
        let mut elements = Vec::with_capacity(count(shape));
        for_indices(shape, |index| elements.push(f(index)));
        Reference { shape: shape.to_vec(), elements }
    }

    fn at(&self, index: &[usize]) -> T {
        self.elements[ravel(index, &self.shape, true)]
    }

    /// Returns the elements that have these distances from the first.
    fn at_offsets(&self, shape: &[usize], strides: &[isize]) -> Self {
        self.from(0, shape, strides)
    }

    /// Returns the elements that have these distances from the element at a flat index.
    fn from(&self, first: usize, shape: &[usize], strides: &[isize]) -> Self {
        let mut elements = Vec::with_capacity(count(shape));
        for offset in offsets(shape, strides) {
            elements.push(self.elements[(first as isize + offset) as usize]);
        }
        Reference { shape: shape.to_vec(), elements }
    }

    /// Returns the elements at an index of an axis, which is removed.
    fn at_index(&self, axis: usize, index: usize) -> Self {
        let (mut shape, mut strides) = (self.shape.clone(), contiguous_strides(&self.shape, true));
        let first = index * strides[axis] as usize;
        shape.remove(axis);
        strides.remove(axis);
        self.from(first, &shape, &strides)
    }

    /// Returns the elements with an axis reversed.
    fn flipped(&self, axis: usize) -> Self {
        let mut strides = contiguous_strides(&self.shape, true);
        let first = (self.shape[axis] - 1) * strides[axis] as usize;
        strides[axis] = -strides[axis];
        self.from(first, &self.shape, &strides)
    }

    /// Repeats the elements to a shape whose last axes match this shape in row-major order, and whose first axes match it in column-major
    /// order.
    fn repeated(&self, shape: &[usize], row_major: bool) -> Self {
        let first = if row_major { shape.len() - self.shape.len() } else { 0 };
        let mut strides = vec![0; shape.len()];
        for (k, (&extent, stride)) in self.shape.iter().zip(contiguous_strides(&self.shape, true)).enumerate()
        {
            strides[first + k] = if extent == 1 { 0 } else { stride };
        }
        self.at_offsets(shape, &strides)
    }

    /// Returns `f` of the elements with equal indices.
    fn with<U: Copy, V: Copy>(&self, other: &Reference<U>, f: impl Fn(T, U) -> V) -> Reference<V> {
        assert_eq!(self.shape, other.shape);
        let mut elements = Vec::with_capacity(self.elements.len());
        let mut k = 0;
        while k < self.elements.len() {
            elements.push(f(self.elements[k], other.elements[k]));
            k += 1;
        }
        Reference { shape: self.shape.clone(), elements }
    }

    fn map<U: Copy>(&self, f: impl Fn(T) -> U) -> Reference<U> {
        let mut elements = Vec::with_capacity(self.elements.len());
        for &x in &self.elements {
            elements.push(f(x));
        }
        Reference { shape: self.shape.clone(), elements }
    }

    /// Folds the elements along `axes`, which are removed.
    fn folded<A: Copy>(&self, axes: &[usize], start: A, f: impl Fn(A, T) -> A) -> Reference<A> {
        let mut kept = self.shape.clone();
        axes.iter().for_each(|&axis| kept[axis] = 1);
        let mut strides = contiguous_strides(&kept, true);
        axes.iter().for_each(|&axis| strides[axis] = 0);
        let mut elements = vec![start; count(&kept)];
        let to = offsets(&self.shape, &strides);
        let mut k = 0;
        while k < to.len() {
            let into = &mut elements[to[k] as usize];
            *into = f(*into, self.elements[k]);
            k += 1;
        }
        let all = (0..self.shape.len()).filter(|axis| !axes.contains(axis));
        Reference { shape: all.map(|axis| self.shape[axis]).collect(), elements }
    }

    fn with_shape(self, shape: &[usize]) -> Self {
        assert_eq!(count(shape), self.elements.len());
        Reference { shape: shape.to_vec(), ..self }
    }

    fn permuted(&self, axes: &[usize]) -> Self {
        let shape: Vec<usize> = axes.iter().map(|&axis| self.shape[axis]).collect();
        let strides = contiguous_strides(&self.shape, true);
        self.at_offsets(&shape, &axes.iter().map(|&axis| strides[axis]).collect::<Vec<_>>())
    }
}

impl Reference {
    /// Returns the elements with `value` at an index of an axis.
    fn with_fill(mut self, axis: usize, index: usize, value: i64) -> Self {
        let inside = count(&self.shape[axis + 1..]);
        for block in self.elements.chunks_exact_mut(inside).skip(index).step_by(self.shape[axis]) {
            block.fill(value);
        }
        self
    }

    /// Returns the cumulative sums along an axis.
    fn scanned(&self, axis: usize) -> Self {
        let mut sums = self.clone();
        let (stride, extent) = (count(&self.shape[axis + 1..]), self.shape[axis]);
        let mut k = 0;
        while k < sums.elements.len() {
            if k / stride % extent > 0 {
                sums.elements[k] += sums.elements[k - stride];
            }
            k += 1;
        }
        sums
    }
}

impl<T: Element> Reference<T> {
    /// Returns the elements as an owned tensor.
    fn tensor<O: Order>(&self) -> Tensor<T, Wide, O> {
        let turned: Vec<usize> = (0..self.shape.len()).rev().collect();
        let in_memory = if O::ROW_MAJOR { self.elements.clone() } else { self.permuted(&turned).elements };
        Tensor::from_vec(shape(&self.shape), in_memory)
    }

    /// Compares a tensor with this reference, element by element.
    #[track_caller]
    fn check<D: Dim, O: Order, S: vierbein::Storage<T, Cpu>>(&self, x: &Tensor<T, D, O, Cpu, S>)
    where
        T: PartialEq,
    {
        assert_eq!(x.shape().as_ref(), self.shape);
        let first = x.as_ptr();
        let mut found = Vec::with_capacity(self.elements.len());
        for offset in offsets(&self.shape, x.strides().as_ref()) {
            // SAFETY: the index is within the shape, so the element is one of the tensor, which is borrowed.
            found.push(unsafe { *first.wrapping_offset(offset) });
        }
        if found != self.elements {
            let k = (0..found.len()).find(|&k| found[k] != self.elements[k]).expect("an element differs");
            panic!(
                "{:?} instead of {:?} at {:?} of {:?}",
                found[k],
                self.elements[k],
                unravel(k, &self.shape, true),
                self.shape
            );
        }
    }
}

/// A layout of a view, and the tensor that it is a view of.
enum Laid<O: Order> {
    Owned(Tensor<i64, Wide, O>),
    /// A tensor whose axes are permuted.
    Permuted(Tensor<i64, Wide, O>, Vec<usize>),
    /// A tensor that is sliced by steps, which may be negative.
    Sliced(Tensor<i64, Wide, O>, Vec<SliceItem>),
    /// A view of a tensor in the other memory order.
    Other(Tensor<i64, Wide, O::Transposed>),
    /// A tensor that is broadcast.
    Repeated(Tensor<i64, Wide, O>, Vec<usize>),
}

impl<O: Order> Laid<O> {
    fn view(&self) -> TensorView<'_, i64, Wide, O> {
        match self {
            Laid::Owned(x) => x.view(),
            Laid::Permuted(x, axes) => x.permute(axes),
            Laid::Sliced(x, items) => x.slice(&items[..]),
            Laid::Other(x) => x.as_order(),
            Laid::Repeated(x, shape) => x.broadcast_to(self::shape(shape)),
        }
    }
}

fn permutation(rank: usize, random: &mut Random) -> Vec<usize> {
    let mut axes: Vec<usize> = (0..rank).collect();
    (1..rank).for_each(|k| axes.swap(k, random.below(k + 1)));
    axes
}

fn inverse(axes: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; axes.len()];
    axes.iter().enumerate().for_each(|(k, &axis)| inverse[axis] = k);
    inverse
}

/// Returns views with these elements in layouts of all kinds.
fn layouts<O: Order>(x: &Reference, random: &mut Random) -> Vec<Laid<O>> {
    let rank = x.shape.len();
    let turned: Vec<usize> = (0..rank).rev().collect();
    let axes = permutation(rank, random);
    let permuted = |axes: &[usize]| Laid::Permuted(x.permuted(axes).tensor(), inverse(axes));
    // Along some axes, every second element from the end; along others, every element from the end.
    let steps: Vec<isize> = (0..rank).map(|_| [1, 1, 1, -1, -1, 1][random.below(6)]).collect();
    let wider = (0..rank).filter(|_| random.below(8) == 0).take(3).collect::<Vec<_>>();
    let mut base = x.shape.clone();
    wider.iter().for_each(|&axis| base[axis] *= 2);
    let step = |axis: usize| if wider.contains(&axis) { 2 * steps[axis] } else { steps[axis] };
    let spread = || {
        Reference::new(&base, |index| {
            let mut from = index.to_vec();
            for axis in 0..rank {
                let last = base[axis] - 1;
                let counted = if steps[axis] < 0 { last - index[axis] } else { index[axis] };
                match wider.contains(&axis) {
                    true if counted % 2 == 1 => return -99,
                    true => from[axis] = counted / 2,
                    false => from[axis] = counted,
                }
            }
            x.at(&from)
        })
    };
    let items = || {
        (0..rank)
            .map(|axis| SliceItem::Span { start: 0, end: None, inclusive: false, step: step(axis) })
            .collect()
    };
    let sliced = || Laid::Sliced(spread().tensor(), items());
    // The large shapes are those whose axes do not fuse to 16 or fewer.
    if x.elements.len() > 1 << 14 {
        return vec![permuted(&turned), permuted(&axes)];
    }
    vec![Laid::Owned(x.tensor()), permuted(&turned), permuted(&axes), sliced(), Laid::Other(x.tensor())]
}

/// Returns shapes of 17 to 64 axes.
fn shapes(random: &mut Random) -> Vec<Vec<usize>> {
    let mut shapes = vec![vec![2; 17], vec![1; 64], [&[2; 8][..], &[1; 8], &[3, 2]].concat()];
    for rank in [18, 25, 64] {
        let (mut extents, mut total) = (vec![1; rank], 1);
        for _ in 0..20 {
            let (axis, extent) = (random.below(rank), [2, 2, 2, 2, 3][random.below(5)]);
            if extents[axis] == 1 && total * extent <= 1 << 10 {
                extents[axis] = extent;
                total *= extent;
            }
        }
        shapes.push(extents);
    }
    shapes
}

fn numbers(shape: &[usize], random: &mut Random) -> Reference {
    let elements = (0..count(shape)).map(|_| random.below(19) as i64 - 9).collect();
    Reference { shape: shape.to_vec(), elements }
}

/// Runs a test for each shape and each layout of its elements.
fn for_layouts<O: Order>(seed: u64, test: impl Fn(&Reference, TensorView<'_, i64, Wide, O>, &mut Random)) {
    let mut random = Random(seed);
    for shape in shapes(&mut random) {
        let x = numbers(&shape, &mut random);
        for laid in layouts::<O>(&x, &mut random) {
            x.check(&laid.view());
            test(&x, laid.view(), &mut random);
        }
        if x.elements.len() > 1 << 14 {
            continue;
        }
        let mut once = shape.clone();
        once.iter_mut().step_by(3).for_each(|extent| *extent = 1);
        let y = numbers(&once, &mut random);
        let repeated = y.repeated(&shape, O::ROW_MAJOR);
        test(&repeated, Laid::<O>::Repeated(y.tensor(), shape.clone()).view(), &mut random);
    }
}

macro_rules! in_both_orders {
    ($($test:ident;)*) => {$(
        mod $test {
            #[test]
            fn row_major() {
                super::$test::<vierbein::RowMajor>();
            }
            #[test]
            fn col_major() {
                super::$test::<vierbein::ColMajor>();
            }
        }
    )*};
}
in_both_orders! {
    copies; writes; constructors; views; iterators; elementwise; broadcasting; in_place; gaps; reductions; scans; large;
    files; shared_memory; contractions; matrix_products; printing; others;
    unsupported;
}

fn copies<O: Order>() {
    for_layouts::<O>(1, |expected, x, _| {
        expected.check(&x.to_owned());
        expected.check(&x.to_order::<RowMajor>());
        expected.check(&x.to_order::<ColMajor>());
        expected.check(&x.to_device::<Cpu>().unwrap());
        let owned = expected.tensor::<O>();
        assert_eq!(x.to_vec(), owned.as_slice());
        assert_eq!(x, owned);
        let mut copy = Tensor::<i64, Wide, O>::zeros(x.shape());
        copy.copy_from(&x).unwrap();
        expected.check(&copy);
        let small: Result<Tensor<i64, AnyRank, O>, _> = owned.try_into_rank();
        assert!(small.is_err());
    });
}

fn writes<O: Order>() {
    for_layouts::<O>(2, |expected, x, random| {
        let rank = x.rank();
        for axes in [permutation(rank, random), (0..rank).rev().collect()] {
            let mut out = Tensor::<i64, Wide, O>::zeros(shape(&expected.permuted(&axes).shape));
            out.permute_mut(&inverse(&axes)).assign(x);
            expected.permuted(&axes).check(&out);
            let mut other = Tensor::<i64, Wide, O>::zeros(out.shape());
            other.permute_mut(&inverse(&axes)).copy_from(x).unwrap();
            assert_eq!(other, out);
            // A part of the elements is overwritten.
            let axis = random.below(rank);
            let was = expected.permuted(&axes);
            out.permute_mut(&inverse(&axes)).index_axis_mut(axis, 0).fill(70);
            was.with_fill(inverse(&axes)[axis], 0, 70).check(&out);
        }
    });
}

fn constructors<O: Order>() {
    let mut random = Random(3);
    for extents in shapes(&mut random) {
        let at = shape(&extents);
        let filled = |x: i64| Reference { shape: extents.clone(), elements: vec![x; count(&extents)] };
        filled(0).check(&Tensor::<i64, Wide, O>::zeros(at));
        filled(1).check(&Tensor::<i64, Wide, O>::ones(at));
        filled(7).check(&Tensor::<i64, Wide, O>::full(at, 7));
        let x = Tensor::<i64, Wide, O>::from_fn(at, |index| ravel(&index, &extents, true) as i64);
        Reference { shape: extents.clone(), elements: (0..x.len() as i64).collect() }.check(&x);
        let line = x.clone().flatten();
        assert_eq!(line.as_slice(), x.as_slice());
        assert_eq!(line.reshape(at), x);
        let half: Tensor<i64, AnyRank, O> = x.clone().reshape(&[1, x.len()][..]);
        assert_eq!(half.reshape(at), x);
    }
    let error = Tensor::<i64, Wide, O>::try_zeros(shape(&[2; 64])).unwrap_err();
    assert!(matches!(error, Error::Overflow { .. }), "{error}");
    assert!(Shape::new(&[1; 65]).is_err());
    assert!(Tensor::<i64, Wide, O>::zeros(shape(&[[1; 40], [0; 40]].concat()[30..60])).to_vec().is_empty());
}

fn views<O: Order>() {
    for_layouts::<O>(4, |expected, x, random| {
        let rank = x.rank();
        let axes = permutation(rank, random);
        expected.permuted(&axes).check(&x.permute(&axes));
        let (a, b) = (random.below(rank), random.below(rank));
        let mut swapped: Vec<usize> = (0..rank).collect();
        swapped.swap(a, b);
        expected.permuted(&swapped).check(&x.swap_axes(a, b));
        expected.permuted(&(0..rank).rev().collect::<Vec<_>>()).check(&x.reverse_axes());
        let axis = random.below(rank);
        let last = expected.shape[axis] - 1;
        let mut with_one = expected.shape.clone();
        if rank < 64 {
            with_one.insert(axis, 1);
            let inserted = x.insert_axis(axis);
            expected.clone().with_shape(&with_one).check(&inserted);
            expected.check(&inserted.remove_axis(axis));
        } else {
            let error = x.try_insert_axis(axis).unwrap_err();
            assert!(matches!(error, Error::UnsupportedRank { .. }), "{error}");
        }
        let at_last = expected.at_index(axis, last);
        at_last.check(&x.index_axis(axis, last));
        at_last.check(&x.index_axis(axis, last).to_owned());
        expected.flipped(axis).check(&x.flip(axis));
        // Merges adjacent axes of contiguous tensors.
        let owned = x.to_owned();
        let merged = owned.as_shape([-1]);
        assert_eq!(merged.as_slice(), owned.as_slice());
        let same: TensorView<'_, i64, Wide, O> = merged.as_shape(x.shape());
        expected.check(&same);
    });
}

fn iterators<O: Order>() {
    for_layouts::<O>(5, |expected, x, random| {
        assert!(x.iter().eq(expected.tensor::<O>().as_slice()));
        assert!(x.indexed_iter().all(|(index, &element)| expected.at(&index) == element));
        let axis = random.below(x.rank());
        let parts: Vec<i64> = x.axis_iter(axis).map(|part| part.sum().item()).collect();
        assert_eq!(parts.len(), expected.shape[axis]);
        assert_eq!(parts.iter().sum::<i64>(), expected.elements.iter().sum::<i64>());
        let index = unravel(random.below(x.len()), &expected.shape, true);
        assert_eq!(x.get(&index[..]), Some(&expected.at(&index)));
        assert_eq!(x[shape(&index)], expected.at(&index));
        let mut copy = x.to_owned();
        copy.iter_mut().for_each(|element| *element *= 2);
        expected.map(|a| 2 * a).check(&copy);
        assert_ne!(copy.sum_axis(0).shape(), copy.shape());
    });
}

fn elementwise<O: Order>() {
    for_layouts::<O>(6, |expected, x, random| {
        expected.map(|a| -a).check(&-x);
        expected.map(|a| a * 3 + 1).check(&(x * 3 + 1));
        expected.map(|a| a as f64).check(&x.cast::<f64>());
        expected.map(|a| a > 0).check(&x.gt(0));
        expected.map(|a| a.clamp(-2, 5)).check(&x.clamp(-2, 5));
        expected.map(|a| a + 1).check(&x.map(|a| a + 1));
        let other = numbers(&expected.shape, random);
        let both = |f: fn(i64, i64) -> i64| expected.with(&other, f);
        for laid in layouts::<O>(&other, random).into_iter().rev().take(if x.len() > 1 << 14 { 1 } else { 3 })
        {
            let y = laid.view();
            both(|a, b| a - b).check(&(x - y));
            both(i64::max).check(&x.maximum(y));
            both(|a, b| i64::from(a == b)).check(&x.equal(y).cast::<i64>());
            both(|a, b| if a > 0 { a } else { b }).check(&x.gt(0).select(x, y));
            both(|a, b| a * b).check(&(x.to_owned() * y));
        }
    });
}

fn broadcasting<O: Order>() {
    for_layouts::<O>(7, |expected, x, random| {
        let rank = x.rank();
        let all = [0, 2, 5, 16, rank - 1, rank];
        for &fewer in if x.len() > 1 << 14 { &all[4..5] } else { &all } {
            let shape = if O::ROW_MAJOR { &expected.shape[rank - fewer..] } else { &expected.shape[..fewer] };
            let mut shape = shape.to_vec();
            shape.iter_mut().step_by(2).for_each(|extent| *extent = 1);
            let y = numbers(&shape, random);
            let repeated = y.repeated(&expected.shape, O::ROW_MAJOR);
            let both = |f: fn(i64, i64) -> i64| expected.with(&repeated, f);
            let small = y.tensor::<O>();
            both(|a, b| a + b).check(&(x + &small));
            both(|a, b| b - a).check(&(&small - x));
            let mut sum = x.to_owned();
            sum += &small;
            both(|a, b| a + b).check(&sum);
            sum.assign(&small);
            both(|_, b| b).check(&sum);
            if fewer == 2 {
                let matrix: Tensor<i64, Rank<2>, O> = small.into_rank();
                both(|a, b| a * b).check(&(x * matrix));
            }
        }
        // Each operand repeats along other axes.
        let (mut even, mut odd) = (expected.shape.clone(), expected.shape.clone());
        even.iter_mut().step_by(2).for_each(|extent| *extent = 1);
        odd.iter_mut().skip(1).step_by(2).for_each(|extent| *extent = 1);
        let (a, b) = (numbers(&even, random), numbers(&odd, random));
        let repeated = |x: &Reference| x.repeated(&expected.shape, O::ROW_MAJOR);
        let expected = repeated(&a).with(&repeated(&b), |a, b| a + b);
        expected.check(&(a.tensor::<O>() + b.tensor::<O>()));
    });
}

fn in_place<O: Order>() {
    for_layouts::<O>(8, |expected, x, random| {
        let rank = x.rank();
        let axes = permutation(rank, random);
        let start = numbers(&expected.permuted(&axes).shape, random);
        let back = inverse(&axes);
        let moved = expected.permuted(&axes);
        let both = |f: fn(i64, i64) -> i64| start.with(&moved, f);
        let mut out = start.tensor::<O>();
        let mut view = out.permute_mut(&back);
        view += x;
        both(|a, b| a + b).check(&out);
        let mut out = start.tensor::<O>();
        out.permute_mut(&back).apply2_inplace(op::Sub, x);
        both(|a, b| a - b).check(&out);
        let mut out = start.tensor::<O>();
        out.permute_mut(&back).apply_inplace(op::Square);
        both(|a, _| a * a).check(&out);
        let mut out = start.tensor::<O>();
        x.apply_into(op::Square, &mut out.permute_mut(&back));
        both(|_, b| b * b).check(&out);
        x.apply2_into(op::Add, 5, &mut out.permute_mut(&back));
        both(|_, b| b + 5).check(&out);
        // An error leaves the operand unchanged.
        let mut bytes = start.map(|a| a as i8).tensor::<O>();
        let large = expected.map(|a| if a == 9 { 127i8 } else { 1 });
        let error = bytes.permute_mut(&back).try_apply2_inplace(op::Mul, &large.tensor::<O>());
        let product = both(|a, b| if b == 9 { a * 127 } else { a });
        match error {
            Ok(()) => product.map(|a| a as i8).check(&bytes),
            Err(error) => {
                assert!(matches!(error, Error::Arithmetic { .. }), "{error}");
                assert!(product.elements.iter().any(|&a| i8::try_from(a).is_err()));
                start.map(|a| a as i8).check(&bytes);
            }
        }
    });
}

/// Outputs that are not contiguous: one index of an axis is left out.
fn gaps<O: Order>() {
    for_layouts::<O>(18, |expected, x, random| {
        let but_last = |rank: usize, axis: usize| -> Vec<SliceItem> {
            let end = |k: usize| (k == axis).then_some(-1);
            (0..rank).map(|k| SliceItem::Span { start: 0, end: end(k), inclusive: false, step: 1 }).collect()
        };
        let (rank, axis) = (x.rank(), random.below(x.rank()));
        let mut base = expected.shape.clone();
        base[axis] += 1;
        let (start, items) = (numbers(&base, random), but_last(rank, axis));
        // The places of the outputs in the base tensor.
        let places = offsets(&expected.shape, &contiguous_strides(&base, true));
        let part = start.at_offsets(&expected.shape, &contiguous_strides(&base, true));
        let check = |write: &dyn Fn(TensorViewMut<'_, i64, Wide, O>), new: &Reference| {
            let mut out = start.tensor::<O>();
            write(out.slice_mut(&items[..]));
            let mut expected = start.clone();
            let mut k = 0;
            while k < places.len() {
                expected.elements[places[k] as usize] = new.elements[k];
                k += 1;
            }
            expected.check(&out);
        };
        check(&|mut out| out += x, &part.with(expected, |a, b| a + b));
        check(&|mut out| out.apply_inplace(op::Square), &part.map(|a| a * a));
        check(&|mut out| x.apply_into(op::Square, &mut out), &expected.map(|b| b * b));
        check(&|mut out| out.assign(x), expected);
        check(&|mut out| out.copy_from(x).unwrap(), expected);
        check(&|mut out| out.fill(3), &expected.map(|_| 3));
        check(&|mut out| x.cumsum_into(axis, &mut out), &expected.scanned(axis));
        let sums = expected.folded(&[axis], 0, |a, b| a + b);
        let gap = random.below(rank - 1);
        let mut base = sums.shape.clone();
        base[gap] += 1;
        let mut out = Tensor::<i64, Wide, O>::full(shape(&base), 70);
        x.reduce_into(op::Sum, [axis], &mut out.slice_mut(&but_last(rank - 1, gap)[..]));
        let last = base[gap] - 1;
        Reference::new(&base, |index| if index[gap] == last { 70 } else { sums.at(index) }).check(&out);
    });
}

fn reductions<O: Order>() {
    for_layouts::<O>(9, |expected, x, random| {
        let rank = x.rank();
        let all: Vec<usize> = (0..rank).collect();
        let elements = &expected.elements;
        let (total, largest) = (elements.iter().sum::<i64>(), *elements.iter().max().unwrap());
        assert_eq!(x.sum().item(), total);
        assert_eq!(x.max().item(), largest);
        assert_eq!(x.mean().item(), total as f64 / elements.len() as f64);
        // The first maximum in memory order.
        let owned = expected.tensor::<O>();
        let first = owned.as_slice().iter().position(|&a| a == largest).unwrap();
        assert_eq!(x.argmax().item(), first as i64);
        assert_eq!(x.gt(0).count().item(), elements.iter().filter(|&&a| a > 0).count() as i64);
        let kept = [0, 1, 2, 8, rank - 3];
        for &kept in if x.len() > 1 << 14 { &kept[1..2] } else { &kept } {
            let axes = permutation(rank, random);
            let reduced = &axes[kept..];
            // The number of axes is a constant.
            for axes in [&reduced[..3.min(reduced.len())], &reduced[..1]] {
                let sum = expected.folded(axes, 0, |a, b| a + b);
                let mut ones = expected.shape.clone();
                axes.iter().for_each(|&axis| ones[axis] = 1);
                if let &[a, b, c] = axes {
                    sum.check(&x.sum_axes([a, b, c]));
                    sum.clone().with_shape(&ones).check(&x.sum_keepdims([a, b, c]));
                    let mut out = Tensor::<i64, Wide, O>::zeros(shape(&sum.shape));
                    x.reduce_into(op::Sum, [a, b, c], &mut out);
                    sum.check(&out);
                    let turned: Vec<usize> = (0..out.rank()).rev().collect();
                    let mut out = Tensor::<i64, Wide, O>::zeros(shape(&sum.permuted(&turned).shape));
                    x.reduce_into(op::Sum, [a, b, c], &mut out.reverse_axes_mut());
                    sum.permuted(&turned).check(&out);
                } else {
                    sum.check(&x.sum_axis(axes[0]));
                    let n = expected.shape[axes[0]] as f64;
                    sum.map(|a| a as f64 / n).check(&x.mean_axis(axes[0]));
                    sum.clone().with_shape(&ones).check(&x.sum_keepdims(axes[0]));
                    let max = expected.folded(axes, i64::MIN, i64::max);
                    max.check(&x.max_axis(axes[0]));
                    let start = (i64::MIN, 0, 0);
                    let at = expected.folded(axes, start, |(most, at, k), a| {
                        if a > most { (a, k, k + 1) } else { (most, at, k + 1) }
                    });
                    at.map(|(_, at, _)| at).check(&x.argmax_axis(axes[0]));
                }
            }
            // Many axes, by an array of 14.
            if reduced.len() >= 14 {
                let axes: [usize; 14] = reduced[..14].try_into().unwrap();
                expected.folded(&axes, 0, |a, b| a + b).check(&x.sum_axes(axes));
                expected.folded(&axes, i64::MAX, i64::min).check(&x.min_axes(axes));
            }
        }
        assert_eq!(expected.folded(&all, 0, |a, b| a + b).elements, [total]);
    });
    // Reductions of zero elements.
    let mut extents = vec![2; 20];
    extents[3] = 0;
    let empty = Tensor::<i64, Wide, O>::zeros(shape(&extents));
    extents.remove(3);
    Reference::new(&extents, |_| 0).check(&empty.sum_axis(3));
    assert!(matches!(empty.try_max_axis(3), Err(Error::Empty { .. })));
    assert!(empty.max_axis(2).is_empty());
}

fn scans<O: Order>() {
    for_layouts::<O>(10, |expected, x, random| {
        let axis = random.below(x.rank());
        let scanned = expected.scanned(axis);
        scanned.check(&x.cumsum(axis));
        let mut out = Tensor::<i64, Wide, O>::zeros(shape(
            &expected.permuted(&(0..x.rank()).rev().collect::<Vec<_>>()).shape,
        ));
        x.cumsum_into(axis, &mut out.reverse_axes_mut());
        scanned.check(&out.reverse_axes());
    });
}

/// 2^18 and 2^20 elements in layouts that do not fuse.
fn large<O: Order>() {
    let mut random = Random(11);
    let extents = vec![2; 18];
    let (a, b) = (numbers(&extents, &mut random), numbers(&extents, &mut random));
    let (p, q) = (permutation(18, &mut random), (0..18).rev().collect::<Vec<_>>());
    let (x, y) = (a.tensor::<O>(), b.tensor::<O>());
    let (x, y) = (x.permute(&p), y.permute(&q));
    let (a, b) = (a.permuted(&p), b.permuted(&q));
    let sum = Reference { shape: extents.clone(), elements: Vec::new() };
    let elements = a.elements.iter().zip(&b.elements).map(|(a, b)| a + b).collect();
    Reference { elements, ..sum }.check(&(x + y));
    a.check(&x.to_owned());
    a.folded(&[1, 9, 14], 0, |a, b| a + b).check(&x.sum_axes([1, 9, 14]));
    let twenty = permutation(20, &mut random);
    let z =
        Tensor::<u8, Wide, O>::from_fn(shape(&[2; 20]), |index| (ravel(&index, &[2; 20], true) % 251) as u8);
    let copy = z.permute(&twenty).to_owned();
    for _ in 0..10_000 {
        let index = unravel(random.below(1 << 20), &[2; 20], true);
        let from: Vec<usize> = inverse(&twenty).iter().map(|&k| index[k]).collect();
        assert_eq!(copy[shape(&index)], (ravel(&from, &[2; 20], true) % 251) as u8);
    }
}

fn files<O: Order>() {
    for_layouts::<O>(12, |expected, x, _| {
        let mut bytes = Vec::new();
        x.write_npy_to(&mut bytes).unwrap();
        let back = Tensor::<i64, Wide, O>::read_npy_from(&bytes[..]).unwrap();
        expected.check(&back);
        assert!(Tensor::<i64, AnyRank, O>::read_npy_from(&bytes[..]).is_err());
        assert!(Tensor::<i64, AnyRank<16>, O>::read_npy_from(&bytes[..]).is_err());
        assert!(vierbein::DynTensor::read_npy_from(&bytes[..]).is_err());
    });
    // The header is Python's, and the elements are in memory order.
    let mut bytes = Vec::new();
    let x = Tensor::<u8, Wide, O>::from_vec(shape(&[1; 20]), vec![7]);
    x.write_npy_to(&mut bytes).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains(&format!("'shape': ({}1)", "1, ".repeat(19))), "{text}");
    assert_eq!(bytes.last(), Some(&7));
}

fn shared_memory<O: Order>() {
    for_layouts::<O>(13, |expected, x, _| {
        let owned = x.to_owned();
        let at = owned.as_ptr();
        let shared: Dlpack<DLManagedTensorVersioned> = owned.into();
        assert_eq!(shared.shape(), expected.shape);
        // SAFETY: the structure was made by this crate just now, and is used by nothing else.
        let shared: Dlpack = unsafe { Dlpack::from_raw(shared.into_raw()) }.unwrap();
        expected.check(&shared.view::<i64, Wide, O, Cpu>().unwrap());
        assert!(shared.view::<i64, AnyRank, O, Cpu>().is_err());
        let error = shared.to_dyn_tensor(O::MEMORY_ORDER).unwrap_err().to_string();
        assert!(error.contains("a `DynTensor` has 0 to 16 axes"), "{error}");
        let back: Tensor<i64, Wide, O> = shared.into_tensor().unwrap();
        assert_eq!(back.as_ptr(), at);
        expected.check(&back);
    });
}

/// Contracts two references over pairs of axes.
fn contracted(a: &Reference, b: &Reference, on_a: &[usize], on_b: &[usize]) -> Reference {
    let kept = |of: &Reference, summed: &[usize]| -> Vec<usize> {
        (0..of.shape.len()).filter(|axis| !summed.contains(axis)).collect()
    };
    let (kept_a, kept_b) = (kept(a, on_a), kept(b, on_b));
    // As matrices: the kept axes are the rows of `a` and the columns of `b`.
    let left = a.permuted(&[&kept_a[..], on_a].concat());
    let right = b.permuted(&[on_b, &kept_b[..]].concat());
    let shape = [&left.shape[..kept_a.len()], &right.shape[on_b.len()..]].concat();
    let (m, k, n) = (
        count(&left.shape[..kept_a.len()]),
        count(&right.shape[..on_b.len()]),
        count(&right.shape[on_b.len()..]),
    );
    let mut elements = vec![0; m * n];
    for i in 0..m {
        for l in 0..k {
            let x = left.elements[i * k + l];
            let (row, to) = (&right.elements[l * n..][..n], &mut elements[i * n..][..n]);
            let mut j = 0;
            while j < n {
                to[j] += x * row[j];
                j += 1;
            }
        }
    }
    Reference { shape, elements }
}

fn contractions<O: Order>() {
    let mut random = Random(14);
    // The shapes of the operands, and pairs of axes that are summed.
    let few: &[(Vec<usize>, Vec<usize>, [usize; 3], [usize; 3])] = &[
        (vec![2; 9], vec![2; 12], [0, 4, 8], [3, 7, 1]),
        (vec![2; 13], [&[2; 7][..], &[1; 14]].concat(), [9, 3, 11], [3, 0, 6]),
        (
            [&[1; 20][..], &[3, 2, 2]].concat(),
            [&[2, 2, 3][..], &[1; 5], &[2, 2]].concat(),
            [22, 21, 20],
            [0, 1, 2],
        ),
        ([&[1; 20][..], &[2; 4]].concat(), [&[1; 20][..], &[2; 4]].concat(), [21, 20, 22], [23, 21, 20]),
        ([&[2; 3][..], &[1; 30]].concat(), vec![2; 3], [0, 1, 2], [2, 0, 1]),
    ];
    for (left, right, on_a, on_b) in few {
        let (a, b) = (numbers(left, &mut random), numbers(right, &mut random));
        let expected = contracted(&a, &b, on_a, on_b);
        for x in layouts::<O>(&a, &mut random) {
            for y in layouts::<O>(&b, &mut random).iter().take(4) {
                expected.check(&x.view().tensordot(y.view(), *on_a, *on_b));
            }
        }
        let number = |x: i64| Complex::new(x as f64, 0.0);
        let (z, y) = (a.map(number).tensor::<O>(), b.map(|x| x as f64).tensor::<O>());
        expected.map(number).check(&z.tensordot(&y, *on_a, *on_b));
        expected.map(number).check(&z.tensordot(b.map(number).tensor::<O>().conj_view(), *on_a, *on_b));
    }
    // Neither the kept axes nor the summed axes fuse.
    let a = numbers(&[2; 18], &mut random);
    let b = numbers(&[2; 12], &mut random);
    let (p, q) = (permutation(18, &mut random), permutation(12, &mut random));
    let (on_a, on_b) = ([17, 2, 9, 14, 0, 6, 11, 4, 13, 8], [1, 11, 3, 7, 0, 10, 5, 8, 2, 6]);
    let expected = contracted(&a.permuted(&p), &b.permuted(&q), &on_a, &on_b);
    expected.check(&a.tensor::<O>().permute(&p).tensordot(b.tensor::<O>().permute(&q), on_a, on_b));
    // i a · conj(i b) = a b, and i a · b = i a b.
    let imaginary = |x: i64| Complex::new(0.0, x as f64);
    let (z, w) = (a.map(imaginary).tensor::<O>(), b.map(imaginary).tensor::<O>());
    let (z, w) = (z.permute(&p), w.permute(&q));
    expected.map(|x| Complex::new(x as f64, 0.0)).check(&z.tensordot(w.conj_view(), on_a, on_b));
    let real = b.map(|x| x as f64).tensor::<O>();
    expected.map(imaginary).check(&z.tensordot(real.permute(&q), on_a, on_b));
    // Outer products have many axes.
    let (a, b) = (
        numbers(&[2, 1, 2, 1, 2, 1, 2, 1, 2], &mut random),
        numbers(&[1, 3, 2, 1, 1, 2, 1, 1, 2, 1], &mut random),
    );
    let (x, y) = (a.tensor::<O>(), b.tensor::<O>());
    contracted(&a, &b, &[], &[]).check(&x.outer(&y));
    let last = if O::ROW_MAJOR { (8, 9) } else { (0, 0) };
    let (x, y) = if O::ROW_MAJOR { (x, y) } else { (x.reverse_axes().to_owned(), y) };
    let a = if O::ROW_MAJOR { a } else { a.permuted(&[8, 7, 6, 5, 4, 3, 2, 1, 0]) };
    let y = y
        .slice(&vec![SliceItem::Span { start: 0, end: Some(1), inclusive: false, step: 1 }; 10][..])
        .broadcast_to(shape(&match O::ROW_MAJOR {
            true => [1, 3, 2, 1, 1, 2, 1, 1, 2, 2],
            false => [2, 3, 2, 1, 1, 2, 1, 1, 2, 1],
        }))
        .to_owned();
    let b = Reference { shape: y.shape().to_vec(), elements: vec![y.as_slice()[0]; y.len()] };
    contracted(&a, &b, &[last.0], &[last.1]).check(&x.inner(&y));
    // Sums over all elements.
    for_layouts::<O>(15, |expected, x, random| {
        let other = numbers(&expected.shape, random);
        let sum: i64 = expected.elements.iter().zip(&other.elements).map(|(a, b)| a * b).sum();
        for y in layouts::<O>(&other, random) {
            assert_eq!(x.dot(y.view()).item(), sum);
            assert_eq!(x.vdot(y.view()).item(), sum);
        }
        let z = expected.map(|a| Complex::new(0.0, a as f64)).tensor::<O>();
        let real = other.map(|a| a as f64).tensor::<O>();
        assert_eq!(z.vdot(&real).item(), Complex::new(0.0, -sum as f64));
        let error = x.try_dot(x.sum_axis(0)).unwrap_err();
        assert!(matches!(error, Error::Contraction { .. }), "{error}");
    });
    // An overflow is an error with the shapes.
    let x = Tensor::<i8, Wide, O>::full(shape(&[1; 17]), 100);
    let error = x.try_tensordot(&x, [0, 1, 2], [0, 1, 2]).unwrap_err().to_string();
    assert!(error.contains("tensordot") && error.contains(&format!("{:?}", [1; 17])), "{error}");
}

fn matrix_products<O: Order>() {
    // The axes of a matrix are the last in row-major order, and the first in column-major order.
    fn joined<O: Order, X: Copy>(batch: &[X], matrix: &[X]) -> Vec<X> {
        if O::ROW_MAJOR { [batch, matrix].concat() } else { [matrix, batch].concat() }
    }
    let mut random = Random(16);
    for (batch, fewer) in
        [(vec![2; 17], 17), ([&[2; 5][..], &[1; 20], &[2; 2]].concat(), 4), (vec![1; 60], 0)]
    {
        let large = batch.len() == fewer;
        let (m, k, n) = if large { (1, 2, 2) } else { (3, 2, 2) };
        let part = if O::ROW_MAJOR { &batch[batch.len() - fewer..] } else { &batch[..fewer] };
        let mut part = part.to_vec();
        part.iter_mut().step_by(2).for_each(|extent| *extent = 1);
        let a = numbers(&joined::<O, _>(&batch, &[m, k]), &mut random);
        let b = numbers(&joined::<O, _>(&part, &[k, n]), &mut random);
        let v = numbers(&[k], &mut random);
        // The strides of an operand along all axes of the batch, of which it may have fewer, and along those of the matrix.
        let strides_of = |x: &Reference| {
            let (strides, rank) = (contiguous_strides(&x.shape, true), x.shape.len() - 2);
            let (own, rows, first) = match O::ROW_MAJOR {
                true => (0..rank, rank, batch.len() - rank),
                false => (2..rank + 2, 0, 0),
            };
            let mut of_batch = vec![0; batch.len()];
            for (k, axis) in own.enumerate() {
                of_batch[first + k] = if x.shape[axis] == 1 { 0 } else { strides[axis] };
            }
            (of_batch, strides[rows], strides[rows + 1])
        };
        let ((a_batch, a_row, a_inner), (b_batch, b_inner, b_column)) = (strides_of(&a), strides_of(&b));
        let all = joined::<O, _>(&batch, &[m, n, k]);
        let left = a.at_offsets(&all, &joined::<O, _>(&a_batch, &[a_row, 0, a_inner]));
        let right = b.at_offsets(&all, &joined::<O, _>(&b_batch, &[0, b_column, b_inner]));
        let inner = |others: usize| if O::ROW_MAJOR { batch.len() + others } else { others };
        let product = left.with(&right, |a, b| a * b).folded(&[inner(2)], 0, |sum, x| sum + x);
        let right = v.at_offsets(&a.shape, &joined::<O, _>(&vec![0; batch.len()], &[0, 1]));
        let by_vector = a.with(&right, |a, v| a * v).folded(&[inner(1)], 0, |sum, x| sum + x);
        let vector: Tensor<i64, Rank<1>, O> = v.tensor::<O>().into_rank();
        for x in layouts::<O>(&a, &mut random).into_iter().rev().take(if large { 1 } else { 5 }) {
            by_vector.check(&x.view().matmul(&vector));
            for y in layouts::<O>(&b, &mut random).iter().rev().take(2) {
                product.check(&x.view().matmul(y.view()));
                let mut out = Tensor::<i64, Wide, O>::zeros(shape(&product.shape));
                x.view().matmul_into(y.view(), &mut out);
                product.check(&out);
            }
            // A vector on the left is a row.
            if m == 1 {
                continue;
            }
            let t = x.view();
            let (rows, columns) = if O::ROW_MAJOR { (t.rank() - 2, t.rank() - 1) } else { (0, 1) };
            by_vector.check(&vector.matmul(t.swap_axes(rows, columns)));
        }
        let number = |x: i64| Complex::new(x as f64, 0.0);
        let z = a.map(number).tensor::<O>();
        product.map(number).check(&z.matmul(b.map(|x| x as f64).tensor::<O>()));
        product.map(number).check(&z.matmul(b.map(number).tensor::<O>().conj_view()));
        let error = z.try_matmul(&z).unwrap_err();
        assert!(matches!(error, Error::Matmul { .. }), "{error}");
    }
}

fn printing<O: Order>() {
    let x = Tensor::<i64, Wide, O>::full(shape(&[1; 20]), 7);
    assert_eq!(format!("{x:-}"), format!("{}7{}", "[".repeat(20), "]".repeat(20)));
    let x =
        Tensor::<i64, Wide, O>::from_fn(shape(&[&[1; 30][..], &[2]].concat()), |index| index[30] as i64 + 3);
    assert!(format!("{x}").contains('3') && format!("{x:?}").contains('4'));
    // Elements in the middle of a long axis are not printed.
    let mut extents = vec![1; 40];
    extents[20] = 5000;
    let x = Tensor::<i64, Wide, O>::from_fn(shape(&extents), |index| index[20] as i64 + 10_000);
    let text = x.flip(20).to_string();
    let numbers: Vec<&str> =
        text.split(|c: char| !c.is_ascii_digit()).filter(|word| word.len() == 5).collect();
    assert_eq!(numbers, ["14999", "14998", "14997", "10002", "10001", "10000"]);
}

/// Operations that are computed by those above.
fn others<O: Order>() {
    for_layouts::<O>(17, |expected, x, random| {
        if x.len() > 1 << 14 {
            return;
        }
        let (rank, axis) = (x.rank(), random.below(x.rank()));
        let n = expected.shape[axis];
        // Concatenation and stacking.
        let other = expected.map(|a| a + 100);
        let mut joined = expected.shape.clone();
        joined[axis] = 2 * n;
        let both = Reference::new(&joined, |index| {
            let mut from = index.to_vec();
            from[axis] %= n;
            if index[axis] < n { expected.at(&from) } else { other.at(&from) }
        });
        both.check(&concatenate(axis, [x, other.tensor().view()]));
        if rank < 64 {
            let mut stacked = expected.shape.clone();
            stacked.insert(axis, 2);
            let both = Reference::new(&stacked, |index| {
                let mut from = index.to_vec();
                if from.remove(axis) == 0 { expected.at(&from) } else { other.at(&from) }
            });
            both.check(&stack(axis, [x, other.tensor().view()]));
            assert!(x.windows([axis], [1]).rank() == rank + 1);
        }
        // Differences, cumulative maxima, exchanges.
        let mut shorter = expected.shape.clone();
        shorter[axis] -= 1;
        let difference = Reference::new(&shorter, |index| {
            let mut next = index.to_vec();
            next[axis] += 1;
            expected.at(&next) - expected.at(index)
        });
        difference.check(&x.diff(axis, 1));
        let mut copy = x.to_owned();
        copy.swap_indices(axis, 0, -1);
        let exchanged = Reference::new(&expected.shape, |index| {
            let mut from = index.to_vec();
            from[axis] = if from[axis] == 0 {
                n - 1
            } else if from[axis] == n - 1 {
                0
            } else {
                from[axis]
            };
            expected.at(&from)
        });
        exchanged.check(&copy);
        // Whole tensors in memory order.
        let mut sorted = expected.elements.clone();
        sorted.sort();
        let median = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) as f64 / 2.0;
        assert_eq!(x.median().item(), median);
        sorted.dedup();
        assert_eq!(x.unique().as_slice(), sorted);
        assert_eq!(x.map(|a| a + 9).bincount(0).sum().item(), x.len() as i64);
        let soft = x.cast::<f64>().softmax([0, 1, axis.max(2)]);
        assert!(
            (soft.sum().item() * (x.shape()[0] * x.shape()[1] * x.shape()[axis.max(2)]) as f64
                - x.len() as f64)
                .abs()
                < 1e-9
        );
    });
}

fn unsupported<O: Order>() {
    let shape = shape(&[&[1; 14][..], &[2, 2, 2, 2]].concat());
    let mut x = Tensor::<f64, Wide, O>::ones(shape);
    let at = Tensor::<i64, Wide, O>::zeros(shape);
    let mask = x.gt(0.0);
    let line = Tensor::<f64, Rank<1>, O>::from_vec([2], vec![0.0, 1.0]);
    let place = Tensor::<i64, Rank<1>, O>::from_vec([1], vec![0]);
    let small = Tensor::<f64, Wide, O>::ones(Shape::from([1; 10]));
    let many = Tensor::<i64, Wide, O>::zeros(Shape::from([1; 10]));
    let mut out = x.clone();
    fn check<T>(name: &str, result: Result<T, Error>) {
        match result.map(|_| ()) {
            Err(error @ Error::UnsupportedRank { .. }) => {
                let text = error.to_string();
                assert!(text.contains("18") || text.contains("19"), "{name}: {text}");
                assert!(text.contains("supports ranks") || text.contains("have ranks"), "{name}: {text}");
                assert!(text.contains("merge"), "{name}: {text}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    macro_rules! check {
        ($($call:expr;)*) => {$( check(stringify!($call), $call); )*};
    }
    check! {
        x.try_take(0, &place);
        small.try_take(0, &many);
        x.try_take_along_axis(0, &at);
        out.try_put_along_axis(0, &at, &x);
        out.try_scatter_add(0, &place, &x);
        x.try_compress(0, line.slice((..1,)).gt(-1.0));
        x.try_masked(&mask);
        out.try_masked_assign(&mask, Tensor::<f64, Rank<1>, O>::ones([16]));
        mask.try_nonzero();
        x.try_at(Tensor::<i64, Rank<2>, O>::zeros([1, 18]));
        x.try_sort(0);
        x.try_sort_into(0, &mut out);
        out.try_sort_descending_inplace(0);
        x.try_argsort(17);
        x.try_partition(14, 0);
        x.try_top_k(14, 1);
        x.try_bottom_k(14, 1);
        x.try_median_axis(14);
        x.try_quantile(14, 0.5, vierbein::Quantile::Linear);
        x.try_nan_median_axis(14);
        x.try_quantile_weighted(14, 0.5, &line);
        line.try_searchsorted(&x, Side::Left);
        x.try_isin(&line);
        line.try_isin(&x);
        x.try_digitize(&line, Side::Left);
        x.try_unique_slices(14);
        x.try_roll(14, 1);
        x.try_tile(shape);
        x.try_repeat(14, 2);
        x.try_pad(1, vierbein::Pad::Edge);
        x.try_tril(0);
        x.try_triu(0);
        x.try_kron(&x);
        x.try_convolve(&x, vierbein::ConvolutionMode::Same);
        x.try_correlate(&x, vierbein::ConvolutionMode::Same);
        try_einsum!("...ij,jk->...ik", &x, &Tensor::<f64, Rank<2>, O>::ones([2, 2]));
        try_einsum!("...ijklmn->...ij", &x);
    }
    #[cfg(feature = "fft")]
    check! {
        x.try_fft(14);
        x.try_rfft(14);
        x.try_fft_convolve(&x, vierbein::ConvolutionMode::Same);
    }
    #[cfg(feature = "linalg")]
    {
        let (m, n) = if O::ROW_MAJOR { (16, 17) } else { (0, 1) };
        let _ = (m, n);
        let y = if O::ROW_MAJOR { x.to_owned() } else { x.reverse_axes().to_owned() };
        check! {
            y.try_solve(&y);
            y.try_lstsq(&y);
        }
        assert_eq!(y.try_svd().unwrap().s.len(), 8);
        assert_eq!(y.try_qr().unwrap().0.shape(), y.shape());
        assert_eq!(y.try_expm().unwrap().shape(), y.shape());
    }
    // These work.
    x.try_masked_fill(&mask, 3.0).unwrap();
    assert_eq!(x.sum().item(), 48.0);
    assert_eq!(x.interp(&line, &line).sum().item(), 16.0);
    let panic = std::panic::catch_unwind(AssertUnwindSafe(|| vierbein::DynTensor::from(x))).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("make a dynamic tensor: the tensor of shape"));
    let x = Tensor::<f64, Wide, O>::ones(shape);
    let panic = std::panic::catch_unwind(AssertUnwindSafe(|| x.into_any_rank())).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("has rank 18, not that of `AnyRank`"));
}
