//! Rows of the table of bad input: conversions from and to matrices and vectors of nalgebra, whose views support no negative
//! strides.

use super::array::{Array, Outcome, reject};
use super::driver::{Row, done};
use super::hazards::countable;
use super::operand::{Operand, Place, ToArray};
use super::ranks::at_rank;
use super::{all, does_not_compile, incremented, row};
use nalgebra::{DMatrix, DVector, Dyn, MatrixView, MatrixViewMut, VectorView, VectorViewMut};
use vierbein::Error;
use vierbein::prelude::*;

type Matrix<'a> = MatrixView<'a, f64, Dyn, Dyn, Dyn, Dyn>;
type MatrixMut<'a> = MatrixViewMut<'a, f64, Dyn, Dyn, Dyn, Dyn>;
type Vector<'a> = VectorView<'a, f64, Dyn, Dyn, Dyn>;
type VectorMut<'a> = VectorViewMut<'a, f64, Dyn, Dyn, Dyn>;

pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            &[
                "TryFrom<Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>> for Matrix<T, Dyn, Dyn, ViewStorage<'a, T, Dyn, Dyn, Dyn, Dyn>>",
                "From<Matrix<T, R, C, ViewStorage<'a, T, R, C, RS, CS>>> for Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>",
                "From<&Matrix<T, R, C, S>> for Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>",
            ],
            all,
            |o| at_rank!(o, x: view, [2], done!(try matrix(*x, &o[0]))),
            viewed_or_rejected,
            does_not_compile,
        ),
        row(
            &[
                "TryFrom<Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>> for Matrix<T, Dyn, Const<N>, ViewStorage<'a, T, Dyn, Const<N>, Dyn, Dyn>>",
                "From<&Matrix<T, R, Const<N>, S>> for Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>",
            ],
            all,
            |o| at_rank!(o, x: view, [1], done!(try vector(*x, &o[0]))),
            viewed_or_rejected,
            does_not_compile,
        ),
        row(
            &[
                "TryFrom<Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>> for Matrix<T, Dyn, Dyn, ViewStorageMut<'a, T, Dyn, Dyn, Dyn, Dyn>>",
                "From<Matrix<T, R, C, ViewStorageMut<'a, T, R, C, RS, CS>>> for Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>",
                "From<&mut Matrix<T, R, C, S>> for Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>",
            ],
            countable,
            |o| (o[0].rank() == 2).then(|| done!(try o[0].changed::<2>(&matrix_mut))),
            changed_or_refused,
            does_not_compile,
        ),
        row(
            &[
                "TryFrom<Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>> for Matrix<T, Dyn, Const<N>, ViewStorageMut<'a, T, Dyn, Const<N>, Dyn, Dyn>>",
                "From<&mut Matrix<T, R, Const<N>, S>> for Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>",
            ],
            countable,
            |o| (o[0].rank() == 1).then(|| done!(try o[0].changed::<1>(&vector_mut))),
            changed_or_refused,
            does_not_compile,
        ),
        row(
            &[
                "From<Matrix<T, Dyn, Dyn, VecStorage<T, Dyn, Dyn>>> for Tensor<T, Rank<N>, ColMajor>",
                "From<Tensor<T, Rank<N>, ColMajor>> for Matrix<T, Dyn, Dyn, VecStorage<T, Dyn, Dyn>>",
            ],
            countable,
            |o| {
                at_rank!(o, x: view, [2], done!(panics {
                    let matrix = DMatrix::from(x.to_order::<ColMajor>());
                    assert_eq!([matrix.nrows(), matrix.ncols()], x.shape());
                    let address = matrix.as_ptr();
                    let back = Tensor::from(matrix);
                    assert!(back.is_empty() || back.as_ptr() == address);
                    back
                }))
            },
            |o| Ok(o.array()),
            does_not_compile,
        ),
        row(
            &[
                "From<Matrix<T, Dyn, Const<N>, VecStorage<T, Dyn, Const<N>>>> for Tensor<T, Rank<N>, O>",
                "From<Tensor<T, Rank<N>, O>> for Matrix<T, Dyn, Const<N>, VecStorage<T, Dyn, Const<N>>>",
            ],
            countable,
            |o| {
                at_rank!(o, x: view, [1], done!(panics {
                    let vector = DVector::from(x.to_owned());
                    assert_eq!([vector.len()], x.shape());
                    let address = vector.as_ptr();
                    let back = Tensor::<f64, Rank<1>>::from(vector);
                    assert!(back.is_empty() || back.as_ptr() == address);
                    back
                }))
            },
            |o| Ok(o.array()),
            does_not_compile,
        ),
    ]
}

/// Returns whether the operand can be converted to a view of nalgebra. As documented, the conversion rejects negative strides, and
/// a row stride of 0 if there is more than one row.
fn is_a_view(o: &Operand) -> bool {
    let same_rows = matches!(o.place, Place::Repeated(_)) && o.shape[0] > 1 && !o.shape.contains(&0);
    !same_rows && !matches!(o.place, Place::Reversed)
}

fn viewed_or_rejected(o: &Operand) -> Outcome {
    if is_a_view(o) { Ok(o.array()) } else { reject("InvalidStrides") }
}

/// Returns the expected result for a mutable view. The test copies operands with stride 0 first, so only negative strides are
/// rejected.
fn changed_or_refused(o: &Operand) -> Outcome {
    if matches!(o.place, Place::Reversed) { reject("InvalidStrides") } else { Ok(incremented(o)) }
}

fn matrix(x: TensorView<'_, f64, Rank<2>>, o: &Operand) -> Result<Array, Error> {
    let matrix = Matrix::try_from(x)?;
    o.assert_same(&[matrix.nrows(), matrix.ncols()], |index| &matrix[(index[0], index[1])]);
    let by_reference = TensorView::<f64, Rank<2>>::from(&matrix);
    o.assert_same(&by_reference.shape(), |index| &by_reference[[index[0], index[1]]]);
    let back = TensorView::<f64, Rank<2>>::from(matrix);
    o.assert_same(&back.shape(), |index| &back[[index[0], index[1]]]);
    Ok(back.array())
}

fn vector(x: TensorView<'_, f64, Rank<1>>, o: &Operand) -> Result<Array, Error> {
    let vector = Vector::try_from(x)?;
    o.assert_same(&[vector.len()], |index| &vector[index[0]]);
    let back = TensorView::<f64, Rank<1>>::from(&vector);
    o.assert_same(&back.shape(), |index| &back[[index[0]]]);
    Ok(back.array())
}

fn matrix_mut(x: TensorViewMut<'_, f64, Rank<2>>) -> Result<Array, Error> {
    let mut matrix = MatrixMut::try_from(x)?;
    // nalgebra iterates over all columns, even empty ones, so `apply` would take too long for huge empty matrices.
    if !matrix.is_empty() {
        matrix.apply(|x| *x += 0.5);
    }
    TensorViewMut::<f64, Rank<2>>::from(&mut matrix).mapv_inplace(|x| x + 0.25);
    let mut back = TensorViewMut::<f64, Rank<2>>::from(matrix);
    back.mapv_inplace(|x| x + 0.25);
    Ok(back.array())
}

fn vector_mut(x: TensorViewMut<'_, f64, Rank<1>>) -> Result<Array, Error> {
    let mut vector: VectorMut<'_> = x.try_into()?;
    vector.apply(|x| *x += 0.5);
    let mut back = TensorViewMut::<f64, Rank<1>>::from(&mut vector);
    back.mapv_inplace(|x| x + 0.5);
    Ok(back.array())
}
