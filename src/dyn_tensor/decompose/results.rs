//! The results of decompositions of dynamic tensors, made from those of typed tensors.

use crate::device::Device;
use crate::device::family::decompose::LinalgElement;
use crate::dyn_tensor::tensor::DynTensor;
use crate::dyn_tensor::typed::Erase;
use crate::ops::decompose::{Discarded, Ldl, Lu, Svd};
use crate::order::Order;
use crate::rank::MatrixStack;

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

impl<T: LinalgElement, D: MatrixStack, O: Order, Dev: Device> Erase for Svd<T, D, O, Dev> {
    type Erased = DynSvd;
    fn erase(self) -> DynSvd {
        DynSvd { u: self.u.into(), s: self.s.into(), vh: self.vh.into() }
    }
}

impl<T: LinalgElement, D: MatrixStack, O: Order, Dev: Device> Erase for Lu<T, D, O, Dev> {
    type Erased = DynLu;
    fn erase(self) -> DynLu {
        DynLu { l: self.l.into(), u: self.u.into(), rows: self.rows.into() }
    }
}

impl<T: LinalgElement, D: MatrixStack, O: Order, Dev: Device> Erase for Ldl<T, D, O, Dev> {
    type Erased = DynLdl;
    fn erase(self) -> DynLdl {
        DynLdl { l: self.l.into(), d: self.d.into(), rows: self.rows.into() }
    }
}

impl<T: LinalgElement, D: MatrixStack, O: Order, Dev: Device> Erase for Discarded<T, D, O, Dev> {
    type Erased = DynDiscarded;
    fn erase(self) -> DynDiscarded {
        DynDiscarded { weight: self.weight.into(), share: self.share.into() }
    }
}
