//! A function of a reduction that treats common reductions of this crate as a special case.

use super::Reduction;
use crate::element::{DType, Element};

/// A function that [`Reduction::visit`] calls. Devices use it to compute common reductions with kernels that are compiled in this crate.
///
/// No other crate has a value of `Result`, so each implementation of `visit` must call one of the functions. `unsafe` code can rely on it.
pub trait ReductionVisitor<T: Element> {
    /// The arguments besides the reduction, for a result of type `U`.
    type Arguments<U: Element>;
    /// What the function returns, for a result of type `U`.
    type Result<U: Element>;
    /// The function of a reduction whose kernels are compiled in this crate: see [`visit_common`].
    fn common<R: Reduction<T> + 'static>(
        op: &R,
        arguments: Self::Arguments<R::Output>,
    ) -> Self::Result<R::Output>;
    /// The function of any reduction.
    fn any<R: Reduction<T>>(op: &R, arguments: Self::Arguments<R::Output>) -> Self::Result<R::Output>;
}

/// Element types, as bits of the parameter `TYPES` of [`visit_common`].
pub(super) const REAL: u8 = 1;
pub(super) const COMPLEX: u8 = 2;
pub(super) const INTEGER: u8 = 4;
pub(super) const BOOL: u8 = 8;
/// Also in builds with debug assertions.
pub(super) const ALWAYS: u8 = 16;

/// Returns whether the kernels of a common reduction are compiled in this crate for elements of this type. For other integers, they would
/// make the build of this crate longer, and few programs need them. Without optimisation, most kernels take more time in the build of this
/// crate than they save in those of programs.
const fn is_common<T: Element>(types: u8) -> bool {
    let bit = match T::DTYPE {
        DType::F32 | DType::F64 => REAL,
        DType::C32 | DType::C64 => COMPLEX,
        DType::I64 => INTEGER,
        DType::Bool => BOOL,
        _ => 0,
    };
    types & bit != 0 && (cfg!(any(test, not(debug_assertions))) || types & ALWAYS != 0)
}

/// The function [`Reduction::visit`] of a reduction whose kernels are compiled in this crate, for the element types `TYPES`.
#[inline]
pub(super) fn visit_common<T, R, V, const TYPES: u8>(
    op: &R,
    arguments: V::Arguments<R::Output>,
) -> V::Result<R::Output>
where
    T: Element,
    R: Reduction<T> + 'static,
    V: ReductionVisitor<T>,
{
    // The condition is `const`, so the compiler instantiates only the branch that is taken.
    if const { is_common::<T>(TYPES) } { V::common(op, arguments) } else { V::any(op, arguments) }
}

/// Defines the function [`Reduction::visit`] as [`visit_common`], for elements `$T` and the element types `$types`.
macro_rules! visit_as_common {
    ($T:ty, $types:expr) => {
        #[inline]
        fn visit<V: $crate::device::op::visitor::ReductionVisitor<$T>>(
            &self,
            arguments: V::Arguments<Self::Output>,
        ) -> V::Result<Self::Output> {
            $crate::device::op::visitor::visit_common::<$T, _, V, { $types }>(self, arguments)
        }
    };
}
pub(super) use visit_as_common;
