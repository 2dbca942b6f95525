//! DLPack conversions of `DynTensor`, whose element type and device are known at run time only.

use super::abi::Managed;
use super::device::{SharedDevice, is_on, name_of};
use super::export::exported;
use super::import::{Dlpack, Extents, TAKE_OVER};
use crate::device::Operand;
use crate::dispatch;
use crate::dyn_tensor::DynTensor;
use crate::element::Element;
use crate::error::{ConversionError, Error};
use crate::layout::Layout;
use crate::order::MemoryOrder;
use crate::rank::MAX_RANK;
use crate::storage::OwnedData;
use core::any::Any;

/// Evaluates `$body` with `$Dev` as the first device for which `$is` is true, or `$other` if there is none. The devices are `Cpu`
/// and the first eight GPUs. There are no more, to limit the amount of compiled code: each device needs code for all element types.
macro_rules! on_shared_device {
    ($Dev:ident: $is:expr => $body:expr, else => $other:expr) => {
        on_shared_device!(@ [0 1 2 3 4 5 6 7] $Dev, $is, $body, $other)
    };
    (@ [$($ordinal:literal)*] $Dev:ident, $is:expr, $body:expr, $other:expr) => {
        'found: {
            {
                type $Dev = $crate::device::Cpu;
                if $is {
                    let found = $body;
                    break 'found found;
                }
            }
            $(
                #[cfg(feature = "cuda")]
                {
                    type $Dev = $crate::device::Cuda<$ordinal>;
                    if $is {
                        let found = $body;
                    break 'found found;
                    }
                }
            )*
            $other
        }
    };
}

fn beyond(op: &'static str, device: &str) -> Error {
    let reason = format!(
        "it is on {device}, but a `DynTensor` supports DLPack on `Cpu` and `Cuda<0>` to `Cuda<7>` only; use a typed tensor, \
         which supports any GPU, or copy it to the host"
    );
    Error::Argument { op, reason }
}

/// Returns an error if a `DynTensor` cannot have the axes of this shape.
fn check_rank(op: &'static str, shape: &[usize]) -> Result<(), Error> {
    if shape.len() <= MAX_RANK {
        return Ok(());
    }
    let reason = format!(
        "it has shape {shape:?}, but a `DynTensor` has 0 to {MAX_RANK} axes; import it as a `Tensor` of `AnyRank<64>`"
    );
    Err(Error::Argument { op, reason })
}

impl<M: Managed> TryFrom<Dlpack<M>> for DynTensor {
    type Error = ConversionError<Dlpack<M>>;

    /// Takes ownership of the memory without a copy. The memory must be on `Cpu`, or on `Cuda<0>` to `Cuda<7>`. When the tensor is
    /// dropped, the producer's deleter frees the memory. The tensor is row-major if the elements are contiguous in row-major order,
    /// otherwise column-major.
    ///
    /// If the elements are contiguous in neither order, or read-only, the error holds the unchanged value. To copy its elements, call
    /// [`to_dyn_tensor`](Dlpack::to_dyn_tensor).
    fn try_from(given: Dlpack<M>) -> Result<Self, Self::Error> {
        if let Err(error) = check_rank(TAKE_OVER, given.shape()) {
            return Err(ConversionError { error, value: given });
        }
        let order = match !given.axes().is_contiguous(true) && given.axes().is_contiguous(false) {
            true => MemoryOrder::ColMajor,
            false => MemoryOrder::RowMajor,
        };
        fn take<T: Element, Dev: SharedDevice, M: Managed>(
            given: Dlpack<M>,
            order: MemoryOrder,
        ) -> Result<DynTensor, ConversionError<Dlpack<M>>> {
            let shape = given.shape().to_vec();
            let buffer = given.into_buffer::<T, Dev>(order)?;
            Ok(DynTensor::contiguous(OwnedData { buffer, device: Dev::default() }, &shape, order))
        }
        let device = given.device();
        on_shared_device!(
            Dev: is_on::<Dev>(device) => dispatch!(given.dtype(), T => take::<T, Dev, M>(given, order)),
            else => Err(ConversionError { error: beyond(TAKE_OVER, &name_of(device)), value: given })
        )
    }
}

impl<M: Managed> Dlpack<M> {
    /// Copies the elements to a new tensor on the same device. The new tensor is contiguous in memory order `order`. The device
    /// must be `Cpu`, or `Cuda<0>` to `Cuda<7>`. Any strides are allowed.
    ///
    /// # Errors
    /// If the device is another GPU, the allocation fails, or the device reports an error.
    ///
    /// ```
    /// use vierbein::prelude::*;
    /// use vierbein::{DynTensor, MemoryOrder};
    /// let given = tensor![[1, 2], [3, 4]].into_dlpack();
    /// let copy = given.to_dyn_tensor(MemoryOrder::ColMajor)?;
    /// assert_eq!(copy.downcast_ref::<i32, Rank<2>, ColMajor, Cpu>()?.as_order::<RowMajor>(), tensor![[1, 2], [3, 4]]);
    /// let x = DynTensor::try_from(given)?;
    /// assert_eq!(x.downcast_ref::<i32, Rank<2>, RowMajor, Cpu>()?, tensor![[1, 2], [3, 4]]);
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn to_dyn_tensor(&self, order: MemoryOrder) -> Result<DynTensor, Error> {
        fn copied<T: Element, Dev: SharedDevice, M: Managed>(
            given: &Dlpack<M>,
            order: MemoryOrder,
        ) -> Result<DynTensor, Error> {
            let layout = Layout::new(given.shape(), given.strides());
            let enumeration = if order.is_row_major() { layout } else { layout.reverse_axes() };
            let first = Dev::pointer(given.first().cast::<T>());
            // SAFETY: each index within the shape addresses an initialised element of type `T`, which is valid as long as `given` is
            // borrowed. Nothing writes to the elements meanwhile: for imported memory, the caller of `Dlpack::from_raw` has ensured this;
            // exported memory is owned by `given`.
            let operand = unsafe { Operand::from_raw(first, enumeration.shape(), enumeration.strides()) };
            let data = OwnedData { buffer: Dev::get().compact(operand)?, device: Dev::default() };
            Ok(DynTensor::contiguous(data, layout.shape(), order))
        }
        check_rank("copy a DLPack tensor", self.shape())?;
        let device = self.device();
        on_shared_device!(
            Dev: is_on::<Dev>(device) => dispatch!(self.dtype(), T => copied::<T, Dev, M>(self, order)),
            else => Err(beyond("copy a DLPack tensor", &name_of(device)))
        )
    }
}

impl<M: Managed> TryFrom<DynTensor> for Dlpack<M> {
    type Error = ConversionError<DynTensor>;

    /// Exports the tensor's memory, with its strides. The tensor must be on `Cpu`, or on `Cuda<0>` to `Cuda<7>`. Otherwise, the error
    /// holds the unchanged tensor.
    fn try_from(x: DynTensor) -> Result<Self, Self::Error> {
        fn give<T: Element, Dev: SharedDevice, M: Managed>(x: DynTensor) -> Dlpack<M> {
            let layout = Extents::new(x.layout().axes());
            let data: Box<dyn Any> = x.into_storage();
            let data = data.downcast::<OwnedData<T, Dev>>().expect("the type and the device were checked");
            exported::<T, Dev, M>(data.buffer, layout)
        }
        on_shared_device!(
            Dev: x.device::<Dev>().is_some() => Ok(dispatch!(x.dtype(), T => give::<T, Dev, M>(x))),
            else => Err(ConversionError { error: beyond("export a DLPack tensor", &x.device_name()), value: x })
        )
    }
}
