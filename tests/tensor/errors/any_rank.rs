//! Tensors of `AnyRank`: what the types of other ranks ensure is checked at run time. The errors name the rank found and the ranks allowed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use vierbein::prelude::*;
use vierbein::{AnyShape, ConvolutionMode, Error, concatenate, einsum, s, stack, try_einsum, try_stack};

type Any = Tensor<f64, AnyRank>;

fn ones(shape: &[usize]) -> Any {
    Tensor::ones(shape)
}

#[track_caller]
fn assert_error<T>(result: Result<T, Error>, expected: &str) {
    assert_eq!(result.map(|_| ()).unwrap_err().to_string(), expected);
}

#[track_caller]
fn message(f: impl FnOnce()) -> String {
    *catch_unwind(AssertUnwindSafe(f)).unwrap_err().downcast().expect("a formatted message")
}

#[test]
fn conversions_between_ranks_are_free() {
    let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let at = x.as_ptr();
    let any: Any = x.into_any_rank();
    assert_eq!((any.as_ptr(), any.rank()), (at, 2));
    assert_eq!((any.shape(), any.strides()), (AnyShape::from([2, 3]), AnyShape::from([3, 1])));
    let error = any.try_into_rank::<Rank<3>>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "convert to another rank: the tensor of shape [2, 3] has rank 2, not that of `Rank<3>`; `.reshape(..)`, \
         `.insert_axis(..)` and `.index_axis(..)` change that"
    );
    let back: Tensor<f64, Rank<2>> = error.into_inner().into_rank();
    assert_eq!(back.as_ptr(), at);
    let small: Tensor<f64, AnyRank<2>> = back.into_rank();
    assert!(ones(&[1, 1, 1]).try_into_rank::<AnyRank<2>>().is_err());
    assert!(message(|| drop(small.into_rank::<Rank<1>>())).contains("has rank 2, not that of `Rank<1>`"));
}

#[test]
fn strides_of_another_number_than_the_axes_are_errors() {
    let mut data = [0.0; 6];
    let (shape, strides) = (AnyShape::from([2, 3]), AnyShape::from([1isize]));
    let expected =
        "cannot make a view of shape [2, 3] with strides [1]: the shape has 2 axes, but there are 1 strides";
    let view = TensorView::<f64, AnyRank>::try_from_slice_strided(&data, shape, strides, 0);
    assert_error(view, expected);
    // SAFETY: the error comes before any access.
    let view = unsafe { TensorView::<f64, AnyRank>::from_raw_parts(data.as_ptr(), shape, strides) };
    assert_error(view, expected);
    assert_error(
        TensorViewMut::<f64, AnyRank>::try_from_slice_strided_mut(&mut data, shape, strides, 0),
        expected,
    );
    // SAFETY: as above.
    let view = unsafe { TensorViewMut::<f64, AnyRank>::from_raw_parts(data.as_mut_ptr(), shape, strides) };
    assert_error(view, expected);
}

#[test]
fn generic_code_accepts_any_rank() {
    fn energy<D: Dim>(x: &Tensor<f64, D>) -> f64 {
        (x * x).sum().item() / 2.0 + (x - &x.mean()).norm().item()
    }
    assert_eq!(energy(&tensor![[3.0, 3.0]]), energy(&tensor![[3.0, 3.0]].into_any_rank()));
}

#[test]
fn ranks_of_results() {
    let x: Tensor<f64, Rank<3>> = Tensor::from_fn([2, 3, 4], |[i, j, k]| (12 * i + 4 * j + k) as f64);
    let any = x.clone().into_any_rank();
    // A slice has one argument for each axis, so its rank is known at compile time.
    assert_eq!(any.slice(s![0, .., 1..3]), x.slice(s![0, .., 1..3]));
    // So is the rank of the result of `einsum!`, unless it has an ellipsis.
    assert_eq!(einsum!("ijk,ilk->jl", &any, &x), einsum!("ijk,ilk->jl", &x, &x));
    assert_eq!(einsum!("...k->...", &any).into_rank(), x.sum_axis(2));
    // A tensor of another rank broadcasts with it on either side.
    let row = x.index_axis(0, 0).index_axis(0, 1);
    assert_eq!((&any + row).into_rank(), &x + row);
    assert_eq!((row + &any).into_rank(), row + &x);
    assert_eq!(stack(-1, [&any, &any]).into_rank(), stack(-1, [&x, &x]));
    assert_eq!(concatenate(0, [&any, &any]).into_rank(), concatenate(0, [&x, &x]));
    assert_eq!(any.quantile(1, 0.5, Quantile::Linear).into_rank(), x.quantile(1, 0.5, Quantile::Linear));
    assert_eq!(
        any.quantile(1, [0.1, 0.5], Quantile::Linear).into_rank(),
        x.quantile(1, [0.1, 0.5], Quantile::Linear)
    );
    assert_eq!(any.reshape([6, -1]), x.reshape([6, -1]));
}

#[test]
fn too_few_axes() {
    let scalar = ones(&[]);
    let no_axes = |op: &str| format!("{op}: axis 0 is out of range: a tensor of rank 0 has no axes");
    assert_error(scalar.try_sum_axis(0), &no_axes("sum"));
    assert_error(scalar.try_sum_axis(Axis::<0>), &no_axes("sum"));
    assert_error(scalar.try_sort(Last), &no_axes("sort"));
    assert_error(scalar.try_index_axis(0, 0), &no_axes("index"));
    assert_error(scalar.try_take(0, [0]), &no_axes("take"));
    assert_error(
        scalar.try_trace(0, 1),
        "trace: a tensor of `Rank<0>` has no diagonal: a diagonal needs two axes",
    );
    let vector = ones(&[3]);
    assert_error(
        vector.try_t(),
        "transpose: a tensor of `Rank<1>` is not a matrix: expected `Rank<2>`; choose the axes with `.swap_axes(a, b)` or \
         `.permute(..)`, or reverse all with `.reverse_axes()`",
    );
    assert_error(
        vector.try_tril(0),
        "tril: a tensor of `Rank<1>` has no matrices: expected a rank of 2 or more",
    );
    #[cfg(feature = "linalg")]
    assert_error(
        vector.try_adjoint(),
        "adjoint: a tensor of `Rank<1>` has no matrices: expected a rank of 2 or more",
    );
    assert_error(
        scalar.try_matmul(&vector),
        "matmul: cannot multiply a tensor of `Rank<0>` with a tensor of `Rank<1>` as matrices: expected vectors, matrices or \
         batches of matrices; a rank-0 tensor scales with `*`",
    );
}

#[test]
fn methods_of_one_rank() {
    let (vector, matrix) = (tensor![1.0, 2.0, 4.0], tensor![[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]]);
    let (v, m) = (vector.clone().into_any_rank(), matrix.clone().into_any_rank());
    assert_eq!(v.searchsorted(&m, Side::Left).into_rank(), vector.searchsorted(&matrix, Side::Left));
    assert_eq!(v.polyval(&m).into_rank(), vector.polyval(&matrix));
    assert_eq!((m.lexsort(), m.cov(1), m.corrcoef()), (matrix.lexsort(), matrix.cov(1), matrix.corrcoef()));
    assert_eq!(m.t().into_rank(), matrix.t());
    let other = |op: &str, shape: &str, rank: usize, wanted: usize| {
        format!(
            "{op}: the tensor of shape {shape} has rank {rank}, not {wanted}; `.reshape(..)`, `.flatten()`, `.insert_axis(..)` and \
             `.index_axis(..)` change the rank"
        )
    };
    assert_error(m.try_searchsorted(&v, Side::Left), &other("search sorted elements", "[2, 3]", 2, 1));
    assert_error(m.try_polyval(&v), &other("polyval", "[2, 3]", 2, 1));
    assert_error(v.try_lexsort(), &other("lexsort", "[3]", 1, 2));
    assert_error(v.try_cov(1), &other("cov", "[3]", 1, 2));
    assert_eq!(v.index_axis(0, 1).item(), 2.0);
    assert_error(
        v.try_item(),
        "item: a tensor of `Rank<1>` is not known to have exactly one element: expected `Rank<0>`; read one element with `x[[i, j]]`, \
         or sum all elements with `.sum().item()`",
    );
}

#[test]
fn too_many_axes() {
    let too_many = |rank: usize| {
        format!(
            "create a tensor: a tensor of rank {rank} would be the result, but `AnyRank` has ranks from 0 to 16; merge axes first \
             with `.reshape(..)`"
        )
    };
    let full = ones(&[1; 16]);
    assert_error(full.try_insert_axis(0), &too_many(17));
    assert_error(full.try_outer(&full), &too_many(32));
    assert_error(full.try_windows([0, 1], [1, 1]), &too_many(18));
    assert_error(full.try_take(0, tensor![[0]]), &too_many(17));
    assert_error(try_stack(0, [&full, &full]), &too_many(17));
    assert_error(Any::try_zeros(&[1; 17][..]), &too_many(17));
    assert_error(full.try_reshape(&[1; 17][..]), &too_many(17));
    assert_error(AnyShape::<usize, 2>::new(&[1, 2, 3]), &too_many(3).replace("16", "2"));
}

#[test]
fn arguments_for_another_rank() {
    let mut x = ones(&[2, 3]);
    assert_error(
        x.try_permute([0, 1, 2]),
        "permute: [0, 1, 2] does not have one number for each axis of a tensor of rank 2",
    );
    assert_error(
        x.try_slice(s![0]),
        "slice: this slice has no arguments for the remaining `Rank<1>`: too few arguments; a slice has one argument for each axis; \
         write `..` to keep an axis whole",
    );
    assert_error(
        x.try_slice_mut(s![0, .., 1]),
        "slice: an argument is not valid for the remaining `Rank<0>`: too many arguments; a slice has one argument for each axis, and \
         the tensor is of `Rank<2>`",
    );
    assert_eq!((x.get([0]), x.get([0, 0, 0]), x.get([1, -1])), (None, None, Some(&1.0)));
    let expected = "index: [0, 1, 1] does not have one number for each axis of a tensor of shape [2, 3], which has rank 2";
    assert_eq!(message(|| assert_eq!(x[[0, 1, 1]], 1.0)), expected);
    assert_eq!(message(|| x[[0, 1, 1]] = 0.0), expected);
    assert_error(x.try_ravel_index([0, 1, 1]), &expected.replace("index:", "ravel:"));
    assert_error(
        try_einsum!("ijk->k", &x),
        "einsum \"ijk->k\": the specification has 3 labels for an operand that is a tensor of `Rank<2>`: an operand has one label for \
         each axis; write a letter for each axis; `...` stands for any number of them",
    );
    assert_error(
        x.try_pad([(1, 1)], Pad::Edge),
        "cannot pad: there are 1 pairs of widths for shape [2, 3]; pass one pair for each axis",
    );
    assert_error(
        x.try_tile(&[2][..]),
        "cannot tile: there are 1 counts for shape [2, 3]; pass one count for each axis",
    );
    let larger = ones(&[1, 2, 3]);
    let kernel = "convolve: the tensor has shape [2, 3] and the kernel [1, 2, 3]; insert axes until their ranks are equal";
    assert_error(x.try_convolve(&larger, ConvolutionMode::Full), kernel);
    assert_error(x.try_convolve_into(&larger, ConvolutionMode::Full, &mut ones(&[2, 3])), kernel);
    #[cfg(feature = "fft")]
    assert_error(x.try_fft_convolve(&larger, ConvolutionMode::Full), kernel);
    assert_error(
        x.try_add_assign(&larger),
        "cannot add shape [1, 2, 3] in place to shape [2, 3]: the source does not broadcast to the target's shape (row-major aligns \
         trailing axes); compute a new tensor instead",
    );
    assert_eq!(x, ones(&[2, 3]));
}

#[test]
fn positions_and_masks_of_another_rank_are_errors() {
    let x = tensor![[1, 2], [3, 4]].into_any_rank();
    let masks = [tensor![true, false].into_any_rank(), Tensor::full(&[2, 2][..], true)];
    assert_eq!(x.compress(1, &masks[0]).into_rank::<Rank<2>>(), tensor![[1], [3]]);
    assert_error(
        x.try_compress(1, &masks[1]),
        "compress: expected a vector as the mask, found a tensor of `Rank<2>`",
    );
    assert_error(
        x.try_masked(&masks[0]),
        "cannot choose under a mask: the mask has shape [2] and the tensor has shape [2, 2]; the shapes must be equal; broadcast the \
         mask with `.broadcast_to(..)`",
    );
    let indices = tensor![[0_i64, 1], [1, -1]].into_any_rank();
    assert_eq!(x.at(&indices), tensor![2, 4]);
    assert_error(
        x.try_at(tensor![0_i64, 1].into_any_rank()),
        "take elements: expected a matrix with one index per row, found a tensor of `Rank<1>`",
    );
    let mut y = x.clone();
    y.masked_assign(&masks[1], tensor![5, 6, 7, 8].into_any_rank());
    assert_eq!(y.view().into_rank::<Rank<2>>(), tensor![[5, 6], [7, 8]]);
    assert_error(
        y.try_masked_assign(&masks[1], x.view()),
        "assign under a mask: expected a vector of values, found a tensor of `Rank<2>`",
    );
    let mut large: Any = ones(&[1; 16]);
    assert_error(
        large.try_scatter_add(0, tensor![[0_i64]].into_any_rank(), ones(&[])),
        "create a tensor: a tensor of rank 17 would be the result, but `AnyRank` has ranks from 0 to 16; merge axes first with \
         `.reshape(..)`",
    );
}

#[test]
#[cfg(feature = "fft")]
fn axes_of_transforms_can_be_a_slice() {
    let x = Tensor::<f64, _>::ones([2, 3, 4]);
    let axes = vec![0, -1];
    assert_eq!(x.rfft_axes(&axes), x.rfft_axes([0, -1]));
    assert_eq!(x.fftshift(&axes[1..]), x.fftshift(2));
    assert_error(x.try_fft_axes(&[3][..]), &x.try_fft_axes([3]).unwrap_err().to_string());
}
