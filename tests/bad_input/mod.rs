//! Bad input: a table of every public operation and eight hazards, with what comes of each asserted: the documented error, or
//! the documented value.
//!
//! A hazard is a wrong shape, an axis without elements, an axis near `usize::MAX`, numbers that are not finite, strides below zero,
//! elements that several indices share, rank 0 and rank 16. Operations of one family share a row's making: the operands of each
//! hazard, and a naive reference that says what comes of them. The list of what is public comes from rustdoc: an operation
//! without a row fails this test, and so does a row without an operation, or one that no test calls directly. Functions that the
//! documentation hides and other crates can call are listed with a reason. Forms that return a `Result` must not panic, not even
//! inside; those that panic do so with the same message.
//!
//! The rows of tensors whose types are known at run time only are in `dynamic`, and are part of the test `dyn_tensor`: both tables
//! stand where the kernels that they call are compiled anyway. Those of archives, safetensors files and serde are part of the test
//! `files`, which has their features.

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

/// The functions that the documentation hides and that other crates can call all the same, `Trait::method` or `macro!`.
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
