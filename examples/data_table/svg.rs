//! Draws histograms and heat maps as panels of an SVG file.

use std::fmt::Write;
use vierbein::prelude::*;

const WIDTH: usize = 720;

/// An SVG file in progress. Each panel is drawn below the previous ones and increases the height.
pub(crate) struct Svg {
    body: String,
    height: usize,
}

impl Svg {
    pub(crate) fn new() -> Svg {
        Svg { body: String::new(), height: 20 }
    }

    fn rect(&mut self, [x, y, width, height]: [f64; 4], fill: &str) {
        let _ = writeln!(
            self.body,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}"/>"#
        );
    }

    fn text(&mut self, [x, y]: [f64; 2], anchor: &str, text: &str) {
        let _ = writeln!(self.body, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#);
    }

    fn title(&mut self, text: &str) {
        self.height += 16;
        let y = self.height;
        let _ = writeln!(self.body, r#"<text x="20" y="{y}" font-weight="bold">{text}</text>"#);
        self.height += 14;
    }

    /// Draws a histogram. Every fourth edge has a label.
    pub(crate) fn histogram(
        &mut self,
        title: &str,
        counts: &Tensor<i64, Rank<1>>,
        edges: &Tensor<f64, Rank<1>>,
    ) {
        const HEIGHT: f64 = 160.0;
        self.title(title);
        let (left, top) = (60.0, self.height as f64);
        let width = (WIDTH as f64 - 80.0) / counts.len() as f64;
        let highest = counts.max().item() as f64;
        for (k, &count) in counts.iter().enumerate() {
            let height = HEIGHT * count as f64 / highest;
            self.rect([left + k as f64 * width, top + HEIGHT - height, width - 1.0, height], "#4477aa");
        }
        for (k, edge) in edges.iter().enumerate().step_by(4) {
            self.text([left + k as f64 * width, top + HEIGHT + 16.0], "middle", &edge.to_string());
        }
        self.text([left - 6.0, top + 10.0], "end", &highest.to_string());
        self.height += HEIGHT as usize + 30;
    }

    /// Draws a heat map, with the value in each cell. Colours are blue for `low`, white for the mean of `low` and `high`, and red for
    /// `high`.
    pub(crate) fn heat_map(
        &mut self,
        title: &str,
        [rows, columns]: [&[&str]; 2],
        values: TensorView<'_, f64, Rank<2>>,
        [low, high]: [f64; 2],
    ) {
        const HEIGHT: f64 = 24.0;
        self.title(title);
        let (left, top) = (100.0, self.height as f64 + 16.0);
        let width = (WIDTH as f64 - 120.0) / columns.len() as f64;
        for (k, name) in columns.iter().enumerate() {
            self.text([left + (k as f64 + 0.5) * width, top - 6.0], "middle", name);
        }
        for (k, name) in rows.iter().enumerate() {
            self.text([left - 6.0, top + k as f64 * HEIGHT + 16.0], "end", name);
        }
        for ([row, column], &value) in values.indexed_iter() {
            let (x, y) = (left + column as f64 * width, top + row as f64 * HEIGHT);
            let share = (2.0 * (value - low) / (high - low) - 1.0).clamp(-1.0, 1.0);
            let pale = (255.0 * (1.0 - 0.8 * share.abs())).round();
            let fill = if share < 0.0 {
                format!("rgb({pale},{pale},255)")
            } else {
                format!("rgb(255,{pale},{pale})")
            };
            self.rect([x, y, width - 1.0, HEIGHT - 1.0], &fill);
            self.text([x + width / 2.0, y + 16.0], "middle", &format!("{value:.2}"));
        }
        self.height += rows.len() * HEIGHT as usize + 30;
    }

    pub(crate) fn finish(self) -> String {
        let height = self.height;
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">
<style>text{{font:12px sans-serif;fill:#111}}</style>
<rect width="{WIDTH}" height="{height}" fill="#fdfdfd"/>
{}</svg>
"##,
            self.body
        )
    }
}
