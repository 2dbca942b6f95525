//! Rows of the bad-input table (see `bad_input/mod.rs`): conversions from and to matrices, columns and rows of faer.

use super::array::{Array, Outcome, reject};
use super::driver::{Row, done};
use super::hazards::countable;
use super::operand::{Operand, ToArray};
use super::ranks::at_rank;
use super::{all, does_not_compile, incremented, row, saying};
use faer::{ColMut, ColRef, Mat, MatMut, MatRef};
use vierbein::Error;
use vierbein::prelude::*;

pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            &[
                "From<Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>> for Mat<Ref<'a, T>>",
                "From<Mat<Ref<'a, T>>> for Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>",
            ],
            all,
            |o| at_rank!(o, x: view, [2], done!(panics matrix(*x, &o[0]))),
            |o| Ok(o.array()),
            does_not_compile,
        ),
        row(
            &[
                "From<Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>> for Col<Ref<'a, T>>",
                "From<Col<Ref<'a, T>>> for Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>",
                "From<Row<Ref<'a, T>>> for Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>",
            ],
            all,
            |o| at_rank!(o, x: view, [1], done!(panics vectors(*x, &o[0]))),
            |o| Ok(o.array()),
            does_not_compile,
        ),
        row(
            &[
                "From<Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>> for Mat<Mut<'a, T>>",
                "From<Mat<Mut<'a, T>>> for Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>",
            ],
            countable,
            |o| (o[0].rank() == 2).then(|| done!(try o[0].changed::<2>(&matrix_mut))),
            |o| Ok(incremented(o)),
            does_not_compile,
        ),
        row(
            &[
                "From<Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>> for Col<Mut<'a, T>>",
                "From<Col<Mut<'a, T>>> for Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>",
                "From<Row<Mut<'a, T>>> for Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>",
            ],
            countable,
            |o| (o[0].rank() == 1).then(|| done!(try o[0].changed::<1>(&vectors_mut))),
            |o| Ok(incremented(o)),
            does_not_compile,
        ),
        row(
            &[
                "From<&Mat<Own<T>>> for Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>",
                "From<&mut Mat<Own<T>>> for Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>",
                "TryFrom<Mat<Own<T>>> for Tensor<T, Rank<N>, ColMajor>",
            ],
            // Omits huge shapes, even those with zero elements: faer would iterate over the huge number of empty columns.
            |hazard| countable(hazard).into_iter().filter(|o| !o[0].is_huge()).collect(),
            |o| at_rank!(o, x: view, [2], done!(try owned(*x))),
            contiguous_or_rejected,
            does_not_compile,
        ),
    ]
}

fn matrix(x: TensorView<'_, f64, Rank<2>>, o: &Operand) -> Array {
    let matrix = MatRef::from(x);
    o.assert_same(&[matrix.nrows(), matrix.ncols()], |index| &matrix[(index[0], index[1])]);
    let back = TensorView::<f64, Rank<2>>::from(matrix);
    o.assert_same(&back.shape(), |index| &back[[index[0], index[1]]]);
    back.array()
}

/// Converts a view to a column of faer. Then converts the column, and the row that is its transpose, back to views.
fn vectors(x: TensorView<'_, f64, Rank<1>>, o: &Operand) -> Array {
    let column = ColRef::from(x);
    o.assert_same(&[column.nrows()], |index| &column[index[0]]);
    let row = TensorView::<f64, Rank<1>>::from(column.transpose());
    o.assert_same(&row.shape(), |index| &row[[index[0]]]);
    let back = TensorView::<f64, Rank<1>>::from(column);
    o.assert_same(&back.shape(), |index| &back[[index[0]]]);
    back.array()
}

fn matrix_mut(x: TensorViewMut<'_, f64, Rank<2>>) -> Result<Array, Error> {
    let indices: Vec<[usize; 2]> = x.indexed_iter().map(|(at, _)| at).collect();
    let mut matrix = MatMut::from(x);
    for at in indices {
        matrix[(at[0], at[1])] += 0.5;
    }
    let mut back = TensorViewMut::<f64, Rank<2>>::from(matrix);
    back.mapv_inplace(|x| x + 0.5);
    Ok(back.array())
}

fn vectors_mut(x: TensorViewMut<'_, f64, Rank<1>>) -> Result<Array, Error> {
    let mut column = ColMut::from(x);
    for i in 0..column.nrows() {
        column[i] += 0.5;
    }
    TensorViewMut::<f64, Rank<1>>::from(column.as_mut().transpose_mut()).mapv_inplace(|x| x + 0.25);
    let mut back = TensorViewMut::<f64, Rank<1>>::from(column);
    back.mapv_inplace(|x| x + 0.25);
    Ok(back.array())
}

/// Converts owned matrices. faer pads the columns of an owned matrix to multiples of its vector size, so a conversion may fail.
fn owned(x: TensorView<'_, f64, Rank<2>>) -> Result<Array, Error> {
    let mut matrix = Mat::from_fn(x.shape()[0], x.shape()[1], |i, j| x[[i, j]]);
    TensorViewMut::<f64, Rank<2>>::from(&mut matrix).mapv_inplace(|x| x * 1.0);
    assert!(TensorView::<f64, Rank<2>>::from(&matrix).array().is(&x.array()));
    let taken = Tensor::<f64, Rank<2>, ColMajor>::try_from(matrix).map_err(Error::from);
    saying("has padding between its columns; copy it with `Tensor::copy_of(&matrix)`", taken)
        .map(|x| x.array())
}

/// Returns the expected result of [`owned`]. faer pads columns to multiples of 64 bytes, which are 8 elements. Padding between
/// columns is an error.
fn contiguous_or_rejected(o: &Operand) -> Outcome {
    let [rows, columns] = o.shape[..] else { unreachable!("only matrices were converted") };
    let gaps = rows % 8 != 0 && columns > 1;
    if gaps { reject("Argument") } else { Ok(o.array()) }
}
