//! Access to single elements in host memory: `x[[i, j]]`, `get`.

use super::Tensor;
use crate::device::{Device, HostAccess, HostPtr};
use crate::element::Element;
use crate::error::Error;
use crate::order::Order;
use crate::rank::{AnyRank, AnyShape, Dim, ElementIndex, IndexNumber, Rank, RemoveAxes};
use crate::storage::{Storage, StorageMut, ViewMut};
use core::ops::{Index, IndexMut};

mod sealed {
    pub trait Sealed {}
    impl<I: crate::rank::IndexNumber, const N: usize> Sealed for [I; N] {}
    impl<const MAX: usize> Sealed for crate::rank::AnyShape<usize, MAX> {}
}

/// An index of one element of a tensor of rank `D`: an array of one [`IndexNumber`](crate::IndexNumber) for each axis, as in `x[[i, j]]`.
/// Negative numbers count from the end. Sealed.
pub trait IndexArray<D: Dim>: sealed::Sealed + Copy {
    /// Returns the index counted from 0. A number that is not less than the extent means that there is no such element. The index may have
    /// another number of axes than the shape.
    #[doc(hidden)]
    fn counted_from_start(self, shape: &D::Shape) -> D::Shape;
    /// Returns the numbers as they were given.
    #[doc(hidden)]
    fn given(self) -> Vec<isize>;
}

/// Any rank.
trait Any {}
impl<D: Dim> Any for D {}

/// A rank other than 0.
trait NotZero {}
impl<D: RemoveAxes<1>> NotZero for D {}

/// Implements `IndexArray` for arrays of these integers and ranks.
macro_rules! index_arrays {
    ($bound:ident: $($t:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<const N: usize> IndexArray<Rank<N>> for [$t; N]
        where
            Rank<N>: Dim<Shape = [usize; N]> + $bound,
        {
            #[inline]
            fn counted_from_start(self, shape: &[usize; N]) -> [usize; N] {
                core::array::from_fn(|axis| self[axis].within(shape[axis]))
            }
            fn given(self) -> Vec<isize> {
                self.iter().map(|number| number.number()).collect()
            }
        }
        #[diagnostic::do_not_recommend]
        impl<const N: usize, const MAX: usize> IndexArray<AnyRank<MAX>> for [$t; N] {
            #[inline]
            fn counted_from_start(self, shape: &AnyShape<usize, MAX>) -> AnyShape<usize, MAX> {
                const { assert!(N <= MAX, "an index has at most one number for each axis") };
                let mut to = AnyRank::<MAX>::shape(N);
                for axis in 0..N {
                    to[axis] = self[axis].within(shape.get(axis).copied().unwrap_or(0));
                }
                to
            }
            fn given(self) -> Vec<isize> {
                self.iter().map(|number| number.number()).collect()
            }
        }
    )*};
}
index_arrays!(Any: usize);
// Not for rank 0, so that the compiler infers the type of the numbers in `x[[]]`.
index_arrays!(NotZero: isize i64 i32 i16 i8 u64 u32 u16 u8);

#[diagnostic::do_not_recommend]
impl<const MAX: usize> IndexArray<AnyRank<MAX>> for AnyShape<usize, MAX> {
    #[inline]
    fn counted_from_start(self, _: &AnyShape<usize, MAX>) -> AnyShape<usize, MAX> {
        self
    }
    fn given(self) -> Vec<isize> {
        self.iter().map(|number| number.number()).collect()
    }
}

/// An [`IndexArray`] for a tensor on `Dev`, whose memory the host accesses. Sealed.
// One blanket implementation, so that the compiler reports the bound that fails: this trait's message, or that of `HostAccess`.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{D}` cannot be indexed with `{Self}`",
    label = "expected an array with one integer for each axis",
    note = "write `x[[i, j]]` for `Rank<2>`; select several elements with `x.slice(s![1..3, ..])`",
    note = "elements under a mask: `x.masked(&mask)`, `x.masked_fill(&mask, 0.0)`; at positions along an axis: `x.take(axis, &positions)`"
)]
pub trait TensorIndex<D: Dim, Dev: Device>: IndexArray<D> {
    /// Returns the host address of an element.
    #[doc(hidden)]
    fn address<T: Element>(ptr: Dev::Ptr<T>) -> HostPtr<T>;
}

impl<D: Dim, Dev: HostAccess, I: IndexArray<D>> TensorIndex<D, Dev> for I {
    #[inline]
    fn address<T: Element>(ptr: Dev::Ptr<T>) -> HostPtr<T> {
        HostPtr::new(Dev::host_ptr(ptr))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>, I: TensorIndex<D, Dev>> Index<I>
    for Tensor<T, D, O, Dev, S>
{
    type Output = T;
    /// Returns the element at an index.
    ///
    /// # Panics
    /// If the index is out of bounds; [`get`](Tensor::get) returns `None` instead.
    #[track_caller]
    #[inline]
    fn index(&self, index: I) -> &T {
        let from_start = index.counted_from_start(&self.shape);
        // Does not call `get`: its result, an `Option` of a reference, would be compared with null at each access.
        match self.axes().offset_of(from_start.as_ref()) {
            // SAFETY: `offset_of` returned this offset, so `from_start` is within the shape and has this offset.
            Some(offset) => unsafe { self.element(offset, I::address) },
            None => out_of_bounds::<D>(index, self.shape),
        }
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: StorageMut<T, Dev>, I: TensorIndex<D, Dev>> IndexMut<I>
    for Tensor<T, D, O, Dev, S>
{
    #[track_caller]
    #[inline]
    fn index_mut(&mut self, index: I) -> &mut T {
        let from_start = index.counted_from_start(&self.shape);
        match self.axes().offset_of(from_start.as_ref()) {
            // SAFETY: `offset_of` returned this offset, so `from_start` is within the shape and has this offset.
            Some(offset) => unsafe { self.element_mut(offset, I::address) },
            None => out_of_bounds::<D>(index, self.shape),
        }
    }
}

// Both arrays are passed by value: references would force the index into memory on the path that does not panic.
#[cold]
#[track_caller]
fn out_of_bounds<D: Dim>(index: impl IndexArray<D>, shape: D::Shape) -> ! {
    let from_start = index.counted_from_start(&shape);
    let (from_start, shape) = (from_start.as_ref(), shape.as_ref());
    panic!("{}", not_an_index("index", &index.given(), from_start, shape))
}

/// Returns the error that an index is out of bounds, or does not have one number for each axis.
#[cold]
pub(crate) fn not_an_index(
    op: &'static str,
    given: &[isize],
    from_start: &[usize],
    shape: &[usize],
) -> Error {
    if given.len() != shape.len() {
        let reason = format!(
            "{given:?} does not have one number for each axis of a tensor of shape {shape:?}, which has rank {}",
            shape.len()
        );
        return Error::UnsupportedRank { op, reason };
    }
    let axis = (0..shape.len()).find(|&k| from_start[k] >= shape[k]).expect("some index is out of bounds");
    Error::IndexOutOfBounds { op, index: given[axis], axis, shape: shape.to_vec() }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    /// Returns the element at an offset, which counts elements from the element at index 0.
    ///
    /// # Safety
    /// The caller must ensure that an index within the shape has this offset.
    #[inline]
    unsafe fn element(&self, offset: isize, address: impl FnOnce(Dev::Ptr<T>) -> HostPtr<T>) -> &T {
        let first = address(self.storage.ptr()).get();
        // SAFETY: the caller ensures that an index within the shape has this offset. So an element of the storage is at this offset, and
        // it is in the same allocation as the element at index 0.
        let element = unsafe { first.offset(offset) };
        // SAFETY: `HostAccess`, which all callers require, guarantees an aligned element that the host can read. The elements of a
        // storage are initialised. `self` is borrowed for the reference's lifetime, so nothing writes to the element.
        unsafe { &*element }
    }

    /// Returns a mutable reference to the element at an offset, which counts elements from the element at index 0.
    ///
    /// # Safety
    /// The caller must ensure that an index within the shape has this offset.
    #[inline]
    unsafe fn element_mut(&mut self, offset: isize, address: impl FnOnce(Dev::Ptr<T>) -> HostPtr<T>) -> &mut T
    where
        S: StorageMut<T, Dev>,
    {
        let ViewMut { ptr, .. } = self.storage.share_mut();
        let first = address(ptr).get();
        // SAFETY: the caller ensures that an index within the shape has this offset. So an element of the storage is at this offset, and
        // it is in the same allocation as the element at index 0.
        let element = unsafe { first.offset(offset) };
        // SAFETY: `HostAccess`, which all callers require, guarantees an aligned element that the host can write. The elements of a
        // storage are initialised. `self` is exclusively borrowed for the reference's lifetime, so nothing else accesses the element.
        unsafe { &mut *element }
    }

    /// Returns the element at an index, or `None` if the index is out of bounds. Negative numbers count from the end.
    ///
    /// ```
    /// use vierbein::tensor;
    /// let x = tensor![[1, 2], [3, 4]];
    /// assert_eq!(x.get([1, 0]), Some(&3));
    /// assert_eq!(x.get([-1, -2]), Some(&3));
    /// assert_eq!(x.get([2, 0]), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn get(&self, index: impl ElementIndex<D>) -> Option<&T>
    where
        Dev: HostAccess,
    {
        let offset = self.axes().offset_of(index.counted_from_start(&self.shape)?.as_ref())?;
        // SAFETY: `offset_of` returned this offset, so `index` is within the shape and has this offset.
        Some(unsafe { self.element(offset, |ptr| HostPtr::new(Dev::host_ptr(ptr))) })
    }

    /// Returns a mutable reference to the element at an index, or `None` if the index is out of bounds. Negative numbers count from the
    /// end.
    ///
    /// ```
    /// let mut x = vierbein::tensor![1, 2];
    /// *x.get_mut([1]).unwrap() = 7;
    /// assert_eq!(x, vierbein::tensor![1, 7]);
    /// ```
    #[inline]
    pub fn get_mut(&mut self, index: impl ElementIndex<D>) -> Option<&mut T>
    where
        Dev: HostAccess,
        S: StorageMut<T, Dev>,
    {
        let offset = self.axes().offset_of(index.counted_from_start(&self.shape)?.as_ref())?;
        // SAFETY: `offset_of` returned this offset, so `index` is within the shape and has this offset.
        Some(unsafe { self.element_mut(offset, |ptr| HostPtr::new(Dev::host_ptr(ptr))) })
    }
}
