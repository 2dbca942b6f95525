//! Operands, outputs and lines whose element type is a [`DType`] and not a type parameter. The functions of [`sort`](super) take these
//! types. So the functions are compiled in this crate, and not in each crate that sorts.
//!
//! Most code does not depend on the element type itself. Loops over lines and copies of lines depend on the size of an element, and sorting
//! indices depends on [`key`](super::key) alone. Such code is compiled once, or once for each size. This takes less time than compiling it
//! for each element type.

use super::key::{self, Key};
use super::lines::{scratch, sort_work};
use super::numbers::Numbers;
use super::words::{self, Bounds};
use crate::device::cpu::loops::threads::enter;
use crate::device::{Cpu, HostPtr, Operand, Output};
use crate::element::{DType, Element, RealScalar};
use crate::error::Error;
use core::marker::PhantomData;

/// Evaluates `$body` with `$U` as the unsigned type that has the size of the element type `$dtype`.
macro_rules! for_sizes {
    ($dtype:expr, $U:ident => $body:expr) => {
        $crate::dispatch!(
            $crate::device::cpu::kernels::sort::erased::unsigned($dtype.size()),
            $U in [u8, u16, u32, u64] => $body,
            else => unreachable!("an ordered element has at most 8 bytes")
        )
    };
}
pub(super) use for_sizes;

/// Evaluates `$body` with `$T` as the element type that the value `$dtype` names. The element type must be ordered. `bool` is replaced by
/// `u8`.
macro_rules! for_keys {
    ($dtype:expr, $T:ident => $body:expr) => {
        $crate::dispatch!(
            $dtype,
            $T in [i8, i16, i32, i64, u8, u16, u32, u64, f32, f64] => $body,
            else => unreachable!("the element type is ordered")
        )
    };
}
pub(super) use for_keys;

/// Returns the unsigned type with elements of `size` bytes.
pub(super) fn unsigned(size: usize) -> DType {
    match size {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        _ => DType::U64,
    }
}

/// Returns the type as which elements of type `dtype` are sorted: `u8` for `bool`, otherwise `dtype`. All bits are valid for this type.
fn key_type(dtype: DType) -> DType {
    if dtype == DType::Bool { DType::U8 } else { dtype }
}

/// An [`Operand`] with any element type.
#[derive(Debug, Clone, Copy)]
pub(in crate::device::cpu) struct AnyOperand<'a> {
    dtype: DType,
    ptr: *mut u8,
    shape: &'a [usize],
    strides: &'a [isize],
    data: PhantomData<&'a [u8]>,
}

/// An [`Output`] with any element type.
#[derive(Debug)]
pub(in crate::device::cpu) struct AnyOutput<'a> {
    dtype: DType,
    ptr: *mut u8,
    shape: &'a [usize],
    strides: &'a [isize],
    data: PhantomData<&'a mut [u8]>,
}

impl<'a, T: Element> From<Operand<'a, T, Cpu>> for AnyOperand<'a> {
    fn from(a: Operand<'a, T, Cpu>) -> Self {
        let ptr = a.ptr().get().cast();
        let dtype = key_type(T::DTYPE);
        AnyOperand { dtype, ptr, shape: a.shape(), strides: a.strides(), data: PhantomData }
    }
}

impl<'a, T: Element> From<Output<'a, T, Cpu>> for AnyOutput<'a> {
    fn from(a: Output<'a, T, Cpu>) -> Self {
        let ptr = a.ptr().get().cast();
        let dtype = key_type(T::DTYPE);
        AnyOutput { dtype, ptr, shape: a.shape(), strides: a.strides(), data: PhantomData }
    }
}

impl<'a> AnyOperand<'a> {
    /// Returns the element type, or `u8` for `bool`.
    pub(super) fn dtype(&self) -> DType {
        self.dtype
    }

    pub(super) fn shape(&self) -> &'a [usize] {
        self.shape
    }

    /// Returns the number of elements.
    pub(super) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns the bits of the elements as unsigned numbers.
    ///
    /// # Panics
    /// If the size of `U` is not that of the elements.
    pub(super) fn bits<U: Element>(self) -> Operand<'a, U, Cpu> {
        assert!(unsigned(self.dtype.size()) == U::DTYPE);
        // SAFETY: `AnyOperand::from` took the pointer, the shape and the strides from an `Operand`, whose elements may be read during `'a`.
        // `U` has the size of the elements, and therefore their alignment. All bits are valid for `U`.
        unsafe { Operand::from_raw(HostPtr::new(self.ptr.cast()), self.shape, self.strides) }
    }
}

impl<'a> AnyOutput<'a> {
    /// Returns the element type, or `u8` for `bool`.
    pub(super) fn dtype(&self) -> DType {
        self.dtype
    }

    pub(super) fn shape(&self) -> &'a [usize] {
        self.shape
    }

    pub(super) fn strides(&self) -> &'a [isize] {
        self.strides
    }

    /// Returns a pointer to the bits of the first element.
    ///
    /// # Panics
    /// If the size of `U` is not that of the elements.
    pub(super) fn first_bits<U: Element>(&self) -> HostPtr<U> {
        assert!(unsigned(self.dtype.size()) == U::DTYPE);
        HostPtr::new(self.ptr.cast())
    }

    /// Returns the output as an output of unsigned numbers, which are the bits of the elements.
    ///
    /// # Safety
    /// The caller must ensure that only bits of valid elements are written. For `bool`, the numbers 0 and 1 are valid.
    ///
    /// # Panics
    /// If the size of `U` is not that of the elements.
    pub(super) unsafe fn bits<U: Element>(self) -> Output<'a, U, Cpu> {
        assert!(unsigned(self.dtype.size()) == U::DTYPE);
        // SAFETY: `AnyOutput::from` consumed an `Output` and took its pointer, shape and strides. The `Output` guaranteed exclusive access
        // to its elements during `'a`, and different elements for different indices. `U` has the size of the elements, and therefore their
        // alignment.
        unsafe { Output::from_raw(HostPtr::new(self.ptr.cast()), self.shape, self.strides) }
    }
}

/// Elements in contiguous memory, of any ordered type but `bool`.
#[derive(Debug, Clone, Copy)]
pub(super) struct AnySlice<'a> {
    pub(super) dtype: DType,
    ptr: *const u8,
    len: usize,
    data: PhantomData<&'a [u8]>,
}

// SAFETY: an `AnySlice` gives the access of a shared slice of numbers. Numbers are `Sync`, so such a slice is `Send`.
unsafe impl Send for AnySlice<'_> {}
// SAFETY: an `AnySlice` gives the access of a shared slice of numbers. Numbers are `Sync`, so such a slice is `Sync`.
unsafe impl Sync for AnySlice<'_> {}

impl<'a> AnySlice<'a> {
    /// Returns the elements of type `dtype` whose bits are those of `x`.
    ///
    /// # Panics
    /// If `U` is neither the element type nor the unsigned type of its size, or if the element type is `bool`.
    pub(super) fn from_bits<U: Element>(dtype: DType, x: &'a [U]) -> Self {
        assert!((U::DTYPE == dtype || U::DTYPE == unsigned(dtype.size())) && dtype != DType::Bool);
        AnySlice { dtype, ptr: x.as_ptr().cast(), len: x.len(), data: PhantomData }
    }

    /// Returns the type of the elements.
    pub(super) fn dtype(self) -> DType {
        self.dtype
    }

    pub(super) fn len(self) -> usize {
        self.len
    }

    /// Returns the elements.
    ///
    /// # Panics
    /// If their type is not `T`.
    pub(super) fn typed<T: Key>(self) -> &'a [T] {
        assert_eq!(self.dtype, T::DTYPE);
        // SAFETY: `from_bits` took the pointer and the length from a slice that is borrowed during `'a`, and `part` stays within this
        // slice. `T` is the type of its elements, or has their size and alignment. All bits are valid for `T`, which is not `bool`.
        unsafe { core::slice::from_raw_parts(self.ptr.cast(), self.len) }
    }

    /// Returns the part `from .. from + len`.
    pub(super) fn part(self, from: usize, len: usize) -> Self {
        assert!(from <= self.len && len <= self.len - from);
        AnySlice { ptr: self.ptr.wrapping_add(from * self.dtype.size()), len, ..self }
    }
}

/// Evaluates `$body`, in which `$x` is the [`AnySlice`] or [`AnySliceMut`] `$slice` as a slice of its element type.
macro_rules! with_elements {
    ($slice:expr, $x:ident => $body:expr) => {{
        let slice = $slice;
        $crate::device::cpu::kernels::sort::erased::for_keys!(slice.dtype, T => { let $x = slice.typed::<T>(); $body })
    }};
}
pub(super) use with_elements;

impl AnySlice<'_> {
    /// Returns the key of element `i` for an ascending or a descending sort. See [`Key`].
    pub(super) fn key(self, i: usize, descending: bool) -> u64 {
        with_elements!(self, x => if descending { x[i].descending_key() } else { x[i].key() })
    }
    /// Writes the keys of all elements.
    ///
    /// # Panics
    /// If `out` has another length.
    pub(super) fn write_keys(self, out: &mut [u64], descending: bool) {
        with_elements!(self, x => key::write_keys(x, out, descending));
    }
    /// Returns the bounds of the keys of some elements, or `None` if their keys are sorted. The index of an element consists of the bits of
    /// its word that are in the mask `indices`.
    pub(super) fn bounds_of_unsorted(self, words: &[u64], indices: u64, descending: bool) -> Option<Bounds> {
        with_elements!(self, x => words::bounds_of_unsorted(x, words, indices, descending))
    }
    /// Returns the number of elements of each run of equal elements of a sorted line. All NaN count as equal.
    ///
    /// # Errors
    /// If the allocation fails.
    pub(super) fn run_lengths(self) -> Result<Vec<i64>, Error> {
        with_elements!(self, x => {
            let runs = || x.chunk_by(|a, b| a.key() == b.key());
            let mut lengths: Vec<i64> = scratch(1, runs().count())?;
            lengths.iter_mut().zip(runs()).for_each(|(length, run)| *length = run.len() as i64);
            Ok(lengths)
        })
    }
    /// Returns whether any element is NaN.
    pub(super) fn has_nan(self) -> bool {
        with_elements!(self, x => Key::has_nan(x))
    }
    /// Returns element `i`, rounded to `f64`.
    pub(super) fn in_f64(self, i: usize) -> f64 {
        with_elements!(self, x => x[i].in_f64())
    }
    /// Returns element `i` as text.
    pub(super) fn text(self, i: usize) -> String {
        with_elements!(self, x => x[i].to_string())
    }
}

/// As [`AnySlice`], but exclusively borrowed.
#[derive(Debug)]
pub(super) struct AnySliceMut<'a> {
    pub(super) dtype: DType,
    ptr: *mut u8,
    len: usize,
    data: PhantomData<&'a mut [u8]>,
}

// SAFETY: an `AnySliceMut` gives the access of an exclusively borrowed slice of numbers. Numbers are `Send`, so such a slice is `Send`.
unsafe impl Send for AnySliceMut<'_> {}

impl<'a> AnySliceMut<'a> {
    /// Returns the elements of type `dtype` whose bits are those of `x`.
    ///
    /// # Panics
    /// If `U` is neither the element type nor the unsigned type of its size, or if the element type is `bool`.
    pub(super) fn from_bits<U: Element>(dtype: DType, x: &'a mut [U]) -> Self {
        assert!((U::DTYPE == dtype || U::DTYPE == unsigned(dtype.size())) && dtype != DType::Bool);
        AnySliceMut { dtype, ptr: x.as_mut_ptr().cast(), len: x.len(), data: PhantomData }
    }

    /// Returns the elements, for reading.
    pub(super) fn as_slice(&self) -> AnySlice<'_> {
        AnySlice { dtype: self.dtype, ptr: self.ptr, len: self.len, data: PhantomData }
    }

    fn typed<T: Key>(&mut self) -> &mut [T] {
        assert_eq!(self.dtype, T::DTYPE);
        // SAFETY: `from_bits` took the pointer and the length from a slice that is exclusively borrowed during `'a`, as `self` is now. `T`
        // is the type of its elements, or has their size and alignment, and all bits are valid for both types.
        unsafe { core::slice::from_raw_parts_mut(self.ptr.cast(), self.len) }
    }

    /// See [`Key::sort`].
    pub(super) fn sort(&mut self, descending: bool) -> Result<(), Error> {
        with_elements!(self, x => Key::sort(x, descending))
    }
    /// Sorts the elements, of a line that is sorted alone. Long lines are sorted on several threads.
    pub(super) fn sort_alone(&mut self) -> Result<(), Error> {
        enter(sort_work(self.len), || self.sort(false))
    }
    /// See [`Key::partition`].
    pub(super) fn partition(&mut self, k: usize) -> Result<(), Error> {
        with_elements!(self, x => Key::partition(x, k))
    }
    /// See [`Numbers::select_number`].
    pub(super) fn select(&mut self, k: usize) {
        with_elements!(self, x => Numbers::select_number(x, k));
    }
    /// See [`Key::remove_repeated`].
    pub(super) fn remove_repeated(&mut self) -> usize {
        with_elements!(self, x => Key::remove_repeated(x))
    }
}
