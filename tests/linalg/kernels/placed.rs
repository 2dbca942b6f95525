//! Calls the methods of [`Decompose`] on the device `super::DEVICE`, with matrices in different memory layouts.

use super::DEVICE;
use super::matrix::{Matrix, Number};
use vierbein::device::{Cpu, Device, HostPtr, MatrixOperand, Operand, Output};
#[allow(unused_imports, reason = "the methods of another device are its own")]
use vierbein::linalg::Decompose;
use vierbein::linalg::Structure;
use vierbein::{Element, Error, Scalar};

/// How a matrix, or a batch of matrices, is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Rows,
    Columns,
    /// Every second row and every third column of a larger matrix.
    Steps,
    /// Rows and columns in reverse order.
    Reversed,
}

pub(super) const LAYOUTS: [Layout; 4] = [Layout::Rows, Layout::Columns, Layout::Steps, Layout::Reversed];

/// An array in memory.
#[derive(Debug, Clone)]
pub(super) struct Placed<T> {
    memory: Vec<T>,
    first: usize,
    shape: Vec<usize>,
    strides: Vec<isize>,
}

impl<T: Element> Placed<T> {
    /// Returns zeros of a shape. The layout determines how the last two axes are stored. The axes before them are in row-major
    /// order.
    pub(super) fn zeros(shape: &[usize], layout: Layout) -> Self {
        let mut strides = vec![0isize; shape.len()];
        let mut len = 1isize;
        for (at, axis) in (0..shape.len()).rev().enumerate() {
            let axis = match (layout, shape.len() - 1 - axis) {
                (Layout::Columns, 0) if shape.len() > 1 => axis - 1,
                (Layout::Columns, 1) => axis + 1,
                _ => axis,
            };
            let step = match (layout, at) {
                (Layout::Steps, 0) => 3,
                (Layout::Steps, 1) => 2,
                _ => 1,
            };
            strides[axis] = len * step;
            len *= step * shape[axis].max(1) as isize;
        }
        let mut first = 0;
        if layout == Layout::Reversed {
            for (stride, &extent) in strides.iter_mut().zip(shape) {
                first += *stride as usize * extent.saturating_sub(1);
                *stride = -*stride;
            }
        }
        Placed { memory: vec![T::default(); len as usize], first, shape: shape.to_vec(), strides }
    }

    pub(super) fn of(a: &Matrix<T>, layout: Layout) -> Self {
        Placed::batch(&[], core::slice::from_ref(a), layout)
    }

    /// Returns a batch of matrices, which are listed in row-major order of the batch axes.
    pub(super) fn batch(shape: &[usize], of: &[Matrix<T>], layout: Layout) -> Self {
        let mut placed = Placed::zeros(&[shape, &[of[0].m, of[0].n]].concat(), layout);
        for (k, a) in of.iter().enumerate() {
            let (first, strides) = placed.last_axes::<2>(k);
            for (i, row) in a.elements.chunks(a.n.max(1)).enumerate() {
                let mut at = first + i as isize * strides[0];
                for &x in row {
                    placed.memory[at as usize] = x;
                    at += strides[1];
                }
            }
        }
        placed
    }

    /// Returns the position of the first element of matrix or vector `k` of the batch, and the strides of its `N` axes. Computing the position
    /// of each element from all its indices would take longer than the decompositions, without optimisation.
    fn last_axes<const N: usize>(&self, k: usize) -> (isize, [isize; N]) {
        let batch = self.shape.len() - N;
        let (mut first, mut rest) = (self.first as isize, k);
        for axis in (0..batch).rev() {
            first += (rest % self.shape[axis]) as isize * self.strides[axis];
            rest /= self.shape[axis];
        }
        (first, core::array::from_fn(|axis| self.strides[batch + axis]))
    }

    pub(super) fn matrix(&self, k: usize) -> Matrix<T> {
        let [m, n] = self.extents();
        let (first, strides) = self.last_axes::<2>(k);
        let mut elements = Vec::with_capacity(m * n);
        for i in 0..m {
            let mut at = first + i as isize * strides[0];
            for _ in 0..n {
                elements.push(self.memory[at as usize]);
                at += strides[1];
            }
        }
        Matrix { m, n, elements }
    }

    pub(super) fn vector(&self, k: usize) -> Vec<T> {
        let (first, [stride]) = self.last_axes(k);
        (0..self.shape[self.shape.len() - 1])
            .map(|i| self.memory[(first + i as isize * stride) as usize])
            .collect()
    }

    pub(super) fn operand(&self) -> Operand<'_, T, Cpu> {
        let first = HostPtr::new(self.memory.as_ptr().cast_mut()).offset(self.first as isize);
        // SAFETY: `zeros` allocated memory for all indices of the shape. It is borrowed during the lifetime of the operand.
        unsafe { Operand::from_raw(first, &self.shape, &self.strides) }
    }

    pub(super) fn output(&mut self) -> Output<'_, T, Cpu> {
        let first = Cpu::offset(HostPtr::new(self.memory.as_mut_ptr()), self.first as isize);
        // SAFETY: `zeros` allocated memory for all indices of the shape, and different indices address different elements. The memory is
        // exclusively borrowed during the lifetime of the output.
        unsafe { Output::from_raw(first, &self.shape, &self.strides) }
    }

    fn with_last(&self, last: &[usize]) -> Vec<usize> {
        [&self.shape[..self.shape.len() - 2], last].concat()
    }

    fn extents(&self) -> [usize; 2] {
        [self.shape[self.shape.len() - 2], self.shape[self.shape.len() - 1]]
    }
}

/// Whether a decomposition computes thin or full matrices of singular vectors, or a thin or full factor `q`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Thin,
    Full,
}

pub(super) type Of<T> = Placed<<T as Scalar>::Magnitude>;

/// The arguments of a call: the operand, whether it is conjugated, and the layout of the results.
#[derive(Debug, Clone)]
pub(super) struct Call<T> {
    pub(super) a: Placed<T>,
    pub(super) conjugate: bool,
    pub(super) results: Layout,
}

impl<T: Number> Call<T> {
    pub(super) fn new(a: Placed<T>) -> Self {
        Call { a, conjugate: false, results: Layout::Columns }
    }

    pub(super) fn of(a: &Matrix<T>) -> Self {
        Call::new(Placed::of(a, Layout::Rows))
    }

    fn operand(&self) -> MatrixOperand<'_, T, Cpu> {
        MatrixOperand { operand: self.a.operand(), conjugate: self.conjugate }
    }

    fn zeros<R: Element>(&self, last: &[usize]) -> Placed<R> {
        let shape = self.a.with_last(last);
        Placed::zeros(&shape, if last.len() == 1 { Layout::Rows } else { self.results })
    }

    pub(super) fn svd(&self, size: Size) -> Result<(Placed<T>, Of<T>, Placed<T>), Error> {
        let [m, n] = self.a.extents();
        let k = m.min(n);
        let [p, q] = if size == Size::Thin { [k, k] } else { [m, n] };
        let (mut u, mut s, mut vh) = (self.zeros(&[m, p]), self.zeros(&[k]), self.zeros(&[q, n]));
        DEVICE.svd(s.output(), Some([u.output(), vh.output()]), self.operand())?;
        Ok((u, s, vh))
    }

    pub(super) fn singular_values(&self) -> Result<Of<T>, Error> {
        let [m, n] = self.a.extents();
        let mut s = self.zeros(&[m.min(n)]);
        DEVICE.svd(s.output(), None, self.operand())?;
        Ok(s)
    }

    pub(super) fn eigh(&self) -> Result<(Of<T>, Placed<T>), Error> {
        let [n, _] = self.a.extents();
        let (mut w, mut v) = (self.zeros(&[n]), self.zeros(&[n, n]));
        DEVICE.eigh(w.output(), Some(v.output()), self.operand())?;
        Ok((w, v))
    }

    pub(super) fn eigvalsh(&self) -> Result<Of<T>, Error> {
        let mut w = self.zeros(&[self.a.extents()[0]]);
        DEVICE.eigh(w.output(), None, self.operand())?;
        Ok(w)
    }

    pub(super) fn eig(&self) -> Result<(Placed<T::Complex>, Placed<T::Complex>), Error> {
        let [n, _] = self.a.extents();
        let (mut w, mut v) = (self.zeros(&[n]), self.zeros(&[n, n]));
        DEVICE.eig(w.output(), Some(v.output()), self.operand())?;
        Ok((w, v))
    }

    pub(super) fn eigvals(&self) -> Result<Placed<T::Complex>, Error> {
        let mut w = self.zeros(&[self.a.extents()[0]]);
        DEVICE.eig(w.output(), None, self.operand())?;
        Ok(w)
    }

    pub(super) fn schur(&self) -> Result<(Placed<T>, Placed<T>), Error> {
        let [n, _] = self.a.extents();
        let (mut t, mut z) = (self.zeros(&[n, n]), self.zeros(&[n, n]));
        DEVICE.schur(t.output(), z.output(), self.operand())?;
        Ok((t, z))
    }

    pub(super) fn qr(&self, size: Size) -> Result<(Placed<T>, Placed<T>), Error> {
        let [m, n] = self.a.extents();
        let k = if size == Size::Thin { m.min(n) } else { m };
        let (mut q, mut r) = (self.zeros(&[m, k]), self.zeros(&[k, n]));
        DEVICE.qr(Some(q.output()), r.output(), self.operand())?;
        Ok((q, r))
    }

    pub(super) fn r(&self) -> Result<Placed<T>, Error> {
        let [m, n] = self.a.extents();
        let mut r = self.zeros(&[m.min(n), n]);
        DEVICE.qr(None, r.output(), self.operand())?;
        Ok(r)
    }

    pub(super) fn lu(&self) -> Result<(Placed<T>, Placed<i64>), Error> {
        let [m, n] = self.a.extents();
        let (mut lu, mut rows) = (self.zeros(&[m, n]), self.zeros(&[m]));
        DEVICE.lu(lu.output(), rows.output(), self.operand())?;
        Ok((lu, rows))
    }

    #[expect(clippy::type_complexity, reason = "three results")]
    pub(super) fn ldl(&self) -> Result<(Placed<T>, Placed<T>, Placed<i64>), Error> {
        let [n, _] = self.a.extents();
        let (mut l, mut d, mut rows) = (self.zeros(&[n, n]), self.zeros(&[n, n]), self.zeros(&[n]));
        DEVICE.ldl(l.output(), d.output(), rows.output(), self.operand())?;
        Ok((l, d, rows))
    }

    pub(super) fn cholesky(&self) -> Result<Placed<T>, Error> {
        let [n, _] = self.a.extents();
        let mut l = self.zeros(&[n, n]);
        DEVICE.cholesky(l.output(), self.operand())?;
        Ok(l)
    }

    pub(super) fn solve(&self, structure: Structure, b: &Matrix<T>) -> Result<Placed<T>, Error> {
        let mut x = Placed::of(b, self.results);
        DEVICE.solve(structure, x.output(), self.operand())?;
        Ok(x)
    }
}
