//! Printing: nested brackets as NumPy's, aligned, elided where they are long, with a line that says what it is.
//!
//! Only the first of four steps knows element types and devices, and none knows ranks: [`Shown`] fetches the elements that are
//! shown, [`Notation`] is chosen for all of them, [`cells`] writes each one, and [`Page`] sets them in brackets.

#![forbid(unsafe_code)]

use crate::device::Device;
use crate::device::cpu::reserve;
use crate::element::{DType, Element, Printed};
use crate::error::Error;
use crate::layout::Layout;
use crate::order::Order;
use crate::rank::Dim;
use crate::storage::Storage;
use crate::tensor::Tensor;
use core::fmt::{self, Display};
use core::iter::repeat_n;
use core::ops::Range;

/// With more elements, only the first and the last ones along each axis are shown.
const SHOWN_WHOLE: usize = 1000;
/// How many at each end, where that is not too much.
const EDGE: usize = 3;
/// More than these are never shown together, but where all were asked for: 6 along each of 16 axes are more than any memory holds.
const SHOWN_ELIDED: usize = 1 << 16;
/// At each end, where nothing is left out: so many that two ends never leave a gap.
const ALL: usize = usize::MAX / 2;
/// How many decimals are shown where the format string does not say.
const MAX_DECIMALS: usize = 6;
/// Rows are broken before this column.
const LINE: usize = 75;

/// The elements in nested brackets, then a line with element type, shape, order and device.
///
/// Position `[i][j]` is the element at index `[i, j]` in every order. Of more than 1000 elements, the first and the last
/// three along each axis are shown (two or one where even so they are more than 65536, which takes a rank above 6); `{:#}` shows
/// all of them. All floating numbers have as many decimals as one of them needs, up to 6, or are all in scientific notation if a
/// magnitude is below 1e-4 or from 1e8 on; `{:.2}` asks for two decimals and no scientific notation. `{:8}` makes columns at
/// least eight characters wide.
///
/// An element that its device fails to read is printed as `?`. One `?` stands for all where there is no memory for them.
///
/// ```
/// use vierbein::{Tensor, tensor};
/// let x = tensor![[1.5, -2.0], [0.25, 10.0]];
/// assert_eq!(x.to_string(), "\
/// [[ 1.50, -2.00],
///  [ 0.25, 10.00]]
/// f64 [2, 2] row-major on Cpu");
/// assert_eq!(Tensor::<i32, _>::arange(0..2000).to_string(), "\
/// [   0,    1,    2, ..., 1997, 1998, 1999]
/// i32 [2000] row-major on Cpu");
/// ```
impl<T: Element, D: Dim, O: Order, Dev: Device, S: Storage<T, Dev>> Display for Tensor<T, D, O, Dev, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(|shown| shown.display(f))
    }
}

/// The text of `Display`, its last line first: what the compiler's macros print has something in front (`left: `, `x = `),
/// which would push the first row out of line. `{:#?}` elides like `{:?}`.
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
        let layout = self.layout();
        let fetch = |part: &Layout| {
            let elements = self.device().gather(self.operand_in(part))?;
            Ok(elements.into_iter().map(T::printed).collect())
        };
        let device = self.device().name();
        print(Shown { dtype: T::DTYPE, layout: &layout, order: O::NAME, device, fetch: &fetch })
    }
}

/// A tensor to be printed.
pub(crate) struct Shown<'a> {
    pub(crate) dtype: DType,
    pub(crate) layout: &'a Layout,
    pub(crate) order: &'static str,
    pub(crate) device: String,
    /// The elements of a part, the last axis fastest.
    pub(crate) fetch: &'a dyn Fn(&Layout) -> Result<Vec<Printed>, Error>,
}

impl Shown<'_> {
    pub(crate) fn display(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_elements(f, !f.alternate())?;
        writeln!(f)?;
        self.write_type(f)
    }

    pub(crate) fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_type(f)?;
        writeln!(f)?;
        self.write_elements(f, true)
    }

    fn write_type(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {} on {}", self.dtype, self.layout.shape(), self.order, self.device)
    }

    fn write_elements(&self, f: &mut fmt::Formatter<'_>, may_elide: bool) -> fmt::Result {
        let shape = self.layout.shape();
        if shape.contains(&0) {
            return f.write_str("[]");
        }
        let elided = may_elide && count(shape, ALL) > SHOWN_WHOLE;
        let edge = if elided { edge(shape) } else { ALL };
        let mut shown = Vec::new();
        if reserve(&mut shown, count(shape, edge)).is_err() {
            return f.write_str("?");
        }
        self.gather(self.layout, 0, edge, &mut shown);
        let cells = cells(&shown, f.precision());
        let widest = cells.iter().map(String::len).max().unwrap_or(0);
        let width = widest.max(f.width().unwrap_or(0));
        Page { shape, edge, width, cells: cells.iter() }.write(f, 0)
    }

    /// Fetches what is shown of a part of the tensor, the last axis fastest in every order, and nothing else. The part has
    /// length 1 along the axes before `axis`.
    fn gather(&self, part: &Layout, axis: usize, edge: usize, to: &mut Vec<Printed>) {
        let extents = part.shape();
        if extents[axis..].iter().all(|&extent| gap(extent, edge).is_empty()) {
            match (self.fetch)(part) {
                Ok(fetched) => to.extend(fetched),
                Err(_) => to.extend(repeat_n(Printed::Word("?".into()), extents.iter().product())),
            }
            return;
        }
        for at in entries(extents[axis], edge).flatten() {
            let one = part.index_axis(axis, at).and_then(|rest| rest.insert_axis(axis));
            self.gather(&one.expect("shown positions are in range"), axis + 1, edge, to);
        }
    }
}

/// How many elements are shown at each end of an axis: up to [`EDGE`], at least 1.
fn edge(shape: &[usize]) -> usize {
    (1..=EDGE).rev().find(|&edge| count(shape, edge) <= SHOWN_ELIDED).unwrap_or(1)
}

/// How many elements are shown.
fn count(shape: &[usize], edge: usize) -> usize {
    shape.iter().fold(1, |n, &extent| n.saturating_mul(extent.min(2 * edge)))
}

/// The positions along an axis that are left out.
fn gap(extent: usize, edge: usize) -> Range<usize> {
    if extent > 2 * edge { edge..extent - edge } else { extent..extent }
}

/// What is shown along an axis: positions, and `None` in place of those that are left out.
fn entries(extent: usize, edge: usize) -> impl Iterator<Item = Option<usize>> {
    let gap = gap(extent, edge);
    let dots = (!gap.is_empty()).then_some(None);
    (0..gap.start).map(Some).chain(dots).chain((gap.end..extent).map(Some))
}

// ------------------------------------------------------------------ numbers

/// Each element as text.
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
    // The parts of complex numbers share the notation and have decimals of their own: `1.5-2i`.
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

/// NumPy's bounds.
fn needs_exponent(x: f64) -> bool {
    x != 0.0 && x.is_finite() && !(1e-4..1e8).contains(&x.abs())
}

/// How all numbers of a tensor are written: alike, and equally wide.
#[derive(Debug)]
struct Notation {
    scientific: bool,
    decimals: usize,
    exponent_digits: usize,
    /// In front of what has no minus.
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

/// Right-aligned. Widths of format strings end at 65535, and decimals alone may be as many.
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

/// How many decimals remain when the zeros at their end are dropped.
fn needed_decimals(x: f64, scientific: bool) -> usize {
    let text =
        if scientific { mantissa_and_exponent(x, MAX_DECIMALS).0 } else { format!("{x:.MAX_DECIMALS$}") };
    text.split_once('.').map_or(0, |(_, decimals)| decimals.trim_end_matches('0').len())
}

// ------------------------------------------------------------------ brackets

/// Cells to be set in nested brackets.
struct Page<'a> {
    shape: &'a [usize],
    edge: usize,
    width: usize,
    cells: core::slice::Iter<'a, String>,
}

impl Page<'_> {
    /// Writes what is left of the cells for the axes from `axis` on.
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
                    // Between rows a new line, between matrices an empty one, and so on.
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

    /// Along the last axis, over as many lines as it takes.
    fn write_row(&mut self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = self.shape.len();
        let mut column = indent;
        for (k, entry) in entries(self.shape[indent - 1], self.edge).enumerate() {
            let cell = entry.map_or("...".into(), |_| self.next_cell());
            // The brackets that may follow have room, too.
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
