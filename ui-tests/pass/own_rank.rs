// The ranks are given, `Rank<0>` to `Rank<16>`, and no third party adds one.

use vierbein::{Dim, Rank};

type Matrix = Rank<2>;

pub fn main() {}
