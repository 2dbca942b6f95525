//! Executes factorisations.

use super::groups::Groups;
use super::results::{Factor, NewFactor, Values, buffer};
use super::spec::FactorSpec;
use crate::device::family::decompose::{Decompose, LinalgElement};
use crate::device::{Copy, Device, Gemm, MatrixOperand, ProductArgs, Scaling};
use crate::element::{Element, Scalar};
use crate::engine::contract::Labelled;
use crate::engine::decompose::named;
use crate::engine::decompose::truncation::{Truncation, discarded};
use crate::error::Error;
use crate::layout::Layout;
use crate::storage::OwnedData;
use num_traits::Zero;

/// `u`, the singular values and `vh`.
type Three<T, Dev> = (NewFactor<T, Dev>, NewFactor<<T as Scalar>::Magnitude, Dev>, NewFactor<T, Dev>);

/// A factorisation with its operand, whose rank matches the specification.
#[derive(Debug)]
pub(crate) struct Factorise<'a, T: Element, Dev: Device> {
    pub(crate) spec: &'a FactorSpec<'a>,
    pub(crate) row_major: bool,
    pub(crate) device: &'a Dev,
    pub(crate) operand: MatrixOperand<'a, T, Dev>,
}

impl<T: LinalgElement, Dev: Decompose<T> + Copy<T>> Factorise<'_, T, Dev> {
    /// Returns `u`, the singular values and `vh`.
    ///
    /// # Errors
    /// * If the truncation has an invalid number, or the ellipsis stands for too many axes.
    /// * If an element is NaN or infinite, or the iteration does not converge.
    /// * If an allocation fails, or the device reports an error.
    pub(crate) fn svd(&self, truncation: Truncation) -> Result<Three<T, Dev>, Error> {
        truncation.check("svd")?;
        self.svd_of(self.groups()?, truncation, |_, _| ())
    }

    /// Returns `u`, the singular values and `vh`, and what the truncation discards from each matrix of the batch: the weights, and their
    /// shares in the weights of all values.
    ///
    /// # Errors
    /// As [`svd`](Factorise::svd).
    pub(crate) fn svd_truncated(
        &self,
        truncation: Truncation,
    ) -> Result<(Three<T, Dev>, [NewFactor<T::Magnitude, Dev>; 2]), Error> {
        truncation.check("svd")?;
        let groups = self.groups()?;
        let layout = Layout::contiguous(groups.shape(&groups.batch).shape(), self.row_major);
        let (mut weights, mut shares) = (vec![], vec![]);
        let factors = self.svd_of(groups, truncation, |s, kept| {
            let [weight, share] = discarded(s, kept).map(<T::Magnitude as Scalar>::from_f64);
            weights.push(weight);
            shares.push(share);
        })?;
        let made = |mut numbers: Vec<T::Magnitude>| -> Result<_, Error> {
            // An empty truncation discards nothing.
            numbers.resize(layout.shape().iter().product(), <T::Magnitude>::zero());
            let data = OwnedData { buffer: self.device.adopt(numbers)?, device: self.device.clone() };
            Ok(NewFactor { data, layout })
        };
        Ok((factors, [made(weights)?, made(shares)?]))
    }

    /// [`svd`](Factorise::svd). `see` is called as by [`Values::truncate`].
    fn svd_of(
        &self,
        mut groups: Groups,
        truncation: Truncation,
        see: impl FnMut(&[f64], usize),
    ) -> Result<Three<T, Dev>, Error> {
        let [mut u, mut vh] = [
            self.factor(&groups, 0, [&groups.rows, &groups.bond])?,
            self.factor(&groups, 1, [&groups.bond, &groups.columns])?,
        ];
        let mut s = Values::new(self.device, &groups, self.row_major)?;
        self.with_matrices(&groups, [&groups.rows, &groups.columns], |a| {
            self.device.svd(s.output(), Some([u.output(), vh.output()]), a)
        })?;
        let s = s.truncate(self.device, &mut groups, self.row_major, truncation, see)?;
        Ok((
            u.finish(self.device, &groups, self.row_major)?,
            s,
            vh.finish(self.device, &groups, self.row_major)?,
        ))
    }

    /// Returns `q` and `r`.
    ///
    /// # Errors
    /// * If the ellipsis stands for too many axes.
    /// * If an element is NaN or infinite.
    /// * If an allocation fails, or the device reports an error.
    pub(crate) fn qr(&self) -> Result<[NewFactor<T, Dev>; 2], Error> {
        let groups = self.groups()?;
        let mut q = self.factor(&groups, 0, [&groups.rows, &groups.bond])?;
        let mut r = self.factor(&groups, 1, [&groups.bond, &groups.columns])?;
        self.with_matrices(&groups, [&groups.rows, &groups.columns], |a| {
            self.device.qr(Some(q.output()), r.output(), a)
        })?;
        Ok([q.finish(self.device, &groups, self.row_major)?, r.finish(self.device, &groups, self.row_major)?])
    }

    /// Returns `l` and `q`. If `a = l · q`, then `aᵀ = qᵀ · lᵀ` is a QR decomposition.
    ///
    /// # Errors
    /// As [`qr`](Factorise::qr).
    pub(crate) fn lq(&self) -> Result<[NewFactor<T, Dev>; 2], Error> {
        let groups = self.groups()?;
        let mut l = self.factor(&groups, 0, [&groups.bond, &groups.rows])?;
        let mut q = self.factor(&groups, 1, [&groups.columns, &groups.bond])?;
        self.with_matrices(&groups, [&groups.columns, &groups.rows], |a| {
            self.device.qr(Some(q.output()), l.output(), a)
        })?;
        Ok([l.finish(self.device, &groups, self.row_major)?, q.finish(self.device, &groups, self.row_major)?])
    }

    /// Returns the eigenvalues and the eigenvectors of Hermitian matrices.
    ///
    /// # Errors
    /// * If the ellipsis stands for too many axes, or the matrices are not square.
    /// * If an element is NaN or infinite, or the iteration does not converge.
    /// * If an allocation fails, or the device reports an error.
    pub(crate) fn eigh(&self) -> Result<(NewFactor<T::Magnitude, Dev>, NewFactor<T, Dev>), Error> {
        let groups = self.groups()?;
        let mut v = self.factor(&groups, 0, [&groups.rows, &groups.bond])?;
        let mut w = Values::new(self.device, &groups, self.row_major)?;
        self.with_matrices(&groups, [&groups.rows, &groups.columns], |a| {
            self.device.eigh(w.output(), Some(v.output()), a)
        })?;
        Ok((w.finish(), v.finish(self.device, &groups, self.row_major)?))
    }

    /// Returns `u` and `p`. With the singular value decomposition `a = w · s · vh`, `u` is `w · vh` and `p` is `uᴴ · a`.
    ///
    /// # Errors
    /// As [`svd`](Factorise::svd).
    pub(crate) fn polar(&self) -> Result<[NewFactor<T, Dev>; 2], Error>
    where
        Dev: Gemm<T>,
    {
        let (groups, device) = (self.groups()?, self.device);
        let mut u = self.factor(&groups, 0, [&groups.rows, &groups.bond])?;
        let mut p = self.factor(&groups, 1, [&groups.bond, &groups.columns])?;
        let [m, n] = [&groups.rows, &groups.columns].map(|group| groups.extents.product(group));
        let batch = groups.shape(&groups.batch);
        let contiguous = |matrix: &[usize]| Layout::contiguous(&[batch.shape(), matrix].concat(), true);
        let k = groups.rank();
        let (of_w, of_s, of_vh) = (contiguous(&[m, k]), contiguous(&[k]), contiguous(&[k, n]));
        let (mut w, mut vh) = (buffer(device, of_w.shape())?, buffer(device, of_vh.shape())?);
        let mut s = buffer(device, of_s.shape())?;
        self.with_matrices(&groups, [&groups.rows, &groups.columns], |a| {
            device.svd(s.output(&of_s), Some([w.output(&of_w), vh.output(&of_vh)]), a)?;
            let (left, right) = (w.operand(&of_w).into(), vh.operand(&of_vh).into());
            let scaling = Scaling::overwrite();
            device.gemm(ProductArgs { scaling, a: left, b: right, out: u.output() })?;
            let transposed = u.transposed();
            let adjoint = MatrixOperand { operand: u.operand(&transposed), conjugate: true };
            device.gemm(ProductArgs { scaling, a: adjoint, b: a, out: p.output() })
        })?;
        Ok([u.finish(device, &groups, self.row_major)?, p.finish(device, &groups, self.row_major)?])
    }

    fn groups(&self) -> Result<Groups, Error> {
        Groups::new(self.spec, self.row_major, self.operand.operand.shape())
    }

    fn factor(&self, groups: &Groups, which: usize, matrix: [&[u8]; 2]) -> Result<Factor<T, Dev>, Error> {
        Factor::new(self.device, groups, self.row_major, which, matrix)
    }

    /// Calls `run` with the operand as a batch of matrices, whose rows and columns have these labels. The operand is copied only if its
    /// strides do not allow the row axes, or the column axes, to be fused into one axis.
    fn with_matrices(
        &self,
        groups: &Groups,
        [rows, columns]: [&[u8]; 2],
        run: impl FnOnce(MatrixOperand<'_, T, Dev>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let MatrixOperand { operand, conjugate } = self.operand;
        let axes = Labelled::new(operand.axes(), &groups.operand, &groups.extents);
        let done = match groups.matrices(&axes, [rows, columns]) {
            Some(matrices) => run(self.operand.with_axes(matrices.axes())),
            None => {
                // The copy is column-major, like the matrices that the kernels compute with.
                let labels = groups.after_batch([columns, rows]);
                let packed = Labelled::contiguous(&labels, &groups.extents);
                let mut copy = buffer(self.device, packed.layout().shape())?;
                let from = axes.arrange(&labels, &groups.extents);
                self.device.copy(copy.output(packed.layout()), operand.in_layout(&from))?;
                let matrices = groups
                    .matrices(&packed, [rows, columns])
                    .expect("adjacent axes of a contiguous tensor fuse");
                run(MatrixOperand { operand: copy.operand(&matrices), conjugate })
            }
        };
        done.map_err(|error| named(error, self.spec.factorisation().name(), operand.shape()))
    }
}
