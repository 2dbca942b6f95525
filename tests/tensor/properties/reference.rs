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
pub(crate) fn unravel(flat: usize, shape: &[usize], row_major: bool) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    unravel_to(&mut index, flat, shape, row_major);
    index
}

fn unravel_to(index: &mut [usize], mut flat: usize, shape: &[usize], row_major: bool) {
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
}

/// Calls `f` with each index of a shape, in the order of their elements in memory.
fn for_each_index(shape: &[usize], row_major: bool, f: &mut dyn FnMut(&[usize])) {
    let mut index = vec![0; shape.len()];
    for flat in 0..count(shape) {
        unravel_to(&mut index, flat, shape, row_major);
        f(&index);
    }
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
    (0..count(shape)).map(|flat| unravel(flat, shape, row_major)).collect()
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
        let mut values = Vec::with_capacity(self.values.len());
        for_each_index(&self.shape, row_major, &mut |index| values.push(self.at(index).clone()));
        values
    }

    pub(crate) fn map<W: Clone>(&self, mut f: impl FnMut(&V) -> W) -> Array<W> {
        Array::from_fn(&self.shape, |index| f(self.at(index)))
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
        Some(Array::from_fn(shape, |index| {
            let from: Vec<usize> = (0..self.rank())
                .map(|axis| if self.shape[axis] == 1 { 0 } else { index[first + axis] })
                .collect();
            self.at(&from).clone()
        }))
    }

    /// Applies a function to each pair of elements of two arrays. Returns `None` if the arrays do not broadcast.
    pub(crate) fn zip<W: Clone, X: Clone>(
        &self,
        other: &Array<W>,
        row_major: bool,
        mut f: impl FnMut(&V, &W) -> X,
    ) -> Option<Array<X>> {
        let (a, b) = self.matched(other, row_major)?;
        Some(Array::from_fn(&a.shape, |index| f(a.at(index), b.at(index))))
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
        Array::from_fn(&shape, |index| {
            let mut from = vec![0; axes.len()];
            for (k, &axis) in axes.iter().enumerate() {
                from[axis] = index[k];
            }
            self.at(&from).clone()
        })
    }

    /// Changes the shape. The order of the values in memory stays the same.
    pub(crate) fn reshape(&self, shape: &[usize], row_major: bool) -> Self {
        assert_eq!(count(shape), count(&self.shape));
        Array::from_fn(shape, |index| {
            let flat = ravel(index, shape, row_major);
            self.at(&unravel(flat, &self.shape, row_major)).clone()
        })
    }

    pub(crate) fn insert_axis(&self, at: usize) -> Self {
        let mut shape = self.shape.clone();
        shape.insert(at, 1);
        Array::from_fn(&shape, |index| {
            let mut from = index.to_vec();
            from.remove(at);
            self.at(&from).clone()
        })
    }

    /// Takes one index along an axis, and removes the axis.
    pub(crate) fn index_axis(&self, axis: usize, position: usize) -> Self {
        let mut shape = self.shape.clone();
        shape.remove(axis);
        Array::from_fn(&shape, |index| {
            let mut from = index.to_vec();
            from.insert(axis, position);
            self.at(&from).clone()
        })
    }

    /// Takes the elements at a list of indices along an axis.
    pub(crate) fn choose(&self, axis: usize, positions: &[usize]) -> Self {
        let mut shape = self.shape.clone();
        shape[axis] = positions.len();
        Array::from_fn(&shape, |index| {
            let mut from = index.to_vec();
            from[axis] = positions[index[axis]];
            self.at(&from).clone()
        })
    }

    /// Takes the diagonal of axes `a` and `b`, which becomes the last axis.
    pub(crate) fn diagonal(&self, a: usize, b: usize) -> Self {
        let mut shape = without(&self.shape, &[a, b]);
        shape.push(self.shape[a]);
        Array::from_fn(&shape, |index| {
            let (&both, others) = index.split_last().expect("the diagonal's own axis");
            let mut others = others.iter();
            let from: Vec<usize> = (0..self.rank())
                .map(|axis| if axis == a || axis == b { both } else { *others.next().expect("as many") })
                .collect();
            self.at(&from).clone()
        })
    }

    // -------------------------------------------------------------- reductions

    /// Returns, for each index of the other axes, the values along `axes` in memory order.
    pub(crate) fn groups(&self, axes: &[usize], row_major: bool) -> Array<Vec<V>> {
        let inside: Vec<usize> =
            (0..self.rank()).filter(|k| axes.contains(k)).map(|k| self.shape[k]).collect();
        let inside = indices(&inside, row_major);
        Array::from_fn(&without(&self.shape, axes), |outside| {
            let along = |within: &Vec<usize>| {
                let (mut within, mut outside) = (within.iter(), outside.iter());
                let from: Vec<usize> = (0..self.rank())
                    .map(|k| if axes.contains(&k) { within.next() } else { outside.next() })
                    .map(|i| *i.expect("as many"))
                    .collect();
                self.at(&from).clone()
            };
            inside.iter().map(along).collect()
        })
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
        for index in indices(&self.shape, true) {
            if index[axis] > 0 {
                let mut before = index.clone();
                before[axis] -= 1;
                let value = f(to.at(&before), self.at(&index));
                to.set(&index, value);
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
