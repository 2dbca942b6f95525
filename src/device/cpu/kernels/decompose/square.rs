//! Square matrices of the workspace without padding between the columns, for this crate's own algorithms.

use crate::element::Element;
use core::ops::{Index, IndexMut};
use faer::MatMut;

/// A square matrix in column-major order, without padding between the columns.
#[derive(Debug)]
pub(in crate::device) struct Square<'a, T> {
    n: usize,
    elements: &'a mut [T],
}

impl<'a, T: Element> Square<'a, T> {
    /// Returns the matrix with these columns.
    ///
    /// # Panics
    /// If there are not `n · n` elements.
    pub(super) fn new(n: usize, elements: &'a mut [T]) -> Self {
        assert_eq!(elements.len(), n * n, "a square matrix of {n} columns");
        Square { n, elements }
    }

    pub(super) fn n(&self) -> usize {
        self.n
    }

    pub(super) fn as_mat_mut(&mut self) -> MatMut<'_, T> {
        MatMut::from_column_major_slice_mut(self.elements, self.n, self.n)
    }

    pub(super) fn column(&self, j: usize) -> &[T] {
        &self.elements[j * self.n..(j + 1) * self.n]
    }

    pub(super) fn column_mut(&mut self, j: usize) -> &mut [T] {
        &mut self.elements[j * self.n..(j + 1) * self.n]
    }

    /// Calls `f` with the rows `i..i + K` of each column from `from` on.
    #[inline(always)]
    pub(super) fn for_rows<const K: usize>(&mut self, i: usize, from: usize, mut f: impl FnMut(&mut [T; K])) {
        for column in self.elements[from * self.n..].chunks_exact_mut(self.n) {
            f(column[i..].first_chunk_mut().expect("the rows exist"));
        }
    }

    /// Calls `f` with the first `rows` elements of the columns `j` and `j + 1`.
    #[inline(always)]
    pub(super) fn for_two_columns(&mut self, j: usize, rows: usize, mut f: impl FnMut(&mut T, &mut T)) {
        let (first, second) = self.elements[j * self.n..(j + 2) * self.n].split_at_mut(self.n);
        first[..rows].iter_mut().zip(&mut second[..rows]).for_each(|(x, y)| f(x, y));
    }

    /// Calls `f` with the first `rows` elements of the columns `j`, `j + 1` and `j + 2`.
    #[inline(always)]
    pub(super) fn for_three_columns(
        &mut self,
        j: usize,
        rows: usize,
        mut f: impl FnMut(&mut T, &mut T, &mut T),
    ) {
        let (first, rest) = self.elements[j * self.n..(j + 3) * self.n].split_at_mut(self.n);
        let (second, third) = rest.split_at_mut(self.n);
        let pairs = first[..rows].iter_mut().zip(&mut second[..rows]);
        pairs.zip(&mut third[..rows]).for_each(|((x, y), z)| f(x, y, z));
    }
}

impl<T> Index<(usize, usize)> for Square<'_, T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.elements[j * self.n + i]
    }
}

impl<T> IndexMut<(usize, usize)> for Square<'_, T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.elements[j * self.n + i]
    }
}
