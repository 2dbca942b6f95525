//! Explicit promotion of two element types to a common one, by NumPy's rules.

use super::tensor::DynTensor;
use crate::element::DType;
use crate::error::Error;

/// The kind of an element type. The variants are in NumPy's order of kinds. The field is the number of bits of a value, or of each part of
/// a complex number.
#[derive(Clone, Copy, PartialEq)]
enum TypeKind {
    Bool,
    Unsigned(u32),
    Signed(u32),
    Real(u32),
    Complex(u32),
}

fn kind(dtype: DType) -> TypeKind {
    match dtype {
        DType::Bool => TypeKind::Bool,
        DType::U8 => TypeKind::Unsigned(8),
        DType::U16 => TypeKind::Unsigned(16),
        DType::U32 => TypeKind::Unsigned(32),
        DType::U64 => TypeKind::Unsigned(64),
        DType::I8 => TypeKind::Signed(8),
        DType::I16 => TypeKind::Signed(16),
        DType::I32 => TypeKind::Signed(32),
        DType::I64 => TypeKind::Signed(64),
        DType::F32 => TypeKind::Real(32),
        DType::F64 => TypeKind::Real(64),
        DType::C32 => TypeKind::Complex(32),
        DType::C64 => TypeKind::Complex(64),
    }
}

impl TypeKind {
    /// Returns the index of the kind in NumPy's order of kinds.
    fn rank(self) -> u32 {
        match self {
            TypeKind::Bool => 0,
            TypeKind::Unsigned(_) => 1,
            TypeKind::Signed(_) => 2,
            TypeKind::Real(_) => 3,
            TypeKind::Complex(_) => 4,
        }
    }

    /// Returns the number of bits of the floating-point type to promote to: 32 for `bool` and for integers of up to 16 bits.
    fn float_bits(self) -> u32 {
        match self {
            TypeKind::Bool | TypeKind::Unsigned(8 | 16) | TypeKind::Signed(8 | 16) => 32,
            TypeKind::Unsigned(_) | TypeKind::Signed(_) => 64,
            TypeKind::Real(bits) | TypeKind::Complex(bits) => bits,
        }
    }
}

/// Returns whether `to` is of the same kind as `from`, or of a higher kind. This is NumPy's rule `same_kind`.
pub(super) fn same_kind(from: DType, to: DType) -> bool {
    kind(from).rank() <= kind(to).rank()
}

impl DType {
    /// Returns the smallest element type to which both types can be converted with at most a loss of precision, as NumPy's
    /// `result_type` does.
    ///
    /// `bool` promotes to every type, integers to floating-point types, real types to complex types. A signed and an unsigned type
    /// promote to a signed type with more bits than the unsigned type has. No integer type has more bits than `u64`, so `u64` and a
    /// signed type promote to `f64`, which rounds 64-bit integers. Operations do not promote implicitly: call [`promote`].
    ///
    /// ```
    /// use vierbein::DType;
    /// assert_eq!(DType::I32.promote(DType::F32), DType::F64);
    /// assert_eq!(DType::U8.promote(DType::I8), DType::I16);
    /// assert_eq!(DType::F64.promote(DType::C32), DType::C64);
    /// ```
    #[must_use]
    pub fn promote(self, other: DType) -> DType {
        let (a, b) = (kind(self), kind(other));
        let complex = matches!(a, TypeKind::Complex(_)) || matches!(b, TypeKind::Complex(_));
        let real = matches!(a, TypeKind::Real(_)) || matches!(b, TypeKind::Real(_));
        if complex || real {
            return match (complex, a.float_bits().max(b.float_bits())) {
                (true, 32) => DType::C32,
                (true, _) => DType::C64,
                (false, 32) => DType::F32,
                (false, _) => DType::F64,
            };
        }
        match (a, b) {
            (TypeKind::Bool, _) => other,
            (_, TypeKind::Bool) => self,
            (TypeKind::Signed(i), TypeKind::Signed(j)) | (TypeKind::Unsigned(i), TypeKind::Unsigned(j)) => {
                if i >= j {
                    self
                } else {
                    other
                }
            }
            (TypeKind::Signed(signed), TypeKind::Unsigned(unsigned))
            | (TypeKind::Unsigned(unsigned), TypeKind::Signed(signed)) => match signed.max(2 * unsigned) {
                16 => DType::I16,
                32 => DType::I32,
                64 => DType::I64,
                _ => DType::F64,
            },
            _ => unreachable!("floating-point and complex types are handled above"),
        }
    }
}

/// Converts two tensors to their common element type ([`DType::promote`]). A tensor that already has this type keeps its memory.
///
/// # Errors
/// If the device allocation fails, or if dynamic tensors do not compute on the device.
///
/// ```
/// use vierbein::dyn_tensor::promote;
/// use vierbein::{DType, DynTensor, tensor};
/// let (a, b) = (DynTensor::from(tensor![1, 2]), DynTensor::from(tensor![0.5, 0.25]));
/// assert!(a.try_add(&b).is_err());
/// let (a, b) = promote(a, b)?;
/// assert_eq!((&a + &b).downcast_ref()?, tensor![1.5, 2.25]);
/// # Ok::<(), vierbein::Error>(())
/// ```
// This function converts between all element types. With `inline`, the calling crate compiles the conversions; with the feature
// `precompiled-dyn`, this crate does.
#[cfg_attr(not(feature = "precompiled-dyn"), inline)]
pub fn promote(a: DynTensor, b: DynTensor) -> Result<(DynTensor, DynTensor), Error> {
    let dtype = a.dtype().promote(b.dtype());
    let to = |x: DynTensor| if x.dtype() == dtype { Ok(x) } else { x.to_dtype(dtype) };
    Ok((to(a)?, to(b)?))
}
