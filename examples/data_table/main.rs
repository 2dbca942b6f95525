//! Analyses a CSV table and draws figures: the weather at the three airports of New York City in 2013, 4,349 rows with missing values.
//!
//! Reads columns of numbers, replaces implausible values by NaN and converts units. Then prints these results, and compares them
//! with NumPy's in `numpy.rs`:
//!
//! * the number of missing values in each column;
//! * the rain of each month, and the mean temperature of each month and hour, by `unique_with` and `scatter_add`;
//! * medians, a histogram of the temperatures, and the correlations of the columns.
//!
//! Draws the histogram, the means and the correlations as an SVG file. `examples/data/README.md` states the source and the licence of
//! the table. `scripts/data-table-figures.py` writes `numpy.rs`.
//!
//! `cargo run --release --features csv --example data_table [figures.svg]`

#[rustfmt::skip]
mod numpy;
mod svg;

use std::error::Error;
use std::path::Path;
use vierbein::io::csv::CsvReader;
use vierbein::prelude::*;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/nyc_weather.csv");

/// The columns that are read. The others are not used: `day`, `origin`, which is text, and `wind_dir`, which is an angle. The mean and the
/// correlations of `wind_dir` would be meaningless, because 0 and 360 degrees are the same.
const COLUMNS: [&str; 10] =
    ["month", "hour", "temp", "dewp", "humid", "wind_speed", "wind_gust", "precip", "pressure", "visib"];
// Indices of columns.
const MONTH: usize = 0;
const HOUR: usize = 1;
const TEMP: usize = 2;
const WIND: usize = 5;
const GUST: usize = 6;
const RAIN: usize = 7;
const VISIBILITY: usize = 9;

/// The months of the year, from 1, as row labels.
const MONTHS: [&str; 12] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];

/// Asserts that the values agree with NumPy's to 12 digits. They are not equal, because NumPy adds in another order.
fn check<D: Dim>(what: &str, found: &Tensor<f64, D>, numpy: impl Into<Tensor<f64, D>>) {
    let numpy = numpy.into();
    assert!(found.all_close(&numpy, 1e-12, 1e-14), "{what}: {found}\nNumPy: {numpy}");
}

/// Replaces wind speeds above 150 miles per hour by NaN, and returns their number.
fn remove_implausible(table: &mut Tensor<f64, Rank<2>>) -> i64 {
    let mut winds = table.slice_mut(s![.., WIND..=GUST]);
    let implausible = winds.gt(150.0);
    winds.masked_fill(&implausible, f64::NAN);
    implausible.count().item()
}

/// Converts degrees Fahrenheit, miles per hour, inches and miles to degrees Celsius, m/s, mm and km.
fn convert_units(table: &mut Tensor<f64, Rank<2>>) {
    let mut temperatures = table.slice_mut(s![.., TEMP..TEMP + 2]);
    temperatures -= 32.0;
    temperatures /= 1.8;
    let mut winds = table.slice_mut(s![.., WIND..=GUST]);
    winds *= 0.447_04;
    let mut rain = table.index_axis_mut(1, RAIN);
    rain *= 25.4;
    let mut visibility = table.index_axis_mut(1, VISIBILITY);
    visibility *= 1.609_344;
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "target/data_table.svg".into());

    // Missing values, `NA` in the file, are NaN.
    let (names, mut table) = CsvReader::new().columns(COLUMNS).read::<Tensor<f64, Rank<2>>>(TABLE)?;
    assert_eq!(names, COLUMNS);
    println!("{TABLE}: {} rows\n", table.shape()[0]);
    let missing = table.is_nan().count_axis(0);
    println!("{:<12}{:>8}", "column", "missing");
    for (name, count) in names.iter().zip(&missing) {
        println!("{name:<12}{count:>8}");
    }
    assert_eq!(missing, Tensor::from(numpy::MISSING));

    let removed = remove_implausible(&mut table);
    println!("\nimplausible wind speeds: {removed}");
    assert_eq!(removed, numpy::IMPLAUSIBLE);
    convert_units(&mut table);

    // The median would be NaN if an element were NaN, so the mask excludes missing values.
    let gusts = table.index_axis(1, GUST);
    let gust = gusts.masked(!gusts.is_nan()).median();
    println!("median of the gusts: {:.2} m/s", gust.item());
    check("the median of the gusts", &gust, Tensor::scalar(numpy::GUST));

    // Sums for each month. For each row of the table, `inverse` contains the index of the row's month in `values`. `scatter_add`
    // adds the rain of the row to the sum at this index.
    let months = table.index_axis(1, MONTH).unique_with();
    let mut rain = Tensor::zeros(months.values.shape());
    rain.scatter_add(0, &months.inverse, table.index_axis(1, RAIN));
    check("rain", &rain, numpy::RAIN);

    // Means for each month and hour. The position at which a temperature is added is the flat index in a matrix of months and hours.
    let known = table.compress(0, !table.index_axis(1, TEMP).is_nan());
    let temperatures = known.index_axis(1, TEMP);
    let (months, hours) = (known.index_axis(1, MONTH).unique_with(), known.index_axis(1, HOUR).unique_with());
    let shape = [months.values.len(), hours.values.len()];
    let positions = &months.inverse * shape[1] as i64 + &hours.inverse;
    let mut sums = Tensor::zeros([shape[0] * shape[1]]);
    sums.scatter_add(0, &positions, &temperatures);
    let counts = positions.bincount(sums.len());
    let means = (sums / counts.cast::<f64>()).reshape(shape);
    check("means", &means, numpy::MEANS);

    // There is no function for medians of groups, so a mask selects the rows of each month.
    let medians: Tensor<f64, Rank<1>> =
        (0..shape[0]).map(|k| temperatures.masked(months.inverse.equal(k as i64)).median().item()).collect();
    check("medians of months", &medians, numpy::MONTH_MEDIANS);

    let hour_names: Vec<String> = hours.values.iter().map(|hour| format!("{hour} h")).collect();
    println!("\nmonth   rain, mm   median, °C   mean, °C, at {}", hour_names.join(", "));
    for (k, month) in months.values.iter().enumerate() {
        print!("{month:>5}{:>11.1}{:>13.1}  ", rain[[k]], medians[[k]]);
        for mean in means.index_axis(0, k).iter() {
            print!("{mean:>7.2}");
        }
        println!();
    }

    let (bins, edges) = temperatures.histogram((28, -16.0..=40.0));
    println!("\nhistogram of temp, from {} to {} °C:\n{:?}", edges[[0]], edges[[28]], bins.to_vec());
    assert_eq!(bins, Tensor::from(numpy::BINS));

    // The columns of measurements, except the gusts, most of which are missing. `complete` has the rows without missing values.
    let used: Vec<usize> = (TEMP..COLUMNS.len()).filter(|&column| column != GUST).collect();
    let measured = table.take(1, &used);
    let complete = measured.compress(0, !measured.is_nan().any_axis(1));
    let used: Vec<&str> = used.into_iter().map(|column| COLUMNS[column]).collect();
    println!("\ncomplete rows: {}", complete.shape()[0]);
    assert_eq!(complete.shape()[0], numpy::COMPLETE);
    let medians = complete.median_axis(0);
    check("medians", &medians, numpy::MEDIANS);

    // `corrcoef` takes one variable in each row.
    let correlations = complete.t().corrcoef();
    check("correlations", &correlations, numpy::CORRELATIONS);
    println!("{:<12}{:>9}   correlations", "column", "median");
    for (k, name) in used.iter().enumerate() {
        print!("{name:<12}{:>9.2}  ", medians[[k]]);
        for correlation in correlations.index_axis(0, k).iter() {
            print!("{correlation:>7.2}");
        }
        println!();
    }

    let mut figures = svg::Svg::new();
    figures.histogram("Temperature, °C: number of rows", &bins, &edges);
    let hours: Vec<&str> = hour_names.iter().map(String::as_str).collect();
    figures.heat_map(
        "Mean temperature, °C, by month and hour",
        [&MONTHS, &hours],
        means.view(),
        [-30.0, 30.0],
    );
    figures.heat_map("Correlations", [&used, &used], correlations.view(), [-1.0, 1.0]);
    if let Some(folder) = Path::new(&path).parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&path, figures.finish())?;
    println!("\ndrawn to {path}");
    Ok(())
}
