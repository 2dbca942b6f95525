//! The C structures of DLPack 1, and [`Managed`], a trait that abstracts over the versioned and the unversioned managed structure.

use crate::element::DType;
use core::ffi::c_void;

/// Bit of the field `flags` that forbids writing to the elements.
pub(super) const READ_ONLY: u64 = 1;
/// The version of exported structures. Structures of all minor versions have the same layout; later ones add codes, such as device
/// types.
pub(super) const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 0 };

/// The version of a structure. Structures of another major version have the same fields before `dl_tensor`, but `dl_tensor` may have
/// another layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs)]
pub struct DLPackVersion {
    pub major: u32,
    pub minor: u32,
}

/// The device of the elements. Type 1 is host memory, type 2 a CUDA device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs)]
pub struct DLDevice {
    pub device_type: i32,
    pub device_id: i32,
}

/// The element type: a code, the number of bits, and the number of lanes (1 for scalars). The codes of types that this crate
/// supports are: signed integer (0), unsigned integer (1), floating-point (2), complex (5), bool (6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs)]
pub struct DLDataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

/// A strided array that does not own its memory.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct DLTensor {
    /// Address of the memory. Exported tensors without elements have null here.
    pub data: *mut c_void,
    /// The device of the memory.
    pub device: DLDevice,
    /// Number of axes.
    pub ndim: i32,
    /// The element type.
    pub dtype: DLDataType,
    /// The extent of each axis.
    pub shape: *mut i64,
    /// The strides in elements. Null for a contiguous row-major array.
    pub strides: *mut i64,
    /// Offset in bytes from `data` to the element at index 0.
    pub byte_offset: u64,
}

/// A strided array and a function that frees it: the structure before DLPack 1. It has no field for a version.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensor {
    /// The array.
    pub dl_tensor: DLTensor,
    /// Data of the producer.
    pub manager_ctx: *mut c_void,
    /// Frees everything, including this structure.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// A strided array and a function that frees it: the structure since DLPack 1.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensorVersioned {
    /// The version. In structures of other versions, the fields before `dl_tensor` are the same.
    pub version: DLPackVersion,
    /// Data of the producer.
    pub manager_ctx: *mut c_void,
    /// Frees everything, including this structure.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// Bit 0: the elements must not be written to. Bit 1: the elements are a copy.
    pub flags: u64,
    /// The array.
    pub dl_tensor: DLTensor,
}

mod sealed {
    pub trait Sealed {}
}
impl sealed::Sealed for DLManagedTensor {}
impl sealed::Sealed for DLManagedTensorVersioned {}

/// A managed structure: [`DLManagedTensorVersioned`] or [`DLManagedTensor`]. Sealed.
pub trait Managed: sealed::Sealed + Sized + 'static {
    #[doc(hidden)]
    fn assemble(tensor: DLTensor, context: *mut c_void, deleter: unsafe extern "C" fn(*mut Self)) -> Self;
    /// Returns the major version, or `None` for the structure without a version.
    ///
    /// # Safety
    /// `this` must point to a structure of this kind, of any version.
    #[doc(hidden)]
    unsafe fn major(this: *const Self) -> Option<u32>;
    #[doc(hidden)]
    fn tensor(&self) -> &DLTensor;
    #[doc(hidden)]
    fn context(&self) -> *mut c_void;
    #[doc(hidden)]
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
    #[doc(hidden)]
    fn read_only(&self) -> bool;
}

impl Managed for DLManagedTensor {
    fn assemble(tensor: DLTensor, context: *mut c_void, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        DLManagedTensor { dl_tensor: tensor, manager_ctx: context, deleter: Some(deleter) }
    }
    unsafe fn major(_: *const Self) -> Option<u32> {
        None
    }
    fn tensor(&self) -> &DLTensor {
        &self.dl_tensor
    }
    fn context(&self) -> *mut c_void {
        self.manager_ctx
    }
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
    fn read_only(&self) -> bool {
        false
    }
}

impl Managed for DLManagedTensorVersioned {
    fn assemble(tensor: DLTensor, context: *mut c_void, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        DLManagedTensorVersioned {
            version: VERSION,
            manager_ctx: context,
            deleter: Some(deleter),
            flags: 0,
            dl_tensor: tensor,
        }
    }
    unsafe fn major(this: *const Self) -> Option<u32> {
        // SAFETY: the caller ensures that `this` points to a `DLManagedTensorVersioned` of any version. Structures of all versions begin
        // with a `DLPackVersion`. Only this field is read, because another version may have another size and another layout of `dl_tensor`.
        Some(unsafe { this.cast::<DLPackVersion>().read() }.major)
    }
    fn tensor(&self) -> &DLTensor {
        &self.dl_tensor
    }
    fn context(&self) -> *mut c_void {
        self.manager_ctx
    }
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
    fn read_only(&self) -> bool {
        self.flags & READ_ONLY != 0
    }
}

const SIGNED: u8 = 0;
const UNSIGNED: u8 = 1;
const FLOATING: u8 = 2;
const COMPLEX: u8 = 5;
const BOOL: u8 = 6;

/// All element types, with their DLPack code and number of bits.
const TYPES: [(DType, u8, u8); 13] = [
    (DType::Bool, BOOL, 8),
    (DType::I8, SIGNED, 8),
    (DType::I16, SIGNED, 16),
    (DType::I32, SIGNED, 32),
    (DType::I64, SIGNED, 64),
    (DType::U8, UNSIGNED, 8),
    (DType::U16, UNSIGNED, 16),
    (DType::U32, UNSIGNED, 32),
    (DType::U64, UNSIGNED, 64),
    (DType::F32, FLOATING, 32),
    (DType::F64, FLOATING, 64),
    (DType::C32, COMPLEX, 64),
    (DType::C64, COMPLEX, 128),
];

impl DLDataType {
    /// Returns DLPack's description of an element type.
    ///
    /// ```
    /// use vierbein::{DType, interop::dlpack::DLDataType};
    /// assert_eq!(DLDataType::of(DType::C64), DLDataType { code: 5, bits: 128, lanes: 1 });
    /// ```
    #[must_use]
    pub fn of(dtype: DType) -> DLDataType {
        let found = TYPES.iter().find(|(known, ..)| *known == dtype);
        let &(_, code, bits) = found.expect("every element type is in the table");
        DLDataType { code, bits, lanes: 1 }
    }

    /// Returns the element type, or `None` if this crate does not support it.
    ///
    /// ```
    /// use vierbein::{DType, interop::dlpack::DLDataType};
    /// assert_eq!(DLDataType { code: 2, bits: 32, lanes: 1 }.dtype(), Some(DType::F32));
    /// assert_eq!(DLDataType { code: 2, bits: 32, lanes: 4 }.dtype(), None);
    /// ```
    #[must_use]
    pub fn dtype(self) -> Option<DType> {
        let known =
            |&&(_, code, bits): &&(DType, u8, u8)| (code, bits, 1) == (self.code, self.bits, self.lanes);
        TYPES.iter().find(known).map(|&(dtype, ..)| dtype)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;

    /// On 32-bit machines, 64-bit numbers have an alignment of 4 bytes (i386) or 8 (ARM, WebAssembly), in C as in Rust.
    #[cfg(target_pointer_width = "32")]
    #[test]
    fn structures_are_those_of_the_c_header() {
        let wide = |offset: usize| offset.next_multiple_of(align_of::<u64>());
        assert_eq!(
            [
                offset_of!(DLTensor, data),
                offset_of!(DLTensor, device),
                offset_of!(DLTensor, ndim),
                offset_of!(DLTensor, dtype),
                offset_of!(DLTensor, shape),
                offset_of!(DLTensor, strides),
                offset_of!(DLTensor, byte_offset),
                size_of::<DLTensor>(),
            ],
            [0, 4, 12, 16, 20, 24, wide(28), wide(28) + 8]
        );
        let tensor = wide(28) + 8;
        assert_eq!(
            [
                offset_of!(DLManagedTensor, manager_ctx),
                offset_of!(DLManagedTensor, deleter),
                size_of::<DLManagedTensor>(),
            ],
            [tensor, tensor + 4, tensor + 8]
        );
        let flags = wide(16);
        assert_eq!(
            [
                offset_of!(DLManagedTensorVersioned, version),
                offset_of!(DLManagedTensorVersioned, manager_ctx),
                offset_of!(DLManagedTensorVersioned, deleter),
                offset_of!(DLManagedTensorVersioned, flags),
                offset_of!(DLManagedTensorVersioned, dl_tensor),
                size_of::<DLManagedTensorVersioned>(),
            ],
            [0, 8, 12, flags, flags + 8, flags + 8 + tensor]
        );
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn structures_are_those_of_the_c_header() {
        // Natural alignment: 8 for pointers and 64-bit numbers, 4 for `int32_t`, 2 for `uint16_t`.
        assert_eq!(
            [
                offset_of!(DLTensor, data),
                offset_of!(DLTensor, device),
                offset_of!(DLTensor, ndim),
                offset_of!(DLTensor, dtype),
                offset_of!(DLTensor, shape),
                offset_of!(DLTensor, strides),
                offset_of!(DLTensor, byte_offset),
                size_of::<DLTensor>(),
            ],
            [0, 8, 16, 20, 24, 32, 40, 48]
        );
        assert_eq!(
            [
                offset_of!(DLManagedTensor, manager_ctx),
                offset_of!(DLManagedTensor, deleter),
                size_of::<DLManagedTensor>(),
            ],
            [48, 56, 64]
        );
        assert_eq!(
            [
                offset_of!(DLManagedTensorVersioned, version),
                offset_of!(DLManagedTensorVersioned, manager_ctx),
                offset_of!(DLManagedTensorVersioned, deleter),
                offset_of!(DLManagedTensorVersioned, flags),
                offset_of!(DLManagedTensorVersioned, dl_tensor),
                size_of::<DLManagedTensorVersioned>(),
            ],
            [0, 8, 16, 24, 32, 80]
        );
    }
}
