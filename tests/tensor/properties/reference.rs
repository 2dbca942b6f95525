//! The naive reference: a definition of every operation by plain loops over indices. It uses no code of the library.
//!
//! An [`Array`] has its values in row-major order. If an operation depends on the memory order, the parameter `row_major` selects
//! one of two separate definitions. The reference never computes a column-major result by reversing axes, because that would assume
//! the mirror law that `order_symmetry.rs` tests: reversing every shape exchanges row-major and column-major order.

use super::number::Z;

/// A shape and its values in row-major order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Array<V> {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<V>,
}

pub(crate) fn count(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// Converts a flat index in a memory order to an index, by repeated division.
pub(crate) fn unravel(mut flat: usize, shape: &[usize], row_major: bool) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    if row_major {
        for axis in (0..shape.len()).rev() {
            index[axis] = flat % shape[axis];
            flat /= shape[axis];
        }
    } else {
        for axis in 0..shape.len() {
            index[axis] = flat % shape[axis];
            flat /= shape[axis];
        }
    }
    index
}

/// Calls `f` with each index of a shape, in the order of their elements in memory.
fn for_each_index(shape: &[usize], row_major: bool, f: &mut dyn FnMut(&[usize])) {
    // Counts up instead of dividing flat indices, and by `while` loops: without optimisation, this is several times faster.
    let (mut index, mut left) = (vec![0; shape.len()], count(shape));
    while left > 0 {
        f(&index);
        left -= 1;
        let mut k = 0;
        while k < shape.len() {
            let axis = if row_major { shape.len() - 1 - k } else { k };
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
            k += 1;
        }
    }
}

/// Returns `first` plus the distance of each element from the first, for a stride of each axis, in the order of the indices in memory.
// Extends the list axis by axis. Without optimisation, a sum for each index takes many times as long.
fn offsets(first: usize, shape: &[usize], strides: &[usize], row_major: bool) -> Vec<usize> {
    assert_eq!(shape.len(), strides.len());
    let mut offsets = vec![first; count(shape)];
    if offsets.is_empty() {
        return offsets;
    }
    let mut len = 1;
    for k in 0..shape.len() {
        let axis = if row_major { shape.len() - 1 - k } else { k };
        let (before, mut at) = (len, len);
        len *= shape[axis];
        while at < len {
            offsets[at] = offsets[at - before] + strides[axis];
            at += 1;
        }
    }
    offsets
}

/// Returns the strides of an [`Array`] of this shape.
fn strides_of(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// Converts an index to a flat index in a memory order.
pub(crate) fn ravel(index: &[usize], shape: &[usize], row_major: bool) -> usize {
    let mut flat = 0;
    if row_major {
        for axis in 0..shape.len() {
            flat = flat * shape[axis] + index[axis];
        }
    } else {
        for axis in (0..shape.len()).rev() {
            flat = flat * shape[axis] + index[axis];
        }
    }
    flat
}

/// Returns all indices of a shape, in the order of their elements in memory.
pub(crate) fn indices(shape: &[usize], row_major: bool) -> Vec<Vec<usize>> {
    let mut all = Vec::with_capacity(count(shape));
    for_each_index(shape, row_major, &mut |index| all.push(index.to_vec()));
    all
}

/// Returns the strides of a contiguous tensor. An extent of 0 counts as 1.
pub(crate) fn contiguous_strides(shape: &[usize], row_major: bool) -> Vec<isize> {
    (0..shape.len())
        .map(|axis| {
            let faster = if row_major { &shape[axis + 1..] } else { &shape[..axis] };
            faster.iter().map(|&n| n.max(1) as isize).product()
        })
        .collect()
}

/// Returns the broadcast shape of two shapes, or `None` if they do not broadcast. Row-major aligns trailing axes, column-major
/// leading axes.
pub(crate) fn common_shape(a: &[usize], b: &[usize], row_major: bool) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let extent = |shape: &[usize], axis: usize| {
        if row_major {
            if axis + shape.len() >= rank { shape[axis + shape.len() - rank] } else { 1 }
        } else if axis < shape.len() {
            shape[axis]
        } else {
            1
        }
    };
    (0..rank)
        .map(|axis| match (extent(a, axis), extent(b, axis)) {
            (x, y) if x == y => Some(x),
            (1, y) => Some(y),
            (x, 1) => Some(x),
            _ => None,
        })
        .collect()
}

impl<V: Clone> Array<V> {
    pub(crate) fn from_fn(shape: &[usize], mut f: impl FnMut(&[usize]) -> V) -> Self {
        Array::gather(shape, &mut f)
    }

    /// Variant of `from_fn` that takes the function as a trait object, so that its loop is compiled once per element type.
    #[inline(never)]
    pub(crate) fn gather(shape: &[usize], f: &mut dyn FnMut(&[usize]) -> V) -> Self {
        let mut values = Vec::with_capacity(count(shape));
        for_each_index(shape, true, &mut |index| values.push(f(index)));
        Array { shape: shape.to_vec(), values }
    }

    pub(crate) fn at(&self, index: &[usize]) -> &V {
        assert_eq!(index.len(), self.shape.len());
        &self.values[ravel(index, &self.shape, true)]
    }

    pub(crate) fn set(&mut self, index: &[usize], value: V) {
        let at = ravel(index, &self.shape, true);
        self.values[at] = value;
    }

    pub(crate) fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Returns the values in a memory order.
    pub(crate) fn enumerate(&self, row_major: bool) -> Vec<V> {
        if row_major {
            return self.values.clone();
        }
        self.at_offsets(offsets(0, &self.shape, &strides_of(&self.shape), false))
    }

    fn at_offsets(&self, offsets: Vec<usize>) -> Vec<V> {
        let mut values = Vec::with_capacity(offsets.len());
        for offset in offsets {
            values.push(self.values[offset].clone());
        }
        values
    }

    /// Returns the elements of a shape with these strides, which are those of the values.
    fn strided(&self, first: usize, shape: Vec<usize>, strides: &[usize]) -> Self {
        let values = self.at_offsets(offsets(first, &shape, strides, true));
        Array { shape, values }
    }

    pub(crate) fn map<W: Clone>(&self, mut f: impl FnMut(&V) -> W) -> Array<W> {
        let mut values = Vec::with_capacity(self.values.len());
        for value in &self.values {
            values.push(f(value));
        }
        Array { shape: self.shape.clone(), values }
    }

    /// Broadcasts to a larger shape. Returns `None` if that is impossible.
    pub(crate) fn broadcast_to(&self, shape: &[usize], row_major: bool) -> Option<Self> {
        if shape.len() < self.rank() {
            return None;
        }
        let first = if row_major { shape.len() - self.rank() } else { 0 };
        for axis in 0..self.rank() {
            if self.shape[axis] != 1 && self.shape[axis] != shape[first + axis] {
                return None;
            }
        }
        let (mut strides, own) = (vec![0; shape.len()], strides_of(&self.shape));
        for axis in 0..self.rank() {
            strides[first + axis] = if self.shape[axis] == 1 { 0 } else { own[axis] };
        }
        Some(self.strided(0, shape.to_vec(), &strides))
    }

    /// Applies a function to each pair of elements of two arrays. Returns `None` if the arrays do not broadcast.
    pub(crate) fn zip<W: Clone, X: Clone>(
        &self,
        other: &Array<W>,
        row_major: bool,
        mut f: impl FnMut(&V, &W) -> X,
    ) -> Option<Array<X>> {
        let (a, b) = self.matched(other, row_major)?;
        let mut values = Vec::with_capacity(a.values.len());
        for (x, y) in a.values.iter().zip(&b.values) {
            values.push(f(x, y));
        }
        Some(Array { shape: a.shape, values })
    }

    #[inline(never)]
    fn matched<W: Clone>(&self, other: &Array<W>, row_major: bool) -> Option<(Self, Array<W>)> {
        let shape = common_shape(&self.shape, &other.shape, row_major)?;
        Some((self.broadcast_to(&shape, row_major)?, other.broadcast_to(&shape, row_major)?))
    }

    // -------------------------------------------------------------- shapes and axes

    /// Permutes axes: axis `k` of the result is axis `axes[k]`.
    pub(crate) fn permute(&self, axes: &[usize]) -> Self {
        let shape: Vec<usize> = axes.iter().map(|&axis| self.shape[axis]).collect();
        let own = strides_of(&self.shape);
        let strides: Vec<usize> = axes.iter().map(|&axis| own[axis]).collect();
        self.strided(0, shape, &strides)
    }

    /// Changes the shape. The order of the values in memory stays the same.
    pub(crate) fn reshape(&self, shape: &[usize], row_major: bool) -> Self {
        assert_eq!(count(shape), count(&self.shape));
        if row_major {
            return Array { shape: shape.to_vec(), values: self.values.clone() };
        }
        let values = self.enumerate(false);
        Array::from_fn(shape, |index| values[ravel(index, shape, false)].clone())
    }

    pub(crate) fn insert_axis(&self, at: usize) -> Self {
        let mut shape = self.shape.clone();
        shape.insert(at, 1);
        Array { shape, values: self.values.clone() }
    }

    /// Takes one index along an axis, and removes the axis.
    pub(crate) fn index_axis(&self, axis: usize, position: usize) -> Self {
        let mut shape = self.shape.clone();
        let mut strides = strides_of(&shape);
        assert!(position < shape[axis]);
        let first = position * strides[axis];
        shape.remove(axis);
        strides.remove(axis);
        self.strided(first, shape, &strides)
    }

    /// Takes the elements at a list of indices along an axis.
    pub(crate) fn choose(&self, axis: usize, positions: &[usize]) -> Self {
        let mut shape = self.shape.clone();
        shape[axis] = positions.len();
        let inside = strides_of(&self.shape)[axis];
        let mut values = Vec::with_capacity(count(&shape));
        for outside in 0..count(&self.shape[..axis]) {
            for &position in positions {
                assert!(position < self.shape[axis]);
                let first = (outside * self.shape[axis] + position) * inside;
                values.extend_from_slice(&self.values[first..first + inside]);
            }
        }
        Array { shape, values }
    }

    /// Takes the diagonal of axes `a` and `b`, which becomes the last axis.
    pub(crate) fn diagonal(&self, a: usize, b: usize) -> Self {
        let mut shape = without(&self.shape, &[a, b]);
        shape.push(self.shape[a]);
        let own = strides_of(&self.shape);
        let mut strides = without(&own, &[a, b]);
        strides.push(own[a] + own[b]);
        self.strided(0, shape, &strides)
    }

    // -------------------------------------------------------------- reductions

    /// Returns, for each index of the other axes, the values along `axes` in memory order.
    pub(crate) fn groups(&self, axes: &[usize], row_major: bool) -> Array<Vec<V>> {
        let strides = strides_of(&self.shape);
        let of_axes = |list: &[usize]| -> Vec<usize> {
            (0..list.len()).filter(|k| axes.contains(k)).map(|k| list[k]).collect()
        };
        let inside = offsets(0, &of_axes(&self.shape), &of_axes(&strides), row_major);
        let shape = without(&self.shape, axes);
        let mut groups = Vec::with_capacity(count(&shape));
        for first in offsets(0, &shape, &without(&strides, axes), true) {
            let mut group = Vec::with_capacity(inside.len());
            for &offset in &inside {
                group.push(self.values[first + offset].clone());
            }
            groups.push(group);
        }
        Array { shape, values: groups }
    }

    /// Inserts the reduced axes again, with extent 1, as `keepdims` does.
    pub(crate) fn keeping(&self, axes: &[usize]) -> Self {
        let mut sorted = axes.to_vec();
        sorted.sort_unstable();
        sorted.iter().fold(self.clone(), |array, &axis| array.insert_axis(axis))
    }

    /// Computes a cumulative reduction along an axis: each result is `f` of the result before it and the value.
    pub(crate) fn scan(&self, axis: usize, f: fn(&V, &V) -> V) -> Self {
        let mut to = self.clone();
        let (stride, extent) = (strides_of(&self.shape)[axis], self.shape[axis]);
        for k in 0..to.values.len() {
            if k / stride % extent > 0 {
                to.values[k] = f(&to.values[k - stride], &self.values[k]);
            }
        }
        to
    }
}

/// Returns a shape without some of its axes.
pub(crate) fn without(shape: &[usize], axes: &[usize]) -> Vec<usize> {
    (0..shape.len()).filter(|k| !axes.contains(k)).map(|k| shape[k]).collect()
}

/// Multiplies matrices, vectors and batches of matrices. Returns `None` if the shapes do not match.
///
/// In row-major order, the last two axes are the matrix axes. In column-major order, the first two axes are.
pub(crate) fn matmul(a: &Array<Z>, b: &Array<Z>, row_major: bool) -> Option<Array<Z>> {
    // Returns the extents of the batch axes, and the index of the first matrix axis.
    let parts = |x: &Array<Z>| match (x.rank(), row_major) {
        (1, _) => (vec![], 0),
        (n, true) => (x.shape[..n - 2].to_vec(), n - 2),
        (_, false) => (x.shape[2..].to_vec(), 0),
    };
    let ((batch_a, first_a), (batch_b, first_b)) = (parts(a), parts(b));
    let summed = if a.rank() == 1 { a.shape[0] } else { a.shape[first_a + 1] };
    if summed != b.shape[first_b] {
        return None;
    }
    let batch = common_shape(&batch_a, &batch_b, row_major)?;
    let rows = (a.rank() > 1).then(|| a.shape[first_a]);
    let columns = (b.rank() > 1).then(|| b.shape[first_b + 1]);
    let matrix: Vec<usize> = [rows, columns].into_iter().flatten().collect();
    let shape = if row_major {
        [batch.clone(), matrix.clone()].concat()
    } else {
        [matrix.clone(), batch.clone()].concat()
    };
    Some(Array::from_fn(&shape, |index| {
        let (of_batch, of_matrix) = if row_major {
            index.split_at(batch.len())
        } else {
            let (of_matrix, of_batch) = index.split_at(matrix.len());
            (of_batch, of_matrix)
        };
        let batch_of = |own: &[usize]| -> Vec<usize> {
            let first = if row_major { batch.len() - own.len() } else { 0 };
            (0..own.len()).map(|k| if own[k] == 1 { 0 } else { of_batch[first + k] }).collect()
        };
        let place = |batch: Vec<usize>, matrix: Vec<usize>| {
            if row_major { [batch, matrix].concat() } else { [matrix, batch].concat() }
        };
        let (i, j) = (of_matrix.first(), of_matrix.last());
        (0..summed).fold(Z::ZERO, |sum, k| {
            let in_a = if rows.is_some() { vec![*i.expect("a row"), k] } else { vec![k] };
            let in_b = if columns.is_some() { vec![k, *j.expect("a column")] } else { vec![k] };
            let (x, y) = (a.at(&place(batch_of(&batch_a), in_a)), b.at(&place(batch_of(&batch_b), in_b)));
            sum.plus(&x.times(y))
        })
    }))
}
