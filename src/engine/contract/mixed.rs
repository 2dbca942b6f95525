//! Products of complex and real operands. Large matrix products use the real operand as it is, and cost half of complex ones.

use super::execute::{into_new, make, overwrites, scaled_sum, two};
use super::labelled::{LabelExtents, Labelled};
use super::labels::{LABELS, Labels};
use super::operand::{Elements, Factor, Input, RealProducts};
use crate::device::op::binary::Mul;
use crate::device::op::cast::Cast;
use crate::device::{BinaryOp, Contract, Device, Operand, Output, Scaling};
use crate::element::{CastTo, Element, Scalar};
use crate::error::Error;
use crate::layout::{Layout, element_count};
use crate::storage::OwnedData;
use core::marker::PhantomData;

impl<'a, T: Element, Dev: Device> Factor<'a, T, Dev> {
    /// Returns a factor of real elements beside complex `T`.
    pub(crate) fn real(operand: Operand<'a, T::Part, Dev>) -> Self
    where
        T: Scalar<Part: Scalar + CastTo<T>>,
        Dev: Contract<T> + Contract<T::Part>,
        Mul: BinaryOp<T, T::Part, Output = T>,
    {
        let products = const {
            &RealProducts {
                mixed: mixed::<T, Dev>,
                real: into_new::<T::Part, Dev>,
                widened: widened::<T, Dev>,
            }
        };
        Factor(Elements::Real(operand, products))
    }
}

/// Contracts a complex and a real operand. `c` contains the axes of `out`.
fn mixed<T: Scalar, Dev: Contract<T> + Contract<T::Part>>(
    device: &Dev,
    z: Input<'_, T, Dev>,
    x: Input<'_, T::Part, Dev>,
    scaling: Scaling<T>,
    mut out: Output<'_, T, Dev>,
    c: &Labelled,
    extents: &LabelExtents,
) -> Result<(), Error>
where
    T::Part: Scalar + CastTo<T>,
    Mul: BinaryOp<T, T::Part, Output = T>,
{
    let (in_z, in_x) = (z.axes.set(), x.axes.set());
    let (mut z, mut x) = (z, x);
    if z.has_more_than(in_x | c.set()) {
        z = z.reduced(device, in_x | c.set(), extents)?;
    }
    if x.has_more_than(in_z | c.set()) {
        x = x.reduced(device, in_z | c.set(), extents)?;
    }
    let (in_z, in_x) = (z.axes.set(), x.axes.set());
    let plain = overwrites(scaling) && !z.conjugate;
    if plain && in_z & in_x & !c.set() == 0 {
        let (of_z, of_x) = (z.axes.arrange(&c.labels(), extents), x.axes.arrange(&c.labels(), extents));
        let operands = (z.operand(&of_z), x.operand(&of_x));
        return device.map::<(T, T::Part), _>(&Mul, out.in_layout(c.layout()), operands);
    }
    let of_x_only: Labels = x.axes.labels().iter().copied().filter(|label| in_z & 1 << label == 0).collect();
    let multiplications = extents.product(&z.axes.labels()).saturating_mul(extents.product(&of_x_only));
    if !of_x_only.is_empty() && multiplications >= MIN_LARGE {
        if plain {
            if by_parts(device, &z, &x, out.reborrow(), c, extents)? {
                return Ok(());
            }
        } else {
            let (mut made, axes) = make(device, &c.labels(), extents)?;
            if by_parts(device, &z, &x, made.output(axes.layout()), &axes, extents)? {
                let from = axes.arrange(&c.labels(), extents);
                let (to, from) = (out.in_layout(c.layout()), made.operand(&from));
                return device.update::<(T, T), _>(&scaled_sum(scaling, z.conjugate), to, (from,));
            }
        }
    }
    let labels = x.axes.by_stride(x.axes.labels());
    let axes = Labelled::contiguous(&labels, extents);
    let made = widened(device, x.operand(&x.axes.arrange(&labels, extents)))?;
    two(device, z, Input::made(made, axes), scaling, out, c, extents)
}

/// Number of multiplications from which matrix products use real numbers. For smaller ones, converting the real operand takes less time.
const MIN_LARGE: usize = 1 << 15;

/// Writes the elements as complex numbers to a new buffer, in row-major order.
fn widened<T, Dev>(device: &Dev, x: Operand<'_, T::Part, Dev>) -> Result<OwnedData<T, Dev>, Error>
where
    T: Scalar,
    T::Part: Scalar + CastTo<T>,
    Dev: Contract<T::Part>,
{
    let layout = Layout::contiguous(x.shape(), true);
    let mut made = OwnedData::for_overwrite(element_count(x.shape(), size_of::<T>())?, device.clone())?;
    device.map::<(T::Part,), _>(&Cast::<T>(PhantomData), made.output(&layout), (x,))?;
    Ok(made)
}

/// Contracts a complex operand, which is not conjugated, and a real one by real numbers: the parts of complex elements are an additional axis
/// of the complex operand and of the result. Returns `false` if the device cannot address the parts, or a tensor would have too many axes.
fn by_parts<T: Scalar<Part: Scalar>, Dev: Contract<T::Part>>(
    device: &Dev,
    z: &Input<'_, T, Dev>,
    x: &Input<'_, T::Part, Dev>,
    out: Output<'_, T, Dev>,
    c: &Labelled,
    extents: &LabelExtents,
) -> Result<bool, Error> {
    let used = z.axes.set() | x.axes.set() | c.set();
    let part =
        (0..LABELS as u8).find(|label| used & 1 << label == 0).expect("three tensors have at most 48 labels");
    let (mut of_z, mut of_out) = (Layout::point(0), Layout::point(0));
    let (Some(parts), Some(out)) =
        (z.operand(z.axes.layout()).parts(&mut of_z), out.in_layout(c.layout()).parts(&mut of_out))
    else {
        return Ok(false);
    };
    let mut with_parts = extents.clone();
    with_parts.set(part, 2);
    let (of_z, c) = (z.axes.and(part, parts.axes()), c.and(part, out.axes()));
    let (z, x) = (Input::given(parts.into(), of_z), Input::given(x.operand(x.axes.layout()).into(), x.axes));
    two(device, z, x, Scaling::overwrite(), out, &c, &with_parts)?;
    Ok(true)
}
