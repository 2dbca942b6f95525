//! A row of the table: one problem, and each library's way of solving it.

use crate::number::{Number, Sequence};
use crate::problem::Problem;
use faer::Mat;
use ndarray::{Array, Dimension};
use std::hint::black_box;
use vierbein::{Cpu, Dim, Order, Tensor};

/// Whose work is timed: the columns of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    Vierbein,
    Ndarray,
    Strided,
    Faer,
}

impl Library {
    pub const ALL: [Library; 4] = [Library::Vierbein, Library::Ndarray, Library::Strided, Library::Faer];

    pub fn name(self) -> &'static str {
        match self {
            Library::Vierbein => "vierbein",
            Library::Ndarray => "ndarray",
            Library::Strided => "strided",
            Library::Faer => "faer",
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

impl<T: Number, D: Dimension> Outcome<T> for Array<T, D> {
    fn size(&self) -> usize {
        self.len()
    }
    fn at(&self, position: usize) -> T {
        let mut index = vec![0; self.ndim()];
        let mut rest = position;
        for (at, &extent) in index.iter_mut().zip(self.shape()).rev() {
            *at = rest % extent;
            rest /= extent;
        }
        self.view().into_dyn()[&*index]
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

/// One problem and its contenders.
pub struct Row<T> {
    pub problem: Problem<T>,
    pub contenders: Vec<(Library, Box<dyn Work<T>>)>,
}

impl<T: Number> Row<T> {
    pub fn new(problem: Problem<T>) -> Row<T> {
        Row { problem, contenders: Vec::new() }
    }

    /// A contender that allocates its result.
    pub fn fresh<R: Outcome<T> + 'static>(
        mut self,
        library: Library,
        f: impl FnMut() -> R + Send + 'static,
    ) -> Row<T> {
        self.contenders.push((library, Box::new(Fresh(f))));
        self
    }

    /// A contender that writes over `out`.
    pub fn over<R: Outcome<T> + Send + 'static>(
        mut self,
        library: Library,
        out: R,
        f: impl FnMut(&mut R) + Send + 'static,
    ) -> Row<T> {
        self.contenders.push((library, Box::new(Over(out, f))));
        self
    }

    /// Compares every contender with the definition, at up to a thousand positions.
    ///
    /// # Panics
    /// If one is off by more than 1e-10 of the magnitudes that it sums.
    pub fn check(&mut self) {
        const POSITIONS: usize = 1000;
        let size = self.problem.shape.iter().product::<usize>();
        let mut positions = Sequence(2);
        let positions: Vec<_> = if size <= POSITIONS {
            (0..size).collect()
        } else {
            [0, size - 1].into_iter().chain((2..POSITIONS).map(|_| positions.below(size))).collect()
        };
        let expected: Vec<_> = positions.iter().map(|&position| self.problem.element(position)).collect();
        for (library, work) in &mut self.contenders {
            work.judge(&|found| {
                assert_eq!(found.size(), size, "the size of the result of {}", library.name());
                for (&position, &(value, scale)) in positions.iter().zip(&expected) {
                    let error = (found.at(position) - value).magnitude();
                    // Written so that NaN fails.
                    assert!(
                        error <= 1e-10 * scale,
                        "{} is off by {error} at {position}: {:?}, not {value:?}",
                        library.name(),
                        found.at(position),
                    );
                }
            });
        }
    }
}
