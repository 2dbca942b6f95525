//! Permuted copies: tiles transposed in registers.

#[cfg(target_arch = "x86_64")]
mod register;
mod tile;

#[allow(unused_imports, reason = "elementwise operations stage transposed operands with it")]
pub(super) use tile::transpose_tile;

#[cfg(test)]
mod tests;
