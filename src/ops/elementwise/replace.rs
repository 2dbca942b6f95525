//! Functions of one floating-point number with parameters: rounding to decimals, and replacement of NaN and infinities.

#![forbid(unsafe_code)]

use crate::device::{CudaSource, Device, Elementwise, Scalars, UnaryOp};
use crate::element::{Element, RealFloat};
use crate::error::fallible;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;

/// The function of [`Tensor::round_to`].
#[derive(Debug, Clone, Copy)]
pub struct RoundTo<R> {
    /// 10 to the number of decimals, without its sign. Infinite if it is out of range.
    scale: R,
    /// Whether numbers are multiplied by the scale, and not divided, before they are rounded.
    up: bool,
}

impl<R: RealFloat> RoundTo<R> {
    /// Returns the function that rounds to this number of decimals.
    #[must_use]
    pub fn new(decimals: i32) -> RoundTo<R> {
        // Parsing rounds once. Powers by products would not. The text is on the stack, because formatting aborts if memory is exhausted. All
        // powers from 10^999 on are infinite.
        let exponent = decimals.unsigned_abs().min(999);
        let digit = |place: u32| b'0' + (exponent / place % 10) as u8;
        let text = [b'1', b'e', digit(100), digit(10), digit(1)];
        let scale = core::str::from_utf8(&text).expect("ASCII");
        let scale =
            if R::DTYPE.size() == 4 { scale.parse::<f32>().map(f64::from) } else { scale.parse::<f64>() };
        RoundTo { scale: R::from_f64(scale.unwrap_or(f64::INFINITY)), up: decimals >= 0 }
    }
}

impl<T: RealFloat> UnaryOp<T> for RoundTo<T> {
    type Output = T;
    const NAME: &'static str = "round";
    const CUDA: CudaSource = CudaSource::builtin("round_to(a, scale, up)");
    fn apply(&self, x: T) -> T {
        let scaled = if self.up { x * self.scale } else { x / self.scale };
        let rounded = nearest_even(scaled);
        let result = if self.up { rounded / self.scale } else { rounded * self.scale };
        // If the scaled number overflows, it has no decimals to round. If the scale overflows, every number rounds to 0.
        if self.up && !scaled.is_finite() {
            x
        } else if rounded == T::zero() {
            num_traits::Float::copysign(T::zero(), x)
        } else {
            result
        }
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("scale", self.scale);
        bind.scalar("up", self.up);
    }
}

/// Returns the nearest integer; ties round to even.
#[inline]
fn nearest_even<T: RealFloat>(x: T) -> T {
    let rounded = x.round();
    let two = T::one() + T::one();
    let tie = (x - x.trunc()).abs() * two == T::one();
    if tie { (x / two).round() * two } else { rounded }
}

/// The function of [`Tensor::nan_to_num_with`].
#[derive(Debug, Clone, Copy)]
pub struct NanToNumWith<T> {
    /// Replaces NaN.
    pub nan: T,
    /// Replaces infinity.
    pub positive: T,
    /// Replaces negative infinity.
    pub negative: T,
}

impl<T: RealFloat> UnaryOp<T> for NanToNumWith<T> {
    type Output = T;
    const NAME: &'static str = "replace NaN in";
    const CUDA: CudaSource =
        CudaSource::builtin("is_nan(a) ? nan : is_infinite(a) ? (a > 0 ? positive : negative) : a");
    #[inline]
    fn apply(&self, x: T) -> T {
        if x.is_nan() {
            self.nan
        } else if x == T::infinity() {
            self.positive
        } else if x == T::neg_infinity() {
            self.negative
        } else {
            x
        }
    }
    fn scalars(&self, bind: &mut Scalars) {
        bind.scalar("nan", self.nan);
        bind.scalar("positive", self.positive);
        bind.scalar("negative", self.negative);
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Rounds each element to a number of decimals, as NumPy's `round` does: multiplies by a power of 10, rounds to the nearest integer, and
    /// divides. Ties round to even. With negative `decimals`, rounds to tens, hundreds, and so on.
    ///
    /// Large numbers, which have no decimals, stay as they are: the multiplication does not overflow. [`round`](Tensor::round) rounds
    /// to integers, and ties away from zero.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// assert_eq!(tensor![0.125, -2.718, 1e300].round_to(2), tensor![0.12, -2.72, 1e300]);
    /// assert_eq!(tensor![1250.0, 1351.0].round_to(-2), tensor![1200.0, 1400.0]);
    /// ```
    #[fallible]
    pub fn round_to(&self, decimals: i32) -> Tensor<T, D, O, Dev>
    where
        T: RealFloat,
        Dev: Elementwise<T>,
    {
        self.try_apply(RoundTo::new(decimals))
    }

    /// Returns each element, with `nan` instead of NaN, `positive` instead of infinity, and `negative` instead of negative infinity.
    ///
    /// [`nan_to_num`](Tensor::nan_to_num) replaces them by 0 and by the largest finite numbers.
    ///
    /// # Errors
    /// If the allocation fails.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![1.0, f64::NAN, f64::INFINITY, -f64::INFINITY];
    /// assert_eq!(x.nan_to_num_with(0.5, 9.0, -9.0), tensor![1.0, 0.5, 9.0, -9.0]);
    /// ```
    #[fallible]
    pub fn nan_to_num_with(&self, nan: T, positive: T, negative: T) -> Tensor<T, D, O, Dev>
    where
        T: RealFloat,
        Dev: Elementwise<T>,
    {
        self.try_apply(NanToNumWith { nan, positive, negative })
    }
}
