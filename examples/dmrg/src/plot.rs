//! The plot of the entanglement entropies.

use plotters::prelude::*;
use std::error::Error;

/// Plots the entropy of each bond as an SVG file.
pub(crate) fn entropies(path: &str, title: &str, entropies: &[f64]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, (720, 450)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 22))
        .margin(15)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(0..entropies.len() as i32 + 1, 0.0..1.2)?;
    chart
        .configure_mesh()
        .x_desc("sites left of the cut")
        .y_desc("entanglement entropy")
        .light_line_style(WHITE)
        .label_style(("sans-serif", 16))
        .draw()?;
    let points = || (1..).zip(entropies.iter().copied());
    chart.draw_series(LineSeries::new(points(), BLUE.mix(0.4)))?;
    // Odd and even cuts have different entropies: the spin at each end of the chain forms a pair with its neighbour, so strong and weak
    // bonds alternate.
    for (parity, colour, name) in [(1, RED, "odd cuts"), (0, BLUE, "even cuts")] {
        chart
            .draw_series(
                points()
                    .filter(|(cut, _)| cut % 2 == parity)
                    .map(|point| Circle::new(point, 3, colour.filled())),
            )?
            .label(name)
            .legend(move |(x, y)| Circle::new((x + 9, y), 3, colour.filled()));
    }
    chart
        .configure_series_labels()
        .label_font(("sans-serif", 16))
        .background_style(WHITE)
        .border_style(BLACK.mix(0.3))
        .position(SeriesLabelPosition::UpperRight)
        .draw()?;
    root.present()?;
    Ok(())
}
