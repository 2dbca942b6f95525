// Other crates cannot add ranks. Use `Rank<0>` to `Rank<16>`.

use vierbein::{Dim, Rank};

#[derive(Debug, Default, Clone, Copy)]
struct Matrix;

impl Dim for Matrix {
    const NDIM: usize = 2;
    type Shape = [usize; 2];
    type Strides = [isize; 2];
    type Num = <Rank<2> as Dim>::Num;
}

fn main() {}
