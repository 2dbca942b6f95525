//! Plans the contraction of two operands, for `execute.rs`: sorts the labels into classes, and chooses the simplest kernel for the
//! classes that occur. The plan depends only on labels, extents and strides, not on elements.
//!
//! The class of a label depends on where it occurs:
//!
//! | class | left operand | right operand | result |
//! |---|---|---|---|
//! | batch | yes | yes | yes |
//! | left | yes | | yes |
//! | right | | yes | yes |
//! | sum | yes | yes | |
//!
//! A label that occurs in one operand only, and not in the result, has no class: `execute.rs` has already summed over it. The
//! classes determine the kernel:
//!
//! | classes | kernel | examples |
//! |---|---|---|
//! | no sum | elementwise product; an operand repeats along labels that it lacks | `i,i->i` `i,ij->ij` `i,j->ij` |
//! | sum, and no left or no right | sums of products | `i,i->` `ij,ij->i` `ij,j->i` |
//! | sum, left and right | matrix products | `ij,jk->ik` `bij,bjk->bik` `aib,bjc->aijc` |

use super::labelled::{LabelExtents, Labelled};
use super::labels::{Labels, Set};
use core::ops::Range;

/// The labels of a pair of operands, by class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Classes {
    batch: Labels,
    left: Labels,
    right: Labels,
    sum: Labels,
}

impl Classes {
    /// Classifies the labels of two operands. Every label that the result lacks must occur in both operands.
    pub(super) fn new(a: &Labelled, b: &Labelled, result: Set) -> Classes {
        let (in_a, in_b) = (a.set(), b.set());
        let of = |labels: Labels, set: Set| labels.iter().copied().filter(|l| set & (1 << l) != 0).collect();
        Classes {
            batch: of(a.labels(), in_b & result),
            left: of(a.labels(), result & !in_b),
            right: of(b.labels(), result & !in_a),
            sum: of(a.labels(), in_b & !result),
        }
    }

    /// Returns the axis order for an intermediate result. Its layout is free, so each batch index gets one contiguous matrix.
    pub(super) fn free_result(&self, a: &Labelled, b: &Labelled) -> Labels {
        let mut labels = a.by_stride(self.batch);
        labels.extend(&a.by_stride(self.left));
        labels.extend(&b.by_stride(self.right));
        labels
    }
}

/// The kernel that contracts a pair of operands.
#[derive(Debug)]
pub(super) enum Kernel {
    /// `out = a · b`, elementwise.
    Multiply,
    /// `out = Σ a · b` over these labels.
    SumProducts(Labels),
    /// A matrix product for each batch index.
    Gemm(Matrices),
}

/// Groups of labels that turn tensors into matrices. The matrix of the left operand has rows `left` and columns `sum`. The matrix
/// of the right operand has rows `sum` and columns `right`.
#[derive(Debug)]
pub(super) struct Matrices {
    pub(super) batch: Labels,
    pub(super) left: Labels,
    pub(super) right: Labels,
    pub(super) sum: Labels,
    /// The summed labels of loops around the matrix products. Each iteration adds its product to the result. If the result is
    /// small, such loops take less time than packing an operand.
    pub(super) walk: Labels,
    /// For each operand, the axis order in which it is packed. `None` if the axes of its groups fuse, so that it is not packed.
    pub(super) pack: [Option<Labels>; 2],
    /// Whether the result is computed in a temporary buffer and then copied to the output.
    pub(super) into_temporary: bool,
}

/// Minimum number of rows, of columns and of summed terms of each matrix product in a loop of products. If a product would have fewer, an
/// operand is packed instead, so that the products are larger.
const MIN_RUN: usize = 8;
/// Minimum number of result elements of each matrix product in a loop of products. Smaller products use only a small part of the
/// micro-kernel's tile.
const MIN_TILE_LEN: usize = 128;
/// Number of terms of a sum above which products of fewer than [`MIN_TILE_LEN`] elements are avoided: larger products are written
/// to a temporary buffer, which is then copied. For shorter sums, the copy would take longer than it saves.
const MIN_LONG_SUM: usize = 64;

impl Kernel {
    /// Chooses the kernel by the table in the module documentation.
    ///
    /// `start_cost` is the constant of [`Gemm`](crate::device::Gemm::START_COST) if several products may accumulate one sum. It must be
    /// `None` for integers: a partial sum may overflow although the whole sum does not.
    pub(super) fn choose(
        a: &Labelled,
        b: &Labelled,
        c: &Labelled,
        extents: &LabelExtents,
        start_cost: Option<usize>,
    ) -> Kernel {
        let classes = Classes::new(a, b, c.set());
        match (classes.sum.is_empty(), classes.left.is_empty() || classes.right.is_empty()) {
            (true, _) => Kernel::Multiply,
            (false, true) => Kernel::SumProducts(classes.sum),
            (false, false) => Kernel::Gemm(Matrices::choose(&classes, a, b, c, extents, start_cost)),
        }
    }
}

impl Matrices {
    /// Groups the labels for matrix products, and chooses between loops, packed operands and a temporary buffer. `start_cost` is
    /// the parameter of [`Kernel::choose`].
    fn choose(
        classes: &Classes,
        a: &Labelled,
        b: &Labelled,
        c: &Labelled,
        extents: &LabelExtents,
        start_cost: Option<usize>,
    ) -> Matrices {
        let Classes { mut batch, left, right, sum } = *classes;
        if left.len() == 1 && right.len() == 1 && sum.len() == 1 {
            // For each batch index, the operands are matrices already.
            let batch = c.by_stride(batch);
            return Matrices {
                batch,
                left,
                right,
                sum,
                walk: Labels::NONE,
                pack: [None; 2],
                into_temporary: false,
            };
        }
        let (outer_left, mut left) = run(c, a, classes.left, extents);
        let (outer_right, mut right) = run(c, b, classes.right, extents);
        let walked = !outer_left.is_empty() || !outer_right.is_empty();
        let tile = extents.product(&left).saturating_mul(extents.product(&right));
        let into_temporary = walked && tile < MIN_TILE_LEN && extents.product(&classes.sum) > MIN_LONG_SUM;
        if into_temporary {
            (left, right) = (a.by_stride(classes.left), b.by_stride(classes.right));
        } else {
            batch.extend(&outer_left);
            batch.extend(&outer_right);
        }
        let batch = c.by_stride(batch);
        let fuses = |x: &Labelled, labels: &[u8]| x.fused(labels, extents).is_some();
        // If one operand must be packed because of its rows or columns, the other operand determines the order of the summed axes.
        let (walk, sum) = match (fuses(a, &left), fuses(b, &right)) {
            (_, false) => (Labels::NONE, a.by_stride(classes.sum)),
            (false, true) => (Labels::NONE, b.by_stride(classes.sum)),
            (true, true) => {
                let sum = sum_axis_order(classes.sum, a, b, extents);
                let copied =
                    [a, b].into_iter().filter(|x| !fuses(x, &sum)).map(|x| extents.product(&x.labels()));
                let iteration = extents.product(&c.labels()).saturating_add(start_cost.unwrap_or(0)).max(1);
                // The largest number of iterations for which accumulating into the result is assumed to cost no more than packing.
                let rounds = copied.fold(0, usize::saturating_add).saturating_mul(2) / iteration;
                match sum_loops(classes.sum, a, b, extents) {
                    // At least one iteration: the product inside the loops writes the result, also if the sum has zero terms.
                    Some((walk, run))
                        if start_cost.is_some() && (1..=rounds).contains(&extents.product(&walk)) =>
                    {
                        (walk, run)
                    }
                    _ => (Labels::NONE, sum),
                }
            }
        };
        let fits = |x: &Labelled, own: &[u8]| fuses(x, own) && fuses(x, &sum);
        let packed = |x: &Labelled, own: &[u8]| {
            (!fits(x, own)).then(|| {
                let has = |label: &u8| x.labels().contains(label);
                let mut labels: Labels = batch.iter().copied().filter(has).collect();
                // Of the labels `own` and `sum`, those that include the label with the smallest stride are innermost, which makes the copy
                // cheaper.
                let inside = x.labels().iter().copied().min_by_key(|&l| x.stride(l).unsigned_abs());
                let own_inside = inside.is_some_and(|label| own.contains(&label));
                let (outer, inner) = if own_inside { (&*sum, own) } else { (own, &*sum) };
                labels.extend(outer);
                labels.extend(inner);
                labels
            })
        };
        let pack = [packed(a, &left), packed(b, &right)];
        Matrices { batch, left, right, sum, walk, pack, into_temporary }
    }

    /// Returns the axis order of the temporary buffer for a result with `into_temporary`.
    pub(super) fn result(&self) -> Labels {
        let mut labels = self.batch;
        labels.extend(&self.left);
        labels.extend(&self.right);
        labels
    }
}

/// Splits `labels`, which are the rows (or columns) of the matrix of an operand `x`. Returns the labels of loops around the matrix
/// product, and the labels whose fused axes are the rows of one product.
///
/// Prefers labels whose axes fuse both in the result `c` and in `x`. If all such labels give fewer than [`MIN_RUN`] rows, the axes need to
/// fuse only in `c`; if they do not fuse in `x`, the caller packs `x`. [`best_run`] prefers inner axes, because results along them are
/// contiguous.
fn run(c: &Labelled, x: &Labelled, labels: Labels, extents: &LabelExtents) -> (Labels, Labels) {
    let labels = c.by_stride(labels);
    let in_result = |labels: &[u8]| c.fused(labels, extents).is_some();
    let wide = best_run(&labels, extents, &in_result);
    let narrow =
        best_run(&labels, extents, &|labels| in_result(labels) && x.fused(labels, extents).is_some());
    cut(&labels, if extents.product(&labels[narrow.clone()]) < MIN_RUN { wide } else { narrow })
}

/// Returns the innermost run of labels that fuse to an axis of extent [`MIN_RUN`] or more. If no run is that long, returns the
/// longest.
fn best_run(labels: &[u8], extents: &LabelExtents, fuses: &dyn Fn(&[u8]) -> bool) -> Range<usize> {
    let length = |run: &Range<usize>| extents.product(&labels[run.clone()]);
    let (mut end, mut best) = (labels.len(), labels.len()..labels.len());
    while end > 0 && (best.is_empty() || length(&best) < MIN_RUN) {
        let start = (0..end).find(|&start| fuses(&labels[start..end])).unwrap_or(end - 1);
        if best.is_empty() || length(&(start..end)) > length(&best) {
            best = start..end;
        }
        end = start;
    }
    best
}

/// Splits labels into those outside of `run`, and those in `run`.
fn cut(labels: &[u8], run: Range<usize>) -> (Labels, Labels) {
    let around = labels[..run.start].iter().chain(&labels[run.end..]);
    (around.copied().collect(), labels[run].iter().copied().collect())
}

/// Splits the summed labels into those of loops around the products, and a run: adjacent labels whose axes fuse in both operands. Returns
/// `None` if each run has a fused extent below [`MIN_RUN`].
///
/// Prefers runs in the axis order of the larger operand, and inner runs to outer runs: the larger operand is then read
/// contiguously.
fn sum_loops(sum: Labels, a: &Labelled, b: &Labelled, extents: &LabelExtents) -> Option<(Labels, Labels)> {
    let fuses = |labels: &[u8]| a.fused(labels, extents).is_some() && b.fused(labels, extents).is_some();
    by_size(a, b, extents)
        .map(|x| x.by_stride(sum))
        .map(|labels| cut(&labels, best_run(&labels, extents, &fuses)))
        .into_iter()
        .find(|(_, run)| extents.product(run) >= MIN_RUN)
}

/// Returns the larger operand, then the smaller operand.
fn by_size<'x>(a: &'x Labelled, b: &'x Labelled, extents: &LabelExtents) -> [&'x Labelled; 2] {
    if extents.product(&a.labels()) >= extents.product(&b.labels()) { [a, b] } else { [b, a] }
}

/// Returns an order of the summed labels in which their axes fuse in both operands, if there is one. Otherwise, they fuse in the
/// larger operand if possible, because packing it would cost more than packing the smaller operand.
fn sum_axis_order(sum: Labels, a: &Labelled, b: &Labelled, extents: &LabelExtents) -> Labels {
    let [large, small] = by_size(a, b, extents);
    let [by_large, by_small] = [large.by_stride(sum), small.by_stride(sum)];
    let fuses = |x: &Labelled, labels: &Labels| x.fused(labels, extents).is_some();
    let both = |labels: &&Labels| fuses(large, labels) && fuses(small, labels);
    match [&by_large, &by_small].into_iter().find(both) {
        Some(labels) => *labels,
        None if !fuses(large, &by_large) && fuses(small, &by_small) => by_small,
        None => by_large,
    }
}

#[cfg(test)]
mod tests {
    use super::super::labelled::Bound;
    use super::super::spec::Spec;
    use super::*;
    use crate::layout::Layout;

    /// [`kernel_if`] on a device where starting a product costs nothing.
    fn kernel(text: &str, memory: [&str; 2], extent: usize) -> Kernel {
        kernel_if(Some(0), text, memory, extent)
    }

    /// Returns the kernel for contiguous operands whose axes have these orders in memory (the last label innermost). `start_cost` is the
    /// parameter of [`Kernel::choose`].
    fn kernel_if(start_cost: Option<usize>, text: &str, memory: [&str; 2], extent: usize) -> Kernel {
        let spec = Spec::new(text, 2);
        let words: Vec<&str> = text.split([',', '-']).collect();
        let layouts: Vec<Layout> = words[..2]
            .iter()
            .zip(memory)
            .map(|(word, memory)| {
                let step = |label: char| {
                    let inside = memory.split(label).nth(1).expect("a label of the operand").len();
                    extent.pow(inside as u32) as isize
                };
                let strides: Vec<isize> = word.chars().map(step).collect();
                Layout::new(&vec![extent; word.len()], &strides)
            })
            .collect();
        let bound = Bound::new(&spec, true, layouts.iter().map(Layout::shape)).unwrap();
        let out = Layout::contiguous(&vec![extent; bound.result().len()], true);
        let c = Labelled::new(out.axes(), &bound.result(), bound.extents());
        Kernel::choose(
            &bound.operand(0, layouts[0].axes()),
            &bound.operand(1, layouts[1].axes()),
            &c,
            bound.extents(),
            start_cost,
        )
    }

    #[test]
    fn nothing_summed_is_elementwise() {
        for text in ["ij,ij->ij", "i,ij->ij", "i,j->ij", "ij,kl->ikjl", "ijk,ki->kji"] {
            let (a, b) = text.split_once(',').unwrap();
            let b = b.split_once('-').unwrap().0;
            assert!(matches!(kernel(text, [a, b], 3), Kernel::Multiply), "{text}");
        }
    }

    #[test]
    fn vectors_are_no_matrices() {
        for text in
            ["i,i->", "ij,ij->i", "ij,ij->j", "ij,j->i", "ji,j->i", "j,bij->bi", "bij,bij->b", "ijk,jki->"]
        {
            let (a, b) = text.split_once(',').unwrap();
            let b = b.split_once('-').unwrap().0;
            assert!(matches!(kernel(text, [a, b], 3), Kernel::SumProducts(_)), "{text}");
        }
    }

    #[test]
    fn only_what_does_not_fuse_is_copied() {
        let plan = |text, memory, extent| match kernel(text, memory, extent) {
            Kernel::Gemm(plan) => plan,
            other => panic!("{text}: {other:?}"),
        };
        // (specification, axes in memory order, which operands are packed, number of batch and loop labels, `into_temporary`)
        for (text, memory, packed, batch, into_temporary) in [
            ("ij,jk->ik", ["ij", "jk"], [false, false], 0, false),
            ("ij,jk->ik", ["ji", "kj"], [false, false], 0, false),
            ("bij,bjk->bik", ["bij", "bjk"], [false, false], 1, false),
            ("ijk,kl->ijl", ["ijk", "kl"], [false, false], 0, false),
            ("ijkl,klmn->ijmn", ["ijkl", "klmn"], [false, false], 0, false),
            ("aib,bjc->aijc", ["aib", "bjc"], [false, false], 0, false),
            // The summed axes have different orders in the memory of the two operands: the smaller operand is packed.
            ("abcd,bce->ade", ["adbc", "cbe"], [false, true], 0, false),
            // Accumulating several products into a small result is cheaper than packing an operand.
            ("abc,bce->ae", ["cab", "bce"], [false, false], 0, false),
            // A loop over the label `a`, around products with 12 rows, is cheaper than packing the large operand. The small operand
            // is packed.
            ("abcd,cbe->ade", ["abcd", "cbe"], [false, true], 1, false),
            // In the result, neither the rows nor the columns fuse. So one label of the rows and one label of the columns are in loops
            // around the products.
            ("ija,kla->ikjl", ["ija", "kla"], [false, false], 2, false),
        ] {
            let found = plan(text, memory, 12);
            assert_eq!(found.pack.each_ref().map(Option::is_some), packed, "{text}: {found:?}");
            assert_eq!(
                (found.batch.len(), found.into_temporary),
                (batch, into_temporary),
                "{text}: {found:?}"
            );
        }
        // If starting a product takes as long as copying the operands, or several products must not accumulate the result, an operand is
        // packed.
        for start_cost in [Some(2 * 12 * 12 * 12), None] {
            let Kernel::Gemm(found) = kernel_if(start_cost, "abc,bce->ae", ["cab", "bce"], 12) else {
                panic!("no matrix product")
            };
            assert_eq!((found.pack.each_ref().map(Option::is_some), found.walk.len()), ([true, false], 0));
        }
        // For a loop over `a`, products with 4 rows are too small, so the large operand is packed instead. The other operand determines
        // the summation order.
        let short = plan("abcd,cbe->ade", ["abcd", "cbe"], 4);
        assert_eq!((short.pack.each_ref().map(Option::is_some), short.batch.len()), ([true, false], 0));
        // Products of 3 × 3 elements, each a sum of 3⁴ terms, would fill little of the micro-kernel's tile, so the result is computed in a
        // temporary buffer.
        assert!(plan("ijabcd,klabcd->ikjl", ["ijabcd", "klabcd"], 3).into_temporary);
        assert!(!plan("ija,kla->ikjl", ["ija", "kla"], 3).into_temporary);
    }
}
