//! Loops over a few elements. They have no [`Plan`](crate::layout::plan::Plan), which would sort and fuse them, because planning would
//! take longer than the loops. The copy and elementwise kernels call this module.

/// Maximum number of elements that are visited without a plan.
const MAX_UNPLANNED_LEN: usize = 24;

/// Two nested loops over a few elements of `K` operands with any strides. The outer loop is over `rows`, the inner one over
/// `columns`.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cpu) struct Few<const K: usize> {
    rows: usize,
    columns: usize,
    /// Stride from one row to the next in each operand, in elements.
    row_strides: [isize; K],
    /// Stride from one column to the next in each operand, in elements.
    column_strides: [isize; K],
}

impl<const K: usize> Few<K> {
    /// Creates the loops over `shape`. `strides` has the strides of each operand, one for each axis of `shape`. Returns `None` if
    /// there are more than [`MAX_UNPLANNED_LEN`] elements or more than two axes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(in crate::device::cpu) fn new(shape: &[usize], strides: &[&[isize]; K]) -> Option<Few<K>> {
        let of = |axis: usize| {
            let mut steps = [0; K];
            for (step, strides) in steps.iter_mut().zip(strides) {
                *step = strides[axis];
            }
            steps
        };
        let few = match *shape {
            [] => Few { rows: 1, columns: 1, row_strides: [0; K], column_strides: [0; K] },
            [n] if n <= MAX_UNPLANNED_LEN => {
                Few { rows: 1, columns: n, row_strides: [0; K], column_strides: of(0) }
            }
            // If one extent is zero, the other may be huge. Both become zero here, because a loop over a huge number of empty
            // rows would not end.
            [m, n] if m == 0 || n == 0 => {
                Few { rows: 0, columns: 0, row_strides: [0; K], column_strides: [0; K] }
            }
            [m, n] if m.saturating_mul(n) <= MAX_UNPLANNED_LEN => {
                let (row_strides, column_strides) = (of(0), of(1));
                let row = n as isize;
                // If each row of every operand begins one column stride after the previous row's last element, the loops can be
                // fused.
                if (0..K).all(|k| row_strides[k] == column_strides[k].wrapping_mul(row)) {
                    Few { rows: 1, columns: m * n, row_strides: [0; K], column_strides }
                } else {
                    Few { rows: m, columns: n, row_strides, column_strides }
                }
            }
            _ => return None,
        };
        Some(few)
    }

    /// Returns the number of elements if they are contiguous in all operands, otherwise `None`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(in crate::device::cpu) fn contiguous_len(&self) -> Option<usize> {
        // Compares the strides one by one, because `==` on arrays loads several of them with one instruction. They were stored one by one,
        // so this load would wait until all stores are complete. The wait would be half of the time of adding two vectors of 4 elements.
        (self.rows == 1 && self.column_strides.iter().all(|&stride| stride == 1)).then_some(self.columns)
    }

    /// Calls `f` for each element, with its offset in each operand, in row-major order.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(in crate::device::cpu) fn for_each(self, mut f: impl FnMut([isize; K])) {
        if let Some(len) = self.contiguous_len() {
            // The strides are constant here, so the compiler vectorises the loop.
            for j in 0..len as isize {
                f([j; K]);
            }
            return;
        }
        for i in 0..self.rows as isize {
            for j in 0..self.columns as isize {
                f(self.at(i, j));
            }
        }
    }

    /// Returns the offset of row `i` and column `j` in each operand.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn at(&self, i: isize, j: isize) -> [isize; K] {
        let mut at = [0; K];
        for (k, at) in at.iter_mut().enumerate() {
            *at = i * self.row_strides[k] + j * self.column_strides[k];
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the offsets of all indices in row-major order, by enumeration.
    fn expected(shape: &[usize], strides: &[isize]) -> Vec<isize> {
        let mut all = vec![0];
        for (&n, &stride) in shape.iter().zip(strides) {
            all = all.iter().flat_map(|&at| (0..n as isize).map(move |i| at + i * stride)).collect();
        }
        all
    }

    #[test]
    fn offsets_are_those_of_every_index() {
        for shape in
            [&[][..], &[0], &[1], &[24], &[25], &[4, 4], &[0, 3], &[3, 0], &[1, 24], &[5, 5], &[2, 2, 2]]
        {
            for code in 0..7isize.pow(2) {
                let one = [code % 7 - 3, code / 7 - 3, 1];
                let other = [12, -1, 5];
                let (one, other) = (&one[..shape.len()], &other[..shape.len()]);
                let Some(few) = Few::new(shape, &[one, other]) else {
                    assert!(shape.len() > 2 || shape.iter().product::<usize>() > 24, "{shape:?}");
                    continue;
                };
                let mut seen = vec![];
                few.for_each(|at| seen.push(at));
                let all = expected(shape, one).into_iter().zip(expected(shape, other)).map(|(a, b)| [a, b]);
                assert_eq!(seen, all.collect::<Vec<_>>(), "{shape:?} {one:?}");
            }
        }
        assert!(Few::new(&[usize::MAX, 2], &[&[0, 0]]).is_none());
        // This loop must end at once, although there are many rows.
        Few::new(&[usize::MAX, 0], &[&[0, 0]]).unwrap().for_each(|_| unreachable!("no elements"));
    }
}
