//! The table of operations and hazards, which `check` asserts and prints. Each row is an operation, each column a hazard. A cell
//! contains the number of asserted outcomes, or the reason why the hazard does not apply.

use super::array::{Array, Outcome, Rejection};
use super::operand::Operand;
use std::cell::Cell as Counter;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use vierbein::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hazard {
    /// Shapes, axes, indices or sizes that do not fit.
    WrongShape,
    /// Axes of extent 0.
    ZeroExtents,
    /// Extents near `usize::MAX`. Views can have them with stride 0.
    HugeExtents,
    /// NaN, infinities, the largest and the smallest numbers, zero.
    NotFinite,
    /// Axes with negative strides.
    NegativeStrides,
    /// Operands in which several indices share an element, and pairs of equal operands.
    Aliasing,
    Rank0,
    Rank16,
}

use Hazard::*;
pub(crate) const HAZARDS: [Hazard; 8] =
    [WrongShape, ZeroExtents, HugeExtents, NotFinite, NegativeStrides, Aliasing, Rank0, Rank16];

/// The content of a cell: how many outcomes were asserted, or why there are none.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cell {
    Asserted(usize),
    NotApplicable(&'static str),
}

/// The public names of operations that are tested together, and one cell for each hazard.
pub(crate) struct Row {
    pub(crate) names: Vec<&'static str>,
    pub(crate) cells: Box<dyn Fn(Hazard) -> Cell + Sync>,
}

// ------------------------------------------------------------------ panics

thread_local! {
    static PANICS: Counter<usize> = const { Counter::new(0) };
    static EXPECTED: Counter<bool> = const { Counter::new(false) };
}

/// The first call installs a panic hook that counts every panic and does not print expected panics. Later calls do nothing.
fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            PANICS.set(PANICS.get() + 1);
            if !EXPECTED.get() {
                before(info);
            }
        }));
    });
}

/// The results of the fallible and of the panicking variant of an operation. `None` for a variant that the operation does not have.
pub(crate) struct Done {
    pub(crate) tried: Option<Result<Array, Error>>,
    pub(crate) panicking: Option<Result<Array, String>>,
}

/// Runs a fallible variant, which must not panic, not even internally.
pub(crate) fn tried(f: &dyn Fn() -> Result<Array, Error>) -> Option<Result<Array, Error>> {
    count_panics();
    let before = PANICS.get();
    let result = catch_unwind(AssertUnwindSafe(f));
    assert_eq!(PANICS.get(), before, "a fallible variant panicked");
    Some(result.expect("it did not panic"))
}

/// Runs a panicking variant. Returns the value or the panic message.
pub(crate) fn panicking(f: &dyn Fn() -> Array) -> Option<Result<Array, String>> {
    count_panics();
    EXPECTED.set(true);
    let result = catch_unwind(AssertUnwindSafe(f));
    EXPECTED.set(false);
    let text = |payload: Box<dyn std::any::Any + Send>| match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast_ref::<&str>().unwrap_or(&"?").to_string(),
    };
    Some(result.map_err(text))
}

impl Done {
    /// Asserts the outcome of every variant. If the error names the operation, its message must contain `verb`.
    #[track_caller]
    pub(crate) fn assert(self, expected: &Outcome, verb: &str, what: &dyn Fn() -> String) {
        let Done { tried, panicking } = self;
        match expected {
            Ok(value) => {
                for (form, found) in [
                    ("try_", tried.map(|found| found.map_err(|error| error.to_string()))),
                    ("panicking", panicking),
                ] {
                    match found {
                        None => {}
                        Some(Ok(found)) if found.is(value) => {}
                        Some(found) => panic!("{}\n{form} form: {found:?}\nexpected: {value:?}", what()),
                    }
                }
            }
            Err(Rejection::Error(variant)) => {
                let message = match tried {
                    None => None,
                    Some(Err(error)) => {
                        let (text, debug) = (error.to_string(), format!("{error:?}"));
                        let found = debug.split([' ', '{', '(']).next();
                        assert_eq!(found, Some(*variant), "{}: {text}", what());
                        let anonymous = [
                            "Overflow",
                            "OutOfMemory",
                            "BroadcastShape",
                            "Reshape",
                            "InvalidSlice",
                            "LossyCast",
                        ];
                        assert!(anonymous.contains(variant) || text.contains(verb), "{}: {text}", what());
                        Some(text)
                    }
                    Some(Ok(found)) => panic!("{}: found {found:?}, expected {variant}", what()),
                };
                match (panicking, message) {
                    (None, _) => {}
                    (Some(Err(text)), Some(message)) => assert_eq!(text, message, "{}", what()),
                    (Some(Err(text)), None) => assert!(text.contains(verb), "{}: {text}", what()),
                    (Some(Ok(found)), _) => panic!("{}: found {found:?}, expected {variant}", what()),
                }
            }
            Err(Rejection::Untried) => unreachable!("not tried"),
        }
    }
}

// ------------------------------------------------------------------ operations on views

/// The kind of numeric arguments that an operation takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Numbers {
    None,
    /// One axis.
    Axis,
    /// Two axes.
    Pair,
    /// A permutation of all axes.
    Permutation,
    /// A shape.
    Shape,
    /// The axis number that an inserted axis will have.
    Place,
    /// An axis and an index along it.
    Position,
    /// The start and the end of a range along the first axis.
    Span,
    /// An index of one element.
    Index,
}

/// A row for one operation on views, or for several operations with equal results.
pub(crate) struct Call {
    pub(crate) names: &'static [&'static str],
    /// The verb that error messages of the operation contain, such as `add`.
    pub(crate) verb: &'static str,
    pub(crate) numbers: Numbers,
    /// Returns lists of operands for a hazard. The operation is called with each list, and with each choice of numeric arguments.
    pub(crate) operands: fn(Hazard) -> Vec<Vec<Operand>>,
    /// Runs the operation. Returns `None` if a call with operands of these ranks does not compile.
    pub(crate) run: fn(&[Operand], &[usize]) -> Option<Done>,
    pub(crate) expected: fn(&[Array], &[usize]) -> Outcome,
    /// The hazards that do not apply, and the reason for each.
    pub(crate) cannot: &'static [(Hazard, &'static str)],
}

impl Call {
    /// Defaults for the fields that a row omits.
    pub(crate) const NOTHING: Call = Call {
        names: &[],
        verb: "",
        numbers: Numbers::None,
        operands: |_| vec![],
        run: |_, _| None,
        expected: |_, _| Err(Rejection::Untried),
        cannot: &[],
    };

    fn cell(&self, hazard: Hazard) -> Cell {
        let reason = self.cannot.iter().find(|(known, _)| *known == hazard).map(|(_, why)| *why);
        if let Some(why) = reason
            && !why.starts_with("does not compile")
        {
            return Cell::NotApplicable(why);
        }
        let mut asserted = 0;
        for operands in (self.operands)(hazard) {
            let arrays: Vec<Array> = operands.iter().map(Operand::array).collect();
            for numbers in numbers(self.numbers, hazard, &operands[0].shape) {
                let expected = (self.expected)(&arrays, &numbers);
                if expected.as_ref().is_err_and(|rejection| *rejection == Rejection::Untried) {
                    continue;
                }
                let what = || {
                    let shapes: Vec<_> = operands.iter().map(|x| (&x.shape, &x.place)).collect();
                    format!("{:?}, {hazard:?}: {shapes:?} with {numbers:?}", self.names)
                };
                let done = match catch_unwind(AssertUnwindSafe(|| (self.run)(&operands, &numbers))) {
                    Ok(None) => continue,
                    Ok(Some(done)) => done,
                    Err(_) => panic!("{}: see above", what()),
                };
                assert!(reason.is_none(), "{}: it does compile", what());
                done.assert(&expected, self.verb, &what);
                asserted += 1;
            }
        }
        match reason {
            Some(why) => Cell::NotApplicable(why),
            None => {
                assert!(asserted > 0, "{:?} has no operands for {hazard:?}, and no reason", self.names);
                Cell::Asserted(asserted)
            }
        }
    }
}

impl From<Call> for Row {
    fn from(call: Call) -> Row {
        Row { names: call.names.to_vec(), cells: Box::new(move |hazard| call.cell(hazard)) }
    }
}

/// The content of a hand-written cell: the result and the expected result of each call, or the reason why the hazard does not
/// apply.
pub(crate) type ByHand = Result<Vec<(Done, Outcome)>, &'static str>;

impl Row {
    pub(crate) fn by_hand(
        names: &'static [&'static str],
        verb: &'static str,
        outcomes: impl Fn(Hazard) -> ByHand + Sync + 'static,
    ) -> Row {
        let cell = move |hazard| match outcomes(hazard) {
            Err(why) => Cell::NotApplicable(why),
            Ok(outcomes) => {
                let count = outcomes.len();
                assert!(count > 0, "{names:?}, {hazard:?}: nothing was done, and there is no reason");
                for (k, (done, expected)) in outcomes.into_iter().enumerate() {
                    done.assert(&expected, verb, &|| format!("{names:?}, {hazard:?}, outcome {k}"));
                }
                Cell::Asserted(count)
            }
        };
        Row { names: names.to_vec(), cells: Box::new(cell) }
    }
}

/// Returns the numeric arguments to try. For the hazard `WrongShape`, they are invalid for the shape. For other hazards, they are valid if
/// the shape has valid ones: rank 0 has no axis, for example. `HugeExtents` adds new shapes that are too large.
fn numbers(kind: Numbers, hazard: Hazard, shape: &[usize]) -> Vec<Vec<usize>> {
    let rank = shape.len();
    let wrong = hazard == WrongShape;
    let max = usize::MAX;
    match kind {
        Numbers::None => vec![vec![]],
        Numbers::Axis if wrong => vec![vec![rank], vec![rank + 1], vec![max]],
        Numbers::Axis if rank == 0 => vec![vec![0]],
        Numbers::Axis => vec![vec![0], vec![rank - 1]],
        Numbers::Pair if wrong => vec![vec![0, rank], vec![max, 0], vec![0, 0], vec![0, 1]],
        Numbers::Pair if rank < 2 => vec![vec![0, 1]],
        Numbers::Pair => vec![vec![0, 1], vec![rank - 1, 0]],
        Numbers::Permutation if wrong => {
            let mut twice: Vec<usize> = (0..rank).collect();
            twice[0] = rank - 1;
            vec![twice, vec![max; rank]]
        }
        Numbers::Permutation => vec![(0..rank).collect(), (0..rank).rev().collect()],
        Numbers::Shape if wrong => vec![vec![5], vec![max], vec![max, 2], vec![7, 7]],
        Numbers::Shape => {
            let len = shape.iter().fold(1usize, |n, &d| n.wrapping_mul(d));
            let mut shapes = vec![vec![len], vec![1, len], vec![len, 1]];
            if hazard == HugeExtents {
                // The last two shapes have zero elements, but are invalid too: the product of their nonzero extents is too large. In the last
                // shape, this product fits in `isize`, but multiplied by the size of an element it does not.
                shapes.extend([vec![max], vec![max, 2], vec![max, 0], vec![1 << (usize::BITS - 3), 0]]);
            }
            shapes
        }
        Numbers::Place if wrong => vec![vec![rank + 1], vec![max]],
        Numbers::Place => vec![vec![0], vec![rank]],
        Numbers::Span if wrong => vec![vec![0, shape[0] + 1], vec![2, 1], vec![max, max], vec![0, max]],
        Numbers::Span if rank == 0 => vec![vec![]],
        Numbers::Span => vec![vec![0, shape[0]], vec![shape[0] / 2, shape[0]], vec![0, 0]],
        Numbers::Index if wrong => vec![shape.to_vec(), vec![max; rank]],
        Numbers::Index => vec![vec![0; rank], shape.iter().map(|n| n.saturating_sub(1)).collect()],
        Numbers::Position if wrong => vec![vec![rank, 0], vec![0, shape[0]], vec![0, max], vec![max, max]],
        Numbers::Position if rank == 0 => vec![vec![0, 0]],
        Numbers::Position => vec![vec![0, 0], vec![rank - 1, shape[rank - 1].saturating_sub(1)]],
    }
}

/// Runs the fallible and the panicking variant of an operation. If the operation has only one variant, the other argument is
/// omitted.
macro_rules! done {
    (try $tried:expr, panics $panics:expr) => {
        $crate::bad_input::driver::Done {
            tried: $crate::bad_input::driver::tried(&|| {
                ($tried).map(|found| $crate::bad_input::operand::ToArray::array(&found))
            }),
            panicking: $crate::bad_input::driver::panicking(&|| {
                $crate::bad_input::operand::ToArray::array(&$panics)
            }),
        }
    };
    (try $tried:expr) => {
        $crate::bad_input::driver::Done {
            tried: $crate::bad_input::driver::tried(&|| {
                ($tried).map(|found| $crate::bad_input::operand::ToArray::array(&found))
            }),
            panicking: None,
        }
    };
    (panics $panics:expr) => {
        $crate::bad_input::driver::Done {
            tried: None,
            panicking: $crate::bad_input::driver::panicking(&|| {
                $crate::bad_input::operand::ToArray::array(&$panics)
            }),
        }
    };
}

pub(crate) use done;

// ------------------------------------------------------------------ the table

/// Methods that tests never call by name, but through an operator or a serde format.
const INDIRECT: &[&str] = &["index_mut", "serialize", "deserialize"];

/// Runs all cells, on several threads. The result is `None` for a cell with a failed assertion, whose panic message is printed.
fn all_cells(rows: &[Row]) -> Vec<[Option<Cell>; HAZARDS.len()]> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut found = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(row) = rows.get(at) else { return found };
            found.push((
                at,
                HAZARDS.map(|hazard| catch_unwind(AssertUnwindSafe(|| (row.cells)(hazard))).ok()),
            ));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut found: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        running.into_iter().flat_map(|thread| thread.join().expect("panics are caught")).collect()
    });
    found.sort_by_key(|&(at, _)| at);
    found.into_iter().map(|(_, cells)| cells).collect()
}

/// Checks the cells of all rows and prints the table. If `public` returns names, also asserts that each public operation has a row or is in
/// `others`, and that each name in a row or in `others` is a public operation. `public` runs while the cells are checked.
pub(crate) fn check(
    rows: Vec<Row>,
    public: impl FnOnce() -> Option<BTreeSet<String>> + Send,
    others: &[&str],
) {
    let (mut asserted, mut empty, mut outcomes) = (0, 0, 0);
    let mut known = BTreeSet::new();
    let mut failed = Vec::new();
    let named = super::public::named_by_tests();
    let (cells, public) = std::thread::scope(|scope| {
        let public = scope.spawn(public);
        (all_cells(&rows), public.join().expect("rustdoc runs"))
    });
    for (row, cells) in rows.iter().zip(cells) {
        for name in &row.names {
            let own = name.rsplit("::").next().expect("a part").trim_end_matches('!');
            // Names such as `From<A> for B` are trait implementations. Tests call them as `into` and `from`, so these names are not
            // checked.
            let function = name.chars().all(|c| c.is_alphanumeric() || "_:!".contains(c));
            assert!(
                !function || named.contains(own) || INDIRECT.contains(&own),
                "`{name}` has a row, but no test calls it directly"
            );
            assert!(!others.contains(name), "`{name}` has a row, and is listed as no operation");
            known.insert(name.to_string());
        }
        let mut line = format!("{}:", row.names.join(", "));
        for (hazard, cell) in HAZARDS.into_iter().zip(cells) {
            match cell {
                None => failed.push(format!("{}: {hazard:?}", row.names.join(", "))),
                Some(Cell::Asserted(count)) => {
                    asserted += row.names.len();
                    outcomes += count;
                    line += &format!(" {hazard:?} {count};");
                }
                Some(Cell::NotApplicable(why)) => {
                    assert!(!why.is_empty());
                    empty += row.names.len();
                    line += &format!(" {hazard:?} – ({why});");
                }
            }
        }
        println!("{line}");
    }
    println!(
        "{} operations in {} rows: {asserted} cells asserted with {outcomes} outcomes, {empty} cells not applicable",
        known.len(),
        rows.len()
    );
    let listed: BTreeSet<String> =
        known.iter().cloned().chain(others.iter().map(|name| name.to_string())).collect();
    let public = public.unwrap_or_else(|| listed.clone());
    let without: Vec<_> = public.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&public).collect();
    assert!(
        failed.is_empty() && without.is_empty() && gone.is_empty(),
        "cells that failed, see above: {failed:#?}\npublic operations without a row: {without:?}\n\
         rows without a public operation: {gone:?}"
    );
}
