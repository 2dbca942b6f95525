//! Binary search in sorted tensors (`searchsorted`), membership (`isin`), and bin numbers (`digitize`).

use crate::device::family::sort::SEARCH;
use crate::device::{Device, Sort};
use crate::element::{Element, Ordered};
use crate::engine::same_instance;
use crate::error::{Error, fallible};
use crate::ops::elementwise::compute::check_out;
use crate::ops::elementwise::operands::MatchingOperand;
use crate::order::Order;
use crate::rank::{Dim, HasRank, Rank, check_axis_count, check_has_rank};
use crate::storage::{Storage, StorageMut};
use crate::tensor::Tensor;

pub(crate) const IS_IN: &str = "look up elements";
pub(crate) const DIGITIZE: &str = "find bins";

/// On which side of equal elements [`searchsorted`](Tensor::searchsorted) inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Side {
    /// Before equal elements.
    #[default]
    Left,
    /// After equal elements.
    Right,
}

impl<T: Element, D: HasRank<1>, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns, for each element of `values`, the index at which it can be inserted in `self` so that `self` stays sorted. `side` says
    /// whether this index is before or after the elements of `self` that are equal to the inserted element.
    ///
    /// `self` must be sorted in ascending order, with NaN last. Builds with debug assertions check this. In other builds, the result is
    /// unspecified if `self` is not sorted.
    ///
    /// # Errors
    /// If `self` is not sorted (checked in builds with debug assertions), the tensors are on different instances of the device, or the
    /// allocation fails.
    ///
    /// ```
    /// use vierbein::{Side, tensor};
    /// let x = tensor![1, 2, 2, 3];
    /// assert_eq!(x.searchsorted(tensor![[2, 0], [9, 3]], Side::Left), tensor![[1, 0], [4, 3]]);
    /// assert_eq!(x.searchsorted(tensor![2], Side::Right), tensor![3]);
    /// ```
    #[fallible]
    pub fn searchsorted<B>(&self, values: B, side: Side) -> Tensor<i64, B::Dim, O, Dev>
    where
        T: Ordered,
        Dev: Sort<T>,
        B: MatchingOperand<T, O, Dev>,
    {
        check_has_rank::<1>(SEARCH, self.shape().as_ref())?;
        let values = values.agreed();
        same_instance(SEARCH, self.device(), values.device())?;
        check_axis_count(SEARCH, values.shape().as_ref())?;
        Tensor::allocate_with(values.shape(), self.device().clone(), |out, device| {
            device.search(out, self.operand(), values.operand(), side == Side::Right)
        })
    }

    /// [`searchsorted`](Tensor::searchsorted) into a preallocated tensor or mutable view of exactly the shape of `values`.
    ///
    /// # Errors
    /// * If `out` has another shape than `values`, or a tensor is on another instance of the device: `out` is unchanged.
    /// * If `self` is not sorted (checked in builds with debug assertions), or an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Side, Tensor, tensor};
    /// let mut out = Tensor::zeros([3]);
    /// tensor![1, 2, 2, 3].searchsorted_into(tensor![2, 0, 9], Side::Left, &mut out);
    /// assert_eq!(out, tensor![1, 0, 4]);
    /// ```
    #[fallible]
    pub fn searchsorted_into<B, S2>(&self, values: B, side: Side, out: &mut Tensor<i64, B::Dim, O, Dev, S2>)
    where
        T: Ordered,
        Dev: Sort<T>,
        B: MatchingOperand<T, O, Dev>,
        S2: StorageMut<i64, Dev>,
    {
        check_has_rank::<1>(SEARCH, self.shape().as_ref())?;
        let values = values.agreed();
        same_instance(SEARCH, self.device(), values.device())?;
        check_axis_count(SEARCH, values.shape().as_ref())?;
        check_out(SEARCH, values.shape().as_ref(), self.device(), out)?;
        let (output, device) = out.output();
        device.search(output, self.operand(), values.operand(), side == Side::Right)
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns a mask of the elements that are equal to an element of `of`. NaN is not equal to NaN.
    ///
    /// # Errors
    /// If the tensors are on different instances of the device, or the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![[3, 1], [4, 1]].isin(tensor![1, 3, 5]), tensor![[true, true], [false, true]]);
    /// ```
    #[fallible]
    pub fn isin<B>(&self, of: B) -> Tensor<bool, D, O, Dev>
    where
        T: Ordered,
        Dev: Sort<T>,
        B: MatchingOperand<T, O, Dev>,
    {
        let of = of.agreed();
        same_instance(IS_IN, self.device(), of.device())?;
        check_axis_count(IS_IN, self.shape().as_ref())?;
        check_axis_count(IS_IN, of.shape().as_ref())?;
        Tensor::allocate_with(self.shape(), self.device().clone(), |out, device| {
            device.contains(out, self.operand(), of.operand())
        })
    }

    /// [`isin`](Tensor::isin) into a preallocated mask or mutable view of exactly the shape of `self`.
    ///
    /// # Errors
    /// * If `out` has another shape, or a tensor is on another instance of the device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Tensor, tensor};
    /// let mut out = Tensor::zeros([3]);
    /// tensor![3, 1, 4].isin_into(tensor![1, 3, 5], &mut out);
    /// assert_eq!(out, tensor![true, true, false]);
    /// ```
    #[fallible]
    pub fn isin_into<B, S2>(&self, of: B, out: &mut Tensor<bool, D, O, Dev, S2>)
    where
        T: Ordered,
        Dev: Sort<T>,
        B: MatchingOperand<T, O, Dev>,
        S2: StorageMut<bool, Dev>,
    {
        let of = of.agreed();
        same_instance(IS_IN, self.device(), of.device())?;
        check_axis_count(IS_IN, self.shape().as_ref())?;
        check_axis_count(IS_IN, of.shape().as_ref())?;
        check_out(IS_IN, self.shape().as_ref(), self.device(), out)?;
        let (output, device) = out.output();
        device.contains(output, self.operand(), of.operand())
    }

    /// Returns, for each element, the number of its bin. The edges must be in ascending order; edges may be equal.
    ///
    /// `closed` says which edge a bin contains. With [`Side::Left`], bin `i` has the elements `x` with `edges[i - 1] <= x < edges[i]`; with
    /// [`Side::Right`], those with `edges[i - 1] < x <= edges[i]`. Elements below all edges are in bin 0. Elements above all edges, and
    /// NaN, are in bin `n`, where `n` is the number of edges.
    ///
    /// # Errors
    /// If the edges are not in ascending order, an edge is NaN, the tensors are on different instances of the device, or the
    /// allocation fails.
    ///
    /// ```
    /// use vierbein::{Side, tensor};
    /// let x = tensor![0.5, 1.0, 3.5, 9.0];
    /// assert_eq!(x.digitize(tensor![1.0, 2.0, 4.0], Side::Left), tensor![0, 1, 2, 3]);
    /// assert_eq!(x.digitize(tensor![1.0, 2.0, 4.0], Side::Right), tensor![0, 0, 2, 3]);
    /// ```
    #[fallible]
    pub fn digitize<B>(&self, edges: B, closed: Side) -> Tensor<i64, D, O, Dev>
    where
        T: Ordered,
        Dev: Sort<T>,
        B: MatchingOperand<T, O, Dev, Dim = Rank<1>>,
    {
        let edges = edges.agreed();
        same_instance(DIGITIZE, self.device(), edges.device())?;
        check_axis_count(DIGITIZE, self.shape().as_ref())?;
        check_rising(&edges.device().gather(edges.operand())?)?;
        Tensor::allocate_with(self.shape(), self.device().clone(), |out, device| {
            device.search(out, edges.operand(), self.operand(), closed == Side::Left)
        })
    }

    /// [`digitize`](Tensor::digitize) into a preallocated tensor or mutable view of exactly the shape of `self`.
    ///
    /// # Errors
    /// * If the edges are not in ascending order, an edge is NaN, `out` has another shape, or a tensor is on another instance of the
    ///   device: `out` is unchanged.
    /// * If an allocation fails: `out` may be partly written.
    ///
    /// ```
    /// use vierbein::{Side, Tensor, tensor};
    /// let mut out = Tensor::zeros([4]);
    /// tensor![0.5, 1.0, 3.5, 9.0].digitize_into(tensor![1.0, 2.0, 4.0], Side::Left, &mut out);
    /// assert_eq!(out, tensor![0, 1, 2, 3]);
    /// ```
    #[fallible]
    pub fn digitize_into<B, S2>(&self, edges: B, closed: Side, out: &mut Tensor<i64, D, O, Dev, S2>)
    where
        T: Ordered,
        Dev: Sort<T>,
        B: MatchingOperand<T, O, Dev, Dim = Rank<1>>,
        S2: StorageMut<i64, Dev>,
    {
        let edges = edges.agreed();
        same_instance(DIGITIZE, self.device(), edges.device())?;
        check_axis_count(DIGITIZE, self.shape().as_ref())?;
        check_out(DIGITIZE, self.shape().as_ref(), self.device(), out)?;
        check_rising(&edges.device().gather(edges.operand())?)?;
        let (output, device) = out.output();
        device.search(output, edges.operand(), self.operand(), closed == Side::Left)
    }
}

/// Checks that the edges are in ascending order.
///
/// # Errors
/// If an edge is less than the edge before it, or an edge is NaN.
pub(crate) fn check_rising<T: Ordered>(edges: &[T]) -> Result<(), Error> {
    let falls = |pair: &[T]| pair[0].partial_cmp(&pair[1]).is_none_or(|order| order.is_gt());
    match edges.windows(2).position(falls) {
        // A single edge is in no pair, so this arm checks that it is not NaN.
        None if edges.first().is_some_and(|edge| edge.partial_cmp(edge).is_none()) => Err(Error::Argument {
            op: DIGITIZE,
            reason: format!("edge 0 is {}; edges must be numbers that can be ordered", edges[0]),
        }),
        None => Ok(()),
        Some(i) => Err(Error::Argument {
            op: DIGITIZE,
            reason: format!(
                "edge {} is {}, after {}; the edges must be in ascending order; sort them first",
                i + 1,
                edges[i + 1],
                edges[i]
            ),
        }),
    }
}
