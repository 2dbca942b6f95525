// Other crates cannot add ranks. Use `Rank<0>` to `Rank<16>`.

use vierbein::{Dim, Rank};

type Matrix = Rank<2>;

pub fn main() {}
