//! Operations as small values: zero-sized, or carrying a scalar. A device has one entry for each arity, an operation is
//! written once for every device, and users add their own in a few lines.

use crate::element::Element;

/// A value for each position, from nothing: a constant, a ramp.
pub trait Generator<T: Element>: Copy + Send + Sync {
    /// The value at position `k`, counted in row-major enumeration of the output's shape.
    fn apply(&self, k: usize) -> T;
}

/// A function of one element.
///
/// ```
/// use vierbein::prelude::*;
/// use vierbein::device::UnaryOp;
///
/// /// Gaussian error linear unit, in its tanh form (Hendrycks and Gimpel 2016, arXiv:1606.08415).
/// #[derive(Clone, Copy)]
/// struct Gelu;
/// impl UnaryOp<f64> for Gelu {
///     type Output = f64;
///     const NAME: &'static str = "apply gelu to";
///     fn apply(&self, x: f64) -> f64 {
///         0.5 * x * (1.0 + (0.797_884_560_802_865_4 * (x + 0.044_715 * x * x * x)).tanh())
///     }
/// }
/// let x = tensor![-1.0, 0.0, 1.0].apply(Gelu);
/// assert!((x[[2]] - 0.841_191_990_608_30).abs() < 1e-12);
/// ```
pub trait UnaryOp<A: Element>: Copy + Send + Sync {
    /// The element type of the result.
    type Output: Element;
    /// The operation as a verb, for messages: "negate".
    const NAME: &'static str;
    /// Whether [`defined`](UnaryOp::defined) is to be asked before anything is written.
    const CHECKED: bool = false;
    /// The time that an element takes besides being read and written, as the number of bytes that could be copied meanwhile (some
    /// hundred in a nanosecond). Devices decide by it whether to share the work; no result depends on it.
    const COST: usize = 0;
    /// The function.
    fn apply(&self, a: A) -> Self::Output;
    /// Whether the function has a value here.
    fn defined(&self, _: A) -> bool {
        true
    }
    /// The operands as they are written in messages.
    fn operands(&self, a: A) -> String {
        a.to_string()
    }
}

/// A function of two elements.
///
/// ```
/// use vierbein::{device::BinaryOp, tensor};
/// /// How far two angles in degrees are apart.
/// #[derive(Clone, Copy)]
/// struct Apart;
/// impl BinaryOp<f64, f64> for Apart {
///     type Output = f64;
///     const NAME: &'static str = "compare the angles of";
///     fn apply(&self, a: f64, b: f64) -> f64 {
///         let d = (a - b).rem_euclid(360.0);
///         d.min(360.0 - d)
///     }
/// }
/// assert_eq!(tensor![350.0, 90.0].apply2(Apart, &tensor![10.0, 60.0]), tensor![20.0, 30.0]);
/// ```
pub trait BinaryOp<A: Element, B: Element>: Copy + Send + Sync {
    /// The element type of the result.
    type Output: Element;
    /// The operation as a verb, for messages: "add".
    const NAME: &'static str;
    /// Whether [`defined`](BinaryOp::defined) is to be asked before anything is written.
    const CHECKED: bool = false;
    /// The time that an element takes besides being read and written, as the number of bytes that could be copied meanwhile (some
    /// hundred in a nanosecond). Devices decide by it whether to share the work; no result depends on it.
    const COST: usize = 0;
    /// The function.
    fn apply(&self, a: A, b: B) -> Self::Output;
    /// Whether the function has a value here.
    fn defined(&self, _: A, _: B) -> bool {
        true
    }
    /// The operands as they are written in messages.
    fn operands(&self, a: A, b: B) -> String {
        format!("{a} and {b}")
    }
}

/// A function of three elements.
pub trait TernaryOp<A: Element, B: Element, C: Element>: Copy + Send + Sync {
    /// The element type of the result.
    type Output: Element;
    /// The operation as a verb, for messages: "select from".
    const NAME: &'static str;
    /// The time that an element takes besides being read and written, as the number of bytes that could be copied meanwhile (some
    /// hundred in a nanosecond). Devices decide by it whether to share the work; no result depends on it.
    const COST: usize = 0;
    /// The function.
    fn apply(&self, a: A, b: B, c: C) -> Self::Output;
}

/// Many elements to one: a sum, a maximum, a variance.
///
/// `combine` must be associative up to rounding, with `identity` neutral; elements arrive in any sequence unless
/// [`ORDERED`](Reduction::ORDERED).
pub trait Reduction<T: Element>: Copy + Send + Sync {
    /// What is carried along.
    type Acc: Copy + Send + Sync;
    /// The element type of the result.
    type Output: Element;
    /// The reduction as a noun, for messages: "sum".
    const NAME: &'static str;
    /// Whether positions matter: `fold` then sees them in the order's enumeration, and `combine` keeps the earlier left.
    const ORDERED: bool = false;
    /// Whether nothing has a value too. Where not, reducing nothing is an error.
    const OF_NOTHING: bool = true;
    /// Where accumulation begins.
    fn identity(&self) -> Self::Acc;
    /// One element more; `index` counts from 0 in enumeration order (meaningless unless `ORDERED`).
    fn fold(&self, acc: Self::Acc, x: T, index: usize) -> Self::Acc;
    /// Two partial results.
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// The result of `count` elements, or `None` where the output type cannot hold it.
    fn finish(&self, acc: Self::Acc, count: usize) -> Option<Self::Output>;

    // What follows is for reductions that are better done many elements at a time.

    /// Whether [`fold_block`](Reduction::fold_block) is the way to fold elements that lie side by side.
    #[doc(hidden)]
    const BLOCKS: bool = false;
    /// Elements that lie side by side, `index` the first one's.
    #[doc(hidden)]
    #[inline(always)]
    fn fold_block(&self, acc: Self::Acc, elements: &[T], index: usize) -> Self::Acc {
        elements.iter().enumerate().fold(acc, |acc, (i, &x)| self.fold(acc, x, index + i))
    }
    /// Rows into accumulators: element `j` of each into the `j`th. `index` is the first row's; the others follow.
    #[doc(hidden)]
    #[inline(always)]
    fn fold_rows<const N: usize>(&self, accs: &mut [Self::Acc], rows: [&[T]; N], index: usize) {
        let n = accs.len();
        let rows = rows.map(|row| &row[..n]);
        for (j, to) in accs.iter_mut().enumerate() {
            let mut acc = self.identity();
            for (r, row) in rows.iter().enumerate() {
                acc = self.fold(acc, row[j], index + r);
            }
            *to = self.combine(*to, acc);
        }
    }
}
