//! What becomes of two operands: their labels in classes, and for each pattern of classes the simplest kernel that does it.
//! Nothing here touches an element.
//!
//! A label of the pair is, by where it occurs:
//!
//! | class | left operand | right operand | result |
//! |---|---|---|---|
//! | batch | yes | yes | yes |
//! | left | yes | | yes |
//! | right | | yes | yes |
//! | sum | yes | yes | |
//!
//! A label that occurs in one operand only has been summed away before. What is left goes by this table:
//!
//! | pattern | kernel | examples |
//! |---|---|---|
//! | no sum | product of elements; an operand repeats where it lacks a label | `i,i->i` `i,ij->ij` `i,j->ij` |
//! | sum, and no left or no right | sums of products | `i,i->` `ij,ij->i` `ij,j->i` |
//! | sum, left and right | matrix products | `ij,jk->ik` `bij,bjk->bik` `aib,bjc->aijc` |

use super::labelled::{Extents, Labelled};
use super::labels::{Labels, Set};
use core::ops::Range;

/// The labels of a pair by class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Classes {
    batch: Labels,
    left: Labels,
    right: Labels,
    sum: Labels,
}

impl Classes {
    /// Of operands that have no label of their own that the result lacks.
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

    /// The sequence of axes that suits a result whose layout is free: what it lies in can be one matrix for each batch.
    pub(super) fn free_result(&self, a: &Labelled, b: &Labelled) -> Labels {
        let mut labels = a.by_stride(self.batch);
        labels.extend(&a.by_stride(self.left));
        labels.extend(&b.by_stride(self.right));
        labels
    }
}

/// How a pair is computed.
#[derive(Debug)]
pub(super) enum Kernel {
    /// `out = a · b`, element by element.
    Multiply,
    /// `out = Σ a · b` over these labels.
    SumProducts(Labels),
    /// A product of matrices for each batch.
    Gemm(Matrices),
}

/// Groups of labels that make matrices of tensors: the left one has rows `left` and columns `sum`, the right one rows `sum`
/// and columns `right`.
#[derive(Debug)]
pub(super) struct Matrices {
    pub(super) batch: Labels,
    pub(super) left: Labels,
    pub(super) right: Labels,
    pub(super) sum: Labels,
    /// Summed labels that are walked around the products, which add up: cheaper, for a small result, than to copy an operand.
    pub(super) walk: Labels,
    /// The sequence of axes in which an operand is copied because a group of its axes does not lie in one stride.
    pub(super) pack: [Option<Labels>; 2],
    /// Whether the result is made apart and then copied to where it belongs.
    pub(super) apart: bool,
}

/// Smallest number of rows or columns that is worth a loop around them; with fewer, the operand is packed.
const MIN_RUN: usize = 8;
/// A result tile of fewer elements wastes most of a matrix kernel ..
const MIN_TILE_LEN: usize = 128;
/// .. which matters if sums are longer than this; otherwise copying a result would cost more.
const MIN_LONG_SUM: usize = 64;

impl Kernel {
    /// The table. `accumulates`: whether a sum may be taken in parts, each of which has a value.
    pub(super) fn choose(
        a: &Labelled,
        b: &Labelled,
        c: &Labelled,
        extents: &Extents,
        accumulates: bool,
    ) -> Kernel {
        let classes = Classes::new(a, b, c.set());
        match (classes.sum.is_empty(), classes.left.is_empty() || classes.right.is_empty()) {
            (true, _) => Kernel::Multiply,
            (false, true) => Kernel::SumProducts(classes.sum),
            (false, false) => Kernel::Gemm(Matrices::choose(&classes, a, b, c, extents, accumulates)),
        }
    }
}

impl Matrices {
    fn choose(
        classes: &Classes,
        a: &Labelled,
        b: &Labelled,
        c: &Labelled,
        extents: &Extents,
        accumulates: bool,
    ) -> Matrices {
        let Classes { mut batch, left, right, sum } = *classes;
        if left.len() == 1 && right.len() == 1 && sum.len() == 1 {
            // Matrices as they are.
            let batch = c.by_stride(batch);
            return Matrices { batch, left, right, sum, walk: Labels::NONE, pack: [None; 2], apart: false };
        }
        let (outer_left, mut left) = run(c, a, classes.left, extents);
        let (outer_right, mut right) = run(c, b, classes.right, extents);
        let walked = !outer_left.is_empty() || !outer_right.is_empty();
        let tile = extents.product(&left).saturating_mul(extents.product(&right));
        let apart = walked && tile < MIN_TILE_LEN && extents.product(&classes.sum) > MIN_LONG_SUM;
        if apart {
            (left, right) = (a.by_stride(classes.left), b.by_stride(classes.right));
        } else {
            batch.extend(&outer_left);
            batch.extend(&outer_right);
        }
        let batch = c.by_stride(batch);
        let fuses = |x: &Labelled, labels: &[u8]| x.fused(labels, extents).is_some();
        // What is copied anyway suits itself to the other's sequence of summed axes.
        let (walk, sum) = match (fuses(a, &left), fuses(b, &right)) {
            (_, false) => (Labels::NONE, a.by_stride(classes.sum)),
            (false, true) => (Labels::NONE, b.by_stride(classes.sum)),
            (true, true) => {
                let sum = sum_sequence(classes.sum, a, b, extents);
                let copied =
                    [a, b].into_iter().filter(|x| !fuses(x, &sum)).map(|x| extents.product(&x.labels()));
                let result = extents.product(&c.labels());
                let rounds = copied.fold(0, usize::saturating_add).saturating_mul(2) / result.max(1);
                match sum_walk(classes.sum, a, b, extents) {
                    // An empty sum has to be written, too.
                    Some((walk, run)) if accumulates && (1..=rounds).contains(&extents.product(&walk)) => {
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
                // The side that already lies inside stays there: the copy is the cheaper.
                let inside = x.labels().iter().copied().min_by_key(|&l| x.stride(l).unsigned_abs());
                let own_inside = inside.is_some_and(|label| own.contains(&label));
                let (outer, inner) = if own_inside { (&*sum, own) } else { (own, &*sum) };
                labels.extend(outer);
                labels.extend(inner);
                labels
            })
        };
        let pack = [packed(a, &left), packed(b, &right)];
        Matrices { batch, left, right, sum, walk, pack, apart }
    }

    /// The sequence of axes of a result that is made apart.
    pub(super) fn result(&self) -> Labels {
        let mut labels = self.batch;
        labels.extend(&self.left);
        labels.extend(&self.right);
        labels
    }
}

/// The labels that are walked around the rows (or columns) of a matrix, and those that make its rows: axes of the result that
/// fuse in it and, unless they are too few, in the operand. The innermost such axes are best, for they are written side by
/// side; where they are too few, the longest.
fn run(c: &Labelled, x: &Labelled, labels: Labels, extents: &Extents) -> (Labels, Labels) {
    let labels = c.by_stride(labels);
    let in_result = |labels: &[u8]| c.fused(labels, extents).is_some();
    let wide = best_run(&labels, extents, &in_result);
    let narrow =
        best_run(&labels, extents, &|labels| in_result(labels) && x.fused(labels, extents).is_some());
    cut(&labels, if extents.product(&labels[narrow.clone()]) < MIN_RUN { wide } else { narrow })
}

/// The innermost labels that fuse, or the longest such run where these are too few.
fn best_run(labels: &[u8], extents: &Extents, fuses: &dyn Fn(&[u8]) -> bool) -> Range<usize> {
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

/// What is left of a run, and the run.
fn cut(labels: &[u8], run: Range<usize>) -> (Labels, Labels) {
    let around = labels[..run.start].iter().chain(&labels[run.end..]);
    (around.copied().collect(), labels[run].iter().copied().collect())
}

/// Summed labels to be walked around, and a run that fuses in both operands, where there is a long one: inside the larger
/// operand if possible, which is then read as it lies.
fn sum_walk(sum: Labels, a: &Labelled, b: &Labelled, extents: &Extents) -> Option<(Labels, Labels)> {
    let fuses = |labels: &[u8]| a.fused(labels, extents).is_some() && b.fused(labels, extents).is_some();
    by_size(a, b, extents)
        .map(|x| x.by_stride(sum))
        .map(|labels| cut(&labels, best_run(&labels, extents, &fuses)))
        .into_iter()
        .find(|(_, run)| extents.product(run) >= MIN_RUN)
}

/// The larger operand, and the other.
fn by_size<'x>(a: &'x Labelled, b: &'x Labelled, extents: &Extents) -> [&'x Labelled; 2] {
    if extents.product(&a.labels()) >= extents.product(&b.labels()) { [a, b] } else { [b, a] }
}

/// The sequence of the summed labels in which both operands fuse, or at least the larger one, whose copy would cost more.
fn sum_sequence(sum: Labels, a: &Labelled, b: &Labelled, extents: &Extents) -> Labels {
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

    /// The kernel for operands whose axes lie in these sequences of labels (the last one inside), and the result in its own.
    fn kernel(text: &str, memory: [&str; 2], extent: usize) -> Kernel {
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
        let out = Layout::dense(&vec![extent; bound.result().len()], true);
        let c = Labelled::new(out.axes(), &bound.result(), bound.extents());
        Kernel::choose(
            &bound.operand(0, layouts[0].axes()),
            &bound.operand(1, layouts[1].axes()),
            &c,
            bound.extents(),
            true,
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
        // (specification, axes as they lie, which operands are packed, batch and walked labels, whether apart)
        for (text, memory, packed, batch, apart) in [
            ("ij,jk->ik", ["ij", "jk"], [false, false], 0, false),
            ("ij,jk->ik", ["ji", "kj"], [false, false], 0, false),
            ("bij,bjk->bik", ["bij", "bjk"], [false, false], 1, false),
            ("ijk,kl->ijl", ["ijk", "kl"], [false, false], 0, false),
            ("ijkl,klmn->ijmn", ["ijkl", "klmn"], [false, false], 0, false),
            ("aib,bjc->aijc", ["aib", "bjc"], [false, false], 0, false),
            // The summed axes lie in another sequence: the smaller operand is packed.
            ("abcd,bce->ade", ["adbc", "cbe"], [false, true], 0, false),
            // A small result is rather added up in parts than the large operand copied.
            ("abc,bce->ae", ["cab", "bce"], [false, false], 0, false),
            // Rows are walked around rather than the large operand copied ..
            ("abcd,cbe->ade", ["abcd", "cbe"], [false, true], 1, false),
            // A result whose rows are no one axis is walked along the other.
            ("ija,kla->ikjl", ["ija", "kla"], [false, false], 2, false),
        ] {
            let found = plan(text, memory, 12);
            assert_eq!(found.pack.each_ref().map(Option::is_some), packed, "{text}: {found:?}");
            assert_eq!((found.batch.len(), found.apart), (batch, apart), "{text}: {found:?}");
        }
        // .. unless they are too short; what is not copied says in which sequence the sum runs.
        let short = plan("abcd,cbe->ade", ["abcd", "cbe"], 4);
        assert_eq!((short.pack.each_ref().map(Option::is_some), short.batch.len()), ([true, false], 0));
        // Tiles of 3 × 3 under a sum of 3⁴ terms waste the kernel: the result is made apart.
        assert!(plan("ijabcd,klabcd->ikjl", ["ijabcd", "klabcd"], 3).apart);
        assert!(!plan("ija,kla->ikjl", ["ija", "kla"], 3).apart);
    }
}
