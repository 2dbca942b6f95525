// Nobody else can say that two memory orders are one. Convert: `.to_order::<RowMajor>()`.

use vierbein::RowMajor;
use vierbein::device::SameOrder;

struct Morton;

impl SameOrder<Morton> for RowMajor {}

fn main() {}
