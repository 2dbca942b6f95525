//! Operands of one operation: what they may be, whether they agree, and where they are computed with.

use super::scalar::DynScalar;
use super::storage::{DynData, DynStorage};
use super::tensor::{DynTensor, DynView};
use crate::device::Device;
use crate::dispatch;
use crate::element::{DType, Element};
use crate::error::Error;
use crate::layout::Layout;
use crate::layout::broadcast::common_shape;
use crate::order::{MemoryOrder, Order};
use crate::rank::{Dim, MAX_RANK, Rank};
use crate::storage::{OwnedData, Storage};
use crate::strided::Strided;
use crate::tensor::Tensor;

/// What stands on the right of an operation: a [`DynTensor`] or a view of one, a typed tensor, or a scalar.
///
/// ```
/// use vierbein::{DynTensor, tensor};
/// let x = DynTensor::from(tensor![1, 2]);
/// let twice = x.try_add(&x)?;
/// assert_eq!(twice.try_mul(10)?.try_sub(&tensor![1, 1])?.downcast_ref()?, tensor![19, 39]);
/// # Ok::<(), vierbein::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[allow(
    clippy::large_enum_variant,
    reason = "an operand is `Copy`, and a layout is as large as its largest rank"
)]
pub enum DynOperand<'a> {
    /// A tensor to broadcast with.
    OfTensor(DynView<'a>),
    /// The same value everywhere.
    OfScalar(DynScalar),
}

impl<'a, S: DynData> From<&'a DynTensor<S>> for DynOperand<'a> {
    fn from(tensor: &'a DynTensor<S>) -> Self {
        DynOperand::OfTensor(tensor.look())
    }
}
impl<'a> From<DynView<'a>> for DynOperand<'a> {
    fn from(view: DynView<'a>) -> Self {
        DynOperand::OfTensor(view)
    }
}
impl<'a, T: Element, D: Dim, O: Order, Dev: Device> From<&'a Tensor<T, D, O, Dev>> for DynOperand<'a> {
    fn from(tensor: &'a Tensor<T, D, O, Dev>) -> Self {
        DynOperand::OfTensor(tensor.into())
    }
}
impl<X: Into<DynScalar>> From<X> for DynOperand<'_> {
    fn from(scalar: X) -> Self {
        DynOperand::OfScalar(scalar.into())
    }
}

/// The one place that says which devices erased tensors compute on: `$Dev` is the device of `$x`, where that is one of them. Each
/// of them multiplies the kernels by the element types, so third parties' devices are not among them, nor a second GPU: they
/// compute typed.
macro_rules! on_device {
    ($op:expr, $x:expr, $Dev:ident => $body:expr) => {
        'computed: {
            if $x.device::<$crate::device::Cpu>().is_some() {
                type $Dev = $crate::device::Cpu;
                let computed = $body;
                break 'computed computed;
            }
            #[cfg(feature = "cuda")]
            if $x.device::<$crate::device::Cuda>().is_some() {
                type $Dev = $crate::device::Cuda;
                let computed = $body;
                break 'computed computed;
            }
            Err($crate::error::Error::NotOnDevice { op: $op, device: $x.device_name() })
        }
    };
}
pub(super) use on_device;

/// A scalar as a tensor of rank 0 beside the one that it is combined with.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
pub(super) fn scalar_for(op: &'static str, x: DynView<'_>, scalar: DynScalar) -> Result<DynTensor, Error> {
    if scalar.dtype() != x.dtype() {
        return Err(Error::ScalarType { op, tensor: x.dtype(), scalar: scalar.dtype() });
    }
    scalar_beside(op, x, scalar)
}

/// A scalar of any type as a tensor of rank 0, on the device of another.
// Memory of all element types: compiled where it is used, unless the feature says otherwise.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
pub(super) fn scalar_beside(op: &'static str, x: DynView<'_>, scalar: DynScalar) -> Result<DynTensor, Error> {
    on_device!(op, x, Dev => {
        let device = x.device::<Dev>().expect("the device was found to be this one");
        dispatch!(scalar.dtype(), T => {
            let value = scalar.get::<T>().expect("a scalar is of its type");
            Ok(DynTensor::dense(OwnedData::of_vec(vec![value], device)?, &[], x.order()))
        })
    })
}

/// Both orders are the same for ranks 0 and 1: the order of two operands is that of one with more axes.
pub(super) fn common_order(
    op: &'static str,
    left: DynView<'_>,
    right: DynView<'_>,
) -> Result<MemoryOrder, Error> {
    if right.rank() < 2 || left.order() == right.order() {
        return Ok(left.order());
    }
    if left.rank() < 2 {
        return Ok(right.order());
    }
    Err(Error::Orders { op, left: left.order(), right: right.order() })
}

/// Whether two tensors live on devices of one type, in the words of the compiler's message.
pub(super) fn same_device(op: &'static str, left: DynView<'_>, right: DynView<'_>) -> Result<(), Error> {
    let device = |x: DynView<'_>| (*x.storage()).device().type_id();
    if device(left) == device(right) {
        return Ok(());
    }
    Err(Error::DeviceTypes { op, left: left.device_name(), right: right.device_name() })
}

/// Whether two tensors agree in element type, order and device.
pub(super) fn agree(op: &'static str, left: DynView<'_>, right: DynView<'_>) -> Result<MemoryOrder, Error> {
    if left.dtype() != right.dtype() {
        return Err(Error::ElementTypes { op, left: left.dtype(), right: right.dtype() });
    }
    let order = common_order(op, left, right)?;
    same_device(op, left, right)?;
    Ok(order)
}

/// The shape that two broadcast to, by the order's rule.
pub(super) fn broadcast(
    op: &'static str,
    a: &[usize],
    b: &[usize],
    order: MemoryOrder,
) -> Result<Layout, Error> {
    let rank = a.len().max(b.len());
    let row_major = order.is_row_major();
    let full = common_shape::<Rank<16>>(&[a, b], row_major).ok_or_else(|| Error::Shapes {
        op,
        left: a.to_vec(),
        right: b.to_vec(),
        row_major,
    })?;
    let shape = if row_major { &full[MAX_RANK - rank..] } else { &full[..rank] };
    Ok(Layout::dense(shape, row_major))
}

/// An operand's layout, repeated to a shape that it is known to broadcast to.
pub(super) fn spread(x: DynView<'_>, shape: &[usize], order: MemoryOrder) -> Layout {
    x.layout().broadcast_to(shape, order.is_row_major()).expect("the shapes were found to broadcast")
}

/// Elements of a known type on a known device.
pub(super) fn elements<'a, T: Element, Dev: Device>(
    x: DynView<'a>,
) -> Strided<T, Dev, crate::storage::View<'a, T, Dev>> {
    x.strided().expect("the element type and the device were found to be these")
}

/// Elements still to be written, in a dense layout.
pub(super) fn allocate<T: Element, Dev: Device>(
    layout: Layout,
    device: &Dev,
) -> Result<Strided<T, Dev, OwnedData<T, Dev>>, Error> {
    Strided::allocate_as(layout, device)
}

/// What was [allocated](allocate), with its type erased.
pub(super) fn erase<T: Element, Dev: Device>(
    made: Strided<T, Dev, OwnedData<T, Dev>>,
    order: MemoryOrder,
) -> DynTensor {
    let layout = *made.layout();
    DynTensor::of(Box::new(made.into_storage()) as Box<dyn DynStorage>, layout, order)
}

/// The device of elements.
pub(super) fn device_of<T: Element, Dev: Device, S: Storage<T, Dev>>(x: &Strided<T, Dev, S>) -> &Dev {
    x.storage().device()
}

// ------------------------------------------------------------------ element types that lack an operation

/// What an operation needs of its elements, in the words of the compiler's messages.
pub(super) mod needs {
    pub(in super::super) const NUMBERS: &str = "is not a number: arithmetic needs a numeric element type; turn `bool` into numbers with \
        `.to_dtype(DType::I64)`, combine masks with `&`, `|`, `^` and `!`, choose with `.select(&a, &b)`";
    pub(in super::super) const SIGNS: &str = "has no negative numbers: `-` needs a signed element type; convert first, e.g. with `.to_dtype(DType::I64)`";
    pub(in super::super) const ORDER: &str = "has no order, so there is no smaller and no larger: this needs real numbers; \
        compare complex numbers by `.abs()`, `.re()` or `.im()`";
    pub(in super::super) const INEXACT: &str = "is not a floating or complex type: this function needs floating or complex elements; \
        convert integers first, e.g. with `.to_dtype(DType::F64)`";
    pub(in super::super) const FLOATS: &str = "is not a real floating type: this function needs `f32` or `f64` elements; \
        convert integers first, e.g. with `.to_dtype(DType::F64)`; take `.abs()`, `.re()` or `.im()` of complex numbers";
    pub(in super::super) const BITS: &str = "has no bits to combine: `&`, `|`, `^` and `!` need `bool` or integers; \
        compare first, e.g. with `.greater(0.0)`";
    pub(in super::super) const MASK: &str =
        "is not `bool`: this is for masks; compare first, e.g. with `.greater(0.0)`";
}

/// Elements of this type do not have the operation.
pub(super) fn lacking(op: &'static str, dtype: DType, why: &'static str) -> Error {
    Error::NotForElements { op, dtype, why }
}
