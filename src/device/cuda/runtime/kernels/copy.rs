//! Strided copies: an elementwise operation that returns its operand. Elements are copied as unsigned integers or `c64` of the same
//! size, so kernels are compiled per size, not per type. Elements that are contiguous in both operands are merged into larger ones,
//! if possible.

use crate::device::CudaSource;
use crate::device::cuda::runtime::codegen::operation::{Operation, RawOperand};
use crate::device::cuda::runtime::driver::context::Context;
use crate::device::scalars::Scalars;
use crate::element::DType;
use crate::error::Error;
use crate::layout::is_contiguous;
use crate::rank::MAX_RANK;

/// Returns an element type of `bytes` bytes, or `None` if there is none.
pub(super) fn of_size(bytes: usize) -> Option<DType> {
    Some(match bytes {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        8 => DType::U64,
        16 => DType::C64,
        _ => return None,
    })
}

/// Copies `from` to `to`. Both have the shape `shape`, and elements of the same type.
///
/// # Safety
/// The caller must ensure that all elements within `shape` are allocated on `context`'s GPU. Nothing else may access the elements
/// of `to`.
pub(in crate::device::cuda::runtime) unsafe fn copy(
    context: &Context,
    shape: &[usize],
    to: RawOperand<'_>,
    from: RawOperand<'_>,
) -> Result<(), Error> {
    if shape.contains(&0) {
        return Ok(());
    }
    let size = to.dtype.size();
    let contiguous = |row_major| {
        is_contiguous(shape, to.strides, row_major) && is_contiguous(shape, from.strides, row_major)
    };
    if contiguous(true) || contiguous(false) {
        let bytes = shape.iter().product::<usize>() * size;
        // SAFETY: the caller ensures that all elements are allocated on the GPU, and exclusive access to those of `to`. Both operands are
        // contiguous in the same memory order, so each consists of `bytes` contiguous bytes.
        return unsafe { context.copy(from.address, to.address, bytes) };
    }
    let same = Operation { name: "copy", text: CudaSource::builtin("a"), scalars: Scalars::default() };
    let (mut lengths, mut to_steps, mut from_steps) = ([0; MAX_RANK], [0; MAX_RANK], [0; MAX_RANK]);
    let rank = shape.len();
    lengths[..rank].copy_from_slice(shape);
    to_steps[..rank].copy_from_slice(to.strides);
    from_steps[..rank].copy_from_slice(from.strides);
    let (lengths, to_steps, from_steps) =
        (&mut lengths[..rank], &mut to_steps[..rank], &mut from_steps[..rank]);
    let larger = larger(lengths, [to_steps, from_steps], size, [to.address, from.address]);
    let dtype = of_size(larger).expect("the sizes of elements and results are powers of two");
    let to = RawOperand { address: to.address, dtype, strides: to_steps };
    let from = RawOperand { address: from.address, dtype, strides: from_steps };
    // SAFETY: the caller ensures that all elements are allocated on the GPU, and exclusive access to those of `to`. `larger` merges only
    // whole elements, and only if the merged elements are aligned.
    unsafe { same.run(context, lengths, &[to, from]) }
}

/// If an axis is contiguous in both operands, merges all elements along it into one larger element. Merges only if the larger elements have
/// 2, 4, 8 or 16 bytes and are all aligned. Returns the resulting size of an element, which is `size` if nothing was merged.
fn larger(lengths: &mut [usize], steps: [&mut [isize]; 2], size: usize, addresses: [u64; 2]) -> usize {
    let [to, from] = steps;
    let Some(axis) = (0..lengths.len()).find(|&axis| lengths[axis] > 1 && to[axis] == 1 && from[axis] == 1)
    else {
        return size;
    };
    let whole = lengths[axis] * size;
    let count = lengths[axis] as isize;
    let others = |steps: &[isize]| {
        (0..steps.len()).all(|other| other == axis || lengths[other] == 1 || steps[other] % count == 0)
    };
    let aligned = addresses.iter().all(|address| address.is_multiple_of(whole as u64));
    if of_size(whole).is_none() || !aligned || !others(to) || !others(from) {
        return size;
    }
    for steps in [to, from] {
        steps.iter_mut().for_each(|step| *step /= count);
        steps[axis] = 0;
    }
    lengths[axis] = 1;
    whole
}

#[cfg(test)]
mod tests {
    use super::larger;

    fn merge_elements(
        shape: &[usize],
        to: &[isize],
        from: &[isize],
        address: u64,
    ) -> (usize, Vec<usize>, Vec<isize>) {
        let (mut lengths, mut to, mut from) = (shape.to_vec(), to.to_vec(), from.to_vec());
        let size = larger(&mut lengths, [&mut to, &mut from], 4, [address, 0]);
        (size, lengths, from)
    }

    #[test]
    fn pairs_become_one_element() {
        // A view of shape [3, 5, 2]: the first two axes of [5, 3, 2] are exchanged.
        assert_eq!(
            merge_elements(&[3, 5, 2], &[10, 2, 1], &[2, 6, 1], 64),
            (8, vec![3, 5, 1], vec![1, 3, 0])
        );
        assert_eq!(
            merge_elements(&[3, 5, 4], &[20, 4, 1], &[4, 12, 1], 64),
            (16, vec![3, 5, 1], vec![1, 3, 0])
        );
        // These elements are not merged. The reasons, in this order: address not aligned; merged size larger than 16 bytes; merged
        // size not a power of two; stride not a multiple of the merged length; operand not contiguous.
        let as_they_are = |shape: &[usize], to: &[isize], from: &[isize], address| {
            assert_eq!(merge_elements(shape, to, from, address), (4, shape.to_vec(), from.to_vec()));
        };
        as_they_are(&[3, 5, 2], &[10, 2, 1], &[2, 6, 1], 4);
        as_they_are(&[3, 5, 8], &[40, 8, 1], &[8, 24, 1], 64);
        as_they_are(&[3, 5, 3], &[15, 3, 1], &[3, 9, 1], 64);
        as_they_are(&[3, 2], &[2, 1], &[7, 1], 64);
        as_they_are(&[3, 2], &[2, 1], &[1, 3], 64);
    }
}
