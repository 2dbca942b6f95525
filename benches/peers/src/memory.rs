//! Operands and outputs of benchmarks, in memory that vierbein allocates. All implementations read the same operands. Each
//! implementation that writes to preallocated memory has its own output. Each library accesses the memory through a view of its own
//! type, which is created before the timing.

use crate::Number;
use crate::number::Generator;
use faer::{MatMut, MatRef};
use ndarray::{ArrayView, ArrayViewMut, Dimension, IxDyn};
use rstsr_core::prelude::{DeviceFaer, TensorMut, TensorView, rt};
use rstsr_core::prelude_dev::IxD;
use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};
use strided_kernel::{StridedView, StridedViewMut, row_major_strides};
use vierbein::{Dim, IntoShape, Tensor};

/// A view, together with the owner of the memory that it borrows.
pub struct Lent<V> {
    // Dropped before `_memory`, because fields are dropped in the order of declaration.
    view: V,
    _memory: Box<dyn Any + Send + Sync>,
}

impl<V> Deref for Lent<V> {
    type Target = V;
    fn deref(&self) -> &V {
        &self.view
    }
}

impl<V> DerefMut for Lent<V> {
    fn deref_mut(&mut self) -> &mut V {
        &mut self.view
    }
}

/// An operand that all implementations of a benchmark read.
pub struct Operand<T: Number, D: Dim>(Arc<Tensor<T, D>>);

impl<T: Number, D: Dim> Clone for Operand<T, D> {
    fn clone(&self) -> Self {
        Operand(self.0.clone())
    }
}

/// Returns an operand of pseudo-random numbers. Operands of one benchmark have different seeds.
pub fn operand<T: Number, Sh: IntoShape>(seed: u64, shape: Sh) -> Operand<T, Sh::Dim> {
    let mut numbers = Generator(seed);
    filled(shape, |_| numbers.number())
}

/// Returns an operand whose elements are `f(flat index)`.
pub fn filled<T: Number, Sh: IntoShape>(shape: Sh, mut f: impl FnMut(usize) -> T) -> Operand<T, Sh::Dim> {
    let mut tensor = Tensor::zeros(shape.into_shape().unwrap());
    tensor.as_mut_slice().iter_mut().enumerate().for_each(|(position, to)| *to = f(position));
    Operand(Arc::new(tensor))
}

impl<T: Number, D: Dim> Operand<T, D> {
    pub fn tensor(&self) -> Arc<Tensor<T, D>> {
        self.0.clone()
    }

    /// Returns the element at `index`. The flat index is computed by the definition of row-major order, without vierbein.
    pub fn at(&self, index: &[usize]) -> T {
        let shape = self.0.shape();
        self.0.as_slice()[index.iter().zip(shape.as_ref()).fold(0, |flat, (i, extent)| flat * extent + i)]
    }

    fn lend<V>(&self, view: impl FnOnce(&'static [T], &[usize]) -> V) -> Lent<V> {
        let tensor = self.0.clone();
        let data = std::ptr::from_ref(tensor.as_slice());
        // SAFETY: the tensor is in an `Arc`, so it does not move, and it is only read, so nothing writes to the elements. `Lent`
        // holds a clone of the `Arc` and drops it after the view, so the elements live as long as the view.
        let data = unsafe { &*data };
        Lent { view: view(data, tensor.shape().as_ref()), _memory: Box::new(tensor) }
    }

    pub fn slice(&self) -> Lent<&'static [T]> {
        self.lend(|data, _| data)
    }

    pub fn array<E: Dimension>(&self) -> Lent<ArrayView<'static, T, E>> {
        self.lend(|data, shape| {
            let array =
                ArrayView::from_shape(IxDyn(shape), data).expect("as many elements as the shape says");
            array.into_dimensionality().expect("the rank of the operand")
        })
    }

    pub fn strided(&self) -> Lent<StridedView<'static, T>> {
        self.lend(|data, shape| {
            StridedView::new(data, shape, &row_major_strides(shape), 0).expect("a contiguous array")
        })
    }

    pub fn rstsr(&self) -> Lent<TensorView<'static, T, DeviceFaer, IxD>> {
        self.lend(|data, shape| rt::asarray((data, shape.to_vec(), rstsr_device())))
    }

    /// Returns the operand as a matrix. A vector becomes a matrix with one column.
    pub fn faer(&self) -> Lent<MatRef<'static, T>> {
        self.lend(|data, shape| {
            MatRef::from_row_major_slice(data, shape[0], shape.get(1).copied().unwrap_or(1))
        })
    }
}

/// Creates preallocated outputs.
pub struct Output;

/// Owns the boxed tensor that a `'static` view borrows.
struct Owner<T: Number, D: Dim>(*mut Tensor<T, D>);

// SAFETY: an owner has exclusive ownership of a boxed tensor, which is `Send`, and uses the pointer only to drop the tensor.
unsafe impl<T: Number, D: Dim> Send for Owner<T, D> {}
// SAFETY: `Owner` has no method that uses the pointer through a shared reference.
unsafe impl<T: Number, D: Dim> Sync for Owner<T, D> {}

impl<T: Number, D: Dim> Drop for Owner<T, D> {
    fn drop(&mut self) {
        // SAFETY: the pointer is from `Box::into_raw`, and `drop` frees it only once. `Lent` drops the view of the tensor before
        // the owner.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

impl Output {
    fn lend<T: Number, Sh: IntoShape, V>(
        shape: Sh,
        view: impl FnOnce(&'static mut [T], &[usize]) -> V,
    ) -> Lent<V> {
        let shape = shape.into_shape().unwrap();
        let tensor = Box::into_raw(Box::new(Tensor::<T, Sh::Dim>::zeros(shape)));
        // SAFETY: the pointer is from `Box::into_raw`, and this is the only reference to the tensor until the owner frees it, after
        // the view is dropped.
        let data = unsafe { (*tensor).as_mut_slice() };
        let owner = Owner(tensor);
        Lent { view: view(data, shape.as_ref()), _memory: Box::new(owner) }
    }

    pub fn slice<T: Number, Sh: IntoShape>(shape: Sh) -> Lent<&'static mut [T]> {
        Output::lend(shape, |data, _| data)
    }

    pub fn array<T: Number, E: Dimension, Sh: IntoShape>(shape: Sh) -> Lent<ArrayViewMut<'static, T, E>> {
        Output::lend(shape, |data, shape| {
            let array =
                ArrayViewMut::from_shape(IxDyn(shape), data).expect("as many elements as the shape says");
            array.into_dimensionality().expect("the rank of the output")
        })
    }

    pub fn strided<T: Number, Sh: IntoShape>(shape: Sh) -> Lent<StridedViewMut<'static, T>> {
        Output::lend(shape, |data, shape| {
            StridedViewMut::new(data, shape, &row_major_strides(shape), 0).expect("a contiguous array")
        })
    }

    pub fn rstsr<T: Number, Sh: IntoShape>(shape: Sh) -> Lent<TensorMut<'static, T, DeviceFaer, IxD>> {
        Output::lend(shape, |data, shape| rt::asarray((data, shape.to_vec(), rstsr_device())))
    }

    pub fn faer<T: Number, Sh: IntoShape>(shape: Sh) -> Lent<MatMut<'static, T>> {
        Output::lend(shape, |data, shape| {
            MatMut::from_row_major_slice_mut(data, shape[0], shape.get(1).copied().unwrap_or(1))
        })
    }
}

/// Returns rstsr's device, with one thread. Inside a rayon pool, rstsr uses this rayon pool instead of its own threads.
pub fn rstsr_device() -> &'static DeviceFaer {
    static DEVICE: OnceLock<DeviceFaer> = OnceLock::new();
    DEVICE.get_or_init(|| DeviceFaer::new(1))
}
