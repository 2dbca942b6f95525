//! Steps of the random programs that use dynamic tensors: views, computations, contractions with arbitrary specifications, and conversions.

use super::products::feasible;
use super::record::{attempt, certain, may_panic};
use super::source::{Source, element_count, is_small};
use vierbein::dyn_tensor::{Binary, DynOperand, DynReduction, Unary, einsum, einsum_path, promote};
use vierbein::prelude::*;
use vierbein::{DynTensor, DynView, DynViewMut, MemoryOrder};

/// Applies one random view operation. Returns `None` if the operation returns an error.
fn cut<'a>(x: DynView<'a>, s: &mut Source<'_>) -> Option<DynView<'a>> {
    let rank = x.rank();
    match s.below(16) {
        0 | 1 => {
            let axes = s.permutation(rank);
            attempt("DynTensor::permute", || x.permute(&axes))
        }
        2 => {
            let (a, b) = s.two_axes(rank);
            attempt("DynTensor::swap_axes", || x.swap_axes(a, b))
        }
        3 => attempt("DynTensor::reverse_axes", || x.reverse_axes()),
        4 => attempt("DynTensor::t", || x.t()),
        5 => {
            let at = if s.rarely(8) { s.hostile() } else { s.below(rank + 1) };
            attempt("DynTensor::insert_axis", || x.insert_axis(at))
        }
        6 => {
            let axis = x.shape().iter().position(|&extent| extent == 1).unwrap_or_else(|| s.axis(rank));
            attempt("DynTensor::remove_axis", || x.remove_axis(axis))
        }
        7 => {
            let axis = s.axis(rank);
            let index = s.index(x.shape().get(axis).copied().unwrap_or(1));
            attempt("DynTensor::index_axis", || x.index_axis(axis, index))
        }
        8 => {
            let (a, b) = s.two_axes(rank);
            attempt("DynTensor::diagonal", || x.diagonal(a, b))
        }
        9 => {
            let shape = if is_small(x.shape()) {
                let rank = s.below(5);
                s.reshaped(x.len(), rank)
            } else {
                s.any_shape(2)
            };
            attempt("DynTensor::as_shape", || x.as_shape(&shape))
        }
        10 => {
            let to = rank + s.below(2);
            let shape = s.broadcast(x.shape(), to, x.order() == MemoryOrder::RowMajor);
            attempt("DynTensor::broadcast_to", || x.broadcast_to(&shape))
        }
        11 => Some(certain("DynTensor::flip_order", || x.flip_order())),
        12 => {
            let order = s.order();
            Some(certain("DynTensor::as_order", || x.as_order(order)))
        }
        _ => {
            let items = s.slice(x.shape());
            attempt("DynTensor::slice", || x.slice(&items[..]))
        }
    }
}

/// Applies up to three random view operations to a tensor, and returns the resulting view.
pub(super) fn view<'a>(x: &'a DynTensor, s: &mut Source<'_>) -> DynView<'a> {
    let mut view = x.view();
    for _ in 0..[0, 0, 1, 1, 2, 3][s.below(6)] {
        view = cut(view, s).unwrap_or(view);
    }
    view
}

/// Applies `cuts` random view operations to a mutable view, and calls `f` with the result.
pub(super) fn with_view_mut(
    mut x: DynViewMut<'_>,
    cuts: usize,
    s: &mut Source<'_>,
    f: &mut dyn FnMut(DynViewMut<'_>, &mut Source<'_>),
) {
    if cuts == 0 {
        return f(x, s);
    }
    let (rank, shape) = (x.rank(), x.shape().to_vec());
    let part = match s.below(10) {
        0 => {
            let axes = s.permutation(rank);
            attempt("DynTensor::permute_mut", || x.permute_mut(&axes))
        }
        1 => {
            let (a, b) = s.two_axes(rank);
            attempt("DynTensor::swap_axes_mut", || x.swap_axes_mut(a, b))
        }
        2 => attempt("DynTensor::reverse_axes_mut", || x.reverse_axes_mut()),
        3 => {
            let at = s.below(rank + 1);
            attempt("DynTensor::insert_axis_mut", || x.insert_axis_mut(at))
        }
        4 => {
            let axis = s.axis(rank);
            let index = s.index(shape.get(axis).copied().unwrap_or(1));
            attempt("DynTensor::index_axis_mut", || x.index_axis_mut(axis, index))
        }
        5 => {
            let (a, b) = s.two_axes(rank);
            attempt("DynTensor::diagonal_mut", || x.diagonal_mut(a, b))
        }
        6 => {
            let to = s.reshaped(element_count(&shape), 3);
            attempt("DynTensor::as_shape_mut", || x.as_shape_mut(&to))
        }
        _ => {
            let items = s.slice(&shape);
            attempt("DynTensor::slice_mut", || x.slice_mut(&items[..]))
        }
    };
    match part {
        Some(part) => with_view_mut(part, cuts - 1, s, f),
        None => f(x, s),
    }
}

/// Checks the properties and elements of a view.
pub(super) fn look(x: DynView<'_>, s: &mut Source<'_>) {
    match s.below(8) {
        0 => certain("DynTensor Display", || assert!(!format!("{x:.3}").is_empty())),
        1 => certain("DynTensor Debug", || assert!(!format!("{x:?}").is_empty())),
        2 => {
            let index: Vec<usize> = x.shape().iter().map(|&n| s.index(n)).collect();
            let inside = index.iter().zip(x.shape()).all(|(i, n)| i < n);
            let found = attempt("DynTensor::get", || x.get(&index));
            assert_eq!(found.is_some(), inside);
        }
        3 => {
            let index: Vec<usize> = (0..s.below(18)).map(|_| s.below(3)).collect();
            attempt("DynTensor::get of any rank", || x.get(&index));
        }
        4 => drop(attempt("DynTensor::item", || x.item())),
        _ => {}
    }
    if !is_small(x.shape()) {
        return;
    }
    assert_eq!(x.is_empty(), x.shape().contains(&0));
    match s.below(6) {
        0 => {
            let order = s.order();
            if let Some(copy) = attempt("DynTensor::to_order", || x.to_order(order)) {
                assert!(copy.is_contiguous() && copy.shape() == x.shape());
                s.keep(copy);
            }
        }
        1 => {
            if let Some(copy) = attempt("DynTensor::to_owned", || x.to_owned()) {
                certain("DynTensor eq", || copy == x);
                s.keep(copy);
            }
        }
        2 => drop(attempt("DynTensor::to_vec", || x.to_vec::<f64>())),
        3 => drop(attempt("DynTensor::to_device", || x.to_device::<Cpu>())),
        _ => {}
    }
}

fn operand<'a>(x: DynView<'a>, dtype: vierbein::DType, s: &mut Source<'_>) -> DynOperand<'a> {
    if s.rarely(4) { DynOperand::OfScalar(s.scalar(dtype)) } else { DynOperand::OfTensor(x) }
}

/// Runs a random operation on one or two dynamic tensors.
pub(super) fn compute(x: DynView<'_>, y: DynView<'_>, s: &mut Source<'_>) {
    if !is_small(x.shape()) || !is_small(y.shape()) || x.len().saturating_mul(y.len()) > 1 << 16 {
        return;
    }
    let axis = s.axis(x.rank());
    let made = match s.below(14) {
        0 => {
            let op = s.pick(Unary::ALL);
            attempt("DynTensor::unary", || x.unary(op))
        }
        1..=3 => {
            let (op, right) = (s.pick(Binary::ALL), operand(y, x.dtype(), s));
            attempt("DynTensor::binary", || x.binary(op, right))
        }
        4 | 5 => {
            let ddof = if s.rarely(4) { s.hostile() } else { s.below(2) };
            let op = s.pick(&[
                DynReduction::Sum,
                DynReduction::Prod,
                DynReduction::Mean,
                DynReduction::Var { ddof },
                DynReduction::Std { ddof },
                DynReduction::Norm,
                DynReduction::Max,
                DynReduction::Min,
                DynReduction::ArgMax,
                DynReduction::ArgMin,
                DynReduction::All,
                DynReduction::Any,
                DynReduction::Count,
                DynReduction::PeakToPeak,
                DynReduction::NanSum,
                DynReduction::NanMean,
                DynReduction::NanMax,
                DynReduction::NanMin,
                DynReduction::NanProd,
                DynReduction::NanVar { ddof: 1 },
                DynReduction::NanStd { ddof: 0 },
                DynReduction::NanArgMax,
                DynReduction::NanArgMin,
            ]);
            let axes = s.axes(x.rank());
            match s.below(3) {
                0 => attempt("DynTensor::reduce", || x.reduce(op, ..)),
                1 => attempt("DynTensor::reduce over axes", || x.reduce(op, axes)),
                _ => attempt("DynTensor::reduce_keepdims", || x.reduce_keepdims(op, axes)),
            }
        }
        6 => attempt("DynTensor::cumsum", || x.cumsum(axis)),
        7 => attempt("DynTensor::cumprod", || x.cumprod(axis)),
        8 => {
            let (a, b) = s.two_axes(x.rank());
            attempt("DynTensor::trace", || x.trace(a, b))
        }
        9 => {
            let dtype = s.any_dtype();
            attempt("DynTensor::to_dtype", || x.to_dtype(dtype))
        }
        10 => {
            let (low, high) = (s.scalar(x.dtype()), s.scalar(x.dtype()));
            attempt("DynTensor::clamp", || x.clamp(low, high))
        }
        11 => {
            let mask = attempt("DynTensor::binary", || {
                x.binary(Binary::NotEqual, vierbein::DynScalar::zero(x.dtype()))
            });
            let Some(mask) = mask else { return };
            let (a, b) = (operand(x, y.dtype(), s), operand(y, x.dtype(), s));
            attempt("DynTensor::select", || mask.select(a, b))
        }
        12 if feasible(&[x.shape(), y.shape()]) => attempt("DynTensor::matmul", || x.matmul(y)),
        12 | 13 => {
            let (a, b) = (x.to_owned().ok(), y.to_owned().ok());
            let Some((a, b)) = a.zip(b) else { return };
            if s.below(2) == 0 {
                may_panic("DynTensor + DynTensor", || &a + &b)
            } else {
                let pair = attempt("promote", || promote(a, b));
                pair.into_iter().for_each(|(a, b)| {
                    s.keep(a);
                    s.keep(b);
                });
                None
            }
        }
        _ => None,
    };
    made.into_iter().for_each(|z| s.keep(z));
}

/// Runs a random operation that writes to a mutable dynamic view.
pub(super) fn change(mut x: DynViewMut<'_>, y: DynView<'_>, s: &mut Source<'_>) {
    if !is_small(x.shape()) || !is_small(y.shape()) {
        return;
    }
    let right = operand(y, x.dtype(), s);
    match s.below(9) {
        0 | 1 => drop(attempt("DynTensor::assign", || x.assign(right))),
        2 => {
            let value = s.scalar(x.dtype());
            attempt("DynTensor::fill", || x.fill(value));
        }
        3 => {
            let (index, value): (Vec<usize>, _) =
                (x.shape().to_vec().iter().map(|&n| s.index(n)).collect(), s.scalar(x.dtype()));
            attempt("DynTensor::set", || x.set(&index, value));
        }
        4 => drop(attempt("DynTensor::try_add_assign", || x.try_add_assign(right))),
        5 => drop(attempt("DynTensor::try_sub_assign", || x.try_sub_assign(right))),
        6 => drop(attempt("DynTensor::try_mul_assign", || x.try_mul_assign(right))),
        7 => drop(attempt("DynTensor::try_div_assign", || x.try_div_assign(right))),
        _ => drop(attempt("DynTensor::try_rem_assign", || x.try_rem_assign(right))),
    }
}

/// Returns a random text from tokens of `einsum` specifications. It may be invalid.
pub(super) fn any_spec(s: &mut Source<'_>) -> String {
    const TOKENS: [&str; 24] = [
        "i",
        "j",
        "k",
        "l",
        "i",
        "j",
        "k",
        ",",
        ",",
        ",",
        "->",
        "->",
        "...",
        "a",
        "Z",
        " ",
        "-",
        ".",
        "ij",
        "jk",
        "ii",
        "abcdefghijklm",
        "1",
        "ä",
    ];
    (0..s.below(14)).map(|_| s.pick(&TOKENS)).collect()
}

/// Returns an `einsum` specification with one letter for each axis of each operand. An ellipsis may replace the first letter of an
/// operand.
fn fitting_spec(operands: &[DynView<'_>], s: &mut Source<'_>) -> String {
    let mut text = String::new();
    let mut letters: Vec<char> = Vec::new();
    for (k, x) in operands.iter().enumerate() {
        if k > 0 {
            text.push(',');
        }
        let dots = s.rarely(8);
        for axis in 0..x.rank() {
            if dots && axis == 0 {
                text.push_str("...");
                continue;
            }
            // Only five letters, so that many labels are repeated.
            let letter = char::from(b'a' + s.below(5) as u8);
            text.push(letter);
            letters.push(letter);
        }
    }
    if s.below(4) > 0 {
        text.push_str("->");
        if text.contains("...") {
            text.push_str("...");
        }
        for letter in letters {
            if s.below(3) == 0 {
                text.push(letter);
            }
        }
    }
    text
}

/// Contracts the operands with a random specification.
pub(super) fn contract(operands: &[DynView<'_>], s: &mut Source<'_>) {
    let shapes: Vec<&[usize]> = operands.iter().map(|x| x.shape()).collect();
    if !feasible(&shapes) {
        return;
    }
    let operands = if s.rarely(32) { &operands[..0] } else { operands };
    let text = if s.rarely(4) { any_spec(s) } else { fitting_spec(operands, s) };
    if s.rarely(4) {
        attempt("einsum_path", || einsum_path(&text, operands));
    }
    let z = attempt("einsum", || einsum(&text, operands));
    z.into_iter().for_each(|z| s.keep(z));
}

/// Calls a random conversion that consumes a dynamic tensor.
pub(super) fn convert(x: DynTensor, s: &mut Source<'_>) {
    match s.below(8) {
        0 => {
            let rank = s.below(6);
            let shape = s.reshaped(x.len(), rank);
            let z = attempt("DynTensor::reshape", || x.reshape(&shape));
            z.into_iter().for_each(|z| s.keep(z));
        }
        1 => {
            let z = attempt("DynTensor::flatten", || x.flatten());
            z.into_iter().for_each(|z| s.keep(z));
        }
        2 => {
            let z = attempt("DynTensor::into_owned", || x.into_owned());
            z.into_iter().for_each(|z| s.keep(z));
        }
        3 => {
            let z = attempt("DynTensor::cast_into", || x.cast_into::<vierbein::c64, Rank<2>, ColMajor>());
            z.into_iter().for_each(|z| s.keep(z));
        }
        4 => {
            let z = attempt("DynTensor::cast_into i32", || x.cast_into::<i32, Rank<1>, RowMajor>());
            z.into_iter().for_each(|z| s.keep(z));
        }
        5 => match x.downcast::<f64, Rank<2>, RowMajor, Cpu>() {
            Ok(x) => s.keep(certain("DynTensor::downcast", || x)),
            Err(error) => {
                attempt::<(), _>("DynTensor::downcast", || Err(error.to_string()));
                s.keep(error.into_inner());
            }
        },
        6 => {
            let z = attempt("DynTensor::try_clone", || x.try_clone());
            z.into_iter().for_each(|z| s.keep(z));
            s.keep(x);
        }
        _ => {
            let mut bytes = Vec::new();
            attempt("DynTensor::write_npy_to", || x.write_npy_to(&mut bytes));
            let z = attempt("DynTensor::read_npy_from", || DynTensor::read_npy_from(&bytes[..]));
            z.into_iter().for_each(|z| s.keep(z));
        }
    }
}
