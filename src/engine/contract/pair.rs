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

use super::costs::{CLEARLY_LESS, COMPARISON, MIN_COMPARED, cost};
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
/// Minimum number of result elements of each product in a loop of products, for contractions whose plans are not compared. Smaller products
/// use only a small part of the micro-kernel's tile.
const MIN_TILE_LEN: usize = 128;
/// Number of terms of a sum above which products of fewer than [`MIN_TILE_LEN`] elements are avoided: larger products are written
/// to a temporary buffer, which is then copied. For shorter sums, the copy would take longer than it saves.
const MIN_LONG_SUM: usize = 64;
/// Minimum number of elements of an operand whose summed axes are innermost after packing although its own innermost axis is not summed.
const MIN_SUMS_INSIDE: usize = 1 << 15;
/// Number of pages that can be read in turns without slow translations of addresses.
const TLB_PAGES: usize = 64;

impl Kernel {
    /// Chooses the kernel by the table in the module documentation.
    ///
    /// `start_cost` is the constant of [`Gemm`](crate::device::Gemm::START_COST). `accumulates` is whether several products may accumulate one
    /// sum. It must be `false` for integers: a partial sum may overflow although the whole sum does not.
    pub(super) fn choose(
        a: &Labelled,
        b: &Labelled,
        c: &Labelled,
        extents: &LabelExtents,
        start_cost: usize,
        accumulates: bool,
    ) -> Kernel {
        let classes = Classes::new(a, b, c.set());
        match (classes.sum.is_empty(), classes.left.is_empty() || classes.right.is_empty()) {
            (true, _) => Kernel::Multiply,
            (false, true) => Kernel::SumProducts(classes.sum),
            (false, false) => {
                Kernel::Gemm(Pair { a, b, c, classes, extents, start_cost, accumulates }.matrices())
            }
        }
    }
}

/// A contraction whose plan is sought. The other fields than `classes` are the parameters of [`Kernel::choose`].
struct Pair<'x> {
    a: &'x Labelled,
    b: &'x Labelled,
    c: &'x Labelled,
    classes: Classes,
    extents: &'x LabelExtents,
    start_cost: usize,
    accumulates: bool,
}

impl Pair<'_> {
    /// Groups the labels for matrix products, and chooses between loops, packed operands and a temporary buffer.
    fn matrices(&self) -> Matrices {
        let Pair { a, b, c, extents, .. } = *self;
        let Classes { batch, left, right, sum } = self.classes;
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
        let (lefts, rights) = (Splits::new(c, a, left, extents), Splits::new(c, b, right, extents));
        let first = [lefts.first(), rights.first()];
        let whole = || [a.by_stride(left), b.by_stride(right)].map(|run| Split { outer: Labels::NONE, run });
        let loops = first.iter().any(|split| !split.outer.is_empty());
        let multiplications = extents.product(&c.labels()).saturating_mul(extents.product(&sum));
        // The constants of `costs` are those of the host, where starting a product takes no time that counts.
        if multiplications < MIN_COMPARED || self.start_cost > 0 {
            let tile = first.iter().map(|split| extents.product(&split.run)).fold(1, usize::saturating_mul);
            if loops && tile < MIN_TILE_LEN && extents.product(&sum) > MIN_LONG_SUM {
                return self.plan(whole(), true);
            }
            return self.plan(first, false);
        }
        let mut best = self.plan(first, false);
        if !loops && best.pack == [None; 2] {
            return best;
        }
        let cost = |plan: &Matrices| cost(plan, [a, b, c], extents);
        let mut least = CLEARLY_LESS * cost(&best);
        if least < multiplications as f64 + COMPARISON {
            return best;
        }
        let mut compare = |plan: Matrices| {
            let cost = cost(&plan);
            if cost < least {
                (least, best) = (cost, plan);
            }
        };
        let (lefts, rights) = (lefts.all(), rights.all());
        for (k, &left) in lefts.iter().enumerate() {
            for (l, &right) in rights.iter().enumerate() {
                let tried = lefts[..k].contains(&left) || rights[..l].contains(&right);
                if !tried && [left, right] != first {
                    compare(self.plan([left, right], false));
                }
            }
        }
        if loops {
            compare(self.plan(whole(), true));
        }
        best
    }

    /// Plans products with these rows and columns: decides which operands are packed, and whether there are loops over summed labels.
    fn plan(&self, [left, right]: [Split; 2], into_temporary: bool) -> Matrices {
        let Pair { a, b, c, extents, .. } = *self;
        let mut batch = self.classes.batch;
        batch.extend(&left.outer);
        batch.extend(&right.outer);
        let (batch, left, right) = (c.by_stride(batch), left.run, right.run);
        let sums = self.classes.sum;
        let fuses = |x: &Labelled, labels: &[u8]| x.fused(labels, extents).is_some();
        // If one operand must be packed because of its rows or columns, the other operand determines the order of the summed axes.
        let (walk, sum) = match (fuses(a, &left), fuses(b, &right)) {
            (_, false) => (Labels::NONE, a.by_stride(sums)),
            (false, true) => (Labels::NONE, b.by_stride(sums)),
            (true, true) => {
                let sum = sum_axis_order(sums, a, b, extents);
                let copied =
                    [a, b].into_iter().filter(|x| !fuses(x, &sum)).map(|x| extents.product(&x.labels()));
                let iteration = extents.product(&c.labels()).saturating_add(self.start_cost).max(1);
                // The largest number of iterations for which accumulating into the result is assumed to cost no more than packing.
                let rounds = copied.fold(0, usize::saturating_add).saturating_mul(2) / iteration;
                match sum_loops(sums, a, b, extents) {
                    // At least one iteration: the product inside the loops writes the result, also if the sum has zero terms.
                    Some((walk, run))
                        if self.accumulates && (1..=rounds).contains(&extents.product(&walk)) =>
                    {
                        (walk, run)
                    }
                    _ => (Labels::NONE, sum),
                }
            }
        };
        let plan = Matrices { batch, left, right, sum, walk, pack: [None; 2], into_temporary };
        // The kernel reads the operand that has the result's innermost axis in vectors along its rows or columns, and the other operand along
        // the summed axes. So packing puts these axes innermost. If the other operand is small, or has so few summed indices that the pages of
        // all of them are in the processor's table of addresses (TLB), a cheap copy saves more: its innermost axis remains in the inner group.
        let packed = |x: &Labelled, own: &[u8]| {
            (!fuses(x, own) || !fuses(x, &sum)).then(|| {
                let has = |label: &u8| x.labels().contains(label);
                let mut labels: Labels = batch.iter().copied().filter(has).collect();
                let in_own = |label: Option<u8>| label.is_some_and(|label| own.contains(&label));
                let small =
                    extents.product(&x.labels()) < MIN_SUMS_INSIDE || extents.product(&sum) <= TLB_PAGES;
                let own_inside = in_own(plan.innermost_of_result(c)) || small && in_own(x.innermost());
                let (outer, inner) = if own_inside { (&*sum, own) } else { (own, &*sum) };
                labels.extend(outer);
                labels.extend(inner);
                labels
            })
        };
        let pack = [packed(a, &left), packed(b, &right)];
        Matrices { pack, ..plan }
    }
}

impl Matrices {
    /// Returns the axis order of the temporary buffer for a result with `into_temporary`.
    pub(super) fn result(&self) -> Labels {
        let mut labels = self.batch;
        labels.extend(&self.left);
        labels.extend(&self.right);
        labels
    }

    /// Returns the label of the axis with the smallest stride of the tensor that the products write. `c` contains the axes of the output.
    pub(super) fn innermost_of_result(&self, c: &Labelled) -> Option<u8> {
        if self.into_temporary { self.result().last().copied() } else { c.innermost() }
    }
}

/// A way to split the rows (or columns) of a matrix: the labels of loops around the products, and the labels whose fused axes are the rows of
/// one product.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Split {
    outer: Labels,
    run: Labels,
}

/// The rows (or columns) of the matrix of an operand `x`, in the order of the result `c`, and the ways to split them.
struct Splits<'x> {
    labels: Labels,
    c: &'x Labelled,
    x: &'x Labelled,
    extents: &'x LabelExtents,
}

impl<'x> Splits<'x> {
    fn new(c: &'x Labelled, x: &'x Labelled, labels: Labels, extents: &'x LabelExtents) -> Self {
        Splits { labels: c.by_stride(labels), c, x, extents }
    }

    /// Returns the [`best_run`] of labels whose axes fuse in the result and in `x`.
    fn narrow(&self, enough: usize) -> Split {
        self.split(enough, &|labels| {
            self.c.fused(labels, self.extents).is_some() && self.x.fused(labels, self.extents).is_some()
        })
    }

    /// Returns the [`best_run`] of labels whose axes fuse in the result. If they do not fuse in `x`, `x` is packed.
    fn wide(&self, enough: usize) -> Split {
        self.split(enough, &|labels| self.c.fused(labels, self.extents).is_some())
    }

    fn split(&self, enough: usize, fuses: &dyn Fn(&[u8]) -> bool) -> Split {
        let (outer, run) = cut(&self.labels, best_run(&self.labels, self.extents, enough, fuses));
        Split { outer, run }
    }

    /// Returns the way that is tried first: `x` is packed only if the products would have few rows otherwise.
    fn first(&self) -> Split {
        let narrow = self.narrow(MIN_RUN);
        if self.extents.product(&narrow.run) < MIN_RUN { self.wide(MIN_RUN) } else { narrow }
    }

    /// Returns the ways that are compared: also those with the longest runs.
    fn all(&self) -> [Split; 4] {
        let longest = usize::MAX;
        [self.narrow(MIN_RUN), self.wide(MIN_RUN), self.narrow(longest), self.wide(longest)]
    }
}

/// Returns the innermost run of labels that fuse to an axis of extent `enough` or more. If no run is that long, returns the longest. Results
/// along inner axes are contiguous.
fn best_run(
    labels: &[u8],
    extents: &LabelExtents,
    enough: usize,
    fuses: &dyn Fn(&[u8]) -> bool,
) -> Range<usize> {
    let length = |run: &Range<usize>| extents.product(&labels[run.clone()]);
    let (mut end, mut best) = (labels.len(), labels.len()..labels.len());
    while end > 0 && (best.is_empty() || length(&best) < enough) {
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
        .map(|labels| cut(&labels, best_run(&labels, extents, MIN_RUN, &fuses)))
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

    /// [`kernel_if`] for axes of the same extent, and sums that several products may accumulate, on a device where starting a product costs
    /// nothing.
    fn kernel(text: &str, memory: [&str; 2], extent: usize) -> Kernel {
        kernel_if(0, true, text, memory, &|_| extent)
    }

    /// Returns the kernel for contiguous operands whose axes have these orders in memory (the last label innermost). `start_cost` and
    /// `accumulates` are the parameters of [`Kernel::choose`].
    fn kernel_if(
        start_cost: usize,
        accumulates: bool,
        text: &str,
        memory: [&str; 2],
        extent: &dyn Fn(char) -> usize,
    ) -> Kernel {
        let spec = Spec::new(text, 2);
        let words: Vec<&str> = text.split([',', '-']).collect();
        let layouts: Vec<Layout> = words[..2]
            .iter()
            .zip(memory)
            .map(|(word, memory)| {
                let step = |label: char| {
                    let inside = memory.split(label).nth(1).expect("a label of the operand");
                    inside.chars().map(extent).product::<usize>() as isize
                };
                let (shape, strides): (Vec<usize>, Vec<isize>) =
                    word.chars().map(|label| (extent(label), step(label))).unzip();
                Layout::new(&shape, &strides)
            })
            .collect();
        let bound = Bound::new(&spec, true, layouts.iter().map(Layout::shape)).unwrap();
        let shape: Vec<usize> = bound.result().iter().map(|&label| bound.extents().of(label)).collect();
        let out = Layout::contiguous(&shape, true);
        let c = Labelled::new(out.axes(), &bound.result(), bound.extents());
        Kernel::choose(
            &bound.operand(0, layouts[0].axes()),
            &bound.operand(1, layouts[1].axes()),
            &c,
            bound.extents(),
            start_cost,
            accumulates,
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
        for (start_cost, accumulates) in [(2 * 12 * 12 * 12, true), (0, false)] {
            let found = kernel_if(start_cost, accumulates, "abc,bce->ae", ["cab", "bce"], &|_| 12);
            let Kernel::Gemm(found) = found else { panic!("no matrix product") };
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

    /// The expected plans are those that were measured to be faster: with the first of these, `abc,db->acd` took half the time.
    #[test]
    fn large_contractions_take_the_plan_of_the_least_cost() {
        // (specification, extents of the labels in alphabetical order, which operands are packed, number of loop labels, the same number on a
        // device whose costs are not known, which takes the first plan)
        for (text, extents, packed, loops, loops_of_first) in [
            // With loops over `a`, each of the 216 products would have 8 rows, and read the whole right operand.
            ("abc,db->acd", &[216, 144, 8, 1100][..], [true, false], 0, 1),
            // The product is so small that copying an operand takes longer than loops.
            ("abc,db->acd", &[128, 256, 4, 16], [false, false], 1, 1),
            // One large product instead of 1024 products of 32 × 32 elements.
            ("aurk,AurK->akAK", &[32; 6], [true, true], 0, 2),
            ("ijk,kl->ijl", &[100; 4], [false, false], 0, 0),
        ] {
            let mut labels: Vec<char> = text.chars().filter(char::is_ascii_alphabetic).collect();
            labels.sort_unstable();
            labels.dedup();
            let extent = |label| extents[labels.binary_search(&label).expect("a label of the specification")];
            let words: Vec<&str> = text.split([',', '-']).collect();
            let kernel = |start_cost| kernel_if(start_cost, true, text, [words[0], words[1]], &extent);
            let Kernel::Gemm(found) = kernel(0) else { panic!("no matrix product") };
            assert_eq!(found.pack.each_ref().map(Option::is_some), packed, "{text} {extents:?}: {found:?}");
            assert_eq!(found.batch.len(), loops, "{text} {extents:?}: {found:?}");
            let Kernel::Gemm(first) = kernel(1) else { panic!("no matrix product") };
            assert_eq!(first.batch.len(), loops_of_first, "{text} {extents:?}: {first:?}");
        }
    }
}
