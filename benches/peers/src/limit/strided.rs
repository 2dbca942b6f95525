//! Operations on few elements at strides that are known only at run time, which is what a tensor with views needs. Each result has a shape,
//! strides and memory of its own.

use crate::implementation::Outcome;

/// The elements of a tensor. The element at `index` is `elements[Σ index[axis] · strides[axis]]`.
pub(crate) struct Strided<const N: usize> {
    elements: Vec<f64>,
    shape: [usize; N],
    strides: [usize; N],
}

impl Strided<1> {
    pub(crate) fn vector(elements: Vec<f64>) -> Self {
        Strided { shape: [elements.len()], strides: [1], elements }
    }

    /// Returns the element at an index.
    ///
    /// # Safety
    /// The index must be less than the extent.
    #[inline(always)]
    unsafe fn at(&self, i: usize) -> f64 {
        // SAFETY: the caller ensures that the index is one of the vector, whose elements are all in `elements`.
        unsafe { *self.elements.get_unchecked(i * self.strides[0]) }
    }

    /// Returns `self + other`.
    #[inline(never)]
    pub(crate) fn add(&self, other: &Self) -> Self {
        assert_eq!(self.shape, other.shape);
        if [self.strides, other.strides] == [[1]; 2] {
            return Self::vector(self.elements.iter().zip(&other.elements).map(|(a, b)| a + b).collect());
        }
        // SAFETY: each index is less than the extent of both vectors, which are equal.
        Self::vector((0..self.shape[0]).map(|i| unsafe { self.at(i) + other.at(i) }).collect())
    }

    /// Returns the sum of the products of the elements.
    #[inline(never)]
    pub(crate) fn dot(&self, other: &Self) -> f64 {
        assert_eq!(self.shape, other.shape);
        // SAFETY: each index is less than the extent of both vectors, which are equal.
        (0..self.shape[0]).map(|i| unsafe { self.at(i) * other.at(i) }).sum()
    }
}

impl Strided<2> {
    /// Returns a matrix with these elements in row-major order.
    pub(crate) fn matrix(elements: Vec<f64>, shape: [usize; 2]) -> Self {
        assert_eq!(elements.len(), shape[0] * shape[1]);
        Strided { elements, shape, strides: [shape[1], 1] }
    }

    /// Returns the element at an index.
    ///
    /// # Safety
    /// Both parts of the index must be less than the extents.
    #[inline(always)]
    unsafe fn at(&self, i: usize, j: usize) -> f64 {
        // SAFETY: the caller ensures that the index is one of the matrix, whose elements are all in `elements`.
        unsafe { *self.elements.get_unchecked(i * self.strides[0] + j * self.strides[1]) }
    }

    /// Returns the sum of the diagonal elements.
    #[inline(never)]
    pub(crate) fn trace(&self) -> f64 {
        assert_eq!(self.shape[0], self.shape[1]);
        // SAFETY: each index is less than both extents, which are equal.
        (0..self.shape[0]).map(|i| unsafe { self.at(i, i) }).sum()
    }

    /// Returns the sum of each row.
    #[inline(never)]
    pub(crate) fn row_sums(&self) -> Strided<1> {
        let [rows, columns] = self.shape;
        // SAFETY: each index is less than the extents.
        Strided::vector((0..rows).map(|i| (0..columns).map(|j| unsafe { self.at(i, j) }).sum()).collect())
    }

    /// Returns the product with a vector.
    #[inline(never)]
    pub(crate) fn times_vector(&self, other: &Strided<1>) -> Strided<1> {
        let [rows, columns] = self.shape;
        assert_eq!([columns], other.shape);
        // SAFETY: each index is less than the extents. Those of the summed axes are equal.
        let sum = |i| (0..columns).map(|j| unsafe { self.at(i, j) * other.at(j) }).sum();
        Strided::vector((0..rows).map(sum).collect())
    }

    /// Returns the product with a matrix.
    #[inline(never)]
    pub(crate) fn times(&self, other: &Self) -> Self {
        let ([rows, inner], [others, columns]) = (self.shape, other.shape);
        assert_eq!(inner, others);
        let mut elements = Vec::with_capacity(rows * columns);
        for i in 0..rows {
            for j in 0..columns {
                // SAFETY: each index is less than the extents. Those of the summed axes are equal.
                elements.push((0..inner).map(|k| unsafe { self.at(i, k) * other.at(k, j) }).sum());
            }
        }
        Strided::matrix(elements, [rows, columns])
    }
}

impl<const N: usize> Outcome<f64> for Strided<N> {
    fn size(&self) -> usize {
        self.elements.len()
    }
    fn at(&self, position: usize) -> f64 {
        self.elements[position]
    }
}
