//! Bad input: a table with one row for each public operation and one column for each of eight hazards. Each cell calls the
//! operation and asserts the outcome: the documented error, or the documented value.
//!
//! The hazards are wrong shapes, axes of extent 0, extents near `usize::MAX`, non-finite numbers, negative strides, elements that
//! several indices share, rank 0 and rank 16. For each hazard, `hazards.rs` has the operands and `array.rs` computes the expected
//! outcome. Fallible variants must not panic, not even internally. Panicking variants must panic with the message of the error.
//!
//! The list of public items comes from rustdoc. The test fails for an operation without a row, for a row without an operation, and
//! for an operation that no test calls by name. `no_operations.rs` lists, with a reason, the functions that are hidden in the
//! documentation but callable from other crates.
//!
//! The rows of `DynTensor` are in `dynamic`. The rows of archives, safetensors files and serde are part of the test program `files`, which is
//! compiled with the features that they need.

pub(crate) mod array;
mod builder;
mod choosing;
mod construct;
mod conversions;
#[cfg(feature = "linalg")]
mod decomposed;
mod dlpack;
mod driver;
mod dynamic;
mod elementwise;
#[cfg(feature = "fft")]
mod fft;
#[cfg(feature = "npy")]
#[allow(unused_macros, reason = "folders to write to are all that is needed of it")]
#[path = "../common/golden.rs"]
mod golden;
mod hazards;
mod iterators;
mod joined;
mod joining;
mod limited;
#[cfg(feature = "linalg")]
mod linalg;
mod no_operations;
#[cfg(feature = "npy")]
mod npy;
mod operand;
mod ordered;
mod ordering;
mod outside;
mod products;
mod public;
mod ranks;
mod reductions;
mod shapes;
#[cfg(feature = "fft")]
mod spectra;
mod writing;

use driver::done;
use ranks::{at_rank, at_ranks, cut_mut};
use std::collections::BTreeSet;
use writing::done_into;

/// Returns the names, as `Trait::method` or `macro!`, of functions that are hidden in the documentation but callable from other
/// crates.
fn hidden() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for source in public::sources("src") {
        let (mut owner, mut hidden) = (String::new(), false);
        for line in source.lines().map(str::trim) {
            let words: Vec<&str> = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
            let after = |word| words.iter().position(|&w| w == word).and_then(|k| words.get(k + 1));
            if line.starts_with("pub trait")
                || line.starts_with("pub unsafe trait")
                || line.starts_with("impl")
            {
                owner = after("trait").map_or("impl".to_string(), |name| name.to_string());
            }
            if line == "#[doc(hidden)]" {
                hidden = true;
            } else if hidden && !line.starts_with('#') && !line.starts_with("//") {
                hidden = false;
                if let Some(name) = after("fn") {
                    found.insert(format!("{owner}::{name}"));
                } else if line.starts_with("macro_rules") {
                    found
                        .insert(format!("{}!", words.iter().rfind(|word| !word.is_empty()).expect("a name")));
                }
            }
        }
    }
    assert!(found.len() > 40, "there is more that is hidden: {found:?}");
    found
}

#[test]
fn every_hidden_function() {
    let listed: BTreeSet<String> =
        no_operations::HIDDEN.iter().flat_map(|(_, names)| *names).map(|name| name.to_string()).collect();
    assert_eq!(hidden(), listed);
}

/// Iterative methods, their options and results. The operands of these functions are closures, which the bad-input table cannot contain.
/// `linalg/krylov.rs` tests the hazards that apply: wrong shapes, axes of extent 0, non-finite numbers, rank 0 and huge or tiny numbers.
const ITERATIVE: &[&str] = &[
    "linalg::Eigenpairs::into_first",
    "linalg::Iteration::accept_unconverged",
    "linalg::Iteration::basis",
    "linalg::Iteration::max_applications",
    "linalg::Iteration::new",
    "linalg::Iteration::tolerance",
    "linalg::Krylov::accept_unconverged",
    "linalg::Krylov::basis",
    "linalg::Krylov::highest",
    "linalg::Krylov::largest",
    "linalg::Krylov::lowest",
    "linalg::Krylov::max_applications",
    "linalg::Krylov::tolerance",
    "linalg::RandomizedSvd::oversampling",
    "linalg::RandomizedSvd::power",
    "linalg::RandomizedSvd::rank",
    "linalg::RandomizedSvd::seed",
    "linalg::arnoldi",
    "linalg::arnoldi_into",
    "linalg::cg",
    "linalg::cg_into",
    "linalg::cg_preconditioned",
    "linalg::cg_preconditioned_into",
    "linalg::davidson",
    "linalg::davidson_into",
    "linalg::davidson_preconditioned",
    "linalg::davidson_preconditioned_into",
    "linalg::eigs",
    "linalg::eigs_into",
    "linalg::expm_multiply",
    "linalg::expm_multiply_into",
    "linalg::gmres",
    "linalg::gmres_into",
    "linalg::gmres_preconditioned",
    "linalg::gmres_preconditioned_into",
    "linalg::lanczos",
    "linalg::lanczos_into",
    "linalg::minres",
    "linalg::minres_into",
    "linalg::minres_preconditioned",
    "linalg::minres_preconditioned_into",
    "linalg::randomized_svd",
    "linalg::try_arnoldi",
    "linalg::try_cg",
    "linalg::try_cg_preconditioned",
    "linalg::try_davidson",
    "linalg::try_davidson_preconditioned",
    "linalg::try_eigs",
    "linalg::try_expm_multiply",
    "linalg::try_gmres",
    "linalg::try_gmres_preconditioned",
    "linalg::try_lanczos",
    "linalg::try_minres",
    "linalg::try_minres_preconditioned",
    "linalg::try_randomized_svd",
];

#[test]
fn every_public_operation() {
    let rows = [
        elementwise::rows(),
        writing::rows(),
        choosing::rows(),
        reductions::rows(),
        shapes::rows(),
        products::rows(),
        conversions::rows(),
        construct::rows(),
        outside::rows().into(),
        iterators::rows(),
        joining::rows(),
        ordering::rows(),
        vec![dlpack::row()],
        #[cfg(feature = "npy")]
        npy::rows().into(),
        #[cfg(feature = "fft")]
        fft::rows(),
        #[cfg(feature = "linalg")]
        linalg::rows(),
    ];
    let rows = rows.into_iter().flatten().collect();
    let typed = |names: BTreeSet<String>| {
        let in_table =
            |name: &String| !name.starts_with("dyn_tensor::") && !ITERATIVE.contains(&name.as_str());
        names.into_iter().filter(in_table).collect()
    };
    let features = [
        ("rand", cfg!(feature = "rand")),
        ("fft", cfg!(feature = "fft")),
        ("linalg", cfg!(feature = "linalg")),
    ];
    let features: Vec<&str> = features.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
    driver::check(rows, || public::functions(&features).map(typed), no_operations::LIST);
}
