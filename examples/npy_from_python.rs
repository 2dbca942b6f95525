//! Reads a file of a Python program into a typed tensor, computes with the tensor, and writes files for Python.
//!
//! `cargo run --release --example npy_from_python`
//!
//! The file was written by NumPy: see `examples/data/README.md`.

use vierbein::io::npy::read_header;
use vierbein::prelude::*;
use vierbein::{DynTensor, dispatch};

/// Normalises each column to mean 0 and standard deviation 1, for any memory order and element type.
fn standardise<T: Inexact, O: Order, Dev: Backend<T>>(
    table: TensorView<'_, T, Rank<2>, O, Dev>,
) -> Tensor<T, Rank<2>, O, Dev> {
    let centred = table - table.mean_keepdims(0).cast::<T>();
    let [rows, _] = table.shape();
    let variance = (&centred * &centred).sum_keepdims(0) / T::from_usize(rows);
    centred / variance.sqrt()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let iris = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/iris.npy");
    let folder = std::env::temp_dir().join(format!("vierbein-npy-from-python-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;

    // `read_header` returns the description of the contents, and reads no element.
    let header = read_header(iris)?;
    println!(
        "{iris}\n  dtype {}, shape {:?}, fortran_order {}\n",
        header.descr, header.shape, header.fortran_order
    );

    // A program that expects a certain type names it. `read_npy` returns an error if the file has another type.
    let table = Tensor::<f64, Rank<2>>::read_npy(iris)?;
    let scores = standardise(table.view());
    println!("the first flowers, standardised:\n{:.3}\n", scores.slice(s![..3, ..]));

    // If the requested type is not the file's, the error suggests what to write instead.
    let error = Tensor::<f32, Rank<2>, ColMajor>::read_npy(iris).unwrap_err();
    println!("a different type was requested:\n  {error}\n");

    // A row-major tensor becomes a C array, a column-major one a Fortran array. The memory order is never converted implicitly.
    let (rows, columns) = (folder.join("scores_c.npy"), folder.join("scores_f.npy"));
    scores.write_npy(&rows)?;
    scores.to_order::<ColMajor>().write_npy(&columns)?;
    for path in [&rows, &columns] {
        println!("{}: fortran_order {}", path.display(), read_header(path)?.fortran_order);
    }
    let by_columns = Tensor::<f64, Rank<2>, ColMajor>::read_npy(&columns)?;
    assert_eq!(by_columns.as_order::<RowMajor>(), scores);

    // If the type is known at run time only, read a `DynTensor`, which has the type of the file. `dispatch!` runs generic code for
    // its element type.
    for path in [&rows, &columns] {
        let x = DynTensor::read_npy(path)?;
        let peak = dispatch!(x.dtype(), T in [f32, f64] => {
            match x.order().is_row_major() {
                true => x.downcast_ref::<T, Rank<2>, RowMajor, Cpu>()?.max().item().to_string(),
                false => x.downcast_ref::<T, Rank<2>, ColMajor, Cpu>()?.max().item().to_string(),
            }
        }, else => "not a table of numbers with decimals".to_owned());
        println!("{} {:?} {}: the highest score is {peak:.6}", x.dtype(), x.shape(), x.order());
    }

    println!("\nPython would go on with (had this example not cleaned up after itself)\n");
    println!("    import numpy as np");
    println!("    c, f = np.load({rows:?}), np.load({columns:?})");
    println!("    assert c.flags.c_contiguous and f.flags.f_contiguous and (c == f).all()");
    println!("    print(c.mean(axis=0).round(12), c.std(axis=0))");
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
