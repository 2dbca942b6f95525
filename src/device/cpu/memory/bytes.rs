//! Views elements as slices of bytes, in native byte order. The modules that read and write files call these functions.

use crate::element::Element;

/// Returns the bytes of the elements.
#[inline]
pub(crate) fn bytes<T: Element>(elements: &[T]) -> &[u8] {
    // SAFETY: elements have no padding, so all bytes of the slice are initialised. `u8` needs no alignment. The bytes are
    // borrowed as long as the elements are.
    unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// Returns the bytes of the elements for writing. Returns `None` for `bool`, because only the bytes 0 and 1 are valid `bool`s.
#[inline]
#[cfg(any(feature = "npy", test))]
pub(crate) fn bytes_mut<T: Element>(elements: &mut [T]) -> Option<&mut [u8]> {
    if const { matches!(T::DTYPE, crate::element::DType::Bool) } {
        return None;
    }
    // SAFETY: elements have no padding, so all bytes of the slice are initialised. `T` is not `bool`, so it is an integer,
    // floating-point or complex type, for which any bytes are valid. `u8` needs no alignment. The bytes are mutably borrowed as
    // long as the elements are.
    Some(unsafe { core::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) })
}

#[cfg(test)]
mod tests {
    use super::{bytes, bytes_mut};
    use crate::element::c32;

    #[test]
    fn elements_are_their_bytes() {
        let mut numbers = [0x0102_0304u32, 5];
        let expected: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
        assert_eq!(bytes(&numbers), expected);
        bytes_mut(&mut numbers).unwrap().reverse();
        assert_eq!(numbers, [5u32.swap_bytes(), 0x0403_0201]);
        assert_eq!(bytes(&[true, false]), [1, 0]);
        assert!(bytes_mut(&mut [true]).is_none());
        assert_eq!(bytes(&[c32::new(0.0, 1.0)])[..4], [0; 4]);
        assert!(bytes::<f64>(&[]).is_empty());
    }
}
