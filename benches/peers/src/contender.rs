//! A row of the table: one problem, and each library's way of solving it.

use crate::memory::Lent;
use crate::number::{Number, Sequence};
use crate::problem::{Definition, Problem, index};
use faer::{Mat, MatMut};
use ndarray::{ArrayBase, Data, Dimension};
use rstsr_core::prelude::{DeviceFaer, TensorAny};
use rstsr_core::prelude_dev::{DataAPI, DimAPI};
use std::hint::black_box;
use strided_kernel::{StridedArray, StridedViewMut};
use vierbein::{Cpu, Dim, Order, Tensor};

/// Whose work is timed: the columns of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    Vierbein,
    Ndarray,
    Strided,
    Rstsr,
    Faer,
    Nalgebra,
    /// A hand-written loop for this one case, or a plain copy of as many bytes.
    Limit,
    /// A trace as a contraction with the unit matrix.
    Delta,
    /// A trace as a sum over every (n + 1)-th element, after a reshape where that is possible, else a copy.
    Steps,
    /// A trace as the product of its diagonals and a vector of ones.
    Dot,
}

/// What a column is compared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Ours,
    Peer,
    Limit,
    /// Another way to the same result within vierbein.
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
            Library::Limit => "limit",
            Library::Delta => "δ",
            Library::Steps => "steps",
            Library::Dot => "dot",
        }
    }

    pub fn role(self) -> Role {
        match self {
            Library::Vierbein => Role::Ours,
            Library::Ndarray
            | Library::Strided
            | Library::Rstsr
            | Library::Faer
            | Library::Nalgebra => Role::Peer,
            Library::Limit => Role::Limit,
            Library::Delta | Library::Steps | Library::Dot => Role::Alternative,
        }
    }
}

/// A result, read one element at a time to be checked; positions count as the problem's output does, last label fastest.
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

/// faer's matrices are column-major, whichever order the problem speaks of.
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

/// One library's solution.
pub trait Work<T>: Send {
    fn repeat(&mut self, times: u32);
    fn judge(&mut self, judge: &dyn Fn(&dyn Outcome<T>));
}

/// Makes a new result each time; giving its memory back is part of the work, as it is of a user's program.
struct Fresh<F>(F);

impl<T, R: Outcome<T>, F: FnMut() -> R + Send> Work<T> for Fresh<F> {
    fn repeat(&mut self, times: u32) {
        for _ in 0..times {
            black_box((self.0)());
        }
    }
    fn judge(&mut self, judge: &dyn Fn(&dyn Outcome<T>)) {
        judge(&(self.0)());
    }
}

/// Writes over a result that is there already.
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

/// Changes a result that is there already, and is given its first value before it is judged.
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

/// One way of solving a row's problem.
pub struct Contender<T> {
    pub library: Library,
    pub work: Box<dyn Work<T>>,
    /// What it computes, where that is not what the row does: a copy in place of a permutation.
    instead: Option<Definition<T>>,
}

/// One problem and its contenders.
pub struct Row<T> {
    pub problem: Problem<T>,
    pub contenders: Vec<Contender<T>>,
}

impl<T: Number> Row<T> {
    pub fn new(problem: Problem<T>) -> Row<T> {
        Row { problem, contenders: Vec::new() }
    }

    fn with(mut self, library: Library, work: impl Work<T> + 'static) -> Row<T> {
        self.contenders.push(Contender { library, work: Box::new(work), instead: None });
        self
    }

    /// A contender that allocates its result.
    pub fn fresh<R: Outcome<T> + 'static>(
        self,
        library: Library,
        f: impl FnMut() -> R + Send + 'static,
    ) -> Row<T> {
        self.with(library, Fresh(f))
    }

    /// A contender that writes over `out`.
    pub fn over<R: Outcome<T> + Send + 'static>(
        self,
        library: Library,
        out: R,
        f: impl FnMut(&mut R) + Send + 'static,
    ) -> Row<T> {
        self.with(library, Over(out, f))
    }

    /// A contender that changes `out`, which `start` gives its first value.
    pub fn in_place<R: Outcome<T> + Send + 'static>(
        self,
        library: Library,
        out: R,
        start: impl Fn(&mut R) + Send + 'static,
        f: impl FnMut(&mut R) + Send + 'static,
    ) -> Row<T> {
        self.with(library, InPlace { out, start, f })
    }

    /// What the last contender computes instead of the row's problem, element by element of the result.
    pub fn instead(mut self, definition: impl Fn(&[usize]) -> (T, f64) + Send + 'static) -> Row<T> {
        let last = self.contenders.last_mut().expect("a contender before this");
        last.instead = Some(Box::new(definition));
        self
    }
}

/// A row whose element type does not matter any more.
pub trait Contest: Send {
    fn libraries(&self) -> Vec<Library>;
    /// Compares every contender with the definition, at up to a thousand positions.
    ///
    /// # Panics
    /// If one is off by more than the tolerance of the type, as a part of the magnitudes that are summed; by anything, where
    /// nothing is rounded.
    fn check(&mut self);
    /// Lets a contender, by its place among the libraries, do its work so many times.
    fn repeat(&mut self, contender: usize, times: u32);
}

impl<T: Number> Contest for Row<T> {
    fn libraries(&self) -> Vec<Library> {
        self.contenders.iter().map(|contender| contender.library).collect()
    }
    fn check(&mut self) {
        const POSITIONS: usize = 1000;
        let size = self.problem.shape.iter().product::<usize>();
        let mut positions = Sequence(2);
        let positions: Vec<_> = if size <= POSITIONS {
            (0..size).collect()
        } else {
            [0, size - 1].into_iter().chain((2..POSITIONS).map(|_| positions.below(size))).collect()
        };
        let expected: Vec<_> = positions.iter().map(|&position| self.problem.element(position)).collect();
        for Contender { library, work, instead } in &mut self.contenders {
            work.judge(&|found| {
                assert_eq!(found.size(), size, "the size of the result of {}", library.name());
                for (&position, &(value, scale)) in positions.iter().zip(&expected) {
                    let (value, scale) = match &*instead {
                        Some(definition) => definition(&index(&self.problem.shape, position)),
                        None => (value, scale),
                    };
                    let error = (found.at(position) - value).magnitude();
                    // Written so that NaN fails.
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
    fn repeat(&mut self, contender: usize, times: u32) {
        self.contenders[contender].work.repeat(times);
    }
}
