//! A minimal SVG writer: boxes, text and lines. The background is always light, so the figures are readable on dark pages, too.

use std::fmt::Write;

/// Light background colours of boxes with black text. The last colour is for elements that belong to no row or matrix.
pub(crate) const COLOURS: [&str; 5] = ["#a8d5f7", "#ffd59a", "#bfe5b4", "#e3c4ee", "#e8e8e8"];

/// A drawing whose size grows with its contents.
#[derive(Default)]
pub(crate) struct Svg {
    body: String,
    width: usize,
    height: usize,
}

impl Svg {
    fn reach(&mut self, x: usize, y: usize) {
        self.width = self.width.max(x);
        self.height = self.height.max(y);
    }

    /// Draws a filled box with centred text.
    pub(crate) fn cell(&mut self, (x, y): (usize, usize), (w, h): (usize, usize), fill: &str, text: &str) {
        self.reach(x + w, y + h);
        let (middle, base) = (x + w / 2, y + h / 2 + 5);
        let _ = writeln!(
            self.body,
            r##"<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{fill}" stroke="#555"/>
<text x="{middle}" y="{base}" text-anchor="middle">{text}</text>"##
        );
    }

    /// Draws a line of text, left-aligned.
    pub(crate) fn text(&mut self, (x, y): (usize, usize), class: &str, text: &str) {
        // The factor 6 or 8 is the width of the widest letters of the class, in units of the SVG.
        self.reach(x + text.chars().count() * if class == "small" { 6 } else { 8 }, y + 4);
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(self.body, r#"<text x="{x}" y="{y}" class="{class}">{text}</text>"#);
    }

    /// Draws a line through points, with a dot at its start.
    pub(crate) fn path(&mut self, points: &[(usize, usize)]) {
        let [(x, y), ..] = points else { return };
        let line: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
        let line = line.join(" ");
        let _ = writeln!(
            self.body,
            r##"<polyline points="{line}" fill="none" stroke="#c0392b" stroke-width="1.5" opacity="0.7"/>
<circle cx="{x}" cy="{y}" r="3.5" fill="#c0392b"/>"##
        );
    }

    pub(crate) fn finish(self) -> String {
        let (width, height) = (self.width + 16, self.height + 14);
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">
<style>text{{font:13px sans-serif;fill:#111}}.code{{font:bold 13px monospace}}.small{{font-size:11px;fill:#444}}</style>
<rect width="{width}" height="{height}" rx="6" fill="#fdfdfd" stroke="#bbb"/>
{}</svg>
"##,
            self.body
        )
    }
}

/// Returns the figure as a data URI. All bytes except letters, digits and some punctuation are percent-encoded.
pub(crate) fn data_uri(svg: &str) -> String {
    let mut uri = String::from("data:image/svg+xml,");
    for byte in svg.trim_end().bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'=' | b'/' | b':' | b',' => {
                uri.push(byte.into());
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}
