//! A short tour: reads a file, computes statistics, and shows what the types guarantee.
//!
//! `cargo run --release --example tour`

use vierbein::prelude::*;

/// Returns the sample covariance of the columns of a table with `n` rows: `Xᵀ X / (n − 1)`, where `X` has the centred columns.
/// Works for any memory order and device.
fn covariance<O: Order, Dev: Backend<f64>>(
    table: TensorView<'_, f64, Rank<2>, O, Dev>,
) -> Tensor<f64, Rank<2>, O, Dev> {
    let [rows, _] = table.shape();
    let centred = table - table.mean_keepdims(0);
    centred.t().matmul(&centred) / (rows as f64 - 1.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Fisher's measurements of 150 irises, in cm. `read_npy` returns an error unless the file contains a row-major `f64` array with
    // two axes, as the type of `iris` states.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/iris.npy");
    let iris = Tensor::<f64, Rank<2>>::read_npy(path)?;
    println!(
        "The first flowers (sepal length and width, petal length and width):\n{}\n",
        iris.slice(s![..4, ..])
    );

    // Reductions: the rank of each result is in its type.
    let means: Tensor<f64, Rank<1>> = iris.mean_axis(0);
    println!("means\n{means:.3}\n");
    println!("standard deviations\n{:.3}\n", iris.std_axis(0, 1));

    let covariance_matrix = covariance(iris.view());
    println!("covariance\n{covariance_matrix:.3}\n");
    let total: Tensor<f64, Rank<0>> = covariance_matrix.trace(0, 1);
    println!("its trace, the total variance: {:.6}\n", total.item());

    // Correlation: divide by the outer product of the deviations, by broadcasting a column and a row.
    let deviations = covariance_matrix.diagonal(0, 1).sqrt();
    let correlation = &covariance_matrix / (deviations.insert_axis(1) * deviations.insert_axis(0));
    println!("correlation\n{correlation:.3}\n");

    // Comparisons give masks: how many petals are longer than the mean petal?
    let petals = iris.index_axis(1, 2);
    let long = petals.gt(&petals.mean()).count();
    println!("{} of {} petals are longer than the mean\n", long.item(), petals.len());

    // Memory orders are types. Conversions are explicit, and some are free.
    let columns: Tensor<f64, Rank<2>, ColMajor> = iris.to_order();
    println!("copied to column-major: strides {:?} become {:?}", iris.strides(), columns.strides());
    let same = covariance(columns.view());
    println!(
        "the same covariance from it: {}",
        same.as_order::<RowMajor>().all_close(&covariance_matrix, 1e-12, 0.0)
    );
    let pointer = iris.as_slice().as_ptr();
    let flipped: Tensor<f64, Rank<2>, ColMajor> = iris.into_flipped();
    println!(
        "flipped for free, {:?}, at the same address: {}\n",
        flipped.shape(),
        flipped.as_slice().as_ptr() == pointer
    );
    // `&columns + &covariance_matrix` does not compile: "cannot combine a `ColMajor` tensor with a `RowMajor` tensor".

    // Devices are types, too. If a device is not available, copying to it returns an error.
    let on_gpu: Result<Tensor<f64, Rank<2>, RowMajor, Cuda>, _> = covariance_matrix.to_device();
    match on_gpu {
        Ok(matrix) => println!("on the GPU, the covariance is\n{}", covariance_like(&matrix)),
        Err(error) => println!("on the GPU? {error}"),
    }
    Ok(())
}

/// Code that compiles for `Cpu` compiles for `Cuda`, because the device is a type parameter.
fn covariance_like<Dev: Backend<f64>>(
    matrix: &Tensor<f64, Rank<2>, RowMajor, Dev>,
) -> Tensor<f64, Rank<2>, RowMajor, Dev> {
    matrix + matrix.sum()
}
