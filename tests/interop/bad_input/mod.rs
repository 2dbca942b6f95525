//! The table of bad input for conversions from and to arrays of other libraries. The hazards are those of `tests/bad_input`. The
//! list of conversions comes from rustdoc, built with the features of these libraries.
//!
//! A converted view must refer to the same elements. The tests compute the addresses of elements from strides, independently of
//! both libraries.

// This table uses only a part of the shared modules, so warnings about dead code are disabled.
#[allow(dead_code)]
#[path = "../../bad_input/array.rs"]
mod array;
#[allow(dead_code, unused_macros, unused_imports)]
#[path = "../../bad_input/driver.rs"]
mod driver;
#[cfg(feature = "faer")]
#[path = "faer.rs"]
mod faer;
#[allow(dead_code)]
#[path = "../../bad_input/hazards.rs"]
mod hazards;
#[cfg(feature = "nalgebra")]
#[path = "nalgebra.rs"]
mod nalgebra;
#[cfg(feature = "ndarray")]
#[path = "ndarray.rs"]
mod ndarray;
#[allow(dead_code)]
#[path = "../../bad_input/operand.rs"]
mod operand;
#[allow(dead_code)]
#[path = "../../bad_input/public.rs"]
mod public;
#[allow(dead_code, unused_macros, unused_imports)]
#[path = "../../bad_input/ranks.rs"]
mod ranks;

use array::{Array, Outcome, indices};
use driver::{ByHand, Done, Hazard, Row};
use operand::{HUGE, Operand};
use std::collections::BTreeSet;
use vierbein::Error;

#[test]
fn every_conversion() {
    let libraries = [
        #[cfg(feature = "ndarray")]
        ndarray::rows(),
        #[cfg(feature = "nalgebra")]
        nalgebra::rows(),
        #[cfg(feature = "faer")]
        faer::rows(),
    ];
    let rows = libraries.into_iter().flatten().collect();
    let public = || {
        let (without, with) = conversions(&[]).zip(conversions(&public::formats()))?;
        Some(with.difference(&without).cloned().collect())
    };
    driver::check(rows, public, &[]);
}

/// Returns the `From` and `TryFrom` implementations of tensors and views, as text from rustdoc. Each digit, such as that of a rank,
/// is replaced by N.
fn conversions(features: &[&str]) -> Option<BTreeSet<String>> {
    let pages = public::documentation(features)?;
    let mut found = BTreeSet::new();
    for page in ["struct.Tensor.html", "type.TensorView.html", "type.TensorViewMut.html"] {
        let text = std::fs::read_to_string(pages.join(page)).expect("rustdoc wrote this page");
        for name in public::between(&text, "id=\"impl-", '"') {
            let mut name = name.replace('+', " ").replace("-for-", " for ");
            for (code, letter) in [("%3C", "<"), ("%3E", ">"), ("%26", "&"), ("%5B", "["), ("%5D", "]")] {
                name = name.replace(code, letter);
            }
            if name.starts_with("From<") || name.starts_with("TryFrom<") {
                found.insert(name.replace(|letter: char| letter.is_ascii_digit(), "N"));
            }
        }
    }
    assert!(found.len() > 10, "{found:?}");
    Some(found)
}

impl Operand {
    /// Returns the indices of elements and their expected addresses: for all elements, or only for the first and the last of a huge
    /// operand.
    fn addresses(&self) -> Vec<(Vec<usize>, *const f64)> {
        let (strides, offset) = self.strides();
        let indices = if self.is_huge() && !self.shape.contains(&0) {
            vec![vec![0; self.rank()], self.shape.iter().map(|n| n - 1).collect()]
        } else {
            indices(&self.shape)
        };
        let place = |index: &[usize]| {
            let steps = index.iter().zip(&strides).map(|(&i, &s)| i as isize * s);
            self.floats.as_ptr().wrapping_offset(steps.sum::<isize>() + offset as isize)
        };
        indices.into_iter().map(|index| (index.clone(), place(&index))).collect()
    }

    /// Asserts that a view has the shape of the operand, and that `at(index)` is the expected address of the element at each index.
    #[track_caller]
    fn assert_same(&self, shape: &[usize], at: impl Fn(&[usize]) -> *const f64) {
        assert_eq!(shape, self.shape);
        for (index, address) in self.addresses() {
            assert_eq!(at(&index), address, "{index:?}");
        }
    }
}

/// Returns the expected result of conversions of mutable views: the elements plus one, which the tests add through the views.
fn incremented(o: &Operand) -> Array {
    let mut array = o.array();
    array.data.iter_mut().for_each(|x| *x += 1.0);
    array
}

/// Returns the operands of [`hazards::one`]. For huge extents, adds a matrix with a single huge row, because every library in these tests
/// supports matrices.
fn all(hazard: Hazard) -> Vec<Vec<Operand>> {
    let mut all = hazards::one(hazard);
    if hazard == Hazard::HugeExtents {
        all.push(vec![Operand::repeated(&[1, HUGE], 0)]);
    }
    all
}

/// Returns a row of the table of bad input, which tests one conversion. The row calls `run` for each operand; `run` returns `None` if the
/// other library does not support the rank of the operand. For the hazard `WrongShape`, the row calls `wrong` instead.
fn row(
    names: &'static [&'static str],
    operands: fn(Hazard) -> Vec<Vec<Operand>>,
    run: fn(&[Operand]) -> Option<Done>,
    expected: fn(&Operand) -> Outcome,
    wrong: fn() -> ByHand,
) -> Row {
    Row::by_hand(names, "", move |hazard: Hazard| -> ByHand {
        if hazard == Hazard::WrongShape {
            return wrong();
        }
        let outcomes: Vec<_> =
            operands(hazard).into_iter().filter_map(|o| Some((run(&o)?, expected(&o[0])))).collect();
        if outcomes.is_empty() && matches!(hazard, Hazard::Rank0 | Hazard::Rank16) {
            return Err("does not compile: the library has no such rank");
        }
        if outcomes.is_empty() && hazard == Hazard::HugeExtents {
            return Err("no memory holds this number of elements, with or without other axes");
        }
        Ok(outcomes)
    })
}

/// Returns the table entry for the hazard `WrongShape`, for conversions between two types that both fix the rank: a conversion to
/// another rank does not compile.
fn does_not_compile() -> ByHand {
    Err("does not compile: the rank is in both types, and the conversion keeps the shape")
}

/// If `result` is an error, asserts that its text contains `words`. Returns `result`.
#[track_caller]
fn saying<V>(words: &str, result: Result<V, Error>) -> Result<V, Error> {
    if let Err(error) = &result {
        assert!(error.to_string().contains(words), "{error}");
    }
    result
}
