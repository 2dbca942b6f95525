//! Conversions between ranks that are known at compile time and [`AnyRank`].

use crate::device::Device;
use crate::element::Element;
use crate::error::{ConversionError, Error, unwrap_or_panic};
use crate::order::Order;
use crate::rank::{AnyRank, Dim, name, other_rank};
use crate::storage::Storage;
use crate::tensor::Tensor;

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Converts the tensor or view to [`AnyRank`], the rank that is known at run time only. Free.
    ///
    /// To convert to `AnyRank<64>`, use [`into_rank`](Tensor::into_rank).
    ///
    /// # Panics
    /// If the tensor has more than 16 axes, which is possible for `AnyRank<17>` to `AnyRank<64>` only.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let states: Vec<Tensor<f64, AnyRank>> = vec![tensor![1.0].into_any_rank(), tensor![[1.0, 2.0]].into_any_rank()];
    /// assert_eq!(states.iter().map(|x| x.rank()).collect::<Vec<_>>(), [1, 2]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn into_any_rank(self) -> Tensor<T, AnyRank, O, Dev, S> {
        if const { D::MAX_NDIM > <AnyRank>::MAX_NDIM } {
            return self.into_rank();
        }
        self.with_rank()
    }

    /// Converts the tensor or view to rank `R`. Free. It serves to give a tensor of [`AnyRank`] a rank that is known at compile time.
    ///
    /// # Panics
    /// If the tensor does not have rank `R`.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let x: Tensor<i32, AnyRank> = Tensor::ones(&[2, 3][..]);
    /// let matrix: Tensor<i32, Rank<2>> = x.into_rank();
    /// assert_eq!(matrix.shape(), [2, 3]);
    /// ```
    #[track_caller]
    pub fn into_rank<R: Dim>(self) -> Tensor<T, R, O, Dev, S> {
        unwrap_or_panic(self.try_into_rank().map_err(Error::from))
    }

    /// Fallible variant of [`into_rank`](Tensor::into_rank).
    ///
    /// # Errors
    /// If the tensor does not have rank `R`. The error holds the tensor.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let x: Tensor<i32, AnyRank> = Tensor::ones(&[2, 3][..]);
    /// let failed = x.try_into_rank::<Rank<3>>().unwrap_err();
    /// assert_eq!(
    ///     failed.to_string(),
    ///     "convert to another rank: the tensor of shape [2, 3] has rank 2, not that of `Rank<3>`; `.reshape(..)`, `.insert_axis(..)` and \
    ///      `.index_axis(..)` change that"
    /// );
    /// let matrix: Tensor<i32, Rank<2>> = failed.into_inner().try_into_rank()?;
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn try_into_rank<R: Dim>(self) -> Result<Tensor<T, R, O, Dev, S>, ConversionError<Self>> {
        let rank = self.rank();
        if other_rank::<R>(rank).is_none() {
            return Ok(self.with_rank());
        }
        let reason = format!(
            "the tensor of shape {:?} has rank {rank}, not that of `{}`; `.reshape(..)`, `.insert_axis(..)` and \
             `.index_axis(..)` change that",
            self.shape(),
            name::<R>()
        );
        let error = Error::UnsupportedRank { op: "convert to another rank", reason };
        Err(ConversionError { error, value: self })
    }
}
