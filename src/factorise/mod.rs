//! Factorisations by labels (feature `linalg`): [`svd!`](crate::svd!), [`svd_truncated!`](crate::svd_truncated!), [`qr!`](crate::qr!), [`lq!`](crate::lq!),
//! [`eigh!`](crate::eigh!) and [`polar!`](crate::polar!), and the builder that the macros call.
//!
//! A specification such as `"abcd -> abk, kcd"` names each axis of the operand by a letter, and says which axes the two factors have:
//!
//! * **Rows and columns.** Each label of the operand is in exactly one factor. The labels in the first factor are the rows of the
//!   matrix that is decomposed, those in the second factor are its columns. They need not be adjacent.
//! * **The bond.** Exactly one label is new. It is in both factors, at any place, and numbers the singular values, for example. (The
//!   factors of [`polar!`](crate::polar!) share one new label for each column label.) The product of the factors, summed over the bond, has
//!   the labels of the operand: `einsum!("abk,kcd->abcd", ..)`.
//! * **Batches.** An ellipsis, `...`, stands for axes of a batch. It is in all three terms, at any place. There is one decomposition for
//!   each index of the batch.
//!
//! Spaces are ignored. An invalid specification does not compile, nor does an operand whose rank differs from the number of its labels.
//! The ranks of the results are in their types. Operands are `&tensor`, views by value such as `x.t()`, and their conjugates,
//! [`conj_view`](crate::Tensor::conj_view).
//!
//! In both memory orders, the rows are numbered by their labels in the order of the first factor; the last label varies fastest.
//! The columns are numbered in the same way, by their labels in the order of the second factor. The conventions of the module
//! [`linalg`](crate::linalg) refer to these numbers. Therefore the factors of a row-major and of a column-major tensor are equal up to
//! rounding.
//!
//! **Costs.** Labels fuse to one axis if a single stride addresses the elements of their axes. The operand is copied once if its row
//! labels, or its column labels, do not fuse to one axis. A factor is computed in its own memory if its labels other than the bond fuse to
//! one axis, otherwise in a temporary buffer. In row-major order, a factor whose bond is its first or last label needs no temporary buffer.
//! In column-major order, a factor with one label other than the bond needs none. If singular values are truncated, the parts of the
//! factors that are kept are copied.

#![forbid(unsafe_code)]

mod builder;
mod macros;

pub use crate::einsum::TermOf;
pub use crate::engine::factorise::{FactorSpec, FactorSpecError, Factorisation};
pub use builder::{Factors, Labelled, TermOperand, labelled};
