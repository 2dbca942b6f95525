//! Bad input: a table of every public operation and eight hazards. Each cell asserts the outcome: the documented error, or the
//! documented value.
//!
//! A hazard is a wrong shape, an axis of extent 0, an extent near `usize::MAX`, non-finite numbers, negative strides, elements that
//! several indices share, rank 0 or rank 16. Operations of one family share the code of their rows: the operands of each hazard, and
//! a naive reference for the expected outcome. The list of public items comes from rustdoc. The test fails for an operation without
//! a row, for a row without an operation, and for an operation that no test calls directly. Functions that are hidden in the
//! documentation but callable from other crates are listed with a reason. Fallible variants must not panic, not even internally.
//! Panicking variants panic with the message of the error.
//!
//! The rows of `DynTensor` are in `dynamic`, and are part of the test `dyn_tensor`, where the kernels that they call are compiled
//! anyway. The rows of archives, safetensors files and serde are part of the test `files`, which has their features.

mod array;
mod builder;
mod construct;
mod conversions;
mod dlpack;
mod driver;
mod elementwise;
#[cfg(feature = "npy")]
#[allow(unused_macros, reason = "folders to write to are all that is needed of it")]
#[path = "../common/golden.rs"]
mod golden;
mod hazards;
mod iterators;
mod limited;
mod no_operations;
#[cfg(feature = "npy")]
mod npy;
mod operand;
mod outside;
mod products;
mod public;
mod ranks;
mod reductions;
mod shapes;
mod writing;

use driver::done;
use ranks::{at_rank, at_ranks, cut_mut};
use std::collections::BTreeSet;

/// Returns the functions that are hidden in the documentation but callable from other crates, as `Trait::method` or `macro!`.
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

#[test]
fn every_public_operation() {
    let rows = [
        elementwise::rows(),
        writing::rows(),
        reductions::rows(),
        shapes::rows(),
        products::rows(),
        conversions::rows(),
        construct::rows(),
        outside::rows().into(),
        iterators::rows(),
        vec![dlpack::row()],
        #[cfg(feature = "npy")]
        npy::rows().into(),
    ];
    let rows = rows.into_iter().flatten().collect();
    let typed = |names: BTreeSet<String>| {
        names.into_iter().filter(|name| !name.starts_with("dyn_tensor::")).collect()
    };
    driver::check(rows, public::functions(&[]).map(typed), no_operations::LIST);
}
