//! Elementwise functions of one to three operands, under one signature.
//!
//! Users implement [`UnaryOp`], [`BinaryOp`] or [`TernaryOp`]. Every type that implements one of these traits is also a
//! [`Function`] of a tuple of elements. So the methods of devices, [`Elementwise::map`](super::Elementwise::map) and
//! [`Elementwise::update`](super::Elementwise::update), take functions of one, two or three operands.

use super::cuda_source::CudaSource;
use super::op::{BinaryOp, TernaryOp, UnaryOp};
use super::scalars::Scalars;
use super::wide::packed::Arranged;
use super::{Cpu, Device, HostAccess, Operand, via_host};
use crate::element::{Element, Elementary};
use crate::error::Error;
use crate::layout::broadcast::same;
use crate::layout::wide::Nest;
use crate::rank::Dim;
use core::mem::MaybeUninit;

/// An elementwise function of the elements `A`: a [`UnaryOp`] of `(A,)`, a [`BinaryOp`] of `(A, B)` or a [`TernaryOp`] of
/// `(A, B, C)`. Implement one of these three traits; their documentation explains the items.
pub trait Function<A: Arguments>: Copy + Send + Sync {
    /// The element type of the result.
    type Output: Element;
    /// The operation as a verb, for messages.
    const NAME: &'static str;
    /// The function as an expression of CUDA C++.
    const CUDA: CudaSource;
    /// [`is_defined`](Function::is_defined) as an expression of CUDA C++.
    const CUDA_DEFINED: CudaSource;
    /// Whether devices call [`is_defined`](Function::is_defined) for all elements before they write any.
    const CHECKED: bool;
    /// The time to compute one element, without loads and stores, as the number of bytes that could be copied in that time.
    const COST: usize;
    /// Whether the function multiplies elements.
    #[doc(hidden)]
    const MULTIPLIES: bool;
    /// Calls the function.
    fn call(&self, arguments: A) -> Self::Output;
    /// Returns the elementary function that this function computes, or `None` if it computes another function.
    #[doc(hidden)]
    fn elementary(&self) -> Option<Elementary>;
    /// Returns whether the function is defined for these elements.
    fn is_defined(&self, arguments: A) -> bool;
    /// Returns whether a device must check the elements: if the function is [`CHECKED`](Function::CHECKED), except for a [`UnaryOp`] whose
    /// [`always_defined`](UnaryOp::always_defined) returns `true`.
    fn is_checked(&self) -> bool;
    /// Returns the elements as text for error messages.
    fn describe(&self, arguments: A) -> String;
    /// Binds the scalars of the CUDA source.
    fn bind(&self, scalars: &mut Scalars);
}

/// Implements the items of [`Function`] that are forwarded in the same way to each of the three operation traits.
macro_rules! forwarded {
    ($Op:path) => {
        type Output = <F as $Op>::Output;
        const NAME: &'static str = <F as $Op>::NAME;
        const CUDA: CudaSource = <F as $Op>::CUDA;
        const COST: usize = <F as $Op>::COST;
        const MULTIPLIES: bool = <F as $Op>::MULTIPLIES;
        fn bind(&self, scalars: &mut Scalars) {
            <F as $Op>::scalars(self, scalars);
        }
    };
}

#[diagnostic::do_not_recommend]
impl<A: Element, F: UnaryOp<A>> Function<(A,)> for F {
    forwarded!(UnaryOp<A>);
    const CUDA_DEFINED: CudaSource = <F as UnaryOp<A>>::CUDA_DEFINED;
    const CHECKED: bool = <F as UnaryOp<A>>::CHECKED;
    #[inline(always)]
    fn call(&self, (a,): (A,)) -> Self::Output {
        self.apply(a)
    }
    #[inline(always)]
    fn elementary(&self) -> Option<Elementary> {
        UnaryOp::elementary(self)
    }
    #[inline(always)]
    fn is_defined(&self, (a,): (A,)) -> bool {
        self.is_defined(a)
    }
    #[inline(always)]
    fn is_checked(&self) -> bool {
        <Self as Function<(A,)>>::CHECKED && !self.always_defined()
    }
    fn describe(&self, (a,): (A,)) -> String {
        self.operands(a)
    }
}

#[diagnostic::do_not_recommend]
impl<A: Element, B: Element, F: BinaryOp<A, B>> Function<(A, B)> for F {
    forwarded!(BinaryOp<A, B>);
    const CUDA_DEFINED: CudaSource = <F as BinaryOp<A, B>>::CUDA_DEFINED;
    const CHECKED: bool = <F as BinaryOp<A, B>>::CHECKED;
    #[inline(always)]
    fn call(&self, (a, b): (A, B)) -> Self::Output {
        self.apply(a, b)
    }
    #[inline(always)]
    fn elementary(&self) -> Option<Elementary> {
        BinaryOp::elementary(self)
    }
    #[inline(always)]
    fn is_defined(&self, (a, b): (A, B)) -> bool {
        self.is_defined(a, b)
    }
    #[inline(always)]
    fn is_checked(&self) -> bool {
        <Self as Function<(A, B)>>::CHECKED
    }
    fn describe(&self, (a, b): (A, B)) -> String {
        self.operands(a, b)
    }
}

#[diagnostic::do_not_recommend]
impl<A: Element, B: Element, C: Element, F: TernaryOp<A, B, C>> Function<(A, B, C)> for F {
    forwarded!(TernaryOp<A, B, C>);
    const CUDA_DEFINED: CudaSource = CudaSource::NONE;
    const CHECKED: bool = false;
    #[inline(always)]
    fn call(&self, (a, b, c): (A, B, C)) -> Self::Output {
        self.apply(a, b, c)
    }
    #[inline(always)]
    fn elementary(&self) -> Option<Elementary> {
        None
    }
    #[inline(always)]
    fn is_defined(&self, _: (A, B, C)) -> bool {
        true
    }
    #[inline(always)]
    fn is_checked(&self) -> bool {
        false
    }
    fn describe(&self, (a, b, c): (A, B, C)) -> String {
        format!("{a}, {b} and {c}")
    }
}

/// Receives the operands of a function one by one, each with its element type.
pub trait Visit<'a, Dev: Device> {
    /// Receives the next operand.
    fn visit<T: Element>(&mut self, operand: Operand<'a, T, Dev>);
}

/// A tuple of zero to three elements. Implemented by this crate only.
pub trait ElementTuple: Copy + private::Sealed {
    /// The number of elements.
    const LEN: usize;
    /// A tuple of one [`Operand`] for each element.
    type Operands<'a, Dev: Device>: Copy;
    /// Passes each operand to `visitor`.
    fn each<'a: 'v, 'v, Dev: Device>(operands: Self::Operands<'a, Dev>, visitor: &mut impl Visit<'v, Dev>);
    /// Returns the same operands for host kernels: [`Operand::on_host`] of each.
    fn on_host<Dev: HostAccess>(operands: Self::Operands<'_, Dev>) -> Self::Operands<'_, Cpu>;

    // The items below are for this crate only; implementations of devices and functions do not need them.

    /// Returns the operands, broadcast to a shape by the rule of the memory order: row-major order aligns the last axes, column-major order
    /// the first axes. The strides of operands with another shape are written to `strides`, whose arrays have at least `shape.len()`
    /// entries.
    ///
    /// # Panics
    /// If an operand does not broadcast to the shape.
    #[doc(hidden)]
    fn broadcast<'a: 'b, 'b, Dev: Device, R: Dim>(
        operands: Self::Operands<'a, Dev>,
        shape: &'b [usize],
        row_major: bool,
        strides: &'b mut [R::Strides; MAX_ARGUMENTS],
    ) -> Self::Operands<'b, Dev>;

    /// Returns the same operands, field by field. For a call that takes the operands by address: if it got `operands` itself, the
    /// compiler would have to keep them in memory before the call, too, instead of in registers.
    #[doc(hidden)]
    fn copies<'a, Dev: Device>(operands: Self::Operands<'a, Dev>) -> Self::Operands<'a, Dev>;

    /// Calls `f` with copies of the operands in host memory.
    ///
    /// # Errors
    /// If an operand cannot be copied, or the error of `f`.
    #[doc(hidden)]
    fn fetched<Dev: Device>(
        device: &Dev,
        operands: Self::Operands<'_, Dev>,
        f: impl FnOnce(Self::Operands<'_, Cpu>) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Calls `f` with operands that have the axes of the nest, whose operand `k + 1` is operand `k` here. If these are too many axes for a
    /// kernel, the operands are copied, and have one axis.
    ///
    /// # Errors
    /// If an operand cannot be copied, or the error of `f`.
    #[doc(hidden)]
    fn arranged<'a: 'n, 'n, Dev: Device>(
        device: &Dev,
        operands: Self::Operands<'a, Dev>,
        nest: &'n Nest,
        f: impl FnOnce(Self::Operands<'_, Dev>) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Reads one element of each operand. `at(k)` returns an address in the `k`th operand, and the offset, in elements, from there
    /// to the element.
    ///
    /// # Safety
    /// The caller must ensure that, for each `k` below `LEN`, the address and offset returned by `at(k)` lead to an initialised,
    /// aligned element of the `k`th type that nothing writes to during the call.
    #[doc(hidden)]
    unsafe fn read(at: impl Fn(usize) -> (*const u8, isize)) -> Self;
}

/// The elements that a function is called with: a tuple of one to three. Implemented by this crate only.
pub trait Arguments: ElementTuple {
    /// The type of the first element.
    type First: Element;
    /// The types of the other elements.
    type Rest: ElementTuple;
    /// Whether all elements are of one type.
    #[doc(hidden)]
    const SAME_TYPE: bool;

    /// Applies `op` to `n` contiguous elements of each operand and writes the results. Each pointer is an operand's first
    /// element. `BLOCK` elements are computed at a time, in a loop that the compiler can unroll.
    ///
    /// # Safety
    /// The caller must ensure that
    ///
    /// * for each `k` below `LEN`, `operands[k]` points to `n` initialised, aligned elements of the `k`th type that nothing
    ///   writes to during the call;
    /// * `out` points to `n` aligned elements of `F::Output` that nothing else accesses during the call. They overlap no operand,
    ///   except that they may be exactly the `n` elements of the first one.
    #[doc(hidden)]
    unsafe fn map_contiguous<F: Function<Self>, const BLOCK: usize>(
        op: F,
        n: usize,
        out: *mut F::Output,
        operands: &[*mut u8; MAX_ARGUMENTS],
    );

    /// Returns whether `op` is defined for `n` contiguous elements of each operand. Does not stop early, so that the loop is
    /// vectorised.
    ///
    /// # Safety
    /// The caller must ensure that, for each `k` below `LEN`, `operands[k]` points to `n` initialised, aligned elements of the
    /// `k`th type that nothing writes to during the call.
    #[doc(hidden)]
    unsafe fn defined_contiguous<F: Function<Self>>(
        op: F,
        n: usize,
        operands: &[*mut u8; MAX_ARGUMENTS],
    ) -> bool;
}

/// Largest number of operands of a function.
pub(crate) const MAX_ARGUMENTS: usize = 3;

mod private {
    pub trait Sealed {}
}

/// Panic message. Callers compute the common shape first, so broadcasting to it cannot fail.
const BROADCASTS: &str = "the shapes were found to broadcast";

macro_rules! tuple {
    ($len:literal: $($T:ident $name:ident $k:literal),*) => {
        impl<$($T: Element),*> private::Sealed for ($($T,)*) {}
        #[allow(clippy::unused_unit, reason = "the tuple may have no elements")]
        impl<$($T: Element),*> ElementTuple for ($($T,)*) {
            const LEN: usize = $len;
            type Operands<'a, Dev: Device> = ($(Operand<'a, $T, Dev>,)*);
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn each<'a: 'v, 'v, Dev: Device>(operands: Self::Operands<'a, Dev>, _visitor: &mut impl Visit<'v, Dev>) {
                let ($($name,)*) = operands;
                $(_visitor.visit($name);)*
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn on_host<Dev: HostAccess>(operands: Self::Operands<'_, Dev>) -> Self::Operands<'_, Cpu> {
                let ($($name,)*) = operands;
                ($($name.on_host(),)*)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn broadcast<'a: 'b, 'b, Dev: Device, R: Dim>(
                operands: Self::Operands<'a, Dev>,
                _shape: &'b [usize],
                _row_major: bool,
                _strides: &'b mut [R::Strides; MAX_ARGUMENTS],
            ) -> Self::Operands<'b, Dev> {
                let ($($name,)*) = operands;
                let mut _strides = _strides.iter_mut();
                $(
                    let to = _strides.next().expect("one array for each operand").as_mut();
                    let $name = match same($name.shape(), _shape) {
                        true => $name,
                        false => $name.broadcast(_shape, _row_major, to).expect(BROADCASTS),
                    };
                )*
                ($($name,)*)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn copies<'a, Dev: Device>(operands: Self::Operands<'a, Dev>) -> Self::Operands<'a, Dev> {
                let ($($name,)*) = operands;
                ($($name.copied(),)*)
            }

            fn fetched<Dev: Device>(
                _device: &Dev,
                operands: Self::Operands<'_, Dev>,
                f: impl FnOnce(Self::Operands<'_, Cpu>) -> Result<(), Error>,
            ) -> Result<(), Error> {
                let ($($name,)*) = operands;
                $(let $name = via_host::fetch(_device, $name)?;)*
                f(($($name.operand(),)*))
            }

            fn arranged<'a: 'n, 'n, Dev: Device>(
                _device: &Dev,
                operands: Self::Operands<'a, Dev>,
                _nest: &'n Nest,
                f: impl FnOnce(Self::Operands<'_, Dev>) -> Result<(), Error>,
            ) -> Result<(), Error> {
                let ($($name,)*) = operands;
                $(let $name = Arranged::new(_device, $name, _nest, $k + 1)?;)*
                f(($($name.operand(),)*))
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn read(_at: impl Fn(usize) -> (*const u8, isize)) -> Self {
                $(
                    let (address, offset) = _at($k);
                    // SAFETY: the caller ensures that the address and offset returned by `_at($k)` lead to an initialised, aligned
                    // element of type `$T`, which nothing writes to during the call.
                    let $name = unsafe { *address.cast::<$T>().wrapping_offset(offset) };
                )*
                ($($name,)*)
            }
        }
    };
}
tuple!(0:);
tuple!(1: A a 0);
tuple!(2: A a 0, B b 1);
tuple!(3: A a 0, B b 1, C c 2);

macro_rules! arguments {
    ($First:ident $first:ident 0 $(, $Other:ident $other:ident $k:literal)*) => {
        impl<$First: Element, $($Other: Element),*> Arguments for ($First, $($Other),*) {
            type First = $First;
            type Rest = ($($Other,)*);
            const SAME_TYPE: bool = true $(&& $Other::DTYPE as u8 == $First::DTYPE as u8)*;

            // A plain loop. In unoptimised builds, an iterator or a closure would take longer than most calls of `op`. In optimised
            // builds, passing a tuple to a closure prevents vectorisation.
            #[inline(always)]
            unsafe fn map_contiguous<F: Function<Self>, const BLOCK: usize>(
                op: F,
                n: usize,
                out: *mut F::Output,
                operands: &[*mut u8; MAX_ARGUMENTS],
            ) {
                let $first = operands[0].cast::<$First>();
                $(let $other = operands[$k].cast::<$Other>();)*
                let mut i = 0;
                if const { BLOCK > 1 } {
                    while n - i >= BLOCK {
                        // SAFETY: `i + BLOCK <= n`, and the caller ensures that `operands[0]` points to `n` initialised elements of
                        // `$First`.
                        let $first = unsafe { *$first.wrapping_add(i).cast::<[$First; BLOCK]>() };
                        $(
                            // SAFETY: `i + BLOCK <= n`, and the caller ensures that `operands[$k]` points to `n` initialised elements of
                            // `$Other`.
                            let $other = unsafe { *$other.wrapping_add(i).cast::<[$Other; BLOCK]>() };
                        )*
                        let mut results = [const { MaybeUninit::<F::Output>::uninit() }; BLOCK];
                        let mut k = 0;
                        while k < BLOCK {
                            results[k].write(op.call(($first[k], $($other[k]),*)));
                            k += 1;
                        }
                        // SAFETY: `i + BLOCK <= n`, and the caller ensures exclusive access to `n` elements at `out`. If they are the
                        // elements of the first operand, those of this block have been read already.
                        unsafe { *out.wrapping_add(i).cast() = results };
                        i += BLOCK;
                    }
                }
                while i < n {
                    // SAFETY: `i < n`, and the caller ensures that `operands[0]` points to `n` initialised elements of `$First`.
                    let $first = unsafe { *$first.wrapping_add(i) };
                    $(
                        // SAFETY: `i < n`, and the caller ensures that `operands[$k]` points to `n` initialised elements of
                        // `$Other`.
                        let $other = unsafe { *$other.wrapping_add(i) };
                    )*
                    // SAFETY: `i < n`, and the caller ensures exclusive access to `n` elements at `out`. If they are the elements
                    // of the first operand, element `i` has been read already.
                    unsafe { *out.wrapping_add(i) = op.call(($first, $($other),*)) };
                    i += 1;
                }
            }

            #[inline(always)]
            unsafe fn defined_contiguous<F: Function<Self>>(
                op: F,
                n: usize,
                operands: &[*mut u8; MAX_ARGUMENTS],
            ) -> bool {
                let $first = operands[0].cast::<$First>();
                $(let $other = operands[$k].cast::<$Other>();)*
                let (mut all, mut i) = (true, 0);
                while i < n {
                    // SAFETY: `i < n`, and the caller ensures that `operands[0]` points to `n` initialised elements of `$First`.
                    let $first = unsafe { *$first.wrapping_add(i) };
                    $(
                        // SAFETY: `i < n`, and the caller ensures that `operands[$k]` points to `n` initialised elements of
                        // `$Other`.
                        let $other = unsafe { *$other.wrapping_add(i) };
                    )*
                    all &= op.is_defined(($first, $($other),*));
                    i += 1;
                }
                all
            }
        }
    };
}
arguments!(A a 0);
arguments!(A a 0, B b 1);
arguments!(A a 0, B b 1, C c 2);
