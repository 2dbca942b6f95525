// A tensor of `AnyRank` has to be converted where another rank is needed.

use vierbein::prelude::*;

fn matrix(_: &Tensor<f64, Rank<2>>) {}

fn main() {
    let x: Tensor<f64, AnyRank> = Tensor::ones(&[2, 2][..]);
    let mut m: Tensor<f64, Rank<2>> = Tensor::ones([2, 2]);
    m += &x;
    m.assign(&x);
    let _: Tensor<f64, Rank<2>> = &m + &x;
    matrix(&x);
}
