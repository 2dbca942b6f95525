// A struct with a rank parameter needs a bound for it: `where Rank<N>: Dim`.

use vierbein::{Rank, Tensor};

struct S<T, const N: usize> {
    x: Tensor<T, Rank<N>>,
}

fn main() {}
