//! Memory order: which axis runs fastest, carried in the type.

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

/// The order of a tensor: [`RowMajor`] or [`ColMajor`]. Sealed.
///
/// It means the same four things in every function, and nothing else:
///
/// | | `RowMajor` | `ColMajor` |
/// |---|---|---|
/// | flat data ↔ index (`from_vec`, `reshape`, `flatten`, `iter`, the flat index of `argmax`) | last axis fastest | first axis fastest |
/// | broadcasting aligns | trailing axes | leading axes |
/// | matrix axes of a batched `matmul` | last two, batch leads | first two, batch trails |
/// | an owned result is dense in | C order | Fortran order |
///
/// Reversing every shape turns one column into the other (the *mirror law*); col-major routines are written once, as the
/// row-major ones on reversed axes.
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
    /// Whether the last axis runs fastest.
    const ROW_MAJOR: bool;
    /// As it is written in messages: `row-major` or `column-major`.
    const NAME: &'static str = Self::MEMORY_ORDER.name();
    /// The order as a value.
    const MEMORY_ORDER: MemoryOrder;
}

/// The order as a value, derived from the type: `O::MEMORY_ORDER`.
///
/// ```
/// use vierbein::{ColMajor, MemoryOrder, Order};
/// assert_eq!(ColMajor::MEMORY_ORDER, MemoryOrder::ColMajor);
/// assert_eq!(MemoryOrder::ColMajor.name(), ColMajor::NAME);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// C order, the default: [`RowMajor`].
    #[default]
    RowMajor,
    /// Fortran order: [`ColMajor`].
    ColMajor,
}

impl MemoryOrder {
    /// As it is written in messages: `row-major` or `column-major`.
    pub const fn name(self) -> &'static str {
        match self {
            MemoryOrder::RowMajor => "row-major",
            MemoryOrder::ColMajor => "column-major",
        }
    }

    /// Whether the last axis runs fastest.
    pub const fn is_row_major(self) -> bool {
        matches!(self, MemoryOrder::RowMajor)
    }

    /// The other order.
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

/// C order: the last axis runs fastest. The default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RowMajor;

/// Fortran order: the first axis runs fastest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ColMajor;

impl sealed::Sealed for RowMajor {}
impl sealed::Sealed for ColMajor {}

impl Order for RowMajor {
    type Transposed = ColMajor;
    const ROW_MAJOR: bool = true;
    const MEMORY_ORDER: MemoryOrder = MemoryOrder::RowMajor;
}

impl Order for ColMajor {
    type Transposed = RowMajor;
    const ROW_MAJOR: bool = false;
    const MEMORY_ORDER: MemoryOrder = MemoryOrder::ColMajor;
}
