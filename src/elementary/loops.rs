//! Loops of branch-free functions: each chunk of arguments is computed without branches, and then again if it has arguments for which the
//! formula of the function is invalid.

use crate::simd::kernel;
use core::mem::MaybeUninit;

/// A function that is computed without branches, of an argument of type `A`.
pub(super) trait Branchless<A>: Copy {
    type Output: Copy;
    /// Whether the loop of [`compute`](Branchless::compute) is also compiled for registers of 64 bytes.
    const WIDE: bool = true;
    /// How the results of [far](Branchless::is_far) arguments are computed.
    const FAR: Far = Far::None;
    /// Computes the function. The result is meaningless if the argument is [far](Branchless::is_far).
    fn compute(self, x: A) -> Self::Output;
    /// Returns whether an argument is *far*: the result of [`compute`](Branchless::compute) is invalid, usually because the argument is
    /// far from 0. Infinity, NaN and, for logarithms, zero and negative numbers are also far.
    fn is_far(self, _: A) -> bool {
        false
    }
    /// Computes the function of a far argument.
    fn far(self, x: A) -> Self::Output {
        self.compute(x)
    }
}

/// How the results of [far](Branchless::is_far) arguments are computed.
pub(super) enum Far {
    /// The function has no far arguments.
    None,
    /// [`far`](Branchless::far) computes them, one after the other.
    Scalar,
    /// [`far`](Branchless::far) has no branches. If a chunk has a far argument, a loop of `far` computes all results of the chunk, with the
    /// same bits as [`compute`](Branchless::compute) for arguments that are not far.
    Narrow,
    /// As for `Narrow`, with a loop that is also compiled for registers of 64 bytes. For functions that are often called with far
    /// arguments, such as 0 and infinity. For other functions, this loop would not be worth the time to compile it.
    Wide,
}

/// The function [`Branchless::far`] of a function, for all arguments.
#[derive(Clone, Copy)]
struct General<R>(R);

impl<A, R: Branchless<A>> Branchless<A> for General<R> {
    type Output = R::Output;
    const WIDE: bool = matches!(R::FAR, Far::Wide);
    #[inline(always)]
    fn compute(self, x: A) -> R::Output {
        self.0.far(x)
    }
    #[inline(always)]
    fn is_far(self, x: A) -> bool {
        self.0.is_far(x)
    }
}

/// The arguments of a loop: a pointer to numbers, or two such pointers.
pub(super) trait Arguments: Copy {
    type Element: Copy + Default;
    type Argument: Copy;
    /// Reads argument `i`.
    ///
    /// # Safety
    /// The caller must ensure that element `i` from each pointer is readable.
    unsafe fn read(self, i: usize) -> Self::Argument;
    /// Returns pointers to the arguments from index `count` on.
    fn skip(self, count: usize) -> Self;
    /// Returns the first pointer.
    fn first(self) -> *const Self::Element;
    /// Replaces the first pointer.
    fn with_first(self, first: *const Self::Element) -> Self;
}

impl<F: Copy + Default> Arguments for *const F {
    type Element = F;
    type Argument = F;
    #[inline(always)]
    unsafe fn read(self, i: usize) -> F {
        // SAFETY: the caller ensures that element `i` from this pointer is readable.
        unsafe { *self.wrapping_add(i) }
    }
    fn skip(self, count: usize) -> Self {
        self.wrapping_add(count)
    }
    fn first(self) -> *const F {
        self
    }
    fn with_first(self, first: *const F) -> Self {
        first
    }
}

impl<F: Copy + Default> Arguments for [*const F; 2] {
    type Element = F;
    type Argument = [F; 2];
    #[inline(always)]
    unsafe fn read(self, i: usize) -> [F; 2] {
        // SAFETY: the caller ensures that element `i` from each pointer is readable.
        let x = unsafe { *self[0].wrapping_add(i) };
        // SAFETY: the caller ensures that element `i` from each pointer is readable, so also from the second one.
        let y = unsafe { *self[1].wrapping_add(i) };
        [x, y]
    }
    fn skip(self, count: usize) -> Self {
        self.map(|from| from.wrapping_add(count))
    }
    fn first(self) -> *const F {
        self[0]
    }
    fn with_first(self, first: *const F) -> Self {
        [first, self[1]]
    }
}

kernel! {
    /// Computes `to[i] = f(from[i])` for `n` elements. Returns whether any argument is [far](Branchless::is_far); the results of such
    /// arguments are meaningless.
    ///
    /// # Safety
    /// The caller must ensure:
    /// * `n` elements from each pointer of `from` on are readable.
    /// * `n` elements from `to` on may be written. These results do not overlap the arguments, and nothing else accesses the
    ///   results.
    fused if (R::WIDE) unsafe fn compute_all[P: Arguments, R: Branchless<P::Argument>][P, R](
        f: R,
        from: P,
        to: *mut R::Output,
        n: usize,
    ) -> bool {
        let (mut any_far, mut i) = (false, 0);
        while i < n {
            // SAFETY: `i < n`, and the caller ensures that `n` elements from each pointer of `from` on are readable.
            let x = unsafe { from.read(i) };
            any_far |= f.is_far(x);
            // SAFETY: `i < n`, and the caller ensures exclusive access to `n` elements from `to` on.
            unsafe { *to.wrapping_add(i) = f.compute(x) };
            i += 1;
        }
        any_far
    }
}

/// Number of arguments in a chunk. A chunk is so small that it stays in L1 until the results of far arguments are computed.
const CHUNK: usize = 512;

/// Computes `to[i] = f(from[i])` for `n` elements. If the processor has no FMA, or the build has no code for it, writes nothing and
/// returns false.
///
/// # Safety
/// The contract of [`compute_all`], except that `to` may be equal to the first pointer of `from`.
pub(super) unsafe fn map_function<P: Arguments, R: Branchless<P::Argument>>(
    f: R,
    from: P,
    to: *mut R::Output,
    n: usize,
) -> bool {
    if from.first().cast() != to.cast_const() {
        // SAFETY: the caller ensures the contract of `map_chunks`, except that `to` may be equal to the first pointer of `from`. Here, the
        // two pointers differ.
        return unsafe { map_chunks(f, from, to, n, &mut false) };
    }
    // In place, the arguments are copied: the compiler vectorises only loops whose results do not overlap their arguments.
    let mut buffer = [P::Element::default(); CHUNK];
    let (mut at, mut far) = (0, false);
    while at < n {
        let count = CHUNK.min(n - at);
        let (part, to) = (from.skip(at), to.wrapping_add(at));
        // SAFETY: `at + count <= n`, so the caller ensures that `count` elements from `part.first()` on are readable. `buffer` is a local
        // variable of `CHUNK >= count` elements, so it does not overlap them.
        unsafe { core::ptr::copy_nonoverlapping(part.first(), buffer.as_mut_ptr(), count) };
        // SAFETY: the caller ensures exclusive access to the results. If `part` has a second pointer, the caller ensures that `count`
        // elements from it on are readable, and do not overlap the results. `buffer` replaces the first pointer: it holds the same `count`
        // elements, and does not overlap the results.
        if !unsafe { map_chunks(f, part.with_first(buffer.as_ptr()), to, count, &mut far) } {
            return false;
        }
        at += count;
    }
    true
}

/// [`map_function`] for arguments that do not overlap the results. `far` is whether the chunk before had far arguments, and then whether the
/// last chunk had: often, the next one also has.
///
/// # Safety
/// The contract of [`compute_all`].
unsafe fn map_chunks<P: Arguments, R: Branchless<P::Argument>>(
    f: R,
    from: P,
    to: *mut R::Output,
    n: usize,
    far: &mut bool,
) -> bool {
    if const { matches!(R::FAR, Far::None) } {
        // SAFETY: `compute_all` has the same contract as `map_chunks`, and the caller ensures it for the same arguments.
        return unsafe { compute_all::<P, R>(f, from, to, n) }.is_some();
    }
    let mut at = 0;
    while at < n {
        let count = CHUNK.min(n - at);
        let (from, to) = (from.skip(at), to.wrapping_add(at));
        at += count;
        if !(*far && const { matches!(R::FAR, Far::Narrow | Far::Wide) }) {
            // SAFETY: `from` and `to` now point to `count` of the `n` arguments and results. The caller ensures the contract of `compute_all`
            // for all `n`.
            let Some(any) = (unsafe { compute_all::<P, R>(f, from, to, count) }) else { return false };
            *far = any;
        }
        if *far && const { matches!(R::FAR, Far::Narrow | Far::Wide) } {
            // SAFETY: the caller ensures the contract of `compute_all` for `n` elements, and these are `count` of them.
            let Some(any) = (unsafe { compute_all::<P, General<R>>(General(f), from, to, count) }) else {
                return false;
            };
            *far = any;
        } else if *far {
            // SAFETY: `compute_far` has the contract of `compute_all`. The caller ensures it for `n` elements, and these are `count` of
            // them.
            unsafe { compute_far(f, from, to, count) };
        }
    }
    true
}

/// Computes a function of two arguments, of which the second is always `right`. Calls `map` for each chunk, with pointers to the first
/// arguments, to as many copies of `right`, and to the results, and with their number. Returns false if `map` does.
///
/// `map` may assume that the copies of `right` are readable and do not overlap the results. The pointers to the first arguments and to the
/// results are `from` and `to`, increased by the same number. The elements from them on are among the first `n`.
pub(super) fn map_with<F: Copy>(
    right: F,
    from: *const F,
    to: *mut F,
    n: usize,
    map: impl Fn(*const F, *const F, *mut F, usize) -> bool,
) -> bool {
    let mut rights = [MaybeUninit::<F>::uninit(); CHUNK];
    rights[..CHUNK.min(n)].fill(MaybeUninit::new(right));
    (0..n)
        .step_by(CHUNK)
        .all(|at| map(from.wrapping_add(at), rights.as_ptr().cast(), to.wrapping_add(at), CHUNK.min(n - at)))
}

/// Calls `map` for each chunk of two arguments, with pointers to the arguments and to the results, and with their number. An argument with
/// `single` is the same for all results. `map` gets copies of it, and of arguments that are the results, too. Returns false if `map` does.
///
/// # Safety
/// The caller must ensure that `n` elements from each argument on are readable, or one if it is `single`. `to` may be equal to an argument.
pub(super) unsafe fn map_apart<F: Copy>(
    arguments: [*const F; 2],
    single: [bool; 2],
    to: *mut F,
    n: usize,
    map: impl Fn(*const F, *const F, *mut F, usize) -> bool,
) -> bool {
    let mut copies = [[MaybeUninit::<F>::uninit(); CHUNK]; 2];
    (0..n).step_by(CHUNK).all(|at| {
        let (count, to) = (CHUNK.min(n - at), to.wrapping_add(at));
        let mut parts = arguments;
        for k in 0..2 {
            if single[k] {
                // SAFETY: the caller ensures that one element from this argument on is readable.
                copies[k][..count].fill(MaybeUninit::new(unsafe { *arguments[k] }));
                parts[k] = copies[k].as_ptr().cast();
                continue;
            }
            parts[k] = arguments[k].wrapping_add(at);
            if parts[k] == to.cast_const() {
                // SAFETY: `at + count <= n`, so the caller ensures that `count` elements from this pointer on are readable. `copies` is a
                // local variable of `CHUNK >= count` elements.
                unsafe { core::ptr::copy_nonoverlapping(parts[k], copies[k].as_mut_ptr().cast(), count) };
                parts[k] = copies[k].as_ptr().cast();
            }
        }
        map(parts[0], parts[1], to, count)
    })
}

/// Computes the results of [far](Branchless::is_far) arguments, and overwrites the meaningless results that [`compute_all`] has written
/// for them.
///
/// # Safety
/// The contract of [`compute_all`].
#[cold]
unsafe fn compute_far<P: Arguments, R: Branchless<P::Argument>>(f: R, from: P, to: *mut R::Output, n: usize) {
    for i in 0..n {
        // SAFETY: `i < n`, and the caller ensures that `n` elements from each pointer of `from` on are readable.
        let x = unsafe { from.read(i) };
        if f.is_far(x) {
            // SAFETY: `i < n`, and the caller ensures exclusive access to `n` elements from `to` on.
            unsafe { *to.wrapping_add(i) = f.far(x) };
        }
    }
}

/// Defines a type that implements [`Branchless`] for a function. The loops are generic over this type, so each function is compiled into
/// a loop of its own.
macro_rules! branchless {
    ($Name:ident, |$x:ident: $Argument:ty| -> $Output:ty $value:block) => {
        branchless!(@type $Name, $x: $Argument, $Output, $value,);
    };
    // `$Far` is a variant of `Far`. The last two expressions are a predicate and a function of far arguments.
    ($Name:ident, |$x:ident: $Argument:ty| -> $Output:ty $value:block, $is_far:expr, $Far:ident $far:expr) => {
        branchless! { @type $Name, $x: $Argument, $Output, $value,
            const FAR: Far = Far::$Far;
            #[inline(always)]
            fn is_far(self, x: $Argument) -> bool {
                $is_far(x)
            }
            #[inline(always)]
            fn far(self, x: $Argument) -> $Output {
                $far(x)
            }
        }
    };
    (@type $Name:ident, $x:ident: $Argument:ty, $Output:ty, $value:block, $($far:tt)*) => {
        #[derive(Clone, Copy)]
        struct $Name;
        impl Branchless<$Argument> for $Name {
            type Output = $Output;
            #[inline(always)]
            fn compute(self, $x: $Argument) -> $Output $value
            $($far)*
        }
    };
}
pub(super) use branchless;
