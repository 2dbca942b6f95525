//! The marker `Cuda`: a type that signatures can name everywhere, with or without a GPU.
//!
//! What it computes with is [`engine`], behind the feature `cuda`; without that, nothing that has a value.

#[cfg(not(feature = "cuda"))]
#[path = "absent.rs"]
mod engine;
#[cfg(feature = "cuda")]
mod engine;

use super::{
    Arguments, BinaryOp, Copies, CudaSource, Device, ElementTuple, Elementwise, ForeignMemory, Function,
    Gemm, Generator, Operand, Output, Permute, ProductArgs, Reduce, Reduction, via_host,
};
use crate::element::{Element, Scalar};
use crate::error::Error;
use core::marker::PhantomData;
use engine::{Context, Memory};

/// An NVIDIA GPU, by its ordinal. `Cuda<0>` and `Cuda<1>` are different types, so mixing two GPUs does not compile.
///
/// The type always exists; whether there is such a device shows at run time: [`Cuda::new`] and every allocation return
/// [`Error::DeviceUnavailable`], which says what was looked for and where, in a build without the feature `cuda` as on a machine
/// without NVIDIA's driver, GPU or run-time compiler. Building needs none of them.
///
/// ```
/// use vierbein::prelude::*;
/// # use vierbein::Error;
/// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
/// match x.to_device::<Cuda>() {
///     Ok(x) => assert_eq!((&x + &x).sum().to_device::<Cpu>()?.item(), 20.0),
///     Err(error) => assert!(error.to_string().starts_with("Cuda<0> is not available: ")),
/// }
/// # Ok::<(), Error>(())
/// ```
///
/// Everything is queued on one stream and done in that sequence; copies to the host wait for what they copy, and so does what
/// has to know at once whether integers fit or divide. It is the null stream, on which libraries that know nothing of this one
/// meet its work in sequence, too. An operation makes the GPU's primary context the calling thread's, and leaves it so.
///
/// Memory that is given back is kept for what comes next, by this crate (blocks of up to 64 MiB, at most an eighth larger than
/// they have to be) and by the device's default pool, which is told to: [`trim`](Cuda::trim) returns it to the system.
///
/// Arithmetic rounds as on the CPU. Sums, products and running results of floating numbers are put together from parts in another
/// sequence, the same from run to run: they round otherwise, and a part may overflow, underflow or meet an infinity with a zero
/// where one element after the other does not. cuBLAS multiplies by the weights of a product even where they are 1, so that
/// infinite complex numbers may become NaN.
///
/// An operation that has no form for it does not compile on it, and the message says what to write:
///
/// ```compile_fail,E0080
/// use vierbein::device::{CudaSource, UnaryOp};
/// use vierbein::prelude::*;
/// #[derive(Clone, Copy)]
/// struct Twice;
/// impl UnaryOp<f64> for Twice {
///     type Output = f64;
///     const NAME: &'static str = "double";
///     fn apply(&self, a: f64) -> f64 { 2.0 * a }
///     // SAFETY: an expression of the operand's value: it accesses no memory.
///     // const CUDA: CudaSource = unsafe { CudaSource::new("2.0 * a") };
/// }
/// let x = tensor![1.0].to_device::<Cuda>()?;
/// let y = x.apply(Twice);
/// # Ok::<(), vierbein::Error>(())
/// ```
///
/// # Environment
/// `VIERBEIN_CUDA_LIB_DIR` is a folder with `libnvrtc` and `libcublas` where the loader does not find them by itself. Kernels are
/// compiled when they are first used, and kept in `VIERBEIN_CUDA_CACHE_DIR` or else `vierbein/cuda` in the user's directory for
/// caches; an empty value turns that off. On Unix, the directory and its files are used only if they belong to the effective user
/// or to root and neither their group nor others can write to them (mode `0700` or `0755`). A missing directory is created with
/// mode `0700`. Otherwise each process compiles its kernels itself. `VIERBEIN_CUDA_RECYCLE_BYTES` bounds the blocks that are kept at hand (256 MiB); 0
/// leaves all of that to the driver's pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cuda<const ORDINAL: usize = 0> {
    _private: (),
}

impl<const ORDINAL: usize> Cuda<ORDINAL> {
    /// The device, if it is there.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`], which says what was looked for.
    pub fn new() -> Result<Self, Error> {
        engine::context(ORDINAL)?;
        Ok(Cuda { _private: () })
    }

    /// Waits until everything that was asked for is done.
    ///
    /// # Errors
    /// Where there is no such device, or something that was asked for before failed.
    pub fn synchronize(&self) -> Result<(), Error> {
        engine::context(ORDINAL)?.synchronize()
    }

    /// Gives back to the system what no tensor uses.
    ///
    /// # Errors
    /// As [`synchronize`](Cuda::synchronize).
    pub fn trim(&self) -> Result<(), Error> {
        engine::context(ORDINAL)?.trim()
    }

    /// How many GPUs there are on this machine.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] where there is none that the driver can use, or no driver.
    ///
    /// ```
    /// use vierbein::Cuda;
    /// match Cuda::<0>::count() {
    ///     Ok(count) => assert!(count > 0),
    ///     Err(error) => println!("{error}"),
    /// }
    /// ```
    pub fn count() -> Result<usize, Error> {
        engine::count()
    }

    /// Free and total memory, in bytes. What is kept for later tensors counts as used.
    ///
    /// # Errors
    /// As [`synchronize`](Cuda::synchronize).
    pub fn memory(&self) -> Result<(usize, usize), Error> {
        engine::context(ORDINAL)?.memory()
    }

    /// Memory of the host's for `len` elements, zeros, that the system keeps in place: a GPU copies from and to it by itself, at
    /// the speed of the bus, where ordinary memory is copied once more on the way. There is only so much of it: take it for what
    /// is copied again and again.
    ///
    /// # Errors
    /// As [`new`](Cuda::new); [`Error::OutOfMemory`] where the system gives no more.
    ///
    /// ```no_run
    /// use vierbein::prelude::*;
    /// let gpu = Cuda::<0>::new()?;
    /// let mut there = Tensor::<f32, _, RowMajor, Cuda>::ones([1000, 1000]);
    /// let mut here = Tensor::<f32, _>::from_buffer([1000, 1000], gpu.pinned(1_000_000)?);
    /// for _ in 0..10 {
    ///     there += 1.0;
    ///     here.copy_from(&there)?;
    /// }
    /// # Ok::<(), vierbein::Error>(())
    /// ```
    pub fn pinned<T: Element>(&self, len: usize) -> Result<PinnedMemory<T>, Error> {
        let context = engine::context(ORDINAL)?;
        let bytes = crate::layout::element_count(&[len], size_of::<T>())? * size_of::<T>();
        Ok(PinnedMemory { memory: engine::Pinned::new(context, bytes)?, len, elements: PhantomData })
    }
}

/// Memory of the host's that a GPU copies from and to by itself: see [`Cuda::pinned`].
#[derive(Debug)]
pub struct PinnedMemory<T> {
    memory: engine::Pinned,
    len: usize,
    elements: PhantomData<T>,
}

// SAFETY: the memory has as many elements, all bytes zero at first, stays where it is, and has one owner.
#[diagnostic::do_not_recommend]
unsafe impl<T: Element> ForeignMemory<T> for PinnedMemory<T> {
    fn elements(&mut self) -> &mut [T] {
        // SAFETY: as above; drivers align memory to pages. `self` is borrowed mutably.
        unsafe { core::slice::from_raw_parts_mut(self.memory.start().cast::<T>().as_ptr(), self.len) }
    }
}

/// Waits until everything that a GPU was asked for is done.
pub(crate) fn finish(ordinal: usize) -> Result<(), Error> {
    engine::context(ordinal)?.synchronize()
}

/// Whether there is a GPU of this number.
pub(crate) fn find(ordinal: usize) -> Result<(), Error> {
    engine::context(ordinal).map(|_| ())
}

impl<const ORDINAL: usize> Cuda<ORDINAL> {
    /// The device, whether it is there or not.
    pub(crate) const UNCHECKED: Self = Cuda { _private: () };

    /// As the type of another ordinal is written.
    pub(crate) fn name_of(ordinal: usize) -> String {
        engine::name_of(ordinal)
    }

    /// Memory of someone else, whose owner is dropped when all work that uses it is done.
    ///
    /// # Safety
    /// The device is there. `len` elements lie side by side at `first`, on this device, aligned as wholes; until the owner is
    /// dropped they stay there, and nobody else reads or writes them.
    pub(crate) unsafe fn foreign<T: Element>(
        first: CudaPtr<T>,
        len: usize,
        owner: Box<dyn Send + Sync>,
    ) -> CudaBuffer<T> {
        let context = engine::context(ORDINAL).expect("whoever has memory on a GPU has found the GPU");
        let bytes = len * size_of::<T>();
        CudaBuffer {
            memory: Memory::foreign(context, first.address, bytes, owner),
            len,
            elements: PhantomData,
        }
    }
}

/// Memory on a GPU.
#[derive(Debug)]
pub struct CudaBuffer<T> {
    memory: Memory,
    len: usize,
    elements: PhantomData<T>,
}

// Whose owner was lost to a panic has memory that is given back all the same.
impl<T> core::panic::UnwindSafe for CudaBuffer<T> {}
impl<T> core::panic::RefUnwindSafe for CudaBuffer<T> {}

/// An address on a GPU; the host cannot look behind it.
#[derive(Debug, Clone, Copy)]
pub struct CudaPtr<T> {
    address: u64,
    elements: PhantomData<T>,
}

impl<T> CudaPtr<T> {
    pub(crate) fn new(address: u64) -> Self {
        CudaPtr { address, elements: PhantomData }
    }

    /// As the driver has it: a `CUdeviceptr`.
    pub fn address(self) -> u64 {
        self.address
    }
}

fn buffer<T: Element>(context: &'static Context, len: usize) -> Result<CudaBuffer<T>, Error> {
    let bytes = crate::layout::element_count(&[len], size_of::<T>())? * size_of::<T>();
    Ok(CudaBuffer { memory: context.alloc(bytes)?, len, elements: PhantomData })
}

// SAFETY: a buffer has memory for as many elements as it says, until it is dropped; addresses count bytes, in which elements lie
// side by side; all bytes are values of numbers, and `read` makes them values of `bool`; copies access what they are given.
unsafe impl<const ORDINAL: usize> Device for Cuda<ORDINAL> {
    type Buffer<T: Element> = CudaBuffer<T>;
    type Ptr<T: Element> = CudaPtr<T>;

    fn name(&self) -> String {
        engine::name_of(ORDINAL)
    }
    fn alloc<T: Element>(&self, len: usize) -> Result<CudaBuffer<T>, Error> {
        self.alloc_zeroed(len)
    }
    unsafe fn alloc_for_overwrite<T: Element>(&self, len: usize) -> Result<CudaBuffer<T>, Error> {
        buffer(engine::context(ORDINAL)?, len)
    }
    fn len<T: Element>(buffer: &CudaBuffer<T>) -> usize {
        buffer.len
    }
    fn ptr<T: Element>(buffer: &CudaBuffer<T>) -> CudaPtr<T> {
        CudaPtr::new(buffer.memory.address())
    }
    fn ptr_mut<T: Element>(buffer: &mut CudaBuffer<T>) -> CudaPtr<T> {
        CudaPtr::new(buffer.memory.address())
    }
    fn offset<T: Element>(ptr: CudaPtr<T>, elements: isize) -> CudaPtr<T> {
        CudaPtr::new(ptr.address.wrapping_add_signed(elements as i64 * size_of::<T>() as i64))
    }
    unsafe fn read<T: Element>(&self, from: CudaPtr<T>, to: &mut [T]) -> Result<(), Error> {
        // SAFETY: the caller's.
        unsafe { engine::read(engine::context(ORDINAL)?, from.address, to) }
    }
    unsafe fn write<T: Element>(&self, from: &[T], to: CudaPtr<T>) -> Result<(), Error> {
        // SAFETY: the caller's.
        unsafe { engine::write(engine::context(ORDINAL)?, from, to.address) }
    }
    fn alloc_zeroed<T: Element>(&self, len: usize) -> Result<CudaBuffer<T>, Error> {
        let context = engine::context(ORDINAL)?;
        let buffer = buffer(context, len)?;
        // SAFETY: the memory is the new buffer's, which has that many bytes.
        unsafe { context.zero(buffer.memory.address(), len * size_of::<T>())? };
        Ok(buffer)
    }
    fn duplicate<T: Element>(&self, from: &CudaBuffer<T>) -> Result<CudaBuffer<T>, Error> {
        let context = engine::context(ORDINAL)?;
        let buffer: CudaBuffer<T> = buffer(context, from.len)?;
        let (from, to) = (from.memory.address(), buffer.memory.address());
        // SAFETY: both are memory of buffers with as many elements, one of them new.
        unsafe { context.copy(from, to, buffer.len * size_of::<T>())? };
        Ok(buffer)
    }
    fn gather<T: Element>(&self, from: Operand<'_, T, Self>) -> Result<Vec<T>, Error> {
        engine::gather(engine::context(ORDINAL)?, from)
    }
    fn copies<T: Element>() -> Option<Copies<Self, T>> {
        Some(Copies::new())
    }
    fn compact<T: Element>(&self, from: Operand<'_, T, Self>) -> Result<CudaBuffer<T>, Error> {
        let len = from.shape().iter().product();
        Ok(CudaBuffer {
            memory: engine::compact(engine::context(ORDINAL)?, from)?,
            len,
            elements: PhantomData,
        })
    }
    fn adopt<T: Element>(&self, data: Vec<T>) -> Result<CudaBuffer<T>, Error> {
        let [value] = data[..] else { return via_host::upload(self, &data) };
        // A scalar goes along as the argument of a kernel: to copy it, the host would wait for all that was asked for before.
        let context = engine::context(ORDINAL)?;
        let mut buffer = buffer(context, 1)?;
        // SAFETY: the new buffer has one element, and nothing else has its address.
        let out: Output<'_, T, Self> = unsafe { Output::from_raw(Self::ptr_mut(&mut buffer), &[], &[]) };
        engine::put(context, value, out)?;
        Ok(buffer)
    }
}

/// Checks, at compile time, that an operation used on a GPU has a CUDA source.
const fn has_source(source: CudaSource) {
    assert!(
        !source.is_none(),
        "this operation has no form for `Cuda`: give it one, an expression of CUDA C++, as \
         `const CUDA: CudaSource = unsafe {{ CudaSource::new(\"..\") }};`, or copy the tensor to the host first: \
         `.to_device::<Cpu>()?`"
    );
}

/// Checks the same of an operation that may be [`CHECKED`](UnaryOp::CHECKED), which then also needs a source for its domain.
const fn has_sources(source: CudaSource, checked: bool, defined: CudaSource) {
    has_source(source);
    assert!(
        !checked || !defined.is_none(),
        "this operation is `CHECKED`, but does not say on `Cuda` where it has a value: give it a \
         `const CUDA_DEFINED: CudaSource = unsafe {{ CudaSource::new(\"..\") }};`"
    );
}

#[diagnostic::do_not_recommend]
impl<T: Element, const ORDINAL: usize> Elementwise<T> for Cuda<ORDINAL> {
    fn generate<F: Generator<T>>(&self, op: &F, out: Output<'_, T, Self>) -> Result<(), Error> {
        const { has_source(F::CUDA) };
        engine::generate(engine::context(ORDINAL)?, op, out)
    }
    fn map<A: Arguments<First = T>, F: Function<A>>(
        &self,
        op: &F,
        out: Output<'_, F::Output, Self>,
        operands: A::Operands<'_, Self>,
    ) -> Result<(), Error> {
        const { has_sources(F::CUDA, F::CHECKED, F::CUDA_DEFINED) };
        engine::map::<A, F, ORDINAL>(engine::context(ORDINAL)?, op, out, operands)
    }
    fn update<A: Arguments<First = T>, F: Function<A, Output = T>>(
        &self,
        op: &F,
        a: Output<'_, T, Self>,
        rest: <A::Rest as ElementTuple>::Operands<'_, Self>,
    ) -> Result<(), Error> {
        const { has_sources(F::CUDA, F::CHECKED, F::CUDA_DEFINED) };
        engine::update::<A, F, ORDINAL>(engine::context(ORDINAL)?, op, a, rest)
    }
}
#[diagnostic::do_not_recommend]
impl<T: Element, const ORDINAL: usize> Permute<T> for Cuda<ORDINAL> {
    fn copy(&self, out: Output<'_, T, Self>, a: Operand<'_, T, Self>) -> Result<(), Error> {
        engine::copy(engine::context(ORDINAL)?, out, a)
    }
}
#[diagnostic::do_not_recommend]
impl<T: Element, const ORDINAL: usize> Reduce<T> for Cuda<ORDINAL> {
    fn reduce<R: Reduction<T>>(
        &self,
        op: &R,
        out: Output<'_, R::Output, Self>,
        a: Operand<'_, T, Self>,
    ) -> Result<(), Error> {
        const { has_source(R::CUDA) };
        engine::reduce(engine::context(ORDINAL)?, op, out, a)
    }
    fn scan<F: BinaryOp<T, T, Output = T>>(
        &self,
        op: &F,
        out: Output<'_, T, Self>,
        a: Operand<'_, T, Self>,
    ) -> Result<(), Error> {
        const { has_sources(F::CUDA, F::CHECKED, F::CUDA_DEFINED) };
        engine::scan(engine::context(ORDINAL)?, op, out, a)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar, const ORDINAL: usize> Gemm<T> for Cuda<ORDINAL> {
    fn gemm(&self, args: ProductArgs<'_, T, Self>) -> Result<(), Error> {
        engine::gemm(engine::context(ORDINAL)?, args)
    }
    fn sum_products(&self, args: ProductArgs<'_, T, Self>) -> Result<(), Error> {
        engine::sum_products(engine::context(ORDINAL)?, args)
    }
}
