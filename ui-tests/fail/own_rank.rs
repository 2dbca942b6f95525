// Other crates cannot add ranks. Use `Rank<0>` to `Rank<16>`.

use vierbein::{Dim, Rank};

#[derive(Debug, Default, Clone, Copy)]
struct Matrix;

impl Dim for Matrix {
    const NDIM: Option<usize> = Some(2);
    const MAX_NDIM: usize = 2;
    type Shape = [usize; 2];
    type Strides = [isize; 2];
    type Num = <Rank<2> as Dim>::Num;
    fn shape(_: usize) -> [usize; 2] {
        [0; 2]
    }
    fn strides(_: usize) -> [isize; 2] {
        [0; 2]
    }
}

fn main() {}
