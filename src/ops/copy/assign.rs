//! Writing into an existing tensor or mutable view.

use crate::device::via_host::{self, Fetched};
use crate::device::wide::{self, is_wide};
use crate::device::{Copy, Cpu, Device, Elementwise};
use crate::element::Element;
use crate::engine::{elementwise, same_instance};
use crate::error::{Error, fallible};
use crate::layout::broadcast::same;
use crate::ops::create::construct::Constant;
use crate::ops::elementwise::operands::MatchingOperand;
use crate::order::Order;
use crate::rank::{BroadcastTo, Dim};
use crate::storage::{Storage, StorageMut};
use crate::tensor::{Tensor, TensorView};

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Overwrites the elements with those of `from`, which broadcasts to the shape of `self`.
    ///
    /// # Errors
    /// If `from` does not broadcast to the shape of `self`. `self` is unchanged then.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let mut x = tensor![[1, 2], [3, 4]];
    /// x.index_axis_mut(1, 0).assign(&tensor![7, 8]);
    /// assert_eq!(x, tensor![[7, 2], [8, 4]]);
    /// ```
    #[fallible]
    #[inline]
    pub fn assign<B>(&mut self, from: B)
    where
        B: MatchingOperand<T, O, Dev, Dim: BroadcastTo<D>>,
        Dev: Copy<T>,
        S: StorageMut<T, Dev>,
    {
        let from = from.agreed();
        same_instance("assign", self.device(), from.device())?;
        // Equal shapes need no broadcasting, so they skip `assign_repeated`. For a few elements, calling it takes longer than writing
        // the elements.
        if same(self.shape().as_ref(), from.shape().as_ref()) {
            let (output, device) = self.output();
            return wide::copy::<D, _, _>(device, output, from.operand());
        }
        // Passes a view instead of `from` itself. A reference to `from` would force it into memory, even if it could stay in registers.
        self.assign_repeated(&from.view())
    }

    #[inline(never)]
    fn assign_repeated<E: Dim>(&mut self, from: &TensorView<'_, T, E, O, Dev>) -> Result<(), Error>
    where
        Dev: Copy<T>,
        S: StorageMut<T, Dev>,
    {
        let (output, device) = self.output();
        let shape = output.axes().shape();
        elementwise::repeated::<D, _, _>("assign", O::ROW_MAJOR, shape, from.operand(), |from| {
            wide::copy::<D, _, _>(device, output, from)
        })
    }

    /// Overwrites every element with one value.
    ///
    /// # Errors
    /// If the device reports an error.
    ///
    /// ```
    /// use vierbein::{s, tensor};
    /// let mut x = tensor![1, 2, 3, 4];
    /// x.slice_mut(s![..;2]).fill(0);
    /// assert_eq!(x, tensor![0, 2, 0, 4]);
    /// ```
    #[fallible]
    pub fn fill(&mut self, value: T)
    where
        Dev: Elementwise<T>,
        S: StorageMut<T, Dev>,
    {
        let (output, device) = self.output();
        wide::generate::<D, _, _, _>(&Constant(value), device, output)
    }

    /// Overwrites all elements by `values`, in memory order. The number of values must be that of the elements.
    pub(crate) fn try_overwrite(&mut self, values: Vec<T>) -> Result<(), Error>
    where
        S: StorageMut<T, Dev>,
    {
        if is_wide!(D, self.rank()) {
            let values = Tensor::<T, D, O>::try_from_vec(self.shape(), values)?;
            let (output, device) = self.output();
            return wide::transfer(device, output, &Cpu, values.operand());
        }
        let layout = self.enumeration();
        let values = Fetched::of_vec(values, layout.shape());
        let (output, device) = self.output_in(&layout);
        via_host::store(device, &values, output)
    }
}
