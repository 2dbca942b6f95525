//! Reads the bytes of a program as numbers, which are the arguments of its calls. Most numbers are valid for the current operand,
//! and some are hostile.

use vierbein::dyn_tensor::SliceItem;
use vierbein::prelude::*;
use vierbein::{DType, DynScalar, DynTensor, MemoryOrder};

/// Maximum number of elements of a tensor that later steps of the program use, and of a view whose elements are visited. Views whose
/// elements are not visited may have more.
pub(super) const MAX_LEN: usize = 4096;

/// Hostile numbers: values near the limits of sizes, offsets and strides, for which an incorrect check could overflow.
const HOSTILE: [usize; 24] = [
    0,
    1,
    2,
    3,
    5,
    16,
    17,
    63,
    64,
    65,
    255,
    1 << 31,
    u32::MAX as usize,
    1 << 32,
    1 << 48,
    1 << 59,
    1 << 60,
    1 << 62,
    isize::MAX as usize / 8,
    isize::MAX as usize - 1,
    isize::MAX as usize,
    isize::MAX as usize + 1,
    usize::MAX - 1,
    usize::MAX,
];

/// The input of a program, and the results of its current step.
#[derive(Debug)]
pub(super) struct Source<'b> {
    bytes: &'b [u8],
    at: usize,
    /// Most tensors of the program have these extents, this element type and this memory order, so that operands often match.
    extents: [usize; 3],
    dtype: DType,
    order: MemoryOrder,
    pub(super) made: Vec<DynTensor>,
}

impl<'b> Source<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        let extents = [1; 3];
        let (dtype, order) = (DType::F64, MemoryOrder::RowMajor);
        let mut source = Source { bytes, at: 0, extents, dtype, order, made: Vec::new() };
        source.extents = std::array::from_fn(|_| match source.below(16) {
            0 => 0,
            1 => 1,
            2 => 9 + source.below(60),
            k => 2 + k % 5,
        });
        source.dtype = source.any_dtype();
        source.order = source.any_order();
        source
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Returns the next byte of the input, or 0 after its end.
    pub(super) fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    /// Returns a number from 0 to `n - 1`, or 0 if `n` is 0. `n` must be at most 256, because the number is derived from one byte.
    pub(super) fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n.max(1)
    }

    /// Returns `true` with a probability of about 1/n, for `n` up to 256.
    pub(super) fn rarely(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    pub(super) fn hostile(&mut self) -> usize {
        self.pick(&HOSTILE)
    }

    pub(super) fn hostile_signed(&mut self) -> isize {
        match self.hostile() as isize {
            n if self.below(2) == 0 => n,
            n => n.wrapping_neg(),
        }
    }

    /// Returns an extent: usually one of `extents`, else a number below 8.
    pub(super) fn extent(&mut self) -> usize {
        match self.below(8) {
            k @ 0..=5 => self.extents[k % 3],
            6 => 1,
            _ => self.below(8),
        }
    }

    /// Returns an axis of a tensor of this rank, or sometimes a hostile number.
    pub(super) fn axis(&mut self, rank: usize) -> usize {
        match self.below(16) {
            15 => self.hostile(),
            _ => self.below(rank),
        }
    }

    /// Returns two axes, usually different ones.
    pub(super) fn two_axes(&mut self, rank: usize) -> (usize, usize) {
        let a = self.axis(rank);
        if self.rarely(8) || rank < 2 || a >= rank {
            return (a, self.axis(rank));
        }
        (a, (a + 1 + self.below(rank - 1)) % rank)
    }

    /// Returns an index along an axis of this extent. Sometimes it is the extent itself or a hostile number, which are out of
    /// bounds.
    pub(super) fn index(&mut self, extent: usize) -> usize {
        match self.below(16) {
            15 => self.hostile(),
            14 => extent,
            _ => self.below(extent.clamp(1, 256)),
        }
    }

    pub(super) fn rank(&mut self) -> usize {
        match self.below(32) {
            31 => 16,
            30 => 5 + self.below(12),
            k => [2, 2, 1, 3, 2, 1, 3, 0, 4, 2][k % 10],
        }
    }

    /// Returns a shape with at most [`MAX_LEN`] elements.
    pub(super) fn shape(&mut self, rank: usize) -> Vec<usize> {
        let mut left = MAX_LEN;
        let mut shape = Vec::with_capacity(rank);
        for axis in 0..rank {
            // From the fifth axis on, most extents are 1, so that the number of elements stays small.
            let extent = if axis >= 4 && self.below(4) > 0 { 1 } else { self.extent() };
            let extent = if extent > left { 1 } else { extent };
            left /= extent.max(1);
            shape.push(extent);
        }
        shape
    }

    /// Returns a shape for a constructor. With probability 1/8, its extents are hostile.
    pub(super) fn any_shape(&mut self, rank: usize) -> Vec<usize> {
        if self.rarely(8) { (0..rank).map(|_| self.hostile_extent()).collect() } else { self.shape(rank) }
    }

    /// Returns an extent below 66, or one of at least 2⁴⁸, whose allocation must fail. Extents in between would only create large
    /// tensors.
    pub(super) fn hostile_extent(&mut self) -> usize {
        match self.hostile() {
            n if (66..1 << 48).contains(&n) => usize::MAX,
            n => n,
        }
    }

    /// Returns a shape with `len` elements. With probability 1/8, returns a shape from `any_shape` instead.
    pub(super) fn reshaped(&mut self, len: usize, rank: usize) -> Vec<usize> {
        if self.rarely(8) {
            return self.any_shape(rank);
        }
        let mut shape = vec![1; rank];
        let mut left = len;
        for extent in shape.iter_mut().skip(1) {
            let factor = 1 + self.below(8);
            if left > 0 && left.is_multiple_of(factor) {
                (*extent, left) = (factor, left / factor);
            }
        }
        if let Some(first) = shape.first_mut() {
            *first = left;
        }
        if rank > 1 {
            let with = self.below(rank);
            shape.swap(0, with);
        }
        shape
    }

    /// Returns a shape that `from` broadcasts to, sometimes with very many elements. With probability 1/8, returns a shape from
    /// `any_shape` instead.
    pub(super) fn broadcast(&mut self, from: &[usize], rank: usize, row_major: bool) -> Vec<usize> {
        if self.rarely(8) || rank < from.len() {
            return self.any_shape(rank);
        }
        let mut shape: Vec<usize> = (from.len()..rank).map(|_| self.extent()).collect();
        if row_major {
            shape.extend(from);
        } else {
            shape.splice(0..0, from.iter().copied());
        }
        for extent in &mut shape {
            if *extent == 1 {
                *extent = if self.rarely(16) { self.hostile() } else { self.extent() };
            }
        }
        shape
    }

    pub(super) fn permutation(&mut self, rank: usize) -> Vec<usize> {
        let mut axes: Vec<usize> = (0..rank).collect();
        for k in (1..rank).rev() {
            let with = self.below(k + 1);
            axes.swap(k, with);
        }
        if rank > 0 && self.rarely(16) {
            let at = self.below(rank);
            axes[at] = self.hostile();
        }
        axes
    }

    /// Returns a random selection of axes, usually without repetition.
    pub(super) fn axes(&mut self, rank: usize) -> Vec<usize> {
        let mut axes = self.permutation(rank);
        let most = rank + usize::from(self.rarely(16));
        axes.truncate(self.below(most + 1));
        if most > rank {
            axes.push(self.hostile());
        }
        axes
    }

    pub(super) fn position(&mut self, extent: usize) -> isize {
        match self.below(16) {
            15 => self.hostile_signed(),
            k => {
                let at = self.below(extent.clamp(1, 255) + 1) as isize;
                if k % 4 == 3 { at - extent as isize } else { at }
            }
        }
    }

    pub(super) fn step(&mut self) -> isize {
        match self.below(16) {
            15 => self.hostile_signed(),
            k => [1, 1, 1, 2, -1, -1, 3, -2][k % 8],
        }
    }

    /// Returns a random slice argument for an axis of this extent.
    pub(super) fn slice_item(&mut self, extent: usize) -> SliceItem {
        match self.below(8) {
            0 => SliceItem::At(self.position(extent)),
            1..=3 => SliceItem::Span { start: 0, end: None, inclusive: false, step: self.step() },
            _ => {
                let (mut start, mut end) = (self.position(extent), self.position(extent));
                if end < start && self.below(4) > 0 {
                    (start, end) = (end, start);
                }
                let end = if self.rarely(4) { None } else { Some(end) };
                SliceItem::Span { start, end, inclusive: self.rarely(4), step: self.step() }
            }
        }
    }

    pub(super) fn slice(&mut self, shape: &[usize]) -> Vec<SliceItem> {
        let mut items: Vec<SliceItem> = shape.iter().map(|&extent| self.slice_item(extent)).collect();
        if self.rarely(8) {
            let at = self.below(items.len() + 1);
            items.insert(at, SliceItem::Unit);
        }
        if self.rarely(32) {
            items.push(SliceItem::At(0));
        }
        if self.rarely(32) {
            items.pop();
        }
        items
    }

    pub(super) fn any_dtype(&mut self) -> DType {
        // The second arm lists the types for which the fuzz target compiles typed operations. They are more frequent than the
        // others.
        match self.below(16) {
            k @ 13.. => DType::ALL[(k + self.below(13)) % 13],
            k => [DType::F64, DType::I32, DType::C64, DType::U8, DType::F32, DType::Bool][k % 6],
        }
    }

    pub(super) fn dtype(&mut self) -> DType {
        if self.rarely(4) { self.any_dtype() } else { self.dtype }
    }

    fn any_order(&mut self) -> MemoryOrder {
        if self.below(2) == 0 { MemoryOrder::RowMajor } else { MemoryOrder::ColMajor }
    }

    pub(super) fn order(&mut self) -> MemoryOrder {
        if self.rarely(8) { self.any_order() } else { self.order }
    }

    /// Returns a value of an element type. Sometimes the value is the minimum or maximum of the type, an infinity or NaN.
    pub(super) fn scalar(&mut self, dtype: DType) -> DynScalar {
        let float = match self.byte() {
            250 => f64::NAN,
            251 => f64::INFINITY,
            252 => f64::NEG_INFINITY,
            253 => -0.0,
            254 => f64::MAX,
            255 => f64::MIN_POSITIVE,
            k => f64::from(k as i8) / 4.0,
        };
        let small = float as i8 / 4;
        // Conversions from floating-point numbers saturate: an infinity becomes the minimum or maximum of the integer type.
        match dtype {
            DType::Bool => (small & 1 == 1).into(),
            DType::I8 => (if float.is_finite() { small } else { float as i8 }).into(),
            DType::I16 => (if float.is_finite() { small.into() } else { float as i16 }).into(),
            DType::I32 => (if float.is_finite() { small.into() } else { float as i32 }).into(),
            DType::I64 => (if float.is_finite() { small.into() } else { float as i64 }).into(),
            DType::U8 => (if float.is_finite() { small as u8 } else { float as u8 }).into(),
            DType::U16 => (if float.is_finite() { small as u8 as u16 } else { float as u16 }).into(),
            DType::U32 => (if float.is_finite() { small as u8 as u32 } else { float as u32 }).into(),
            DType::U64 => (if float.is_finite() { small as u8 as u64 } else { float as u64 }).into(),
            DType::F32 => (float as f32).into(),
            DType::C32 => Complex::new(float as f32, f32::from(small)).into(),
            DType::C64 => Complex::new(float, f64::from(small)).into(),
            _ => float.into(),
        }
    }

    pub(super) fn value<T: Element>(&mut self) -> T {
        self.scalar(T::DTYPE).get().expect("a scalar has the type that it was asked for")
    }

    /// Returns `len` values. They repeat eight values that are derived from the input.
    pub(super) fn values<T: Element>(&mut self, len: usize) -> Vec<T> {
        let few: [T; 8] = std::array::from_fn(|_| self.value());
        (0..len).map(|k| few[(k ^ k >> 3) % 8]).collect()
    }

    /// Stores a result of the current step. After the step, the result moves to the pool of tensors, for use by later steps.
    pub(super) fn keep(&mut self, x: impl Into<DynTensor>) {
        self.made.push(x.into());
    }
}

/// Returns an array with one number per axis of rank `D`. If there are fewer numbers than axes, the rest is 0. Excess numbers are
/// ignored.
pub(super) fn array<D: Dim>(numbers: &[usize]) -> D::Shape {
    let mut shape = D::shape(D::NDIM.expect("a rank known at compile time"));
    shape.as_mut().iter_mut().zip(numbers).for_each(|(to, &from)| *to = from);
    shape
}

/// Variant of [`array`] for strides.
pub(super) fn strides<D: Dim>(numbers: &[isize]) -> D::Strides {
    let mut strides = D::strides(D::NDIM.expect("a rank known at compile time"));
    strides.as_mut().iter_mut().zip(numbers).for_each(|(to, &from)| *to = from);
    strides
}

/// Returns the number of elements of a shape. The caller ensures that the number does not overflow.
pub(super) fn element_count(shape: &[usize]) -> usize {
    if shape.contains(&0) { 0 } else { shape.iter().product() }
}

/// Returns whether a tensor of this shape has at most [`MAX_LEN`] elements. Broadcast views can have more.
pub(super) fn is_small(shape: &[usize]) -> bool {
    shape.contains(&0) || shape.iter().fold(1, |n: usize, &extent| n.saturating_mul(extent)) <= MAX_LEN
}
