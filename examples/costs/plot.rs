//! Draws the times as an SVG figure.

use crate::operations::{RUNS, SIDE, Times};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

/// Draws a bar for each operation. The bar has a second part if the operation was also timed with newly allocated memory.
pub(crate) fn draw(path: &Path, times: &[Times]) -> Result<(), Box<dyn Error>> {
    let longest = times.iter().map(|t| t.fresh.unwrap_or(t.again).as_secs_f64()).fold(0.0, f64::max);
    let (left, room, row) = (290.0, 380.0, 24.0);
    let mut body = String::new();
    for (k, Times { code, again, fresh }) in times.iter().enumerate() {
        let y = 62.0 + row * k as f64;
        let width = |time: f64| (time / longest * room).max(1.0);
        let (again, fresh) = (again.as_secs_f64(), fresh.map(|fresh| fresh.as_secs_f64()));
        let longer = fresh.unwrap_or(again);
        let code = code.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let (right, base) = (left - 8.0, y + 13.0);
        writeln!(body, r#"<text x="{right}" y="{base}" class="code" text-anchor="end">{code}</text>"#)?;
        for (time, colour) in [(longer, "#ffd59a"), (again, "#5b9bd5")] {
            let width = width(time);
            writeln!(body, r##"<rect x="{left}" y="{y}" width="{width:.1}" height="17" fill="{colour}"/>"##)?;
        }
        let text = match fresh {
            Some(fresh) => format!("{:.2} ms, {:.2} with fresh memory", again * 1e3, fresh * 1e3),
            None if again < 1e-5 => "less than 0.01 ms".into(),
            None => format!("{:.2} ms", again * 1e3),
        };
        let end = left + width(longer) + 6.0;
        writeln!(body, r#"<text x="{end:.1}" y="{base}" class="small">{text}</text>"#)?;
    }
    let (width, height) = (left + room + 200.0, 72.0 + row * times.len() as f64);
    let svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">
<style>text{{font:13px sans-serif;fill:#111}}.code{{font:12px monospace}}.small{{font-size:11px;fill:#444}}</style>
<rect width="{width}" height="{height}" rx="6" fill="#fdfdfd" stroke="#bbb"/>
<text x="16" y="24">x and y of {SIDE} × {SIDE} f64 ({} MB each), one thread: the shortest of {RUNS} runs</text>
<text x="16" y="44" class="small">{}</text>
{body}</svg>
"##,
        SIDE * SIDE * size_of::<f64>() / 1_000_000,
        machine()
    );
    std::fs::write(path, svg)?;
    Ok(())
}

/// Returns the caption, which explains the colours and names the machine.
fn machine() -> String {
    format!(
        "blue: with memory that is used again; with the orange part: with fresh memory. Measured on {}, {}",
        processor(),
        vectors()
    )
}

/// Returns the name of the processor if the system reports it, else the architecture.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name =
        info.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
    name.unwrap_or(std::env::consts::ARCH).into()
}

/// Returns the widest vectors that kernels use on this machine.
fn vectors() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx512f") {
        return "AVX-512";
    } else if std::is_x86_feature_detected!("avx2") {
        return "AVX2";
    }
    "no wide vectors"
}
