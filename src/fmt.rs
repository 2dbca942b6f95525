//! Printing of tensors: nested, aligned brackets as in NumPy, elided if there are many elements, and a line with the tensor's type.
//!
//! There are four steps. [`Shown`] fetches the elements to print; only this step depends on the element type and the device. One
//! [`Notation`] is chosen for all real numbers or real parts, and one for all imaginary parts. [`cells`] converts each element to text.
//! [`Page`] writes the brackets. No step depends on the rank at compile time.

#![forbid(unsafe_code)]

use crate::device::Device;
use crate::device::cpu::reserve;
use crate::device::wide::{in_row_major_order, is_wide};
use crate::element::{DType, Element, Printed};
use crate::error::Error;
use crate::layout::axes::Axes;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;
use core::fmt::{self, Display};
use core::iter::repeat_n;
use core::ops::Range;

/// Maximum number of elements of a tensor that is printed in full. If a tensor has more elements, only both ends of each axis are printed.
const SHOWN_WHOLE: usize = 1000;
/// Number of indices that are printed at each end of an axis, unless that makes more than [`SHOWN_ELIDED`] elements.
const EDGE: usize = 3;
/// Maximum number of elements that are printed if a tensor has more than [`SHOWN_WHOLE`] elements. It allows 2 elements along each axis
/// at rank 16, the maximum rank. With `2 * EDGE` elements along each of 16 axes, the text would not fit in memory.
const SHOWN_ELIDED: usize = 1 << 16;
/// The number of indices to print at each end of an axis if none is to be elided: no extent exceeds twice this number, and twice this
/// number does not overflow.
const ALL: usize = usize::MAX / 2;
/// Maximum number of decimals, unless the format string gives a precision.
const MAX_DECIMALS: usize = 6;
/// Maximum width of a line; longer rows are broken.
const LINE: usize = 75;

/// Prints the elements in nested brackets, then a line with element type, shape, memory order and device.
///
/// In both memory orders, the brackets follow the indices: row `i`, column `j` is the element at index `[i, j]`. If a tensor has
/// more than 1000 elements, only the first three and the last three along each axis are printed. If these would be more than 65536
/// elements, which is possible for ranks above 6, fewer are printed at each end: two, or one. `{:#}` prints all elements.
///
/// All floating-point numbers have the same number of decimals: that of the number that needs most, but at most 6. For complex elements,
/// this applies to the real parts and to the imaginary parts separately. If a magnitude other
/// than 0 is below 1e-4 or at least 1e8, all numbers are in scientific notation. `{:.2}` selects two decimals and no scientific
/// notation. `{:8}` makes columns at least eight characters wide.
///
/// `{:-}` omits the last line, with the element type. A tensor of rank 0 is printed as its number alone; `{:#}` adds the last line.
///
/// An element that the device fails to read is printed as `?`. If the host allocation for the elements fails, one `?` is printed
/// instead of them.
///
/// ```
/// use vierbein::{Tensor, tensor};
/// let x = tensor![[1.5, -2.0], [0.25, 10.0]];
/// assert_eq!(x.to_string(), "\
/// [[ 1.50, -2.00],
///  [ 0.25, 10.00]]
/// f64 [2, 2] row-major on Cpu");
/// assert_eq!(format!("{:-}", tensor![1, 2]), "[1, 2]");
/// assert_eq!(Tensor::<i32, _>::arange(0..2000).to_string(), "\
/// [   0,    1,    2, ..., 1997, 1998, 1999]
/// i32 [2000] row-major on Cpu");
/// ```
impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Display for Tensor<T, D, O, Dev, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(|shown| shown.display(f))
    }
}

/// Prints the text of `Display` with its last line first. Macros such as `assert_eq!` and `dbg!` print a prefix (`left: `, `x = `),
/// which would misalign the first row of brackets. `{:#?}` elides like `{:?}`.
///
/// ```
/// let x = vierbein::tensor![[1, 2], [3, 4]];
/// assert_eq!(format!("x = {x:?}"), "\
/// x = i32 [2, 2] row-major on Cpu
/// [[1, 2],
///  [3, 4]]");
/// ```
impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> fmt::Debug for Tensor<T, D, O, Dev, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(|shown| shown.debug(f))
    }
}

impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Tensor<T, D, O, Dev, S> {
    fn show(&self, print: impl FnOnce(Shown<'_>) -> fmt::Result) -> fmt::Result {
        let fetch = |part: Axes<'_>, offset| {
            let (device, part) = (self.device(), self.operand_with_axes(part, offset));
            let elements = if is_wide!(D, self.rank()) {
                in_row_major_order(device, part, |all| device.gather(all))?
            } else {
                device.gather(part)?
            };
            Ok(elements.into_iter().map(T::printed).collect())
        };
        let (axes, device) = (self.axes(), self.device().name());
        print(Shown { dtype: T::DTYPE, axes, order: O::NAME, device, fetch: &fetch })
    }
}

/// The properties of a tensor that printing needs.
pub(crate) struct Shown<'a> {
    pub(crate) dtype: DType,
    pub(crate) axes: Axes<'a>,
    pub(crate) order: &'static str,
    pub(crate) device: String,
    /// Returns the elements of a part of the tensor, in row-major order. The part has these axes, and its first element is `offset` elements
    /// after that of the tensor.
    pub(crate) fetch: &'a dyn Fn(Axes<'_>, isize) -> Result<Vec<Printed>, Error>,
}

impl Shown<'_> {
    pub(crate) fn display(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_elements(f, !f.alternate())?;
        if f.sign_minus() || self.axes.shape().is_empty() && !f.alternate() {
            return Ok(());
        }
        writeln!(f)?;
        self.write_type(f)
    }

    pub(crate) fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_type(f)?;
        writeln!(f)?;
        self.write_elements(f, true)
    }

    /// Appends to `to` those elements of a part that are not elided, in row-major order. If they cannot be read, appends `?` for each. The
    /// part has extent 1 along the axes before `axis`, and its first element is `offset` elements after that of the tensor.
    fn gather(&self, part: &mut [usize], offset: isize, axis: usize, edge: usize, to: &mut Vec<Printed>) {
        if part[axis..].iter().all(|&extent| gap(extent, edge).is_empty()) {
            match (self.fetch)(Axes::new(part, self.axes.strides()), offset) {
                Ok(fetched) => to.extend(fetched),
                Err(_) => to.extend(repeat_n(Printed::Word("?".into()), part.iter().product())),
            }
            return;
        }
        let (extent, stride) = (part[axis], self.axes.strides()[axis]);
        part[axis] = 1;
        for at in entries(extent, edge).flatten() {
            self.gather(part, offset + at as isize * stride, axis + 1, edge, to);
        }
        part[axis] = extent;
    }

    fn write_type(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {} on {}", self.dtype, self.axes.shape(), self.order, self.device)
    }

    fn write_elements(&self, f: &mut fmt::Formatter<'_>, may_elide: bool) -> fmt::Result {
        let shape = self.axes.shape();
        if shape.contains(&0) {
            return f.write_str("[]");
        }
        let elided = may_elide && count(shape, ALL) > SHOWN_WHOLE;
        let edge = if elided { edge(shape) } else { ALL };
        let mut shown = Vec::new();
        if reserve(&mut shown, count(shape, edge)).is_err() {
            return f.write_str("?");
        }
        self.gather(&mut shape.to_vec(), 0, 0, edge, &mut shown);
        let cells = cells(&shown, f.precision());
        let widest = cells.iter().map(String::len).max().unwrap_or(0);
        let width = widest.max(f.width().unwrap_or(0));
        Page { shape, edge, width, cells: cells.iter() }.write(f, 0)
    }
}

/// Returns the number of elements to print at each end of an axis: at most [`EDGE`], at least 1.
fn edge(shape: &[usize]) -> usize {
    (1..=EDGE).rev().find(|&edge| count(shape, edge) <= SHOWN_ELIDED).unwrap_or(1)
}

/// Returns the number of elements to print if up to `edge` indices are printed at each end of each axis.
fn count(shape: &[usize], edge: usize) -> usize {
    shape.iter().fold(1, |n, &extent| n.saturating_mul(extent.min(2 * edge)))
}

/// Returns the indices along an axis that are elided.
fn gap(extent: usize, edge: usize) -> Range<usize> {
    if extent > 2 * edge { edge..extent - edge } else { extent..extent }
}

/// Returns the entries to print along an axis: indices, and `None` in place of the elided ones.
fn entries(extent: usize, edge: usize) -> impl Iterator<Item = Option<usize>> {
    let gap = gap(extent, edge);
    let dots = (!gap.is_empty()).then_some(None);
    (0..gap.start).map(Some).chain(dots).chain((gap.end..extent).map(Some))
}

// ------------------------------------------------------------------ numbers

/// Returns each element as text.
fn cells(shown: &[Printed], precision: Option<usize>) -> Vec<String> {
    let (mut re, mut im) = (Vec::new(), Vec::new());
    for element in shown {
        match *element {
            Printed::Word(_) => {}
            Printed::Real(x) => re.push(x),
            Printed::Complex(x, y) => {
                re.push(x);
                im.push(y);
            }
        }
    }
    // Either all real and imaginary parts are in scientific notation or none is. Their numbers of decimals can differ: `1.5-2i`.
    let scientific = precision.is_none() && re.iter().chain(&im).copied().any(needs_exponent);
    let re = Notation::of(&re, scientific, precision, "");
    let im = Notation::of(&im, scientific, precision, "+");
    let cell = |element: &Printed| match *element {
        Printed::Word(ref word) => word.clone(),
        Printed::Real(x) => re.write(x),
        Printed::Complex(x, y) => format!("{}{}i", re.write(x), im.write(y)),
    };
    shown.iter().map(cell).collect()
}

/// Returns whether a number needs scientific notation, by NumPy's bounds.
fn needs_exponent(x: f64) -> bool {
    x != 0.0 && x.is_finite() && !(1e-4..1e8).contains(&x.abs())
}

/// The format of all real numbers or real parts of a tensor, or of all imaginary parts. It makes them equally wide.
#[derive(Debug)]
struct Notation {
    scientific: bool,
    decimals: usize,
    exponent_digits: usize,
    /// The prefix of numbers that have no minus sign.
    plus: &'static str,
    width: usize,
}

impl Notation {
    fn of(numbers: &[f64], scientific: bool, precision: Option<usize>, plus: &'static str) -> Notation {
        let all = || numbers.iter().copied();
        let needed = || all().map(|x| needed_decimals(x, scientific)).max();
        let decimals = precision.or_else(needed).unwrap_or(0);
        let mut exponents = all().map(|x| mantissa_and_exponent(x, decimals).1.unsigned_abs());
        let exponent_digits = if scientific && exponents.any(|exponent| exponent >= 100) { 3 } else { 2 };
        let unaligned = Notation { scientific, decimals, exponent_digits, plus, width: 0 };
        let width = all().map(|x| unaligned.write(x).len()).max().unwrap_or(0);
        Notation { width, ..unaligned }
    }

    fn write(&self, x: f64) -> String {
        let Notation { decimals, exponent_digits, width, .. } = *self;
        let sign = if x.is_sign_negative() && !x.is_nan() { "-" } else { self.plus };
        let digits = if self.scientific && x.is_finite() {
            let (mantissa, exponent) = mantissa_and_exponent(x.abs(), decimals);
            format!("{mantissa}e{exponent:+0signed$}", signed = 1 + exponent_digits)
        } else {
            format!("{:.decimals$}", x.abs())
        };
        padded(&(sign.to_owned() + &digits), width)
    }
}

/// Right-aligns a text. A format string cannot do this: its width is at most 65535, and a number can have that many decimals.
fn padded(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.len())) + text
}

fn mantissa_and_exponent(x: f64, decimals: usize) -> (String, i32) {
    let text = format!("{x:.decimals$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa.into(), exponent.parse().unwrap_or(0)),
        // Infinity and NaN.
        None => (text, 0),
    }
}

/// Returns the number of decimals without trailing zeros.
fn needed_decimals(x: f64, scientific: bool) -> usize {
    let text =
        if scientific { mantissa_and_exponent(x, MAX_DECIMALS).0 } else { format!("{x:.MAX_DECIMALS$}") };
    text.split_once('.').map_or(0, |(_, decimals)| decimals.trim_end_matches('0').len())
}

// ------------------------------------------------------------------ brackets

/// The cells (texts of elements) that are not yet written, and the shape of the tensor, which determines the brackets around the cells.
struct Page<'a> {
    shape: &'a [usize],
    edge: usize,
    width: usize,
    cells: core::slice::Iter<'a, String>,
}

impl Page<'_> {
    /// Writes the cells along the axes from `axis` on, in brackets.
    fn write(&mut self, f: &mut fmt::Formatter<'_>, axis: usize) -> fmt::Result {
        let rank = self.shape.len();
        if axis == rank {
            return f.write_str(&self.next_cell());
        }
        f.write_str("[")?;
        if axis + 1 == rank {
            self.write_row(f)?;
        } else {
            for (k, entry) in entries(self.shape[axis], self.edge).enumerate() {
                if k > 0 {
                    // One line break between rows, two between matrices, and so on.
                    write!(f, ",{:\n<lines$}{:indent$}", "", "", lines = rank - axis - 1, indent = axis + 1)?;
                }
                match entry {
                    Some(_) => self.write(f, axis + 1)?,
                    None => f.write_str("...")?,
                }
            }
        }
        f.write_str("]")
    }

    /// Writes the cells along the last axis, on several lines if necessary.
    fn write_row(&mut self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = self.shape.len();
        let mut column = indent;
        for (k, entry) in entries(self.shape[indent - 1], self.edge).enumerate() {
            let cell = entry.map_or("...".into(), |_| self.next_cell());
            // `indent` is the rank: the limit leaves space for that number of closing brackets.
            if k > 0 {
                let fits = column + 2 + cell.len() <= LINE - indent;
                column = if fits { column + 2 } else { indent };
                if fits { f.write_str(", ")? } else { write!(f, ",\n{:indent$}", "")? }
            }
            f.write_str(&cell)?;
            column += cell.len();
        }
        Ok(())
    }

    fn next_cell(&mut self) -> String {
        let width = self.width;
        self.cells.next().map(|cell| padded(cell, width)).unwrap_or_default()
    }
}
