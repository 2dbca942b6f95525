//! Estimates how long the plans of a contraction take on the host, to choose between them. The unit is the time of one multiplication with
//! addition in a large matrix product. The constants were fitted to measurements of `f64` with AVX2 (Zen 3, L2 cache of 512 KiB) and AVX-512
//! (L2 cache of 2 MiB). They do not depend on the processor, so that the order of additions does not, either.
//!
//! Larger tensors are in slower memory. The costs of accessing an element therefore grow with a root of the number of elements, which fits
//! all levels of the memory hierarchy with one constant.

use super::labelled::{LabelExtents, Labelled};
use super::labels::Labels;
use super::pair::Matrices;

/// Number of multiplications from which on costs are estimated. For smaller contractions, the estimate would take longer than it saves.
pub(super) const MIN_COMPARED: usize = 1 << 14;
/// A plan that costs less than its multiplications and this is taken without a comparison, which would save less than it takes.
pub(super) const COMPARISON: f64 = 3e5;
/// A plan replaces the one that is tried first only if its cost is less than this share: the estimates are not exact.
pub(super) const CLEARLY_LESS: f64 = 0.8;

/// Starting a product.
const START: f64 = 1000.0;
/// Starting a copy.
const START_COPY: f64 = 5000.0;
/// The rows and columns of the smallest tile of a product. A product of fewer takes as long.
const TILE: f64 = 8.0;
/// Writing an element of a product's result.
const WRITE: f64 = 8.0;
/// Writing an element of a result whose adjacent elements belong to different products, in addition.
const WRITE_APART: f64 = 24.0;
/// The factor of reading an operand in vectors along an axis whose stride is not 1.
const TRANSPOSED: f64 = 2.5;
/// The largest factor of reading an operand whose adjacent elements belong to different products: each element is a cache line.
const APART: usize = 8;

/// Copying `len` elements to another memory order.
fn copy(len: f64) -> f64 {
    START_COPY + len.cbrt().min(80.0) * len
}

/// Reading an element of an operand of `len` elements for a product.
fn read(len: f64) -> f64 {
    (0.02 * len.sqrt()).clamp(1.0, 40.0)
}

/// Returns the cost of contracting `a` and `b` to `c` by this plan.
pub(super) fn cost(plan: &Matrices, [a, b, c]: [&Labelled; 3], extents: &LabelExtents) -> f64 {
    let len = |labels: &[u8]| extents.product(labels) as f64;
    let (m, n, k) = (len(&plan.left), len(&plan.right), len(&plan.sum));
    let innermost = plan.innermost_of_result(c);
    let operand = |x: &Labelled, own: &Labels, packed: bool| {
        let contiguous = packed || own.last().is_some_and(|&label| x.stride(label).unsigned_abs() == 1);
        let factor = match (x.innermost().filter(|label| plan.batch.contains(label)), innermost) {
            (Some(looped), _) if !packed => extents.of(looped).min(APART) as f64,
            // The kernel reads the operand that has the result's innermost axis in vectors.
            (_, Some(label)) if own.contains(&label) && !contiguous => TRANSPOSED,
            _ => 1.0,
        };
        factor * read(len(&x.labels()))
    };
    let [packed_a, packed_b] = plan.pack.each_ref().map(Option::is_some);
    let of_a = operand(a, &plan.left, packed_a);
    let of_b = operand(b, &plan.right, packed_b);
    let write = match innermost {
        Some(label) if plan.batch.contains(&label) => WRITE + WRITE_APART,
        _ => WRITE,
    };
    let product = k * (m.max(TILE) * n.max(TILE) + of_a * m + of_b * n) + write * m * n + START;
    let copied = [(a, packed_a), (b, packed_b), (c, plan.into_temporary)];
    let copies = copied.map(|(x, copied)| if copied { copy(len(&x.labels())) } else { 0.0 });
    len(&plan.batch) * len(&plan.walk) * product + copies.iter().sum::<f64>()
}
