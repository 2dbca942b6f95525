//! The operands for the hazards, which are kinds of bad input, and the conversion of results to an [`Array`] of the reference
//! implementation.

use super::array::Array;
use vierbein::Storage;
use vierbein::prelude::*;

/// The largest extent of an axis that a view of `f64` can have.
pub(crate) const HUGE: usize = isize::MAX as usize / 8;

/// An operand is huge if one of its axes is longer than this. Such an axis has stride 0, so the operand needs little memory. The tests
/// do not iterate over it.
pub(crate) const LONG: usize = HUGE / 8;

/// The layout of an operand in memory.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// Contiguous in row-major order.
    Contiguous,
    /// All strides are negative.
    Reversed,
    /// The leading axes have stride 0, and the trailing axes are contiguous. The field is the number of trailing axes.
    Repeated(usize),
    /// Rank 2, with overlapping rows: each row starts one element after the start of the previous one.
    Windows,
}

/// An operand and its layout. The rank is not part of the type. `view` and `mask` create typed views of the operand.
#[derive(Debug, Clone)]
pub(crate) struct Operand {
    pub(crate) shape: Vec<usize>,
    pub(crate) place: Place,
    pub(crate) floats: Vec<f64>,
    pub(crate) flags: Vec<bool>,
}

impl Operand {
    fn new(shape: &[usize], place: Place, floats: Vec<f64>) -> Operand {
        let flags = floats.iter().map(|&x| x > 0.0).collect();
        Operand { shape: shape.to_vec(), place, floats, flags }
    }

    /// Returns an operand whose elements have both signs, and magnitudes below and above 1. The first 101 elements are distinct.
    pub(crate) fn contiguous(shape: &[usize]) -> Operand {
        Operand::of(shape, |k| (k * 37 % 101) as f64 / 16.0 - 2.3)
    }

    pub(crate) fn of(shape: &[usize], value: impl Fn(usize) -> f64) -> Operand {
        let len = if shape.contains(&0) { 0 } else { shape.iter().product() };
        Operand::new(shape, Place::Contiguous, (0..len).map(value).collect())
    }

    pub(crate) fn reversed(shape: &[usize]) -> Operand {
        Operand { place: Place::Reversed, ..Operand::contiguous(shape) }
    }

    /// Returns an operand in which all but the last `axes` axes have stride 0.
    pub(crate) fn repeated(shape: &[usize], axes: usize) -> Operand {
        let row = Operand::contiguous(&shape[shape.len() - axes..]);
        Operand { shape: shape.to_vec(), place: Place::Repeated(axes), ..row }
    }

    pub(crate) fn windows(rows: usize, columns: usize) -> Operand {
        let data = Operand::contiguous(&[rows + columns - 1]);
        Operand { shape: vec![rows, columns], place: Place::Windows, ..data }
    }

    /// Returns the operand with different numbers, for use as a second operand.
    pub(crate) fn shifted(mut self) -> Operand {
        self.floats.iter_mut().for_each(|x| *x = *x * 0.7 + 0.4);
        self.flags = self.floats.iter().map(|&x| x > 0.0).collect();
        self
    }

    pub(crate) fn rank(&self) -> usize {
        self.shape.len()
    }

    pub(crate) fn is_huge(&self) -> bool {
        matches!(self.place, Place::Repeated(_)) && self.shape.iter().any(|&n| n > LONG)
    }

    /// Returns the strides and the offset of index 0.
    pub(crate) fn strides(&self) -> (Vec<isize>, usize) {
        let mut contiguous = vec![1isize; self.rank()];
        for axis in (1..self.rank()).rev() {
            contiguous[axis - 1] = contiguous[axis].wrapping_mul(self.shape[axis].max(1) as isize);
        }
        match self.place {
            Place::Contiguous => (contiguous, 0),
            Place::Reversed => (contiguous.iter().map(|s| -s).collect(), self.floats.len().saturating_sub(1)),
            Place::Repeated(axes) => {
                let first = self.rank() - axes;
                ((0..self.rank()).map(|axis| if axis < first { 0 } else { contiguous[axis] }).collect(), 0)
            }
            Place::Windows => (vec![1, 1], 0),
        }
    }

    pub(crate) fn array(&self) -> Array {
        let (strides, offset) = self.strides();
        let mut places = Vec::new();
        let elements = Array::from_fn(&self.shape, |index| {
            let at = index.iter().zip(&strides).fold(offset as isize, |at, (&i, &s)| at + i as isize * s);
            places.push(at);
            self.floats[at as usize]
        });
        let step = match (&self.place, &places[..]) {
            (Place::Repeated(axes), _) if self.is_huge() && !self.shape.contains(&0) => {
                (*axes == 0).then_some(0)
            }
            (_, [first, second, ..]) => Some(second - first),
            _ => Some(1),
        };
        let steady = self.is_huge() || places.windows(2).all(|pair| Some(pair[1] - pair[0]) == step);
        Array { step: step.filter(|_| steady), ..elements }
    }
}

// ------------------------------------------------------------------ results

pub(crate) trait Number: Element {
    fn number(self) -> f64;
}
macro_rules! numbers {
    ($($T:ty),*) => {$(
        impl Number for $T {
            fn number(self) -> f64 {
                f64::from(self)
            }
        }
    )*};
}
numbers!(f64, f32, i32, bool);
impl Number for i64 {
    fn number(self) -> f64 {
        self as f64
    }
}

/// Conversion of a result to a plain array.
pub(crate) trait ToArray {
    fn array(&self) -> Array;
}

impl<T: Number, D: Dim, O: Order, S: Storage<T, Cpu>> ToArray for Tensor<T, D, O, Cpu, S> {
    fn array(&self) -> Array {
        Array::from_fn(self.shape().as_ref(), |at| {
            self.get(D::shape_from(at).unwrap()).expect("the index is of the shape").number()
        })
    }
}

impl<A: ToArray, B: ToArray> ToArray for (A, B) {
    fn array(&self) -> Array {
        self.0.array().and(&self.1.array())
    }
}

impl<T: Number> ToArray for Vec<T> {
    fn array(&self) -> Array {
        Array::line(self.iter().map(|x| x.number()).collect())
    }
}
impl<T: Number> ToArray for &[T] {
    fn array(&self) -> Array {
        self.to_vec().array()
    }
}
impl ToArray for f64 {
    fn array(&self) -> Array {
        Array::scalar(*self)
    }
}
impl ToArray for bool {
    fn array(&self) -> Array {
        Array::scalar(self.number())
    }
}
impl ToArray for Array {
    fn array(&self) -> Array {
        self.clone()
    }
}
