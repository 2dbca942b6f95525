//! Tests of compiler messages: each program in `fail` makes one mistake, and the `.stderr` file next to it has the expected message.
//! The wording depends on the pinned compiler. `tests/tensor/bounds.rs` tests the same guarantees independently of it.
//!
//! To accept new wording after reading it: `TRYBUILD=overwrite cargo test --test ui`.

use std::process::Command;

/// The compiler version for which the messages are recorded.
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
    let cases = trybuild::TestCases::new();
    cases.compile_fail("fail/*.rs");
    #[cfg(feature = "fft")]
    cases.compile_fail("fail/fft/*.rs");
    #[cfg(feature = "linalg")]
    cases.compile_fail("fail/linalg/*.rs");
}

/// No message may show private types or long lists of implementations.
#[test]
fn messages_show_no_private_types() {
    let mut count = 0;
    let folder = |name: &str| std::fs::read_dir(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    for entry in folder("fail").chain(folder("fail/fft")).chain(folder("fail/linalg")) {
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

/// Returns the lines of each code block of a page that quotes a compiler message.
fn quoted(page: &str) -> Vec<Vec<&str>> {
    let blocks = page.split("```text\n").skip(1).map(|rest| rest.split("\n```").next().unwrap_or(rest));
    blocks.filter(|block| block.starts_with("error[")).map(|block| block.lines().collect()).collect()
}

/// Each message that README and guide quote must consist of lines of a recorded message, in the same order.
#[test]
fn quoted_messages_equal_recorded_messages() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let recorded: Vec<String> = std::fs::read_dir(root.join("ui-tests/fail"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "stderr"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let mut count = 0;
    for page in ["README.md", "docs/ranks_and_errors.md"] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        for block in quoted(&text) {
            let says_so = |message: &String| {
                let mut lines = message.lines().map(str::trim_end);
                block.iter().all(|quoted| lines.any(|line| line == quoted.trim_end()))
            };
            assert!(recorded.iter().any(says_so), "{page}: no program gives\n{}", block.join("\n"));
            count += 1;
        }
    }
    assert!(count >= 15, "only {count} messages are quoted");
}
