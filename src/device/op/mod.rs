//! Operations as values: their traits, the functions of one and two elements, and the reductions. An operation is zero-sized, or has
//! scalars as its fields. It is written once for all devices. Users can implement the traits for their own operations. Operations that only
//! typed and dynamic tensors use, such as `Clamp`, are next to their methods.

pub(crate) mod binary;
pub(crate) mod cast;
pub(crate) mod catalogue;
pub(crate) mod checked;
pub(crate) mod reduction;
pub(crate) mod scalar;
pub(crate) mod unary;
pub(in crate::device) mod visitor;

use super::cuda_source::CudaSource;
use super::scalars::Scalars;
use crate::element::lanes::prefixes;
use crate::element::{DType, Element, Elementary};
use crate::error::Error;

/// A function of the flat index, for example a constant or a ramp.
pub trait Generator<T: Element>: Copy + Send + Sync {
    /// The function as an expression of CUDA C++ in the flat index `k` (`u64`) and the [scalars](Generator::scalars). The element
    /// type is `R`. See [`UnaryOp::CUDA`] and [`CudaSource`].
    const CUDA: CudaSource = CudaSource::NONE;
    /// Returns the value at flat index `k`, counted in row-major order of the output's shape.
    fn apply(&self, k: usize) -> T;
    /// Binds each scalar in `self` to its name in the CUDA source.
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
    /// The function as an expression of CUDA C++ in the operand `a` and the [scalars](UnaryOp::scalars). With the default,
    /// [`CudaSource::NONE`], the operation does not compile on [`Cuda`](crate::Cuda).
    ///
    /// The type of the operand is called `A`, and the type of the result `R`. Element types have their Rust names (`f64`, `u8`, `c32`).
    ///
    /// * For floating-point and complex numbers, use the operators of C++ and the function names of C (`sqrt`, `exp`, `log`,
    ///   `tanh`; `fmod` for the `%` of floating-point numbers). A product and a sum are rounded separately, as in Rust. The results
    ///   of functions may differ from the CPU's in the last digits.
    /// * The literal `0.5` is an `f64`, and its product with an `f32` is an `f64`, too: if `A` is `f32`, write `A(0.5)` or `0.5f`.
    ///   In an operation with a complex number, the literal takes the type of that number's parts.
    /// * For integers, use `wrapping_add`, `wrapping_sub`, `wrapping_mul` and `wrapping_neg`, and for division `wrapping_div` and
    ///   `wrapping_rem`. Both operands must have the same type. The operators of C++, such as `+`, do not define overflow as Rust
    ///   does. `cast<R>(a)` converts as `as` does.
    /// * Put statements into a lambda: `[&] { A x = a * a; return x + x; }()`.
    ///
    /// Creating a source is `unsafe`: [`CudaSource::new`] lists what the text must not do.
    const CUDA: CudaSource = CudaSource::NONE;
    /// [`is_defined`](UnaryOp::is_defined) as an expression of CUDA C++. Required on [`Cuda`](crate::Cuda) if the operation is
    /// [`CHECKED`](UnaryOp::CHECKED).
    const CUDA_DEFINED: CudaSource = CudaSource::NONE;
    /// Whether devices call [`is_defined`](UnaryOp::is_defined) for all elements before they write any.
    const CHECKED: bool = false;
    /// The time to compute one element, without loads and stores, as the number of bytes that could be copied in that time (about a
    /// hundred per nanosecond). Devices use it to decide whether to run in parallel; no result depends on it.
    const COST: usize = 0;
    /// Whether the operation multiplies elements. The host has another loop for products of complex numbers.
    #[doc(hidden)]
    const MULTIPLIES: bool = false;
    /// Computes the function.
    fn apply(&self, a: A) -> Self::Output;
    /// Returns the elementary function that the operation computes, or `None` if it computes another function. The host has vectorised
    /// loops for elementary functions.
    #[doc(hidden)]
    #[inline]
    fn elementary(&self) -> Option<Elementary> {
        None
    }
    /// Returns whether the function is defined for this element.
    fn is_defined(&self, _: A) -> bool {
        true
    }
    /// Returns whether the function is defined for all elements. If it returns `true`, devices do not check the elements.
    fn always_defined(&self) -> bool {
        false
    }
    /// Returns the operands as text for error messages.
    fn operands(&self, a: A) -> String {
        a.to_string()
    }
    /// Binds each scalar in `self` to its name in the CUDA source.
    fn scalars(&self, _: &mut Scalars) {}
}

/// A function of two elements.
///
/// ```
/// use vierbein::device::{BinaryOp, CudaSource};
/// use vierbein::tensor;
/// /// The difference of two angles in degrees.
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
    /// The function as an expression of CUDA C++ in the operands `a` and `b` and the [scalars](BinaryOp::scalars). With the
    /// default, the operation does not compile on [`Cuda`](crate::Cuda). See [`UnaryOp::CUDA`].
    const CUDA: CudaSource = CudaSource::NONE;
    /// [`is_defined`](BinaryOp::is_defined) as an expression of CUDA C++. Required on [`Cuda`](crate::Cuda) if the operation is
    /// [`CHECKED`](BinaryOp::CHECKED).
    const CUDA_DEFINED: CudaSource = CudaSource::NONE;
    /// Whether devices call [`is_defined`](BinaryOp::is_defined) for all elements before they write any.
    const CHECKED: bool = false;
    /// The time to compute one element, without loads and stores, as the number of bytes that could be copied in that time (about a
    /// hundred per nanosecond). Devices use it to decide whether to run in parallel; no result depends on it.
    const COST: usize = 0;
    /// Whether the operation multiplies elements. The host has another loop for products of complex numbers.
    #[doc(hidden)]
    const MULTIPLIES: bool = false;
    /// Whether the operation is associative up to rounding. If so, a parallel device may compute cumulative results from partial results.
    const ASSOCIATIVE: bool = false;
    /// The [`COST`](BinaryOp::COST) of [`apply_with_scalar`](BinaryOp::apply_with_scalar).
    const COST_WITH_SCALAR: usize = Self::COST;
    /// Computes the function if `b` is a scalar, the same for all elements of `a`. The result must be that of
    /// [`apply`](BinaryOp::apply). The compiler moves computations that depend on `b` alone out of the loop over the elements, if
    /// they are cheap and have no side effects such as a panic.
    #[inline]
    fn apply_with_scalar(&self, a: A, b: B) -> Self::Output {
        self.apply(a, b)
    }
    /// Returns whether the function is defined for every `a` with this `b`. If it returns `true`, devices do not check the
    /// elements.
    fn always_defined_with_scalar(&self, _b: B) -> bool {
        false
    }
    /// Computes the function.
    fn apply(&self, a: A, b: B) -> Self::Output;
    /// Returns the elementary function that the operation computes, or `None` if it computes another function. The host has vectorised
    /// loops for elementary functions.
    #[doc(hidden)]
    #[inline]
    fn elementary(&self) -> Option<Elementary> {
        None
    }
    /// Variant of [`elementary`](BinaryOp::elementary) for a scalar `b`, which is the same for all elements of `a`.
    #[doc(hidden)]
    #[inline]
    fn elementary_with_scalar(&self, _b: B) -> Option<Elementary> {
        None
    }
    /// Variant of [`elementary`](BinaryOp::elementary) for a scalar `a`, which is the same for all elements of `b`.
    #[doc(hidden)]
    #[inline]
    fn elementary_with_left_scalar(&self, _a: A) -> Option<Elementary> {
        None
    }
    /// Returns whether the function is defined for these elements.
    fn is_defined(&self, _: A, _: B) -> bool {
        true
    }
    /// Returns the operands as text for error messages.
    fn operands(&self, a: A, b: B) -> String {
        format!("{a} and {b}")
    }
    /// Binds each scalar in `self` to its name in the CUDA source.
    fn scalars(&self, _: &mut Scalars) {}
}

/// A function of three elements.
pub trait TernaryOp<A: Element, B: Element, C: Element>: Copy + Send + Sync {
    /// The element type of the result.
    type Output: Element;
    /// The operation as a verb, for messages: "select from".
    const NAME: &'static str;
    /// The function as an expression of CUDA C++ in the operands `a`, `b` and `c` and the [scalars](TernaryOp::scalars). With the
    /// default, the operation does not compile on [`Cuda`](crate::Cuda). See [`UnaryOp::CUDA`].
    const CUDA: CudaSource = CudaSource::NONE;
    /// The time to compute one element, without loads and stores, as the number of bytes that could be copied in that time (about a
    /// hundred per nanosecond). Devices use it to decide whether to run in parallel; no result depends on it.
    const COST: usize = 0;
    /// Whether the operation multiplies elements. The host has another loop for products of complex numbers.
    #[doc(hidden)]
    const MULTIPLIES: bool = false;
    /// Computes the function.
    fn apply(&self, a: A, b: B, c: C) -> Self::Output;
    /// Binds each scalar in `self` to its name in the CUDA source.
    fn scalars(&self, _: &mut Scalars) {}
}

/// A reduction of many elements to one value: a sum, a maximum, a variance.
///
/// `combine` must be associative up to rounding, and `identity` its neutral element. Elements may be folded in any order unless
/// [`USES_INDEX`](Reduction::USES_INDEX) is `true`.
pub trait Reduction<T: Element>: Copy + Send + Sync {
    /// The accumulator, of any size and alignment.
    ///
    /// On the CPU, accumulators of more than 1 KiB are on the heap. The reduction then folds many elements one by one into the same
    /// accumulator, so sums have larger rounding errors than with small accumulators. If the accumulators for one thread cannot be
    /// allocated, the reduction returns [`Error::OutOfMemory`](crate::Error::OutOfMemory) and writes nothing.
    ///
    /// The functions of this trait take and return accumulators by value. So a few copies are on the stack at a time, and more of
    /// them in unoptimised builds. With the default thread stack of 2 MiB, accumulators of 512 KiB work if the functions make no
    /// further copies. If the reduction is large enough for several threads, the limit is 384 KiB. Larger accumulators need threads
    /// with larger stacks.
    type Acc: Copy + Send + Sync;
    /// The element type of the result.
    type Output: Element;
    /// The reduction as a noun, for messages: "sum".
    const NAME: &'static str;
    /// Whether the result depends on the elements' indices. If so, `fold` receives the elements in memory order, and in `combine`,
    /// the elements of `a` come before those of `b`.
    const USES_INDEX: bool = false;
    /// `true` if the reduction of zero elements is defined, as for a sum. If `false`, as for a maximum, reducing zero elements is
    /// an error.
    const DEFINED_ON_EMPTY: bool = true;
    /// The reduction as the members of a structure in CUDA C++. With the default, [`CudaSource::NONE`], using the reduction on
    /// [`Cuda`](crate::Cuda) is a compile error. `T` is the type of the elements, `R` that of the result; the
    /// [scalars](Reduction::scalars) are already members. The source must define
    ///
    /// * `typedef .. Acc;`, the accumulator: a number, or a structure without constructors, of at most 64 bytes;
    /// * `DEV Acc identity() const`, `DEV Acc fold(Acc acc, T x, u64 index) const`, `DEV Acc combine(Acc a, Acc b) const`. In
    ///   `combine`, `a` need not be the earlier part: if indices matter, the accumulator must hold them;
    /// * `DEV bool finish(Acc acc, u64 count, R &result) const`, which returns whether there is a result, and stores it in
    ///   `result`.
    ///
    /// Creating a source is `unsafe`: [`CudaSource::new`] lists what the text must not do.
    const CUDA: CudaSource = CudaSource::NONE;
    /// Whether [`finish`](Reduction::finish) may return `None` if at least one element was reduced. If so, an asynchronous device
    /// has to wait for the result.
    const FALLIBLE: bool = true;
    /// For a reduction whose result may be undefined: the reason and the fix that error messages give. If `None`, messages say that the
    /// result is not representable in the output type.
    #[doc(hidden)]
    const UNDEFINED: Option<&'static str> = None;
    /// Returns the initial accumulator, the neutral element of `combine`.
    fn identity(&self) -> Self::Acc;
    /// Adds an element to an accumulator. `index` counts from 0 in memory order (meaningless unless `USES_INDEX`).
    fn fold(&self, acc: Self::Acc, x: T, index: usize) -> Self::Acc;
    /// Combines two partial results.
    fn combine(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// Returns the result of `count` elements, or `None` if it is not representable in the output type.
    fn finish(&self, acc: Self::Acc, count: usize) -> Option<Self::Output>;
    /// Binds each scalar in `self` to its name in the CUDA source.
    fn scalars(&self, _: &mut Scalars) {}

    // The items below are for reductions that are faster on many elements at a time.

    /// Whether devices should fold contiguous elements with [`fold_block`](Reduction::fold_block).
    #[doc(hidden)]
    const HAS_FOLD_BLOCK: bool = false;
    /// Whether devices should fold contiguous rows with [`fold_many_rows`](Reduction::fold_many_rows), in any order.
    #[doc(hidden)]
    const FOLDS_MANY_ROWS: bool = false;
    /// Whether the folding of elements from memory takes as long in registers of 32 bytes as in registers of 64, because memory limits both.
    #[doc(hidden)]
    const LIMITED_BY_MEMORY: bool = !Self::HAS_FOLD_BLOCK;
    /// Whether the host computes doubtful results again from scaled elements: see [`is_doubtful`](Reduction::is_doubtful).
    #[doc(hidden)]
    const RESCALES: bool = false;
    /// Returns whether intermediate results may have left the range of numbers, so that the result may be wrong.
    #[doc(hidden)]
    #[inline(always)]
    fn is_doubtful(&self, _: Self::Output) -> bool {
        false
    }
    /// Returns the power of two by which to divide the elements of a doubtful result, or `None` if the result is right.
    #[doc(hidden)]
    fn scale(&self, _: impl Iterator<Item = T>) -> Option<f64> {
        None
    }
    /// Returns `x / by`. `by` is a power of two.
    #[doc(hidden)]
    fn scaled(&self, x: T, _by: f64) -> T {
        x
    }
    /// Returns the result for the elements from the result for the elements divided by `by`.
    #[doc(hidden)]
    fn restored(&self, result: Self::Output, _by: f64) -> Self::Output {
        result
    }

    /// Calls the function of the visitor for this reduction.
    #[doc(hidden)]
    #[inline]
    fn visit<V: visitor::ReductionVisitor<T>>(
        &self,
        arguments: V::Arguments<Self::Output>,
    ) -> V::Result<Self::Output> {
        V::any(self, arguments)
    }

    /// Adds contiguous elements to an accumulator; `index` is that of the first one.
    #[doc(hidden)]
    #[cfg_attr(any(test, not(debug_assertions)), inline(always))]
    fn fold_block(&self, acc: Self::Acc, elements: &[T], index: usize) -> Self::Acc {
        elements.iter().enumerate().fold(acc, |acc, (i, &x)| self.fold(acc, x, index + i))
    }
    /// Adds element `j` of each row to the `j`th accumulator. All elements of `rows[r]` have index `index + r`.
    #[doc(hidden)]
    #[cfg_attr(any(test, not(debug_assertions)), inline(always))]
    fn fold_rows<const N: usize>(&self, accs: &mut [Self::Acc], rows: [&[T]; N], index: usize) {
        let rows = prefixes(rows, accs.len());
        for (j, to) in accs.iter_mut().enumerate() {
            let mut acc = self.identity();
            for (r, row) in rows.iter().enumerate() {
                acc = self.fold(acc, row[j], index + r);
            }
            *to = self.combine(*to, acc);
        }
    }
    /// Adds element `j` of each row to the `j`th accumulator, for reductions that do not use the index. There are at most 255 rows.
    #[doc(hidden)]
    #[cfg_attr(any(test, not(debug_assertions)), inline(always))]
    fn fold_many_rows(&self, accs: &mut [Self::Acc], rows: &[&[T]]) {
        for row in rows {
            self.fold_rows(accs, [row], 0);
        }
    }
}

/// Returns the error that a reduction over axes of these extents has no result.
#[cold]
pub(crate) fn no_result<T: Element, R: Reduction<T>>(extents: &[usize]) -> Error {
    no_result_of(R::NAME, R::UNDEFINED, <R::Output as Element>::DTYPE, extents)
}

/// [`no_result`] for a reduction with this name. Not generic, so it is compiled once.
#[cold]
fn no_result_of(name: &str, undefined: Option<&str>, dtype: DType, extents: &[usize]) -> Error {
    match undefined {
        Some(reason) => Error::Argument { op: "reduce", reason: format!("there is no {name}: {reason}") },
        None => Error::Arithmetic {
            op: "reduce",
            dtype: dtype.name(),
            values: format!("the {name} over axes of extents {extents:?}"),
        },
    }
}
