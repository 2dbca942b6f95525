//! Loop nests of tensors with more than [`MAX_LOOPS`] axes.
//!
//! Kernels, plans and layouts have arrays for [`MAX_LOOPS`] axes. Only tensors of [`AnyRank`](crate::AnyRank) with a greater `MAX` have
//! more. Before a kernel sees such a tensor, its axes are fused:
//!
//! ```text
//! drop:  axes of extent 1
//! sort:  largest strides outermost, if the order of the elements does not matter
//! fuse:  adjacent axes, if in every operand one stride steps through both
//! split: if more than MAX_LOOPS axes remain, loop over the outer axes; each step has the innermost MAX_LOOPS axes
//! ```
//!
//! The numbers are on the heap, because arrays for 64 axes would make the operations on small tensors slower.

use super::axes::Axes;
use super::is_contiguous;
use crate::rank::MAX_RANK;

/// The largest number of axes of an operand of a kernel.
pub(crate) const MAX_LOOPS: usize = MAX_RANK;

/// A loop nest over operands of one shape: an extent for each loop, outermost first, and strides for each operand. All operands begin at
/// their first element.
#[derive(Debug, Clone, PartialEq)]
pub struct Nest {
    shape: Vec<usize>,
    /// The strides of each operand.
    strides: Vec<Vec<isize>>,
}

impl Nest {
    /// Creates the nest of one operand. Axes of extent 1 are kept until [`drop_unit_axes`](Nest::drop_unit_axes) is called.
    pub(crate) fn new(axes: Axes<'_>) -> Nest {
        Nest { shape: axes.shape().to_vec(), strides: vec![axes.strides().to_vec()] }
    }

    /// Adds an operand, which must have the shape of the nest.
    pub(crate) fn push(&mut self, axes: Axes<'_>) {
        assert_eq!(self.shape, axes.shape(), "the operands must have the same shape");
        self.strides.push(axes.strides().to_vec());
    }

    /// Returns the nest with few loops, which may visit the elements in any order. The strides of the first operand decrease from the
    /// outermost to the innermost loop.
    pub(crate) fn unordered(mut self) -> Nest {
        self.drop_unit_axes();
        self.sort();
        self.fuse();
        self
    }

    /// Returns the nest with few loops, which visit the elements in row-major order of the shape.
    pub(crate) fn ordered(mut self) -> Nest {
        self.drop_unit_axes();
        self.fuse();
        self
    }

    fn drop_unit_axes(&mut self) {
        if self.shape.contains(&0) {
            // One empty loop. The strides of an empty tensor need not be representable as products.
            self.shape = vec![0];
            self.strides.fill(vec![1]);
            return;
        }
        let kept: Vec<usize> = (0..self.shape.len()).filter(|&axis| self.shape[axis] != 1).collect();
        self.select(&kept);
    }

    /// Replaces the loops by those with the given numbers, in this order.
    fn select(&mut self, axes: &[usize]) {
        self.shape = axes.iter().map(|&axis| self.shape[axis]).collect();
        for strides in &mut self.strides {
            *strides = axes.iter().map(|&axis| strides[axis]).collect();
        }
    }

    /// Sorts the loops, largest strides outermost: by the strides of the first operand, then by those of the others.
    fn sort(&mut self) {
        let mut axes: Vec<usize> = (0..self.shape.len()).collect();
        let size = |axis: usize| self.strides.iter().map(move |strides| strides[axis].unsigned_abs());
        axes.sort_by(|&a, &b| size(b).cmp(size(a)));
        self.select(&axes);
    }

    fn fuse(&mut self) {
        let mut kept: Vec<usize> = Vec::new();
        let mut shape: Vec<usize> = Vec::new();
        for axis in 0..self.shape.len() {
            let extent = self.shape[axis] as isize;
            let fits = |outer: usize| {
                self.strides.iter().all(|strides| strides[outer] == strides[axis].wrapping_mul(extent))
            };
            match kept.last_mut() {
                // The fused loop has the stride of the inner one.
                Some(outer) if fits(*outer) => {
                    *outer = axis;
                    *shape.last_mut().expect("there is an extent for each loop") *= self.shape[axis];
                }
                _ => {
                    kept.push(axis);
                    shape.push(self.shape[axis]);
                }
            }
        }
        self.select(&kept);
        self.shape = shape;
    }

    pub(crate) fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Returns the number of iterations of all loops together.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns whether a kernel can have the axes of the nest, and `more` axes.
    pub(crate) fn fits(&self, more: usize) -> bool {
        self.rank() + more <= MAX_LOOPS
    }

    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the axes of an operand.
    pub(crate) fn axes(&self, operand: usize) -> Axes<'_> {
        Axes::new(&self.shape, &self.strides[operand])
    }

    /// Returns whether an operand is contiguous in the order of the loops.
    pub(crate) fn is_contiguous(&self, operand: usize) -> bool {
        is_contiguous(&self.shape, &self.strides[operand], true)
    }

    /// Calls `f` for each part of the nest that has at most `most` loops, with the part's extents, the strides of each operand, and the
    /// offset of each operand's first element. The parts consist of the innermost loops.
    ///
    /// # Errors
    /// The first error of `f`.
    pub(crate) fn for_parts<E>(
        &self,
        most: usize,
        mut f: impl FnMut(&[usize], &[&[isize]], &[isize]) -> Result<(), E>,
    ) -> Result<(), E> {
        let outer = self.rank().saturating_sub(most);
        let (steps, shape) = self.shape.split_at(outer);
        let strides: Vec<&[isize]> = self.strides.iter().map(|strides| &strides[outer..]).collect();
        let (mut index, mut offsets) = (vec![0; outer], vec![0; self.strides.len()]);
        for _ in 0..steps.iter().product() {
            f(shape, &strides, &offsets)?;
            for axis in (0..outer).rev() {
                index[axis] += 1;
                let done = index[axis] == steps[axis];
                let by = if done { 1 - steps[axis] as isize } else { 1 };
                for (offset, strides) in offsets.iter_mut().zip(&self.strides) {
                    *offset += by * strides[axis];
                }
                if !done {
                    break;
                }
                index[axis] = 0;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::contiguous_strides;

    /// Returns the offsets of all operands at all indices, in row-major order of the shape.
    fn offsets(shape: &[usize], strides: &[&[isize]]) -> Vec<Vec<isize>> {
        let mut all = vec![vec![0; strides.len()]];
        for (axis, &extent) in shape.iter().enumerate() {
            let step = |at: &Vec<isize>, i: usize| {
                at.iter().zip(strides).map(|(at, strides)| at + i as isize * strides[axis]).collect()
            };
            all = all.iter().flat_map(|at| (0..extent).map(move |i| step(at, i))).collect();
        }
        all
    }

    fn nest(shape: &[usize], strides: &[&[isize]]) -> Nest {
        let mut nest = Nest::new(Axes::new(shape, strides[0]));
        strides[1..].iter().for_each(|strides| nest.push(Axes::new(shape, strides)));
        nest
    }

    fn visited(nest: &Nest, most: usize) -> Vec<Vec<isize>> {
        let mut all = Vec::new();
        let done: Result<(), ()> = nest.for_parts(most, |shape, strides, first| {
            assert!(shape.len() <= most);
            let part = offsets(shape, strides);
            all.extend(part.iter().map(|at| at.iter().zip(first).map(|(a, b)| a + b).collect::<Vec<_>>()));
            Ok(())
        });
        done.unwrap();
        all
    }

    const CASES: &[(&[usize], &[&[isize]])] = &[
        (&[], &[&[], &[]]),
        (&[4], &[&[1], &[-3]]),
        (&[2, 3, 4], &[&[12, 4, 1], &[1, 2, 6]]),
        (&[2, 3, 4], &[&[12, 4, 1], &[0, 0, 1]]),
        (&[2, 1, 3], &[&[-3, 9, -1], &[-3, 9, -1]]),
        (&[3, 0, 2], &[&[2, 2, 1], &[2, 2, 1]]),
        (&[2, 2, 2, 2], &[&[8, 4, 2, 1], &[1, 8, -2, 4]]),
        (&[2, 2, 1, 2, 2, 3], &[&[1, 2, 7, 4, 8, 16], &[24, 12, 0, 6, 3, 1]]),
    ];

    #[test]
    fn nests_visit_every_index_once() {
        for &(shape, strides) in CASES {
            let mut expected = offsets(shape, strides);
            let given = nest(shape, strides);
            for most in [1, 2, 3, 16] {
                assert_eq!(visited(&given.clone().ordered(), most), expected, "{shape:?} {most}");
            }
            expected.sort();
            for most in [1, 2, 3, 16] {
                let mut seen = visited(&given.clone().unordered(), most);
                seen.sort();
                assert_eq!(seen, expected, "{shape:?} {most}");
            }
        }
    }

    #[test]
    fn axes_that_are_adjacent_in_all_operands_fuse() {
        let shape = [2; 40];
        let (mut rows, mut columns) = ([0; 40], [0; 40]);
        contiguous_strides(&shape, &mut rows, true);
        contiguous_strides(&shape, &mut columns, false);
        let same = nest(&shape, &[&columns, &columns]);
        assert_eq!((same.clone().unordered().shape(), same.clone().ordered().rank()), (&[1 << 40][..], 40));
        assert_eq!(nest(&shape, &[&rows, &rows]).ordered().shape(), [1 << 40]);
        let opposite = nest(&shape, &[&rows, &columns]).unordered();
        assert_eq!(
            (opposite.rank(), opposite.is_contiguous(0), opposite.is_contiguous(1)),
            (40, true, false)
        );
        // Half of the axes repeat: the two groups of axes remain.
        let mut repeated = rows;
        repeated[..20].fill(0);
        assert_eq!(nest(&shape, &[&rows, &repeated]).unordered().shape(), [1 << 20, 1 << 20]);
    }

    #[test]
    fn errors_end_the_loops() {
        let nest = nest(&[2, 3], &[&[1, 5]]);
        let mut count = 0;
        let failed = nest.for_parts(1, |_, _, _| {
            count += 1;
            if count == 2 { Err(()) } else { Ok(()) }
        });
        assert_eq!((failed, count), (Err(()), 2));
    }
}
