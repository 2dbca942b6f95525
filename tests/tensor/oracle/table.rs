//! Reads the tables of `scripts/make-value-tables.py`, and runs their cases with operands in several memory layouts.

use vierbein::prelude::*;
use vierbein::{DType, DynTensor, DynView, Error, MemoryOrder, Storage, c64, dispatch};

/// An element type of the tables.
pub(crate) trait Number: Element {
    fn parse(text: &str) -> Self;
}

macro_rules! numbers {
    ($($t:ty: $text:ident => $parsed:expr;)*) => {$(
        impl Number for $t {
            fn parse($text: &str) -> $t {
                $parsed
            }
        }
    )*};
}
numbers! {
    f64: text => text.parse().unwrap();
    f32: text => text.parse().unwrap();
    i64: text => text.parse().unwrap();
    i32: text => text.parse().unwrap();
    i16: text => text.parse().unwrap();
    i8: text => text.parse().unwrap();
    u64: text => text.parse().unwrap();
    u32: text => text.parse().unwrap();
    u16: text => text.parse().unwrap();
    u8: text => text.parse().unwrap();
    bool: text => text == "1";
    c64: text => {
        let (re, im) = text.split_once(',').unwrap();
        c64::new(re.parse().unwrap(), im.parse().unwrap())
    };
}

/// Evaluates an expression in which `T` is the element type with the given `DType`.
macro_rules! of_type {
    ($dtype:expr, T => $body:expr) => {
        dispatch!(
            $dtype,
            T in [f64, f32, i64, i32, i16, i8, u64, u32, u16, u8, bool, c64] => $body,
            else => panic!("a type of the tables")
        )
    };
}

/// Returns the element type with the given name in a table.
fn named(name: &str) -> DType {
    if name == "c64" {
        return c64::DTYPE;
    }
    *DType::ALL.iter().find(|dtype| dtype.name() == name).expect("a type of the tables")
}

/// A tensor: its elements are in row-major order, as text. So −0 differs from 0, and NaN equals NaN.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Values {
    dtype: DType,
    shape: Vec<usize>,
    elements: Vec<String>,
}

impl Values {
    /// Reads a tensor of a table. The elements are written as Rust writes them.
    fn read(text: &str) -> Values {
        let (head, elements) = text.split_once(':').unwrap();
        let mut head = head.split(' ');
        let dtype = named(head.next().unwrap());
        let shape = head.map(|extent| extent.parse().unwrap()).collect();
        fn same<T: Number>(texts: &str) -> Vec<String> {
            texts.split_whitespace().map(|text| format!("{:?}", T::parse(text))).collect()
        }
        let elements = of_type!(dtype, T => same::<T>(elements));
        Values { dtype, shape, elements }
    }

    /// Returns a result.
    pub(crate) fn of<T: Element, D: Dim, O: Order, S: Storage<T, Cpu>>(
        x: &Tensor<T, D, O, Cpu, S>,
    ) -> Values {
        let elements = x.as_order::<RowMajor>().iter().map(|x| format!("{x:?}")).collect();
        Values { dtype: T::DTYPE, shape: x.shape().as_ref().to_vec(), elements }
    }

    /// Returns a result of a dynamic call.
    pub(crate) fn of_dynamic(x: &DynTensor) -> Values {
        let x = x.to_order(MemoryOrder::RowMajor).unwrap();
        fn elements<T: Element>(x: &DynTensor) -> Vec<String> {
            x.to_vec::<T>().unwrap().iter().map(|x| format!("{x:?}")).collect()
        }
        let elements = of_type!(x.dtype(), T => elements::<T>(&x));
        Values { dtype: x.dtype(), shape: x.shape().to_vec(), elements }
    }

    /// Returns whether the numbers differ at most by the tolerance, relative to the expected number or to 1 if that is larger.
    fn is_near(&self, expected: &Values, tolerance: f64) -> bool {
        let near =
            |(found, expected): (&String, &String)| match (found.parse::<f64>(), expected.parse::<f64>()) {
                (Ok(a), Ok(b)) if b.is_finite() => (a - b).abs() <= tolerance * b.abs().max(1.0),
                _ => found == expected,
            };
        (&self.dtype, &self.shape) == (&expected.dtype, &expected.shape)
            && self.elements.iter().zip(&expected.elements).all(near)
    }
}

/// A line of a table.
pub(crate) struct Case {
    line: &'static str,
    pub(crate) op: &'static str,
    order: &'static str,
    pub(crate) arguments: Vec<&'static str>,
    operands: Vec<(Values, Vec<&'static str>)>,
    /// The results, or `None` if the call returns an error.
    expected: Option<Vec<Values>>,
}

impl Case {
    /// Returns the number of operands.
    pub(crate) fn len(&self) -> usize {
        self.operands.len()
    }

    /// Returns the name of the element type of an operand.
    pub(crate) fn dtype(&self, operand: usize) -> &'static str {
        self.operands[operand].0.dtype.name()
    }
}

fn cases(table: &'static str) -> impl Iterator<Item = Case> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let [op, order, arguments, operands, results] =
            line.split('|').collect::<Vec<_>>().try_into().expect("five columns");
        let elements = |text: &'static str| text.split_once(':').unwrap().1.split_whitespace().collect();
        Case {
            line,
            op,
            order,
            arguments: arguments.split_whitespace().collect(),
            operands: operands.split(';').map(|text| (Values::read(text), elements(text))).collect(),
            expected: (results != "error").then(|| results.split(';').map(Values::read).collect()),
        }
    })
}

/// How the elements of an operand are arranged in memory.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arrangement {
    Contiguous,
    /// All strides are negative.
    Reversed,
    /// Contiguous in the other memory order.
    OtherOrder,
    /// There is an unused element after each element, and the stride of the first axis is negative.
    Sliced,
}
const ARRANGEMENTS: [Arrangement; 4] =
    [Arrangement::Contiguous, Arrangement::Reversed, Arrangement::OtherOrder, Arrangement::Sliced];

/// The elements of an operand in memory, with the strides of a view.
pub(crate) struct Memory<T, D: Dim> {
    data: Vec<T>,
    shape: D::Shape,
    strides: D::Strides,
    offset: usize,
    has_gaps: bool,
}

impl<T: Number, D: Dim> Memory<T, D> {
    pub(crate) fn view<O: Order>(&self) -> TensorView<'_, T, D, O> {
        TensorView::from_slice_strided(&self.data, self.shape, self.strides, self.offset)
    }

    /// Asserts that elements which are not in the view were not written. In the arrangement `Sliced`, these are all with an odd index.
    pub(crate) fn check_unused(&self) {
        if self.has_gaps {
            assert!(self.data.iter().skip(1).step_by(2).all(|&x| x == T::default()));
        }
    }

    pub(crate) fn view_mut<O: Order>(&mut self) -> TensorViewMut<'_, T, D, O> {
        TensorViewMut::from_slice_strided_mut(&mut self.data, self.shape, self.strides, self.offset)
    }
}

/// A case in one memory order, with one arrangement of the operands.
pub(crate) struct Run<'a> {
    pub(crate) case: &'a Case,
    arrangement: usize,
}

impl Run<'_> {
    /// Returns argument `k` as a number.
    pub(crate) fn argument<N: std::str::FromStr<Err: std::fmt::Debug>>(&self, k: usize) -> N {
        self.case.arguments[k].parse().unwrap()
    }

    /// Returns the rank of an operand, or 0 if there are fewer operands.
    pub(crate) fn rank(&self, operand: usize) -> usize {
        self.case.operands.get(operand).map_or(0, |(values, _)| values.shape.len())
    }

    /// Returns an operand. Different operands of a case have different arrangements.
    pub(crate) fn operand<T: Number, D: Dim, O: Order>(&self, k: usize) -> Memory<T, D> {
        let (values, texts) = &self.case.operands[k];
        assert_eq!(
            (values.dtype, values.shape.len()),
            (T::DTYPE, D::NDIM.unwrap_or(values.shape.len())),
            "{}",
            self.case.line
        );
        let arrangement = ARRANGEMENTS[(self.arrangement + k) % ARRANGEMENTS.len()];
        let rank = values.shape.len();
        let shape = D::shape_from(&values.shape).unwrap();
        let mut strides = D::strides(rank);
        let (negative, width, row_major) = match arrangement {
            Arrangement::Contiguous => (0, 1, O::ROW_MAJOR),
            Arrangement::Reversed => (rank, 1, O::ROW_MAJOR),
            Arrangement::OtherOrder => (0, 1, !O::ROW_MAJOR),
            Arrangement::Sliced => (1, 2, O::ROW_MAJOR),
        };
        let (mut stride, mut offset) = (width, 0);
        let mut axes: Vec<usize> = (0..rank).collect();
        if row_major {
            axes.reverse();
        }
        for axis in axes {
            let extent = values.shape[axis];
            strides.as_mut()[axis] = if axis < negative { -(stride as isize) } else { stride as isize };
            offset += if axis < negative { stride * extent.saturating_sub(1) } else { 0 };
            stride *= extent;
        }
        let offset = if texts.is_empty() { 0 } else { offset };
        let mut memory =
            Memory { data: vec![T::default(); stride.max(1)], shape, strides, offset, has_gaps: width == 2 };
        let mut view: TensorViewMut<'_, T, D, O> = memory.view_mut();
        for (to, text) in view.as_order_mut::<RowMajor>().iter_mut().zip(texts) {
            *to = T::parse(text);
        }
        memory
    }

    /// Returns an operand as a dynamic tensor, which is contiguous.
    pub(crate) fn dynamic(&self, k: usize, order: MemoryOrder) -> DynTensor {
        let (values, texts) = &self.case.operands[k];
        fn of<T: Number>(shape: &[usize], texts: &[&str]) -> DynTensor {
            let data = texts.iter().map(|text| T::parse(text)).collect();
            DynTensor::from_vec(shape, data, MemoryOrder::RowMajor).unwrap()
        }
        of_type!(values.dtype, T => of::<T>(&values.shape, texts)).to_order(order).unwrap()
    }
}

/// The results of a call.
pub(crate) type Results = Result<Vec<Values>, Error>;

/// Runs all cases of a table in both memory orders, with the given number of arrangements, and compares the results. `run` takes a case
/// and a memory order. `tolerance` returns 0 for operations whose results are exact.
pub(crate) fn check_table(
    table: &'static str,
    expected_count: usize,
    arrangements: usize,
    tolerance: impl Fn(&Case) -> f64,
    run: impl Fn(&Run<'_>, MemoryOrder) -> Results,
) {
    let mut count = 0;
    for case in cases(table) {
        for (order, symbol) in [(MemoryOrder::RowMajor, "C"), (MemoryOrder::ColMajor, "F")] {
            if !case.order.is_empty() && case.order != symbol {
                continue;
            }
            for (arrangement, name) in ARRANGEMENTS.iter().enumerate().take(arrangements) {
                let found = run(&Run { case: &case, arrangement }, order);
                let message = format!("{order:?}, {name:?}: {}", case.line);
                match (&found, &case.expected) {
                    (Ok(found), Some(expected)) => {
                        let tolerance = tolerance(&case);
                        let equal = found == expected
                            || tolerance > 0.0
                                && found.len() == expected.len()
                                && found.iter().zip(expected).all(|(a, b)| a.is_near(b, tolerance));
                        assert!(equal, "{message}\nfound {found:?}\nexpected {expected:?}");
                    }
                    (Err(_), None) => {}
                    _ => panic!("{message}\nfound {found:?}"),
                }
            }
        }
        count += 1;
    }
    assert_eq!(count, expected_count);
}

/// Runs all cases of a table with dynamic tensors in both memory orders. `run` takes a case, a view of its first operand whose strides are
/// negative, and all operands.
pub(crate) fn check_dynamic_table(
    table: &'static str,
    expected_count: usize,
    tolerance: impl Fn(&Case) -> f64,
    run: impl Fn(&Run<'_>, DynView<'_>, &[DynTensor]) -> Results,
) {
    check_table(table, expected_count, 1, tolerance, |case, order| {
        let operands: Vec<DynTensor> = (0..case.case.len()).map(|k| case.dynamic(k, order)).collect();
        let axes: Vec<usize> = (0..operands[0].rank()).collect();
        let reversed = operands[0].flip(&axes)?.to_owned()?;
        run(case, reversed.flip(&axes)?, &operands)
    });
}
