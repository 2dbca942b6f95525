//! Cross products of vectors of three elements: `cross`.

use crate::axis::AxisArg;
use crate::device::op::binary::{Mul, Sub};
use crate::device::{Device, Elementwise};
use crate::element::{Element, Scalar};
use crate::engine::gemm::cross::{CROSS, FACTORS, arrange};
use crate::engine::same_instance;
use crate::error::{Error, fallible};
use crate::ops::elementwise::compute::{binary, binary_assign, binary_into, check_out};
use crate::ops::elementwise::operands::MatchingOperand;
use crate::order::Order;
use crate::rank::{Broadcast, Dim};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorViewMut};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the cross products of vectors of three elements. The vectors of both operands are along `axis`. The operands broadcast, and
    /// `axis` is counted in their common shape.
    ///
    /// # Errors
    /// * If the shapes do not broadcast, the axis is out of range, or an operand does not have extent 3 along the axis.
    /// * If an integer result overflows in a build with debug assertions, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![1, 2, 3].cross(0, tensor![4, 5, 6]), tensor![-3, 6, -3]);
    ///
    /// // The cross products of the rows of a matrix with one vector.
    /// let x = tensor![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// assert_eq!(x.cross(1, tensor![0.0, 0.0, 2.0]), tensor![[0.0, -2.0, 0.0], [2.0, 0.0, 0.0]]);
    /// ```
    #[fallible]
    pub fn cross<A, B, R>(&self, axis: A, other: B) -> Tensor<T, R, O, Dev>
    where
        T: Scalar,
        A: AxisArg<R>,
        B: MatchingOperand<T, O, Dev>,
        D: Broadcast<B::Dim, Common = R>,
        R: Dim,
        Dev: Elementwise<T>,
    {
        let other = other.agreed();
        let rank = self.rank().max(other.rank());
        let (axis, mut shape) = (axis.index(rank), R::shape(rank));
        same_instance(CROSS, self.device(), other.device())?;
        let axes =
            arrange(axis, self.shape().as_ref(), other.shape().as_ref(), O::ROW_MAJOR, shape.as_mut())?;
        let mut out: Tensor<T, R, O, Dev> = Tensor::allocate(shape, self.device().clone())?;
        self.write_cross(axis, &other, axes, &mut out)?;
        Ok(out)
    }

    /// [`cross`](Tensor::cross) into a preallocated tensor or mutable view of exactly the result's shape.
    ///
    /// # Errors
    /// * If the shapes do not broadcast, the axis is out of range, or an operand does not have extent 3 along the axis: `out` is unchanged.
    /// * If `out` does not have the result's shape, or a tensor is on another instance of the device: `out` is unchanged.
    /// * If an integer result overflows in a build with debug assertions, or an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([3]);
    /// tensor![1, 2, 3].cross_into(0, tensor![4, 5, 6], &mut out);
    /// assert_eq!(out, tensor![-3, 6, -3]);
    /// ```
    #[fallible]
    pub fn cross_into<A, B, R, S2>(&self, axis: A, other: B, out: &mut Tensor<T, R, O, Dev, S2>)
    where
        T: Scalar,
        A: AxisArg<R>,
        B: MatchingOperand<T, O, Dev>,
        D: Broadcast<B::Dim, Common = R>,
        R: Dim,
        Dev: Elementwise<T>,
        S2: StorageMut<T, Dev>,
    {
        let other = other.agreed();
        let rank = self.rank().max(other.rank());
        let (axis, mut shape) = (axis.index(rank), R::shape(rank));
        same_instance(CROSS, self.device(), other.device())?;
        let axes =
            arrange(axis, self.shape().as_ref(), other.shape().as_ref(), O::ROW_MAJOR, shape.as_mut())?;
        check_out(CROSS, shape.as_ref(), self.device(), out)?;
        self.write_cross(axis, &other, axes, out)
    }

    /// Writes the cross products to `out`, which must have their shape. `of_a` and `of_b` are the axes of the vectors in the operands.
    fn write_cross<E: Dim, R: Dim, S1: Storage<T, Dev>, S2: StorageMut<T, Dev>>(
        &self,
        axis: usize,
        other: &Tensor<T, E, O, Dev, S1>,
        [of_a, of_b]: [usize; 2],
        out: &mut Tensor<T, R, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        T: Scalar,
        D: Broadcast<E, Common = R>,
        Dev: Elementwise<T>,
    {
        let mut shape = out.shape();
        let (a, b) = (|k| self.range(of_a, k..k + 1), |k| other.range(of_b, k..k + 1));
        let strides = out.strides();
        shape.as_mut()[axis] = 1;
        for (k, [i, j]) in FACTORS.into_iter().enumerate() {
            let offset = k as isize * strides.as_ref()[axis];
            let mut part: TensorViewMut<'_, T, R, O, Dev> = out.view_mut().with_axes(shape, strides, offset);
            binary_into(Mul, &a(i), &b(j), &mut part)?;
            binary_assign(Sub, &mut part, &binary(Mul, &a(j), &b(i))?)?;
        }
        Ok(())
    }
}
