//! Steps of random programs that construct typed and dynamic tensors, or views of slices with arbitrary strides.

use super::record::{attempt, may_panic};
use super::source::{Source, array, element_count, is_small, strides};
use super::views::{look, look_mut};
use vierbein::prelude::*;
use vierbein::{DType, DynTensor};

/// Creates a tensor with one of the constructors that all element types have.
pub(super) fn element<T: Element, D: Dim, O: Order>(s: &mut Source<'_>) {
    let shape = s.any_shape(D::NDIM.expect("a rank known at compile time"));
    let shape = array::<D>(&shape);
    let len = is_small(shape.as_ref()).then(|| element_count(shape.as_ref()));
    // The number of values, which may differ from the shape's number of elements.
    let given = if s.rarely(8) { s.below(70) } else { len.unwrap_or(3) };
    let made: Option<Tensor<T, D, O>> = match s.below(8) {
        0 => attempt("try_zeros", || Tensor::try_zeros(shape)),
        1 => {
            let value = s.value();
            attempt("try_full", || Tensor::try_full(shape, value))
        }
        2 => {
            let data = s.values(given);
            attempt("try_from_vec", || Tensor::try_from_vec(shape, data))
        }
        3 => {
            let data = s.values(given);
            attempt("try_from_slice", || Tensor::try_from_slice(shape, &data))
        }
        4 => {
            let data: Vec<T> = s.values(given);
            if s.below(2) == 0 {
                attempt("try_from_buffer Vec", || Tensor::try_from_buffer(shape, data))
            } else {
                attempt("try_from_buffer Box", || Tensor::try_from_buffer(shape, data.into_boxed_slice()))
            }
        }
        5 => {
            // The constructor must reject a shape that is too large before it calls the closure for each element.
            let values = s.values::<T>(8);
            attempt("try_from_fn", || {
                Tensor::try_from_fn(shape, |index| {
                    let index = index.as_ref();
                    index.iter().zip(shape.as_ref()).for_each(|(i, n)| assert!(i < n));
                    values[index.iter().sum::<usize>() % 8]
                })
            })
        }
        6 => {
            let data = s.values(given);
            may_panic("from_vec", || Tensor::from_vec(shape, data))
        }
        _ => may_panic("zeros", || Tensor::zeros(shape)),
    };
    if let Some(x) = made {
        look(x.view(), s);
        s.keep(x);
    }
}

/// Creates a tensor with one of the constructors that only numeric types have.
pub(super) fn number<T: Scalar, D: Dim, O: Order>(s: &mut Source<'_>) {
    if s.below(2) == 0 {
        let n = s.hostile_extent();
        let eye = attempt("try_eye_in", || Tensor::<T, Rank<2>, O>::try_eye_in(n, &Cpu));
        eye.into_iter().for_each(|x| s.keep(x));
    } else {
        let shape = s.any_shape(D::NDIM.expect("a rank known at compile time"));
        let ones = attempt("try_ones", || Tensor::<T, D, O>::try_ones(array::<D>(&shape)));
        ones.into_iter().for_each(|x| s.keep(x));
    }
}

/// Creates a tensor of rank 1 with `try_arange_in`.
pub(super) fn ramp<T: RealScalar, O: Order>(s: &mut Source<'_>) {
    let (start, end, step): (T, T, T) = (s.value(), s.value(), s.value());
    // `ramp` is called for 8-bit integers only, so the result has at most 255 elements.
    let made = attempt("try_arange_in", || Tensor::<T, Rank<1>, O>::try_arange_in(start, end, step, &Cpu));
    if let Some(x) = made
        && is_small(&x.shape())
    {
        s.keep(x);
    }
}

pub(super) fn linspace<T: RealFloat, O: Order>(s: &mut Source<'_>) {
    let (start, end, n): (T, T, usize) = (s.value(), s.value(), s.hostile_extent());
    let made = attempt("try_linspace_in", || Tensor::<T, Rank<1>, O>::try_linspace_in(start, end, n, &Cpu));
    made.into_iter().for_each(|x| s.keep(x));
}

/// Creates a dynamic tensor.
pub(super) fn dynamic(s: &mut Source<'_>) {
    let (rank, dtype, order) = (s.rank(), s.dtype(), s.order());
    let rank = if s.rarely(64) { 17 } else { rank };
    let shape = s.any_shape(rank);
    let made = match s.below(4) {
        0 => attempt("DynTensor::zeros", || DynTensor::zeros(&shape, dtype, order)),
        1 => Some(DynTensor::scalar(s.scalar(dtype))),
        _ => {
            let len = if is_small(&shape) { element_count(&shape) } else { 5 };
            let len = if s.rarely(16) { s.below(70) } else { len };
            macro_rules! from_vec {
                ($($dtype:ident $t:ty),*) => {
                    match dtype {
                        $(DType::$dtype => {
                            let data = s.values::<$t>(len);
                            attempt("DynTensor::from_vec", || DynTensor::from_vec(&shape, data, order))
                        })*
                        _ => None,
                    }
                };
            }
            from_vec!(
                Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64,
                C32 vierbein::c32, C64 vierbein::c64
            )
        }
    };
    made.into_iter().for_each(|x| s.keep(x));
}

/// Returns strides and an offset for a view of a slice. Usually they address elements within the slice, or slightly past its end.
fn any_strides(s: &mut Source<'_>, shape: &[usize], row_major: bool) -> (Vec<isize>, usize) {
    let mut strides = vec![0; shape.len()];
    let mut step: isize = 1;
    let mut first = 0_isize;
    let axes: Vec<usize> =
        if row_major { (0..shape.len()).rev().collect() } else { s.permutation(shape.len()) };
    for axis in axes.into_iter().filter(|&axis| axis < shape.len()) {
        let reach = step.wrapping_mul(shape[axis] as isize);
        strides[axis] = match s.below(16) {
            // The arms are: stride 0; stride 1, with which axes can overlap; a negative stride; a stride with a gap of one element;
            // a hostile number; a contiguous stride.
            0 => 0,
            1 => 1,
            2 | 3 => {
                first = first.wrapping_add(reach.wrapping_sub(step));
                step.wrapping_neg()
            }
            4 => step.wrapping_add(1),
            15 => s.hostile_signed(),
            _ => step,
        };
        step = reach.max(1);
    }
    let offset = if s.rarely(16) { s.hostile() } else { (first as usize).wrapping_add(s.below(2)) };
    (strides, offset)
}

/// Creates a shared or a mutable view of a slice.
pub(super) fn of_slice<T: Element, D: Dim, O: Order>(s: &mut Source<'_>) {
    let shape = s.any_shape(D::NDIM.expect("a rank known at compile time"));
    let (steps, offset) = any_strides(s, &shape, O::ROW_MAJOR);
    let (shape, steps) = (array::<D>(&shape), strides::<D>(&steps));
    let len = match s.below(4) {
        0 => s.below(200),
        _ if is_small(shape.as_ref()) => element_count(shape.as_ref()) + s.below(3),
        _ => s.below(10),
    };
    let mut data = s.values::<T>(len);
    match s.below(4) {
        0 => {
            let view = attempt("try_from_slice_strided", || {
                TensorView::<T, D, O>::try_from_slice_strided(&data, shape, steps, offset)
            });
            view.into_iter().for_each(|view| look(view, s));
        }
        1 => {
            let view = may_panic("from_slice_strided", || {
                TensorView::<T, D, O>::from_slice_strided(&data, shape, steps, offset)
            });
            view.into_iter().for_each(|view| look(view, s));
        }
        _ => {
            let view = attempt("try_from_slice_strided_mut", || {
                TensorViewMut::<T, D, O>::try_from_slice_strided_mut(&mut data, shape, steps, offset)
            });
            view.into_iter().for_each(|view| look_mut(view, s));
        }
    }
}
