// Other crates cannot implement `SameOrder`. Convert the memory order: `.to_order::<RowMajor>()`.

use vierbein::RowMajor;
use vierbein::device::SameOrder;

struct Morton;

impl SameOrder<Morton> for RowMajor {}

fn main() {}
