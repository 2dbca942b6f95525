//! A benchmark, that is, a row of a table of results: one problem and its implementation in each library.

use crate::memory::Lent;
use crate::number::{Generator, Number};
use crate::problem::{Definition, Problem, index};
use faer::{Mat, MatMut};
use ndarray::{ArrayBase, Data, Dimension};
use rstsr_core::prelude::{DeviceFaer, TensorAny};
use rstsr_core::prelude_dev::{DataAPI, DimAPI};
use std::hint::black_box;
use std::sync::{Arc, Mutex};
use strided_kernel::{StridedArray, StridedViewMut};
use vierbein::{Cpu, Dim, Order, Tensor};

/// The columns of the tables of results: libraries, reference loops, and alternative computations with vierbein.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    Vierbein,
    Ndarray,
    Strided,
    Rstsr,
    Faer,
    Nalgebra,
    /// A loop over functions of the standard library, or its sorts and selection.
    Std,
    /// A loop over vectors of the crate `wide`.
    Wide,
    /// The parallel sorts of rayon.
    Rayon,
    /// rustfft, called directly.
    Rustfft,
    /// The reference loop: hand-written for the benchmark, or a plain copy of the same number of bytes. For linear algebra, faer's
    /// low-level functions.
    Limit,
    /// A trace as a contraction with the unit matrix.
    Delta,
    /// A trace as the sum of every (n + 1)-th element of the matrix as a vector: a reshaped view if possible, otherwise a copy.
    Steps,
    /// A trace as the product of the diagonals and a vector of ones.
    Dot,
}

/// The role of a column in comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Vierbein,
    Peer,
    Limit,
    /// Another computation of the same result with vierbein.
    Alternative,
}

impl Library {
    pub fn name(self) -> &'static str {
        match self {
            Library::Vierbein => "vierbein",
            Library::Ndarray => "ndarray",
            Library::Strided => "strided",
            Library::Rstsr => "rstsr",
            Library::Faer => "faer",
            Library::Nalgebra => "nalgebra",
            Library::Std => "std",
            Library::Wide => "wide",
            Library::Rayon => "rayon",
            Library::Rustfft => "rustfft",
            Library::Limit => "limit",
            Library::Delta => "δ",
            Library::Steps => "steps",
            Library::Dot => "dot",
        }
    }

    pub fn role(self) -> Role {
        match self {
            Library::Vierbein => Role::Vierbein,
            Library::Ndarray
            | Library::Strided
            | Library::Rstsr
            | Library::Faer
            | Library::Nalgebra
            | Library::Std
            | Library::Wide
            | Library::Rayon
            | Library::Rustfft => Role::Peer,
            Library::Limit => Role::Limit,
            Library::Delta | Library::Steps | Library::Dot => Role::Alternative,
        }
    }
}

/// A result whose elements can be checked. `position` is a flat index in row-major order of the problem's output.
pub trait Outcome<T> {
    fn size(&self) -> usize;
    fn at(&self, position: usize) -> T;
}

impl<T: Number, D: Dim, O: Order> Outcome<T> for Tensor<T, D, O, Cpu> {
    fn size(&self) -> usize {
        self.len()
    }
    fn at(&self, position: usize) -> T {
        self.as_slice()[position]
    }
}

impl<T: Number, S: Data<Elem = T>, D: Dimension> Outcome<T> for ArrayBase<S, D> {
    fn size(&self) -> usize {
        self.len()
    }
    fn at(&self, position: usize) -> T {
        self.view().into_dyn()[&*index(self.shape(), position)]
    }
}

impl<T: Number> Outcome<T> for StridedArray<T> {
    fn size(&self) -> usize {
        self.len()
    }
    fn at(&self, position: usize) -> T {
        self.get(&index(self.dims(), position))
    }
}

impl<T: Number> Outcome<T> for StridedViewMut<'_, T> {
    fn size(&self) -> usize {
        self.len()
    }
    fn at(&self, position: usize) -> T {
        self.get(&index(self.dims(), position))
    }
}

impl<T: Number, R: DataAPI<Data = Vec<T>>, D: DimAPI> Outcome<T> for TensorAny<R, T, DeviceFaer, D> {
    fn size(&self) -> usize {
        self.shape().as_ref().iter().product()
    }
    fn at(&self, position: usize) -> T {
        let index: Vec<_> = index(self.shape().as_ref(), position).iter().map(|&i| i as isize).collect();
        self.storage().raw()[self.layout().index(&index)]
    }
}

impl<T: Number> Outcome<T> for MatMut<'_, T> {
    fn size(&self) -> usize {
        self.nrows() * self.ncols()
    }
    fn at(&self, position: usize) -> T {
        self[(position / self.ncols(), position % self.ncols())]
    }
}

impl<T: Number> Outcome<T> for &mut [T] {
    fn size(&self) -> usize {
        self.len()
    }
    fn at(&self, position: usize) -> T {
        self[position]
    }
}

/// An output that several implementations overwrite in turn. The first one is checked before the others write to it.
impl<T, R: Outcome<T>> Outcome<T> for Arc<Mutex<R>> {
    fn size(&self) -> usize {
        self.lock().expect("no implementation has panicked").size()
    }
    fn at(&self, position: usize) -> T {
        self.lock().expect("no implementation has panicked").at(position)
    }
}

impl<T, V: Outcome<T>> Outcome<T> for Lent<V> {
    fn size(&self) -> usize {
        (**self).size()
    }
    fn at(&self, position: usize) -> T {
        (**self).at(position)
    }
}

impl<T: Number> Outcome<T> for T {
    fn size(&self) -> usize {
        1
    }
    fn at(&self, _: usize) -> T {
        *self
    }
}

/// A column-major matrix of faer that holds the transposed result.
pub struct Columns<T>(pub Mat<T>);

impl<T: Number> Outcome<T> for Columns<T> {
    fn size(&self) -> usize {
        self.0.nrows() * self.0.ncols()
    }
    fn at(&self, position: usize) -> T {
        self.0[(position % self.0.nrows(), position / self.0.nrows())]
    }
}

impl<T: Number> Outcome<T> for Mat<T> {
    fn size(&self) -> usize {
        self.nrows() * self.ncols()
    }
    fn at(&self, position: usize) -> T {
        self[(position / self.ncols(), position % self.ncols())]
    }
}

impl<T: Number, R: nalgebra::Dim, C: nalgebra::Dim, S: nalgebra::RawStorage<T, R, C>> Outcome<T>
    for nalgebra::Matrix<T, R, C, S>
{
    fn size(&self) -> usize {
        self.len()
    }
    fn at(&self, position: usize) -> T {
        self[(position / self.ncols(), position % self.ncols())]
    }
}

impl<T: Number> Outcome<T> for Vec<T> {
    fn size(&self) -> usize {
        self.len()
    }
    fn at(&self, position: usize) -> T {
        self[position]
    }
}

/// Results of types that are not [`Number`]s are compared as `f64`.
macro_rules! compared_as_f64 {
    ($($T:ty: |$x:ident| $as_f64:expr;)*) => {$(
        impl<D: Dim> Outcome<f64> for Tensor<$T, D> {
            fn size(&self) -> usize {
                self.len()
            }
            fn at(&self, position: usize) -> f64 {
                let $x = self.as_slice()[position];
                $as_f64
            }
        }
        impl Outcome<f64> for Vec<$T> {
            fn size(&self) -> usize {
                self.len()
            }
            fn at(&self, position: usize) -> f64 {
                let $x = self[position];
                $as_f64
            }
        }
    )*};
}
compared_as_f64! {
    f32: |x| x.into();
    i64: |x| x as f64;
    i32: |x| x.into();
    bool: |x| x.into();
}

/// The computation of a benchmark with one library.
pub trait Work<T>: Send {
    /// Runs the computation `times` times, at least once.
    fn repeat(&mut self, times: u32);
    /// Runs the computation once, and passes its result to `judge`.
    fn judge(&mut self, judge: &dyn Fn(&dyn Outcome<T>));
}

/// A computation that allocates a new result in each call. The timed work includes freeing the result, because a user's program
/// must free it too.
struct Fresh<F>(F);

impl<R, F: FnMut() -> R> Fresh<F> {
    /// Runs the computation `times` times, at least once, and returns the last result. The closure is called only here, so the compiler
    /// inlines it into the loop, as it would in a user's program.
    #[inline(never)]
    fn run(&mut self, mut times: u32) -> R {
        loop {
            let result = (self.0)();
            // Passes a reference: a value would be moved, and a move of a small tensor takes as long as its computation.
            black_box(&result);
            if times <= 1 {
                return result;
            }
            times -= 1;
        }
    }
}

impl<T, R: Outcome<T>, F: FnMut() -> R + Send> Work<T> for Fresh<F> {
    fn repeat(&mut self, times: u32) {
        self.run(times);
    }
    fn judge(&mut self, judge: &dyn Fn(&dyn Outcome<T>)) {
        judge(&self.run(1));
    }
}

/// A computation that overwrites a preallocated output.
struct Over<R, F>(R, F);

impl<T, R: Outcome<T> + Send, F: FnMut(&mut R) + Send> Work<T> for Over<R, F> {
    fn repeat(&mut self, times: u32) {
        for _ in 0..times {
            (self.1)(black_box(&mut self.0));
        }
    }
    fn judge(&mut self, judge: &dyn Fn(&dyn Outcome<T>)) {
        (self.1)(&mut self.0);
        judge(&self.0);
    }
}

/// A computation that updates an operand in place. `start` sets the operand's elements before the check.
struct InPlace<R, S, F> {
    out: R,
    start: S,
    f: F,
}

impl<T, R, S, F> Work<T> for InPlace<R, S, F>
where
    R: Outcome<T> + Send,
    S: Fn(&mut R) + Send,
    F: FnMut(&mut R) + Send,
{
    fn repeat(&mut self, times: u32) {
        for _ in 0..times {
            (self.f)(black_box(&mut self.out));
        }
    }
    fn judge(&mut self, judge: &dyn Fn(&dyn Outcome<T>)) {
        (self.start)(&mut self.out);
        (self.f)(&mut self.out);
        judge(&self.out);
    }
}

/// One implementation of a benchmark.
pub struct Implementation<T> {
    pub library: Library,
    pub work: Box<dyn Work<T>>,
    /// The expected result, if it differs from that of the benchmark. Example: the reference loop of a permutation is a plain
    /// copy.
    instead: Option<Definition<T>>,
}

/// A benchmark: one problem and its implementations.
pub struct Row<T> {
    pub problem: Problem<T>,
    pub implementations: Vec<Implementation<T>>,
}

impl<T: Number> Row<T> {
    pub fn new(problem: Problem<T>) -> Row<T> {
        Row { problem, implementations: Vec::new() }
    }

    fn with(mut self, library: Library, work: impl Work<T> + 'static) -> Row<T> {
        self.implementations.push(Implementation { library, work: Box::new(work), instead: None });
        self
    }

    /// Adds an implementation that allocates its result.
    pub fn fresh<R: Outcome<T> + 'static>(
        self,
        library: Library,
        f: impl FnMut() -> R + Send + 'static,
    ) -> Row<T> {
        self.with(library, Fresh(f))
    }

    /// Adds an implementation that overwrites `out`.
    pub fn over<R: Outcome<T> + Send + 'static>(
        self,
        library: Library,
        out: R,
        f: impl FnMut(&mut R) + Send + 'static,
    ) -> Row<T> {
        self.with(library, Over(out, f))
    }

    /// Adds an implementation that updates `out` in place. `start` sets the elements of `out` before the check.
    pub fn in_place<R: Outcome<T> + Send + 'static>(
        self,
        library: Library,
        out: R,
        start: impl Fn(&mut R) + Send + 'static,
        f: impl FnMut(&mut R) + Send + 'static,
    ) -> Row<T> {
        self.with(library, InPlace { out, start, f })
    }

    /// Replaces the expected result for the implementation that was added last. Call it if this implementation computes another
    /// result than the benchmark.
    pub fn instead(mut self, definition: impl Fn(&[usize]) -> (T, f64) + Send + 'static) -> Row<T> {
        let last = self.implementations.last_mut().expect("an implementation before this");
        last.instead = Some(Box::new(definition));
        self
    }
}

/// A [`Row`] whose element type is erased.
pub trait Contest: Send {
    fn libraries(&self) -> Vec<Library>;
    /// Compares up to 1000 elements of each implementation's result with the definition.
    ///
    /// # Panics
    /// If the error of an element exceeds the tolerance of the element type times the second value of the [`Definition`]. This
    /// value is the sum of the magnitudes of the terms, or zero if the computation is exact.
    fn check(&mut self);
    /// Runs an implementation `times` times. `implementation` is its index in [`libraries`](Contest::libraries).
    fn repeat(&mut self, implementation: usize, times: u32);
}

impl<T: Number> Contest for Row<T> {
    fn libraries(&self) -> Vec<Library> {
        self.implementations.iter().map(|implementation| implementation.library).collect()
    }
    fn check(&mut self) {
        const POSITIONS: usize = 1000;
        let size = self.problem.shape.iter().product::<usize>();
        let mut positions = Generator(2);
        let positions: Vec<_> = if size <= POSITIONS {
            (0..size).collect()
        } else {
            [0, size - 1].into_iter().chain((2..POSITIONS).map(|_| positions.below(size))).collect()
        };
        let expected: Vec<_> = positions.iter().map(|&position| self.problem.element(position)).collect();
        for Implementation { library, work, instead } in &mut self.implementations {
            work.judge(&|found| {
                assert_eq!(found.size(), size, "the size of the result of {}", library.name());
                for (&position, &(value, scale)) in positions.iter().zip(&expected) {
                    let (value, scale) = match &*instead {
                        Some(definition) => definition(&index(&self.problem.shape, position)),
                        None => (value, scale),
                    };
                    let error = (found.at(position) - value).magnitude();
                    // The comparison is `false` for NaN, so NaN fails the check.
                    assert!(
                        error <= T::TOLERANCE * scale,
                        "{} is off by {error} at {position}: {:?}, not {value:?}",
                        library.name(),
                        found.at(position),
                    );
                }
            });
        }
    }
    fn repeat(&mut self, implementation: usize, times: u32) {
        self.implementations[implementation].work.repeat(times);
    }
}
