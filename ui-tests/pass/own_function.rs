// A function over views takes tensors and views of its element type, rank and memory order. It does not convert them.

use vierbein::prelude::*;

fn energy(x: impl AsView<Element = f64, Dim = Rank<2>, Order = RowMajor, Device = Cpu>) -> f64 {
    x.as_view().sum().item()
}

pub fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    energy(Tensor::from([[1.0, 2.0], [3.0, 4.0]]));
    energy(x.index_axis(0, 1).insert_axis(0));
    energy(x.to_order::<ColMajor>().as_order());
    energy(x.cast::<f32>().cast());
    energy(&x);
    energy(x.t());
}
