//! Conversions between memory orders, and between owned tensors, views, slices and `Vec`s. Views are free; other conversions may copy.

use crate::device::{Copy, Device, HostAccess, wide};
use crate::element::Element;
use crate::error::{Error, fallible};
use crate::order::Order;
use crate::rank::{AnyRank, Dim, Rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorView, ViewOf};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns an owned copy, contiguous in the tensor's memory order.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert!(x.t().to_owned().is_contiguous());
    /// ```
    #[fallible]
    #[doc(alias = "copy")]
    pub fn to_owned(&self) -> Tensor<T, D, O, Dev>
    where
        Dev: Copy<T>,
    {
        self.try_to_order()
    }

    /// Returns a copy with the same elements at the same indices, contiguous in memory order `P`.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let x = tensor![[1, 2, 3], [4, 5, 6]].to_order::<ColMajor>();
    /// assert_eq!(x[[1, 2]], 6);
    /// assert_eq!(x.as_slice(), [1, 4, 2, 5, 3, 6]);
    /// ```
    #[fallible]
    pub fn to_order<P: Order>(&self) -> Tensor<T, D, P, Dev>
    where
        Dev: Copy<T>,
    {
        let mut out = Tensor::allocate(self.shape(), self.device().clone())?;
        let (output, device) = out.output();
        wide::copy::<D, _, _>(device, output, self.operand())?;
        Ok(out)
    }

    /// Returns a view in memory order `P`, with the same elements at the same indices. Free.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let x = tensor![[1, 2], [3, 4]];
    /// let y = x.as_order::<ColMajor>();
    /// assert_eq!(y[[0, 1]], 2);
    /// assert_eq!(y.iter().copied().collect::<Vec<_>>(), [1, 3, 2, 4]);
    /// ```
    pub fn as_order<P: Order>(&self) -> ViewOf<'_, T, D, P, Dev, S> {
        self.view().in_order()
    }

    /// Returns a view with reversed axes and the opposite memory order. A contiguous tensor stays contiguous. Free.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// let y = x.flip_order();
    /// assert_eq!((y.shape(), y[[2, 1]], y.is_contiguous()), ([3, 2], 6, true));
    /// ```
    pub fn flip_order(&self) -> ViewOf<'_, T, D, O::Transposed, Dev, S> {
        self.view().transposed()
    }

    /// Copies the elements to a `Vec`, in memory order: the last axis fastest if row-major, the first if column-major.
    ///
    /// # Errors
    /// If an allocation on the host fails, or the device reports an error.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2], [3, 4]].t().to_vec(), [1, 3, 2, 4]);
    /// ```
    #[fallible]
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        self.in_memory_order(|operand| self.device().gather(operand))
    }

    /// Returns the elements in memory order, as a slice.
    ///
    /// # Errors
    /// [`Error::NotContiguous`] if the tensor is a view that is not contiguous in its memory order.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.as_slice(), [1, 2, 3, 4]);
    /// assert_eq!(x.index_axis(0, 1).as_slice(), [3, 4]);
    /// ```
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.index_axis(0, 1).try_as_slice()?, [3, 4]);
    /// assert!(x.t().try_as_slice().is_err());
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[fallible]
    #[must_use]
    pub fn as_slice(&self) -> &[T]
    where
        Dev: HostAccess,
    {
        self.operand().on_host().into_slice(O::ROW_MAJOR).ok_or_else(|| Error::NotContiguous {
            op: "borrow a slice",
            shape: self.shape().as_ref().to_vec(),
            strides: self.strides().as_ref().to_vec(),
            order: O::NAME,
        })
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the elements in memory order, as a mutable slice.
    ///
    /// # Errors
    /// [`Error::NotContiguous`] if the tensor is a view that is not contiguous in its memory order.
    ///
    /// ```
    /// let mut x = vierbein::tensor![[3, 1], [2, 4]];
    /// x.as_mut_slice().reverse();
    /// for mut row in x.lanes_mut(1) {
    ///     row.as_mut_slice().sort();
    /// }
    /// assert_eq!(x, vierbein::tensor![[2, 4], [1, 3]]);
    /// ```
    ///
    /// ```
    /// let mut x = vierbein::tensor![[1, 2], [3, 4]];
    /// x.index_axis_mut(0, 1).try_as_mut_slice()?.fill(0);
    /// assert_eq!(x, vierbein::tensor![[1, 2], [0, 0]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    #[fallible]
    pub fn as_mut_slice(&mut self) -> &mut [T]
    where
        Dev: HostAccess,
        S: StorageMut<T, Dev>,
    {
        self.try_as_slice()?;
        let (output, _) = self.output();
        Ok(output.on_host().into_mut_slice(O::ROW_MAJOR).expect("the elements are contiguous"))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device> Tensor<T, D, O, Dev> {
    /// Returns a copy, contiguous in memory order `O`, of a tensor's view, or of an array or matrix of [another
    /// library](crate::interop) that converts into a view.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::{Rank, Tensor, tensor};
    /// let x = tensor![[1, 2], [3, 4]];
    /// let y: Tensor<i32, Rank<2>> = Tensor::copy_of(x.t());
    /// assert_eq!(y.as_slice(), [1, 3, 2, 4]);
    /// ```
    #[fallible]
    pub fn copy_of<'a>(view: impl Into<TensorView<'a, T, D, O, Dev>>) -> Self
    where
        Dev: Copy<T>,
    {
        view.into().try_to_owned()
    }

    /// Returns the tensor with reversed axes and the opposite memory order, in the same buffer. Free.
    ///
    /// ```
    /// use vierbein::{ColMajor, tensor};
    /// let x = tensor![[1, 2, 3], [4, 5, 6]];
    /// let pointer = x.as_slice().as_ptr();
    /// let y = x.into_flipped();
    /// assert_eq!(y.shape(), [3, 2]);
    /// assert_eq!(y.as_slice().as_ptr(), pointer);
    /// ```
    pub fn into_flipped(self) -> Tensor<T, D, O::Transposed, Dev> {
        let mut shape = self.shape();
        shape.as_mut().reverse();
        let (buffer, device) = self.into_parts();
        Tensor::contiguous(buffer, shape, device)
    }

    /// Returns the elements as a `Vec`, in memory order.
    ///
    /// On the host, the `Vec` takes ownership of the tensor's buffer. The elements of a large result may begin up to a page after the
    /// start of the buffer, and are then moved to it (see [`CpuBuffer`](crate::device::CpuBuffer)). The element of a computed result of
    /// rank 0 is copied, and so are elements on another device or in [another library's memory](Tensor::from_buffer).
    ///
    /// # Errors
    /// If the elements are copied, and the allocation fails or the device reports an error.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[1, 2], [3, 4]].into_vec(), [1, 2, 3, 4]);
    /// ```
    #[fallible]
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        let (buffer, device) = self.into_parts();
        device.release(buffer)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device> Tensor<T, D, O, Dev> {
    /// Changes the memory order in the tensor's type to `P`. For ranks 0 and 1, both orders have the same layout, so this is free.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// let x: Tensor<i32, Rank<1>, ColMajor> = tensor![1, 2].into_order();
    /// assert_eq!(x.as_slice(), [1, 2]);
    /// ```
    pub fn into_order<P: Order>(self) -> Tensor<T, D, P, Dev>
    where
        D: OrderAgnostic,
    {
        let shape = self.shape();
        let (buffer, device) = self.into_parts();
        Tensor::contiguous(buffer, shape, device)
    }
}

/// The rank whose tensors always have exactly one element: 0.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{Self}` is not known to have exactly one element",
    label = "expected `Rank<0>`",
    note = "read one element with `x[[i, j]]`, or sum all elements with `.sum().item()`"
)]
pub trait ScalarRank: Dim {}
#[diagnostic::do_not_recommend]
impl ScalarRank for Rank<0> {}
#[diagnostic::do_not_recommend]
impl<const MAX: usize> ScalarRank for AnyRank<MAX> {}

/// Returns an error if a tensor with `rank` axes is not known to have exactly one element.
#[inline]
fn check_scalar(rank: usize) -> Result<(), Error> {
    if rank == 0 {
        return Ok(());
    }
    let reason = format!(
        "a tensor of `Rank<{rank}>` is not known to have exactly one element: expected `Rank<0>`; read one element with `x[[i, j]]`, or \
         sum all elements with `.sum().item()`"
    );
    Err(Error::UnsupportedRank { op: "item", reason })
}

/// The ranks for which both memory orders have the same layout: 0 and 1.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{Self}` cannot change its memory order without a copy",
    label = "only `Rank<0>` and `Rank<1>` can",
    note = "copy with `.to_order::<O>()`, view with `.as_order::<O>()`, or reverse the axes with `.into_flipped()`"
)]
pub trait OrderAgnostic: Dim {}
#[diagnostic::do_not_recommend]
impl OrderAgnostic for Rank<0> {}
#[diagnostic::do_not_recommend]
impl OrderAgnostic for Rank<1> {}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the value of a tensor of rank 0, copied to the host.
    ///
    /// # Errors
    /// * If the rank is known at run time only and is not 0.
    /// * If the device reports an error, or an allocation on the host fails. Neither can happen on [`Cpu`](crate::Cpu).
    ///
    /// ```
    /// use vierbein::tensor;
    /// let total: i32 = tensor![1, 2, 3].sum().item();
    /// assert_eq!(total, 6);
    /// ```
    #[fallible]
    #[inline]
    #[must_use]
    pub fn item(&self) -> T
    where
        D: ScalarRank,
    {
        check_scalar(self.rank())?;
        match Dev::on_host().and_then(|host| host.slice(self.operand(), true)) {
            Some(elements) => Ok(elements[0]),
            None => self.try_to_vec().map(|elements| elements[0]),
        }
    }
}
