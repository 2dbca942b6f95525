// Other crates cannot add memory orders. Use one of the two, or permute the axes.

use vierbein::{ColMajor, Order};

#[derive(Debug, Default, Clone, Copy)]
struct Hilbert;

impl Order for Hilbert {
    type Transposed = Hilbert;
    const ROW_MAJOR: bool = true;
    const NAME: &'static str = "along a Hilbert curve";
}

fn main() {
    let _ = <ColMajor as Order>::NAME;
}
