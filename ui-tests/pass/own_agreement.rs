// Other crates cannot implement `SameOrder`. Convert the memory order: `.to_order::<RowMajor>()`.

use vierbein::RowMajor;
use vierbein::device::SameOrder;

fn agree<O: SameOrder<RowMajor>>() {}

pub fn main() {
    agree::<RowMajor>();
}
