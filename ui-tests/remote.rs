// A minimal device outside of the crate: it has elementwise operations and copies for `f64`, and nothing else.

use vierbein::device::{Copy, Device, Elementwise};
use vierbein::{Element, Error};

#[derive(Debug, Clone, Default)]
pub struct Remote;

// SAFETY: buffers have the requested length, pointers address their elements, and `read` and `write` stay within the given range.
unsafe impl Device for Remote {
    type Buffer<T: Element> = Vec<T>;
    type Ptr<T: Element> = usize;
    fn name(&self) -> String {
        "Remote".into()
    }
    fn alloc<T: Element>(&self, len: usize) -> Result<Vec<T>, Error> {
        Ok(vec![T::default(); len])
    }
    fn len<T: Element>(buffer: &Vec<T>) -> usize {
        buffer.len()
    }
    fn ptr<T: Element>(buffer: &Vec<T>) -> usize {
        buffer.as_ptr() as usize
    }
    fn ptr_mut<T: Element>(buffer: &mut Vec<T>) -> usize {
        buffer.as_mut_ptr() as usize
    }
    fn offset<T: Element>(ptr: usize, elements: isize) -> usize {
        ptr.wrapping_add_signed(elements * size_of::<T>() as isize)
    }
    unsafe fn read<T: Element>(&self, from: usize, to: &mut [T]) -> Result<(), Error> {
        // SAFETY: the caller ensures that `to.len()` elements are readable from `from` on. `to` is a separate host slice.
        unsafe { core::ptr::copy_nonoverlapping(from as *const T, to.as_mut_ptr(), to.len()) };
        Ok(())
    }
    unsafe fn write<T: Element>(&self, from: &[T], to: usize) -> Result<(), Error> {
        // SAFETY: the caller ensures that `from.len()` elements are writable from `to` on, with exclusive access.
        unsafe { core::ptr::copy_nonoverlapping(from.as_ptr(), to as *mut T, from.len()) };
        Ok(())
    }
}

impl Elementwise<f64> for Remote {}
impl Copy<f64> for Remote {}
