//! Matrix products by the order's rule: which axes are the matrix and which the batch is known, so no labels are needed.

use super::operand::ProductOperand;
use crate::device::{Device, Factor, Gemm};
use crate::element::{Element, Scalar};
use crate::error::{Error, expect};
use crate::layout::Layout;
use crate::layout::axes::Axes;
use crate::layout::broadcast::common_shape;
use crate::ops::{check_out, same_instance};
use crate::order::Order;
use crate::rank::{Dim, MAX_RANK, MatmulRanks, Rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorView};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// The product of matrices, vectors and batches of matrices. The rank of the result is in its type.
    ///
    /// | shapes, row-major | shapes, column-major | result |
    /// |---|---|---|
    /// | `[k]`, `[k]` | the same | rank 0 |
    /// | `[.., m, k]`, `[k]` | `[m, k, ..]`, `[k]` | `[.., m]` or `[m, ..]` |
    /// | `[k]`, `[.., k, n]` | `[k]`, `[k, n, ..]` | `[.., n]` or `[n, ..]` |
    /// | `[.., m, k]`, `[.., k, n]` | `[m, k, ..]`, `[k, n, ..]` | `[.., m, n]` or `[m, n, ..]` |
    ///
    /// Batch axes broadcast. Transposed and sliced views go in as they are, without a copy, and so does the right operand's
    /// complex conjugate, [`conj_view`](Tensor::conj_view). Integers are accumulated in 64 or
    /// 128 bits; a result that does not fit is an error in builds with debug assertions and wraps otherwise. Of floating and
    /// complex products on the host, up to 512 are added one after the other, and such sums one after the other: the error is at
    /// most `(min(k, 512) + k / 512 + 2) · u · Σ|a·b|`, twice that for parts of complex ones, with `u = ε/2` and to first order in it.
    /// (With the feature `blas` it is the library's.)
    ///
    /// # Panics
    /// Where the summed axes differ in length, batches do not broadcast, or the device has no memory left.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let a = tensor![[1, 2], [3, 4]];
    /// assert_eq!(a.matmul(&tensor![[5, 6], [7, 8]]), tensor![[19, 22], [43, 50]]);
    /// assert_eq!(a.matmul(&tensor![1, 1]), tensor![3, 7]);
    /// assert_eq!(a.matmul(&a.t()), tensor![[5, 11], [11, 25]]);
    /// ```
    #[track_caller]
    pub fn matmul<'b, B, R>(&self, right: B) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        B: ProductOperand<'b, T, O, Dev>,
        D: MatmulRanks<B::Dim, Product = R>,
        R: Dim,
        Dev: Gemm<T>,
    {
        expect(self.try_matmul(right))
    }

    /// [`matmul`](Tensor::matmul) with a `Result`.
    ///
    /// # Errors
    /// Where the summed axes differ in length, batches do not broadcast, or the device has no memory left.
    pub fn try_matmul<'b, B, R>(&self, right: B) -> Result<Tensor<T, R, O, Dev>, Error>
    where
        T: Scalar,
        B: ProductOperand<'b, T, O, Dev>,
        D: MatmulRanks<B::Dim, Product = R>,
        R: Dim,
        Dev: Gemm<T>,
    {
        self.matmul_to(right.agreeing(), B::CONJUGATE, |shape| Tensor::allocate(shape, self.device().clone()))
    }

    /// [`matmul`](Tensor::matmul) into a tensor or mutable view that is there, of exactly the result's shape; it need not have
    /// been written before. To add to what is there, or to scale it, see [`einsum_into!`](crate::einsum_into).
    ///
    /// # Panics
    /// Where [`matmul`](Tensor::matmul) would, or the output has another shape; nothing is written then.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([2, 2]);
    /// tensor![[1, 2], [3, 4]].matmul_into(&tensor![[5, 6], [7, 8]], &mut out);
    /// assert_eq!(out, tensor![[19, 22], [43, 50]]);
    /// ```
    #[track_caller]
    pub fn matmul_into<'b, B, R, S2>(&self, right: B, out: &mut Tensor<T, R, O, Dev, S2>)
    where
        T: Scalar,
        B: ProductOperand<'b, T, O, Dev>,
        D: MatmulRanks<B::Dim, Product = R>,
        R: Dim,
        Dev: Gemm<T>,
        S2: StorageMut<T, Dev>,
    {
        expect(self.try_matmul_into(right, out));
    }

    /// [`matmul_into`](Tensor::matmul_into) with a `Result`.
    ///
    /// # Errors
    /// Where [`try_matmul`](Tensor::try_matmul) would return one, or the output has another shape; nothing is written then.
    pub fn try_matmul_into<'b, B, R, S2>(
        &self,
        right: B,
        out: &mut Tensor<T, R, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: Scalar,
        B: ProductOperand<'b, T, O, Dev>,
        D: MatmulRanks<B::Dim, Product = R>,
        R: Dim,
        Dev: Gemm<T>,
        S2: StorageMut<T, Dev>,
    {
        let right = right.agreeing();
        // Integers may have no result, and nothing is to be half done then: they try it elsewhere.
        if T::INTEGER && cfg!(debug_assertions) {
            self.matmul_to(right, B::CONJUGATE, |shape| {
                check_out("matmul", shape.as_ref(), self.device(), out)?;
                Tensor::allocate(shape, self.device().clone())
            })?;
        }
        self.matmul_to(right, B::CONJUGATE, |shape| {
            check_out("matmul", shape.as_ref(), self.device(), out)?;
            Ok(out.view_mut())
        })
        .map(|_| ())
    }

    /// The product in what `make` has for its shape.
    fn matmul_to<E, R, S2>(
        &self,
        right: TensorView<'_, T, E, O, Dev>,
        conjugate: bool,
        make: impl FnOnce(R::Shape) -> Result<Tensor<T, R, O, Dev, S2>, Error>,
    ) -> Result<Tensor<T, R, O, Dev, S2>, Error>
    where
        T: Scalar,
        D: MatmulRanks<E, Product = R>,
        E: Dim,
        R: Dim,
        Dev: Gemm<T>,
        S2: StorageMut<T, Dev>,
    {
        same_instance("matmul", self.device(), right.device())?;
        if const { D::NDIM <= 2 && E::NDIM <= 2 } {
            return self.one_product(right, conjugate, make);
        }
        let disagree = |why| disagree(self.axes(), right.axes(), O::ROW_MAJOR, why);
        // Column-major is row-major on reversed axes and exchanged operands: (A·B) reversed is (B reversed)·(A reversed).
        let (mut a, mut b) = (self.enumeration(), right.enumeration());
        let (mut a_is_vector, mut b_is_vector) = (D::NDIM == 1, E::NDIM == 1);
        if !O::ROW_MAJOR {
            (a, b) = (b, a);
            (a_is_vector, b_is_vector) = (b_is_vector, a_is_vector);
        }
        if a_is_vector {
            a = a.insert_axis(0)?;
        }
        if b_is_vector {
            b = b.insert_axis(1)?;
        }
        let (batch_a, &[m, k]) = split_matrix(a.shape());
        let (batch_b, &[k_b, n]) = split_matrix(b.shape());
        if k != k_b {
            let (l, r) = if O::ROW_MAJOR { (k, k_b) } else { (k_b, k) };
            return Err(disagree(lengths_differ(l, r)));
        }
        let batch = common_batch(batch_a, batch_b)
            .ok_or_else(|| disagree("the batch axes do not broadcast".into()))?;
        let rank = batch_a.len().max(batch_b.len());
        // The full shape of the result, without the unit axis of a vector, in the order's own sequence of axes.
        let mut full = [0; MAX_RANK];
        full[..rank].copy_from_slice(&batch[..rank]);
        let mut kept = rank;
        for (extent, is_vector) in [(m, a_is_vector), (n, b_is_vector)] {
            if !is_vector {
                full[kept] = extent;
                kept += 1;
            }
        }
        let mut shape = R::Shape::default();
        shape.as_mut().copy_from_slice(&full[..kept]);
        if !O::ROW_MAJOR {
            shape.as_mut().reverse();
        }
        let mut out = make(shape)?;
        let mut c = out.enumeration();
        if a_is_vector {
            c = c.insert_axis(rank)?;
        }
        if b_is_vector {
            c = c.insert_axis(rank + 1)?;
        }
        let repeat = |x: Layout, [rows, columns]: [usize; 2]| {
            let mut shape = [0; MAX_RANK];
            shape[..rank].copy_from_slice(&batch[..rank]);
            (shape[rank], shape[rank + 1]) = (rows, columns);
            x.broadcast_to(&shape[..rank + 2], true).expect("the batches were found to broadcast")
        };
        let (mut a, mut b) = (repeat(a, [m, k]), repeat(b, [k, n]));
        // A single row or column is no matrix: sums of products need no tiles.
        let alone = m == 1 || n == 1;
        if n == 1 {
            b = b
                .without(rank + 1)
                .insert_axis(rank)?
                .broadcast_to(a.shape(), true)
                .expect("one column repeats");
            c = c.without(rank + 1);
        } else if m == 1 {
            b = b.swap_axes(rank, rank + 1)?;
            a = a.broadcast_to(b.shape(), true).expect("one row repeats");
            c = c.without(rank);
        }
        let of_self = self.operand_in(if O::ROW_MAJOR { &a } else { &b });
        let of_right = right.operand_in(if O::ROW_MAJOR { &b } else { &a });
        let of_right = Factor { operand: of_right, conjugate };
        let (x, y) = if O::ROW_MAJOR { (of_self.into(), of_right) } else { (of_right, of_self.into()) };
        let (output, device) = out.output_in(&c);
        if alone {
            device.sum_products(T::one(), x, y, T::zero(), output)
        } else {
            device.gemm(T::one(), x, y, T::zero(), output)
        }
        .map_err(|error| named(error, self.axes(), right.axes()))?;
        Ok(out)
    }

    /// The product of two operands that are matrices or vectors: without a batch, neither plans nor layouts are needed.
    #[inline]
    fn one_product<E, R, S2>(
        &self,
        right: TensorView<'_, T, E, O, Dev>,
        conjugate: bool,
        make: impl FnOnce(R::Shape) -> Result<Tensor<T, R, O, Dev, S2>, Error>,
    ) -> Result<Tensor<T, R, O, Dev, S2>, Error>
    where
        T: Scalar,
        E: Dim,
        R: Dim,
        Dev: Gemm<T>,
        S2: StorageMut<T, Dev>,
    {
        let (a, b) = in_order::<O, _>(self.axes(), right.axes());
        let (a_is_vector, b_is_vector) = (a.rank() == 1, b.rank() == 1);
        let ([m, k], a) = matrix::<O>(a, [None, Some(0)]);
        let ([k_b, n], b) = matrix::<O>(b, [Some(0), None]);
        if k != k_b {
            let (l, r) = in_order::<O, _>(k, k_b);
            return Err(disagree(self.axes(), right.axes(), O::ROW_MAJOR, lengths_differ(l, r)));
        }
        let mut shape = R::Shape::default();
        let (rows, columns) = in_order::<O, _>((m, a_is_vector), (n, b_is_vector));
        let kept = [rows, columns].into_iter().filter(|(_, is_vector)| !is_vector);
        shape.as_mut().iter_mut().zip(kept).for_each(|(to, (extent, _))| *to = extent);
        let mut out = make(shape)?;
        let (_, c) = match (a_is_vector, b_is_vector) {
            (false, false) => matrix::<O>(out.axes(), [None, None]),
            (true, false) => matrix::<O>(out.axes(), [None, Some(0)]),
            (false, true) => matrix::<O>(out.axes(), [Some(0), None]),
            (true, true) => ([1, 1], [0, 0]),
        };
        // A single row or column is no matrix: sums of products need no tiles.
        let (shape, a, b, to) = if n == 1 {
            ([m, k], a, [0, b[0]], Some(([m], [c[0]])))
        } else if m == 1 {
            ([n, k], [0, a[1]], [b[1], b[0]], Some(([n], [c[1]])))
        } else {
            ([m, k], a, b, None)
        };
        let (shape_b, shape_c) = (if to.is_some() { shape } else { [k, n] }, [m, n]);
        let (of_self, of_right) = in_order::<O, _>(Axes::new(&shape, &a), Axes::new(&shape_b, &b));
        let of_self = Factor::from(self.operand_behind(of_self, 0));
        let of_right = Factor { operand: right.operand_behind(of_right, 0), conjugate };
        let (x, y) = in_order::<O, _>(of_self, of_right);
        let done = if let Some((shape, strides)) = &to {
            let (output, device) = out.output_behind(Axes::new(shape, strides), 0);
            device.sum_products(T::one(), x, y, T::zero(), output)
        } else {
            let (output, device) = out.output_behind(Axes::new(&shape_c, &c), 0);
            device.gemm(T::one(), x, y, T::zero(), output)
        };
        done.map_err(|error| named(error, self.axes(), right.axes()))?;
        Ok(out)
    }
}

/// Column-major is row-major on reversed axes and exchanged operands: (A·B) reversed is (B reversed)·(A reversed).
#[inline]
fn in_order<O: Order, V>(left: V, right: V) -> (V, V) {
    if O::ROW_MAJOR { (left, right) } else { (right, left) }
}

/// Extents and strides as a row-major matrix: a vector is the rows or the columns, and the stride of the other axis is given.
#[inline]
fn matrix<O: Order>(axes: Axes<'_>, other: [Option<isize>; 2]) -> ([usize; 2], [isize; 2]) {
    match (axes.shape(), axes.strides(), other) {
        (&[m, n], &[s, t], _) if O::ROW_MAJOR => ([m, n], [s, t]),
        (&[m, n], &[s, t], _) => ([n, m], [t, s]),
        (&[n], &[s], [Some(other), _]) => ([n, 1], [s, other]),
        (&[n], &[s], [_, Some(other)]) => ([1, n], [other, s]),
        _ => unreachable!("a matrix or a vector"),
    }
}

#[cold]
fn disagree(left: Axes<'_>, right: Axes<'_>, row_major: bool, why: String) -> Error {
    Error::Matmul { left: left.shape().to_vec(), right: right.shape().to_vec(), row_major, why }
}

#[cold]
fn lengths_differ(left: usize, right: usize) -> String {
    format!("the summed axes have lengths {left} and {right}")
}

/// The error of a kernel, with the name and the operands of the operation.
#[cold]
fn named(error: Error, left: Axes<'_>, right: Axes<'_>) -> Error {
    match error {
        Error::Arithmetic { dtype, .. } => {
            let values = format!("shapes {:?} and {:?}", left.shape(), right.shape());
            Error::Arithmetic { op: "matmul", dtype, values }
        }
        other => other,
    }
}

/// The batch axes and the two of the matrix.
fn split_matrix(shape: &[usize]) -> (&[usize], &[usize; 2]) {
    shape.split_last_chunk::<2>().expect("vectors were made matrices")
}

/// The common shape of two batches, trailing axes aligned.
fn common_batch(a: &[usize], b: &[usize]) -> Option<[usize; MAX_RANK]> {
    let common = common_shape::<Rank<16>>(&[a, b], true)?;
    let rank = a.len().max(b.len());
    let mut batch = [1; MAX_RANK];
    batch[..rank].copy_from_slice(&common[MAX_RANK - rank..]);
    Some(batch)
}
