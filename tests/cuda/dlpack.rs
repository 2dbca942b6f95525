//! Tests of DLPack for tensors on a GPU: exports, imports, and rejected structures. The imported tensors come from a producer in
//! this file, which imitates a producer that is written in C.

use crate::device;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vierbein::interop::dlpack::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLTensor, Dlpack, Managed,
};
use vierbein::prelude::*;
use vierbein::{DType, DynTensor, Error, MemoryOrder, c32, c64, tensor};

type Raw = *mut DLManagedTensorVersioned;

// ------------------------------------------------------------------ a producer

/// The memory that the producer keeps for an exported tensor, and a counter of how often the memory was freed.
struct Context {
    memory: Raw,
    _shape: Vec<i64>,
    _strides: Vec<i64>,
    frees: Arc<AtomicUsize>,
}

/// # Safety
/// `this` must come from `produce`, and must not be used afterwards.
unsafe extern "C" fn free(this: *mut DLManagedTensor) {
    // SAFETY: the caller ensures that `this` comes from `produce`, which created it by `Box::into_raw`. The caller also ensures that it is
    // not used afterwards.
    let this = unsafe { Box::from_raw(this) };
    // SAFETY: `produce` created `manager_ctx` by `Box::into_raw`, too. Only this function frees it, once.
    let context = unsafe { Box::from_raw(this.manager_ctx.cast::<Context>()) };
    // SAFETY: `memory` comes from `into_raw` in `produce`. Only the call below frees it, so the pointer is valid.
    let deleter = unsafe { (*context.memory).deleter };
    // SAFETY: `memory` is a valid exported tensor. Its deleter is called only here, and `memory` is not used afterwards.
    unsafe { deleter.unwrap()(context.memory) };
    context.frees.fetch_add(1, Ordering::SeqCst);
}

/// Exports a tensor with this shape and these strides, as a foreign producer does. Its elements are in memory of the first GPU.
/// Returns the structure, and the counter of calls of its deleter.
fn produce<T: Element>(
    data: &[T],
    shape: &[i64],
    strides: &[i64],
) -> (*mut DLManagedTensor, Arc<AtomicUsize>) {
    let frees = Arc::new(AtomicUsize::new(0));
    let on_gpu = Tensor::<T, _, RowMajor, Cuda>::from_slice_in([data.len()], data, &Cuda::new().unwrap());
    let memory: Raw = on_gpu.into_dlpack().into_raw();
    let (mut shape, mut strides) = (shape.to_vec(), strides.to_vec());
    let dl_tensor = DLTensor {
        // SAFETY: `memory` comes from `into_raw` above, so it points to a valid structure, which is not freed yet.
        data: unsafe { (*memory).dl_tensor.data },
        device: DLDevice { device_type: 2, device_id: 0 },
        ndim: shape.len() as i32,
        dtype: DLDataType::of(T::DTYPE),
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let context = Context { memory, _shape: shape, _strides: strides, frees: frees.clone() };
    let manager_ctx = Box::into_raw(Box::new(context)).cast::<c_void>();
    (Box::into_raw(Box::new(DLManagedTensor { dl_tensor, manager_ctx, deleter: Some(free) })), frees)
}

fn taken<M: Managed>(managed: *mut M) -> Dlpack<M> {
    // SAFETY: the tests pass structures from `produce` or `into_raw`, which are valid. Each is imported once, and only the import
    // uses it.
    unsafe { Dlpack::from_raw(managed) }.unwrap()
}

#[track_caller]
fn freed(frees: &Arc<AtomicUsize>, times: usize) {
    assert_eq!(frees.load(Ordering::SeqCst), times, "times that the memory was freed");
}

/// Copies the elements of a tensor on a GPU, in its memory order.
fn read<T: Element, D: Dim, O: Order>(x: &TensorView<'_, T, D, O, Cuda>) -> Vec<T> {
    x.to_device::<Cpu>().unwrap().into_vec()
}

// ------------------------------------------------------------------ export and import

fn round_trip<T: Element, O: Order>(values: [T; 6]) {
    for large in [1, 40_000] {
        let data: Vec<T> = values.iter().copied().cycle().take(6 * large).collect();
        let x = Tensor::<T, _, O, Cuda>::from_slice_in([2, 3, large], &data, &Cuda::new().unwrap());
        let strides: Vec<isize> = x.strides().to_vec();
        let raw: Raw = x.into_dlpack().into_raw();
        // SAFETY: `raw` comes from `into_raw`, so it points to a valid structure. It is not freed before it is imported below.
        let tensor = unsafe { (*raw).dl_tensor };
        assert_eq!(tensor.device, DLDevice { device_type: 2, device_id: 0 });
        assert_eq!(tensor.dtype, DLDataType::of(T::DTYPE));
        let given = taken(raw);
        assert_eq!(
            (given.dtype(), given.shape(), given.strides()),
            (T::DTYPE, &[2, 3, large][..], &strides[..])
        );
        assert_eq!(given.device(), tensor.device);
        let y: Tensor<T, Rank<3>, O, Cuda> = given.into_tensor().unwrap();
        assert_eq!(read(&y.view()), data);
        // An export in the older structure, without a version, refers to the same memory.
        let again = Dlpack::<DLManagedTensor>::from(y).into_raw();
        // SAFETY: `again` comes from `into_raw`, so it points to a valid structure. It is not freed before it is imported below.
        assert_eq!(unsafe { (*again).dl_tensor.data }, tensor.data);
        let y: Tensor<T, Rank<3>, O, Cuda> = taken(again).into_tensor().unwrap();
        assert_eq!(y.into_vec(), data);
    }
}

#[test]
fn all_element_types_round_trip() {
    if device().is_none() {
        return;
    }
    macro_rules! each {
        ($($t:ty: $values:expr;)*) => {$(
            round_trip::<$t, RowMajor>($values);
            round_trip::<$t, ColMajor>($values);
        )*};
    }
    let c = [1.0, -2.0, 0.5, 0.0, f32::MAX, 3.0];
    each! {
        bool: [true, false, false, true, true, false];
        i8: [1, -2, 3, 4, i8::MAX, i8::MIN];
        i16: [1, -2, 3, 4, i16::MAX, i16::MIN];
        i32: [1, -2, 3, 4, i32::MAX, i32::MIN];
        i64: [1, -2, 3, 4, i64::MAX, i64::MIN];
        u8: [1, 2, 3, 4, u8::MAX, 0];
        u16: [1, 2, 3, 4, u16::MAX, 0];
        u32: [1, 2, 3, 4, u32::MAX, 0];
        u64: [1, 2, 3, 4, u64::MAX, 0];
        f32: c;
        f64: c.map(f64::from);
        c32: c.map(|x| c32::new(x, -x));
        c64: c.map(|x| c64::new(x.into(), (-x).into()));
    }
}

#[test]
fn no_elements() {
    let Some(gpu) = device() else { return };
    let raw: Raw = Tensor::<f64, _, RowMajor, Cuda>::zeros_in([0, 2], &gpu).into_dlpack().into_raw();
    // SAFETY: `raw` comes from `into_raw`, so it points to a valid structure. It is not freed before it is imported below.
    assert!(unsafe { (*raw).dl_tensor.data }.is_null());
    let back: Tensor<f64, Rank<2>, RowMajor, Cuda> = taken(raw).into_tensor().unwrap();
    assert_eq!((back.shape(), back.into_vec()), ([0, 2], vec![]));
}

// ------------------------------------------------------------------ the deleter

#[test]
fn the_deleter_is_called_once() {
    if device().is_none() {
        return;
    }
    let produce = || produce(&[0, 1, 2, 3, 4, 5], &[2, 3], &[3, 1]);
    let (managed, frees) = produce();
    drop(taken(managed));
    freed(&frees, 1);

    // The import becomes a tensor, which operations read and consume, and which another thread frees.
    let (managed, frees) = produce();
    let x: Tensor<i32, Rank<2>, RowMajor, Cuda> = taken(managed).into_tensor().unwrap();
    let y = &x + &x;
    freed(&frees, 0);
    let z = x + 1;
    freed(&frees, 0);
    std::thread::spawn(move || drop(z)).join().unwrap();
    freed(&frees, 1);
    assert_eq!(y.into_vec(), [0, 2, 4, 6, 8, 10]);

    let (managed, frees) = produce();
    let x: Tensor<i32, Rank<2>, RowMajor, Cuda> = taken(managed).into_tensor().unwrap();
    assert_eq!(x.into_vec(), [0, 1, 2, 3, 4, 5]);
    freed(&frees, 1);

    // The error of a failed conversion contains the import, which can be dropped or converted again.
    let (managed, frees) = produce();
    let rejected = taken(managed).into_tensor::<i64, Rank<2>, RowMajor, Cuda>().unwrap_err();
    let rejected = rejected.value.into_tensor::<i32, Rank<2>, ColMajor, Cuda>().unwrap_err();
    let rejected = rejected.value.into_tensor::<i32, Rank<3>, RowMajor, Cuda>().unwrap_err();
    let rejected = rejected.value.into_tensor::<i32, Rank<2>, RowMajor, Cpu>().unwrap_err();
    let rejected = rejected.value.into_tensor::<i32, Rank<2>, RowMajor, Cuda<1>>().unwrap_err();
    let raw = rejected.value.into_raw();
    assert_eq!(raw, managed);
    freed(&frees, 0);
    drop(taken(raw));
    freed(&frees, 1);

    let (managed, frees) = produce();
    let given = taken(managed);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let x: Tensor<i32, Rank<2>, RowMajor, Cuda> = given.into_tensor().unwrap();
        let _ = x.index_axis(0, 2);
    }));
    assert!(panicked.is_err());
    freed(&frees, 1);
}

// ------------------------------------------------------------------ layouts

#[test]
fn any_strides_can_be_viewed() {
    if device().is_none() {
        return;
    }
    let data: Vec<i16> = (0..24).collect();
    let (managed, frees) = produce(&data, &[2, 3], &[-12, 2]);
    // SAFETY: `managed` comes from `produce`, so it points to a valid structure, which nothing else accesses. Byte 28 is element
    // 14.
    unsafe { (*managed).dl_tensor.byte_offset = 28 };
    let mut given = taken(managed);
    let x = given.view::<i16, Rank<2>, RowMajor, Cuda>().unwrap();
    assert_eq!(read(&x), [14, 16, 18, 2, 4, 6]);
    assert_eq!(read(&given.view::<i16, Rank<2>, ColMajor, Cuda>().unwrap()), [14, 2, 16, 4, 18, 6]);
    assert_eq!((x + 1).into_vec(), [15, 17, 19, 3, 5, 7]);
    let copy = given.to_dyn_tensor(MemoryOrder::ColMajor).unwrap();
    assert_eq!((copy.device_name(), copy.strides()), ("Cuda<0>".to_string(), &[1, 2][..]));
    assert_eq!(copy.to_vec::<i16>().unwrap(), [14, 2, 16, 4, 18, 6]);
    given.view_mut::<i16, Rank<2>, RowMajor, Cuda>().unwrap().index_axis_mut(0, 1).fill(7);
    assert_eq!(read(&given.view::<i16, Rank<2>, RowMajor, Cuda>().unwrap()), [14, 16, 18, 7, 7, 7]);
    let rejected = given.into_tensor::<i16, Rank<2>, RowMajor, Cuda>().unwrap_err();
    assert!(rejected.to_string().contains("is not contiguous in row-major order"), "{rejected}");
    let rejected = DynTensor::try_from(rejected.value).unwrap_err();
    drop(rejected);
    freed(&frees, 1);

    // A tensor with stride 0 can be viewed, but not mutably.
    let (managed, frees) = produce(&[5.0, 6.0], &[3, 2], &[0, 1]);
    let mut given = taken(managed);
    assert_eq!(read(&given.view::<f64, Rank<2>, RowMajor, Cuda>().unwrap()), [5.0, 6.0, 5.0, 6.0, 5.0, 6.0]);
    assert!(matches!(given.view_mut::<f64, Rank<2>, RowMajor, Cuda>(), Err(Error::InvalidStrides { .. })));
    drop(given);
    freed(&frees, 1);
}

// ------------------------------------------------------------------ `DynTensor`

#[test]
fn dyn_tensors_round_trip() {
    if device().is_none() {
        return;
    }
    let data: Vec<f32> = (0..6).map(|k| k as f32).collect();
    for (strides, order) in [([3, 1], MemoryOrder::RowMajor), ([1, 2], MemoryOrder::ColMajor)] {
        let (managed, frees) = produce(&data, &[2, 3], &strides);
        // SAFETY: `managed` comes from `produce`, so it points to a valid structure. It is not freed before the import below is
        // dropped.
        let address = unsafe { (*managed).dl_tensor.data };
        let x = DynTensor::try_from(taken(managed)).unwrap();
        assert_eq!((x.dtype(), x.shape(), x.order()), (DType::F32, &[2, 3][..], order));
        assert_eq!(x.device_name(), "Cuda<0>");
        assert_eq!(x.to_vec::<f32>().unwrap(), data);
        let twice = x.try_add(&x).unwrap();
        let again = Dlpack::<DLManagedTensorVersioned>::try_from(x).unwrap();
        assert_eq!((again.shape(), again.strides()), (&[2, 3][..], &strides.map(|s| s as isize)[..]));
        let raw = again.into_raw();
        // SAFETY: `raw` comes from `into_raw`, so it points to a valid structure. It is not freed before it is imported below.
        assert_eq!(unsafe { (*raw).dl_tensor.data }, address);
        freed(&frees, 0);
        drop(taken(raw));
        freed(&frees, 1);
        assert_eq!(twice.to_vec::<f32>().unwrap(), data.iter().map(|x| 2.0 * x).collect::<Vec<_>>());
    }
}

// ------------------------------------------------------------------ rejected structures

#[test]
fn mismatched_type_is_error_naming_actual_type() {
    if device().is_none() {
        return;
    }
    let (managed, _) = produce(&[1, 2, 3, 4], &[2, 2], &[2, 1]);
    let mut given = taken(managed);
    let error = given.view::<i32, Rank<2>, RowMajor, Cpu>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot view a DLPack tensor: it is on Cuda<0>, not Cpu; import it on `Cuda<0>` and copy it with \
         `.to_device::<Cpu>()?`"
    );
    let error = given.view_mut::<i32, Rank<2>, RowMajor, Cuda<1>>().unwrap_err();
    assert!(error.to_string().contains("it is on Cuda<0>, not Cuda<1>; import it on `Cuda<0>`"), "{error}");
    let error = given.view::<f32, Rank<2>, RowMajor, Cuda>().unwrap_err();
    assert!(error.to_string().contains("it holds i32 of shape [2, 2], not f32"), "{error}");
    let error = given.view::<i32, Rank<1>, RowMajor, Cuda>().unwrap_err();
    assert!(error.to_string().contains("which has rank 2, not 1; import a tensor of `Rank<2>`"), "{error}");
    let rejected = given.into_tensor::<i32, Rank<2>, ColMajor, Cuda>().unwrap_err();
    assert!(rejected.to_string().contains("is not contiguous in column-major order"), "{rejected}");

    let on_host = tensor![1, 2].into_dlpack();
    let error = on_host.view::<i32, Rank<1>, RowMajor, Cuda>().unwrap_err();
    assert!(error.to_string().contains("it is on Cpu, not Cuda<0>; import it on `Cpu`"), "{error}");
    let rejected = on_host.into_tensor::<i32, Rank<1>, RowMajor, Cuda>().unwrap_err();
    assert_eq!(rejected.value.into_tensor::<i32, Rank<1>, RowMajor, Cpu>().unwrap(), tensor![1, 2]);
}

/// Exports a valid tensor with one complex number, changes its structure by `damage`, and imports it. Asserts that the import is
/// rejected with an error that contains `words`, and does not free the structure.
#[track_caller]
fn rejected(words: &str, damage: impl FnOnce(&mut DLManagedTensor)) {
    let (managed, frees) = produce(&[c64::new(1.0, 2.0); 2], &[1], &[1]);
    // SAFETY: `managed` comes from `produce`, so it points to a valid structure, which nothing else accesses.
    damage(unsafe { &mut *managed });
    // SAFETY: the structure has not been freed, and each undamaged field is valid. The import checks a damaged field before it uses
    // the field, and rejects the structure.
    let error = unsafe { Dlpack::from_raw(managed) }.unwrap_err();
    assert!(error.to_string().contains(words), "{error}");
    freed(&frees, 0);
    // SAFETY: `managed` comes from `produce`. The failed import has not freed it, and it is not used afterwards.
    unsafe { free(managed) };
    freed(&frees, 1);
}

#[test]
fn import_rejects_invalid_structures_without_freeing() {
    if device().is_none() {
        return;
    }
    let at = |device_type, device_id| {
        move |m: &mut DLManagedTensor| m.dl_tensor.device = DLDevice { device_type, device_id }
    };
    rejected(
        "(device type 2, number 4095), but Cuda<4095> is not available: there is no GPU 4095 on this machine, ",
        at(2, 4095),
    );
    rejected("(device type 2, number -1), but this is not a valid GPU number", at(2, -1));
    rejected("it is in CUDA managed memory", at(13, 0));
    rejected("it is in ROCm memory (device type 10, number 0)", at(10, 0));
    rejected("it has elements, but no data", |m| m.dl_tensor.data = null_mut());
    // The GPU loads a complex number by one instruction, so the address must be a multiple of its size.
    rejected("is not a multiple of 16, the alignment of Complex<f64> on Cuda<0>", |m| {
        m.dl_tensor.byte_offset = 8
    });
}
