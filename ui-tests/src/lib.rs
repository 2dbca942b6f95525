//! Contains only tests: see `tests/ui.rs`.
