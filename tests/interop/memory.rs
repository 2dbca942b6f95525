//! Tests of tensors in foreign memory, of raw parts, and of views of slices with any strides.

use proptest::prelude::{ProptestConfig, any, proptest};
use proptest::{prop_assert, prop_assert_eq};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vierbein::device::ForeignMemory;
use vierbein::prelude::*;
use vierbein::{Error, tensor};

/// Counts how often an owner has freed its memory.
#[derive(Clone, Default)]
pub(crate) struct Frees(Arc<AtomicUsize>);

impl Frees {
    pub(crate) fn count(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
    #[track_caller]
    pub(crate) fn are(&self, wanted: usize) {
        assert_eq!(self.0.load(Ordering::SeqCst), wanted, "times that the memory was freed");
    }
}

/// Foreign memory that counts how often it is freed.
#[derive(Debug)]
struct Owner<T> {
    elements: Vec<T>,
    frees: Frees,
}

impl std::fmt::Debug for Frees {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> Drop for Owner<T> {
    fn drop(&mut self) {
        self.frees.count();
    }
}

// SAFETY: the elements are those of a `Vec`, which are valid until the owner is dropped, at an address and with a length that do
// not change. Only `elements` accesses them.
unsafe impl<T: Element> ForeignMemory<T> for Owner<T> {
    fn elements(&mut self) -> &mut [T] {
        &mut self.elements
    }
}

fn owner(len: usize) -> (Owner<f64>, Frees, *const f64) {
    let elements: Vec<f64> = (0..len).map(|k| k as f64).collect();
    let (frees, address) = (Frees::default(), elements.as_ptr());
    (Owner { elements, frees: frees.clone() }, frees, address)
}

/// Numbers of elements: none, a few, and enough that the buffer pool would keep an owned buffer of this size.
const SIZES: [usize; 3] = [0, 6, 600_000];

#[test]
fn foreign_memory_is_not_copied_and_freed_once() {
    for columns in SIZES.map(|len| len / 2) {
        let (memory, frees, address) = owner(2 * columns);
        let mut x = Tensor::<f64, _>::from_buffer([2, columns], memory);
        assert_eq!((x.as_ptr(), x.shape()), (address, [2, columns]));
        assert!(x.iter().enumerate().all(|(k, &value)| value == k as f64));
        x.view_mut().fill(1.0);
        assert_eq!(x.sum().item(), 2.0 * columns as f64);
        frees.are(0);
        drop(x);
        frees.are(1);

        let (memory, frees, _) = owner(2 * columns);
        let x = Tensor::<f64, _, ColMajor>::from_buffer([2, columns], memory);
        assert!(columns == 0 || x[[1, columns - 1]] == (2 * columns - 1) as f64);
        let y = x.clone();
        drop(x);
        frees.are(1);
        assert_eq!(y.len(), 2 * columns);
    }
}

#[test]
fn a_vec_of_foreign_memory_is_a_copy() {
    for len in SIZES {
        let (memory, frees, address) = owner(len);
        let data = Tensor::<f64, _>::from_buffer([len], memory).into_vec();
        frees.are(1);
        assert!(len == 0 || data.as_ptr() != address);
        assert!(data.iter().enumerate().all(|(k, &value)| value == k as f64) && data.len() == len);
    }
}

#[test]
fn results_may_be_written_to_foreign_memory() {
    let (memory, frees, address) = owner(6);
    let x = Tensor::<f64, _>::from_buffer([6], memory);
    let sum = x + 1.0;
    assert_eq!(sum, tensor![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(sum.as_ptr(), address);
    frees.are(0);
    drop(sum);
    frees.are(1);
}

#[test]
fn mismatched_owner_is_returned() {
    let (memory, frees, address) = owner(6);
    let rejected = Tensor::<f64, Rank<2>>::try_from_buffer([2, 2], memory).unwrap_err();
    assert_eq!(rejected.error, Error::LengthMismatch { op: "make a tensor", shape: vec![2, 2], found: 6 });
    frees.are(0);
    let rejected = Tensor::<f64, Rank<2>>::try_from_buffer([usize::MAX, 2], rejected.value).unwrap_err();
    assert!(matches!(rejected.error, Error::Overflow { .. }));
    frees.are(0);
    assert_eq!(rejected.value.elements.as_ptr(), address);
    let error: Error = rejected.into();
    frees.are(1);
    assert!(matches!(error, Error::Overflow { .. }));
}

#[test]
fn unwinding_frees_once() {
    for len in SIZES {
        let (memory, frees, _) = owner(len);
        let result = catch_unwind(AssertUnwindSafe(|| {
            let x = Tensor::<f64, _>::from_buffer([len], memory);
            let _kept = x.view() + 1.0;
            panic!("{}", x.len());
        }));
        assert!(result.is_err());
        frees.are(1);
    }
    let (memory, frees, _) = owner(3);
    assert!(catch_unwind(AssertUnwindSafe(|| Tensor::<f64, _>::from_buffer([4], memory))).is_err());
    frees.are(1);

    /// An owner whose `elements` panics.
    struct Secretive(Frees);
    impl Drop for Secretive {
        fn drop(&mut self) {
            self.0.count();
        }
    }
    // SAFETY: `elements` never returns a slice, so the conditions on the slice hold trivially.
    unsafe impl ForeignMemory<f64> for Secretive {
        fn elements(&mut self) -> &mut [f64] {
            panic!("no")
        }
    }
    let frees = Frees::default();
    let memory = Secretive(frees.clone());
    assert!(catch_unwind(AssertUnwindSafe(|| Tensor::<f64, _>::from_buffer([1], memory))).is_err());
    frees.are(1);
}

#[test]
fn another_thread_may_free() {
    let (memory, frees, _) = owner(6);
    let x = Tensor::<f64, _>::from_buffer([2, 3], memory);
    std::thread::spawn(move || drop(x)).join().unwrap();
    frees.are(1);
}

#[test]
fn memory_of_the_standard_library() {
    let data = vec![1, 2, 3];
    let address = data.as_ptr();
    assert_eq!(Tensor::<i32, _>::from_buffer([3], data).as_ptr(), address);
    let data: Box<[i32]> = vec![1, 2, 3].into();
    let address = data.as_ptr();
    assert_eq!(Tensor::<i32, _>::from_buffer([3], data).as_ptr(), address);
    let data = Box::new([1, 2, 3, 4]);
    let address = data.as_ptr();
    let x = Tensor::<i32, _, ColMajor>::from_buffer([2, 2], data);
    assert_eq!((x.as_ptr(), x[[1, 0]]), (address, 2));
    let owned = Box::into_raw(Box::new([1, 2, 3]));
    // SAFETY: `owned` comes from `Box::into_raw`, so it is valid and aligned. The box is freed after the tensor is consumed, and
    // nothing else accesses the array until then.
    let data: &'static mut [i32] = unsafe { &mut *owned };
    let address = data.as_ptr();
    let x = Tensor::<i32, _>::from_buffer([3], data);
    assert_eq!((x.as_ptr(), x.into_vec()), (address, vec![1, 2, 3]));
    // SAFETY: `owned` comes from `Box::into_raw`, and the tensor that borrowed it was consumed.
    drop(unsafe { Box::from_raw(owned) });
}

// ------------------------------------------------------------------ raw parts

#[test]
fn raw_parts_round_trip() {
    for len in SIZES {
        // The elements are in the memory of a `Vec`, of an operation's result, and of a foreign owner.
        let (memory, frees, _) = owner(len);
        let tensors: [Tensor<f64, Rank<1>>; 3] = [
            Tensor::from_vec([len], (0..len).map(|k| k as f64).collect()),
            Tensor::<f64, _>::from_fn([len], |[k]| k as f64) + 0.0,
            Tensor::from_buffer([len], memory),
        ];
        for x in tensors {
            let address = x.as_ptr();
            let (first, shape, memory) = x.into_raw_parts();
            assert_eq!((first.cast_const(), shape), (address, [len]));
            // SAFETY: the shape overflows, so the call returns an error before it uses `first` and `memory`. Both can be used again below.
            let error = unsafe { Tensor::<f64, _>::from_raw_parts(first, [usize::MAX, 3], memory) };
            assert!(matches!(error, Err(Error::Overflow { .. })));
            // SAFETY: `first` and `memory` are the parts of one tensor with `len` elements, and are used only here.
            let y = unsafe { Tensor::<f64, _, ColMajor>::from_raw_parts(first, [1, len], memory) }.unwrap();
            assert_eq!(y.as_ptr(), address);
            assert!(y.iter().enumerate().all(|(k, &value)| value == k as f64));
        }
        frees.are(1);
    }
}

#[test]
fn invalid_raw_parts_are_rejected() {
    let mut data = [0u64; 8];
    let first = data.as_mut_ptr();
    let odd = first.cast::<u8>().wrapping_add(3).cast::<u64>();
    let view = |first, shape: [usize; 2], strides| {
        // SAFETY: each call below passes parts that are rejected, or a view within `data`. The view is dropped without reading an
        // element.
        unsafe { TensorView::<u64, _>::from_raw_parts(first, shape, strides) }.map(drop)
    };
    let mutable = |first, shape: [usize; 2], strides| {
        // SAFETY: each call below passes parts that are rejected, or a view within `data`. The view is dropped without accessing an
        // element.
        unsafe { TensorViewMut::<u64, _>::from_raw_parts(first, shape, strides) }.map(drop)
    };
    let said = |result: Result<(), Error>| result.unwrap_err().to_string();
    assert_eq!(
        said(view(std::ptr::null(), [2, 2], [2, 1])),
        "cannot make a view: the address of its elements is null"
    );
    let text = said(view(odd, [2, 2], [2, 1]));
    let expected = format!("is not a multiple of {}, the alignment of u64", align_of::<u64>());
    assert!(text.contains(&expected), "{text}");
    assert!(matches!(view(first, [usize::MAX, 2], [2, 1]), Err(Error::Overflow { .. })));
    assert!(matches!(view(first, [2, 2], [isize::MAX, 1]), Err(Error::InvalidStrides { .. })));
    assert!(matches!(view(first, [2, 2], [isize::MAX, isize::MIN]), Err(Error::InvalidStrides { .. })));
    view(first, [2, 2], [1, 1]).unwrap();
    mutable(first, [2, 2], [2, 1]).unwrap();
    assert_eq!(
        said(mutable(first, [2, 2], [0, 1])),
        "cannot make a view of shape [2, 2] with strides [0, 1]: \
         a mutable view must not overlap itself: axis 0 has stride 0 and extent 2"
    );
    assert!(matches!(mutable(first, [2, 3], [1, 1]), Err(Error::InvalidStrides { .. })));
    // A view with zero elements may have a null pointer and any strides. Arithmetic on these strides must not overflow.
    // SAFETY: the view has zero elements, for which any pointer is valid.
    let none =
        unsafe { TensorView::<u64, _>::from_raw_parts(std::ptr::null(), [0, 0], [isize::MAX; 2]) }.unwrap();
    assert_eq!((none.sum().item(), none.diagonal(0, 1).shape()), (0, [0]));
    // SAFETY: the view has one element, `data[0]`, which stays valid and is not changed while the view is used.
    let one =
        unsafe { TensorView::<u64, _>::from_raw_parts(first, [1, 1], [isize::MAX, isize::MAX]) }.unwrap();
    assert_eq!(one.diagonal(0, 1).slice(s![..;-1]), tensor![0u64]);
}

// ------------------------------------------------------------------ slices

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    /// A shared strided view is accepted if and only if all elements that it addresses are within the slice, and its offset is at most the
    /// length of the slice. A mutable view is accepted only if, in addition, no two indices address the same element. An accepted view has
    /// the addressed elements.
    #[test]
    fn strided_slices_are_in_bounds(
        shape in any::<[u8; 3]>(), strides in any::<[i8; 3]>(), offset in any::<u8>(), len in 0usize..40, mutable in any::<bool>()
    ) {
        let shape = shape.map(|n| usize::from(n) % 5);
        let strides = strides.map(|stride| isize::from(stride) % 14);
        let offset = usize::from(offset) % 45;
        let mut data: Vec<i32> = (0..len as i32).collect();
        let mut places = Vec::new();
        for i in 0..shape[0] {
            for j in 0..shape[1] {
                for k in 0..shape[2] {
                    let steps = i as isize * strides[0] + j as isize * strides[1] + k as isize * strides[2];
                    places.push(([i, j, k], offset as isize + steps));
                }
            }
        }
        let inside = places.iter().all(|(_, at)| (0..len as isize).contains(at)) && offset <= len;
        if mutable {
            let found = TensorViewMut::<i32, _>::try_from_slice_strided_mut(&mut data, shape, strides, offset);
            let mut seen = std::collections::HashSet::new();
            let apart = places.iter().all(|(_, at)| seen.insert(*at));
            match found {
                Ok(mut x) => {
                    prop_assert!(inside && apart);
                    for (index, _) in &places {
                        x[*index] += 100;
                    }
                    for (k, &value) in data.iter().enumerate() {
                        prop_assert_eq!(value, k as i32 + if seen.contains(&(k as isize)) { 100 } else { 0 });
                    }
                }
                Err(Error::InvalidStrides { .. }) => {}
                Err(other) => panic!("{other}"),
            }
        } else {
            let found = TensorView::<i32, _, ColMajor>::try_from_slice_strided(&data, shape, strides, offset);
            prop_assert_eq!(found.is_ok(), inside);
            if let Ok(x) = found {
                for (index, at) in places {
                    prop_assert_eq!(x[index], at as i32);
                }
            }
        }
    }
}

#[test]
fn disjoint_strided_slices_may_be_written() {
    let mut data = [0; 24];
    for (shape, strides, offset) in [
        ([2, 3, 4], [12, 4, 1], 0),
        ([4, 3, 2], [1, 4, 12], 0),
        ([2, 2, 2], [-12, 8, 3], 12),
        ([4, 1, 2], [-1, 0, 12], 3),
    ] {
        TensorViewMut::<i32, Rank<3>>::from_slice_strided_mut(&mut data, shape, strides, offset).fill(1);
    }
    let cube: Tensor<i32, Rank<3>> = Tensor::zeros([3, 3, 2]);
    let diagonal = cube.diagonal(0, 1);
    let mut data = cube.to_vec();
    TensorViewMut::<i32, _>::from_slice_strided_mut(&mut data, diagonal.shape(), diagonal.strides(), 0)
        .fill(1);
    assert_eq!(data.iter().sum::<i32>(), 6);
}
