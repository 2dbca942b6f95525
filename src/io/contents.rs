//! The description of a tensor in a file, and the error message if another type of tensor was requested.

#![forbid(unsafe_code)]

pub(super) use super::shorten::shorten;
use crate::element::DType;
use crate::rank::{MAX_ANY_RANK, MAX_RANK, name_of_rank};

/// The element type, shape and memory order of a tensor in a file.
///
/// ```
/// use vierbein::io::ToFile;
/// use vierbein::{DType, tensor};
///
/// let contents = tensor![[1.0, 2.0]].contents();
/// assert_eq!((contents.dtype, contents.shape, contents.row_major), (DType::F64, vec![1, 2], true));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The element type.
    pub dtype: DType,
    /// The extent of each axis.
    pub shape: Vec<usize>,
    /// Whether the memory order is row-major: the last axis varies fastest.
    pub row_major: bool,
}

/// Returns whether row-major and column-major order are the same for this shape.
pub(super) fn same_in_both_orders(shape: &[usize]) -> bool {
    shape.contains(&0) || shape.iter().filter(|&&extent| extent > 1).count() < 2
}

impl Contents {
    /// Returns the number of bytes of the elements of an existing tensor, for which that number fits in `isize`.
    #[cfg(any(feature = "npy", feature = "safetensors"))]
    pub(super) fn bytes(&self) -> u64 {
        (self.shape.iter().product::<usize>() * self.dtype.size()) as u64
    }

    /// Returns the memory order to compare with `wanted`. If both orders are the same for this shape, returns `wanted`.
    fn row_major_for(&self, wanted: bool) -> bool {
        if same_in_both_orders(&self.shape) { wanted } else { self.row_major }
    }

    /// Returns an error message if the rank exceeds [`MAX_RANK`]. Only tensors of [`AnyRank`](crate::AnyRank) can have more axes.
    pub(super) fn beyond(&self) -> Option<String> {
        let rank = self.shape.len();
        if rank <= MAX_RANK {
            return None;
        }
        let fix = match rank <= MAX_ANY_RANK {
            true => format!("read it as a `Tensor` of `AnyRank<{MAX_ANY_RANK}>`, or reshape it in Python"),
            false => "reshape it in Python".into(),
        };
        Some(format!("{}; ranks go up to {MAX_RANK}, so {fix}", self.described(self.row_major)))
    }

    fn described(&self, row_major: bool) -> String {
        let order = if row_major { "row-major" } else { "column-major" };
        format!("holds a {order} {} tensor of shape {:?}", self.dtype, self.shape)
    }

    /// Returns an error message if the file's tensor differs from the requested type. `other_rank` names the accepted ranks, if the file's is not one of them. The message describes the tensor, the type to
    /// read it as, and the calls that convert it.
    pub(super) fn mismatch(
        &self,
        dtype: DType,
        other_rank: Option<String>,
        row_major: bool,
    ) -> Option<String> {
        let found = self.dtype;
        let found_row_major = self.row_major_for(row_major);
        let found_rank = name_of_rank(self.shape.len());
        let mut wanted = "one".to_owned();
        let mut steps = Vec::new();
        if found_row_major != row_major {
            wanted = format!("a {} one", if row_major { "row-major" } else { "column-major" });
        }
        if found != dtype {
            wanted += &format!(" of {dtype}");
            steps.extend(casts(found, dtype));
        }
        if found_row_major != row_major {
            steps.push(format!("`.to_order::<{}>()`", if row_major { "RowMajor" } else { "ColMajor" }));
        }
        if let Some(rank) = other_rank {
            if let Some(reason) = self.beyond() {
                return Some(reason);
            }
            wanted += &format!(" {} rank {rank}", if found == dtype { "of" } else { "and" });
            steps.push(if rank == "1" { "`.flatten()`".to_owned() } else { "`.reshape(..)`".to_owned() });
        }
        if steps.is_empty() {
            return None;
        }
        Some(format!(
            "{}, not {wanted}; read it as `Tensor<{found}, {found_rank}{}>` and convert with {}",
            self.described(found_row_major),
            if found_row_major { "" } else { ", ColMajor" },
            steps.join(", then ")
        ))
    }
}

/// Returns the method calls that convert elements of type `from` to type `to`, as texts for an error message.
fn casts(from: DType, to: DType) -> Vec<String> {
    use DType::{Bool, C32, C64, F32, F64};
    match (from, to) {
        (C32 | C64, Bool) => vec!["`.not_equal(Complex::ZERO)`".to_owned()],
        (F32 | F64, Bool) => vec!["`.not_equal(0.0)`".to_owned()],
        (_, Bool) => vec!["`.not_equal(0)`".to_owned()],
        (C32, F32) | (C64, F64) => vec!["`.re()`, `.im()` or `.abs()`".to_owned()],
        (C32 | C64, to) if !matches!(to, C32 | C64) => {
            vec!["`.re()`, `.im()` or `.abs()`".to_owned(), format!("`.cast::<{to}>()`")]
        }
        _ => vec![format!("`.cast::<{to}>()`")],
    }
}
