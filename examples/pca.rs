//! Principal component analysis of Fisher's iris data: 150 flowers of three species, with four measurements each.
//!
//! The principal components are the eigenvectors of the covariance matrix, with the largest eigenvalue first. Computes them by `eigh` of
//! the covariance matrix, and by `svd` of the centred data, and compares the variances with NumPy's. Draws the flowers in the plane of the
//! first two components as an SVG file. `examples/data/README.md` states the source and the licence of the data.
//!
//! `cargo run --release --features csv,linalg --example pca [plot.svg]`

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use vierbein::io::csv::CsvReader;
use vierbein::linalg::Svd;
use vierbein::prelude::*;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/iris.csv");
const MEASUREMENTS: [&str; 4] = ["sepal_length", "sepal_width", "petal_length", "petal_width"];
const SPECIES: [(&str, &str); 3] =
    [("setosa", "#4477aa"), ("versicolor", "#ee6677"), ("virginica", "#228833")];

// From NumPy: the eigenvalues of the covariance matrix, and the first eigenvector, up to its sign.
const VARIANCES: [f64; 4] = [4.228241706035, 0.242670747929, 0.078209500043, 0.023835092973];
const FIRST: [f64; 4] = [0.36138659, -0.08452251, 0.85667061, 0.3582892];

/// Draws points with a colour for each species. The first coordinate is the horizontal one.
fn plot(points: &Tensor<f64, Rank<2>>, species: &[String], shares: [f64; 2]) -> String {
    const SCALE: f64 = 75.0;
    let (low, high) = (points.min_axis(0), points.max_axis(0));
    let place = |axis: usize, x: f64| (x - low[[axis]]) * SCALE + 60.0;
    let [width, height] = [0, 1].map(|axis| place(axis, high[[axis]]) + 60.0);
    let mut body = String::new();
    for (point, species) in points.axis_iter(0).zip(species) {
        let (x, y) = (place(0, point[[0]]), height - place(1, point[[1]]));
        let colour = SPECIES.iter().find(|(name, _)| name == species).map_or("black", |&(_, colour)| colour);
        let _ =
            writeln!(body, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{colour}" fill-opacity="0.7"/>"#);
    }
    for (k, (name, colour)) in SPECIES.iter().enumerate() {
        let y = 24 + 18 * k;
        let _ = writeln!(body, r#"<circle cx="{:.1}" cy="{}" r="4" fill="{colour}"/>"#, width - 120.0, y - 4);
        let _ = writeln!(body, r#"<text x="{:.1}" y="{y}">Iris {name}</text>"#, width - 110.0);
    }
    let [first, second] = shares.map(|share| 100.0 * share);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}">
<style>text{{font:12px sans-serif;fill:#111}}</style>
<rect width="{width:.0}" height="{height:.0}" fill="#fdfdfd"/>
{body}<text x="{:.0}" y="{:.0}" text-anchor="middle">component 1, {first:.1} % of the variance</text>
<text transform="translate(20 {:.0}) rotate(-90)" text-anchor="middle">component 2, {second:.1} %</text>
</svg>
"##,
        width / 2.0,
        height - 15.0,
        height / 2.0
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "target/pca.svg".into());
    let (_, table) = CsvReader::new().columns(MEASUREMENTS).read::<Tensor<f64, Rank<2>>>(TABLE)?;
    let (_, columns) = CsvReader::new().columns(["species"]).read_text(TABLE)?;
    let centred = &table - table.mean_axis(0);

    // The eigenvalues are in ascending order.
    let (w, v) = table.t().cov(1).eigh();
    let (variances, components) = (w.flip([0]), v.flip([1]));
    assert!(variances.all_close(&Tensor::from(VARIANCES), 0.0, 1e-12), "{variances}");
    let first = components.index_axis(1, 0);
    let sign = (first.dot(&Tensor::from(FIRST)).item()).signum();
    assert!((first * sign).all_close(&Tensor::from(FIRST), 0.0, 1e-7), "{first}");

    // The variances are the squares of the singular values, divided by the number of rows minus 1.
    let Svd { s, vh, .. } = centred.svd();
    let by_svd = &s * &s / (table.shape()[0] - 1) as f64;
    assert!(by_svd.all_close(&Tensor::from(VARIANCES), 0.0, 1e-12), "{by_svd}");
    // The sign of a component is arbitrary: `svd` and `eigh` choose it by different rules.
    assert!(vh.t().abs().all_close(&components.abs(), 0.0, 1e-12), "{vh}\n{components}");

    let total = variances.sum().item();
    println!("{:>9}{:>12}{:>9}   {}", "component", "variance", "share", MEASUREMENTS.join("  "));
    for (k, variance) in variances.iter().enumerate() {
        print!("{:>9}{variance:>12.6}{:>8.2}%   ", k + 1, 100.0 * variance / total);
        for (name, x) in MEASUREMENTS.iter().zip(components.index_axis(1, k).iter()) {
            print!("{x:>width$.4}  ", width = name.len());
        }
        println!();
    }

    let points = centred.matmul(components.slice(s![.., ..2]));
    if let Some(directory) = Path::new(&path).parent() {
        std::fs::create_dir_all(directory)?;
    }
    std::fs::write(&path, plot(&points, &columns[0], [0, 1].map(|k| variances[[k]] / total)))?;
    println!("drawn to {path}");
    Ok(())
}
