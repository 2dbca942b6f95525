//! Tests of a user-defined device that implements `HostAccess`. Transfers access the memory of such a device directly.

use crate::common::Remote;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vierbein::device::{
    Arguments, Copies, Copy, CpuBuffer, ElementTuple, Elementwise, Function, HostPtr, OnHost, Operand, Output,
};
use vierbein::prelude::*;
use vierbein::{Error, HostAccess};

/// A device in host memory. Counts the elements that the library moved with [`Device::read`] and [`Device::write`], and the copies
/// that the device made itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Near {
    moved: Arc<AtomicUsize>,
    copies: Arc<AtomicUsize>,
}

// SAFETY: buffers and pointers are those of `Cpu`. The methods that access them call the methods of `Cpu`, which satisfy the Safety
// section of `Device`. `same_instance` is `true` only for clones. Their pointers are addresses in host memory, so they are valid on
// each other.
unsafe impl Device for Near {
    type Buffer<T: Element> = CpuBuffer<T>;
    type Ptr<T: Element> = HostPtr<T>;
    fn name(&self) -> String {
        "Near".into()
    }
    fn same_instance(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.moved, &other.moved)
    }
    fn alloc<T: Element>(&self, len: usize) -> Result<CpuBuffer<T>, Error> {
        Cpu.alloc(len)
    }
    fn len<T: Element>(buffer: &CpuBuffer<T>) -> usize {
        <Cpu as Device>::len(buffer)
    }
    fn ptr<T: Element>(buffer: &CpuBuffer<T>) -> HostPtr<T> {
        <Cpu as Device>::ptr(buffer)
    }
    fn ptr_mut<T: Element>(buffer: &mut CpuBuffer<T>) -> HostPtr<T> {
        <Cpu as Device>::ptr_mut(buffer)
    }
    fn offset<T: Element>(ptr: HostPtr<T>, elements: isize) -> HostPtr<T> {
        <Cpu as Device>::offset(ptr, elements)
    }
    unsafe fn read<T: Element>(&self, from: HostPtr<T>, to: &mut [T]) -> Result<(), Error> {
        self.moved.fetch_add(to.len(), Ordering::Relaxed);
        // SAFETY: the caller ensures the conditions of `Device::read`. `Cpu.read` has the same conditions, and gets the same
        // arguments.
        unsafe { Cpu.read(from, to) }
    }
    unsafe fn write<T: Element>(&self, from: &[T], to: HostPtr<T>) -> Result<(), Error> {
        self.moved.fetch_add(from.len(), Ordering::Relaxed);
        // SAFETY: the caller ensures the conditions of `Device::write`. `Cpu.write` has the same conditions, and gets the same
        // arguments.
        unsafe { Cpu.write(from, to) }
    }
    fn on_host<T: Element>() -> Option<OnHost<Self, T>> {
        Some(OnHost::new())
    }
    fn copies<T: Element>() -> Option<Copies<Self, T>> {
        Some(Copies::new())
    }
}
// SAFETY: a `HostPtr` of `Near` comes from `Cpu`, so it has the address of the element in host memory. `host_ptr` returns this address
// unchanged.
unsafe impl HostAccess for Near {
    fn host_ptr<T: Element>(ptr: HostPtr<T>) -> *mut T {
        ptr.get()
    }
}
impl<T: Element> Copy<T> for Near {
    fn copy(&self, out: Output<'_, T, Self>, from: Operand<'_, T, Self>) -> Result<(), Error> {
        self.copies.fetch_add(1, Ordering::Relaxed);
        Cpu.copy(out.on_host(), from.on_host())
    }
}

impl<T: Element> Elementwise<T> for Near {
    fn map<A: Arguments<First = T>, F: Function<A>>(
        &self,
        op: &F,
        out: Output<'_, F::Output, Self>,
        operands: A::Operands<'_, Self>,
    ) -> Result<(), Error> {
        Cpu.map::<A, F>(op, out.on_host(), A::on_host(operands))
    }
    fn update<A: Arguments<First = T>, F: Function<A, Output = T>>(
        &self,
        op: &F,
        a: Output<'_, T, Self>,
        rest: <A::Rest as ElementTuple>::Operands<'_, Self>,
    ) -> Result<(), Error> {
        Cpu.update::<A, F>(op, a.on_host(), A::Rest::on_host(rest))
    }
}

impl Near {
    /// Returns the numbers of moved elements and of copies since the last call.
    fn counts(&self) -> (usize, usize) {
        (self.moved.swap(0, Ordering::Relaxed), self.copies.swap(0, Ordering::Relaxed))
    }
}

#[test]
fn transfers_access_host_memory_directly() -> Result<(), Error> {
    let (near, remote) = (Near::default(), Remote::default());
    let numbers = Tensor::<i64, _>::from_vec([3, 4], (0..12).collect());
    let there = numbers.to_device_in(&near)?;
    assert_eq!(near.counts().1, 0);

    // A contiguous source is read directly by the target device.
    let mut out = Tensor::<i64, _>::zeros([3, 4]);
    out.copy_from(&there)?;
    let far = there.to_device_in(&remote)?;
    assert_eq!((out, far.to_device::<Cpu>()?), (numbers.clone(), numbers.clone()));
    assert_eq!(near.counts(), (0, 0));

    // A contiguous target is written to directly by the source device.
    let mut target = Tensor::<i64, Rank<2>, RowMajor, Near>::try_zeros_in([3, 4], &near)?;
    near.counts();
    target.copy_from(&far)?;
    assert_eq!(near.counts(), (0, 0));
    assert_eq!(target.to_vec(), numbers.to_vec());

    // For a strided target, the library writes the elements to a contiguous buffer on the device. The device then copies them to
    // the target.
    let mut wide = Tensor::<i64, Rank<2>, RowMajor, Near>::try_zeros_in([3, 8], &near)?;
    near.counts();
    wide.slice_mut(s![.., ..;2]).copy_from(&numbers)?;
    assert_eq!(near.counts(), (12, 1));
    assert_eq!(wide.slice(s![.., ..;2]).to_vec(), numbers.to_vec());
    assert_eq!(wide.slice(s![.., 1..;2]).to_vec(), [0; 12]);

    // A copy within one device instance uses the device's own `copy`. A copy to another instance is a transfer.
    let mut turned = Tensor::<i64, Rank<2>, RowMajor, Near>::try_zeros_in([4, 3], &near)?;
    near.counts();
    turned.copy_from(&there.t())?;
    assert_eq!(near.counts(), (0, 1));
    assert_eq!(turned.to_vec(), numbers.t().to_vec());
    let other = Near::default();
    let elsewhere = there.t().to_device_in(&other)?;
    assert_eq!((elsewhere.to_vec(), other.counts().1), (numbers.t().to_vec(), 0));
    Ok(())
}

/// Elementwise operations run the kernels of `Cpu` on the device's memory. The test calls functions with one to three operands. Some
/// return a new tensor, others write in place.
#[test]
fn elementwise_functions_use_the_kernels_of_the_host() -> Result<(), Error> {
    let near = Near::default();
    let x = tensor![1.0, 4.0, 9.0].to_device_in(&near)?;
    let y = tensor![10.0, 20.0, 30.0].to_device_in(&near)?;
    let (mut halved, mut raised) = (y.clone(), x.clone());
    near.counts();
    let (roots, sums, larger) = (x.sqrt(), &x + &y, x.gt(&y.slice(s![..1])));
    let chosen = larger.select(&x, &y);
    halved /= 2.0;
    raised += &y;
    assert_eq!(near.counts().0, 0, "no element was moved");
    assert_eq!(roots.to_vec(), [1.0, 2.0, 3.0]);
    assert_eq!(sums.to_vec(), [11.0, 24.0, 39.0]);
    assert_eq!(chosen.to_vec(), [10.0, 20.0, 30.0]);
    assert_eq!(halved.to_vec(), [5.0, 10.0, 15.0]);
    assert_eq!(raised.to_vec(), [11.0, 24.0, 39.0]);
    Ok(())
}
