// Other crates cannot add memory orders. Use one of the two, or permute the axes.

use vierbein::{ColMajor, Order};

type Hilbert = ColMajor;

pub fn main() {
    let _ = <Hilbert as Order>::NAME;
}
