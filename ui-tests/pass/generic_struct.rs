// A struct with a rank parameter needs a bound for it: `where Rank<N>: Dim`.

use vierbein::{Dim, Element, Rank, Tensor};

struct S<T: Element, const N: usize>
where
    Rank<N>: Dim,
{
    x: Tensor<T, Rank<N>>,
}

pub fn main() {}
