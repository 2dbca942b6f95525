//! Steps of a random program that use host buffers, user-defined devices, and DLPack.

use super::record::{attempt, certain, may_panic};
use super::remote::Remote;
use super::source::{Source, is_small};
use super::views::{look, look_mut, same};
use vierbein::device::{
    Copy, Elementwise, Fourier, Gemm, HostAccess, HostPtr, MatrixOperand, Operand, Output, ProductArgs,
    Reduce, Select, Sort,
};
use vierbein::interop::dlpack::{DLManagedTensor, Dlpack};
use vierbein::prelude::*;
use vierbein::{DynTensor, Error, op};

/// Allocates, copies and releases host buffers.
pub(super) fn buffers<T: Element>(s: &mut Source<'_>) {
    let len = s.hostile_extent();
    let made = match s.below(3) {
        0 => attempt("Cpu.alloc", || Cpu.alloc::<T>(len)),
        1 => attempt("Cpu.alloc_zeroed", || Cpu.alloc_zeroed::<T>(len)),
        _ => {
            let data = s.values(s_len(len));
            attempt("Cpu.adopt", || Cpu.adopt(data))
        }
    };
    let Some(mut buffer) = made else { return };
    let len = <Cpu as Device>::len(&buffer);
    let pointer = <Cpu as Device>::ptr(&buffer);
    certain("Cpu::offset", || <Cpu as Device>::offset::<T>(pointer, s.hostile_signed()).get().is_null());
    certain("Cpu::ptr_mut", || <Cpu as Device>::ptr_mut(&mut buffer).get().is_aligned());
    let copy =
        attempt("Cpu.duplicate", || Cpu.duplicate(&buffer)).expect("there is memory for small buffers");
    for buffer in [buffer, copy] {
        let mut data =
            attempt("Cpu.release", || Cpu.release(buffer)).expect("there is memory for small buffers");
        assert_eq!(data.len(), len);
        data.push(s.value());
        let x = Tensor::<T, Rank<1>>::from(data);
        assert_eq!(x.iter().count(), len + 1);
    }
}

fn s_len(len: usize) -> usize {
    len.min(300)
}

/// Exports a tensor through DLPack and imports it again.
pub(super) fn dlpack<T: Element, D: Dim, O: Order>(x: TensorView<'_, T, D, O>, s: &mut Source<'_>) {
    if !is_small(x.shape().as_ref()) {
        return;
    }
    let mut given = certain("into_dlpack", || x.to_owned().into_dlpack());
    match s.below(6) {
        0 => {
            let view = attempt("Dlpack::view", || given.view::<T, D, O, Cpu>());
            view.into_iter().for_each(|view| look(view, s));
        }
        1 => {
            let view = attempt("Dlpack::view of another type", || given.view::<u16, Rank<2>, O, Cpu>());
            view.into_iter().for_each(|view| look(view, s));
        }
        2 => {
            let view = attempt("Dlpack::view_mut", || given.view_mut::<T, D, O::Transposed, Cpu>());
            view.into_iter().for_each(|view| look_mut(view, s));
        }
        3 => {
            let order = s.order();
            let z = attempt("Dlpack::to_dyn_tensor", || given.to_dyn_tensor(order));
            z.into_iter().for_each(|z| s.keep(z));
        }
        4 => match given.into_tensor::<T, D, O::Transposed, Cpu>() {
            Ok(z) => s.keep(certain("Dlpack::into_tensor", || z)),
            Err(rejected) => {
                attempt::<(), _>("Dlpack::into_tensor", || Err(rejected.error.to_string()));
                let z = attempt("DynTensor of Dlpack", || DynTensor::try_from(rejected.value));
                z.into_iter().for_each(|z| s.keep(z));
            }
        },
        _ => {
            let z = attempt("DynTensor of Dlpack", || DynTensor::try_from(given));
            let Some(z) = z else { return };
            let given = attempt("Dlpack of DynTensor", || Dlpack::<DLManagedTensor>::try_from(z));
            let z = given
                .and_then(|given| attempt("Dlpack::into_tensor", || given.into_tensor::<T, D, O, Cpu>()));
            z.into_iter().for_each(|z| s.keep(z));
        }
    }
}

// ------------------------------------------------------------------ user-defined devices

/// Runs operations on a user-defined device that uses the host fallback, and compares the results with those of `Cpu`.
pub(super) fn remote<O: Order>(
    x: TensorView<'_, f64, Rank<2>, O>,
    y: TensorView<'_, f64, Rank<2>, O>,
    s: &mut Source<'_>,
) {
    if !super::products::feasible(&[&x.shape(), &y.shape()]) {
        return;
    }
    let device = Remote::default();
    let there = |x: TensorView<'_, f64, Rank<2>, O>| {
        attempt("to_device of a user", || x.to_device_in(&device)).expect("there is memory for small tensors")
    };
    let (mut a, b) = (there(x), there(y));
    let back = |z: Option<Tensor<f64, Rank<2>, O, Remote>>| {
        z.map(|z| attempt("to_device from a user's", || z.to_device::<Cpu>()).expect("it was computed"))
    };
    let (there, here) = match s.below(5) {
        0 => (back(attempt("try_add on a user's device", || a.try_add(&b))), x.try_add(&y).ok()),
        1 => (
            back(attempt("try_matmul on a user's device", || a.t().try_matmul(&b))),
            x.t().try_matmul(y).ok(),
        ),
        2 => {
            let axis = s.axis(2);
            let sums = attempt("try_cumsum on a user's device", || a.t().try_cumsum(axis));
            (back(sums), x.t().try_cumsum(axis).ok())
        }
        3 => {
            let axis = s.axis(2);
            let sums = attempt("try_sum_keepdims on a user's device", || a.try_sum_keepdims(axis));
            (back(sums), x.try_sum_keepdims(axis).ok())
        }
        _ => {
            let mut here = x.to_owned();
            let (to, from) = (s.position(a.shape()[0]), s.step());
            let part = attempt("try_slice_mut on a user's device", || a.try_slice_mut(s![..to; from, ..]));
            let done =
                part.and_then(|mut part| attempt("try_assign on a user's device", || part.try_assign(&b)));
            let part = here.try_slice_mut(s![..to; from, ..]).ok();
            let same = part.and_then(|mut part| part.try_assign(&y).ok());
            assert_eq!(done.is_some(), same.is_some());
            (back(Some(a)), Some(here))
        }
    };
    match (there, here) {
        (Some(there), Some(here)) => {
            assert_eq!(there.shape(), here.shape());
            assert!(same(there.iter(), here.iter()), "{there} and {here}");
        }
        (there, here) => assert_eq!(there.is_some(), here.is_some()),
    }
}

/// A user-defined device whose memory is host memory. The number selects which kernel of `Cpu` an operation calls. For most numbers
/// the operation is deliberately incorrect: it calls the wrong kernel, or the right kernel with the wrong operands.
#[derive(Debug, Clone, Default)]
struct Mixed(usize);

// SAFETY: the functions that access memory call the function of `Cpu` with the same name and arguments. `Cpu` satisfies the Safety
// section of `Device`. All instances access host memory, so their pointers are valid on each other.
unsafe impl Device for Mixed {
    type Buffer<T: Element> = <Cpu as Device>::Buffer<T>;
    type Ptr<T: Element> = HostPtr<T>;
    fn name(&self) -> String {
        "Mixed".into()
    }
    fn same_instance(&self, _: &Self) -> bool {
        true
    }
    fn alloc<T: Element>(&self, len: usize) -> Result<Self::Buffer<T>, Error> {
        Cpu.alloc(len)
    }
    fn len<T: Element>(buffer: &Self::Buffer<T>) -> usize {
        <Cpu as Device>::len(buffer)
    }
    fn ptr<T: Element>(buffer: &Self::Buffer<T>) -> HostPtr<T> {
        <Cpu as Device>::ptr(buffer)
    }
    fn ptr_mut<T: Element>(buffer: &mut Self::Buffer<T>) -> HostPtr<T> {
        <Cpu as Device>::ptr_mut(buffer)
    }
    fn offset<T: Element>(ptr: HostPtr<T>, elements: isize) -> HostPtr<T> {
        <Cpu as Device>::offset(ptr, elements)
    }
    unsafe fn read<T: Element>(&self, from: HostPtr<T>, to: &mut [T]) -> Result<(), Error> {
        // SAFETY: the caller ensures the conditions of `Device::read`. `Cpu.read` has the same conditions, and gets the same
        // arguments.
        unsafe { Cpu.read(from, to) }
    }
    unsafe fn write<T: Element>(&self, from: &[T], to: HostPtr<T>) -> Result<(), Error> {
        // SAFETY: the caller ensures the conditions of `Device::write`. `Cpu.write` has the same conditions, and gets the same
        // arguments.
        unsafe { Cpu.write(from, to) }
    }
}
// SAFETY: `Mixed` allocates its buffers with `Cpu`, so each `HostPtr` of a buffer has the address of the element in host memory.
// `host_ptr` returns this address unchanged.
unsafe impl HostAccess for Mixed {
    fn host_ptr<T: Element>(ptr: HostPtr<T>) -> *mut T {
        ptr.get()
    }
}
impl<T: Element> Elementwise<T> for Mixed {}
impl<T: Element> Select<T> for Mixed {}
impl<T: Element> Copy<T> for Mixed {
    fn copy(&self, out: Output<'_, T, Self>, a: Operand<'_, T, Self>) -> Result<(), Error> {
        let (out, a) = (out.on_host(), a.on_host());
        match self.0 {
            0 => Cpu.copy(out, a),
            1 => Cpu.scan(&First, out, a),
            2 => Cpu.reduce(&FirstOf, out, a),
            3 => Cpu.update::<(T, T), _>(&First, out, (a,)),
            4 => Cpu.map::<(T, T), _>(&First, out, (a, a)),
            5 => Cpu.gather(a).map(drop),
            6 => Cpu.compact(a).map(drop),
            _ => Cpu.copy(out, a),
        }
    }
}
impl<T: Element> Reduce<T> for Mixed {}
impl<T: Element> Sort<T> for Mixed {}
impl<T: Element> Fourier<T> for Mixed {}
impl Gemm<f64> for Mixed {
    fn gemm(&self, args: ProductArgs<'_, f64, Self>) -> Result<(), Error> {
        let ProductArgs { scaling, a, b, out } = args;
        let a = MatrixOperand { operand: a.operand.on_host(), conjugate: a.conjugate };
        let b = MatrixOperand { operand: b.operand.on_host(), conjugate: b.conjugate };
        let out = out.on_host();
        match self.0 {
            0 => Cpu.gemm(ProductArgs { scaling, a, b, out }),
            1 => Cpu.gemm(ProductArgs { scaling, a: b, b: a, out }),
            2 => Cpu.gemm(ProductArgs { scaling, a, b: a, out }),
            3 => Cpu.sum_products(ProductArgs { scaling, a, b, out }),
            4 => Cpu.sum_products(ProductArgs { scaling, a: b, b, out }),
            5 => Cpu.copy(out, b.operand),
            6 => Cpu.scan(&op::Add, out, a.operand),
            _ => Cpu.reduce(&op::Sum, out, b.operand),
        }
    }
}

/// A function of two operands that returns the first.
#[derive(Debug, Clone, Copy)]
struct First;

impl<T: Element> vierbein::device::BinaryOp<T, T> for First {
    type Output = T;
    const NAME: &'static str = "take the first of";
    fn apply(&self, a: T, _: T) -> T {
        a
    }
}

/// A reduction that returns the first element.
#[derive(Debug, Clone, Copy)]
struct FirstOf;

impl<T: Element> vierbein::device::Reduction<T> for FirstOf {
    type Acc = Option<T>;
    type Output = T;
    const NAME: &'static str = "first";
    const USES_INDEX: bool = true;
    fn identity(&self) -> Option<T> {
        None
    }
    fn fold(&self, acc: Option<T>, x: T, _: usize) -> Option<T> {
        acc.or(Some(x))
    }
    fn combine(&self, a: Option<T>, b: Option<T>) -> Option<T> {
        a.or(b)
    }
    fn finish(&self, acc: Option<T>, _: usize) -> Option<T> {
        acc
    }
}

/// Runs operations on the device [`Mixed`]. The kernels of `Cpu` that the device calls must check the shapes, and must write only
/// to their output.
pub(super) fn mixed<O: Order>(
    x: TensorView<'_, f64, Rank<2>, O>,
    y: TensorView<'_, f64, Rank<2>, O>,
    s: &mut Source<'_>,
) {
    if !super::products::feasible(&[&x.shape(), &y.shape()]) {
        return;
    }
    let device = Mixed(s.below(8));
    let there = |x: TensorView<'_, f64, Rank<2>, O>| {
        attempt("to_device of the host's", || x.to_device_in(&device))
            .expect("there is memory for small tensors")
    };
    let (a, mut b) = (there(x), there(y));
    let z = if s.below(2) == 0 {
        may_panic("matmul by other kernels", || a.try_matmul(&b).ok()).flatten()
    } else if s.below(2) == 0 {
        may_panic("to_owned by other kernels", || a.t().try_to_owned().ok()).flatten()
    } else {
        may_panic("assign by other kernels", || b.try_assign(&a).is_ok());
        Some(b)
    };
    if let Some(z) = z
        && let Some(z) = attempt("to_device from the host's", || z.to_device::<Cpu>())
    {
        s.keep(z);
    }
}
