//! The benchmarks. Each implementation is what an experienced user of its library would write.

mod contraction;
mod everyday;
mod functions;
mod linalg;
mod memory;
mod operations;
mod small;

use crate::implementation::{Contest, Library};
use crate::{Number, Row};
use num_complex::Complex;

/// A benchmark by name. `build` is called only when the benchmark runs, because some benchmarks allocate gigabytes.
struct Entry<T> {
    name: String,
    /// The element type.
    of: &'static str,
    build: Box<dyn Fn() -> Row<T>>,
}

impl<T: Number> Entry<T> {
    fn new(name: impl Into<String>, build: impl Fn() -> Row<T> + 'static) -> Entry<T> {
        Entry { name: name.into(), of: T::NAME, build: Box::new(build) }
    }

    /// Sets the element type of the operands, if it differs from the type `T` in which results are compared.
    fn of(self, of: &'static str) -> Entry<T> {
        Entry { of, ..self }
    }
}

/// A benchmark with one element type.
pub struct Case {
    pub name: String,
    /// The element type.
    pub of: &'static str,
    build: Box<dyn Fn() -> Box<dyn Contest>>,
}

impl Case {
    /// Builds the benchmark, without checking its implementations.
    pub fn contest(&self) -> Box<dyn Contest> {
        (self.build)()
    }
}

/// The benchmarks of one table, which have the same columns.
pub struct Group {
    pub name: &'static str,
    pub columns: &'static [Library],
    /// Sorted by benchmark, then by element type.
    pub cases: Vec<Case>,
}

/// Adds benchmarks with one element type. If `cases` already has the same benchmark with another type, the new one follows it.
fn add<T: Number>(cases: &mut Vec<Case>, entries: Vec<Entry<T>>) {
    for Entry { name, of, build } in entries {
        let at = cases.iter().rposition(|case| case.name == name).map_or(cases.len(), |last| last + 1);
        let build = Box::new(move || -> Box<dyn Contest> { Box::new(build()) });
        cases.insert(at, Case { name, of, build });
    }
}

pub fn groups() -> [Group; 11] {
    use Library::{
        Delta, Dot, Faer, Limit, Nalgebra, Ndarray, Rayon, Rstsr, Rustfft, Std, Steps, Strided, Vierbein,
        Wide,
    };
    let mut contraction =
        Group { name: "contraction", columns: &[Vierbein, Ndarray, Strided, Faer], cases: Vec::new() };
    add(&mut contraction.cases, contraction::all::<f64>());
    add(&mut contraction.cases, contraction::all::<Complex<f64>>());

    let mut memory = Group {
        name: "memory",
        columns: &[Vierbein, Ndarray, Strided, Rstsr, Faer, Limit],
        cases: Vec::new(),
    };
    add(&mut memory.cases, memory::all::<f64>());
    add(&mut memory.cases, memory::of_reals::<f64>());
    add(&mut memory.cases, memory::all::<f32>());
    add(&mut memory.cases, memory::of_reals::<f32>());
    add(&mut memory.cases, memory::all::<Complex<f64>>());

    let mut trace = Group {
        name: "trace",
        columns: &[Vierbein, Ndarray, Strided, Rstsr, Faer, Limit, Delta, Steps, Dot],
        cases: Vec::new(),
    };
    add(&mut trace.cases, memory::traces::all::<f64>());
    add(&mut trace.cases, memory::traces::all::<f32>());
    add(&mut trace.cases, memory::traces::all::<Complex<f64>>());

    let mut small =
        Group { name: "small", columns: &[Vierbein, Ndarray, Nalgebra, Limit], cases: Vec::new() };
    add(&mut small.cases, small::all());

    let mut operations =
        Group { name: "operations", columns: &[Vierbein, Ndarray, Std, Limit], cases: Vec::new() };
    add(&mut operations.cases, operations::of_reals());
    add(&mut operations.cases, operations::of_c64());

    let mut functions =
        Group { name: "functions", columns: &[Vierbein, Ndarray, Std, Wide], cases: Vec::new() };
    add(&mut functions.cases, functions::of_f64());
    add(&mut functions.cases, functions::of_f32());
    add(&mut functions.cases, functions::of_c64());

    let mut join = Group { name: "join", columns: &[Vierbein, Ndarray, Limit], cases: Vec::new() };
    add(&mut join.cases, everyday::join::all::<f64>());
    add(&mut join.cases, everyday::join::all::<f32>());

    let mut choose = Group { name: "choose", columns: &[Vierbein, Ndarray, Limit], cases: Vec::new() };
    add(&mut choose.cases, everyday::choose::all::<f64>());
    add(&mut choose.cases, everyday::choose::all::<f32>());

    let mut order = Group { name: "order", columns: &[Vierbein, Std, Rayon], cases: Vec::new() };
    add(&mut order.cases, everyday::order::of_f64());
    add(&mut order.cases, everyday::order::of_i64());
    add(&mut order.cases, everyday::order::of_f32());
    add(&mut order.cases, everyday::order::of_i32());

    let mut fft = Group { name: "fft", columns: &[Vierbein, Rustfft], cases: Vec::new() };
    add(&mut fft.cases, everyday::fft::all());

    let mut linear_algebra =
        Group { name: "linalg", columns: &[Vierbein, Faer, Nalgebra, Limit], cases: Vec::new() };
    add(&mut linear_algebra.cases, linalg::all::<f64>());
    add(&mut linear_algebra.cases, linalg::all::<Complex<f64>>());
    [contraction, memory, trace, small, operations, functions, join, choose, order, fft, linear_algebra]
}
