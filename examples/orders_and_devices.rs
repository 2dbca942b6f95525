//! Shows all conversions between the two memory orders and between devices. For each conversion, compares the addresses of the
//! elements, and prints whether the conversion is free or copies.
//!
//! `cargo run --example orders_and_devices`

use disk_device::Disk;
use vierbein::HostAccess;
use vierbein::prelude::*;

/// The device of another example, which stores tensors in files. It is a second device that is accessible from the host.
#[path = "disk_device.rs"]
#[allow(dead_code, reason = "an example of its own")]
mod disk_device;

/// Returns "free" if the first elements of two tensors have the same address, else "copies".
fn shared<O: Order, P: Order, D: Dim, E: Dim, Dev: HostAccess, Dev2: HostAccess>(
    a: TensorView<'_, f64, D, O, Dev>,
    b: TensorView<'_, f64, E, P, Dev2>,
) -> &'static str {
    let address = |first: Option<&f64>| first.map(std::ptr::from_ref);
    if address(a.into_iter().next()) == address(b.into_iter().next()) { "free  " } else { "copies" }
}

/// Asserts that a conversion is free, and returns the text that says so.
fn free<O: Order, P: Order, D: Dim, E: Dim, Dev: HostAccess>(
    a: TensorView<'_, f64, D, O, Dev>,
    b: TensorView<'_, f64, E, P, Dev>,
) -> &'static str {
    let found = shared(a, b);
    assert_eq!(found, "free  ");
    found
}

/// Asserts that a conversion copies, and returns the text that says so.
fn copied<O: Order, P: Order, D: Dim, E: Dim, Dev: HostAccess, Dev2: HostAccess>(
    a: TensorView<'_, f64, D, O, Dev>,
    b: TensorView<'_, f64, E, P, Dev2>,
) -> &'static str {
    let found = shared(a, b);
    assert_eq!(found, "copies");
    found
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let x = Tensor::<f64, _, RowMajor>::from_fn([2, 3], |[i, j]| 10.0 * i as f64 + j as f64);
    println!("x, contiguous in row-major order:\n{x}\n");

    println!("views");
    let view = x.as_order::<ColMajor>();
    println!(
        "{}  x.as_order::<ColMajor>()   same indices, enumerated the other way: {:?}",
        free(x.view(), view),
        view.to_vec()
    );
    let flipped = x.flip_order();
    println!(
        "{}  x.flip_order()             axes reversed, order transposed; contiguous: {}",
        free(x.view(), flipped),
        flipped.is_contiguous()
    );
    let transposed = x.t();
    println!(
        "{}  x.t()                      axes reversed, order kept; contiguous: {}",
        free(x.view(), transposed),
        transposed.is_contiguous()
    );

    println!("\nnew tensors");
    let columns = x.to_order::<ColMajor>();
    println!(
        "{}  x.to_order::<ColMajor>()   same indices, contiguous in the other order: {:?}",
        copied(x.view(), columns.view()),
        columns.as_slice()
    );
    let contiguous = x.t().to_owned();
    println!(
        "{}  x.t().to_owned()           the transpose, contiguous in row-major order: {:?}",
        copied(x.view(), contiguous.view()),
        contiguous.as_slice()
    );
    let address = x.as_slice().as_ptr();
    let y: Tensor<f64, Rank<2>, ColMajor> = x.clone().into_flipped();
    println!(
        "{}  x.clone()                  an independent copy",
        if y.as_slice().as_ptr() == address { "free  " } else { "copies" }
    );
    let y: Tensor<f64, Rank<2>, ColMajor> = x.into_flipped();
    println!(
        "{}  x.into_flipped()           the same memory: shape {:?}, {:?}",
        if y.as_slice().as_ptr() == address { "free  " } else { "copies" },
        y.shape(),
        y.as_slice()
    );
    let flat = y.flatten();
    println!(
        "{}  y.flatten()                the same memory: {:?}",
        if flat.as_slice().as_ptr() == address { "free  " } else { "copies" },
        flat.as_slice()
    );
    let row: Tensor<f64, Rank<1>, RowMajor> = flat.into_order();
    println!(
        "{}  v.into_order()             ranks 0 and 1 are the same in both orders",
        if row.as_slice().as_ptr() == address { "free  " } else { "copies" }
    );
    let matrix = row.reshape([3, 2]);
    println!(
        "{}  v.reshape([3, 2])          the same memory: {:?}",
        if matrix.as_slice().as_ptr() == address { "free  " } else { "copies" },
        matrix.strides()
    );
    let vec = matrix.into_vec();
    println!(
        "{}  m.into_vec()               the same memory",
        if vec.as_ptr() == address { "free  " } else { "copies" }
    );

    println!("\nthe four meanings of the order");
    let data: Vec<i32> = (0..6).collect();
    let r = Tensor::<i32, _, RowMajor>::from_slice([2, 3], &data);
    let c = Tensor::<i32, _, ColMajor>::from_slice([2, 3], &data);
    println!("1. flat data to index: [0, 1] is {} in row-major and {} in column-major", r[[0, 1]], c[[0, 1]]);
    let (last, first) = (tensor![1, 0, -1], tensor![1, -1].into_order::<ColMajor>());
    println!(
        "2. broadcasting: row-major aligns trailing axes\n{}\n   column-major leading ones\n{}",
        &r * &last,
        &c * &first
    );
    let batch = (Tensor::<f64, _, RowMajor>::ones([5, 2, 3]), Tensor::<f64, _, ColMajor>::ones([2, 3, 5]));
    println!(
        "3. batches of matrices: {:?} times a 3×4 in row-major, {:?} in column-major",
        batch.0.matmul(Tensor::ones([3, 4])).shape(),
        batch.1.matmul(Tensor::ones([3, 4])).shape()
    );
    println!(
        "4. results are contiguous in their order: strides {:?} and {:?}",
        (&r + &r).strides(),
        (&c + &c).strides()
    );

    println!("\nbetween devices");
    let x = Tensor::<f64, _>::from_fn([2, 3], |[i, j]| 10.0 * i as f64 + j as f64);
    let folder = std::env::temp_dir().join(format!("vierbein-orders-{}", std::process::id()));
    let disk = Disk::new(&folder)?;
    let on_disk: Tensor<f64, Rank<2>, RowMajor, Disk> = x.to_device_in(&disk)?;
    println!(
        "{}  x.to_device_in(&disk)?     the order stays: {:?}",
        copied(x.view(), on_disk.view()),
        on_disk.as_slice()
    );
    let turned = on_disk.t();
    println!("{}  on_disk.t()                a view of what is on the device", free(on_disk.view(), turned));
    let flipped = on_disk.flip_order();
    println!("{}  on_disk.flip_order()       so is this", free(on_disk.view(), flipped));
    let columns: Tensor<f64, Rank<2>, ColMajor, Disk> = on_disk.to_order();
    println!(
        "{}  on_disk.to_order()         another tensor there, which the device copies: {:?}",
        copied(on_disk.view(), columns.view()),
        columns.as_slice()
    );
    let back = columns.to_device::<Cpu>()?;
    println!(
        "{}  columns.to_device::<Cpu>() the elements in their order: {:?}",
        copied(columns.view(), back.view()),
        back.as_slice()
    );
    let view_back = turned.to_device::<Cpu>()?;
    println!(
        "{}  on_disk.t().to_device()    of a view only its elements: {:?}",
        copied(turned, view_back.view()),
        view_back.as_slice()
    );
    let same = x.to_device::<Cpu>()?;
    println!(
        "{}  x.to_device::<Cpu>()       also to where it is; `.view()` is free",
        copied(x.view(), same.view())
    );
    match x.to_device::<Cuda>() {
        Ok(_) => println!("copies  x.to_device::<Cuda>()      to the GPU"),
        Err(error) => println!("error   x.to_device::<Cuda>()      {error}"),
    }
    drop((on_disk, columns));
    std::fs::remove_dir(folder)?;
    Ok(())
}
