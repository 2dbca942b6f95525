//! The results of decompositions of dynamic tensors, made from those of typed tensors.

use crate::device::Device;
use crate::device::family::decompose::LinalgElement;
use crate::dyn_tensor::tensor::DynTensor;
use crate::element::Element;
use crate::engine::decompose::result_shape;
use crate::ops::decompose::{Discarded, Ldl, Lu, Svd, stacks};
use crate::order::Order;
use crate::rank::{MAX_RANK, Rank};
use crate::tensor::Tensor;

/// The singular value decomposition of a [`DynTensor`]: see [`Svd`].
#[derive(Debug)]
pub struct DynSvd {
    /// The left singular vectors, as columns.
    pub u: DynTensor,
    /// The singular values, in descending order.
    pub s: DynTensor,
    /// The conjugates of the right singular vectors, as rows.
    pub vh: DynTensor,
}

/// The LU decomposition of a [`DynTensor`]: see [`Lu`].
#[derive(Debug)]
pub struct DynLu {
    /// The lower triangular factor, with ones on its diagonal.
    pub l: DynTensor,
    /// The upper triangular factor.
    pub u: DynTensor,
    /// For each row of `l · u`, the index of the same row in the decomposed matrix, as `i64`.
    pub rows: DynTensor,
}

/// The LDLᴴ decomposition of a [`DynTensor`]: see [`Ldl`].
#[derive(Debug)]
pub struct DynLdl {
    /// The lower triangular factor, with ones on its diagonal.
    pub l: DynTensor,
    /// The Hermitian factor, with blocks of one or two rows on its diagonal.
    pub d: DynTensor,
    /// The order of the rows and columns, as `i64`: element `[i, j]` of `l · d · lᴴ` is element `[rows[i], rows[j]]` of the matrix.
    pub rows: DynTensor,
}

/// What a truncated decomposition of a [`DynTensor`] has discarded: see [`Discarded`].
#[derive(Debug)]
pub struct DynDiscarded {
    /// The sum of the squares of the discarded singular values.
    pub weight: DynTensor,
    /// The discarded weight divided by the sum of the squares of all singular values.
    pub share: DynTensor,
}

/// A result of a function of the module `stacks`. In its tensors, one axis stands for all axes of the batch. `erased` replaces this axis by
/// the batch axes of `shape`, the shape of the operand, and erases the types.
pub(super) trait Erase {
    type Erased;
    fn erased(self, shape: &[usize]) -> Self::Erased;
}

macro_rules! erase_tensors {
    ($($rank:literal)*) => {$(
        impl<T: Element, O: Order, Dev: Device> Erase for Tensor<T, Rank<$rank>, O, Dev> {
            type Erased = DynTensor;
            fn erased(self, shape: &[usize]) -> DynTensor {
                let (mut to, merged) = ([0; MAX_RANK], self.shape());
                let rank = shape.len() - 2 + $rank - 1;
                result_shape(O::ROW_MAJOR, shape, stacks::own_extents::<O>(&merged), &mut to[..rank]);
                DynTensor::contiguous(self.into_data(), &to[..rank], O::MEMORY_ORDER)
            }
        }
    )*};
}
erase_tensors!(1 2 3);

impl<A: Erase, B: Erase> Erase for (A, B) {
    type Erased = (A::Erased, B::Erased);
    fn erased(self, shape: &[usize]) -> Self::Erased {
        (self.0.erased(shape), self.1.erased(shape))
    }
}

impl<T: LinalgElement, O: Order, Dev: Device> Erase for Svd<T, Rank<3>, O, Dev> {
    type Erased = DynSvd;
    fn erased(self, shape: &[usize]) -> DynSvd {
        DynSvd { u: self.u.erased(shape), s: self.s.erased(shape), vh: self.vh.erased(shape) }
    }
}

impl<T: LinalgElement, O: Order, Dev: Device> Erase for Lu<T, Rank<3>, O, Dev> {
    type Erased = DynLu;
    fn erased(self, shape: &[usize]) -> DynLu {
        DynLu { l: self.l.erased(shape), u: self.u.erased(shape), rows: self.rows.erased(shape) }
    }
}

impl<T: LinalgElement, O: Order, Dev: Device> Erase for Ldl<T, Rank<3>, O, Dev> {
    type Erased = DynLdl;
    fn erased(self, shape: &[usize]) -> DynLdl {
        DynLdl { l: self.l.erased(shape), d: self.d.erased(shape), rows: self.rows.erased(shape) }
    }
}

impl<T: LinalgElement, O: Order, Dev: Device> Erase for Discarded<T, Rank<3>, O, Dev> {
    type Erased = DynDiscarded;
    fn erased(self, shape: &[usize]) -> DynDiscarded {
        DynDiscarded { weight: self.weight.erased(shape), share: self.share.erased(shape) }
    }
}
