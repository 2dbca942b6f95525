//! Tests of a faulty device. It satisfies the safety contract of `Device`, but one of its methods returns too few or too many
//! elements, or copies nothing. The library must panic, return an error, or return the correct result.

use crate::common::{Address, Block, Remote};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use vierbein::device::{
    Copies, Copy, Device, Elementwise, Fourier, Gemm, IntoOutput, Operand, Output, Reduce, Select, Sort,
};
use vierbein::prelude::*;
use vierbein::{DynTensor, Error, Scalar};

/// The method that is faulty.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Method {
    #[default]
    None,
    Alloc,
    AllocForOverwrite,
    AllocZeroed,
    Duplicate,
    Gather,
    Compact,
    Adopt,
    Release,
    Copy,
    One,
}

/// The number of elements that the faulty method returns: none, one too few, or one too many.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Size {
    #[default]
    Empty,
    Short,
    Long,
}

thread_local! {
    /// The current fault of all devices on this thread. A field of the device would not change in the clones that the library
    /// makes.
    static LIE: Cell<(Method, Size)> = const { std::cell::Cell::new((Method::None, Size::Empty)) };
}

/// Returns the number of elements that `method` returns: `len`, unless `method` is the faulty method.
fn length(method: Method, len: usize) -> usize {
    match LIE.get() {
        (lying, _) if lying != method || lying == Method::None => len,
        (_, Size::Empty) => 0,
        (_, Size::Short) => len.saturating_sub(1),
        (_, Size::Long) => len + 1,
    }
}

/// The faulty device. Its memory is that of a [`Remote`], which checks each access. If `COPIES` is `true`, it implements copies
/// within the device.
#[derive(Debug, Clone, Default)]
struct Liar<const COPIES: bool>(Remote);

impl<const COPIES: bool> Liar<COPIES> {
    /// Reads the elements of an operand. If `method` is faulty, truncates or extends the result.
    fn elements<T: Element>(&self, method: Method, from: Operand<'_, T, Self>) -> Result<Vec<T>, Error> {
        let mut data = vec![T::default(); from.shape().iter().product()];
        if from.strides().iter().all(|&stride| stride == 1) && !data.is_empty() {
            // SAFETY: all strides are 1, and the tests have no operands that overlap themselves. So at most one axis has an extent
            // above 1, and the operand is contiguous. `data` has as many elements as the operand.
            unsafe { self.read(from.ptr(), &mut data)? };
        } else {
            let mut index = vec![0; from.shape().len()];
            for value in &mut data {
                let at = index.iter().zip(from.strides()).map(|(&i, s)| i as isize * s).sum();
                // SAFETY: `index` is within the shape, so `at` is the offset of an element of the operand. `Operand` guarantees that the
                // element may be read.
                unsafe { self.read(Self::offset::<T>(from.ptr(), at), core::slice::from_mut(value))? };
                for (i, &n) in index.iter_mut().zip(from.shape()).rev() {
                    *i += 1;
                    if *i < n {
                        break;
                    }
                    *i = 0;
                }
            }
        }
        let len = length(method, data.len());
        data.resize(len, T::default());
        Ok(data)
    }

    fn uploaded<T: Element>(&self, method: Method, mut data: Vec<T>) -> Result<Block<T>, Error> {
        let len = length(method, data.len());
        data.resize(len, T::default());
        let mut buffer = self.0.alloc(len)?;
        // SAFETY: `alloc(len)` of `Remote` returns `len` elements, as many as `data` has. Nothing else accesses the new buffer.
        unsafe { self.0.write(&data, Remote::ptr_mut(&mut buffer))? };
        Ok(buffer)
    }
}

// SAFETY: buffers, pointers, `len`, `read`, `write`, `clone` and `same_instance` are those of `Remote`, which fulfils the contract of
// `Device`. This contract permits the other methods to return any number of elements.
unsafe impl<const COPIES: bool> Device for Liar<COPIES> {
    type Buffer<T: Element> = Block<T>;
    type Ptr<T: Element> = Address;

    fn name(&self) -> String {
        "Liar".into()
    }
    fn same_instance(&self, other: &Self) -> bool {
        self.0.same_instance(&other.0)
    }
    fn len<T: Element>(buffer: &Block<T>) -> usize {
        Remote::len(buffer)
    }
    fn ptr<T: Element>(buffer: &Block<T>) -> Address {
        Remote::ptr(buffer)
    }
    fn ptr_mut<T: Element>(buffer: &mut Block<T>) -> Address {
        Remote::ptr_mut(buffer)
    }
    fn offset<T: Element>(ptr: Address, elements: isize) -> Address {
        Remote::offset::<T>(ptr, elements)
    }
    unsafe fn read<T: Element>(&self, from: Address, to: &mut [T]) -> Result<(), Error> {
        // SAFETY: the caller ensures the conditions of `Device::read`. `Remote::read` has the same conditions, and gets the same
        // arguments.
        unsafe { self.0.read(from, to) }
    }
    unsafe fn write<T: Element>(&self, from: &[T], to: Address) -> Result<(), Error> {
        // SAFETY: the caller ensures the conditions of `Device::write`. `Remote::write` has the same conditions, and gets the same
        // arguments.
        unsafe { self.0.write(from, to) }
    }

    fn alloc<T: Element>(&self, len: usize) -> Result<Block<T>, Error> {
        self.0.alloc(length(Method::Alloc, len))
    }
    unsafe fn alloc_for_overwrite<T: Element>(&self, len: usize) -> Result<Block<T>, Error> {
        self.0.alloc(length(Method::AllocForOverwrite, len))
    }
    fn alloc_zeroed<T: Element>(&self, len: usize) -> Result<Block<T>, Error> {
        self.0.alloc(length(Method::AllocZeroed, len))
    }
    fn duplicate<T: Element>(&self, buffer: &Block<T>) -> Result<Block<T>, Error> {
        let mut data = vec![T::default(); Remote::len(buffer)];
        // SAFETY: `data` has as many elements as `buffer`, which `buffer: &Block` keeps alive. `Remote` initialises every buffer.
        unsafe { self.0.read(Remote::ptr(buffer), &mut data)? };
        self.uploaded(Method::Duplicate, data)
    }
    fn gather<T: Element>(&self, from: Operand<'_, T, Self>) -> Result<Vec<T>, Error> {
        self.elements(Method::Gather, from)
    }
    fn compact<T: Element>(&self, from: Operand<'_, T, Self>) -> Result<Block<T>, Error> {
        let data = self.elements(Method::None, from)?;
        self.uploaded(Method::Compact, data)
    }
    fn adopt<T: Element>(&self, data: Vec<T>) -> Result<Block<T>, Error> {
        self.uploaded(Method::Adopt, data)
    }
    fn release<T: Element>(&self, buffer: Block<T>) -> Result<Vec<T>, Error> {
        let mut data = vec![T::default(); Remote::len(&buffer)];
        // SAFETY: `data` has as many elements as `buffer`, which this function owns. `Remote` initialises every buffer.
        unsafe { self.0.read(Remote::ptr(&buffer), &mut data)? };
        data.resize(length(Method::Release, data.len()), T::default());
        Ok(data)
    }
    unsafe fn one<T: Element>(&self, work: impl IntoOutput<T, Self>) -> Result<Block<T>, Error> {
        let mut buffer = self.0.alloc(1)?;
        // SAFETY: the new buffer has one element, as many as an output of rank 0. Nothing else accesses the buffer.
        work.write(unsafe { Output::from_raw(Remote::ptr_mut(&mut buffer), &[], &[]) }, self)?;
        if length(Method::One, 1) == 1 { Ok(buffer) } else { self.0.alloc(length(Method::One, 1)) }
    }
    fn copies<T: Element>() -> Option<Copies<Self, T>> {
        COPIES.then(Copies::new)
    }
}
impl<T: Element, const COPIES: bool> Elementwise<T> for Liar<COPIES> {}
impl<T: Element, const COPIES: bool> Select<T> for Liar<COPIES> {}
impl<T: Element, const COPIES: bool> Copy<T> for Liar<COPIES> {
    fn copy(&self, out: Output<'_, T, Self>, from: Operand<'_, T, Self>) -> Result<(), Error> {
        if LIE.get().0 == Method::Copy {
            return Ok(());
        }
        let data = self.elements(Method::None, from)?;
        // SAFETY: the tests copy only to outputs that are contiguous or have one element. `data` has as many elements as the
        // output.
        unsafe { self.0.write(&data, out.ptr()) }
    }
}
impl<T: Element, const COPIES: bool> Reduce<T> for Liar<COPIES> {}
impl<T: Element, const COPIES: bool> Sort<T> for Liar<COPIES> {}
impl<T: Element, const COPIES: bool> Fourier<T> for Liar<COPIES> {}
impl<T: Scalar, const COPIES: bool> Gemm<T> for Liar<COPIES> {}

/// A step of the test: its name, and a function that computes on the device and returns the resulting elements on the host.
type Step<Dev> = (&'static str, fn(&Dev) -> Result<Vec<f64>, Error>);

fn on<Dev: Device>(device: &Dev, values: &[f64]) -> Result<Tensor<f64, Rank<2>, RowMajor, Dev>, Error> {
    Tensor::<f64, _, RowMajor>::from_vec([2, values.len() / 2], values.to_vec()).to_device_in(device)
}

fn numbers() -> Vec<f64> {
    (1..=12).map(f64::from).collect()
}

fn typed<const COPIES: bool>() -> Vec<Step<Liar<COPIES>>> {
    vec![
        ("there and back", |device| on(device, &numbers())?.to_device::<Cpu>()?.try_to_vec()),
        ("zeros", |device| Tensor::<f64, _, RowMajor, _>::try_zeros_in([3, 4], device)?.try_to_vec()),
        ("full", |device| Tensor::<f64, _, RowMajor, _>::try_full_in([3, 4], 2.0, device)?.try_to_vec()),
        ("clone", |device| on(device, &numbers())?.try_clone()?.try_to_vec()),
        ("into_vec", |device| on(device, &numbers())?.try_into_vec()),
        ("transposed", |device| on(device, &numbers())?.t().try_to_vec()),
        ("owned transposed", |device| on(device, &numbers())?.t().try_to_owned()?.try_to_vec()),
        ("add", |device| {
            let x = on(device, &numbers())?;
            x.try_add(&x)?.try_to_vec()
        }),
        ("sum", |device| on(device, &numbers())?.try_sum()?.try_to_vec()),
        ("sum of rows", |device| on(device, &numbers())?.try_sum_axis(1)?.try_to_vec()),
        ("matmul", |device| {
            let x = on(device, &numbers())?;
            x.try_matmul(x.t())?.try_to_vec()
        }),
        ("copy from the host", |device| {
            let mut x = Tensor::<f64, Rank<2>, RowMajor, _>::try_full_in([2, 6], 0.0, device)?;
            x.copy_from(&Tensor::<f64, _>::from_vec([2, 6], numbers()))?;
            x.try_to_vec()
        }),
        ("copy to the host", |device| {
            let mut x = Tensor::<f64, _>::zeros([2, 6]);
            x.copy_from(&on(device, &numbers())?)?;
            x.try_to_vec()
        }),
        ("copy to a column of the host", |device| {
            let mut x = Tensor::<f64, _>::zeros([2, 7]);
            x.slice_mut(s![.., 1..]).copy_from(&on(device, &numbers())?)?;
            x.try_to_vec()
        }),
        ("copy on the device", |device| {
            let mut x = Tensor::<f64, Rank<2>, RowMajor, _>::try_full_in([2, 6], 0.0, device)?;
            x.copy_from(&on(device, &numbers())?)?;
            x.try_to_vec()
        }),
        ("printed", |device| {
            let text = format!("{}", on(device, &numbers())?);
            Ok(text.bytes().map(f64::from).collect())
        }),
    ]
}

fn dynamic<const COPIES: bool>() -> Vec<Step<Liar<COPIES>>> {
    fn on<Dev: Device>(device: &Dev) -> Result<DynTensor, Error> {
        let x = Tensor::<f64, _>::from_vec([2, 6], numbers());
        DynTensor::from(x).to_device_in(device)
    }
    vec![
        ("dynamic there and back", |device| on(device)?.to_device::<Cpu>()?.to_vec()),
        ("dynamic to_vec", |device| on(device)?.to_vec()),
        ("dynamic slice to the host", |device| {
            on(device)?.slice(s![.., 1..;2])?.to_device::<Cpu>()?.to_vec()
        }),
        ("dynamic owned", |device| on(device)?.t()?.to_owned()?.to_vec()),
        ("dynamic clone", |device| on(device)?.try_clone()?.to_vec()),
        ("dynamic get and set", |device| {
            let mut x = on(device)?;
            x.set(&[1, 2], 7.0)?;
            Ok(vec![x.get(&[1, 2])?.get::<f64>().expect("it is an `f64`")])
        }),
        ("dynamic downcast", |device| {
            let x: Tensor<f64, Rank<2>, RowMajor, Liar<COPIES>> = on(device)?.downcast()?;
            x.try_to_vec()
        }),
        ("dynamic printed", |device| Ok(format!("{}", on(device)?).bytes().map(f64::from).collect())),
        ("dynamic equal", |device| {
            let x = on(device)?;
            Ok(vec![f64::from(u8::from(x == x.try_clone()?))])
        }),
    ]
}

/// Installs a panic hook that prints nothing for panics on a thread with a current fault.
fn expect_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if LIE.get().0 == Method::None {
                before(info);
            }
        }));
    });
}

/// Runs each step with each fault of each method. The expected results are those of the same device without a fault.
fn check<const COPIES: bool>(methods: &[Method]) {
    expect_panics();
    let honest = Liar::<COPIES>(Remote::default());
    let device = Liar::<COPIES>(Remote::default());
    let expected: Vec<_> = typed::<COPIES>().into_iter().chain(dynamic()).collect();
    let steps = typed::<COPIES>().into_iter().chain(dynamic());
    let mut noticed = 0;
    for ((name, step), (_, expected)) in steps.zip(expected) {
        let expected = expected(&honest).unwrap_or_else(|error| panic!("{name}: {error}"));
        for &method in methods {
            for size in [Size::Empty, Size::Short, Size::Long] {
                LIE.set((method, size));
                let found = catch_unwind(AssertUnwindSafe(|| step(&device)));
                LIE.set((Method::None, Size::Empty));
                match found {
                    Ok(Ok(found)) if found == expected => {}
                    // Some wrong results are permitted. `to_vec` returns the result of `gather` unchanged, and `into_vec` that of
                    // `release`. If `copy` copies nothing, the target keeps its old elements.
                    Ok(Ok(found)) => assert!(
                        matches!(method, Method::Gather | Method::Release)
                            || method == Method::Copy && found.len() == expected.len(),
                        "{name}, {method:?} {size:?}: {found:?}, expected {expected:?}"
                    ),
                    Ok(Err(_)) | Err(_) => noticed += 1,
                }
            }
        }
    }
    assert!(noticed > 0, "no method was called that lies");
}

const METHODS: [Method; 9] = [
    Method::One,
    Method::Alloc,
    Method::AllocForOverwrite,
    Method::AllocZeroed,
    Method::Duplicate,
    Method::Gather,
    Method::Compact,
    Method::Adopt,
    Method::Release,
];

#[test]
fn wrong_element_counts_from_device_are_detected() {
    check::<false>(&METHODS);
}

#[test]
fn wrong_element_counts_from_copying_device_are_detected() {
    check::<true>(&[METHODS.as_slice(), &[Method::Copy]].concat());
}
