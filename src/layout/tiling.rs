//! Chooses the loops of a tiled copy, for the copy kernels of the host:
//!
//! ```text
//! for index in outer:                  largest strides outermost
//!     for row in rows:                 smallest strides in the source
//!         for column in columns:       smallest strides in the result
//!             copy `unit` bytes        contiguous in both
//! ```
//!
//! Strides count bytes here, so that contiguous elements can be treated as one larger element.

use super::plan::Plan;
use super::sort_axes_by_key;
use crate::rank::MAX_RANK;
use crate::simd::CACHE_LINE_BYTES;

/// Minimum size of a row of the result, in bytes, if the axes allow it: longer rows share fewer cache lines with other rows.
const MIN_ROW_BYTES: usize = 32 * CACHE_LINE_BYTES;
/// Maximum number of elements in a row of the source or of the result.
const MAX_ROW_LEN: usize = 256;
const PAGE_BYTES: usize = 4096;

/// A loop: its extent, and its strides in the result (`to`) and in the source (`from`), in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Loop {
    pub(crate) extent: usize,
    pub(crate) to: isize,
    pub(crate) from: isize,
}

/// A list of loops. In `rows` and `columns`, the first loop is the innermost. In `outer`, the last loop is the innermost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Loops {
    count: usize,
    loops: [Loop; MAX_RANK],
}

impl Loops {
    fn new() -> Loops {
        Loops { count: 0, loops: [Loop { extent: 1, to: 0, from: 0 }; MAX_RANK] }
    }

    pub(crate) fn as_slice(&self) -> &[Loop] {
        &self.loops[..self.count]
    }

    /// Returns the number of iterations of all loops together.
    pub(crate) fn len(&self) -> usize {
        self.as_slice().iter().map(|l| l.extent).product()
    }

    fn push(&mut self, one: Loop) {
        self.loops[self.count] = one;
        self.count += 1;
    }

    fn remove(&mut self, at: usize) -> Loop {
        let one = self.loops[at];
        self.loops.copy_within(at + 1..self.count, at);
        self.count -= 1;
        one
    }

    /// Returns the index of the loop with the smallest key. If several loops have this key, returns the last one.
    fn least(&self, key: impl Fn(&Loop) -> usize) -> Option<usize> {
        (0..self.count).rev().min_by_key(|&i| key(&self.loops[i]))
    }

    fn position(&self, is: impl Fn(&Loop) -> bool) -> Option<usize> {
        self.as_slice().iter().position(is)
    }
}

/// A copy as a tiled loop nest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Blocks {
    /// Size in bytes of an element of the copy, which is contiguous in the result and in the source. It can consist of several elements of
    /// the tensor.
    pub(crate) unit: usize,
    /// Loops that make up a row of the source.
    pub(crate) rows: Loops,
    /// Loops that make up a row of the result.
    pub(crate) columns: Loops,
    /// Whether columns have unit stride in the result and rows in the source, and elements have 1, 2, 4, 8 or 16 bytes.
    pub(crate) contiguous: bool,
    /// The loops around rows and columns, outermost first: the smaller the stride in either operand, the further inside is the loop.
    pub(crate) outer: Loops,
    /// The offsets of the first elements in the result and in the source, in bytes.
    pub(crate) offsets: [isize; 2],
}

impl Blocks {
    /// Divides the loops of a plan into rows, columns and outer loops. The plan's operands are the result and the source, with elements of
    /// `size` bytes.
    pub(crate) fn new(plan: &Plan<2>, size: usize) -> Blocks {
        let bytes = |elements: isize| elements * size as isize;
        let mut left = Loops::new();
        for (&extent, &[to, from]) in plan.shape().iter().zip(plan.strides()) {
            left.push(Loop { extent, to: bytes(to), from: bytes(from) });
        }
        let [rows, columns, outer] = [Loops::new(); 3];
        let offsets = plan.offsets().map(bytes);
        let mut blocks = Blocks { unit: size, rows, columns, contiguous: false, outer, offsets };
        blocks.turn(&mut left);
        blocks.find_unit(&mut left);
        blocks.find_sides(&mut left);
        blocks.outer = left;
        blocks.sort_outer();
        blocks
    }

    /// Merges elements that are contiguous in both operands into one larger element.
    fn find_unit(&mut self, left: &mut Loops) {
        let unit = self.unit as isize;
        if let Some(at) = left.position(|l| l.to == unit && l.from == unit) {
            self.unit *= left.remove(at).extent;
        }
    }

    /// Splits off the innermost column loop, and returns it with the remaining loops. Returns `None` unless all of these hold:
    /// * The loop is contiguous in the result.
    /// * Its stride in the source is a multiple of the unit.
    /// * The unit has 1, 2, 4, 8 or 16 bytes.
    pub(crate) fn split_contiguous(&self) -> Option<(Loop, Blocks)> {
        let mut rest = *self;
        let first = self.columns.as_slice().first()?;
        let unit = self.unit as isize;
        let contiguous = first.to == unit && first.from % unit == 0 && matches!(unit, 1 | 2 | 4 | 8 | 16);
        contiguous.then(|| (rest.columns.remove(0), rest))
    }

    /// Splits off a row whose elements are contiguous in the source, and repeated contiguously in the result. Returns the extent of the
    /// row, the number of copies of each element, and the loops around the row. Returns `None` if rows or columns have another form.
    pub(crate) fn split_repeated(&self) -> Option<(usize, usize, Blocks)> {
        let ([row], [column]) = (self.rows.as_slice(), self.columns.as_slice()) else { return None };
        let unit = self.unit as isize;
        let copies = column.from == 0 && column.to == unit;
        let next = row.from == unit && row.to == unit * column.extent as isize;
        let sized = matches!(unit, 1 | 2 | 4 | 8 | 16);
        let rest = Blocks { rows: Loops::new(), columns: Loops::new(), contiguous: false, ..*self };
        (copies && next && sized).then_some((row.extent, column.extent, rest))
    }

    /// Reverses loops that run backwards in the result. Exception: a loop that steps by one element in the source, but not in the result,
    /// is reversed if it runs backwards in the source.
    fn turn(&mut self, left: &mut Loops) {
        let unit = self.unit as isize;
        for l in &mut left.loops[..left.count] {
            let backwards = if l.from.abs() == unit && l.to.abs() != unit { l.from < 0 } else { l.to < 0 };
            if backwards {
                let last = l.extent as isize - 1;
                self.offsets[0] += l.to * last;
                self.offsets[1] += l.from * last;
                (l.to, l.from) = (-l.to, -l.from);
            }
        }
    }

    /// Chooses the axis with the smallest stride in the result as columns, and the axis with the smallest stride in the source as rows.
    fn find_sides(&mut self, left: &mut Loops) {
        let unit = self.unit as isize;
        let Some(column) = left.least(|l| l.to.unsigned_abs()) else { return };
        let column = left.remove(column);
        self.columns.push(column);
        // A stride of 0 in the source repeats an element; it does not make a row.
        let steps = |l: &Loop| if l.from == 0 { usize::MAX } else { l.from.unsigned_abs() };
        let Some(row) = left.least(steps) else { return };
        if steps(&left.loops[row]) >= steps(&column) {
            return;
        }
        let row = left.remove(row);
        self.rows.push(row);
        self.contiguous = column.to == unit && row.from == unit && matches!(unit, 1 | 2 | 4 | 8 | 16);
        if self.contiguous {
            lengthen(&mut self.rows, left, self.unit, CACHE_LINE_BYTES, |l| l.from);
            lengthen(&mut self.columns, left, self.unit, MIN_ROW_BYTES, |l| l.to);
        }
    }

    fn sort_outer(&mut self) {
        let step = |l: &Loop| match l.from {
            0 => l.to.unsigned_abs(),
            from => l.to.unsigned_abs().min(from.unsigned_abs()),
        };
        let count = self.outer.count;
        sort_axes_by_key(&mut self.outer.loops[..count], |l| core::cmp::Reverse(step(l)));
    }

    /// Returns the number of bytes that are copied.
    pub(crate) fn bytes(&self) -> usize {
        self.unit * self.rows.len() * self.columns.len() * self.outer.len()
    }

    /// Splits the copy in two halves, or returns `None` if no loop can be split. Splits an outer loop if there is one, otherwise the rows
    /// or the columns at a multiple of `grain`. A copy of a single large element is split at a multiple of a page.
    pub(crate) fn halves(&self, grain: usize) -> Option<(Blocks, Blocks)> {
        let (mut low, mut high) = (*self, *self);
        if self.bytes() == self.unit && self.unit >= 2 * PAGE_BYTES {
            low.unit = (self.unit / 2).next_multiple_of(PAGE_BYTES);
            high.unit -= low.unit;
            high.offsets = self.offsets.map(|offset| offset + low.unit as isize);
            return Some((low, high));
        }
        let cut = |low: &mut Loops, high: &mut Loops, at: usize, grain: usize| {
            let extent = low.loops[at].extent;
            let middle = (extent / 2).next_multiple_of(grain);
            if middle == 0 || middle >= extent {
                return None;
            }
            low.loops[at].extent = middle;
            high.loops[at].extent = extent - middle;
            Some((low.loops[at], middle as isize))
        };
        let cut = match self.outer.position(|l| l.extent > 1) {
            Some(at) => cut(&mut low.outer, &mut high.outer, at, 1),
            None if self.rows.count == 1 && self.rows.len() >= 2 * grain => {
                cut(&mut low.rows, &mut high.rows, 0, grain)
            }
            None if self.columns.count == 1 => cut(&mut low.columns, &mut high.columns, 0, grain),
            None => None,
        };
        let (one, steps) = cut?;
        high.offsets[0] += one.to * steps;
        high.offsets[1] += one.from * steps;
        Some((low, high))
    }
}

/// Extends rows or columns (`side`) until they have `enough` bytes. Adds loops whose stride, in bytes, is the current length of `side`. If
/// such a loop has too many iterations for [`MAX_ROW_LEN`], splits the loop in two and adds the inner one, whose extent divides the extent
/// of the whole loop.
fn lengthen(side: &mut Loops, left: &mut Loops, unit: usize, enough: usize, step: impl Fn(&Loop) -> isize) {
    while side.len() * unit < enough {
        let end = (side.len() * unit) as isize;
        let room = MAX_ROW_LEN / side.len();
        let Some(at) = left.position(|l| step(l) == end) else { return };
        let next = &mut left.loops[at];
        let part =
            (1..=room.min(next.extent)).rev().find(|part| next.extent.is_multiple_of(*part)).unwrap_or(1);
        if part == next.extent {
            side.push(left.remove(at));
        } else {
            if part > 1 {
                side.push(Loop { extent: part, ..*next });
                let steps = part as isize;
                *next = Loop { extent: next.extent / part, to: next.to * steps, from: next.from * steps };
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;

    fn blocks(shape: &[usize], to: &[isize], from: &[isize], size: usize) -> Blocks {
        Blocks::new(&Plan::unordered_by(shape, [to, from], 0), size)
    }

    /// Returns the loops that copy a row-major array with permuted axes.
    fn permuted(shape: &[usize], axes: &[usize], size: usize) -> Blocks {
        let from = Layout::contiguous(shape, true).permute(axes).unwrap();
        let to = Layout::contiguous(from.shape(), true);
        blocks(to.shape(), to.strides(), from.strides(), size)
    }

    fn extents(loops: &Loops) -> Vec<usize> {
        loops.as_slice().iter().map(|l| l.extent).collect()
    }

    /// Returns the offsets of the first bytes of all elements, in the result and in the source.
    fn visited(blocks: &Blocks) -> Vec<[isize; 2]> {
        let mut all = vec![blocks.offsets];
        for loops in [blocks.outer, blocks.rows, blocks.columns] {
            for l in loops.as_slice() {
                let step = |at: &[isize; 2], i: isize| [at[0] + i * l.to, at[1] + i * l.from];
                all = all.iter().flat_map(|at| (0..l.extent as isize).map(move |i| step(at, i))).collect();
            }
        }
        all.sort();
        all
    }

    #[test]
    fn a_transpose_has_rows_and_columns() {
        let b = permuted(&[30, 40], &[1, 0], 8);
        assert_eq!(b.columns.as_slice(), [Loop { extent: 30, to: 8, from: 320 }]);
        assert_eq!(b.rows.as_slice(), [Loop { extent: 40, to: 240, from: 8 }]);
        assert!(b.contiguous && b.outer.as_slice().is_empty());
        assert_eq!((b.unit, b.bytes()), (8, 9600));
    }

    #[test]
    fn what_stays_together_is_one_element() {
        let b = permuted(&[5, 7, 2], &[1, 0, 2], 4);
        assert_eq!((b.unit, extents(&b.rows), extents(&b.columns)), (8, vec![7], vec![5]));
        let rows = permuted(&[5, 7, 9], &[1, 0, 2], 8);
        assert_eq!((rows.unit, rows.contiguous), (72, false));
        let all = permuted(&[5, 7], &[0, 1], 8);
        assert_eq!((all.unit, all.outer.len(), all.rows.len(), all.columns.len()), (280, 1, 1, 1));
    }

    #[test]
    fn short_axes_are_taken_together() {
        let b = permuted(&[2; 10], &[3, 9, 1, 7, 5, 8, 2, 6, 0, 4], 8);
        assert_eq!((b.rows.len(), b.columns.len(), b.outer.len()), (8, 16, 8));
        // The row, which is an axis of the source, cannot be extended: the axis with the next larger stride in the source is already the
        // column. Nor can the column: the axis with the next larger stride in the result is already the row.
        let pair = permuted(&[3, 2, 2], &[0, 2, 1], 8);
        assert_eq!(
            (extents(&pair.rows), extents(&pair.columns), extents(&pair.outer)),
            (vec![2], vec![2], vec![3])
        );
    }

    #[test]
    fn small_steps_are_inside() {
        let b = permuted(&[16; 6], &[3, 0, 5, 1, 4, 2], 8);
        assert_eq!((extents(&b.rows), extents(&b.columns)), (vec![16], vec![16, 16]));
        assert_eq!(b.outer.as_slice()[2].from.min(b.outer.as_slice()[2].to), 2048);
        // A row has at most `MAX_ROW_LEN` = 256 elements. Two axes of 64 indices would exceed this number. So the row has one axis and a
        // part of the other one: 4 indices, a divisor of 64.
        let c = permuted(&[64; 4], &[3, 2, 1, 0], 8);
        assert_eq!((extents(&c.columns), extents(&c.outer)), (vec![64, 4], vec![16, 64]));
    }

    #[test]
    fn nothing_is_lost() {
        let cases: &[(&[usize], &[isize], &[isize])] = &[
            (&[], &[], &[]),
            (&[4], &[1], &[-3]),
            (&[4], &[1], &[-1]),
            (&[6, 4], &[4, 1], &[-1, 6]),
            (&[6, 4], &[4, 1], &[0, 1]),
            (&[6, 4], &[4, 1], &[1, 0]),
            (&[6, 4], &[4, 1], &[0, 0]),
            (&[6, 4], &[8, 2], &[3, 18]),
            (&[6, 4], &[-4, -1], &[1, 6]),
            (&[6, 4], &[4, -1], &[-4, 1]),
            (&[2, 3, 4], &[12, 4, 1], &[1, 2, 6]),
            (&[2, 2, 2, 2], &[8, 4, 2, 1], &[1, 8, -2, 4]),
            (&[2, 2, 2, 2, 3], &[24, 12, 6, 3, 1], &[4, 1, 2, 8, -16]),
        ];
        for &(shape, to, from) in cases {
            for size in [1, 8] {
                let b = blocks(shape, to, from, size);
                let mut expected = vec![[0, 0]];
                for axis in 0..shape.len() {
                    let step = |at: &[isize; 2], i: isize| {
                        [at[0] + i * to[axis] * size as isize, at[1] + i * from[axis] * size as isize]
                    };
                    expected = (expected.iter())
                        .flat_map(|at| (0..shape[axis] as isize).map(move |i| step(at, i)))
                        .collect();
                }
                expected.sort();
                let elements = |b: &Blocks| {
                    let together = (0..b.unit / size).map(|i| (i * size) as isize);
                    let mut all: Vec<_> = visited(b)
                        .into_iter()
                        .flat_map(|at| together.clone().map(move |i| at.map(|x| x + i)))
                        .collect();
                    all.sort();
                    all
                };
                assert_eq!(elements(&b), expected, "{shape:?} {to:?} {from:?}");
                assert_eq!(b.bytes(), expected.len() * size);
                if let Some((low, high)) = b.halves(2) {
                    let mut both = [elements(&low), elements(&high)].concat();
                    both.sort();
                    assert_eq!(both, expected, "halves of {shape:?}");
                }
            }
        }
    }

    #[test]
    fn halves_are_cut_at_the_grain() {
        let (low, high) = permuted(&[300, 500], &[1, 0], 8).halves(64).unwrap();
        assert_eq!((low.rows.len(), high.rows.len()), (256, 244));
        let (low, high) = permuted(&[300, 50], &[1, 0], 8).halves(64).unwrap();
        assert_eq!((low.columns.len(), high.columns.len()), (192, 108));
        assert!(permuted(&[60, 50], &[1, 0], 8).halves(64).is_none());
        let (low, high) = permuted(&[600, 50], &[0, 1], 8).halves(64).unwrap();
        assert_eq!((low.unit, high.unit, high.offsets), (122_880, 117_120, [122_880; 2]));
    }
}
