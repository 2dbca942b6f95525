//! A user-defined device, [`Remote`], as another crate would write it. Several test programs use it.

use std::any::Any;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use vierbein::device::{Copy, Device, Elementwise, Fourier, Gemm, Reduce, Select, Sort};
use vierbein::{Element, Error, Scalar};

/// A device whose memory is not accessible from the host: a pointer is a block number and an index in the block. All operations use
/// the default implementations, which are host fallbacks.
///
/// Every access is checked: an access out of bounds, of the wrong type or to a freed block panics. A device and its clones share a
/// counter of allocated elements.
#[derive(Debug, Clone, Default)]
pub(crate) struct Remote {
    allocated: Arc<AtomicUsize>,
    machine: usize,
}

impl Remote {
    /// Returns a device that claims separate memory: `same_instance` is `false` for it and a default device.
    #[allow(dead_code, reason = "not every test that shares this file needs two")]
    pub(crate) fn elsewhere() -> Self {
        Remote { machine: 1, ..Remote::default() }
    }

    /// Returns how many elements this device and its clones have allocated in total.
    #[allow(dead_code, reason = "not every test that shares this file counts")]
    pub(crate) fn allocated(&self) -> usize {
        self.allocated.load(Ordering::Relaxed)
    }
}

/// The memory blocks of all devices, by block number.
static BLOCKS: Mutex<BTreeMap<usize, Box<dyn Any + Send>>> = Mutex::new(BTreeMap::new());
static NEXT: AtomicUsize = AtomicUsize::new(0);

fn blocks() -> MutexGuard<'static, BTreeMap<usize, Box<dyn Any + Send>>> {
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A buffer of the device: a memory block, which is freed on drop.
#[derive(Debug)]
pub(crate) struct Block<T> {
    number: usize,
    len: usize,
    elements: PhantomData<T>,
}

impl<T> Drop for Block<T> {
    fn drop(&mut self) {
        blocks().remove(&self.number);
    }
}

/// A pointer of the device: a block number, and the index of an element in the block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address {
    block: usize,
    at: isize,
}

/// Calls `access` with `len` elements starting at an address.
fn at<T: Element>(address: Address, len: usize, access: impl FnOnce(&mut [T])) {
    let mut blocks = blocks();
    let block = blocks.get_mut(&address.block).expect("the block is alive");
    let data = block.downcast_mut::<Vec<T>>().expect("the block holds elements of this type");
    let first = usize::try_from(address.at).expect("not before the block");
    access(&mut data[first..first + len]);
}

// SAFETY: `alloc` creates initialised buffers of the requested length. `ptr` and `offset` compute addresses in a buffer. `read` and
// `write` access elements by `at`, which panics for any access that is invalid.
unsafe impl Device for Remote {
    type Buffer<T: Element> = Block<T>;
    type Ptr<T: Element> = Address;

    fn name(&self) -> String {
        "Remote".into()
    }
    fn same_instance(&self, other: &Self) -> bool {
        self.machine == other.machine
    }
    fn alloc<T: Element>(&self, len: usize) -> Result<Block<T>, Error> {
        let mut data = Vec::<T>::new();
        let out_of_memory = |_| Error::OutOfMemory { device: self.name(), bytes: len * size_of::<T>() };
        data.try_reserve_exact(len).map_err(out_of_memory)?;
        data.resize(len, T::default());
        self.allocated.fetch_add(len, Ordering::Relaxed);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        blocks().insert(number, Box::new(data));
        Ok(Block { number, len, elements: PhantomData })
    }
    fn len<T: Element>(buffer: &Block<T>) -> usize {
        buffer.len
    }
    fn ptr<T: Element>(buffer: &Block<T>) -> Address {
        Address { block: buffer.number, at: 0 }
    }
    fn ptr_mut<T: Element>(buffer: &mut Block<T>) -> Address {
        Address { block: buffer.number, at: 0 }
    }
    fn offset<T: Element>(ptr: Address, elements: isize) -> Address {
        Address { at: ptr.at + elements, ..ptr }
    }
    unsafe fn read<T: Element>(&self, from: Address, to: &mut [T]) -> Result<(), Error> {
        at(from, to.len(), |data| to.copy_from_slice(data));
        Ok(())
    }
    unsafe fn write<T: Element>(&self, from: &[T], to: Address) -> Result<(), Error> {
        at(to, from.len(), |data| data.copy_from_slice(from));
        Ok(())
    }
}

impl<T: Element> Elementwise<T> for Remote {}
impl<T: Element> Copy<T> for Remote {}
impl<T: Element> Select<T> for Remote {}
impl<T: Element> Reduce<T> for Remote {}
impl<T: Element> Sort<T> for Remote {}
impl<T: Element> Fourier<T> for Remote {}
impl<T: Scalar> Gemm<T> for Remote {}
