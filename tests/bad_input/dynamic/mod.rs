//! The bad-input table (see `bad_input/mod.rs`) of `DynTensor` operations. The hazards and the reference implementation are those of the
//! table for typed tensors.

mod axes;
mod choosing;
mod conversions;
mod elementwise;
#[cfg(feature = "fft")]
mod fft;
mod joining;
#[cfg(feature = "linalg")]
mod linalg;
mod ordering;
mod shapes;

#[cfg(feature = "linalg")]
use super::decomposed;
#[cfg(feature = "fft")]
use super::spectra;
use super::{array, driver, hazards, joined, operand, ordered, public};
use array::Array;
use driver::{Call, Done, Hazard::*, check};
use hazards::{one, two};
use operand::{Number, Operand, Place, ToArray};
use std::collections::BTreeSet;
use vierbein::dyn_tensor::{DynData, SliceItem};
use vierbein::prelude::*;
use vierbein::{DynScalar, DynTensor, DynView, DynViewMut, Error, MemoryOrder, c64};

/// Returns method names with the path of `DynTensor`, as rows of the bad-input table list them.
macro_rules! methods {
    ($($name:ident)*) => {
        &[$(concat!("dyn_tensor::DynTensor::", stringify!($name))),*]
    };
}
pub(crate) use methods;

pub(crate) fn number(x: DynScalar) -> f64 {
    let float = x.get::<f64>().or_else(|| x.get::<f32>().map(Number::number));
    let whole = || x.get::<i64>().map(Number::number).or_else(|| x.get::<i32>().map(Number::number));
    let flag = || x.get::<bool>().map(Number::number);
    float
        .or_else(whole)
        .or_else(flag)
        .or_else(|| x.get::<c64>().map(|z| z.re))
        .expect("a type that this table uses")
}

impl<S: DynData> ToArray for DynTensor<S> {
    fn array(&self) -> Array {
        Array::from_fn(self.shape(), |index| number(self.get(index).expect("the index is of the shape")))
    }
}
impl ToArray for DynScalar {
    fn array(&self) -> Array {
        Array::scalar(number(*self))
    }
}

/// Calls `f` with a view that has the operand's elements and layout. Returns `None` for `Place::Windows`: a `DynView` cannot have
/// overlapping rows.
pub(crate) fn viewed<T: Element>(
    o: &Operand,
    data: &[T],
    f: impl FnOnce(DynView<'_>) -> Done,
) -> Option<Done> {
    let order = MemoryOrder::RowMajor;
    let make =
        |shape: &[usize]| DynTensor::from_vec(shape, data.to_vec(), order).expect("it holds its shape");
    match o.place {
        Place::Contiguous => Some(f(make(&o.shape).view())),
        Place::Reversed => {
            let x = make(&o.shape);
            let backwards = SliceItem::Span { start: 0, end: None, inclusive: false, step: -1 };
            Some(f(x.slice(vec![backwards; o.rank()]).expect("each axis")))
        }
        Place::Repeated(axes) => {
            let x = make(&o.shape[o.rank() - axes..]);
            Some(f(x.broadcast_to(&o.shape).expect("it is a shape of a view")))
        }
        Place::Windows => None,
    }
}

pub(crate) fn with(o: &Operand, f: impl FnOnce(DynView<'_>) -> Done) -> Option<Done> {
    viewed(o, &o.floats, f)
}

pub(crate) fn with_mask(o: &Operand, f: impl FnOnce(DynView<'_>) -> Done) -> Option<Done> {
    viewed(o, &o.flags, f)
}

pub(crate) fn with_two(o: &[Operand], f: impl FnOnce(DynView<'_>, DynView<'_>) -> Done) -> Option<Done> {
    let mut done = None;
    with(&o[0], |x| {
        done = with(&o[1], |y| f(x, y));
        Done { tried: None, panicking: None }
    })?;
    done
}

/// Calls `f` with a mutable view of the operand's elements. The view has negative strides for `Place::Reversed`, and is contiguous
/// otherwise.
pub(crate) fn changed(
    o: &Operand,
    f: impl FnOnce(DynViewMut<'_>) -> Result<Array, Error>,
) -> Result<Array, Error> {
    let mut made = None;
    let mut f = Some(f);
    if matches!(o.place, Place::Reversed) {
        let mut x = DynTensor::from_vec(&o.shape, o.floats.clone(), MemoryOrder::RowMajor)?;
        let backwards = SliceItem::Span { start: 0, end: None, inclusive: false, step: -1 };
        return f.take().expect("once")(x.slice_mut(vec![backwards; o.rank()])?);
    }
    with(o, |x| {
        made = Some(x.to_owned().and_then(|mut x| f.take().expect("once")(x.view_mut())));
        Done { tried: None, panicking: None }
    });
    // `with` returns `None` for `Place::Windows`, without a call of the closure. No test uses the result for such operands.
    made.unwrap_or_else(|| Ok(o.array()))
}

pub(crate) const ONE: Call =
    Call { operands: one, cannot: &[(WrongShape, "one operand, of any shape")], ..Call::NOTHING };
pub(crate) const TWO: Call = Call { operands: two, ..Call::NOTHING };

pub(crate) fn all_axes(x: &Array) -> Vec<usize> {
    (0..x.shape.len()).collect()
}

/// Public methods that are not operations on elements.
const OTHERS: &[&str] = &[
    // Metadata of a tensor.
    "dyn_tensor::DynTensor::rank",
    "dyn_tensor::DynTensor::shape",
    "dyn_tensor::DynTensor::strides",
    "dyn_tensor::DynTensor::order",
    "dyn_tensor::DynTensor::len",
    "dyn_tensor::DynTensor::is_empty",
    "dyn_tensor::DynTensor::is_contiguous",
    "dyn_tensor::DynTensor::dtype",
    "dyn_tensor::DynTensor::device_name",
    "dyn_tensor::DynTensor::device",
    // Borrows of the tensor.
    "dyn_tensor::DynTensor::view",
    "dyn_tensor::DynTensor::view_mut",
    // The conversion from a typed tensor, which copies nothing; formatting; a hidden method that the file formats call.
    "dyn_tensor::DynTensor::from",
    "dyn_tensor::DynTensor::fmt",
    "dyn_tensor::DynTensor::contents",
    // Shifts of integers. The operands of the table are floating-point numbers: see `errors/integers.rs`.
    "dyn_tensor::DynTensor::shl",
    "dyn_tensor::DynTensor::shr",
    "dyn_tensor::DynTensor::try_shl",
    "dyn_tensor::DynTensor::try_shr",
    // One scalar.
    "dyn_tensor::DynScalar::of",
    "dyn_tensor::DynScalar::get",
    "dyn_tensor::DynScalar::dtype",
    "dyn_tensor::DynScalar::zero",
    // The tensor that an error returns.
    "dyn_tensor::DowncastError::into_inner",
];

#[test]
fn every_public_operation() {
    let rows = [
        elementwise::rows(),
        axes::rows(),
        shapes::rows(),
        conversions::rows(),
        joining::rows(),
        choosing::rows(),
        ordering::rows(),
        #[cfg(feature = "fft")]
        fft::rows(),
        #[cfg(feature = "linalg")]
        linalg::rows(),
    ];
    let rows = rows.into_iter().flatten().collect();
    let dynamic =
        |names: BTreeSet<String>| names.into_iter().filter(|name| name.starts_with("dyn_tensor::")).collect();
    let features = [
        ("rand", cfg!(feature = "rand")),
        ("fft", cfg!(feature = "fft")),
        ("linalg", cfg!(feature = "linalg")),
    ];
    let features: Vec<&str> = features.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
    check(rows, || public::functions(&features).map(dynamic), OTHERS);
}
