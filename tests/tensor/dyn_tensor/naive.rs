//! A naive tensor, for expected results: a shape and its elements in row-major order. It has no strides, memory orders or kernels.

use vierbein::dyn_tensor::{DynData, SliceItem};
use vierbein::{DynScalar, DynTensor, DynView, Element, MemoryOrder, NewAxis, Stepped};

/// A shape and its elements in row-major order.
#[derive(Debug, Clone)]
pub(crate) struct Naive<T> {
    pub(crate) shape: Vec<usize>,
    pub(crate) elements: Vec<T>,
}

/// Calls `f` with each index of a shape in row-major order.
// Counts up in one list. Without optimisation, this is several times faster than iterators over new lists.
fn for_each_index(shape: &[usize], f: &mut dyn FnMut(&[usize])) {
    let (mut index, mut left) = (vec![0; shape.len()], shape.iter().product::<usize>());
    while left > 0 {
        f(&index);
        left -= 1;
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

/// Returns all indices of a shape in row-major order.
pub(crate) fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for_each_index(shape, &mut |index| all.push(index.to_vec()));
    all
}

impl<T: Copy> Naive<T> {
    pub(crate) fn new(shape: &[usize], mut f: impl FnMut(&[usize]) -> T) -> Naive<T> {
        let mut elements = Vec::new();
        for_each_index(shape, &mut |index| elements.push(f(index)));
        Naive { shape: shape.to_vec(), elements }
    }

    pub(crate) fn at(&self, index: &[usize]) -> T {
        let mut flat = 0;
        for (i, n) in index.iter().zip(&self.shape) {
            flat = flat * n + i;
        }
        self.elements[flat]
    }

    /// Returns the elements in a memory order.
    pub(crate) fn listed(&self, order: MemoryOrder) -> Vec<T> {
        if order.is_row_major() {
            return self.elements.clone();
        }
        let turned: Vec<usize> = self.shape.iter().rev().copied().collect();
        let (mut elements, mut reversed) = (Vec::new(), turned.clone());
        for_each_index(&turned, &mut |index| {
            reversed.copy_from_slice(index);
            reversed.reverse();
            elements.push(self.at(&reversed));
        });
        elements
    }

    pub(crate) fn map<U: Copy>(&self, f: impl Fn(T) -> U) -> Naive<U> {
        let mut elements = Vec::new();
        for &x in &self.elements {
            elements.push(f(x));
        }
        Naive { shape: self.shape.clone(), elements }
    }

    /// Broadcasts to a shape. Aligns the last axes if row-major, the first axes if column-major.
    pub(crate) fn spread(&self, shape: &[usize], order: MemoryOrder) -> Naive<T> {
        let skipped = if order.is_row_major() { shape.len() - self.shape.len() } else { 0 };
        Naive::new(shape, |index| {
            let mut flat = 0;
            for (i, n) in index[skipped..].iter().zip(&self.shape) {
                flat = if *n == 1 { flat } else { flat * n + i };
            }
            self.elements[flat]
        })
    }
}

impl<T: Element> Naive<T> {
    /// Returns a contiguous tensor with these elements.
    pub(crate) fn tensor(&self, order: MemoryOrder) -> DynTensor {
        DynTensor::from_vec(&self.shape, self.listed(order), order).unwrap()
    }
}

/// A view operation that a test case applies to its base tensor.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Permute(Vec<usize>),
    Slice(Vec<SliceItem>),
    Broadcast(Vec<usize>),
}

/// A test case: a base tensor, the operations that create a view of it, and the expected elements of the view.
#[derive(Debug)]
pub(crate) struct Case<T> {
    pub(crate) base: DynTensor,
    pub(crate) steps: Vec<Step>,
    pub(crate) naive: Naive<T>,
}

impl<T: Element> Case<T> {
    pub(crate) fn view(&self) -> DynView<'_> {
        self.steps.iter().fold(self.base.view(), |view, step| match step {
            Step::Permute(axes) => view.permute(axes).unwrap(),
            Step::Slice(items) => view.slice(items.as_slice()).unwrap(),
            Step::Broadcast(shape) => view.broadcast_to(shape).unwrap(),
        })
    }
}

/// Returns views of the given shape with all kinds of layouts: contiguous, permuted, sliced, reversed, broadcast, and taken at one
/// index of an additional axis. Element `k` of each base tensor, in row-major order, is `value(k)`.
pub(crate) fn cases<T: Element>(
    shape: &[usize],
    order: MemoryOrder,
    value: impl Fn(usize) -> T,
) -> Vec<Case<T>> {
    let mut all = Vec::new();
    for (base, steps, naive) in patterns(shape, order) {
        all.push(Case { base: base.map(&value).tensor(order), steps, naive: naive.map(&value) });
    }
    all
}

/// Returns the test cases of [`cases`] with flat indices of the base tensor as elements. Not generic, so it is compiled once.
fn patterns(shape: &[usize], order: MemoryOrder) -> Vec<(Naive<usize>, Vec<Step>, Naive<usize>)> {
    let rank = shape.len();
    let count = |shape: &[usize]| {
        let mut k = 0;
        Naive::new(shape, |_| {
            k += 1;
            k - 1
        })
    };
    let mut all = Vec::new();
    let mut case = |base, steps, naive| all.push((base, steps, naive));
    case(count(shape), vec![], count(shape));

    // Permuted: axis k of the view is axis `axes[k]` of the base. The axes are rotated by one.
    let axes: Vec<usize> = (0..rank).map(|k| (k + 1) % rank).collect();
    let mut turned = vec![0; rank];
    axes.iter().enumerate().for_each(|(k, &axis)| turned[axis] = shape[k]);
    let base = count(&turned);
    let naive = Naive::new(shape, |index| {
        let mut own = vec![0; rank];
        axes.iter().enumerate().for_each(|(k, &axis)| own[axis] = index[k]);
        base.at(&own)
    });
    case(base, vec![Step::Permute(axes)], naive);

    // Sliced: every second index of each axis, from index 1 on. The base has an additional axis, of which one index is taken.
    let wide: Vec<usize> = shape.iter().map(|n| 2 * n + 1).chain([3]).collect();
    let base = count(&wide);
    let naive =
        Naive::new(shape, |index| base.at(&index.iter().map(|i| 2 * i + 1).chain([1]).collect::<Vec<_>>()));
    let mut items: Vec<SliceItem> =
        shape.iter().map(|&n| SliceItem::from(Stepped(1..2 * n + 1, 2))).collect();
    items.push(SliceItem::from(-2));
    case(base, vec![Step::Slice(items)], naive);

    // Reversed along each axis.
    let base = count(shape);
    let naive = Naive::new(shape, |index| {
        base.at(&index.iter().zip(shape).map(|(i, n)| n - 1 - i).collect::<Vec<_>>())
    });
    case(base, vec![Step::Slice(vec![SliceItem::from(Stepped(.., -1)); rank])], naive);

    // Two broadcast views: along the first axis of the base, and along a new axis.
    if rank > 0 {
        let mut short = shape.to_vec();
        short[0] = 1;
        let base = count(&short);
        let naive = base.spread(shape, order);
        case(base, vec![Step::Broadcast(shape.to_vec())], naive);
        let base = count(&shape[1..]);
        let naive = Naive::new(shape, |index| base.at(&index[1..]));
        let mut items = vec![SliceItem::from(NewAxis)];
        items.extend(vec![SliceItem::from(..); rank - 1]);
        case(base, vec![Step::Slice(items), Step::Broadcast(shape.to_vec())], naive);
    }
    all
}

/// Returns whether two values are equal, up to rounding errors of their type.
pub(crate) fn same(found: DynScalar, expected: DynScalar) -> bool {
    use DynScalar::{C32, C64, F32, F64};
    let near = |a: f64, b: f64, eps: f64| {
        a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= eps * (a.abs().max(b.abs()) + 1e-3)
    };
    match (found, expected) {
        (F32(a), F32(b)) => near(a.into(), b.into(), 3e-6),
        (F64(a), F64(b)) => near(a, b, 1e-13),
        (C32(a), C32(b)) => (a - b).norm() <= 1e-5 * (1.0 + b.norm()) || (a.re.is_nan() && b.re.is_nan()),
        (C64(a), C64(b)) => (a - b).norm() <= 1e-12 * (1.0 + b.norm()) || (a.re.is_nan() && b.re.is_nan()),
        (a, b) => a == b,
    }
}

/// Asserts the shape, memory order and elements of a tensor. An owned tensor must be contiguous.
#[track_caller]
pub(crate) fn check<S: DynData>(
    found: &DynTensor<S>,
    expected: &Naive<DynScalar>,
    order: MemoryOrder,
    what: impl std::fmt::Debug,
) {
    assert_eq!(found.shape(), expected.shape, "{what:?}");
    if found.rank() > 1 {
        assert_eq!(found.order(), order, "{what:?}");
    }
    let mut values = expected.elements.iter();
    for_each_index(&expected.shape, &mut |index| {
        let (element, &value) = (found.get(index).unwrap(), values.next().unwrap());
        assert_eq!(element.dtype(), value.dtype(), "{what:?}");
        assert!(same(element, value), "{what:?} at {index:?}: {element:?} is not {value:?}");
    });
}
