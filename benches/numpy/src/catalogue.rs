//! Further rows: most of the functions in the guide "From NumPy" that the other rows do not have.

use crate::{
    Matrix, Named, Vector, columns, of_complex, of_complex_matrix, of_matrices, of_matrix, of_square, one,
    one_of, square, two, two_of,
};
use vierbein::{
    ColMajor, ConvolutionMode, Pad, Quantile, Rank, RowMajor, Side, Tensor, concatenate, meshgrid, s, stack,
    tensor,
};

pub(crate) fn rows() -> Vec<Named> {
    vec![
        ("histogram of 100 bins", one(|x| x.histogram(100).0)),
        ("histogram weighted", two(|x, y| x.histogram_weighted((100, -73.0..=73.0), y).0)),
        ("bincount", one_of(|x| x.abs() as i64, |x| x.bincount(0))),
        (
            "interp 100 knots",
            one(|x| {
                x.interp(Vector::<f64>::linspace(-73.0, 73.0, 100), Vector::<f64>::linspace(0.0, 1.0, 100))
            }),
        ),
        ("convolve 31", one(|x| x.convolve(Vector::<f64>::linspace(0.0, 1.0, 31), ConvolutionMode::Same))),
        ("convolve 3", one(|x| x.convolve(Vector::<f64>::linspace(0.5, 1.0, 3), ConvolutionMode::Valid))),
        ("polyval 6", one(|x| Vector::<f64>::linspace(0.0, 1.0, 6).polyval(x))),
        (
            "searchsorted 1000",
            one(|x| Vector::<f64>::linspace(-73.0, 73.0, 1000).searchsorted(x, Side::Left)),
        ),
        ("digitize 20", one(|x| x.digitize(Vector::<f64>::linspace(-73.0, 73.0, 20), Side::Left))),
        ("isin 20", one_of(|x| x as i64, |x| x.isin(Tensor::<i64, _>::arange(0..20)))),
        ("cov of 10 rows", one(|x| x.as_shape([10, x.len() / 10]).cov(1))),
        ("cov of 10 columns", one(|x| x.as_shape([x.len() / 10, 10]).t().cov(1))),
        ("diff", one(|x| x.diff(0, 1))),
        ("diff axis 0 twice", of_matrix(|x| x.diff(0, 2))),
        ("cumsum axis 0", of_matrix(|x| x.cumsum(0))),
        ("cumsum axis 1", of_matrix(|x| x.cumsum(1))),
        ("cumsum i64", one_of(|x| x as i64, |x| x.cumsum(0))),
        ("cumprod", one(|x| x.cumprod(0))),
        ("cummax", one(|x| x.cummax(0))),
        ("cummax axis 0", of_matrix(|x| x.cummax(0))),
        ("median axis 0", of_matrix(|x| x.median_axis(0))),
        ("median axis 1", of_matrix(|x| x.median_axis(1))),
        ("quantile axis 1", of_matrix(|x| x.quantile(1, 0.9, Quantile::Linear))),
        ("nan_sum", one(|x| x.nan_sum())),
        ("nan_mean", one(|x| x.nan_mean())),
        ("nan_max", one(|x| x.nan_max())),
        ("nan_var axis 0", of_matrix(|x| x.nan_var_axis(0, 0))),
        ("nan_median axis 1", of_matrix(|x| x.nan_median_axis(1))),
        ("nan_to_num", one(|x| x.nan_to_num())),
        ("nonzero", one(|x| x.gt(3.0).nonzero())),
        ("tile 2", one(|x| x.tile([2]))),
        ("repeat 2", one(|x| x.repeat(0, 2))),
        ("repeat axis 0", of_matrix(|x| x.repeat(0, 2))),
        ("pad 10 edge", of_matrix(|x| x.pad((10, 10), Pad::Edge))),
        ("pad 10 constant", of_matrix(|x| x.pad(10, Pad::Constant(0.0)))),
        (
            "cross",
            one(|x| {
                x.slice(s![..x.len() / 3 * 3])
                    .to_owned()
                    .reshape([x.len() / 3, 3])
                    .cross(1, tensor![1.0, 2.0, 3.0])
            }),
        ),
        ("trapezoid", one(|x| x.trapezoid(0, 0.5))),
        ("tril", of_matrix(|x| x.tril(0))),
        ("rot90 copy", of_matrix(|x| x.rot90(1, 0, 1).to_owned())),
        ("flip copy", of_matrix(|x| x.flip([0, 1]).to_owned())),
        ("roll axis 1", of_matrix(|x| x.roll(1, 7))),
        ("stack axis 1", two(|x, y| stack(1, [x, y]))),
        ("concatenate axis 1", of_matrices(|x, y| concatenate(1, [x, y]))),
        ("softmax axis 1", of_matrix(|x| x.softmax(1))),
        ("softmax axis 0", of_matrix(|x| x.softmax(0))),
        ("logsumexp axis 1", of_matrix(|x| x.logsumexp_axis(1))),
        (
            "take rows",
            of_matrix(|x| x.take(0, Tensor::<i64, _>::arange_step(x.shape()[0] as i64 - 1, -1, -2))),
        ),
        (
            "take columns",
            of_matrix(|x| x.take(1, Tensor::<i64, _>::arange_step(x.shape()[1] as i64 - 1, -1, -2))),
        ),
        ("take_along_axis", of_matrix(|x| x.take_along_axis(1, x.argsort(1)))),
        ("compress axis 1", of_matrix(|x| x.compress(1, x.slice(s![0, ..]).gt(0.0)))),
        (
            "masked_fill",
            one(|x| {
                let mut y = x.clone();
                y.masked_fill(x.gt(3.0), 0.0);
                y
            }),
        ),
        ("argsort axis 0", of_matrix(|x| x.argsort(0))),
        ("sort axis 0", of_matrix(|x| x.sort(0))),
        ("sort axis 1", of_matrix(|x| x.sort(1))),
        ("unique_counts", one_of(|x| x as i64, |x| x.unique_counts().1)),
        ("unique_slices", one_of(|x| (x / 40.0) as i64, |x| x.as_shape([x.len() / 4, 4]).unique_slices(0))),
        (
            "set_intersection",
            two_of(|x| (x * 1000.0) as i64, |x| (x * 1000.0) as i64, |x, y| x.set_intersection(y)),
        ),
        ("mean axis 0", of_matrix(|x| x.mean_axis(0))),
        ("var axis 0", of_matrix(|x| x.var_axis(0, 0))),
        ("var axis 1", of_matrix(|x| x.var_axis(1, 0))),
        ("norm", one(|x| x.norm())),
        ("norm axis 1", of_matrix(|x| x.norm_axis(1))),
        ("norm axis 0", of_matrix(|x| x.norm_axis(0))),
        ("prod axis 0", of_matrix(|x| x.prod_axis(0))),
        ("any", one(|x| x.gt(80.0).any())),
        ("count", one(|x| x.gt(3.0).count())),
        ("all axis 0", of_matrix(|x| x.gt(-80.0).all_axis(0))),
        ("and of masks", two(|x, y| x.gt(3.0) & y.gt(3.0))),
        ("not of mask", one(|x| !x.gt(3.0))),
        ("i64 & i64", two_of(|x| x as i64, |x| x as i64, |x, y| x & y)),
        ("i64 rem_euclid 3", one_of(|x| x as i64, |x| x.map(|x| x.rem_euclid(3)))),
        ("floor", one(|x| x.floor())),
        ("round", one(|x| x.round())),
        ("signum", one_of(|x| x as i64, |x| x.signum())),
        ("is_nan", one(|x| x.is_nan())),
        ("all_close", two(|x, y| Tensor::<bool, Rank<0>>::scalar(x.all_close(y, 1e9, 1e9)))),
        ("dot", two(|x, y| x.dot(y))),
        ("matrix · vector", of_matrices(|x, y| x.matmul(y.slice(s![0, ..])))),
        ("vector · matrix", of_matrices(|x, y| y.slice(s![.., 0]).to_owned().matmul(x))),
        (
            "outer",
            one(|x| {
                let k = x.len().isqrt();
                x.slice(s![..k]).outer(x.slice(s![..k]))
            }),
        ),
        ("kron 2", of_matrix(|x| tensor![[1.0, 2.0], [3.0, 4.0]].kron(x))),
        ("sum of i64", one_of(|x| x as i64, |x| x.sum())),
        ("sum of u8", one_of(|x| x.abs() as u8, |x| x.sum_as::<u64>())),
        ("sum of i32", one_of(|x| x as i32, |x| x.sum())),
        (
            "sum of u8 over axis 0",
            one_of(
                |x| x.abs() as u8,
                |x| x.as_shape([x.len() / columns(x.len()), columns(x.len())]).sum_axis_as::<u64>(0),
            ),
        ),
        (
            "sum of i32 over axis 0",
            one_of(|x| x as i32, |x| x.as_shape([x.len() / columns(x.len()), columns(x.len())]).sum_axis(0)),
        ),
        ("sum of c64", of_complex(|x, _| x.sum())),
        ("max of i32", one_of(|x| x as i32, |x| x.max())),
        ("max of u8", one_of(|x| x.abs() as u8, |x| x.max())),
        ("mean of i32", one_of(|x| x as i32, |x| x.mean())),
        ("ptp", one(|x| x.ptp())),
        ("average axis 1", of_matrices(|x, y| x.average(1, y.slice(s![0, ..]).abs()))),
        ("arange", one(|x| Tensor::<f64, Rank<1>>::arange(0.0..x.len() as f64))),
        ("linspace", one(|x| Tensor::<f64, Rank<1>>::linspace(0.0, 1.0, x.len()))),
        ("full", one(|x| Tensor::<f64, Rank<1>>::full([x.len()], 7.0))),
        ("zeros", one(|x| Tensor::<f64, Rank<1>>::zeros([x.len()]))),
        ("eye", one(|x| Tensor::<f64, Rank<2>>::eye(x.len().isqrt()))),
        ("clone", one(|x| x.clone())),
        ("re of c64", of_complex(|x, _| x.re())),
        ("to_order col", of_matrix(|x| x.to_order::<ColMajor>().as_order::<RowMajor>().sum())),
        ("fftshift", of_matrix(|x| x.fftshift([0, 1]))),
        ("fft2", of_complex_matrix(|x| x.fft_axes([0, 1]))),
        ("sum axes 0 2 of rank 3", one(|x| x.as_shape([20, x.len() / 400, 20]).sum_axes([0, 2]))),
        ("transpose of rank 3", one(|x| x.as_shape([20, x.len() / 400, 20]).permute([2, 0, 1]).to_owned())),
        ("trace of rank 3", one(|x| x.as_shape([20, x.len() / 400, 20]).trace(0, 2))),
        ("scalar minus", one(|x| 10.0 - x)),
        (
            "in place add",
            one(|x| {
                let mut y = x.clone();
                y += x;
                y
            }),
        ),
        ("powf 0.5", one(|x| x.abs().powf(0.5))),
        ("column scaled", of_matrix(|x| x * x.slice(s![.., ..1]))),
        ("row mean removed", of_matrix(|x| x - &x.mean_keepdims(1))),
        ("one_hot", one_of(|x| x.abs() as i64 % 10, |x| x.one_hot::<f64>(10))),
        (
            "meshgrid",
            one(|x| {
                let k = x.len().isqrt();
                let v = x.slice(s![..k]);
                meshgrid([&v, &v])[0].to_owned()
            }),
        ),
        ("windows sum", one(|x| x.windows([0], [5]).sum_axis(1))),
        ("linalg det", of_square(square, |x| x.det())),
        ("linalg inv", of_square(square, |x| x.inv().slice(s![0, ..]).to_owned())),
        (
            "linalg cholesky",
            of_square(
                |n| {
                    let x = square(n);
                    x.matmul(x.t()) + Matrix::<f64>::eye(x.shape()[0])
                },
                |x| x.cholesky().slice(s![-1, ..]).to_owned(),
            ),
        ),
        ("linalg lstsq", of_square(square, |x| x.slice(s![.., ..10]).lstsq(x.slice(s![.., 10])))),
        ("linalg matrix_power 5", of_square(square, |x| x.matrix_power(5).slice(s![0, ..]).to_owned())),
        ("linalg singular_values", of_square(square, |x| x.singular_values())),
        ("linalg eig", of_square(square, |x| x.eig().0.abs().sum())),
        (
            "linalg eigvalsh",
            of_square(
                |n| {
                    let x = square(n);
                    &x + x.t()
                },
                |x| x.eigvalsh(),
            ),
        ),
        ("linalg pinv", of_square(square, |x| x.slice(s![.., ..10]).to_owned().pinv())),
        ("matmul", of_square(square, |x| x.matmul(x))),
    ]
}
