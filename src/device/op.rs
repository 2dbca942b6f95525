//! Operations as small values: zero-sized, or carrying a scalar. A device has one entry for each arity, an operation is
//! written once for every device, and users add their own in a few lines.

use super::cuda_source::CudaSource;
use super::scalars::Scalars;
use crate::element::Element;

/// A value for each position, from nothing: a constant, a ramp.
pub trait Generator<T: Element>: Copy + Send + Sync {
    /// The function as an expression of CUDA C++: of the position `k` (`u64`) and the [scalars](Generator::scalars), with the
    /// element type as `R`. See [`UnaryOp::CUDA`] and [`CudaSource`].
    const CUDA: CudaSource = CudaSource::NONE;
    /// The value at position `k`, counted in row-major enumeration of the output's shape.
    fn apply(&self, k: usize) -> T;
    /// What the value carries, under the names that its text has for it.
    fn scalars(&self, _: &mut Scalars) {}
}

/// A function of one element.
///
/// ```
/// use vierbein::prelude::*;
/// use vierbein::device::{CudaSource, UnaryOp};
///
/// /// Gaussian error linear unit, in its tanh form (Hendrycks and Gimpel 2016, arXiv:1606.08415).
/// #[derive(Clone, Copy)]
/// struct Gelu;
/// impl UnaryOp<f64> for Gelu {
///     type Output = f64;
///     const NAME: &'static str = "apply gelu to";
///     // SAFETY: an expression of the operand's value: it accesses no memory.
///     const CUDA: CudaSource = unsafe {
///         CudaSource::new("0.5 * a * (1.0 + tanh(0.7978845608028654 * (a + 0.044715 * a * a * a)))")
///     };
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
    /// The function as an expression of CUDA C++, of the operand `a` and the [scalars](UnaryOp::scalars); without one, the
    /// operation does not compile on [`Cuda`](crate::Cuda).
    ///
    /// Types are called `A` and, for the result, `R`; element types have their Rust names (`f64`, `u8`, `c32`).
    ///
    /// * Floating and complex numbers have operators and the functions of C by their names (`sqrt`, `exp`, `log`, `tanh`; `fmod`
    ///   for the `%` of floating numbers). A product and a sum are rounded separately, as in Rust. The last digits of functions are
    ///   the GPU's own.
    /// * The literal `0.5` is an `f64`, and so is what it is multiplied with: where `A` is `f32`, write `A(0.5)` or `0.5f`. Beside a
    ///   complex number it takes that number's type.
    /// * Integers overflow with `wrapping_add`, `wrapping_sub`, `wrapping_mul`, `wrapping_neg`, and divide with `wrapping_div` and
    ///   `wrapping_rem`, of two operands of one type; what C++ does with `+` is not what Rust does. `cast<R>(a)` converts as `as`
    ///   does.
    /// * Statements go into a lambda: `[&] { A x = a * a; return x + x; }()`.
    ///
    /// Creating a source is `unsafe`: [`CudaSource::new`] lists what the text must not do.
    const CUDA: CudaSource = CudaSource::NONE;
    /// Whether the function has a value, as an expression of CUDA C++; for operations that are [`CHECKED`](UnaryOp::CHECKED).
    const CUDA_DEFINED: CudaSource = CudaSource::NONE;
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
    /// What the value carries, under the names that its text has for it.
    fn scalars(&self, _: &mut Scalars) {}
}

/// A function of two elements.
///
/// ```
/// use vierbein::device::{BinaryOp, CudaSource};
/// use vierbein::tensor;
/// /// How far two angles in degrees are apart.
/// #[derive(Clone, Copy)]
/// struct Apart;
/// impl BinaryOp<f64, f64> for Apart {
///     type Output = f64;
///     const NAME: &'static str = "compare the angles of";
///     // SAFETY: an expression of the operands' values and one local variable: it accesses no other memory.
///     const CUDA: CudaSource = unsafe {
///         CudaSource::new("[&] { A d = fmod(a - b, 360.0); if (d < 0.0) d = d + 360.0; return fmin(d, 360.0 - d); }()")
///     };
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
    /// The function as an expression of CUDA C++, of the operands `a` and `b` and the [scalars](BinaryOp::scalars); without one, the
    /// operation does not compile on [`Cuda`](crate::Cuda). See [`UnaryOp::CUDA`].
    const CUDA: CudaSource = CudaSource::NONE;
    /// Whether the function has a value, as an expression of CUDA C++; for operations that are [`CHECKED`](BinaryOp::CHECKED).
    const CUDA_DEFINED: CudaSource = CudaSource::NONE;
    /// Whether [`defined`](BinaryOp::defined) is to be asked before anything is written.
    const CHECKED: bool = false;
    /// The time that an element takes besides being read and written, as the number of bytes that could be copied meanwhile (some
    /// hundred in a nanosecond). Devices decide by it whether to share the work; no result depends on it.
    const COST: usize = 0;
    /// Whether it does not matter, up to rounding, which of two operations in a row comes first: a device that does many
    /// things at a time may then put running results together from parts.
    const ASSOCIATIVE: bool = false;
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
    /// What the value carries, under the names that its text has for it.
    fn scalars(&self, _: &mut Scalars) {}
}

/// A function of three elements.
pub trait TernaryOp<A: Element, B: Element, C: Element>: Copy + Send + Sync {
    /// The element type of the result.
    type Output: Element;
    /// The operation as a verb, for messages: "select from".
    const NAME: &'static str;
    /// The function as an expression of CUDA C++, of the operands `a`, `b` and `c` and the [scalars](TernaryOp::scalars); without one, the
    /// operation does not compile on [`Cuda`](crate::Cuda). See [`UnaryOp::CUDA`].
    const CUDA: CudaSource = CudaSource::NONE;
    /// The time that an element takes besides being read and written, as the number of bytes that could be copied meanwhile (some
    /// hundred in a nanosecond). Devices decide by it whether to share the work; no result depends on it.
    const COST: usize = 0;
    /// The function.
    fn apply(&self, a: A, b: B, c: C) -> Self::Output;
    /// What the value carries, under the names that its text has for it.
    fn scalars(&self, _: &mut Scalars) {}
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
    /// The reduction as the members of a structure in CUDA C++; without them it does not compile on
    /// [`Cuda`](crate::Cuda). `T` is the type of the elements, `R` that of the result; [scalars](Reduction::scalars) are members
    /// already. To be written are
    ///
    /// * `typedef .. Acc;` what is carried along: a number, or a structure without constructors, of at most 64 bytes;
    /// * `DEV Acc identity() const`, `DEV Acc fold(Acc acc, T x, u64 index) const`, `DEV Acc combine(Acc a, Acc b) const`, in
    ///   which `a` need not be the earlier part: where positions matter, they are carried along;
    /// * `DEV bool finish(Acc acc, u64 count, R &result) const`: whether there is a result, and the result.
    ///
    /// Creating a source is `unsafe`: [`CudaSource::new`] lists what the text must not do.
    const CUDA: CudaSource = CudaSource::NONE;
    /// Whether [`finish`](Reduction::finish) may return `None` for elements that are there. Where it may, a device that computes
    /// later than it is asked to has to wait for the answer.
    const FALLIBLE: bool = true;
    /// Where accumulation begins.
    fn identity(&self) -> Self::Acc;
    /// One element more; `index` counts from 0 in enumeration order (meaningless unless `ORDERED`).
    fn fold(&self, acc: Self::Acc, x: T, index: usize) -> Self::Acc;
    /// Two partial results.
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// The result of `count` elements, or `None` where the output type cannot hold it.
    fn finish(&self, acc: Self::Acc, count: usize) -> Option<Self::Output>;
    /// What the value carries, under the names that its text has for it.
    fn scalars(&self, _: &mut Scalars) {}

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
