//! The type of an operation's CUDA C++ source. With a separate type, safe code cannot turn a string into code that runs on a GPU.

/// The CUDA C++ source of an operation: the type of [`UnaryOp::CUDA`](super::UnaryOp::CUDA) and of the same constants of
/// [`BinaryOp`](super::BinaryOp), [`TernaryOp`](super::TernaryOp), [`Generator`](super::Generator) and
/// [`Reduction`](super::Reduction).
///
/// [`Cuda`](crate::Cuda) inserts the text into a kernel, compiles the kernel and runs it on the GPU. There, C++ can write to
/// any address, including page-locked memory of the host. [`new`](CudaSource::new) is therefore `unsafe`: its caller must ensure
/// that the text accesses no memory other than the operation's own.
///
/// ```
/// use vierbein::device::{CudaSource, UnaryOp};
/// use vierbein::tensor;
/// #[derive(Clone, Copy)]
/// struct Twice;
/// impl UnaryOp<f64> for Twice {
///     type Output = f64;
///     const NAME: &'static str = "double";
///     // SAFETY: an expression of the operand's value: it accesses no memory.
///     const CUDA: CudaSource = unsafe { CudaSource::new("2.0 * a") };
///     fn apply(&self, a: f64) -> f64 {
///         2.0 * a
///     }
/// }
/// assert_eq!(tensor![1.0, 2.0].apply(Twice), tensor![2.0, 4.0]);
/// ```
///
/// A string is not a source:
///
/// ```compile_fail,E0308
/// # use vierbein::device::CudaSource;
/// const CUDA: CudaSource = "2.0 * a";
/// ```
#[derive(Debug, Clone, Copy)]
pub struct CudaSource {
    text: &'static str,
}

impl CudaSource {
    /// No source: using the operation on [`Cuda`](crate::Cuda) is a compile error.
    pub const NONE: CudaSource = CudaSource { text: "" };

    /// Creates a source from `text`. An empty text is [`NONE`](CudaSource::NONE).
    ///
    /// # Safety
    /// The caller must ensure that
    ///
    /// * `text` is one complete expression or, for a [`Reduction`](super::Reduction), complete declarations of the members that
    ///   [`Reduction::CUDA`](super::Reduction::CUDA) lists. It closes no bracket that it did not open, and contains no
    ///   preprocessor directive;
    /// * it reads only its operands, scalars, flat index and own local variables, and writes only its own local variables and the
    ///   `result` of `finish`. It has no loads or stores through other pointers or references, no shared memory, no inline
    ///   assembly and no synchronisation with other threads;
    /// * each function that it calls has these properties, too. The functions that [`UnaryOp::CUDA`](super::UnaryOp::CUDA) names
    ///   have them;
    /// * it terminates, indexes no array out of bounds, and reads no variable before it is initialised; `finish` sets `result`
    ///   before it returns `true`;
    /// * with the element types of its operation, C++ defines its arithmetic: no signed integer overflows, no integer is divided
    ///   by zero, and no floating-point number is converted to an integer type that cannot represent it. `wrapping_add`,
    ///   `wrapping_div`, `cast` and the like are defined for all operands.
    ///
    /// The conditions must hold for all values of operands and scalars. All but the last one must also hold for all element types with
    /// which the text compiles, because `CUDA` is a public constant: safe code can use the same source in another operation.
    ///
    /// It is not a condition that the text compiles, nor that it computes what the Rust function computes. If it does not
    /// compile, operations return [`Error::DeviceFailed`](crate::Error::DeviceFailed).
    #[must_use]
    pub const unsafe fn new(text: &'static str) -> CudaSource {
        CudaSource { text }
    }

    /// Creates the source of one of this crate's own operations. The function is safe, so that modules with `#![forbid(unsafe_code)]` can
    /// define operations.
    ///
    /// Only for string literals of this crate, which meet the conditions of [`new`](CudaSource::new); never for text that a caller
    /// provides. The tests in `tests/cuda_texts` compile each of these literals for every element type and, except for reductions,
    /// compare it with its Rust function. There, `every_operation_is_tried` and `every_reduction_is_compiled` find literals that these
    /// tests lack. `tests/cuda` and `tests/cuda_types` run the operations in an emulator that checks every memory access.
    pub(crate) const fn builtin(text: &'static str) -> CudaSource {
        CudaSource { text }
    }

    /// Returns the text; empty for [`NONE`](CudaSource::NONE).
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        self.text
    }

    /// Returns `true` for [`NONE`](CudaSource::NONE).
    pub(crate) const fn is_none(&self) -> bool {
        self.text.is_empty()
    }
}

/// Checks, at compile time, that an operation used on a GPU has a CUDA source.
pub(in crate::device) const fn has_source(source: CudaSource) {
    assert!(
        !source.is_none(),
        "this operation has no CUDA source: define it, an expression in CUDA C++, as \
         `const CUDA: CudaSource = unsafe {{ CudaSource::new(\"..\") }};`, or copy the tensor to the host first: \
         `.to_device::<Cpu>()?`"
    );
}

/// Checks, at compile time, that an operation has a CUDA source. An operation that is `CHECKED` also needs a
/// CUDA source for its domain.
pub(in crate::device) const fn has_sources(source: CudaSource, checked: bool, defined: CudaSource) {
    has_source(source);
    assert!(
        !checked || !defined.is_none(),
        "this operation is `CHECKED`, but has no CUDA source for its domain: define \
         `const CUDA_DEFINED: CudaSource = unsafe {{ CudaSource::new(\"..\") }};`"
    );
}
