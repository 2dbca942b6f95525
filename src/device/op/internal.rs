//! An argument that only this crate can name.

/// The last argument of hidden trait methods on which `unsafe` code relies. The module is private, so that no other crate can override them.
#[derive(Debug, Clone, Copy)]
pub struct Internal;
