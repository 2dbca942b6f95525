//! Tests only: see `tests/ui.rs`.
