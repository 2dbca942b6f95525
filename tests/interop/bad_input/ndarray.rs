//! Rows of the table of bad input (see `bad_input/mod.rs`): conversions from and to arrays of ndarray, with static ranks (0 to 6) and with
//! dynamic rank.

use super::array::{Array as Plain, reject};
use super::driver::{ByHand, Row, done};
use super::hazards::countable;
use super::operand::{Operand, Place, ToArray};
use super::ranks::at_rank;
use super::{all, does_not_compile, incremented, row, saying};
use ndarray::{Array, ArrayD, ArrayView, ArrayViewD, ArrayViewMut, ArrayViewMutD, Dimension, IxDyn};
use vierbein::prelude::*;
use vierbein::{ConversionError, Error};

pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            &[
                "From<Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>> for ArrayBase<ViewRepr<&T>, Dim<[usize; N]>>",
                "From<ArrayBase<ViewRepr<&T>, Dim<[usize; N]>>> for Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>",
                "From<&ArrayBase<S, Dim<[usize; N]>>> for Tensor<T, Rank<N>, O, Cpu, View<'a, T, Cpu>>",
            ],
            all,
            |o| at_rank!(o, x: view, [0 1 2], done!(panics views(*x, &o[0]))),
            |o| Ok(o.array()),
            does_not_compile,
        ),
        row(
            &[
                "From<Tensor<T, D, O, Cpu, View<'a, T, Cpu>>> for ArrayBase<ViewRepr<&T>, Dim<IxDynImpl>>",
                "TryFrom<ArrayBase<ViewRepr<&T>, Dim<IxDynImpl>>> for Tensor<T, D, O, Cpu, View<'a, T, Cpu>>",
            ],
            all,
            |o| at_rank!(o, x: view, [0 1 2 16], done!(try erased_views(*x, &o[0]))),
            |o| Ok(o.array()),
            wrong_rank_of_a_view,
        ),
        row(
            &[
                "From<Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>> for ArrayBase<ViewRepr<&mut T>, Dim<[usize; N]>>",
                "From<ArrayBase<ViewRepr<&mut T>, Dim<[usize; N]>>> for Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>",
                "From<&mut ArrayBase<S, Dim<[usize; N]>>> for Tensor<T, Rank<N>, O, Cpu, ViewMut<'a, T, Cpu>>",
            ],
            countable,
            |o| match o[0].rank() {
                0 => Some(done!(try o[0].changed::<0>(&views_mut))),
                1 => Some(done!(try o[0].changed::<1>(&views_mut))),
                2 => Some(done!(try o[0].changed::<2>(&views_mut))),
                _ => None,
            },
            |o| Ok(incremented(o)),
            does_not_compile,
        ),
        row(
            &[
                "From<Tensor<T, D, O, Cpu, ViewMut<'a, T, Cpu>>> for ArrayBase<ViewRepr<&mut T>, Dim<IxDynImpl>>",
                "TryFrom<ArrayBase<ViewRepr<&mut T>, Dim<IxDynImpl>>> for Tensor<T, D, O, Cpu, ViewMut<'a, T, Cpu>>",
            ],
            countable,
            |o| match o[0].rank() {
                0 => Some(done!(try o[0].changed::<0>(&erased_views_mut))),
                2 => Some(done!(try o[0].changed::<2>(&erased_views_mut))),
                16 => Some(done!(try o[0].changed::<16>(&erased_views_mut))),
                _ => None,
            },
            |o| Ok(incremented(o)),
            wrong_rank_of_a_mutable_view,
        ),
        row(
            &[
                "From<Tensor<T, Rank<N>, O>> for ArrayBase<OwnedRepr<T>, Dim<[usize; N]>>",
                "TryFrom<ArrayBase<OwnedRepr<T>, Dim<[usize; N]>>> for Tensor<T, Rank<N>, O>",
            ],
            countable,
            |o| at_rank!(o, x: view, [0 1 2], done!(try owned(*x, &o[0]))),
            contiguous_or_rejected,
            other_order,
        ),
        row(
            &[
                "From<Tensor<T, D, O>> for ArrayBase<OwnedRepr<T>, Dim<IxDynImpl>>",
                "TryFrom<ArrayBase<OwnedRepr<T>, Dim<IxDynImpl>>> for Tensor<T, D, O>",
            ],
            countable,
            |o| at_rank!(o, x: view, [0 1 2 16], done!(try erased(*x, &o[0]))),
            contiguous_or_rejected,
            wrong_rank_of_an_array,
        ),
    ]
}

// ------------------------------------------------------------------ views

/// Converts a view to ndarray and back, by value and by reference.
fn views<'a, D: InTypes<Dimension = I>, I: Dimension>(x: TensorView<'a, f64, D>, o: &Operand) -> Plain
where
    ArrayView<'a, f64, I>: From<TensorView<'a, f64, D>>,
    TensorView<'a, f64, D>: From<ArrayView<'a, f64, I>>,
    for<'b> TensorView<'b, f64, D>: From<&'b ArrayView<'a, f64, I>>,
{
    let array = ArrayView::<f64, I>::from(x);
    let erased = array.clone().into_dyn();
    o.assert_same(array.shape(), |index| &erased[index]);
    let by_reference = TensorView::<f64, D>::from(&array);
    o.assert_same(by_reference.shape().as_ref(), |index| address(&by_reference, index));
    let back = TensorView::<f64, D>::from(array);
    o.assert_same(back.shape().as_ref(), |index| address(&back, index));
    back.array()
}

/// Maps a rank to the type by which ndarray expresses it.
trait InTypes: Dim {
    type Dimension: Dimension;
}
impl InTypes for Rank<0> {
    type Dimension = ndarray::Ix0;
}
impl InTypes for Rank<1> {
    type Dimension = ndarray::Ix1;
}
impl InTypes for Rank<2> {
    type Dimension = ndarray::Ix2;
}

fn address<D: Dim>(x: &TensorView<'_, f64, D>, at: &[usize]) -> *const f64 {
    let index = D::shape_from(at).unwrap();
    x.get(index).expect("it is in the shape")
}

fn erased_views<D: Dim>(x: TensorView<'_, f64, D>, o: &Operand) -> Result<Plain, Error> {
    let array = ArrayViewD::from(x);
    o.assert_same(array.shape(), |index| &array[index]);
    let back = TensorView::<f64, D>::try_from(array)?;
    o.assert_same(back.shape().as_ref(), |index| address(&back, index));
    Ok(back.array())
}

fn wrong_rank_of_a_view() -> ByHand {
    let o = Operand::contiguous(&[2, 3]);
    let other = |form: &ArrayViewD<'_, f64>| {
        let found = saying(
            "has rank 2, not 3; convert it to a tensor of `Rank<2>`",
            TensorView::<f64, Rank<3>>::try_from(form.clone()),
        );
        found.map(|x| x.array())
    };
    let none = |form: &ArrayViewD<'_, f64>| {
        let found = saying("has rank 2, not 0", TensorView::<f64, Rank<0>>::try_from(form.clone()));
        found.map(|x| x.array())
    };
    let array = ArrayViewD::from(o.view::<2>());
    // ndarray limits the number of elements of a view to `isize::MAX`. This crate limits the number of bytes to `isize::MAX`, so it
    // rejects the conversion.
    let one = ndarray::arr0(1.0);
    let repeated = || {
        let view = one.broadcast(1 << (usize::BITS - 3)).expect("it is a view").into_dyn();
        TensorView::<f64, Rank<1>>::try_from(view).map(|x| x.array())
    };
    Ok(vec![
        (done!(try other(&array)), reject("Argument")),
        (done!(try none(&array)), reject("Argument")),
        (done!(try repeated()), reject("Overflow")),
    ])
}

// ------------------------------------------------------------------ mutable views

/// Converts a mutable view to ndarray and back, and adds 1 to its elements through the views.
fn views_mut<D: InTypes<Dimension = I>, I: Dimension>(x: TensorViewMut<'_, f64, D>) -> Result<Plain, Error>
where
    for<'b> ArrayViewMut<'b, f64, I>: From<TensorViewMut<'b, f64, D>>,
    for<'b> TensorViewMut<'b, f64, D>: From<ArrayViewMut<'b, f64, I>>,
    for<'b, 'c> TensorViewMut<'b, f64, D>: From<&'b mut ArrayViewMut<'c, f64, I>>,
{
    let mut array = ArrayViewMut::<f64, I>::from(x);
    array.mapv_inplace(|x| x + 0.5);
    TensorViewMut::<f64, D>::from(&mut array).mapv_inplace(|x| x + 0.25);
    let mut back = TensorViewMut::<f64, D>::from(array);
    back.mapv_inplace(|x| x + 0.25);
    Ok(back.array())
}

fn erased_views_mut<D: Dim>(x: TensorViewMut<'_, f64, D>) -> Result<Plain, Error> {
    let mut array = ArrayViewMutD::from(x);
    array.mapv_inplace(|x| x + 0.5);
    let mut back = TensorViewMut::<f64, D>::try_from(array)?;
    back.mapv_inplace(|x| x + 0.5);
    Ok(back.array())
}

fn wrong_rank_of_a_mutable_view() -> ByHand {
    let o = Operand::contiguous(&[2, 3]);
    let other = || {
        o.changed::<2>(&|x| {
            let array = ArrayViewMutD::from(x);
            saying(
                "has rank 2, not 3; convert it to a tensor of `Rank<2>`",
                TensorViewMut::<f64, Rank<3>>::try_from(array),
            )
            .map(|x| x.array())
        })
    };
    Ok(vec![(done!(try other()), reject("Argument"))])
}

// ------------------------------------------------------------------ owned arrays

const NO_ORDER: &str = "is not contiguous; copy it with `Tensor::copy_of(&array)`";

/// Moves a tensor's memory to ndarray and back. Then copies a view with ndarray, and converts the copy, which may have the strides of the
/// view.
fn owned<D: InTypes<Dimension = I>, I: Dimension>(
    x: TensorView<'_, f64, D>,
    o: &Operand,
) -> Result<Plain, Error>
where
    for<'b> ArrayView<'b, f64, I>: From<TensorView<'b, f64, D>>,
    Array<f64, I>: From<Tensor<f64, D>>,
    Tensor<f64, D>: TryFrom<Array<f64, I>, Error = ConversionError<Array<f64, I>>>,
{
    let array = Array::<f64, I>::from(x.try_to_owned()?);
    assert_eq!(array.shape(), o.shape);
    let back = Tensor::<f64, D>::try_from(array)?;
    assert!(back.array().is(&o.array()));
    let as_it_lies = ArrayView::<f64, I>::from(x).to_owned();
    saying(NO_ORDER, Tensor::<f64, D>::try_from(as_it_lies).map_err(Error::from)).map(|x| x.array())
}

fn erased<D: Dim>(x: TensorView<'_, f64, D>, o: &Operand) -> Result<Plain, Error> {
    let array = ArrayD::from(x.try_to_owned()?);
    assert_eq!(array.shape(), o.shape);
    let back = Tensor::<f64, D>::try_from(array)?;
    assert!(back.array().is(&o.array()));
    let as_it_lies = ArrayViewD::from(x).to_owned();
    saying(NO_ORDER, Tensor::<f64, D>::try_from(as_it_lies).map_err(Error::from)).map(|x| x.array())
}

/// Returns the expected result of [`owned`]. ndarray's copy of a reversed view has negative strides, too, and is rejected.
fn contiguous_or_rejected(o: &Operand) -> super::Outcome {
    match o.place {
        Place::Reversed => reject("Argument"),
        _ => Ok(o.array()),
    }
}

fn other_order() -> ByHand {
    let o = Operand::contiguous(&[2, 3]);
    let rows = || Array::<f64, ndarray::Ix2>::from(o.view::<2>().to_owned());
    let columns = || rows().reversed_axes();
    let says = "is contiguous in column-major order; copy it with `Tensor::copy_of(&array)`, or make a `ColMajor` tensor";
    let taken = |array| saying(says, Tensor::<f64, Rank<2>>::try_from(array).map_err(Error::from));
    let transposed = Plain::from_fn(&[3, 2], |at| o.array().at(&[at[1], at[0]]));
    Ok(vec![
        (done!(try taken(rows())), Ok(o.array())),
        (done!(try taken(columns())), reject("Argument")),
        (
            done!(try Tensor::<f64, Rank<2>>::try_from(Array::zeros((0, 1 << (usize::BITS - 3)))).map_err(Error::from)),
            reject("Overflow"),
        ),
        (
            done!(try Tensor::<f64, Rank<2>, ColMajor>::try_from(columns()).map_err(Error::from)),
            Ok(transposed),
        ),
    ])
}

fn wrong_rank_of_an_array() -> ByHand {
    let o = Operand::contiguous(&[2, 3]);
    let rejected = || {
        let array = ArrayD::from(o.view::<2>().to_owned());
        let address = array.as_ptr();
        let rejected = Tensor::<f64, Rank<1>>::try_from(array).expect_err("it has rank 2");
        assert_eq!((rejected.value.as_ptr(), rejected.value.raw_dim()), (address, IxDyn(&[2, 3])));
        saying::<Plain>("has rank 2, not 1; convert it to a tensor of `Rank<2>`", Err(rejected.error))
    };
    Ok(vec![(done!(try rejected()), reject("Argument"))])
}
