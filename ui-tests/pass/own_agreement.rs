// Nobody else can say that two memory orders are one. Convert: `.to_order::<RowMajor>()`.

use vierbein::RowMajor;
use vierbein::device::SameOrder;

fn agree<O: SameOrder<RowMajor>>() {}

pub fn main() {
    agree::<RowMajor>();
}
