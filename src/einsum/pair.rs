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

use super::labelled::{Extents, Labelled, Labels, Set};

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
    /// The sequence of axes in which an operand is copied because a group of its axes does not lie in one stride.
    pub(super) pack: [Option<Labels>; 2],
    /// Whether the result is made apart and then copied to where it belongs.
    pub(super) apart: bool,
}

/// A result tile of fewer elements than this wastes most of a matrix kernel ..
const TILE: usize = 128;
/// .. which matters where sums are longer than this; otherwise the copy of a result would cost more.
const LONG: usize = 64;

impl Kernel {
    /// The table.
    pub(super) fn choose(a: &Labelled, b: &Labelled, c: &Labelled, extents: &Extents) -> Kernel {
        let classes = Classes::new(a, b, c.set());
        match (classes.sum.is_empty(), classes.left.is_empty() || classes.right.is_empty()) {
            (true, _) => Kernel::Multiply,
            (false, true) => Kernel::SumProducts(classes.sum),
            (false, false) => Kernel::Gemm(Matrices::choose(&classes, a, b, c, extents)),
        }
    }
}

impl Matrices {
    fn choose(classes: &Classes, a: &Labelled, b: &Labelled, c: &Labelled, extents: &Extents) -> Matrices {
        let Classes { mut batch, .. } = *classes;
        // Rows and columns of the result are the innermost axes that fuse in it; the others are walked like a batch.
        let (outer_left, mut left) = innermost(c, c.by_stride(classes.left), extents);
        let (outer_right, mut right) = innermost(c, c.by_stride(classes.right), extents);
        let walked = !outer_left.is_empty() || !outer_right.is_empty();
        let tile = extents.product(&left).saturating_mul(extents.product(&right));
        let apart = walked && tile < TILE && extents.product(&classes.sum) > LONG;
        if apart {
            (left, right) = (a.by_stride(classes.left), b.by_stride(classes.right));
        } else {
            batch.extend(&outer_left);
            batch.extend(&outer_right);
        }
        let batch = c.by_stride(batch);
        let sum = sum_sequence(classes.sum, a, b, extents);
        let fits =
            |x: &Labelled, own: &[u8]| x.fused(own, extents).is_some() && x.fused(&sum, extents).is_some();
        let packed = |x: &Labelled, own: &[u8]| {
            (!fits(x, own)).then(|| {
                let lacks = |label: &u8| x.labels().contains(label);
                let mut labels: Labels = batch.iter().copied().filter(lacks).collect();
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
        Matrices { batch, left, right, sum, pack, apart }
    }

    /// The sequence of axes of a result that is made apart.
    pub(super) fn result(&self) -> Labels {
        let mut labels = self.batch;
        labels.extend(&self.left);
        labels.extend(&self.right);
        labels
    }
}

/// Cuts a sequence of labels where the rest fuses.
fn innermost(x: &Labelled, labels: Labels, extents: &Extents) -> (Labels, Labels) {
    let fuses = |&at: &usize| x.fused(&labels[at..], extents).is_some();
    let at = (0..labels.len()).find(fuses).unwrap_or(labels.len());
    labels.split_off(at)
}

/// The sequence of the summed labels in which both operands fuse, or at least the larger one, whose copy would cost more.
fn sum_sequence(sum: Labels, a: &Labelled, b: &Labelled, extents: &Extents) -> Labels {
    let [by_a, by_b] = [a.by_stride(sum), b.by_stride(sum)];
    let fuses = |x: &Labelled, labels: &Labels| x.fused(labels, extents).is_some();
    let both = |labels: &&Labels| fuses(a, labels) && fuses(b, labels);
    if let Some(labels) = [&by_a, &by_b].into_iter().find(both) {
        return *labels;
    }
    let larger_a = extents.product(&a.labels()) >= extents.product(&b.labels());
    match (fuses(a, &by_a), fuses(b, &by_b)) {
        (true, false) => by_a,
        (false, true) => by_b,
        _ if larger_a => by_a,
        _ => by_b,
    }
}
