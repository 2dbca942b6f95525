//! Memory order, row-major or column-major: as a type parameter, and as a value.

#![forbid(unsafe_code)]

use core::fmt::Debug;

mod sealed {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be made a memory order",
        label = "the memory orders are `RowMajor` and `ColMajor`, and no others",
        note = "other arrangements are strides of a view: `.permute(..)`, `.slice(..)`, `.reverse_axes()`"
    )]
    pub trait Sealed {}
}

/// The memory order of a tensor: [`RowMajor`] or [`ColMajor`]. Sealed.
///
/// It determines the same four things in every function, and nothing else:
///
/// | | `RowMajor` | `ColMajor` |
/// |---|---|---|
/// | flat data ↔ index (`from_vec`, `reshape`, `flatten`, `iter`, the flat index of `argmax`) | last axis fastest | first axis fastest |
/// | broadcasting aligns | trailing axes | leading axes |
/// | matrix axes of a batched `matmul` | last two, batch leads | first two, batch trails |
/// | an owned result is contiguous in | C order | Fortran order |
///
/// Reversing every shape exchanges the two columns (the *mirror law*). Column-major routines are therefore the row-major routines,
/// applied to reversed axes.
///
/// ```
/// use vierbein::prelude::*;
/// let rows = Tensor::<i32, _, RowMajor>::from_vec([2, 3], vec![0, 1, 2, 3, 4, 5]);
/// let cols = Tensor::<i32, _, ColMajor>::from_vec([2, 3], vec![0, 1, 2, 3, 4, 5]);
/// assert_eq!(rows[[0, 1]], 1);
/// assert_eq!(cols[[0, 1]], 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a memory order",
    label = "the memory orders are `RowMajor` and `ColMajor`"
)]
pub trait Order: sealed::Sealed + Copy + Debug + Default + Send + Sync + 'static {
    /// The other order.
    type Transposed: Order<Transposed = Self>;
    /// Whether the last axis is the fastest.
    const ROW_MAJOR: bool;
    /// The name in messages: `row-major` or `column-major`.
    const NAME: &'static str;
    /// The memory order as a value.
    const MEMORY_ORDER: MemoryOrder =
        if Self::ROW_MAJOR { MemoryOrder::RowMajor } else { MemoryOrder::ColMajor };
}

/// The memory order as a value. The value for a type `O` is `O::MEMORY_ORDER`.
///
/// ```
/// use vierbein::{ColMajor, MemoryOrder, Order};
/// assert_eq!(ColMajor::MEMORY_ORDER, MemoryOrder::ColMajor);
/// assert_eq!(MemoryOrder::ColMajor.name(), ColMajor::NAME);
/// ```
///
/// The two values are `MemoryOrder::RowMajor` and `MemoryOrder::ColMajor`, also in patterns. They are constants, not variants: if a
/// variant had the name of the type `RowMajor`, the compiler's messages would show the full path of that type.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    #[doc(hidden)]
    #[default]
    OfRows,
    #[doc(hidden)]
    OfColumns,
}

impl core::fmt::Debug for MemoryOrder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(if self.is_row_major() { "RowMajor" } else { "ColMajor" })
    }
}

#[allow(non_upper_case_globals, reason = "the names of the types")]
impl MemoryOrder {
    /// C order, the default: [`RowMajor`].
    pub const RowMajor: MemoryOrder = MemoryOrder::OfRows;
    /// Fortran order: [`ColMajor`].
    pub const ColMajor: MemoryOrder = MemoryOrder::OfColumns;

    /// Returns the name in messages: `row-major` or `column-major`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            MemoryOrder::RowMajor => "row-major",
            MemoryOrder::ColMajor => "column-major",
        }
    }

    /// Returns `true` if the last axis is the fastest.
    #[must_use]
    pub const fn is_row_major(self) -> bool {
        matches!(self, MemoryOrder::RowMajor)
    }

    /// Returns the other order.
    #[must_use]
    pub const fn transposed(self) -> MemoryOrder {
        match self {
            MemoryOrder::RowMajor => MemoryOrder::ColMajor,
            MemoryOrder::ColMajor => MemoryOrder::RowMajor,
        }
    }
}

impl core::fmt::Display for MemoryOrder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

/// C order: the last axis is the fastest. The default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RowMajor;

/// Fortran order: the first axis is the fastest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ColMajor;

impl sealed::Sealed for RowMajor {}
impl sealed::Sealed for ColMajor {}

impl Order for RowMajor {
    type Transposed = ColMajor;
    const ROW_MAJOR: bool = true;
    const NAME: &'static str = MemoryOrder::RowMajor.name();
}

impl Order for ColMajor {
    type Transposed = RowMajor;
    const ROW_MAJOR: bool = false;
    const NAME: &'static str = MemoryOrder::ColMajor.name();
}
