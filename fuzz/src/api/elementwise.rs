//! Fuzzing steps that run typed elementwise operations on one, two or three operands: methods, operators, preallocated outputs, and
//! operations in place.

use super::record::{attempt, certain, may_panic};
use super::source::{Source, array, element_count, is_small};
use super::views::same;
use std::sync::atomic::{AtomicUsize, Ordering};
use vierbein::prelude::*;
use vierbein::{Bits, Broadcast, BroadcastTo, CastTo, Common, DynTensor, op};

// The next functions replace closures, to save compile time. A closure in a generic function has a different type in each instance
// of the function, so the kernels would be compiled once for each instance.

fn always<T>(_: T, _: T) -> bool {
    true
}

fn equal<T: PartialEq>(a: T, b: T) -> bool {
    a == b
}

fn choose<T: PartialEq>(a: T, b: T, c: T) -> T {
    if a == b { c } else { b }
}

fn is_set<T: Element>(a: T) -> bool {
    a != T::default()
}

/// Number of calls until [`panics`] panics: if it is 1, the next call panics. 0 stands for never.
static PANIC_IN: AtomicUsize = AtomicUsize::new(0);

fn panics<T>(a: T) -> T {
    assert_ne!(PANIC_IN.fetch_sub(1, Ordering::Relaxed), 1, "as asked for");
    a
}

/// Calls `f` with a preallocated output, which is contiguous or a permuted view. Its shape is `shape`, or rarely a random one.
pub(super) fn with_output<T: Element, D: Dim, O: Order>(
    s: &mut Source<'_>,
    shape: &[usize],
    f: impl FnOnce(&mut TensorViewMut<'_, T, D, O>),
) {
    let shape: Vec<usize> =
        if s.rarely(8) { s.shape(D::NDIM.expect("a rank known at compile time")) } else { shape.to_vec() };
    if !is_small(&shape) {
        return;
    }
    let shape = array::<D>(&shape);
    let axes = s.permutation(D::NDIM.expect("a rank known at compile time"));
    if s.below(2) == 0 && (0..D::NDIM.expect("a rank known at compile time")).all(|axis| axes.contains(&axis))
    {
        // The output is a permuted view: its axis `k` is axis `axes[k]` of the allocated tensor.
        let mut allocated = D::shape(axes.len());
        for (k, &axis) in axes.iter().enumerate() {
            allocated.as_mut()[axis] = shape.as_ref()[k];
        }
        let data = s.values(element_count(shape.as_ref()));
        // For an empty tensor, `try_from_vec` returns an error if the other extents are too large for this element type.
        let Ok(mut out) = Tensor::<T, D, O>::try_from_vec(allocated, data) else { return };
        f(&mut out.permute_mut(array::<D>(&axes)));
        s.keep(out);
    } else {
        let data = s.values(element_count(shape.as_ref()));
        let Ok(mut out) = Tensor::<T, D, O>::try_from_vec(shape, data) else { return };
        f(&mut out.view_mut());
        s.keep(out);
    }
}

/// Copies a typed view to a `DynTensor`.
pub(super) fn erased<T: Element, D: Dim, O: Order>(x: TensorView<'_, T, D, O>) -> DynTensor {
    x.to_owned().into()
}

/// Asserts that a typed and a dynamic operation both failed, or have equal results.
fn agree<T: Element, D: Dim, O: Order>(typed: &Option<Tensor<T, D, O>>, dynamic: Option<DynTensor>) {
    match (typed, dynamic) {
        (Some(typed), Some(dynamic)) => {
            let dynamic =
                dynamic.downcast_ref::<T, D, O, Cpu>().expect("the dynamic result has the same type");
            assert_eq!(typed.shape(), dynamic.shape());
            assert!(same(typed.iter(), dynamic.iter()), "{typed} and {dynamic}");
        }
        (typed, dynamic) => assert_eq!(typed.is_some(), dynamic.is_some(), "one face gives a result only"),
    }
}

/// Runs an operation on two operands of any ranks, which may or may not broadcast.
pub(super) fn pair<T: Scalar, D, E: Dim, O: Order>(
    x: TensorView<'_, T, D, O>,
    y: TensorView<'_, T, E, O>,
    s: &mut Source<'_>,
) where
    D: Dim + Broadcast<E>,
{
    if !is_small(x.shape().as_ref()) || !is_small(y.shape().as_ref()) {
        return;
    }
    // The broadcast result has at most `x.len() * y.len()` elements.
    if x.len().saturating_mul(y.len()) > 1 << 16 {
        return;
    }
    let (dx, dy) = (erased(x), erased(y));
    let shape = attempt("try_zip_map", || x.try_zip_map(&y, always)).map(|z| z.shape());
    match s.below(10) {
        0 => {
            let z = attempt("try_add", || x.try_add(&y));
            agree(&z, attempt("DynTensor::try_add", || dx.try_add(&dy)));
            z.into_iter().for_each(|z| s.keep(z));
        }
        1 => {
            let z = attempt("try_mul", || x.try_mul(&y));
            agree(&z, attempt("DynTensor::try_mul", || dx.try_mul(&dy)));
            z.into_iter().for_each(|z| s.keep(z));
        }
        2 => {
            let z = attempt("try_div", || x.try_div(&y));
            agree(&z, attempt("DynTensor::try_div", || dx.try_div(&dy)));
        }
        3 => {
            let z = attempt("try_apply2", || x.try_apply2(op::NotEqual, &y));
            agree(&z, attempt("DynTensor::not_equal", || dx.not_equal(&dy)));
            z.into_iter().for_each(|z| s.keep(z));
        }
        // The result of an operator may reuse the buffer of an owned operand.
        4 => {
            let z = may_panic("owned + &y", || x.to_owned() + &y);
            z.into_iter().for_each(|z| s.keep(z));
        }
        5 => {
            let z = may_panic("&x - owned", || &x - y.to_owned());
            z.into_iter().for_each(|z| s.keep(z));
        }
        6 => {
            let z = may_panic("owned * owned", || x.to_owned() * y.to_owned());
            z.into_iter().for_each(|z| s.keep(z));
        }
        7 => {
            let z = may_panic("view / view", || x / y);
            z.into_iter().for_each(|z| s.keep(z));
        }
        8 => {
            let shape = shape
                .as_ref()
                .map_or(vec![2; Common::<D, E>::NDIM.expect("a rank known at compile time")], |shape| {
                    shape.as_ref().to_vec()
                });
            with_output::<T, Common<D, E>, O>(s, &shape, |out| {
                attempt("try_apply2_into", || x.try_apply2_into(op::Sub, &y, out));
            });
        }
        _ => {
            let shape = shape
                .as_ref()
                .map_or(vec![2; Common::<D, E>::NDIM.expect("a rank known at compile time")], |shape| {
                    shape.as_ref().to_vec()
                });
            with_output::<bool, Common<D, E>, O>(s, &shape, |out| {
                attempt("try_zip_map_into", || x.try_zip_map_into(&y, equal, out));
            });
        }
    }
}

/// Runs an operation on operands of the same rank: a function of three operands, a selection, or an operation in place.
pub(super) fn same_rank<T: Scalar, D, O: Order>(
    x: TensorView<'_, T, D, O>,
    y: TensorView<'_, T, D, O>,
    s: &mut Source<'_>,
) where
    D: Dim + BroadcastTo<D>,
{
    if !is_small(x.shape().as_ref()) || !is_small(y.shape().as_ref()) {
        return;
    }
    if x.len().saturating_mul(y.len()) > 1 << 16 {
        return;
    }
    let value = s.value::<T>();
    match s.below(10) {
        0 => {
            let mask = attempt("try_map", || x.try_map(is_set)).expect("there is memory for small tensors");
            let z = attempt("try_select", || mask.try_select(&x, &y));
            z.into_iter().for_each(|z| s.keep(z));
        }
        1 => {
            let z = attempt("try_zip_map3", || {
                x.try_zip_map3(&y, &Tensor::<T, Rank<0>, O>::scalar(value), choose)
            });
            z.into_iter().for_each(|z| s.keep(z));
        }
        2 => {
            let mask = x.map(is_set);
            let shape = x.shape();
            with_output::<T, D, O>(s, shape.as_ref(), |out| {
                attempt("try_apply3_into", || mask.try_apply3_into(op::Select, &x, &y, out));
            });
        }
        3 => {
            with_output::<T, D, O>(s, y.shape().as_ref(), |out| {
                attempt("try_add_assign", || out.try_add_assign(&x));
            });
        }
        4 => {
            with_output::<T, D, O>(s, y.shape().as_ref(), |out| {
                attempt("try_add_scaled", || out.try_add_scaled(value, &x));
            });
        }
        5 => {
            with_output::<T, D, O>(s, y.shape().as_ref(), |out| {
                attempt("try_apply2_inplace", || out.try_apply2_inplace(op::Mul, &x));
                attempt("try_apply_inplace", || out.try_apply_inplace(op::Square));
            });
        }
        6 => {
            with_output::<T, D, O>(s, y.shape().as_ref(), |out| {
                may_panic("*=", || *out *= &x);
                may_panic("-= scalar", || *out -= value);
                may_panic("mapv_inplace that panics", || {
                    PANIC_IN.store(1, Ordering::Relaxed);
                    out.mapv_inplace(panics);
                });
            });
        }
        7 => {
            let z = may_panic("owned - scalar", || x.to_owned() - value);
            z.into_iter().for_each(|z| s.keep(z));
        }
        8 => {
            certain("all_close", || x.all_close(&y, Default::default(), Default::default()));
        }
        _ => {
            let (from, axis) = (super::user_types::Alternating::new(x, y), value);
            with_output::<T, D, O>(s, x.shape().as_ref(), |out| {
                attempt("try_assign of an alternating operand", || out.try_assign(&from));
                attempt("try_add_scaled of an alternating operand", || out.try_add_scaled(axis, &from));
            });
        }
    }
}

/// Runs an operation on one operand.
pub(super) fn single<T, D: Dim, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>)
where
    T: Scalar + CastTo<vierbein::c64> + CastTo<T>,
{
    if !is_small(x.shape().as_ref()) {
        return;
    }
    let dx = erased(x);
    match s.below(9) {
        0 => {
            let z = attempt("try_apply Square", || x.try_apply(op::Square));
            agree(&z, attempt("DynTensor::square", || dx.square()));
            z.into_iter().for_each(|z| s.keep(z));
        }
        1 => {
            let z = attempt("try_apply Abs", || x.try_apply(op::Abs));
            agree(&z, attempt("DynTensor::abs", || dx.abs()));
        }
        2 => {
            let n = s.hostile() as i32;
            let z = attempt("try_apply Powi", || x.try_apply(op::Powi(n)));
            agree(&z, attempt("DynTensor::powi", || dx.powi(n)));
        }
        3 => {
            let z = attempt("try_cast", || x.try_cast::<vierbein::c64>());
            agree(&z, attempt("DynTensor::to_dtype", || dx.to_dtype(vierbein::DType::C64)));
            z.into_iter().for_each(|z| s.keep(z));
        }
        4 => {
            with_output::<vierbein::c64, D, O>(s, x.shape().as_ref(), |out| {
                attempt("try_cast_into", || x.try_cast_into(out));
            });
        }
        5 => {
            with_output::<T, D, O>(s, x.shape().as_ref(), |out| {
                attempt("try_apply_into", || x.try_apply_into(op::Conj, out));
            });
        }
        6 => {
            with_output::<bool, D, O>(s, x.shape().as_ref(), |out| {
                attempt("try_map_into", || x.try_map_into(is_set, out));
            });
        }
        7 => {
            PANIC_IN.store(s.below(40), Ordering::Relaxed);
            may_panic("map that panics", || x.map(panics));
        }
        _ => {
            let value = s.value::<T>();
            let z = attempt("try_apply2 with a scalar", || x.try_apply2(op::Rem, value));
            agree(&z, attempt("DynTensor::try_rem", || dx.try_rem(vierbein::DynScalar::of(value))));
        }
    }
}

/// Runs an operation that only real element types have.
pub(super) fn real<T: RealScalar, D: Dim, O: Order>(
    x: TensorView<'_, T, D, O>,
    y: TensorView<'_, T, D, O>,
    s: &mut Source<'_>,
) {
    if !is_small(x.shape().as_ref()) || x.len().saturating_mul(y.len()) > 1 << 16 {
        return;
    }
    match s.below(4) {
        0 => {
            let z = attempt("try_maximum", || x.try_maximum(&y));
            agree(&z, attempt("DynTensor::maximum", || erased(x).maximum(&erased(y))));
        }
        1 => {
            let z = attempt("try_apply2 Lt", || x.try_apply2(op::Lt, &y));
            agree(&z, attempt("DynTensor::lt", || erased(x).lt(&erased(y))));
        }
        2 => {
            let (low, high) = (s.value(), s.value());
            attempt("try_clamp", || x.try_clamp(low, high));
        }
        _ => {
            may_panic("ge", || x.ge(&y));
        }
    }
}

/// Runs an operation that only floating-point element types have.
pub(super) fn float<T: RealFloat, D: Dim, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>) {
    if !is_small(x.shape().as_ref()) {
        return;
    }
    match s.below(5) {
        0 => drop(attempt("try_apply Exp", || x.try_apply(op::Exp))),
        1 => drop(attempt("try_apply Floor", || x.try_apply(op::Floor))),
        2 => drop(attempt("try_atan2", || x.try_atan2(&x))),
        3 => drop(attempt("try_apply IsNan", || x.try_apply(op::IsNan))),
        _ => {
            let power = s.value();
            attempt("try_apply Powf", || x.try_apply(op::Powf(power)));
        }
    }
}

/// Runs a bitwise operation.
pub(super) fn bits<T: Bits, D: Dim, O: Order>(
    x: TensorView<'_, T, D, O>,
    y: TensorView<'_, T, D, O>,
    s: &mut Source<'_>,
) {
    if !is_small(x.shape().as_ref()) || x.len().saturating_mul(y.len()) > 1 << 16 {
        return;
    }
    let z = match s.below(3) {
        0 => may_panic("&", || &x & &y),
        1 => may_panic("owned ^", || x.to_owned() ^ &y),
        _ => may_panic("!", || !&x),
    };
    z.into_iter().for_each(|z| s.keep(z));
}
