// A tensor of `AnyRank` has to be converted where another rank is needed.

use vierbein::prelude::*;

fn matrix(_: &Tensor<f64, Rank<2>>) {}

fn main() -> Result<(), vierbein::Error> {
    let x: Tensor<f64, AnyRank> = Tensor::ones(&[2, 2][..]);
    let mut m: Tensor<f64, Rank<2>> = Tensor::ones([2, 2]);
    m += x.view().try_into_rank::<Rank<2>>()?;
    m.assign(&x.view().try_into_rank::<Rank<2>>()?);
    let _: Tensor<f64, Rank<2>> = (&m + &x).try_into_rank()?;
    matrix(&x.try_into_rank()?);
    Ok(())
}
