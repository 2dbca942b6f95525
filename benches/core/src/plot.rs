//! Plots each kernel's share of the memory bandwidth as an SVG bar chart.

use crate::{Found, by_hand};
use plotters::prelude::*;
use std::error::Error;

/// Draws one bar for each kernel. The length of a bar is the kernel's share of the bandwidth.
pub(super) fn shares(
    path: &str,
    bandwidth: f64,
    found: &[Found],
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let root = SVGBackend::new(path, (900, 80 + 24 * found.len() as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    let longest = found.iter().map(|found| found.speed / bandwidth).fold(1.0, f64::max);
    let count = found.len() as i32;
    let mut chart = ChartBuilder::on(&root)
        .caption(format!("shares of {:.1} GB/s", bandwidth * 1e-9), ("sans-serif", 22))
        .margin(15)
        .x_label_area_size(35)
        .y_label_area_size(190)
        .build_cartesian_2d(0.0..1.05 * longest, (0..count - 1).into_segmented())?;
    let name = |at: &SegmentValue<i32>| match at {
        // The kernels are listed from top to bottom, in the order of the printed table.
        SegmentValue::CenterOf(k) => {
            found.get((count - 1 - k) as usize).map_or(String::new(), |f| f.name.clone())
        }
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .disable_y_mesh()
        .light_line_style(WHITE)
        .y_labels(found.len())
        .y_label_formatter(&name)
        .x_desc("share of the bandwidth")
        .label_style(("sans-serif", 14))
        .draw()?;
    chart.draw_series(found.iter().zip((0..count).rev()).map(|(found, k)| {
        let corners = [(0.0, SegmentValue::Exact(k)), (found.speed / bandwidth, SegmentValue::Exact(k + 1))];
        let colour = if found.name.ends_with(by_hand::NAME) { BLACK.mix(0.4) } else { BLUE.mix(0.6) };
        let mut bar = Rectangle::new(corners, colour.filled());
        bar.set_margin(3, 3, 0, 0);
        bar
    }))?;
    let line = [(1.0, SegmentValue::Exact(0)), (1.0, SegmentValue::Exact(count))];
    chart.draw_series(LineSeries::new(line, BLACK.mix(0.5)))?;
    root.present()?;
    Ok(())
}
