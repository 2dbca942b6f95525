// There are two memory orders, and no third party adds one. Use them, or permute the axes.

use vierbein::{ColMajor, Order};

type Hilbert = ColMajor;

pub fn main() {
    let _ = <Hilbert as Order>::NAME;
}
