//! An odometer: the index of a loop nest, with offsets that are computed by addition at each step, never by division.

use super::plan::Plan;
use crate::rank::MAX_RANK;

/// The index of a loop nest and the offsets of `K` operands at that index, in elements.
#[derive(Debug, Clone)]
pub(crate) struct Odometer<const K: usize> {
    rank: usize,
    shape: [usize; MAX_RANK],
    strides: [[isize; K]; MAX_RANK],
    index: [usize; MAX_RANK],
    at: [isize; K],
}

impl<const K: usize> Odometer<K> {
    /// Creates an odometer for the loops around the inner loop of a plan.
    pub(crate) fn outer(plan: &Plan<K>) -> Odometer<K> {
        Odometer::over(plan.outer_shape(), plan.outer_strides(), plan.offsets())
    }

    /// Creates an odometer for loops, outermost first. `at` are the operands' offsets at index 0.
    pub(crate) fn over(shape: &[usize], strides: &[[isize; K]], at: [isize; K]) -> Odometer<K> {
        let mut walk = Odometer {
            rank: shape.len(),
            shape: [1; MAX_RANK],
            strides: [[0; K]; MAX_RANK],
            index: [0; MAX_RANK],
            at,
        };
        walk.shape[..shape.len()].copy_from_slice(shape);
        walk.strides[..shape.len()].copy_from_slice(strides);
        walk
    }

    /// Creates an odometer for all indices of a shape, the last axis fastest.
    pub(crate) fn row_major(shape: &[usize], strides: [&[isize]; K]) -> Odometer<K> {
        let mut by_axis = [[0; K]; MAX_RANK];
        for (axis, to) in by_axis.iter_mut().enumerate().take(shape.len()) {
            *to = strides.map(|s| s[axis]);
        }
        Odometer::over(shape, &by_axis[..shape.len()], [0; K])
    }

    /// Returns the odometer after `k` advances from index 0.
    pub(crate) fn at(&self, mut k: usize) -> Odometer<K> {
        let mut walk = self.clone();
        for axis in (0..self.rank).rev() {
            let (extent, was) = (self.shape[axis], self.index[axis]);
            walk.index[axis] = k % extent;
            k /= extent;
            let steps = walk.index[axis] as isize - was as isize;
            for (at, stride) in walk.at.iter_mut().zip(self.strides[axis]) {
                *at += stride * steps;
            }
        }
        walk
    }

    pub(crate) fn offsets(&self) -> [isize; K] {
        self.at
    }

    /// Returns the current index, one number for each axis.
    pub(crate) fn index(&self) -> &[usize] {
        &self.index[..self.rank]
    }

    /// Advances to the next index. After the last index, the first index follows.
    #[inline]
    pub(crate) fn advance(&mut self) {
        for axis in (0..self.rank).rev() {
            self.index[axis] += 1;
            let strides = &self.strides[axis];
            if self.index[axis] < self.shape[axis] {
                for (at, stride) in self.at.iter_mut().zip(strides) {
                    *at += stride;
                }
                return;
            }
            self.index[axis] = 0;
            let back = self.shape[axis] as isize - 1;
            for (at, stride) in self.at.iter_mut().zip(strides) {
                *at -= stride * back;
            }
        }
    }
}

/// Advances to the next index of a shape. After the last index, the first index follows. The last axis is fastest if `row_major`,
/// otherwise the first axis.
#[inline]
pub(crate) fn advance(index: &mut [usize], shape: &[usize], row_major: bool) {
    for k in 0..shape.len() {
        let axis = if row_major { shape.len() - 1 - k } else { k };
        index[axis] += 1;
        if index[axis] < shape[axis] {
            return;
        }
        index[axis] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_anywhere() {
        let mut walk = Odometer::row_major(&[2, 3, 2], [&[100, 10, 1], &[-1, 0, 5]]);
        for k in 0..12 {
            assert_eq!(walk.at(7).offsets(), [101, 4]);
            let other = Odometer::row_major(&[2, 3, 2], [&[100, 10, 1], &[-1, 0, 5]]).at(k);
            assert_eq!((other.index(), other.offsets()), (walk.index(), walk.offsets()));
            walk.advance();
        }
    }

    #[test]
    fn turns_like_an_odometer() {
        let mut walk = Odometer::row_major(&[2, 3], [&[10, 1]]);
        let mut seen = Vec::new();
        for _ in 0..7 {
            seen.push((walk.index().to_vec(), walk.offsets()[0]));
            walk.advance();
        }
        let expected = [(0, 0, 0), (0, 1, 1), (0, 2, 2), (1, 0, 10), (1, 1, 11), (1, 2, 12), (0, 0, 0)];
        assert_eq!(seen, expected.map(|(i, j, at)| (vec![i, j], at)));
    }
}
