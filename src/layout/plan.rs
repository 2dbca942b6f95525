//! Loop nests over `K` operands of one shape, with as few loops and as small inner strides as possible. Kernels iterate over a
//! plan instead of the operands' own axes.
//!
//! ```text
//! normalise: drop axes of extent 1, reverse axes with negative strides
//! sort:      largest strides outermost
//! fuse:      adjacent axes, if in every operand one stride steps through both
//! ```
//!
//! Few axes remain. The last one is the inner loop.

use super::is_contiguous;
use crate::rank::MAX_RANK;

/// A loop nest over `K` operands: extents and strides (in elements), outermost first, and the offset of each operand's first
/// element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plan<const K: usize> {
    rank: usize,
    shape: [usize; MAX_RANK],
    strides: [[isize; K]; MAX_RANK],
    offsets: [isize; K],
}

impl<const K: usize> Plan<K> {
    /// Creates a plan that may visit elements in any order.
    pub(crate) fn unordered(shape: &[usize], strides: [&[isize]; K]) -> Plan<K> {
        Plan::unordered_by(shape, strides, 0)
    }

    /// Creates a plan that may visit elements in any order, with the inner loop along the smallest strides of operand `key`.
    pub(crate) fn unordered_by(shape: &[usize], strides: [&[isize]; K], key: usize) -> Plan<K> {
        // Operands that are contiguous in the same order need no planning: one flat loop.
        for row_major in [true, false] {
            if strides.iter().all(|s| is_contiguous(shape, s, row_major)) {
                return Plan::flat(shape.iter().product());
            }
        }
        let mut plan = Plan::ordered_axes(shape, strides);
        plan.turn_negative_strides();
        plan.sort_by_stride(key);
        plan.fuse();
        plan
    }

    /// Creates a plan that visits elements in row-major order of `shape`.
    pub(crate) fn ordered(shape: &[usize], strides: [&[isize]; K]) -> Plan<K> {
        if shape.contains(&0) {
            return Plan::flat(0);
        }
        let mut plan = Plan::ordered_axes(shape, strides);
        plan.fuse();
        plan
    }

    fn flat(len: usize) -> Plan<K> {
        let mut plan = Plan { rank: 1, shape: [1; MAX_RANK], strides: [[1; K]; MAX_RANK], offsets: [0; K] };
        plan.shape[0] = len;
        plan
    }

    /// Creates a plan with one loop for each axis whose extent is not 1, in the order of the axes.
    fn ordered_axes(shape: &[usize], strides: [&[isize]; K]) -> Plan<K> {
        let mut plan = Plan { rank: 0, shape: [1; MAX_RANK], strides: [[0; K]; MAX_RANK], offsets: [0; K] };
        for (axis, &extent) in shape.iter().enumerate() {
            if extent != 1 {
                plan.shape[plan.rank] = extent;
                plan.strides[plan.rank] = strides.map(|s| s[axis]);
                plan.rank += 1;
            }
        }
        plan
    }

    /// Reverses each axis along which no operand has a positive stride.
    fn turn_negative_strides(&mut self) {
        for axis in 0..self.rank {
            let strides = &mut self.strides[axis];
            if self.shape[axis] > 0 && strides.iter().all(|&s| s <= 0) && strides.iter().any(|&s| s < 0) {
                for (offset, stride) in self.offsets.iter_mut().zip(strides) {
                    *offset += *stride * (self.shape[axis] as isize - 1);
                    *stride = -*stride;
                }
            }
        }
    }

    /// Sorts the loops, largest strides outermost: by the strides of operand `key`, then by the strides of the other operands.
    fn sort_by_stride(&mut self, key: usize) {
        let size = |strides: &[isize; K]| {
            let mut size = strides.map(isize::unsigned_abs);
            size.swap(0, key);
            size
        };
        // Insertion sort, which is stable. There are at most 16 axes, and usually two or three.
        for i in 1..self.rank {
            let mut k = i;
            while k > 0 && size(&self.strides[k - 1]) < size(&self.strides[k]) {
                self.strides.swap(k - 1, k);
                self.shape.swap(k - 1, k);
                k -= 1;
            }
        }
    }

    /// Fuses two adjacent axes if, in every operand, the stride of the outer axis is the extent of the inner axis times the stride of the
    /// inner axis.
    fn fuse(&mut self) {
        let mut kept = 0;
        for axis in 1..self.rank {
            let extent = self.shape[axis] as isize;
            let (outer, inner) = (self.strides[kept], self.strides[axis]);
            if (0..K).all(|k| outer[k] == inner[k].wrapping_mul(extent)) {
                self.shape[kept] *= self.shape[axis];
                self.strides[kept] = inner;
            } else {
                kept += 1;
                (self.shape[kept], self.strides[kept]) = (self.shape[axis], inner);
            }
        }
        self.rank = self.rank.min(kept + 1);
    }

    /// Creates a plan of one loop.
    #[inline]
    pub(crate) fn line(len: usize, strides: [isize; K]) -> Plan<K> {
        let mut plan = Plan::flat(len);
        plan.strides[0] = strides;
        plan
    }

    /// Adds `by` to the offsets of the first element.
    #[inline]
    pub(crate) fn move_first(&mut self, by: [isize; K]) {
        for (offset, by) in self.offsets.iter_mut().zip(by) {
            *offset += by;
        }
    }

    #[cfg(feature = "cuda")]
    /// Returns the plan with another inner loop.
    pub(crate) fn with_inner(&self, len: usize, strides: [isize; K]) -> Plan<K> {
        let mut plan = *self;
        plan.rank = plan.rank.max(1);
        (plan.shape[plan.rank - 1], plan.strides[plan.rank - 1]) = (len, strides);
        plan
    }

    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.outer_shape().iter().product::<usize>() * self.inner_len()
    }

    /// Returns the extent of the inner loop: 1 if there are no axes.
    pub(crate) fn inner_len(&self) -> usize {
        if self.rank == 0 { 1 } else { self.shape[self.rank - 1] }
    }

    /// Returns the strides of the inner loop.
    pub(crate) fn inner_strides(&self) -> [isize; K] {
        if self.rank == 0 { [1; K] } else { self.strides[self.rank - 1] }
    }

    /// Returns the extents of the loops around the inner loop.
    pub(crate) fn outer_shape(&self) -> &[usize] {
        &self.shape[..self.rank.saturating_sub(1)]
    }

    pub(crate) fn outer_strides(&self) -> &[[isize; K]] {
        &self.strides[..self.rank.saturating_sub(1)]
    }

    /// Returns the extents of all loops.
    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape[..self.rank]
    }

    pub(crate) fn strides(&self) -> &[[isize; K]] {
        &self.strides[..self.rank]
    }

    pub(crate) fn offsets(&self) -> [isize; K] {
        self.offsets
    }

    /// Returns the plan without one of its loops, at that loop's first index.
    pub(crate) fn without(&self, axis: usize) -> Plan<K> {
        debug_assert!(axis < self.rank);
        let mut plan = *self;
        plan.shape.copy_within(axis + 1..self.rank, axis);
        plan.strides.copy_within(axis + 1..self.rank, axis);
        plan.rank -= 1;
        plan
    }

    /// Splits the plan in half at the outermost loop with an extent above 1, and returns the lower and the upper half. If the plan has only
    /// one loop, splits it at a multiple of `grain`, or returns `None` if its extent is at most `grain`.
    pub(crate) fn halves_at(&self, grain: usize) -> Option<(Plan<K>, Plan<K>)> {
        self.halves_by(&|_| if self.rank == 1 { grain } else { 1 })
    }

    /// Splits the plan at the outermost loop `axis` whose extent exceeds `grain(axis)`, at a multiple of `grain(axis)`. Returns the
    /// lower and the upper half, or `None` if there is no such loop.
    pub(crate) fn halves_by(&self, grain: &(impl Fn(usize) -> usize + ?Sized)) -> Option<(Plan<K>, Plan<K>)> {
        let axis = (0..self.rank).find(|&axis| self.shape[axis] > grain(axis))?;
        let at = (self.shape[axis] / 2).next_multiple_of(grain(axis));
        let (mut low, mut high) = (*self, *self);
        low.shape[axis] = at;
        high.shape[axis] -= at;
        for (offset, stride) in high.offsets.iter_mut().zip(self.strides[axis]) {
            *offset += stride * at as isize;
        }
        Some((low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::layout::odometer::Odometer;

    fn visited<const K: usize>(plan: &Plan<K>) -> Vec<[isize; K]> {
        let mut walk = Odometer::outer(plan);
        let mut seen = Vec::new();
        for _ in 0..plan.outer_shape().iter().product() {
            let at = walk.offsets();
            for i in 0..plan.inner_len() as isize {
                seen.push(core::array::from_fn(|k| at[k] + i * plan.inner_strides()[k]));
            }
            walk.advance();
        }
        seen
    }

    /// Returns the offsets of every index of the shape, by enumeration.
    fn brute<const K: usize>(shape: &[usize], strides: [&[isize]; K]) -> Vec<[isize; K]> {
        let mut all = vec![[0; K]];
        for (axis, &extent) in shape.iter().enumerate() {
            all = all
                .iter()
                .flat_map(|at| {
                    (0..extent as isize).map(move |i| core::array::from_fn(|k| at[k] + i * strides[k][axis]))
                })
                .collect();
        }
        all
    }

    #[test]
    fn a_plan_visits_what_its_shape_says() {
        let cases: &[(&[usize], &[isize], &[isize])] = &[
            (&[], &[], &[]),
            (&[4], &[1], &[-3]),
            (&[2, 3, 4], &[12, 4, 1], &[1, 2, 6]),
            (&[2, 3, 4], &[12, 4, 1], &[0, 0, 1]),
            (&[2, 1, 3], &[-3, 9, -1], &[-3, 9, -1]),
            (&[3, 0, 2], &[2, 2, 1], &[2, 2, 1]),
            (&[2, 2, 2, 2], &[8, 4, 2, 1], &[1, 8, -2, 4]),
        ];
        for &(shape, a, b) in cases {
            let mut expected = brute(shape, [a, b]);
            assert_eq!(visited(&Plan::ordered(shape, [a, b])), expected, "ordered {shape:?}");
            for key in [0, 1] {
                let mut seen = visited(&Plan::unordered_by(shape, [a, b], key));
                seen.sort();
                expected.sort();
                assert_eq!(seen, expected, "unordered {shape:?}");
            }
        }
    }

    #[test]
    fn contiguous_axes_fuse() {
        let contiguous = Layout::contiguous(&[2, 3, 4], true);
        let plan = Plan::unordered(contiguous.shape(), [contiguous.strides(), contiguous.strides()]);
        assert_eq!((plan.outer_shape(), plan.inner_len()), (&[][..], 24));
        let rows = Plan::unordered(&[2, 3, 4], [contiguous.strides(), &[0, 4, 1]]);
        assert_eq!((rows.outer_shape(), rows.inner_len()), (&[2][..], 12));
        let backwards = Plan::unordered(&[5], [&[-1], &[-1]]);
        assert_eq!((backwards.offsets(), backwards.inner_strides()), ([-4, -4], [1, 1]));
    }

    #[test]
    fn halves_cover_the_whole() {
        let plan = Plan::unordered(&[5, 7], [&[7, 1], &[1, 5]]);
        let (low, high) = plan.halves_at(1).unwrap();
        let mut seen = visited(&low);
        seen.extend(visited(&high));
        assert_eq!(seen, visited(&plan));
        assert!(Plan::<1>::unordered(&[1], [&[1]]).halves_at(1).is_none());
        // Splits 8 rows into 6 and 2; 2 rows are not split.
        let rows = Plan::unordered(&[8, 10], [&[10, 1], &[1, 8]]);
        let grain = |axis: usize| [3, 16][axis];
        let (low, high) = rows.halves_by(&grain).unwrap();
        assert_eq!((low.shape(), high.shape(), high.offsets()), (&[6, 10][..], &[2, 10][..], [60, 6]));
        assert!(high.halves_by(&grain).is_none());
    }
}
