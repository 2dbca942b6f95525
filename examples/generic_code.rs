//! Generic numeric code, written once for every element type, rank, memory order and device.
//!
//! `cargo run --example generic_code`

use vierbein::prelude::*;
use vierbein::{Complex, c64};

/// Normalises to mean 0 and standard deviation 1. Needs only the four bounds of the type parameters.
fn normalise<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    x: TensorView<'_, T, D, O, Dev>,
) -> Tensor<T, D, O, Dev> {
    let centred = x - x.mean().cast::<T>();
    let spread = centred.std(0).cast::<T>();
    centred / spread
}

/// Computes `y + alpha x` in the buffer of `y`.
fn axpy<T: Scalar, D: Dim, O: Order, Dev: Backend<T>>(
    alpha: T,
    x: TensorView<'_, T, D, O, Dev>,
    mut y: Tensor<T, D, O, Dev>,
) -> Tensor<T, D, O, Dev> {
    y.add_scaled(alpha, &x);
    y
}

/// Returns the mean of the diagonal of the first two axes. The call of `trace` changes the rank, so it needs one more bound:
/// `RemoveAxes`.
fn mean_diagonal<T, D, O, Dev>(x: TensorView<'_, T, D, O, Dev>) -> Tensor<T, D::Removed, O, Dev>
where
    T: Scalar,
    D: RemoveAxes<2>,
    O: Order,
    Dev: Backend<T>,
{
    let n = T::from_usize(x.shape().as_ref()[0]);
    x.trace(0, 1) / n
}

/// Computes the softmax along an axis: exponentials, divided by their sum along the axis. The maximum is subtracted first, so that
/// large elements do not overflow.
fn softmax<T: RealFloat, D: Dim, O: Order, Dev: Backend<T>>(
    x: TensorView<'_, T, D, O, Dev>,
    axis: usize,
) -> Tensor<T, D, O, Dev> {
    let powers = (x - x.max_keepdims(axis)).exp();
    let sums = powers.sum_keepdims(axis);
    powers / sums
}

/// Returns a view of the first subtensor along axis 0. The view has the lifetime of the argument.
fn first<'a, T: Scalar, D: RemoveAxes<1>, O: Order, Dev: Device>(
    x: TensorView<'a, T, D, O, Dev>,
) -> TensorView<'a, T, D::Removed, O, Dev> {
    x.index_axis(0, 0)
}

/// A tensor of a matrix product state, as an example of a user's type with a rank as a const parameter.
struct Site<const N: usize, Dev: Device = Cpu>
where
    Rank<N>: Dim,
{
    tensor: Tensor<f64, Rank<N>, RowMajor, Dev>,
}

impl<const N: usize, Dev: Backend<f64>> Site<N, Dev>
where
    Rank<N>: Dim,
{
    fn normalised(self) -> Self {
        let norm = self.tensor.norm();
        Site { tensor: self.tensor / norm }
    }
}

fn main() {
    let matrix = tensor![[1.0, 2.0], [3.0, 6.0]];
    println!("normalise, f64, rank 2, row-major:\n{}\n", normalise(matrix.view()));
    let columns = matrix.to_order::<ColMajor>();
    println!("the same, column-major:\n{}\n", normalise(columns.view()));
    println!("the same, of a transposed view:\n{}\n", normalise(matrix.t()));
    let complex: Tensor<c64, Rank<1>> = tensor![Complex::new(1.0, 1.0), Complex::new(-1.0, 3.0)];
    println!("the same, Complex<f64>, rank 1:\n{}\n", normalise(complex.view()));

    println!("axpy, i32: {}\n", axpy(10, tensor![1, 2].view(), tensor![3, 4]));

    let identity_like =
        Tensor::<f64, _>::from_fn([3, 3, 2], |[i, j, k]| f64::from(i == j) * (k as f64 + 1.0));
    println!("mean diagonal, rank 3 to rank 1:\n{}\n", mean_diagonal(identity_like.view()));

    println!(
        "softmax along axis 1:\n{:.4}\n",
        softmax(tensor![[1.0, 2.0, 3.0], [1000.0, 1000.0, 1000.0]].view(), 1)
    );

    let row = first(matrix.view());
    println!("the first row, lent on: {row}\n");

    let site = Site { tensor: Tensor::<f64, _>::ones([2, 2, 2]) }.normalised();
    println!("a site of rank 3, normalised: its norm is {}\n", site.tensor.norm().item());

    // With the feature `cuda` and a GPU, the same functions run on the GPU.
    match matrix.to_device::<Cuda>() {
        Ok(matrix) => {
            println!("the same on a GPU:\n{}\n\n{:.4}", normalise(matrix.view()), softmax(matrix.view(), 1))
        }
        Err(error) => println!("no GPU: {error}"),
    }
}
