//! Values of polynomials: `polyval`.

use super::compute::check_out;
use crate::device::{BinaryOp, CudaSource, Device, Elementwise, Scalars};
use crate::element::{Arithmetic, Scalar};
use crate::engine::same_instance;
use crate::error::{Error, fallible};
use crate::order::Order;
use crate::rank::{Dim, HasRank, check_has_rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{AsView, Tensor, TensorView};

const POLYVAL: &str = "polyval";

/// A step of Horner's method, `a · b + c`, where `c` is the field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Horner<T>(pub(crate) T);

impl<T: Scalar> BinaryOp<T, T> for Horner<T> {
    type Output = T;
    const NAME: &'static str = POLYVAL;
    const CUDA: CudaSource = CudaSource::builtin("wrapping_add(wrapping_mul(a, b), constant)");
    const CUDA_DEFINED: CudaSource =
        CudaSource::builtin("fits_mul(a, b) && fits_add(wrapping_mul(a, b), constant)");
    const CHECKED: bool = T::INTEGER && cfg!(debug_assertions);
    #[inline]
    fn apply(&self, a: T, b: T) -> T {
        T::wrapping(Arithmetic::Add, T::wrapping(Arithmetic::Mul, a, b), self.0)
    }
    fn is_defined(&self, a: T, b: T) -> bool {
        T::fits(Arithmetic::Mul, a, b) && T::fits(Arithmetic::Add, T::wrapping(Arithmetic::Mul, a, b), self.0)
    }
    fn operands(&self, a: T, b: T) -> String {
        format!("{a} · {b} + {}", self.0)
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("constant", self.0);
    }
}

impl<T: Scalar, D: HasRank<1>, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns, for each element of `x`, the value of the polynomial whose coefficients are `self`, highest power first.
    ///
    /// The result has the shape of `x`. Horner's method takes one pass over the result for each coefficient except the first. A polynomial
    /// without coefficients is zero.
    ///
    /// NumPy's `polyval` begins with 0 instead of the first coefficient, and so returns NaN if `x` is infinite. Here, `2 x + 1` is infinite
    /// then, and a polynomial of one coefficient is this coefficient for all `x`, also for NaN.
    ///
    /// # Errors
    /// If the tensors are on different instances of the device, an integer result overflows in a build with debug assertions, or the
    /// allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// // 2 x² − 3
    /// assert_eq!(tensor![2, 0, -3].polyval(tensor![0, 1, 2]), tensor![-3, -1, 5]);
    /// ```
    #[fallible]
    pub fn polyval<X>(&self, x: X) -> Tensor<T, X::Dim, O, Dev>
    where
        Dev: Elementwise<T>,
        X: AsView<Element = T, Order = O, Device = Dev>,
    {
        check_has_rank::<1>(POLYVAL, self.shape().as_ref())?;
        let x = x.as_view();
        same_instance(POLYVAL, self.device(), x.device())?;
        let mut out = Tensor::allocate(x.shape(), x.device().clone())?;
        self.write_values(&x, &mut out)?;
        Ok(out)
    }

    /// [`polyval`](Tensor::polyval) into a preallocated tensor or mutable view of exactly the shape of `x`.
    ///
    /// # Errors
    /// * If `out` has another shape than `x`, or a tensor is on another instance of the device: `out` is unchanged.
    /// * If an integer result overflows in a build with debug assertions, or an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([3]);
    /// tensor![2, 0, -3].polyval_into(tensor![0, 1, 2], &mut out);
    /// assert_eq!(out, tensor![-3, -1, 5]);
    /// ```
    #[fallible]
    pub fn polyval_into<X, S2>(&self, x: X, out: &mut Tensor<T, X::Dim, O, Dev, S2>)
    where
        Dev: Elementwise<T>,
        X: AsView<Element = T, Order = O, Device = Dev>,
        S2: StorageMut<T, Dev>,
    {
        check_has_rank::<1>(POLYVAL, self.shape().as_ref())?;
        let x = x.as_view();
        same_instance(POLYVAL, self.device(), x.device())?;
        check_out(POLYVAL, x.shape().as_ref(), x.device(), out)?;
        self.write_values(&x, out)
    }

    /// Writes the values of the polynomial to `out`, which must have the shape of `x`.
    fn write_values<E: Dim, S2: StorageMut<T, Dev>>(
        &self,
        x: &TensorView<'_, T, E, O, Dev>,
        out: &mut Tensor<T, E, O, Dev, S2>,
    ) -> Result<(), Error>
    where
        Dev: Elementwise<T>,
    {
        let coefficients = self.try_to_vec()?;
        let Some((&first, rest)) = coefficients.split_first() else {
            return out.try_fill(T::zero());
        };
        out.try_fill(first)?;
        for &coefficient in rest {
            out.try_apply2_inplace(Horner(coefficient), x)?;
        }
        Ok(())
    }
}
