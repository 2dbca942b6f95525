//! The compiler's messages are a product: each program in `ui-tests/fail` makes one mistake, and the `.stderr` beside it is
//! what its author reads. The wording is the pinned compiler's; `promises.rs` holds without it.
//!
//! To accept new wording after reading it: `TRYBUILD=overwrite cargo test --test ui`.

use std::process::Command;

/// The compiler whose wording is recorded.
const PINNED: &str = "rustc 1.95.";

#[test]
fn messages() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("a compiler built this test");
    let version = String::from_utf8_lossy(&version.stdout);
    if !version.starts_with(PINNED) {
        println!("skipped: the messages are recorded for {PINNED}x, and this is {}", version.trim());
        return;
    }
    trybuild::TestCases::new().compile_fail("ui-tests/fail/*.rs");
}

/// What no message may show.
#[test]
fn messages_are_in_the_words_of_users() {
    let mut count = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/ui-tests/fail")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "stderr") {
            let text = std::fs::read_to_string(&path).unwrap();
            for private in
                ["typenum", "UInt<", "UTerm", "long-type", "WithRight", "Flipped", "and 1140 others"]
            {
                assert!(!text.contains(private), "{} shows {private:?}", path.display());
            }
            count += 1;
        }
    }
    assert!(count >= 60, "only {count} messages are recorded");
}
