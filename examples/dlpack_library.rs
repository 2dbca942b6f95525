//! A library with C functions that pass tensors as DLPack structures, to share memory between Python and Rust.
//!
//! `cargo build --example dlpack_library`, then `python3 examples/dlpack_library.py` (NumPy 2.1 or later).

use std::sync::atomic::{AtomicUsize, Ordering};
use vierbein::device::ForeignMemory;
use vierbein::interop::dlpack::{DLManagedTensorVersioned, Dlpack};
use vierbein::prelude::*;

static FREED: AtomicUsize = AtomicUsize::new(0);

/// Memory of a tensor. Dropping it increments [`FREED`].
struct Counted(Vec<f64>);

impl Drop for Counted {
    fn drop(&mut self) {
        FREED.fetch_add(1, Ordering::SeqCst);
    }
}

// SAFETY: the elements are those of a `Vec`. They stay valid and at the same address until `Counted` is dropped, because only this
// method gives access to the `Vec`, and it does not resize it.
unsafe impl ForeignMemory<f64> for Counted {
    fn elements(&mut self) -> &mut [f64] {
        &mut self.0
    }
}

/// Returns how many tensors of `columns_first` have been freed.
#[unsafe(no_mangle)]
pub extern "C" fn freed() -> usize {
    FREED.load(Ordering::SeqCst)
}

/// Returns a matrix with the numbers 0, 1, 2, .. in column-major order. The caller owns it.
#[unsafe(no_mangle)]
pub extern "C" fn columns_first(rows: usize, columns: usize) -> *mut DLManagedTensorVersioned {
    let memory = Counted((0..rows * columns).map(|k| k as f64).collect());
    Tensor::<f64, _, ColMajor>::from_buffer([rows, columns], memory).into_dlpack().into_raw()
}

/// Returns the sum of a matrix of `f64`, and frees the matrix. Returns NaN for any other tensor, which the caller keeps.
///
/// # Safety
/// `given` must be a valid DLPack structure that nothing else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sum(given: *mut DLManagedTensorVersioned) -> f64 {
    // SAFETY: the caller ensures that `given` is valid, and that nothing else uses it.
    let Ok(given) = (unsafe { Dlpack::from_raw(given) }) else { return f64::NAN };
    match given.view::<f64, Rank<2>, RowMajor, Cpu>() {
        Ok(x) => x.sum().item(),
        Err(_) => {
            given.into_raw();
            f64::NAN
        }
    }
}

/// Doubles every element of a writable matrix of `f64`, and frees the structure. Returns `false` for any other tensor, which the
/// caller keeps.
///
/// # Safety
/// `given` must be a valid DLPack structure that nothing else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn double(given: *mut DLManagedTensorVersioned) -> bool {
    // SAFETY: the caller ensures that `given` is valid, and that nothing else uses it.
    let Ok(mut given) = (unsafe { Dlpack::from_raw(given) }) else { return false };
    let done = given.view_mut::<f64, Rank<2>, RowMajor, Cpu>().map(|mut x| x *= 2.0).is_ok();
    if !done {
        given.into_raw();
    }
    done
}
