//! What the library selected on this machine, for bug reports.

#![forbid(unsafe_code)]

use crate::simd::Level;
use core::fmt;

/// Returns the version of the library, its features, and what it selected on this machine: vector instructions and number of threads.
///
/// Include its text in bug reports:
///
/// ```
/// println!("{}", vierbein::info());
/// // vierbein 0.1.0 (x86_64-linux), SIMD avx512, 2 threads, features: rayon npy
/// # assert!(vierbein::info().to_string().starts_with("vierbein "));
/// ```
#[must_use]
pub fn info() -> Info {
    Info { simd: Level::get().name(), threads: threads(), features: &FEATURES }
}

/// The result of [`info`]. `Display` prints it on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// The vector instructions of the kernels: "portable", "neon", "avx2" or "avx512". The environment variable `VIERBEIN_SIMD` limits them.
    pub simd: &'static str,
    /// The number of threads of large operations.
    pub threads: usize,
    /// The features of the crate that are enabled.
    pub features: &'static [&'static str],
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Info { simd, threads, features } = self;
        let (version, arch, os) = (env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, std::env::consts::OS);
        let unit = if *threads == 1 { "thread" } else { "threads" };
        write!(f, "vierbein {version} ({arch}-{os}), SIMD {simd}, {threads} {unit}, features:")?;
        if features.is_empty() {
            return f.write_str(" none");
        }
        features.iter().try_for_each(|feature| write!(f, " {feature}"))
    }
}

fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Defines `FEATURES`: the enabled ones of these features.
macro_rules! features {
    ($($feature:literal)*) => {
        const COUNT: usize = 0 $(+ cfg!(feature = $feature) as usize)*;
        static FEATURES: [&str; COUNT] = {
            let mut enabled = [""; COUNT];
            let mut count = 0;
            $(
                if cfg!(feature = $feature) {
                    enabled[count] = $feature;
                    count += 1;
                }
            )*
            assert!(count == COUNT);
            enabled
        };
    };
}
features! {
    "rayon" "precompiled-dyn" "npy" "npz" "safetensors" "csv" "serde" "rand" "fft" "linalg" "blas" "cuda" "ndarray" "nalgebra" "faer"
}

#[cfg(test)]
mod tests {
    /// Each feature of Cargo.toml is listed.
    #[test]
    fn every_feature_is_listed() {
        let manifest = include_str!("../Cargo.toml");
        let features =
            manifest.split("[features]").nth(1).and_then(|rest| rest.split("\n[").next()).expect("features");
        let source = include_str!("info.rs");
        let names = features
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split(" = ").nth(1).map(|_| line));
        for name in
            names.map(|line| line.split(" = ").next().expect("a name")).filter(|name| *name != "default")
        {
            assert!(source.contains(&format!("\"{name}\"")), "{name} is not listed");
        }
    }
}
