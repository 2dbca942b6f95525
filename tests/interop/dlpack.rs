//! Tests of DLPack: exports, imports, and rejected structures. The imported tensors come from a producer in this file, which
//! imitates one that is written in C.

use crate::memory::Frees;
use std::ffi::c_void;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use vierbein::interop::dlpack::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor, Dlpack, Managed,
};
use vierbein::prelude::*;
use vierbein::{AnyRank, DType, DynTensor, Error, MemoryOrder, c32, c64, tensor};

// ------------------------------------------------------------------ a producer

/// The memory that the producer keeps for an exported tensor: the arrays of shape and strides, and a counter of calls of the
/// deleter.
struct Context {
    _shape: Vec<i64>,
    _strides: Vec<i64>,
    frees: Frees,
}

/// One of the two DLPack structures, with functions by which the producer creates and frees it.
trait Structure: Managed + Debug {
    fn made(tensor: DLTensor, context: *mut c_void) -> Self;
    /// # Safety
    /// `this` must come from `produce`, and must not be used afterwards.
    unsafe extern "C" fn free(this: *mut Self);
}

impl Structure for DLManagedTensor {
    fn made(dl_tensor: DLTensor, manager_ctx: *mut c_void) -> Self {
        DLManagedTensor { dl_tensor, manager_ctx, deleter: Some(Self::free) }
    }
    unsafe extern "C" fn free(this: *mut Self) {
        // SAFETY: the caller ensures that `this` comes from `produce`, which created it by `Box::into_raw`, and is not used
        // afterwards.
        let this = unsafe { Box::from_raw(this) };
        // SAFETY: `produce` created `manager_ctx` by `Box::into_raw`, too. Only this function frees it, once.
        unsafe { Box::from_raw(this.manager_ctx.cast::<Context>()) }.frees.count();
    }
}

impl Structure for DLManagedTensorVersioned {
    fn made(dl_tensor: DLTensor, manager_ctx: *mut c_void) -> Self {
        let version = DLPackVersion { major: 1, minor: 1 };
        DLManagedTensorVersioned { version, manager_ctx, deleter: Some(Self::free), flags: 0, dl_tensor }
    }
    unsafe extern "C" fn free(this: *mut Self) {
        // SAFETY: the caller ensures that `this` comes from `produce`, which created it by `Box::into_raw`, and is not used
        // afterwards.
        let this = unsafe { Box::from_raw(this) };
        // SAFETY: `produce` created `manager_ctx` by `Box::into_raw`, too. Only this function frees it, once.
        unsafe { Box::from_raw(this.manager_ctx.cast::<Context>()) }.frees.count();
    }
}

/// Exports `data` as the producer. Returns the structure, and the counter of calls of its deleter. The tests keep `data` alive
/// until the structure is freed.
fn produce<M: Structure, T: Element>(
    data: &mut [T],
    shape: &[i64],
    strides: Option<&[i64]>,
) -> (*mut M, Frees) {
    let frees = Frees::default();
    let mut shape = shape.to_vec();
    let has_strides = strides.is_some();
    let mut strides = strides.unwrap_or_default().to_vec();
    let tensor = DLTensor {
        data: data.as_mut_ptr().cast(),
        device: DLDevice { device_type: 1, device_id: 0 },
        ndim: shape.len() as i32,
        dtype: DLDataType::of(T::DTYPE),
        shape: shape.as_mut_ptr(),
        strides: if has_strides { strides.as_mut_ptr() } else { null_mut() },
        byte_offset: 0,
    };
    let context = Box::new(Context { _shape: shape, _strides: strides, frees: frees.clone() });
    (Box::into_raw(Box::new(M::made(tensor, Box::into_raw(context).cast()))), frees)
}

fn taken<M: Structure>(managed: *mut M) -> Dlpack<M> {
    // SAFETY: `managed` comes from `produce` and has not been freed. Its elements are in memory of the test, which the test does
    // not access while the import exists.
    unsafe { Dlpack::from_raw(managed) }.unwrap()
}

// ------------------------------------------------------------------ the deleter

fn the_deleter_is_called_once_for<M: Structure>() {
    let mut data = [0, 1, 2, 3, 4, 5];
    let (managed, frees) = produce::<M, i32>(&mut data, &[2, 3], None);
    drop(taken(managed));
    frees.are(1);

    // The import becomes a tensor, which an operation consumes and another thread frees.
    let (managed, frees) = produce::<M, i32>(&mut data, &[2, 3], None);
    let x: Tensor<i32, Rank<2>> = taken(managed).into_tensor().unwrap();
    assert_eq!(x, tensor![[0, 1, 2], [3, 4, 5]]);
    let y = x + 1;
    frees.are(0);
    std::thread::spawn(move || drop(y)).join().unwrap();
    frees.are(1);
    assert_eq!(data, [1, 2, 3, 4, 5, 6]);

    let (managed, frees) = produce::<M, i32>(&mut data, &[6], None);
    assert_eq!(
        taken(managed).into_tensor::<i32, Rank<1>, RowMajor, Cpu>().unwrap().into_vec(),
        [1, 2, 3, 4, 5, 6]
    );
    frees.are(1);

    // The error of a failed conversion contains the import, which can be dropped or converted again.
    let (managed, frees) = produce::<M, i32>(&mut data, &[2, 3], None);
    let rejected = taken(managed).into_tensor::<i64, Rank<2>, RowMajor, Cpu>().unwrap_err();
    frees.are(0);
    let rejected = rejected.value.into_tensor::<i32, Rank<2>, ColMajor, Cpu>().unwrap_err();
    let rejected = rejected.value.into_tensor::<i32, Rank<3>, RowMajor, Cpu>().unwrap_err();
    let raw = rejected.value.into_raw();
    assert_eq!(raw, managed);
    frees.are(0);
    drop(taken(raw));
    frees.are(1);

    let (managed, frees) = produce::<M, i32>(&mut data, &[2, 3], None);
    let given = taken(managed);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let x: Tensor<i32, Rank<2>> = given.into_tensor().unwrap();
        x[[2, 0]]
    }));
    assert!(panicked.is_err());
    frees.are(1);
}

#[test]
fn the_deleter_is_called_once() {
    the_deleter_is_called_once_for::<DLManagedTensor>();
    the_deleter_is_called_once_for::<DLManagedTensorVersioned>();
}

#[test]
fn producer_without_deleter_is_accepted() {
    let mut data = [1.5];
    let (managed, frees) = produce::<DLManagedTensor, f64>(&mut data, &[], None);
    // SAFETY: `managed` comes from `produce`, and the structure has not been freed. No other reference to it exists.
    let deleter = unsafe { (*managed).deleter.take() }.unwrap();
    assert_eq!(taken(managed).into_tensor::<f64, Rank<0>, RowMajor, Cpu>().unwrap().item(), 1.5);
    frees.are(0);
    // SAFETY: `managed` comes from `produce`. Its field `deleter` was `None`, so the import has not freed the structure. `managed`
    // is not used afterwards.
    unsafe { deleter(managed) };
    frees.are(1);
}

// ------------------------------------------------------------------ layouts

#[test]
fn any_strides_can_be_viewed() {
    let mut data: Vec<i16> = (0..24).collect();
    let address = data.as_ptr();
    let (managed, frees) = produce::<DLManagedTensorVersioned, i16>(&mut data, &[2, 3], Some(&[-12, 2]));
    // SAFETY: `managed` comes from `produce`, so it points to a valid structure, which nothing else accesses. Byte 28 is the first byte of
    // element 14. From there, the strides lead only to elements of `data`.
    unsafe { (*managed).dl_tensor.byte_offset = 28 };
    let mut given = taken(managed);
    assert_eq!((given.dtype(), given.shape(), given.strides()), (DType::I16, &[2, 3][..], &[-12, 2][..]));
    let x = given.view::<i16, Rank<2>, ColMajor, Cpu>().unwrap();
    assert_eq!(x, Tensor::<i16, _, ColMajor>::from([[14, 16, 18], [2, 4, 6]]));
    assert_eq!(x.as_ptr(), address.wrapping_add(14));
    given.view_mut::<i16, Rank<2>, RowMajor, Cpu>().unwrap().index_axis_mut(0, 1).fill(7);
    let rejected = given.into_tensor::<i16, Rank<2>, RowMajor, Cpu>().unwrap_err();
    assert!(rejected.to_string().contains("is not contiguous in row-major order"), "{rejected}");
    drop(rejected);
    frees.are(1);
    assert_eq!(data[2..8], [7, 3, 7, 5, 7, 7]);

    // Contiguous tensors of both memory orders; row-major ones with and without explicit strides.
    for (strides, first) in [(None, [0, 1]), (Some(&[3, 1][..]), [0, 1]), (Some(&[1, 2][..]), [0, 2])] {
        let (managed, _) = produce::<DLManagedTensor, i16>(&mut data, &[2, 3], strides);
        let given = taken(managed);
        let row_major = strides != Some(&[1, 2]);
        let x = given.view::<i16, Rank<2>, RowMajor, Cpu>().unwrap();
        assert_eq!([&x[[0, 0]], &x[[0, 1]]].map(std::ptr::from_ref), first.map(|k| address.wrapping_add(k)));
        if row_major {
            let _ = given.into_tensor::<i16, Rank<2>, RowMajor, Cpu>().unwrap();
        } else {
            let _ = given.into_tensor::<i16, Rank<2>, ColMajor, Cpu>().unwrap();
        }
    }
}

#[test]
fn zero_stride_tensors_are_read_only() {
    let mut data = [5.0, 6.0];
    let (managed, _) = produce::<DLManagedTensor, f64>(&mut data, &[3, 2], Some(&[0, 1]));
    let mut given = taken(managed);
    assert_eq!(
        given.view::<f64, Rank<2>, RowMajor, Cpu>().unwrap(),
        tensor![[5.0, 6.0], [5.0, 6.0], [5.0, 6.0]]
    );
    assert!(matches!(given.view_mut::<f64, Rank<2>, RowMajor, Cpu>(), Err(Error::InvalidStrides { .. })));
    assert!(given.into_tensor::<f64, Rank<2>, RowMajor, Cpu>().is_err());
}

#[test]
fn read_only_tensors_reject_mutable_views() {
    let mut data = [5.0, 6.0];
    let (managed, frees) = produce::<DLManagedTensorVersioned, f64>(&mut data, &[2], None);
    // SAFETY: `managed` comes from `produce`, so it points to a valid structure, which nothing else accesses.
    unsafe { (*managed).flags = 1 };
    let mut given = taken(managed);
    assert!(given.is_read_only());
    assert_eq!(given.view::<f64, Rank<1>, RowMajor, Cpu>().unwrap(), tensor![5.0, 6.0]);
    let error = given.view_mut::<f64, Rank<1>, RowMajor, Cpu>().unwrap_err().to_string();
    assert!(error.contains("the producer exported it as read-only; copy it"), "{error}");
    let rejected = given.into_tensor::<f64, Rank<1>, RowMajor, Cpu>().unwrap_err();
    assert_eq!(rejected.value.view::<f64, Rank<1>, RowMajor, Cpu>().unwrap().to_owned(), tensor![5.0, 6.0]);
    frees.are(0);
    drop(rejected);
    frees.are(1);
}

#[test]
fn pinned_memory_is_host_memory() {
    let mut data = [5.0, 6.0];
    let (managed, frees) = produce::<DLManagedTensor, f64>(&mut data, &[2], None);
    // SAFETY: `managed` comes from `produce`, so it points to a valid structure, which nothing else accesses.
    unsafe { (*managed).dl_tensor.device = DLDevice { device_type: 3, device_id: 1 } };
    let given = taken(managed);
    assert_eq!(given.device(), DLDevice { device_type: 3, device_id: 1 });
    assert_eq!(format!("{given:?}"), "Dlpack(f64 [2], strides [1], on Cpu)");
    let error = given.view::<f64, Rank<1>, RowMajor, Cuda>().unwrap_err();
    assert!(error.to_string().contains("it is on Cpu, not Cuda<0>; import it on `Cpu`"), "{error}");
    let x: Tensor<f64, Rank<1>> = given.into_tensor().unwrap();
    assert_eq!(x, tensor![5.0, 6.0]);
    drop(x);
    frees.are(1);
}

#[test]
fn no_elements() {
    let (managed, frees) =
        produce::<DLManagedTensor, f64>(&mut [], &[3, 0], Some(&[isize::MAX as i64, isize::MIN as i64]));
    // SAFETY: `managed` comes from `produce`, so it points to a valid structure, which nothing else accesses.
    unsafe { (*managed).dl_tensor.data = null_mut() };
    let given = taken(managed);
    assert_eq!(given.view::<f64, Rank<2>, ColMajor, Cpu>().unwrap().shape(), [3, 0]);
    assert_eq!(given.to_dyn_tensor(MemoryOrder::ColMajor).unwrap().shape(), [3, 0]);
    let x: Tensor<f64, Rank<2>> = given.into_tensor().unwrap();
    assert_eq!((x.shape(), x.sum().item()), ([3, 0], 0.0));
    drop(x);
    frees.are(1);
    let raw = Tensor::<f64, _>::zeros([0, 2]).into_dlpack().into_raw();
    // SAFETY: `raw` comes from `into_raw` above, so it points to a valid structure. It is not freed before the import below.
    assert!(unsafe { (*raw).dl_tensor.data }.is_null());
    // SAFETY: `raw` comes from `into_raw` above, so it points to a valid exported tensor. It is imported only here.
    let back = unsafe { Dlpack::from_raw(raw) }.unwrap();
    assert_eq!(back.into_tensor::<f64, Rank<2>, RowMajor, Cpu>().unwrap().shape(), [0, 2]);
}

// ------------------------------------------------------------------ exports

fn round_trip<T: Element, M: Managed>(values: [T; 6], code: u8, bits: u8) {
    for large in [1, 40_000] {
        let data: Vec<T> = values.iter().copied().cycle().take(6 * large).collect();
        let x = Tensor::<T, _, ColMajor>::from_vec([2, 3, large], data.clone());
        let address = x.as_ptr();
        let given = Dlpack::<M>::from(x);
        assert_eq!(
            (given.dtype(), given.shape(), given.strides()),
            (T::DTYPE, &[2, 3, large][..], &[1, 2, 6][..])
        );
        assert_eq!(DLDataType::of(T::DTYPE), DLDataType { code, bits, lanes: 1 });
        let raw = given.into_raw();
        // SAFETY: `raw` comes from `into_raw` above, so it points to a valid exported tensor. It is imported only here.
        let given = unsafe { Dlpack::from_raw(raw) }.unwrap();
        let y: Tensor<T, Rank<3>, ColMajor> = given.into_tensor().unwrap();
        assert_eq!((y.as_ptr(), y.as_slice()), (address, &data[..]));
        // A rank that is known at run time only.
        let y: Tensor<T, AnyRank, ColMajor> = Dlpack::<M>::from(y).into_tensor().unwrap();
        assert_eq!((y.as_ptr(), y.rank()), (address, 3));
        let error = Dlpack::<M>::from(y).into_tensor::<T, AnyRank<2>, ColMajor, Cpu>().unwrap_err();
        assert!(error.to_string().contains("which has rank 3, not 0 to 2"), "{error}");
    }
}

#[test]
fn all_element_types_round_trip() {
    macro_rules! each {
        ($($t:ty: $code:literal, $values:expr;)*) => {$(
            round_trip::<$t, DLManagedTensor>($values, $code, 8 * size_of::<$t>() as u8);
            round_trip::<$t, DLManagedTensorVersioned>($values, $code, 8 * size_of::<$t>() as u8);
        )*};
    }
    let c = [1.0, -2.0, 0.5, 0.0, f32::MAX, 3.0];
    each! {
        bool: 6, [true, false, false, true, true, false];
        i8: 0, [1, -2, 3, 4, i8::MAX, i8::MIN];
        i16: 0, [1, -2, 3, 4, i16::MAX, i16::MIN];
        i32: 0, [1, -2, 3, 4, i32::MAX, i32::MIN];
        i64: 0, [1, -2, 3, 4, i64::MAX, i64::MIN];
        u8: 1, [1, 2, 3, 4, u8::MAX, 0];
        u16: 1, [1, 2, 3, 4, u16::MAX, 0];
        u32: 1, [1, 2, 3, 4, u32::MAX, 0];
        u64: 1, [1, 2, 3, 4, u64::MAX, 0];
        f32: 2, c;
        f64: 2, c.map(f64::from);
        c32: 5, c.map(|x| c32::new(x, -x));
        c64: 5, c.map(|x| c64::new(x.into(), (-x).into()));
    }
}

#[test]
fn exported_structure_describes_tensor() {
    let x = tensor![[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]];
    let address = x.as_ptr();
    let raw = x.into_dlpack().into_raw();
    // SAFETY: `raw` comes from `into_raw` above, so it points to a valid structure. It is not freed before its deleter is called
    // below.
    let DLManagedTensorVersioned { version, flags, dl_tensor, deleter, .. } = unsafe { &*raw };
    assert_eq!((version.major, *flags), (1, 0));
    assert_eq!(dl_tensor.data.cast_const().cast(), address);
    assert_eq!((dl_tensor.device.device_type, dl_tensor.ndim, dl_tensor.byte_offset), (1, 2, 0));
    for (numbers, expected) in [(dl_tensor.shape, [2, 3]), (dl_tensor.strides, [3, 1])] {
        // SAFETY: `numbers` points to the shape or the strides, which have one number for each of the two axes. They live as long as the
        // structure.
        assert_eq!(unsafe { std::slice::from_raw_parts(numbers, 2) }, expected);
    }
    // SAFETY: the deleter is called once, and `raw` is not used afterwards.
    unsafe { deleter.unwrap()(raw) };
}

// ------------------------------------------------------------------ `DynTensor`

#[test]
fn dyn_tensors_round_trip() {
    let mut data: Vec<i16> = (0..6).collect();
    let address = data.as_ptr();
    for (strides, order) in [(&[3, 1], MemoryOrder::RowMajor), (&[1, 2], MemoryOrder::ColMajor)] {
        let (managed, frees) = produce::<DLManagedTensorVersioned, i16>(&mut data, &[2, 3], Some(strides));
        let x = DynTensor::try_from(taken(managed)).unwrap();
        assert_eq!((x.dtype(), x.shape(), x.order()), (DType::I16, &[2, 3][..], order));
        let again = Dlpack::<DLManagedTensor>::try_from(x).unwrap();
        assert_eq!((again.shape(), again.strides()), (&[2, 3][..], &strides.map(|s| s as isize)[..]));
        assert_eq!(again.view::<i16, Rank<2>, RowMajor, Cpu>().unwrap().as_ptr(), address);
        frees.are(0);
        drop(again);
        frees.are(1);
    }
    // A tensor that is not contiguous or is read-only is rejected. The error contains the import, which can be copied.
    let (managed, frees) = produce::<DLManagedTensorVersioned, i16>(&mut data, &[2, 2], Some(&[3, 2]));
    let rejected = DynTensor::try_from(taken(managed)).unwrap_err();
    let copy = rejected.value.to_dyn_tensor(MemoryOrder::ColMajor).unwrap();
    drop(rejected);
    frees.are(1);
    assert_eq!(copy.downcast::<i16, Rank<2>, ColMajor, Cpu>().unwrap().as_slice(), [0, 3, 2, 5]);
    let (managed, frees) = produce::<DLManagedTensorVersioned, i16>(&mut data, &[6], None);
    // SAFETY: `managed` comes from `produce`, so it points to a valid structure, which nothing else accesses.
    unsafe { (*managed).flags = 1 };
    let rejected = DynTensor::try_from(taken(managed)).unwrap_err();
    assert!(rejected.to_string().contains("the producer exported it as read-only"), "{rejected}");
    drop(rejected);
    frees.are(1);
}

// ------------------------------------------------------------------ rejected structures

/// Exports a valid tensor of six `f64`, changes its structure by `damage`, and imports it. Asserts that the import is rejected with
/// an error that contains `words`, and does not free the structure.
#[track_caller]
fn rejected(words: &str, damage: impl FnOnce(&mut DLManagedTensorVersioned)) {
    let mut data = [0.0; 6];
    let (managed, frees) = produce::<DLManagedTensorVersioned, f64>(&mut data, &[2, 3], Some(&[3, 1]));
    // SAFETY: `managed` comes from `produce`, so it points to a valid structure, which nothing else accesses.
    damage(unsafe { &mut *managed });
    // SAFETY: the structure has not been freed, and each undamaged field is valid. The import checks a damaged field before it uses
    // the field, and rejects the structure.
    let error = unsafe { Dlpack::from_raw(managed) }.unwrap_err();
    assert!(error.to_string().contains(words), "{error}");
    frees.are(0);
    // SAFETY: `managed` comes from `produce`. The failed import has not freed it, and it is not used afterwards.
    unsafe { Structure::free(managed) };
    frees.are(1);
}

#[test]
fn import_rejects_invalid_structures_without_freeing() {
    rejected("its DLPack version is 2", |m| m.version.major = 2);
    let at = |device_type, device_id| {
        move |m: &mut DLManagedTensorVersioned| m.dl_tensor.device = DLDevice { device_type, device_id }
    };
    rejected("(device type 2, number 4095), but Cuda<4095> is not available: ", at(2, 4095));
    if cfg!(not(feature = "cuda")) {
        rejected("this build of vierbein does not support CUDA; enable the feature `cuda`", at(2, 0));
    }
    rejected(
        "it is in CUDA managed memory (device type 13, number 0), which is not tied to one device",
        at(13, 0),
    );
    rejected(
        "it is in another device's memory (device type 4, number 1), but only host memory (type 1, or 3",
        at(4, 1),
    );
    rejected("type code 2, 16 bits, 1 lanes", |m| m.dl_tensor.dtype.bits = 16);
    rejected("type code 2, 64 bits, 4 lanes", |m| m.dl_tensor.dtype.lanes = 4);
    rejected("type code 9, 64 bits", |m| m.dl_tensor.dtype.code = 9);
    rejected("it has -1 axes", |m| m.dl_tensor.ndim = -1);
    rejected("it has 65 axes, but tensors have 0 to 64", |m| m.dl_tensor.ndim = 65);
    rejected("it has 2 axes, but no shape", |m| m.dl_tensor.shape = null_mut());
    rejected("it has elements, but no data", |m| m.dl_tensor.data = null_mut());
    // The alignment of `f64` depends on the target: on 32-bit x86 it is 4.
    let alignment = format!("is not a multiple of {}, the alignment of f64", align_of::<f64>());
    rejected(&alignment, |m| m.dl_tensor.byte_offset = 2);
    rejected("its byte offset 18446744073709551600 exceeds", |m| m.dl_tensor.byte_offset = u64::MAX - 15);
    let (most, least, long) = (isize::MAX as i64, isize::MIN as i64, 1 << (usize::BITS / 2 + 8));
    let mut numbers = [[2, -3], [long, long], [most, 2], [least, 1]];
    let [negative, product, long, least] = &mut numbers;
    rejected("its shape [2, -3] has an invalid extent", |m| m.dl_tensor.shape = negative.as_mut_ptr());
    rejected("exceeds the address space", |m| m.dl_tensor.shape = product.as_mut_ptr());
    rejected("exceeds the address space", |m| m.dl_tensor.shape = long.as_mut_ptr());
    rejected("exceeds the address space", |m| m.dl_tensor.strides = long.as_mut_ptr());
    rejected("exceeds the address space", |m| m.dl_tensor.strides = least.as_mut_ptr());
    // SAFETY: `from_raw` accepts a null pointer: it returns an error without dereferencing it.
    let error = unsafe { Dlpack::<DLManagedTensor>::from_raw(null_mut()) }.unwrap_err();
    assert!(error.to_string().contains("its address is null"), "{error}");
}

// ------------------------------------------------------------------ another implementation

/// Runs a Python program that loads the example `dlpack_library`, with NumPy as consumer of its tensors. `cargo test` builds the
/// library with the examples.
#[test]
fn numpy_shares_memory() {
    let examples = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples");
    let library = ["libdlpack_library.so", "libdlpack_library.dylib", "dlpack_library.dll"]
        .map(|name| examples.join(name));
    let Some(library) = library.iter().find(|path| path.exists()) else {
        eprintln!("skipped: the example `dlpack_library` is not built");
        return;
    };
    let numpy = "import numpy as n; assert tuple(map(int, n.__version__.split('.')[:2])) >= (2, 1)";
    let has_numpy = std::process::Command::new("python3").args(["-c", numpy]).output();
    if !has_numpy.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no `python3` with NumPy 2.1 or later here");
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/dlpack_library.py");
    let output = std::process::Command::new("python3").arg(script).arg(library).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
