//! Rows of the bad-input table (see `bad_input/mod.rs`): constructors that take arbitrary strides or a raw pointer.

use super::array::{Array, reject};
use super::done;
use super::driver::{ByHand, Hazard, Hazard::*, Row};
use super::hazards::sixteen;
use super::operand::{HUGE, ToArray};
use vierbein::prelude::*;

/// Returns shapes, strides, offsets and expected outcomes for views of a slice of twelve numbers. The outcome is `Err(variant)` if shared
/// and mutable views are errors, `Ok(true)` if only a mutable view is an error, and `Ok(false)` if both views are valid.
fn strided(
    hazard: Hazard,
) -> Result<Vec<(Vec<usize>, Vec<isize>, usize, Result<bool, &'static str>)>, &'static str> {
    let (max, far) = (usize::MAX, isize::MAX);
    let case = |shape: &[usize], strides: &[isize], offset, outcome| {
        (shape.to_vec(), strides.to_vec(), offset, outcome)
    };
    Ok(match hazard {
        WrongShape => vec![
            case(&[13], &[1], 0, Err("InvalidStrides")),
            case(&[4, 4], &[4, 1], 0, Err("InvalidStrides")),
            case(&[3, 4], &[4, 1], 1, Err("InvalidStrides")),
            case(&[2], &[1], max, Err("InvalidStrides")),
            case(&[2], &[-1], 0, Err("InvalidStrides")),
        ],
        ZeroExtents => vec![
            case(&[0], &[far], 12, Ok(false)),
            case(&[0], &[1], 13, Err("InvalidStrides")),
            case(&[0, 3], &[0, 0], 5, Ok(false)),
        ],
        HugeExtents => vec![
            case(&[max], &[0], 0, Err("Overflow")),
            case(&[max, 2], &[0, 0], 0, Err("Overflow")),
            case(&[0, max], &[1, 1], 0, Err("Overflow")),
            case(&[2], &[far], 0, Err("InvalidStrides")),
            case(&[2, 2], &[far, far], 0, Err("InvalidStrides")),
            case(&[3], &[isize::MIN], 0, Err("InvalidStrides")),
            case(&[HUGE], &[0], 3, Ok(true)),
        ],
        NotFinite => return Err("an address has no numbers"),
        NegativeStrides => vec![case(&[12], &[-1], 11, Ok(false)), case(&[3, 4], &[-4, -1], 11, Ok(false))],
        Aliasing => vec![
            case(&[4], &[0], 2, Ok(true)),
            case(&[9, 4], &[1, 1], 0, Ok(true)),
            case(&[3, 4], &[2, 1], 0, Ok(true)),
        ],
        Rank0 => vec![case(&[], &[], 11, Ok(false)), case(&[], &[], 12, Err("InvalidStrides"))],
        Rank16 => vec![{
            let mut strides = vec![far; 16];
            (strides[0], strides[7], strides[15]) = (6, 2, 1);
            (sixteen(), strides, 0, Ok(false))
        }],
    })
}

fn twelve() -> [f64; 12] {
    std::array::from_fn(|k| k as f64)
}

/// Returns the elements that the view must have.
fn counted(shape: &[usize], strides: &[isize], offset: usize) -> Array {
    Array::from_fn(shape, |index| {
        index
            .iter()
            .zip(strides)
            .fold(offset as f64, |at, (&i, &s)| if i == 0 { at } else { at + (i as isize * s) as f64 })
    })
}

/// Evaluates `$body` with shape and strides as arrays whose length is known at compile time.
macro_rules! of_strides {
    ($shape:ident, $strides:ident, $body:expr) => {
        match $shape.len() {
            0 => of_strides!(@at 0, $shape, $strides, $body),
            1 => of_strides!(@at 1, $shape, $strides, $body),
            2 => of_strides!(@at 2, $shape, $strides, $body),
            _ => of_strides!(@at 16, $shape, $strides, $body),
        }
    };
    (@at $rank:literal, $shape:ident, $strides:ident, $body:expr) => {{
        let ($shape, $strides): ([usize; $rank], [isize; $rank]) =
            ($shape[..].try_into().expect("its rank"), $strides[..].try_into().expect("its rank"));
        $body
    }};
}

fn from_slice_strided(hazard: Hazard) -> ByHand {
    let data = twelve();
    let outcome =
        |(shape, strides, offset, outcome): (Vec<usize>, Vec<isize>, usize, Result<bool, &'static str>)| {
            let expected = outcome.map(|_| counted(&shape, &strides, offset)).or_else(reject);
            let done = of_strides!(
                shape,
                strides,
                done!(
                    try TensorView::<f64, _>::try_from_slice_strided(&data, shape, strides, offset),
                    panics TensorView::<f64, _>::from_slice_strided(&data, shape, strides, offset)
                )
            );
            (done, expected)
        };
    Ok(strided(hazard)?.into_iter().map(outcome).collect())
}

fn from_slice_strided_mut(hazard: Hazard) -> ByHand {
    let outcome = |(shape, strides, offset, outcome): (
        Vec<usize>,
        Vec<isize>,
        usize,
        Result<bool, &'static str>,
    )| {
        let shared = outcome == Ok(true);
        let expected = outcome.map(|_| counted(&shape, &strides, offset)).or_else(reject);
        let expected = if shared { reject("InvalidStrides") } else { expected };
        let done = of_strides!(
            shape,
            strides,
            done!(
                try TensorViewMut::<f64, _>::try_from_slice_strided_mut(&mut twelve(), shape, strides, offset).map(|x| x.array()),
                panics TensorViewMut::<f64, _>::from_slice_strided_mut(&mut twelve(), shape, strides, offset).array()
            )
        );
        (done, expected)
    };
    Ok(strided(hazard)?.into_iter().map(outcome).collect())
}

/// Tensors from valid raw parts, and views with invalid addresses.
fn raw_parts(hazard: Hazard) -> ByHand {
    let null = std::ptr::null::<f64>();
    let view = |first: *const f64, shape: [usize; 1], stride: isize| {
        // SAFETY: each call below passes parts that the function detects as invalid, or a shape with zero elements, for which any
        // address is valid. So no memory is accessed.
        done!(try unsafe { TensorView::<f64, Rank<1>>::from_raw_parts(first, shape, [stride]) })
    };
    let view_mut = |first: *mut f64, shape: [usize; 1], stride: isize| {
        // SAFETY: each call below passes parts that the function detects as invalid, or a shape with zero elements, for which any
        // address is valid. So no memory is accessed.
        done!(try unsafe { TensorViewMut::<f64, Rank<1>>::from_raw_parts(first, shape, [stride]) })
    };
    let empty = || Array::line(vec![]);
    Ok(match hazard {
        WrongShape => vec![
            (view(null, [1], 1), reject("Argument")),
            (view_mut(null.cast_mut(), [1], 1), reject("Argument")),
            (view(null.wrapping_byte_add(1), [1], 1), reject("Argument")),
        ],
        ZeroExtents => {
            vec![(view(null, [0], 1), Ok(empty())), (view_mut(null.cast_mut(), [0], 1), Ok(empty()))]
        }
        HugeExtents => vec![
            (view(null, [usize::MAX], 1), reject("Overflow")),
            (view(null, [2], isize::MAX), reject("InvalidStrides")),
            (view_mut(null.cast_mut(), [usize::MAX], 0), reject("Overflow")),
        ],
        NotFinite => return Err("an address has no numbers"),
        NegativeStrides | Aliasing => {
            return Err("a precondition of the unsafe function, which the caller ensures");
        }
        Rank0 | Rank16 => {
            let again = || {
                let (first, _, memory) = Tensor::<f64, _>::full([1, 1], 2.5).into_raw_parts();
                match hazard {
                    Rank0 => {
                        // SAFETY: `first` and `memory` are the parts of a tensor with one element, and rank 0 has one element.
                        unsafe { Tensor::<f64, Rank<0>>::from_raw_parts(first, [], memory) }
                            .map(|x| x.array())
                    }
                    _ => {
                        // SAFETY: `first` and `memory` are the parts of a tensor with one element, and `[1; 16]` has one element.
                        unsafe { Tensor::<f64, Rank<16>>::from_raw_parts(first, [1; 16], memory) }
                            .map(|x| x.array())
                    }
                }
            };
            let shape: &[usize] = if hazard == Rank0 { &[] } else { &[1; 16] };
            vec![(done!(try again()), Ok(Array::from_fn(shape, |_| 2.5)))]
        }
    })
}

pub(crate) fn rows() -> [Row; 3] {
    [
        Row::by_hand(&["from_slice_strided", "try_from_slice_strided"], "make a view", from_slice_strided),
        Row::by_hand(
            &["from_slice_strided_mut", "try_from_slice_strided_mut"],
            "make a view",
            from_slice_strided_mut,
        ),
        Row::by_hand(&["from_raw_parts", "into_raw_parts"], "make a view", raw_parts),
    ]
}
