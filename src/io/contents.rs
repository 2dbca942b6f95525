//! What a file says of a tensor in it, and what to say where another one was asked for.

#![forbid(unsafe_code)]

use crate::element::DType;
use crate::rank::MAX_RANK;

/// A tensor in a file: its element type, shape and order, as the file says.
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
    /// The length of each axis.
    pub shape: Vec<usize>,
    /// Whether the last axis runs fastest.
    pub row_major: bool,
}

/// Whether row-major and column-major are the same in memory.
pub(super) fn same_in_both_orders(shape: &[usize]) -> bool {
    shape.contains(&0) || shape.iter().filter(|&&extent| extent > 1).count() < 2
}

/// A text from a file, cut where it is too long for a message, and without characters that a terminal would act on.
pub(super) fn shorten(text: &str) -> String {
    let (text, dots) = match text.char_indices().nth(100) {
        Some((end, _)) => (&text[..end], ".."),
        None => (text, ""),
    };
    let shown = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    shown.chain(dots.chars()).collect()
}

impl Contents {
    /// Returns the number of bytes of the elements, which a layout has found to fit in `isize`.
    #[cfg(any(feature = "npy", feature = "safetensors"))]
    pub(super) fn bytes(&self) -> u64 {
        (self.shape.iter().product::<usize>() * self.dtype.size()) as u64
    }

    /// The order, as the type for it would have it: where both are the same, as it was asked for.
    fn row_major_for(&self, wanted: bool) -> bool {
        if same_in_both_orders(&self.shape) { wanted } else { self.row_major }
    }

    /// Why no tensor at all can be made of it.
    pub(super) fn beyond(&self) -> Option<String> {
        (self.shape.len() > MAX_RANK).then(|| {
            format!("{}; ranks go up to {MAX_RANK}, so reshape it in Python", self.described(self.row_major))
        })
    }

    fn described(&self, row_major: bool) -> String {
        let order = if row_major { "row-major" } else { "column-major" };
        format!("holds a {order} {} tensor of shape {:?}", self.dtype, self.shape)
    }

    /// Where another tensor was asked for: what is there instead, as what to read it, and how to convert it then.
    pub(super) fn mismatch(&self, dtype: DType, rank: usize, row_major: bool) -> Option<String> {
        let found = self.dtype;
        let found_row_major = self.row_major_for(row_major);
        let found_rank = self.shape.len();
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
        if found_rank != rank {
            wanted += &format!(" {} rank {rank}", if found == dtype { "of" } else { "and" });
            steps.push(if rank == 1 { "`.flatten()`".to_owned() } else { "`.reshape(..)`".to_owned() });
        }
        if steps.is_empty() {
            return None;
        }
        if let Some(why) = self.beyond() {
            return Some(why);
        }
        Some(format!(
            "{}, not {wanted}; read it as `Tensor<{found}, Rank<{found_rank}>{}>` and convert with {}",
            self.described(found_row_major),
            if found_row_major { "" } else { ", ColMajor" },
            steps.join(", then ")
        ))
    }
}

/// The calls that turn elements of one type into another.
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
