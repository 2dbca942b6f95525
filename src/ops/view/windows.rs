//! Views of all windows of a tensor (`windows`), for moving averages, convolutions and stencils.

use crate::device::Device;
use crate::element::Element;
use crate::error::fallible;
use crate::layout::element_count;
use crate::order::Order;
use crate::rank::{Dim, IndexNumber, InsertAxes, all_from_start};
use crate::storage::Storage;
use crate::tensor::{Tensor, ViewOf};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns a view of all windows that have `lengths[k]` elements along axis `axes[k]`. In the view, the index along this axis is the
    /// start of a window, so the extent of the axis is smaller by `lengths[k] - 1`. The view has K additional axes at the end: the
    /// indices along them select an element of the window.
    ///
    /// Nothing is copied. Windows that overlap share elements, so there is no mutable variant.
    ///
    /// # Errors
    /// * If an axis is out of range or named twice.
    /// * If a length is 0 or exceeds the extent of its axis.
    /// * If the shape of the view exceeds the address space.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![1.0, 2.0, 6.0, 1.0];
    /// assert_eq!(x.windows([0], [2]), tensor![[1.0, 2.0], [2.0, 6.0], [6.0, 1.0]]);
    /// assert_eq!(x.windows([0], [2]).mean_axis(-1), tensor![1.5, 4.0, 3.5]);
    /// ```
    #[fallible]
    #[doc(alias = "sliding_window_view")]
    pub fn windows<R: Dim, const K: usize>(
        &self,
        axes: [impl IndexNumber; K],
        lengths: [usize; K],
    ) -> ViewOf<'_, T, R, O, Dev, S>
    where
        D: InsertAxes<K, Inserted = R>,
    {
        let axes = all_from_start(axes, self.rank());
        self.cut(self.rank() + K, |from, mut to| {
            let offset = from.windows(&axes, &lengths, to.reborrow())?;
            element_count(to.into_axes().shape(), size_of::<T>())?;
            Ok(offset)
        })
    }
}
